/**
 * Wiring only. Listeners are registered synchronously, because the event that woke a killed worker is delivered only to
 * those registered in its first turn; once awake, the bridge reconnects by itself.
 *
 * @import {Services, TabEvent} from "../shared/types.d.ts"
 */

import { Activity } from "./activity-log.js";
import { Attachments } from "../browser/attachments.js";
import { clearBadge, clearFailure, noteFailure, showBadge } from "./badge.js";
import { Bridge } from "./bridge.js";
import { SessionPool } from "../browser/debugger/session-pool.js";
import { highlightElement } from "../browser/highlight.js";
import { handleCommitted } from "../browser/navigation-watch.js";
import { SessionRateLimiter } from "./rate-limit.js";
import { ChosenPreferences } from "./preferences.js";
import { Profile } from "./profile.js";
import { answerOf, clearOldNotifications, showNotifications } from "./consent-notifications.js";
import { SidePanelChat } from "./side-panel-chat.js";
import { ConsentPrompts } from "../browser/consent-prompts.js";
import { group, ungroup, ungroupOthers } from "../browser/tab-group.js";
import { UiPorts } from "./ui-ports.js";
import { StorageError } from "../shared/errors.js";
import { HAS_DEBUGGER } from "../shared/capabilities.js";
import { answerCommand, endCommands, performAction, performShortcut, viewOf } from "./router.js";

const preferences = new ChosenPreferences(async () => {
  announce({ type: "event", event: "renamed", name: profile.name });
  const tabIds = await attachments.tabIds();
  await (preferences.now.group ? group(tabIds) : ungroup(tabIds));
});

const profile = new Profile(preferences);

const bridge = new Bridge(profile, {
  onOpen: () => void attachments.announceAll(),
  onCommand: (command, signal) => answerCommand(command, services, { signal }),
  onAnswer: (event) => sidePanelChat.handleEvent(event),
  onLost: () => sidePanelChat.handleDisconnect(),
  onChange: () => void show(),
});

const sidePanelChat = new SidePanelChat(
  (message) => bridge.sendFrame(JSON.stringify(message)),
  () => void show(),
);

const attachments = new Attachments((event) => {
  announce(event);
  if (event.event === "tab_attached") {
    consentPrompts.attached(event.tab_id);
    if (preferences.now.group) void group([event.tab_id]);
    void uiPorts.restartConsole(event.tab_id);
    void openDebugger(event.tab_id);
  }
  if (event.event === "tab_detached") {
    // A command that ends releases what it holds, such as the mouse button, through the debugger.
    void endCommands(event.tab_id, "detached").then(() => sessionPool.close(event.tab_id));
    consentPrompts.gone(event.tab_id);
    void clearBadge(event.tab_id);
    void ungroup([event.tab_id]);
  }
  void show();
});

const sessionPool = new SessionPool({
  onConsole: (tabId, entry) => uiPorts.addConsoleEntry(tabId, entry),
  onCancel: (tabId) => {
    // Before anything is stored: what was sent to the debugger fails at once, as if the page had left.
    void endCommands(tabId, "detached");
    void attachments.detach(tabId);
  },
  onCrash: (tabId) => void endCommands(tabId, "crashed"),
  onPrint: (tabId) => void endCommands(tabId, "printing"),
});

const consentPrompts = new ConsentPrompts((open) => {
  showNotifications(open);
  void show();
});

/** @type {Services} */
const services = {
  attachments,
  sessionPool,
  consentPrompts,
  preferences,
  sidePanelChat,
  activity: new Activity(preferences, showFailure),
  rateLimiter: new SessionRateLimiter(preferences),
};

const uiPorts = new UiPorts({
  perform: async (action) => {
    await performAction(action, bridge, services);
    await show();
  },
  sidePanelChat,
  preferences,
  run: ({ id, command, tabId, params, observe = false }, signal) =>
    answerCommand({ id, type: "command", command, tab_id: tabId, params, session: null }, services, {
      observe,
      signal,
    }),
  highlight: (request) => highlightElement(request, sessionPool),
  viewOf: (tabId) => viewOf(tabId, bridge, services),
  consoleOf: async (tabId) => {
    if (!(await attachments.get(tabId))) return { entries: [], total: 0 };
    const log = sessionPool.console(tabId);
    return { entries: log.entries(), total: log.total };
  },
});

