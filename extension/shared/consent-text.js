/** The texts of consent prompts, for the popup and the notification. @import {ConsentPrompt} from "./types.d.ts" */

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
 * @returns {string} what for, or how far the answer goes
 */
export function explanation({ kind, reason }) {
  return kind === "attach" ? `"${reason}"` : phrase("actExplanation", reason);
}
