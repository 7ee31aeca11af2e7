/**
 * Wiring only. Listeners are registered synchronously, because the event that woke a killed worker is delivered to
 * those that exist after its first turn; being awake is enough for the bridge to connect again.
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
import { group, ungroup } from "../browser/tab-group.js";
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
    // What ends gives back what it holds, the mouse for one, by the debugger.
    void endCommands(event.tab_id, "detached").then(() => sessionPool.close(event.tab_id));
    consentPrompts.gone(event.tab_id);
    void clearBadge(event.tab_id);
    void ungroup([event.tab_id]);
  }
  void show();
});

const sessionPool = new SessionPool({
  onConsole: (tabId, entry) => uiPorts.addConsoleEntry(tabId, entry),
  onCancel: (tabId) => void attachments.detach(tabId),
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

/** @param {number} windowId of a window that may be in front */
async function noteLook(windowId) {
  const window = await chrome.windows.get(windowId).catch(() => null);
  if (window?.focused) announce({ type: "event", event: "looked_at", at: profile.look() });
}

/**
 * From the moment a tab is attached its console is kept. A tab that no debugger may enter can still be read.
 *
 * @param {number} tabId
 */
async function openDebugger(tabId) {
  if (!HAS_DEBUGGER) return;
  await sessionPool.open(tabId).catch(() => {
    // The command that needs it says why.
  });
}

/**
 * A failure would go unseen while the popup and the panel are closed: the badge shows it until one is opened.
 *
 * @param {string} command
 * @param {string} code
 */
function showFailure(command, code) {
  if (uiPorts.isAnyOpen) return;
  noteFailure(command, code);
  void show();
}

async function show() {
  await showBadge(await bridge.status(), await attachments.tabIds(), consentPrompts.list().length);
  await uiPorts.show();
}

// Much is stored without anybody waiting for it.
self.addEventListener("unhandledrejection", (event) => {
  if (!(event.reason instanceof StorageError)) return;
  event.preventDefault();
  uiPorts.tellFailure(event.reason);
});

chrome.runtime.onConnect.addListener((port) => {
  // A page that has taken over its renderer can open a port too, but not with our address.
  if (!port.sender?.url?.startsWith(chrome.runtime.getURL(""))) return port.disconnect();
  uiPorts.add(port);
  clearFailure();
});

chrome.tabs.onRemoved.addListener((tabId) => {
  // A tab need not be attached to be read.
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
  // The browser's own page about it comes without a word of its own.
  handleCommitted({ ...details, documentId: "" });
  sessionPool.handleLoadError(details);
});
chrome.commands.onCommand.addListener((name, tab) => void performShortcut(name, tab, bridge, services));
chrome.notifications.onButtonClicked.addListener((id, button) => consentPrompts.answer(id, answerOf(button)));
// Where the popup cannot be opened for them, the user opens it.
chrome.notifications.onClicked.addListener(() => void chrome.action.openPopup?.().catch(() => {}));
void clearOldNotifications();
// A killed worker leaves attached tabs behind.
void attachments.tabIds().then((tabIds) => tabIds.forEach(openDebugger));

// These only have to wake the worker.
chrome.alarms.onAlarm.addListener(() => {});
chrome.runtime.onStartup.addListener(() => {});

chrome.runtime.onInstalled.addListener(({ reason }) => {
  if (reason === "install") void chrome.tabs.create({ url: chrome.runtime.getURL("ui/welcome/welcome.html") });
});
