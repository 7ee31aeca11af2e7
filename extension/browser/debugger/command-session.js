/**
 * How a command uses its tab's debugger; `commands.json` names the use of each command.
 *
 * - `interact`: trusted input and other page changes. The page is made to believe that it has the focus, because a
 *   page in the background gets no frames and no input. Dialogs are answered.
 * - `navigate`: the same for navigation, which needs no answer from the current page.
 * - `read`: also works without the debugger. Dialogs are answered, because they block the page.
 * - `observe`: changes nothing. A dialog is left to the user, and ends the command.
 *
 * @import {Box, CommandContext, DebuggerUse, DialogReport, DrivenContext, Point} from "../../shared/types.d.ts"
 * @import {DebuggerSession} from "./debugger-session.js"
 */

import { CommandError, invalid } from "../../shared/errors.js";
import { refuseInput } from "../denied-frames.js";
import { deniedFrames, isBlocked } from "../cross-origin-frames.js";
import { endOutline } from "../highlight.js";
import { PageLeft, unreadable } from "../inject.js";
import { adoptTabs } from "../opened-tabs.js";
import { loadFailure } from "../page-load.js";
import { endsWithin, pause, unlessAborted } from "../async.js";
import { failedNote, isHttpError } from "./failed-requests.js";
import { YOUNG_MS, countPending, pendingNote } from "./pending-requests.js";

const SETTLE_MS = 5_000;
const REPORT_MS = 50;
/** How long the report may take after an error, which may already have taken seconds. */
const SLOW_REPORT_MS = 500;
const MAX_DIALOGS = 20;
const ASKED_FOR_FILES =
  "The page asked for files and got none. Use upload with the same selector and the files' paths.";
const ENDLESS = "It opens one dialog after another: close the tab with browser_close_tab.";
const SCRIPT_FAILED = "Meanwhile, a script of the page failed. Read its error with console_logs.";
const MAX_DIALOG_TEXT = 2_000;
const MAX_FILE_NAME = 200;
const MAX_SCHEME = 40;
/** What a result reports of an action's effect. */
const EFFECTS = ["changed", "checked", "fields", "files", "selected", "value"];
/** Errors that a response may still settle. */
const OF_PAGE = new Set(["COMMAND_TIMEOUT", "ELEMENT_NOT_FOUND", "EXECUTION_ERROR", "VALUE_NOT_KEPT"]);
/** A command that needs no reply from the page ends within this time. */
const DIALOG_GRACE_MS = 200;

/** @typedef {(context: any) => Promise<any>} Run runs a command of the table */

/** @type {Record<DebuggerUse, (context: CommandContext, run: Run) => Promise<any>>} */
const USES = {
  nothing: (context, run) => run(context),
  interact: async (context, run) => {
    const session = await context.sessionPool.open(context.tabId);
    await session.endIfPrinting();
    return act(session, context, run);
  },
  navigate: async (context, run) => act(await context.sessionPool.enter(context.tabId), context, run),
  read: async (context, run) => {
    const session = context.sessionPool.known(context.tabId);
    await session?.endIfPrinting();
    return session ? runWith(session, context, () => run(context)) : run(context);
  },
  observe: async (context, run) => {
    const session = context.sessionPool.known(context.tabId);
    return session ? observe(session, () => run(context)) : run(context);
  },
};

/**
 * Runs a command with the debugger use that the table of commands names.
 *
 * @param {DebuggerUse} use
 * @param {CommandContext} context
 * @param {Run} run
 */
export async function usingDebugger(use, context, run) {
  return USES[use](context, run);
}

/**
 * @param {DebuggerSession} session
 * @param {CommandContext} context
 * @param {(context: DrivenContext) => Promise<object>} run
 */
async function act(session, context, run) {
  return runWith(session, context, async (own) => {
    own.guard = {
      isNeeded: async () => (await deniedFrames(context)).length > 0,
      refuse: (point) => refuseInput(context, point),
      blocks: (point) => refuseInput(context, point).then(() => false, isBlocked),
    };
    // Not awaited: later messages stay in order, and the answer can take as long as a page takes to load.
    const emulateFocus = (/** @type {boolean} */ enabled) =>
      void session.send("Emulation.setFocusEmulationEnabled", { enabled }).catch(() => {
        // The tab is gone, and its emulated focus with it.
      });
    emulateFocus(true);
    // Each frame is drawn faster without it. Messages stay in order, so no screenshot shows it.
    void endOutline(context);
    own.atEnd(() => emulateFocus(false));
    own.interceptFiles();
    const result = await run({ ...context, session: own });
    for (const note of await adoptTabs(own.opened, context, () => own.hasRequests)) own.addNote(note);
    await own.noteFailures(result);
    return result;
  });
}

