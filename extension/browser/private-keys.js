/**
 * What the key of a value indicates about it, by whole words: `shippingAddress2`, `SHIPPING_ADDRESS_2` and
 * `shipping-address` are the same, `compass` does not contain `pass`. The words of each meaning and language are data
 * (`shared/private-keys.json`).
 */

/** The subject of a block; several flags can apply. */
export const ABOUT = { NONE: 0, PERSON: 1, DELIVERY: 2, NAMED: 4, THING: 8, RESIDENT: 16 };

const MAX_KEY_LENGTH = 120;
const MAX_JOINED_WORDS = 5;
/** Minimum length of words in a compound written as one word: "tokyo" would begin with "to". */
const MIN_PART_LENGTH = 4;
const MAX_COMPOUND_LENGTH = 40;
const SHORT_PARTS = new Set(["id", "ids", "no", "zip", "tel", "pwd", "pin"]);
const MIN_PLURAL_LENGTH = 5;

/**
 * @typedef {object} Term
 * @property {string} [kind] if values under it are private: how they are redacted
 * @property {string} [weak] the same, if the block is about a person
 * @property {number} [about]
 * @property {Set<string>} classes names of the other tables that contain it
 */

/**
 * @typedef {object} KeyMeaning
 * @property {string} kind how any value under the key is redacted; empty if the key does not imply privacy
 * @property {string} textKind the same, but only for strings and numbers
 * @property {number} about the subject of a block under the key
 * @property {boolean} isAddressPart whether the key names a part of a postal address
 * @property {boolean} isOwned whether it also names the owner
 * @property {boolean} isDescription whether it describes the type or the state of something
 * @property {boolean} isThing whether it measures or names a thing: digits there are not a phone number or a card
 * @property {boolean} isNumbered whether the value is a number or an id of something
 * @property {boolean} isText whether a user typed the value
 * @property {boolean} mayBeSecret whether a value that looks random is a secret
 */

/** @type {Promise<PrivateKeys> | undefined} */
let loaded;

/** @returns {Promise<PrivateKeys>} the extension's own; a service worker cannot import JSON that it reads later */
export function privateKeys() {
  loaded ??= fetch(chrome.runtime.getURL("shared/private-keys.json"))
    .then((response) => response.json())
    .then((tables) => new PrivateKeys(tables));
  loaded.catch(() => (loaded = undefined));
  return loaded;
}

export class PrivateKeys {
  /** @type {Map<string, string>} meaning of short keys of advertising pixels, when several occur together */
  abbreviations;
  /** @type {Map<string, Term>} */
  #terms = new Map();
  /** @type {Map<string, string>} */
  #whole = new Map();

