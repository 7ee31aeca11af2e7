/** Polls the page for as long as the view that shows the result is visible. */

const POLL_MS = 1_000;

export class Polling {
  #isOn = false;
  #isOnScreen = false;
  #isLooking = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** @readonly */
  #look;

  /**
   * @param {HTMLElement} view
   * @param {() => Promise<void>} look never rejects
   */
  constructor(view, look) {
    this.#look = look;
    document.addEventListener("visibilitychange", () => this.now());
    // This also covers another DevTools panel being shown.
    new IntersectionObserver(([change]) => {
      this.#isOnScreen = change?.isIntersecting ?? false;
      this.now();
    }).observe(view);
  }

  /** @param {boolean} isOn whether there is anything to poll */
  turn(isOn) {
    this.#isOn = isOn;
    this.now();
  }

  /** Polls at once, without waiting for the next time. */
  now() {
    clearTimeout(this.#timer);
    if (this.#isWanted && !this.#isLooking) void this.#poll();
  }

  get #isWanted() {
    return this.#isOn && this.#isOnScreen && !document.hidden;
  }

  async #poll() {
    this.#isLooking = true;
    await this.#look();
    this.#isLooking = false;
    if (this.#isWanted) this.#timer = setTimeout(() => this.now(), POLL_MS);
  }
}
