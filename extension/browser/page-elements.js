/**
 * The way to the elements of a page: files that are put into it once and then only asked. Where a selector leads into a
 * frame of another site, the page in it is asked in the same way, and the pages around it where that is drawn.
 *
 * @import {CommandContext, ElementAnswer, ElementDescription, ElementLook, ElementRequest, ErrorCode} from "../shared/types.d.ts"
 * @import {ForeignFrame, FrameTraits, FoundElement, FoundFrames, ListAnswer, ListRequest, PlacedOutside, Point} from "../shared/types.d.ts"
 * @import {PressOutcome, WaitAnswer, WaitRequest} from "../shared/types.d.ts"
 * @import {PageFunction, Script} from "./inject.js"
 * @import {FramePage} from "./navigation-watch.js"
 * @import {FileGroup} from "./page-files.js"
 */

import { deniedFrames, mayBeDenied, pagesIn, refuseDeniedFrame } from "./cross-origin-frames.js";
import { askPage, PageLeft, runInPage } from "./inject.js";
import { pageFiles } from "./page-files.js";
import { endsWithin, pause } from "./async.js";

/**
 * The groups of `page/files.json` to inject, by what a page answers that lacks them. They are classic scripts; each leaves
 * one constant in the extension's isolated world of the page.
 *
 * @type {Map<string, FileGroup[]>}
 */
const MISSING = new Map([
  ["absent", ["interaction"]],
  ["absent for a list", ["interaction", "elementList"]],
  ["incomplete", ["elementList"]],
]);

/** Times that a page may leave while it is asked. */
const MAX_UNANSWERED = 5;
const MAX_FRAMES = 20;
/** A frame that is busy does not keep the list waiting. */
const FRAME_MS = 1_000;
const POLL_MS = 50;
/** What a page has said may be on its way still when the browser has dealt with the input that made it. */
const ANSWER_MS = 50;
const SILENT = "does not answer: it still loads, is busy, has failed, or is closed to extensions. Take a screenshot.";
const ALIKE =
  "frames of other sites in shadow roots of this page look the same, so which one is meant cannot be told. Act on the " +
  "page around them.";

/**
 * A page on the way to an element.
 *
 * @typedef {object} Stop
 * @property {FramePage} [page] in a frame of another site; without it the tab's own page
 * @property {number} [index] of the frame in it that leads on; none where the element is
 * @property {Point} [point] to press, in the page's viewport
 */

/**
 * @typedef {object} Outcome
 * @property {FoundElement | Refusal} answer
 * @property {Stop[]} stops from the page that was asked last outwards
 * @property {number} patience milliseconds from the beginning for which another try may help
 */

/** @typedef {{code: ErrorCode, message: string}} Refusal */
/** @typedef {{code: "", element?: ElementDescription, matches?: number}} Met what was waited for */

/** @type {WeakMap<object, Stop[]>} the way to the element that a command has found last */
const ways = new WeakMap();
/** @type {WeakSet<object>} commands whose press went astray */
const strayed = new WeakSet();

/**
 * Finds an element and acts on it: in the page that follows, when the first one leaves before it has answered.
 *
 * @param {CommandContext} context
 * @param {(tab: chrome.tabs.Tab) => Omit<ElementRequest, "id">} requestFor
 * @returns {Promise<FoundElement | Refusal | null>} null when no page answers
 * @throws {CommandError} TAB_NOT_FOUND, UNREADABLE_PAGE, and the reason of the signal
 */
export async function actOnElement(context, requestFor) {
  const begun = performance.now();
  const id = context.requestId;
  // After a press in vain another place on the screen may do.
  for (let unanswered = 0, tries = Number(strayed.has(context)); unanswered < MAX_UNANSWERED; tries += 1) {
    const outcome = await found(context, (tab) => /** @type {ElementRequest} */ ({ ...requestFor(tab), id, tries }));
    if (!outcome) {
      // The browser may tell that the page has left only after the page has fallen silent.
      unanswered += 1;
    } else if (performance.now() - begun >= outcome.patience) {
      ways.set(context, outcome.stops);
      return outcome.answer;
    } else {
      await pause(POLL_MS);
    }
  }
  return null;
}

/**
 * Waits until a page shows what it should: also the one that follows.
 *
 * @param {CommandContext} context
 * @param {() => Omit<WaitRequest, "id">} requestNow
 * @returns {Promise<Met | Refusal | null>} null when no page answers
 * @throws {CommandError} TAB_NOT_FOUND, UNREADABLE_PAGE, and the reason of the signal
 */
