/** The texts of consent prompts, for the popup and the notification. @import {ConsentPrompt} from "./types.d.ts" */

import { HAS_DEBUGGER } from "./capabilities.js";
import { phrase } from "./messages.js";
import { clientName } from "./status.js";
import { isolated } from "./text.js";

/** How long a prompt waits for the user. */
export const ANSWER_TIMEOUT_MS = 60_000;

/**
 * @param {ConsentPrompt} request
 * @returns {string} a question to the user
 */
export function question({ kind, client, site }) {
  return kind === "attach"
    ? phrase("attachQuestion", clientName(client))
    : phrase("actQuestion", clientName(client), site);
}

/**
 * @param {ConsentPrompt} request
 * @returns {string} the client's own reason, in quotes after its name; empty if it gives none
 */
export function statedReason({ kind, client, reason }) {
  return kind === "attach" ? phrase("requestReason", clientName(client), isolated(reason)) : "";
}

/**
 * @param {ConsentPrompt} request
 * @returns {string} what Allow permits, and for how long
 */
export function explanation({ kind, reason }) {
  if (kind === "act") return phrase("actExplanation", reason);
  return phrase(HAS_DEBUGGER ? "attachExplanation" : "attachExplanationReading");
}
