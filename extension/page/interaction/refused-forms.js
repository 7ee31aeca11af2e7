"use strict";

// Forms that the browser does not send, because it objects to the value of a field.

const refusedForms = (() => {
  const { attributeOf, closestOf, isDrawnIn, isElement, isMatch, tagOf } = dom;
  const { skipsValidation } = faults;
  const { focusedElement } = focusing;

  const SUBMITTERS = "button, input[type='submit'], input[type='image']";

  /** @typedef {HTMLButtonElement | HTMLInputElement} Submitter */

  /** Records clicks on buttons that send a form, also those that the browser makes of Enter in a field. */
  class SubmitWatch {
    /** @readonly @type {Map<Event, Submitter>} */
    #clicks = new Map();
    /** @readonly @type {Set<EventTarget | null>} */
    #sent = new Set();
    /** @readonly @type {Set<Element>} fields that the browser has objected to, perhaps only because the page checks them */
    #objected = new Set();

    /**
     * @param {Root} root in a shadow root, too, where these events stay
     * @param {AbortSignal} signal
     */
    listen(root, signal) {
      const how = { capture: true, signal };
      root.addEventListener("click", this.#noteClick, how);
      root.addEventListener("invalid", ({ target }) => this.#objected.add(/** @type {Element} */ (target)), how);
      root.addEventListener("submit", ({ target }) => this.#sent.add(target), how);
    }

    #noteClick = (/** @type {Event} */ event) => {
      const target = /** @type {Node} */ (event.composedPath()[0]);
      const button = isElement(target) ? closestOf(target, SUBMITTERS) : null;
      if (button) this.#clicks.set(event, /** @type {Submitter} */ (button));
    };

    /** @returns {Element[]} the fields because of which the browser has not sent a form */
    fields() {
      const pressed = [...this.#clicks].filter(([click]) => !click.defaultPrevented).map(([, button]) => button);
      const unsent = pressed.filter(({ form }) => !this.#sent.has(form)).flatMap(invalidFieldsOf);
      const focused = this.#focused();
      const isHost = (/** @type {Element} */ field) => focused.some((one) => one !== field && isDrawnIn(field, one));
      const named = unsent.filter((field) => this.#objected.has(field) && !isHost(field));
      return [...new Set([...named, ...focused])];
    }

    /** @returns {Element[]} the field that the browser has moved the focus to, perhaps for a script, or in a web component */
    #focused() {
      const field = focusedElement();
      const isIn = (/** @type {Element} */ host) => isMatch(host, ":invalid") && isDrawnIn(host, field);
      return [...this.#objected].some(isIn) ? [field] : [];
    }
  }

  /**
   * @param {Submitter} button
   * @returns {Element[]} the invalid fields of the form that it sends
   */
  function invalidFieldsOf(button) {
    const { form, type } = button;
    const isChecked = type !== "button" && type !== "reset" && attributeOf(button, "formnovalidate") === null;
    if (!form || !isChecked || skipsValidation(form)) return [];
    // A field may be called "elements".
    const fields = /** @type {Iterable<Element>} */ (Reflect.get(HTMLFormElement.prototype, "elements", form));
    return [...fields].filter((field) => tagOf(field) !== "fieldset" && isMatch(field, ":invalid"));
  }

  return { SubmitWatch };
})();
