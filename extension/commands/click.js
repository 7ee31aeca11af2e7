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
import { ElementTarget, notesOn, pointOf } from "../browser/element-target.js";
import { noting, pointIn, selectorOf } from "./element-params.js";
import { integerIn } from "./params.js";

const MAX_COUNT = 3;

/** A click with nothing requested about it. */
export const PLAIN_CLICK = { button: /** @type {const} */ ("left"), count: 1, at: undefined };

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
  const target = new ElementTarget(context);
  const action = { action: /** @type {const} */ ("click"), selector: selectorOf(context), at, count };
  const { found, ...outcome } = await target.press(action, (aimed) => pressAt(context, target, pointOf(aimed), how));
  const notes = notesOn(outcome);
  const changed = await target.consequences();
  const checked = found.isCheckable ? await target.look("readChecked") : null;
  // A switch may have slid meanwhile.
  const reply = await target.reply(found, checked === null ? changed : undefined);
  if (found.isCheckable && checked === null) notes.push("The page navigated away before the state could be read.");
  return { ...noting(reply, notes), ...(typeof checked === "boolean" && { checked }) };
}

/**
 * @param {DrivenContext} context `params`: `selector`; `at`, as for a click
 * @returns {Promise<ActionReply>}
 * @throws {CommandError} INVALID_ARGUMENT, INVALID_SELECTOR, ELEMENT_NOT_FOUND, EXECUTION_ERROR
 */
export async function hover(context) {
  const at = pointIn("at", context.params.at);
  const target = new ElementTarget(context);
  const found = await target.find({ action: "hover", selector: selectorOf(context), at });
  const hasCome = await target.moveMouse(pointOf(found));
  const note = "The page has not reacted to the mouse. Check it before you continue.";
  return noting(await target.reply(found, await target.consequences()), hasCome ? [] : [note]);
}

/**
 * @param {Record<string, unknown>} params
 * @returns {Clicking}
 * @throws {CommandError} INVALID_ARGUMENT
 */
function waysOf(params) {
  const { button, at } = params;
  const count = integerIn(params, "count", MAX_COUNT, 1);
  const name = BUTTON_NAMES.find((each) => each === (button ?? "left"));
  if (!name) throw invalid(`button must be one of ${BUTTON_NAMES.join(", ")}.`);
  return { count, button: name, at: pointIn("at", at) };
}

/**
 * @param {DrivenContext} context
 * @param {ElementTarget} target
 * @param {Point} point
 * @param {Clicking} how
 * @returns {Promise<PressOutcome>}
 */
export async function pressAt({ session }, target, point, { button, count }) {
  const presses = Array.from({ length: count }, (_, index) => index + 1);
  const isThere = approach(session, point);
  await target.delivered(isThere);
  // All at once: the page handles a lone move only at its next frame, which in the background is up to a second away.
  const outcome = await target.watchPress({ point }, () => [
    isThere,
    moveTo(session, point),
    ...presses.flatMap((nth) => [pressButton(session, point, button, nth), releaseButton(session, point, button, nth)]),
  ]);
  // A context menu opens at the point where the right button is pressed.
  return button === "right" ? { ...outcome, release: "" } : outcome;
}
