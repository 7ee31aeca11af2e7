/** Fills fields with text, and selects options. */

/**
 * @import {ActionReply, DrivenContext, FilledField, FillLook, Filling, FoundElement} from "../shared/types.d.ts"
 * @import {WidgetKind} from "../shared/types.d.ts"
 *
 * @typedef {object} Attempt at filling a field
 * @property {FoundElement} found
 * @property {ActionReply} reply
 * @property {FilledField | null} [field] null if the page is gone; none if it takes no text of its own
 * @property {boolean} [isLost] whether the page did not keep the text, or objects to it
 * @property {boolean} [isUnread] whether its calendar does not show the day
 * @property {boolean} [hasPicked] whether the day was to be picked there
 *
 * @typedef {(how: FillLook) => Promise<FilledField | null>} Look at the field once it was typed into; null if the page is
 *   gone
 */

import { failed, invalid } from "../shared/errors.js";
import { ElementTarget } from "../browser/element-target.js";
import { strokesOf, typed } from "../browser/keys.js";
import { pressKeys, replaceSelection } from "../browser/trusted-input.js";
import { Calendar } from "./calendar.js";
import { LEFT, noting, selectorOf } from "./element-params.js";
import { ListWidget } from "./list-widget.js";
import { NumberWidget } from "./number-widget.js";
import { notKept } from "./widget.js";

const MAX_VALUE_LENGTH = 1_000_000;
const SECRET = "(hidden)";
const READ_ONLY = "is read-only, and no calendar for that day opened. Click it, then check the page.";
/** Typed key by key, each character takes three messages. */
const MAX_KEYED_LENGTH = 1_000;
/** How many notations of a date or a time are typed. */
const MAX_NOTATIONS = 7;
const UNREAD = "The calendar that opened for it does not show that day as selected. Check the calendar.";

/**
 * @param {DrivenContext} context `params`: `selector` and `value`, a text; a trailing line break in a single-line field
 *   presses Enter
 * @returns {Promise<ActionReply>}
 * @throws {CommandError} INVALID_SELECTOR, ELEMENT_NOT_FOUND, EXECUTION_ERROR, VALUE_NOT_KEPT
 */
export async function fill(context) {
  const { value } = context.params;
  if (typeof value !== "string" || value.length > MAX_VALUE_LENGTH) {
    throw invalid(`value must be a string of at most ${MAX_VALUE_LENGTH} characters.`);
  }
  let attempt = await attempted(context, value);
  const { hasPicked } = attempt;
  const tried = [value];
  for (let next; attempt.isLost && tried.length < MAX_NOTATIONS; tried.push(next)) {
    next = notationsFor(attempt).find((text) => !tried.includes(text));
    if (next === undefined) break;
    attempt = await attempted(context, next, hasPicked ? "done" : "never");
  }
  // It is to hold what was given, unless the page accepts another notation.
  if (attempt.isLost && tried.length > 1) attempt = await attempted(context, value, hasPicked ? "done" : "always");
  return outcomeOf(context, attempt, value);
}

/**
 * @param {Attempt} attempt
 * @returns {string[]} what else to type; only as the field itself writes it, if just its calendar has not followed the text
 */
function notationsFor({ field }) {
  const { own, general } = field?.notations ?? { own: [], general: [] };
  return field?.isKept && !field.complaint ? own : [...own, ...general];
}

/**
 * @param {DrivenContext} context
 * @param {Attempt} attempt the last one
 * @param {string} value
 * @returns {ActionReply}
 * @throws {CommandError} VALUE_NOT_KEPT
 */
function outcomeOf({ isPart }, { found, reply, field, isUnread }, value) {
  if (field === undefined) return reply;
  if (field === null) return noting(reply, [LEFT]);
  const isSecret = field.value === SECRET;
  const own = isUnread ? [...field.notes, UNREAD] : field.notes;
  const notes = field.complaint ? [...own, field.complaint] : own;
  if (!field.isKept) throw notKept(found, isSecret ? SECRET : value.trim(), field.value, listOf(notes));
  // In a form, a later field may settle what the page objects to.
  return { ...noting(reply, isPart ? own : notes), value: field.value };
}

/**
 * Operates a field that takes no text of its own.
 *
 * @param {DrivenContext} context
 * @param {{target: ElementTarget, found: FoundElement, kind: WidgetKind}} field
 * @param {string} value
 * @returns {Promise<Attempt>}
 */
