/**
 * One question and its answer, as they stand in the side panel.
 *
 * @import {AnswerEvent} from "../../shared/types.d.ts"
 */

import { phrase } from "../../shared/messages.js";
import { copyText, make, makeButton, setText } from "../dom.js";
import { elementsOf } from "./markdown-view.js";

const REASONS = /** @type {const} */ ({
  not_connected: "askFailedNotConnected",
  stopped: "askStopped",
  lost: "askFailedLost",
  silent: "askFailedSilent",
});

export class Exchange {
  id = crypto.randomUUID();
  #text = "";
  #bar = make("progress", { max: 100 });
  #step = make("span", {}, phrase("askWaiting"));
  #progress = make("p", { className: "step" }, this.#bar, this.#step);
  #answer = make("div", { className: "answer" });
  #end = make("div");

  /** @param {string} question */
  constructor(question) {
    const asked = make("p", { className: "asked" }, question);
    this.element = make("li", {}, asked, this.#progress, this.#answer, this.#end);
    this.element.ariaBusy = "true";
  }

  /**
   * @param {AnswerEvent} event
   * @returns {boolean} whether it was the last one
   */
  show(event) {
    const { state, text = "" } = event;
    if (state === "reading") {
      this.#bar.value = event.percent ?? 0;
      setText(this.#step, event.step ?? "");
      return false;
    }
    if (state === "writing" || state === "done") this.#write(text);
    if (state === "writing") return false;
    this.#progress.remove();
    this.element.ariaBusy = "false";
    if (state === "done") this.#finish(event);
    else this.#fail(event);
    return true;
  }

  /** @param {string} text */
  #write(text) {
    this.#text = text;
    this.#answer.replaceChildren(...elementsOf(text));
  }

  /** @param {AnswerEvent} event */
  #finish({ read = "", note = "" }) {
    const copy = makeButton(phrase("copy"), () =>
      setText(copy, phrase(copyText(this.#text) ? "copied" : "copyFailed")),
    );
    if (note) this.#end.append(make("p", { className: "note" }, note));
    this.#end.append(make("div", { className: "end" }, make("span", { className: "read" }, read), copy));
    this.#end.role = "status";
  }

  /** @param {AnswerEvent} event */
  #fail({ error, reason }) {
    const sentence = error ? `${error.message} [${error.code}]` : phrase(REASONS[reason ?? "silent"]);
    this.#end.append(make("p", { className: reason === "stopped" ? "hint" : "problem", role: "alert" }, sentence));
  }
}
