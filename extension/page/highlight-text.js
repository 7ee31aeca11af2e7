// Runs inside the page, from its own source text: it contains its helpers and uses nothing from outside.

/**
 * Highlights a passage where the page draws it and scrolls there, with the CSS Custom Highlight API: no node, style or
 * selection of the page changes. Escape removes the highlight.
 *
 * The passage is searched for first without white space and cell borders, then by letters and digits only: text that a
 * model has read lacks line breaks, or contains Markdown.
 *
 * @param {{text: string, limit: number}} request `text`: the passage, empty to remove a highlight; `limit`: maximum
 *   number of occurrences to highlight
 * @returns {{found: number, inView: boolean} | "unsupported" | "pdf"} the number of highlighted occurrences, and whether
 *   the first one is in the viewport now; `pdf` if the tab shows the browser's PDF viewer
 */
export function highlightText({ text, limit }) {
  const NAME = "chrome-tab-reader";
  const ENDER = "chromeTabHighlightEnd";
  /** Elements whose text nodes are not drawn as text. */
  const NOT_DRAWN = new Set(["TEXTAREA", "SELECT", "SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE"]);
  const BORDERS = /[\s|\p{Cf}]/u;
  const NOT_WORDS = /[^\p{L}\p{N}]/u;
  /** What reading adds to the text of the page: link targets, numbers of list items, marks of choices. */
  const ADDED = /\]\([^()\s]*\)|^[ \t>]*\d{1,9}[.)] | \((?:checked|selected|crossed out)\)/gm;
  const world = /** @type {Record<string, unknown>} */ (/** @type {unknown} */ (globalThis));
  // A form control of that name would shadow a property.
  const shadowRootOf = Object.getOwnPropertyDescriptor(Element.prototype, "shadowRoot")?.get;
  const parentOf = Object.getOwnPropertyDescriptor(Node.prototype, "parentElement")?.get;
  const { scrollIntoView, getBoundingClientRect } = Element.prototype;

  const end = world[ENDER];
  if (typeof end === "function") end();
  if (typeof Highlight !== "function") return "unsupported";
  const windows = ownWindows();
  if (!text || windows.some(isHiddenFrame)) return { found: 0, inView: false };
  if (document.contentType === "application/pdf" && self === top) return "pdf";

  const nodes = drawnTexts();
  for (const [passage, ignored] of /** @type {const} */ ([
    [text, BORDERS],
    [text.replaceAll(ADDED, ""), NOT_WORDS],
  ])) {
    const passages = occurrences(passage, nodes, ignored);
    if (passages.length > 0) return show(passages);
  }
  return { found: 0, inView: false };

  /** @returns {Window[]} this one and those around it, as far as they have the same origin */
  function ownWindows() {
    /** @type {Window[]} */
    const found = [window];
    for (let inner = window; inner.frameElement; found.push(inner)) inner = /** @type {typeof window} */ (inner.parent);
    return found;
  }

  /** @param {Window} frame */
  function isHiddenFrame(frame) {
    const element = frame.frameElement;
    return element !== null && !element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  }

  /** @returns {Text[]} in document order, those of open shadow roots at their hosts */
  function drawnTexts() {
    /** @type {Text[]} */
    const found = [];
    /** @type {(Document | ShadowRoot)[]} */
    const trees = [document];
    /** @type {Map<Element, boolean>} */
    const drawn = new Map();
    for (let tree = trees.pop(); tree; tree = trees.pop()) {
      const walker = document.createTreeWalker(tree, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        // Not instanceof: a node that the script of another frame has seen first belongs to that frame's classes.
        if (node.nodeType === Node.TEXT_NODE) {
          const parent = node.parentElement;
          if (!parent || isDrawn(parent, drawn)) found.push(/** @type {Text} */ (node));
        } else {
          const root = shadowRootOf?.call(node);
          if (root) trees.push(root);
        }
      }
    }
    return found;
  }

  /**
   * @param {Element} element
   * @param {Map<Element, boolean>} known
   */
  function isDrawn(element, known) {
    const before = known.get(element);
    if (before !== undefined) return before;
    const drawn =
      !NOT_DRAWN.has(element.tagName) &&
      Element.prototype.checkVisibility.call(element, { visibilityProperty: true, opacityProperty: true });
    known.set(element, drawn);
    return drawn;
  }

  /**
   * @param {string} data
   * @param {RegExp} ignored
   * @returns {string} the text to compare: without what is ignored, in lower case
   */
  function compared(data, ignored) {
    let kept = "";
    for (const character of data) kept += comparedLetters(character, ignored);
    return kept;
  }

  /**
   * @param {string} character
   * @param {RegExp} ignored
   * @returns {string} its letters and accents, which a page and a model may write as one code point or as several
   */
  function comparedLetters(character, ignored) {
    const letters = character < "\x80" ? character : character.normalize("NFKD");
    let kept = "";
    for (const letter of letters.toLowerCase()) if (!ignored.test(letter)) kept += letter;
    return kept;
  }

  /**
   * @param {string} passage
   * @param {Text[]} texts
   * @param {RegExp} ignored
   * @returns {Range[][]} a range for each node of an occurrence: one range cannot span several shadow roots
   */
  function occurrences(passage, texts, ignored) {
    const wanted = compared(passage, ignored);
    if (!wanted) return [];
    const parts = texts.map((node) => compared(node.data, ignored));
    const page = parts.join("");
    /** @type {Range[][]} */
    const found = [];
    let index = 0;
    let start = 0;
    for (
      let at = page.indexOf(wanted);
      at >= 0 && found.length < limit;
      at = page.indexOf(wanted, at + wanted.length)
    ) {
      while (start + (parts[index] ?? "").length <= at) start += (parts[index++] ?? "").length;
      /** @type {Range[]} */
      const ranges = [];
      let place = start;
      for (let part = index; place < at + wanted.length; part++) {
        const length = (parts[part] ?? "").length;
        const node = texts[part];
        if (node && length > 0) {
          ranges.push(rangeIn(node, Math.max(0, at - place), Math.min(length, at + wanted.length - place), ignored));
        }
        place += length;
      }
      found.push(ranges);
    }
    return found;
  }

  /**
   * @param {Text} node
   * @param {number} from offset in the node's comparable text
   * @param {number} to
   * @param {RegExp} ignored
   */
  function rangeIn(node, from, to, ignored) {
    const range = new Range();
    let offset = 0;
    let kept = 0;
    let begun = false;
    for (const character of node.data) {
      const { length } = comparedLetters(character, ignored);
      if (!begun && length > 0 && kept + length > from) {
        range.setStart(node, offset);
        begun = true;
      }
      offset += character.length;
      kept += length;
      if (kept >= to) break;
    }
    range.setEnd(node, offset);
    return range;
  }

  /** @param {Range[][]} passages */
  function show(passages) {
    CSS.highlights.set(NAME, new Highlight(...passages.flat()));
    const stop = new AbortController();
    world[ENDER] = () => {
      stop.abort();
      CSS.highlights.delete(NAME);
      delete world[ENDER];
    };
    const onKey = (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Escape" && typeof world[ENDER] === "function") world[ENDER]();
    };
    for (const each of windows) each.addEventListener("keydown", onKey, { capture: true, signal: stop.signal });
    const first = passages[0]?.[0];
    return { found: passages.length, inView: first !== undefined && scrollTo(first) };
  }

  /**
   * @param {Range} range
   * @returns {boolean} whether it is in the viewport afterwards
   */
  function scrollTo(range) {
    const element = range.startContainer.parentElement;
    if (element) scrollIntoView.call(element, { block: "center", inline: "nearest", behavior: "instant" });
    // The element may be longer than its scroll container.
    for (let box = element; box; box = parentOf?.call(box)) {
      const { top } = range.getBoundingClientRect();
      const place = getBoundingClientRect.call(box);
      const isHidden = top < place.top || top > place.bottom;
      if (box.scrollHeight > box.clientHeight && isHidden) box.scrollTop += top - place.top - box.clientHeight / 2;
    }
    const shown = range.getBoundingClientRect();
    if (shown.top < 0 || shown.bottom > innerHeight) {
      scrollBy({ top: shown.top - innerHeight / 2, behavior: "instant" });
    }
    const { top, bottom, width, height } = range.getBoundingClientRect();
    return width > 0 && height > 0 && bottom > 0 && top < innerHeight;
  }
}
