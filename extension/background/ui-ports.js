/**
 * The ports of our own open pages: the popup and the DevTools panel. Each page gets updates about the tab that it
 * watches; one that watches none, about the tab that the user last looked at.
 *
 * @import {Action, AnswerEvent, ConsoleEntry, HighlightRequest, PageMessage, PageRequest, RunRequest, View} from "../shared/types.d.ts"
 * @import {ChosenPreferences} from "./preferences.js"
 * @import {SidePanelChat} from "./side-panel-chat.js"
 */

import { dropOldest } from "../browser/debugger/console-log.js";
import { CommandError, StorageError } from "../shared/errors.js";
import { phrase } from "../shared/messages.js";

const CONSOLE_BATCH_MS = 100;

/**
 * @typedef {object} UiPage
 * @property {number | null} tabId the tab it watches
 * @property {ConsoleEntry[]} unsaid console entries since the last batch
 * @property {number} gone number of entries dropped from that batch
 * @property {AbortController} closed aborted when the page closes
 */

export class UiPorts {
  /** @type {Map<chrome.runtime.Port, UiPage>} */
  #pages = new Map();
  /** @readonly */
  #worker;

  /**
   * @param {object} worker
   * @param {(action: Action) => Promise<void>} worker.perform
   * @param {(request: RunRequest, signal: AbortSignal) => Promise<string>} worker.run returns the response as JSON;
   *   never throws
   * @param {(request: HighlightRequest) => Promise<void>} worker.highlight never throws
   * @param {SidePanelChat} worker.sidePanelChat
   * @param {ChosenPreferences} worker.preferences
   * @param {(tabId: number | null) => Promise<View>} worker.viewOf
   * @param {(tabId: number) => Promise<{entries: ConsoleEntry[], total: number}>} worker.consoleOf oldest first, and
   *   the total number
   */
  constructor(worker) {
    this.#worker = worker;
  }

