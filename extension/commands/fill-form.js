/** @import {ActionReply, DrivenContext, FieldsBefore, FormField, FormWay, FoundElement, PageAddress} from "../shared/types.d.ts" */

/**
 * @typedef {{selector: string, checked?: boolean, value?: string, selected?: ActionReply["selected"]}} Held the state
 *   of a field
 * @typedef {Partial<ActionReply> & {field: FormField, held: Held, shown?: string[], isEntered?: boolean}} Written
 *   `shown`: the requested values that a field without text of its own showed then; `isEntered`: Enter was pressed after it
 */

import { CommandError, failed, invalid } from "../shared/errors.js";
import { checkableState } from "../browser/accessible-state.js";
import { ElementTarget } from "../browser/element-target.js";
import { addressOf, tabById } from "../browser/tabs.js";
import { PICKER, ResetError, SECRET, fill, select } from "./fill.js";
import { LEFT } from "./element-params.js";
import { click } from "./click.js";
import { HOW_TO_GO_ON, holdsNow, isAlike } from "./widget.js";

const MAX_FIELDS = 50;
const SHOWN_LENGTH = 80;
/** Milliseconds for each field to appear and to become ready, and for all of them. */
const FIND_MS = 1_000;
const READY_MS = 2_000;
const CHECK_MS = 8_000;
/** How long a field that depends on earlier ones may take: the page may first query a server. */
const LATE_MS = 5_000;
const MAX_TROUBLES = 10;
/** Errors about a field, as opposed to the tab. */
const OF_A_FIELD = new Set(["INVALID_SELECTOR", "ELEMENT_NOT_FOUND", "EXECUTION_ERROR", "UNREADABLE_PAGE"]);
const MOVED = "The tab has another address since then.";
const HOW_TO_WRITE = 'fields must be a list of 1 to 50 fields: [{"selector": "#name", "value": "Ada"}, ...].';

/**
 * Fills several fields, after checking that all of them accept their values, except for what a field before may change.
 *
 * @param {DrivenContext} context `params`: `fields`, 1 to 50 of {selector, value}; a value is a string or a
 *   number, a list of strings for a list of options, or true or false for a checkable field
 * @returns {Promise<PageAddress & {fields: object[], changed?: string, notes?: string[]}>} what each field contains now
 * @throws {CommandError} INVALID_ARGUMENT, INVALID_SELECTOR, ELEMENT_NOT_FOUND, EXECUTION_ERROR, VALUE_NOT_KEPT
 */
export async function fillForm(context) {
  const fields = fieldsIn(context.params.fields);
  const later = await checkAll(context, fields);
  const { url } = await tabById(context.tabId);
  /** @type {Written[]} */
  const written = [];
  /** @type {Written[]} those that the page has not been compared with yet */
  const fresh = [];
  /** @type {CommandError[]} about fields whose values the page did not keep */
  const lost = [];
  /** @type {Held[]} */
  const kept = [];
  /** @type {Map<string, string[]>} notes, each with the selectors of its fields */
  const noted = new Map();
  const again = new Set(fields.slice(0, -1));
  /** @type {FormField[]} */
  const queue = [...fields];
  for (const field of queue) {
    // After Enter the page may clear all of them.
    if (/[\n\r]$/u.test(String(field.value))) await compare(context, fresh.splice(0), { kept, lost, noted });
    try {
      const readyMs = later.has(field) ? LATE_MS : READY_MS;
      const one = await write({ ...context, isLast: field === queue.at(-1) }, field, readyMs);
      written.push(one);
      fresh.push(one);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      if (error.code !== "VALUE_NOT_KEPT") {
        if (!written.length) throw error;
        const isSame = (await tabById(context.tabId)).url === url;
        throw interrupted(error, written, fields.length, isSame ? "" : ` ${MOVED}`);
      }
      // It may depend on the fields after it, as the start of a period does on its end. A command must not come twice.
      if (!(error instanceof ResetError) && again.delete(field)) queue.push(field);
      else lost.push(error);
    }
  }
  await compare(context, fresh, { kept, lost, noted });
  const order = fields.map(({ selector }) => selector);
  kept.sort((a, b) => order.indexOf(a.selector) - order.indexOf(b.selector));
  if (lost.length) throw partlyKept(lost, kept);
  // Filling a later field may have changed an earlier one.
  const now = await new ElementTarget(context).consequences({ ofForm: true });
  // The page that follows Enter has not seen the fields before it.
  const changed = now || written.findLast(({ isEntered }) => isEntered)?.changed;
  const address = addressOf(await tabById(context.tabId));
  return {
    fields: kept,
    ...address,
    ...(changed && { changed }),
    ...(noted.size && { notes: [...noted].map(([note, places]) => `${places.join(", ")}: ${note}`) }),
  };
}

