/**
 * Marks in a page the element that the person points at in our panel. The browser draws them over the page, which
 * neither sees nor feels them.
 *
 * @import {Box, MarkRequest} from "../shared/types.d.ts"
 * @import {Debuggers} from "./debuggers.js"
 */

import { lookAtElement } from "./page-elements.js";

const FIND_MS = 2_000;
/** The colours of the browser's own. */
const COLORS = {
  color: { r: 111, g: 168, b: 220, a: 0.4 },
  outlineColor: { r: 26, g: 115, b: 232, a: 0.9 },
};

/** @typedef {[method: string, params?: Record<string, unknown>][]} Steps */

/** @type {Steps} */
const ENDING = [["Overlay.disable"], ["DOM.disable"]];

/** @type {Map<number, MarkRequest>} the newest one of each tab: the pointer may be elsewhere when an element is found */
const newest = new Map();

/**
 * @param {MarkRequest} request
 * @param {Debuggers} debuggers
 * @returns {Promise<void>} never rejects: what cannot be found is not marked
 */
export async function markElement(request, debuggers) {
  const { tabId, selector } = request;
  newest.set(tabId, request);
  const context = { tabId, requestId: "", signal: AbortSignal.timeout(FIND_MS) };
  const place = selector ? await lookAtElement(context, "placeOf", { selector }).catch(() => null) : null;
  const session = debuggers.known(tabId);
  if (newest.get(tabId) !== request || !session) return;
  newest.delete(tabId);
  const steps = place ? drawing(/** @type {Box} */ (place)) : ENDING;
  await Promise.all(steps.map(([method, params]) => session.send(method, params))).catch(() => {
    // The page has gone, and the mark with it.
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
