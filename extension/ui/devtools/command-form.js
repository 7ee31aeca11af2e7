/**
 * The form of the chosen command, generated from the table, and the commands that were saved from it.
 *
 * @import {SavedCommand, ViewedTab} from "../../shared/types.d.ts"
 * @import {Field} from "./command-table.js"
 * @import {Wish} from "./runs-view.js"
 */

import { phrase } from "../../shared/messages.js";
import { COMMANDS } from "./command-table.js";
import { byId, grouped, make, makeButton, refill, setText } from "../dom.js";
import { deleteSaved, saveCommand } from "./history.js";

const page = {
  form: byId("command-form", HTMLFormElement),
  command: byId("command", HTMLSelectElement),
  about: byId("command-about", HTMLElement),
  fields: byId("fields", HTMLElement),
  saveForm: byId("save-form", HTMLFormElement),
  saveHint: byId("save-hint", HTMLElement),
  save: byId("save", HTMLButtonElement),
  saveName: byId("save-name", HTMLInputElement),
  saved: byId("saved", HTMLElement),
  savedState: byId("saved-state", HTMLElement),
};

/** Together they stay far below the 10 MB that the browser stores for an extension. */
const MOST_SAVED = 50;
const MOST_LENGTH = 50_000;

export class CommandForm {
  /**
   * @type {Map<string, Record<string, unknown>>} what was typed, by command, to restore it when the user returns to one
   */
  #typed = new Map();
  #shown = "";
  /** @readonly */
  #onRun;