/**
 * Compares what was written with what the page holds now.
 *
 * @param {DrivenContext} context
 * @param {Written[]} written
 * @param {{kept: Held[], lost: CommandError[], noted: Map<string, string[]>}} found where the results are added
 */
async function compare(context, written, { kept, lost, noted }) {
  for (const one of written) {
    const { held, isEntered, notes = [] } = one;
    // A page may clear a field after Enter.
    const { complaint, isOther, mayHavePicker, ...now } = isEntered ? {} : await heldNow(context, one);
    if (now.value === "" || isOther) lost.push(dropped(held, now.value));
    else if (now.checked !== held.checked) lost.push(unlike(held.selector, now.checked));
    else kept.push({ ...held, ...now });
    // A later field may have closed it.
    const still = mayHavePicker === false ? notes.filter((note) => note !== PICKER) : notes;
    const own = complaint ? [...still, complaint] : still;
    for (const note of own) noted.set(note, [...(noted.get(note) ?? []), held.selector]);
  }
}

/**
 * @param {DrivenContext} context
 * @param {Written} written
 * @returns {Promise<Pick<Held, "checked" | "value"> & Pick<FormWay, "complaint" | "mayHavePicker"> & {isOther?: boolean}>}
 *   what it holds once the others were written, too, whether that is something else, and what the page objects to it; where
 *   it is gone, what it held
 */
async function heldNow(context, { field, held, shown = [] }) {
  const { selector, checked, value } = held;
  if (checked === undefined && !value && !shown.length) return {};
  const isSecret = value === SECRET;
  const wanted = shown.length || isSecret ? field : { selector, value: checked ?? value ?? "" };
  const form = await stateOf(context, wanted);
  if (checked !== undefined) return { checked: form?.checked ?? checked };
  if (form?.shown && shown.length) {
    const isLost = shown.some((each) => !form.shown?.some((one) => isAlike(one, each)));
    return isLost ? { value: form.shown.join(", "), isOther: true } : {};
  }
  if (form?.value === undefined) return {};
  const now = form.value.slice(0, SHOWN_LENGTH).toWellFormed();
  const { complaint, isSame, mayHavePicker } = form;
  return { value: now, complaint, mayHavePicker, isOther: isSame === false && (isSecret || now !== value) };
}

/**
 * @param {DrivenContext} context
 * @param {FormField} field that was written
 * @returns {Promise<FormWay | null>} its state now, also if it could no longer be written; null if it is gone
 */
async function stateOf(context, field) {
  return wayOf(context, field, { find: 0, ready: 0 }, "choice").then(
    ({ form }) => form,
    () => null,
  );
}

/**
 * @param {string} selector
 * @param {boolean | undefined} isChecked
 */
function unlike(selector, isChecked) {
  const state = isChecked ? "is checked" : "is not checked";
  return new CommandError("VALUE_NOT_KEPT", `The page did not keep the state of ${selector}. It ${state} now.`);
}

/**
 * @param {Held} held state of a field right after it was filled
 * @param {string} [now] its value after the others were filled
 */
