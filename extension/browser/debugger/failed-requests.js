/**
 * Requests of the page in a tab that have failed: the page may not show it.
 *
 * @import {LoggedRequest} from "../../shared/types.d.ts"
 */

import { isPoll } from "./pending-requests.js";

/** @typedef {import("./network-log.js").NetworkLog} NetworkLog */

const FIRST_HTTP_ERROR = 400;
/** Request types by which scripts save and load data. */
const OF_SCRIPTS = new Set(["fetch", "xhr"]);
const WRITES = new Set(["POST", "PUT", "PATCH", "DELETE"]);
/** Errors of requests that the page has given up, or that the browser or another extension has blocked. */
const NOT_SENT = /^(?:canceled$|blocked: |net::ERR_(?:ABORTED|BLOCKED))/;

/**
 * @param {NetworkLog} log
 * @param {number} since on the clock of `Date.now`
 * @param {boolean} withReads whether requests count that only read; pages often ask for what may not be there
 * @returns {string} a sentence for the client about the page's own requests since then; empty if none has failed
 */
export function failedNote(log, since, withReads) {
  const all = log.newest();
  const recent = all.filter(({ begunAt, type }) => begunAt >= since && OF_SCRIPTS.has(type));
  const failed = recent.filter(
    (request) =>
      (WRITES.has(request.method) || (withReads && request.method === "GET")) &&
      reasonOf(request) &&
      isOfSite(request) &&
      !isPoll(request, all),
  );
  const first = failed.at(-1);
  if (!first) return "";
  const more = failed.length > 1 ? ` and ${failed.length - 1} more` : "";
  const advice = first.status ? `Read the response with network_requests, body_of="${first.id}".` : "";
  return `Meanwhile, request ${first.id} (${first.method})${more} failed: ${reasonOf(first)}.${advice && ` ${advice}`}`;
}

/** @param {number | null} status null if there is none */
export function isHttpError(status) {
  return status !== null && status >= FIRST_HTTP_ERROR;
}

/**
 * @param {LoggedRequest} request
 * @returns {string} empty if it has not failed, or not by itself
 */
function reasonOf({ status, error }) {
  if (isHttpError(status)) return `HTTP status ${status}`;
  return NOT_SENT.test(error) ? "" : error;
}

/**
 * @param {LoggedRequest} request
 * @returns {boolean} whether it went to the page's own site, as far as the host names show: failed reports to other
 *   services mean nothing to the user
 */
function isOfSite({ url, pages: [page = ""] }) {
  return siteOf(url) === siteOf(page);
}

/** @param {string} url */
function siteOf(url) {
  return URL.parse(url)?.hostname.split(".").slice(-2).join(".");
}
