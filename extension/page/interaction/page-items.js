"use strict";

// The items of the page in drawing order: elements to act on, and the texts between.

/**
 * @typedef {object} Item
 * @property {"thing" | "heading" | "message" | "text" | "look"} kind a thing can be acted on; a look has no words
 * @property {string} role the first word of its line
 * @property {Element} element
 * @property {Text[][]} cells texts; those of a row by cell
 * @property {string} [own] its own text, if it contains other elements to act on
 * @property {boolean} [isBare] whether those provide all its words
 * @property {boolean} [isShape] whether it is part of a drawing whose parts differ only in appearance
 * @property {boolean} isInSight
 */

/**
 * What the ancestors of an element determine for it.
 *
 * @typedef {object} Surroundings
 * @property {boolean} isInThing whether it is part of an element to act on
 * @property {boolean} isSilent whether its texts are already listed
 * @property {boolean} isVisible whether its texts are visible
 * @property {boolean} isInvisible whether it is in something hidden and transparent, in which nothing can be seen
 * @property {boolean} isFar whether it is known to be out of sight
 * @property {boolean} isCutting whether the element itself may cut off its content
 * @property {"" | "in flow" | "positioned"} clip whether an ancestor without a size clips its content: only content in
 *   its flow, or also positioned content
 * @property {boolean} isDrawing whether it is a drawing of few shapes, which are listed
 * @property {string} cursor
 * @property {Pick<Item, "kind" | "role">} textKind the kind of its texts
 * @property {{item: Item | null, isRow: boolean}} block the item that its texts belong to
 */