  /** @param {chrome.runtime.Port} port of one of our own pages */
  add(port) {
    const page = { tabId: null, unsaid: [], gone: 0, closed: new AbortController() };
    this.#pages.set(port, page);
    port.onDisconnect.addListener(() => {
      this.#pages.delete(port);
      this.#worker.sidePanelChat.handleClose(port);
      page.closed.abort(pageClosed());
      if (page.tabId !== null) void this.#worker.highlight({ action: "highlight", tabId: page.tabId, selector: "" });
    });
    port.onMessage.addListener((request) => void this.#serve(port, page, request));
  }

  get isAnyOpen() {
    return this.#pages.size > 0;
  }

  /** @param {number} tabId */
  isWatched(tabId) {
    return this.#watchersOf(tabId).length > 0;
  }

  /** Sends every page the current state. */
  async show() {
    await Promise.all([...this.#pages.keys()].map((port) => this.#show(port)));
  }

  /**
   * Sent in batches: a page that logs in a loop would otherwise keep the browser busy.
   *
   * @param {number} tabId
   * @param {ConsoleEntry} entry
   */
  addConsoleEntry(tabId, entry) {
    for (const [port, page] of this.#watchersOf(tabId)) {
      const length = page.unsaid.push(entry);
      if (length === 1) setTimeout(() => this.#sendConsole(port), CONSOLE_BATCH_MS);
      dropOldest(page.unsaid);
      page.gone += length - page.unsaid.length;
    }
  }

  /**
   * Shows in every page a failure that nothing was waiting for.
   *
   * @param {StorageError} error
   */
  showFailure(error) {
    const message = phrase("storageFailed", error.reason);
    for (const port of this.#pages.keys()) this.#send(port, { type: "refused", action: "refresh", message });
  }

  /**
   * The tab's console was cleared, or must be sent again.
   *
   * @param {number} tabId
   */
  async restartConsole(tabId) {
    await Promise.all(this.#watchersOf(tabId).map(([port]) => this.#sendWholeConsole(port, tabId)));
  }

  /**
   * @param {chrome.runtime.Port} port
   * @param {UiPage} page
   * @param {PageRequest} request
   */
  async #serve(port, page, request) {
    const onEvent = (/** @type {AnswerEvent} */ event) => this.#send(port, event);
    switch (request.action) {
      case "prompt":
        return this.#worker.sidePanelChat.ask(request, port, onEvent);
      case "read_ahead":
        if (this.#worker.preferences.now.readAhead) this.#worker.sidePanelChat.readAhead(request, port);
        return;
      case "models":
        return this.#worker.sidePanelChat.nameModels(request.id, port, onEvent);
      case "stop_answer":
        return this.#worker.sidePanelChat.stop(request.id);
      case "clear_conversation":
        return this.#worker.sidePanelChat.clear(request.conversation, port);
      case "watch":
        Object.assign(page, { tabId: request.tabId, unsaid: [], gone: 0 });
        await this.#show(port);
        return this.#sendWholeConsole(port, request.tabId);
      case "highlight":
        return this.#worker.highlight(request);
      case "run":
        return this.#run(port, page, request);
      default:
        return this.#perform(port, request);
    }
  }

  /**
   * @param {chrome.runtime.Port} port
   * @param {Action} action
   */
  async #perform(port, action) {
    try {
      await this.#worker.perform(action);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      this.#send(port, { type: "refused", action: action.action, message: reasonOf(error, action) });
    }
  }

  /**
   * @param {chrome.runtime.Port} port
   * @param {UiPage} page
   * @param {RunRequest} request
   */
  async #run(port, { closed }, request) {
    const response = JSON.parse(await this.#worker.run(request, closed.signal));
    try {
      this.#send(port, response);
    } catch {
      // A port message can be at most 64 MiB.
      const message = "The answer is too large to show here. Ask for a part of it.";
      const error = { code: /** @type {const} */ ("UNREADABLE_PAGE"), message };
      this.#send(port, { id: request.id, type: "response", success: false, result: null, error });
    }
  }

  /** @param {chrome.runtime.Port} port */
  async #show(port) {
    this.#send(port, await this.#worker.viewOf(this.#pages.get(port)?.tabId ?? null));
  }

  /** @param {chrome.runtime.Port} port */
  #sendConsole(port) {
    const page = this.#pages.get(port);
    if (!page?.unsaid.length) return;
    this.#send(port, { type: "console", entries: page.unsaid, isWhole: false, gone: page.gone });
    Object.assign(page, { unsaid: [], gone: 0 });
  }

  /**
   * @param {chrome.runtime.Port} port
   * @param {number} tabId
   */
  async #sendWholeConsole(port, tabId) {
    const { entries, total } = await this.#worker.consoleOf(tabId);
    const page = this.#pages.get(port);
    if (page?.tabId !== tabId) return;
    // These entries include everything that is pending.
    Object.assign(page, { unsaid: [], gone: 0 });
    this.#send(port, { type: "console", entries, isWhole: true, gone: total - entries.length });
  }

  /**
   * @param {number} tabId
   * @returns {[chrome.runtime.Port, UiPage][]}
   */
  #watchersOf(tabId) {
    return [...this.#pages].filter(([, page]) => page.tabId === tabId);
  }

  /**
   * @param {chrome.runtime.Port} port
   * @param {PageMessage} message
   */
  #send(port, message) {
    // A page may close before its reply arrives.
    if (this.#pages.has(port)) port.postMessage(message);
  }
}

function pageClosed() {
  return new CommandError(
    "COMMAND_TIMEOUT",
    "The page of the extension that sent the command was closed. Open it again, and check the tab before you try again.",
  );
}

/**
 * @param {CommandError} error
 * @param {Action} action the one that failed
 */
function reasonOf(error, { action }) {
  if (error instanceof StorageError) return phrase("storageFailed", error.reason);
  // The error of attaching is written for an agent.
  return action === "attach" ? phrase("attachFailed") : error.message;
}
