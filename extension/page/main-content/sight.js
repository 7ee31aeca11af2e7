"use strict";

// Where a page draws its texts, and in which colors: text drawn invisibly is not content. Text that scrolling, a slide
// show or a control of the page can reveal counts as visible.

const sight = (() => {
  const { getter, rectOf } = nodes;
  const { colorOf, over, areAlike, drawn, functionsOf, gradientColors, backgroundOver } = colors;
  const { isClippedAway, isMaskedAway } = outlines;
  const rootOf = getter(Document.prototype, "documentElement");
  const scrollerOf = getter(Document.prototype, "scrollingElement");
  const scrollLeftOf = getter(Element.prototype, "scrollLeft");
  const scrollTopOf = getter(Element.prototype, "scrollTop");
  const elementBefore = getter(Element.prototype, "previousElementSibling");
  const parentElementOf = getter(Node.prototype, "parentElement");
  const { matches, querySelector: query } = Element.prototype;
  const { contains } = Node.prototype;

  /** Minimum size of a letter that can be read. */
  const MIN_LETTER_PX = 3;
  /** Content that an inner box clips may be the previous slide; beyond this distance it is not. */
  const FAR_PX = 5_000;
  const MIN_LETTER_AREA = 2;
  const MIN_FRAME_PX = 10;
  const MIN_OPACITY = 0.1;
  const MAX_BLUR_PX = 8;
  /** Thickness of a line through a text, relative to the font size, from which on it is unreadable. */
  const MAX_STRIKE = 0.8;
  /** Limits of the search for images and backgrounds; with more than this many, every color counts as visible. */
  const MAX_ELEMENTS = 50_000;
  const MAX_PAINTED = 2_000;
  const CONTROL = "[aria-expanded]";
  const IMAGES = new Set(["img", "video", "canvas", "iframe", "object", "embed"]);
  const SVG = "http://www.w3.org/2000/svg";
  /** @typedef {ReturnType<typeof colorOf>} Color */

  /**
   * @typedef {object} Layer the surroundings that an element is drawn in
   * @property {Window} view
   * @property {number} x scroll offset of its ancestors, in pixels
   * @property {number} y
   * @property {boolean} isCut whether an ancestor clips its content
   * @property {boolean} isFixed
   * @property {boolean} isPinned whether nothing scrolls it into the window
   * @property {boolean} isRightToLeft whether the page scrolls to the left
   * @property {boolean} isBehind whether an ancestor has a negative z-index
   * @property {boolean} isPainted whether it has a background
   * @property {boolean} isHiding whether it clips its content and does not scroll
   * @property {string} position
   * @property {number} opacity
   * @property {[string, number][]} filters
   * @property {{mode: string, behind: Color} | null} blend
   * @property {Color} color behind it
   * @property {() => Painted[]} painted
   */

  const range = new Range();

  /**
   * @typedef {{element: Element, isAround: boolean, rect: DOMRect, color: Color}} Painted `isAround`: whether it also
   *   counts for texts inside the element
   */

  /**
   * @param {Document} page
   * @param {Window} view
   * @param {Element} body
   * @returns {Layer} the layer of the body's children
   */
  function outermost(page, view, body) {
    const root = rootOf(page);
    const scroller = scrollerOf(page);
    const scrolled = [...new Set([scroller, body])].filter((element) => element !== null);
    const rootStyle = root && view.getComputedStyle(root);
    const { direction, writingMode } = view.getComputedStyle(body); // the page has those of its body
    /** @type {Layer} */
    const canvas = {
      view,
      x: scrolled.reduce((x, element) => x + scrollLeftOf(element), 0),
      y: scrolled.reduce((y, element) => y + scrollTopOf(element), 0),
      isCut: false,
      isFixed: false,
      isPinned: false,
      isRightToLeft: writingMode === "horizontal-tb" ? direction === "rtl" : writingMode.endsWith("-rl"),
      isBehind: false,
      isPainted: false,
      isHiding: false,
      position: "static",
      opacity: 1,
      filters: [],
      blend: null,
      color: rootStyle?.colorScheme.includes("dark") ? null : [255, 255, 255, 1],
      painted: paintedIn(view),
    };
    const styles = [rootStyle, view.getComputedStyle(body)].filter((style) => style !== null);
    // What filters do to the whole page is unknown here.
    return styles.reduce((layer, style) => ({ ...layer, ...surface(layer, style), filters: [] }), canvas);
  }

  /**
   * @param {Layer} layer
   * @param {CSSStyleDeclaration} style
   * @returns {Pick<Layer, "opacity" | "filters" | "blend" | "color" | "isPainted">}
   */
  function surface(layer, style) {
    const { mixBlendMode: mode, filter } = style;
    const own = filter === "none" ? [] : functionsOf(filter);
    const look = {
      opacity: layer.opacity * Number(style.opacity) * clearness(own),
      filters: own.length ? [...own, ...layer.filters] : layer.filters,
      blend: mode === "normal" ? layer.blend : { mode, behind: layer.color },
    };
    const { backgroundColor, backgroundImage } = style;
    const isClear = backgroundImage === "none" && colorOf(backgroundColor)?.[3] === 0;
    // Then the letters are drawn with the background.
    if (isClear || style.backgroundClip.includes("text")) return { ...look, color: layer.color, isPainted: false };
    return { ...look, color: backgroundOver(backgroundColor, backgroundImage, layer.color, look), isPainted: true };
  }

  /**
   * @param {[string, number][]} filters
   * @returns {number} the opacity that they leave
   */
  function clearness(filters) {
    return filters.reduce((share, [name, amount]) => {
      if (name === "opacity") return share * amount;
      return name === "blur" && amount >= MAX_BLUR_PX ? 0 : share;
    }, 1);
  }

  /**
   * @param {Layer} layer
   * @param {Element} element
   * @param {CSSStyleDeclaration} style
   * @returns {Layer} the layer of the children of an element on that layer
   */
  function within(layer, element, style) {
    const { position, overflowX, overflowY } = style;
    const isFixed = position === "fixed";
    const base = isFixed ? { ...layer, x: 0, y: 0, isCut: false, isFixed, isPinned: true } : layer;
    const own = {
      ...surface(layer, style),
      position,
      isBehind: layer.isBehind || (position !== "static" && Number(style.zIndex) < 0),
    };
    if (overflowX === "visible" && overflowY === "visible") return { ...base, ...own, isHiding: containsPaint(style) };
    const isHiding = /hidden|clip/.test(overflowX) || /hidden|clip/.test(overflowY);
    const [x, y] = [base.x + scrollLeftOf(element), base.y + scrollTopOf(element)];
    const isPinned = base.isPinned && !(isScroller(element, style) && !isOutside(rectOf(element), base));
    return { ...base, ...own, x, y, isCut: true, isHiding, isPinned };
  }

  /**
   * @param {Element} element
   * @param {CSSStyleDeclaration} style
   * @returns {boolean} whether a user can scroll its content up and down
   */
  function isScroller({ scrollHeight, clientHeight }, { overflowY }) {
    return /auto|scroll/.test(overflowY) && scrollHeight > clientHeight;
  }

  /** @param {CSSStyleDeclaration} style */
  function containsPaint({ contain }) {
    return contain !== "none" && /paint|strict|content/.test(contain);
  }

  /**
   * @param {Layer} layer of the element's children
   * @param {Element} element
   * @param {CSSStyleDeclaration} style
   * @returns {boolean} whether nothing in the element is visible
   */
  function isShut({ opacity, view, position, isHiding }, element, style) {
    if (opacity < MIN_OPACITY || isTurnedAway(style) || (isHiding && isEmptyBox(element, style))) return true;
    const boxOf = () => rectOf(element);
    return isClippedAway(style, position, boxOf, view.document) || isMaskedAway(style, boxOf, view.document);
  }

  /** @param {CSSStyleDeclaration} style */
  function isTurnedAway(style) {
    if (style.backfaceVisibility !== "hidden" || style.transform === "none") return false;
    return new DOMMatrix(style.transform).m33 < 0;
  }

  /**
   * @param {Element} element
   * @param {CSSStyleDeclaration} style
   * @returns {boolean} whether a clipping box shows none of its content, and no control is marked as opening it
   */
  function isEmptyBox(element, { display }) {
    if (display === "inline" || display === "contents") return false;
    const { width, height } = rectOf(element);
    if (width >= MIN_LETTER_PX && height >= MIN_LETTER_PX) return false;
    return (width <= 1 && height <= 1) || !hasControl(element);
  }

  /** @param {Element} element */
  function hasControl(element) {
    const before = elementBefore(element);
    if (!before) return false;
    return Reflect.apply(matches, before, [CONTROL]) || Reflect.apply(query, before, [CONTROL]) !== null;
  }

  /**
   * @param {Layer} layer that contains the frame
   * @param {Element} frame
   * @returns {boolean} whether nothing of its page is visible
   */
  function isFrameHidden(layer, frame) {
    const rect = rectOf(frame);
    return rect.width < MIN_FRAME_PX || rect.height < MIN_FRAME_PX || isOutside(rect, layer);
  }

  /**
   * @param {Layer} layer
   * @param {CSSStyleDeclaration} style of the text's element
   * @param {Text} text
   * @param {DOMRect} rect where its letters are drawn
   * @returns {boolean}
   */
  function isSeen(layer, style, text, rect) {
    if (!layer.view.innerWidth) return true;
    if (rect.height < MIN_LETTER_PX || rect.width === 0 || isOutside(rect, layer)) return false;
    if (rect.width * rect.height < MIN_LETTER_AREA * text.data.trim().length) return false;
    if (isStruck(layer, style, text) || areDiscs(style)) return false;
    return !isPushedOut(style, text, rect) && isInk(layer, style, text, rect);
  }

  /** @param {CSSStyleDeclaration} style of a text that may be drawn as password dots */
  function areDiscs(style) {
    return (style.getPropertyValue("-webkit-text-security") || "none") !== "none";
  }

  /**
   * @param {Layer} layer
   * @param {CSSStyleDeclaration} style
   * @param {Text} text
   * @returns {boolean} whether a thick line runs through the text
   */
  function isStruck({ view }, style, text) {
    const inEffect = style.getPropertyValue("-webkit-text-decorations-in-effect") || style.textDecorationLine;
    if (!inEffect.includes("line-through")) return false;
    for (let element = parentElementOf(text); element; element = parentElementOf(element)) {
      const { textDecorationLine, textDecorationThickness, textDecorationColor, fontSize } =
        view.getComputedStyle(element);
      const isBroad = parseFloat(textDecorationThickness) >= MAX_STRIKE * parseFloat(fontSize);
      const alpha = colorOf(textDecorationColor)?.[3] ?? 1;
      if (textDecorationLine.includes("line-through") && isBroad && alpha >= 1 - MIN_OPACITY) return true;
    }
    return false;
  }

  /** @param {Text} text */
  function rectOfText(text) {
    range.selectNodeContents(text);
    const rect = range.getBoundingClientRect();
    const parent = parentElementOf(text);
    if (rect.width || rect.height || !parent) return rect;
    // Measuring an element lays out content that `content-visibility: auto` has skipped; measuring a range does not.
    rectOf(parent);
    return range.getBoundingClientRect();
  }

  /**
   * @param {CSSStyleDeclaration} style
   * @param {Text} text
   * @param {DOMRect} rect
   * @returns {boolean} whether the text's element clips all of it at one side, other than to shorten a line
   */
  function isPushedOut({ overflowX, textOverflow, display }, text, { left, right }) {
    if (!/hidden|clip/.test(overflowX) || textOverflow === "ellipsis" || display === "inline") return false;
    const parent = parentElementOf(text);
    const box = parent && rectOf(parent);
    return box !== null && box.width > 0 && (left >= box.right || right <= box.left);
  }

  /**
   * @param {DOMRect} rect
   * @param {Layer} layer
   */
  function isOutside({ left, right, top, bottom }, { view, x, y, isCut, isPinned, isRightToLeft }) {
    if (isPinned && (left >= view.innerWidth || top >= view.innerHeight)) return true;
    const edge = isCut ? -FAR_PX : 0;
    return bottom + y <= edge || (right + x <= edge && !isRightToLeft);
  }

  /**
   * @param {Layer} layer
   * @param {CSSStyleDeclaration} style
   * @param {Text} text
   * @param {DOMRect} rect
   */
  function isInk(layer, style, text, rect) {
    const { color: behind, opacity } = layer;
    const isInDrawing = parentElementOf(text)?.namespaceURI === SVG;
    const fill = drawn(layer, isInDrawing ? fillOf(style) : colorOf(style.webkitTextFillColor));
    if (!fill) return true;
    const isThere = (fill[3] ?? 1) * opacity >= MIN_OPACITY;
    if (isThere && !areAlike(over(fill, behind), behind, opacity)) return true;
    if (hasEdge(layer, style)) return true;
    return isThere ? isOnOther(fill, layer, text, rect) : isCutOut(layer, text);
  }

  /**
   * @param {CSSStyleDeclaration} style of a part of a drawing
   * @returns {Color}
   */
  function fillOf({ fill, fillOpacity }) {
    if (fill === "none" || Number(fillOpacity) < MIN_OPACITY) return [0, 0, 0, 0];
    return colorOf(fill);
  }

  /**
   * @param {Layer} layer
   * @param {CSSStyleDeclaration} style
   * @returns {boolean} whether a shadow or an outline of its letters is visible
   */
  function hasEdge(layer, { textShadow, webkitTextStrokeWidth, webkitTextStrokeColor }) {
    const lines = parseFloat(webkitTextStrokeWidth) > 0 ? [colorOf(webkitTextStrokeColor)] : [];
    const shadows = textShadow === "none" ? [] : (gradientColors(textShadow) ?? []);
    return [...lines, ...shadows].some((color) => isOtherThan(layer.color, layer, color));
  }

  /**
   * @param {Color} behind
   * @param {Layer} layer
   * @param {Color} color
   */
  function isOtherThan(behind, layer, color) {
    const own = drawn(layer, color);
    if (!own) return true;
    return (own[3] ?? 1) * layer.opacity >= MIN_OPACITY && !areAlike(over(own, behind), behind, layer.opacity);
  }

  /**
   * @param {Layer} layer
   * @param {Text} text
   * @returns {boolean} whether the letters show a background
   */
  function isCutOut(layer, text) {
    const { view, color: behind } = layer;
    for (let element = parentElementOf(text); element; element = parentElementOf(element)) {
      const { backgroundClip, backgroundImage, backgroundColor } = view.getComputedStyle(element);
      if (!backgroundClip.includes("text")) continue;
      const shades = backgroundImage === "none" ? [] : gradientColors(backgroundImage);
      return !shades || [colorOf(backgroundColor), ...shades].some((color) => isOtherThan(behind, layer, color));
    }
    return false;
  }

  /**
   * @param {Color} fill
   * @param {Layer} layer
   * @param {Text} text
   * @param {DOMRect} rect
   * @returns {boolean} whether anything besides the text's ancestors is drawn at its position
   */
  function isOnOther(fill, { painted }, text, rect) {
    const [x, y] = [rect.left + rect.width / 2, rect.top + rect.height / 2];
    const boxes = painted();
    return (
      boxes.length > MAX_PAINTED ||
      boxes.some(({ element, isAround, rect: { left, right, top, bottom }, color }) => {
        const isThere = left <= x && x <= right && top <= y && y <= bottom && !areAlike(fill, color);
        return isThere && (isAround || !Reflect.apply(contains, element, [text]));
      })
    );
  }

  /**
   * @param {Window} view
   * @returns {() => Painted[]} searches on the first call only
   */
  function paintedIn(view) {
    /** @type {Painted[] | undefined} */
    let painted;
    return () => (painted ??= paintings(view));
  }

  /**
   * @param {Window} view
   * @returns {Painted[]} what is drawn independently of texts: images, backgrounds, and pseudo-elements
   */
  function paintings(view) {
    const elements = [...Reflect.apply(Document.prototype.querySelectorAll, view.document, ["body *"])];
    return elements.slice(0, MAX_ELEMENTS).flatMap((element) =>
      ["", "::before", "::after"].flatMap((pseudo) => {
        const style = view.getComputedStyle(element, pseudo);
        const isImage = style.backgroundImage !== "none" || (!pseudo && IMAGES.has(element.localName));
        const isShape = !pseudo && element.namespaceURI === SVG && element.childElementCount === 0;
        const color = isImage ? null : isShape ? fillOf(style) : colorOf(style.backgroundColor);
        if ((pseudo && style.content === "none") || (!isImage && color?.[3] === 0)) return [];
        return [{ element, isAround: pseudo !== "", rect: rectOf(element), color }];
      }),
    );
  }

  return { outermost, within, isShut, isFrameHidden, isSeen, rectOfText };
})();
