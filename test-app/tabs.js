/** The list of the browser's tabs. Titles come from the pages and are displayed as text. */

import { make } from "../extension/ui/dom.js";

/**
 * @typedef {object} Tab
 * @property {number} id
 * @property {string} url
 * @property {string} title
 * @property {boolean} active
 * @property {true} [incognito]
 * @property {string} [browser] if several are connected
 */

/**
 * @param {unknown} structured result of browser_get_tabs
 * @returns {Tab[]}
 */
export function tabsOf(structured) {
  const { result } = /** @type {{result?: unknown}} */ (structured ?? {});
  return Array.isArray(result) ? result : [];
}

/**
 * @param {unknown} structured result of list_tabs
 * @returns {Set<number>}
 */
export function attachedIds(structured) {
  const { result } = /** @type {{result?: unknown}} */ (structured ?? {});
  return new Set(Array.isArray(result) ? result.map((tab) => tab.tab_id) : []);
}

/**
 * @param {Tab[]} tabs
 * @param {Record<string, unknown>} args of a tool; without a tab any tab may be meant
 * @returns {boolean} whether the call may concern an incognito tab
 */
export function isAboutPrivateTab(tabs, { tab_id, tabId, tab_ids }) {
  const named = [tab_id, tabId, tab_ids].flat().filter((id) => id !== null && id !== undefined);
  return tabs.some(({ id, incognito }) => incognito && (!named.length || named.includes(id)));
}

/**
 * @param {Tab} tab
 * @param {boolean} isAttached
 * @param {boolean} isChosen
 * @param {() => void} onChoose
 */
export function tabItem(tab, isAttached, isChosen, onChoose) {
  const radio = make("input", {
    type: "radio",
    name: "tab",
    value: String(tab.id),
    checked: isChosen,
    onchange: onChoose,
  });
  const marks = [tab.browser ?? "", tab.active ? "active" : "", isAttached ? "attached" : ""]
    .filter(Boolean)
    .join(", ");
  return make(
    "li",
    {},
    make(
      "label",
      { className: "tab" },
      radio,
      make(
        "span",
        {},
        make("b", {}, tab.title || tab.url),
        make("small", {}, tab.url),
        ...(marks ? [make("small", { className: "marks" }, marks)] : []),
      ),
    ),
  );
}
