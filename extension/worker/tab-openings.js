import { urlOf } from "./tabs.js";

/** The tabs that a tab opens while this listens. */
export class TabOpenings {
  /** @type {number[]} */
  #opened = [];
  /** @readonly */
  #onCreated;

  /** @param {number} tabId */
  constructor(tabId) {
    this.#onCreated = (/** @type {chrome.tabs.Tab} */ { id, openerTabId }) =>
      void (openerTabId === tabId && id !== undefined && this.#opened.push(id));
    chrome.tabs.onCreated.addListener(this.#onCreated);
  }

  stop() {
    chrome.tabs.onCreated.removeListener(this.#onCreated);
  }

  async notes() {
    const tabs = await Promise.all(this.#opened.map((tabId) => chrome.tabs.get(tabId).catch(() => null)));
    return tabs.flatMap((tab) => {
      const url = tab && urlOf(tab) ? ` at ${JSON.stringify(urlOf(tab).toWellFormed().slice(0, 200))}` : "";
      return tab ? [`It opened tab ${tab.id}${url}, which is not attached.`] : [];
    });
  }
}