function dropped({ selector, selected = [], value = selected.map(({ label }) => label).join(", ") }, now) {
  const message = `The page did not keep ${JSON.stringify(value)} in ${selector}. ${holdsNow(now)}`;
  return new CommandError("VALUE_NOT_KEPT", message);
}

/**
 * @param {CommandError} error
 * @param {Written[]} written the fields filled before
 * @param {number} all
 * @param {string} moved
 */
function interrupted(error, written, all, moved) {
  const read = written.filter(({ held }) => stateIn(held) !== undefined);
  const more = read.length > MAX_TROUBLES ? ", ..." : "";
  const named = read.slice(0, MAX_TROUBLES).map(({ field }) => field.selector);
  const list = read.length ? ` (${named.join(", ")}${more})` : "";
  const before = `Written before this error: ${read.length} of ${all} fields${list}.${moved}`;
  const noted = [LEFT, PICKER].map((note) => {
    const first = written.find(({ notes = [] }) => notes.includes(note));
    return first ? ` ${first.field.selector}: ${note}` : "";
  });
  return new CommandError(error.code, `${before} ${error.message}${noted.join("")}`);
}

/**
 * @param {CommandError[]} lost
 * @param {Held[]} kept
 */
function partlyKept(lost, kept) {
  const all = lost.length + kept.length;
  const listed = lost.slice(0, MAX_TROUBLES).map(({ message }) => message);
  const read = kept.filter((held) => stateIn(held) !== undefined);
  const others = read.map((held) => `${held.selector}: ${JSON.stringify(stateIn(held))}`);
  const rest = others.length ? ` The others hold ${others.join(", ")}.` : "";
  const head = `${lost.length} of ${all} fields did not keep their values.`;
  return new CommandError("VALUE_NOT_KEPT", `${head} ${listed.join(" ")}${rest} ${HOW_TO_GO_ON}`);
}

/**
 * @param {Held} held
 * @returns {Held["checked"] | Held["selected"] | Held["value"]} undefined if the page left before the field was read
 */
function stateIn({ checked, value, selected }) {
  return checked ?? selected ?? value;
}

/**
 * @param {unknown} fields
 * @returns {FormField[]}
 */
function fieldsIn(fields) {
  if (!Array.isArray(fields) || !fields.length || fields.length > MAX_FIELDS) throw invalid(HOW_TO_WRITE);
  for (const { selector, value } of fields.map((field) => field ?? {})) {
    const isTexts = Array.isArray(value) && value.every((each) => typeof each === "string");
    const isValue = ["string", "boolean", "number"].includes(typeof value) || isTexts;
    if (typeof selector !== "string" || !selector.trim() || !isValue) throw invalid(HOW_TO_WRITE);
  }
  return fields.map(({ selector, value }) => ({ selector, value: typeof value === "number" ? String(value) : value }));
}

/**
 * @param {DrivenContext} context
 * @param {FormField[]} fields
 * @returns {Promise<Set<FormField>>} those that depend on a field before them: something hidden or disabled, or an option
 *   that a list does not have yet
 * @throws {CommandError} names each field that cannot be filled
 */
async function checkAll(context, fields) {
  const end = performance.now() + CHECK_MS;
  /** @type {CommandError[]} */
  const troubles = [];
  /** @type {Set<FormField>} */
  const later = new Set();
  let before = /** @type {FieldsBefore} */ ("");
  for (const field of fields) {
    const left = Math.max(0, end - performance.now());
    const limits = { find: Math.min(left, FIND_MS), ready: Math.min(left, READY_MS) };
    try {
      const { form, isLater } = await wayOf(context, field, limits, before);
      if (isLater) later.add(field);
      before = form.way === "fill" && before !== "choice" ? "field" : "choice";
    } catch (error) {
      if (!(error instanceof CommandError) || !OF_A_FIELD.has(error.code)) throw error;
      const { code, message } = error;
      // Some elements have no name.
      const isNamed = message.includes(field.selector);
      troubles.push(isNamed ? error : new CommandError(code, `${field.selector}: ${message}`));
    }
  }
  const [first] = troubles;
  if (!first) return later;
  const listed = troubles.slice(0, MAX_TROUBLES).map(({ message }) => message);
  const more = troubles.length > listed.length ? ` And ${troubles.length - listed.length} more.` : "";
  const head = `Nothing was written: ${troubles.length} of ${fields.length} fields cannot be filled.`;
  throw new CommandError(first.code, `${head} ${listed.join(" ")}${more}`);
}

