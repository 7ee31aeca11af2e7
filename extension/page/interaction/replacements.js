"use strict";

// What a page has put in the place of an element, as it does when it draws a part of itself again.

/**
 * @typedef {object} Trace of an element, for finding what replaces it
 * @property {Element} element
 * @property {ElementRequest} request that found it
 * @property {number} count of the elements that its selector matched
 * @property {number} index of it among these
 * @property {string} text next to it
 */

const replacements = (() => {
  const { attributeOf, idOf, isControl, isInPage, kindOf, parentOf, roleOf, textContentOf } = dom;
  const { PageError, textOf } = texts;
  const { Search } = search;
  const { isGenerated } = generatedNames;
  const { targetOf } = targets;

  /**
   * @param {Element} element
   * @param {ElementRequest} request
   * @param {{found: Element[], first: Element}} match
   * @returns {Trace}
   */
  function trace(element, request, { found, first }) {
    return { element, request, count: found.length, index: found.indexOf(first), text: textOf(element) };
  }

  /**
   * @param {Trace} trace
   * @returns {Element | null} null also if the element is still there
   */
  function replacementOf({ element, request, count, index, text }) {
    if (isInPage(element)) return null;
    const found = new Search(request.selector).find();
    const first = found[index];
    if (!first || found.length !== count) return null;
    const next = targetOrNull(first, request);
    if (!next || !isAlike(next, element)) return null;
    // The text of a list that is drawn is its value.
    if (roleOf(element) === "combobox" && !isControl(element) && count === 1) return next;
    const isNamed = idOf(element) !== "" && idOf(next) === idOf(element);
    return textOf(next) === text && (isNamed || isInSamePlace(next, element, text)) ? next : null;
  }

  /**
   * @param {Element} element
   * @param {Element} removed
   * @returns {boolean} whether it looks the same
   */
  function isCopy(element, removed) {
    return isAlike(element, removed) && textContentOf(element) === textContentOf(removed);
  }

  /**
   * @param {Element} a
   * @param {Element} b
   */
  function isAlike(a, b) {
    const isSame = (/** @type {string} */ name) => {
      const [one, other] = [a, b].map((element) => attributeOf(element, name) ?? "");
      return one === other || (name === "id" && [one, other].every((id) => isGenerated("id", id ?? "")));
    };
    return kindOf(a) === kindOf(b) && ["id", "name", "role"].every(isSame);
  }

  /**
   * @param {Element} next without an id
   * @param {Element} element that was removed, perhaps with what was around it
   * @param {string} text next to it
   * @returns {boolean} false for the next item of a list, which is now where the removed one was
   */
  function isInSamePlace(next, element, text) {
    const around = parentOf(element);
    const isNamed = attributeOf(element, "name") !== null || text.trim() !== "";
    return isNamed && (!around || textContentOf(around) === textContentOf(/** @type {Node} */ (parentOf(next))));
  }

  /**
   * @param {Element} element
   * @param {ElementRequest} request
   */
  function targetOrNull(element, { action, ...request }) {
    try {
      return targetOf(element, action, "value" in request ? request.value : undefined);
    } catch (error) {
      if (error instanceof PageError) return null;
      throw error;
    }
  }

  return { isCopy, replacementOf, trace };
})();
