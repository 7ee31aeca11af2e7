/** Commands of one tab run one after another; tabs run side by side. */

/** @type {Map<number, Promise<unknown>>} the last command of each tab that has one */
const tails = new Map();

/**
 * @template T
 * @param {number} tabId
 * @param {AbortSignal} signal aborted when the command's time is up: then it leaves the queue, started or not
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function inTurn(tabId, signal, work) {
  const before = tails.get(tabId);
  const mine = (async () => {
    await before;
    signal.throwIfAborted();
    return Promise.race([work(), aborted(signal)]);
  })();
  const tail = mine.catch(() => {});
  tails.set(tabId, tail);
  void tail.then(() => tails.get(tabId) === tail && tails.delete(tabId));
  return mine;
}

/**
 * @param {AbortSignal} signal
 * @returns {Promise<never>}
 */
function aborted(signal) {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}
