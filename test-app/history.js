/** The calls that were made, stored in this browser: newest first, without what was typed into fields of pages. */

import { isReplyKept, secretsIn, without } from "../extension/ui/devtools/command-table.js";
import { duration, make, makeButton } from "../extension/ui/dom.js";

const KEY = "chrome-tab-reader.history";
const MOST = 100;
const REPLY_LENGTH = 2_000;
/** Tool names with `--tool-names kapture`. */
const KAPTURE = { prefix: "kapturemcp_", others: new Map([["keypress", "press"]]) };

/**
 * @typedef {object} Run
 * @property {string} time ISO 8601
 * @property {string} tool
 * @property {Record<string, unknown>} arguments
 * @property {string} code of the error; empty on success
 * @property {number} milliseconds
 * @property {string} reply its beginning; empty if it may repeat what was typed
 */

/** @returns {Run[]} newest first */
export function loadHistory() {
  try {
    const runs = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(runs) ? runs : [];
  } catch {
    return [];
  }
}

/**
 * @param {string} tool
 * @returns {string} the extension's command behind it, if any
 */
export function commandOf(tool) {
  const name = tool.startsWith(KAPTURE.prefix) ? tool.slice(KAPTURE.prefix.length) : tool;
  return KAPTURE.others.get(name) ?? name;
}

/** @param {Run} run */
export function remember(run) {
  const command = commandOf(run.tool);
  const args = without(run.arguments, secretsIn(command, run.arguments));
  const reply = isReplyKept(command, run.arguments) ? run.reply.slice(0, REPLY_LENGTH) : "";
  const runs = [{ ...run, arguments: args, reply }, ...loadHistory()];
  localStorage.setItem(KEY, JSON.stringify(runs.slice(0, MOST)));
}

export function forgetHistory() {
  localStorage.removeItem(KEY);
}

/** Downloads the history as a file. */
export function exportHistory() {
  const file = new Blob([JSON.stringify(loadHistory(), null, 2)], { type: "application/json" });
  const link = make("a", { href: URL.createObjectURL(file), download: "chrome-tab-reader-history.json" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/**
 * @param {Run} run
 * @param {(run: Run) => void} onEdit
 * @param {(run: Run) => void} onRun
 */
export function historyItem(run, onEdit, onRun) {
  const time = new Date(run.time).toLocaleTimeString();
  const outcome = make("span", { className: run.code ? "failed" : "succeeded" }, run.code || "ok");
  const args = Object.keys(run.arguments).length ? JSON.stringify(run.arguments) : "";
  return make(
    "li",
    {},
    make("button", { type: "button", className: "item", onclick: () => onEdit(run) }, run.tool),
    ...(args ? [make("code", { className: "arguments", title: args }, args)] : []),
    make("span", { className: "count" }, `${time}, ${duration(run.milliseconds)}, `, outcome),
    makeButton("Run again", () => onRun(run), `Run ${run.tool} from ${time} again`),
  );
}
