/**
 * The way into a page, for every command that runs a function there.
 *
 * @import {FramePage} from "./navigation-watch.js"
 * @import {SiteRules} from "./site-rules.js"
 */

import { ALL_SITES, CLOSED_PAGE, EXTENSIONS_PAGE } from "../shared/capabilities.js";
import { CommandError } from "../shared/errors.js";
import { documentIn, leaving } from "./navigation-watch.js";
import { obstacleOf, tabById } from "./tabs.js";
import { pause, unlessAborted } from "./async.js";

/** How often a command looks whether a page has loaded, in all: about 5 s. */
const LOAD_LOOKS = 200;
const LOAD_LOOK_MS = 25;
const CLOSED_FRAME =
  "Extensions cannot access that frame: its page failed to load, or is closed to extensions. " +
  "Take a screenshot to see what it shows.";

/** The page has left its tab, perhaps into the browser's memory, before it could answer. */
export class PageLeft extends CommandError {
  constructor() {
    super(
      "TAB_DISCONNECTED",
      "The page navigated away while the command ran. Check where the tab is now, then try again.",
    );
  }
}

/**
 * @typedef {object} PageFunction
 * @property {(request: any) => unknown} func self-contained; it runs in the page from its own source text
 * @property {[unknown]} args JSON; Chrome drops the nulls inside on their way
 * @property {`${chrome.scripting.ExecutionWorld}`} [world] `MAIN` to see what the page's own scripts see
 */

/** @typedef {PageFunction | {files: string[]}} Script */

/** @typedef {{tabId: number, signal: AbortSignal, page?: FramePage}} Place `page`: one in a frame, else the tab's own */

/**
 * What a command has seen of its tab: `first` as it was when the command began, until that asks its page; `last` when it
 * asked last; and how many looks it has left for a page that is loading.
 *
 * @typedef {{left: number, first?: chrome.tabs.Tab, last?: chrome.tabs.Tab}} Looks
 */

/** @type {WeakMap<AbortSignal, Looks>} by the command's signal */
const looksOf = new WeakMap();

/**
 * Spares a command that begins now its own first look at its tab: each takes as long as reading a small page.
 *
 * @param {chrome.tabs.Tab} tab as it is now
 * @param {AbortSignal} signal of the command
 */
export function noteFirstLook(tab, signal) {
  looksOf.set(signal, { left: LOAD_LOOKS, first: tab });
}

/**
 * @param {{signal: AbortSignal}} context of a command that has asked its page
 * @returns {chrome.tabs.Tab} as it was just before
 */
export function tabAsAsked({ signal }) {
  return /** @type {chrome.tabs.Tab} */ (looksOf.get(signal)?.last);
}

/**
 * The tab, when its page may be read.
 *
 * @param {{tabId: number, signal: AbortSignal}} context
 * @throws {CommandError} TAB_NOT_FOUND, UNREADABLE_PAGE
 */
async function readableTab(context) {
  const tab = await loadedTab(context);
  refuseSleeping(tab);
  const obstacle = obstacleOf(tab);
  if (obstacle) throw unreadable(obstacle);
  return tab;
}

/**
 * Runs a function in the page that is in the tab. It ends when the page leaves, also one that the browser keeps in
 * memory for the way back: such a page neither answers nor fails.
 *
 * @param {Place} place
 * @param {Script & {cancel?: Script}} script `cancel`: what stops it in the page when the signal is aborted
 * @returns {Promise<unknown>} JSON; null when the function threw, because the page has broken what it stands on
 * @throws {CommandError} UNREADABLE_PAGE, PageLeft, and the reason of the signal
 */
export async function runInPage({ tabId, signal, page }, { cancel, ...script }) {
  signal.throwIfAborted();
  const onAbort = () => void (cancel && inject(tabId, page, cancel).catch(() => {}));
  signal.addEventListener("abort", onAbort);
  // Asked for just before, so that it is about the page that the function runs in.
  const exit = leaving(tabId, page);
  try {
    const injection = await unlessAborted(signal, () => Promise.race([inject(tabId, page, script), exit.left]));
    const answer = /** @type {{result?: unknown, documentId: string} | undefined} */ (injection);
    if (!answer || ((answer.result ?? null) === null && (await exit.hasLeft()))) throw new PageLeft();
    return answer.result ?? null;
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof CommandError) throw error;
    if (await exit.hasLeft()) throw new PageLeft();
    throw unreadable(page?.frameId ? CLOSED_FRAME : await refusalOf(error, tabId));
  } finally {
    signal.removeEventListener("abort", onAbort);
    exit.forget();
  }
}

