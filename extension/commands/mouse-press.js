/** Pressing elements with the mouse, until the press reaches what it is meant for. */

/**
 * @import {DrivenContext, ElementAction, FoundElement, Point, PressOutcome} from "../shared/types.d.ts"
 */

import { CommandError, invalid } from "../shared/errors.js";
import { endPress, isFramed, watchPress } from "../browser/page-elements.js";
import { approach, moveTo } from "../browser/trusted-input.js";
import { afterwards, find, pointOf } from "./element-action.js";

const MAX_PRESSES = 3;
const MAX_MOVES = 10;
/** @type {PressOutcome} of a press that is what was meant */
export const REACHED = { isSeen: true, isLost: false, cover: "", isPressed: false, release: "" };

/**
 * Presses an element where it is; anew when something else has come below the mouse by the time that it is pressed.
 *
 * @param {DrivenContext} context
 * @param {ElementAction} action
 * @param {(found: FoundElement) => Promise<PressOutcome>} press
 * @returns {Promise<{found: FoundElement, notes: string[]}>}
 * @throws {CommandError} INVALID_SELECTOR, ELEMENT_NOT_FOUND, EXECUTION_ERROR
 */
export async function pressElement(context, action, press) {
  for (let presses = 1; ; presses += 1) {
    const found = await find(context, action);
    const { isLost, cover, isPressed, release } = await pressing(context, found, press);
    if (!cover) return { found, notes: notesOn(isLost, release) };
    if (isPressed) {
      throw new CommandError("EXECUTION_ERROR", `When the mouse came, ${cover} lay over the element and was pressed.`);
    }
    if (presses === MAX_PRESSES) {
      throw new CommandError(
        "EXECUTION_ERROR",
        `Each time the mouse comes, ${cover} covers the element, so nothing was pressed. Act on that instead.`,
      );
    }
  }
}

/**
 * @param {DrivenContext} context
 * @param {FoundElement} found
 * @param {(found: FoundElement) => Promise<PressOutcome>} press
 */
async function pressing(context, found, press) {
  try {
    if (isFramed(context)) await moveUntilSeen(context, pointOf(found));
    return await press(found);
  } catch (error) {
    // The next press would be the user's own.
    endPress(context);
    throw error;
  }
}

/**
 * Moves the mouse until the element's document knows of it: before a frame in another process is drawn for the first
 * time, the page around it takes them, and presses too.
 *
 * @param {DrivenContext} context
 * @param {Point} point
 * @returns {Promise<boolean>} whether it knows, or has left
 */
export async function moveUntilSeen(context, point) {
  const { session } = context;
  for (let moves = 1; moves <= MAX_MOVES; moves += 1) {
    const [isSeen] = await Promise.all([
      afterwards(context, "awaitMouse"),
      approach(session, point),
      moveTo(session, point),
    ]);
    if (isSeen !== false) return true;
  }
  return false;
}

/**
 * @param {boolean} isLost
 * @param {string} release what had come over the element then
 */
function notesOn(isLost, release) {
  if (isLost) return ["The page has shown no sign of being pressed: look at it before you try again."];
  if (!release) return [];
  return [`When the mouse was released, ${release} had come over the element: see whether that counted as a click.`];
}

/**
 * @param {DrivenContext} context
 * @param {{point: Point, isHeld?: boolean}} press
 * @param {() => Promise<unknown>[]} input sends it
 * @returns {Promise<PressOutcome>}
 */
export async function watching(context, press, input) {
  const outcome = await watchPress(context, press, () => Promise.all(input()));
  // A page that has left says nothing.
  return outcome ?? { ...REACHED, isSeen: false, isLost: true };
}

/**
 * @param {string} name of the parameter
 * @param {unknown} value
 * @param {boolean} [mayLieBeside] the element
 * @returns {[number, number] | undefined}
 * @throws {CommandError} INVALID_ARGUMENT
 */
export function pointIn(name, value, mayLieBeside = false) {
  if ((value ?? null) === null) return undefined;
  const [x, y] = Array.isArray(value) && value.length === 2 ? value : [];
  if (Number.isFinite(x) && Number.isFinite(y) && (mayLieBeside || (x >= 0 && y >= 0))) return [x, y];
  throw invalid(`${name} must be [x, y], CSS pixels from the top left corner of the element: [10, 25].`);
}
