/**
 * Fields without text input of their own, operated as a user does: lists of options are opened, filtered and chosen
 * from; sliders and spin buttons are set by keys or by the mouse. Their values are read after the focus has left them.
 *
 * @import {DatePart, DrivenContext, FoundElement, ListState, NumberState} from "../shared/types.d.ts"
 */

import { CommandError } from "../shared/errors.js";
import { plainLine } from "../shared/text.js";
import { pause } from "../browser/async.js";
import { ElementTarget } from "../browser/element-target.js";
import { strokesOf, typed } from "../browser/keys.js";
import { pressKeys } from "../browser/trusted-input.js";
import { pressAt } from "./click.js";
import { drag } from "./drag.js";

const POLL_MS = 20;
/** For a list to open, to close, or to show search results. */
const OPEN_MS = 500;
/** For a list that queries a server. */
const FILTER_MS = 1_500;
const QUIET_MS = 150;
const MAX_PARTS = 60;
/** Branches of a tree that may stay shut. */
const MAX_SHUT = 3;
/** Some lists put it before selected options. */
const TICK = /^[\u2611\u2705\u2713\u2714]\ufe0f? ?/u;
const MAX_CHIPS = 30;
/** Keys for stepping through a list whose options are not rendered. */
const MAX_WALK = 60;
const MAX_KEYS = 120;
/** From this many steps on, a native slider is first set close to its goal. */
const FAR_STEPS = 20;
const MAX_ROUNDS = 6;
const MAX_DRAGS = 3;
const MAX_TRIES = 3;
const DATE =
  /^(?:(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d))?(?:[T ]?(?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d))?)?$/u;
/** The year first: the day may not exist in the year that the field contains. */
const ORDER = /** @type {const} */ (["year", "month", "day", "hour", "minute", "second"]);
const PLAIN_CLICK = { button: /** @type {const} */ ("left"), count: 1, at: undefined };

/** A field while it is being operated. */
export class Widget {
  /** @readonly */
  #context;
  /** @readonly */
  #target;
  /** @readonly */
  #found;
  /** @readonly */
  #selector;
  /** The available choices, as a sentence. */
  #offered = "";
  /** @type {string[]} the texts that represented its value before */
  #before = [];

  /**
   * @param {DrivenContext} context
   * @param {ElementTarget} target that found it
   * @param {FoundElement} found
   * @param {string} selector
   */
  constructor(context, target, found, selector) {
    this.#context = context;
    this.#target = target;
    this.#found = found;
    this.#selector = selector;
  }

