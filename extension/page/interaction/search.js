"use strict";

// Selectors: CSS, `xpath=...` and `text=...`. Each searches the document, the shadow roots and the same-origin frames.
// `button text=Pay` finds what matches the CSS selector and has that text or label. A whole text comes before a part of
// one, which starts at a word; `text="Pay"` finds whole texts only. `host >>> inner` searches only the shadow root or
// the frame of `host`, or `host` itself if it has neither; `>>> inner` searches only the document itself. The last part
// may also be XPath or text. For a cross-origin frame the worker continues with the rest of the selector.

/**
 * @typedef {{kind: "css" | "xpath" | "text", text: string, words?: string}} SelectorPart with words only after CSS
 *
 * @typedef {Root | Element} Scope what a part of a selector is searched in
 *
 * @typedef {{text: string, isWhole: boolean}} Wanted a text, folded, and whether it is not to be a part of another one
 */

const search = (() => {
  const {
    attributeOf,
    childrenOf,
    documentOf,
    drawnAncestors,
    holderOf,
    holds,
    innerRootOf,
    isCrossOrigin,
    isDocument,
    isElement,
    isMatch,
    likelyRootOf,
    queryAll,
    queryIn,
    textContentOf,
    topOf,
  } = dom;
  const { PageError, folded, quote, readTextOf, textOf, visibleTextOf } = texts;
  const { isRendered, isVisible } = geometry;

  const MAX_ROOTS = 5_000;
  const PARTLY_SEARCHED = `The page has more than ${MAX_ROOTS} shadow roots and frames; only the first ${MAX_ROOTS} were searched.`;
  const NEAR = { contentVisibilityAuto: true };
  /** How many letters one may stand for when it is drawn in capitals or folded; most are two. */
  const MAX_LETTERS = 18;
  const OTHER_THAN_ASCII = /[^\0-\x7f]/u;
  /** A character of a word in a script with spaces between its words. */
  const OF_A_WORD =
    /^(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])[\p{L}\p{N}]/u;
  /**
   * Most elements of large pages are of types that cannot have a shadow root, here the most common first; the first
   * three are the most common others.
   */
  const MAY_HOLD_A_ROOT =
    "div, span, p, *:not(a, td, li, tr, i, path, option, img, svg, b, button, ul, label, th, input, time, strong, em, " +
    "abbr, dd, dl, dt, figcaption, figure, form, link, meta, ol, s, script, select, small, style, table, tbody, thead)";

  /** What may have words that are not its text. */
  const LABELED = '[aria-label], input:is([type="submit"], [type="button"], [type="reset"])';
  /** CSS, then the text of its match: CSS ends at the first ` text=` outside quotes and square brackets. */
  const CSS_WITH_TEXT =
    /^((?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\[(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[^\]"'])*\]|\\.|(?!>>>)[^"'[\\])+?)\s+text\s*=([^]*)$/iu;

  /** The text, which ends at the next ` >>> ` outside quotes; and what follows. */
  const WORDS = /^((?:"[^"]*"|'[^']*'|(?!\s>>>\s)[^])*)(?:\s>>>\s+([^]*))?$/u;

  /** One selector, searched as often as needed. */
  class Search {
    /** @readonly */
    #parts;
    /** @type {Root[]} the roots searched last: visiting a large page again would take as long */
    roots = [];
    /** Whether those were all roots. */
    isWhole = true;
    /** Whether the text was found only as part of a longer one. */
    isPartial = false;
    /** The rest of the selector, for the cross-origin frames found; empty if elements of this page were found. */
    rest = "";

    /**
     * @param {string} selector
     * @throws {PageError} INVALID_SELECTOR
     */
    constructor(selector) {
      this.#parts = parse(selector);
    }

    /** Whether it names a text: a heading and the button below it may have the same one. */
    get isByText() {
      const last = this.#parts.at(-1);
      return last?.kind === "text" || last?.words !== undefined;
    }

    /**
     * @param {(element: Element) => boolean} [isWanted] the others are left out before a whole text is preferred to a part
     * @returns {Element[]} outer trees first, each in its own order; or cross-origin frames that lead on
     */
    find(isWanted = () => true) {
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
        found = part.text ? this.#findPart(scopes, part, isWanted) : [];
        // Other tools' `>>>` leads through any number of roots. The nearest comes first: listed selectors mean that one.
        if (!found.length && index > 0 && part.text) {
          found = this.#findPart(withInnerRoots(scopes), part, isWanted);
        }
      }
      if (found.length || !leading.length) {
        this.rest = "";
        return found;
      }
      this.isPartial = false;
      return leading;
    }

    /**
     * @param {Scope[]} roots
     * @param {SelectorPart} part
     * @param {(element: Element) => boolean} isWanted
     * @returns {Element[]}
     */
    #findPart(roots, { kind, text, words }, isWanted) {
      if (kind === "css") {
        const found = roots.flatMap((root) => queryAll(root, text));
        return words === undefined ? found : this.#withText(found, wantedIn(words));
      }
      if (kind === "xpath") return roots.flatMap((root) => byXPath(root, text));
      const wanted = wantedIn(text);
      const hits = byText(roots, wanted.text).filter(({ element }) => isWanted(element));
      const exact = hits.filter(({ isExact }) => isExact);
      this.isPartial = !exact.length;
      return [...new Set((exact.length || wanted.isWhole ? exact : hits).map(({ element }) => element))];
    }

    /**
     * @param {Element[]} elements
     * @param {Wanted} wanted
     */
    #withText(elements, { text, isWhole }) {
      const letters = text.replaceAll(" ", "");
      const isNear = (/** @type {string} */ one) => one.replaceAll(" ", "").includes(letters);
      const own = elements.filter((element) => textsOf(element).some(isNear));
      const near = own.length ? own : this.#aroundRoots(elements, (root) => isNear(wholeTextOf(root)));
      const spaced = (/** @type {Element} */ element) => [spacedTextOf(element)];
      const readings = own.length ? [textsOf, spaced] : [(/** @type {Element} */ one) => [composedTextOf(one)]];
      const exact = readings
        .map((read) => near.filter((element) => read(element).includes(text)))
        .find(({ length }) => length);
      this.isPartial = !exact;
      if (exact || isWhole) return innermost(exact ?? []);
      const isPart = (/** @type {string} */ one) => hasPart(one, text);
      const partial = innermost(near.filter((element) => readings.some((read) => read(element).some(isPart))));
      // The name in a cell is never the whole text of its row.
      const holding = partial.filter((element) => partsOf(element).some((one) => folded(one) === text));
      this.isPartial = !holding.length;
      return holding.length ? holding : partial;
    }

    /**
     * @param {Element[]} elements
     * @param {(root: ShadowRoot) => boolean} isWanted
     * @returns {Element[]} those that contain such a shadow root
     */
    #aroundRoots(elements, isWanted) {
      const wanted = this.roots.filter((root) => !isDocument(root)).filter(isWanted);
      const around = new Set(wanted.flatMap((root) => [...drawnAncestors(/** @type {Element} */ (holderOf(root)))]));
      return elements.filter((element) => around.has(element));
    }
  }

  /**
   * @param {string} words perhaps in quotes
   * @returns {Wanted}
   */
  function wantedIn(words) {
    const bare = unquoted(words);
    return { text: folded(bare), isWhole: bare !== words };
  }

  /** @param {string} words */
  function unquoted(words) {
    return words.replace(/^(["'])([^]*)\1$/u, "$2");
  }

  /**
   * @param {string} text
   * @param {string} part
   * @returns {boolean} whether it contains the part, starting at a word: "ok" is not in "took"
   */
  function hasPart(text, part) {
    if (!OF_A_WORD.test(part)) return text.includes(part);
    for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) {
      if (!OF_A_WORD.test(text.charAt(at - 1))) return true;
    }
    return false;
  }

  /**
   * @param {Node} node
   * @returns {string} all its text, even if it is not drawn
   */
  function wholeTextOf(node) {
    return folded(textContentOf(node) ?? "");
  }

  /**
   * @param {Element} element
   * @returns {string} its text, then that which is drawn in the shadow roots in it
   */
  function composedTextOf(element) {
    const tops = rootsIn([element]).flatMap((root) => [...topsOf(root)]);
    const inner = tops.filter((top) => isRendered(top)).map(visibleTextOf);
    return folded([visibleTextOf(element), ...inner].join(" "));
  }

  /**
   * @param {Element} element
   * @returns {string[]} all its text, even if it is not drawn; and its `aria-label`, or the value of a button
   */
  function textsOf(element) {
    const label = isMatch(element, LABELED) ? folded(labelOf(element)) : "";
    return label ? [wholeTextOf(element), label] : [wholeTextOf(element)];
  }

  /** @param {Element} element a match of LABELED */
  function labelOf(element) {
    return attributeOf(element, "aria-label") ?? textOf(element);
  }

  /**
   * @param {Element} element
   * @returns {string} its whole text with a space between its parts: without one, the cells of a row are one word
   */
  function spacedTextOf(element) {
    return folded(partsOf(element).join(" "));
  }

  /**
   * @param {Element} element
   * @returns {string[]} the texts in it, one for each text node
   */
  function partsOf(element) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    /** @type {string[]} */
    const parts = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) parts.push(textContentOf(node) ?? "");
    return parts;
  }

  /**
   * @param {Element[]} elements in document order
   * @returns {Element[]} without those that contain others
   */
  function innermost(elements) {
    return elements.filter((element, index) => {
      const next = elements[index + 1];
      return !next || !holds(element, next);
    });
  }

  /**
   * @returns {Root[]} the document and every searchable root inside it, outer ones first; one more than the limit if
   *   there are too many
   */
  function allRoots() {
    return withInnerRoots(/** @type {Root[]} */ ([document]));
  }

  /**
   * @param {Element[]} elements none of which is in another one
   * @returns {Root[]} theirs and those inside, outer ones first
   */
  function rootsIn(elements) {
    const holders = elements.flatMap((one) => [one, ...queryIn(one, MAY_HOLD_A_ROOT)]);
    return withInnerRoots(holders.map(likelyRootOf).filter((root) => root !== null));
  }

  /**
   * @template {Scope} Outer
   * @param {Outer[]} roots
   * @returns {(Outer | Root)[]} these, then every searchable root inside them
   */
  function withInnerRoots(roots) {
    /** @type {(Outer | Root)[]} */
    const all = [...roots];
    for (const root of all) {
      for (const element of queryAll(root, MAY_HOLD_A_ROOT)) {
        const inner = likelyRootOf(element);
        if (inner && all.length <= MAX_ROOTS) all.push(inner);
      }
    }
    return all;
  }

  /**
   * @param {Root[]} roots
   * @returns {Element[]} the visible cross-origin frames
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
      const [, xpath] = /^xpath\s*=([^]*)$/iu.exec(rest) ?? [];
      if (xpath !== undefined) {
        parts.push({ kind: "xpath", text: xpath.trim() });
        break;
      }
      const [, css = "", end] = CSS_WITH_TEXT.exec(rest) ?? /^()text\s*=([^]*)$/iu.exec(rest) ?? [];
      if (end !== undefined) {
        const [, words = "", inner] = WORDS.exec(end) ?? [];
        // Playwright's notation for a text inside of something.
        const text = css.trim().replace(/\s>>$/u, " *");
        parts.push(css ? { kind: "css", text, words: words.trim() } : { kind: "text", text: words.trim() });
        if (inner === undefined) break;
        rest = inner;
        continue;
      }
      // Up to the next >>> outside quotes.
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
   * @returns {string} a selector that starts at the document itself
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
      throw new PageError(
        "INVALID_SELECTOR",
        "The selector is empty, or nothing follows text=, xpath= or >>>. Add what to find, for example text=Buy now.",
      );
    }
    try {
      // Searched in an empty element, so that it costs nothing.
      if (part.kind === "css") document.createDocumentFragment().querySelector(part.text);
      if (part.kind === "xpath") nodesAt(document.createElement("a"), part.text);
    } catch {
      const kind = part.kind === "xpath" ? "XPath expression for elements" : "CSS selector";
      throw new PageError("INVALID_SELECTOR", `${quote(part.text)} is not a valid ${kind}: ${faultOf(part)}`);
    }
  }

  /**
   * @param {SelectorPart} part
   * @returns {string} what is wrong, as far as known
   */
  function faultOf({ kind, text }) {
    const bare = text.replace(/\\.|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/gsu, "");
    const count = (/** @type {string} */ character) => bare.split(character).length - 1;
    if (/["']/u.test(bare)) return "a quotation mark is not closed.";
    if (count("[") !== count("]")) return "its square brackets do not match.";
    if (count("(") !== count(")")) return "its parentheses do not match.";
    if (kind === "xpath") return "correct it, or write a CSS selector or text=... instead.";
    if (/^\.{0,2}\//u.test(text)) return "it looks like XPath; write xpath= before it.";
    if (/:(?:contains|has-text|text)\b/u.test(bare)) {
      return "CSS has no such selector; write button text=... to find by text.";
    }
    const [, digit] = /[#.](\d[\w-]*)/u.exec(bare) ?? [];
    if (digit) return `a name must not start with a digit; write [id="${digit}"] instead.`;
    return "a selector is CSS, text=Save, button text=Save or xpath=//button.";
  }

  /**
   * @param {SelectorPart | undefined} before the previous part
   * @param {Element[]} found its matches
   * @returns {Scope[]}
   */
  function innerScopes(before, found) {
    return before?.text ? found.map((one) => innerRootOf(one) ?? one) : [document];
  }

  /**
   * @param {Scope} root
   * @param {string} expression
   * @returns {Element[]}
   */
  function byXPath(root, expression) {
    // A shadow root cannot be an XPath context, but its children can.
    const contexts = isDocument(root) || isElement(root) ? [root] : [...root.children];
    const elements = contexts
      .flatMap((context) => nodesAt(context, expression))
      .map((node) => (isElement(node) ? node : (/** @type {Attr} */ (node).ownerElement ?? node.parentElement)));
    return [...new Set(elements.filter((element) => element !== null))].filter((element) => holds(root, element));
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
   * Finds the smallest elements drawn with that text.
   *
   * @param {Scope[]} roots
   * @param {string} wanted
   */
  function byText(roots, wanted) {
    return roots.flatMap((root) => [
      ...[...topsOf(root)].flatMap((top) => smallestWith(top, wanted)),
      ...queryAll(root, LABELED).flatMap((element) => hit(element, labelOf(element), wanted)),
    ]);
  }

  /** @param {Scope} root a document that is being replaced has no elements */
  function topsOf(root) {
    if (isDocument(root)) return topOf(root);
    return isElement(root) ? childrenOf(root) : root.children;
  }

  /**
   * @param {Element} element
   * @param {string} wanted
   * @returns {{element: Element, isExact: boolean}[]}
   */
  function smallestWith(element, wanted) {
    // Drawn text is slower to query than all text.
    if (!isLongEnough(textContentOf(element) ?? "", wanted) || !isRendered(element)) return [];
    const shown = folded(visibleTextOf(element));
    if (!shown.includes(wanted)) return smallestLaterWith(element, wanted);
    const inner = [...childrenOf(element)].flatMap((child) => smallestWith(child, wanted));
    if (inner.length) return inner;
    const own = hit(element, shown, wanted);
    if (own.some(({ isExact }) => isExact)) return own;
    const read = hit(element, readTextOf(element), wanted);
    return read.length ? read : own;
  }

  /**
   * @param {string} whole
   * @param {string} wanted a folded text
   * @returns {boolean} whether it may contain the wanted text, which is longer only by spaces, or by letters that are
   *   written as one: "ß" is drawn as "SS", "…" is folded to "..."
   */
  function isLongEnough(whole, wanted) {
    const { length } = wanted.replaceAll(" ", "");
    return whole.length >= length || (whole.length * MAX_LETTERS >= length && OTHER_THAN_ASCII.test(whole));
  }

  /**
   * Finds the same in what the browser draws only near the window (`content-visibility: auto`): until then, it is not part
   * of the drawn text.
   *
   * @param {Element} element
   * @param {string} wanted
   * @returns {{element: Element, isExact: boolean}[]}
   */
  function smallestLaterWith(element, wanted) {
    const [word = ""] = wanted.split(" ");
    const whole = textContentOf(element) ?? "";
    if (!folded(whole).includes(word) || !isRendered(element)) return [];
    const inner = [...childrenOf(element)].flatMap((child) => smallestLaterWith(child, wanted));
    return inner.length || isRendered(element, NEAR) ? inner : hit(element, whole, wanted);
  }

  /**
   * @param {Element} element
   * @param {string} text
   * @param {string} wanted
   */
  function hit(element, text, wanted) {
    const found = folded(text);
    return hasPart(found, wanted) ? [{ element, isExact: found === wanted }] : [];
  }

  return {
    PARTLY_SEARCHED,
    Search,
    allRoots,
    crossOriginFramesIn,
    hasPart,
    innermost,
    rootsIn,
    spacedTextOf,
    textsOf,
    unquoted,
  };
})();
