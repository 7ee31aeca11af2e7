/** The mouse: clicks and hovers. */

/**
 * @import {ActionReply, DrivenContext, Point, PressOutcome} from "../shared/types.d.ts"
 * @import {MouseButton} from "../browser/trusted-input.js"
 *
 * @typedef {object} Clicking
 * @property {number} count
 * @property {MouseButton} button
 * @property {[number, number] | undefined} at
 */

import { invalid } from "../shared/errors.js";
import { BUTTON_NAMES, approach, moveTo, pressButton, releaseButton } from "../browser/trusted-input.js";
import { endsWithin } from "../browser/async.js";
import { afterwards, consequences, find, noting, pointOf, replyAbout, selectorOf } from "./element-action.js";
import { moveUntilSeen, pointIn, pressElement, watching } from "./mouse-press.js";

const MAX_COUNT = 3;
/** A step is taken at the next frame; in the background, where that is far away, it may be passed over. */
const STEP_WAIT_MS = 50;

/**
 * @param {DrivenContext} context `params`: `selector`; `count`, 1 to 3 clicks in a row; `button`, left, right or middle;
 *   `at`, a point in the element, [x, y] in CSS pixels from its top left corner, or null for its middle; `on_dialog`,
 *   `dialog_text`
 * @returns {Promise<ActionReply>}
 * @throws {CommandError} INVALID_ARGUMENT, INVALID_SELECTOR, ELEMENT_NOT_FOUND, EXECUTION_ERROR
 */
export async function click(context) {
  const how = waysOf(context.params);
  const { at, count } = how;
  const action = { action: /** @type {const} */ ("click"), selector: selectorOf(context), at, count };
  const { found, notes } = await pressElement(context, action, (aimed) => pressAt(context, pointOf(aimed), how));
  const changed = await consequences(context);
  const checked = found.isCheckable ? await afterwards(context, "readChecked") : null;
  const reply = await replyAbout(context, found, changed);
  if (found.isCheckable && checked === null) notes.push("The page has left before its state could be read.");
  return { ...noting(reply, notes), ...(typeof checked === "boolean" && { checked }) };
}

/**
 * @param {DrivenContext} context `params`: `selector`; `at`, as for a click
 * @returns {Promise<ActionReply>}
 * @throws {CommandError} INVALID_ARGUMENT, INVALID_SELECTOR, ELEMENT_NOT_FOUND, EXECUTION_ERROR
 */
export async function hover(context) {
  const at = pointIn("at", context.params.at);
  const found = await find(context, { action: "hover", selector: selectorOf(context), at });
  const hasCome = await moveUntilSeen(context, pointOf(found));
  const note = "The page has shown no sign of the mouse: look at it before you go on.";
  return noting(await replyAbout(context, found), hasCome ? [] : [note]);
}

/**
 * @param {Record<string, unknown>} params
 * @returns {Clicking}
 * @throws {CommandError} INVALID_ARGUMENT
 */
function waysOf({ count, button, at }) {
  const clicks = Number(count ?? 1);
  if (!Number.isInteger(clicks) || clicks < 1 || clicks > MAX_COUNT) {
    throw invalid(`count must be a whole number from 1 to ${MAX_COUNT}.`);
  }
  const name = BUTTON_NAMES.find((each) => each === (button ?? "left"));
  if (!name) throw invalid(`button must be one of ${BUTTON_NAMES.join(", ")}.`);
  return { count: clicks, button: name, at: pointIn("at", at) };
}

/**
 * @param {DrivenContext} context
 * @param {Point} point
 * @param {Clicking} how
 * @returns {Promise<PressOutcome>}
 */
export async function pressAt(context, point, { button, count }) {
  const { session } = context;
  const presses = Array.from({ length: count }, (_, index) => index + 1);
  const isThere = approach(session, point);
  await endsWithin(STEP_WAIT_MS, isThere);
  // In one go: the page takes a move alone at its next frame only, which in the background is up to a second away.
  return watching(context, { point }, () => [
    isThere,
    moveTo(session, point),
    ...presses.flatMap((nth) => [pressButton(session, point, button, nth), releaseButton(session, point, button, nth)]),
  ]);
}
