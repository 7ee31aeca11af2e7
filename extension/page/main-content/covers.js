"use strict";

// Finds texts below an opaque box or image. Boxes and texts are recorded in document order while the page is copied;
// then each text is compared with the boxes drawn at its position. Hit testing would not work: it is limited to the
// window and ignores boxes without pointer events.

const covers = (() => {
  const { colorOf, gradientColors, functionsOf } = colors;
  const { getter, rectOf } = nodes;
  const parentOf = getter(Node.prototype, "parentNode");
  const slotOf = getter(Element.prototype, "assignedSlot");
  const naturalWidthOf = getter(HTMLImageElement.prototype, "naturalWidth");
  const rootOf = getter(Document.prototype, "documentElement");
  const scrollSizes = ["scrollLeft", "scrollTop", "scrollWidth", "scrollHeight", "clientWidth", "clientHeight"].map(
    (name) => getter(Element.prototype, /** @type {"scrollTop"} */ (name)),
  );
  const { closest, querySelector: query } = Element.prototype;

  const MIN_ALPHA = 0.9;
  /** Smaller boxes cannot cover text. */
  const MIN_PX = 8;
  /** From this blur on, text behind a `backdrop-filter` is unreadable. */
  const MAX_BLUR_PX = 8;
  /** Boxes are indexed by horizontal strips of the page. */
  const STRIP_PX = 256;
  const MAX_STRIPS = 400;
  const MAX_COMPARISONS = 5_000_000;
  /** Points tested on each line of text; lines beyond the maximum count like those before. */
  const PLACES = [0.03, 0.25, 0.5, 0.75, 0.97];
  const MAX_LINES = 12;
  /** The share of covered points from which on a text counts as covered. */
  const MIN_COVERED = 0.8;
  /** A window that covers at least this share of the text is a splash screen, not something that hides text. */
  const SPLASH = 0.5;
  const EVERYWHERE = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity };
  const IMAGES = new Set(["img", "video", "canvas", "svg", "iframe", "object", "embed"]);
  const CLOSABLE = "dialog, [role=dialog], [role=alertdialog], [aria-modal=true], [popover]";
  const CONTROLS = "button, [role=button], input";
  const PSEUDO = ["::before", "::after"];
  /** In the order in which the parts of a stacking context are drawn. */
  const LEVEL = { block: -0.4, float: -0.3, inline: -0.2, positioned: 0 };

  /**
   * @typedef {object} Cover
   * @property {Element} element
   * @property {CSSStyleDeclaration} style
   * @property {DOMRect} rect
   * @property {number} order
   * @property {number} last the order of its last descendant
   * @property {string} pseudo
   * @property {boolean} isSure whether it is opaque without examining its image
   */

  /**
   * @typedef {object} Noted
   * @property {Text | Element} node
   * @property {Element} parent
   * @property {ChildNode} copy
   * @property {DOMRect} rect
   * @property {number} order
   * @property {boolean} isBehind whether an ancestor has a negative z-index
   */

  /** @typedef {{left: number, top: number, right: number, bottom: number}} Sides of a box */

  /** @typedef {{stack: number[], context: number[], isOwn: boolean}} Place in the drawing order */

  class Covers {
    /** @param {Window} view */
    constructor(view) {
      this.view = view;
    }

    #count = 0;
    #comparisons = 0;
    /** @type {Map<Element, number>} */
    #orders = new Map();
    /** @type {Map<Element, Place>} */
    #places = new Map();
    /** @type {Map<number, Cover[]>} */
    #strips = new Map();
    /** @type {Cover[]} those fixed in the window, or very tall */
    #wide = [];
    /** @type {Map<Cover, boolean>} */
    #known = new Map();
    /** @type {Noted[]} */
    #texts = [];

    /**
     * @param {Element} element
     * @param {string} tag
     * @param {CSSStyleDeclaration} style
     * @param {{opacity: number, position: string, isPainted: boolean}} layer
     * @returns {Cover | null}
     */
    enter(element, tag, style, { opacity, position, isPainted }) {
      this.#count += 1;
      this.#orders.set(element, this.#count);
      const isOut = position === "absolute" || position === "fixed";
      if (opacity < MIN_ALPHA || !(isPainted || isOut || IMAGES.has(tag)) || !mayCover(tag, style)) return null;
      // It disappears when the mouse moves.
      if (Reflect.apply(closest, element, ["[role=tooltip]"])) return null;
      const rect = rectOf(element);
      const cover = { element, style, rect, order: this.#count, last: Infinity, pseudo: "", isSure: isOpaque(style) };
      return this.#add(cover) ? cover : null;
    }

    /**
     * @param {Element} element whose children have been recorded
     * @param {Cover | null} cover the result of `enter`
     * @param {{opacity: number, position: string}} layer
     * @param {{position: string}} around
     */
    leave(element, cover, { opacity, position }, around) {
      if (cover) cover.last = this.#count;
      // Querying the pseudo-elements of every element takes as long as copying it: those that cover text are
      // positioned, or their element's parent is.
      if (opacity < MIN_ALPHA || (position === "static" && around.position === "static")) return;
      PSEUDO.forEach((pseudo, i) => {
        const style = this.view.getComputedStyle(element, pseudo);
        if (!/absolute|fixed/.test(style.position) || style.content === "none" || !mayCover("", style)) return;
        if (opacity * Number(style.opacity) < MIN_ALPHA) return;
        const rect = this.#pseudoRect(element, style);
        const order = i ? this.#count + 0.5 : (this.#orders.get(element) ?? 0) + 0.5;
        this.#add({ element, style, rect, order, last: order, pseudo, isSure: isOpaque(style) });
      });
    }

    /** @param {Omit<Noted, "order">} noted a text, a field, a formula or a frame, which is drawn next */
    note(noted) {
      this.#count += 1;
      this.#texts.push({ ...noted, order: this.#count });
    }

    /** Removes covered texts from the copy. */
    remove() {
      if (!this.#strips.size && !this.#wide.length) return;
      let [all, splashed] = [0, 0];
      /** @type {ChildNode[]} */
      const below = [];
      for (const noted of this.#texts) {
        const length = noted.copy.textContent?.length ?? 0;
        all += length;
        const found = this.#coversOf(noted);
        if (!found.length || !this.#isCovered(noted, found)) continue;
        if (found.some((cover) => this.#floats(cover.element, noted.parent))) {
          splashed += length;
          below.push(noted.copy);
        } else {
          noted.copy.remove();
        }
      }
      if (splashed < SPLASH * all) for (const copy of below) copy.remove();
    }

    /** @param {Cover} cover */
    #add(cover) {
      const { top, bottom, width, height } = cover.rect;
      if (width < MIN_PX || height < MIN_PX) return false;
      const [first, last] = [Math.floor(top / STRIP_PX), Math.floor(bottom / STRIP_PX)];
      if (cover.style.position === "fixed" || last - first > MAX_STRIPS) this.#wide.push(cover);
      else {
        for (let strip = first; strip <= last; strip += 1) {
          const list = this.#strips.get(strip);
          if (list) list.push(cover);
          else this.#strips.set(strip, [cover]);
        }
      }
      return true;
    }

    /**
     * @param {Noted} noted
     * @returns {Cover[]} those drawn over part of it
     */
    #coversOf({ rect, order, isBehind, parent }) {
      const lists = [this.#wide];
      for (let strip = Math.floor(rect.top / STRIP_PX); strip <= Math.floor(rect.bottom / STRIP_PX); strip += 1) {
        const list = this.#strips.get(strip);
        if (list) lists.push(list);
        if (lists.length > MAX_LINES) break;
      }
      /** @type {Set<Cover>} */
      const found = new Set();
      for (const list of lists) {
        this.#comparisons += list.length;
        if (this.#comparisons > MAX_COMPARISONS) break;
        for (const cover of list) {
          // The ancestors of a text are behind it, unless the text is behind everything.
          if (cover.order < order && order <= cover.last && !isBehind) continue;
          const box = cover.rect;
          const meets =
            box.left < rect.right && box.right > rect.left && box.top < rect.bottom && box.bottom > rect.top;
          if (!meets && cover.style.position !== "fixed") continue;
          if (this.#isAbove(cover, parent, order) && this.#isReal(cover)) found.add(cover);
        }
      }
      return [...found];
    }

    /**
     * @param {Noted} noted
     * @param {Cover[]} found
     */
    #isCovered({ node, parent, rect }, found) {
      const boxes = found.map((cover) => ({ box: this.#shownRect(cover), moved: this.#scrolled(cover, parent) }));
      // What stands where the end of a shortened line would be does not cover it.
      const drawn = this.#clipped(EVERYWHERE, parent, /hidden|clip/);
      const places = linesOf(node, rect).flatMap(({ left, width, top, height }) =>
        PLACES.map((share) => ({ x: left + share * width, y: top + height / 2 })),
      );
      const covered = places.filter(
        ({ x, y }) => holds(drawn, [[x, y]]) && boxes.some(({ box, moved }) => holds(box, moved(x, y))),
      );
      return covered.length >= MIN_COVERED * places.length;
    }

    /**
     * @param {Cover} cover
     * @returns {boolean} whether it hides what is below it and cannot be closed by a control
     */
    #isReal(cover) {
      let isReal = this.#known.get(cover);
      if (isReal === undefined) {
        const { element, style } = cover;
        isReal = !Reflect.apply(closest, element, [CLOSABLE]) && (cover.isSure || isOpaqueImage(element, style));
        if (isReal && this.#floats(element, null)) isReal = !Reflect.apply(query, element, [CONTROLS]);
        this.#known.set(cover, isReal);
      }
      return isReal;
    }

    // --- Drawing order

    /**
     * @param {Cover} cover
     * @param {Element} parent of a text
     * @param {number} order of the text
     */
    #isAbove({ element, style, pseudo, order: own }, parent, order) {
      const place = this.#placeOf(element);
      const isInline = style.display.startsWith("inline") || IMAGES.has(element.localName);
      let drawnAt = place.isOwn ? place.stack : [...place.stack, isInline ? LEVEL.inline : LEVEL.block, own];
      if (pseudo) drawnAt = [...place.context, Number(style.zIndex) || LEVEL.positioned, own];
      return compare(drawnAt, [...this.#placeOf(parent).stack, LEVEL.inline, order]) > 0;
    }

    /**
     * @param {Element} element
     * @returns {Place}
     */
    #placeOf(element) {
      const known = this.#places.get(element);
      if (known) return known;
      const parent = flatParent(element);
      const around = parent ? this.#placeOf(parent) : { stack: [], context: [], isOwn: false };
      const style = this.view.getComputedStyle(element);
      const isItem = parent !== null && /flex|grid/.test(this.view.getComputedStyle(parent).display);
      const place = placeIn(around, style, isItem, this.#orders.get(element) ?? 0);
      this.#places.set(element, place);
      return place;
    }

    // --- Position

    /**
     * @param {Cover} cover
     * @returns {Sides} without the parts clipped by ancestors
     */
    #shownRect({ element, rect, style }) {
      return style.position === "fixed" ? rect : this.#clipped(rect, flatParent(element), /hidden|clip|auto|scroll/);
    }

    /**
     * @param {Sides} box
     * @param {Element | null} from the innermost element that may clip it
     * @param {RegExp} overflow that clips it
     * @returns {Sides} what remains of it
     */
    #clipped({ left, top, right, bottom }, from, overflow) {
      for (let around = from; around && around !== rootOf(this.view.document); around = flatParent(around)) {
        const { overflowX, overflowY, display } = this.view.getComputedStyle(around);
        if (around.localName === "body" || display === "contents" || !overflow.test(`${overflowX} ${overflowY}`)) {
          continue;
        }
        const box = rectOf(around);
        [left, top] = [Math.max(left, box.left), Math.max(top, box.top)];
        [right, bottom] = [Math.min(right, box.right), Math.min(bottom, box.bottom)];
      }
      return { left, top, right, bottom };
    }

    /**
     * @param {Element} element
     * @param {CSSStyleDeclaration} style of its `::before` or `::after`
     * @returns {DOMRect}
     */
    #pseudoRect(element, style) {
      const [left, top, width, height] = [style.left, style.top, style.width, style.height].map(parseFloat);
      /** @type {Element | null} */
      let block = style.position === "fixed" ? null : element;
      while (block && isUnpositioned(this.view.getComputedStyle(block))) block = flatParent(block);
      const box = block && rectOf(block);
      const border = block && this.view.getComputedStyle(block);
      const x = box ? box.left + parseFloat(border?.borderLeftWidth ?? "0") : 0;
      const y = box ? box.top + parseFloat(border?.borderTopWidth ?? "0") : 0;
      return new DOMRect(x + (left || 0), y + (top || 0), width || 0, height || 0);
    }

    /**
     * @param {Element} element
     * @param {Element | null} text
     * @returns {boolean} whether it stays in the window while the text scrolls
     */
    #floats(element, text) {
      for (let around = /** @type {Element | null} */ (element); around; around = flatParent(around)) {
        if (text && isWithin(text, around)) return false;
        if (/fixed|sticky/.test(this.view.getComputedStyle(around).position)) return true;
      }
      return false;
    }

    /**
     * @param {Cover} cover
     * @param {Element} text
     * @returns {(x: number, y: number) => [number, number][]} positions that a point of the text can reach by scrolling
     */
    #scrolled({ element, style }, text) {
      const isFloating = style.position === "fixed" || this.#floats(element, text);
      const root = /** @type {Element} */ (rootOf(this.view.document));
      let [left, up, right, down] = [0, 0, 0, 0];
      for (let around = /** @type {Element | null} */ (text); around; around = flatParent(around)) {
        if (around === root ? !isFloating : isWithin(element, around) && !isFloating) break;
        const isScroller = around === root || /auto|scroll/.test(this.view.getComputedStyle(around).overflow);
        if (!isScroller) continue;
        const [x = 0, y = 0, allX = 0, allY = 0, ownX = 0, ownY = 0] = scrollSizes.map((sizeOf) => sizeOf(around));
        [left, up] = [left + Math.max(0, allX - ownX - x), up + Math.max(0, allY - ownY - y)];
        [right, down] = [right + x, down + y];
      }
      // Outside the window nothing is visible.
      const inWindow = (/** @type {number} */ place, /** @type {number} */ size) =>
        isFloating ? Math.max(0, Math.min(size - 1, place)) : place;
      return (x, y) => [
        [inWindow(x - left, this.view.innerWidth), inWindow(y - up, this.view.innerHeight)],
        [inWindow(x + right, this.view.innerWidth), inWindow(y + down, this.view.innerHeight)],
      ];
    }
  }

  /**
   * @param {{left: number, top: number, right: number, bottom: number}} box
   * @param {[number, number][]} places
   */
  function holds({ left, top, right, bottom }, places) {
    return places.every(([x, y]) => left <= x && x <= right && top <= y && y <= bottom);
  }

  /**
   * @param {Place} around
   * @param {CSSStyleDeclaration} style
   * @param {boolean} isItem of a flex container or a grid
   * @param {number} order
   * @returns {Place}
   */
  function placeIn({ stack, context }, style, isItem, order) {
    const isPositioned = style.position !== "static";
    const level = isPositioned || isItem ? Number(style.zIndex) : NaN;
    if (isContext(style) || !Number.isNaN(level)) {
      const own = [...context, level || LEVEL.positioned, order];
      return { stack: own, context: own, isOwn: true };
    }
    if (isPositioned) return { stack: [...context, LEVEL.positioned, order], context, isOwn: true };
    const isFloat = style.float !== "none";
    if (!isFloat && !isItem && !/^inline-/.test(style.display)) return { stack, context, isOwn: false };
    return { stack: [...stack, isFloat ? LEVEL.float : LEVEL.inline, order], context, isOwn: true };
  }

  /** @param {CSSStyleDeclaration} style */
  function isContext(style) {
    const plain = [style.transform, style.translate, style.scale, style.rotate, style.filter, style.perspective];
    return (
      /fixed|sticky/.test(style.position) ||
      Number(style.opacity) < 1 ||
      [...plain, style.clipPath, style.maskImage, style.backdropFilter ?? "none"].some((value) => value !== "none") ||
      style.mixBlendMode !== "normal" ||
      style.isolation === "isolate" ||
      /transform|opacity/.test(style.willChange) ||
      /layout|paint|strict|content/.test(style.contain)
    );
  }

  /** @param {CSSStyleDeclaration} style */
  function isUnpositioned({ position, transform }) {
    return position === "static" && transform === "none";
  }

  /**
   * @param {number[]} first
   * @param {number[]} second
   */
  function compare(first, second) {
    for (let i = 0; i < Math.min(first.length, second.length); i += 1) {
      const difference = (first[i] ?? 0) - (second[i] ?? 0);
      if (difference) return difference;
    }
    return first.length - second.length;
  }

  /**
   * @param {Element} element
   * @returns {Element | null} the element that it is drawn in
   */
  function flatParent(element) {
    const parent = slotOf(element) ?? parentOf(element);
    if (parent?.nodeType === Node.DOCUMENT_FRAGMENT_NODE) return /** @type {ShadowRoot} */ (parent).host;
    return parent?.nodeType === Node.ELEMENT_NODE ? /** @type {Element} */ (parent) : null;
  }

  /**
   * @param {Element} element
   * @param {Element} around
   */
  function isWithin(element, around) {
    for (let each = /** @type {Element | null} */ (element); each; each = flatParent(each)) {
      if (each === around) return true;
    }
    return false;
  }

  /**
   * @param {Text | Element} node
   * @param {DOMRect} rect
   * @returns {DOMRect[]}
   */
  function linesOf(node, rect) {
    if (node.nodeType !== Node.TEXT_NODE) return [rect];
    const range = new Range();
    range.selectNodeContents(node);
    return [...range.getClientRects()].slice(0, MAX_LINES);
  }

  // --- Opacity

  /**
   * @param {string} tag
   * @param {CSSStyleDeclaration} style
   */
  function mayCover(tag, style) {
    const isImage = IMAGES.has(tag);
    // The box of an inline element may include the rest of its lines.
    if (!isImage && style.display === "inline") return false;
    const isPainted =
      isImage ||
      isOpaqueColor(style.backgroundColor) ||
      style.backgroundImage !== "none" ||
      blurs(style) ||
      hasWideBorder(style);
    if (!isPainted || style.visibility !== "visible") return false;
    const isWhole = style.clipPath === "none" && style.maskImage === "none" && style.mixBlendMode === "normal";
    return isWhole && !style.backgroundClip.includes("text");
  }

  /** @param {CSSStyleDeclaration} style */
  function isOpaque(style) {
    return isOpaqueColor(style.backgroundColor) || blurs(style) || hasWideBorder(style) || isOpaqueGradient(style);
  }

  /** @param {string} color */
  function isOpaqueColor(color) {
    return (colorOf(color)?.[3] ?? 0) >= MIN_ALPHA;
  }

  /** @param {CSSStyleDeclaration} style */
  function isOpaqueGradient({ backgroundImage, backgroundRepeat }) {
    if (backgroundImage === "none" || backgroundRepeat === "no-repeat") return false;
    const shades = gradientColors(backgroundImage) ?? [];
    return shades.length > 0 && shades.every((shade) => (shade?.[3] ?? 0) >= MIN_ALPHA);
  }

  /** @param {CSSStyleDeclaration} style */
  function blurs({ backdropFilter = "none" }) {
    if (backdropFilter === "none") return false;
    return functionsOf(backdropFilter).some(([name, amount]) => name === "blur" && amount >= MAX_BLUR_PX);
  }

  /** @param {CSSStyleDeclaration} style of a box that is hardly more than its border */
  function hasWideBorder({ borderTopWidth, borderTopColor, borderTopStyle, height }) {
    const isWide = borderTopStyle === "solid" && parseFloat(borderTopWidth) > MIN_PX;
    return isWide && parseFloat(borderTopWidth) > 2 * parseFloat(height) && isOpaqueColor(borderTopColor);
  }

  /**
   * @param {Element} element
   * @param {CSSStyleDeclaration} style
   * @returns {boolean} whether its image hides what is below it
   */
  function isOpaqueImage(element, style) {
    const tag = element.localName;
    if (tag === "img" && !naturalWidthOf(/** @type {HTMLImageElement} */ (element))) return false;
    if (tag === "svg") return hasOpaqueShape(element, style);
    if (tag === "canvas" || tag === "img" || tag === "video") {
      const pixels = alphaOf(/** @type {CanvasImageSource} */ (/** @type {unknown} */ (element)));
      if (pixels !== null) return pixels >= MIN_ALPHA;
    }
    // A cross-origin image: its pixels are not readable. A mere decoration of a text lets the mouse through.
    if (style.pointerEvents === "none") return false;
    if (IMAGES.has(tag)) return true;
    const isFilling = style.backgroundRepeat === "repeat" || /cover|100% 100%/.test(style.backgroundSize);
    return isFilling && style.backgroundImage !== "none" && gradientColors(style.backgroundImage) === null;
  }

  /**
   * @param {CanvasImageSource} image
   * @returns {number | null} the mean alpha of its pixels; null if they are not readable
   */
  function alphaOf(image) {
    const size = 8;
    const pen = new OffscreenCanvas(size, size).getContext("2d", { willReadFrequently: true });
    if (!pen) return null;
    try {
      pen.drawImage(image, 0, 0, size, size);
      const { data } = pen.getImageData(0, 0, size, size);
      return data.reduce((sum, value, i) => sum + (i % 4 === 3 ? value : 0), 0) / (255 * size * size);
    } catch {
      return null;
    }
  }

  /**
   * @param {Element} drawing
   * @param {CSSStyleDeclaration} style
   */
  function hasOpaqueShape(drawing, style) {
    const { width, height } = rectOf(drawing);
    const [shape] = Reflect.apply(Element.prototype.querySelectorAll, drawing, ["rect, image"]);
    if (!shape) return false;
    const box = rectOf(shape);
    const isAll = box.width * box.height >= MIN_ALPHA * width * height;
    const { fill, fillOpacity, opacity } = /** @type {Window} */ (drawing.ownerDocument.defaultView).getComputedStyle(
      shape,
    );
    const alpha = (colorOf(fill)?.[3] ?? 0) * Number(fillOpacity) * Number(opacity);
    return isAll && (shape.localName === "image" ? style.pointerEvents !== "none" : alpha >= MIN_ALPHA);
  }

  return { Covers };
})();
