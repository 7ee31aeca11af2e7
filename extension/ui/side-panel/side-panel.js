/**
 * The side panel: the user asks about the tab in front, and reads the answer while it is written. It decides nothing,
 * keeps nothing, and talks only to the worker.
 *
 * @import {AnswerEvent, Response, Status, View} from "../../shared/types.d.ts"
 * @import {MessageKey} from "../../shared/messages.js"
 */

import "../texts.js";
import { phrase } from "../../shared/messages.js";
import { describe, identityOf } from "../../shared/status.js";
import { isolated } from "../../shared/text.js";
import { commandElement } from "../command-line.js";
import { byId, make, makeButton, setText } from "../dom.js";
import { showTabIdentity } from "../tab-identity.js";
import { ViewPort } from "../view-port.js";
import { Exchange } from "./exchange.js";

const page = {
  tabIcon: byId("tab-icon", HTMLImageElement),
  tabTitle: byId("tab-title", HTMLElement),
  tabHost: byId("tab-host", HTMLElement),
  identity: byId("identity", HTMLElement),
  beginAnew: byId("begin-anew", HTMLButtonElement),
  scroller: byId("scroller", HTMLElement),
  offline: byId("offline", HTMLElement),
  status: byId("status", HTMLElement),
  serve: byId("serve", HTMLElement),
  reconnect: byId("reconnect", HTMLButtonElement),
  obstacle: byId("obstacle", HTMLElement),
  introduction: byId("introduction", HTMLElement),
  talk: byId("talk", HTMLOListElement),
  ready: byId("ready", HTMLElement),
  form: byId("form", HTMLFormElement),
  question: byId("question", HTMLTextAreaElement),
  model: byId("model", HTMLSelectElement),
  stop: byId("stop", HTMLButtonElement),
  ask: byId("ask", HTMLButtonElement),
};

/** @type {[MessageKey, MessageKey][]} what the buttons say, and what is asked then */
const READY = [
  ["askSummary", "askSummaryQuestion"],
  ["askFacts", "askFactsQuestion"],
  ["askTable", "askTableQuestion"],
];

/** @type {View | undefined} */
let view;
/** What is being talked about: what the server has read of it stays the same until another begins. */
let talk = { id: "", tabId: -1, url: "" };
/** The talk that the next question begins, with what the server has been asked to read ahead for it. */
let next = { id: "", tabId: -1, url: "", model: /** @type {string | null} */ (null) };
/** @type {number | null} the tab in which a passage is highlighted */
let highlighted = null;
/** @type {Map<string, HTMLButtonElement>} the references that are being shown, by the ids of their commands */
const pressed = new Map();
/** @type {Exchange | null} the question under way */
let running = null;
let wasConnected = false;
/** Starts a server for the side panel alone; where it stands and the model are the user's. */
const SERVE_COMMAND =
  "uv run /path/to/chrome_tab_mcp_server.py --serve --ollama-url http://localhost:11434 --model qwen3";
/** How long Reconnect shows that it was pressed: looking for a server takes less. */
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

// --- Showing

/** @param {View} newView */
function show(newView) {
  view = newView;
  const { status, tab, attached } = newView;
  const isConnected = status.state === "connected";
  showConnection(status);
  if (isConnected && !wasConnected) port.send({ action: "models", id: "models" });
  wasConnected = isConnected;
  if (tab) showTabIdentity(page, tab);
  compare.hidden = attached.length < 2;
  showState();
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
  page.reconnect.hidden = status.state === "setup";
}

