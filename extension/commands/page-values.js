/**
 * Checks the output of page/write-json.js for a reply. It comes from the page's own world, so none of it is trusted
 * before that.
 *
 * @import {JsonCuts, JsonLimits, WrittenJson} from "../shared/types.d.ts"
 */

const COUNTED_CUTS = ["text", "members", "depth", "unreadable"];
const TOLD_CUTS = ["total", "time"];

/**
 * @param {unknown} text
 * @param {JsonLimits} limits that applied when it was written
 * @returns {WrittenJson | null} null for anything the function would not have written: the page has broken or forged it
 */
export function parseWritten(text, limits) {
  // A key and a text that exceed the limit add less than the limit again.
  if (typeof text !== "string" || text.length > 2 * limits.total) return null;
  try {
    const written = JSON.parse(text);
    return isWritten(written, limits) ? written : null;
  } catch {
    return null;
  }
}

/**
 * @param {any} written
 * @param {JsonLimits} limits
 */
function isWritten({ found, candidates, values, total, since, cuts }, { depth }) {
  if (found === false) return Array.isArray(candidates) && candidates.every((name) => typeof name === "string");
  return (
    found === true &&
    Array.isArray(values) &&
    isCount(since) &&
    isCount(total) &&
    since + values.length <= total &&
    COUNTED_CUTS.every((kind) => isCount(cuts[kind])) &&
    TOLD_CUTS.every((kind) => typeof cuts[kind] === "boolean") &&
    // The entries of a Map are lists in a list.
    isAsDeepAs(2 * depth + 1, values)
  );
}

/** @param {unknown} value */
function isCount(value) {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/**
 * @param {number} levels
 * @param {unknown} value JSON
 * @returns {boolean} false if it is nested deeper
 */
function isAsDeepAs(levels, value) {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => isAsDeepAs(levels - 1, member));
}

/**
 * @param {JsonCuts} cuts
 * @param {JsonLimits} limits
 * @returns {string[]} sentences about what was truncated inside the values
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
      `${plural(cuts.unreadable, "value", "values")} could not be read, because the page's own code threw an error.`,
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
