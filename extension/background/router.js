/**
 * What may be requested, in two tiers: the server, which has proved that it has the key, may send the commands of the
 * table; our own pages may change the pairing and the attachments. Nothing else reaches either function.
 *
 * @import {Action, Command, ErrorCode, Response, Services, TabWithId, View} from "../shared/types.d.ts"
 * @import {Activity} from "./activity-log.js"
 * @import {Bridge} from "./bridge.js"
 */

import { commands, loaded, missing } from "../commands/index.js";
import { askToAct } from "../browser/action-consent.js";
import { EXTENSIONS_PAGE } from "../shared/capabilities.js";
import { CommandError, StorageError, invalid } from "../shared/errors.js";
import { chooseTab, requireConsent } from "../browser/consent.js";
import { usingDebugger } from "../browser/debugger/command-session.js";
import { noteFirstLook, refuseSleeping } from "../browser/inject.js";
import { withOwner } from "../browser/page-owners.js";
import { parseConnectionString } from "./pairing.js";
import { ANSWER_TIMEOUT_MS } from "../shared/consent-text.js";
import { isDenied } from "../shared/denied-hosts.js";
import { SiteRules } from "../browser/site-rules.js";
import { log } from "./log.js";
import { inTurn } from "./tab-queue.js";
import { plainLine, siteOf, titleOf } from "../shared/text.js";
import { spokenObstacleOf, tabById, urlOf, viewedTab } from "../browser/tabs.js";
import { isLongerThan } from "./utf8.js";
import { abortAll, unlessAborted } from "../browser/async.js";

const COMMAND_TIMEOUT_MS = 30_000;
/** Longer than the queue's limit, so that the command's own error comes first. */
const ABORT_GRACE_MS = 200;
/** Without the debugger Chrome does not report crashes to extensions, so a tab with a running command is polled. */
const CRASH_CHECK_MS = 500;
/** An unknown command name may be any text. */
const MAX_COMMAND_LENGTH = 40;
const MAX_FRAME_OUT_BYTES = 64 * 1024 * 1024;

/** @satisfies {Record<string, [ErrorCode, string]>} */
const ENDINGS = {
  closed: ["TAB_DISCONNECTED", "The tab was closed while the command ran. List the tabs with browser_get_tabs."],
  detached: ["TAB_DISCONNECTED", "The tab was detached while the command ran. List the tabs with browser_get_tabs."],
  crashed: ["TAB_DISCONNECTED", "The page crashed, or the tab was replaced, while the command ran. Reload the page."],
  printing: [
    "UNREADABLE_PAGE",
    "The page opened the browser's print dialog and is blocked until it is closed. Ask the user to close it, or leave " +
      "the page with navigate.",
  ],
};

// --- The server

/** @type {Set<AbortController>} of the running commands of the server and of our own pages */
const controllers = new Set();
/** @type {Map<number, Set<AbortController>>} what runs on each tab, or waits for its turn there */
const running = new Map();

/**
 * Runs one command of the server or of one of our own pages. Never throws.
 *
 * @param {Command} command
 * @param {Services} services
 * @param {object} how
 * @param {AbortSignal} how.signal aborted when the response is no longer needed; then nothing more happens
 * @param {boolean} [how.observe] whether a read command must leave everything unchanged
 * @returns {Promise<string>} the response as JSON, within the frame limit
 */
export async function answerCommand(command, services, { signal, observe = false }) {
  const { id } = command;
  const controller = new AbortController();
  await loaded;
  const answerMs = entryOf(command)?.asks ? ANSWER_TIMEOUT_MS : 0;
  const startClock = () => setTimeout(() => controller.abort(timeUp()), COMMAND_TIMEOUT_MS + answerMs);
  let timer = startClock();
  /** @type {<T>(answered: Promise<T>) => Promise<T>} the time the user takes to answer does not count */
  const untilAnswered = async (answered) => {
    clearTimeout(timer);
    return answered.finally(() => {
      if (!controller.signal.aborted) timer = startClock();
    });
  };
  const leave = () => controller.abort(signal.reason);
  signal.addEventListener("abort", leave);
  controllers.add(controller);
  const trace = new Trace(command);
  try {
    const run = () => runCommand(command, services, controller, { observe, trace, untilAnswered });
    const result = await unlessAborted(controller.signal, run, ABORT_GRACE_MS);
    const frame = encode({ id, type: "response", success: true, result, error: null });
    // Escaping can make the text of a hostile page six times as long.
    if (isLongerThan(MAX_FRAME_OUT_BYTES, frame)) throw tooLarge();
    return frame;
  } catch (thrown) {
    const error = controller.signal.aborted ? whyAborted(controller.signal, thrown) : errorOf(thrown);
    trace.code = error.code;
    return failure(id, error);
  } finally {
    clearTimeout(timer);
    controllers.delete(controller);
    if (!observe) trace.write(services.activity);
    signal.removeEventListener("abort", leave);
  }
}

