"use strict";

// The requests that browser/element-target.js sends to a page.

const elementCommands = (() => {
  const { closestOf, comesTrue, controlOf, documentOf, hasIn, isDocument, isInPage, kindOf, pause, queryAll, tagOf } =
    dom;
  const { BODY_CELLS, windowOf } = dom;
  const { PageError, misfit, shorten, textOf, visibleTextOf } = texts;
  const { bringIntoView, handleOf, hitAt, inDocument, isPartOf, isVisible, outlineOf, placeInMainFrame, placeOfSpot } =
    geometry;
  const { comeBy, selectorOf } = selectorGenerator;
  const { Wait } = actionability;
  const { describeFrame, holders, isHolder, placeOutside, traitsOf } = crossOriginFrames;
  const { caretToEnd, isCheckable, isChecked, refuseSetting, selectContent, shownBy, wayOf } = formControls;
  const { chooseOptions, chosenIn } = nativeLists;
  const { widgetKind } = widgets;
  const { focusedElement, takeFocus } = focusing;
  const { editorAround } = drawnEditors;
  const { checkableOf, isField } = targets;
  const { PressWatch } = hitTarget;
  const { DragWatch } = dragWatch;
  const { announcementsOf } = announcements;
  const { ChangeWatch } = changeWatch;
  const { allRoots } = search;
  const { beginScroll, pageScroller } = scrolling;
  const { untilAllHold } = waitFor;

  /** @typedef {InstanceType<typeof PressWatch>} Press */
  /** @typedef {InstanceType<typeof DragWatch>} Drag */

  const DRAWING_WAIT_MS = 500;
  /** Elements that are moved out of the way get there within this time, unlike the bar of a message that will close. */
  const MOVING_MS = 600;
  const MOUSE_WAIT_MS = 300;
  /** Pages often wait for 300 ms until no more is typed. */
  const SUGGESTING_MS = 400;
  /** For a switch that slides. */
  const TOGGLING_MS = 400;
  /** Actions whose reply reports changes. */
  const REPORTING = new Set(["click", "drag", "fill", "focus", "hover", "select", "upload"]);

  /** Actions that move the mouse to the element. */
  const MOVING = new Set(["click", "drag", "hover", "upload"]);

  /** @type {Map<string, AbortController>} by request id; the latest one may be inspected again */
  const running = new Map();
  /**
   * @typedef {object} ActionState of an action, to inspect it again after the trusted input
   * @property {string} id
   * @property {AbortSignal} [signal]
   * @property {Element} [element]
   * @property {PreparedField} [prepared]
   * @property {boolean} [isEntered]
   * @property {HTMLElement} [widget]
   * @property {Element} [cell] of a table that the widget is in
   * @property {Element} [group]
   * @property {Press} [press]
   * @property {Drag} [drag]
   * @property {Element} [pressed]
   * @property {Element} [placed]
   * @property {Element} [checkable]
   * @property {boolean} [wasChecked]
   * @property {HTMLInputElement} [upload]
   * @property {ReturnType<typeof beginScroll>["scroll"]} [scroll]
   * @property {{element: Element, place: Box}[]} [frames]
   * @property {Root[]} [roots]
   * @property {Watch} [changes]
   * @property {Watch} [form] the same for all parts of the action
   */

  /** @type {ActionState} */
  let latest = { id: "" };
  /** @type {Element | null} the element that the mouse was last moved to */
  let lastTarget = null;
  /** @type {Element[]} the cross-origin frames that the worker last asked for */
  let lastHolders = [];

  /**
   * @param {string} id
   * @returns {Partial<ActionState>} the state of that action; empty if it was on another page, or another one has followed
   */
  function stateOf(id) {
    return latest.id === id ? latest : {};
  }

  /**
   * Finds an element, waits until it can be acted on, and does everything that needs no trusted input.
   *
   * @param {ElementRequest} request
   * @returns {Promise<ElementAnswer>}
   * @throws {PageError} ELEMENT_NOT_FOUND, EXECUTION_ERROR, INVALID_SELECTOR
   */
  async function act(request) {
    const { signal } = begin(request.id);
    comeBy(request.way ?? "");
    const before = stateOf(request.id);
    const { pressed, drag, placed, widget, cell, group, changes: begun, form } = before;
    const known = request.action === "place" ? placed : undefined;
    const ready = request.selector ? await new Wait(request, signal, known).ready() : withoutSelector(request);
    const { element, found, roots, rest, ...more } = ready;
    latest.press?.stop();
    if (latest.drag !== drag || request.action === "drag") latest.drag?.stop();
    // The steps of one action are reported together.
    const isReporting = REPORTING.has(request.action) && !(request.isStep && begun);
    if (isReporting || !begun) latest.changes?.stop();
    latest = { id: request.id, signal, pressed, drag, placed, widget, cell, group, element, changes: begun, form };
    // They may be clicks for a field that is being filled.
    if (request.isStep) Object.assign(latest, { prepared: before.prepared, isEntered: before.isEntered });
    if (rest) return { code: "", rest, frames: enterFrames(found, roots) };
    // The action may remove the element.
    const description = describe(element, roots);
    if (isReporting && request.isPart) latest.form = form?.goOn(element) ?? new ChangeWatch(element, roots, "click");
    if (isReporting) latest.changes = new ChangeWatch(element, roots, request.action);
    const outline = isReporting && window.parent === window ? { outline: outlineOf(handleOf(element)) } : {};
    const done = actOn(element, roots, request);
    const stale = request.mouse && !hasKeptPlace(request.mouse) ? { isMouseStale: true } : {};
    if (MOVING.has(request.action)) lastTarget = element;
    return { code: "", element: description, matches: found.length, ...more, ...outline, ...done, ...stale };
  }

  /**
   * @param {Point} mouse its position
   * @returns {boolean} whether the element that it was last moved to is still there
   */
  function hasKeptPlace(mouse) {
    const hit = hitAt(mouse);
    return hit !== null && lastTarget !== null && isPartOf(hit, lastTarget);
  }

  /** @param {ElementRequest} request */
  function withoutSelector({ action }) {
    const element = action === "scroll" ? pageScroller() : focusedElement();
    return { element, found: [element], roots: allRoots(), rest: "" };
  }

  /**
   * @param {Element[]} found cross-origin frames
   * @param {Root[]} roots of the whole page
   */
  function enterFrames(found, roots) {
    const visible = found.filter(isVisible);
    latest.frames = visible.map((element) => ({ element, place: placeInMainFrame(element) }));
    latest.roots = roots;
    return visible.map((frame) => describeFrame(frame, roots));
  }

  /**
   * @param {FramedRequest} request after an `act` of that id that led into frames
   * @returns {Promise<PlacedOutside> | null} null if this is another page
   */
  function place({ id, index, presses, ...request }) {
    const { frames = [], roots = [], signal } = stateOf(id);
    const frame = frames[index];
    if (!frame || !signal) return null;
    latest.press?.stop();
    if (presses) latest.press = new PressWatch(frame.element, roots, presses, true);
    return placeOutside(frame, request, { ...request, signal });
  }

  /**
   * @param {WaitRequest} request
   * @returns {Promise<WaitAnswer>}
   * @throws {PageError} COMMAND_TIMEOUT, INVALID_SELECTOR
   */
  async function waitForElements(request) {
    const { signal } = begin(request.id);
    comeBy(request.way ?? "");
    const met = await untilAllHold(request, signal);
    const [element] = met?.shown ?? [];
    if (!met || !element) return { code: "" };
    const { rest, roots } = met.search;
    if (rest) return { code: "", rest, frames: met.shown.map((frame) => describeFrame(frame, roots)) };
    return { code: "", element: describe(element, met.search.roots), matches: met.shown.length };
  }

  /**
   * @param {{way: string, count?: number}} request `way`: path of the frame that this page is in; empty in the main
   *   frame; `count` of the frames in this page, if known
   */
  function readableFrames({ way, count }) {
    comeBy(way);
    return crossOriginFrames.readableFrames(count);
  }

  /**
   * @param {{point?: Point}} request before an input
   * @returns {ReturnType<typeof crossOriginFrames.frameWithInput>}
   */
  function frameWithInput({ point }) {
    return crossOriginFrames.frameWithInput(point);
  }

  /**
   * @param {{id: string}} request after an action of that id
   * @returns {FrameTraits | null} of the element, if it is a cross-origin frame
   */
  function frameFound({ id }) {
    const { element } = stateOf(id);
    return element && isHolder(element) ? traitsOf(element) : null;
  }

  /** @returns {(FrameTraits & {isVisible: boolean})[]} all cross-origin frames; `holder` returns their elements */
  function findHolders() {
    lastHolders = holders();
    return lastHolders.map((element) => ({ ...traitsOf(element), isVisible: isVisible(element) }));
  }

  /**
   * @param {number} index among those found last
   * @returns {Element | null} for the debugger
   */
  function holder(index) {
    return lastHolders[index] ?? null;
  }

  /** @param {string} id */
  function begin(id) {
    const controller = new AbortController();
    running.clear();
    running.set(id, controller);
    return controller;
  }

  /** @param {{id: string}} request to end without acting; its answer is no longer needed */
  function cancel({ id }) {
    running.get(id)?.abort();
  }

  /**
   * @param {FinishRequest & {id: string}} request after a fill of that id
   * @returns {Promise<FilledField | null>} null if this is another page
   */
  async function finishFill({ id, ...how }) {
    const { prepared, signal, changes: watch, isEntered = false } = stateOf(id);
    if (!prepared || !signal || !watch) return null;
    const filled = await filling.finishFill(prepared, signal, how, isEntered, watch);
    if (filled.next || isEntered) return filled;
    // It may turn out only now that it opens a list.
    const { field } = prepared;
    const opened = isInPage(field) && widgetKind(field, how.text) === "list" ? rememberWidget(field) : null;
    if (opened) selectContent(field);
    return { ...filled, ...opened, changed: watch.summarize() };
  }

  /**
   * @param {{id: string}} request after a fill of that id
   * @returns {Promise<boolean | null>} whether suggestions open in the time that they usually take; null if this is another
   *   page
   */
  async function awaitList({ id }) {
    const { changes } = stateOf(id);
    if (!changes) return null;
    return comesTrue(() => changes.hasOpenedList(), SUGGESTING_MS);
  }

  /**
   * @param {{id: string, text: string}} request again, after a fill of that id
   * @returns {FilledField | null} null if this is another page
   */
  function readField({ id, text }) {
    const { prepared } = stateOf(id);
    return prepared ? filling.readField(prepared, text) : null;
  }

  /**
   * @param {{id: string, text: string, chosen: string}} request after a fill of that id
   * @returns {ReturnType<typeof filling.notationsFor> | null} null if this is another page
   */
  function readNotations({ id, text, chosen }) {
    const { prepared } = stateOf(id);
    return prepared ? filling.notationsFor(prepared, text, chosen) : null;
  }

  /**
   * @param {WidgetRequest & {id: string}} request while a field without text input is being operated
   * @returns {Promise<unknown>} null if this is another page, or if the page has replaced the field
   */
  async function operate({ id, ...request }) {
    const { widget } = stateOf(id);
    return widget ? widgetLooks.operate(widget, latest, request) : null;
  }

  /**
   * @param {{id: string}} request after a select of that id
   * @returns {FoundElement["selected"] | null} the current choice; null if this is another page
   */
  function readSelected({ id }) {
    const { element } = stateOf(id);
    return element && tagOf(element) === "select" ? chosenIn(/** @type {HTMLSelectElement} */ (element)) : null;
  }

  /**
   * @param {{id: string, ofForm?: boolean}} request after an action of that id; `ofForm`: of all its parts
   * @returns {Promise<string>} what has changed since it began; empty if nothing has, or if this is another page
   */
  async function readChanges({ id, ofForm = false }) {
    const { changes, form } = stateOf(id);
    const watch = ofForm ? form : changes;
    await watch?.rest();
    return watch?.summarize() ?? "";
  }

  /** @returns {Promise<string>} what a page says to users that have just come to it, perhaps with a toast */
  async function readAnnouncements() {
    const announced = announcementsOf(allRoots());
    if (announced) return announced;
    await nextDrawing();
    return announcementsOf(allRoots());
  }

  /**
   * @param {{id: string}} request after a scroll of that id
   * @returns {Promise<Scrolled> | null} null if this is another page
   */
  function finishScroll({ id }) {
    const { scroll } = stateOf(id);
    return scroll ? scrolling.finishScroll(scroll) : null;
  }

  /**
   * @param {{id: string, point: Point, isHeld?: boolean}} request during a press after a click of that id
   * @returns {Promise<PressOutcome> | null} by `endPress` at the latest; null if this is another page
   */
  function watchPress({ id, point, isHeld = false }) {
    return stateOf(id).press?.outcome(point, isHeld) ?? null;
  }

  /**
   * @param {{id: string}} request once the browser has handled the press of that id
   * @returns {true} because no answer at all would mean that the page may have left
   */
  function endPress({ id }) {
    stateOf(id).press?.end();
    return true;
  }

  /**
   * @param {{id: string}} request while the mouse moves for an action of that id
   * @returns {Promise<boolean | null>} whether the element's document notices it in time; null if this is another page
   */
  async function awaitMouse({ id }) {
    const { element } = stateOf(id);
    if (!element) return null;
    // In quirks mode ":hover" alone matches only links; the root is not hovered under a layer that has all input.
    const isThere = () => queryAll(/** @type {Document} */ (documentOf(element)), ":root:hover, :hover").length > 0;
    return comesTrue(isThere, MOUSE_WAIT_MS);
  }

  /**
   * @param {{id: string}} request after the first moves of a drag of that id
   * @returns {boolean | null} whether the browser is now dragging something; null if this is another page
   */
  function readDrag({ id }) {
    const { press, drag } = stateOf(id);
    press?.stop();
    return drag?.isDragging ?? null;
  }

  /**
   * @param {{id: string}} request after a drag of that id
   * @returns {DragWay | null} null if this is another page, or if the page draws what it drags
   */
  function readMoved({ id }) {
    const { drag, element, changes } = stateOf(id);
    if (!drag || !element || !changes || tagOf(element) === "canvas" || hasIn(element, "canvas")) return null;
    return { isIdle: !drag.hasMoved && !changes.hasMoved(), way: drag.way(changes.appeared()) };
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
   * @param {{id: string}} request after the release of a drag of that id
   * @returns {Promise<DragOutcome> | null} null if this is another page
   */
  function readDrop({ id }) {
    const { drag } = stateOf(id);
    return drag?.outcome() ?? null;
  }

  /**
   * @param {{id: string}} request after a press of that id
   * @returns {Promise<boolean | null>} whether the pressed element is now checked; null if this is another page
   */
  async function readChecked({ id }) {
    const { checkable, wasChecked } = stateOf(id);
    if (!checkable) return null;
    const hasToggled = () => isChecked(checkable) !== wasChecked || !isInPage(checkable);
    if (!(wasChecked && isRadio(checkable))) await comesTrue(hasToggled, TOGGLING_MS);
    return isChecked(checkable);
  }

  /** @param {Element} element */
  function isRadio(element) {
    return kindOf(element) === "radio" || ["radio", "menuitemradio"].includes(widgets.roleOf(element));
  }

  /**
   * @param {{id: string}} request after the keys of that id
   * @returns {PressedState | null} null if this is another page
   */
  function readPressed({ id }) {
    const { pressed } = stateOf(id);
    if (!pressed) return null;
    const focused = focusedElement();
    const hasMoved = focused !== pressed && tagOf(focused) !== "body";
    return {
      ...(isCheckable(pressed) && { checked: isChecked(pressed) }),
      ...(isField(pressed) && { value: shownBy(/** @type {HTMLInputElement} */ (pressed)) }),
      ...(tagOf(pressed) === "select" && { selected: chosenIn(/** @type {HTMLSelectElement} */ (pressed)) }),
      ...(hasMoved && { focused: describe(focused, allRoots()) }),
    };
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
      text: shorten(isWhole(shown) ? document.title : textOf(shown)),
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
   * @param {Element} element
   * @param {Root[]} roots of the whole page
   * @param {ElementRequest} request
   * @returns {Partial<FoundElement>}
   */
  function actOn(element, roots, request) {
    switch (request.action) {
      case "fill": {
        const kind = widgetKind(element, request.value);
        if (kind) {
          if (kind !== "list") refuseSetting(element, request.value);
          return rememberWidget(element);
        }
        const { plan, prepared } = filling.prepareField(element, request.value);
        latest.prepared = prepared;
        latest.widget = prepared.field;
        latest.isEntered = plan.isEntered;
        return { filling: plan };
      }
      case "select":
        if (tagOf(element) !== "select") return rememberWidget(element);
        return { selected: chooseOptions(/** @type {HTMLSelectElement} */ (element), request.values) };
      case "show":
        if (isWhole(element) && documentOf(element) === document) return { box: pageBox() };
        bringIntoView(handleOf(element), "nearest");
        return { box: inDocument(outlineOf(handleOf(element))) };
      case "click":
        latest.press = new PressWatch(element, roots, request.count);
        return rememberState(checkableOf(element));
      case "drag":
        latest.press = new PressWatch(element, roots, 1);
        latest.drag = new DragWatch(element, roots);
        dropSelection(element);
        latest.pressed = controlOf(element) ?? element;
        return { corner: placeOfSpot(handleOf(element), { x: 0, y: 0 }) };
      case "upload":
        if (kindOf(element) === "file") return prepareUpload(/** @type {HTMLInputElement} */ (element), request.count);
        latest.press = new PressWatch(element, roots, 1);
        return { isFileField: false };
      case "focus":
        latest.pressed = element;
        if (focusedElement() !== element) {
          takeFocus(/** @type {HTMLElement} */ (element), "Press the keys in the element that gets it.");
          if (isField(element)) caretToEnd(/** @type {HTMLInputElement} */ (element));
        }
        return rememberState(element);
      case "scroll": {
        const { scroll, wheel } = beginScroll(element, request.to);
        latest.scroll = scroll;
        return { wheel };
      }
      case "check":
        return { form: wayOf(element, request.value) };
      case "place":
        latest.placed = element;
        latest.drag ??= new DragWatch(element, roots);
        return {};
      case "hover":
        return {};
    }
  }

  /**
   * Ends a selection that contains an element, such as one that an earlier drag has left: the browser would drag the
   * selected text instead.
   *
   * @param {Element} element
   */
  function dropSelection(element) {
    const selection = windowOf(/** @type {Document} */ (documentOf(element)))?.getSelection();
    if (!isField(element) && selection?.containsNode(element, true)) selection.removeAllRanges();
  }

  /** @returns {Box} the whole page */
  function pageBox() {
    const { scrollWidth, scrollHeight } = document.documentElement;
    return { x: 0, y: 0, width: scrollWidth, height: scrollHeight };
  }

  /**
   * @param {Element} element
   * @returns {{widget: WidgetKind}}
   */
  function rememberWidget(element) {
    latest.widget = /** @type {HTMLElement} */ (element);
    latest.cell = closestOf(element, BODY_CELLS) ?? undefined;
    listOptions.begin(element, latest.changes);
    // A search field has a list only for a choice.
    return { widget: widgetKind(element) || "list" };
  }

  /**
   * @param {HTMLInputElement} field
   * @param {number} count number of files
   */
  function prepareUpload(field, count) {
    if (count > 1 && !field.multiple) throw misfit(field, `accepts only one file, not ${count}. Pass one file.`);
    latest.upload = field;
    return { isFileField: true };
  }

  /** @returns {Element | null} the element of the latest action, for the debugger */
  function target() {
    return latest.element ?? null;
  }

  /** @returns {Element | null} for the debugger, which sets its files */
  function uploadField() {
    return latest.upload ?? null;
  }

  /** @param {HTMLInputElement} field of the file chooser that the page opened; from the debugger */
  function setUploadField(field) {
    latest.upload = field;
  }

  /**
   * @param {{id: string, names: string[]}} request after an upload of that id, with the names of its files
   * @returns {HeldFiles | null} null if this is another page
   */
  function readFiles({ id, names }) {
    const { upload } = stateOf(id);
    if (!upload) return null;
    const held = [...(upload.files ?? [])].map(({ name }) => name);
    const isKept = held.length === names.length && held.every((name, index) => name === names[index]);
    const shown = held.length ? [] : allRoots().flatMap((root) => [...root.children].map(visibleTextOf));
    const isShown = names.some((name) => shown.some((text) => text.includes(name)));
    return { names: held.map((name) => shorten(name)), isKept, isShown };
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

  /** @param {Element} element */
  function rememberState(element) {
    if (!isCheckable(element)) return {};
    latest.checkable = element;
    latest.wasChecked = isChecked(element);
    return { isCheckable: true };
  }

  /**
   * @param {unknown} error thrown by one of these commands
   * @returns {{code: ErrorCode, message: string} | {uncaught: string}} the answer instead; `uncaught`: the kind of an error
   *   in this code
   */
  function failure(error) {
    // Recursion ends where a page is nested too deeply.
    const known = error instanceof RangeError ? tooDeep() : error;
    if (known instanceof PageError) return { code: known.code, message: known.message };
    return { uncaught: known instanceof Error ? known.name : typeof known };
  }

  function tooDeep() {
    return new PageError(
      "EXECUTION_ERROR",
      "The page is nested too deeply to be searched. Use a simpler selector, or one with the element's id.",
    );
  }

  const looks = {
    awaitList,
    awaitMouse,
    finishFill,
    finishScroll,
    frameFound,
    nextDrawing,
    readChanges,
    readChecked,
    readDrag,
    readDrop,
    readField,
    readFiles,
    readPressed,
    operate,
    readSelected,
    readMoved,
    readNotations,
    readTransitions,
  };
  const commands = {
    act,
    cancel,
    endPress,
    failure,
    findHolders,
    frameWithInput,
    holder,
    place,
    readAnnouncements,
    readableFrames,
    setUploadField,
    target,
    uploadField,
    waitFor: waitForElements,
    watchPress,
    ...looks,
  };
  globalThis.chromeTabReader = commands;
  return commands;
})();
