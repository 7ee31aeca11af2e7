/**
 * One session of the browser's debugger for each attached tab: trusted input, dialogs, the console. The browser shows
 * the person a bar while it lasts; who presses Cancel there detaches the tab.
 *
 * @import {CommandContext, ConsoleEntry, DialogReport, DrivenContext} from "../shared/types.d.ts"
 */

import { ConsoleLog } from "./console-log.js";
import { CommandError } from "../shared/errors.js";
import { unreadable } from "./page-access.js";
import { obstacleOf, tabById } from "./tabs.js";

const PROTOCOL_VERSION = "1.3";
const SETTLE_MS = 5_000;
const MAX_DIALOGS = 20;
const MAX_DIALOG_MESSAGE = 200;
const ALREADY_ATTACHED = /already attached/i;

export class Debuggers {
  /** @type {Map<number, TabDebugger>} */
  #sessions = new Map();
  /** @type {Map<number, ConsoleLog>} they outlive a session that the browser ends */
  #consoles = new Map();
  /** @readonly */
  #handlers;

  /**
   * @param {object} handlers
   * @param {(tabId: number, entry: ConsoleEntry) => void} handlers.onConsole
   * @param {(tabId: number) => void} handlers.onCancel the person has pressed Cancel in the browser's bar
   */
  constructor(handlers) {
    this.#handlers = handlers;
  }

  /**
   * The tab's session, opened now if there is none.
   *
   * @param {number} tabId
   * @throws {CommandError} UNREADABLE_PAGE, TAB_DISCONNECTED
   */
  async open(tabId) {
    let session = this.#sessions.get(tabId);
    if (!session) {
      session = new TabDebugger(tabId, this.console(tabId));
      this.#sessions.set(tabId, session);
    }
    try {
      await session.opened;
      return session;
    } catch (error) {
      this.#forget(tabId, session);
      throw error;
    }
  }

  /**
   * @param {number} tabId
   * @returns {TabDebugger | undefined} undefined when the tab is not attached, or lets no debugger in
   */
  known(tabId) {
    return this.#sessions.get(tabId);
  }

  /** @param {number} tabId of a tab that is attached no longer */
  async close(tabId) {
    this.#sessions.delete(tabId);
    this.#consoles.delete(tabId);
    await chrome.debugger.detach({ tabId }).catch(() => {
      // The browser has ended it already.
    });
  }

  /** @param {number} tabId */
  console(tabId) {
    const known = this.#consoles.get(tabId);
    if (known) return known;
    const log = new ConsoleLog((entry) => this.#handlers.onConsole(tabId, entry));
    this.#consoles.set(tabId, log);
    return log;
  }

  /**
   * @param {chrome.debugger.DebuggerSession} source
   * @param {string} method
   * @param {any} params
   */
  handleEvent({ tabId, sessionId }, method, params) {
    // Frames of other sites have sessions of their own, which nobody asks for.
    if (tabId !== undefined && sessionId === undefined) this.#sessions.get(tabId)?.handleEvent(method, params);
  }

  /**
   * @param {chrome.debugger.Debuggee} source
   * @param {string} reason
   */
  handleDetach({ tabId }, reason) {
    if (tabId === undefined) return;
    this.#sessions.delete(tabId);
    if (reason === "canceled_by_user") this.#handlers.onCancel(tabId);
  }

  /**
   * @param {number} tabId
   * @param {TabDebugger} session
   */
  #forget(tabId, session) {
    if (this.#sessions.get(tabId) === session) this.#sessions.delete(tabId);
  }
}

/** The debugger's session in one tab. */
class TabDebugger {
  /** @readonly */
  #tabId;
  /** @readonly */
  console;
  /** @readonly resolves when commands can be sent */
  opened;
  /** @type {Drive | null} the command that runs now */
  #drive = null;
  /** @type {{type: string, message: string} | null} the dialog that is open now */
  #dialog = null;
  #mainFrameId = "";
  #isLoading = false;
  /** @type {Set<() => void>} */
  #onStopped = new Set();

  /**
   * @param {number} tabId
   * @param {ConsoleLog} log
   */
  constructor(tabId, log) {
    this.#tabId = tabId;
    this.console = log;
    this.opened = this.#open();
  }

  async #open() {
    const target = { tabId: this.#tabId };
    await attach(target);
    this.console.beginReplay();
    try {
      const { frameTree } = await this.send("Page.getFrameTree");
      this.#showsPage(frameTree.frame);
      await Promise.all([this.send("Page.enable"), this.send("Runtime.enable"), this.send("Log.enable")]);
    } finally {
      this.console.endReplay();
    }
  }

