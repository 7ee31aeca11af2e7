"use strict";

// Where an element is drawn. In a cross-origin frame, that frame counts as the main frame: the worker asks the pages
// around it.

const geometry = (() => {
  const {
    attributeOf,
    boxOf,
    childNodesOf,
    childrenOf,
    closestOf,
    controlOf,
    documentOf,
    drawnAncestors,
    elementAt,
    frameOf,
    hasIn,
    holderOf,
    innerRootOf,
    isControl,
    isDocument,
    isDrawnIn,
    isElement,
    isMatch,
    isText,
    kindOf,
    labelsOf,
    mappedImageOf,
    parentElementOf,
    queryAll,
    queryIn,
    rootOf,
    scrollTo,
    tagOf,
    textContentOf,
    treeAncestors,
    windowOf,
  } = dom;

  const { editorAround } = drawnEditors;

  const MAX_RECTS = 4;
  /** How far a hidden check box may lie from its mark: many styles for hiding it have a margin of -1 px. */
  const HIDDEN_MARGIN = 1.5;
  /** Levels to climb from an invisible field to the box that shows its value. */
  const BOX_LEVELS = 4;
  /** A web component that leaves the focus to an element in it. */
  const UNFOCUSED = ":is([role=checkbox], [role=radio], [role=switch]):not([tabindex])";
  /** Conditions for `isRendered`. */
  const SEEN = { visibilityProperty: true };
  const DRAWN = { ...SEEN, opacityProperty: true };
  const FIELDS = ":is(input:not([type=hidden]), select, textarea):not([aria-hidden=true])";
  const CHECKED = "[type=checkbox], [type=radio], button:is([role=checkbox], [role=radio], [role=switch])";
  /** Values of `clip` and `clip-path` that leave nothing. */
  const CLIPPED = /^(?:rect\(([01]px)(?:,? \1){3}\)|inset\((?:50|100)%\))$/u;
  const BUTTONS = "a, button, [role='button'], [role='option']";
  /** Elements with a picture, or a page, instead of children. */
  const PICTURES = "img, svg, svg *, video, canvas, iframe, object, embed";
  /** Items that may contain further ones. */
  const ITEMS = "li, [role='treeitem'], [role^='menuitem']";
  const NODES = "[role='treeitem']";
  const TICKS = "[role='checkbox'], [type='checkbox']";
  const TAKERS = `a[href], button, [role='button'], [tabindex], ${FIELDS}`;
  /** Pixels that a finger needs: a larger element is not there only to make another one easier to hit. */
  const TOUCH_PX = 48;
  /** An element this many pixels to the left of the page is hidden there. */
  const FAR = 1_000;
  const TRANSPARENT = "rgba(0, 0, 0, 0)";
  /** Height of the thumb of a native slider. */
  const THUMB_PX = 16;
  /** Where to hit a box, as fractions of its width and height: the middle first. */
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
  /**
   * Distance from these places, less in a narrow box: some pages take a press in the very middle for one by a screen
   * reader, and start a drag by keyboard.
   */
  const ASIDE_PX = 1;
  const MOST_ASIDE = 1 / 16;
  /** Share of the viewport's sides from which an element is as large as it. */
  const MOST_OF_VIEW = 0.95;
  /** Shadows and outlines of what is in a row may be beyond it, too. */
  const LAYER_GAP = 8;

  /** @param {{width: number, height: number}} box */
  function hasArea({ width, height }) {
    return width > 0 && height > 0;
  }

  /**
   * @param {Element} element
   * @param {CheckVisibilityOptions} [options]
   * @returns {boolean} whether it or its content can be drawn
   */
  function isRendered(element, options = {}) {
    // The browser's own check covers what is in it only: a part that the search in the page would open has a box.
    if (Reflect.apply(Element.prototype.checkVisibility, element, [options])) {
      return attributeOf(element, "hidden") !== "until-found";
    }
    const image = mappedImageOf(element);
    if (image) return isRendered(image, options);
    return isBoxless(element) && !(options.visibilityProperty && getComputedStyle(element).visibility !== "visible");
  }

  /** @param {Element} element @returns {boolean} whether it is rendered, and neither hidden nor transparent */
  function isDrawn(element) {
    return isRendered(element, DRAWN);
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
    if (!isRendered(element, SEEN) || !rectsOf(element).length) return false;
    const frame = frameOf(element);
    return !frame || isVisible(frame);
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it is there for screen readers or forms only
   */
  function isClippedAway(element) {
    const { width, height } = boxOf(element);
    if (width <= 1 && height <= 1) return true;
    const { clip, clipPath, position } = getComputedStyle(element);
    return (position === "absolute" && CLIPPED.test(clip)) || CLIPPED.test(clipPath);
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it lies far to the left of the page, where nothing can be scrolled into view
   */
  function isOffPage(element) {
    return boxOf(element).right < -FAR;
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether the page keeps it where users never see it, such as a field that only takes keys
   */
  function isVisuallyHidden(element) {
    return isOffPage(element) || isClippedAway(element);
  }

  /**
   * @param {Element} element
   * @returns {DOMRect[]} a link on two lines has two
   */
  function rectsOf(element) {
    if (mappedImageOf(element)) return [boxOf(element)].filter(hasArea);
    const all = [...Reflect.apply(Element.prototype.getClientRects, element, [])];
    const own = all.filter(hasArea);
    if (!own.length && kindOf(element) === "range") return all.map(withThumb).filter(hasArea);
    // An element without a box, or with an empty one, shows its content.
    if (own.length || getComputedStyle(element).overflow !== "visible") return own;
    return [...childNodesOf(element)].flatMap((node) => (isElement(node) ? rectsOf(node) : rectsOfText(node)));
  }

  /**
   * @param {DOMRect} line of a slider without a height of its own
   * @returns {DOMRect} with the thumb, which is drawn over its middle
   */
  function withThumb({ x, y, width, height }) {
    return new DOMRect(x, y - (THUMB_PX - height) / 2, width, THUMB_PX);
  }

  /** @param {Node} text */
  function rectsOfText(text) {
    const range = new Range();
    range.selectNodeContents(text);
    return [...range.getClientRects()].filter(hasArea);
  }

  /**
   * The API reports only the bounding box of a transformed element; its transform is in the styles around it.
   *
   * @param {Element} frame
   * @returns {DOMMatrix} from the viewport of its page to the one that contains the frame
   */
  function placeOf(frame) {
    const { offsetWidth, offsetHeight, clientLeft, clientTop } = /** @type {HTMLElement} */ (frame);
    const { paddingLeft, paddingTop } = getComputedStyle(frame);
    const turn = turnOf(frame);
    const turned = boundsOf({ x: 0, y: 0, width: offsetWidth, height: offsetHeight }, turn);
    const drawn = boxOf(frame);
    return new DOMMatrix()
      .translate(drawn.x, drawn.y)
      .scale(drawn.width / turned.width || 1, drawn.height / turned.height || 1)
      .translate(-turned.x, -turned.y)
      .multiply(turn)
      .translate(clientLeft + parseFloat(paddingLeft), clientTop + parseFloat(paddingTop));
  }

  /**
   * @param {Element} element
   * @returns {DOMMatrix} its transform in its page, without the position
   */
  function turnOf(element) {
    let turn = new DOMMatrix();
    for (const ancestor of drawnAncestors(element)) {
      if (documentOf(ancestor) !== documentOf(element)) break;
      const { rotate, scale, transform } = getComputedStyle(ancestor);
      const steps = [
        /^[-\d.]+deg$/u.test(rotate) && `rotate(${rotate})`,
        scale !== "none" && `scale(${scale.split(" ", 2).join()})`,
        transform !== "none" && transform,
      ];
      turn = new DOMMatrix(steps.filter(Boolean).join(" ")).multiply(turn);
    }
    const { a, b, c, d } = turn;
    return new DOMMatrix([a, b, c, d, 0, 0]);
  }

  /**
   * @param {Box} box
   * @param {DOMMatrix} matrix
   * @returns {Box} the bounding box of the transformed box
   */
  function boundsOf({ x, y, width, height }, matrix) {
    const corners = [
      [x, y],
      [x + width, y],
      [x + width, y + height],
      [x, y + height],
    ];
    return new DOMQuad(
      ...corners.map(([left, top]) => matrix.transformPoint({ x: left ?? 0, y: top ?? 0 })),
    ).getBounds();
  }

  /**
   * @param {Element} element
   * @returns {DOMMatrix} from the viewport of its frame to that of the main frame
   */
  function toMainFrame(element) {
    let matrix = new DOMMatrix();
    for (let frame = frameOf(element); frame; frame = frameOf(frame)) matrix = placeOf(frame).multiply(matrix);
    return matrix;
  }

  /**
   * @param {Element} frame
   * @returns {DOMMatrix} from the viewport of its page to that of the main frame
   */
  function outOf(frame) {
    return toMainFrame(frame).multiply(placeOf(frame));
  }

  /**
   * @param {Element} element
   * @returns {Box} its position in the main frame's viewport
   */
  function placeInMainFrame(element) {
    return boundsOf(boxOf(element), toMainFrame(element));
  }

  /**
   * @param {Element} element
   * @returns {Box} its visible part in its frame's viewport, or slightly more for a transformed frame
   */
  function sightOf(element) {
    const view = windowOf(/** @type {Document} */ (documentOf(element))) ?? window;
    const own = pinchedSightOf(view);
    const frame = frameOf(element);
    return frame ? overlap(own, boundsOf(sightOf(frame), placeOf(frame).inverse())) : own;
  }

  /** @returns {{pinch?: Point}} how far the window is scrolled in a page that the user has magnified */
  function pinched() {
    const { x, y } = pinchedSightOf(window);
    return window.parent === window && (x || y) ? { pinch: { x, y } } : {};
  }

  /**
   * @param {Window} view
   * @returns {Box} what the window shows of its viewport: less than all of it if the user has magnified the page
   */
  function pinchedSightOf({ innerWidth, innerHeight, visualViewport }) {
    if (!visualViewport || visualViewport.scale === 1) return { x: 0, y: 0, width: innerWidth, height: innerHeight };
    const { offsetLeft: x, offsetTop: y, width, height } = visualViewport;
    return { x, y, width, height };
  }

  /**
   * @param {Box} a
   * @param {Box} b
   * @returns {Box} empty if they do not intersect
   */
  function overlap(a, b) {
    const x = Math.max(a.x, b.x);
    const y = Math.max(a.y, b.y);
    return {
      x,
      y,
      width: Math.min(a.x + a.width, b.x + b.width) - x,
      height: Math.min(a.y + a.height, b.y + b.height) - y,
    };
  }

  /**
   * @param {Element} element
   * @returns {Element} it, or if it has no box, such as a slot, the nearest one around it
   */
  function boxedAround(element) {
    return [...drawnAncestors(element)].find((one) => !isBoxless(one)) ?? element;
  }

  /**
   * @param {Element} element
   * @param {ScrollLogicalPosition} block
   */
  function bringIntoView(element, block) {
    const isBoxed = (/** @type {Element} */ one) => !isBoxless(one) && rectsOf(one).length > 0;
    const within = isBoxless(element) ? queryIn(element, "*").find(isBoxed) : element;
    const target = within ?? boxedAround(element);
    // Other places are tried only if it is covered in the middle: then it may move as far as the browser can scroll it.
    const locked = ["center", "nearest"].includes(block) ? lockedAround(target) : [];
    scrollTo(target, { block, inline: "nearest" });
    for (const one of locked) scrollBack(target, one);
    // A bare text is somewhere in its element.
    const [bare] = within ? [] : rectsOf(element);
    const view = windowOf(/** @type {Document} */ (documentOf(element)));
    if (bare && view) view.scrollBy({ top: bare.y - view.innerHeight / 2, behavior: "instant" });
  }

  /** @typedef {{box: Element, left: number, top: number}} Scrolled a box, and how far it is scrolled */

  /**
   * @param {Element} element
   * @returns {Scrolled[]} the boxes around it that users cannot scroll, but the browser can
   */
  function lockedAround(element) {
    const isLocked = (/** @type {Element} */ box) => getComputedStyle(box).overflow.includes("hidden");
    const boxes = [...drawnAncestors(element)].filter((box) => box !== element && isLocked(box));
    return boxes.map((box) => ({ box, left: box.scrollLeft, top: box.scrollTop }));
  }

  /**
   * Scrolls a box back to where it was, unless less of the element is in sight there: the frame of an application that
   * is scrolled by some pixels, to have an element in the middle, remains so.
   *
   * @param {Element} element
   * @param {Scrolled} before
   */
  function scrollBack(element, { box, left, top }) {
    const after = { left: box.scrollLeft, top: box.scrollTop };
    if (after.left === left && after.top === top) return;
    const seen = () => {
      const { width, height } = overlap(overlap(boxOf(element), boxOf(box)), sightOf(element));
      return Math.max(0, width) * Math.max(0, height);
    };
    const most = seen();
    box.scrollTo({ left, top, behavior: "instant" });
    if (seen() < most) box.scrollTo({ ...after, behavior: "instant" });
  }

  /**
   * @param {Point} point in the viewport of the main frame, or of the frame of the root
   * @param {Root} [root]
   * @returns {Element | null} the innermost element there
   */
  function hitAt(point, root = document) {
    /** @type {Element | null} */
    let innermost = null;
    for (;;) {
      const element = elementAt(root, point);
      if (!element || element === innermost) return innermost;
      innermost = element;
      const inner = innerRootOf(element);
      if (!inner) return innermost;
      if (isDocument(inner)) {
        point = placeOf(element).inverse().transformPoint(point);
      }
      root = inner;
    }
  }

  /**
   * @param {Element} handle where to hit
   * @param {Element} element what to hit
   * @returns {{point: Point | null, cover: Element | null}} the cover is what is hit instead
   */
  function aimAt(handle, element) {
    const inner = handle === element ? innerItemsOf(element) : "";
    const rects = [...(inner ? ownRectsOf(element, inner) : []), ...rectsOf(handle)].slice(0, MAX_RECTS);
    const sight = sightOf(handle);
    const boxes = rects.map((rect) => overlap(rect, sight)).filter(hasArea);
    const matrix = toMainFrame(handle);
    /** @type {Element | null} */
    let cover = null;
    /** @type {Point | null} */
    let within = null;
    for (const [right, down] of SPOTS) {
      for (const { x, y, width, height } of boxes) {
        const aside = Math.min(width * MOST_ASIDE, ASIDE_PX);
        const spot = matrix.transformPoint({ x: x + width * right + aside, y: y + height * down });
        const point = { x: round(spot.x), y: round(spot.y) };
        const hit = hitAt(point);
        const isPart = hit !== null && isPartOf(hit, element);
        if (isPart && !(inner && isInItem(hit, element, inner))) return { point, cover: null };
        if (isPart) within ??= point;
        else cover ??= hit;
      }
    }
    return within ? { point: within, cover: null } : { point: null, cover };
  }

  /**
   * @param {Element} element
   * @returns {string} selector of the visible items in it, such as those below a node of a tree; empty if there are none
   */
  function innerItemsOf(element) {
    if (!isMatch(element, ITEMS)) return "";
    const inner = isMatch(element, NODES) ? `${ITEMS}, ${TICKS}` : ITEMS;
    return queryIn(element, inner).some(isVisible) ? inner : "";
  }

  /**
   * @param {Element} element
   * @param {string} inner
   * @returns {DOMRect[]} its parts without inner items, the largest first
   */
  function ownRectsOf(element, inner) {
    const isOwn = (/** @type {Node} */ node) => !isElement(node) || !(isMatch(node, inner) || hasIn(node, inner));
    return [...childNodesOf(element)]
      .filter(isOwn)
      .flatMap((node) => (isElement(node) ? rectsOf(node) : rectsOfText(node)))
      .sort((a, b) => b.width * b.height - a.width * a.height);
  }

  /**
   * @param {Element} hit
   * @param {Element} element
   * @param {string} inner
   * @returns {boolean} whether it is in an inner item of the element
   */
  function isInItem(hit, element, inner) {
    const item = closestOf(hit, inner);
    return item !== null && item !== element && isDrawnIn(element, item);
  }

  /**
   * @param {Element} handle where to hit
   * @param {Element} element what to hit
   * @param {Point} spot relative to the top left corner of the handle's first box
   * @returns {{point: Point | null, cover: Element | null}}
   */
  function aimInto(handle, element, spot) {
    const point = placeOfSpot(handle, spot);
    const hit = hitAt(point);
    return hit && isPartOf(hit, element) ? { point, cover: null } : { point: null, cover: hit };
  }

  /**
   * @param {Element} element
   * @param {Point} spot relative to the top left corner of its first box
   * @returns {Point} in the viewport of the main frame
   */
  function placeOfSpot(element, spot) {
    const { x, y } = firstBoxOf(element);
    const place = toMainFrame(element).transformPoint({ x: x + spot.x, y: y + spot.y });
    return { x: round(place.x), y: round(place.y) };
  }

  /** @param {Element} element */
  function firstBoxOf(element) {
    return rectsOf(element)[0] ?? boxOf(element);
  }

  /**
   * @param {Element} inner
   * @param {Element} element
   * @returns {boolean} whether a click on one is a click on the other
   */
  function isPartOf(inner, element) {
    if (isDrawnIn(element, inner) || labelsOf(element).some((label) => isDrawnIn(label, inner))) return true;
    if (isInBoxOf(inner, element) || controlOf(element) === inner || isTouchTargetOf(inner, element)) return true;
    if (isLayerOver(inner, element) || isSheetOver(inner, element) || isCheckOver(inner, element)) return true;
    const mark = isMatch(element, CHECKED) && isClippedAway(element) ? markOf(element) : undefined;
    if (mark && isDrawnIn(mark, inner)) return true;
    const veiled = veiledBy(inner);
    if (veiled && isDrawnIn(veiled, element)) return true;
    const button = closestOf(element, BUTTONS);
    if (button && button === closestOf(inner, BUTTONS)) return true;
    // Elements in a shadow root are sometimes hit as their host.
    for (let root = rootOf(element), host = holderOf(root); host && !isDocument(root);) {
      if (host === inner) return true;
      root = rootOf(host);
      host = holderOf(root);
    }
    return false;
  }

  /**
   * @param {Element} inner
   * @param {Element} element
   * @returns {boolean} whether it is an invisible check box over what the page draws for it, the element included
   */
  function isCheckOver(inner, element) {
    const around = parentElementOf(inner);
    if (!around || !isMatch(inner, CHECKED) || isDrawn(inner) || isControl(element)) return false;
    return isDrawnIn(around, element) && closestOf(element, BUTTONS) === null;
  }

  /**
   * @param {Element} shape
   * @returns {Element | null} the group in a drawing that it takes the mouse for, if all of the group shows through it
   */
  function veiledBy(shape) {
    const group = parentElementOf(shape);
    if (!group || tagOf(group) !== "g" || childrenOf(shape).length) return null;
    const { fill, fillOpacity, opacity, stroke } = getComputedStyle(shape);
    const isBare = (fill === "none" || fillOpacity === "0") && stroke === "none";
    return isBare || opacity === "0" ? group : null;
  }

  /**
   * @param {Element} canvas
   * @param {Element} lower
   * @returns {boolean} whether both are canvases, and one is a layer over all of the other: together they are one picture
   */
  function isLayerOver(canvas, lower) {
    if (tagOf(canvas) !== "canvas" || tagOf(lower) !== "canvas" || canvas === lower) return false;
    if (parentElementOf(canvas) !== parentElementOf(lower)) return false;
    const [over, own] = [boxOf(canvas), boxOf(lower)];
    const isBeyond = own.left < over.left - 1 || own.top < over.top - 1;
    return !isBeyond && own.right <= over.right + 1 && own.bottom <= over.bottom + 1;
  }

  /**
   * @param {Element} inner
   * @param {Element} canvas
   * @returns {boolean} whether it takes the mouse in front of a canvas, and all that is drawn there is the canvas; a
   *   layer over the whole window is a backdrop, which ends something instead
   */
  function isSheetOver(inner, canvas) {
    if (tagOf(canvas) !== "canvas") return false;
    const path = [...drawnAncestors(inner)];
    const end = path.findIndex((one) => isDrawnIn(one, canvas));
    const around = path[end];
    if (!around || isMatch(around, "html, body")) return false;
    const isOther = (/** @type {Element} */ one) =>
      isPainted(one) ||
      getComputedStyle(one).position === "fixed" ||
      isMatch(one, `${BUTTONS}, ${FIELDS}, ${PICTURES}`);
    return end > 0 && !path.slice(0, end).some(isOther);
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it has a background or a text of its own
   */
  function isPainted(element) {
    const { backgroundColor, backgroundImage } = getComputedStyle(element);
    const isBare = backgroundImage === "none" && backgroundColor === TRANSPARENT;
    return !isBare || [...childNodesOf(element)].some((node) => isText(node) && textContentOf(node)?.trim());
  }

  /**
   * @param {Element} inner
   * @param {Element} field
   * @returns {boolean} whether the field is invisible, or lets the mouse through, and `inner` belongs to the box that
   *   shows its value
   */
  function isInBoxOf(inner, field) {
    if (!isControl(field)) return false;
    if (isDrawn(field) && getComputedStyle(field).pointerEvents !== "none") return false;
    // A native list may be there for forms and screen readers only.
    const isUnseenList = (/** @type {Element} */ one) => isMatch(one, "select[tabindex^='-']") && !isDrawn(one);
    const isOther = (/** @type {Element} */ one) => one !== field && isVisible(one) && !isUnseenList(one);
    for (const box of treeAncestors(parentElementOf(field), BOX_LEVELS)) {
      if (queryIn(box, FIELDS).some(isOther)) return false;
      if (isDrawnIn(box, inner)) return closestOf(inner, BUTTONS) === null;
    }
    return false;
  }

  /**
   * @param {Element} inner
   * @param {Element} element
   * @returns {boolean} whether it draws nothing, takes the mouse, and lies next to nothing else that does: it widens the
   *   element for fingers, and hands presses on to it
   */
  function isTouchTargetOf(inner, element) {
    const around = parentElementOf(inner);
    if (!around || childNodesOf(inner).length > 0 || isPainted(inner) || boxOf(inner).height > TOUCH_PX) return false;
    if (getComputedStyle(inner).cursor !== "pointer") return false;
    const takers = queryIn(around, TAKERS).filter(isVisible);
    return takers.length > 0 && takers.every((one) => isDrawnIn(one, element) || isDrawnIn(element, one));
  }

  /**
   * Checkboxes and switches are often hidden, with a label or a mark drawn in their place. Those of a web component may
   * be only one of its parts, next to a label. The text field of a combobox may be moved off the page while it shows its
   * choice: then the box around it is what a user presses.
   *
   * @param {Element} element
   */
  function handleOf(element) {
    const editor = editorAround(element);
    if (editor) return editor;
    const around = isMatch(element, "input[role='combobox']") && isOffPage(element) ? parentElementOf(element) : null;
    if (around && isVisible(around) && !isOffPage(around)) return around;
    const isHidden = !isVisible(element) || (isMatch(element, CHECKED) && isClippedAway(element));
    if (isHidden) return labelsOf(element).find(isVisible) ?? markOf(element) ?? element;
    const root = isMatch(element, UNFOCUSED) ? innerRootOf(element) : null;
    return (root && queryAll(root, "[tabindex='0']").find(isVisible)) ?? element;
  }

  /**
   * @param {Element} field that is hidden
   * @returns {Element | undefined} what the page draws in its place: all that is shown next to it, without words
   */
  function markOf(field) {
    const around = isMatch(field, CHECKED) ? parentElementOf(field) : null;
    if (!around || textContentOf(around)?.trim()) return undefined;
    const [mark, ...others] = [...childrenOf(around)].filter((one) => one !== field && isVisible(one));
    const { x, y, width, height } = boxOf(field);
    const near = new DOMRect(
      x - HIDDEN_MARGIN,
      y - HIDDEN_MARGIN,
      width + 2 * HIDDEN_MARGIN,
      height + 2 * HIDDEN_MARGIN,
    );
    return mark && !others.length && hasArea(overlap(near, boxOf(mark))) ? mark : undefined;
  }

  /**
   * @param {Element} element
   * @returns {Box} in the viewport of the main frame
   */
  function outlineOf(element) {
    const matrix = toMainFrame(element);
    const boxes = rectsOf(element).map((rect) => boundsOf(rect, matrix));
    const x = Math.min(...boxes.map((box) => box.x));
    const y = Math.min(...boxes.map((box) => box.y));
    const width = Math.max(...boxes.map((box) => box.x + box.width)) - x;
    const height = Math.max(...boxes.map((box) => box.y + box.height)) - y;
    return { x, y, width, height };
  }

  /**
   * @param {Box} box in the viewport of the main frame
   * @returns {Box} in its document; the page around a cross-origin frame positions that frame's viewport
   */
  function inDocument({ x, y, width, height }) {
    const isMain = window.parent === window;
    return { x: isMain ? x + scrollX : x, y: isMain ? y + scrollY : y, width, height };
  }

  /** @param {number} value */
  function round(value) {
    return Math.round(value * 100) / 100;
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it is out of the page's flow, so that it may lie over the page
   */
  function isPositioned(element) {
    return ["absolute", "fixed"].includes(getComputedStyle(element).position);
  }

  /**
   * @param {Element} part
   * @param {Element} element in it
   * @returns {boolean} whether it is out of the flow, and out of the part's height, such as a menu that a row has opened
   */
  function isLayerBeyond(part, element) {
    if (!isPositioned(element)) return false;
    const [outer, inner] = [boxOf(part), boxOf(element)];
    return outer.height > 0 && (inner.top < outer.top - LAYER_GAP || inner.bottom > outer.bottom + LAYER_GAP);
  }

  /** @param {Element} element @returns {boolean} whether it is as large as the viewport, such as a backdrop */
  function fillsView(element) {
    const { width, height } = boxOf(element);
    return width >= MOST_OF_VIEW * innerWidth && height >= MOST_OF_VIEW * innerHeight;
  }

  /**
   * @param {Element | Root} tree
   * @param {boolean} [subtree] whether to include those of an element's descendants, as far as the next shadow root
   * @returns {Animation[]} without those that go on for ever
   */
  function endingAnimations(tree, subtree = false) {
    const all = isElement(tree)
      ? Reflect.apply(Element.prototype.getAnimations, tree, [{ subtree }])
      : tree.getAnimations();
    return all.filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime));
  }

  return {
    SEEN,
    TRANSPARENT,
    aimAt,
    aimInto,
    boundsOf,
    boxedAround,
    bringIntoView,
    endingAnimations,
    fillsView,
    firstBoxOf,
    handleOf,
    hasArea,
    hitAt,
    inDocument,
    isBoxless,
    isClippedAway,
    isDrawn,
    isLayerOver,
    isOffPage,
    isPartOf,
    isLayerBeyond,
    isPositioned,
    isRendered,
    isVisible,
    isVisuallyHidden,
    markOf,
    outOf,
    outlineOf,
    overlap,
    pinched,
    placeInMainFrame,
    placeOfSpot,
    round,
    veiledBy,
  };
})();
