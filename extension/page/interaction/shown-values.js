"use strict";

// The texts that represent the value of a field without text of its own: those in it, or next to it in its frame.

const shownValues = (() => {
  const {
    attributeOf,
    boxOf,
    drawnChildrenOf,
    holds,
    isAfter,
    isControl,
    isElement,
    isMatch,
    isText,
    labelsOf,
    likelyRootOf,
    parentElementOf,
    queryIn,
    referred,
    roleOf,
    tagOf,
    textContentOf,
    treeAncestors,
  } = dom;
  const { collapse, isIconWord, visibleTextOf } = texts;
  const { isPositioned, isVisible } = geometry;
  const { hasOtherField } = standIns;
  const { isUndeclared } = widgets;
  const { POPUPS, fold, labelOf, optionsIn, selectedAmong } = listOptions;

  const NAMED_BUTTONS = "[role='button'][aria-label], button[aria-label]";
  const UNSHOWN = `label, legend, script, style, template, svg, ${POPUPS}, [role='alert'], [aria-live], ${NAMED_BUTTONS}`;
  /** Descriptions that a field has while it is empty. */
  const PLACEHOLDERS = "[id*='placeholder' i], [class*='placeholder' i]";
  /** Signs of buttons that remove a value, next to it. */
  const REMOVERS = /^[\u00d7\u2715\u2716\u2a2f]\s*|\s*[\u00d7\u2715\u2716\u2a2f]$/gu;
  /** Arrows, triangles and ticks, drawn as icons. */
  const SIGNS =
    /^(?:[\u2190-\u21ff\u2303\u2304\u2335\u23f6\u23f7\u25a0-\u25ff\u2611\u2705\u2713\u2714\u2b00-\u2bff]\ufe0f?)+$/u;
  /** Maximum number of levels between a field and the element that shows its value. */
  const MOST_LEVELS = 5;

  /**
   * @param {Element} field
   * @returns {string[]} the texts that represent its value: those in it, or next to it in its frame
   */
  function shownBy(field) {
    if (roleOf(field) === "listbox" && !isControl(field)) return selectedAmong(optionsIn(field)).map(labelOf);
    // Some comboboxes contain their lists.
    const options = isControl(field) ? [] : queryIn(field, `:is(${POPUPS}) [role='option']`);
    if (options.length) return choicesIn(field, options);
    const buttons = isControl(field) ? [] : queryIn(field, NAMED_BUTTONS).filter(isVisible);
    if (isUndeclared(field) && isPlaceholder(field)) return [];
    const whole = isControl(field) ? field.value : withoutLabel(field, textIn(field)).replace(REMOVERS, "");
    if (whole && !buttons.length) return [whole];
    // A button may remove the value, and each of several values may have its own. A web component may draw its text in
    // its shadow root.
    const inside = isControl(field) ? [] : [...textsNextTo(field, field)];
    if (inside.length) return buttons.length > 1 ? inside : [inside.join(" ")];
    const hints = referred(field, "aria-describedby").filter((one) => isMatch(one, PLACEHOLDERS));
    const names = new Set([field, ...labelsOf(field), ...referred(field, "aria-labelledby"), ...hints].map(nameIn));
    // The text next to a field without text of its own is its value.
    for (const around of treeAncestors(parentElementOf(field), MOST_LEVELS)) {
      if (tagOf(around) === "label") break;
      if (hasOtherField(around, field)) break;
      const found = [...new Set(textsNextTo(around, field))].filter((text) => !names.has(fold(text)));
      if (found.length) return found;
    }
    return [];
  }

  /**
   * @param {Element} field that contains its list
   * @param {Element[]} options
   * @returns {string[]} those that are selected; or what it shows of them next to the list, which may be closed, or draw
   *   only some of its options
   */
  function choicesIn(field, options) {
    const selected = [...new Set(selectedAmong(options).filter(isVisible).map(chosenTextOf))];
    const outside = [...textsNextTo(field, field)].join(" ");
    return outside && selected.every((one) => fold(outside).includes(fold(one))) ? [outside] : selected;
  }

  /**
   * @param {Element} field
   * @returns {Element | null} the box with a border that a library draws around the field and its value
   */
  function drawnFrameOf(field) {
    const frame = [...treeAncestors(field, MOST_LEVELS)].find(isBordered);
    return frame && frame !== field && !hasOtherField(frame, field) ? frame : null;
  }

  /** @param {Element} element */
  function isBordered(element) {
    const { borderTopWidth, borderRightWidth, borderBottomWidth, borderLeftWidth } = getComputedStyle(element);
    return [borderTopWidth, borderRightWidth, borderBottomWidth, borderLeftWidth].every(
      (width) => parseFloat(width) > 0,
    );
  }

  /**
   * @param {Element} field
   * @returns {string[]} the texts in its frame, or after its name in the label around it, without a placeholder
   */
  function framedBy(field) {
    const name = nameIn(field);
    const isValued = (/** @type {Element} */ label) =>
      holds(label, field) && !hasOtherField(label, field) && fold(visibleTextOf(label)).startsWith(`${name} `);
    const frame = drawnFrameOf(field) ?? (name && labelsOf(field).find(isValued));
    if (!frame) return [];
    const hints = [name, ...queryIn(frame, PLACEHOLDERS).map(nameIn)];
    return [...new Set(textsNextTo(frame, field))].filter((text) => !hints.includes(fold(text)));
  }

  /**
   * @param {Element} field
   * @param {string} text of the field
   * @returns {string} without its label, if that is drawn in it, above the value
   */
  function withoutLabel(field, text) {
    const labels = referred(field, "aria-labelledby").filter((one) => one !== field && holds(field, one));
    const label = collapse(labels.map(visibleTextOf).join(" "));
    return label && text.startsWith(`${label} `) ? text.slice(label.length + 1) : text;
  }

  /**
   * @param {Element} field
   * @returns {boolean} whether all that is to be read in it is a placeholder
   */
  function isPlaceholder(field) {
    const text = collapse(visibleTextOf(field));
    return queryIn(field, PLACEHOLDERS).some((one) => isVisible(one) && collapse(visibleTextOf(one)) === text);
  }

  /**
   * @param {Element} field
   * @returns {string} its text, or that of the only field in it
   */
  function textIn(field) {
    const [inner, ...others] = queryIn(field, "input").filter(isVisible);
    const value = inner && !others.length ? /** @type {HTMLInputElement} */ (inner).value : "";
    return value || withoutSigns(field);
  }

  /**
   * @param {Element} field
   * @returns {string} its text without the arrow that says that it opens a list
   */
  function withoutSigns(field) {
    const signs = queryIn(field, "*").map((one) => (isVisible(one) ? collapse(visibleTextOf(one)) : ""));
    const text = collapse(visibleTextOf(field));
    const sign = signs.find((one) => SIGNS.test(one) && (text.startsWith(one) || text.endsWith(one)));
    if (!sign) return text;
    return collapse(text.endsWith(sign) ? text.slice(0, -sign.length) : text.slice(sign.length));
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
    if (isLayerBelow(element, field) || isIconWord(element)) return true;
    if (!isMatch(element, UNSHOWN)) return false;
    const isChips = isMatch(element, "[role='listbox']") && !referred(field, "aria-controls").includes(element);
    return !isChips || !isAfter(field, element);
  }

  /**
   * @param {Element} element next to a field
   * @param {Element} field
   * @returns {boolean} whether it lies over the page below or above the field, as a list without a role does
   */
  function isLayerBelow(element, field) {
    if (!isPositioned(element)) return false;
    const [layer, own] = [boxOf(element), boxOf(field)];
    return layer.height > 0 && (layer.top >= own.bottom - 1 || layer.bottom <= own.top + 1);
  }

  return { drawnFrameOf, framedBy, shownBy };
})();
