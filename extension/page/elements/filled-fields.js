"use strict";

// Fields, after the text was typed.

const filledFields = (() => {
  const { innerTextOf, isControl } = dom;
  const { selectContent } = fields;

  const TYPING_WAIT_MS = 100;
  const EXCERPT_LENGTH = 150;

  /**
   * Looks at what a field has made of the text, and tells the page of the change as leaving the field would.
   *
   * @param {PreparedField} prepared
   * @param {AbortSignal} signal
   * @param {object} request
   * @param {string} request.text what the field was to hold
   * @param {boolean} request.isEarly whether the text may still be on its way
   * @param {boolean} request.mayRetype
   * @returns {Promise<FilledField>}
   */
  async function finishFill({ field, before, typed }, signal, { text, isEarly, mayRetype }) {
    if (isEarly) {
      const late = new Promise((resolve) => setTimeout(resolve, TYPING_WAIT_MS, "late"));
      if ((await Promise.race([typed, late])) === "late") return { value: "", next: "look", notes: [] };
      signal.throwIfAborted();
    }
    if (mayRetype && hasRoomFor(field, text) && !isSame(heldBy(field), text)) {
      field.focus();
      selectContent(field);
      return { value: "", next: "retype", notes: [] };
    }
    if (heldBy(field) !== before) field.dispatchEvent(new Event("change", { bubbles: true }));
    return { value: shownBy(field), next: "", notes: notesOn(field, text) };
  }

  /** @param {HTMLInputElement} field */
  function shownBy(field) {
    return isSecret(field) ? "(hidden)" : heldBy(field);
  }

  /** @param {HTMLInputElement} field */
  function heldBy(field) {
    return isControl(field) ? field.value : innerTextOf(field).replace(/\n$/u, "");
  }

  /** @param {HTMLInputElement} field */
  function isSecret(field) {
    return isControl(field) && field.type === "password";
  }

  /**
   * @param {string} held
   * @param {string} text
   * @returns {boolean} whether the two differ only by what a field adds or leaves out when it writes in its own way
   */
  function isSame(held, text) {
    const kept = /[\p{L}\p{N}]/u.test(text) ? /[\p{L}\p{N}]/gu : /\S/gu;
    const essence = (/** @type {string} */ value) => (value.normalize("NFC").match(kept) ?? []).join("").toLowerCase();
    return essence(held) === essence(text);
  }

  /**
   * @param {HTMLInputElement} field
   * @param {string} value
   */
  function hasRoomFor(field, value) {
    return !isControl(field) || !(field.maxLength >= 0) || value.length <= field.maxLength;
  }

  /**
   * @param {HTMLInputElement} field
   * @param {string} text what it was to hold
   * @returns {string[]} sentences
   */
  function notesOn(field, text) {
    const value = heldBy(field);
    const isOther = isControl(field) && value !== (field.type === "color" ? text.toLowerCase() : text);
    return [
      !hasRoomFor(field, text) && `The field takes at most ${field.maxLength} characters.`,
      isOther &&
        hasRoomFor(field, text) &&
        (isSame(value, text)
          ? "The field writes it in its own way."
          : "The field holds something else than was asked for."),
      isControl(field) &&
        !isSecret(field) &&
        !field.validity.valid &&
        `It says: "${excerptOf(field.validationMessage)}"`,
    ].filter((note) => typeof note === "string");
  }

  /** @param {string} value */
  function excerptOf(value) {
    const printable = value.slice(0, EXCERPT_LENGTH).replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, " ");
    return printable.toWellFormed();
  }

  return { finishFill, shownBy };
})();
