/** @import {CommandEntry} from "../shared/types.d.ts" */

import { HAS_DEBUGGER } from "../shared/capabilities.js";
import { commandTable } from "../shared/command-table.js";
import { attachTab } from "./attach.js";
import { consoleLogs } from "./console.js";
import { getDataLayer } from "./data-layer.js";
import { pageElements } from "./page-elements.js";
import { drag } from "./drag.js";
import { evaluate } from "./evaluate.js";
import { fill, select } from "./fill.js";
import { fillForm } from "./fill-form.js";
import { press } from "./press.js";
import { highlightInTab } from "./highlight-in-tab.js";
import { click, hover } from "./click.js";
import { back, forward, navigate } from "./navigation.js";
import { networkRequests } from "./network.js";
import { readTab } from "./read-tab.js";
import { screenshot } from "./screenshot.js";
import { scroll } from "./scroll.js";
import { closeTab, createTab, getTabs, listTabs } from "./tabs.js";
import { upload } from "./upload.js";
import { waitFor } from "./wait-for.js";

/** The function of each command; everything else about it is in shared/commands.json. */
const FUNCTIONS = {
  browser_get_tabs: getTabs,
  browser_create_tab: createTab,
  browser_close_tab: closeTab,
  browser_attach_tab: attachTab,
  list_tabs: listTabs,
  read_tab: readTab,
  highlight_in_tab: highlightInTab,
  getDataLayer,
  console_logs: consoleLogs,
  network_requests: networkRequests,
  page_elements: pageElements,
  navigate,
  back,
  forward,
  screenshot,
  click,
  hover,
  press,
  drag,
  scroll,
  wait_for: waitFor,
  fill,
  fill_form: fillForm,
  upload,
  select,
  evaluate,
};

/**
 * Every command that the server may send, once `loaded`; the keys are the protocol's names. The router checks the
 * consent (browser/consent.js) and provides the debugger (browser/debugger/command-session.js); no command does either
 * itself.
 *
 * @type {Record<string, CommandEntry>}
 */
export const commands = {};

export const loaded = commandTable().then((table) => {
  for (const [name, run] of Object.entries(FUNCTIONS)) {
    const description = table[name];
    if (!description) throw new TypeError(`commands.json does not describe ${name}.`);
    commands[name] = { ...description, run };
  }
});

/** @returns {string[]} commands that this browser cannot run, so that the server does not offer them */
export function missing() {
  return Object.keys(commands).filter((name) => {
    const use = commands[name]?.debugger;
    return !HAS_DEBUGGER && use !== "nothing" && use !== "read";
  });
}
