/**
 * What can be done on the page, as a client sees it: requested once a second while the view is visible. Pointing at a
 * line highlights its element in the page; clicking it copies its selector into the form.
 *
 * @import {PageElements, Response, ViewedTab} from "../../shared/types.d.ts"
 * @import {Wish} from "./runs-view.js"
 * @import {WorkerPort} from "./worker-port.js"
 */

import { phrase } from "../../shared/messages.js";
import { byId, grouped, make, refill, setText } from "../dom.js";
import { Polling } from "./polling.js";
import { sentenceFor } from "./reply.js";

/** The commands for elements that are not clicked. */
const COMMANDS = new Map([
  ["textbox", "fill"],
  ["searchbox", "fill"],
  ["spinbutton", "fill"],
  ["slider", "fill"],
  ["select", "select"],
  ["scrollable", "scroll"],
]);

const page = {
  view: byId("view-elements", HTMLElement),
  find: byId("elements-find", HTMLInputElement),
  count: byId("elements-count", HTMLElement),
  state: byId("elements-state", HTMLElement),
  list: byId("elements", HTMLElement),
  more: byId("elements-more", HTMLButtonElement),
};

export class ElementsView {
  /** The current content: an unchanged list keeps its focus and its scroll position. */
  #shown = "";
  #marked = "";
  /** Number of pages of the list to request. */
  #pages = 1;
  #isAttached = false;
  /** @readonly */
  #polling;
  /** @readonly */
  #worker;
  /** @readonly */
  #onChoose;

  /**
   * @param {WorkerPort} worker
   * @param {(wish: Wish) => void} onChoose
   */
  constructor(worker, onChoose) {
    this.#worker = worker;
    this.#onChoose = onChoose;
    this.#polling = new Polling(page.view, () => this.#look());
    page.find.addEventListener("input", () => this.#restart());
    page.more.addEventListener("click", () => {
      this.#pages += 1;
      this.#polling.now();
    });
    for (const type of ["pointerover", "focusin"]) {
      page.list.addEventListener(type, ({ target }) => this.#highlight(target));
    }
    for (const type of ["pointerleave", "focusout"]) page.list.addEventListener(type, () => this.#highlight(null));
  }

  /** @param {ViewedTab | null} tab */
  setTab(tab) {
    const isAttached = tab?.attached ?? false;
    if (!isAttached) setText(page.state, phrase("elementsAttach"));
    if (isAttached === this.#isAttached) return;
    this.#isAttached = isAttached;
    this.#show([]);
    this.#polling.turn(isAttached);
  }

  #restart() {
    this.#pages = 1;
    this.#polling.now();
  }

  /** @param {EventTarget | null} target */
  #highlight(target) {
    const line = target instanceof Element ? target.closest("button") : null;
    const selector = line?.dataset.selector ?? "";
    if (selector === this.#marked) return;
    this.#marked = selector;
    this.#worker.highlight(selector);
  }

  async #look() {
    const find = page.find.value.trim();
    /** @type {string[]} */
    const lines = [];
    let shown = 0;
    for (let offset = /** @type {number | null} */ (0), asked = 0; offset !== null && asked < this.#pages; asked += 1) {
      const { error, result } = await this.#worker.observe("page_elements", { find, offset });
      // Results for an outdated search text are dropped.
      if (find !== page.find.value.trim()) return;
      if (!this.#isAttached) return;
      setText(page.state, error ? sentenceFor(error) : "");
      if (error) return this.#show([]);
      const { text, total, shown: more, next_offset } = /** @type {PageElements} */ (result);
      // The last line is for users who cannot see the count.
      lines.push(...text.split("\n").slice(0, -1));
      shown += more;
      offset = next_offset;
      setText(page.count, phrase("shownOf", grouped(shown), grouped(total)));
      page.more.hidden = next_offset === null;
    }
    this.#show(lines);
    if (!lines.length) setText(page.state, phrase(find ? "elementsNoMatch" : "elementsNone"));
  }

  /** @param {string[]} lines */
  #show(lines) {
    const text = lines.join("\n");
    if (!lines.length) {
      setText(page.count, "");
      page.more.hidden = true;
    }
    if (text === this.#shown) return;
    this.#shown = text;
    refill(
      page.list,
      lines.map((line) => ({ key: line, element: this.#lineElement(line) })),
      page.find,
    );
  }

  /** @param {string} line */
  #lineElement(line) {
    const end = line.indexOf("  ");
    if (end < 0) return make("li", { className: "muted", dir: "auto" }, line);
    const [what, selector] = [line.slice(0, end), line.slice(end + 2)];
    const button = make(
      "button",
      { type: "button", title: phrase("elementUse"), onclick: () => this.#choose(what, selector) },
      make("span", { dir: "auto" }, what),
      make("code", { dir: "auto" }, selector),
    );
    button.dataset.selector = selector;
    return make("li", {}, button);
  }

  /**
   * @param {string} what
   * @param {string} selector
   */
  #choose(what, selector) {
    const [role = ""] = what.split(" ", 1);
    this.#onChoose({ command: COMMANDS.get(role) ?? "click", params: { selector } });
  }
}
