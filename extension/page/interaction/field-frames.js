"use strict";

// What component libraries draw around a field and over it: it adds nothing to the field's own line.

const fieldFrames = (() => {
  const {
    NATIVE_FIELDS,
    boxOf,
    childrenOf,
    dataOf,
    hasIn,
    holds,
    isControl,
    isMatch,
    labelsOf,
    parentElementOf,
    queryIn,
    textContentOf,
    treeAncestors,
  } = dom;
  const { plain, visibleTextOf } = texts;
  const { markOf } = geometry;
  const { accessibleNameOf } = accessibleNames;

  const CHECKABLE = "[type='checkbox'], [type='radio']";
  const MARKED = `${CHECKABLE}, [type='file']`;
  const BUTTONS = "button, [role='button']";
  /** Levels from what is drawn to what also contains its field, and the most elements there. */
  const LEVELS = 2;
  const MOST_PARTS = 8;

  /**
   * @param {Item} item something that listens to the mouse, with its own text
   * @param {Item[]} inner what is listed in it
   * @returns {boolean} whether its text is the name of the only element in it, or the choice that a combobox shows
   */
  function framesField({ element, own }, inner) {
    const things = inner.filter(({ kind }) => kind === "thing").map((one) => one.element);
    const [thing, ...more] = things;
    if (thing && !more.length && own === accessibleNameOf(thing, !isControl(thing))) {
      // A row may open when it is pressed next to its check box.
      return !isMatch(thing, CHECKABLE) || labelsOf(thing).some((label) => holds(element, label));
    }
    const [field, ...others] = things.filter((one) => !isMatch(one, BUTTONS));
    if (!field || others.length || !isControl(field)) return false;
    const texts = inner.flatMap(({ cells }) => cells.flat().map(dataOf));
    // The names of its icons are not part of the choice.
    return isMatch(field, "[role='combobox']") && plain(visibleTextOf(element)) === plain(texts.join(" "));
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it is what a check box or the like looks like; icons at text fields have a purpose
   */
  function isMark(element) {
    return !/\S/u.test(textContentOf(element) ?? "") && isDrawnForField(element, MARKED);
  }

  /**
   * @param {Element} element without words
   * @param {string} [kinds] of the field, a selector
   * @returns {boolean} whether it is drawn where a field is, next to that field alone, such as the knob of a switch
   */
  function isDrawnForField(element, kinds = NATIVE_FIELDS) {
    for (const around of treeAncestors(parentElementOf(element), LEVELS)) {
      if (childrenOf(around).length > MOST_PARTS) return false;
      if (!hasIn(around, NATIVE_FIELDS)) continue;
      const [field, ...others] = queryIn(around, NATIVE_FIELDS);
      if (!field || others.length) return false;
      return isMatch(field, kinds) && (overlap(boxOf(field), boxOf(element)) || markOf(field) === element);
    }
    return false;
  }

  /**
   * @param {DOMRect} a of a field, without a size if the page draws it completely
   * @param {DOMRect} b
   */
  function overlap(a, b) {
    const meets = a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    return meets || a.width === 0 || a.height === 0;
  }

  return { framesField, isDrawnForField, isMark };
})();