/**
 * @param {DrivenContext} context
 * @param {FormField} field
 * @param {{find: number, ready: number}} limits in milliseconds, until it is there and until it can be filled
 * @param {FieldsBefore} [after]
 * @returns {Promise<{form: FormWay, isLater?: boolean}>}
 */
async function wayOf(context, { selector, value }, limits, after = "") {
  const found = await new ElementTarget(context).find({ action: "check", selector, value, after }, limits);
  const { isLater } = found;
  const form = /** @type {FormWay} */ (found.form);
  const isUnknown = form.way === "click" && form.checked === undefined;
  return { form: isUnknown ? await checkableWay(context, found, value) : form, isLater };
}

/**
 * @param {DrivenContext} context
 * @param {FoundElement} found a web component
 * @param {FormField["value"]} value
 * @returns {Promise<FormWay>}
 * @throws {CommandError} EXECUTION_ERROR
 */
async function checkableWay(context, { element }, value) {
  const state = await checkableState(context);
  if (!state) {
    throw failed(`${element.selector} is neither an editable field nor a checkbox or radio button. Pass one.`);
  }
  if (state.role === "radio" && state.checked && value === false) {
    throw failed(
      `${element.selector} is a radio button that is on. To turn it off, set another radio button of its group to true.`,
    );
  }
  return { way: "click", checked: state.checked };
}

/**
 * @param {DrivenContext} context
 * @param {FormField} field
 * @param {number} readyMs
 * @returns {Promise<Written>}
 */
async function write(context, field, readyMs) {
  // An earlier field may have changed it.
  const { form } = await wayOf(context, field, { find: FIND_MS, ready: readyMs });
  const { way, checked: before } = form;
  const own = { ...context, params: { ...field }, isPart: true };
  if (way === "click") {
    const reply = String(before) === String(field.value) ? null : await click(own);
    // Otherwise only the browser knows it.
    const limits = { find: FIND_MS, ready: READY_MS };
    const state = async () => (await wayOf(context, { ...field, value: true }, limits)).form.checked;
    const now = reply ? (reply.checked ?? (await state())) : before;
    if (reply && now === before) throw unlike(field.selector, before);
    return { ...reply, field, held: { selector: field.selector, checked: now } };
  }
  if (way === "select" || (way === "choose" && Array.isArray(field.value))) {
    const reply = await select(own);
    const labels = (reply.selected ?? []).map(({ label }) => label);
    const shown = way === "select" ? labels : await shownOf(context, field, labels);
    return { ...reply, field, shown, held: { selector: field.selector, selected: reply.selected } };
  }
  const reply = await fill(own);
  const isEntered = reply.element?.tag === "input" && /[\n\r]$/u.test(String(field.value));
  const value = reply.value?.slice(0, SHOWN_LENGTH).toWellFormed();
  const shown = form.shown && value !== undefined ? await shownOf(context, field, [value]) : [];
  const held = { selector: field.selector, ...(value !== undefined && { value }) };
  return { ...reply, field, shown, held, isEntered };
}

/**
 * @param {DrivenContext} context
 * @param {FormField} field that was written
 * @param {string[]} values
 * @returns {Promise<string[]>} those of them that a field without text of its own shows now
 */
async function shownOf(context, field, values) {
  const shown = (await stateOf(context, field))?.shown ?? [];
  return shown.filter((one) => values.some((value) => isAlike(one, value)));
}
