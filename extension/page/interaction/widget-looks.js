"use strict";

// What the worker asks of a field without text input while it operates the field: a list, a number, a calendar.

/**
 * @typedef {{look: WidgetLook, wanted?: string, isLoose?: boolean, values?: string[], index?: number}} WidgetRequest
 *
 * @typedef {{widget?: HTMLElement, cell?: Element, group?: Element, changes?: Watch}} WidgetState of the action that operates it
 */

const widgetLooks = (() => {
  const { holds, isInPage, isTextField } = dom;
  const { collapse, visibleTextOf } = texts;
  const { selectorOf } = selectorGenerator;
  const { complaintOf, selectContent, setValue } = formControls;
  const { nextBranch, popupOf } = listOptions;
  const { clearerOf, readList, removerOf, scrollList, showOption } = listFields;
  const { groupOf, readNumber, readSegments, readTrack, segmentsIn } = numberFields;
  const { openerOf, readCalendar, setTime } = calendars;
  const { focusedElement, takeFocusIn } = focusing;
  const { allRoots } = search;

  /**
   * @param {HTMLElement} field
   * @param {WidgetState} state
   * @param {WidgetRequest} request
   * @returns {Promise<unknown>} JSON; null if the page has replaced the field
   * @throws {PageError} EXECUTION_ERROR
   */
  async function operate(field, state, { look, wanted = "", isLoose = false, values = [], index = 0 }) {
    if (!isInPage(field)) return look === "cell" ? textLeftIn(state.cell) : null;
    switch (look) {
      case "cell":
        return null;
      case "list":
        return readList(field, { wanted, isLoose, values });
      case "selector":
        return selectorOf(field, allRoots());
      case "branch":
        return nextBranch(field) ?? "";
      case "hold":
        leaving.holdEnter(field);
        return true;
      case "calendar":
        return readCalendar(field, wanted) ?? "";
      case "time":
        return setTime(field, wanted);
      case "complaint":
        return complaintOf(/** @type {HTMLInputElement} */ (field));
      case "opener":
        return openerOf(field);
      case "clearer":
        return clearerOf(field) ?? "";
      case "remover":
        return removerOf(field, values) ?? "";
      case "number":
        return readNumber(field);
      case "segments":
        state.group = groupOf(field);
        return readSegments(state.group);
      case "segment":
        state.widget = /** @type {HTMLElement} */ (segmentsIn(state.group ?? field)[index]);
        return true;
      case "track":
        return readTrack(field);
      case "show":
        return showOption(field, wanted);
      case "scroll":
        return scrollList(field, wanted);
      case "focus":
        if (!hasFocusIn(field)) takeFocusIn(field);
        if (isTextField(field)) selectContent(/** @type {HTMLInputElement} */ (field));
        return true;
      case "focusList":
        /** @type {HTMLElement | null} */ (popupOf(field))?.focus();
        return true;
      case "near":
        setValue(/** @type {HTMLInputElement} */ (field), wanted);
        return true;
      case "leave":
        /** @type {HTMLElement} */ (focusedElement()).blur();
        await state.changes?.rest();
        return state.changes?.hasOpenedLayer() ? "open" : "left";
    }
  }

  /** @param {Element | undefined} cell that the field was in */
  function textLeftIn(cell) {
    return cell && isInPage(cell) ? collapse(visibleTextOf(cell)) : null;
  }

  /** @param {Element} element */
  function hasFocusIn(element) {
    return holds(element, focusedElement());
  }

  return { operate };
})();
