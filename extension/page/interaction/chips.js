"use strict";

// Values that a field shows before its text, each with a button that removes it.

/** @typedef {{text: string, remover: Element}} Chip */

const chips = (() => {
  const {
    attributeOf,
    boxOf,
    closestOf,
    holds,
    innerRootOf,
    isAfter,
    isControl,
    isMatch,
    parentElementOf,
    queryAll,
    queryIn,
    tagOf,
    treeAncestors,
  } = dom;
  const { collapse, readTextOf } = texts;
  const { isVisible } = geometry;
  const { hasOtherField } = standIns;

  /** Maximum number of levels from a field to the box around it and its chips. */
  const LEVELS = 4;
  /** Maximum share of the width of that box which a chip takes. */
  const MOST_WIDTH = 0.9;
  /** An element with more parts is not just the box around a field. */
  const MOST_PARTS = 600;
  const ATTRIBUTES = ["aria-label", "class", "data-part", "part", "title"];
  /** Names of buttons that remove a value; in class names these words are English on pages of any language. */
  const REMOVING = /(?:remove|delete|close|token-icon)(?!d|able)/iu;
  const SIGN = /^[\u00d7\u2715\u2716\u2a2f]$|^x$/iu;
  /** A separator that is drawn after a value, such as a mail address. */
  const SEPARATOR = /\s*[,;]\s*$/u;
  const PARTS = "a, button, div:empty, i, span, svg, x, [role='button']";

  /**
   * @param {Element} field
   * @returns {Chip[]} in the order of the page
   */
  function chipsOf(field) {
    if (getComputedStyle(field).borderTopWidth === "0px") return chipsNear(field, LEVELS);
    // The box around chips has the border. Around a text field, what can be removed may be an entry of a list, or a dialog.
    return isControl(field) ? [] : chipsNear(field, 1);
  }

  /**
   * @param {Element} field
   * @param {string} text that was in it
   * @returns {{isTaken: boolean, values: string[]} | null} the values before the field, whatever the border, and whether the
   *   text is a valid one of them; null if it is none of them, and not there as an invalid one either
   */
  function chipOf(field, text) {
    const near = chipsNear(field, LEVELS);
    const valid = near.filter(({ remover }) => closestOf(remover, "[aria-invalid='true']") === null);
    const values = valid.map((chip) => chip.text);
    const isIn = (/** @type {string[]} */ texts) => texts.includes(collapse(text));
    return isIn(near.map((chip) => chip.text)) ? { isTaken: isIn(values), values } : null;
  }

  /**
   * @param {Element} field
   * @param {number} levels to climb to the box around it and its chips
   * @returns {Chip[]} in the order of the page
   */
  function chipsNear(field, levels) {
    for (const around of treeAncestors(isControl(field) ? parentElementOf(field) : field, levels)) {
      if (isMatch(around, "form, body")) return [];
      const parts = queryIn(around, PARTS);
      if (parts.length > MOST_PARTS || hasOtherField(around, field)) return [];
      const found = removableIn(around, parts, field);
      if (found.length) return found;
    }
    return [];
  }

  /**
   * @param {Element} around
   * @param {Element[]} parts of it
   * @param {Element} field
   */
  function removableIn(around, parts, field) {
    /** @type {Map<Element, Chip>} by their elements: a button may be made of several parts */
    const found = new Map();
    const add = (/** @type {Element | null} */ element, /** @type {Chip} */ chip) => {
      if (element && chip.text && !found.has(element) && isBefore(field, element)) found.set(element, chip);
    };
    for (const remover of parts) {
      if (holds(remover, field) || !isRemover(remover) || !isVisible(remover)) continue;
      const [element, text] = valueAround(remover, around, field);
      add(element, { text, remover });
    }
    for (const [host, remover] of removableComponents(around)) add(host, { text: collapse(readTextOf(host)), remover });
    return [...found.values()];
  }

  /**
   * @param {Element} around
   * @returns {[Element, Element][]} web components in it, each with the part of it that removes it
   */
  function removableComponents(around) {
    return queryIn(around, "*").flatMap((host) => {
      const inner = tagOf(host).includes("-") ? innerRootOf(host) : null;
      const remover = inner && queryAll(inner, "*").find((part) => isRemover(part) && isVisible(part));
      return remover ? [[host, remover]] : [];
    });
  }

  /**
   * @param {Element} field
   * @param {Element} element
   * @returns {boolean} whether it stands before the field, in it or over it, and leaves room next to it, unlike a heading
   */
  function isBefore(field, element) {
    const around = [...treeAncestors(parentElementOf(element))].find((one) => holds(one, field));
    const { left, right, top, bottom } = boxOf(field);
    const { x, y, width, height } = boxOf(element);
    const isOver = x >= left && x + width <= right && y + height / 2 > top && y + height / 2 < bottom;
    return (isAfter(field, element) || isOver) && width < MOST_WIDTH * boxOf(around ?? element).width;
  }

  /** @param {Element} element */
  function isRemover(element) {
    return (
      ATTRIBUTES.some((name) => REMOVING.test(attributeOf(element, name) ?? "")) ||
      SIGN.test(collapse(readTextOf(element)))
    );
  }

  /**
   * @param {Element} remover
   * @param {Element} around
   * @param {Element} field
   * @returns {[Element | null, string]} the element that it removes, and its text
   */
  function valueAround(remover, around, field) {
    const own = collapse(readTextOf(remover));
    for (const one of treeAncestors(parentElementOf(remover))) {
      if (one === around || holds(one, field)) break;
      const text = collapse(readTextOf(one));
      const value = own && text.endsWith(own) ? text.slice(0, -own.length).trim() : text;
      const rest = (own && value.startsWith(own) ? value.slice(own.length) : value).replace(SEPARATOR, "").trim();
      if (/[\p{L}\p{N}]/u.test(rest)) return [one, rest];
    }
    return [null, ""];
  }

  return { chipOf, chipsOf };
})();
