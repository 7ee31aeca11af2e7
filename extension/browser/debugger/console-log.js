/**
 * What a tab's pages wrote to their console, as the browser's debugger reports it.
 *
 * @import {ConsoleEntry} from "../../shared/types.d.ts"
 * @import {ConsoleCall, ExceptionDetails, LogEntry, ObjectPreview, RemoteObject} from "./cdp.d.ts"
 */

import { TokenBucket } from "../../shared/token-bucket.js";

const MAX_ENTRIES = 10_000;
const MAX_MESSAGE_LENGTH = 2_000;
/** The browser keeps the newest messages of a page for later clients. */
const MAX_REPLAYED = 1_000;
/** Only messages from before the debugger attached arrive without a preview; each costs a request to the page. */
const MAX_PREVIEWED = 1_000;
/** More than this at once, or per second over a longer time, is a flood. */
const MAX_AT_ONCE = 5_000;
const MAX_PER_SECOND = 1_000;

/** @type {Record<string, ConsoleEntry["level"]>} */
const CALL_LEVELS = { debug: "debug", info: "info", warning: "warn", error: "error", assert: "error" };
/** @type {Record<string, ConsoleEntry["level"]>} */
const ENTRY_LEVELS = { verbose: "debug", info: "info", warning: "warn", error: "error" };
const SILENT_CALLS = new Set(["endGroup", "clear", "profile", "profileEnd"]);

/**
 * @typedef {object} Message
 * @property {number} timestamp milliseconds since 1970
 * @property {ConsoleEntry["level"]} level
 * @property {string} text
 * @property {string[]} pages URLs of pages that it comes from, or may come from, the likeliest first; empty for an
 *   unknown one; no entries for a message of ours
 * @property {string} [prefix]
 * @property {RemoteObject[]} [args] the values that the text consists of
 * @property {(objectId: string) => Promise<RemoteObject>} [look]
 * @property {boolean} [isOfBrowser] whether the browser wrote it, not the page
 */

export class ConsoleLog {
  /** @type {ConsoleEntry[]} oldest first */
  #entries = [];
  /** @readonly @type {WeakMap<ConsoleEntry, string[]>} */
  #pages = new WeakMap();
  #total = 0;
  /** When a script of the page failed last, in milliseconds since 1970. */
  failedAt = -Infinity;
  /** Called when the page writes more than can be kept: no more is recorded until the next replay. */
  onFlood = () => {};
  /** @type {Set<Promise<void>>} */
  #looking = new Set();
  /** @type {Message[] | null} entries that arrive while the browser replays old ones, which are in no order */
  #held = null;
  #isResting = false;
  #bucket = new TokenBucket(MAX_AT_ONCE, MAX_PER_SECOND);
  /** @readonly */
  #onEntry;

  /** @param {(entry: ConsoleEntry) => void} onEntry */
  constructor(onEntry) {
    this.#onEntry = onEntry;
  }

  /** Number of entries since the tab was attached; the newest 10,000 are kept. */
  get total() {
    return this.#total;
  }

  /** @returns {ConsoleEntry[]} oldest first */
  entries() {
    return this.#entries.slice();
  }

