/** @import {CommandContext, PageReading, TabText} from "../shared/types.d.ts" */

import { CommandError } from "../shared/errors.js";
import { readPage } from "../page/read-page.js";
import { askPage, unreadable } from "../worker/page-access.js";

/**
 * @param {CommandContext} context `params`: `start` and `end`, each a keyword or null
 * @returns {Promise<TabText>}
 * @throws {CommandError} TAB_NOT_FOUND, UNREADABLE_PAGE, INVALID_ARGUMENT and what the page function answers
 */
export async function readTab(context) {
  const { tabId, params } = context;
  const keywords = { start: keywordOf(params, "start"), end: keywordOf(params, "end") };
  const script = () => ({ func: readPage, args: /** @type {[unknown]} */ ([keywords]) });
  const reading = /** @type {PageReading | null} */ (await askPage(context, script));
  if (!reading) throw unreadable("The page could not be read. Reload it and try again.");
  const { code, message, text, url, title } = reading;
  if (code) throw new CommandError(code, message);
  return { tab_id: tabId, text, url, title };
}

/**
 * @param {Record<string, unknown>} params
 * @param {string} name
 */
function keywordOf(params, name) {
  const keyword = params[name] ?? null;
  if (keyword === null || typeof keyword === "string") return keyword;
  throw new CommandError("INVALID_ARGUMENT", `${name} must be a text or null.`);
}