  /** @param {(wish: Wish) => void} onRun */
  constructor(onRun) {
    this.#onRun = onRun;
    page.command.append(...commandOptions());
    page.command.addEventListener("input", () => this.#show(page.command.value));
    page.form.addEventListener("submit", (event) => {
      event.preventDefault();
      onRun(this.#wish());
    });
    page.form.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) page.form.requestSubmit();
    });
    page.saveForm.addEventListener("submit", (event) => {
      event.preventDefault();
      if (page.form.reportValidity()) void this.#save();
    });
    this.#show(page.command.value);
  }

  /**
   * Fills the form with the command, for the user to edit and run.
   *
   * @param {Wish} wish
   */
  edit({ command, params }) {
    if (!Object.hasOwn(COMMANDS, command)) return;
    this.#keepTyped();
    this.#typed.set(command, params);
    this.#shown = "";
    this.#show(command);
    const inputs = controls();
    (inputs.find((input) => !input.value) ?? inputs[0] ?? page.command).focus();
  }

  /** @param {ViewedTab | null} tab */
  setTab(tab) {
    // Nothing from incognito tabs is stored.
    page.saveForm.hidden = tab?.incognito ?? page.saveForm.hidden;
  }

  /** @param {SavedCommand[]} saved */
  showSaved(saved) {
    const isFull = saved.length >= MOST_SAVED;
    page.save.disabled = isFull;
    const advice = isFull ? phrase("savedFull", MOST_SAVED) : "";
    setText(page.savedState, saved.length ? advice : phrase("savedNone"));
    const items = saved.map((command) => ({ key: command.name, element: this.#savedItem(command) }));
    refill(page.saved, items, page.saveName);
  }

  /** @param {string} command */
  #show(command) {
    this.#keepTyped();
    this.#shown = command;
    page.command.value = command;
    const { about, fields } = formOf(command);
    setText(page.about, phrase(about));
    page.saveHint.hidden = !fields.some(({ isSecret }) => isSecret);
    const values = this.#typed.get(command) ?? {};
    page.fields.replaceChildren(...fields.flatMap((field) => fieldElements(field, values[field.name])));
  }

  #keepTyped() {
    if (this.#shown) this.#typed.set(this.#shown, this.#wish().params);
  }

  /** @returns {Wish} */
  #wish() {
    const { fields } = formOf(this.#shown);
    const inputs = controls();
    const values = fields.map((field, index) => [field.name, valueOf(field, inputs[index]?.value ?? "")]);
    return { command: this.#shown, params: Object.fromEntries(values.filter(([, value]) => value !== undefined)) };
  }

  async #save() {
    const name = page.saveName.value.trim();
    await saveCommand({ name, ...this.#wish() });
    page.saveName.value = "";
  }

  /** @param {SavedCommand} command */
  #savedItem(command) {
    const { name } = command;
    return make(
      "li",
      {},
      make("span", { className: "name" }, name),
      make(
        "span",
        { className: "params", title: JSON.stringify(command.params) },
        command.command,
        " ",
        JSON.stringify(command.params),
      ),
      make(
        "div",
        { className: "buttons" },
        makeButton(phrase("run"), () => this.#onRun(command), phrase("runWhat", name)),
        makeButton(phrase("edit"), () => this.edit(command), phrase("editWhat", name)),
        makeButton(phrase("delete"), () => void deleteSaved(name), phrase("deleteWhat", name)),
      ),
    );
  }
}

function commandOptions() {
  const groups = Map.groupBy(Object.entries(COMMANDS), ([, { group }]) => group);
  return [...groups].map(([label, rows]) => {
    const options = rows.map(([name]) => make("option", { value: name }, name));
    return make("optgroup", { label: phrase(label) }, ...options);
  });
}

/** @param {string} command */
function formOf(command) {
  const form = COMMANDS[command];
  if (!form) throw new TypeError(`No form for ${command}.`);
  return form;
}

/** @typedef {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Control */

/** @returns {Control[]} in the order of the command's fields */
function controls() {
  return /** @type {Control[]} */ ([...page.fields.querySelectorAll(":is(input, textarea, select)")]);
}

/**
 * @param {Field} field
 * @param {unknown} value
 */
function fieldElements(field, value) {
  const { name, hint, usual = 0 } = field;
  const id = `field-${name}`;
  const control = controlOf(field, id, value);
  const about = make("span", { className: "hint", id: `${id}-hint` }, phrase(hint, grouped(usual)));
  control.setAttribute("aria-describedby", about.id);
  const label = make("label", { htmlFor: id }, name);
  return [make("div", { className: "field" }, label, make("div", { className: "control" }, control, about))];
}

/**
 * @param {Field} field
 * @param {string} id
 * @param {unknown} value
 * @returns {Control}
 */
function controlOf({ name, kind, choices, required, min, max }, id, value) {
  const text = textOf(kind, value);
  if (kind === "choice") {
    const options = ["", ...choices].map((choice) =>
      make("option", { value: choice, selected: choice === text }, choice),
    );
    return make("select", { id, name, required }, ...options);
  }
  const common = {
    id,
    name,
    value: text,
    required,
    maxLength: MOST_LENGTH,
    spellcheck: false,
    autocomplete: /** @type {const} */ ("off"),
  };
  const control =
    kind === "text" || kind === "number"
      ? make("input", { ...common, type: kind })
      : make("textarea", { ...common, rows: kind === "code" ? 4 : 2 });
  if (control instanceof HTMLInputElement && kind === "number") {
    Object.assign(control, { min: String(min ?? ""), max: String(max ?? ""), step: "1" });
  }
  return control;
}

/**
 * @param {Field["kind"]} kind
 * @param {unknown} value
 */
function textOf(kind, value) {
  if (kind === "json" && typeof value === "object" && value) return JSON.stringify(value);
  return Array.isArray(value) ? value.join("\n") : String(value ?? "");
}

/**
 * @param {Field} field
 * @param {string} text
 * @returns {unknown} undefined for a field that was left empty
 */
function valueOf({ kind, mayBeEmpty }, text) {
  if (!text && !mayBeEmpty) return undefined;
  if (kind === "number") return Number(text);
  if (kind === "json" || kind === "choice") return parsed(text);
  if (kind !== "lines") return text;
  const lines = text.split("\n").filter((line) => line.trim());
  return lines.length === 1 ? lines[0] : lines;
}

/**
 * @param {string} text
 * @returns {unknown} the text itself if it is not JSON: the command reports what it accepts
 */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
