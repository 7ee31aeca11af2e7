"use strict";

// Layers over the page: modal ones, which must be answered first, and those that only float above it.

const modals = (() => {
  const {
    boxOf,
    drawnAncestors,
    hasNodes,
    isDrawnIn,
    isMatch,
    outermost,
    queryAll,
    queryIn,
    textContentOf,
    treeAncestors,
  } = dom;
  const { handleOf, hitAt, isClippedAway, isPartOf, isPositioned, isVisible, placeInMainFrame } = geometry;
  const { layersWithInput } = actionability;
  const { CANDIDATES } = roles;
  const { focusedElement } = focusing;

  /** Points tested for a cover, as fractions of the viewport. */
  const SPOTS = [0.1, 0.5, 0.9];
  const COVERING = 0.9;
  /** Maximum number of elements tested for being covered. */
  const MOST_TRIED = 100;
  /** Maximum number of elements whose position is compared with a layer's. */
  const MOST_LOOKED_AT = 400;
  const POPUPS =
    ":popover-open, dialog[open]:not(:modal), " +
    "[role]:is([role=menu], [role=listbox]:not([aria-haspopup]), [role=dialog], [role=alertdialog], [role=tree], [role=grid])";
  const BOXES = "input:is([type='checkbox'], [type='radio'])";
  const DECLARED = ":popover-open, dialog[open]";
  const LAYERS = ":is(div, ul, ol, nav, section)";
  /** Number of ancestors searched for a floating one. */
  const STEPS = 4;
  /** Levels of elements that only hold layers. */
  const HOLLOW_STEPS = 2;
  /** A layer that takes a larger share of the viewport is part of the page. */
  const LARGE = 0.6;

  /**
   * @param {Root[]} roots of the whole page
   * @returns {Element[]} the only elements that accept input; empty if the whole page does
   */
  function openModals(roots) {
    const shown = (/** @type {string} */ selector) =>
      roots
        .flatMap((root) => queryAll(root, selector))
        .filter(isVisible)
        .slice(-1);
    const [inTopLayer] = shown("dialog:modal");
    const [declared] = inTopLayer ? [inTopLayer] : shown('[aria-modal="true"]:not([inert] *)');
    const around = declared && layersAbove(roots, [declared]);
    // A part of the page may declare itself modal, and block nothing.
    const isModal = () => around && (isOwnLayer(declared) || around.hidden >= around.reached.length);
    if (around && (inTopLayer || isModal())) return [declared, ...around.layers];
    const sole = outermost(layersWithInput(roots, POPUPS));
    if (sole.length) return sole;
    const layers = covers();
    if (!layers.length) return [];
    const above = layersAbove(roots, layers);
    // A layer that hides nothing is the page itself.
    return above.hidden ? [...layers, ...above.layers, ...above.reached] : [];
  }

  /**
   * Finds layers over the page that cover every tested point of it.
   *
   * @returns {Element[]}
   */
  function covers() {
    /** @type {Set<Element>} */
    const layers = new Set();
    for (const point of spots()) {
      const hit = hitAt(point);
      const layer = hit && layerOf(hit);
      if (!layer) return [];
      layers.add(layer);
    }
    return [...layers].some(isCover) ? [...layers] : [];
  }

  /** @returns {Point[]} points across the viewport */
  function spots() {
    return SPOTS.flatMap((right) => SPOTS.map((down) => ({ x: innerWidth * right, y: innerHeight * down })));
  }

  /**
   * @param {Element} dialog
   * @returns {boolean} whether it is out of the page's flow, without other elements to act on
   */
  function isOwnLayer(dialog) {
    const layer = [...drawnAncestors(dialog)].find(isPositioned);
    return layer !== undefined && queryIn(layer, CANDIDATES).every((one) => isDrawnIn(dialog, one));
  }

  /**
   * @param {Root[]} roots of the whole page
   * @param {Element[]} open
   * @returns {{layers: Element[], hidden: number, reached: Element[]}} layers that a press would reach, such as the options
   *   of a list in a dialog, the number of other elements that it would not reach, and those that it would, such as a
   *   field that is raised above the rest of the page
   */
  function layersAbove(roots, open) {
    const isInside = (/** @type {Element} */ one) => open.some((layer) => isDrawnIn(layer, one));
    const others = roots
      .flatMap((root) => queryAll(root, CANDIDATES))
      .map(drawnFor)
      .filter((one) => isInSight(one) && !isInside(one));
    /** @type {Set<Element>} */
    const layers = new Set();
    /** @type {Element[]} */
    const reached = [];
    let hidden = 0;
    for (const one of others.slice(0, MOST_TRIED)) {
      if (isInside(one) || [...layers].some((layer) => isDrawnIn(layer, one))) continue;
      const layer = isReached(one) ? layerOf(one) : undefined;
      if (layer && !open.some((modal) => isDrawnIn(layer, modal))) layers.add(layer);
      else if (isReached(one)) reached.push(one);
      else hidden += 1;
    }
    const isRelated = (/** @type {Element} */ one) =>
      [...open, ...layers].some((layer) => isDrawnIn(layer, one) || isDrawnIn(one, layer));
    return { layers: [...layers, ...textLayers().filter((one) => !isRelated(one))], hidden, reached };
  }

  /** @returns {Element[]} small layers of the body with nothing but texts, such as what a field suggests */
  function textLayers() {
    const all = document.body ? layersIn(document.body, HOLLOW_STEPS) : [];
    return all.filter((one) => isAbove(one) && isSmall(one) && isInSight(one) && isReached(one) && textContentOf(one));
  }

  /** @param {Element} element @returns {Element} for a box that is hidden, what the page draws in its place */
  function drawnFor(element) {
    return isMatch(element, BOXES) ? handleOf(element) : element;
  }

  /** @param {Element} element */
  function isInSight(element) {
    const { x, y, width, height } = placeInMainFrame(element);
    const middle = { x: x + width / 2, y: y + height / 2 };
    const isInside = middle.x > 0 && middle.y > 0 && middle.x < innerWidth && middle.y < innerHeight;
    return isInside && width > 0 && height > 0 && isVisible(element) && !isClippedAway(element);
  }

  /** @param {Element} element in the viewport */
  function isReached(element) {
    const { x, y, width, height } = placeInMainFrame(element);
    const hit = hitAt({ x: x + width / 2, y: y + height / 2 });
    return hit !== null && isPartOf(hit, element);
  }

  /**
   * @param {Element} element
   * @returns {Element | undefined} its outermost ancestor that is out of the page's flow, except the page itself
   */
  function layerOf(element) {
    return [...drawnAncestors(element)].findLast((one) => isPositioned(one) && !isMatch(one, "html, body"));
  }

  /**
   * @param {Element} layer
   * @returns {boolean} whether it fills the viewport: a fixed one, or an empty one that a script has placed there, but not
   *   to draw on it, as a terminal or a map does
   */
  function isCover(layer) {
    const { width, height } = boxOf(layer);
    const isWide = width >= COVERING * innerWidth && height >= COVERING * innerHeight;
    const isBlank = !hasNodes(layer) && !isMatch(layer, "canvas");
    return isWide && (isBlank || getComputedStyle(layer).position === "fixed");
  }

  /**
   * @param {Root[]} roots of the whole page
   * @returns {Element[]} the outermost menus, lists and dialogs that float above the page
   */
  function openPopups(roots) {
    const declared = roots.flatMap((root) => queryAll(root, POPUPS)).filter(isInSight);
    const isOther = (/** @type {Element} */ layer) => isInSight(layer) && !declared.some((one) => fills(one, layer));
    const others = [...looseLayers(), ...panels(roots)].filter(isOther);
    const found = [...new Set([...declared, ...others])].filter((one) => isSmall(one) && floats(one));
    const reached = found.filter(
      (one) =>
        isReached(one) ||
        queryIn(one, CANDIDATES)
          .map(drawnFor)
          .some((part) => isInSight(part) && isReached(part)),
    );
    return outermost(reached);
  }

  /**
   * @param {Element} popup
   * @param {Element} layer
   * @returns {boolean} whether the popup is in the layer, and so is all that can be acted on there in the popup
   */
  function fills(popup, layer) {
    return isDrawnIn(layer, popup) && queryIn(layer, CANDIDATES).every((one) => isDrawnIn(popup, one));
  }

  /**
   * @param {Root[]} roots of the whole page
   * @returns {Element[]} layers that hide interactive parts of the page, and have some of their own: large ones, and the
   *   one that the user works with
   */
  function panels(roots) {
    /** @type {Set<Element>} */
    const layers = new Set();
    for (const hit of [...spots().map((point) => hitAt(point)), focusedElement()]) {
      const layer = hit && panelOf(hit);
      if (layer) layers.add(layer);
    }
    const isPanel = (/** @type {Element} */ layer) => queryIn(layer, CANDIDATES).length > 1 && !isHeader(layer);
    return [...layers].filter((layer) => isPanel(layer) && hidesOthers(layer, roots));
  }

  /**
   * @param {Element} layer
   * @returns {boolean} whether it is a bar along the top of the window, below which the page scrolls
   */
  function isHeader(layer) {
    const { x, y, width } = boxOf(layer);
    return x <= 0 && y <= 0 && width >= COVERING * innerWidth;
  }

  /**
   * @param {Element} hit
   * @returns {Element | undefined} the outermost part around it that is drawn above the page and has a size
   */
  function panelOf(hit) {
    const path = [...drawnAncestors(hit)];
    const ground = path.findLastIndex((one) => isAbove(one));
    return path.slice(0, ground + 1).findLast((one) => isPositioned(one) && hasSize(one) && isSmall(one));
  }

  /** @param {Element} element */
  function hasSize(element) {
    const { width, height } = boxOf(element);
    return width > 0 && height > 0;
  }

  /** @param {Element} element */
  function isAbove(element) {
    return isPositioned(element) && Number(getComputedStyle(element).zIndex) > 0;
  }

  /**
   * @param {Element} layer
   * @param {Root[]} roots
   * @returns {boolean} whether something elsewhere on the page is below it: elements next to it, such as slides,
   *   alternate with it
   */
  function hidesOthers(layer, roots) {
    const box = boxOf(layer);
    const around = [...drawnAncestors(layer)].find((one) => !isSmall(one));
    const isBelow = (/** @type {Element} */ one) => {
      const { x, y, width, height } = boxOf(one);
      const [right, down] = [x + width / 2, y + height / 2];
      return right > box.left && right < box.right && down > box.top && down < box.bottom;
    };
    const others = roots.flatMap((root) => queryAll(root, CANDIDATES)).slice(0, MOST_LOOKED_AT);
    const below = others.filter((one) => isBelow(one) && !isDrawnIn(layer, one) && !isDrawnIn(one, layer));
    return below.slice(0, MOST_TRIED).some((one) => !isNextTo(one, layer, around) && isInSight(one) && !isReached(one));
  }

  /**
   * @param {Element} one
   * @param {Element} layer
   * @param {Element | undefined} around the innermost large part of the page that contains the layer
   * @returns {boolean} whether both are in a smaller part
   */
  function isNextTo(one, layer, around) {
    // What is in an element without a size is positioned elsewhere.
    const common = [...drawnAncestors(one)].find((outer) => isDrawnIn(outer, layer) && hasSize(outer));
    return common !== undefined && around !== undefined && common !== around && isDrawnIn(around, common);
  }

  /**
   * @returns {Element[]} children of the body, or of hollow ones, that are drawn over the page and have elements to act
   *   on, such as tours
   */
  function looseLayers() {
    const all = document.body ? layersIn(document.body, HOLLOW_STEPS) : [];
    return all.filter((layer) => isLoose(layer) && queryIn(layer, CANDIDATES).length > 1);
  }

  /**
   * @param {Element} outer
   * @param {number} steps to climb down
   * @returns {Element[]} layers in it that have a size and take the mouse
   */
  function layersIn(outer, steps) {
    const all = queryIn(outer, `:scope > ${LAYERS}`);
    return all.flatMap((one) => (steps && isHollow(one) ? layersIn(one, steps - 1) : [one]));
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it only holds layers: it has no size, or lets the mouse through
   */
  function isHollow(element) {
    return !hasSize(element) || getComputedStyle(element).pointerEvents === "none";
  }

  /**
   * @param {Element} layer
   * @returns {boolean} whether it is away from the edges of the viewport, where headers and side bars are
   */
  function isLoose(layer) {
    const { x, y, width, height } = boxOf(layer);
    return x > 0 && y > 0 && x + width < innerWidth && y + height < innerHeight;
  }

  /** @param {Element} element */
  function isSmall(element) {
    const { width, height } = boxOf(element);
    return width * height < LARGE * innerWidth * innerHeight;
  }

  /** @param {Element} element */
  function floats(element) {
    if (isMatch(element, DECLARED)) return true;
    for (const one of treeAncestors(element, STEPS)) {
      if (!isSmall(one) && !isHollow(one)) return false;
      if (isAbove(one)) return true;
    }
    return false;
  }

  return { openModals, openPopups };
})();
