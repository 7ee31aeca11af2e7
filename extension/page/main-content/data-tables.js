"use strict";

// Tables of data in a copied page: each is content as a whole, or not at all.

const dataTables = (() => {
  const TABLES = "table, [role=table], [role=grid], [role=treegrid]";
  const CELLS = "[role=cell], [role=gridcell], [role=columnheader], [role=rowheader]";
  /** What a table without headers holds that only arranges parts of a page. */
  const LAYOUT = "h1, h2, h3, h4, h5, h6, pre, form, ul, ol, dl, blockquote, hr, p + p, br + br";
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
   * @returns {boolean} false for what is no table, or only arranges parts of the page
   */
  function isDataTable(table) {
    if (!table.matches(TABLES)) return false;
    let isData = known.get(table);
    if (isData === undefined) {
      const isDeclared = table.localName !== "table" || Boolean(table.querySelector("th, caption"));
      const isLayout = table.querySelector("table") || (!isDeclared && table.querySelector(LAYOUT));
      isData = !isLayout && rowsOf(table).filter((row) => row.children.length > 1).length > 1;
      known.set(table, isData);
    }
    return isData;
  }

  /**
   * @param {Element} element
   * @returns {Element | null} the table of data that it is in
   */
  function dataTableOf(element) {
    const table = element.closest(TABLES);
    return table && isDataTable(table) ? table : null;
  }

  /**
   * @param {Element} table of data
   * @returns {boolean} whether its first row names its columns
   */
  function hasColumnHeaders(table) {
    const [first, ...others] = rowsOf(table).map(cellsOf);
    const isHeader = (/** @type {Element} */ cell) => cell.matches("th, [role=columnheader]");
    return Boolean(first && first.length > 2 && first.every(isHeader) && others.length > 1);
  }

  return { isDataTable, hasColumnHeaders, dataTableOf, rowsOf, cellsOf };
})();
