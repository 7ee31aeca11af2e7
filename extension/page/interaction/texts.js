"use strict";

// Texts of the page in our sentences.

const texts = (() => {
  const {
    attributeOf,
    childNodesOf,
    dataOf,
    hasIn,
    holds,
    idOf,
    innerTextOf,
    isAfter,
    isControl,
    isElement,
    isHtml,
    isMatch,
  } = dom;
  const { isText, labelsOf, parentElementOf, queryIn, referred, rootOf, slottedIn, tagOf, textContentOf } = dom;
  const { isGenerated } = generatedNames;

  const TEXT_LENGTH = 60;
  /** A ligature of an icon font, drawn as an image. */
  const ICON_WORD = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;

  /** Labels of images that show a state, which the line of their element has, too. */
  const STATES = new Set(["collapsed", "expanded"]);
  /** What designers call an image, such as "zoom_in" or "eye-invisible". */
  const SYMBOL = /^[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*$/;
  const ICON_FONT = /^["']?(?:material (?:icons|symbols)|[\w -]*\bicons\b)/iu;
  /** Elements that an icon font may draw, and those that it does draw. */
  const ICONS = "i, span, [aria-hidden='true'], .notranslate";
  const DRAWN_ICONS = "[aria-hidden='true'], .notranslate";
  /** Signs of buttons that close what is next to them. */
  const CLOSERS = /^[\u00d7\u2715\u2716\u2a2f]\s+|\s+[\u00d7\u2715\u2716\u2a2f]$/gu;

  /** The opening bracket that is left when the link after it, at the end of a line, is taken out. */
  const OPENING = /\s*[([]$/u;
  const WORD = /[\p{L}\p{N}]/u;
  const [ENDS_IN_WORD, STARTS_WITH_WORD] = [/[\p{L}\p{N}]$/u, /^[\p{L}\p{N}]/u];
  /** Share of a line's height; texts that are further apart are not one word. */
  const MIN_SPACE = 0.2;
  /** Elements that show nothing but their value. */
  const VALUED = "[role='combobox'], [role='spinbutton'], [aria-haspopup='listbox']";
  const CONTROLS = "a[href], button, [role='link'], [role='button']";
  /** Elements that are usually part of a line of text. */
  const INLINE = new Set(
    (
      "a abbr b bdi bdo cite code data del dfn em font i ins kbd mark q s samp small span strong sub sup time u var " +
      "wbr"
    ).split(" "),
  );
  /**
   * Soft hyphens, other characters without a width that texts can do without, and tags, which can spell out words that
   * users do not see. The server removes them from every reply, too.
   */
  const UNSEEN = /(?![\u200c\u200d\p{Variation_Selector}])\p{Default_Ignorable_Code_Point}/gu;
  const GLYPHS = /\p{Co}/gu;
  const OTHER_THAN_ASCII = /[^\0-\x7f]/u;
  /** What a keyboard writes as one of `'"-`. */
  const [APOSTROPHES, QUOTATION_MARKS, DASHES] = [/[\u2018-\u201b]/gu, /[\u201c-\u201f]/gu, /[\u2010-\u2015\u2212]/gu];

  class PageError extends Error {
    /**
     * @param {ErrorCode} code
     * @param {string} message
     */
    constructor(code, message) {
      super(message);
      this.code = code;
    }
  }

  /**
   * @param {string} text
   * @returns {string} as it is read: on one line, without what cannot be seen
   */
  function collapse(text) {
    return text.replace(UNSEEN, "").replace(/\s+/gu, " ").trim();
  }

  /**
   * @param {string} text
   * @returns {string} the same for all texts that differ only in spaces, case, typographic marks, or in the code points
   *   of the same letters
   */
  function folded(text) {
    const line = collapse(text);
    if (!OTHER_THAN_ASCII.test(line)) return line.toLowerCase();
    const letters = line.normalize("NFKC").replaceAll("\u1e9e", "\u00df");
    const typed = letters.replace(APOSTROPHES, "'").replace(QUOTATION_MARKS, '"').replace(DASHES, "-");
    // Capitals first: those of a sharp s are "SS".
    return typed.toUpperCase().toLowerCase();
  }

  /**
   * @param {string} text
   * @returns {string} the same without the glyphs of icon fonts
   */
  function plain(text) {
    return collapse(text.replace(GLYPHS, ""));
  }

  /**
   * @param {Text[]} parts of one block, in drawing order
   * @returns {string} on one line, with a space where something else is drawn between two of them, and an ellipsis for a
   *   link or a button, which has a line of its own
   */
  function lineOf(parts) {
    const shown = parts.filter((one) => !isBetweenLinks(one));
    const line = joined(shown, (before, part) => (isAroundControl(before, part) ? " \u2026 " : " "));
    return plain(line).replace(OPENING, "");
  }

  /**
   * @param {Text[]} parts of one cell, in drawing order
   * @returns {string} on one line, with a space where something else is drawn between two of them
   */
  function cellTextOf(parts) {
    return plain(joined(parts, () => " "));
  }

  /**
   * @param {Text[]} parts
   * @param {(before: Text, part: Text) => string} between what stands for something else between two of them
   */
  function joined(parts, between) {
    let line = "";
    let before = /** @type {Text | undefined} */ (undefined);
    for (const part of parts) {
      if (before && isApart(before, part)) line += between(before, part);
      line += dataOf(part);
      before = part;
    }
    return line;
  }

  /**
   * @param {Text} part
   * @returns {boolean} whether it only separates or encloses links and buttons, which have lines of their own
   */
  function isBetweenLinks(part) {
    if (!/^[\s,;|/·•()[\]]+$/u.test(dataOf(part))) return false;
    const before = Reflect.get(Node.prototype, "previousSibling", part);
    return before !== null && isElement(before) && isMatch(before, CONTROLS);
  }

  /**
   * @param {Text} before
   * @param {Text} after
   * @returns {boolean} whether a link or a button between the two is part of their line
   */
  function isAroundControl(before, after) {
    const root = rootOf(before);
    if (!root || root !== rootOf(after) || leavesLine(before, after) || leavesLine(after, before)) return false;
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
    walker.currentNode = before;
    let isAround = false;
    for (let node = walker.nextNode(); node && isAfter(after, node); node = walker.nextNode()) {
      const element = /** @type {Element} */ (node);
      if (!isInline(element)) return false;
      const isWorded = collapse(textContentOf(element) ?? "") !== "";
      isAround ||= isMatch(element, CONTROLS) && !holds(element, after) && isWorded;
    }
    return isAround;
  }

  /**
   * @param {Text} before
   * @param {Text} after
   * @returns {boolean} whether a line break, a space or another element is drawn between the two, or a gap
   */
  function isApart(before, after) {
    const root = rootOf(before);
    if (!root || root !== rootOf(after) || leavesLine(before, after) || leavesLine(after, before)) return true;
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    walker.currentNode = before;
    for (let node = walker.nextNode(); node && node !== after; node = walker.nextNode()) {
      if (isElement(node) ? !isInline(node) : dataOf(/** @type {Text} */ (node)) !== "") return true;
    }
    return ENDS_IN_WORD.test(dataOf(before)) && STARTS_WITH_WORD.test(dataOf(after)) && isGapBetween(before, after);
  }

  /**
   * @param {Text} before
   * @param {Text} after
   * @returns {boolean} whether they are too far apart to be one word, such as two badges
   */
  function isGapBetween(before, after) {
    const range = new Range();
    const boxOfText = (/** @type {Text} */ text) => {
      range.selectNodeContents(text);
      return range.getBoundingClientRect();
    };
    const [left, right] = [boxOfText(before), boxOfText(after)];
    return right.left - left.right > MIN_SPACE * right.height;
  }

  /**
   * @param {Text} text
   * @param {Text} other
   * @returns {boolean} whether an element around the text, but not around the other one, is not part of its line
   */
  function leavesLine(text, other) {
    for (let outer = parentElementOf(text); outer && !holds(outer, other); outer = parentElementOf(outer)) {
      if (!isInline(outer)) return true;
    }
    return false;
  }

  /** @param {Element} element */
  function isInline(element) {
    return INLINE.has(tagOf(element)) && /^(?:inline|contents)$/u.test(getComputedStyle(element).display);
  }

  /**
   * @template T
   * @param {T[]} all
   * @param {(one: T) => string} wordsOf
   * @param {string} wanted
   * @returns {T[]} those whose words contain the wanted ones first
   */
  function similarFirst(all, wordsOf, wanted) {
    const part = folded(wanted);
    const similar = new Set(all.filter((one) => folded(wordsOf(one)).includes(part)));
    return [...similar, ...all.filter((one) => !similar.has(one))];
  }

  /**
   * Returns one short line without characters that could disturb a terminal.
   *
   * @param {string} text
   * @param {number} [length]
   */
  function shorten(text, length = TEXT_LENGTH) {
    const start = text.slice(0, 20 * length).toWellFormed();
    const characters = [...collapse(start.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, " "))];
    return characters.length > length ? `${characters.slice(0, length - 3).join("")}...` : characters.join("");
  }

  /**
   * @param {string} text
   * @param {number} [length]
   */
  function quote(text, length) {
    return `"${shorten(text, length)}"`;
  }

  /** @param {Element} element */
  function visibleTextOf(element) {
    return isHtml(element) ? innerTextOf(element) : (textContentOf(element) ?? "");
  }

  /**
   * @param {Element} element
   * @returns {string} its text without the words and signs that are drawn as icons
   */
  function readTextOf(element) {
    let text = visibleTextOf(element);
    for (const icon of queryIn(element, ICONS).filter(isIconWord)) {
      const word = visibleTextOf(icon).trim();
      // Only a plain word may become a pattern.
      if (!ICON_WORD.test(word)) continue;
      const apart = new RegExp(`(?<!\\w)${word}(?!\\w)`, "u");
      text = text.replace(apart.test(text) ? apart : new RegExp(`(?<!\\w)${word}|${word}(?!\\w)`, "u"), "");
    }
    return text.replace(CLOSERS, "");
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether an icon font draws an image for its word
   */
  function isIconWord(element) {
    if (!isMatch(element, ICONS) || iconWordOf(element) === "") return false;
    return isMatch(element, DRAWN_ICONS) || isIconFont(getComputedStyle(element));
  }

  /** @param {CSSStyleDeclaration} style */
  function isIconFont({ fontFamily }) {
    return ICON_FONT.test(fontFamily);
  }

  /**
   * @param {Element} element
   * @returns {string} its text, or that of what its slots draw
   */
  function drawnTextOf(element) {
    const own = readTextOf(element);
    if (own.trim()) return own;
    const drawn = slottedIn(element).map((one) => (isElement(one) ? readTextOf(one) : (textContentOf(one) ?? "")));
    return drawn.filter((text) => text.trim()).join(" ");
  }

  /**
   * @param {Element} element
   * @param {string} name of an attribute
   * @returns {string | null} its text; null for a value that a script has not set
   */
  function writtenOn(element, name) {
    const text = attributeOf(element, name);
    return text === "null" || text === "undefined" ? null : text;
  }

  /**
   * @param {Element} editor an editable element
   * @returns {string} its text; empty if a placeholder lies over it
   */
  function editedTextOf(editor) {
    const read = (/** @type {Element} */ one) => linesIn(one).replace(/[\u200b\ufeff]/gu, "");
    const text = read(editor);
    const isPlaceholder = (/** @type {Element} */ one) =>
      getComputedStyle(one).position === "absolute" && read(one).trim() === text.trim();
    return text && queryIn(editor, "[contenteditable='false']").some(isPlaceholder) ? "" : text;
  }

  /**
   * @param {Element} box
   * @returns {string} its lines: the browser puts empty ones between paragraphs and next to empty lines, and one after the
   *   last line break
   */
  function linesIn(box) {
    if (!isHtml(box) || !hasIn(box, "p, br:only-child")) return visibleTextOf(box).replace(/\n$/u, "");
    const hasSpaces = /^(?:pre|break-spaces)/u.test(getComputedStyle(box).whiteSpace);
    const trim = (/** @type {string} */ text) => text.replace(hasSpaces ? /\n$/u : /^[ \t\n]+|[ \t\n]+$/gu, "");
    /** @type {string[]} */
    const lines = [];
    let line = "";
    for (const node of childNodesOf(box)) {
      const display = isElement(node) ? getComputedStyle(node).display : isText(node) ? "inline" : "none";
      if (display === "none") continue;
      if (/^(?:inline|contents)/u.test(display)) {
        line += isElement(node) ? inlineTextOf(node) : (textContentOf(node) ?? "");
        continue;
      }
      const block = linesIn(/** @type {Element} */ (node));
      if (line.trim()) lines.push(trim(line));
      if (block || hasIn(/** @type {Element} */ (node), "br")) lines.push(block);
      line = "";
    }
    return [...lines, ...(line.trim() ? [trim(line)] : [])].join("\n");
  }

  /** @param {Element} element */
  function inlineTextOf(element) {
    return tagOf(element) === "br" ? "\n" : visibleTextOf(element);
  }

  /**
   * Returns what a user reads on the element, or next to it for a field; never a field's content.
   *
   * @param {Element} element
   */
  function textOf(element) {
    const { type = "", value = "" } = isControl(element) ? element : {};
    const isButton = ["submit", "button", "reset"].includes(type);
    const label = labelOf(element);
    const attributes = ["placeholder", "alt", "title", "name"].map((name) => writtenOn(element, name));
    const found = isControl(element)
      ? [isButton ? value : "", label, ...labelsOf(element).map(textOutsideControls), ...attributes]
      : [drawnTextOf(element), label, ...attributes];
    return found.find((text) => text?.trim()) ?? "";
  }

  /**
   * @param {Element} element
   * @returns {string | null} the name that its attributes for assistive technology give it
   */
  function labelOf(element) {
    const own = writtenOn(element, "aria-label");
    // A check box in a row may be named after itself and the row's title, and a list after its value, too.
    const outside = referred(element, "aria-labelledby").filter((one) => one === element || !holds(element, one));
    const labels = outside.map((one) => (one === element ? own : referredTextOf(one)));
    return collapse(labels.join(" ")) || own;
  }

  /**
   * @param {Element} element
   * @returns {string} its label if what is drawn in it is its value, as in the button of a list; otherwise its text
   */
  function titleOf(element) {
    if (isControl(element)) return textOf(element);
    const labels = labelsOf(element).filter((label) => !holds(label, element));
    const label = labels.map(textOutsideControls).join(" ").trim();
    return label || (isMatch(element, VALUED) && labelOf(element)) || textOf(element);
  }

  /**
   * @param {Element} element that names another one
   * @returns {string}
   */
  function referredTextOf(element) {
    return orLabelOf(element, textOutsideControls(element));
  }

  /**
   * @param {Element} element
   * @param {string} text of it
   * @returns {string} the text, or the element's label if that is only a sign
   */
  function orLabelOf(element, text) {
    return WORD.test(text) ? text : writtenOn(element, "aria-label") || text;
  }

  /**
   * @param {Node} node
   * @returns {string}
   */
  function textOutsideControls(node) {
    if (!isElement(node)) return isText(node) ? (textContentOf(node) ?? "") : "";
    return isControl(node) || isIconWord(node) ? "" : [...childNodesOf(node)].map(textOutsideControls).join("");
  }

  /**
   * @param {Element} element
   * @returns {string} for example `button#buy "Buy now"`
   */
  function nameOf(element) {
    const id = isGenerated("id", idOf(element)) ? "" : idOf(element);
    const text = (attributeOf(element, "aria-label")?.trim() && labelOf(element)) || textOf(element);
    // Only plain words may appear unquoted in a sentence.
    return `${tagOf(element)}${/^[\w-]{1,40}$/.test(id) ? `#${id}` : ""}${text ? ` ${quote(text)}` : ""}`;
  }

  /**
   * @param {Element} element
   * @returns {string} its only text if that may be the word of an icon, such as "edit_calendar"
   */
  function iconWordOf(element) {
    const text = (textContentOf(element) ?? "").trim();
    return ICON_WORD.test(text) ? text : "";
  }

  /**
   * @param {Element} element
   * @returns {string} the word of an icon font; or its label, if that is what its image is called, as its class or its
   *   file says, or a state
   */
  function symbolOf(element) {
    const [text, ...others] = childNodesOf(element);
    const word = text && isText(text) && !others.length ? iconWordOf(element) : "";
    if (word && isIconFont(getComputedStyle(element))) return word;
    const label = attributeOf(element, "role") === "img" ? (attributeOf(element, "aria-label") ?? "").trim() : "";
    if (!SYMBOL.test(label)) return "";
    if (STATES.has(label)) return label;
    const names = (attributeOf(element, "class") ?? "").split(/\s+/u);
    const isCalled = label.includes("_") || names.some((name) => name.endsWith(`-${label}`));
    return isCalled || getComputedStyle(element).maskImage.includes(`/${label}.`) ? label : "";
  }

  /**
   * @param {Element} element
   * @param {string} advice
   */
  function misfit(element, advice) {
    return new PageError("EXECUTION_ERROR", `${nameOf(element)} ${advice}`);
  }

  return {
    INLINE,
    TEXT_LENGTH,
    PageError,
    cellTextOf,
    collapse,
    folded,
    drawnTextOf,
    editedTextOf,
    iconWordOf,
    isIconFont,
    isIconWord,
    lineOf,
    misfit,
    nameOf,
    orLabelOf,
    plain,
    quote,
    readTextOf,
    shorten,
    similarFirst,
    symbolOf,
    textOf,
    titleOf,
    visibleTextOf,
    writtenOn,
  };
})();
