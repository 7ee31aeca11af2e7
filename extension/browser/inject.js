/**
 * Access to pages, for every command that runs a function in one.
 *
 * @import {TabWithId} from "../shared/types.d.ts"
 * @import {FramePage} from "./navigation-watch.js"
 * @import {SiteRules} from "./site-rules.js"
 */

import { ALL_SITES, CLOSED_PAGE, EXTENSIONS_PAGE } from "../shared/capabilities.js";
import { CommandError } from "../shared/errors.js";
import { documentIn, leaving } from "./navigation-watch.js";
import { obstacleOf, tabById } from "./tabs.js";
import { pause, unlessAborted } from "./async.js";

/** How often a command checks whether a page has loaded, in all: about 5 s. */
const LOAD_LOOKS = 200;
const LOAD_LOOK_MS = 25;
/** How often a frozen tab is checked: a page that returns from the back/forward cache is frozen for a moment. */
const THAW_LOOKS = 10;
const CLOSED_FRAME =
  "Extensions cannot access that frame: its page failed to load, or is closed to extensions. " +
  "Take a screenshot to see what it shows.";

/** The page left its tab, perhaps into the back/forward cache, before it could respond. */
export class PageLeft extends CommandError {
  constructor() {
    super(
      "TAB_DISCONNECTED",
      "The page navigated away while the command ran. Check where the tab is now, then try again.",
    );
  }
}

/** A function of ours in a page has thrown an error that it does not foresee. */
class PageFault extends Error {
  /** @param {string} name of the error */
  constructor(name) {
    super();
    this.name = name;
  }
}

/**
 * @typedef {object} PageFunction
 * @property {(request: any) => unknown} func self-contained; it runs in the page from its own source text
 * @property {[unknown]} args JSON; Chrome drops nulls inside it in transit
 * @property {`${chrome.scripting.ExecutionWorld}`} [world] `MAIN` to see what the page's own scripts see
 */

/** @typedef {PageFunction | {files: string[]}} Script */

/**
 * @typedef {{tabId: number, signal: AbortSignal, page?: FramePage}} Place `page`: one in a frame, otherwise the tab's
 *   own
 */

/**
 * A command's view of its tab: `first` is the tab when the command began, until it first asks the page; `last` is the
 * tab when it last asked; `left` is how many more checks it makes for a page that is loading.
 *
 * @typedef {{left: number, first?: TabWithId, last?: TabWithId}} Looks
 */

/** @type {WeakMap<AbortSignal, Looks>} by the command's signal */
const looksOf = new WeakMap();

/**
 * Saves a new command its own first query of its tab: each takes as long as reading a small page.
 *
 * @param {TabWithId} tab its current state
 * @param {AbortSignal} signal of the command
 */
export function noteFirstLook(tab, signal) {
  looksOf.set(signal, { left: LOAD_LOOKS, first: tab });
}

/**
 * @param {{signal: AbortSignal}} context of a command that has asked its page
 * @returns {chrome.tabs.Tab} the tab as it was just before that
 */
export function tabAsAsked({ signal }) {
  return /** @type {chrome.tabs.Tab} */ (looksOf.get(signal)?.last);
}

/**
 * Returns the tab, if its page may be read.
 *
 * @param {{tabId: number, signal: AbortSignal}} context
 * @throws {CommandError} TAB_NOT_FOUND, UNREADABLE_PAGE
 */
async function readableTab(context) {
  const tab = await loadedTab(context);
  await refuseSleeping(tab);
  const obstacle = obstacleOf(tab);
  if (obstacle) throw unreadable(obstacle);
  return tab;
}

/**
 * Runs a function in the tab's page. It ends when the page leaves, even into the back/forward cache: such a page
 * neither answers nor fails.
 *
 * @param {Place} place
 * @param {Script & {cancel?: Script}} script `cancel`: stops it in the page when the signal is aborted
 * @returns {Promise<unknown>} JSON; null if the function threw, because the page has broken something it relies on
 * @throws {CommandError} UNREADABLE_PAGE, PageLeft, and the reason of the signal
 * @throws {PageFault} if the function answers that it has thrown something else (`uncaught`)
 */
