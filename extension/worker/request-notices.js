/**
 * The browser's notifications about open requests: a person who looks at another program hears of them too. Only what
 * was drawn can be answered there, so a notification goes with its request.
 *
 * @import {AgentRequest} from "../shared/types.d.ts"
 */

import { question } from "../shared/requests.js";

/** In the order of the notification's buttons. */
const ANSWERS = [true, false];

/** @type {Set<string>} ids of the requests that have a notification */
const shown = new Set();

/** @param {AgentRequest[]} open */
export function showNotices(open) {
  for (const request of open) if (!shown.has(request.id)) showNotice(request);
  for (const id of shown) {
    if (open.some((request) => request.id === id)) continue;
    shown.delete(id);
    void chrome.notifications.clear(id);
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
  shown.add(request.id);
  const options = {
    type: /** @type {const} */ ("basic"),
    iconUrl: chrome.runtime.getURL("icons/icon-128.png"),
    title: question(request),
    message: `"${request.title}" (${request.site})\n${request.client}: "${request.reason}"`,
    buttons: [{ title: "Allow" }, { title: "Deny" }],
    requireInteraction: true,
  };
  // Where the system shows none, the badge and the popup still ask.
  chrome.notifications.create(request.id, options, () => void chrome.runtime.lastError);
}
