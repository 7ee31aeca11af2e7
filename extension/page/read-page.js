// Runs inside the page, from its own source text: it holds its helpers and uses nothing from outside, but for the main
// content what the scripts in main-content/ leave there before.
// scripts/embed_page_function.py copies it into chrome_tab.scpt, so comments stand on their own lines.

/**
 * @typedef {'deduplicateLines' | 'filterContentBetweenKeywords' | 'filterToEnd'
 *   | 'filterFromStart' | 'trimWhitespace'} StepName
 * @typedef {[StepName, ...string[]]} Step the name of a step, then its keywords
 * @typedef {({start: string | null, end: string | null, more?: string} | {steps: Step[]})
 *   & {content?: "main" | "all" | "selection", links?: boolean, pdf?: "wanted" | "taken"}} ReadPageRequest
 *   `more` is text that follows the page's own: only the extension can read frames of other sites. `pdf`: whether the
 *   scripts for a PDF are still to be put there.
 *   `links`: whether the main content names the addresses of its links.
 * @typedef {{path: "article" | "blocks" | "noscript" | "whole", left_out: number, note: string}} MainContentReport
 *   Which way led to the main content, how many characters of the page are not in it, and what to tell about that.
 * @typedef {{code: string, message: string, text: string, url: string, title: string, content?: MainContentReport,
 *   notes?: string[]}} ReadPageResult
 *   `code` is empty when the page was read; otherwise `text` is empty and `message` is a sentence. `notes`: what the text
 *   does not hold of the page.
 */

/**
 * Read the text of this page, each line once, between the keywords. The rules are in DESIGN.md.
 *
 * @param {ReadPageRequest} request
 * @returns {ReadPageResult | "absent" | "pdf"} "absent" where the scripts for the main content are not there yet, "pdf"
 *   where those for a PDF have not read it
 */
