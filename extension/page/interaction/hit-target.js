"use strict";

// Whether a mouse press reaches its intended element: hovering may cover or replace it.

const hitTarget = (() => {
  const { closestOf, holds, innerRootOf, isDocument, isFrame, isMatch, treeAncestors, windowOf } = dom;
  const { nameOf } = texts;
  const { isCopy } = replacements;
  const { hitAt, isPartOf } = geometry;
  const { coverName } = actionability;
  const { HOLDERS } = crossOriginFrames;

  const EVENTS = [
    "pointerdown",
    "mousedown",
    "pointerup",
    "mouseup",
    "click",
    "auxclick",
    "dblclick",
    "contextmenu",
    "dragstart",
  ];
  /**
   * Watches from its construction to the end of its presses, however late the page handles them; a press that misses is
   * kept from the page. Presses on something in a cross-origin frame are seen in that frame: those seen here have
   * missed.
   */
  class PressWatch {
    /** @readonly */
    #element;
    /** @readonly */
    #isWay;
    /** @readonly */
    #views;
    /** @readonly number of mouse presses in its windows before */
    #before;
    /** @readonly @type {PromiseWithResolvers<string | null>} null if no press has been seen */
    #cover = Promise.withResolvers();
    /** @readonly @type {PromiseWithResolvers<string>} */
    #release = Promise.withResolvers();
    #isDecided = false;
    /** Whether the first press missed, and therefore all of them. */
    #isCovered = false;
    #hasMissed = false;
    #presses;
    #releasedOver = "";

    /**
     * @param {Element} element
     * @param {Root[]} roots of the whole page
     * @param {number} presses number of consecutive presses
     * @param {boolean} [isWay] whether they are meant for something in the element, a cross-origin frame
     */
    constructor(element, roots, presses, isWay = false) {
      this.#element = element;
      this.#presses = presses;
      this.#isWay = isWay;
      this.#views = roots.filter(isDocument).map(windowOf);
      for (const view of this.#views) {
        for (const type of EVENTS) view?.addEventListener(type, this.#onEvent, true);
        view?.addEventListener("contextmenu", shutMenu);
      }
      this.#before = this.#pressesSoFar();
    }

    /**
     * @param {Point} point of the press, in the viewport of the main frame
     * @param {boolean} isHeld whether the release comes later
     * @returns {Promise<PressOutcome>} once the presses have been seen, or are over
     */
    async outcome(point, isHeld) {
      const cover = await this.#cover.promise;
      if (cover === null) return this.#unseen(point);
      const release = cover || isHeld ? "" : await this.#release.promise;
      return { isSeen: true, isLost: false, cover, isPressed: false, release };
    }

    /** The browser has dispatched the presses: those not seen by now never will be. */
    end() {
      this.#cover.resolve(null);
      this.#release.resolve(this.#releasedOver);
      if (!this.#isDecided) this.stop();
    }

    stop() {
      for (const view of this.#views) {
        for (const type of EVENTS) view?.removeEventListener(type, this.#onEvent, true);
        view?.removeEventListener("contextmenu", shutMenu);
      }
    }

    #onEvent = (/** @type {Event} */ event) => {
      if (!event.isTrusted) return;
      // A busy browser delays timers until it has drawn, and the next press may come first.
      if (this.#presses === 0 && event.type === "pointerdown") return this.stop();
      const hit = hitBy(/** @type {MouseEvent} */ (event));
      if (!this.#isDecided) this.#decide(hit);
      // Something that the first press opened must not receive the next one.
      else if (event.type === "pointerdown" && !this.#isCovered) this.#hasMissed = this.#coverNow(hit) !== "";
      // After a prevented pointerdown there are no further mouse events.
      if (event.type === "pointerup") this.#noteRelease(hit);
      if (this.#hasMissed) {
        event.preventDefault();
        event.stopImmediatePropagation();
      }
    };

    /**
     * @param {Point} point
     * @returns {PressOutcome}
     */
    #unseen(point) {
      const hit = hitAt(point);
      const foreign = hit && isFrame(hit) && hit !== this.#element ? this.#coverOf(hit) : "";
      const isTaken = this.#pressesSoFar() > this.#before || (hit !== null && isMatch(hit, HOLDERS));
      return { isSeen: false, isLost: !isTaken, cover: foreign, isPressed: foreign !== "", release: "" };
    }

    /** @returns {number} including those that a page listener hid from ours */
    #pressesSoFar() {
      return this.#views.reduce((sum, view) => sum + (view?.performance.eventCounts.get("pointerdown") ?? 0), 0);
    }

    /** @param {Element} hit */
    #decide(hit) {
      const cover = this.#coverOf(hit);
      this.#isDecided = true;
      this.#isCovered = cover !== "";
      this.#hasMissed = this.#isCovered;
      this.#cover.resolve(cover);
    }

    /** @param {Element} hit */
    #noteRelease(hit) {
      this.#releasedOver ||= this.#isTurnedOff(hit) ? "" : this.#coverNow(hit) || this.#copyAt(hit);
      this.#presses -= 1;
      if (this.#presses > 0) return;
      this.#release.resolve(this.#releasedOver);
      // The click comes with it, in the same task.
      setTimeout(() => this.stop());
    }

    /**
     * @param {Element} hit
     * @returns {boolean} whether the page has reacted to the press by keeping all mouse events from the element, as it does
     *   for what is around an open menu: nothing lies over it
     */
    #isTurnedOff(hit) {
      if (!holds(hit, this.#element)) return false;
      return getComputedStyle(this.#element).pointerEvents === "none" || closestOf(this.#element, "[inert]") !== null;
    }

    /**
     * @param {Element} hit
     * @returns {string} what the page has drawn in the place of the element since the press: the browser takes that for
     *   another element, and dispatches no click to it
     */
    #copyAt(hit) {
      const copy = this.#element.isConnected
        ? undefined
        : [...treeAncestors(hit)].find((one) => isCopy(one, this.#element));
      return copy ? `another ${nameOf(copy)}` : "";
    }

    /** @param {Element} hit */
    #coverNow(hit) {
      return this.#element.isConnected ? this.#coverOf(hit) : "";
    }

    /** @param {Element} hit */
    #coverOf(hit) {
      return isPartOf(hit, this.#element) && !this.#isWay ? "" : coverName(hit, this.#element);
    }
  }

  /**
   * @param {MouseEvent} event
   * @returns {Element} also in a closed shadow root, where an event names only the host
   */
  function hitBy(event) {
    const named = /** @type {Element} */ (event.composedPath()[0]);
    const root = innerRootOf(named);
    return (root && !isDocument(root) && hitAt({ x: event.clientX, y: event.clientY }, root)) || named;
  }

  /**
   * The page has seen the event by now; the browser's own menu would wait for a user.
   *
   * @param {Event} event
   */
  function shutMenu(event) {
    if (event.isTrusted) event.preventDefault();
  }

  return { PressWatch };
})();
