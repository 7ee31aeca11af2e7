/**
 * The controls for attaching, shared by the popup and the DevTools panel.
 *
 * @import {ViewedTab} from "../shared/types.d.ts"
 */

import { HAS_DEBUGGER } from "../shared/capabilities.js";
import { phrase } from "../shared/messages.js";
import { setText } from "./dom.js";

/**
 * @param {object} controls
 * @param {HTMLButtonElement} controls.attachButton
 * @param {HTMLElement} controls.tabObstacle
 * @param {HTMLElement} controls.evaluateRow
 * @param {HTMLInputElement} controls.allowEvaluate
 * @param {HTMLElement} controls.privateRow
 * @param {HTMLInputElement} controls.showPrivate
 * @param {ViewedTab | null} tab null if it is closed
 * @param {string} [attachLabel]
 */
export function showAttachment(
  { attachButton, tabObstacle, evaluateRow, allowEvaluate, privateRow, showPrivate },
  tab,
  attachLabel = phrase("attachThisTab"),
) {
  const isAttached = tab?.attached ?? false;
  setText(attachButton, isAttached ? phrase("detach") : attachLabel);
  attachButton.dataset.action = isAttached ? "detach" : "attach";
  attachButton.disabled = !tab || (!isAttached && tab.obstacle !== "");
  setText(tabObstacle, tab?.obstacle ?? "");
  tabObstacle.hidden = !tab || tab.obstacle === "";
  evaluateRow.hidden = !isAttached || !HAS_DEBUGGER;
  privateRow.hidden = !isAttached;
  allowEvaluate.checked = tab?.allowEvaluate ?? false;
  showPrivate.checked = tab?.showPrivate ?? false;
}
