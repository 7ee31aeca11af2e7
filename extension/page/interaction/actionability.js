"use strict";

// Waits until an element exists and can be acted on.

const actionability = (() => {
  const {
    attributeOf,
    boxOf,
    closestDrawnOf,
    drawnAncestors,
    frameWithin,
    hasNodes,
    isDisabled,
    isDrawnIn,
    isInPage,
    isMatch,
    isReadOnly,
    kindOf,
    pause,
    queryAll,
    queryIn,
    roleOf,
    textContentOf,
    timelineOf,
  } = dom;
  const { PageError, nameOf, visibleTextOf } = texts;
  const {
    aimAt,
    aimInto,
    bringIntoView,
    fillsView,
    firstBoxOf,
    handleOf,
    hitAt,
    isDrawn,
    isVisible,
    isVisuallyHidden,
    placeInMainFrame,
    placeOfSpot,
  } = geometry;
  const { PARTLY_SEARCHED, allRoots } = search;
  const { selectorOf } = selectorGenerator;
  const { notFound, searchFor } = suggestions;
  const { isActedOn, targetOf } = targets;
  const { matching } = nativeLists;
  const { widgetKind } = widgets;
  const { showSpot } = scrolling;
  const { dayIn, timeOfDay } = sameValues;
  const { DIALOGS } = pageState;
  const { isDrawnFor, nativeBehind, shownNextTo } = standIns;
  const { editorAround } = drawnEditors;

  const WRITING = new Set(["check", "fill", "select"]);
  /** Actions without the mouse, which a layer over the page does not stop. */
  const MOUSELESS = new Set([...WRITING, "focus"]);
  const POLL_MS = 50;
  /**
   * A tab that is not visible draws one frame per second: in a background tab that is not awaited, in a covered window
   * it is.
   */
  const FRAME_WAIT_MS = { front: 1_500, behind: 50 };
  const UNSEEN = "is still not visible.";
  /** How long an element may be missing: a page may replace it when the mouse arrives. */
  const GONE_MS = 500;
  const GONE = " disappears when the mouse moves over it. Check what replaced it, and act on that.";
  const READ_ONLY =
    "is still read-only. Click it: if a picker opens, choose there. Otherwise, only the page can change it.";
  const MODALS = "dialog:modal, [aria-modal='true']";
  /** Maximum number of buttons that an error names of a dialog which none of them closes. */
  const NAMED_BUTTONS = 3;
  /** Labels of buttons that close something, in the languages of the extension. */
  const CLOSING =
    /^(?:[x\u00d7\u2715\u2716]|.{0,20}(?:close|dismiss|got it|no thanks|skip|cancel|reject|decline|schlie\u00dfen|abbrechen|cerrar|fermer|annuler|\u9589\u3058\u308b|\u5173\u95ed).{0,20}|ok(?:ay)?)$/iu;
  /** Fixed headers and footers cover elements at the edges. */
  const ALIGNMENTS = /** @type {const} */ (["center", "end", "start", "center"]);

  /**
   * @typedef {object} Ready
   * @property {Element} element the first visible one
   * @property {Element[]} found
   * @property {Element} first of these, which the element is, or belongs to
   * @property {Root[]} roots
   * @property {string} rest the rest of the selector, if cross-origin frames were found that lead on
   * @property {string[]} notes
   * @property {string} behind a sentence about a dialog, or its backdrop, that lies over it
   * @property {Point} [point]
   * @property {boolean} [isLater] whether what it is not ready for may depend on a field that is written before it
   */

  /** The wait of one request. */
  class Wait {
    /** @readonly */
    #request;
    /** @readonly */
    #signal;
    /** @readonly */
    #known;
    /** @readonly */
    #search;
    /** @type {ScrollLogicalPosition[]} those not tried yet */
    #alignments;
    /** @readonly */
    #begun = performance.now();

    /**
     * @param {ElementRequest} request
     * @param {AbortSignal} signal
     * @param {Element} [known] the element that the selector found before: dragging may put another one in its place
     * @throws {PageError} INVALID_SELECTOR
     */
    constructor(request, signal, known) {
      this.#request = request;
      this.#signal = signal;
      this.#known = known;
      this.#search = searchFor(request.selector);
      this.#alignments = ALIGNMENTS.slice(Math.max(0, (request.tries ?? 0) - 1));
    }

    /**
     * Returns the element to act on, ready for the action. Pages replace elements while they load, so each round
     * searches again.
     *
     * @returns {Promise<Ready>}
     * @throws {PageError} ELEMENT_NOT_FOUND, EXECUTION_ERROR, and the reason of the signal
     */
    async ready() {
      const { action, limits } = this.#request;
      const begun = performance.now();
      for (;;) {
        const found = await this.#found();
        const { roots, isWhole, rest } = this.#search;
        const first = this.#chosen(found);
        const element = rest ? first : targetOf(first, action, this.#value);
        const { trouble, ...aimed } = await this.#attempt(element);
        const mayBeBehind = !rest && !trouble && MOUSELESS.has(action) && action !== "check";
        const behind = mayBeBehind ? behindNote(element) : "";
        const notes = [!isWhole && PARTLY_SEARCHED, passedNote(first, element)].filter(
          (note) => typeof note === "string",
        );
        const match = { element, found, first, roots, rest, notes, behind };
        if (!trouble || aimed.isLater) return { ...match, ...aimed };
        const isGone = trouble === UNSEEN && this.#request.tries;
        if (isGone && performance.now() > begun + GONE_MS) {
          throw new PageError("EXECUTION_ERROR", nameOf(element) + GONE);
        }
        // What makes a field editable is the focus, or the end of a page's start.
        const limit = trouble === READ_ONLY ? limits.find : limits.ready;
        if (performance.now() > begun + limit) {
          const advice = trouble === UNSEEN ? shownInstead(element) : "";
          throw new PageError("EXECUTION_ERROR", `After ${limit / 1000} s, ${nameOf(element)} ${trouble}${advice}`);
        }
        await this.#pause();
      }
    }

    /**
     * @param {Element[]} found
     * @returns {Element} the first visible one; if only a text is named, preferably one in a modal dialog, that can be
     *   acted on, and that nothing covers
     */
    #chosen(found) {
      let shown = found.filter(isVisible);
      if (this.#search.isByText) {
        for (const isPreferred of [isInModal, isActedOn]) {
          const preferred = shown.length > 1 ? shown.filter(isPreferred) : [];
          if (preferred.length) shown = preferred;
        }
        const isFree = (/** @type {Element} */ one) => !isCovered(one) && !isOutOfReach(one);
        if (shown.length > 1) return /** @type {Element} */ (shown.find(isFree) ?? shown[0]);
      }
      return /** @type {Element} */ (shown[0] ?? found[0]);
    }

    async #found() {
      const { selector, limits } = this.#request;
      const deadline = performance.now() + limits.find;
      for (;;) {
        const found = this.#search.find();
        if (this.#known && isInPage(this.#known)) return [this.#known];
        // Before accepting a partial text match, wait for an exact one.
        if (found.length && (!this.#search.isPartial || performance.now() > this.#begun + limits.find)) return found;
        if (!found.length && performance.now() > deadline) throw notFound(selector, this.#search);
        await this.#pause();
      }
    }

    /**
     * @param {Element} element
     * @returns {Promise<{trouble: string, point?: Point, isLater?: boolean}>} the trouble completes a sentence that starts with the
     *   element
     */
    async #attempt(element) {
      const { action } = this.#request;
      const handle = handleOf(element);
      // File fields are often hidden behind a button that opens them.
      const isHidden = action === "upload" && kindOf(element) === "file";
      // The body may have no height if all its content is positioned.
      const isPage = action === "show" && ["html", "body"].includes(kindOf(element));
      const after = "after" in this.#request ? this.#request.after : "";
      if (!isHidden && !isPage && !isVisible(handle)) {
        return { trouble: UNSEEN, isLater: Boolean(after) && !isReplaced(element) };
      }
      if (action === "scroll") return { trouble: "" };
      // The tooltip that appears under the mouse says why.
      const isOff = !["hover", "place", "show"].includes(action) && isDisabled(element);
      if (isOff) {
        return { trouble: "is still disabled. First do what enables it, then try again.", isLater: Boolean(after) };
      }
      const isBarred = action !== "show" && (isInert(element) || (MOUSELESS.has(action) && isBehindModal(element)));
      if (isBarred) return { trouble: inertness(element) };
      if (this.#search.rest) return { trouble: "" };
      // The options of a list are known once it is open.
      const value = this.#value;
      const isWidget = () => widgetKind(element, value) || (action === "select" && kindOf(element) !== "select");
      if (WRITING.has(action) && isWidget()) return { trouble: "" };
      if (action === "fill") return { trouble: refusesText(element, value) ? READ_ONLY : "" };
      if (action === "check") {
        const trouble = entryTrouble(element, value ?? "");
        const isLater = trouble !== "" && after === "choice" && kindOf(element) === "select";
        return { trouble, isLater };
      }
      if (this.#request.action === "select") {
        return { trouble: matching(/** @type {HTMLSelectElement} */ (element), this.#request.values).trouble };
      }
      if (isHidden) return { trouble: "" };
      return action === "show" || action === "focus" ? { trouble: "" } : this.#aim(element, handle);
    }

    /**
     * @param {Element} element
     * @param {Element} handle
     */
    async #aim(element, handle) {
      const at = "at" in this.#request ? this.#request.at : undefined;
      const spot = at && { x: at[0], y: at[1] };
      const aim = () => (spot ? aimInto(handle, element, spot) : aimAt(handle, element));
      const mayStay = aim().point && (await this.#isInSight(handle));
      const block = mayStay ? undefined : this.#alignments.shift();
      if (block) bringIntoView(handle, block);
      if (block && spot) showSpot(handle, spot);
      if (!(mayStay && this.#isCheckedLater(handle)) && (await moves(handle, this.#how))) {
        return { trouble: "is still moving. Wait until the page is stable, then try again." };
      }
      const { width, height } = firstBoxOf(handle);
      if (spot && (spot.x >= width || spot.y >= height)) {
        return {
          trouble: `is ${Math.round(width)} pixels wide and ${Math.round(height)} high, so at lies outside it. Pass a point in it.`,
        };
      }
      const { point, cover } = aim();
      // The target may be covered there by something else, such as a slider's thumb on its track.
      if (!point && cover && this.#request.action === "place") {
        return { trouble: "", point: placeOfSpot(handle, spot ?? { x: width / 2, y: height / 2 }) };
      }
      return point ? { trouble: "", point } : { trouble: coverage(handle, cover) };
    }

    /**
     * @param {Element} handle
     * @returns {boolean} whether the press itself detects that the element has moved: one that misses is kept from the
     *   page, and the next try waits until the element rests
     */
    #isCheckedLater(handle) {
      const { action, tries, way } = this.#request;
      return action === "click" && !this.#request.at && !tries && !way && !isAnimated(handle);
    }

    get #value() {
      return /** @type {{value?: FormField["value"]}} */ (this.#request).value;
    }

    get #how() {
      return { signal: this.#signal, isInFront: this.#request.isInFront };
    }

    /**
     * @param {Element} handle visible in its own frame
     * @returns {Promise<boolean>} whether it is also visible in the pages around a cross-origin frame
     */
    async #isInSight(handle) {
      const { way, tries } = this.#request;
      if (!way) return true;
      if (tries) return false;
      const how = this.#how;
      const seen = new Promise((resolve) => {
        new IntersectionObserver(([entry], observer) => {
          observer.disconnect();
          resolve(entry?.isIntersecting);
        }).observe(handle);
      });
      // A frame that is not drawn gets no entries. Then the pages around it decide.
      return (await Promise.race([seen, nextFrame(how).then(() => nextFrame(how))])) !== false;
    }

    async #pause() {
      await pause(POLL_MS);
      this.#signal.throwIfAborted();
    }
  }

  /**
   * @param {Element} found
   * @param {Element} element the one acted on
   */
  function passedNote(found, element) {
    const isPassed = getComputedStyle(found).pointerEvents === "none" && !isDrawnIn(element, found);
    return isPassed && kindOf(found) !== "file" && `${nameOf(found)} lets the mouse through to ${nameOf(element)}.`;
  }

  /**
   * @param {Element} element
   * @param {{signal: AbortSignal, isInFront: boolean}} how
   */
  async function moves(element, how) {
    const mayMove = isAnimated(element);
    // Between two frames the browser has already moved animated elements to their next position.
    if (mayMove) await nextFrame(how);
    const before = placeInMainFrame(element);
    const time = timelineOf(document).currentTime;
    const deadline = performance.now() + FRAME_WAIT_MS.front;
    // Under load frames arrive late, with timestamps before the last one shown: nothing moves until they catch up.
    do await nextFrame(how);
    while (mayMove && timelineOf(document).currentTime === time && performance.now() < deadline);
    return !isSamePlace(before, placeInMainFrame(element));
  }

  /**
   * @param {Box} a
   * @param {Box} b
   */
  function isSamePlace(a, b) {
    return a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;
  }

  /** @param {{signal: AbortSignal, isInFront: boolean}} how */
  async function nextFrame({ signal, isInFront }) {
    await frameWithin(isInFront ? FRAME_WAIT_MS.front : FRAME_WAIT_MS.behind);
    signal.throwIfAborted();
  }

  /** @param {Element} element */
  function isAnimated(element) {
    const animations = [...drawnAncestors(element)].flatMap((ancestor) =>
      Reflect.apply(Element.prototype.getAnimations, ancestor, []),
    );
    return animations.some(({ playState }) => playState === "running");
  }

  /**
   * @param {Element} element
   * @param {unknown} value
   * @returns {boolean} whether it is read-only, also after focusing it: some fields are so until then, to prevent autofill.
   *   A day or a time can be picked in a calendar
   */
  function refusesText(element, value) {
    if (isReadOnly(element)) /** @type {HTMLInputElement} */ (element).focus();
    return isReadOnly(element) && !mayBePicked(value);
  }

  /** @param {unknown} value */
  function mayBePicked(value) {
    return typeof value === "string" && (dayIn(value) || timeOfDay(value)) !== "";
  }

  /**
   * @param {Element} element
   * @param {FormField["value"]} value
   */
  function entryTrouble(element, value) {
    // The focus may open a calendar.
    if (kindOf(element) !== "select") return !mayBePicked(value) && refusesText(element, value) ? READ_ONLY : "";
    return typeof value === "boolean"
      ? ""
      : matching(/** @type {HTMLSelectElement} */ (element), [value].flat()).trouble;
  }

  /** @param {Element} element */
  function isInModal(element) {
    return closestDrawnOf(element, MODALS) !== null;
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether something else lies over it, as far as it is in sight
   */
  function isCovered(element) {
    const { point, cover } = aimAt(handleOf(element), element);
    return !point && cover !== null && !isDrawnIn(cover, element);
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it lies above or to the left of all that can be scrolled into view, as menus do until the
   *   mouse comes
   */
  function isOutOfReach(element) {
    let { right, bottom } = boxOf(handleOf(element));
    for (const { scrollLeft, scrollTop } of drawnAncestors(element)) {
      right += scrollLeft;
      bottom += scrollTop;
    }
    return right <= 0 || bottom <= 0;
  }

  /**
   * @param {Element} handle
   * @param {Element | null} cover
   */
  function coverage(handle, cover) {
    if (getComputedStyle(handle).pointerEvents === "none") {
      const layer = layerWithInput(handle);
      if (layer) {
        return `takes no input while something is open above it: ${coverDetails(layer, handle)}, then try again.`;
      }
      return "lets the mouse through (pointer-events: none). Act on its container, or on the element below it.";
    }
    if (!cover) return "cannot be scrolled into view. Open or move what it is in, then try again.";
    if (kindOf(cover) === "file") return `is covered by the file field ${selectorOf(cover, allRoots())}. Use upload.`;
    if (isDrawnIn(cover, handle)) {
      return `is cut off or covered by ${described(cover, allRoots())}, which it is in. Open or enlarge that, or act on it.`;
    }
    return `is still covered by ${coverDetails(cover, handle)}, then try again.`;
  }

  /**
   * @param {Element} element that is hidden
   * @returns {string} a sentence
   */
  function shownInstead(element) {
    const shown = shownNextTo(element);
    if (!shown) return " Open what contains it, then try again.";
    return ` Did you mean ${described(shown, allRoots())} next to it?`;
  }

  /**
   * @param {Element} element that is not visible
   * @returns {boolean} whether it is a native list that stays hidden, because another one is drawn in its place
   */
  function isReplaced(element) {
    const shown = shownNextTo(element);
    return shown !== undefined && nativeBehind(shown) === element && isDrawnFor(shown, nativeBehind(shown));
  }

  /** @param {Element} element that is inert */
  function inertness(element) {
    const dialog = dialogInFront(element);
    if (!dialog) return "is still inert. Close what is open in front of it, then try again.";
    return `is still inert behind ${coverDetails(dialog, element)}, then try again.`;
  }

  /**
   * @param {Element} element
   * @returns {Element | undefined} the last dialog that is open elsewhere
   */
  function dialogInFront(element) {
    return allRoots()
      .flatMap((root) => queryAll(root, DIALOGS))
      .findLast((one) => isVisible(one) && !isInert(one) && !isDrawnIn(one, element));
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether the browser keeps all input from it while a modal dialog is open
   */
  function isBehindModal(element) {
    return layersOver(element).some((one) => isMatch(one, "dialog:modal"));
  }

  /**
   * @param {Element} field
   * @returns {string} a sentence if a dialog or its backdrop lies over it, so that users cannot click it
   */
  function behindNote(field) {
    if (!layersOver(field).length) return "";
    bringIntoView(handleOf(field), "nearest");
    const layers = layersOver(field);
    const [cover] = layers;
    if (!cover || !layers.some((one) => fillsView(one) || isMatch(one, DIALOGS))) return "";
    return `This is behind ${coverDetails(cover, field)}.`;
  }

  /**
   * @param {Element} field
   * @returns {Element[]} what is drawn over its middle, or where the viewport is closest to it, innermost first
   */
  function layersOver(field) {
    const handle = handleOf(field);
    const isUnseen = !isDrawn(handle) || isVisuallyHidden(handle) || editorAround(field);
    if (isUnseen || getComputedStyle(handle).pointerEvents === "none") return [];
    const { x, y, width, height } = placeInMainFrame(handle);
    const cover = hitAt({ x: within(x + width / 2, innerWidth), y: within(y + height / 2, innerHeight) });
    return cover ? layersFrom(cover, field) : [];
  }

  /**
   * @param {number} place
   * @param {number} size of the viewport
   */
  function within(place, size) {
    return Math.min(Math.max(place, 0), size - 1);
  }

  /**
   * @param {Element} handle
   * @returns {Element | undefined} the layer that receives all mouse input instead, if the page has disabled it in the
   *   whole part around the element
   */
  function layerWithInput(handle) {
    const part = [...drawnAncestors(handle)].findLast((one) => !isMatch(one, "html, body"));
    const around = part === handle ? document.body : part;
    if (around && getComputedStyle(around).pointerEvents !== "none") return undefined;
    const open = layersTaking(allRoots(), `${DIALOGS}, [role='menu'], [role='listbox']`);
    return open.findLast((one) => !isDrawnIn(one, handle));
  }

  /**
   * @param {Root[]} roots of the whole page
   * @param {string} layers a selector
   * @returns {Element[]} those that receive all mouse input, if the page has disabled it everywhere else
   */
  function layersWithInput(roots, layers) {
    if (!document.body || getComputedStyle(document.body).pointerEvents !== "none") return [];
    return layersTaking(roots, layers);
  }

  /**
   * @param {Root[]} roots of the whole page
   * @param {string} layers a selector
   */
  function layersTaking(roots, layers) {
    const takes = (/** @type {Element} */ one) => getComputedStyle(one).pointerEvents !== "none" && isVisible(one);
    return roots.flatMap((root) => queryAll(root, layers)).filter(takes);
  }

  /**
   * @param {Element} cover
   * @param {Element} covered
   * @returns {string} name and selector of the cover, of the dialog that it belongs to, and of each button that closes it
   */
  function coverDetails(cover, covered) {
    const roots = allRoots();
    const layer = outermostCover(cover, covered);
    const around = layersFrom(cover, covered).find((one) => isMatch(one, DIALOGS));
    const inside = queryIn(layer, DIALOGS).find(isVisible);
    const dialog = around ?? inside ?? (hasNodes(layer) ? undefined : dialogInFront(covered));
    const owner = dialog && dialog !== layer ? ` of ${described(dialog, roots)}` : "";
    return `${described(layer, roots)}${owner}. ${wayToClose(dialog ?? layer, roots)}`;
  }

  /**
   * @param {Element} layer
   * @param {Root[]} roots of the whole page
   * @returns {string} how to get rid of it
   */
  function wayToClose(layer, roots) {
    const named = (/** @type {Element[]} */ some) => some.map((one) => selectorOf(one, roots)).join(" or ");
    const buttons = queryIn(layer, "button, [role='button'], a").filter(isVisible);
    const closing = buttons.filter(closes);
    // All of them: one may discard what the dialog was filled with, and another one keep it.
    if (closing.length) return `Close it with ${named(closing)}`;
    if (buttons.length && isMatch(layer, MODALS)) {
      return `Answer it, for example with ${named(buttons.slice(0, NAMED_BUTTONS))}, or close it with Escape`;
    }
    // Many backdrops close what they are for.
    const isBackdrop = fillsView(layer) && !textContentOf(layer)?.trim();
    if (isBackdrop) return "Close what is open above it, for example with Escape or a click on it";
    return "Close it, for example with Escape or a hover on something else, or scroll it away";
  }

  /**
   * @param {Element} element
   * @param {Root[]} roots of the whole page
   */
  function described(element, roots) {
    return `${roleName(element)}${nameOf(element)} (${selectorOf(element, roots)})`;
  }

  /** @param {Element} element */
  function roleName(element) {
    const role = roleOf(element);
    return role && `${role} `;
  }

  /** @param {Element} button */
  function closes(button) {
    const label = [attributeOf(button, "aria-label"), attributeOf(button, "title"), visibleTextOf(button)].find(
      Boolean,
    );
    return CLOSING.test((label ?? "").trim());
  }

  /**
   * @param {Element} cover
   * @param {Element} covered
   * @returns {string} of the banner rather than of the paragraph in it
   */
  function coverName(cover, covered) {
    return nameOf(outermostCover(cover, covered));
  }

  /**
   * @param {Element} cover
   * @param {Element} covered
   */
  function outermostCover(cover, covered) {
    return layersFrom(cover, covered).at(-1) ?? cover;
  }

  /**
   * @param {Element} cover
   * @param {Element} covered
   * @returns {Element[]} the cover and what is around it, without what contains both
   */
  function layersFrom(cover, covered) {
    const path = [...drawnAncestors(cover)];
    return path.slice(
      0,
      path.findIndex((one) => isDrawnIn(one, covered)),
    );
  }

  /** @param {Element} element */
  function isInert(element) {
    return closestDrawnOf(element, "[inert]") !== null;
  }

  return { Wait, coverName, coverage, isSamePlace, layersWithInput, moves, nextFrame };
})();
