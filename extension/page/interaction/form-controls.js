"use strict";

// Form controls: checkboxes and text fields; whether they accept a value, and what they contain afterwards.

/**
 * A field with its state before the text is typed.
 *
 * @typedef {object} PreparedField
 * @property {HTMLInputElement} field or a textarea, or an editable element
 * @property {string} before its previous value
 * @property {boolean} [hasPicker] whether a picker has opened for it, and is still open
 * @property {boolean} [hasList] whether suggestions are open for it
 * @property {boolean} [isConfirmed] whether that picker gets, or has got, the Enter key
 * @property {string} day that the text names, as 2026-03-05, if a calendar may be there for it; otherwise empty
 * @property {boolean} [isPicked] whether the day was to be picked in that calendar
 * @property {Promise<"typed"> | false} typed when the page has handled the next typing, whatever it does with it
 * @property {InstanceType<typeof leaving.Departure>} [departure] once it is being left by a key
 */

const formControls = (() => {
  const {
    attributeOf,
    boxOf,
    documentOf,
    innerRootOf,
    isControl,
    isInPage,
    isMatch,
    isReadOnly,
    isTextField,
    kindOf,
    pause,
    queryIn,
    tagOf,
  } = dom;
  const { treeAncestors, windowOf } = dom;
  const { editedTextOf, misfit } = texts;
  const { isRendered } = geometry;
  const { editorAround, linesIn, shows } = drawnEditors;
  const { focusedElement, takeFocus } = focusing;
  const { Departure, isDated } = leaving;
  const { hasSuggestions, widgetKind } = widgets;
  const { dayIn, essenceOf, isNumber, isSame, isSameDate, isSameNumber } = sameValues;
  const { readCalendar } = calendars;
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
  /** A last character that is typed by key, as in browser/trusted-input.js; an empty text is a Backspace. */
  const LAST_KEY = /(?:^|[\p{L}\p{Nd} !-~])$/u;
  /** Fields that are never empty. */
  const STRICT = new Set(["color", "range"]);
  const TYPING_WAIT_MS = 100;
  /** For an editor to draw what was typed, or for a picker to write it. */
  const DRAWING_WAIT_MS = 500;
  /** For a calendar to show what is typed. */
  const FOLLOWING_MS = 150;
  /** For a picker to fade out. */
  const FADING_MS = 400;
  const POLL_MS = 20;
  /** Levels to climb to the fields of a code that is typed into one after the other. */
  const GROUP_LEVELS = 5;
  /** Ratio of the sides up to which a field has room for one character. */
  const MOST_SQUARE = 1.6;
  const EXCERPT_LENGTH = 150;
  /** Fields for which a page may show suggestions a little later, which leaving the field would prevent. */
  const SUGGESTING =
    "[autocomplete='off'], [role='combobox'], [aria-autocomplete]:not([aria-autocomplete='none']), [aria-haspopup], " +
    "[list], [type='search'], [role='searchbox'], [role='search'] *";
  /** Fields for numbers, for which there are none. */
  const NUMERIC = "[role='spinbutton'], [inputmode='numeric'], [inputmode='decimal']";
  const NO_FIELD = "is not an editable field. Name an input, a textarea or an editable element.";
  const PICKER = "A picker is open for it, so the page may not have accepted the value yet. Look there.";
  const SUGGESTED = "Suggestions are open for it. Click one if the page takes only these: it may drop other texts.";
  const REPLACED = "The page has replaced the field once it was left. Check what it shows now.";

  /** @param {Element} element */
  function isInput(element) {
    return tagOf(element) === "input";
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
    return attributeOf(element, "aria-checked") === "true";
  }

  /**
   * @param {Element} element
   * @returns {boolean} false for a switch that the page draws itself, and whose state it gives only in its attribute
   */
  function hasNativeState(element) {
    if (!isInput(element)) return false;
    const isDrawn = isRendered(element, { opacityProperty: true }) && boxOf(element).width > 1;
    return isDrawn || !isMatch(element, "[role='switch'][aria-checked]");
  }

  /**
   * Sets the value if no text is typed; otherwise focuses the field and selects its content.
   *
   * @param {Element} element
   * @param {string} value
   * @returns {{filling: Filling, prepared: PreparedField}}
   */
  function prepareField(element, value) {
    const kind = kindOf(element);
    const lines = value.replace(/\r\n?/gu, "\n");
    const isEntered = isInput(element) && lines.endsWith("\n");
    const text = isInput(element) ? lines.replace(/\n$/u, "").replace(/\s*\n\s*/gu, " ") : lines;
    const field = /** @type {HTMLInputElement} */ (element);
    const isPicked = isReadOnly(field);
    const isTyped = !isPicked && (!FORMATS.has(kind) || kind === "number");
    const day = isTextField(field) && !FORMATS.has(kind) ? dayIn(text) : "";
    refuseValue(field, text);
    if (day) calendars.begin(field);
    if (!isPicked) takeFocus(field, "Fill what takes it.");
    const before = heldBy(field);
    /** @type {PreparedField} */
    const prepared = { field, before, day, isPicked, typed: isTyped && typingInto(field, text) };
    const isDrawn = editorAround(field) !== null;
    if (isTyped && !isDrawn) selectContent(field);
    else if (!isTyped && !isPicked) setValue(field, text);
    const isKeyed = text.length > 1 && isCodePart(field);
    return { filling: { text, isTyped, isEntered, isDrawn, isKeyed, day, isPicked }, prepared };
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
    if (!isControl(field)) return [];
    const isText = (/** @type {Element} */ one) => kindOf(one) === kindOf(field);
    const around = [...treeAncestors(field)].slice(1, GROUP_LEVELS);
    const all = around.map((one) => queryIn(one, "input").filter(isText)).find(({ length }) => length > 1) ?? [];
    return /** @type {HTMLInputElement[]} */ (all).slice(all.indexOf(field));
  }

  /**
   * @param {HTMLElement} field
   * @param {string} text
   * @returns {Promise<"typed">} when the page has handled the next typing, whatever it does with it
   */
  function typingInto(field, text) {
    return new Promise((resolve) => {
      // The second turn comes after what the page defers to the next one.
      const soon = () => setTimeout(() => setTimeout(resolve, 0, "typed"));
      const last = LAST_KEY.test(text) ? "keyup" : "beforeinput";
      // By the time a key is released, the page may have moved the focus.
      windowOf(/** @type {Document} */ (documentOf(field)))?.addEventListener(last, soon, {
        capture: true,
        once: true,
      });
    });
  }

  /** @param {HTMLInputElement} field */
  function selectContent(field) {
    if (isControl(field)) return field.select();
    const view = windowOf(/** @type {Document} */ (documentOf(field)));
    view?.getSelection()?.selectAllChildren(field);
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
   * Setting the value from this world bypasses the page's own property of the field, as a user's typing does.
   *
   * @param {HTMLInputElement} field
   * @param {string} text
   */
  function setValue(field, text) {
    field.value = text.trim();
    field.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
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
    if ((isNumeric(type) && !isNumber(wanted)) || isOutOfRange(field, wanted)) throw misfitValue(field);
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

  /** @param {string} type */
  function isNumeric(type) {
    return type === "number" || type === "range";
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
    return misfit(field, `does not take this value. Give it ${FORMATS.get(type)}${limits}.`);
  }

  /**
   * Checks what a field made of the text, after leaving it as a user does.
   *
   * @param {PreparedField} prepared
   * @param {AbortSignal} signal
   * @param {object} request
   * @param {string} request.text the intended value
   * @param {boolean} request.isEarly whether the text may not have arrived yet
   * @param {boolean} request.mayRetype
   * @param {boolean} request.hasPicked whether its day was picked in a calendar
   * @param {boolean} request.mayWait for suggestions
   * @param {boolean} request.mayLeave whether to leave it although it may suggest
   * @param {boolean} isEntered whether Enter follows
   * @param {InstanceType<typeof changeWatch.ChangeWatch>} watch
   * @returns {Promise<FilledField>}
   */
  async function finishFill(prepared, signal, request, isEntered, watch) {
    const { text, isEarly, mayRetype, hasPicked, mayWait, mayLeave } = request;
    const { field, before, typed } = prepared;
    if (isEarly) {
      const late = new Promise((resolve) => setTimeout(resolve, TYPING_WAIT_MS, "late"));
      if ((await Promise.race([typed, late])) === "late") return { value: "", next: "look", notes: [] };
      signal.throwIfAborted();
    }
    if (mayRetype && hasRoomFor(field, text) && !isWritten(field, text)) {
      field.focus();
      selectContent(field);
      return { value: "", next: "retype", notes: [] };
    }
    const isDate = isDated(text);
    prepared.hasList = !isDate && watch.hasOpenedList();
    const isOpening = !isDate && !prepared.hasList && !mayLeave && maySuggest(field);
    if (isOpening && mayWait && !isEntered && text) return { value: "", next: "suggest", notes: [] };
    const isLeft = !isEntered && !isOpening && !prepared.hasList;
    const isTried = hasPicked || prepared.isPicked || prepared.departure;
    if (isLeft && !isTried && !(await follows(prepared))) {
      prepared.isPicked = true;
      return { value: "", next: "pick", notes: [] };
    }
    const mayPick = isLeft && isDate && typed && !hasPicked && isInput(field);
    if (mayPick && !prepared.departure && focusedElement() === field) {
      prepared.departure = new Departure(field, watch, signal);
      return { value: "", next: "tab", notes: [] };
    }
    // A page may drop the text once what has opened has faded out.
    const mayDrop = isLeft && watch.hasLayers();
    const departure = isLeft ? (prepared.departure ?? new Departure(field, watch, signal)) : null;
    const hasToldChange = (await departure?.end(isDate)) ?? false;
    const isDrawn = editorAround(field) !== null;
    if (!hasToldChange && !isDrawn && !hasPicked && heldBy(field) !== before) {
      field.dispatchEvent(new Event("change", { bubbles: true }));
    }
    prepared.hasPicker = isDate && (await staysOpen(watch));
    if (prepared.hasPicker && mayPick && !prepared.isConfirmed && isInPage(field) && isKept(prepared, text)) {
      prepared.isConfirmed = true;
      prepared.departure = new Departure(field, watch, signal);
      field.focus({ preventScroll: true });
      return { value: "", next: "enter", notes: [] };
    }
    if (isDrawn || hasPicked) await untilKept(prepared, text);
    else if (isLeft && !isKept(prepared, text)) await watch.rest();
    if (mayDrop) await whileKept(prepared, text);
    return readField(prepared, text);
  }

  /** @param {Element} field */
  function maySuggest(field) {
    return isMatch(field, SUGGESTING) && !isMatch(field, NUMERIC);
  }

  /**
   * @param {PreparedField} prepared
   * @returns {Promise<boolean>} false if a calendar is open that does not choose the day that was typed, or will not before
   *   it closes
   */
  async function follows({ field, day }) {
    const end = performance.now() + FOLLOWING_MS;
    for (;;) {
      const calendar = readCalendar(field, day);
      if (!calendar || calendar.isChosen) return true;
      if (performance.now() > end) return false;
      await pause(POLL_MS);
    }
  }

  /**
   * @param {InstanceType<typeof changeWatch.ChangeWatch>} watch
   * @returns {Promise<boolean>} whether what has opened is still there after the time that it may take to fade out
   */
  async function staysOpen(watch) {
    const end = performance.now() + FADING_MS;
    while (watch.hasOpenedLayer() && performance.now() < end) await pause(POLL_MS);
    return watch.hasOpenedLayer();
  }

  /**
   * Waits until an editor has drawn what was typed, or a field holds what was picked, for a short time only.
   *
   * @param {PreparedField} prepared
   * @param {string} text the intended value
   */
  async function untilKept(prepared, text) {
    const end = performance.now() + DRAWING_WAIT_MS;
    while (!isKept(prepared, text) && performance.now() < end) await pause(POLL_MS);
  }

  /**
   * @param {PreparedField} prepared
   * @param {string} text the intended value
   */
  async function whileKept(prepared, text) {
    const end = performance.now() + FADING_MS;
    while (isKept(prepared, text) && performance.now() < end) await pause(POLL_MS);
  }

  /**
   * @param {PreparedField} prepared
   * @param {string} text the intended value
   * @returns {FilledField}
   */
  function readField(prepared, text) {
    const { field } = prepared;
    const isLost = !isKept(prepared, text);
    const notes = isInPage(field) ? notesOn(field, text, isLost) : [REPLACED];
    if (prepared.hasPicker) notes.push(PICKER);
    if (prepared.hasList) notes.push(SUGGESTED);
    const value = spreadFrom(field, text) ?? shownBy(field);
    return { value, next: "", isKept: !isLost, notes, complaint: isInPage(field) ? complaintOf(field) : "" };
  }

  /**
   * @param {PreparedField} prepared
   * @param {string} text
   * @returns {boolean} false if the page has dropped or replaced the text
   */
  function isKept({ field, before }, text) {
    if (editorAround(field)) return isWritten(field, text);
    const held = spreadFrom(field, text) ?? heldBy(field);
    if (isControl(field)) return isSameNumber(held, text) ?? (isSame(held, text) || isSameDate(held, text));
    // An editor displays its content in its own way, and long texts in parts.
    return isSame(held, text) || (held !== before && (held !== "" || text.trim() === ""));
  }

  /**
   * @param {HTMLInputElement} field
   * @param {string} text
   * @returns {boolean} whether it contains the text; an editor also between the same spaces
   */
  function isWritten(field, text) {
    const editor = editorAround(field);
    if (editor) return shows(editor, text);
    const held = spreadFrom(field, text) ?? heldBy(field);
    const words = (/** @type {string} */ value) => value.split(/\s+/u).map(essenceOf).filter(Boolean).join(" ");
    // The decimal point may be what is missing.
    if (isControl(field)) return isSameNumber(held, text) ?? isSame(held, text);
    return isSame(held, text) && words(held) === words(text);
  }

  /**
   * @param {HTMLInputElement} field
   * @param {string} text
   * @returns {string | null} what this field and those after it hold, if the page spreads a code over them, or has spread
   *   the text over them
   */
  function spreadFrom(field, text) {
    if (!isControl(field) || isSecret(field) || field.value.length > 1 || text.length < 2) return null;
    const held = fieldsFrom(field)
      .map(({ value }) => value)
      .join("");
    return held === text || isCodePart(field) ? held : null;
  }

  /** @param {HTMLInputElement} field */
  function shownBy(field) {
    return isSecret(field) ? "(hidden)" : heldBy(field);
  }

  /** @param {HTMLInputElement} field */
  function heldBy(field) {
    const editor = editorAround(field);
    if (editor) return linesIn(editor);
    return isControl(field) ? field.value : editedTextOf(field).replace(/\n$/u, "");
  }

  /** @param {HTMLInputElement} field */
  function isSecret(field) {
    return isControl(field) && field.type === "password";
  }

  /**
   * @param {HTMLInputElement} field
   * @param {string} value
   */
  function hasRoomFor(field, value) {
    return !isControl(field) || !(field.maxLength >= 0) || value.length <= field.maxLength;
  }

  /**
   * @param {HTMLInputElement} field
   * @param {string} text the intended value
   * @param {boolean} isLost whether the field does not contain it
   * @returns {string[]} sentences
   */
  function notesOn(field, text, isLost) {
    const value = heldBy(field);
    const isOther =
      isControl(field) && !editorAround(field)
        ? !spreadFrom(field, text) && value !== (field.type === "color" ? text.toLowerCase() : text)
        : !isWritten(field, text);
    return [
      !hasRoomFor(field, text) && `The field takes at most ${field.maxLength} characters.`,
      isOther && !isLost && "The field writes it in its own way.",
    ].filter((note) => typeof note === "string");
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
        throw misfit(element, "is checked or not. Give it true or false.");
      }
      const isChosen = kindOf(element) === "radio" && isChecked(element);
      if (isChosen && String(value) === "false") {
        throw misfit(element, "is a chosen radio button. Give true to another one of its group.");
      }
      return { way: "click", checked: isChecked(element) };
    }
    const kind = widgetKind(element, value);
    if (kind === "list") {
      if (typeof value === "boolean") throw misfit(element, "is a list of options. Give it labels of options.");
      return { way: "choose" };
    }
    if (Array.isArray(value) && isControl(element) && hasSuggestions(element)) return { way: "choose" };
    if (kind && typeof value === "string") {
      refuseSetting(element, value);
      return { way: "fill" };
    }
    if (kindOf(element) === "select") {
      if (typeof value === "boolean") throw misfit(element, "is a list of options. Give it values or labels.");
      refuseSeveral(/** @type {HTMLSelectElement} */ (element), [value].flat());
      return { way: "select" };
    }
    if (isComponent(element) && typeof value === "boolean") return { way: "click" };
    if (isComponent(element)) throw misfit(element, NO_FIELD);
    if (typeof value !== "string") throw misfit(element, "takes a text.");
    const field = /** @type {HTMLInputElement} */ (element);
    refuseValue(field, value);
    return { way: "fill", value: spreadFrom(field, value) ?? shownBy(field), complaint: complaintOf(field) };
  }

  return {
    FORMATS,
    NO_FIELD,
    caretToEnd,
    complaintOf,
    finishFill,
    hasNativeState,
    isCheckable,
    isChecked,
    isComponent,
    prepareField,
    readField,
    refuseSetting,
    selectContent,
    setValue,
    shownBy,
    wayOf,
  };
})();
