/** The agents' requests in words, for the popup and the notification. @import {AgentRequest} from "./types.d.ts" */

import { phrase } from "./messages.js";

/**
 * @param {AgentRequest} request
 * @returns {string} a question to the person
 */
export function question({ kind, client, site }) {
  return kind === "attach" ? phrase("attachQuestion", client) : phrase("actQuestion", client, site);
}

/**
 * @param {AgentRequest} request
 * @returns {string} what for, or how far the answer goes
 */
export function explanation({ kind, reason }) {
  return kind === "attach" ? `"${reason}"` : phrase("actExplanation", reason);
}
