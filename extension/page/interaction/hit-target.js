"use strict";

// Whether a press of the mouse reaches the element that it is meant for: hovering may cover or replace it.

const hitTarget = (() => {
  const { innerRootOf, isDocument, isFrame, tagOf, windowOf } = dom;
  const { hitAt, isPartOf } = geometry;
  const { coverName } = actionability;

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
  /** What takes the mouse for a document of its own, which no element here shows. */
  const HOLDERS = new Set(["iframe", "frame", "embed", "object", "fencedframe"]);

  /**
   * Watches from its making to the end of its presses, however late the page comes to them; one that misses is kept
   * from the page. Those that are meant for what is in a frame of another site are seen there: each that is seen here goes
   * astray.
   */
  class PressWatch {
    /** @readonly */
    #element;
    /** @readonly */
    #isWay;
    /** @readonly */
    #views;
    /** @readonly how many presses of the mouse its windows have had before */
    #before;
    /** @readonly @type {PromiseWithResolvers<string | null>} null when no press has been seen */
    #cover = Promise.withResolvers();
    /** @readonly @type {PromiseWithResolvers<string>} */
    #release = Promise.withResolvers();
    #isDecided = false;
    /** Whether the first press misses, and so all. */
    #isCovered = false;
    #hasMissed = false;
    #presses;
    #releasedOver = "";
    /** @type {Event | null} */
    #dragStart = null;

    /**
     * @param {Element} element
     * @param {Root[]} roots all of the page
     * @param {number} presses one after another
     * @param {boolean} [isWay] whether they are meant for what is in the element, a frame of another site
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

    /** Whether the browser has begun to drag something, and the page has let it. */
    get isDragging() {
      return this.#dragStart !== null && !this.#dragStart.defaultPrevented;
    }

    /**
     * @param {Point} point of the press, in the viewport of the main frame
     * @param {boolean} isHeld whether no release follows yet
     * @returns {Promise<PressOutcome>} once the presses have been seen, or are over
     */
    async outcome(point, isHeld) {
      const cover = await this.#cover.promise;
      if (cover === null) return this.#unseen(point);
      const release = cover || isHeld ? "" : await this.#release.promise;
      return { isSeen: true, isLost: false, cover, isPressed: false, release };
    }

    /** The browser has dealt with the presses: what was not seen of them never will be. */
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
      // A busy browser holds timers back until it has drawn, and the next press may come before.
      if (this.#presses === 0 && event.type === "pointerdown") return this.stop();
      const hit = hitBy(/** @type {MouseEvent} */ (event));
      if (!this.#isDecided) this.#decide(hit);
      // What the first press has opened takes no further one.
      else if (event.type === "pointerdown" && !this.#isCovered) this.#hasMissed = this.#coverNow(hit) !== "";
      // A pointer whose press was prevented makes no more events of the mouse.
      if (event.type === "pointerup") this.#noteRelease(hit);
      if (event.type === "dragstart") this.#dragStart = event;
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
      const isTaken = this.#pressesSoFar() > this.#before || (hit !== null && HOLDERS.has(tagOf(hit)));
      return { isSeen: false, isLost: !isTaken, cover: foreign, isPressed: foreign !== "", release: "" };
    }

    /** @returns {number} also of those that a listener of the page has kept from ours */
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
      this.#releasedOver ||= this.#coverNow(hit);
      this.#presses -= 1;
      if (this.#presses > 0) return;
      this.#release.resolve(this.#releasedOver);
      // The click comes with it, in the same task.
      setTimeout(() => this.stop());
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
   * @returns {Element} also what stands in a closed shadow root, where an event names the host
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
