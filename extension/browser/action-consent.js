/**
 * Sites where the user wants to be asked before an agent acts (`ask = true` in the configuration file). A Yes applies
 * to one session, one tab and one origin, until the tab is detached or the worker ends.
 *
 * @import {Attachment, Command, Services, TabWithId} from "../shared/types.d.ts"
 */

import { CommandError } from "../shared/errors.js";
import { hostOf, isMatch } from "../shared/denied-hosts.js";
import { consentPrompt } from "./consent-prompts.js";
import { originOf, urlOf } from "./tabs.js";

/** @type {WeakMap<Attachment, Set<string>>} what was allowed in an attached tab; discarded with the attachment */
const allowed = new WeakMap();

/**
 * Asks the user, unless no prompt is needed or the user has already agreed.
 *
 * @param {TabWithId} tab
 * @param {Command} command
 * @param {Services} services
 * @param {AbortSignal} signal
 * @throws {CommandError} ATTACH_DENIED, COMMAND_TIMEOUT, RATE_LIMITED, TAB_DISCONNECTED
 */
export async function askToAct(tab, command, services, signal) {
  if (await mayAct(tab, command, services)) return;
  const attachment = await services.attachments.get(tab.id);
  // A command without consent for the tab is rejected later, in its turn.
  if (!attachment) return;
  const request = consentPrompt("act", tab, command.session, command.command);
  await services.consentPrompts.ask(request, signal);
  const known = allowed.get(attachment) ?? new Set();
  allowed.set(attachment, known.add(keyOf(tab, command)));
}

/**
 * @param {TabWithId} tab as it is when the command's turn comes
 * @param {Command} command
 * @param {Services} services
 * @throws {CommandError} ATTACH_DENIED
 */
export async function requireActing(tab, command, services) {
  if (await mayAct(tab, command, services)) return;
  throw new CommandError(
    "ATTACH_DENIED",
    `Tab ${tab.id} went to another site, where actions need the user's consent. Send the command again.`,
  );
}

/**
 * @param {TabWithId} tab
 * @param {Command} command
 * @param {Services} services
 */
async function mayAct(tab, command, { attachments }) {
  const attachment = await attachments.get(tab.id);
  const wasAllowed = attachment !== undefined && allowed.get(attachment)?.has(keyOf(tab, command));
  return wasAllowed || !asksFirst(urlOf(tab), command);
}

/**
 * @param {string} url
 * @param {Command} command `params.ask_hosts`: hosts, each with whether to ask there; the last match counts
 */
function asksFirst(url, { params: { ask_hosts } }) {
  const hosts = /** @type {[string, boolean][]} */ (ask_hosts ?? []);
  return hosts.findLast(([host]) => isMatch(hostOf(url), host))?.[1] ?? false;
}

/**
 * @param {TabWithId} tab
 * @param {Command} command
 */
function keyOf(tab, { session }) {
  return JSON.stringify([session?.id ?? "", originOf(tab)]);
}
