"use strict";

// What an action has changed, in at most 200 characters.

const changeSummary = (() => {
  const {
    attributeOf,
    childrenOf,
    closestDrawnOf,
    closestOf,
    controlOf,
    drawnAncestors,
    drawnChildrenOf,
    holds,
    isContentEditable,
    isControl,
    isDrawnIn,
    isElement,
    isInPage,
    isMatch,
    isText,
    isTextField,
    likelyRootOf,
    onceATurn,
    outermost,
    parentElementOf,
    parentOf,
    queryDrawnIn,
    queryIn,
    tagOf,
    textContentOf,
  } = dom;
  const { collapse, drawnTextOf, isIconWord, nameOf, plain, quote, shorten, textOf, visibleTextOf } = texts;
  const { handleOf, isVisible } = geometry;
  const { faultOf, messagesOf } = faults;
  const { isTrack } = sliding;
  const { allRoots, innermost } = search;
  const { selectorOf } = selectorGenerator;
  const { ALERTS, ANNOUNCED, LISTS, STATUSES, dialogMessageOf, isInShownPage, isSeen, isTiny, isUnshown, valueOf } =
    pageState;

  const UNREAD_PARTS =
    "script, style, template, noscript, svg title, svg desc, svg defs, fieldset[aria-hidden='true'] > legend";
  /** Elements that are part of a sentence. */
  const PHRASES = new Set("a abbr b code em i kbd mark q s small span strong u".split(" "));
  /** What makes a text worth reporting: punctuation alone is decoration. */
  const WORDED = /[\p{L}\p{N}\p{Sc}\p{So}]/u;
  /** The same next to a state that is reported: a check mark or a star adds nothing to it. */
  const READ = /[\p{L}\p{N}\p{Sc}]/u;
  const STATEFUL = "[aria-checked], [aria-pressed], [aria-selected], [type='checkbox'], [type='radio']";
  /** Maximum number of levels from the element acted on to the one with a state. */
  const STATE_LEVELS = 4;
  /** What a box without a name may belong to. */
  const ITEMS = "[role='treeitem'], [role='row'], [role='option'], li, tr";
  /** Attributes that name an element. */
  const LABELS = ["aria-label", "title"];
  const MOST_CHARACTERS = 200;
  /** Maximum text lengths, tried in this order until everything fits. */
  const TEXT_LENGTHS = [180, 100, 60];
  /** Maximum length of a list's part with its first items. */
  const LIST_LENGTH = 150;
  const NAMED_ITEMS = 5;
  /** If there are more texts than this, the others are reported as a number. */
  const MOST_TEXTS = 3;
  /** Shorter excerpts say too little. */
  const LEAST_LENGTH = 40;
  const MENUS = "[role='menu'], [role='menubar']";
  /** What a menu without items consists of. */
  const CONTROLS = "a[href], button, input, select, [tabindex='0'], [role='button']";

  /** What is reported by its selector if no text has appeared. */
  const OPERATED = "a[href], button, input:not([type='hidden']), select, textarea";

  /** The text of a layer, which may hold thousands of elements that are compared with it. */
  const textOfLayer = onceATurn((/** @type {Element} */ layer) => collapse(textContentOf(layer) ?? ""));

  /** @typedef {{node: Node, texts: string[]}} News a node, and those of its texts that are new or gone */
  /** @typedef {{read: Set<Node>, hidden: Set<Node>}} Before what was examined before, and what of it was not drawn */

  /** @param {Node | null} node */
  function isComment(node) {
    return node !== null && !isElement(node) && !isText(node);
  }

  /** @param {Element} element */
  function labelOf(element) {
    return collapse(LABELS.map((name) => attributeOf(element, name)).find(Boolean) ?? "");
  }

  /**
   * @param {PageState} before
   * @param {PageState} now
   * @param {object} changes
   * @param {Node[]} changes.shown elements and texts that are visible now, and were not before
   * @param {Node[]} changes.moved elements and texts that are elsewhere now
   * @param {Node[]} changes.left elements and texts that are gone or no longer visible
   * @param {Element[]} changes.replaced the bodies of pages that frames do not show any more
   * @param {Element[]} changes.read what was examined before
   * @param {(outer: Element, node: Node) => boolean} changes.wasIn whether a removed node was in the other one
   * @param {Element[]} changes.drawn new parts of drawings
   * @param {[Element, string][]} changes.renamed elements whose label has changed, and the previous label
   * @param {Control[]} changes.refilled fields whose value has changed without being acted on
   * @param {Element[]} changes.refused fields because of which the browser has not sent a form
   * @param {string} changes.sorted the column that was sorted by the action, and how
   * @param {Element[]} changes.path the element acted on last, and its ancestors
   * @param {Set<Element>} changes.acted all elements acted on
   * @param {Root[]} changes.roots of the whole page
   * @param {Element | null} changes.editor a new field that has the focus
   * @returns {string} at most 200 characters; empty if nothing is worth reporting
   */
  function summarizeChanges(before, now, changes) {
    const { shown, moved, left, replaced, read, wasIn, drawn, renamed, refilled, refused, sorted } = changes;
    const { path, acted, roots, editor } = changes;
    const opened = [...now.dialogs].filter(([dialog]) => !before.dialogs.has(dialog));
    const closed = [...before.dialogs].filter(([dialog]) => !now.dialogs.has(dialog));
    const faulty = [...new Set([...refused, ...[...now.faulty].filter((field) => !before.faulty.has(field))])];
    const enabled = [...before.disabled].filter((one) => isInPage(one) && !now.disabled.has(one) && isVisible(one));
    const reported = [...opened.map(([dialog]) => dialog), ...faulty.flatMap(messagesOf)];
    const hasState = path.slice(0, STATE_LEVELS).some((one) => isMatch(one, STATEFUL));
    const { come, gone } = differences(
      { shown: outermost(shown), left: outermost(left), replaced },
      { read: new Set(left.length ? read : []), hidden: before.hidden },
      hasState,
    );
    const isUnreported = (/** @type {News} */ { node }) => !reported.some((one) => isPartOf(one, node));
    const isOfClosed = (/** @type {News} */ { node }) =>
      closed.some(([dialog]) => isPartOf(dialog, node) || isPartOf(node, dialog) || wasIn(dialog, node));
    const news = come
      .filter(isUnreported)
      .map((one) => without(one, reported))
      .filter(hasText);
    const { alerts, statuses, texts: announcements } = announcementsIn(news);
    const openedLists = [...now.lists].filter((list) => !before.lists.has(list) && itemsIn(list).length > 0);
    const filledLists = new Set([...filledIn(news, before.lists), ...openedLists]);
    const lists = [...filledLists].map((list) => listName(list, roots));
    const isOfOpenedList = (/** @type {Node} */ node) =>
      isElement(node) && openedLists.some((list) => isDrawnIn(list, node) || isOnly(list, node));
    const isOther = (/** @type {News} */ { node, texts: own }) =>
      !isAnnounced(node, filledLists) && !isOfOpenedList(node) && !announcements.has(own.join(" "));
    const wholes = [...alerts, ...statuses, ...filledLists];
    const unannounced = news.map((one) => without(one, wholes)).filter(hasText);
    const other = nearestFirst(unannounced.filter(isOther), path);
    const listsOfGone = new Map(gone.map((one) => [one, listOf(one.node)]));
    const closedLists = [...listsOfGone.values(), ...[...before.lists].filter((list) => !now.lists.has(list))].filter(
      (list) => list !== undefined,
    );
    const edited = editor && isControl(editor) ? collapse(valueOf(editor)) : "";
    const isInEditor = (/** @type {News} */ { texts: own }) => own.join(" ") === edited;
    const lost = gone.filter((one) => !isOfClosed(one) && !listsOfGone.get(one) && !isInEditor(one));
    const elsewhere = outermost(moved.filter((node) => !isOfOpenedList(node)))
      .map((node) => newsOf(node))
      .filter(hasText);
    const isIn = (/** @type {News[]} */ all, /** @type {string} */ text) => all.some((one) => one.texts.includes(text));
    // Some lists have their choice as a title, too.
    const isReadAsText = (/** @type {Element} */ one, /** @type {string} */ label) =>
      isIn(other, labelOf(one)) && isIn(lost, label);
    // What opens comes before the values of its fields.
    const isRevealed = (/** @type {Element} */ one) => shown.some((node) => isElement(node) && isDrawnIn(node, one));
    const [inOpened, inPlace] = [refilled.filter(isRevealed), refilled.filter((one) => !isRevealed(one))];
    const holdings = (/** @type {Control[]} */ fields, /** @type {number} */ length) =>
      fields.slice(0, MOST_TEXTS).map((field) => `${nameOf(field)} holds ${excerpt(valueOf(field), length)}`);
    const partsWith = (/** @type {number} */ length) => [
      ...announced("alert", alerts, length),
      ...faulty.map((field) => faultLine(field, length)),
      ...opened.map(([dialog, name]) => openingOf(dialog, name, length)),
      ...closed.map(([, name]) => `${dialogNamed(name)} closed`),
      ...announced("status", statuses, length, lost),
      ...lists,
      ...(sorted ? [sorted] : []),
      ...(editor && !opened.length ? [`field ${selectorOf(editor, roots)} opened`] : []),
      ...enablings(enabled, roots),
      ...checkings(before.checks, now.checks, { acted, isRevealed, roots }),
      ...drawings(outermost(drawn), roots),
      ...holdings(inPlace, length),
      ...plainly("now", other, lost, length),
      ...holdings(inOpened, length),
      ...plainly("moved", elsewhere, [], length),
      ...renamings(renamed.filter(([one, label]) => !before.checks.has(one) && !isReadAsText(one, label))),
      ...plainly("gone", lost, news, length),
      ...(closedLists.length && !lists.length ? [closedLists.some(isMenu) ? "menu closed" : "list closed"] : []),
    ];
    return joined(TEXT_LENGTHS.map(partsWith));
  }

  /**
   * @param {News[]} news
   * @returns {{alerts: Element[], statuses: Element[], texts: Set<string>}} the messages among new parts of the page, and
   *   what they say
   */
  function announcementsIn(news) {
    const messageOf = (/** @type {Element} */ one) => collapse(drawnTextOf(one));
    const alerts = wholesIn(news, ALERTS);
    const alerted = new Set(alerts.map(messageOf));
    // A region for messages of both kinds may contain earlier ones.
    const unalerted = news.filter(({ node }) => !alerts.some((one) => holds(one, node)));
    const statuses = wholesIn(unalerted, STATUSES).filter(
      (one) => !alerted.has(messageOf(one)) && !isMatch(one, LISTS),
    );
    return { alerts, statuses, texts: new Set([...alerted, ...statuses.map(messageOf)]) };
  }

  /**
   * @param {Node} node
   * @param {Set<Element>} filledLists
   * @returns {boolean} whether it is part of a message, or of a list that has been filled
   */
  function isAnnounced(node, filledLists) {
    const whole = wholeOf(node, ANNOUNCED);
    if (whole === undefined || (isPartOf(node, whole) && node !== whole)) return false;
    return !isMatch(whole, LISTS) || filledLists.has(whole);
  }

  /**
   * @param {PageState} before
   * @param {PageState} now
   * @param {Root[]} roots
   * @returns {string} such as `button "Pay" disabled` or `button "Bold" pressed`, which often only accompanies what else
   *   happens
   */
  function restatings(before, now, roots) {
    const isNew = (/** @type {Element} */ one) => !before.pressed.has(one);
    const isReleased = (/** @type {Element} */ one) => !now.pressed.has(one) && isInPage(one) && isVisible(one);
    // A button and the part around it may both have a state.
    return joined([
      [
        ...[...now.disabled].filter((one) => !before.disabled.has(one)).map((one) => `${nameIn(roots, one)} disabled`),
        ...innermost([...now.pressed].filter(isNew)).map((one) => `${nameIn(roots, one)} pressed`),
        ...innermost([...before.pressed].filter(isReleased)).map((one) => `${nameIn(roots, one)} not pressed`),
      ],
    ]);
  }

  /**
   * @param {Node[]} shown elements and texts that are visible now, and were not before
   * @param {Node[]} left those that are not any more
   * @param {Root[]} roots
   * @returns {string} such as `now select "Column" [name=column], input [name=words]`: fields and icons without a text
   */
  function revealings(shown, left, roots) {
    const look = (/** @type {Element} */ one) =>
      [tagOf(one), queryIn(one, OPERATED).length, collapse(textContentOf(one) ?? "")].join(" ");
    const looks = new Set(left.filter(isElement).map(look));
    const within = outermost(shown)
      .filter(isElement)
      .filter((one) => !looks.has(look(one)));
    const all = within.flatMap((one) => [...(isMatch(one, OPERATED) ? [one] : []), ...queryDrawnIn(one, OPERATED)]);
    const controls = all.filter(isVisible);
    if (!controls.length) return "";
    const named = controls.slice(0, MOST_TEXTS).map((one) => `${nameOf(one)} ${selectorOf(one, roots)}`);
    const version = (/** @type {number} */ length) => {
      const more = controls.length > length ? ` and ${controls.length - length} more` : "";
      return [`now ${named.slice(0, length).join(", ")}${more}`];
    };
    return joined(named.map((_, index) => version(named.length - index)));
  }

  /**
   * @param {Node} outer
   * @param {Node} inner
   * @returns {boolean} whether it is in the other one, in the document or as it is drawn, through web components
   */
  function isPartOf(outer, inner) {
    return holds(outer, inner) || (isElement(outer) && isElement(inner) && isDrawnIn(outer, inner));
  }

  /**
   * @param {Element} dialog
   * @param {string} name
   * @param {number} length of its message
   */
  function openingOf(dialog, name, length) {
    const message = dialogMessageOf(dialog);
    return `${dialogNamed(name)} opened${message && `: ${excerpt(message, length)}`}`;
  }

  /** @param {string} name */
  function dialogNamed(name) {
    return name ? `dialog ${quote(name)}` : "dialog";
  }

  /**
   * @param {"alert" | "message" | "status"} kind
   * @param {Element[]} elements
   * @param {number} length of each text
   * @param {News[]} [lost] what is gone: a message may be a longer text of which only a part has changed
   */
  function announced(kind, elements, length, lost = []) {
    // Some pages show the same message above and below a form.
    const texts = new Set(elements.map(drawnTextOf).map(collapse).filter(plain));
    const known = wholeTextsOf(lost);
    return [...texts].map((text) => `${kind} ${excerpt(fromDifference(text, known, length), length)}`);
  }

  /**
   * @param {Element} field
   * @param {number} length of its message
   */
  function faultLine(field, length) {
    const fault = faultOf(field);
    const name = `${isVisible(field) ? "" : "hidden "}${fieldNameOf(field)}`;
    return fault ? `error at ${name}: ${excerpt(fault, length)}` : `${name} is invalid`;
  }

  /**
   * @param {Element} field or what is around it
   * @returns {string} for an editor its selector, because its text is its content
   */
  function fieldNameOf(field) {
    const [editor] = [field, ...queryIn(field, "[contenteditable]")].filter(isContentEditable);
    return editor ? `${tagOf(editor)} ${selectorOf(editor, allRoots())}` : nameOf(field);
  }

  /**
   * @param {string} text
   * @param {number} length
   * @returns {string} in quotes, cut between words
   */
  function excerpt(text, length) {
    const whole = shorten(text, 10 * length);
    if (whole.length <= length) return `"${whole}"`;
    const start = shorten(whole, length).replace(/\.\.\.$/u, "");
    const words = whole[start.length] === " " ? start : start.replace(/\s\S{1,20}$/u, "");
    return `"${words}..."`;
  }

  /**
   * @param {Element[]} enabled
   * @param {Root[]} roots
   * @returns {string[]} many at once often only accompany what else happens, such as the buttons for a selected item
   */
  function enablings(enabled, roots) {
    const [first] = enabled;
    if (first && enabled.length > MOST_TEXTS) return [`${nameIn(roots, first)} and ${enabled.length - 1} more enabled`];
    return enabled.map((element) => `${nameIn(roots, element)} enabled`);
  }

  /**
   * @param {Root[]} roots
   * @param {Element} element
   * @returns {string} with its selector if it is only an icon
   */
  function nameIn(roots, element) {
    const name = nameOf(element);
    return name === tagOf(element) ? `${name} ${selectorOf(element, roots)}` : name;
  }

  /**
   * @param {Map<Element, boolean>} before boxes, and whether they were checked
   * @param {Map<Element, boolean>} now
   * @param {object} context
   * @param {Set<Element>} context.acted the elements acted on, whose own states are part of the reply
   * @param {(box: Element) => boolean} context.isRevealed whether it was not visible before
   * @param {Root[]} context.roots
   * @returns {string[]} for example `checkbox "Red" on`, or `12 checkboxes off`
   */
  function checkings(before, now, { acted, isRevealed, roots }) {
    const own = new Set([...acted].flatMap((one) => [one, controlOf(one)]));
    return [true, false].flatMap((isOn) => {
      const isChanged = (/** @type {[Element, boolean]} */ [box, is]) => is === isOn && before.get(box) === !isOn;
      const boxes = [...now].filter(
        (one) => isChanged(one) && !own.has(one[0]) && isVisible(handleOf(one[0])) && !isRevealed(one[0]),
      );
      const word = isOn ? "on" : "off";
      if (boxes.length > MOST_TEXTS) return [`${boxes.length} checkboxes ${word}`];
      return boxes.map(([box]) => `${boxNameOf(box, roots)} ${word}`);
    });
  }

  /**
   * @param {Element} box
   * @param {Root[]} roots
   * @returns {string} with the item that it belongs to, or its selector, if it has no name
   */
  function boxNameOf(box, roots) {
    const item = closestDrawnOf(box, ITEMS);
    return textOf(box) || !item ? nameIn(roots, box) : `${nameOf(box)} in ${nameOf(item)}`;
  }

  /**
   * @param {[Element, string][]} renamed
   * @returns {string[]}
   */
  function renamings(renamed) {
    if (renamed.length > MOST_TEXTS) return [`${renamed.length} labels changed`];
    return renamed.map(([one, before]) => `${tagOf(one)} ${quote(before)} is now ${quote(labelOf(one))}`);
  }

  /**
   * @param {Node[]} shapes
   * @param {Root[]} roots
   * @returns {string[]}
   */
  function drawings(shapes, roots) {
    const [first] = /** @type {Element[]} */ (shapes);
    if (!first) return [];
    const count = shapes.length > 1 ? `${shapes.length} SVG shapes` : `SVG ${tagOf(first)}`;
    return [`${count} drawn: ${selectorOf(first, roots)}`];
  }

  /**
   * @param {Node} node
   * @returns {Element | undefined} the menu or list that it is, is part of, or has all its text in
   */
  function listOf(node) {
    if (!isElement(node)) return undefined;
    return closestOf(node, LISTS) ?? queryIn(node, LISTS).find((list) => isOnly(list, node));
  }

  /**
   * @param {News[]} news
   * @param {Set<Element>} before lists that were open before
   * @returns {Element[]} lists that are new or have new items; others may only have got a tick
   */
  function filledIn(news, before) {
    const isNew = (/** @type {Element} */ item) => news.some(({ node }) => node === item || holds(node, item));
    return wholesIn(news, LISTS).filter((list) => !before.has(list) || itemsIn(list).some(isNew));
  }

  /**
   * @param {Element} list
   * @param {Node} node
   * @returns {boolean} whether the list is all that the node contains
   */
  function isOnly(list, node) {
    return holds(node, list) && collapse(textContentOf(node) ?? "") === collapse(textContentOf(list) ?? "");
  }

  /**
   * @param {News[]} news
   * @param {Element[]} path innermost first
   * @returns {News[]} what lies over the page first, then what is nearest to the element
   */
  function nearestFirst(news, path) {
    const distanceTo = (/** @type {Node} */ node) => {
      if (isElement(node) && (isLayer(node) || isAllOfLayer(node))) return -1;
      for (let one = /** @type {Node | null} */ (node); one; one = parentOf(one)) {
        const place = path.indexOf(/** @type {Element} */ (one));
        if (place >= 0) return place;
      }
      return path.length;
    };
    const placed = news.map((one) => ({ one, distance: distanceTo(one.node) }));
    return placed.sort((a, b) => a.distance - b.distance).map(({ one }) => one);
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it, or all that is in it, lies over the page, such as a dialog or a menu
   */
  function isLayer(element) {
    if (isOver(element)) return true;
    const [child, ...others] = childrenOf(element);
    return child !== undefined && !others.length && isLayer(child);
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether a layer around it was empty before, such as one for messages
   */
  function isAllOfLayer(element) {
    const layer = [...drawnAncestors(element)].find(isOver);
    return layer !== undefined && textOfLayer(layer) === collapse(textContentOf(element) ?? "");
  }

  /** @param {Element} element */
  function isOver(element) {
    const { position, zIndex } = getComputedStyle(element);
    return position === "fixed" || (position === "absolute" && Number(zIndex) > 0);
  }

  /**
   * Pages often rewrite existing content: only texts that are not on both sides are a change.
   *
   * @param {object} changes
   * @param {Node[]} changes.shown
   * @param {Node[]} changes.left
   * @param {Node[]} changes.replaced by others: it is no news that their texts are gone
   * @param {Before} before
   * @param {boolean} hasState whether signs alone are no news
   * @returns {{come: News[], gone: News[]}}
   */
  function differences({ shown, left, replaced }, before, hasState) {
    const isNotIn = (/** @type {News[]} */ others) => {
      const known = new Set(others.flatMap((other) => other.texts));
      return (/** @type {News} */ { node, texts: own }) => ({ node, texts: own.filter((text) => !known.has(text)) });
    };
    const isRead = (/** @type {News} */ { texts: own }) => !hasState || own.some((text) => READ.test(text));
    const come = shown.map((node) => newsOf(node)).filter(isRead);
    const gone = left.map((node) => newsOf(node, before)).filter(isRead);
    const old = [...gone, ...replaced.map((node) => newsOf(node, before))];
    return { come: come.map(isNotIn(old)).filter(hasText), gone: gone.map(isNotIn(come)).filter(hasText) };
  }

  /**
   * @param {Node} node
   * @param {Before} [before]
   * @returns {News}
   */
  function newsOf(node, before) {
    return { node, texts: textsIn(node, before) };
  }

  /**
   * @param {News} news of a new part of the page, which may contain reported ones
   * @param {Element[]} reported
   * @returns {News} without the texts of these
   */
  function without({ node, texts: own }, reported) {
    const known = new Set(reported.filter((one) => isPartOf(node, one)).flatMap((one) => textsIn(one)));
    return { node, texts: own.filter((text) => !known.has(text)) };
  }

  /** @param {News} news */
  function hasText({ texts: own }) {
    return own.length > 0;
  }

  /**
   * @param {Node} node
   * @param {Before} [before]
   * @returns {string[]} the texts in it, even if it was removed
   */
  function textsIn(node, before = { read: new Set(), hidden: new Set() }) {
    return [...runsIn(node, before)].map(collapse).filter((text) => WORDED.test(text));
  }

  /** @param {Node} node */
  function isWorded(node) {
    return WORDED.test(textContentOf(node) ?? "");
  }

  /** @param {Node} node that is in the page */
  function hasDrawnWords(node) {
    return isElement(node) ? WORDED.test(visibleTextOf(node)) : isWorded(node);
  }

  /**
   * @param {Node} node
   * @param {Before} before
   * @returns {Generator<string>} uninterrupted texts; a word in one may be emphasized
   */
  function* runsIn(node, before) {
    const around = isText(node) ? parentElementOf(node) : null;
    if (isText(node) && !(around && isIconWord(around))) yield textContentOf(node) ?? "";
    if (!isElement(node) || isUnread(node)) return;
    let run = "";
    const children = [...drawnChildrenOf(node, likelyRootOf(node))];
    const isMixed = children.some((child) => isText(child) && isWorded(child));
    for (const child of children) {
      if (isText(child) || (isMixed && isPhrase(child, before))) {
        run += textContentOf(child) ?? "";
      } else {
        yield run;
        run = "";
        if (!isElement(child) || !isHiddenPart(child, before)) yield* runsIn(child, before);
      }
    }
    yield run;
  }

  /** @param {Element} element */
  function isUnread(element) {
    if (isControl(element) || isMatch(element, UNREAD_PARTS) || isIconWord(element)) return true;
    // Those for screen readers are clipped by a style; once they are gone, only that of their own is known.
    if (!isInShownPage(element)) return isMatch(element, "[style*='clip:'], [style*='clip-path:']");
    return isTiny(element);
  }

  /**
   * @param {Element} element in another one
   * @param {Before} before
   * @returns {boolean} whether it is hidden by itself, even if the other one was visible before
   */
  function isHiddenPart(element, { read, hidden }) {
    if (read.has(element) || !isInShownPage(element)) return hidden.has(element);
    const { display, opacity, visibility } = getComputedStyle(element);
    if (isVisible(element)) return opacity === "0" || isUnshown(element);
    const around = parentElementOf(element);
    const isOwn = () => around === null || getComputedStyle(around).visibility !== visibility;
    return display === "none" || opacity === "0" || (visibility !== "visible" && isOwn());
  }

  /**
   * @param {Node} node
   * @param {Before} before
   */
  function isPhrase(node, before) {
    if (!isElement(node) || !PHRASES.has(tagOf(node)) || childrenOf(node).length) return false;
    return !isUnread(node) && !isHiddenPart(node, before);
  }

  /**
   * @param {News[]} news
   * @param {string} selector
   * @returns {Element[]} matching ancestors or descendants, each once
   */
  function wholesIn(news, selector) {
    return [...new Set(news.map(({ node }) => wholeOf(node, selector)).filter((whole) => whole !== undefined))];
  }

  /**
   * @param {Node} node
   * @param {string} selector
   * @returns {Element | undefined}
   */
  function wholeOf(node, selector) {
    const element = isElement(node) ? node : parentOf(node);
    if (!element || !isElement(element)) return undefined;
    // A field may be a live region, too.
    const isWhole = (/** @type {Element} */ one) =>
      isSeen(one) && (isMatch(one, LISTS) || isWorded(one)) && isAnnouncement(one);
    const within = isElement(node) ? queryIn(node, selector).find(isWhole) : undefined;
    const around = closestOf(element, selector);
    return around && isAnnouncement(around) ? around : within;
  }

  /**
   * @param {Element} one
   * @returns {boolean} false for a live region of which only a part is news, such as a table, a conversation or a carousel
   */
  function isAnnouncement(one) {
    if (!isMatch(one, STATUSES) || isMatch(one, LISTS)) return true;
    return plain(textContentOf(one) ?? "").length <= MOST_CHARACTERS && ![one, ...childrenOf(one)].some(isTrack);
  }

  /**
   * @param {string} word
   * @param {News[]} news
   * @param {News[]} others on the other side of the change
   * @param {number} length of a text
   * @returns {string[]}
   */
  function plainly(word, news, others, length) {
    const own = wholeTextsOf(news);
    const more = own.length > MOST_TEXTS ? ` and ${own.length - MOST_TEXTS} more` : "";
    const room = more ? Math.max(length / MOST_TEXTS, LEAST_LENGTH) : length;
    const known = wholeTextsOf(others);
    const quoted = own.slice(0, MOST_TEXTS).map((text) => excerpt(fromDifference(text, known, room), room));
    return quoted.length ? [`${word} ${quoted.join(", ")}${more}`] : [];
  }

  /** @param {News[]} news */
  function wholeTextsOf(news) {
    return [...new Set(news.map((one) => one.texts.join(" ")))];
  }

  /**
   * @param {string} text
   * @param {string[]} others
   * @param {number} length
   * @returns {string} the text, without a beginning that would leave no room for what has changed in it
   */
  function fromDifference(text, others, length) {
    const sharedWith = (/** @type {string} */ other) => {
      const end = other.split("").findIndex((character, index) => character !== text[index]);
      return end < 0 ? other.length : end;
    };
    const start = Math.max(0, ...others.map(sharedWith));
    if (text.length <= length || start <= length / 2) return text;
    // The word that differs is whole, unless it is longer than there is room for, as in JSON.
    const word = text.lastIndexOf(" ", start) + 1;
    return `...${text.slice(Math.max(word, Math.ceil(start - length / 4)))}`;
  }

  /**
   * @param {Element} list
   * @param {Root[]} roots
   * @returns {string} with the first items by their selectors, because one of them is the likely next target
   */
  function listName(list, roots) {
    const items = itemsIn(list);
    const name = attributeOf(list, "aria-label");
    const count = `${items.length} ${isMenu(list) ? "item" : "option"}${items.length === 1 ? "" : "s"}`;
    let line = `${isMenu(list) ? "menu" : "list"} ${name ? `${quote(name)} ` : ""}with ${count}`;
    for (const [index, item] of items.slice(0, NAMED_ITEMS).entries()) {
      const longer = `${line}${index ? ", " : ": "}${quote(itemNameOf(item))} ${selectorOf(item, roots)}`;
      if (longer.length > LIST_LENGTH) break;
      line = longer;
    }
    return line;
  }

  /** @param {Element} item */
  function itemNameOf(item) {
    const pictures = () => queryIn(item, "[role='img'][aria-label], img[alt]").map(textOf);
    return attributeOf(item, "aria-label") || drawnTextOf(item).trim() || pictures().join(" ");
  }

  /** @param {Element} list */
  function isMenu(list) {
    return isMatch(list, MENUS);
  }

  /**
   * @param {Element} list
   * @returns {Element[]} some menus contain buttons, links or other elements instead of items
   */
  function itemsIn(list) {
    const all = queryDrawnIn(list, isMenu(list) ? "[role^='menuitem']" : "[role='option']").filter(isVisible);
    // The field of a list may stand among the chosen options, and a menu in another one.
    const inner = queryDrawnIn(list, LISTS);
    const isOther = (/** @type {Element} */ one) =>
      inner.some((other) => isDrawnIn(other, one)) || queryIn(one, "input").some(isTextField);
    const items = all.filter((one) => !isOther(one));
    return items.length || !isMenu(list) ? items : queryDrawnIn(list, CONTROLS).filter(isVisible);
  }

  /**
   * @param {string[][]} versions lists of parts, the most important part first; each version is shorter than the one
   *   before
   * @returns {string}
   */
  function joined(versions) {
    const parts = versions.find((version) => version.join("; ").length <= MOST_CHARACTERS) ?? versions.at(-1) ?? [];
    let line = "";
    for (const [index, part] of parts.entries()) {
      const longer = line ? `${line}; ${part}` : part;
      const more = `; ${parts.length - index} more`;
      if (longer.length > MOST_CHARACTERS) return line ? `${line}${more}` : `${part.slice(0, MOST_CHARACTERS - 3)}...`;
      line = longer;
    }
    return line;
  }

  return {
    LABELS,
    announced,
    faultLine,
    hasDrawnWords,
    isComment,
    isWorded,
    joined,
    labelOf,
    restatings,
    revealings,
    summarizeChanges,
  };
})();
