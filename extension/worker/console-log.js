/**
 * What a tab's pages wrote to their console, as the browser's debugger tells it.
 *
 * @import {ConsoleEntry} from "../shared/types.d.ts"
 * @import {ConsoleCall, ExceptionDetails, LogEntry, ObjectPreview, RemoteObject} from "./cdp.d.ts"
 */

const MAX_ENTRIES = 10_000;
const MAX_MESSAGE_LENGTH = 2_000;
/** Only what was there before the debugger came arrives without a preview; each costs a question to the page. */
const MAX_LOOKED_INTO = 200;

/** @type {Record<string, ConsoleEntry["level"]>} */
const CALL_LEVELS = { debug: "debug", info: "info", warning: "warn", error: "error", assert: "error" };
/** @type {Record<string, ConsoleEntry["level"]>} */
const ENTRY_LEVELS = { verbose: "debug", info: "info", warning: "warn", error: "error" };
const SILENT_CALLS = new Set(["endGroup", "clear", "profile", "profileEnd"]);

export class ConsoleLog {
  /** The address of the page that is in the tab now. */
  pageUrl = "";
  /** @type {ConsoleEntry[]} oldest first */
  #entries = [];
  #total = 0;
  #lookedInto = 0;
  /** @type {Set<Promise<void>>} */
  #looking = new Set();
  /** While the browser repeats what it has kept: up to this moment everything is here. Milliseconds since 1970. */
  #knownUntil = -Infinity;
  /** @readonly */
  #onEntry;

  /** @param {(entry: ConsoleEntry) => void} onEntry */
  constructor(onEntry) {
    this.#onEntry = onEntry;
  }

  /** How many entries there were since the tab was attached; the newest 10,000 are kept. */
  get total() {
    return this.#total;
  }

  /** @returns {ConsoleEntry[]} oldest first */
  entries() {
    return this.#entries.slice();
  }

  /**
   * @param {number} max
   * @returns {Promise<ConsoleEntry[]>} newest first
   */
  async newest(max) {
    await Promise.all(this.#looking);
    return this.#entries.slice(-max).reverse();
  }

  /** A new session of the debugger begins with the messages of the page; some are known from the session before. */
  beginReplay() {
    const last = this.#entries.at(-1);
    if (last) this.#knownUntil = Date.parse(last.timestamp);
  }

  endReplay() {
    this.#knownUntil = -Infinity;
  }

  /**
   * @param {ConsoleCall} call
   * @param {(objectId: string) => Promise<RemoteObject>} look asks the page for the preview of an object
   */
  addCall({ type, args, timestamp }, look) {
    if (SILENT_CALLS.has(type)) return;
    const prefix = type === "assert" ? "Assertion failed: " : "";
    const level = CALL_LEVELS[type] ?? "log";
    const entry = this.#add(timestamp, level, prefix + messageOf(args));
    if (!entry || !args.some(isBare) || this.#lookedInto >= MAX_LOOKED_INTO) return;
    this.#lookedInto += 1;
    const looking = this.#lookInto(entry, args, prefix, look);
    this.#looking.add(looking);
    void looking.finally(() => this.#looking.delete(looking));
  }

  /** @param {{timestamp: number, exceptionDetails: ExceptionDetails}} event */
  addException({ timestamp, exceptionDetails }) {
    const { text, exception, url, lineNumber, columnNumber } = exceptionDetails;
    const what = exception ? `${text} ${textOf(exception)}` : text;
    this.#add(timestamp, "error", url ? `${what} (${url}:${lineNumber + 1}:${columnNumber + 1})` : what);
  }

  /** @param {LogEntry} entry what the browser itself says: a file that was not found, a policy that was broken */
  addBrowserEntry({ timestamp, level, text, url }) {
    this.#add(timestamp, ENTRY_LEVELS[level] ?? "log", url ? `${text} (${url})` : text);
  }

  /**
   * @param {number} timestamp milliseconds since 1970
   * @param {ConsoleEntry["level"]} level
   * @param {string} message
   */
  #add(timestamp, level, message) {
    if (Math.floor(timestamp) <= this.#knownUntil) return null;
    const time = new Date(timestamp).toISOString();
    const entry = { timestamp: time, level, message: cut(message), url: this.pageUrl };
    this.#entries.push(entry);
    this.#total += 1;
    dropOldest(this.#entries);
    this.#onEntry(entry);
    return entry;
  }

  /**
   * @param {ConsoleEntry} entry
   * @param {RemoteObject[]} args
   * @param {string} prefix
   * @param {(objectId: string) => Promise<RemoteObject>} look
   */
  async #lookInto(entry, args, prefix, look) {
    // An object that has gone with its page keeps its short description.
    const seen = args.map((arg) => (isBare(arg) ? look(String(arg.objectId)).catch(() => arg) : arg));
    entry.message = cut(prefix + messageOf(await Promise.all(seen)));
  }
}

/**
 * Keeps about the newest 10,000. Not at every entry: taking away the first one moves all others.
 *
 * @param {ConsoleEntry[]} entries oldest first
 */
export function dropOldest(entries) {
  if (entries.length > MAX_ENTRIES * 1.1) entries.splice(0, entries.length - MAX_ENTRIES);
}

/** @param {RemoteObject} arg */
function isBare({ type, objectId, preview }) {
  return type === "object" && objectId !== undefined && !preview;
}

/** @param {string} message */
function cut(message) {
  const text = message.toWellFormed();
  return text.length > MAX_MESSAGE_LENGTH ? `${text.slice(0, MAX_MESSAGE_LENGTH)}...` : text;
}

/**
 * @param {RemoteObject[]} args
 * @returns {string} as a console shows them
 */
function messageOf([first, ...others]) {
  if (!first) return "";
  if (typeof first.value !== "string") return [first, ...others].map(textOf).join(" ");
  const rest = others.slice();
  const text = first.value.replace(/%([%sdifoOc])/g, (directive, kind) => {
    if (kind === "%") return "%";
    const arg = rest.shift();
    if (!arg) return directive;
    return kind === "c" ? "" : textOf(arg);
  });
  return [text, ...rest.map(textOf)].join(" ");
}

/** @param {RemoteObject} object */
function textOf({ type, subtype, value, unserializableValue, description, preview }) {
  if (preview && subtype !== "error") return previewText(preview);
  if (type === "string") return String(value);
  return unserializableValue ?? description ?? String(value ?? (subtype === "null" ? null : undefined));
}

/**
 * @param {ObjectPreview} preview
 * @returns {string}
 */
function previewText({ type, subtype, description = "", overflow, properties, entries }) {
  if (type === "string") return JSON.stringify(description);
  const isList = subtype === "array" || subtype === "typedarray";
  const members = entries
    ? entries.map(({ key, value }) => (key ? `${previewText(key)} => ${previewText(value)}` : previewText(value)))
    : properties.map(({ name, type: kind, value = "", valuePreview }) => {
        const text = valuePreview ? previewText(valuePreview) : kind === "string" ? JSON.stringify(value) : value;
        return isList ? text : `${name}: ${text}`;
      });
  if (!members.length && description !== "Object" && !isList) return description;
  const inner = [...members, ...(overflow ? ["..."] : [])].join(", ");
  if (isList) return `[${inner}]`;
  return description === "Object" ? `{${inner}}` : `${description} {${inner}}`;
}
