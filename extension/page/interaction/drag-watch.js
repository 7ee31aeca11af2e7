"use strict";

// Whether an element that the browser drags for a page reaches its target. In different frames each has its own watch.

const dragWatch = (() => {
  const { attributeOf, boxOf, drawnAncestors, isDocument, isInPage, pause, queryIn, textContentOf, windowOf } = dom;
  const { isVisible } = geometry;
  const { isSamePlace } = actionability;

  const EVENTS = ["dragstart", "drop", "dragend"];
  /** How long a busy page may take to handle the drop that the browser has dispatched. */
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
    /** @readonly */
    #scrolled;
    /** @readonly @type {PromiseWithResolvers<DragOutcome>} */
    #end = Promise.withResolvers();

    /**
     * @param {Element} element
     * @param {Root[]} roots of the whole page
     */
    constructor(element, roots) {
      this.#element = element;
      this.#before = boxOf(element);
      this.#scrolled = scrolledAround(element);
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
      return !isSamePlace(boxOf(this.#element), this.#before);
    }

    /**
     * @param {Element[]} come new elements, one of which may be drawn instead of the dragged one
     * @returns {string} how far that is from where it was, or the new size of the element; empty if it is there or gone, or
     *   if something has scrolled
     */
    way(come) {
      const text = textContentOf(this.#element);
      const isTwin = (/** @type {Element} */ one) => text !== "" && textContentOf(one) === text && isVisible(one);
      const twin = () => come.flatMap((one) => [one, ...queryIn(one, "*")]).find(isTwin);
      const drawn = isInPage(this.#element) ? this.#element : twin();
      if (!drawn || scrolledAround(drawn) !== this.#scrolled) return "";
      const { x, y, width, height } = boxOf(drawn);
      const before = this.#before;
      const [right, down] = [Math.round(x - before.x), Math.round(y - before.y)];
      if (right || down) return `moved by ${right}, ${down} px`;
      const isResized = Math.round(width - before.width) || Math.round(height - before.height);
      return isResized && drawn === this.#element ? `resized to ${Math.round(width)}x${Math.round(height)} px` : "";
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

  /**
   * @param {Element} element
   * @returns {string} how far it is scrolled by all that is around it
   */
  function scrolledAround(element) {
    const around = [...drawnAncestors(element)].slice(1);
    const sum = (/** @type {"scrollLeft" | "scrollTop"} */ way) => around.reduce((all, one) => all + one[way], 0);
    return `${sum("scrollLeft")}, ${sum("scrollTop")}`;
  }

  /** @param {Element} element */
  function isDraggable(element) {
    return attributeOf(element, "draggable")?.toLowerCase() === "true";
  }

  return { DragWatch };
})();
