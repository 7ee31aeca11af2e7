/**
 * A text field while one text is written into it, as users do: it is typed, or its day is picked in the field's calendar,
 * and the field is left. Then the field is read again.
 *
 * @import {Stroke} from "../browser/keys.js"
 * @import {DrivenContext, FilledField, FillLook, Filling, FoundElement} from "../shared/types.d.ts"
 *
 * @typedef {object} Attempt what became of it
 * @property {TextEntry} entry
 * @property {FilledField | null} field null if the page is gone
 * @property {string} [changed]
 * @property {boolean} isUnread whether its calendar does not show the day
 * @property {boolean} [isIgnored] whether Enter was pressed, and nothing shows an effect
 * @property {boolean} isAccepted
 *
 * @typedef {{own: string[], general: string[]}} Notations other texts for the same date or time: as the field writes them,
 *   and as others do
 */

import { CommandError, failed } from "../shared/errors.js";
import { ElementTarget, pointOf } from "../browser/element-target.js";
import { strokesOf, typed } from "../browser/keys.js";
import { pressKeys, replaceSelection } from "../browser/trusted-input.js";
import { Calendar } from "./calendar.js";
import { PLAIN_CLICK, pressAt } from "./click.js";
import { selectorOf } from "./element-params.js";

/** Typed key by key, each character takes three messages. */
const MAX_KEYED_LENGTH = 1_000;
/** How long a field may take to become ready for a press, which something may cover. */
const PRESS_MS = 500;
/** Begins one by the browser's command, without a key that a page knows. */
const NEW_PARAGRAPH = {
  key: { key: "Unidentified", code: "", windowsVirtualKeyCode: 0 },
  held: [],
  isShifted: false,
  command: "insertParagraph",
};
const READ_ONLY = "takes no text, and no calendar for that date or time opened.";

export class TextEntry {
  /** @readonly */
  context;
  /** @readonly */
  target;
  /** @readonly */
  found;
  /** @readonly */
  #calendar;
  /** @readonly */
  #mayPick;
  /** @readonly */
  movesOn;

  /**
   * @param {DrivenContext} context
   * @param {ElementTarget} target that found the field
   * @param {FoundElement} found
   * @param {object} how
   * @param {boolean} how.mayPick whether the calendar of the field is still to be considered
   * @param {boolean} how.movesOn whether the field is left for the next one
   */
  constructor(context, target, found, { mayPick, movesOn }) {
    this.context = context;
    this.target = target;
    this.found = found;
    this.#mayPick = mayPick;
    this.movesOn = movesOn;
    this.#calendar = new Calendar(context, target, found, selectorOf(context));
  }

  /**
   * @param {DrivenContext} context
   * @param {string} text
   * @param {{mayPick?: boolean, movesOn?: boolean}} [how] as for the constructor
   * @returns {Promise<TextEntry>}
   * @throws {CommandError} INVALID_SELECTOR, ELEMENT_NOT_FOUND, EXECUTION_ERROR
   */
  static async begin(context, text, { mayPick = true, movesOn = false } = {}) {
    const target = new ElementTarget(context);
    context.session.watchRequests();
    const found = await target.find({ action: "fill", selector: selectorOf(context), value: text });
    return new TextEntry(context, target, found, { mayPick, movesOn });
  }

  /** For a field that takes text. */
  get filling() {
    return /** @type {Filling} */ (this.found.filling);
  }

  /**
   * @returns {Promise<Attempt>}
   * @throws {CommandError} EXECUTION_ERROR
   */
  async write() {
    if (!this.filling.isReadOnly) return this.#type();
    const picked = await this.pick(this.filling);
    if (picked) return { ...picked, isAccepted: true };
    const advice = await this.#adviceForPicker();
    throw failed(`${this.found.element.selector} ${READ_ONLY} ${advice}`);
  }

