/**
 * The connection's state in words, for the popup, the panel and the button's tooltip.
 *
 * @import {CloseReason, Status} from "./types.d.ts"
 */

import { language, phrase } from "./messages.js";

/** @satisfies {Record<Status["state"], import("./messages.js").MessageKey>} */
const STATES = {
  setup: "stateSetup",
  connected: "stateConnected",
  paired: "statePaired",
  disconnected: "stateDisconnected",
};

/**
 * @param {Status} status
 * @returns {string} one word
 */
export function wordOf({ state }) {
  return phrase(STATES[state]);
}

/**
 * @param {Status} status
 * @returns {string} sentences; the first names the state
 */
export function describe(status) {
  switch (status.state) {
    case "setup":
      return phrase("statusSetup");
    case "connected":
      return phrase("statusConnected", clientsOf(status));
    case "paired":
      return phrase("statusPaired");
    case "disconnected":
      return phrase("statusDisconnected", advice(status));
  }
}

/**
 * @param {Status} status
 * @returns {string} which of several browser profiles this is; empty if it is the only one
 */
export function identityOf({ state, name, browsers, isCopy }) {
  if (state !== "connected" || browsers < 2) return "";
  return `${phrase("connectedAs", name, browsers)}${isCopy ? ` · ${phrase("profileCopied")}` : ""}`;
}

/**
 * @param {Status} status
 * @returns {"good" | "neutral" | "error"} "error" only if the user has to fix something
 */
export function toneOf({ state, failure, autoReconnect }) {
  if (state === "connected") return "good";
  return state === "disconnected" && failure && autoReconnect ? "error" : "neutral";
}

/**
 * @param {Status} status
 * @returns {string} the distinct client names, and the number of others: "Claude Code (2), Cursor and 1 more"
 */
function clientsOf({ sessions, clients }) {
  if (!clients.length) return sessions === 1 ? phrase("oneSession") : phrase("manySessions", sessions);
  const counts = Map.groupBy(clients.map(clientName), (name) => name);
  const names = [...counts].map(([name, { length }]) => (length > 1 ? `${name} (${length})` : name));
  if (sessions > clients.length) names.push(phrase("moreSessions", sessions - clients.length));
  return new Intl.ListFormat(language()).format(names);
}

/** Names that clients report, and the names that users know. */
const CLIENT_NAMES = new Map([
  ["claude-code", "Claude Code"],
  ["claude-ai", "Claude"],
  ["cursor-vscode", "Cursor"],
  ["codex-mcp-client", "Codex"],
  ["gemini-cli-mcp-client", "Gemini CLI"],
  ["chrome-tab-reader-test-app", "Test app"],
]);

/**
 * @param {string} name as reported by a client
 * @returns {string} the name that users know
 */
export function clientName(name) {
  if (name === "side-panel") return phrase("clientSidePanel");
  if (name === "terminal") return phrase("clientTerminal");
  return CLIENT_NAMES.get(name) ?? name;
}

/** @param {Status} status */
function advice({ failure, port }) {
  return failure ? advise(failure, port) : phrase("adviceReconnect", port ?? "");
}

/**
 * @param {CloseReason} reason
 * @param {number | null} port
 * @returns {string} what happened, and what to do
 */
export function advise(reason, port) {
  switch (reason) {
    case "unreachable":
    case "closed":
      return phrase("adviceNoServer", port ?? "");
    case "no_answer":
      return phrase("adviceNoAnswer", port ?? "");
    case "foreign":
      return phrase("adviceForeign", port ?? "");
    case "wrong_copy":
      return phrase("adviceWrongCopy");
    case "wrong_key":
      return phrase("adviceWrongKey", port ?? "");
    case "other_protocol":
      return phrase("adviceOtherProtocol", port ?? "");
    case "too_many":
      return phrase("adviceTooMany", port ?? "");
  }
}
