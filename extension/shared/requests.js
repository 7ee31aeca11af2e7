/** The agents' requests in words, for the popup and the notification. @import {AgentRequest} from "./types.d.ts" */

/**
 * @param {AgentRequest} request
 * @returns {string} a question to the person
 */
export function question({ client }) {
  return `Attach this tab for ${client}?`;
}
