/**
 * Sliders, spin buttons, and dates made of these, set by keys or by the mouse. Their values are read after the focus has
 * left them.
 *
 * @import {DatePart, NumberState} from "../shared/types.d.ts"
 */

/** @typedef {Partial<Record<DatePart, number>>} DateParts */

import { typed } from "../browser/keys.js";
import { pressKeys } from "../browser/trusted-input.js";
import { drag } from "./drag.js";
import { MAX_WALK, QUIET_MS, Widget, isAlike, notKept, until } from "./widget.js";

const MAX_KEYS = 120;
/** From this many steps on, a native slider is first set close to its goal. */
const FAR_STEPS = 20;
const MAX_ROUNDS = 6;
const MAX_DRAGS = 3;
const MAX_DIGITS = 8;
const DATE =
  /^(?:(?<year>\d{4})-(?<month>\d\d)(?:-(?<day>\d\d))?)?(?:[T ]?(?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d))?)?$/u;
const HALF = /^[ap]m$/iu;
/** Between the two dates of a period. */
const BETWEEN = /\s+(?:-|to)\s+|\s*[/\u2013]\s*/u;
/** The year first: the day may not exist in the year that the field contains. */
const ORDER = /** @type {const} */ (["year", "month", "day", "hour", "minute", "second", "half"]);

/** A slider, a spin button, or the segments of a date. */
export class NumberWidget extends Widget {
  /**
   * @param {string} value
   * @returns {Promise<string>} the value that the field contains now
   * @throws {CommandError} EXECUTION_ERROR, VALUE_NOT_KEPT
   */
  async set(value) {
    if (value.trim() === "" && this.found.widget !== "slider") return this.#empty();
    const mayBeDate = this.found.widget === "segments" || this.#isSegmentOf(value);
    const parts = /** @type {(DatePart | "")[]} */ (mayBeDate ? await this.ask("segments") : []);
    if (parts.length) return this.#setDate(value, parts);
    await this.#reach(value);
    await this.ask("leave");
    const { text, now } = await this.#number();
    if (!isNumberAt(value, text, now)) throw notKept(this, value, text || String(now ?? ""));
    return isAlike(text, value) || now === null ? text : String(now);
  }

  /** @returns {Promise<string[] | null>} the values that it shows; null if the page has removed it */
  async shown() {
    const state = /** @type {NumberState | null} */ (await this.target.look("operate", { look: "number" }));
    return state && [state.text, String(state.now ?? "")].filter(Boolean);
  }

