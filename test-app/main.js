/**
 * The test app: try every tool of the server that serves this page.
 *
 * @import {Tool, ToolResult} from "./vendor/mcp-client.js"
 * @import {Run} from "./history.js"
 * @import {Schema} from "./form.js"
 */

import { COMMANDS } from "../extension/ui/devtools/command-table.js";
import { byId, duration, make, setText } from "../extension/ui/dom.js";
import { Connection, sentenceOf } from "./connection.js";
import { JsonEditor } from "./editor.js";
import { argumentsOf, controlsIn, fieldsOf, fillFields } from "./form.js";
import { commandOf, exportHistory, forgetHistory, historyItem, loadHistory, remember } from "./history.js";
import { contentElements, errorOf, showJson, textOf } from "./result.js";
import { attachedIds, isAboutPrivateTab, tabItem, tabsOf } from "./tabs.js";

const SENTENCES = {
  connecting: "Connecting",
  connected: "Connected",
  lost: "Disconnected. The server does not respond. Retrying.",
  left: "Disconnected",
  locked: "Disconnected. The server requires a key.",
};

/** The groups of the extension's commands, in their order; tools in no group read pages and answer questions. */
const GROUPS = new Map([
  ["", "Ask and read"],
  ["groupTabs", "Tabs"],
  ["groupGo", "Navigate"],
  ["groupLook", "Inspect"],
  ["groupAct", "Interact"],
]);

const page = {
  status: byId("status", HTMLElement),
  server: byId("server", HTMLElement),
  connect: byId("connect", HTMLButtonElement),
  entrance: byId("entrance", HTMLFormElement),
  entranceAdvice: byId("entrance-advice", HTMLElement),
  link: byId("link", HTMLInputElement),
  tools: byId("tools", HTMLElement),
  toolsCount: byId("tools-count", HTMLElement),
  toolsFilter: byId("tools-filter", HTMLInputElement),
  tabs: byId("tabs", HTMLElement),
  tabsAdvice: byId("tabs-advice", HTMLElement),
  tabsRefresh: byId("tabs-refresh", HTMLButtonElement),
  toolName: byId("tool-name", HTMLElement),
  toolAbout: byId("tool-about", HTMLElement),
  asForm: byId("as-form", HTMLButtonElement),
  asJson: byId("as-json", HTMLButtonElement),
  formView: byId("form-view", HTMLElement),
  jsonView: byId("json-view", HTMLElement),
  form: byId("arguments", HTMLFormElement),
  fields: byId("fields", HTMLElement),
  problem: byId("problem", HTMLElement),
  execute: byId("execute", HTMLButtonElement),
  cancel: byId("cancel", HTMLButtonElement),
  clear: byId("clear", HTMLButtonElement),
  working: byId("working", HTMLElement),
  progress: byId("progress", HTMLProgressElement),
  progressText: byId("progress-text", HTMLElement),
  result: byId("result", HTMLElement),
  outcome: byId("outcome", HTMLElement),
  time: byId("time", HTMLElement),
  content: byId("content", HTMLElement),
  structured: byId("structured", HTMLDetailsElement),
  receipt: byId("receipt", HTMLDetailsElement),
  history: byId("history", HTMLElement),
  historyAdvice: byId("history-advice", HTMLElement),
  historyClear: byId("history-clear", HTMLButtonElement),
  export: byId("export", HTMLButtonElement),
};

/** @type {Map<string, Tool>} */
const tools = new Map();
/** @type {Tool | null} */
let chosen = null;
/** @type {number | null} */
let chosenTab = null;
/** @type {import("./tabs.js").Tab[]} as last listed */
let openTabs = [];
/** Whether a tab has been chosen, by the user or automatically: that happens only once. */
let hasChosenTab = false;
/** @type {AbortController | null} the call in progress */
let running = null;

const connection = new Connection(showState, showTools);
const editor = new JsonEditor(byId("editor", HTMLElement), () => setText(page.problem, ""));

// --- Connection

