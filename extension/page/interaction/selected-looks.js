"use strict";

// Elements that nothing but a class declares to be selected, as in many menus, tab bars and groups of buttons.

const selectedLooks = (() => {
  const {
    attributeOf,
    childrenOf,
    innerRootOf,
    isDisabled,
    isMatch,
    isTextField,
    parentElementOf,
    tagOf,
    textContentOf,
  } = dom;
  const { collapse } = texts;
  const { isVisible } = geometry;

  const SELECTED = /^(?!has-|(?:.*[_-])?not-)(?:.*[_-])?(?:active|checked|current|selected)$/iu;
  const ENDS = /(?:active|checked|current|selected)$/iu;
  /** Classes that depend on where the mouse and the focus are, or on the place in a list. */
  const PASSING = /(?:^|[_-])(?:over|hover|hovered|focus|focused|first|last|odd|even)$/iu;
  const CHOSEN_TABS = "[tabindex]:is([active], [selected])";
  const DECLARED = "[aria-checked], [aria-current], [aria-expanded], [aria-pressed], [aria-selected]";

  /**
   * @param {Element} element
   * @returns {boolean} whether its class says so, or that of an element around it without other words, but not the class
   *   of one like it next to it, or in the next item of its list, that is visible and not disabled: otherwise the class
   *   may say something else, such as which part of the page is shown
   */
  function looksSelected(element) {
    // Few elements have such a class, so that is the cheapest check.
    const marked = [element, parentElementOf(element)].find((one) => one && classesOf(one).some(isSelected));
    // The class of a text field says that it has the focus.
    if (!marked || isTextField(element) || isMatch(element, DECLARED)) return false;
    if (marked !== element && wordsOf(marked) !== wordsOf(element)) return false;
    // The class of a layer over the page says that it is open.
    if (getComputedStyle(marked).position === "fixed") return false;
    return twinsOf(marked).some((one) => isUnselectedTwin(one, marked));
  }

  /**
   * @param {Element} marked
   * @returns {Element[]} what is next to it; or in the items next to its own, if it is all that this contains
   */
  function twinsOf(marked) {
    const around = parentElementOf(marked);
    if (!around) return [];
    if (tagOf(around) !== "li" || childrenOf(around).length > 1) return [...childrenOf(around)];
    return [...childrenOf(parentElementOf(around) ?? around)].flatMap((item) => [...childrenOf(item)]);
  }

  /**
   * @param {Element} one
   * @param {Element} marked
   */
  function isUnselectedTwin(one, marked) {
    const classes = classesOf(one);
    if (one === marked || tagOf(one) !== tagOf(marked) || classes.some(isSelected)) return false;
    const others = classesOf(marked).filter((name) => !isSelected(name));
    const isAlike = others.length ? others.some((name) => classes.includes(name)) : !classes.length;
    return isAlike && !isDisabled(one) && isVisible(one);
  }

  /** @param {string} name of a class */
  function isSelected(name) {
    return ENDS.test(name) && SELECTED.test(name);
  }

  /** @param {Element} element */
  function classesOf(element) {
    return (attributeOf(element, "class") ?? "").split(/\s+/u).filter((name) => name && !PASSING.test(name));
  }

  /** @param {Element} element */
  function wordsOf(element) {
    return collapse(textContentOf(element) ?? "");
  }

  /** @param {Element} element @returns {boolean} whether the page declares it to be the current one of a list */
  function isCurrent(element) {
    return !["", "false"].includes(attributeOf(element, "aria-current") ?? "");
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it is a tab whose ARIA state is known to the browser only
   */
  function isChosenTab(element) {
    return isMatch(element, CHOSEN_TABS) && tagOf(element).endsWith("-tab") && innerRootOf(element) !== null;
  }

  return { isChosenTab, isCurrent, looksSelected };
})();
