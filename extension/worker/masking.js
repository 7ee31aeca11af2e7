/**
 * What identifies a person or opens a door, masked in JSON values before they are sent, shown or kept: by the name that
 * a value stands under, and where its own form proves it. What describes products, prices, events and campaigns stays.
 *
 * Texts are hostile: each pattern here is bounded, or begins only where it cannot have begun a character before, so that
 * none reads a text more often than a fixed number of times.
 */

import { findPhoneNumbersInText } from "../vendor/libphonenumber.js";

// --- Names

/** Under any of these whatever stands there is masked, a whole block too. */
const SECRET_NAME =
  /pass(?:word|wd|phrase|code)?$|pwd|secret|token|api[_-]?key|auth(?:orization|entication)?$|credential|session[_-]?id|^sid$|cookie|csrf|xsrf|^ssn$|^iban$|^cv[vc]2?$|card[_-]?(?:number|no)$/i;
const CONTACT_NAME = /e-?mail|phone|mobile|^tel$|msisdn/i;

const PERSON =
  "user|customer|client|member|visitor|person|profile|shopper|buyer|subscriber|guest|patient|passenger|employee|contact|" +
  "recipient|addressee|cardholder";

/** The same of a name's words in lower case, joined by "_". @type {[string, RegExp][]} */
const PRIVATE_WORDS = [
  ["ip", /(?:^|_)(?:ip|ip_?addr(?:ess)?|ipv[46]|remote_?addr)$/],
  ["address", /(?<!(?:web|page|site|url|link)_?)(?:address(?:es)?_?\d*|addr_?\d*)$|address_?line/],
  ["address", /(?:^|_)(?:street|street_?(?:name|no|number)|house_?(?:no|number)|zip|zip_?code|post(?:al)?_?code)$/],
  ["address", /(?:^|_)(?:city|town|suburb)$/],
  [
    "location",
    /(?:^|_)(?:lat|latitude|lng|lon|longitude|coords?|coordinates?|gps|geo(?:_\w+|ip|location|point|code|hash|lat|lng|lon|id)?)$/,
  ],
  ["location", new RegExp(`(?:^|_)(?:${PERSON})_?location$`)],
  ["birth", /birth_?(?:day|date|month|year)$|date_?of_?birth$|(?:^|_)(?:dob|bday)$/],
  ["secret", /social_?security(?:_?(?:no|number|id))?$|(?:national|tax|personal|citizen)_?(?:id|id_?number|number)$/],
  ["secret", /passport(?:_?(?:no|number|id))?$|driver_?s?_?licen[cs]e(?:_?(?:no|number|id))?$/],
  ["secret", /(?:^|_)(?:ssn|nino|iban|bic|bank_?account|account_?(?:no|number)|routing_?number|sort_?code)$/],
  ["name", /(?:first|last|full|given|family|middle|maiden|sur|fore|nick)_?names?$/],
  ["name", new RegExp(`(?:^|_)(?:${PERSON}|login|holder|account_?holder)_?names?$`)],
  ["id", new RegExp(`(?:^|_)(?:${PERSON}|login|membership|loyalty)_?(?:id|uuid|guid|no|number|key|hash|card)s?$`)],
  ["id", /(?:^|_)(?:crm|external|anonymous|advertising|device)_?ids?$|^account_?id$|(?:^|_)(?:uid|idfa|idfv|gaid)$/],
  ["id", /^(?:ga|gid|fbp|fbc)$/],
];

/** Under these a text or a number is masked; a block is looked into. */
const PERSON_WORD = /(?:^|_)(?:user|login)$/;
/** What stands in the block of a person. */
const PERSON_BLOCK = new RegExp(`(?:^|_)(?:${PERSON})(?:_?(?:info|information|data|details?|profile|account))?s?$`);
const BLOCK_WITH_NAME = /(?:^|_)(?:shipping|billing|delivery)(?:_?(?:info|information|data|details?))?$/;
const OWN_ID = /^(?:id|uuid|guid|key|number|hash)$/;

