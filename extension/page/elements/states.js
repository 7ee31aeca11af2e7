"use strict";

// What is checked.

const states = (() => {
  const { attributeOf, kindOf, tagOf } = dom;

  /** @param {Element} element */
  function isCheckable(element) {
    return ["checkbox", "radio"].includes(kindOf(element)) || attributeOf(element, "aria-checked") !== null;
  }

  /** @param {Element} element */
  function isChecked(element) {
    if (tagOf(element) === "input") return /** @type {HTMLInputElement} */ (element).checked;
    return attributeOf(element, "aria-checked") === "true";
  }

  return { isCheckable, isChecked };
})();
