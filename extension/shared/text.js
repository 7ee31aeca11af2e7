/** Texts of others in sentences and pages of ours. */

/**
 * Text that others have written, as one printable line: what has no width of its own or turns the direction of writing
 * goes.
 *
 * @param {string} text
 * @param {number} limit characters
 */
export function plainLine(text, limit) {
  const line = text
    .slice(0, 4 * limit)
    .replace(/\p{Cf}/gu, "")
    .replace(/[\p{C}\p{Z}\s]+/gu, " ")
    .trim();
  return line.length > limit ? `${line.slice(0, limit - 3).toWellFormed()}...` : line;
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
