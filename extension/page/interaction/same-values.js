"use strict";

// Whether a field contains what was written into it, in its own notation.

const sameValues = (() => {
  const MONTH = /^\d{4}-\d\d$/u;

  /** @param {string} text */
  function isNumber(text) {
    return /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/iu.test(text.trim());
  }

  /**
   * @param {string} held
   * @param {string} text
   * @returns {boolean} whether the two differ only by characters that a field's formatting adds or removes
   */
  function isSame(held, text) {
    return /[\p{L}\p{N}]/u.test(text)
      ? essenceOf(held) === essenceOf(text)
      : held.replace(/\s/gu, "") === text.replace(/\s/gu, "");
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
    if (!isNumber(text)) return null;
    const [number, ...others] = held.replace(/\u2212/gu, "-").match(/[-+]?\d[\d.,'\u00a0\u202f]*/gu) ?? [];
    if (number === undefined || others.length) return null;
    const plain = number.replace(/['\u00a0\u202f]|[.,]$/gu, "");
    const readings = [plain.replaceAll(",", ""), plain.replaceAll(".", "").replace(",", ".")];
    return readings.some((reading) => Number(reading) === Number(text));
  }

  /**
   * @param {string} held
   * @param {string} text
   * @returns {boolean} whether both are the same day or month, which fields write in many orders
   */
  function isSameDate(held, text) {
    const numbersIn = (/** @type {string} */ value) => (value.match(/\d+/gu) ?? []).map(Number).sort((a, b) => a - b);
    const wanted = numbersIn(text);
    const isMonth = MONTH.test(text);
    if (wanted.length < 3 && !isMonth) return false;
    const [own, other] = [new Date(held), new Date(`${isMonth ? `${text}-01` : text.slice(0, 10)}T00:00`)];
    const isSameDay = isMonth
      ? own.getMonth() === other.getMonth() && own.getFullYear() === other.getFullYear()
      : own.toDateString() === other.toDateString();
    return (isSameDay && !Number.isNaN(own.getTime())) || String(numbersIn(held)) === String(wanted);
  }

  return { essenceOf, isNumber, isSame, isSameDate, isSameNumber };
})();
