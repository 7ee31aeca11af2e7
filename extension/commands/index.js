/** @import {CommandEntry} from "../types.d.ts" */

import { chooseReadableTab, readTab } from "./reading.js";
import { getTabs } from "./tabs.js";

/**
 * Every command that the server may send; the keys are the protocol's names.
 *
 * @type {Record<string, CommandEntry>}
 */
export const commands = {
  read_tab: { chooseTab: chooseReadableTab, run: readTab },
  browser_get_tabs: { run: getTabs },
};
