"use strict";

// What can be scrolled.

const scrolling = (() => {
  const { boxOf, documentOf, drawnAncestors, windowOf } = dom;

  /**
   * Scrolls until a spot of an element is in sight, which of a large one its edges need not be.
   *
   * @param {Element} element
   * @param {Point} spot from its top left corner
   */
  function showSpot(element, spot) {
    for (const scroller of drawnAncestors(element)) {
      if (documentOf(scroller) !== documentOf(element)) return;
      if (!isScrollable(scroller)) continue;
      const { x, y } = boxOf(element);
      const sight = sightIn(scroller);
      const left = missing(x + spot.x, sight.x, sight.width);
      const top = missing(y + spot.y, sight.y, sight.height);
      if (left || top) scroller.scrollBy({ left, top, behavior: "instant" });
    }
  }

  /**
   * @param {number} place
   * @param {number} start
   * @param {number} length
   * @returns {number} how far to scroll until the place is in the middle; 0 when it is in sight
   */
  function missing(place, start, length) {
    return place > start && place < start + length ? 0 : place - (start + length / 2);
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether a person can scroll it
   */
  function isScrollable(element) {
    const { scrollHeight, clientHeight, scrollWidth, clientWidth } = element;
    if (scrollHeight <= clientHeight && scrollWidth <= clientWidth) return false;
    if (element === documentOf(element)?.scrollingElement) return true;
    const { overflowX, overflowY } = getComputedStyle(element);
    return (
      (scrollHeight > clientHeight && ["auto", "scroll", "overlay"].includes(overflowY)) ||
      (scrollWidth > clientWidth && ["auto", "scroll", "overlay"].includes(overflowX))
    );
  }

  /**
   * @param {Element} scroller
   * @returns {Box} what is in sight of it, in the viewport of its frame
   */
  function sightIn(scroller) {
    const view = windowOf(/** @type {Document} */ (documentOf(scroller)));
    const { clientWidth: width, clientHeight: height, clientLeft, clientTop } = scroller;
    if (view && scroller === view.document.scrollingElement) return { x: 0, y: 0, width, height };
    const { x, y } = boxOf(scroller);
    return { x: x + clientLeft, y: y + clientTop, width, height };
  }

  return { isScrollable, showSpot };
})();
