/**
 * Which tab a command may use, by the consent that the table of commands requires:
 *
 * - `paired`: pairing is sufficient for any tab.
 * - `attached`: the user has attached the tab.
 * - `evaluate`: and has also turned on its switch for JavaScript.
 *
 * A switch applies only to the origin that it was turned on for.
 *
 * @import {Consent, TabWithId} from "../shared/types.d.ts"
 * @import {Attachments} from "./attachments.js"
 */

import { CommandError } from "../shared/errors.js";
import { tabById, viewedTab } from "./tabs.js";

const HOW_TO_ATTACH =
  "Ask the user with browser_attach_tab, or open a tab with browser_create_tab. The user attaches a tab with " +
  '"Attach to this Tab" in the popup of the extension.';
const TITLE_LENGTH = 60;
const NAMED_TABS = 10;

/**
 * @param {Consent} consent
 * @param {number | null} tabId null for the tab that the user last looked at, or the one attached tab
 * @param {Attachments} attachments
 * @throws {CommandError} TAB_NOT_ATTACHED, TAB_NOT_FOUND, AMBIGUOUS_TAB, EVALUATE_NOT_ALLOWED
 */
export async function chooseTab(consent, tabId, attachments) {
  if (consent === "paired") return tabId === null ? viewedTab() : tabById(tabId);
  const tab = tabId === null ? onlyAttachedTab(await attachments.tabs()) : await tabById(tabId);
  await requireConsent(consent, tab.id, attachments);
  return tab;
}

/**
 * Checked again when a command's turn comes: the user may have changed their mind.
 *
 * @param {Consent} consent
 * @param {number} tabId
 * @param {Attachments} attachments
 * @throws {CommandError} TAB_NOT_ATTACHED, TAB_NOT_FOUND, EVALUATE_NOT_ALLOWED
 */
export async function requireConsent(consent, tabId, attachments) {
  if (consent === "paired") return;
  const attachment = await attachments.get(tabId);
  if (!attachment) throw new CommandError("TAB_NOT_ATTACHED", `Tab ${tabId} is not attached. ${HOW_TO_ATTACH}`);
  if (consent === "attached") return;
  if ((await attachments.switchesOf(await tabById(tabId))).evaluate) return;
  throw new CommandError(
    "EVALUATE_NOT_ALLOWED",
    `Tab ${tabId} does not let clients run JavaScript. The user can allow it for this tab in the ` +
      "extension's popup or DevTools panel; until then, use the other tools.",
  );
}

/**
 * @param {number} tabId of an attached tab
 * @param {Attachments} attachments
 * @throws {CommandError} PRIVATE_NOT_ALLOWED, TAB_NOT_FOUND
 */
export async function requirePrivateValues(tabId, attachments) {
  if ((await attachments.switchesOf(await tabById(tabId))).privateValues) return;
  throw new CommandError(
    "PRIVATE_NOT_ALLOWED",
    `Private values of tab ${tabId} are redacted. The user can turn on "Show private values" for this tab in the ` +
      "extension's popup or DevTools panel; until then, call without redact=false.",
  );
}

/** @param {TabWithId[]} tabs */
function onlyAttachedTab([first, ...others]) {
  if (!first) throw new CommandError("TAB_NOT_ATTACHED", `No tab is attached. ${HOW_TO_ATTACH}`);
  if (!others.length) return first;
  const named = [first, ...others].slice(0, NAMED_TABS).map(({ id, title }) => `${id} ${quote(title ?? "")}`);
  throw new CommandError(
    "AMBIGUOUS_TAB",
    `${others.length + 1} tabs are attached: ${named.join(", ")}. Pass one of them as tab_id; list_tabs lists them all.`,
  );
}

/** @param {string} title of a page, which may imitate part of the sentence */
function quote(title) {
  return JSON.stringify(title.slice(0, TITLE_LENGTH).toWellFormed());
}
