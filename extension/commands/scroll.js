/** @import {ActionReply, DrivenContext, ScrollGoal, Scrolled} from "../shared/types.d.ts" */

import { invalid } from "../shared/errors.js";
import { isBlocked } from "../browser/cross-origin-frames.js";
import { ElementTarget } from "../browser/element-target.js";
import { turnWheel } from "../browser/trusted-input.js";
import { endsWithin } from "../browser/async.js";
import { noting, optionalSelectorOf } from "./element-params.js";

const GOALS = ["top", "bottom", "left", "right"];
const MAX_PIXELS = 1_000_000;
/** In the background a wheel event may wait a long time for its frame. */
const WHEEL_WAIT_MS = 300;
const OUT_OF_SIGHT =
  "The page kept the element out of view or scrolled it out again. Take a screenshot to see what it shows.";
const AT_THE_END = "This is the end of what has loaded. If the page loads more, scroll again.";

/**
 * @param {DrivenContext} context `params`: `selector` of the element to bring into view, or with `to` of the one to
 *   scroll, or null for the page; `to`: top, bottom, left, right, a number of CSS pixels to scroll down, or null
 * @returns {Promise<ActionReply>}
 * @throws {CommandError} INVALID_ARGUMENT, INVALID_SELECTOR, ELEMENT_NOT_FOUND, EXECUTION_ERROR
 */
export async function scroll(context) {
  const { params, session } = context;
  const selector = optionalSelectorOf(context);
  const to = goalIn(params.to);
  if (!selector && to === undefined) throw invalid("Pass selector, to, or both.");
  const target = new ElementTarget(context);
  const found = await target.find({ action: "scroll", selector, to });
  if (found.wheel) await endsWithin(WHEEL_WAIT_MS, turnWheel(session, found.wheel).catch(unlessBlocked));
  const scrolled = /** @type {Scrolled | null} */ (await target.look("finishScroll"));
  const reply = await target.reply(found);
  if (!scrolled) return noting(reply, ["The page navigated away before its position could be read."]);
  const { isOut, ...place } = scrolled;
  const notes = [isOut && OUT_OF_SIGHT, isAtEnd(place, to) && AT_THE_END].filter((note) => typeof note === "string");
  return { ...noting(reply, notes), scrolled: place };
}

/**
 * If a frame of a denied host lies under the mouse, scroll the page without the wheel.
 *
 * @param {unknown} error
 */
function unlessBlocked(error) {
  if (!isBlocked(error)) throw error;
}

/**
 * @param {Scrolled} scrolled
 * @param {ScrollGoal | undefined} to
 */
function isAtEnd({ top, left, height, width, visible_height, visible_width }, to) {
  if (to === "right") return left + visible_width >= width - 1;
  return (to === "bottom" || Number(to) > 0) && top + visible_height >= height - 1;
}

/**
 * @param {unknown} to
 * @returns {ScrollGoal | undefined}
 */
function goalIn(to) {
  if ((to ?? null) === null) return undefined;
  const isDistance = typeof to === "number" && Math.abs(to) <= MAX_PIXELS;
  if (isDistance || GOALS.includes(/** @type {string} */ (to))) return /** @type {ScrollGoal} */ (to);
  throw invalid(`to must be ${GOALS.join(", ")} or a number of CSS pixels: 500 scrolls down, -500 up.`);
}
