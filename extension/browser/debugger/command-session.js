/**
 * How a command uses the debugger of its tab; `commands.json` names one use for each.
 *
 * - `interact`: trusted input and what else changes the page. The page believes that it has the focus meanwhile, because a
 *   page in the background gets no frames and no input. Dialogs are answered.
 * - `navigate`: the same for what leads the tab elsewhere: it asks nothing of the page that is there.
 * - `read`: can do without the debugger. Dialogs are answered, because a page that shows one stands still.
 * - `observe`: changes nothing at all. A dialog is left to the user, and ends the command.
 *
 * @import {Box, CommandContext, DebuggerUse, DialogReport, DrivenContext, Point} from "../../shared/types.d.ts"
 * @import {DebuggerSession} from "./debugger-session.js"
 */

import { CommandError, invalid } from "../../shared/errors.js";
import { refuseInput } from "../denied-frames.js";
import { deniedFrames } from "../cross-origin-frames.js";
import { unreadable } from "../inject.js";
import { adoptTabs } from "../opened-tabs.js";
import { endsWithin, pause, unlessAborted } from "../async.js";

const SETTLE_MS = 5_000;
const REPORT_MS = 50;
const MAX_DIALOGS = 20;
const ASKED_FOR_FILES = "The page asked for files and got none. Use upload with the same selector and their paths.";
const MAX_DIALOG_TEXT = 2_000;
/** What asks nothing of the page ends sooner. */
const DIALOG_GRACE_MS = 200;

/** @typedef {(context: any) => Promise<any>} Run a command of the table */

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
      refuse: refuseInput.bind(null, context),
    };
    // Not waited for: what is sent after it comes after it, and the answer can take as long as a page takes to come.
    const emulateFocus = (/** @type {boolean} */ enabled) =>
      void session.send("Emulation.setFocusEmulationEnabled", { enabled }).catch(() => {
        // The tab has gone, and its focus with it.
      });
    emulateFocus(true);
    own.atEnd(() => emulateFocus(false));
    own.interceptFiles();
    const result = await run({ ...context, session: own });
    for (const note of await adoptTabs(own.opened, context)) own.addNote(note);
    return result;
  });
}

/**
 * Runs a command: dialogs are answered meanwhile, and reported in its result or error.
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
    throw own.complete(signal.aborted ? signal.reason : error);
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
 * What becomes of dialogs. Alert and beforeunload are accepted: they ask nothing, or stand in the way of what the command
 * is for. Confirm and prompt are dismissed, because the user has not agreed to what they ask, unless the command says so.
 *
 * @typedef {object} Answers
 * @property {boolean} accept confirm and prompt
 * @property {boolean} leave beforeunload
 * @property {string} [text] for a prompt, in place of what it suggests
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
  const said = typeof text === "string" ? text : undefined;
  const isText = text === undefined || text === null || (said !== undefined && said.length <= MAX_DIALOG_TEXT);
  if (!isText) {
    throw invalid(`dialog_text must be a text of at most ${MAX_DIALOG_TEXT} characters.`);
  }
  return { accept: answer === "accept", leave: answer !== "dismiss", text: said };
}

/**
 * What keeps input out of frames of denied hosts.
 *
 * @typedef {object} InputGuard
 * @property {() => Promise<boolean>} isNeeded whether the page has such frames
 * @property {(point?: Point) => Promise<void>} refuse throws HOST_BLOCKED; without a point for what has the focus
 */

/** @type {InputGuard} */
const NO_GUARD = { isNeeded: async () => false, refuse: async () => {} };
/** A mouse button that was pressed is released, and what was dragged is let go. */
const RELEASES = new Set(["mouseReleased", "dragCancel"]);

