"use strict";

// What assistive technology reads: an element's accessible name (following accname), role and state.

const aria = (() => {
  const {
    BODY_CELLS,
    attributeOf,
    childrenOf,
    closestOf,
    controlOf,
    dataOf,
    documentOf,
    drawnAncestors,
    drawnChildrenOf,
    holderOf,
    holds,
    innerRootOf,
    isControl,
    isElement,
    isHtml,
    isMatch,
    isReadOnly,
    isText,
    kindOf,
    labelsOf,
    likelyRootOf,
    queryAll,
    queryIn,
    referred,
    rootOf,
    tagOf,
    textContentOf,
  } = dom;
  const { collapse, editedTextOf, isIconFont, plain, quote, shorten, symbolOf } = texts;
  const { SEEN, isRendered } = geometry;
  const { linesIn, sinkOf } = drawnEditors;
  const { hasNativeState } = formControls;
  const { isStandIn } = standIns;

  /** Longer names are cut anyway. */
  const ENOUGH = 400;
  const SILENT = new Set(["script", "style", "template", "noscript", "iframe"]);
  const WORDED = new Set(["submit", "button", "reset"]);
  /** Images in content that a style adds before or after. */
  const IMAGES = /[\w-]+\((?:"(?:\\.|[^"\\])*"|[^")])*\)/gu;
  const NAMING_PARTS = new Map([
    ["fieldset", "legend"],
    ["figure", "figcaption"],
    ["svg", "title"],
    ["table", "caption"],
  ]);
  const VALUE_LENGTH = 60;
  const LISTED_OPTIONS = 12;
  const OPTION_LENGTH = 20;

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
  /** Fields whose value is part of the sentence around them. */
  const TYPED = new Set("text search url tel email number range textarea".split(" "));
  const LISTS = new Set(["ol", "ul"]);
  const COMPONENTS = /-(button|checkbox|radio|switch|tab)$/u;
  const CHECKABLE = new Set(["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"]);
  const BUTTONS = "button, [role=button]";
  /** What closes them may be part of their titles. */
  const DIALOGS = "dialog, [role=dialog], [role=alertdialog]";
  /** Roles of elements that are of no use without the mouse or the keys. */
  const PRESSED = new Set("button clickable link menuitem tab".split(" "));
  /** A page may ignore the mouse on these without telling the browser. */
  const LOOKS_DISABLED = /(?:^|[\s_-])disabled(?:\s|$)/iu;
  const EDITORS = new Set(["combobox", "searchbox", "textbox"]);
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
    `:is(td, th, tr)[tabindex], [aria-sort], ${SORTING}, [draggable=true], [onclick], [ondblclick], [onmousedown], [onmouseup], [onmouseover], ` +
    "[onpointerdown], [onpointerup], [ontouchstart], [ondrop], [onkeydown]";
  /** The same without elements that only have a role or a tabindex. */
  const LISTENERS = CANDIDATES.replace(`${CLOSERS}, `, "").replace(/\[role\], .*tr\)\[tabindex\], /u, "");

  /** Parts with a role that ARIA does not have, such as the nodes of a diagram, if they take the focus. */
  const DESCRIBED = "[aria-roledescription][tabindex='0']";

  /**
   * @param {Element} element
   * @param {boolean} fromContent
   * @returns {string} on one line; empty if it has none
   */
  function accessibleNameOf(element, fromContent) {
    const ways = [
      () => labelledBy(element),
      () => writtenOn(element, "aria-label"),
      () => nativeNameOf(element),
      () => (fromContent ? contentOf(element, namelessIn(element)) : ""),
      () => (fromContent && (isCell(element) || isTab(element)) ? contentOf(element) : ""),
      () => writtenOn(element, "title"),
      () => writtenOn(element, "placeholder") ?? writtenOn(element, "aria-placeholder"),
    ];
    for (const way of ways) {
      const name = undoubled(plain((way() ?? "").slice(0, ENOUGH)));
      if (name) return name;
    }
    return "";
  }

  /**
   * @param {Element} element
   * @param {string} name of an attribute
   * @returns {string | null} its text; null for a value that a script has not set
   */
  function writtenOn(element, name) {
    const text = attributeOf(element, name);
    return text === "null" || text === "undefined" ? null : text;
  }

  /** @param {Element} element */
  function isTab(element) {
    return attributeOf(element, "role") === "tab";
  }

  /** @param {Element} element */
  function isCell(element) {
    return isMatch(element, BODY_CELLS);
  }

  /**
   * @param {string} name
   * @returns {string} the name once, if an image and its caption have the same words
   */
  function undoubled(name) {
    const half = name.slice(0, (name.length - 1) / 2);
    return half.length > 1 && name === `${half} ${half}` ? half : name;
  }

  /**
   * @param {Element} element
   * @returns {Set<Element>} what is not part of its name: the buttons of a tab, what selects a row
   */
  function namelessIn(element) {
    const role = attributeOf(element, "role");
    if (isTab(element)) return new Set([...queryIn(element, CLOSERS).filter(isCloser), ...queryIn(element, BUTTONS)]);
    const isRow = role === "row" || tagOf(element) === "tr" || isCell(element);
    return new Set(isRow ? queryIn(element, "input[type=checkbox], input[type=radio]") : []);
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it closes its tab, by an icon or one character
   */
  function isCloser(element) {
    return isMatch(element, CLOSERS) && plain(textContentOf(element) ?? "").length < 2;
  }

  /** @param {Element} element */
  function labelledBy(element) {
    const named = referred(element, "aria-labelledby");
    // What a combobox contains is its value.
    const outside = attributeOf(element, "role") === "combobox" ? named.filter((one) => !holds(element, one)) : named;
    const labels = outside.length ? outside : named;
    const without = new Set([
      element,
      ...(isMatch(element, DIALOGS) ? labels.flatMap((one) => queryIn(one, BUTTONS)) : []),
    ]);
    return labels.map((label) => new Reading(label, isConcealed(label), without, true).nameOf(label)).join(" ");
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether its content is part of a name only by reference
   */
  function isConcealed(element) {
    return !isRendered(element, SEEN) || attributeOf(element, "aria-hidden") === "true";
  }

  /**
   * @param {Element} element
   * @param {Reading} [reading] of a name that this one is part of
   * @returns {string | null | undefined}
   */
  function nativeNameOf(element, reading = new Reading(element)) {
    const tag = tagOf(element);
    const label = labelTextOf(element, reading);
    if (label) return label;
    if (isControl(element)) {
      const kind = kindOf(element);
      if (kind === "image") return attributeOf(element, "alt") ?? attributeOf(element, "title") ?? "Submit";
      if (!WORDED.has(kind)) return "";
      return element.value || { submit: "Submit", reset: "Reset" }[kind];
    }
    if (tag === "img" || tag === "area") return attributeOf(element, "alt");
    const part = NAMING_PARTS.get(tag);
    const naming = part && [...childrenOf(element)].find((child) => tagOf(child) === part);
    return naming ? new Reading(element, true).contentOf(naming) : "";
  }

  /**
   * @param {Element} element
   * @param {Reading} reading
   * @returns {string} of its labels, or of those of the web component that it is the field of
   */
  function labelTextOf(element, reading) {
    const own = labelsOf(element);
    const host = own.length || !isField(element) ? null : holderOf(rootOf(element));
    const labels = host && controlOf(host) === element ? labelsOf(host) : own;
    return collapse(labels.map((one) => attributeOf(one, "aria-label")?.trim() || reading.contentOf(one)).join(" "));
  }

  /** @param {Element} element */
  function isField(element) {
    return isControl(element) || CHECKABLE.has(attributeOf(element, "role") ?? "");
  }

  /**
   * Returns what a user reads in an element.
   *
   * @param {Element} element
   * @param {Set<Element>} [without] elements to leave out
   */
  function contentOf(element, without) {
    return new Reading(element, false, without).contentOf(element);
  }

  /** Collects the texts of a name, following accname. */
  class Reading {
    /** @readonly the element being named, which is not part of its own name */
    #element;
    /** @readonly */
    #isHiddenToo;
    /** @readonly */
    #without;
    /** @readonly */
    #isReferred;
    /** @type {string[]} */
    #parts = [];
    #length = 0;

    /**
     * @param {Element} element
     * @param {boolean} [isHiddenToo] whether hidden content is included
     * @param {Set<Element>} [without]
     * @param {boolean} [isReferred] whether `aria-labelledby` led here: no further references are followed
     */
    constructor(element, isHiddenToo = false, without = new Set(), isReferred = false) {
      this.#element = element;
      this.#isHiddenToo = isHiddenToo;
      this.#without = without;
      this.#isReferred = isReferred;
    }

    /**
     * @param {Element} element that another one references
     * @returns {string}
     */
    nameOf(element) {
      const said = attributeOf(element, "aria-label")?.trim() || this.#embeddedIn(element);
      // A button that names itself contributes its content.
      const own = said || (tagOf(element) === "button" ? "" : nativeNameOf(element, this));
      return own || this.contentOf(element) || attributeOf(element, "title") || "";
    }

    /**
     * @param {Element} element
     * @returns {string}
     */
    contentOf(element) {
      this.#parts = [];
      this.#length = 0;
      this.#readChildren(element, this.#isHiddenToo || isRendered(element, SEEN));
      return this.#parts.join("");
    }

    /** @param {string} text */
    #add(text) {
      this.#parts.push(text);
      this.#length += text.length;
    }

    /**
     * @param {Element} outer
     * @param {boolean} isSeen whether its texts are visible
     */
    #readChildren(outer, isSeen) {
      this.#addGenerated(outer, "::before");
      for (const node of drawnChildrenOf(outer, likelyRootOf(outer))) {
        if (this.#length > ENOUGH) return;
        if (isText(node)) this.#add(isSeen ? dataOf(node) : "");
        else if (isElement(node)) this.#readElement(node);
      }
      this.#addGenerated(outer, "::after");
    }

    /** @param {Element} inner */
    #readElement(inner) {
      const tag = tagOf(inner);
      if (SILENT.has(tag) || inner === this.#element || this.#without.has(inner) || isStandIn(inner)) return;
      const isSeen = this.#isHiddenToo || isRendered(inner, SEEN);
      if (!this.#isHiddenToo && ((!isSeen && !isRendered(inner)) || attributeOf(inner, "aria-hidden") === "true")) {
        return;
      }
      if (tag === "br") return this.#add(" ");
      const { display } = getComputedStyle(inner);
      // A user sees the image, not what it is called.
      if (symbolOf(inner)) return this.#add(" ");
      const edge = display === "inline" || display === "contents" ? "" : " ";
      const said = (!this.#isReferred && labelledBy(inner)) || attributeOf(inner, "aria-label")?.trim();
      const own = this.#embeddedIn(inner) || said || (isControl(inner) ? "" : nativeNameOf(inner));
      this.#add(edge);
      const before = this.#length;
      if (own) this.#add(own);
      else if (!isControl(inner) && !isNested(inner)) this.#readChildren(inner, isSeen);
      if (this.#length === before) this.#add(attributeOf(inner, "title") ?? "");
      this.#add(edge);
    }

    /**
     * @param {Element} element
     * @returns {string} the value of a field in a label, if it is part of the sentence; never a password
     */
    #embeddedIn(element) {
      if (element === this.#element) return "";
      const kind = isControl(element) ? kindOf(element) : attributeOf(element, "role");
      if (isControl(element) && kind === "select") {
        return [...queryIn(element, "option:checked")].map((option) => collapse(textContentOf(option) ?? "")).join(" ");
      }
      if (isControl(element)) return TYPED.has(kind ?? "") ? element.value : "";
      if (kind === "slider" || kind === "spinbutton" || kind === "scrollbar") {
        return attributeOf(element, "aria-valuetext") ?? attributeOf(element, "aria-valuenow") ?? "";
      }
      const isList = kind === "listbox" || kind === "combobox";
      return isList
        ? queryIn(element, "[role=option][aria-selected=true]")
            .map((one) => contentOf(one))
            .join(" ")
        : "";
    }

    /**
     * @param {Element} element
     * @param {"::before" | "::after"} place
     */
    #addGenerated(element, place) {
      const style = getComputedStyle(element, place);
      const { content, display } = style;
      if (content === "none" || content === "normal" || display === "none" || isIconFont(style)) return;
      const [, alternative] = /\/ (".*")$/u.exec(content) ?? [];
      const texts = (alternative ?? content.replace(IMAGES, "")).matchAll(/"((?:\\.|[^"\\])*)"/gu);
      const text = [...texts].map(([, one = ""]) => one.replace(/\\(.)/gu, "$1")).join("");
      this.#add(display === "inline" ? text : ` ${text} `);
    }
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it is a list of further items inside an item, such as a branch of a tree
   */
  function isNested(element) {
    const role = attributeOf(element, "role");
    const isList = role === "group" || role === "menu" || role === "tree" || (!role && LISTS.has(tagOf(element)));
    return isList && closestOf(element, "[role=treeitem], [role=menuitem], [role=tree] li") !== null;
  }

  /**
   * @param {Element} element one of the candidates
   * @returns {string} empty if it cannot be acted on
   */
  function roleOf(element) {
    const native = isHtml(element) ? nativeRoleOf(element) : "";
    const said = attributeOf(element, "role")?.trim().split(/\s+/u, 1)[0]?.toLowerCase();
    if (native && !said) return native;
    if (said && STRUCTURES.has(said) && !native) {
      return isMatch(element, `${LISTENERS}, ${DESCRIBED}`) ? "clickable" : "";
    }
    if (said && ACTED_ON.has(said) && native !== "select" && native !== "password") {
      const isSo = native || !ACTED_ON_AT_TIMES.has(said) || isMatch(element, "[tabindex], [onclick]");
      return isSo ? said : "";
    }
    const mayStop = !SECTIONS.has(tagOf(element)) && isMatch(element, "[tabindex]:not([tabindex^='-'])");
    const own = componentRoleOf(element);
    if (own) return own;
    const isStop = mayStop && !isScrolled(element);
    return native || (isStop || isMatch(element, LISTENERS) || isCloser(element) ? "clickable" : "");
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
   * @param {Element} element
   * @returns {string} the role in the name of a web component that takes the focus: the one that its script has set is
   *   known to the browser only
   */
  function componentRoleOf(element) {
    const [, role = ""] = COMPONENTS.exec(tagOf(element)) ?? [];
    return role && isMatch(element, "[tabindex]") && innerRootOf(element) ? role : "";
  }

  /** @param {Element} element */
  function nativeRoleOf(element) {
    const tag = tagOf(element);
    if (tag === "input") return KINDS.get(kindOf(element)) ?? "textbox";
    if (tag === "a" && attributeOf(element, "href") === null) return "";
    if (GRID_PARTS.has(tag) && closestOf(element, "table[role=grid], table[role=treegrid]")) {
      return attributeOf(element, "tabindex") === null ? "" : (GRID_PARTS.get(tag) ?? "");
    }
    return TAGS.get(tag) ?? (Reflect.get(HTMLElement.prototype, "isContentEditable", element) ? "textbox" : "");
  }

  /** @param {string} role */
  function isNamedByContent(role) {
    return !FIELDS.has(role);
  }

  /**
   * @param {Element} element
   * @param {string} role
   * @param {number} [length] maximum length of its value
   * @returns {string} for example `= "Ada" required`; never a password
   */
  function stateOf(element, role, length = VALUE_LENGTH) {
    const words = [valueOf(element, role, length), checkOf(element, role)];
    const is = (/** @type {string} */ name, wanted = "true") => attributeOf(element, `aria-${name}`) === wanted;
    const isNow = (/** @type {string} */ selector) => isMatch(element, selector);
    if (is("expanded") || isNow("details[open] > summary")) words.push("expanded");
    else if (is("expanded", "false") || isNow("details:not([open]) > summary")) words.push("collapsed");
    if (is("pressed")) words.push("pressed");
    if (is("selected")) words.push("selected");
    const sort = attributeOf(element, "aria-sort");
    if (sort && sort !== "none") words.push(`sorted ${shorten(sort)}`);
    if (attributeOf(element, "aria-current") && !is("current", "false")) words.push("current");
    if (isNow(":disabled") || isOff(element)) words.push("disabled");
    else if (PRESSED.has(role) && isUntouchable(element)) words.push("not clickable");
    else if (PRESSED.has(role) && looksDisabled(element)) words.push("looks disabled");
    if (isReadOnly(element)) words.push("readonly");
    if (isNow(":required") || is("required")) words.push("required");
    if (is("invalid") || isNow(":user-invalid")) words.push("invalid");
    if (isNow(":focus") && element !== bodyOf(element)) words.push("focused");
    return words.filter(Boolean).join(" ");
  }

  /** @param {Element} element */
  function looksDisabled(element) {
    return LOOKS_DISABLED.test(attributeOf(element, "class") ?? "");
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it and all its parts let the mouse through
   */
  function isUntouchable(element) {
    const isThrough = (/** @type {Element} */ one) => getComputedStyle(one).pointerEvents === "none";
    return isThrough(element) && queryIn(element, "*").every(isThrough);
  }

  /** @param {Element} element */
  function bodyOf(element) {
    const owner = documentOf(element);
    return owner && Reflect.get(Document.prototype, "body", owner);
  }

  /** @param {Element} element */
  function isOff(element) {
    for (const ancestor of drawnAncestors(element)) {
      if (attributeOf(ancestor, "aria-disabled") === "true") return true;
    }
    return false;
  }

  /**
   * @param {Element} element
   * @param {string} role
   */
  function checkOf(element, role) {
    if (!CHECKABLE.has(role) && attributeOf(element, "aria-checked") === null) return "";
    const isNative = ["checkbox", "radio"].includes(kindOf(element)) && hasNativeState(element);
    const input = /** @type {HTMLInputElement | null} */ (isNative ? element : checkableIn(element));
    if (input?.indeterminate) return "mixed";
    const said = input ? String(input.checked) : attributeOf(element, "aria-checked");
    if (said === null && componentRoleOf(element)) return "";
    return { true: "on", mixed: "mixed" }[said ?? ""] ?? "off";
  }

  /**
   * @param {Element} element
   * @returns {Element | null} the native check box or radio button that gives a web component its state
   */
  function checkableIn(element) {
    const root = componentRoleOf(element) ? innerRootOf(element) : null;
    const [input, ...others] = root ? queryAll(root, "input[type=checkbox], input[type=radio]") : [];
    return input && !others.length ? input : null;
  }

  /**
   * @param {Element} element
   * @param {string} role
   * @returns {string} the text in a field; never a password
   */
  function wholeValueOf(element, role) {
    if (isControl(element)) return ["password", "file", "select"].includes(kindOf(element)) ? "" : element.value;
    if (!EDITORS.has(role)) return "";
    return sinkOf(element) ? linesIn(element) : editedTextOf(element);
  }

  /**
   * @param {Element} element
   * @param {string} role
   * @param {number} length
   */
  function valueOf(element, role, length) {
    if (isControl(element)) return controlValueOf(element, kindOf(element), length);
    if (role === "frame") return hostOf(attributeOf(element, "src") ?? "");
    const now = attributeOf(element, "aria-valuetext") ?? attributeOf(element, "aria-valuenow");
    if (now !== null) {
      return `= ${shorten(now)}${limitsOf(attributeOf(element, "aria-valuemin"), attributeOf(element, "aria-valuemax"))}`;
    }
    const text = role === "button" ? unnamedContentOf(element) : editedValueOf(element, role, length);
    return text ? `= ${quotedValue(text, length)}` : "";
  }

  /**
   * @param {Element} button
   * @returns {string} what a user reads on it if its name comes from elsewhere: a choice, next to the label of a field
   */
  function unnamedContentOf(button) {
    if (attributeOf(button, "aria-labelledby") === null && !labelsOf(button).length) return "";
    const content = plain(contentOf(button));
    const isNamed = plain(accessibleNameOf(button, true)).includes(content);
    return !isNamed && /[\p{L}\p{N}]/u.test(content) ? content : "";
  }

  /**
   * @param {Element} element
   * @param {string} role
   * @param {number} length
   */
  function editedValueOf(element, role, length) {
    if (!EDITORS.has(role)) return "";
    // What a style adds to an editor is a placeholder.
    const isEditor = isHtml(element) && (element.isContentEditable || sinkOf(element) !== null);
    if (isEditor || length > VALUE_LENGTH) return wholeValueOf(element, role).trim();
    // An icon may have a name of its own, such as "Open menu".
    const content = plain(contentOf(element, new Set(queryIn(element, `${BUTTONS}, svg`))));
    // A label may be drawn in place of the value, or above it.
    const name = accessibleNameOf(element, false);
    const isLabel = attributeOf(element, "aria-labelledby") === null && content === name;
    return isLabel ? "" : name && content.startsWith(`${name} `) ? content.slice(name.length + 1) : content;
  }

  /** @param {string} address */
  function hostOf(address) {
    const url = URL.parse(address, location.href);
    return url?.host ? `of ${shorten(url.host)}` : "";
  }

  /**
   * @param {Control} control
   * @param {string} kind
   * @param {number} length
   */
  function controlValueOf(control, kind, length) {
    const { value } = control;
    if (kind === "select") return optionsOf(/** @type {HTMLSelectElement} */ (control));
    if (kind === "password") return value ? "filled" : "empty";
    if (kind === "file") return filesOf(/** @type {HTMLInputElement} */ (control));
    if (kind === "range") {
      const { min, max } = /** @type {HTMLInputElement} */ (control);
      return `= ${value}${limitsOf(min || "0", max || "100")}`;
    }
    const isWorded = ["submit", "button", "reset", "image", "checkbox", "radio"].includes(kind);
    return isWorded || !value ? "" : `= ${quotedValue(value, length)}`;
  }

  /**
   * @param {string} value
   * @param {number} length
   * @returns {string} on one line; if there is room for more than a glance, with line breaks written as \n
   */
  function quotedValue(value, length) {
    return plainQuote(length > VALUE_LENGTH ? value.trimEnd().replace(/\r?\n/gu, "\\n") : value, length);
  }

  /**
   * @param {string | null} least
   * @param {string | null} most
   */
  function limitsOf(least, most) {
    return least !== null && most !== null ? ` (${shorten(least)} to ${shorten(most)})` : "";
  }

  /** @param {HTMLInputElement} field */
  function filesOf({ files }) {
    return files?.length ? `= ${[...files].map(({ name }) => plainQuote(name, VALUE_LENGTH)).join(", ")}` : "empty";
  }

  /** @param {HTMLSelectElement} list */
  function optionsOf(list) {
    const all = [...list.options];
    const chosen = all.findIndex(({ selected }) => selected);
    const first = Math.max(0, Math.min(chosen - 2, all.length - LISTED_OPTIONS));
    const listed = all.slice(first, first + LISTED_OPTIONS).map((option) => {
      const mark = `${option.disabled ? " disabled" : ""}${option.selected ? "*" : ""}`;
      return `${shorten(option.label, OPTION_LENGTH).replace(/[{|}]/gu, " ")}${mark}`;
    });
    const before = first ? [`${first} before`] : [];
    const after = all.length - first - listed.length;
    const options = [...before, ...listed, ...(after ? [`${after} more`] : [])].join("|");
    return `{${options}}${list.multiple ? " multiple" : ""}`;
  }

  /**
   * @param {string} text
   * @param {number} [length]
   * @returns {string} a text that ends where its quotation marks do
   */
  function plainQuote(text, length) {
    return quote(text.replaceAll('"', "'"), length);
  }

  return {
    CANDIDATES,
    VALUE_LENGTH,
    accessibleNameOf,
    checkableIn,
    componentRoleOf,
    contentOf,
    isNamedByContent,
    plainQuote,
    roleOf,
    stateOf,
    wholeValueOf,
  };
})();
