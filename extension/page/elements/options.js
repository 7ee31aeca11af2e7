"use strict";

// Lists of options.

const options = (() => {
  const { isMatch } = dom;
  const { collapse, misfit, quote, shorten } = texts;

  const LISTED_OPTIONS = 10;

  /**
   * @param {HTMLSelectElement} list
   * @param {string[]} values
   */
  function chooseOptions(list, values) {
    if (!list.multiple && values.length !== 1) {
      throw misfit(list, `takes one option, and ${values.length} were given. Give one value or label.`);
    }
    const chosen = new Set(values.map((value) => optionOf(list, value)));
    const changed = [...list.options].filter((option) => option.selected !== chosen.has(option));
    for (const option of list.multiple ? changed : chosen) option.selected = chosen.has(option);
    if (changed.length) {
      list.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
      list.dispatchEvent(new Event("change", { bubbles: true }));
    }
    return [...list.selectedOptions].map(({ value, label }) => ({ value, label: shorten(label) }));
  }

  /**
   * @param {HTMLSelectElement} list
   * @param {string} wanted
   */
  function optionOf(list, wanted) {
    const all = [...list.options];
    const fold = (/** @type {string} */ text) => collapse(text).toLowerCase();
    const found = [
      all.filter(({ value }) => value === wanted),
      all.filter(({ label }) => label === wanted),
      all.filter(({ label }) => fold(label) === fold(wanted)),
    ].find((matching) => matching.length);
    const named = all.slice(0, LISTED_OPTIONS).map(({ value, label }) => `${quote(value)} (${quote(label)})`);
    const more = all.length > LISTED_OPTIONS ? ` and ${all.length - LISTED_OPTIONS} more` : "";
    if (!found) throw misfit(list, `has no option ${quote(wanted)}. Its options are ${named.join(", ")}${more}.`);
    const usable = found.find((option) => !isMatch(option, ":disabled, optgroup:disabled > *"));
    if (!usable) throw misfit(list, `has an option ${quote(wanted)}, but it is disabled. Choose another one.`);
    return usable;
  }

  return { chooseOptions };
})();