const pageItems = (() => {
  const {
    attributeOf,
    boxBefore,
    boxOf,
    childNodesOf,
    childrenOf,
    closestDrawnOf,
    closestOf,
    dataOf,
    drawnChildrenOf,
    hasIn,
    hasNodes,
    holderOf,
    isContentEditable,
  } = dom;
  const { isControl, isElement, isFrame, isMatch, isText, isTextField, parentElementOf, parentOf, queryAll, queryIn } =
    dom;
  const { nextElementOf, previousElementOf, tagOf, textContentOf } = dom;
  const { SEEN, isClippedAway, isDrawn, isLayerBeyond, isRendered, isVisible } = geometry;
  const { CANDIDATES, STOPS, componentRoleOf, isNamedByContent, roleOf, rovingRoleOf, stopsAmong } = roles;
  const { accessibleNameOf, contentOf } = accessibleNames;
  const { checkableIn, stateOf } = states;
  const { DRAWN_CHECKED, isNeighborly, labelAround, standInNameOf, whereOf, wrapperNameOf } = surroundingNames;
  const { dialogNameOf } = pageState;
  const { isUndeclared } = widgets;
  const { NAMED_TOGGLES } = listOptions;
  const { INLINE, plain, symbolOf } = texts;
  const { framesField, isMark } = fieldFrames;
  const { HEADINGS, distantItemsIn, grippedRole, hasVisibleLabel, isLabeling } = offscreenItems;
  const { coversMiddle, hasPlace, inGridOrder, isFadedOut, isOnlySpoken, isScrollable, isSheet } = itemPlaces;
  const { isUnclipped, measure, meets, placeOf } = itemPlaces;
  const { SHAPE_TAGS, isBox, isDrawing } = itemLooks;
  const { isAroundField, isCopy, isFiller, isInCombobox, isLabelOfListed, isOnlyName, isProxy, isShownIn } = proxies;
  const { editorsIn, nameOf: editorNameOf } = drawnEditors;

  const SKIPPED = wordsOf(
    "base br col colgroup datalist head hr link meta noscript optgroup option param script source style template title " +
      "track wbr",
  );
  const LIVE_ROLES = wordsOf("alert status log tooltip progressbar meter");
  const DIALOGS = wordsOf("dialog alertdialog");
  const SCROLLABLE = wordsOf("article aside div dl form main nav ol p pre section tbody ul");
  const CELLS = wordsOf("td th");
  const LISTS = wordsOf("menu ol ul");
  const GRID_ROLES = wordsOf("grid row rowgroup table treegrid");
  /** Rows of a canvas's fallback content. */
  const ROWS = "tr, [role=row]";
  const MOST_ROWS = 100;
  /** A press on its text may choose it instead of opening it. */
  const BRANCH = "[role=treeitem][aria-expanded]";
  /** Elements that may change the kind of their texts. */
  const TELLING = new Set([...HEADINGS, ...CELLS, "dialog", "label", "legend", "output", "table", "tr"]);
  /** Up to this many elements to act on, a list may have room for the texts between. */
  const FEW = 150;
  /** Readable characters: no spaces, no glyphs of icon fonts. */
  const WORDED = /[^\s\p{C}]/u;
  const LEAST_LOOK = 3;
  /** Texts with less space between them are one word. */
  const TOUCHING = 1;
  /** Items whose content is not visited. */
  const CLOSED = wordsOf("canvas textbox frame");
  const LOCKED = "[contenteditable='false' i]";
  /** Items that listen to the mouse. */
  const LISTENING = wordsOf("clickable draggable");
  /** Items that may only surround the link, the button, the tab or the track of the same name. */
  const WRAPPERS = wordsOf("menuitem option slider tab treeitem");
  const WRAPPED = wordsOf("button link tab");
  /** A longer text is not the name of something clickable, but a part of the page that listens. */
  const NAME_LENGTH = 120;
  /** Maximum length of a name in its line. */
  const LISTED_NAME = 60;

  class PageItems {
    /** @type {Item[]} */
    items = [];
    /** @readonly */
    #acted;
    /** @readonly @type {Map<Element | null, Root>} by their holders */
    #inner;
    /** @readonly those that draw their own text */
    #editors;
    /** @readonly */
    #inert;
    /** @readonly */
    #stops;
    /** @readonly the viewport's size, which is slow to compute */
    #sight = { width: innerWidth, height: innerHeight };
    /** @readonly @type {Set<Element>} */
    #seen = new Set();
    /** @readonly @type {Element[]} what a page has faded out, such as lists that are shut */
    #shut = [];
    /** @readonly @type {Set<Text>} texts of links, which have their own lines */
    #linked = new Set();

    /**
     * @param {Root[]} roots of the whole page
     * @param {boolean} isWhole whether to include texts far outside the viewport of a large page
     */
    constructor(roots, isWhole) {
      this.#inner = new Map(roots.map((root) => [holderOf(root), root]));
      const all = (/** @type {string} */ selector) => new Set(roots.flatMap((root) => queryAll(root, selector)));
      const candidates = all(CANDIDATES);
      this.#acted = { candidates, holders: holdersOf(candidates) };
      this.#editors = editorsIn(roots);
      this.#inert = all("[inert]");
      this.#stops = stopsAmong(all(STOPS));
      this.isBrief = !isWhole && candidates.size > FEW && roots.length === 1 && !this.#inert.size;
    }

    /** @param {Element} element to visit with all its content, unless that was done */
    add(element) {
      const textKind = /** @type {const} */ ({ kind: "text", role: "text" });
      this.#visit(element, {
        isInThing: false,
        isSilent: false,
        isDrawing: false,
        cursor: "",
        isVisible: true,
        isInvisible: false,
        isFar: false,
        isCutting: false,
        clip: "",
        textKind,
        block: { item: null, isRow: false },
      });
      const isLinked = (/** @type {Text} */ text) => this.#linked.has(text);
      if (this.#linked.size) {
        this.items = this.items.filter(({ cells }) => !cells.length || !cells.flat().every(isLinked));
      }
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
      const isVisible_ = !around.isInvisible && isRendered(element, SEEN);
      const isThere = (isVisible_ || isRendered(element)) && !this.#inert.has(element);
      if (!isThere && !(isCandidate && hasVisibleLabel(element))) return;
      if (isCopy(element)) return;
      // A page may have a table show itself while its tab is not the one that is open.
      const isInvisible = !isVisible_ && (around.isInvisible || getComputedStyle(element).opacity === "0");
      const within = { ...around, isVisible: isVisible_, isInvisible, isCutting: false };
      if (within.clip && isUnclipped(element, within.clip)) within.clip = "";
      const role = this.#roleAt(element, tag, isCandidate, within);
      const place = this.items.length;
      if (role && !within.clip && this.#addThing(element, role, within)) return;
      const isListed = this.items.length > place;
      if (!isListed && !within.isInThing && !INLINE.has(tag)) measure(element, within, this.#sight);
      if (this.isBrief && within.isFar && !within.isInThing) {
        // What is open above the page was visited first.
        const isNew = (/** @type {Item} */ { element: one }) => one === element || !this.#seen.has(one);
        this.items.push(...distantItemsIn(element, this.#acted, around).filter(isNew));
        return;
      }
      if (!within.isSilent) this.#classify(element, tag, within);
      if (!within.isInThing && !role && !within.clip) this.#look(element, tag, within);
      this.#visitChildren(element, within);
      if (role) this.#dropRepeated(place, element);
    }

    /**
     * Drops one of two elements for the same thing: a tab around its button, an item of a menu around its link, a web
     * component around its check box.
     *
     * @param {number} place index of the outer one's item; items inside it follow
     * @param {Element} outer
     */
    #dropRepeated(place, outer) {
      if (this.items.length < place + 2) return;
      const [item, ...inner] = this.items.slice(place);
      const things = inner.filter(({ kind }) => kind === "thing");
      const state = checkableIn(outer);
      const isAround = WRAPPERS.has(item?.role ?? "") && /^(?:focused)?$/u.test(stateOf(outer, item?.role ?? ""));
      const isInTab = (/** @type {Item} */ { element }) => item?.role === "tab" && coversMiddle(element, outer);
      const isPart = (/** @type {Item} */ { element, role }) =>
        role === "clickable" && WRAPPERS.has(item?.role ?? "") && coversMiddle(element, outer);
      const alike = things.filter((one) => one.role === item?.role || one.element === state || isPart(one));
      const wrapped = things.filter((one) => WRAPPED.has(one.role) && (isAround || isInTab(one)));
      const [twin, ...others] = alike.length ? alike : wrapped;
      if (item?.element !== outer || !twin || others.length) return;
      if (twin.element !== state && accessibleNameOf(outer, true) !== accessibleNameOf(twin.element, true)) return;
      const isHidden =
        twin.element === state ||
        (twin.role !== "tab" && isInTab(twin)) ||
        isClippedAway(twin.element) ||
        !isDrawn(twin.element) ||
        (twin.role === "clickable" && item.role !== "clickable");
      this.items.splice(this.items.indexOf(isHidden ? twin : item), 1);
    }

    /**
     * @param {Element} element
     * @param {string} role
     * @param {Surroundings} within
     * @returns {boolean} whether nothing more needs to be listed about its content
     */
    #addThing(element, role, within) {
      const box = within.isFar && hasNodes(element) && role !== "select" ? null : boxOf(element);
      const isThere = within.isVisible && (!box || hasPlace(element, box));
      if (!isThere && !hasVisibleLabel(element)) return false;
      if ((box && isProxy(element, role)) || isFiller(element, role)) return true;
      if (within.block.isRow && role === "link") this.#nameRow(element, within);
      const place = this.items.length;
      this.#push("thing", role, element, box);
      const isShape = within.isDrawing && SHAPE_TAGS.has(tagOf(element));
      if (isShape) Object.assign(/** @type {Item} */ (this.items[place]), { isShape });
      if (role === "canvas") this.#addFallback(element, /** @type {Item} */ (this.items[place]));
      if (role === "textbox" && !isControl(element)) this.#visitParts(element, within);
      if (isControl(element) || CLOSED.has(role)) return true;
      if (!isPartOfPage(element, role)) within.isSilent = true;
      if (!LISTENING.has(role)) {
        within.isInThing = within.isSilent;
        const hasMore = this.#acted.holders.has(element) || isMatch(element, BRANCH);
        return within.isInThing && this.#inner.size === 1 && !hasMore;
      }
      within.isDrawing = false;
      const shutBefore = this.#shut.length;
      this.#visitChildren(element, within);
      this.#nameByOwnText(place, this.#shut.slice(shutBefore));
      return true;
    }

    /**
     * Adds what can be acted on in a text field that is no control: in an editor, in the parts that are not edited, such
     * as the check boxes of a to-do list.
     *
     * @param {Element} field
     * @param {Surroundings} within
     */
    #visitParts(field, within) {
      if (this.#editors.has(field)) return;
      const parts = isContentEditable(field) ? queryIn(field, LOCKED) : childrenOf(field);
      for (const part of parts) this.#visit(part, { ...within, isSilent: true, isInThing: true });
    }

    /**
     * Adds the texts of a link to its row, because they identify the row.
     *
     * @param {Element} link
     * @param {Surroundings} within
     */
    #nameRow(link, within) {
      if (within.isSilent || !within.isVisible || within.clip) return;
      for (const text of textsIn(link)) {
        this.#linked.add(text);
        this.#addText(text, link, within);
      }
    }

    /**
     * @param {Element} canvas
     * @param {Item} item
     */
    #addFallback(canvas, { isInSight }) {
      const rows = queryIn(canvas, ROWS).slice(0, MOST_ROWS);
      for (const row of rows.length || !hasNodes(canvas) ? rows : [canvas]) {
        const cells = queryIn(row, "td, th, [role$=cell], [role$=header]");
        const texts = (cells.length ? cells : [row]).map(textsIn);
        if (texts.some(({ length }) => length)) {
          const role = row === canvas ? "text" : "row";
          this.items.push({ kind: "text", role, element: row, cells: texts, isInSight });
        }
      }
    }

    /**
     * Names an element that listens to the mouse by its own text, and omits it if its descendants say everything.
     *
     * @param {number} place index of its item; items inside it follow
     * @param {Element[]} shut parts of it that are not drawn
     */
    #nameByOwnText(place, shut) {
      const inner = this.items.slice(place + 1);
      const item = /** @type {Item} */ (this.items[place]);
      const things = inner.filter(({ kind }) => kind === "thing").map(({ element }) => element);
      // A field that only takes the keys needs what is drawn around it for the mouse.
      if (!shut.length && things.every((one) => isTextField(one) && isClippedAway(one))) return;
      // Signs between its parts say nothing.
      const isWorded = (/** @type {string} */ text) => /[\p{L}\p{N}]/u.test(text);
      // What has no size until the mouse comes does not name it either.
      const unseen = queryIn(item.element, "[aria-label]").filter((one) => !isVisible(one));
      const own = plain(contentOf(item.element, new Set([...things, ...unseen, ...shut])));
      item.own = isWorded(own) ? own : "";
      const isSilent = (/** @type {Item} */ { kind, cells }) =>
        kind === "thing" || kind === "look" || !isWorded(cells.flat().map(dataOf).join(""));
      // An element that only surrounds something else to click adds nothing, unless it is a surface to draw on.
      item.isBare = !item.own && inner.every(isSilent);
      if (item.isBare ? !isSheet(item) : framesField(item, inner)) this.items.splice(place, 1);
    }

    /**
     * @param {Element} element
     * @param {string} tag
     * @param {boolean} isCandidate
     * @param {Surroundings} within whose cursor becomes the element's
     * @returns {string} empty if it cannot be acted on
     */
    #roleAt(element, tag, isCandidate, within) {
      if (this.#editors.has(element)) return "textbox";
      const isAround = isCandidate && isAroundField(element);
      const isOwn = !isAround && !(isCandidate && isLabelOfListed(element, tag));
      const own = isOwn ? (isCandidate ? roleOf(element) : rovingRoleOf(element, this.#stops)) : "";
      if (isShownIn(element, own)) return "";
      if (isListForReaders(element, own)) {
        within.isSilent = true;
        return "";
      }
      const isList = own === "textbox" ? isInCombobox(element) : own === "link" && isUndeclared(element);
      const role = isList ? "combobox" : own;
      if (!role && within.isInThing && !isToggle(element)) return "";
      const inherited = within.cursor;
      const style = getComputedStyle(element);
      within.cursor = style.cursor;
      within.isCutting = style.overflow !== "visible";
      // A part that a page describes itself may be for dragging, like the surface around it.
      if (role === "clickable" && attributeOf(element, "aria-roledescription")) {
        return grippedRole(style.cursor, element) || role;
      }
      if (role) return role;
      // A list that is shut. Out of sight, it may be what fades in once it is scrolled into view.
      const isShut = isFadedOut(style) && meets(boxOf(element), this.#sight);
      if (isShut) this.#shut.push(element);
      const isSpoken = style.position === "absolute" && isOnlySpoken(element, style) && !describesIcon(element);
      if (isShut || isSpoken) within.isSilent = true;
      // A menu that was opened in a row does not name it.
      const { item, isRow } = within.block;
      if (item && isRow && isLayerBeyond(item.element, element)) within.block = { item: null, isRow: false };
      if (isFrame(element)) return this.#inner.has(element) ? "" : "frame";
      // A list sets the cursor for its items.
      if (LISTS.has(tag) && [...childrenOf(element)].some((one) => tagOf(one) === "li")) within.cursor = inherited;
      // In something to act on, this is the icon that opens it.
      const isTaken = (within.cursor !== inherited || within.isInThing) && style.pointerEvents !== "none";
      const gripped = isTaken ? grippedRole(within.cursor, element) : "";
      // Its words name the box.
      if (gripped && boxBefore(element)) within.isSilent = true;
      if (gripped && !isAround && !isLabeling(element) && !isMark(element)) return componentRoleOf(element) || gripped;
      return SCROLLABLE.has(tag) && !isShut && isScrollable(element, style) ? "scrollable" : "";
    }

    /**
     * Determines the kind of the texts in an element.
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
      else if (live && !isDrawn(element)) within.isSilent = true;
      else if (live) within.textKind = { kind: "message", role: live };
      else if (tag === "legend") within.textKind = { kind: "message", role: "group" };
      else if (within.isVisible && (tag === "dialog" || DIALOGS.has(role))) {
        this.#push("message", "dialog", element, boxOf(element));
      }
      if (tag === "label" && isOnlyName(/** @type {HTMLLabelElement} */ (element))) within.isSilent = true;
      // A table around others is only for layout.
      if (role === "row" || (tag === "tr" && !hasIn(element, "table"))) {
        within.block = { item: { kind: "text", role: "row", element, cells: [], isInSight: false }, isRow: true };
      } else if (within.block.isRow && tag !== "table") {
        if (CELLS.has(tag) || role.endsWith("cell")) within.block.item?.cells.push([]);
      } else if (!isInLine(element, tag)) within.block = { item: null, isRow: false };
    }

    /**
     * Adds elements without words.
     *
     * @param {Element} element
     * @param {string} tag
     * @param {Surroundings} within
     */
    #look(element, tag, within) {
      const alternative = tag === "img" ? attributeOf(element, "alt") : "";
      // If the image is part of a name, the name includes its alternative text.
      const isImage = tag === "img" && (within.isSilent ? !alternative : alternative !== "");
      // HTML in a drawing, such as the texts of its nodes, is listed like that of the page.
      if (tag === "foreignObject") {
        within.isDrawing = within.isSilent = false;
      } else if (tag === "svg") {
        // The parts of a drawing with a name of its own add nothing.
        within.isDrawing = within.isSilent = isDrawing(element) && !attributeOf(element, "aria-label");
      } else if (within.isDrawing && SHAPE_TAGS.has(tag)) this.#addLook(element, tag);
      else if (isImage) this.#addLook(element, "image");
      else if (isBox(element, tag)) this.#addLook(element, "box");
    }

    /**
     * @param {Element} element
     * @param {Surroundings} within
     */
    #visitChildren(element, within) {
      const nodes = drawnChildrenOf(element, this.#inner.get(element));
      const isRead = within.isVisible && !within.isSilent && !within.clip;
      for (const node of GRID_ROLES.has(attributeOf(element, "role") ?? "") ? inGridOrder(nodes) : nodes) {
        if (isElement(node)) this.#visit(node, within);
        else if (isRead && isText(node) && WORDED.test(dataOf(node)) && !symbolOf(element)) {
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
      // Out of sight, it may fade in once it is scrolled into view.
      if (!isDrawn(element) && meets(boxOf(element), this.#sight)) return;
      const item = (block.item ??= { ...textKind, element, cells: [], isInSight: false });
      if (item.cells.every((cell) => !cell.length)) this.#place(item, isFar ? null : boxOf(item.element));
      if (!item.cells.length) item.cells.push([]);
      item.cells.at(-1)?.push(text);
    }

    /**
     * @param {Element} element
     * @param {string} role
     */
    #addLook(element, role) {
      const box = boxOf(element);
      if (Math.max(box.width, box.height) >= LEAST_LOOK && isDrawn(element)) this.#push("look", role, element, box);
    }

    /**
     * @param {Item["kind"]} kind
     * @param {string} role
     * @param {Element} element
     * @param {DOMRect | null} box null if out of sight
     */
    #push(kind, role, element, box) {
      this.#place({ kind, role, element, cells: [], isInSight: false }, box);
    }

    /**
     * @param {Item} item
     * @param {DOMRect | null} box null if out of sight
     */
    #place(item, box) {
      item.isInSight = box !== null && meets(placeOf(item.element, box), this.#sight);
      this.items.push(item);
    }
  }

  /**
   * @param {Element} element
   * @returns {Text[]} those that contain words
   */
  function textsIn(element) {
    /** @type {Text[]} */
    const texts = [];
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (WORDED.test(dataOf(/** @type {Text} */ (node)))) texts.push(/** @type {Text} */ (node));
    }
    return texts;
  }

  /** @param {string} text */
  function wordsOf(text) {
    return new Set(text.split(" "));
  }

  /**
   * @param {Set<Element>} elements
   * @returns {Set<Element>} all their ancestors
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

  /**
   * @param {Element} element
   * @param {string} role
   * @returns {boolean} whether it contains further parts of the page
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
   * @param {Element} element of preformatted text
   * @returns {boolean} whether a line begins and ends with it
   */
  function isLine(element) {
    const around = /** @type {const} */ (["previousSibling", "nextSibling"]).map(
      (name) => /** @type {Node | null} */ (Reflect.get(Node.prototype, name, element)),
    );
    return around.every((node) => !node || (isText(node) && dataOf(node).includes("\n")));
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether there is no text next to it, also not in an element that it touches, as the signs of a
   *   formula do; in code, whether it is a whole line
   */
  function isLoneSpan(element) {
    const parent = parentOf(element);
    if (parent && isElement(parent) && isMatch(parent, "pre, pre *")) return isLine(element);
    const siblings = parent ? [...childNodesOf(parent)] : [];
    if (siblings.some((node) => isText(node) && /\S/u.test(dataOf(node)))) return false;
    // Whether a part that is all of an element is in a line was decided there.
    if (siblings.length === 1 && parent && isElement(parent) && isInLine(parent, tagOf(parent))) return false;
    return ![previousElementOf(element), nextElementOf(element)].some((one) => one && touches(one, element));
  }

  /**
   * @param {Element} one
   * @param {Element} other
   * @returns {boolean} whether there is no space between two parts of a line
   */
  function touches(one, other) {
    if (!INLINE.has(tagOf(one))) return false;
    const [a, b] = [boxOf(one), boxOf(other)];
    const gap = Math.max(a.left - b.right, b.left - a.right);
    // A style takes longer to query than a box.
    const isNear = gap < TOUCHING && a.top < b.bottom && b.top < a.bottom;
    return isNear && WORDED.test(textContentOf(one) ?? "") && getComputedStyle(one).display === "inline";
  }

  /**
   * @param {Element} element in an element to act on
   * @returns {boolean} whether it is an icon that opens or closes a branch of a tree
   */
  function isToggle(element) {
    if (!isMatch(element, NAMED_TOGGLES) || tagOf(element) === "slot" || textContentOf(element)?.trim()) return false;
    const item = closestDrawnOf(element, "[role=treeitem]");
    return item !== null && isMatch(item, BRANCH);
  }

  /**
   * @param {Element} element with a text for screen readers
   * @returns {boolean} whether that is all that a cell of a table says, next to an icon such as a check mark
   */
  function describesIcon(element) {
    const cell = closestOf(element, "td, [role=cell], [role=gridcell]");
    if (!cell || hasIn(cell, "a, button, input, label") || !hasIn(cell, "svg, img, i")) return false;
    return textContentOf(cell)?.trim() === textContentOf(element)?.trim();
  }

  /**
   * @param {Element} element
   * @param {string} name
   * @returns {boolean} whether the name is only what a label around the field shows as its value
   */
  function isValueIn(element, name) {
    const value = isControl(element) && isTextField(element) ? element.value : "";
    return value !== "" && value === name && closestOf(element, "label") !== null;
  }

  /**
   * @param {Item} item
   * @returns {string} the name in its line
   */
  function itemNameOf({ kind, role, element, own = "", isBare = false }) {
    if (kind === "message" && role === "dialog") return dialogNameOf(element);
    const isNamed = (kind !== "look" || role === "text") && isNamedByContent(role);
    const said = (own && accessibleNameOf(element, false)) || own || accessibleNameOf(element, isNamed && !isBare);
    // Some pages label a field with a sign, or a slider with its number.
    const isMeaningless = isNeighborly(role) && !(role === "slider" ? /\p{L}/u : /[\p{L}\p{N}]/u).test(said);
    const name = isMeaningless || isValueIn(element, said) ? "" : said;
    if (kind !== "thing") return name;
    // The field that gives a form its value may be hidden, and its label with it.
    const valueOf = () => plain(contentOf(element, new Set(queryIn(element, "button"))));
    const isUnlabelled = isNeighborly(role) && (!name || name === valueOf());
    const standIn = isUnlabelled ? standInNameOf(element) : "";
    // A sign that shows its state is not its name.
    if (isMatch(element, DRAWN_CHECKED) && !/[\p{L}\p{N}]/u.test(name)) return labelAround(element) || name;
    // A list without a label contains only its value.
    if (name && isUnlabelled && role === "combobox" && !standIn && whereOf(element, role)) return "";
    if (name || standIn) return standIn || name;
    if (role === "textbox") return editorNameOf(element);
    return isNamed ? wrapperNameOf(element) : "";
  }

  /**
   * @param {Element} element
   * @param {string} role
   * @returns {boolean} whether it is a list that no user sees, or an option in it: the page draws another one
   */
  function isListForReaders(element, role) {
    const list = role === "option" || role === "listbox" ? closestOf(element, "[role='listbox'][tabindex='-1']") : null;
    return list !== null && !isControl(list) && isClippedAway(list);
  }

  return { LISTED_NAME, PageItems, itemNameOf };
})();
