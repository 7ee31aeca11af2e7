"use strict";

// Fields that the page has hidden to draw others in their place.

const standIns = (() => {
  const {
    NATIVE_FIELDS,
    attributeOf,
    closestOf,
    holds,
    idOf,
    isControl,
    isMatch,
    kindOf,
    nextElementOf,
    outermost,
    parentElementOf,
    previousElementOf,
    queryIn,
    tagOf,
    treeAncestors,
  } = dom;
  const { collapse, visibleTextOf } = texts;
  const { isClippedAway, isDrawn, isVisible, isVisuallyHidden } = geometry;

  const TEXT_INPUTS = new Set(["text", "search", "url", "tel", "email", "textarea"]);
  const OTHER_FIELDS = `${NATIVE_FIELDS}, [role='combobox'], [role='slider'], [contenteditable]:not([contenteditable='false'])`;
  /** Maximum number of levels between a hidden native list and the field that is drawn in its place. */
  const NATIVE_LEVELS = 7;
  /** The same from a hidden text field to the box around both. */
  const STAND_IN_LEVELS = 2;
  /** @type {WeakMap<Element, Element>} native lists, by the fields that are certainly drawn for them */
  const certain = new WeakMap();
  const SHOWN_FIELDS = `${OTHER_FIELDS}, [role='listbox'], [role='spinbutton'], [role='switch'], [aria-haspopup]`;

  /**
   * @param {Element} field
   * @returns {HTMLSelectElement | null} the native list that the page has hidden to draw this one in its place
   */
  function nativeBehind(field) {
    const [inside, ...others] = queryIn(closestOf(field, "[role='combobox']") ?? field, "select").filter(isHidden);
    if (inside && !others.length) return /** @type {HTMLSelectElement} */ (inside);
    for (const around of treeAncestors(field, NATIVE_LEVELS)) {
      const [before, after] = [previousElementOf(around), nextElementOf(around)];
      if (before && isHiddenList(before)) return before;
      if (after && isHiddenList(after) && isNamedAfter(around, after)) return after;
    }
    return null;
  }

  /**
   * @param {Element} element
   * @returns {element is HTMLSelectElement}
   */
  function isHiddenList(element) {
    return tagOf(element) === "select" && isHidden(element);
  }

  /**
   * @param {Element} drawn
   * @param {Element} native
   * @returns {boolean} whether its id is made of that of the native list
   */
  function isNamedAfter(drawn, native) {
    const part = (/** @type {Element} */ one) => `-${idOf(one).replaceAll("_", "-")}-`;
    return idOf(native) !== "" && idOf(drawn) !== idOf(native) && part(drawn).includes(part(native));
  }

  /**
   * @param {Element} field
   * @param {HTMLSelectElement | null} native the native list behind it
   * @returns {boolean} whether that is certain: by its id, or by what the field shows or has shown
   */
  function isDrawnFor(field, native) {
    if (!native) return false;
    const isCertain = certain.get(field) === native || isNamedOrShown(field, native);
    // Later it may show a text that searches the list.
    if (isCertain) certain.set(field, native);
    return isCertain;
  }

  /**
   * @param {Element} field
   * @param {HTMLSelectElement} native
   * @returns {boolean} whether its id, or that of a box around it, is made of that of the native list, or it shows what is
   *   selected there
   */
  function isNamedOrShown(field, native) {
    const boxes = [...treeAncestors(field, NATIVE_LEVELS)];
    const outside = boxes.findIndex((one) => holds(one, native) || hasOtherField(one, field));
    const own = outside < 0 ? boxes : boxes.slice(0, outside);
    if (own.some((one) => isNamedAfter(one, native))) return true;
    const labels = [...native.selectedOptions].map(({ label }) => collapse(label)).filter(Boolean);
    const texts = isControl(field) ? [field.value, attributeOf(field, "placeholder") ?? ""] : [];
    const shown = collapse([visibleTextOf(own.at(-1) ?? field), ...texts].join(" "));
    return labels.length > 0 && labels.every((label) => shown.includes(label));
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether users do not see it, although screen readers may
   */
  function isHidden(element) {
    return !isVisible(element) || isClippedAway(element) || isStandIn(element);
  }

  /**
   * @param {Element} field that is hidden
   * @returns {Element | undefined} the one that the page shows next to it, perhaps in its place
   */
  function shownNextTo(field) {
    if (!isControl(field)) return undefined;
    const boxes = [...treeAncestors(field, NATIVE_LEVELS)].slice(1);
    const shown = boxes.map((box) => outermost(queryIn(box, SHOWN_FIELDS).filter((one) => !isHidden(one))));
    const nearest = shown.find(({ length }) => length > 0) ?? [];
    return nearest.length === 1 ? nearest[0] : undefined;
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it is a field that users cannot reach, because the page draws another one in its place
   */
  function isStandIn(element) {
    if (!isControl(element) || !isMatch(element, "[tabindex^='-']")) return false;
    const isField = kindOf(element) === "select" || (TEXT_INPUTS.has(kindOf(element)) && hasFieldNextTo(element));
    return isField && (isVisuallyHidden(element) || !isDrawn(element));
  }

  /**
   * @param {Element} field
   * @returns {boolean} whether there is another text field in the same box: a page may take keys in a hidden one
   */
  function hasFieldNextTo(field) {
    const around = [...treeAncestors(parentElementOf(field), STAND_IN_LEVELS)];
    const isOther = (/** @type {Element} */ one) => one !== field && TEXT_INPUTS.has(kindOf(one)) && isVisible(one);
    return around.some((box) => queryIn(box, "input, textarea").some(isOther));
  }

  /**
   * @param {Element} around
   * @param {Element} field
   */
  function hasOtherField(around, field) {
    const isOnlyForKeys = (/** @type {Element} */ one) =>
      TEXT_INPUTS.has(kindOf(one)) && [one, parentElementOf(one)].some((part) => part && isClippedAway(part));
    const isOther = (/** @type {Element} */ one) =>
      one !== field && !holds(one, field) && isVisible(one) && !isStandIn(one) && !isOnlyForKeys(one);
    return queryIn(around, OTHER_FIELDS).some(isOther);
  }

  return { TEXT_INPUTS, hasOtherField, isDrawnFor, isStandIn, nativeBehind, shownNextTo };
})();
