/**
 * Waits for a requested page. The watch starts before the navigation, because events of a new tab may be reported
 * before the tab's id.
 */

import { CommandError } from "../shared/errors.js";

/** Chrome's errors for a navigation that ends without a page: a download, no content, or a later navigation. */
export const NO_PAGE = "net::ERR_ABORTED";
/** Chrome's error while it asks the user for a name and a password. */
const SIGN_IN = "net::ERR_INVALID_AUTH_CREDENTIALS";

export class PageLoadWatch {
  /** @type {Map<number, Set<string>>} URLs that each tab has begun to load since the watch began */
  #begun = new Map();
  /** @readonly */
  #leftUrls;
  /** @type {Set<number>} tabs that have received a page since then */
  #committed = new Set();
  /** @type {Map<number, PromiseWithResolvers<void>>} */
  #loads = new Map();
  /** @readonly @type {[chrome.events.Event<any>, (...args: any[]) => void][]} */
  #listeners;

  /** @param {(string | undefined)[]} leftUrls of the pages being left: their end may be reported only now */
  constructor(leftUrls = []) {
    this.#leftUrls = new Set(leftUrls);
    const { webNavigation, tabs } = chrome;
    this.#listeners = [
      [webNavigation.onBeforeNavigate, this.#onBeforeNavigate],
      [webNavigation.onCommitted, this.#onCommitted],
      [webNavigation.onReferenceFragmentUpdated, this.#onMovedInPage],
      [webNavigation.onHistoryStateUpdated, this.#onMovedInPage],
      [webNavigation.onErrorOccurred, this.#onErrorOccurred],
      [tabs.onUpdated, this.#onUpdated],
      [tabs.onRemoved, this.#onRemoved],
    ];
    for (const [event, listener] of this.#listeners) event.addListener(listener);
  }

  stop() {
    for (const [event, listener] of this.#listeners) event.removeListener(listener);
  }

  /**
   * Resolves when the page of the tab has loaded.
   *
   * @param {number} tabId
   * @param {AbortSignal} signal
   * @throws {CommandError} NAVIGATION_FAILED, TAB_DISCONNECTED, and the reason of the signal
   */
  async loaded(tabId, signal) {
    const { promise, reject } = this.#load(tabId);
    signal.addEventListener("abort", () => reject(signal.reason));
    signal.throwIfAborted();
    await promise;
  }

  /** @param {number} tabId */
  hasPage(tabId) {
    return this.#committed.has(tabId);
  }

  /** @param {number} tabId */
  #load(tabId) {
    const load = this.#loads.get(tabId) ?? /** @type {PromiseWithResolvers<void>} */ (Promise.withResolvers());
    this.#loads.set(tabId, load);
    // Other tabs load too, and are ignored.
    load.promise.catch(() => {});
    return load;
  }

  #onBeforeNavigate = (/** @type {{tabId: number, frameId: number, url: string}} */ { tabId, frameId, url }) => {
    if (frameId === 0) this.#begun.set(tabId, (this.#begun.get(tabId) ?? new Set()).add(url));
  };

  #onCommitted = (/** @type {{tabId: number, frameId: number}} */ { tabId, frameId }) => {
    if (frameId === 0) this.#committed.add(tabId);
  };

  /** Navigation within the same document: nothing loads, unless the page does this while it is left. */
  #onMovedInPage = async (/** @type {{tabId: number, frameId: number}} */ { tabId, frameId }) => {
    if (frameId !== 0) return;
    const tab = await chrome.tabs.get(tabId).catch(() => null);
    // A page that is still loading may do this too; its end is yet to come.
    if (tab && !tab.pendingUrl && !this.#committed.has(tabId)) this.#load(tabId).resolve();
  };

  #onErrorOccurred = (/** @type {chrome.webNavigation.WebNavigationFramedErrorCallbackDetails} */ details) => {
    const { tabId, frameId, error, url } = details;
    const begun = this.#begun.get(tabId);
    if (frameId !== 0 || !begun) return;
    if (this.#leftUrls.has(url) && !begun.has(url)) return;
    // The current page may start a download.
    if (error === NO_PAGE && this.#committed.has(tabId)) return;
    this.#load(tabId).reject(new CommandError("NAVIGATION_FAILED", loadFailure(error)));
  };

  #onUpdated = (/** @type {number} */ tabId, /** @type {{status?: string}} */ { status }) => {
    if (status === "complete" && this.#committed.has(tabId)) this.#load(tabId).resolve();
  };

  #onRemoved = (/** @type {number} */ tabId) => {
    const sentence = "The tab was closed while its page was loading. List the tabs with browser_get_tabs.";
    this.#load(tabId).reject(new CommandError("TAB_DISCONNECTED", sentence));
  };
}

/**
 * @param {string} error for example net::ERR_NAME_NOT_RESOLVED
 * @returns {string} a sentence
 */
export function loadFailure(error) {
  if (error === NO_PAGE) {
    return (
      `The address did not open a page (${error}); it may be a download, or the page navigated elsewhere at the same ` +
      "time. Check where the tab is, and use the address of a page."
    );
  }
  if (error === SIGN_IN) {
    return "The server asks for a user name and a password. Ask the user to sign in at this address, then try again.";
  }
  return `The page could not be loaded (${error}). Check the address and the network, then try again.`;
}
