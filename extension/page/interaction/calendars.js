"use strict";

// Calendars that pages draw for their date fields: which month they show, and what to press to reach a day.

/**
 * @typedef {{days: Element[], grid: Element, header: Element, year: number, month: number}} Month its year and month, from
 *   1; `header`: the element around the grid and the name of the month
 */

const calendars = (() => {
  const {
    attributeOf,
    boxOf,
    childNodesOf,
    closestOf,
    hasIn,
    holds,
    isAfter,
    isControl,
    isDisabled,
    isMatch,
    isText,
    kindOf,
    parentElementOf,
    queryAll,
    queryDrawnIn,
    queryIn,
    tagOf,
    textContentOf,
    treeAncestors,
  } = dom;
  const { collapse } = texts;
  const { isPositioned, isVisible } = geometry;
  const { allRoots } = search;
  const { selectorOf } = selectorGenerator;
  const { focusedElement } = focusing;
  const { valueOf } = pageState;
  const { monthNamedIn } = sameValues;
  const { hasOtherField } = standIns;

  const CELLS = "td, button, a, abbr, div, li, p, span, time, [role='gridcell']";
  /** A calendar shows at least as many days as the shortest month has. */
  const FEWEST_DAYS = 28;
  /** Levels from the text of a day to what describes the day. */
  const DAY_LEVELS = 3;
  /** Levels from the days to the name of their month. */
  const HEADER_LEVELS = 7;
  const LABELS = ["aria-label", "title", "datetime", "data-date", "data-value"];
  const LAYERS = "dialog[open], [role='dialog']";
  const PRESSABLE = "a, button, [role='button'], [tabindex], [onclick]";
  /** Names of the buttons that turn the month; in class names these words are English on pages of any language. */
  const BACK = /prev|back|left|^[<\u2039\u00ab\u2190]+$/iu;
  const FORTH = /next|forward|right|^[>\u203a\u00bb\u2192]+$/iu;
  const YEARLY = /year|super|double|[\u00ab\u00bb]|<<|>>/iu;
  /** Some calendars have them for the month, and nothing for the year. */
  const DOUBLE_SIGN = /^(?:[\u00ab\u00bb]|<<|>>)$/u;
  const CHOSEN = /(?:^|[^a-z])(?:selected|active|current|chosen)(?![a-z])/iu;
  const NAMES = ["aria-label", "title", "class", "data-action"];
  const OPENERS = "button:not([type='submit']), [role='button'], [tabindex], span, i";
  const OPENING = /calendar|picker|dropdown|(?:^|[^a-z])date(?![a-z])/iu;
  /** Names of buttons next to a field that do not open its calendar. */
  const CLEARING = /clear|remove|delete|reset|cancel|close|save|apply/iu;
  const OPENER_LEVELS = 3;
  /** Maximum number of marked days: the chosen one, and today. With more, the marks do not mean that one is chosen. */
  const MOST_CHOSEN = 2;
  const MONTHS_A_YEAR = 12;
  const NUMERIC = new Set(["number", "range"]);
  const HOURS = new Set([12, 23]);
  const MINUTES = new Set([59]);
  const HALVES = /^\s*[ap]\.?m\.?\s*$/iu;

  /**
   * @type {WeakMap<Element, Element[]>} by field: the first days of the months, and the fields for hours, that were on the
   *   page before it was filled
   */
  const standing = new WeakMap();
  /** @type {WeakSet<Element>} fields below a layer that has opened for another one */
  const behind = new WeakSet();
  /** @type {WeakMap<Element, Element[]>} by field: those that share its calendar */
  const periods = new WeakMap();
  /** @type {WeakMap<Element, {field: Element, place: string}>} by layer: the last field that its calendar was used for */
  const served = new WeakMap();

  /**
   * @param {Element} field about to be filled
   * @param {boolean} isForeign whether what lies over it is for something else
   * @param {Element[]} period the fields that share its calendar, such as the start and the end of a period
   */
  function begin(field, isForeign, period) {
    periods.set(field, period);
    standing.set(field, [...runsOfDays().flatMap(([first]) => first ?? []), ...hourFields()]);
    if (isForeign) behind.add(field);
    else behind.delete(field);
  }

  /**
   * @param {Element} field
   * @param {string} day such as 2026-03-05, or empty
   * @returns {{shown: string, place: string, day?: string, isChosen?: boolean, turn?: string} | null} `shown`: the months
   *   on screen, `place`: where the first of them is drawn; `day`: selector of the day, `isChosen`: whether it is marked
   *   as chosen; if its month is not shown, `turn`: selector of the button that leads there. Null if no calendar has
   *   opened for the field
   */
  function readCalendar(field, day) {
    if (!day) return null;
    const [year = 0, month = 0, date = 0] = day.split("-").map(Number);
    const months = monthsOpenedFor(field);
    const [first] = months;
    if (!first) return null;
    const shown = months.map((one) => `${one.year}-${one.month}`).join(" ");
    const { x, y } = boxOf(first.grid);
    const state = { shown, place: `${Math.round(x)} ${Math.round(y)}` };
    const own = months.find((one) => one.year === year && one.month === month);
    const cell = own?.days[date - 1];
    if (own) return cell ? { ...state, day: selectorOf(cell, allRoots()), isChosen: isChosen(cell, own) } : state;
    const turner = turnerOf(first, (year - first.year) * MONTHS_A_YEAR + month - first.month);
    return { ...state, ...(turner && { turn: selectorOf(turner, allRoots()) }) };
  }

  /**
   * Sets the time in the calendar or the layer for a time that is open, if it has fields for that.
   *
   * @param {Element} field
   * @param {string} time such as 09:30
   * @returns {string | false} the selector of what changes between AM and PM, if that is to be pressed; false if there
   *   are no such fields
   */
  function setTime(field, time) {
    const [month] = monthsOpenedFor(field);
    const around = month ? (layerOf(month.grid) ?? month.header) : layerForTime(field);
    const parts = around ? queryDrawnIn(around, "input, span, button").filter(isVisible) : [];
    const whole = /** @type {HTMLInputElement | undefined} */ (parts.find((one) => kindOf(one) === "time"));
    if (whole) enter(whole, time);
    const [hourField] = upTo(parts, HOURS);
    const [minuteField] = upTo(parts, MINUTES);
    if (!hourField || !minuteField) return whole ? "" : false;
    const [hour = 0, minute = 0] = time.split(":").map(Number);
    const isHalved = mostOf(hourField) === 12;
    enter(hourField, String(isHalved ? hour % 12 || 12 : hour));
    enter(minuteField, String(minute));
    const half = isHalved ? parts.find((one) => HALVES.test(textContentOf(one) ?? "")) : undefined;
    const isOther = half && /p/iu.test(textContentOf(half) ?? "") !== hour >= 12;
    return isOther ? selectorOf(half, allRoots()) : "";
  }

  /**
   * @param {Element} field
   * @returns {Element | null} the layer over the page that has opened for it, with fields for a time
   */
  function layerForTime(field) {
    const focused = focusedElement();
    // The focus may have opened it before the fill began.
    const isOpened = (/** @type {Element} */ one) => one === focused || !standing.get(field)?.includes(one);
    return hourFields().filter(isOpened).map(layerOf).find(Boolean) ?? null;
  }

  /** @returns {Element[]} the visible ones */
  function hourFields() {
    return upTo(
      allRoots().flatMap((root) => queryAll(root, "input")),
      HOURS,
    ).filter(isVisible);
  }

  /**
   * @param {Element[]} parts
   * @param {Set<number>} most
   * @returns {HTMLInputElement[]} the fields for numbers up to one of these
   */
  function upTo(parts, most) {
    const inputs = /** @type {HTMLInputElement[]} */ (parts.filter(isControl));
    return inputs.filter((one) => most.has(mostOf(one)));
  }

  /**
   * @param {HTMLInputElement} input
   * @returns {number} the highest number that it accepts; 0 if it is not for numbers
   */
  function mostOf(input) {
    if (NUMERIC.has(kindOf(input))) return Number(input.max);
    return isMatch(input, "[role=spinbutton]") ? Number(attributeOf(input, "aria-valuemax")) : 0;
  }

  /**
   * @param {HTMLInputElement} input
   * @param {string} text
   */
  function enter(input, text) {
    input.value = text;
    for (const type of ["input", "change"]) input.dispatchEvent(new Event(type, { bubbles: true }));
    // Some pages read it once it is left. The focus itself stays in the field of the calendar, which may close otherwise.
    input.dispatchEvent(new FocusEvent("blur"));
  }

  /**
   * @param {Element} field
   * @returns {string} the selector of the button next to it that may open its calendar; empty if there is none
   */
  function openerOf(field) {
    for (const around of treeAncestors(parentElementOf(field), OPENER_LEVELS)) {
      if (hasOtherField(around, field)) return "";
      const found = queryIn(around, OPENERS).find((one) => !isControl(one) && !holds(one, field) && isOpener(one));
      if (found) return selectorOf(found, allRoots());
    }
    return "";
  }

  /** @param {Element} element */
  function isOpener(element) {
    const named = attributesOf(element);
    const isClearing = [textContentOf(element) ?? "", ...named].some((words) => CLEARING.test(words));
    return isVisible(element) && !isClearing && named.some((words) => OPENING.test(words));
  }

  /**
   * @param {Element} field
   * @returns {Month[]}
   */
  function monthsOpenedFor(field) {
    const before = standing.get(field) ?? [];
    const isOpened = (/** @type {Element[]} */ [first]) =>
      first && (!before.includes(first) || (!behind.has(field) && isOwn(layerOf(first), field)));
    const months = runsOfDays().filter(isOpened).map(monthOf);
    const own = months.filter((one) => one !== null).filter(({ grid }) => !isCutOff(grid));
    for (const layer of own.map(({ grid }) => layerOf(grid))) {
      if (layer) served.set(layer, { field, place: placeOf(layer) });
    }
    return own;
  }

  /**
   * @param {Element | null} layer that was open before the field was filled
   * @param {Element} field
   * @returns {boolean} false if its calendar was that of another field, and has not moved since
   */
  function isOwn(layer, field) {
    const last = layer && served.get(layer);
    if (!last) return layer !== null;
    return [field, ...(periods.get(field) ?? [])].includes(last.field) || placeOf(layer) !== last.place;
  }

  /**
   * @param {Element} layer
   * @returns {string} where it is on the page
   */
  function placeOf(layer) {
    const { x, y } = boxOf(layer);
    return `${Math.round(x + scrollX)} ${Math.round(y + scrollY)}`;
  }

  /** @returns {Element[][]} the days of each month that is drawn */
  function runsOfDays() {
    const isNumber = (/** @type {Element} */ one) => /^\s*\d{1,2}\s*$/u.test(textContentOf(one) ?? "");
    const numbered = allRoots()
      .flatMap((root) => queryAll(root, CELLS))
      .filter((one) => isNumber(one) && !queryIn(one, CELLS).some(isNumber) && isVisible(one));
    /** @type {Element[][]} */
    const runs = [];
    let run = /** @type {Element[]} */ ([]);
    for (const cell of numbered) {
      const number = Number(textContentOf(cell));
      if (number === 1) runs.push((run = [cell]));
      // Between the days there may be the numbers of weeks.
      else if (number === run.length + 1) run.push(cell);
    }
    return runs.filter(({ length }) => length >= FEWEST_DAYS && length <= 31);
  }

  /**
   * @param {Element[]} days
   * @returns {Month | null}
   */
  function monthOf(days) {
    const [first, last] = [days[0], days.at(-1)];
    const grid = first && last && [...treeAncestors(first)].find((one) => holds(one, last));
    if (!grid) return null;
    const labelled = LABELS.map((name) => monthIn(labelOf(first, name))).find(Boolean);
    const layer = layerOf(grid);
    for (const header of treeAncestors(grid, HEADER_LEVELS)) {
      const named = labelled ?? monthIn(textBefore(header, grid));
      if (named && (header === layer || hasIn(header, PRESSABLE))) return { days, grid, header, ...named };
      if (header === layer) break;
    }
    return null;
  }

  /**
   * @param {Element} grid
   * @returns {boolean} whether it lies outside of a box that it may slide into
   */
  function isCutOff(grid) {
    const { left, top, width, height } = boxOf(grid);
    const [x, y] = [left + width / 2, top + height / 2];
    return [...treeAncestors(parentElementOf(grid))].some((one) => {
      if (getComputedStyle(one).overflow === "visible") return false;
      const box = boxOf(one);
      return x < box.left || x > box.right || y < box.top || y > box.bottom;
    });
  }

  /**
   * @param {Element} day
   * @param {string} name of an attribute
   */
  function labelOf(day, name) {
    return [...treeAncestors(day, DAY_LEVELS)].map((one) => attributeOf(one, name)).find(Boolean) ?? "";
  }

  /**
   * @param {Element} around
   * @param {Element} grid in it
   * @returns {string} what stands before the grid; of a field its value
   */
  function textBefore(around, grid) {
    const isPart = (/** @type {Element} */ one) =>
      !holds(one, grid) && !holds(grid, one) && isAfter(grid, one) && isVisible(one);
    const parts = queryIn(around, "*").filter((one) => isPart(one) && tagOf(one) !== "option");
    return parts.map((one) => (isControl(one) ? valueOf(one) : ownTextOf(one))).join(" ");
  }

  /** @param {Element} element */
  function ownTextOf(element) {
    const own = [...childNodesOf(element)].filter(isText);
    return collapse(own.map((text) => textContentOf(text) ?? "").join(" "));
  }

  /**
   * @param {string} text
   * @returns {{year: number, month: number} | null}
   */
  function monthIn(text) {
    const year = Number(text.match(/(?<!\d)(?:19|20)\d\d(?!\d)/gu)?.at(-1));
    if (!year) return null;
    const [, after, before] =
      /\d{4}\s*[-./\u5e74]\s*(\d{1,2})|(?<![-./\d])(\d{1,2})\s*(?:[-./]\s*\d{4}|\u6708)/u.exec(text) ?? [];
    const month = monthNamedIn(text) || Number(after ?? before ?? 0);
    return month >= 1 && month <= MONTHS_A_YEAR ? { year, month } : null;
  }

  /**
   * @param {Element} cell
   * @param {Month} month
   * @returns {boolean} whether it is marked as chosen, unlike nearly all others
   */
  function isChosen(cell, { days, grid }) {
    const isMarked = (/** @type {Element} */ day) =>
      [...treeAncestors(day, DAY_LEVELS)].some(
        (one) =>
          holds(grid, one) &&
          one !== grid &&
          (attributeOf(one, "aria-selected") === "true" || CHOSEN.test(attributeOf(one, "class") ?? "")),
      );
    const marked = days.filter(isMarked);
    return marked.includes(cell) && marked.length <= MOST_CHOSEN;
  }

  /**
   * @param {Month} month the first one that is shown
   * @param {number} distance in months
   * @returns {Element | undefined} what leads nearer
   */
  function turnerOf({ grid, header }, distance) {
    const around = layerOf(grid) ?? header;
    const pressable = queryDrawnIn(around, "*").filter((one) => isPressable(one, grid));
    const named = pressable.filter((one) => wordsOf(one) !== "");
    const isWanted = (/** @type {Element} */ one) => directionOf(one, grid) === Math.sign(distance);
    const all = (named.length ? named : pressable).filter(isWanted);
    const [yearly] = all.filter((one) => YEARLY.test(wordsOf(one)));
    const monthly = all.find((one) => !YEARLY.test(wordsOf(one))) ?? all.find((one) => DOUBLE_SIGN.test(wordsOf(one)));
    return Math.abs(distance) >= MONTHS_A_YEAR ? (yearly ?? monthly) : monthly;
  }

  /**
   * @param {Element} element
   * @param {Element} grid
   */
  function isPressable(element, grid) {
    if (holds(grid, element) || holds(element, grid) || isControl(element) || isDisabled(element)) return false;
    const parent = parentElementOf(element);
    const isDrawnSo = (/** @type {Element} */ one) => getComputedStyle(one).cursor === "pointer";
    const isPart = parent !== null && isDrawnSo(parent) && !leadsBothWays(parent);
    const isDrawnAsButton = isDrawnSo(element) && !isPart && !leadsBothWays(element);
    return (isMatch(element, PRESSABLE) || isDrawnAsButton) && isVisible(element);
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it is a row that sets the cursor for the buttons in it
   */
  function leadsBothWays(element) {
    const words = queryIn(element, "*").map(wordsOf);
    return [BACK, FORTH].every((direction) => words.some((one) => direction.test(one)));
  }

  /**
   * @param {Element} element
   * @param {Element} grid
   * @returns {number} -1 for back, 1 for forth, and 0 if it is neither
   */
  function directionOf(element, grid) {
    const words = wordsOf(element);
    const [isBack, isForth] = [BACK.test(words), FORTH.test(words)];
    if (isBack !== isForth) return isForth ? 1 : -1;
    const [own, days] = [boxOf(element), boxOf(grid)];
    // The place of an icon above the days may be all that there is.
    if (own.bottom > days.top + 1 || /[\p{L}\p{N}]/u.test(textContentOf(element) ?? "")) return 0;
    return Math.sign(own.left + own.width / 2 - (days.left + days.width / 2));
  }

  /**
   * @param {Element} element
   * @returns {string} what names its purpose: its text, or that of its attributes, also of the icon in it
   */
  function wordsOf(element) {
    const text = collapse(textContentOf(element) ?? "");
    return [text, ...attributesOf(element)].find(isTelling) ?? "";
  }

  /**
   * @param {Element} element
   * @returns {string[]} of it and of the icon in it
   */
  function attributesOf(element) {
    const named = [element, ...queryIn(element, "*")].slice(0, 3);
    return named.flatMap((one) => NAMES.map((name) => attributeOf(one, name) ?? ""));
  }

  /** @param {string} words */
  function isTelling(words) {
    return BACK.test(words) || FORTH.test(words);
  }

  /**
   * @param {Element} element
   * @returns {Element | null} the layer over the page that it is in
   */
  function layerOf(element) {
    return closestOf(element, LAYERS) ?? [...treeAncestors(element)].findLast(isPositioned) ?? null;
  }

  return { begin, openerOf, readCalendar, setTime };
})();