/** @param {TabEvent} event for the server, if it is connected */
function announce(event) {
  bridge.sendFrame(JSON.stringify(event));
}

/** @param {number} windowId of a window that may be focused */
async function noteLook(windowId) {
  const window = await chrome.windows.get(windowId).catch(() => null);
  if (window?.focused) announce({ type: "event", event: "looked_at", at: profile.look() });
}

/**
 * Records the console from the moment a tab is attached. A tab that the debugger cannot attach to can still be read.
 *
 * @param {number} tabId
 */
async function openDebugger(tabId) {
  if (!HAS_DEBUGGER) return;
  await sessionPool.open(tabId).catch(() => {
    // The command that needs it explains why.
  });
}

/**
 * Failures would go unnoticed while the popup and the panel are closed: the badge shows them until one opens.
 *
 * @param {string} command
 * @param {string} code
 */
function showFailure(command, code) {
  if (uiPorts.isAnyOpen) return;
  noteFailure(command, code);
  void show();
}

async function tidyGroups() {
  await ungroupOthers(await attachments.tabIds());
}

async function show() {
  await showBadge(await bridge.status(), await attachments.tabIds(), consentPrompts.list().length);
  await uiPorts.show();
}

// Many writes to storage are not awaited.
self.addEventListener("unhandledrejection", (event) => {
  if (!(event.reason instanceof StorageError)) return;
  event.preventDefault();
  uiPorts.showFailure(event.reason);
});

chrome.runtime.onConnect.addListener((port) => {
  // A page that has compromised its renderer can open a port too, but not with our URL.
  if (!port.sender?.url?.startsWith(chrome.runtime.getURL(""))) return port.disconnect();
  uiPorts.add(port);
  clearFailure();
});

chrome.tabs.onRemoved.addListener((tabId) => {
  // Reading does not require that the tab is attached.
  void endCommands(tabId, "closed");
  consentPrompts.gone(tabId);
  void attachments.detach(tabId);
  if (uiPorts.isWatched(tabId)) void uiPorts.show();
});
chrome.tabs.onReplaced.addListener((newTabId, oldTabId) => void attachments.replace(newTabId, oldTabId));
chrome.tabs.onUpdated.addListener(async (tabId, change, tab) => {
  if ((change.url || change.title || change.status) && uiPorts.isWatched(tabId)) void uiPorts.show();
  if (!(await attachments.get(tabId))) return;
  if (change.url || change.title) await attachments.update(tab);
  if (change.status) await show();
});

chrome.tabs.onActivated.addListener(({ windowId }) => void noteLook(windowId));
chrome.windows.onFocusChanged.addListener((windowId) => void noteLook(windowId));

if (HAS_DEBUGGER) {
  chrome.debugger.onEvent.addListener((source, method, params) => sessionPool.handleEvent(source, method, params));
  chrome.debugger.onDetach.addListener((source, reason) => sessionPool.handleDetach(source, reason));
}
chrome.webNavigation.onCommitted.addListener(handleCommitted);
chrome.webNavigation.onCreatedNavigationTarget.addListener((details) => sessionPool.handleOpening(details));
chrome.webNavigation.onErrorOccurred.addListener((details) => {
  // The browser sends no event about this by itself.
  handleCommitted({ ...details, documentId: "" });
  sessionPool.handleLoadError(details);
});
chrome.commands.onCommand.addListener((name, tab) => void performShortcut(name, tab, bridge, services));
chrome.notifications.onButtonClicked.addListener((id, button) => consentPrompts.answer(id, answerOf(button)));
// If the popup cannot be opened by script, the user opens it.
chrome.notifications.onClicked.addListener(() => void chrome.action.openPopup?.().catch(() => {}));
void clearOldNotifications();
// A killed worker leaves attached tabs behind.
void attachments.tabIds().then((tabIds) => tabIds.forEach(openDebugger));

// This only needs to wake the worker.
chrome.alarms.onAlarm.addListener(() => {});
chrome.runtime.onStartup.addListener(() => void tidyGroups());
// The browser may restore a group later.
chrome.tabGroups.onUpdated.addListener(() => void tidyGroups());

chrome.runtime.onInstalled.addListener(({ reason }) => {
  void tidyGroups();
  if (reason === "install") void chrome.tabs.create({ url: chrome.runtime.getURL("ui/welcome/welcome.html") });
});
