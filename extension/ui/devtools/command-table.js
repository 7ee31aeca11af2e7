/**
 * The forms of the commands in the panel, generated from the table of commands. Names of commands and fields are the
 * protocol's; texts are looked up where they are displayed, because the test app uses this module without them.
 *
 * @import {MessageKey} from "../../shared/messages.js"
 * @import {CommandDescription, ParameterDescription} from "../../shared/types.d.ts"
 *
 * @typedef {object} Field
 * @property {string} name
 * @property {"text" | "code" | "number" | "lines" | "json" | "choice"} kind lines: one text, or a list with one text
 *   per line
 * @property {string[]} choices of a "choice"
 * @property {MessageKey} hint
 * @property {number | undefined} usual default for an empty field
 * @property {boolean} required
 * @property {boolean} mayBeEmpty whether an empty text is a valid value
 * @property {boolean} isSecret whether the value may be a password: it is not stored in any history
 * @property {boolean} isTab whether it names the tab that the command is about
 * @property {number | undefined} min
 * @property {number | undefined} max
 *
 * @typedef {object} CommandForm
 * @property {MessageKey} group
 * @property {MessageKey} about one sentence
 * @property {Field[]} fields
 * @property {boolean} isPrivate whether the reply contains data of the page or of other tabs: it is not stored in any
 *   history
 */

import { commandTable } from "../../shared/command-table.js";

/** @type {readonly MessageKey[]} in display order */
const GROUPS = ["groupGo", "groupLook", "groupAct", "groupTabs"];

/** @type {Record<string, CommandForm>} */
export const COMMANDS = Object.fromEntries(
  Object.entries(await commandTable())
    .map(([name, description]) => /** @type {const} */ ([name, formOf(description)]))
    .sort(([, one], [, other]) => GROUPS.indexOf(one.group) - GROUPS.indexOf(other.group)),
);

/**
 * @param {CommandDescription} description
 * @returns {CommandForm}
 */
function formOf({ form, parameters, required = [] }) {
  const fields = Object.entries(parameters).flatMap(([name, schema]) => fieldOf(name, schema, required.includes(name)));
  return { group: form.group, about: form.about, isPrivate: form.private ?? false, fields };
}

/**
 * @param {string} name
 * @param {ParameterDescription} schema
 * @param {boolean} isRequired
 * @returns {Field[]} empty for parameters that forms do not show
 */
function fieldOf(name, schema, isRequired) {
  const { form } = schema;
  if (!form) return [];
  const isNumber = schema.type === "integer" || schema.type === "number";
  const choices = schema.type === "boolean" ? ["true", "false"] : (schema.enum ?? []);
  const ofType = choices.length ? "choice" : isNumber ? "number" : schema.type === "string" ? "text" : "json";
  const kind = form.kind ?? ofType;
  return [
    {
      name,
      kind,
      choices,
      hint: form.hint,
      usual: typeof schema.default === "number" ? schema.default : undefined,
      required: isRequired && !form.empty,
      mayBeEmpty: form.empty ?? false,
      isSecret: form.secret ?? false,
      isTab: form.tab ?? false,
      min: schema.minimum ?? (form.tab ? 0 : undefined),
      max: schema.maximum,
    },
  ];
}

/**
 * @param {string} command
 * @param {Record<string, unknown>} params
 * @returns {string[]} names of the parameters that are not stored in any history
 */
export function secretsIn(command, params) {
  const secret = (COMMANDS[command]?.fields ?? []).filter(({ isSecret }) => isSecret);
  return secret.map(({ name }) => name).filter((name) => Object.hasOwn(params, name));
}

/**
 * @param {string} command
 * @param {Record<string, unknown>} params
 * @returns {boolean} false for a reply that repeats what was typed, or contains private data
 */
export function isReplyKept(command, params) {
  return !secretsIn(command, params).length && !COMMANDS[command]?.isPrivate;
}

/**
 * @param {Record<string, unknown>} params
 * @param {string[]} names of parameters
 */
export function without(params, names) {
  return Object.fromEntries(Object.entries(params).filter(([name]) => !names.includes(name)));
}
