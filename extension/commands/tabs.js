/** @import {AttachedTab, CommandContext, CreatedTab, TabInfo} from "../shared/types.d.ts" */

import { HAS_DEBUGGER } from "../shared/capabilities.js";
import { CommandError, failed, invalid } from "../shared/errors.js";
import { isDenied } from "../shared/denied-hosts.js";
import { PageLoadWatch } from "../browser/page-load.js";
import { withOwner } from "../browser/page-owners.js";
import { addressOf, isOwnPage, tabById, urlOf, webTabs } from "../browser/tabs.js";
import { endsWithin, pause } from "../browser/async.js";

const BLANK = "about:blank";
const BLANK_LOOKS = 100;
const BLANK_LOOK_MS = 10;
/** Leaves time to attach the tab within the command's limit. */
const LOAD_WAIT_MS = 28_000;
const CLOSE_WAIT_MS = 5_000;
/** A page that can show a dialog does so within milliseconds; a busy one is closed without waiting for it. */
const SILENCE_WAIT_MS = 1_000;

const WAITED = `within ${LOAD_WAIT_MS / 1_000} s`;
const STILL_LOADING = `The page did not finish loading ${WAITED}. Use what has loaded so far.`;
const UNSAVED = "Its page warned of unsaved changes, which are lost.";
const NO_RESPONSE = `The server sent no page ${WAITED}, so the new tab was closed. Check the address, then try again.`;

/**
 * @param {CommandContext} context
 * @returns {Promise<TabInfo[]>} the tabs of all windows, including popups
 */
export async function getTabs({ deniedHosts }) {
  const tabs = await withoutDenied(await webTabs(), deniedHosts);
  return tabs.map((tab) => ({
    id: tab.id,
    ...addressOf(tab),
    active: tab.active,
    windowId: tab.windowId,
    ...(tab.incognito && { incognito: /** @type {const} */ (true) }),
  }));
}

/**
 * @param {CommandContext} context
 * @returns {Promise<AttachedTab[]>} in the order in which they were attached
 */
export async function listTabs({ attachments, deniedHosts }) {
  const tabs = await withoutDenied(await attachments.tabs(), deniedHosts);
  return tabs.map((tab) => ({ tab_id: tab.id, ...addressOf(tab), connected_at: tab.connectedAt }));
}

/**
 * @template {chrome.tabs.Tab} T
 * @param {T[]} tabs
 * @param {string[]} deniedHosts
 */
async function withoutDenied(tabs, deniedHosts) {
  if (!deniedHosts.length) return tabs;
  const owned = await Promise.all(tabs.map(withOwner));
  return tabs.filter((_, index) => !isDenied(urlOf(/** @type {T} */ (owned[index])), deniedHosts));
}

/**
 * Opens a tab in front, as a link does, or in the background. The debugger is attached before the page loads, so that
 * no request or console message is missed; the tab counts as attached once its page has loaded, or has loaded for
 * `LOAD_WAIT_MS`: some pages never finish. A tab that gets no page is closed.
 *
 * @param {CommandContext} context `params`: `url`, http or https; `background`, whether the current tab stays in front
 * @returns {Promise<CreatedTab>}
 * @throws {CommandError} INVALID_ARGUMENT, HOST_BLOCKED, NAVIGATION_FAILED, COMMAND_TIMEOUT, TAB_DISCONNECTED,
 *   UNREADABLE_PAGE
 */
export async function createTab({ params, attachments, rules, sessionPool, signal }) {
  const url = webAddressOf(params);
  rules.refuseAddress(url);
  const { background = false } = params;
  if (typeof background !== "boolean") throw invalid("background must be true or false.");
  const blank = HAS_DEBUGGER ? await openBlank(!background) : null;
  const session = blank === null ? null : await sessionPool.open(blank).catch(() => null);
  const watch = new PageLoadWatch([BLANK]);
  const tabId = blank ?? (await openTab(url, !background));
  try {
    signal.throwIfAborted();
    if (blank !== null) await chrome.tabs.update(tabId, { url });
    const hasLoaded = await endsWithin(LOAD_WAIT_MS, watch.loaded(tabId, signal));
    if (!hasLoaded && !watch.hasPage(tabId)) throw new CommandError("COMMAND_TIMEOUT", NO_RESPONSE);
    await rules.refuseTab(await tabById(tabId));
    // So that Back does not lead to an empty page.
    await session?.send("Page.resetNavigationHistory").catch(() => {});
    await attachments.attach(tabId, signal);
    return { tab_id: tabId, ...addressOf(await tabById(tabId)), ...(!hasLoaded && { notes: [STILL_LOADING] }) };
  } catch (error) {
    // The caller needs the first error.
    await sessionPool.close(tabId);
    await removeTab(tabId).catch(() => {});
    throw error;
  } finally {
    watch.stop();
  }
}

