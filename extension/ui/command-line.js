/**
 * A command for a terminal, with a button that copies it.
 *
 * @import {ServerCommands, Status} from "../shared/types.d.ts"
 */

import { phrase } from "../shared/messages.js";
import { copyText, make, makeButton, setText } from "./dom.js";

/**
 * The README's command for starting the server in its folder. Only a server that has connected can report the actual
 * path.
 */
const PROGRAM = "uv run chrome_tab_mcp_server.py";
/** The same for an installed package. */
const PACKAGE = "chrome-tab-reader";

/**
 * @param {Status} status
 * @param {"setup" | "doctor" | "serve"} name
 * @returns {string} the server's own command; without a model, only setup is available
 */
export function commandOf({ commands }, name) {
  return commands[name] ?? (name === "doctor" ? `${PROGRAM} --doctor` : (commands.setup ?? `${PROGRAM} --setup`));
}

/**
 * @param {string} command
 * @param {string} label
 * @returns {[HTMLPreElement, HTMLButtonElement]} the command, and a button that copies it
 */
function copyable(command, label) {
  // Break lines only between words, not after the hyphens of a flag.
  const words = command.split(" ").flatMap((word) => [" ", make("span", {}, word)]);
  const copy = makeButton(phrase("copy"), () => setText(copy, phrase(copyText(command) ? "copied" : "copyFailed")));
  // A screen reader says which of several it copies.
  copy.ariaDescription = command;
  return [make("pre", { tabIndex: 0, ariaLabel: label, role: "group" }, ...words.slice(1)), copy];
}

/** A command, and its form for an installed package as long as no server has reported how it is started. */
export class CommandLine {
  element = make("div", { className: "command" });
  #command = "";
  #label;

  /** @param {string} label */
  constructor(label) {
    this.#label = label;
  }

  /** @param {string} command */
  show(command) {
    if (command === this.#command) return;
    this.#command = command;
    this.element.replaceChildren(...copyable(command, this.#label));
    if (!command.startsWith(PROGRAM)) return;
    const packaged = copyable(command.replace(PROGRAM, PACKAGE), this.#label);
    this.element.append(make("p", { className: "hint" }, phrase("commandFolder")), ...packaged);
  }
}
