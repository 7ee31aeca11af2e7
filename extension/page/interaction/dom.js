"use strict";

// The DOM without interference from the page's own names: <input name="id"> shadows the id of its form, <img
// name="body"> the body.

/** @typedef {Document | ShadowRoot} Root */
/** @typedef {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Control */

const dom = (() => {
  /** @type {<T extends object, K extends keyof T>(prototype: T, name: K) => (self: T) => T[K]} */
  const getter = (prototype, name) => {
    const { get } = /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(prototype, name));
    // Called a hundred thousand times on large pages, and Reflect.get takes several times as long.
    return (self) => get?.call(self);
  };
  /** How often a condition is looked at. */
  const POLL_MS = 20;
  const nodeTypeOf = getter(Node.prototype, "nodeType");
  const isInPage = getter(Node.prototype, "isConnected");
  const parentOf = getter(Node.prototype, "parentNode");
  const parentElementOf = getter(Node.prototype, "parentElement");
  const documentOf = getter(Node.prototype, "ownerDocument");
  const childNodesOf = getter(Node.prototype, "childNodes");
  const textContentOf = getter(Node.prototype, "textContent");
  const dataOf = getter(CharacterData.prototype, "data");
  const tagOf = getter(Element.prototype, "localName");
  const idOf = getter(Element.prototype, "id");
  const openShadowOf = getter(Element.prototype, "shadowRoot");
  const slotOf = getter(Element.prototype, "assignedSlot");
  const childrenOf = getter(Element.prototype, "children");
  const firstElementOf = getter(Element.prototype, "firstElementChild");
  const nextElementOf = getter(Element.prototype, "nextElementSibling");
  const previousElementOf = getter(Element.prototype, "previousElementSibling");
  const namespaceOf = getter(Element.prototype, "namespaceURI");
  const innerTextOf = getter(HTMLElement.prototype, "innerText");
  const contentEditableOf = getter(HTMLElement.prototype, "isContentEditable");
  const windowOf = getter(Document.prototype, "defaultView");
  const topOf = getter(Document.prototype, "children");
  const timelineOf = getter(Document.prototype, "timeline");

  const NATIVE_FIELDS = "input:not([type='hidden']), select, textarea";
  /** Cells of a table or a grid that are not headers. */
  const BODY_CELLS = "td, [role='gridcell'], [role='cell']";
  /** Fields of web components. */
  const FIELDS =
    `${NATIVE_FIELDS}, ` +
    "[role='checkbox'], [role='combobox'], [role='radio'], [role='slider'], [role='spinbutton'], [role='switch']";

  /** What is operated by itself. */
  const PARTS = `a[href], button, [role], ${NATIVE_FIELDS}`;

  /** Elements around a field that are looked at. */
  const MOST_AROUND = 4;

  /** Components that label others. */
  const LABEL_COMPONENT = /^[a-z0-9]+-(?:.*-)?label$/u;
  /** Controls without a text of their own. */
  const UNTYPED = new Set("button checkbox color file image radio range reset select submit".split(" "));

  /** What a script may have drawn in the place of the check box or radio button before it, without being its label. */
  const DRAWN_AFTER = "input:is([type='checkbox' i], [type='radio' i]) + :is(div, span, ins, em, i):not([role])";

  /** @type {WeakSet<Element>} fields that have been password fields: a button may make text fields of them */
  const passwords = new WeakSet();
  /** Names of fields whose values are not listed: the same as for the text of the page, in read-page.js. */
  const SECRET_FIELD =
    /pass(?:word|wd|code|phrase)|passwd|one-time-code|\b(?:pwd|pin|otp|cvc|cvv|csc)\b|\bcc-|card-?number|(?:\b|_)(?:token|secret)(?:\b|_)|api[-_ ]?key/i;

  /** What names an id in a document or a shadow root. */
  const labelsById = onceATurn((/** @type {Root} */ root) =>
    Map.groupBy(queryAll(root, "[for]"), (one) => attributeOf(one, "for")),
  );

  /** Available only in worlds of extensions; used only where more is needed than the page's own scripts can see. */
  const closedShadowOf = globalThis.chrome?.dom?.openOrClosedShadowRoot;

  /** @type {(outer: Node, inner: Node) => boolean} */
  const holds = (outer, inner) => Reflect.apply(Node.prototype.contains, outer, [inner]);
  /** @type {(node: Node, other: Node) => boolean} whether it stands after the other one, or in it */
  const isAfter = (node, other) =>
    (Reflect.apply(Node.prototype.compareDocumentPosition, other, [node]) & Node.DOCUMENT_POSITION_FOLLOWING) > 0;
  /** @type {(node: Node) => Node} */
  const rootOf = (node) => Reflect.apply(Node.prototype.getRootNode, node, []);
  /** @type {(node: Node) => boolean} */
  const hasNodes = (node) => Reflect.apply(Node.prototype.hasChildNodes, node, []);
  /** @type {(element: Element, name: string) => string | null} */
  const attributeOf = (element, name) => Reflect.apply(Element.prototype.getAttribute, element, [name]);
  /** @type {(element: Element) => string[]} */
  const attributeNamesOf = (element) => Reflect.apply(Element.prototype.getAttributeNames, element, []);
  /** @type {(element: Element, selector: string) => boolean} */
  const isMatch = (element, selector) => Reflect.apply(Element.prototype.matches, element, [selector]);
  /** @type {(element: Element, selector: string) => Element | null} */
  const closestOf = (element, selector) => Reflect.apply(Element.prototype.closest, element, [selector]);
  /** @type {(element: Element) => DOMRect} */
  const ownBoxOf = (element) => Reflect.apply(Element.prototype.getBoundingClientRect, element, []);
  /** @type {(element: Element, options: ScrollIntoViewOptions) => void} */
  const scrollTo = (element, options) =>
    Reflect.apply(Element.prototype.scrollIntoView, mappedImageOf(element) ?? element, [
      { behavior: "instant", ...options },
    ]);

  /**
   * @param {Element} element
   * @returns {DOMRect} of a part of an image map, where it is on the image
   */
  function boxOf(element) {
    const box = ownBoxOf(element);
    const image = box.width || box.height ? null : mappedImageOf(element);
    return image ? boxOnImage(element, image) : box;
  }

  /**
   * @param {Element} element
   * @returns {Element | null} for a part of an image map, which has no box of its own, its image
   */
  function mappedImageOf(element) {
    const map = tagOf(element) === "area" ? closestOf(element, "map") : null;
    const name = map && attributeOf(map, "name");
    return name ? firstIn(/** @type {Root} */ (rootOf(element)), `img[usemap="#${CSS.escape(name)}"]`) : null;
  }

  /**
   * @param {Element} area
   * @param {Element} image
   * @returns {DOMRect} the smallest box around its shape
   */
  function boxOnImage(area, image) {
    const { x, y, width, height } = ownBoxOf(image);
    const numbers = (attributeOf(area, "coords") ?? "").split(/[\s,;]+/u).map(Number);
    const shape = (attributeOf(area, "shape") ?? "rect").toLowerCase();
    if (shape === "default") return new DOMRect(x, y, width, height);
    const [left = 0, top = 0, radius = 0] = numbers;
    const isRound = shape.startsWith("circ");
    const xs = isRound ? [left - radius, left + radius] : numbers.filter((_, index) => index % 2 === 0);
    const ys = isRound ? [top - radius, top + radius] : numbers.filter((_, index) => index % 2 === 1);
    const [minX, minY] = [Math.min(...xs), Math.min(...ys)];
    // The browser counts from the border of the image, not from its content.
    return new DOMRect(x + minX, y + minY, Math.max(...xs) - minX, Math.max(...ys) - minY);
  }

  /**
   * @param {Node} node
   * @returns {node is Document}
   */
  function isDocument(node) {
    return nodeTypeOf(node) === Node.DOCUMENT_NODE;
  }

  /**
   * @param {Node} node
   * @returns {node is Element}
   */
  function isElement(node) {
    return nodeTypeOf(node) === Node.ELEMENT_NODE;
  }

  /**
   * @param {Node} node
   * @returns {node is Text}
   */
  function isText(node) {
    return nodeTypeOf(node) === Node.TEXT_NODE;
  }

  /**
   * @param {Element} element
   * @returns {element is HTMLElement}
   */
  function isHtml(element) {
    return namespaceOf(element) === "http://www.w3.org/1999/xhtml";
  }

  /**
   * @param {Element} element
   * @returns {element is HTMLIFrameElement}
   */
  function isFrame(element) {
    // Almost no element is a frame, so the cheapest check comes first.
    const tag = tagOf(element);
    if (tag !== "iframe" && tag !== "frame" && tag !== "object") return false;
    // An object may also show a picture or its own content, and one with a page of another site does not say which.
    return isHtml(element) && (tag !== "object" || /** @type {HTMLObjectElement} */ (element).contentDocument !== null);
  }

  /**
   * @param {Element} element
   * @returns {element is HTMLIFrameElement} a frame whose page only the extension can reach
   */
  function isCrossOrigin(element) {
    return isFrame(element) && !framedDocumentOf(element);
  }

  /**
   * @param {Element} element
   * @returns {element is Control}
   */
  function isControl(element) {
    const tag = tagOf(element);
    return (tag === "input" || tag === "textarea" || tag === "select") && isHtml(element);
  }

  /**
   * @param {Root | Element} root
   * @param {string} selector
   * @returns {Element[]}
   */
  function queryAll(root, selector) {
    if (isElement(root)) return queryIn(root, selector);
    const { querySelectorAll } = isDocument(root) ? Document.prototype : DocumentFragment.prototype;
    return listOf(Reflect.apply(querySelectorAll, root, [selector]));
  }

  /**
   * @param {Root} root
   * @param {string} selector
   * @returns {Element | null} its first match
   */
  function firstIn(root, selector) {
    const { querySelector } = isDocument(root) ? Document.prototype : DocumentFragment.prototype;
    return Reflect.apply(querySelector, root, [selector]);
  }

  /**
   * @param {Root} root
   * @param {string} selector
   * @returns {number} the number of its matches
   */
  function countIn(root, selector) {
    const { querySelectorAll } = isDocument(root) ? Document.prototype : DocumentFragment.prototype;
    return Reflect.apply(querySelectorAll, root, [selector]).length;
  }

  /**
   * @param {Element} element
   * @param {string} selector
   * @returns {Element[]}
   */
  function queryIn(element, selector) {
    return listOf(Reflect.apply(Element.prototype.querySelectorAll, element, [selector]));
  }

  /**
   * @param {Element} element
   * @param {string} selector
   * @returns {Element[]} with what its slots draw, such as the options in the list of a web component
   */
  function queryDrawnIn(element, selector) {
    const inside = (/** @type {Element} */ one) => {
      const inner = tagOf(one).includes("-") ? innerRootOf(one) : null;
      return [...queryIn(one, selector), ...(inner ? queryAll(inner, selector) : [])];
    };
    return [
      ...queryIn(element, selector),
      ...slottedIn(element)
        .filter(isElement)
        .flatMap((one) => (isMatch(one, selector) ? [one, ...queryIn(one, selector)] : inside(one))),
    ];
  }

  /**
   * @param {Element} element
   * @returns {Node[]} the elements and texts that its slots draw
   */
  function slottedIn(element) {
    const slots = queryIn(element, "slot").filter(isHtml);
    return slots.flatMap((slot) => Reflect.apply(HTMLSlotElement.prototype.assignedNodes, slot, [{ flatten: true }]));
  }

  /**
   * @param {NodeListOf<Element>} nodes
   * @returns {Element[]} an iterator would take three times as long
   */
  function listOf(nodes) {
    const { length } = nodes;
    /** @type {Element[]} */
    const list = [];
    for (let i = 0; i < length; i += 1) list.push(/** @type {Element} */ (nodes[i]));
    return list;
  }

  /**
   * @param {Element} element
   * @param {string} selector
   * @returns {boolean} whether any descendant matches
   */
  function hasIn(element, selector) {
    // Most elements have no children, and a long selector takes time to parse.
    if (!firstElementOf(element)) return false;
    return Reflect.apply(Element.prototype.querySelector, element, [selector]) !== null;
  }

  /**
   * @param {Root} root
   * @param {Point} point in the viewport of the root's frame
   * @returns {Element | null}
   */
  function elementAt(root, { x, y }) {
    const { elementFromPoint } = isDocument(root) ? Document.prototype : ShadowRoot.prototype;
    return Reflect.apply(elementFromPoint, root, [x, y]);
  }

  /**
   * @param {Element} element
   * @returns {Root | null} its root besides its children: a shadow root, or a same-origin page
   */
  function innerRootOf(element) {
    return openRootOf(element) ?? (isHtml(element) && closedShadowOf ? closedShadowOf(element) : null);
  }

  /**
   * Like `innerRootOf`, but fast enough for every element of a page: elements without a sign of a closed root are
   * skipped. Elements with closed roots are custom elements, or empty.
   *
   * @param {Element} element
   */
  function likelyRootOf(element) {
    return tagOf(element).includes("-") || !hasNodes(element) ? innerRootOf(element) : openRootOf(element);
  }

  /** @param {Element} element */
  function openRootOf(element) {
    return isFrame(element) ? framedDocumentOf(element) : openShadowOf(element);
  }

  /**
   * @param {Element} element
   * @param {Root | null | undefined} inner its root besides its children
   * @returns {Iterable<Node>} what is drawn in it: the nodes of its shadow root or page, of its slot, or its own
   *   children
   */
  function drawnChildrenOf(element, inner) {
    if (inner) return childNodesOf(inner);
    const isSlot = tagOf(element) === "slot" && isHtml(element);
    const assigned = isSlot ? Reflect.apply(HTMLSlotElement.prototype.assignedNodes, element, []) : [];
    return assigned.length ? assigned : childNodesOf(element);
  }

  /**
   * @param {HTMLIFrameElement} frame
   * @returns {Document | null} its page, if it is same-origin
   */
  function framedDocumentOf(frame) {
    const inner = frame.contentDocument;
    return inner && isSameOrigin(inner, /** @type {Document} */ (documentOf(frame))) ? inner : null;
  }

  /**
   * @param {Document} inner
   * @returns {Element | null} the frame that contains it, if the page around it is same-origin
   */
  function frameAround(inner) {
    const frame = windowOf(inner)?.frameElement ?? null;
    return frame && isSameOrigin(inner, /** @type {Document} */ (documentOf(frame))) ? frame : null;
  }

  /**
   * With `document.domain`, pages of other hosts of a site are accessible, too.
   *
   * @param {Document} inner
   * @param {Document} outer
   */
  function isSameOrigin(inner, outer) {
    return windowOf(inner)?.origin === windowOf(outer)?.origin;
  }

  /** @param {Element} element */
  function frameOf(element) {
    const document_ = documentOf(element);
    return document_ && frameAround(document_);
  }

  /**
   * Yields the element and its ancestors as drawn, through slots, shadow hosts and frames.
   *
   * @param {Element} element
   */
  function* drawnAncestors(element) {
    /** @type {Node | null} */
    let node = element;
    while (node) {
      if (isElement(node)) yield node;
      node = isElement(node) ? (slotOf(node) ?? parentOf(node)) : holderOf(/** @type {Root} */ (node));
    }
  }

  /**
   * Yields the element and its ancestors in its own tree.
   *
   * @param {Element | null} element
   * @param {number} [most] their number, at most
   */
  function* treeAncestors(element, most = Infinity) {
    let one = element;
    for (let count = 0; one && count < most; count += 1, one = parentElementOf(one)) yield one;
  }

  /**
   * @param {Node} root
   * @returns {Element | null} the host or the frame
   */
  function holderOf(root) {
    if (isDocument(root)) return frameAround(root);
    return "host" in root ? /** @type {ShadowRoot} */ (root).host : null;
  }

  /**
   * @param {Element} element
   * @param {string} selector
   * @returns {Element | null} the element itself or the nearest of its ancestors as drawn that matches
   */
  function closestDrawnOf(element, selector) {
    for (const one of drawnAncestors(element)) if (isMatch(one, selector)) return one;
    return null;
  }

  /**
   * @param {Element} outer
   * @param {Element} inner
   */
  function isDrawnIn(outer, inner) {
    for (const ancestor of drawnAncestors(inner)) if (ancestor === outer) return true;
    return false;
  }

  /**
   * @param {Element} element
   * @returns {Element | null} the field that it stands for: as its label, as the web component around it, or as what a
   *   script has drawn in its place
   */
  function controlOf(element) {
    if (isControl(element)) return null;
    const drawn = closestOf(element, DRAWN_AFTER);
    const box = drawn && boxBefore(drawn);
    if (box) return box;
    const label = closestOf(element, "label");
    const labelled = label && isHtml(label) ? labelledBy(/** @type {HTMLLabelElement} */ (label)) : null;
    const field = fieldBehind(labelled ?? element, labelled !== null) ?? labelled;
    return field === element ? null : field;
  }

  /**
   * @param {HTMLLabelElement} label
   * @returns {Element | null} also an element that is not a native control
   */
  function labelledBy(label) {
    if (label.control) return label.control;
    const root = /** @type {Root} */ (rootOf(label));
    const ids = { id: label.htmlFor, "aria-labelledby": idOf(label) };
    const found = Object.entries(ids).flatMap(([name, id]) =>
      id ? queryAll(root, `[${name}~="${CSS.escape(id)}"]`) : [],
    );
    const [one, ...others] = new Set(found);
    return one && !others.length ? one : null;
  }

  /**
   * @param {Element} element
   * @param {boolean} isLabelled
   * @returns {Element | undefined} the only field in the shadow root of a web component, or in what a label names; one
   *   that is hidden from screen readers counts only if there is no other
   */
  function fieldBehind(element, isLabelled) {
    const inner = tagOf(element).includes("-") ? innerRootOf(element) : null;
    const fields = inner ? queryAll(inner, FIELDS) : isLabelled ? queryIn(element, FIELDS) : [];
    const exposed = fields.filter((field) => attributeOf(field, "aria-hidden") !== "true");
    const [field, ...others] = exposed.length ? exposed : fields;
    return others.length ? undefined : field;
  }

  /**
   * @param {Element} element
   * @returns {string} the first role that it declares, if that is a word: a page may write anything there; otherwise
   *   empty
   */
  function roleOf(element) {
    return /^\s*([a-z-]{1,30})(?!\S)/iu.exec(attributeOf(element, "role") ?? "")?.[1] ?? "";
  }

  /**
   * @param {Element} element
   * @returns {string} the type of an input, otherwise its tag; a text drawn as dots is a password, and a password remains
   *   one while the page shows it
   */
  function kindOf(element) {
    if (!isHtml(element) || tagOf(element) !== "input") return tagOf(element);
    const { type } = /** @type {HTMLInputElement} */ (element);
    if (type === "password" || (!UNTYPED.has(type) && isDotted(element))) passwords.add(element);
    return passwords.has(element) ? "password" : type;
  }

  /** @param {Element} element */
  function isDotted(element) {
    return !["", "none"].includes(getComputedStyle(element).getPropertyValue("-webkit-text-security"));
  }

  /**
   * @param {Control} field
   * @returns {boolean} whether its text is a password, a one-time code or of a card: none of these is listed
   */
  function keepsSecret(field) {
    const kind = kindOf(field);
    if (UNTYPED.has(kind)) return false;
    const names = ["autocomplete", "name", "id"].map((name) => attributeOf(field, name) ?? "").join(" ");
    return kind === "password" || SECRET_FIELD.test(names) || (kind === "textarea" && isDotted(field));
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it is a field that users cannot change; check boxes and the like ignore the attribute
   */
  function isReadOnly(element) {
    return isMatch(element, "[readonly]") && isTextField(element);
  }

  /**
   * @param {Element} element
   * @returns {boolean} whether it, or a button or a part of the page around it, takes no input
   */
  function isDisabled(element) {
    const isOff = (/** @type {Element} */ one) => isMatch(one, "button:disabled, [aria-disabled='true']");
    return isMatch(element, ":disabled") || [...drawnAncestors(element)].some(isOff);
  }

  /**
   * @param {Element} element
   * @returns {element is HTMLElement} whether it is an editor of the browser (`contenteditable`), or part of one
   */
  function isContentEditable(element) {
    return isHtml(element) && contentEditableOf(element);
  }

  /** @param {Element} element */
  function isTextField(element) {
    return isControl(element) && !UNTYPED.has(kindOf(element));
  }

  /**
   * @param {Element} field
   * @returns {Element | null} the cell of a table that it is in, or else the outermost element with nothing but the field:
   *   if the field goes with the focus, its value is shown there
   */
  function cellAround(field) {
    const cell = closestOf(field, BODY_CELLS);
    if (cell) return cell;
    const text = (/** @type {Element} */ one) => textContentOf(one)?.trim();
    // An input and the combobox around it are one field.
    const isOther = (/** @type {Element} */ one) => !holds(one, field) && !holds(field, one);
    const isAlone = (/** @type {Element} */ one) => text(one) === text(field) && !queryIn(one, FIELDS).some(isOther);
    return [...treeAncestors(parentElementOf(field), MOST_AROUND)].findLast(isAlone) ?? null;
  }

  /**
   * The browser's own `labels` walks through the whole document for each element, and only a web component itself can
   * read its own.
   *
   * @param {Element} element
   * @returns {Element[]} in document order; for a hidden check box without labels, what is drawn in its place
   */
  function labelsOf(element) {
    const tag = tagOf(element);
    if (!isControl(element) && tag !== "button" && !tag.includes("-")) return [];
    const around = closestOf(element, "label");
    const id = idOf(element);
    const named = (id && labelsById(/** @type {Root} */ (rootOf(element))).get(id)) || [];
    const labels = [...new Set(around ? [around, ...named] : named)]
      .filter((label) => isHtml(label) && isLabelOf(label, element))
      .sort((a, b) => (isAfter(a, b) ? 1 : -1));
    return labels.length ? labels : drawnAfter(element);
  }

  /**
   * @param {Element} box
   * @returns {Element[]} what a script has drawn in the place of this check box or radio button, which it has hidden
   */
  function drawnAfter(box) {
    const drawn = nextElementOf(box);
    if (!drawn || !isMatch(drawn, DRAWN_AFTER) || hasIn(drawn, PARTS)) return [];
    const isDrawnFor = getComputedStyle(box).display === "none" && getComputedStyle(drawn).cursor === "pointer";
    return isDrawnFor ? [drawn] : [];
  }

  /**
   * @param {Element} label that may only refer to the element, as a tooltip does
   * @param {Element} element
   */
  function isLabelOf(label, element) {
    const isComponent = tagOf(element).includes("-") && LABEL_COMPONENT.test(tagOf(label));
    return isComponent || /** @type {HTMLLabelElement} */ (label).control === element;
  }

  /**
   * @param {Element} drawn
   * @returns {Element | null} the hidden check box or radio button that it is drawn for, without being its label
   */
  function boxBefore(drawn) {
    const box = isMatch(drawn, DRAWN_AFTER) ? previousElementOf(drawn) : null;
    return box && labelsOf(box)[0] === drawn ? box : null;
  }

  /**
   * @template {object} K, V
   * @param {(key: K) => V} compute
   * @returns {(key: K) => V} the same, computed once for each key until the page's code may run again
   */
  function onceATurn(compute) {
    /** @type {Map<K, V>} */
    const known = new Map();
    return (key) => {
      if (!known.size) queueMicrotask(() => known.clear());
      if (!known.has(key)) known.set(key, compute(key));
      return /** @type {V} */ (known.get(key));
    };
  }

  /** @param {number} milliseconds */
  function pause(milliseconds) {
    return new Promise((resolve) => setTimeout(resolve, milliseconds));
  }

  /** @param {number} milliseconds to wait for it, at most: it never comes in a tab behind others, and late under load */
  async function frameWithin(milliseconds) {
    await Promise.race([new Promise((resolve) => requestAnimationFrame(resolve)), pause(milliseconds)]);
  }

  /**
   * @param {() => boolean} condition
   * @param {number} milliseconds to wait for it, at most
   * @returns {Promise<boolean>} whether it has come true
   */
  async function comesTrue(condition, milliseconds) {
    const end = performance.now() + milliseconds;
    while (!condition() && performance.now() < end) await pause(POLL_MS);
    return condition();
  }

  /**
   * @template {Node} T
   * @param {T[]} nodes
   * @returns {T[]} without those inside others, as drawn
   */
  function outermost(nodes) {
    const all = /** @type {Set<Node>} */ (new Set(nodes));
    const around = (/** @type {Node} */ node) => (isElement(node) ? (slotOf(node) ?? parentOf(node)) : parentOf(node));
    return nodes.filter((node) => {
      const outer = around(node);
      return !outer || ![...drawnAncestors(/** @type {Element} */ (outer))].some((one) => all.has(one));
    });
  }

  /**
   * @param {Element} element
   * @param {string} attribute such as `aria-controls`
   * @returns {Element[]} the elements whose ids it contains
   */
  function referred(element, attribute) {
    const ids = attributeOf(element, attribute)?.match(/\S+/gu);
    if (!ids) return [];
    const root = /** @type {Root} */ (rootOf(element));
    return ids.flatMap((id) => queryAll(root, `#${CSS.escape(id)}`).slice(0, 1));
  }

  return {
    BODY_CELLS,
    NATIVE_FIELDS,
    attributeNamesOf,
    attributeOf,
    boxBefore,
    boxOf,
    cellAround,
    childNodesOf,
    childrenOf,
    closestDrawnOf,
    closestOf,
    comesTrue,
    controlOf,
    countIn,
    dataOf,
    documentOf,
    drawnAncestors,
    drawnChildrenOf,
    elementAt,
    firstElementOf,
    firstIn,
    frameOf,
    frameWithin,
    hasIn,
    hasNodes,
    holderOf,
    holds,
    idOf,
    innerRootOf,
    innerTextOf,
    isAfter,
    isContentEditable,
    isControl,
    isDisabled,
    isDocument,
    isDrawnIn,
    isElement,
    isCrossOrigin,
    isFrame,
    isHtml,
    isInPage,
    isMatch,
    isText,
    isTextField,
    keepsSecret,
    kindOf,
    isReadOnly,
    labelsOf,
    likelyRootOf,
    mappedImageOf,
    nextElementOf,
    onceATurn,
    outermost,
    parentElementOf,
    parentOf,
    pause,
    previousElementOf,
    queryAll,
    queryDrawnIn,
    queryIn,
    referred,
    roleOf,
    rootOf,
    slottedIn,
    scrollTo,
    tagOf,
    textContentOf,
    timelineOf,
    topOf,
    treeAncestors,
    windowOf,
  };
})();
