/**
 * Commands run earlier, including on previous days.
 *
 * @import {PastRun} from "../../shared/types.d.ts"
 * @import {Wish} from "./runs-view.js"
 */

import { language, phrase } from "../../shared/messages.js";
import { byId, duration, make, makeButton, refill } from "../dom.js";
import { clearHistory } from "./history.js";

const page = {
  list: byId("history", HTMLElement),
  empty: byId("history-empty", HTMLElement),
  clear: byId("history-clear", HTMLButtonElement),
};

export class HistoryView {
  /** @readonly */
  #onRun;
  /** @readonly */
  #onEdit;

  /**
   * @param {(wish: Wish) => void} onRun
   * @param {(wish: Wish) => void} onEdit
   */
  constructor(onRun, onEdit) {
    this.#onRun = onRun;
    this.#onEdit = onEdit;
    page.clear.addEventListener("click", () => void clearHistory());
  }

  /** @param {PastRun[]} history newest first */
  show(history) {
    page.empty.hidden = history.length > 0;
    const items = history.map((run) => ({ key: run.id, element: this.#item(run) }));
    refill(page.list, items, page.clear);
  }

  /** @param {PastRun} run */
  #item(run) {
    const { command, params, withheld, code, milliseconds, time, reply } = run;
    const isWhole = params !== null && !withheld.length;
    const wish = { command, params: params ?? {} };
    const state = make("span", { className: "state" }, `${code || "ok"} ${duration(milliseconds)}`);
    const item = make(
      "li",
      {},
      make("strong", {}, command),
      make("span", { className: "params", dir: "auto" }, paramsText(run)),
      state,
      make(
        "div",
        { className: "buttons" },
        ...(isWhole ? [makeButton(phrase("runAgain"), () => this.#onRun(wish), phrase("runAgainWhat", command))] : []),
        ...(params ? [makeButton(phrase("edit"), () => this.#onEdit(wish), phrase("editWhat", command))] : []),
      ),
      make("span", { className: "hint" }, `${new Date(time).toLocaleString(language())}  `, make("bdi", {}, reply)),
    );
    item.dataset.state = code ? "failed" : "ok";
    return item;
  }
}

/** @param {PastRun} run */
function paramsText({ params, withheld }) {
  if (params === null) return phrase("tooLong");
  const text = Object.keys(params).length ? JSON.stringify(params) : "";
  return withheld.length ? `${text} ${phrase("notKept", withheld.join(", "))}` : text;
}