/** The debugger as one command may use it, until the command ends. */
export class CommandSession {
  /** @readonly @type {number[]} the tabs that the page has opened meanwhile */
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
  /** The box in the viewport that is highlighted when the command ends. @type {Box | null} */
  outlined = null;
  /** The latest input: fails once one was refused. @type {Promise<{done?: Promise<unknown>}>} */
  #input = Promise.resolve({});
  /** When waiting for pages ends, in milliseconds since 1970. */
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
   * @param {() => Promise<void>} check refuses a page on which the command may not go on
   */
  constructor(session, signal, answers, check) {
    this.#session = session;
    this.#signal = signal;
    this.#answers = answers;
    this.#check = check;
    // Few commands lead anywhere.
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
   * Inputs are sent in their order. On a page with frames of denied hosts each is checked first; after one that was
   * refused none is sent.
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
      return { done: this.#session.send(method, params) };
    })();
    this.#input = sent;
    return (await sent).done;
  }

  /**
   * @param {string} method
   * @param {Record<string, unknown>} params
   * @param {Promise<unknown>} [before] settles when the page has taken the input before
   * @returns {Promise<boolean>} false for a key that is released in such a frame: pressed elsewhere, it has led there
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
   * @param {() => unknown} undo what gives the page back as it was: runs when the command ends, at once when it is
   *   aborted, the last one first
   */
  atEnd(undo) {
    this.#undoings.unshift(undo);
  }

  /**
   * As `send`, when the command ends; an abort does not stop it.
   *
   * @param {string} method
   * @param {Record<string, unknown>} [params]
   * @returns {() => void} what takes it back
   */
  sendAtEnd(method, params) {
    const undo = () =>
      this.#session.send(method, params).catch(() => {
        // The page has gone, and what was done to it.
      });
    this.atEnd(undo);
    return () => void (this.#undoings = this.#undoings.filter((each) => each !== undo));
  }

  /**
   * @param {string} event of the Chrome DevTools Protocol
   * @returns {Promise<any>} what the next one of that name says, if there is one
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
   * Waits for the page that an action has asked for, if it did; at most 5 s in all.
   *
   * @returns {Promise<boolean>} whether it has asked for one
   */
  async settled() {
    this.#settleUntil = Math.min(this.#settleUntil, Date.now() + SETTLE_MS);
    const state = await this.#session.settled(this.#signal, Math.max(0, this.#settleUntil - Date.now()));
    this.#signal.throwIfAborted();
    if (state === "loading") this.#notes.add("The page that follows was still loading after 5 s.");
    return state !== "rest";
  }

  /** Where the mouse rests; null before it was moved for the first time. */
  get mouse() {
    return this.#session.mouse;
  }

  /** From now on requests count as started by the action. */
  watchRequests() {
    this.#session.network.ofAction.begin();
  }

  /** Whether a request that the action has started is still running. */
  get hasRequests() {
    return this.#session.network.ofAction.isOpen;
  }

  /**
   * Waits for the requests that the latest input has started, 1 s at most.
   *
   * @returns {Promise<boolean>} whether there were any
   */
  async requestsEnded() {
    if (!this.hasRequests) await this.#reported();
    const wereThere = await this.#session.network.ofAction.ended();
    this.#signal.throwIfAborted();
    return wereThere;
  }

  /** The browser answers after it has reported what the page had begun before. A page that stands still has no answer. */
  async #reported() {
    const answered = this.#session.send("Runtime.getIsolateId").catch(() => {
      // The page has gone.
    });
    await endsWithin(REPORT_MS, answered);
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

  /** Keeps the browser from asking the user for files. */
  interceptFiles() {
    const intercept = (/** @type {boolean} */ enabled) =>
      void this.#session.send("Page.setInterceptFileChooserDialog", { enabled }).catch(() => {
        // The tab has gone.
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
    return this.send("Runtime.evaluate", { expression, contextId: this.#session.ownWorldId });
  }

  /** @param {string} note a sentence */
  addNote(note) {
    this.#notes.add(note);
  }

  /**
   * @returns {Promise<never>} fails when the page asks whether to leave it, and the command says no
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
   * @returns {unknown} the error, with what happened to dialogs
   */
  complete(error) {
    if (!(error instanceof CommandError) || !this.#dialogs.length) return error;
    const said = this.#dialogs.map(({ type, message, answer }) => `${type} ${JSON.stringify(message)} was ${answer}`);
    return new CommandError(error.code, `${error.message} Meanwhile the page's ${said.join(", its ")}.`);
  }
}

function stays() {
  return new CommandError(
    "NAVIGATION_FAILED",
    "The page asked whether to leave it, and on_dialog dismissed that: the tab stays there. Leave on_dialog out to navigate.",
  );
}
