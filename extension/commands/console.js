/** @import {ConsoleLogs, DrivenContext} from "../shared/types.d.ts" */

import { CommandError } from "../shared/errors.js";

const DEFAULT_MAX = 100;
const MOST = 1_000;

/**
 * @param {DrivenContext} context `params`: `max`
 * @returns {Promise<ConsoleLogs>}
 * @throws {CommandError} INVALID_ARGUMENT
 */
export async function consoleLogs({ params, session }) {
  const max = params.max ?? DEFAULT_MAX;
  if (!Number.isInteger(max) || Number(max) < 1 || Number(max) > MOST) {
    throw new CommandError("INVALID_ARGUMENT", `max must be a whole number from 1 to ${MOST}.`);
  }
  return { entries: await session.console.newest(Number(max)), total: session.console.total };
}
