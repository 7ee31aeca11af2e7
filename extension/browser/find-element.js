/**
 * Finds the element that an action is for, in the page of a tab or in a cross-origin frame inside it.
 *
 * @import {CommandContext, ElementAnswer, ElementRequest, CrossOriginFrame, FoundElement} from "../shared/types.d.ts"
 * @import {FoundFrames, PlacedOutside, Point} from "../shared/types.d.ts"
 * @import {FramePage} from "./navigation-watch.js"
 * @import {Refusal} from "./page-elements.js"
 */

import { pause } from "./async.js";
import { pagesIn, refuseDeniedFrame } from "./cross-origin-frames.js";
import { MAX_FRAMES, MAX_UNANSWERED, POLL_MS, answerOf, ask, isMissing, refusalOf } from "./page-elements.js";

/**
 * A page on the path to an element.
 *
 * @typedef {object} Stop
 * @property {FramePage} [page] in a cross-origin frame; without it the tab's own page
 * @property {number} [index] of the next frame in it; none if it contains the element
 * @property {Point} [point] to press, in the page's viewport
 */

/**
 * @typedef {object} Outcome
 * @property {FoundElement | Refusal} answer
 * @property {Stop[]} stops innermost first, starting with the page that was asked last
 * @property {number} patience milliseconds from the start during which a retry may help
 */

/**
 * Finds an element and acts on it. If the page navigates away before it replies, the next page is searched.
 *
 * @param {CommandContext} context
 * @param {(tab: chrome.tabs.Tab) => Omit<ElementRequest, "id">} requestFor
 * @param {boolean} isRetry whether an earlier press missed: another point on the screen may work
 * @returns {Promise<Pick<Outcome, "answer" | "stops"> | null>} null if no page answers
 * @throws {CommandError} TAB_NOT_FOUND, UNREADABLE_PAGE, and the reason of the signal
 */
export async function findElement(context, requestFor, isRetry) {
  const begun = performance.now();
  const id = context.requestId;
  for (let unanswered = 0, tries = Number(isRetry); unanswered < MAX_UNANSWERED; tries += 1) {
    const outcome = await attempt(context, (tab) => /** @type {ElementRequest} */ ({ ...requestFor(tab), id, tries }));
    // The browser may report that the page has left only after the page stopped answering.
    if (!outcome) unanswered += 1;
    else if (performance.now() - begun >= outcome.patience) return outcome;
    else await pause(POLL_MS);
  }
  return null;
}

/**
 * @param {CommandContext} context
 * @param {(tab: chrome.tabs.Tab) => ElementRequest} requestFor
 * @returns {Promise<Outcome | null>} null if a page has left
 */
async function attempt(context, requestFor) {
  /** @type {ElementRequest | undefined} */
  let request;
  const answer = await answerOf(context, undefined, (tab) => ask("act", (request = requestFor(tab))));
  return answer && request ? followed(context, request, answer, [{}]) : null;
}

/**
 * Follows an answer into frames, if it leads there.
 *
 * @param {CommandContext} context
 * @param {ElementRequest} request
 * @param {ElementAnswer} answer of the first stop
 * @param {Stop[]} stops
 * @returns {Promise<Outcome | null>} null if a page has left
 */
async function followed(context, request, answer, stops) {
  if ("frames" in answer) return inFrames(context, request, answer, stops);
  // The tab's own page has already waited.
  if (answer.code || stops.length === 1) return { answer, stops, patience: 0 };
  return shownOutside(context, request, answer, stops);
}

/**
 * @param {CommandContext} context
 * @param {ElementRequest} request
 * @param {FoundFrames} found
 * @param {Stop[]} stops
 * @returns {Promise<Outcome | null>} of the first frame that has the element
 */
async function inFrames(context, request, { rest, frames }, [holder, ...outer]) {
  // If several may contain the element, none is awaited alone.
  const limits = { ...request.limits, ...(frames.length > 1 && { find: 0 }) };
  /** @type {Outcome | null} */
  let outcome = null;
  for (const [index, frame] of frames.slice(0, MAX_FRAMES).entries()) {
    const inner = { ...request, limits, selector: rest, way: frame.selector };
    outcome = await inFrame(context, inner, frame, [{ ...holder, index }, ...outer]);
    if (!outcome || !isMissing(outcome.answer)) return outcome;
  }
  return outcome && { ...outcome, patience: request.limits.find };
}

/**
 * @param {CommandContext} context
 * @param {ElementRequest} request
 * @param {CrossOriginFrame} frame
 * @param {Stop[]} stops
 * @returns {Promise<Outcome | null>}
 */
async function inFrame(context, request, frame, stops) {
  const holderId = stops[0]?.page?.frameId ?? 0;
  const pages = await pagesIn(context, holderId, frame);
  const [page] = pages;
  await refuseDeniedFrame(context, holderId, frame, page);
  const refusal = refusalOf(frame, pages);
  if (refusal) return { answer: refusal, stops, patience: 0 };
  const answer = await answerOf(context, page, () => ask("act", request));
  return answer && followed(context, request, answer, [{ page }, ...stops]);
}

/**
 * Asks the pages around a frame where something in it is drawn, and whether it can be reached there.
 *
 * @param {CommandContext} context
 * @param {ElementRequest} request
 * @param {FoundElement} answer
 * @param {Stop[]} stops
 * @returns {Promise<Outcome | null>}
 */
async function shownOutside(context, { id, isInFront, limits, ...request }, answer, [here = {}, ...outer]) {
  const { wheel } = answer;
  let { point = wheel?.point, box, pinch } = answer;
  /** @type {Stop[]} */
  const stops = [{ ...here, point }];
  const presses =
    request.action === "click" ? request.count : Number(request.action === "drag" || request.action === "upload");
  for (const stop of point || box ? outer : []) {
    const script = ask("place", { id, index: stop.index, isInFront, presses, point, box });
    const placed = /** @type {PlacedOutside | null} */ (await answerOf(context, stop.page, () => script));
    if (!placed) return null;
    if (placed.trouble) {
      const message = `After ${limits.ready / 1000} s, ${placed.trouble}`;
      const refusal = { answer: /** @type {const} */ ({ code: "EXECUTION_ERROR", message }), patience: limits.ready };
      // Scroll without the wheel what the wheel cannot reach.
      return {
        ...(wheel ? { answer: { ...answer, wheel: undefined }, patience: 0 } : refusal),
        stops: [here, ...outer],
      };
    }
    ({ point, box, pinch } = placed);
    stops.push({ ...stop, point });
  }
  const shown = { ...answer, point, box, pinch, ...movedWith(point, answer) };
  return { answer: shown, stops: point || box ? stops : [here, ...outer], patience: 0 };
}

/**
 * @param {Point | undefined} point where the element's point is drawn
 * @param {FoundElement} answer of its page
 * @returns {Partial<FoundElement>} additional fields for that place
 */
function movedWith(point, { point: from, corner, wheel }) {
  if (wheel && point) return { wheel: { ...wheel, point } };
  return corner && from && point ? { corner: { x: corner.x + point.x - from.x, y: corner.y + point.y - from.y } } : {};
}
