/**
 * The table of commands, from `commands.json`: each command's parameters, limits, consent, use of the debugger and
 * form.
 *
 * It is fetched, because Chromium does not find an imported JSON module when it restarts the worker.
 *
 * @import {CommandDescription} from "./types.d.ts"
 */

/** @type {Promise<Record<string, CommandDescription>> | undefined} */
let table;

/** @returns {Promise<Record<string, CommandDescription>>} by command, with all references to shared schemas resolved */
export function commandTable() {
  return (table ??= load());
}

async function load() {
  const response = await fetch(new URL("commands.json", import.meta.url));
  const { shared, commands } = await response.json();

  /**
   * @param {unknown} value
   * @returns {unknown}
   */
  function resolved(value) {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map(resolved);
    const { $ref, ...own } = /** @type {Record<string, unknown>} */ (value);
    const entries = Object.entries(own).map(([key, item]) => [key, resolved(item)]);
    const base = typeof $ref === "string" ? resolved(shared[$ref]) : {};
    return { .../** @type {object} */ (base), ...Object.fromEntries(entries) };
  }

  return /** @type {Record<string, CommandDescription>} */ (resolved(commands));
}
