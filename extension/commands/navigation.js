/** @import {DrivenContext, Navigated} from "../shared/types.d.ts" */

import { CommandError } from "../shared/errors.js";
import { endsWithin } from "../browser/async.js";
import { runInPage } from "../browser/inject.js";
import { isHttpError } from "../browser/debugger/failed-requests.js";
import { PageLoadWatch } from "../browser/page-load.js";
import { addressOf, tabById } from "../browser/tabs.js";
import { integerIn } from "./params.js";
import { webAddressOf } from "./tabs.js";

/** Slightly shorter than a command's limit, so that this error reaches the client first. */
const LONGEST_WAIT_MS = 29_000;
const MOST_MS = 30_000;
/** A busy page, or an image without any bytes, may not answer at all. */
const STATUS_MS = 5_000;
const SILENT =
  "The page has loaded but does not respond, so its HTTP status is unknown. Take a screenshot, or navigate elsewhere.";

/**
 * @param {DrivenContext} context `params`: `url`, http or https; `timeout`, milliseconds; `on_dialog`, `dialog_text`
 * @returns {Promise<Navigated>}
 * @throws {CommandError} INVALID_ARGUMENT, NAVIGATION_FAILED, COMMAND_TIMEOUT
 */
export async function navigate(context) {
  const url = webAddressOf(context.params);
  const leave = () => chrome.tabs.update(context.tabId, { url });
  const timeout = integerIn(context.params, "timeout", MOST_MS, MOST_MS, " milliseconds");
  const page = await load(context, Math.min(timeout, LONGEST_WAIT_MS), leave);
  if (!isHttpError(page.status)) return page;
  throw new CommandError(
    "NAVIGATION_FAILED",
    `The server returned HTTP status ${page.status}, and the tab shows its error page. Check the address.`,
  );
}

/**
 * @param {DrivenContext} context
 * @returns {Promise<Navigated>}
 * @throws {CommandError} NAVIGATION_FAILED, COMMAND_TIMEOUT
 */
export async function back(context) {
  return load(context, LONGEST_WAIT_MS, () => move(context.session, -1));
}

/**
 * @param {DrivenContext} context
 * @returns {Promise<Navigated>}
 * @throws {CommandError} NAVIGATION_FAILED, COMMAND_TIMEOUT
 */
export async function forward(context) {
  return load(context, LONGEST_WAIT_MS, () => move(context.session, 1));
}

/**
 * chrome.tabs.goBack, like the browser's button, would skip pages without user interaction.
 *
 * @param {DrivenContext["session"]} session
 * @param {-1 | 1} step
 */
async function move(session, step) {
  const { currentIndex, entries } = await session.send("Page.getNavigationHistory");
  const entry = entries[currentIndex + step];
  if (!entry) {
    const where = step < 0 ? "before" : "after";
    throw new CommandError(
      "NAVIGATION_FAILED",
      `The tab's history has no page ${where} this one. Use navigate instead.`,
    );
  }
  await session.send("Page.navigateToHistoryEntry", { entryId: entry.id });
}

/**
 * @param {DrivenContext} context
 * @param {number} timeoutMs
 * @param {() => Promise<unknown>} leave makes the tab load another page
 * @returns {Promise<Navigated>}
 */
async function load(context, timeoutMs, leave) {
  const { tabId, signal, session } = context;
  const { status, url, pendingUrl } = await tabById(tabId);
  if (status === "loading") await session.send("Page.stopLoading");
  const watch = new PageLoadWatch([url, pendingUrl]);
  const timeUp = AbortSignal.timeout(timeoutMs);
  // A page that comes later is not awaited.
  const letLoad = session.sendAtEnd("Page.stopLoading");
  try {
    signal.throwIfAborted();
    await leave();
    await Promise.race([watch.loaded(tabId, AbortSignal.any([signal, timeUp])), session.refusedLeave()]);
  } catch (error) {
    if (error !== timeUp.reason) throw error;
    // On a busy machine the events of the page may still be in transit. They arrive before this reply.
    await tabById(tabId);
    throw tooSlow(timeoutMs, watch.hasPage(tabId));
  } finally {
    if (!timeUp.aborted && !signal.aborted) letLoad();
    watch.stop();
  }
  const tab = await tabById(tabId);
  return { ...addressOf(tab), status: await statusOf(context) };
}

/** @param {DrivenContext} context */
async function statusOf(context) {
  // Even a page that extensions cannot access has loaded.
  const reply = runInPage(context, { func: readStatus, args: [null] }).catch(() => null);
  if (!(await endsWithin(STATUS_MS, reply))) {
    context.session.addNote(SILENT);
    return null;
  }
  const status = await reply;
  return typeof status === "number" && status > 0 ? status : null;
}

/** Runs in the page. */
function readStatus() {
  const [entry] = performance.getEntriesByType("navigation");
  return /** @type {PerformanceNavigationTiming | undefined} */ (entry)?.responseStatus;
}

/**
 * @param {number} timeoutMs
 * @param {boolean} hasPage whether the tab shows a part of the new page
 */
function tooSlow(timeoutMs, hasPage) {
  if (!hasPage) {
    return new CommandError(
      "COMMAND_TIMEOUT",
      `The server sent no page within ${timeoutMs} ms, so the tab stays on the previous page. Try again later.`,
    );
  }
  return new CommandError(
    "COMMAND_TIMEOUT",
    `The page did not finish loading within ${timeoutMs} ms. Read what has loaded so far, or try again.`,
  );
}
