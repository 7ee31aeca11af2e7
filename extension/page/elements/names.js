"use strict";

// Accessible names, by WAI's rules: what others say of the element, what it says itself, what is in it, what is left.

const names = (() => {
  const { attributeOf, childrenOf, dataOf, drawnChildrenOf, isControl, isElement, isText, kindOf, likelyRootOf } = dom;
  const { labelsOf, queryAll, rootOf, tagOf } = dom;
  const { collapse } = texts;
  const { isRendered } = geometry;

  /** Characters after which a name is cut anyway. */
  const ENOUGH = 400;
  const SILENT = new Set(["script", "style", "template", "noscript", "select", "textarea", "iframe"]);
  const WORDED = new Set(["submit", "button", "reset"]);
  /** What is drawn in a line of text; all else stands apart. */
  const INLINE = new Set(["a", "abbr", "b", "bdi", "code", "em", "font", "i", "mark", "s", "small", "span", "strong"]);
  const NAMING_PARTS = new Map([
    ["fieldset", "legend"],
    ["figure", "figcaption"],
    ["svg", "title"],
    ["table", "caption"],
  ]);
  /** Glyphs of icon fonts. */
  const GLYPHS = /\p{Co}/gu;

  /**
   * @param {Element} element
   * @param {boolean} isNamedByContent
   * @returns {string} in one line; empty when it has none
   */
  function accessibleNameOf(element, isNamedByContent) {
    const ways = [
      () => labelledBy(element),
      () => attributeOf(element, "aria-label"),
      () => nativeNameOf(element),
      () => (isNamedByContent ? contentOf(element) : ""),
      () => attributeOf(element, "title"),
      () => attributeOf(element, "placeholder") ?? attributeOf(element, "aria-placeholder"),
    ];
    for (const way of ways) {
      const name = plain(way() ?? "");
      if (name) return name;
    }
    return "";
  }

  /** @param {string} text */
  function plain(text) {
    return collapse(text.slice(0, ENOUGH).replace(GLYPHS, ""));
  }

  /** @param {Element} element */
  function labelledBy(element) {
    const ids = attributeOf(element, "aria-labelledby")?.match(/\S+/gu) ?? [];
    const root = ids.length ? /** @type {Root} */ (rootOf(element)) : document;
    const labels = ids.flatMap((id) => queryAll(root, `#${CSS.escape(id)}`).slice(0, 1));
    return labels.map((label) => attributeOf(label, "aria-label") || contentOf(label, true)).join(" ");
  }

  /** @param {Element} element */
  function nativeNameOf(element) {
    if (isControl(element)) {
      const kind = kindOf(element);
      const label = collapse(
        labelsOf(element)
          .map((one) => contentOf(one))
          .join(" "),
      );
      if (label || !WORDED.has(kind)) return label || (kind === "image" ? attributeOf(element, "alt") : "");
      return element.value || { submit: "Submit", reset: "Reset" }[kind];
    }
    const tag = tagOf(element);
    if (tag === "img" || tag === "area") return attributeOf(element, "alt");
    const part = NAMING_PARTS.get(tag);
    const naming = part && [...childrenOf(element)].find((child) => tagOf(child) === part);
    return naming ? contentOf(naming, true) : "";
  }

  /**
   * What a person reads in an element, without what is written into fields.
   *
   * @param {Element} element
   * @param {boolean} [isHiddenToo]
   */
  function contentOf(element, isHiddenToo = false) {
    /** @type {string[]} */
    const parts = [];
    let length = 0;
    const add = (/** @type {string} */ text) => {
      parts.push(text);
      length += text.length;
    };
    const read = (/** @type {Element} */ outer) => {
      for (const node of drawnChildrenOf(outer, likelyRootOf(outer))) {
        if (length > ENOUGH) return;
        if (isText(node)) add(dataOf(node));
        else if (isElement(node)) readElement(node);
      }
    };
    const readElement = (/** @type {Element} */ inner) => {
      const tag = tagOf(inner);
      if (SILENT.has(tag) || (!isHiddenToo && !isRendered(inner))) return;
      const edge = INLINE.has(tag) ? "" : " ";
      // A label is asked for its control's name.
      const own = isControl(inner) ? edge : attributeOf(inner, "aria-label") || nativeNameOf(inner);
      add(edge);
      if (own) add(own);
      else read(inner);
      add(edge);
    };
    read(element);
    return parts.join("");
  }

  return { INLINE, accessibleNameOf, contentOf, plain };
})();
