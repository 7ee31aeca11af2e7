/**
 * One debugger session for each attached tab: trusted input, dialogs, the console. Meanwhile the browser shows the user
 * a bar; pressing Cancel there detaches the tab.
 *
 * @import {ConsoleEntry} from "../../shared/types.d.ts"
 */

import { CommandError } from "../../shared/errors.js";
import { ConsoleLog } from "./console-log.js";
import { DebuggerSession } from "./debugger-session.js";
import { NetworkLog } from "./network-log.js";
import { endsWithin } from "../async.js";

/** A responsive page replies within milliseconds. */
const OPEN_WAIT_MS = 5_000;
/** Messages that need no reply from the page still wait for the session to open, if it can. */
const ENTER_WAIT_MS = 1_000;

export class SessionPool {
  /** @type {Map<number, DebuggerSession>} */
  #sessions = new Map();
  /** @type {Map<number, ConsoleLog>} kept when the browser ends a session */
  #consoles = new Map();
  /** @type {Map<number, NetworkLog>} kept as well */
  #networks = new Map();
  /** @readonly */
  #handlers;

  /**
   * @param {object} handlers
   * @param {(tabId: number, entry: ConsoleEntry) => void} handlers.onConsole
   * @param {(tabId: number) => void} handlers.onCancel the user pressed Cancel in the browser's bar
   * @param {(tabId: number) => void} handlers.onCrash the tab's page has crashed
   * @param {(tabId: number) => void} handlers.onPrint the browser shows a print dialog for the tab's page
   */
  constructor(handlers) {
    this.#handlers = handlers;
  }

  /**
   * Returns the tab's session, and opens it if there is none.
   *
   * @param {number} tabId
   * @throws {CommandError} UNREADABLE_PAGE, TAB_DISCONNECTED, COMMAND_TIMEOUT
   */
  async open(tabId) {
    const session = this.#session(tabId);
    if (await endsWithin(OPEN_WAIT_MS, session.opened)) return session;
    throw new CommandError(
      "COMMAND_TIMEOUT",
      "The page does not respond to the debugger: it may be busy, or show a dialog opened before the tab was attached. " +
        "Answer the dialog in the browser, or leave the page with navigate.",
    );
  }

  /**
   * Returns the tab's session for messages that need no reply from the page.
   *
   * @param {number} tabId
   * @throws {CommandError} UNREADABLE_PAGE
   */
  async enter(tabId) {
    const session = this.#session(tabId);
    await session.entered;
    await endsWithin(ENTER_WAIT_MS, session.opened).catch(() => {
      // The page has crashed, or is already being replaced.
    });
    return session;
  }

  /**
   * @param {number} tabId
   * @returns {DebuggerSession | undefined} undefined if the tab is not attached, or cannot be debugged
   */
  known(tabId) {
    const session = this.#sessions.get(tabId);
    return session?.isClosed ? undefined : session;
  }

  /** @param {number} tabId of a tab that is no longer attached */
  async close(tabId) {
    const session = this.#sessions.get(tabId);
    this.#sessions.delete(tabId);
    this.#consoles.delete(tabId);
    this.#networks.delete(tabId);
    await session?.close();
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
    const session = tabId === undefined ? undefined : this.#sessions.get(tabId);
    if (sessionId === undefined) session?.handleEvent(method, params);
    else session?.handleFrameEvent(sessionId, method, params);
  }

  /**
   * @param {chrome.debugger.Debuggee} source
   * @param {string} reason
   */
  handleDetach({ tabId }, reason) {
    if (tabId === undefined) return;
    this.#sessions.get(tabId)?.handleDetach();
    this.#sessions.delete(tabId);
    if (reason === "canceled_by_user") this.#handlers.onCancel(tabId);
  }

  /** @param {{sourceTabId: number, tabId: number}} details of chrome.webNavigation.onCreatedNavigationTarget */
  handleOpening({ sourceTabId, tabId }) {
    this.#sessions.get(sourceTabId)?.handleOpening(tabId);
  }

  /** @param {{tabId: number, frameId: number, error: string}} details of chrome.webNavigation.onErrorOccurred */
  handleLoadError({ tabId, frameId, error }) {
    if (frameId === 0) this.#sessions.get(tabId)?.handleLoadError(error);
  }

  /** @param {number} tabId */
  #network(tabId) {
    const log = this.#networks.get(tabId) ?? new NetworkLog();
    this.#networks.set(tabId, log);
    return log;
  }

  /** @param {number} tabId */
  #session(tabId) {
    const known = this.known(tabId);
    if (known) return known;
    const session = new DebuggerSession(
      tabId,
      { console: this.console(tabId), network: this.#network(tabId) },
      {
        onCrash: () => this.#handlers.onCrash(tabId),
        onPrint: () => this.#handlers.onPrint(tabId),
      },
    );
    this.#sessions.set(tabId, session);
    session.opened.catch(() => {
      // The waiting command reports why; the next command tries again.
      if (this.#sessions.get(tabId) === session) this.#sessions.delete(tabId);
    });
    return session;
  }
}
