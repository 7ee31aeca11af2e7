/**
 * What the person asks in the side panel: it goes on to the server, and what the server tells about it comes back to
 * the page that has asked. Nothing of it is kept.
 *
 * @import {AnswerEvent, AskRequest, QuestionMessage} from "../shared/types.d.ts"
 */

/** A server that works tells how far it is each second; one of an older version takes no questions. */
const SILENCE_MS = 20_000;

/**
 * @typedef {object} Asked
 * @property {unknown} owner the page that has asked
 * @property {(event: AnswerEvent) => void} tell
 * @property {ReturnType<typeof setTimeout>} timer
 */

export class Questions {
  /** @type {Map<string, Asked>} those that have no end yet */
  #open = new Map();
  /** @type {Map<unknown, Set<string>>} by the page that has asked: the talks that the server remembers */
  #talks = new Map();
  /** @readonly */
  #send;

  /** @param {(message: QuestionMessage) => boolean} send says whether there is a server that gets it */
  constructor(send) {
    this.#send = send;
  }

  /**
   * @param {AskRequest} request
   * @param {unknown} owner
   * @param {(event: AnswerEvent) => void} tell hears of it until its end
   */
  ask({ id, talk, question, tabIds, model }, owner, tell) {
    this.#talks.set(owner, (this.#talks.get(owner) ?? new Set()).add(talk));
    this.#open.set(id, { owner, tell, timer: this.#watch(id) });
    const isSent = this.#send({ type: "question", ask: { id, talk, question, tab_ids: tabIds, model } });
    if (!isSent) this.#fail(id, "not_connected");
  }

  /**
   * @param {string} id
   * @param {unknown} owner
   * @param {(event: AnswerEvent) => void} tell
   */
  nameModels(id, owner, tell) {
    this.#open.set(id, { owner, tell, timer: this.#watch(id) });
    if (!this.#send({ type: "question", models: id })) this.#fail(id, "not_connected");
  }

  /** @param {string} id */
  stop(id) {
    if (!this.#open.has(id)) return;
    this.#send({ type: "question", stop: id });
    this.#fail(id, "stopped");
  }

  stopAll() {
    for (const id of [...this.#open.keys()]) this.stop(id);
  }

  /** @param {AnswerEvent} event of the server */
  hear(event) {
    const asked = this.#open.get(event.id);
    if (!asked) return;
    clearTimeout(asked.timer);
    if (event.state === "reading" || event.state === "writing") asked.timer = this.#watch(event.id);
    else this.#open.delete(event.id);
    asked.tell(event);
  }

  /** The server is gone, and what it was doing ends. */
  lost() {
    for (const id of [...this.#open.keys()]) this.#fail(id, "lost");
  }

  /** @param {unknown} owner a page that was closed */
  left(owner) {
    for (const [id, asked] of this.#open) if (asked.owner === owner) this.stop(id);
    for (const talk of this.#talks.get(owner) ?? []) this.forget(talk, owner);
    this.#talks.delete(owner);
  }

  /**
   * @param {string} talk
   * @param {unknown} owner
   */
  forget(talk, owner) {
    if (this.#talks.get(owner)?.delete(talk)) this.#send({ type: "question", forget: talk });
  }

  /** @param {string} id */
  #watch(id) {
    return setTimeout(() => this.#fail(id, "silent"), SILENCE_MS);
  }

  /**
   * @param {string} id
   * @param {NonNullable<AnswerEvent["reason"]>} reason
   */
  #fail(id, reason) {
    this.hear({ type: "event", event: "answer", id, state: "failed", reason });
  }
}