/**
 * Ends every command of a tab at once, because the tab is gone or may no longer be used.
 *
 * @param {number} tabId
 * @param {keyof typeof ENDINGS} ending
 * @returns {Promise<void>} once they are aborted
 */
export async function endCommands(tabId, ending) {
  const [code, message] = ENDINGS[ending];
  await abortAll(running.get(tabId) ?? [], new CommandError(code, message));
}

/** Ends every command of every session at once, because the user pressed Stop. */
function stopAll() {
  const stopped = new CommandError(
    "TAB_DISCONNECTED",
    "The user pressed Stop: all running commands were canceled and all tabs detached. Ask the user before you continue.",
  );
  void abortAll(controllers, stopped);
}

/** What the activity log records about a command. */
class Trace {
  /** @type {"" | ErrorCode} */
  code = "";
  /** @type {chrome.tabs.Tab | null} the tab concerned, as it was then */
  tab = null;
  #begun = Date.now();
  #start = performance.now();
  /** @readonly */
  #command;

  /** @param {Command} command */
  constructor(command) {
    this.#command = command;
  }

  /** @param {Activity} activity */
  write(activity) {
    const { command, session } = this.#command;
    const time = new Date(this.#begun).toISOString();
    const milliseconds = Math.round(performance.now() - this.#start);
    const who = { session: session?.id ?? "", client: session?.client ?? "" };
    activity.add(
      { time, ...who, command: plainLine(command, MAX_COMMAND_LENGTH), code: this.code, milliseconds },
      this.tab,
    );
  }
}

/**
 * Runs a command once its tab is chosen, the user and the rules for sites allow it, and it is its turn.
 *
 * @param {Command} command
 * @param {Services} services
 * @param {AbortController} controller
 * @param {{observe: boolean, trace: Trace, untilAnswered: <T>(answered: Promise<T>) => Promise<T>}} how
 */
async function runCommand(command, services, controller, { observe, trace, untilAnswered }) {
  const { tab_id, params, session: caller } = command;
  const entry = entryOf(command);
  if (!entry) {
    throw invalid(
      "This version of the extension does not know the command. Update the extension and the server together.",
    );
  }
  if (missing().includes(command.command)) throw notHere(command.command);
  const { signal } = controller;
  const { attachments, preferences, rateLimiter } = services;
  await preferences.loaded;
  // A server that does not name the session is an older one.
  if (caller?.id) await rateLimiter.take(caller, signal);
  const rules = new SiteRules(command, services);
  const { deniedHosts } = rules;
  const use = observe && entry.debugger === "read" ? "observe" : entry.debugger;
  const runOn = async (/** @type {number} */ tabId) =>
    usingDebugger(
      use,
      { tabId, params, caller, rules, deniedHosts, ...services, requestId: crypto.randomUUID(), signal },
      entry.run,
    );
  if (!entry.page) {
    trace.tab = await knownTab(tab_id);
    if (trace.tab) await rules.refuseTab(trace.tab);
    const result = await runOn(tab_id ?? chrome.tabs.TAB_ID_NONE);
    trace.tab ??= await knownTab(result.tab_id ?? null);
    return result;
  }
  // Resolving the tab takes a different time for each command; doing it in turn preserves their order.
  const session = JSON.stringify(caller);
  const choose = () => chooseTab(entry.consent, tab_id, attachments);
  const tab = (trace.tab = await inTurn(chrome.tabs.TAB_ID_NONE, signal, choose, session));
  // Navigation of the tab also ends commands that wait in the queue.
  if (use === "interact") await refuseSleeping(tab);
  // Not in its turn: other commands may continue meanwhile.
  if (rules.asks) {
    await rules.refuseTab(tab);
    await untilAnswered(askToAct(await withOwner(tab), command, services, signal));
  }
  const waits = rules.asks || running.has(tab.id);
  return whileTabLives(tab, controller, session, async () => {
    await requireConsent(entry.consent, tab.id, attachments);
    const there = waits ? await tabById(tab.id) : tab;
    noteFirstLook(there, signal);
    return whileAllowed(there, params, rules, () => runOn(tab.id));
  });
}

/**
 * Runs a command on a page that the rules for sites allow. Afterwards they must allow the page that is in the tab then.
 *
 * @template T
 * @param {TabWithId} tab
 * @param {Command["params"]} params of the command
 * @param {SiteRules} rules
 * @param {() => Promise<T>} run
 * @returns {Promise<T>}
 * @throws {CommandError} HOST_BLOCKED, TAB_NOT_FOUND
 */
async function whileAllowed(tab, params, rules, run) {
  await rules.checkTab(tab);
  // Where the command itself navigates; where a page navigates is checked afterwards.
  if (typeof params.url === "string") rules.refuseAddress(params.url);
  try {
    return await run();
  } finally {
    // Any result, even an error, may describe the page that it navigated to.
    const left = rules.isEmpty ? null : await knownTab(tab.id);
    if (left) await rules.refuseTab(left);
  }
}

/** @param {string} command a known one */
function notHere(command) {
  return new CommandError(
    "EXECUTION_ERROR",
    `${command} needs the browser's debugger, which this browser does not offer to extensions. It can read tabs and data ` +
      "layers, and open and close tabs. Ask the user to connect Chrome or another Chromium browser for the rest.",
  );
}

/** @param {number | null} tabId */
async function knownTab(tabId) {
  return tabId === null ? null : tabById(tabId).catch(() => null);
}

/** @param {Command} command */
function entryOf({ command }) {
  return Object.hasOwn(commands, command) ? commands[command] : undefined;
}

/**
 * Runs the work in its turn on the tab. While it runs, it also monitors the tab for the commands that wait: if
 * thousands polled it, the browser would do nothing else.
 *
 * @template T
 * @param {TabWithId} tab
 * @param {AbortController} controller aborted when the tab goes away
 * @param {string} session the session that the work belongs to
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
async function whileTabLives({ id: tabId, status }, controller, session, work) {
  const ofTab = running.get(tabId) ?? new Set();
  running.set(tabId, ofTab.add(controller));
  const hadPage = status !== "unloaded";
  const abortIfLost = async () => {
    if (hadPage && !(await hasPage(tabId))) await endCommands(tabId, "crashed");
  };
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;
  try {
    const looked = () => {
      timer = setInterval(abortIfLost, CRASH_CHECK_MS);
      return work();
    };
    return await inTurn(tabId, controller.signal, looked, session);
  } catch (error) {
    // An error about the page that vanished during the command would mislead the reader.
    if (!controller.signal.aborted) await abortIfLost();
    throw error;
  } finally {
    clearInterval(timer);
    ofTab.delete(controller);
    if (!ofTab.size) running.delete(tabId);
  }
}

/**
 * @param {number} tabId
 * @returns {Promise<boolean>} false if the tab is closed, crashed or discarded
 */
async function hasPage(tabId) {
  const tab = await chrome.tabs.get(tabId).catch(() => null);
  return tab !== null && tab.status !== "unloaded";
}

/**
 * @param {AbortSignal} signal aborted
 * @param {unknown} thrown by the command; used only if it adds to the reason
 */
function whyAborted({ reason }, thrown) {
  const addsMore = thrown instanceof CommandError && thrown.message.startsWith(reason.message);
  return errorOf(addsMore ? thrown : reason);
}

/**
 * @param {string} id
 * @param {CommandError} error
 */
function failure(id, { code, message }) {
  return encode({ id, type: "response", success: false, result: null, error: { message, code } });
}

/** @param {Response} response */
function encode(response) {
  return JSON.stringify(response);
}

/** @param {unknown} error */
function errorOf(error) {
  return error instanceof CommandError ? error : unexpected(error);
}

/** @param {unknown} error */
function unexpected(error) {
  // The message could quote the page; the error's name cannot.
  log(`a command failed unexpectedly: ${error instanceof Error ? error.name : typeof error}`);
  return new CommandError(
    "EXECUTION_ERROR",
    `The extension failed to run this command. Reload it in ${EXTENSIONS_PAGE}, and report it if it happens again.`,
  );
}

function timeUp() {
  return new CommandError(
    "COMMAND_TIMEOUT",
    "The tab did not respond within 30 s. Its page may be busy, show a dialog or the browser's request for a name and " +
      "a password, or be paused in DevTools. Check the tab, reload it, or close it with browser_close_tab.",
  );
}

function tooLarge() {
  return new CommandError(
    "UNREADABLE_PAGE",
    "The reply is larger than 64 MiB. Read a part of the page with start and end keywords.",
  );
}

// --- Our own pages

/**
 * @param {Action} action
 * @param {Bridge} bridge
 * @param {Services} services
 * @throws {CommandError} with a message for the user
 */
export async function performAction(action, bridge, { attachments, consentPrompts, sidePanelChat }) {
  switch (action.action) {
    case "connect": {
      const pairing = parseConnectionString(action.connectionString);
      // What was allowed for one server is not allowed for the next, and its commands end.
      await bridge.disconnect();
      await attachments.detachAll();
      return bridge.pair(pairing);
    }
    case "unpair":
      await bridge.unpair();
      return attachments.detachAll();
    case "disconnect":
      return bridge.disconnect();
    case "reconnect":
      return bridge.reconnect();
    case "set_auto_reconnect":
      return bridge.setAutoReconnect(action.on);
    case "attach":
      return attachments.attach(action.tabId);
    case "detach":
      return attachments.detach(action.tabId);
    case "set_allow_evaluate":
      return attachments.setSwitch(action.tabId, "evaluateOn", action.on);
    case "set_show_private":
      return attachments.setSwitch(action.tabId, "privateOn", action.on);
    case "stop":
      stopAll();
      sidePanelChat.stopAll();
      return attachments.detachAll();
    case "answer_request":
      return consentPrompts.answer(action.id, action.allowed);
  }
}

/**
 * @param {string} name of a shortcut in the manifest
 * @param {chrome.tabs.Tab | undefined} tab the active tab
 * @param {Bridge} bridge
 * @param {Services} services
 * @returns {Promise<void>} a tab that cannot be attached stays as it is, and the popup shows why
 * @throws {StorageError}
 */
export async function performShortcut(name, tab, bridge, services) {
  if (name === "stop") return performAction({ action: "stop" }, bridge, services);
  if (tab?.id === undefined) return;
  const action = (await services.attachments.get(tab.id)) ? "detach" : "attach";
  await performAction({ action, tabId: tab.id }, bridge, services).catch((error) => {
    if (error instanceof StorageError) throw error;
  });
}

/**
 * @param {number | null} tabId null for the tab that the user last looked at
 * @param {Bridge} bridge
 * @param {Services} services
 * @returns {Promise<View>} what our own pages show
 */
export async function viewOf(tabId, bridge, { attachments, consentPrompts, preferences, sidePanelChat }) {
  const status = await bridge.status();
  const attached = (await attachments.tabs()).map((tab) => ({
    id: tab.id,
    title: titleOf(tab),
    site: siteOf(urlOf(tab)),
  }));
  const isRunning = controllers.size > 0 || sidePanelChat.isAnswering;
  const whole = { type: /** @type {const} */ ("view"), status, requests: consentPrompts.list(), attached, isRunning };
  const tab = await (tabId === null ? viewedTab() : tabById(tabId)).catch(() => null);
  if (!tab) return { ...whole, tab: null };
  const switches = await attachments.switchesOf(tab);
  return {
    ...whole,
    tab: {
      id: tab.id,
      url: urlOf(tab),
      title: titleOf(tab) || urlOf(tab),
      attached: (await attachments.get(tab.id)) !== undefined,
      allowEvaluate: switches.evaluate,
      showPrivate: switches.privateValues,
      incognito: tab.incognito,
      obstacle: spokenObstacleOf(tab),
      denied: isDenied(urlOf(tab), [...bridge.deniedHosts, ...preferences.now.deniedHosts]),
    },
  };
}
