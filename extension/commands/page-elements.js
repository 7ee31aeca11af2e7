/** @import {CommandContext, PageElements} from "../shared/types.d.ts" */

import { CommandError, invalid } from "../shared/errors.js";
import { tabAsAsked } from "../browser/inject.js";
import { listElements } from "../browser/page-elements.js";
import { addressOf } from "../browser/tabs.js";

const MAX_LENGTH = 2_000;

/**
 * What can be done on the page.
 *
 * @param {CommandContext} context `params`: `find`, words; `within`, a selector; `offset`, from an earlier answer
 * @returns {Promise<PageElements>}
 * @throws {CommandError} TAB_NOT_FOUND, UNREADABLE_PAGE, INVALID_ARGUMENT, INVALID_SELECTOR, ELEMENT_NOT_FOUND
 */
export async function pageElements(context) {
  const { params } = context;
  const { offset = null } = params;
  if (offset !== null && !(Number.isInteger(offset) && Number(offset) >= 0)) {
    throw invalid("offset must be a whole number from 0 on, as next_offset gives it.");
  }
  const request = { find: textOf(params, "find"), within: textOf(params, "within"), offset: Number(offset) };
  const answer = await listElements(context, request);
  if (answer && "text" in answer) {
    const { text, total, shown, next_offset } = answer;
    return { text, total, shown, next_offset, ...addressOf(tabAsAsked(context)) };
  }
  if (answer && "message" in answer) throw new CommandError(answer.code, answer.message);
  throw new CommandError(
    "EXECUTION_ERROR",
    "The page navigated away before it was listed. Check where the tab is now.",
  );
}

/**
 * @param {Record<string, unknown>} params
 * @param {string} name
 */
function textOf(params, name) {
  const text = params[name] ?? "";
  if (typeof text === "string" && text.length <= MAX_LENGTH) return text.trim();
  throw invalid(`${name} must be a text of at most ${MAX_LENGTH} characters.`);
}
