/** Parameters that several commands have. */

import { invalid } from "../shared/errors.js";

/**
 * @param {Record<string, unknown>} params
 * @param {string} name
 * @param {number} most
 * @param {number} fallback if there is none
 * @param {string} [unit] such as " milliseconds"
 * @returns {number} an integer of at least 1
 * @throws {CommandError} INVALID_ARGUMENT
 */
export function integerIn(params, name, most, fallback, unit = "") {
  const value = params[name] ?? fallback;
  if (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most) return Number(value);
  throw invalid(`${name} must be an integer from 1 to ${most}${unit}.`);
}

/**
 * @param {Record<string, unknown>} params
 * @param {string} name
 * @param {number} most its length
 * @returns {string} empty if there is none
 * @throws {CommandError} INVALID_ARGUMENT
 */
export function textIn(params, name, most) {
  const text = params[name] ?? "";
  if (typeof text === "string" && text.length <= most) return text;
  throw invalid(`${name} must be a string of at most ${most} characters.`);
}
