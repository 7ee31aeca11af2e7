/**
 * Highlights in a page: the element that the user points at in the DevTools panel, and what a command acts on. The
 * browser draws them over the page, which cannot detect them.
 *
 * @import {Box, CommandContext, HighlightRequest} from "../shared/types.d.ts"
 * @import {SessionPool} from "./debugger/session-pool.js"
 */

import { answerNow, ask } from "./page-elements.js";

const FIND_MS = 2_000;
/** Long enough for the user to see what an agent acts on. */
const OUTLINE_MS = 600;
/** Commands that follow one another at once are not slowed by outlines that are too short to be seen. */
const PAUSE_MS = 150;
/** The colors that the browser itself uses. */
const COLORS = {
  color: { r: 111, g: 168, b: 220, a: 0.4 },
  outlineColor: { r: 26, g: 115, b: 232, a: 0.9 },
};

/** @typedef {[method: string, params?: Record<string, unknown>][]} Steps */

/** What draws highlights stays ready: setting it up each time takes longer. @type {Steps} */
const ENDING = [["Overlay.hideHighlight"]];

/**
 * @type {Map<number, HighlightRequest>} the newest request of each tab: the pointer may have moved on by the time an
 *   element is found
 */
const newest = new Map();

/**
 * @param {HighlightRequest} request
 * @param {SessionPool} sessionPool
 * @returns {Promise<void>} never rejects: an element that cannot be found is not highlighted
 */
export async function highlightElement(request, sessionPool) {
  const { tabId, selector } = request;
  newest.set(tabId, request);
  const context = { tabId, requestId: "", signal: AbortSignal.timeout(FIND_MS) };
  const place = selector
    ? await answerNow(context, undefined, ask("placeOf", { selector, id: "" })).catch(() => null)
    : null;
  if (newest.get(tabId) !== request) return;
  newest.delete(tabId);
  await take(tabId, sessionPool, place ? drawing(/** @type {Box} */ (place)) : ENDING);
}

/** @type {Map<number, ReturnType<typeof setTimeout>>} timers that begin or end each tab's outline */
const outlines = new Map();
/** @type {Set<number>} tabs with an outline */
const outlined = new Set();

/**
 * Briefly outlines what a command has acted on: after its reply, unless another command follows at once.
 *
 * @param {Pick<CommandContext, "tabId" | "sessionPool">} context
 * @param {Box} place in the viewport
 */
export function outline({ tabId, sessionPool }, place) {
  const later = (/** @type {number} */ milliseconds, /** @type {() => unknown} */ step) => {
    clearTimeout(outlines.get(tabId));
    outlines.set(tabId, setTimeout(step, milliseconds));
  };
  later(PAUSE_MS, () => {
    outlined.add(tabId);
    void take(tabId, sessionPool, drawing(place));
    later(OUTLINE_MS, () => endOutline({ tabId, sessionPool }));
  });
}

/** @param {Pick<CommandContext, "tabId" | "sessionPool">} context */
export async function endOutline({ tabId, sessionPool }) {
  clearTimeout(outlines.get(tabId));
  outlines.delete(tabId);
  if (outlined.delete(tabId)) await take(tabId, sessionPool, ENDING);
}

/**
 * @param {number} tabId
 * @param {SessionPool} sessionPool
 * @param {Steps} steps
 */
async function take(tabId, sessionPool, steps) {
  const session = sessionPool.known(tabId);
  await Promise.all(steps.map(([method, params]) => session?.send(method, params))).catch(() => {
    // The page is gone, with everything drawn over it.
  });
}

/**
 * @param {Box} place
 * @returns {Steps}
 */
function drawing(place) {
  const rounded = Object.fromEntries(Object.entries(place).map(([name, value]) => [name, Math.round(value)]));
  return [["DOM.enable"], ["Overlay.enable"], ["Overlay.highlightRect", { ...rounded, ...COLORS }]];
}
