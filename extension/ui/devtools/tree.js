/**
 * A JSON value as a tree, following ARIA's tree pattern: one Tab stop; arrow keys, Home and End move between items, and
 * arrow keys open and close them, as do Enter and Space; Ctrl+C copies the item's value. Closed items have no elements,
 * and long lists and objects have only a limited number.
 *
 * @typedef {object} TreeEntry
 * @property {string} key stable for as long as it is the same entry
 * @property {string} title shown next to the key, to identify the entry
 * @property {unknown} value
 *
 * @typedef {object} Item the data behind an element of the tree
 * @property {string} path
 * @property {unknown} value
 * @property {() => void} [onOpen] instead of opening: shows more of a list
 */

import { phrase } from "../../shared/messages.js";
import { grouped, make, syncChildren } from "../dom.js";

/** Number of entries, and of members of each object and list, that are shown until the user asks for more. */
const AT_ONCE = 200;
const PREVIEW_LENGTH = 300;

export class ValueTree {
  /** @type {TreeEntry[]} */
  #entries = [];
  /** @type {WeakMap<TreeEntry, HTMLElement>} */
  #elements = new WeakMap();
  /** @type {WeakMap<Element, Item>} */
  #items = new WeakMap();
  /** @type {Map<string, boolean>} what the user has opened and closed, by path */
  #opened = new Map();
  /** @type {(value: unknown) => boolean} whether a value is open by default */
  #isWide = () => false;
  #shown = AT_ONCE;
  /** @type {HTMLElement | null} the current Tab stop */
  #current = null;
  /** @readonly */
  #root;