async function operated(context, { target, found, kind }, value) {
  const selector = selectorOf(context);
  const held =
    kind === "list"
      ? (await new ListWidget(context, target, found, selector).set([value])).join(", ")
      : await new NumberWidget(context, target, found, selector).set(value);
  const reply = await target.reply(found, await target.consequences());
  const complaint = context.isPart ? "" : await target.look("operate", { look: "complaint" });
  return { found, reply: { ...noting(reply, complaint ? [String(complaint)] : []), value: held } };
}

/**
 * Writes a text into a field, and picks its day in the calendar of the field if that does not accept the text.
 *
 * @param {DrivenContext} context
 * @param {string} value
 * @param {"always" | "never" | "done" | "unless written"} [mayPick] `done`: its day was picked before; `unless written`: not if
 *   the field shows how it writes dates
 * @returns {Promise<Attempt>}
 */
async function attempted(context, value, mayPick = "unless written") {
  const { session } = context;
  const target = new ElementTarget(context);
  const selector = selectorOf(context);
  session.watchRequests();
  const found = await target.find({ action: "fill", selector, value });
  const operate = (/** @type {WidgetKind} */ kind) => operated(context, { target, found, kind }, value);
  if (found.widget) return operate(found.widget);
  const filling = /** @type {Filling} */ (found.filling);
  const calendar = new Calendar(context, target, found, selector);
  const filled = filling.isPicked
    ? await picked(target, filling, calendar)
    : await enter(context, target, filling, calendar);
  if (!filled && filling.isPicked) throw failed(`${found.element.selector} ${READ_ONLY}`);
  if (filled?.widget) {
    // What was typed is selected.
    await pressKeys(session, strokesOf("Backspace", false));
    return operate(filled.widget);
  }
  if (filling.isEntered) await pressKeys(session, typed("\n"));
  let { field, changed } = await afterwards(context, target, filling, filled);
  const isFirst = mayPick === "unless written" && filling.hasNotation;
  const isBehind = Boolean(field?.isUnread) && mayPick !== "done";
  let isUnread = isBehind && (isFirst || !(await calendar.hasChosen(filling.days)));
  const isRefused = () => field !== null && (!field.isKept || isUnread || Boolean(field.complaint));
  const isAllowed = !isFirst && ["always", "unless written"].includes(mayPick);
  const hasPicked = isAllowed && filling.day !== "" && !filling.isPicked && isRefused();
  const other = hasPicked ? await picked(target, filling, calendar) : null;
  if (other) {
    isUnread = false;
    ({ field, changed } = await afterwards(context, target, filling, other));
  }
  const isLost = !filling.isEntered && !filling.isPicked && isRefused();
  return { found, reply: await target.reply(found, changed), field, isLost, isUnread, hasPicked };
}

/** @param {string[]} notes */
function listOf(notes) {
  return notes.map((note) => ` ${note}`).join("");
}

/**
 * Returns what a field contains, and what has changed, once the page has finished what it shows or has requested. If it
 * does neither by the time the field was read, this does not wait.
 *
 * @param {DrivenContext} context
 * @param {ElementTarget} target
 * @param {Filling} filling
 * @param {FilledField | null} filled
 * @returns {Promise<{field: FilledField | null, changed?: string}>}
 */
async function afterwards({ session }, target, { text, isEntered }, filled) {
  if (filled && !isEntered && !filled.changed && !session.hasRequests) return { field: filled, changed: "" };
  const changed = await target.consequences();
  const later = isEntered ? null : /** @type {FilledField | null} */ (await target.look("readField", { text }));
  return { field: later ?? filled, changed };
}

/**
 * @param {DrivenContext} context `params`: `selector`; `value`, the value or label of an option, or a list of them;
 *   `on_dialog`, `dialog_text`
 * @returns {Promise<ActionReply>}
 * @throws {CommandError} INVALID_SELECTOR, ELEMENT_NOT_FOUND, EXECUTION_ERROR, VALUE_NOT_KEPT
 */
export async function select(context) {
  const { params } = context;
  /** @type {unknown[]} */
  const values = Array.isArray(params.value) ? params.value : [params.value];
  if (!values.every((value) => typeof value === "string")) {
    throw invalid("value must be the value or label of an option, or a list of them.");
  }
  const target = new ElementTarget(context);
  const selector = selectorOf(context);
  context.session.watchRequests();
  const found = await target.find({ action: "select", selector, values });
  if (found.widget) {
    const isList = Array.isArray(params.value);
    const held = await new ListWidget(context, target, found, selector).set(values, isList);
    const reply = await target.reply(found, await target.consequences());
    return { ...reply, selected: held.map((label) => ({ value: label, label })) };
  }
  const changed = await target.consequences();
  const selected = /** @type {FoundElement["selected"] | null} */ (await target.look("readSelected")) ?? found.selected;
  if (JSON.stringify(selected) !== JSON.stringify(found.selected)) {
    throw notKept(found, values.join(", "), (selected ?? []).map(({ label }) => label).join(", "), "");
  }
  return { ...(await target.reply(found, changed)), selected };
}

