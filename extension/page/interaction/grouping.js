"use strict";

// Repeated elements: the links of a menu, the buttons of a result list.

/**
 * @typedef {object} Repeats
 * @property {Item[]} shown the first ones
 * @property {Item[]} more the others
 */

const grouping = (() => {
  const { attributeOf, isMatch, parentElementOf, tagOf, treeAncestors } = dom;

  const STEPS = 4;
  /** Minimum numbers shown: of elements with different texts, and of those with the same text except for numbers. */
  const FEW = 5;
  /** Fields differ more than links do, and each frame is a separate page. */
  const FEW_FIELDS = 20;
  const COMMON = new Set([
    "link",
    "button",
    "clickable",
    "draggable",
    "gridcell",
    "menuitem",
    "option",
    "row",
    "treeitem",
  ]);
  /** Fields that have nothing but their name, such as the boxes that select a row. */
  const CHECKED = new Set(["checkbox", "radio", "switch"]);
  const FEW_EQUAL = 3;
  /** Number of lines measured per group to estimate the length of all. */
  const SAMPLE = 8;
  /** Approximate length of a selector, and of the line that counts omitted elements. */
  const SELECTOR = 30;
  const MORE_LINE = 50;
  const TRIED_CLASSES = 6;
  const CLASS_NAME = /^[a-z][\w-]{1,40}$/iu;

  /**
   * @param {Item[]} items
   * @param {(item: Item) => string} wordsOf
   * @param {number} room in characters for all lines
   * @returns {Map<Item, Repeats>} of elements to act on, by the last one shown of each group
   */
  function collapsed(items, wordsOf, room) {
    const things = items.filter(({ kind }) => kind === "thing");
    const groups = groupsOf(things).map((members) => groupWith(members, wordsOf));
    const most = mostThatFit(groups, room);
    /** @type {Map<Item, Repeats>} */
    const found = new Map();
    for (const group of groups) {
      const count = shownOf(group, most);
      const last = group.members[count - 1];
      if (count < group.members.length && last) {
        found.set(last, { shown: group.members.slice(0, count), more: group.members.slice(count) });
      }
    }
    return found;
  }

  /**
   * @param {Item[]} items
   * @returns {Item[][]} groups of elements that differ only in texts and numbers
   */
  function groupsOf(items) {
    return [...Map.groupBy(items, ({ role, element }) => `${role} ${shapeOf(element, partOf)}`).values()];
  }

  /**
   * @typedef {object} Group
   * @property {Item[]} members
   * @property {number} length approximate length of a line
   * @property {boolean} isEqual whether they have the same text except for numbers
   */

  /**
   * @param {Item[]} members
   * @param {(item: Item) => string} wordsOf
   * @returns {Group}
   */
  function groupWith(members, wordsOf) {
    const words = members.length > FEW_EQUAL ? members.slice(0, SAMPLE).map(wordsOf) : [];
    const length = words.reduce((sum, text) => sum + text.length, 0) / (words.length || 1) + SELECTOR;
    const isEqual = words.length > FEW_EQUAL && new Set(words.map((text) => text.replace(/\d+/gu, "0"))).size === 1;
    return { members, length, isEqual };
  }

  /**
   * @param {Group[]} groups
   * @param {number} room
   * @returns {number} the number per group, so that all lines fit; always at least a few
   */
  function mostThatFit(groups, room) {
    const sizeAt = (/** @type {number} */ most) =>
      groups.reduce((sum, group) => {
        const count = shownOf(group, most);
        return sum + count * group.length + (count < group.members.length ? MORE_LINE : 0);
      }, 0);
    let most = FEW;
    for (const { members } of groups.toSorted((a, b) => a.members.length - b.members.length)) {
      if (members.length > most && sizeAt(members.length) <= room) most = members.length;
    }
    const longest = Math.max(...groups.map(({ members }) => members.length));
    while (most < longest && sizeAt(most + 1) <= room) most += 1;
    while (most > 1 && sizeAt(most) > room) most -= 1;
    return most;
  }

  /**
   * @param {Group} group
   * @param {number} most
   */
  function shownOf({ members, isEqual }, most) {
    const { length } = members;
    const role = members[0]?.role ?? "";
    const isRepeated = COMMON.has(role) || (isEqual && CHECKED.has(role) && length > FEW_FIELDS);
    const least = isRepeated ? 0 : role === "frame" ? length : FEW_FIELDS;
    const count = Math.max(least, isEqual ? Math.min(FEW_EQUAL, most) : most);
    // A line that counts one element takes as much room as the element.
    return length <= count + 1 ? length : count;
  }

  /**
   * @param {Element} element
   * @param {(element: Element) => string} write
   * @returns {string} from an ancestor down to the element
   */
  function shapeOf(element, write) {
    return [...treeAncestors(element, STEPS)].map(write).reverse().join(" ");
  }

  /**
   * @param {Element} element
   * @returns {string} its tag and classes, without numbers
   */
  function partOf(element) {
    return `${tagOf(element)}.${(attributeOf(element, "class") ?? "").replace(/\d+/gu, "")}`;
  }

  /**
   * @param {Item[]} members
   * @param {Root[]} roots of the whole page
   * @param {InstanceType<typeof selectorGenerator.Counts>} counts
   * @returns {string} the shortest selector that matches only these; empty if there is none
   */
  function patternOf(members, roots, counts) {
    const elements = members.map(({ element }) => element);
    const [first] = elements;
    if (!first) return "";
    const isTheirs = (/** @type {string} */ way) =>
      roots.reduce((sum, root) => sum + counts.of(root, way), 0) === elements.length &&
      elements.every((one) => isMatch(one, way));
    return waysTo(first, elements).find(isTheirs) ?? "";
  }

  /**
   * @param {Element} first
   * @param {Element[]} elements
   * @returns {string[]} selectors that may match them, shortest first
   */
  function waysTo(first, elements) {
    const tags = shapeOf(first, (one) => CSS.escape(tagOf(one))).split(" ");
    const own = commonClasses(elements);
    const holders = elements.map(parentElementOf).filter((one) => one !== null);
    const around = commonClasses(holders);
    const farther = commonClasses(holders.map(parentElementOf).filter((one) => one !== null));
    const role = attributeOf(first, "role");
    const tag = tags.at(-1) ?? "*";
    const bare = attributeOf(first, "class") === null ? [`${tag}:not([class])`] : [];
    const places = [...bare, `${tag}:first-of-type`, `${tag}:last-of-type`];
    const ends = [tag, ...own, ...own.map((name) => `${tag}${name}`), ...(role ? [`[role=${CSS.escape(role)}]`] : [])];
    return [
      ...tags.map((_, index) => tags.slice(-1 - index).join(" > ")),
      ...ends,
      ...places.flatMap((place) => [place, [...tags.slice(-2, -1), place].join(" > ")]),
      ...ends.flatMap((end) => [
        ...around.map((outer) => `${outer} > ${end}`),
        ...farther.map((outer) => `${outer} ${end}`),
      ]),
      ...(tags.length > 2 ? [`${tags[0]} ${tag}`] : []),
    ].sort((a, b) => a.length - b.length);
  }

  /**
   * @param {Element[]} elements
   * @returns {string[]} selectors made of the classes that all of them have
   */
  function commonClasses(elements) {
    const written = new Set(elements.map((one) => attributeOf(one, "class") ?? ""));
    const [first = [], ...others] = [...written].map((names) => names.split(/\s+/u));
    const common = first.filter((name) => CLASS_NAME.test(name) && others.every((names) => names.includes(name)));
    return common.slice(0, TRIED_CLASSES).map((name) => `.${name}`);
  }

  return { collapsed, patternOf };
})();
