"use strict";

// Elements that repeat each other: the links of a menu, the buttons of a result list.

/**
 * @typedef {object} Repeats
 * @property {Item[]} shown the first ones
 * @property {Item[]} more the others
 */

const grouping = (() => {
  const { attributeOf, parentElementOf, tagOf } = dom;

  const STEPS = 4;
  /** So many are always shown; of more, fewer the more there are, and of all kinds of them together about so many. */
  const FEW = 8;
  const ALL_SHOWN = 40;
  const EXAMPLES = 10;
  /** Fields differ more than links do. */
  const FEW_FIELDS = 20;
  const FIELD_SHARE = 6;
  const COMMON = new Set(["link", "button", "clickable", "draggable", "menuitem", "option", "treeitem"]);

  /**
   * @param {Item[]} items
   * @returns {Map<Item, Repeats>} by the last one that is shown of those that repeat each other
   */
  function collapsed(items) {
    /** @type {Map<string, Item[]>} */
    const alike = new Map();
    for (const item of items) {
      const shape = `${item.kind} ${item.role} ${shapeOf(item.element)}`;
      const known = alike.get(shape);
      if (known) known.push(item);
      else alike.set(shape, [item]);
    }
    /** @type {Map<Item, Repeats>} */
    const found = new Map();
    const kinds = [...alike.values()].filter((members) => isThing(members[0]) && members.length > FEW).length;
    const least = Math.max(1, Math.floor(EXAMPLES / kinds));
    for (const members of alike.values()) {
      const count = shownOf(members, least);
      const last = members[count - 1];
      if (count < members.length && last) {
        found.set(last, { shown: members.slice(0, count), more: members.slice(count) });
      }
    }
    return found;
  }

  /**
   * @param {Item[]} members
   * @param {number} least
   */
  function shownOf({ [0]: first, length }, least) {
    const isField = isThing(first) && !COMMON.has(first?.role ?? "");
    if (length <= (isField ? FEW_FIELDS : FEW)) return length;
    return Math.max(least, Math.floor((isField ? FIELD_SHARE : 1) * (ALL_SHOWN / length)));
  }

  /** @param {Item | undefined} item */
  function isThing(item) {
    return item?.kind === "thing";
  }

  /**
   * @param {Element} element
   * @returns {string} tags, from an ancestor down to the element
   */
  function shapeOf(element) {
    let shape = tagOf(element);
    let outer = parentElementOf(element);
    for (let step = 1; outer && step < STEPS; step += 1) {
      shape = `${tagOf(outer)} ${shape}`;
      outer = parentElementOf(outer);
    }
    return shape;
  }

  /**
   * @param {Item[]} members
   * @param {Root[]} roots all of the page
   * @param {InstanceType<typeof selectorGenerator.Counts>} counts
   * @returns {string} a selector that matches them, and no others if a short one can tell them apart
   */
  function patternOf(members, roots, counts) {
    const elements = members.map(({ element }) => element);
    const [first] = elements;
    if (!first) return "";
    const tags = shapeOf(first)
      .split(" ")
      .map((tag) => CSS.escape(tag));
    const classes = (/** @type {Element} */ one) => (attributeOf(one, "class") ?? "").split(/\s+/u);
    const common = classes(first).find(
      (name) => /^[\w-]{1,30}$/u.test(name) && elements.every((one) => classes(one).includes(name)),
    );
    const ways = [
      ...tags.map((_, index) => tags.slice(-1 - index).join(" > ")),
      ...(common ? [`.${CSS.escape(common)}`] : []),
      ...(tags.length > 2 ? [`${tags[0]} ${tags.at(-1)}`] : []),
    ].sort((a, b) => a.length - b.length);
    const isTheirs = (/** @type {string} */ way) =>
      roots.reduce((sum, root) => sum + counts.of(root, way), 0) === elements.length;
    return ways.find(isTheirs) ?? tags.join(" > ");
  }

  return { collapsed, patternOf };
})();
