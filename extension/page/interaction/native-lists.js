"use strict";

// Native lists of options: what they offer, and how options are chosen.

const nativeLists = (() => {
  const { isMatch } = dom;
  const { folded, misfit, quote, shorten, similarFirst } = texts;

  const LISTED_OPTIONS = 10;

  /**
   * @param {HTMLSelectElement} list
   * @param {string[]} values
   */
  function chooseOptions(list, values) {
    refuseSeveral(list, values);
    const { chosen } = matching(list, values);
    const changed = [...list.options].filter((option) => option.selected !== chosen.has(option));
    for (const option of list.multiple ? changed : chosen) option.selected = chosen.has(option);
    // While the page handles the change, it may restore the old choice.
    const selected = chosenIn(list);
    if (changed.length) {
      list.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
      list.dispatchEvent(new Event("change", { bubbles: true }));
    }
    return selected;
  }

  /**
   * @param {HTMLSelectElement} list
   * @param {string[]} values
   * @throws {PageError} EXECUTION_ERROR if there are more than the list accepts
   */
  function refuseSeveral(list, values) {
    if (list.multiple || values.length === 1) return;
    throw misfit(list, `accepts only one option, not ${values.length}. Pass one value or label.`);
  }

  /** @param {HTMLSelectElement} list */
  function chosenIn(list) {
    return [...list.selectedOptions].map(({ value, label }) => ({ value, label: shorten(label) }));
  }

  /**
   * @param {HTMLSelectElement} list
   * @param {string[]} values
   * @returns {{chosen: Set<HTMLOptionElement>, trouble: string}} the trouble completes a sentence that starts with the
   *   list
   */
  function matching(list, values) {
    /** @type {Set<HTMLOptionElement>} */
    const chosen = new Set();
    for (const wanted of values) {
      const found = optionsLike(list, wanted);
      const usable = found.find((option) => !isMatch(option, ":disabled, optgroup:disabled > *"));
      if (!found.length) return { chosen, trouble: `has no option ${quote(wanted)}. ${inventoryOf(list, wanted)}` };
      if (!usable) {
        return { chosen, trouble: `has an option ${quote(wanted)}, but it is disabled. Choose another one.` };
      }
      chosen.add(usable);
    }
    return { chosen, trouble: "" };
  }

  /**
   * @param {HTMLSelectElement} list
   * @param {string} wanted
   */
  function optionsLike(list, wanted) {
    const all = [...list.options];
    const words = folded(wanted);
    const ways = [
      all.filter(({ value }) => value === wanted),
      all.filter(({ label }) => label === wanted),
      all.filter(({ label }) => folded(label) === words),
    ];
    return ways.find((found) => found.length) ?? [];
  }

  /**
   * @param {HTMLSelectElement} list
   * @param {string} wanted
   */
  function inventoryOf(list, wanted) {
    const all = similarFirst([...list.options], ({ label }) => label, wanted);
    const named = all.slice(0, LISTED_OPTIONS).map(({ value, label }) => `${quote(value)} (${quote(label)})`);
    const more = all.length > LISTED_OPTIONS ? ` and ${all.length - LISTED_OPTIONS} more` : "";
    return all.length ? `Its options are ${named.join(", ")}${more}.` : "It has no options.";
  }

  return { chooseOptions, chosenIn, matching, refuseSeveral };
})();
