/**
 * Fills fields with text, and selects options.
 *
 * @import {ActionReply, DrivenContext, FoundElement, WidgetKind} from "../shared/types.d.ts"
 * @import {Attempt} from "./text-entry.js"
 */

import { CommandError, invalid } from "../shared/errors.js";
import { ElementTarget } from "../browser/element-target.js";
import { strokesOf } from "../browser/keys.js";
import { pressKeys } from "../browser/trusted-input.js";
import { LEFT, noting, selectorOf } from "./element-params.js";
import { ListWidget } from "./list-widget.js";
import { NumberWidget } from "./number-widget.js";
import { TextEntry } from "./text-entry.js";
import { isAlike, notKept, plain } from "./widget.js";

const MAX_VALUE_LENGTH = 1_000_000;
/** What a reply has in the place of a secret, as in page/interaction/form-controls.js. */
export const SECRET = "(hidden)";
/** Maximum number of notations of a date or a time that are typed. */
const MAX_NOTATIONS = 7;
/** The note about a field that was left for the next one. */
const STARTED = "The page drops it unless the next field is filled, too.";
export const PICKER =
  "A picker is open for the field, so the page may not have accepted the value yet. Check the picker.";
/** The note about an Enter key without any effect. */
const UNADDED = "and the page has not changed. If the field collects values, this one was not added.";
/** Stands for the Enter key. */
const LINE_END = /\r?\n$/u;
const UNREAD = "The calendar that opened for it does not show that day as selected. Check the calendar.";

/**
 * @param {DrivenContext} context `params`: `selector` and `value`, a text; a trailing line break in a single-line field,
 *   also an editable element that never wraps, presses Enter
 * @returns {Promise<ActionReply>}
 * @throws {CommandError} INVALID_SELECTOR, ELEMENT_NOT_FOUND, EXECUTION_ERROR, VALUE_NOT_KEPT
 */
export async function fill(context) {
  const { value } = context.params;
  if (typeof value !== "string" || value.length > MAX_VALUE_LENGTH) {
    throw invalid(`value must be a string of at most ${MAX_VALUE_LENGTH} characters.`);
  }
  const entry = await TextEntry.begin(context, value);
  return entry.found.widget ? operated(entry, entry.found.widget, value) : written(entry, value);
}

/**
 * @param {TextEntry} entry
 * @param {string} value
 * @returns {Promise<ActionReply>}
 */
async function written(entry, value) {
  const given = await entry.write();
  // It may turn out only now that the field opens a list.
  if (given.field?.widget) return operated(entry, given.field.widget, value, !given.field.isSearch);
  return outcomeOf(given.isAccepted ? given : await otherwise(given, value), value);
}

/**
 * Enters a date or a time in other ways, until the page accepts one: as the field writes it; in its calendar; as others
 * write it. If it accepts none, the field is left with the text as it was given.
 *
 * @param {Attempt} given with the text as it was given
 * @param {string} value
 * @returns {Promise<Attempt>} the last one
 */
async function otherwise(given, value) {
  const { context, filling } = given.entry;
  let last = given;
  const tried = new Set([value]);
  // A range may drop its start unless the focus goes on to its end.
  let movesOn = filling.isStart && given.field?.next === "" && given.field.value === "";
  const type = async (/** @type {string} */ text, mayPick = false) => {
    const begin = () => TextEntry.begin(context, text, { mayPick, movesOn });
    // A calendar that has opened may keep the focus.
    last = await (await begin().catch(() => pressEscape(context).then(begin))).write();
  };
  const typeEach = async (/** @type {string[]} */ texts, { mayPick = false } = {}) => {
    for (const text of texts) {
      if (last.isAccepted || tried.has(text) || tried.size === MAX_NOTATIONS) continue;
      tried.add(text);
      await type(text, mayPick);
    }
  };
  const { own, general } = await given.entry.notations(value);
  if (movesOn) {
    await type(value);
    // A day that is picked now may be taken for the end.
    await typeEach(general);
  }
  // It may also be taken for the start, if the calendar does not know that yet.
  if (filling.isEnd && given.field?.next === "pick") await type(value);
  await typeEach(own, { mayPick: true });
  if (last.isAccepted) return last;
  let picked = await last.entry.pick(filling, last.field?.next === "pick");
  // A range may show its first day only once its last one is picked, too.
  if (picked?.field?.value === "") picked = await picked.entry.pick(filling);
  if (picked) {
    last = picked;
    if (!picked.isAccepted) await typeEach((await picked.entry.notations(value, picked.field?.value)).own);
  }
  // If just its calendar has not followed the text, another notation does not help.
  if (!last.field?.isKept || last.field.complaint) {
    await typeEach((await last.entry.notations(last.entry.filling.text)).general);
  }
  if (last.isAccepted || (last === given && given.field?.next === "")) return last;
  movesOn = false;
  await type(value);
  return { ...last, isUnread: given.isUnread && !picked };
}

/** @param {DrivenContext} context */
async function pressEscape({ session }) {
  await pressKeys(session, strokesOf("Escape"));
}

/**
 * @param {Attempt} attempt the last one
 * @param {string} value
 * @returns {Promise<ActionReply>}
 * @throws {CommandError} VALUE_NOT_KEPT
 */
