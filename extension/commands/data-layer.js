/** @import {CommandContext, DataLayer, JsonLimits} from "../shared/types.d.ts" */

import { CommandError, invalid } from "../shared/errors.js";
import { writeJson } from "../page/write-json.js";
import { requirePrivateValues } from "../browser/consent.js";
import { askPage, unreadable } from "../browser/inject.js";
import { redactorFor } from "../browser/redaction.js";
import { cutNotes, parseWritten } from "./page-values.js";

/** @type {JsonLimits} */
const LIMITS = {
  depth: 20,
  entries: 5_000,
  keys: 1_000,
  text: 10_000,
  total: 2_000_000,
  milliseconds: 10_000,
};
const DEFAULT_NAME = "dataLayer";
const MAX_NAME_LENGTH = 200;
const NAMED_CANDIDATES = 10;
const NEWEST = -1;

/**
 * @param {CommandContext} context `params`: `name`, a global or a path to a member of one (`digitalData.events`);
 *   `since`, the index of the first entry to return, or null for the newest entries; `redact`, false for raw values
 * @returns {Promise<DataLayer>}
 * @throws {CommandError} INVALID_ARGUMENT, DATALAYER_NOT_FOUND, PRIVATE_NOT_ALLOWED, UNREADABLE_PAGE
 */
export async function getDataLayer(context) {
  const { params, tabId, attachments } = context;
  const name = nameOf(params);
  const isRedacted = isRedactedBy(params);
  const request = { name, since: sinceOf(params), limits: LIMITS };
  const redactor = await redactorFor(tabId);
  // A page can detect that it is being read.
  if (!isRedacted) await requirePrivateValues(tabId, attachments);
  const answer = await askPage(context, () => ({ func: writeJson, args: [request], world: "MAIN" }));
  const written = parseWritten(answer, LIMITS);
  if (!written) throw unreadable("The page replaced functions that reading its data needs. Reload it and try again.");
  if (!written.found) throw notFound(name, written.candidates);
  // Checked again once the values are here: the tab may have gone to another site meanwhile.
  if (!isRedacted) await requirePrivateValues(tabId, attachments);
  const { values, total, since, cuts } = written;
  const shown = isRedacted ? redactor.value(values) : values;
  return { name, values: shown, total, since, redacted: redactor.counts, notes: cutNotes(cuts, LIMITS) };
}

/** @param {Record<string, unknown>} params */
function nameOf({ name }) {
  const given = name ?? DEFAULT_NAME;
  if (typeof given === "string" && given.length <= MAX_NAME_LENGTH && given.split(".").every(Boolean)) return given;
  throw invalid(
    `name must be the name of a global variable, at most ${MAX_NAME_LENGTH} characters long, such as dataLayer.`,
  );
}

/** @param {Record<string, unknown>} params */
function sinceOf({ since }) {
  if ((since ?? null) === null) return NEWEST;
  if (Number.isSafeInteger(since) && Number(since) >= 0) return Number(since);
  throw invalid("since must be the index of an entry (at least 0), or null.");
}

/** @param {Record<string, unknown>} params */
function isRedactedBy({ redact }) {
  if (typeof (redact ?? true) === "boolean") return redact !== false;
  throw invalid("redact must be true or false.");
}

/**
 * @param {string} name
 * @param {string[]} candidates
 */
function notFound(name, candidates) {
  // The names come from the page: only plain words may appear in a sentence.
  const words = candidates.filter((candidate) => /^[\w$]+$/.test(candidate));
  const isLikely = (/** @type {string} */ word) => /data|layer|queue|tag|track|event|^_/i.test(word);
  const ordered = [...words.filter(isLikely), ...words.filter((word) => !isLikely(word))];
  const advice = ordered.length
    ? `It has these arrays: ${ordered.slice(0, NAMED_CANDIDATES).join(", ")}. Pass one of them as name.`
    : "None of its global variables is an array. Wait until the page has loaded, or try another page.";
  return new CommandError("DATALAYER_NOT_FOUND", `The page has no ${JSON.stringify(name)}. ${advice}`);
}
