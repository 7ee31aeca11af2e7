"use strict";

// Sliders, spin buttons, and dates made of these: their values and limits; the worker sets them
// (commands/number-widget.js).

const numberFields = (() => {
  const { attributeOf, boxOf, holds, isContentEditable, isControl, parentElementOf, queryIn, treeAncestors } = dom;
  const { collapse, shorten, visibleTextOf } = texts;
  const { isVisible } = geometry;

  const DATE_PARTS = /** @type {const} */ (["year", "month", "day", "hour", "minute", "second"]);
  const HALF = /^[ap]m$/iu;
  const SEGMENTS = "[role='spinbutton']:not(:has(input))";
  /** Minimum ratio of a track's length to its thumb's width. */
  const TRACK_FACTOR = 3;
  /** Elements around a thumb that may be its track. */
  const TRACK_LEVELS = 3;

  /**
   * @param {Element} group
   * @returns {Element[]} spin buttons for the year, the month and so on; one around a text field is a field of its own
   */
  function segmentsIn(group) {
    return queryIn(group, SEGMENTS).filter((one) => !isControl(one) && isVisible(one));
  }

  /**
   * @param {Element} field a group of segments, or one of them
   * @returns {Element} the group
   */
  function groupOf(field) {
    return [...treeAncestors(field)].find((one) => segmentsIn(one).length > 1) ?? field;
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
    if (type === "dayPeriod" || most === 1 || HALF.test(collapse(visibleTextOf(segment)))) return "half";
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
    const drawn = native ? native.value : collapse(visibleTextOf(field));
    const text = attributeOf(field, "aria-valuetext") ?? drawn;
    const isTyped = isContentEditable(field);
    const now = valueOf(field) ?? (native ? null : numberIn(text));
    return {
      isNative: native !== null,
      isTyped,
      now: isTyped && isBlank(drawn, text) ? null : now,
      text: shorten(text),
      min: native ? Number(native.min || 0) : read("aria-valuemin"),
      max: native ? Number(native.max || 100) : read("aria-valuemax"),
      step: native ? Number(native.step) || 1 : null,
      ...roomOf(field),
    };
  }

  /**
   * @param {Element} field
   * @returns {number | null}
   */
  function valueOf(field) {
    const isNative = isControl(field);
    return numberIn(isNative ? /** @type {HTMLInputElement} */ (field).value : attributeOf(field, "aria-valuenow"));
  }

  /**
   * @param {Element} thumb
   * @returns {Pick<NumberState, "low" | "high">} the values of the thumbs before and after it on the same track, if these
   *   are in order: beyond them a page moves the other thumb, too, or exchanges the two
   */
  function roomOf(thumb) {
    const track = trackOf(thumb);
    const all = track && isNarrow(track, thumb) ? queryIn(track, "[role='slider'], input[type='range']") : [];
    // A thumb may contain a field for its value.
    const thumbs = all.filter((one) => one === thumb || !(holds(one, thumb) || holds(thumb, one)));
    const values = thumbs.map(valueOf);
    const isInOrder = values.every((value, index) => index === 0 || Number(value) >= Number(values[index - 1]));
    const at = isInOrder ? thumbs.indexOf(thumb) : -1;
    return at < 0 ? { low: null, high: null } : { low: values[at - 1] ?? null, high: values[at + 1] ?? null };
  }

  /**
   * @param {string} drawn such as yyyy
   * @param {string} text such as Empty; of a month, its name
   * @returns {boolean} whether a segment shows that it is empty, whatever number it will start from
   */
  function isBlank(drawn, text) {
    return !/\p{N}/u.test(drawn + text) && !text.startsWith(drawn) && !drawn.startsWith(text);
  }

  /** @param {string | null} text */
  function numberIn(text) {
    const value = text?.trim() ? Number(text) : NaN;
    return Number.isFinite(value) ? value : null;
  }

  /**
   * @param {Element} track
   * @param {Element} thumb
   * @returns {boolean} false if it has room for more than one track, or if the slider is its own track
   */
  function isNarrow(track, thumb) {
    const [outer, { width, height }] = [boxOf(track), boxOf(thumb)];
    const isSmall = width <= TRACK_FACTOR * height && height <= TRACK_FACTOR * width;
    return isSmall && (outer.width <= TRACK_FACTOR * width || outer.height <= TRACK_FACTOR * height);
  }

  /**
   * @param {Element} thumb
   * @returns {Element | null} what it slides along: not the part of that which shows its value
   */
  function trackOf(thumb) {
    const { width, height } = boxOf(thumb);
    /** @type {Element[]} */
    const long = [];
    // It is looked at while the thumb moves, so no further than needed.
    for (const one of treeAncestors(parentElementOf(thumb))) {
      const box = boxOf(one);
      if (box.width <= TRACK_FACTOR * width && box.height <= TRACK_FACTOR * height) continue;
      if (isAtValue(thumb, one)) return one;
      if (long.push(one) === TRACK_LEVELS) break;
    }
    return long[0] ?? null;
  }

  /**
   * @param {Element} thumb
   * @param {Element} track
   * @returns {boolean} whether it is where its value is, in either direction; true if its limits are not known
   */
  function isAtValue(thumb, track) {
    const [now, min, max] = ["now", "min", "max"].map((name) => numberIn(attributeOf(thumb, `aria-value${name}`)));
    const [own, whole] = [boxOf(thumb), boxOf(track)];
    const isUpright = whole.height > whole.width;
    const length = isUpright ? whole.height : whole.width;
    const at = isUpright ? whole.bottom - own.top - own.height / 2 : own.left + own.width / 2 - whole.left;
    const part = (Number(now) - Number(min)) / (Number(max) - Number(min));
    const isNear = (/** @type {number} */ share) =>
      Math.abs(at - share * length) <= (isUpright ? own.height : own.width);
    return !Number.isFinite(part) || isNear(part) || isNear(1 - part);
  }

  /**
   * @param {Element} thumb
   * @returns {{thumb: Box, track: Box} | null} in its frame's viewport
   */
  function readTrack(thumb) {
    const track = trackOf(thumb);
    const plain = (/** @type {Element} */ one) => {
      const { x, y, width, height } = boxOf(one);
      return { x, y, width, height };
    };
    return track && { thumb: plain(thumb), track: plain(track) };
  }

  return { groupOf, readNumber, readSegments, readTrack, segmentsIn };
})();