  /**
   * @param {string[]} values values to set: several only for lists with multiple selection
   * @returns {Promise<string[]>} the values that the field contains now
   * @throws {CommandError} EXECUTION_ERROR, VALUE_NOT_KEPT
   */
  async set(values) {
    const [value = ""] = values;
    if (this.#found.widget === "list") return this.#chosen(values);
    if (this.#found.widget === "segments" || this.#isSegmentOf(value)) return [await this.#setDate(value)];
    await this.#reach(value);
    await this.#ask("leave");
    const { text, now } = await this.#number();
    if (!isNumberAt(value, text, now)) throw notKept(this.#found, value, text || String(now ?? ""), "");
    return [isAlike(text, value) || now === null ? text : String(now)];
  }

  /**
   * @param {string} look
   * @param {object} [more]
   * @returns {Promise<any>}
   * @throws {CommandError} EXECUTION_ERROR if the page has replaced the element
   */
  async #ask(look, more) {
    const answer = /** @type {any} */ (await this.#target.look("operate", { look, ...more }));
    if (answer?.trouble) throw new CommandError("EXECUTION_ERROR", answer.trouble);
    if (answer !== null || look === "track") return answer;
    throw this.#failed("was replaced by the page meanwhile. Look at the page, then try again.");
  }

  /** @param {string} keys */
  async #press(keys) {
    await pressKeys(this.#context.session, strokesOf(keys, false));
  }

  /**
   * Presses an element other than the field, as part of the same action.
   *
   * @param {string} selector
   */
  async #click(selector) {
    const target = new ElementTarget(this.#context);
    const action = { action: /** @type {const} */ ("click"), selector, count: 1, isStep: true };
    await target.press(action, (aimed) =>
      pressAt(this.#context, target, /** @type {import("../shared/types.d.ts").Point} */ (aimed.point), PLAIN_CLICK),
    );
  }

  // --- Lists of options

  /**
   * Chooses options. After a failure it closes the list, which would keep the page from all input.
   *
   * @param {string[]} values
   * @returns {Promise<string[]>}
   */
  async #chosen(values) {
    try {
      return await this.#choose(values);
    } catch (error) {
      // If the page has replaced the field, the first failure says more.
      await this.#shut().catch(() => {});
      throw error;
    }
  }

  async #shut() {
    if ((await this.#ask("leave")) === "open") await this.#escape();
  }

  async #escape() {
    await this.#press("Escape");
    const { isOpen, isAlwaysOpen } = await this.#until("", (now) => !now.isOpen, QUIET_MS);
    if (!isOpen || isAlwaysOpen) return;
    // Some lists take the key only from their field.
    await this.#leaveBy("Escape");
  }

  /** @param {string} key pressed in the field before that is left */
  async #leaveBy(key) {
    await this.#ask("focus");
    await this.#press(key);
    await this.#ask("leave");
  }

  /** @param {string[]} values */
  async #choose(values) {
    /** @type {Map<string, string>} labels of the options, by requested value */
    const labels = new Map();
    const state = await this.#removeOthers(values);
    for (const wanted of values) {
      const label = await this.#chooseOne(wanted, values.length > 1 || state.isMultiple);
      labels.set(wanted, label);
    }
    await this.#deselectOthers(values);
    return this.#kept(labels);
  }

  /**
   * Deselects other options of a list by another click on each.
   *
   * @param {string[]} values
   */
  async #deselectOthers(values) {
    const isOther = (/** @type {string} */ label) => !values.some((value) => isAlike(label, value));
    let state = await this.#list("");
    if (!state.isOpen && values.length > 1 && state.shown.some(isOther)) state = await this.#opened(state, "");
    if (!state.isMultiple) return;
    const { others } = /** @type {ListState} */ (await this.#ask("list", { values }));
    for (const other of others) {
      const { option } = await this.#list(other);
      if (!option?.isSelected) continue;
      await this.#click(option.selector);
      await this.#until(other, (now) => !now.option?.isSelected, QUIET_MS);
    }
  }

  /**
   * Deselects previous choices with Backspace in a field that shows them before its text.
   *
   * @param {string[]} values
   * @returns {Promise<ListState>}
   */
  async #removeOthers(values) {
    let state = await this.#list(values[0] ?? "");
    this.#before = state.shown;
    const isOther = (/** @type {string} */ shown) => !values.some((value) => isAlike(shown, value));
    if (!state.isEditable || !state.shown.some(isOther)) return state;
    const isChips = state.shown.length > 0 && state.typed === "";
    if (!isChips && values.some(Boolean)) return state;
    await this.#ask("focus");
    // Some fields only mark a chip with the first key, and remove it with the second.
    for (let chips = 0, idle = 0; chips < MAX_CHIPS && idle < 2 && state.shown.some(isOther); chips += 1) {
      const before = state;
      await this.#press("Backspace");
      state = await this.#until(values[0] ?? "", (now) => now.shown.join("\n") !== before.shown.join("\n"), QUIET_MS);
      idle = state.shown.join("\n") === before.shown.join("\n") ? idle + 1 : 0;
    }
    return state;
  }

