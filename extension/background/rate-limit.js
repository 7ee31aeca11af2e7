/**
 * Limits the commands of each session with a token bucket, so that one session cannot block the others. A command over
 * the limit waits its turn; one that would wait too long is rejected.
 *
 * @import {Session} from "../shared/types.d.ts"
 * @import {ChosenPreferences} from "./preferences.js"
 */

import { CommandError } from "../shared/errors.js";
import { TokenBucket } from "../shared/token-bucket.js";

/** Size of a burst, in seconds' worth of commands. */
const BURST_S = 2;
const MAX_WAIT_S = 5;
const MAX_SESSIONS = 1_000;

export class SessionRateLimiter {
  /** @type {Map<string, TokenBucket>} by session and its limit, the most recently used last */
  #buckets = new Map();
  /** @readonly */
  #preferences;

  /** @param {ChosenPreferences} preferences */
  constructor(preferences) {
    this.#preferences = preferences;
  }

  /**
   * @param {Session} session
   * @param {AbortSignal} signal
   * @throws {CommandError} RATE_LIMITED, or the signal's reason
   */
  async take({ id, client }, signal) {
    const perSecond = this.#preferences.now.commandsPerSecond;
    const key = JSON.stringify([id, client, perSecond]);
    const bucket = this.#buckets.get(key) ?? new TokenBucket(perSecond * BURST_S, perSecond);
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > MAX_SESSIONS && oldest !== undefined) this.#buckets.delete(oldest);
    const waitS = bucket.take(performance.now(), MAX_WAIT_S);
    if (waitS === null) throw tooMany(perSecond);
    if (waitS > 0) await new Promise((go) => setTimeout(go, waitS * 1_000));
    signal.throwIfAborted();
  }
}

/** @param {number} perSecond */
function tooMany(perSecond) {
  return new CommandError(
    "RATE_LIMITED",
    `This session sent more than ${perSecond} commands a second, the limit in the extension's options. Wait a few ` +
      "seconds, then send one command at a time.",
  );
}
