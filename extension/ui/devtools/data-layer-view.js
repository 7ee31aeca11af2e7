/**
 * The page's data layer, newest entry first, requested once a second while the view is visible.
 *
 * @import {DataLayer, ErrorCode, Response, ViewedTab} from "../../shared/types.d.ts"
 * @import {TreeEntry} from "./tree.js"
 * @import {WorkerPort} from "./worker-port.js"
 *
 * @typedef {object} Read
 * @property {number} index in the page's list
 * @property {string} json
 *
 * @typedef {TreeEntry & Read} Entry
 */

import { phrase } from "../../shared/messages.js";
import { byId, grouped, setText } from "../dom.js";
import { Polling } from "./polling.js";
import { sentenceFor } from "./reply.js";
import { ValueTree } from "./tree.js";

const MOST_ENTRIES = 10_000;
/** With this few matches, they are expanded. */
const MOST_OPENED = 20;

const page = {
  view: byId("view-data-layer", HTMLElement),
  name: byId("data-layer-name", HTMLInputElement),
  search: byId("data-layer-search", HTMLInputElement),
  count: byId("data-layer-count", HTMLElement),
  state: byId("data-layer-state", HTMLElement),
};

export class DataLayerView {
  /** @type {Entry[]} oldest first */
  #entries = [];
  #isAttached = false;
  #isMasked = true;
  /** Whether the entries may belong to another page or another name. */
  #isStale = true;
  /** @readonly */
  #polling;
  /** @readonly */
  #worker;
  /** @readonly */
  #tree = new ValueTree(byId("data-layer-tree", HTMLElement));

  /** @param {WorkerPort} worker */
  constructor(worker) {
    this.#worker = worker;
    this.#polling = new Polling(page.view, () => this.#poll());
    page.search.addEventListener("input", () => this.#show(true));
    page.name.addEventListener("change", () => this.#restart());
    chrome.tabs.onUpdated.addListener((tabId, { status }) => {
      // Both when a page begins to load and when it has loaded: a request in between may reach either page.
      if (tabId === worker.tabId && status) this.#isStale = true;
    });
  }

  /** @param {ViewedTab | null} tab */
  setTab(tab) {
    const isAttached = tab?.attached ?? false;
    if (!isAttached) setText(page.state, this.#advice());
    const isMasked = !tab?.showPrivate;
    if (isAttached === this.#isAttached && isMasked === this.#isMasked) return;
    this.#isAttached = isAttached;
    this.#isMasked = isMasked;
    this.#isStale = true;
    this.#polling.turn(isAttached);
  }

  #advice() {
    return this.#entries.length ? phrase("dataLayerDetached") : phrase("dataLayerAttach");
  }

  #restart() {
    this.#isStale = true;
    this.#entries = [];
    this.#show();
    this.#polling.now();
  }

  async #poll() {
    try {
      await this.#look();
    } catch {
      this.#isStale = true;
      setText(page.state, phrase("dataLayerTrouble"));
    }
  }

  async #look() {
    const isFresh = this.#isStale;
    this.#isStale = false;
    // Includes the last entry again: pages change it in place, and a value that is not a list has only one.
    const since = isFresh ? null : (this.#entries.at(-1)?.index ?? null);
    const name = nameOf();
    const response = await this.#worker.observe("getDataLayer", { name, since, redact: this.#isMasked });
    if (name === nameOf() && this.#isAttached) this.#take(response, isFresh);
  }

  /**
   * @param {Response} response
   * @param {boolean} isFresh
   */
  #take({ error, result }, isFresh) {
    // If a page cannot respond now, its entries remain valid.
    if (error) {
      this.#isStale = true;
      if (error.code === "DATALAYER_NOT_FOUND") this.#entries = [];
      setText(page.state, problemOf(error));
      page.state.title = error.message;
      return this.#show();
    }
    const { values, since, total, notes } = /** @type {DataLayer} */ (result);
    const last = this.#entries.at(-1);
    // A shorter list is a different list.
    if (!isFresh && last && total <= last.index) this.#isStale = true;
    const before = isFresh ? [] : this.#entries.filter(({ index }) => index < since);
    const now = values.map((value, offset) => this.#entryOf(since + offset, value));
    this.#entries = [...before, ...now].slice(-MOST_ENTRIES);
    const first = this.#entries[0]?.index ?? 0;
    const cut = first ? [phrase("dataLayerCut", grouped(first))] : [];
    setText(page.state, [...cut, ...notes].join(" "));
    page.state.title = "";
    this.#show();
  }

  /**
   * @param {number} index
   * @param {unknown} value
   * @returns {Entry} the existing entry if it is the same
   */
  #entryOf(index, value) {
    const json = JSON.stringify(value);
    const known = this.#entries[index - (this.#entries[0]?.index ?? 0)];
    if (known?.index === index && known.json === json) return known;
    return { index, key: String(index), json, title: titleOf(value), value };
  }

  /** @param {boolean} [isNewSearch] */
  #show(isNewSearch = false) {
    const wanted = page.search.value.trim().toLowerCase();
    const holds = (/** @type {string} */ json) => json.toLowerCase().includes(wanted);
    const found = wanted ? this.#entries.filter(({ json }) => holds(json)) : this.#entries;
    const isOpened = wanted !== "" && found.length <= MOST_OPENED;
    this.#tree.show(found.toReversed(), isNewSearch ? (value) => isOpened && holds(JSON.stringify(value)) : undefined);
    const all = this.#entries.length;
    setText(page.count, all ? phrase("shownOf", grouped(found.length), grouped(all)) : "");
  }
}

function nameOf() {
  return page.name.value.trim() || "dataLayer";
}

/**
 * @param {{code: ErrorCode, message: string}} error
 * @returns {string} in the user's language, with English details if the error has no phrase of its own
 */
function problemOf(error) {
  if (error.code === "DATALAYER_NOT_FOUND") return phrase("dataLayerMissing", nameOf());
  const sentence = sentenceFor(error);
  return sentence === error.message ? `${phrase("dataLayerTrouble")} ${sentence}` : sentence;
}

/**
 * @param {any} value
 * @returns {string} the entry's event, or the command that gtag() stored there
 */
function titleOf(value) {
  if (Array.isArray(value)) return value.slice(0, 2).filter(isText).join(" ");
  return isText(value?.event) ? value.event : "";
}

/** @param {unknown} value @returns {value is string} */
function isText(value) {
  return typeof value === "string";
}
