"use strict";

// Form controls: checkboxes and text fields; whether they accept a value, and what they contain.

const formControls = (() => {
  const {
    attributeOf,
    boxOf,
    documentOf,
    innerRootOf,
    isContentEditable,
    isControl,
    isMatch,
    kindOf,
    nextElementOf,
    parentElementOf,
    pause,
    queryIn,
    tagOf,
    treeAncestors,
    windowOf,
  } = dom;
  const { collapse, editedTextOf, misfit, visibleTextOf } = texts;
  const { isDrawn, isVisuallyHidden } = geometry;
  const { editorAround, linesIn } = drawnEditors;
  const { hasOtherField } = standIns;
  const { hasSuggestions, widgetKind } = widgets;
  const { chipOf } = chips;
  const { isNumber, isSameValue } = sameValues;
  const { refuseSeveral } = nativeLists;
  const { faultOf, isRejected } = faults;

  /** Fields that accept only one format, and an example of it. */
  const FORMATS = new Map([
    ["date", "a date such as 2026-12-31"],
    ["time", "a time such as 23:59"],
    ["datetime-local", "a date and a time such as 2026-12-31T23:59"],
    ["month", "a month such as 2026-12"],
    ["week", "a week such as 2026-W52"],
    ["color", "a color such as #ff8800"],
    ["range", "a number"],
    ["number", "a number such as 12.5"],
  ]);
  /** Fields that are never empty. */
  const STRICT = new Set(["color", "range"]);
  const PICKERS = ":is(button, [role='button'])[aria-haspopup='dialog']";
  /** Levels to climb to the fields of a code that is typed into one after the other. */
  const GROUP_LEVELS = 4;
  const RADIO = "[role='radio']";
  /** Levels to climb from a star of a rating to its place in the row. */
  const STAR_LEVELS = 3;
  /** Ratio of the sides up to which a field has room for one character. */
  const MOST_SQUARE = 1.6;
  const EXCERPT_LENGTH = 150;
  const PHONE_NUMBER = /^\s*\+[\d\s()./-]+$/u;
  /** Levels to climb from a phone number to its country code. */
  const CODE_LEVELS = 3;
  /** What a reply has in the place of a secret, as in commands/fill.js. */
  const SECRET = "(hidden)";
  const ONE_BY_ONE = "If it collects values, fill each with a line break at its end, which presses Enter.";
  const NO_FIELD = "is not an editable field. Choose an input, a textarea or an editable element.";

  /** @param {Element} element */
  function isInput(element) {
    return tagOf(element) === "input";
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it may be drawn in the place of a date field: a button that opens a calendar
   */
  function isPicker(element) {
    return isMatch(element, PICKERS);
  }

  /** @param {Element} element */
  function isCheckable(element) {
    const isNative = ["checkbox", "radio"].includes(kindOf(element));
    return isNative || isMatch(element, "[aria-checked], [role='menuitemcheckbox'], [role='menuitemradio']");
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it is a web component, whose role and state may be known to the browser only
   */
  function isComponent(element) {
    return tagOf(element).includes("-") && innerRootOf(element) !== null && !editorAround(element);
  }

  /** @param {Element} element */
  function isChecked(element) {
    if (hasNativeState(element)) return /** @type {HTMLInputElement} */ (element).checked;
    return attributeOf(element, "aria-checked") === "true" && !isBelowChoice(element);
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it is a star of a rating below the chosen one: the next one is marked, too
   */
  function isBelowChoice(element) {
    if (!isMatch(element, RADIO)) return false;
    for (const one of treeAncestors(element, STAR_LEVELS)) {
      const next = nextElementOf(one);
      if (queryIn(one, RADIO).length > 1) return false;
      const [star, ...others] = next ? [next, ...queryIn(next, RADIO)].filter((each) => isMatch(each, RADIO)) : [];
      if (star) return !others.length && attributeOf(star, "aria-checked") === "true";
    }
    return false;
  }

  /**
   * @param {Element} element
   * @returns {boolean} false for a switch that the page draws itself, and whose state it gives only in its attribute
   */
  function hasNativeState(element) {
    if (!isInput(element)) return false;
    return (isDrawn(element) && boxOf(element).width > 1) || !isMatch(element, "[role='switch'][aria-checked]");
  }

  /**
   * @param {HTMLInputElement} field
   * @returns {boolean} whether it is one of the fields for the characters of a code: each key moves on to the next one
   */
  function isCodePart(field) {
    const fields = fieldsFrom(field);
    if (fields.length < 3) return false;
    const isSmall = (/** @type {Element} */ one) => boxOf(one).width < MOST_SQUARE * boxOf(one).height;
    return fields.slice(1).every(({ maxLength }) => maxLength === 1) || fields.every(isSmall);
  }

  /**
   * @param {HTMLInputElement} field
   * @returns {HTMLInputElement[]} the field, and those after it in the same group
   */
  function fieldsFrom(field) {
    const all = groupOf(field);
    return all.slice(all.indexOf(field));
  }

  /**
   * @param {HTMLInputElement} field
   * @returns {HTMLInputElement[]} the fields of its group that users see
   */
  function groupOf(field) {
    if (!isControl(field)) return [];
    // A hidden one may hold the value of all others for the form.
    const isText = (/** @type {Element} */ one) =>
      kindOf(one) === kindOf(field) && (one === field || !isVisuallyHidden(one));
    const around = [...treeAncestors(parentElementOf(field), GROUP_LEVELS)];
    const all = around.map((one) => queryIn(one, "input").filter(isText)).find(({ length }) => length > 1) ?? [];
    return /** @type {HTMLInputElement[]} */ (all);
  }

  /** @param {HTMLInputElement} field */
  function selectContent(field) {
    if (isControl(field)) return field.select();
    const page = /** @type {Document} */ (documentOf(field));
    // The browser's own way would select all of an editor around this one.
    const isInner = [...treeAncestors(parentElementOf(field))].some(isContentEditable);
    // It starts and ends in texts; some editors write next to their paragraphs otherwise.
    const isSelected = !isInner && Reflect.apply(Document.prototype.execCommand, page, ["selectAll"]);
    // Fields with an EditContext have no editing commands.
    if (!isSelected) windowOf(page)?.getSelection()?.selectAllChildren(field);
  }

  /** @param {HTMLInputElement} field */
  function caretToEnd(field) {
    // Fields that do not contain plain text have no readable caret position.
    if (isControl(field)) return field.selectionEnd === null ? undefined : field.setSelectionRange(1e9, 1e9);
    selectContent(field);
    windowOf(/** @type {Document} */ (documentOf(field)))
      ?.getSelection()
      ?.collapseToEnd();
  }

  /**
   * Editors keep a selection of their own, which follows in a task of its own: an input that comes at once overtakes it.
   *
   * @returns {Promise<void>} when they know what was selected
   */
  function selectionIsKnown() {
    return pause(0);
  }

  /**
   * Setting the value from this world bypasses the page's own property of the field, as a user's typing does.
   *
   * @param {HTMLInputElement} field
   * @param {string} text
   */
  function setValue(field, text) {
    field.value = FORMATS.has(kindOf(field)) ? text.trim() : text;
    field.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  }

  /**
   * Sets the value, and reports the change before the field is left, as the browser does.
   *
   * @param {HTMLInputElement} field
   * @param {string} text
   */
  function changeValue(field, text) {
    const before = field.value;
    setValue(field, text);
    if (field.value !== before) field.dispatchEvent(new Event("change", { bubbles: true }));
  }

  /**
   * @param {HTMLInputElement} field
   * @param {string} text
   * @throws {PageError} EXECUTION_ERROR if the text does not have the field's format
   */
  function refuseValue(field, text) {
    const { type } = field;
    const wanted = text.trim();
    if (!FORMATS.has(kindOf(field)) || (wanted === "" && !STRICT.has(type))) return;
    const isNumeric = type === "number" || type === "range";
    if ((isNumeric && !isNumber(wanted)) || isOutOfRange(field, wanted)) throw misfitValue(field);
    if (type === "color" && !/^#[\da-f]{6}$/iu.test(wanted)) throw misfitValue(field);
    const probe = /** @type {HTMLInputElement} */ (
      Reflect.apply(Document.prototype.createElement, document, ["input"])
    );
    probe.type = type;
    probe.value = wanted;
    if (probe.value === "") throw misfitValue(field);
  }

  /**
   * @param {Element} element a slider or a spin button
   * @param {string} text
   * @throws {PageError} EXECUTION_ERROR if a native one cannot have this value; one with words for its values may
   *   accept it
   */
  function refuseSetting(element, text) {
    const hasWords = isControl(element) && !isNumber(text) && !isNumber(attributeOf(element, "aria-valuetext") ?? "0");
    if (isControl(element) && !hasWords) refuseValue(/** @type {HTMLInputElement} */ (element), text);
  }

  /**
   * @param {HTMLInputElement} field
   * @param {string} text
   */
  function isOutOfRange({ type, min, max }, text) {
    return type === "range" && (Number(text) < Number(min || 0) || Number(text) > Number(max || 100));
  }

  /** @param {HTMLInputElement} field */
  function misfitValue(field) {
    const { type, min, max } = field;
    const limits = type === "range" ? ` from ${Number(min || 0)} to ${Number(max || 100)}` : "";
    return misfit(field, `does not accept this value. Pass ${FORMATS.get(type)}${limits}.`);
  }

  /**
   * @param {HTMLInputElement} field
   * @param {string} text
   * @returns {string | null} what this field and those after it hold, if the page spreads a code over them, or has spread
   *   the text over them
   */
  function spreadFrom(field, text) {
    if (!isControl(field) || field.value.length > 1 || text.length < 2) return null;
    const held = fieldsFrom(field)
      .map(({ value }) => value)
      .join("");
    // What another field holds alone has not come from this one.
    const isSpread = held === text && field.value !== "";
    return isSpread || isCodePart(field) ? held : null;
  }

  /**
   * @param {HTMLInputElement} field
   * @param {string} text
   * @returns {string | null} what the page has moved on from the field: the characters of a code, or the text as one of the
   *   values before it, or as a phone number whose country code it shows there
   */
  function movedFrom(field, text) {
    return chipFrom(field, text)?.isTaken || isDialed(field, text) ? text.trim() : spreadFrom(field, text);
  }

  /**
   * @param {HTMLInputElement} field
   * @param {string} text
   * @returns {boolean} whether it is a phone number that the field holds without its country code, which is shown next to it
   */
  function isDialed(field, text) {
    const number = PHONE_NUMBER.test(text) && isInput(field) ? text.replace(/\D/gu, "") : "";
    const local = number && field.value.replace(/\D/gu, "");
    if (!local || local === number || !number.endsWith(local)) return false;
    const code = `+${number.slice(0, -local.length)}`;
    const around = [...treeAncestors(parentElementOf(field), CODE_LEVELS)];
    const wordsIn = (/** @type {Element} */ one) => visibleTextOf(one).split(/[\s()]+/u);
    return around.some((one) => !hasOtherField(one, field) && wordsIn(one).includes(code));
  }

  /**
   * @param {HTMLInputElement} field
   * @param {string} text
   * @returns {string | null} the values before the field, if the page has moved the text there, but as an invalid one
   */
  function refusedBy(field, text) {
    const chip = chipFrom(field, text);
    return chip && !chip.isTaken ? chip.values.join(", ") : null;
  }

  /**
   * @param {HTMLInputElement} field
   * @param {string} text
   */
  function chipFrom(field, text) {
    const isGone = !isSecret(field) && heldBy(field) === "" && text.trim() !== "";
    return isGone ? chipOf(field, text) : null;
  }

  /**
   * @param {HTMLInputElement} field
   * @param {string} [text] that was written into it
   * @returns {string} what it holds, or what the page has moved on from it, for a reply
   */
  function shownBy(field, text = "") {
    const held = movedFrom(field, text) ?? heldBy(field);
    return held !== "" && isSecret(field) ? SECRET : held;
  }

  /** @param {HTMLInputElement} field */
  function heldBy(field) {
    const editor = editorAround(field);
    if (editor) return linesIn(editor);
    if (isPicker(field)) return collapse(visibleTextOf(field));
    return isControl(field) ? field.value : editedTextOf(field);
  }

  /** @param {HTMLInputElement} field */
  function isSecret(field) {
    return kindOf(field) === "password";
  }

  /**
   * @param {HTMLInputElement} field
   * @returns {string} a sentence, if the page or the browser objects to its value
   */
  function complaintOf(field) {
    if (isSecret(field)) return "";
    const isInvalid = isRejected(field);
    const fault = isInvalid ? faultOf(field) : isControl(field) && field.validationMessage;
    if (fault) return `It says: "${excerptOf(fault)}"`;
    return isInvalid ? "The page marks it as invalid." : "";
  }

  /** @param {string} value */
  function excerptOf(value) {
    const printable = value.slice(0, EXCERPT_LENGTH).replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, " ");
    return printable.toWellFormed();
  }

  /**
   * @param {Element} element
   * @param {FormField["value"]} value
   * @returns {FormWay}
   * @throws {PageError} EXECUTION_ERROR
   */
  function wayOf(element, value) {
    if (isCheckable(element)) {
      if (!["true", "false"].includes(String(value))) {
        throw misfit(element, "can only be on or off. Pass true or false.");
      }
      const isChosen = kindOf(element) === "radio" && isChecked(element);
      if (isChosen && String(value) === "false") {
        throw misfit(
          element,
          "is a radio button that is on. To turn it off, set another radio button of its group to true.",
        );
      }
      return { way: "click", checked: isChecked(element) };
    }
    const kind = widgetKind(element, value);
    if (kind === "list") {
      if (typeof value === "boolean") throw misfit(element, "is a list of options. Pass option labels.");
      return { way: "choose" };
    }
    if (Array.isArray(value) && isControl(element) && hasSuggestions(element)) return { way: "choose" };
    if (kind && typeof value === "string") {
      refuseSetting(element, value);
      return { way: "fill" };
    }
    if (kindOf(element) === "select") {
      if (typeof value === "boolean") throw misfit(element, "is a list of options. Pass option values or labels.");
      refuseSeveral(/** @type {HTMLSelectElement} */ (element), [value].flat());
      return { way: "select" };
    }
    if (isComponent(element) && typeof value === "boolean") return { way: "click" };
    if (isComponent(element)) throw misfit(element, NO_FIELD);
    if (typeof value !== "string") {
      throw misfit(element, `accepts only a string.${Array.isArray(value) ? ` ${ONE_BY_ONE}` : ""}`);
    }
    const field = /** @type {HTMLInputElement} */ (element);
    refuseValue(field, value);
    const held = movedFrom(field, value) ?? heldBy(field);
    // An editor displays its content in its own way.
    const isSame = !isControl(field) || isSameValue(held, value);
    return { way: "fill", value: shownBy(field, value), isSame, complaint: complaintOf(field) };
  }

  return {
    FORMATS,
    NO_FIELD,
    ONE_BY_ONE,
    caretToEnd,
    changeValue,
    complaintOf,
    fieldsFrom,
    groupOf,
    heldBy,
    hasNativeState,
    isBelowChoice,
    isCheckable,
    isChecked,
    isCodePart,
    isComponent,
    isInput,
    isPicker,
    isSecret,
    movedFrom,
    refusedBy,
    refuseSetting,
    refuseValue,
    selectContent,
    selectionIsKnown,
    setValue,
    shownBy,
    spreadFrom,
    wayOf,
  };
})();
