/**
 * @import {CommandContext, LoggedRequest, NetworkRequests, ShownRequest} from "../shared/types.d.ts"
 * @import {DebuggerSession} from "../browser/debugger/debugger-session.js"
 * @import {Redactor} from "../browser/redaction.js"
 */

import { CommandError, failed, invalid } from "../shared/errors.js";
import { isDenied, leftOut, refuseDenied } from "../shared/denied-hosts.js";
import { decodeHit, isHit } from "../browser/analytics-hits.js";
import { redactorFor } from "../browser/redaction.js";
import { integerIn, textIn } from "./params.js";

const DEFAULT_MAX = 50;
const MOST = 500;
const MAX_FILTER_LENGTH = 2_000;
const MAX_BODY_LENGTH = 30_000;
const REDIRECT = "A redirect has no body. The redirected request has its own entry.";
const TYPES = new Set(
  "document stylesheet script image font media manifest xhr fetch ping websocket eventsource preflight other".split(
    " ",
  ),
);

/**
 * @param {CommandContext} context `params`: `filter`, a type or a substring of the URL as displayed; `max`; `body_of`,
 *   the id of one request, for its response body
 * @returns {Promise<NetworkRequests>}
 * @throws {CommandError} INVALID_ARGUMENT, EXECUTION_ERROR, HOST_BLOCKED, UNREADABLE_PAGE
 */
export async function networkRequests({ tabId, params, sessionPool, deniedHosts }) {
  const wanted = textIn(params, "filter", MAX_FILTER_LENGTH).toLowerCase();
  const max = integerIn(params, "max", MOST, DEFAULT_MAX);
  const id = idOf(params);
  const session = await sessionPool.open(tabId);
  const { network: log } = session;
  const redactor = await redactorFor(tabId);
  if (id) return { entries: [await withBody(session, id, redactor, deniedHosts)], total: log.total };
  /** @type {ShownRequest[]} */
  const entries = [];
  let hidden = 0;
  for (const request of log.newest()) {
    if (entries.length === max) break;
    if (addressesOf(request).some((url) => isDenied(url, deniedHosts))) {
      hidden += 1;
      continue;
    }
    const entry = shown(request, redactor);
    if (isWanted(entry, wanted)) entries.push(entry);
  }
  return { entries, total: log.total, ...leftOut(hidden) };
}

/** @param {LoggedRequest} request */
function addressesOf({ pages, url }) {
  return [...pages, url];
}

/**
 * @param {LoggedRequest} request
 * @param {Redactor} redactor
 * @returns {ShownRequest}
 */
function shown({ id, pages, method, type, url, sent, status, size, time, error }, redactor) {
  const about = { id, method, status, type, size, time, page: redactor.address(pages[0] ?? "") };
  const problem = error && { error };
  if (!isHit(url)) return { ...about, url: redactor.address(url), ...problem };
  return {
    ...about,
    url: redactor.address(url.replace(/[?#].*$/s, "")),
    ...decodeHit(url, sent, redactor),
    ...problem,
  };
}

/**
 * @param {ShownRequest} entry
 * @param {string} wanted
 */
function isWanted({ type, url, params, events }, wanted) {
  if (TYPES.has(wanted)) return type === wanted;
  // Not in the raw URL: a caller could guess redacted text letter by letter.
  return !wanted || JSON.stringify([url, params, events]).toLowerCase().includes(wanted);
}

/**
 * @param {DebuggerSession} session
 * @param {string} id
 * @param {Redactor} redactor
 * @param {string[]} deniedHosts
 * @returns {Promise<ShownRequest>}
 */
async function withBody(session, id, redactor, deniedHosts) {
  const request = session.network.find(id);
  if (!request) throw invalid(`There is no request ${id} in the list. Use an id from it.`);
  for (const url of addressesOf(request)) refuseDenied(url, deniedHosts);
  const answer = request.isRedirect ? null : await bodyOf(session, request);
  const entry = shown(request, redactor);
  // It may just have been redirected: the response would be that of the next request.
  if (!answer || request.isRedirect) return { ...entry, body: null, notes: [REDIRECT] };
  const { body, base64Encoded } = answer;
  if (base64Encoded) {
    return {
      ...entry,
      body: null,
      notes: [`The body is not text: ${request.mimeType || "of an unknown type"}.`],
    };
  }
  const text = redactor.source(body.toWellFormed());
  const cut = `The first ${MAX_BODY_LENGTH} of ${text.length} characters are shown.`;
  const notes = text.length > MAX_BODY_LENGTH ? { notes: [cut] } : {};
  return { ...entry, body: text.slice(0, MAX_BODY_LENGTH), ...notes };
}

/**
 * @param {DebuggerSession} session
 * @param {LoggedRequest} request
 * @returns {Promise<{body: string, base64Encoded: boolean}>}
 */
async function bodyOf(session, { id, requestId, frame, status }) {
  try {
    return await session.send("Network.getResponseBody", { requestId }, frame);
  } catch (error) {
    if (!(error instanceof CommandError) || error.code !== "EXECUTION_ERROR") throw error;
    const what =
      status === null
        ? "has no response yet, or has failed. List the requests again to check"
        : "no longer has a body: the browser keeps only those of the current page. Ask earlier, or reload the page";
    throw failed(`Request ${id} ${what}.`);
  }
}

/** @param {Record<string, unknown>} params */
function idOf({ body_of: id }) {
  const text = id ?? "";
  if (typeof text === "string" && /^\d{0,15}$/.test(text)) return text;
  throw invalid("body_of must be the id of a request in the list.");
}