function showState() {
  const obstacle = view?.tab?.obstacle ?? "";
  setText(page.obstacle, obstacle);
  page.obstacle.hidden = obstacle === "";
  const mayAsk = wasConnected && Boolean(view?.tab) && !obstacle && !running;
  for (const button of page.ready.querySelectorAll("button")) button.disabled = !mayAsk;
  page.ask.disabled = !mayAsk;
  page.ask.hidden = running !== null;
  page.stop.hidden = running === null;
  const hasBegun = page.talk.childElementCount > 0;
  page.introduction.hidden = hasBegun || !wasConnected || obstacle !== "";
  page.beginAnew.hidden = !hasBegun;
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

// --- Asking

/**
 * @param {string} question
 * @param {{label?: string, tabIds?: number[], confirmed?: string}} [about] what the user sees of it, the tabs where it is
 *   about several, and the model that they have confirmed
 */
function ask(question, { label = question, tabIds, confirmed } = {}) {
  const tab = view?.tab;
  if (!tab || running || !question.trim()) return;
  const isSame = !tabIds && talk.tabId === tab.id && talk.url === tab.url;
  if (!isSame) {
    forget();
    const about = tabIds ? phrase("askAboutTabs", tabIds.length) : phrase("askAbout", isolated(tab.title));
    // The header names the page until the conversation moves on to another.
    if (tabIds || page.talk.childElementCount) page.talk.append(make("li", { className: "about" }, about));
    const isReadAhead = !tabIds && next.tabId === tab.id && next.url === tab.url;
    talk = { id: isReadAhead ? next.id : crypto.randomUUID(), tabId: tabIds ? -1 : tab.id, url: tab.url };
  }
  const confirm = (/** @type {string} */ model) => ask(question, { label, tabIds, confirmed: model });
  const asked = tabIds ? null : tab.id;
  running = new Exchange(label, stayAtEnd, confirm, ({ passage, tabId }, button) =>
    highlight(asked ?? tabId, passage, button),
  );
  highlight(tab.id, "");
  page.talk.append(running.element);
  running.element.scrollIntoView({ block: "end" });
  const about = { id: running.id, talk: talk.id, question, tabIds: tabIds ?? [tab.id] };
  port.send(
    confirmed
      ? { action: "ask", ...about, model: confirmed, confirmed: true }
      : { action: "ask", ...about, model: chosenModel() },
  );
  showState();
}

/** @returns {string | null} null for the one that is configured */
function chosenModel() {
  return page.model.hidden ? null : page.model.value;
}

/** The user types: the page may be read meanwhile, once. The worker knows whether they want that. */
function readAhead() {
  const tab = view?.tab;
  const model = chosenModel();
  if (!tab || page.ask.disabled || (talk.tabId === tab.id && talk.url === tab.url)) return;
  const isSame = next.tabId === tab.id && next.url === tab.url;
  if (isSame && next.model === model) return;
  if (!isSame && next.id && next.id !== talk.id) port.send({ action: "forget_talk", talk: next.id });
  next = { id: isSame ? next.id : crypto.randomUUID(), tabId: tab.id, url: tab.url, model };
  port.send({ action: "read_ahead", talk: next.id, tabId: tab.id, model });
}

/**
 * Shows a passage in its tab, as the command for clients does, in place of the last one.
 *
 * @param {number | null} tabId
 * @param {string} text empty to end it
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
  if (button) pressed.set(id, button);
  port.send({ action: "run", id, command: "highlight_in_tab", tabId, params: { text } });
}

/** @param {Response} response about a passage that was to be shown */
function noteShown({ id, success }) {
  const button = pressed.get(id);
  pressed.delete(id);
  if (!button || success) return;
  button.disabled = true;
  button.title = phrase("referenceGone");
}

/** What was read for this talk is not needed any more. */
function forget() {
  if (talk.id) port.send({ action: "forget_talk", talk: talk.id });
  if (talk.id === next.id) next = { id: "", tabId: -1, url: "", model: null };
  talk = { id: "", tabId: -1, url: "" };
}

/** @param {() => void} change what makes the conversation longer; a user who has scrolled up to read stays there */
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

// --- What the user does

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
  const question = page.question.value;
  ask(question);
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
page.beginAnew.addEventListener("click", () => {
  if (running) port.send({ action: "stop_answer", id: running.id });
  running = null;
  forget();
  page.talk.replaceChildren();
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
page.serve.append(commandElement(SERVE_COMMAND, phrase("askServerCommand")));
page.question.focus();
