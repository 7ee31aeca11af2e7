"use strict";

// Writing a text into a field: before it is typed, and what the field made of it once it was left, as users leave it.

/**
 * A field with its state before the text is typed.
 *
 * @typedef {object} PreparedField
 * @property {HTMLInputElement} field or a textarea, or an editable element
 * @property {string} before its previous value
 * @property {Element | null} cell what the field is alone in
 * @property {boolean} isEntered whether Enter follows the text
 * @property {boolean} [hasPicker] whether a picker has opened for it, and is still open
 * @property {boolean} [isSuggesting] whether suggestions are open for it
 * @property {boolean} [isConfirmed] whether that picker gets, or has got, the Enter key
 * @property {string} day that the text names, as 2026-03-05, if a calendar may be there for it; otherwise empty
 * @property {string[]} days that the text may name; several if its notation is not clear
 * @property {boolean} [isUnread] whether that calendar, which was open, did not follow what was typed
 * @property {Promise<"typed"> | false} typed when the page has handled the next typing, whatever it does with it
 * @property {InstanceType<typeof leaving.Departure>} [departure] once it is being left by a key
 */

/**
 * @typedef {FillLook & {text: string, mayWait: boolean, mayPick: boolean, movesOn: boolean}} FinishRequest `text`: the
 *   intended one; `mayWait`: for suggestions; `mayPick`: whether the day may be picked in a calendar, which has to follow
 *   what is typed; `movesOn`: whether the Tab key takes the focus to the next field
 */

/** @typedef {InstanceType<typeof changeWatch.ChangeWatch>} Watch */

/** @typedef {{prepared: PreparedField, signal: AbortSignal, watch: Watch}} Fill one that is going on */

