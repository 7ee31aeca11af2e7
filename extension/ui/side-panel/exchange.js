/**
 * One question and its answer in the side panel.
 *
 * @import {AnswerCheck, AnswerEvent, AnswerReceipt} from "../../shared/types.d.ts"
 * @import {Reference} from "./references.js"
 */

import { phrase } from "../../shared/messages.js";
import { isolated } from "../../shared/text.js";
import { copyText, make, makeButton, setText } from "../dom.js";
import { parse } from "./markdown-parser.js";
import { elementsOf } from "./markdown-view.js";
import { linkNumbers, numbered } from "./references.js";
import {
  checkSentences,
  errorSentence,
  isWhole,
  noteSentence,
  progressLine,
  receiptDetails,
  receiptLine,
} from "./server-texts.js";

const REASONS = /** @type {const} */ ({
  not_connected: "askFailedNotConnected",
  stopped: "askStopped",
  lost: "askFailedLost",
  silent: "askFailedSilent",
});

export class Exchange {
  id = crypto.randomUUID();
  /** The answer as the model wrote it, for Copy. */
  #written = "";
  /** The same with reference markers, as it is displayed. */
  #text = "";
  /** @type {Reference[]} */
  #references = [];
  /** @type {Partial<AnswerEvent>} the latest one about the progress */
  #reached = {};
  #isDrawing = false;
  /** Whether the text is shown unformatted, because it could not be parsed in time. */
  #isPlain = false;
  #bar = make("progress", { max: 100, value: 0 });
  #step = make("span", {}, phrase("askWaiting"));
  #progress = make("div", { className: "step" }, this.#bar, this.#step);
  #answer = make("div", { className: "answer" });
  #end = make("div");

  /** @readonly */
  #change;
  /** @readonly */
  #onConfirm;
  /** @readonly */
  #onReference;

  /**
   * @param {string} question
   * @param {(change: () => void) => void} change makes the answer longer
   * @param {(model: string) => void} onConfirm asks again, after the user has confirmed that a model runs elsewhere
   * @param {(reference: Reference, button: HTMLButtonElement) => void} onReference shows a passage in its tab
   */
  constructor(question, change, onConfirm, onReference) {
    this.#change = change;
    this.#onConfirm = onConfirm;
    this.#onReference = onReference;
    const asked = make("p", { className: "asked", dir: "auto" }, question);
    this.element = make("li", {}, asked, this.#progress, this.#answer, this.#end);
    this.element.ariaBusy = "true";
  }

  /**
   * @param {AnswerEvent} event
   * @returns {boolean} whether it was the last one
   */
  show(event) {
    const { state, text = "" } = event;
    if (state === "reading") this.#reached = event;
    if (state === "writing") this.#write(text);
    if (state === "reading" || state === "writing") {
      this.#bar.value = this.#reached.percent ?? 0;
      setText(this.#step, progressLine(this.#reached, this.#written !== ""));
      return false;
    }
    if (state === "done") this.#isPlain = false;
    if (state === "done") {
      const { text: marked, references } = numbered(text, event.evidence ?? []);
      this.#references = references;
      this.#write(text, marked);
    }
    this.#progress.remove();
    this.element.ariaBusy = "false";
    if (state === "done") this.#finish(event);
    else this.#fail(event);
    return true;
  }

  /**
   * @param {string} written
   * @param {string} [drawn] with reference markers
   */
  #write(written, drawn = written) {
    this.#written = written;
    this.#text = drawn;
    if (!this.#isDrawing) void this.#draw();
  }

  /** Displays the latest text, and those that arrive meanwhile. */
  async #draw() {
    this.#isDrawing = true;
    for (let shown = null; shown !== this.#text;) {
      shown = this.#text;
      const elements = await this.#elementsOf(shown);
      linkNumbers(elements, this.#references, this.#onReference);
      this.#change(() => this.#answer.replaceChildren(...elements));
    }
    this.#isDrawing = false;
  }

  /**
   * @param {string} text
   * @returns {Promise<Node[]>}
   */
  async #elementsOf(text) {
    const tokens = this.#isPlain ? null : await parse(text);
    this.#isPlain = tokens === null;
    return tokens ? elementsOf(tokens) : [make("p", { className: "plain", dir: "auto" }, text)];
  }

  /** @param {AnswerEvent} event */
  #finish({ receipt, notes = [], checked }) {
    const copy = makeButton(phrase("copy"), () =>
      setText(copy, phrase(copyText(this.#written) ? "copied" : "copyFailed")),
    );
    const item = (/** @type {string} */ sentence) => make("li", { dir: "auto" }, sentence);
    const missing = notes.map(noteSentence).filter(Boolean).map(item);
    const figures = (checked ? this.#doubts(checked) : []).map(item);
    // If every figure is in its passage, there is nothing to double-check.
    if (!checked?.figures.length) for (const line of figures) line.className = "hint";
    if (missing.length + figures.length) this.#end.append(make("ul", { className: "notes" }, ...missing, ...figures));
    this.#end.append(make("div", { className: "end" }, ...(receipt ? [receiptElement(receipt)] : []), copy));
    this.#end.role = "status";
  }

  /**
   * @param {AnswerCheck} checked
   * @returns {string[]} how many of the figures are on the page, and which ones are not in the cited passages
   */
  #doubts({ counts, figures }) {
    const named = (/** @type {"elsewhere" | "not_on_page"} */ wanted) =>
      figures.filter(({ result }) => result === wanted).map(({ start, end }) => this.#written.slice(start, end));
    return checkSentences(counts, named("not_on_page"), named("elsewhere"));
  }

  /** @param {AnswerEvent} event */
  #fail({ error, reason, confirm }) {
    if (confirm) return this.#askToConfirm(confirm);
    const sentence = error ? errorSentence(error) : phrase(REASONS[reason ?? "silent"]);
    this.#end.append(make("p", { className: reason === "stopped" ? "hint" : "problem", role: "alert" }, sentence));
    if (!error) return;
    // The server's own text names what the message cannot: an address, a model, a setting.
    const words = make("p", { dir: "auto" }, `${error.message} [${error.code}]`);
    this.#end.append(make("details", { className: "more" }, make("summary", {}, phrase("errorDetails")), words));
  }

  /** @param {NonNullable<AnswerEvent["confirm"]>} confirm */
  #askToConfirm({ model, host }) {
    const sentence = phrase("askCloudConfirm", isolated(model), host || phrase("askCloudService"));
    const send = makeButton(phrase("askCloudSend"), () => {
      send.remove();
      this.#onConfirm(model);
    });
    this.#end.append(make("p", { className: "problem", role: "alert" }, sentence), send);
  }
}

/** @param {AnswerReceipt} receipt */
function receiptElement(receipt) {
  const summary = make("summary", {}, receiptLine(receipt));
  const details = make("details", { className: "more" }, summary, make("p", {}, receiptDetails(receipt)));
  details.classList.toggle("partial", !isWhole(receipt));
  return details;
}
