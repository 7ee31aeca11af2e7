/**
 * The element that an action is for: found once, then pressed, inspected and reported through one object, which knows
 * the pages on the path to it.
 *
 * @import {ActionReply, Box, DrivenContext, ElementAction, ElementLook, FoundElement} from "../shared/types.d.ts"
 * @import {FrameTraits, Point, PressOutcome} from "../shared/types.d.ts"
 * @import {Stop} from "./find-element.js"
 */

import { CommandError, failed } from "../shared/errors.js";
import { endsWithin } from "./async.js";
import { refuseDeniedFrame } from "./cross-origin-frames.js";
import { findElement } from "./find-element.js";
import { outline } from "./highlight.js";
import { answerNow, answerOf, ask } from "./page-elements.js";
import { addressOf, tabById, urlOf } from "./tabs.js";
import { approach, moveTo } from "./trusted-input.js";

const LIMITS = { find: 1_000, ready: 5_000 };
/** Actions that move the mouse. */
const MOVING = new Set(["click", "drag", "hover", "upload"]);
const MAX_PRESSES = 3;
const MAX_MOVES = 10;
/** The page's reply may still be in transit when the browser has dispatched the input that caused it. */
const ANSWER_MS = 50;
/** How long the page that an action leads to may take to report its messages. */
const ANNOUNCE_MS = 1_000;
/** A move is delivered with the next frame; in background tabs frames are rare, and a move may be skipped. */
const MOVE_WAIT_MS = { front: 500, behind: 50 };
const NO_PRESS =
  "The page did not react to the press. It may be busy, or a prompt of the browser, such as a sign-in, may keep input " +
  "from it. Check it, or ask the user, before you try again.";
/** @type {PressOutcome} of a press that reached its element */
export const REACHED = { isSeen: true, isLost: false, cover: "", isPressed: false, release: "" };

export class ElementTarget {
  /** @readonly */
  #context;
  /** @type {Stop[]} the pages on the path to the element that was found last, innermost first */
  #stops = [{}];
  /** Whether a press hit another element. */
  #hasMissed = false;
  /** Whether the tab was in front when the element was looked for last. */
  #isInFront = true;

  /** @param {DrivenContext} context of the action */
  constructor(context) {
    this.#context = context;
  }

  /** Whether the element is in a cross-origin frame. */
  get isFramed() {
    return this.#stops.length > 1;
  }