  /**
   * @param {string} value
   * @returns {boolean} whether it is a value for all segments of the date that a spin button belongs to
   */
  #isSegmentOf(value) {
    return this.found.widget === "spinbutton" && Object.keys(datePartsOf(value) ?? {}).length > 1;
  }

  /**
   * @returns {Promise<string>}
   * @throws {CommandError} VALUE_NOT_KEPT
   */
  async #empty() {
    const count = this.found.widget === "segments" ? (await this.ask("segments")).length : 1;
    for (let index = 0; index < count; index += 1) {
      if (count > 1) await this.ask("segment", { index });
      await this.#erase();
    }
    await this.ask("leave");
    for (let index = 0; index < count; index += 1) {
      if (count > 1) await this.ask("segment", { index });
      const { now, text } = await this.#number();
      if (now !== null) throw notKept(this, "", text || String(now));
    }
    return "";
  }

  /** Erases a segment digit by digit. */
  async #erase() {
    await this.ask("focus");
    let state = await this.#number();
    for (let keys = 0; keys < MAX_DIGITS && state.now !== null; keys += 1) {
      await this.press("Backspace");
      state = await this.#settled(state);
    }
  }

  /**
   * @param {string} value such as 2026-12-31, 23:59, or both; for a period two of these
   * @param {(DatePart | "")[]} all its segments
   * @returns {Promise<string>}
   */
  async #setDate(value, all) {
    const length = lengthOfFirst(all);
    const dates = (length < all.length ? value.split(BETWEEN) : [value]).map(datePartsOf);
    if (dates.length * length !== all.length || !isWhole(dates)) {
      const period = "takes a period. Pass its start and end such as 2026-12-24 - 2026-12-31.";
      const date = "takes a date. Pass one such as 2026-12-31, or 2026-12-31T23:59 with a time.";
      throw this.failed(length < all.length ? period : date);
    }
    const parts = all.slice(0, length);
    for (const [number, date] of dates.entries()) await this.#enter(halved(date, parts), parts, number * length);
    // A calendar that opened for it accepts the date when it is closed.
    if ((await this.ask("leave")) === "open") await this.press("Escape");
    for (const [number, date] of dates.entries()) {
      const other = await this.#otherThan(halved(date, parts), parts, number * length);
      if (other !== null) throw notKept(this, value, other);
    }
    return value;
  }

  /**
   * @param {DateParts} date
   * @param {(DatePart | "")[]} parts its segments
   * @param {number} first index of the first one
   */
  async #enter(date, parts, first) {
    for (const part of ORDER) {
      const index = parts.indexOf(part);
      if (index < 0 || date[part] === undefined) continue;
      await this.ask("segment", { index: first + index });
      const { text } = await this.#number();
      await this.#reach(textOf(part, date[part], text), isHalved(part, parts));
    }
  }

  /**
   * @param {DateParts} date
   * @param {(DatePart | "")[]} parts its segments
   * @param {number} first index of the first one
   * @returns {Promise<string | null>} what the first segment that does not hold its part holds
   */
  async #otherThan(date, parts, first) {
    for (const [index, part] of parts.entries()) {
      await this.ask("segment", { index: first + index });
      const { now, text } = await this.#number();
      if (!part || date[part] === undefined) continue;
      const goal = textOf(part, date[part], text);
      if (!(isHalved(part, parts) ? isSameHour(goal, now) : isNumberAt(goal, text, now))) return text;
    }
    return null;
  }

  /**
   * Sets a slider or a spin button.
   *
   * @param {string} value
   * @param {boolean} [isUpToTwelve] whether it is an hour up to twelve, which the page may count up to 24
   */
  async #reach(value, isUpToTwelve = false) {
    const goal = value.trim() === "" ? NaN : Number(value);
    let state = await this.#number();
    this.#refuseUnreachable(value, goal, state);
    const isThere = () => isNumberAt(value, state.text, state.now) || (isUpToTwelve && isSameHour(value, state.now));
    await this.ask("focus");
    if (state.isTyped && !isThere()) {
      await pressKeys(this.context.session, typed(value));
      state = await this.#settled(state);
    }
    if (state.isNative) state = await this.#nearer(state, goal);
    if (isThere()) return;
    const isNumber = !Number.isNaN(goal);
    state = isNumber ? await this.#stepped(state, goal) : await this.#walked(state, value);
    if (isThere() || !isNumber || this.found.widget !== "slider") return;
    // The distance is too long for keys, or the slider ignores them.
    state = await this.#dragged(state, goal);
    await this.ask("focus");
    await this.#stepped(state, goal);
  }

  /**
   * @param {string} value
   * @param {number} goal not a number for a word, which a field without words would only be moved in search of
   * @param {NumberState} state
   */
  #refuseUnreachable(value, goal, { text, now, min, max, low, high }) {
    const isBarred = now !== null && ((low !== null && goal < low) || (high !== null && goal > high));
    const isWordless = now !== null && Number(text || now) === now;
    const isOutside = (min !== null && goal < min) || (max !== null && goal > max);
    if (!isBarred && !isOutside && !(Number.isNaN(goal) && isWordless)) return;
    const [least, most] = [low ?? min, high ?? max];
    const limits = `Pass a number${least === null || most === null ? "" : ` from ${least} to ${most}`}`;
    // In a form, a later field may move the other thumb.
    const mayChange = isBarred || (isOutside && this.context.isPart);
    if (mayChange) throw notKept(this, value, String(now), ` ${limits}, or move the other thumb first.`);
    throw this.failed(`does not accept this value. ${limits}.`);
  }

  /**
   * Sets a native slider to one step from a distant goal; the key that follows makes the page accept it.
   *
   * @param {NumberState} state
   * @param {number} goal
   */
  async #nearer(state, goal) {
    const { now, min, max } = state;
    const step = state.step ?? 1;
    if (now === null || Number.isNaN(goal) || Math.abs(goal - now) <= FAR_STEPS * step) return state;
    const isRising = goal > now;
    const near = Math.min(max ?? goal, Math.max(min ?? goal, isRising ? goal - step : goal + step));
    await this.ask("near", { wanted: String(near) });
    return this.#number();
  }

  /**
   * Moves to a number by keys, unless that would take too many.
   *
   * @param {NumberState} state
   * @param {number} goal
   */
  async #stepped(state, goal) {
    for (let round = 0; round < MAX_ROUNDS && state.now !== goal; round += 1) {
      const before = state.now;
      state = await this.#step(state, goal);
      const width = before === null || state.now === null ? 0 : Math.abs(state.now - before);
      const isFar = width > 0 && Math.abs(goal - (state.now ?? goal)) > MAX_KEYS * width;
      if (state.now === before || (isFar && !(await this.#hasPaged(state, goal)))) break;
      if (isFar) state = await this.#number();
    }
    return state;
  }

  /**
   * Takes the large steps to a distant goal.
   *
   * @param {NumberState} state
   * @param {number} goal
   * @returns {Promise<boolean>} false if the slider has none
   */
  async #hasPaged(state, goal) {
    const start = state.now ?? goal;
    const key = goal > start ? "PageUp" : "PageDown";
    await this.press(key);
    const moved = await this.#settled(state);
    const width = Math.abs((moved.now ?? start) - start);
    const left = Math.floor(Math.abs(goal - (moved.now ?? goal)) / (width || Infinity));
    if (left > 0 && left <= MAX_KEYS) await this.press(Array.from({ length: left }, () => key).join(" "));
    await this.#settled(moved);
    return width > 0;
  }

  /**
   * Takes one step by key to learn its size, and then the remaining ones.
   *
   * @param {NumberState} state
   * @param {number} goal
   */
  async #step(state, goal) {
    const start = state.now ?? state.min ?? 0;
    const keys = goal >= start ? ["ArrowUp", "ArrowRight"] : ["ArrowDown", "ArrowLeft"];
    for (const key of keys) {
      await this.press(key);
      const moved = await this.#settled(state);
      if (moved.now === null || moved.now === state.now) continue;
      const width = Math.abs(moved.now - start);
      const left = Math.round(Math.abs(goal - moved.now) / (width || 1));
      if (goal > moved.now !== goal > start || left === 0 || left > MAX_KEYS || state.now === null) return moved;
      await this.press(Array.from({ length: left }, () => key).join(" "));
      return this.#settled(moved);
    }
    return state;
  }

  /**
   * Moves to a value that is a word, from one end to the other.
   *
   * @param {NumberState} state
   * @param {string} value
   */
  async #walked(state, value) {
    await this.press("Home");
    // Among the segments of a date this key may lead to the first one.
    await this.ask("focus");
    let now = await this.#settled(state);
    const keys = now.text === state.text ? ["ArrowUp", "ArrowDown"] : ["ArrowUp"];
    for (const key of keys) now = await this.#walkedBy(key, now, value);
    return now;
  }

  /**
   * @param {string} key
   * @param {NumberState} state
   * @param {string} value
   */
  async #walkedBy(key, state, value) {
    let now = state;
    for (let step = 0; step < MAX_WALK && !isAlike(now.text, value); step += 1) {
      const before = now;
      await this.press(key);
      now = await this.#settled(before);
      if (now.text === before.text) break;
    }
    return now;
  }

  /**
   * Drags the thumb to the value's place on the track.
   *
   * @param {NumberState} state
   * @param {number} goal
   */
  async #dragged(state, goal) {
    for (let drags = 0; drags < MAX_DRAGS; drags += 1) {
      const { now, min, max } = state;
      const place = await this.ask("track");
      if (!place || now === null || min === null || max === null || now === goal || max <= min) return state;
      const { thumb, track } = place;
      const part = (goal - now) / (max - min);
      const isUpright = track.height > track.width;
      const offset = isUpright ? [0, -part * track.height] : [part * track.width, 0];
      const at = [thumb.width / 2 + (offset[0] ?? 0), thumb.height / 2 + (offset[1] ?? 0)];
      await drag({ ...this.context, params: { source: this.selector, target_at: at } });
      await this.target.find({ action: "fill", selector: this.selector, value: String(goal) });
      state = await this.#number();
    }
    return state;
  }

  /** @returns {Promise<NumberState>} */
  async #number() {
    return this.ask("number");
  }

  /**
   * @param {NumberState} before
   * @returns {Promise<NumberState>} once it has changed, or after a short time
   */
  async #settled(before) {
    let latest = before;
    const isSettled = (/** @type {NumberState} */ state) => {
      const rests = isSameNumber(state, latest);
      latest = state;
      return rests && !isSameNumber(state, before);
    };
    return until(() => this.#number(), isSettled, QUIET_MS);
  }
}

