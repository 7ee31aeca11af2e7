/** @import {CommandContext, DataLayer, DataLayerCuts, DataLayerLimits, DataLayerReading} from "../shared/types.d.ts" */

import { CommandError } from "../shared/errors.js";
import { readDataLayer } from "../page/read-data-layer.js";
import { askPage, unreadable } from "../worker/page-access.js";

/** @type {DataLayerLimits} */
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

/**
 * @param {CommandContext} context `params`: `name`, a global or a path to a member of one (`digitalData.events`);
 *   `since`, the index of the first entry wanted, or null for the newest entries
 * @returns {Promise<DataLayer>}
 * @throws {CommandError} INVALID_ARGUMENT, DATALAYER_NOT_FOUND, UNREADABLE_PAGE
 */
export async function getDataLayer(context) {
  const { params } = context;
  const request = { name: nameOf(params), ...sinceOf(params), limits: LIMITS };
  const answer = await askPage(context, () => ({ func: readDataLayer, args: [request], world: "MAIN" }));
  const reading = parse(answer);
  if (!reading.found) throw notFound(request.name, reading.candidates);
  const { values, total, since } = reading;
  return { name: request.name, values, total, since, notes: notesOf(reading, "since" in request) };
}

/** @param {Record<string, unknown>} params */
function nameOf({ name }) {
  const given = name ?? DEFAULT_NAME;
  if (typeof given === "string" && given.length <= MAX_NAME_LENGTH && given.split(".").every(Boolean)) return given;
  throw invalid(
    `name must be the name of a global, at most ${MAX_NAME_LENGTH} characters long, for example dataLayer.`,
  );
}

/** @param {Record<string, unknown>} params */
function sinceOf({ since }) {
  // Left out rather than null: Chrome drops nulls on the way into the page.
  if ((since ?? null) === null) return {};
  if (Number.isSafeInteger(since) && Number(since) >= 0) return { since: Number(since) };
  throw invalid("since must be the index of an entry, 0 or more, or null.");
}

/**
 * @param {unknown} answer
 * @returns {DataLayerReading}
 */
function parse(answer) {
  try {
    return JSON.parse(String(answer ?? ""));
  } catch {
    throw unreadable("The page has replaced what reading its data takes. Reload it and try again.");
  }
}

/**
 * @param {string} name
 * @param {string[]} candidates
 */
function notFound(name, candidates) {
  // The names are the page's: only those that are plain words may stand in a sentence.
  const words = candidates.filter((candidate) => /^[\w$]+$/.test(candidate));
  const isLikely = (/** @type {string} */ word) => /data|layer|queue|tag|track|event|^_/i.test(word);
  const ordered = [...words.filter(isLikely), ...words.filter((word) => !isLikely(word))];
  const advice = ordered.length
    ? `It has these lists: ${ordered.slice(0, NAMED_CANDIDATES).join(", ")}. Ask for one of them by name.`
    : "It has no other list among its globals either. Wait until the page has loaded, or ask on another page.";
  return new CommandError("DATALAYER_NOT_FOUND", `The page has no ${JSON.stringify(name)}. ${advice}`);
}

/**
 * @param {Extract<DataLayerReading, {found: true}>} reading
 * @param {boolean} wasAskedSince whether the entries before are left out on purpose
 * @returns {string[]} sentences about what is not there
 */
function notesOf({ values, total, since, cuts }, wasAskedSince) {
  const end = since + values.length;
  return [
    since > 0 && !wasAskedSince && `Entries 0 to ${since - 1} of ${total} are left out; ask for them with since.`,
    end < total && `Entries ${end} to ${total - 1} are left out; ask for them with since=${end}.`,
    ...cutNotes(cuts, LIMITS),
  ].filter((note) => typeof note === "string");
}

/**
 * @param {DataLayerCuts} cuts
 * @param {DataLayerLimits} limits
 * @returns {string[]} sentences about what was cut inside the values
 */
export function cutNotes(cuts, limits) {
  return [
    cuts.total && `Reading ended at the limit of about ${limits.total / 1e6} MB; the outermost entry may be cut.`,
    cuts.time && `Reading ended after ${limits.milliseconds / 1000} s; the outermost entry may be cut.`,
    cuts.text && `${plural(cuts.text, "text was", "texts were")} cut to ${limits.text} characters.`,
    cuts.members &&
      `${plural(cuts.members, "object or list was", "objects or lists were")} cut to ${limits.keys} keys or ` +
        `${limits.entries} entries.`,
    cuts.depth &&
      `${plural(cuts.depth, "object or list was", "objects or lists were")} left out, nested deeper than ` +
        `${limits.depth} levels.`,
    cuts.unreadable &&
      `${plural(cuts.unreadable, "value", "values")} could not be read, because the page's own code failed there.`,
  ].filter((note) => typeof note === "string");
}

/**
 * @param {number} count
 * @param {string} one
 * @param {string} many
 */
function plural(count, one, many) {
  return `${count} ${count === 1 ? one : many}`;
}

/** @param {string} message */
function invalid(message) {
  return new CommandError("INVALID_ARGUMENT", message);
}
