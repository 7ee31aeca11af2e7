"use strict";

// Fields without free text input: ARIA comboboxes and lists of options, sliders and spin buttons. Their type, their
// value and their choices; the worker operates them (commands/widgets.js).

const widgets = (() => {
  const {
    NATIVE_FIELDS,
    attributeOf,
    boxOf,
    childrenOf,
    closestOf,
    drawnChildrenOf,
    hasIn,
    holds,
    isControl,
    isElement,
    isHtml,
    isMatch,
    isReadOnly,
    isText,
    kindOf,
    labelsOf,
    likelyRootOf,
    parentElementOf,
    pause,
    previousElementOf,
    queryAll,
    queryDrawnIn,
    queryIn,
    rootOf,
    tagOf,
    textContentOf,
  } = dom;
  const { collapse, drawnTextOf, shorten, visibleTextOf } = texts;
  const { aimAt, bringIntoView, handleOf, isClippedAway, isVisible } = geometry;
  const { allRoots } = search;
  const { selectorOf } = selectorGenerator;
  const { editorAround } = drawnEditors;

  const TEXT_INPUTS = new Set(["text", "search", "url", "tel", "email", "textarea"]);
  const POPUPS = "[role='listbox'], [role='tree'], [role='grid']";
  /** What a field may name as its list. */
  const LISTS = `${POPUPS}, [role='menu']`;
  const OPTION_ROLES = [
    "[role='option'], [aria-selected]:not([role])",
    "[role='treeitem']",
    "[role='row']",
    "[role^='menuitem']",
  ];
  /** Fields that suggest while text is typed, and accept any text. */
  const SEARCHES =
    "[type='search']:is(:not([role='combobox']), [placeholder], [name]), " +
    "[role='searchbox'], [role='search'] *, [enterkeyhint='search']";
  const OTHER_FIELDS = `${NATIVE_FIELDS}, [role='combobox'], [role='slider'], [contenteditable]`;
  const NAMED_BUTTONS = "[role='button'][aria-label], button[aria-label]";
  const UNSHOWN = `label, legend, script, style, template, svg, ${POPUPS}, [role='alert'], [aria-live], ${NAMED_BUTTONS}`;
  /** Descriptions that a field has while it is empty. */
  const PLACEHOLDERS = "[id*='placeholder' i], [class*='placeholder' i]";
  const DATE_PARTS = /** @type {const} */ (["year", "month", "day", "hour", "minute", "second"]);
  const MOST_LISTED = 10;
  /** Signs of buttons that remove a value, next to it. */
  const REMOVERS = /^[\u00d7\u2715\u2716\u2a2f]\s*|\s*[\u00d7\u2715\u2716\u2a2f]$/gu;
  const TICK = /^[\u2611\u2705\u2713\u2714]\ufe0f? ?/u;
  /** Maximum number of levels between a field and the element that shows its value. */
  const MOST_LEVELS = 5;
  /** The same to the element that is drawn instead of a native list. */
  const NATIVE_LEVELS = 7;
  const LIST_LIMIT = 2_000;
  const SCROLL_WAIT_MS = 300;
  /** @type {WeakMap<Element, Set<Element>>} */
  const standing = new WeakMap();
  const SHUT = "[role='treeitem'][aria-expanded='false']";
  const TOGGLES = "button, [role='button'], [class*='toggle' i], [class*='switcher' i], [class*='expand' i]";
  /** @type {WeakSet<Element>} branches that were to be opened */
  let opened = new WeakSet();
  /** Minimum ratio of a track's length to its thumb's width. */
  const TRACK_FACTOR = 3;

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
    const [inside] = queryIn(wrapperOf(field) ?? field, "select").filter(isHidden);
    if (inside) return /** @type {HTMLSelectElement} */ (inside);
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
    return !isVisible(element) || isClippedAway(element);
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

  // --- Lists of options

  /**
   * @param {Element} field
   * @returns {Element | null} the element with the options, if it is drawn
   */
  function popupOf(field) {
    if (roleOf(field) === "listbox" && !isControl(field)) return field;
    const bearer = wrapperOf(field) ?? field;
    // A closed list may still be fading out.
    if ([field, bearer].some((one) => attributeOf(one, "aria-expanded") === "false")) return null;
    const named = [field, bearer].flatMap((one) =>
      ["aria-controls", "aria-owns"].flatMap((name) => referred(one, name)),
    );
    const [active] = referred(field, "aria-activedescendant");
    const around = active && closestOf(active, POPUPS);
    const listed = named.flatMap((one) => (isMatch(one, LISTS) ? one : [...queryDrawnIn(one, LISTS), one]));
    const own = [...listed, ...(around ? [around] : [])].find((one) => one !== field && hasOptions(one));
    if (own) return own;
    const layer = named[0] && attributeOf(field, "aria-expanded") === "true" ? layerAround(named[0]) : null;
    if (layer) return layer;
    const known = standing.get(field) ?? new Set();
    return openLists(field).findLast((one) => !known.has(one)) ?? null;
  }

  /** @param {Element} field */
  function openLists(field) {
    const all = allRoots().flatMap((root) => queryAll(root, POPUPS));
    return all.filter((one) => one !== field && !holds(one, field) && hasOptions(one));
  }

  /** @param {Element} field about to be operated: lists that are already on the page are not its own */
  function begin(field) {
    opened = new WeakSet();
    if (attributeOf(field, "aria-expanded") !== "true") standing.set(field, new Set(openLists(field)));
  }

  /**
   * @param {Element} list whose options are not drawn, because the page draws others without a role instead
   * @returns {Element | null} the layer over the page that contains those
   */
  function layerAround(list) {
    for (let one = /** @type {Element | null} */ (list); one; one = parentElementOf(one)) {
      const isLayer = ["absolute", "fixed"].includes(getComputedStyle(one).position);
      if (isLayer && isVisible(one)) return leavesIn(one).length ? one : null;
    }
    return null;
  }

  /** @param {Element} layer */
  function leavesIn(layer) {
    const all = queryIn(layer, "*").slice(0, LIST_LIMIT);
    const isLeaf = (/** @type {Element} */ one) => isVisible(one) && collapse(visibleTextOf(one)) !== "";
    return all.filter((one) => queryIn(one, "*").length === 0 && closestOf(one, POPUPS) === null && isLeaf(one));
  }

  /** @param {Element} popup */
  function hasOptions(popup) {
    const { width, height } = boxOf(popup);
    const isOpenBox = getComputedStyle(popup).overflow === "visible";
    const isDrawn = isOpenBox || (isVisible(popup) && (width > 1 || height > 1));
    return isDrawn && optionsIn(popup).length > 0;
  }

  /**
   * @param {Element} popup
   * @returns {Element[]} those that are drawn
   */
  function optionsIn(popup) {
    if (!isMatch(popup, LISTS)) return leavesIn(popup);
    for (const selector of OPTION_ROLES) {
      const found = queryDrawnIn(popup, selector).slice(0, LIST_LIMIT).filter(isVisible);
      if (found.length) return found;
    }
    return [];
  }

  /** @param {Element} option */
  function labelOf(option) {
    return unticked(drawnTextOf(rowOf(option))) || collapse(attributeOf(option, "aria-label") ?? "");
  }

  /**
   * @param {Element} option
   * @returns {Element} the part of it that is its own, without the branch of a tree below it
   */
  function rowOf(option) {
    if (roleOf(option) !== "treeitem" || !hasIn(option, "[role='treeitem']")) return option;
    const isOwn = (/** @type {Element} */ one) => !hasIn(one, "[role='treeitem']") && collapse(drawnTextOf(one)) !== "";
    return [...childrenOf(option)].find(isOwn) ?? option;
  }

  /**
   * @param {Element} field
   * @returns {{selector: string} | null} what opens the next branch of the field's tree; null if there is none
   */
  function nextBranch(field) {
    const popup = popupOf(field);
    const branches = popup ? queryDrawnIn(popup, SHUT).filter((one) => !opened.has(one) && isVisible(one)) : [];
    for (const branch of branches) {
      opened.add(branch);
      // A leaf has none.
      const toggle = queryIn(rowOf(branch), TOGGLES).find(isVisible);
      if (toggle) return { selector: selectorOf(toggle, allRoots()) };
    }
    return null;
  }

  /**
   * @param {string} text
   * @returns {string} without the tick that some lists put before selected options
   */
  function unticked(text) {
    return collapse(text).replace(TICK, "");
  }

  /** @param {string} text */
  function fold(text) {
    return unticked(text).normalize("NFC").toLowerCase();
  }

  /**
   * @param {Element[]} options
   * @param {string} wanted
   * @param {boolean} isLoose whether a single partial match is accepted
   */
  function optionLike(options, wanted, isLoose) {
    const value = (/** @type {Element} */ one) =>
      attributeOf(one, "data-value") ?? attributeOf(one, "value") ?? attributeOf(one, "aria-label");
    const goal = fold(wanted);
    const exact =
      options.find((one) => labelOf(one) === wanted) ??
      options.find((one) => fold(labelOf(one)) === goal) ??
      options.find((one) => fold(value(one) ?? "") === goal);
    if (exact || !isLoose || !goal) return exact;
    const like = options.filter((one) => fold(labelOf(one)).includes(goal));
    return like.length === 1 ? like[0] : undefined;
  }

  /**
   * @param {Element[]} options
   * @returns {Element[]} the selected ones; a web component may have an attribute of its own for that, next to one of
   *   ARIA that is not up to date
   */
  function selectedAmong(options) {
    const own = options.filter((one) => tagOf(one).includes("-") && attributeOf(one, "selected") !== null);
    return own.length ? own : options.filter((one) => isMatch(one, "[aria-selected='true'], [aria-checked='true']"));
  }

  /**
   * @param {Element} field
   * @param {{wanted: string, isLoose?: boolean, values?: string[]}} request
   * @returns {ListState}
   */
  function readList(field, { wanted, isLoose = false, values = [] }) {
    const popup = popupOf(field);
    const options = popup ? optionsIn(popup) : [];
    const option = optionLike(options, wanted, isLoose);
    const native = nativeBehind(field);
    const isDeclared =
      native?.multiple ||
      [field, popup].some((one) => one && attributeOf(one, "aria-multiselectable") === "true") ||
      options.some((one) => roleOf(one) === "menuitemcheckbox");
    const [active] = referred(field, "aria-activedescendant");
    // Otherwise the attribute may mark the option that the keys have come to.
    const selected = native
      ? options.filter((one) => chosenIn(native).includes(labelOf(one)))
      : selectedAmong(options).filter((one) => isDeclared || popup === field || one !== active);
    const isMultiple = isDeclared || selected.length > 1;
    return {
      isOpen: popup !== null,
      isAlwaysOpen: popup === field,
      isMultiple,
      isEditable: isEditable(field),
      shown: native ? chosenIn(native) : shownBy(field),
      selected: selected.map(labelOf),
      isReachable: isReachable(field),
      others: othersAmong(selected, values).map(labelOf),
      typed: isControl(field) ? field.value : "",
      listed: options.slice(0, MOST_LISTED).map((one) => shorten(labelOf(one))),
      total: options.length,
      active: active ? collapse(attributeOf(active, "aria-label") || (textContentOf(active) ?? "")) : "",
      ...(option && {
        option: {
          selector: selectorOf(rowOf(option), allRoots()),
          label: labelOf(option).slice(0, 200),
          isSelected: selected.includes(option),
          isDisabled: isMatch(option, "[aria-disabled='true']"),
        },
      }),
    };
  }

  /**
   * @param {HTMLSelectElement} native
   * @returns {string[]} the labels of its selected options; one without a value is a placeholder
   */
  function chosenIn(native) {
    return [...native.selectedOptions].filter(({ value }) => value !== "").map(({ label }) => collapse(label));
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
   * @param {Element[]} selected
   * @param {string[]} values
   * @returns {Element[]} those that are not meant, and do not follow from one that is: as its branch of a tree, or in it
   */
  function othersAmong(selected, values) {
    const isMeant = (/** @type {Element} */ one) => values.some((value) => fold(value) === fold(labelOf(one)));
    const meant = selected.filter(isMeant);
    return selected.filter((one) => !meant.some((other) => holds(one, other) || holds(other, one)));
  }

  /**
   * Scrolls no further than needed: a list that renders only some of its options would render others in their places.
   *
   * @param {Element} field
   * @param {string} wanted
   * @returns {boolean} whether the option can be pressed where it is
   */
  function showOption(field, wanted) {
    const popup = popupOf(field);
    const option = popup && optionLike(optionsIn(popup), wanted, true);
    if (!option || aimAt(option, option).point) return Boolean(option);
    bringIntoView(option, "nearest");
    return false;
  }

  /**
   * Shows the next part of a list that renders only the options in view. The browser reports a scroll with the next
   * frame, which is far away in the background and on a busy machine: until then the next part would be skipped.
   *
   * @param {Element} field
   * @returns {Promise<boolean>} false at its end
   */
  async function scrollList(field) {
    const popup = popupOf(field);
    const [option] = popup ? optionsIn(popup) : [];
    for (let one = option ? parentElementOf(option) : null; one; one = parentElementOf(one)) {
      const { clientHeight, scrollHeight, scrollTop } = one;
      if (scrollHeight > clientHeight + 1 && clientHeight > 0 && getComputedStyle(one).overflowY !== "visible") {
        const before = textContentOf(one);
        one.scrollTo({ top: scrollTop + clientHeight * 0.8, behavior: "instant" });
        if (one.scrollTop <= scrollTop) return false;
        one.dispatchEvent(new Event("scroll"));
        if (textContentOf(one) !== before) return true;
        const isReported = new Promise((resolve) => one.addEventListener("scroll", resolve, { once: true }));
        await Promise.race([isReported, pause(SCROLL_WAIT_MS)]);
        return true;
      }
    }
    return false;
  }

  /**
   * @param {Element} field
   * @returns {string[]} the texts that represent its value: those in it, or next to it in its frame
   */
  function shownBy(field) {
    if (roleOf(field) === "listbox" && !isControl(field)) return selectedAmong(optionsIn(field)).map(labelOf);
    // Some comboboxes contain their lists.
    const options = isControl(field) ? [] : queryIn(field, `:is(${POPUPS}) [role='option']`);
    if (options.length) return [...new Set(selectedAmong(options).filter(isVisible).map(chosenTextOf))];
    const hasButton = !isControl(field) && queryIn(field, NAMED_BUTTONS).some(isVisible);
    const whole = isControl(field) ? field.value : collapse(visibleTextOf(field)).replace(REMOVERS, "");
    if (whole && !hasButton) return [whole];
    // A button may remove the value. A web component may draw its text in its shadow root.
    const inside = isControl(field) ? [] : [...textsNextTo(field, field)];
    if (inside.length) return [inside.join(" ")];
    const hints = referred(field, "aria-describedby").filter((one) => isMatch(one, PLACEHOLDERS));
    const names = new Set([field, ...labelsOf(field), ...referred(field, "aria-labelledby"), ...hints].map(nameIn));
    // The text next to a field without text of its own is its value.
    let around = parentElementOf(field);
    for (let level = 0; around && level < MOST_LEVELS; level += 1, around = parentElementOf(around)) {
      if (tagOf(around) === "label") break;
      if (queryIn(around, OTHER_FIELDS).some((one) => one !== field && !holds(one, field) && isVisible(one))) break;
      const found = [...new Set(textsNextTo(around, field))].filter((text) => !names.has(fold(text)));
      if (found.length) return found;
    }
    return [];
  }

  /** @param {Element} element */
  function nameIn(element) {
    return fold(isControl(element) ? (attributeOf(element, "aria-label") ?? "") : visibleTextOf(element));
  }

  /**
   * @param {Element} around
   * @param {Element} field
   * @returns {Generator<string>}
   */
  function* textsNextTo(around, field) {
    for (const node of drawnChildrenOf(around, likelyRootOf(around))) {
      if (isText(node)) {
        const text = collapse(textContentOf(node) ?? "");
        // A button that removes a value is not one.
        if (/[\p{L}\p{N}]/u.test(text)) yield text;
      } else if (isElement(node) && node !== field && isDrawnNode(node) && !isUnshown(node, field)) {
        yield* textsNextTo(node, field);
      }
    }
  }

  /**
   * @param {Element} option that stands for a value
   * @returns {string} its text without that of a button that removes it
   */
  function chosenTextOf(option) {
    const hasButton = queryIn(option, NAMED_BUTTONS).some(isVisible);
    return hasButton ? [...textsNextTo(option, option)].join(" ") : labelOf(option);
  }

  /** @param {Element} element */
  function isDrawnNode(element) {
    return tagOf(element) === "slot" || isVisible(element);
  }

  /**
   * @param {Element} element next to a field
   * @param {Element} field
   * @returns {boolean} whether it does not show the value: a list before the field may consist of chips
   */
  function isUnshown(element, field) {
    if (!isMatch(element, UNSHOWN)) return false;
    const isChips = isMatch(element, "[role='listbox']") && !referred(field, "aria-controls").includes(element);
    return !isChips || !(element.compareDocumentPosition(field) & Node.DOCUMENT_POSITION_FOLLOWING);
  }

  /**
   * @param {Element} element
   * @param {string} attribute
   */
  function referred(element, attribute) {
    const ids = (attributeOf(element, attribute) ?? "").split(/\s+/u).filter(Boolean);
    const root = /** @type {Root} */ (rootOf(element));
    return ids.flatMap((id) => queryAll(root, `#${CSS.escape(id)}`).slice(0, 1));
  }

  // --- Sliders, spin buttons, and dates made of these

  /**
   * @param {Element} group
   * @returns {Element[]} spin buttons for the year, the month and so on
   */
  function segmentsIn(group) {
    return queryIn(group, "[role='spinbutton']").filter((one) => !isControl(one) && isVisible(one));
  }

  /**
   * @param {Element} field a group of segments, or one of them
   * @returns {Element} the group
   */
  function groupOf(field) {
    let group = /** @type {Element | null} */ (field);
    while (group && segmentsIn(group).length < 2) group = parentElementOf(group);
    return group ?? field;
  }

  /**
   * @param {Element} group
   * @returns {(DatePart | "")[]} the date part of each segment
   */
  function readSegments(group) {
    const parts = segmentsIn(group).map(partOf);
    // Both months and 12-hour clocks go to twelve; the hour is the one next to the minutes.
    return parts.map((part, index) => (part === "month" && parts[index + 1] === "minute" ? "hour" : part));
  }

  /** @param {Element} segment */
  function partOf(segment) {
    const { type = "" } = /** @type {HTMLElement} */ (segment).dataset;
    const named = DATE_PARTS.find((part) => part === type);
    const most = numberIn(attributeOf(segment, "aria-valuemax")) ?? 0;
    if (named) return named;
    if (most > 999) return "year";
    if (most === 12) return "month";
    if (most >= 28 && most <= 31) return "day";
    if (most === 23 || most === 24) return "hour";
    return most === 59 ? "minute" : "";
  }

  /**
   * @param {Element} field
   * @returns {NumberState}
   */
  function readNumber(field) {
    const native = isControl(field) ? /** @type {HTMLInputElement} */ (field) : null;
    const read = (/** @type {string} */ name) => numberIn(attributeOf(field, name));
    const text = attributeOf(field, "aria-valuetext") ?? (native ? native.value : collapse(visibleTextOf(field)));
    return {
      isNative: native !== null,
      isTyped: /** @type {HTMLElement} */ (field).isContentEditable,
      now: native ? numberIn(native.value) : (read("aria-valuenow") ?? numberIn(text)),
      text: shorten(text),
      min: native ? Number(native.min || 0) : read("aria-valuemin"),
      max: native ? Number(native.max || 100) : read("aria-valuemax"),
      step: native ? Number(native.step) || 1 : null,
    };
  }

  /** @param {string | null} text */
  function numberIn(text) {
    const value = text?.trim() ? Number(text) : NaN;
    return Number.isFinite(value) ? value : null;
  }

  /**
   * @param {Element} thumb
   * @returns {{thumb: Box, track: Box} | null} in its frame's viewport
   */
  function readTrack(thumb) {
    const { x, y, width, height } = boxOf(thumb);
    for (let one = parentElementOf(thumb); one; one = parentElementOf(one)) {
      const box = boxOf(one);
      const isLong = box.width > TRACK_FACTOR * width || box.height > TRACK_FACTOR * height;
      if (!isLong) continue;
      const track = { x: box.x, y: box.y, width: box.width, height: box.height };
      return { thumb: { x, y, width, height }, track };
    }
    return null;
  }

  return {
    begin,
    hasSuggestions,
    operableIn,
    readList,
    readNumber,
    groupOf,
    nextBranch,
    readSegments,
    readTrack,
    scrollList,
    segmentsIn,
    showOption,
    widgetKind,
  };
})();
