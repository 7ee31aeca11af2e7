"use strict";

// The list that a field opens, and its options.

const listOptions = (() => {
  const {
    attributeOf,
    boxOf,
    childrenOf,
    closestOf,
    hasIn,
    holds,
    isControl,
    isAfter,
    isMatch,
    outermost,
    parentElementOf,
    queryAll,
    queryDrawnIn,
    queryIn,
    referred,
    tagOf,
    textContentOf,
    treeAncestors,
    roleOf,
  } = dom;
  const { collapse, drawnTextOf, folded, visibleTextOf } = texts;
  const { handleOf, isBoxless, isClippedAway, isPositioned, isVisible, isVisuallyHidden } = geometry;
  const { allRoots } = search;
  const { selectorOf } = selectorGenerator;
  const { isDrawnFor, nativeBehind } = standIns;
  const { isSameTime } = sameValues;
  const { isUndeclared, maySearch, wrapperOf } = widgets;

  const POPUPS = "[role='listbox'], [role='tree'], [role='grid']";
  /** A field that is itself the list of its options; one that opens another list is only a field (Dojo). */
  const OWN_LIST = "[role='listbox']:not([aria-haspopup='true'], [aria-haspopup='listbox'])";
  /** What a field may name as its list. */
  const LISTS = `${POPUPS}, [role='menu']`;
  const OPTION_ROLES = [
    "[role='option'], [aria-selected]:not([role])",
    "[role='treeitem']",
    "[role='row']",
    "[role^='menuitem']",
  ];
  const TICK = /^[\u2611\u2705\u2713\u2714]\ufe0f? ?| ?[\u2611\u2705\u2713\u2714]\ufe0f?$/u;
  const LIST_LIMIT = 2_000;
  /** @type {WeakMap<Element, Set<Element>>} */
  const standing = new WeakMap();
  /** @type {WeakSet<Element>} fields that declare that their lists are open; others declare that they are closed, always */
  const declaring = new WeakSet();
  /** @type {WeakMap<Element, Element>} the fields that have opened lists */
  const openers = new WeakMap();
  /** @type {WeakMap<Element, Watch>} */
  const watches = new WeakMap();
  /** Between a field and a list that opens for it, in pixels. */
  const MOST_DISTANCE = 60;
  const CELLS = "td, [role='gridcell']";
  const DAY = /^\D{0,3}(?:[1-9]|[12]\d|3[01])\D{0,3}$/u;
  /** A calendar shows at least as many days as the shortest month has, and no higher number than the longest. */
  const FEWEST_DAYS = 28;
  const LAST_DAY = 31;
  const MOST_CELLS = 500;
  const SHUT = "[role='treeitem'][aria-expanded='false']";
  const NAMED_TOGGLES = "[class*='toggle' i], [class*='switcher' i], [class*='expand' i]";
  const TOGGLES = `button, [role='button'], ${NAMED_TOGGLES}`;
  /** A branch may declare only that it is open. */
  const PERHAPS_SHUT = `${SHUT}, [role='treeitem']:not([aria-expanded])`;
  /** @type {WeakSet<Element>} branches that were to be opened */
  let opened = new WeakSet();

  /**
   * @param {Element} field
   * @returns {Element | null} the element with the options, if it is drawn
   */
  function popupOf(field) {
    if (isMatch(field, OWN_LIST) && !isControl(field)) return field;
    const bearer = wrapperOf(field) ?? field;
    const states = [field, bearer].map((one) => attributeOf(one, "aria-expanded"));
    if (states.includes("true")) declaring.add(field);
    const known = standing.get(field);
    // A closed list may still be fading out.
    const isClosed = states.includes("false");
    if (isClosed && (!known || declaring.has(field))) return null;
    const [active] = referred(field, "aria-activedescendant");
    const around = active && closestOf(active, POPUPS);
    const outside = namedBy(field, bearer);
    const all = outside.flatMap((one) => {
      if (isMatch(one, LISTS)) return one;
      const lists = queryDrawnIn(one, LISTS);
      const columns = columnsAround(lists.filter((list) => roleOf(list) === "menu"));
      return [...(columns ? [columns] : []), ...lists, one];
    });
    const own = [...all, ...(around ? [around] : [])].find((one) => one !== field && hasOptions(one));
    if (isClosed) return own && !known?.has(own) ? own : null;
    if (own) return own;
    const layer = outside[0] && attributeOf(field, "aria-expanded") === "true" ? layerAround(outside[0]) : null;
    if (layer) return layer;
    const fresh = openLists(field).filter((one) => !known?.has(one));
    if (known) for (const one of fresh) openers.set(one, field);
    const listed = columnsAround(fresh.filter((one) => roleOf(one) === "menu")) ?? fresh.at(-1);
    return listed ?? plainListOf(field) ?? undeclaredListOf(field);
  }

  /**
   * @param {Element} field
   * @param {Element} bearer of its role, perhaps around it
   * @returns {Element[]} what it names as its list
   */
  function namedBy(field, bearer) {
    const named = [field, bearer].flatMap((one) =>
      ["aria-controls", "aria-owns"].flatMap((name) => referred(one, name)),
    );
    // Some fields name the part of themselves that shows their value.
    return named.filter((one) => isMatch(one, LISTS) || !holds(field, one));
  }

  /**
   * @param {Element} field
   * @returns {boolean} whether what is open for it is a calendar
   */
  function hasCalendar(field) {
    return namedBy(field, wrapperOf(field) ?? field).some((one) => isVisible(one) && isCalendar(one));
  }

  /** @param {Element} popup @returns {boolean} whether it has the days of a month */
  function isCalendar(popup) {
    const cells = queryDrawnIn(popup, CELLS).slice(0, MOST_CELLS);
    const all = cells.map((one) => collapse(textContentOf(one) ?? ""));
    return all.filter((text) => DAY.test(text)).length >= FEWEST_DAYS && !all.some((text) => Number(text) > LAST_DAY);
  }

  /**
   * @param {Element[]} menus
   * @returns {Element | null} what holds them, if there are several: each opens the next one
   */
  function columnsAround(menus) {
    const [first, ...others] = menus;
    if (!first || !others.length) return null;
    return [...treeAncestors(first)].find((one) => others.every((other) => holds(one, other))) ?? null;
  }

  /**
   * @param {Element} field drawn in the place of a native list
   * @returns {Element | null} the list after it whose options have no role, but are those of the native list
   */
  function plainListOf(field) {
    const native = nativeBehind(field);
    if (!native || !isDrawnFor(field, native)) return null;
    const labels = new Set([...native.options].map(({ label }) => fold(label)).filter(Boolean));
    const isOption = (/** @type {Element} */ one) =>
      tagOf(one) !== "option" &&
      labels.has(fold(textContentOf(one) ?? "")) &&
      isAfter(one, field) &&
      !holds(field, one) &&
      isVisible(one) &&
      ![...treeAncestors(one)].some(isClippedAway) &&
      !queryIn(one, "*").some(isOption);
    for (const around of treeAncestors(field)) {
      const first = queryIn(around, "*").find(isOption);
      if (first) return parentElementOf(first);
      if (isMatch(around, "form, body")) return null;
    }
    return null;
  }

  /**
   * @param {Element} field
   * @returns {Element | null} what has opened over the page next to a field that declares no list
   */
  function undeclaredListOf(field) {
    const isOver = (/** @type {Element} */ one) => isPositioned(one) && !holds(one, field);
    const isOfField = (/** @type {Element} */ one) =>
      [...treeAncestors(one)].some(isOver) && leavesIn(one).length > 0 && isNextTo(one, handleOf(field));
    const appeared = watches.get(field)?.appeared() ?? [];
    return appeared.find(isOfField) ?? null;
  }

  /**
   * @param {Element} layer
   * @param {Element} field
   */
  function isNextTo(layer, field) {
    const own = boxOf(field);
    const isNear = (/** @type {Element} */ one) => {
      const { bottom, left, right, top } = boxOf(one);
      const distance = Math.max(top - own.bottom, own.top - bottom);
      return left < own.right && right > own.left && distance < MOST_DISTANCE && isVisible(one);
    };
    return [layer, ...queryIn(layer, "*").slice(0, LIST_LIMIT)].some(isNear);
  }

  /** @param {Element} field */
  function openLists(field) {
    const all = allRoots().flatMap((root) => queryAll(root, LISTS));
    return all.filter((one) => one !== field && !holds(one, field) && hasOptions(one));
  }

  /**
   * @param {Element} field about to be operated: lists that are already on the page are not its own
   * @param {Watch | undefined} watch of what comes
   */
  function begin(field, watch) {
    opened = new WeakSet();
    // While its list is open, it may be another element that takes the focus.
    if (watch && (isUndeclared(field) || maySearch(field))) watches.set(field, watch);
    // Its own list may still be fading out.
    const others = openLists(field).filter((one) => openers.get(one) !== field);
    if (attributeOf(field, "aria-expanded") !== "true") standing.set(field, new Set(others));
  }

  /**
   * @param {Element} list whose options are not drawn, because the page draws others without a role instead
   * @returns {Element | null} the layer over the page that contains those
   */
  function layerAround(list) {
    for (const one of treeAncestors(list)) {
      if (isPositioned(one) && isVisible(one)) return !isCalendar(one) && leavesIn(one).length ? one : null;
    }
    return null;
  }

  /** @param {Element} layer */
  function leavesIn(layer) {
    const all = queryIn(layer, "*").slice(0, LIST_LIMIT);
    const isLeaf = (/** @type {Element} */ one) =>
      isVisible(one) && collapse(visibleTextOf(one)) !== "" && ![...treeAncestors(one)].some(isVisuallyHidden);
    const isOwn = (/** @type {Element} */ one) => isMatch(layer, POPUPS) || closestOf(one, POPUPS) === null;
    return all.filter((one) => queryIn(one, "*").length === 0 && isOwn(one) && isLeaf(one));
  }

  /** @param {Element} popup */
  function hasOptions(popup) {
    const { width, height } = boxOf(popup);
    const isOpenBox = getComputedStyle(popup).overflow === "visible";
    const isDrawn = isOpenBox || (isVisible(popup) && (width > 1 || height > 1));
    return isDrawn && !isCalendar(popup) && optionsIn(popup).length > 0;
  }

  /**
   * @param {Element} popup
   * @returns {Element[]} those that are drawn
   */
  function optionsIn(popup) {
    const isColumns = () => queryDrawnIn(popup, "[role='menu']").filter(isVisible).length > 1;
    if (!isMatch(popup, LISTS) && !isColumns()) return leavesIn(popup);
    for (const selector of OPTION_ROLES) {
      const found = queryDrawnIn(popup, selector).slice(0, LIST_LIMIT).filter(isVisible);
      if (found.length) return found;
    }
    return hasIn(popup, "li") ? leavesIn(popup) : [];
  }

  /**
   * @param {Element} option
   * @returns {string} what users read on it, without what only screen readers read out, such as "Selected"
   */
  function labelOf(option) {
    const row = rowOf(option);
    const hidden = queryIn(row, "*").filter((one) => isVisuallyHidden(one) && !isBoxless(one));
    const seen = outermost(hidden).reduce(withoutTextOf, drawnTextOf(row));
    return unticked(seen) || wholeLabelOf(option);
  }

  /**
   * @param {string} text
   * @param {Element} part
   */
  function withoutTextOf(text, part) {
    const own = visibleTextOf(part).trim();
    const at = own ? text.lastIndexOf(own) : -1;
    return at < 0 ? text : `${text.slice(0, at)} ${text.slice(at + own.length)}`;
  }

  /**
   * @param {Element} option
   * @returns {string} its label with what is hidden, which takes less time
   */
  function wholeLabelOf(option) {
    return unticked(drawnTextOf(rowOf(option))) || collapse(attributeOf(option, "aria-label") ?? "");
  }

  /**
   * @param {Element} option
   * @returns {Element} the part of it that is its own, without the branch of a tree below it
   */
  function rowOf(option) {
    if (roleOf(option) !== "treeitem" || !hasIn(option, "[role='treeitem']")) return option;
    const isOwn = (/** @type {Element} */ one) => !hasIn(one, "[role='treeitem']") && collapse(drawnTextOf(one)) !== "";
    return [...childrenOf(option)].find(isOwn) ?? option;
  }

  /**
   * @param {Element} field
   * @returns {{selector: string} | null} what opens the next branch of the field's tree; null if there is none
   */
  function nextBranch(field) {
    const popup = popupOf(field);
    const branches = popup ? queryDrawnIn(popup, PERHAPS_SHUT).filter((one) => !opened.has(one) && isVisible(one)) : [];
    for (const branch of branches) {
      opened.add(branch);
      // A leaf has none.
      const toggle = toggleOf(branch);
      if (toggle) return { selector: toggle };
    }
    return null;
  }

  /**
   * @param {Element} option
   * @returns {string} what opens it, without choosing it; empty if it is open, or not a branch of a tree
   */
  function toggleOf(option) {
    if (!isMatch(option, PERHAPS_SHUT)) return "";
    const toggles = queryIn(option, isMatch(option, SHUT) ? TOGGLES : NAMED_TOGGLES).filter(isVisible);
    const toggle = toggles.find((one) => closestOf(one, "[role='treeitem']") === option) ?? toggleNextTo(option);
    return toggle ? selectorOf(toggle, allRoots()) : "";
  }

  /**
   * @param {Element} branch
   * @returns {Element | undefined} what opens it, in a row that it shares with no other branch
   */
  function toggleNextTo(branch) {
    const row = parentElementOf(branch);
    const isOnly = row !== null && queryIn(row, "[role='treeitem']").length === 1;
    return isOnly ? queryIn(row, NAMED_TOGGLES).find((one) => isVisible(one) && !holds(branch, one)) : undefined;
  }

  /**
   * @param {string} text
   * @returns {string} without the tick that some lists put next to selected options
   */
  function unticked(text) {
    return collapse(text).replace(TICK, "");
  }

  /** @param {string} text */
  function fold(text) {
    return folded(unticked(text));
  }

  /**
   * @param {Element[]} options
   * @param {string} wanted
   * @param {boolean} isLoose whether a single partial match is accepted
   */
  function optionLike(options, wanted, isLoose) {
    const value = (/** @type {Element} */ one) =>
      attributeOf(one, "data-value") ?? attributeOf(one, "value") ?? attributeOf(one, "aria-label");
    const hasValue = (/** @type {Element} */ one) => value(one) !== null && fold(value(one) ?? "") === goal;
    const goal = fold(wanted);
    const has = (/** @type {Element} */ one) => fold(wholeLabelOf(one)).includes(goal);
    const exact =
      options.find((one) => wholeLabelOf(one) === wanted) ??
      options.find((one) => fold(wholeLabelOf(one)) === goal) ??
      options.find((one) => has(one) && fold(labelOf(one)) === goal) ??
      options.find((one) => isSameTime(wholeLabelOf(one), wanted)) ??
      options.find(hasValue);
    if (exact || !isLoose || !goal) return exact;
    const like = options.filter(has);
    return like.length === 1 ? like[0] : undefined;
  }

  /**
   * @param {Element[]} options
   * @returns {Element[]} the selected ones; a web component may have an attribute of its own for that, next to one of
   *   ARIA that is not up to date
   */
  function selectedAmong(options) {
    const own = options.filter((one) => tagOf(one).includes("-") && attributeOf(one, "selected") !== null);
    return own.length ? own : options.filter((one) => isMatch(one, "[aria-selected='true'], [aria-checked='true']"));
  }

  return {
    NAMED_TOGGLES,
    POPUPS,
    begin,
    fold,
    hasCalendar,
    labelOf,
    nextBranch,
    optionLike,
    optionsIn,
    popupOf,
    rowOf,
    selectedAmong,
    toggleOf,
    wholeLabelOf,
  };
})();
