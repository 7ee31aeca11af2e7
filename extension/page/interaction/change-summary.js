"use strict";

// What an action has changed: the state of the page before it, what has appeared and disappeared since, and a summary of
// at most 200 characters.

/** What is known of a page before an action. @typedef {ReturnType<typeof changeSummary.stateOf>} PageState */

const changeSummary = (() => {
  const {
    attributeOf,
    childNodesOf,
    closestOf,
    holds,
    isControl,
    isDocument,
    isElement,
    isInPage,
    isMatch,
    isText,
    parentOf,
    queryAll,
    queryIn,
    rootOf,
    tagOf,
    textContentOf,
    windowOf,
  } = dom;
  const { collapse, nameOf, quote, visibleTextOf } = texts;
  const { isRendered, isVisible } = geometry;
  const { pause } = actionability;

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
  const MOST_CHARACTERS = 200;
  const TEXT_LENGTH = 100;
  /** More texts than these are reported as a number. */
  const MOST_TEXTS = 3;
  const DIALOGS = "dialog[open], [role='dialog'], [role='alertdialog'], [aria-modal='true']";
  const ALERTS = "[role='alert'], [aria-live='assertive']";
  const STATUSES = "[role='status'], [role='log'], [aria-live='polite'], output";
  const LISTS = "[role='listbox'], [role='menu']";

  const ANNOUNCED = `${ALERTS}, ${STATUSES}, ${LISTS}`;

  /** @typedef {{node: Node, texts: string[]}} News a node, and those of its texts that are new or gone */

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
    summarize() {
      this.#take(this.#observer.takeRecords());
      const { hidden } = this.#before;
      const shown = [...this.#come, ...hidden].filter((node) => isInPage(node) && isSeen(node));
      const left = [...this.#gone].filter((node) => !isInPage(node) && !hidden.has(node));
      const hiddenNow = [...this.#restyled].filter((one) => isInPage(one) && !hidden.has(one) && !isVisible(one));
      return summarizeChanges(this.#before, stateOf(this.#roots), shown, [...left, ...hiddenNow]);
    }

    stop() {
      this.#observer.disconnect();
      for (const view of this.#views) for (const type of INPUTS) view?.removeEventListener(type, this.#noteInput, true);
    }

    /**
     * Timers that the page sets when it deals with an input end before one of ours that is longer. When it has dealt with
     * a task of its own notes it: a timer would wait until the browser has drawn what the input has made.
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
   * What a field says of itself stands next to it, or is announced: typing has no time for the whole page.
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

  /**
   * @param {PageState} before
   * @param {PageState} now
   * @param {Node[]} shown elements and texts that can be seen now, and could not before
   * @param {Node[]} left elements and texts that have gone, or cannot be seen any more
   * @returns {string} at most 200 characters; empty when nothing is worth telling
   */
  function summarizeChanges(before, now, shown, left) {
    const opened = [...now.dialogs].filter(([dialog]) => !before.dialogs.has(dialog));
    const closed = [...before.dialogs].filter(([dialog]) => !now.dialogs.has(dialog));
    const faulty = [...now.faulty].filter((field) => !before.faulty.has(field));
    const enabled = [...before.disabled].filter((one) => isInPage(one) && !now.disabled.has(one) && isVisible(one));
    const reported = [...opened.map(([dialog]) => dialog), ...faulty.flatMap(messagesOf)];
    const { come, gone } = differences(outermost(shown), outermost(left));
    const isUnreported = (/** @type {News} */ { node }) =>
      !reported.some((one) => holds(one, node) || holds(node, one));
    const isOfClosed = (/** @type {News} */ { node }) =>
      closed.some(([dialog]) => holds(dialog, node) || holds(node, dialog));
    const news = come.filter(isUnreported);
    return joined([
      ...wholesIn(news, ALERTS).map((alert) => `alert ${quote(visibleTextOf(alert), TEXT_LENGTH)}`),
      ...faulty.map((field) => `error at ${nameOf(field)}: ${quote(faultOf(field), TEXT_LENGTH)}`),
      ...opened.map(([, name]) => `dialog ${name} opened`),
      ...closed.map(([, name]) => `dialog ${name} closed`),
      ...wholesIn(news, STATUSES).map((status) => `status ${quote(visibleTextOf(status), TEXT_LENGTH)}`),
      ...wholesIn(news, LISTS).map(listName),
      ...enabled.map((element) => `${nameOf(element)} enabled`),
      ...plainly(
        "now",
        news.filter(({ node }) => !wholeOf(node, ANNOUNCED)),
      ),
      ...plainly(
        "gone",
        gone.filter((one) => !isOfClosed(one)),
      ),
    ]);
  }

  /**
   * @param {Node[]} nodes
   * @returns {Node[]} without those that stand in others of them
   */
  function outermost(nodes) {
    return nodes.filter((node) => !nodes.some((other) => other !== node && holds(other, node)));
  }

  /**
   * Pages often rewrite what was there: only what is not on both sides is a change.
   *
   * @param {Node[]} shown
   * @param {Node[]} left
   * @returns {{come: News[], gone: News[]}}
   */
  function differences(shown, left) {
    const isNotIn = (/** @type {News[]} */ others) => {
      const known = new Set(others.flatMap((other) => other.texts));
      return (/** @type {News} */ { node, texts: own }) => ({ node, texts: own.filter((text) => !known.has(text)) });
    };
    const textsOf = (/** @type {Node} */ node) => ({ node, texts: [...textsIn(node)] });
    const come = shown.map(textsOf);
    const gone = left.map(textsOf);
    const hasText = (/** @type {News} */ news) => news.texts.length > 0;
    return { come: come.map(isNotIn(gone)).filter(hasText), gone: gone.map(isNotIn(come)).filter(hasText) };
  }

  /**
   * @param {Node} node
   * @returns {Generator<string>} of what can be read in it, also when it has gone
   */
  function* textsIn(node) {
    if (isText(node)) {
      const text = collapse(textContentOf(node) ?? "");
      if (text) yield text;
    } else if (isElement(node) && !isControl(node) && !isMatch(node, "script, style, template, noscript, svg")) {
      if (isInPage(node) && !isVisible(node) && isMatch(node, "[hidden], [style]")) return;
      for (const child of childNodesOf(node)) yield* textsIn(child);
    }
  }

  /**
   * @param {News[]} news
   * @param {string} selector
   * @returns {Element[]} what these are parts of, or have in them, each once
   */
  function wholesIn(news, selector) {
    return [...new Set(news.map(({ node }) => wholeOf(node, selector)).filter((whole) => whole !== undefined))];
  }

  /**
   * @param {Node} node
   * @param {string} selector
   * @returns {Element | undefined}
   */
  function wholeOf(node, selector) {
    const element = isElement(node) ? node : parentOf(node);
    if (!element || !isElement(element)) return undefined;
    const within = isElement(node) ? queryIn(node, selector).find(isVisible) : undefined;
    return closestOf(element, selector) ?? within;
  }

  /**
   * @param {string} word
   * @param {News[]} news
   * @returns {string[]}
   */
  function plainly(word, news) {
    const said = [...new Set(news.map((one) => one.texts.join(" ")))];
    const more = said.length > MOST_TEXTS ? ` and ${said.length - 1} more` : "";
    const quoted = (more ? said.slice(0, 1) : said).map((text) => quote(text, TEXT_LENGTH));
    return quoted.length ? [`${word} ${quoted.join(", ")}${more}`] : [];
  }

  /** @param {Element} dialog */
  function dialogName(dialog) {
    const [title] = [...referred(dialog, "aria-labelledby"), ...queryIn(dialog, "h1, h2, h3, h4, [role='heading']")];
    return quote(attributeOf(dialog, "aria-label") || visibleTextOf(title ?? dialog));
  }

  /** @param {Element} list */
  function listName(list) {
    const isMenu = attributeOf(list, "role") === "menu";
    const items = queryIn(list, isMenu ? "[role^='menuitem']" : "[role='option']").filter(isVisible);
    const name = attributeOf(list, "aria-label");
    return `${isMenu ? "menu" : "list"} ${name ? `${quote(name)} ` : ""}with ${items.length} ${isMenu ? "items" : "options"}`;
  }

  /**
   * @param {Element} field
   * @returns {Element[]} what says what is wrong with it
   */
  function messagesOf(field) {
    return [...referred(field, "aria-errormessage"), ...referred(field, "aria-describedby")].filter(isVisible);
  }

  /** @param {Element} field */
  function faultOf(field) {
    const said = messagesOf(field).map(visibleTextOf).join(" ");
    return said || (isControl(field) ? field.validationMessage : "");
  }

  /**
   * @param {Element} element
   * @param {string} attribute
   */
  function referred(element, attribute) {
    const ids = (attributeOf(element, attribute) ?? "").split(/\s+/u).filter(Boolean);
    const root = /** @type {Root} */ (rootOf(element));
    return ids.flatMap((id) => queryAll(root, `#${CSS.escape(id)}`).slice(0, 1));
  }

  /**
   * @param {string[]} parts the most telling first
   * @returns {string}
   */
  function joined(parts) {
    let said = "";
    for (const [index, part] of parts.entries()) {
      const longer = said ? `${said}; ${part}` : part;
      const more = `; ${parts.length - index} more`;
      if (longer.length > MOST_CHARACTERS) return said ? `${said}${more}` : `${part.slice(0, MOST_CHARACTERS - 3)}...`;
      said = longer;
    }
    return said;
  }

  return { ANNOUNCED, ChangeWatch, DIALOGS, dialogName, stateOf, summarizeChanges };
})();
