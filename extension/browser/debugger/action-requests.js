/** The requests that an action has started, from its latest input on: its reply waits for them. */

import { isHit } from "../analytics-hits.js";

/** What changes a page when it comes. Pictures and fonts do not, and a stream of events has no end. */
const FOLLOWED = new Set(["document", "fetch", "script", "stylesheet", "websocket frame", "xhr"]);
/** All waiting for requests, from the latest input on. */
const MOST_MS = 1_000;
/** A page that talks through a socket is answered in several frames: no further one follows the last within this time. */
const QUIET_MS = 200;

export class ActionRequests {
  /** @type {Set<string>} the browser's names for those that run */
  #open = new Set();
  #since = -Infinity;
  #ended = () => {};
  /** @type {Map<string, ReturnType<typeof setTimeout>>} by the names of those that end unless more comes */
  #ending = new Map();

  /** Forgets what was there before: an input follows. */
  begin() {
    this.#open.clear();
    for (const timer of this.#ending.values()) clearTimeout(timer);
    this.#ending.clear();
    this.#since = performance.now();
  }

  /** Whether one is running that is still waited for. */
  get isOpen() {
    return this.#open.size > 0 && performance.now() - this.#since < MOST_MS;
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
  }

  /**
   * Part of an answer has come.
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
    if (this.#open.delete(id) && this.#open.size === 0) this.#ended();
  }

  /**
   * @returns {Promise<boolean>} whether any was waited for
   */
  async ended() {
    if (!this.isOpen) return false;
    const left = MOST_MS - (performance.now() - this.#since);
    await new Promise((resolve) => {
      this.#ended = () => resolve(undefined);
      setTimeout(resolve, left);
    });
    return true;
  }
}
