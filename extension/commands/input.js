/** Mouse and keyboard: what a person does on a page, as trusted events. */

/**
 * @import {ActionReply, Box, DrivenContext, ElementAction, ElementAnswer, FilledField, FoundElement, Filling} from "../shared/types.d.ts"
 * @import {Point, PressOutcome} from "../shared/types.d.ts"
 */

import { CommandError } from "../shared/errors.js";
import { actOnElement, lookAtElement } from "../worker/page-elements.js";
import { addressOf, tabById, urlOf } from "../worker/tabs.js";
import { endsWithin } from "../worker/waiting.js";

const MAX_SELECTOR_LENGTH = 2_000;
const MAX_VALUE_LENGTH = 1_000_000;
/** Key by key each character takes three messages. */
const MAX_KEYED_LENGTH = 1_000;
const MAX_PRESSES = 3;
/** What browsers tell of a mouse. */
const PRESSURE = 0.5;
/** A step is taken at the next frame; in the background, where that is far away, it may be passed over. */
const STEP_WAIT_MS = 50;
/** Milliseconds for an element to be there, and to be ready. */
const LIMITS = { find: 1_000, ready: 5_000 };

/**
 * @param {DrivenContext} context `params`: `selector`
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
 * @param {DrivenContext} context `params`: `selector` and `value`, a text; a line break at the end of one for a field
 *   of one line presses Enter
 * @returns {Promise<ActionReply>}
 * @throws {CommandError} INVALID_SELECTOR, ELEMENT_NOT_FOUND, EXECUTION_ERROR
 */
export async function fill(context) {
  const { params, session } = context;
  const { value } = params;
  if (typeof value !== "string" || value.length > MAX_VALUE_LENGTH) {
    throw invalid(`value must be a text of at most ${MAX_VALUE_LENGTH} characters.`);
  }
  const found = await find(context, { action: "fill", selector: selectorOf(context), value });
  const filling = /** @type {Filling} */ (found.filling);
  const filled = await enter(context, filling);
  if (filling.isEntered) {
    await pressKey(session, keyOf("\n"));
    await session.settled();
  }
  const reply = await replyAbout(context, found);
  if (!filled) return noting(reply, ["The page has left before the field could be read."]);
  return { ...noting(reply, filled.notes), value: filled.value };
}

/**
 * @param {DrivenContext} context `params`: `selector` and `value`, the value or label of an option, or a list of them
 * @returns {Promise<ActionReply>}
 * @throws {CommandError} INVALID_SELECTOR, ELEMENT_NOT_FOUND, EXECUTION_ERROR
 */
export async function select(context) {
  const { params, session } = context;
  /** @type {unknown[]} */
  const values = Array.isArray(params.value) ? params.value : [params.value];
  if (!values.every((value) => typeof value === "string")) {
    throw invalid("value must be the value or the label of an option, or a list of them.");
  }
  const found = await find(context, { action: "select", selector: selectorOf(context), values });
  await session.settled();
  return { ...(await replyAbout(context, found)), selected: found.selected };
}

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

/** @param {DrivenContext} context */
function selectorOf({ params: { selector } }) {
  if (typeof selector === "string" && selector.trim() && selector.length <= MAX_SELECTOR_LENGTH) return selector;
  throw invalid("selector must be a CSS selector, xpath=... or text=..., for example #buy or text=Buy now.");
}

/**
 * @param {DrivenContext} context
 * @param {ElementAction} action
 * @returns {Promise<FoundElement>}
 */
async function find(context, action) {
  const answer = await actOnElement(context, ({ active }) => ({ ...action, limits: LIMITS, isInFront: active }));
  if (!answer) {
    throw new CommandError(
      "EXECUTION_ERROR",
      "The page left each time before the element was ready. Look where the tab is now.",
    );
  }
  if (answer.code) throw new CommandError(answer.code, answer.message);
  return /** @type {FoundElement} */ (answer);
}

/** @param {FoundElement} found */
function pointOf({ point }) {
  return /** @type {Point} */ (point);
}

/**
 * @param {DrivenContext} context
 * @param {FoundElement} found
 */
async function replyAbout({ tabId, session }, { element, matches, notes }) {
  let tab = await tabById(tabId);
  if (tab.status === "loading") {
    await session.settled();
    tab = await tabById(tabId);
  }
  return { element, matches, ...addressOf(tab), ...(notes && { notes }) };
}

/**
 * @param {DrivenContext} context
 * @param {"finishFill" | "readChecked" | "watchPress"} look at what the input has made
 * @param {object} [request]
 * @returns {Promise<unknown>} null when the page has gone
 */