  /**
   * @param {ElementAction} action
   * @param {{find: number, ready: number}} [limits] milliseconds for the element to appear, and to become ready
   * @returns {Promise<FoundElement>}
   * @throws {CommandError} INVALID_SELECTOR, ELEMENT_NOT_FOUND, EXECUTION_ERROR
   */
  async find(action, limits = LIMITS) {
    const { session, isPart } = this.#context;
    const mouse = session.mouse && MOVING.has(action.action) ? { mouse: session.mouse } : {};
    const requestFor = (/** @type {chrome.tabs.Tab} */ tab) => {
      session.address = urlOf(tab);
      this.#isInFront = tab.active;
      return { ...action, ...mouse, ...(isPart && { isPart }), limits, isInFront: tab.active };
    };
    const outcome = await findElement(this.#context, requestFor, this.#hasMissed);
    if (!outcome) {
      throw failed("The page navigated away each time before the element was ready. Check where the tab is now.");
    }
    this.#stops = outcome.stops;
    const { answer } = outcome;
    if ("message" in answer) throw new CommandError(answer.code, answer.message);
    session.pinch = answer.pinch ?? { x: 0, y: 0 };
    if (answer.isMouseStale) await this.#wakeMouse();
    if (answer.outline && this.#context.preferences.now.outline) this.#outlineAtEnd(answer.outline);
    return answer;
  }

  /**
   * Moves the mouse slightly in place: an element that appeared below it would take the next move as its own, and not
   * notice that the mouse has moved on.
   */
  async #wakeMouse() {
    const { session } = this.#context;
    const { x, y } = /** @type {Point} */ (session.mouse);
    if (!(await session.guard.blocks({ x, y }))) await this.delivered(approach(session, { x, y }));
  }

  /**
   * Waits until the page has got a move of the mouse: together with the next one, it would be a single move.
   *
   * @param {Promise<unknown>} move
   */
  async delivered(move) {
    await endsWithin(this.#isInFront ? MOVE_WAIT_MS.front : MOVE_WAIT_MS.behind, move);
  }

  /**
   * Drawn after the input, so that it does not delay it.
   *
   * @param {Box} place of the last element acted on
   */
  #outlineAtEnd(place) {
    const { session } = this.#context;
    if (!session.outlined) session.atEnd(() => session.outlined && outline(this.#context, session.outlined));
    session.outlined = place;
  }

  /**
   * Presses an element where it is, and again if another element has moved under the mouse in the meantime.
   *
   * @param {ElementAction} action
   * @param {(found: FoundElement) => Promise<PressOutcome>} press
   * @returns {Promise<{found: FoundElement, isLost: boolean, release: string}>} see `PressOutcome`
   * @throws {CommandError} INVALID_SELECTOR, ELEMENT_NOT_FOUND, EXECUTION_ERROR
   */
  async press(action, press) {
    for (let presses = 1; ; presses += 1) {
      const found = await this.find(action);
      const { isLost, cover, isPressed, release } = await this.#pressOnce(found, press);
      if (!cover) return { found, isLost, release };
      if (isPressed) {
        throw failed(`${cover} covered the element when the mouse arrived, and was clicked instead. Check the page.`);
      }
      if (presses === MAX_PRESSES) {
        throw failed(
          `${cover} covers the element whenever the mouse arrives, so nothing was clicked. Act on the covering element instead.`,
        );
      }
    }
  }

  /**
   * @param {FoundElement} found
   * @param {(found: FoundElement) => Promise<PressOutcome>} press
   */
  async #pressOnce(found, press) {
    try {
      if (this.isFramed) await this.moveMouse(pointOf(found));
      return await press(found);
    } catch (error) {
      // The next press would be the user's own.
      for (const stop of this.#stops) void this.#lookFrom(stop, "endPress").catch(() => {});
      throw error;
    }
  }

  /**
   * Moves the mouse until the element's document notices: before a frame in another process is first drawn, the page
   * around it receives the moves, and presses too.
   *
   * @param {Point} point
   * @returns {Promise<boolean>} whether it noticed, or has left
   */
  async moveMouse(point) {
    const { session } = this.#context;
    for (let moves = 1; moves <= MAX_MOVES; moves += 1) {
      // In turns: on a busy page a further move would count the requests of this one as those of an earlier input.
      await Promise.all([approach(session, point), moveTo(session, point)]);
      if ((await this.look("awaitMouse")) !== false) return true;
    }
    return false;
  }

  /**
   * Watches where a press goes. A busy page handles it late, so the browser decides that none has arrived, not a timer:
   * the dispatch of an input ends once the page has handled it.
   *
   * @param {{point: Point, isHeld?: boolean}} press
   * @param {() => Promise<unknown>[]} input sends it
   * @returns {Promise<PressOutcome>}
   * @throws {CommandError} errors of `input`, and the reason of the signal
   */
  async watchPress(press, input) {
    const inEach = (/** @type {"watchPress" | "endPress"} */ look) =>
      this.#stops.map((stop) => this.#lookFrom(stop, look, press).catch(nullIfGone));
    const watches = /** @type {Promise<PressOutcome | null>[]} */ (inEach("watchPress"));
    const [here = Promise.resolve(null), ...outer] = watches;
    await Promise.all(input());
    // With frames on the path only one page sees the press, so the watches of the others have to be ended.
    if (outer.length || !(await endsWithin(ANSWER_MS, here))) inEach("endPress");
    const own = await here;
    // A press that misses a frame on its path is seen by the pages around it.
    const outcomes = own?.isSeen ? [] : await Promise.all(outer);
    this.#context.signal.throwIfAborted();
    const missed = [own, ...outcomes].find((outcome) => outcome?.cover);
    if (missed) this.#hasMissed = true;
    // A page that has navigated away does not respond.
    return missed ?? own ?? { ...REACHED, isSeen: false, isLost: true };
  }

  /**
   * @param {ElementLook} look checks the effect of input on the element
   * @param {object} [request]
   * @returns {Promise<any>} null if the page is gone
   * @throws {CommandError} those of the page, and the reason of the signal
   */
  async look(look, request) {
    const [here = {}] = this.#stops;
    const answer = await this.#lookFrom(here, look, request).catch(nullIfGone);
    this.#context.signal.throwIfAborted();
    return answer;
  }

  /**
   * @param {Stop} stop
   * @param {ElementLook | "endPress" | "watchPress"} look
   * @param {object} [request]
   */
  async #lookFrom({ page, point }, look, request) {
    const id = this.#context.requestId;
    return answerNow(this.#context, page, ask(look, { ...request, ...(point && { point }), id }));
  }

  /** @throws {CommandError} HOST_BLOCKED if the element is a frame of a denied host */
  async refuseDenied() {
    const [here = {}] = this.#stops;
    const frame = /** @type {FrameTraits | null} */ (await this.#lookFrom(here, "frameFound"));
    if (frame) await refuseDeniedFrame(this.#context, here.page?.frameId ?? 0, frame);
  }

  /**
   * Waits for what an action started: another page, or changes of this one.
   *
   * @param {{ofForm?: boolean}} [request] `ofForm`: whether to cover all parts of the action
   * @returns {Promise<string>} what has changed; of another page, what it announces
   */
  async consequences(request) {
    const { session } = this.#context;
    const rest = () => Promise.all([session.settled(), this.look("readChanges", request)]);
    let [hasLeft, changed] = await rest();
    // A response may trigger the next request, and a busy page shows the effect of one only after it has been read.
    while (!hasLeft && (await session.requestsEnded())) [hasLeft, changed] = await rest();
    if (hasLeft || (changed === null && !this.isFramed)) return this.#announcements();
    return typeof changed === "string" ? changed : "";
  }

  /** @returns {Promise<string>} the alerts and statuses of the page that follows; empty when it does not answer in time */
  async #announcements() {
    const { address } = this.#context.session;
    const reply = answerOf(this.#context, undefined, () => ask("readAnnouncements", { address })).catch(() => "");
    const isThere = await endsWithin(ANNOUNCE_MS, reply);
    this.#context.signal.throwIfAborted();
    const answer = isThere ? await reply : "";
    return typeof answer === "string" ? answer : "";
  }

  /**
   * @param {FoundElement} found
   * @param {string} [known] what has changed, if already known
   * @returns {Promise<ActionReply>}
   */
  async reply({ element, matches, notes }, known) {
    const { tabId, session } = this.#context;
    const changed = known ?? (await this.look("readChanges"));
    let tab = await tabById(tabId);
    if (tab.status === "loading") {
      await session.settled();
      tab = await tabById(tabId);
    }
    const hasChanged = typeof changed === "string" && changed;
    return { element, matches, ...addressOf(tab), ...(hasChanged && { changed }), ...(notes && { notes }) };
  }
}

/**
 * @param {unknown} error of a look
 * @returns {null} if the page is gone, or out of reach
 */
function nullIfGone(error) {
  const isGone = error instanceof CommandError && ["TAB_DISCONNECTED", "UNREADABLE_PAGE"].includes(error.code);
  if (!isGone) throw error;
  return null;
}

/** @param {FoundElement} found */
export function pointOf({ point }) {
  return /** @type {Point} */ (point);
}

/**
 * @param {{isLost: boolean, release: string}} outcome
 * @returns {string[]} sentences
 */
export function notesOn({ isLost, release }) {
  if (isLost) return [NO_PRESS];
  if (!release) return [];
  return [`When the mouse was released, ${release} covered the element. Check whether that counted as a click.`];
}
