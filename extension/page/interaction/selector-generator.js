"use strict";

// Generates a short selector for an element that survives re-rendering.

/**
 * @typedef {{name: string, value: string}} Naming an attribute that may name its element
 *
 * @typedef {{element: Element, texts: string[]}} Labeled an element and what `text=` may find it by
 *
 * @typedef {{step: string, text: string, end: string, isPart?: boolean}} LabeledWay `step text=...`, then what leads into
 *   its match; `isPart`: whether the text is only a part of that match's
 */

const selectorGenerator = (() => {
  const {
    attributeNamesOf,
    attributeOf,
    closestOf,
    countIn,
    firstIn,
    holderOf,
    innerRootOf,
    isControl,
    isDocument,
    isMatch,
    parentElementOf,
    previousElementOf,
    queryAll,
    queryIn,
    rootOf,
    tagOf,
    textContentOf,
    treeAncestors,
  } = dom;
  const { isGenerated } = generatedNames;
  const { collapse, folded, visibleTextOf } = texts;
  const { isLayerBeyond } = geometry;
  const { hasPart, innermost, spacedTextOf, textsOf } = search;

  const VALUE_LENGTH = 40;
  const TRIED_STEPS = 12;
  /** Attributes with names for developers, which may be all that a control with an icon has. */
  const IDENTIFIERS = ["id", "data-testid", "data-test", "data-cy", "name"];
  /** In the order in which they are tried. */
  const NAMING_ATTRIBUTES = [...IDENTIFIERS, "aria-label", "title", "placeholder", "href"];
  /** Custom attributes that name a thing, rather than its state, its position or a library's data. */
  const OWN_NAME =
    /^(?:col-id|data-(?!.*(?:active|align|check|color|count|csrf|current|disabled|emotion|focus|hash|hover|index|key|loading|nonce|open|orient|place|react|select|side|size|state|status|style|theme|time|tip|token|track|uid|variant))[a-z][a-z-]*)$/u;
  /** Characters of a label; digits may change, and with them the selector. */
  const LABEL = /^[\p{L}\p{M}][\p{L}\p{M} .:?!…’'&/+()-]*$/u;
  /** Values of such attributes, except numbers and switches; the days of a calendar have their dates. */
  const LABEL_VALUE = /^(?:\d{4}-\d\d-\d\d|(?!(?:true|false|on|off|yes|no)$)[a-z][a-z_-]{2,}(?: [a-z_-]+)*)$/iu;
  /** What the server removes from a reply, except after a pictograph: the selector would match nothing any more. */
  const INVISIBLE = /(?!(?<=\p{Emoji})\ufe0f)\p{Default_Ignorable_Code_Point}/u;
  const BUTTON_INPUTS = "input:is([type=submit], [type=button], [type=reset])";
  /** Fields whose value says what they stand for, not what they contain. */
  const CHOICES = "input:is([type=checkbox], [type=radio])[value]";
  /** Elements whose text or content is their value, which changes. */
  const VALUED =
    "input, [role=combobox], [role=spinbutton], [aria-haspopup=listbox], [contenteditable]:not([contenteditable=false])";
  /** Elements that are known by their text. */
  const LABELED = new Set("a button dt h1 h2 h3 h4 h5 h6 label legend li option summary th".split(" "));
  /** An id that a library may have counted up, or drawn by lot: other names come before it. */
  const DOUBTFUL =
    /^[a-z]{1,2}\d{2,}$|(?:^|-)v-\d+(?:-\d+)*$|^id-\w{6}-\d+$|[-_]\d{4}$|(?:^|[-:.])(?=\w{8})\w*[A-Za-z]\d[A-Za-z]/u;
  /** A class that describes the element. */
  const CLASS_NAME = /^[a-z][a-z_-]{2,30}$/iu;
  /** A class of an unset variable, or with a hash, which no word is pronounced like. */
  const NO_WORD = /^(?:undefined|null)$|[b-df-hj-np-tv-xz]{5}/iu;
  /** Classes of states, which change after a click, and values of attributes for them. */
  const STATE_NAME =
    /^(?:is|has|ng|js|mod|p-mod|jp-mod|lm-mod)-|(?:^|[-_])(?:in|un)?(?:active|selected|current|open|opened|closed|expanded|collapsed|focus|focused|highlight|highlighted|hover|hovered|over|editing|pressed|dragging|disabled|enabled|checked|(?:first|last)?visible|hidden|show|shown|hide|first|last|odd|even|loading|dirty|initial|pristine|touched|valid|auto|blank|empty|filled|on|off|not-allowed|ascending|descending)$|-(?:enter|leave|appear|exit)(?:-(?:from|to|start|end|prepare|done))?$/iu;
  /** A class that is a hash, if an element has several of them, some with digits. */
  const HASH = /^(?=.{6,8}$)[a-z][a-z\d]+$/u;
  /** Regions of which there are few, and which people refer to when they describe a place. */
  const REGIONS = "header, nav, main, aside, footer, form, dialog";
  /** Places among siblings, or more than two steps: a label outlives them. */
  const LONG_PATH = /:nth-of-type\(|(?: \S+){3}/u;
  /** Places among siblings, where nothing else in the row identifies it. */
  const POSITIONAL = /^(?!.*:has\().*:nth-of-type\(/u;
  /** A name or a number by which a row is known, although it has digits. */
  const ROW_KEY = /^[\p{L}\p{N}][\p{L}\p{N}._:@#/-]{2,}$/u;
  const TRIED_ROW_TEXTS = 3;
  /** Texts of controls, values, and the names of icons in an icon font. */
  const NO_ROW_TEXTS = `button, [role=button], select, textarea, script, style, i, [aria-hidden=true], ${VALUED}`;
  /** Rows, which a text in them can identify. */
  const ROWS = "tr, li, [role=row], [role=listitem], [role=treeitem]";
  const IDENTIFYING = "[id], [data-testid], [name], [href]";
  const TRIED_IDENTIFYING = 3;
  /** The numbers that grids give their rows and cells, which outlive the order in the document. */
  const NUMBERS = ["aria-rowindex", "row-index", "aria-colindex", "aria-posinset"];
  const TRIED_REGIONS = 3;
  const TRIED_CLASSES = 3;

  /** Match counts: visiting a large page takes long, so no query runs twice. */
  class Counts {
    /** @type {Map<Root, Map<string, Map<string | null, Element[]>>>} by root, attribute name and value */
    #named = new Map();
    /** @type {Map<Root, Map<string, number>>} by root and selector */
    #matches = new Map();
    /** @type {Map<Root, Map<string, Element | null>>} by root and selector */
    #first = new Map();
    /** @type {Map<Root, Map<string, Labeled[]>>} by root and selector */
    #labeled = new Map();
    /** @type {Map<Root, Map<string, Labeled[]>>} by root and selector */
    #containing = new Map();

    /**
     * @param {Root} root
     * @param {Naming} naming
     * @returns {Element[]} its matches
     */
    named(root, { name, value }) {
      // The browser has its own index of ids, and knows where they are case-insensitive.
      if (name.startsWith("id")) return queryAll(root, selectorBy({ name, value }));
      const ofRoot = kept(this.#named, root, () => new Map());
      const valueOf = (/** @type {Element} */ element) => attributeOf(element, name);
      return kept(ofRoot, name, () => Map.groupBy(queryAll(root, `[${name}]`), valueOf)).get(value) ?? [];
    }

    /**
     * @param {Root} root
     * @param {string} selector
     */
    of(root, selector) {
      const ofRoot = kept(this.#matches, root, () => new Map());
      return kept(ofRoot, selector, () => countIn(root, selector));
    }

    /**
     * @param {Root} root
     * @param {string} selector
     * @param {Element} element
     * @returns {boolean} whether it is the only match
     */
    isOnly(root, selector, element) {
      const ofRoot = kept(this.#first, root, () => new Map());
      // Most selectors are not unique, and their first match is found soon.
      return kept(ofRoot, selector, () => firstIn(root, selector)) === element && this.of(root, selector) === 1;
    }

    /**
     * @param {Root} root
     * @param {string} selector
     * @param {string} text
     * @returns {Element[]} matches of `selector text=...` there
     */
    labeled(root, selector, text) {
      const all = readOnce(this.#labeled, root, selector, textsOf);
      const wanted = folded(text);
      return withTexts(all, (texts) => texts.includes(wanted));
    }

    /**
     * @param {Root} root
     * @param {string} selector
     * @param {string} text
     * @returns {Element[]} matches of `selector text=...` there, if that is the whole text of none
     */
    containing(root, selector, text) {
      const part = folded(text);
      const read = (/** @type {Element} */ element) => [...textsOf(element), spacedTextOf(element)];
      const all = readOnce(this.#containing, root, selector, read);
      return withTexts(all, (texts) => texts.some((one) => hasPart(one, part)));
    }
  }

  /**
   * @template K, V
   * @param {Map<K, V>} map
   * @param {K} key
   * @param {() => V} make
   * @returns {V}
   */
  function kept(map, key, make) {
    const value = map.get(key) ?? make();
    map.set(key, value);
    return value;
  }

  /**
   * @param {Map<Root, Map<string, Labeled[]>>} cache
   * @param {Root} root
   * @param {string} selector
   * @param {(element: Element) => string[]} read
   * @returns {Labeled[]} the matches there
   */
  function readOnce(cache, root, selector, read) {
    const ofRoot = kept(cache, root, () => new Map());
    return kept(ofRoot, selector, () => queryAll(root, selector).map((element) => ({ element, texts: read(element) })));
  }

  /**
   * @param {Labeled[]} all
   * @param {(texts: string[]) => boolean} isWanted
   */
  function withTexts(all, isWanted) {
    return innermost(all.filter(({ texts }) => isWanted(texts)).map(({ element }) => element));
  }

  /** The selector that leads from the main frame into this page in a cross-origin frame; empty in the main frame. */
  let way = "";

  /** @param {string} selector of the frame that contains this page */
  function comeBy(selector) {
    way = selector;
  }

  /**
   * @param {string} selector of something in this page
   * @returns {string} the same, starting at the main frame
   */
  function fromMainFrame(selector) {
    return way ? `${way} ${selector.startsWith(">>>") ? "" : ">>> "}${selector}` : selector;
  }

  /**
   * @param {Element} element
   * @param {Root[]} roots of the whole page
   * @param {Counts} [counts] of the current page, for many elements
   * @returns {string} a short selector that matches only this element
   */
  function selectorOf(element, roots, counts = new Counts()) {
    // Inside a frame, a selector searches the frame's document first.
    return fromMainFrame(ownSelectorOf(element, way ? [document] : roots, counts));
  }

  /**
   * @param {Element} element
   * @param {Root[]} roots that the selector searches, including those that it names itself
   * @param {Counts} counts
   * @returns {string}
   */
  function ownSelectorOf(element, roots, counts) {
    const root = /** @type {Root} */ (rootOf(element));
    const isSearched = roots.includes(root);
    const ownNames = namesOf(element);
    const isItsOwn = (/** @type {Naming} */ naming) => counts.named(root, naming).length === 1;
    const isElsewhere = (/** @type {(root: Root) => number} */ count) =>
      roots.some((one) => one !== root && count(one));
    // The first match is enough: checking each attribute searches the whole page.
    const unique = ownNames.find(
      (naming) => isItsOwn(naming) && !isElsewhere((one) => counts.named(one, naming).length),
    );
    const isAlone = aloneCheck(element, root, ownNames, counts);
    if (unique && isSearched) {
      const lasting = isDoubtful(unique) ? belowName(element, ownNames, isAlone) : undefined;
      return lasting && !isElsewhere((one) => counts.of(one, lasting)) ? lasting : selectorBy(unique);
    }
    const named = ownNames.find(isItsOwn);
    const holder = holderOf(root);
    // In the shadow root of a named host, one word is often enough.
    const isLone = holder && !isDocument(root) && !named?.name.startsWith("id") && isAlone(tagOf(element));
    const tag = isLone ? tagOf(element) : undefined;
    const outer = () => `${holder ? `${holderSelectorOf(holder, roots, counts)} ` : ""}>>> `;
    const inner =
      tag ??
      (named
        ? selectorBy(named)
        : (combined(element, ownNames, isAlone) ?? wayTo(element, ownNames, isAlone, isItsOwn)));
    const labeled = LONG_PATH.test(inner) ? labeledWayOf(element, root, counts) : undefined;
    const worded = labeled ?? (POSITIONAL.test(inner) ? rowWayOf(element, root, counts) : undefined);
    if (worded) {
      const { step, text, end, isPart = false } = worded;
      const isUnique = !isElsewhere((one) => counts[isPart ? "containing" : "labeled"](one, step, text).length);
      return `${isSearched && isUnique ? "" : outer()}${step} text=${text}${end}`;
    }
    if (isSearched && !isElsewhere((one) => counts.of(one, inner))) return inner;
    return `${outer()}${inner}`;
  }

  /**
   * @param {Element} element
   * @param {Root} root
   * @param {Naming[]} ownNames
   * @param {Counts} counts
   * @returns {(selector: string) => boolean} whether a selector that matches the element matches nothing else in its
   *   root
   */
  function aloneCheck(element, root, [first], counts) {
    const name = first && selectorBy(first);
    const alike = first ? counts.named(root, first) : [];
    return (selector) =>
      // Only elements with this name can match.
      name && selector.endsWith(name)
        ? alike.every((one) => one === element || !isMatch(one, selector))
        : counts.isOnly(root, selector, element);
  }

  /**
   * @param {Element} element
   * @returns {string | undefined} its whole text, if that is a short label, drawn as written
   */
  function labelOf(element) {
    if (isMatch(element, VALUED)) return undefined;
    const text = (textContentOf(element)?.length ?? 0) > 4 * VALUE_LENGTH ? "" : collapse(textContentOf(element) ?? "");
    const isLabel = text.length <= VALUE_LENGTH && LABEL.test(text) && !INVISIBLE.test(text);
    return isLabel && folded(visibleTextOf(element)) === folded(text) ? text : undefined;
  }

  /**
   * @param {Element} element
   * @param {Root} root
   * @param {Counts} counts
   * @returns {{step: string, text: string} | undefined} a step and a text for which `step text=...` matches only this element
   */
  function labeledStepOf(element, root, counts) {
    const text = labelOf(element);
    if (!text) return undefined;
    const tag = tagOf(element);
    const steps = [...(LABELED.has(tag) ? [tag] : []), ...roleStepsOf(element), ...classStepsOf(element)];
    const step = steps.find((one) => {
      const found = counts.labeled(root, one, text);
      return found.length === 1 && found[0] === element;
    });
    return step ? { step, text } : undefined;
  }

  /**
   * @param {Element} element
   * @param {Root} root
   * @param {Counts} counts
   * @returns {LabeledWay | undefined} the step to the element or, if `end` leads into it, to the label around it
   */
  function labeledWayOf(element, root, counts) {
    const own = labeledStepOf(element, root, counts);
    if (own) return { ...own, end: "" };
    const label = closestOf(element, "label");
    const tag = CSS.escape(tagOf(element));
    const around = label && queryIn(label, tag).length === 1 ? labeledStepOf(label, root, counts) : undefined;
    return around && { ...around, end: ` >>> ${tag}` };
  }

  /**
   * @param {Element} element
   * @param {Root} root
   * @param {Counts} counts
   * @returns {LabeledWay | undefined} the way to the row that it is or is in, by a text that no other row has
   */
  function rowWayOf(element, root, counts) {
    for (const row of treeAncestors(element)) {
      const named = isMatch(row, ROWS) ? rowTextsOf(row) : [];
      if (named.length) return wayInRow(row, named, element, root, counts);
    }
    return undefined;
  }

  /**
   * @param {Element} row
   * @param {string[]} named its texts
   * @param {Element} element that it is, or that is in it
   * @param {Root} root
   * @param {Counts} counts
   * @returns {LabeledWay | undefined}
   */
  function wayInRow(row, named, element, root, counts) {
    const step = isMatch(row, "tr, li") ? tagOf(row) : roleStepsOf(row)[0];
    if (!step) return undefined;
    const isOfRow = (/** @type {string} */ text) => {
      const found = counts.containing(root, step, text);
      return found.length === 1 && found[0] === row;
    };
    const text = named.find(isOfRow);
    if (!text) return undefined;
    if (element === row) return { step, text, end: "", isPart: true };
    return { step, text, end: ` >>> ${selectorIn(row, element, root)}`, isPart: true };
  }

  /**
   * @param {Element} row
   * @param {Element} element in it
   * @param {Root} root
   * @returns {string} a selector that matches nothing else in the row
   */
  function selectorIn(row, element, root) {
    const isAlone = (/** @type {string} */ selector) => {
      const found = queryIn(row, selector);
      return found.length === 1 && found[0] === element;
    };
    const tag = CSS.escape(tagOf(element));
    // Labels for screen readers often contain a state ("Row collapsed").
    const name = [tag, ...namesOf(element).map(selectorBy)].find(isAlone);
    if (name) return name;
    const label = labelOf(element);
    const words = folded(label ?? "");
    const isAlike = (/** @type {Element} */ one) => textsOf(one).includes(words);
    if (label && queryIn(row, tag).filter(isAlike).length === 1) return `${tag} text=${label}`;
    return pathOf(element, root, isAlone, () => false);
  }

  /**
   * @param {Element} row
   * @returns {string[]} the first texts in it, as far as they may identify it: later ones are states and figures
   */
  function rowTextsOf(row) {
    const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
    /** @type {string[]} */
    const first = [];
    for (let node = walker.nextNode(); node && first.length < TRIED_ROW_TEXTS; node = walker.nextNode()) {
      const text = collapse(textContentOf(node) ?? "");
      const around = text ? parentElementOf(node) : null;
      if (around && !isAside(row, around) && visibleTextOf(around).trim()) first.push(text);
    }
    const isKey = (/** @type {string} */ text, /** @type {number} */ index) =>
      LABEL.test(text) || (index === 0 && ROW_KEY.test(text));
    return first.filter(isKey).filter((text) => text.length <= VALUE_LENGTH && !INVISIBLE.test(text));
  }

  /**
   * @param {Element} row
   * @param {Element} element in it
   * @returns {boolean} whether it belongs to a control, or to a menu or the like that the row has opened
   */
  function isAside(row, element) {
    for (const one of treeAncestors(element)) {
      // What is around the row does not count: while a menu is open, libraries hide all else from screen readers.
      if (isMatch(one, NO_ROW_TEXTS) || (one !== row && isLayerBeyond(row, one))) return true;
      if (one === row) return false;
    }
    return false;
  }

  /**
   * @param {Element} holder of a shadow root or a frame
   * @param {Root[]} roots
   * @param {Counts} counts
   * @returns {string} a selector that matches no other shadow host or frame
   */
  function holderSelectorOf(holder, roots, counts) {
    const isTheOnlyWay = (/** @type {string} */ selector) =>
      roots.flatMap((root) => queryAll(root, selector)).every((one) => one === holder || !innerRootOf(one));
    const root = /** @type {Root} */ (rootOf(holder));
    const named = roots.includes(root) ? namesOf(holder).map(selectorBy) : [];
    return named.find(isTheOnlyWay) ?? ownSelectorOf(holder, roots, counts);
  }

  /**
   * @param {Element} element
   * @returns {Naming[]} except values that need escapes or could disturb a terminal, and those with spaces that look like
   *   another
   */
  function namesOf(element) {
    const [, end = ""] = /^radix-.*[:_](-[a-z][a-z-]*)$/u.exec(attributeOf(element, "id") ?? "") ?? [];
    const ending = end ? [{ name: "id$", value: end }] : [];
    const own = attributeNamesOf(element).filter((name) => OWN_NAME.test(name) && !NAMING_ATTRIBUTES.includes(name));
    if (isMatch(element, BUTTON_INPUTS)) own.push("value");
    const named = [...NAMING_ATTRIBUTES, ...own].flatMap((name) => {
      const value = attributeOf(element, name) ?? "";
      const isPrintable = /^(?:[^"\\\s\p{C}]| )+$/u.test(value) && !INVISIBLE.test(value);
      const isPlain = value.length <= VALUE_LENGTH && isPrintable;
      const isState = () => value.split(" ").some((word) => STATE_NAME.test(word));
      const isLabel = !own.includes(name) || (LABEL_VALUE.test(value) && !isState());
      const isValue = name === "aria-label" && isMatch(element, VALUED) && value === contentOf(element);
      const isName = isPlain && isLabel && !isValue && !isGenerated(name, value);
      return isName ? [{ name, value }] : [];
    });
    return [...ending, ...named.filter((one) => !isDoubtful(one)), ...named.filter(isDoubtful)];
  }

  /** @param {Element} element */
  function contentOf(element) {
    return isControl(element) ? element.value : collapse(textContentOf(element) ?? "");
  }

  /** @param {Naming} naming */
  function isDoubtful({ name, value }) {
    return name === "id" && DOUBTFUL.test(value);
  }

  /**
   * @param {string} name of a class
   * @returns {boolean} whether it describes the element, rather than its state
   */
  function isDescriptive(name) {
    return (
      CLASS_NAME.test(name) && !isGenerated("class", name) && ![NO_WORD, STATE_NAME].some((other) => other.test(name))
    );
  }

  /** @param {Naming} naming */
  function selectorBy({ name, value }) {
    if (name === "id") return `#${CSS.escape(value)}`;
    return /^[a-z_][\w-]*$/iu.test(value) ? `[${name}=${value}]` : `[${name}="${value}"]`;
  }

  /**
   * @param {Element} element
   * @param {Naming[]} ownNames none of which is unique by itself
   * @param {(selector: string) => boolean} isAlone
   * @returns {string | undefined} two of them that are unique together
   */
  function combined(element, ownNames, isAlone) {
    const [first] = ownNames.map(selectorBy);
    if (!first) return undefined;
    const value = isMatch(element, CHOICES) ? (attributeOf(element, "value") ?? "") : "";
    const isPrintable = /^[\p{L}\p{N} ._-]+$/u.test(value) && !INVISIBLE.test(value);
    const isPlain = value !== "" && value.length <= VALUE_LENGTH && isPrintable;
    const regions = [...treeAncestors(element)].slice(1).filter((one) => isMatch(one, REGIONS));
    const ways = [
      ...(isPlain ? [`${first}${selectorBy({ name: "value", value })}`] : []),
      ...regions.slice(0, TRIED_REGIONS).map((region) => `${tagOf(region)} ${first}`),
    ];
    return ways.find(isAlone);
  }

  /**
   * @param {Element} element
   * @param {Naming[]} ownNames
   * @param {(selector: string) => boolean} isAlone
   * @returns {string | undefined} one of them below a named ancestor that is unique, and not doubtful
   */
  function belowName(element, ownNames, isAlone) {
    const lasting = (/** @type {Element} */ one) => namesOf(one).filter((naming) => !isDoubtful(naming));
    const around = [...treeAncestors(element, TRIED_STEPS)].slice(1).flatMap((one) => lasting(one).slice(0, 1));
    const own = ownNames.filter((naming) => !isDoubtful(naming)).map(selectorBy);
    return own.flatMap((name) => around.map((outer) => `${selectorBy(outer)} ${name}`)).find(isAlone);
  }

  /**
   * @param {Element} element
   * @param {Naming[]} ownNames none of which is unique
   * @param {(selector: string) => boolean} isAlone
   * @param {(naming: Naming) => boolean} isItsOwn whether it matches only one element in the root
   * @returns {string} a path, or one of them below a named ancestor in place of a long one
   */
  function wayTo(element, ownNames, isAlone, isItsOwn) {
    const path = pathOf(element, /** @type {Root} */ (rootOf(element)), isAlone, isItsOwn);
    return (LONG_PATH.test(path) ? belowName(element, ownNames, isAlone) : undefined) ?? path;
  }

  /**
   * Climbs from the element until the path is unique: by names and classes, or by position if there are none.
   *
   * @param {Element} element
   * @param {Root} root
   * @param {(selector: string) => boolean} isAlone whether it matches only the element in the root
   * @param {(naming: Naming) => boolean} isItsOwn whether it matches only one element there
   */
  function pathOf(element, root, isAlone, isItsOwn) {
    /** @type {string[]} */
    let path = [];
    for (const ancestor of treeAncestors(element)) {
      const named = ancestor === element ? classStepsOf(element) : namedStepsOf(ancestor, isItsOwn);
      const isWay = (/** @type {string} */ step) => isAlone([step, ...path].join(" > "));
      const [role] = ancestor === element && !isWay(tagOf(element)) ? roleStepsOf(element) : [];
      const unique = [...named, ...(role ? [role] : [])].find(isWay);
      const step = unique ?? stepOf(ancestor);
      // For a path that is already long only names are tried: the cost grows with its length times the page.
      const isUnique = unique !== undefined || (path.length < TRIED_STEPS && isWay(step));
      path = [step, ...path];
      if (isUnique) return shortened(path, isAlone);
    }
    return isDocument(root) ? path.join(" > ") : `:host > ${path.join(" > ")}`;
  }

  /**
   * @param {Element} element
   * @param {(naming: Naming) => boolean} isItsOwn whether it matches only one element in the root
   */
  function namedStepsOf(element, isItsOwn) {
    const row = isMatch(element, ROWS) ? rowStepOf(element, isItsOwn) : undefined;
    const own = [...namesOf(element).slice(0, 1).map(selectorBy), ...(row ? [row] : [])];
    return [...own, ...classStepsOf(element).slice(0, 1)];
  }

  /**
   * @param {Element} row
   * @param {(naming: Naming) => boolean} isItsOwn whether it matches only one element in the root
   * @returns {string | undefined} a step by the first element in it with a unique name
   */
  function rowStepOf(row, isItsOwn) {
    const inside = queryIn(row, IDENTIFYING).slice(0, TRIED_IDENTIFYING);
    const naming = inside.flatMap(namesOf).find((one) => !isDoubtful(one) && isItsOwn(one));
    return naming && `${CSS.escape(tagOf(row))}:has(${selectorBy(naming)})`;
  }

  /**
   * @param {Element} element
   * @returns {string[]} by its role, if it has one
   */
  function roleStepsOf(element) {
    const role = attributeOf(element, "role") ?? "";
    return /^[a-z]+$/u.test(role) ? [`[role=${role}]`] : [];
  }

  /**
   * @param {Element} element
   * @returns {string[]} by its classes; the longest names are the most specific
   */
  function classStepsOf(element) {
    const names = (attributeOf(element, "class") ?? "").split(/\s+/u);
    const isHashed = names.filter((name) => HASH.test(name) && /\d/u.test(name)).length > 1;
    return names
      .filter((name) => isDescriptive(name) && !(isHashed && HASH.test(name)))
      .sort((a, b) => b.length - a.length)
      .slice(0, TRIED_CLASSES)
      .map((name) => `.${name}`);
  }

  /**
   * @param {string[]} path
   * @param {(selector: string) => boolean} isAlone
   * @returns {string} without the middle steps that are not needed
   */
  function shortened(path, isAlone) {
    const all = path.map((_, index) => index);
    const last = path.length - 1;
    for (const fewer of [
      [0, last],
      [0, last - 1, last],
    ]) {
      if (path.length > fewer.length && isAlone(joined(path, fewer))) return joined(path, fewer);
    }
    let needed = all;
    for (const index of needed.slice(1, -1)) {
      const fewer = needed.filter((other) => other !== index);
      if (isAlone(joined(path, fewer))) needed = fewer;
    }
    return joined(path, needed);
  }

  /**
   * @param {string[]} path
   * @param {number[]} needed
   */
  function joined(path, needed) {
    const link = (/** @type {number} */ place) => (needed[place - 1] === (needed[place] ?? 0) - 1 ? " > " : " ");
    return needed.map((index, place) => `${place ? link(place) : ""}${path[index]}`).join("");
  }

  /** @param {Element} element */
  function ownStepsOf(element) {
    const numbers = NUMBERS.flatMap((name) => {
      const value = attributeOf(element, name) ?? "";
      return /^\d{1,6}$/u.test(value) ? [selectorBy({ name, value })] : [];
    });
    return [...namesOf(element).map(selectorBy), ...classStepsOf(element), ...numbers];
  }

  /**
   * @param {Element} element
   * @returns {string} a step that matches only this one of its siblings
   */
  function stepOf(element) {
    const tag = tagOf(element);
    const step = CSS.escape(tag);
    if (isMatch(element, ":only-of-type")) return step;
    const own = ownStepsOf(element).find((name) => !isMatch(element, `${name} ~ *, :has(~ ${name})`));
    if (own) return own;
    let place = 1;
    for (let other = previousElementOf(element); other; other = previousElementOf(other)) {
      if (tagOf(other) === tag) place += 1;
    }
    return `${step}:nth-of-type(${place})`;
  }

  return { Counts, IDENTIFIERS, comeBy, fromMainFrame, isDescriptive, selectorOf };
})();
