/**
 * @param {number} maxBytes
 * @param {string} text
 * @returns {boolean} whether the text takes more than `maxBytes` in UTF-8
 */
export function isLongerThan(maxBytes, text) {
  // A UTF-16 unit takes one to three bytes: almost every text is decided without encoding it.
  if (text.length * 3 <= maxBytes) return false;
  return text.length > maxBytes || new TextEncoder().encode(text).length > maxBytes;
}
