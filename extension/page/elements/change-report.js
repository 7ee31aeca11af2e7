"use strict";

// What has changed on a page, in few words: what asks for an answer first.

const changeReport = (() => {
  const { attributeOf, childNodesOf, closestOf, holds, isControl, isElement, isMatch, isInPage, isText } = dom;
  const { parentOf, queryAll, queryIn, rootOf, textContentOf } = dom;
  const { collapse, nameOf, quote, visibleTextOf } = texts;
  const { isVisible } = geometry;

  const MOST_CHARACTERS = 200;
  const TEXT_LENGTH = 100;
  /** More texts than these are told as a number. */
  const MOST_TEXTS = 3;
  const DIALOGS = "dialog[open], [role='dialog'], [role='alertdialog'], [aria-modal='true']";
  const ALERTS = "[role='alert'], [aria-live='assertive']";
  const STATUSES = "[role='status'], [role='log'], [aria-live='polite'], output";
  const LISTS = "[role='listbox'], [role='menu']";

  const ANNOUNCED = `${ALERTS}, ${STATUSES}, ${LISTS}`;

  /** @typedef {{node: Node, texts: string[]}} News a node, and those of its texts that are new or gone */

  /**
   * @param {PageState} before
   * @param {PageState} now
   * @param {Node[]} shown elements and texts that can be seen now, and could not before
   * @param {Node[]} left elements and texts that have gone, or cannot be seen any more
   * @returns {string} at most 200 characters; empty when nothing is worth telling
   */
  function tellChanges(before, now, shown, left) {
    const opened = [...now.dialogs].filter(([dialog]) => !before.dialogs.has(dialog));
    const closed = [...before.dialogs].filter(([dialog]) => !now.dialogs.has(dialog));
    const faulty = [...now.faulty].filter((field) => !before.faulty.has(field));
    const enabled = [...before.disabled].filter((one) => isInPage(one) && !now.disabled.has(one) && isVisible(one));
    const told = [...opened.map(([dialog]) => dialog), ...faulty.flatMap(messagesOf)];
    const { come, gone } = differences(outermost(shown), outermost(left));
    const isUntold = (/** @type {News} */ { node }) => !told.some((one) => holds(one, node) || holds(node, one));
    const isOfClosed = (/** @type {News} */ { node }) =>
      closed.some(([dialog]) => holds(dialog, node) || holds(node, dialog));
    const news = come.filter(isUntold);
    return joined([
      ...wholesIn(news, ALERTS).map((alert) => `alert ${quote(visibleTextOf(alert), TEXT_LENGTH)}`),
      ...faulty.map((field) => `error at ${nameOf(field)}: ${quote(faultOf(field), TEXT_LENGTH)}`),
      ...opened.map(([, name]) => `dialog ${name} opened`),
      ...closed.map(([, name]) => `dialog ${name} closed`),
      ...wholesIn(news, STATUSES).map((status) => `status ${quote(visibleTextOf(status), TEXT_LENGTH)}`),
      ...wholesIn(news, LISTS).map(listName),
      ...enabled.map((element) => `${nameOf(element)} enabled`),
      ...plainly(
        "now",
        news.filter(({ node }) => !wholeOf(node, ANNOUNCED)),
      ),
      ...plainly(
        "gone",
        gone.filter((one) => !isOfClosed(one)),
      ),
    ]);
  }

  /**
   * @param {Node[]} nodes
   * @returns {Node[]} without those that stand in others of them
   */
  function outermost(nodes) {
    return nodes.filter((node) => !nodes.some((other) => other !== node && holds(other, node)));
  }

  /**
   * Pages often write anew what was there: only what is not on both sides is a change.
   *
   * @param {Node[]} shown
   * @param {Node[]} left
   * @returns {{come: News[], gone: News[]}}
   */
  function differences(shown, left) {
    const isNotIn = (/** @type {News[]} */ others) => {
      const known = new Set(others.flatMap((other) => other.texts));
      return (/** @type {News} */ { node, texts: own }) => ({ node, texts: own.filter((text) => !known.has(text)) });
    };
    const textsOf = (/** @type {Node} */ node) => ({ node, texts: [...textsIn(node)] });
    const come = shown.map(textsOf);
    const gone = left.map(textsOf);
    const hasText = (/** @type {News} */ news) => news.texts.length > 0;
    return { come: come.map(isNotIn(gone)).filter(hasText), gone: gone.map(isNotIn(come)).filter(hasText) };
  }

  /**
   * @param {Node} node
   * @returns {Generator<string>} of what can be read in it, also when it has gone
   */
  function* textsIn(node) {
    if (isText(node)) {
      const text = collapse(textContentOf(node) ?? "");
      if (text) yield text;
    } else if (isElement(node) && !isControl(node) && !isMatch(node, "script, style, template, noscript, svg")) {
      if (isInPage(node) && !isVisible(node) && isMatch(node, "[hidden], [style]")) return;
      for (const child of childNodesOf(node)) yield* textsIn(child);
    }
  }

  /**
   * @param {News[]} news
   * @param {string} selector
   * @returns {Element[]} what these are parts of, or have in them, each once
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
    const within = isElement(node) ? queryIn(node, selector).find(isVisible) : undefined;
    return closestOf(element, selector) ?? within;
  }

  /**
   * @param {string} word
   * @param {News[]} news
   * @returns {string[]}
   */
  function plainly(word, news) {
    const said = [...new Set(news.map((one) => one.texts.join(" ")))];
    const more = said.length > MOST_TEXTS ? ` and ${said.length - 1} more` : "";
    const quoted = (more ? said.slice(0, 1) : said).map((text) => quote(text, TEXT_LENGTH));
    return quoted.length ? [`${word} ${quoted.join(", ")}${more}`] : [];
  }

  /** @param {Element} dialog */
  function dialogName(dialog) {
    const [title] = [...referred(dialog, "aria-labelledby"), ...queryIn(dialog, "h1, h2, h3, h4, [role='heading']")];
    return quote(attributeOf(dialog, "aria-label") || visibleTextOf(title ?? dialog));
  }

  /** @param {Element} list */
  function listName(list) {
    const isMenu = attributeOf(list, "role") === "menu";
    const items = queryIn(list, isMenu ? "[role^='menuitem']" : "[role='option']").filter(isVisible);
    const name = attributeOf(list, "aria-label");
    return `${isMenu ? "menu" : "list"} ${name ? `${quote(name)} ` : ""}with ${items.length} ${isMenu ? "items" : "options"}`;
  }

  /**
   * @param {Element} field
   * @returns {Element[]} what says what is wrong with it
   */
  function messagesOf(field) {
    return [...referred(field, "aria-errormessage"), ...referred(field, "aria-describedby")].filter(isVisible);
  }

  /** @param {Element} field */
  function faultOf(field) {
    const said = messagesOf(field).map(visibleTextOf).join(" ");
    return said || (isControl(field) ? field.validationMessage : "");
  }

  /**
   * @param {Element} element
   * @param {string} attribute
   */
  function referred(element, attribute) {
    const ids = (attributeOf(element, attribute) ?? "").split(/\s+/u).filter(Boolean);
    const root = /** @type {Root} */ (rootOf(element));
    return ids.flatMap((id) => queryAll(root, `#${CSS.escape(id)}`).slice(0, 1));
  }

  /**
   * @param {string[]} parts the most telling first
   * @returns {string}
   */
  function joined(parts) {
    let said = "";
    for (const [index, part] of parts.entries()) {
      const longer = said ? `${said}; ${part}` : part;
      const more = `; ${parts.length - index} more`;
      if (longer.length > MOST_CHARACTERS) return said ? `${said}${more}` : `${part.slice(0, MOST_CHARACTERS - 3)}...`;
      said = longer;
    }
    return said;
  }

  return { ANNOUNCED, DIALOGS, dialogName, tellChanges };
})();
