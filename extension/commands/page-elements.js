/** @import {CommandContext, ListRequest, PageElements} from "../shared/types.d.ts" */

import { CommandError, failed, invalid } from "../shared/errors.js";
import { pause } from "../browser/async.js";
import { countPending } from "../browser/debugger/pending-requests.js";
import { tabAsAsked } from "../browser/inject.js";
import { listElements } from "../browser/page-elements.js";
import { addressOf } from "../browser/tabs.js";
import { textIn } from "./params.js";

const MAX_LENGTH = 2_000;
/** How long to wait for the first content of a page, and how often to look again. */
const FIRST_CONTENT_MS = 2_000;
const LOOK_MS = 100;
const NO_CONTENT = `no content for ${FIRST_CONTENT_MS / 1_000} s`;

/**
 * Lists what can be done on the page.
 *
 * @param {CommandContext} context `params`: `find`, words; `within`, a selector; `offset`, from an earlier answer
 * @returns {Promise<PageElements>}
 * @throws {CommandError} TAB_NOT_FOUND, UNREADABLE_PAGE, INVALID_ARGUMENT, INVALID_SELECTOR, ELEMENT_NOT_FOUND
 */
export async function pageElements(context) {
  const { params } = context;
  const { offset = null } = params;
  if (offset !== null && !(Number.isInteger(offset) && Number(offset) >= 0)) {
    throw invalid("offset must be an integer of at least 0, such as the next_offset of a reply.");
  }
  const textOf = (/** @type {string} */ name) => textIn(params, name, MAX_LENGTH).trim();
  const request = { find: textOf("find"), within: textOf("within"), offset: Number(offset) };
  const answer = await firstContent(context, request);
  if (answer && "text" in answer) {
    const { text, total, shown, next_offset } = answer;
    return { text, total, shown, next_offset, ...addressOf(tabAsAsked(context)) };
  }
  if (answer && "message" in answer) throw new CommandError(answer.code, answer.message);
  throw failed("The page navigated away before it was listed. Check where the tab is now.");
}

/**
 * Returns the list once the page shows something: many pages render by script after they have loaded.
 *
 * @param {CommandContext} context
 * @param {ListRequest} request
 */
async function firstContent(context, request) {
  const deadline = performance.now() + FIRST_CONTENT_MS;
  const isWhole = request.find === "" && request.within === "";
  for (;;) {
    const isLate = performance.now() > deadline;
    const loading = [...requestsOf(context), ...(isLate && isWhole ? [NO_CONTENT] : [])];
    const answer = await listElements(context, { ...request, loading });
    if (!answer || !("isAwaited" in answer) || !answer.isAwaited || isLate) return answer;
    await pause(LOOK_MS);
    context.signal.throwIfAborted();
  }
}

/**
 * @param {CommandContext} context
 * @returns {string[]} a note if the page has just sent a request and waits for the response, as far as known
 */
function requestsOf({ tabId, sessionPool }) {
  const count = countPending(sessionPool.known(tabId)?.network);
  return count ? [`${count} ${count === 1 ? "request" : "requests"}`] : [];
}
