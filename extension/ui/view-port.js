/**
 * The connection of the popup, the welcome page and the side panel to the worker: its view, now and whenever that
 * changes.
 *
 * @import {AnswerEvent, PageMessage, PageRequest, Refusal, Response, View} from "../shared/types.d.ts"
 */

/** A worker replies within milliseconds, or within a second if it must start first. */
const PATIENCE_MS = 3_000;

export class ViewPort {
  /** @type {chrome.runtime.Port} */
  #port;
  /** @readonly */
  #handlers;

  /**
   * @param {object} handlers
   * @param {(view: View) => void} handlers.onView
   * @param {(refusal: Refusal) => void} handlers.onRefusal
   * @param {(event: AnswerEvent) => void} [handlers.onAnswer]
   * @param {(response: Response) => void} [handlers.onResponse] to a command that this page ran
   * @param {() => void} [handlers.onSilence] the worker has not answered for 3 s, and is asked again
   * @param {() => void} [handlers.onClose] the worker has stopped or does not answer: this page's requests are lost
   */
  constructor(handlers) {
    this.#handlers = handlers;
    this.#port = this.#open();
    const refresh = () => this.send({ action: "refresh" });
    // The page may stay open in a tab of its own while the user goes elsewhere.
    chrome.tabs.onActivated.addListener(refresh);
    chrome.windows.onFocusChanged.addListener(refresh);
    chrome.tabs.onUpdated.addListener((_tabId, change) => {
      if (change.url || change.title || change.status === "complete") refresh();
    });
  }

  /** @param {PageRequest} request */
  send(request) {
    this.#port.postMessage(request);
  }

  #open() {
    const port = chrome.runtime.connect();
    // A hanging worker would leave the page without any message.
    const silence = setTimeout(() => {
      port.disconnect();
      this.#handlers.onClose?.();
      this.#handlers.onSilence?.();
      this.#port = this.#open();
    }, PATIENCE_MS);
    port.onMessage.addListener((/** @type {PageMessage} */ message) => {
      clearTimeout(silence);
      if (message.type === "view") this.#handlers.onView(message);
      else if (message.type === "refused") this.#handlers.onRefusal(message);
      else if (message.type === "event") this.#handlers.onAnswer?.(message);
      else if (message.type === "response") this.#handlers.onResponse?.(message);
    });
    port.onDisconnect.addListener(() => {
      clearTimeout(silence);
      this.#handlers.onClose?.();
      // The worker was stopped; opening another port starts it again.
      this.#port = this.#open();
    });
    port.postMessage({ action: "refresh" });
    return port;
  }
}
