/**
 * Lists of options, opened, filtered and chosen from as a user does. Their values are read after the focus has left them.
 *
 * @import {ListState} from "../shared/types.d.ts"
 */

import { CommandError } from "../shared/errors.js";
import { pause } from "../browser/async.js";
import { typed } from "../browser/keys.js";
import { pressKeys } from "../browser/trusted-input.js";
import { holdsOption, isJoinOf, isSelectedIn, keepsOther, othersIn } from "./list-states.js";
import {
  MAX_WALK,
  POLL_MS,
  QUIET_MS,
  SEPARATOR,
  Widget,
  holdsNow,
  isAlike,
  notKept,
  plain,
  quote,
  until,
} from "./widget.js";

/** How long a list may take to open, to close or to show search results, and a value to fade out. */
const OPEN_MS = 500;
/** How long it may take to scroll and to fade in: a busy browser draws few frames. */
const SHOW_MS = 2_000;
/** How long a list that queries a server may take to begin, and to show what it got. */
const FILTER_MS = 1_500;
/** How long its server may take to respond after that. */
const SERVER_MS = 5_000;
/** Maximum number of parts of a list that renders only some of its options; each takes up to 2 s. */
const MAX_PARTS = 4;
/** Maximum number of branches of a tree that do not open when they are pressed. */
const MAX_SHUT = 3;
const MAX_CHIPS = 30;
const MAX_DESELECTED = 200;
const MAX_TRIES = 3;
const NOTHING_SHOWN = " It has shown nothing that is declared as an option. Click it, then look at the page.";

/** A combobox or a list of options. */
export class ListWidget extends Widget {
  /** The available choices, as a sentence. */
  #offered = "";
  /** @type {string[]} the texts that represented its value before */
  #before = [];
  /** Whether it adds what is typed to the values next to it. */
  #isAdding = false;
  /** The label of the option that was pressed last. */
  #pressed = "";
  #wasOpen = false;
  /** Whether a text that is not an option is a search, as in a list of commands that was open before. */
  #maySearch = false;
  #wasEmpty = false;
  /** Whether Enter follows: then a value is added to the others. */
  #isEntered = false;
  /** Whether its list, which was open before, shows what was found for the typed text. */
  #isSearch = false;
  /** Whether a text that is not one of the options is refused, although the field would take it. */
  #isStrict = false;

  /**
   * Chooses options. After a failure it closes the list, which would keep the page from all input.
   *
   * @param {string[]} values several only for lists with multiple selection
   * @param {{isList?: boolean, mayBeSearch?: boolean, isStrict?: boolean}} [how] whether they were given as a list;
   *   whether a text may be left in the field as a search; whether a single one must be an option
   * @returns {Promise<string[]>} the values that the field contains now
   * @throws {CommandError} EXECUTION_ERROR, VALUE_NOT_KEPT
   */
  async set(values, { isList = false, mayBeSearch = true, isStrict = false } = {}) {
    this.#isStrict = isStrict;
    try {
      return await this.#choose(values, isList, mayBeSearch);
    } catch (error) {
      const [value = ""] = values;
      const chosen = this.#pressed || value;
      const text = values.length === 1 && chosen ? await this.#cellText(chosen) : null;
      if (text !== null && isAlike(text, chosen)) return [text];
      if (text !== null) throw notKept(this, chosen, text);
      if (this.#pressed && (await this.shown()) === null) throw await this.#gone();
      // If the page has replaced the field, the first failure says more.
      await this.#dropText().catch(() => {});
      await this.#shut().catch(() => {});
      throw await this.#withChange(error).catch(() => error);
    }
  }

  /** @returns {Promise<string[] | null>} the values that it shows; null if the page has removed it */
  async shown() {
    const state = /** @type {ListState | null} */ (await this.target.look("operate", { look: "list" }));
    return state && state.shown;
  }

  /**
   * @param {unknown} error that ended the choice
   * @returns {Promise<unknown>} it also says what the field holds now, if that is not what it held before
   */
  async #withChange(error) {
    if (!(error instanceof CommandError) || error.code === "VALUE_NOT_KEPT") return error;
    const { shown } = await this.#list("");
    if (shown.join("\n") === this.#before.join("\n")) return error;
    return new CommandError(error.code, `${error.message} ${holdsNow(shown.join(", "))}`);
  }

  /**
   * Chooses an option, or adds a text to the values of the field, as Enter does.
   *
   * @param {string} value
   * @returns {Promise<string[]>} the values that the field contains now
   * @throws {CommandError} EXECUTION_ERROR, VALUE_NOT_KEPT
   */
  async enter(value) {
    this.#isEntered = true;
    return this.set([value]);
  }

  /**
   * An editor in a cell of a table may go once an option is chosen.
   *
   * @param {string} chosen
   * @returns {Promise<string | null>} what its cell shows instead, once that is the option, or after a short time; null if
   *   the editor is still there, or was in no cell
   */
  async #cellText(chosen) {
    const read = async () => /** @type {string | null} */ (await this.target.look("operate", { look: "cell" }));
    return until(read, (text) => text === null || isAlike(text, chosen), QUIET_MS);
  }

