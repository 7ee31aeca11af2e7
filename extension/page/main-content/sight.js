"use strict";

// Where a page draws its texts, and in which colours: what it draws and nobody can see is no content. What scrolling, a
// slide show or a control of the page brings into sight is seen. Named elements hide properties of their form and of the
// document, so the page is read by the prototypes' own functions.

const sight = (() => {
  /** @type {<T extends object, K extends keyof T>(prototype: T, name: K) => (self: T) => T[K]} */
  const getter = (prototype, name) => {
    const { get } = /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(prototype, name));
    return (self) => get?.call(self);
  };
  const rootOf = getter(Document.prototype, "documentElement");
  const scrollerOf = getter(Document.prototype, "scrollingElement");
  const scrollLeftOf = getter(Element.prototype, "scrollLeft");
  const scrollTopOf = getter(Element.prototype, "scrollTop");
  const elementBefore = getter(Element.prototype, "previousElementSibling");
  const parentElementOf = getter(Node.prototype, "parentElement");
  const { matches, querySelector: query } = Element.prototype;
  const { contains } = Node.prototype;
  const rectOf = (/** @type {Element} */ element) =>
    Reflect.apply(Element.prototype.getBoundingClientRect, element, []);

  /** Lower letters cannot be read. */
  const MIN_LETTER_PX = 3;
  /** What an inner box cuts off may be the slide before; what is further away is not. */
  const FAR_PX = 5_000;
  const MIN_OPACITY = 0.05;
  /** Of red, green and blue, each from 0 to 255. */
  const MIN_DIFFERENCE = 12;
  /** Pictures and backgrounds are looked for among so many; where so many of them are, every colour counts as seen. */
  const MAX_ELEMENTS = 50_000;
  const MAX_PAINTED = 2_000;
  const CONTROL = "[aria-expanded]";
  const PICTURES = new Set(["img", "video", "canvas", "svg", "iframe", "object", "embed"]);
  const CLIP = /^rect\(([-\d.]+)px, ([-\d.]+)px, ([-\d.]+)px, ([-\d.]+)px\)$/;
  const NOTHING_LEFT =
    /^(?:inset\((?:[5-9]\d|\d{3,})(?:\.\d+)?%\)|(?:circle|ellipse)\(0(?:px|%)?[ )].*|polygon\(([^,()]+)(?:, \1)*\))$/;
  const COLOR = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/;

  /** @typedef {number[] | null} Color red, green, blue and opacity (0 to 1); null where that is a picture or not known */

  /**
   * @typedef {object} Layer what an element stands on
   * @property {Window} view
   * @property {number} x pixels that what is around it has been scrolled
   * @property {number} y
   * @property {boolean} isCut whether a box around it shows a part of what it holds
   * @property {boolean} isFixed
   * @property {boolean} isRightToLeft whether the page scrolls to the left
   * @property {number} opacity
   * @property {Color} color behind it
   * @property {() => Painted[]} painted
   */

  /** @type {Map<string, Color>} */
  const knownColors = new Map();
  const range = new Range();

  /** @typedef {{element: Element, isAround: boolean, rect: DOMRect, color: Color}} Painted `isAround`: also what it holds */

  /**
   * @param {string} text a computed colour
   * @returns {Color}
   */
  function colorOf(text) {
    let color = knownColors.get(text);
    if (color === undefined) {
      const found = COLOR.exec(text);
      color = found && [Number(found[1]), Number(found[2]), Number(found[3]), Number(found[4] ?? 1)];
      knownColors.set(text, color);
    }
    return color;
  }

  /**
   * @param {Color} color
   * @param {Color} behind
   * @returns {Color} what is seen of a colour
   */
  function over(color, behind) {
    if (!color || color[3] === 1) return color;
    const [red = 0, green = 0, blue = 0, alpha = 1] = color;
    if (!behind) return alpha === 0 ? behind : null;
    const mixed = [red, green, blue].map((channel, i) => channel * alpha + (behind[i] ?? 0) * (1 - alpha));
    return [...mixed, 1];
  }

  /**
   * @param {Color} color
   * @param {Color} other
   */
  function areAlike(color, other) {
    if (!color || !other) return false;
    return [0, 1, 2].every((i) => Math.abs((color[i] ?? 0) - (other[i] ?? 0)) < MIN_DIFFERENCE);
  }

  /**
   * @param {Document} page
   * @param {Window} view
   * @param {Element} body
   * @returns {Layer} what the body's children stand on
   */
  function outermost(page, view, body) {
    const root = rootOf(page);
    const scroller = scrollerOf(page);
    const scrolled = [...new Set([scroller, body])].filter((element) => element !== null);
    const rootStyle = root && view.getComputedStyle(root);
    /** @type {Layer} */
    const canvas = {
      view,
      x: scrolled.reduce((x, element) => x + scrollLeftOf(element), 0),
      y: scrolled.reduce((y, element) => y + scrollTopOf(element), 0),
      isCut: false,
      isFixed: false,
      isRightToLeft: rootStyle?.direction === "rtl",
      opacity: 1,
      color: rootStyle?.colorScheme.includes("dark") ? null : [255, 255, 255, 1],
      painted: paintedIn(view),
    };
    const styles = [rootStyle, view.getComputedStyle(body)].filter((style) => style !== null);
    return styles.reduce((layer, style) => ({ ...layer, ...surface(layer, style) }), canvas);
  }

  /**
   * @param {Layer} layer
   * @param {CSSStyleDeclaration} style
   * @returns {{opacity: number, color: Color}}
   */
  function surface({ opacity, color }, style) {
    const isPicture = style.backgroundImage !== "none";
    return {
      opacity: opacity * Number(style.opacity),
      color: isPicture ? null : over(colorOf(style.backgroundColor), color),
    };
  }

  /**
   * @param {Layer} layer
   * @param {Element} element
   * @param {CSSStyleDeclaration} style
   * @returns {Layer} what the children of an element on that layer stand on
   */
  function within(layer, element, style) {
    const isFixed = style.position === "fixed";
    const base = isFixed ? { ...layer, x: 0, y: 0, isCut: false, isFixed } : layer;
    const own = surface(layer, style);
    if (style.overflowX === "visible" && style.overflowY === "visible") return { ...base, ...own };
    return { ...base, ...own, x: base.x + scrollLeftOf(element), y: base.y + scrollTopOf(element), isCut: true };
  }

  /**
   * @param {Layer} layer that the children of an element stand on
   * @param {Element} element
   * @param {CSSStyleDeclaration} style
   * @returns {boolean} whether nothing in the element can be seen
   */
  function isShut({ opacity }, element, style) {
    return opacity < MIN_OPACITY || isClippedAway(style) || isEmptyBox(element, style);
  }

  /** @param {CSSStyleDeclaration} style */
  function isClippedAway({ clip, clipPath, position }) {
    if (clipPath !== "none" && NOTHING_LEFT.test(clipPath)) return true;
    const found = clip !== "auto" && (position === "absolute" || position === "fixed") && CLIP.exec(clip);
    if (!found) return false;
    const [top = 0, right = 0, bottom = 0, left = 0] = found.slice(1).map(Number);
    return right - left <= 1 || bottom - top <= 1;
  }

  /**
   * @param {Element} element
   * @param {CSSStyleDeclaration} style
   * @returns {boolean} whether it shows nothing of what it holds, and no control says that it opens
   */
  function isEmptyBox(element, { overflowX, overflowY, display }) {
    const isHiding = /hidden|clip/.test(overflowX) || /hidden|clip/.test(overflowY);
    if (!isHiding || display === "inline" || display === "contents") return false;
    const { width, height } = rectOf(element);
    if (width > 1 && height > 1) return false;
    return (width <= 1 && height <= 1) || !hasControl(element);
  }

  /** @param {Element} element */
  function hasControl(element) {
    const before = elementBefore(element);
    if (!before) return false;
    return Reflect.apply(matches, before, [CONTROL]) || Reflect.apply(query, before, [CONTROL]) !== null;
  }

  /**
   * @param {Layer} layer that a frame stands on
   * @param {Element} frame
   * @returns {boolean} whether nothing of its page can be seen
   */
  function isFrameHidden(layer, frame) {
    const rect = rectOf(frame);
    return rect.width <= 1 || rect.height <= 1 || isOutside(rect, layer);
  }

  /**
   * @param {Layer} layer
   * @param {CSSStyleDeclaration} style of the element that holds the text
   * @param {Text} text
   * @returns {boolean}
   */
  function isSeen(layer, style, text) {
    if (!layer.view.innerWidth) return true;
    range.selectNodeContents(text);
    const rect = range.getBoundingClientRect();
    if (rect.height < MIN_LETTER_PX || rect.width === 0 || isOutside(rect, layer)) return false;
    return isInk(layer, style, text, rect);
  }

  /**
   * @param {DOMRect} rect
   * @param {Layer} layer
   */
  function isOutside({ left, right, top, bottom }, { view, x, y, isCut, isFixed, isRightToLeft }) {
    if (isFixed && (left >= view.innerWidth || top >= view.innerHeight)) return true;
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
    const behind = layer.color;
    const fill = colorOf(style.webkitTextFillColor);
    if (!fill || (fill[3] !== 0 && (!behind || !areAlike(over(fill, behind), behind)))) return true;
    if (style.textShadow !== "none" || parseFloat(style.webkitTextStrokeWidth) > 0) return true;
    if (fill[3] === 0) return isCutOut(layer.view, text);
    return isOnOther(fill, layer, text, rect);
  }

  /**
   * @param {Window} view
   * @param {Text} text
   * @returns {boolean} whether the letters show a background
   */
  function isCutOut(view, text) {
    let element = parentElementOf(text);
    while (element && !view.getComputedStyle(element).backgroundClip.includes("text")) {
      element = parentElementOf(element);
    }
    return element !== null;
  }

  /**
   * @param {Color} fill
   * @param {Layer} layer
   * @param {Text} text
   * @param {DOMRect} rect
   * @returns {boolean} whether something else than the elements around a text is drawn where it stands
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
   * @returns {() => Painted[]} looks for it when it is first asked, and only then
   */
  function paintedIn(view) {
    /** @type {Painted[] | undefined} */
    let painted;
    return () => (painted ??= paintings(view));
  }

  /**
   * @param {Window} view
   * @returns {Painted[]} what is drawn beside texts: pictures, backgrounds, and those made by styles alone
   */
  function paintings(view) {
    const elements = [...Reflect.apply(Document.prototype.querySelectorAll, view.document, ["body *"])];
    return elements.slice(0, MAX_ELEMENTS).flatMap((element) =>
      ["", "::before", "::after"].flatMap((pseudo) => {
        const style = view.getComputedStyle(element, pseudo);
        const isPicture = style.backgroundImage !== "none" || (!pseudo && PICTURES.has(element.localName));
        const color = isPicture ? null : colorOf(style.backgroundColor);
        if ((pseudo && style.content === "none") || (!isPicture && color?.[3] === 0)) return [];
        return [{ element, isAround: pseudo !== "", rect: rectOf(element), color }];
      }),
    );
  }

  return { outermost, within, isShut, isFrameHidden, isSeen, getter };
})();
