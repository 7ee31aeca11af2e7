/**
 * The way to the elements of a page: files that are put into it once and then only asked.
 *
 * @import {CommandContext, ElementAnswer, ElementRequest} from "../shared/types.d.ts"
 * @import {PageFunction} from "./page-access.js"
 */

import { askPage, runInPage } from "./page-access.js";

/** Classic scripts, in the order in which they need each other; each leaves one constant in our world of the page. */
const FILES = [
  "dom",
  "texts",
  "geometry",
  "search",
  "unique-selectors",
  "near-misses",
  "focusing",
  "targets",
  "options",
  "scrolling",
  "readiness",
  "press-watch",
  "fields",
  "filled-fields",
  "commands",
].map((name) => `page/elements/${name}.js`);

/** Times that a page may leave while it is asked. */
const MAX_UNANSWERED = 5;

/**
 * Finds an element and acts on it: in the page that follows, when the first one leaves before it has answered.
 *
 * @param {CommandContext} context
 * @param {(tab: chrome.tabs.Tab) => Omit<ElementRequest, "id">} requestFor
 * @returns {Promise<ElementAnswer | null>} null when no page answers
 * @throws {CommandError} TAB_NOT_FOUND, UNREADABLE_PAGE, and the reason of the signal
 */
export async function actOnElement(context, requestFor) {
  const id = context.requestId;
  const cancel = ask("cancel", { id });
  for (let unanswered = 0; unanswered < MAX_UNANSWERED;) {
    const answer = await askPage(context, (tab) => ({ ...ask("act", { ...requestFor(tab), id }), cancel }));
    if (answer === "absent") await askPage(context, () => ({ files: FILES }));
    else if (answer) return /** @type {ElementAnswer} */ (answer);
    // The browser may tell that the page has left only after the page has fallen silent.
    else unanswered += 1;
  }
  return null;
}

/**
 * @param {CommandContext} context
 * @param {"finishFill" | "readChecked" | "readPressed" | "watchPress"} look at what input has made of the element
 * @param {object} [request]
 * @returns {Promise<unknown>} null when the page has gone
 * @throws {CommandError} UNREADABLE_PAGE, PageLeft, and the reason of the signal
 */
export async function lookAtElement(context, look, request) {
  const id = context.requestId;
  const answer = await runInPage(context, { ...ask(look, { ...request, id }), cancel: ask("cancel", { id }) });
  return answer === "absent" ? null : answer;
}

/**
 * @param {keyof typeof chromeTabReader} command
 * @param {object} request of that command, in page/elements/commands.js
 * @returns {PageFunction}
 */
function ask(command, request) {
  return { func: forward, args: [{ command, request }] };
}

/**
 * Runs in the page.
 *
 * @param {{command: keyof typeof chromeTabReader, request: any}} message
 */
function forward({ command, request }) {
  // A page's element of that name is no property of the global object itself.
  return Object.hasOwn(globalThis, "chromeTabReader") ? chromeTabReader[command](request) : "absent";
}
