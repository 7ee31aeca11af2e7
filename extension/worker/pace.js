/**
 * How many commands a session may have run: so many a second for long, and many times that at once. What is over it waits
 * its turn; what would wait too long is refused. So one session cannot take the browser from the others.
 *
 * @import {Session} from "../shared/types.d.ts"
 * @import {ChosenPreferences} from "./preferences.js"
 */

import { CommandError } from "../shared/errors.js";

/** As many seconds' worth may come at once. */
const BURST_S = 10;
const MAX_WAIT_S = 5;
const MAX_SESSIONS = 1_000;

export class Pace {
  /** @type {Map<string, {room: number, at: number}>} by session, the last one to ask at the end */
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
   * @throws {CommandError} RATE_LIMITED, and the reason of the signal
   */
  async take({ id, client }, signal) {
    const perSecond = this.#preferences.now.commandsPerSecond;
    const key = `${id} ${client}`;
    const now = performance.now();
    const { room, at } = this.#buckets.get(key) ?? { room: perSecond * BURST_S, at: now };
    const left = Math.min(perSecond * BURST_S, room + ((now - at) / 1_000) * perSecond) - 1;
    const waitS = -left / perSecond;
    if (waitS > MAX_WAIT_S) throw tooMany(perSecond);
    this.#buckets.delete(key);
    this.#buckets.set(key, { room: left, at: now });
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > MAX_SESSIONS && oldest !== undefined) this.#buckets.delete(oldest);
    if (waitS > 0) await new Promise((go) => setTimeout(go, waitS * 1_000));
    signal.throwIfAborted();
  }
}

/** @param {number} perSecond */
function tooMany(perSecond) {
  return new CommandError(
    "RATE_LIMITED",
    `This session asks for more than ${perSecond} commands a second, which the extension's options allow. Wait a few ` +
      "seconds, then ask for one after another.",
  );
}
