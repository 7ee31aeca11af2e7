/**
 * Which tab a command means, and whether its page may be read.
 *
 * @import {PageAddress, TabWithId} from "../shared/types.d.ts"
 */

import { SHOPS } from "../shared/capabilities.js";
import { CommandError } from "../shared/errors.js";
import { phrase } from "../shared/messages.js";

/** Windows that show pages; sign-in and payment pages often open as popups, and sites that are installed as apps. */
const WINDOW_TYPES = /** @type {const} */ (["normal", "popup", "app"]);
const READABLE_SCHEMES = new Set(["http:", "https:", "file:"]);

/**
 * @param {number} tabId
 * @returns {Promise<TabWithId>}
 * @throws {CommandError} TAB_NOT_FOUND
 */
export async function tabById(tabId) {
  try {
    return withId(await chrome.tabs.get(tabId));
  } catch {
    throw new CommandError("TAB_NOT_FOUND", `There is no tab ${tabId}. List the open tabs with browser_get_tabs.`);
  }
}

/**
 * Returns the tab that the user last looked at: the active tab of the last focused window, even if another program has
 * the focus. Our own pages do not count: if the popup is open as a tab, the tab before it is meant.
 *
 * @returns {Promise<TabWithId>}
 * @throws {CommandError} TAB_NOT_FOUND
 */
export async function viewedTab() {
  // This nearly always succeeds; querying every tab of a user with hundreds takes longer than reading the page.
  const [seen] = await chrome.tabs.query({ active: true, lastFocusedWindow: true, windowType: "normal" });
  if (seen && !isOwnPage(seen)) return withId(seen);
  const [normal, others, window] = await Promise.all([
    webTabs(["normal"]),
    webTabs(["popup", "app"]),
    lastFocusedWindow(),
  ]);
  // A popup window without a page is not what the user reads.
  const tabs = [...normal, ...others.filter((tab) => !obstacleOf(tab))];
  const active = tabs.find((tab) => tab.active && tab.windowId === window?.id);
  if (active) return active;
  const [latest] = tabs.sort((a, b) => (b.lastAccessed ?? 0) - (a.lastAccessed ?? 0));
  if (!latest) throw new CommandError("TAB_NOT_FOUND", "No page is open in the browser. Open one and try again.");
  return latest;
}

/**
 * @param {readonly (typeof WINDOW_TYPES)[number][]} [windowTypes]
 * @returns {Promise<TabWithId[]>} the tabs of such windows, without our own pages
 */
export async function webTabs(windowTypes = WINDOW_TYPES) {
  const tabs = await Promise.all(windowTypes.map((windowType) => chrome.tabs.query({ windowType })));
  return tabs
    .flat()
    .filter((tab) => !isOwnPage(tab))
    .map(withId);
}

/** @param {chrome.tabs.Tab} tab */
export function isOwnPage(tab) {
  // The panel opens its images as blob: URLs.
  return urlOf(tab)
    .replace(/^blob:/, "")
    .startsWith(chrome.runtime.getURL(""));
}

/** @param {chrome.tabs.Tab} tab */
export function urlOf(tab) {
  return tab.url || tab.pendingUrl || "";
}

/**
 * @param {chrome.tabs.Tab} tab
 * @returns {string} the whole URL if the origin is meaningless, such as for files; empty if there is none
 */
export function originOf(tab) {
  const url = URL.parse(urlOf(tab));
  return url?.origin === "null" ? url.href : (url?.origin ?? "");
}

/**
 * @param {chrome.tabs.Tab} tab
 * @returns {PageAddress}
 */
export function addressOf(tab) {
  return { url: urlOf(tab), title: tab.title ?? "" };
}

/**
 * @param {chrome.tabs.Tab} tab
 * @returns {string} why Chrome does not let extensions into the page, as a sentence for an agent; empty if access may
 *   work
 */
export function obstacleOf(tab) {
  switch (barrierOf(tab)) {
    case "obstacleEmpty":
      return "The tab is empty. Open a page in it.";
    case "obstacleScheme":
      return `Extensions cannot read ${schemeOf(tab)} pages. Switch to a web page.`;
    case "obstacleShop":
      return "Extensions cannot read the browser's extension store. Switch to another page.";
    case null:
      return "";
  }
}

/**
 * @param {chrome.tabs.Tab} tab
 * @returns {string} the same for the user
 */
export function spokenObstacleOf(tab) {
  const barrier = barrierOf(tab);
  return barrier ? phrase(barrier, schemeOf(tab)) : "";
}

/** @param {chrome.tabs.Tab} tab */
export function isEmptyTab(tab) {
  return barrierOf(tab) === "obstacleEmpty";
}

/** @param {chrome.tabs.Tab} tab */
function barrierOf(tab) {
  const url = URL.parse(urlOf(tab));
  if (!url || url.protocol === "about:") return "obstacleEmpty";
  if (!READABLE_SCHEMES.has(url.protocol)) return "obstacleScheme";
  return SHOPS.some((shop) => `${url.host}${url.pathname}`.startsWith(shop)) ? "obstacleShop" : null;
}

/** @param {chrome.tabs.Tab} tab */
function schemeOf(tab) {
  return URL.parse(urlOf(tab))?.protocol ?? "";
}

/**
 * @returns {Promise<chrome.windows.Window | null>} with its tabs; null if no window that shows pages has had the focus
 *   since the browser started
 */
export function lastFocusedWindow() {
  return chrome.windows.getLastFocused({ populate: true, windowTypes: [...WINDOW_TYPES] }).catch(() => null);
}

/** @param {chrome.tabs.Tab} tab */
function withId(tab) {
  // Only tabs of DevTools and of other apps lack an id, and those are in no such window.
  return { ...tab, id: tab.id ?? chrome.tabs.TAB_ID_NONE };
}
