/**
 * Dragging.
 *
 * @import {ActionReply, DragOutcome, DragWay, DrivenContext, Point, PressedState, PressOutcome} from "../shared/types.d.ts"
 */

import { failed, invalid } from "../shared/errors.js";
import { ElementTarget, notesOn, pointOf } from "../browser/element-target.js";
import { HeldMouse } from "../browser/mouse-drag.js";
import { approach, moveTo } from "../browser/trusted-input.js";
import { endsWithin, pause } from "../browser/async.js";
import { noting, optionalSelectorOf, pointIn, selectorOf } from "./element-params.js";

/** Pages start a drag after some pixels, and measure from where they noticed it. */
const FIRST_STEPS = [3, 8];
/** Number of steps for the rest of the way; sortable lists look at each. */
const STEPS = [0.1, 0.25, 0.4, 0.55, 0.7, 0.85, 0.95, 1];
/** A step is delivered with the next frame, which in the background is far away. */
const STEP_WAIT_MS = 100;
/** Until the page has handled the first steps, neither it nor the browser starts a drag. */
const BEGIN_WAIT_MS = 2_000;
const CARRY_WAIT_MS = 5_000;
/** Sortable lists ignore the mouse while their items move out of the way; after a failure the dragged one moves back. */
const DWELL = { pauseMs: 50, most: 10 };
/** Some pages look at the mouse only every so often, and handle no drop that comes before. */
const ARRIVAL_MS = 120;
const MAX_ARRIVALS = 4;
/** Some pages start a drag only if the button is held for a while before the mouse moves. */
const HOLD_MS = 300;

/**
 * @param {DrivenContext} context `params`: `source`, the element to drag; `target`, where to, or null; `source_at` and
 *   `target_at`, points in them, [x, y] in CSS pixels from their top left corners, or null for the middle; without a
 *   target `target_at` is relative to the source and may lie outside it
 * @returns {Promise<ActionReply>}
 * @throws {CommandError} INVALID_ARGUMENT, INVALID_SELECTOR, ELEMENT_NOT_FOUND, EXECUTION_ERROR
 */
export async function drag(context) {
  const { params, session } = context;
  const selector = selectorOf(context, "source");
  const to = optionalSelectorOf(context, "target");
  const at = pointIn("source_at", params.source_at);
  const targetAt = pointIn("target_at", params.target_at, !to);
  if (!to && !targetAt) throw invalid("Pass a destination: target, or target_at measured from the source.");
  const source = new ElementTarget(context);
  const target = new ElementTarget(context);
  const place = async () => target.find({ action: "place", selector: to, at: targetAt });
  // Do not press anything if the target does not exist.
  const aim = to ? pointOf(await place()) : null;
  const mouse = new HeldMouse(session);
  const { found, ...pressed } = await source.press({ action: "drag", selector, at }, async (aimed) => {
    // Or if it is in a frame of a denied host.
    await session.guard.refuse(aim ?? sum(aimed.corner, targetAt));
    return grab(context, source, mouse, pointOf(aimed));
  });
  const start = pointOf(found);
  await pause(HOLD_MS);
  await begin(context, source, mouse, start);
  // Picking up the source may have shifted other elements.
  const goal = to ? await place() : null;
  const end = goal ? pointOf(goal) : sum(found.corner, targetAt);
  for (const part of STEPS) await step(context, mouse, between(start, end, part));
  if (!mouse.isCarrying) await pause(ARRIVAL_MS);
  await arrive(context, source, mouse, end);
  await drop(context, mouse, { start, end, isFramed: source.isFramed || target.isFramed });
  const outcome = await outcomeOf(source, target);
  if (outcome === "unfinished") await mouse.cancel(start);
  // Elements may go to their places only now.
  await pause(DWELL.pauseMs);
  await settle(source);
  const changed = await source.consequences();
  const notes = [...notesOn(pressed), ...remarksOn(outcome, found.element.selector, goal?.element.selector, changed)];
  const state = /** @type {PressedState | null} */ (await source.look("readPressed"));
  const hasNews = changed !== "" || notes.length > 0 || state?.value !== undefined;
  const moved = hasNews ? null : /** @type {DragWay | null} */ (await source.look("readMoved"));
  if (outcome === "mouse" && moved?.isIdle) notes.push(idleNote(found.element.selector));
  const reply = noting(await source.reply(found, changed || (moved?.way ?? "")), [...notes, ...(goal?.notes ?? [])]);
  return { ...reply, ...(goal && { target: goal.element }), ...(state?.value !== undefined && { value: state.value }) };
}

/**
 * @param {DrivenContext} context
 * @param {ElementTarget} source
 * @param {HeldMouse} mouse
 * @param {Point} point
 * @returns {Promise<PressOutcome>}
 */
