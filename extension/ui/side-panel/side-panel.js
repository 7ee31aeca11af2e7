/**
 * The side panel: the user asks about the active tab, and reads the answer while it is written. It makes no decisions,
 * stores nothing, and connects only to the worker.
 *
 * @import {AnswerEvent, Response, Status, View} from "../../shared/types.d.ts"
 * @import {MessageKey} from "../../shared/messages.js"
 */

import "../texts.js";
import { phrase } from "../../shared/messages.js";
import { describe, identityOf } from "../../shared/status.js";
import { isolated, siteOf } from "../../shared/text.js";
import { CommandLine, commandOf } from "../command-line.js";
import { byId, make, makeButton, setText } from "../dom.js";
import { isOpenToUs } from "../page-access.js";
import { showTabIdentity } from "../tab-identity.js";
import { ViewPort } from "../view-port.js";
import { Exchange } from "./exchange.js";

const page = {
  tabIcon: byId("tab-icon", HTMLImageElement),
  tabTitle: byId("tab-title", HTMLElement),
  tabHost: byId("tab-host", HTMLElement),
  identity: byId("identity", HTMLElement),
  clearConversation: byId("clear-conversation", HTMLButtonElement),
  scroller: byId("scroller", HTMLElement),
  offline: byId("offline", HTMLElement),
  status: byId("status", HTMLElement),
  serve: byId("serve", HTMLElement),
  reconnect: byId("reconnect", HTMLButtonElement),
  help: byId("help", HTMLAnchorElement),
  obstacle: byId("obstacle", HTMLElement),
  introduction: byId("introduction", HTMLElement),
  conversation: byId("conversation", HTMLOListElement),
  ready: byId("ready", HTMLElement),
  form: byId("form", HTMLFormElement),
  question: byId("question", HTMLTextAreaElement),
  model: byId("model", HTMLSelectElement),
  stop: byId("stop", HTMLButtonElement),
  ask: byId("ask", HTMLButtonElement),
};

/** @type {[MessageKey, MessageKey][]} the labels of the buttons, and the questions they ask */
const READY = [
  ["askSummary", "askSummaryQuestion"],
  ["askFacts", "askFactsQuestion"],
  ["askTable", "askTableQuestion"],
];

/** @type {View | undefined} */
let view;
/** The current conversation: what the server has read for it stays the same until the next one begins. */
let conversation = { id: "", tabId: -1, url: "" };
/** The conversation that the next question will begin, and what the server was asked to read ahead for it. */
let next = { id: "", tabId: -1, url: "", model: /** @type {string | null} */ (null) };
/** @type {number | null} the tab with the highlighted passage */
let highlighted = null;
/** @type {Map<string, HTMLButtonElement>} the references being shown, by the ids of their commands */
const pressed = new Map();
/** @type {Exchange | null} the question in progress */
let running = null;
let wasConnected = false;
/** Starts a server for the side panel only. */
const serveCommand = new CommandLine(phrase("askServerCommand"));
/** Id of the tab whose page the extension cannot access. */
let closedTab = -1;
/** How long Reconnect looks pressed: probing for a server is faster than that. */
const RECONNECTING_MS = 2_000;

const port = new ViewPort({
  onView: show,
  onRefusal: ({ message: reason }) => {
    page.offline.hidden = false;
    setText(page.status, reason);
  },
  onAnswer: hear,
  onResponse: noteShown,
  onClose: () => running && hear({ type: "event", event: "answer", id: running.id, state: "failed", reason: "lost" }),
});

// --- Display

/** @param {View} newView */
function show(newView) {
  view = newView;
  const { status, tab, attached } = newView;
  const isConnected = status.state === "connected";
  showConnection(status);
  if (isConnected && !wasConnected) port.send({ action: "models", id: crypto.randomUUID() });
  wasConnected = isConnected;
  if (tab) showTabIdentity(page, tab);
  compare.hidden = attached.length < 2;
  if (tab?.id !== closedTab) closedTab = -1;
  showState();
  void lookAtPage(newView);
}

/** @param {View} looked */
async function lookAtPage(looked) {
  const { tab } = looked;
  if (!tab || tab.obstacle || tab.denied) return;
  const isOpen = await isOpenToUs(tab.id);
  if (view !== looked) return;
  closedTab = isOpen === false ? tab.id : -1;
  showState();
}

