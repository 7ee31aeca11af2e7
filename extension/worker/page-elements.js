/**
 * The way to the elements of a page: files that are put into it once and then only asked.
 *
 * @import {CommandContext, ElementAnswer, ElementRequest, ListAnswer, ListRequest, WaitAnswer, WaitRequest} from "../shared/types.d.ts"
 * @import {PageFunction} from "./page-access.js"
 */

import { askPage, runInPage } from "./page-access.js";

/** Classic scripts, in the order in which they need each other; each leaves one constant in our world of the page. */
const FILES = filesOf([
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
  "awaiting",
  "press-watch",
  "fields",
  "filled-fields",
  "commands",
]);
/** What only the list of elements needs, after them. */
const LIST_FILES = filesOf(["names", "roles", "looks", "page-items", "modals", "repeats", "element-list"]);
/** By what a page answers that has not got them. */
const MISSING = new Map([
  ["absent", FILES],
  ["incomplete", LIST_FILES],
]);

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
  return /** @type {Promise<ElementAnswer | null>} */ (askElements(context, "act", requestFor));
}

/**
 * Waits until a page shows what it should: also the one that follows.
 *
 * @param {CommandContext} context
 * @param {() => Omit<WaitRequest, "id">} requestNow
 * @returns {Promise<WaitAnswer | null>} null when no page answers
 * @throws {CommandError} TAB_NOT_FOUND, UNREADABLE_PAGE, and the reason of the signal
 */
export async function waitForElements(context, requestNow) {
  return /** @type {Promise<WaitAnswer | null>} */ (askElements(context, "waitFor", requestNow));
}

/**
 * @param {CommandContext} context
 * @param {"act" | "waitFor"} command
 * @param {(tab: chrome.tabs.Tab) => object} requestFor
 * @returns {Promise<unknown>}
 */
async function askElements(context, command, requestFor) {
  const id = context.requestId;
  const cancel = ask("cancel", { id });
  for (let unanswered = 0; unanswered < MAX_UNANSWERED;) {
    const answer = await askPage(context, (tab) => ({ ...ask(command, { ...requestFor(tab), id }), cancel }));
    const files = MISSING.get(/** @type {string} */ (answer));
    if (files) await askPage(context, () => ({ files }));
    else if (answer) return answer;
    // The browser may tell that the page has left only after the page has fallen silent.
    else unanswered += 1;
  }
  return null;
}

/**
 * @param {CommandContext} context
 * @param {ListRequest} request
 * @returns {Promise<ListAnswer>}
 * @throws {CommandError} TAB_NOT_FOUND, UNREADABLE_PAGE, and the reason of the signal
 */
export async function listElements(context, request) {
  for (;;) {
    const answer = await askPage(context, () => ask("list", request));
    const files = MISSING.get(/** @type {string} */ (answer));
    if (!files) return /** @type {ListAnswer} */ (answer);
    await askPage(context, () => ({ files }));
  }
}

/**
 * @param {Pick<CommandContext, "tabId" | "signal" | "requestId">} context
 * @param {"finishFill" | "finishScroll" | "placeOf" | "readChecked" | "readDrag" | "readPressed" | "watchPress"} look at
 *   what input has made of the element
 * @param {object} [request]
 * @returns {Promise<unknown>} null when the page has gone
 * @throws {CommandError} UNREADABLE_PAGE, PageLeft, and the reason of the signal
 */
export async function lookAtElement(context, look, request) {
  const id = context.requestId;
  const answer = await runInPage(context, { ...ask(look, { ...request, id }), cancel: ask("cancel", { id }) });
  return MISSING.has(/** @type {string} */ (answer)) ? null : answer;
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
  if (!Object.hasOwn(globalThis, "chromeTabReader")) return "absent";
  const run = chromeTabReader[command];
  return run ? run(request) : "incomplete";
}

/** @param {string[]} names */
function filesOf(names) {
  return names.map((name) => `page/elements/${name}.js`);
}
