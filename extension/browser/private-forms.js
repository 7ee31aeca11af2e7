/**
 * Private values that are recognizable by their form: e-mail addresses, payment cards, IBANs, national ids, IP
 * addresses, phone numbers, tokens, private keys.
 *
 * Texts are hostile: each pattern is bounded, or can start only where it could not have started one character before,
 * so that none scans a text more than a fixed number of times.
 */

import { parsePhoneNumberFromString } from "../vendor/libphonenumber.js";

/** @import {CountryCode} from "../vendor/libphonenumber.js" */

/** @typedef {(text: string, kind: string) => string} Redact returns the replacement for a private text */

const SHORTEST_TOKEN = "sk-123456789012".length;
const SHORTEST_NUMBER = "1.1.1.1".length;
/** Looks behind from the @ sign: searching for the start would scan each text up to 64 times. */
const EMAIL = /(?=@|%40)(?<=([\p{L}\p{N}_.%+-]{1,64}))(?:@|%40)[\p{L}\p{N}_-]{1,63}(?:\.[\p{L}\p{N}_-]{1,63}){1,8}/gu;
const CARD = /(?<![\d.])\d(?:[ -]?\d){12,18}(?![\d.])/g;
const CARD_NUMBER = /^(?:4\d{12}(?:\d{3}){0,2}|3\d{13,15}|2[2-7]\d{14}|[56]\d{12,18})$/;
const IBAN =
  /(?<![A-Za-z\d])(?:[A-Za-z]{2}\d{2}[A-Za-z\d]{11,30}|[A-Z]{2}\d{2}(?: [A-Z\d]{4}){2,7}(?: [A-Z\d]{1,4})?)(?![A-Za-z\d])/g;