/** Nobody's own: products, promotions, shops. */
const CATALOG_WORDS = /^(?:item|product|promotion|promo|creative|campaign|brand|category|variant|store)_/;
/** Numbers of things, which may look like a card's or a telephone's. */
const THING_ID =
  /(?:^|_)(?:sku|gtin|ean|upc|mpn|asin|isbn|barcode)_?\d*$|(?:^|_)(?:item|product|order|transaction|promotion|promo|creative|campaign|coupon|content|list|location|store|variant|event|group)_?(?:id|no|number|code|sku)s?$/;
/** In an address of the web only: elsewhere they mean other things. */
const SECRET_PARAMETER = /^(?:code|sig|otp|ticket)$|signature$/i;

/**
 * @typedef {object} NameMeaning
 * @property {string} kind what all that stands under the name is; empty when the name does not say it
 * @property {string} textKind the same of a text or a number only
 * @property {boolean} isPerson whether a block under it is about one person
 * @property {boolean} hasName whether such a block's `name` is that of a person
 * @property {boolean} isThing whether it names no person, whatever a number there looks like
 */

/** @param {string} name @returns {NameMeaning} */
function meaningOf(name) {
  const words = wordsOf(name);
  const isThing = THING_ID.test(words);
  const isPerson = PERSON_BLOCK.test(words);
  return {
    kind: kindOf(name, words),
    textKind: PERSON_WORD.test(words) ? "id" : "",
    isPerson,
    hasName: isPerson || BLOCK_WITH_NAME.test(words),
    isThing,
  };
}

/**
 * @param {string} name
 * @param {string} words
 */
function kindOf(name, words) {
  if (SECRET_NAME.test(name)) return "secret";
  if (CONTACT_NAME.test(name)) return "contact";
  if (CATALOG_WORDS.test(words)) return "";
  return PRIVATE_WORDS.find(([, pattern]) => pattern.test(words))?.[0] ?? "";
}

/**
 * @param {string} name
 * @returns {string} `shippingAddress2`, `Shipping-Address 2` and `SHIPPING_ADDRESS2` as `shipping_address2`
 */
function wordsOf(name) {
  const parted = name.replace(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, "_");
  return parted
    .replace(/[^A-Za-z\d]+/g, "_")
    .replace(/^_|_$/g, "")
    .toLowerCase();
}

// --- Forms

/** An e-mail address. */
const SHORTEST_PRIVATE = "a@b.c".length;

/** Looks back from the sign: looking for it would read each text up to 64 times. */
const EMAIL = /(?=@|%40)(?<=([\p{L}\p{N}_.%+-]{1,64}))(?:@|%40)[\p{L}\p{N}_-]{1,63}(?:\.[\p{L}\p{N}_-]{1,63}){1,8}/gu;
const CARD = /(?<![\d.])\d(?:[ -]?\d){12,18}(?![\d.])/g;
const CARD_NUMBER = /^(?:4\d{12}(?:\d{3}){0,2}|3\d{13,15}|2[2-7]\d{14}|[56]\d{12,18})$/;
const IBAN =
  /(?<![A-Za-z\d])(?:[A-Za-z]{2}\d{2}[A-Za-z\d]{11,30}|[A-Z]{2}\d{2}(?: [A-Z\d]{4}){2,7}(?: [A-Z\d]{1,4})?)(?![A-Za-z\d])/g;
