"use strict";

// What lies open over the page and has to be answered first.

const modals = (() => {
  const { boxOf, drawnAncestors, queryAll } = dom;
  const { hitAt, isVisible } = geometry;

  /** Where a cover is felt for, as fractions of the viewport. */
  const SPOTS = [0.1, 0.5, 0.9];
  const COVERING = 0.9;

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
    if (inTopLayer) return [inTopLayer];
    const [said] = shown('[aria-modal="true"]:not([inert] *)');
    return said ? [said] : covers();
  }

  /**
   * What is hit wherever the page is touched, when that is fixed over it.
   *
   * @returns {Element[]}
   */
  function covers() {
    const points = SPOTS.flatMap((right) => SPOTS.map((down) => ({ x: innerWidth * right, y: innerHeight * down })));
    /** @type {Set<Element>} */
    const layers = new Set();
    for (const point of points) {
      const hit = hitAt(point);
      const layer = hit && layerOf(hit);
      if (!layer) return [];
      layers.add(layer);
    }
    return [...layers].some(isCover) ? [...layers] : [];
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

  return { openModals };
})();
