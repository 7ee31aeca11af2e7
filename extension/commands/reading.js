/** @import {CommandContext, PageReading, TabText} from "../shared/types.d.ts" */

import { CommandError } from "../shared/errors.js";
import { readPage } from "../page/read-page.js";
import { readableTab, runInPage, unreadable } from "../worker/page-access.js";
import { tabById, viewedTab } from "../worker/tabs.js";

/**
 * Pairing is consent enough to read: any tab may be meant.
 *
 * @param {number | null} tabId null for the tab that the person last looked at
 */
export async function chooseReadableTab(tabId) {
  return tabId === null ? viewedTab() : tabById(tabId);
}

/**
 * @param {CommandContext} context `params`: `start` and `end`, each a keyword or null
 * @returns {Promise<TabText>}
 * @throws {CommandError} TAB_NOT_FOUND, UNREADABLE_PAGE, INVALID_ARGUMENT and what the page function answers
 */
export async function readTab({ tabId, params }) {
  const keywords = { start: keywordOf(params, "start"), end: keywordOf(params, "end") };
  const tab = await readableTab(tabId);
  const reading = /** @type {PageReading | null} */ (await runInPage(tab, { func: readPage, args: [keywords] }));
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
