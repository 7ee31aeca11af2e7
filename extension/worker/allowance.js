/** How much may come at once, and how much in a second for long: more is a flood. */
export class Allowance {
  /** @readonly */
  #most;
  /** @readonly */
  #perSecond;
  #room;
  #at = 0;

  /**
   * @param {number} most at once
   * @param {number} perSecond
   */
  constructor(most, perSecond) {
    this.#most = this.#room = most;
    this.#perSecond = perSecond;
  }

  /**
   * @param {number} timestamp milliseconds
   * @returns {boolean} false when one more is too much
   */
  take(timestamp) {
    const seconds = Math.max(0, timestamp - this.#at) / 1_000;
    this.#room = Math.min(this.#most, this.#room + seconds * this.#perSecond) - 1;
    this.#at = timestamp;
    return this.#room >= 0;
  }
}
