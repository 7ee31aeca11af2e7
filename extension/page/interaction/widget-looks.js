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
  const { clearerOf, readList, removerOf, rewindList, scrollList, showOption } = listFields;
  const { groupOf, readNumber, readSegments, readTrack, segmentsIn } = numberFields;
  const { openerOf, readCalendar, setTime } = calendars;
  const { focusedElement, takeFocusIn } = focusing;
  const { allRoots } = search;
  const { isForDates } = widgets;

  /**
   * What each look returns: JSON, null if there is nothing, or nothing if it only does something.
   *
   * @type {Record<WidgetLook, (field: HTMLElement, request: Required<WidgetRequest>, state: WidgetState) => unknown>}
   */
  const LOOKS = {
    // The field is still there.
    cell: () => null,
    list: readList,
    dated: (field, { wanted }) => isForDates(field, wanted),
    selector: (field) => selectorOf(field, allRoots()),
    branch: (field) => nextBranch(field) ?? "",
    hold: (field) => leaving.holdEnter(field),
    calendar: (field, { wanted }) => readCalendar(field, wanted) ?? "",
    time: (field, { wanted }) => setTime(field, wanted),
    complaint: (field) => complaintOf(/** @type {HTMLInputElement} */ (field)),
    opener: openerOf,
    clearer: (field) => clearerOf(field) ?? "",
    remover: (field, { values }) => removerOf(field, values) ?? "",
    number: readNumber,
    segments: (field, _, state) => readSegments((state.group = groupOf(field))),
    segment: (field, { index }, state) =>
      void (state.widget = /** @type {HTMLElement} */ (segmentsIn(state.group ?? field)[index])),
    track: readTrack,
    show: (field, { wanted }) => showOption(field, wanted),
    rewind: rewindList,
    scroll: (field, { wanted }) => scrollList(field, wanted),
    focus: (field) => {
      if (!holds(field, focusedElement())) takeFocusIn(field);
      if (isTextField(field)) selectContent(/** @type {HTMLInputElement} */ (field));
    },
    focusList: (field) => /** @type {HTMLElement | null} */ (popupOf(field))?.focus(),
    near: (field, { wanted }) => setValue(/** @type {HTMLInputElement} */ (field), wanted),
    leave: async (_, request, { changes }) => {
      /** @type {HTMLElement} */ (focusedElement()).blur();
      await changes?.rest();
      return changes?.hasOpenedLayer() ? "open" : "left";
    },
  };

  /**
   * @param {HTMLElement} field
   * @param {WidgetState} state
   * @param {WidgetRequest} request
   * @returns {Promise<unknown>} JSON; null if the page has replaced the field
   * @throws {PageError} EXECUTION_ERROR
   */
  async function operate(field, state, { look, ...how }) {
    if (!isInPage(field)) return look === "cell" ? textLeftIn(state.cell) : null;
    const answer = await LOOKS[look](field, { look, wanted: "", isLoose: false, values: [], index: 0, ...how }, state);
    return answer === undefined ? true : answer;
  }

  /** @param {Element | undefined} cell that the field was in */
  function textLeftIn(cell) {
    return cell && isInPage(cell) ? collapse(visibleTextOf(cell)) : null;
  }

  return { operate };
})();
