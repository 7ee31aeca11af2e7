/** The toolbar button: a dot on it shows the state, its tooltip says it. @import {Status} from "../shared/types.d.ts" */

import { phrase } from "../shared/messages.js";
import { describe, toneOf } from "../shared/status.js";

const COLORS = { good: "#137333", neutral: "#5f6368", error: "#b3261e" };
/** A badge of one space is drawn as a plain dot of its color. */
const DOT = " ";
const ATTACHED_DOT = "•";
const FAILURE = "!";
const QUESTION = { text: "?", color: "#8a5000" };

/**
 * What all tabs have: each time it is set, the browser writes it to its disk and paints its toolbar. A worker that has
 * just started does not know it.
 *
 * @type {{text?: string, color?: string, title?: string}}
 */
let common = {};

/** What failed while no page of ours was open; empty once one has been opened. */
let failure = "";

/**
 * @param {string} command
 * @param {string} code
 */
export function noteFailure(command, code) {
  failure = phrase("badgeFailed", command, code);
}

export function clearFailure() {
  failure = "";
}

/**
 * Chrome drops what was set for one tab whenever that tab navigates, so this is called again then.
 *
 * @param {Status} status
 * @param {number[]} attachedTabIds
 * @param {number} requests how many wait for the user's answer
 */
export async function showBadge(status, attachedTabIds, requests) {
  const tone = toneOf(status);
  const isConnected = status.state === "connected";
  const said = [
    `${phrase("name")}: ${describe(status)}`,
    ...(attachedTabIds.length ? [phrase("badgeAttached", attachedTabIds.length)] : []),
    ...(requests ? [phrase("badgeAsking")] : []),
    ...(failure ? [failure] : []),
  ];
  const before = common;
  const ofState = tone === "neutral" && status.paired ? "" : DOT;
  const now = {
    text: requests ? QUESTION.text : failure ? FAILURE : ofState,
    color: requests ? QUESTION.color : failure ? COLORS.error : COLORS[tone],
    title: said.join(" "),
  };
  common = now;
  await Promise.all([
    now.text !== before.text && chrome.action.setBadgeText({ text: now.text }),
    now.color !== before.color && chrome.action.setBadgeBackgroundColor({ color: now.color }),
    now.color !== before.color && chrome.action.setBadgeTextColor({ color: "#ffffff" }),
    now.title !== before.title && chrome.action.setTitle({ title: now.title }),
    ...attachedTabIds.map((tabId) => setTabText(tabId, isConnected && !requests && !failure ? ATTACHED_DOT : null)),
  ]);
}

/** @param {number} tabId of a tab that is attached no longer */
export async function clearBadge(tabId) {
  await setTabText(tabId, null);
}

/**
 * @param {number} tabId
 * @param {string | null} text null for the text that all tabs have
 */
async function setTabText(tabId, text) {
  // Chrome takes null for nothing too; Firefox takes nothing else for it.
  const details = /** @type {chrome.action.BadgeTextDetails} */ ({ tabId, text });
  await chrome.action.setBadgeText(details).catch(() => {
    // The tab has just closed, and its badge with it.
  });
}