const SSN = /(?<![\w.-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])/g;
const IPV4 = /(?<![\w./-])(?:\d{1,3}\.){3}\d{1,3}(?![\w-]|\.\d)/g;
const IPV6 = /(?<![\w:.])(?:[\da-f]{0,4}:){2,7}[\da-f]{0,4}(?![\w:.])/gi;
const TOKENS = [
  /\b[Bb]earer\s+[\w.~+/=-]{8,}/g,
  // The lookahead with a group takes its part once and gives nothing back.
  /(?<![\w-])(?=[\w-]*?\beyJ[\w-]{5})(?=([\w-]+))\1\.[\w-]{5,}\.[\w-]*/g,
  /\b(?:sk|pk|rk|ghp|gho|ghs|glpat|xox[abp])[_-][\w-]{12,}/g,
  /\b(?:AKIA|ASIA|AIza)[\w-]{12,}/g,
  /\b(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z\d_]{32,}\b/g,
];
const NATIONAL_PHONE = /(?<![\w.,/:-])(?:\(0?\d{2,5}\)|0\d{2,4}|\d{3})[ .-]\d{3}[ .-]?\d{3,5}(?![\w.,:-])/g;
// Also as they are written in East Asia and in Arabic and Persian.
const DIGIT = "\\d\\uff10-\\uff19\\u0660-\\u0669\\u06f0-\\u06f9";
const PHONE_WITH_COUNTRY = new RegExp(`[+\\uff0b][${DIGIT}][${DIGIT}\\s().-]{5,40}[${DIGIT}]`, "g");

