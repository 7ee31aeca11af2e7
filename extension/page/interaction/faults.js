"use strict";

// The page's error message about the value of a field.

const faults = (() => {
  const { attributeOf, isControl, isMatch, queryAll, referred } = dom;
  const { plain, visibleTextOf } = texts;
  const { isVisible } = geometry;

  const INVALID = "[aria-invalid]:not([aria-invalid='false'])";

  /**
   * @param {Element} field
   * @returns {boolean} whether the page itself marks it as invalid; a constraint of the browser's own, such as an
   *   attribute for the number of digits, is often not used by the page
   */
  function isRejected(field) {
    return isMatch(field, INVALID) || (isControl(field) && field.validity.customError);
  }

  /**
   * @param {Root[]} roots
   * @returns {Element[]} the visible fields whose value is marked as invalid, by the page or by the browser
   */
  function faultyIn(roots) {
    const isMarked = (/** @type {Element} */ field) =>
      isRejected(field) || !isControl(field) || !field.form || !skipsValidation(field.form);
    return roots
      .flatMap((root) => queryAll(root, `:user-invalid, ${INVALID}`))
      .filter((one) => isVisible(one) && isMarked(one));
  }

  /**
   * @param {HTMLFormElement} form
   * @returns {boolean} whether the browser accepts all values in it: it still calls some of them invalid, but only in CSS
   */
  function skipsValidation(form) {
    return attributeOf(form, "novalidate") !== null;
  }

  /**
   * @param {Element} field
   * @returns {Element[]} its error messages
   */
  function messagesOf(field) {
    const named = [...referred(field, "aria-errormessage"), ...referred(field, "aria-describedby")];
    return [...new Set(named)].filter(isVisible);
  }

  /**
   * @param {Element} field
   * @returns {string} what is wrong with it; empty if the page does not say
   */
  function faultOf(field) {
    const message = messagesOf(field).map(visibleTextOf).map(plain).join(" ").trim();
    const ofBrowser = isControl(field) ? field.validationMessage : "";
    // If only the browser objects, what describes the field is a hint.
    return isRejected(field) ? message || ofBrowser : ofBrowser || message;
  }

  return { INVALID, faultOf, faultyIn, isRejected, messagesOf, skipsValidation };
})();
