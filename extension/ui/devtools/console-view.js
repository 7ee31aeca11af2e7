/**
 * The tab's console: live, filtered by level and text, no longer than the chosen number of lines.
 *
 * @import {ConsoleBatch, ConsoleEntry} from "../../shared/types.d.ts"
 */

import { byId, grouped, make, setText } from "../dom.js";
import { VirtualList } from "./virtual-list.js";

const MOST_LINES = 10_000;
const ROW_LENGTH = 300;
const TIME = new Intl.DateTimeFormat("en", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
  hourCycle: "h23",
});

const page = {
  list: byId("console-list", HTMLElement),
  detail: byId("console-detail", HTMLElement),
  filter: byId("console-filter", HTMLInputElement),
  limit: byId("console-limit", HTMLInputElement),
  levels: byId("console-levels", HTMLElement),
  count: byId("console-count", HTMLElement),
  clear: byId("console-clear", HTMLButtonElement),
  tab: byId("console-tab-count", HTMLElement),
};

export class ConsoleView {
  /** @type {ConsoleEntry[]} oldest first */
  #entries = [];
  /** @type {WeakMap<ConsoleEntry, string>} what the filter looks into */
  #folded = new WeakMap();
  /** @readonly @type {VirtualList<ConsoleEntry>} */
  #list;

  constructor() {
    this.#list = new VirtualList(page.list, {
      fill: fillRow,
      onActive: (entry) => {
        page.detail.hidden = !entry;
        page.detail.textContent = entry && `${entry.timestamp}  ${entry.level}\n${entry.message}`;
      },
    });
    for (const control of [page.filter, page.levels, page.limit]) {
      control.addEventListener("input", () => this.#show());
    }
    page.clear.addEventListener("click", () => this.add({ type: "console", entries: [], isWhole: true }));
  }

  /** @param {ConsoleBatch} batch */
  add({ entries, isWhole }) {
    this.#entries = (isWhole ? entries : [...this.#entries, ...entries]).slice(-MOST_LINES);
    this.#show();
  }

  #show() {
    const isShown = this.#filter();
    const found = this.#entries.filter(isShown);
    const shown = found.slice(-lineLimit());
    this.#list.setItems(shown);
    const kept = this.#entries.length;
    setText(page.count, kept ? `${grouped(shown.length)} of ${grouped(kept)} lines` : "No lines yet");
    const errors = this.#entries.filter(({ level }) => level === "error").length;
    setText(page.tab, errors ? `${grouped(errors)} ${errors === 1 ? "error" : "errors"}` : "");
  }

  /** @returns {(entry: ConsoleEntry) => boolean} */
  #filter() {
    const wanted = fold(page.filter.value.trim());
    const boxes = [...page.levels.querySelectorAll("input")];
    const levels = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
    return (entry) => levels.has(entry.level) && (!wanted || this.#foldedOf(entry).includes(wanted));
  }

  /** @param {ConsoleEntry} entry */
  #foldedOf(entry) {
    const known = this.#folded.get(entry);
    if (known !== undefined) return known;
    const folded = fold(entry.message);
    this.#folded.set(entry, folded);
    return folded;
  }
}

function lineLimit() {
  const limit = Math.round(page.limit.valueAsNumber);
  return limit >= 1 ? Math.min(limit, MOST_LINES) : MOST_LINES;
}

/**
 * @param {ConsoleEntry} entry
 * @param {HTMLElement} row
 */
function fillRow({ timestamp, level, message }, row) {
  row.dataset.level = level;
  row.append(
    make("span", { className: "muted" }, TIME.format(new Date(timestamp))),
    make("span", { className: "level" }, level),
    make("span", { className: "message" }, message.slice(0, ROW_LENGTH)),
  );
}

/** @param {string} text */
function fold(text) {
  return text.toLowerCase();
}
