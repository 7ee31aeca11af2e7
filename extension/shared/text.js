/** Texts of others in sentences and pages of ours. */

/** Longer titles are cut where they are shown. */
const MAX_TITLE_LENGTH = 200;
/** The joiners of scripts and pictographs that need them to be written. */
const JOINER = /^[\u200c\u200d]$/;
/** Characters beyond U+FFFF stand outside of the set: Chromium 156 does not find them in one before `$`. */
const JOINED =
  /(?:[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\ufe0f]|\p{Extended_Pictographic}|\p{Emoji_Modifier})$/u;
const PICTURE = /\p{Emoji}$/u;

/**
 * @param {string} text
 * @returns {string} without invisible characters and those that turn the direction of writing, but for the joiners and
 *   variation selectors that its script uses
 */
function withoutInvisible(text) {
  return text.replace(/\p{Cf}|\p{Default_Ignorable_Code_Point}/gu, (found, /** @type {number} */ at) => {
    const before = text.slice(Math.max(0, at - 2), at);
    if (found === "\ufe0f") return PICTURE.test(before) ? found : "";
    return JOINER.test(found) && JOINED.test(before) ? found : "";
  });
}

/**
 * Text that others have written, as one printable line: what has no width of its own or turns the direction of writing
 * goes.
 *
 * @param {string} text
 * @param {number} limit characters
 */
export function plainLine(text, limit) {
  const line = withoutInvisible(text.slice(0, 4 * limit))
    .replace(/(?![\u200c\u200d])[\p{C}\p{Z}\s]+/gu, " ")
    .trim();
  return line.length > limit ? `${line.slice(0, limit - 3).toWellFormed()}...` : line;
}

/**
 * @param {{title?: string | undefined}} tab
 * @returns {string} its page's title, as our own pages show it
 */
export function titleOf({ title = "" }) {
  return plainLine(title, MAX_TITLE_LENGTH);
}

/**
 * @param {string} text
 * @returns {string} the same for a sentence around it, whose direction of writing it does not turn
 */
export function isolated(text) {
  return `\u2068${text}\u2069`;
}

/**
 * @param {string} address
 * @returns {string} what a user knows the page's site by: `example.com:8080`, `chrome://version`
 */
export function siteOf(address) {
  const url = URL.parse(address);
  if (!url) return "";
  return /^https?:$/.test(url.protocol) ? url.host : `${url.protocol}//${url.host}`;
}
