"use strict";

// Generates a short selector for an element that survives re-rendering.

const selectorGenerator = (() => {
  const {
    attributeOf,
    childrenOf,
    countIn,
    holderOf,
    innerRootOf,
    isDocument,
    isElement,
    isMatch,
    parentOf,
    queryAll,
    rootOf,
    tagOf,
    treeAncestors,
  } = dom;

  const VALUE_LENGTH = 40;
  const TRIED_STEPS = 12;
  /** In the order in which they are tried. */
  const NAMING_ATTRIBUTES = "id data-testid data-test data-cy name aria-label title placeholder href".split(" ");
  /** Generated parts of ids, names and classes, which change with each rendering. */
  const GENERATED =
    /:r?[0-9a-z]*:|«|^_r_|\d{5}|[0-9a-f]{8}-[0-9a-f]{4}|(?=[a-z]*\d)[0-9a-f]{10}|^(?:react-aria|radix|headlessui|downshift|mui|mantine|chakra|ember|ext-gen|yui|gwt-uid|cdk|mat|ng|ag|dubois|el-id|rc|select2|ui-id|uid|uuid|guid|combobox|listbox|popover|dialog)[-_]?[a-z-]*[-_:]?\d+|^(?:css|sc|jss|st-emotion-cache|svelte|emotion)-|__[\w-]*[A-Z]\w{3,}$/u;
  /** A class that describes the element. */
  const CLASS_NAME = /^[a-z][a-z_-]{2,30}$/iu;
  /** Classes of states, which change after a click. */
  const STATE_NAME =
    /^(?:is|has|ng|js|mod|p-mod|jp-mod|lm-mod)-|(?:^|[-_])(?:active|selected|current|open|opened|closed|expanded|collapsed|focus|focused|hover|hovered|pressed|dragging|disabled|enabled|checked|visible|hidden|show|shown|hide|first|last|odd|even|loading|dirty|invalid|valid)$/iu;
  /** Regions of which there are few, and which people refer to when they describe a place. */
  const REGIONS = "header, nav, main, aside, footer, form, dialog";
  const TRIED_REGIONS = 3;
  const TRIED_CLASSES = 3;

  /** Match counts: visiting a large page takes long, so no query runs twice. */
  class Counts {
    /** @type {Map<Root, Map<string, Map<string, number>>>} by root and attribute name */
    #values = new Map();
    /** @type {Map<Root, Map<string, number>>} by root and selector */
    #matches = new Map();

    /**
     * @param {Root} root
     * @param {{name: string, value: string}} naming
     */
    named(root, { name, value }) {
      // The browser has its own index of ids, and knows where they are case-insensitive.
      if (name.startsWith("id")) return this.of(root, selectorBy({ name, value }));
      const ofRoot = kept(this.#values, root, () => new Map());
      return kept(ofRoot, name, () => countValues(root, name)).get(value) ?? 0;
    }

    /**
     * @param {Root} root
     * @param {string} selector
     */
    of(root, selector) {
      const ofRoot = kept(this.#matches, root, () => new Map());
      return kept(ofRoot, selector, () => countIn([root], selector));
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
   * @param {Root} root
   * @param {string} name
   * @returns {Map<string, number>}
   */
  function countValues(root, name) {
    const counts = new Map();
    for (const element of queryAll(root, `[${name}]`)) {
      const value = attributeOf(element, name);
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    return counts;
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
    const isItsOwn = (/** @type {{name: string, value: string}} */ naming) => counts.named(root, naming) === 1;
    // The first match is enough: checking each attribute searches the whole page.
    const unique = ownNames.find(
      (naming) => isItsOwn(naming) && sum(roots.map((one) => counts.named(one, naming))) === 1,
    );
    if (unique && isSearched) return selectorBy(unique);
    const named = ownNames.find(isItsOwn);
    const isAlone = (/** @type {string} */ selector) => counts.of(root, selector) === 1;
    const holder = holderOf(root);
    // In the shadow root of a named host, one word is often enough.
    const isLone = holder && !isDocument(root) && !named?.name.startsWith("id") && isAlone(tagOf(element));
    const tag = isLone ? tagOf(element) : undefined;
    const inner =
      tag ?? (named ? selectorBy(named) : (combined(element, ownNames, isAlone) ?? pathOf(element, root, isAlone)));
    if (isSearched && sum(roots.map((one) => counts.of(one, inner))) === 1) return inner;
    return `${holder ? `${holderSelectorOf(holder, roots, counts)} ` : ""}>>> ${inner}`;
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

  /** @param {number[]} numbers */
  function sum(numbers) {
    return numbers.reduce((total, number) => total + number, 0);
  }

  /**
   * @param {Element} element
   * @returns {{name: string, value: string}[]} attributes that may name it, except values that need escapes or could
   *   disturb a terminal
   */
  function namesOf(element) {
    const [, end = ""] = /^radix-.*:(-[a-z][\w-]*)$/u.exec(attributeOf(element, "id") ?? "") ?? [];
    const ending = end ? [{ name: "id$", value: end }] : [];
    const named = NAMING_ATTRIBUTES.flatMap((name) => {
      const value = attributeOf(element, name);
      const isPlain = value !== null && value.length <= VALUE_LENGTH && /^[^"\\\p{C}\p{Zl}\p{Zp}]+$/u.test(value);
      return isPlain && !isGenerated(name, value) ? [{ name, value }] : [];
    });
    return [...ending, ...named];
  }

  /**
   * @param {string} name
   * @param {string} value
   */
  function isGenerated(name, value) {
    return ["id", "name", "class"].includes(name) && GENERATED.test(value);
  }

  /** @param {{name: string, value: string}} naming */
  function selectorBy({ name, value }) {
    if (name === "id") return `#${CSS.escape(value)}`;
    return /^[a-z_][\w-]*$/iu.test(value) ? `[${name}=${value}]` : `[${name}="${value}"]`;
  }

  /**
   * @param {Element} element
   * @param {{name: string, value: string}[]} ownNames none of which is unique by itself
   * @param {(selector: string) => boolean} isAlone
   * @returns {string | undefined} two of them that are unique together
   */
  function combined(element, ownNames, isAlone) {
    const [first] = ownNames.map(selectorBy);
    if (!first) return undefined;
    const value = isMatch(element, "input[value]") ? (attributeOf(element, "value") ?? "") : "";
    const isPlain = value !== "" && value.length <= VALUE_LENGTH && /^[\p{L}\p{N} ._-]+$/u.test(value);
    const regions = [...treeAncestors(element)].slice(1).filter((one) => isMatch(one, REGIONS));
    const ways = [
      ...(isPlain ? [`${first}${selectorBy({ name: "value", value })}`] : []),
      ...regions.slice(0, TRIED_REGIONS).map((region) => `${tagOf(region)} ${first}`),
    ];
    return ways.find(isAlone);
  }

  /**
   * Climbs from the element until the path is unique: by names and classes, or by position if there are none.
   *
   * @param {Element} element
   * @param {Root} root
   * @param {(selector: string) => boolean} isAlone whether it is unique in the root
   */
  function pathOf(element, root, isAlone) {
    /** @type {string[]} */
    let path = [];
    for (const ancestor of treeAncestors(element)) {
      const named = ancestor === element ? classStepsOf(element) : namedStepsOf(ancestor);
      // For a path that is already long only names are tried: the cost grows with its length times the page.
      for (const step of path.length < TRIED_STEPS ? [...named, stepOf(ancestor)] : named) {
        if (isAlone([step, ...path].join(" > "))) return shortened([step, ...path], isAlone);
      }
      path = [stepOf(ancestor), ...path];
    }
    return isDocument(root) ? path.join(" > ") : `:host > ${path.join(" > ")}`;
  }

  /** @param {Element} element */
  function namedStepsOf(element) {
    return [...namesOf(element).slice(0, 1).map(selectorBy), ...classStepsOf(element).slice(0, 1)];
  }

  /**
   * @param {Element} element
   * @returns {string[]} by its classes; the longest names are the most specific
   */
  function classStepsOf(element) {
    const names = (attributeOf(element, "class") ?? "").split(/\s+/u);
    return names
      .filter((name) => CLASS_NAME.test(name) && !GENERATED.test(name) && !STATE_NAME.test(name))
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
  function stepOf(element) {
    const tag = tagOf(element);
    const parent = parentOf(element);
    const siblings = parent && isElement(parent) ? [...childrenOf(parent)] : [.../** @type {Root} */ (parent).children];
    const same = siblings.filter((sibling) => tagOf(sibling) === tag);
    const step = CSS.escape(tag);
    const others = same.length > 1 ? siblings.filter((sibling) => sibling !== element) : [];
    const [own] = others.length
      ? classStepsOf(element).filter((name) => !others.some((one) => isMatch(one, name)))
      : [];
    if (own) return own;
    return same.length > 1 ? `${step}:nth-of-type(${same.indexOf(element) + 1})` : step;
  }

  return { Counts, comeBy, fromMainFrame, isGenerated, selectorOf };
})();
