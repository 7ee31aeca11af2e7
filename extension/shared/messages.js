/**
 * The texts that a user reads, in the one of the languages in `_locales/` that the browser has chosen. What agents
 * read is English, and stands where it is said.
 *
 * @typedef {keyof typeof import("../_locales/en/messages.json")} MessageKey
 */

/**
 * @param {MessageKey} key
 * @param {(string | number)[]} values what stands for $1, $2 ... in it
 */
export function phrase(key, ...values) {
  return chrome.i18n.getMessage(key, values.map(String));
}

/** @returns {string} that of the texts, as of BCP 47 */
export function language() {
  return phrase("language");
}
