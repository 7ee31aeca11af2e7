/** The texts of consent prompts, for the popup and the notification. @import {ConsentPrompt} from "./types.d.ts" */

import { HAS_DEBUGGER } from "./capabilities.js";
import { phrase } from "./messages.js";

/**
 * @param {ConsentPrompt} request
 * @returns {string} a question to the user
 */
export function question({ kind, client, site }) {
  return kind === "attach" ? phrase("attachQuestion", client) : phrase("actQuestion", client, site);
}

/**
 * @param {ConsentPrompt} request
 * @returns {string} the client's own words, in quotes; empty when it gives no reason
 */
export function statedReason({ kind, reason }) {
  return kind === "attach" ? `"${reason}"` : "";
}

/**
 * @param {ConsentPrompt} request
 * @returns {string} what Allow permits, and for how long
 */
export function explanation({ kind, reason }) {
  if (kind === "act") return phrase("actExplanation", reason);
  return phrase(HAS_DEBUGGER ? "attachExplanation" : "attachExplanationReading");
}
