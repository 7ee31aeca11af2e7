"use strict";

// What lies open over the page: what has to be answered first, and what only floats above it.

const modals = (() => {
  const { boxOf, drawnAncestors, isDrawnIn, isMatch, parentElementOf, queryAll, queryIn } = dom;
  const { hitAt, isPartOf, isVisible, placeInMainFrame } = geometry;
  const { layersWithInput } = actionability;
  const { CANDIDATES } = aria;

  /** Where a cover is felt for, as fractions of the viewport. */
  const SPOTS = [0.1, 0.5, 0.9];
  const COVERING = 0.9;
  /** Elements that are pressed in thought to find out what is below a cover. */
  const MOST_TRIED = 100;
  /** Elements whose place is compared with that of a layer. */
  const MOST_LOOKED_AT = 400;
  const POPUPS =
    ":popover-open, dialog[open]:not(:modal), " +
    ":is([role=menu], [role=listbox], [role=dialog], [role=alertdialog], [role=tree], [role=grid])";
  const DECLARED = ":popover-open, dialog[open]";
  /** Ancestors among which the one that floats is looked for. */
  const STEPS = 4;
  /** A larger part of the viewport is a part of the page. */
  const LARGE = 0.6;

  /**
   * @param {Root[]} roots all of the page
   * @returns {Element[]} what alone can be acted on; empty when all of the page can
   */
  function openModals(roots) {
    const shown = (/** @type {string} */ selector) =>
      roots
        .flatMap((root) => queryAll(root, selector))
        .filter(isVisible)
        .slice(-1);
    const [inTopLayer] = shown("dialog:modal");
    const [declared] = inTopLayer ? [inTopLayer] : shown('[aria-modal="true"]:not([inert] *)');
    if (declared) return [declared, ...layersAbove(roots, [declared]).layers];
    const sole = outermost(layersWithInput(roots, POPUPS));
    if (sole.length) return sole;
    const layers = covers();
    if (!layers.length) return [];
    const above = layersAbove(roots, layers);
    // What hides nothing is the page itself.
    return above.hasHidden ? [...layers, ...above.layers] : [];
  }

  /**
   * What is hit wherever the page is touched, when that is fixed over it.
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

  /** @returns {Point[]} over all of the viewport */
  function spots() {
    return SPOTS.flatMap((right) => SPOTS.map((down) => ({ x: innerWidth * right, y: innerHeight * down })));
  }

  /**
   * @param {Root[]} roots all of the page
   * @param {Element[]} open
   * @returns {{layers: Element[], hasHidden: boolean}} what else of the page a press would reach, such as the options of
   *   a list in a dialog, and whether one would not
   */
  function layersAbove(roots, open) {
    const isInside = (/** @type {Element} */ one) => open.some((layer) => isDrawnIn(layer, one));
    const others = roots
      .flatMap((root) => queryAll(root, CANDIDATES))
      .filter((one) => isInSight(one) && !isInside(one));
    /** @type {Set<Element>} */
    const layers = new Set();
    let hasHidden = false;
    for (const one of others.slice(0, MOST_TRIED)) {
      if (isInside(one) || [...layers].some((layer) => isDrawnIn(layer, one))) continue;
      const layer = isReached(one) ? layerOf(one) : undefined;
      if (!layer || open.some((modal) => isDrawnIn(layer, modal))) hasHidden ||= !isReached(one);
      else layers.add(layer);
    }
    return { layers: [...layers], hasHidden };
  }

  /** @param {Element} element */
  function isInSight(element) {
    const { x, y, width, height } = placeInMainFrame(element);
    const middle = { x: x + width / 2, y: y + height / 2 };
    const isInside = middle.x > 0 && middle.y > 0 && middle.x < innerWidth && middle.y < innerHeight;
    return isInside && width > 0 && height > 0 && isVisible(element);
  }

  /** @param {Element} element in sight */
  function isReached(element) {
    const { x, y, width, height } = placeInMainFrame(element);
    const hit = hitAt({ x: x + width / 2, y: y + height / 2 });
    return hit !== null && isPartOf(hit, element);
  }

  /**
   * @param {Element} element
   * @returns {Element | undefined} the outermost one around it that is taken out of the page
   */
  function layerOf(element) {
    return [...drawnAncestors(element)].findLast((one) =>
      ["fixed", "absolute"].includes(getComputedStyle(one).position),
    );
  }

  /** @param {Element} layer */
  function isCover(layer) {
    const { width, height } = boxOf(layer);
    const isWide = width >= COVERING * innerWidth && height >= COVERING * innerHeight;
    return isWide && getComputedStyle(layer).position === "fixed";
  }

  /**
   * @param {Root[]} roots all of the page
   * @returns {Element[]} the menus, lists and dialogs that float above the page, the outermost ones
   */
  function openPopups(roots) {
    const declared = roots.flatMap((root) => queryAll(root, POPUPS));
    const found = [...new Set([...declared, ...looseLayers(), ...panels(roots)])].filter(
      (one) => isInSight(one) && isSmall(one) && floats(one),
    );
    const reached = found.filter(
      (one) => isReached(one) || queryIn(one, CANDIDATES).some((part) => isInSight(part) && isReached(part)),
    );
    return outermost(reached);
  }

  /**
   * @param {Element[]} layers
   * @returns {Element[]} without those in others
   */
  function outermost(layers) {
    return layers.filter((one) => !layers.some((other) => other !== one && isDrawnIn(other, one)));
  }

  /**
   * @param {Root[]} roots all of the page
   * @returns {Element[]} what hides other parts of the page that can be acted on, and holds such itself
   */
  function panels(roots) {
    /** @type {Set<Element>} */
    const layers = new Set();
    for (const point of spots()) {
      const hit = hitAt(point);
      const layer = hit && panelOf(hit);
      if (layer) layers.add(layer);
    }
    return [...layers].filter((layer) => queryIn(layer, CANDIDATES).length > 1 && hidesOthers(layer, roots));
  }

  /**
   * @param {Element} hit
   * @returns {Element | undefined} the outermost part around it of what is drawn above the page that has a size
   */
  function panelOf(hit) {
    const path = [...drawnAncestors(hit)];
    const ground = path.findLastIndex((one) => isAbove(one));
    return path.slice(0, ground + 1).findLast((one) => isRaised(one) && boxOf(one).width > 0 && isSmall(one));
  }

  /** @param {Element} element */
  function isRaised(element) {
    return ["fixed", "absolute"].includes(getComputedStyle(element).position);
  }

  /** @param {Element} element */
  function isAbove(element) {
    return isRaised(element) && Number(getComputedStyle(element).zIndex) > 0;
  }

  /**
   * @param {Element} layer
   * @param {Root[]} roots
   * @returns {boolean} whether something elsewhere on the page lies below it: what is next to it takes turns with it
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
   * @param {Element | undefined} around the innermost large part of the page that the layer is in
   * @returns {boolean} whether both are in a smaller part
   */
  function isNextTo(one, layer, around) {
    const common = [...drawnAncestors(one)].find((outer) => isDrawnIn(outer, layer));
    return common !== undefined && around !== undefined && common !== around && isDrawnIn(around, common);
  }

  /** @returns {Element[]} children of the body that are drawn over it and hold something to act on, such as tours */
  function looseLayers() {
    const all = document.body ? queryIn(document.body, ":scope > div") : [];
    return all.filter((layer) => isLoose(layer) && queryIn(layer, CANDIDATES).length > 1);
  }

  /**
   * @param {Element} layer
   * @returns {boolean} whether it lies apart from the edges of the viewport, where headers and side bars are
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
    let one = /** @type {Element | null} */ (element);
    for (let step = 0; one && step < STEPS && isSmall(one); step += 1) {
      const { position, zIndex } = getComputedStyle(one);
      if ((position === "fixed" || position === "absolute") && Number(zIndex) > 0) return true;
      one = parentElementOf(one);
    }
    return false;
  }

  return { openModals, openPopups };
})();