  /** @returns {Promise<string>} for a field that opens something else than a calendar, such as columns of numbers */
  async #adviceForPicker() {
    const changed = await this.target.consequences();
    if (changed) return `Something else is open: ${changed}. Choose in it.`;
    return this.found.notes?.join(" ") ?? "Click it, then check the page.";
  }

  /**
   * Types the text, unless the field contains it already, and leaves the field.
   *
   * @returns {Promise<Attempt>}
   */
  async #type() {
    const { session } = this.context;
    let field = this.filling.isTyped ? await this.#typeText() : await this.#look();
    if (field?.next === "suggest") field = await this.#leaveUnlessSuggested();
    if (field?.next === "pick") return { entry: this, field, isUnread: true, isAccepted: false };
    // A picker that opened for a date accepts it, and closes, with one of these keys.
    for (const key of ["Tab", "Enter"]) {
      if (field?.next !== key.toLowerCase()) continue;
      await pressKeys(session, strokesOf(key));
      field = await this.#look();
    }
    if (field?.widget) {
      // What was typed is selected.
      await pressKeys(session, strokesOf("Backspace"));
      return { entry: this, field, isUnread: false, isAccepted: true };
    }
    if (this.filling.isEntered) await pressKeys(session, typed("\n"));
    return this.#result(field);
  }

  /** @returns {Promise<FilledField | null>} */
  async #typeText() {
    const { session } = this.context;
    const { text, way, days } = this.filling;
    if (way !== "whole") {
      await (way === "drawn" ? this.#enterDrawn() : ENTRIES[way](session, text));
      return this.#look();
    }
    const mayRetype = text.length <= MAX_KEYED_LENGTH ? "changed" : "";
    const first = /** @type {const} */ ({ mayRetype, mayBreak: text.includes("\n") });
    // All at once: waiting for the page to draw in between would take longer than both.
    const [early] = await Promise.all([this.#look({ isEarly: true, ...first }), replaceSelection(session, text)]);
    let field = early?.next === "look" ? await this.#look(first) : early;
    const isJoined = field?.next === "break";
    if (isJoined) {
      await enterSplit(session, text);
      field = await this.#look({ mayRetype: "changed" });
    }
    // Fields with an input mask accept some texts only from keys, and fields that drop parts of dates only whole ones.
    // Titles and the like are sometimes edited only once they have been pressed.
    const ways = isJoined ? ["whole"] : days.length ? ["keys", "whole"] : ["keys", "whole", "pressed"];
    for (const next of ways) {
      if (field?.next !== "retype") break;
      if (next === "pressed" && !(await this.#pressField())) break;
      await replaceSelection(session, "");
      await (next === "keys" ? enterKeys(session, text) : session.send("Input.insertText", { text }));
      field = await this.#look({ mayRetype: next === ways.at(-1) ? "" : "lost" });
    }
    return field?.next === "retype" ? this.#look() : field;
  }

  /** Replaces the text of an editor that draws it. */
  async #enterDrawn() {
    const { session } = this.context;
    const { text } = this.filling;
    const { os } = await chrome.runtime.getPlatformInfo();
    const isMac = os === "mac";
    await pressKeys(session, strokesOf("ControlOrMeta+A", isMac));
    if (!text) return replaceSelection(session, "");
    if (text.includes("\n") && (await this.target.look("paste", { text }))) return;
    // Keys would make the editor indent lines and close brackets.
    await insertText(session, text);
    // Some editors close brackets and quotes all the same: what follows the caret is theirs.
    await pressKeys(session, strokesOf(`ControlOrMeta+Shift+${isMac ? "ArrowDown" : "End"} Delete`, isMac));
  }

  /** @returns {Promise<boolean>} whether the field was pressed, and its content is selected again */
  async #pressField() {
    const target = new ElementTarget(this.context);
    const action = {
      action: /** @type {const} */ ("click"),
      selector: selectorOf(this.context),
      count: 1,
      isStep: true,
    };
    try {
      const found = await target.find(action, { find: 0, ready: PRESS_MS });
      await pressAt(this.context, target, pointOf(found), PLAIN_CLICK);
    } catch (error) {
      if (error instanceof CommandError && error.code === "EXECUTION_ERROR") return false;
      throw error;
    }
    return (await this.#look({ mayRetype: "lost" }))?.next === "retype";
  }

  /** @returns {Promise<FilledField | null>} */
  async #leaveUnlessSuggested() {
    const field = await this.#look({ mayLeave: !(await this.#suggests()) });
    if (!field || field.widget || field.isKept || field.value) return field;
    // Some pages take longer to suggest something, and drop the text of a field that is left before.
    await replaceSelection(this.context.session, this.filling.text);
    return this.#look({ mayLeave: !((await this.#suggests()) || (await this.#suggests())) });
  }

  /** @returns {Promise<boolean>} whether suggestions open for what was typed, which the page may request */
  async #suggests() {
    const { session } = this.context;
    if (await this.target.look("awaitList")) return true;
    return (await session.requestsEnded()) && Boolean(await this.target.look("awaitList"));
  }

  /**
   * Picks a day, a time, or both in the calendar of the field.
   *
   * @param {{day: string, time: string}} moment
   * @param {boolean} [isTyping] whether the field was not left after typing
   * @returns {Promise<Attempt | null>} null if that is not possible
   */
  async pick({ day, time }, isTyping = false) {
    if (isTyping) {
      // Otherwise the page may go on to object to the text.
      await this.#calendar.ask("focus");
      await replaceSelection(this.context.session, "");
    }
    const hasPicked = (day || time) && (await this.#calendar.pick(day, time));
    return hasPicked ? this.#result(await this.#look({ hasPicked: true })) : null;
  }

  /**
   * @param {string} text
   * @param {string} [chosen] what the field held once the day was picked
   * @returns {Promise<Notations>}
   */
  async notations(text, chosen = "") {
    const found = /** @type {Notations | null} */ (await this.target.look("readNotations", { text, chosen }));
    return found ?? { own: [], general: [] };
  }

  /**
   * @param {FillLook} [how]
   * @returns {Promise<FilledField | null>} the field once it was typed into; null if the page is gone
   */
  async #look(how) {
    const { isPart = false, isLast = false } = this.context;
    // The next field takes the focus from those before it.
    const mayWait = isLast || !isPart;
    const request = { text: this.filling.text, mayWait, mayPick: this.#mayPick, movesOn: this.movesOn, ...how };
    return /** @type {FilledField | null} */ (await this.target.look("finishFill", request));
  }

  /**
   * Reads the field once the page has finished what it shows or has requested. If it does neither by the time the field
   * was read, this does not wait.
   *
   * @param {FilledField | null} filled
   * @returns {Promise<Attempt>}
   */
  async #result(filled) {
    const { text, isEntered, days } = this.filling;
    let [field, changed, isIgnored] = [filled, "", false];
    if (!filled || isEntered || filled.changed || (await this.context.session.hasBegunRequests())) {
      changed = await this.target.consequences();
      const later = /** @type {FilledField | null} */ (await this.target.look("readField", { text }));
      // After Enter the page may clear the field, or complete the text.
      if (!isEntered || later?.isRefused) field = later ?? filled;
      else if (filled && later) {
        isIgnored = !changed && !filled.notes.length && !(await this.context.session.hasBegunRequests());
        if (isIgnored || later.value) field = { ...filled, value: later.value };
      }
    }
    const isUnread = field?.isUnread === true && !(await this.#calendar.hasChosen(days));
    const isRefused = field !== null && (!field.isKept || isUnread || Boolean(field.complaint));
    return { entry: this, field, changed, isUnread, isIgnored, isAccepted: isEntered || !isRefused };
  }
}

/**
 * @param {DrivenContext["session"]} session
 * @param {string} text
 */
async function enterKeys(session, text) {
  await pressKeys(session, typed(text));
}

/**
 * Replaces the text of an editor that would not learn of paragraphs which the browser deletes or begins by itself.
 *
 * @param {DrivenContext["session"]} session
 * @param {string} text
 */
async function enterParagraphs(session, text) {
  await enterLines(session, text, strokesOf("Enter"), replaceSelection);
}

/**
 * Replaces the text of an editor that would join its lines. The Enter key might send them, or choose a suggestion.
 *
 * @param {DrivenContext["session"]} session
 * @param {string} text
 */
async function enterSplit(session, text) {
  await enterLines(session, text, [NEW_PARAGRAPH], insertText);
}

/**
 * @param {DrivenContext["session"]} session
 * @param {string} text
 * @param {Stroke[]} lineBreak
 * @param {typeof replaceSelection} write enters a line
 */
async function enterLines(session, text, lineBreak, write) {
  await replaceSelection(session, "");
  for (const [index, line] of text.split("\n").entries()) {
    if (index) await pressKeys(session, lineBreak);
    if (line) await write(session, line);
  }
}

/**
 * @param {DrivenContext["session"]} session
 * @param {string} text
 */
async function insertText(session, text) {
  await session.send("Input.insertText", { text });
}

/** The functions that enter a text, by the way in which the field is filled. */
const ENTRIES = { keys: enterKeys, paragraphs: enterParagraphs };
