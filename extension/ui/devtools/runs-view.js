/**
 * Running commands, and those that have run since the panel was opened, newest first.
 *
 * @import {Response, ViewedTab} from "../../shared/types.d.ts"
 * @import {WorkerPort} from "./worker-port.js"
 *
 * @typedef {object} Wish what the user wants to run
 * @property {string} command
 * @property {Record<string, unknown>} params
 *
 * @typedef {object} Run
 * @property {Wish} wish
 * @property {number} startedAt from performance.now()
 * @property {boolean} isDone
 * @property {HTMLDetailsElement} card
 * @property {HTMLElement} state
 */

import { phrase } from "../../shared/messages.js";
import { COMMANDS } from "./command-table.js";
import { byId, duration, make, makeButton, setText } from "../dom.js";
import { rememberRun } from "./history.js";
import { replyElements, sentenceFor } from "./reply.js";

const TICK_MS = 100;
const MOST_CARDS = 20;
const PARAMS_LENGTH = 200;

const page = {
  list: byId("runs", HTMLElement),
  empty: byId("runs-empty", HTMLElement),
  spoken: byId("spoken", HTMLElement),
};

export class RunsView {
  /** @type {Run[]} oldest first */
  #runs = [];
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #ticker;
  /** @readonly */
  #worker;
  /** @readonly */
  #onEdit;
  /** False until it is known that the tab is not incognito; nothing from incognito tabs is stored. */
  #isKept = false;

  /**
   * @param {WorkerPort} worker
   * @param {(wish: Wish) => void} onEdit
   */
  constructor(worker, onEdit) {
    this.#worker = worker;
    this.#onEdit = onEdit;
  }

  /** @param {ViewedTab | null} tab */
  setTab(tab) {
    if (tab) this.#isKept = !tab.incognito;
  }

  /**
   * Commands of one tab run one after another; several may be started.
   *
   * @param {Wish} wish
   */
  async start(wish) {
    const run = this.#add(wish);
    this.#tick();
    this.#ticker ??= setInterval(() => this.#tick(), TICK_MS);
    const { params, tabId } = addressed(wish);
    const response = await this.#worker.run(wish.command, params, tabId);
    const milliseconds = performance.now() - run.startedAt;
    run.isDone = true;
    this.#finish(run, response, milliseconds);
    if (this.#isKept) await rememberRun(wish.command, wish.params, response, Math.round(milliseconds));
  }

  /** Scrolls to the newest command. */
  focus() {
    page.list.querySelector("summary")?.focus();
  }

  /** @param {Wish} wish */
  #add(wish) {
    const state = make("span", { className: "state" });
    const params = JSON.stringify(wish.params).slice(0, PARAMS_LENGTH);
    const summary = make(
      "summary",
      { className: "line" },
      make("strong", {}, wish.command),
      make("span", { className: "params", dir: "auto" }, params === "{}" ? "" : params),
      state,
    );
    const card = make("details", { className: "run", open: true }, summary);
    card.dataset.state = "running";
    const run = { wish, startedAt: performance.now(), isDone: false, card, state };
    // The newest reply is the one that the user is waiting for.
    for (const { card: older, isDone } of this.#runs) if (isDone) older.open = false;
    this.#runs.push(run);
    page.list.prepend(make("li", {}, card));
    card.scrollIntoView({ block: "nearest" });
    page.empty.hidden = true;
    this.#dropOldest();
    return run;
  }

  #dropOldest() {
    const oldest = this.#runs[0];
    if (this.#runs.length <= MOST_CARDS || !oldest?.isDone) return;
    for (const image of oldest.card.querySelectorAll("img")) URL.revokeObjectURL(image.src);
    oldest.card.parentElement?.remove();
    this.#runs.shift();
  }

  #tick() {
    const open = this.#runs.filter(({ isDone }) => !isDone);
    const now = performance.now();
    for (const [index, { startedAt, state, card }] of open.entries()) {
      // The first one queued is the one that runs.
      card.dataset.state = index === 0 ? "running" : "waiting";
      setText(state, `${phrase(index === 0 ? "running" : "waiting")} ${duration(now - startedAt)}`);
    }
    if (open.length) return;
    clearInterval(this.#ticker);
    this.#ticker = undefined;
  }

  /**
   * @param {Run} run
   * @param {Response} response
   * @param {number} milliseconds
   */
  #finish({ wish, card, state }, response, milliseconds) {
    this.#tick();
    const took = duration(milliseconds);
    card.dataset.state = response.success ? "ok" : "failed";
    setText(state, `${response.success ? "ok" : response.error?.code} ${took}`);
    const again = makeButton(phrase("runAgain"), () => void this.start(wish), phrase("runAgainWhat", wish.command));
    const edit = makeButton(phrase("edit"), () => this.#onEdit(wish), phrase("editWhat", wish.command));
    card.append(...replyElements(response, [again, edit]));
    const { error } = response;
    setText(
      page.spoken,
      error ? phrase("runFailed", wish.command, sentenceFor(error)) : phrase("runDone", wish.command, took),
    );
  }
}

/**
 * @param {Wish} wish
 * @returns {{params: Record<string, unknown>, tabId: number | undefined}} in the worker's format
 */
function addressed({ command, params }) {
  const field = COMMANDS[command]?.fields.find(({ isTab }) => isTab);
  if (!field) return { params, tabId: undefined };
  const { [field.name]: tabId, ...others } = params;
  return { params: others, tabId: Number(tabId) };
}
