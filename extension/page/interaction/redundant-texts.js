"use strict";

// Texts of the page that add nothing to the list of its elements: separators, and what the line of an element already
// says.

const redundantTexts = (() => {
  const { closestOf, isDrawnIn, isMatch, referred } = dom;
  const { stateOf } = states;
  const { isNeighborly } = surroundingNames;
  const { lineOf } = texts;
  const { LISTED_NAME, itemNameOf } = pageItems;

  const ROWS = "tr, [role='row']";
  /** Headers of columns, which are often controls of their own: each of them sorts the table. */
  const HEADERS = "th, [role='columnheader']";
  const CHECKED = new Set(["checkbox", "radio", "switch"]);
  /** Characters that carry meaning: a text without any of these is a separator. */
  const MEANING = /[\p{L}\p{N}]|(?!\|)\p{S}/u;
  /** Maximum number of numbers that are drawn along a slider. */
  const MOST_ON_SCALE = 30;
  const LEAST_ON_SCALE = 3;
  const NUMBER = /-?\d+(?:[.,]\d+)*/gu;

  /**
   * @param {Item[]} items in drawing order
   * @returns {Item[]} without texts that are redundant
   */
  function withoutRedundantTexts(items) {
    /** @type {Item | undefined} */
    let before;
    /** @type {Item | undefined} a row that can be clicked as a whole */
    let row;
    return items.filter((item, index) => {
      if (item.kind === "thing" && isMatch(item.element, ROWS)) row = item;
      // A distant heading has no texts of its own.
      if (item.kind === "heading" && item.cells.length && isSeparator(item)) return false;
      const isText = item.kind === "text" && item.role === "text";
      const isLeftOut =
        isText && (isCellOf(row, item) || isRedundant(item, before, items[index + 1]) || isOnScale(items, index));
      // Several numbers may stand next to a slider, but what follows another text is no longer next to it.
      if (!isLeftOut) before = item;
      return !isLeftOut;
    });
  }

  /**
   * @param {Item | undefined} row
   * @param {Item} item a text
   * @returns {boolean} whether it is in the row, and the row's name, which is listed as a whole, contains it
   */
  function isCellOf(row, { element, cells }) {
    if (!row || !isDrawnIn(row.element, element) || closestOf(element, HEADERS)) return false;
    const name = itemNameOf(row);
    return name.length <= LISTED_NAME && ` ${name} `.includes(` ${lineOf(cells.flat())} `);
  }

  /**
   * @param {Item} item a text
   * @param {Item | undefined} before
   * @param {Item | undefined} after
   */
  function isRedundant(item, before, after) {
    if (isSeparator(item)) return true;
    const text = lineOf(item.cells.flat());
    const isName = (/** @type {Item | undefined} */ one) =>
      one?.kind === "thing" && names(item.element, one) && itemNameOf(one) === text;
    return (
      [before, after].some(isName) ||
      [before, after].some((one) => one && isNumberOf(one, text)) ||
      (after !== undefined && isLabelOf(after, text))
    );
  }

  /** @param {Item} item */
  function isSeparator({ cells }) {
    return !MEANING.test(lineOf(cells.flat()));
  }

  /**
   * @param {Element} inner
   * @param {Item} item
   * @returns {boolean} whether it is drawn in its element, or in what names a check box
   */
  function names(inner, { element, role }) {
    const labels = CHECKED.has(role) ? referred(element, "aria-labelledby") : [];
    return [element, ...labels].some((one) => isDrawnIn(one, inner));
  }

  /**
   * @param {Item[]} items
   * @param {number} index of a text
   * @returns {boolean} whether it is one of the numbers along a slider, which follows or precedes them
   */
  function isOnScale(items, index) {
    const around = items.slice(Math.max(0, index - MOST_ON_SCALE), index + MOST_ON_SCALE);
    const place = around.indexOf(/** @type {Item} */ (items[index]));
    const start = around.findLastIndex((item, at) => at < place && !isNumberText(item));
    const end = around.findIndex((item, at) => at >= place && !isNumberText(item));
    return end - start > LEAST_ON_SCALE && [around[start], around[end]].some((item) => item?.role === "slider");
  }

  /** @param {Item} item */
  function isNumberText({ kind, role, cells }) {
    return kind === "text" && role === "text" && /^-?\d+(?:[.,]\d+)*$/u.test(lineOf(cells.flat()));
  }

  /**
   * @param {Item} field
   * @param {string} text
   * @returns {boolean} whether it is the value or a limit of a slider, drawn next to it
   */
  function isNumberOf({ role, element }, text) {
    return role === "slider" && [...stateOf(element, role).matchAll(NUMBER)].some(([number]) => number === text);
  }

  /**
   * @param {Item} field
   * @param {string} text
   * @returns {boolean} whether the field's name begins with it
   */
  function isLabelOf(field, text) {
    if (!isNeighborly(field.role)) return false;
    const label = text.replace(/[\s:*]+$/u, "");
    const name = itemNameOf(field);
    return name.startsWith(label) && !/^[\p{L}\p{N}]/u.test(name.slice(label.length));
  }

  return { withoutRedundantTexts };
})();
