"use strict";

// Fields without free text input: ARIA comboboxes and lists of options, sliders and spin buttons. The worker operates
// them (commands/widget.js).

const widgets = (() => {
  const { attributeOf, closestOf, isControl, isHtml, isMatch, isReadOnly, kindOf, queryIn, tagOf } = dom;
  const { isVisible } = geometry;
  const { editorAround } = drawnEditors;
  const { segmentsIn } = numberFields;
  const { TEXT_INPUTS, isDrawnFor, nativeBehind } = standIns;
  const { chipsOf } = chips;
  const { isDated } = leaving;

  /** Fields that suggest while text is typed, and accept any text. */
  const SEARCHES =
    "[type='search']:is(:not([role='combobox']), [placeholder], [name]), " +
    "[role='searchbox'], [role='search'] *, [enterkeyhint='search']";

  /** Fields whose list is declared to hold options, as opposed to a calendar. */
  const OFFERING = "[aria-haspopup='listbox'], [aria-autocomplete='list'], [aria-autocomplete='both']";

  /** @param {Element} element */
  function roleOf(element) {
    return attributeOf(element, "role")?.trim().split(/\s+/u)[0] ?? "";
  }

  /**
   * @param {Element} element
   * @param {unknown} [value] that it is to hold
   * @returns {WidgetKind | ""} empty for a text field, or if it is not a field
   */
  function widgetKind(element, value) {
    const role = roleOf(element);
    if (tagOf(element) === "select") return "";
    if (role === "slider" || kindOf(element) === "range") return "slider";
    if (role === "spinbutton" && !isControl(element)) return "spinbutton";
    if (role === "group" && segmentsIn(element).length > 1) return "segments";
    if (isControl(element) && !isMatch(element, OFFERING) && typeof value === "string" && isDated(value)) return "";
    return isListField(element, role) ? "list" : "";
  }

  /**
   * @param {Element} element
   * @param {string} role
   */
  function isListField(element, role) {
    if (!isHtml(element)) return false;
    if (isControl(element)) {
      return hasSuggestions(element) && (!isMatch(element, SEARCHES) || isDrawnInstead(element));
    }
    if (role === "listbox") return true;
    const isButton = tagOf(element) === "button" || role === "button";
    return (role === "combobox" && opensList(element)) || (isButton && isMatch(element, "[aria-haspopup='listbox']"));
  }

  /**
   * @param {Control} field
   * @returns {boolean} whether a list opens for it, also for one that accepts any text, but not for an editor's; or whether
   *   it adds to the values next to it
   */
  function hasSuggestions(field) {
    const isNamed =
      isMatch(field, "[role='combobox'], [role='listbox'], [aria-haspopup='listbox'], [aria-expanded]") ||
      ["list", "both"].includes(attributeOf(field, "aria-autocomplete") ?? "") ||
      wrapperOf(field) !== null ||
      isDrawnFor(field, nativeBehind(field)) ||
      (tagOf(field) === "input" && chipsOf(field).length > 0);
    return isNamed && opensList(field) && TEXT_INPUTS.has(kindOf(field)) && !editorAround(field);
  }

  /**
   * @param {Element} search
   * @returns {boolean} whether it searches the options of a list, or adds to values
   */
  function isDrawnInstead(search) {
    return nativeBehind(search) !== null || chipsOf(search).length > 0;
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

  return { hasSuggestions, isEditable, operableIn, roleOf, widgetKind, wrapperOf };
})();
