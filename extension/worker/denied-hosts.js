/**
 * Hosts that no tool may touch, as the server's configuration file and the extension's options name them: frames of
 * theirs are not entered.
 */

import { CommandError } from "../shared/errors.js";
import { plainLine } from "../shared/text.js";

const MAX_HOST_LENGTH = 200;

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

/**
 * @param {string} url
 * @param {string[]} patterns
 * @throws {CommandError} HOST_BLOCKED
 */
export function refuseDenied(url, patterns) {
  if (!isDenied(url, patterns)) return;
  throw new CommandError(
    "HOST_BLOCKED",
    `The person denies ${plainLine(hostOf(url), MAX_HOST_LENGTH) || "pages without a host"} to clients, in the ` +
      "extension's options or in [sites]. Nothing of that page is shown. Choose another tab.",
  );
}
