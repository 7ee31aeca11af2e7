/** A command for a terminal, with a button that copies it. @import {ServerCommands, Status} from "../shared/types.d.ts" */

import { phrase } from "../shared/messages.js";
import { copyText, make, makeButton, setText } from "./dom.js";

/** How the README starts the server, in its folder. Where that is, only a server can say, once it was connected. */
const PROGRAM = "uv run chrome_tab_mcp_server.py";
/** The same as an installed package. */
const PACKAGE = "chrome-tab-reader";

/**
 * @param {Status} status
 * @param {"setup" | "doctor" | "serve"} name
 * @returns {string} the server's own line; without a model it can only be set up
 */
export function commandOf({ commands }, name) {
  return commands[name] ?? (name === "doctor" ? `${PROGRAM} --doctor` : (commands.setup ?? `${PROGRAM} --setup`));
}

/**
 * @param {string} command
 * @param {string} label
 * @returns {[HTMLPreElement, HTMLButtonElement]} the command, and what copies it
 */
function copyable(command, label) {
  // A line breaks between words only, not after the hyphens of a flag.
  const words = command.split(" ").flatMap((word) => [" ", make("span", {}, word)]);
  const copy = makeButton(phrase("copy"), () => setText(copy, phrase(copyText(command) ? "copied" : "copyFailed")));
  return [make("pre", { tabIndex: 0, ariaLabel: label, role: "region" }, ...words.slice(1)), copy];
}

/** A command, and the same of an installed package while no server has said how it is started. */
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
