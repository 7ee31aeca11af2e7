/** The agents' requests in words, for the popup and the notification. @import {AgentRequest} from "./types.d.ts" */

import { phrase } from "./messages.js";

/**
 * @param {AgentRequest} request
 * @returns {string} a question to the person
 */
export function question({ client }) {
  return phrase("attachQuestion", client);
}