/**
 * Runs a command while dialogs are answered, and reported in its result or error.
 *
 * @template {object} T
 * @param {DebuggerSession} session
 * @param {CommandContext} context
 * @param {(own: CommandSession) => Promise<T>} work
 */
async function runWith(session, { tabId, signal, params, rules }, work) {
  const own = new CommandSession(session, signal, answersOf(params), () => rules.check(tabId));
  try {
    return await unlessAborted(signal, async () => {
      await session.begin(own);
      signal.throwIfAborted();
      return own.report(await work(own));
    });
  } catch (error) {
    throw await own.complete(signal.aborted ? signal.reason : error);
  } finally {
    await own.end();
  }
}

/**
 * @template T
 * @param {DebuggerSession} session
 * @param {() => Promise<T>} work
 */
async function observe(session, work) {
  const ended = new AbortController();
  try {
    return await Promise.race([work(), heldByDialog(session, ended.signal)]);
  } finally {
    ended.abort();
  }
}

/**
 * @param {DebuggerSession} session
 * @param {AbortSignal} signal
 * @returns {Promise<never>}
 */
async function heldByDialog(session, signal) {
  await session.dialogOpened(signal);
  await pause(DIALOG_GRACE_MS);
  throw unreadable("The page is blocked by a dialog. Answer it in the browser.");
}

/**
 * How dialogs are answered. Alert and beforeunload are accepted: the first asks nothing, the second blocks what the
 * command is for. Confirm and prompt are dismissed, because the user has not agreed to them, unless the command says
 * otherwise.
 *
 * @typedef {object} Answers
 * @property {boolean} accept for confirm and prompt
 * @property {boolean} leave for beforeunload
 * @property {string} [text] for a prompt, instead of its default
 */

/**
 * @param {Record<string, unknown>} params `on_dialog`, "accept" or "dismiss"; `dialog_text`
 * @returns {Answers}
 * @throws {CommandError} INVALID_ARGUMENT
 */
function answersOf({ on_dialog: answer, dialog_text: text }) {
  if (![undefined, null, "accept", "dismiss"].includes(/** @type {any} */ (answer))) {
    throw invalid('on_dialog must be "accept" or "dismiss".');
  }
  const given = typeof text === "string" ? text : undefined;
  const isText = text === undefined || text === null || (given !== undefined && given.length <= MAX_DIALOG_TEXT);
  if (!isText) {
    throw invalid(`dialog_text must be a string of at most ${MAX_DIALOG_TEXT} characters.`);
  }
  return { accept: answer === "accept", leave: answer !== "dismiss", text: given };
}

/**
 * Keeps input out of frames of denied hosts.
 *
 * @typedef {object} InputGuard
 * @property {() => Promise<boolean>} isNeeded whether the page has such frames
 * @property {(point?: Point) => Promise<void>} refuse throws HOST_BLOCKED; checks the focus if there is no point
 * @property {(point?: Point) => Promise<boolean>} blocks whether it would
 */

/** @type {InputGuard} */
const NO_GUARD = { isNeeded: async () => false, refuse: async () => {}, blocks: async () => false };
/** Releases a pressed mouse button, and drops what was dragged. */
const RELEASES = new Set(["mouseReleased", "dragCancel"]);

/** The debugger as one command may use it, until the command ends. */
export class CommandSession {
  /** @readonly @type {number[]} tabs that the page opened meanwhile */
  opened = [];
  /** @type {DialogReport[]} */
  #dialogs = [];
  /** @type {Set<string>} */
  #notes = new Set();
  /** @type {(() => unknown)[]} */
  #undoings = [];
  /** @type {Map<string, (params: any) => void>} by the events that the command waits for */
  #awaited = new Map();
  guard = NO_GUARD;
  /** The box in the viewport to highlight when the command ends. @type {Box | null} */
  outlined = null;
  /** How far the window is scrolled in a page that the user has magnified. @type {Point} */
  pinch = { x: 0, y: 0 };
  /** The page's address when an element was looked for last. */
  address = "";
  /** The latest input; rejects once an input was refused. @type {Promise<{done?: Promise<unknown>}>} */
  #input = Promise.resolve({});
  /** When the command first acted, on the clock of `Date.now`. */
  #actsSince = Infinity;
  /** Number of pages that had come to the tab when the command first acted, or began. */
  #arrivals;
  /** Whether another page has come. */
  #hasLeft = false;
  /** Whether the page has requested an address that another program opens. */
  #isExternal = false;
  /** Whether a note says why one could not be loaded. */
  #hasLoadError = false;
  /** Deadline of waiting for pages, on the clock of `performance.now`. */
  #settleUntil = Infinity;
  /** @readonly */
  #session;
  /** @readonly */
  #signal;
  /** @readonly */
  #answers;
  /** @readonly */
  #check;
  /** @readonly @type {PromiseWithResolvers<never>} */
  #stay = Promise.withResolvers();
  /** @readonly */
  #onAbort = () => void this.end();

