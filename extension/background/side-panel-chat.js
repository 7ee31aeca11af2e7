/**
 * The user's questions in the side panel: sends them to the server, and passes its events to the page that asked.
 * Nothing is stored.
 *
 * @import {AnswerEvent, PromptRequest, PromptMessage, ReadAheadRequest} from "../shared/types.d.ts"
 */

/** A working server reports progress every second; an older version never replies to questions. */
const SILENCE_MS = 20_000;

/**
 * @typedef {object} OpenQuestion
 * @property {unknown} owner the page that asked
 * @property {(event: AnswerEvent) => void} onEvent
 * @property {ReturnType<typeof setTimeout>} timer
 * @property {boolean} isAnswer
 */

export class SidePanelChat {
  /** @type {Map<string, OpenQuestion>} questions that are not finished yet */
  #open = new Map();
  /** @type {Map<unknown, Set<string>>} the conversations that the server remembers, by the page that asked */
  #conversations = new Map();
  /** @readonly */
  #send;

  /** @readonly */
  #onChange;

  /**
   * @param {(message: PromptMessage) => boolean} send returns whether a server is connected
   * @param {() => void} onChange an answer was requested, or has ended
   */
  constructor(send, onChange) {
    this.#send = send;
    this.#onChange = onChange;
  }

  /**
   * @param {PromptRequest} request
   * @param {unknown} owner
   * @param {(event: AnswerEvent) => void} onEvent called until the question ends
   */
  ask({ id, conversation, text, tabIds, model, confirmed }, owner, onEvent) {
    this.#remember(conversation, owner);
    this.#open.set(id, { owner, onEvent, timer: this.#watch(id), isAnswer: true });
    this.#onChange();
    const prompt = { id, conversation, text, tab_ids: tabIds, model, ...(confirmed && { confirmed }) };
    const isSent = this.#send({ type: "prompt", prompt });
    if (!isSent) this.#fail(id, "not_connected");
  }

  /**
   * @param {string} id
   * @param {unknown} owner
   * @param {(event: AnswerEvent) => void} onEvent
   */
  nameModels(id, owner, onEvent) {
    this.#open.set(id, { owner, onEvent, timer: this.#watch(id), isAnswer: false });
    if (!this.#send({ type: "prompt", models: id })) this.#fail(id, "not_connected");
  }

  /**
   * @param {ReadAheadRequest} request
   * @param {unknown} owner
   */
  readAhead({ conversation, tabId, model }, owner) {
    if (this.#send({ type: "prompt", read_ahead: { conversation, tab_id: tabId, model } })) {
      this.#remember(conversation, owner);
    }
  }

  /**
   * @param {string} conversation
   * @param {unknown} owner
   */
  #remember(conversation, owner) {
    this.#conversations.set(owner, (this.#conversations.get(owner) ?? new Set()).add(conversation));
  }

  /** @param {string} id */
  stop(id) {
    if (!this.#open.has(id)) return;
    this.#send({ type: "prompt", stop: id });
    this.#fail(id, "stopped");
  }

  /** @returns {boolean} whether an answer is in progress */
  get isAnswering() {
    return [...this.#open.values()].some(({ isAnswer }) => isAnswer);
  }

  stopAll() {
    for (const id of [...this.#open.keys()]) this.stop(id);
  }

  /** @param {AnswerEvent} event from the server */
  handleEvent(event) {
    const open = this.#open.get(event.id);
    if (!open) return;
    clearTimeout(open.timer);
    if (event.state === "reading" || event.state === "writing") open.timer = this.#watch(event.id);
    else this.#open.delete(event.id);
    open.onEvent(event);
    if (open.isAnswer && !this.#open.has(event.id)) this.#onChange();
  }

  /** The server has disconnected; everything open fails. */
  handleDisconnect() {
    for (const id of [...this.#open.keys()]) this.#fail(id, "lost");
  }

  /** @param {unknown} owner a page that was closed */
  handleClose(owner) {
    for (const [id, open] of this.#open) if (open.owner === owner) this.stop(id);
    for (const conversation of this.#conversations.get(owner) ?? []) this.clear(conversation, owner);
    this.#conversations.delete(owner);
  }

  /**
   * @param {string} conversation
   * @param {unknown} owner
   */
  clear(conversation, owner) {
    if (this.#conversations.get(owner)?.delete(conversation)) this.#send({ type: "prompt", clear: conversation });
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
    this.handleEvent({ type: "event", event: "answer", id, state: "failed", reason });
  }
}