export function readPage(request) {
  const MAX_TEXT_BYTES = 30 * 1024 * 1024;
  const EXCERPT_LENGTH = 80;
  const CLOSEST_LINES = 3;
  const MAX_MAIN_CHARS = 2_000_000;
  /** Characters of a line that is running text, not a label. */
  const LONG_LINE = 80;
  /** Share of the text below which what stands in web components and frames may be left out. */
  const MIN_INNER_SHARE = 0.1;
  /** Characters for browsers without scripts that are more than the advice to turn those on. */
  const MIN_SPARE = 250;
  /** CSS pixels a side, below which nothing is a picture to look at. */
  const MIN_PICTURE = 50;
  const PICTURES = "img, svg, picture, [role=img], [role=graphics-document], input[type=image]";
  const MENUS = "[role=menubar], [role=menu], [role=toolbar], nav, header";
  /** Characters next to a canvas and its menus that are more than a title. */
  const MIN_OUTSIDE_MENUS = 200;
  const EDITORS = "[contenteditable], [role=textbox], [role=menubar], [role=application]";

  class PageError extends Error {
    /**
     * @param {'KEYWORD_NOT_FOUND' | 'EMPTY_PAGE' | 'UNREADABLE_PAGE'} code
     * @param {string} message
     */
    constructor(code, message) {
      super(message);
      this.code = code;
    }
  }

  /**
   * A property of the document itself: a page can shadow `document.body` with a named element.
   *
   * @template {'body' | 'contentType' | 'documentElement' | 'readyState' | 'title'} Name
   * @param {Name} name
   * @returns {Document[Name]}
   */
  function ofDocument(name) {
    return Reflect.get(Document.prototype, name, document);
  }

  /**
   * A keyword or a line of the page, short and without what could disturb a terminal.
   *
   * @param {string} text
   */
  function quote(text) {
    // Two units can make one character: twice the length, and one character more to see a cut.
    const start = text.trim().slice(0, 2 * EXCERPT_LENGTH + 2);
    const safe = start.replace(/(?!\t)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, " ");
    const characters = [...safe];
    const isLong = characters.length > EXCERPT_LENGTH;
    return isLong ? `"${characters.slice(0, EXCERPT_LENGTH - 3).join("")}..."` : `"${safe}"`;
  }

  /**
   * Full Unicode case folding: upper case first makes one text of "ss" and U+00DF. The capital U+1E9E is its own
   * upper case, so it is put into lower case before.
   *
   * @param {string} text
   */
  function fold(text) {
    return text.replaceAll("\u1e9e", "\u00df").toUpperCase().toLowerCase();
  }

  /**
   * Without what UTF-8 (lone surrogates) or a C program (NUL) on the way cannot carry.
   *
   * @param {string} text
   */
  function wellFormed(text) {
    return text.toWellFormed().replaceAll("\0", "\ufffd");
  }

  /**
   * @param {string} message
   * @returns {PageError}
   */
  function unreadable(message) {
    return new PageError("UNREADABLE_PAGE", message);
  }

  /**
   * @param {string} selector
   * @param {Document} [page]
   * @returns {Element[]}
   */
  function all(selector, page = document) {
    return [...Reflect.apply(Document.prototype.querySelectorAll, page, [selector])];
  }

  /** What the tab shows, with LF as its only line end. */
  function shownText() {
    if (!["http:", "https:", "file:"].includes(location.protocol)) {
      throw unreadable("This tab shows a page of the browser itself, which cannot be read. Switch to a web page.");
    }
    if (request.content === "selection") return selectedText();
    const text = type === "application/pdf" ? pdfText() : isWebPage || isPlain ? pageText() : dataText();
    return withLineFeeds(text);
  }

  /** The text of a document that a browser lays out. */
  function pageText() {
    const body = ofDocument("body");
    if (!body) throw unreadable("This page has no body, so it shows no text. Choose another tab, then ask again.");
    const text = body.innerText;
    if (isWebPage && isDrawnEditor(text)) {
      throw unreadable(
        "This page draws its document on a canvas, so only its menus are text. Use its own export or its view for" +
          " printing or for screen readers (in Google Docs: File > Download), open that in a tab, and ask again.",
      );
    }
    return text;
  }

  /**
   * Whether what can be edited here is drawn: the text is menus alone.
   *
   * @param {string} text
   */
  function isDrawnEditor(text) {
    const isLabels = !text.split("\n").some((line) => line.length >= LONG_LINE);
    if (!isLabels || windowShare("canvas") < 0.5 || all(EDITORS).length === 0) return false;
    const menus = all(MENUS).filter((menu) => menu.parentElement?.closest(MENUS) === null);
    const lengths = menus.map((menu) => (menu instanceof HTMLElement ? menu.innerText.length : 0));
    return text.length - lengths.reduce((sum, length) => sum + length, 0) < MIN_OUTSIDE_MENUS;
  }

  /** The text of a PDF, which other scripts have taken from it. */
  function pdfText() {
    if (pdf === undefined) {
      throw unreadable(
        "The PDF in this tab was not loaded in time. Wait until it shows, then ask again; where that does not help, open it in Chrome.",
      );
    }
    if (pdf.problem) throw unreadable(pdf.problem);
    return pdf.text;
  }

  /** The text of a document that is neither a page nor plain text. */
  function dataText() {
    const root = ofDocument("documentElement");
    if (type === "image/svg+xml") {
      return textOfDrawing(root) || refusePicture("drawing");
    }
    if (/[/+]xml$/.test(type)) {
      const [broken] = all("parsererror > div");
      if (broken) {
        throw unreadable(
          `This file is no XML that the browser can read: ${quote(broken.textContent ?? "")}. Have it corrected, or open a copy of it with the ending .txt in a tab, then ask again.`,
        );
      }
      // Where the browser shows the tree of it.
      const [source] = all("#webkit-xml-viewer-source-xml");
      const nodes = source ? [...source.childNodes] : [root];
      const xml = nodes.map((node) => new XMLSerializer().serializeToString(node)).join("\n");
      return xml.trim().includes("\n") ? xml : xml.replaceAll("><", ">\n<");
    }
    if (type.startsWith("image/")) return refusePicture("picture");
    return pageText();
  }

  /**
   * What a drawing says in words: its names, descriptions and texts.
   *
   * @param {Element} root
   */
  function textOfDrawing(root) {
    const parts = [...root.querySelectorAll("title, desc, text, [aria-label]")];
    const texts = [root, ...parts].map((part) =>
      /^(?:title|desc|text)$/.test(part.localName) ? part.textContent : part.getAttribute("aria-label"),
    );
    return texts
      .map((text) => text?.replace(/\s+/g, " ").trim())
      .filter(Boolean)
      .join("\n");
  }

  /**
   * @param {string} what
   * @returns {never}
   */
  function refusePicture(what) {
    throw unreadable(
      `This tab shows a ${what} and no text, and nothing describes it in words. A model that takes images can look at` +
        " a screenshot of it; or open a page that says in words what it shows.",
    );
  }

  /** @returns {never} */
  function refuseMedia() {
    throw unreadable(
      "This tab plays a video or a sound and shows no text. Open its transcript as a page, then ask again.",
    );
  }

  /**
   * @param {Element} element
   * @returns {{width: number, height: number}} in CSS pixels; nothing of what is not visible
   */
  function drawnSize(element) {
    return element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
      ? element.getBoundingClientRect()
      : { width: 0, height: 0 };
  }

  /**
   * @param {string} selector
   * @returns {Element[]} those that are large enough to be looked at
   */
  function drawn(selector) {
    return all(selector).filter((element) => {
      const { width, height } = drawnSize(element);
      return width >= MIN_PICTURE && height >= MIN_PICTURE;
    });
  }

  /** @param {string} selector */
  function windowShare(selector) {
    const areas = all(selector).map(drawnSize);
    return areas.reduce((sum, { width, height }) => sum + width * height, 0) / (innerWidth * innerHeight);
  }

  /**
   * What pictures say in words, each on a line; empty where none does.
   *
   * @returns {string}
   */
  function textOfPictures() {
    const texts = drawn(PICTURES).map((picture) => {
      const label = picture.getAttribute("aria-label") || picture.getAttribute("alt") || picture.getAttribute("title");
      return label || (picture.localName === "svg" ? textOfDrawing(picture) : "");
    });
    return texts
      .map((text) => text.trim())
      .filter(Boolean)
      .map((text) => `[Picture: ${text}]`)
      .join("\n");
  }

  /**
   * Says why a page without text has none. What it shows instead decides.
   *
   * @returns {never}
   */
  function refuseEmpty() {
    if (isWebPage && request.content !== "main") refuseForMainContent();
    if (drawn("canvas").length > 0) {
      throw unreadable(
        "This page draws what it shows on a canvas, so there is no text to read. Look for its own export, or for a view" +
          " of it for printing or for screen readers; or let a model that takes images look at a screenshot.",
      );
    }
    if (drawn("embed, object, iframe").length > 0) {
      throw unreadable(
        "What this page shows stands in a frame that cannot be read from it. Open the frame's own address in a tab of" +
          " its own, then ask again.",
      );
    }
    if (drawn("video, audio").length > 0) refuseMedia();
    if (drawn(PICTURES).length > 0) refusePicture("page of pictures");
    throw new PageError(
      "EMPTY_PAGE",
      "The page shows no text. Wait until it has loaded, or choose another tab, then ask again.",
    );
  }

  /** Refuses a page whose text is to be had as its main content alone. */
  function refuseForMainContent() {
    if (innerText(all("*"))) {
      throw unreadable(
        'All text of this page stands in web components or frames, which are read as its main content: ask with content="main".',
      );
    }
    const spare = all("noscript").map((part) => (part.textContent ?? "").replace(/<[^>]*>/g, ""));
    if (spare.some((text) => text.trim().length >= MIN_SPARE)) {
      throw unreadable(
        'This page shows no text, but holds some for browsers without scripts, which content="main" reads. Wait until it has loaded, or ask with content="main".',
      );
    }
  }

  /**
   * What this page shows and `innerText` is without: in shadow roots, however deep, and in frames of this site.
   *
   * @param {Element[]} hosts elements of the page that may have a shadow root
   */
  function innerText(hosts) {
    const bodies = framedDocuments(document).flatMap((page) => Reflect.get(Document.prototype, "body", page) ?? []);
    /** @type {(Element | ShadowRoot)[]} */
    const parts = [...hosts.flatMap((host) => shadowRootOf(host) ?? []), ...bodies];
    for (const part of parts) {
      for (const element of part.querySelectorAll("*")) {
        const root = shadowRootOf(element);
        if (root) parts.push(root);
      }
    }
    return parts.map(drawnTextOf).join("\n").trim();
  }

  /**
   * Custom elements alone: to ask each element of a large page for its root takes longer than its `innerText`.
   *
   * @returns {Element[]}
   */
  function customElements() {
    const asked = ["//*[contains(name(), '-')]", document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE];
    const found = Reflect.apply(Document.prototype.evaluate, document, asked);
    return Array.from({ length: found.snapshotLength }, (_, i) => found.snapshotItem(i));
  }

  /**
   * @param {Element} element
   * @returns {ShadowRoot | null} also a closed one, where an extension asks
   */
  function shadowRootOf(element) {
    const open = Reflect.get(Element.prototype, "shadowRoot", element);
    if (open || !("innerText" in element)) return open;
    const inChrome = globalThis.chrome?.dom?.openOrClosedShadowRoot;
    const inFirefox = Reflect.get(Element.prototype, "openOrClosedShadowRoot", element) ?? null;
    return inChrome?.(/** @type {HTMLElement} */ (element)) ?? inFirefox;
  }

  /** @param {Element | ShadowRoot} part that is in no element's `innerText` */
  function drawnTextOf(part) {
    const texts = [...part.childNodes].map((node) => {
      if (!("innerText" in node)) return node.nodeType === Node.TEXT_NODE ? node.nodeValue : "";
      // Of what is not drawn `innerText` is everything that stands in it.
      const isDrawn = Reflect.apply(Element.prototype.checkVisibility, node, []);
      return isDrawn ? Reflect.get(HTMLElement.prototype, "innerText", node) : "";
    });
    return texts.join("\n");
  }

  /**
   * @param {Document} page
   * @returns {Document[]} those of this site in its frames, however deep
   */
  function framedDocuments(page) {
    const inner = all("iframe", page).flatMap((frame) => {
      const framed = Reflect.get(HTMLIFrameElement.prototype, "contentDocument", frame);
      // By `document.domain` pages of other hosts of a site can be reached, too.
      return framed && framed.defaultView?.origin === page.defaultView?.origin ? [framed] : [];
    });
    return inner.flatMap((document) => [document, ...framedDocuments(document)]);
  }

  /** What the user has selected, also in a field or in a frame of this site. */
  function selectedText() {
    if (type === "application/pdf") {
      throw unreadable(
        "This tab shows a PDF, and only the browser's own viewer knows what is selected in it. Ask about all of it, or about a part between start and end keywords.",
      );
    }
    const pages = [document, ...framedDocuments(document)];
    // Of a password that had the focus before, a browser gives as many dots.
    const texts = pages
      .map((page) => selectedField(page) ?? selectedIn(page))
      .filter((text) => /[^\s\u2022]/.test(text));
    return withLineFeeds(texts.join("\n\n"));
  }

  /** @param {Document} page */
  function selectedIn(page) {
    return String(Reflect.apply(Document.prototype.getSelection, page, []) ?? "");
  }

  /**
   * @param {Document} page
   * @returns {string | null} null where no field for text has the focus; nothing of a password
   */
  function selectedField(page) {
    /** @type {Element | null} */
    let active = Reflect.get(Document.prototype, "activeElement", page);
    for (let root; active && (root = shadowRootOf(active));) active = root.activeElement;
    const prototypes = { input: HTMLInputElement.prototype, textarea: HTMLTextAreaElement.prototype };
    if (!active || !Object.hasOwn(prototypes, active.localName)) return null;
    const prototype = Reflect.get(prototypes, active.localName);
    const [type, value, start, end] = ["type", "value", "selectionStart", "selectionEnd"].map((name) =>
      Reflect.get(prototype, name, active),
    );
    if (type === "password") return "";
    return start === null ? null : value.slice(start, end);
  }

  /**
   * What the text does not hold of the page, as notes.
   *
   * @param {string} shown
   * @param {string} pictures
   */
  function notesAbout(shown, pictures) {
    const notes = pdf?.notes ? [...pdf.notes] : [];
    if (ofDocument("readyState") !== "complete") {
      notes.push("the page was still loading when it was read, so the end may be missing");
    }
    if (!isWebPage || request.content === "selection") return notes;
    const inner = request.content === "main" ? "" : innerText(customElements());
    if (inner && inner.length >= MIN_INNER_SHARE * shown.length) {
      notes.push(
        `web components or frames of the page hold ${inner.length.toLocaleString("en")} more characters, which only content="main" reads`,
      );
    }
    if (pictures) notes.push("the page shows pictures only: this is how it describes them");
    if (windowShare("canvas") >= 0.5 && shown.trim()) {
      notes.push("much of what the page shows is drawn on a canvas, and what stands there cannot be read");
    }
    if (all("[role=feed]").length > 0) {
      notes.push("the page is a feed that loads more when it is scrolled: only what it has loaded was read");
    }
    return notes;
  }

  /** @param {string} text */
  function withLineFeeds(text) {
    return wellFormed(text.replace(/\r\n?/g, "\n"));
  }

  /**
   * @param {string} text
   * @param {string} message what to say when there is nothing in it
   */
  function filled(text, message) {
    if (text.trim() === "") {
      throw new PageError("EMPTY_PAGE", message);
    }
    return text;
  }

  /**
   * The first place of a keyword at or after an index, without regard to case.
   *
   * @param {string} text
   * @param {string} keyword
   * @param {number} from
   */
  function find(text, keyword, from) {
    const pattern = new RegExp(keyword.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu");
    pattern.lastIndex = from;
    const match = pattern.exec(text);
    return match === null ? null : { start: match.index, end: pattern.lastIndex };
  }

  /**
   * The same, but a keyword that is nowhere is an error.
   *
   * @param {string} text
   * @param {'start' | 'end'} role
   * @param {string} keyword
   */
  function locate(text, role, keyword) {
    const place = find(text, keyword, 0);
    if (place === null) {
      const lines = closestLines(text, keyword);
      throw new PageError(
        "KEYWORD_NOT_FOUND",
        `The ${role} keyword ${quote(keyword)} is not ${where}. ` +
          (lines.length > 0 ? `The closest lines are: ${lines.join(", ")}. ` : "") +
          `Use words that stand ${where}, or leave the keyword out.`,
      );
    }
    return place;
  }

  /**
   * The lines that share the most pairs of neighbouring characters with the keyword.
   *
   * @param {string} text
   * @param {string} keyword
   */
  function closestLines(text, keyword) {
    const characters = [...fold(keyword)].slice(0, EXCERPT_LENGTH);
    const pairs = [...new Set(characters.slice(1).map((character, i) => characters[i] + character))];
    const folded = fold(text).split("\n");
    /** @type {{line: string, shared: number}[]} */
    const best = [];
    text.split("\n").forEach((line, i) => {
      const shared = pairs.reduce((count, pair) => count + Number(folded[i]?.includes(pair)), 0);
      if (shared > (best[CLOSEST_LINES - 1]?.shared ?? 0)) {
        best.push({ line, shared });
        best.sort((a, b) => b.shared - a.shared).splice(CLOSEST_LINES);
      }
    });
    return best.map(({ line }) => quote(line));
  }

  /**
   * The steps. Each takes the text and gives the text after it.
   *
   * @type {Record<StepName, (text: string, ...keywords: string[]) => string>}
   */
  const steps = {
    deduplicateLines(text) {
      // What stays is copied in runs, and only keys are cut out: with a string for every line of a large page most
      // of the time goes into collecting them.
      const lines = `${text}\n`;
      const keys = fold(lines);
      // Folding makes some characters longer and none shorter, so at the same length lines and keys end together.
      const isAligned = keys.length === lines.length;
      const seen = new Set();
      /** @type {string[]} */
      const kept = [];
      let copied = 0;
      let afterBlank = false;
      for (let start = 0, end, keyStart = 0, keyEnd; start < lines.length; start = end, keyStart = keyEnd) {
        keyEnd = keys.indexOf("\n", keyStart) + 1;
        end = isAligned ? keyEnd : lines.indexOf("\n", start) + 1;
        const key = keys.slice(keyStart, keyEnd);
        const isKnown = seen.has(key);
        const isBlank = !isKnown && key.trim() === "";
        const isDropped = isKnown || (isBlank && afterBlank);
        if (isDropped || isBlank) {
          if (copied < start) kept.push(lines.slice(copied, start));
          // A blank line may hold spaces: what stays of it is its end.
          if (!isDropped) kept.push("\n");
          copied = end;
        } else {
          seen.add(key);
        }
        afterBlank = isBlank || (isKnown && afterBlank);
      }
      kept.push(lines.slice(copied));
      return kept.join("").slice(0, -1);
    },

    filterContentBetweenKeywords(text, start, end) {
      const from = locate(text, "start", start).end;
      locate(text, "end", end);
      const to = find(text, end, from);
      if (to === null) {
        throw new PageError(
          "KEYWORD_NOT_FOUND",
          `The end keyword ${quote(end)} is ${where}, but not after the start keyword` +
            ` ${quote(start)}. Swap the two, or use an end keyword from further down.`,
        );
      }
      return filled(
        text.slice(from, to.start),
        `Nothing stands between the start keyword ${quote(start)} and the end keyword` +
          ` ${quote(end)}. Use keywords that are further apart.`,
      );
    },

    filterToEnd(text, start) {
      return filled(
        text.slice(locate(text, "start", start).end),
        `Nothing stands after the start keyword ${quote(start)}. Use one from further up.`,
      );
    },

    filterFromStart(text, end) {
      return filled(
        text.slice(0, locate(text, "end", end).start),
        `Nothing stands before the end keyword ${quote(end)}. Use one from further down.`,
      );
    },

    trimWhitespace(text) {
      return text.trim();
    },
  };

  /**
   * @param {ReadPageRequest} asked
   * @returns {Step[]}
   */
  function stepsOf(asked) {
    if ("steps" in asked) {
      return asked.steps;
    }
    // Chrome drops the nulls inside an argument on its way into the page.
    const { start = null, end = null } = asked;
    /** @type {Step[]} */
    const filters = [];
    if (start !== null && end !== null) {
      filters.push(["filterContentBetweenKeywords", start, end]);
    } else if (start !== null) {
      filters.push(["filterToEnd", start]);
    } else if (end !== null) {
      filters.push(["filterFromStart", end]);
    }
    return [["deduplicateLines"], ...filters, ["trimWhitespace"]];
  }

  /**
   * @param {string} text
   * @param {Step[]} taken
   */
  function after(text, taken) {
    for (const [name, ...keywords] of taken) text = steps[name](text, ...keywords);
    return text;
  }

  /**
   * The whole text, after the steps.
   *
   * @param {string} shown
   */
  function wholeText(shown) {
    if (shown.trim() === "" && request.content === "selection") {
      throw new PageError(
        "EMPTY_PAGE",
        "Nothing is selected in this tab. Select the text with the mouse, then ask again, or ask about the whole page.",
      );
    }
    if (shown.trim() === "") refuseEmpty();
    // A repeated line of data is data.
    const isData = !isWebPage && !isPlain && type !== "application/pdf" && type !== "image/svg+xml";
    return after(shown, isData ? stepsOf(request).slice(1) : stepsOf(request));
  }

  /**
   * The main content, after the steps; the whole text where there is none, or where the keywords stand outside of it.
   *
   * @param {string} shown
   * @param {string} more
   * @returns {{text: string, content: MainContentReport}}
   */
  function mainText(shown, more) {
    const found = mainContent(shown);
    const main = withLineFeeds(found.text);
    const length = steps.deduplicateLines(shown + more).length;
    // A page that is little more than a frame of another site has its content there.
    if (main.length > more.length) {
      try {
        const text = after(main, stepsOf(request).slice(1));
        const note = found.path === "noscript" ? "what the page holds for browsers without scripts was read" : "";
        return { text, content: { path: found.path, left_out: Math.max(0, length - main.length), note } };
      } catch {
        // Whether the keywords stand on the page at all, the whole of it tells.
      }
    }
    const note =
      main.length > more.length ? "a keyword stands only outside of the main content: the whole page was read" : "";
    return { text: wholeText(shown + more), content: { path: "whole", left_out: 0, note } };
  }

  /**
   * @param {string} shown
   * @returns {{path: MainContentReport["path"], text: string}}
   */
  function mainContent(shown) {
    const nothing = { path: /** @type {const} */ ("whole"), text: "" };
    if (shown.length > MAX_MAIN_CHARS) return nothing;
    try {
      return chromeTabMainContent.read(document, { links: request.links ?? false });
    } catch {
      // Too many elements, or too deep: the whole page is there all the same.
      return nothing;
    }
  }

  const type = ofDocument("contentType");
  const isWebPage = type === "text/html" || type === "application/xhtml+xml";
  const isPlain = type === "text/plain";
  const where = request.content === "selection" ? "in what is selected" : "on the page";
  // A page's element of that name is no property of the global object itself.
  const pdf = Object.hasOwn(globalThis, "chromeTabPdf") ? chromeTabPdf.read : undefined;
  const isTaken = request.pdf !== "wanted" || request.content === "selection" || pdf?.isFinal;
  if (type === "application/pdf" && !isTaken) return "pdf";
  const isMain = request.content === "main" && isWebPage;
  if (isMain && !Object.hasOwn(globalThis, "chromeTabMainContent")) return "absent";
  const page = { url: location.href, title: wellFormed(ofDocument("title")) };
  try {
    const more = ("more" in request && request.more) || "";
    const own = shownText();
    const pictures = isWebPage && request.content !== "selection" && !(own + more).trim() ? textOfPictures() : "";
    const shown = own.trim() ? own : pictures;
    const read = isMain ? mainText(shown, more) : { text: wholeText(shown + more) };
    const notes = notesAbout(shown, pictures);
    // Counting costs time, and a character of a JavaScript string is never more than three bytes.
    if (read.text.length > MAX_TEXT_BYTES / 3 && new TextEncoder().encode(read.text).length > MAX_TEXT_BYTES) {
      throw new PageError(
        "UNREADABLE_PAGE",
        "The text is longer than 30 MiB. Read a part of the page with start and end keywords.",
      );
    }
    return { code: "", message: "", ...read, ...page, ...(notes.length > 0 && { notes }) };
  } catch (error) {
    if (error instanceof PageError) {
      return { code: error.code, message: error.message, text: "", ...page };
    }
    throw error;
  }
}
