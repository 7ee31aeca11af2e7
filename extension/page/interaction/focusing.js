"use strict";

// The focus.

const focusing = (() => {
  const { innerRootOf, isDocument, rootOf } = dom;
  const { misfit, nameOf } = texts;

  /**
   * Focuses an element.
   *
   * @param {HTMLElement} element
   * @param {string} advice what to do if another element takes the focus
   * @throws {PageError} EXECUTION_ERROR
   */
  function takeFocus(element, advice) {
    element.focus();
    const active = focusedIn(/** @type {Root} */ (rootOf(element)));
    if (active === element) return;
    throw misfit(element, `gives the focus away${active ? ` to ${nameOf(active)}` : ""}. ${advice}`);
  }

  /** @returns {Element} the element that receives the keys, also in shadow roots and same-origin frames */
  function focusedElement() {
    let element = focusedIn(document) ?? document.documentElement;
    for (let root = innerRootOf(element); root; root = innerRootOf(element)) {
      const inner = focusedIn(root);
      if (!inner) break;
      element = inner;
    }
    return element;
  }

  /**
   * @param {Root} root
   * @returns {Element | null}
   */
  function focusedIn(root) {
    return Reflect.get(isDocument(root) ? Document.prototype : ShadowRoot.prototype, "activeElement", root);
  }

  return { focusedElement, takeFocus };
})();
