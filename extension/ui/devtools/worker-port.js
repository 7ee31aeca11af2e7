/**
 * The panel's connection to the service worker. The worker may be stopped at any moment; opening another port starts it
 * again.
 *
 * @import {ConsoleBatch, PageMessage, PageRequest, Response, RunRequest, View} from "../../shared/types.d.ts"
 */

import { phrase } from "../../shared/messages.js";

export class WorkerPort {
  /** @type {chrome.runtime.Port | null} */
  #port = null;
  /** @type {Map<string, (response: Response) => void>} */
  #running = new Map();
  #lastId = 0;
  /** @readonly */
  #handlers;

  /**
   * @param {number} tabId the inspected tab
   * @param {object} handlers
   * @param {(view: View) => void} handlers.onView
   * @param {(batch: ConsoleBatch) => void} handlers.onConsole
   * @param {(message: string) => void} handlers.onProblem
   * @param {(message: string) => void} handlers.onRefusal why a connection string was rejected
   */
  constructor(tabId, handlers) {
    this.tabId = tabId;
    this.#handlers = handlers;
    this.#open();
  }

  /** @param {string} selector of the element to highlight in the page; empty for none */
  highlight(selector) {
    this.send({ action: "highlight", tabId: this.tabId, selector });
  }

  /**
   * @param {string} command
   * @param {Record<string, unknown>} params
   * @param {number} [tabId] if the command is about another tab
   * @returns {Promise<Response>} never rejects
   */
  run(command, params, tabId = this.tabId) {
    return this.#ask({ command, params, tabId, observe: false });
  }

  /**
   * Like `run`, for the panel's own requests: changes nothing in the tab and answers no dialogs.
   *
   * @param {string} command
   * @param {Record<string, unknown>} params
   * @returns {Promise<Response>} never rejects
   */
  observe(command, params) {
    return this.#ask({ command, params, tabId: this.tabId, observe: true });
  }

  /**
   * @param {Omit<RunRequest, "action" | "id">} request
   * @returns {Promise<Response>}
   */
  #ask(request) {
    const id = `panel-${(this.#lastId += 1)}`;
    return new Promise((resolve) => {
      this.#running.set(id, resolve);
      this.send({ action: "run", id, ...request });
    });
  }

  #open() {
    try {
      this.#port = chrome.runtime.connect();
    } catch {
      this.#port = null;
      this.#failAll(phrase("extensionGone"));
      return this.#handlers.onProblem(`${phrase("extensionGone")} ${phrase("openAgain")}`);
    }
    this.#port.onMessage.addListener((message) => this.#receive(message));
    this.#port.onDisconnect.addListener(() => {
      this.#failAll(phrase("workerStopped"));
      this.#open();
    });
    this.send({ action: "watch", tabId: this.tabId });
  }

  /** @param {PageRequest} request */
  send(request) {
    try {
      if (!this.#port) throw new Error("The extension has gone.");
      this.#port.postMessage(request);
    } catch {
      // A port that has just been closed throws; the close event follows a moment later.
      this.#failAll(phrase("extensionAway"));
    }
  }

  /** @param {PageMessage} message */
  #receive(message) {
    switch (message.type) {
      case "view":
        return this.#handlers.onView(message);
      case "console":
        return this.#handlers.onConsole(message);
      case "refused":
        if (message.action === "connect") return this.#handlers.onRefusal(message.message);
        return this.#handlers.onProblem(message.message);
      case "response":
        this.#running.get(message.id)?.(message);
        this.#running.delete(message.id);
    }
  }

  /** @param {string} message */
  #failAll(message) {
    const error = { code: /** @type {const} */ ("EXTENSION_NOT_CONNECTED"), message };
    for (const [id, resolve] of this.#running) {
      resolve({ id, type: "response", success: false, result: null, error });
    }
    this.#running.clear();
  }
}
