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

  /** What is typed by its key at the end of a text, as in browser/trusted-input.js; an empty text is a Backspace. */
  const LAST_KEY = /(?:^|[\p{L}\p{Nd} !-~])$/u;

  /** Never empty. */
  const STRICT = new Set(["color", "range"]);

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
    refuseValue(field, text);
    takeFocus(field, "Fill what takes it.");
    const before = isControl(element) ? field.value : innerTextOf(field);
    const prepared = { field, before, typed: isTyped && typingInto(field, text) };
    if (isTyped) selectContent(field);
    else setValue(field, text);
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
   * @param {string} text
   */
  function setValue(field, text) {
    field.value = text.trim();
    field.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  }

  /**
   * @param {HTMLInputElement} field
   * @param {string} text
   * @throws {PageError} EXECUTION_ERROR when the text has not the form that the field takes
   */
  function refuseValue(field, text) {
    const { type } = field;
    const wanted = text.trim();
    if (!FORMATS.has(kindOf(field)) || (wanted === "" && !STRICT.has(type))) return;
    if ((isNumeric(type) && !isNumber(wanted)) || isOutOfRange(field, wanted)) throw misfitValue(field);
    if (type === "color" && !/^#[\da-f]{6}$/iu.test(wanted)) throw misfitValue(field);
    const probe = /** @type {HTMLInputElement} */ (
      Reflect.apply(Document.prototype.createElement, document, ["input"])
    );
    probe.type = type;
    probe.value = wanted;
    if (probe.value === "") throw misfitValue(field);
  }

  /** @param {string} type */
  function isNumeric(type) {
    return type === "number" || type === "range";
  }

  /**
   * @param {HTMLInputElement} field
   * @param {string} text
   */
  function isOutOfRange({ type, min, max }, text) {
    return type === "range" && (Number(text) < Number(min || 0) || Number(text) > Number(max || 100));
  }

  /** @param {HTMLInputElement} field */
  function misfitValue(field) {
    const { type, min, max } = field;
    const limits = type === "range" ? ` from ${Number(min || 0)} to ${Number(max || 100)}` : "";
    return misfit(field, `does not take this value. Give it ${FORMATS.get(type)}${limits}.`);
  }

  return { caretToEnd, prepareField, refuseValue, selectContent };
})();
