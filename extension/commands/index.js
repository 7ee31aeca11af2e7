/** @import {CommandEntry} from "../shared/types.d.ts" */

import { HAS_DEBUGGER } from "../shared/capabilities.js";
import { attachTab } from "./attaching.js";
import { consoleLogs } from "./console.js";
import { getDataLayer } from "./data-layer.js";
import { pageElements } from "./elements.js";
import { drag } from "./dragging.js";
import { evaluate } from "./evaluate.js";
import { fill, select } from "./fields.js";
import { fillForm } from "./forms.js";
import { press } from "./keyboard.js";
import { click, hover } from "./mouse.js";
import { back, forward, navigate } from "./navigation.js";
import { networkRequests } from "./network.js";
import { readTab } from "./reading.js";
import { screenshot } from "./screenshot.js";
import { scroll } from "./scrolling.js";
import { closeTab, createTab, getTabs, listTabs } from "./tabs.js";
import { upload } from "./upload.js";
import { waitFor } from "./waiting.js";

/**
 * Every command that the server may send; the keys are the protocol's names. The router asks for the consent
 * (consent.js) and lends the debugger (debugger-uses.js); no command does either by itself.
 *
 * @type {Record<string, CommandEntry>}
 */
export const commands = {
  browser_get_tabs: { consent: "paired", page: false, debugger: "nothing", run: getTabs },
  browser_create_tab: { consent: "paired", page: false, debugger: "nothing", run: createTab },
  browser_close_tab: { consent: "paired", page: false, debugger: "nothing", run: closeTab },
  browser_attach_tab: { consent: "paired", page: false, debugger: "nothing", asks: true, run: attachTab },
  list_tabs: { consent: "paired", page: false, debugger: "nothing", run: listTabs },
  read_tab: { consent: "paired", page: true, debugger: "reads", run: readTab },
  getDataLayer: { consent: "attached", page: true, debugger: "reads", run: getDataLayer },
  console_logs: { consent: "attached", page: true, debugger: "observes", run: consoleLogs },
  network_requests: { consent: "attached", page: true, debugger: "observes", run: networkRequests },
  page_elements: { consent: "attached", page: true, debugger: "reads", run: pageElements },
  navigate: { consent: "attached", page: true, debugger: "leaves", run: navigate },
  back: { consent: "attached", page: true, debugger: "leaves", run: back },
  forward: { consent: "attached", page: true, debugger: "leaves", run: forward },
  screenshot: { consent: "attached", page: true, debugger: "acts", run: screenshot },
  click: { consent: "attached", page: true, debugger: "acts", run: click },
  hover: { consent: "attached", page: true, debugger: "acts", run: hover },
  press: { consent: "attached", page: true, debugger: "acts", run: press },
  drag: { consent: "attached", page: true, debugger: "acts", run: drag },
  scroll: { consent: "attached", page: true, debugger: "acts", run: scroll },
  wait_for: { consent: "attached", page: true, debugger: "acts", run: waitFor },
  fill: { consent: "attached", page: true, debugger: "acts", run: fill },
  fill_form: { consent: "attached", page: true, debugger: "acts", run: fillForm },
  upload: { consent: "attached", page: true, debugger: "acts", run: upload },
  select: { consent: "attached", page: true, debugger: "acts", run: select },
  evaluate: { consent: "evaluate", page: true, debugger: "acts", run: evaluate },
};

/** What this browser cannot do: the server does not offer it. */
export const missing = Object.keys(commands).filter((name) => {
  const use = commands[name]?.debugger;
  return !HAS_DEBUGGER && use !== "nothing" && use !== "reads";
});