export async function runInPage({ tabId, signal, page }, { cancel, ...script }) {
  signal.throwIfAborted();
  const onAbort = () => void (cancel && inject(tabId, page, cancel).catch(() => {}));
  signal.addEventListener("abort", onAbort);
  // Queried just before, so that it describes the page that the function runs in.
  const exit = leaving(tabId, page);
  try {
    const injection = await unlessAborted(signal, () => Promise.race([inject(tabId, page, script), exit.left]));
    const { result = null } = /** @type {{result?: any, documentId: string} | null} */ (injection) ?? {};
    const fault = result?.uncaught;
    if (!injection || ((result === null || fault) && (await exit.hasLeft()))) throw new PageLeft();
    if (fault) throw new PageFault(fault);
    return result;
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof CommandError || error instanceof PageFault) throw error;
    if (await exit.hasLeft()) throw new PageLeft();
    throw unreadable(page?.frameId ? CLOSED_FRAME : await refusalOf(error, tabId));
  } finally {
    signal.removeEventListener("abort", onAbort);
    exit.forget();
  }
}

/**
 * Like `runInPage`, once the page has loaded and may be read. If it leaves before it has answered, the next page is
 * asked, if the rules for sites allow it.
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
 * @returns {Promise<{page?: FramePage}>} with rules, the page now in the tab, so that the function cannot run in a
 *   later one
 * @throws {CommandError} TAB_NOT_FOUND, HOST_BLOCKED, ATTACH_DENIED
 */
async function allowedPage({ tabId, rules }) {
  if (!rules || rules.isEmpty) return {};
  // Before its URL, so that the URL is not older than the page.
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
 * Returns the tab once it has loaded, or as it is after the last check: some pages never finish, but what they show can
 * be read. The browser has no event for the loading of its PDF viewer.
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
 * @param {TabWithId} tab
 * @throws {CommandError} UNREADABLE_PAGE, TAB_DISCONNECTED
 */
export async function refuseSleeping(tab) {
  if (tab.discarded) {
    throw unreadable("The browser has put this tab to sleep to save memory. Ask the user to click it, then try again.");
  }
  if (tab.status === "unloaded") {
    throw new CommandError("TAB_DISCONNECTED", "The page in this tab has crashed. Reload it, then try again.");
  }
  let { frozen } = tab;
  for (let looks = THAW_LOOKS; frozen && looks > 0; looks--) {
    await pause(LOAD_LOOK_MS);
    ({ frozen } = await tabById(tab.id));
  }
  if (frozen) throw unreadable("The browser has frozen this tab. Ask the user to click it, then try again.");
}

/**
 * Chrome reports its reasons only as English sentences.
 *
 * @param {unknown} error
 * @param {number} tabId
 */
async function refusalOf(error, tabId) {
  const reason = error instanceof Error ? error.message : "";
  if (/showing error page/.test(reason)) {
    return "The tab shows one of the browser's error pages instead of the site. Load the address again with navigate, then try again.";
  }
  if (/policy/.test(reason)) {
    return "Your organization's policy keeps extensions from reading this page. Choose another tab.";
  }
  if (/^No tab|tab was closed|was removed/.test(reason)) {
    return "The page navigated away while it was being read. Try again when the next page has loaded.";
  }
  const tab = await chrome.tabs.get(tabId).catch(() => null);
  if (tab?.url?.startsWith("file:") && !(await chrome.extension.isAllowedFileSchemeAccess())) {
    return `To read local files, turn on "Allow access to file URLs" for Chrome Tab Reader in ${EXTENSIONS_PAGE}.`;
  }
  if (!(await chrome.permissions.contains(ALL_SITES))) {
    return "The extension has no access to this site. Ask the user to press " + '"Allow on all sites" in its popup.';
  }
  return CLOSED_PAGE;
}
