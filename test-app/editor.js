/** The arguments as JSON, in CodeMirror. */

import {
  basicSetup,
  EditorState,
  EditorView,
  HighlightStyle,
  indentWithTab,
  json,
  jsonParseLinter,
  keymap,
  linter,
  syntaxHighlighting,
  tags,
} from "./vendor/codemirror.js";

const COLORS = {
  "&": { backgroundColor: "var(--field)", color: "var(--text)", fontSize: "13px" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--muted)", border: "none" },
  ".cm-content": { caretColor: "var(--text)", minHeight: "9em" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "transparent" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--chosen) !important" },
};

/** The theme's colors, which follow light and dark mode by themselves. */
const WORDS = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--accent)" },
  { tag: tags.string, color: "var(--connected)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--warning)" },
]);

export class JsonEditor {
  /** @readonly */
  #view;

  /**
   * @param {HTMLElement} host
   * @param {() => void} onChange
   */
  constructor(host, onChange) {
    // In a shadow root it uses constructed style sheets, which need no exception in the Content-Security-Policy.
    const root = host.attachShadow({ mode: "open" });
    this.#view = new EditorView({
      root,
      parent: root,
      extensions: [
        basicSetup,
        json(),
        syntaxHighlighting(WORDS),
        linter(jsonParseLinter()),
        // Tab moves the focus through the page, so indenting has another key.
        keymap.of([{ ...indentWithTab, key: "Ctrl-]" }]),
        EditorState.tabSize.of(2),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": "Arguments as JSON" }),
        EditorView.theme(COLORS),
        EditorView.updateListener.of(({ docChanged }) => docChanged && onChange()),
      ],
    });
  }

  get text() {
    return this.#view.state.doc.toString();
  }

  set text(text) {
    this.#view.dispatch({ changes: { from: 0, to: this.#view.state.doc.length, insert: text } });
  }
}
