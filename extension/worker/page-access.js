/** The way into a page, for every command that runs a function there. */

import { CommandError } from "../shared/errors.js";
import { obstacleOf, tabById } from "./tabs.js";

const LOAD_WAIT_MS = 5_000;

/**
 * The tab, when its page may be read.
 *
 * @param {number} tabId
 * @throws {CommandError} TAB_NOT_FOUND, UNREADABLE_PAGE
 */
export async function readableTab(tabId) {
  const tab = await loadedTab(tabId);
  refuseSleeping(tab);
  const obstacle = obstacleOf(tab);
  if (obstacle) throw unreadable(obstacle);
  return tab;
}

/**
 * @param {{id: number, url?: string | undefined}} tab
 * @param {object} script
 * @param {(request: any) => unknown} script.func self-contained; it runs in the page from its own source text
 * @param {[unknown]} script.args JSON; Chrome drops the nulls inside on their way
 * @param {`${chrome.scripting.ExecutionWorld}`} [script.world] `MAIN` to see what the page's own scripts see
 * @returns {Promise<unknown>} JSON; null when the function threw, because the page has broken what it stands on
 * @throws {CommandError} UNREADABLE_PAGE
 */
export async function runInPage(tab, { func, args, world = "ISOLATED" }) {
  const [injection] = await chrome.scripting
    .executeScript({ target: { tabId: tab.id }, func, args, world, injectImmediately: true })
    .catch(async (error) => {
      throw unreadable(await refusalOf(error, tab));
    });
  return injection?.result ?? null;
}

/** @param {string} message */
export function unreadable(message) {
  return new CommandError("UNREADABLE_PAGE", message);
}

/**
 * The tab once it has loaded, or as it is after 5 s: some pages never finish, and what they show can be read.
 *
 * @param {number} tabId
 */
async function loadedTab(tabId) {
  const tab = await tabById(tabId);
  return tab.status === "loading" ? onceLoaded(tabId) : tab;
}

/** @param {number} tabId */
async function onceLoaded(tabId) {
  /** @type {() => void} */
  let settle = () => {};
  const settled = /** @type {Promise<void>} */ (new Promise((resolve) => (settle = resolve)));
  /** @type {(id: number, change: {status?: string}) => void} */
  const onUpdated = (id, { status }) => void (id === tabId && status === "complete" && settle());
  const onRemoved = (/** @type {number} */ id) => void (id === tabId && settle());
  // Listening starts before another look, or the end of loading could fall in between.
  chrome.tabs.onUpdated.addListener(onUpdated);
  chrome.tabs.onRemoved.addListener(onRemoved);
  const timer = setTimeout(settle, LOAD_WAIT_MS);
  try {
    if ((await tabById(tabId)).status === "loading") await settled;
    return await tabById(tabId);
  } finally {
    clearTimeout(timer);
    chrome.tabs.onUpdated.removeListener(onUpdated);
    chrome.tabs.onRemoved.removeListener(onRemoved);
  }
}

/**
 * Waking a tab would reload it, with effects on its page that nobody asked for.
 *
 * @param {chrome.tabs.Tab} tab
 */
function refuseSleeping(tab) {
  if (tab.discarded) {
    throw unreadable("The browser has put this tab to sleep to save memory. Click the tab to wake it, then try again.");
  }
  if (tab.status === "unloaded") throw unreadable("This tab holds no page: it has crashed. Reload it, then try again.");
  if (tab.frozen) throw unreadable("The browser has frozen this tab. Click the tab to wake it, then try again.");
}

/**
 * Chrome gives its reasons as English sentences only.
 *
 * @param {unknown} error
 * @param {{url?: string | undefined}} tab
 */
async function refusalOf(error, tab) {
  const reason = error instanceof Error ? error.message : "";
  if (/showing error page/.test(reason)) {
    return "The tab shows an error of the browser instead of the page. Reload it, and try again when it has loaded.";
  }
  if (/policy/.test(reason)) return "Your organisation's policy lets no extension read this page.";
  if (/^No tab|tab was closed|was removed/.test(reason)) {
    return "The page went away while it was being read. Try again when it has loaded.";
  }
  if (tab.url?.startsWith("file:") && !(await chrome.extension.isAllowedFileSchemeAccess())) {
    return 'To read local files, turn on "Allow access to file URLs" for Chrome Tab Reader in chrome://extensions.';
  }
  return "The browser does not let the extension read this page. Look at its site access in chrome://extensions.";
}
