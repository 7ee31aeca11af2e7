/**
 * Hosts that no tool may touch, from the server's configuration file and the extension's options: their frames are not
 * entered. The server normalizes names in the same way; tests/data/host_names.json has cases for both.
 */

import { CommandError } from "./errors.js";
import { plainLine } from "./text.js";

const MAX_HOST_LENGTH = 200;
/** Pages with these schemes belong to the origin inside the URL. */
const WRAPPERS = /^(?:blob|filesystem|view-source):/i;
/** An IPv4 address inside an IPv6 one, as URL parsers write it. */
const MAPPED = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/;
/** URL parsers would treat these as the end of the host, or drop them. */
const NOT_IN_HOSTS = /[/?#@\\\s]/;
const OUTSIDE_ASCII = /[^\0-\x7f]/;
/** UTS 46 maps the others to the first. */
const DOTS = /[.\u3002\uff0e\uff61]/;
const MAX_EXPRESSIONS = 1_000;
/** @type {Map<string, RegExp>} by pattern */
const expressions = new Map();

/**
 * @param {string} url of a page; if empty, the URL of the page that it belongs to (page-owners.js)
 * @param {string[]} patterns hosts, with `*` for any part; `*.example.com` includes example.com
 * @returns {boolean} also true for a host that cannot be determined
 */
export function isDenied(url, patterns) {
  // An empty page that no page opened shows nothing.
  if (!patterns.length || url.startsWith("about:")) return false;
  const host = hostOf(url);
  return (!host && !url.startsWith("file:")) || patterns.some((pattern) => isMatch(host, pattern));
}

/**
 * @param {string} host as returned by `hostOf`
 * @param {string} pattern
 */
export function isMatch(host, pattern) {
  const expression = expressions.get(pattern) ?? expressionOf(asciiHost(pattern));
  if (expressions.size < MAX_EXPRESSIONS) expressions.set(pattern, expression);
  return expression.test(host) || expression.test(`.${host}`);
}

/**
 * @param {string} url
 * @returns {string} the host as `asciiHost` writes it; empty if there is none
 */
export function hostOf(url) {
  const inner = url.replace(WRAPPERS, "");
  return URL.canParse(inner) ? plainHost(new URL(inner).hostname) : "";
}

/**
 * Returns a host name as browsers report it: UTS 46 without transitional processing, the IPv4 form of an IPv4-mapped
 * IPv6 address, no brackets, no trailing dot.
 *
 * @param {string} name of a host, or a pattern with `*` for any part of it
 * @returns {string} empty for a name that no host can have
 */
export function asciiHost(name) {
  const host = name.replace(/^\[|\]$/g, "");
  if (NOT_IN_HOSTS.test(host)) return "";
  const isWild = host.includes("*");
  // Part of a non-ASCII label has no canonical form to compare.
  if (host.split(DOTS).some((label) => label.includes("*") && OUTSIDE_ASCII.test(label))) return "";
  // Parsed as an address, 10.*.1 would come out wrong.
  if (isWild && !OUTSIDE_ASCII.test(host)) return host.toLowerCase().replace(/\.+$/, "");
  const url = `http://${host.includes(":") ? `[${host}]` : host}/`;
  return URL.canParse(url) ? plainHost(new URL(url).hostname) : "";
}

/** @param {string} hostname as written by the URL parser */
function plainHost(hostname) {
  const host = hostname.replace(/^\[|\]$|\.+$/g, "").replaceAll(/%2a/gi, "*");
  const [, high, low] = MAPPED.exec(host) ?? [];
  return high && low ? [high, low].flatMap(bytesOf).join(".") : host;
}

/** @param {string} group of an IPv6 address */
function bytesOf(group) {
  const number = parseInt(group, 16);
  return [number >> 8, number & 255];
}

/** @param {string} pattern empty for one that matches nothing */
function expressionOf(pattern) {
  if (!pattern) return /(?!)/;
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
    `The extension's options or [sites] in the configuration file deny ${nameOf(url)}. Nothing of that page is ` +
      "shown. Choose another tab, or ask the user to leave the page or change the rule.",
  );
}

/**
 * @param {number} count of entries in a list
 * @returns {{notes?: string[]}} the list's note about them
 */
export function leftOut(count) {
  return count ? { notes: [`${count} entries are left out: they are about denied hosts.`] } : {};
}

/**
 * @param {string} url
 * @returns {string} the host, for use in a sentence
 */
export function nameOf(url) {
  return plainLine(hostOf(url), MAX_HOST_LENGTH) || "A page without a known host";
}
