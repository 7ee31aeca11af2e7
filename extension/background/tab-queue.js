/** Commands of one tab run one after another, taking turns between sessions; tabs run in parallel. */

import { unlessAborted } from "../browser/async.js";

const ABORT_GRACE_MS = 100;

/**
 * @type {Map<number, Map<string, (() => void)[]>>} waiting commands of each busy tab, by session in order of arrival
 */
const waiting = new Map();

/**
 * @template T
 * @param {number} tabId
 * @param {AbortSignal} signal aborted when the command has ended: it then leaves the queue, started or not
 * @param {() => Promise<T>} work
 * @param {string} session owner of the work: however many commands one session has waiting, another session's runs
 *   after one of them
 * @returns {Promise<T>}
 */
export async function inTurn(tabId, signal, work, session) {
  const others = waiting.get(tabId);
  if (others) await turnAfter(others, session);
  else waiting.set(tabId, new Map());
  try {
    return await unlessAborted(signal, work, ABORT_GRACE_MS);
  } finally {
    passOn(tabId);
  }
}

/**
 * @param {Map<string, (() => void)[]>} others
 * @param {string} session
 * @returns {Promise<void>}
 */
function turnAfter(others, session) {
  return new Promise((begin) => {
    const own = others.get(session);
    if (own) own.push(begin);
    else others.set(session, [begin]);
  });
}

/** @param {number} tabId the tab whose work has ended */
function passOn(tabId) {
  const others = waiting.get(tabId);
  const [session, own] = others?.entries().next().value ?? ["", []];
  const begin = own.shift();
  if (!begin) return void waiting.delete(tabId);
  others?.delete(session);
  if (own.length) others?.set(session, own);
  begin();
}
