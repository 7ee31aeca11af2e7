"use strict";

// Elements that are visible without any words: drawings and their shapes, and boxes.

const itemLooks = (() => {
  const { attributeOf, boxOf, childNodesOf, dataOf, drawnAncestors, isElement, isText, queryIn, tagOf } = dom;
  const { fillsView } = geometry;
  const { isDrawnForField } = fieldFrames;

  const BOXES = new Set("div i li p span td".split(" "));
  const SHAPES = "circle, ellipse, rect, polygon, polyline, line, path, text, image";
  const SHAPE_TAGS = new Set(SHAPES.split(", "));
  /** Smaller graphics are icons, those with more shapes are images. */
  const GRAPHIC = { side: 48, shapes: 60, paths: 12 };
  const LEAST_SIDE = 8;
  const BORDER = 4;
  /** Minimum side of an empty area that may listen to the mouse. */
  const LEAST_FIELD = 40;

  /**
   * @param {Element} graphic
   * @returns {boolean} whether it is large and has few shapes: others are icons, charts and maps
   */
  function isDrawing(graphic) {
    if (attributeOf(graphic, "aria-hidden") === "true") return false;
    const { width, height } = boxOf(graphic);
    const shapes = queryIn(graphic, SHAPES);
    // An illustration consists of many paths, which mean nothing on their own.
    const isDrawn = shapes.length > GRAPHIC.paths && shapes.every((one) => tagOf(one) === "path");
    return Math.max(width, height) >= GRAPHIC.side && shapes.length <= GRAPHIC.shapes && !isDrawn;
  }

  /**
   * @param {Element} element
   * @param {string} tag
   * @returns {boolean} whether it is visible without any words
   */
  function isBox(element, tag) {
    if (!BOXES.has(tag) || !isEmpty(element)) return false;
    const { width, height } = boxOf(element);
    if (fillsView(element) || Math.min(width, height) < LEAST_SIDE) return false;
    const { backgroundColor, backgroundImage, borderTopWidth, content, cursor } = getComputedStyle(element);
    const isPlain = backgroundColor === "rgba(0, 0, 0, 0)" && backgroundImage === "none" && content === "normal";
    const isField = Math.min(width, height) >= LEAST_FIELD && attributeOf(element, "id") !== null;
    // The lines of a table are not the cells' own.
    const isFramed = borderTopWidth !== "0px" && tag !== "td";
    if ((isPlain && !isFramed && !isField) || isOverlay(element)) return false;
    return cursor.endsWith("resize") || !isDrawnForField(element);
  }

  /**
   * @param {Element} box
   * @returns {boolean} whether it is the background or the border of the element around it
   */
  function isOverlay(box) {
    const { pointerEvents, position } = getComputedStyle(box);
    if (pointerEvents !== "none" || position !== "absolute") return false;
    const [, around = box] = drawnAncestors(box);
    const [own, outer] = [boxOf(box), boxOf(around)];
    return Math.abs(own.width - outer.width) <= BORDER && Math.abs(own.height - outer.height) <= BORDER;
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it contains nothing but white space and comments
   */
  function isEmpty(element) {
    for (const node of childNodesOf(element)) {
      if (isElement(node) || (isText(node) && /\S/u.test(dataOf(node)))) return false;
    }
    return true;
  }

  return { SHAPE_TAGS, isBox, isDrawing };
})();
