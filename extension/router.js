/**
 * What others may ask for, in two tiers: the server, which has proved that it has the key, may send the commands of the
 * table; our own pages may change the pairing and what is attached. Nobody else reaches either function.
 *
 * @import {Action, Command, CommandEntry, ErrorCode, Response, View} from "./types.d.ts"
 * @import {Attachments} from "./attachments.js"
 * @import {Bridge} from "./bridge.js"
 */

import { commands } from "./commands/index.js";
import { CommandError } from "./errors.js";
import { parseConnectionString } from "./pairing.js";
import { inTurn } from "./tab-queue.js";
import { obstacleOf, viewedTab } from "./tabs.js";
import { isLongerThan } from "./utf8.js";

const COMMAND_TIMEOUT_MS = 30_000;
const MAX_FRAME_OUT_BYTES = 64 * 1024 * 1024;

// --- The server

/**
 * Runs one command of the server. Never throws.
 *
 * @param {Command} command
 * @returns {Promise<string>} the response as JSON, within the limit for a frame
 */
export async function answerCommand(command) {
  const { id } = command;
  try {
    const result = await withTimeLimit((signal) => runCommand(command, signal));
    const frame = encode({ id, type: "response", success: true, result, error: null });
    // Escaping can make the text of a hostile page six times as long.
    return isLongerThan(MAX_FRAME_OUT_BYTES, frame) ? failure(id, tooLarge()) : frame;
  } catch (error) {
    return failure(id, error);
  }
}

/**
 * @param {Command} command
 * @param {AbortSignal} signal
 */
async function runCommand({ command, tab_id, params }, signal) {
  const entry = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (!entry) {
    throw new CommandError(
      "INVALID_ARGUMENT",
      "This version of the extension does not know the command. Update the extension and the server together.",
    );
  }
  if (!entry.chooseTab) return entry.run({ tabId: chrome.tabs.TAB_ID_NONE, params });
  const tabId = await entry.chooseTab(tab_id);
  return inTurn(tabId, signal, () => entry.run({ tabId, params }));
}

/**
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} work
 * @returns {Promise<T>}
 */
async function withTimeLimit(work) {
  const controller = new AbortController();
  const { promise: timeUp, reject } = Promise.withResolvers();
  const timer = setTimeout(() => {
    const error = new CommandError(
      "COMMAND_TIMEOUT",
      "The tab did not answer within 30 s. Its page may be busy or show a dialog: close the dialog or reload the page.",
    );
    controller.abort(error);
    reject(error);
  }, COMMAND_TIMEOUT_MS);
  try {
    return await Promise.race([work(controller.signal), timeUp]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * @param {string} id
 * @param {unknown} error
 */
function failure(id, error) {
  const { code, message } = error instanceof CommandError ? error : unexpected(error);
  return encode({ id, type: "response", success: false, result: null, error: { message, code } });
}

/** @param {Response} response */
function encode(response) {
  return JSON.stringify(response);
}

/** @param {unknown} error */
function unexpected(error) {
  // Its message could quote the page; its name cannot.
  console.debug("A command failed unexpectedly:", error instanceof Error ? error.name : typeof error);
  return new CommandError(
    "EXECUTION_ERROR",
    "The extension failed at this command. Reload it in chrome://extensions, and report it if it happens again.",
  );
}

function tooLarge() {
  return new CommandError(
    "UNREADABLE_PAGE",
    "The answer takes more than 64 MiB. Name a start and an end keyword to read a part of the page.",
  );
}

// --- Our own pages

/**
 * @param {Action} action
 * @param {Bridge} bridge
 * @param {Attachments} attachments
 * @throws {CommandError} with a sentence for the person
 */
export async function performAction(action, bridge, attachments) {
  switch (action.action) {
    case "connect": {
      const pairing = parseConnectionString(action.connectionString);
      // What was allowed to one server is not allowed to the next.
      await attachments.detachAll();
      return bridge.pair(pairing);
    }
    case "forget":
      await attachments.detachAll();
      return bridge.forget();
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
      return attachments.setAllowEvaluate(action.tabId, action.on);
  }
}

/**
 * @param {Bridge} bridge
 * @param {Attachments} attachments
 * @returns {Promise<View>} what our own pages show
 */
export async function currentView(bridge, attachments) {
  const status = await bridge.status();
  const tab = await viewedTab().catch(() => null);
  if (!tab) return { type: "view", status, tab: null };
  const attachment = await attachments.get(tab.id);
  return {
    type: "view",
    status,
    tab: {
      id: tab.id,
      title: tab.title || tab.url || "",
      attached: attachment !== undefined,
      allowEvaluate: attachment?.allowEvaluate ?? false,
      obstacle: obstacleOf(tab),
    },
  };
}
