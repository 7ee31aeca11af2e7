/** @import {TabInfo} from "../types.d.ts" */

import { normalTabs, urlOf } from "../tabs.js";

/** @returns {Promise<TabInfo[]>} the tabs of all normal windows */
export async function getTabs() {
  return (await normalTabs()).map((tab) => ({
    id: tab.id,
    url: urlOf(tab),
    title: tab.title ?? "",
    active: tab.active,
    windowId: tab.windowId,
  }));
}
