"use strict";

// Scrolling.

const scrolling = (() => {
  const { boxOf, comesTrue, documentOf, drawnAncestors, frameWithin, queryAll, windowOf } = dom;
  const { aimAt, bringIntoView, handleOf, hitAt } = geometry;

  /** A wheel event scrolls smoothly; in the background it may have no effect. */
  const WHEEL_MS = 300;
  const FRAME_MS = { front: 1_500, behind: 100 };

  /**
   * @typedef {object} Scroll in progress
   * @property {Element} scroller
   * @property {{left: number, top: number} | null} goal null if it is reached
   * @property {boolean} isInFront whether its tab is the one that its window shows
   * @property {Element} [element] the element to bring into view
   */

  /**
   * @param {Element} element
   * @param {ScrollGoal | undefined} to undefined for the element itself
   * @param {boolean} isInFront
   * @returns {{scroll: Scroll, wheel?: FoundElement["wheel"]}}
   */
  function beginScroll(element, to, isInFront) {
    const scroller = scrollerAround(element);
    if (to === undefined) {
      bringIntoView(handleOf(element), "center");
      return { scroll: { scroller, goal: null, isInFront, element } };
    }
    const goal = goalOf(scroller, to);
    const deltaX = goal.left - scroller.scrollLeft;
    const deltaY = goal.top - scroller.scrollTop;
    const { point } = aimAt(scroller, scroller);
    const hit = point && hitAt(point);
    const isTurned = hit && (deltaX !== 0 || deltaY !== 0) && scrollerAround(hit) === scroller;
    return { scroll: { scroller, goal, isInFront }, ...(isTurned && { wheel: { point, deltaX, deltaY } }) };
  }

  /**
   * Scrolls to the goal if the wheel has not reached it.
   *
   * @param {Scroll} scroll
   * @returns {Promise<Scrolled>}
   */
  async function finishScroll({ scroller, goal, isInFront, element }) {
    const isThere = () => !goal || (isNear(scroller.scrollTop, goal.top) && isNear(scroller.scrollLeft, goal.left));
    const isReached = await comesTrue(isThere, WHEEL_MS);
    if (goal && !isReached) scroller.scrollTo({ ...goal, behavior: "instant" });
    // By the next frame the page has dealt with it.
    await frameWithin(isInFront ? FRAME_MS.front : FRAME_MS.behind);
    const { scrollTop, scrollLeft, scrollHeight, scrollWidth, clientHeight, clientWidth } = scroller;
    return {
      top: Math.round(scrollTop),
      left: Math.round(scrollLeft),
      height: scrollHeight,
      width: scrollWidth,
      visible_height: clientHeight,
      visible_width: clientWidth,
      ...(element && !isInSight(handleOf(element)) && { isOut: true }),
    };
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether a part of it is where all that scrolls around it shows it
   */
  function isInSight(element) {
    const { x, y, width, height } = boxOf(element);
    const root = documentOf(element)?.scrollingElement;
    const around = [...drawnAncestors(element)].filter(
      (one) => one !== element && documentOf(one) === documentOf(element) && isScrollable(one),
    );
    return [...around, ...(root && !around.includes(root) ? [root] : [])].every((one) => {
      const sight = sightIn(one);
      const isBeside = x + width <= sight.x || x >= sight.x + sight.width;
      return !isBeside && y + height > sight.y && y < sight.y + sight.height;
    });
  }

  /**
   * @param {Element} scroller
   * @param {ScrollGoal} to
   */
  function goalOf({ scrollTop, scrollLeft, scrollHeight, scrollWidth, clientHeight, clientWidth }, to) {
    const end = { top: scrollHeight - clientHeight, left: scrollWidth - clientWidth };
    if (typeof to === "number") return { left: scrollLeft, top: Math.max(0, Math.min(end.top, scrollTop + to)) };
    if (to === "top" || to === "bottom") return { left: scrollLeft, top: to === "top" ? 0 : end.top };
    return { left: to === "left" ? 0 : end.left, top: scrollTop };
  }

  /**
   * @param {number} a
   * @param {number} b
   */
  function isNear(a, b) {
    return Math.abs(a - b) < 1;
  }

  /** @param {Element} element */
  function scrollerAround(element) {
    const around = [...drawnAncestors(element)].find(isScrollable);
    return around ?? documentOf(element)?.scrollingElement ?? element;
  }

  /** @returns {Element} the element that scrolls with the page: on some pages it is the largest box inside */
  function pageScroller() {
    const root = document.scrollingElement ?? document.documentElement;
    if (isScrollable(root)) return root;
    const area = (/** @type {Element} */ { clientWidth, clientHeight }) => clientWidth * clientHeight;
    const boxes = queryAll(document, "*").filter(isScrollable);
    return boxes.reduce((largest, box) => (area(box) > area(largest) ? box : largest), boxes[0] ?? root);
  }

  /**
   * Scrolls until a spot of an element is in view; for a large element its edges need not be.
   *
   * @param {Element} element
   * @param {Point} spot relative to its top left corner
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
   * @returns {number} distance to scroll until the place is in the middle; 0 if it is in view
   */
  function missing(place, start, length) {
    return place > start && place < start + length ? 0 : place - (start + length / 2);
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether a user can scroll it
   */
  function isScrollable(element) {
    const { scrollHeight, clientHeight, scrollWidth, clientWidth } = element;
    if (scrollHeight <= clientHeight && scrollWidth <= clientWidth) return false;
    const { scrollingElement, body, documentElement } = documentOf(element) ?? document;
    if (element === scrollingElement) return true;
    // Then it applies to the viewport.
    if (element === body && getComputedStyle(documentElement).overflow === "visible") return false;
    const { overflowX, overflowY } = getComputedStyle(element);
    return (
      (scrollHeight > clientHeight && ["auto", "scroll", "overlay"].includes(overflowY)) ||
      (scrollWidth > clientWidth && ["auto", "scroll", "overlay"].includes(overflowX))
    );
  }

  /**
   * @param {Element} scroller
   * @returns {Box} its visible part, in its frame's viewport
   */
  function sightIn(scroller) {
    const view = windowOf(/** @type {Document} */ (documentOf(scroller)));
    const { clientWidth: width, clientHeight: height, clientLeft, clientTop } = scroller;
    if (view && scroller === view.document.scrollingElement) return { x: 0, y: 0, width, height };
    const { x, y } = boxOf(scroller);
    return { x: x + clientLeft, y: y + clientTop, width, height };
  }

  return { beginScroll, finishScroll, pageScroller, showSpot };
})();
