"use strict";

// The state of a page that an action may change: dialogs, lists, values of fields, and what is hidden.

/** @typedef {ReturnType<typeof pageState.stateOf>} PageState */

const pageState = (() => {
  const {
    NATIVE_FIELDS,
    attributeOf,
    boxOf,
    closestOf,
    dataOf,
    documentOf,
    drawnAncestors,
    holderOf,
    holds,
    isControl,
    isDocument,
    isElement,
    isInPage,
    isMatch,
    keepsSecret,
    kindOf,
    parentElementOf,
    parentOf,
    queryAll,
    queryDrawnIn,
    queryIn,
    referred,
    tagOf,
    treeAncestors,
    windowOf,
  } = dom;
  const { collapse, drawnTextOf, isIconWord, lineOf, orLabelOf } = texts;
  const { faultyIn } = faults;
  const { isDrawn, isOffPage, isRendered, isVisible } = geometry;

  /** Fields whose value is not shown as text. */
  const UNSHOWN = new Set(["button", "checkbox", "file", "hidden", "image", "radio", "reset", "submit"]);
  const MOST_FIELDS = 300;
  const CHECKS = "[type='checkbox'], [role='checkbox'], [role='switch']";
  const UNPOSITIONED = new Set(["relative", "static", "sticky"]);
  /** Levels to climb to find what clips a text for screen readers. */
  const CLIP_LEVELS = 5;
  const DIALOGS = "dialog[open], [role='dialog'], [role='alertdialog'], [aria-modal='true']";
  /** Controls of a dialog, whose texts are not its name. */
  const BUTTONS = "button, [role='button'], input";
  /** Texts that name a dialog without a title. */
  const MOST_TEXTS = 20;
  /** More than a label or a number. */
  const SENTENCE = /\p{L}\s+\p{L}|\p{Lo}{4}/u;
  /** Longer texts of a dialog are content, not a message. */
  const MESSAGE_LENGTH = 120;
  const DISABLED = ":disabled, :is(a, button, [role='button'])[aria-disabled='true']";
  const ALERTS = "[role='alert'], [aria-live='assertive']";
  const STATUSES = "[role='status'], [role='log'], [aria-live='polite'], output";
  const LISTS = "[role='listbox'], [role='menu'], [role='menubar'][aria-orientation='vertical']";
  const ANNOUNCED = `${ALERTS}, ${STATUSES}, ${LISTS}`;

  /**
   * @param {Root[]} roots of the whole page
   * @param {Element[]} [read] elements to check for visibility, in document order
   */
  function stateOf(roots, read = []) {
    const all = (/** @type {string} */ selector) => roots.flatMap((root) => queryAll(root, selector));
    return {
      dialogs: new Map(
        all(DIALOGS)
          .filter((dialog) => isVisible(dialog) && isDrawn(dialog))
          .map((dialog) => [dialog, dialogNameOf(dialog)]),
      ),
      lists: new Set(all(LISTS).filter(isVisible)),
      faulty: new Set(faultyIn(roots)),
      disabled: new Set(all(DISABLED).filter(isVisible)),
      pressed: new Set(all("[aria-pressed='true']").filter(isVisible)),
      checks: new Map(all(CHECKS).map((box) => [box, isMatch(box, ":checked, [aria-checked='true']")])),
      values: new Map(
        read
          .filter(isControl)
          .filter((field) => attributeOf(field, "aria-hidden") !== "true")
          .slice(0, MOST_FIELDS)
          .map((field) => [field, valueOf(field)]),
      ),
      hidden: /** @type {Set<Node>} */ (new Set(hiddenAmong(read))),
    };
  }

  /**
   * @param {Control} field
   * @returns {string} the text that it shows; empty if it shows none, or keeps it secret
   */
  function valueOf(field) {
    if (UNSHOWN.has(kindOf(field)) || keepsSecret(field)) return "";
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
   * A field's messages are next to it or in live regions: after typing there is no time for the whole of a large page.
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
   * @returns {Element[]} the outermost of them that are not drawn, outside of the page, clipped away, or shut
   */
  function hiddenAmong(elements) {
    /** @type {Element[]} */
    const hidden = [];
    /** @type {Element | undefined} */
    let latest;
    for (const element of elements) {
      // Its descendants follow right after it.
      if (latest && holds(latest, element)) continue;
      const style = getComputedStyle(element);
      latest = isDrawn(element) && !isParked(element, style) && !isClosed(element, style) ? undefined : element;
      if (latest) hidden.push(latest);
    }
    return hidden;
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it is in a page that is still shown
   */
  function isInShownPage(element) {
    return isInPage(element) && windowOf(/** @type {Document} */ (documentOf(element))) !== null;
  }

  /** @param {Node} node */
  function isSeen(node) {
    const outer = isElement(node) ? node : parentOf(node);
    const element = outer && !isElement(outer) ? holderOf(outer) : outer;
    return element !== null && isDrawn(element) && isVisible(element) && !isClipped(element);
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it is part of something that is not shown to users
   */
  function isClipped(element) {
    for (const one of treeAncestors(element, CLIP_LEVELS)) if (isUnshown(one)) return true;
    return false;
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it is for screen readers or for measuring, too small or outside of the page, or is shut
   */
  function isUnshown(element) {
    return isClosed(element) || (getComputedStyle(element).position === "absolute" && isParked(element));
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it is shut, or where users cannot scroll to; not what is clipped for screen readers
   */
  function isAway(element) {
    const around = [...drawnAncestors(element)];
    const fixed = around.find((one) => getComputedStyle(one).position === "fixed");
    return (
      isOffPage(element) || around.some((one) => isClosed(one) && !isTiny(one)) || (fixed ? isParked(fixed) : false)
    );
  }

  /** @param {Element} element @returns {boolean} whether it is too small for what is in it */
  function isTiny(element) {
    const { width, height } = isRendered(element) ? boxOf(element) : styledSizeOf(element);
    return width <= 1 && height <= 1 && getComputedStyle(element).overflow !== "visible";
  }

  /**
   * @param {Element} element
   * @param {CSSStyleDeclaration} [style]
   * @returns {boolean} whether it is where users cannot scroll to, such as a menu or a drawer until it opens
   */
  function isParked(element, { position } = getComputedStyle(element)) {
    // Querying a box takes longer than a style.
    if (position !== "absolute" && position !== "fixed") return false;
    const { left, top, right, bottom, width, height } = boxOf(element);
    if (width <= 1 && height <= 1) return false;
    if (position === "absolute") return isBefore(right + scrollX, width) || isBefore(bottom + scrollY, height);
    const view = windowOf(/** @type {Document} */ (documentOf(element))) ?? window;
    return (
      [right, view.innerWidth - left].some((end) => isBefore(end, width)) ||
      [bottom, view.innerHeight - top].some((end) => isBefore(end, height))
    );
  }

  /**
   * @param {Element} element
   * @param {CSSStyleDeclaration} [style]
   * @returns {boolean} whether it clips what is in it, and has no room for it
   */
  function isClosed(element, { overflowX } = getComputedStyle(element)) {
    // Unless one of them clips only, both directions are visible or neither is.
    return overflowX !== "visible" && (isTiny(element) || isShut(element));
  }

  /** @param {Element} element that clips what is in it @returns {boolean} whether it is shut, such as a panel of an accordion */
  function isShut(element) {
    const { width, height } = boxOf(element);
    const isEmpty = width === 0 || (height === 0 && getComputedStyle(element).overflowY !== "visible");
    // What is positioned may have its containing block further out.
    return isEmpty && queryIn(element, "*").every((one) => UNPOSITIONED.has(getComputedStyle(one).position));
  }

  /**
   * @param {number} end distance from the edge of the page to the far side
   * @param {number} size
   * @returns {boolean} false for an empty box at the edge: what is drawn in it may be elsewhere
   */
  function isBefore(end, size) {
    return end < 0 || (end === 0 && size > 0);
  }

  /**
   * @param {Element} element that has no box at present
   * @returns {Pick<DOMRect, "width" | "height">} what its style says; NaN for `auto`
   */
  function styledSizeOf(element) {
    const { width, height } = getComputedStyle(element);
    return { width: Number.parseFloat(width), height: Number.parseFloat(height) };
  }

  /**
   * @param {Element} dialog
   * @returns {string} its label, its title or its first heading; otherwise its text without buttons
   */
  function dialogNameOf(dialog) {
    const named = titleOf(dialog) ?? dialog;
    const text = lineOf(textsIn(named)) || drawnTextOf(named);
    return collapse(attributeOf(dialog, "aria-label") || orLabelOf(named, text));
  }

  /** @param {Element} dialog */
  function titleOf(dialog) {
    const [title] = [...referred(dialog, "aria-labelledby"), ...queryIn(dialog, "h1, h2, h3, h4, [role='heading']")];
    return title;
  }

  /**
   * @param {Element} dialog
   * @returns {string} the few words that it has besides its name, such as a question; empty if it has fields
   */
  function dialogMessageOf(dialog) {
    const title = titleOf(dialog);
    if (!(title || attributeOf(dialog, "aria-label")) || queryDrawnIn(dialog, NATIVE_FIELDS).length) return "";
    const message = lineOf(textsIn(dialog).filter((text) => !title || !holds(title, text)));
    return SENTENCE.test(message) && message.length <= MESSAGE_LENGTH ? message : "";
  }

  /**
   * @param {Element} element a dialog, or its title
   * @returns {Text[]} the first texts that are drawn in it, and are not on a button
   */
  function textsIn(element) {
    /** @type {Text[]} */
    const found = [];
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node && found.length < MOST_TEXTS; node = walker.nextNode()) {
      const around = parentElementOf(node);
      const isRead = around && /\S/u.test(dataOf(/** @type {Text} */ (node))) && isDrawn(around);
      if (isRead && !isIconWord(around) && !closestOf(around, BUTTONS)) found.push(/** @type {Text} */ (node));
    }
    return found;
  }

  return {
    ALERTS,
    ANNOUNCED,
    DIALOGS,
    LISTS,
    STATUSES,
    allIn,
    aroundField,
    dialogMessageOf,
    dialogNameOf,
    hiddenAmong,
    isAway,
    isClipped,
    isInShownPage,
    isParked,
    isSeen,
    isTiny,
    isUnshown,
    stateOf,
    valueOf,
  };
})();
