// What the extension uses of the vendored bundle; written by hand, because the bundle brings no types.

/** A piece of Markdown; what it holds depends on its type. */
export interface Token {
  type: string;
  raw: string;
  text?: string;
  tokens?: Token[];
  depth?: number;
  ordered?: boolean;
  start?: number | "";
  items?: Token[];
  task?: boolean;
  checked?: boolean;
  href?: string;
  header?: Token[];
  rows?: Token[][];
}

/** The blocks of a Markdown text, from the top to the end. */
export function lexer(text: string): Token[];
