/**
 * Mouse and keyboard: what a person does on a page, as trusted events.
 *
 * @import {DrivenContext, Point} from "../shared/types.d.ts"
 */

/**
 * The last step of a way: what opens below the mouse waits for it to move.
 *
 * @param {DrivenContext["session"]} session
 * @param {Point} point
 */
export function approach(session, { x, y }) {
  return moveTo(session, { x: x > 1 ? x - 1 : x + 1, y });
}

/**
 * @param {DrivenContext["session"]} session
 * @param {Point} point
 */
export function moveTo(session, point) {
  return session.send("Input.dispatchMouseEvent", { type: "mouseMoved", ...point });
}

/**
 * @param {DrivenContext["session"]} session
 * @param {{key: string, code: string, windowsVirtualKeyCode: number, text: string}} key
 */
export async function pressKey(session, key) {
  const { text, ...released } = key;
  await session.send("Input.dispatchKeyEvent", { type: text ? "keyDown" : "rawKeyDown", ...released, text });
  await session.send("Input.dispatchKeyEvent", { type: "keyUp", ...released });
}

/**
 * @param {DrivenContext["session"]} session
 * @param {string} text
 */
export async function replaceSelection(session, text) {
  if (text) await session.send("Input.insertText", { text });
  else await pressKey(session, { key: "Backspace", code: "Backspace", windowsVirtualKeyCode: 8, text: "" });
}

/** @param {string} character */
export function keyOf(character) {
  const upper = character.toUpperCase();
  if (character === "\n") return { key: "Enter", code: "Enter", windowsVirtualKeyCode: 13, text: "\r" };
  if (character === " ") return { key: " ", code: "Space", windowsVirtualKeyCode: 32, text: " " };
  const code = /^[A-Z]$/.test(upper) ? `Key${upper}` : /^\d$/.test(character) ? `Digit${character}` : "";
  return { key: character, code, windowsVirtualKeyCode: code ? upper.charCodeAt(0) : 0, text: character };
}
