/**
 * A list of any length with as many elements as fit on the screen. Rows are one line each; the active one is chosen by
 * mouse or keyboard (ARIA's listbox pattern). While the end is in view, new items keep it there.
 *
 * @template T
 * @typedef {object} ListHandlers
 * @property {(item: T, row: HTMLElement) => void} fill puts an item into an empty row
 * @property {(item: T | null) => void} onActive
 */

import { make } from "../dom.js";

/** As in panel.css. */
const ROW_HEIGHT = 22;
const ROWS_BEYOND = 10;

/** @template T */
export class VirtualList {
  /** @type {T[]} */
  #items = [];
  /** @type {T | null} */
  #active = null;
  #sticksToEnd = true;
  /** @readonly */
  #root;
  /** @readonly */
  #rows = make("div", { className: "rows" });
  /** @readonly */
  #handlers;

  /**
   * @param {HTMLElement} root
   * @param {ListHandlers<T>} handlers
   */
  constructor(root, handlers) {
    this.#root = root;
    this.#handlers = handlers;
    root.role = "listbox";
    root.tabIndex = 0;
    this.#rows.role = "presentation";
    root.append(this.#rows);
    root.addEventListener("scroll", () => this.#scrolled());
    root.addEventListener("keydown", (event) => this.#pressed(event));
    // Not click: rows may move between press and release.
    root.addEventListener("pointerdown", (event) => this.#pointed(event));
    // Also when the list comes into view.
    new ResizeObserver(() => this.#resized()).observe(root);
  }

  /** @param {T[]} items in place of those before; items that stay are the same objects */
  setItems(items) {
    const anchor = this.#items[this.#firstVisible];
    const offset = this.#root.scrollTop % ROW_HEIGHT;
    this.#items = items;
    this.#rows.style.height = `${items.length * ROW_HEIGHT}px`;
    if (this.#active && !items.includes(this.#active)) this.#setActive(null);
    const anchorIndex = !this.#sticksToEnd && anchor ? items.indexOf(anchor) : -1;
    if (anchorIndex >= 0) this.#root.scrollTop = anchorIndex * ROW_HEIGHT + offset;
    this.#resized();
  }

  get #firstVisible() {
    return Math.floor(this.#root.scrollTop / ROW_HEIGHT);
  }

  get #isHidden() {
    return this.#root.clientHeight === 0;
  }

  #resized() {
    if (this.#isHidden) return;
    if (this.#sticksToEnd) this.#root.scrollTop = this.#root.scrollHeight;
    this.#render();
  }

  #scrolled() {
    if (this.#isHidden) return;
    const { scrollTop, clientHeight, scrollHeight } = this.#root;
    this.#sticksToEnd = scrollTop + clientHeight > scrollHeight - ROW_HEIGHT;
    this.#render();
  }

  #render() {
    const first = Math.max(0, this.#firstVisible - ROWS_BEYOND);
    const count = Math.ceil(this.#root.clientHeight / ROW_HEIGHT) + 2 * ROWS_BEYOND;
    const rows = this.#items.slice(first, first + count).map((item, index) => this.#row(item, first + index));
    this.#rows.replaceChildren(...rows);
    const active = rows.find((row) => row.ariaSelected === "true");
    if (active) this.#root.setAttribute("aria-activedescendant", active.id);
    else this.#root.removeAttribute("aria-activedescendant");
  }

  /**
   * @param {T} item
   * @param {number} index
   */
  #row(item, index) {
    const row = make("div", { className: "row", id: `${this.#root.id}-${index}`, role: "option" });
    row.classList.toggle("odd", index % 2 === 1);
    row.style.top = `${index * ROW_HEIGHT}px`;
    row.ariaSelected = String(item === this.#active);
    row.ariaSetSize = String(this.#items.length);
    row.ariaPosInSet = String(index + 1);
    this.#handlers.fill(item, row);
    return row;
  }

  /** @param {PointerEvent} event */
  #pointed(event) {
    const { top } = this.#rows.getBoundingClientRect();
    const item = this.#items[Math.floor((event.clientY - top) / ROW_HEIGHT)];
    const isOnScrollbar = event.offsetX > this.#root.clientWidth && event.target === this.#root;
    if (item && !isOnScrollbar) this.#choose(item);
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const last = this.#items.length - 1;
    const now = this.#active ? this.#items.indexOf(this.#active) : -1;
    const page = Math.max(1, Math.floor(this.#root.clientHeight / ROW_HEIGHT) - 1);
    /** @type {Record<string, number>} */
    const targets = {
      ArrowDown: now < 0 ? this.#firstVisible : now + 1,
      ArrowUp: now < 0 ? last : now - 1,
      PageDown: now + page,
      PageUp: now - page,
      Home: 0,
      End: last,
    };
    const target = targets[event.key];
    if (target === undefined || last < 0) return;
    event.preventDefault();
    const index = Math.min(last, Math.max(0, target));
    this.#choose(/** @type {T} */ (this.#items[index]));
    this.#scrollTo(index);
  }

  /** @param {T} item */
  #choose(item) {
    this.#setActive(item);
    this.#render();
  }

  /** @param {T | null} item */
  #setActive(item) {
    this.#active = item;
    this.#handlers.onActive(item);
  }

  /** @param {number} index */
  #scrollTo(index) {
    const top = index * ROW_HEIGHT;
    const { scrollTop, clientHeight } = this.#root;
    if (top < scrollTop) this.#root.scrollTop = top;
    else if (top + ROW_HEIGHT > scrollTop + clientHeight) this.#root.scrollTop = top + ROW_HEIGHT - clientHeight;
  }
}
