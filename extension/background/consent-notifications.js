/**
 * Notifications about open consent prompts, for a user who looks at another program. Only a prompt that is open can be
 * answered there, so a notification is removed with its prompt.
 *
 * @import {ConsentPrompt} from "../shared/types.d.ts"
 */

import { NOTICES_ASK } from "../shared/capabilities.js";
import { phrase } from "../shared/messages.js";
import { explanation, question, statedReason } from "../shared/consent-text.js";
import { isolated } from "../shared/text.js";

/** In the order of the notification's buttons. */
const ANSWERS = [true, false];

/** @type {Map<string, Promise<unknown>>} by the ids of their prompts: resolves once the notification is there */
const shown = new Map();

/** @param {ConsentPrompt[]} open */
export function showNotifications(open) {
  for (const request of open) if (!shown.has(request.id)) showNotification(request);
  for (const [id, isThere] of shown) {
    if (open.some((request) => request.id === id)) continue;
    shown.delete(id);
    // One that is on its way yet would come afterwards, and stay.
    void isThere.then(() => chrome.notifications.clear(id));
  }
}

/** Those of a worker that was killed: no command waits for their answers. */
export async function clearOldNotifications() {
  const ids = Object.keys(await chrome.notifications.getAll());
  for (const id of ids) if (!shown.has(id)) void chrome.notifications.clear(id);
}

/**
 * @param {number} button
 * @returns {boolean} whether it allows what was asked
 */
export function answerOf(button) {
  return ANSWERS[button] ?? false;
}

/** @param {ConsentPrompt} request */
function showNotification(request) {
  const reason = statedReason(request);
  const options = {
    type: /** @type {const} */ ("basic"),
    iconUrl: chrome.runtime.getURL("icons/icon-128.png"),
    title: question(request),
    message: [`"${isolated(request.title)}" (${request.site})`, ...(reason ? [reason] : []), explanation(request)].join(
      "\n",
    ),
    ...(NOTICES_ASK && { buttons: [{ title: phrase("allow") }, { title: phrase("deny") }], requireInteraction: true }),
  };
  const isThere = chrome.notifications.create(request.id, options).catch(() => {
    // Where the system shows none, the badge and the popup still ask.
  });
  shown.set(request.id, isThere);
}
