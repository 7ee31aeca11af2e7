/**
 * Redacts personal data and secrets in JSON values before they are sent, shown or stored: by a value's key
 * (`private-keys.js`), and by its own form (`private-forms.js`). Data about products, prices, events and campaigns
 * stays.
 */

import { PrivateForms, isCard, isMixed, isRandom } from "./private-forms.js";
import { ABOUT, privateKeys } from "./private-keys.js";
import { countriesIn, countryOfHost } from "./page-country.js";

/**
 * @import {KeyMeaning, PrivateKeys} from "./private-keys.js"
 */

/** Maximum depth for parsing URLs and JSON inside texts. */
const MAX_NESTED = 3;
const ADDRESS = /^(?:[A-Za-z][A-Za-z\d+.-]*:\/\/|[/?#])\S*$/;
/** Each URL in a text. */
const URLS = /(?<![\w+.-])[A-Za-z][A-Za-z\d+.-]{0,20}:\/\/[^\s"'<>]+/g;
const FORM = /^[\w.[\]%+-]{1,100}=[^\n]*$/;
const QUOTED_PAIR = /("([\w.-]{1,60})"\s{0,4}:\s{0,4})"((?:[^"\\]|\\.){1,2000})"/g;
/** `password=x` and `password: "x"` in any text; the first word of a line only once. */
const PAIR = /(?<![\w.-])([A-Za-z][\w.-]{1,60})(["']?\s{0,2}[=:]\s{0,2}["']?)([^\s"'<>,;&{}[\]]{3,500})/g;
const COMMAND = /^(?:set|identify)(?![a-z])/;
const RECORD_NAMES = ["name", "key", "id", "field", "label", "property"];
const ASSET = /\.(?:m?js|css|png|jpe?g|webp|avif|gif|svg|ico|woff2?|mp4|webm|map|json|html?)$/i;
const SEGMENTS_AFTER = { hooks: 6, paths: 1 };
/** What pages write instead of a missing value. */
const NO_VALUE = /^(?:n\/?a|none|null|undefined|unknown|\(?not[ _]set\)?|true|false|yes|no|-*)$/i;
const MAX_SHORT_KEY = 6;
/** Shorter values under keys for messages and greetings are "Mr" or "Hello". */
const MIN_MESSAGE_LENGTH = 6;

/** @type {{url?: string}} a tab that was closed meanwhile */
const GONE = {};

/** @param {number} tabId of the page that the values come from @returns {Promise<Redactor>} */
export async function redactorFor(tabId) {
  const [keys, { url = "" }] = await Promise.all([privateKeys(), chrome.tabs.get(tabId).catch(() => GONE)]);
  return new Redactor(keys, countryOfHost(url));
}

/** Redacts JSON values, and counts the redactions by kind. */
export class Redactor {
  /** @type {Record<string, number>} */
  counts = {};
  #keys;
  #countries;
  #forms;
  /** @type {Map<number, Map<string, KeyMeaning>>} */
  #meanings = new Map();

  /**
   * @param {PrivateKeys} keys
   * @param {string[]} [countries] in which phone numbers without a country code are recognized
   */
  constructor(keys, countries = []) {
    this.#keys = keys;
    this.#countries = new Set(countries);
    this.#forms = new PrivateForms((_, kind) => this.#redact(kind), this.#countries);
  }

  /**
   * @param {unknown} value JSON
   * @param {string} [key] that it belongs to
   * @returns {any} the same with `[kind]` replacing what is private
   */
  value(value, key = "") {
    if (typeof value === "object") for (const country of countriesIn(value)) this.#countries.add(country);
    return this.#value(value, key, ABOUT.NONE, 0);
  }

