/**
 * The browser's notifications about open requests: a person who looks at another program hears of them too. Only what
 * was drawn can be answered there, so a notification goes with its request.
 *
 * @import {AgentRequest} from "../shared/types.d.ts"
 */

import { NOTICES_ASK } from "../shared/capabilities.js";
import { phrase } from "../shared/messages.js";
import { explanation, question, statedReason } from "../shared/consent-text.js";
import { isolated } from "../shared/text.js";

/** In the order of the notification's buttons. */
const ANSWERS = [true, false];

/** @type {Map<string, Promise<unknown>>} by the ids of their requests: resolves once the notification is there */
const shown = new Map();

/** @param {AgentRequest[]} open */
export function showNotices(open) {
  for (const request of open) if (!shown.has(request.id)) showNotice(request);
  for (const [id, isThere] of shown) {
    if (open.some((request) => request.id === id)) continue;
    shown.delete(id);
    // One that is on its way yet would come afterwards, and stay.
    void isThere.then(() => chrome.notifications.clear(id));
  }
}

/** Of a worker that was killed: nobody waits for their answers. */
export async function clearOldNotices() {
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

/** @param {AgentRequest} request */
function showNotice(request) {
  const reason = statedReason(request);
  const options = {
    type: /** @type {const} */ ("basic"),
    iconUrl: chrome.runtime.getURL("icons/icon-128.png"),
    title: question(request),
    message: [
      `"${isolated(request.title)}" (${request.site})`,
      `${request.client}${reason && `: ${reason}`}`,
      explanation(request),
    ].join("\n"),
    ...(NOTICES_ASK && { buttons: [{ title: phrase("allow") }, { title: phrase("deny") }], requireInteraction: true }),
  };
  const isThere = chrome.notifications.create(request.id, options).catch(() => {
    // Where the system shows none, the badge and the popup still ask.
  });
  shown.set(request.id, isThere);
}
