/**
 * Inserts the localized texts into a page, as text, at the elements that name them.
 *
 * @import {MessageKey} from "../shared/messages.js"
 */

import { HAS_DEBUGGER } from "../shared/capabilities.js";
import { language, phrase } from "../shared/messages.js";

/** By the attribute that names the text. */
const ATTRIBUTES = {
  "data-message-label": "aria-label",
  "data-message-title": "title",
  "data-message-placeholder": "placeholder",
};
/** Placeholder for a child, at which the text is split; no text contains it. */
const MARK = "\uE000";

document.documentElement.lang = language();
// Elements for other browsers.
const elsewhere = HAS_DEBUGGER ? "reading" : "driving";
for (const element of document.querySelectorAll(`[data-where="${elsewhere}"]`)) element.setAttribute("hidden", "");
for (const element of document.querySelectorAll("[data-message]")) fill(element);
for (const [name, attribute] of Object.entries(ATTRIBUTES)) {
  for (const element of document.querySelectorAll(`[${name}]`)) {
    element.setAttribute(attribute, phrase(keyOf(element, name)));
  }
}

/**
 * The element's children replace $1, $2 ... in its text.
 *
 * @param {Element} element
 */
function fill(element) {
  const children = [...element.children];
  const marks = children.map((_, index) => MARK + index);
  const parts = phrase(keyOf(element, "data-message"), ...marks).split(/\uE000(\d)/);
  element.replaceChildren(...parts.map((part, index) => (index % 2 ? (children[Number(part)] ?? "") : part)));
}

/**
 * @param {Element} element
 * @param {string} attribute
 */
function keyOf(element, attribute) {
  return /** @type {MessageKey} */ (element.getAttribute(attribute));
}
