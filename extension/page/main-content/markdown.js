"use strict";

// Writes a copied page as text that keeps headings, lists, tables and code as Markdown.

const markdown = (() => {
  const { withoutInvisible } = nodes;
  const { isBlock } = visibleCopy;
  const { isDataTable, rowsOf, cellsOf } = dataTables;

  const FENCE = "```";
  /** Markers of lists that show no number. */
  const NO_NUMBER = /^(?:none|disc|circle|square)$/;
  const ROMAN = Object.entries({
    ...{ m: 1000, cm: 900, d: 500, cd: 400, c: 100, xc: 90, l: 50, xl: 40, x: 10, ix: 9, v: 5, iv: 4, i: 1 },
  });
  const HEADINGS = "h1, h2, h3, h4, h5, h6";
  /** Blocks surrounded by empty lines. */
  const APART = new Set("article blockquote dl figure h1 h2 h3 h4 h5 h6 main ol p pre section table ul".split(" "));

  /** @typedef {ReturnType<typeof visibleCopy.copyOf>["rows"]} Rows rows that only a style or a list makes */

  /**
   * @typedef {object} Options
   * @property {boolean} [links] whether to write links as Markdown
   * @property {Rows} [rows]
   * @property {((cells: Element[][]) => number[][]) | undefined} [gapsIn] the columns before each cell that others cover
   * @property {RegExp | undefined} [power] the last character before a superscript and its text, if it needs a sign
   * @property {RegExp | undefined} [base] the same for a subscript
   * @property {boolean} [isPlain] whether each block is a line of its own, even in tables and code
   * @property {boolean} [isCell] whether it becomes one line of a table, in which headings have no marks
   */

  class Writer {
    /** @param {Options} options */
    constructor(options) {
      this.options = options;
      this.text = "";
      /** @type {[start: number, end: number][]} lines of tables, lists and code, in which nothing counts as repeated */
      this.kept = [];
      this.indent = "";
      /** @type {Map<Element, number>} number of the latest item of an ordered list */
      this.items = new Map();
      this.isItem = false;
      /** Replaces the indentation of the next line. */
      this.marker = "";
      /** Number of line breaks before the next line. */
      this.gap = 0;
      /** The current line. */
      this.line = "";
      /** Its indentation, if it is drawn with it. */
      this.lead = "";
      /** Where the text ends with a single line of code. */
      this.codeLine = -1;
    }

    /** @param {Element} parent */
    children(parent) {
      const mark = this.options.isPlain ? "" : markOf(parent);
      const before = mark ? `${this.text}${this.line}`.trim().length : 0;
      for (const node of parent.childNodes) {
        if (node instanceof Text) this.words(node.data, parent.getAttribute("data-lines"));
        else if (node instanceof Element) this.element(node);
      }
      if (mark && `${this.text}${this.line}`.trim().length > before) this.mark(mark);
    }

    /** @param {string} mark to write after the latest text */
    mark(mark) {
      if (this.line.trim()) this.line = `${this.line.trimEnd()}${mark} `;
      else {
        const last = this.kept.at(-1);
        if (last?.[1] === this.text.length) last[1] += mark.length;
        this.text += mark;
      }
    }

    /**
     * @param {string} text
     * @param {string | null} lines its `white-space`, if it is drawn with its own line breaks
     */
    words(text, lines) {
      const isOneLine = !lines || this.options.isPlain || !text.trim();
      (isOneLine ? [text] : text.split("\n")).forEach((line, i) => {
        if (i > 0) this.endLine(this.line.trim() ? 1 : 2);
        if (!this.line.trim() && !this.options.isPlain) this.lead += indentOf(line, lines);
        this.line += withoutInvisible(line).replace(/\s+/g, " ");
      });
    }

    /** @param {Element} element */
    element(element) {
      const tag = element.localName;
      if (tag === "br") this.endLine(1);
      else if (!isBlock(element)) this.inline(element, tag);
      else {
        const isNestedList = (tag === "ul" || tag === "ol") && element.parentElement?.localName === "li";
        const gap = APART.has(tag) && !isNestedList ? 2 : 1;
        this.endLine(gap);
        this.block(element, tag);
        this.endLine(gap);
      }
    }

    /**
     * @param {Element} element
     * @param {string} tag
     */
    inline(element, tag) {
      const href = tag === "a" && this.options.links ? element.getAttribute("href") : null;
      const before = this.line.length;
      this.children(element);
      const words = this.line.slice(before).trim();
      if (!words || this.line.length < before) return;
      const [kind, near] = [this.options.isPlain ? "" : tag, before > 0 ? this.line.slice(before - 1) : ""];
      const isPower = kind === "sup" && this.options.power?.test(near);
      if (kind === "rt") this.wrap(before, "(", ")");
      else if (isPower) this.wrap(before, element.nextSibling?.textContent?.startsWith("\u2044") ? " " : "^", "");
      else if (kind === "sub" && this.options.base?.test(near)) this.wrap(before, "_", "");
      else if (tag === "code" || tag === "kbd" || tag === "samp") this.wrap(before, "`", "`");
      else if (href && /^https?:/.test(addressOf(element))) this.wrap(before, "[", `](${addressOf(element)})`);
    }

    /**
     * @param {number} start of the words in the line
     * @param {string} before
     * @param {string} after
     */
    wrap(start, before, after) {
      const words = this.line.slice(start);
      const [, left = "", middle = "", right = ""] = /^(\s*)(.*?)(\s*)$/.exec(words) ?? [];
      this.line = `${this.line.slice(0, start)}${left}${before}${middle}${after}${right}`;
    }

    /**
     * @param {Element} element
     * @param {string} tag
     */
    block(element, tag) {
      if (this.options.isPlain) this.children(element);
      else if (tag === "pre") this.code(element);
      else if (isDataTable(element)) this.table(element);
      else if (this.row(element)) return;
      else if (tag === "li") this.item(element);
      else if (tag === "blockquote") this.within(element, `${this.indent}> `, "> ");
      // Markdown has no headings of several lines.
      else if (/^h[1-6]$/.test(tag) && !this.options.isCell && !element.querySelector("pre")) {
        this.within(element, `${this.indent}${"#".repeat(Number(tag[1]))} `, "");
      } else this.children(element);
    }

    /** @param {Element} element of a list */
    item(element) {
      const isInItem = this.isItem;
      this.isItem = true;
      // Items with headings and without bullets are sections; a heading further in than others would be code.
      const isSection = element.getAttribute("data-marker") === "none" && element.querySelector(HEADINGS);
      if (isSection) this.within(element, this.indent, "");
      else this.within(element, `${this.indent}${this.bullet(element)}`, "  ");
      this.isItem = isInItem;
    }

    /**
     * @param {Element} element
     * @param {string} marker before its first line
     * @param {string} indent added to its other lines
     */
    within(element, marker, indent) {
      const outer = this.indent;
      this.marker = marker;
      this.indent += indent;
      this.children(element);
      this.endLine(0);
      this.marker = "";
      this.indent = outer;
    }

    /** @param {Element} item of a list */
    bullet(item) {
      const [list, marker] = [item.parentElement, item.getAttribute("data-marker") ?? ""];
      if (list?.localName !== "ol") return "- ";
      const isReversed = list.hasAttribute("reversed");
      const first = numberIn(list, "start") ?? (isReversed ? list.querySelectorAll(":scope > li").length : 1);
      const last = this.items.get(list);
      const number = numberIn(item, "value") ?? (last === undefined ? first : last + (isReversed ? -1 : 1));
      this.items.set(list, number);
      return NO_NUMBER.test(marker) ? "- " : `${numeral(number, marker)}. `;
    }

    /** @param {number} gap minimum number of line breaks that follow */
    endLine(gap) {
      const line = this.line.replace(/\s+/g, " ").trim();
      if (line) this.write(this.lead + line, this.isItem);
      this.line = this.lead = "";
      this.gap = Math.max(this.gap, gap);
    }

    /**
     * @param {string} line
     * @param {boolean} isKept
     */
    write(line, isKept) {
      if (this.text) this.text += "\n".repeat(Math.max(1, this.gap));
      const start = this.text.length;
      this.text += (this.marker || this.indent) + line;
      if (isKept) this.kept.push([start, this.text.length]);
      this.marker = "";
      this.gap = 0;
    }

    /** @param {Element} element */
    code(element) {
      const code = withoutInvisible(preformatted(element)).replace(/^\n+|\s+$/g, "");
      if (!code.trim()) return;
      const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([ticks]) => ticks.length));
      const fence = "`".repeat(longest + 1);
      const isNext = !code.includes("\n") && this.codeLine === this.text.length && fence === FENCE;
      if (isNext) this.reopen();
      for (const line of [...(isNext ? [] : [fence]), ...code.split("\n"), fence]) this.write(line, true);
      this.codeLine = code.includes("\n") ? -1 : this.text.length;
    }

    /** Removes the fence after the latest line of code, because the next one follows. */
    reopen() {
      this.kept.pop();
      this.text = this.text.slice(0, -FENCE.length - 1);
      this.gap = 1;
    }

    /** @param {Element} table */
    table(table) {
      const caption = [...table.children].find((child) => child.localName === "caption");
      if (caption) this.children(caption);
      this.endLine(1);
      const cells = rowsOf(table).map(cellsOf);
      const gaps = this.options.gapsIn?.(cells) ?? [];
      const rows = cells.map((row, i) =>
        row.flatMap((cell, j) => [...Array(gaps[i]?.[j] ?? 0).fill(""), asCell(this.cell(cell))]),
      );
      const filled = rows.filter((row) => row.some(Boolean));
      const columns = Math.max(...filled.map(({ length }) => length));
      // Markdown knows a table by a first row as long as the line below it.
      filled[0]?.push(...Array(columns - filled[0].length).fill(""));
      filled.forEach((row, i) => {
        this.write(`| ${row.join(" | ")} |`, true);
        if (i === 0) this.write(`|${" --- |".repeat(columns)}`, true);
      });
    }

    /** @param {Element} element of a row */
    cell(element) {
      return render(element, { ...this.options, isCell: true }).text;
    }

    /**
     * @param {Element} element
     * @returns {boolean} whether it is a row, which is then written
     */
    row(element) {
      const row = this.options.rows?.get(element);
      const cells = row ? [...element.children].filter((child) => this.options.rows?.get(child) === row) : [];
      if (!row || cells.length < 2 || hasTextOutside(element, cells)) return false;
      const texts = cells.map((cell) => this.cell(cell));
      // A single one with text has empty elements around it, such as those that draw a line.
      if (texts.filter(Boolean).length < 2) return false;
      const length = texts.reduce((sum, text) => sum + text.length, 0);
      if (length > row.maxLength || (row.isNarrow && texts.some((text) => text.includes("\n")))) return false;
      for (let i = 0; i < texts.length; i += row.columns) {
        const line = texts.slice(i, i + row.columns);
        if (line.some(Boolean)) this.write(`| ${line.map(asCell).join(" | ")} |`, true);
      }
      return true;
    }
  }

  /**
   * @param {Element} element
   * @param {Element[]} cells
   */
  function hasTextOutside({ childNodes }, cells) {
    return [...childNodes].some((node) => !cells.includes(/** @type {Element} */ (node)) && node.textContent?.trim());
  }

  /**
   * @param {string} text
   * @param {string | null} lines its `white-space`, if it is drawn with its own line breaks
   */
  function indentOf(text, lines) {
    const hasSpaces = lines && lines !== "pre-line";
    const [indent] = (hasSpaces ? /^[ \t\u00a0]*/ : /^(?:\u00a0 ?)*/).exec(text) ?? [""];
    return indent.replaceAll("\u00a0", " ");
  }

  /**
   * @param {Element} element
   * @returns {string} what follows its text
   */
  function markOf(element) {
    if (element.hasAttribute("data-checked")) return " (checked)";
    return element.localName === "del" || element.localName === "s" ? " (crossed out)" : "";
  }

  /**
   * @param {Element} element
   * @param {string} name
   * @returns {number | undefined} the value of an attribute
   */
  function numberIn(element, name) {
    const [number] = /^\s*-?\d+/.exec(element.getAttribute(name) ?? "") ?? [];
    return number === undefined ? undefined : Number(number);
  }

  /**
   * @param {number} number of a list item
   * @param {string} marker its style
   * @returns {string} the number as drawn, in letters or Roman numerals
   */
  function numeral(number, marker) {
    let [left, text] = [number, ""];
    if (/(?:alpha|latin)$/.test(marker)) {
      for (; left > 0; left = Math.floor((left - 1) / 26)) text = String.fromCodePoint(97 + ((left - 1) % 26)) + text;
    } else if (marker.endsWith("roman") && left < 4_000) {
      for (const [letters, value] of ROMAN) {
        for (; left >= value; left -= value) text += letters;
      }
    }
    return (marker.startsWith("upper") ? text.toUpperCase() : text) || String(number);
  }

  /** @param {Element} element */
  function addressOf(element) {
    return element.getAttribute("href") ?? "";
  }

  /** @param {Element} element */
  function preformatted(element) {
    let text = "";
    for (const node of element.childNodes) {
      if (node instanceof Text) text += node.data;
      else if (node instanceof Element) {
        const isLine = node.localName === "br" || isBlock(node);
        if (isLine && text && !text.endsWith("\n")) text += "\n";
        text += preformatted(node);
        if (node.localName === "br") text += "\n";
      }
    }
    return text.replace(/\r\n?/g, "\n");
  }

  /** @param {string} text */
  function asCell(text) {
    return text.replace(/(?<=\S)\s+/g, " ").replaceAll("|", "\\|");
  }

  /**
   * @param {Element} root in a copy
   * @param {Options} options
   * @returns {{text: string, kept: [start: number, end: number][]}} `kept`: lines in which nothing counts as repeated
   */
  function render(root, options) {
    const writer = new Writer(options);
    writer.children(root);
    writer.endLine(0);
    return { text: writer.text, kept: writer.kept };
  }

  return { render };
})();