/**
 * @param {NumberState} a
 * @param {NumberState} b
 */
function isSameNumber(a, b) {
  return a.now === b.now && a.text === b.text;
}

/**
 * @param {string} value
 * @param {string} text
 * @param {number | null} now
 * @returns {boolean} whether the number, or its text, matches the value
 */
function isNumberAt(value, text, now) {
  const goal = value.trim() === "" ? NaN : Number(value);
  return isAlike(text, value) || (now !== null && Math.abs(now - goal) < 1e-9);
}

/**
 * @param {string} hour
 * @param {number | null} now
 * @returns {boolean} whether both are the same hour of a clock with twelve
 */
function isSameHour(hour, now) {
  return now !== null && now % 12 === Number(hour) % 12;
}

/**
 * @param {DatePart} part
 * @param {number} number
 * @param {string} shown
 * @returns {string} what the segment takes: a word for the half of a day if it shows one, otherwise the number
 */
function textOf(part, number, shown) {
  return part === "half" && HALF.test(shown) ? (number ? "PM" : "AM") : String(number);
}

/**
 * @param {(DatePart | "")[]} parts
 * @returns {number} how many of them belong to the first date, if there are two
 */
function lengthOfFirst(parts) {
  const second = parts[0] ? parts.indexOf(parts[0], 1) : -1;
  return second * 2 === parts.length ? second : parts.length;
}

/**
 * @param {(DateParts | null)[]} dates
 * @returns {dates is DateParts[]}
 */
function isWhole(dates) {
  return dates.every((date) => date !== null);
}

/**
 * @param {DateParts} date
 * @param {(DatePart | "")[]} parts
 * @returns {DateParts} with an hour up to twelve if one of the parts is the half of a day
 */
function halved(date, parts) {
  if (!parts.includes("half") || date.hour === undefined) return date;
  return { ...date, hour: date.hour % 12 || 12, half: date.hour < 12 ? 0 : 1 };
}

/**
 * @param {DatePart} part
 * @param {(DatePart | "")[]} parts
 */
function isHalved(part, parts) {
  return part === "hour" && parts.includes("half");
}

/**
 * @param {string} value
 * @returns {DateParts | null}
 */
function datePartsOf(value) {
  const match = DATE.exec(value.trim());
  if (!match?.groups) return null;
  const entries = Object.entries(match.groups).filter(([, digits]) => digits !== undefined);
  return Object.fromEntries(entries.map(([part, digits]) => [part, Number(digits)]));
}
