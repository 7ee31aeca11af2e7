/**
 * Shows what the worker says and tells it what the user wants; it decides nothing itself. It may also be open as a
 * normal tab.
 *
 * @import {Action, Refusal, View, ViewedTab} from "../../shared/types.d.ts"
 */

import "../storage-problem.js";
import "../texts.js";
import { showAttachment } from "../attach-controls.js";
import { byId, setText } from "../dom.js";
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
  reconnect: byId("reconnect", HTMLButtonElement),
  disconnect: byId("disconnect", HTMLButtonElement),
  forget: byId("forget", HTMLButtonElement),
  unpair: byId("unpair", HTMLDialogElement),
  autoReconnect: byId("auto-reconnect", HTMLInputElement),
  version: byId("version", HTMLElement),
};

const pairingForm = new PairingForm(page.setup, (connectionString) => ask({ action: "connect", connectionString }));

/** Where the focus goes in each state. */
const mainControls = {
  setup: pairingForm.field,
  connected: page.disconnect,
  paired: page.disconnect,
  disconnected: page.reconnect,
};

/** @type {View | undefined} */
let view;

// --- Showing

/** @param {View} newView */
function show(newView) {
  const isFirst = view === undefined;
  view = newView;
  const focused = document.activeElement;
  showStatus(newView);
  showTab(newView);
  showRequests(newView.requests, (id, allowed) => ask({ action: "answer_request", id, allowed }));
  showAttachedTabs(newView.attached, (tabId) => ask({ action: "detach", tabId }));
  page.stop.hidden = newView.status.state !== "connected" && !newView.attached.length;
  // Who works by keyboard must not be thrown to the top when the pressed button goes away.
  const isWaitingForPaste = isFirst && newView.status.state === "setup";
  if (isWaitingForPaste || focused?.closest("[hidden]")) mainControls[newView.status.state].focus();
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
  page.disconnect.hidden = status.state !== "connected" && status.state !== "paired";
  page.autoReconnect.checked = status.autoReconnect;
}

/** @param {View} newView */
function showTab({ status, tab }) {
  page.tab.hidden = !tab || (status.state !== "connected" && status.state !== "paired" && !tab.attached);
  if (!tab) return;
  showTabIdentity(page, tab);
  setText(page.tabRights, rightsIn(tab));
  page.askPage.hidden = !openSidePanel || tab.obstacle !== "";
  page.tabRights.hidden = tab.obstacle !== "";
  showAttachment(page, tab);
  page.attachButton.classList.toggle("primary", !tab.attached && !page.attachButton.disabled);
}

/** @param {ViewedTab} tab */
function rightsIn({ attached }) {
  if (HAS_DEBUGGER) return phrase(attached ? "rightsAttached" : "rights");
  return phrase(attached ? "rightsAttachedReading" : "rightsReading");
}

/** The user may take back what the browser gave with the installation, or not have given it yet. */
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

// --- What the user does

page.stop.addEventListener("click", () => ask({ action: "stop" }));
page.reconnect.addEventListener("click", () => ask({ action: "reconnect" }));
page.disconnect.addEventListener("click", () => ask({ action: "disconnect" }));
page.forget.addEventListener("click", () => {
  // Of the time before: a dialog that is left by Escape keeps it.
  page.unpair.returnValue = "";
  page.unpair.showModal();
});
page.unpair.addEventListener("close", () => {
  if (page.unpair.returnValue === "unpair") ask({ action: "forget" });
});
page.autoReconnect.addEventListener("change", () => {
  ask({ action: "set_auto_reconnect", on: page.autoReconnect.checked });
});
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

// It opens for a click only, and only at once: what it needs to know is asked before.
void chrome.windows.getCurrent().then(({ id: windowId }) => {
  page.askPage.addEventListener("click", () => {
    if (windowId !== undefined) void openSidePanel?.(windowId).then(() => window.close());
  });
});

startActivityView();
void showSites();
setText(page.version, phrase("version", chrome.runtime.getManifest().version));
const port = new ViewPort({
  onView: show,
  onRefusal: showRefusal,
  onSilence: () => setText(page.sentence, phrase("statusSilent")),
});