  /**
   * @param {string} method of the Chrome DevTools Protocol
   * @param {Record<string, unknown>} [params]
   * @returns {Promise<any>}
   * @throws {CommandError} TAB_DISCONNECTED, EXECUTION_ERROR
   */
  async send(method, params) {
    try {
      return await chrome.debugger.sendCommand({ tabId: this.#tabId }, method, params);
    } catch (error) {
      throw protocolFailure(method, error);
    }
  }

  /**
   * Runs a command's work: dialogs are answered meanwhile. A command that acts has the page believe that it has the
   * focus, because a page in the background gets no frames and no input.
   *
   * @template {object} T
   * @param {AbortSignal} signal
   * @param {boolean} acts
   * @param {(drive: Drive) => Promise<T>} work
   */
  async drive(signal, acts, work) {
    const drive = new Drive(this, signal);
    const end = () => this.#end(drive, acts);
    signal.addEventListener("abort", end);
    this.#drive = drive;
    // A page that never finishes loading is not what this command has begun.
    this.#isLoading = false;
    try {
      await this.#answerDialog();
      if (acts) this.#emulateFocus(true);
      return drive.report(await work(drive));
    } catch (error) {
      throw drive.complete(error);
    } finally {
      end();
    }
  }

  /**
   * @param {Drive} drive
   * @param {boolean} acts
   */
  #end(drive, acts) {
    if (this.#drive !== drive) return;
    this.#drive = null;
    if (acts) this.#emulateFocus(false);
  }

  /**
   * Not waited for: what is sent after it comes after it, and the answer can take as long as a page takes to come.
   *
   * @param {boolean} enabled
   */
  #emulateFocus(enabled) {
    this.send("Emulation.setFocusEmulationEnabled", { enabled }).catch(() => {
      // The tab has gone, and its focus with it.
    });
  }

  /**
   * Waits for the page that an action has asked for, if it did.
   *
   * @returns {Promise<boolean>} false when it is still loading after 5 s
   */
  async settled() {
    // What the action has begun is known after one round through the page's tasks, by a clock that is not the page's.
    const round = { target: { tabId: this.#tabId }, func: passTurn, injectImmediately: true };
    await chrome.scripting.executeScript(round).catch(() => {
      // The page has gone: a new one is on its way.
    });
    return !this.#isLoading || this.#stoppedLoading();
  }

  /** @returns {Promise<boolean>} */
  #stoppedLoading() {
    return new Promise((resolve) => {
      const stop = (/** @type {boolean} */ isSettled) => {
        clearTimeout(timer);
        this.#onStopped.delete(stopped);
        resolve(isSettled);
      };
      const stopped = () => stop(true);
      const timer = setTimeout(() => stop(false), SETTLE_MS);
      this.#onStopped.add(stopped);
    });
  }

  // --- Events

  /**
   * @param {string} method
   * @param {any} params
   */
  handleEvent(method, params) {
    switch (method) {
      case "Page.javascriptDialogOpening":
        this.#dialog = { type: params.type, message: params.message };
        if (this.#drive) void this.#answerDialog();
        break;
      case "Page.javascriptDialogClosed":
        this.#dialog = null;
        break;
      case "Page.frameNavigated":
        if (!params.frame.parentId) this.#showsPage(params.frame);
        break;
      case "Page.navigatedWithinDocument":
        if (params.frameId === this.#mainFrameId) this.console.pageUrl = params.url;
        break;
      case "Page.frameRequestedNavigation":
      case "Page.frameStartedLoading":
        if (params.frameId === this.#mainFrameId) this.#isLoading = true;
        break;
      case "Page.frameStoppedLoading":
        if (params.frameId === this.#mainFrameId) this.#loaded();
        break;
      case "Runtime.consoleAPICalled":
        this.console.addCall(params, (objectId) => this.#preview(objectId));
        break;
      case "Runtime.exceptionThrown":
        this.console.addException(params);
        break;
      case "Log.entryAdded":
        this.console.addBrowserEntry(params.entry);
        break;
    }
  }

  /** @param {{id: string, url: string}} mainFrame */
  #showsPage({ id, url }) {
    this.#mainFrameId = id;
    this.console.pageUrl = url;
  }

  #loaded() {
    this.#isLoading = false;
    for (const stopped of this.#onStopped) stopped();
  }

  /**
   * Alert and beforeunload are accepted: they ask nothing, or stand in the way of what the command is for. Confirm and
   * prompt are dismissed: nobody has agreed to what they ask.
   */
  async #answerDialog() {
    if (!this.#dialog) return;
    const { type, message } = this.#dialog;
    this.#dialog = null;
    const accept = type === "alert" || type === "beforeunload";
    this.#drive?.addDialog({
      type,
      message: message.slice(0, MAX_DIALOG_MESSAGE).toWellFormed(),
      answer: accept ? "accepted" : "dismissed",
    });
    await this.send("Page.handleJavaScriptDialog", { accept }).catch(() => {
      // The person was faster.
    });
  }

  /** @param {string} objectId */
  async #preview(objectId) {
    const functionDeclaration = "function () { return this; }";
    const { result } = await this.send("Runtime.callFunctionOn", {
      objectId,
      functionDeclaration,
      generatePreview: true,
    });
    return result;
  }
}

/** Runs in the page. */
function passTurn() {
  return new Promise((go) => setTimeout(go));
}

/** What one command may do with the debugger; nothing more once its time is up. */
export class Drive {
  /** @type {DialogReport[]} */
  #dialogs = [];
  /** @type {string[]} */
  #notes = [];
  /** @readonly */
  #debugger;
  /** @readonly */
  #signal;

  /**
   * @param {TabDebugger} tabDebugger
   * @param {AbortSignal} signal
   */
  constructor(tabDebugger, signal) {
    this.#debugger = tabDebugger;
    this.#signal = signal;
  }

  get console() {
    return this.#debugger.console;
  }

  /**
   * @param {string} method of the Chrome DevTools Protocol
   * @param {Record<string, unknown>} [params]
   * @returns {Promise<any>}
   * @throws {CommandError} TAB_DISCONNECTED, EXECUTION_ERROR, and the reason of the signal
   */
  async send(method, params) {
    this.#signal.throwIfAborted();
    const answer = await this.#debugger.send(method, params);
    this.#signal.throwIfAborted();
    return answer;
  }

  /** Waits, at most 5 s, for the page that an action has asked for, if it did. */
  async settled() {
    if (!(await this.#debugger.settled())) this.#notes.push("The page that follows was still loading after 5 s.");
  }

  /** @param {DialogReport} dialog */
  addDialog(dialog) {
    if (this.#dialogs.length < MAX_DIALOGS) this.#dialogs.push(dialog);
  }

  /**
   * @template {object} T
   * @param {T & {notes?: string[]}} result
   */
  report(result) {
    return {
      ...result,
      ...(this.#notes.length && { notes: [...(result.notes ?? []), ...this.#notes] }),
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

/**
 * Gives a command of the table the tab's debugger.
 *
 * @param {(context: DrivenContext) => Promise<object>} command
 * @returns {(context: CommandContext) => Promise<object>}
 */
export function driving(command) {
  return async (context) => {
    const session = await context.debuggers.open(context.tabId);
    return session.drive(context.signal, true, (drive) => command({ ...context, session: drive }));
  };
}

/**
 * Lets no dialog of an attached tab hold up a command that can do without the debugger.
 *
 * @param {(context: CommandContext) => Promise<object>} command
 * @returns {(context: CommandContext) => Promise<object>}
 */
export function undisturbed(command) {
  return async (context) => {
    const session = context.debuggers.known(context.tabId);
    return session ? session.drive(context.signal, false, () => command(context)) : command(context);
  };
}

/** @param {{tabId: number}} target */
async function attach(target) {
  const tryIt = () => chrome.debugger.attach(target, PROTOCOL_VERSION);
  try {
    await tryIt().catch(async (error) => {
      if (!ALREADY_ATTACHED.test(reasonOf(error))) throw error;
      // A killed worker leaves its session behind, and only one of ours fits.
      await chrome.debugger.detach(target).catch(() => {});
      await tryIt();
    });
  } catch (error) {
    throw unreadable(await attachRefusal(target.tabId, reasonOf(error)));
  }
}

/**
 * @param {number} tabId
 * @param {string} reason Chrome's own
 */
async function attachRefusal(tabId, reason) {
  const obstacle = obstacleOf(await tabById(tabId));
  if (obstacle) return obstacle;
  if (ALREADY_ATTACHED.test(reason)) {
    return "Another debugger holds this tab, and the browser lets in only one. End the other one, then try again.";
  }
  if (/different extension/i.test(reason)) {
    return (
      "Another extension has put a frame of its own into this page, so the browser lets no debugger in. " +
      "Turn that extension off for this site, then reload the page."
    );
  }
  return "The browser lets no debugger into this tab. Reload the page; if that does not help, open it in another tab.";
}

/**
 * @param {string} method
 * @param {unknown} error
 */
function protocolFailure(method, error) {
  const reason = reasonOf(error);
  if (/not attached|detached|closed|crashed|navigated|no tab/i.test(reason)) {
    return new CommandError(
      "TAB_DISCONNECTED",
      "The page went away while the command ran. Look where the tab is now, then try again.",
    );
  }
  // Chrome's own words name a method and a parameter; they never quote the page.
  return new CommandError(
    "EXECUTION_ERROR",
    `The browser refused ${method}: ${reason}. Reload the page and try again.`,
  );
}

/** @param {unknown} error */
function reasonOf(error) {
  const text = error instanceof Error ? error.message : String(error);
  try {
    // Chrome gives the protocol's errors as JSON.
    return String(JSON.parse(text).message);
  } catch {
    return text.slice(0, 200);
  }
}
