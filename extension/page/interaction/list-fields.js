"use strict";

// What the worker asks about a field with a list of options while it operates it (commands/list-widget.js).

const listFields = (() => {
  const {
    attributeOf,
    boxOf,
    closestOf,
    comesTrue,
    holds,
    isControl,
    isDisabled,
    isMatch,
    kindOf,
    parentElementOf,
    pause,
    queryIn,
    referred,
    textContentOf,
    roleOf,
  } = dom;
  const { treeAncestors } = dom;
  const { collapse, shorten, similarFirst } = texts;
  const { aimAt, bringIntoView, endingAnimations, handleOf, isVisible } = geometry;
  const { allRoots } = search;
  const { selectorOf } = selectorGenerator;
  const { hasOtherField, isDrawnFor, nativeBehind } = standIns;
  const { focusedElement } = focusing;
  const { chipsOf } = chips;
  const { isEditable } = widgets;
  const { fold, hasCalendar, labelOf, optionLike, optionsIn, popupOf, rowOf, selectedAmong, toggleOf, wholeLabelOf } =
    listOptions;
  const { isDated } = leaving;
  const { isSameTime } = sameValues;
  const { shownBy } = shownValues;

  const MOST_LISTED = 10;
  /** The class of a chosen option; in class names this word is English on pages of any language. */
  const SELECTED = /(?:^|[\s_-])selected(?:\s|$)/iu;
  const SCROLL_WAIT_MS = 300;
  /** How long a page may take to draw another part of a list, and how long all parts may take together. */
  const DRAWING_MS = 40;
  const SCROLLING_MS = 2_000;
  /** Words in the names of buttons that empty their field; in class names they are English everywhere. */
  const CLEARING = /(?:^|[^a-z])(?:clear|deselect)(?!fix)/iu;
  const CLEARERS = "button, [role='button'], [class*='clear' i]";
  const CLEARER_LEVELS = 5;

  /**
   * @param {Element} field
   * @param {{wanted: string, isLoose: boolean, values: string[]}} request
   * @returns {ListState}
   */
  function readList(field, { wanted, isLoose, values }) {
    const popup = popupOf(field);
    const options = popup ? optionsIn(popup) : [];
    const option = optionLike(options, wanted, isLoose);
    const offered = option ? options : similarFirst(options, wholeLabelOf, wanted);
    const isDeclared =
      [field, popup].some((one) => one && attributeOf(one, "aria-multiselectable") === "true") ||
      options.some((one) => roleOf(one) === "menuitemcheckbox");
    const box = option && boxIn(option);
    const [active] = referred(field, "aria-activedescendant");
    const native = chosenInNative(field);
    const isChosen = (/** @type {Element} */ one) => native?.some((label) => fold(label) === fold(wholeLabelOf(one)));
    // Otherwise the attribute may mark the option that the keys have come to.
    const isTicked = (/** @type {Element} */ one) =>
      attributeOf(one, "aria-checked") === "true" || SELECTED.test(attributeOf(one, "class") ?? "");
    const selected = native
      ? options.filter(isChosen)
      : selectedAmong(options).filter((one) => isDeclared || popup === field || one !== active || isTicked(one));
    const chipTexts = chipsOf(field).map(({ text }) => text);
    const isMultiple = isDeclared || (nativeBehind(field)?.multiple ?? false) || selected.length > 1;
    const shown = native ?? (chipTexts.length ? chipTexts : shownBy(field));
    const isExpanded = attributeOf(field, "aria-expanded") === "true";
    return {
      isOpen: popup !== null,
      isForDates: !popup && isDated(wanted) && isEditable(field) && hasCalendar(field),
      isAlwaysOpen: popup === field,
      isExpanded,
      isMultiple,
      isEditable: isEditable(field),
      isSearched: (popup !== null || isExpanded) && isSearchFor(field, focusedElement()),
      shown,
      hasTime: shown.some((one) => isSameTime(one, wanted)),
      chips: chipTexts,
      selected: selected.map(labelOf),
      isReachable: isReachable(field),
      others: native ? native.filter((label) => !isAmong(label, values)) : othersAmong(selected, values).map(labelOf),
      typed: isControl(field) ? field.value : "",
      listed: offered.slice(0, MOST_LISTED).map((one) => shorten(labelOf(one))),
      total: options.length,
      active: active ? collapse(attributeOf(active, "aria-label") || (textContentOf(active) ?? "")) : "",
      ...(option && {
        option: {
          selector: selectorOf(rowOf(option), allRoots()),
          box: box ? selectorOf(closestOf(box, "label") ?? box, allRoots()) : "",
          label: labelOf(option).slice(0, 200),
          isSelected: selected.includes(option) || box?.checked === true,
          isDisabled: isDisabled(option),
          isExpanded: isMatch(option, "[role='treeitem'][aria-expanded='true']"),
          toggle: toggleOf(option),
        },
      }),
    };
  }

  /**
   * @param {Element} field that takes no text
   * @param {Element} focused
   */
  function isSearchFor(field, focused) {
    return !isEditable(field) && isEditable(focused) && !holds(field, focused);
  }

  /**
   * @param {Element} option
   * @returns {HTMLInputElement | undefined}
   */
  function boxIn(option) {
    const inputs = /** @type {HTMLInputElement[]} */ (queryIn(option, "input"));
    return inputs.find((one) => kindOf(one) === "checkbox");
  }

  /**
   * @param {Element} field
   * @returns {string[] | null} what is selected in the native list behind it; null if there is none, or if its options
   *   have no labels
   */
  function chosenInNative(field) {
    const native = nativeBehind(field);
    if (!native || !(native.multiple || isDrawnFor(field, native))) return null;
    const chosen = [...native.selectedOptions].filter(({ value }) => value !== "").map(({ label }) => collapse(label));
    return chosen.every(Boolean) ? chosen : null;
  }

  /**
   * @param {Element} field
   * @param {string[]} values
   * @returns {{selector: string, text: string} | null} what removes the next value that is not one of these; null if there
   *   is none that can be pressed
   */
  function removerOf(field, values) {
    const other = chipsOf(field).find(({ text }) => !isAmong(text, values));
    if (!other) return null;
    const { text, remover } = other;
    bringIntoView(remover, "nearest");
    return aimAt(remover, remover).point ? { selector: selectorOf(remover, allRoots()), text } : null;
  }

  /**
   * @param {Element} field
   * @returns {{selector: string} | null} the button that empties it; null if there is none
   */
  function clearerOf(field) {
    const isClearing = (/** @type {Element} */ one) =>
      isVisible(one) &&
      !holds(one, field) &&
      ["aria-label", "class", "data-part", "title"].some((name) => CLEARING.test(attributeOf(one, name) ?? ""));
    for (const around of treeAncestors(field, CLEARER_LEVELS)) {
      if (around !== field && hasOtherField(around, field)) return null;
      const found = queryIn(around, CLEARERS).find(isClearing);
      if (found) return { selector: selectorOf(found, allRoots()) };
    }
    return null;
  }

  /**
   * @param {Element} field
   * @returns {boolean} false if it only takes the keys, and is too small for the mouse
   */
  function isReachable(field) {
    const { width, height } = boxOf(handleOf(field));
    return width > 1 && height > 1;
  }

  /**
   * @param {string} text
   * @param {string[]} values
   */
  function isAmong(text, values) {
    return values.some((value) => fold(value) === fold(text));
  }

  /**
   * @param {Element[]} selected
   * @param {string[]} values
   * @returns {Element[]} those that are not meant, and do not follow from one that is: as its branch of a tree, or in it
   */
  function othersAmong(selected, values) {
    const meant = selected.filter((one) => isAmong(labelOf(one), values));
    return selected.filter((one) => !meant.some((other) => holds(one, other) || holds(other, one)));
  }

  /**
   * Scrolls no further than needed: a list that renders only some of its options would render others in their places.
   *
   * @param {Element} field
   * @param {string} wanted
   * @returns {boolean} whether the option can be pressed where it is: a page may take a press in a list that is still
   *   opening for one next to it
   */
  function showOption(field, wanted) {
    const popup = popupOf(field);
    const option = popup && optionLike(optionsIn(popup), wanted, true);
    if (!option) return false;
    if (aimAt(option, option).point) return !isOpening(option);
    bringIntoView(option, "nearest");
    return false;
  }

  /**
   * @param {Element} option
   * @returns {boolean} whether an animation that ends moves or fades something around it
   */
  function isOpening(option) {
    const running = [...treeAncestors(option)].flatMap((one) => endingAnimations(one));
    return running.some(({ playState }) => playState === "running");
  }

  /**
   * Scrolls a list that renders only the options in view until it renders the wanted one.
   *
   * @param {Element} field
   * @param {string} wanted
   * @returns {Promise<"end" | "more" | "back">} `more`: it goes on after the option, or after some time; `back`: it has
   *   scrolled back, as some lists do to their active option unless the mouse is over them
   */
  async function scrollList(field, wanted) {
    const end = performance.now() + SCROLLING_MS;
    const isFound = () => {
      const popup = popupOf(field);
      return popup !== null && optionLike(optionsIn(popup), wanted, false) !== undefined;
    };
    for (;;) {
      const state = await showNextPart(field);
      if (state !== "more" || isFound() || performance.now() > end) return state;
    }
  }

  /**
   * @param {Element} field
   * @returns {Promise<"end" | "more" | "back">}
   */
  async function showNextPart(field) {
    const box = scrollBoxOf(field);
    if (!box) return "end";
    const { clientHeight, scrollTop } = box;
    if (!(await scrollBox(box, scrollTop + clientHeight * 0.8))) return "end";
    return box.scrollTop > scrollTop ? "more" : "back";
  }

  /**
   * Shows the beginning of a list, which may open where its choice is.
   *
   * @param {Element} field
   * @returns {Promise<boolean>} whether it has scrolled
   */
  async function rewindList(field) {
    const box = scrollBoxOf(field);
    return box !== undefined && scrollBox(box, 0);
  }

  /**
   * @param {Element} field
   * @returns {Element | undefined} what scrolls its options
   */
  function scrollBoxOf(field) {
    const popup = popupOf(field);
    const [option] = popup ? optionsIn(popup) : [];
    const around = option ? [...treeAncestors(parentElementOf(option))] : [];
    return around.find(
      (one) =>
        one.scrollHeight > one.clientHeight + 1 &&
        one.clientHeight > 0 &&
        getComputedStyle(one).overflowY !== "visible",
    );
  }

  /**
   * The browser reports a scroll with the next frame, which is far away in the background and on a busy machine: until
   * then the next part would be skipped.
   *
   * @param {Element} box
   * @param {number} top
   * @returns {Promise<boolean>} whether it has scrolled
   */
  async function scrollBox(box, top) {
    const { scrollTop } = box;
    const before = textContentOf(box);
    const isDrawn = () => textContentOf(box) !== before;
    box.scrollTo({ top, behavior: "instant" });
    if (box.scrollTop === scrollTop) return false;
    box.dispatchEvent(new Event("scroll"));
    const isReported = new Promise((resolve) => box.addEventListener("scroll", resolve, { once: true }));
    if (!isDrawn()) await Promise.race([isReported, pause(SCROLL_WAIT_MS)]);
    await comesTrue(isDrawn, DRAWING_MS);
    return true;
  }

  return { clearerOf, readList, removerOf, rewindList, scrollList, showOption };
})();
