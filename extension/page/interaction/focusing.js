"use strict";

// The focus.

const focusing = (() => {
  const { innerRootOf, isDocument, isDrawnIn, isInPage, queryAll, queryIn, rootOf } = dom;
  const { PageError, misfit, nameOf, quote } = texts;
  const { isVisible } = geometry;
  const { allRoots } = search;
  const { selectorOf } = selectorGenerator;
  const { DIALOGS, dialogNameOf } = pageState;

  const MOST_PARTS = 3;
  const OPEN = "something that is open over the page";
  const REMOVED = "left the page when it got the focus. Check what is in its place, and act on that.";
  const CLOSE = "Close that first, for example with the Escape key.";

  /**
   * Focuses an element.
   *
   * @param {HTMLElement} element
   * @param {string} advice what to do if another element takes the focus
   * @throws {PageError} EXECUTION_ERROR, also if the page then removes the element
   */
  function takeFocus(element, advice) {
    const before = focusedElement();
    // What the focus opens takes it for good reason.
    const dialogs = queryAll(document, DIALOGS).filter((one) => isVisible(one) && !isDrawnIn(one, element));
    element.focus();
    if (!isInPage(element)) throw misfit(element, REMOVED);
    const active = focusedIn(/** @type {Root} */ (rootOf(element)));
    if (active === element) return;
    const holder = active ? `${nameOf(active)} (${selectorOf(active, allRoots())})` : "";
    // A dialog may give the focus back to what had it last.
    const isHeldBy = (/** @type {Element} */ one) => active && (isDrawnIn(one, active) || isDrawnIn(active, one));
    const dialog = active === document.body ? undefined : dialogs.find(isHeldBy);
    if (dialog || (active && active === before && active !== document.body)) {
      const layer = dialog ? `the dialog ${quote(dialogNameOf(dialog))}` : OPEN;
      throw misfit(element, `cannot get the focus: ${layer} keeps it in ${holder}. ${CLOSE}`);
    }
    throw misfit(element, `passes the focus on${holder && ` to ${holder}`}. ${advice}`);
  }

  /**
   * Focuses a field, or the only part of it that takes the focus.
   *
   * @param {HTMLElement} field
   * @throws {PageError} EXECUTION_ERROR
   */
  function takeFocusIn(field) {
    const parts = field.tabIndex < 0 ? queryIn(field, "[tabindex]:not([tabindex^='-'])") : [];
    if (parts.length > 1) {
      const named = parts.slice(0, MOST_PARTS).map((part) => selectorOf(part, allRoots()));
      throw misfit(field, `has ${parts.length} parts. Drag one of them, or press keys in it: ${named.join(", ")}.`);
    }
    takeFocus(/** @type {HTMLElement} */ (parts[0] ?? field), "Click it, then check the page.");
  }

  /**
   * @returns {Element} the element that receives the keys, also in shadow roots and same-origin frames
   * @throws {PageError} UNREADABLE_PAGE
   */
  function focusedElement() {
    let element = focusedIn(document) ?? /** @type {HTMLElement | null} */ (document.documentElement);
    if (!element) throw new PageError("UNREADABLE_PAGE", "The page is empty at the moment. Wait for it, or reload it.");
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

  return { focusedElement, takeFocus, takeFocusIn };
})();
