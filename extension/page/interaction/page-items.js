"use strict";

// What stands on the page, in the order in which it is drawn: what can be acted on, and the texts between.

/**
 * @typedef {object} Item
 * @property {"thing" | "heading" | "message" | "text" | "look"} kind a thing can be acted on; a look has no words
 * @property {string} role the word that its line begins with
 * @property {Element} element
 * @property {Text[][]} cells texts; those of a row by its cells
 * @property {boolean} isInSight
 */

/**
 * What the ancestors of an element say about it.
 *
 * @typedef {object} Surroundings
 * @property {boolean} isInThing whether it is a part of what can be acted on
 * @property {boolean} isSilent whether its texts are listed already
 * @property {boolean} isVisible whether its texts can be seen
 * @property {boolean} isFar whether it is known to be out of sight
 * @property {string} cursor
 * @property {Pick<Item, "kind" | "role">} textKind what its texts are
 * @property {{item: Item | null, isRow: boolean}} block what its texts belong to
 */

const pageItems = (() => {
  const { attributeOf, boxOf, childNodesOf, childrenOf, controlOf, dataOf, documentOf, drawnChildrenOf, hasIn } = dom;
  const { hasNodes, holderOf, isControl, isElement, isFrame, isText, labelsOf, parentElementOf, parentOf } = dom;
  const { queryAll, queryIn, tagOf, textContentOf } = dom;
  const { handleOf, isRendered, isVisible, placeInMainFrame } = geometry;
  const { CANDIDATES, INLINE, roleOf } = aria;
  const { HEADINGS, SEEN, distantItemsIn, grippedRole } = offscreenItems;

  const SKIPPED = wordsOf(
    "base br col colgroup datalist head hr link meta noscript optgroup option param script source style template title " +
      "track wbr",
  );
  const LIVE_ROLES = wordsOf("alert status log tooltip progressbar meter");
  const DIALOGS = wordsOf("dialog alertdialog");
  const SCROLLABLE = wordsOf("article aside div dl form main nav ol p pre section tbody ul");
  const CELLS = wordsOf("td th");
  const LISTS = wordsOf("menu ol ul");
  const BOXES = wordsOf("div i li p span td");
  /** What is looked at more closely for what its texts are. */
  const TELLING = new Set([...HEADINGS, ...CELLS, "dialog", "label", "legend", "output", "table", "tr"]);
  /** Elements to act on, whose lines a list may have room for together with the texts between. */
  const FEW = 150;
  const SHAPES = "circle, ellipse, rect, polygon, polyline, line, path, text, image";
  /** Smaller graphics are icons, those with more shapes are pictures. */
  const GRAPHIC = { side: 48, shapes: 60 };
  const LEAST_SIDE = 8;
  const LEAST_LOOK = 3;
  /** Of an empty part of the page that may listen. */
  const LEAST_FIELD = 40;
  /** What is not gone into. */
  const CLOSED = wordsOf("canvas textbox frame");
  /** Parts of the page that listen to the mouse. */
  const LISTENING = wordsOf("clickable draggable");
  /** More text than that is not the name of what can be clicked: it is a part of the page that listens. */
  const NAME_LENGTH = 120;

  class PageItems {
    /** @type {Item[]} */
    items = [];
    /** @readonly */
    #acted;
    /** @readonly @type {Map<Element | null, Root>} by what holds them */
    #inner;
    /** @readonly */
    #inert;
    /** @readonly the size of the viewport: the browser takes a while to compute it */
    #sight = { width: innerWidth, height: innerHeight };
    /** @readonly @type {Set<Element>} */
    #seen = new Set();

    /**
     * @param {Root[]} roots all of the page
     * @param {boolean} isWhole whether texts are wanted that are far outside of the viewport of a large page
     */
    constructor(roots, isWhole) {
      this.#inner = new Map(roots.map((root) => [holderOf(root), root]));
      const all = (/** @type {string} */ selector) => new Set(roots.flatMap((root) => queryAll(root, selector)));
      const candidates = all(CANDIDATES);
      this.#acted = { candidates, holders: holdersOf(candidates) };
      this.#inert = all("[inert]");
      this.isBrief = !isWhole && candidates.size > FEW && roots.length === 1 && !this.#inert.size;
    }

    /** @param {Element} element to go through with all that is in it, unless that is done */
    add(element) {
      const textKind = /** @type {const} */ ({ kind: "text", role: "text" });
      this.#visit(element, {
        isInThing: false,
        isSilent: false,
        cursor: "",
        isVisible: true,
        isFar: false,
        textKind,
        block: { item: null, isRow: false },
      });
    }

    /**
     * @param {Element} element
     * @param {Surroundings} around
     */
    #visit(element, around) {
      const tag = tagOf(element);
      if (SKIPPED.has(tag) || this.#seen.has(element)) return;
      this.#seen.add(element);
      const isCandidate = this.#acted.candidates.has(element);
      const isVisible_ = isRendered(element, SEEN);
      const isThere = (isVisible_ || isRendered(element)) && !this.#inert.has(element);
      if (!isThere && !(isCandidate && hasVisibleLabel(element))) return;
      const within = { ...around, isVisible: isVisible_ };
      const role = this.#roleAt(element, tag, isCandidate, within);
      if (role && this.#addThing(element, role, within)) return;
      if (!role && !within.isInThing && !INLINE.has(tag) && isClosed(element, within, this.#sight)) return;
      if (this.isBrief && within.isFar && !within.isInThing) {
        this.items.push(...distantItemsIn(element, this.#acted, around));
        return;
      }
      if (!within.isSilent) this.#classify(element, tag, within);
      if (!within.isInThing && !role) this.#look(element, tag, within);
      this.#visitChildren(element, within);
    }

    /**
     * @param {Element} element
     * @param {string} role
     * @param {Surroundings} within
     * @returns {boolean} whether that is all that is to be said about what is in it
     */
    #addThing(element, role, within) {
      const box = within.isFar && hasNodes(element) ? null : boxOf(element);
      const isThere = within.isVisible && (!box || hasPlace(element, box));
      if (!isThere && !hasVisibleLabel(element)) return false;
      const place = this.items.length;
      this.#push("thing", role, element, box);
      if (isControl(element) || CLOSED.has(role)) return true;
      if (!isPartOfPage(element, role)) within.isSilent = true;
      if (!LISTENING.has(role)) {
        within.isInThing = within.isSilent;
        return within.isInThing && this.#inner.size === 1 && !this.#acted.holders.has(element);
      }
      this.#visitChildren(element, within);
      // What only surrounds something else that can be clicked says nothing more.
      if (isFrameOf(this.items.slice(place + 1))) this.items.splice(place, 1);
      return true;
    }

    /**
     * @param {Element} element
     * @param {string} tag
     * @param {boolean} isCandidate
     * @param {Surroundings} within whose cursor becomes the element's
     * @returns {string} empty when it cannot be acted on
     */
    #roleAt(element, tag, isCandidate, within) {
      const role = isCandidate ? roleOf(element) : "";
      if (!role && within.isInThing) return "";
      const inherited = within.cursor;
      const style = getComputedStyle(element);
      within.cursor = style.cursor;
      if (role) return role;
      if (isFrame(element)) return this.#inner.has(element) ? "" : "frame";
      const gripped = within.cursor === inherited ? "" : grippedRole(within.cursor);
      if (gripped && !controlOf(element)) return gripped;
      return SCROLLABLE.has(tag) && isScrollable(element, style) ? "scrollable" : "";
    }

    /**
     * Sees what the texts in an element are.
     *
     * @param {Element} element
     * @param {string} tag
     * @param {Surroundings} within
     */
    #classify(element, tag, within) {
      const role = attributeOf(element, "role") ?? "";
      if (!role && !TELLING.has(tag) && attributeOf(element, "aria-live") === null) {
        if (!within.block.isRow && !isInLine(element, tag)) within.block = { item: null, isRow: false };
        return;
      }
      const live = liveRoleOf(element, tag, role);
      if (HEADINGS.has(tag) || role === "heading") within.textKind = { kind: "heading", role: "#" };
      else if (live) within.textKind = { kind: "message", role: live };
      else if (tag === "legend") within.textKind = { kind: "message", role: "group" };
      else if (tag === "dialog" || DIALOGS.has(role)) this.#push("message", "dialog", element, boxOf(element));
      if (tag === "label" && controlOf(element)) within.isSilent = true;
      if (tag === "tr" || role === "row") {
        within.block = { item: { kind: "text", role: "row", element, cells: [], isInSight: false }, isRow: true };
      } else if (within.block.isRow && tag !== "table") {
        if (CELLS.has(tag) || role.endsWith("cell")) within.block.item?.cells.push([]);
      } else if (!isInLine(element, tag)) within.block = { item: null, isRow: false };
    }

    /**
     * Adds what is only seen.
     *
     * @param {Element} element
     * @param {string} tag
     * @param {Surroundings} within
     */
    #look(element, tag, within) {
      if (tag === "svg") this.#addShapes(element, within);
      else if (tag === "img" && attributeOf(element, "alt") !== "") this.#addLook(element, "image");
      else if (isBox(element, tag)) this.#addLook(element, "box");
    }

    /**
     * @param {Element} element
     * @param {Surroundings} within
     */
    #visitChildren(element, within) {
      for (const node of drawnChildrenOf(element, this.#inner.get(element))) {
        if (isElement(node)) this.#visit(node, within);
        else if (within.isVisible && !within.isSilent && isText(node) && /\S/u.test(dataOf(node))) {
          this.#addText(node, element, within);
        }
      }
    }

    /**
     * @param {Text} text
     * @param {Element} element
     * @param {Surroundings} within
     */
    #addText(text, element, { block, textKind, isFar }) {
      const item = (block.item ??= { ...textKind, element, cells: [], isInSight: false });
      if (item.cells.every((cell) => !cell.length)) this.#place(item, isFar ? null : boxOf(item.element));
      if (!item.cells.length) item.cells.push([]);
      item.cells.at(-1)?.push(text);
    }

    /**
     * @param {Element} graphic
     * @param {Surroundings} within
     */
    #addShapes(graphic, within) {
      const { width, height } = boxOf(graphic);
      const shapes = queryIn(graphic, SHAPES);
      if (Math.max(width, height) < GRAPHIC.side || shapes.length > GRAPHIC.shapes) return;
      within.isSilent = within.isInThing = true;
      for (const shape of shapes) this.#addLook(shape, tagOf(shape));
    }

    /**
     * @param {Element} element
     * @param {string} role
     */
    #addLook(element, role) {
      const box = boxOf(element);
      if (Math.max(box.width, box.height) >= LEAST_LOOK && isRendered(element, SEEN)) {
        this.#push("look", role, element, box);
      }
    }

    /**
     * @param {Item["kind"]} kind
     * @param {string} role
     * @param {Element} element
     * @param {DOMRect | null} box null out of sight
     */
    #push(kind, role, element, box) {
      this.#place({ kind, role, element, cells: [], isInSight: false }, box);
    }

    /**
     * @param {Item} item
     * @param {DOMRect | null} box null out of sight
     */
    #place(item, box) {
      item.isInSight = box !== null && meets(placeOf(item.element, box), this.#sight);
      this.items.push(item);
    }
  }

  /** @param {string} text */
  function wordsOf(text) {
    return new Set(text.split(" "));
  }

  /**
   * @param {Set<Element>} elements
   * @returns {Set<Element>} all that hold one of them
   */
  function holdersOf(elements) {
    const holders = new Set();
    for (const element of elements) {
      for (let outer = parentElementOf(element); outer && !holders.has(outer); outer = parentElementOf(outer)) {
        holders.add(outer);
      }
    }
    return holders;
  }

  /** @param {Element} element */
  function hasVisibleLabel(element) {
    return labelsOf(element).some(isVisible);
  }

  /**
   * @param {Element} element
   * @param {DOMRect} box
   */
  function hasPlace(element, { width, height }) {
    return (width > 0 && height > 0) || isVisible(element);
  }

  /**
   * @param {Element} element
   * @param {Surroundings} within updated when it is out of sight
   * @param {{width: number, height: number}} sight
   * @returns {boolean} whether what is in it is cut off
   */
  function isClosed(element, within, sight) {
    if (within.isFar || documentOf(element) !== document) return false;
    const box = boxOf(element);
    if (box.width === 0 || box.height === 0) return getComputedStyle(element).overflow === "hidden";
    within.isFar = !meets(box, sight);
    return false;
  }

  /**
   * @param {Element} element
   * @param {DOMRect} box
   * @returns {Box} where it is drawn, or what stands for it
   */
  function placeOf(element, box) {
    const own = documentOf(element) === document ? box : placeInMainFrame(element);
    const isHidden = own.width === 0 && own.height === 0;
    return isHidden ? placeInMainFrame(handleOf(element)) : own;
  }

  /**
   * @param {Box} box
   * @param {{width: number, height: number}} sight
   */
  function meets({ x, y, width, height }, sight) {
    return x < sight.width && y < sight.height && x + width > 0 && y + height > 0;
  }

  /**
   * @param {Element} element
   * @param {string} role
   * @returns {boolean} whether the page goes on in it
   */
  function isPartOfPage(element, role) {
    if (role === "scrollable" || role === "listbox") return true;
    if (role !== "clickable" && role !== "draggable") return false;
    const isLong = (textContentOf(element)?.length ?? 0) > NAME_LENGTH;
    const parts = [...childrenOf(element)].flatMap((child) =>
      LISTS.has(tagOf(child)) ? [...childrenOf(child)] : child,
    );
    const worded = parts.filter((part) => /\S/u.test(textContentOf(part) ?? "") && isRendered(part));
    return isLong || worded.length > 1 || hasIn(element, "a[href], button, input, select, textarea");
  }

  /**
   * @param {Element} element
   * @param {CSSStyleDeclaration} style
   */
  function isScrollable(element, { overflowX, overflowY }) {
    // Styles are cheaper to ask for than sizes.
    const isScrolled = (/** @type {string} */ overflow) => overflow === "auto" || overflow === "scroll";
    if (!isScrolled(overflowX) && !isScrolled(overflowY)) return false;
    const { scrollHeight, clientHeight, scrollWidth, clientWidth } = /** @type {HTMLElement} */ (element);
    const isTall = isScrolled(overflowY) && clientHeight > 0 && scrollHeight > clientHeight + LEAST_SIDE;
    const isWide = isScrolled(overflowX) && clientWidth > 0 && scrollWidth > clientWidth + LEAST_SIDE;
    return isTall || isWide;
  }

  /**
   * @param {Element} element
   * @param {string} tag
   * @param {string} role
   */
  function liveRoleOf(element, tag, role) {
    if (LIVE_ROLES.has(role)) return role;
    const live = attributeOf(element, "aria-live");
    return tag === "output" || live === "polite" || live === "assertive" ? "status" : "";
  }

  /**
   * @param {Element} element
   * @param {string} tag
   */
  function isInLine(element, tag) {
    if (tag !== "span") return INLINE.has(tag);
    return getComputedStyle(element).display === "inline" && !isLoneSpan(element);
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether no text stands next to it
   */
  function isLoneSpan(element) {
    const parent = parentOf(element);
    for (const node of parent ? childNodesOf(parent) : []) if (isText(node) && /\S/u.test(dataOf(node))) return false;
    return true;
  }

  /** @param {Item[]} items in something that listens */
  function isFrameOf(items) {
    return items.some(({ kind }) => kind === "thing") && items.every(({ kind }) => kind === "thing" || kind === "look");
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether nothing but white space and comments is in it
   */
  function isEmpty(element) {
    for (const node of childNodesOf(element)) {
      if (isElement(node) || (isText(node) && /\S/u.test(dataOf(node)))) return false;
    }
    return true;
  }

  /**
   * @param {Element} element
   * @param {string} tag
   * @returns {boolean} whether it is only seen
   */
  function isBox(element, tag) {
    if (!BOXES.has(tag) || !isEmpty(element)) return false;
    const { width, height } = boxOf(element);
    if (Math.min(width, height) < LEAST_SIDE) return false;
    const { backgroundColor, backgroundImage, borderTopWidth, content } = getComputedStyle(element);
    const isPlain = backgroundColor === "rgba(0, 0, 0, 0)" && backgroundImage === "none" && content === "normal";
    const isField = Math.min(width, height) >= LEAST_FIELD && attributeOf(element, "id") !== null;
    return !isPlain || borderTopWidth !== "0px" || isField;
  }

  return { PageItems };
})();