function showState() {
  const { state } = connection;
  page.status.dataset.tone = state === "connected" ? "good" : state === "lost" ? "error" : "";
  setText(page.status, SENTENCES[state]);
  setText(page.server, [location.host, connection.serverName].filter(Boolean).join(", "));
  setText(page.connect, state === "connected" ? "Disconnect" : "Connect");
  page.connect.hidden = state === "connecting" || state === "locked";
  page.entrance.hidden = state !== "locked";
  page.execute.disabled = state !== "connected" || !chosen || running !== null;
}

/** @param {string} entry */
async function enter(entry) {
  const refusal = await connection.enter(entry);
  if (connection.state !== "locked") return;
  const advice = "Run the server with --pair --http, then paste the link or the bearer key that it prints.";
  setText(page.entranceAdvice, entry && refusal ? refusal : advice);
  page.link.focus();
}

// --- Tools

/** @param {Tool[]} listed */
function showTools(listed) {
  tools.clear();
  for (const tool of listed) tools.set(tool.name, tool);
  setText(page.toolsCount, String(listed.length));
  filterTools();
  if (!chosen || !tools.has(chosen.name)) choose(listed[0]?.name ?? "");
  void refreshTabs();
}

function filterTools() {
  const wanted = page.toolsFilter.value.trim().toLowerCase();
  const shown = [...tools.values()].filter(({ name, description }) =>
    `${name} ${description}`.toLowerCase().includes(wanted),
  );
  const groups = Map.groupBy(shown, ({ name }) => groupOf(name));
  const lists = [...GROUPS].flatMap(([group, label]) => {
    const items = groups.get(group)?.map(toolItem);
    return items ? [make("li", {}, make("h3", {}, label), make("ul", { className: "list" }, ...items))] : [];
  });
  page.tools.replaceChildren(...lists);
}

/**
 * @param {string} tool
 * @returns {string} a key of GROUPS
 */
function groupOf(tool) {
  const command = commandOf(tool);
  return Object.hasOwn(COMMANDS, command) ? (COMMANDS[command]?.group ?? "") : "";
}

/** @param {Tool} tool */
function toolItem({ name, description = "" }) {
  const about = { className: "item", title: description, onclick: () => choose(name) };
  const button = make("button", { type: "button", ...about }, name);
  button.ariaCurrent = String(name === chosen?.name);
  return make("li", {}, button);
}

/** @param {string} name */
function choose(name) {
  chosen = tools.get(name) ?? null;
  setText(page.toolName, chosen?.name ?? "Choose a tool");
  setText(page.toolAbout, chosen?.description ?? "");
  const { properties = {}, required = [] } = chosen?.inputSchema ?? {};
  page.fields.replaceChildren(...fieldsOf(/** @type {Record<string, Schema>} */ (properties), required));
  if (!controlsIn(page.fields).length) {
    page.fields.append(make("p", { className: "hint" }, "This tool takes no arguments."));
  }
  putTab();
  putIntoEditor(argumentsOf(page.fields));
  setText(page.problem, "");
  filterTools();
  showState();
}

// --- Tabs

async function refreshTabs() {
  page.tabsRefresh.disabled = !tools.has("browser_get_tabs");
  setText(page.tabsAdvice, page.tabsRefresh.disabled ? "Connect the Chrome extension to see the tabs here." : "");
  if (page.tabsRefresh.disabled) return page.tabs.replaceChildren();
  try {
    const [open, attached] = await Promise.all([
      connection.call("browser_get_tabs", {}, {}),
      connection.call("list_tabs", {}, {}),
    ]);
    showTabs(open, attached);
  } catch (error) {
    setText(page.tabsAdvice, sentenceOf(error));
  }
}

/**
 * @param {ToolResult} open
 * @param {ToolResult} attached
 */
function showTabs(open, attached) {
  openTabs = tabsOf(open.structuredContent);
  const failure = errorOf(open) ?? errorOf(attached);
  if (failure) {
    page.tabs.replaceChildren();
    return setText(page.tabsAdvice, failure.message);
  }
  const ids = attachedIds(attached.structuredContent);
  if (!openTabs.some(({ id }) => id === chosenTab)) chosenTab = null;
  if (!hasChosenTab && openTabs.length) {
    hasChosenTab = true;
    chosenTab = openTabs.findLast(({ url }) => !url.startsWith(location.origin))?.id ?? null;
    putTab();
  }
  const chooseTab = (/** @type {number | null} */ id) => () => {
    chosenTab = id;
    putTab();
  };
  const active = { id: 0, url: "the tool chooses a tab", title: "Any tab", active: false };
  page.tabs.replaceChildren(
    tabItem(active, false, chosenTab === null, chooseTab(null)),
    ...openTabs.map((tab) => tabItem(tab, ids.has(tab.id), tab.id === chosenTab, chooseTab(tab.id))),
  );
}