async function outcomeOf({ entry, field, changed, isUnread, isIgnored = false }, value) {
  const { context, target, found, movesOn } = entry;
  const reply = await target.reply(found, changed);
  if (field === null) return noting(reply, [LEFT]);
  const own = isUnread ? [...field.notes, UNREAD] : [...field.notes];
  if (field.hasPicker) own.push(PICKER);
  if (isIgnored) own.push(`After Enter the field ${field.value ? "still holds the text" : "is empty"}, ${UNADDED}`);
  const notes = [...own, movesOn ? STARTED : "", field.complaint ?? ""].filter(Boolean);
  if (!field.isKept) {
    const reasons = notes.map((note) => ` ${note}`).join("");
    throw notKept(entry, field.isSecret ? SECRET : value.trim(), field.value, reasons);
  }
  // In a form, a later field may settle what the page objects to.
  return { ...noting(reply, context.isPart ? own : notes), value: field.value };
}

/**
 * Operates a field that takes no text of its own. Some that declare a list have a calendar instead, and take a date.
 *
 * @param {TextEntry} entry
 * @param {WidgetKind} kind
 * @param {string} value
 * @param {boolean} [mayBeSearch] whether a text may be left in it as a search
 * @returns {Promise<ActionReply>}
 */
async function operated({ context, target, found }, kind, value, mayBeSearch = true) {
  const Kind = kind === "list" ? ListWidget : NumberWidget;
  const widget = new Kind(context, target, found, selectorOf(context));
  const isEntered = widget instanceof ListWidget && LINE_END.test(value);
  const write = async () => written(await TextEntry.begin(context, value), value);
  /** @type {string[]} */
  let values;
  try {
    if (!(widget instanceof ListWidget)) values = [await widget.set(value)].flat();
    else values = await (isEntered ? widget.enter(value.replace(LINE_END, "")) : widget.set([value], { mayBeSearch }));
  } catch (error) {
    if (!(await isForDates(widget, value))) throw error;
    // The first failure names the options.
    return write().catch(() => {
      throw error;
    });
  }
  // After Enter the page may clear the field.
  const changed = await (isEntered ? target.consequences() : settled(widget, values));
  const reply = await target.reply(found, changed);
  const complaint = await target.look("operate", { look: "complaint" });
  if (complaint && (await isForDates(widget, value))) return write();
  return { ...noting(reply, complaint && !context.isPart ? [String(complaint)] : []), value: values.join(", ") };
}

/**
 * @param {ListWidget | NumberWidget} widget
 * @param {string} value
 * @returns {Promise<boolean>} whether it had no such option, and is for a date or a time
 */
async function isForDates(widget, value) {
  const isTyped = widget instanceof ListWidget && !widget.hasPressed;
  return isTyped && (await widget.target.look("operate", { look: "dated", wanted: value })) === true;
}

/**
 * Waits for what the page does with the new value, which a server may reject, and reads the field again.
 *
 * @param {ListWidget | NumberWidget} widget
 * @param {string[]} held the values that it held before
 * @returns {Promise<string>} what has changed on the page
 * @throws {CommandError} VALUE_NOT_KEPT
 */
async function settled(widget, held) {
  const isList = widget instanceof ListWidget;
  const before = await widget.shown();
  const changed = await widget.target.consequences();
  const now = await widget.shown();
  const isIn = (/** @type {string[]} */ shown, /** @type {string} */ one) =>
    shown.some((each) => isAlike(each, one) || (isList && plain(each).includes(plain(one))));
  // What it shows may be just the number of its values.
  if (!before || !now || held.every((one) => !isIn(before, one) || isIn(now, one))) return changed;
  if (changed && !now.length) throw new ResetError(widget, held.join(", "), "", changed);
  throw notKept(widget, held.join(", "), isList ? now.join(", ") : (now[0] ?? ""));
}

/** A list is back at its prompt after a change of the page: either it refuses the option, or that was a command. */
export class ResetError extends CommandError {
  /**
   * @param {{context: DrivenContext, found: FoundElement}} field
   * @param {string} value that was chosen
   * @param {string} held the current choice
   * @param {string} changed
   */
  constructor(field, value, held, changed) {
    const advice = ` If its options are commands, this one was carried out. The page has changed: ${changed}.`;
    const { code, message } = notKept(field, value, held, advice);
    super(code, message);
  }
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
    const list = new ListWidget(context, target, found, selector);
    const held = await list.set(values, { isList, mayBeSearch: false, isStrict: true });
    const reply = await target.reply(found, await settled(list, held));
    return { ...reply, selected: held.map((label) => ({ value: label, label })) };
  }
  const changed = await target.consequences();
  const now = /** @type {FoundElement["selected"] | null} */ (await target.look("readSelected"));
  const selected = now ?? found.selected;
  if (JSON.stringify(selected) !== JSON.stringify(found.selected)) {
    const labels = (selected ?? []).map(({ label }) => label).join(", ");
    const isReset = changed !== "" && (selected ?? []).every((option) => option.value === "");
    if (isReset) throw new ResetError({ context, found }, values.join(", "), labels, changed);
    throw notKept({ context, found }, values.join(", "), labels);
  }
  return { ...noting(await target.reply(found, changed), now ? [] : [LEFT]), selected };
}
