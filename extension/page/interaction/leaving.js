"use strict";

// Leaving a field, which makes many pages accept or drop what was typed.

const leaving = (() => {
  const { documentOf, drawnAncestors, isDrawnIn, isInPage, isMatch, windowOf } = dom;
  const { isPositioned } = geometry;
  const { focusedElement } = focusing;

  /** Elements in which some others stay open as long as the focus is there. */
  const LAYERS = "dialog, [popover], [role=dialog], [role=alertdialog]";

  /** Texts for fields that may have a picker: dates as numbers or with the month's name, months, and times. */
  const DATED = [
    /^(?:\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2(?:\d{4}|\d\d))(?![-/.\d])/u,
    /^(?:\p{L}+\.? )?\d{1,2}(?:st|nd|rd|th)?[.,]?(?: \p{L}+\.?,?)? \d{4}(?:,? (?:at )?\d{1,2}:\d\d.*)?$/u,
    /^(?:\d{4}[-/.]\d{1,2}|\d{1,2}[-/.]\d{4})$/u,
    /^\d{1,2}:\d\d/u,
  ];

  /** @param {string} text */
  function isDated(text) {
    return DATED.some((form) => form.test(text));
  }

  /** A field from the moment before it is left. */
  class Departure {
    /** @readonly */
    #field;
    /** @readonly */
    #watch;
    /** @readonly */
    #lost;
    #hasChanged = false;
    /** @readonly */
    #listening = new AbortController();

    /**
     * @param {HTMLInputElement} field
     * @param {Watch} watch
     * @param {AbortSignal} signal
     * @param {boolean} [movesOn] whether the Tab key takes the focus to the next field
     */
    constructor(field, watch, signal, movesOn = false) {
      this.#field = field;
      this.#watch = watch;
      this.#lost = watch.lost();
      const listening = { signal: AbortSignal.any([signal, this.#listening.signal]) };
      field.addEventListener("change", () => void (this.#hasChanged = true), { capture: true, ...listening });
      // The next field may open a picker of its own when it gets the focus.
      if (!movesOn) hold(field, "keydown", "Tab", listening);
      // The browser would submit the form.
      hold(field, "keypress", "Enter", { capture: true, ...listening });
    }

    /**
     * Takes the focus from the field, and returns it for the keys that may follow, unless that would reopen what the
     * page has closed.
     *
     * @param {boolean} isDate whether a date or a time was written: a picker that opened for it stays closed
     * @returns {Promise<boolean>} whether the browser has fired a change event
     */
    async end(isDate) {
      if (focusedElement() === this.#field) leave(this.#field);
      // Not before the page has handled the blur, which takes time: what it defers then is to be waited for.
      if (isDate) this.#watch.noteInput();
      await turns();
      if (isDate) await this.#watch.rest();
      this.#listening.abort();
      const isPicked = isDate && this.#watch.hasNews();
      const focused = focusedElement();
      const isFree = focused !== this.#field && isDrawnIn(focused, this.#field);
      if (isFree && isInPage(this.#field) && !isPicked && this.#watch.lost() === this.#lost) {
        this.#field.focus({ preventScroll: true });
      }
      return this.#hasChanged;
    }
  }

  /**
   * Takes the focus from a field as a click next to it does: a popover or dialog that can have the focus gets it, because
   * many close once they lose it.
   *
   * @param {HTMLElement} field
   */
  function leave(field) {
    const layer = [...drawnAncestors(field)].slice(1).find((one) => isMatch(one, LAYERS) || isPositioned(one));
    if (layer && isMatch(layer, "[tabindex]")) /** @type {HTMLElement} */ (layer).focus({ preventScroll: true });
    if (focusedElement() === field) field.blur();
  }

  /** @param {HTMLElement} field that gets the Enter key next: the browser does not submit the form */
  function holdEnter(field) {
    hold(field, "keypress", "Enter", { capture: true, once: true });
  }

  /**
   * The page gets a key, but the browser does nothing by itself.
   *
   * @param {HTMLElement} field
   * @param {"keydown" | "keypress"} type
   * @param {string} key
   * @param {AddEventListenerOptions} options
   */
  function hold(field, type, key, options) {
    const view = windowOf(/** @type {Document} */ (documentOf(field)));
    view?.addEventListener(type, (event) => event.key === key && event.preventDefault(), options);
  }

  /** The second turn comes after what the page defers to the next one. */
  function turns() {
    return new Promise((resolve) => setTimeout(() => setTimeout(resolve)));
  }

  return { Departure, holdEnter, isDated };
})();
