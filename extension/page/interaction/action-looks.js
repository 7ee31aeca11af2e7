"use strict";

// What the worker asks about an action after the trusted input: its effect on the element and on the page.

/**
 * @typedef {object} ActionState of an action, to look at it again after the trusted input
 * @property {string} id
 * @property {AbortSignal} [signal]
 * @property {Element} [element]
 * @property {Trace} [trace] of it
 * @property {PreparedField} [prepared]
 * @property {HTMLElement} [widget]
 * @property {Element} [cell] of a table that the widget is in
 * @property {Element} [group]
 * @property {InstanceType<typeof hitTarget.PressWatch>} [press]
 * @property {InstanceType<typeof dragWatch.DragWatch>} [drag]
 * @property {Element} [pressed]
 * @property {Element} [placed]
 * @property {Element} [checkable]
 * @property {boolean} [wasChecked]
 * @property {HTMLInputElement} [upload]
 * @property {ReturnType<typeof scrolling.beginScroll>["scroll"]} [scroll]
 * @property {{element: Element, place: Box}[]} [frames]
 * @property {Root[]} [roots]
 * @property {Watch} [changes]
 * @property {Watch} [form] the same for all parts of the action
 *
 * @typedef {Partial<ActionState>} Looked the state of the action in question; empty if it was on another page, or another
 *   one has followed: then a look returns null
 */

