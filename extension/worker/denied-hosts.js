/** Hosts that no tool may touch, as the server's configuration file names them: frames of theirs are not entered. */

/**
 * @param {string} url of a frame
 * @param {string[]} patterns hosts, `*` for any part of one; `*.example.com` means example.com too
 * @returns {boolean} also for a host that cannot be told
 */
export function isDenied(url, patterns) {
  // What a page writes into a frame itself belongs to that page.
  if (!patterns.length || url.startsWith("about:")) return false;
  const host = hostOf(url);
  return !host || patterns.some((pattern) => [host, `.${host}`].some((name) => expressionOf(pattern).test(name)));
}

/** @param {string} url */
export function hostOf(url) {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$|\.$/g, "") : "";
}

/** @param {string} pattern */
function expressionOf(pattern) {
  const parts = pattern.split("*").map((part) => part.replace(/[.\\^$+?()[\]{}|/]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`);
}