const SSN = /(?<![\w.-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])/g;
/** @type {[RegExp, (found: string) => boolean][]} national ids of China, Spain, Italy, Brazil */
const NATIONAL_IDS = [
  [/(?<![\w.-])[1-9]\d{5}(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dXx](?![\w-])/g, isChineseId],
  [/(?<![\w.-])(?:\d{8}|[XYZ]\d{7})[A-Z](?![\w-])/g, isSpanishId],
  [/(?<![\w.-])[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z](?![\w-])/g, () => true],
  [/(?<![\w.-])\d{3}\.\d{3}\.\d{3}-\d{2}(?![\w-])/g, isBrazilianId],
];
const IPV4 = /(?<![\w./-])(?:\d{1,3}\.){3}\d{1,3}(?![\w-]|\.\d)/g;
const IPV6 = /(?<![\w:.])(?:[\da-f]{0,4}:){2,7}[\da-f]{0,4}(?![\w:.])/gi;
const TOKENS = [
  /\b[Bb]earer\s+[\w.~+/=-]{8,}/g,
  // A lookahead with a group matches once and never backtracks.
  /(?<![\w-])(?=[\w-]*?\beyJ[\w-]{5})(?=([\w-]+))\1\.[\w-]{5,}\.[\w-]*/g,
  /\b(?:sk|pk|rk|gh[oprsu]|github_pat|glpat|npm|xox[a-z])[_-][\w-]{12,}/g,
  /\b(?:AKIA|ASIA|AIza|ya29\.|SG\.)[\w-]{12,}/g,
  /\b(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z\d_]{32,}\b/g,
];
const PEM = /-----BEGIN (?:[A-Z\d]{1,20} ){0,3}(?:PRIVATE KEY|KEY BLOCK|MESSAGE)(?: BLOCK)?-----/g;
const PEM_BEGIN = "-----BEGIN ";
const PEM_END = "-----END ";
// Also as written in East Asia and in Arabic and Persian.
const DIGIT = "\\d\\uff10-\\uff19\\u0660-\\u0669\\u06f0-\\u06f9";
/** Up to six groups of digits; if they are not one number together, they may be several. */
const PHONE = new RegExp(
  `(?<![\\p{L}${DIGIT}_.,:/#+-])(?:[+\uff0b]\\s?)?\\(?[${DIGIT}]{1,15}(?:[\\s()./-]{1,3}[${DIGIT}]{1,15}){0,6}(?![\\p{L}${DIGIT}_]|[.,:-][${DIGIT}])`,
  "gu",
);
const GROUP = /\s+(?=(.?.?.?))/g;
const BEGINS_NUMBER = /^(?:[+(\uff0b]|0\d\d)/;
const DATE_OR_RANGE =
  /^(?:\d{4}[./-]\d{1,2}[./-]\d{1,2}|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|(?:19|20)\d{2}[ ./-]+(?:19|20)\d{2}(?!\d))|^\d+\.\d+$|^\d{8,}[.-]\d{8,}$/;
const NORTH_AMERICAN = /^(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[.-])\d{3}[ .-]\d{4}$/;
/** Countries with a leading 0, where a number may be written without its country code. @type {CountryCode[]} */
const COUNTRIES_WITH_0 = ["DE", "GB", "FR", "NL", "JP", "IT", "AT", "CH", "AU", "CN"];
const HAS_DIGIT = new RegExp(`[${DIGIT}]`);
const MIN_DIGITS = 7;
const MAX_DIGITS = 15;
/** A library call takes some 20 µs: after this many, every text that looks like a phone number is treated as one. */
const MAX_CHECKS = 1_000;

/** Recognizes private values by form, in one reply. */
export class PrivateForms {
  #redact;
  #countries;
  /** @type {Map<string, boolean>} */
  #phones = new Map();
  #checks = 0;

  /**
   * @param {Redact} redact
   * @param {Set<string>} countries of the page, as ISO 3166 codes; more may be added
   */
  constructor(redact, countries) {
    this.#redact = redact;
    this.#countries = countries;
  }

  /**
   * @param {string} text
   * @param {{isText?: boolean, isNumbered?: boolean}} [key] what the key above it indicates
   */
  all(text, { isText = false, isNumbered = false } = {}) {
    let shown = text.includes(PEM_BEGIN) ? this.#pem(text) : text;
    if (text.length >= SHORTEST_TOKEN) for (const token of TOKENS) shown = this.#replaced(shown, token, "token");
    shown = this.emails(shown);
    if (text.length < SHORTEST_NUMBER || !HAS_DIGIT.test(shown)) return shown;
    shown = this.#ibans(shown);
    shown = this.#replaced(shown, CARD, "card", (found) => isCard(found.replace(/[ -]/g, "")));
    shown = this.#replaced(shown, SSN, "ssn");
    for (const [pattern, proves] of NATIONAL_IDS) shown = this.#replaced(shown, pattern, "id", proves);
    shown = this.#replaced(shown, IPV4, "ip", isIpv4);
    shown = this.#replaced(shown, IPV6, "ip", isIpv6);
    return this.#withoutPhones(shown, isText, isNumbered);
  }

  /**
   * @param {string} text
   * @param {boolean} isText
   * @param {boolean} isNumbered
   */
  #withoutPhones(text, isText, isNumbered) {
    let shown = "";
    let end = 0;
    PHONE.lastIndex = 0;
    for (let found = PHONE.exec(text); found; found = PHONE.exec(text)) {
      const [groups] = found;
      const isAmongWords = isText || groups.length < text.length;
      const phone = numbersIn(groups).find((part) => this.#isPhone(part, isAmongWords, isNumbered));
      if (phone) {
        shown += text.slice(end, found.index) + this.#redact(phone, "phone");
        end = found.index + phone.length;
      }
      PHONE.lastIndex = found.index + (phone ?? /^\S+\s?/.exec(groups)?.[0] ?? groups).length;
    }
    return shown + text.slice(end);
  }

  /** @param {string} text */
  emails(text) {
    if (!text.includes("@") && !text.includes("%40")) return text;
    let shown = "";
    let end = 0;
    for (const { 0: domain, 1: local = "", index } of text.matchAll(EMAIL)) {
      const email = local + domain;
      shown += text.slice(end, Math.max(end, index - local.length)) + this.#redact(email, "email");
      end = index + domain.length;
    }
    return shown + text.slice(end);
  }

  /** @param {string} text */
  #pem(text) {
    let shown = "";
    let end = 0;
    for (const { index } of text.matchAll(PEM)) {
      if (index < end) continue;
      shown += text.slice(end, index) + this.#redact("", "secret");
      const foot = text.indexOf(PEM_END, index);
      const after = foot < 0 ? -1 : text.indexOf("-----", foot + PEM_END.length);
      end = after < 0 ? text.length : after + "-----".length;
    }
    return shown + text.slice(end);
  }

  /** @param {string} text */
  #ibans(text) {
    return text.replace(IBAN, (found) => {
      if (isIban(found)) return this.#redact(found, "iban");
      // The last group may be the word that follows.
      const end = found.lastIndexOf(" ");
      const first = found.slice(0, Math.max(end, 0));
      return isIban(first) ? this.#redact(first, "iban") + found.slice(end) : found;
    });
  }

  /**
   * @param {string} found text that looks like a number
   * @param {boolean} isText whether it is among words, or under a key for text
   * @param {boolean} isNumbered whether the key indicates a number or an id
   */
  #isPhone(found, isText, isNumbered) {
    const text = found.normalize("NFKC").replace(/\s/g, " ");
    const digits = text.replace(/\D/g, "");
    if (digits.length < MIN_DIGITS || digits.length > MAX_DIGITS || DATE_OR_RANGE.test(text)) return false;
    if (text.startsWith("+")) return this.#isValid(`+${digits}`);
    const isSeparated = digits.length < text.length;
    if (isNumbered && !isSeparated) return false;
    if (digits.startsWith("00")) return this.#isValid(`+${digits.slice(2)}`);
    const countries = /** @type {CountryCode[]} */ ([...this.#countries]);
    if (/^\(?0/.test(text)) {
      const own = countries.length ? countries : COUNTRIES_WITH_0;
      return digits.length > 8 && own.some((country) => this.#isValid(digits, country));
    }
    if (NORTH_AMERICAN.test(text)) return true;
    if (!isText || digits.length < 9) return false;
    return countries.some(
      (country) => this.#isValid(digits, country) || (!isSeparated && this.#isValid(`+${digits}`, country, true)),
    );
  }

  /**
   * @param {string} digits
   * @param {CountryCode} [country]
   * @param {boolean} [isThere] whether it must belong to that country
   */
  #isValid(digits, country, isThere = false) {
    // Example numbers (`+44 7700 900123`) are possible, but not valid.
    const isWritten =
      !isThere && (digits.startsWith("+") || (digits.startsWith("0") && this.#countries.has(country ?? "")));
    const key = `${digits} ${country} ${isThere} ${isWritten}`;
    const known = this.#phones.get(key);
    if (known !== undefined) return known;
    this.#checks += 1;
    if (this.#checks > MAX_CHECKS) return true;
    const number = parsePhoneNumberFromString(digits, { defaultCountry: country, extract: false });
    const isNumber = isWritten ? number?.isPossible() : number?.isValid();
    const isValid = !!isNumber && (!isThere || number?.country === country);
    this.#phones.set(key, isValid);
    return isValid;
  }

  /**
   * @param {string} text
   * @param {RegExp} pattern
   * @param {string} kind
   * @param {(found: string) => boolean} [proves]
   */
  #replaced(text, pattern, kind, proves = () => true) {
    return text.replace(pattern, (found) => (proves(found) ? this.#redact(found, kind) : found));
  }
}

/** @param {string} groups of digits @returns {string[]} prefixes that may be a phone number */
function numbersIn(groups) {
  const digits = groups.replace(/[\s()./-]/g, "").length;
  // Most texts of this form are tables of small numbers.
  if (digits < MIN_DIGITS || digits * 2 < groups.length) return [];
  const cuts = [...groups.matchAll(GROUP)];
  const beforeNumbers = cuts.filter(([, next = ""]) => BEGINS_NUMBER.test(next));
  const ends = [...beforeNumbers, ...cuts.filter((cut) => !beforeNumbers.includes(cut)).reverse()];
  const parts = ends.map(({ index }) => groups.slice(0, index));
  parts.splice(beforeNumbers.length, 0, groups);
  return parts;
}

/** @param {string} text @returns {boolean} whether it looks machine-generated: a token rather than a word */
export function isRandom(text) {
  if (text.length < 6 || /\s/.test(text) || /^\d+(?:[.,:/-]\d+)*[a-z%]{0,3}$/i.test(text)) return false;
  return /\d/.test(text) ? /[A-Za-z]/.test(text) : text.length > 7 && /[a-z][A-Z]{2,}|[A-Z][a-z][A-Z]/.test(text);
}

/** @param {string} text @returns {boolean} whether letters and digits alternate, unlike in a name with a number */
export function isMixed(text) {
  return text.length > 19 || (text.match(/[A-Za-z]\d|\d[A-Za-z]/g) ?? []).length > 1;
}

/** @param {string} digits @returns {boolean} whether they have the prefix and the check digit of a payment card */
export function isCard(digits) {
  if (!CARD_NUMBER.test(digits) || /^(\d)\1*$/.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, digit, place) => {
    const weighed = Number(digit) * (place % 2 ? 2 : 1);
    return total + weighed - (weighed > 9 ? 9 : 0);
  }, 0);
  return sum % 10 === 0;
}

/** @param {string} text @returns {boolean} whether the check digits of an IBAN are correct */
function isIban(text) {
  const compact = text.replaceAll(" ", "").toUpperCase();
  if (compact.length < 15 || compact.length > 34) return false;
  const rest = [...compact.slice(4), ...compact.slice(0, 4)].reduce((sum, character) => {
    const digits = parseInt(character, 36);
    return (sum * (digits > 9 ? 100 : 10) + digits) % 97;
  }, 0);
  return rest === 1;
}

/** @param {string} text */
function isChineseId(text) {
  const sum = [...text.slice(0, 17)].reduce((total, digit, place) => total + Number(digit) * 2 ** (17 - place), 0);
  return "10X98765432"[sum % 11] === text.slice(17).toUpperCase();
}

/** @param {string} text */
function isSpanishId(text) {
  const digits = text.slice(0, -1).replace(/^[XYZ]/, (letter) => String("XYZ".indexOf(letter)));
  return "TRWAGMYFPDXBNJZSQVHLCKE"[Number(digits) % 23] === text.slice(-1);
}

/** @param {string} text */
function isBrazilianId(text) {
  const digits = [...text.replace(/\D/g, "")].map(Number);
  return [9, 10].every((length) => {
    const sum = digits.slice(0, length).reduce((total, digit, place) => total + digit * (length + 1 - place), 0);
    return ((sum * 10) % 11) % 10 === digits[length];
  });
}

/** @param {string} text @returns {boolean} false for a likely version or network */
function isIpv4(text) {
  const parts = text.split(".").map(Number);
  return parts.every((part) => part < 256) && parts[0] !== 0 && parts[3] !== 0;
}

/** @param {string} text @returns {boolean} false for a likely time, or C++ code */
function isIpv6(text) {
  return text.length > 7 && URL.canParse(`http://[${text}]`);
}
