"use strict";

// Where an element is drawn.

const geometry = (() => {
  const {
    boxOf,
    documentOf,
    elementAt,
    frameOf,
    holderOf,
    innerRootOf,
    isDocument,
    isDrawnIn,
    labelsOf,
    rootOf,
    windowOf,
  } = dom;

  const MAX_RECTS = 4;
  /** Where to hit a box, as fractions of its sides: the middle first. */
  const SPOTS = /** @type {const} */ ([
    [0.5, 0.5],
    [0.25, 0.5],
    [0.75, 0.5],
    [0.5, 0.25],
    [0.5, 0.75],
    [0.1, 0.1],
    [0.9, 0.1],
    [0.1, 0.9],
    [0.9, 0.9],
  ]);

  /** @param {{width: number, height: number}} box */
  function hasArea({ width, height }) {
    return width > 0 && height > 0;
  }

  /** @param {Element} element */
  function isRendered(element) {
    const options = { visibilityProperty: true };
    return Reflect.apply(Element.prototype.checkVisibility, element, [options]) || isBoxless(element);
  }

  /** @param {Element} element */
  function isBoxless(element) {
    return getComputedStyle(element).display === "contents";
  }

  /**
   * @param {Element} element
   * @returns {boolean}
   */
  function isVisible(element) {
    if (!isRendered(element) || !rectsOf(element).length) return false;
    const frame = frameOf(element);
    return !frame || isVisible(frame);
  }

  /**
   * @param {Element} element
   * @returns {DOMRect[]} a link over two lines has two
   */
  function rectsOf(element) {
    const own = [...Reflect.apply(Element.prototype.getClientRects, element, [])].filter(hasArea);
    // What has no box of its own, or an empty one, shows what is in it.
    if (own.length || getComputedStyle(element).overflow !== "visible") return own;
    const range = new Range();
    range.selectNodeContents(element);
    return [...range.getClientRects()].filter(hasArea);
  }

  /**
   * @param {Element} frame
   * @returns {{x: number, y: number, scaleX: number, scaleY: number}} where its page starts in the outer page
   */
  function insideOf(frame) {
    const { offsetWidth, offsetHeight, clientLeft, clientTop } = /** @type {HTMLElement} */ (frame);
    const { x, y, width, height } = boxOf(frame);
    const { paddingLeft, paddingTop } = getComputedStyle(frame);
    const scaleX = width / offsetWidth || 1;
    const scaleY = height / offsetHeight || 1;
    return {
      x: x + (clientLeft + parseFloat(paddingLeft)) * scaleX,
      y: y + (clientTop + parseFloat(paddingTop)) * scaleY,
      scaleX,
      scaleY,
    };
  }

  /**
   * @param {Box} box in the viewport of the element's frame
   * @param {Element} element
   * @param {{isClipped: boolean}} how whether to leave out what lies outside of a viewport
   * @returns {Box} in the viewport of the main frame
   */
  function inMainFrame({ x, y, width, height }, element, { isClipped }) {
    const view = windowOf(/** @type {Document} */ (documentOf(element)));
    if (isClipped && view) {
      const left = Math.max(0, x);
      const top = Math.max(0, y);
      width = Math.min(x + width, view.innerWidth) - left;
      height = Math.min(y + height, view.innerHeight) - top;
      x = left;
      y = top;
    }
    const frame = frameOf(element);
    if (!frame) return { x, y, width, height };
    const inside = insideOf(frame);
    const { scaleX, scaleY } = inside;
    const outer = {
      x: inside.x + x * scaleX,
      y: inside.y + y * scaleY,
      width: width * scaleX,
      height: height * scaleY,
    };
    return inMainFrame(outer, frame, { isClipped });
  }

  /**
   * @param {Point} point in the viewport of the main frame
   * @returns {Element | null} the innermost element there
   */
  function hitAt(point) {
    /** @type {Root} */
    let root = document;
    /** @type {Element | null} */
    let innermost = null;
    for (;;) {
      const element = elementAt(root, point);
      if (!element || element === innermost) return innermost;
      innermost = element;
      const inner = innerRootOf(element);
      if (!inner) return innermost;
      if (isDocument(inner)) {
        const { x, y, scaleX, scaleY } = insideOf(element);
        point = { x: (point.x - x) / scaleX, y: (point.y - y) / scaleY };
      }
      root = inner;
    }
  }

  /**
   * @param {Element} handle where to hit
   * @param {Element} element what to hit
   * @returns {{point: Point | null, cover: Element | null}} the cover is what is in the way
   */
  function aimAt(handle, element) {
    const rects = rectsOf(handle).slice(0, MAX_RECTS);
    const boxes = rects.map((rect) => inMainFrame(rect, handle, { isClipped: true })).filter(hasArea);
    /** @type {Element | null} */
    let cover = null;
    for (const [right, down] of SPOTS) {
      for (const { x, y, width, height } of boxes) {
        const point = { x: round(x + width * right), y: round(y + height * down) };
        const element_ = hitAt(point);
        if (element_ && isPartOf(element_, element)) return { point, cover: null };
        cover ??= element_;
      }
    }
    return { point: null, cover };
  }

  /**
   * @param {Element} inner
   * @param {Element} element
   * @returns {boolean} whether who clicks the one clicks the other
   */
  function isPartOf(inner, element) {
    if (isDrawnIn(element, inner) || labelsOf(element).some((label) => isDrawnIn(label, inner))) return true;
    // What stands in a shadow root is sometimes hit as its host.
    for (let root = rootOf(element), host = holderOf(root); host && !isDocument(root);) {
      if (host === inner) return true;
      root = rootOf(host);
      host = holderOf(root);
    }
    return false;
  }

  /**
   * Checkboxes are often hidden and a label drawn in their place.
   *
   * @param {Element} element
   */
  function handleOf(element) {
    return isVisible(element) ? element : (labelsOf(element).find(isVisible) ?? element);
  }

  /**
   * @param {Element} element
   * @returns {Box} in the document of the main frame
   */
  function outlineOf(element) {
    const boxes = rectsOf(element).map((rect) => inMainFrame(rect, element, { isClipped: false }));
    const x = Math.min(...boxes.map((box) => box.x));
    const y = Math.min(...boxes.map((box) => box.y));
    const width = Math.max(...boxes.map((box) => box.x + box.width)) - x;
    const height = Math.max(...boxes.map((box) => box.y + box.height)) - y;
    return { x: x + scrollX, y: y + scrollY, width, height };
  }

  /** @param {number} value */
  function round(value) {
    return Math.round(value * 100) / 100;
  }

  return { aimAt, handleOf, inMainFrame, isRendered, isVisible, outlineOf };
})();