const filling = (() => {
  const {
    attributeOf,
    cellAround,
    closestOf,
    comesTrue,
    documentOf,
    holds,
    isControl,
    isInPage,
    isMatch,
    isReadOnly,
    isTextField,
    kindOf,
    parentElementOf,
    referred,
    textContentOf,
    treeAncestors,
    windowOf,
  } = dom;
  const { editorAround, endsWith, indentsOtherwise, isPictured, isTerminal, shows } = drawnEditors;
  const { collapse, quote, visibleTextOf } = texts;
  const { isVisible, isVisuallyHidden } = geometry;
  const { hasOtherField } = standIns;
  const { focusedElement, takeFocus } = focusing;
  const { Departure, isDated } = leaving;
  const { PERIOD, dayIn, daysIn, essenceOf, isInMask, isSame, isSameNumber, isSameValue, timeIn, timeOfDay } =
    sameValues;
  const { readCalendar } = calendars;
  const { otherNotations } = notations;
  const { maySearch } = widgets;
  const {
    FORMATS,
    ONE_BY_ONE,
    caretToEnd,
    changeValue,
    complaintOf,
    fieldsFrom,
    groupOf,
    heldBy,
    isCodePart,
    isInput,
    isPicker,
    isSecret,
    movedFrom,
    refuseValue,
    refusedBy,
    selectContent,
    selectionIsKnown,
    shownBy,
  } = formControls;

  /** A last character that is typed by key, as in browser/trusted-input.js; an empty text is a Backspace. */
  const LAST_KEY = /(?:^|[\p{L}\p{Nd} !-~])$/u;
  /** Levels to climb to a button next to a field. */
  const NEAR_LEVELS = 4;
  const TYPING_WAIT_MS = 100;
  /** How long an editor may take to draw what was typed, or a picker to write it. */
  const DRAWING_WAIT_MS = 500;
  /** How long a calendar may take to show what is typed. */
  const FOLLOWING_MS = 150;
  /** How long a picker may take to fade out. */
  const FADING_MS = 400;
  /** Fields for which a page may show suggestions a little later, which leaving the field would prevent. */
  const SUGGESTING =
    "[autocomplete='off'], [role='combobox'], [aria-autocomplete]:not([aria-autocomplete='none']), [aria-haspopup], " +
    "[list], [type='search'], [role='searchbox'], [role='search'] *";
  /** Fields for numbers: pages do not suggest any for them. */
  const NUMERIC = "[role='spinbutton'], [inputmode='numeric'], [inputmode='decimal']";
  /** VisualEditor (MediaWiki): its document is a model, which follows keys, and the typing in one paragraph. */
  const MODELED = ".ve-ce-attachedRootNode";
  /** Longer texts are set as a whole, like dates. */
  const MAX_TYPED_LINES = 300;
  /** A text of several lines. */
  const LINES = /\S[^\S\n]*\n\s*\S/u;
  const SUGGESTED =
    "Suggestions are open for the field. Click one if the page accepts only these: it may drop other values.";
  /** @type {WeakMap<Element, Element[]>} those that have opened for a field, or for a range with it as its start */
  const pickers = new WeakMap();
  /** @type {WeakSet<Element>} such fields, once nothing is open for them any more */
  const closed = new WeakSet();
  /** @type {WeakMap<Element, Sample>} what fields have made of a day that was written into them */
  const learned = new WeakMap();
  /** @type {WeakMap<Element, Map<string, string>>} the days of texts that were found for fields in their own notations */
  const meant = new WeakMap();
  const PART = "The editor shows only part of the text. Check whether it has kept the rest.";
  const TAKEN = "The page takes what is typed and draws it elsewhere, so it cannot be checked. Take a screenshot.";
  const REPLACED = "The page replaced the field when it lost the focus.";

  /**
   * Sets the value if no text is typed; otherwise focuses the field and selects its content.
   *
   * @param {Element} element
   * @param {string} value
   * @param {boolean} isForeign whether what lies over it is for something else
   * @returns {{plan: Filling, prepared: PreparedField}}
   */
  function prepareField(element, value, isForeign) {
    const kind = kindOf(element);
    const lines = value.replace(/\r\n?/gu, "\n");
    const isLine = isInput(element) || hasOneLine(element);
    const isEntered = (isLine || isTerminal(element)) && lines.endsWith("\n");
    const whole = isEntered ? lines.slice(0, -1) : lines;
    const given = isLine ? whole.replace(/\s*\n\s*/gu, " ") : whole;
    const field = /** @type {HTMLInputElement} */ (element);
    const text = isFree(field) ? inOwnNotation(field, given) : given;
    const isLocked = isReadOnly(field) || isPicker(field);
    const isTyped = !isLocked && (!FORMATS.has(kind) || kind === "number") && !isLong(field, text);
    const [day, days] = isFree(field) ? [dayIn(given), daysIn(given)] : ["", []];
    refuseValue(field, text);
    if (days.length || isLocked) calendars.begin(field, isForeign, periodOf(field));
    if (!isLocked) takeFocus(field, "Fill the element that gets it.");
    const before = heldBy(field);
    const cell = cellAround(field);
    /** @type {PreparedField} */
    const prepared = { field, before, cell, isEntered, day, days, typed: isTyped && typingInto(field, text) };
    const way = wayInto(field, text);
    if (isTyped && way !== "drawn") selectContent(field);
    else if (!isTyped && !isLocked) changeValue(field, text);
    // A time alone is picked only in place of typing it.
    const time = day || !isLocked ? day && timeIn(given) : timeOfDay(given);
    const isStart = isTyped && isDated(text) && fieldsFrom(field).length === 2;
    const [start, end, ...others] = isTyped && isDated(text) ? groupOf(field) : [];
    const isEnd = end === field && !others.length && start?.value !== "";
    return {
      plan: {
        isStart,
        isEnd,
        text,
        isTyped,
        isEntered,
        way,
        day,
        days,
        time,
        isReadOnly: isLocked,
      },
      prepared,
    };
  }

  /**
   * @param {Element} field
   * @param {string} text
   * @returns {boolean} whether the browser would take seconds to type it: four times as long for twice as many lines
   */
  function isLong(field, text) {
    return isMatch(field, "textarea") && text.split("\n").length > MAX_TYPED_LINES;
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it is an editable element that declares one line, or joins and never wraps its lines: a page
   *   reads it at Enter
   */
  function hasOneLine(element) {
    const isDeclared = attributeOf(element, "aria-multiline") === "false";
    return !isControl(element) && (isDeclared || getComputedStyle(element).whiteSpace === "nowrap");
  }

  /**
   * @param {HTMLInputElement} field
   * @returns {boolean} whether users never see it: the page may read its keys, and draw them somewhere else
   */
  function takesKeys(field) {
    return isControl(field) && isVisuallyHidden(field) && !editorAround(field);
  }

  /**
   * @param {HTMLInputElement} field
   * @param {string} text
   * @returns {Filling["way"]}
   */
  function wayInto(field, text) {
    if (isTerminal(field)) return "keys";
    if (editorAround(field)) return "drawn";
    if (takesKeys(field) || (text.length > 1 && isCodePart(field))) return "keys";
    return isMatch(field, MODELED) ? "paragraphs" : "whole";
  }

  /**
   * @param {HTMLInputElement} field
   * @param {string} text
   * @returns {boolean} whether the page may have taken the text, and what it draws of it cannot be read
   */
  function isTaken(field, text) {
    if (!text.trim()) return false;
    const editor = isTerminal(field) && editorAround(field);
    return editor ? isPictured(editor) : takesKeys(field) && field.value === "";
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

  /**
   * Checks what a field made of the text, after leaving it as a user does; or returns what is to be done first (`next`).
   *
   * @param {Fill} fill
   * @param {FinishRequest} request
   * @returns {Promise<FilledField>}
   */
  async function finishFill(fill, request) {
    const { prepared, signal, watch } = fill;
    const { field, isEntered, typed } = prepared;
    if (request.isEarly) {
      const late = new Promise((resolve) => setTimeout(resolve, TYPING_WAIT_MS, "late"));
      if ((await Promise.race([typed, late])) === "late") return todo("look");
      signal.throwIfAborted();
      // The next look goes on with the field that has replaced it.
      if (!isInPage(field)) return todo("look");
    }
    const isDate = isDated(request.text);
    const isListing = !isDate && watch.hasOpenedList();
    prepared.isSuggesting = isListing && watch.hasSuggestions();
    // Before Enter, only what adds it to the values of a list is awaited.
    const mayOpen = isEntered ? maySearch(field) : maySuggest(field);
    const isOpening = !isDate && !isListing && !request.mayLeave && mayOpen;
    const isStaying = isTerminal(field) || isTaken(field, request.text);
    const isLeft = !isEntered && !isOpening && !isListing && !isStaying;
    if (request.hasPicked) prepared.isUnread = false;
    const next = await nextStep(prepared, request, { isDate, isLeft, isOpening });
    switch (next) {
      case "":
        return leaveAndRead(fill, request, { isDate, isLeft });
      case "retype":
      case "break":
        field.focus();
        selectContent(field);
        await selectionIsKnown();
        break;
      case "tab":
        prepared.departure = new Departure(field, watch, signal, request.movesOn);
    }
    return todo(next);
  }

  /** @param {FilledField["next"]} next */
  function todo(next) {
    return { value: "", next, notes: [] };
  }

  /**
   * @param {PreparedField} prepared
   * @param {FinishRequest} request
   * @param {{isDate: boolean, isLeft: boolean, isOpening: boolean}} state `isOpening`: whether suggestions may open
   * @returns {Promise<FilledField["next"]>} what is to be done before the field is left; empty for nothing
   */
  async function nextStep(prepared, request, { isDate, isLeft, isOpening }) {
    const { text, mayRetype, mayBreak, mayWait, mayPick, hasPicked } = request;
    const { field, typed } = prepared;
    const isThere = () => (mayRetype === "lost" ? isKept(prepared, text) : isWritten(field, text));
    if (mayRetype && hasRoomFor(field, text) && !isThere()) return "retype";
    if (mayBreak && hasJoinedLines(field)) return "break";
    if (isOpening && mayWait && text) return "suggest";
    if (!isLeft || hasPicked || prepared.departure) return "";
    if (mayPick && !(await follows(prepared))) {
      // A calendar with a time may read the text when the field is left.
      prepared.isUnread = !prepared.day || timeIn(text) !== "";
      if (!prepared.isUnread) return "pick";
    }
    return isDate && typed && isInput(field) && focusedElement() === field ? "tab" : "";
  }

  /**
   * @param {Fill} fill
   * @param {FinishRequest} request
   * @param {{isDate: boolean, isLeft: boolean}} state
   * @returns {Promise<FilledField>}
   */
  async function leaveAndRead({ prepared, signal, watch }, { text, hasPicked, movesOn }, { isDate, isLeft }) {
    const { field, before, typed } = prepared;
    // A page may drop the text once what has opened has faded out, and a number beyond the limits a moment later.
    const mayDrop = isLeft && (watch.hasLayers() || isBeyond(field, text));
    const hasToldChange = isLeft && (await (prepared.departure ?? new Departure(field, watch, signal)).end(isDate));
    // Some editors drop the selection when they are left: keys that follow would go before the text.
    if (isLeft && !isControl(field) && focusedElement() === field) caretToEnd(field);
    const isDrawn = editorAround(field) !== null;
    if (typed && !hasToldChange && !isDrawn && !hasPicked && heldBy(field) !== before) {
      field.dispatchEvent(new Event("change", { bubbles: true }));
    }
    // The one that is open after moving on is for the next field.
    prepared.hasPicker = isDate && !movesOn && (await staysOpen(field, watch));
    const mayConfirm = isLeft && typed && !hasPicked && isInput(field) && !prepared.isConfirmed;
    if (prepared.hasPicker && mayConfirm && isInPage(field) && isKept(prepared, text)) {
      prepared.isConfirmed = true;
      prepared.departure = new Departure(field, watch, signal);
      field.focus({ preventScroll: true });
      return todo("enter");
    }
    if (isDrawn || hasPicked) await comesTrue(() => isKept(prepared, text), DRAWING_WAIT_MS);
    else if (isLeft && !isKept(prepared, text)) await watch.rest();
    if (mayDrop) await comesTrue(() => !isKept(prepared, text), FADING_MS);
    return readField(prepared, text);
  }

  /**
   * @param {Element} field
   * @param {string} text
   * @returns {boolean} whether it is a number beyond the limits that the field declares
   */
  function isBeyond(field, text) {
    const limit = (/** @type {"min" | "max"} */ name) =>
      Number(attributeOf(field, `aria-value${name}`) || attributeOf(field, name) || NaN);
    return Number(text) < limit("min") || Number(text) > limit("max");
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
  async function follows({ field, days }) {
    const isFollowed = () => {
      const read = days.map((day) => readCalendar(field, day));
      return !read[0] || read.some((calendar) => calendar?.isChosen === true);
    };
    return comesTrue(isFollowed, FOLLOWING_MS);
  }

  /**
   * @param {HTMLInputElement} field
   * @param {Watch} watch
   * @returns {Promise<boolean>} whether what has opened for it, now or earlier, is still there after the time that it may
   *   take to fade out
   */
  async function staysOpen(field, watch) {
    const opened = [...(pickers.get(startOf(field)) ?? []), ...watch.pickers()];
    pickers.set(startOf(field), opened);
    const isClosed = () => !watch.hasOpenedLayer() && !opened.some(isStanding);
    const isOpen = !(await comesTrue(isClosed, FADING_MS));
    if (isOpen) closed.delete(startOf(field));
    else closed.add(startOf(field));
    return isOpen;
  }

  /**
   * @param {PreparedField} prepared a field that was left
   * @param {Watch} watch
   * @returns {Promise<boolean>} whether what has opened over the page is still there after the time that it may take to
   *   fade out
   */
  async function keepsLayer({ isSuggesting }, watch) {
    if (isSuggesting || !watch.hasLayers()) return false;
    return !(await comesTrue(() => !watch.hasLayers(), FADING_MS));
  }

  /**
   * @param {Element} field
   * @returns {boolean} false if what had opened for it is closed
   */
  function mayHavePicker(field) {
    const start = startOf(/** @type {HTMLInputElement} */ (field));
    const opened = pickers.get(start) ?? [];
    return !closed.has(start) && (!opened.length || opened.some(isStanding));
  }

  /**
   * @param {Element} element
   * @param {Element | null} other
   * @returns {boolean} whether the other one is the same, a field of the same period, or a button next to it
   */
  function belongsTo(element, other) {
    if (!other) return false;
    const [own, start] = [element, other].map((one) => startOf(/** @type {HTMLInputElement} */ (one)));
    const isOwn = (/** @type {Element} */ around) => !hasOtherField(around, element) && holds(around, other);
    return own === start || [...treeAncestors(element, NEAR_LEVELS)].some(isOwn);
  }

  /** @param {HTMLInputElement} field */
  function startOf(field) {
    const group = groupOf(field);
    return (group.length === 2 && group[0]) || field;
  }

  /** @param {Element} picker */
  function isStanding(picker) {
    return isInPage(picker) && isVisible(picker);
  }

  /**
   * @param {PreparedField} prepared
   * @param {string} text the intended value
   * @returns {FilledField}
   */
  function readField(prepared, text) {
    const { field } = prepared;
    const isLost = !isKept(prepared, text);
    const notes = isInPage(field) ? notesOn(field, text, isLost) : notesOnReplaced(prepared, text);
    if (prepared.isSuggesting) notes.push(SUGGESTED);
    const refusing = refusedBy(field, text);
    const value = refusing ?? (revertedTo(prepared, text) || shownBy(field, text));
    const isFreeText = isInput(field) && !FORMATS.has(kindOf(field)) && !isSecret(field);
    const mayCollect = isFreeText && !prepared.isEntered && !prepared.days.length;
    if (isLost && !value && mayCollect) notes.push(ONE_BY_ONE);
    const complaint = isInPage(field) ? complaintOf(field) : "";
    if (!isLost && !prepared.isUnread && !complaint) learnNotation(prepared, text);
    return {
      value,
      next: "",
      isSecret: isSecret(field),
      isKept: !isLost,
      isRefused: refusing !== null,
      isUnread: prepared.isUnread === true,
      hasPicker: prepared.hasPicker === true,
      notes,
      complaint,
    };
  }

  /**
   * @param {PreparedField} prepared a field that is gone
   * @param {string} text the intended value
   * @returns {string[]} empty if the cell that it was in shows the text
   */
  function notesOnReplaced({ cell }, text) {
    const shown = textLeftIn(cell);
    if (!shown) return [`${REPLACED} Check what it shows now.`];
    return isSameValue(shown, text) ? [] : [`${REPLACED} Its cell shows ${quote(shown)} now.`];
  }

  /**
   * @param {PreparedField} prepared
   * @param {string} text the intended value
   * @returns {string} what the cell of a field that is gone shows again, instead of the text; otherwise empty
   */
  function revertedTo({ field, before, cell }, text) {
    const shown = isInPage(field) ? "" : textLeftIn(cell);
    return shown && isSameValue(shown, before) && !isSameValue(shown, text) ? shown : "";
  }

  /** @param {Element | null} cell that a field was alone in */
  function textLeftIn(cell) {
    return cell && isInPage(cell) ? collapse(visibleTextOf(cell)) : "";
  }

  /**
   * @param {PreparedField} prepared
   * @param {string} text
   * @param {string} chosen its value once the day was picked, or empty
   * @returns {ReturnType<typeof otherNotations>}
   */
  function notationsFor({ field, before }, text, chosen) {
    const hints = referred(field, "aria-describedby").map((one) => collapse(textContentOf(one) ?? ""));
    const described = [attributeOf(field, "placeholder") ?? "", ...hints].map((one) => ({ text: one, day: "" }));
    const samples = [{ text: chosen, day: dayIn(text) }, sampleOf(field, before), ...described];
    const others = otherNotations(isFree(field) ? text : "", samples);
    meant.set(field, new Map(others.own.map((one) => [one, dayIn(text)])));
    return others;
  }

  /**
   * A page may drop a whole period because of the notation of its end, or take a date in another one for a day long ago.
   *
   * @param {HTMLInputElement} field
   * @param {string} text
   * @returns {string} the same date or time in the notation that is known of the field, or of the field before it, if that
   *   is the only other one
   */
  function inOwnNotation(field, text) {
    if (!isDated(text)) return text;
    const [start, end] = periodOf(field);
    const sample = learned.get(field) ?? (start && end === field ? sampleOf(start, start.value) : null);
    return (sample && otherNotations(text, [sample]).own[0]) || text;
  }

  /**
   * @param {HTMLInputElement} field
   * @returns {HTMLInputElement[]} the start and the end of its period; empty if it is in none
   */
  function periodOf(field) {
    const group = groupOf(field);
    return group.length === 2 ? group : [];
  }

  /**
   * @param {HTMLInputElement} field
   * @param {string} value that it holds, or has held
   * @returns {Sample} how it writes dates and times
   */
  function sampleOf(field, value) {
    return learned.get(field) ?? { text: value, day: "" };
  }

  /**
   * @param {PreparedField} prepared of a field that has kept the text
   * @param {string} text
   */
  function learnNotation({ field, day: given }, text) {
    const day = given || (meant.get(field)?.get(text) ?? "");
    const held = heldBy(field);
    const [, month, date] = day.split("-");
    // What was written as it was given is no sample: the page may not have read it yet.
    if (day && month !== date && !dayIn(held)) learned.set(field, { text: held, day });
  }

  /**
   * @param {HTMLInputElement} field
   * @returns {boolean} whether the page, not the browser, decides in which notation it takes a date
   */
  function isFree(field) {
    return isPicker(field) || (isTextField(field) && !FORMATS.has(kindOf(field)));
  }

  /**
   * @param {PreparedField} prepared
   * @param {string} text
   * @returns {boolean} false if the page has dropped or replaced the text
   */
  function isKept(prepared, text) {
    const { field, before } = prepared;
    if (isTaken(field, text)) return true;
    if (revertedTo(prepared, text)) return false;
    if (editorAround(field)) return isWritten(field, text);
    const held = movedFrom(field, text) ?? heldBy(field);
    if (isPicker(field)) return held.split(PERIOD).some((one) => isSameValue(one, text));
    if (isControl(field)) return isSameValue(held, text) || isInMask(held, text, before);
    if (isSame(held, text)) return true;
    // An editor displays its content in its own way, and long texts in parts; what it held before is not part of that.
    return held !== before && isPartOf(essenceOf(held), essenceOf(text)) && (held !== "" || text.trim() === "");
  }

  /**
   * @param {string} part
   * @param {string} whole
   * @returns {boolean} whether it has all the characters of the part, in their order
   */
  function isPartOf(part, whole) {
    let end = 0;
    for (const character of part) {
      end = whole.indexOf(character, end) + 1;
      if (end === 0) return false;
    }
    return true;
  }

  /**
   * @param {HTMLInputElement} field
   * @param {string} text
   * @returns {boolean} whether it contains the text; an editor also between the same spaces
   */
  function isWritten(field, text) {
    const editor = editorAround(field);
    if (editor) return isTerminal(field) ? endsWith(editor, text) : shows(editor, text);
    const held = movedFrom(field, text) ?? heldBy(field);
    const words = (/** @type {string} */ value) => value.split(/\s+/u).map(essenceOf).filter(Boolean).join(" ");
    // The decimal point may be what is missing.
    if (isControl(field)) return isSameNumber(held, text) ?? isSame(held, text);
    return isSame(held, text) && words(held) === words(text);
  }

  /**
   * @param {HTMLInputElement} field
   * @returns {boolean} whether it is an editor that has put several lines into one paragraph, as one text
   */
  function hasJoinedLines(field) {
    if (isControl(field)) return false;
    const walker = document.createTreeWalker(field, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const around = LINES.test(textContentOf(node) ?? "") && parentElementOf(node);
      const keepsLines = around && /^(?:pre|break)/u.test(getComputedStyle(around).whiteSpace);
      if (keepsLines && !closestOf(around, "pre")) return true;
    }
    return false;
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
    if (isTaken(field, text)) return [TAKEN];
    const value = heldBy(field);
    const editor = editorAround(field);
    const hasMoved = Boolean(movedFrom(field, text));
    const isOther =
      !hasMoved &&
      (isControl(field) && !editor
        ? value !== (field.type === "color" ? text.toLowerCase() : text)
        : !isWritten(field, text));
    const isPart = !isControl(field) && essenceOf(value).length < essenceOf(text).length;
    return [
      !hasMoved && !hasRoomFor(field, text) && `The field accepts at most ${field.maxLength} characters.`,
      isOther && !isLost && (isPart ? PART : "The field shows the value in its own format."),
      editor && !isLost && indentsOtherwise(editor, text) && "The editor indented the lines in its own way.",
    ].filter((note) => typeof note === "string");
  }

  return { belongsTo, finishFill, keepsLayer, mayHavePicker, notationsFor, prepareField, readField };
})();
