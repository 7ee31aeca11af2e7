"use strict";

// The accessible name of an element, following accname.

const accessibleNames = (() => {
  const {
    BODY_CELLS,
    attributeOf,
    boxOf,
    childrenOf,
    closestOf,
    controlOf,
    dataOf,
    drawnChildrenOf,
    hasIn,
    holderOf,
    holds,
    isContentEditable,
    isControl,
    isElement,
    isMatch,
    isText,
    keepsSecret,
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
  const { collapse, editedTextOf, isIconFont, plain, symbolOf, writtenOn } = texts;
  const { SEEN, TRANSPARENT, isClippedAway, isPositioned, isRendered, isVisible } = geometry;
  const { isStandIn } = standIns;
  const { BUTTONS, CLOSERS, isCloser } = roles;

  /** Reading of a name stops after this many characters: longer names are cut anyway. */
  const ENOUGH = 400;
  /** The access key at the start of a title, as MediaWiki writes it: "[alt-shift-f]". */
  const ACCESS_KEY = /^\[[^\]]+\]$/u;
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

  /** Fields whose value is part of the sentence around them. */
  const TYPED = new Set("text search url tel email number range textarea".split(" "));
  const LISTS = new Set(["ol", "ul"]);
  const ITEMS_IN_ITEMS = ":is([role=treeitem], [role^=menuitem]) > :is([role=treeitem], [role^=menuitem])";
  /** Parts of a label that are no words about its field. */
  const EXTRAS = `${BUTTONS}, [role=listbox]`;
  /** Dialogs: the button that closes one may be in its title, but is not part of its name. */
  const DIALOGS = "dialog, [role=dialog], [role=alertdialog]";

  /**
   * @param {Element} element
   * @param {boolean} fromContent
   * @returns {string} on one line; empty if it has none
   */
  function accessibleNameOf(element, fromContent) {
    const ways = [
      () => otherLabelOf(element),
      () => labelledBy(element),
      () => writtenOn(element, "aria-label"),
      () => nativeNameOf(element),
      () => hostNameOf(element),
      () => (fromContent && !symbolOf(element) ? contentOf(element, namelessIn(element)) : ""),
      () => (fromContent && (isCell(element) || isTab(element)) ? contentOf(element) : ""),
      () => writtenOn(element, "title")?.replace(ACCESS_KEY, ""),
      () => promptOf(element),
      () => writtenOn(element, "title"),
      () =>
        labelsOf(element)
          .map((label) => contentOf(label) || new Reading(label, { isHiddenToo: true }).contentOf(label))
          .join(" "),
    ];
    for (const way of ways) {
      const name = undoubled(plain((way() ?? "").slice(0, ENOUGH)));
      if (name) return name;
    }
    return "";
  }

  /**
   * @param {Element} field
   * @returns {string} what it shows while it is empty; in an editor a style may draw it
   */
  function promptOf(field) {
    const declared = writtenOn(field, "placeholder") ?? writtenOn(field, "aria-placeholder");
    return declared ?? (isContentEditable(field) && !editedTextOf(field).trim() ? contentOf(field) : "");
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
   * @returns {string} the name once, if two labels have the same words
   */
  function undoubled(name) {
    const half = name.slice(0, (name.length - 1) / 2);
    return half.length > 1 && name === `${half} ${half}` ? half : name;
  }

  /**
   * @param {Element} element
   * @returns {Set<Element>} what is not part of its name: the buttons of a tab, what selects or opens a row or a branch
   */
  function namelessIn(element) {
    const role = attributeOf(element, "role");
    if (isTab(element)) return new Set([...queryIn(element, CLOSERS).filter(isCloser), ...queryIn(element, BUTTONS)]);
    const isRow = role === "row" || role === "treeitem" || tagOf(element) === "tr" || isCell(element);
    const icons = isRow ? queryIn(element, BUTTONS).filter((one) => !textContentOf(one)?.trim()) : [];
    return new Set(isRow ? [...icons, ...queryIn(element, "input[type=checkbox], input[type=radio]")] : []);
  }

  /**
   * @param {Element} element
   * @param {Reading} [around] a name that this one is part of
   */
  function labelledBy(element, around) {
    const named = referred(element, "aria-labelledby");
    // What a combobox contains is its value.
    const outside = attributeOf(element, "role") === "combobox" ? named.filter((one) => !holds(element, one)) : named;
    const labels = outside.length ? outside : named;
    const without = new Set([
      element,
      ...(isMatch(element, DIALOGS) ? labels.flatMap((one) => queryIn(one, BUTTONS)) : []),
    ]);
    const readingOf = (/** @type {Element} */ label) =>
      new Reading(label, { without, isHiddenToo: isConcealed(label), isReferred: true, around });
    return labels.map((label) => readingOf(label).nameOf(label)).join(" ");
  }

  /**
   * @param {Element} field
   * @returns {string} its visible label, if its own name does not contain that: users read the label, and know nothing of
   *   a name such as "Choose date", or of one in a hidden element
   */
  function otherLabelOf(field) {
    const named = referred(field, "aria-labelledby");
    if (named.some(isVisible)) return "";
    const own = (named.length ? labelledBy(field) : (attributeOf(field, "aria-label") ?? "")).toLowerCase();
    if (!own || !labelsFor(field).some((label) => isVisible(label) && !isClippedAway(label))) return "";
    const label = plain(labelTextOf(field, new Reading(field)));
    const words = label.replace(/[\s:*]+$/u, "").toLowerCase();
    // The label around a list may contain its values, too.
    if (attributeOf(field, "role") === "combobox" && words.startsWith(`${own} `)) return "";
    return /\p{L}/u.test(words) && !own.includes(words) ? label : "";
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
    return naming ? new Reading(element, { isHiddenToo: true, around: reading }).contentOf(naming) : "";
  }

  /**
   * @param {Element} element
   * @param {Reading} reading
   * @returns {string} of its labels
   */
  function labelTextOf(element, reading) {
    const wordsOf = (/** @type {Element} */ label) => {
      const said = attributeOf(label, "aria-label")?.trim() ?? "";
      const shown = said ? collapse(reading.contentOf(label)) : "";
      // A user reads the label, and knows nothing of another name.
      const isOther = /\p{L}/u.test(shown) && !said.toLowerCase().includes(shown.toLowerCase());
      return (isOther ? shown : said) || reading.contentOf(label).trim() || attributeOf(label, "title");
    };
    return collapse(labelsFor(element).map(wordsOf).join(" "));
  }

  /**
   * @param {Element} element
   * @returns {Element[]} its labels, or those of the web component that it is the field of, perhaps inside of another one
   */
  function labelsFor(element) {
    let labels = labelsOf(element);
    for (let host = hostOf(element); host && !labels.length; host = hostOf(host)) labels = labelsOf(host);
    return labels;
  }

  /**
   * @param {Element} element
   * @returns {Element | null} the web component that it is the field of: its control, or the only component with one
   */
  function hostOf(element) {
    const root = /** @type {Root} */ (rootOf(element));
    const host = holderOf(root);
    const isComponent = (/** @type {Element} */ one) => tagOf(one).includes("-") && controlOf(one) !== null;
    const inner = host && controlOf(host);
    if (inner || !host || !isComponent(element)) return inner === element ? host : null;
    return queryAll(root, "*").filter(isComponent).length === 1 ? host : null;
  }

  /** @param {Element} element */
  function hostNameOf(element) {
    const host = hostOf(element);
    return host && writtenOn(host, "aria-label");
  }

  /**
   * Returns what a user reads in an element.
   *
   * @param {Element} element
   * @param {Set<Element>} [without] elements to leave out
   */
  function contentOf(element, without) {
    return new Reading(element, { without }).contentOf(element);
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
    /** @readonly */
    #around;
    /** @type {string[]} */
    #parts = [];
    /** @type {Set<number>} the indexes of those that stand for images */
    #images = new Set();
    #length = 0;

    /**
     * @param {Element} element
     * @param {object} [options]
     * @param {boolean} [options.isHiddenToo] whether hidden content is included
     * @param {Set<Element>} [options.without]
     * @param {boolean} [options.isReferred] whether `aria-labelledby` led here: no further references are followed
     * @param {Reading} [options.around] of a name that this one is part of: what that leaves out is left out here, too,
     *   because labels and references may lead in a circle
     */
    constructor(element, { isHiddenToo = false, without = new Set(), isReferred = false, around } = {}) {
      this.#element = element;
      this.#isHiddenToo = isHiddenToo;
      this.#without = without;
      this.#isReferred = isReferred;
      this.#around = around;
    }

    /**
     * @param {Element} inner
     * @returns {boolean}
     */
    #isLeftOut(inner) {
      if (inner === this.#element || this.#without.has(inner)) return true;
      return this.#around !== undefined && this.#around.#isLeftOut(inner);
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
      this.#images = new Set();
      this.#length = 0;
      this.#readChildren(element, this.#isHiddenToo || isRendered(element, SEEN));
      return this.#parts.filter((_, index) => !this.#isCaptioned(index)).join("");
    }

    /**
     * @param {number} index of a part
     * @returns {boolean} whether it stands for an image whose words follow as text
     */
    #isCaptioned(index) {
      if (!this.#images.has(index)) return false;
      const rest = this.#parts.slice(index + 1).join("");
      return rest.trimStart().startsWith((this.#parts[index] ?? "").trim());
    }

    /** @param {string} text whose indentation must not count */
    #add(text) {
      const words = text.replace(/\s+/gu, " ");
      this.#parts.push(words);
      this.#length += words.length;
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
      if (SILENT.has(tag) || this.#isLeftOut(inner) || isStandIn(inner)) return;
      // In the label of a field these lead to an explanation, do something else, or are what the field suggests.
      if (isControl(this.#element) && (isIconLink(inner) || isMatch(inner, EXTRAS) || isLayer(inner))) return;
      const isSeen = this.#isHiddenToo || isRendered(inner, SEEN);
      if (!this.#isHiddenToo && ((!isSeen && !isRendered(inner)) || attributeOf(inner, "aria-hidden") === "true")) {
        return;
      }
      if (tag === "br") return this.#add(" ");
      const { display } = getComputedStyle(inner);
      // A user sees the image, not what it is called.
      if (symbolOf(inner)) return this.#add(" ");
      const isWord = tag !== "img" && (display === "inline" || display === "contents");
      const edge = isWord ? "" : " ";
      const said = (!this.#isReferred && labelledBy(inner, this)) || attributeOf(inner, "aria-label")?.trim();
      const own =
        this.#embeddedIn(inner) ||
        said ||
        (isControl(inner) ? "" : nativeNameOf(inner, new Reading(inner, { around: this })));
      this.#add(edge);
      const [before, start] = [this.#length, this.#parts.length];
      if (own && isMatch(inner, "img, [role='img']")) this.#images.add(this.#parts.length);
      if (own) this.#add(own);
      else if (!isControl(inner) && !isNested(inner)) this.#readChildren(inner, isSeen);
      if (this.#length === before) this.#add(attributeOf(inner, "title") ?? "");
      else if (this.#isRepeated(start) && boxOf(inner).height === 0) this.#parts.splice(start);
      this.#add(edge);
    }

    /**
     * @param {number} start index of a part
     * @returns {boolean} whether the words from there on are the same as before, such as a copy that the page measures
     */
    #isRepeated(start) {
      const words = this.#parts.slice(start).join("").trim();
      return words !== "" && this.#parts.slice(0, start).join("").trimEnd().endsWith(words);
    }

    /**
     * @param {Element} element
     * @returns {string} the value of a field in a label, if it is part of the sentence; never a secret
     */
    #embeddedIn(element) {
      if (element === this.#element) return "";
      const kind = isControl(element) ? kindOf(element) : attributeOf(element, "role");
      if (isControl(element) && kind === "select") {
        return [...queryIn(element, "option:checked")].map((option) => collapse(textContentOf(option) ?? "")).join(" ");
      }
      if (isControl(element)) return TYPED.has(kind ?? "") && !keepsSecret(element) ? element.value : "";
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
      const { color, content, display, opacity, visibility } = style;
      if (content === "none" || content === "normal" || display === "none" || isIconFont(style)) return;
      // Some pages keep an empty line at the height of a text with a letter that is not seen.
      const isSeen = visibility === "visible" && opacity !== "0" && color !== TRANSPARENT;
      if (!isSeen && !this.#isHiddenToo) return;
      const [, alternative] = /\/ (".*")$/u.exec(content) ?? [];
      const texts = (alternative ?? content.replace(IMAGES, "")).matchAll(/"((?:\\.|[^"\\])*)"/gu);
      const text = [...texts].map(([, one = ""]) => one.replace(/\\(.)/gu, "$1")).join("");
      this.#add(display === "inline" ? text : ` ${text} `);
    }
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it is a further item inside an item, or a list of these, such as a branch of a tree
   */
  function isNested(element) {
    if (isMatch(element, ITEMS_IN_ITEMS)) return true;
    const role = attributeOf(element, "role");
    const isList = role === "group" || role === "menu" || role === "tree" || (!role && LISTS.has(tagOf(element)));
    return isList && closestOf(element, "[role=treeitem], [role=menuitem], [role=tree] li") !== null;
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it lies over the page, or will, with buttons, such as the calendar of a field
   */
  function isLayer(element) {
    return hasIn(element, BUTTONS) && isPositioned(element);
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it is a link without words
   */
  function isIconLink(element) {
    return isMatch(element, "a[href]") && !textContentOf(element)?.trim();
  }

  return { accessibleNameOf, contentOf, promptOf };
})();
