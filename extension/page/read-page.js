// Runs inside the page, from its own source text: it contains its helpers and uses nothing from outside, except, for
// the main content, what the scripts in main-content/ put there first.
// scripts/embed_page_function.py copies it into chrome_tab.scpt, so comments are on their own lines.

/**
 * @typedef {'deduplicateLines' | 'filterContentBetweenKeywords' | 'filterToEnd'
 *   | 'filterFromStart' | 'trimWhitespace'} StepName
 * @typedef {[StepName, ...string[]]} Step a step's name, then its keywords
 * @typedef {({start: string | null, end: string | null, more?: string} | {steps: Step[]})
 *   & {content?: "main" | "all" | "selection", links?: boolean, pdf?: "wanted" | "taken", keep?: string}} ReadPageRequest
 *   `more` is text to append to the page's own: only the extension can read cross-origin frames. `pdf`: whether the
 *   scripts for a PDF have yet to be injected. `links`: whether the main content includes link URLs. `keep`: the version
 *   under which this function stays in its world, so that the next reading of the page need not compile it again.
 * @typedef {[offset: number, level: number]} Heading where its line begins in the text; in code points in the result
 * @typedef {{start: number, end: number, traits: number}} Piece of a text; `traits`: its properties as bits
 * @typedef {{text: string, pieces: Piece[], headings: Heading[]}} AlignedText the positions of a page's elements in its
 *   text
 * @typedef {object} Row elements whose cells belong on one line
 * @property {Element} group its table or grid
 * @property {number} columns cells per line
 * @property {number} maxLength of its text: a longer one stays as it is
 * @property {boolean} isNarrow whether it counts only if each of its cells is a single line
 * @property {number[]} gaps number of columns before each cell that belong to cells above it, or to the cell before
 *
 * @typedef {object} OpenRow a row whose text is being written
 * @property {Row} row
 * @property {Element} element
 * @property {number} start where its text starts; -1 until there is some
 * @property {number} part index of its first part
 * @property {number} pieces number of pieces before it
 * @property {number} headings number of headings before it
 * @property {[start: number, end: number][]} cells
 * @property {Element | null} cell the open cell
 * @property {number} first where the text of the open cell starts; -1 until there is some
 * @property {boolean} hasField
 * @property {boolean} isMixed whether it has text outside its cells
 *
 * @typedef {{path: "article" | "blocks" | "noscript" | "whole", left_out: number, note: string}} MainContentReport
 *   The method that found the main content, the number of characters of the page that are not in it, and a note about
 *   it.
 * @typedef {{code: string, count?: number, total?: number}} PageNote the server has its sentence (PAGE_NOTES)
 * @typedef {{code: string, message: string, text: string, url: string, title: string, content?: MainContentReport,
 *   notes?: PageNote[], repeated?: number, headings?: Heading[]}} ReadPageResult
 *   `code` is empty if the page was read; otherwise `text` is empty and `message` is a sentence. `notes`: what the text
 *   lacks of the page. `repeated`: the number of repeated lines that were removed.
 */

/**
 * Reads the text of this page between the keywords. The rules are in docs/design/page-reading.md.
 *
 * @param {ReadPageRequest} request
 * @returns {ReadPageResult | "absent" | "pdf"} "absent" if the scripts for the main content are not there yet, "pdf" if
 *   those for a PDF have not read it
 */
