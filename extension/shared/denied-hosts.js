/**
 * Hosts that no tool may touch, as the server's configuration file and the extension's options name them: frames of
 * theirs are not entered. The server normalizes names in the same way; tests/data/host_names.json holds cases for both.
 */

import { CommandError } from "./errors.js";
import { plainLine } from "./text.js";

const MAX_HOST_LENGTH = 200;
/** Their pages belong to the origin inside the address. */
const WRAPPERS = /^(?:blob|filesystem|view-source):/i;
/** An IPv4 address inside an IPv6 one, as URL parsers write it. */
const MAPPED = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/;
/** URL parsers would take it for the end of the host, or drop it. */
const NOT_IN_HOSTS = /[/?#@\\\s]/;
const OUTSIDE_ASCII = /[^\0-\x7f]/;
/** UTS 46 maps the others to the first. */
const DOTS = /[.\u3002\uff0e\uff61]/;
const MAX_EXPRESSIONS = 1_000;
/** @type {Map<string, RegExp>} by pattern */
const expressions = new Map();

/**
 * @param {string} url of a page; for an empty one the address of the page that it belongs to (page-owners.js)
 * @param {string[]} patterns hosts, `*` for any part of one; `*.example.com` means example.com too
 * @returns {boolean} also for a host that cannot be known
 */
export function isDenied(url, patterns) {
  // An empty page that no page has opened shows nothing.
  if (!patterns.length || url.startsWith("about:")) return false;
  const host = hostOf(url);
  return (!host && !url.startsWith("file:")) || patterns.some((pattern) => isMatch(host, pattern));
}

/**
 * @param {string} host as `hostOf` gives it
 * @param {string} pattern
 */
export function isMatch(host, pattern) {
  const expression = expressions.get(pattern) ?? expressionOf(asciiHost(pattern));
  if (expressions.size < MAX_EXPRESSIONS) expressions.set(pattern, expression);
  return expression.test(host) || expression.test(`.${host}`);
}

/**
 * @param {string} url
 * @returns {string} the host as `asciiHost` writes it; empty where there is none
 */
export function hostOf(url) {
  const inner = url.replace(WRAPPERS, "");
  return URL.canParse(inner) ? plainHost(new URL(inner).hostname) : "";
}

/**
 * A host's name as browsers report it: UTS 46 without transitional processing, an IPv4 address for one that is mapped
 * into IPv6, no brackets, no dot at the end.
 *
 * @param {string} name of a host, or a pattern with `*` for any part of it
 * @returns {string} empty for a name that no host can have
 */
export function asciiHost(name) {
  const host = name.replace(/^\[|\]$/g, "");
  if (NOT_IN_HOSTS.test(host)) return "";
  const isWild = host.includes("*");
  // A part of a label outside ASCII has no form of its own that could be compared.
  if (host.split(DOTS).some((label) => label.includes("*") && OUTSIDE_ASCII.test(label))) return "";
  // As an address 10.*.1 would be wrong.
  if (isWild && !OUTSIDE_ASCII.test(host)) return host.toLowerCase().replace(/\.+$/, "");
  const url = `http://${host.includes(":") ? `[${host}]` : host}/`;
  return URL.canParse(url) ? plainHost(new URL(url).hostname) : "";
}

/** @param {string} hostname as the URL parser writes it */
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
      "shown. Choose another tab, or ask the user to leave the page or to change the rule.",
  );
}

/**
 * @param {number} count of entries of a list
 * @returns {{notes?: string[]}} what the list says about them
 */
export function leftOut(count) {
  return count ? { notes: [`${count} entries are left out: they are about denied hosts.`] } : {};
}

/**
 * @param {string} url
 * @returns {string} the host for a sentence
 */
export function nameOf(url) {
  return plainLine(hostOf(url), MAX_HOST_LENGTH) || "A page without a known host";
}
