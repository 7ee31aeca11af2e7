"use strict";

// Data tables in a copied page: each is content as a whole, or not at all.

const dataTables = (() => {
  const TABLES = "table, [role=table], [role=grid], [role=treegrid]";
  const CELLS = "[role=cell], [role=gridcell], [role=columnheader], [role=rowheader]";
  /** Contents of a table without headers that is only used for layout. */
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
   * @returns {boolean} false if it is not a table, or only used for layout
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
   * @returns {Element | null} the data table that contains it
   */
  function dataTableOf(element) {
    const table = element.closest(TABLES);
    return table && isDataTable(table) ? table : null;
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

  return { isDataTable, hasColumnHeaders, dataTableOf, rowsOf, cellsOf };
})();
