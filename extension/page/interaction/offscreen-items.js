"use strict";

// Interactive elements far outside the viewport of a large page: its list has no room for the texts there, and walking
// everything that is drawn would take longer than all other work.

/**
 * Elements whose markup says that they may be acted on, and all their ancestors.
 *
 * @typedef {{candidates: Set<Element>, holders: Set<Element>}} Acted
 */

const offscreenItems = (() => {
  const {
    NATIVE_FIELDS,
    attributeOf,
    boxOf,
    controlOf,
    firstElementOf,
    hasIn,
    hasNodes,
    holds,
    isControl,
    isFrame,
    isMatch,
    kindOf,
    labelsOf,
    nextElementOf,
    parentElementOf,
    queryAll,
    rootOf,
    tagOf,
    textContentOf,
  } = dom;
  const { SEEN, isRendered, isVisible } = geometry;
  const { roleOf } = roles;
  const { contentOf } = accessibleNames;
  const { isMark } = fieldFrames;
  const { isStandIn } = standIns;

  const HEADINGS = new Set(["h1", "h2", "h3", "h4", "h5", "h6"]);
  /** Roles of elements that may contain further parts of the page. */
  const GOING_ON = new Set(["clickable", "draggable", "listbox"]);
  const CHECKED = new Set(["checkbox", "file", "radio", "switch"]);
  const GRABBED = new Set(["grab", "grabbing", "move", "cell", "crosshair"]);
  const DIVIDING = new Set(["col-resize", "row-resize", "ew-resize", "ns-resize"]);
  /** Pixels of what divides two panes: the edge of a column is shorter, and that of a pane part of the pane. */
  const DIVIDER = { most: 20, least: 100 };

  /**
   * @param {Element} element outside the viewport
   * @param {Acted} acted
   * @param {Pick<Surroundings, "cursor" | "isInThing">} around an empty cursor was not queried
   * @param {Item[]} [items]
   * @returns {Item[]} the elements to act on in it, and headings
   */
  function distantItemsIn(element, acted, around, items = []) {
    const isHolder = acted.holders.has(element);
    const declared = acted.candidates.has(element) ? roleOf(element) : "";
    // Querying a style is the slowest step here.
    const cursor = declared || isHolder || around.isInThing ? "" : getComputedStyle(element).cursor;
    const role = declared || (cursor && silentRoleOf(element, cursor, around.cursor));
    const isHeading = !role && !isHolder && HEADINGS.has(tagOf(element));
    const isThing = role !== "" && isThere(element) && !(role === "select" && isStandIn(element));
    const place = items.length;
    if (isThing || (isHeading && isRendered(element, SEEN))) {
      const [kind, word] = isThing ? /** @type {const} */ (["thing", role]) : /** @type {const} */ (["heading", "#"]);
      items.push({ kind, role: word, element, cells: [], isInSight: false });
    }
    if (isHeading || (declared && isControl(element))) return items;
    const within = { cursor, isInThing: around.isInThing || (declared !== "" && !GOING_ON.has(declared)) };
    // A collection of the children would take as long as everything else.
    for (let child = firstElementOf(element); child; child = nextElementOf(child)) {
      distantItemsIn(child, acted, within, items);
    }
    if (isThing && role === "clickable" && isBare(element, items.slice(place + 1))) items.splice(place, 1);
    return items;
  }

  /**
   * @param {Element} element that listens to the mouse
   * @param {Item[]} inner the items inside it
   * @returns {boolean} whether it only surrounds another element to act on, such as the button of a table's heading
   */
  function isBare(element, [inner, ...others]) {
    return inner?.kind === "thing" && !others.length && contentOf(element).trim() === contentOf(inner.element).trim();
  }

  /**
   * @param {Element} element without a role, and without descendants that have one
   * @param {string} cursor
   * @param {string} inherited
   */
  function silentRoleOf(element, cursor, inherited) {
    if (isFrame(element)) return "frame";
    const role = grippedRole(cursor, element);
    const isOwn = role !== "" && cursor !== (inherited || cursorAround(element));
    return isOwn && !isLabeling(element) && !isMark(element) ? role : "";
  }

  /** @param {Element} element */
  function cursorAround(element) {
    const around = parentElementOf(element);
    return around ? getComputedStyle(around).cursor : "auto";
  }

  /**
   * @param {string} cursor set at the element itself
   * @param {Element} element
   */
  function grippedRole(cursor, element) {
    if (cursor === "pointer") return "clickable";
    return GRABBED.has(cursor) || (DIVIDING.has(cursor) && isDivider(element)) ? "draggable" : "";
  }

  /** @param {Element} element */
  function isDivider(element) {
    const { width, height } = boxOf(element);
    return Math.min(width, height) <= DIVIDER.most && Math.max(width, height) >= DIVIDER.least;
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether a click on it acts on the field of its label, or on nothing, because there is no such
   *   field; an icon next to a text field has a purpose of its own
   */
  function isLabeling(element) {
    const control = controlOf(element);
    if (!control) return isLost(element);
    const isIcon = attributeOf(element, "aria-hidden") === "true" || contentOf(element).trim() === "";
    const isChecked = CHECKED.has(kindOf(control)) || CHECKED.has(attributeOf(control, "role") ?? "");
    return !isIcon || isChecked || tagOf(element) === "label" || holds(element, control);
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it is a label for a field that is not on the page, or without a connection to the one after
   *   it
   */
  function isLost(element) {
    if (tagOf(element) !== "label") return false;
    const id = attributeOf(element, "for");
    const next = id === null && /\p{L}/u.test(textContentOf(element) ?? "") ? nextElementOf(element) : null;
    if (next && (isMatch(next, NATIVE_FIELDS) || hasIn(next, NATIVE_FIELDS))) return true;
    const root = /** @type {Root} */ (rootOf(element));
    return Boolean(id) && queryAll(root, `#${CSS.escape(id ?? "")}`).length === 0;
  }

  /** @param {Element} element */
  function isThere(element) {
    if (!isRendered(element, SEEN)) return hasVisibleLabel(element);
    if (hasNodes(element)) return true;
    const { width, height } = boxOf(element);
    return (width > 0 && height > 0) || isVisible(element) || hasVisibleLabel(element);
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether a click on a label acts on it although it may be hidden
   */
  function hasVisibleLabel(element) {
    return CHECKED.has(kindOf(element)) && labelsOf(element).some(isVisible);
  }

  return { HEADINGS, distantItemsIn, grippedRole, hasVisibleLabel, isLabeling };
})();
