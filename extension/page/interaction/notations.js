"use strict";

// Other notations of a date, a time or a number, for fields that accept only their own.

/** @typedef {{day: number[], date: string, clock: number[]}} Moment `day`: year, month, day; `date`: as it was given; `clock`: hour, minute, second; each of them empty if it is not known */
/** @typedef {{text: string, day: string}} Sample a text that shows how the field writes dates and times; `day`: the one that it names, such as 2026-03-05, or empty if that is not known */

const notations = (() => {
  const { dayIn, timeOfDay } = sameValues;

  /** A date before a time, or a time alone. */
  const PARTS = /^(?:(\S.*?)(?:T|,? ))?(\d{1,2}:\d\d(?::\d\d)?(?: ?[ap]\.?m\.?)?)$/iu;
  /** A date as a field holds it, and as its placeholder or its blanks describe it. */
  const DATE = /(?<![\d\p{L}])(\d{4}|\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{1,2})(?!\d)/u;
  const DATE_PATTERN = /(?<![\p{L}_])(\p{L}{1,5}|__)([-/.])(\p{L}{1,5}|__)\2(\p{L}{1,5}|_{4})(?![\p{L}_])/u;
  const TIME = /(?<!\d)(\d{1,2}):\d\d(:\d\d)?(\s*)([ap]\.?m\b\.?)?/iu;
  const TIME_PATTERN = /(?<!\p{L})(hh?|hour):(?:mm|minute)(:ss|:second)?(\s*)(am\/pm|aa?|tt)?(?!\p{L})/iu;
  const MONTH = /^(\d{4})-(\d\d)$/u;
  const DECIMAL = /^[-+]?\d+\.\d+$/u;
  const YEAR_LENGTH = 4;
  const LAST_MONTH = 12;

  /**
   * @param {string} text
   * @param {Sample[]} samples
   * @returns {{own: string[], general: string[]}} other texts for the same date or time, as the samples are, and with other
   *   notations of the time, or of a month alone; or for the same number
   */
  function otherNotations(text, samples) {
    if (DECIMAL.test(text.trim())) return { own: [text.replace(".", ",")], general: [] };
    const [, year, month] = MONTH.exec(text.trim()) ?? [];
    if (year) return { own: [], general: [`${month}/${year}`, `${month}.${year}`] };
    const [, date = "", time = ""] = PARTS.exec(text.trim()) ?? ["", text];
    const day = dayIn(date) ? dayIn(date).split("-").map(Number) : [];
    const clock = time ? timeOfDay(time).split(":").map(Number) : [];
    if (!day.length && !clock.length) return { own: [], general: [] };
    const moment = { day, date, clock };
    const own = samples.map((one) => likeSample(one, moment)).filter(Boolean);
    const general = clock.length ? clocksOf(clock).map((one) => `${date} ${one}`.trim()) : [];
    return { own: own.includes(text) ? [] : own, general };
  }

  /**
   * @param {Sample} sample
   * @param {Moment} moment
   * @returns {string} the moment in the notation of the sample; empty if that is not clear
   */
  function likeSample(sample, { day, date, clock }) {
    const dated = DATE.exec(sample.text) ?? DATE_PATTERN.exec(sample.text);
    const timed = TIME.exec(sample.text) ?? TIME_PATTERN.exec(sample.text);
    const known = sample.day.split("-").map(Number);
    if (!(dated || timed) || Boolean(dated) !== (date !== "") || (timed && !clock.length)) return "";
    const newDate = dated && day.length ? dateLike(dated, day, known) : date;
    if (dated && !newDate) return "";
    const newTime = timed ? timeLike(timed, clock) : clock.length ? clocksOf(clock)[0] : "";
    const between = dated && timed ? sample.text.slice(dated.index + dated[0].length, timed.index) : "";
    return `${newDate}${/^[ ,T]+$/u.test(between) ? between : " "}${newTime}`.trim();
  }

  /**
   * @param {RegExpExecArray} match of a date
   * @param {number[]} wanted
   * @param {number[]} known
   * @returns {string} empty if it is not clear whether its day or its month comes first
   */
  function dateLike([, first = "", separator = "", second = "", third = ""], [year = 0, month = 0, day = 0], known) {
    const isYearFirst = first.length === YEAR_LENGTH;
    if (isYearFirst === (third.length === YEAR_LENGTH)) return "";
    const pair = isYearFirst ? [second, third] : [first, second];
    // A year after two dots follows the month in all languages.
    const isDayFirst = startsWithDay(pair, known) ?? (isYearFirst ? false : separator === "." || null);
    if (isDayFirst === null) return "";
    const length = pair.every((one) => one.length === 2) ? 2 : 1;
    const parts = (isDayFirst ? [day, month] : [month, day]).map((part) => String(part).padStart(length, "0"));
    return (isYearFirst ? [year, ...parts] : [...parts, year]).join(separator);
  }

  /**
   * @param {string[]} pair a day and a month in either order: numbers, or words
   * @param {number[]} known the year, month and day in it, if they are known
   * @returns {boolean | null} null if it is not clear
   */
  function startsWithDay([first = "", second = ""], [, month, day]) {
    if (/^\D/u.test(first)) return /^m/iu.test(first) !== /^m/iu.test(second) ? /^m/iu.test(second) : null;
    const [one, other] = [Number(first), Number(second)];
    if (one > LAST_MONTH || other > LAST_MONTH) return one > LAST_MONTH;
    if (one === other || !(month === one || month === other) || !(day === one || day === other)) return null;
    return one === day;
  }

  /**
   * @param {RegExpExecArray} match of a time
   * @param {number[]} clock
   */
  function timeLike([, start = "", second = "", space = "", half = ""], clock) {
    const isPadded = !half || (start.length === 2 && /^[0h]/iu.test(start));
    const sign = /^[ap]\.?m\b(?!\/)/iu.test(half) ? half : "AM";
    return clockText(clock, { isPadded, hasSeconds: second !== "", half: half && space + sign });
  }

  /**
   * @param {number[]} clock
   * @returns {string[]} the notations of a time that fields accept
   */
  function clocksOf(clock) {
    const whole = clockText(clock, { isPadded: true, hasSeconds: true, half: "" });
    const halves = [" AM", " am"].map((half) => clockText(clock, { isPadded: false, hasSeconds: false, half }));
    const padded = clockText(clock, { isPadded: true, hasSeconds: false, half: " AM" });
    return [whole.slice(0, -3), whole, ...halves, padded];
  }

  /**
   * @param {number[]} clock
   * @param {{isPadded: boolean, hasSeconds: boolean, half: string}} notation `half`: such as " AM", or empty
   */
  function clockText([hour = 0, minute = 0, second = 0], { isPadded, hasSeconds, half }) {
    const padded = (/** @type {number} */ part) => String(part).padStart(2, "0");
    const hours = half ? hour % 12 || 12 : hour;
    const letters = half.replace(/[ap]/iu, (letter) => (letter < "a" ? "AP" : "ap").charAt(hour < 12 ? 0 : 1));
    return `${isPadded ? padded(hours) : hours}:${padded(minute)}${hasSeconds ? `:${padded(second)}` : ""}${letters}`;
  }

  return { otherNotations };
})();