  /**
   * @param {DebuggerSession} session
   * @param {AbortSignal} signal
   * @param {Answers} answers
   * @param {() => Promise<void>} check rejects a page on which the command may not continue
   */
  constructor(session, signal, answers, check) {
    this.#session = session;
    this.#signal = signal;
    this.#answers = answers;
    this.#check = check;
    this.#arrivals = session.arrivals;
    // Few commands navigate.
    this.#stay.promise.catch(() => {});
    signal.addEventListener("abort", this.#onAbort);
  }

  /**
   * @param {string} method of the Chrome DevTools Protocol
   * @param {Record<string, unknown>} [params]
   * @returns {Promise<any>}
   * @throws {CommandError} TAB_DISCONNECTED, EXECUTION_ERROR, HOST_BLOCKED, ATTACH_DENIED, and the reason of the signal
   */
  async send(method, params) {
    this.#signal.throwIfAborted();
    await this.#check();
    this.#signal.throwIfAborted();
    const isInput = /^Input\.(?:dispatch|insert)/.test(method);
    const answer = await (isInput ? this.#sendInput(method, params) : this.#session.send(method, params));
    this.#signal.throwIfAborted();
    return answer;
  }

  /**
   * Inputs are sent in order. On a page with frames of denied hosts each is checked first; after a refused one no more
   * are sent.
   *
   * @param {string} method
   * @param {Record<string, unknown>} [params]
   */
  async #sendInput(method, params = {}) {
    this.watchRequests();
    if (params.type === "mouseMoved") this.#session.mouse = { x: Number(params.x), y: Number(params.y) };
    const before = this.#input;
    const sent = (async () => {
      const isGuarded = await this.guard.isNeeded();
      const { done } = await before;
      if (isGuarded && !(await this.#admits(method, params, done))) return {};
      return { done: this.#session.send(method, this.#placed(params)) };
    })();
    this.#input = sent;
    try {
      const { done } = await sent;
      return await done;
    } catch (error) {
      // The browser may end the session for another program even before it confirms the input that has led to it.
      if (this.#isExternal && error instanceof PageLeft) return {};
      throw error;
    }
  }

  /**
   * @param {Record<string, unknown>} params of an input, perhaps with a point in the viewport
   * @returns {Record<string, unknown>} with the point in the window, which the browser counts from
   */
  #placed({ x, y, ...params }) {
    return typeof x === "number" && typeof y === "number"
      ? { ...params, x: x - this.pinch.x, y: y - this.pinch.y }
      : params;
  }

  /**
   * @param {string} method
   * @param {Record<string, unknown>} params
   * @param {Promise<unknown>} [before] settles when the page has handled the previous input
   * @returns {Promise<boolean>} false for a key release in such a frame: the key was pressed elsewhere, and moved the
   *   focus there
   * @throws {CommandError} HOST_BLOCKED
   */
  async #admits(method, { type, x, y }, before) {
    if (RELEASES.has(String(type))) return true;
    if (typeof x === "number" && typeof y === "number") {
      await this.guard.refuse({ x, y });
      return true;
    }
    // A key may move the focus.
    await before?.catch(() => {});
    const refused = this.guard.refuse();
    if (type !== "keyUp") await refused;
    return refused.then(
      () => true,
      () => false,
    );
  }

  /**
   * @param {() => unknown} undo restores the page's state: runs when the command ends, at once on an abort, in reverse
   *   order
   */
  atEnd(undo) {
    this.#undoings.unshift(undo);
  }

  /**
   * Like `send`, when the command ends; an abort does not prevent it.
   *
   * @param {string} method
   * @param {Record<string, unknown>} [params]
   * @returns {() => void} cancels it
   */
  sendAtEnd(method, params) {
    const undo = () =>
      this.#session.send(method, params && this.#placed(params)).catch(() => {
        // The page is gone, with everything that was done to it.
      });
    this.atEnd(undo);
    return () => void (this.#undoings = this.#undoings.filter((each) => each !== undo));
  }

  /**
   * @param {string} event of the Chrome DevTools Protocol
   * @returns {Promise<any>} parameters of the next event of that name, if there is one
   */
  next(event) {
    return new Promise((resolve) => this.#awaited.set(event, resolve));
  }

  /**
   * @param {string} event
   * @param {any} params
   */
  hear(event, params) {
    const listener = this.#awaited.get(event);
    if (listener) listener(params);
    else if (event === "Page.fileChooserOpened") this.addNote(ASKED_FOR_FILES);
  }

  async end() {
    this.#signal.removeEventListener("abort", this.#onAbort);
    this.#session.end(this);
    await Promise.all(this.#undoings.splice(0).map((undo) => undo()));
  }

  /**
   * Waits for a page that the action requested, at most 5 s in all.
   *
   * @returns {Promise<boolean>} whether one has come
   */
  async settled() {
    this.#settleUntil = Math.min(this.#settleUntil, performance.now() + SETTLE_MS);
    const milliseconds = Math.max(0, this.#settleUntil - performance.now());
    const isLoading = await this.#session.settled(this.#signal, milliseconds);
    this.#signal.throwIfAborted();
    const hasCome = this.#session.arrivals > this.#arrivals;
    this.#hasLeft ||= hasCome || isLoading;
    if (isLoading) this.#notes.add("The next page was still loading after 5 s.");
    return hasCome;
  }

  /** Where the mouse is; null before the first move. */
  get mouse() {
    return this.#session.mouse;
  }

  /** Requests from now on count as started by the action. */
  watchRequests() {
    if (this.#actsSince === Infinity) this.#arrivals = this.#session.arrivals;
    this.#actsSince = Math.min(this.#actsSince, Date.now());
    this.#session.network.ofAction.begin();
  }

  /** Returns whether a request that the action started is still running, for however long. */
  get hasRequests() {
    return this.#session.network.ofAction.isRunning;
  }

  /** @returns {Promise<boolean>} whether the action has started a request, which may have ended */
  async hasBegunRequests() {
    if (!this.#session.network.ofAction.hasBegun) await this.#reported();
    return this.#session.network.ofAction.hasBegun;
  }

  /**
   * Waits for the requests that the latest input started, at most 1 s.
   *
   * @returns {Promise<boolean>} whether there were any, or one has ended since the last call: the page shows its effect later
   */
  async requestsEnded() {
    if (!this.hasRequests) await this.#reported();
    const wereThere = await this.#session.network.ofAction.ended();
    this.#signal.throwIfAborted();
    return wereThere;
  }

  /** The browser replies after it has reported what the page had started before. A blocked page gets no reply. */
  async #reported(ms = REPORT_MS) {
    const answered = this.#session.send("Runtime.getIsolateId").catch(() => {
      // The page has gone.
    });
    await endsWithin(ms, answered);
  }

  /**
   * @param {string} type of a dialog
   * @returns {{accept: boolean, text?: string}}
   */
  answerTo(type) {
    const { accept, leave, text } = this.#answers;
    return { accept: type === "alert" || (type === "beforeunload" ? leave : accept), text };
  }

  /** @param {DialogReport} dialog */
  addDialog(dialog) {
    if (this.#dialogs.length < MAX_DIALOGS) this.#dialogs.push(dialog);
    if (dialog.type === "beforeunload" && dialog.answer === "dismissed") this.#stay.reject(stays());
  }

  /** @param {string} name that the page or the server suggests for a file being downloaded */
  addDownload(name) {
    this.addNote(`The browser is downloading ${JSON.stringify(name.toWellFormed().slice(0, MAX_FILE_NAME))}.`);
  }

  /** @param {string} url that the page requested, and that another program opens */
  addExternal(url) {
    this.#isExternal = true;
    const scheme = url.slice(0, url.indexOf(":") + 1).slice(0, MAX_SCHEME);
    this.addNote(`The page asked the browser to open ${scheme} in another program. The user may have to confirm that.`);
  }

  /** @param {string} error of a page that the tab could not load */
  addLoadError(error) {
    this.#hasLoadError = true;
    this.addNote(loadFailure(error));
  }

  /** Prevents the browser from showing a file chooser to the user. */
  interceptFiles() {
    const intercept = (/** @type {boolean} */ enabled) =>
      void this.#session.send("Page.setInterceptFileChooserDialog", { enabled }).catch(() => {
        // The tab is gone.
      });
    intercept(true);
    this.atEnd(() => intercept(false));
  }

  /**
   * Runs an expression in the extension's own world of the page.
   *
   * @param {string} expression
   */
  async evaluateInOwnWorld(expression) {
    return this.send("Runtime.evaluate", { expression, contextId: await this.#ownWorld() });
  }

  /**
   * Calls a function in the extension's own world of the page.
   *
   * @param {number} backendNodeId of the node that is `this`
   * @param {string} functionDeclaration
   * @returns {Promise<string>} object id of the node
   */
  async callOnNode(backendNodeId, functionDeclaration) {
    const executionContextId = await this.#ownWorld();
    const { object } = await this.send("DOM.resolveNode", { backendNodeId, executionContextId });
    await this.send("Runtime.callFunctionOn", { objectId: object.objectId, functionDeclaration });
    return object.objectId;
  }

  /**
   * @returns {Promise<number>} the extension's own world of the page; without it the page's own would be used
   * @throws {CommandError} TAB_DISCONNECTED if another page has come
   */
  async #ownWorld() {
    // It may be new: the browser replies after it has reported that.
    await this.send("Runtime.getIsolateId");
    const { ownWorldId } = this.#session;
    if (ownWorldId === undefined) throw new PageLeft();
    return ownWorldId;
  }

  /** @param {string} note a sentence */
  addNote(note) {
    this.#notes.add(note);
  }

  /**
   * Adds notes if what the action requested has failed, or the page still waits for it; or if nothing else has come of
   * it than an error of a script.
   *
   * @param {object} result
   */
  async noteFailures(result) {
    const { console, network } = this.#session;
    if (this.#hasLeft && !this.#hasLoadError && isHttpError(network.pageStatus)) {
      this.addNote(`The server sent this page with HTTP status ${network.pageStatus}.`);
    }
    if (this.#hasLeft || this.#actsSince === Infinity) return;
    // Many messages over a WebSocket get no response, so they count only if there is nothing else to report.
    const isSilent = !EFFECTS.some((name) => name in result);
    const count = () => countPending(network, this.#actsSince) || Number(isSilent && this.hasRequests);
    // What the page does with a response, such as opening a tab, may be reported before the end of the response.
    if (count()) await this.#reported();
    const scriptNote = isSilent && console.failedAt >= this.#actsSince ? SCRIPT_FAILED : "";
    for (const note of [failedNote(network, this.#actsSince, isSilent), pendingNote(count()), scriptNote]) {
      if (note) this.#notes.add(note);
    }
  }

  /**
   * @returns {Promise<never>} rejects if the page shows a beforeunload dialog that the command wants dismissed
   * @throws {CommandError} NAVIGATION_FAILED
   */
  async refusedLeave() {
    return this.#stay.promise;
  }

  /**
   * @template {object} T
   * @param {T & {notes?: string[]}} result
   */
  report(result) {
    return {
      ...result,
      ...(this.#notes.size && { notes: [...(result.notes ?? []), ...this.#notes] }),
      ...(this.#dialogs.length && { dialogs: this.#dialogs }),
    };
  }

  /**
   * @param {unknown} error
   * @returns {Promise<unknown>} the error, with notes about dialogs, and about requests that failed or that the page waits for
   */
  async complete(error) {
    if (!(error instanceof CommandError)) return error;
    const about = [this.#dialogNote(), ...(OF_PAGE.has(error.code) ? await this.#requestNotes() : [])].filter(Boolean);
    return about.length ? new CommandError(error.code, [error.message, ...about].join(" ")) : error;
  }

  /** @returns {Promise<string[]>} sentences about requests that may be the cause of an error */
  async #requestNotes() {
    // After a timeout the client waits no longer, and the page may be blocked.
    if (!this.#signal.aborted) await this.#reported(SLOW_REPORT_MS);
    const { network } = this.#session;
    const since = Math.min(this.#actsSince, Date.now() - YOUNG_MS);
    return [failedNote(network, this.#actsSince, true), pendingNote(countPending(network, since))];
  }

  /** @returns {string} sentences about the page's dialogs; empty if there were none */
  #dialogNote() {
    if (!this.#dialogs.length) return "";
    /** @type {Map<string, number>} */
    const counts = new Map();
    for (const { type, message, answer } of this.#dialogs) {
      const sentence = `${type} ${message && `${JSON.stringify(message)} `}was ${answer}`;
      counts.set(sentence, (counts.get(sentence) ?? 0) + 1);
    }
    const all = [...counts]
      .map(([sentence, count]) => (count > 1 ? `${sentence} ${count} times` : sentence))
      .join(", its ");
    const advice = this.#dialogs.length < MAX_DIALOGS ? "" : ` ${ENDLESS}`;
    return `Meanwhile the page's ${all}.${advice}`;
  }
}

function stays() {
  return new CommandError(
    "NAVIGATION_FAILED",
    "The page asked whether to leave it, and on_dialog dismissed the question, so the tab stays there. Call again without on_dialog to leave the page.",
  );
}