  /** @returns {Promise<CommandError>} for a field that the page has removed with its list: another try would be wrong */
  async #gone() {
    const changed = await this.target.consequences();
    const option = quote(this.#pressed);
    return this.failed(
      `is gone: the page removed it when the option ${option} was clicked. ${changed ? `The page has changed: ${changed}.` : "Check the page."}`,
    );
  }

  /** Deletes what was typed next to other values. */
  async #dropText() {
    const { typed: text, shown } = await this.#list("");
    if (this.#wasEmpty && text !== "" && !shown.includes(text)) await this.#clear();
  }

  async #shut() {
    const { isSearched } = await this.#list("");
    const isLayerOpen = (await this.ask("leave")) === "open";
    // A list in which nothing was found has no options.
    const isEmptyOpen = isSearched && (await this.#list("")).isExpanded;
    if (isLayerOpen || isEmptyOpen) await this.#escape(isEmptyOpen);
  }

  /**
   * Closes the list by a key, which some take only from their field, and others only from the list.
   *
   * @param {boolean} [isEmpty] whether it has no options: then only its field knows that it is open
   */
  async #escape(isEmpty = false) {
    for (const look of ["", "focus", "focusList"]) {
      // A list may keep the focus.
      if (look) await this.ask(look).catch(() => {});
      await this.press("Escape");
      const isOver = (/** @type {ListState} */ now) => !now.isOpen && !(isEmpty && now.isExpanded);
      const state = await this.#until("", isOver, QUIET_MS);
      if (look) await this.ask("leave");
      if (isOver(state) || state.isAlwaysOpen) return;
    }
  }

  /** @param {string} key pressed in the field before that is left */
  async #leaveBy(key) {
    await this.ask("focus");
    await this.press(key);
    await this.ask("leave");
  }

  /**
   * @param {string[]} values
   * @param {boolean} isList
   * @param {boolean} mayBeSearch
   */
  async #choose(values, isList, mayBeSearch) {
    const begun = await this.#list("");
    this.#before = begun.shown;
    const state = values.some(Boolean) ? begun : await this.#pressClearer(begun);
    const { isMultiple, chips, typed: text, isOpen } = state;
    this.#wasOpen = isOpen;
    this.#maySearch = isOpen && mayBeSearch;
    this.#wasEmpty = text === "";
    this.#isAdding = chips.length > 0 && text === "";
    const isOneOfSeveral = values.length > 1 || isMultiple || this.#isAdding;
    const choose = async () => {
      /** @type {Map<string, string>} labels of the options, by requested value */
      const chosen = new Map();
      for (const wanted of values) chosen.set(wanted, await this.#chooseOne(wanted, isOneOfSeveral, isList));
      return chosen;
    };
    if (!values.length && state.isEditable && text !== "") await this.#clear();
    let labels = await choose();
    // Leaving the field could close the list, and the Enter key may be next.
    if (this.#isSearch) return values;
    if (values.length > 1 && isJoinOf(await this.#list(""), [...labels.values()])) return this.#kept(labels);
    // A text that was in it may not have been one of its values.
    if (values.length > 1 && !(await this.#showsAll(labels))) labels = await choose();
    const meant = [...labels].flat();
    if (this.#isEntered) return this.#kept(labels);
    // The others go last: nothing is lost if the field does not accept the new ones.
    if (await this.#showsAll(labels)) {
      await this.#removeChips(meant);
      if (await this.#deleteOthers(meant)) labels = await choose();
    }
    await this.#deselectOthers(labels);
    return this.#kept(labels);
  }

  /** @param {Map<string, string>} labels */
  async #showsAll(labels) {
    const state = await this.#list("");
    return [...labels].every((pair) => pair[0] === "" || holdsOption(state, pair));
  }

  /**
   * Removes other values by their own buttons.
   *
   * @param {string[]} values
   */
  async #removeChips(values) {
    for (let count = 0; count < MAX_CHIPS; count += 1) {
      const other = await this.ask("remover", { values });
      if (!other) return;
      await this.click(other.selector);
      const { chips } = await this.#until("", (now) => !now.chips.includes(other.text), OPEN_MS);
      if (chips.includes(other.text)) return;
    }
  }

  /**
   * Empties the field by its own button for that: some fields keep their choice when only its text is deleted.
   *
   * @param {ListState} state
   */
  async #pressClearer(state) {
    const clearer = await this.ask("clearer");
    if (!clearer) return state;
    await this.click(clearer.selector);
    return this.#until("", ({ shown }) => shown.length === 0, QUIET_MS);
  }

  /**
   * Deselects other options of a list by another click on each.
   *
   * @param {Map<string, string>} labels of the chosen options, by requested value
   */
  async #deselectOthers(labels) {
    const values = [...labels].flat();
    const isOther = (/** @type {string} */ label) => !values.some((value) => isAlike(label, value));
    let state = await this.#list("");
    const mayHaveOthers = state.shown.some(isOther) && (labels.size > 1 || state.isMultiple);
    if (!state.isOpen && (mayHaveOthers || !labels.size)) state = await this.#opened(state, "");
    if (!state.isMultiple) return;
    // A list that puts its selected options first moves the others with each click, so the next one may miss.
    for (let count = 0, before = ""; count < MAX_DESELECTED; count += 1) {
      const others = othersIn(await this.ask("list", { values }), values);
      const [other = ""] = others;
      state = await this.#list(other);
      // Some lists close with each choice.
      if (other && !state.isOpen) state = await this.#opened(state, other);
      const { option } = state;
      if (!option?.isSelected || others.join("\n") === before) return;
      before = others.join("\n");
      await this.click(option.selector);
      await this.#until(option.label, (now) => !now.option?.isSelected, QUIET_MS);
    }
  }

  /**
   * Deletes previous choices with Backspace in a field that shows them before its text.
   *
   * @param {string[]} values
   * @returns {Promise<boolean>} whether it did: the requested ones, which came last, are deleted first
   */
  async #deleteOthers(values) {
    let state = await this.#list("");
    const isOther = (/** @type {string} */ shown) => !values.some((value) => isAlike(shown, value));
    if (!state.isEditable || state.typed !== "" || !state.shown.some(isOther)) return false;
    await this.ask("focus");
    // Some fields only mark a chip with the first key, and remove it with the second.
    for (let chips = 0, idle = 0; chips < MAX_CHIPS && idle < 2 && state.shown.some(isOther); chips += 1) {
      const before = state;
      await this.press("Backspace");
      state = await this.#until("", (now) => now.shown.join("\n") !== before.shown.join("\n"), QUIET_MS);
      idle = state.shown.join("\n") === before.shown.join("\n") ? idle + 1 : 0;
    }
    return true;
  }

  /**
   * @param {string} wanted
   * @param {boolean} isOneOfSeveral
   * @param {boolean} isList whether the values were given as a list
   * @param {number} [tries] a list may be redrawn at any time
   * @returns {Promise<string>} the label of the option, or the typed text if no option matches
   */
  async #chooseOne(wanted, isOneOfSeveral, isList, tries = 1) {
    let state = await this.#list(wanted);
    if (wanted === "" && state.isEditable) return this.#clear();
    if (wanted === "" && !state.shown.length) return "";
    const isShown = state.shown.some((shown) => isAlike(shown, wanted));
    const isHeld = isOneOfSeveral ? isShown : isShown && state.shown.length === 1;
    if (isHeld && !state.isAlwaysOpen) return wanted;
    state = await this.#opened(state, wanted);
    if (state.isForDates) throw this.failed("opens a calendar. Use fill with the date.");
    const path = state.option ? [] : wanted.split(SEPARATOR);
    if (path.length > 1 && (await this.#followed(path))) return path.at(-1) ?? "";
    if (!state.option && !state.isEditable) state = await this.#searching(wanted, state);
    // It may show its first options only once a text is typed.
    const takesText = state.isEditable || state.isSearched || (state.isExpanded && !state.isOpen);
    if (!state.option && takesText) state = await this.#filtered(wanted);
    if (!state.option && (state.total > 1 || !state.isEditable)) state = await this.#scrolledTo(wanted, state);
    if (!state.option) state = await this.#branchedTo(wanted, state);
    // There may be a row that says that nothing was found.
    if (!state.option && state.total <= 1) state = await this.#unfiltered(wanted, state);
    if (!state.option) return this.#withoutOption(wanted, state, isOneOfSeveral || isList || this.#isEntered);
    state = await this.#inView(wanted, state);
    const { selector, label, isDisabled, isSelected } = /** @type {NonNullable<ListState["option"]>} */ (state.option);
    if (isDisabled) throw this.failed(`has an option ${quote(label)}, but it is disabled. Choose another one.`);
    // Another click would deselect it. An offer to add the text may be marked, too, because Enter would choose it.
    const isSure = state.isMultiple || state.isAlwaysOpen || (isOneOfSeveral && isAlike(label, wanted));
    if (isSelected && isSure) return label;
    /** @type {boolean} */
    let isWhole;
    this.#pressed = label;
    try {
      isWhole = await this.click(selector);
    } catch (error) {
      const isGone = error instanceof CommandError && error.code === "ELEMENT_NOT_FOUND";
      if (!isGone || tries === MAX_TRIES) throw error;
      return this.#chooseOne(wanted, isOneOfSeveral, isList, tries + 1);
    }
    await this.#until(
      wanted,
      (now) => !now.isOpen || now.isAlwaysOpen || now.shown.some((shown) => isAlike(shown, label)),
      QUIET_MS,
    );
    return isWhole || tries === MAX_TRIES ? label : this.#chooseOne(wanted, isOneOfSeveral, isList, tries + 1);
  }

  /**
   * @param {ListState} state
   * @param {string} wanted
   */
  async #opened(state, wanted) {
    const hasOpened = (/** @type {ListState} */ { isOpen, isForDates }) => isOpen || isForDates;
    if (hasOpened(state)) return this.#offer(state);
    if (state.isReachable) {
      // The selector may name a web component around the field, or its label.
      await this.click(await this.ask("selector"));
      const now = await this.#until(wanted, hasOpened, OPEN_MS);
      if (hasOpened(now)) return this.#offer(await this.#loaded(wanted, now));
    }
    await this.ask("focus");
    await this.press("ArrowDown");
    const now = await this.#until(wanted, hasOpened, QUIET_MS);
    if (hasOpened(now)) return this.#offer(now);
    // The key for that in fields where the arrow alone moves something else.
    await this.press("Alt+ArrowDown");
    return this.#offer(await this.#until(wanted, hasOpened, QUIET_MS));
  }

  /**
   * @param {string} wanted
   * @param {ListState} state of a list that has just opened
   * @returns {Promise<ListState>} once it has more than the row that says that it queries a server
   */
  async #loaded(wanted, state) {
    if (state.option || state.total > 1 || !(await this.context.session.hasBegunRequests())) return state;
    return this.#answered(wanted, (now) => now.option !== undefined || now.total > 1);
  }

  /**
   * @param {string} wanted
   * @param {(state: ListState) => boolean} isReached
   * @returns {Promise<ListState>} of a list that queries a server, which may take long
   */
  async #answered(wanted, isReached) {
    const { session } = this.context;
    const isOver = (/** @type {ListState} */ now) => isReached(now) || !session.hasRequests;
    const state = await this.#until(wanted, isReached, FILTER_MS);
    if (isOver(state)) return state;
    await this.#until(wanted, isOver, SERVER_MS);
    return this.#until(wanted, isReached, QUIET_MS);
  }

  /**
   * @param {ListState} state of an open list
   */
  #offer(state) {
    const { listed, total } = state;
    const more = total > listed.length ? ` and ${total - listed.length} more` : "";
    if (total) this.#offered = ` Its options are ${listed.map(quote).join(", ")}${more}.`;
    // A typed text may have left none of them.
    else this.#offered ||= NOTHING_SHOWN;
    return state;
  }

  /** Whether it has shown options. */
  get #hasOffered() {
    return this.#offered !== "" && this.#offered !== NOTHING_SHOWN;
  }

  /** Whether an option was pressed. */
  get hasPressed() {
    return this.#pressed !== "";
  }

  /**
   * Follows a path through menus that open one another.
   *
   * @param {string[]} path such as Europe, Italy, Rome
   * @returns {Promise<boolean>} false if it has no such beginning
   * @throws {CommandError} EXECUTION_ERROR if it does not lead on
   */
  async #followed(path) {
    for (const [index, part] of path.entries()) {
      const state = this.#offer(await this.#until(part, (now) => now.option !== undefined, OPEN_MS));
      if (!state.option || state.option.isDisabled) {
        if (index) throw this.failed(`has no option ${quote(part)} there.${this.#offered}`);
        return false;
      }
      const { option = state.option, isMultiple } = await this.#inView(part, state);
      const next = path[index + 1];
      if (next !== undefined) await this.#entered(option, next);
      // Another press would deselect it.
      else if (!option.isSelected || !(isMultiple || option.box)) await this.click(option.box || option.selector);
    }
    await this.#until("", ({ isOpen }) => !isOpen, QUIET_MS);
    return true;
  }

  /**
   * Opens a branch or a submenu: some open when the mouse comes, and close when they are pressed then.
   *
   * @param {NonNullable<ListState["option"]>} option
   * @param {string} next an option in it
   */
  async #entered({ selector, toggle, isExpanded }, next) {
    if (isExpanded) return;
    if (!toggle) await this.hover(selector);
    const { option } = toggle ? {} : await this.#until(next, (now) => now.option !== undefined, QUIET_MS);
    if (!option) await this.click(toggle || selector);
  }

  /**
   * @param {string} wanted
   * @param {ListState} state of a list that has just opened
   * @returns {Promise<ListState>} once its search field has the focus, if it has one
   */
  async #searching(wanted, state) {
    if (state.isAlwaysOpen) return state;
    return this.#until(wanted, (now) => now.option !== undefined || now.isSearched, QUIET_MS);
  }

  /** @param {string} wanted typed into the field, or into the search field of its list */
  async #filtered(wanted) {
    const { session } = this.context;
    const before = await this.#list(wanted);
    if (!before.isSearched) await this.ask("focus");
    await pressKeys(session, typed(wanted));
    session.watchRequests();
    // The list may still be unfiltered until the page has handled the text, so it gets a moment.
    const changed = await this.#until(
      wanted,
      (now) => now.option !== undefined || now.listed.join("\n") !== before.listed.join("\n"),
      OPEN_MS,
    );
    if (changed.option) return changed;
    if (session.hasRequests || !before.isEditable) {
      const late = await this.#answered(wanted, (now) => now.option !== undefined);
      if (late.option) return late;
      if (!before.isEditable && late.total) this.#offer(late);
    }
    // The page's offer to add the typed text may lag a letter behind.
    const read = async () => /** @type {ListState} */ (await this.ask("list", { wanted, isLoose: !this.#maySearch }));
    return until(read, ({ option }) => option !== undefined, QUIET_MS);
  }

  /**
   * @param {string} wanted
   * @param {ListState} state of a list that has the option
   * @returns {Promise<ListState>} once the option can be pressed
   */
  async #inView(wanted, state) {
    await until(() => this.ask("show", { wanted }), Boolean, SHOW_MS);
    const now = await this.ask("list", { wanted, isLoose: true });
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
    let found = whole.option ? whole : await this.#scrolledTo(wanted, whole);
    if (!found.option) found = await this.#branchedTo(wanted, found);
    if (found.option) return found;
    await pressKeys(this.context.session, typed(wanted));
    return this.#until(wanted, ({ typed: text }) => isAlike(text, wanted), QUIET_MS);
  }

  /**
   * Searches a list that renders only some of its options, from its beginning.
   *
   * @param {string} wanted
   * @param {ListState} state
   */
  async #scrolledTo(wanted, state) {
    if (state.isOpen && (await this.ask("rewind"))) state = await this.#list(wanted);
    if (state.option) return state;
    for (let part = 0; part < MAX_PARTS && state.isOpen; part += 1) {
      const reached = await this.ask("scroll", { wanted });
      if (reached === "back" && part === 0) await this.#hoverFirst(state);
      state = await this.#until(wanted, (now) => now.option !== undefined, 2 * POLL_MS);
      if (state.option || reached === "end") return state;
    }
    return state;
  }

  /** @param {ListState} state of an open list */
  async #hoverFirst({ listed }) {
    const { option } = await this.#list(listed[0] ?? "");
    if (option) await this.hover(option.selector);
  }

  /**
   * Opens the branches of a tree until one of them has the option.
   *
   * @param {string} wanted
   * @param {ListState} state
   */
  async #branchedTo(wanted, state) {
    for (let shut = 0; shut < MAX_SHUT && state.isOpen && !state.option;) {
      const branch = await this.ask("branch");
      if (!branch) return state;
      await this.click(branch.selector);
      const { total } = state;
      state = this.#offer(await this.#until(wanted, (now) => now.option !== undefined || now.total > total, OPEN_MS));
      if (state.total <= total) shut += 1;
    }
    return state;
  }

  /**
   * @param {string} wanted
   * @param {ListState} state
   * @param {boolean} isEntered whether the Enter key is to add the text
   * @returns {Promise<string>} the typed text, if the field may accept any
   */
  async #withoutOption(wanted, state, isEntered) {
    // Whether the field is empty is checked once it has been left.
    if (wanted === "") return "";
    const isTyped = state.isEditable && state.typed !== "";
    this.#isSearch = this.#maySearch && state.isOpen && !isEntered && isAlike(state.typed, wanted);
    if ((isTyped || state.isSearched) && isEntered && (await this.#added(wanted, isTyped))) return wanted;
    if (!state.isOpen && (await this.#walkedTo(wanted))) return wanted;
    if (isTyped && !(this.#isStrict && this.#hasOffered)) return wanted;
    throw this.failed(`has no option ${quote(wanted)}.${this.#offered}`);
  }

  /**
   * Adds a typed text to the values of the field by the Enter key, which does not submit the form.
   *
   * @param {string} wanted
   * @param {boolean} isTyped whether it was typed into the field, and not into the search of its list
   * @returns {Promise<boolean>} whether the field has taken it
   */
  async #added(wanted, isTyped) {
    const isTaken = (/** @type {ListState} */ now) =>
      isTyped ? now.typed === "" : now.shown.some((each) => isAlike(each, wanted));
    await this.ask("hold");
    // Until the page has handled the text, which some do a moment later, Enter would have no effect.
    await pause(QUIET_MS);
    await this.press("Enter");
    return isTaken(await this.#until(wanted, isTaken, QUIET_MS));
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
        await this.press("Enter");
        await this.#until(wanted, ({ shown }) => shown.some((each) => isAlike(each, wanted)), QUIET_MS);
        return true;
      }
      if (step > 1 && (!active || seen.has(active))) return false;
      seen.add(active);
      await this.press("ArrowDown");
      await this.#until(wanted, (now) => now.active !== active, QUIET_MS);
    }
    return false;
  }

  async #clear() {
    await this.ask("focus");
    await this.press("Backspace");
    return "";
  }

  /**
   * Leaves the field. A list that it declares closed may take a moment to fade, and would be reported as opened.
   *
   * @returns {Promise<{state: ListState, isLayerOpen: boolean}>} `isLayerOpen`: whether something that has opened remains
   */
  async #left() {
    const leave = async () => ({ isLayerOpen: (await this.ask("leave")) === "open", state: await this.#list("") });
    return until(leave, ({ isLayerOpen, state }) => !isLayerOpen || state.isOpen, QUIET_MS);
  }

  /**
   * Leaves the field and checks its value.
   *
   * @param {Map<string, string>} labels
   */
  async #kept(labels) {
    const values = [...labels].flat();
    const [wanted = ""] = this.#before;
    const before = /** @type {ListState} */ (await this.ask("list", { values, wanted }));
    const left = await this.#left();
    let { state } = left;
    // A list for several options stays open, and would cover the page.
    const isTyped = state.isEditable && state.typed !== "";
    const hasOpened = left.isLayerOpen || !this.#wasOpen;
    if (hasOpened && state.isOpen && !state.isAlwaysOpen && !isTyped) await this.#escape();
    // Some pages accept or drop a typed text only when the key for that leaves the field.
    if (isTyped && (state.isOpen || state.isExpanded) && !state.isAlwaysOpen) await this.#leaveBy("Tab");
    // A page may drop typed text a moment later.
    if (isTyped) await pause(QUIET_MS);
    if (!values.some(Boolean)) {
      const rest = before.isMultiple ? before.selected : [];
      state = await this.#until("", (now) => this.#isCleared(now, before), QUIET_MS);
      if (!rest.length && this.#isCleared(state, before)) return [];
      throw notKept(this, "", (rest.length ? rest : state.shown).join(", "), this.#offered);
    }
    if (!before.isMultiple && isJoinOf(state, [...labels.values()])) return [...labels.values()];
    for (const pair of labels) {
      state = await this.#until(pair[0], (now) => holdsOption(now, pair), QUIET_MS);
      if (holdsOption(state, pair) || isSelectedIn(before, state, pair[1])) continue;
      throw notKept(this, pair[0], state.shown.join(", "), this.#offered);
    }
    // Only a list for several options stays open.
    if (before.isOpen && !this.#isEntered && keepsOther(this.#before, state, values)) {
      throw notKept(this, [...labels.keys()].join(", "), state.shown.join(", "), this.#offered);
    }
    const isEvery = [...labels].every((pair) => holdsOption(state, pair));
    if (!this.#isEntered && othersIn(before, values).length && (before.isMultiple || !isEvery)) {
      const held = before.selected.length ? before.selected : state.shown;
      throw notKept(this, [...labels.keys()].join(", "), held.join(", "), this.#offered);
    }
    const isMeant = (/** @type {string} */ shown) => values.some((value) => isAlike(shown, value));
    // Otherwise a single one may be the number of them.
    if (isEvery && values.length && !this.#isEntered && !state.chips.every(isMeant)) {
      throw notKept(this, [...labels.keys()].join(", "), state.shown.join(", "), this.#offered);
    }
    return isEvery ? state.shown : before.selected;
  }

  /**
   * @param {ListState} state
   * @param {ListState} open its list, if it has opened, and the option that was shown first
   * @returns {boolean} whether it shows nothing, or only what can be a placeholder: something else than before, or what is
   *   not an option
   */
  #isCleared({ shown, chips, typed: text, isEditable }, { isMultiple, option, selected, total }) {
    if (shown.length === 0) return true;
    // What can be removed is a value.
    if (chips.length > 0) return false;
    // The option that the keys have come to may be marked as selected.
    const isIn = (/** @type {string} */ label) => isMultiple || plain(shown.join()).includes(plain(label));
    const isPrompt = total > 0 && !option && !selected.some(isIn);
    return !(isEditable && text !== "") && (isPrompt || !shown.some((each) => this.#before.includes(each)));
  }

  /** @param {string} wanted */
  async #list(wanted) {
    const state = /** @type {ListState} */ (await this.ask("list", { wanted }));
    // What is typed next to values is not one of them yet.
    const isTyped = this.#isAdding && state.typed !== "" && !state.chips.length;
    return isTyped ? { ...state, shown: [] } : state;
  }

  /**
   * @param {string} wanted
   * @param {(state: ListState) => boolean} isReached
   * @param {number} milliseconds
   * @returns {Promise<ListState>} the state that satisfies the condition, or the last one
   */
  async #until(wanted, isReached, milliseconds) {
    return until(() => this.#list(wanted), isReached, milliseconds);
  }
}