/** @returns {string} why the page cannot be read, as a sentence; empty if reading may work */
function obstacleHere() {
  const tab = view?.tab;
  if (!tab || tab.obstacle) return tab?.obstacle ?? "";
  if (tab.denied) return phrase("obstacleDenied");
  return tab.id === closedTab ? phrase("checkUnreadable", isolated(tab.title), siteOf(tab.url)) : "";
}

/** @param {Status} status */
function showConnection(status) {
  const identity = identityOf(status);
  setText(page.identity, identity);
  page.identity.hidden = identity === "";
  page.offline.hidden = status.state === "connected";
  const isServerMissing = status.state === "paired";
  setText(page.status, isServerMissing ? phrase("askNoServer") : describe(status));
  page.serve.hidden = !isServerMissing;
  serveCommand.show(commandOf(status, "serve"));
  page.reconnect.hidden = status.state === "setup";
  setText(page.help, phrase(status.state === "setup" ? "stepPair" : "help"));
}

function showState() {
  const obstacle = obstacleHere();
  setText(page.obstacle, obstacle);
  page.obstacle.hidden = obstacle === "";
  const mayAsk = wasConnected && Boolean(view?.tab) && !obstacle && !running;
  for (const button of page.ready.querySelectorAll("button")) button.disabled = !mayAsk;
  page.ask.disabled = !mayAsk;
  page.ask.hidden = running !== null;
  page.stop.hidden = running === null;
  const hasBegun = page.conversation.childElementCount > 0;
  page.introduction.hidden = hasBegun || !wasConnected || obstacle !== "";
  page.clearConversation.hidden = !hasBegun;
}

/** @param {AnswerEvent} event */
function showModels({ models = [], model = "", cloud = {} }) {
  const names = models.includes(model) || !model ? models : [model, ...models];
  const label = (/** @type {string} */ name) => (name in cloud ? phrase("askCloudModel", name) : name);
  page.model.replaceChildren(
    ...names.map((name) => make("option", { value: name, selected: name === model }, label(name))),
  );
  page.model.hidden = names.length < 2 && !(model in cloud);
}

// --- Questions

/**
 * @param {string} question
 * @param {{label?: string, tabIds?: number[], confirmed?: string}} [about] the label shown to the user, the tabs if it
 *   is about several, and the model that they have confirmed
 */
function ask(question, { label = question, tabIds, confirmed } = {}) {
  const tab = view?.tab;
  if (!tab || running || !question.trim()) return;
  const isSame = !tabIds && conversation.tabId === tab.id && conversation.url === tab.url;
  if (!isSame) {
    clearOnServer();
    const about = tabIds ? phrase("askAboutTabs", tabIds.length) : phrase("askAbout", isolated(tab.title));
    // The header names this page until the conversation moves on to another.
    if (tabIds || page.conversation.childElementCount) {
      page.conversation.append(make("li", { className: "about" }, about));
    }
    const isReadAhead = !tabIds && next.tabId === tab.id && next.url === tab.url;
    conversation = { id: isReadAhead ? next.id : crypto.randomUUID(), tabId: tabIds ? -1 : tab.id, url: tab.url };
  }
  const confirm = (/** @type {string} */ model) => ask(question, { label, tabIds, confirmed: model });
  const asked = tabIds ? null : tab.id;
  running = new Exchange(label, stayAtEnd, confirm, ({ passage, tabId }, button) =>
    highlight(asked ?? tabId, passage, button),
  );
  highlight(tab.id, "");
  page.conversation.append(running.element);
  running.element.scrollIntoView({ block: "end" });
  const about = { id: running.id, conversation: conversation.id, text: question, tabIds: tabIds ?? [tab.id] };
  port.send(
    confirmed
      ? { action: "prompt", ...about, model: confirmed, confirmed: true }
      : { action: "prompt", ...about, model: chosenModel() },
  );
  showState();
}

/** @returns {string | null} null for the configured model */
function chosenModel() {
  return page.model.hidden ? null : page.model.value;
}

/** The user is typing: the page may be read ahead, once. The worker knows whether the user wants that. */
function readAhead() {
  const tab = view?.tab;
  const model = chosenModel();
  if (!tab || page.ask.disabled || (conversation.tabId === tab.id && conversation.url === tab.url)) return;
  const isSame = next.tabId === tab.id && next.url === tab.url;
  if (isSame && next.model === model) return;
  if (!isSame && next.id && next.id !== conversation.id) {
    port.send({ action: "clear_conversation", conversation: next.id });
  }
  next = { id: isSame ? next.id : crypto.randomUUID(), tabId: tab.id, url: tab.url, model };
  port.send({ action: "read_ahead", conversation: next.id, tabId: tab.id, model });
}

