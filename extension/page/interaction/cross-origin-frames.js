"use strict";

// Cross-origin frames, seen from the page around them. Only the extension can reach what is in them.

const crossOriginFrames = (() => {
  const { documentOf, innerRootOf, isCrossOrigin, isMatch, queryAll, windowOf } = dom;
  const { allRoots, crossOriginFramesIn } = search;
  const { focusedElement } = focusing;
  const { nameOf } = texts;
  const { boundsOf, hitAt, inDocument, isDrawn, isVisible, outOf, pinched, placeInMainFrame, round } = geometry;
  const { comeBy, selectorOf } = selectorGenerator;
  const { coverage, isSamePlace, moves, nextFrame } = actionability;

  /** Minimum size of a frame that is listed: smaller ones contain counters and buttons. */
  const LEAST_WIDTH = 100;
  const LEAST_HEIGHT = 50;
  /** Elements that show a document of their own, which receives the mouse instead of the elements here. */
  const HOLDERS = "iframe, frame, object, embed, fencedframe";
  /** In a path: a frame whose element gives no access to its window. */
  const UNKNOWN = -2;

  /**
   * @param {Element} element a frame
   * @param {Root[]} roots of the whole page
   * @returns {CrossOriginFrame}
   */
  function describeFrame(element, roots) {
    return { selector: selectorOf(element, roots), ...traitsOf(element) };
  }

  /**
   * @param {Element} element a frame
   * @returns {FrameTraits}
   */
  function traitsOf(element) {
    const frame = /** @type {HTMLIFrameElement} */ (element);
    const { paddingLeft, paddingRight, paddingTop, paddingBottom } = getComputedStyle(frame);
    return {
      path: pathOf(frame),
      src: frame.src,
      width: frame.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight),
      height: frame.clientHeight - parseFloat(paddingTop) - parseFloat(paddingBottom),
    };
  }

  /**
   * @param {HTMLIFrameElement} frame
   * @returns {number[]} the indexes of the frames on the path from the tab's main frame, each in its parent; -1 for one
   *   in a shadow root, which has no index; -2 for one whose window cannot be reached
   */
  function pathOf(frame) {
    let view = /** @type {Window} */ (windowOf(/** @type {Document} */ (documentOf(frame))));
    const path = [frame.contentWindow ? numberOf(frame.contentWindow, view) : UNKNOWN];
    for (; view.parent !== view; view = view.parent) path.unshift(numberOf(view, view.parent));
    return path;
  }

  /**
   * @param {Window} view
   * @param {Window} parent
   */
  function numberOf(view, parent) {
    return Array.from({ length: parent.length }, (_, index) => parent[index]).indexOf(view);
  }

  /**
   * @param {object} request
   * @param {string} request.way the selector that leads to this page; empty in the main frame
   * @param {number} [request.count] of the frames in this page. If its document has as many of other sites, no shadow root
   *   has any, and searching a large page for shadow roots takes longer than reading it
   * @returns {CrossOriginFrame[]} those that a user can see and read
   */
  function readableFrames({ way, count }) {
    comeBy(way);
    const isSimple = queryAll(document, "iframe, frame").filter(isCrossOrigin).length === count;
    const frames = crossOriginFramesIn(isSimple ? [document] : allRoots()).filter((frame) => {
      const { width, height } = traitsOf(frame);
      return width >= LEAST_WIDTH && height >= LEAST_HEIGHT && isDrawn(frame) && !isAside(frame);
    });
    const roots = frames.length > 0 ? allRoots() : [];
    return frames.map((frame) => describeFrame(frame, roots));
  }

  /**
   * @param {Element} frame
   * @returns {boolean} whether it is in a region that the page cannot scroll to
   */
  function isAside(frame) {
    const { x, y, width, height } = inDocument(placeInMainFrame(frame));
    return x + width <= 0 || y + height <= 0;
  }

  /**
   * Returns where something in a frame is drawn, once the frame has stopped moving.
   *
   * @param {{element: Element, place: Box}} frame with its position when it was found
   * @param {{point?: Point, box?: Box}} thing in the frame's viewport
   * @param {{signal: AbortSignal, isInFront: boolean}} how
   * @returns {Promise<PlacedOutside>} in the main frame's viewport
   */
  async function placeOutside({ element: frame, place }, { point, box }, how) {
    const refuse = (/** @type {string} */ trouble) => ({ trouble: `${nameOf(frame)} ${trouble}` });
    if (!isVisible(frame)) return refuse("is still not visible. Open what contains it, then try again.");
    if (await moves(frame, how)) return refuse("is still moving. Wait until the page is stable, then try again.");
    // The mouse goes where the browser has drawn the frame, which lags a frame or two behind.
    if (!isSamePlace(place, placeInMainFrame(frame))) for (let i = 0; i < 2; i += 1) await nextFrame(how);
    const matrix = outOf(frame);
    if (box) return { trouble: "", box: inDocument(boundsOf(box, matrix)) };
    const { x, y } = matrix.transformPoint(point);
    const spot = { x: round(x), y: round(y) };
    const hit = hitAt(spot);
    return hit === frame ? { trouble: "", point: spot, ...pinched() } : refuse(coverage(frame, hit));
  }

  /**
   * Finds the cross-origin frame that receives an input.
   *
   * @param {{point?: Point}} request with the mouse's point in this page's viewport; without it, the keyboard focus decides
   * @returns {{frame?: FrameTraits, point?: Point}} empty if this page receives it; the point is in the frame's
   *   viewport
   */
  function frameWithInput({ point }) {
    const element = point ? hitAt(point) : focusedElement();
    if (!element || !isHolder(element)) return {};
    if (!point) return { frame: traitsOf(element) };
    const { x, y } = outOf(element).inverse().transformPoint(point);
    return { frame: traitsOf(element), point: { x, y } };
  }

  /** @returns {Element[]} all cross-origin frames, including hidden ones */
  function holders() {
    return allRoots()
      .flatMap((root) => queryAll(root, HOLDERS))
      .filter(isHolder);
  }

  /** @param {Element} element */
  function isHolder(element) {
    return isMatch(element, HOLDERS) && !innerRootOf(element);
  }

  return { HOLDERS, describeFrame, frameWithInput, holders, isHolder, placeOutside, readableFrames, traitsOf };
})();
