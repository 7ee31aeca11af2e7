/**
 * Mouse and keyboard: user input on a page, as trusted events.
 *
 * @import {DrivenContext, Point} from "../shared/types.d.ts"
 * @import {Key, Stroke} from "./keys.js"
 *
 * @typedef {DrivenContext["session"]} Session
 * @typedef {keyof typeof BUTTONS} MouseButton
 */

import { MODIFIERS, strokesOf, typed } from "./keys.js";

/** Bits by which the browser reports pressed buttons. */
const BUTTONS = { left: 1, right: 2, middle: 4 };
export const BUTTON_NAMES = /** @type {MouseButton[]} */ (Object.keys(BUTTONS));
/** Excludes line breaks, which as a key would submit a form, and parts of combined characters. */
const LAST_KEY = /[\p{L}\p{Nd} !-~]$/u;
/** Moves the caret behind a whole text, on every system. */
const TEXT_END = strokesOf("End").map((stroke) => ({ ...stroke, command: "moveToEndOfDocument" }));
const MODIFIER_BITS = new Map(Object.values(MODIFIERS).map(({ bit, key }) => [/** @type {Key} */ (key), bit]));
/** The pressure that browsers report for a mouse. */
const PRESSURE = 0.5;

/**
 * The last step of a move: elements that open below the mouse wait for it to move.
 *
 * @param {Session} session
 * @param {Point} point
 */
export function approach(session, { x, y }) {
  return moveTo(session, { x: x > 1 ? x - 1 : x + 1, y });
}

/**
 * @param {Session} session
 * @param {Point} point
 */
export function moveTo(session, { x, y }) {
  return session.send("Input.dispatchMouseEvent", { type: "mouseMoved", x, y });
}

/**
 * @param {Session} session
 * @param {Point} point
 * @param {MouseButton} button
 * @param {number} clickCount position of the press in a series
 */
export function pressButton(session, { x, y }, button, clickCount) {
  const event = { type: "mousePressed", x, y, button, buttons: BUTTONS[button], clickCount, force: PRESSURE };
  return session.send("Input.dispatchMouseEvent", event);
}

/**
 * @param {Session} session
 * @param {Point} point
 * @param {MouseButton} button
 * @param {number} clickCount
 */
export function releaseButton(session, { x, y }, button, clickCount) {
  return session.send("Input.dispatchMouseEvent", { type: "mouseReleased", x, y, button, buttons: 0, clickCount });
}

/**
 * @param {Session} session
 * @param {{point: Point, deltaX: number, deltaY: number}} turn
 */
export function turnWheel(session, { point, deltaX, deltaY }) {
  const { x, y } = point;
  return session.send("Input.dispatchMouseEvent", { type: "mouseWheel", x, y, deltaX, deltaY });
}

/**
 * @param {Session} session
 * @param {Stroke[]} strokes
 */
export async function pressKeys(session, strokes) {
  for (const { key, held, isShifted, command } of strokes) {
    let bits = 0;
    const modifiers = held.map((name) => MODIFIERS[name]);
    const events = modifiers.map((modifier) => keyDown(modifier.key, (bits |= modifier.bit)));
    const own = isShifted ? bits | MODIFIERS.Shift.bit : bits;
    // A modifier is held from its own press on, until its release.
    const pressed = own | (MODIFIER_BITS.get(key) ?? 0);
    events.push({ ...keyDown(key, pressed), ...(command && { commands: [command] }) }, keyUp(key, own));
    for (const modifier of modifiers.toReversed()) events.push(keyUp(modifier.key, (bits &= ~modifier.bit)));
    // All at once: an abort must not leave a key held down.
    await Promise.all(events.map((event) => session.send("Input.dispatchKeyEvent", event)));
  }
}

/**
 * Inserts a text at once, except for its last character, which is typed by key: many pages check a field when a key is
 * released. After several lines the key is End, because the browser leaves the caret too far back in an editor: by one
 * character for each line break.
 *
 * @param {Session} session
 * @param {string} text
 */
export async function replaceSelection(session, text) {
  if (!text) return pressKeys(session, strokesOf("Backspace"));
  const last = LAST_KEY.exec(text)?.[0] ?? "";
  const isWhole = last !== "" && text.includes("\n");
  const before = isWhole ? text : text.slice(0, text.length - last.length);
  const strokes = isWhole ? TEXT_END : typed(last);
  await Promise.all([before && session.send("Input.insertText", { text: before }), pressKeys(session, strokes)]);
}

/**
 * @param {Key} key
 * @param {number} modifiers
 */
function keyDown({ text, ...key }, modifiers) {
  // While Control, Alt or Meta is held, a key types nothing.
  const isWriting = text !== undefined && !(modifiers & ~MODIFIERS.Shift.bit);
  return { type: isWriting ? "keyDown" : "rawKeyDown", ...key, modifiers, ...(isWriting && { text }) };
}

/**
 * @param {Key} key
 * @param {number} modifiers
 */
function keyUp({ key, code, windowsVirtualKeyCode, location }, modifiers) {
  return { type: "keyUp", key, code, windowsVirtualKeyCode, location, modifiers };
}
