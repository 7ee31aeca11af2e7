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
/** Placeholder for the package's command, at which the text is split. */
const MARK = "\uE000";

/**
 * @param {Status} status
 * @param {"setup" | "doctor" | "serve"} name
 * @returns {string} the server's own command; without a model, only setup is available
 */
export function commandOf({ commands }, name) {
  return commands[name] ?? (name === "doctor" ? `${PROGRAM} --doctor` : (commands.setup ?? `${PROGRAM} --setup`));
}

export class CommandLine {
  /** @readonly */
  #code;
  /** @readonly */
  #copy = makeButton(phrase("copy"), () =>
    setText(this.#copy, phrase(copyText(this.#command) ? "copied" : "copyFailed")),
  );
  /** @readonly */
  #where = make("p", { className: "hint", hidden: true });
  #command = "";

  /** @param {string} label */
  constructor(label) {
    this.#code = make("pre", { tabIndex: 0, ariaLabel: label, role: "region" });
    this.element = make("div", { className: "command" }, this.#code, this.#where, this.#copy);
  }

  /** @param {string} command */
  show(command) {
    if (command === this.#command) return;
    this.#command = command;
    // Break lines only between words, not after the hyphens of a flag.
    const words = command.split(" ").flatMap((word) => [" ", make("span", {}, word)]);
    this.#code.replaceChildren(...words.slice(1));
    setText(this.#copy, phrase("copy"));
    this.#where.hidden = !command.startsWith(PROGRAM);
    const [before = "", after = ""] = phrase("commandFolder", MARK).split(MARK);
    this.#where.replaceChildren(before, make("code", {}, command.replace(PROGRAM, PACKAGE)), after);
  }
}
