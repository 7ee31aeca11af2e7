/**
 * The tab's console: live, filtered by level and text, limited to the chosen number of lines.
 *
 * @import {ConsoleBatch, ConsoleEntry, ViewedTab} from "../../shared/types.d.ts"
 */

import { phrase } from "../../shared/messages.js";
import { byId, grouped, make, setText, syncChildren } from "../dom.js";

const MOST_LINES = 10_000;
/** The levels shown for each chosen level. */
const SEVERITY = { debug: 0, log: 1, info: 1, warn: 2, error: 3 };
const TIME = new Intl.DateTimeFormat("en", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
  hourCycle: "h23",
});

const page = {
  view: byId("view-console", HTMLElement),
  list: byId("console-list", HTMLElement),
  filter: byId("console-filter", HTMLInputElement),
  limit: byId("console-limit", HTMLSelectElement),
  level: byId("console-level", HTMLSelectElement),
  count: byId("console-count", HTMLElement),
  state: byId("console-state", HTMLElement),
  clear: byId("console-clear", HTMLButtonElement),
  errorCount: byId("error-count", HTMLElement),
  tab: byId("tab-console", HTMLElement),
};

export class ConsoleView {
  /** @type {ConsoleEntry[]} oldest first */
  #entries = [];
  /** Number of entries before them. */
  #gone = 0;
  #isAttached = false;
  /** @type {WeakMap<ConsoleEntry, HTMLElement>} */
  #lines = new WeakMap();

  constructor() {
    for (const option of page.limit.options) setText(option, phrase("lines", grouped(Number(option.value))));
    for (const control of [page.filter, page.level, page.limit]) {
      control.addEventListener("input", () => this.#show());
    }
    page.view.addEventListener("shown", () => this.#show());
    page.clear.addEventListener("click", () => this.add({ type: "console", entries: [], isWhole: true, gone: 0 }));
  }

  /** @param {ConsoleBatch} batch */
  add({ entries, isWhole, gone }) {
    const all = isWhole ? entries : [...this.#entries, ...entries];
    this.#entries = all.slice(-MOST_LINES);
    this.#gone = (isWhole ? 0 : this.#gone) + gone + all.length - this.#entries.length;
    this.#show();
  }

  /** @param {ViewedTab | null} tab */
  setTab(tab) {
    this.#isAttached = tab?.attached ?? false;
    this.#showState();
  }

  #showState() {
    const detached = this.#entries.length ? phrase("consoleDetached") : phrase("consoleAttach");
    const empty = this.#entries.length ? "" : phrase("consoleEmpty");
    const missing = this.#gone ? phrase("consoleGone", grouped(this.#gone)) : empty;
    setText(page.state, this.#isAttached ? missing : detached);
  }

  #show() {
    const found = this.#entries.filter(isWanted());
    const shown = found.slice(-Number(page.limit.value));
    // A noisy page would keep the panel busy with lines that are not visible.
    if (!page.view.hidden) {
      const lines = shown.map((entry) => this.#lineOf(entry));
      syncChildren(page.list, lines);
    }
    const kept = this.#entries.length;
    setText(page.count, kept ? phrase("shownOf", grouped(shown.length), grouped(kept)) : "");
    const errors = this.#entries.filter(({ level }) => level === "error").length;
    setText(page.errorCount, errors ? grouped(errors) : "");
    page.tab.ariaLabel = errors
      ? phrase(errors === 1 ? "consoleOneError" : "consoleManyErrors", grouped(errors))
      : phrase("console");
    this.#showState();
  }

  /** @param {ConsoleEntry} entry */
  #lineOf(entry) {
    const line = this.#lines.get(entry) ?? lineElement(entry);
    this.#lines.set(entry, line);
    return line;
  }
}

/** @returns {(entry: ConsoleEntry) => boolean} */
function isWanted() {
  const text = page.filter.value.trim().toLowerCase();
  const least = SEVERITY[/** @type {ConsoleEntry["level"]} */ (page.level.value)];
  return ({ level, message }) => SEVERITY[level] >= least && (!text || message.toLowerCase().includes(text));
}

/** @param {ConsoleEntry} entry */
function lineElement({ timestamp, level, message }) {
  const line = make(
    "li",
    {},
    make("time", {}, TIME.format(new Date(timestamp))),
    make("span", { className: "level" }, level),
    make("span", { className: "message", dir: "auto" }, message),
  );
  line.dataset.level = level;
  return line;
}
