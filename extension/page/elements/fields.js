"use strict";

// Fields, before the text is typed.

/**
 * A field with what is remembered of it until the text is typed.
 *
 * @typedef {object} PreparedField
 * @property {HTMLInputElement} field or a textarea, or an editable element
 * @property {string} before what it held
 * @property {Promise<"typed"> | false} typed when the page has taken the next typing, whatever it makes of it
 */

const fields = (() => {
  const { documentOf, innerTextOf, isControl, kindOf, tagOf, windowOf } = dom;
  const { misfit } = texts;
  const { takeFocus } = focusing;
  const { FORMATS } = targets;

  /** What is typed by its key at the end of a text, as in worker/trusted-input.js; an empty text is a Backspace. */
  const LAST_KEY = /(?:^|[\p{L}\p{Nd} !-~])$/u;

  /**
   * Puts the value in where no text is typed; elsewhere focuses the field and selects what is in it.
   *
   * @param {Element} element
   * @param {string} value
   * @returns {{filling: Filling, prepared: PreparedField}}
   */
  function prepareField(element, value) {
    const kind = kindOf(element);
    const isInput = tagOf(element) === "input";
    const lines = value.replace(/\r\n?/gu, "\n");
    const isEntered = isInput && lines.endsWith("\n");
    const text = isInput ? lines.replace(/\n$/u, "").replace(/\s*\n\s*/gu, " ") : lines;
    const field = /** @type {HTMLInputElement} */ (element);
    const isTyped = !FORMATS.has(kind) || kind === "number";
    if (kind === "number" && text !== "" && !isNumber(text)) throw misfitValue(field);
    takeFocus(field, "Fill what takes it.");
    const before = isControl(element) ? field.value : innerTextOf(field);
    const prepared = { field, before, typed: isTyped && typingInto(field, text) };
    if (isTyped) selectContent(field);
    else setValue(field, kind, text);
    return { filling: { text, isTyped, isEntered }, prepared };
  }

  /**
   * @param {HTMLElement} field
   * @param {string} text
   * @returns {Promise<"typed">} when the page has taken the next typing, whatever it makes of it
   */
  function typingInto(field, text) {
    return new Promise((resolve) => {
      // The second turn comes after what the page puts off to the next one.
      const soon = () => setTimeout(() => setTimeout(resolve, 0, "typed"));
      const last = LAST_KEY.test(text) ? "keyup" : "beforeinput";
      // The page may have moved the focus by the time that a key is released.
      windowOf(/** @type {Document} */ (documentOf(field)))?.addEventListener(last, soon, {
        capture: true,
        once: true,
      });
    });
  }

  /** @param {string} text */
  function isNumber(text) {
    return /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/iu.test(text.trim());
  }

  /** @param {HTMLInputElement} field */
  function selectContent(field) {
    if (isControl(field)) return field.select();
    const view = windowOf(/** @type {Document} */ (documentOf(field)));
    view?.getSelection()?.selectAllChildren(field);
  }

  /** @param {HTMLInputElement} field */
  function caretToEnd(field) {
    // Fields that hold no plain text have no place for a caret that could be told.
    if (isControl(field)) return field.selectionEnd === null ? undefined : field.setSelectionRange(1e9, 1e9);
    selectContent(field);
    windowOf(/** @type {Document} */ (documentOf(field)))
      ?.getSelection()
      ?.collapseToEnd();
  }

  /**
   * A page that watches its own property of the field sees no change of this world, as with a person's.
   *
   * @param {HTMLInputElement} field
   * @param {string} kind
   * @param {string} text
   */
  function setValue(field, kind, text) {
    const before = field.value;
    const wanted = text.trim();
    const { min, max } = field;
    const isRefused =
      (kind === "color" && !/^#[\da-f]{6}$/iu.test(wanted)) ||
      (kind === "range" &&
        (!isNumber(wanted) || Number(wanted) < Number(min || 0) || Number(wanted) > Number(max || 100)));
    if (!isRefused) field.value = wanted;
    if (isRefused || (wanted !== "" && field.value === "")) {
      field.value = before;
      throw misfitValue(field);
    }
    field.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  }

  /** @param {HTMLInputElement} field */
  function misfitValue(field) {
    const { type, min, max } = field;
    const limits = type === "range" ? ` from ${Number(min || 0)} to ${Number(max || 100)}` : "";
    return misfit(field, `does not take this value. Give it ${FORMATS.get(type)}${limits}.`);
  }

  return { caretToEnd, prepareField, selectContent };
})();
