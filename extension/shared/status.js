/** The connection's state in words, for the popup, the panel and the button's tooltip. @import {Status} from "./types.d.ts" */

/**
 * @param {Status} status
 * @returns {string} sentences; the first word is the state: Setup, Connected, Paired or Disconnected
 */
export function describe(status) {
  switch (status.state) {
    case "setup":
      return "Setup. Run the server with --pair and paste the connection string it prints.";
    case "connected":
      return `Connected to ${clientsOf(status)}.`;
    case "paired":
      return "Paired. Connects when your client starts.";
    case "disconnected":
      return `Disconnected. ${advice(status)}`;
  }
}

/**
 * @param {Status} status
 * @returns {"good" | "neutral" | "error"} only what the person has to mend is an error
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
  if (!clients.length) return counted(sessions, "session");
  const counts = Map.groupBy(clients, (name) => name);
  const names = [...counts].map(([name, { length }]) => (length > 1 ? `${name} (${length})` : name));
  if (sessions > clients.length) names.push(`${sessions - clients.length} more`);
  return new Intl.ListFormat("en").format(names);
}

/** @param {Status} status */
function advice({ failure, port }) {
  switch (failure) {
    case "unreachable":
    case "closed":
      return `No server runs on port ${port}. Start your client, then press Reconnect.`;
    case "no_answer":
      return `The program on port ${port} does not answer. If it is your client, restart it; otherwise end that program.`;
    case "foreign":
      return `Another program has port ${port}. End it, or choose another --port for the server and pair again.`;
    case "wrong_key":
      return (
        `The server on port ${port} has another key. Start the one this extension was paired with, ` +
        "or paste a new connection string from --pair."
      );
    case "other_protocol":
      return `The server on port ${port} speaks another version of the protocol. Update it and this extension together.`;
    case "already_connected":
      return `The server on port ${port} already serves this extension in another browser. Disconnect it there first.`;
    case null:
      return "Press Reconnect to let your clients in again.";
  }
}

/**
 * @param {number} count
 * @param {string} noun
 */
function counted(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
