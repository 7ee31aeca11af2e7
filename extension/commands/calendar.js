/**
 * The calendar that a page draws for a date field, used as users do: they turn to the month, and press the day.
 *
 * @typedef {{shown: string, place: string, day?: string, isChosen?: boolean, turn?: string} | ""} CalendarState as page/interaction/calendars.js reads it
 */

import { CommandError } from "../shared/errors.js";
import { Widget, until } from "./widget.js";

/** How long a calendar may take to open, or to show another month. */
const OPEN_MS = 1_000;
/** How long turning to the requested month may take in all. */
const TURNING_MS = 16_000;
/** Errors of the page while a day is picked: then the next way to enter the date is tried. */
const OF_THE_PAGE = new Set(["ELEMENT_NOT_FOUND", "EXECUTION_ERROR"]);

export class Calendar extends Widget {
  /**
   * Picks a day, a time, or both. What the field holds afterwards is for the caller to read.
   *
   * @param {string} day such as 2026-03-05, or empty
   * @param {string} time such as 09:30, or empty
   * @returns {Promise<boolean>} false if no calendar opens for the field, or if it does not lead there
   */
  async pick(day, time) {
    const hasPressed = day ? await this.#pressed(day) : true;
    if (!day) await this.click(await this.ask("selector"));
    const isSet = hasPressed && time !== "" && (await this.#setTime(time, day ? 0 : OPEN_MS));
    // A calendar stays open for the time. If the page has replaced the field, that is for the caller to find.
    if (!hasPressed || time) await this.#shut(day).catch(() => {});
    return day ? hasPressed : isSet;
  }

  /**
   * @param {string} time
   * @param {number} milliseconds for what has been opened for it to be drawn
   * @returns {Promise<boolean>} false if what is open has no fields for it
   */
  async #setTime(time, milliseconds) {
    const set = () => this.ask("time", { wanted: time });
    const half = await until(set, (answer) => answer !== false, milliseconds);
    if (half) await this.click(half);
    return half !== false;
  }

  /**
   * Closes the calendar, or what has opened instead, which would lie over the page.
   *
   * @param {string} day
   */
  async #shut(day) {
    if (day && !(await this.#calendar(day)) && (await this.ask("leave")) !== "open") return;
    await this.ask("focus");
    await this.press("Escape");
    await this.ask("leave");
  }

  /**
   * @param {string[]} days
   * @returns {Promise<boolean>} whether the calendar, opened again, has chosen one of these days
   */
  async hasChosen(days) {
    for (const day of days) {
      const state = await this.#opened(day);
      if (!state || !state.isChosen) continue;
      await this.ask("leave");
      return true;
    }
    return false;
  }

  /** @param {string} day */
  async #pressed(day) {
    try {
      const selector = await this.#turnedTo(day, await this.#opened(day));
      if (selector) await this.click(selector);
      return selector !== "";
    } catch (error) {
      if (error instanceof CommandError && OF_THE_PAGE.has(error.code)) return false;
      throw error;
    }
  }

  /**
   * Opens the field's calendar if it is not open: by a click on the field, then by the button next to it.
   *
   * @param {string} day
   */
  async #opened(day) {
    const isOpen = (/** @type {CalendarState} */ state) => state !== "";
    let state = await this.#calendar(day);
    if (!state) {
      await this.click(await this.ask("selector"));
      state = await this.#until(day, isOpen);
    }
    const opener = state ? "" : await this.ask("opener");
    if (opener) {
      await this.click(opener);
      state = await this.#until(day, isOpen);
    }
    return state;
  }

  /**
   * @param {string} day
   * @param {CalendarState} state
   * @returns {Promise<string>} the selector of the day, once its month is shown; empty if that is not reached
   */
  async #turnedTo(day, state) {
    const end = performance.now() + TURNING_MS;
    while (state && performance.now() < end) {
      const { shown, day: found, turn } = state;
      if (found) return found;
      if (!turn) return "";
      await this.click(turn);
      state = await this.#until(day, (now) => now !== "" && now.shown !== shown);
      if (state && state.shown === shown) return "";
    }
    return "";
  }

  /**
   * @param {string} day
   * @param {(state: CalendarState) => boolean} isReached
   * @returns {Promise<CalendarState>} the state that satisfies the condition, once nothing slides; or the last one
   */
  async #until(day, isReached) {
    let before = "";
    const isSettled = (/** @type {CalendarState} */ state) => {
      const place = state && state.shown + state.place;
      const rests = place === before;
      before = place;
      return rests && isReached(state);
    };
    return until(() => this.#calendar(day), isSettled, OPEN_MS);
  }

  /**
   * @param {string} day
   * @returns {Promise<CalendarState>}
   */
  async #calendar(day) {
    return this.ask("calendar", { wanted: day });
  }
}
