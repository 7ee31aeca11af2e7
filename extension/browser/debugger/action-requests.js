/** Requests that an action started since its latest input: its reply waits for them. */

import { isHit } from "../analytics-hits.js";

/** Types whose responses change a page. Images and fonts do not, and an event stream has no end. */
const FOLLOWED = new Set(["document", "fetch", "script", "stylesheet", "websocket frame", "xhr"]);
/** Total wait for requests, from the latest input on. */
const MOST_MS = 1_000;
/** A reply over a WebSocket may arrive in several frames: it is complete when none follows within this time. */
const QUIET_MS = 200;

export class ActionRequests {
  /** @type {Set<string>} the browser's ids of running requests */
  #open = new Set();
  #since = -Infinity;
  /** Whether there has been a relevant request since then. */
  hasBegun = false;
  /** Whether one has ended that no reply has taken into account yet. */
  #hasEnded = false;
  #ended = () => {};
  /** @type {Map<string, ReturnType<typeof setTimeout>>} timers, by the ids of answers that end unless more arrives */
  #ending = new Map();

  /** Discards earlier requests: an input follows. */
  begin() {
    this.#open.clear();
    this.hasBegun = false;
    this.#hasEnded = false;
    for (const timer of this.#ending.values()) clearTimeout(timer);
    this.#ending.clear();
    this.#since = performance.now();
  }

  /** Returns whether a relevant request is still running, for however long. */
  get isRunning() {
    return this.#open.size > 0;
  }

  /**
   * @param {string} id
   * @param {string} type
   * @param {string} [url]
   */
  add(id, type, url = "") {
    if (!FOLLOWED.has(type) || isHit(url) || performance.now() - this.#since >= MOST_MS) return;
    clearTimeout(this.#ending.get(id));
    this.#open.add(id);
    this.hasBegun = true;
  }

  /**
   * Part of a reply has arrived.
   *
   * @param {string} id
   */
  endSoon(id) {
    if (!this.#open.has(id)) return;
    clearTimeout(this.#ending.get(id));
    this.#ending.set(
      id,
      setTimeout(() => this.end(id), QUIET_MS),
    );
  }

  /** @param {string} id */
  end(id) {
    this.#ending.delete(id);
    if (!this.#open.delete(id)) return;
    this.#hasEnded = true;
    if (this.#open.size === 0) this.#ended();
  }

  /**
   * @returns {Promise<boolean>} whether there was anything to wait for, or one has ended since the last call
   */
  async ended() {
    const left = MOST_MS - (performance.now() - this.#since);
    const hasWaited = this.isRunning && left > 0;
    if (hasWaited) {
      await new Promise((resolve) => {
        this.#ended = () => resolve(undefined);
        setTimeout(resolve, left);
      });
    }
    const hasEnded = this.#hasEnded;
    this.#hasEnded = false;
    return hasWaited || hasEnded;
  }
}
