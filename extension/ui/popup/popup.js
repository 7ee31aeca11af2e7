/**
 * The popup shows the worker's view and sends it the user's actions; it makes no decisions itself. It may also be open
 * as a normal tab.
 *
 * @import {Action, Refusal, View, ViewedTab} from "../../shared/types.d.ts"
 */

import "../storage-problem.js";
import "../texts.js";
import { showAttachment } from "../attach-controls.js";
import { byId, setText } from "../dom.js";
import { ConnectionControls } from "../connection-controls.js";
import { PairingForm } from "../pairing-form.js";
import { ViewPort } from "../view-port.js";
import { ALL_SITES, HAS_DEBUGGER, openSidePanel } from "../../shared/capabilities.js";
import { phrase } from "../../shared/messages.js";
import { describe, toneOf } from "../../shared/status.js";
import { showTabIdentity } from "../tab-identity.js";
import { startActivityView } from "../activity-view.js";
import { showAttachedTabs } from "./attached-tabs.js";
import { showIdentity } from "./identity.js";
import { showRequests } from "./consent-list.js";

const page = {
  status: byId("status", HTMLElement),
  sentence: byId("sentence", HTMLElement),
  problem: byId("problem", HTMLElement),
  setup: byId("setup", HTMLFormElement),
  tab: byId("tab", HTMLElement),
  tabIcon: byId("tab-icon", HTMLImageElement),
  tabTitle: byId("tab-title", HTMLElement),
  tabHost: byId("tab-host", HTMLElement),
  tabRights: byId("tab-rights", HTMLElement),
  tabObstacle: byId("tab-obstacle", HTMLElement),
  sites: byId("sites", HTMLElement),
  allowSites: byId("allow-sites", HTMLButtonElement),
  askPage: byId("ask-page", HTMLButtonElement),
  attachButton: byId("attachButton", HTMLButtonElement),
  evaluateRow: byId("evaluate-row", HTMLElement),
  allowEvaluate: byId("allow-evaluate", HTMLInputElement),
  privateRow: byId("private-row", HTMLElement),
  showPrivate: byId("show-private", HTMLInputElement),
  stop: byId("stop", HTMLButtonElement),
  connection: byId("connection", HTMLElement),
  connectionDetails: byId("connection-details", HTMLDetailsElement),
  reconnect: byId("reconnect", HTMLButtonElement),
  version: byId("version", HTMLElement),
};

const connectionControls = new ConnectionControls(byId("connection-controls", HTMLElement), ask);
const pairingForm = new PairingForm(page.setup, (connectionString) => ask({ action: "connect", connectionString }));

// The side panel opens only in response to a click, and only at once: what that requires is requested beforehand.
const ownWindow = await chrome.windows.getCurrent();

/** @type {View | undefined} */
let view;

// --- Display

/** @param {View} newView */
function show(newView) {
  const isFirst = view === undefined;
  view = newView;
  const focused = document.activeElement;
  showStatus(newView);
  showTab(newView);
  showRequests(newView.requests, (id, allowed) => ask({ action: "answer_request", id, allowed }));
  // The active tab has a section of its own.
  const others = newView.attached.filter(({ id }) => page.tab.hidden || id !== newView.tab?.id);
  const areOthers = others.length < newView.attached.length;
  showAttachedTabs(others, areOthers, (tabId) => ask({ action: "detach", tabId }));
  page.stop.hidden = !newView.isRunning && !newView.attached.length;
  // Keyboard users must not lose their place when the pressed button disappears.
  const isWaitingForPaste = isFirst && newView.status.state === "setup";
  if (isWaitingForPaste || focused?.closest("[hidden]")) mainControl(newView).focus();
}

/**
 * @param {View} view
 * @returns {HTMLElement} the element to focus in this state
 */
function mainControl({ status }) {
  if (status.state === "setup") return pairingForm.field;
  if (status.state === "disconnected") return page.reconnect;
  const controls = [page.askPage, page.attachButton].filter((button) => button.checkVisibility() && !button.disabled);
  return controls[0] ?? page.connectionDetails.querySelector("summary") ?? page.stop;
}

/** @param {View} newView */
function showStatus({ status }) {
  page.status.dataset.tone = toneOf(status);
  setText(page.sentence, describe(status));
  showIdentity(status);
  const isPairing = pairingForm.show(status);
  page.connection.hidden = !status.paired;
  page.reconnect.hidden = status.state !== "disconnected";
  page.reconnect.classList.toggle("primary", !isPairing);
  connectionControls.show(status);
}

/** @param {View} newView */
function showTab({ status, tab, requests }) {
  const isPaired = status.state === "connected" || status.state === "paired";
  page.tab.hidden = !tab || !(isPaired || tab.attached);
  if (!tab) return;
  showTabIdentity(page, tab);
  setText(page.tabRights, rightsIn(tab));
  // The windows of popups and of sites that are installed as apps have no side panel.
  page.askPage.hidden = !openSidePanel || ownWindow.type !== "normal" || tab.obstacle !== "" || tab.denied;
  // A waiting consent prompt, or Reconnect, comes first.
  page.askPage.classList.toggle("primary", !requests.length && status.state !== "disconnected");
  // Without a connection no client has these rights.
  page.tabRights.hidden = !isPaired || tab.obstacle !== "";
  showAttachment(page, tab);
  page.attachButton.title = tab.attached ? "" : phrase(HAS_DEBUGGER ? "attachHint" : "attachHintReading");
  page.attachButton.classList.toggle("primary", page.askPage.hidden && !tab.attached && !page.attachButton.disabled);
}

/** @param {ViewedTab} tab */
function rightsIn({ attached, denied }) {
  if (denied) return phrase("obstacleDenied");
  if (HAS_DEBUGGER) return phrase(attached ? "rightsAttached" : "rights");
  return phrase(attached ? "rightsAttachedReading" : "rightsReading");
}

/** The user may revoke the permission granted at installation, or may not have granted it yet. */
async function showSites() {
  page.sites.hidden = await chrome.permissions.contains(ALL_SITES);
}

/** @param {Refusal} refusal */
function showRefusal({ action, message }) {
  if (action === "connect") pairingForm.refuse(message);
  else setText(page.problem, message);
}

/** @param {Action} action */
function ask(action) {
  setText(page.problem, "");
  port.send(action);
}

// --- User actions

page.stop.addEventListener("click", () => ask({ action: "stop" }));
page.reconnect.addEventListener("click", () => ask({ action: "reconnect" }));
page.attachButton.addEventListener("click", () => {
  if (view?.tab) ask({ action: view.tab.attached ? "detach" : "attach", tabId: view.tab.id });
});
page.allowEvaluate.addEventListener("change", () => {
  if (view?.tab) ask({ action: "set_allow_evaluate", tabId: view.tab.id, on: page.allowEvaluate.checked });
});
page.showPrivate.addEventListener("change", () => {
  if (view?.tab) ask({ action: "set_show_private", tabId: view.tab.id, on: page.showPrivate.checked });
});

page.allowSites.addEventListener("click", () => void chrome.permissions.request(ALL_SITES).then(showSites));

page.askPage.addEventListener("click", () => {
  if (ownWindow.id !== undefined) void openSidePanel?.(ownWindow.id).then(() => window.close());
});

startActivityView();
void showSites();
setText(page.version, phrase("version", chrome.runtime.getManifest().version));
const port = new ViewPort({
  onView: show,
  onRefusal: showRefusal,
  onSilence: () => setText(page.sentence, phrase("statusSilent")),
});