async function grab({ session }, source, mouse, point) {
  const isThere = approach(session, point);
  await source.delivered(isThere);
  const outcome = await source.watchPress({ point, isHeld: true }, () => [
    isThere,
    moveTo(session, point),
    mouse.press(point),
  ]);
  if (outcome.cover) await mouse.release(point);
  return outcome;
}

/**
 * Moves until the page recognizes a drag, and takes over a drag that the browser starts.
 *
 * @param {DrivenContext} context
 * @param {ElementTarget} source
 * @param {HeldMouse} mouse
 * @param {Point} start
 */
async function begin(context, source, mouse, { x, y }) {
  for (const distance of FIRST_STEPS) await step(context, mouse, { x: x + distance, y: y + distance }, BEGIN_WAIT_MS);
  if (!(await source.look("readDrag"))) return;
  if (await endsWithin(CARRY_WAIT_MS, mouse.carry({ x, y }))) return;
  throw failed("The page started a drag, but the browser did not report the dragged data. Try again.");
}

/**
 * Moves to the end once more, whenever the page has moved elements out of the way: meanwhile it ignores the mouse.
 *
 * @param {DrivenContext} context
 * @param {ElementTarget} source
 * @param {HeldMouse} mouse
 * @param {Point} end
 */
async function arrive(context, source, mouse, end) {
  for (let times = 0; times < MAX_ARRIVALS; times += 1) {
    await settle(source);
    await step(context, mouse, end);
    if (!(await source.look("readTransitions"))) return;
  }
}

/**
 * Waits until the page has moved elements out of the way, or back.
 *
 * @param {ElementTarget} source
 */
async function settle(source) {
  for (let times = 0; times < DWELL.most && (await source.look("readTransitions")); times += 1) {
    await pause(DWELL.pauseMs);
  }
}

/**
 * @param {DrivenContext} context
 * @param {HeldMouse} mouse
 * @param {object} way
 * @param {Point} way.start
 * @param {Point} way.end
 * @param {boolean} way.isFramed whether the source or the target is in a cross-origin frame
 */
async function drop(context, mouse, { start, end, isFramed }) {
  const mayHaveLeft = isFramed && mouse.isCarrying;
  if (mayHaveLeft) {
    await mouse.enter(end);
    await step(context, mouse, end);
  }
  await mouse.release(end);
  if (mayHaveLeft) await mouse.cancel(start);
}

/**
 * @param {ElementTarget} source
 * @param {ElementTarget} target
 * @returns {Promise<DragOutcome | null>} null if the source's page has left
 */
async function outcomeOf(source, target) {
  const outcomes = await Promise.all([source.look("readDrop"), target.look("readDrop")]);
  const [here, there] = /** @type {(DragOutcome | null)[]} */ (outcomes);
  return there === "dropped" ? there : (here ?? null);
}

/**
 * @param {DragOutcome | null} outcome null if the page has left
 * @param {string} source
 * @param {string | undefined} target
 * @param {string} changed
 * @returns {string[]} notes for the reply
 * @throws {CommandError} EXECUTION_ERROR if nothing was dropped on the target
 */
function remarksOn(outcome, source, target, changed) {
  const meanwhile = changed && ` The page did change: ${changed}.`;
  if (outcome === "unfinished") {
    throw failed(`The page's drag and drop of ${source} has not ended, so nothing was dropped. Try again.${meanwhile}`);
  }
  if (outcome === "refused" && target) {
    const advice = "Pass the element that accepts it, or a point in it as target_at.";
    throw failed(`${target} did not accept the drop of ${source}. ${advice}${meanwhile}`);
  }
  // Without a target it may be the way that counts.
  if (outcome === "refused") return ["No element accepted the drop there. Check whether the page moved the element."];
  if (outcome !== "unstarted") return [];
  return [`${source} is draggable, but no drag and drop began: only the mouse moved. Check whether the page reacted.`];
}

/** @param {string} source */
function idleNote(source) {
  const advice = "Check whether it can be dragged, and whether it has a handle for it.";
  return `${source} did not move, and the page shows no change. ${advice}`;
}

/**
 * Moves the mouse. It jumps over frames of denied hosts, so that they do not see it.
 *
 * @param {DrivenContext} context
 * @param {HeldMouse} mouse
 * @param {Point} point
 * @param {number} [waitMs]
 */
async function step({ session }, mouse, point, waitMs = STEP_WAIT_MS) {
  if (!(await session.guard.blocks(point))) await endsWithin(waitMs, mouse.moveTo(point));
}

/**
 * @param {Point} start
 * @param {Point} end
 * @param {number} part fraction of the way
 */
function between(start, end, part) {
  return { x: start.x + (end.x - start.x) * part, y: start.y + (end.y - start.y) * part };
}

/**
 * @param {Point | undefined} corner
 * @param {[number, number] | undefined} offset
 */
function sum(corner = { x: 0, y: 0 }, [x, y] = [0, 0]) {
  return { x: corner.x + x, y: corner.y + y };
}
