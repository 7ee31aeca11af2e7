"use strict";

// What assistive technology reads of an element: its accessible name (by the rules of accname), its role, and its state.

const aria = (() => {
  const {
    attributeOf,
    childrenOf,
    dataOf,
    documentOf,
    drawnAncestors,
    drawnChildrenOf,
    isControl,
    isElement,
    isHtml,
    isMatch,
    isText,
    kindOf,
    labelsOf,
    likelyRootOf,
    queryAll,
    rootOf,
    tagOf,
  } = dom;
  const { collapse, quote, shorten } = texts;
  const { isRendered } = geometry;

  /** Characters after which a name is cut anyway. */
  const ENOUGH = 400;
  const SILENT = new Set(["script", "style", "template", "noscript", "select", "textarea", "iframe"]);
  const WORDED = new Set(["submit", "button", "reset"]);
  /** What is drawn in a line of text; all else stands apart. */
  const INLINE = new Set(["a", "abbr", "b", "bdi", "code", "em", "font", "i", "mark", "s", "small", "span", "strong"]);
  const NAMING_PARTS = new Map([
    ["fieldset", "legend"],
    ["figure", "figcaption"],
    ["svg", "title"],
    ["table", "caption"],
  ]);
  /** Glyphs of icon fonts. */
  const GLYPHS = /\p{Co}/gu;
  const VALUE_LENGTH = 60;
  const LISTED_OPTIONS = 12;
  const OPTION_LENGTH = 20;

  /** Roles of ARIA that somebody acts on. */
  const ACTED_ON = new Set(
    (
      "button checkbox combobox gridcell link listbox menuitem menuitemcheckbox menuitemradio option radio scrollbar " +
      "searchbox slider spinbutton switch tab textbox treeitem"
    ).split(" "),
  );
  /** Cells and lists are so only where they take the focus or the mouse by themselves. */
  const ACTED_ON_AT_TIMES = new Set(["gridcell", "listbox", "scrollbar"]);
  const KINDS = new Map([
    ["button", "button"],
    ["checkbox", "checkbox"],
    ["color", "color"],
    ["date", "date"],
    ["datetime-local", "datetime"],
    ["file", "file"],
    ["image", "button"],
    ["month", "month"],
    ["number", "number"],
    ["password", "password"],
    ["radio", "radio"],
    ["range", "slider"],
    ["reset", "button"],
    ["search", "searchbox"],
    ["submit", "button"],
    ["time", "time"],
    ["week", "week"],
  ]);
  const TAGS = new Map([
    ["a", "link"],
    ["area", "link"],
    ["audio", "audio"],
    ["button", "button"],
    ["canvas", "canvas"],
    ["select", "select"],
    ["summary", "summary"],
    ["textarea", "textbox"],
    ["video", "video"],
  ]);
  const CHECKABLE = new Set(["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"]);
  /** What is named by what stands next to it rather than in it. */
  const FIELDS = new Set(
    (
      "canvas color combobox date datetime file frame listbox month number password scrollable searchbox select slider " +
      "spinbutton textbox time week"
    ).split(" "),
  );

  /** What may be acted on, by what it says itself. */
  const CANDIDATES =
    "a[href], area[href], button, input:not([type=hidden]), select, textarea, summary, canvas, audio[controls], " +
    "video[controls], [contenteditable]:not([contenteditable=false]), [role], [tabindex]:not([tabindex^='-']), " +
    "[draggable=true], [onclick], [ondblclick], [onmousedown], [onmouseup], [onmouseover], [onpointerdown], " +
    "[onpointerup], [ontouchstart], [ondrop], [onkeydown]";

  /**
   * @param {Element} element
   * @param {boolean} fromContent
   * @returns {string} in one line; empty when it has none
   */
  function accessibleNameOf(element, fromContent) {
    const ways = [
      () => labelledBy(element),
      () => attributeOf(element, "aria-label"),
      () => nativeNameOf(element),
      () => (fromContent ? contentOf(element) : ""),
      () => attributeOf(element, "title"),
      () => attributeOf(element, "placeholder") ?? attributeOf(element, "aria-placeholder"),
    ];
    for (const way of ways) {
      const name = plain(way() ?? "");
      if (name) return name;
    }
    return "";
  }

  /** @param {string} text */
  function plain(text) {
    return collapse(text.slice(0, ENOUGH).replace(GLYPHS, ""));
  }

  /** @param {Element} element */
  function labelledBy(element) {
    const ids = attributeOf(element, "aria-labelledby")?.match(/\S+/gu) ?? [];
    const root = ids.length ? /** @type {Root} */ (rootOf(element)) : document;
    const labels = ids.flatMap((id) => queryAll(root, `#${CSS.escape(id)}`).slice(0, 1));
    return labels.map((label) => attributeOf(label, "aria-label") || contentOf(label, true)).join(" ");
  }

  /** @param {Element} element */
  function nativeNameOf(element) {
    if (isControl(element)) {
      const kind = kindOf(element);
      const label = collapse(
        labelsOf(element)
          .map((one) => contentOf(one))
          .join(" "),
      );
      if (label || !WORDED.has(kind)) return label || (kind === "image" ? attributeOf(element, "alt") : "");
      return element.value || { submit: "Submit", reset: "Reset" }[kind];
    }
    const tag = tagOf(element);
    if (tag === "img" || tag === "area") return attributeOf(element, "alt");
    const part = NAMING_PARTS.get(tag);
    const naming = part && [...childrenOf(element)].find((child) => tagOf(child) === part);
    return naming ? contentOf(naming, true) : "";
  }

  /**
   * What a user reads in an element, without what is written into fields.
   *
   * @param {Element} element
   * @param {boolean} [isHiddenToo]
   */
  function contentOf(element, isHiddenToo = false) {
    /** @type {string[]} */
    const parts = [];
    let length = 0;
    const add = (/** @type {string} */ text) => {
      parts.push(text);
      length += text.length;
    };
    const read = (/** @type {Element} */ outer) => {
      for (const node of drawnChildrenOf(outer, likelyRootOf(outer))) {
        if (length > ENOUGH) return;
        if (isText(node)) add(dataOf(node));
        else if (isElement(node)) readElement(node);
      }
    };
    const readElement = (/** @type {Element} */ inner) => {
      const tag = tagOf(inner);
      if (SILENT.has(tag) || (!isHiddenToo && !isRendered(inner))) return;
      const edge = INLINE.has(tag) ? "" : " ";
      // A label is asked for its control's name.
      const own = isControl(inner) ? edge : attributeOf(inner, "aria-label") || nativeNameOf(inner);
      add(edge);
      if (own) add(own);
      else read(inner);
      add(edge);
    };
    read(element);
    return parts.join("");
  }

  /**
   * @param {Element} element one of the candidates
   * @returns {string} empty when it cannot be acted on
   */
  function roleOf(element) {
    const native = isHtml(element) ? nativeRoleOf(element) : "";
    const said = attributeOf(element, "role")?.trim().split(/\s+/u, 1)[0]?.toLowerCase();
    if (native && !said) return native;
    if (said && ACTED_ON.has(said) && native !== "select" && native !== "password") {
      const isSo = native || !ACTED_ON_AT_TIMES.has(said) || isMatch(element, "[tabindex], [onclick]");
      return isSo ? said : "";
    }
    return native || (isMatch(element, CANDIDATES.replace("[role], ", "")) ? "clickable" : "");
  }

  /** @param {Element} element */
  function nativeRoleOf(element) {
    const tag = tagOf(element);
    if (tag === "input") return KINDS.get(kindOf(element)) ?? "textbox";
    if (tag === "a" && attributeOf(element, "href") === null) return "";
    return TAGS.get(tag) ?? (Reflect.get(HTMLElement.prototype, "isContentEditable", element) ? "textbox" : "");
  }

  /** @param {string} role */
  function isNamedByContent(role) {
    return !FIELDS.has(role);
  }

  /**
   * @param {Element} element
   * @param {string} role
   * @returns {string} for example `= "Ada" required`; never what a password is
   */
  function stateOf(element, role) {
    const words = [valueOf(element, role), checkOf(element, role)];
    const is = (/** @type {string} */ name, wanted = "true") => attributeOf(element, `aria-${name}`) === wanted;
    const isNow = (/** @type {string} */ selector) => isMatch(element, selector);
    const control = isControl(element);
    if (is("expanded") || isNow("details[open] > summary")) words.push("expanded");
    else if (is("expanded", "false") || isNow("details:not([open]) > summary")) words.push("collapsed");
    if (is("pressed")) words.push("pressed");
    if (is("selected")) words.push("selected");
    if (attributeOf(element, "aria-current") && !is("current", "false")) words.push("current");
    if (isNow(":disabled") || isOff(element)) words.push("disabled");
    if (isNow(":read-only") && control && isNow("[readonly]")) words.push("readonly");
    if (isNow(":required") || is("required")) words.push("required");
    if (is("invalid") || isNow(":user-invalid")) words.push("invalid");
    if (isNow(":focus") && element !== bodyOf(element)) words.push("focused");
    return words.filter(Boolean).join(" ");
  }

  /** @param {Element} element */
  function bodyOf(element) {
    const owner = documentOf(element);
    return owner && Reflect.get(Document.prototype, "body", owner);
  }

  /** @param {Element} element */
  function isOff(element) {
    for (const ancestor of drawnAncestors(element)) {
      if (attributeOf(ancestor, "aria-disabled") === "true") return true;
    }
    return false;
  }

  /**
   * @param {Element} element
   * @param {string} role
   */
  function checkOf(element, role) {
    if (!CHECKABLE.has(role)) return "";
    const input = /** @type {HTMLInputElement} */ (element);
    const isInput = isControl(element) && (input.type === "checkbox" || input.type === "radio");
    if (isInput && input.indeterminate) return "mixed";
    const said = isInput ? String(input.checked) : attributeOf(element, "aria-checked");
    return { true: "on", mixed: "mixed" }[said ?? ""] ?? "off";
  }

  /**
   * @param {Element} element
   * @param {string} role
   */
  function valueOf(element, role) {
    if (isControl(element)) return controlValueOf(element, kindOf(element));
    if (role === "frame") return hostOf(attributeOf(element, "src") ?? "");
    const now = attributeOf(element, "aria-valuetext") ?? attributeOf(element, "aria-valuenow");
    if (now !== null) {
      return `= ${shorten(now)}${limitsOf(attributeOf(element, "aria-valuemin"), attributeOf(element, "aria-valuemax"))}`;
    }
    if (role !== "textbox" && role !== "searchbox" && role !== "combobox") return "";
    const text = collapse(contentOf(element));
    return text ? `= ${plainQuote(text, VALUE_LENGTH)}` : "";
  }

  /** @param {string} address */
  function hostOf(address) {
    const url = URL.parse(address, location.href);
    return url?.host ? `of ${shorten(url.host)}` : "";
  }

  /**
   * @param {Control} control
   * @param {string} kind
   */
  function controlValueOf(control, kind) {
    const { value } = control;
    if (kind === "select") return optionsOf(/** @type {HTMLSelectElement} */ (control));
    if (kind === "password") return value ? "filled" : "empty";
    if (kind === "file") return filesOf(/** @type {HTMLInputElement} */ (control));
    if (kind === "range") {
      const { min, max } = /** @type {HTMLInputElement} */ (control);
      return `= ${value}${limitsOf(min || "0", max || "100")}`;
    }
    const isWorded = ["submit", "button", "reset", "image", "checkbox", "radio"].includes(kind);
    return isWorded || !value ? "" : `= ${plainQuote(value, VALUE_LENGTH)}`;
  }

  /**
   * @param {string | null} least
   * @param {string | null} most
   */
  function limitsOf(least, most) {
    return least !== null && most !== null ? ` (${shorten(least)} to ${shorten(most)})` : "";
  }

  /** @param {HTMLInputElement} field */
  function filesOf({ files }) {
    return files?.length ? `= ${[...files].map(({ name }) => plainQuote(name, VALUE_LENGTH)).join(", ")}` : "empty";
  }

  /** @param {HTMLSelectElement} list */
  function optionsOf(list) {
    const all = [...list.options];
    const chosen = all.findIndex(({ selected }) => selected);
    const first = Math.max(0, Math.min(chosen - 2, all.length - LISTED_OPTIONS));
    const listed = all.slice(first, first + LISTED_OPTIONS).map((option) => {
      const mark = `${option.disabled ? " disabled" : ""}${option.selected ? "*" : ""}`;
      return `${shorten(option.label, OPTION_LENGTH).replace(/[{|}]/gu, " ")}${mark}`;
    });
    const before = first ? [`${first} before`] : [];
    const after = all.length - first - listed.length;
    const options = [...before, ...listed, ...(after ? [`${after} more`] : [])].join("|");
    return `{${options}}${list.multiple ? " multiple" : ""}`;
  }

  /**
   * @param {string} text
   * @param {number} [length]
   * @returns {string} which ends where its quotation marks do
   */
  function plainQuote(text, length) {
    return quote(text.replaceAll('"', "'"), length);
  }

  return { CANDIDATES, INLINE, accessibleNameOf, contentOf, isNamedByContent, plain, plainQuote, roleOf, stateOf };
})();
