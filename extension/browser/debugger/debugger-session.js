/**
 * The debugger session of one tab: how it starts and ends, and what its events report. Its use by commands is in
 * command-session.js.
 *
 * @import {LogEntry} from "./cdp.d.ts"
 * @import {ConsoleLog} from "./console-log.js"
 * @import {CommandSession} from "./command-session.js"
 * @import {NetworkLog} from "./network-log.js"
 */

import { failed } from "../../shared/errors.js";
import { FramePages } from "./frame-pages.js";
import { PageLeft, runInPage, unreadable } from "../inject.js";
import { NETWORK_BOUNDS } from "./network-log.js";
import { NO_PAGE } from "../page-load.js";
import { obstacleOf, tabById } from "../tabs.js";
import { endsWithin, nextEvent, pause } from "../async.js";

const PROTOCOL_VERSION = "1.3";
const MAX_DIALOG_MESSAGE = 200;
const CONSOLE_DOMAINS = ["Runtime", "Log"];
/**
 * Cross-origin frames have sessions of their own. They wait for us, because their first requests would be missed
 * otherwise.
 */
const FRAMES = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter: [{ type: "iframe" }] };
const SILENCE_MS = 1_000;
const REST_MS = 2_000;
const ALREADY_ATTACHED = /already attached/i;
/** Chrome's reasons when a page goes while it is asked: with it go its worlds and the objects that they hold. */
const GONE =
  /not attached|detached|closed|crashed|navigated|no tab|execution context|find context|object with given id|promise was collected/i;
/** In a separate world, so that no page sees it: this binding reports what the page is about to do. */
const PRINT_BINDING = { name: "reportPrinting", executionContextName: "Chrome Tab Reader" };
const PRINT_WATCH = {
  // A page can dispatch such an event itself.
  source: "addEventListener('beforeprint', ({ isTrusted }) => isTrusted && reportPrinting(''))",
  worldName: PRINT_BINDING.executionContextName,
  runImmediately: true,
};
/**
 * What a tab can show. Other addresses, such as mailto:, are opened by other programs: the debugger reports that they
 * start to load, and never that they stop.
 */
const LOADABLE = /^(?:about|blob|chrome-extension|data|file|https?|javascript):/;
/** A printing page continues within milliseconds, unless the browser shows the user a print dialog. */
const PRINT_GRACE_MS = 1_000;

export class DebuggerSession {
  /** @readonly */
  #tabId;
  /** @readonly */
  #handlers;
  /** @readonly */
  console;
  /** @readonly */
  network;
  /** @readonly resolves when the debugger is attached: messages that need no answer from the page can be sent */
  entered;
  /** @readonly resolves when the page has answered */
  opened;
  /**
   * Id of the extension's own world in the main frame's page, once something has run there.
   *
   * @type {number | undefined}
   */
  ownWorldId = undefined;
  /** Where a command last moved the mouse. @type {import("../../shared/types.d.ts").Point | null} */
  mouse = null;
  #isClosed = false;
  /** @type {CommandSession | null} the currently running command */
  #command = null;
  /** @type {{type: string, message: string, defaultPrompt?: string} | null} the currently open dialog */
  #dialog = null;
  /** Whether the page has started printing and not answered since. */
  #isPrinting = false;
  /** @readonly */
  #pages = new FramePages();
  /** @readonly @type {Set<string>} the sessions of cross-origin frames */
  #frames = new Set();
  #isLoading = false;
  /** Whether the page has requested an address that another program opens, and the browser has not yet started that. */
  #isExternal = false;
  /** Number of pages that have come: a download, for example, leaves the one that is there. */
  arrivals = 0;
  /** Fires `stopped` when the page has loaded and `dialog` when it shows one. */
  #events = new EventTarget();

  /**
   * @param {number} tabId
   * @param {{console: ConsoleLog, network: NetworkLog}} logs
   * @param {object} handlers
   * @param {() => void} handlers.onCrash
   * @param {() => void} handlers.onPrint the browser shows a print dialog, and the page is blocked
   */
  constructor(tabId, logs, handlers) {
    this.#tabId = tabId;
    this.#handlers = handlers;
    this.console = logs.console;
    this.network = logs.network;
    this.console.onFlood = () => void this.#rest(CONSOLE_DOMAINS, () => this.#collectConsole());
    this.network.onFlood = () => void this.#rest(["Network"], () => this.#collectRequests());
    this.entered = this.#enter();
    this.opened = this.#open();
  }

