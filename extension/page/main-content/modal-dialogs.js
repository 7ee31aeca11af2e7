"use strict";

// Dialogs that block the rest of the page.

const modalDialogs = (() => {
  const { getter, rectOf } = nodes;
  const parentOf = getter(Node.prototype, "parentNode");
  const nodeTypeOf = getter(Node.prototype, "nodeType");
  const textOf = getter(Node.prototype, "textContent");
  const bodyOf = getter(Document.prototype, "body");
  const shownTextOf = getter(HTMLElement.prototype, "innerText");
  const { getRootNode } = Node.prototype;
  const { elementFromPoint: hitInPage } = Document.prototype;
  const { elementFromPoint: hitInRoot } = ShadowRoot.prototype;

  /** Points tested for a backdrop, as fractions of the window. */
  const SPOTS = [0.05, 0.5, 0.95];

  /**
   * @param {Element} element that is drawn over the page
   * @param {string} tag
   * @param {{view: Window, isFixed: boolean}} layer
   * @returns {boolean} whether it is modal: because it declares that, or because of a backdrop
   */
  function isModal(element, tag, { view, isFixed }) {
    if (element.getAttribute("aria-modal") === "true") return true;
    if (tag === "dialog") return isFixed;
    const isDialog = /^(?:alert)?dialog$/.test(element.getAttribute("role") ?? "");
    if (!isDialog && !isCurtain(element, view)) return false;
    const length = lengthOf(element);
    const isBlocked = (/** @type {number} */ x, /** @type {number} */ y) =>
      pathFrom(hitAt(element, x, y)).some((one) => one === element || isBackdrop(one, view, length));
    return (
      isOnTop(element, view) &&
      SPOTS.every((right) => SPOTS.every((down) => isBlocked(right * view.innerWidth, down * view.innerHeight)))
    );
  }

  /**
   * @param {Element} dialog
   * @param {Window} view
   * @returns {boolean} whether nothing covers the middle of what the window shows of it
   */
  function isOnTop(dialog, { innerWidth, innerHeight }) {
    const { left, right, top, bottom } = rectOf(dialog);
    const x = (Math.max(0, left) + Math.min(innerWidth, right)) / 2;
    const y = (Math.max(0, top) + Math.min(innerHeight, bottom)) / 2;
    return pathFrom(hitAt(dialog, x, y)).includes(dialog);
  }

  /**
   * @param {Element} layer
   * @param {Window} view
   * @param {number} length of the dialog's text
   * @returns {boolean} whether it fills the window without a text of its own, unlike a page in a fixed box
   */
  function isBackdrop(layer, view, length) {
    return fillsWindow(layer, view) && lengthOf(layer) <= length;
  }

  /**
   * @param {Element} layer
   * @param {Window} view
   */
  function fillsWindow(layer, view) {
    if (view.getComputedStyle(layer).position !== "fixed") return false;
    // Scroll bars are part of the window's inner size, but no layer lies over them.
    const { width, height, scale } = view.visualViewport ?? {
      width: view.innerWidth,
      height: view.innerHeight,
      scale: 1,
    };
    const { left, right, top, bottom } = rectOf(layer);
    return left < 1 && top < 1 && right > width * scale - 1 && bottom > height * scale - 1;
  }

  /**
   * @param {Element} layer without a role
   * @param {Window} view
   * @returns {boolean} whether it lies over most of the text, unlike a page in a fixed box
   */
  function isCurtain(layer, view) {
    const body = fillsWindow(layer, view) ? bodyOf(view.document) : null;
    return body !== null && 2 * lengthOf(layer) < withoutSpaces(shownTextOf(body)).length;
  }

  /**
   * @param {Element} near
   * @param {number} x
   * @param {number} y
   * @returns {Element | null} what is drawn there, in the same tree
   */
  function hitAt(near, x, y) {
    const root = Reflect.apply(getRootNode, near, []);
    return Reflect.apply(nodeTypeOf(root) === Node.DOCUMENT_NODE ? hitInPage : hitInRoot, root, [x, y]);
  }

  /**
   * @param {Element | null} element
   * @returns {Element[]} the element and those around it
   */
  function pathFrom(element) {
    const path = [];
    for (let one = /** @type {Node | null} */ (element); one; one = parentOf(one)) {
      if (nodeTypeOf(one) === Node.ELEMENT_NODE) path.push(/** @type {Element} */ (one));
    }
    return path;
  }

  /** @param {Element} element */
  function lengthOf(element) {
    return withoutSpaces(textOf(element)).length;
  }

  /** @param {string | null} text */
  function withoutSpaces(text) {
    return (text ?? "").replace(/\s+/g, "");
  }

  return { isModal };
})();
