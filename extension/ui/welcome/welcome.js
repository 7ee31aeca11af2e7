/**
 * The first steps: the current one is open, and each shows its state. Opened after the installation, and from the popup
 * and the options page at any time.
 *
 * @import {Status, View, ViewedTab} from "../../shared/types.d.ts"
 */

import "../texts.js";
import { CommandLine, commandOf } from "../command-line.js";
import { byId, setText } from "../dom.js";
import { isOpenToUs } from "../page-access.js";
import { PairingForm } from "../pairing-form.js";
import { ViewPort } from "../view-port.js";
import { phrase } from "../../shared/messages.js";
import { describe, toneOf } from "../../shared/status.js";
import { isolated, siteOf } from "../../shared/text.js";

const page = {
  pairCheck: byId("pair-check", HTMLElement),
  clientCheck: byId("client-check", HTMLElement),
  pageCheck: byId("page-check", HTMLElement),
  setupCommand: byId("setup-command", HTMLElement),
  addToClaude: byId("add-to-claude", HTMLElement),
  doctorCommand: byId("doctor-command", HTMLElement),
  reconnect: byId("reconnect", HTMLButtonElement),
};
const pairingForm = new PairingForm(byId("setup", HTMLFormElement), (connectionString) =>
  port.send({ action: "connect", connectionString }),
);
const lines = {
  setup: new CommandLine(phrase("setupCommand")),
  claude: new CommandLine(phrase("addCommand")),
  doctor: new CommandLine(phrase("doctorCommand")),
};
/** In order. */
const steps = ["pair-step", "client-step", "page-step"].map((id) => byId(id, HTMLDetailsElement));
/** Number of the step opened last; the user may open others meanwhile. */
let current = -1;
/** Number of the latest check of a tab; only its result is shown. */
let latest = 0;

/** @param {View} view */
function show({ status, tab }) {
  const focused = document.activeElement;
  pairingForm.show(status);
  page.reconnect.hidden = status.state !== "disconnected";
  showCommands(status);
  showPairing(status);
  showClient(status);
  void showTab(tab);
  openCurrent(status);
  // Keyboard users must not lose their place when the form or the button disappears.
  if (!focused?.closest("[hidden], details:not([open])")) return;
  (page.reconnect.hidden ? page.setupCommand.querySelector("button") : page.reconnect)?.focus();
}

/**
 * Opens the first unfinished step, and closes the finished ones.
 *
 * @param {Status} status
 */
function openCurrent({ state, paired, failure, clients }) {
  const isPaired = paired && failure !== "wrong_key";
  const hasClient = state === "connected" && clients.length > 0;
  const next = !isPaired ? 0 : !hasClient ? 1 : 2;
  page.pageCheck.hidden = next < 2;
  if (next === current) return;
  current = next;
  steps.forEach((step, index) => (step.open = index === next));
}

/** @param {Status} status */
function showCommands(status) {
  lines.setup.show(commandOf(status, "setup"));
  lines.doctor.show(commandOf(status, "doctor"));
  lines.claude.show(status.commands.claude ?? "");
  page.addToClaude.hidden = !status.commands.claude;
}

/** @param {Status} status */
function showPairing(status) {
  if (!status.paired) say(page.pairCheck, "neutral", phrase("checkUnpaired"));
  else if (status.failure === "wrong_key") say(page.pairCheck, "error", describe(status));
  else say(page.pairCheck, "good", phrase("checkPaired", status.port ?? ""));
}

/** @param {Status} status */
function showClient(status) {
  const { state, port: number, clients } = status;
  if (state === "setup") say(page.clientCheck, "neutral", phrase("checkAfterPairing"));
  else if (state === "connected" && !clients.length) {
    say(page.clientCheck, "neutral", phrase("checkNoClient", number ?? ""));
  } else if (state === "paired") say(page.clientCheck, "neutral", phrase("checkNoServer", number ?? ""));
  else say(page.clientCheck, toneOf(status), describe(status));
}

/** @param {ViewedTab | null} tab */
async function showTab(tab) {
  const look = (latest += 1);
  if (!tab) return say(page.pageCheck, "neutral", phrase("checkNoPage"));
  if (tab.denied) return say(page.pageCheck, "neutral", phrase("obstacleDenied"));
  const isReadable = tab.obstacle === "" && (await isOpenToUs(tab.id)) === true;
  if (look !== latest) return;
  if (isReadable) say(page.pageCheck, "good", phrase("checkReadable", isolated(tab.title), siteOf(tab.url)));
  else say(page.pageCheck, "neutral", tab.obstacle || phrase("checkUnreadable", isolated(tab.title), siteOf(tab.url)));
}

/**
 * @param {HTMLElement} check
 * @param {"good" | "neutral" | "error"} tone
 * @param {string} sentence
 */
function say(check, tone, sentence) {
  check.dataset.tone = tone;
  setText(check, sentence);
}

page.setupCommand.append(lines.setup.element);
page.addToClaude.append(lines.claude.element);
page.doctorCommand.append(lines.doctor.element);
page.reconnect.addEventListener("click", () => port.send({ action: "reconnect" }));

const port = new ViewPort({ onView: show, onRefusal: ({ message }) => pairingForm.refuse(message) });
