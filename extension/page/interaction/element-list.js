"use strict";

// The list of what can be done on the page: one line per element, each with a selector.

/**
 * A line of the list.
 *
 * @typedef {object} Entry
 * @property {number} rank 0 for elements to act on; among the others, higher ranks are left out first
 * @property {boolean} isThing whether it is a single element to act on
 * @property {boolean} isText
 * @property {boolean} isInSight
 * @property {() => string} words the line without a selector
 * @property {() => string} line
 */

const elementList = (() => {
  const {
    attributeOf,
    boxOf,
    drawnAncestors,
    idOf,
    isDrawnIn,
    isMatch,
    parentOf,
    queryAll,
    queryIn,
    roleOf,
    tagOf,
    textContentOf,
    treeAncestors,
  } = dom;
  const { INLINE, PageError, cellTextOf, collapse, folded, lineOf, plain, quote, shorten } = texts;
  const { handleOf, hasArea, isPositioned, isRendered, isVisible, overlap, placeInMainFrame } = geometry;
  const { PARTLY_SEARCHED, Search } = search;
  const { Counts, IDENTIFIERS, comeBy, selectorOf } = selectorGenerator;
  const { describeFrame } = crossOriginFrames;
  const { notFound, searchFor } = suggestions;
  const { isNamedByContent } = roles;
  const { accessibleNameOf, contentOf, promptOf } = accessibleNames;
  const { VALUE_LENGTH, plainQuote, stateOf, wholeValueOf } = states;
  const { isIconic, isNeighborly, looseLabelOf, whereOf } = surroundingNames;
  const { hintOf, lookOf, tooltipOf } = appearance;
  const { LISTED_NAME, PageItems, itemNameOf } = pageItems;
  const { openModals, openPopups } = modals;
  const { DIALOGS, dialogNameOf } = pageState;
  const { collapsed, patternOf } = grouping;
  const { withoutRedundantTexts } = redundantTexts;

  const LETTER = /\p{L}/u;
  const WORDED = /[\p{L}\p{N}]/u;
  /** The sign on a button that removes something. */
  const REMOVING = /^[x\u00d7\u2715\u2716\u2a2f]$/iu;
  const MAX_TEXT = 4_000;
  /** Characters that are kept free for the last line. */
  const RESERVE = 160;
  /** Maximum length of a text: in an overview, and if there is room. */
  const TEXT_LENGTH = { overview: 45, detailed: 400 };
  /** Maximum length of a value when the list is searched for words. */
  const FOUND_VALUE = 300;
  /** More lines than this never fit. */
  const MANY = 300;
  /** Maximum number of lines of a frame in the list of the page around it. */
  const MOST_FRAMED = 100;
  /** With less room than this, no further text is listed. */
  const LEAST_LINE = 12;
  /** Characters of an overview for repeated elements, so that the texts between have room, too. */
  const OVERVIEW_ROOM = 3_000;
  const RANKS = { thing: 0, heading: 1, message: 1, text: 2, look: 3 };
  /** Placeholder boxes that a page shows while it loads. */
  const SKELETONS = "[class*=skeleton i], [class*=shimmer i], [data-testid*=skeleton i]";
  /** Progress indicators that show only that something is going on, not how far it is. */
  const SPINNERS = "[role=progressbar]:not([aria-valuenow], [aria-valuetext], progress), progress:not([value])";
  const MAIN = "main, [role=main]";
  /** A page of this age that shows nothing will stay so. */
  const YOUNG_MS = 10_000;
  const PROGRESS = /^.{0,80}\p{L}(?:\.{3}|\u2026)$/u;
  const MOST_POPUPS = 3;
  /** Elements that need no name. */
  const NAMELESS = new Set(["scrollable", "frame"]);
  /** Items of a menu or the like that are all listed. */
  const MOST_OF_MENU = 60;
  /** Maximum number of matching rows of which the contents are listed. */
  const FEW_ROWS = 3;
  /** Pages with more elements to act on are listed without shapes and boxes. */
  const MOST_WITH_LOOKS = 15;
  /** Maximum side of an image that is an icon, and levels to climb from it to what it belongs to. */
  const ICON_SIDE = 32;
  const ICON_STEPS = 4;
  /** Words for layers that block the page, by their roles, except dialogs. */
  const LAYERS = new Map([
    ["listbox", "list"],
    ["menu", "menu"],
  ]);
  const OUT_OF_SIGHT = "-- out of sight --";
  const PDF =
    "This tab shows a PDF, and its content is not listed. Read it with read_chrome_tab, or take a screenshot.";
  const CANVAS = "Much of the page is drawn on a canvas, and not listed. Take a screenshot to see it.";

  /**
   * @param {ListRequest} request
   * @returns {Exclude<ListAnswer, {message: string}>} the cross-origin frames first, if there are any
   * @throws {PageError} INVALID_ARGUMENT, INVALID_SELECTOR, ELEMENT_NOT_FOUND
   */
  function listElements({ find, within, offset, way = "", framed, leftOut = [], silent = [], isFramed, loading = [] }) {
    comeBy(way);
    const { roots, scopes, popups, notices, rest, inside } = scopeOf(within);
    if (rest) return { code: "", rest, frames: scopes.filter(isVisible).map((frame) => describeFrame(frame, roots)) };
    const isNarrowed = find !== "" || within !== "";
    const page = inside ?? itemsIn([...popups, ...scopes], roots, isNarrowed);
    const frames = page.items.filter(({ role }) => role === "frame").map(({ element }) => element);
    if (frames.length && !framed) {
      return { code: "", rest: "", frames: frames.map((frame) => describeFrame(frame, roots)) };
    }
    const writer = new Writer(roots, framed ?? {}, popups);
    const isLeftOut = (/** @type {Item} */ { role, element }) =>
      role === "frame" && leftOut.includes(selectorOf(element, roots));
    const reachable = leftOut.length ? page.items.filter((item) => !isLeftOut(item)) : page.items;
    const listed = isNarrowed || reachable.length > MANY ? reachable : withoutRedundantTexts(reachable);
    if (within && page.items.length === 1) {
      writer.valueLength = MAX_TEXT - RESERVE - LISTED_NAME - notices.join("").length;
    }
    if (find) writer.valueLength = FOUND_VALUE;
    const items = writer.matching(inSightFirst(withFewLooks(listed, isNarrowed)), find);
    if (isFramed) return { code: "", lines: framedLines(writer.entries(items, items.length <= MANY, false)) };
    const isYoung = performance.now() < YOUNG_MS;
    const isBare = isYoung && !isNarrowed && !inside && isMainEmpty(page.items, roots);
    const isPdf = Reflect.get(Document.prototype, "contentType", document) === "application/pdf";
    if (isPdf) notices.push(PDF);
    const signs = isPdf ? [] : [...loading, ...loadingSigns(roots), ...(isNarrowed ? [] : progressOf(items))];
    if (signs.length) notices.push(`The page is still loading (${signs.join(", ")}). List it again for the rest.`);
    if (silent.length) {
      const frame = silent.length > 1 ? `${silent.length} frames` : `the frame ${silent.join("")}`;
      notices.push(`The contents of ${frame} are not listed, because the frame did not respond.`);
    }
    if (!isNarrowed && items.some(isLargeCanvas)) notices.push(CANVAS);
    const view = { find, isNarrowed, isBrief: page.isBrief, notices, offset };
    const isAwaited = !isPdf && (isBare || (items.length === 0 && (isYoung || signs.length > 0)));
    return { code: "", ...writtenList(items, writer, view), isAwaited };
  }

  /**
   * @param {Item[]} items
   * @param {Writer} writer
   * @param {{find: string, isNarrowed: boolean, isBrief: boolean, notices: string[], offset: number}} view
   * @throws {PageError} INVALID_ARGUMENT
   */
  function writtenList(items, writer, { find, isNarrowed, isBrief, notices, offset }) {
    const all = [...items.map(({ kind }) => kind === "thing"), ...writer.framedIn(items).map(({ isThing }) => isThing)];
    const total = all.filter(Boolean).length;
    const isShort = !isBrief && all.length <= MANY;
    const detailed = isNarrowed || isShort ? writer.entries(items, true, isNarrowed) : [];
    const room = MAX_TEXT - RESERVE - notices.join("\n").length;
    const isDetailed = isNarrowed || (isShort && sizeOf(detailed, room) <= room);
    const entries = isDetailed ? detailed : writer.entries(items, false, false);
    if (offset > 0 && offset >= entries.length) {
      const size = `${entries.length} ${entries.length === 1 ? "line" : "lines"}`;
      const end = `offset ${offset} is past the end: the list has ${size} now.`;
      throw new PageError("INVALID_ARGUMENT", `${end} Leave offset out to list from the start.`);
    }
    const { chosen, end } = isDetailed ? everything(entries, offset, room) : overview(entries, offset, room);
    const shown = chosen.filter(({ isThing }) => isThing).length;
    const listed = [...entries.slice(0, offset), ...chosen];
    const left = all.length - total - listed.filter(({ isText }) => isText).length;
    const next = end < entries.length ? end : null;
    const place = next === null ? "" : `, on lines ${offset + 1} to ${next} of ${entries.length}`;
    const last = lastLine({ isEmpty: !all.length, isBrief, shown, total, place, left, next, find });
    return { text: [...notices, ...written(chosen), last].join("\n"), total, shown, next_offset: next };
  }

  /** @param {Entry[]} entries */
  function framedLines(entries) {
    return entries.slice(0, MOST_FRAMED).map(({ line, rank, isThing }) => ({ text: line(), rank, isThing }));
  }

  /**
   * @param {string} within a selector, or empty for the page
   * @returns {{roots: Root[], scopes: Element[], popups: Element[], notices: string[], rest: string,
   *   inside?: InstanceType<typeof PageItems>}}
   *   `popups`: listed first; `rest`: of a selector that leads into the scopes, which then are cross-origin frames;
   *   `inside`: what is in the dialogs and popups over the page, if only that can be acted on
   * @throws {PageError} INVALID_SELECTOR, ELEMENT_NOT_FOUND
   */
  function scopeOf(within) {
    const search_ = searchFor(within || ":root");
    const scopes = search_.find();
    const { roots, isWhole, rest } = search_;
    if (within && !scopes.length) throw notFound(within, search_);
    const notices = isWhole ? [] : [PARTLY_SEARCHED];
    const above = within ? layersOver(scopes, roots) : [];
    if (above.length) notices.push(popupNotice(above, roots));
    // A page that is being replaced has no root element.
    if (within || !scopes.length) return { roots, scopes, popups: [], notices, rest };
    const layers = openModals(roots);
    const popups = openPopups(roots).filter((one) => !layers.includes(one));
    const inside = layers.length ? itemsIn([...popups, ...layers], roots, true) : undefined;
    const isContent = (/** @type {Item} */ { kind, element }) =>
      kind !== "look" && layers.some((one) => isDrawnIn(one, element));
    const hasContents = inside?.items.some(isContent);
    if (hasContents) notices.push(modalNotice(layers));
    else if (layers[0]) notices.push(coverNotice(layers[0], roots));
    if (popups.length) notices.push(popupNotice(popups, roots));
    return { roots, scopes, popups, notices, rest, ...(hasContents && { inside }) };
  }

  /**
   * @param {Element[]} parts
   * @param {Root[]} roots of the whole page
   * @param {boolean} isWhole
   */
  function itemsIn(parts, roots, isWhole) {
    const found = new PageItems(roots, isWhole);
    for (const part of parts) found.add(part);
    return found;
  }

  /**
   * @param {Element} layer without contents, or an image
   * @param {Root[]} roots of the whole page
   */
  function coverNotice(layer, roots) {
    return `The page is covered by ${selectorOf(layer, roots)}, which has no text or buttons. No click reaches the page until it has gone.`;
  }

  /**
   * @param {Element[]} scopes
   * @param {Root[]} roots of the whole page
   * @returns {Element[]} the open dialogs and popups that cover a part of them
   */
  function layersOver(scopes, roots) {
    const covers = (/** @type {Element} */ layer) =>
      scopes.some((scope) => hasArea(overlap(boxOf(layer), boxOf(scope)))) &&
      !scopes.some((scope) => isDrawnIn(layer, scope) || isDrawnIn(scope, layer));
    return [...new Set([...openModals(roots), ...openPopups(roots)])].filter(covers);
  }

  /** @param {Element[]} open */
  function modalNotice(open) {
    // What a press reaches next to the layers is no layer itself.
    const isLayer = (/** @type {Element} */ one) => isPositioned(one) || isMatch(one, "[aria-modal]");
    const name = open.filter(isLayer).map(nameOfLayer).find(Boolean);
    const where = open.length > 1 ? " or above it" : "";
    const kind = LAYERS.get(open[0] ? roleOf(open[0]) : "") ?? "dialog";
    return `A ${kind}${name ? ` ${plainQuote(name)}` : ""} lies over the page: only what is in it${where} is listed.`;
  }

  /**
   * @param {Element[]} popups
   * @param {Root[]} roots of the whole page
   */
  function popupNotice(popups, roots) {
    const named = popups.slice(0, MOST_POPUPS).map((one) => {
      const name = nameOfLayer(one) || openerNameOf(one, roots);
      return `${popupRoleOf(one)}${name ? ` ${plainQuote(name)}` : ""}  ${selectorOf(one, roots)}`;
    });
    return `Open above the page: ${named.join("; ")}`;
  }

  /** @param {Element} layer */
  function nameOfLayer(layer) {
    // It may be just what scrolls a dialog.
    const dialog = isMatch(layer, DIALOGS) ? layer : queryIn(layer, DIALOGS).find(isVisible);
    return dialog ? dialogNameOf(dialog) : accessibleNameOf(layer, false);
  }

  /** @param {Element} popup */
  function popupRoleOf(popup) {
    return roleOf(popup) || (tagOf(popup) === "dialog" ? "dialog" : "popover");
  }

  /**
   * @param {Element} popup
   * @param {Root[]} roots of the whole page
   * @returns {string} the name of the element that opened it
   */
  function openerNameOf(popup, roots) {
    const id = CSS.escape(idOf(popup));
    const openers = id ? `:is([aria-controls=${id}], [aria-owns=${id}], [popovertarget=${id}])` : "";
    const [opener] = openers ? roots.flatMap((root) => queryAll(root, openers)) : [];
    return opener ? accessibleNameOf(opener, true) : "";
  }

  /**
   * @param {Root[]} roots of the whole page
   * @returns {string[]} notices for the list about an incomplete page
   */
  function loadingSigns(roots) {
    const isShown = (/** @type {string} */ selector) =>
      roots.some((root) => queryAll(root, selector).some((one) => isVisible(one)));
    const hasSkeletons = () => roots.some((root) => queryAll(root, SKELETONS).some(isSkeleton));
    return [
      document.readyState === "loading" ? "its document" : "",
      isShown("[aria-busy=true]") ? "a part of it is busy" : "",
      isShown(SPINNERS) ? "a progress indicator" : "",
      hasSkeletons() ? "placeholders" : "",
    ].filter(Boolean);
  }

  /**
   * @param {Item[]} items of the whole page
   * @param {Root[]} roots of the whole page
   * @returns {boolean} whether the page declares a main part, and nothing is in it yet
   */
  function isMainEmpty(items, roots) {
    const parts = roots.flatMap((root) => queryAll(root, MAIN)).filter((one) => isRendered(one));
    const isFilled = (/** @type {Element} */ part) =>
      items.some(({ role, element }) => role !== "scrollable" && isDrawnIn(part, element)) ||
      plain(contentOf(part)) !== "";
    return parts.length > 0 && !parts.some(isFilled);
  }

  /**
   * @param {Item[]} items of the whole page
   * @returns {string[]} its text about what it is doing ("Signing in..."), if nothing can be acted on
   */
  function progressOf(items) {
    if (items.some(({ kind }) => kind === "thing")) return [];
    const words = items.map(({ element }) => collapse(textContentOf(element) ?? ""));
    return words
      .filter((text) => PROGRESS.test(text))
      .slice(0, 1)
      .map((text) => quote(text));
  }

  /**
   * @param {Item} item
   * @returns {boolean} whether it takes up half of the window, without a copy of its content for screen readers
   */
  function isLargeCanvas({ role, element }) {
    if (role !== "canvas" || plain(contentOf(element))) return false;
    const seen = overlap(placeInMainFrame(element), { x: 0, y: 0, width: innerWidth, height: innerHeight });
    return hasArea(seen) && seen.width * seen.height >= (innerWidth * innerHeight) / 2;
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it is only a placeholder
   */
  function isSkeleton(element) {
    return isVisible(element) && !plain(contentOf(element));
  }

  /** @param {Item[]} items */
  function inSightFirst(items) {
    return [...items.filter(({ isInSight }) => isInSight), ...items.filter(({ isInSight }) => !isInSight)];
  }

  /**
   * @param {Item[]} items
   * @param {boolean} isNarrowed
   * @returns {Item[]} without placeholders, and without shapes, boxes and the icons of named elements if the page has
   *   enough else: then they are decoration, unless a title says what they are
   */
  function withFewLooks(items, isNarrowed) {
    if (isNarrowed) return items;
    const things = new Set(items.filter(({ kind }) => kind === "thing").map(({ element }) => element));
    const isBusy = things.size > MOST_WITH_LOOKS;
    const isNamed = (/** @type {Element} */ one) => things.has(one) && LETTER.test(textContentOf(one) ?? "");
    const isListed = (/** @type {Item} */ { role, element }) =>
      (role === "image" && !(isBusy && isIcon(element) && [...treeAncestors(element, ICON_STEPS)].some(isNamed))) ||
      (role === "text" && LETTER.test(textContentOf(element) ?? "")) ||
      (!isMatch(element, SKELETONS) && (!isBusy || attributeOf(element, "title") !== null));
    return items.filter((item) => item.kind !== "look" || isListed(item));
  }

  /** @param {Element} image */
  function isIcon(image) {
    const { width, height } = boxOf(image);
    return Math.max(width, height) <= ICON_SIDE;
  }

  /** Writes the lines of a page's items. */
  class Writer {
    /** @readonly */
    #roots;
    /** @readonly */
    #counts = new Counts();
    /** @type {Map<Item, string>} */
    #described = new Map();
    /** @readonly */
    #framed;
    /** @readonly */
    #popups;
    /** Maximum length of a field's value. */
    valueLength = VALUE_LENGTH;

    /**
     * @param {Root[]} roots of the whole page
     * @param {Record<string, ListLine[]>} framed lines of cross-origin frames, by their selectors
     * @param {Element[]} popups open layers above the page
     */
    constructor(roots, framed, popups) {
      this.#roots = roots;
      this.#framed = framed;
      this.#popups = popups;
    }

    /**
     * @param {Item[]} items
     * @returns {ListLine[]} the lines of those that are cross-origin frames
     */
    framedIn(items) {
      const frames = items.filter(({ role }) => role === "frame");
      return frames.flatMap(({ element }) => this.#framed[this.#selectorOf(element)] ?? []);
    }

    /**
     * @template {Item} T
     * @param {T[]} items
     * @param {string} find
     * @returns {T[]} those that contain it; otherwise those that contain all of its words; with a few rows, what can be
     *   done in them
     */
    matching(items, find) {
      const wanted = folded(find);
      if (!wanted) return items;
      const said = items.map((item) => ({
        item,
        text: folded(
          [this.#describe(item, 400), ...idsOf(item.element), wholeValueOf(item.element, item.role)].join(" "),
        ),
      }));
      const exact = said.filter(({ text }) => text.includes(wanted));
      const found = exact.length
        ? exact
        : said.filter(({ text }) => wanted.split(" ").every((word) => text.includes(word)));
      const matching = new Set(found.map(({ item }) => item));
      const rows = found.filter(({ item }) => item.role === "row").map(({ item }) => item.element);
      const isInRow = (/** @type {Item} */ { kind, element }) =>
        kind === "thing" && rows.some((row) => isDrawnIn(row, element));
      const isFound = (/** @type {T} */ item) => matching.has(item) || (rows.length <= FEW_ROWS && isInRow(item));
      return items.filter((item) => isFound(item) || this.framedIn([item]).length > 0);
    }

    /**
     * @param {Item[]} items
     * @param {boolean} isDetailed
     * @param {boolean} isEverySelected whether texts have selectors, too
     * @returns {Entry[]}
     */
    entries(items, isDetailed, isEverySelected) {
      const length = isDetailed ? TEXT_LENGTH.detailed : TEXT_LENGTH.overview;
      const hidden = new Set();
      const wordsOf = (/** @type {Item} */ item) => this.#describe(item, length);
      const repeated = isDetailed ? new Map() : collapsed(this.#withoutMenus(items), wordsOf, OVERVIEW_ROOM);
      const isAmbiguous = isDetailed ? this.#ambiguousTexts(items, length) : () => false;
      for (const { more } of repeated.values()) for (const item of more) hidden.add(item);
      return items.flatMap((item) => {
        if (hidden.has(item)) return [];
        const { isInSight, kind } = item;
        const rank = isDetailed ? 0 : RANKS[kind];
        const isThing = kind === "thing";
        const isSelected = isThing || kind === "look" || isEverySelected || isAmbiguous(item);
        const own = {
          rank,
          isThing,
          isText: !isThing,
          isInSight,
          words: () => this.#describe(item, length),
          line: once(() => this.#line(item, length, isSelected)),
        };
        const framed = this.framedIn([item]).map((line) => framedEntry(line, isInSight, isDetailed));
        const more = isThing && repeated.get(item);
        const last = more ? [{ ...own, isThing: false, line: once(() => this.#moreLine(item, more)) }] : [];
        return [own, ...framed, ...last];
      });
    }

    /**
     * @param {Item[]} items
     * @returns {Item[]} without those in open menus and the like: one of these is the likely next target, so each is
     *   listed
     */
    #withoutMenus(items) {
      const inside = this.#popups.map((popup) => items.filter(({ element }) => isDrawnIn(popup, element)));
      const named = new Set(inside.filter(({ length }) => length <= MOST_OF_MENU).flat());
      return named.size ? items.filter((item) => !named.has(item)) : items;
    }

    /**
     * @param {Item[]} items
     * @param {number} length
     * @returns {(item: Item) => boolean} whether `text=` would find other elements too, or not this item's text
     */
    #ambiguousTexts(items, length) {
      /** @type {Map<string, number>} */
      const counts = new Map();
      const quoted = (/** @type {Item} */ item) =>
        folded(/^[\w-]+ "(.*)"/u.exec(this.#describe(item, length))?.[1] ?? "");
      for (const item of items) counts.set(quoted(item), (counts.get(quoted(item)) ?? 0) + 1);
      return (item) => item.role === "text" && counts.get(quoted(item)) !== 1;
    }

    /**
     * @param {Item} item
     * @param {number} length
     * @param {boolean} isSelected
     */
    #line(item, length, isSelected) {
      const selector = isSelected ? `  ${this.#selectorOf(blockOf(item))}` : "";
      return this.#describe(item, length) + selector;
    }

    /** @param {Element} element */
    #selectorOf(element) {
      return selectorOf(element, this.#roots, this.#counts);
    }

    /**
     * @param {Item} item
     * @param {Repeats} repeats_
     */
    #moreLine({ role }, { shown, more }) {
      const all = [...shown, ...more];
      const pattern = patternOf(all, this.#roots, this.#counts);
      const count = `${more.length} more ${role}${role.endsWith("x") ? "es" : "s"}`;
      if (pattern) return `${count} like "${pattern}"`;
      const holder = holderOf(all.map(({ element }) => element));
      return holder ? `${count} within "${this.#selectorOf(holder)}"` : count;
    }

    /**
     * @param {Item} item
     * @param {number} length
     */
    #describe(item, length) {
      const description = this.#described.get(item) ?? describe(item, length, this.valueLength);
      this.#described.set(item, description);
      return description;
    }
  }

  /**
   * @param {Element[]} elements
   * @returns {Element | undefined} the innermost one that contains them all
   */
  function holderOf([first, ...others]) {
    return first && [...drawnAncestors(first)].slice(1).find((outer) => others.every((one) => isDrawnIn(outer, one)));
  }

  /**
   * @param {ListLine} line
   * @param {boolean} isInSight whether the frame is in the viewport
   * @param {boolean} isDetailed
   * @returns {Entry}
   */
  function framedEntry({ text, rank, isThing }, isInSight, isDetailed) {
    return { rank: isDetailed ? 0 : rank, isThing, isText: rank > 0, isInSight, words: () => text, line: () => text };
  }

  /**
   * @param {Item} item
   * @returns {Element} for a text, the element around it, even if it begins with bold letters
   */
  function blockOf({ kind, element }) {
    let block = element;
    while (kind === "text" && INLINE.has(tagOf(block)) && tagOf(block) !== "span") {
      block = /** @type {Element} */ (parentOf(block)) ?? block;
    }
    return block;
  }

  /**
   * @param {Item} item
   * @param {number} length
   * @param {number} [valueLength] maximum length of a field's value
   * @returns {string} for example `textbox "Name" = "Ada" required`
   */
  function describe(item, length, valueLength = VALUE_LENGTH) {
    const { kind, role, element, cells, isShape = false } = item;
    const text = cells
      .map(role === "row" ? cellTextOf : lineOf)
      .filter(Boolean)
      .join(" | ");
    if (kind === "heading") return `# ${shorten(text || plain(contentOf(element)), length)}`;
    if (text) return `${role} ${plainQuote(text, length)}`;
    const name = itemNameOf(item);
    const isExplained = isIconic(role) && tooltipOf(element) !== "";
    // Of several values, each may have one.
    const isVague = !name || (isIconic(role) && REMOVING.test(name));
    // It says what to enter, not what for.
    const isPrompt = isNeighborly(role) && name !== "" && name === plain(promptOf(element));
    const prompted = isPrompt ? looseLabelOf(element, true) : "";
    const where = kind === "thing" && isVague && !isShape && !isExplained ? whereOf(element, role) : prompted;
    const isKnown = name || (where && !isIconic(role)) || NAMELESS.has(role) || !isNamedByContent(role);
    const isMute = kind === "look" || !isKnown;
    return [
      role,
      name ? plainQuote(name, Math.min(length, LISTED_NAME)) : "",
      where,
      kind === "thing" ? stateOf(element, role, valueLength, name) : "",
      isShape ? tagOf(element) : "",
      isMute || isShape ? drawnHintOf(handleOf(element), kind) : titleOf(element, name),
    ]
      .filter(Boolean)
      .join(" ");
  }

  /**
   * @param {Element} drawn
   * @param {Item["kind"]} kind
   * @returns {string} what names it, or how it looks
   */
  function drawnHintOf(drawn, kind) {
    return (kind === "thing" && hintOf(drawn)) || lookOf(drawn);
  }

  /**
   * @param {Element} element
   * @param {string} name
   * @returns {string} for example `title "Delete"`, if the name is only a sign
   */
  function titleOf(element, name) {
    const title = plain(attributeOf(element, "title") ?? "");
    const isSign = name !== "" && name !== title && (!WORDED.test(name) || REMOVING.test(name));
    return title && isSign ? `title ${plainQuote(title, LISTED_NAME)}` : "";
  }

  /**
   * @template T
   * @param {() => T} make
   * @returns {() => T}
   */
  function once(make) {
    /** @type {{value: T} | undefined} */
    let made;
    return () => (made ??= { value: make() }).value;
  }

  /**
   * @param {Entry[]} entries
   * @param {number} most after this the exact number does not matter
   */
  function sizeOf(entries, most) {
    let size = OUT_OF_SIGHT.length + 1;
    for (const { line } of entries) {
      size += line().length + 1;
      if (size > most) break;
    }
    return size;
  }

  /**
   * @param {Entry[]} entries
   * @param {number} offset
   * @param {number} room
   * @returns {{chosen: Entry[], end: number}}
   */
  function everything(entries, offset, room) {
    let end = offset;
    let size = OUT_OF_SIGHT.length + 1;
    while (end < entries.length) {
      const length = (entries[end]?.line().length ?? 0) + 1;
      // One line always fits; otherwise the list could not continue.
      if (size + length > room && end > offset) break;
      size += length;
      end += 1;
    }
    return { chosen: entries.slice(offset, end), end };
  }

  /**
   * Chooses elements to act on, and as many of the texts between as there is room for.
   *
   * @param {Entry[]} entries
   * @param {number} offset
   * @param {number} room
   * @returns {{chosen: Entry[], end: number}}
   */
  function overview(entries, offset, room) {
    const things = entries.slice(offset).filter(({ rank }) => rank === 0);
    const { end: count } = everything(things, 0, room);
    const next = things[count];
    const end = next ? entries.indexOf(next) : entries.length;
    const span = entries.slice(offset, end);
    const chosen = new Set(things.slice(0, count));
    let left = room;
    for (const { line } of chosen) left -= line().length + 1;
    for (const rank of [1, 2, 3]) {
      for (const entry of span) {
        if (entry.rank !== rank) continue;
        // The words decide first: a line without room is not worth a selector search.
        if (left < LEAST_LINE || entry.words().length >= left || entry.line().length >= left) break;
        chosen.add(entry);
        left -= entry.line().length + 1;
      }
    }
    return { chosen: span.filter((entry) => chosen.has(entry)), end };
  }

  /** @param {Entry[]} entries */
  function written(entries) {
    const inSight = entries.filter((entry) => entry.isInSight).map(({ line }) => line());
    const others = entries.filter((entry) => !entry.isInSight).map(({ line }) => line());
    return [...inSight, ...(others.length ? [OUT_OF_SIGHT, ...others] : [])];
  }

  /** @param {Element} element */
  function idsOf(element) {
    return IDENTIFIERS.map((name) => attributeOf(element, name) ?? "");
  }

  /**
   * @param {{isEmpty: boolean, isBrief: boolean, shown: number, total: number, place: string, left: number,
   *   next: number | null, find: string}} listing `place`: the lines it consists of, which `next` counts, too
   */
  function lastLine({ isEmpty, isBrief, shown, total, place, left, next, find }) {
    if (isEmpty) return find ? `Nothing here matches ${quote(find)}.` : "No interactive elements here.";
    if (!total && !left && next === null) return find ? "No other line matches." : "No interactive elements here.";
    const ways = `${next === null ? "" : `offset=${next}, `}find="words" or within="selector"`;
    const count = `${left} ${left === 1 ? "text" : "texts"}`;
    const brief = left ? `${count} and those out of sight are` : "texts out of sight are";
    const leftOut = isBrief ? brief : `${count} ${left === 1 ? "is" : "are"}`;
    if (left || isBrief) return `${shown} of ${total} elements${place}; ${leftOut} left out. More: ${ways}.`;
    if (next !== null) return `${shown} of ${total} elements${place}. More: ${ways}.`;
    if (shown < total) return `${shown} of ${total} elements, to the end of the list.`;
    return `${total} ${total === 1 ? "element" : "elements"}, all listed.`;
  }

  /**
   * @param {{selector: string}} request
   * @returns {Box | null} where the element is in the main frame's viewport; null if it is not drawn
   */
  function placeOf({ selector }) {
    const found = new Search(selector).find().map(handleOf).find(isVisible);
    if (!found) return null;
    const { x, y, width, height } = placeInMainFrame(found);
    return { x, y, width, height };
  }

  const commands = { list: listElements, placeOf };
  Object.assign(chromeTabReader, commands);
  return commands;
})();