const actionLooks = (() => {
  const { cellAround, comesTrue, documentOf, hasIn, isDocument, isInPage, kindOf, pause, queryAll, tagOf, roleOf } =
    dom;
  const { shorten, titleOf, visibleTextOf } = texts;
  const { selectorOf } = selectorGenerator;
  const { isHolder, traitsOf } = crossOriginFrames;
  const { isCheckable, isChecked, selectContent, shownBy } = formControls;
  const { chosenIn } = nativeLists;
  const { maySearch, rememberSearch, widgetKind } = widgets;
  const { isDated } = leaving;
  const { focusedElement } = focusing;
  const { editorAround } = drawnEditors;
  const { checkableOf, isField } = targets;
  const { allRoots } = search;

  const DRAWING_WAIT_MS = 500;
  /** Elements that are moved out of the way get there within this time, unlike the bar of a message that will close. */
  const MOVING_MS = 600;
  const MOUSE_WAIT_MS = 300;
  /** Pages often wait for 300 ms until no more is typed. */
  const SUGGESTING_MS = 400;
  /** How long a switch may take to slide. */
  const TOGGLING_MS = 400;

  /**
   * Goes on with the element that the page has put in the place of the action's own one.
   *
   * @param {Looked} state
   * @returns {boolean} whether it has
   */
  function follow(state) {
    const { trace, prepared, checkable } = state;
    const next = trace ? replacements.replacementOf(trace) : null;
    const now = next ?? trace?.element;
    // A part of it may have been replaced.
    if (checkable && !isInPage(checkable) && now && isInPage(now)) state.checkable = checkableOf(now);
    if (!trace || !next) return false;
    for (const name of /** @type {const} */ (["element", "pressed", "widget"])) {
      if (state[name] === trace.element) state[name] = /** @type {HTMLElement} */ (next);
    }
    if (prepared?.field === trace.element) prepared.field = /** @type {HTMLInputElement} */ (next);
    trace.element = next;
    return true;
  }

  /**
   * @param {Looked} state of a fill
   * @param {FinishRequest} request
   * @returns {Promise<FilledField | null>}
   */
  async function finishFill(state, request) {
    const { prepared, signal, changes: watch } = state;
    if (!prepared || !signal || !watch) return null;
    const left = await filling.finishFill({ prepared, signal, watch }, request);
    const filled = !left.next && follow(state) ? filling.readField(prepared, request.text) : left;
    if (filled.next || prepared.isEntered) return filled;
    // It may turn out only now that it opens a list.
    const { field } = prepared;
    const mayBeSearch = isInPage(field) && maySearch(field) && !isDated(request.text);
    const isDropped = filled.isKept === false && filled.value === "";
    const isSearch = mayBeSearch && (isDropped || (await filling.keepsLayer(prepared, watch)));
    if (isSearch) rememberSearch(field);
    const isList = isInPage(field) && (isSearch || widgetKind(field, request.text) === "list");
    const opened = isList ? rememberWidget(state, field) : null;
    if (opened) selectContent(field);
    return { ...filled, ...opened, isSearch, changed: watch.summarize() };
  }

  /**
   * @param {Looked} state of a fill
   * @returns {Promise<boolean | null>} whether suggestions open in the time that they usually take
   */
  async function awaitList({ changes }) {
    return changes ? comesTrue(() => changes.hasOpenedList(), SUGGESTING_MS) : null;
  }

  /**
   * @param {Looked} state of a fill
   * @param {{text: string}} request
   * @returns {FilledField | null}
   */
  function readField({ prepared }, { text }) {
    return prepared ? filling.readField(prepared, text) : null;
  }

  /**
   * @param {Looked} state of a fill of an editor that draws its text
   * @param {{text: string}} request
   */
  function paste({ prepared }, { text }) {
    return prepared ? drawnEditors.paste(prepared.field, text) : null;
  }

  /**
   * @param {Looked} state of a fill
   * @param {{text: string, chosen: string}} request
   */
  function readNotations({ prepared }, { text, chosen }) {
    return prepared ? filling.notationsFor(prepared, text, chosen) : null;
  }

  /**
   * @param {Looked} state while a field without text input is being operated
   * @param {WidgetRequest} request
   * @returns {Promise<unknown>} null also if the page has replaced the field
   */
  async function operate(state, request) {
    return state.widget ? widgetLooks.operate(state.widget, state, request) : null;
  }

  /**
   * @param {Looked} state of a select
   * @returns {FoundElement["selected"] | null} the current choice
   */
  function readSelected({ element }) {
    return element && tagOf(element) === "select" ? chosenIn(/** @type {HTMLSelectElement} */ (element)) : null;
  }

  /**
   * @param {Looked} state
   * @param {{ofForm?: boolean}} request `ofForm`: of all parts of the action
   * @returns {Promise<string>} what has changed since it began; empty if nothing has, or if this is another page
   */
  async function readChanges({ changes, form }, { ofForm = false }) {
    const watch = ofForm ? form : changes;
    await watch?.rest();
    return watch?.summarize() ?? "";
  }

  /**
   * @param {Looked} state of a scroll
   * @returns {Promise<Scrolled> | null}
   */
  function finishScroll({ scroll }) {
    return scroll ? scrolling.finishScroll(scroll) : null;
  }

  /**
   * @param {Looked} state during a press
   * @param {{point: Point, isHeld?: boolean}} request
   * @returns {Promise<PressOutcome> | null} by `endPress` at the latest
   */
  function watchPress({ press }, { point, isHeld = false }) {
    return press?.outcome(point, isHeld) ?? null;
  }

  /**
   * @param {Looked} state once the browser has handled the press
   * @returns {true} because no answer at all would mean that the page may have left
   */
  function endPress({ press }) {
    press?.end();
    return true;
  }

  /**
   * @param {Looked} state while the mouse moves
   * @returns {Promise<boolean | null>} whether the element's document notices it in time
   */
  async function awaitMouse({ element }) {
    if (!element) return null;
    // In quirks mode ":hover" alone matches only links; the root is not hovered under a layer that has all input.
    const isThere = () => queryAll(/** @type {Document} */ (documentOf(element)), ":root:hover, :hover").length > 0;
    return comesTrue(isThere, MOUSE_WAIT_MS);
  }

  /**
   * @param {Looked} state after the first moves of a drag
   * @returns {boolean | null} whether the browser is now dragging something
   */
  function readDrag({ press, drag }) {
    press?.stop();
    return drag?.isDragging ?? null;
  }

  /**
   * @param {Looked} state after a drag
   * @returns {DragWay | null} null also if the page draws what it drags
   */
  function readMoved({ drag, element, changes }) {
    if (!drag || !element || !changes || tagOf(element) === "canvas" || hasIn(element, "canvas")) return null;
    return { isIdle: !drag.hasMoved && !changes.hasMoved(), way: drag.way(changes.appeared()) };
  }

  /**
   * @param {Looked} state after the release of a drag
   * @returns {Promise<DragOutcome> | null}
   */
  function readDrop({ drag }) {
    return drag?.outcome() ?? null;
  }

  /** @returns {boolean} whether elements are being moved; animations without an end, or with a distant one, do not count */
  function readTransitions() {
    return allRoots()
      .filter(isDocument)
      .flatMap((one) => one.getAnimations())
      .some((one) => one.playState === "running" && isMoving(one));
  }

  /** @param {Animation} animation */
  function isMoving({ currentTime, effect }) {
    return Number(effect?.getComputedTiming().endTime) - Number(currentTime) < MOVING_MS;
  }

  /**
   * @param {Looked} state after a press
   * @returns {Promise<boolean | null>} whether the pressed element is now checked
   */
  async function readChecked({ checkable, wasChecked }) {
    if (!checkable) return null;
    const hasToggled = () => isChecked(checkable) !== wasChecked || !isInPage(checkable);
    if (!(wasChecked && isRadio(checkable))) await comesTrue(hasToggled, TOGGLING_MS);
    return isChecked(checkable);
  }

  /** @param {Element} element */
  function isRadio(element) {
    return kindOf(element) === "radio" || ["radio", "menuitemradio"].includes(roleOf(element));
  }

  /**
   * @param {Looked} state after keys
   * @returns {PressedState | null}
   */
  function readPressed({ pressed }) {
    if (!pressed) return null;
    const focused = focusedElement();
    const hasMoved = focused !== pressed && tagOf(focused) !== "body";
    const moved = hasMoved ? { focused: describe(focused, allRoots()) } : {};
    // The page may have put something else in its place.
    if (!isInPage(pressed)) return moved;
    return {
      ...(isCheckable(pressed) && { checked: isChecked(pressed) }),
      ...(isField(pressed) && { value: shownBy(/** @type {HTMLInputElement} */ (pressed)) }),
      ...(tagOf(pressed) === "select" && { selected: chosenIn(/** @type {HTMLSelectElement} */ (pressed)) }),
      ...moved,
    };
  }

  /**
   * @param {Looked} state after an upload
   * @param {{names: string[]}} request `names` of its files
   * @returns {HeldFiles | null}
   */
  function readFiles({ upload }, { names }) {
    if (!upload) return null;
    const held = [...(upload.files ?? [])].map(({ name }) => name);
    const isKept = held.length === names.length && held.every((name, index) => name === names[index]);
    const shown = held.length ? [] : allRoots().flatMap((root) => [...root.children].map(visibleTextOf));
    const isShown = names.some((name) => shown.some((text) => text.includes(name)));
    return { names: held.map((name) => shorten(name)), isKept, isShown };
  }

  /**
   * @param {Looked} state
   * @returns {FrameTraits | null} of the element, if it is a cross-origin frame
   */
  function frameFound({ element }) {
    return element && isHolder(element) ? traitsOf(element) : null;
  }

  /**
   * Waits until the page has been drawn twice, so that the second time includes earlier changes; half a second at most.
   *
   * @returns {Promise<true>}
   */
  async function nextDrawing() {
    const drawn = async () => {
      for (let i = 0; i < 2; i += 1) await new Promise(requestAnimationFrame);
    };
    await Promise.race([drawn(), pause(DRAWING_WAIT_MS)]);
    return true;
  }

  /**
   * @param {Element} element
   * @param {Root[]} roots of the whole page
   * @returns {ElementDescription}
   */
  function describe(element, roots) {
    // The field of an editor is not visible, and its name may follow the cursor.
    const shown = editorAround(element) ?? element;
    return {
      selector: selectorOf(shown, roots),
      tag: tagOf(shown),
      text: shorten(isWhole(shown) ? document.title : titleOf(shown)),
    };
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it is the page itself, whose text takes long to collect
   */
  function isWhole(element) {
    return ["html", "body"].includes(tagOf(element));
  }

  /**
   * @param {Looked} state
   * @param {Element} element to be operated
   * @returns {{widget: WidgetKind}}
   */
  function rememberWidget(state, element) {
    state.widget = /** @type {HTMLElement} */ (element);
    state.cell = cellAround(element) ?? undefined;
    listOptions.begin(element, state.changes);
    // A search field has a list only for a choice.
    return { widget: widgetKind(element) || "list" };
  }

  const looks = {
    awaitList,
    awaitMouse,
    endPress,
    finishFill,
    finishScroll,
    frameFound,
    nextDrawing,
    operate,
    paste,
    readChanges,
    readChecked,
    readDrag,
    readDrop,
    readField,
    readFiles,
    readMoved,
    readNotations,
    readPressed,
    readSelected,
    readTransitions,
    watchPress,
  };
  return { describe, follow, isWhole, looks, rememberWidget };
})();
