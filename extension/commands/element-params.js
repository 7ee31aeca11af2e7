/** The parameters and replies that commands on an element share. @import {ActionReply, DrivenContext} from "../shared/types.d.ts" */

import { invalid } from "../shared/errors.js";

const MAX_SELECTOR_LENGTH = 2_000;
/** The note about a field whose value could not be read any more. */
export const LEFT = "The page navigated away before the field could be read.";

/**
 * @param {DrivenContext} context
 * @param {string} [name] of the parameter
 */
export function selectorOf({ params }, name = "selector") {
  const selector = params[name];
  if (typeof selector === "string" && selector.trim() && selector.length <= MAX_SELECTOR_LENGTH) return selector;
  throw invalid(`${name} must be a CSS selector, xpath=... or text=..., for example #buy or text=Buy now.`);
}

/**
 * @param {DrivenContext} context
 * @param {string} [name] of the parameter
 * @returns {string} empty if none is given
 */
export function optionalSelectorOf(context, name = "selector") {
  return (context.params[name] ?? null) === null ? "" : selectorOf(context, name);
}

/**
 * @param {string} name of the parameter
 * @param {unknown} value
 * @param {boolean} [mayLieOutside] whether the point may lie outside the element
 * @returns {[number, number] | undefined}
 * @throws {CommandError} INVALID_ARGUMENT
 */
export function pointIn(name, value, mayLieOutside = false) {
  if ((value ?? null) === null) return undefined;
  const [x, y] = Array.isArray(value) && value.length === 2 ? value : [];
  if (Number.isFinite(x) && Number.isFinite(y) && (mayLieOutside || (x >= 0 && y >= 0))) return [x, y];
  throw invalid(`${name} must be [x, y], CSS pixels from the top left corner of the element: [10, 25].`);
}

/**
 * @param {ActionReply} reply
 * @param {string[]} notes
 * @returns {ActionReply}
 */
export function noting(reply, notes) {
  return notes.length ? { ...reply, notes: [...(reply.notes ?? []), ...notes] } : reply;
}
