"use strict";

// Where an element of the list is drawn: its box, what clips it, and the order of rows and cells.

const itemPlaces = (() => {
  const { attributeOf, boxOf, documentOf, isElement, tagOf } = dom;
  const { boxedAround, handleOf, isOffPage, isVisible, outlineOf, placeInMainFrame } = geometry;

  /** A draggable element of this size is more likely a surface to drag on. */
  const SHEET_SIDE = 200;
  const LEAST_SIDE = 8;

  /**
   * @param {Element} element
   * @param {DOMRect} box
   */
  function hasPlace(element, { width, height }) {
    if (tagOf(element) === "g") return width > 0 && height > 0;
    return (width > 0 && height > 0) || isVisible(element);
  }

  /**
   * Determines whether an element is out of sight, or clips its content.
   *
   * @param {Element} element
   * @param {Surroundings} within updated
   * @param {{width: number, height: number}} sight
   */
  function measure(element, within, sight) {
    // What is shut adds nothing out of sight either.
    if ((within.isFar && !within.isCutting) || within.clip || documentOf(element) !== document) return;
    const box = boxOf(element);
    if (box.width === 0 || box.height === 0) within.clip = clipOf(element, box);
    else within.isFar ||= !meets(box, sight);
  }

  /**
   * @param {Element} element without a size
   * @param {{width: number, height: number}} box
   * @returns {Surroundings["clip"]}
   */
  function clipOf(element, { width, height }) {
    const { display, overflowX, overflowY, position, transform } = getComputedStyle(element);
    // The overflow of the root and of the body applies to the viewport.
    if (display === "contents" || element === document.body || element === document.documentElement) return "";
    const isCut = (width === 0 && overflowX !== "visible") || (height === 0 && overflowY !== "visible");
    if (!isCut) return "";
    return position === "static" && transform === "none" ? "in flow" : "positioned";
  }

  /**
   * @param {Element} element
   * @param {Surroundings["clip"]} clip around it
   * @returns {boolean} whether its containing block is further out
   */
  function isUnclipped(element, clip) {
    const { position } = getComputedStyle(element);
    return position === "fixed" || (position === "absolute" && clip === "in flow");
  }

  /**
   * @param {Element} element
   * @param {DOMRect} box
   * @returns {Box} where it, or what represents it, is drawn
   */
  function placeOf(element, box) {
    const own = documentOf(element) === document ? box : placeInMainFrame(element);
    const isHidden = (own.width === 0 && own.height === 0) || isOffPage(element);
    if (!isHidden) return own;
    const handle = handleOf(element);
    // Such as a link around an image that floats.
    return isVisible(handle) ? outlineOf(handle) : placeInMainFrame(boxedAround(handle));
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
   * @param {CSSStyleDeclaration} style
   */
  function isScrollable(element, { overflowX, overflowY }) {
    // Querying styles is cheaper than querying sizes.
    const isScrolled = (/** @type {string} */ overflow) => overflow === "auto" || overflow === "scroll";
    if (!isScrolled(overflowX) && !isScrolled(overflowY)) return false;
    const { scrollHeight, clientHeight, scrollWidth, clientWidth } = /** @type {HTMLElement} */ (element);
    const isTall = isScrolled(overflowY) && clientHeight > 0 && scrollHeight > clientHeight + LEAST_SIDE;
    const isWide = isScrolled(overflowX) && clientWidth > 0 && scrollWidth > clientWidth + LEAST_SIDE;
    return isTall || isWide;
  }

  /**
   * @param {Element} element
   * @param {CSSStyleDeclaration} style
   * @returns {boolean} whether its texts are for screen readers: too small to read
   */
  function isOnlySpoken(element, { overflow, clipPath }) {
    if (overflow === "visible" && clipPath === "none") return false;
    const { width, height } = boxOf(element);
    return width <= 1 && height <= 1;
  }

  /**
   * @param {CSSStyleDeclaration} style
   * @returns {boolean} whether it is a layer that neither the user sees nor the mouse reaches
   */
  function isFadedOut(style) {
    const isLayer = style.position === "absolute" || style.position === "fixed";
    return isLayer && style.opacity === "0" && style.pointerEvents === "none";
  }

  /** @param {Item} item */
  function isSheet({ role, element }) {
    const { width, height } = boxOf(element);
    return role === "draggable" && Math.min(width, height) >= SHEET_SIDE;
  }

  /**
   * @param {Iterable<Node>} nodes in DOM order
   * @returns {Iterable<Node>} rows and cells in visual order: grids that render only some of their rows position them
   *   freely
   */
  function inGridOrder(nodes) {
    const all = [...nodes].filter(isElement);
    const [first] = all;
    if (!first) return nodes;
    const role = attributeOf(first, "role");
    if (role !== "row" && !role?.endsWith("cell") && role !== "columnheader") return nodes;
    const name = role === "row" ? "aria-rowindex" : "aria-colindex";
    const isNumbered = all.every((one) => Number(attributeOf(one, name)) > 0);
    const isPlaced = getComputedStyle(first).position === "absolute";
    if (!isNumbered && !isPlaced) return nodes;
    const side = role === "row" ? "y" : "x";
    const orderOf = (/** @type {Element} */ one) => (isNumbered ? Number(attributeOf(one, name)) : boxOf(one)[side]);
    return all
      .map((one) => ({ one, order: orderOf(one) }))
      .sort((a, b) => a.order - b.order)
      .map(({ one }) => one);
  }

  /**
   * @param {Element} inner
   * @param {Element} outer
   * @returns {boolean} whether a press on the middle of the outer one is in the inner one
   */
  function coversMiddle(inner, outer) {
    const { x, y, width, height } = boxOf(outer);
    const { left, right, top, bottom } = boxOf(inner);
    const [across, down] = [x + width / 2, y + height / 2];
    return left < across && across < right && top < down && down < bottom;
  }

  return {
    coversMiddle,
    hasPlace,
    inGridOrder,
    isFadedOut,
    isOnlySpoken,
    isScrollable,
    isSheet,
    isUnclipped,
    measure,
    meets,
    placeOf,
  };
})();