/** Puts the chosen tab into the form, and into the JSON if that is shown. */
function putTab() {
  const field = controlsIn(page.fields).find(({ dataset }) => dataset.name === "tab_id" || dataset.name === "tabId");
  if (!field) return;
  field.value = chosenTab === null ? "" : String(chosenTab);
  if (page.jsonView.hidden) return;
  const args = parsedEditor();
  if (!args) return;
  if (chosenTab === null) delete args[field.dataset.name ?? ""];
  else args[field.dataset.name ?? ""] = chosenTab;
  putIntoEditor(args);
}

// --- Arguments

/** @param {Record<string, unknown>} args */
function putIntoEditor(args) {
  editor.text = JSON.stringify(args, null, 2);
}

/** @returns {Record<string, unknown> | null} null if the text is not a JSON object */
function parsedEditor() {
  try {
    const value = JSON.parse(editor.text || "{}");
    if (value && typeof value === "object" && !Array.isArray(value)) return value;
  } catch {
    // Reported below.
  }
  setText(page.problem, "The arguments must be one JSON object. Correct the JSON, or go back to the form.");
  return null;
}

/**
 * @param {Record<string, unknown>} args
 * @returns {boolean} whether all required arguments are present; `#problem` names the missing ones
 */
function isComplete(args) {
  const missing = (chosen?.inputSchema.required ?? []).filter((name) => !Object.hasOwn(args, name));
  const controls = controlsIn(page.fields);
  for (const control of controls) control.ariaInvalid = String(missing.includes(control.dataset.name ?? ""));
  if (!missing.length) return true;
  setText(page.problem, `Fill in ${missing.join(", ")}, then execute again.`);
  if (page.jsonView.hidden) controls.find(({ dataset }) => dataset.name === missing[0])?.focus();
  return false;
}

/** @returns {Record<string, unknown> | null} null if they cannot be parsed; `#problem` says why */
function currentArguments() {
  if (!page.jsonView.hidden) return parsedEditor();
  try {
    return argumentsOf(page.fields);
  } catch (error) {
    setText(page.problem, sentenceOf(error));
    return null;
  }
}

/** @param {boolean} asJson */
function showAs(asJson) {
  if (page.jsonView.hidden !== asJson) return;
  const args = currentArguments();
  if (!args) return;
  if (asJson) putIntoEditor(args);
  else if (!fillForm(args)) return;
  for (const [button, isOn] of /** @type {const} */ ([
    [page.asForm, !asJson],
    [page.asJson, asJson],
  ])) {
    button.ariaSelected = String(isOn);
    button.tabIndex = isOn ? 0 : -1;
  }
  page.formView.hidden = asJson;
  page.jsonView.hidden = !asJson;
  setText(page.problem, "");
}

/** @param {Record<string, unknown>} args */
function fillForm(args) {
  const unknown = fillFields(page.fields, args);
  if (unknown.length) setText(page.problem, `The tool has no argument ${unknown.join(", ")}. Remove it from the JSON.`);
  return !unknown.length;
}

function clear() {
  fillFields(page.fields, {});
  putTab();
  putIntoEditor(argumentsOf(page.fields));
  page.result.hidden = true;
  setText(page.problem, "");
}

// --- Execution

