"use strict";

// A short selector for an element, which outlives the next drawing of the page.

const uniqueSelectors = (() => {
  const {
    attributeOf,
    childrenOf,
    holderOf,
    idOf,
    isDocument,
    isElement,
    parentOf,
    queryAll,
    rootOf,
    tagOf,
    treeAncestors,
  } = dom;

  const ATTRIBUTE_LENGTH = 40;
  const TRIED_STEPS = 12;
  const NAMING_ATTRIBUTES = ["data-testid", "data-test", "name", "aria-label"];

  /**
   * @param {Element} element
   * @param {Root[]} roots all of the page
   * @returns {string} a short selector that matches this element only
   */
  function selectorOf(element, roots) {
    const root = /** @type {Root} */ (rootOf(element));
    const isAlone = (/** @type {Root[]} */ scopes, /** @type {string} */ selector) =>
      scopes.reduce((count, scope) => count + queryAll(scope, selector).length, 0) === 1;
    const here = [...namingSelectors(element), pathOf(element, root)].filter((selector) => isAlone([root], selector));
    const everywhere = here.find((selector) => isAlone(roots, selector));
    if (everywhere) return everywhere;
    const holder = holderOf(root);
    return `${holder ? `${selectorOf(holder, roots)} ` : ""}>>> ${here[0]}`;
  }

  /** @param {Element} element */
  function namingSelectors(element) {
    // Nothing that would need escapes or could disturb a terminal.
    const isPlain = (/** @type {string | null} */ value) =>
      value !== null && value.length <= ATTRIBUTE_LENGTH && /^[^"\\\p{C}\p{Zl}\p{Zp}]+$/u.test(value);
    const tag = CSS.escape(tagOf(element));
    const id = idOf(element);
    return [
      ...(isPlain(id) ? [`#${CSS.escape(id)}`] : []),
      ...NAMING_ATTRIBUTES.filter((name) => isPlain(attributeOf(element, name))).map(
        (name) => `${tag}[${name}="${attributeOf(element, name)}"]`,
      ),
    ];
  }

  /**
   * Steps from the element upwards, until they lead to it alone. A path that is long already goes all the way up, which
   * leads to one element without being tried: trying grows with the length times the page.
   *
   * @param {Element} element
   * @param {Root} root
   */
  function pathOf(element, root) {
    let path = "";
    let length = 0;
    for (const ancestor of treeAncestors(element)) {
      const steps = ancestor === element ? [] : namingSelectors(ancestor).slice(0, 1);
      for (const step of length < TRIED_STEPS ? [...steps, stepOf(ancestor)] : []) {
        const longer = path ? `${step} > ${path}` : step;
        if (queryAll(root, longer).length === 1) return longer;
      }
      path = path ? `${stepOf(ancestor)} > ${path}` : stepOf(ancestor);
      length += 1;
    }
    return isDocument(root) ? path : `:host > ${path}`;
  }

  /** @param {Element} element */
  function stepOf(element) {
    const tag = tagOf(element);
    const parent = parentOf(element);
    const siblings = parent && isElement(parent) ? [...childrenOf(parent)] : [.../** @type {Root} */ (parent).children];
    const same = siblings.filter((sibling) => tagOf(sibling) === tag);
    const step = CSS.escape(tag);
    return same.length > 1 ? `${step}:nth-of-type(${same.indexOf(element) + 1})` : step;
  }

  return { selectorOf };
})();
