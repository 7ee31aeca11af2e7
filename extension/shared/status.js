/** The connection's state in words, for the popup, the panel and the button's tooltip. @import {Status} from "./types.d.ts" */

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
 * @returns {string} sentences; the first says the state
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
 * @returns {string} which of several browser profiles this one is; empty while it is the only one
 */
export function identityOf({ state, name, browsers, isCopy }) {
  if (state !== "connected" || browsers < 2) return "";
  return `${phrase("connectedAs", name, browsers)}${isCopy ? ` ${phrase("profileCopied")}` : ""}`;
}

/**
 * @param {Status} status
 * @returns {"good" | "neutral" | "error"} only what the user has to fix is an error
 */
export function toneOf({ state, failure, autoReconnect }) {
  if (state === "connected") return "good";
  return state === "disconnected" && failure && autoReconnect ? "error" : "neutral";
}

/**
 * @param {Status} status
 * @returns {string} the clients by name, each once, and how many others there are: "claude-code (2), cursor and 1 more"
 */
function clientsOf({ sessions, clients }) {
  if (!clients.length) return sessions === 1 ? phrase("oneSession") : phrase("manySessions", sessions);
  const counts = Map.groupBy(clients, (name) => name);
  const names = [...counts].map(([name, { length }]) => (length > 1 ? `${name} (${length})` : name));
  if (sessions > clients.length) names.push(phrase("moreSessions", sessions - clients.length));
  return new Intl.ListFormat(language()).format(names);
}

/** @param {Status} status */
function advice({ failure, port }) {
  switch (failure) {
    case "unreachable":
    case "closed":
      return phrase("adviceNoServer", port ?? "");
    case "no_answer":
      return phrase("adviceNoAnswer", port ?? "");
    case "foreign":
      return phrase("adviceForeign", port ?? "");
    case "wrong_key":
      return phrase("adviceWrongKey", port ?? "");
    case "other_protocol":
      return phrase("adviceOtherProtocol", port ?? "");
    case "too_many":
      return phrase("adviceTooMany", port ?? "");
    case null:
      return phrase("adviceReconnect", port ?? "");
  }
}
