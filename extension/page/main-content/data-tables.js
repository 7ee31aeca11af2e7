"use strict";

// Data tables in a copied page: each is content as a whole, or not at all.

const dataTables = (() => {
  const TABLES = "table, [role=table], [role=grid], [role=treegrid]";
  const CELLS = "[role=cell], [role=gridcell], [role=columnheader], [role=rowheader]";
  /** Contents of a table without headers that is only used for layout. */
  const LAYOUT = "table, h1, h2, h3, h4, h5, h6, pre, form, ul, ol, dl, blockquote, hr, p + p, br + br";
  /** @type {WeakMap<Element, boolean>} */
  const known = new WeakMap();

  /** @param {Element} table */
  function rowsOf(table) {
    return [...table.querySelectorAll("tr, [role=row]")];
  }

  /** @param {Element} row */
  function cellsOf(row) {
    const cells = row.localName === "tr" ? [] : row.querySelectorAll(CELLS);
    return [...(cells.length > 0 ? cells : row.children)];
  }

  /**
   * @param {Element} table
   * @returns {boolean} false if it is not a table, or only used for layout
   */
  function isDataTable(table) {
    if (!table.matches(TABLES)) return false;
    let isData = known.get(table);
    if (isData === undefined) {
      const isDeclared = table.localName !== "table" || Boolean(table.querySelector("th, caption"));
      const layout = [...table.querySelectorAll(isDeclared ? "table" : LAYOUT)];
      isData = layout.every(isLineBreak) && rowsOf(table).filter((row) => row.children.length > 1).length > 1;
      known.set(table, isData);
    }
    return isData;
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether a line of text ends with it: "br + br" matches across the text between them
   */
  function isLineBreak(element) {
    return element.localName === "br" && /\S/.test(element.previousSibling?.nodeValue ?? "");
  }

  /**
   * @param {Element} element
   * @returns {Element | null} the data table that contains it
   */
  function dataTableOf(element) {
    const table = element.closest(TABLES);
    return table && isDataTable(table) ? table : null;
  }

  /**
   * @param {Element} body of a copied page
   * @returns {Element[]} the data tables in it
   */
  function tablesIn(body) {
    return [...body.querySelectorAll(TABLES)].filter((one) => isDataTable(one) && !one.parentElement?.closest(TABLES));
  }

  /**
   * @param {Element} table with data
   * @returns {boolean} whether its first row has column headers
   */
  function hasColumnHeaders(table) {
    const [first, ...others] = rowsOf(table).map(cellsOf);
    const isHeader = (/** @type {Element} */ cell) => cell.matches("th, [role=columnheader]");
    return Boolean(first && first.length > 2 && first.every(isHeader) && others.length > 1);
  }

  /**
   * Joins tables that are drawn as one: where only the rows scroll, their header and their totals have tables of their
   * own.
   *
   * @param {Element} body of a copied page
   */
  function joinParts(body) {
    /** @type {Element | undefined} */
    let before;
    for (const table of body.querySelectorAll("table")) {
      const [upper, lower] = [before, table].map((one) => (one ? sectionsOf(one) : ""));
      const isHead = upper === "thead" && /^tbody/.test(lower ?? "");
      const isFoot = lower === "tfoot" && /tbody$/.test(upper ?? "");
      // A header that is drawn over the one of the rows comes after them.
      const isOver = lower === "thead" && upper === "tbody" && Boolean(before?.querySelector("thead > tr"));
      if (before && (isHead || isFoot || isOver) && isNext(before, table)) {
        // Copies without text set the widths of the columns.
        for (const row of [...rowsOf(before), ...rowsOf(table)].filter(isEmpty)) row.remove();
        if (columnsOf(before) > columnsOf(table)) rowsOf(before).forEach((row) => cellsOf(row).at(-1)?.remove());
        if (isOver) table.append(...before.children);
        else table.prepend(...before.children);
        before.remove();
      }
      before = table;
    }
  }

  /**
   * @param {Element} table
   * @returns {string} the sections with texts, such as "thead tbody"
   */
  function sectionsOf(table) {
    const rows = rowsOf(table).filter((row) => !isEmpty(row));
    return [...new Set(rows.map(({ parentElement }) => parentElement?.localName))].join(" ");
  }

  /** @param {Element} element */
  function isEmpty(element) {
    return !/\S/.test(element.textContent ?? "");
  }

  /**
   * @param {Element} upper
   * @param {Element} lower
   * @returns {boolean} whether the lower table follows, with as many columns; only the scroll bar may have another one
   */
  function isNext(upper, lower) {
    const between = upper.ownerDocument.createRange();
    between.setStartAfter(upper);
    between.setEndBefore(lower);
    if (/\S/.test(between.toString())) return false;
    const [above, below] = [columnsOf(upper), columnsOf(lower)];
    const [last] = rowsOf(upper).flatMap((row) => cellsOf(row).slice(-1));
    return above === below || (above === below + 1 && last !== undefined && isEmpty(last));
  }

  /** @param {Element} table */
  function columnsOf(table) {
    const span = (/** @type {Element} */ cell) => Number(cell.getAttribute("colspan")) || 1;
    return Math.max(...rowsOf(table).map((row) => cellsOf(row).reduce((sum, cell) => sum + span(cell), 0)));
  }

  return { isDataTable, hasColumnHeaders, dataTableOf, tablesIn, joinParts, rowsOf, cellsOf };
})();
