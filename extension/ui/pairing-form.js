/**
 * The form for the connection string, the same wherever the user can pair, with the command that prints it.
 *
 * @import {Status} from "../shared/types.d.ts"
 */

import { phrase } from "../shared/messages.js";
import { CommandLine, commandOf } from "./command-line.js";
import { make, setText } from "./dom.js";

export class PairingForm {
  /** @readonly */
  #form;
  /** @readonly */
  #command = new CommandLine(phrase("pairCommand"));
  /** @readonly */
  #problem = make("p", { id: "pairing-problem", className: "problem", role: "alert" });
  /** @readonly */
  field = make("input", {
    id: "connection-string",
    type: "text",
    placeholder: "vf://...",
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: false,
  });

  /**
   * @param {HTMLFormElement} form empty
   * @param {(connectionString: string) => void} onConnect
   */
  constructor(form, onConnect) {
    this.#form = form;
    this.field.setAttribute("aria-describedby", this.#problem.id);
    form.append(
      make("p", {}, phrase("pairAbout")),
      this.#command.element,
      make("label", { htmlFor: this.field.id }, phrase("connectionString")),
      this.field,
      this.#problem,
      make("button", { id: "connect", type: "submit", className: "primary" }, phrase("connect")),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#say("");
      onConnect(this.field.value);
    });
  }

  /**
   * @param {Status} status
   * @returns {boolean} whether pairing is possible, so that the form is shown
   */
  show(status) {
    const { state, failure } = status;
    this.#command.show(commandOf(status, "setup"));
    const isWanted = state === "setup" || failure === "wrong_key";
    this.#form.hidden = !isWanted;
    if (isWanted) return true;
    // The key is not shown again once it was accepted; a rejected string stays, so that it can be corrected.
    this.field.value = "";
    this.#say("");
    return false;
  }

  /** @param {string} reason why the string was rejected */
  refuse(reason) {
    this.#say(reason);
    this.field.select();
  }

  /** @param {string} reason */
  #say(reason) {
    setText(this.#problem, reason);
    this.field.ariaInvalid = String(reason !== "");
  }
}
