"use strict";

// The requests that browser/element-target.js sends to a page.

const elementCommands = (() => {
  const { controlOf, documentOf, isControl, isInPage, kindOf, tagOf, windowOf } = dom;
  const { PageError, misfit } = texts;
  const { bringIntoView, handleOf, hitAt, inDocument, isPartOf, isVisible, outlineOf, pinched, placeInMainFrame } =
    geometry;
  const { placeOfSpot } = geometry;
  const { comeBy } = selectorGenerator;
  const { Wait } = actionability;
  const { describeFrame, frameWithInput, holders, placeOutside, readableFrames, traitsOf } = crossOriginFrames;
  const { caretToEnd, isCheckable, isChecked, refuseSetting, selectionIsKnown, wayOf } = formControls;
  const { chooseOptions, chosenIn } = nativeLists;
  const { readList } = listFields;
  const { readNumber, segmentsIn } = numberFields;
  const { widgetKind } = widgets;
  const { focusedElement, takeFocus } = focusing;
  const { checkableOf, isField } = targets;
  const { PressWatch } = hitTarget;
  const { DragWatch } = dragWatch;
  const { announcementsOf } = announcements;
  const { ChangeWatch } = changeWatch;
  const { allRoots, crossOriginFramesIn } = search;
  const { beginScroll, pageScroller } = scrolling;
  const { untilAllHold } = waitFor;
  const { describe, follow, isWhole, rememberWidget } = actionLooks;

  /** Actions whose reply reports changes. */
  const REPORTING = new Set(["click", "drag", "fill", "focus", "hover", "select", "upload"]);
  /** Actions that may select content of the element. */
  const SELECTING = new Set(["fill", "focus"]);
  /** Actions that move the mouse to the element. */
  const MOVING = new Set(["click", "drag", "hover", "upload"]);

  /** The note after a wait for a text to disappear. */
  const UNSEARCHED = "Frames of other sites were not searched. Check them if the text may be in one.";

  /** The latest request that may be canceled. */
  let running = { id: "", controller: new AbortController() };
  /** @type {ActionState} */
  let latest = { id: "" };
  /** @type {Element | null} the element of the latest action that may have opened what lies over the page now */
  let lastActed = null;
  /** @type {Element | null} the element that the mouse was last moved to */
  let lastTarget = null;
  /** @type {Element[]} the cross-origin frames that the worker last asked for */
  let lastHolders = [];

  /**
   * @param {string} id
   * @returns {Looked}
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
    const signal = begin(request.id);
    comeBy(request.way ?? "");
    const before = stateOf(request.id);
    const { changes: begun, drag, form } = before;
    const known = request.action === "place" ? before.placed : undefined;
    const ready = request.selector ? await new Wait(request, signal, known).ready() : withoutSelector(request);
    const { element, found, first, roots, rest, notes, behind, ...more } = ready;
    latest.press?.stop();
    if (latest.drag !== drag || request.action === "drag") latest.drag?.stop();
    // The steps of one action are reported together.
    const isReporting = REPORTING.has(request.action) && !(request.isStep && begun);
    if (isReporting || !begun) latest.changes?.stop();
    // A step may be a click for a field that is being filled.
    latest = { ...before, id: request.id, signal, element, press: undefined };
    if (rest) return { code: "", rest, frames: enterFrames(found, roots) };
    // The action may remove the element.
    const description = describe(element, roots);
    const isOwn = request.selector && !request.isStep && !isWhole(element);
    latest.trace = isOwn ? replacements.trace(element, request, { found, first }) : before.trace;
    if (isReporting && request.isPart) latest.form = form?.goOn(element) ?? new ChangeWatch(element, roots, "click");
    if (isReporting) latest.changes = new ChangeWatch(element, roots, request.action);
    const outline = isReporting && window.parent === window ? { outline: outlineOf(handleOf(element)) } : {};
    const isForeign = Boolean(behind) && !filling.belongsTo(element, lastActed);
    const allNotes = isForeign ? [...notes, behind] : notes;
    const done = actOnOrFollow(element, roots, request, isForeign);
    if (isReporting && !isForeign) lastActed = element;
    if (SELECTING.has(request.action) && !isControl(element)) await selectionIsKnown();
    const stale = request.mouse && !hasKeptPlace(request.mouse) ? { isMouseStale: true } : {};
    if (MOVING.has(request.action)) lastTarget = element;
    return {
      code: "",
      element: description,
      matches: found.length,
      ...more,
      ...(allNotes.length && { notes: allNotes }),
      ...outline,
      ...pinched(),
      ...done,
      ...stale,
    };
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
    // For every action: this refuses an empty page.
    const focused = focusedElement();
    const element = action === "scroll" ? pageScroller() : focused;
    return { element, found: [element], first: element, roots: allRoots(), rest: "", notes: [], behind: "" };
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
    const signal = begin(request.id);
    comeBy(request.way ?? "");
    const met = await untilAllHold(request, signal);
    const [element] = met?.shown ?? [];
    const notes = request.gone && crossOriginFramesIn(allRoots()).length ? { notes: [UNSEARCHED] } : {};
    if (!met || !element) return { code: "", ...notes };
    const { rest, roots } = met.search;
    if (rest) return { code: "", rest, frames: met.shown.map((frame) => describeFrame(frame, roots)) };
    return { code: "", element: describe(element, met.search.roots), matches: met.shown.length, ...notes };
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

  /**
   * @param {string} id
   * @returns {AbortSignal}
   */
  function begin(id) {
    running = { id, controller: new AbortController() };
    return running.controller.signal;
  }

  /** @param {{id: string}} request to end without acting; its answer is no longer needed */
  function cancel({ id }) {
    if (running.id === id) running.controller.abort();
  }

  /**
   * @param {{address: string}} request of the page before
   * @returns {Promise<string>} what a page says to users that have just come to it, perhaps with a toast
   */
  async function readAnnouncements({ address }) {
    const announced = announcementsOf(allRoots(), address);
    if (announced) return announced;
    await actionLooks.looks.nextDrawing();
    return announcementsOf(allRoots(), address);
  }

  /**
   * Acts on the latest element, or on the one that the page puts in its place when it gets the focus.
   *
   * @type {typeof actOn}
   */
  function actOnOrFollow(element, roots, request, isForeign) {
    try {
      return actOn(element, roots, request, isForeign);
    } catch (error) {
      if (isInPage(element) || !follow(latest) || !latest.element) throw error;
      return actOn(latest.element, roots, request, isForeign);
    }
  }

  /**
   * @param {Element} element
   * @param {Root[]} roots of the whole page
   * @param {ElementRequest} request
   * @param {boolean} isForeign whether what lies over the element is for something else
   * @returns {Partial<FoundElement>}
   */
  function actOn(element, roots, request, isForeign) {
    switch (request.action) {
      case "fill":
        return beginFill(element, request.value, isForeign);
      case "select":
        if (tagOf(element) !== "select") return rememberWidget(latest, element);
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
        focusForKeys(element);
        return rememberState(element);
      case "scroll": {
        const { scroll, wheel } = beginScroll(element, request.to, request.isInFront);
        latest.scroll = scroll;
        return { wheel };
      }
      case "check":
        return {
          form: {
            ...wayOf(element, request.value),
            shown: shownIn(element, request.value),
            mayHavePicker: filling.mayHavePicker(element),
          },
        };
      case "place":
        latest.placed = element;
        latest.drag ??= new DragWatch(element, roots);
        return {};
      case "hover":
        return {};
    }
  }

  /**
   * @param {Element} element
   * @param {string} value
   * @param {boolean} isForeign whether what lies over the element is for something else
   * @returns {Partial<FoundElement>} how the worker is to write the value
   */
  function beginFill(element, value, isForeign) {
    const kind = widgetKind(element, value);
    if (kind) {
      if (kind !== "list") refuseSetting(element, value);
      return rememberWidget(latest, element);
    }
    const { plan, prepared } = filling.prepareField(element, value, isForeign);
    latest.prepared = prepared;
    latest.widget = prepared.field;
    return { filling: plan };
  }

  /** @param {Element} element that is to get the keys */
  function focusForKeys(element) {
    if (focusedElement() === element) return;
    takeFocus(/** @type {HTMLElement} */ (element), "Press the keys in the element that gets it.");
    if (isField(element)) caretToEnd(/** @type {HTMLInputElement} */ (element));
  }

  /**
   * @param {Element} element
   * @param {FormField["value"]} value
   * @returns {string[] | undefined} the values of a field without text of its own
   */
  function shownIn(element, value) {
    if (tagOf(element) === "select") {
      return chosenIn(/** @type {HTMLSelectElement} */ (element)).map(({ label }) => label);
    }
    const kind = isCheckable(element) ? "" : widgetKind(element, value);
    if (kind === "list") return readList(element, { wanted: "", isLoose: false, values: [] }).shown;
    const parts = kind === "segments" ? segmentsIn(element) : [element];
    return kind ? parts.map(readNumber).map(({ now, text }) => String(now ?? text)) : undefined;
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
   * @param {HTMLInputElement} field
   * @param {number} count number of files
   */
  function prepareUpload(field, count) {
    if (field.webkitdirectory) throw misfit(field, "accepts only a folder. Ask the user to choose it.");
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

  const looks = Object.entries(actionLooks.looks).map(([name, look]) => [
    name,
    (/** @type {{id: string}} */ { id, ...request }) => {
      const state = stateOf(id);
      follow(state);
      return /** @type {(state: Looked, request: object) => unknown} */ (look)(state, request);
    },
  ]);
  const commands = {
    act,
    cancel,
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
    .../** @type {Record<keyof typeof actionLooks.looks, (request: any) => unknown>} */ (Object.fromEntries(looks)),
  };
  globalThis.chromeTabReader = commands;
  return commands;
})();
