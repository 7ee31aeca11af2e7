"use strict";

// Whether a field contains what was written into it, in its own notation.

const sameValues = (() => {
  const MONTH = /^\d{4}-\d\d$/u;
  const DAY = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ]+([01]?\d|2[0-3]):([0-5]\d)(?::\d\d)?)?$/u;
  const TIME = /^(\d{1,2}):(\d\d)(?::(\d\d))?(?:\s?([ap])\.?m\.?)?$/iu;
  /** After a day, a field may also show a time, and after a time its seconds. */
  const CLOCK = /\b\d{1,2}:\d\d(?::\d\d)?(?:\s?[ap]\.?m\b\.?)?/iu;
  const NO_SECONDS = /(?<=:\d\d):00\b/u;
  /** The separator between the start and the end of a period. */
  const PERIOD = /\s+(?:[-–—~→]|to)(?:\s+|$)/u;
  /** A date whose month may be its first or its second number. */
  const UNCLEAR = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4})(?!\d)/u;
  /** A mail address in a list of these, perhaps after the name of its owner. */
  const ADDRESS =
    /\s*(?:(?:"[^"]*"|[^<>",;@]*)<([^\s<>",;@]+@[^\s<>",;@]+)>|([^\s<>",;@]+@[^\s<>",;@]+))\s*(?:[,;]\s*|$)/guy;
  const MONTHS = Array.from({ length: 12 }, (_, month) => month);
  /** A component may have a language of its own; no long name of a month is that of another one in these. */
  const OTHER_LANGUAGES = "cs da de el es fi fr hu id it nb nl pl pt ro ru sv tr uk".split(" ");
  /** @type {Map<string, string[]>} names of months by language and width */
  const monthNames = new Map();

  /** @param {string} text */
  function isNumber(text) {
    return /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/iu.test(text.trim());
  }

  /**
   * @param {string} held
   * @param {string} text
   * @returns {boolean} whether the two differ only by characters that a field's formatting adds or removes, or are the
   *   same time of day, or the same mail addresses
   */
  function isSame(held, text) {
    if (isSameTime(held, text) || isSameAddresses(held, text)) return true;
    return /[\p{L}\p{N}]/u.test(text)
      ? essenceOf(held) === essenceOf(text)
      : held.replace(/\s/gu, "") === text.replace(/\s/gu, "");
  }

  /**
   * @param {string} held
   * @param {string} text
   * @returns {boolean} whether both are the same time of day
   */
  function isSameTime(held, text) {
    return timeOfDay(text) !== "" && timeOfDay(held) === timeOfDay(text);
  }

  /**
   * @param {string} text
   * @returns {string} the time of day that it is, such as 14:30:00; empty if it is not one
   */
  function timeOfDay(text) {
    const [, hour = "", minute = "", second = "00", half = ""] = TIME.exec(text.trim()) ?? [];
    const base = half ? Number(hour) % 12 : Number(hour);
    return hour && `${base + (/^p/iu.test(half) ? 12 : 0)}:${minute}:${second}`;
  }

  /**
   * @param {string} held
   * @param {string} text
   * @returns {boolean} whether both are the same mail addresses, which fields write with the names of their owners
   */
  function isSameAddresses(held, text) {
    const [wanted, own] = [text, held].map(addressesIn);
    return wanted !== "" && wanted === own;
  }

  /**
   * @param {string} text
   * @returns {string} the mail addresses that it is a list of; empty if it is something else
   */
  function addressesIn(text) {
    const found = [...text.matchAll(ADDRESS)];
    const isList = found.reduce((length, [whole]) => length + whole.length, 0) === text.length;
    return isList ? found.map(([, named = "", bare = ""]) => (named || bare).toLowerCase()).join() : "";
  }

  /**
   * @param {string} value
   * @returns {string} its letters and digits
   */
  function essenceOf(value) {
    return (value.normalize("NFC").match(/[\p{L}\p{N}]/gu) ?? []).join("").toLowerCase();
  }

  /**
   * @param {string} held
   * @param {string} text
   * @returns {boolean | null} whether both are the same number, which fields write with separators and units; null if
   *   one of them is not a single number
   */
  function isSameNumber(held, text) {
    const wanted = isNumber(text) ? text : withPoint(text);
    if (!wanted) return null;
    const [number, ...others] = held.replace(/\u2212/gu, "-").match(/[-+]?\d[\d.,'\u00a0\u202f]*/gu) ?? [];
    if (number === undefined || others.length) return null;
    const plain = number.replace(/['\u00a0\u202f]|[.,]$/gu, "");
    const readings = [plain.replaceAll(",", ""), plain.replaceAll(".", "").replace(",", ".")];
    return readings.some((reading) => Number(reading) === Number(wanted));
  }

  /**
   * @param {string} text
   * @returns {string} the number with a decimal comma that it is, with a point instead; empty if it is not one beyond doubt:
   *   three digits may be thousands
   */
  function withPoint(text) {
    const isDecimal = /^[-+]?(?:\d+|\d{1,3}(?:[.'\s]\d{3})+),(?:\d\d?|\d{4,})$/u.test(text.trim());
    return isDecimal ? text.replace(/[.'\s]/gu, "").replace(",", ".") : "";
  }

  /**
   * @param {string} text
   * @returns {string} the day that it names beyond doubt, such as 2026-03-05; empty if it does not
   */
  function dayIn(text) {
    const [, year, month = "", day = ""] = DAY.exec(text.trim()) ?? [];
    return year ? [year, month.padStart(2, "0"), day.padStart(2, "0")].join("-") : "";
  }

  /**
   * @param {string} text
   * @returns {string[]} the days that it may name, such as 2026-03-05
   */
  function daysIn(text) {
    const [, one = "", , other = "", year = ""] = UNCLEAR.exec(text.trim()) ?? [];
    const readings = [`${year}-${one}-${other}`, `${year}-${other}-${one}`];
    return (year ? readings : [text]).map(dayIn).filter(Boolean);
  }

  /**
   * @param {string} text
   * @returns {string} the time that it names after such a day, such as 09:30; empty if it does not
   */
  function timeIn(text) {
    const [, , , , hour = "", minute = ""] = DAY.exec(text.trim()) ?? [];
    return hour && `${hour.padStart(2, "0")}:${minute}`;
  }

  /**
   * @param {string} text preferably in the language of the page or of the browser, or in English
   * @returns {number} the last month whose name it contains, from 1; 0 if there is none
   */
  function monthNamedIn(text) {
    const words = text.toLowerCase();
    const likely = [document.documentElement.lang, navigator.language, "en"].filter(Boolean);
    // The short name of a month may be that of a day, or a word of another language.
    const long = (/** @type {string} */ language) => namesOf(language, "long");
    const short = (/** @type {string} */ language) => namesOf(language, "short");
    for (const names of [likely.map(long), likely.map(short), OTHER_LANGUAGES.map(long)].flat()) {
      const places = names.map((name) => words.search(wordPattern(name)));
      const last = Math.max(...places);
      if (last >= 0) return places.indexOf(last) + 1;
    }
    return 0;
  }

  /**
   * @param {string} language
   * @param {"long" | "short"} width
   * @returns {string[]} the names of the months
   */
  function namesOf(language, width) {
    const key = `${language} ${width}`;
    const known = monthNames.get(key) ?? MONTHS.map((month) => nameOf(month, language, width));
    monthNames.set(key, known);
    return known;
  }

  /**
   * @param {number} month from 0
   * @param {string} language as the page writes it, perhaps wrongly
   * @param {"long" | "short"} width
   */
  function nameOf(month, language, width) {
    const [known = "en"] = /^[a-z]{2,3}(?:-[A-Za-z]{2,4})?$/u.test(language) ? [language] : [];
    return new Date(2026, month, 1).toLocaleDateString(known, { month: width }).toLowerCase().replace(/\.$/u, "");
  }

  /** @param {string} name a word, perhaps with a number before or after it, which is not part of a longer one */
  function wordPattern(name) {
    const word = name.replace(/[^\p{L}\p{N}]/gu, ".");
    // The word after a year and before a day may be a single letter, without spaces.
    if (/^\d/u.test(name)) return new RegExp(`(?<!\\d)${word}`, "u");
    return new RegExp(`(?<!\\p{L})${word}(?!${/\d$/u.test(name) ? "\\d" : "\\p{L}"})`, "u");
  }

  /**
   * @param {string} shown
   * @param {string} text
   * @returns {boolean} whether both are the same day or month, which fields write in many orders, and the same time, if
   *   the text has one
   */
  function isSameDate(shown, text) {
    const held = shown.replace(text.includes(":") ? NO_SECONDS : CLOCK, "").trim();
    const numbersIn = (/** @type {string} */ value) => (value.match(/\d+/gu) ?? []).map(Number).sort((a, b) => a - b);
    const wanted = numbersIn(text);
    const isMonth = MONTH.test(text);
    if (wanted.length < 3 && !isMonth) return false;
    const own = new Date(held);
    // A time after it is read only in one notation.
    const days = text.includes(":") ? [dayIn(text)] : daysIn(text);
    const isSameDay = (isMonth ? [`${text}-01`] : days).some((day) => {
      const other = new Date(`${day}T00:00`);
      if (!isMonth) return own.toDateString() === other.toDateString();
      return own.getMonth() === other.getMonth() && own.getFullYear() === other.getFullYear();
    });
    const time = timeIn(text);
    if (isSameDay && !Number.isNaN(own.getTime())) return time === "" || time === own.toTimeString().slice(0, 5);
    if (String(numbersIn(held)) === String(wanted)) return true;
    if (time) return false;
    const [year = 0, month = 0, day = 0] = dayIn(text).split("-").map(Number);
    const rest = monthNamedIn(held) === month ? [day] : [month, day];
    const forms = [year, year % 100].map((one) => String([one, ...rest].sort((a, b) => a - b)));
    return day > 0 && forms.includes(String(numbersIn(held)));
  }

  /**
   * @param {string} held
   * @param {string} text
   * @returns {boolean} whether both are the same number, text, date or time, each in its own notation
   */
  function isSameValue(held, text) {
    const isAlike = isSame(held, text) && !isRegrouped(held, text);
    return isSameNumber(held, text) ?? isSamePeriod(held, text) ?? (isAlike || isSameDate(held, text));
  }

  /**
   * @param {string} held
   * @param {string} text
   * @returns {boolean | null} whether both are the same two days in the same order; null if one of them is not a period
   */
  function isSamePeriod(held, text) {
    const [own = [], wanted = []] = [held, text].map((value) => value.split(PERIOD));
    if (own.length !== 2 || wanted.length !== 2 || !wanted.every(dayIn)) return null;
    return wanted.every((one, index) => isSameDate(own[index] ?? "", one));
  }

  /**
   * @param {string} held
   * @param {string} text
   * @returns {boolean} whether the digits of a day make other numbers: a mask may take those of the year for the day
   */
  function isRegrouped(held, text) {
    const [own, wanted] = [held, text].map((value) => value.match(/\d+/gu) ?? []);
    return dayIn(text) !== "" && own?.length === wanted?.length && String(own) !== String(wanted);
  }

  /**
   * @param {string} held
   * @param {string} text
   * @param {string} mask what the field held before, such as "+1 (___) ___-____"
   * @returns {boolean} whether the text is what has been put into the blanks
   */
  function isInMask(held, text, mask) {
    const blanks = [...mask].map((char) => char === "_");
    const isFilled = [...held].every((char, place) => blanks[place] || char === mask[place]);
    const put = [...held].filter((_char, place) => blanks[place]).join("");
    return isFilled && blanks.includes(true) && held.length === mask.length && essenceOf(put) === essenceOf(text);
  }

  return {
    PERIOD,
    dayIn,
    daysIn,
    essenceOf,
    isInMask,
    isNumber,
    isSame,
    isSameNumber,
    isSameTime,
    isSameValue,
    monthNamedIn,
    timeIn,
    timeOfDay,
  };
})();
