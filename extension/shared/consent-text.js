/** The agents' requests in words, for the popup and the notification. @import {AgentRequest} from "./types.d.ts" */

import { HAS_DEBUGGER } from "./capabilities.js";
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
 * @returns {string} the client's own words, in quotes; empty when it gives no reason
 */
export function statedReason({ kind, reason }) {
  return kind === "attach" ? `"${reason}"` : "";
}

/**
 * @param {AgentRequest} request
 * @returns {string} what Allow permits, and for how long
 */
export function explanation({ kind, reason }) {
  if (kind === "act") return phrase("actExplanation", reason);
  return phrase(HAS_DEBUGGER ? "attachExplanation" : "attachExplanationReading");
}
