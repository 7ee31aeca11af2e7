"use strict";

// What an action makes appear and go: what the page was before it, what has changed since, and when to look.

/** What is known of a page before an action. @typedef {ReturnType<typeof changes.stateOf>} PageState */

const changes = (() => {
  const { closestOf, holds, isDocument, isElement, isInPage, isText } = dom;
  const { parentOf, queryAll, queryIn, tagOf, windowOf } = dom;
  const { isRendered, isVisible } = geometry;
  const { pause } = readiness;
  const { ANNOUNCED, DIALOGS, dialogName, tellChanges } = changeReport;

  /** How long after the input something is waited for, how long nothing more has to happen, and all of it at most. */
  const WAITS_MS = { first: 32, quiet: 50, most: 150 };
  const INPUTS = ["mousemove", "mouseup", "click", "keydown", "keyup"];
  const POLL_MS = 10;
  /** Elements looked at before an action, and changes remembered after it. */
  const MOST_ELEMENTS = 20_000;
  const MOST_CHANGES = 300;
  const FAULTY = ":user-invalid, [aria-invalid]:not([aria-invalid='false'])";
  /** What people do not read, or not there. */
  const UNREAD = new Set(["link", "meta", "noscript", "option", "script", "style", "template"]);
  const WATCHED = {
    childList: true,
    characterData: true,
    subtree: true,
    attributeFilter: ["aria-hidden", "class", "hidden", "inert", "open", "style"],
  };

  /** Watches from its making until it is asked. */
  class ChangeWatch {
    /** @readonly */
    #views;
    /** @readonly */
    #roots;
    /** @readonly */
    #editor;
    /** @readonly */
    #before;
    /** @readonly @type {Set<Node>} elements and texts that have come */
    #come = new Set();
    /** @readonly @type {Set<Node>} elements and texts that have gone */
    #gone = new Set();
    /** @readonly @type {Set<Element>} what may have been hidden */
    #restyled = new Set();
    #latestAt = 0;
    #inputAt = 0;
    /** @readonly */
    #observer = new MutationObserver((records) => this.#take(records));

    /**
     * @param {Element} element that is acted on
     * @param {Root[]} roots all of the page
     * @param {boolean} isTyped whether a field is filled
     */
    constructor(element, roots, isTyped) {
      this.#roots = roots;
      this.#editor = closestOf(element, "[contenteditable]");
      this.#before = stateOf(roots, isTyped ? aroundField(element, roots) : allIn(roots));
      for (const root of roots) this.#observer.observe(root, WATCHED);
      this.#views = roots.filter(isDocument).map(windowOf);
      for (const view of this.#views) for (const type of INPUTS) view?.addEventListener(type, this.#noteInput, true);
      this.#noteInput();
    }

    /** Waits until the page has come to rest, for a short time only. */
    async rest() {
      const begun = performance.now();
      // From the input on: what came of it before this was asked counts, too. Under load it is noted late.
      do await pause(this.#inputAt + WAITS_MS.first - performance.now());
      while (performance.now() - this.#inputAt < WAITS_MS.first && performance.now() - begun < WAITS_MS.most);
      for (;;) {
        const now = performance.now();
        if (now - this.#latestAt >= WAITS_MS.quiet || now - begun >= WAITS_MS.most) return;
        await pause(POLL_MS);
      }
    }

    /** @returns {string} what has appeared and gone; empty when nothing has */
    tell() {
      this.#take(this.#observer.takeRecords());
      const { hidden } = this.#before;
      const shown = [...this.#come, ...hidden].filter((node) => isInPage(node) && isSeen(node));
      const left = [...this.#gone].filter((node) => !isInPage(node) && !hidden.has(node));
      const hiddenNow = [...this.#restyled].filter((one) => isInPage(one) && !hidden.has(one) && !isVisible(one));
      return tellChanges(this.#before, stateOf(this.#roots), shown, [...left, ...hiddenNow]);
    }

    stop() {
      this.#observer.disconnect();
      for (const view of this.#views) for (const type of INPUTS) view?.removeEventListener(type, this.#noteInput, true);
    }

    /**
     * Timers that the page sets when it deals with an input end before one of ours that is longer. When it has dealt with
     * it tells a task of its own: a timer would wait until the browser has drawn what the input has made.
     */
    #noteInput = () => {
      void scheduler.postTask(() => (this.#inputAt = performance.now()), { priority: "user-blocking" });
    };

    /** @param {MutationRecord[]} records */
    #take(records) {
      if (!records.length) return;
      this.#latestAt = performance.now();
      for (const { type, target, addedNodes, removedNodes } of records) {
        // What was typed is no news.
        if (this.#editor && holds(this.#editor, target)) continue;
        if (type === "attributes") this.#restyled.add(/** @type {Element} */ (target));
        if (type === "characterData") this.#come.add(target);
        for (const node of addedNodes) if (isRead(node)) this.#come.add(node);
        const wasSeen = removedNodes.length > 0 && ![...this.#before.hidden].some((one) => holds(one, target));
        for (const node of removedNodes) {
          // What has come meanwhile was not there before.
          const isNew = this.#come.delete(node);
          if (wasSeen && !isNew && isRead(node)) this.#gone.add(node);
        }
      }
      if (this.#come.size + this.#gone.size + this.#restyled.size > MOST_CHANGES) this.stop();
    }
  }

  /**
   * @param {Root[]} roots all of the page
   * @param {Element[]} [read] what is looked at for whether it is drawn, in the page's order
   */
  function stateOf(roots, read = []) {
    const all = (/** @type {string} */ selector) => roots.flatMap((root) => queryAll(root, selector));
    return {
      dialogs: new Map(
        all(DIALOGS)
          .filter(isVisible)
          .map((dialog) => [dialog, dialogName(dialog)]),
      ),
      faulty: new Set(all(FAULTY).filter(isVisible)),
      disabled: new Set(all(":disabled").filter(isVisible)),
      hidden: hiddenAmong(read.slice(0, MOST_ELEMENTS)),
    };
  }

  /**
   * @param {Root[]} roots
   * @returns {Element[]}
   */
  function allIn(roots) {
    return roots.flatMap((root) => queryAll(root, isDocument(root) ? "body *" : "*"));
  }

  /**
   * What a field says of itself stands beside it, or is announced: typing has no time for the whole page.
   *
   * @param {Element} field
   * @param {Root[]} roots
   * @returns {Element[]}
   */
  function aroundField(field, roots) {
    const around = closestOf(
      field,
      "form, fieldset, [role='form'], [role='search'], [role='dialog'], dialog, tr, li, p, div",
    );
    return [...(around ? queryIn(around, "*") : []), ...roots.flatMap((root) => queryAll(root, ANNOUNCED))];
  }

  /**
   * @param {Element[]} elements in the page's order
   * @returns {Set<Node>} the outermost of them that are not drawn
   */
  function hiddenAmong(elements) {
    /** @type {Set<Node>} */
    const hidden = new Set();
    /** @type {Element | undefined} */
    let latest;
    for (const element of elements) {
      // What stands in it comes right after it.
      if (latest && holds(latest, element)) continue;
      latest = isDrawn(element) ? undefined : element;
      if (latest) hidden.add(latest);
    }
    return hidden;
  }

  /** @param {Element} element */
  function isDrawn(element) {
    return isRendered(element, { opacityProperty: true, visibilityProperty: true });
  }

  /** @param {Node} node */
  function isRead(node) {
    return isElement(node) ? !UNREAD.has(tagOf(node)) : isText(node);
  }

  /** @param {Node} node */
  function isSeen(node) {
    const element = isElement(node) ? node : parentOf(node);
    return element !== null && isElement(element) && isDrawn(element) && isVisible(element);
  }

  return { ChangeWatch, stateOf };
})();
