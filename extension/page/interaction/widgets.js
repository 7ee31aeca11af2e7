"use strict";

// Fields without free text input: ARIA comboboxes and lists of options, sliders and spin buttons. The worker operates
// them (commands/widget.js).

const widgets = (() => {
  const {
    attributeOf,
    closestDrawnOf,
    closestOf,
    isControl,
    isDrawnIn,
    isHtml,
    isMatch,
    isReadOnly,
    isTextField,
    kindOf,
    outermost,
    queryIn,
    roleOf,
    tagOf,
    treeAncestors,
  } = dom;
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
  const LISTING = "[aria-haspopup='listbox']";
  const OFFERING = "[aria-haspopup='listbox'], [aria-autocomplete='list'], [aria-autocomplete='both']";

  /** Names of lists: English in class names everywhere. Some frameworks name how text is selected in a similar way. */
  const LIST_NAMES = /(?:^|[^a-z])(?:cascader|combo-?box|drop-?down|select)(?!-(?:all|auto|none|text)|able|ed)/iu;
  const NAMED_LEVELS = 4;
  /** Links that only a script makes use of. */
  const LEADING_NOWHERE = "a:not([href]), a[href='#'], a[href^='javascript:' i]";
  /** @type {WeakSet<Element>} fields that have turned out to search in a list */
  const searching = new WeakSet();
  /** @type {WeakSet<Element>} fields that have turned out to take a date or a time, although they declare a list */
  const unlisted = new WeakSet();

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
    const mayPick = isControl(element) || !opensList(element);
    const isOffering = isMatch(element, OFFERING) && !unlisted.has(element);
    if (mayPick && !isOffering && typeof value === "string" && isDated(value)) return "";
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
    if (role === "listbox" || isUndeclared(element)) return true;
    const isButton = tagOf(element) === "button" || role === "button";
    if (role === "combobox") return true;
    return isButton && (isMatch(element, LISTING) || wrapperOf(element) !== null);
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
      isUndeclared(field) ||
      searching.has(field) ||
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

  /**
   * @param {Element} element
   * @returns {boolean} whether it may open a list without a role: it takes the focus but no text, or searches in one that
   *   does, and its classes call it a list; or a page draws it as a link in the place of a native list
   */
  function isUndeclared(element) {
    if (!isHtml(element) || roleOf(element) !== "") return false;
    if (isControl(element) && !isReadOnly(element)) {
      const around = isMatch(element, "[tabindex^='-']") ? closestOf(element, "[tabindex='0']") : null;
      return around !== null && isUndeclared(around);
    }
    if (isMatch(element, LEADING_NOWHERE)) return isDrawnFor(element, nativeBehind(element));
    const takesFocus = isControl(element) || isMatch(element, "div[tabindex='0'], span[tabindex='0']");
    return takesFocus && isInNamedList(element);
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it takes text, and may search in a list without a role
   */
  function maySearch(element) {
    return isEditable(element) && TEXT_INPUTS.has(kindOf(element)) && roleOf(element) === "" && isInNamedList(element);
  }

  /** @param {Element} field that has turned out to search in a list */
  function rememberSearch(field) {
    searching.add(field);
  }

  /**
   * @param {Element} field that declares a list, which had no option for a value
   * @param {string} value
   * @returns {boolean} whether it takes a date or a time instead, which is written from now on
   */
  function isForDates(field, value) {
    if (isDated(value) && isEditable(field)) unlisted.add(field);
    return widgetKind(field, value) === "";
  }

  /** @param {Element} element */
  function isInNamedList(element) {
    return [...treeAncestors(element, NAMED_LEVELS)].some(isNamedList);
  }

  /** @param {Element} element */
  function isNamedList(element) {
    return LIST_NAMES.test(attributeOf(element, "class") ?? "");
  }

  /** @param {Element} element */
  function opensList(element) {
    return !["dialog", "menu"].includes(attributeOf(element, "aria-haspopup") ?? "");
  }

  /**
   * @param {Element} element an input, or a button
   * @returns {Element | null} the element around it that has the role, following ARIA 1.1, or declares the button's list
   */
  function wrapperOf(element) {
    const [name, parts] = isControl(element) ? ["[role='combobox']", "input, textarea"] : [LISTING, "button, input"];
    // It may be a web component.
    const wrapper = closestDrawnOf(element, name);
    // A hidden field only holds the value for the form.
    const all = wrapper ? queryIn(wrapper, `:is(${parts}):not([type='hidden'])`) : [];
    const isOnly = wrapper && all.every((one) => isDrawnIn(element, one));
    return wrapper !== element && isOnly ? wrapper : null;
  }

  /**
   * @param {Element} element
   * @returns {Element} the field inside an element with the role or the name of one with a list, or the element itself
   */
  function operableIn(element) {
    if (isControl(element)) return element;
    const isCombobox = roleOf(element) === "combobox";
    const isNamed = roleOf(element) === "" && isHtml(element) && isNamedList(element) && !isUndeclared(element);
    // One that is hidden from screen readers only holds the value.
    const fields = isCombobox ? queryIn(element, ":is(input, textarea):not([aria-hidden='true'])") : [];
    const found = isNamed ? queryIn(element, "input, div, span").filter(isUndeclared) : fields;
    const [inner, ...others] = outermost(found).filter(isVisible);
    return inner && !others.length ? inner : element;
  }

  /** @param {Element} element */
  function isEditable(element) {
    return isTextField(element) && !isReadOnly(element);
  }

  return {
    hasSuggestions,
    isEditable,
    isForDates,
    isUndeclared,
    maySearch,
    operableIn,
    rememberSearch,
    widgetKind,
    wrapperOf,
  };
})();
