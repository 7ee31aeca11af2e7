/** The toolbar button: its badge shows the state, its tooltip says it. @import {Status} from "../shared/types.d.ts" */

import { describe } from "../shared/status.js";

const BADGES = {
  setup: { text: "?", color: "#5f6368" },
  connected: { text: "ON", color: "#137333" },
  disconnected: { text: "!", color: "#b3261e" },
};
const ATTACHED_TEXT = "TAB";

/**
 * Chrome drops what was set for one tab whenever that tab navigates, so this is called again then.
 *
 * @param {Status} status
 * @param {number[]} attachedTabIds
 */
export async function showBadge(status, attachedTabIds) {
  const { text, color } = BADGES[status.state];
  const attached = attachedTabIds.length ? ` (attached tabs: ${attachedTabIds.length})` : "";
  await Promise.all([
    chrome.action.setBadgeText({ text }),
    chrome.action.setBadgeBackgroundColor({ color }),
    chrome.action.setBadgeTextColor({ color: "#ffffff" }),
    chrome.action.setTitle({ title: `Chrome Tab Reader: ${describe(status)}${attached}` }),
    ...attachedTabIds.map((tabId) => setTabText(tabId, status.state === "connected" ? ATTACHED_TEXT : undefined)),
  ]);
}

/** @param {number} tabId of a tab that is attached no longer */
export async function clearBadge(tabId) {
  await setTabText(tabId, undefined);
}

/**
 * @param {number} tabId
 * @param {string | undefined} text undefined for the text that all tabs have
 */
async function setTabText(tabId, text) {
  await chrome.action.setBadgeText({ tabId, text }).catch(() => {
    // The tab has just closed, and its badge with it.
  });
}
