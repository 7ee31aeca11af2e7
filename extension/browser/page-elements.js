/**
 * Requests about the elements of a page, answered by files that are injected once. If a selector leads into a
 * cross-origin frame, the page in it is asked in the same way.
 *
 * @import {CommandContext, ElementDescription, ErrorCode, CrossOriginFrame, FoundFrames} from "../shared/types.d.ts"
 * @import {ListAnswer, ListRequest, WaitAnswer, WaitRequest} from "../shared/types.d.ts"
 * @import {PageFunction, Script} from "./inject.js"
 * @import {FramePage} from "./navigation-watch.js"
 * @import {FileGroup} from "./page-files.js"
 */

import { CommandError } from "../shared/errors.js";
import { deniedFrames, mayBeDenied, pagesIn, refuseDeniedFrame } from "./cross-origin-frames.js";
import { askPage, PageLeft, runInPage } from "./inject.js";
import { pageFiles } from "./page-files.js";
import { endsWithin, pause } from "./async.js";

/**
 * The groups of `page/files.json` to inject, by the answer of a page that lacks them. They are classic scripts; each
 * defines one constant in the extension's isolated world of the page.
 *
 * @type {Map<string, FileGroup[]>}
 */
const MISSING = new Map([
  ["absent", ["interaction"]],
  ["absent for a list", ["interaction", "elementList"]],
  ["incomplete", ["elementList"]],
]);

/** How many times a page may navigate away during a request. */
export const MAX_UNANSWERED = 5;
export const MAX_FRAMES = 20;
/** A busy frame must not delay the list. */
const FRAME_MS = 1_000;
export const POLL_MS = 50;
const SILENT =
  "does not respond: it is still loading, is busy, has failed, or does not allow extensions. Take a screenshot to see it.";
const ALIKE =
  "cross-origin frames in shadow roots of this page are identical and cannot be distinguished. Act on the page around them.";

/** @typedef {{code: ErrorCode, message: string}} Refusal */
/** @typedef {{code: "", element?: ElementDescription, matches?: number, notes?: string[]}} Met the awaited element or text */

/**
 * Waits until the page, or one that follows, shows what was requested.
 *
 * @param {CommandContext} context
 * @param {() => Omit<WaitRequest, "id">} requestNow
 * @returns {Promise<Met | Refusal | null>} null if no page answers
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
 * @param {FramePage | undefined} holder the page that contains the frames; without it the tab's own
 * @param {FoundFrames} found
 * @param {() => Omit<WaitRequest, "id">} requestNow
 * @returns {Promise<Met | Refusal | null>} COMMAND_TIMEOUT if none of them shows it yet; null if a page has left
 */
async function metInFrames(context, holder, { rest, frames }, requestNow) {
  /** @type {Met | Refusal | null} */
  let met = null;
  for (const frame of frames.slice(0, MAX_FRAMES)) {
    met = await metInFrame(context, holder, frame, () => {
      const request = { ...requestNow(), selector: rest, text: "", gone: "", way: frame.selector };
      // If several may show it, none is awaited alone.
      return frames.length > 1 ? { ...request, timeout: 0 } : request;
    });
    if (met?.code !== "COMMAND_TIMEOUT") return met;
  }
  return met;
}

/**
 * @param {CommandContext} context
 * @param {FramePage | undefined} holder
 * @param {CrossOriginFrame} frame
 * @param {() => Omit<WaitRequest, "id">} requestNow
 * @returns {Promise<Met | Refusal | null>}
 */
async function metInFrame(context, holder, frame, requestNow) {
  const pages = await pagesIn(context, holder?.frameId ?? 0, frame);
  const [page] = pages;
  await refuseDeniedFrame(context, holder?.frameId ?? 0, frame, page);
  const trouble = troubleWith(frame, pages);
  if (trouble) return { code: "COMMAND_TIMEOUT", message: `After ${requestNow().whole / 1000} s, ${trouble}` };
  const script = ask("waitFor", { ...requestNow(), id: context.requestId });
  const answer = /** @type {WaitAnswer | null} */ (await answerOf(context, page, () => script));
  return answer && "frames" in answer ? metInFrames(context, page, answer, requestNow) : answer;
}

