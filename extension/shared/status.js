/** The connection's state in words, for the popup and the button's tooltip. @import {Status} from "./types.d.ts" */

/**
 * @param {Status} status
 * @returns {string} sentences; the first word is the state: Setup, Connected or Disconnected
 */
export function describe(status) {
  if (status.state === "setup") return `Setup. ${setupAdvice(status)}`;
  if (status.state === "connected") {
    return `Connected to ${status.sessions} ${status.sessions === 1 ? "session" : "sessions"} on port ${status.port}`;
  }
  return `Disconnected. ${disconnectedAdvice(status)}`;
}

/**
 * @param {Status} status
 * @param {number} now milliseconds since 1970
 * @returns {string} when the next attempt comes, or nothing
 */
export function describeRetry({ retryAt }, now) {
  if (retryAt === null) return "";
  return `Trying again in ${Math.max(1, Math.ceil((retryAt - now) / 1000))} s.`;
}

/** @param {Status} status */
function setupAdvice({ paired, port }) {
  if (!paired) return "Run the server with --pair and paste the connection string it prints.";
  return (
    `The program on port ${port} does not have this key. ` +
    "Start the right server, or paste a new connection string from --pair."
  );
}

/** @param {Status} status */
function disconnectedAdvice({ failure, port, connecting }) {
  switch (failure) {
    case "unreachable":
      return `Server not reachable on port ${port}. Is it running?`;
    case "no_answer":
      return `The program on port ${port} does not answer as the server should. Is another program using that port?`;
    case "closed":
      return `The server on port ${port} has closed the connection.`;
    case "other_protocol":
      return `The server on port ${port} speaks another version of the protocol. Update it and this extension together.`;
    case "already_connected":
      return `The server on port ${port} already serves this extension in another browser. Disconnect it there first.`;
    default:
      return connecting ? `Connecting to port ${port}.` : `Press Reconnect to connect to port ${port} again.`;
  }
}
