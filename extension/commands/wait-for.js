/** Waits for changes that a page makes by itself. @import {DrivenContext} from "../shared/types.d.ts" */

import { CommandError, invalid } from "../shared/errors.js";
import { waitForElements } from "../browser/page-elements.js";
import { addressOf, tabById } from "../browser/tabs.js";
import { optionalSelectorOf } from "./element-params.js";
import { integerIn, textIn } from "./params.js";

const DEFAULT_MS = 10_000;
const MOST_MS = 25_000;
const MAX_TEXT_LENGTH = 1_000;

/**
 * @param {DrivenContext} context `params`: `text`, which should appear; `gone`, a text that should disappear;
 *   `selector` of what should become visible; at least one of them; `timeout`, milliseconds
 * @throws {CommandError} INVALID_ARGUMENT, INVALID_SELECTOR, COMMAND_TIMEOUT
 */
export async function waitFor(context) {
  const { params, tabId } = context;
  const textOf = (/** @type {string} */ name) => textIn(params, name, MAX_TEXT_LENGTH).trim();
  const wanted = { text: textOf("text"), gone: textOf("gone"), selector: optionalSelectorOf(context) };
  if (!wanted.text && !wanted.gone && !wanted.selector) throw invalid("Pass what to wait for: text, gone or selector.");
  const whole = integerIn(params, "timeout", MOST_MS, DEFAULT_MS, " milliseconds");
  const end = performance.now() + whole;
  const answer = await waitForElements(context, () => ({ ...wanted, whole, timeout: end - performance.now() }));
  if (!answer) {
    throw new CommandError(
      "COMMAND_TIMEOUT",
      "The page navigated away each time before it could be checked. Check where the tab is now.",
    );
  }
  if (answer.code) throw new CommandError(answer.code, answer.message);
  const { element, matches, notes } = answer;
  return { element, matches, ...addressOf(await tabById(tabId)), ...(notes && { notes }) };
}
