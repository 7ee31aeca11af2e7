"use strict";

// Elements that stand for others, or only serve screen readers, forms or the layout: users do not act on them.

const proxies = (() => {
  const {
    attributeOf,
    childrenOf,
    closestDrawnOf,
    closestOf,
    controlOf,
    hasIn,
    hasNodes,
    holds,
    isControl,
    isMatch,
    isReadOnly,
    isTextField,
    parentElementOf,
    queryIn,
    referred,
    tagOf,
    textContentOf,
  } = dom;
  const { SEEN, isClippedAway, isDrawn, isLayerOver, isRendered, isVisible } = geometry;
  const { roleOf } = roles;
  const { accessibleNameOf } = accessibleNames;
  const { DRAWN_CHECKED } = surroundingNames;
  const { hasVisibleLabel } = offscreenItems;
  const { isOnlySpoken } = itemPlaces;
  const { isStandIn } = standIns;

  const RULE = /^\s*[-\u2010-\u2015\u2500_=]{3,}\s*$/u;
  const GUARDS = new Set("button clickable link".split(" "));

  /**
   * @param {Element} element
   * @param {string} role
   * @returns {boolean} whether users do not see it: a field that the page draws itself, a guard that returns the focus, a
   *   field that only takes the keys of a button, or a canvas below others of the same picture
   */
  function isProxy(element, role) {
    if (isStandIn(element) || isCheckedElsewhere(element)) return true;
    if (role === "canvas") return !hasNodes(element) && isUnderLayer(element);
    if (role !== "select" && !GUARDS.has(role)) return false;
    if (!isClippedAway(element)) return false;
    return role === "select" || isTextField(element) || accessibleNameOf(element, true) === "";
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it is a hidden box to check, and the page has drawn one with its name next to it
   */
  function isCheckedElsewhere(element) {
    if (!isMatch(element, "[type=checkbox], [type=radio]") || isRendered(element, SEEN)) return false;
    const around = parentElementOf(element);
    const [drawn, ...others] = around ? queryIn(around, DRAWN_CHECKED).filter(isVisible) : [];
    const isAlone = drawn !== undefined && !others.length;
    return isAlone && accessibleNameOf(drawn, true).includes(accessibleNameOf(element, false));
  }

  /** @param {Element} canvas */
  function isUnderLayer(canvas) {
    const around = parentElementOf(canvas);
    if (!around || accessibleNameOf(canvas, false)) return false;
    const siblings = [...childrenOf(around)];
    return siblings.slice(siblings.indexOf(canvas) + 1).some((one) => isVisible(one) && isLayerOver(one, canvas));
  }

  /**
   * @param {Element} element
   * @param {string} role
   * @returns {boolean} whether it is only a line between items of a menu, or an unnamed place in a calendar
   */
  function isFiller(element, role) {
    if (role === "gridcell") return attributeOf(element, "aria-label") === "" && !textContentOf(element)?.trim();
    return role === "menuitem" && RULE.test(attributeOf(element, "aria-label") ?? textContentOf(element) ?? "");
  }

  /**
   * @param {HTMLLabelElement} label
   * @returns {boolean} whether the field that it names is listed
   */
  function namesListed(label) {
    if (hasIn(label, DRAWN_CHECKED)) return true;
    const { control } = label;
    // A web component may be for display only.
    if (!control || isCopy(control)) return false;
    if (tagOf(control).includes("-") && !controlOf(control) && !roleOf(control)) return false;
    return isRendered(control, SEEN) || hasVisibleLabel(control);
  }

  /**
   * @param {HTMLLabelElement} label
   * @returns {boolean} whether it says nothing but the name of a listed field: in a card, the name may be a part of it
   */
  function isOnlyName(label) {
    if (!namesListed(label)) return false;
    const names = label.control ? referred(label.control, "aria-labelledby") : [];
    const words = (/** @type {Element} */ one) => (textContentOf(one) ?? "").replace(/\s+/gu, "");
    return names.every((one) => one === label || !holds(label, one) || words(one) === words(label));
  }

  /**
   * @param {Element} element
   * @param {string} tag
   * @returns {boolean} whether it only labels a field: the one in it, whatever its role, or another one
   */
  function isLabelOfListed(element, tag) {
    if (tag !== "label") return false;
    const { control } = /** @type {HTMLLabelElement} */ (element);
    const isOwn = control !== null && (holds(element, control) || attributeOf(element, "role") === null);
    return isOwn && namesListed(/** @type {HTMLLabelElement} */ (element));
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it is hidden from screen readers, and only serves for measuring, to give a form a value, to
   *   draw a border or a sign, or to show in another field how a word goes on
   */
  function isCopy(element) {
    if (attributeOf(element, "role") === "presentation") return isHint(element);
    if (attributeOf(element, "aria-hidden") !== "true") return false;
    const isUnseen = () => isTextField(element) && !isDrawn(element);
    const isBorder = () => tagOf(element) === "fieldset" && !hasIn(element, "input, select, textarea, button");
    return isOnlySpoken(element, getComputedStyle(element)) || isUnseen() || isBorder() || isHint(element);
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it shows a sign or a word, and takes no text
   */
  function isHint(element) {
    return isTextField(element) && isReadOnly(element) && attributeOf(element, "tabindex") === "-1";
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it is the combobox of ARIA 1.1 around its field, which is listed itself, or the place of
   *   that field among chosen options
   */
  function isAroundField(element) {
    const isCombobox = attributeOf(element, "role") === "combobox" && !isControl(element);
    const isPlace = attributeOf(element, "role") === "option" && !textContentOf(element)?.trim();
    if (!isCombobox && !isPlace) return false;
    const isField = (/** @type {Element} */ one) => isTextField(one) && isVisible(one) && !isCopy(one);
    const own = controlOf(element);
    return own ? isField(own) : queryIn(element, "input, textarea").filter(isField).length === 1;
  }

  /**
   * @param {Element} element
   * @param {string} role
   * @returns {boolean} whether it only shows what is chosen in the combobox around it
   */
  function isShownIn(element, role) {
    if (role === "option") return closestOf(element, "[role=combobox][aria-expanded=false]") !== null;
    if (role !== "textbox") return false;
    const isFixed = !isControl(element) && attributeOf(element, "aria-readonly") === "true";
    return isFixed && closestOf(element, "[role=combobox]") !== null;
  }

  /** @param {Element} element */
  function isInCombobox(element) {
    return isControl(element) && closestDrawnOf(element, "[role=combobox]") !== null;
  }

  return { isAroundField, isCopy, isFiller, isInCombobox, isLabelOfListed, isOnlyName, isProxy, isShownIn };
})();
