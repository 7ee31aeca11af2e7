"use strict";

// How a field of a form is written, if it can take the value.

const forms = (() => {
  const { kindOf } = dom;
  const { misfit } = texts;
  const { isCheckable, isChecked } = states;
  const { refuseSeveral } = options;
  const { refuseValue } = fields;

  /**
   * @param {Element} element
   * @param {FormField["value"]} value
   * @returns {FormWay}
   * @throws {PageError} EXECUTION_ERROR
   */
  function wayOf(element, value) {
    if (isCheckable(element)) {
      if (typeof value !== "boolean") throw misfit(element, "is checked or not. Give it true or false.");
      const isChosen = kindOf(element) === "radio" && isChecked(element);
      if (isChosen && !value) throw misfit(element, "is a chosen radio button. Give true to another one of its group.");
      return { way: "click", checked: isChecked(element) };
    }
    if (kindOf(element) === "select") {
      if (typeof value === "boolean") throw misfit(element, "is a list of options. Give it values or labels.");
      refuseSeveral(/** @type {HTMLSelectElement} */ (element), [value].flat());
      return { way: "select" };
    }
    if (typeof value !== "string") throw misfit(element, "takes a text.");
    refuseValue(/** @type {HTMLInputElement} */ (element), value);
    return { way: "fill" };
  }

  return { wayOf };
})();
