"use strict";

// What a user sees of a page, copied into a document without a window: nothing in it loads, runs or is drawn.

const visibleCopy = (() => {
  const { getter, rectOf } = nodes;
  const { outermost, within, isShut, isFrameHidden, isSeen, rectOfText } = sight;
  const { Covers } = covers;
  const { isModal } = modalDialogs;
  const childNodesOf = getter(Node.prototype, "childNodes");
  const nodeTypeOf = getter(Node.prototype, "nodeType");
  const firstChildOf = getter(Node.prototype, "firstChild");
  const tagOf = getter(Element.prototype, "localName");
  const openRootOf = getter(Element.prototype, "shadowRoot");
  const bodyOf = getter(Document.prototype, "body");
  const rootOf = getter(Document.prototype, "documentElement");
  const windowOf = getter(Document.prototype, "defaultView");
  const inFirefox = /** @type {"shadowRoot"} */ ("openOrClosedShadowRoot");
  /** Available only to extensions: also returns closed shadow roots. */
  const anyRootOf =
    globalThis.chrome?.dom?.openOrClosedShadowRoot ??
    (Object.hasOwn(Element.prototype, inFirefox) ? getter(Element.prototype, inFirefox) : null);

  const MAX_NODES = 300_000;
  /** Elements that are never drawn. */
  const UNDRAWN = new Set(
    "script style template head meta link title base area map datalist param source track".split(" "),
  );
  /** Elements that show no text, or show what a user has typed or may choose. */
  const TEXTLESS = new Set(
    [...UNDRAWN].concat(
      "embed canvas audio video input select textarea option progress meter svg desc math".split(" "),
    ),
  );
  /** Block elements without any style, which Readability knows. */
  const BLOCKS = new Set(
    (
      "address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer " +
      "form frame h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol p pre search section summary table tbody td " +
      "tfoot th thead tr ul"
    ).split(" "),
  );
  /** A ligature of an icon font, and such a font. */
  const ICON_WORD = /^\s*[a-z][a-z0-9]*(?:_[a-z0-9]+)*\s*$/;
  const ICON_FONT = /^["']?(?:material (?:icons|symbols)|[\w -]*\bicons\b)/i;
  const SVG = "http://www.w3.org/2000/svg";
  const HAS_LINES = /^(?:pre|break-spaces)/;
  const MONOSPACED = /mono|courier|consolas|menlo|\bcode\b/i;
  const FIELDS = new Set(["input", "textarea", "select", "img"]);
  const FIGURE = /^[^\p{L}]*\p{N}[^\p{L}]*$/u;
  const WORD_START = /^[\p{L}\p{N}\p{Sc}]/u;
  const WORD_END = /[\p{L}\p{N}\p{Sc}]$/u;
  /** Readable characters, unlike the glyphs of icon fonts. */
  const READABLE = /[\p{L}\p{N}\p{P}\p{S}]/u;
  const LINE_NUMBER = /^\s*\d+$/;
  /** Maximum length of a text that stands for an icon. */
  const MAX_SAID = 30;
  const BLOCK_DISPLAY = /^(?:block|flex|grid|list-item|table|flow-root)/;

  /** @typedef {ReturnType<typeof outermost>} Layer */

  /**
   * @typedef {object} Row elements whose cells belong on one line
   * @property {number} columns cells per line
   * @property {number} maxLength of its text: a longer one stays as it is
   * @property {boolean} isNarrow whether it counts only if each of its cells is a single line
   */

  /** @typedef {Map<Element, Row>} Rows each row and each of its cells */

  /**
   * @typedef {object} Meanings what elements of the page mean beyond their text
   * @property {(field: Element, tag: string) => string} fieldValue the readable value of a field
   * @property {(element: Element, tag: string) => boolean} isSign whether it may be all that a cell contains
   * @property {Rows} rows
   * @property {Set<Node | null>} checked controls that are switched on, their labels, and the texts after those without one
   * @property {Map<Element, Element>} formulas the MathML of each element that shows a formula
   * @property {(math: Element) => string} formulaOf
   * @property {(left: DOMRect, right: DOMRect, parent: Element | null) => boolean} areApart whether two texts are too far
   *   apart to be one word
   */

  class TooLarge extends Error {}

  /**
   * @param {Node} node
   * @returns {node is Element}
   */
  function isElement(node) {
    return nodeTypeOf(node) === Node.ELEMENT_NODE;
  }

  class Copy {
    /**
     * @param {Document} page
     * @param {Meanings} meanings
     */
    constructor(page, meanings) {
      this.meanings = meanings;
      /** @type {{text: Text, rect: DOMRect, copy: Text} | null} the text before, if no space follows it */
      this.last = null;
      /** @type {Rows} */
      this.rows = new Map();
      /** @type {Map<Node, Map<string | null, Element[]>>} labels by the id that they name, for each document and shadow root */
      this.labels = new Map();
      this.inert = document.implementation.createHTMLDocument("");
      this.nodes = 0;
      /** What covers the page or frame that is being copied. */
      this.covers = new Covers(window);
      this.#page(page, this.inert.body);
    }

    /**
     * @param {Document} page
     * @param {Element} to
     */
    #page(page, to) {
      // A drawing has no body.
      const body = bodyOf(page) ?? /** @type {HTMLElement | null} */ (rootOf(page));
      const view = windowOf(page);
      if (!body || !view) return;
      const around = this.covers;
      this.covers = new Covers(view);
      this.#children(body, to, outermost(page, view, body), view.getComputedStyle(body));
      this.covers.remove();
      this.covers = around;
    }

    /**
     * @param {Element} from
     * @param {Element} to
     * @param {Layer} layer of its children
     * @param {CSSStyleDeclaration} style of `from`
     */
    #children(from, to, layer, style) {
      const isShown = isDrawn(style);
      const isClosed = tagOf(from) === "details" && !from.hasAttribute("open");
      for (const node of shownChildren(from)) {
        this.nodes += 1;
        if (this.nodes > MAX_NODES) throw new TooLarge();
        if (nodeTypeOf(node) === Node.TEXT_NODE) {
          if (isShown && !isClosed) this.#text(/** @type {Text} */ (node), from, to, layer, style);
        } else if (isElement(node) && (!isClosed || tagOf(node) === "summary")) {
          this.#element(node, to, layer);
        }
      }
    }

    /**
     * @param {Text} text
     * @param {Element} from
     * @param {Element} to
     * @param {Layer} layer
     * @param {CSSStyleDeclaration} style
     */
    #text(text, from, to, layer, style) {
      const isBlank = !text.data.trim();
      const rect = isBlank ? null : rectOfText(text);
      if (rect && !isSeen(layer, style, text, rect)) return;
      // The number of a line of code may be next to any character.
      const isNumbered = LINE_NUMBER.test(this.last?.text.data ?? "") && HAS_LINES.test(style.whiteSpace);
      const mayBeApart = rect !== null && (isNumbered || tagOf(from) !== "code");
      if (mayBeApart && this.last && this.#isApart(this.last, text, rect, isNumbered)) this.last.copy.appendData(" ");
      const copy = this.inert.importNode(text);
      this.last = mayBeApart ? { text, rect, copy } : null;
      if (this.meanings.checked.has(text)) this.#marked(to).append(copy);
      else to.append(copy);
      if (rect) this.covers.note({ node: text, parent: from, copy, rect, isBehind: layer.isBehind });
    }

    /**
     * @param {Element} element
     * @param {Element} to
     * @param {Layer} around
     */
    #element(element, to, around) {
      const tag = tagOf(element);
      if (UNDRAWN.has(tag)) return;
      // Where scripts run it is not drawn, although no style hides it.
      if (tag === "noscript" && !element.checkVisibility()) return;
      const style = around.view.getComputedStyle(element);
      if (isUnseen(style) || isIcon(element, style)) return;
      const layer = within(around, element, style);
      const cover = this.covers.enter(element, tag, style, layer);
      const math = this.meanings.formulas.get(element);
      if (math && !isShut(layer, element, style)) this.#formula(math, element, to, layer, style);
      if (math) return;
      // A check box may be transparent, and something next to it its image.
      const isBox = tag === "input" && element.getAttribute("type") === "checkbox";
      const isField = FIELDS.has(tag) && isDrawn(style) && (isBox || !isShut(layer, element, style));
      if (isField) this.#field(element, tag, to, layer);
      else if (this.#sign(element, tag, to, layer, style)) return;
      if (TEXTLESS.has(tag) && !isDrawing(element, tag)) return;
      if (isShut(layer, element, style)) {
        // Those after it stay below their headers.
        if (isCell(element, tag) && rectOf(element).width > 0) to.append(this.#shell(element, tag, style));
        return;
      }
      if (tag === "iframe" || tag === "frame" || (tag === "object" && pageOf(element))) {
        if (isDrawn(style) && !isFrameHidden(layer, element)) this.#frame(element, to, layer);
        return;
      }
      const copy = this.#shell(element, tag, style);
      copy.removeAttribute("data-over");
      if (layer.isFixed || style.position === "absolute") {
        copy.setAttribute("data-over", isModal(element, tag, layer) ? "modal" : "");
      }
      to.append(copy);
      const row = this.meanings.rows.get(element);
      if (row) this.rows.set(copy, row);
      this.#children(element, copy, layer, style);
      if (isCell(element, tag) && !copy.textContent?.trim()) {
        copy.append((row && saidAloud(element)) || signIn(around.view.getComputedStyle(element, "::before")));
      }
      this.covers.leave(element, cover, layer, around);
    }

    /**
     * @param {Element} field
     * @param {string} tag
     * @param {Element} to
     * @param {Layer} layer of its options
     */
    #field(field, tag, to, layer) {
      const copy = this.inert.createElement("span");
      copy.setAttribute("data-field", tag);
      const options = tag === "select" ? this.#optionsIn(/** @type {HTMLSelectElement} */ (field), layer) : [];
      if (!options.length) {
        copy.append(this.meanings.fieldValue(field, tag));
        to.append(" ", copy, " ");
        return;
      }
      copy.setAttribute("data-lines", "pre-line");
      copy.append(options.join("\n"));
      to.append(this.inert.createElement("br"), copy, this.inert.createElement("br"));
      this.covers.note({ node: field, parent: field, copy, rect: rectOf(field), isBehind: layer.isBehind });
    }

    /**
     * @param {Element} element
     * @param {string} tag
     * @param {Element} to
     * @param {Layer} layer
     * @param {CSSStyleDeclaration} style
     * @returns {boolean} whether it is the icon of a cell without words, whose description is written
     */
    #sign(element, tag, to, layer, style) {
      const { rows, isSign, fieldValue } = this.meanings;
      if (rows.size === 0 || !isSign(element, tag) || !isDrawn(style) || isShut(layer, element, style)) return false;
      const value = fieldValue(element, tag);
      if (value) to.append(` ${value} `);
      return value !== "";
    }

    /**
     * @param {HTMLSelectElement} list
     * @param {Layer} layer
     * @returns {string[]} the options that it draws: a closed list draws none
     */
    #optionsIn(list, layer) {
      const mark = list.length > 1 ? " (selected)" : "";
      return [...list.querySelectorAll("optgroup, option")].flatMap((option) => {
        if (!option.checkVisibility({ visibilityProperty: true })) return [];
        const style = layer.view.getComputedStyle(option);
        const words = option instanceof HTMLOptionElement ? option.textContent : option.getAttribute("label");
        const text = new Text((words ?? "").replace(/\s+/g, " ").trim());
        if (!text.data || !isSeen(within(layer, option, style), style, text, rectOf(option))) return [];
        return [`${text.data}${option.matches("option:checked") ? mark : ""}`];
      });
    }

    /**
     * @param {Element} math
     * @param {Element} element that shows it
     * @param {Element} to
     * @param {Layer} layer
     * @param {CSSStyleDeclaration} style
     */
    #formula(math, element, to, layer, style) {
      const copy = new Text(this.meanings.formulaOf(math));
      const rect = rectOf(element);
      if (!isDrawn(style) || !isSeen(layer, style, copy, rect)) return;
      to.append(copy);
      this.covers.note({ node: element, parent: element, copy, rect, isBehind: layer.isBehind });
    }

    /**
     * @param {{text: Text, rect: DOMRect}} last
     * @param {Text} text
     * @param {DOMRect} rect
     * @param {boolean} isNumbered
     * @returns {boolean} whether there is space between two texts without a space character
     */
    #isApart(last, text, rect, isNumbered) {
      const isInWord = WORD_END.test(last.text.data) && WORD_START.test(text.data);
      return (
        (isInWord || (isNumbered && !/^\s/.test(text.data))) &&
        this.meanings.areApart(last.rect, rect, text.parentElement)
      );
    }

    /**
     * @param {Element} to
     * @returns {Element} a new element in it, whose text names a control that is switched on
     */
    #marked(to) {
      const mark = this.inert.createElement("span");
      mark.toggleAttribute("data-checked", true);
      to.append(mark);
      return mark;
    }

    /**
     * @param {Element} frame
     * @param {Element} to
     * @param {Layer} layer
     */
    #frame(frame, to, layer) {
      const page = pageOf(frame);
      // With `document.domain`, pages of other hosts of a site are accessible, too.
      if (!page || windowOf(page)?.origin !== windowOf(frame.ownerDocument)?.origin) return;
      const copy = this.inert.createElement("div");
      to.append(copy);
      this.#page(page, copy);
      this.covers.note({ node: frame, parent: frame, copy, rect: rectOf(frame), isBehind: layer.isBehind });
    }

    /**
     * @param {Element} element
     * @param {string} tag
     * @param {CSSStyleDeclaration} style
     * @returns {Element} a copy without children
     */
    #shell(element, tag, { display, whiteSpace, fontFamily, listStyleType }) {
      let copy = this.inert.importNode(element);
      const isDrawnAsBlock = BLOCK_DISPLAY.test(display);
      const isCode =
        tag === "div" && whiteSpace !== "pre-line" && HAS_LINES.test(whiteSpace) && MONOSPACED.test(fontFamily);
      const isOther = tag === "object" || isCode || isDisclosure(element, tag) || element.namespaceURI === SVG;
      const isPlain = tag === "span" || tag === "slot" || tag.includes("-");
      if (isOther || (isDrawnAsBlock && isPlain)) {
        copy = this.inert.createElement(isCode ? "pre" : tag === "tspan" || isFigure(element, tag) ? "span" : "div");
        for (const name of ["class", "id", "role", "itemprop", "aria-modal"]) {
          copy.setAttribute(name, element.getAttribute(name) ?? "");
        }
        if (tag === "button" && !isCell(element, tag)) copy.setAttribute("role", tag);
      } else if (isDrawnAsBlock && !BLOCKS.has(tag)) {
        copy.setAttribute("data-block", "");
      }
      // Visible content is kept, whatever its attributes claim; no name may shadow a property of the copy's document or
      // forms.
      for (const name of ["style", "hidden", "name"]) copy.removeAttribute(name);
      if (["button", "fieldset", "img", "output"].includes(tag)) copy.removeAttribute("id");
      copy.toggleAttribute("data-checked", this.meanings.checked.has(element));
      copy.toggleAttribute("data-labeled", this.#isLabeled(element, tag));
      if (HAS_LINES.test(whiteSpace)) copy.setAttribute("data-lines", whiteSpace);
      if (tag === "li") copy.setAttribute("data-marker", markerOf(element, display, listStyleType));
      return copy;
    }

    /**
     * @param {Element} element
     * @param {string} tag
     * @returns {boolean} whether it is a button with a label next to it, as of a field: it shows the chosen value
     */
    #isLabeled(element, tag) {
      if (tag !== "button" || !element.id) return false;
      const root = /** @type {Document | ShadowRoot} */ (element.getRootNode());
      // The browser's own `labels` walks through the whole document for each button.
      const labels =
        this.labels.get(root) ?? Map.groupBy(root.querySelectorAll("label[for]"), (one) => one.getAttribute("for"));
      this.labels.set(root, labels);
      return (labels.get(element.id) ?? []).some((label) => !label.contains(element));
    }
  }

  /**
   * @param {Element} element
   * @param {string} tag
   */
  function isCell(element, tag) {
    return tag === "td" || /cell$/.test(element.getAttribute("role") ?? "");
  }

  /**
   * @param {Element} cell that shows no text
   * @returns {string} its short text for screen readers, in a box of a pixel, which describes what it shows instead
   */
  function saidAloud(cell) {
    const parts = [...cell.querySelectorAll("*")].filter((one) => {
      const { width, height } = rectOf(one);
      return width <= 1 && height <= 1 && one.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    });
    const text = (parts[0]?.textContent ?? "").replace(/\s+/g, " ").trim();
    return text.length > MAX_SAID ? "" : text;
  }

  /**
   * @param {CSSStyleDeclaration} style of what is drawn before the content of a cell that shows no text
   * @returns {string} for example the sign of a line that was added or removed
   */
  function signIn({ content }) {
    const text = content.match(/^"([^"\\]+)"$/)?.[1] ?? "";
    return text.length <= MAX_SAID && READABLE.test(text) ? text : "";
  }

  /** @param {Element} frame */
  function pageOf(frame) {
    return /** @type {HTMLIFrameElement} */ (frame).contentDocument;
  }

  /**
   * @param {Element} element
   * @param {string} tag
   * @returns {boolean} whether it is a drawing with words, such as a chart or a diagram
   */
  function isDrawing(element, tag) {
    return tag === "svg" && element.querySelector("foreignObject, text") !== null;
  }

  /**
   * @param {Element} element
   * @param {string} tag
   * @returns {boolean} whether it is a button that only has figures, such as a size, or a time, also in words
   */
  function isFigure(element, tag) {
    if (tag !== "button") return false;
    return element.querySelector("time") !== null || FIGURE.test((element.textContent ?? "").trim());
  }

  /**
   * @param {Element} element
   * @param {string} tag
   * @returns {boolean} whether it is a button whose words are content: a paragraph, the heading of what it opens, figures
   */
  function isDisclosure(element, tag) {
    if (tag !== "button" || element.hasAttribute("aria-haspopup")) return false;
    if (isFigure(element, tag) || element.hasAttribute("aria-expanded")) return true;
    return element.querySelector("p") !== null;
  }

  /**
   * @param {Element} item of a list
   * @param {string} display
   * @param {string} style of its marker
   * @returns {string} the style of the marker that is drawn, if any, also by a style with a counter of its own
   */
  function markerOf(item, display, style) {
    if (display.includes("list-item") && style !== "none") return style;
    return getComputedStyle(item, "::before").content.includes("counter") ? "decimal" : "none";
  }

  /** @param {Element} element */
  function shownChildren(element) {
    const tag = tagOf(element);
    if (tag === "slot") {
      const assigned = /** @type {HTMLSlotElement} */ (element).assignedNodes({ flatten: true });
      if (assigned.length) return assigned;
    }
    const mayHide = (tag.includes("-") || !firstChildOf(element)) && element.namespaceURI !== SVG;
    const root = mayHide && anyRootOf ? anyRootOf(/** @type {HTMLElement} */ (element)) : openRootOf(element);
    return childNodesOf(root ?? element);
  }

  /**
   * @param {Element} element
   * @param {CSSStyleDeclaration} style
   * @returns {boolean} whether an icon font draws an image for its word, such as "edit_calendar"
   */
  function isIcon(element, style) {
    const text = firstChildOf(element);
    if (!text || nodeTypeOf(text) !== Node.TEXT_NODE || childNodesOf(element).length > 1) return false;
    return ICON_WORD.test(/** @type {Text} */ (text).data) && ICON_FONT.test(style.fontFamily);
  }

  /** @param {CSSStyleDeclaration} style of an element whose descendants may still be drawn */
  function isDrawn({ visibility }) {
    return visibility === "visible";
  }

  /** @param {CSSStyleDeclaration} style of an element whose descendants are hidden as well */
  function isUnseen({ display, contentVisibility }) {
    return display === "none" || contentVisibility === "hidden";
  }

  /**
   * @param {Element} element of a copy
   * @returns {boolean} whether it is a block
   */
  function isBlock(element) {
    return BLOCKS.has(element.localName) || element.hasAttribute("data-block");
  }

  /**
   * @param {Document} page
   * @param {Meanings} meanings
   * @returns {{copy: Document, rows: Rows}} `rows`: of the copy
   * @throws {TooLarge} for a page of more than 300,000 nodes
   */
  function copyOf(page, meanings) {
    const copied = new Copy(page, meanings);
    return { copy: copied.inert, rows: copied.rows };
  }

  /**
   * @param {Document} parsed by the browser's own safe parser, which leaves neither forms nor names
   * @returns {Document} the same, reduced to what would be visible
   * @throws {TooLarge} for one of more than 300,000 elements
   */
  function seenOf(parsed) {
    for (const element of parsed.querySelectorAll([...TEXTLESS].join())) element.remove();
    if (parsed.getElementsByTagName("*").length > MAX_NODES) throw new TooLarge();
    return parsed;
  }

  return { copyOf, seenOf, isBlock };
})();
