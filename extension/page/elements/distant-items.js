"use strict";

// What can be acted on far outside of the viewport of a large page: its list has no room for the texts there, and going
// through all that is drawn would take longer than all else.

const distantItems = (() => {
  const { boxOf, controlOf, firstChildOf, firstElementOf, hasIn, isControl, isFrame, labelsOf, nextElementOf, tagOf } =
    dom;
  const { isRendered, isVisible } = geometry;
  const { CANDIDATES, roleOf } = roles;

  const SEEN = { visibilityProperty: true };
  const HEADINGS = new Set(["h1", "h2", "h3", "h4", "h5", "h6"]);
  const GRABBED = new Set(["grab", "grabbing", "move", "cell"]);

  /**
   * @param {Element} element that is out of sight
   * @param {Set<Element>} candidates
   * @param {string} inherited cursor
   * @param {Item[]} [items]
   * @returns {Item[]} what can be acted on in it, and headings
   */
  function distantItemsIn(element, candidates, inherited, items = []) {
    const said = candidates.has(element) ? roleOf(element) : "";
    const cursor = said ? "pointer" : getComputedStyle(element).cursor;
    const role = said || silentRoleOf(element, cursor, inherited);
    const isHeading = !role && HEADINGS.has(tagOf(element)) && !hasIn(element, CANDIDATES);
    const isThing = role !== "" && isThere(element) && (said !== "" || !hasIn(element, CANDIDATES));
    if (isThing || (isHeading && isRendered(element, SEEN))) {
      const [kind, word] = isThing ? /** @type {const} */ (["thing", role]) : /** @type {const} */ (["heading", "#"]);
      items.push({ kind, role: word, element, cells: [], isInSight: false });
    }
    if (isHeading || (said && isControl(element))) return items;
    // A collection of the children would cost as much as all else.
    for (let child = firstElementOf(element); child; child = nextElementOf(child)) {
      distantItemsIn(child, candidates, cursor, items);
    }
    return items;
  }

  /**
   * @param {Element} element that says no role
   * @param {string} cursor
   * @param {string} inherited
   */
  function silentRoleOf(element, cursor, inherited) {
    if (isFrame(element)) return "frame";
    return cursor === inherited || controlOf(element) ? "" : grippedRole(cursor);
  }

  /** @param {string} cursor that begins at an element */
  function grippedRole(cursor) {
    if (cursor === "pointer") return "clickable";
    return GRABBED.has(cursor) ? "draggable" : "";
  }

  /** @param {Element} element */
  function isThere(element) {
    if (!isRendered(element, SEEN)) return labelsOf(element).some(isVisible);
    if (firstChildOf(element)) return true;
    const { width, height } = boxOf(element);
    return (width > 0 && height > 0) || isVisible(element) || labelsOf(element).some(isVisible);
  }

  return { HEADINGS, SEEN, distantItemsIn, grippedRole };
})();
