"use strict";

// A copied page's text in blocks (each on a line of its own), with the features that distinguish content from menus.

const textBlocks = (() => {
  const { withoutInvisible } = nodes;
  const { isBlock } = visibleCopy;

  /** Words in classes and ids, which are in English on pages of any language. */
  const NAMES = {
    boilerplate: wordSet(
      "cookie cookies consent gdpr onetrust newsletter subscribe subscription share sharing shares social breadcrumb " +
        "breadcrumbs skip advert advertisement ads ad sponsor sponsored promo promotion promos related recommend recommended " +
        "recommendations recommendation navbar nav navigation menu megamenu submenu footer masthead sidebar widget popup " +
        "modal overlay banner toolbar pagination pager paginator tags tagcloud signup login signin",
    ),
    controls: wordSet(
      "upsell upsells toc facets facet filters filter refinements sidenav drawer offcanvas flyout minicart wishlist tooltip " +
        "toast similar trending rating ratings review reviews shipping delivery cart currency language languages sort " +
        "sorting controls control actions action button buttons btn toggle tab tabs",
    ),
    about: wordSet(
      "author avatar user username profile userinfo meta date time timestamp posted byline info stats count counts votes " +
        "vote score karma badge badges reputation rank online signature sig edited",
    ),
  };
  const MAX_NAMED = 3;
  /** Minimum length of a line that is running text, not a label. */
  const LONG_LINE = 80;
  const TAGS = ["article", "blockquote", "footer", "form", "header", "label", "li", "p", "pre"];
  const NAMED_CONTENT = /articlebody|description|text|name/i;
  const SENTENCE_END = /[.!?:;\u2026\u3002\uff01\uff1f\u201d")]$/;

  /**
   * @typedef {object} Surroundings what the ancestors of a block are
   * @property {Set<string>} tags
   * @property {Record<keyof typeof NAMES, number>} named number of ancestors with such a word in their names
   * @property {boolean} isMain
   * @property {boolean} isNamedContent
   * @property {number} heading level, 0 for none
   */

  /**
   * @typedef {object} Block
   * @property {Text[]} nodes
   * @property {Element} holder its innermost block element
   * @property {Surroundings} around
   * @property {string} text with single spaces between words
   * @property {number} words
   * @property {number} linked the share of characters in links
   * @property {string} kind blocks of the same kind have the same tags and names around them
   * @property {boolean} isReadable whether Readability chose it
   */

  /** @typedef {{chars: number, linked: number}} Size of an element's text */

  /** @type {Map<string, string[]>} many elements have the same names */
  const knownWords = new Map();

  /** @param {string} words */
  function wordSet(words) {
    return new Set(words.split(" "));
  }

  /**
   * @param {Element} element
   * @returns {string[]} the words of its class and id: `postBody-2` gives post, body and 2
   */
  function nameWords(element) {
    const names = `${element.getAttribute("class") ?? ""} ${element.id}`.slice(0, 400);
    let words = knownWords.get(names);
    if (!words) {
      const parted = names.replace(/([a-z\d])([A-Z])/g, "$1 $2").toLowerCase();
      words = parted.split(/[^a-z\d]+/).filter(Boolean);
      knownWords.set(names, words);
    }
    return words;
  }

  /** @param {string} text */
  function collapse(text) {
    return withoutInvisible(text).replace(/\s+/g, " ").trim();
  }

  /** Walks a body once. */
  class Walk {
    /** @param {Element} body */
    constructor(body) {
      /** @type {Block[]} */
      this.blocks = [];
      /** @type {Map<Element, Size>} */
      this.sizes = new Map();
      this.#within(body, body, Walk.#outside, false);
      this.#endBlock();
    }

    /** @type {Surroundings} */
    static #outside = {
      tags: new Set(),
      named: { boilerplate: 0, controls: 0, about: 0 },
      isMain: false,
      isNamedContent: false,
      heading: 0,
    };

    /** @type {Text[]} */
    #nodes = [];
    /** @type {Element | null} */
    #holder = null;
    #around = Walk.#outside;
    #linked = 0;

    /**
     * @param {Element} parent
     * @param {Element} holder
     * @param {Surroundings} around
     * @param {boolean} isLink
     * @returns {Size}
     */
    #within(parent, holder, around, isLink) {
      const size = { chars: 0, linked: 0 };
      for (const node of parent.childNodes) {
        let inner = { chars: 0, linked: 0 };
        if (node instanceof Text) inner = this.#text(node, holder, around, isLink);
        else if (node instanceof Element) inner = this.#element(node, holder, around, isLink);
        size.chars += inner.chars;
        size.linked += inner.linked;
      }
      this.sizes.set(parent, size);
      return size;
    }

    /**
     * @param {Text} node
     * @param {Element} holder
     * @param {Surroundings} around
     * @param {boolean} isLink
     * @returns {Size}
     */
    #text(node, holder, around, isLink) {
      const { length } = collapse(node.data);
      if (!length) {
        if (this.#nodes.length) this.#nodes.push(node);
        return { chars: 0, linked: 0 };
      }
      if (!this.#nodes.length) [this.#holder, this.#around] = [holder, around];
      this.#nodes.push(node);
      const linked = isLink ? length : 0;
      this.#linked += linked;
      return { chars: length, linked };
    }

    /**
     * @param {Element} element
     * @param {Element} holder
     * @param {Surroundings} around
     * @param {boolean} isLink
     * @returns {Size}
     */
    #element(element, holder, around, isLink) {
      const endsLine = isBlock(element) || element.localName === "br";
      if (endsLine) this.#endBlock();
      const inner = isBlock(element) ? element : holder;
      const size = this.#within(element, inner, surroundingsIn(element, around), isLink || element.localName === "a");
      if (endsLine) this.#endBlock();
      return size;
    }

    #endBlock() {
      const [nodes, holder] = [this.#nodes, this.#holder];
      const text = collapse(nodes.map(({ data }) => data).join(""));
      if (holder && text) {
        const linked = Math.min(1, this.#linked / text.length);
        const words = text.split(" ").length;
        const isReadable = false;
        this.blocks.push({
          nodes,
          holder,
          around: this.#around,
          text,
          words,
          linked,
          kind: kindOf(holder),
          isReadable,
        });
      }
      [this.#nodes, this.#holder, this.#linked] = [[], null, 0];
    }
  }

  /**
   * @param {Element} element
   * @param {Surroundings} around
   * @returns {Surroundings} for the element's content
   */
  function surroundingsIn(element, around) {
    const tag = element.localName;
    const words = nameWords(element);
    const named = { ...around.named };
    for (const name of /** @type {(keyof typeof NAMES)[]} */ (Object.keys(NAMES))) {
      if (words.some((word) => NAMES[name].has(word))) named[name] = Math.min(MAX_NAMED, named[name] + 1);
    }
    return {
      tags: TAGS.includes(tag) ? new Set(around.tags).add(tag) : around.tags,
      named,
      isMain: around.isMain || tag === "main" || tag === "article" || element.getAttribute("role") === "main",
      isNamedContent: around.isNamedContent || NAMED_CONTENT.test(element.getAttribute("itemprop") ?? ""),
      heading: /^h[1-6]$/.test(tag) ? Number(tag[1]) : around.heading,
    };
  }

  /** @param {Element} holder */
  function kindOf(holder) {
    const parts = [];
    for (
      let element = /** @type {Element | null} */ (holder), i = 0;
      element && i < 3;
      element = element.parentElement
    ) {
      const words = nameWords(element).filter((word) => !/\d/.test(word));
      parts.push(`${element.localName}.${words.slice(0, 3).join(".")}`);
      i += 1;
    }
    return parts.join("<");
  }

  /**
   * @param {Element} body of a copied page
   * @param {string} readable the text that Readability chose
   * @returns {{blocks: Block[], features: Record<string, number>[], readableLongShare: number}} `features`: of each
   *   block; `readableLongShare`: the share of the page's long lines that Readability chose
   */
  function blocksOf(body, readable) {
    const { blocks, sizes } = new Walk(body);
    const chosen = new Set(readable.split("\n").map(plain));
    for (const block of blocks) block.isReadable = chosen.has(plain(block.text));
    const whole = wholeOf(blocks);
    return { blocks, features: featuresOf(blocks, sizes, whole), readableLongShare: whole.readableLong };
  }

  /** @param {string} text */
  function plain(text) {
    return text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, " ")
      .trim();
  }

  /**
   * @param {Block[]} blocks
   * @param {Map<Element, Size>} sizes
   * @param {ReturnType<typeof wholeOf>} whole
   */
  function featuresOf(blocks, sizes, whole) {
    const title = blocks.findIndex(({ around }) => around.heading === 1);
    const [firstReadable, lastReadable] = [blocks.findIndex(isReadableText), blocks.findLastIndex(isReadableText)];
    const copies = copiesOf(blocks);
    let before = 0;
    return blocks.map((block, i) => {
      const [previous, next] = [blocks[i - 1], blocks[i + 1]];
      const kind = whole.kinds.get(block.kind) ?? { blocks: 1, words: block.words, linked: block.linked };
      const position = before / whole.chars;
      before += block.text.length;
      return {
        ...ownFeatures(block),
        ...containerFeatures(block, sizes, whole.chars),
        position,
        beforeTitle: Number(i < title),
        previousWords: Math.log1p(previous?.words ?? 0),
        nextWords: Math.log1p(next?.words ?? 0),
        previousReadable: Number(previous?.isReadable ?? false),
        nextReadable: Number(next?.isReadable ?? false),
        betweenReadable: Number(i >= firstReadable && i <= lastReadable),
        kindBlocks: Math.log1p(kind.blocks),
        kindWords: Math.log1p(kind.words / kind.blocks),
        kindLinked: kind.linked / kind.blocks,
        pageChars: Math.log(whole.chars),
        readable: Number(block.isReadable),
        readableShare: whole.readable,
        readableLongShare: whole.readableLong,
        readableOfMuch: Number(block.isReadable) * whole.readable,
        readableOfMuchLong: Number(block.isReadable) * whole.readableLong,
        ...copies[i],
      };
    });
  }

  /**
   * @param {Block[]} blocks
   * @returns {{repeated: number, copies: number}[]} whether an earlier block has the same text, and how many have it
   */
  function copiesOf(blocks) {
    const keys = blocks.map(({ text }) => text.toLowerCase());
    /** @type {Map<string, number>} */
    const counts = new Map();
    const before = keys.map((key) => {
      const count = counts.get(key) ?? 0;
      counts.set(key, count + 1);
      return count;
    });
    return keys.map((key, i) => ({ repeated: Number(Boolean(before[i])), copies: Math.log(counts.get(key) ?? 1) }));
  }

  /** @param {Block} block */
  function isReadableText({ text, isReadable }) {
    return isReadable && text.length >= LONG_LINE;
  }

  /** @param {Block[]} blocks */
  function wholeOf(blocks) {
    /** @type {Map<string, {blocks: number, words: number, linked: number}>} */
    const kinds = new Map();
    const chars = { all: 0, long: 0, readable: 0, readableLong: 0 };
    for (const { text, words, linked, kind, isReadable } of blocks) {
      const isLong = text.length >= LONG_LINE;
      chars.all += text.length;
      if (isLong) chars.long += text.length;
      if (isReadable) chars.readable += text.length;
      if (isReadable && isLong) chars.readableLong += text.length;
      const known = kinds.get(kind) ?? { blocks: 0, words: 0, linked: 0 };
      kinds.set(kind, { blocks: known.blocks + 1, words: known.words + words, linked: known.linked + linked });
    }
    return {
      kinds,
      chars: chars.all || 1,
      readable: chars.readable / (chars.all || 1),
      readableLong: chars.readableLong / (chars.long || 1),
    };
  }

  /** @param {Block} block */
  function ownFeatures({ text, words, linked, around }) {
    const { tags, named, isMain, isNamedContent, heading } = around;
    return {
      words: Math.log1p(words),
      linked,
      endsSentence: Number(SENTENCE_END.test(text)),
      heading1: Number(heading === 1),
      heading2: Number(heading === 2 || heading === 3),
      heading4: Number(heading > 3),
      ...Object.fromEntries(TAGS.map((tag) => [`in_${tag}`, Number(tags.has(tag))])),
      isMain: Number(isMain),
      isNamedContent: Number(isNamedContent),
      ...named,
    };
  }

  /**
   * @param {Block} block
   * @param {Map<Element, Size>} sizes
   * @param {number} pageChars
   */
  function containerFeatures({ holder }, sizes, pageChars) {
    const first = holder.parentElement ?? holder;
    const second = first.parentElement ?? first;
    const third = second.parentElement ?? second;
    const [inner = { chars: 0, linked: 0 }, outer = inner] = [sizes.get(first), sizes.get(second)];
    return {
      containerLinked: inner.linked / (inner.chars || 1),
      outerLinked: outer.linked / (outer.chars || 1),
      outermostShare: Math.log(((sizes.get(third)?.chars ?? pageChars) || 1) / pageChars),
    };
  }

  return { LONG_LINE, blocksOf, collapse };
})();
