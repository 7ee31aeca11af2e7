"use strict";

// The page's error message about the value of a field.

const faults = (() => {
  const { isControl, isMatch, referred } = dom;
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

  return { INVALID, faultOf, isRejected, messagesOf };
})();
