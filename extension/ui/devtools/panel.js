/**
 * The panel's frame: the state of the connection and of the inspected tab, and the six views. In DevTools it shows the
 * inspected tab; opened as a normal tab, the one in its URL (`panel.html?tab=7`).
 *
 * @import {View} from "../../shared/types.d.ts"
 */

import "../storage-problem.js";
import "../texts.js";
import { phrase } from "../../shared/messages.js";
import { showAttachment } from "../attach-controls.js";
import { startActivityView } from "../activity-view.js";
import { byId, setText } from "../dom.js";
import { PairingForm } from "../pairing-form.js";
import { describe, identityOf, toneOf, wordOf } from "../../shared/status.js";
import { loadPanelMemory, onPanelMemoryChanged } from "../../shared/storage.js";
import { CommandForm } from "./command-form.js";
import { ConsoleView } from "./console-view.js";
import { DataLayerView } from "./data-layer-view.js";
import { ElementsView } from "./elements-view.js";
import { HistoryView } from "./history-view.js";
import { RunsView } from "./runs-view.js";
import { selectTab } from "./tabs-pattern.js";
import { WorkerPort } from "./worker-port.js";

/** @import {Wish} from "./runs-view.js" */

const page = {
  status: byId("status", HTMLElement),
  details: byId("details", HTMLElement),
  sentence: byId("sentence", HTMLElement),
  connection: byId("connection", HTMLButtonElement),
  connectionWord: byId("connection-word", HTMLElement),
  reconnect: byId("reconnect", HTMLButtonElement),
  disconnect: byId("disconnect", HTMLButtonElement),
  problem: byId("problem", HTMLElement),
  tabTitle: byId("tab-title", HTMLElement),
  tabUrl: byId("tab-url", HTMLElement),
  tabObstacle: byId("tab-obstacle", HTMLElement),
  attachButton: byId("attachButton", HTMLButtonElement),
  evaluateRow: byId("evaluate-row", HTMLElement),
  allowEvaluate: byId("allow-evaluate", HTMLInputElement),
  privateRow: byId("private-row", HTMLElement),
  showPrivate: byId("show-private", HTMLInputElement),
  inspected: byId("inspected", HTMLElement),
  spoken: byId("spoken", HTMLElement),
};

const tabId = chrome.devtools?.inspectedWindow.tabId ?? Number(new URLSearchParams(location.search).get("tab"));
/** @type {View | undefined} */
let view;

const pairingForm = new PairingForm(byId("setup", HTMLFormElement), (connectionString) =>
  ask({ action: "connect", connectionString }),
);
const consoleView = new ConsoleView();
const worker = new WorkerPort(tabId, {
  onView: show,
  onConsole: (batch) => consoleView.add(batch),
  onProblem: (message) => setText(page.problem, message),
  onRefusal: (message) => pairingForm.refuse(message),
});
const dataLayerView = new DataLayerView(worker);
const runsView = new RunsView(worker, edit);
const commandForm = new CommandForm((wish) => void runsView.start(wish));
const elementsView = new ElementsView(worker, edit);
const historyView = new HistoryView(runAgain, edit);

// --- Display

/** @param {View} newView */
function show(newView) {
  const isFirst = view === undefined;
  view = newView;
  const focused = document.activeElement;
  showStatus(newView, isFirst);
  showTab(newView);
  consoleView.setTab(newView.tab);
  dataLayerView.setTab(newView.tab);
  runsView.setTab(newView.tab);
  commandForm.setTab(newView.tab);
  elementsView.setTab(newView.tab);
  // Keyboard users must not lose their place when the pressed button disappears.
  if (focused?.closest("[hidden]")) [page.reconnect, page.disconnect].find((button) => !button.hidden)?.focus();
}

/**
 * @param {View} newView
 * @param {boolean} isFirst
 */
function showStatus({ status }, isFirst) {
  page.status.dataset.tone = page.connection.dataset.tone = toneOf(status);
  const sentence = `${describe(status)} ${identityOf(status)}`.trim();
  const isPairing = pairingForm.show(status);
  // Once, when the panel opens: nothing works before.
  if (isPairing && isFirst) page.details.showPopover();
  if (page.sentence.textContent && page.sentence.textContent !== sentence) setText(page.spoken, sentence);
  setText(page.sentence, sentence);
  const word = wordOf(status);
  setText(page.connectionWord, word);
  page.connection.ariaLabel = `${word}: ${phrase("details")}`;
  page.reconnect.hidden = status.state !== "disconnected";
  page.disconnect.hidden = status.state !== "connected" && status.state !== "paired";
}

/** @param {View} newView */
function showTab({ tab }) {
  setText(page.tabTitle, tab?.title ?? phrase("tabClosed"));
  setText(page.tabUrl, tab?.url ?? "");
  setText(page.inspected, tab?.title ?? "");
  page.inspected.title = tab?.url ?? "";
  showAttachment(page, tab, phrase("attach"));
  page.attachButton.classList.toggle("primary", !tab?.attached);
  if (tab) return;
  setText(page.tabObstacle, phrase("tabClosed"));
  page.tabObstacle.hidden = false;
}

async function showMemory() {
  const { history, saved } = await loadPanelMemory();
  historyView.show(history);
  commandForm.showSaved(saved);
}

/** @param {Wish} wish */
function runAgain(wish) {
  selectTab("tab-commands");
  void runsView.start(wish);
  runsView.focus();
}

/** @param {Wish} wish */
function edit(wish) {
  selectTab("tab-commands");
  commandForm.edit(wish);
}

/** DevTools has its own theme; a normal tab follows the system. */
function followTheme() {
  const panels = chrome.devtools?.panels;
  if (!panels) return;
  const paint = (/** @type {string} */ name) => {
    document.documentElement.dataset.theme = name === "dark" ? "dark" : "light";
  };
  paint(panels.themeName);
  // Missing in some versions that the panel supports.
  panels.setThemeChangeHandler?.(paint);
}

// --- User actions

/** @param {import("../../shared/types.d.ts").Action} action */
function ask(action) {
  setText(page.problem, "");
  worker.send(action);
}

page.reconnect.addEventListener("click", () => ask({ action: "reconnect" }));
page.disconnect.addEventListener("click", () => ask({ action: "disconnect" }));
page.attachButton.addEventListener("click", () => {
  ask({ action: view?.tab?.attached ? "detach" : "attach", tabId });
});
page.allowEvaluate.addEventListener("change", () => {
  ask({ action: "set_allow_evaluate", tabId, on: page.allowEvaluate.checked });
});
page.showPrivate.addEventListener("change", () => {
  ask({ action: "set_show_private", tabId, on: page.showPrivate.checked });
});

byId("stop", HTMLButtonElement).addEventListener("click", () => ask({ action: "stop" }));

followTheme();
startActivityView();
onPanelMemoryChanged(() => void showMemory());
void showMemory();
