/**
 * Mouse and keyboard: what a user does on a page, as trusted events.
 *
 * @import {DrivenContext, Point} from "../shared/types.d.ts"
 * @import {Key, Stroke} from "./keys.js"
 *
 * @typedef {DrivenContext["session"]} Session
 * @typedef {keyof typeof BUTTONS} MouseButton
 */

import { MODIFIERS, strokesOf, typed } from "./keys.js";

/** Bits in which the browser reports what is held down. */
const BUTTONS = { left: 1, right: 2, middle: 4 };
export const BUTTON_NAMES = /** @type {MouseButton[]} */ (Object.keys(BUTTONS));
/** No line break, which as a key would send a form, and no part of what is drawn as one character. */
const LAST_KEY = /[\p{L}\p{Nd} !-~]$/u;
/** What browsers report about a mouse. */
const PRESSURE = 0.5;

/**
 * The last step of a way: what opens below the mouse waits for it to move.
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
 * @param {number} clickCount which press of a row this is
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
    events.push({ ...keyDown(key, own), ...(command && { commands: [command] }) }, keyUp(key, own));
    for (const modifier of modifiers.toReversed()) events.push(keyUp(modifier.key, (bits &= ~modifier.bit)));
    // In one go: no abort may leave a key held down.
    await Promise.all(events.map((event) => session.send("Input.dispatchKeyEvent", event)));
  }
}

/**
 * Writes a text at once, but for its last character, which comes by its key: many pages look at a field when a key is
 * released there.
 *
 * @param {Session} session
 * @param {string} text
 */
export async function replaceSelection(session, text) {
  if (!text) return pressKeys(session, strokesOf("Backspace", false));
  const last = LAST_KEY.exec(text)?.[0] ?? "";
  const before = text.slice(0, text.length - last.length);
  await Promise.all([before && session.send("Input.insertText", { text: before }), pressKeys(session, typed(last))]);
}

/**
 * @param {Key} key
 * @param {number} modifiers
 */
function keyDown({ text, ...key }, modifiers) {
  // With Control, Alt or Meta held a key writes nothing.
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