  /** @param {HTMLElement} root */
  constructor(root) {
    this.#root = root;
    root.role = "tree";
    root.addEventListener("click", (event) => this.#clicked(event));
    root.addEventListener("keydown", (event) => this.#pressed(event));
    root.addEventListener("copy", (event) => this.#copy(event));
  }

  /**
   * @param {TreeEntry[]} entries an unchanged entry is the same object, and keeps its element
   * @param {(value: unknown) => boolean} [isWide] whether a value is open by default
   */
  show(entries, isWide) {
    if (isWide) {
      this.#isWide = isWide;
      this.#elements = new WeakMap();
    }
    this.#entries = entries;
    const focused = this.#items.get(document.activeElement ?? this.#root)?.path;
    syncChildren(this.#root, this.#rootElements());
    if (!this.#current?.isConnected) this.#setCurrent(this.#all().find((each) => this.#pathOf(each) === focused));
    if (focused !== undefined) this.#current?.focus();
  }

  #rootElements() {
    const shown = this.#entries.slice(0, this.#shown).map((entry) => this.#elementOf(entry));
    const left = this.#entries.length - shown.length;
    if (left <= 0) return shown;
    const showMore = () => {
      this.#shown += AT_ONCE;
      this.show(this.#entries);
    };
    return [...shown, this.#moreItem("", left, showMore)];
  }

  /** @param {TreeEntry} entry */
  #elementOf(entry) {
    const known = this.#elements.get(entry);
    if (known) return known;
    const { key, title, value } = entry;
    const head = [
      make("span", { className: "muted" }, key),
      ...(title ? [make("strong", { dir: "auto" }, title)] : []),
      valueElement(value),
    ];
    const element = this.#treeItem({ path: key, value }, head);
    this.#elements.set(entry, element);
    return element;
  }

  /**
   * @param {Item} item
   * @param {HTMLElement[]} head
   */
  #treeItem(item, head) {
    const element = make("li", { role: "treeitem", tabIndex: -1 }, make("div", { className: "node" }, ...head));
    // Its accessible name is its own line, not its whole content.
    element.ariaLabel = head.map(({ textContent }) => textContent).join(" ");
    this.#items.set(element, item);
    if (hasMembers(item.value)) this.#setOpen(element, this.#opened.get(item.path) ?? this.#isWide(item.value));
    return element;
  }

  /**
   * @param {string} path of the list or object
   * @param {number} left
   * @param {() => void} onOpen
   */
  #moreItem(path, left, onOpen) {
    const text = make("span", { className: "muted" }, phrase("treeMore", grouped(left)));
    return this.#treeItem({ path: `${path}\n`, value: undefined, onOpen }, [text]);
  }

  /**
   * @param {HTMLElement} element of an object or list
   * @param {boolean} isOpen
   */
  #setOpen(element, isOpen) {
    const { path, value } = this.#itemOf(element);
    element.ariaExpanded = String(isOpen);
    element.querySelector("[role=group]")?.remove();
    if (!isOpen) return;
    const group = make("ul", { role: "group" });
    element.append(group);
    this.#fill(group, path, Object.entries(/** @type {object} */ (value)));
  }

  /**
   * @param {HTMLElement} group
   * @param {string} path
   * @param {[string, unknown][]} members
   */
  #fill(group, path, members) {
    const now = members.slice(0, AT_ONCE);
    group.append(...now.map(([key, value]) => this.#member(`${path}\n${key}`, key, value)));
    const later = members.slice(AT_ONCE);
    if (!later.length) return;
    const more = this.#moreItem(path, later.length, () => {
      const last = more.previousElementSibling;
      more.remove();
      this.#fill(group, path, later);
      this.#setCurrent(/** @type {HTMLElement} */ (last?.nextElementSibling), true);
    });
    group.append(more);
  }

  /**
   * @param {string} path
   * @param {string} key
   * @param {unknown} value
   */
  #member(path, key, value) {
    return this.#treeItem({ path, value }, [
      make("span", { className: "key", dir: "auto" }, `${key}:`),
      valueElement(value),
    ]);
  }

  // --- User actions

  /** @param {MouseEvent} event */
  #clicked({ target }) {
    const element = target instanceof Element ? target.closest("[role=treeitem]") : null;
    if (!(element instanceof HTMLElement)) return;
    this.#setCurrent(element, true);
    // A user who has just selected text wants to keep the selection.
    if (getSelection()?.isCollapsed !== false) this.#toggle(element);
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    const current = this.#current;
    if (!current || event.altKey || event.ctrlKey || event.metaKey) return;
    const all = this.#all();
    const index = all.indexOf(current);
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowDown: () => this.#setCurrent(all[index + 1], true),
      ArrowUp: () => this.#setCurrent(all[index - 1], true),
      Home: () => this.#setCurrent(all[0], true),
      End: () => this.#setCurrent(all.at(-1), true),
      ArrowRight: () => (current.ariaExpanded === "true" ? keys.ArrowDown?.() : this.#toggle(current)),
      ArrowLeft: () => (current.ariaExpanded === "true" ? this.#toggle(current) : this.#goOut(current)),
      Enter: () => this.#toggle(current),
      " ": () => this.#toggle(current),
    };
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  /** @param {HTMLElement} element */
  #goOut(element) {
    const parent = element.parentElement?.closest("[role=treeitem]");
    if (parent instanceof HTMLElement) this.#setCurrent(parent, true);
  }

  /** @param {HTMLElement} element */
  #toggle(element) {
    const { path, onOpen } = this.#itemOf(element);
    if (onOpen) return onOpen();
    if (element.ariaExpanded === null) return;
    const isOpen = element.ariaExpanded !== "true";
    this.#opened.set(path, isOpen);
    this.#setOpen(element, isOpen);
  }

  /** @param {ClipboardEvent} event */
  #copy(event) {
    if (!this.#current || getSelection()?.isCollapsed === false) return;
    event.preventDefault();
    event.clipboardData?.setData("text/plain", JSON.stringify(this.#itemOf(this.#current).value, null, 2) ?? "");
  }

  /**
   * @param {HTMLElement | undefined} wanted the first item if it is missing
   * @param {boolean} [takesFocus]
   */
  #setCurrent(wanted, takesFocus = false) {
    const element = wanted ?? (takesFocus ? this.#current : this.#all()[0]);
    if (this.#current) this.#current.tabIndex = -1;
    this.#current = element ?? null;
    if (!element) return;
    element.tabIndex = 0;
    if (takesFocus) element.focus();
  }

  /** @returns {HTMLElement[]} in display order */
  #all() {
    return [...this.#root.querySelectorAll("[role=treeitem]")].filter((each) => each instanceof HTMLElement);
  }

  /** @param {Element} element */
  #pathOf(element) {
    return this.#items.get(element)?.path;
  }

  /** @param {Element} element */
  #itemOf(element) {
    return /** @type {Item} */ (this.#items.get(element));
  }
}

/** @param {unknown} value @returns {value is object} */
function hasMembers(value) {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

/** @param {unknown} value */
function valueElement(value) {
  if (typeof value === "object" && value !== null) return make("span", { dir: "auto" }, preview(value));
  return make("span", { className: value === null ? "null" : typeof value, dir: "auto" }, JSON.stringify(value));
}

/** @param {object} value */
function preview(value) {
  const isList = Array.isArray(value);
  const parts = [];
  let length = 0;
  for (const [key, member] of Object.entries(value)) {
    const part = isList ? brief(member) : `${key}: ${brief(member)}`;
    length += part.length;
    if (length > PREVIEW_LENGTH) {
      parts.push("...");
      break;
    }
    parts.push(part);
  }
  return isList ? `[${parts.join(", ")}]` : `{${parts.join(", ")}}`;
}

/** @param {unknown} value */
function brief(value) {
  if (Array.isArray(value)) return `Array(${value.length})`;
  if (typeof value === "object" && value !== null) return "{...}";
  return JSON.stringify(value).slice(0, PREVIEW_LENGTH);
}
