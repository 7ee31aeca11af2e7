/** Pressing elements with the mouse, until the press reaches what it is meant for. */

/**
 * @import {DrivenContext, ElementAction, FoundElement, PressOutcome} from "../shared/types.d.ts"
 */

import { CommandError, invalid } from "../shared/errors.js";
import { find } from "./acting.js";

const MAX_PRESSES = 3;

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
    const { cover, isPressed, release } = await press(found);
    const note = `When the mouse was released, ${release} had come over the element: see whether that counted as a click.`;
    if (!cover) return { found, notes: release ? [note] : [] };
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
