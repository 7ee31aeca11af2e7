/** @import {CommandContext, ConsoleEntry, ConsoleLogs} from "../shared/types.d.ts" */

import { isDenied, leftOut } from "../shared/denied-hosts.js";
import { redactorFor } from "../browser/redaction.js";
import { integerIn } from "./params.js";

const DEFAULT_MAX = 100;
const MOST = 1_000;

/**
 * @param {CommandContext} context `params`: `max`
 * @returns {Promise<ConsoleLogs>}
 * @throws {CommandError} INVALID_ARGUMENT, UNREADABLE_PAGE
 */
export async function consoleLogs({ tabId, params, sessionPool, deniedHosts }) {
  const max = integerIn(params, "max", MOST, DEFAULT_MAX);
  const { console: log } = await sessionPool.open(tabId);
  const redactor = await redactorFor(tabId);
  /** @type {ConsoleEntry[]} */
  const entries = [];
  let hidden = 0;
  for (const entry of await log.newest()) {
    if (entries.length === max) break;
    if (log.pagesOf(entry).some((url) => isDenied(url, deniedHosts))) hidden += 1;
    else entries.push({ ...entry, message: redactor.addresses(entry.message), url: redactor.address(entry.url) });
  }
  return { entries, total: log.total, ...leftOut(hidden) };
}
