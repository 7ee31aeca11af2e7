/**
 * To whom an empty page belongs: what stands in about:blank was written by the page that opened it.
 */

import { urlOf } from "./tabs.js";
import { endsWithin } from "./async.js";

const ANSWER_MS = 1_000;
/** The address of a page that has an owner, but does not say which. */
const UNKNOWN = "";

/**
 * @template {chrome.tabs.Tab} T
 * @param {T} tab
 * @returns {Promise<T>} with the address of its owner where it is empty by itself
 */
export async function withOwner(tab) {
  const { id: tabId, openerTabId } = tab;
  const url = urlOf(tab);
  if (!url.startsWith("about:") || tabId === undefined) return tab;
  // To ask a tab that sleeps would wake it.
  if (tab.discarded || tab.frozen || tab.status === "unloaded") return { ...tab, url: UNKNOWN, pendingUrl: UNKNOWN };
  // The browser lets no extension into an empty tab that no page has opened.
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
 * @param {string} otherwise for a page into which the browser lets no extension
 * @returns {Promise<string>} an address of the owner
 */
async function ownerOf(target, otherwise) {
  const answer = chrome.scripting
    .executeScript({ target, func: tellOwner, injectImmediately: true })
    .then(([injection]) => String(injection?.result ?? UNKNOWN))
    .catch(() => otherwise);
  return (await endsWithin(ANSWER_MS, answer)) ? answer : UNKNOWN;
}

/** Runs in the page, in the extension's own world: a page can change what its own scripts see. */
function tellOwner() {
  // A page in a sandbox has no origin, but the base address of the page that has opened it.
  return self.origin === "null" ? document.baseURI : self.origin;
}