  /** @param {any} tables contents of `private-keys.json` */
  constructor({ private: kinds, whole, weak, owners, abbreviations, ...classes }) {
    this.abbreviations = new Map(Object.entries(abbreviations));
    for (const [kind, words] of Object.entries(kinds)) {
      for (const term of Object.values(words).flatMap((each) => this.#termsOf(each))) term.kind ??= kind;
    }
    for (const [kind, words] of Object.entries(weak)) for (const term of this.#termsOf(words)) term.weak ??= kind;
    for (const [kind, words] of Object.entries(whole)) for (const word of words.split(" ")) this.#whole.set(word, kind);
    const { PERSON, DELIVERY } = ABOUT;
    const abouts = { person: PERSON, delivery: DELIVERY, named: PERSON | DELIVERY };
    for (const [owner, about] of Object.entries(abouts)) {
      for (const term of this.#termsOf(owners[owner])) term.about = about;
    }
    for (const term of this.#termsOf(owners.named)) term.classes.add("named");
    for (const [name, words] of Object.entries(classes)) {
      for (const term of this.#termsOf(words)) term.classes.add(name);
    }
  }

  /** @param {string} words */
  #termsOf(words) {
    return words.split(" ").map((word) => {
      const plain = plainText(word);
      const term = this.#terms.get(plain) ?? { classes: new Set() };
      this.#terms.set(plain, term);
      return term;
    });
  }

  /**
   * @param {string} key
   * @param {number} [about] the subject of the block around it
   * @returns {KeyMeaning}
   */
  meaning(key, about = ABOUT.NONE) {
    const words = wordsOf(key);
    const terms = this.#read(words);
    const { kind, weak, owner, block, isOwned, isNamed } = judged(terms, about);
    const last = terms.findLast((term) => term && !term.classes.has("neutral"));
    const whole = terms.length === 1 ? this.#whole.get(plainText(key).replace(/^\W+|\W+$|^_+/g, "")) : "";
    const has = (/** @type {string} */ name) => terms.some((term) => term?.classes.has(name));
    const textKind = kind || whole || (isNamed ? "name" : "");
    return {
      kind: kind && !last?.about ? kind : "",
      textKind,
      about: block,
      isAddressPart: kind === "address" || weak === "address",
      isOwned,
      isDescription: !!last?.classes.has("describing"),
      isThing: !textKind && !!(owner & ABOUT.THING || has("measures")),
      isNumbered: !!last?.weak && last.weak === "id",
      isText: !textKind && has("texts"),
      mayBeSecret: (terms.length === 1 && has("opaque")) || terms.some((term) => term?.kind === "secret"),
    };
  }

  /**
   * @param {string} name of a URL parameter
   * @param {boolean} isRandom whether its value looks random
   * @returns {boolean} whether it is a credential in a URL, though it may mean something else in other places
   */
  isSecretParameter(name, isRandom) {
    const words = wordsOf(name);
    const joined = words.join("");
    if (isRandom && this.#isIn("openings", joined)) return true;
    return this.#isIn("parameters", joined) || words.at(-1) === "signature";
  }

  /** @param {string} segment of a path @returns {"hooks" | "paths" | ""} the type of the segments after it */
  pathMeaning(segment) {
    const words = wordsOf(segment);
    if (words.some((word) => this.#isIn("hooks", word))) return "hooks";
    return this.#isIn("paths", words.join("")) ? "paths" : "";
  }

  /**
   * @param {string} name
   * @param {string} word
   */
  #isIn(name, word) {
    return !!this.#terms.get(word)?.classes.has(name);
  }

  /**
   * @param {string[]} words
   * @returns {(Term | undefined)[]} the longest known terms, from left to right
   */
  #read(words) {
    /** @type {(Term | undefined)[]} */
    const found = [];
    for (let start = 0; start < words.length;) {
      let count = Math.min(MAX_JOINED_WORDS, words.length - start);
      while (count > 1 && !this.#terms.has(words.slice(start, start + count).join(""))) count -= 1;
      found.push(...this.#termsOfWord(words.slice(start, start + count).join("")));
      start += count;
    }
    return found;
  }

  /** @param {string} word @returns {(Term | undefined)[]} */
  #termsOfWord(word) {
    const known = this.#known(word);
    return known ? [known] : (this.#parts(word) ?? [undefined, ...this.#ending(word)]);
  }

  /** @param {string} word */
  #known(word) {
    const isPlural = word.length >= MIN_PLURAL_LENGTH && word.endsWith("s");
    return this.#terms.get(word) ?? (isPlural ? this.#terms.get(word.slice(0, -1)) : undefined);
  }

  /** @param {string} word @returns {Term[]} terms that it ends in, for languages that write words without spaces */
  #ending(word) {
    if (!/[\u3040-\u30ff\u4e00-\u9fff]$/.test(word)) return [];
    for (let start = 1; start < word.length - 1; start += 1) {
      const term = this.#terms.get(word.slice(start));
      if (term) return [term];
    }
    return [];
  }

  /** @param {string} word @returns {Term[] | undefined} the terms that it consists of, without gaps: `customeremail` */
  #parts(word) {
    if (word.length > MAX_COMPOUND_LENGTH) return undefined;
    /** @type {(Term[] | undefined)[]} by end position */
    const ends = [[]];
    for (let end = 1; end <= word.length; end += 1) {
      for (let start = 0; start < end && !ends[end]; start += 1) {
        const before = ends[start];
        if (!before) continue;
        const part = word.slice(start, end);
        const isLong = part.length >= MIN_PART_LENGTH || SHORT_PARTS.has(part) || !/^[\x20-\x7f]*$/.test(part);
        const term = isLong ? this.#known(part) : undefined;
        if (term) ends[end] = [...before, term];
      }
    }
    return ends[word.length];
  }
}

/**
 * @param {(Term | undefined)[]} terms of a key; later ones are more specific
 * @param {number} about
 */
function judged(terms, about) {
  let owner = about;
  let kind = "";
  let weak = "";
  let isDescribed = false;
  let isNamed = false;
  let isOwned = false;
  let isOwnWord = terms.every((term) => term?.classes.has("neutral"));
  for (const term of terms) {
    if (term?.kind && !(owner & ABOUT.THING && term.kind !== "secret")) {
      [kind, weak, isDescribed] = [term.kind, "", false];
      if (kind === "address") owner |= ABOUT.DELIVERY;
      if (term.about) [owner, isOwnWord] = [term.about, true];
    } else if (term?.about) {
      // "nom_client" and "customer_name" are the same.
      owner = term.about | (isOwned ? owner : about & ABOUT.RESIDENT && ABOUT.DELIVERY);
      [isDescribed, isOwnWord, isOwned] = [false, true, true];
      isNamed = term.classes.has("named");
    } else if (term?.weak) {
      if (kind && kind !== "address" && !["id", "name"].includes(term.weak)) isDescribed = true;
      weak = term.weak;
    } else if (term?.classes.has("things") || term?.classes.has("labels")) {
      if (kind) isDescribed = true;
      [owner, isOwnWord] = [ABOUT.THING, term.classes.has("things")];
    } else if (!term?.classes.has("neutral")) {
      isDescribed = true;
    }
  }
  const block = isDescribed || !isOwnWord ? about & ABOUT.THING : owner;
  if (isDescribed) return { kind: "", weak: "", owner, block, isOwned, isNamed: false };
  if (!kind && weak && belongs(weak, owner)) kind = weak;
  return { kind, weak, owner, block, isOwned, isNamed };
}

/**
 * @param {string} weak
 * @param {number} owner
 */
function belongs(weak, owner) {
  const { PERSON, DELIVERY, NAMED, THING } = ABOUT;
  if (owner & THING) return false;
  if (weak === "name") return !!(owner & (PERSON | DELIVERY | NAMED));
  if (weak === "message") return !!(owner & (PERSON | DELIVERY));
  return !!(owner & (weak === "address" ? DELIVERY : PERSON));
}

/** @param {string} text @returns {string} in lower case, without accents */
function plainText(text) {
  return text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replaceAll("ß", "ss")
    .replaceAll("ł", "l")
    .replaceAll("ı", "i");
}

/** @param {string} key @returns {string[]} its words without digits; of a very long key, the last ones */
function wordsOf(key) {
  const parted = key.slice(-MAX_KEY_LENGTH).replace(/(?<=[\p{Ll}\d])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, " ");
  return plainText(parted).match(/\p{L}+/gu) ?? [];
}
