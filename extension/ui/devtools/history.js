/**
 * What the panel stores: past commands, and commands saved under a name. Several panels may be open; each change is
 * made under one lock, so that none is lost.
 *
 * @import {PanelMemory, PastRun, Response, SavedCommand} from "../../shared/types.d.ts"
 */

import { loadPanelMemory, savePanelMemory } from "../../shared/storage.js";
import { isReplyKept, secretsIn, without } from "./command-table.js";
import { sentenceFor, withoutPicture } from "./reply.js";

const MOST_RUNS = 100;
const MOST_PARAMS_LENGTH = 10_000;
const REPLY_LENGTH = 200;

/**
 * @param {string} command
 * @param {Record<string, unknown>} params
 * @param {Response} response
 * @param {number} milliseconds
 */
export async function rememberRun(command, params, response, milliseconds) {
  const withheld = secretsIn(command, params);
  /** @type {PastRun} */
  const run = {
    id: crypto.randomUUID(),
    time: new Date().toISOString(),
    command,
    params: JSON.stringify(params).length > MOST_PARAMS_LENGTH ? null : without(params, withheld),
    withheld,
    code: response.error?.code ?? "",
    milliseconds,
    reply: isReplyKept(command, params) ? briefReply(response) : "",
  };
  await change(({ history }) => ({ history: [run, ...history].slice(0, MOST_RUNS) }));
}

export async function clearHistory() {
  await change(() => ({ history: [] }));
}

/**
 * Replaces one of the same name.
 *
 * @param {SavedCommand} command
 */
export async function saveCommand(command) {
  await change(({ saved }) => {
    const others = saved.filter(({ name }) => name !== command.name);
    return { saved: [...others, command].sort(byName) };
  });
}

/** @param {string} name */
export async function deleteSaved(name) {
  await change(({ saved }) => ({ saved: saved.filter((command) => command.name !== name) }));
}

/** @param {(memory: PanelMemory) => Partial<PanelMemory>} decide */
async function change(decide) {
  await navigator.locks.request("panel-memory", async () => savePanelMemory(decide(await loadPanelMemory())));
}

/**
 * @param {Response} response
 * @returns {string} its beginning
 */
function briefReply({ error, result }) {
  if (error) return sentenceFor(error).slice(0, REPLY_LENGTH);
  const text = JSON.stringify(withoutPicture(result));
  return text.slice(0, REPLY_LENGTH).toWellFormed();
}

/**
 * @param {SavedCommand} a
 * @param {SavedCommand} b
 */
function byName(a, b) {
  return a.name.localeCompare(b.name);
}
