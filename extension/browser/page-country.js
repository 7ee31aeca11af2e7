/** The countries of a page: phone numbers without a country code are those of one of them. */

/** Top-level domains of two letters that say nothing about a country. */
const GENERIC_DOMAINS = new Set(["ac", "ai", "cc", "co", "fm", "gg", "io", "ly", "me", "sh", "to", "tv", "ws", "eu"]);
const MAX_VALUES = 2_000;
/** Of languages that are written mainly in one country, and of its neighbors. @type {Record<string, string[]>} */
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
/** In addition to those whose first two letters are the country: `GBP`, `JPY`. */
const NO_COUNTRY = /^(?:EU|X|AN)/;

/** @param {string} url @returns {string[]} by its top-level domain */
export function countryOfHost(url) {
  const [, domain = ""] = /^https?:\/\/[^/?#]*\.([a-z]{2})(?::\d+)?(?:[/?#]|$)/i.exec(url) ?? [];
  const code = domain.toLowerCase();
  if (!code || GENERIC_DOMAINS.has(code)) return [];
  return [code === "uk" ? "GB" : code.toUpperCase()];
}

/** @param {unknown} value JSON @returns {Set<string>} by what it says of its country, language and currency */
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
