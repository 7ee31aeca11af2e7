// What the test app uses of the vendored bundle; written by hand, because the bundle brings no types.

export type Extension = object;

export class EditorState {
  static tabSize: { of(size: number): Extension };
}

export class EditorView {
  constructor(config: { doc?: string; extensions?: Extension[]; parent?: Node; root?: ShadowRoot });
  readonly state: { doc: { toString(): string; length: number } };
  dispatch(change: { changes: { from: number; to: number; insert: string } }): void;
  focus(): void;
  static contentAttributes: { of(attributes: Record<string, string>): Extension };
  static updateListener: { of(listener: (update: { docChanged: boolean }) => void): Extension };
  static lineWrapping: Extension;
  static theme(rules: Record<string, Record<string, string>>, options?: { dark?: boolean }): Extension;
}

export class HighlightStyle {
  static define(rules: { tag: object | object[]; color: string }[]): HighlightStyle;
}

export const tags: Record<"string" | "number" | "bool" | "null" | "propertyName", object>;
export function syntaxHighlighting(style: HighlightStyle): Extension;
export const basicSetup: Extension;
export const indentWithTab: object;
export const keymap: { of(bindings: object[]): Extension };
export function json(): Extension;
export function jsonParseLinter(): (view: EditorView) => object[];
export function linter(source: (view: EditorView) => object[]): Extension;
