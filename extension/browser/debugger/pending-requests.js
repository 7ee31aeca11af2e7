/** Requests that the page in a tab waits for. @import {LoggedRequest} from "../../shared/types.d.ts" */

import { isHit } from "../analytics-hits.js";

/** @typedef {import("./network-log.js").NetworkLog} NetworkLog */

/** After this time, a page that still waits for a response is working, not loading. */
export const YOUNG_MS = 10_000;
/**
 * A page polls with requests that take longer than `long` and follow one another within `pause`, or with a GET that it
 * sends so many times within this time. All that an application posts may go to one address.
 */
const POLLS = { long: 5_000, pause: 1_000, times: 3, within: 30_000 };
/** Request types that what a page shows may depend on. */
const LOADED = new Set(["document", "script", "stylesheet", "fetch", "xhr"]);

/**
 * @param {NetworkLog | undefined} log
 * @param {number} [since] on the clock of `Date.now`; by default not long ago
 * @returns {number} requests that the page has sent since then and waits for, as far as known
 */
export function countPending(log, since = Date.now() - YOUNG_MS) {
  const isRecent = (/** @type {LoggedRequest} */ { type, begunAt, url }) =>
    begunAt >= since && LOADED.has(type) && !isHit(url);
  const recent = log?.running().filter(isRecent) ?? [];
  const all = recent.length && log ? log.newest() : [];
  return recent.filter((request) => !isPoll(request, all)).length;
}

/**
 * @param {number} count
 * @returns {string} a sentence for the client; empty if there are none
 */
export function pendingNote(count) {
  if (!count) return "";
  const what = count === 1 ? "a response" : `${count} responses`;
  return `The page is still waiting for ${what} and may change again. Use wait_for, or look at it again.`;
}

/**
 * @param {LoggedRequest} request
 * @param {LoggedRequest[]} all
 * @returns {boolean} whether the page sends it again and again, to learn of events
 */
export function isPoll(request, all) {
  const isAlike = (/** @type {LoggedRequest} */ one) =>
    one !== request && one.method === request.method && pathOf(one) === pathOf(request);
  const alike = all.filter(isAlike);
  const isRepeated = (/** @type {LoggedRequest} */ { method, url, begunAt }) =>
    method === "GET" && url === request.url && request.begunAt - begunAt < POLLS.within;
  const hasJustEnded = (/** @type {LoggedRequest} */ { time, begunAt }) =>
    Number(time) > POLLS.long && request.begunAt - begunAt - Number(time) < POLLS.pause;
  return alike.some(hasJustEnded) || alike.filter(isRepeated).length >= POLLS.times;
}

/** @param {LoggedRequest} request */
function pathOf({ url }) {
  return url.replace(/[?#].*$/s, "");
}
