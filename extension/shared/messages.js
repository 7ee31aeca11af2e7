/**
 * The texts that users read, in the language of `_locales/` that the browser chose. Texts for agents are English, and
 * are written where they are used.
 *
 * @typedef {keyof typeof import("../_locales/en/messages.json")} MessageKey
 */

/**
 * @param {MessageKey} key
 * @param {(string | number)[]} values replacements for $1, $2 ... in the text
 */
export function phrase(key, ...values) {
  return chrome.i18n.getMessage(key, values.map(String));
}

/** @returns {string} the language of the texts, as a BCP 47 tag */
export function language() {
  return phrase("language");
}