async function afterwards(context, look, request) {
  const answer = await lookAtElement(context, look, request).catch(() => null);
  context.signal.throwIfAborted();
  return answer;
}

/**
 * Types the text, unless the field holds it already, and looks at what the field has made of it.
 *
 * @param {DrivenContext} context
 * @param {Filling} filling
 * @returns {Promise<FilledField | null>} null when the page has gone
 */
async function enter(context, { text, isTyped }) {
  const { session } = context;
  const look = async (/** @type {{isEarly?: boolean, mayRetype?: boolean}} */ { isEarly = false, mayRetype = false }) =>
    /** @type {FilledField | null} */ (await afterwards(context, "finishFill", { text, isEarly, mayRetype }));
  if (!isTyped) return look({});
  const mayRetype = text.length <= MAX_KEYED_LENGTH;
  // In one go: who looks after the typing waits for the page to draw it, which takes longer than both.
  const [early] = await Promise.all([look({ isEarly: true, mayRetype }), replaceSelection(session, text)]);
  const filled = early?.next === "look" ? await look({ mayRetype }) : early;
  if (filled?.next !== "retype") return filled;
  await replaceSelection(session, "");
  // Fields with a mask take some texts from keys only.
  for (const character of text) await pressKey(session, keyOf(character));
  return look({});
}

// --- Trusted events

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

/**
 * The last step of a way: what opens below the mouse waits for it to move.
 *
 * @param {DrivenContext["session"]} session
 * @param {Point} point
 */
function approach(session, { x, y }) {
  return moveTo(session, { x: x > 1 ? x - 1 : x + 1, y });
}

/**
 * @param {DrivenContext["session"]} session
 * @param {Point} point
 */
function moveTo(session, point) {
  return session.send("Input.dispatchMouseEvent", { type: "mouseMoved", ...point });
}

/**
 * @param {DrivenContext["session"]} session
 * @param {{key: string, code: string, windowsVirtualKeyCode: number, text: string}} key
 */
async function pressKey(session, key) {
  const { text, ...released } = key;
  await session.send("Input.dispatchKeyEvent", { type: text ? "keyDown" : "rawKeyDown", ...released, text });
  await session.send("Input.dispatchKeyEvent", { type: "keyUp", ...released });
}

/**
 * @param {DrivenContext["session"]} session
 * @param {string} text
 */
async function replaceSelection(session, text) {
  if (text) await session.send("Input.insertText", { text });
  else await pressKey(session, { key: "Backspace", code: "Backspace", windowsVirtualKeyCode: 8, text: "" });
}

/** @param {string} character */
function keyOf(character) {
  const upper = character.toUpperCase();
  if (character === "\n") return { key: "Enter", code: "Enter", windowsVirtualKeyCode: 13, text: "\r" };
  if (character === " ") return { key: " ", code: "Space", windowsVirtualKeyCode: 32, text: " " };
  const code = /^[A-Z]$/.test(upper) ? `Key${upper}` : /^\d$/.test(character) ? `Digit${character}` : "";
  return { key: character, code, windowsVirtualKeyCode: code ? upper.charCodeAt(0) : 0, text: character };
}

/** The tabs that a tab opens while this listens. */
class TabOpenings {
  /** @type {number[]} */
  #opened = [];
  /** @readonly */
  #onCreated;

  /** @param {number} tabId */
  constructor(tabId) {
    this.#onCreated = (/** @type {chrome.tabs.Tab} */ { id, openerTabId }) =>
      void (openerTabId === tabId && id !== undefined && this.#opened.push(id));
    chrome.tabs.onCreated.addListener(this.#onCreated);
  }

  stop() {
    chrome.tabs.onCreated.removeListener(this.#onCreated);
  }

  async notes() {
    const tabs = await Promise.all(this.#opened.map((tabId) => chrome.tabs.get(tabId).catch(() => null)));
    return tabs.flatMap((tab) => {
      const url = tab && urlOf(tab) ? ` at ${JSON.stringify(urlOf(tab).toWellFormed().slice(0, 200))}` : "";
      return tab ? [`It opened tab ${tab.id}${url}, which is not attached.`] : [];
    });
  }
}

/**
 * @param {ActionReply} reply
 * @param {string[]} notes
 * @returns {ActionReply}
 */
function noting(reply, notes) {
  return notes.length ? { ...reply, notes: [...(reply.notes ?? []), ...notes] } : reply;
}

/** @param {string} message */
function invalid(message) {
  return new CommandError("INVALID_ARGUMENT", message);
}
