/**
 * Notifications about open consent prompts, for a user who is in another program. Only an open prompt can be answered
 * there, so a notification is removed with its prompt.
 *
 * @import {ConsentPrompt} from "../shared/types.d.ts"
 */

import { NOTICES_ASK } from "../shared/capabilities.js";
import { phrase } from "../shared/messages.js";
import { explanation, question, statedReason } from "../shared/consent-text.js";
import { isolated } from "../shared/text.js";

/** In the order of the notification's buttons. */
const ANSWERS = [true, false];

/** @type {Map<string, Promise<unknown>>} by prompt id; resolves once the notification is shown */
const shown = new Map();

/** @param {ConsentPrompt[]} open */
export function showNotifications(open) {
  for (const request of open) if (!shown.has(request.id)) showNotification(request);
  for (const [id, isThere] of shown) {
    if (open.some((request) => request.id === id)) continue;
    shown.delete(id);
    // One that is still being created would appear afterwards, and stay.
    void isThere.then(() => chrome.notifications.clear(id));
  }
}

/** Left over from a killed worker: no command waits for their replies. */
export async function clearOldNotifications() {
  const ids = Object.keys(await chrome.notifications.getAll());
  for (const id of ids) if (!shown.has(id)) void chrome.notifications.clear(id);
}

/**
 * @param {number} button
 * @returns {boolean} whether the button allows the request
 */
export function answerOf(button) {
  return ANSWERS[button] ?? false;
}

/** @param {ConsentPrompt} request */
function showNotification(request) {
  const { title, site } = request;
  const reason = statedReason(request);
  const options = {
    type: /** @type {const} */ ("basic"),
    iconUrl: chrome.runtime.getURL("icons/icon-128.png"),
    title: question(request),
    message: [title && isolated(title), site, reason, explanation(request)].filter(Boolean).join("\n"),
    ...(NOTICES_ASK && { buttons: [{ title: phrase("allow") }, { title: phrase("deny") }], requireInteraction: true }),
  };
  const isThere = chrome.notifications.create(request.id, options).catch(() => {
    // If the system shows no notifications, the badge and the popup still ask.
  });
  shown.set(request.id, isThere);
}
