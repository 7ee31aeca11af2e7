// Each function runs inside the page, in the extension's own world, from its own source text, after the trusted input
// that find-element.js has prepared. Both answer null in another page than that.

/** @import {FilledField} from "../shared/types.d.ts" */

/**
 * Looks at what a field has made of the text, and tells the page of the change as leaving the field would.
 *
 * @param {object} request
 * @param {string} request.text what the field was to hold
 * @param {boolean} request.isEarly whether the text may still be on its way
 * @param {boolean} request.mayRetype
 * @returns {Promise<FilledField | null>}
 */
export async function finishFill({ text, isEarly, mayRetype }) {
  const TYPING_WAIT_MS = 100;
  const EXCERPT_LENGTH = 150;
  const remembered = Reflect.get(globalThis, Symbol.for("chrome-tab-reader.field"));
  if (!remembered) return null;
  /** @type {{field: HTMLInputElement, before: string, typed: Promise<"typed"> | false}} */
  const { field, before, typed } = remembered;
  const isControl = ["input", "textarea"].includes(field.localName);
  const isSecret = isControl && field.type === "password";

  function held() {
    return isControl ? field.value : field.innerText.replace(/\n$/u, "");
  }

  /** @param {string} value */
  function essence(value) {
    return (value.normalize("NFC").match(/[\p{L}\p{N}]/gu) ?? []).join("").toLowerCase();
  }

  /** @param {string} value */
  function hasRoomFor(value) {
    return !isControl || field.maxLength < 0 || value.length <= field.maxLength;
  }

  /** @param {string} value */
  function shorten(value) {
    const printable = value.slice(0, EXCERPT_LENGTH).replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, " ");
    return printable.toWellFormed();
  }

  function notes() {
    const value = held();
    const isOther = isControl && value !== (field.type === "color" ? text.toLowerCase() : text);
    return [
      !hasRoomFor(text) && `The field takes at most ${field.maxLength} characters.`,
      isOther &&
        hasRoomFor(text) &&
        (essence(value) === essence(text)
          ? "The field writes it in its own way."
          : "The field holds something else than was asked for."),
      isControl && !isSecret && !field.validity.valid && `It says: "${shorten(field.validationMessage)}"`,
    ].filter((note) => typeof note === "string");
  }

  if (isEarly) {
    const late = new Promise((resolve) => setTimeout(resolve, TYPING_WAIT_MS, "late"));
    if ((await Promise.race([typed, late])) === "late") return { value: "", next: "look", notes: [] };
  }
  if (mayRetype && hasRoomFor(text) && essence(held()) !== essence(text)) {
    field.focus();
    if (isControl) field.select();
    else field.ownerDocument.defaultView?.getSelection()?.selectAllChildren(field);
    return { value: "", next: "retype", notes: [] };
  }
  Reflect.deleteProperty(globalThis, Symbol.for("chrome-tab-reader.field"));
  if (held() !== before) field.dispatchEvent(new Event("change", { bubbles: true }));
  return { value: isSecret ? "(hidden)" : held(), next: "", notes: notes() };
}

/** @returns {boolean | null} whether the clicked element is checked now */
export function readChecked() {
  const key = Symbol.for("chrome-tab-reader.checkable");
  /** @type {HTMLInputElement | undefined} */
  const element = Reflect.get(globalThis, key);
  Reflect.deleteProperty(globalThis, key);
  if (!element) return null;
  return element.localName === "input" ? element.checked : element.getAttribute("aria-checked") === "true";
}
