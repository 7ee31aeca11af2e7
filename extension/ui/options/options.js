/** The user's preferences; each change applies at once. @import {Status} from "../../shared/types.d.ts" */

import "../storage-problem.js";
import "../texts.js";
import { openShortcuts } from "../../shared/capabilities.js";
import { language, phrase } from "../../shared/messages.js";
import { describe, toneOf } from "../../shared/status.js";
import { loadPreferences, savePreferences } from "../../shared/storage.js";
import { asciiHost } from "../../shared/denied-hosts.js";
import { ConnectionControls } from "../connection-controls.js";
import { byId, setText } from "../dom.js";
import { PairingForm } from "../pairing-form.js";
import { ViewPort } from "../view-port.js";

const page = {
  group: byId("group", HTMLInputElement),
  outline: byId("outline", HTMLInputElement),
  log: byId("log", HTMLInputElement),
  readAhead: byId("read-ahead", HTMLInputElement),
  status: byId("status", HTMLElement),
  sentence: byId("sentence", HTMLElement),
  reconnect: byId("reconnect", HTMLButtonElement),
  connection: byId("connection-controls", HTMLElement),
  commandsPerSecond: byId("commands-per-second", HTMLInputElement),
  browserName: byId("browser-name", HTMLInputElement),
  deniedHosts: byId("denied-hosts", HTMLTextAreaElement),
  problem: byId("problem", HTMLElement),
  outcome: byId("outcome", HTMLElement),
  shortcuts: byId("shortcuts", HTMLButtonElement),
};
/** A host as browsers report it, with `*` for any part; `*` alone matches every host. */
const HOST = /^(?:[a-z\d_*-]+(?:\.[a-z\d_*-]+)*|[\da-f:*.]+)$/;

const pairingForm = new PairingForm(byId("setup", HTMLFormElement), (connectionString) =>
  port.send({ action: "connect", connectionString }),
);
const connectionControls = new ConnectionControls(page.connection, (action) => port.send(action));

/** @param {Status} status */
function showStatus(status) {
  page.status.dataset.tone = toneOf(status);
  setText(page.sentence, describe(status));
  const isPairing = pairingForm.show(status);
  page.reconnect.hidden = status.state !== "disconnected";
  page.reconnect.classList.toggle("primary", !isPairing);
  page.connection.hidden = !status.paired;
  connectionControls.show(status);
}

async function show() {
  const { group, outline, log, readAhead, commandsPerSecond, deniedHosts, browserName } = await loadPreferences();
  Object.assign(page.group, { checked: group });
  Object.assign(page.outline, { checked: outline });
  Object.assign(page.log, { checked: log });
  Object.assign(page.readAhead, { checked: readAhead });
  page.commandsPerSecond.valueAsNumber = commandsPerSecond;
  page.browserName.value = browserName;
  page.deniedHosts.value = deniedHosts.join("\n");
}

/** @param {Parameters<typeof savePreferences>[0]} change */
async function save(change) {
  await savePreferences(change);
  setText(page.problem, "");
  setText(page.outcome, phrase("saved", new Date().toLocaleTimeString(language())));
}

function saveHosts() {
  const hosts = page.deniedHosts.value
    .split("\n")
    .map((line) => hostIn(line.trim()))
    .filter(Boolean);
  const wrong = hosts.find((host) => !HOST.test(asciiHost(host)));
  page.deniedHosts.ariaInvalid = String(wrong !== undefined);
  if (wrong === undefined) {
    page.deniedHosts.value = hosts.join("\n");
    void save({ deniedHosts: hosts.map(asciiHost) });
    return;
  }
  setText(page.outcome, "");
  setText(page.problem, phrase("hostWrong", wrong));
}

/**
 * @param {string} line
 * @returns {string} the host of a pasted URL; anything else unchanged
 */
function hostIn(line) {
  const address = /^https?:\/\//i.test(line) ? URL.parse(line) : null;
  return address ? address.hostname.replace(/^\[|\]$/g, "") : line;
}

for (const name of /** @type {const} */ (["group", "outline", "log", "readAhead"])) {
  page[name].addEventListener("change", () => void save({ [name]: page[name].checked }));
}
page.browserName.addEventListener("change", () => void save({ browserName: page.browserName.value.trim() }));
page.commandsPerSecond.addEventListener("change", () => {
  if (page.commandsPerSecond.reportValidity()) void save({ commandsPerSecond: page.commandsPerSecond.valueAsNumber });
});
page.deniedHosts.addEventListener("change", saveHosts);
page.reconnect.addEventListener("click", () => port.send({ action: "reconnect" }));
page.shortcuts.addEventListener("click", () => void openShortcuts());
const port = new ViewPort({
  onView: ({ status }) => showStatus(status),
  onRefusal: ({ action, message }) =>
    action === "connect" ? pairingForm.refuse(message) : setText(page.problem, message),
});
void show();
