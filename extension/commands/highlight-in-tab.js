/** @import {CommandContext, HighlightedText} from "../shared/types.d.ts" */

import { highlightText } from "../page/highlight-text.js";
import { CommandError, failed, invalid } from "../shared/errors.js";
import { searchablePages } from "../browser/frame-text.js";
import { askPage, runInPage, tabAsAsked } from "../browser/inject.js";

/** Maximum number of highlighted occurrences of a passage. */
const MAX_OCCURRENCES = 50;
const MAX_TEXT_LENGTH = 2_000;
/**
 * A style sheet of the extension: it also applies in shadow roots, and does not show up in the page's own lists. The
 * browser ignores user styles here.
 */
const STYLE = "::highlight(chrome-tab-reader) { background-color: #ffe066; color: #1a1a1a; }";

/**
 * Highlights a passage in the page, or in the first of its frames that shows it, and scrolls there. An empty text
 * removes the highlights.
 *
 * @param {CommandContext} context `params`: `text`
 * @returns {Promise<HighlightedText>}
 * @throws {CommandError} KEYWORD_NOT_FOUND, INVALID_ARGUMENT, UNREADABLE_PAGE, TAB_NOT_FOUND, EXECUTION_ERROR
 */
export async function highlightInTab(context) {
  const text = context.params["text"];
  if (typeof text !== "string" || text.length > MAX_TEXT_LENGTH) {
    throw invalid(`text must be a string of at most ${MAX_TEXT_LENGTH} characters.`);
  }
  let shown = outcomeOf(await askPage(context, () => scriptFor(text)));
  const { id: tabId = context.tabId, url = "", title = "" } = tabAsAsked(context);
  if (shown.found > 0) await style({ tabId });
  for (const page of await searchablePages(context)) {
    // After the first match the others only remove their last highlight. A frame that navigates or is inaccessible must
    // not prevent searching the others.
    const script = scriptFor(shown.found > 0 ? "" : text);
    const found = outcomeOf(await runInPage({ ...context, page }, script).catch(() => null));
    if (found.found === 0) continue;
    shown = found;
    await style({ tabId, documentIds: [page.documentId] });
  }
  if (text && shown.found === 0) {
    throw new CommandError(
      "KEYWORD_NOT_FOUND",
      "The page does not show this text outside of its fields. Copy a passage that read_chrome_tab returned, and open " +
        "folded sections first.",
    );
  }
  return { tab_id: tabId, matches: shown.found, in_view: shown.inView, url, title };
}

/** @param {string} text */
function scriptFor(text) {
  return { func: highlightText, args: /** @type {[unknown]} */ ([{ text, limit: MAX_OCCURRENCES }]) };
}

/**
 * @param {unknown} answer of the function in the page
 * @returns {{found: number, inView: boolean}}
 */
function outcomeOf(answer) {
  if (answer === "unsupported") {
    throw failed("This version of the browser cannot highlight text. Update the browser.");
  }
  if (answer === "pdf") {
    throw new CommandError(
      "UNREADABLE_PAGE",
      "The browser's PDF viewer does not let extensions highlight a passage. Open the link to it that evidence=true returns.",
    );
  }
  return /** @type {{found: number, inView: boolean} | null} */ (answer) ?? { found: 0, inView: false };
}

/** @param {chrome.scripting.InjectionTarget} target */
async function style(target) {
  const sheet = /** @type {const} */ ({ target, css: STYLE, origin: "AUTHOR" });
  // Once per document, however often it is requested.
  await chrome.scripting.removeCSS(sheet).catch(() => {});
  await chrome.scripting.insertCSS(sheet);
}
