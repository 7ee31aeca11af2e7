/** What the commands that act on an element share: finding it, and the reply about it. */

/**
 * @import {ActionReply, Box, DrivenContext, ElementAction, ElementLook, FoundElement, Point} from "../shared/types.d.ts"
 */

import { CommandError, invalid } from "../shared/errors.js";
import { outline } from "../browser/highlight.js";
import { actOnElement, lookAtElement } from "../browser/page-elements.js";
import { addressOf, tabById } from "../browser/tabs.js";

/** @type {WeakMap<object, Box>} by the commands' own sessions */
const places = new WeakMap();
const MAX_SELECTOR_LENGTH = 2_000;
const LIMITS = { find: 1_000, ready: 5_000 };

/**
 * Shows an element and tells where it is.
 *
 * @param {DrivenContext} context `params`: `selector`
 * @returns {Promise<Box>} in the document of the main frame, in CSS pixels
 * @throws {CommandError} INVALID_SELECTOR, ELEMENT_NOT_FOUND, EXECUTION_ERROR
 */
export async function boxOf(context) {
  const found = await find(context, { action: "show", selector: selectorOf(context) });
  return /** @type {Box} */ (found.box);
}

/**
 * @param {DrivenContext} context
 * @param {string} [name] of the parameter
 */
export function selectorOf({ params }, name = "selector") {
  const selector = params[name];
  if (typeof selector === "string" && selector.trim() && selector.length <= MAX_SELECTOR_LENGTH) return selector;
  throw invalid(`${name} must be a CSS selector, xpath=... or text=..., for example #buy or text=Buy now.`);
}

/**
 * @param {DrivenContext} context
 * @param {string} [name] of the parameter
 * @returns {string} empty when none is given
 */
export function optionalSelectorOf(context, name = "selector") {
  return (context.params[name] ?? null) === null ? "" : selectorOf(context, name);
}

/**
 * @param {DrivenContext} context
 * @param {ElementAction} action
 * @param {{find: number, ready: number}} [limits] milliseconds for the element to be there, and to be ready
 * @returns {Promise<FoundElement>}
 */
export async function find(context, action, limits = LIMITS) {
  const answer = await actOnElement(context, ({ active }) => ({ ...action, limits, isInFront: active }));
  if (!answer) {
    throw new CommandError(
      "EXECUTION_ERROR",
      "The page left each time before the element was ready. Look where the tab is now.",
    );
  }
  if (answer.code) throw new CommandError(answer.code, answer.message);
  const found = /** @type {FoundElement} */ (answer);
  if (found.outline && context.preferences.now.outline) outlineAtEnd(context, found.outline);
  return found;
}

/**
 * Before the input, drawing would hold it up.
 *
 * @param {DrivenContext} context
 * @param {Box} place of what is acted on last
 */
function outlineAtEnd(context, place) {
  const { session } = context;
  if (!places.has(session)) session.atEnd(() => outline(context, /** @type {Box} */ (places.get(session))));
  places.set(session, place);
}

/** @param {FoundElement} found */
export function pointOf({ point }) {
  return /** @type {Point} */ (point);
}

/**
 * Waits for what an action has begun: another page, or changes of this one.
 *
 * @param {DrivenContext} context
 * @returns {Promise<string>} what has changed; empty on another page
 */
export async function consequences(context) {
  const [hasLeft, changed] = await Promise.all([context.session.settled(), afterwards(context, "readChanges")]);
  return typeof changed === "string" && !hasLeft ? changed : "";
}

/**
 * @param {DrivenContext} context
 * @param {FoundElement} found
 * @param {string} [told] what has changed, where that is known already
 */
export async function replyAbout(context, { element, matches, notes }, told) {
  const { tabId, session } = context;
  const changed = told ?? (await afterwards(context, "readChanges"));
  let tab = await tabById(tabId);
  if (tab.status === "loading") {
    await session.settled();
    tab = await tabById(tabId);
  }
  const isTold = typeof changed === "string" && changed;
  return { element, matches, ...addressOf(tab), ...(isTold && { changed }), ...(notes && { notes }) };
}

/**
 * @param {DrivenContext} context
 * @param {ElementLook} look
 *   at what the input has made
 * @param {object} [request]
 * @returns {Promise<unknown>} null when the page has gone
 */
export async function afterwards(context, look, request) {
  const answer = await lookAtElement(context, look, request).catch(() => null);
  context.signal.throwIfAborted();
  return answer;
}

/**
 * @param {ActionReply} reply
 * @param {string[]} notes
 * @returns {ActionReply}
 */
export function noting(reply, notes) {
  return notes.length ? { ...reply, notes: [...(reply.notes ?? []), ...notes] } : reply;
}
