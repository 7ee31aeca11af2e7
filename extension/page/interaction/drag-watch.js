"use strict";

// Whether an element that the browser drags for a page reaches its target. In different frames each has its own watch.

const dragWatch = (() => {
  const { attributeOf, boxOf, drawnAncestors, isDocument, pause, windowOf } = dom;

  const EVENTS = ["dragstart", "drop", "dragend"];
  /** For a busy page to handle the drop that the browser has dispatched. */
  const END_WAIT_MS = 500;

  /** Watches from its construction until `stop` or `outcome`. */
  class DragWatch {
    /** @readonly */
    #listening = new AbortController();
    /** @readonly whether the page declares the element as draggable */
    #isDraggable;
    /** @type {Event | null} */
    #start = null;
    #hasDropped = false;
    /** @readonly */
    #element;
    /** @readonly where it was before */
    #before;
    /** @readonly @type {PromiseWithResolvers<DragOutcome>} */
    #end = Promise.withResolvers();

    /**
     * @param {Element} element
     * @param {Root[]} roots of the whole page
     */
    constructor(element, roots) {
      this.#element = element;
      this.#before = boxOf(element);
      this.#isDraggable = [...drawnAncestors(element)].some(isDraggable);
      const how = { capture: true, signal: this.#listening.signal };
      for (const view of roots.filter(isDocument).map(windowOf)) {
        for (const type of EVENTS) view?.addEventListener(type, this.#onEvent, how);
      }
    }

    /** Whether the browser has started to drag something, and the page has allowed it. */
    get isDragging() {
      return this.#start !== null && !this.#start.defaultPrevented;
    }

    get hasMoved() {
      const { x, y, width, height } = boxOf(this.#element);
      const before = this.#before;
      return x !== before.x || y !== before.y || width !== before.width || height !== before.height;
    }

    /** @returns {Promise<DragOutcome>} after the release */
    async outcome() {
      if (this.isDragging && !this.#hasDropped) {
        const late = pause(END_WAIT_MS).then(() => /** @type {const} */ ("unfinished"));
        const end = await Promise.race([this.#end.promise, late]);
        this.stop();
        return end;
      }
      this.stop();
      if (this.#hasDropped) return "dropped";
      return this.#isDraggable && !this.#start ? "unstarted" : "mouse";
    }

    stop() {
      this.#listening.abort();
    }

    #onEvent = (/** @type {Event} */ event) => {
      if (!event.isTrusted) return;
      if (event.type === "dragstart") {
        this.#start = event;
        // A source that the page removes meanwhile receives its end alone.
        event.composedPath()[0]?.addEventListener("dragend", this.#onEvent, { once: true });
      } else if (event.type === "drop") {
        this.#hasDropped = true;
        this.#end.resolve("dropped");
      } else {
        const effect = /** @type {DragEvent} */ (event).dataTransfer?.dropEffect;
        this.#end.resolve(effect === "none" ? "refused" : "dropped");
      }
    };
  }

  /** @param {Element} element */
  function isDraggable(element) {
    return attributeOf(element, "draggable")?.toLowerCase() === "true";
  }

  return { DragWatch };
})();
