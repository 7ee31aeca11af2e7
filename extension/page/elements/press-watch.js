"use strict";

// Whether a press of the mouse reaches the element that it is meant for: hovering may cover or replace it.

const pressWatch = (() => {
  const { innerRootOf, isDocument, isFrame, windowOf } = dom;
  const { hitAt, isPartOf } = geometry;
  const { coverName, pause } = readiness;

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
  /** A press on a page of another site is not told here. */
  const PRESS_WAIT_MS = 300;

  /**
   * Watches from its making to the end of its presses; one that goes astray is kept from the page. Those that are meant
   * for what is in a frame of another site are seen there: each that is seen here goes astray.
   */
  class PressWatch {
    /** @readonly */
    #element;
    /** @readonly */
    #isWay;
    /** @readonly */
    #views;
    /** @readonly @type {PromiseWithResolvers<string>} */
    #cover = Promise.withResolvers();
    /** @readonly @type {PromiseWithResolvers<string>} */
    #release = Promise.withResolvers();
    #isDecided = false;
    /** Whether the first press goes astray, and so all. */
    #isCovered = false;
    #isAstray = false;
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
    }

    /** Whether the browser has begun to drag something, and the page has let it. */
    get isDragging() {
      return this.#dragStart !== null && !this.#dragStart.defaultPrevented;
    }

    /**
     * @param {Point} point of the press, in the viewport of the main frame
     * @param {boolean} isHeld whether no release follows yet
     * @returns {Promise<PressOutcome>}
     */
    async outcome(point, isHeld) {
      const cover = await Promise.race([this.#cover.promise, pause(PRESS_WAIT_MS)]);
      if (typeof cover === "string") {
        const release = cover || isHeld ? "" : await Promise.race([this.#release.promise, pause(PRESS_WAIT_MS)]);
        return { isSeen: true, cover, isPressed: false, release: typeof release === "string" ? release : "" };
      }
      this.stop();
      const hit = hitAt(point);
      const foreign = hit && isFrame(hit) && hit !== this.#element ? this.#coverOf(hit) : "";
      return { isSeen: false, cover: foreign, isPressed: foreign !== "", release: "" };
    }

    stop() {
      for (const view of this.#views) {
        for (const type of EVENTS) view?.removeEventListener(type, this.#onEvent, true);
        view?.removeEventListener("contextmenu", shutMenu);
      }
    }

    #onEvent = (/** @type {Event} */ event) => {
      if (!event.isTrusted) return;
      const hit = hitBy(/** @type {MouseEvent} */ (event));
      if (!this.#isDecided) this.#decide(hit);
      // What the first press has opened takes no further one.
      else if (event.type === "pointerdown" && !this.#isCovered) this.#isAstray = this.#coverNow(hit) !== "";
      // A pointer whose press was prevented makes no more events of the mouse.
      if (event.type === "pointerup") this.#noteRelease(hit);
      if (event.type === "dragstart") this.#dragStart = event;
      if (this.#isAstray) {
        event.preventDefault();
        event.stopImmediatePropagation();
      }
    };

    /** @param {Element} hit */
    #decide(hit) {
      const cover = this.#coverOf(hit);
      this.#isDecided = true;
      this.#isCovered = cover !== "";
      this.#isAstray = this.#isCovered;
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
   * The page has seen the event by now; the browser's own menu would wait for a person.
   *
   * @param {Event} event
   */
  function shutMenu(event) {
    if (event.isTrusted) event.preventDefault();
  }

  return { PressWatch };
})();
