/** A form generated from a tool's input schema, and the arguments in it. */

import { make } from "../extension/ui/dom.js";

/**
 * @typedef {object} Schema the part of JSON Schema that our tools use
 * @property {string | string[]} [type]
 * @property {string} [description]
 * @property {string[]} [enum]
 * @property {unknown} [default]
 * @property {number} [minimum]
 * @property {number} [maximum]
 * @property {number} [maxLength]
 * @property {Schema[]} [anyOf]
 */

/** From this length on, a text probably needs several lines. */
const LONG_TEXT = 5_000;
const SEVERAL_LINES = new Set(["system_prompt", "question", "reason"]);

/**
 * @param {Record<string, Schema>} properties
 * @param {string[]} required
 * @returns {HTMLElement[]}
 */
export function fieldsOf(properties, required) {
  return Object.entries(properties).map(([name, schema]) => fieldOf(name, schema, required.includes(name)));
}

/**
 * @param {string} name
 * @param {Schema} schema
 * @param {boolean} isRequired
 */
function fieldOf(name, schema, isRequired) {
  const id = `argument-${name}`;
  const control = controlOf(name, schema);
  control.id = id;
  control.dataset.name = name;
  control.dataset.kind = kindOf(schema);
  control.ariaRequired = String(isRequired);
  const note = [
    schema.description,
    schema.default === undefined || schema.default === null ? "" : `default ${JSON.stringify(schema.default)}`,
  ];
  const about = make("small", { id: `${id}-about` }, note.filter(Boolean).join("; "));
  control.setAttribute("aria-describedby", about.id);
  const label = make(
    "label",
    { htmlFor: id },
    name,
    ...(isRequired ? [make("span", { className: "required" }, " required")] : []),
  );
  return make("div", { className: "field" }, label, control, about);
}

/**
 * @param {string} name
 * @param {Schema} schema
 */
function controlOf(name, schema) {
  switch (kindOf(schema)) {
    case "choice":
      return make(
        "select",
        {},
        make("option", { value: "" }, ""),
        ...choicesOf(schema).map((each) => make("option", {}, each)),
      );
    case "boolean":
      return make("select", {}, ...["", "true", "false"].map((value) => make("option", { value }, value)));
    case "number":
      return make("input", { type: "number", step: "any", ...boundsOf(schema) });
    case "json":
      return make("textarea", { rows: 3, spellcheck: false, placeholder: "JSON" });
    default: {
      const isLong = SEVERAL_LINES.has(name) || (schema.maxLength ?? 0) > LONG_TEXT;
      return isLong ? make("textarea", { rows: 3 }) : make("input", { type: "text", autocomplete: "off" });
    }
  }
}

/** @param {Schema} schema */
function boundsOf(schema) {
  const { minimum, maximum } = variantsOf(schema).find((each) => each.minimum !== undefined) ?? {};
  return { min: String(minimum ?? ""), max: String(maximum ?? "") };
}

/**
 * @param {Schema} schema
 * @returns {Schema[]} the schema itself, or its alternatives to null
 */
function variantsOf(schema) {
  return (schema.anyOf ?? [schema]).filter(({ type }) => type !== "null");
}

/** @param {Schema} schema */
function choicesOf(schema) {
  return variantsOf(schema).flatMap((each) => each.enum ?? []);
}

/**
 * @param {Schema} schema
 * @returns {"choice" | "boolean" | "number" | "text" | "json" | "text or json"}
 */
function kindOf(schema) {
  if (choicesOf(schema).length) return "choice";
  const types = new Set(variantsOf(schema).flatMap(({ type }) => type ?? "object"));
  if (types.has("string")) return types.size > 1 ? "text or json" : "text";
  if (types.has("integer") || types.has("number")) return "number";
  return types.has("boolean") ? "boolean" : "json";
}

/**
 * @param {HTMLElement} fields
 * @returns {Record<string, unknown>} the filled fields; empty ones are left out
 * @throws {SyntaxError} if a JSON field does not contain JSON
 */
export function argumentsOf(fields) {
  /** @type {Record<string, unknown>} */
  const found = {};
  for (const control of controlsIn(fields)) {
    const { name = "", kind } = control.dataset;
    if (control.value !== "") found[name] = valueOf(name, kind ?? "text", control.value);
  }
  return found;
}

/**
 * @param {string} name
 * @param {string} kind
 * @param {string} value
 */
function valueOf(name, kind, value) {
  if (kind === "number") return Number(value);
  if (kind === "boolean") return value === "true";
  if (kind === "text or json") return /^\s*\[/.test(value) ? parsed(name, value) : value;
  return kind === "json" ? parsed(name, value) : value;
}

/**
 * @param {string} name
 * @param {string} value
 */
function parsed(name, value) {
  try {
    return JSON.parse(value);
  } catch {
    throw new SyntaxError(`${name} takes JSON, and this is not valid JSON. Correct it, or leave it empty.`);
  }
}

/**
 * @param {HTMLElement} fields
 * @param {Record<string, unknown>} values
 * @returns {string[]} names that the form has no field for
 */
export function fillFields(fields, values) {
  const rest = new Map(Object.entries(values));
  for (const control of controlsIn(fields)) {
    const { name = "" } = control.dataset;
    const value = rest.get(name);
    rest.delete(name);
    control.value =
      value === undefined || value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
  }
  return [...rest.keys()];
}

/**
 * @param {HTMLElement} fields
 * @returns {(HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement)[]}
 */
export function controlsIn(fields) {
  return [...fields.querySelectorAll("input, select, textarea")].filter(
    (each) =>
      each instanceof HTMLInputElement || each instanceof HTMLSelectElement || each instanceof HTMLTextAreaElement,
  );
}
