/** The attached tabs in the popup, each with Detach. @import {AttachedView} from "../../shared/types.d.ts" */

import { phrase } from "../../shared/messages.js";
import { byId, make, makeButton, refill, setText } from "../dom.js";

const section = byId("attached", HTMLElement);
const heading = byId("attached-heading", HTMLElement);
const list = byId("attached-tabs", HTMLElement);

/**
 * @param {AttachedView[]} tabs
 * @param {boolean} areOthers whether the active tab is also attached
 * @param {(tabId: number) => void} onDetach
 */
export function showAttachedTabs(tabs, areOthers, onDetach) {
  section.hidden = !tabs.length;
  setText(heading, phrase(areOthers ? "otherAttachedTabs" : "attachedTabs"));
  const items = tabs.map((tab) => ({ key: String(tab.id), element: item(tab, onDetach) }));
  refill(list, items, byId("stop", HTMLElement));
}

/**
 * @param {AttachedView} tab
 * @param {(tabId: number) => void} onDetach
 */
function item({ id, title, site }, onDetach) {
  return make(
    "li",
    {},
    make("span", { className: "title", title, dir: "auto" }, title),
    make("span", { className: "hint" }, site),
    makeButton(phrase("detach"), () => onDetach(id), phrase("detachTab", title)),
  );
}