/**
 * @param {CrossOriginFrame} frame
 * @param {FramePage[]} pages that it may contain
 * @returns {string} the rest of a sentence; empty for exactly one page
 */
function troubleWith({ selector }, { length }) {
  if (length === 1) return "";
  return length ? `${length} ${ALIKE}` : `the page in ${selector} ${SILENT}`;
}

/**
 * @param {CommandContext} context
 * @param {ListRequest} request
 * @param {FramePage} [page] in a cross-origin frame
 * @returns {Promise<Exclude<ListAnswer, FoundFrames> | null>} null if the frame's page has left
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
  const { silent = [] } = request;
  const lists = frames.slice(0, MAX_FRAMES).map(async (frame) => {
    const { find } = request;
    const [inner, ...others] = await pagesIn(context, holderId, frame);
    if (hasDenied && (await mayBeDenied(context, holderId, frame))) {
      leftOut.push(frame.selector);
      return [frame.selector, []];
    }
    const wanted = { find, within: "", offset: 0, way: frame.selector, isFramed: true, silent };
    const reply = inner && !others.length ? listElements(context, wanted, inner).catch(() => null) : null;
    const list = reply && (await endsWithin(FRAME_MS, reply)) ? await reply : null;
    if (list && "lines" in list) return [frame.selector, list.lines];
    silent.push(frame.selector);
    return [frame.selector, []];
  });
  const framed = Object.fromEntries(await Promise.all(lists));
  context.signal.throwIfAborted();
  return listElements(context, { ...request, framed, leftOut, silent }, page);
}

/**
 * @param {CommandContext} context
 * @param {ListRequest} request
 * @param {number} holderId the frame whose page found the frames
 * @param {FoundFrames} found
 * @returns {Promise<Exclude<ListAnswer, FoundFrames> | null>} of the first frame that contains what should be listed
 */
async function listInFrame(context, request, holderId, { rest, frames }) {
  /** @type {Exclude<ListAnswer, FoundFrames> | null} */
  let answer = {
    code: "ELEMENT_NOT_FOUND",
    message: "The frame is not visible. Open what contains it, then try again.",
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
 * @param {CrossOriginFrame} frame
 * @param {FramePage[]} pages that it may contain
 * @returns {Refusal | null} null for exactly one page
 */
export function refusalOf(frame, pages) {
  const trouble = troubleWith(frame, pages);
  return trouble ? { code: "UNREADABLE_PAGE", message: `At the moment ${trouble}` } : null;
}

/** @param {{code: string}} answer of a frame that may soon have another page */
export function isMissing({ code }) {
  return code === "ELEMENT_NOT_FOUND" || code === "UNREADABLE_PAGE";
}

/**
 * Sends a page a request, and first injects the files if they are missing.
 *
 * @param {CommandContext} context
 * @param {FramePage | undefined} page in a frame; without it the tab's current page, or the one that follows
 * @param {(tab: any) => PageFunction} scriptFor `tab`: only for the tab's current page
 * @returns {Promise<any>} null if the page has left
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
 * Like `answerOf`, for a page that already has the files.
 *
 * @param {Pick<CommandContext, "tabId" | "signal" | "requestId">} context
 * @param {FramePage | undefined} page in a frame; without it the tab's own
 * @param {PageFunction} script
 * @returns {Promise<any>} null if the page does not have them
 * @throws {CommandError} UNREADABLE_PAGE, PageLeft, those of the page, and the reason of the signal
 */
export async function answerNow(context, page, script) {
  const cancel = ask("cancel", { id: context.requestId });
  const answer = /** @type {any} */ (await runInPage({ ...context, page }, { ...script, cancel }));
  if (answer?.code) throw new CommandError(answer.code, answer.message);
  return MISSING.has(answer) ? null : answer;
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
 * Runs in the page. An error is returned: without an answer the page would count as left.
 *
 * @param {{command: keyof typeof chromeTabReader, request: any}} message
 */
async function forward({ command, request }) {
  // An element of that name in the page is not an own property of the global object.
  if (!Object.hasOwn(globalThis, "chromeTabReader")) return command === "list" ? "absent for a list" : "absent";
  const run = chromeTabReader[command];
  if (!run) return "incomplete";
  try {
    return await run(request);
  } catch (error) {
    return chromeTabReader.failure(error);
  }
}
