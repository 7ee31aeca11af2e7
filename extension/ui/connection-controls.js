/**
 * Status and actions of the connection, in the popup and on the options page: details, "Reconnect automatically",
 * Disconnect, and Unpair with its confirmation.
 *
 * @import {Action, Status} from "../shared/types.d.ts"
 */

import { language, phrase } from "../shared/messages.js";
import { advise } from "../shared/status.js";
import { make, makeButton, syncFacts } from "./dom.js";

export class ConnectionControls {
  autoReconnect = make("input", { id: "auto-reconnect", type: "checkbox" });
  disconnect = makeButton(phrase("disconnect"), () => this.#onAction({ action: "disconnect" }));
  forget = makeButton(phrase("unpairAsk"), () => this.#askToUnpair());
  /** @readonly */
  #facts = make("dl", { className: "facts" });
  /** @readonly */
  #dialog = make("dialog", { id: "unpair" });
  /** @readonly */
  #onAction;

  /**
   * @param {HTMLElement} host an empty element
   * @param {(action: Action) => void} onAction
   */
  constructor(host, onAction) {
    this.#onAction = onAction;
    this.disconnect.id = "disconnect";
    this.forget.id = "forget";
    this.forget.ariaHasPopup = "dialog";
    this.autoReconnect.addEventListener("change", () =>
      onAction({ action: "set_auto_reconnect", on: this.autoReconnect.checked }),
    );
    const row = make("label", { className: "switch" }, this.autoReconnect, make("span", {}, phrase("autoReconnect")));
    host.append(this.#facts, row, make("div", { className: "buttons" }, this.disconnect, this.forget));
    this.#buildDialog();
    document.body.append(this.#dialog);
  }

  /** @param {Status} status */
  show(status) {
    this.autoReconnect.checked = status.autoReconnect;
    this.disconnect.hidden = status.state !== "connected" && status.state !== "paired";
    syncFacts(this.#facts, factsOf(status));
  }

  #buildDialog() {
    const heading = make("h2", { id: "unpair-heading" }, phrase("unpairHeading"));
    const about = make("p", { id: "unpair-about" }, phrase("unpairAbout"));
    const keep = make("button", { value: "", autofocus: true }, phrase("keep"));
    const unpair = make("button", { id: "unpair-confirm", value: "unpair", className: "danger" }, phrase("unpair"));
    const buttons = make("div", { className: "buttons" }, keep, unpair);
    this.#dialog.append(make("form", { method: "dialog" }, heading, about, buttons));
    this.#dialog.setAttribute("aria-labelledby", heading.id);
    this.#dialog.setAttribute("aria-describedby", about.id);
    this.#dialog.addEventListener("close", () => {
      if (this.#dialog.returnValue === "unpair") this.#onAction({ action: "unpair" });
    });
  }

  #askToUnpair() {
    // Reset: a dialog that was closed with Escape keeps its old value.
    this.#dialog.returnValue = "";
    this.#dialog.showModal();
  }
}

/**
 * @param {Status} status
 * @returns {[string, string][]}
 */
function factsOf({ port, serverVersion, connectedAt, lastFailure }) {
  /** @type {[string, string][]} */
  const facts = [[phrase("factPort"), String(port ?? "")]];
  if (serverVersion) facts.push([phrase("factVersion"), serverVersion]);
  if (connectedAt) facts.push([phrase("factSince"), timeOf(connectedAt)]);
  if (lastFailure) facts.push([phrase("factLast", timeOf(lastFailure.at)), advise(lastFailure.reason, port)]);
  return facts;
}

/** @param {string} iso */
function timeOf(iso) {
  return new Date(iso).toLocaleTimeString(language(), { timeStyle: "short" });
}
