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
 * @property {boolean} isSilent whether its texts are told already
 * @property {boolean} isVisible whether its texts can be seen
 * @property {string} cursor
 * @property {Pick<Item, "kind" | "role">} told what its texts are
 * @property {{item: Item | null, isRow: boolean}} block what its texts belong to
 */

const pageItems = (() => {
  const { attributeOf, boxOf, childNodesOf, childrenOf, controlOf, dataOf, documentOf, drawnChildrenOf, innerRootOf } =
    dom;
  const { isControl, isElement, isFrame, isText, labelsOf, parentOf, queryAll, queryIn, tagOf, textContentOf } = dom;
  const { handleOf, isRendered, isVisible, placeInMainFrame } = geometry;
  const { INLINE } = names;
  const { CANDIDATES, roleOf } = roles;

  const SKIPPED = wordsOf(
    "base br col colgroup datalist head hr link meta noscript optgroup option param script source style template title " +
      "track wbr",
  );
  const GRABBED = wordsOf("grab grabbing move cell");
  const LIVE_ROLES = wordsOf("alert status log tooltip progressbar meter");
  const SCROLLABLE = wordsOf("article aside div dl form main nav ol p pre section tbody ul");
  const CELLS = wordsOf("td th");
  const BOXES = wordsOf("div i li p span td");
  const HEADING = /^h[1-6]$/u;
  const SHAPES = "circle, ellipse, rect, polygon, polyline, line, path, text, image";
  /** Smaller graphics are icons, those with more shapes are pictures. */
  const GRAPHIC = { side: 48, shapes: 60 };
  const SEEN = { visibilityProperty: true };
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
    #candidates;
    /** @readonly @type {Set<Element>} */
    #seen = new Set();

    /** @param {Root[]} roots all of the page */
    constructor(roots) {
      this.#candidates = new Set(roots.flatMap((root) => queryAll(root, CANDIDATES)));
    }

    /** @param {Element} element to go through with all that is in it, unless that is done */
    add(element) {
      const told = /** @type {const} */ ({ kind: "text", role: "text" });
      this.#visit(element, {
        isInThing: false,
        isSilent: false,
        cursor: "",
        isVisible: true,
        told,
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
      const isCandidate = this.#candidates.has(element);
      const isShown = isRendered(element, SEEN);
      const isThere = (isShown || isRendered(element)) && attributeOf(element, "inert") === null;
      if (!isThere && !(isCandidate && hasVisibleLabel(element))) return;
      const within = { ...around, isVisible: isShown };
      const role = this.#roleAt(element, tag, isCandidate, within);
      const place = this.items.length;
      const box = role ? boxOf(element) : null;
      const isThing = box !== null && ((isShown && hasPlace(element, box)) || hasVisibleLabel(element));
      if (isThing) {
        this.#push("thing", role, element, box);
        if (isControl(element) || CLOSED.has(role)) return;
        if (!isPartOfPage(element, role)) within.isSilent = true;
        if (!LISTENING.has(role)) within.isInThing = within.isSilent;
      }
      if (!within.isSilent) this.#tell(element, tag, within);
      if (!within.isInThing && !isThing) this.#look(element, tag, within);
      this.#visitChildren(element, within);
      // What only surrounds something else that can be clicked says nothing more.
      if (isThing && LISTENING.has(role) && isFrameOf(this.items.slice(place + 1))) this.items.splice(place, 1);
    }

    /**
     * @param {Element} element
     * @param {string} tag
     * @param {boolean} isCandidate
     * @param {Surroundings} within whose cursor becomes the element's
     * @returns {string} empty when nobody acts on it
     */
    #roleAt(element, tag, isCandidate, within) {
      const role = isCandidate ? roleOf(element) : "";
      if (!role && within.isInThing) return "";
      const inherited = within.cursor;
      within.cursor = getComputedStyle(element).cursor;
      if (role) return role;
      if (isFrame(element)) return innerRootOf(element) ? "" : "frame";
      if (within.cursor !== inherited && !controlOf(element)) {
        if (within.cursor === "pointer") return "clickable";
        if (GRABBED.has(within.cursor)) return "draggable";
      }
      return SCROLLABLE.has(tag) && isScrollable(element) ? "scrollable" : "";
    }

    /**
     * Sees what the texts in an element are.
     *
     * @param {Element} element
     * @param {string} tag
     * @param {Surroundings} within
     */
    #tell(element, tag, within) {
      const role = attributeOf(element, "role") ?? "";
      const live = liveRoleOf(element, tag, role);
      if (HEADING.test(tag) || role === "heading") within.told = { kind: "heading", role: "#" };
      else if (live) within.told = { kind: "message", role: live };
      else if (tag === "legend") within.told = { kind: "message", role: "group" };
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
      for (const node of drawnChildrenOf(element)) {
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
    #addText(text, element, { block, told }) {
      const item = (block.item ??= { ...told, element, cells: [], isInSight: false });
      if (item.cells.every((cell) => !cell.length)) this.#place(item);
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
     * @param {DOMRect} box
     */
    #push(kind, role, element, box) {
      this.#place({ kind, role, element, cells: [], isInSight: false }, box);
    }

    /**
     * @param {Item} item
     * @param {DOMRect} [box]
     */
    #place(item, box = boxOf(item.element)) {
      item.isInSight = isInSight(item.element, box);
      this.items.push(item);
    }
  }

  /** @param {string} text */
  function wordsOf(text) {
    return new Set(text.split(" "));
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
   * @param {DOMRect} box
   */
  function isInSight(element, box) {
    const own = documentOf(element) === document ? box : placeInMainFrame(element);
    const isHidden = own.width === 0 && own.height === 0;
    const { x, y, width, height } = isHidden ? placeInMainFrame(handleOf(element)) : own;
    return x < innerWidth && y < innerHeight && x + width > 0 && y + height > 0;
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
    const parts = [...childrenOf(element)].filter(
      (child) => /\S/u.test(textContentOf(child) ?? "") && isRendered(child),
    );
    return isLong || parts.length > 1 || queryIn(element, "a[href], button, input, select, textarea").length > 0;
  }

  /** @param {Element} element */
  function isScrollable(element) {
    const { scrollHeight, clientHeight, scrollWidth, clientWidth } = /** @type {HTMLElement} */ (element);
    const isTall = clientHeight > 0 && scrollHeight > clientHeight + LEAST_SIDE;
    const isWide = clientWidth > 0 && scrollWidth > clientWidth + LEAST_SIDE;
    if (!isTall && !isWide) return false;
    const { overflowX, overflowY } = getComputedStyle(element);
    return (isTall && /auto|scroll/u.test(overflowY)) || (isWide && /auto|scroll/u.test(overflowX));
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
   * @returns {boolean} whether no text stands beside it
   */
  function isLoneSpan(element) {
    const parent = parentOf(element);
    return parent !== null && ![...childNodesOf(parent)].some((node) => isText(node) && /\S/u.test(dataOf(node)));
  }

  /** @param {Item[]} items in something that listens */
  function isFrameOf(items) {
    return items.some(({ kind }) => kind === "thing") && items.every(({ kind }) => kind === "thing" || kind === "look");
  }

  /**
   * @param {Element} element
   * @param {string} tag
   * @returns {boolean} whether it is only seen
   */
  function isBox(element, tag) {
    if (!BOXES.has(tag) || childNodesOf(element).length) return false;
    const { width, height } = boxOf(element);
    if (Math.min(width, height) < LEAST_SIDE) return false;
    const { backgroundColor, backgroundImage, borderTopWidth, content } = getComputedStyle(element);
    const isPlain = backgroundColor === "rgba(0, 0, 0, 0)" && backgroundImage === "none" && content === "normal";
    const isField = Math.min(width, height) >= LEAST_FIELD && attributeOf(element, "id") !== null;
    return !isPlain || borderTopWidth !== "0px" || isField;
  }

  return { PageItems };
})();