export function readPage(request) {
  const MAX_TEXT_BYTES = 30 * 1024 * 1024;
  const [EXCERPT_LENGTH, CLOSEST_LINES] = [80, 3];
  const MAX_MAIN_CHARS = 2_000_000;
  /** Minimum length of a line that is running text, not a label. */
  const LONG_LINE = 80;
  /** A `noscript` text of this length is more than the advice to enable scripts. */
  const MIN_SPARE = 250;
  /** CSS pixels per side: nothing smaller is an image to look at, or a field in which anything can be read. */
  const [MIN_IMAGE, MIN_FIELD] = [50, 8];
  const IMAGES = "img, svg, picture, [role=img], [role=graphics-document], input[type=image]";
  /** Why a page has no text, by what it shows instead. */
  const SHOWN_INSTEAD = {
    canvas:
      "This page draws its content on a canvas, so there is no text to read. Use its own export, or its view for printing or for screen readers, or show a screenshot to a model that accepts images.",
    "embed, object, iframe":
      "The content of this page is in a frame that cannot be read from here. Open the frame's address in its own tab, then ask again.",
    "video, audio": "This tab plays video or audio and shows no text. Open its transcript as a page, then ask again.",
  };
  const DRAWN_EDITOR =
    "This page draws its document on a canvas, so only its menus are text. Use its own export or its view for printing or for screen readers (in Google Docs: File > Download), open that in a tab, and ask again.";
  const ONLY_SPARE =
    'This page shows no text yet, and only contains text for browsers without scripts. Wait until it has loaded, or read that text with content="main" (in the call or in config.toml).';
  const NO_TEXT = "The page shows no text. Wait until it has loaded, or choose another tab, then ask again.";
  const LATE_PDF =
    "The PDF in this tab did not load in time. Wait until it is shown, then ask again. If that does not help, open it in Chrome.";
  const PDF_SELECTION =
    "This tab shows a PDF, and only the browser's own viewer knows what is selected in it. Ask about the whole PDF, or about a part between start and end keywords.";
  const NOTHING_SELECTED =
    "Nothing is selected in this tab. Select the text with the mouse, then ask again, or ask about the whole page.";
  const TOO_LONG = "The text is longer than 30 MiB. Read a part of the page with start and end keywords.";
  const MENUS = "[role=menubar], [role=menu], [role=toolbar], nav, header";
  /** Characters outside a canvas and its menus that are more than a title. */
  const MIN_OUTSIDE_MENUS = 200;
  /** Entries such as files, tabs and results: a page that lists some is more than what it draws. */
  const ENTRIES = "li, tr, [role=row], [role=listitem]";
  /** A repeated run has at least this many different lines, or this many characters. */
  const [MIN_RUN_LINES, MIN_RUN_CHARS] = [3, 100];
  /** Maximum length of a row that only its shape makes one. */
  const MAX_LOOSE_ROW = 1_000;
  /** How far to search for text that is not where it is expected. */
  const MAX_SKIP = 1_000;
  const MAX_HEADINGS = 2_000;
  const BLANK = 0;
  /** Traits of a piece of text. In `KEPT` pieces (code, rows and fields) nothing counts as repeated. */
  const [FURNITURE, LINK, KEPT, SECTION, INHERITED] = [1, 2, 4, 8, 15];
  /** Traits of an element alone. Those that are `UNREAD` show none of the text inside them. */
  const [UNREAD, FIELD, OPTION, HEADING, AROUND, RAISED, CROSSED] = [16, 32, 64, 128, 256, 512, 1024];
  /** By the name or the role of an element. */
  const TRAITS = new Map(
    Object.entries({
      ...{ nav: FURNITURE, navigation: FURNITURE, banner: FURNITURE, contentinfo: FURNITURE, menu: FURNITURE },
      ...{ menubar: FURNITURE, a: LINK, link: LINK, pre: KEPT, option: OPTION, header: AROUND, footer: AROUND },
      ...{ article: SECTION, aside: SECTION, main: SECTION, section: SECTION, script: UNREAD, style: UNREAD },
      ...{ noscript: UNREAD, template: UNREAD, iframe: UNREAD, object: UNREAD, canvas: UNREAD, audio: UNREAD },
      ...{ video: UNREAD, frame: UNREAD, input: FIELD, textarea: FIELD, rt: RAISED, sup: RAISED, sub: RAISED },
      ...{ h1: HEADING, h2: HEADING, h3: HEADING, h4: HEADING, h5: HEADING, h6: HEADING, del: CROSSED, s: CROSSED },
    }),
  );
  const [CHOSEN, CHECKED, CROSSED_OUT] = ["(selected)", "(checked)", "(crossed out)"];
  /** Without forms, whose `labels` can be an element of that name. */
  const SWITCHED_ON = ["input:checked", "[aria-checked=true]:not(form)", "[aria-pressed=true]:not(form)"];
  const NAMED = "img, svg, :is(i, span):is([aria-label], [title])";
  /** Maximum length of the text of an icon. */
  const MAX_SIGN = 30;
  const TEXT_FIELDS = new Set("text search tel url email number date time month week datetime-local color".split(" "));
  const SECRET_FIELD =
    /pass(?:word|wd|code|phrase)|passwd|one-time-code|\b(?:pwd|pin|otp|cvc|cvv|csc)\b|\bcc-|card-?number|(?:\b|_)(?:token|secret)(?:\b|_)|api[-_ ]?key/i;
  const CELLS = "[role=cell], [role=gridcell], [role=columnheader], [role=rowheader]";
  /** Contents of a table that is only used for layout. */
  const LAYOUT = "table, h1, h2, h3, h4, h5, h6, pre, form, ul, ol, dl, blockquote, hr, p + p, br + br";
  /** What comes before each operand, by the name of an element of MathML. */
  const SIGNS = new Map(
    Object.entries({
      ...{ mfrac: ["", "/"], msqrt: ["\u221a"], mroot: ["\u221a", " of degree "], msub: ["", "_"], munder: ["", "_"] },
      ...{ stack: ["", "; "], msup: ["", "^"], mover: ["", "^"], msubsup: ["", "_", "^"], munderover: ["", "_", "^"] },
      mmultiscripts: ["", "_", "^", "_", "^", "_", "^"],
    }),
  );
  /** A formula that MathJax 4 draws without MathML; it keeps the TeX. */
  const DRAWN_TEX = ["mjx-math[data-latex]", "[data-mml-node=math][data-latex]"];
  /** The last character before a superscript and its text: without a sign, they would be one number or word. */
  const POWER = /^[\p{L}\p{N})](?:[-+\u2212\u2013]?\p{N}|[-+\u2212\u2013]\p{L})/u;
  /** A superscript after a whole number, with which it is a fraction; and a subscript that is the base of a number. */
  const [FRACTION, BASE] = [/^.\p{N}+\u2044/u, /^\p{N}{2}/u];
  /** Share of a line's height: texts that are further apart are not one word. */
  const [MIN_SPACE, MAX_SPAN] = [0.2, 100];
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
   * Returns a property of the document itself: a page can shadow `document.body` with a named element.
   *
   * @template {'body' | 'contentType' | 'documentElement' | 'readyState' | 'title'} Name
   * @param {Name} name
   * @param {Document} [page]
   * @returns {Document[Name]}
   */
  function ofDocument(name, page = document) {
    return Reflect.get(Document.prototype, name, page);
  }

  /**
   * Returns the getters of properties: a page can shadow properties of its forms, too.
   *
   * @template {string[]} Names
   * @param {object} prototype
   * @param {Names} names
   * @returns {{[index in keyof Names]: () => any}}
   */
  function gettersOf(prototype, ...names) {
    return /** @type {any} */ (names.map((name) => Object.getOwnPropertyDescriptor(prototype, name)?.get));
  }

  /**
   * Quotes a keyword or a line of the page, shortened, without characters that could disturb a terminal.
   *
   * @param {string} text
   */
  function quote(text) {
    // Two UTF-16 units can form one character: keep twice the length, and one character more to detect a cut.
    const start = text.trim().slice(0, 2 * EXCERPT_LENGTH + 2);
    const safe = start.replace(/(?!\t)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, " ");
    const characters = [...safe];
    if (characters.length <= EXCERPT_LENGTH) return `"${safe}"`;
    return `"${characters.slice(0, EXCERPT_LENGTH - 3).join("")}..."`;
  }

  /**
   * Full Unicode case folding: upper-casing first makes "ss" and U+00DF the same text. The capital U+1E9E is its own
   * upper case, so it is lower-cased before.
   *
   * @param {string} text
   */
  function fold(text) {
    return text.replaceAll("\u1e9e", "\u00df").toUpperCase().toLowerCase();
  }

  /**
   * Removes what UTF-8 (lone surrogates) or a C program (NUL) on the way cannot carry.
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
   * @param {string | string[]} selectors in a large page, several simple ones are found much faster than one list
   * @param {(Document | ShadowRoot)[]} [inside] this page and those in its frames, if not given
   * @returns {Element[]}
   */
  function all(selectors, inside = pages) {
    return inside.flatMap((part) => {
      const { prototype } = typeOf.call(part) === Node.DOCUMENT_NODE ? Document : DocumentFragment;
      return [selectors].flat().flatMap((one) => [...Reflect.apply(prototype.querySelectorAll, part, [one])]);
    });
  }

  /**
   * Returns what the tab shows, with LF as the only line ending.
   *
   * @returns {AlignedText}
   */
  function shownText() {
    if (window.parent === window && !["http:", "https:", "file:"].includes(location.protocol)) {
      throw unreadable("This tab shows a page of the browser itself, which cannot be read. Switch to a web page.");
    }
    if (request.content === "selection") return textOf(selectedText(), KEPT);
    if (type === "application/pdf") return alignedPdf(withLineFeeds(pdfText()));
    if (isWebPage || isPlain) return aligned(withLineFeeds(pageText()), shownIn, 0);
    return textOf(withLineFeeds(dataText()), type === "image/svg+xml" ? 0 : KEPT);
  }

  /**
   * @param {string} text
   * @param {number} traits of the whole text
   * @returns {AlignedText}
   */
  function textOf(text, traits) {
    return { text, pieces: [{ start: 0, end: text.length, traits }], headings: [] };
  }

  /**
   * @param {string} text in which the first and last line of each page are furniture
   * @returns {AlignedText}
   */
  function alignedPdf(text) {
    let start = 0;
    const pieces = text.split(/^(?=\[Page \d+\]$)/m).flatMap((page) => {
      const lines = [...page.matchAll(/^.*\S.*$/gm)].slice(1);
      const ends = new Set([lines[0], lines.at(-1)].map((line) => line ?? { 0: "", index: 0 }));
      const found = [...ends].map(({ 0: line, index }) => ({ start: start + index, end: start + index + line.length }));
      start += page.length;
      return found.map((piece) => ({ ...piece, traits: FURNITURE }));
    });
    return { text, pieces, headings: [] };
  }

  /**
   * Finds what elements are that their own names do not say, before their text is read.
   *
   * @param {(Document | ShadowRoot)[]} parts
   */
  function findMeanings(parts) {
    for (const one of all(["[role]", "[aria-rowcount]", "[aria-setsize]"], parts)) {
      roles.set(one, attributeOf(one, "role"));
    }
    if (!isWebPage) return;
    const thirds = all("* > :nth-child(3)", parts);
    findRows(parts, thirds);
    // The MathML of a drawing is preferred to its TeX.
    for (const math of all([...DRAWN_TEX, "math"], parts)) formulas.set(formulaAround(math), math);
    // A control's own `labels` would walk through the whole page for each of them.
    /** @type {Map<Element | null, Element[]>} */
    const labels = Map.groupBy(all("label", parts), (label) => Reflect.get(label, "control"));
    for (const one of all(SWITCHED_ON, parts)) if (one.checkVisibility()) noteChecked(one, labels.get(one));
    findCards(thirds);
  }

  /**
   * @param {string} text
   * @param {Element | ShadowRoot} part whose `innerText` it is
   * @param {number} traits of what is around it
   * @returns {AlignedText} with the values of its fields, each row of data on one line, and the texts of its components
   *   and frames
   */
  function aligned(text, part, traits) {
    if (known.size === 0) findMeanings(pages);
    else if (part instanceof DocumentFragment && !known.has(part)) findMeanings([part]);
    known.add(part);
    const quick = new Alignment(text, part, traits, false);
    // Visibility is checked per element only if hidden text was mistaken for drawn text.
    const { parts, pieces, headings } = quick.isLost ? new Alignment(text, part, traits, true) : quick;
    return { text: parts.join(""), pieces, headings };
  }

  /** Walks the page and its `innerText` in parallel. */
  class Alignment {
    /**
     * @param {string} source
     * @param {Element | ShadowRoot} part
     * @param {number} traits of what is around it
     * @param {boolean} isStrict whether to check that each element is drawn
     */
    constructor(source, part, traits, isStrict) {
      this.source = source;
      this.isStrict = isStrict;
      this.isLost = false;
      /** The source was matched with the page up to `cursor`, and copied up to `copied`. */
      this.cursor = this.copied = 0;
      /** @type {string[]} */
      this.parts = [];
      this.length = 0;
      /** @type {Piece[]} */
      this.pieces = [];
      /** @type {Heading[]} */
      this.headings = [];
      this.traits = traits;
      /** @type {{element: Element, traits: number, mark: string}[]} ancestors with traits, and the traits outside them */
      this.open = [];
      /** Level of the heading that begins with the next text. */
      this.level = 0;
      /** Where the text of the marked element begins that the walk is in. */
      this.marked = 0;
      /** @type {Text | null} the text that ends at `cursor` */
      this.last = null;
      /** @type {{element: Element, start: number} | null} where the text of the open formula starts; -1 until there is some */
      this.formula = null;
      /** @type {AlignedText[]} values of fields, and texts inside components and frames, to write before the next text */
      this.values = [];
      /** @type {OpenRow | null} */
      this.row = null;
      /** @type {Element | null} the table of the row that ends at `copied` */
      this.group = null;
      this.#walk(part);
    }

    /** @param {Element | ShadowRoot} part */
    #walk(part) {
      let node = firstChildOf.call(part);
      while (node && !this.isLost) {
        const kind = typeOf.call(node);
        const isElement = kind === Node.ELEMENT_NODE;
        if (kind === Node.TEXT_NODE) this.#text(node);
        let next = isElement ? this.#enter(node) : null;
        if (isElement && !next) this.#leave(node);
        while (!next && !(next = nextOf.call(node))) {
          node = parentOf.call(node);
          if (!node || node === part) break;
          this.#leave(node);
        }
        node = next;
      }
      this.#writeValues(this.source.length);
      this.#copyTo(this.source.length);
    }

    /**
     * @param {Element} element
     * @returns {Node | null} the first node in it, if it may contain text
     */
    #enter(element) {
      const [tag, first] = [tagOf.call(element), firstChildOf.call(element)];
      const own = TRAITS.get(tag) ?? 0;
      if (own & UNREAD) {
        const framed = framedIn(element);
        const body = framed && ofDocument("body", framed);
        if (body) this.#inner(body, body.innerText);
        else if (framed) this.#value(textOf(textOfDrawing(ofDocument("documentElement", framed)), 0));
        return null;
      }
      // Firefox leaves drop-down lists out of the text.
      if (own & FIELD || (tag === "select" && !Reflect.get(element, "innerText"))) {
        if (!this.formula) this.#field(element, tag);
        return null;
      }
      if (rows.size > 0) this.#enterRow(element);
      if (this.row?.cell && isSign(element, tag) && this.#field(element, tag)) return null;
      if (tag === "optgroup" && isDrawn(element, false)) this.#value(textOf(attributeOf(element, "label"), KEPT));
      // With `content-visibility: auto`, what is far from the window is not drawn yet.
      const isFar =
        this.isStrict && getComputedStyle(element).contentVisibility === "auto" && !Reflect.get(element, "innerText");
      const root = isFar ? element : tag.includes("-") || !first ? shadowRootOf(element) : openRootOf.call(element);
      if (root) this.#inner(root, drawnTextOf(root));
      if (isFar) return null;
      const mark = this.#markAfter(element, own);
      const traits = this.traits | this.#traitsOf(element, own) | (mark && !(own & RAISED) ? KEPT : 0);
      if (mark) this.marked = this.cursor;
      if (traits !== this.traits || mark) this.open.push({ element, traits: this.traits, mark });
      this.traits = traits;
      if (formulas.size > 0 && formulas.has(element)) this.formula ??= { element, start: -1 };
      if (own & HEADING) this.level = Number(tag[1]);
      return first;
    }

    /**
     * @param {Element} element
     * @param {number} own traits by its name
     * @returns {string} what follows its text
     */
    #markAfter(element, own) {
      if (own & OPTION && isChosen(element)) return ` ${CHOSEN}`;
      if (checked.size > 0 && checked.has(element)) return ` ${CHECKED}`;
      if (own & CROSSED) return ` ${CROSSED_OUT}`;
      if (!(own & RAISED) || drawnSize(element).height === 0) return "";
      const [tag, near] = [tagOf.call(element), this.cursor ? this.source.slice(this.cursor - 1, this.cursor + 9) : ""];
      const power = POWER.test(near) && (FRACTION.test(near) ? " " : "^");
      const sign = tag === "rt" ? "(" : tag === "sub" ? BASE.test(near) && "_" : power;
      if (sign) this.#note(sign);
      return sign === "(" ? ")" : "";
    }

    /**
     * @param {Element} element
     * @param {number} own traits by its name
     */
    #traitsOf(element, own) {
      const role = roles.size > 0 ? roles.get(element) : undefined;
      const isAround = own & AROUND && !(this.traits & SECTION);
      const traits = ((own | (role ? (TRAITS.get(role) ?? 0) : 0)) & INHERITED) | (isAround ? FURNITURE : 0);
      const isCard = cards.size > 0 && cards.has(element) && !((this.traits | traits) & FURNITURE);
      return isCard ? traits | KEPT : traits;
    }

    /** @param {Element} element */
    #leave(element) {
      const open = this.open.at(-1);
      const isOpen = open?.element === element;
      if (isOpen && open.mark && this.cursor > this.marked) this.#note(open.mark);
      if (this.formula?.element === element) this.#leaveFormula(this.formula);
      if (this.row?.cell === element) {
        const { cells, first } = this.row;
        cells.push(first < 0 ? [0, 0] : [first, this.#placeOf(this.cursor)]);
        this.row.cell = null;
      }
      if (this.row?.element === element) this.#leaveRow(this.row);
      if (isOpen) this.traits = this.open.pop()?.traits ?? 0;
    }

    /** @param {Text} node */
    #text(node) {
      const words = node.data.trim();
      if (!words || (this.isStrict && !isDrawn(node, true))) return;
      let start = this.#skipSpace(this.cursor);
      let end = this.#match(words, start);
      if (end < 0) {
        if (!this.isStrict && isDrawn(node, false)) this.isLost = true;
        const ahead = this.isStrict ? this.source.slice(start, start + MAX_SKIP).indexOf(words) : -1;
        if (ahead < 0) return;
        start += ahead;
        end = start + words.length;
      }
      if (start === this.cursor && this.values.length === 0) this.#noteGapBefore(node);
      this.#writeValues(start);
      this.#openCell(start);
      [this.cursor, this.last] = [end, node];
      if (this.formula) {
        if (this.formula.start < 0) this.formula.start = start;
        return;
      }
      if (this.level > 0) this.headings.push([this.#placeOf(start), this.level]);
      this.level = 0;
      this.#addPiece(this.#placeOf(start), this.#placeOf(end), this.traits);
      if (checked.size > 0 && checked.has(node)) this.#note(` ${CHECKED}`);
    }

    /**
     * Writes the space between a text and the one before, for which `innerText` has no space.
     *
     * @param {Text} node
     */
    #noteGapBefore(node) {
      const [last, parent, other] = [this.last, node.parentElement, this.last?.parentElement];
      const joint = this.source.slice(this.cursor - 1, this.cursor + 1);
      if (!last || !parent || this.formula || /\s/.test(joint)) return;
      if (rectOf(node).top >= rectOf(last).bottom && boxAround(parent) !== boxAround(other)) return this.#note("\n");
      const isInWord =
        /^[\p{L}\p{N}\p{Sc}]{2}$/u.test(joint) && ![other, parent].some((one) => one?.localName === "code");
      // The number of a line of code may be next to any character.
      const isNumbered = /^\s*\d+$/.test(last.data) && getComputedStyle(parent).whiteSpace.startsWith("pre");
      if ((isInWord || isNumbered) && areApart(rectOf(last), rectOf(node), parent)) this.#note(" ");
    }

    /** @param {{element: Element, start: number}} open */
    #leaveFormula({ element, start }) {
      this.formula = null;
      const math = formulas.get(element);
      if (!math || (start < 0 && drawnSize(element).height === 0)) return;
      // One that is only drawn has spaces on both sides.
      this.#copyTo(start < 0 ? Math.min(this.cursor + 1, this.#skipSpace(this.cursor)) : start);
      if (start < 0) this.#openCell(this.copied);
      const text = formulaOf(math);
      this.#addPiece(this.length, this.length + text.length, this.traits);
      this.#write(text);
      this.cursor = this.copied = Math.max(this.cursor, this.copied);
    }

    /**
     * @param {number} start
     * @param {number} end
     * @param {number} traits
     */
    #addPiece(start, end, traits) {
      const before = this.pieces.length > (this.row?.pieces ?? 0) ? this.pieces.at(-1) : undefined;
      if (before?.traits === traits) before.end = end;
      else this.pieces.push({ start, end, traits });
    }

    /**
     * @param {string} words
     * @param {number} start
     * @returns {number} where these words end in the source; -1 if they do not start there
     */
    #match(words, start) {
      if (this.source.startsWith(words, start)) return start + words.length;
      const line = words.replace(/\s+/g, " ");
      if (this.source.startsWith(line, start)) return start + line.length;
      let end = start;
      for (const word of line.split(" ")) {
        end = this.#skipSpace(end);
        const found = this.source.slice(end, end + word.length);
        // A style may change the case, and one of MathML the letter.
        const letter = String.fromCodePoint(this.source.codePointAt(end) ?? 0);
        const isOther = found !== word && fold(found) !== fold(word);
        if (isOther && letter.normalize("NFKC") !== word) return -1;
        end += isOther ? letter.length : word.length;
      }
      return end;
    }

    /** @param {number} place in the source */
    #skipSpace(place) {
      for (let code; (code = this.source.charCodeAt(place)); place += 1) {
        const isSpace = code <= 0x20 || code === 0xa0 || (code > 0x1600 && this.source.charAt(place).trim() === "");
        if (!isSpace) break;
      }
      return place;
    }

    /** @param {number} place in the source */
    #placeOf(place) {
      return this.length + place - this.copied;
    }

    /** @param {number} place in the source */
    #copyTo(place) {
      this.#write(this.source.slice(this.copied, place));
      this.copied = place;
    }

    /** @param {string} words to write directly after the latest text */
    #note(words) {
      this.#copyTo(this.cursor);
      this.#write(words);
    }

    /** @param {string} text */
    #write(text) {
      if (text) this.parts.push(text);
      this.length += text.length;
    }

    /**
     * @param {Element} element
     * @param {string} tag
     * @returns {boolean} whether it has a value
     */
    #field(element, tag) {
      const value = isSign(element, tag) && !this.row?.cell ? "" : fieldValue(element, tag);
      this.#value(textOf(value, KEPT));
      return value !== "";
    }

    /**
     * @param {Element | ShadowRoot} part that is missing from the source
     * @param {string} text
     */
    #inner(part, text) {
      this.#value(aligned(withLineFeeds(text), part, this.traits));
    }

    /** @param {AlignedText} value */
    #value(value) {
      if (!value.text.trim()) return;
      if (!this.row?.cell) {
        this.values.push(value);
        if (this.row) this.row.isMixed = true;
        return;
      }
      this.#writeValues(this.#skipSpace(this.cursor));
      this.#copyTo(this.cursor);
      if (this.row.start < 0 && this.length > 0) this.#write("\n");
      this.#openCell(this.cursor);
      this.row.hasField = true;
      this.#write(` ${value.text}`);
    }

    /**
     * Writes the values between two texts: on separate lines if the texts are on two lines, or if a value has several.
     *
     * @param {number} next where the next text starts in the source
     */
    #writeValues(next) {
      if (this.values.length === 0) return;
      const gap = this.source.slice(this.cursor, next);
      const values = this.values.splice(0);
      const hasLines = [gap, ...values.map(({ text }) => text)].some((text) => text.includes("\n"));
      const isInline = this.cursor > 0 && next < this.source.length && !hasLines;
      this.#copyTo(this.cursor);
      for (const { text, pieces, headings } of values) {
        if (this.length > 0) this.#write(isInline ? " " : "\n");
        for (const { start, end, traits } of pieces) this.#addPiece(this.length + start, this.length + end, traits);
        this.headings.push(...headings.map(([place, level]) => /** @type {Heading} */ ([this.length + place, level])));
        this.#write(text);
      }
      if (this.cursor === 0 || (hasLines && !gap.includes("\n"))) this.#write("\n");
      else if (!gap) this.#write(" ");
      else this.copied = this.cursor += isInline ? gap.length - 1 : (/^ */.exec(gap)?.[0].length ?? 0);
    }

    /** @param {Element} element may be a row or a cell */
    #enterRow(element) {
      const row = rows.get(element);
      if (!row) return;
      if (this.row?.row === row && !this.row.cell) Object.assign(this.row, { cell: element, first: -1 });
      if (this.row || (row.isNarrow && this.traits & FURNITURE)) return;
      const none = { start: -1, part: -1, cells: [], cell: null, first: -1, hasField: false, isMixed: false };
      this.row = { row, element, pieces: this.pieces.length, headings: this.headings.length, ...none };
    }

    /** @param {number} start of a text in the source */
    #openCell(start) {
      const open = this.row;
      if (!open) return;
      if (open.start < 0) {
        let lead = start;
        while (lead > this.copied && /[\t ]/.test(this.source[lead - 1] ?? "")) lead -= 1;
        const gap = this.source.slice(this.copied, lead);
        const isNext = this.group === open.row.group && !gap.trim() && gap.indexOf("\n") < gap.lastIndexOf("\n");
        if (isNext) [this.copied] = [lead, this.#write("\n")];
        this.#copyTo(lead);
        Object.assign(open, { start: this.length, part: this.parts.length });
      }
      if (!open.cell) open.isMixed = true;
      else if (open.first < 0) open.first = this.#placeOf(start);
    }

    /** @param {OpenRow} open */
    #leaveRow(open) {
      const { row, start, part, pieces } = open;
      this.row = null;
      this.group = row.group;
      if (start < 0) return;
      this.#copyTo(this.cursor);
      const written = this.parts.slice(part).join("");
      const line = lineOfRow(open, written);
      if (line === null) return;
      if (line !== written) {
        this.parts.length = part;
        this.length = start;
        this.#write(line);
        this.headings.length = open.headings;
        while (this.source[this.cursor] === "\t") this.cursor += 1;
        this.copied = this.cursor;
      }
      this.pieces.length = pieces;
      this.#addPiece(start, this.length, KEPT);
    }
  }

  /**
   * @param {OpenRow} open
   * @param {string} written the page's text for it
   * @returns {string | null} its cells, separated by tabs; null if it is not a row of data after all
   */
  function lineOfRow({ row, start, cells, hasField, isMixed }, written) {
    const isTall = cells.some(([from, to]) => written.slice(from - start, to - start).includes("\n"));
    if (isMixed || (row.isNarrow && isTall) || written.length > row.maxLength) return null;
    const isLine = !written.includes("\n") && written.split("\t").length === cells.length;
    if (isLine && !hasField && !row.gaps.some(Boolean)) return written;
    const texts = cells.flatMap(([from, to], i) => {
      const text = written.slice(from - start, to - start).replace(/\s+/g, " ");
      return [...Array(row.gaps[i] ?? 0).fill(""), text.trim()];
    });
    const lines = [];
    for (let i = 0; i < texts.length; i += row.columns) lines.push(texts.slice(i, i + row.columns).join("\t"));
    return lines.join("\n");
  }

  /**
   * @param {Text | Element} node
   * @param {boolean} isThorough whether an ancestor without a box is represented by its parent
   */
  function isDrawn(node, isThorough) {
    // The options of a list and their groups count as drawn with it.
    const parent = parentOf.call(node);
    if (!parent) return rectOf(/** @type {Text} */ (node)).height > 0;
    for (let element = parent.closest("select") ?? parent; element; element = parentOf.call(element)) {
      if (Element.prototype.checkVisibility.call(element, { visibilityProperty: true })) return true;
      if (!isThorough || getComputedStyle(element).display !== "contents") return false;
    }
    return false;
  }

  /**
   * @param {Element} field
   * @param {string} tag
   */
  function typedIn(field, tag) {
    const { type, value, files } = /** @type {HTMLInputElement} */ (field);
    if (files) return Array.from(files, ({ name }) => name).join(", ");
    return tag !== "input" || TEXT_FIELDS.has(type) ? withLineFeeds(value).trim() : "";
  }

  /**
   * @param {Element} element
   * @param {string} tag
   * @returns {boolean} whether it is a sign that may be all that the cell of a table contains
   */
  function isSign(element, tag) {
    if (tag === "input") return /** @type {HTMLInputElement} */ (element).type === "checkbox";
    return roles.get(element) === "img" || (/^(?:i|img|span|svg)$/.test(tag) && element.matches(NAMED));
  }

  /**
   * @param {Element} sign
   * @param {string} tag
   * @returns {string} what it says in a cell of a table without words
   */
  function saidBy(sign, tag) {
    const cell = parentOf.call(sign)?.closest(`td, ${CELLS}`);
    const title = cell?.querySelector("title")?.textContent ?? "";
    if (!cell || (cell.textContent ?? "").trim() !== title.trim()) return "";
    if (tag === "input") return /** @type {HTMLInputElement} */ (sign).checked ? CHECKED : "";
    // Some icons are drawn only while the mouse is over the row.
    if (!drawnSize(sign).width && getComputedStyle(sign, "::before").content === "none") return "";
    const names = ["aria-label", "alt", "title"].map((name) => attributeOf(sign, name));
    const said = [...names, title].map((name) => name.trim()).find(Boolean) ?? "";
    return said.length > MAX_SIGN ? "" : said;
  }

  /** @param {Element} list */
  function chosenIn(list) {
    const chosen = [...list.querySelectorAll("option:checked")];
    return chosen.map((option) => (option.textContent ?? "").replace(/\s+/g, " ").trim()).join(", ");
  }

  /**
   * @param {Element} option
   * @returns {boolean} whether it is the choice of a list that has others
   */
  function isChosen(option) {
    return (option.closest("select")?.length ?? 0) > 1 && /** @type {HTMLOptionElement} */ (option).selected;
  }

  /**
   * @param {Element} field
   * @param {string} tag
   * @returns {string} the visible value; empty for secret or hidden fields
   */
  function fieldValue(field, tag) {
    const value = isSign(field, tag) ? saidBy(field, tag) : tag === "select" ? chosenIn(field) : typedIn(field, tag);
    if (!value) return "";
    const names = ["autocomplete", "name", "id"].map((name) => attributeOf(field, name)).join(" ");
    // A check box may be transparent, and something next to it its image.
    const { width, height } = drawnSize(isSign(field, tag) ? (parentOf.call(field) ?? field) : field);
    const isDotted = !["", "none"].includes(getComputedStyle(field).getPropertyValue("-webkit-text-security"));
    return SECRET_FIELD.test(names) || Math.min(width, height) < MIN_FIELD || isDotted ? "" : value;
  }

  /**
   * @param {Element} element
   * @param {string} name
   */
  function attributeOf(element, name) {
    return Reflect.apply(Element.prototype.getAttribute, element, [name]) ?? "";
  }

  /**
   * @param {Element} element
   * @returns {Element[]}
   */
  function childrenOf(element) {
    return [...partsOf.call(element)];
  }

  /**
   * Finds the rows of data and their cells.
   *
   * @param {(Document | ShadowRoot)[]} parts
   * @param {Element[]} thirds one of each group of three or more siblings in them
   */
  function findRows(parts, thirds) {
    /** @type {(element: Element, cells: Iterable<Element>, row: Partial<Row> & {group: Element}) => void} */
    const add = (element, cells, given) => {
      if (rows.has(element)) return;
      const row = { columns: Infinity, maxLength: Infinity, isNarrow: false, gaps: [], ...given };
      for (const cell of [element, ...cells]) rows.set(cell, row);
    };
    for (const table of all("[role]", parts).filter((one) => /^(?:table|(?:tree)?grid)$/.test(roles.get(one) ?? ""))) {
      for (const row of table.querySelectorAll("[role=row]")) add(row, row.querySelectorAll(CELLS), { group: table });
    }
    for (const table of all("table", parts)) {
      const isLoose = !table.querySelector("th, caption");
      const rowsOfTable = isDataTable(table, isLoose) ? table.querySelectorAll("tr") : [];
      const maxLength = isLoose ? MAX_LOOSE_ROW : Infinity;
      const cells = [...rowsOfTable].map(childrenOf);
      const gaps = gapsIn(cells);
      rowsOfTable.forEach((row, i) => add(row, cells[i] ?? [], { group: table, maxLength, gaps: gaps[i] ?? [] }));
    }
    for (const list of all("dl", parts)) {
      const entries = childrenOf(list);
      const isPaired = entries.length > 2 && entries.every((one, i) => tagOf.call(one) === (i % 2 === 0 ? "dt" : "dd"));
      if (isPaired) add(list, entries, { group: list, columns: 2, isNarrow: true });
    }
    addShapes(parts, thirds, add);
  }

  /**
   * @param {Element[][]} cells those of each row of a table
   * @returns {number[][]} for each cell the number of columns before it that other cells cover
   */
  function gapsIn(cells) {
    /** @type {number[]} for each column the number of rows that a cell covers */
    let covered = [];
    /** @type {Element | null} the rows' own part of the table */
    let part = null;
    return cells.map((row) => {
      const section = row[0]?.parentElement?.parentElement ?? null;
      covered = section === part ? covered.map((count) => count - 1) : [];
      part = section;
      let [column, gap] = [0, 0];
      return row.map((cell) => {
        for (; (covered[column] ?? 0) > 0; column += 1) gap += 1;
        const [before, { colSpan = 1, rowSpan = 1 }] = [gap, /** @type {HTMLTableCellElement} */ (cell)];
        gap = Math.min(colSpan, MAX_SPAN) - 1;
        for (const end = column + gap; column <= end; column += 1) covered[column] = rowSpan || Infinity;
        return before;
      });
    });
  }

  /**
   * @param {Element} table
   * @param {boolean} isLoose
   */
  function isDataTable(table, isLoose) {
    const wide = [...table.querySelectorAll("tr")].filter((row) => countOf.call(row) > 1);
    if (wide.length < 2 || /^(?:none|presentation)$/.test(attributeOf(table, "role"))) return false;
    const layout = [...table.querySelectorAll(isLoose ? LAYOUT : "table")];
    // The selector of line breaks matches across the text between them.
    return layout.every((one) => tagOf.call(one) === "br" && /\S/.test(one.previousSibling?.nodeValue ?? ""));
  }

  /**
   * Finds rows made only by style: children of the same shape whose own children are side by side, or a grid.
   *
   * @param {(Document | ShadowRoot)[]} parts
   * @param {Element[]} thirds
   * @param {(element: Element, cells: Iterable<Element>, row: Partial<Row> & {group: Element}) => void} add
   */
  function addShapes(parts, thirds, add) {
    for (const third of thirds) {
      const [group, name, count] = [parentOf.call(third), tagOf.call(third), countOf.call(third)];
      if (count < 2 || /^(?:table|tbody|thead|tr)$/.test(tagOf.call(group))) continue;
      const shown = childrenOf(group);
      const isSame = shown.every((row, i) => countOf.call(row) === count && (i === 0 || tagOf.call(row) === name));
      if (!isSame || !isSideBySide(third)) continue;
      for (const row of shown) add(row, childrenOf(row), { group, isNarrow: true, maxLength: MAX_LOOSE_ROW });
    }
    for (const group of thirds.map((third) => parentOf.call(third)).filter((one) => countOf.call(one) > 5)) {
      const style = getComputedStyle(group);
      if (!style.display.endsWith("grid")) continue;
      const cells = childrenOf(group);
      const columns = style.gridTemplateColumns.split(" ").length;
      if (columns > 1 && cells.length % columns === 0) add(group, cells, { group, columns, isNarrow: true });
    }
  }

  /**
   * Finds the entries of lists in any markup, three or more siblings of the same shape: they repeat the same labels about
   * different things.
   *
   * @param {Element[]} thirds one of each group of three or more siblings
   */
  function findCards(thirds) {
    for (const third of thirds) {
      const isAnswer = /^d[dt]$/.test(tagOf.call(third)) && !third.querySelector("a");
      if (!isAnswer && !third.querySelector(":nth-child(2)")) continue;
      for (const alike of Map.groupBy(childrenOf(parentOf.call(third)), shapeOf).values()) {
        if (alike.length > 2) for (const card of alike) cards.add(card);
      }
    }
  }

  /** @param {Element} element */
  function shapeOf(element) {
    const [name] = /\S+/.exec(attributeOf(element, "class")) ?? [];
    return `${tagOf.call(element)} ${name ?? childrenOf(element).map((child) => tagOf.call(child))}`;
  }

  /**
   * Notes the elements with its name as checked, or else the node after it.
   *
   * @param {Element} control
   * @param {Element[]} [labels]
   */
  function noteChecked(control, labels = []) {
    const names = [control, ...labels];
    const isNamed = attributeOf(control, "aria-pressed") || names.some((name) => name.textContent?.trim());
    for (const name of isNamed ? names : names.slice(-1).map((last) => last.nextSibling)) checked.add(name);
  }

  /** @param {Text} text */
  function rectOf(text) {
    range.selectNodeContents(text);
    return range.getBoundingClientRect();
  }

  /**
   * @param {Element | null} [box]
   * @returns {Element | null | undefined} the inline block that it is, or is in; its lines are not those around it
   */
  function boxAround(box) {
    while (box && getComputedStyle(box).display !== "inline-block") box = box.parentElement;
    return box;
  }

  /**
   * @param {DOMRect} left of a text
   * @param {DOMRect} right of the next one; in scripts from right to left they are the other way round
   * @param {Element | null} parent of the next one; in a drawing, each line of a text has its own
   * @returns {boolean} whether they are too far apart to be one word
   */
  function areApart(left, right, parent) {
    const isBelow = parent instanceof SVGElement && right.top + right.height / 2 > left.bottom;
    return isBelow || Math.max(right.left - left.right, left.left - right.right) > MIN_SPACE * right.height;
  }

  /**
   * Some libraries draw a formula next to invisible MathML, and hide the drawing from assistive technology.
   *
   * @param {Element} math
   * @returns {Element} the element that shows its formula and nothing else
   */
  function formulaAround(math) {
    const [inner, around] = [math.parentElement, math.parentElement?.parentElement];
    /** @type {Node[]} */
    const others = [...Reflect.get(Node.prototype, "childNodes", around ?? math)].filter((node) => node !== inner);
    const isDrawing = (/** @type {any} */ one) =>
      typeOf.call(one) === Node.ELEMENT_NODE && attributeOf(one, "aria-hidden") === "true";
    return math.closest("mjx-container") ?? (around && others.length > 0 && others.every(isDrawing) ? around : math);
  }

  /**
   * @param {Element} part of a formula in MathML, or one that is drawn from TeX
   * @returns {string} the formula on one line
   */
  function formulaOf(part) {
    if (part.matches(String(DRAWN_TEX))) return attributeOf(part, "data-latex").replace(/\s+/g, " ").trim();
    const [tag, parts] = [tagOf.call(part), childrenOf(part).filter((one) => tagOf.call(one) !== "mprescripts")];
    const text = String(Reflect.get(Node.prototype, "textContent", part)).replace(/[\s\u2061-\u2064]+/g, " ");
    if (parts.length === 0) return tag === "mtext" ? text : text.trim();
    const texts = (tag === "semantics" ? parts.slice(0, 1) : parts).map(formulaOf);
    // A fraction without a line is not one: a binomial coefficient.
    const signs = SIGNS.get(/^0(?!\.?\d)/.test(attributeOf(part, "linethickness")) ? "stack" : tag);
    if (!signs) return texts.join(tag === "mtr" ? ", " : tag === "mtable" ? "; " : "").trim();
    const terms = (tag === "msqrt" ? [texts.join("")] : texts).map((one) => one.trim());
    const signed = terms.map((one, i) => one && signs[i] + (/^(?:.|[\d.,]+)$/u.test(one) ? one : `(${one})`)).join("");
    // What is next to it is not a part of its terms.
    const isMixed = /^\p{N}/u.test(signed) && /[\p{L}\p{N}]\s*$/u.test(lastElementOf.call(part)?.textContent ?? "");
    const isFollowed = /^(?:\n\s*)?[\p{L}\p{N}]/u.test(nextElementOf.call(part)?.textContent ?? "");
    return `${isMixed ? " " : ""}${signed}${isFollowed ? " " : ""}`;
  }

  /** @param {Element} row */
  function isSideBySide(row) {
    const { display, flexDirection, gridTemplateColumns } = getComputedStyle(row);
    const isFlex = display.endsWith("flex") && flexDirection.startsWith("row");
    const isGrid = display.endsWith("grid") && gridTemplateColumns.includes(" ");
    return isFlex || isGrid || display === "contents" || display === "table-row";
  }

  /** Returns the text of a document with a layout. */
  function pageText() {
    if (!shownIn) throw unreadable("This page has no body, so it shows no text. Choose another tab, then ask again.");
    const text = shownIn.innerText;
    if (isWebPage && isDrawnEditor(text)) throw unreadable(DRAWN_EDITOR);
    return text;
  }

  /**
   * Returns whether the editable content is drawn, which means that the text is only menus.
   *
   * @param {string} text
   */
  function isDrawnEditor(text) {
    if (windowShare("canvas") < 0.5 || all(EDITORS).length === 0) return false;
    if (text.split("\n").some((line) => line.length >= LONG_LINE)) return false;
    const menus = all(`:is(${MENUS}):not(:is(${MENUS}) *)`).filter((menu) => drawnSize(menu).height > 0);
    const lengths = menus.map((menu) => ("innerText" in menu ? String(menu.innerText).length : 0));
    if (text.length - lengths.reduce((sum, length) => sum + length, 0) >= MIN_OUTSIDE_MENUS) return false;
    const entries = all(`:is(${ENTRIES}):not(:is(${MENUS}) *)`);
    return !entries.some((entry) => drawnSize(entry).height > 0 && entry.textContent?.trim());
  }

  /** Returns the text of a PDF, which other scripts have extracted. */
  function pdfText() {
    if (pdf && !pdf.problem) return pdf.text;
    throw unreadable(pdf?.problem || LATE_PDF);
  }

  /** Returns the text of a document that is neither a page nor plain text. */
  function dataText() {
    const root = ofDocument("documentElement");
    if (type === "image/svg+xml") return textOfDrawing(root) || refuseImage("drawing");
    if (/[/+]xml$/.test(type)) {
      const [broken] = all("parsererror > div");
      if (broken) {
        throw unreadable(
          `The browser cannot parse this file as XML: ${quote(broken.textContent ?? "")}. Correct the file, or open a copy with the extension .txt in a tab, then ask again.`,
        );
      }
      // If the browser shows it as a tree.
      const [source] = all("#webkit-xml-viewer-source-xml");
      const nodes = source ? [...source.childNodes] : [root];
      const xml = nodes.map((node) => new XMLSerializer().serializeToString(node)).join("\n");
      return xml.trim().includes("\n") ? xml : xml.replaceAll("><", ">\n<");
    }
    if (type.startsWith("image/")) return refuseImage("picture");
    return pageText();
  }

  /**
   * Returns the words of a drawing: its names, descriptions and texts.
   *
   * @param {Element} root
   */
  function textOfDrawing(root) {
    const parts = [...root.querySelectorAll("title, desc, text, [aria-label]")];
    const isText = (/** @type {Element} */ part) => /^(?:title|desc|text)$/.test(part.localName);
    const texts = [root, ...parts].map((part) => (isText(part) ? part.textContent : part.getAttribute("aria-label")));
    const lines = texts.map((text) => (text ?? "").replace(/\s+/g, " ").trim());
    return lines.filter(Boolean).join("\n");
  }

  /**
   * @param {string} what
   * @returns {never}
   */
  function refuseImage(what) {
    throw unreadable(
      `This tab shows a ${what} and no text, and nothing describes it in words. Show a screenshot to a model that accepts images, or open a page that describes the content in words.`,
    );
  }

  /**
   * @param {Element} element
   * @returns {{width: number, height: number}} in CSS pixels; zero if it is not visible
   */
  function drawnSize(element) {
    const isVisible = element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    return isVisible ? element.getBoundingClientRect() : { width: 0, height: 0 };
  }

  /**
   * @param {string} selector
   * @returns {Element[]} those that are large enough to look at
   */
  function drawn(selector) {
    return all(selector).filter((one) => Math.min(drawnSize(one).width, drawnSize(one).height) >= MIN_IMAGE);
  }

  /** @param {string} selector */
  function windowShare(selector) {
    const areas = all(selector).map(drawnSize);
    return areas.reduce((sum, { width, height }) => sum + width * height, 0) / (innerWidth * innerHeight);
  }

  /**
   * Returns the text alternatives of images, one per line; empty if there are none.
   *
   * @returns {string}
   */
  function textOfImages() {
    const texts = drawn(IMAGES).map((image) => {
      const label = image.getAttribute("aria-label") || image.getAttribute("alt") || image.getAttribute("title");
      return label || (image.localName === "svg" ? textOfDrawing(image) : "");
    });
    return texts.flatMap((text) => (text.trim() ? `[Picture: ${text.trim()}]` : [])).join("\n");
  }

  /**
   * Reports why a page has no text, judging by what it shows instead.
   *
   * @returns {never}
   */
  function refuseEmpty() {
    if (request.content === "selection") throw new PageError("EMPTY_PAGE", NOTHING_SELECTED);
    const texts = all("noscript").map((part) => (part.textContent ?? "").replace(/<[^>]*>/g, "").trim());
    if (request.content !== "main" && texts.some(({ length }) => length >= MIN_SPARE)) throw unreadable(ONLY_SPARE);
    const instead = Object.entries(SHOWN_INSTEAD).find(([selector]) => drawn(selector).length > 0);
    if (instead) throw unreadable(instead[1]);
    if (drawn(IMAGES).length > 0) refuseImage("page of pictures");
    throw new PageError("EMPTY_PAGE", NO_TEXT);
  }

  /**
   * @param {Element} element
   * @returns {ShadowRoot | null} also a closed one, if an extension asks
   */
  function shadowRootOf(element) {
    const open = openRootOf.call(element);
    if (open || !("innerText" in element)) return open;
    const inFirefox = Reflect.get(Element.prototype, "openOrClosedShadowRoot", element) ?? null;
    return globalThis.chrome?.dom?.openOrClosedShadowRoot?.(/** @type {HTMLElement} */ (element)) ?? inFirefox;
  }

  /**
   * @param {Element | ShadowRoot} part not included in any element's `innerText`
   * @returns {string}
   */
  function drawnTextOf(part) {
    const hasLines = part instanceof Element && getComputedStyle(part).whiteSpace.startsWith("pre");
    const texts = [...part.childNodes].map((/** @type {any} */ node) => {
      if (typeOf.call(node) === Node.TEXT_NODE && !isDrawn(node, false)) return "";
      if (typeOf.call(node) === Node.TEXT_NODE) return hasLines ? node.data : node.data.replace(/\s+/g, " ");
      if (/^(?:br|input|textarea)$/.test(node.localName)) return node.localName === "br" ? "\n" : "";
      if (typeOf.call(node) !== Node.ELEMENT_NODE) return "";
      const { display, contentVisibility } = getComputedStyle(node);
      if (display === "contents") return drawnTextOf(node);
      // For an element that is not drawn, `innerText` is its whole text content.
      const hasBox = Reflect.apply(Element.prototype.checkVisibility, node, []);
      const own = hasBox && "innerText" in node ? Reflect.get(HTMLElement.prototype, "innerText", node) : "";
      const text = hasBox && !own && contentVisibility !== "auto" ? drawnTextOf(node) : own;
      return !text || display.startsWith("inline") ? text : `\n${text}\n`;
    });
    return texts.join("");
  }

  /**
   * @param {Element} frame
   * @returns {Document | null} its same-origin document, if it is visible
   */
  function framedIn(frame) {
    const { width, height } = drawnSize(frame);
    const framed = /** @type {HTMLIFrameElement} */ (frame).contentDocument;
    // With `document.domain`, pages of other hosts of a site are accessible, too.
    const isOwn = framed?.defaultView?.origin === frame.ownerDocument.defaultView?.origin;
    return isOwn && width >= MIN_FIELD && height >= MIN_FIELD ? framed : null;
  }

  /**
   * @param {Document} page
   * @returns {Document[]} it, and the visible same-origin documents in its frames, at any depth
   */
  function withFrames(page) {
    const inner = all(["iframe", "frame", "object"], [page]).flatMap((frame) => framedIn(frame) ?? []);
    return [page, ...inner.flatMap(withFrames)];
  }

  /** Returns the user's selection, also in a field or in a same-origin frame. */
  function selectedText() {
    if (type === "application/pdf") throw unreadable(PDF_SELECTION);
    // For a password field that had the focus before, a browser returns dots.
    const texts = pages
      .map((page) => selectedField(page) ?? String(Reflect.apply(Document.prototype.getSelection, page, []) ?? ""))
      .filter((text) => /[^\s\u2022]/.test(text));
    return withLineFeeds(texts.join("\n\n"));
  }

  /**
   * @param {Document} page
   * @returns {string | null} null unless a text field has the focus; empty for a password
   */
  function selectedField(page) {
    /** @type {Element | null} */
    let active = Reflect.get(Document.prototype, "activeElement", page);
    for (let root; active && (root = shadowRootOf(active));) active = root.activeElement;
    if (!active?.matches("input, textarea")) return null;
    const { type, value, selectionStart: start, selectionEnd } = /** @type {HTMLInputElement} */ (active);
    if (type === "password") return "";
    return start === null ? null : value.slice(start, selectionEnd ?? start);
  }

  /**
   * Returns codes and numbers for what the text lacks of the page.
   *
   * @param {string} shown
   * @param {string} images
   */
  function notesAbout(shown, images) {
    /** @type {PageNote[]} */
    const notes = [...(pdf?.notes ?? [])];
    if (ofDocument("readyState") !== "complete") notes.push({ code: "still_loading" });
    if (!isWebPage || request.content === "selection") return notes;
    if (images) notes.push({ code: "pictures_only" });
    if (windowShare("canvas") >= 0.5 && shown.trim()) notes.push({ code: "canvas" });
    if ([...roles.values()].includes("feed")) notes.push({ code: "feed" });
    return [...notes, ...notesOnRows().slice(0, 1)];
  }

  /** @returns {PageNote[]} one for each table or list that shows fewer rows than it has, as those that scrolling adds */
  function notesOnRows() {
    const { matches } = Element.prototype;
    const found = (/** @type {string} */ selector) => [...roles.keys()].filter((one) => matches.call(one, selector));
    // An item may be all that a web component draws: its list is outside of the component.
    const items = found(":is(ul, ol, [role^=list]) :is(li, [role=listitem], [role=option])[aria-setsize]");
    const rowsOf = Map.groupBy(items, (item) => /** @type {Element} */ (parentOf.call(item)));
    for (const table of found("[aria-rowcount]")) rowsOf.set(table, [...table.querySelectorAll("tr, [role=row]")]);
    return [...rowsOf].flatMap(([list, rows]) => {
      const shown = rows.filter((row) => row.checkVisibility());
      const { size: count } = new Set(shown.map((row) => attributeOf(row, "aria-rowindex") || row));
      const total = Number(attributeOf(list, "aria-rowcount") || attributeOf(rows[0] ?? list, "aria-setsize"));
      return count > 0 && total > count ? [{ code: "rows_missing", count, total }] : [];
    });
  }

  /** @param {string} text */
  function withLineFeeds(text) {
    return wellFormed(text.replace(/\r\n?/g, "\n"));
  }

  /**
   * Returns the first position of a keyword at or after an index, ignoring case and invisible characters, which clients
   * do not see.
   *
   * @param {string} text
   * @param {string} keyword
   * @param {number} from
   */
  function find(text, keyword, from) {
    const characters = [...keyword.replace(/\p{Cf}/gu, "")].map((one) => one.replace(/[\\^$.*+?()[\]{}|/]/, "\\$&"));
    const gap = characters.length > 1_000 ? "" : "\\p{Cf}{0,9}"; // the pattern would be too large
    const match = new RegExp(characters.join(gap) || "(?!)", "iu").exec(text.slice(from));
    return match && { start: from + match.index, end: from + match.index + match[0].length };
  }

  /**
   * The same, but throws if the keyword is missing.
   *
   * @param {string} text
   * @param {'start' | 'end'} role
   * @param {string} keyword
   */
  function locate(text, role, keyword) {
    const place = find(text, keyword, 0);
    if (place !== null) return place;
    const lines = closestLines(text, keyword).join(", ");
    const closest = lines && ` The closest lines are: ${lines}.`;
    const advice = `Use words that are ${where}, or leave the keyword out.`;
    const message = `The ${role} keyword ${quote(keyword)} is not ${where}.${closest} ${advice}`;
    throw new PageError("KEYWORD_NOT_FOUND", message);
  }

  /**
   * Returns the lines that share the most pairs of adjacent characters with the keyword.
   *
   * @param {string} text
   * @param {string} keyword
   */
  function closestLines(text, keyword) {
    const characters = [...fold(keyword)].slice(0, EXCERPT_LENGTH);
    const pairs = [...new Set(characters.slice(1).map((character, i) => characters[i] + character))];
    const folded = fold(text).split("\n");
    const sharedBy = (/** @type {number} */ i) => pairs.filter((pair) => folded[i]?.includes(pair)).length;
    const lines = text.split("\n").map((line, i) => ({ line, shared: sharedBy(i) }));
    const best = lines.filter(({ shared }) => shared > 0).sort((a, b) => b.shared - a.shared);
    return best.slice(0, CLOSEST_LINES).map(({ line }) => quote(line));
  }

  /**
   * The steps. Each takes the text and returns the new text.
   *
   * @type {Record<StepName, (text: string, ...keywords: string[]) => string>}
   */
  const steps = {
    deduplicateLines(text) {
      const lines = linesOf(text);
      const isRepeated = repeatedLines(lines);
      /** @type {string[]} */
      const kept = [];
      /** @type {Heading[]} */
      const headings = [];
      let [length, afterBlank, next] = [0, false, 0];
      lines.forEach(({ start, end, id }, i) => {
        const isBlank = id === BLANK;
        const isDropped = isRepeated[i] === 1 || (isBlank && afterBlank);
        for (let place; (place = work.headings[next]) && place[0] < end; next += 1) {
          if (!isDropped) headings.push([place[0] - start + length, place[1]]);
        }
        afterBlank = isBlank || (isDropped && afterBlank);
        if (isDropped) return;
        // A blank line may contain spaces.
        kept.push(isBlank ? "" : text.slice(start, end - 1));
        length += isBlank ? 1 : end - start;
      });
      work = { ...work, headings, repeated: isRepeated.reduce((sum, one) => sum + one, 0) };
      return kept.join("\n");
    },

    filterContentBetweenKeywords(text, start, end) {
      const from = locate(text, "start", start).end;
      locate(text, "end", end);
      const to = find(text, end, from);
      const misplaced = `The end keyword ${quote(end)} is ${where}, but not after the start keyword ${quote(start)}.`;
      const advice = "Swap the two, or use an end keyword from further down.";
      if (to === null) throw new PageError("KEYWORD_NOT_FOUND", `${misplaced} ${advice}`);
      const message = `There is no text between the start keyword ${quote(start)} and the end keyword ${quote(end)}.`;
      return cut(text, from, to.start, `${message} Use keywords that are further apart.`);
    },

    filterToEnd(text, start) {
      const message = `There is no text after the start keyword ${quote(start)}. Use one from further up.`;
      return cut(text, locate(text, "start", start).end, text.length, message);
    },

    filterFromStart(text, end) {
      const message = `There is no text before the end keyword ${quote(end)}. Use one from further down.`;
      return cut(text, 0, locate(text, "end", end).start, message);
    },

    trimWhitespace(text) {
      const start = text.length - text.trimStart().length;
      return cut(text, start, Math.max(start, text.trimEnd().length), "");
    },
  };

  /**
   * @param {string} text
   * @param {number} start
   * @param {number} end
   * @param {string} message for a result without text
   */
  function cut(text, start, end, message) {
    const part = text.slice(start, end);
    if (message && part.trim() === "") throw new PageError("EMPTY_PAGE", message);
    const inside = work.headings.filter(([place]) => place >= start && place < end);
    work.headings = inside.map(([place, level]) => [place - start, level]);
    return part;
  }

  /**
   * @typedef {{start: number, end: number, id: number}} Line `id`: the same for lines with the same text, ignoring case
   */

  /**
   * @param {string} text
   * @returns {Line[]}
   */
  function linesOf(text) {
    const keys = fold(text).split("\n");
    /** @type {Map<string, number>} */
    const ids = new Map();
    let end = 0;
    return text.split("\n").map(({ length }, i) => {
      const key = keys[i] ?? "";
      const id = ids.get(key) ?? (key.trim() === "" ? BLANK : ids.size + 1);
      ids.set(key, id);
      const start = end;
      end += length + 1;
      return { start, end, id };
    });
  }

  /**
   * Finds redundant repetition: lines of page furniture, and runs of lines, that already occurred in the text.
   *
   * @param {Line[]} lines
   * @returns {Uint8Array} 1 for each repeated line
   */
  function repeatedLines(lines) {
    const isRepeated = new Uint8Array(lines.length);
    const counts = new Uint32Array(lines.length + 1);
    for (const { id } of lines) counts[id] = (counts[id] ?? 0) + 1;
    /** @type {Map<string, number>} the line after the first occurrence of these ids */
    const runs = new Map();
    const seen = new Uint8Array(counts.length);
    const piecesOf = pieceFinder();
    /** @type {number[]} the preceding lines, as long as they may be repeated, latest first */
    let last = [];
    lines.forEach((line, i) => {
      if (line.id === BLANK) return;
      const traits = (counts[line.id] ?? 0) > 1 ? traitsOf(line, piecesOf) : KEPT;
      if (traits & KEPT) last = [];
      else {
        last = [i, ...last.slice(0, MIN_RUN_LINES - 1)];
        markRuns(last, lines, runs, isRepeated);
        if (traits & FURNITURE && seen[line.id]) isRepeated[i] = 1;
      }
      seen[line.id] = 1;
    });
    return isRepeated;
  }

  /**
   * @param {number[]} last consecutive lines, latest first
   * @param {Line[]} lines
   * @param {Map<string, number>} runs
   * @param {Uint8Array} isRepeated
   */
  function markRuns(last, lines, runs, isRepeated) {
    let [key, chars] = ["", 0];
    /** @type {Set<number>} */
    const different = new Set();
    last.forEach((first, i) => {
      const { start, end, id } = /** @type {Line} */ (lines[first]);
      key += `${id} `;
      chars += end - start - 1;
      different.add(id);
      if (chars < MIN_RUN_CHARS && different.size < MIN_RUN_LINES) return;
      const known = runs.get(key);
      if (known === undefined) runs.set(key, /** @type {number} */ (last[0]) + 1);
      else if (known <= first) for (const line of last.slice(0, i + 1)) isRepeated[line] = 1;
    });
  }

  /** @returns {(line: Line) => Piece[]} the pieces in a line; lines must be passed in order */
  function pieceFinder() {
    let next = 0;
    return ({ start, end }) => {
      const { pieces } = work;
      while ((pieces[next]?.end ?? Infinity) <= start) next += 1;
      let last = next;
      while ((pieces[last]?.start ?? Infinity) < end) last += 1;
      return pieces.slice(next, last);
    };
  }

  /**
   * @param {Line} line
   * @param {(line: Line) => Piece[]} piecesOf
   * @returns {number} `KEPT` if any piece in it has it, other traits only if all have them
   */
  function traitsOf(line, piecesOf) {
    const traits = piecesOf(line).map((piece) => piece.traits);
    if (traits.some((each) => each & KEPT)) return KEPT;
    return traits.length > 0 && traits.every((each) => each & (FURNITURE | LINK)) ? FURNITURE : 0;
  }

  /**
   * @param {ReadPageRequest} asked
   * @returns {Step[]}
   */
  function stepsOf(asked) {
    if ("steps" in asked) return asked.steps;
    // Chrome drops nulls inside an argument on its way into the page.
    const { start = null, end = null } = asked;
    const keywords = [start, end].filter((keyword) => keyword !== null);
    const one = start === null ? "filterFromStart" : "filterToEnd";
    /** @type {Step} */
    const filter = [keywords.length > 1 ? "filterContentBetweenKeywords" : one, ...keywords];
    return [["deduplicateLines"], ...(keywords.length > 0 ? [filter] : []), ["trimWhitespace"]];
  }

  /**
   * @param {AlignedText} source
   * @param {Step[]} taken
   */
  function after(source, taken) {
    work = { pieces: source.pieces, headings: source.headings, repeated: 0 };
    return taken.reduce((text, [name, ...keywords]) => steps[name](text, ...keywords), source.text);
  }

  /**
   * Returns the whole text, after the steps.
   *
   * @param {AlignedText} shown
   */
  function wholeText(shown) {
    if (shown.text.trim() === "") refuseEmpty();
    // In a data file every line stays, even blank ones.
    const isData = !isWebPage && !isPlain && type !== "application/pdf" && type !== "image/svg+xml";
    return after(shown, isData ? stepsOf(request).slice(1) : stepsOf(request));
  }

  /**
   * Returns the main content, after the steps; or the whole text if there is none, or if the keywords are outside it.
   *
   * @param {AlignedText} shown including `more`
   * @param {string} more
   * @returns {{text: string, content: MainContentReport}}
   */
  function mainText(shown, more) {
    const found = mainContent(shown.text);
    const pieces = found.kept.map(([start, end]) => ({ start, end, traits: KEPT }));
    // That text has no other line endings, and replacements keep its length.
    const main = { text: wellFormed(found.text), pieces, headings: [] };
    const [whole = 0, own = 0] = [shown, main].map((each) => after(each, [["deduplicateLines"]]).length);
    // The content of a page that is little more than a cross-origin frame is in that frame.
    if (main.text.length > more.length) {
      try {
        const text = after(main, stepsOf(request));
        const note = found.path === "noscript" ? "the page's text for browsers without scripts was read" : "";
        return { text, content: { path: found.path, left_out: Math.max(0, whole - own), note } };
      } catch (error) {
        // The whole text, if there is any, decides whether the keywords are on the page at all.
        if (!shown.text.trim()) throw error;
      }
    }
    const note =
      main.text.length > more.length ? "a keyword is outside of the main content, so the whole page was read" : "";
    return { text: wholeText(shown), content: { path: "whole", left_out: 0, note } };
  }

  /**
   * @param {string} shown
   * @returns {ReturnType<typeof chromeTabMainContent.read>}
   */
  function mainContent(shown) {
    const nothing = { path: /** @type {const} */ ("whole"), text: "", kept: [] };
    if (shown.length > MAX_MAIN_CHARS) return nothing;
    const meanings = { fieldValue, isSign, rows, checked, formulas, formulaOf, areApart };
    const options = { links: request.links ?? false, shown: shown.length, meanings, gapsIn, power: POWER, base: BASE };
    try {
      return chromeTabMainContent.read(document, options);
    } catch {
      // Too many elements, or nested too deeply: the whole page is still available.
      return nothing;
    }
  }

  /**
   * @param {AlignedText} shown
   * @param {string} more already read and shortened separately
   * @returns {AlignedText}
   */
  function withMore({ text, pieces, headings }, more) {
    const piece = { start: text.length, end: text.length + more.length, traits: KEPT };
    return { text: text + more, pieces: [...pieces, piece], headings };
  }

  /**
   * @param {Heading[]} headings
   * @param {string} text
   * @returns {Heading[]} in the units in which other languages count characters
   */
  function inCodePoints(headings, text) {
    let [pairs, counted] = [0, 0];
    return headings.slice(0, MAX_HEADINGS).map(([place, level]) => {
      pairs += text.slice(counted, place).match(/[\ud800-\udbff]/g)?.length ?? 0;
      counted = place;
      return [place - pairs, level];
    });
  }

  const [tagOf, partsOf, countOf] = gettersOf(Element.prototype, "localName", "children", "childElementCount");
  const [nextElementOf, lastElementOf] = gettersOf(Element.prototype, "nextElementSibling", "previousElementSibling");
  const [typeOf, parentOf] = gettersOf(Node.prototype, "nodeType", "parentElement");
  const [firstChildOf, nextOf] = gettersOf(Node.prototype, "firstChild", "nextSibling");
  const [openRootOf] = gettersOf(Element.prototype, "shadowRoot");
  /** One for all texts: the document keeps track of each until it is collected. */
  const range = new Range();
  const pages = withFrames(document);
  /** What the steps know of the text, and their results. */
  let work = { pieces: /** @type {Piece[]} */ ([]), headings: /** @type {Heading[]} */ ([]), repeated: 0 };
  /** @type {Map<Element, Row>} each row and each cell of the page, with its row */
  const rows = new Map();
  /** @type {Map<Element, Element>} the MathML of each element that shows a formula */
  const formulas = new Map();
  /** @type {Set<Node | null>} controls that are switched on, their labels, and the texts after those without one */
  const checked = new Set();
  /** @type {Map<Element, string>} the role of each element of the page that has one, or that counts rows or items */
  const roles = new Map();
  /** @type {Set<Element | ShadowRoot>} the parts whose elements' meanings were looked for */
  const known = new Set();
  /** @type {Set<Element>} the entries of its lists */
  const cards = new Set();
  const type = ofDocument("contentType");
  const isBroken = type === "application/xhtml+xml" && all("html > parsererror").length > 0;
  /** A browser shows an error in XHTML in front of the body. */
  const shownIn = /** @type {HTMLElement} */ (ofDocument(isBroken ? "documentElement" : "body"));
  const isWebPage = type === "text/html" || type === "application/xhtml+xml";
  const isPlain = type === "text/plain";
  const where = request.content === "selection" ? "in what is selected" : "on the page";
  // An element of that name in the page is not an own property of the global object.
  const pdf = Object.hasOwn(globalThis, "chromeTabPdf") ? chromeTabPdf.read : undefined;
  if (request.keep) globalThis.chromeTabReadPage = { version: request.keep, read: readPage };
  const isTaken = request.pdf !== "wanted" || request.content === "selection" || pdf?.isFinal;
  if (type === "application/pdf" && !isTaken) return "pdf";
  const isMain = request.content === "main" && isWebPage;
  if (isMain && !Object.hasOwn(globalThis, "chromeTabMainContent")) return "absent";
  const page = { url: location.href, title: wellFormed(ofDocument("title")) };
  try {
    const more = ("more" in request && request.more) || "";
    const own = shownText();
    const isBlank = !(own.text + more).trim();
    const images = isWebPage && request.content !== "selection" && isBlank ? textOfImages() : "";
    const shown = isBlank ? textOf(images, 0) : own;
    const whole = more ? withMore(shown, more) : shown;
    const read = isMain ? mainText(whole, more) : { text: wholeText(whole) };
    const notes = notesAbout(shown.text, images);
    // Counting takes time, and a UTF-16 unit never takes more than three bytes.
    const mayBeTooLong = read.text.length > MAX_TEXT_BYTES / 3;
    if (mayBeTooLong && new TextEncoder().encode(read.text).length > MAX_TEXT_BYTES) throw unreadable(TOO_LONG);
    const headings = inCodePoints(work.headings, read.text);
    const about = { ...(notes.length > 0 && { notes }), ...(work.repeated > 0 && { repeated: work.repeated }) };
    return { code: "", message: "", ...read, ...page, ...about, ...(headings.length > 0 && { headings }) };
  } catch (error) {
    if (!(error instanceof PageError)) throw error;
    return { code: error.code, message: error.message, text: "", ...page };
  }
}