  /**
   * @param {string} address a URL, or the part after `?` or `#` in one
   * @param {number} [nested]
   * @returns {string} the same; parameters are also redacted by name
   */
  address(address, nested = 0) {
    const [, start = "", user = "", host = "", place = "", query = "", hash = ""] =
      /^(?:([A-Za-z][A-Za-z\d+.-]*:\/\/)([^/?#]*@)?([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(address) ?? [];
    const parts = [query, hash].map((part) => part.slice(0, 1) + this.#parameters(part.slice(1), nested));
    return start + (user && `${this.#redact("secret")}@`) + host + this.#path(place, host) + parts.join("");
  }

  /**
   * @param {string} text
   * @returns {string} the same with the URLs in it as `address` returns them
   */
  addresses(text) {
    return text.replace(URLS, (address) => this.address(address));
  }

  /**
   * @param {string} text JSON, form data, or any text that may contain some
   * @returns {string} the same; text without private data stays as it was written
   */
  source(text) {
    const json = this.#json(text, 0);
    if (json !== null) return json;
    const lines = text.split("\n");
    if (lines.length > 1 && isJson(lines[0] ?? "")) return lines.map((line) => this.#text(line, 0)).join("\n");
    return this.#text(text, 0);
  }

  /**
   * @param {unknown} value
   * @param {string} key
   * @param {number} about the subject of the block around it
   * @param {number} nested number of texts around it
   * @returns {any}
   */
  #value(value, key, about, nested) {
    if (value === null || typeof value === "boolean" || (typeof value === "string" && NO_VALUE.test(value))) {
      return value;
    }
    const meaning = this.#meaning(key, about);
    if (Array.isArray(value)) return this.#list(value, key, about, nested);
    if (typeof value === "object") return this.#object(value, key, about, nested);
    const { kind, textKind, isThing, mayBeSecret } = meaning;
    if (textKind && !(textKind === "message" && String(value).length < MIN_MESSAGE_LENGTH)) {
      return this.#redact(textKind);
    }
    if (typeof value === "number") return !isThing && isCard(String(value)) ? this.#redact("card") : value;
    const text = String(value);
    if (mayBeSecret && !isThing && isRandom(text) && isMixed(text)) return this.#redact(kind || "secret");
    return isThing && !ADDRESS.test(text) ? this.#forms.emails(text) : this.#text(text, nested, meaning);
  }

  /**
   * @param {object} object
   * @param {string} key
   * @param {number} about
   * @param {number} nested
   */
  #object(object, key, about, nested) {
    const members = Object.entries(object);
    const meaning = this.#meaning(key, about);
    const isWhole = !!meaning.kind && meaning.kind !== "message";
    const inside = this.#aboutMembers(members, meaning.about);
    const named = this.#recordName(members);
    const isShort = this.#isAbbreviated(members);
    return Object.fromEntries(
      members.map(([name, member]) => {
        const shownName = name.length > MAX_SHORT_KEY ? this.#forms.all(name) : name;
        const short = isShort && typeof member !== "object" ? this.#keys.abbreviations.get(name) : "";
        if (short && member) return [shownName, this.#redact(short)];
        if (isWhole && !this.#isDescription(name, member)) return [shownName, this.#value(member, key, about, nested)];
        return [shownName, this.#value(member, named && name === "value" ? named : name, inside, nested)];
      }),
    );
  }

  /**
   * @param {[string, unknown][]} members of a block
   * @param {number} about the block's subject according to its key
   * @returns {number} the same, plus what the members show: parts of an address occur together, a person has several
   *   names
   */
  #aboutMembers(members, about) {
    const meanings = members.map(([name]) => this.#meaning(name, about & ~ABOUT.THING));
    const isNamed = meanings.some(({ textKind }) => textKind === "name");
    const parts = meanings.filter(({ isAddressPart }) => isAddressPart);
    if (about & ABOUT.THING && !(isNamed && parts.length)) return about;
    const isAddress = parts.length > 1 && parts.some(({ kind }) => kind);
    const ofAddress = isAddress ? (parts.some(({ isOwned }) => !isOwned) ? ABOUT.DELIVERY : ABOUT.RESIDENT) : 0;
    return (
      (about & ~ABOUT.THING) |
      ofAddress |
      (isNamed || meanings.some(({ kind }) => kind === "contact") ? ABOUT.NAMED : 0)
    );
  }

  /**
   * @param {string} name of a member in a block that is private as a whole
   * @param {unknown} member
   * @returns {boolean} whether it only indicates a type or the like
   */
  #isDescription(name, member) {
    return typeof member === "string" && this.#meaning(name, 0).isDescription;
  }

  /**
   * @param {[string, unknown][]} members
   * @returns {string} the meaning of `value` in `{"name": "email", "value": "x"}`
   */
  #recordName(members) {
    if (members.length > 8 || !members.some(([name]) => name === "value")) return "";
    const found = members.find(([name, member]) => RECORD_NAMES.includes(name) && typeof member === "string");
    return String(found?.[1] ?? "");
  }

  /** @param {[string, unknown][]} members @returns {boolean} whether they are short keys of personal data */
  #isAbbreviated(members) {
    const short = members.filter(([name]) => this.#keys.abbreviations.has(name));
    return short.length > 1 && short.some(([name]) => /^(?:em|ph|fn|ln)$/.test(name));
  }

  /**
   * @param {unknown[]} list
   * @param {string} key
   * @param {number} about
   * @param {number} nested
   * @returns {unknown[]}
   */
  #list(list, key, about, nested) {
    const [first] = list;
    // gtag("set", "user_id", 7), _paq.push(["setUserId", 7]), _paq.push(["setCustomVariable", 1, "email", "x"])
    if (typeof first === "string" && COMMAND.test(first)) return this.#command(list, first, nested);
    // The pairs of a serialized Map.
    if (list.every(isPair)) {
      const inside = this.#meaning(key, about).about;
      return list.map((pair) => {
        const [name, item] = pair;
        if (COMMAND.test(name)) return this.#command(pair, name, nested);
        return [this.#forms.all(name), this.#value(item, name, inside, nested)];
      });
    }
    return list.map((item) => this.#value(item, key, about, nested));
  }

  /**
   * @param {unknown[]} list
   * @param {string} command
   * @param {number} nested
   */
  #command(list, command, nested) {
    const own = command === "identify" ? "userId" : command.replace(/^set/, "");
    let name = own;
    return list.map((item, place) => {
      if (!place) return item;
      if (typeof item === "string" && (command === "set" ? place === 1 : this.#isPrivate(item))) {
        name = item;
        return this.#forms.all(item);
      }
      const shown = this.#value(item, isBlock(item) && name === own ? "user" : name, ABOUT.NONE, nested);
      if (typeof item !== "number" || name !== own) name = own;
      return shown;
    });
  }

  /** @param {string} key */
  #isPrivate(key) {
    return key.length < 60 && !!this.#meaning(key, 0).kind;
  }

  /**
   * @param {string} text
   * @param {number} nested
   * @param {Partial<KeyMeaning>} [meaning] of the key above it
   * @returns {string}
   */
  #text(text, nested, meaning = {}) {
    if (nested < MAX_NESTED) {
      const json = this.#json(text, nested + 1);
      if (json !== null) return json;
      if (ADDRESS.test(text)) return this.address(text, nested + 1);
      if (FORM.test(text)) return this.#parameters(text, nested + 1, meaning);
    }
    const pairs = text
      .replace(QUOTED_PAIR, (pair, start, name, value) => {
        const shown = this.#value(value, name, ABOUT.NONE, MAX_NESTED);
        return shown === value ? pair : `${start}"${shown}"`;
      })
      .replace(PAIR, (pair, name, sign, value) => {
        const isSecret = this.#meaning(name, 0).textKind === "secret" && /\d|[^\w.]/.test(value);
        return isSecret ? `${name}${sign}${this.#redact("secret")}` : pair;
      });
    return this.#forms.all(pairs, meaning);
  }

  /**
   * @param {string} text
   * @param {number} nested
   * @returns {string | null} null unless it is a JSON object or list
   */
  #json(text, nested) {
    if (!isJson(text)) return null;
    try {
      const parsed = JSON.parse(text);
      const shown = JSON.stringify(this.#value(parsed, "", ABOUT.NONE, nested));
      // Unchanged, with numbers of any size.
      return shown === JSON.stringify(parsed) ? text : shown;
    } catch {
      return null;
    }
  }

  /**
   * @param {string} path
   * @param {string} host
   */
  #path(path, host) {
    let secrets = this.#keys.pathMeaning(host.replace(/\..*/, "")) === "hooks" ? SEGMENTS_AFTER.hooks : 0;
    return path
      .split("/")
      .map((part) => {
        const [segment = "", ...parameters] = part.split(";");
        const shown = secrets > 0 && isOpaqueSegment(segment) ? this.#redact("secret") : this.#segment(segment);
        const meaning = this.#keys.pathMeaning(segment);
        if (meaning) secrets = SEGMENTS_AFTER[meaning];
        else if (segment) secrets -= 1;
        return [shown, ...parameters.map((each) => this.#parameters(each, MAX_NESTED))].join(";");
      })
      .join("/");
  }

  /** @param {string} segment of a path */
  #segment(segment) {
    const bot = /^(bot)\d{6,}:[\w-]{16,}$/.exec(segment);
    if (bot) return `bot${this.#redact("token")}`;
    return ASSET.test(segment) ? segment : this.#encoded(segment, (text) => this.#forms.all(text));
  }

  /**
   * @param {string} text `name=value&name=value`
   * @param {number} nested
   * @param {Partial<KeyMeaning>} [meaning] of the key above it
   * @returns {string}
   */
  #parameters(text, nested, meaning) {
    return text
      .split("&")
      .map((pair) => {
        const end = pair.indexOf("=");
        if (end < 0) return this.#encoded(pair, (part) => this.#forms.all(part, meaning));
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
    return value && this.#keys.isSecretParameter(name, isRandom(value))
      ? this.#redact("secret")
      : this.#value(value, name, 0, nested);
  }

  /**
   * @param {string} part of a URL
   * @param {(text: string) => string} redact
   * @returns {string} unchanged, unless it contains something private
   */
  #encoded(part, redact) {
    const text = decoded(part);
    const shown = String(redact(text));
    return shown === text ? part : shown.toWellFormed().replace(/[&=#%+\s]/g, encodeURIComponent);
  }

  /** @param {string} kind */
  #redact(kind) {
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
    return `[${kind}]`;
  }

  /**
   * @param {string} key
   * @param {number} about
   * @returns {KeyMeaning}
   */
  #meaning(key, about) {
    const meanings = this.#meanings.get(about) ?? new Map();
    this.#meanings.set(about, meanings);
    const known = meanings.get(key);
    if (known) return known;
    const meaning = this.#keys.meaning(key, about);
    meanings.set(key, meaning);
    return meaning;
  }
}

/** @param {unknown} item @returns {item is [string, unknown]} */
function isPair(item) {
  return Array.isArray(item) && item.length === 2 && typeof item[0] === "string";
}

/** @param {unknown} item */
function isBlock(item) {
  return typeof item === "object" && item !== null && !Array.isArray(item);
}

/** @param {string} text @returns {boolean} whether it may be a JSON object or list */
function isJson(text) {
  return /^\s{0,9}(?:\{\s{0,9}["}]|\[)/.test(text) && /[}\]]\s{0,9}$/.test(text.slice(-10));
}

/** @param {string} segment of a path, after one such as "reset" */
function isOpaqueSegment(segment) {
  return (
    isRandom(segment) ||
    /^\d{6,}$/.test(segment) ||
    /^[\w-]*\d[\w-]{5,}$/.test(segment) ||
    (/^[A-Z\d]{9,}$/i.test(segment) && /[A-Z]/.test(segment) && !/^[A-Z][a-z]+([A-Z][a-z]+)*$/.test(segment))
  );
}

/** @param {string} part of a URL */
function decoded(part) {
  try {
    return decodeURIComponent(part.replaceAll("+", " "));
  } catch {
    return part;
  }
}
