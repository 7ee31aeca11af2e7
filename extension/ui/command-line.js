/** A command for a terminal, with a button that copies it. */

import { phrase } from "../shared/messages.js";
import { copyText, make, makeButton, setText } from "./dom.js";

/**
 * @param {string} command for a terminal
 * @param {string} label
 * @returns {HTMLElement} the command with a button that copies it
 */
export function commandElement(command, label) {
  // A line breaks between words only, not after the hyphens of a flag.
  const words = command.split(" ").flatMap((word) => [" ", make("span", {}, word)]);
  const code = make("pre", { tabIndex: 0, ariaLabel: label, role: "region" }, ...words.slice(1));
  const copy = makeButton(phrase("copy"), () => setText(copy, phrase(copyText(command) ? "copied" : "copyFailed")));
  return make("div", { className: "command" }, code, copy);
}
