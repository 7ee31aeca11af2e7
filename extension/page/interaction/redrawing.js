"use strict";

// Whether the nodes that a page has removed and added again, or drawn again, are where they were.

/** @typedef {Record<"parentNode" | "previousSibling" | "nextSibling", Node | null>} NodePlace */

const redrawing = (() => {
  const { childNodesOf, childrenOf, isAfter, isElement, outermost, parentOf, textContentOf } = dom;
  const { collapse } = texts;
  const { isComment, isWorded } = changeSummary;

  /**
   * @param {Node[]} nodes that were removed and are back
   * @param {Map<Node, MutationRecord[]>} childChanges all changes of children, oldest first, by the parent
   * @returns {boolean} whether they are all elements of their parent, and in the same order as before
   */
  function isWholeInOrder(nodes, childChanges) {
    const [first] = nodes;
    const parent = first && parentOf(first);
    if (!parent || !isElement(parent)) return false;
    const now = [...childrenOf(parent)];
    const back = new Set(nodes);
    if (nodes.length !== now.length || !now.every((one) => back.has(one))) return false;
    const before = childrenBefore(parent, childChanges.get(parent) ?? []).filter((one) => back.has(one));
    return now.every((one, index) => one === before[index]);
  }

  /**
   * @param {Element} parent
   * @param {MutationRecord[]} records
   * @returns {Node[]} its children before those changes, which are undone from the latest to the first
   */
  function childrenBefore(parent, records) {
    /** @type {Node[]} */
    const nodes = [...childNodesOf(parent)];
    for (const { addedNodes, removedNodes, nextSibling } of records.toReversed()) {
      if (addedNodes[0]) nodes.splice(nodes.lastIndexOf(addedNodes[0]), addedNodes.length);
      nodes.splice(nextSibling ? nodes.indexOf(nextSibling) : nodes.length, 0, ...removedNodes);
    }
    return nodes;
  }

  /**
   * @param {Node} node
   * @param {NodePlace} [place]
   * @returns {boolean} whether it is where it was; a list may have been redrawn in either direction
   */
  function isAt(node, place) {
    const now = (/** @type {keyof NodePlace} */ name) =>
      /** @type {Node | null} */ (Reflect.get(Node.prototype, name, node));
    const is = (/** @type {keyof NodePlace} */ name) => now(name) === place?.[name];
    // Frameworks move the comment next to an element along with it.
    const isSure = (/** @type {keyof NodePlace} */ name) => is(name) && !isComment(now(name));
    const isBetween = is("previousSibling") && is("nextSibling");
    return is("parentNode") && (isSure("previousSibling") || isSure("nextSibling") || isBetween);
  }

  /**
   * @param {Node[]} shown
   * @param {Node[]} left in the order in which they were removed
   * @param {Map<Node, NodePlace>} places where those were
   * @returns {Node[]} new nodes with the texts of those in another order, such as the rows of a table that was sorted
   */
  function reordered(shown, left, places) {
    const textOf = (/** @type {Node} */ node) => collapse(textContentOf(node) ?? "");
    // An arrow in the head of the column may come, too.
    const come = outermost(shown).filter(isWorded);
    const removed = outermost(left).filter(isWorded);
    if (come.length !== removed.length) return [];
    const before = removed.map(textOf);
    if (come.map(textOf).sort().join("\n") !== before.toSorted().join("\n")) return [];
    // Last, because comparing places takes longest.
    const nodes = come.sort((a, b) => (isAfter(b, a) ? -1 : 1));
    const now = nodes.map(textOf);
    const [first, second] = removed;
    const place = first && places.get(first);
    if (place?.previousSibling === second) before.reverse();
    // It is not known in which direction a page removes nodes that are not next to each other.
    const isKnown = place?.previousSibling === second || place?.nextSibling === second;
    if (!isKnown && before.every((text, index) => text === now.at(-1 - index))) return [];
    return nodes.filter((_, index) => now[index] !== before[index]);
  }

  return { isAt, isWholeInOrder, reordered };
})();
