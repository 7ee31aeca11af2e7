/** The controls of attaching, alike in the popup and the DevTools panel. @import {ViewedTab} from "../shared/types.d.ts" */

import { setText } from "./dom.js";

/**
 * @param {object} controls
 * @param {HTMLButtonElement} controls.attachButton
 * @param {HTMLElement} controls.tabObstacle
 * @param {HTMLElement} controls.evaluateRow
 * @param {HTMLInputElement} controls.allowEvaluate
 * @param {ViewedTab | null} tab null when it is closed
 */
export function showAttachment({ attachButton, tabObstacle, evaluateRow, allowEvaluate }, tab) {
  const isAttached = tab?.attached ?? false;
  setText(attachButton, isAttached ? "Detach" : "Attach to this Tab");
  attachButton.dataset.action = isAttached ? "detach" : "attach";
  attachButton.disabled = !tab || (!isAttached && tab.obstacle !== "");
  setText(tabObstacle, tab?.obstacle ?? "");
  tabObstacle.hidden = !tab || isAttached || tab.obstacle === "";
  evaluateRow.hidden = !isAttached;
  allowEvaluate.checked = tab?.allowEvaluate ?? false;
}
