/** Untrusted texts in our sentences and pages. */

/** Longer titles are truncated for display. */
const MAX_TITLE_LENGTH = 200;
/** The joiners that some scripts and pictographs need. */
const JOINER = /^[\u200c\u200d]$/;
/** Characters beyond U+FFFF are outside the set: Chromium 156 does not find them in a set before `$`. */
const JOINED =
  /(?:[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\ufe0f]|\p{Extended_Pictographic}|\p{Emoji_Modifier})$/u;
const PICTURE = /\p{Emoji}$/u;

/**
 * @param {string} text
 * @returns {string} without invisible and direction-changing characters, except the joiners and variation selectors
 *   that its script uses
 */
function withoutInvisible(text) {
  return text.replace(/\p{Cf}|\p{Default_Ignorable_Code_Point}/gu, (found, /** @type {number} */ at) => {
    const before = text.slice(Math.max(0, at - 2), at);
    if (found === "\ufe0f") return PICTURE.test(before) ? found : "";
    return JOINER.test(found) && JOINED.test(before) ? found : "";
  });
}

/**
 * Returns untrusted text as one printable line, without zero-width and direction-changing characters.
 *
 * @param {string} text
 * @param {number} limit in characters
 */
export function plainLine(text, limit) {
  const line = withoutInvisible(text.slice(0, 4 * limit))
    .replace(/(?![\u200c\u200d])[\p{C}\p{Z}\s]+/gu, " ")
    .trim();
  return line.length > limit ? `${line.slice(0, limit - 3).toWellFormed()}...` : line;
}

/**
 * @param {{title?: string | undefined}} tab
 * @returns {string} the page's title, as our own pages show it
 */
export function titleOf({ title = "" }) {
  return plainLine(title, MAX_TITLE_LENGTH);
}

/**
 * @param {string} text
 * @returns {string} the text isolated, so that it does not change the direction of the sentence around it
 */
export function isolated(text) {
  return `\u2068${text}\u2069`;
}

/**
 * @param {string} address
 * @returns {string} the name of the page's site for users: `example.com:8080`, `chrome://version`, `about:blank`
 */
export function siteOf(address) {
  const url = URL.parse(address);
  if (!url) return "";
  if (/^https?:$/.test(url.protocol)) return url.host;
  if (url.host) return `${url.protocol}//${url.host}`;
  return url.protocol === "about:" ? `about:${url.pathname}` : url.protocol;
}
