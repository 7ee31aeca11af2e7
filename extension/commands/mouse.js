/** The mouse: clicks and hovers. */

/**
 * @import {ActionReply, DrivenContext, FoundElement, Point, PressOutcome} from "../shared/types.d.ts"
 */

import { CommandError } from "../shared/errors.js";
import { TabOpenings } from "../worker/tab-openings.js";
import { approach, moveTo } from "../worker/trusted-input.js";
import { endsWithin } from "../worker/waiting.js";
import { afterwards, find, noting, pointOf, replyAbout, selectorOf } from "./acting.js";

const MAX_PRESSES = 3;
/** What browsers tell of a mouse. */
const PRESSURE = 0.5;
/** A step is taken at the next frame; in the background, where that is far away, it may be passed over. */
const STEP_WAIT_MS = 50;

/**
 * @param {DrivenContext} context `params`: `selector`, `on_dialog`, `dialog_text`
 * @returns {Promise<ActionReply>}
 * @throws {CommandError} INVALID_SELECTOR, ELEMENT_NOT_FOUND, EXECUTION_ERROR
 */
export async function click(context) {
  const { tabId, session } = context;
  const openings = new TabOpenings(tabId);
  try {
    const { found, notes } = await pressElement(context);
    await session.settled();
    const checked = found.isCheckable ? await afterwards(context, "readChecked") : null;
    const reply = await replyAbout(context, found);
    if (found.isCheckable && checked === null) notes.push("The page has left before its state could be read.");
    notes.push(...(await openings.notes()));
    return { ...noting(reply, notes), ...(typeof checked === "boolean" && { checked }) };
  } finally {
    openings.stop();
  }
}

/**
 * @param {DrivenContext} context `params`: `selector`
 * @returns {Promise<ActionReply>}
 * @throws {CommandError} INVALID_SELECTOR, ELEMENT_NOT_FOUND, EXECUTION_ERROR
 */
export async function hover(context) {
  const found = await find(context, { action: "hover", selector: selectorOf(context) });
  await Promise.all([approach(context.session, pointOf(found)), moveTo(context.session, pointOf(found))]);
  return replyAbout(context, found);
}

/**
 * Presses the element where it is; anew when something else has come below the mouse by the time that it is pressed.
 *
 * @param {DrivenContext} context
 * @returns {Promise<{found: FoundElement, notes: string[]}>}
 * @throws {CommandError} INVALID_SELECTOR, ELEMENT_NOT_FOUND, EXECUTION_ERROR
 */
async function pressElement(context) {
  for (let presses = 1; ; presses += 1) {
    const found = await find(context, { action: "click", selector: selectorOf(context) });
    const { cover, isPressed, release } = await press(context, pointOf(found));
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
 * @param {DrivenContext} context
 * @param {Point} point
 * @returns {Promise<PressOutcome>}
 */
async function press(context, point) {
  const { session } = context;
  const button = { ...point, button: "left", clickCount: 1 };
  const isThere = approach(session, point);
  await endsWithin(STEP_WAIT_MS, isThere);
  // In one go: the page takes a move alone at its next frame only, which in the background is up to a second away.
  const [outcome] = await Promise.all([
    afterwards(context, "watchPress", { point }),
    isThere,
    moveTo(session, point),
    session.send("Input.dispatchMouseEvent", { type: "mousePressed", buttons: 1, force: PRESSURE, ...button }),
    session.send("Input.dispatchMouseEvent", { type: "mouseReleased", buttons: 0, ...button }),
  ]);
  return /** @type {PressOutcome | null} */ (outcome) ?? { cover: "", isPressed: false, release: "" };
}