export async function waitForElements(context, requestNow) {
  const id = context.requestId;
  for (let unanswered = 0; unanswered < MAX_UNANSWERED;) {
    const answer = await answerOf(context, undefined, () => ask("waitFor", { ...requestNow(), id }));
    const met = answer?.frames ? await metInFrames(context, undefined, answer, requestNow) : answer;
    if (!met) unanswered += 1;
    else if (met.code !== "COMMAND_TIMEOUT" || requestNow().timeout <= 0) return met;
    else await pause(POLL_MS);
  }
  return null;
}

/**
 * @param {CommandContext} context
 * @param {FramePage | undefined} holder the page that the frames stand in; without it the tab's own
 * @param {FoundFrames} found
 * @param {() => Omit<WaitRequest, "id">} requestNow
 * @returns {Promise<Met | Refusal | null>} COMMAND_TIMEOUT when none of them shows it yet; null when a page has left
 */
async function metInFrames(context, holder, { rest, frames }, requestNow) {
  /** @type {Met | Refusal | null} */
  let met = null;
  for (const frame of frames.slice(0, MAX_FRAMES)) {
    met = await metInFrame(context, holder, frame, () => {
      const request = { ...requestNow(), selector: rest, text: "", gone: "", way: frame.selector };
      // Where several may show it, none is waited for alone.
      return frames.length > 1 ? { ...request, timeout: 0 } : request;
    });
    if (met?.code !== "COMMAND_TIMEOUT") return met;
  }
  return met;
}

/**
 * @param {CommandContext} context
 * @param {FramePage | undefined} holder
 * @param {ForeignFrame} frame
 * @param {() => Omit<WaitRequest, "id">} requestNow
 * @returns {Promise<Met | Refusal | null>}
 */
async function metInFrame(context, holder, frame, requestNow) {
  const [page, ...others] = await pagesIn(context, holder?.frameId ?? 0, frame);
  await refuseDeniedFrame(context, holder?.frameId ?? 0, frame, page);
  if (!page || others.length) {
    const message = `After ${requestNow().whole / 1000} s ${troubleWith(frame, others.length)}`;
    return { code: "COMMAND_TIMEOUT", message };
  }
  const script = ask("waitFor", { ...requestNow(), id: context.requestId });
  const answer = /** @type {WaitAnswer | null} */ (await answerOf(context, page, () => script));
  return answer && "frames" in answer ? metInFrames(context, page, answer, requestNow) : answer;
}

/**
 * @param {ForeignFrame} frame
 * @param {number} others that look the same
 */
function troubleWith({ selector }, others) {
  return others ? `${others + 1} ${ALIKE}` : `the page in ${selector} ${SILENT}`;
}

/**
 * @param {CommandContext} context
 * @param {ListRequest} request
 * @param {FramePage} [page] in a frame of another site
 * @returns {Promise<Exclude<ListAnswer, FoundFrames> | null>} null when the frame's page has left
 * @throws {CommandError} TAB_NOT_FOUND, UNREADABLE_PAGE, and the reason of the signal
 */
export async function listElements(context, request, page) {
  const answer = /** @type {ListAnswer | null} */ (await answerOf(context, page, () => ask("list", request)));
  if (!answer || !("frames" in answer)) return answer;
  const { frames, rest } = answer;
  const holderId = page?.frameId ?? 0;
  if (rest) return listInFrame(context, request, holderId, answer);
  const hasDenied = (await deniedFrames(context)).length > 0;
  const leftOut = hasDenied ? frames.slice(MAX_FRAMES).map(({ selector }) => selector) : [];
  const lists = frames.slice(0, MAX_FRAMES).map(async (frame) => {
    const { find } = request;
    const [inner, ...others] = await pagesIn(context, holderId, frame);
    if (hasDenied && (await mayBeDenied(context, holderId, frame))) {
      leftOut.push(frame.selector);
      return [frame.selector, []];
    }
    const wanted = { find, within: "", offset: 0, way: frame.selector, isFramed: true };
    const asked = inner && !others.length ? listElements(context, wanted, inner).catch(() => null) : null;
    const list = asked && (await endsWithin(FRAME_MS, asked)) ? await asked : null;
    return [frame.selector, list && "lines" in list ? list.lines : []];
  });
  const framed = Object.fromEntries(await Promise.all(lists));
  context.signal.throwIfAborted();
  return listElements(context, { ...request, framed, leftOut }, page);
}

/**
 * @param {CommandContext} context
 * @param {ListRequest} request
 * @param {number} holderId the frame whose page has found the frames
 * @param {FoundFrames} found
 * @returns {Promise<Exclude<ListAnswer, FoundFrames> | null>} of the first frame that has what is to be listed
 */