  /** @returns {Promise<ConsoleEntry[]>} newest first, once all their values are expanded */
  async newest() {
    await Promise.all(this.#looking);
    return this.#entries.toReversed();
  }

  /**
   * @param {ConsoleEntry} entry
   * @returns {string[]} URLs of the pages that it comes from, or may come from; empty for an unknown one
   */
  pagesOf(entry) {
    return this.#pages.get(entry) ?? [];
  }

  /** The browser starts to replay its messages; some are known from an earlier session. */
  beginReplay() {
    this.#isResting = false;
    // Replayed messages have their old timestamps, too close for the rate limit to recover: they would look like a
    // flood.
    this.#bucket = new TokenBucket(MAX_AT_ONCE, MAX_PER_SECOND);
    this.#held = [];
  }

  endReplay() {
    const last = this.#entries.at(-1);
    const knownUntil = last ? Date.parse(last.timestamp) : -Infinity;
    const held = (this.#held ?? []).filter(({ timestamp }) => Math.floor(timestamp) > knownUntil);
    this.#held = null;
    held.sort((one, other) => one.timestamp - other.timestamp);
    const [first] = held;
    if (first && held.filter(({ isOfBrowser }) => !isOfBrowser).length >= MAX_REPLAYED) {
      this.#note(first.timestamp, `Messages before this one are lost: the browser keeps ${MAX_REPLAYED} per page.`);
    }
    // The newest matter most.
    const bare = held.filter(({ args }) => args?.some(isBare)).slice(-MAX_PREVIEWED);
    const previewed = new Set(bare);
    for (const message of held) this.#add(message, previewed.has(message));
  }

  /**
   * @param {ConsoleCall} call
   * @param {string[]} pages
   * @param {(objectId: string) => Promise<RemoteObject>} look requests the preview of an object from the page
   */
  addCall({ type, args, timestamp }, pages, look) {
    if (SILENT_CALLS.has(type)) return;
    const prefix = type === "assert" ? "Assertion failed: " : "";
    this.#take({ timestamp, level: CALL_LEVELS[type] ?? "log", prefix, text: messageOf(args), pages, args, look });
  }

  /**
   * @param {{timestamp: number, exceptionDetails: ExceptionDetails}} event
   * @param {string[]} pages
   */
  addException({ timestamp, exceptionDetails }, pages) {
    const { text, exception, url, lineNumber, columnNumber } = exceptionDetails;
    this.failedAt = Math.max(this.failedAt, timestamp);
    const what = exception ? `${text} ${textOf(exception)}` : text;
    this.#take({
      timestamp,
      level: "error",
      text: url ? `${what} (${url}:${lineNumber + 1}:${columnNumber + 1})` : what,
      pages,
    });
  }

  /**
   * @param {LogEntry} entry from the browser itself: a missing file, a violated policy
   * @param {string[]} pages
   */
  addBrowserEntry({ timestamp, level, text, url }, pages) {
    const message = url ? `${text} (${url})` : text;
    this.#take({ timestamp, level: ENTRY_LEVELS[level] ?? "log", text: message, pages, isOfBrowser: true });
  }

  /** @param {Message} message */
  #take(message) {
    if (this.#isResting) return;
    if (this.#bucket.take(message.timestamp) === null) {
      this.#isResting = true;
      this.#note(message.timestamp, "The page logs too much at once: its console is not recorded for a while.");
      return this.onFlood();
    }
    if (this.#held) this.#held.push({ ...message, text: cut(message.text) });
    else this.#add(message, true);
  }

  /**
   * @param {number} timestamp
   * @param {string} text of our own
   */
  #note(timestamp, text) {
    this.#add({ timestamp, level: "warn", text: `[Chrome Tab Reader] ${text}`, pages: [] }, false);
  }

  /**
   * @param {Message} message
   * @param {boolean} isLookedInto
   */
  #add({ timestamp, level, prefix = "", text, pages, args = [], look }, isLookedInto) {
    const time = new Date(timestamp).toISOString();
    const entry = { timestamp: time, level, message: cut(prefix + text), url: pages[0] ?? "" };
    this.#pages.set(entry, pages);
    this.#entries.push(entry);
    this.#total += 1;
    dropOldest(this.#entries);
    this.#onEntry(entry);
    if (!look || !isLookedInto || !args.some(isBare)) return;
    const looking = this.#lookInto(entry, args, prefix, look);
    this.#looking.add(looking);
    void looking.finally(() => this.#looking.delete(looking));
  }

  /**
   * @param {ConsoleEntry} entry
   * @param {RemoteObject[]} args
   * @param {string} prefix
   * @param {(objectId: string) => Promise<RemoteObject>} look
   */
  async #lookInto(entry, args, prefix, look) {
    // An object that is gone with its page keeps its short description.
    const seen = args.map((arg) => (isBare(arg) ? look(String(arg.objectId)).catch(() => arg) : arg));
    entry.message = cut(prefix + messageOf(await Promise.all(seen)));
  }
}

/**
 * Keeps about the newest 10,000. Not after every entry: removing the first one moves all others.
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
