/**
 * Mouse and keyboard: what a person does on a page, as trusted events.
 *
 * @import {DrivenContext, Point} from "../shared/types.d.ts"
 * @import {Key, Stroke} from "./keys.js"
 *
 * @typedef {DrivenContext["session"]} Session
 * @typedef {keyof typeof BUTTONS} MouseButton
 */

import { MODIFIERS, strokesOf } from "./keys.js";

/** Bits in which the browser tells what is held down. */
const BUTTONS = { left: 1, right: 2, middle: 4 };
export const BUTTON_NAMES = /** @type {MouseButton[]} */ (Object.keys(BUTTONS));
/** What browsers tell of a mouse. */
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
 * @param {Session} session
 * @param {string} text
 */
export async function replaceSelection(session, text) {
  if (text) await session.send("Input.insertText", { text });
  else await pressKeys(session, strokesOf("Backspace", false));
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
