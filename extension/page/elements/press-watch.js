"use strict";

// Whether a press of the mouse reaches the element that it is meant for: hovering may cover or replace it.

const pressWatch = (() => {
  const { innerRootOf, isDocument, isFrame, windowOf } = dom;
  const { hitAt, isPartOf } = geometry;
  const { coverName, pause } = readiness;

  const EVENTS = ["pointerdown", "mousedown", "pointerup", "mouseup", "click"];
  /** A press on a page of another site is not told here. */
  const PRESS_WAIT_MS = 300;

  /** Watches from its making to the end of one press; a press that goes astray is kept from the page. */
  class PressWatch {
    /** @readonly */
    #element;
    /** @readonly */
    #views;
    /** @readonly @type {PromiseWithResolvers<string>} */
    #cover = Promise.withResolvers();
    /** @readonly @type {PromiseWithResolvers<string>} */
    #release = Promise.withResolvers();
    #isDecided = false;
    #isAstray = false;

    /**
     * @param {Element} element
     * @param {Root[]} roots all of the page
     */
    constructor(element, roots) {
      this.#element = element;
      this.#views = roots.filter(isDocument).map(windowOf);
      for (const view of this.#views) for (const type of EVENTS) view?.addEventListener(type, this.#onEvent, true);
    }

    /**
     * @param {Point} point of the press, in the viewport of the main frame
     * @returns {Promise<PressOutcome>}
     */
    async outcome(point) {
      const cover = await Promise.race([this.#cover.promise, pause(PRESS_WAIT_MS)]);
      if (typeof cover === "string") {
        const release = cover ? "" : await Promise.race([this.#release.promise, pause(PRESS_WAIT_MS)]);
        return { cover, isPressed: false, release: typeof release === "string" ? release : "" };
      }
      this.stop();
      const hit = hitAt(point);
      const foreign = hit && isFrame(hit) ? this.#coverOf(hit) : "";
      return { cover: foreign, isPressed: foreign !== "", release: "" };
    }

    stop() {
      for (const view of this.#views) for (const type of EVENTS) view?.removeEventListener(type, this.#onEvent, true);
    }

    #onEvent = (/** @type {Event} */ event) => {
      if (!event.isTrusted) return;
      const hit = hitBy(/** @type {MouseEvent} */ (event));
      if (!this.#isDecided) this.#decide(hit);
      if (event.type === "mouseup") this.#release.resolve(this.#element.isConnected ? this.#coverOf(hit) : "");
      if (this.#isAstray) {
        event.preventDefault();
        event.stopImmediatePropagation();
      }
      // The click comes with it, in the same task.
      if (event.type === "mouseup") setTimeout(() => this.stop());
    };

    /** @param {Element} hit */
    #decide(hit) {
      const cover = this.#coverOf(hit);
      this.#isDecided = true;
      this.#isAstray = cover !== "";
      this.#cover.resolve(cover);
    }

    /** @param {Element} hit */
    #coverOf(hit) {
      return isPartOf(hit, this.#element) ? "" : coverName(hit, this.#element);
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

  return { PressWatch };
})();
