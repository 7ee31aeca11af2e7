/**
 * Tabs and windows opened by a page under control: they are attached too, and reported.
 *
 * @import {CommandContext} from "../shared/types.d.ts"
 */

import { CommandError } from "../shared/errors.js";
import { isDenied } from "../shared/denied-hosts.js";
import { withOwner } from "./page-owners.js";
import { isEmptyTab, obstacleOf, urlOf } from "./tabs.js";
import { pause } from "./async.js";

/** Maximum per command: a page could open hundreds. */
const MAX_ATTACHED = 10;
/** A tab has a URL once its server has answered; some pages open an empty tab and navigate it afterwards. */
const ADDRESS_POLL_MS = 50;
const MAX_POLLS = 20;
/** Maximum number of looks while a server has not responded yet: that of the tab, or of the page it navigates to. */
const MAX_BUSY_POLLS = 100;
const MAX_URL_LENGTH = 200;

/**
 * Attaches the tabs that a command's page opened.
 *
 * @param {number[]} tabIds
 * @param {CommandContext} context
 * @param {() => boolean} isBusy whether that page waits for an answer that the command has requested
 * @returns {Promise<string[]>} notes about them, as sentences
 * @throws the reason of the signal
 */
export async function adoptTabs(tabIds, context, isBusy) {
  const adopted = await Promise.all(tabIds.slice(0, MAX_ATTACHED).map((tabId) => adopt(tabId, context, isBusy)));
  const left = tabIds.length - MAX_ATTACHED;
  const more = left > 0 && `It opened ${left} more tabs, which are not attached. browser_get_tabs lists them.`;
  return [...adopted, more].filter((note) => typeof note === "string");
}

/**
 * @param {number} tabId
 * @param {CommandContext} context
 * @param {() => boolean} isBusy
 * @returns {Promise<string | null>} a note; null if it has closed again
 */
async function adopt(tabId, { tabId: sourceId, deniedHosts, attachments, signal }, isBusy) {
  await giveBackSight(tabId, sourceId);
  const tab = await onceSomewhere(tabId, signal, isBusy);
  if (!tab) return null;
  const url = urlOf(tab);
  if (deniedHosts.length && isDenied(urlOf(await withOwner(tab)), deniedHosts)) {
    return `It opened tab ${tabId} on a denied host: it is not attached.`;
  }
  if (isEmptyTab(tab)) {
    const next = `Once it shows one, call browser_attach_tab with tab_id ${tabId}.`;
    return `It opened tab ${tabId} without a page, so it is not attached. ${next}`;
  }
  const refusal = await attachments.attach(tabId, signal).then(
    () => "",
    (error) => {
      if (error instanceof CommandError) return error.message;
      throw error;
    },
  );
  const where = JSON.stringify(url.toWellFormed().slice(0, MAX_URL_LENGTH));
  return `It opened tab ${tabId} at ${where}, which is ${refusal ? `not attached: ${refusal}` : "attached now."}`;
}

/**
 * Returns to the tab that the user was looking at: a new tab opens in front even if another tab opened it; the browser
 * records the user's tab as its opener.
 *
 * @param {number} tabId
 * @param {number} sourceId
 */
async function giveBackSight(tabId, sourceId) {
  const tab = await chrome.tabs.get(tabId).catch(() => null);
  if (!tab?.active || tab.openerTabId === undefined || tab.openerTabId === sourceId) return;
  await chrome.tabs.update(tab.openerTabId, { active: true }).catch(() => {
    // It has closed.
  });
}

/**
 * @param {number} tabId
 * @param {AbortSignal} signal
 * @param {() => boolean} isBusy
 * @returns {Promise<chrome.tabs.Tab | null>} the tab once it shows a page, or as it is after a second without a request;
 *   null if it closed
 */
async function onceSomewhere(tabId, signal, isBusy) {
  for (let polls = 1, idle = 0; ; polls += 1) {
    const tab = await chrome.tabs.get(tabId).catch(() => null);
    signal.throwIfAborted();
    idle = tab?.pendingUrl || isBusy() ? 0 : idle + 1;
    if (!tab || (tab.url && !obstacleOf(tab)) || idle === MAX_POLLS || polls === MAX_BUSY_POLLS) return tab;
    await pause(ADDRESS_POLL_MS);
  }
}
