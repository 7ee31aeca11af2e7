"use strict";

// Selectors: CSS, `xpath=...` and `text=...`. Each searches the document, the shadow roots and the frames of the same
// origin. `button text=Pay` finds what matches the CSS selector and has that text. `host >>> inner` goes into the shadow root or the frame of `host`, and there only; `>>> inner` searches
// the document itself only. The last part may be XPath or text, too. Into a frame of another site the worker takes what
// is left of the selector.

/** @typedef {{kind: "css" | "xpath" | "text", text: string, words?: string}} SelectorPart with words only after CSS */

const search = (() => {
  const {
    attributeOf,
    childrenOf,
    documentOf,
    holds,
    innerRootOf,
    isDocument,
    isElement,
    isCrossOrigin,
    likelyRootOf,
    queryAll,
    textContentOf,
    topOf,
  } = dom;
  const { PageError, collapse, quote, textOf, visibleTextOf } = texts;
  const { isRendered, isVisible } = geometry;

  const MAX_ROOTS = 500;
  const PARTLY_SEARCHED = `The page has more than ${MAX_ROOTS} shadow roots and frames; only the first ${MAX_ROOTS} were searched.`;
  /** Letters that one letter is drawn as. */
  const MAX_CAPITALS = 3;
  /** Most elements of large pages are of kinds that cannot have a shadow root; of the others, most are the first three. */
  const MAY_HOLD_A_ROOT =
    "div, span, p, *:not(a, abbr, b, button, dd, dl, dt, em, figcaption, figure, form, i, img, input, label, li, link, " +
    "meta, ol, option, path, s, script, select, small, strong, style, svg, table, tbody, td, th, thead, time, tr, ul)";

  /** CSS, then the text of what it matches: up to the first ` text=` outside of quotes and square brackets. */
  const CSS_WITH_TEXT =
    /^((?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\[(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[^\]"'])*\]|\\.|(?!>>>)[^"'[\\])+?)\s+text\s*=([^]*)$/iu;

  /** One selector, searched as often as need be. */
  class Search {
    /** @readonly */
    #parts;
    /** @type {Root[]} where it was searched last: going through a large page again would take as long */
    roots = [];
    /** Whether that was all there is. */
    isWhole = true;
    /** Whether the text was found only as a part of another. */
    isPartial = false;
    /** What is to be searched for in the found frames of other sites; empty when elements of this page were found. */
    rest = "";

    /**
     * @param {string} selector
     * @throws {PageError} INVALID_SELECTOR
     */
    constructor(selector) {
      this.#parts = parse(selector);
    }

    /** @returns {Element[]} outer trees first, each in its own order; or frames of other sites that lead on */
    find() {
      this.roots = allRoots();
      this.isWhole = this.roots.length <= MAX_ROOTS;
      this.roots.length = Math.min(this.roots.length, MAX_ROOTS);
      /** @type {Element[]} */
      let found = [];
      /** @type {Element[]} */
      let leading = [];
      this.rest = "";
      for (const [index, part] of this.#parts.entries()) {
        const foreign = found.filter(isCrossOrigin);
        if (foreign.length) [leading, this.rest] = [foreign, written(this.#parts.slice(index))];
        const scopes = index > 0 ? innerScopes(this.#parts[index - 1], found) : this.roots;
        found = part.text ? this.#findPart(scopes, part) : [];
      }
      if (found.length || !leading.length) {
        this.rest = "";
        return found;
      }
      this.isPartial = false;
      return leading;
    }

    /**
     * @param {Root[]} roots
     * @param {SelectorPart} part
     * @returns {Element[]}
     */
    #findPart(roots, { kind, text, words }) {
      if (kind === "css") {
        const found = roots.flatMap((root) => queryAll(root, text));
        return words === undefined ? found : this.#withText(found, normalized(words));
      }
      if (kind === "xpath") return roots.flatMap((root) => byXPath(root, text));
      const hits = byText(roots, text);
      const exact = hits.filter(({ isExact }) => isExact);
      this.isPartial = !exact.length;
      return [...new Set((exact.length ? exact : hits).map(({ element }) => element))];
    }

    /**
     * @param {Element[]} elements
     * @param {string} wanted
     */
    #withText(elements, wanted) {
      const exact = elements.filter((element) => wholeTextOf(element) === wanted);
      this.isPartial = !exact.length;
      return innermost(exact.length ? exact : elements.filter((element) => wholeTextOf(element).includes(wanted)));
    }
  }

  /**
   * @param {string} text
   * @returns {string} the same for all texts that differ in blanks, capitals and the quotes around them only
   */
  function normalized(text) {
    return collapse(text.replace(/^(["'])([^]*)\1$/u, "$2")).toLowerCase();
  }

  /**
   * @param {Element} element
   * @returns {string} all text in it, also what is not drawn
   */
  function wholeTextOf(element) {
    return collapse(textContentOf(element) ?? "").toLowerCase();
  }

  /**
   * @param {Element[]} elements in the order of the document
   * @returns {Element[]} without those that contain others
   */
  function innermost(elements) {
    return elements.filter((element, index) => {
      const next = elements[index + 1];
      return !next || !holds(element, next);
    });
  }

  /**
   * @returns {Root[]} the document, and every root inside it that may be searched, outer ones first; one more than may
   *   be when there are too many
   */
  function allRoots() {
    /** @type {Root[]} */
    const roots = [document];
    for (const root of roots) {
      for (const element of queryAll(root, MAY_HOLD_A_ROOT)) {
        const inner = likelyRootOf(element);
        if (inner && roots.length <= MAX_ROOTS) roots.push(inner);
      }
    }
    return roots;
  }

  /**
   * @param {Root[]} roots
   * @returns {Element[]} the visible frames of other sites
   */
  function crossOriginFramesIn(roots) {
    return roots
      .flatMap((root) => queryAll(root, "iframe, frame"))
      .filter((one) => isCrossOrigin(one) && isVisible(one));
  }

  /**
   * @param {string} selector
   * @returns {SelectorPart[]}
   * @throws {PageError} INVALID_SELECTOR
   */
  function parse(selector) {
    /** @type {SelectorPart[]} */
    const parts = [];
    for (let rest = selector.trim(); ;) {
      const [, kind, text] = /^(xpath|text)\s*=([^]*)$/iu.exec(rest) ?? [];
      if (kind && text !== undefined) {
        parts.push({ kind: kind.toLowerCase() === "text" ? "text" : "xpath", text: text.trim() });
        break;
      }
      const [, css, words] = CSS_WITH_TEXT.exec(rest) ?? [];
      if (css && words !== undefined) {
        parts.push({ kind: "css", text: css.trim(), words: words.trim() });
        break;
      }
      // Up to the next >>> that stands in no quotes.
      const [head = ""] = /^(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\\.|(?!>>>)[^])*/u.exec(rest) ?? [];
      parts.push({ kind: "css", text: head.trim() });
      if (head.length === rest.length) break;
      rest = rest.slice(head.length + 3).trim();
    }
    for (const [index, part] of parts.entries()) checkPart(part, index === 0 && parts.length > 1);
    return parts;
  }

  /**
   * @param {SelectorPart[]} parts
   * @returns {string} a selector that searches the document itself first
   */
  function written(parts) {
    const ended = (/** @type {SelectorPart} */ { words }) => (words === undefined ? "" : ` text=${words}`);
    return parts.map((part) => `>>> ${part.kind === "css" ? "" : `${part.kind}=`}${part.text}${ended(part)}`).join(" ");
  }

  /**
   * @param {SelectorPart} part
   * @param {boolean} mayBeEmpty
   * @throws {PageError} INVALID_SELECTOR
   */
  function checkPart(part, mayBeEmpty) {
    if (part.text === "" || part.words === "") {
      if (mayBeEmpty) return;
      throw new PageError("INVALID_SELECTOR", "A part of the selector is empty. Name an element there.");
    }
    try {
      // In what holds nothing, so that it costs nothing.
      if (part.kind === "css") document.createDocumentFragment().querySelector(part.text);
      if (part.kind === "xpath") nodesAt(document.createElement("a"), part.text);
    } catch {
      const kind = part.kind === "xpath" ? "XPath expression for elements" : "CSS selector";
      throw new PageError("INVALID_SELECTOR", `${quote(part.text)} is not a valid ${kind}: ${faultOf(part)}`);
    }
  }

  /**
   * @param {SelectorPart} part
   * @returns {string} what is wrong, as far as it is known
   */
  function faultOf({ kind, text }) {
    const bare = text.replace(/\\.|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/gsu, "");
    const count = (/** @type {string} */ character) => bare.split(character).length - 1;
    if (/["']/u.test(bare)) return "a quotation mark is not closed.";
    if (count("[") !== count("]")) return "its square brackets do not match.";
    if (count("(") !== count(")")) return "its round brackets do not match.";
    if (kind === "xpath") return "test it, or use a CSS selector or text=...";
    if (/^\.{0,2}\//u.test(text)) return "it looks like XPath; write xpath= before it.";
    if (/:(?:contains|has-text|text)\b/u.test(bare)) {
      return "CSS has no such selector; write button text=... to find by text.";
    }
    const [, digit] = /[#.](\d[\w-]*)/u.exec(bare) ?? [];
    if (digit) return `a name must not start with a digit; write [id="${digit}"] instead.`;
    return "test it, or use text=... to find by text.";
  }

  /**
   * @param {SelectorPart | undefined} before the part before
   * @param {Element[]} found by it
   * @returns {Root[]}
   */
  function innerScopes(before, found) {
    return before?.text ? found.map(innerRootOf).filter((root) => root !== null) : [document];
  }

  /**
   * @param {Root} root
   * @param {string} expression
   * @returns {Element[]}
   */
  function byXPath(root, expression) {
    // A shadow root itself is no context for XPath, but what stands in it is.
    const contexts = isDocument(root) ? [root] : [...root.children];
    const elements = contexts
      .flatMap((context) => nodesAt(context, expression))
      .map((node) => (isElement(node) ? node : (/** @type {Attr} */ (node).ownerElement ?? node.parentElement)));
    return [...new Set(elements.filter((element) => element !== null))];
  }

  /**
   * @param {Document | Element} context
   * @param {string} expression
   * @returns {Node[]}
   */
  function nodesAt(context, expression) {
    const owner = documentOf(context) ?? context;
    const type = XPathResult.ORDERED_NODE_SNAPSHOT_TYPE;
    const result = Reflect.apply(Document.prototype.evaluate, owner, [expression, context, null, type, null]);
    return Array.from(
      { length: result.snapshotLength },
      (_, index) => /** @type {Node} */ (result.snapshotItem(index)),
    );
  }

  /**
   * The smallest elements that are drawn with that text.
   *
   * @param {Root[]} roots
   * @param {string} text
   */
  function byText(roots, text) {
    const wanted = normalized(text);
    return roots.flatMap((root) => [
      // A document that is just being replaced has no element at all.
      ...[...(isDocument(root) ? topOf(root) : root.children)].flatMap((top) => smallestWith(top, wanted)),
      ...queryAll(root, '[aria-label], input:is([type="submit"], [type="button"], [type="reset"])').flatMap((element) =>
        hit(element, attributeOf(element, "aria-label") ?? textOf(element), wanted),
      ),
    ]);
  }

  /**
   * @param {Element} element
   * @param {string} wanted
   * @returns {{element: Element, isExact: boolean}[]}
   */
  function smallestWith(element, wanted) {
    // Drawn text costs more to ask for than all text, and is longer by blanks and capitals ("ß" is drawn as "SS") only.
    const most = (textContentOf(element)?.length ?? 0) * MAX_CAPITALS;
    if (most < wanted.replaceAll(" ", "").length || !isRendered(element)) return [];
    const own = hit(element, visibleTextOf(element), wanted);
    if (!own.length) return [];
    const inner = [...childrenOf(element)].flatMap((child) => smallestWith(child, wanted));
    return inner.length ? inner : own;
  }

  /**
   * @param {Element} element
   * @param {string} text
   * @param {string} wanted
   */
  function hit(element, text, wanted) {
    const found = collapse(text).toLowerCase();
    return found.includes(wanted) ? [{ element, isExact: found === wanted }] : [];
  }

  return { PARTLY_SEARCHED, Search, allRoots, crossOriginFramesIn, innermost, wholeTextOf };
})();