/**
 * Replaces the text of an editor that draws it.
 *
 * @param {DrivenContext["session"]} session
 * @param {string} text
 */
async function enterDrawn(session, text) {
  const { os } = await chrome.runtime.getPlatformInfo();
  const isMac = os === "mac";
  await pressKeys(session, strokesOf("ControlOrMeta+A", isMac));
  if (!text) return replaceSelection(session, "");
  // Keys would make the editor indent lines and close brackets.
  await session.send("Input.insertText", { text });
  // Some editors close brackets and quotes all the same: what follows the caret is theirs.
  await pressKeys(session, strokesOf(`ControlOrMeta+Shift+${isMac ? "ArrowDown" : "End"} Delete`, isMac));
}

/**
 * @param {DrivenContext} context
 * @param {ElementTarget} target
 * @param {Filling} filling
 * @returns {Look}
 */
function lookAt({ isPart = false, isLast = false }, target, { text }) {
  // The next field takes the focus from those before it.
  const mayWait = isLast || !isPart;
  return async (how) => /** @type {FilledField | null} */ (await target.look("finishFill", { text, mayWait, ...how }));
}

/**
 * @param {DrivenContext["session"]} session
 * @param {ElementTarget} target
 * @returns {Promise<boolean>} whether suggestions open for what was typed, which the page may request
 */
async function suggests(session, target) {
  if (await target.look("awaitList")) return true;
  return session.hasRequests && (await session.requestsEnded()) && Boolean(await target.look("awaitList"));
}

/**
 * @param {ElementTarget} target
 * @param {Filling} filling
 * @param {Calendar} calendar of the field
 * @returns {Promise<FilledField | null>} the field once the day was picked; null if that is not possible
 */
async function picked(target, filling, calendar) {
  return (await calendar.pick(filling.day, filling.time))
    ? lookAt(calendar.context, target, filling)({ hasPicked: true })
    : null;
}

/**
 * Types the text, unless the field contains it already, and reads what the field made of it.
 *
 * @param {DrivenContext} context
 * @param {ElementTarget} target
 * @param {Filling} filling
 * @param {Calendar} calendar of the field
 * @returns {Promise<FilledField | null>} null if the page is gone
 */
async function enter(context, target, filling, calendar) {
  const { session } = context;
  const look = lookAt(context, target, filling);
  let filled = filling.isTyped ? await typeText(session, look, filling) : await look({});
  if (filled?.next === "suggest") filled = await look({ mayLeave: !(await suggests(session, target)) });
  if (filled?.next === "pick") {
    // Otherwise the page may go on to object to the text.
    await calendar.ask("focus");
    await replaceSelection(session, "");
    const other = await picked(target, filling, calendar);
    if (other) return other;
    await calendar.ask("focus");
    filled = await typeText(session, look, filling);
  }
  // A picker that opened for a date accepts it, and closes, with one of these keys.
  for (const key of ["Tab", "Enter"]) {
    if (filled?.next !== key.toLowerCase()) continue;
    await pressKeys(session, strokesOf(key, false));
    filled = await look({});
  }
  return filled;
}

/**
 * @param {DrivenContext["session"]} session
 * @param {Look} look
 * @param {Filling} filling
 * @returns {Promise<FilledField | null>} null if the page is gone
 */
async function typeText(session, look, { text, isDrawn, isKeyed }) {
  if (isDrawn || isKeyed) {
    await (isDrawn ? enterDrawn(session, text) : pressKeys(session, typed(text)));
    return look({});
  }
  const mayRetype = text.length <= MAX_KEYED_LENGTH ? "changed" : "";
  // All at once: waiting for the page to draw in between would take longer than both.
  const [early] = await Promise.all([look({ isEarly: true, mayRetype }), replaceSelection(session, text)]);
  let filled = early?.next === "look" ? await look({ mayRetype }) : early;
  // Fields with an input mask accept some texts only from keys, and fields that drop parts of dates only whole ones.
  for (const isWhole of [false, true]) {
    if (filled?.next !== "retype") break;
    await replaceSelection(session, "");
    await (isWhole ? session.send("Input.insertText", { text }) : pressKeys(session, typed(text)));
    filled = await look({ mayRetype: isWhole ? "" : "lost" });
  }
  return filled;
}
