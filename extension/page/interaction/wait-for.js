"use strict";

// Waits until the page shows something, or no longer shows it.

const waitFor = (() => {
  const { frameOf, isControl, pause } = dom;
  const { PageError, nameOf, quote } = texts;
  const { isDrawn, isVisible } = geometry;
  const { unquoted } = search;
  const { adviceOn, searchFor } = suggestions;
  const { fromMainFrame } = selectorGenerator;
  const { isAway } = pageState;

  const POLL_MS = 50;
  /** Each pause is this many times as long as the check before it. */
  const PATIENCE = 4;

  /** A condition, and its last result. */
  class Watch {
    /** @readonly */
    selector;
    /** @readonly */
    name;
    /** @readonly */
    isGone;
    /** @readonly */
    search;
    /** @type {Element[]} */
    shown = [];

    /**
     * @param {string} selector
     * @param {string} name
     * @param {boolean} isGone whether nothing may match
     * @throws {PageError} INVALID_SELECTOR
     */
    constructor(selector, name, isGone) {
      this.selector = selector;
      this.name = name;
      this.isGone = isGone;
      this.search = searchFor(selector);
    }

    /** @returns {boolean} whether the condition is met now */
    look() {
      this.shown = this.search.find(isShown).filter(isShown);
      return this.isGone !== this.shown.length > 0;
    }
  }

  /**
   * Waits until all conditions are met.
   *
   * @param {WaitRequest} request
   * @param {AbortSignal} signal
   * @returns {Promise<Watch | undefined>} the first one about something that should appear
   * @throws {PageError} INVALID_SELECTOR, COMMAND_TIMEOUT, and the reason of the signal
   */
  async function untilAllHold(request, signal) {
    const deadline = performance.now() + request.timeout;
    const watches = watchesFor(request);
    for (;;) {
      const begun = performance.now();
      const unmet = watches.find((watch) => !watch.look());
      if (!unmet) return watches.find(({ isGone }) => !isGone);
      const now = performance.now();
      if (now > deadline) throw tooLate(unmet, request.whole);
      await pause(Math.max(POLL_MS, PATIENCE * (now - begun)));
      signal.throwIfAborted();
    }
  }

  /** @param {WaitRequest} request */
  function watchesFor({ selector, text, gone }) {
    // Here quotes do not ask for the whole text.
    return [
      selector && new Watch(selector, `element that matches ${quote(fromMainFrame(selector))}`, false),
      text && new Watch(`text=${unquoted(text)}`, `text ${quote(text)}`, false),
      gone && new Watch(`text=${unquoted(gone)}`, `text ${quote(gone)}`, true),
    ].filter((watch) => watch instanceof Watch);
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether users see it; a field may be transparent below what is drawn for it
   */
  function isShown(element) {
    if (!isVisible(element)) return false;
    if (isControl(element)) return true;
    const frame = frameOf(element);
    return isDrawn(element) && !isAway(element) && (!frame || isShown(frame));
  }

  /**
   * @param {Watch} unmet
   * @param {number} whole
   */
  function tooLate({ selector, name, isGone, search: searched, shown: [element] }, whole) {
    const after = `After ${whole / 1000} s, the page`;
    const [hidden] = searched.find();
    const advice = hidden
      ? `${nameOf(hidden)} is there, but hidden. Do what shows it, for example scroll to it, or wait again.`
      : adviceOn(selector, searched);
    return new PageError(
      "COMMAND_TIMEOUT",
      isGone && element
        ? `${after} still shows the ${name}, in ${nameOf(element)}. Wait again, or check what delays it.`
        : `${after} shows no ${name}. ${advice}`,
    );
  }

  return { untilAllHold };
})();
