/**
 * The line of the popup and of the welcome page to the worker: what it says, now and whenever that changes.
 *
 * @import {Action, Refusal, View} from "../shared/types.d.ts"
 */

export class ViewPort {
  /** @type {chrome.runtime.Port} */
  #port;
  /** @readonly */
  #handlers;

  /**
   * @param {object} handlers
   * @param {(view: View) => void} handlers.onView
   * @param {(refusal: Refusal) => void} handlers.onRefusal
   */
  constructor(handlers) {
    this.#handlers = handlers;
    this.#port = this.#open();
    const refresh = () => this.send({ action: "refresh" });
    // Such a page may stay open, as a tab of its own, while the person goes elsewhere.
    chrome.tabs.onActivated.addListener(refresh);
    chrome.windows.onFocusChanged.addListener(refresh);
    chrome.tabs.onUpdated.addListener((_tabId, change) => {
      if (change.url || change.title) refresh();
    });
  }

  /** @param {Action} action */
  send(action) {
    this.#port.postMessage(action);
  }

  #open() {
    const port = chrome.runtime.connect();
    port.onMessage.addListener((/** @type {View | Refusal} */ message) => {
      if (message.type === "view") this.#handlers.onView(message);
      else this.#handlers.onRefusal(message);
    });
    // The worker was stopped; opening another port starts it again.
    port.onDisconnect.addListener(() => (this.#port = this.#open()));
    port.postMessage({ action: "refresh" });
    return port;
  }
}
