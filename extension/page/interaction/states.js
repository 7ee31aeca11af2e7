"use strict";

// The state of an element as assistive technology reads it: its value, and words such as "expanded".

const states = (() => {
  const {
    attributeOf,
    closestOf,
    holderOf,
    holds,
    innerRootOf,
    isContentEditable,
    isControl,
    isDisabled,
    isDocument,
    isHtml,
    isMatch,
    isReadOnly,
    keepsSecret,
    kindOf,
    labelsOf,
    queryAll,
    queryIn,
    referred,
    rootOf,
    tagOf,
    textContentOf,
  } = dom;
  const { editedTextOf, plain, quote, shorten, symbolOf } = texts;
  const { linesIn, sinkOf } = drawnEditors;
  const { hasNativeState, isBelowChoice } = formControls;
  const { BUTTONS, CHECKABLE, componentRoleOf } = roles;
  const { accessibleNameOf, contentOf } = accessibleNames;
  const { framedBy } = shownValues;
  const { isChosenTab, isCurrent, looksSelected } = selectedLooks;

  const VALUE_LENGTH = 60;
  const LISTED_OPTIONS = 12;
  const OPTION_LENGTH = 20;
  /** Roles of elements that are of no use without the mouse or the keys. */
  const PRESSED = new Set("button clickable link menuitem tab".split(" "));
  const PRESSABLE = `a[href], ${BUTTONS}`;
  const CHOSEN = new Set([...PRESSED, "option"]);
  /** A page may ignore the mouse on these without telling the browser; other things of an element may be off, too. */
  const LOOKS_DISABLED = /(?:^|[\s_-])(?<!(?:animation|drag|focus|hover|resize|ripple|sort)-)disabled(?:\s|$)/iu;
  const EDITORS = new Set(["combobox", "searchbox", "textbox"]);
  /** Labels, not values, that are drawn in a field. */
  const LABELS = "[id*='label' i], [class*='label' i]";
  /** Controls in a field whose names are not its value, such as "Open menu" or "Clear selection". */
  const CONTROLS = `a[aria-label], svg, ${BUTTONS}`;
  /** Some choices are declared as read-only because they take no text. */
  const TEXT_FIELDS = new Set(["searchbox", "textbox"]);
  const LOCKED = "[contenteditable='false'], [aria-readonly='true']";

  /**
   * @param {Element} element
   * @param {string} role
   * @param {number} [length] maximum length of its value
   * @param {string} [name] what it is listed by: a value that is the name, too, is left out
   * @returns {string} for example `= "Ada" required`; never a secret
   */
  function stateOf(element, role, length = VALUE_LENGTH, name = accessibleNameOf(element, false)) {
    const words = [valueOf(element, role, length, name), checkOf(element, role)];
    const is = (/** @type {string} */ state, wanted = "true") => attributeOf(element, `aria-${state}`) === wanted;
    const isNow = (/** @type {string} */ selector) => isMatch(element, selector);
    if (is("expanded") || isNow("details[open] > summary")) words.push("expanded");
    else if (is("expanded", "false") || isNow("details:not([open]) > summary")) words.push("collapsed");
    if (is("pressed")) words.push("pressed");
    if (is("selected") || isChosenTab(element)) words.push("selected");
    else if (CHOSEN.has(role) && looksSelected(element)) words.push("looks selected");
    const sort = attributeOf(sortedBy(element) ?? element, "aria-sort");
    if (sort && sort !== "none") words.push(`sorted ${shorten(sort)}`);
    if (isCurrent(element)) words.push("current");
    if (isDisabled(element)) words.push("disabled");
    else if (PRESSED.has(role) && isUntouchable(element)) words.push("not clickable");
    else if (PRESSED.has(role) && looksDisabled(element)) words.push("looks disabled");
    if (isReadOnly(element) || (TEXT_FIELDS.has(role) && isNow(LOCKED))) words.push("readonly");
    if (isNow(":required") || is("required")) words.push("required");
    if (is("invalid") || isNow(":user-invalid")) words.push("invalid");
    if (isNow(":focus") && tagOf(element) !== "body") words.push("focused");
    return words.filter(Boolean).join(" ");
  }

  /**
   * @param {Element} element
   * @returns {Element | null} the header of a column that it sorts, as the first thing to press in it
   */
  function sortedBy(element) {
    const header = isMatch(element, PRESSABLE) ? closestOf(element, "[aria-sort]") : null;
    return header && queryIn(header, PRESSABLE)[0] === element ? header : null;
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether its class says so, or that of something around it without other words
   */
  function looksDisabled(element) {
    const marked = closestOf(element, "[class*='disabled' i]");
    if (!marked || !LOOKS_DISABLED.test(attributeOf(marked, "class") ?? "")) return false;
    return marked === element || wordsOf(marked) === wordsOf(element);
  }

  /** @param {Element} element */
  function wordsOf(element) {
    return plain(textContentOf(element) ?? "");
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it and all its parts let the mouse through, and the web component that it is a part of
   *   does not take it
   */
  function isUntouchable(element) {
    const isThrough = (/** @type {Element} */ one) => getComputedStyle(one).pointerEvents === "none";
    if (!isThrough(element) || !queryIn(element, "*").every(isThrough)) return false;
    const root = rootOf(element);
    const host = root && !isDocument(root) ? holderOf(root) : null;
    return !host || isThrough(host);
  }

  /**
   * @param {Element} element
   * @param {string} role
   */
  function checkOf(element, role) {
    if (!CHECKABLE.has(role) && attributeOf(element, "aria-checked") === null) return "";
    const isNative = ["checkbox", "radio"].includes(kindOf(element)) && hasNativeState(element);
    const input = /** @type {HTMLInputElement | null} */ (isNative ? element : checkableIn(element));
    if (input?.indeterminate) return "mixed";
    const declared = isBelowChoice(element) ? "false" : attributeOf(element, "aria-checked");
    const state = input ? String(input.checked) : declared;
    if (state === null && componentRoleOf(element)) return "";
    return { true: "on", mixed: "mixed" }[state ?? ""] ?? "off";
  }

  /**
   * @param {Element} element
   * @returns {Element | null} the native check box or radio button that gives a web component its state
   */
  function checkableIn(element) {
    const root = componentRoleOf(element) ? innerRootOf(element) : null;
    const [input, ...others] = root ? queryAll(root, "input[type=checkbox], input[type=radio]") : [];
    return input && !others.length ? input : null;
  }

  /**
   * @param {Element} element
   * @param {string} role
   * @returns {string} the text in a field; never a secret
   */
  function wholeValueOf(element, role) {
    if (isControl(element)) {
      return ["file", "select"].includes(kindOf(element)) || keepsSecret(element) ? "" : element.value;
    }
    if (!EDITORS.has(role)) return "";
    return sinkOf(element) ? linesIn(element) : editedTextOf(element);
  }

  /**
   * @param {Element} element
   * @param {string} role
   * @param {number} length
   * @param {string} name
   */
  function valueOf(element, role, length, name) {
    if (isControl(element)) {
      const framed = role === "combobox" && !element.value ? framedBy(element).join(", ") : "";
      return framed ? `= ${quotedValue(framed, length)}` : controlValueOf(element, kindOf(element), length);
    }
    if (role === "frame") return hostOf(attributeOf(element, "src") ?? "");
    const now = attributeOf(element, "aria-valuetext") ?? attributeOf(element, "aria-valuenow");
    if (now !== null) {
      return `= ${shorten(now)}${limitsOf(attributeOf(element, "aria-valuemin"), attributeOf(element, "aria-valuemax"))}`;
    }
    const isWorded = role === "button" || (role === "clickable" && attributeOf(element, "aria-label") !== null);
    const text = isWorded ? unnamedContentOf(element) : editedValueOf(element, role, name);
    return text ? `= ${quotedValue(text, length)}` : "";
  }

  /**
   * @param {Element} button
   * @returns {string} what a user reads on it if its name comes from elsewhere: a choice, next to the label of a field, the
   *   title of a column that the name says to sort, or the text that the name says to edit
   */
  function unnamedContentOf(button) {
    const isLabeled = attributeOf(button, "aria-labelledby") !== null || labelsOf(button).length > 0;
    // Most buttons with such a name are icons, and one letter is a symbol, too, such as B for bold.
    const mayDiffer = attributeOf(button, "aria-label") !== null && wordsIn(textContentOf(button) ?? "").length > 0;
    if ((!isLabeled && !mayDiffer) || symbolOf(button)) return "";
    const content = contentIn(button);
    const name = plain(accessibleNameOf(button, true));
    if (isLabeled) return !name.includes(content) && /[\p{L}\p{N}]/u.test(content) ? content : "";
    const words = wordsIn(content);
    return words.length && !words.some((word) => name.toLowerCase().includes(word)) ? content : "";
  }

  /** @param {string} text */
  function wordsIn(text) {
    return text.toLowerCase().match(/\p{L}{2,}|\p{N}+/gu) ?? [];
  }

  /**
   * @param {Element} element
   * @param {string} role
   * @param {string} name
   */
  function editedValueOf(element, role, name) {
    if (!EDITORS.has(role)) return "";
    // What a style adds to an editor is a placeholder.
    const isEditor = isHtml(element) && (isContentEditable(element) || sinkOf(element) !== null);
    if (isEditor) return wholeValueOf(element, role).trim();
    const content = contentIn(element);
    // A label may be drawn in place of the value, or above it.
    const isLabel = referred(element, "aria-labelledby").every((one) => isMatch(one, LABELS) && holds(element, one));
    if (isLabel && content === name) return "";
    return name && content.startsWith(`${name} `) ? content.slice(name.length + 1) : content;
  }

  /**
   * @param {Element} element
   * @returns {string} its content without what can be pressed in it
   */
  function contentIn(element) {
    return plain(contentOf(element, new Set(queryIn(element, CONTROLS))));
  }

  /** @param {string} address */
  function hostOf(address) {
    const url = URL.parse(address, location.href);
    return url?.host ? `of ${shorten(url.host)}` : "";
  }

  /**
   * @param {Control} control
   * @param {string} kind
   * @param {number} length
   */
  function controlValueOf(control, kind, length) {
    const { value } = control;
    if (kind === "select") return optionsOf(/** @type {HTMLSelectElement} */ (control));
    if (keepsSecret(control)) return value ? "filled" : "empty";
    if (kind === "file") return filesOf(/** @type {HTMLInputElement} */ (control));
    if (kind === "range") {
      const { min, max } = /** @type {HTMLInputElement} */ (control);
      const words = shorten(attributeOf(control, "aria-valuetext") ?? value);
      return `= ${words.includes(value) ? words : `${value}, ${words}`}${limitsOf(min || "0", max || "100")}`;
    }
    const isWorded = ["submit", "button", "reset", "image", "checkbox", "radio"].includes(kind);
    return isWorded || !value ? "" : `= ${quotedValue(value, length)}`;
  }

  /**
   * @param {string} value
   * @param {number} length
   * @returns {string} on one line; if there is room for more than a glance, with line breaks written as \n
   */
  function quotedValue(value, length) {
    return plainQuote(length > VALUE_LENGTH ? value.trimEnd().replace(/\r?\n/gu, "\\n") : value, length);
  }

  /**
   * @param {string | null} least
   * @param {string | null} most
   */
  function limitsOf(least, most) {
    return least !== null && most !== null ? ` (${shorten(least)} to ${shorten(most)})` : "";
  }

  /** @param {HTMLInputElement} field */
  function filesOf({ files }) {
    return files?.length ? `= ${[...files].map(({ name }) => plainQuote(name, VALUE_LENGTH)).join(", ")}` : "empty";
  }

  /** @param {HTMLSelectElement} list */
  function optionsOf(list) {
    const all = [...list.options];
    const chosen = all.findIndex(({ selected }) => selected);
    const first = Math.max(0, Math.min(chosen - 2, all.length - LISTED_OPTIONS));
    const shown = all.slice(first, first + LISTED_OPTIONS);
    const starts = shown.map(({ label }) => shorten(label, OPTION_LENGTH));
    const listed = shown.map((option, index) => {
      const mark = `${option.disabled ? " disabled" : ""}${option.selected ? "*" : ""}`;
      const start = starts[index] ?? "";
      // Several may begin with the same words.
      const text = starts.indexOf(start) === starts.lastIndexOf(start) ? start : shorten(option.label);
      return `${text.replace(/[{|}]/gu, " ")}${mark}`;
    });
    const before = first ? [`${first} before`] : [];
    const after = all.length - first - listed.length;
    const options = [...before, ...listed, ...(after ? [`${after} more`] : [])].join("|");
    return `{${options}}${list.multiple ? " multiple" : ""}`;
  }

  /**
   * @param {string} text
   * @param {number} [length]
   * @returns {string} a text that ends where its quotation marks do
   */
  function plainQuote(text, length) {
    return quote(text.replaceAll('"', "'"), length);
  }

  return { VALUE_LENGTH, checkableIn, plainQuote, stateOf, wholeValueOf };
})();
