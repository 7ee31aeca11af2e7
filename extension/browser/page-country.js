/** The countries of a page: phone numbers without a country code are checked against these. */

/** Two-letter top-level domains that do not indicate a country. */
const GENERIC_DOMAINS = new Set(["ac", "ai", "cc", "co", "fm", "gg", "io", "ly", "me", "sh", "to", "tv", "ws", "eu"]);
const MAX_VALUES = 2_000;
/** Countries of languages written mainly in one country, with its neighbors. @type {Record<string, string[]>} */
const OF_LANGUAGE = {
  da: ["DK"],
  de: ["DE", "AT", "CH"],
  es: ["ES", "MX"],
  fi: ["FI"],
  fr: ["FR", "BE", "CH"],
  it: ["IT"],
  ja: ["JP"],
  ko: ["KR"],
  nb: ["NO"],
  nl: ["NL", "BE"],
  no: ["NO"],
  pl: ["PL"],
  pt: ["PT", "BR"],
  sv: ["SE"],
  tr: ["TR"],
  zh: ["CN"],
};
/** Prefixes of currency codes that are not a country, unlike those of `GBP` and `JPY`. */
const NO_COUNTRY = /^(?:EU|X|AN)/;

/** @param {string} url @returns {string[]} from its top-level domain */
export function countryOfHost(url) {
  const [, domain = ""] = /^https?:\/\/[^/?#]*\.([a-z]{2})(?::\d+)?(?:[/?#]|$)/i.exec(url) ?? [];
  const code = domain.toLowerCase();
  if (!code || GENERIC_DOMAINS.has(code)) return [];
  return [code === "uk" ? "GB" : code.toUpperCase()];
}

/** @param {unknown} value JSON @returns {Set<string>} from its country, language and currency fields */
export function countriesIn(value) {
  /** @type {Set<string>} */
  const found = new Set();
  const open = [value];
  for (let count = 0; open.length && count < MAX_VALUES; count += 1) {
    const item = open.pop();
    if (typeof item !== "object" || item === null) continue;
    for (const [key, member] of Object.entries(item)) {
      if (typeof member === "object") open.push(member);
      else if (typeof member === "string" && member.length < 9) {
        for (const code of countriesBy(key, member)) found.add(code);
      }
    }
  }
  return found;
}

/**
 * @param {string} key
 * @param {string} text
 * @returns {string[]}
 */
function countriesBy(key, text) {
  if (/country(?:_?(?:code|id))?$/i.test(key)) return /^[A-Za-z]{2}$/.test(text) ? [text.toUpperCase()] : [];
  if (/currency(?:_?code)?$/i.test(key)) {
    return /^[A-Z]{3}$/.test(text) && !NO_COUNTRY.test(text) ? [text.slice(0, 2)] : [];
  }
  if (!/^(?:lang|language|locale)$/i.test(key)) return [];
  const [, language = "", region = ""] = /^([a-z]{2})(?:[-_](?:[A-Z][a-z]{3}[-_])?([A-Z]{2}))?$/.exec(text) ?? [];
  return region ? [region] : (OF_LANGUAGE[language] ?? []);
}
