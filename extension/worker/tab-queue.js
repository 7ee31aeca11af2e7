/** Commands of one tab run one after another; tabs run side by side. */

import { unlessAborted } from "./waiting.js";

const ABORT_GRACE_MS = 100;

/** @type {Map<number, Promise<unknown>>} the last command of each tab that has one */
const tails = new Map();

/**
 * @template T
 * @param {number} tabId
 * @param {AbortSignal} signal aborted when the command has ended: then it leaves the queue, started or not
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function inTurn(tabId, signal, work) {
  const before = tails.get(tabId);
  const mine = (async () => {
    await before;
    return unlessAborted(signal, work, ABORT_GRACE_MS);
  })();
  const tail = mine.catch(() => {});
  tails.set(tabId, tail);
  void tail.then(() => tails.get(tabId) === tail && tails.delete(tabId));
  return mine;
}