/**
 * A page can keep its tab open with a beforeunload dialog. In an attached tab that is suppressed and reported; in any
 * other tab it may protect what the user has written, so the user decides.
 *
 * @param {CommandContext} context
 * @returns {Promise<{success: true, notes?: string[]}>}
 * @throws {CommandError} INVALID_ARGUMENT, TAB_NOT_FOUND, COMMAND_TIMEOUT, EXECUTION_ERROR
 */
export async function closeTab({ tabId, attachments, signal }) {
  if (tabId === chrome.tabs.TAB_ID_NONE) throw invalid("Pass the tab as tab_id; browser_get_tabs lists the tabs.");
  if (isOwnPage(await tabById(tabId))) {
    throw invalid(`Tab ${tabId} is a page of the extension, which only the user can close. Choose another tab.`);
  }
  /** @type {string[]} */
  const notes = [];
  const silence = async () => void ((await silencePage(tabId)) && notes.push(UNSAVED));
  if (await attachments.get(tabId)) await endsWithin(SILENCE_WAIT_MS, silence());
  signal.throwIfAborted();
  if (await endsWithin(CLOSE_WAIT_MS, removeTab(tabId))) return { success: true, ...(notes.length && { notes }) };
  throw new CommandError(
    "COMMAND_TIMEOUT",
    `The page in tab ${tabId} asks the user whether to close it. Ask the user to answer in the browser, then try again.`,
  );
}

/**
 * @param {Record<string, unknown>} params
 * @returns {string}
 * @throws {CommandError} INVALID_ARGUMENT
 */
export function webAddressOf({ url }) {
  const parsed = typeof url === "string" ? URL.parse(url) : null;
  if (parsed?.protocol === "http:" || parsed?.protocol === "https:") return parsed.href;
  throw invalid("url must be a complete address that starts with http:// or https://.");
}

/**
 * @param {boolean} active
 * @returns {Promise<number>} a tab whose empty page exists: before that, a navigation to another page can get lost
 */
async function openBlank(active) {
  const tabId = await openTab(BLANK, active);
  for (let looks = BLANK_LOOKS; looks > 0 && (await tabById(tabId)).status !== "complete"; looks--) {
    await pause(BLANK_LOOK_MS);
  }
  return tabId;
}

/**
 * @param {string} url
 * @param {boolean} active
 * @returns {Promise<number>}
 */
async function openTab(url, active) {
  // A browser can run without windows; then a tab has no place to open.
  const ofWindow = async () => (await chrome.windows.create({ url, focused: active }))?.tabs?.[0];
  const tab = await chrome.tabs.create({ url, active }).catch(ofWindow);
  return tab?.id ?? chrome.tabs.TAB_ID_NONE;
}

/**
 * @param {number} tabId
 * @throws {CommandError} EXECUTION_ERROR
 */
async function removeTab(tabId) {
  await chrome.tabs.remove(tabId).catch(async () => {
    // It may have closed by itself.
    if (!(await chrome.tabs.get(tabId).catch(() => null))) return;
    throw failed(`The browser refused to close tab ${tabId}; perhaps the user is dragging a tab. Try again.`);
  });
}

/**
 * Removes every listener of the page, including the beforeunload one.
 *
 * @param {number} tabId
 * @returns {Promise<boolean>} whether that one would have asked the user whether to leave
 */
async function silencePage(tabId) {
  const results = await chrome.scripting
    .executeScript({ target: { tabId }, func: leavePage, injectImmediately: true })
    // Nothing runs in such a page, so nothing can show a dialog.
    .catch(() => []);
  return results[0]?.result === true;
}

/** Runs in the page. */
function leavePage() {
  const event = /** @type {BeforeUnloadEvent} */ (
    Reflect.apply(Document.prototype.createEvent, document, ["BeforeUnloadEvent"])
  );
  event.initEvent("beforeunload", false, true);
  dispatchEvent(event);
  Reflect.apply(Document.prototype.open, document, []);
  // Without an input to the page, browsers do not let it ask.
  return navigator.userActivation.hasBeenActive && (event.defaultPrevented || event.returnValue !== "");
}
