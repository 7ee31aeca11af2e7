/** @import {CommandContext, PageReading, TabText} from "../shared/types.d.ts" */

import { CommandError, invalid } from "../shared/errors.js";
import { readPage } from "../page/read-page.js";
import { hostOf } from "../worker/denied-hosts.js";
import { framedPages } from "../worker/framed-pages.js";
import { askPage, runInPage, unreadable } from "../worker/page-access.js";
import { tabById } from "../worker/tabs.js";
import { endsWithin } from "../worker/waiting.js";

/** For the frames of other sites, which are read side by side. */
const FRAMES_WAIT_MS = 3_000;

/** What finds the main content, in this order; the same list stands in scripts/embed_page_function.py. */
const MAIN_CONTENT = [
  "vendor/readability.js",
  ...["visible-copy", "text-blocks", "block-model", "markdown", "main-content"].map(
    (name) => `page/main-content/${name}.js`,
  ),
];

/**
 * @param {CommandContext} context `params`: `start` and `end`, each a keyword or null; `content`: "main" or "all"; `links`:
 *   whether the main content names the addresses of its links
 * @returns {Promise<TabText>}
 * @throws {CommandError} TAB_NOT_FOUND, UNREADABLE_PAGE, INVALID_ARGUMENT and what the page function answers
 */
export async function readTab(context) {
  const { tabId, params } = context;
  const keywords = { start: keywordOf(params, "start"), end: keywordOf(params, "end") };
  const request = {
    ...keywords,
    content: contentOf(params),
    links: params["links"] === true,
    more: await framedText(context),
  };
  const script = () => ({ func: readPage, args: /** @type {[unknown]} */ ([request]) });
  let reading = /** @type {PageReading | "absent" | null} */ (await askPage(context, script));
  while (reading === "absent") {
    await askPage(context, () => ({ files: MAIN_CONTENT }));
    reading = /** @type {PageReading | "absent" | null} */ (await askPage(context, script));
  }
  if (!reading) throw unreadable("The page could not be read. Reload it and try again.");
  const { code, message, text, url, title, content } = reading;
  if (code) throw new CommandError(code, message);
  const { incognito } = await tabById(tabId);
  return { tab_id: tabId, text, url, title, incognito, ...(content && { content }) };
}

/**
 * @param {CommandContext} context
 * @returns {Promise<string>} what a person reads in frames of other sites, each after a line that names its host
 */
async function framedText(context) {
  /** @type {string[]} */
  const texts = [];
  const work = framedPages(context).then((pages) =>
    Promise.all(
      pages.map(async (page, index) => {
        const script = { func: readPage, args: /** @type {[unknown]} */ ([{}]) };
        const reading = /** @type {PageReading | null} */ (
          await runInPage({ ...context, page }, script).catch(() => null)
        );
        const text = reading?.text;
        if (text) texts[index] = `\n\n[Frame: ${hostOf(page.url)}]\n${text}`;
      }),
    ),
  );
  // A frame that leaves or is busy takes nothing from the others.
  await endsWithin(
    FRAMES_WAIT_MS,
    work.catch(() => {}),
  );
  context.signal.throwIfAborted();
  return texts.join("");
}

/** @param {Record<string, unknown>} params */
function contentOf(params) {
  const content = params["content"] ?? "all";
  if (content === "all" || content === "main") return content;
  throw invalid('content must be "all" or "main".');
}

/**
 * @param {Record<string, unknown>} params
 * @param {string} name
 */
function keywordOf(params, name) {
  const keyword = params[name] ?? null;
  if (keyword === null || typeof keyword === "string") return keyword;
  throw invalid(`${name} must be a text or null.`);
}