async function listInFrame(context, request, holderId, { rest, frames }) {
  /** @type {Exclude<ListAnswer, FoundFrames> | null} */
  let answer = {
    code: "ELEMENT_NOT_FOUND",
    message: "The frame is not visible. Do first what shows it, then try again.",
  };
  for (const frame of frames.slice(0, MAX_FRAMES)) {
    const pages = await pagesIn(context, holderId, frame);
    await refuseDeniedFrame(context, holderId, frame, pages[0]);
    const inner = { ...request, within: rest, way: frame.selector };
    answer = refusalOf(frame, pages) ?? (await listElements(context, inner, pages[0]));
    if (!answer || !isMissing(answer)) return answer;
  }
  return answer;
}

/**
 * @param {ForeignFrame} frame
 * @param {FramePage[]} pages that it may hold
 * @returns {Refusal | null} null for one page
 */
function refusalOf({ selector }, { length }) {
  if (length === 1) return null;
  const message = length ? `${length} ${ALIKE}` : `The page in ${selector} ${SILENT}`;
  return { code: "UNREADABLE_PAGE", message };
}

/**
 * @param {Pick<CommandContext, "tabId" | "signal" | "requestId">} context
 * @param {ElementLook | "placeOf"} look
 *   at what input has made of the element
 * @param {object} [request]
 * @returns {Promise<unknown>} null when the page has gone
 * @throws {CommandError} UNREADABLE_PAGE, PageLeft, and the reason of the signal
 */
export async function lookAtElement(context, look, request) {
  const [here = {}] = ways.get(context) ?? [];
  return lookFrom(context, here, look, request);
}

/**
 * Watches where a press goes. A busy page comes to it late, so no clock says that none has come, but the browser: it has
 * dealt with an input once the page has.
 *
 * @param {CommandContext} context
 * @param {{point: Point, isHeld?: boolean}} press
 * @param {() => Promise<unknown>} input sends it; resolves when the browser has dealt with it
 * @returns {Promise<PressOutcome | null>} null when the page has gone
 * @throws {CommandError} what `input` throws, and the reason of the signal
 */
export async function watchPress(context, press, input) {
  const stops = ways.get(context) ?? [{}];
  const inEach = (/** @type {"watchPress" | "endPress"} */ look) =>
    stops.map((stop) => lookFrom(context, stop, look, press).catch(() => null));
  const [here = Promise.resolve(null), ...outer] = /** @type {Promise<PressOutcome | null>[]} */ (inEach("watchPress"));
  await input();
  // Where a frame is on the way, all pages but one see nothing.
  if (outer.length || !(await endsWithin(ANSWER_MS, here))) inEach("endPress");
  const own = await here;
  // A press that goes astray on its way into a frame is seen by the pages around it.
  const outcomes = own?.isSeen ? [] : await Promise.all(outer);
  context.signal.throwIfAborted();
  const astray = [own, ...outcomes].find((outcome) => outcome?.cover);
  if (astray) strayed.add(context);
  return astray ?? own;
}

/**
 * Ends the watch for a press that does not come.
 *
 * @param {CommandContext} context
 */
export function endPress(context) {
  for (const stop of ways.get(context) ?? [{}]) void lookFrom(context, stop, "endPress").catch(() => null);
}

/**
 * @param {Pick<CommandContext, "tabId" | "signal" | "requestId">} context
 * @param {Stop} stop
 * @param {ElementLook | "endPress" | "placeOf" | "watchPress"} look
 * @param {object} [request]
 */
async function lookFrom(context, { page, point }, look, request) {
  const id = context.requestId;
  const script = ask(look, { ...request, ...(point && { point }), id });
  const answer = await runInPage({ ...context, page }, { ...script, cancel: ask("cancel", { id }) });
  return MISSING.has(/** @type {string} */ (answer)) ? null : answer;
}

/**
 * @param {CommandContext} context
 * @throws {CommandError} HOST_BLOCKED when the element that was found last is a frame of a denied host
 */
export async function refuseDeniedElement(context) {
  const [here] = ways.get(context) ?? [];
  const frame = /** @type {FrameTraits | null} */ (await lookAtElement(context, "frameFound"));
  if (frame) await refuseDeniedFrame(context, here?.page?.frameId ?? 0, frame);
}

/**
 * @param {CommandContext} context
 * @returns {boolean} whether the element that was found last is in a frame of another site
 */
export function isFramed(context) {
  return (ways.get(context)?.length ?? 0) > 1;
}

/**
 * @param {CommandContext} context
 * @param {(tab: chrome.tabs.Tab) => ElementRequest} requestFor
 * @returns {Promise<Outcome | null>} null when a page has left
 */
async function found(context, requestFor) {
  /** @type {ElementRequest | undefined} */
  let request;
  const answer = await answerOf(context, undefined, (tab) => ask("act", (request = requestFor(tab))));
  return answer && request ? followed(context, request, answer, [{}]) : null;
}

