"use strict";

// Slides that a page moves by the style of the track that they are in.

const sliding = (() => {
  const { attributeOf, boxOf, childrenOf, drawnAncestors, isInPage } = dom;

  const TRANSLATED =
    /translate(?:3d|x|y)?\(\s*(?<first>-?[\d.]+)(?<unit>px|%)?(?:\s*,\s*(?<second>-?[\d.]+)(?:px|%)?)?/iu;
  const SCALED = /scale|rotate|matrix/iu;
  const CLIPPING = new Set(["auto", "clip", "hidden", "scroll"]);
  const CLIP_LEVELS = 4;
  /** Share of a slide that is in view. */
  const SHOWN = 0.5;

  /** @typedef {{x: number, y: number}} Shift in CSS pixels */

  /**
   * @param {string} style of a track
   * @param {DOMRect} box of the track
   * @returns {Shift | null} null if it is more than moved
   */
  function shiftIn(style, { width, height }) {
    const found = TRANSLATED.exec(style)?.groups;
    if (SCALED.test(style)) return null;
    if (!found) return { x: 0, y: 0 };
    const isDown = /translatey/iu.test(style);
    const [first, second] = [Number(found["first"]), Number(found["second"] ?? 0)];
    const [x, y] = isDown ? [0, first] : [first, second];
    return found["unit"] === "%" ? { x: (x * width) / 100, y: (y * height) / 100 } : { x, y };
  }

  /**
   * @param {Element} track
   * @returns {Element | undefined} what shows a part of its slides; undefined if it is not a track
   */
  function viewOf(track) {
    if (childrenOf(track).length < 2) return undefined;
    const around = [...drawnAncestors(track)].slice(1, CLIP_LEVELS);
    return around.find((one) => CLIPPING.has(getComputedStyle(one).overflowX));
  }

  /**
   * @param {Element} element with a new style
   * @returns {boolean} whether it is a track that this style moves
   */
  function isTrack(element) {
    return isInPage(element) && TRANSLATED.test(attributeOf(element, "style") ?? "") && viewOf(element) !== undefined;
  }

  /**
   * @param {Map<Element, string>} styles of elements before they changed
   * @returns {{come: Element[], gone: Element[]}} the slides that are in view once their track has arrived, and those that
   *   were before
   */
  function slidesIn(styles) {
    const moved = [...styles].filter(([track]) => isInPage(track)).map(([track, before]) => slidesOf(track, before));
    return { come: moved.flatMap(({ come }) => come), gone: moved.flatMap(({ gone }) => gone) };
  }

  /**
   * @param {Element} track
   * @param {string} style before
   * @returns {{come: Element[], gone: Element[]}}
   */
  function slidesOf(track, style) {
    const [none, slides] = [{ come: [], gone: [] }, [...childrenOf(track)]];
    const own = boxOf(track);
    const [before, after] = [shiftIn(style, own), shiftIn(attributeOf(track, "style") ?? "", own)];
    if (!before || !after || (before.x === after.x && before.y === after.y)) return none;
    const view = viewOf(track);
    if (!view) return none;
    // It may be on its way.
    const { e, f } = new DOMMatrixReadOnly(getComputedStyle(track).transform);
    const isIn = (/** @type {Element} */ slide, /** @type {Shift} */ { x, y }) => {
      const [box, frame] = [boxOf(slide), boxOf(view)];
      const [left, top] = [box.left - e + x, box.top - f + y];
      const wide = Math.min(left + box.width, frame.right) - Math.max(left, frame.left);
      const high = Math.min(top + box.height, frame.bottom) - Math.max(top, frame.top);
      return wide > SHOWN * Math.min(box.width, frame.width) && high > SHOWN * Math.min(box.height, frame.height);
    };
    return {
      come: slides.filter((slide) => isIn(slide, after) && !isIn(slide, before)),
      gone: slides.filter((slide) => isIn(slide, before) && !isIn(slide, after)),
    };
  }

  return { isTrack, slidesIn };
})();
