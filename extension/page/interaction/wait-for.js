"use strict";

// Waits until the page shows something, or no longer shows it.

const waitFor = (() => {
  const { frameOf, isControl, isMatch, pause } = dom;
  const { PageError, folded, nameOf, quote, visibleTextOf } = texts;
  const { isDrawn, isVisible } = geometry;
  const { hasPart, unquoted } = search;
  const { adviceOn, searchFor } = suggestions;
  const { fromMainFrame } = selectorGenerator;
  const { isAway, valueOf } = pageState;

  const POLL_MS = 50;
  /** Each pause is this many times as long as the check before it. */
  const PATIENCE = 4;
  const DROP_DOWN = "select:not([multiple], [size])";

  /** A condition, and its last result. */
  class Watch {
    /** @readonly */
    selector;
    /** @readonly */
    name;
    /** @readonly */
    isGone;
    /** @readonly */
    words;
    /** @readonly */
    search;
    /** @type {Element[]} */
    shown = [];

    /**
     * @param {string} selector
     * @param {string} name
     * @param {boolean} isGone whether nothing may match
     * @param {string} [words] the text, if it is one
     * @throws {PageError} INVALID_SELECTOR
     */
    constructor(selector, name, isGone, words = "") {
      this.selector = selector;
      this.name = name;
      this.isGone = isGone;
      this.words = folded(words);
      this.search = searchFor(selector);
    }

    /** @returns {boolean} whether the condition is met now */
    look() {
      const isWanted = (/** @type {Element} */ one) => isShown(one) && !isOnlyOffered(one, this.words);
      this.shown = this.search.find(isWanted).filter(isWanted);
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
    const forText = (/** @type {string} */ words, /** @type {boolean} */ isGone) =>
      new Watch(`text=${unquoted(words)}`, `text ${quote(words)}`, isGone, unquoted(words));
    return [
      selector && new Watch(selector, `element that matches ${quote(fromMainFrame(selector))}`, false),
      text && forText(text, false),
      gone && forText(gone, true),
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
   * @param {Element} element
   * @param {string} words folded; empty if the element itself is awaited
   * @returns {boolean} whether these are the words of an option that a list shows only when it is open
   */
  function isOnlyOffered(element, words) {
    if (!words || !isMatch(element, DROP_DOWN)) return false;
    const shown = valueOf(/** @type {HTMLSelectElement} */ (element));
    return hasPart(folded(visibleTextOf(element)), words) && !hasPart(folded(shown), words);
  }

  /**
   * @param {Watch} unmet
   * @param {number} whole
   */
  function tooLate({ selector, name, isGone, words, search: searched, shown: [element] }, whole) {
    const after = `After ${whole / 1000} s, the page`;
    if (isGone && element) {
      const shown = `${after} still shows the ${name}, in ${nameOf(element)}.`;
      return new PageError("COMMAND_TIMEOUT", `${shown} Wait again, or check what delays it.`);
    }
    const [hidden] = searched.find();
    const state =
      hidden && isOnlyOffered(hidden, words)
        ? "has it as an option that is not chosen. Choose it with select, or wait for another text."
        : "is there, but hidden. Do what shows it, for example scroll to it, or wait again.";
    const advice = hidden ? `${nameOf(hidden)} ${state}` : adviceOn(selector, searched);
    return new PageError("COMMAND_TIMEOUT", `${after} shows no ${name}. ${advice}`);
  }

  return { untilAllHold };
})();