/**
 * Goes where an answer leads.
 *
 * @param {CommandContext} context
 * @param {ElementRequest} request
 * @param {ElementAnswer} answer of the first stop
 * @param {Stop[]} stops
 * @returns {Promise<Outcome | null>} null when a page has left
 */
async function followed(context, request, answer, stops) {
  if ("frames" in answer) return inFrames(context, request, answer, stops);
  // The tab's own page has waited by itself.
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
  // Where several may hold the element, none is waited for alone.
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
 * @param {ForeignFrame} frame
 * @param {Stop[]} stops
 * @returns {Promise<Outcome | null>}
 */
async function inFrame(context, request, frame, stops) {
  const holderId = stops[0]?.page?.frameId ?? 0;
  const [page, ...others] = await pagesIn(context, holderId, frame);
  await refuseDeniedFrame(context, holderId, frame, page);
  if (!page || others.length) {
    const message = `At the moment ${troubleWith(frame, others.length)}`;
    return { answer: { code: "UNREADABLE_PAGE", message }, stops, patience: 0 };
  }
  const answer = await answerOf(context, page, () => ask("act", request));
  return answer && followed(context, request, answer, [{ page }, ...stops]);
}

/** @param {{code: string}} answer of a frame that may have another page soon */
function isMissing({ code }) {
  return code === "ELEMENT_NOT_FOUND" || code === "UNREADABLE_PAGE";
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
  let { point = wheel?.point, box } = answer;
  /** @type {Stop[]} */
  const stops = [{ ...here, point }];
  const presses =
    request.action === "click" ? request.count : Number(request.action === "drag" || request.action === "upload");
  for (const stop of point || box ? outer : []) {
    const script = ask("place", { id, index: stop.index, isInFront, presses, point, box });
    const placed = /** @type {PlacedOutside | null} */ (await answerOf(context, stop.page, () => script));
    if (!placed) return null;
    if (placed.trouble) {
      const message = `After ${limits.ready / 1000} s ${placed.trouble}`;
      const refusal = { answer: /** @type {const} */ ({ code: "EXECUTION_ERROR", message }), patience: limits.ready };
      // What the wheel cannot reach is scrolled without it.
      return {
        ...(wheel ? { answer: { ...answer, wheel: undefined }, patience: 0 } : refusal),
        stops: [here, ...outer],
      };
    }
    ({ point, box } = placed);
    stops.push({ ...stop, point });
  }
  const shown = { ...answer, point, box, ...movedWith(point, answer) };
  return { answer: shown, stops: point || box ? stops : [here, ...outer], patience: 0 };
}

/**
 * @param {Point | undefined} point where that of the element is drawn
 * @param {FoundElement} answer of its page
 * @returns {Partial<FoundElement>} what else stands there
 */
function movedWith(point, { point: from, corner, wheel }) {
  if (wheel && point) return { wheel: { ...wheel, point } };
  return corner && from && point ? { corner: { x: corner.x + point.x - from.x, y: corner.y + point.y - from.y } } : {};
}

/**
 * Asks a page; the files are put there first, where they are not yet.
 *
 * @param {CommandContext} context
 * @param {FramePage | undefined} page in a frame; without it the page that the tab holds, or the one that follows
 * @param {(tab: any) => PageFunction} scriptFor `tab`: only for the page that the tab holds
 * @returns {Promise<any>} null when the page has left
 */
export async function answerOf(context, page, scriptFor) {
  const cancel = ask("cancel", { id: context.requestId });
  for (;;) {
    const answer = await runIn(context, page, (tab) => ({ ...scriptFor(tab), cancel }));
    const groups = MISSING.get(/** @type {string} */ (answer));
    if (!groups) return answer;
    const files = await pageFiles(...groups);
    await runIn(context, page, () => ({ files }));
  }
}

/**
 * @param {CommandContext} context
 * @param {FramePage | undefined} page
 * @param {(tab?: chrome.tabs.Tab) => Script} scriptFor
 */
async function runIn(context, page, scriptFor) {
  if (!page) return askPage(context, scriptFor);
  try {
    return await runInPage({ ...context, page }, scriptFor());
  } catch (error) {
    if (error instanceof PageLeft) return null;
    throw error;
  }
}

/**
 * @param {keyof typeof chromeTabReader} command
 * @param {object} request of that command, in page/interaction/commands.js
 * @returns {PageFunction}
 */
export function ask(command, request) {
  return { func: forward, args: [{ command, request }] };
}

/**
 * Runs in the page.
 *
 * @param {{command: keyof typeof chromeTabReader, request: any}} message
 */
function forward({ command, request }) {
  // A page's element of that name is no property of the global object itself.
  if (!Object.hasOwn(globalThis, "chromeTabReader")) return command === "list" ? "absent for a list" : "absent";
  const run = chromeTabReader[command];
  return run ? run(request) : "incomplete";
}
