/**
 * A field without text input of its own, operated as a user does.
 *
 * @import {DrivenContext, FoundElement} from "../shared/types.d.ts"
 */

import { CommandError, failed } from "../shared/errors.js";
import { plainLine } from "../shared/text.js";
import { pause } from "../browser/async.js";
import { ElementTarget, pointOf } from "../browser/element-target.js";
import { strokesOf } from "../browser/keys.js";
import { pressKeys } from "../browser/trusted-input.js";
import { PLAIN_CLICK, pressAt } from "./click.js";

export const POLL_MS = 20;
export const QUIET_MS = 150;
/** Keys for stepping through values that cannot be pressed. */
export const MAX_WALK = 60;
/** The next step where the page gives no reason for what it did with a value. */
export const HOW_TO_GO_ON = "Check with page_elements what the page accepts before you try again.";
/** The tick that some lists put next to selected options. */
const TICK = /^[\u2611\u2705\u2713\u2714]\ufe0f? ?| ?[\u2611\u2705\u2713\u2714]\ufe0f?$/u;
/** The separator between the parts of a path, such as the options that lead through menus. */
export const SEPARATOR = /\s+[/>]\s+/gu;

/** A field while it is being operated. */
export class Widget {
  /** @readonly */
  context;
  /** @readonly */
  target;
  /** @readonly */
  found;
  /** @readonly */
  selector;

  /**
   * @param {DrivenContext} context
   * @param {ElementTarget} target that found it
   * @param {FoundElement} found
   * @param {string} selector
   */
  constructor(context, target, found, selector) {
    this.context = context;
    this.target = target;
    this.found = found;
    this.selector = selector;
  }

  /**
   * @param {string} look
   * @param {object} [more]
   * @returns {Promise<any>}
   * @throws {CommandError} EXECUTION_ERROR if the page has replaced the element, or keeps the focus from it
   */
  async ask(look, more) {
    const answer = await this.target.look("operate", { look, ...more });
    if (answer !== null || look === "track") return answer;
    throw this.failed("was replaced by the page in the meantime. Check the page, then try again.");
  }

  /** @param {string} keys */
  async press(keys) {
    await pressKeys(this.context.session, strokesOf(keys));
  }

  /**
   * Presses an element other than the field, as part of the same action.
   *
   * @param {string} selector
   * @returns {Promise<boolean>} false if the mouse was released over something else, because the page has moved
   */
  async click(selector) {
    const target = new ElementTarget(this.context);
    const action = { action: /** @type {const} */ ("click"), selector, count: 1, isStep: true };
    const { release } = await target.press(action, (aimed) =>
      pressAt(this.context, target, pointOf(aimed), PLAIN_CLICK),
    );
    return release === "";
  }

  /**
   * Moves the mouse over an element other than the field, as part of the same action.
   *
   * @param {string} selector
   */
  async hover(selector) {
    const target = new ElementTarget(this.context);
    const found = await target.find({ action: "hover", selector, at: undefined });
    await target.moveMouse(pointOf(found));
  }

  /** @param {string} trouble the rest of a sentence that starts with the field */
  failed(trouble) {
    const { selector } = this.found.element;
    return failed(`${selector} ${trouble}`);
  }
}

/**
 * @template T
 * @param {() => Promise<T>} read
 * @param {(state: T) => boolean} isReached
 * @param {number} milliseconds
 * @returns {Promise<T>} the state that satisfies the condition, or the last one
 */
export async function until(read, isReached, milliseconds) {
  const end = performance.now() + milliseconds;
  for (;;) {
    const state = await read();
    if (isReached(state) || performance.now() > end) return state;
    await pause(POLL_MS);
  }
}

/**
 * @param {{context: DrivenContext, found: FoundElement}} field
 * @param {string} value that was written
 * @param {string} held the field's current value
 * @param {string} [advice] why, or what to do
 */
export function notKept({ context, found }, value, held, advice) {
  // A form says once what to do about all of its fields.
  const other = context.isPart ? "" : ` ${HOW_TO_GO_ON}`;
  const { selector } = found.element;
  const message = `The page did not keep ${quote(value)} in ${selector}. ${holdsNow(held)}${advice || other}`;
  return new CommandError("VALUE_NOT_KEPT", message);
}

/**
 * @param {string} [held] the current value of a field
 * @returns {string} a sentence
 */
export function holdsNow(held) {
  return held ? `It holds ${quote(held)} now.` : "It is empty now.";
}

/**
 * @param {string} a
 * @param {string} b
 */
export function isAlike(a, b) {
  return plain(a) === plain(b);
}

/** @param {string} text */
export function plain(text) {
  const line = text.replace(/\s+/gu, " ").replace(SEPARATOR, " / ").trim();
  return line.replace(TICK, "").normalize("NFC").toLowerCase();
}

/** @param {string} text */
export function quote(text) {
  const line = plainLine(text, 80);
  return JSON.stringify(line);
}
