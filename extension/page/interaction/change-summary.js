"use strict";

// What an action has changed: the state of the page before it, what has appeared and disappeared since, and a summary
// of at most 200 characters.

/** The state of a page before an action. @typedef {ReturnType<typeof changeSummary.stateOf>} PageState */

const changeSummary = (() => {
  const {
    attributeOf,
    boxOf,
    childNodesOf,
    childrenOf,
    closestOf,
    drawnAncestors,
    holds,
    isControl,
    isDocument,
    isDrawnIn,
    isElement,
    isInPage,
    isMatch,
    isText,
    kindOf,
    parentElementOf,
    parentOf,
    pause,
    queryAll,
    queryDrawnIn,
    queryIn,
    rootOf,
    tagOf,
    textContentOf,
    treeAncestors,
    windowOf,
  } = dom;
  const { collapse, drawnTextOf, iconWordOf, nameOf, plain, quote, shorten, visibleTextOf } = texts;
  const { isRendered, isVisible } = geometry;
  const { selectorOf } = selectorGenerator;
  const { focusedElement } = focusing;
  const { editorAround } = drawnEditors;

  /**
   * `first`: wait for a first change after the input; `quiet`: time without changes that ends the wait; `most`: limit
   * of the wait; `linger`: how long to keep watching afterwards.
   */
  const WAITS_MS = { first: 50, quiet: 50, most: 150, linger: 2_000 };
  const INPUTS = ["mousemove", "mouseup", "click", "keydown", "keyup"];
  const POLL_MS = 10;
  /** Elements examined before an action, and changes recorded after it. */
  const MOST_ELEMENTS = 20_000;
  const MOST_CHANGES = 300;
  const FAULTY = ":user-invalid, [aria-invalid]:not([aria-invalid='false'])";
  /** Elements that users do not read as text. */
  const UNREAD = new Set(["link", "meta", "noscript", "option", "script", "style", "template", "title"]);
  const UNREAD_PARTS = "script, style, template, noscript, svg title, svg desc, svg defs";
  /** Fields whose value is not shown as text. */
  const UNSHOWN = new Set(["button", "checkbox", "file", "hidden", "image", "password", "radio", "reset", "submit"]);
  const EDITED = "input, textarea, select, [contenteditable]";
  const MOST_FIELDS = 300;
  /** Elements that are part of a sentence. */
  const PHRASES = new Set("a abbr b code em i kbd mark q s small span strong u".split(" "));
  /** Punctuation alone is decoration. */
  const WORDED = /[\p{L}\p{N}\p{Sc}\p{So}]/u;
  const WATCHED = {
    childList: true,
    characterData: true,
    subtree: true,
    attributeFilter: ["aria-hidden", "aria-label", "class", "hidden", "inert", "open", "style", "title"],
    attributeOldValue: true,
  };
  /** Attributes that name an element. */
  const LABELS = ["aria-label", "title"];
  const MOST_CHARACTERS = 200;
  /** Maximum text lengths, tried in this order until everything fits. */
  const TEXT_LENGTHS = [180, 100, 60];
  /** Maximum length of a list's part with its first items. */
  const LIST_LENGTH = 150;
  const NAMED_ITEMS = 5;
  /** Attributes for states, with the words for true and false. */
  const TOGGLES = /** @type {const} */ ([
    ["aria-expanded", "expanded", "collapsed"],
    ["aria-pressed", "pressed", "not pressed"],
    ["aria-selected", "selected", "not selected"],
  ]);
  /** Levels to climb from the element acted on to the one with such a state. */
  const TOGGLE_LEVELS = 4;
  /** Minimum side of an image that is more than an icon on a button. */
  const PICTURE_SIDE = 64;
  const SHAPES = "path, line, polyline, polygon, rect, circle, ellipse, use";
  /** A dialog that fades out is still drawn meanwhile, and one that fades in is not drawn yet. */
  const FADE_MS = 400;
  /** Levels to climb to find what clips a text for screen readers. */
  const CLIP_LEVELS = 5;
  /** If there are more texts than this, the others are reported as a number. */
  const MOST_TEXTS = 3;
  const DIALOGS = "dialog[open], [role='dialog'], [role='alertdialog'], [aria-modal='true']";
  const ALERTS = "[role='alert'], [aria-live='assertive']";
  const STATUSES = "[role='status'], [role='log'], [aria-live='polite'], output";
  const LISTS = "[role='listbox'], [role='menu']";

  /** The items of a list that opens for a field. */
  const CHOICES = "[role='option'], [role^='menuitem'], li, a, button";

  /** What a menu without items consists of. */
  const CONTROLS = "a[href], button, input, select, [tabindex='0'], [role='button']";

  const ANNOUNCED = `${ALERTS}, ${STATUSES}, ${LISTS}`;

  /** @typedef {{node: Node, texts: string[]}} News a node, and those of its texts that are new or gone */

  /** @typedef {Record<"parentNode" | "previousSibling" | "nextSibling", Node | null>} Place */

  /** Records changes from its construction until it is queried. */
  class ChangeWatch {
    /** @readonly */
    #listening = new AbortController();
    /** @readonly */
    #roots;
    /** @type {Element[]} typing here is not a reported change */
    #editors = [];
    /** @readonly @type {Set<Element>} elements acted on */
    #acted = new Set();
    /** @type {Element[]} the element acted on last, and its ancestors */
    #path = [];
    /** @readonly @type {Map<Element, string>} whether elements acted on were expanded or the like */
    #toggles = new Map();
    /** @readonly */
    #before;
    /** @readonly @type {Set<Node>} added elements and texts */
    #come = new Set();
    /** @readonly @type {Set<Node>} removed elements and texts */
    #gone = new Set();
    /** @readonly @type {Map<Node, Place>} where they were */
    #places = new Map();
    /** @readonly @type {Set<Element>} elements that may have been hidden */
    #restyled = new Set();
    /** @readonly @type {Map<Element, string>} labels of elements before they changed */
    #labels = new Map();
    /** @readonly @type {Map<Element, string>} styles of elements before they changed */
    #styles = new Map();
    #latestAt = 0;
    #inputAt = 0;
    /** @type {Event | null} the input that the page is handling */
    #latestInput = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} ends the recording */
    #timer;
    /** @readonly */
    #observer = new MutationObserver((records) => this.#take(records));

    /**
     * @param {Element} element the one acted on
     * @param {Root[]} roots of the whole page
     * @param {boolean} isTyped whether a field is being filled
     */
    constructor(element, roots, isTyped) {
      this.#roots = roots;
      this.goOn(element);
      this.#before = stateOf(roots, isTyped ? aroundField(element, roots) : allIn(roots));
      for (const root of roots) this.#observer.observe(root, WATCHED);
      const { signal } = this.#listening;
      for (const view of roots.filter(isDocument).map(windowOf)) {
        for (const type of INPUTS) {
          view?.addEventListener(type, this.#expectInput, { capture: true, signal });
          view?.addEventListener(type, this.#noteInput, { signal });
        }
      }
      this.#noteInput();
    }

    /**
     * @param {Element} element acted on as part of the same action
     * @returns {this}
     */
    goOn(element) {
      clearTimeout(this.#timer);
      const editor = closestOf(element, "[contenteditable]") ?? editorAround(element);
      if (editor) this.#editors.push(editor);
      this.#acted.add(element);
      this.#path = [...treeAncestors(element)];
      for (const one of this.#path.slice(0, TOGGLE_LEVELS)) {
        if (!this.#toggles.has(one)) this.#toggles.set(one, toggleOf(one));
      }
      return this;
    }

    /** @returns {number} the number of elements and texts that are gone or may have been hidden */
    lost() {
      this.#take(this.#observer.takeRecords());
      return this.#gone.size + [...this.#restyled].filter((one) => isInPage(one) && !isVisible(one)).length;
    }

    /** @returns {boolean} whether anything may have changed */
    hasNews() {
      this.#take(this.#observer.takeRecords());
      return this.#come.size + this.#gone.size + this.#restyled.size > 0;
    }

    /** @returns {boolean} whether an element has come, gone, another place or another style than before */
    hasMoved() {
      this.#take(this.#observer.takeRecords());
      const isRestyled = [...this.#styles].some(([one, before]) => plainStyle(attributeOf(one, "style")) !== before);
      const isBack = (/** @type {Node} */ node) => isInPage(node) && isAt(node, this.#places.get(node));
      return isRestyled || [...this.#come, ...this.#gone].some((node) => !isBack(node));
    }

    /** @returns {boolean} whether a dialog, a calendar or a list has opened */
    hasOpenedLayer() {
      const dialogs = [...stateOf(this.#roots).dialogs.keys()];
      return dialogs.some((dialog) => !this.#before.dialogs.has(dialog)) || this.hasOpenedList();
    }

    /** @returns {boolean} whether a list of choices has opened over the page */
    hasOpenedList() {
      this.#take(this.#observer.takeRecords());
      const shown = [...this.#come, ...this.#before.hidden].filter(isElement);
      return shown.some((one) => isInPage(one) && isSeen(one) && isList(one));
    }

    /** Waits until the page has settled, for a short time only. */
    async rest() {
      const begun = performance.now();
      // Measured from the input: effects before this call count, too. Under load the input is noted late. Timers take
      // whole milliseconds, and those that follow one that was too short are delayed by the browser.
      do await pause(Math.ceil(this.#inputAt + WAITS_MS.first - performance.now()));
      while (performance.now() - this.#inputAt < WAITS_MS.first && performance.now() - begun < WAITS_MS.most);
      // On a busy machine the browser may run an earlier timer of the page after ours.
      await pause(0);
      for (;;) {
        const now = performance.now();
        if (now - this.#latestAt >= WAITS_MS.quiet || now - begun >= WAITS_MS.most) break;
        await pause(POLL_MS);
      }
      const coming = [...this.#come, ...this.#before.hidden].filter(
        (one) => isElement(one) && isInPage(one) && isRendered(one) && !isDrawn(one),
      );
      const around = coming.flatMap((one) => [...treeAncestors(/** @type {Element} */ (one))].slice(1));
      const listed = [...this.#before.lists].filter(isVisible).flatMap((one) => [...drawnAncestors(one)]);
      const fading = [
        ...[...this.#before.dialogs.keys(), ...coming]
          .filter(isElement)
          .filter(isVisible)
          .flatMap((one) => animationsOf(one)),
        ...[...new Set([...around, ...listed])].flatMap((one) => animationsOf(one, false)),
        ...[...this.#restyled]
          .filter((one) => isInPage(one) && WORDED.test(textContentOf(one) ?? ""))
          .flatMap((one) => animationsOf(one, false, isFadeOut)),
      ];
      if (!fading.length) return;
      await Promise.race([Promise.allSettled(fading), pause(FADE_MS)]);
      // A page may hide only then what has faded out.
      await pause(POLL_MS);
    }

    /**
     * Summarizes what has appeared and disappeared, and keeps recording, because requests may bring more.
     *
     * @returns {string} empty if nothing has changed
     */
    summarize() {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.stop(), WAITS_MS.linger);
      this.#take(this.#observer.takeRecords());
      const { hidden } = this.#before;
      const isBack = (/** @type {Node} */ node) => this.#come.has(node) && this.#gone.has(node);
      const back = [...this.#come].filter((node) => isInPage(node) && isBack(node) && isSeen(node));
      const isRedrawn = isWholeInOrder([...this.#gone].filter((node) => back.includes(node)));
      const moved = isRedrawn ? [] : back.filter((node) => !isAt(node, this.#places.get(node)));
      const shown = [...this.#come, ...hidden].filter((node) => isInPage(node) && isSeen(node) && !isBack(node));
      const left = [...this.#gone].filter((node) => !isInPage(node) && !hidden.has(node));
      const hiddenNow = [...this.#restyled].filter((one) => isInPage(one) && !hidden.has(one) && !isVisible(one));
      const drawn = [...this.#come].filter((node) => isElement(node) && isInPage(node) && isShape(node));
      const renamed = [...this.#labels].filter(
        ([one, before]) => isInPage(one) && isVisible(one) && before !== labelOf(one),
      );
      const changes = summarizeChanges(this.#before, stateOf(this.#roots), {
        shown,
        moved,
        left: [...left, ...hiddenNow],
        drawn: /** @type {Element[]} */ (drawn),
        renamed,
        refilled: [...this.#before.values]
          .filter(([field, before]) => this.#isRefilled(field, before))
          .map(([field]) => field),
        path: this.#path,
        roots: this.#roots,
        editor: this.#openedField(),
      });
      return changes || this.#toggled();
    }

    /** @returns {Element | null} a new field that has the focus, such as the one for a cell of a table */
    #openedField() {
      const field = focusedElement();
      const isNew = [...this.#come, ...this.#before.hidden].some((one) => isElement(one) && holds(one, field));
      return isNew && isMatch(field, EDITED) && isSeen(field) ? field : null;
    }

    /** @returns {string} for example `button "More" expanded`; empty if no element acted on has such a new state */
    #toggled() {
      const [changed] = [...this.#toggles].filter(([one, before]) => isInPage(one) && toggleOf(one) !== before);
      if (!changed) return "";
      const [element] = changed;
      const name =
        visibleTextOf(element).trim() || isControl(element) ? nameOf(element) : selectorOf(element, this.#roots);
      return `${name} ${toggleOf(element) || "changed"}`;
    }

    /**
     * @param {Control} field
     * @param {string} before
     */
    #isRefilled(field, before) {
      return isInPage(field) && !this.#acted.has(field) && valueOf(field) !== before && isVisible(field);
    }

    stop() {
      this.#observer.disconnect();
      this.#listening.abort();
    }

    /**
     * Timers that the page sets while it handles an input end before a longer one of ours. A page may stop the event
     * before the end of its path, where it is noted; then a task notes it, which may have to wait for drawing.
     *
     * @param {Event} event
     */
    #expectInput = (event) => {
      this.#latestInput = event;
      const note = () => this.#latestInput === event && this.#noteInput();
      void scheduler.postTask(note, { priority: "user-blocking" });
    };

    /** Makes `rest` count from now on, because the page is about to react to something. */
    expect() {
      this.#noteInput();
    }

    #noteInput = () => {
      this.#latestInput = null;
      this.#inputAt = performance.now();
    };

    /**
     * @param {Node} target
     * @param {string | null} before
     */
    #noteLabel(target, before) {
      const element = /** @type {Element} */ (target);
      if (before && labelOf(element) && !this.#labels.has(element)) this.#labels.set(element, collapse(before));
    }

    /**
     * @param {Node} target
     * @param {string | null} before
     */
    #noteStyle(target, before) {
      const element = /** @type {Element} */ (target);
      if (!this.#styles.has(element)) this.#styles.set(element, plainStyle(before));
    }

    /** @param {MutationRecord[]} records */
    #take(records) {
      if (!records.length) return;
      this.#latestAt = performance.now();
      for (const record of records) {
        const { type, target, addedNodes, removedNodes, attributeName, oldValue } = record;
        // What was typed is not a reported change.
        if (this.#editors.some((editor) => holds(editor, target))) continue;
        if (!isRead(isText(target) ? (parentOf(target) ?? target) : target)) continue;
        if (attributeName === "style") this.#noteStyle(target, oldValue);
        if (type === "attributes" && LABELS.includes(attributeName ?? "")) this.#noteLabel(target, oldValue);
        else if (type === "attributes") this.#restyled.add(/** @type {Element} */ (target));
        if (type === "characterData") this.#come.add(target);
        for (const node of addedNodes) if (isRead(node)) this.#come.add(node);
        const wasSeen = removedNodes.length > 0 && ![...this.#before.hidden].some((one) => holds(one, target));
        for (const [index, node] of removedNodes.entries()) {
          // What was added meanwhile did not exist before.
          const isNew = this.#come.delete(node);
          if (!wasSeen || isNew || !isRead(node)) continue;
          this.#gone.add(node);
          if (this.#places.has(node)) continue;
          const previousSibling = removedNodes[index - 1] ?? record.previousSibling;
          const nextSibling = removedNodes[index + 1] ?? record.nextSibling;
          this.#places.set(node, { parentNode: target, previousSibling, nextSibling });
        }
      }
      if (this.#come.size + this.#gone.size + this.#restyled.size > MOST_CHANGES) this.stop();
    }
  }

  /**
   * @param {Element} element
   * @returns {string} its states that a click may change, in words
   */
  function toggleOf(element) {
    const words = TOGGLES.map(([name, yes, no]) => ({ true: yes, false: no })[attributeOf(element, name) ?? ""]);
    return words.filter(Boolean).join(" ");
  }

  /** @param {Element} element */
  function isList(element) {
    const items = isMatch(element, CHOICES) ? [element] : queryDrawnIn(element, CHOICES).filter(isVisible);
    const [item] = items;
    if (!item) return false;
    for (let one = /** @type {Element | null} */ (item); one; one = parentElementOf(one)) {
      if (["absolute", "fixed"].includes(getComputedStyle(one).position)) return true;
      if (one === element && tagOf(one) !== "li") break;
    }
    return ["ul", "ol", "table"].includes(tagOf(element)) || isMatch(item, "[role='option'], [role^='menuitem'], li");
  }

  /**
   * @param {Element} element
   * @param {boolean} [subtree] whether to include its descendants
   * @param {(animation: Animation) => boolean} [isMeant]
   */
  function animationsOf(element, subtree = true, isMeant = () => true) {
    const running = Reflect.apply(Element.prototype.getAnimations, element, [{ subtree }]);
    const hasEnd = (/** @type {Animation} */ { effect }) => Number.isFinite(effect?.getComputedTiming().endTime);
    return running.filter((one) => hasEnd(one) && isMeant(one)).map(({ finished }) => finished);
  }

  /**
   * @param {Animation} animation
   * @returns {boolean} whether its element disappears with it
   */
  function isFadeOut({ effect }) {
    return effect instanceof KeyframeEffect && effect.getKeyframes().at(-1)?.["opacity"] === "0";
  }

  /**
   * @param {Node[]} nodes in the order in which they were removed
   * @returns {boolean} whether they are all elements of their parent, and still in that order or its reverse
   */
  function isWholeInOrder(nodes) {
    const [first] = nodes;
    const parent = first && parentOf(first);
    if (!parent || !isElement(parent)) return false;
    const now = [...childrenOf(parent)];
    const order = nodes.map((node) => now.indexOf(/** @type {Element} */ (node)));
    if (order.length !== now.length) return false;
    return (
      order.every((place, index) => place === index) || order.every((place, index) => place === now.length - 1 - index)
    );
  }

  /**
   * @param {Node} node
   * @param {Place} [place]
   * @returns {boolean} whether it is where it was; a list may have been redrawn in either direction
   */
  function isAt(node, place) {
    const now = (/** @type {keyof Place} */ name) =>
      /** @type {Node | null} */ (Reflect.get(Node.prototype, name, node));
    const is = (/** @type {keyof Place} */ name) => now(name) === place?.[name];
    // Frameworks move the comment next to an element along with it.
    const isSure = (/** @type {keyof Place} */ name) => is(name) && !isComment(now(name));
    const isBetween = is("previousSibling") && is("nextSibling");
    return is("parentNode") && (isSure("previousSibling") || isSure("nextSibling") || isBetween);
  }

  /** @param {Node | null} node */
  function isComment(node) {
    return node !== null && !isElement(node) && !isText(node);
  }

  /** @param {string | null} style as the page has written it, or as the browser does */
  function plainStyle(style) {
    return (style ?? "").replace(/[;\s]+$/u, "");
  }

  /** @param {Element} element */
  function labelOf(element) {
    return collapse(LABELS.map((name) => attributeOf(element, name)).find(Boolean) ?? "");
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it is part of a drawing, such as a line between two nodes
   */
  function isShape(element) {
    const picture = isMatch(element, `${SHAPES}, g`) ? closestOf(element, "svg") : null;
    if (!picture || (tagOf(element) === "g" && !queryIn(element, SHAPES).length)) return false;
    const { width, height } = boxOf(picture);
    return Math.min(width, height) > PICTURE_SIDE && isDrawn(element);
  }

  /**
   * @param {Root[]} roots of the whole page
   * @param {Element[]} [read] elements to check for visibility, in document order
   */
  function stateOf(roots, read = []) {
    const all = (/** @type {string} */ selector) => roots.flatMap((root) => queryAll(root, selector));
    return {
      dialogs: new Map(
        all(DIALOGS)
          .filter(isVisible)
          .map((dialog) => [dialog, dialogName(dialog)]),
      ),
      lists: new Set(all(LISTS).filter(isVisible)),
      faulty: new Set(all(FAULTY).filter(isVisible)),
      disabled: new Set(all(":disabled").filter(isVisible)),
      values: new Map(
        read
          .filter(isControl)
          .filter((field) => attributeOf(field, "aria-hidden") !== "true")
          .slice(0, MOST_FIELDS)
          .map((field) => [field, valueOf(field)]),
      ),
      hidden: hiddenAmong(read.slice(0, MOST_ELEMENTS)),
    };
  }

  /**
   * @param {Control} field
   * @returns {string} the text that it shows; empty if it shows none, or keeps it secret
   */
  function valueOf(field) {
    if (UNSHOWN.has(kindOf(field))) return "";
    const option = tagOf(field) === "select" ? /** @type {HTMLSelectElement} */ (field).selectedOptions[0] : null;
    return option ? option.label : field.value;
  }

  /**
   * @param {Root[]} roots
   * @returns {Element[]}
   */
  function allIn(roots) {
    return roots.flatMap((root) => queryAll(root, isDocument(root) ? "body *" : "*"));
  }

  /**
   * A field's messages are next to it or in live regions: after typing there is no time for the whole page.
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
   * @param {Element[]} elements in document order
   * @returns {Set<Node>} the outermost of them that are not drawn
   */
  function hiddenAmong(elements) {
    /** @type {Set<Node>} */
    const hidden = new Set();
    /** @type {Element | undefined} */
    let latest;
    for (const element of elements) {
      // Its descendants follow right after it.
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
    return element !== null && isElement(element) && isDrawn(element) && isVisible(element) && !isClipped(element);
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it is for screen readers only
   */
  function isClipped(element) {
    let one = /** @type {Element | null} */ (element);
    for (let level = 0; one && level < CLIP_LEVELS; level += 1, one = parentElementOf(one)) {
      const { width, height } = boxOf(one);
      if (width <= 1 && height <= 1 && getComputedStyle(one).overflow !== "visible") return true;
    }
    return false;
  }

  /**
   * @param {PageState} before
   * @param {PageState} now
   * @param {object} changes
   * @param {Node[]} changes.shown elements and texts that are visible now, and were not before
   * @param {Node[]} changes.moved elements and texts that are elsewhere now
   * @param {Node[]} changes.left elements and texts that are gone or no longer visible
   * @param {Element[]} changes.drawn new parts of drawings
   * @param {[Element, string][]} changes.renamed elements whose label has changed, and the previous label
   * @param {Control[]} changes.refilled fields whose value has changed without being acted on
   * @param {Element[]} changes.path the element acted on, and its ancestors
   * @param {Root[]} changes.roots of the whole page
   * @param {Element | null} changes.editor a new field that has the focus
   * @returns {string} at most 200 characters; empty if nothing is worth reporting
   */
  function summarizeChanges(before, now, { shown, moved, left, drawn, renamed, refilled, path, roots, editor }) {
    const opened = [...now.dialogs].filter(([dialog]) => !before.dialogs.has(dialog));
    const closed = [...before.dialogs].filter(([dialog]) => !now.dialogs.has(dialog));
    const faulty = [...now.faulty].filter((field) => !before.faulty.has(field));
    const enabled = [...before.disabled].filter((one) => isInPage(one) && !now.disabled.has(one) && isVisible(one));
    const reported = [...opened.map(([dialog]) => dialog), ...faulty.flatMap(messagesOf)];
    const { come, gone } = differences(outermost(shown), outermost(left));
    const isUnreported = (/** @type {News} */ { node }) =>
      !reported.some((one) => holds(one, node) || holds(node, one) || (isElement(node) && isDrawnIn(one, node)));
    const isOfClosed = (/** @type {News} */ { node }) =>
      closed.some(([dialog]) => holds(dialog, node) || holds(node, dialog));
    const news = come.filter(isUnreported);
    const alerts = wholesIn(news, ALERTS);
    const statuses = wholesIn(news, STATUSES).filter((one) => !alerts.includes(one) && !isMatch(one, LISTS));
    const openedLists = [...now.lists].filter((list) => !before.lists.has(list) && itemsIn(list).length > 0);
    const lists = [...new Set([...wholesIn(news, LISTS), ...openedLists])].map((list) => listName(list, roots));
    const isOfOpenedList = (/** @type {Node} */ node) =>
      isElement(node) && openedLists.some((list) => isDrawnIn(list, node));
    const other = nearestFirst(
      news.filter(({ node }) => !wholeOf(node, ANNOUNCED) && !isOfOpenedList(node)),
      path,
    );
    const menus = gone.filter(({ node }) => isElement(node) && isOfMenu(node));
    const hasClosed = menus.length > 0 || [...before.lists].some((list) => !now.lists.has(list));
    const lost = gone.filter((one) => !isOfClosed(one) && !menus.includes(one));
    const partsWith = (/** @type {number} */ length) => [
      ...announced("alert", alerts, length),
      ...faulty.map((field) => faultLine(field, length)),
      ...opened.map(([, name]) => `${name} opened`),
      ...closed.map(([, name]) => `${name} closed`),
      ...announced("status", statuses, length),
      ...lists,
      ...(editor && !opened.length ? [`field ${selectorOf(editor, roots)} opened`] : []),
      ...enabled.map((element) => `${nameOf(element)} enabled`),
      ...drawings(outermost(drawn), roots),
      ...refilled.slice(0, MOST_TEXTS).map((field) => `${nameOf(field)} holds ${excerpt(valueOf(field), length)}`),
      ...plainly("now", other, lost, length),
      ...plainly("moved", outermost(moved).map(newsOf).filter(hasText), [], length),
      ...renamings(renamed),
      ...plainly("gone", lost, other, length),
      ...(hasClosed && !lists.length ? ["menu closed"] : []),
    ];
    return joined(TEXT_LENGTHS.map(partsWith));
  }

  /**
   * @param {"alert" | "message" | "status"} kind
   * @param {Element[]} elements
   * @param {number} length of each text
   */
  function announced(kind, elements, length) {
    const texts = elements.map(visibleTextOf).filter(plain);
    return texts.map((text) => `${kind} ${excerpt(text, length)}`);
  }

  /**
   * @param {Element} field
   * @param {number} length of its message
   */
  function faultLine(field, length) {
    const fault = faultOf(field);
    return fault ? `error at ${nameOf(field)}: ${excerpt(fault, length)}` : `${nameOf(field)} is invalid`;
  }

  /**
   * @param {string} text
   * @param {number} length
   * @returns {string} in quotes, cut between words
   */
  function excerpt(text, length) {
    const whole = shorten(text, 10 * length);
    if (whole.length <= length) return `"${whole}"`;
    const start = shorten(whole, length).replace(/\.\.\.$/u, "");
    const words = whole[start.length] === " " ? start : start.replace(/\s\S{1,20}$/u, "");
    return `"${words}..."`;
  }

  /**
   * @param {[Element, string][]} renamed
   * @returns {string[]}
   */
  function renamings(renamed) {
    if (renamed.length > MOST_TEXTS) return [`${renamed.length} labels changed`];
    return renamed.map(([one, before]) => `${tagOf(one)} ${quote(before)} is now ${quote(labelOf(one))}`);
  }

  /**
   * @param {Node[]} shapes
   * @param {Root[]} roots
   * @returns {string[]}
   */
  function drawings(shapes, roots) {
    const [first] = /** @type {Element[]} */ (shapes);
    if (!first) return [];
    const count = shapes.length > 1 ? `${shapes.length} SVG shapes` : `SVG ${tagOf(first)}`;
    return [`${count} drawn: ${selectorOf(first, roots)}`];
  }

  /**
   * @param {Node[]} nodes
   * @returns {Node[]} without those inside others
   */
  function outermost(nodes) {
    return nodes.filter((node) => !nodes.some((other) => other !== node && holds(other, node)));
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it is a menu or a list, part of one, or has no other text in it
   */
  function isOfMenu(element) {
    const textOf = (/** @type {Element} */ one) => collapse(textContentOf(one) ?? "");
    return (
      closestOf(element, LISTS) !== null || queryIn(element, LISTS).some((menu) => textOf(menu) === textOf(element))
    );
  }

  /**
   * @param {News[]} news
   * @param {Element[]} path innermost first
   * @returns {News[]} nearest to the element first
   */
  function nearestFirst(news, path) {
    const distanceTo = (/** @type {Node} */ node) => {
      for (let one = /** @type {Node | null} */ (node); one; one = parentOf(one)) {
        const place = path.indexOf(/** @type {Element} */ (one));
        if (place >= 0) return place;
      }
      return path.length;
    };
    const placed = news.map((one) => ({ one, distance: distanceTo(one.node) }));
    return placed.sort((a, b) => a.distance - b.distance).map(({ one }) => one);
  }

  /**
   * Pages often rewrite existing content: only texts that are not on both sides are a change.
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
    const come = shown.map(newsOf);
    const gone = left.map(newsOf);
    return { come: come.map(isNotIn(gone)).filter(hasText), gone: gone.map(isNotIn(come)).filter(hasText) };
  }

  /**
   * @param {Node} node
   * @returns {News}
   */
  function newsOf(node) {
    return { node, texts: textsIn(node) };
  }

  /** @param {News} news */
  function hasText({ texts: own }) {
    return own.length > 0;
  }

  /**
   * @param {Node} node
   * @returns {string[]} the texts in it, even if it was removed
   */
  function textsIn(node) {
    return [...runsIn(node)].map(collapse).filter((text) => WORDED.test(text));
  }

  /**
   * @param {Node} node
   * @returns {Generator<string>} uninterrupted texts; a word in one may be emphasized
   */
  function* runsIn(node) {
    if (isText(node)) yield textContentOf(node) ?? "";
    if (!isElement(node) || isUnread(node)) return;
    let run = "";
    const children = [...childNodesOf(node)];
    const isMixed = children.some((child) => isText(child) && WORDED.test(textContentOf(child) ?? ""));
    for (const child of children) {
      if (isText(child) || (isMixed && isPhrase(child))) {
        run += textContentOf(child) ?? "";
      } else {
        yield run;
        run = "";
        yield* runsIn(child);
      }
    }
    yield run;
  }

  /** @param {Element} element */
  function isUnread(element) {
    if (isControl(element) || isMatch(element, UNREAD_PARTS) || isIconWord(element)) return true;
    return isInPage(element) && !isVisible(element) && isMatch(element, "[hidden], [style]");
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether an icon font draws an image for its word
   */
  function isIconWord(element) {
    return isMatch(element, "[aria-hidden='true'], .notranslate") && iconWordOf(element) !== "";
  }

  /** @param {Node} node */
  function isPhrase(node) {
    return isElement(node) && PHRASES.has(tagOf(node)) && !childrenOf(node).length && !isUnread(node);
  }

  /**
   * @param {News[]} news
   * @param {string} selector
   * @returns {Element[]} matching ancestors or descendants, each once
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
    // A field may be a live region, too.
    const isWhole = (/** @type {Element} */ one) =>
      isVisible(one) && (isMatch(one, LISTS) || WORDED.test(textContentOf(one) ?? ""));
    const within = isElement(node) ? queryIn(node, selector).find(isWhole) : undefined;
    return closestOf(element, selector) ?? within;
  }

  /**
   * @param {string} word
   * @param {News[]} news
   * @param {News[]} others on the other side of the change
   * @param {number} length of a text
   * @returns {string[]}
   */
  function plainly(word, news, others, length) {
    const saidOf = (/** @type {News[]} */ all) => [...new Set(all.map((one) => one.texts.join(" ")))];
    const said = saidOf(news);
    const more = said.length > MOST_TEXTS ? ` and ${said.length - MOST_TEXTS} more` : "";
    const room = more ? length / MOST_TEXTS : length;
    const known = saidOf(others);
    const quoted = said.slice(0, MOST_TEXTS).map((text) => excerpt(fromDifference(text, known, room), room));
    return quoted.length ? [`${word} ${quoted.join(", ")}${more}`] : [];
  }

  /**
   * @param {string} text
   * @param {string[]} others
   * @param {number} length
   * @returns {string} the text, without a beginning that would leave no room for what has changed in it
   */
  function fromDifference(text, others, length) {
    const starts = others.map((other) => other.split("").findIndex((character, index) => character !== text[index]));
    const start = Math.max(0, ...starts);
    if (text.length <= length || start <= length / 2) return text;
    // The word that differs is whole.
    return `...${text.slice(text.lastIndexOf(" ", start) + 1)}`;
  }

  /**
   * @param {Element} dialog
   * @returns {string} for example `dialog "Edit"`
   */
  function dialogName(dialog) {
    const [title] = [...referred(dialog, "aria-labelledby"), ...queryIn(dialog, "h1, h2, h3, h4, [role='heading']")];
    const name = attributeOf(dialog, "aria-label") || drawnTextOf(title ?? dialog);
    return name.trim() ? `dialog ${quote(name)}` : "dialog";
  }

  /**
   * @param {Element} list
   * @param {Root[]} roots
   * @returns {string} with the first items by their selectors, because one of them is the likely next target
   */
  function listName(list, roots) {
    const items = itemsIn(list);
    const name = attributeOf(list, "aria-label");
    const count = `${items.length} ${isMenu(list) ? "item" : "option"}${items.length === 1 ? "" : "s"}`;
    let said = `${isMenu(list) ? "menu" : "list"} ${name ? `${quote(name)} ` : ""}with ${count}`;
    for (const [index, item] of items.slice(0, NAMED_ITEMS).entries()) {
      const longer = `${said}${index ? ", " : ": "}${quote(drawnTextOf(item))} ${selectorOf(item, roots)}`;
      if (longer.length > LIST_LENGTH) break;
      said = longer;
    }
    return said;
  }

  /** @param {Element} list */
  function isMenu(list) {
    return attributeOf(list, "role") === "menu";
  }

  /**
   * @param {Element} list
   * @returns {Element[]} some menus contain buttons, links or other elements instead of items
   */
  function itemsIn(list) {
    const items = queryDrawnIn(list, isMenu(list) ? "[role^='menuitem']" : "[role='option']").filter(isVisible);
    return items.length || !isMenu(list) ? items : queryDrawnIn(list, CONTROLS).filter(isVisible);
  }

  /**
   * @param {Element} field
   * @returns {Element[]} its error messages
   */
  function messagesOf(field) {
    return [...referred(field, "aria-errormessage"), ...referred(field, "aria-describedby")].filter(isVisible);
  }

  /** @param {Element} field */
  function faultOf(field) {
    const said = messagesOf(field).map(visibleTextOf).map(plain).join(" ").trim();
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
   * @param {string[][]} versions lists of parts, the most important part first; each version is shorter than the one
   *   before
   * @returns {string}
   */
  function joined(versions) {
    const parts = versions.find((version) => version.join("; ").length <= MOST_CHARACTERS) ?? versions.at(-1) ?? [];
    let said = "";
    for (const [index, part] of parts.entries()) {
      const longer = said ? `${said}; ${part}` : part;
      const more = `; ${parts.length - index} more`;
      if (longer.length > MOST_CHARACTERS) return said ? `${said}${more}` : `${part.slice(0, MOST_CHARACTERS - 3)}...`;
      said = longer;
    }
    return said;
  }

  return {
    ALERTS,
    ANNOUNCED,
    ChangeWatch,
    DIALOGS,
    STATUSES,
    announced,
    faultLine,
    isSeen,
    joined,
    outermost,
    stateOf,
    summarizeChanges,
  };
})();
