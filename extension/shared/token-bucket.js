/** A token bucket: a burst at once, then a rate per second. */
export class TokenBucket {
  /** @readonly */
  #most;
  /** @readonly */
  #perSecond;
  #room;
  #at = 0;

  /**
   * @param {number} most size of a burst
   * @param {number} perSecond
   */
  constructor(most, perSecond) {
    this.#most = this.#room = most;
    this.#perSecond = perSecond;
  }

  /**
   * @param {number} timestamp in milliseconds
   * @param {number} [mostWaitS] maximum wait for one more token
   * @returns {number | null} seconds to wait, or null if that exceeds the maximum; then no token is taken
   */
  take(timestamp, mostWaitS = 0) {
    const seconds = Math.max(0, timestamp - this.#at) / 1_000;
    this.#room = Math.min(this.#most, this.#room + seconds * this.#perSecond);
    this.#at = timestamp;
    const waitS = Math.max(0, 1 - this.#room) / this.#perSecond;
    if (waitS > mostWaitS) return null;
    this.#room -= 1;
    return waitS;
  }
}
