// Runs inside the page, in the extension's own world, from its own source text: it holds its helpers and uses nothing
// from outside.

/** @import {Box, ElementAnswer, ElementDescription, ElementRequest, ErrorCode, Filling, Point} from "../shared/types.d.ts" */

/**
 * Finds an element, waits until it can be acted on, and does what needs no trusted input.
 *
 * Selectors: CSS, `xpath=...` and `text=...`. Each searches the document, the open shadow roots and the frames of the
 * same origin. `host >>> inner` goes into the shadow root or the frame of `host`, and there only; `>>> inner` searches
 * the document itself only. The last part may be XPath or text, too.
 *
 * @param {ElementRequest} request
 * @returns {Promise<ElementAnswer>}
 */
export async function findElement(request) {
  /** @typedef {Document | ShadowRoot} Root */
  /** @typedef {{kind: "css" | "xpath" | "text", text: string}} Part */
  /** @typedef {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Control */

  // `findElementAgain` takes it from here.
  Reflect.set(globalThis, Symbol.for("chrome-tab-reader.find-element"), findElement);

  const FIND_WAIT_MS = 1_000;
  const READY_WAIT_MS = 5_000;
  const POLL_MS = 50;
  /** A tab that nobody sees draws one frame a second: behind others it is not waited for, in a covered window it is. */
  const FRAME_WAIT_MS = request.isInFront ? 1_500 : 50;
  const MAX_ROOTS = 500;
  const TEXT_LENGTH = 60;
  const ATTRIBUTE_LENGTH = 40;
  const SELECTOR_LENGTH = 120;
  const MAX_CANDIDATES = 2_000;
  const TRIED_STEPS = 12;
  const NEAR_MISSES = 3;
  const LEAST_SIMILARITY = 0.45;
  const LISTED_OPTIONS = 10;
  const MAX_RECTS = 4;
  /** Where to hit a box, as fractions of its sides: the middle first. */
  const SPOTS = /** @type {const} */ ([
    [0.5, 0.5],
    [0.25, 0.5],
    [0.75, 0.5],
    [0.5, 0.25],
    [0.5, 0.75],
    [0.1, 0.1],
    [0.9, 0.1],
    [0.1, 0.9],
    [0.9, 0.9],
  ]);
  /** Fixed headers and footers cover what stands at an edge. */
  const ALIGNMENTS = /** @type {const} */ (["center", "end", "start", "center"]);
  const NAMING_ATTRIBUTES = ["data-testid", "data-test", "name", "aria-label"];
  const TYPED = new Set(["text", "search", "url", "tel", "email", "password", "number"]);
  /** Fields that take one form of value only, and what it looks like. */
  const FORMATS = new Map([
    ["date", "a date such as 2026-12-31"],
    ["time", "a time such as 23:59"],
    ["datetime-local", "a date and a time such as 2026-12-31T23:59"],
    ["month", "a month such as 2026-12"],
    ["week", "a week such as 2026-W52"],
    ["color", "a colour such as #ff8800"],
    ["range", "a number"],
    ["number", "a number such as 12.5"],
  ]);
  /** @type {Map<string, string>} how to use what is not filled, and what no click can use */
  const ADVICE = new Map([
    ["checkbox", "is a checkbox. Use click to change it."],
    ["radio", "is a radio button. Use click to choose it."],
    ["submit", "is a button. Use click."],
    ["button", "is a button. Use click."],
    ["reset", "is a button. Use click."],
    ["image", "is a button. Use click."],
    ["file", "takes files, which only a person can choose. Ask the person to choose them in the browser."],
    ["select", "is a list of options. Use select with one of their values or labels."],
    ["option", "is an option of a list. Use select on the list, with the option's value or label."],
    ["color", "would open a window of the browser. Use fill with a colour such as #ff8800."],
  ]);
  const UNCLICKABLE = new Set(["file", "select", "option", "color"]);

  /** Most elements of large pages are of kinds that cannot have a shadow root. */
  const MAY_HOLD_A_ROOT =
    "*:not(a, abbr, b, button, dd, dl, dt, em, figcaption, figure, form, i, img, input, label, li, link, meta, ol, " +
    "option, path, s, script, select, small, strong, style, svg, table, tbody, td, th, thead, time, tr, ul)";

  /** @type {Root[]} as the search found them: going through a large page again would take as long */
  let latestRoots = [];

  class PageError extends Error {
    /**
     * @param {ErrorCode} code
     * @param {string} message
     */
    constructor(code, message) {
      super(message);
      this.code = code;
    }
  }

  // --- The DOM past the page's own names: <input name="id"> hides the id of its form, <img name="body"> the body

  /** @type {<T extends object, K extends keyof T>(prototype: T, name: K) => (self: T) => T[K]} */
  const getter = (prototype, name) => (self) => Reflect.get(prototype, name, self);
  const nodeTypeOf = getter(Node.prototype, "nodeType");
  const parentOf = getter(Node.prototype, "parentNode");
  const documentOf = getter(Node.prototype, "ownerDocument");
  const childNodesOf = getter(Node.prototype, "childNodes");
  const textContentOf = getter(Node.prototype, "textContent");
  const tagOf = getter(Element.prototype, "localName");
  const idOf = getter(Element.prototype, "id");
  const shadowOf = getter(Element.prototype, "shadowRoot");
  const slotOf = getter(Element.prototype, "assignedSlot");
  const childrenOf = getter(Element.prototype, "children");
  const namespaceOf = getter(Element.prototype, "namespaceURI");
  const innerTextOf = getter(HTMLElement.prototype, "innerText");
  const windowOf = getter(Document.prototype, "defaultView");
  const topOf = getter(Document.prototype, "children");

  /** @type {(node: Node) => Node} */
  const rootOf = (node) => Reflect.apply(Node.prototype.getRootNode, node, []);
  /** @type {(element: Element, name: string) => string | null} */
  const attributeOf = (element, name) => Reflect.apply(Element.prototype.getAttribute, element, [name]);
  /** @type {(element: Element, selector: string) => boolean} */
  const isMatch = (element, selector) => Reflect.apply(Element.prototype.matches, element, [selector]);
  /** @type {(element: Element, selector: string) => Element | null} */
  const closestOf = (element, selector) => Reflect.apply(Element.prototype.closest, element, [selector]);
  /** @type {(element: Element) => DOMRect} */
  const boxOf = (element) => Reflect.apply(Element.prototype.getBoundingClientRect, element, []);
  /** @type {(element: Element, options: ScrollIntoViewOptions) => void} */
  const scrollTo = (element, options) =>
    Reflect.apply(Element.prototype.scrollIntoView, element, [{ behavior: "instant", ...options }]);

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
    return isHtml(element) && ["iframe", "frame"].includes(tagOf(element));
  }

  /**
   * @param {Element} element
   * @returns {element is Control}
   */
  function isControl(element) {
    return isHtml(element) && ["input", "textarea", "select"].includes(tagOf(element));
  }

  /**
   * @param {Root} root
   * @param {string} selector
   * @returns {Element[]}
   */
  function queryAll(root, selector) {
    const { querySelectorAll } = isDocument(root) ? Document.prototype : DocumentFragment.prototype;
    return [...Reflect.apply(querySelectorAll, root, [selector])];
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
   * @returns {Root | null} what it holds besides its children: an open shadow root, or a page of the same origin
   */
  function innerRootOf(element) {
    return shadowOf(element) ?? (isFrame(element) ? element.contentDocument : null);
  }

  /** @param {Element} element */
  function frameOf(element) {
    const document_ = documentOf(element);
    return (document_ && windowOf(document_)?.frameElement) ?? null;
  }

  /**
   * The element and what it stands in as drawn: slots, hosts of shadow roots and frames are on the way.
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
   * @param {Node} root
   * @returns {Element | null} the host or the frame
   */
  function holderOf(root) {
    if (isDocument(root)) return windowOf(root)?.frameElement ?? null;
    return "host" in root ? /** @type {ShadowRoot} */ (root).host : null;
  }

  /**
   * @param {Element} outer
   * @param {Element} inner
   */
  function isDrawnIn(outer, inner) {
    for (const ancestor of drawnAncestors(inner)) if (ancestor === outer) return true;
    return false;
  }

  // --- Texts of the page in our sentences

  /** @param {string} text */
  function collapse(text) {
    return text.replace(/\s+/gu, " ").trim();
  }

  /**
   * One short line, without what could disturb a terminal.
   *
   * @param {string} text
   * @param {number} [length]
   */
  function shorten(text, length = TEXT_LENGTH) {
    const start = text.slice(0, 20 * length).toWellFormed();
    const characters = [...collapse(start.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, " "))];
    return characters.length > length ? `${characters.slice(0, length - 3).join("")}...` : characters.join("");
  }

  /**
   * @param {string} text
   * @param {number} [length]
   */
  function quote(text, length) {
    return `"${shorten(text, length)}"`;
  }

  /** @param {Element} element */
  function visibleTextOf(element) {
    return isHtml(element) ? innerTextOf(element) : (textContentOf(element) ?? "");
  }

  /**
   * What a person reads on the element, or beside it for a field; never what is written into a field.
   *
   * @param {Element} element
   */
  function textOf(element) {
    const { type = "", value = "" } = isControl(element) ? element : {};
    const isButton = ["submit", "button", "reset"].includes(type);
    const attributes = ["aria-label", "placeholder", "alt", "title", "name"].map((name) => attributeOf(element, name));
    const texts = isControl(element)
      ? [isButton ? value : "", ...labelsOf(element).map(textBesideControls), ...attributes]
      : [visibleTextOf(element), ...attributes];
    return texts.find((text) => text?.trim()) ?? "";
  }

  /**
   * @param {Node} node
   * @returns {string}
   */
  function textBesideControls(node) {
    if (!isElement(node)) return textContentOf(node) ?? "";
    return isControl(node) ? "" : [...childNodesOf(node)].map(textBesideControls).join("");
  }

  /**
   * @param {Element} element
   * @returns {string} for example `button#buy "Buy now"`
   */
  function nameOf(element) {
    const id = idOf(element);
    const text = textOf(element);
    // Only plain words may stand in a sentence outside of quotes.
    return `${tagOf(element)}${/^[\w-]{1,40}$/.test(id) ? `#${id}` : ""}${text ? ` ${quote(text)}` : ""}`;
  }

  // --- Selectors

  /** @returns {Root[]} the document, and every root inside it that may be searched; outer ones first */
  function allRoots() {
    /** @type {Root[]} */
    const roots = [document];
    for (const root of roots) {
      for (const element of queryAll(root, MAY_HOLD_A_ROOT)) {
        const inner = innerRootOf(element);
        if (inner && roots.length < MAX_ROOTS) roots.push(inner);
      }
    }
    latestRoots = roots;
    return roots;
  }

  /**
   * @param {string} selector
   * @returns {Part[]}
   */
  function parse(selector) {
    /** @type {Part[]} */
    const parts = [];
    for (let rest = selector.trim(); ;) {
      const [, kind, text] = /^(xpath|text)\s*=([^]*)$/iu.exec(rest) ?? [];
      if (kind && text !== undefined) {
        parts.push({ kind: kind.toLowerCase() === "text" ? "text" : "xpath", text: text.trim() });
        break;
      }
      // Up to the next >>> that stands in no quotes.
      const [head = ""] = /^(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\\.|(?!>>>)[^])*/u.exec(rest) ?? [];
      parts.push({ kind: "css", text: head.trim() });
      if (head.length === rest.length) break;
      rest = rest.slice(head.length + 3).trim();
    }
    for (const [index, part] of parts.entries()) checkPart(part, index === 0 && parts.length > 1);
    return parts;
  }

  /**
   * @param {Part} part
   * @param {boolean} mayBeEmpty
   * @throws {PageError} INVALID_SELECTOR
   */
  function checkPart(part, mayBeEmpty) {
    if (part.text === "") {
      if (mayBeEmpty) return;
      throw new PageError("INVALID_SELECTOR", "A part of the selector is empty. Say which element is meant.");
    }
    try {
      findPart([document], part);
    } catch {
      const kind = part.kind === "xpath" ? "XPath expression for elements" : "CSS selector";
      throw new PageError("INVALID_SELECTOR", `${quote(part.text)} is no valid ${kind}: ${faultOf(part)}`);
    }
  }

  /**
   * @param {Part} part
   * @returns {string} what is wrong, as far as that can be told
   */
  function faultOf({ kind, text }) {
    const bare = text.replace(/\\.|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/gsu, "");
    const count = (/** @type {string} */ character) => bare.split(character).length - 1;
    if (/["']/u.test(bare)) return "a quotation mark is not closed.";
    if (count("[") !== count("]")) return "its square brackets do not match.";
    if (count("(") !== count(")")) return "its round brackets do not match.";
    if (kind === "xpath") return "test it, or use a CSS selector or text=...";
    if (/^\.{0,2}\//u.test(text)) return "it looks like XPath; write xpath= before it.";
    if (/:(?:contains|has-text|text)\b/u.test(bare)) return "CSS has no such word; write text=... to find by text.";
    const [, digit] = /[#.](\d[\w-]*)/u.exec(bare) ?? [];
    if (digit) return `a name must not start with a digit; write [id="${digit}"] instead.`;
    return "test it, or use text=... to find by text.";
  }

  /**
   * @param {Part[]} parts
   * @returns {Element[]} outer trees first, each in its own order
   */
  function findAll(parts) {
    /** @type {Element[]} */
    let found = [];
    for (const [index, part] of parts.entries()) {
      const scopes = index > 0 ? innerScopes(parts[index - 1], found) : part.text ? allRoots() : [];
      found = part.text ? findPart(scopes, part) : [];
    }
    return found;
  }

  /**
   * @param {Part | undefined} before the part before
   * @param {Element[]} found by it
   * @returns {Root[]}
   */
  function innerScopes(before, found) {
    return before?.text ? found.map(innerRootOf).filter((root) => root !== null) : [document];
  }

  /**
   * @param {Root[]} roots
   * @param {Part} part
   * @returns {Element[]}
   */
  function findPart(roots, { kind, text }) {
    if (kind === "css") return roots.flatMap((root) => queryAll(root, text));
    if (kind === "xpath") return roots.flatMap((root) => byXPath(root, text));
    return byText(roots, text);
  }

  /**
   * @param {Root} root
   * @param {string} expression
   * @returns {Element[]}
   */
  function byXPath(root, expression) {
    // A shadow root itself is no context for XPath, but what stands in it is.
    const contexts = isDocument(root) ? [root] : [...root.children];
    /** @type {Set<Element>} */
    const found = new Set();
    for (const context of contexts) {
      const type = XPathResult.ORDERED_NODE_SNAPSHOT_TYPE;
      const owner = isDocument(root) ? root : root.ownerDocument;
      const result = Reflect.apply(Document.prototype.evaluate, owner, [expression, context, null, type, null]);
      for (let index = 0; index < result.snapshotLength; index += 1) {
        const node = result.snapshotItem(index);
        const element =
          node && isElement(node) ? node : (/** @type {Attr | null} */ (node)?.ownerElement ?? node?.parentElement);
        if (element) found.add(element);
      }
    }
    return [...found];
  }

  /**
   * The smallest visible elements with that text: those that have no other if there are any.
   *
   * @param {Root[]} roots
   * @param {string} text
   */
  function byText(roots, text) {
    const wanted = collapse(text.replace(/^(["'])([^]*)\1$/u, "$2")).toLowerCase();
    const hits = roots.flatMap((root) => [
      // A document that is just being replaced has no element at all.
      ...[...(isDocument(root) ? topOf(root) : root.children)].flatMap((top) => smallestWith(top, wanted)),
      ...queryAll(root, '[aria-label], input:is([type="submit"], [type="button"], [type="reset"])').flatMap((element) =>
        hit(element, attributeOf(element, "aria-label") ?? textOf(element), wanted),
      ),
    ]);
    const exact = hits.filter(({ isExact }) => isExact);
    return [...new Set((exact.length ? exact : hits).map(({ element }) => element))];
  }

  /**
   * @param {Element} element
   * @param {string} wanted
   * @returns {{element: Element, isExact: boolean}[]}
   */
  function smallestWith(element, wanted) {
    // Drawn text is never longer than all text, and costs more to ask for.
    if ((textContentOf(element)?.length ?? 0) < wanted.length || !isRendered(element)) return [];
    const own = hit(element, visibleTextOf(element), wanted);
    if (!own.length) return [];
    const inner = [...childrenOf(element)].flatMap((child) => smallestWith(child, wanted));
    return inner.length ? inner : own;
  }

  /**
   * @param {Element} element
   * @param {string} text
   * @param {string} wanted
   */
  function hit(element, text, wanted) {
    const found = collapse(text).toLowerCase();
    return found.includes(wanted) ? [{ element, isExact: found === wanted }] : [];
  }

  /**
   * @param {Element} element
   * @returns {string} a short selector that matches this element only
   */
  function selectorOf(element) {
    const root = /** @type {Root} */ (rootOf(element));
    const roots = latestRoots.length ? latestRoots : allRoots();
    const isAlone = (/** @type {Root[]} */ scopes, /** @type {string} */ selector) =>
      scopes.reduce((count, scope) => count + queryAll(scope, selector).length, 0) === 1;
    const here = [...namingSelectors(element), pathOf(element, root)].filter((selector) => isAlone([root], selector));
    const everywhere = here.find((selector) => isAlone(roots, selector));
    if (everywhere) return everywhere;
    const holder = holderOf(root);
    return `${holder ? `${selectorOf(holder)} ` : ""}>>> ${here[0]}`;
  }

  /** @param {Element} element */
  function namingSelectors(element) {
    // Nothing that would need escapes or could disturb a terminal.
    const isPlain = (/** @type {string | null} */ value) =>
      value !== null && value.length <= ATTRIBUTE_LENGTH && /^[^"\\\p{C}\p{Zl}\p{Zp}]+$/u.test(value);
    const tag = CSS.escape(tagOf(element));
    const id = idOf(element);
    return [
      ...(isPlain(id) ? [`#${CSS.escape(id)}`] : []),
      ...NAMING_ATTRIBUTES.filter((name) => isPlain(attributeOf(element, name))).map(
        (name) => `${tag}[${name}="${attributeOf(element, name)}"]`,
      ),
    ];
  }

  /**
   * Steps from the element upwards, until they lead to it alone. A path that is long already goes all the way up, which
   * leads to one element without being tried: trying grows with the length times the page.
   *
   * @param {Element} element
   * @param {Root} root
   */
  function pathOf(element, root) {
    let path = "";
    let length = 0;
    for (const ancestor of treeAncestors(element)) {
      const steps = ancestor === element ? [] : namingSelectors(ancestor).slice(0, 1);
      for (const step of length < TRIED_STEPS ? [...steps, stepOf(ancestor)] : []) {
        const longer = path ? `${step} > ${path}` : step;
        if (queryAll(root, longer).length === 1) return longer;
      }
      path = path ? `${stepOf(ancestor)} > ${path}` : stepOf(ancestor);
      length += 1;
    }
    return isDocument(root) ? path : `:host > ${path}`;
  }

  /** @param {Element} element */
  function* treeAncestors(element) {
    for (let node = /** @type {Node | null} */ (element); node && isElement(node); node = parentOf(node)) yield node;
  }

  /** @param {Element} element */
  function stepOf(element) {
    const tag = tagOf(element);
    const parent = parentOf(element);
    const siblings = parent && isElement(parent) ? [...childrenOf(parent)] : [.../** @type {Root} */ (parent).children];
    const same = siblings.filter((sibling) => tagOf(sibling) === tag);
    const step = CSS.escape(tag);
    return same.length > 1 ? `${step}:nth-of-type(${same.indexOf(element) + 1})` : step;
  }

  // --- What was meant, when nothing was found

  /** @param {string} selector */
  function notFound(selector) {
    const near = nearMisses(selector);
    const advice = near.length
      ? `Did you mean ${near.join(" or ")}?`
      : "Nothing like it is there. Read the page or take a screenshot to see what is.";
    const foreign = queryAll(document, "iframe").filter((frame) => !innerRootOf(frame) && isVisible(frame)).length;
    const frames = foreign ? ` ${foreign} of its frames come from other sites and cannot be searched.` : "";
    return new PageError("ELEMENT_NOT_FOUND", `No element matches ${quote(selector)}. ${advice}${frames}`);
  }

  /**
   * @param {string} selector
   * @returns {string[]} similar elements: selectors that work, each with a name
   */
  function nearMisses(selector) {
    const wanted = wordsOf(selector).map(pairsOf);
    /** @type {{element: Element, score: number}[]} */
    const best = [];
    for (const element of candidates()) {
      const keys = keysOf(element).map(pairsOf);
      const score = Math.max(0, ...keys.flatMap((key) => wanted.map((word) => similarity(word, key))));
      if (score > Math.max(LEAST_SIMILARITY, best[NEAR_MISSES - 1]?.score ?? 0)) {
        best.push({ element, score });
        best.sort((a, b) => b.score - a.score).splice(NEAR_MISSES);
      }
    }
    return best.flatMap(({ element }) => {
      const found = selectorOf(element);
      // A cut selector would not work.
      return found.length > SELECTOR_LENGTH ? [] : [`${found} (${tagOf(element)} ${quote(textOf(element), 30)})`];
    });
  }

  /**
   * @param {string} selector
   * @returns {string[]} the words that a page chooses: ids, classes, values, texts
   */
  function wordsOf(selector) {
    const [, text] = /^text=([^]*)$/iu.exec(selector) ?? [];
    if (text) return [text];
    const named = [...selector.matchAll(/[#.]((?:\\.|[\w-]|[^\p{ASCII}])+)|["']([^"']+)["']|=([^\]"'\s]+)\]/gu)];
    const words = named.map(([, name, quoted, value]) => name ?? quoted ?? value ?? "");
    return words.length ? words : (selector.match(/[\p{L}\p{N}_-]+/gu) ?? []);
  }

  function candidates() {
    const roots = allRoots();
    const all = ["a, button, input, label, select, summary, textarea, [role]", "[id], [data-testid], [aria-label]"];
    const found = all.flatMap((selector) => roots.flatMap((root) => queryAll(root, selector).slice(0, MAX_CANDIDATES)));
    return [...new Set(found)]
      .filter((element) => !isMatch(element, "template, script, style"))
      .slice(0, MAX_CANDIDATES);
  }

  /** @param {Element} element */
  function keysOf(element) {
    const names = ["id", "name", "data-testid", "aria-label", "placeholder", "title"];
    const classes = (attributeOf(element, "class") ?? "").split(/\s+/u).slice(0, 5);
    const isShort = (textContentOf(element)?.length ?? 0) < 4 * TEXT_LENGTH;
    const texts = [isShort ? textContentOf(element) : "", isControl(element) ? textOf(element) : ""];
    return [...names.map((name) => attributeOf(element, name)), ...classes, ...texts].filter((key) => key !== null);
  }

  /**
   * @param {string} text
   * @returns {Set<string>} its pairs of neighbouring characters
   */
  function pairsOf(text) {
    const characters = [...collapse(text.slice(0, 4 * TEXT_LENGTH)).toLowerCase()].slice(0, TEXT_LENGTH);
    return new Set(characters.slice(1).map((character, index) => `${characters[index]}${character}`));
  }

  /**
   * @param {Set<string>} a
   * @param {Set<string>} b
   * @returns {number} from 0 to 1
   */
  function similarity(a, b) {
    const shared = [...a].filter((pair) => b.has(pair)).length;
    return shared === 0 ? 0 : (2 * shared) / (a.size + b.size);
  }

  // --- Where an element is drawn

  /** @param {{width: number, height: number}} box */
  function hasArea({ width, height }) {
    return width > 0 && height > 0;
  }

  /** @param {Element} element */
  function isRendered(element) {
    const options = { visibilityProperty: true };
    return Reflect.apply(Element.prototype.checkVisibility, element, [options]) || isBoxless(element);
  }

  /** @param {Element} element */
  function isBoxless(element) {
    return getComputedStyle(element).display === "contents";
  }

  /**
   * @param {Element} element
   * @returns {boolean}
   */
  function isVisible(element) {
    if (!isRendered(element) || !rectsOf(element).length) return false;
    const frame = frameOf(element);
    return !frame || isVisible(frame);
  }

  /**
   * @param {Element} element
   * @returns {DOMRect[]} a link over two lines has two
   */
  function rectsOf(element) {
    const own = [...Reflect.apply(Element.prototype.getClientRects, element, [])].filter(hasArea);
    // What has no box of its own, or an empty one, shows what is in it.
    if (own.length || getComputedStyle(element).overflow !== "visible") return own;
    const range = new Range();
    range.selectNodeContents(element);
    return [...range.getClientRects()].filter(hasArea);
  }

  /**
   * @param {Element} frame
   * @returns {{x: number, y: number, scaleX: number, scaleY: number}} where its page starts in the outer page
   */
  function insideOf(frame) {
    const { offsetWidth, offsetHeight, clientLeft, clientTop } = /** @type {HTMLElement} */ (frame);
    const { x, y, width, height } = boxOf(frame);
    const { paddingLeft, paddingTop } = getComputedStyle(frame);
    const scaleX = width / offsetWidth || 1;
    const scaleY = height / offsetHeight || 1;
    return {
      x: x + (clientLeft + parseFloat(paddingLeft)) * scaleX,
      y: y + (clientTop + parseFloat(paddingTop)) * scaleY,
      scaleX,
      scaleY,
    };
  }

  /**
   * @param {Box} box in the viewport of the element's frame
   * @param {Element} element
   * @param {{isClipped: boolean}} how whether to leave out what lies outside of a viewport
   * @returns {Box} in the viewport of the main frame
   */
  function inMainFrame({ x, y, width, height }, element, { isClipped }) {
    const view = windowOf(/** @type {Document} */ (documentOf(element)));
    if (isClipped && view) {
      const left = Math.max(0, x);
      const top = Math.max(0, y);
      width = Math.min(x + width, view.innerWidth) - left;
      height = Math.min(y + height, view.innerHeight) - top;
      x = left;
      y = top;
    }
    const frame = frameOf(element);
    if (!frame) return { x, y, width, height };
    const inside = insideOf(frame);
    const { scaleX, scaleY } = inside;
    const outer = {
      x: inside.x + x * scaleX,
      y: inside.y + y * scaleY,
      width: width * scaleX,
      height: height * scaleY,
    };
    return inMainFrame(outer, frame, { isClipped });
  }

  /**
   * @param {Point} point in the viewport of the main frame
   * @returns {Element | null} the innermost element there
   */
  function hitAt(point) {
    /** @type {Root} */
    let root = document;
    /** @type {Element | null} */
    let innermost = null;
    for (;;) {
      const element = elementAt(root, point);
      if (!element || element === innermost) return innermost;
      innermost = element;
      const inner = innerRootOf(element);
      if (!inner) return innermost;
      if (isDocument(inner)) {
        const { x, y, scaleX, scaleY } = insideOf(element);
        point = { x: (point.x - x) / scaleX, y: (point.y - y) / scaleY };
      }
      root = inner;
    }
  }

  /**
   * @param {Element} handle where to hit
   * @param {Element} element what to hit
   * @returns {{point: Point | null, cover: Element | null}} the cover is what is in the way
   */
  function aimAt(handle, element) {
    const rects = rectsOf(handle).slice(0, MAX_RECTS);
    const boxes = rects.map((rect) => inMainFrame(rect, handle, { isClipped: true })).filter(hasArea);
    /** @type {Element | null} */
    let cover = null;
    for (const [right, down] of SPOTS) {
      for (const { x, y, width, height } of boxes) {
        const point = { x: round(x + width * right), y: round(y + height * down) };
        const element_ = hitAt(point);
        if (element_ && isPartOf(element_, element)) return { point, cover: null };
        cover ??= element_;
      }
    }
    return { point: null, cover };
  }

  /**
   * @param {Element} inner
   * @param {Element} element
   * @returns {boolean} whether who clicks the one clicks the other
   */
  function isPartOf(inner, element) {
    if (isDrawnIn(element, inner) || labelsOf(element).some((label) => isDrawnIn(label, inner))) return true;
    // What stands in a shadow root is sometimes hit as its host.
    for (let root = rootOf(element), host = holderOf(root); host && !isDocument(root);) {
      if (host === inner) return true;
      root = rootOf(host);
      host = holderOf(root);
    }
    return false;
  }

  /**
   * @param {Element} element
   * @returns {Element[]}
   */
  function labelsOf(element) {
    return isControl(element) ? [...(element.labels ?? [])] : [];
  }

  /** @param {number} value */
  function round(value) {
    return Math.round(value * 100) / 100;
  }

  // --- Waiting

  /** @param {number} milliseconds */
  function pause(milliseconds) {
    return new Promise((resolve) => setTimeout(resolve, milliseconds));
  }

  function nextFrame() {
    return Promise.race([new Promise((resolve) => requestAnimationFrame(resolve)), pause(FRAME_WAIT_MS)]);
  }

  /**
   * The element to act on, ready for it. Pages replace their elements while they load, so each round searches anew.
   *
   * @returns {Promise<{element: Element, matches: number, point?: Point}>}
   */
  async function ready() {
    const parts = parse(request.selector);
    const deadline = performance.now() + READY_WAIT_MS;
    /** @type {ScrollLogicalPosition[]} */
    const alignments = [...ALIGNMENTS];
    for (;;) {
      const found = await whenThere(parts);
      const element = targetOf(/** @type {Element} */ (found.find(isVisible) ?? found[0]));
      const { trouble, ...aimed } = await attempt(element, alignments);
      if (!trouble) return { element, matches: found.length, ...aimed };
      if (performance.now() > deadline) {
        throw new PageError("EXECUTION_ERROR", `After ${READY_WAIT_MS / 1000} s ${nameOf(element)} ${trouble}`);
      }
      await pause(POLL_MS);
    }
  }

  /** @param {Part[]} parts */
  async function whenThere(parts) {
    const deadline = performance.now() + FIND_WAIT_MS;
    for (;;) {
      const found = findAll(parts);
      if (found.length) return found;
      if (performance.now() > deadline) throw notFound(request.selector);
      await pause(POLL_MS);
    }
  }

  /**
   * @param {Element} element
   * @param {ScrollLogicalPosition[]} alignments what was not tried yet
   * @returns {Promise<{trouble: string, point?: Point}>} the trouble completes a sentence that starts with the element
   */
  async function attempt(element, alignments) {
    const handle = handleOf(element);
    if (!isVisible(handle)) return { trouble: "is still not visible. Do first what shows it, then try again." };
    if (isDisabled(element)) return { trouble: "is still disabled. Do first what enables it, then try again." };
    if (isInert(element)) return { trouble: "is still out of use (inert). Close what is open in front of it." };
    if (request.action !== "click" && request.action !== "hover") return { trouble: "" };
    const place = () => inMainFrame(boxOf(handle), handle, { isClipped: false });
    const block = aimAt(handle, element).point ? undefined : alignments.shift();
    if (block) scrollTo(handle, { block, inline: "nearest" });
    // Between two frames the browser has moved what it animates to where the next frame shows it.
    if (isAnimated(handle)) await nextFrame();
    const before = place();
    await nextFrame();
    const { x, y, width, height } = place();
    if (x !== before.x || y !== before.y || width !== before.width || height !== before.height) {
      return { trouble: "still moves. Wait until the page has come to rest, then try again." };
    }
    const { point, cover } = aimAt(handle, element);
    return point ? { trouble: "", point } : { trouble: coverage(handle, cover) };
  }

  /** @param {Element} element */
  function isAnimated(element) {
    const animations = [...drawnAncestors(element)].flatMap((ancestor) =>
      Reflect.apply(Element.prototype.getAnimations, ancestor, []),
    );
    return animations.some(({ playState }) => playState === "running");
  }

  /**
   * @param {Element} handle
   * @param {Element | null} cover
   */
  function coverage(handle, cover) {
    if (getComputedStyle(handle).pointerEvents === "none") {
      return "lets the mouse through (pointer-events: none). Act on what holds it or lies below it.";
    }
    if (!cover) return "is still outside of what can be scrolled into view.";
    // The banner rather than the paragraph in it.
    let outermost = cover;
    for (const ancestor of drawnAncestors(cover)) {
      if (isDrawnIn(ancestor, handle)) break;
      outermost = ancestor;
    }
    return `is still covered by ${nameOf(outermost)}. Close or scroll away what covers it, then try again.`;
  }

  /**
   * Checkboxes are often hidden and a label drawn in their place.
   *
   * @param {Element} element
   */
  function handleOf(element) {
    return isVisible(element) ? element : (labelsOf(element).find(isVisible) ?? element);
  }

  /** @param {Element} element */
  function isDisabled(element) {
    const [self, ...ancestors] = drawnAncestors(element);
    const isOff = "button:disabled, [aria-disabled='true']";
    return (
      isMatch(self ?? element, ":disabled, [aria-disabled='true']") || ancestors.some((one) => isMatch(one, isOff))
    );
  }

  /** @param {Element} element */
  function isInert(element) {
    return [...drawnAncestors(element)].some((ancestor) => isMatch(ancestor, "[inert]"));
  }

  // --- Which element takes the action

  /**
   * @param {Element} element
   * @returns {Element} itself, or for a label the field it belongs to
   * @throws {PageError} EXECUTION_ERROR when it takes another command
   */
  function targetOf(element) {
    if (request.action === "fill") return fieldOf(element);
    if (request.action === "select") return listOf(element);
    const kind = kindOf(controlOf(element) ?? element);
    if (request.action === "click" && UNCLICKABLE.has(kind)) throw misfit(element, ADVICE.get(kind) ?? "");
    return element;
  }

  /** @param {Element} element */
  function controlOf(element) {
    const label = isControl(element) ? null : closestOf(element, "label");
    return label && isHtml(label) ? /** @type {HTMLLabelElement} */ (label).control : null;
  }

  /** @param {Element} element */
  function kindOf(element) {
    return isHtml(element) && tagOf(element) === "input"
      ? /** @type {HTMLInputElement} */ (element).type
      : tagOf(element);
  }

  /** @param {Element} element */
  function fieldOf(element) {
    const field = isControl(element) ? element : (controlOf(element) ?? editorOf(element) ?? element);
    const kind = kindOf(field);
    if (TYPED.has(kind) || FORMATS.has(kind) || kind === "textarea" || editorOf(field)) return field;
    const { [0]: inner, length } = [...drawnFields(field)];
    const advice = ADVICE.get(kind) ?? "is no field to write into. Name an input, a textarea or an editable element.";
    throw misfit(field, length === 1 && inner ? `is no field. Did you mean ${selectorOf(inner)} in it?` : advice);
  }

  /** @param {Element} element */
  function drawnFields(element) {
    const scope = isHtml(element) && !isControl(element) ? queryIn(element, "input, textarea") : [];
    return scope.filter(isVisible).slice(0, 2);
  }

  /**
   * @param {Element} element
   * @param {string} selector
   * @returns {Element[]}
   */
  function queryIn(element, selector) {
    return [...Reflect.apply(Element.prototype.querySelectorAll, element, [selector])];
  }

  /**
   * @param {Element} element
   * @returns {HTMLElement | null} the outermost editable element around it
   */
  function editorOf(element) {
    /** @type {HTMLElement | null} */
    let editor = null;
    for (const ancestor of treeAncestors(element)) {
      if (!isHtml(ancestor) || !Reflect.get(HTMLElement.prototype, "isContentEditable", ancestor)) break;
      editor = ancestor;
    }
    return editor;
  }

  /** @param {Element} element */
  function listOf(element) {
    const list = closestOf(element, "select") ?? controlOf(element) ?? element;
    if (kindOf(list) === "select") return list;
    if (isControl(list)) throw misfit(list, "is no list of options (<select>). Use fill or click.");
    throw misfit(list, "is no list of options (<select>). Use click to open it, then click the option.");
  }

  /**
   * @param {Element} element
   * @param {string} advice
   */
  function misfit(element, advice) {
    return new PageError("EXECUTION_ERROR", `${nameOf(element)} ${advice}`);
  }

  // --- fill

  /**
   * Puts the value in where no text is typed; elsewhere focuses the field and selects what is in it.
   *
   * @param {Element} element
   * @param {string} value
   * @returns {Filling}
   */
  function prepareField(element, value) {
    const kind = kindOf(element);
    const isInput = tagOf(element) === "input";
    const lines = value.replace(/\r\n?/gu, "\n");
    const isEntered = isInput && lines.endsWith("\n");
    const text = isInput ? lines.replace(/\n$/u, "").replace(/\s*\n\s*/gu, " ") : lines;
    const field = /** @type {HTMLInputElement} */ (element);
    const isTyped = !FORMATS.has(kind) || kind === "number";
    if (kind === "number" && text !== "" && !isNumber(text)) throw misfitValue(field);
    field.focus();
    const active = focusedIn(/** @type {Root} */ (rootOf(field)));
    if (active !== field) {
      throw misfit(element, `gives the focus away${active ? ` to ${nameOf(active)}` : ""}. Fill what takes it.`);
    }
    // Some fields are read-only until they have the focus, to keep the browser from filling them.
    if (isControl(element) && field.readOnly) {
      throw misfit(element, "is read-only. It changes only by what the page itself does.");
    }
    const before = isControl(element) ? field.value : innerTextOf(field);
    // `finishFill` in after-input.js goes on with it. Named elements of the page cannot hide a symbol.
    Reflect.set(globalThis, Symbol.for("chrome-tab-reader.field"), {
      field,
      before,
      typed: isTyped && typingInto(field),
    });
    if (isTyped) selectContent(field);
    else setValue(field, kind, text);
    return { text, isTyped, isEntered };
  }

  /**
   * @param {HTMLElement} field
   * @returns {Promise<"typed">} when the page has taken the next typing, whatever it makes of it
   */
  function typingInto(field) {
    return new Promise((resolve) => {
      // The second turn comes after what the page puts off to the next one.
      const soon = () => setTimeout(() => setTimeout(resolve, 0, "typed"));
      field.addEventListener("beforeinput", soon, { capture: true, once: true });
    });
  }

  /** @param {Root} root */
  function focusedIn(root) {
    return Reflect.get(isDocument(root) ? Document.prototype : ShadowRoot.prototype, "activeElement", root);
  }

  /** @param {string} text */
  function isNumber(text) {
    return /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/iu.test(text.trim());
  }

  /** @param {HTMLInputElement} field */
  function selectContent(field) {
    if (isControl(field)) return field.select();
    const view = windowOf(/** @type {Document} */ (documentOf(field)));
    view?.getSelection()?.selectAllChildren(field);
  }

  /**
   * A page that watches its own property of the field sees no change of this world, as with a person's.
   *
   * @param {HTMLInputElement} field
   * @param {string} kind
   * @param {string} text
   */
  function setValue(field, kind, text) {
    const before = field.value;
    const wanted = text.trim();
    const { min, max } = field;
    const isRefused =
      (kind === "color" && !/^#[\da-f]{6}$/iu.test(wanted)) ||
      (kind === "range" &&
        (!isNumber(wanted) || Number(wanted) < Number(min || 0) || Number(wanted) > Number(max || 100)));
    if (!isRefused) field.value = wanted;
    if (isRefused || (wanted !== "" && field.value === "")) {
      field.value = before;
      throw misfitValue(field);
    }
    field.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  }

  /** @param {HTMLInputElement} field */
  function misfitValue(field) {
    const { type, min, max } = field;
    const limits = type === "range" ? ` from ${Number(min || 0)} to ${Number(max || 100)}` : "";
    return misfit(field, `does not take this value. Give it ${FORMATS.get(type)}${limits}.`);
  }

  // --- select

  /**
   * @param {HTMLSelectElement} list
   * @param {string[]} values
   */
  function chooseOptions(list, values) {
    if (!list.multiple && values.length !== 1) {
      throw misfit(list, `takes one option, and ${values.length} were given. Give one value or label.`);
    }
    const chosen = new Set(values.map((value) => optionOf(list, value)));
    const changed = [...list.options].filter((option) => option.selected !== chosen.has(option));
    for (const option of list.multiple ? changed : chosen) option.selected = chosen.has(option);
    if (changed.length) {
      list.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
      list.dispatchEvent(new Event("change", { bubbles: true }));
    }
    return [...list.selectedOptions].map(({ value, label }) => ({ value, label: shorten(label) }));
  }

  /**
   * @param {HTMLSelectElement} list
   * @param {string} wanted
   */
  function optionOf(list, wanted) {
    const options = [...list.options];
    const fold = (/** @type {string} */ text) => collapse(text).toLowerCase();
    const found = [
      options.filter(({ value }) => value === wanted),
      options.filter(({ label }) => label === wanted),
      options.filter(({ label }) => fold(label) === fold(wanted)),
    ].find((matching) => matching.length);
    const named = options.slice(0, LISTED_OPTIONS).map(({ value, label }) => `${quote(value)} (${quote(label)})`);
    const more = options.length > LISTED_OPTIONS ? ` and ${options.length - LISTED_OPTIONS} more` : "";
    if (!found) throw misfit(list, `has no option ${quote(wanted)}. Its options are ${named.join(", ")}${more}.`);
    const usable = found.find((option) => !isMatch(option, ":disabled, optgroup:disabled > *"));
    if (!usable) throw misfit(list, `has an option ${quote(wanted)}, but it is disabled. Choose another one.`);
    return usable;
  }

  // --- The answer

  /**
   * @param {Element} element
   * @returns {ElementDescription}
   */
  function describe(element) {
    return { selector: selectorOf(element), tag: tagOf(element), text: shorten(textOf(element)) };
  }

  /** @param {Element} element */
  function act(element) {
    switch (request.action) {
      case "fill":
        return { filling: prepareField(element, request.value) };
      case "select":
        return { selected: chooseOptions(/** @type {HTMLSelectElement} */ (element), request.values) };
      case "show":
        scrollTo(element, { block: "nearest", inline: "nearest" });
        return { box: outlineOf(element) };
      case "click":
        return rememberState(controlOf(element) ?? element);
      case "hover":
        return {};
    }
  }

  /**
   * @param {Element} element
   * @returns {Box} in the document of the main frame
   */
  function outlineOf(element) {
    const boxes = rectsOf(element).map((rect) => inMainFrame(rect, element, { isClipped: false }));
    const x = Math.min(...boxes.map((box) => box.x));
    const y = Math.min(...boxes.map((box) => box.y));
    const width = Math.max(...boxes.map((box) => box.x + box.width)) - x;
    const height = Math.max(...boxes.map((box) => box.y + box.height)) - y;
    return { x: x + scrollX, y: y + scrollY, width, height };
  }

  /** @param {Element} element */
  function rememberState(element) {
    if (!["checkbox", "radio"].includes(kindOf(element)) && attributeOf(element, "aria-checked") === null) return {};
    // `readChecked` in after-input.js looks at it again.
    Reflect.set(globalThis, Symbol.for("chrome-tab-reader.checkable"), element);
    return { isCheckable: true };
  }

  try {
    const { element, ...found } = await ready();
    // Acting may take the element away.
    const description = describe(element);
    return { code: "", element: description, ...found, ...act(element) };
  } catch (error) {
    if (error instanceof PageError) return { code: error.code, message: error.message };
    // Nothing is thrown on: no answer means that the page has left.
    const kind = error instanceof Error ? error.name : typeof error;
    const advice = "Try a selector that is simpler, or that names the element by its id.";
    return {
      code: "EXECUTION_ERROR",
      message: `The page is built in a way that stops the search (${kind}). ${advice}`,
    };
  }
}

/**
 * As `findElement`, where that has run before: its source is long, and reading it again takes longer than a search.
 *
 * @param {ElementRequest} request
 * @returns {Promise<ElementAnswer> | false} false when it has not run in this page yet
 */
export function findElementAgain(request) {
  /** @type {typeof findElement | undefined} */
  const kept = Reflect.get(globalThis, Symbol.for("chrome-tab-reader.find-element"));
  return kept ? kept(request) : false;
}
