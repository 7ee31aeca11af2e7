"use strict";

// How an element without a name of its own is known: by its label, its row and column, or the text next to it.

const surroundingNames = (() => {
  const {
    BODY_CELLS,
    NATIVE_FIELDS,
    attributeOf,
    boxOf,
    childrenOf,
    closestDrawnOf,
    closestOf,
    controlOf,
    dataOf,
    hasIn,
    holderOf,
    holds,
    isControl,
    isElement,
    isHtml,
    isMatch,
    isText,
    kindOf,
    labelsOf,
    nextElementOf,
    onceATurn,
    parentElementOf,
    previousElementOf,
    queryIn,
    rootOf,
    tagOf,
    textContentOf,
    treeAncestors,
  } = dom;
  const { plain, shorten } = texts;
  const { SEEN, isClippedAway, isDrawn, isRendered, isVisible, veiledBy } = geometry;
  const { accessibleNameOf, contentOf } = accessibleNames;
  const { plainQuote } = states;
  const { drawnFrameOf } = shownValues;
  const { DIALOGS, isClipped } = pageState;

  /** Fields that are named by the text before them, if by nothing else. */
  const NEIGHBORLY = new Set(
    "color combobox date datetime listbox month number password searchbox select slider spinbutton textbox time week".split(
      " ",
    ),
  );
  const CHECKED = new Set("checkbox radio switch".split(" "));
  const DRAWN_CHECKED = "[role=checkbox], [role=radio], [role=switch]";
  /** Elements that may consist of an icon, so that only their place distinguishes them. */
  const ICONS = new Set("button clickable draggable link".split(" "));
  /** Levels to climb to find the text before or after a field, its hidden stand-in, or the entry of a list that it is in. */
  const NEIGHBOR_STEPS = 5;
  const LABEL_STEPS = 8;
  const FOLLOWER_STEPS = 3;
  const STAND_IN_STEPS = 6;
  const ENTRY_STEPS = 8;
  const NEIGHBOR_LENGTH = 60;
  const HEAD_LENGTH = 40;
  /** Reading of a text stops after this many characters: longer names are cut anyway. */
  const ENOUGH = 400;
  /** Without the inputs that only draw something, such as the arrow of a list (Dojo). */
  const CONTROLS =
    "input:not([role~='presentation']), select, textarea, button, a[href], iframe, [contenteditable], [tabindex='0']";
  const UNSEEN = "[aria-hidden='true'], input[type='hidden']";
  /** Sliders: the two thumbs of a range have one label. */
  const SLIDERS = "[role=slider]";
  const LABEL_CELLS = "td, th, dt";
  const CELLS = "td, th, [role=gridcell], [role=cell], [role=rowheader]";
  /** Labels around no field. */
  const LABELS = "label:not(:has(input, select, textarea))";
  const BUTTONS = "button, [role=button]";
  const CHECKBOXES = "input[type=checkbox], [role=checkbox]";
  const CHECKABLE = "[type=checkbox], [type=radio]";
  const HEADERS = "th, [role=columnheader]";
  const ROWS = "tr, [role=row]";
  const BRANCHES = "[role=treeitem], [role=option]";
  /** Entries that are known by their text if it is short. */
  const ENTRIES = `li, [role=listitem], ${BRANCHES}, label`;
  const TITLES = "h1, h2, h3, h4, h5, h6, [role=heading], a[href]";

  /** The row of headers of a table. */
  const headersOf = onceATurn((/** @type {Element} */ table) => queryIn(table, ROWS).find(isHeader));
  /** Fields other than check boxes and radio buttons, whose labels are there for the mouse, too. */
  const uncheckablesIn = onceATurn((/** @type {Element} */ around) =>
    queryIn(around, NATIVE_FIELDS).filter((one) => !isMatch(one, CHECKABLE)),
  );
  /** Entries of a list, by their tag and what they contain. */
  const entriesIn = onceATurn(() => /** @type {Map<string, Element[]>} */ (new Map()));

  /**
   * @param {Element} element without a name
   * @param {string} role
   * @returns {string} for example `next to "Subtitle"`, `in "Price" of "Boat"` or `of "Boat"`; empty if there is nothing
   */
  function whereOf(element, role) {
    const isIcon = ICONS.has(role);
    if (isIcon) {
      const own = cellPlaceOf(element) || branchOf(element) || drawingLabelOf(element);
      return own || neighborOf(element, true) || entryOf(element);
    }
    // The label of a check box follows it, but switches stand at the end of their lines.
    const isField = NEIGHBORLY.has(role) || role === "switch" || role === "file";
    if (!isField && !CHECKED.has(role)) return "";
    const loose = isField ? looseLabelOf(element) : "";
    // The text next to a list may be its value.
    const first = cellPlaceOf(element) || (role === "combobox" && loose);
    const near = first || (isField ? neighborOf(element) : branchOf(element));
    const found = near || legendOf(element) || entryOf(element) || (isField ? loose : followerOf(element));
    // Other fields of web components are labeled inside.
    const host = found || role !== "switch" ? null : holderOf(/** @type {Root} */ (rootOf(element)));
    return host ? neighborOf(host) : found;
  }

  /**
   * @param {Element} field
   * @returns {string} for example `of "Address"`: the legend of its group
   */
  function legendOf(field) {
    const group = closestOf(field, "fieldset");
    const legend = group && [...childrenOf(group)].find((one) => tagOf(one) === "legend");
    const name = legend ? plain(contentOf(legend, new Set(queryIn(legend, CONTROLS)))) : "";
    return name ? `of ${plainQuote(name, NEIGHBOR_LENGTH)}` : "";
  }

  /**
   * @param {string} role
   * @returns {boolean} whether elements without a name are known by their icon, too
   */
  function isIconic(role) {
    return ICONS.has(role);
  }

  /**
   * @param {Element} element
   * @returns {string} for example `of "Fruit"`: the branch of a tree, or the option, that it is part of or next to
   */
  function branchOf(element) {
    const entry = closestDrawnOf(element, `li, ${BRANCHES}`);
    const branch = entry && [entry, ...childrenOf(entry)].find((one) => isMatch(one, BRANCHES));
    const name = branch ? accessibleNameOf(branch, true) : "";
    return name ? `of ${plainQuote(name, NEIGHBOR_LENGTH)}` : "";
  }

  /**
   * @param {Element} element
   * @returns {string} for example `next to "debug 1"`: the text of the group of a drawing that it is part of, in which the
   *   order says nothing about places
   */
  function drawingLabelOf(element) {
    if (isHtml(element)) return "";
    for (const group of treeAncestors(element, FOLLOWER_STEPS)) {
      if (isHtml(group) || tagOf(group) === "svg") return "";
      const text = plain(contentOf(group).slice(0, ENOUGH));
      if (/\p{L}/u.test(text)) return text.length > NEIGHBOR_LENGTH ? "" : `next to ${plainQuote(text)}`;
    }
    return "";
  }

  /**
   * @param {Element} field
   * @param {boolean} [isIcon] whether it may belong to the element to act on before it, or to the text after it
   * @returns {string} for example `next to "Subtitle"`: the text before it
   */
  function neighborOf(field, isIcon = false) {
    const frame = isIcon ? null : drawnFrameOf(field);
    for (const [step, one] of [...treeAncestors(field, NEIGHBOR_STEPS)].entries()) {
      // What is before a dialog belongs to the page behind it.
      if (isMatch(one, DIALOGS)) return "";
      for (let before = previousOf(one); before; before = previousOf(before)) {
        // What is in its frame is its value.
        if (frame && holds(frame, before)) continue;
        // Such as a field that only takes the focus or holds the value of a picker, and the line numbers of an editor.
        if (isElement(before) && (isMatch(before, UNSEEN) || (!isIcon && isHelp(before)))) continue;
        if (isElement(before) && (isMatch(before, SLIDERS) ? isMatch(field, SLIDERS) : isUndrawn(before))) continue;
        if (isElement(before) && (isMatch(before, CONTROLS) || hasIn(before, controlsOf(before)))) {
          const last = isIcon ? lastControlIn(before) : undefined;
          // A link to skip to the content is not drawn until it has the focus.
          if (last && isClipped(last)) continue;
          return last || isSwitchOf(before, field) ? ownerIn(before) : "";
        }
        const text = plain(
          (isElement(before) ? (isRendered(before, SEEN) && contentOf(before)) || "" : dataOf(before)).slice(0, ENOUGH),
        );
        // A number is a value.
        if (!/\p{L}/u.test(text) || isBlank(before)) continue;
        return text.length > NEIGHBOR_LENGTH ? "" : `next to ${plainQuote(text)}`;
      }
      const after = isIcon && step < FOLLOWER_STEPS ? textAfter(one) : "";
      if (after) return `next to ${plainQuote(after)}`;
    }
    return "";
  }

  /**
   * @param {Element} field
   * @param {boolean} [isPrompted] whether it is known only by what to enter: then a text that shares a box with it labels it
   * @returns {string} for example `next to "Start"`: the label before it that declares no field, such as that of a picker
   */
  function looseLabelOf(field, isPrompted = false) {
    for (const one of treeAncestors(field, LABEL_STEPS)) {
      if (isMatch(one, DIALOGS)) return "";
      for (let before = previousElementOf(one); before; before = previousElementOf(before)) {
        if (isMatch(before, CONTROLS) || hasIn(before, CONTROLS)) return "";
        const declared = [before, ...queryIn(before, LABELS)].find(isLooseLabel);
        const label = declared ?? (isPrompted && isPair(before, one) ? before : undefined);
        const text = label ? plain(contentOf(label).slice(0, ENOUGH)) : "";
        if (/\p{L}/u.test(text)) return text.length > NEIGHBOR_LENGTH ? "" : `next to ${plainQuote(text)}`;
      }
    }
    return "";
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it is a label that declares no field, or one that does not exist
   */
  function isLooseLabel(element) {
    return isMatch(element, LABELS) && (!attributeOf(element, "for") || !controlOf(element));
  }

  /**
   * @param {Element} before
   * @param {Element} after
   * @returns {boolean} whether a box contains nothing else, and the first one is not the title of a part of the page
   */
  function isPair(before, after) {
    const around = parentElementOf(after);
    return (
      around !== null && [...childrenOf(around)].length === 2 && !isMatch(before, TITLES) && !hasIn(before, TITLES)
    );
  }

  /**
   * @param {Node} node
   * @returns {boolean} whether it takes no room and has no text, such as a labeled region for notifications to come
   */
  function isBlank(node) {
    if (!isElement(node)) return false;
    const { width, height } = boxOf(node);
    return !(width && height) && !textContentOf(node)?.trim();
  }

  /**
   * @param {Element} before
   * @returns {boolean} whether it is a field that only holds a value for the form
   */
  function isUndrawn(before) {
    return isControl(before) && !isRendered(before);
  }

  /**
   * @param {Element} before
   * @returns {boolean} whether it is a link that belongs to the label in front of it
   */
  function isHelp(before) {
    const label = isMatch(before, "a[href]") ? previousElementOf(before) : null;
    return label !== null && isLooseLabel(label);
  }

  /**
   * @param {Element} element a check box
   * @returns {string} for example `next to "Name"`: the text after it, such as the first header of a table
   */
  function followerOf(element) {
    for (const one of treeAncestors(element, FOLLOWER_STEPS)) {
      const text = textAfter(one);
      if (text === null) continue;
      return text && `next to ${plainQuote(text)}`;
    }
    return "";
  }

  /**
   * @param {Element} element
   * @returns {string | null} the text of the element after it; null if there is none, empty if it is no name
   */
  function textAfter(element) {
    const after = nextElementOf(element);
    const hasControls = after && (isMatch(after, CONTROLS) || hasIn(after, CONTROLS));
    const text = !after || hasControls || isBlank(after) ? "" : plain(contentOf(after).slice(0, ENOUGH));
    if (!text) return null;
    return /\p{L}/u.test(text) && text.length <= NEIGHBOR_LENGTH ? text : "";
  }

  /**
   * @param {Element} before an element to act on, or what contains some
   * @returns {string} for example `next to "Price"`: the name of the last one
   */
  function ownerIn(before) {
    const last = lastControlIn(before);
    const name = last && isRendered(last, SEEN) ? accessibleNameOf(last, true) : "";
    return name ? `next to ${plainQuote(name, NEIGHBOR_LENGTH)}` : "";
  }

  /** @param {Element} before */
  function lastControlIn(before) {
    return isMatch(before, CONTROLS) ? before : queryIn(before, CONTROLS).at(-1);
  }

  /**
   * @param {Element} before with an element to act on
   * @param {Element} field
   * @returns {boolean} whether that is a check box in the same line, whose label says what the field is for
   */
  function isSwitchOf(before, field) {
    const [box, ...others] = queryIn(before, CONTROLS);
    if (!box || others.length || !isMatch(box, CHECKABLE)) return false;
    const { left, top, bottom } = boxOf(field);
    const { y, height, right } = boxOf(before);
    return right <= left + 1 && y < bottom && y + height > top;
  }

  /**
   * @param {string} role
   * @returns {boolean} whether its elements usually have their labels in front of them
   */
  function isNeighborly(role) {
    return NEIGHBORLY.has(role);
  }

  /**
   * @param {Element} before
   * @returns {string} its text that belongs to no other field; the label of a row may be a link
   */
  function controlsOf(before) {
    return isMatch(before, LABEL_CELLS) ? CONTROLS.replace("a[href], ", "") : CONTROLS;
  }

  /**
   * @param {Node} node
   * @returns {Element | Text | null} the node before it
   */
  function previousOf(node) {
    let before = Reflect.get(Node.prototype, "previousSibling", node);
    while (before && !isElement(before) && !isText(before)) {
      before = Reflect.get(Node.prototype, "previousSibling", before);
    }
    return before;
  }

  /**
   * @param {Element} element
   * @returns {string} for example `in "Price" of "Boat"`: the header of its column, and what identifies its row
   */
  function cellPlaceOf(element) {
    const cell = closestOf(element, CELLS);
    const row = cell && closestOf(cell, ROWS);
    const table = row && closestOf(row, "table, [role=grid], [role=treegrid], [role=table]");
    if (!cell || !row || !table) return "";
    const heads = headersOf(table);
    if (!heads) return "";
    const column = shorten(headerOver(cell, row, heads), HEAD_LENGTH);
    // What is in the head of a table concerns a column.
    const own = heads === row || closestOf(row, "thead") ? "" : shorten(rowNameOf(row, cell, element), HEAD_LENGTH);
    return [column && `in ${plainQuote(column)}`, own && `of ${plainQuote(own)}`].filter(Boolean).join(" ");
  }

  /**
   * @param {Element} row
   * @returns {boolean} whether all its cells are headers
   */
  function isHeader(row) {
    const cells = [...childrenOf(row)];
    return cells.filter((one) => isMatch(one, HEADERS)).length > 1 && !cells.some((one) => isMatch(one, BODY_CELLS));
  }

  /**
   * @param {Element} cell
   * @param {Element} row
   * @param {Element} heads the row of headers
   */
  function headerOver(cell, row, heads) {
    const number = attributeOf(cell, "aria-colindex");
    const all = [...childrenOf(heads)];
    const numbered = number ? all.find((one) => attributeOf(one, "aria-colindex") === number) : undefined;
    const place = startOf(cell, row);
    const over = numbered ?? all.findLast((one) => startOf(one, heads) <= place);
    if (!over) return "";
    // The box that selects all rows is not its name, and nor are the buttons for sorting and the like.
    const [boxes, buttons] = [queryIn(over, CHECKBOXES), queryIn(over, BUTTONS)];
    const icons = [...boxes, ...buttons.filter(isWordless), ...queryIn(over, "a[href]").filter(isWordless)];
    return plain(contentOf(over, new Set([...icons, ...buttons])) || contentOf(over, new Set(icons)));
  }

  /**
   * @param {Element} element a button or a link
   * @returns {boolean} whether it has no words
   */
  function isWordless(element) {
    return !textContentOf(element)?.trim();
  }

  /**
   * @param {Element} cell
   * @param {Element} row
   * @returns {number} the column at which it begins
   */
  function startOf(cell, row) {
    let start = 0;
    for (const one of childrenOf(row)) {
      if (one === cell) break;
      start += Number(attributeOf(one, "colspan")) || 1;
    }
    return start;
  }

  /**
   * @param {Element} row
   * @param {Element} cell of it
   * @param {Element} element in the cell: neither it nor others of its kind there name the row
   * @returns {string} the row's header, its link, or its first text: preferably one that the next row does not have
   */
  function rowNameOf(row, cell, element) {
    const next = nextElementOf(row) ?? previousElementOf(row);
    const place = [...childrenOf(row)].indexOf(cell);
    const namesIn = (/** @type {Element} */ one) => namingIn(one, childrenOf(one)[place], tagOf(element));
    const twins = next ? namesIn(next) : [];
    const names = namesIn(row).filter((text) => /[\p{L}\p{N}]/u.test(text));
    return names.find((text) => !twins.includes(text)) ?? names[0] ?? "";
  }

  /**
   * @param {Element} row
   * @param {Element | undefined} cell
   * @param {string} tag of elements that are left out in this cell
   * @returns {string[]} the texts of the row's headers, links and other cells
   */
  function namingIn(row, cell, tag) {
    const cells = [...childrenOf(row)];
    // A check box is named after what it does.
    const [own, actions] = [cell ? queryIn(cell, CSS.escape(tag)) : [], actionsIn(cells)];
    const without = new Set([...queryIn(row, CHECKBOXES), ...own, ...actions]);
    const links = cells.flatMap((one) => queryIn(one, "a[href]")).filter((one) => !without.has(one));
    const named = [...cells.filter((one) => isMatch(one, `${HEADERS}, [role=rowheader]`)), ...links, ...cells];
    return named.map((one) => plain(contentOf(one, without).slice(0, ENOUGH)));
  }

  /**
   * @param {Element[]} cells of a row
   * @returns {Element[]} the buttons in its last cell, which do something to the row
   */
  function actionsIn([, ...others]) {
    const last = others.at(-1);
    return last ? queryIn(last, BUTTONS) : [];
  }

  /**
   * @param {Element} element in an entry of a list, each of which has one of the same kind
   * @returns {string} for example `of "Boat"`: the entry's heading or link
   */
  function entryOf(element) {
    const alike = isControl(element)
      ? `${tagOf(element)}${tagOf(element) === "input" ? `[type="${CSS.escape(kindOf(element))}"]` : ""}`
      : `[role="${CSS.escape(attributeOf(element, "role") ?? "")}"]`;
    for (const entry of treeAncestors(element, ENTRY_STEPS)) {
      const outer = parentElementOf(entry);
      if (!outer) return "";
      if (hasOther(outer, entry, alike)) {
        const inRow = [...childrenOf(entry)].find((one) => holds(one, element));
        // What an editor contains is its value.
        const titles = queryIn(entry, TITLES).filter((one) => !holds(element, one) && isTitle(one));
        const names =
          isMatch(entry, ROWS) && inRow
            ? [shorten(rowNameOf(entry, inRow, element), HEAD_LENGTH)]
            : titles.map((one) => accessibleNameOf(one, true));
        const own = isMatch(entry, ENTRIES) ? plain(contentOf(entry).slice(0, ENOUGH)) : "";
        const name = names.find(Boolean) ?? (own.length <= HEAD_LENGTH ? own : "");
        return name ? `of ${plainQuote(name, NEIGHBOR_LENGTH)}` : "";
      }
    }
    return "";
  }

  /**
   * @param {Element} one a heading or a link of an entry
   * @returns {boolean} false if it is hidden, or a sign such as "×", which does something to the entry
   */
  function isTitle(one) {
    const text = textContentOf(one)?.trim();
    return isRendered(one, SEEN) && (!text || /[\p{L}\p{N}]/u.test(text));
  }

  /**
   * @param {Element} outer
   * @param {Element} entry
   * @param {string} alike
   * @returns {boolean} whether a sibling of the entry of its kind is, or contains, an element that is alike
   */
  function hasOther(outer, entry, alike) {
    const [known, key] = [entriesIn(outer), `${tagOf(entry)} ${alike}`];
    const found = known.get(key) ?? firstEntries(outer, tagOf(entry), alike);
    known.set(key, found);
    return found.some((one) => one !== entry);
  }

  /**
   * @param {Element} outer
   * @param {string} tag
   * @param {string} alike
   * @returns {Element[]} the first two children with this tag that are, or contain, an element that is alike
   */
  function firstEntries(outer, tag, alike) {
    /** @type {Element[]} */
    const found = [];
    for (const one of childrenOf(outer)) {
      if (tagOf(one) === tag && (isMatch(one, alike) || hasIn(one, alike))) found.push(one);
      if (found.length === 2) break;
    }
    return found;
  }

  /**
   * @param {Element} element without a name
   * @returns {string} the name of the element that only surrounds it: a disabled button gets its tooltip from one; or
   *   the text that shows through it in a drawing
   */
  function wrapperNameOf(element) {
    const veiled = veiledBy(element);
    const text = veiled ? plain(contentOf(veiled)) : "";
    if (text && text.length <= NEIGHBOR_LENGTH) return text;
    const outer = parentElementOf(element);
    if (!outer || childrenOf(outer).length > 1 || attributeOf(outer, "role")) return "";
    return plain(attributeOf(outer, "aria-label") || attributeOf(outer, "title") || "");
  }

  /**
   * @param {Element} element that a page draws as a check box, a radio button or a switch
   * @returns {string} the text of the label around it, which names the hidden field that gives a form its value
   */
  function labelAround(element) {
    const label = closestOf(element, "label");
    const isAlone = label !== null && queryIn(label, DRAWN_CHECKED).length === 1;
    return isAlone ? plain(contentOf(label, new Set([element]))) : "";
  }

  /**
   * @param {Element} field the only visible one next to a hidden field, which gives the form its value
   * @returns {string} the label of the hidden field
   */
  function standInNameOf(field) {
    for (const around of treeAncestors(parentElementOf(field), STAND_IN_STEPS)) {
      const others = uncheckablesIn(around).filter((one) => one !== field);
      if (!others.length) continue;
      // First, because there may be thousands of others, and most often the first one is visible.
      if (others.some(isThere)) return "";
      const [hidden, ...more] = others.filter((one) => labelsOf(one).length > 0);
      if (!hidden || more.length) return "";
      return plain(
        labelsOf(hidden)
          .map((label) => contentOf(label))
          .join(" "),
      );
    }
    return "";
  }

  /**
   * @param {Element} field
   * @returns {boolean} whether a user sees it
   */
  function isThere(field) {
    return isDrawn(field) && isVisible(field) && !isClippedAway(field);
  }

  return { DRAWN_CHECKED, isIconic, isNeighborly, labelAround, looseLabelOf, standInNameOf, whereOf, wrapperNameOf };
})();
