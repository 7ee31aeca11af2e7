"use strict";

// Records what appears and disappears on a page while an action has its effects.

const changeWatch = (() => {
  const {
    attributeOf,
    boxOf,
    childrenOf,
    closestOf,
    drawnAncestors,
    firstIn,
    hasIn,
    holderOf,
    holds,
    isContentEditable,
    isControl,
    isDocument,
    isDrawnIn,
    isElement,
    isInPage,
    isMatch,
    isText,
    likelyRootOf,
    outermost,
    parentElementOf,
    parentOf,
    pause,
    queryAll,
    queryDrawnIn,
    queryIn,
    tagOf,
    textContentOf,
    treeAncestors,
    windowOf,
  } = dom;
  const { collapse, isIconWord, nameOf, visibleTextOf } = texts;
  const { SEEN, endingAnimations, fillsView, isDrawn, isPositioned, isRendered, isVisible, isVisuallyHidden } =
    geometry;
  const { isStandIn } = standIns;
  const { rootsIn } = search;
  const { selectorOf } = selectorGenerator;
  const { focusedElement } = focusing;
  const { isCopy } = replacements;
  const { editorAround } = drawnEditors;
  const { DIALOGS, allIn, aroundField, hiddenAmong, isClipped, isInShownPage, isParked, isSeen, stateOf, valueOf } =
    pageState;
  const { LABELS, hasDrawnWords, isWorded, labelOf, restatings, revealings, summarizeChanges } = changeSummary;
  const { isAt, isWholeInOrder, reordered } = redrawing;
  const { isTrack, slidesIn } = sliding;
  const { isChosenTab, isCurrent, looksSelected } = selectedLooks;
  const { SubmitWatch } = refusedForms;

  /**
   * `first`: wait for a first change after the input; `quiet`: time without changes that ends the wait; `most`: limit
   * of the wait; `opening`: wait for what a press opens, or what is transparent; `linger`: how long to keep watching
   * afterwards.
   */
  const WAITS_MS = { first: 50, quiet: 50, most: 150, opening: 400, linger: 2_000 };
  /** Maximum number of elements that are examined before an action. */
  const MOST_ELEMENTS = 20_000;
  /** Maximum number of elements that are all examined before a field is filled. */
  const MOST_READ = 1_000;
  const INPUTS = ["mousemove", "mouseup", "click", "keydown", "keyup"];
  /** Events of states that a style may depend on, such as `:checked` and `:focus-within`. */
  const STATE_CHANGES = ["beforetoggle", "change", "focusin", "focusout", "hashchange", "input", "toggle"];
  const POLL_MS = 10;
  /** Maximum number of changes that are recorded after an action. */
  const MOST_CHANGES = 300;
  /** Elements that users do not read as text. */
  const UNREAD = new Set(["link", "meta", "noscript", "option", "script", "style", "template", "title"]);
  const EDITABILITY = new Set(["contenteditable", "readonly"]);
  const EDITED = "input, textarea, select, [contenteditable], [role='combobox']";
  const WATCHED = {
    childList: true,
    characterData: true,
    characterDataOldValue: true,
    subtree: true,
    attributeFilter: [
      "aria-hidden",
      "aria-label",
      "class",
      "contenteditable",
      "hidden",
      "inert",
      "open",
      "readonly",
      "style",
      "title",
    ],
    attributeOldValue: true,
  };
  /** Attributes for states, with the words for true and false. */
  const TOGGLES = /** @type {const} */ ([
    ["aria-expanded", "expanded", "collapsed"],
    ["aria-pressed", "pressed", "not pressed"],
    ["aria-selected", "selected", "not selected"],
  ]);
  /** Levels of elements that give one text its styles: wrapping a text in them is not a change. */
  const WRAPPER_LEVELS = 4;
  const COLLAPSED = / collapsed$/u;
  const SORTED = / sorted [a-z]+$/u;
  /** Levels to climb from the element acted on to the one with such a state. */
  const TOGGLE_LEVELS = 4;
  /** Elements that open something when they are pressed. */
  const OPENERS = "[aria-haspopup]:not([aria-haspopup='false'], [aria-expanded='true']), [aria-expanded='false']";
  /** Minimum side of an image that is more than an icon on a button. */
  const IMAGE_SIDE = 64;
  /** Elements that their own markup hides: before `fill`, not all hidden elements of a large page are recorded. */
  const UNDRAWN = "[hidden], [style*='display: none'], [style*='display:none']";
  const HIDING = /display:\s*none|visibility:\s*hidden/u;
  const SHAPES = "path, line, polyline, polygon, rect, circle, ellipse, use";
  /** A dialog that fades out is still drawn meanwhile, and one that fades in is not drawn yet. */
  const FADE_MS = 400;
  const PLACES = ["transform", "translate", "left", "right", "top", "bottom"];
  /** How the style of an element that disappears ends. */
  const ENDS = /** @type {const} */ ([
    ["opacity", "0"],
    ["visibility", "hidden"],
    ["height", "0px"],
    ["maxHeight", "0px"],
    ["width", "0px"],
    ["maxWidth", "0px"],
  ]);
  const TRANSLUCENT = /(?:^|;)\s*opacity:\s*0?\.\d/u;
  /** The items of a list that opens for a field, unlike a link to the maker of an editor. */
  const CHOICES = "[role='option'], [role^='menuitem'], li, a:not([target='_blank']), button";

  /** A picker has at least so many words, each in an element of its own: a calendar of months has twelve. */
  const FEWEST_WORDS = 12;

  /** Lists that are declared as lists of options, wherever they are drawn. */
  const DECLARED = "[role='option'], [role='listbox'], :has([role='option'])";

  /** Records changes from its construction until it is queried. */
  class ChangeWatch {
    /** @readonly */
    #listening = new AbortController();
    /** @readonly */
    #roots;
    /** @readonly */
    #action;
    /** @readonly @type {Set<Node>} editors, and what they have dropped: typing here is not a reported change */
    #editors = new Set();
    /** @readonly @type {Set<Element>} elements acted on */
    #acted = new Set();
    /** @type {Element[]} the element acted on last, and its ancestors */
    #path = [];
    /** @readonly @type {Map<Element, string>} whether elements acted on were expanded or the like */
    #toggles = new Map();
    /** @readonly the elements that were there before; in a large page those around the field that is filled */
    #read;
    /** @readonly */
    #before;
    /** @readonly */
    #submits = new SubmitWatch();
    /** @readonly the frames of the page's own site, and what they showed */
    #frames;
    /** @readonly @type {Set<Node>} added elements and texts */
    #come = new Set();
    /** @readonly @type {Set<Node>} removed elements and texts */
    #gone = new Set();
    /** @readonly @type {Map<Node, NodePlace>} where they were */
    #places = new Map();
    /** @readonly @type {Map<Node, MutationRecord[]>} by the parent */
    #childChanges = new Map();
    /** @readonly @type {Set<Element>} elements that may have been hidden */
    #restyled = new Set();
    /** @readonly @type {Map<Node, string | null>} texts before they were written, perhaps again */
    #written = new Map();
    /** @readonly @type {Map<Element, string>} labels of elements before they changed */
    #labels = new Map();
    /** @readonly @type {Map<Element, boolean>} elements that were or were not editable, before that changed */
    #editable = new Map();
    /** @readonly @type {Map<Element, string>} styles of elements before they changed */
    #styles = new Map();
    /** Whether the element acted on last opens something. */
    #isOpener = false;
    /** Whether it was clicked twice: some trees react only when no further click can follow. */
    #isDouble = false;
    /** @readonly */
    #address = location.href;
    /** Whether an element has come and gone. */
    #hasPassed = false;
    #latestAt = 0;
    #inputAt = 0;
    /** @type {Event | null} the input that the page is handling */
    #latestInput = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} ends the recording */
    #timer;
    /** @readonly */
    #observer = new MutationObserver((records) => this.#take(records));
    /** Whether anything has happened that a style may depend on. */
    #mayRestyle;
    /** @readonly for any change, the first of which is enough */
    #styling = new MutationObserver(() => this.#expectStyles());

    /**
     * @param {Element} element the one acted on
     * @param {Root[]} roots of the whole page
     * @param {ElementAction["action"]} action
     */
    constructor(element, roots, action) {
      this.#roots = roots;
      this.#action = action;
      this.#mayRestyle = action === "hover";
      this.goOn(element);
      const all = allIn(roots);
      const isLarge = action === "fill" && all.length > MOST_READ;
      this.#read = (isLarge ? aroundField(element, roots) : all).slice(0, MOST_ELEMENTS);
      this.#before = stateOf(roots, this.#read);
      this.#frames = roots.filter(isDocument).map((page) => ({ page, frame: holderOf(page) }));
      for (const root of roots) {
        this.#observer.observe(root, WATCHED);
        this.#submits.listen(root, this.#listening.signal);
        this.#styling.observe(root, { attributes: true, childList: true, characterData: true, subtree: true });
      }
      const { signal } = this.#listening;
      for (const view of roots.filter(isDocument).map(windowOf)) {
        for (const type of INPUTS) {
          view?.addEventListener(type, this.#expectInput, { capture: true, signal });
          view?.addEventListener(type, this.noteInput, { signal });
        }
        for (const type of STATE_CHANGES) view?.addEventListener(type, this.#expectStyles, { capture: true, signal });
      }
      this.noteInput();
    }

    /**
     * @param {Element} element acted on as part of the same action
     * @returns {this}
     */
    goOn(element) {
      clearTimeout(this.#timer);
      const editor = (isContentEditable(element) && closestOf(element, "[contenteditable]")) || editorAround(element);
      if (editor) this.#editors.add(editor);
      this.#acted.add(element);
      this.#path = [...treeAncestors(element)];
      const isOpener = (/** @type {Element} */ one) => isMatch(one, OPENERS);
      const isMap = this.#action === "click" && (tagOf(element) === "canvas" || hasIn(element, "canvas"));
      this.#isOpener = isMap || this.#action === "hover" || this.#path.slice(0, TOGGLE_LEVELS).some(isOpener);
      for (const one of this.#path.slice(0, TOGGLE_LEVELS)) {
        if (!this.#toggles.has(one)) this.#toggles.set(one, toggleOf(one));
      }
      return this;
    }

    /** @returns {number} the number of elements and texts that are gone or may have been hidden */
    lost() {
      this.#take();
      return this.#gone.size + [...this.#restyled].filter((one) => isInPage(one) && isHidden(one)).length;
    }

    /** @returns {boolean} whether anything may have changed, or has come and gone */
    hasNews() {
      this.#take();
      return this.#hasPassed || this.#come.size + this.#gone.size + this.#restyled.size > 0;
    }

    /** @returns {boolean} whether an element has come, gone, another place or another style than before */
    hasMoved() {
      this.#take();
      const isRestyled = [...this.#styles].some(([one, before]) => plainStyle(attributeOf(one, "style")) !== before);
      const isBack = (/** @type {Node} */ node) => isInPage(node) && isAt(node, this.#places.get(node));
      return isRestyled || [...this.#come, ...this.#gone].some((node) => !isBack(node));
    }

    /** @returns {boolean} whether a dialog, a calendar or a list has opened */
    hasOpenedLayer() {
      return this.hasOpenedList() || this.pickers().length > 0;
    }

    /** @returns {Element[]} dialogs, calendars and the like that have opened over the page */
    pickers() {
      const dialogs = [...stateOf(this.#rootsNow()).dialogs.keys()].filter((one) => !this.#before.dialogs.has(one));
      return [...dialogs, ...this.appeared().filter((one) => isPicker(one) && this.#isOver(one))];
    }

    /** @returns {boolean} whether a list of choices has opened, over the page or in it */
    hasOpenedList() {
      return this.#lists().length > 0;
    }

    /** @returns {boolean} whether such a list lies over the page or is declared, unlike results that the page shows */
    hasSuggestions() {
      return this.#lists().some((one) => isMatch(one, DECLARED) || this.#isOver(one));
    }

    /** @returns {Element[]} new lists of choices, and their parts */
    #lists() {
      return this.appeared().filter((one) => isSeen(one) && isList(one));
    }

    /** @returns {Element[]} what has come, or was hidden before and is not any more */
    appeared() {
      this.#take();
      const all = [...this.#come, ...this.#revealed()].filter(isElement);
      return all.filter((one) => isInPage(one) && isVisible(one));
    }

    /** @returns {Node[]} what was hidden before, or outside of the page, and is not any more */
    #revealed() {
      return [...this.#before.hidden].filter((one) => isElement(one) && isInPage(one) && isSeen(one) && !isParked(one));
    }

    /** @returns {boolean} whether anything has come over the page, such as a list without a role */
    hasLayers() {
      this.#take();
      return [...this.#come].some((one) => isElement(one) && isInPage(one) && isVisible(one) && this.#isOver(one));
    }

    /**
     * @param {Element} element
     * @returns {boolean} whether it is part of something new that lies over the page
     */
    #isOver(element) {
      const isNew = (/** @type {Element} */ one) => this.#come.has(one) || this.#before.hidden.has(one);
      return [...treeAncestors(element)].some((one) => isNew(one) && isPositioned(one));
    }

    /** @param {Element} element @returns {boolean} whether the page has added it */
    #isNew(element) {
      return [...treeAncestors(element)].some((one) => this.#come.has(one) && !this.#gone.has(one));
    }

    /** Waits until the page has settled, for a short time only. */
    async rest() {
      const begun = performance.now();
      // Measured from the input: effects before this call count, too. Under load the input is noted late. Timers take
      // whole milliseconds, and those that follow one that was too short are delayed by the browser.
      do await pause(Math.ceil(this.#inputAt + WAITS_MS.first - performance.now()));
      while (performance.now() - this.#inputAt < WAITS_MS.first && performance.now() - begun < WAITS_MS.most);
      await this.#pause(0);
      for (;;) {
        const now = performance.now();
        if (now - this.#latestAt >= WAITS_MS.quiet || now - begun >= WAITS_MS.most) break;
        await this.#pause(POLL_MS);
      }
      for (let left = FADE_MS; left > 0 && (this.#isMovedByScript() || this.#isBetweenDialogs());) {
        const polled = performance.now();
        await this.#pause(POLL_MS);
        // A stall is no time in which the page could go on.
        left -= Math.min(performance.now() - polled, 2 * POLL_MS);
      }
      // Some menus open only once the mouse has been over them for a while, some maps wait for the second click of a
      // double-click, and some pages draw what belongs to a new address some time after it.
      while (this.#mayOpen() && performance.now() - this.#inputAt < WAITS_MS.opening) await pause(WAITS_MS.quiet);
      if (await this.#faded()) return;
      // Some pages start an animation only some time after what is to appear is there, still transparent.
      do await this.#pause(POLL_MS);
      while (this.#isTransparent() && performance.now() - this.#inputAt < WAITS_MS.opening);
      await this.#faded();
    }

    /**
     * Time in which the page could not run is no time without changes; and after a stall, timers of ours may come before
     * those of the page that have become due.
     *
     * @param {number} milliseconds
     */
    async #pause(milliseconds) {
      const due = performance.now() + milliseconds + POLL_MS;
      await pause(milliseconds);
      const now = performance.now();
      if (now < due) return;
      const stalled = now - Math.max(due, this.#latestAt);
      this.#latestAt = Math.max(this.#latestAt + stalled, now - WAITS_MS.quiet + POLL_MS);
    }

    /** @returns {Promise<boolean>} whether nothing faded, and nothing is about to */
    async #faded() {
      const fading = this.#fading();
      if (fading.length) await Promise.race([Promise.allSettled(fading), pause(FADE_MS)]);
      return !fading.length && !this.#isTransparent();
    }

    /** @returns {boolean} whether a script makes something with words more or less transparent, or slides it, step by step */
    #isMovedByScript() {
      this.#take();
      if (performance.now() - this.#latestAt >= WAITS_MS.quiet) return false;
      if ([...this.#styles.keys()].some(isTrack)) return true;
      const isHalf = (/** @type {Element} */ one) => TRANSLUCENT.test(attributeOf(one, "style") ?? "");
      return [...this.#restyled].some((one) => isHalf(one) && isInPage(one) && isWorded(one));
    }

    /** @returns {boolean} whether a dialog has gone and its backdrop has not: a tour may move on to its next step */
    #isBetweenDialogs() {
      const before = [...this.#before.dialogs.keys()];
      if (before.every((one) => isInPage(one) && isVisible(one))) return false;
      const [corner] = document.elementsFromPoint(0, 0);
      const isLeft = (/** @type {Element} */ one) => isBackdrop(one) && !isWorded(one);
      if (!corner || ![...treeAncestors(corner)].some(isLeft)) return false;
      return [...stateOf(this.#rootsNow()).dialogs.keys()].every((one) => before.includes(one));
    }

    /** @returns {boolean} whether a dialog that was open, or something with words that has come, is transparent */
    #isTransparent() {
      const hidden = [...this.#restyled].filter((one) => this.#before.hidden.has(one));
      return [...withDialogs(outermost([...this.#come])), ...hidden, ...this.#before.dialogs.keys()]
        .filter(isElement)
        .some((one) => isInPage(one) && isRendered(one, SEEN) && !isDrawn(one) && isWorded(one));
    }

    /** @returns {Root[]} of the whole page, also those of what has come, such as a web component around a dialog */
    #rootsNow() {
      const come = outermost([...this.#come].filter(isElement).filter(isInPage));
      const frames = this.#navigatedFrames().map(({ frame }) => frame);
      return [...new Set([...this.#roots, ...rootsIn([...come, ...frames])])];
    }

    /** @returns {{frame: Element, before: Element | undefined, now: Element | undefined}[]} with the bodies of their pages */
    #navigatedFrames() {
      return this.#frames.flatMap(({ page, frame }) => {
        const next = frame && isInPage(frame) ? likelyRootOf(frame) : null;
        if (!frame || !next || next === page) return [];
        return [{ frame, before: queryAll(page, "body")[0], now: queryAll(next, "body")[0] }];
      });
    }

    /** @returns {Promise<Animation>[]} the ends of what fades in or out */
    #fading() {
      const come = [...this.#come].filter(isElement).filter(isInPage);
      const hidden = [...this.#before.hidden].filter(isElement);
      const waiting = [...withDialogs(come), ...hidden].filter(isInPage);
      const coming = waiting.filter((one) => isRendered(one) && (!isDrawn(one) || isParked(one)));
      const around = coming.flatMap((one) => [...treeAncestors(one)].slice(1));
      // A field that was operated has closed the list that it had opened.
      const own = ["fill", "select"].includes(this.#action) ? stateOf(this.#rootsNow()).lists : [];
      const listed = [...this.#before.lists, ...own].filter(isVisible).flatMap((one) => [...drawnAncestors(one)]);
      const layers = [...this.#before.dialogs.keys(), ...coming].filter(isVisible);
      const opened = this.#isOpener ? come.filter(isWorded) : [];
      // Some pages show a dialog only once its backdrop is there.
      const boxes = new Set([...come.filter(isBackdrop), ...around, ...listed]);
      return [
        ...[...layers, ...opened].flatMap((one) => animationsOf(one)),
        ...this.#animationsInside(layers),
        ...[...boxes].flatMap((one) => animationsOf(one, false)),
        ...this.#roots
          .flatMap((root) => endingAnimations(root))
          .filter(isLeaving)
          .map(({ finished }) => finished),
      ];
    }

    /**
     * @param {Element[]} layers
     * @returns {Promise<Animation>[]} the ends of animations in shadow trees inside them
     */
    #animationsInside(layers) {
      const trees = layers.length ? this.#roots.filter((root) => !isDocument(root)) : [];
      const isInside = (/** @type {Animation} */ { effect }) => {
        const target = /** @type {KeyframeEffect | null} */ (effect)?.target;
        return target ? layers.some((one) => isDrawnIn(one, target)) : false;
      };
      const running = trees.flatMap((tree) => endingAnimations(tree));
      return running.filter(isInside).map(({ finished }) => finished);
    }

    /**
     * @param {Node} node that was removed and is back
     * @returns {Element | undefined} a new element that the page has only put around it, such as for bold text
     */
    #wrapperOf(node) {
      const outer = this.#places.get(node)?.parentNode;
      const around = treeAncestors(parentElementOf(node), WRAPPER_LEVELS);
      const wrapper = [...around].find((one) => parentOf(one) === outer);
      const isOnly = wrapper && this.#come.has(wrapper) && textContentOf(wrapper) === textContentOf(node);
      return isOnly ? wrapper : undefined;
    }

    /**
     * @returns {boolean} whether what was pressed or pointed at is to open something that is not drawn yet, or has led to
     *   another address
     */
    #mayOpen() {
      this.#take();
      if (this.#action === "fill") return false;
      if (!this.#isOpener && !this.#hasOtherAddress()) return this.#isDouble && this.#come.size + this.#gone.size === 0;
      // What has appeared may still hide its words, as a panel does until it has its size.
      const isShown = (/** @type {Node} */ node) => isInPage(node) && isSeen(node) && hasDrawnWords(node);
      return ![...this.#come, ...this.#revealed()].some((node) => isWorded(node) && isShown(node));
    }

    /** @returns {boolean} whether the page has changed its address, not only to one of its parts */
    #hasOtherAddress() {
      if (location.href === this.#address) return false;
      return location.hash === "" || !firstIn(document, `#${CSS.escape(location.hash.slice(1))}`);
    }

    /**
     * Summarizes what has appeared and disappeared, and keeps recording, because requests may bring more.
     *
     * @returns {string} empty if nothing has changed
     */
    summarize() {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.stop(), WAITS_MS.linger);
      this.#take();
      const { hidden } = this.#before;
      const isBack = (/** @type {Node} */ node) => this.#come.has(node) && this.#gone.has(node) && !hidden.has(node);
      const back = new Set([...this.#come].filter((node) => isInPage(node) && isBack(node) && isSeen(node)));
      const isRedrawn = isWholeInOrder(
        [...this.#gone].filter((node) => back.has(node)),
        this.#childChanges,
      );
      const wrapperOf = new Map([...back].map((node) => [node, this.#wrapperOf(node)]));
      const wrappers = [...wrapperOf.values()].filter((one) => one !== undefined);
      const isMoved = (/** @type {Node} */ node) => !isAt(node, this.#places.get(node)) && !wrapperOf.get(node);
      const moved = isRedrawn ? [] : [...back].filter(isMoved);
      const isSame = (/** @type {Node} */ node) => this.#written.get(node) === textContentOf(node);
      const isWrapper = (/** @type {Node} */ node) => wrappers.some((one) => holds(one, node));
      const isNew = (/** @type {Node} */ node) => !isBack(node) && !isSame(node) && !isWrapper(node);
      const shown = [...this.#come, ...this.#revealed()].filter((one) => isInPage(one) && isSeen(one) && isNew(one));
      const left = [...this.#gone].filter((node) => !isInPage(node) && !hidden.has(node) && !this.#wasUnseen(node));
      const toggled = this.#toggled();
      const drawn = [...this.#come]
        .filter((node) => isElement(node) && isInPage(node))
        .flatMap((node) => shapesOf(/** @type {Element} */ (node)));
      const renamed = [...this.#labels].filter(
        ([one, before]) => isInPage(one) && isVisible(one) && before !== labelOf(one) && !this.#isNew(one),
      );
      const roots = this.#rootsNow();
      const now = stateOf(roots);
      const slides = slidesIn(this.#styles);
      const frames = this.#navigatedFrames();
      const changes = summarizeChanges(this.#before, now, {
        shown: [...shown, ...slides.come, ...frames.flatMap((one) => (one.now && isSeen(one.frame) ? one.now : []))],
        moved: [...moved, ...reordered(shown, left, this.#places)],
        left: [...left, ...this.#framedIn(left), ...this.#hiddenNow(toggled), ...slides.gone],
        replaced: frames.flatMap(({ before }) => before ?? []),
        read: this.#read,
        wasIn: (outer, node) => this.#wasIn(outer, node),
        drawn,
        renamed,
        refilled: [...this.#before.values]
          .filter(([field, before]) => this.#isRefilled(field, before))
          .map(([field]) => field),
        refused: this.#action === "fill" ? [] : this.#submits.fields(),
        sorted: SORTED.test(toggled) ? toggled : "",
        path: this.#path,
        acted: this.#acted,
        roots,
        editor: this.#openedField(),
      });
      return changes || toggled || revealings(shown, left, roots) || restatings(this.#before, now, roots);
    }

    /**
     * @param {Node} node that the page has removed
     * @returns {boolean} whether it was not drawn, or what contained it is hidden as before, or is clipped, or draws
     *   something else: a canvas, or an icon
     */
    #wasUnseen(node) {
      if (isElement(node) && isMatch(node, UNDRAWN) && !this.#restyled.has(node)) return true;
      const parent = this.#places.get(node)?.parentNode;
      if (!parent || !isElement(parent) || !isInPage(parent)) return false;
      // Before a fill only the surroundings of the field were examined in a large page.
      const isAsBefore = () =>
        this.#action === "fill" && ![...treeAncestors(parent)].some((one) => this.#restyled.has(one));
      const isOther = closestOf(parent, "canvas") !== null || isIconWord(parent);
      return isOther || isClipped(parent) || (!isDrawn(parent) && isAsBefore());
    }

    /**
     * @param {Node[]} left what is gone
     * @returns {Element[]} the bodies of the pages in its frames
     */
    #framedIn(left) {
      const gone = this.#frames.filter(({ frame }) => frame && left.some((node) => holds(node, frame)));
      return gone.flatMap(({ page }) => queryAll(page, "body"));
    }

    /**
     * @param {string} toggled the new state of what was acted on
     * @returns {Element[]} what was seen before and is not now, if anything has happened that a style may depend on
     */
    #hiddenNow(toggled) {
      this.#mayRestyle ||= this.#styling.takeRecords().length > 0;
      // What an element has collapsed is hidden with it.
      if (!this.#mayRestyle || COLLAPSED.test(toggled)) return [];
      const hidden = hiddenAmong(this.#read.filter(isInShownPage));
      // What has no size any more may be scaled. What is in it may be hidden instead.
      const isEmptied = (/** @type {Element} */ one) => isHidden(one) && !hidden.some((inner) => holds(one, inner));
      const emptied = [...this.#restyled].filter(isInShownPage).filter(isEmptied);
      // Not all of a large page was examined: it may have been hidden before, by its own style or by what is around it.
      const isNews = (/** @type {Element} */ one) => {
        if (HIDING.test(this.#styles.get(one) ?? attributeOf(one, "style") ?? "")) return false;
        const undrawn = [...treeAncestors(parentElementOf(one))].filter((outer) => !isDrawn(outer));
        return !undrawn.length || undrawn.some((outer) => this.#restyled.has(outer));
      };
      const wasHidden = (/** @type {Element} */ one) =>
        [...treeAncestors(one)].some((outer) => this.#before.hidden.has(outer));
      return [...hidden, ...emptied.filter(isNews)].filter(
        (one) => !wasHidden(one) && !this.#isNew(one) && this.#hadWords(one),
      );
    }

    /**
     * @param {Element} element
     * @returns {boolean} false if all its words have come meanwhile, such as those of a list of suggestions
     */
    #hadWords(element) {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const isOld = !this.#come.has(node) && !this.#isNew(/** @type {Element} */ (parentElementOf(node)));
        if (isOld && isWorded(node)) return true;
      }
      return !isWorded(element);
    }

    /**
     * @param {Element} outer
     * @param {Node} node that the page has removed
     * @returns {boolean} whether it was in the other one, which the page may have taken apart
     */
    #wasIn(outer, node) {
      const passed = new Set();
      /** @type {Node | null | undefined} */
      let one = node;
      while (one && one !== outer && !passed.has(one)) {
        passed.add(one);
        one = parentOf(one) ?? this.#places.get(one)?.parentNode;
      }
      return one === outer;
    }

    /** @returns {Element | null} a new field that has the focus, such as the one for a cell, or a text that became one */
    #openedField() {
      const field = focusedElement();
      const locked = [...this.#editable.keys()].filter((one) => this.#action !== "fill" && !this.#editable.get(one));
      const all = [...this.#come, ...this.#before.hidden, ...locked];
      const isNew = all.some((one) => isElement(one) && holds(one, field));
      return isNew && isMatch(field, EDITED) && isSeen(field) && !this.#isRedrawnField(field) ? field : null;
    }

    /**
     * @param {Element} field
     * @returns {boolean} whether the page has removed the same field, or what it was in, and put it in its place again
     */
    #isRedrawnField(field) {
      const had = [...this.#gone].filter(isElement).filter((one) => isMatch(one, EDITED) || hasIn(one, EDITED));
      return [...treeAncestors(field)].some((one) =>
        had.some((old) => isCopy(one, old) && isAt(one, this.#places.get(old))),
      );
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
      const isShown = isVisible(field) && !isVisuallyHidden(field) && !isStandIn(field);
      return isInPage(field) && !this.#acted.has(field) && valueOf(field) !== before && isShown;
    }

    #expectStyles = () => {
      this.#mayRestyle = true;
      this.#styling.disconnect();
    };

    stop() {
      this.#observer.disconnect();
      this.#styling.disconnect();
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
      if (event.type === "click") this.#isDouble = /** @type {MouseEvent} */ (event).detail === 2;
      const note = () => this.#latestInput === event && this.noteInput();
      void scheduler.postTask(note, { priority: "user-blocking" });
    };

    /** Makes `rest` count from now on, because the page is about to react to something. */
    noteInput = () => {
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

    /** @param {MutationRecord} record */
    #noteEditable({ target, attributeName, oldValue }) {
      const element = /** @type {Element} */ (target);
      const wasEditable = attributeName === "readonly" ? oldValue === null : oldValue !== null && oldValue !== "false";
      if (!this.#editable.has(element)) this.#editable.set(element, wasEditable);
    }

    /**
     * @param {Node} target
     * @param {string | null} before
     */
    #noteStyle(target, before) {
      const element = /** @type {Element} */ (target);
      if (!this.#styles.has(element)) this.#styles.set(element, plainStyle(before));
    }

    /**
     * @param {Node} target
     * @returns {boolean} whether what is removed from it did not exist before, or was not drawn
     */
    #isNewOrHidden(target) {
      // Both may be thousands.
      for (let one = /** @type {Node | null} */ (target); one; one = parentOf(one)) {
        if (this.#before.hidden.has(one) || (this.#come.has(one) && !this.#gone.has(one))) return true;
      }
      return false;
    }

    /** @param {Node} target */
    #isEdited(target) {
      // Most actions are not in an editor, and a page may report many changes.
      for (let one = this.#editors.size ? /** @type {Node | null} */ (target) : null; one; one = parentOf(one)) {
        if (this.#editors.has(one)) return true;
      }
      return false;
    }

    /** @param {MutationRecord[]} records also of what an editor changes before it removes it, or after */
    #noteDropped(records) {
      for (const { target, removedNodes } of [...records.toReversed(), ...records]) {
        if (removedNodes.length && this.#isEdited(target)) for (const node of removedNodes) this.#editors.add(node);
      }
    }

    /** @param {MutationRecord} record */
    #noteChildren(record) {
      const changes = this.#childChanges.get(record.target);
      if (changes) changes.push(record);
      else this.#childChanges.set(record.target, [record]);
    }

    /** @param {MutationRecord[]} [records] those that the browser has not reported yet, if left out */
    #take(records = this.#observer.takeRecords()) {
      if (!records.length) return;
      this.#latestAt = performance.now();
      this.#noteDropped(records);
      for (const record of records) {
        const { type, target, addedNodes, removedNodes, attributeName, oldValue } = record;
        if (EDITABILITY.has(attributeName ?? "")) {
          this.#noteEditable(record);
          continue;
        }
        if (this.#isEdited(target)) continue;
        const around = isText(target) ? parentOf(target) : target;
        // What a text area contains is its value, which is reported as such.
        const isValue = (/** @type {Element} */ one) => type !== "attributes" && tagOf(one) === "textarea";
        if (around && isElement(around) && (!isRead(around) || isValue(around))) continue;
        if (attributeName === "style") this.#noteStyle(target, oldValue);
        if (type === "attributes" && LABELS.includes(attributeName ?? "")) this.#noteLabel(target, oldValue);
        else if (type === "attributes") this.#restyled.add(/** @type {Element} */ (target));
        if (type === "characterData") this.#come.add(target);
        if (type === "characterData" && !this.#written.has(target)) this.#written.set(target, oldValue);
        if (type === "childList") this.#noteChildren(record);
        for (const node of addedNodes) if (isRead(node)) this.#come.add(node);
        const wasSeen = removedNodes.length > 0 && !this.#isNewOrHidden(target);
        for (const [index, node] of removedNodes.entries()) {
          // What was added meanwhile did not exist before.
          const isNew = this.#come.delete(node);
          if (isNew && isElement(node)) this.#hasPassed = true;
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
    const sort = attributeOf(element, "aria-sort");
    if (isChosenTab(element)) words.push("selected");
    if (tagOf(element) === "details") words.push(attributeOf(element, "open") === null ? "collapsed" : "expanded");
    const look = isCurrent(element) ? "current" : looksSelected(element) && "looks selected";
    return [...words, look, sort && sort !== "none" && `sorted ${sort}`].filter(Boolean).join(" ");
  }

  /** @param {Element} element */
  function isList(element) {
    const items = isMatch(element, CHOICES) ? [element] : queryDrawnIn(element, CHOICES).filter(isVisible);
    const [item, ...others] = items;
    // A button that comes alone empties the field or the like.
    if (!item || (!others.length && isMatch(item, "a, button"))) return false;
    for (const one of treeAncestors(item)) {
      if (isPositioned(one)) return true;
      if (one === element && tagOf(one) !== "li") break;
    }
    return ["ul", "ol", "table"].includes(tagOf(element)) || isMatch(item, "[role='option'], [role^='menuitem'], li");
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it has as many words as a calendar of months, each in an element of its own
   */
  function isPicker(element) {
    const isWord = (/** @type {Element} */ one) =>
      !childrenOf(one).length && /^\s*\S+\s*$/u.test(textContentOf(one) ?? "");
    const words = queryIn(element, "*").filter(isWord);
    return words.length >= FEWEST_WORDS && words.filter(isVisible).length >= FEWEST_WORDS;
  }

  /**
   * @param {Element} element
   * @param {boolean} [subtree] whether to include its descendants
   */
  function animationsOf(element, subtree = true) {
    return endingAnimations(element, subtree).map(({ finished }) => finished);
  }

  /**
   * @param {Animation} animation
   * @returns {boolean} whether an element with words disappears with it; what lies over the page may also move out of the
   *   window, such as a drawer
   */
  function isLeaving(animation) {
    const effect = /** @type {KeyframeEffect} */ (animation.effect);
    const { target } = effect;
    const end = effect.getKeyframes().at(-1);
    if (!end || !target || !isWorded(target)) return false;
    // The browser resolves the size of a row that is to close to its present one.
    const isEnd = "gridTemplateRows" in end || ENDS.some(([name, value]) => end[name] === value);
    return isEnd || (isPositioned(target) && PLACES.some((name) => name in end));
  }

  /** @param {string | null} style as the page has written it, or as the browser does */
  function plainStyle(style) {
    return (style ?? "").replace(/[;\s]+$/u, "");
  }

  /**
   * @param {Element} element
   * @returns {Element[]} the element, or the parts of a drawing of its own, if it is part of a drawing
   */
  function shapesOf(element) {
    return (tagOf(element) === "svg" ? queryIn(element, SHAPES) : [element]).filter(isShape);
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it is part of a drawing, such as a line between two nodes
   */
  function isShape(element) {
    const image = isMatch(element, `${SHAPES}, g`) ? closestOf(element, "svg") : null;
    if (!image || (tagOf(element) === "g" && !queryIn(element, SHAPES).length)) return false;
    const { width, height } = boxOf(image);
    return Math.min(width, height) > IMAGE_SIDE && isDrawn(element) && !isClipped(image);
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it is not visible, and nothing in it is: what is in a box without area may be drawn elsewhere
   */
  function isHidden(element) {
    return !isVisible(element) && !(isDrawn(element) && queryIn(element, "*").some(isSeen));
  }

  /**
   * @param {Node[]} nodes
   * @returns {Element[]} the elements among them, and the dialogs in these, also in their shadow trees
   */
  function withDialogs(nodes) {
    const elements = nodes.filter(isElement);
    return [...elements, ...[...elements, ...rootsIn(elements)].flatMap((scope) => queryAll(scope, DIALOGS))];
  }

  /** @param {Element} element */
  function isBackdrop(element) {
    return isPositioned(element) && fillsView(element);
  }

  /** @param {Node} node */
  function isRead(node) {
    return isElement(node) ? !UNREAD.has(tagOf(node)) : isText(node);
  }

  return { ChangeWatch };
})();
