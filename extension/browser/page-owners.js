/** The owners of empty pages: the content of about:blank was written by the page that opened it. */

import { urlOf } from "./tabs.js";
import { endsWithin } from "./async.js";

const ANSWER_MS = 1_000;
/** The URL of a page whose owner is not reported. */
const UNKNOWN = "";

/**
 * @template {chrome.tabs.Tab} T
 * @param {T} tab
 * @returns {Promise<T>} with its owner's URL if its own is empty
 */
export async function withOwner(tab) {
  const { id: tabId, openerTabId } = tab;
  const url = urlOf(tab);
  if (!url.startsWith("about:") || tabId === undefined) return tab;
  // Asking a discarded tab would reload it.
  if (tab.discarded || tab.frozen || tab.status === "unloaded") return { ...tab, url: UNKNOWN, pendingUrl: UNKNOWN };
  // The browser does not let extensions into an empty tab that no page opened.
  const owner = await ownerOf({ tabId, frameIds: [0] }, openerTabId === undefined ? url : UNKNOWN);
  return { ...tab, url: owner, pendingUrl: owner };
}

/**
 * @param {number} tabId
 * @param {chrome.webNavigation.GetAllFrameResultDetails} frame
 */
export async function frameWithOwner(tabId, frame) {
  const { url, documentId } = frame;
  if (!url.startsWith("about:")) return frame;
  return { ...frame, url: await ownerOf({ tabId, documentIds: [documentId] }, UNKNOWN) };
}

/**
 * @param {chrome.scripting.InjectionTarget} target
 * @param {string} otherwise result for a page that the browser does not let extensions into
 * @returns {Promise<string>} a URL of the owner
 */
async function ownerOf(target, otherwise) {
  const answer = chrome.scripting
    .executeScript({ target, func: readOwner, injectImmediately: true })
    .then(([injection]) => String(injection?.result ?? UNKNOWN))
    .catch(() => otherwise);
  return (await endsWithin(ANSWER_MS, answer)) ? answer : UNKNOWN;
}

/** Runs in the page, in the extension's own world: a page can change what its own scripts see. */
function readOwner() {
  // A sandboxed page has no origin, but it has the base URL of the page that opened it.
  return self.origin === "null" ? document.baseURI : self.origin;
}
