"use strict";

// Suggestions when nothing was found.

const suggestions = (() => {
  const { attributeOf, isControl, isMatch, queryAll, tagOf, textContentOf } = dom;
  const { PageError, TEXT_LENGTH, folded, quote, textOf } = texts;
  const { isRendered } = geometry;
  const { PARTLY_SEARCHED, Search, allRoots, crossOriginFramesIn } = search;
  const { fromMainFrame, selectorOf } = selectorGenerator;

  /** @typedef {Pick<InstanceType<typeof search.Search>, "roots" | "isWhole">} Searched */

  const SELECTOR_LENGTH = 120;
  const MAX_CANDIDATES = 2_000;
  const NEAR_MISSES = 3;
  const LEAST_SIMILARITY = 0.45;

  /**
   * @param {string} selector
   * @throws {PageError} INVALID_SELECTOR, with elements that it may mean: models write the selectors of other tools, or
   *   copy a line of the list
   */
  function searchFor(selector) {
    try {
      return new Search(selector);
    } catch (error) {
      const near = similarElements(selector, allRoots());
      if (error instanceof PageError && near.length) error.message += ` Did you mean ${near.join(" or ")}?`;
      throw error;
    }
  }

  /**
   * @param {string} selector
   * @param {Searched} searched
   */
  function notFound(selector, searched) {
    const asked = quote(fromMainFrame(selector));
    return new PageError("ELEMENT_NOT_FOUND", `No element matches ${asked}. ${adviceOn(selector, searched)}`);
  }

  /**
   * @param {string} selector without matches
   * @param {Searched} searched
   * @returns {string} sentences
   */
  function adviceOn(selector, { roots, isWhole }) {
    const near = similarElements(selector, roots);
    const advice = near.length
      ? `Did you mean ${near.join(" or ")}?`
      : "Nothing on the page is similar. List its elements with page_elements, or take a screenshot to see what it shows.";
    const rest = isWhole ? "" : ` ${PARTLY_SEARCHED}`;
    return `${advice}${frameHint(roots)}${rest}`;
  }

  /**
   * @param {Root[]} roots
   * @returns {string} how to search the cross-origin frames, if there are any
   */
  function frameHint(roots) {
    const [frame] = crossOriginFramesIn(roots);
    const way = frame ? selectorOf(frame, roots) : "";
    if (!way || way.length > SELECTOR_LENGTH) return "";
    return ` Frames of other sites are searched only when the selector names them, for example ${way} >>> input.`;
  }

  /**
   * @param {string} selector
   * @param {Root[]} roots
   * @returns {string[]} similar elements: working selectors, each with a name
   */
  function similarElements(selector, roots) {
    const wanted = wordsOf(selector).map(pairsOf);
    /** @type {{element: Element, score: number}[]} */
    const best = [];
    for (const element of candidatesIn(roots)) {
      const keys = keysOf(element).map(pairsOf);
      const score = Math.max(0, ...keys.flatMap((key) => wanted.map((word) => similarity(word, key))));
      if (score > Math.max(LEAST_SIMILARITY, best[NEAR_MISSES - 1]?.score ?? 0)) {
        best.push({ element, score });
        best.sort((a, b) => b.score - a.score).splice(NEAR_MISSES);
      }
    }
    return best.flatMap(({ element }) => {
      const found = selectorOf(element, roots);
      // A truncated selector would not work.
      if (found.length > SELECTOR_LENGTH) return [];
      const hidden = isRendered(element) ? "" : "hidden ";
      return [`${found} (${hidden}${tagOf(element)} ${quote(textOf(element), 30)})`];
    });
  }

  /**
   * @param {string} selector
   * @returns {string[]} the words chosen by a page: ids, classes, values, texts
   */
  function wordsOf(selector) {
    const [, text] = /(?:^|\s)text=\s*["']?([^>]+?)["']?$/iu.exec(selector) ?? [];
    if (text) return [text];
    const named = [...selector.matchAll(/[#.]((?:\\.|[\w-]|[^\p{ASCII}])+)|["']([^"']+)["']|=([^\]"'\s]+)\]/gu)];
    const words = named.map(([, name, quoted, value]) => name ?? quoted ?? value ?? "");
    return words.length ? words : (selector.match(/[\p{L}\p{N}_-]+/gu) ?? []);
  }

  /** @param {Root[]} roots */
  function candidatesIn(roots) {
    const all = ["a, button, input, label, select, summary, textarea, [role]", "[id], [data-testid], [aria-label]"];
    const found = all.flatMap((selector) => roots.flatMap((root) => queryAll(root, selector).slice(0, MAX_CANDIDATES)));
    return [...new Set(found)]
      .filter((element) => !isMatch(element, "template, script, style"))
      .slice(0, MAX_CANDIDATES);
  }

  /** @param {Element} element */
  function keysOf(element) {
    const names = ["id", "name", "href", "data-testid", "aria-label", "placeholder", "title"];
    const classes = (attributeOf(element, "class") ?? "").split(/\s+/u).slice(0, 5);
    const isShort = (textContentOf(element)?.length ?? 0) < 4 * TEXT_LENGTH;
    const texts = [isShort ? textContentOf(element) : "", isControl(element) ? textOf(element) : ""];
    return [...names.map((name) => attributeOf(element, name)), ...classes, ...texts].filter((key) => key !== null);
  }

  /**
   * @param {string} text
   * @returns {Set<string>} its pairs of adjacent characters
   */
  function pairsOf(text) {
    const characters = [...folded(text.slice(0, 4 * TEXT_LENGTH))].slice(0, TEXT_LENGTH);
    return new Set(characters.slice(1).map((character, index) => `${characters[index]}${character}`));
  }

  /**
   * @param {Set<string>} a
   * @param {Set<string>} b
   * @returns {number} from 0 to 1
   */
  function similarity(a, b) {
    const shared = [...a].filter((pair) => b.has(pair)).length;
    return shared === 0 ? 0 : (2 * shared) / (a.size + b.size);
  }

  return { adviceOn, notFound, searchFor };
})();
