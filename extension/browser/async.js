/** Bounded waits. @import {CommandError} from "../shared/errors.js" */

/**
 * @param {number} milliseconds
 * @param {Promise<unknown>} work
 * @returns {Promise<boolean>} false if it has not finished in time
 */
export async function endsWithin(milliseconds, work) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, milliseconds, false)));
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * @param {number} milliseconds
 * @returns {Promise<void>}
 */
export function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/**
 * @param {EventTarget} target
 * @param {string} event
 * @param {AbortSignal} signal aborted when the result is no longer needed
 * @returns {Promise<void>} when the event is next fired
 */
export function nextEvent(target, event, signal) {
  return new Promise((resolve) => target.addEventListener(event, () => resolve(), { once: true, signal }));
}

/**
 * Returns the work's result, or rejects with the signal's reason: work that ignores an abort delays nothing.
 *
 * @template T
 * @param {AbortSignal} signal
 * @param {() => Promise<T>} work
 * @param {number} [graceMs] extra time after an abort, for work that notices it and reports what happened meanwhile
 * @returns {Promise<T>}
 */
export async function unlessAborted(signal, work, graceMs) {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers();
  const refuse = () => reject(signal.reason);
  const abort = () => void (graceMs === undefined ? refuse() : setTimeout(refuse, graceMs));
  signal.addEventListener("abort", abort);
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/**
 * Aborts all of them before anything else runs. In a listener of extension events, microtasks run after each abort:
 * work that waits for an aborted command would start.
 *
 * @param {Iterable<AbortController>} controllers
 * @param {CommandError} reason
 * @returns {Promise<void>} once they are aborted, and have sent what releases their resources
 */
export async function abortAll(controllers, reason) {
  const all = [...controllers];
  await Promise.resolve();
  for (const controller of all) controller.abort(reason);
}