/**
 * Shows a passage in its tab, like the command for clients does, and replaces the last one.
 *
 * @param {number | null} tabId
 * @param {string} text empty to remove the highlight
 * @param {HTMLButtonElement} [button] that was pressed
 */
function highlight(tabId, text, button) {
  if (highlighted !== null && highlighted !== tabId) run(highlighted, "");
  if (text || highlighted === tabId) run(tabId, text, button);
  highlighted = text ? tabId : null;
}

/**
 * @param {number | null} tabId
 * @param {string} text
 * @param {HTMLButtonElement} [button]
 */
function run(tabId, text, button) {
  const id = crypto.randomUUID();
  if (button) {
    pressed.set(id, button);
    if (tabId !== null && tabId !== view?.tab?.id) void bringToFront(tabId);
  }
  port.send({ action: "run", id, command: "highlight_in_tab", tabId, params: { text } });
}

/** @param {number} tabId */
async function bringToFront(tabId) {
  // The tab may have been closed; the command then reports it.
  const tab = await chrome.tabs.update(tabId, { active: true }).catch(() => null);
  if (tab) await chrome.windows.update(tab.windowId, { focused: true });
}

/** @param {Response} response about a passage to show */
function noteShown({ id, success }) {
  const button = pressed.get(id);
  pressed.delete(id);
  if (!button || success) return;
  button.disabled = true;
  button.title = phrase("referenceGone");
}

/** What was read for this conversation is no longer needed. */
function clearOnServer() {
  if (conversation.id) port.send({ action: "clear_conversation", conversation: conversation.id });
  if (conversation.id === next.id) next = { id: "", tabId: -1, url: "", model: null };
  conversation = { id: "", tabId: -1, url: "" };
}

/** @param {() => void} change makes the conversation longer; a user who has scrolled up stays there */
function stayAtEnd(change) {
  const isAtEnd = page.scroller.scrollHeight - page.scroller.scrollTop - page.scroller.clientHeight < 40;
  change();
  if (isAtEnd) page.scroller.scrollTop = page.scroller.scrollHeight;
}

/** @param {AnswerEvent} event */
function hear(event) {
  if (event.state === "models") return showModels(event);
  if (event.id !== running?.id) return;
  const exchange = running;
  let hasEnded = false;
  stayAtEnd(() => (hasEnded = exchange.show(event)));
  if (!hasEnded) return;
  running = null;
  showState();
  if (document.activeElement === document.body) page.question.focus();
}

// --- User actions

page.reconnect.addEventListener("click", () => {
  port.send({ action: "reconnect" });
  page.reconnect.disabled = true;
  setText(page.reconnect, phrase("reconnecting"));
  setTimeout(() => {
    page.reconnect.disabled = false;
    setText(page.reconnect, phrase("reconnect"));
  }, RECONNECTING_MS);
});

page.form.addEventListener("submit", (event) => {
  event.preventDefault();
  // Enter arrives here even if the button is disabled or hidden; the text then stays in the field.
  if (page.ask.disabled) return;
  ask(page.question.value);
  if (running) page.question.value = "";
});
page.question.addEventListener("input", readAhead);
page.question.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  page.form.requestSubmit();
});
document.addEventListener("keydown", ({ key }) => {
  if (key === "Escape" && highlighted !== null) highlight(highlighted, "");
});
page.stop.addEventListener("click", () => {
  if (running) port.send({ action: "stop_answer", id: running.id });
});
page.clearConversation.addEventListener("click", () => {
  if (running) port.send({ action: "stop_answer", id: running.id });
  running = null;
  if (highlighted !== null) highlight(highlighted, "");
  clearOnServer();
  page.conversation.replaceChildren();
  showState();
  page.question.focus();
});

for (const [label, question] of READY) {
  page.ready.append(makeButton(phrase(label), () => ask(phrase(question), { label: phrase(label) })));
}
const compare = makeButton(phrase("askCompare"), () => {
  const tabIds = view?.attached.map(({ id }) => id) ?? [];
  ask(phrase("askCompareQuestion"), { label: phrase("askCompare"), tabIds });
});
page.ready.append(compare);
page.serve.append(serveCommand.element);
page.question.focus();

const showKeyboard = () => document.documentElement.classList.toggle("without-keyboard", !document.hasFocus());
for (const type of ["focus", "blur"]) window.addEventListener(type, showKeyboard);
showKeyboard();