  /**
   * @param {string} wanted
   * @param {boolean} isOneOfSeveral
   * @param {number} [tries] a list may be redrawn at any time
   * @returns {Promise<string>} the label of the option, or the typed text if no option matches
   */
  async #chooseOne(wanted, isOneOfSeveral, tries = 1) {
    let state = await this.#list(wanted);
    if (wanted === "" && state.isEditable) return this.#clear();
    const isShown = state.shown.some((shown) => isAlike(shown, wanted));
    const isHeld = isOneOfSeveral ? isShown : isShown && state.shown.length === 1;
    if (isHeld && !state.isAlwaysOpen) return wanted;
    state = await this.#opened(state, wanted);
    if (!state.option && state.isEditable) state = await this.#filtered(wanted);
    if (!state.option && !state.isEditable) state = await this.#scrolledTo(wanted, state);
    if (!state.option) state = await this.#branchedTo(wanted, state);
    // There may be a row that says that nothing was found.
    if (!state.option && state.total <= 1) state = await this.#unfiltered(wanted, state);
    if (!state.option) return this.#withoutOption(wanted, state);
    state = await this.#inView(wanted, state);
    const { selector, label, isDisabled, isSelected } = /** @type {NonNullable<ListState["option"]>} */ (state.option);
    if (isDisabled) throw this.#failed(`has an option ${quote(label)}, but it is disabled. Choose another one.`);
    // Another click would deselect it.
    if (isSelected && (isOneOfSeveral || state.isMultiple || state.isAlwaysOpen)) return label;
    try {
      await this.#click(selector);
    } catch (error) {
      const isGone = error instanceof CommandError && error.code === "ELEMENT_NOT_FOUND";
      if (!isGone || tries === MAX_TRIES) throw error;
      return this.#chooseOne(wanted, isOneOfSeveral, tries + 1);
    }
    await this.#until(
      wanted,
      (now) => !now.isOpen || now.isAlwaysOpen || now.shown.some((shown) => isAlike(shown, label)),
      QUIET_MS,
    );
    return label;
  }

  /**
   * @param {ListState} state
   * @param {string} wanted
   */
  async #opened(state, wanted) {
    if (state.isOpen) return this.#offer(state);
    if (state.isReachable) {
      // The selector may name a web component around the field, or its label.
      await this.#click(await this.#ask("selector"));
      const now = await this.#until(wanted, ({ isOpen }) => isOpen, OPEN_MS);
      if (now.isOpen) return this.#offer(await this.#loaded(wanted, now));
    }
    await this.#ask("focus");
    await this.#press("ArrowDown");
    const now = await this.#until(wanted, ({ isOpen }) => isOpen, state.isReachable ? QUIET_MS : OPEN_MS);
    return this.#offer(now);
  }

  /**
   * @param {string} wanted
   * @param {ListState} state of a list that has just opened
   * @returns {Promise<ListState>} once it has more than the row that says that it queries a server
   */
  async #loaded(wanted, state) {
    if (state.option || state.total > 1 || !this.#context.session.hasRequests) return state;
    const isLoaded = (/** @type {ListState} */ now) => now.option !== undefined || now.total > 1;
    return this.#until(wanted, isLoaded, FILTER_MS);
  }

  /**
   * @param {ListState} state of an open list
   */
  #offer(state) {
    const { listed, total } = state;
    const more = total > listed.length ? ` and ${total - listed.length} more` : "";
    this.#offered = total ? ` Its options are ${listed.map(quote).join(", ")}${more}.` : " It has shown no options.";
    return state;
  }

  /** @param {string} wanted */
  async #filtered(wanted) {
    const { session } = this.#context;
    const before = await this.#list(wanted);
    await this.#ask("focus");
    await pressKeys(session, typed(wanted));
    session.watchRequests();
    // The list may still be unfiltered until the page has handled the text, so it gets a moment.
    const changed = await this.#until(
      wanted,
      (now) => now.option !== undefined || now.listed.join("\n") !== before.listed.join("\n"),
      OPEN_MS,
    );
    if (changed.option) return changed;
    if (session.hasRequests) {
      const late = await this.#until(wanted, (now) => now.option !== undefined, FILTER_MS);
      if (late.option) return late;
    }
    // The page's offer to add the typed text may lag a letter behind.
    const end = performance.now() + QUIET_MS;
    for (;;) {
      const state = await this.#ask("list", { wanted, isLoose: true });
      if (state.option || performance.now() > end) return state;
      await pause(POLL_MS);
    }
  }

  /**
   * @param {string} wanted
   * @param {ListState} state of a list that has the option
   * @returns {Promise<ListState>} once the option can be pressed
   */
  async #inView(wanted, state) {
    const end = performance.now() + OPEN_MS;
    while (!(await this.#ask("show", { wanted })) && performance.now() < end) await pause(POLL_MS);
    const now = await this.#ask("list", { wanted, isLoose: true });
    return now.option ? now : state;
  }

  /**
   * Searches the whole list if the typed filter matches nothing: it may not filter by label.
   *
   * @param {string} wanted
   * @param {ListState} state
   */
  async #unfiltered(wanted, state) {
    if (!state.isEditable || state.typed === "") return state;
    await this.#clear();
    const whole = await this.#until(wanted, ({ total }) => total > 0, QUIET_MS);
    const found = whole.option ? whole : await this.#scrolledTo(wanted, whole);
    if (found.option) return found;
    await pressKeys(this.#context.session, typed(wanted));
    return this.#until(wanted, ({ typed: text }) => isAlike(text, wanted), QUIET_MS);
  }

  /**
   * Searches a list that renders only some of its options.
   *
   * @param {string} wanted
   * @param {ListState} state
   */
  async #scrolledTo(wanted, state) {
    for (let part = 0; part < MAX_PARTS && state.isOpen; part += 1) {
      if (!(await this.#ask("scroll"))) return state;
      state = await this.#until(wanted, (now) => now.option !== undefined, 2 * POLL_MS);
      if (state.option) return state;
    }
    return state;
  }

  /**
   * Opens the branches of a tree until one of them has the option.
   *
   * @param {string} wanted
   * @param {ListState} state
   */
  async #branchedTo(wanted, state) {
    for (let shut = 0; shut < MAX_SHUT && state.isOpen && !state.option;) {
      const branch = await this.#ask("branch");
      if (!branch) return state;
      await this.#click(branch.selector);
      const { total } = state;
      state = this.#offer(await this.#until(wanted, (now) => now.option !== undefined || now.total > total, OPEN_MS));
      if (state.total <= total) shut += 1;
    }
    return state;
  }

  /**
   * @param {string} wanted
   * @param {ListState} state
   * @returns {Promise<string>} the typed text, if the field may accept any
   */
  async #withoutOption(wanted, state) {
    if (!state.isOpen && (await this.#walkedTo(wanted))) return wanted;
    if (state.isEditable && state.typed !== "") return wanted;
    throw this.#failed(`has no option ${quote(wanted)}.${this.#offered}`);
  }

  /**
   * Steps with keys through a list whose options are exposed, but not rendered where they can be pressed.
   *
   * @param {string} wanted
   */
  async #walkedTo(wanted) {
    const seen = new Set();
    for (let step = 0; step < MAX_WALK; step += 1) {
      const { active } = await this.#list(wanted);
      if (active && isAlike(active, wanted)) {
        await this.#press("Enter");
        await this.#until(wanted, ({ shown }) => shown.some((each) => isAlike(each, wanted)), QUIET_MS);
        return true;
      }
      if (step > 1 && (!active || seen.has(active))) return false;
      seen.add(active);
      await this.#press("ArrowDown");
      await this.#until(wanted, (now) => now.active !== active, QUIET_MS);
    }
    return false;
  }

  async #clear() {
    await this.#ask("focus");
    await this.#press("Backspace");
    return "";
  }

  /**
   * Leaves the field and checks its value.
   *
   * @param {Map<string, string>} labels
   */
  async #kept(labels) {
    const values = [...labels].flat();
    const before = /** @type {ListState} */ (await this.#ask("list", { values }));
    const isLayerOpen = (await this.#ask("leave")) === "open";
    /** @type {ListState} */
    let state = await this.#list("");
    // A list for several options stays open, and would cover the page.
    const isTyped = state.isEditable && state.typed !== "";
    if (isLayerOpen && state.isOpen && !state.isAlwaysOpen && !isTyped) await this.#escape();
    // Some pages accept or drop a typed text only when the key for that leaves the field.
    if (isTyped && state.isOpen && !state.isAlwaysOpen) await this.#leaveBy("Tab");
    // A page may drop typed text a moment later.
    if (isTyped) await pause(QUIET_MS);
    if (labels.has("") && this.#isCleared(state)) return [];
    for (const pair of labels) {
      state = await this.#until(pair[0], (now) => holdsOption(now, pair), QUIET_MS);
      if (holdsOption(state, pair) || isSelectedIn(before, state, pair[1])) continue;
      throw notKept(this.#found, pair[0], state.shown.join(", "), this.#offered);
    }
    if ([...labels].every((pair) => holdsOption(state, pair))) return state.shown;
    if (before.others.length) {
      throw notKept(this.#found, [...labels.keys()].join(", "), before.selected.join(", "), this.#offered);
    }
    return before.selected;
  }

  /**
   * @param {ListState} state
   * @returns {boolean} whether it shows nothing, or only something else than before, which can be a placeholder
   */
  #isCleared({ shown, typed: text }) {
    return shown.length === 0 || (text === "" && !shown.some((each) => this.#before.includes(each)));
  }

  /** @param {string} wanted */
  async #list(wanted) {
    return /** @type {ListState} */ (await this.#ask("list", { wanted }));
  }

  /**
   * @param {string} wanted
   * @param {(state: ListState) => boolean} isReached
   * @param {number} milliseconds
   * @returns {Promise<ListState>} the state that satisfies the condition, or the last one
   */
  async #until(wanted, isReached, milliseconds) {
    const end = performance.now() + milliseconds;
    for (;;) {
      const state = await this.#list(wanted);
      if (isReached(state) || performance.now() > end) return state;
      await pause(POLL_MS);
    }
  }

  // --- Sliders and spin buttons

  /**
   * @param {string} value
   * @returns {boolean} whether it is a value for all segments of the date that a spin button belongs to
   */
  #isSegmentOf(value) {
    return this.#found.widget === "spinbutton" && Object.keys(datePartsOf(value) ?? {}).length > 1;
  }

  /**
   * @param {string} value such as 2026-12-31, 23:59, or both
   * @returns {Promise<string>}
   */
  async #setDate(value) {
    const wanted = datePartsOf(value);
    if (!wanted) throw this.#failed("takes a date. Give it one such as 2026-12-31, or 2026-12-31T23:59 with a time.");
    const parts = /** @type {(DatePart | "")[]} */ (await this.#ask("segments"));
    for (const part of ORDER) {
      const index = parts.indexOf(part);
      if (index < 0 || wanted[part] === undefined) continue;
      await this.#ask("segment", { index });
      await this.#reach(String(wanted[part]));
    }
    // A calendar that opened for it accepts the date when it is closed.
    await this.#shut();
    for (const [index, part] of parts.entries()) {
      await this.#ask("segment", { index });
      const { now, text } = await this.#number();
      if (part && wanted[part] !== undefined && now !== wanted[part]) throw notKept(this.#found, value, text, "");
    }
    return value;
  }

  /**
   * Sets a slider or a spin button.
   *
   * @param {string} value
   */
  async #reach(value) {
    const goal = value.trim() === "" ? NaN : Number(value);
    let state = await this.#number();
    if (!Number.isNaN(goal)) this.#refuseOutside(goal, state);
    const isThere = () => isNumberAt(value, state.text, state.now);
    await this.#ask("focus");
    if (state.isTyped && !isThere()) {
      await pressKeys(this.#context.session, typed(value));
      state = await this.#settled(state);
    }
    if (state.isNative) state = await this.#nearer(state, goal);
    if (isThere()) return;
    const isNumber = !Number.isNaN(goal);
    state = isNumber ? await this.#stepped(state, goal) : await this.#walked(state, value);
    if (isThere() || !isNumber || this.#found.widget !== "slider") return;
    // The distance is too long for keys, or the slider ignores them.
    state = await this.#dragged(state, goal);
    await this.#ask("focus");
    await this.#stepped(state, goal);
  }

  /**
   * @param {number} goal
   * @param {NumberState} state
   */
  #refuseOutside(goal, { min, max }) {
    if ((min === null || goal >= min) && (max === null || goal <= max)) return;
    throw this.#failed(`does not take this value. Give it a number from ${min} to ${max}.`);
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
    await this.#ask("near", { wanted: String(near) });
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
      if (state.now === before || isFar) break;
    }
    return state;
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
      await this.#press(key);
      const moved = await this.#settled(state);
      if (moved.now === null || moved.now === state.now) continue;
      const width = Math.abs(moved.now - start);
      const left = Math.round(Math.abs(goal - moved.now) / (width || 1));
      if (goal > moved.now !== goal > start || left === 0 || left > MAX_KEYS || state.now === null) return moved;
      await this.#press(Array.from({ length: left }, () => key).join(" "));
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
    await this.#press("Home");
    let now = await this.#settled(state);
    for (let step = 0; step < MAX_WALK && !isAlike(now.text, value); step += 1) {
      const before = now;
      await this.#press("ArrowUp");
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
      const place = await this.#ask("track");
      if (!place || now === null || min === null || max === null || now === goal || max <= min) return state;
      const { thumb, track } = place;
      const part = (goal - now) / (max - min);
      const isUpright = track.height > track.width;
      const offset = isUpright ? [0, -part * track.height] : [part * track.width, 0];
      const at = [thumb.width / 2 + (offset[0] ?? 0), thumb.height / 2 + (offset[1] ?? 0)];
      await drag({ ...this.#context, params: { source: this.#selector, target_at: at } });
      await this.#target.find({ action: "fill", selector: this.#selector, value: String(goal) });
      state = await this.#number();
    }
    return state;
  }

  /** @returns {Promise<NumberState>} */
  async #number() {
    return this.#ask("number");
  }

  /**
   * @param {NumberState} before
   * @returns {Promise<NumberState>} once it has changed, or after a short time
   */
  async #settled(before) {
    const end = performance.now() + QUIET_MS;
    for (let latest = before; ;) {
      const state = await this.#number();
      const hasMoved = state.now !== before.now || state.text !== before.text;
      if ((hasMoved && state.now === latest.now && state.text === latest.text) || performance.now() > end) return state;
      latest = state;
      await pause(POLL_MS);
    }
  }

  /** @param {string} trouble the rest of a sentence that starts with the field */
  #failed(trouble) {
    const { selector } = this.#found.element;
    return new CommandError("EXECUTION_ERROR", `${selector} ${trouble}`);
  }
}

/**
 * @param {FoundElement} found
 * @param {string} value that was written
 * @param {string} held the field's current value
 * @param {string} advice
 */
export function notKept({ element }, value, held, advice) {
  const now = held ? `It holds ${quote(held)} now.` : "It is empty now.";
  const message = `The page did not keep ${quote(value)} in ${element.selector}. ${now}${advice}`;
  return new CommandError("VALUE_NOT_KEPT", message);
}

/**
 * @param {string} a
 * @param {string} b
 */
function isAlike(a, b) {
  return plain(a) === plain(b);
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
 * @param {string} value
 * @returns {Partial<Record<DatePart, number>> | null}
 */
function datePartsOf(value) {
  const match = DATE.exec(value.trim());
  if (!match?.groups) return null;
  const entries = Object.entries(match.groups).filter(([, digits]) => digits !== undefined);
  return Object.fromEntries(entries.map(([part, digits]) => [part, Number(digits)]));
}

/**
 * @param {ListState} state
 * @param {[string, string]} chosen the requested value, and the label of its option
 */
function holdsOption({ shown, option, isAlwaysOpen }, [wanted, label]) {
  if (wanted === "") return shown.length === 0;
  if (isAlwaysOpen) return option?.isSelected === true;
  return shown.some((each) => isAlike(each, label) || isAlike(each, wanted) || isPartOf(each, label, wanted));
}

/**
 * @param {ListState} before with the list open
 * @param {ListState} now
 * @param {string} label
 * @returns {boolean} whether the option was selected and the field shows the same since, such as "3 options selected"
 */
function isSelectedIn(before, now, label) {
  const isSelected = before.selected.some((each) => isAlike(each, label));
  return isSelected && now.shown.length > 0 && before.shown.join("\n") === now.shown.join("\n");
}

/**
 * @param {string} shown
 * @param {string} label of the chosen option, which may have a second line
 * @param {string} wanted
 */
function isPartOf(shown, label, wanted) {
  return shown !== "" && plain(label).includes(plain(shown)) && plain(shown).includes(plain(wanted));
}

/** @param {string} text */
function plain(text) {
  const line = text.replace(/\s+/gu, " ").trim();
  return line.replace(TICK, "").normalize("NFC").toLowerCase();
}

/** @param {string} text */
function quote(text) {
  const line = plainLine(text, 80);
  return JSON.stringify(line);
}
