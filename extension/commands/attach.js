/** @import {CommandContext, CreatedTab} from "../shared/types.d.ts" */

import { CommandError, invalid } from "../shared/errors.js";
import { plainLine } from "../shared/text.js";
import { PageLoadWatch } from "../browser/page-load.js";
import { consentPrompt } from "../browser/consent-prompts.js";
import { addressOf, obstacleOf, originOf, tabById } from "../browser/tabs.js";

const MAX_REASON_LENGTH = 200;

/**
 * Asks the user to attach a tab, and waits for the answer. A discarded tab is reloaded first.
 *
 * @param {CommandContext} context `params`: `reason`, the purpose in words for the user
 * @returns {Promise<CreatedTab>}
 * @throws {CommandError} ATTACH_DENIED, COMMAND_TIMEOUT, HOST_BLOCKED, INVALID_ARGUMENT, NAVIGATION_FAILED, RATE_LIMITED,
 *   TAB_NOT_FOUND, TAB_DISCONNECTED, UNREADABLE_PAGE
 */
export async function attachTab({ tabId, params, attachments, consentPrompts, caller, signal }) {
  if (tabId === chrome.tabs.TAB_ID_NONE) throw invalid("Pass the tab as tab_id; browser_get_tabs lists the tabs.");
  const reason = reasonOf(params);
  const tab = await tabById(tabId);
  const obstacle = obstacleOf(tab);
  if (obstacle) throw new CommandError("UNREADABLE_PAGE", obstacle);
  const isAttached = await attachments.get(tabId);
  if (!isAttached) await consentPrompts.ask(consentPrompt("attach", tab, caller, reason), signal);
  await wake(tabId, signal);
  if (!isAttached) {
    // The user saw and allowed this site.
    if (originOf(await tabById(tabId)) !== originOf(tab)) throw movedOn(tabId);
    await attachments.attach(tabId, signal);
  }
  return { tab_id: tabId, ...addressOf(await tabById(tabId)) };
}

/**
 * Reloads a tab that the browser has discarded, in place.
 *
 * @param {number} tabId
 * @param {AbortSignal} signal
 */
async function wake(tabId, signal) {
  if (!(await tabById(tabId)).discarded) return;
  const watch = new PageLoadWatch();
  try {
    await chrome.tabs.reload(tabId);
    await watch.loaded(tabId, signal);
  } finally {
    watch.stop();
  }
}

/** @param {Record<string, unknown>} params */
function reasonOf({ reason }) {
  const line = typeof reason === "string" ? plainLine(reason, MAX_REASON_LENGTH) : "";
  if (line) return line;
  throw invalid("reason must be a sentence that tells the user why you need the tab.");
}

/** @param {number} tabId */
function movedOn(tabId) {
  return new CommandError(
    "ATTACH_DENIED",
    `Tab ${tabId} went to another site before the user answered, so the answer no longer applies. Ask again.`,
  );
}
