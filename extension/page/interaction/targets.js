"use strict";

// Which element receives the action.

const targets = (() => {
  const {
    boxOf,
    closestOf,
    controlOf,
    drawnAncestors,
    holds,
    idOf,
    innerRootOf,
    isContentEditable,
    isControl,
    isHtml,
    isMatch,
    kindOf,
    labelsOf,
    nextElementOf,
    outermost,
    parentElementOf,
    queryAll,
    queryIn,
    roleOf,
    rootOf,
    tagOf,
    treeAncestors,
  } = dom;
  const { collapse, editedTextOf, misfit, visibleTextOf } = texts;
  const { handleOf, hitAt, isVisible, placeOfSpot } = geometry;
  const { allRoots } = search;
  const { selectorOf } = selectorGenerator;
  const { editorAround, sinkOf } = drawnEditors;
  const { isClipped } = pageState;
  const { shownNextTo } = standIns;
  const { FORMATS, NO_FIELD, isCheckable, isComponent, isPicker } = formControls;
  const { dayIn } = sameValues;
  const { hasSuggestions, isEditable, operableIn, widgetKind } = widgets;

  /** Editors that the page has made read-only, not what is fixed in an editor. */
  const LOCKED = "[contenteditable='false']:not([contenteditable='true'] *, [contenteditable=''] *)";
  const READ_ONLY = "is read-only. Only the page can make it editable, for example with a button to edit it.";
  const TYPED = new Set(["text", "search", "url", "tel", "email", "password", "number"]);

  /** @type {Map<string, string>} how to use elements that cannot be filled or clicked */
  const ADVICE = new Map([
    ["checkbox", "is a checkbox. Use click to change it."],
    ["switch", "is a switch. Use click to change it."],
    ["radio", "is a radio button. Use click to choose it."],
    ["radiogroup", "is a group of radio buttons. Use click on the one to choose."],
    ["gridcell", "is a cell. Click it with count=2: if a field opens in it, fill that."],
    ["submit", "is a button. Use click."],
    ["button", "is a button. Use click."],
    ["reset", "is a button. Use click."],
    ["image", "is a button. Use click."],
    ["file", "accepts files. Use upload with their paths."],
    ["select", "is a list of options. Use select with one of their values or labels."],
    ["option", "is an option of a list. Use select on the list, with the option's value or label."],
    ["color", "would open the browser's color picker. Use fill with a color such as #ff8800."],
  ]);
  /** Elements that a click on their content is meant for. */
  const ACTED_ON =
    "a, button, label, summary, [onclick], " +
    "[role='button'], [role='link'], [role='menuitem'], [role='option'], [role='tab']";
  const TAKERS = `${ACTED_ON}, [tabindex]`;
  const CHECKABLE = "[role='checkbox'], [role='radio'], [role='switch']";
  const FOCUSABLE = "a[href], area[href], button, input, select, textarea, summary, [tabindex]";
  const PARTS_TO_FILL = "input, select, textarea, [contenteditable], [role='combobox']";
  const UNCLICKABLE = new Set(["file", "select", "option", "color"]);
  /** Fields in an element that a refusal names. */
  const MOST_NAMED = 3;

  /**
   * @param {Element} element
   * @param {ElementAction["action"]} action
   * @param {unknown} [value] that it is to hold
   * @returns {Element} the element itself, or for a label its field
   * @throws {PageError} EXECUTION_ERROR if it needs another command
   */
  function targetOf(element, action, value) {
    if (action === "focus") return focusableOf(element);
    if (action === "upload") return uploadOf(element);
    if (action === "fill" || action === "select" || action === "check") {
      const own = entryNamedBy(element) ?? entryNextTo(element) ?? fieldOfComponent(element) ?? element;
      if (action === "select") return listOf(own);
      return pickerFor(own, value) ?? (action === "fill" ? fieldOf(own) : entryOf(own));
    }
    const kind = kindOf(controlOf(element) ?? element);
    if (action === "click" && UNCLICKABLE.has(kind)) throw misfit(element, ADVICE.get(kind) ?? "");
    return takerOf(checkableIn(element) ?? element);
  }

  /**
   * @param {Element} element
   * @param {unknown} value
   * @returns {Element | null} the button with a calendar that it is or belongs to, if the value is a day
   */
  function pickerFor(element, value) {
    const button = closestOf(element, "button, [role='button']");
    return button && isPicker(button) && typeof value === "string" && dayIn(value) ? button : null;
  }

  /**
   * @param {Element} element
   * @returns {Element} the element itself, or what receives the mouse instead: part of the button around it, or an
   *   element drawn below it as part of the same control
   */
  function takerOf(element) {
    const isPassed = (/** @type {Element} */ one) => getComputedStyle(one).pointerEvents === "none";
    if (!isPassed(element) || isMatch(element, TAKERS)) return element;
    const [taker, ...outer] = [...drawnAncestors(element)].filter((ancestor) => !isPassed(ancestor));
    // The middle of a list of tabs, for example, belongs to another one.
    const isOther = (/** @type {Element} */ one) => !holds(one, element) && !holds(element, one) && isVisible(one);
    if (taker && queryIn(taker, TAKERS).some(isOther)) return element;
    if (taker && isHtml(element) && [taker, ...outer].some((one) => isMatch(one, TAKERS))) return taker;
    return below(element) ?? element;
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it, or what it is a part of, looks as if it could be acted on
   */
  function isActedOn(element) {
    const isPart = isControl(element) || closestOf(element, ACTED_ON) !== null;
    return isPart || getComputedStyle(element).cursor === "pointer";
  }

  /**
   * @param {Element} element one that lets the mouse through
   * @returns {Element | null} the element drawn below it in its parent, such as a box below its label, or in a drawing in
   *   one of its groups
   */
  function below(element) {
    const hit = hitInMiddle(element);
    const isGroup = (/** @type {Element} */ one) => !isHtml(one) && tagOf(one) !== "svg";
    const around = isHtml(element) ? [parentElementOf(element)] : [...drawnAncestors(element)].filter(isGroup);
    const isNear = (/** @type {Element | null} */ one) =>
      hit && one && hit !== one && tagOf(one) !== "body" && holds(one, hit);
    return around.some(isNear) ? hit : null;
  }

  /**
   * @param {Element} element
   * @returns {Element | null} what takes the mouse in its middle; null out of sight
   */
  function hitInMiddle(element) {
    const { width, height } = boxOf(element);
    return hitAt(placeOfSpot(element, { x: width / 2, y: height / 2 }));
  }

  /**
   * @param {Element} element
   * @returns {Element} the element itself, or what takes the focus for it: its field, its editor, the button around it
   */
  function focusableOf(element) {
    if (isMatch(element, FOCUSABLE)) return element;
    const sink = sinkOf(element);
    if (sink) return sink;
    const [inner, ...others] = drawnFields(element);
    const field = controlOf(element) ?? editorOf(element) ?? (others.length ? undefined : inner);
    return field ?? closestOf(element, FOCUSABLE) ?? element;
  }

  /**
   * @param {Element} element
   * @returns {Element} the file field that it is, belongs to or contains, or that takes the mouse in its place; otherwise
   *   what may open a file chooser on a click
   */
  function uploadOf(element) {
    const isFile = (/** @type {Element} */ one) => kindOf(one) === "file";
    const inner = isHtml(element) && !isControl(element) ? queryIn(element, "input").filter(isFile) : [];
    const field = [element, controlOf(element) ?? element].find(isFile) ?? (inner.length === 1 ? inner[0] : undefined);
    if (field) return field;
    const hit = hitInMiddle(element);
    return hit && isFile(hit) ? hit : takerOf(element);
  }

  /**
   * @param {Element} element
   * @returns {Element} the element with the form value: a field, a list of options, or something checkable; also a web
   *   component without any of these in it, because only the browser may know what it is
   */
  function entryOf(element) {
    const own = checkableOf(element);
    if ((isCheckable(own) && !widgetKind(own)) || kindOf(own) === "select") return own;
    return isComponent(own) && !fieldIn(element) ? own : fieldOf(element);
  }

  /**
   * @param {Element} element
   * @returns {Element | null} the only field or list that it names by `aria-labelledby`; a click on such a name checks
   *   nothing
   */
  function entryNamedBy(element) {
    const label = labelWithText(element, "[id]");
    if (!label) return null;
    const root = /** @type {Root} */ (rootOf(label));
    // The parts of a date have names of their own, too.
    return onlyEntryOf(queryAll(root, `[aria-labelledby~="${CSS.escape(idOf(label))}"]`));
  }

  /**
   * @param {Element} element
   * @returns {Element | null} for a label without a connection to any field, the only field or list right after it, or else
   *   next to it if there is no other label
   */
  function entryNextTo(element) {
    const label = labelWithText(element, "label:not([for])");
    if (!label) return null;
    const [next, around] = [nextElementOf(label), parentElementOf(label)];
    const isAlone = around !== null && queryIn(around, "label").filter(isVisible).length === 1;
    return (next && onlyEntryIn(next)) ?? (isAlone ? onlyEntryIn(around) : null);
  }

  /**
   * @param {Element} element
   * @param {string} selector
   * @returns {Element | null} what matches the selector and has no other text, if the element is nothing to fill or to check
   */
  function labelWithText(element, selector) {
    const label = closestOf(element, selector);
    if (!label || collapse(visibleTextOf(label)) !== collapse(visibleTextOf(element))) return null;
    return controlOf(element) || entryIn(element) || isCheckable(checkableOf(element)) ? null : label;
  }

  /**
   * @param {Element} element
   * @returns {Element | null} the only field or list that it is or contains
   */
  function onlyEntryIn(element) {
    return onlyEntryOf([element, ...queryIn(element, PARTS_TO_FILL)].filter(isShown));
  }

  /**
   * @param {Element[]} elements
   * @returns {Element | null} the only field or list among them and what they belong to
   */
  function onlyEntryOf(elements) {
    const [entry, ...others] = outermost([...new Set(elements.flatMap((one) => entryIn(one) ?? []))]);
    return entry && !others.length ? entry : null;
  }

  /**
   * @param {Element} element
   * @returns {Element | null} the only field or list in it, if it is a custom element without a shadow root; a field in one is
   *   found as its control
   */
  function fieldOfComponent(element) {
    if (!tagOf(element).includes("-") || innerRootOf(element) || entryIn(element)) return null;
    const [field, ...others] = queryIn(element, "input, select, textarea").filter(isShown);
    return field && !others.length && !isCheckable(field) ? field : null;
  }

  /** @param {Element} element */
  function isShown(element) {
    return isVisible(element) && !isClipped(element);
  }

  /**
   * @param {Element} element
   * @returns {Element | null} the field or list that it is or belongs to
   */
  function entryIn(element) {
    return kindOf(element) === "select" ? element : fieldIn(element);
  }

  /**
   * @param {Element} element
   * @returns {Element} what a click on it checks, if it is checkable
   */
  function checkableOf(element) {
    return controlOf(element) ?? closestOf(element, CHECKABLE) ?? checkableIn(element) ?? element;
  }

  /**
   * @param {Element} element
   * @returns {Element | null} what is checkable in a custom element that consists of it and its label
   */
  function checkableIn(element) {
    if (!tagOf(element).includes("-")) return null;
    const [inner, ...others] = queryIn(element, `${CHECKABLE}, input[type='checkbox'], input[type='radio']`);
    if (!inner || others.length || !isVisible(handleOf(inner))) return null;
    const own = [inner, ...labelsOf(inner)].map((one) => collapse(visibleTextOf(one))).join("");
    return own === collapse(visibleTextOf(element)) ? inner : null;
  }

  /**
   * @param {Element} element
   * @returns {Element} the field that it is, belongs to or contains
   * @throws {PageError} EXECUTION_ERROR if there is none, or if it would lose more than what the element contains
   */
  function fieldOf(element) {
    const field = fieldIn(element);
    if (field && isPartOfText(element, field)) {
      throw misfit(
        element,
        `is only a part of the text in ${selectorOf(field, allRoots())}. Fill that to replace the whole text. ` +
          "To replace this part, click it with count=3, then press the keys of the new text.",
      );
    }
    if (field) return field;
    const own = controlOf(element) ?? element;
    const advice = adviceFor(own) ?? (isMatch(own, LOCKED) ? READ_ONLY : "");
    throw misfit(own, insteadOf(own) || advice || NO_FIELD);
  }

  /**
   * @param {Element} element
   * @returns {string} the fields to fill instead; empty if there are none
   */
  function insteadOf(element) {
    const shown = kindOf(element) === "hidden" ? shownNextTo(element) : undefined;
    const all = shown ? [shown] : entriesIn(element);
    const named = all.slice(0, MOST_NAMED).map((one) => selectorOf(one, allRoots()));
    if (all.length > MOST_NAMED) named.push(`one of ${all.length - MOST_NAMED} more`);
    const last = named.pop();
    const either = named.length ? `${named.join(", ")} or ${last}` : last;
    return last ? `is not a field that users see. Did you mean ${either} ${shown ? "next to" : "in"} it?` : "";
  }

  /**
   * @param {Element} element
   * @param {Element} field
   * @returns {boolean} whether it is in one of several lines of an editor
   */
  function isPartOfText(element, field) {
    if (!holds(field, element) || editorOf(field) !== field) return false;
    const line = [...treeAncestors(element)].find((one) => one === field || getComputedStyle(one).display !== "inline");
    const text = collapse(editedTextOf(field));
    return line !== undefined && line !== field && text !== "" && text !== collapse(editedTextOf(line));
  }

  /**
   * @param {Element} element
   * @returns {Element | null} null if it is not one, does not belong to one and does not contain exactly one editor or
   *   date of segments
   */
  function fieldIn(element) {
    const widget = widgetIn(element) ?? sinkOf(element);
    if (widget) return widget;
    const field = isControl(element) ? element : (controlOf(element) ?? editorOf(element) ?? element);
    if (isField(field)) return field;
    const [inner, ...others] = entriesIn(field);
    return inner && !others.length && !isControl(inner) ? inner : null;
  }

  /**
   * @param {Element} element
   * @returns {Element | undefined} the combobox, list, slider or spin button that it is, belongs to or contains
   */
  function widgetIn(element) {
    const own = operableIn(controlOf(element) ?? element);
    const around = isEditable(own) ? null : closestOf(element, "[role='spinbutton'], [role='slider']");
    return [own, around].find((one) => one && widgetKind(one)) ?? undefined;
  }

  /**
   * @param {Element} element
   * @returns {Element[]} the fields and editors in it
   */
  function drawnFields(element) {
    const scope = isHtml(element) && !isControl(element) ? queryIn(element, "input, textarea, [contenteditable]") : [];
    return scope.filter((one) => (isControl(one) || editorOf(one) === one) && isVisible(one));
  }

  /**
   * @param {Element} element
   * @returns {Element[]} what can be filled in it: its fields and editors, but dates of several segments as a whole
   */
  function entriesIn(element) {
    const wholeOf = (/** @type {Element} */ one) => {
      const group = closestOf(one, "[role='group']");
      return group && holds(element, group) && widgetKind(group) === "segments" ? group : one;
    };
    const drawn = drawnFields(element).filter((one) => !isClipped(one));
    return [...new Set(drawn.map(wholeOf))];
  }

  /**
   * @param {Element} element
   * @returns {HTMLElement | null} the outermost editable element around it
   */
  function editorOf(element) {
    /** @type {HTMLElement | null} */
    let editor = null;
    for (const ancestor of treeAncestors(element)) {
      if (!isContentEditable(ancestor)) break;
      editor = ancestor;
    }
    return editor;
  }

  /** @param {Element} element @returns {string | undefined} the rest of a sentence about what it is, and how to use it */
  function adviceFor(element) {
    return ADVICE.get(kindOf(element)) ?? ADVICE.get(roleOf(element));
  }

  /** @param {Element} element */
  function listOf(element) {
    const list = closestOf(element, "select") ?? controlOf(element) ?? element;
    if (kindOf(list) === "select") return list;
    const widget = widgetIn(element);
    if (widget && widgetKind(widget) === "list") return widget;
    if (isControl(list) && hasSuggestions(list)) return list;
    const how = isControl(list) ? "Use fill or click." : "Use click to open it, then click the option.";
    throw misfit(list, adviceFor(list) ?? `is not a list of options (<select>). ${how}`);
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether text can be typed into it
   */
  function isField(element) {
    const kind = kindOf(element);
    return (
      TYPED.has(kind) ||
      FORMATS.has(kind) ||
      kind === "textarea" ||
      (editorOf(element) ?? editorAround(element)) !== null
    );
  }

  return { checkableOf, isActedOn, isField, targetOf };
})();
