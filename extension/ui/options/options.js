/** What the user may choose; each change holds at once. */

import "../storage-problem.js";
import "../texts.js";
import { openShortcuts } from "../../shared/capabilities.js";
import { phrase } from "../../shared/messages.js";
import { loadPreferences, loadSettings, savePreferences } from "../../shared/storage.js";
import { asciiHost } from "../../shared/denied-hosts.js";
import { byId, setText } from "../dom.js";

const page = {
  group: byId("group", HTMLInputElement),
  outline: byId("outline", HTMLInputElement),
  log: byId("log", HTMLInputElement),
  autoReconnect: byId("auto-reconnect", HTMLInputElement),
  commandsPerSecond: byId("commands-per-second", HTMLInputElement),
  browserName: byId("browser-name", HTMLInputElement),
  deniedHosts: byId("denied-hosts", HTMLTextAreaElement),
  problem: byId("problem", HTMLElement),
  said: byId("said", HTMLElement),
  shortcuts: byId("shortcuts", HTMLButtonElement),
};
/** A host as browsers report it, `*` for any part of it; `*` alone is all of them. */
const HOST = /^(?:[a-z\d_*-]+(?:\.[a-z\d_*-]+)*|[\da-f:*.]+)$/;

async function show() {
  const { group, outline, log, commandsPerSecond, deniedHosts, browserName } = await loadPreferences();
  Object.assign(page.group, { checked: group });
  Object.assign(page.outline, { checked: outline });
  Object.assign(page.log, { checked: log });
  page.commandsPerSecond.valueAsNumber = commandsPerSecond;
  page.browserName.value = browserName;
  page.deniedHosts.value = deniedHosts.join("\n");
  page.autoReconnect.checked = (await loadSettings()).autoReconnect;
}

/** @param {Parameters<typeof savePreferences>[0]} change */
async function save(change) {
  await savePreferences(change);
  setText(page.problem, "");
  setText(page.said, phrase("saved", new Date().toLocaleTimeString()));
}

function saveHosts() {
  const hosts = page.deniedHosts.value
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  const wrong = hosts.find((host) => !HOST.test(asciiHost(host)));
  page.deniedHosts.ariaInvalid = String(wrong !== undefined);
  if (wrong === undefined) {
    void save({ deniedHosts: hosts.map(asciiHost) });
    return;
  }
  setText(page.said, "");
  setText(page.problem, phrase("hostWrong", wrong));
}

for (const name of /** @type {const} */ (["group", "outline", "log"])) {
  page[name].addEventListener("change", () => void save({ [name]: page[name].checked }));
}
page.browserName.addEventListener("change", () => void save({ browserName: page.browserName.value.trim() }));
page.commandsPerSecond.addEventListener("change", () => {
  if (page.commandsPerSecond.reportValidity()) void save({ commandsPerSecond: page.commandsPerSecond.valueAsNumber });
});
page.deniedHosts.addEventListener("change", saveHosts);
page.autoReconnect.addEventListener("change", () => {
  chrome.runtime.connect().postMessage({ action: "set_auto_reconnect", on: page.autoReconnect.checked });
});
page.shortcuts.addEventListener("click", () => void openShortcuts());
void show();
