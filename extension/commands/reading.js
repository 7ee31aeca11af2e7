/** @import {CommandContext, PageReading, TabText} from "../types.d.ts" */

import { CommandError } from "../errors.js";
import { readPage } from "../page/read-page.js";
import { obstacleOf, tabById, viewedTab } from "../tabs.js";

const LOAD_WAIT_MS = 5_000;

/**
 * Pairing is consent enough to read: any tab may be meant.
 *
 * @param {number | null} tabId null for the tab that the person last looked at
 */
export async function chooseReadableTab(tabId) {
  return tabId ?? (await viewedTab()).id;
}

/**
 * @param {CommandContext} context `params`: `start` and `end`, each a keyword or null
 * @returns {Promise<TabText>}
 * @throws {CommandError} TAB_NOT_FOUND, UNREADABLE_PAGE, INVALID_ARGUMENT and what the page function answers
 */
export async function readTab({ tabId, params }) {
  const keywords = { start: keywordOf(params, "start"), end: keywordOf(params, "end") };
  const tab = await loadedTab(tabId);
  refuseSleeping(tab);
  const obstacle = obstacleOf(tab);
  if (obstacle) throw unreadable(obstacle);
  const { code, message, text, url, title } = await injectReadPage(tab, keywords);
  if (code) throw new CommandError(code, message);
  return { tab_id: tabId, text, url, title };
}

/**
 * @param {Record<string, unknown>} params
 * @param {string} name
 */
function keywordOf(params, name) {
  const keyword = params[name] ?? null;
  if (keyword === null || typeof keyword === "string") return keyword;
  throw new CommandError("INVALID_ARGUMENT", `${name} must be a text or null.`);
}

/**
 * The tab once it has loaded, or as it is after 5 s: some pages never finish, and what they show can be read.
 *
 * @param {number} tabId
 */
async function loadedTab(tabId) {
  /** @type {() => void} */
  let settle = () => {};
  const settled = /** @type {Promise<void>} */ (new Promise((resolve) => (settle = resolve)));
  /** @type {(id: number, change: {status?: string}) => void} */
  const onUpdated = (id, { status }) => void (id === tabId && status === "complete" && settle());
  const onRemoved = (/** @type {number} */ id) => void (id === tabId && settle());
  // Listening starts before the first look, or the end of loading could fall in between.
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
  if (tab.discarded || tab.status === "unloaded") {
    throw unreadable("The browser has put this tab to sleep to save memory. Click the tab to wake it, then try again.");
  }
  if (tab.frozen) throw unreadable("The browser has frozen this tab. Click the tab to wake it, then try again.");
}

/**
 * @param {chrome.tabs.Tab & {id: number}} tab
 * @param {{start: string | null, end: string | null}} keywords
 * @returns {Promise<PageReading>}
 */
async function injectReadPage(tab, keywords) {
  const [injection] = await chrome.scripting
    .executeScript({ target: { tabId: tab.id }, func: readPage, args: [keywords], injectImmediately: true })
    .catch(async (error) => {
      throw unreadable(await refusalOf(error, tab));
    });
  const reading = injection?.result;
  // Null when the page function threw: the page has broken what it stands on.
  if (!reading) throw unreadable("The page could not be read. Reload it and try again.");
  return /** @type {PageReading} */ (reading);
}

/**
 * Chrome gives its reasons as English sentences only.
 *
 * @param {unknown} error
 * @param {chrome.tabs.Tab} tab
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

/** @param {string} message */
function unreadable(message) {
  return new CommandError("UNREADABLE_PAGE", message);
}
