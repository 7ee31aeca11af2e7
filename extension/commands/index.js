/** @import {CommandEntry} from "../shared/types.d.ts" */

import { chooseAttachedTab } from "../worker/attachments.js";
import { driving, undisturbed } from "../worker/debugger.js";
import { consoleLogs } from "./console.js";
import { getDataLayer } from "./data-layer.js";
import { evaluate } from "./evaluate.js";
import { click, fill, hover, select } from "./input.js";
import { back, forward, navigate } from "./navigation.js";
import { chooseReadableTab, readTab } from "./reading.js";
import { screenshot } from "./screenshot.js";
import { closeTab, createTab, getTabs, listTabs } from "./tabs.js";

/**
 * Every command that the server may send; the keys are the protocol's names.
 *
 * @type {Record<string, CommandEntry>}
 */
export const commands = {
  read_tab: { chooseTab: chooseReadableTab, run: undisturbed(readTab) },
  browser_get_tabs: { run: getTabs },
  browser_create_tab: { run: createTab },
  browser_close_tab: { run: closeTab },
  list_tabs: { run: listTabs },
  getDataLayer: { chooseTab: chooseAttachedTab, run: undisturbed(getDataLayer) },
  navigate: { chooseTab: chooseAttachedTab, run: driving(navigate) },
  back: { chooseTab: chooseAttachedTab, run: driving(back) },
  forward: { chooseTab: chooseAttachedTab, run: driving(forward) },
  screenshot: { chooseTab: chooseAttachedTab, run: driving(screenshot) },
  click: { chooseTab: chooseAttachedTab, run: driving(click) },
  hover: { chooseTab: chooseAttachedTab, run: driving(hover) },
  fill: { chooseTab: chooseAttachedTab, run: driving(fill) },
  select: { chooseTab: chooseAttachedTab, run: driving(select) },
  evaluate: { chooseTab: chooseAttachedTab, run: driving(evaluate) },
  console_logs: { chooseTab: chooseAttachedTab, run: driving(consoleLogs) },
};