async function execute() {
  const args = currentArguments();
  if (!chosen || !args || running || !isComplete(args)) return;
  setText(page.problem, "");
  const { name } = chosen;
  const controller = new AbortController();
  running = controller;
  const tabsBefore = openTabs;
  const began = performance.now();
  page.result.hidden = true;
  showWorking(true);
  /** @type {ToolResult} */
  let result;
  try {
    result = await connection.call(name, args, { signal: controller.signal, onprogress: showProgress });
  } catch (error) {
    const code = controller.signal.aborted ? "CANCELLED" : "NO_ANSWER";
    const message = controller.signal.aborted
      ? "You canceled the call."
      : `The server did not respond: ${sentenceOf(error)}`;
    result = { content: [], isError: true, structuredContent: { error: { code, message } } };
  }
  running = null;
  showWorking(false);
  const milliseconds = performance.now() - began;
  showResult(name, result, milliseconds);
  const code = errorOf(result)?.code ?? "";
  const run = { time: new Date().toISOString(), tool: name, arguments: args, code, milliseconds };
  await refreshTabs();
  // Nothing from incognito tabs is stored.
  if (isAboutPrivateTab([...tabsBefore, ...openTabs], args)) return;
  remember({ ...run, reply: textOf(result.content) });
  showHistory();
}

/** @param {boolean} isOn */
function showWorking(isOn) {
  page.working.hidden = !isOn;
  page.cancel.hidden = !isOn;
  page.progress.removeAttribute("value");
  setText(page.progressText, isOn ? "Waiting for the answer" : "");
  page.form.ariaBusy = String(isOn);
  showState();
}

/** @param {{progress: number, total?: number, message?: string}} reported */
function showProgress({ progress, total = 100, message = "" }) {
  page.progress.value = (100 * progress) / total;
  setText(page.progressText, message);
}

/**
 * @param {string} name
 * @param {ToolResult} result
 * @param {number} milliseconds
 */
function showResult(name, result, milliseconds) {
  const error = errorOf(result);
  page.result.hidden = false;
  page.result.dataset.outcome = error ? "failed" : "succeeded";
  setText(page.outcome, error ? `Error ${error.code}` : "Success");
  setText(page.time, `${name}, ${duration(milliseconds)}`);
  page.content.replaceChildren(...contentElements(result));
  showJson(page.structured, error ? undefined : result.structuredContent);
  showJson(page.receipt, result._meta?.receipt);
}

// --- History

function showHistory() {
  const runs = loadHistory();
  setText(page.historyAdvice, runs.length ? "" : "The calls you execute appear here, in this browser only.");
  page.export.disabled = page.historyClear.disabled = !runs.length;
  page.history.replaceChildren(...runs.map((run) => historyItem(run, edit, runAgain)));
}

/** @param {Run} run */
function edit(run) {
  if (!tools.has(run.tool)) return setText(page.problem, `The server does not offer ${run.tool} at the moment.`);
  choose(run.tool);
  putIntoEditor(run.arguments);
  fillForm(run.arguments);
}

/** @param {Run} run */
function runAgain(run) {
  edit(run);
  if (chosen?.name === run.tool) void execute();
}

// --- User actions

page.connect.addEventListener(
  "click",
  () => void (connection.state === "connected" ? connection.disconnect() : connection.connect()),
);
page.entrance.addEventListener("submit", (event) => {
  event.preventDefault();
  const entry = page.link.value.trim();
  page.link.value = "";
  void enter(entry.includes("#") ? entry.slice(entry.indexOf("#") + 1) : entry);
});
page.toolsFilter.addEventListener("input", filterTools);
page.tabsRefresh.addEventListener("click", () => void refreshTabs());
page.asForm.addEventListener("click", () => showAs(false));
page.asJson.addEventListener("click", () => showAs(true));
for (const tab of [page.asForm, page.asJson]) {
  tab.addEventListener("keydown", ({ key }) => {
    if (key !== "ArrowLeft" && key !== "ArrowRight") return;
    const other = tab === page.asForm ? page.asJson : page.asForm;
    showAs(other === page.asJson);
    other.focus();
  });
}
page.form.addEventListener("submit", (event) => {
  event.preventDefault();
  void execute();
});
page.form.addEventListener(
  "keydown",
  (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    event.stopPropagation();
    void execute();
  },
  true,
);
page.cancel.addEventListener("click", () => running?.abort());
page.clear.addEventListener("click", clear);
page.export.addEventListener("click", exportHistory);
page.historyClear.addEventListener("click", () => {
  forgetHistory();
  showHistory();
});

showHistory();
showState();
const entry = location.hash.slice(1);
// A link works only once, so it does not belong in the address bar or the browser's history.
history.replaceState(null, "", location.pathname);
void enter(entry);
