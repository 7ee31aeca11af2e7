/**
 * The page's data layer, asked for once a second while somebody looks at it.
 *
 * @import {DataLayer, Response, ViewedTab} from "../../shared/types.d.ts"
 * @import {WorkerPort} from "./worker-port.js"
 *
 * @typedef {object} Entry
 * @property {number} index in the page's list
 * @property {string} json
 * @property {string} event the entry's event, or the command that gtag() has put there
 * @property {string} folded what the search looks into
 */

import { byId, grouped, make, setText } from "../dom.js";
import { VirtualList } from "./virtual-list.js";

const POLL_MS = 1_000;
const MOST_ENTRIES = 10_000;
const ROW_LENGTH = 300;
const DETAIL_LENGTH = 100_000;

const page = {
  view: byId("view-data-layer", HTMLElement),
  list: byId("data-layer-list", HTMLElement),
  detail: byId("data-layer-detail", HTMLElement),
  name: byId("data-layer-name", HTMLInputElement),
  search: byId("data-layer-search", HTMLInputElement),
  count: byId("data-layer-count", HTMLElement),
  state: byId("data-layer-state", HTMLElement),
};

export class DataLayerView {
  /** @type {Entry[]} oldest first */
  #entries = [];
  #isAttached = false;
  /** Whether another page, or another name, may be behind the entries. */
  #isStale = true;
  #isPolling = false;
  #isOnScreen = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** @readonly */
  #worker;
  /** @readonly @type {VirtualList<Entry>} */
  #list;

  /** @param {WorkerPort} worker */
  constructor(worker) {
    this.#worker = worker;
    this.#list = new VirtualList(page.list, {
      fill: fillRow,
      onActive: (entry) => {
        page.detail.hidden = !entry;
        page.detail.textContent = entry && pretty(entry);
      },
    });
    page.search.addEventListener("input", () => this.#show());
    page.name.addEventListener("change", () => this.#restart());
    document.addEventListener("visibilitychange", () => this.#pollNow());
    chrome.tabs.onUpdated.addListener((tabId, { status }) => {
      // Both when a page begins to load and when it has: what is asked for in between may be either page.
      if (tabId === worker.tabId && status) this.#isStale = true;
    });
    // Also when DevTools shows another panel.
    new IntersectionObserver(([change]) => {
      this.#isOnScreen = change?.isIntersecting ?? false;
      this.#pollNow();
    }).observe(page.view);
  }

  /** @param {ViewedTab | null} tab */
  setTab(tab) {
    const isAttached = tab?.attached ?? false;
    if (!isAttached) setText(page.state, "Attach this tab to see its data layer.");
    if (isAttached === this.#isAttached) return;
    this.#isAttached = isAttached;
    this.#isStale = true;
    this.#pollNow();
  }

  get #isWanted() {
    return this.#isAttached && this.#isOnScreen && !document.hidden;
  }

  #restart() {
    this.#isStale = true;
    this.#entries = [];
    this.#show();
    this.#pollNow();
  }

  #pollNow() {
    clearTimeout(this.#timer);
    if (this.#isWanted && !this.#isPolling) void this.#poll();
  }

  async #poll() {
    this.#isPolling = true;
    const isFresh = this.#isStale;
    this.#isStale = false;
    // The last entry again: pages change it in place, and what is no list has only one.
    const since = isFresh ? null : (this.#entries.at(-1)?.index ?? null);
    const name = nameOf();
    const response = await this.#worker.run("getDataLayer", { name, since });
    this.#isPolling = false;
    if (name === nameOf()) this.#take(response, isFresh);
    if (this.#isWanted) this.#timer = setTimeout(() => this.#pollNow(), POLL_MS);
  }

  /**
   * @param {Response} response
   * @param {boolean} isFresh
   */
  #take({ error, result }, isFresh) {
    // The entries of a page that cannot answer now are still what it had.
    if (error) {
      this.#isStale = true;
      if (error.code === "DATALAYER_NOT_FOUND") this.#entries = [];
      setText(page.state, `${error.code}: ${error.message}`);
      return this.#show();
    }
    const { values, since, total, notes } = /** @type {DataLayer} */ (result);
    const last = this.#entries.at(-1);
    // A shorter list is another list.
    if (!isFresh && last && total <= last.index) this.#isStale = true;
    const before = isFresh ? [] : this.#entries.filter(({ index }) => index < since);
    const now = values.map((value, offset) => this.#entryOf(since + offset, value));
    this.#entries = [...before, ...now].slice(-MOST_ENTRIES);
    const cut = this.#entries[0]?.index ? [`Entries before ${this.#entries[0].index} are not shown.`] : [];
    setText(page.state, [...cut, ...notes].join(" "));
    this.#show();
  }

  /**
   * @param {number} index
   * @param {unknown} value
   * @returns {Entry} the one that is there already, when it is the same
   */
  #entryOf(index, value) {
    const json = JSON.stringify(value);
    const known = this.#entries[index - (this.#entries[0]?.index ?? 0)];
    if (known?.index === index && known.json === json) return known;
    return { index, json, event: eventOf(value), folded: json.toLowerCase() };
  }

  #show() {
    const wanted = page.search.value.trim().toLowerCase();
    const shown = wanted ? this.#entries.filter(({ folded }) => folded.includes(wanted)) : this.#entries;
    this.#list.setItems(shown);
    const all = this.#entries.length;
    setText(page.count, all ? `${grouped(shown.length)} of ${grouped(all)} entries` : "No entries yet");
  }
}

function nameOf() {
  return page.name.value.trim() || "dataLayer";
}

/**
 * @param {Entry} entry
 * @param {HTMLElement} row
 */
function fillRow({ index, json, event }, row) {
  row.append(
    make("span", { className: "muted" }, String(index)),
    make("span", { className: "event" }, event),
    make("span", { className: "message" }, json.slice(0, ROW_LENGTH)),
  );
}

/** @param {any} value */
function eventOf(value) {
  if (Array.isArray(value)) return value.slice(0, 2).filter(isText).join(" ");
  return isText(value?.event) ? value.event : "";
}

/** @param {unknown} value @returns {value is string} */
function isText(value) {
  return typeof value === "string";
}

/** @param {Entry} entry */
function pretty({ json }) {
  const text = JSON.stringify(JSON.parse(json), null, 2);
  if (text.length <= DETAIL_LENGTH) return text;
  return `${text.slice(0, DETAIL_LENGTH)}\n... (the first ${grouped(DETAIL_LENGTH)} of ${grouped(text.length)} characters)`;
}