/**
 * As `runInPage`, once the page has loaded and may be read. When it leaves before it has answered, the one that follows
 * is asked, where the rules for sites allow it.
 *
 * @param {{tabId: number, signal: AbortSignal, rules?: SiteRules}} context
 * @param {(tab: chrome.tabs.Tab) => Script & {cancel?: Script}} scriptFor
 * @returns {Promise<unknown>}
 * @throws {CommandError} TAB_NOT_FOUND, UNREADABLE_PAGE, HOST_BLOCKED, ATTACH_DENIED, and the reason of the signal
 */
export async function askPage(context, scriptFor) {
  for (;;) {
    const tab = await readableTab(context);
    try {
      return await runInPage({ ...context, ...(await allowedPage(context)) }, scriptFor(tab));
    } catch (error) {
      if (!(error instanceof PageLeft)) throw error;
    }
  }
}

/**
 * @param {{tabId: number, rules?: SiteRules}} context
 * @returns {Promise<{page?: FramePage}>} the page in the tab now, and no other one that follows, when rules allow it
 * @throws {CommandError} TAB_NOT_FOUND, HOST_BLOCKED, ATTACH_DENIED
 */
async function allowedPage({ tabId, rules }) {
  if (!rules || rules.isEmpty) return {};
  // Before its address, so that the address is not older than the page.
  const documentId = await documentIn(tabId, 0);
  await rules.check(tabId);
  if (documentId === undefined) throw new PageLeft();
  return { page: { frameId: 0, documentId } };
}

/** @param {string} message */
export function unreadable(message) {
  return new CommandError("UNREADABLE_PAGE", message);
}

/**
 * @param {number} tabId
 * @param {FramePage | undefined} page
 * @param {Script} script
 */
async function inject(tabId, page, script) {
  const target = page ? { tabId, documentIds: [page.documentId] } : { tabId };
  const [injection] = await chrome.scripting.executeScript({ target, injectImmediately: true, ...script });
  return injection;
}

/**
 * The tab once it has loaded, or as it is when the command has looked often enough: some pages never finish, and what
 * they show can be read. The browser has no event for its PDF viewer having loaded.
 *
 * @param {{tabId: number, signal: AbortSignal}} context
 */
async function loadedTab({ tabId, signal }) {
  const known = looksOf.get(signal);
  let left = known?.left ?? LOAD_LOOKS;
  let tab = known?.first ?? (await tabById(tabId));
  for (; tab.status === "loading" && left > 0 && !signal.aborted; left--) {
    await pause(LOAD_LOOK_MS);
    tab = await tabById(tabId);
  }
  looksOf.set(signal, { left, last: tab });
  return tab;
}

/**
 * Waking a tab would reload it, with side effects on its page.
 *
 * @param {chrome.tabs.Tab} tab
 * @throws {CommandError} UNREADABLE_PAGE, TAB_DISCONNECTED
 */
export function refuseSleeping(tab) {
  if (tab.discarded) {
    throw unreadable(
      "The browser has put this tab to sleep to save memory. Wake it with browser_attach_tab, which asks the user, or " +
        "ask the user to click the tab; then try again.",
    );
  }
  if (tab.status === "unloaded") {
    throw new CommandError("TAB_DISCONNECTED", "The page in this tab has crashed. Reload it, then try again.");
  }
  if (tab.frozen) throw unreadable("The browser has frozen this tab. Click the tab to wake it, then try again.");
}

/**
 * Chrome gives its reasons as English sentences only.
 *
 * @param {unknown} error
 * @param {number} tabId
 */
async function refusalOf(error, tabId) {
  const reason = error instanceof Error ? error.message : "";
  if (/showing error page/.test(reason)) {
    return "The tab shows an error of the browser instead of the page. Reload it, and try again when it has loaded.";
  }
  if (/policy/.test(reason)) {
    return "Your organization's policy keeps extensions from reading this page. Choose another tab.";
  }
  if (/^No tab|tab was closed|was removed/.test(reason)) {
    return "The page went away while it was being read. Try again when it has loaded.";
  }
  const tab = await chrome.tabs.get(tabId).catch(() => null);
  if (tab?.url?.startsWith("file:") && !(await chrome.extension.isAllowedFileSchemeAccess())) {
    return `To read local files, turn on "Allow access to file URLs" for Chrome Tab Reader in ${EXTENSIONS_PAGE}.`;
  }
  if (!(await chrome.permissions.contains(ALL_SITES))) {
    return (
      "The extension has no access to this site. Ask the user to open its popup and to press " + '"Allow on all sites".'
    );
  }
  return CLOSED_PAGE;
}
