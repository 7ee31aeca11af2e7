"use strict";

// What elements are to assistive technology: their roles, and which of them can be acted on.

const roles = (() => {
  const {
    attributeOf,
    boxOf,
    childrenOf,
    closestOf,
    drawnAncestors,
    hasIn,
    holds,
    innerRootOf,
    isContentEditable,
    isHtml,
    isMatch,
    kindOf,
    parentElementOf,
    queryIn,
    tagOf,
    textContentOf,
    treeAncestors,
  } = dom;
  const { plain } = texts;

  const CHECKABLE = new Set(["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"]);
  const BUTTONS = "button, [role=button]";
  const STOPS = "[tabindex='0'][role]";
  /** Levels to climb from a part of an item to its list. */
  const ROVING_LEVELS = 4;
  /** ARIA roles of elements that users act on. */
  const ACTED_ON = new Set(
    (
      "button checkbox combobox gridcell link listbox menuitem menuitemcheckbox menuitemradio option radio row scrollbar " +
      "searchbox slider spinbutton switch tab textbox treeitem"
    ).split(" "),
  );
  /** Cells and lists count only if they take the focus or the mouse themselves. */
  const ACTED_ON_AT_TIMES = new Set(["gridcell", "listbox", "row", "scrollbar"]);
  /** Parts of the page that are not something to act on, even with a tabindex. */
  const STRUCTURES = new Set(
    (
      "alert alertdialog application article banner complementary contentinfo definition dialog directory document feed " +
      "figure form grid group heading img list listitem log main marquee math menu menubar navigation none note " +
      "presentation radiogroup region rowgroup search status table tablist tabpanel term timer toolbar tooltip tree treegrid"
    ).split(" "),
  );
  const SECTIONS = new Set("article aside dialog fieldset figure footer form header main nav section table".split(" "));
  const GRID_PARTS = new Map([
    ["td", "gridcell"],
    ["th", "gridcell"],
    ["tr", "row"],
  ]);
  const KINDS = new Map([
    ["button", "button"],
    ["checkbox", "checkbox"],
    ["color", "color"],
    ["date", "date"],
    ["datetime-local", "datetime"],
    ["file", "file"],
    ["image", "button"],
    ["month", "month"],
    ["number", "number"],
    ["password", "password"],
    ["radio", "radio"],
    ["range", "slider"],
    ["reset", "button"],
    ["search", "searchbox"],
    ["submit", "button"],
    ["time", "time"],
    ["week", "week"],
  ]);
  const TAGS = new Map([
    ["a", "link"],
    ["area", "link"],
    ["audio", "audio"],
    ["button", "button"],
    ["canvas", "canvas"],
    ["select", "select"],
    ["summary", "summary"],
    ["textarea", "textbox"],
    ["video", "video"],
  ]);
  const COMPONENTS = /-(button|checkbox|radio|switch|tab)$/u;
  /** Elements that are named by what is next to them rather than inside them. */
  const FIELDS = new Set(
    (
      "canvas color combobox date datetime file frame listbox month number password scrollable searchbox select slider " +
      "spinbutton textbox time week"
    ).split(" "),
  );
  /** Close icons of tabs: they have no words of their own, and the tab's name is not theirs. */
  const CLOSERS = "[role=tab] [class*=close i]:not([class*=closed i], [class*=close i] *)";
  /** Headers of columns that only their classes declare to be sorted by a click. */
  const SORTING = "[role=columnheader][class*='-sortable' i]";
  /** Elements that may be acted on, by their own markup. */
  const CANDIDATES =
    `${CLOSERS}, ` +
    "a[href], area[href], button, input:not([type=hidden]), select, textarea, summary, canvas, audio[controls], " +
    "video[controls], [contenteditable]:not([contenteditable=false]), [role], [tabindex]:not([tabindex^='-']), " +
    `:is(td, th, tr)[tabindex], [aria-sort], [aria-expanded][aria-controls]:not([role]), ${SORTING}, [draggable=true], [onclick], [ondblclick], [onmousedown], [onmouseup], [onmouseover], ` +
    "[onpointerdown], [onpointerup], [ontouchstart], [ondrop], [onkeydown]";
  /** The same without elements that only have a role or a tabindex. */
  const LISTENERS = CANDIDATES.replace(`${CLOSERS}, `, "").replace(/\[role\], .*tr\)\[tabindex\], /u, "");
  /** Parts with a role that ARIA does not have, such as the nodes of a diagram, if they take the focus. */
  const DESCRIBED = "[aria-roledescription][tabindex='0']";
  /** Controls that may have a part to grab; a range has two, which differ. */
  const HANDLED = "[role=slider], [role=switch]";
  const ONE_OF_SEVERAL = ":has(~ [tabindex]), [tabindex] ~ *";
  const PARTS = "a[href], button, input:not([type=hidden]), select, textarea, [role=button]";
  /** An element with so many parts to act on is a panel, not a control. */
  const MANY = 3;
  /** An application fills at least this share of the window's width and height. */
  const FILLING = 0.9;

  /**
   * @param {Element} element
   * @returns {boolean} whether it closes its tab, by an icon or one character
   */
  function isCloser(element) {
    return isMatch(element, CLOSERS) && plain(textContentOf(element) ?? "").length < 2;
  }

  /**
   * @param {Element} element one of the candidates
   * @returns {string} empty if it cannot be acted on
   */
  function roleOf(element) {
    const native = isHtml(element) ? nativeRoleOf(element) : "";
    const declared = attributeOf(element, "role")?.trim().split(/\s+/u, 1)[0]?.toLowerCase();
    if (native && !declared) return native;
    if (declared && STRUCTURES.has(declared) && !native) {
      return isMatch(element, `${LISTENERS}, ${DESCRIBED}`) ? "clickable" : "";
    }
    if (declared && ACTED_ON.has(declared) && native !== "select" && native !== "password") {
      const isSo = native || !ACTED_ON_AT_TIMES.has(declared) || isMatch(element, "[tabindex], [onclick]");
      return isSo ? declared : "";
    }
    const mayStop = !SECTIONS.has(tagOf(element)) && isMatch(element, "[tabindex]:not([tabindex^='-'])");
    const own = componentRoleOf(element);
    if (own || native) return own || native;
    const isStop = mayStop && !isScrolled(element) && !isAroundPage(element) && !isAroundParts(element);
    const isClickable = isStop || isMatch(element, LISTENERS) || isCloser(element);
    return isClickable && !isHandle(element) ? "clickable" : "";
  }

  /**
   * @param {Element} element that takes the focus or the mouse
   * @returns {boolean} whether it is only what users grab of the control around it, such as the knob of a switch
   */
  function isHandle(element) {
    const isNamed = Boolean(textContentOf(element)?.trim() || attributeOf(element, "aria-label"));
    if (isNamed || isMatch(element, ONE_OF_SEVERAL)) return false;
    return [...drawnAncestors(element)].slice(1).some((one) => isMatch(one, HANDLED));
  }

  /**
   * @param {Element} element that takes the focus
   * @returns {boolean} whether that may only serve to scroll it by keys
   */
  function isScrolled(element) {
    const { cursor, overflowX, overflowY } = getComputedStyle(element);
    return cursor === "auto" && [overflowX, overflowY].some((one) => one === "auto" || one === "scroll");
  }

  /**
   * @param {Element} element that takes the focus
   * @returns {boolean} whether it fills the window around other elements to act on: an application that reads keys
   */
  function isAroundPage(element) {
    const { width, height } = boxOf(element);
    return width >= FILLING * innerWidth && height >= FILLING * innerHeight && hasIn(element, CANDIDATES);
  }

  /**
   * @param {Element} element that takes the focus
   * @returns {boolean} whether it only keeps the focus, or reads keys, for the parts of a dialog or a panel
   */
  function isAroundParts(element) {
    return queryIn(element, PARTS).length >= MANY;
  }

  /**
   * @param {Element} element
   * @returns {string} the role in the name of a web component that takes the focus: the one that its script has set is
   *   known to the browser only
   */
  function componentRoleOf(element) {
    const [, role = ""] = COMPONENTS.exec(tagOf(element)) ?? [];
    return role && isMatch(element, "[tabindex]") && innerRootOf(element) ? role : "";
  }

  /**
   * @param {Element} element
   * @param {Map<string, Element[]>} stops see `stopsAmong`
   * @returns {string} its role if the Tab key skips it, but arrow keys reach it from one like it, which alone may have the
   *   role, such as the first file of a list; for a web component, see `componentRoleOf`
   */
  function rovingRoleOf(element, stops) {
    if (attributeOf(element, "tabindex") !== "-1") return "";
    const role = componentRoleOf(element);
    const around = role ? parentElementOf(element) : null;
    const isStop = (/** @type {Element} */ one) =>
      tagOf(one) === tagOf(element) && attributeOf(one, "tabindex") === "0";
    if (around) return [...childrenOf(around)].some(isStop) ? role : "";
    if (!attributeOf(element, "class") || attributeOf(element, "role") !== null) return "";
    const list = [...treeAncestors(element, ROVING_LEVELS)].at(-1);
    const stop = list && stops.get(styledTagOf(element))?.find((one) => holds(list, one));
    return stop ? roleOf(stop) : "";
  }

  /**
   * @param {Iterable<Element>} elements with a role, at which the Tab key stops
   * @returns {Map<string, Element[]>} by `styledTagOf`
   */
  function stopsAmong(elements) {
    return Map.groupBy(elements, styledTagOf);
  }

  /** @param {Element} element */
  function styledTagOf(element) {
    return `${tagOf(element)} ${attributeOf(element, "class") ?? ""}`;
  }

  /** @param {Element} element */
  function nativeRoleOf(element) {
    const tag = tagOf(element);
    if (tag === "input") return KINDS.get(kindOf(element)) ?? "textbox";
    if (tag === "a" && attributeOf(element, "href") === null) return "";
    if (GRID_PARTS.has(tag) && closestOf(element, "table[role=grid], table[role=treegrid]")) {
      return attributeOf(element, "tabindex") === null ? "" : (GRID_PARTS.get(tag) ?? "");
    }
    return TAGS.get(tag) ?? (isContentEditable(element) ? "textbox" : "");
  }

  /** @param {string} role */
  function isNamedByContent(role) {
    return !FIELDS.has(role);
  }

  return {
    BUTTONS,
    CANDIDATES,
    CHECKABLE,
    CLOSERS,
    STOPS,
    componentRoleOf,
    isCloser,
    isNamedByContent,
    roleOf,
    rovingRoleOf,
    stopsAmong,
  };
})();
