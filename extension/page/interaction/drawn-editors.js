"use strict";

// Editors for code that draw their own text, and take the keys in a field that is not visible.

const drawnEditors = (() => {
  const {
    attributeOf,
    boxOf,
    comesTrue,
    hasIn,
    holds,
    innerTextOf,
    isControl,
    isHtml,
    isMatch,
    parentElementOf,
    queryAll,
    queryIn,
    treeAncestors,
  } = dom;

  /** What may take the keys for an editor. */
  const SINKS = "textarea, [role='textbox'][tabindex]";
  /** Levels between the field and the editor around it. */
  const LEVELS = 4;
  /** Levels between the editor and a word in it. */
  const DEPTH = 12;
  /** The field of xterm.js, whose keys go to a program: what is drawn before them stays. */
  const TERMINAL = ".xterm-helper-textarea";
  const LEAST_SIDES = { width: 60, height: 18 };
  const NARROW = 4;
  const LONG_TEXT = 500;
  /** How long an editor may take to draw what it has accepted. */
  const DRAWING_WAIT_MS = 500;
  const MONOSPACED = /mono|courier|consolas|menlo|code/iu;
  /** A table or a form takes its keys in a similar way, and consists of more than its text. */
  const PARTS = "table, [role='grid'], input:not([type='hidden']), select, button";
  const LINES = "pre, [class*='line' i]";
  /** Lines of code, whatever their font. */
  const CODE_LINES = "pre[class*='line' i]";
  const PLACEHOLDER = "[class*='placeholder' i]";

  /**
   * @param {Element} sink
   * @returns {Element | null} the editor that draws what is typed into it
   */
  function editorAround(sink) {
    if (!isHtml(sink) || !isMatch(sink, SINKS) || !isUnseen(sink)) return null;
    for (const around of treeAncestors(parentElementOf(sink), LEVELS)) {
      const { width, height } = boxOf(around);
      if (width < LEAST_SIDES.width || height < LEAST_SIDES.height) continue;
      return isTerminal(sink) || isEditor(around) ? around : null;
    }
    return null;
  }

  /**
   * @param {Element} element an editor, part of one, or an element closely around one
   * @returns {HTMLElement | null} the field that takes its keys
   */
  function sinkOf(element) {
    // Nearly all fields are not editors' own, and this runs several times for each.
    if (isControl(element) && !editorAround(element)) return null;
    const others = new Set();
    for (const around of treeAncestors(element, DEPTH)) {
      for (const sink of queryIn(around, SINKS)) {
        if (others.has(sink)) continue;
        if (isSinkOf(sink, element)) return /** @type {HTMLElement} */ (sink);
        others.add(sink);
      }
    }
    return null;
  }

  /**
   * @param {Element} sink
   * @param {Element} element
   */
  function isSinkOf(sink, element) {
    const editor = isMatch(sink, "[readonly]") ? null : editorAround(sink);
    if (!editor) return false;
    return holds(editor, element) || [...treeAncestors(parentElementOf(editor), LEVELS)].includes(element);
  }

  /**
   * @param {Element} sink
   * @returns {boolean} whether it takes the focus although users do not see it
   */
  function isUnseen(sink) {
    if (!Reflect.apply(Element.prototype.checkVisibility, sink, [])) return false;
    const { width, height } = boxOf(sink);
    const { opacity } = getComputedStyle(sink);
    const around = parentElementOf(sink);
    const { width: wide, height: high } = around ? boxOf(around) : { width, height };
    const isCut = Math.min(wide, high) < NARROW && around !== null && getComputedStyle(around).overflow === "hidden";
    return Math.min(width, height) <= 1 || opacity === "0" || isCut;
  }

  /** @param {Element} element */
  function isEditor(element) {
    if (hasIn(element, PARTS)) return false;
    if (hasIn(element, CODE_LINES)) return true;
    const [line] = queryIn(element, LINES);
    return MONOSPACED.test(getComputedStyle(line ?? element).fontFamily);
  }

  /**
   * @param {Element} editor
   * @returns {string} its lines, as far as they are drawn, without their numbers
   */
  function linesIn(editor) {
    const read = (/** @type {Element} */ one) => innerTextOf(/** @type {HTMLElement} */ (one)).replace(/\u200b/gu, "");
    const text = read(editor);
    const [placeholder] = queryIn(editor, PLACEHOLDER);
    if (placeholder && read(placeholder).trim() === text.trim()) return "";
    return text
      .split("\n")
      .filter((line) => !/^\s*\d*\s*$/u.test(line))
      .join("\n")
      .replace(/\u00a0/gu, " ");
  }

  /**
   * Offers a text to an editor as a paste: it may indent each line that is typed.
   *
   * @param {HTMLElement} sink that takes the keys of the editor
   * @param {string} text
   * @returns {Promise<boolean>} whether the editor draws it
   */
  async function paste(sink, text) {
    const editor = editorAround(sink);
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true, composed: true });
    const isTaken = !sink.dispatchEvent(event);
    return isTaken && editor !== null && comesTrue(() => shows(editor, text), DRAWING_WAIT_MS);
  }

  /**
   * @param {Element} editor
   * @param {string} text
   * @returns {boolean} whether it draws the words and signs of the text, or as many as have room; lines may be in any
   *   order
   */
  function shows(editor, text) {
    const parts = (/** @type {string} */ value) =>
      (value.match(/[\p{L}\p{N}_]+|[!-/:-@[-^`{-~]/gu) ?? []).filter((part) => /\D/u.test(part));
    const lines = linesIn(editor);
    const drawn = parts(lines).sort();
    const wanted = parts(text).sort();
    if (String(drawn) === String(wanted)) return true;
    const left = new Set(wanted);
    return isLong(text, lines) && drawn.length > 0 && drawn.every((part) => left.has(part));
  }

  /** @param {Element} sink */
  function isTerminal(sink) {
    return isMatch(sink, TERMINAL);
  }

  /**
   * @param {Element} editor
   * @returns {boolean} whether it draws its lines as a picture, so that they cannot be read
   */
  function isPictured(editor) {
    return hasIn(editor, "canvas") && linesIn(editor) === "";
  }

  /**
   * @param {Element} terminal
   * @param {string} text
   * @returns {boolean} whether it shows the last line of the text at its end, in as many rows as that takes
   */
  function endsWith(terminal, text) {
    const plain = (/** @type {string} */ value) => value.replace(/\s/gu, "");
    return plain(linesIn(terminal)).endsWith(plain(text.split("\n").at(-1) ?? ""));
  }

  /**
   * @param {Element} editor that shows the text
   * @param {string} text
   * @returns {boolean} whether it draws the same lines with other indents; tabs are drawn as spaces
   */
  function indentsOtherwise(editor, text) {
    const linesOf = (/** @type {string} */ value) => value.split("\n").filter((line) => !/^\s*\d*\s*$/u.test(line));
    const [drawn, wanted] = [linesOf(linesIn(editor)), linesOf(text)];
    // An editor may draw its lines in another order than they are seen.
    const sorted = (/** @type {string[]} */ lines) => JSON.stringify(lines.toSorted());
    const bare = (/** @type {string[]} */ lines) => sorted(lines.map((line) => line.trim()));
    if (text.includes("\t") || bare(drawn) !== bare(wanted)) return false;
    return sorted(drawn.map((line) => line.trimEnd())) !== sorted(wanted.map((line) => line.trimEnd()));
  }

  /**
   * @param {string} text
   * @param {string} drawn the lines of an editor
   * @returns {boolean} whether the editor may draw only a part of the text: it draws fewer lines, or the line is long
   */
  function isLong(text, drawn) {
    const count = (/** @type {string} */ lines) => lines.split("\n").filter((line) => line.trim()).length;
    return text.length >= LONG_TEXT || count(text) > count(drawn);
  }

  /**
   * @param {Element} editor
   * @returns {string} the name of the field that takes its keys
   */
  function nameOf(editor) {
    const sink = queryIn(editor, SINKS).find((one) => editorAround(one) === editor);
    return (sink && attributeOf(sink, "aria-label")) ?? "";
  }

  /**
   * @param {Root[]} roots
   * @returns {Set<Element>} their editors
   */
  function editorsIn(roots) {
    const sinks = roots.flatMap((root) => queryAll(root, SINKS));
    return new Set(sinks.map(editorAround).filter((editor) => editor !== null));
  }

  return {
    editorAround,
    editorsIn,
    endsWith,
    indentsOtherwise,
    isPictured,
    isTerminal,
    linesIn,
    nameOf,
    paste,
    shows,
    sinkOf,
  };
})();
