/** The toolbar button: a dot shows the state, the tooltip describes it. @import {Status} from "../shared/types.d.ts" */

import { phrase } from "../shared/messages.js";
import { describe, toneOf } from "../shared/status.js";

const COLORS = { good: "#137333", neutral: "#5f6368", error: "#b3261e" };
/** A badge of one space is drawn as a plain dot of its color. */
const DOT = " ";
const ATTACHED_DOT = "•";
const FAILURE = "!";
const QUESTION = { text: "?", color: "#8a5000" };

/**
 * What applies to all tabs. Each update makes the browser write to disk and repaint the toolbar, so unchanged values
 * are skipped. Unknown to a worker that has just started.
 *
 * @type {{text?: string, color?: string, title?: string}}
 */
let common = {};

/** What failed while none of our pages was open; cleared when one opens. */
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
 * Called again after each navigation, because Chrome then drops what was set for that tab.
 *
 * @param {Status} status
 * @param {number[]} attachedTabIds
 * @param {number} requests number of prompts that wait for the user's answer
 */
export async function showBadge(status, attachedTabIds, requests) {
  const tone = toneOf(status);
  const isConnected = status.state === "connected";
  const parts = [
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
    title: parts.join(" "),
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

/** @param {number} tabId a tab that is no longer attached */
export async function clearBadge(tabId) {
  await setTabText(tabId, null);
}

/**
 * @param {number} tabId
 * @param {string | null} text null for the text that applies to all tabs
 */
async function setTabText(tabId, text) {
  // Chrome also accepts null for an empty text; Firefox accepts nothing else.
  const details = /** @type {chrome.action.BadgeTextDetails} */ ({ tabId, text });
  await chrome.action.setBadgeText(details).catch(() => {
    // The tab has just closed, and its badge is gone.
  });
}