  async #enter() {
    const target = { tabId: this.#tabId };
    await attach(target);
    if (!this.#isClosed) return;
    await this.close();
    throw protocolFailure("attach", "detached");
  }

  async #open() {
    await this.entered;
    // First of all: the browser handles only dialogs that open after it.
    const enabled = this.send("Page.enable");
    const { frameTree } = await this.send("Page.getFrameTree");
    this.#pages.addTree(frameTree);
    this.#showsPage(frameTree.frame);
    const watched = this.send("Page.addScriptToEvaluateOnNewDocument", PRINT_WATCH);
    await Promise.all([
      enabled,
      watched,
      this.#collectConsole(),
      this.#collectRequests(),
      this.send("Target.setAutoAttach", FRAMES),
      this.send("Inspector.enable"),
    ]);
  }

  async #collectConsole() {
    this.console.beginReplay();
    try {
      await Promise.all(CONSOLE_DOMAINS.map((domain) => this.send(`${domain}.enable`)));
      // Removed together with the domain.
      await this.send("Runtime.addBinding", PRINT_BINDING);
    } finally {
      this.console.endReplay();
    }
  }

  async #collectRequests() {
    this.network.resume();
    const inFrames = [...this.#frames].map((frame) => this.#collectRequestsIn(frame));
    await Promise.all([this.send("Network.enable", NETWORK_BOUNDS), ...inFrames]);
  }

  /** @param {string} frame its session */
  async #collectRequestsIn(frame) {
    const ask = (/** @type {string} */ method, /** @type {Record<string, unknown>} */ params = {}) =>
      this.send(method, params, frame).catch(() => {
        // The frame is gone.
      });
    const tree = ask("Page.getFrameTree");
    await Promise.all([
      ask("Page.enable"),
      tree.then((answer) => answer && this.#pages.addTree(answer.frameTree, frame)),
      ask("Network.enable", NETWORK_BOUNDS),
      ask("Target.setAutoAttach", FRAMES),
      ask("Runtime.runIfWaitingForDebugger"),
    ]);
  }

  /**
   * Events from a flooding page would keep the browser busy and fill its memory.
   *
   * @param {string[]} domains
   * @param {() => Promise<void>} goOn
   */
  async #rest(domains, goOn) {
    try {
      const frames = domains.includes("Network") ? [...this.#frames] : [];
      const disabled = Promise.all([
        ...domains.map((domain) => this.send(`${domain}.disable`)),
        // A frame that is gone needs nothing.
        ...frames.map((frame) => this.send("Network.disable", {}, frame).catch(() => {})),
      ]);
      // A page in a loop does not respond; the next command opens another session.
      if (!(await endsWithin(SILENCE_MS, disabled))) return await this.close();
      await pause(REST_MS);
      if (!this.#isClosed) await goOn();
    } catch {
      // The page is gone, and its flood with it.
    }
  }

  get isClosed() {
    return this.#isClosed;
  }

  async close() {
    this.#isClosed = true;
    await chrome.debugger.detach({ tabId: this.#tabId }).catch(() => {
      // The browser has already ended it.
    });
  }

  /**
   * @param {string} method of the Chrome DevTools Protocol
   * @param {Record<string, unknown>} [params]
   * @param {string} [frame] the session of a cross-origin frame
   * @returns {Promise<any>}
   * @throws {CommandError} TAB_DISCONNECTED, EXECUTION_ERROR
   */
  async send(method, params, frame) {
    try {
      const target = { tabId: this.#tabId, ...(frame !== undefined && { sessionId: frame }) };
      return await chrome.debugger.sendCommand(target, method, params);
    } catch (error) {
      throw protocolFailure(method, error);
    }
  }

  /** @param {CommandSession} command runs from now on: dialogs are answered, and reported to it */
  async begin(command) {
    this.#command = command;
    // A page that never finishes loading was not started by this command.
    this.#isLoading = false;
    await this.#answerDialog();
  }

  /** @param {CommandSession} command */
  end(command) {
    if (this.#command === command) this.#command = null;
  }

  /**
   * Waits for a page that an action requested, if any.
   *
   * @param {AbortSignal} signal
   * @param {number} milliseconds
   * @returns {Promise<boolean>} whether it is still loading
   */
  async settled(signal, milliseconds) {
    // One round through the page's task queue shows what the action started, independent of the page's clock.
    await runInPage({ tabId: this.#tabId, signal }, { func: passTurn, args: [null] }).catch(() => {
      // The page is gone: a new one is loading, or has loaded.
    });
    if (!this.#isLoading) return false;
    const waiting = new AbortController();
    try {
      return !(await endsWithin(milliseconds, nextEvent(this.#events, "stopped", waiting.signal)));
    } finally {
      waiting.abort();
    }
  }

  /**
   * @param {AbortSignal} signal aborted when the result is no longer needed
   * @returns {Promise<void>} when the page is blocked by a dialog, possibly at once
   */
  async dialogOpened(signal) {
    if (!this.#dialog) await nextEvent(this.#events, "dialog", signal);
  }

  /** Stops script on the page while the browser shows its print dialog. */
  async endIfPrinting() {
    if (!this.#isPrinting) return;
    const signal = AbortSignal.timeout(PRINT_GRACE_MS);
    // The browser handles messages to itself; the page's tasks wait.
    await runInPage({ tabId: this.#tabId, signal }, { func: passTurn, args: [null] }).catch(() => {
      // It is blocked, or gone and replaced.
    });
    if (signal.aborted && this.#isPrinting) this.#handlers.onPrint();
    else this.#isPrinting = false;
  }

  // --- Events

  /**
   * @param {string} method
   * @param {any} params
   */
  handleEvent(method, params) {
    if (method.startsWith("Network.")) return this.network.handleEvent(method, params, this.#pages);
    this.#pages.handleEvent(method, params);
    if (method.startsWith("Page.")) return this.#handlePageEvent(method, params);
    switch (method) {
      case "Runtime.consoleAPICalled":
        this.console.addCall(params, this.#pagesOf(params), (objectId) => this.#preview(objectId));
        break;
      case "Runtime.exceptionThrown":
        this.console.addException(params, this.#pagesOf(params.exceptionDetails));
        break;
      case "Log.entryAdded":
        this.console.addBrowserEntry(params.entry, this.#pagesAbout(params.entry));
        break;
      case "Runtime.bindingCalled":
        this.#isPrinting = params.name === PRINT_BINDING.name;
        void this.endIfPrinting();
        break;
      case "Input.dragIntercepted":
        this.#command?.hear(method, params);
        break;
      case "Runtime.executionContextCreated":
        this.#noteWorld(params.context);
        break;
      case "Runtime.executionContextDestroyed":
        if (params.executionContextId === this.ownWorldId) this.ownWorldId = undefined;
        break;
      case "Runtime.executionContextsCleared":
        this.ownWorldId = undefined;
        break;
      case "Target.attachedToTarget":
      case "Target.detachedFromTarget":
        this.#noteFrame(method, params);
        break;
      case "Inspector.targetCrashed":
        this.#handlers.onCrash();
        break;
    }
  }

  /**
   * @param {string} method
   * @param {any} params
   */
  #handlePageEvent(method, params) {
    switch (method) {
      case "Page.javascriptDialogOpening":
        this.#dialog = params;
        this.#events.dispatchEvent(new Event("dialog"));
        if (this.#command) void this.#answerDialog();
        break;
      case "Page.javascriptDialogClosed":
        this.#dialog = null;
        break;
      case "Page.downloadWillBegin":
        this.#command?.addDownload(params.suggestedFilename);
        break;
      case "Page.frameNavigated":
        if (!params.frame.parentId) this.#showsPage(params.frame, params.type);
        break;
      case "Page.frameRequestedNavigation":
        // A middle click opens another tab.
        if (params.frameId === this.#pages.mainId && params.disposition === "currentTab") {
          this.#requests(params.url);
        }
        break;
      case "Page.frameStartedLoading":
        if (params.frameId === this.#pages.mainId) this.#loads();
        break;
      case "Page.frameStoppedLoading":
        if (params.frameId === this.#pages.mainId) this.#loaded();
        break;
      case "Page.fileChooserOpened":
      case "Page.frameResized":
        this.#command?.hear(method, params);
        break;
    }
  }

  /**
   * @param {string} frame the session of a cross-origin frame
   * @param {string} method
   * @param {any} params
   */
  handleFrameEvent(frame, method, params) {
    if (method.startsWith("Network.")) this.network.handleEvent(method, params, this.#pages, frame);
    else if (method.startsWith("Page.")) this.#pages.handleEvent(method, params, frame);
    else if (method.startsWith("Target.")) this.#noteFrame(method, params);
  }

  /** @param {{executionContextId?: number}} event */
  #pagesOf({ executionContextId }) {
    return [this.#pages.pageOfContext(executionContextId)];
  }

  /**
   * @param {LogEntry} entry without a frame, but often with a request
   * @returns {string[]} all pages that it may be about
   */
  #pagesAbout({ networkRequestId, url = "" }) {
    const pages = this.network.pagesOf(networkRequestId) ?? [this.#pages.main, ...this.#pages.pagesIn()];
    return /^https?:/.test(url) ? [...pages, url] : pages;
  }

  /**
   * @param {string} event
   * @param {{sessionId: string, targetInfo: {targetId: string, url: string}}} about
   */
  #noteFrame(event, { sessionId, targetInfo }) {
    if (event === "Target.detachedFromTarget") this.#frames.delete(sessionId);
    if (event !== "Target.attachedToTarget") return;
    this.#frames.add(sessionId);
    this.#pages.addSession(targetInfo, sessionId);
    void this.#collectRequestsIn(sessionId);
  }

  /** @param {number} tabId of a tab that the page opened */
  handleOpening(tabId) {
    this.#command?.opened.push(tabId);
  }

  /** @param {string} error of the main frame, for example net::ERR_NAME_NOT_RESOLVED */
  handleLoadError(error) {
    if (error !== NO_PAGE) this.#command?.addLoadError(error);
  }

  /** No further events come, not even that the page has loaded: the browser ends the session when it shows a PDF. */
  handleDetach() {
    this.#loaded();
  }

  /** @param {{id: number, origin: string, auxData: {frameId: string}}} world */
  #noteWorld({ id, origin, auxData }) {
    const isOwn = origin === location.origin && auxData.frameId === this.#pages.mainId;
    if (isOwn) this.ownWorldId = id;
  }

  /**
   * @param {{id: string, loaderId?: string}} mainFrame
   * @param {string} [type] how the page has come; `BackForwardCacheRestore` for one that was there before
   */
  #showsPage({ id, loaderId = "" }, type) {
    this.#isPrinting = false;
    this.arrivals += 1;
    this.network.showsPage(loaderId, type === "BackForwardCacheRestore");
    this.#pages.mainId = id;
  }

  /** @param {string} url */
  #requests(url) {
    this.#isExternal = !LOADABLE.test(url);
    if (this.#isExternal) this.#command?.addExternal(url);
    else this.#isLoading = true;
  }

  #loads() {
    if (this.#isExternal) this.#isExternal = false;
    else this.#isLoading = true;
  }

  #loaded() {
    this.#isLoading = false;
    this.#events.dispatchEvent(new Event("stopped"));
  }

  async #answerDialog() {
    if (!this.#dialog || !this.#command) return;
    const { type, message, defaultPrompt } = this.#dialog;
    this.#dialog = null;
    const { accept, text = defaultPrompt } = this.#command.answerTo(type);
    this.#command.addDialog({
      type,
      message: message.slice(0, MAX_DIALOG_MESSAGE).toWellFormed(),
      answer: accept ? "accepted" : "dismissed",
    });
    await this.send("Page.handleJavaScriptDialog", { accept, ...(type === "prompt" && { promptText: text }) }).catch(
      () => {
        // The user was faster.
      },
    );
    // If the page is not left, nothing loads.
    if (type === "beforeunload" && !accept) this.#loaded();
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
  // Without any reply the page may have navigated away.
  return new Promise((go) => setTimeout(go, 0, true));
}

/** @param {{tabId: number}} target */
async function attach(target) {
  const tryIt = () => chrome.debugger.attach(target, PROTOCOL_VERSION);
  try {
    await tryIt().catch(async (error) => {
      if (!ALREADY_ATTACHED.test(reasonOf(error))) throw error;
      // A killed worker leaves its session behind, and a tab can have only one of ours.
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
    return "Another debugger is attached to this tab, and the browser allows only one. Detach the other one, then try again.";
  }
  if (/different extension/i.test(reason)) {
    return (
      "Another extension has put a frame into this page, so the browser refuses to attach a debugger. " +
      "Turn that extension off for this site, then reload the page."
    );
  }
  return "The browser refuses to attach a debugger to this tab. Reload the page; if that does not help, open it in another tab.";
}

/**
 * @param {string} method
 * @param {unknown} error
 */
function protocolFailure(method, error) {
  const reason = reasonOf(error);
  if (GONE.test(reason)) return new PageLeft();
  // Chrome's message names a method and a parameter; it never quotes the page.
  return failed(`The browser refused ${method}: ${reason}. Reload the page and try again.`);
}

/** @param {unknown} error */
function reasonOf(error) {
  const text = error instanceof Error ? error.message : String(error);
  try {
    // Chrome reports protocol errors as JSON.
    return String(JSON.parse(text).message);
  } catch {
    return text.slice(0, 200);
  }
}