/** The library for phone numbers takes up to 40 ms for a thousand characters. */
const MAX_ASKED_LENGTH = 10_000;
/** How many addresses within addresses are taken apart. */
const MAX_NESTED = 3;
const QUOTED_PAIR = /("([\w.-]{1,60})"\s{0,4}:\s{0,4})"((?:[^"\\]|\\.){1,1000})"/g;
const ADDRESS = /^(?:[A-Za-z][A-Za-z\d+.-]*:\/\/|[/?#])\S*$/;

/** @param {string} digits @returns {boolean} whether they begin as payment cards do and end in their check digit */
function isCard(digits) {
  if (!CARD_NUMBER.test(digits) || /^(\d)\1*$/.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, digit, place) => {
    const weighed = Number(digit) * (place % 2 ? 2 : 1);
    return total + weighed - (weighed > 9 ? 9 : 0);
  }, 0);
  return sum % 10 === 0;
}

/** @param {string} text @returns {boolean} whether the check digits of an IBAN are right */
function isIban(text) {
  const compact = text.replaceAll(" ", "").toUpperCase();
  if (compact.length < 15 || compact.length > 34) return false;
  const rest = [...compact.slice(4), ...compact.slice(0, 4)].reduce((sum, character) => {
    const digits = parseInt(character, 36);
    return (sum * (digits > 9 ? 100 : 10) + digits) % 97;
  }, 0);
  return rest === 1;
}

/** @param {string} text @returns {boolean} false for what is rather a version or a network */
function isIpv4(text) {
  const parts = text.split(".").map(Number);
  return parts.every((part) => part < 256) && parts[0] !== 0 && parts[3] !== 0;
}

/** @param {string} text @returns {boolean} false for what is rather a time, or some C++ */
function isIpv6(text) {
  return text.length > 7 && URL.canParse(`http://[${text}]`);
}

// --- Masking

/** Masks JSON values, and counts what it has masked by kind. */
export class Masker {
  /** @type {Record<string, number>} */
  masked = {};
  /** @type {Map<string, NameMeaning>} */
  #meanings = new Map();
  #askedLength = 0;

  /**
   * @param {unknown} value JSON
   * @param {string} [name] what it stands under
   * @returns {any} the same with `[kind]` in place of what is private
   */
  value(value, name = "") {
    return this.#value(value, name, "", 0);
  }

  /**
   * @param {string} address a URL, or what follows `?` or `#` in one
   * @returns {string} the same; parameters are masked by their names too
   */
  address(address) {
    return this.#address(address, 0);
  }

  /**
   * @param {string} text JSON, or any text that may hold some
   * @returns {string} the same; in JSON names count, in other text those of quoted pairs
   */
  source(text) {
    try {
      const parsed = JSON.parse(text);
      const shown = JSON.stringify(this.value(parsed));
      // As it was written, with its numbers of any size.
      return shown === JSON.stringify(parsed) ? text : shown;
    } catch {
      return this.#forms(text.replace(QUOTED_PAIR, (...found) => this.#pair(found)));
    }
  }

  /** @param {string[]} found */
  #pair([pair = "", start, name = "", value]) {
    const shown = this.#value(value, name, "", 0);
    return shown === value ? pair : `${start}"${shown}"`;
  }

  /**
   * @param {unknown} value
   * @param {string} name
   * @param {string} owner the name of the block that it stands in
   * @param {number} nested how many addresses it stands within
   * @returns {any}
   */
  #value(value, name, owner, nested) {
    if (value === null || value === "" || typeof value === "boolean") return value;
    const { kind, textKind, isThing } = this.#meaning(name);
    if (Array.isArray(value)) return this.#list(value, name, owner);
    if (typeof value === "object") {
      const members = Object.entries(value);
      return Object.fromEntries(
        members.map(([key, member]) => [this.#text(key, 0), this.#value(member, kind ? name : key, name, nested)]),
      );
    }
    const masked = kind || textKind || this.#kindInBlock(name, owner);
    if (masked) return this.#mask(masked);
    if (typeof value === "number") return !isThing && isCard(String(value)) ? this.#mask("card") : value;
    const text = String(value);
    return isThing ? this.#withoutEmails(text) : this.#text(text, nested);
  }

  /**
   * @param {unknown[]} list
   * @param {string} name
   * @param {string} owner
   * @returns {unknown[]}
   */
  #list(list, name, owner) {
    const [first, second, ...others] = list;
    // gtag("set", "user_id", 7), _paq.push(["setUserId", 7]), and the pairs that a Map is told as.
    if (first === "set" && typeof second === "string") {
      return [first, this.#text(second, 0), ...others.map((item) => this.#value(item, second, name, 0))];
    }
    if (typeof first === "string" && /^set[A-Z]/.test(first)) {
      return [first, ...list.slice(1).map((item) => this.#value(item, first, name, 0))];
    }
    if (list.every(isPair)) {
      return list.map(([key, item]) => [this.#text(key, 0), this.#value(item, key, name, 0)]);
    }
    return list.map((item) => this.#value(item, name, owner, 0));
  }

  /**
   * @param {string} name
   * @param {string} owner
   */
  #kindInBlock(name, owner) {
    if (!owner) return "";
    const { isPerson, hasName } = this.#meaning(owner);
    if (hasName && name.toLowerCase() === "name") return "name";
    return isPerson && OWN_ID.test(name.toLowerCase()) ? "id" : "";
  }

  /**
   * @param {string} text
   * @param {number} nested
   */
  #text(text, nested) {
    return nested < MAX_NESTED && ADDRESS.test(text) ? this.#address(text, nested + 1) : this.#forms(text);
  }

  /**
   * @param {string} address
   * @param {number} nested
   */
  #address(address, nested) {
    const [, start = "", user = "", host = "", place = "", query = "", hash = ""] =
      /^(?:([A-Za-z][A-Za-z\d+.-]*:\/\/)([^/?#@]*@)?([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(address) ?? [];
    const path = place.split("/").map((part) => this.#encoded(part, (text) => this.#forms(text)));
    const parts = [query, hash].map((part) => part.slice(0, 1) + this.parameters(part.slice(1), nested));
    return start + (user && `${this.#mask("secret")}@`) + host + path.join("/") + parts.join("");
  }

  /**
   * @param {string} text `name=value&name=value`
   * @param {number} [nested]
   * @returns {string}
   */
  parameters(text, nested = 0) {
    return text
      .split("&")
      .map((pair) => {
        const end = pair.indexOf("=");
        if (end < 0) return this.#encoded(pair, (part) => this.#forms(part));
        const name = decoded(pair.slice(0, end));
        return `${pair.slice(0, end)}=${this.#encoded(pair.slice(end + 1), (value) => this.#parameter(value, name, nested))}`;
      })
      .join("&");
  }

  /**
   * @param {string} value
   * @param {string} name
   * @param {number} nested
   */
  #parameter(value, name, nested) {
    return value && SECRET_PARAMETER.test(name) ? this.#mask("secret") : this.#value(value, name, "", nested);
  }

  /**
   * @param {string} part of an address
   * @param {(text: string) => string} mask
   * @returns {string} as it was written, unless something in it is private
   */
  #encoded(part, mask) {
    const text = decoded(part);
    const shown = mask(text);
    return shown === text ? part : shown.toWellFormed().replace(/[&=#%+\s]/g, encodeURIComponent);
  }

  /**
   * @param {string} text
   * @returns {string} without what its own form proves to be private
   */
  #forms(text) {
    if (text.length < SHORTEST_PRIVATE) return text;
    let shown = this.#withoutIbans(text);
    for (const token of TOKENS) shown = this.#masked(shown, token, "token");
    shown = this.#withoutEmails(shown);
    shown = this.#masked(shown, CARD, "card", (found) => isCard(found.replace(/[ -]/g, "")));
    shown = this.#masked(shown, SSN, "ssn");
    shown = this.#masked(shown, IPV4, "ip", isIpv4);
    shown = this.#masked(shown, IPV6, "ip", isIpv6);
    shown = shown.replace(PHONE_WITH_COUNTRY, (found) => this.#withoutKnownPhones(found));
    return this.#masked(shown, NATIONAL_PHONE, "phone");
  }

  /** @param {string} text */
  #withoutIbans(text) {
    return text.replace(IBAN, (found) => {
      if (isIban(found)) return this.#mask("iban");
      // The last group may be the word that follows.
      const end = found.lastIndexOf(" ");
      return end > 0 && isIban(found.slice(0, end)) ? this.#mask("iban") + found.slice(end) : found;
    });
  }

  /** @param {string} text */
  #withoutEmails(text) {
    let shown = "";
    let end = 0;
    for (const { 0: domain, 1: local = "", index } of text.matchAll(EMAIL)) {
      shown += text.slice(end, Math.max(end, index - local.length)) + this.#mask("email");
      end = index + domain.length;
    }
    return shown + text.slice(end);
  }

  /**
   * The library is slow: when it has read enough, all that looks like a number with a country code is taken for one.
   *
   * @param {string} text
   */
  #withoutKnownPhones(text) {
    this.#askedLength += text.length;
    if (this.#askedLength > MAX_ASKED_LENGTH) return this.#mask("phone");
    const found = findPhoneNumbersInText(text.normalize("NFKC"));
    return found.reduceRight(
      (shown, { startsAt, endsAt }) => shown.slice(0, startsAt) + this.#mask("phone") + shown.slice(endsAt),
      text,
    );
  }

  /**
   * @param {string} text
   * @param {RegExp} pattern
   * @param {string} kind
   * @param {(found: string) => boolean} [proves]
   */
  #masked(text, pattern, kind, proves = () => true) {
    return text.replace(pattern, (found) => (proves(found) ? this.#mask(kind) : found));
  }

  /** @param {string} kind */
  #mask(kind) {
    this.masked[kind] = (this.masked[kind] ?? 0) + 1;
    return `[${kind}]`;
  }

  /** @param {string} name */
  #meaning(name) {
    const known = this.#meanings.get(name);
    if (known) return known;
    const meaning = meaningOf(name);
    this.#meanings.set(name, meaning);
    return meaning;
  }
}

/** @param {unknown} item @returns {item is [string, unknown]} */
function isPair(item) {
  return Array.isArray(item) && item.length === 2 && typeof item[0] === "string";
}

/** @param {string} part of an address */
function decoded(part) {
  try {
    return decodeURIComponent(part.replaceAll("+", " "));
  } catch {
    return part;
  }
}
