"use strict";

// Fields without free text input: ARIA comboboxes and lists of options, sliders and spin buttons. The worker operates
// them (commands/widget.js).

const widgets = (() => {
  const {
    attributeOf,
    closestOf,
    isControl,
    isHtml,
    isMatch,
    isReadOnly,
    kindOf,
    parentElementOf,
    previousElementOf,
    queryIn,
    tagOf,
    treeAncestors,
  } = dom;
  const { DRAWN, isClippedAway, isRendered, isVisible } = geometry;
  const { editorAround } = drawnEditors;
  const { segmentsIn } = numberFields;

  const TEXT_INPUTS = new Set(["text", "search", "url", "tel", "email", "textarea"]);
  /** Fields that suggest while text is typed, and accept any text. */
  const SEARCHES =
    "[type='search']:is(:not([role='combobox']), [placeholder], [name]), " +
    "[role='searchbox'], [role='search'] *, [enterkeyhint='search']";
  /** The same to the element that is drawn instead of a native list. */
  const NATIVE_LEVELS = 7;
  /** The same from a hidden text field to the box around both. */
  const STAND_IN_LEVELS = 3;

  /** @param {Element} element */
  function roleOf(element) {
    return attributeOf(element, "role")?.trim().split(/\s+/u)[0] ?? "";
  }

  /**
   * @param {Element} element
   * @returns {WidgetKind | ""} empty for a text field, or if it is not a field
   */
  function widgetKind(element) {
    const role = roleOf(element);
    if (tagOf(element) === "select") return "";
    if (role === "slider" || kindOf(element) === "range") return "slider";
    if (role === "spinbutton" && !isControl(element)) return "spinbutton";
    if (role === "group" && segmentsIn(element).length > 1) return "segments";
    return isListField(element, role) ? "list" : "";
  }

  /**
   * @param {Element} element
   * @param {string} role
   */
  function isListField(element, role) {
    if (!isHtml(element)) return false;
    if (isControl(element)) {
      return hasSuggestions(element) && (!isMatch(element, SEARCHES) || nativeBehind(element) !== null);
    }
    if (role === "listbox") return true;
    const isButton = tagOf(element) === "button" || role === "button";
    return (role === "combobox" && opensList(element)) || (isButton && isMatch(element, "[aria-haspopup='listbox']"));
  }

  /**
   * @param {Control} field
   * @returns {boolean} whether a list opens for it, also for one that accepts any text, but not for an editor's
   */
  function hasSuggestions(field) {
    const isNamed =
      isMatch(field, "[role='combobox'], [role='listbox'], [aria-haspopup='listbox']") ||
      ["list", "both"].includes(attributeOf(field, "aria-autocomplete") ?? "") ||
      wrapperOf(field) !== null;
    return isNamed && opensList(field) && TEXT_INPUTS.has(kindOf(field)) && !editorAround(field);
  }

  /** @param {Element} element */
  function opensList(element) {
    return !["dialog", "menu"].includes(attributeOf(element, "aria-haspopup") ?? "");
  }

  /**
   * @param {Element} input
   * @returns {Element | null} the element around it that has the role, following ARIA 1.1
   */
  function wrapperOf(input) {
    const wrapper = closestOf(input, "[role='combobox']");
    return wrapper !== input && wrapper && queryIn(wrapper, "input, textarea").length === 1 ? wrapper : null;
  }

  /**
   * @param {Element} field
   * @returns {HTMLSelectElement | null} the native list that the page has hidden to draw this one in its place
   */
  function nativeBehind(field) {
    const [inside, ...others] = queryIn(closestOf(field, "[role='combobox']") ?? field, "select").filter(isHidden);
    if (inside && !others.length) return /** @type {HTMLSelectElement} */ (inside);
    let around = /** @type {Element | null} */ (field);
    for (let level = 0; around && level < NATIVE_LEVELS; level += 1, around = parentElementOf(around)) {
      const before = previousElementOf(around);
      if (before && tagOf(before) === "select" && isHidden(before)) return /** @type {HTMLSelectElement} */ (before);
    }
    return null;
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether users do not see it, although screen readers may
   */
  function isHidden(element) {
    return !isVisible(element) || isClippedAway(element) || isStandIn(element);
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it is a field that users cannot reach, because the page draws another one in its place
   */
  function isStandIn(element) {
    if (!isControl(element) || !isMatch(element, "[tabindex^='-']")) return false;
    const isField = kindOf(element) === "select" || (TEXT_INPUTS.has(kindOf(element)) && hasFieldNextTo(element));
    return isField && (isClippedAway(element) || !isRendered(element, DRAWN));
  }

  /**
   * @param {Element} field
   * @returns {boolean} whether there is another text field in the same box: a page may take keys in a hidden one
   */
  function hasFieldNextTo(field) {
    const around = [...treeAncestors(field)].slice(1, STAND_IN_LEVELS);
    const isOther = (/** @type {Element} */ one) => one !== field && TEXT_INPUTS.has(kindOf(one)) && isVisible(one);
    return around.some((box) => queryIn(box, "input, textarea").some(isOther));
  }

  /**
   * @param {Element} element
   * @returns {Element} the field inside an element with the role of a combobox, or the element itself
   */
  function operableIn(element) {
    if (roleOf(element) !== "combobox" || isControl(element)) return element;
    const [inner, ...others] = queryIn(element, "input, textarea").filter(isVisible);
    return inner && !others.length ? inner : element;
  }

  /** @param {Element} element */
  function isEditable(element) {
    return isControl(element) && !isReadOnly(element);
  }

  return { hasSuggestions, isEditable, isStandIn, nativeBehind, operableIn, roleOf, widgetKind, wrapperOf };
})();
