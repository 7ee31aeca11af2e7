/** Identifies the current tab, in the popup and in the side panel. @import {ViewedTab} from "../shared/types.d.ts" */

import { KEEPS_ICONS } from "../shared/capabilities.js";
import { siteOf } from "../shared/text.js";
import { setText } from "./dom.js";

/**
 * @param {{tabIcon: HTMLImageElement, tabTitle: HTMLElement, tabHost: HTMLElement}} page
 * @param {ViewedTab} tab
 */
export function showTabIdentity({ tabIcon, tabTitle, tabHost }, { title, url }) {
  setText(tabTitle, title);
  tabTitle.title = title;
  const site = siteOf(url);
  // An empty tab has its address as its title.
  setText(tabHost, site === title ? "" : site);
  // From the browser's own cache: the page's server gets no request.
  tabIcon.hidden = !KEEPS_ICONS;
  if (KEEPS_ICONS) tabIcon.src = chrome.runtime.getURL(`/_favicon/?pageUrl=${encodeURIComponent(url)}&size=32`);
}
