/**
 * The keyboard.
 *
 * @import {ActionReply, DrivenContext, PressedState} from "../shared/types.d.ts"
 * @import {Stroke} from "../browser/keys.js"
 */

import { invalid } from "../shared/errors.js";
import { ElementTarget } from "../browser/element-target.js";
import { isForBrowser, strokesOf } from "../browser/keys.js";
import { pressKeys } from "../browser/trusted-input.js";
import { noting, optionalSelectorOf } from "./element-params.js";

const MAX_KEYS_LENGTH = 2_000;
const DENIED_FOCUS =
  "The focus is now in a frame of a denied host, which gets no keys. Pass a selector with the next press.";
const ONLY_FOR_PAGE =
  "These keys are a shortcut of the browser, which does not get them: only the page does, and it shows no change. " +
  "Use navigate, back, forward, browser_create_tab or browser_close_tab.";
const FIELDS = new Set(["input", "textarea"]);
/** Keys that move the caret. */
const MOVES = /^(?:Arrow|Home|End|Page)/u;
const HOW_TO_WRITE = 'Use key names such as Control+A Delete, and put text to type in quotes: "New York" Enter.';

/**
 * @param {DrivenContext} context `params`: `keys`, key names and chords separated by spaces, and quoted texts, which
 *   are typed key by key; `selector` of the element to focus first, or null; `on_dialog`, `dialog_text`
 * @returns {Promise<ActionReply>}
 * @throws {CommandError} INVALID_ARGUMENT, INVALID_SELECTOR, ELEMENT_NOT_FOUND, EXECUTION_ERROR
 */
export async function press(context) {
  const { session, params } = context;
  const strokes = await strokesIn(params.keys);
  const selector = optionalSelectorOf(context);
  const target = new ElementTarget(context);
  const found = await target.find({ action: "focus", selector });
  for (const [index, part] of partsOf(strokes, FIELDS.has(found.element.tag)).entries()) {
    if (index) await target.look("nextDrawing");
    await pressKeys(session, part);
  }
  const early = await target.consequences();
  // A switch may slide.
  const hasSlid = found.isCheckable && strokes.some(isToggle) && (await target.look("readChecked")) !== null;
  const changed = hasSlid ? undefined : early;
  const [state, reply] = await Promise.all([
    /** @type {Promise<PressedState | null>} */ (target.look("readPressed")),
    target.reply(found, changed),
  ]);
  const isLed = await session.guard.blocks();
  const isUnheard = !reply.changed && strokes.some(isForBrowser);
  const notes = [isLed ? DENIED_FOCUS : "", isUnheard ? ONLY_FOR_PAGE : ""].filter(Boolean);
  return { ...noting(reply, notes), ...state };
}

/**
 * @param {Stroke[]} strokes
 * @param {boolean} isField whether they are for a field of the browser, which follows each key at once
 * @returns {Stroke[][]} each up to an Enter: an editor may draw the new line only in the next frame, and open lists
 *   follow later, too. Elsewhere also up to the first character, which may open a field for the text, as in the cell of
 *   a spreadsheet, and up to a key that moves the caret, unless it is repeated: an editor's own selection follows later
 */
function partsOf(strokes, isField) {
  const first = strokes.findIndex(({ key, held }) => key.text && !held.length);
  const isEnd = (/** @type {Stroke} */ stroke, /** @type {number} */ index) =>
    stroke.key.key === "Enter" ||
    (!isField && (index === first || (isMove(stroke) && !isRepeated(stroke, strokes[index + 1]))));
  const ends = strokes.flatMap((stroke, index) => (isEnd(stroke, index) ? index + 1 : []));
  return [0, ...ends].map((start, index) => strokes.slice(start, ends[index])).filter((part) => part.length);
}

/** @param {Stroke} stroke */
function isMove({ key, held }) {
  return MOVES.test(key.key) || (key.key === "a" && (held.includes("Control") || held.includes("Meta")));
}

/**
 * @param {Stroke} stroke
 * @param {Stroke} [next]
 */
function isRepeated({ key, held }, next) {
  return key.key === next?.key.key && held.join() === next.held.join();
}

/** @param {Stroke} stroke */
function isToggle({ key }) {
  return key.key === " " || key.key === "Enter";
}

/** @param {unknown} keys */
async function strokesIn(keys) {
  if (typeof keys !== "string" || keys.length > MAX_KEYS_LENGTH) {
    throw invalid(`keys must be a string of at most ${MAX_KEYS_LENGTH} characters. ${HOW_TO_WRITE}`);
  }
  const { os } = await chrome.runtime.getPlatformInfo();
  const strokes = strokesOf(keys, os === "mac");
  if (!strokes.length) throw invalid(`keys contains no key. ${HOW_TO_WRITE}`);
  return strokes;
}
