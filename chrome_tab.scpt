-- chrome_tab.scpt: AppleScript source text (not compiled), ASCII, LF. Gives the text of a tab.
--
--   osascript chrome_tab.scpt --no-filter        the whole page
--   osascript chrome_tab.scpt START END          after the first START, before the next END
--   osascript chrome_tab.scpt START --to-end     after the first START
--   osascript chrome_tab.scpt --from-start END   before the first END
--   osascript -ss chrome_tab.scpt --list-tabs    the open tabs, as listTabs says
--
-- stdout: the text. stderr: one line, chrome_tab_page normal {"url": ..., "title": ...}; the word before the JSON
-- is the mode of the window (normal or incognito), and is missing where the browser does not tell it.
-- Every failure is an error with a number: one of those below, or the browser's own.
-- With CHROME_TAB_CLIPBOARD=1 in the environment the text is also put on the clipboard; with
-- CHROME_TAB_CONTENT=main it is the main content, and the line on stderr tells how that was found;
-- with CHROME_TAB_CONTENT=selection it is what is selected. It is the active tab's, or, with CHROME_TAB_ID,
-- CHROME_TAB_WINDOW and CHROME_TAB_INDEX, that of the tab of this id at this place. A PDF is read where
-- CHROME_TAB_EXTENSION names the folder "extension", whose scripts take its text out in the tab.
--
-- For another browser of Chromium replace "Google Chrome" by its name everywhere. For Safari and Arc, whose words
-- are others, also put each line that a comment gives for them in the place of the line before it.
--
-- The handlers only compose a JavaScript program: a list of steps for the page function. Chrome runs
-- it in a world of its own beside the page, so page text and keywords never become AppleScript or shell: the two
-- commands for a shell are constants, which print files of that folder.

property EMPTY_PAGE : 9001
property KEYWORD_NOT_FOUND : 9002
property UNREADABLE_PAGE : 9003
property INVALID_ARGUMENT : 9004
property TAB_NOT_FOUND : 9005
property NOT_RUNNING : -600

-- begin of the page function, written by scripts/embed_page_function.py
property pageFunction : "function readPage(request) {
  const MAX_TEXT_BYTES = 30 * 1024 * 1024;
  const EXCERPT_LENGTH = 80;
  const CLOSEST_LINES = 3;
  const MAX_MAIN_CHARS = 2_000_000;
  const LONG_LINE = 80;
  const MIN_INNER_SHARE = 0.1;
  const MIN_SPARE = 250;
  const MIN_PICTURE = 50;
  const PICTURES = \"img, svg, picture, [role=img], [role=graphics-document], input[type=image]\";
  const EDITORS = \"[contenteditable], [role=textbox], [role=menubar], [role=application]\";
  class PageError extends Error {
    constructor(code, message) {
      super(message);
      this.code = code;
    }
  }
  function ofDocument(name) {
    return Reflect.get(Document.prototype, name, document);
  }
  function quote(text) {
    const start = text.trim().slice(0, 2 * EXCERPT_LENGTH + 2);
    const safe = start.replace(/(?!\\t)[\\p{Cc}\\p{Zl}\\p{Zp}\\p{Bidi_Control}]/gu, \" \");
    const characters = [...safe];
    const isLong = characters.length > EXCERPT_LENGTH;
    return isLong ? `\"${characters.slice(0, EXCERPT_LENGTH - 3).join(\"\")}...\"` : `\"${safe}\"`;
  }
  function fold(text) {
    return text.replaceAll(\"\\u1e9e\", \"\\u00df\").toUpperCase().toLowerCase();
  }
  function wellFormed(text) {
    return text.toWellFormed().replaceAll(\"\\0\", \"\\ufffd\");
  }
  function unreadable(message) {
    return new PageError(\"UNREADABLE_PAGE\", message);
  }
  function all(selector, page = document) {
    return [...Reflect.apply(Document.prototype.querySelectorAll, page, [selector])];
  }
  function shownText() {
    if (![\"http:\", \"https:\", \"file:\"].includes(location.protocol)) {
      throw unreadable(\"This tab shows a page of the browser itself, which cannot be read. Switch to a web page.\");
    }
    if (request.content === \"selection\") return selectedText();
    const text = type === \"application/pdf\" ? pdfText() : isWebPage || isPlain ? pageText() : dataText();
    return withLineFeeds(text);
  }
  function pageText() {
    const body = ofDocument(\"body\");
    if (!body) throw unreadable(\"This page has no body, so it shows no text. Choose another tab, then ask again.\");
    const text = body.innerText;
    if (isWebPage && isDrawnEditor(text)) {
      throw unreadable(
        \"This page draws its document on a canvas, so only its menus are text. Use its own export or its view for\" +
          \" printing or for screen readers (in Google Docs: File > Download), open that in a tab, and ask again.\",
      );
    }
    return text;
  }
  function isDrawnEditor(text) {
    const isLabels = !text.split(\"\\n\").some((line) => line.length >= LONG_LINE);
    return isLabels && windowShare(\"canvas\") >= 0.5 && all(EDITORS).length > 0;
  }
  function pdfText() {
    if (pdf === undefined) {
      throw unreadable(
        \"The PDF in this tab was not loaded in time. Wait until it shows, then ask again; where that does not help, open it in Chrome.\",
      );
    }
    if (pdf.problem) throw unreadable(pdf.problem);
    return pdf.text;
  }
  function dataText() {
    const root = ofDocument(\"documentElement\");
    if (type === \"image/svg+xml\") {
      return textOfDrawing(root) || refusePicture(\"drawing\");
    }
    if (/[/+]xml$/.test(type)) {
      const [broken] = all(\"parsererror > div\");
      if (broken) {
        throw unreadable(
          `This file is no XML that the browser can read: ${quote(broken.textContent ?? \"\")}. Have it corrected, or open a copy of it with the ending .txt in a tab, then ask again.`,
        );
      }
      const [source] = all(\"#webkit-xml-viewer-source-xml\");
      const nodes = source ? [...source.childNodes] : [root];
      const xml = nodes.map((node) => new XMLSerializer().serializeToString(node)).join(\"\\n\");
      return xml.trim().includes(\"\\n\") ? xml : xml.replaceAll(\"><\", \">\\n<\");
    }
    if (type.startsWith(\"image/\")) return refusePicture(\"picture\");
    return pageText();
  }
  function textOfDrawing(root) {
    const parts = [...root.querySelectorAll(\"title, desc, text, [aria-label]\")];
    const texts = [root, ...parts].map((part) =>
      /^(?:title|desc|text)$/.test(part.localName) ? part.textContent : part.getAttribute(\"aria-label\"),
    );
    return texts
      .map((text) => text?.replace(/\\s+/g, \" \").trim())
      .filter(Boolean)
      .join(\"\\n\");
  }
  function refusePicture(what) {
    throw unreadable(
      `This tab shows a ${what} and no text, and nothing describes it in words. A model that takes images can look at` +
        \" a screenshot of it; or open a page that says in words what it shows.\",
    );
  }
  function refuseMedia() {
    throw unreadable(
      \"This tab plays a video or a sound and shows no text. Open its transcript as a page, then ask again.\",
    );
  }
  function drawnSize(element) {
    return element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
      ? element.getBoundingClientRect()
      : { width: 0, height: 0 };
  }
  function drawn(selector) {
    return all(selector).filter((element) => {
      const { width, height } = drawnSize(element);
      return width >= MIN_PICTURE && height >= MIN_PICTURE;
    });
  }
  function windowShare(selector) {
    const areas = all(selector).map(drawnSize);
    return areas.reduce((sum, { width, height }) => sum + width * height, 0) / (innerWidth * innerHeight);
  }
  function textOfPictures() {
    const texts = drawn(PICTURES).map((picture) => {
      const label = picture.getAttribute(\"aria-label\") || picture.getAttribute(\"alt\") || picture.getAttribute(\"title\");
      return label || (picture.localName === \"svg\" ? textOfDrawing(picture) : \"\");
    });
    return texts
      .map((text) => text.trim())
      .filter(Boolean)
      .map((text) => `[Picture: ${text}]`)
      .join(\"\\n\");
  }
  function refuseEmpty() {
    if (isWebPage && request.content !== \"main\") refuseForMainContent();
    if (drawn(\"canvas\").length > 0) {
      throw unreadable(
        \"This page draws what it shows on a canvas, so there is no text to read. Look for its own export, or for a view\" +
          \" of it for printing or for screen readers; or let a model that takes images look at a screenshot.\",
      );
    }
    if (drawn(\"embed, object, iframe\").length > 0) {
      throw unreadable(
        \"What this page shows stands in a frame that cannot be read from it. Open the frame's own address in a tab of\" +
          \" its own, then ask again.\",
      );
    }
    if (drawn(\"video, audio\").length > 0) refuseMedia();
    if (drawn(PICTURES).length > 0) refusePicture(\"page of pictures\");
    throw new PageError(
      \"EMPTY_PAGE\",
      \"The page shows no text. Wait until it has loaded, or choose another tab, then ask again.\",
    );
  }
  function refuseForMainContent() {
    if (innerText(all(\"*\"))) {
      throw unreadable(
        'All text of this page stands in web components or frames, which are read as its main content: ask with content=\"main\".',
      );
    }
    const spare = all(\"noscript\").map((part) => (part.textContent ?? \"\").replace(/<[^>]*>/g, \"\"));
    if (spare.some((text) => text.trim().length >= MIN_SPARE)) {
      throw unreadable(
        'This page shows no text, but holds some for browsers without scripts, which content=\"main\" reads. Wait until it has loaded, or ask with content=\"main\".',
      );
    }
  }
  function innerText(hosts) {
    const bodies = framedDocuments(document).flatMap((page) => Reflect.get(Document.prototype, \"body\", page) ?? []);
    const parts = [...hosts.flatMap((host) => shadowRootOf(host) ?? []), ...bodies];
    for (const part of parts) {
      for (const element of part.querySelectorAll(\"*\")) {
        const root = shadowRootOf(element);
        if (root) parts.push(root);
      }
    }
    return parts.map(drawnTextOf).join(\"\\n\").trim();
  }
  function customElements() {
    const asked = [\"//*[contains(name(), '-')]\", document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE];
    const found = Reflect.apply(Document.prototype.evaluate, document, asked);
    return Array.from({ length: found.snapshotLength }, (_, i) => found.snapshotItem(i));
  }
  function shadowRootOf(element) {
    const open = Reflect.get(Element.prototype, \"shadowRoot\", element);
    if (open || !(\"innerText\" in element)) return open;
    const inChrome = globalThis.chrome?.dom?.openOrClosedShadowRoot;
    const inFirefox = Reflect.get(Element.prototype, \"openOrClosedShadowRoot\", element) ?? null;
    return inChrome?.(/** @type {HTMLElement} */ (element)) ?? inFirefox;
  }
  function drawnTextOf(part) {
    const texts = [...part.childNodes].map((node) => {
      if (!(\"innerText\" in node)) return node.nodeType === Node.TEXT_NODE ? node.nodeValue : \"\";
      const isDrawn = Reflect.apply(Element.prototype.checkVisibility, node, []);
      return isDrawn ? Reflect.get(HTMLElement.prototype, \"innerText\", node) : \"\";
    });
    return texts.join(\"\\n\");
  }
  function framedDocuments(page) {
    const inner = all(\"iframe\", page).flatMap((frame) => {
      const framed = Reflect.get(HTMLIFrameElement.prototype, \"contentDocument\", frame);
      return framed && framed.defaultView?.origin === page.defaultView?.origin ? [framed] : [];
    });
    return inner.flatMap((document) => [document, ...framedDocuments(document)]);
  }
  function selectedText() {
    if (type === \"application/pdf\") {
      throw unreadable(
        \"This tab shows a PDF, and only the browser's own viewer knows what is selected in it. Ask about all of it, or about a part between start and end keywords.\",
      );
    }
    const pages = [document, ...framedDocuments(document)];
    const texts = pages
      .map((page) => selectedField(page) ?? selectedIn(page))
      .filter((text) => /[^\\s\\u2022]/.test(text));
    return withLineFeeds(texts.join(\"\\n\\n\"));
  }
  function selectedIn(page) {
    return String(Reflect.apply(Document.prototype.getSelection, page, []) ?? \"\");
  }
  function selectedField(page) {
    let active = Reflect.get(Document.prototype, \"activeElement\", page);
    for (let root; active && (root = shadowRootOf(active));) active = root.activeElement;
    const prototypes = { input: HTMLInputElement.prototype, textarea: HTMLTextAreaElement.prototype };
    if (!active || !Object.hasOwn(prototypes, active.localName)) return null;
    const prototype = Reflect.get(prototypes, active.localName);
    const [type, value, start, end] = [\"type\", \"value\", \"selectionStart\", \"selectionEnd\"].map((name) =>
      Reflect.get(prototype, name, active),
    );
    if (type === \"password\") return \"\";
    return start === null ? null : value.slice(start, end);
  }
  function notesAbout(shown, pictures) {
    const notes = pdf?.notes ? [...pdf.notes] : [];
    if (ofDocument(\"readyState\") !== \"complete\") {
      notes.push(\"the page was still loading when it was read, so the end may be missing\");
    }
    if (!isWebPage || request.content === \"selection\") return notes;
    const inner = request.content === \"main\" ? \"\" : innerText(customElements());
    if (inner && inner.length >= MIN_INNER_SHARE * shown.length) {
      notes.push(
        `web components or frames of the page hold ${inner.length.toLocaleString(\"en\")} more characters, which only content=\"main\" reads`,
      );
    }
    if (pictures) notes.push(\"the page shows pictures only: this is how it describes them\");
    if (windowShare(\"canvas\") >= 0.5 && shown.trim()) {
      notes.push(\"much of what the page shows is drawn on a canvas, and what stands there cannot be read\");
    }
    if (all(\"[role=feed]\").length > 0) {
      notes.push(\"the page is a feed that loads more when it is scrolled: only what it has loaded was read\");
    }
    return notes;
  }
  function withLineFeeds(text) {
    return wellFormed(text.replace(/\\r\\n?/g, \"\\n\"));
  }
  function filled(text, message) {
    if (text.trim() === \"\") {
      throw new PageError(\"EMPTY_PAGE\", message);
    }
    return text;
  }
  function find(text, keyword, from) {
    const pattern = new RegExp(keyword.replace(/[\\\\^$.*+?()[\\]{}|/]/g, \"\\\\$&\"), \"giu\");
    pattern.lastIndex = from;
    const match = pattern.exec(text);
    return match === null ? null : { start: match.index, end: pattern.lastIndex };
  }
  function locate(text, role, keyword) {
    const place = find(text, keyword, 0);
    if (place === null) {
      const lines = closestLines(text, keyword);
      throw new PageError(
        \"KEYWORD_NOT_FOUND\",
        `The ${role} keyword ${quote(keyword)} is not ${where}. ` +
          (lines.length > 0 ? `The closest lines are: ${lines.join(\", \")}. ` : \"\") +
          `Use words that stand ${where}, or leave the keyword out.`,
      );
    }
    return place;
  }
  function closestLines(text, keyword) {
    const characters = [...fold(keyword)].slice(0, EXCERPT_LENGTH);
    const pairs = [...new Set(characters.slice(1).map((character, i) => characters[i] + character))];
    const folded = fold(text).split(\"\\n\");
    const best = [];
    text.split(\"\\n\").forEach((line, i) => {
      const shared = pairs.reduce((count, pair) => count + Number(folded[i]?.includes(pair)), 0);
      if (shared > (best[CLOSEST_LINES - 1]?.shared ?? 0)) {
        best.push({ line, shared });
        best.sort((a, b) => b.shared - a.shared).splice(CLOSEST_LINES);
      }
    });
    return best.map(({ line }) => quote(line));
  }
  const steps = {
    deduplicateLines(text) {
      const lines = `${text}\\n`;
      const keys = fold(lines);
      const isAligned = keys.length === lines.length;
      const seen = new Set();
      const kept = [];
      let copied = 0;
      let afterBlank = false;
      for (let start = 0, end, keyStart = 0, keyEnd; start < lines.length; start = end, keyStart = keyEnd) {
        keyEnd = keys.indexOf(\"\\n\", keyStart) + 1;
        end = isAligned ? keyEnd : lines.indexOf(\"\\n\", start) + 1;
        const key = keys.slice(keyStart, keyEnd);
        const isKnown = seen.has(key);
        const isBlank = !isKnown && key.trim() === \"\";
        const isDropped = isKnown || (isBlank && afterBlank);
        if (isDropped || isBlank) {
          if (copied < start) kept.push(lines.slice(copied, start));
          if (!isDropped) kept.push(\"\\n\");
          copied = end;
        } else {
          seen.add(key);
        }
        afterBlank = isBlank || (isKnown && afterBlank);
      }
      kept.push(lines.slice(copied));
      return kept.join(\"\").slice(0, -1);
    },
    filterContentBetweenKeywords(text, start, end) {
      const from = locate(text, \"start\", start).end;
      locate(text, \"end\", end);
      const to = find(text, end, from);
      if (to === null) {
        throw new PageError(
          \"KEYWORD_NOT_FOUND\",
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
        text.slice(locate(text, \"start\", start).end),
        `Nothing stands after the start keyword ${quote(start)}. Use one from further up.`,
      );
    },
    filterFromStart(text, end) {
      return filled(
        text.slice(0, locate(text, \"end\", end).start),
        `Nothing stands before the end keyword ${quote(end)}. Use one from further down.`,
      );
    },
    trimWhitespace(text) {
      return text.trim();
    },
  };
  function stepsOf(asked) {
    if (\"steps\" in asked) {
      return asked.steps;
    }
    const { start = null, end = null } = asked;
    const filters = [];
    if (start !== null && end !== null) {
      filters.push([\"filterContentBetweenKeywords\", start, end]);
    } else if (start !== null) {
      filters.push([\"filterToEnd\", start]);
    } else if (end !== null) {
      filters.push([\"filterFromStart\", end]);
    }
    return [[\"deduplicateLines\"], ...filters, [\"trimWhitespace\"]];
  }
  function after(text, taken) {
    for (const [name, ...keywords] of taken) text = steps[name](text, ...keywords);
    return text;
  }
  function wholeText(shown) {
    if (shown.trim() === \"\" && request.content === \"selection\") {
      throw new PageError(
        \"EMPTY_PAGE\",
        \"Nothing is selected in this tab. Select the text with the mouse, then ask again, or ask about the whole page.\",
      );
    }
    if (shown.trim() === \"\") refuseEmpty();
    const isData = !isWebPage && !isPlain && type !== \"application/pdf\" && type !== \"image/svg+xml\";
    return after(shown, isData ? stepsOf(request).slice(1) : stepsOf(request));
  }
  function mainText(shown, more) {
    const found = mainContent(shown);
    const main = withLineFeeds(found.text);
    const length = steps.deduplicateLines(shown + more).length;
    if (main.length > more.length) {
      try {
        const text = after(main, stepsOf(request).slice(1));
        const note = found.path === \"noscript\" ? \"what the page holds for browsers without scripts was read\" : \"\";
        return { text, content: { path: found.path, left_out: Math.max(0, length - main.length), note } };
      } catch {
      }
    }
    const note =
      main.length > more.length ? \"a keyword stands only outside of the main content: the whole page was read\" : \"\";
    return { text: wholeText(shown + more), content: { path: \"whole\", left_out: 0, note } };
  }
  function mainContent(shown) {
    const nothing = { path: /** @type {const} */ (\"whole\"), text: \"\" };
    if (shown.length > MAX_MAIN_CHARS) return nothing;
    try {
      return chromeTabMainContent.read(document, { links: request.links ?? false });
    } catch {
      return nothing;
    }
  }
  const type = ofDocument(\"contentType\");
  const isWebPage = type === \"text/html\" || type === \"application/xhtml+xml\";
  const isPlain = type === \"text/plain\";
  const where = request.content === \"selection\" ? \"in what is selected\" : \"on the page\";
  const pdf = Object.hasOwn(globalThis, \"chromeTabPdf\") ? chromeTabPdf.read : undefined;
  const isTaken = request.pdf !== \"wanted\" || request.content === \"selection\" || pdf?.isFinal;
  if (type === \"application/pdf\" && !isTaken) return \"pdf\";
  const isMain = request.content === \"main\" && isWebPage;
  if (isMain && !Object.hasOwn(globalThis, \"chromeTabMainContent\")) return \"absent\";
  const page = { url: location.href, title: wellFormed(ofDocument(\"title\")) };
  try {
    const more = (\"more\" in request && request.more) || \"\";
    const own = shownText();
    const pictures = isWebPage && request.content !== \"selection\" && !(own + more).trim() ? textOfPictures() : \"\";
    const shown = own.trim() ? own : pictures;
    const read = isMain ? mainText(shown, more) : { text: wholeText(shown + more) };
    const notes = notesAbout(shown, pictures);
    if (read.text.length > MAX_TEXT_BYTES / 3 && new TextEncoder().encode(read.text).length > MAX_TEXT_BYTES) {
      throw new PageError(
        \"UNREADABLE_PAGE\",
        \"The text is longer than 30 MiB. Read a part of the page with start and end keywords.\",
      );
    }
    return { code: \"\", message: \"\", ...read, ...page, ...(notes.length > 0 && { notes }) };
  } catch (error) {
    if (error instanceof PageError) {
      return { code: error.code, message: error.message, text: \"\", ...page };
    }
    throw error;
  }
}"
-- It holds Readability.js (Copyright 2010 Arc90 Inc, Apache License 2.0), changed as extension/vendor/README.md says.
property mainContent1 : "{
function Readability(doc, options) {
  if (options && options.documentElement) {
    doc = options;
    options = arguments[2];
  } else if (!doc || !doc.documentElement) {
    throw new Error(
      \"First argument to Readability constructor should be a document object.\"
    );
  }
  options = options || {};
  this._doc = doc;
  this._docJSDOMParser = this._doc.firstChild.__JSDOMParser__;
  this._articleTitle = null;
  this._articleByline = null;
  this._articleDir = null;
  this._articleSiteName = null;
  this._attempts = [];
  this._metadata = {};
  this._debug = !!options.debug;
  this._maxElemsToParse =
    options.maxElemsToParse || this.DEFAULT_MAX_ELEMS_TO_PARSE;
  this._nbTopCandidates =
    options.nbTopCandidates || this.DEFAULT_N_TOP_CANDIDATES;
  this._charThreshold = options.charThreshold || this.DEFAULT_CHAR_THRESHOLD;
  this._classesToPreserve = this.CLASSES_TO_PRESERVE.concat(
    options.classesToPreserve || []
  );
  this._keepClasses = !!options.keepClasses;
  this._serializer =
    options.serializer ||
    function (el) {
      return el.innerHTML;
    };
  this._disableJSONLD = !!options.disableJSONLD;
  this._allowedVideoRegex = options.allowedVideoRegex || this.REGEXPS.videos;
  this._linkDensityModifier = options.linkDensityModifier || 0;
  this._flags =
    this.FLAG_STRIP_UNLIKELYS |
    this.FLAG_WEIGHT_CLASSES |
    this.FLAG_CLEAN_CONDITIONALLY;
  if (this._debug) {
    let logNode = function (node) {
      if (node.nodeType == node.TEXT_NODE) {
        return `${node.nodeName} (\"${node.textContent}\")`;
      }
      let attrPairs = Array.from(node.attributes || [], function (attr) {
        return `${attr.name}=\"${attr.value}\"`;
      }).join(\" \");
      return `<${node.localName} ${attrPairs}>`;
    };
    this.log = function () {
      if (typeof console !== \"undefined\") {
        let args = Array.from(arguments, arg => {
          if (arg && arg.nodeType == this.ELEMENT_NODE) {
            return logNode(arg);
          }
          return arg;
        });
        args.unshift(\"Reader: (Readability)\");
        console.log(...args);
      } else if (typeof dump !== \"undefined\") {
        var msg = Array.prototype.map
          .call(arguments, function (x) {
            return x && x.nodeName ? logNode(x) : x;
          })
          .join(\" \");
        dump(\"Reader: (Readability) \" + msg + \"\\n\");
      }
    };
  } else {
    this.log = function () {};
  }
}
Readability.prototype = {
  FLAG_STRIP_UNLIKELYS: 0x1,
  FLAG_WEIGHT_CLASSES: 0x2,
  FLAG_CLEAN_CONDITIONALLY: 0x4,
  ELEMENT_NODE: 1,
  TEXT_NODE: 3,
  DEFAULT_MAX_ELEMS_TO_PARSE: 0,
  DEFAULT_N_TOP_CANDIDATES: 5,
  DEFAULT_TAGS_TO_SCORE: \"section,h2,h3,h4,h5,h6,p,td,pre\"
    .toUpperCase()
    .split(\",\"),
  DEFAULT_CHAR_THRESHOLD: 500,
  REGEXPS: {
    unlikelyCandidates:
      /-ad-|ai2html|banner|breadcrumbs|combx|comment|community|cover-wrap|disqus|extra|footer|gdpr|header|legends|menu|related|remark|replies|rss|shoutbox|sidebar|skyscraper|social|sponsor|supplemental|ad-break|agegate|pagination|pager|popup|yom-remote/i,
    okMaybeItsACandidate: /and|article|body|column|content|main|shadow/i,
    positive:
      /article|body|content|entry|hentry|h-entry|main|page|pagination|post|text|blog|story/i,
    negative:
      /-ad-|hidden|^hid$| hid$| hid |^hid |banner|combx|comment|com-|contact|footer|gdpr|masthead|media|meta|outbrain|promo|related|scroll|share|shoutbox|sidebar|skyscraper|sponsor|shopping|tags|widget/i,
    extraneous:
      /print|archive|comment|discuss|e[\\-]?mail|share|reply|all|login|sign|single|utility/i,
    byline: /byline|author|dateline|writtenby|p-author/i,
    replaceFonts: /<(\\/?)font[^>]*>/gi,
    normalize: /\\s{2,}/g,
    videos:
      /\\/\\/(www\\.)?((dailymotion|youtube|youtube-nocookie|player\\.vimeo|v\\.qq)\\.com|(archive|upload\\.wikimedia)\\.org|player\\.twitch\\.tv)/i,
    shareElements: /(\\b|_)(share|sharedaddy)(\\b|_)/i,
    nextLink: /(next|weiter|continue|>([^\\|]|$)|\\u00bb([^\\|]|$))/i,
    prevLink: /(prev|earl|old|new|<|\\u00ab)/i,
    tokenize: /\\W+/g,
    whitespace: /^\\s*$/,
    hasContent: /\\S$/,
    hashUrl: /^#.+/,
    srcsetUrl: /(\\S+)(\\s+[\\d.]+[xw])?(\\s*(?:,|$))/g,
    b64DataUrl: /^data:\\s*([^\\s;,]+)\\s*;\\s*base64\\s*,/i,
    commas: /\\u002C|\\u060C|\\uFE50|\\uFE10|\\uFE11|\\u2E41|\\u2E34|\\u2E32|\\uFF0C/g,
    jsonLdArticleTypes:
      /^Article|AdvertiserContentArticle|NewsArticle|AnalysisNewsArticle|AskPublicNewsArticle|BackgroundNewsArticle|OpinionNewsArticle|ReportageNewsArticle|ReviewNewsArticle|Report|SatiricalArticle|ScholarlyArticle|MedicalScholarlyArticle|SocialMediaPosting|BlogPosting|LiveBlogPosting|DiscussionForumPosting|TechArticle|APIReference$/,
    adWords:
      /^(ad(vertising|vertisement)?|pub(licit\\u00e9)?|werb(ung)?|\\u5e7f\\u544a|\\u0420\\u0435\\u043a\\u043b\\u0430\\u043c\\u0430|Anuncio)$/iu,
    loadingWords:
      /^((loading|\\u6b63\\u5728\\u52a0\\u8f7d|\\u0417\\u0430\\u0433\\u0440\\u0443\\u0437\\u043a\\u0430|chargement|cargando)(\\u2026|\\.\\.\\.)?)$/iu,
  },
  UNLIKELY_ROLES: [
    \"menu\",
    \"menubar\",
    \"complementary\",
    \"navigation\",
    \"alert\",
    \"alertdialog\",
    \"dialog\",
  ],
  DIV_TO_P_ELEMS: new Set([
    \"BLOCKQUOTE\",
    \"DL\",
    \"DIV\",
    \"IMG\",
    \"OL\",
    \"P\",
    \"PRE\",
    \"TABLE\",
    \"UL\",
  ]),
  ALTER_TO_DIV_EXCEPTIONS: [\"DIV\", \"ARTICLE\", \"SECTION\", \"P\", \"OL\", \"UL\"],
  PRESENTATIONAL_ATTRIBUTES: [
    \"align\",
    \"background\",
    \"bgcolor\",
    \"border\",
    \"cellpadding\",
    \"cellspacing\",
    \"frame\",
    \"hspace\",
    \"rules\",
    \"style\",
    \"valign\",
    \"vspace\",
  ],
  DEPRECATED_SIZE_ATTRIBUTE_ELEMS: [\"TABLE\", \"TH\", \"TD\", \"HR\", \"PRE\"],
  PHRASING_ELEMS: [
    \"ABBR\",
    \"AUDIO\",
    \"B\",
    \"BDO\",
    \"BR\",
    \"BUTTON\",
    \"CITE\",
    \"CODE\",
    \"DATA\",
    \"DATALIST\",
    \"DFN\",
    \"EM\",
    \"EMBED\",
    \"I\",
    \"IMG\",
    \"INPUT\",
    \"KBD\",
    \"LABEL\",
    \"MARK\",
    \"MATH\",
    \"METER\",
    \"NOSCRIPT\",
    \"OBJECT\",
    \"OUTPUT\",
    \"PROGRESS\",
    \"Q\",
    \"RUBY\",
    \"SAMP\",
    \"SCRIPT\",
    \"SELECT\",
    \"SMALL\",
    \"SPAN\",
    \"STRONG\",
    \"SUB\",
    \"SUP\",
    \"TEXTAREA\",
    \"TIME\",
    \"VAR\",
    \"WBR\",
  ],
  CLASSES_TO_PRESERVE: [\"page\"],
  HTML_ESCAPE_MAP: {
    lt: \"<\",
    gt: \">\",
    amp: \"&\",
    quot: '\"',
    apos: \"'\",
  },
  _postProcessContent(articleContent) {
    this._fixRelativeUris(articleContent);
    this._simplifyNestedElements(articleContent);
    if (!this._keepClasses) {
      this._cleanClasses(articleContent);
    }
  },
  _removeNodes(nodeList, filterFn) {
    if (this._docJSDOMParser && nodeList._isLiveNodeList) {
      throw new Error(\"Do not pass live node lists to _removeNodes\");
    }
    for (var i = nodeList.length - 1; i >= 0; i--) {
      var node = nodeList[i];
      var parentNode = node.parentNode;
      if (parentNode) {
        if (!filterFn || filterFn.call(this, node, i, nodeList)) {
          parentNode.removeChild(node);
        }
      }
    }
  },
  _replaceNodeTags(nodeList, newTagName) {
    if (this._docJSDOMParser && nodeList._isLiveNodeList) {
      throw new Error(\"Do not pass live node lists to _replaceNodeTags\");
    }
    for (const node of nodeList) {
      this._setNodeTag(node, newTagName);
    }
  },
  _forEachNode(nodeList, fn) {
    Array.prototype.forEach.call(nodeList, fn, this);
  },
  _findNode(nodeList, fn) {
    return Array.prototype.find.call(nodeList, fn, this);
  },
  _someNode(nodeList, fn) {
    return Array.prototype.some.call(nodeList, fn, this);
  },
  _everyNode(nodeList, fn) {
    return Array.prototype.every.call(nodeList, fn, this);
  },
  _getAllNodesWithTag(node, tagNames) {
    if (node.querySelectorAll) {
      return node.querySelectorAll(tagNames.join(\",\"));
    }
    return [].concat.apply(
      [],
      tagNames.map(function (tag) {
        var collection = node.getElementsByTagName(tag);
        return Array.isArray(collection) ? collection : Array.from(collection);
      })
    );
  },
  _cleanClasses(node) {
    var classesToPreserve = this._classesToPreserve;
    var className = (node.getAttribute(\"class\") || \"\")
      .split(/\\s+/)
      .filter(cls => classesToPreserve.includes(cls))
      .join(\" \");
    if (className) {
      node.setAttribute(\"class\", className);
    } else {
      node.removeAttribute(\"class\");
    }
    for (node = node.firstElementChild; node; node = node.nextElementSibling) {
      this._cleanClasses(node);
    }
  },
  _isUrl(str) {
    try {
      new URL(str);
      return true;
    } catch {
      return false;
    }
  },
  _fixRelativeUris(articleContent) {
    var baseURI = this._doc.baseURI;
    var documentURI = this._doc.documentURI;
    function toAbsoluteURI(uri) {
      if (baseURI == documentURI && uri.charAt(0) == \"#\") {
        return uri;
      }
      try {
        return new URL(uri, baseURI).href;
      } catch (ex) {
      }
      return uri;
    }
    var links = this._getAllNodesWithTag(articleContent, [\"a\"]);
    this._forEachNode(links, function (link) {
      var href = link.getAttribute(\"href\");
      if (href) {
        if (href.indexOf(\"javascript:\") === 0) {
          if (
            link.childNodes.length === 1 &&
            link.childNodes[0].nodeType === this.TEXT_NODE
          ) {
            var text = this._doc.createTextNode(link.textContent);
            link.parentNode.replaceChild(text, link);
          } else {
            var container = this._doc.createElement(\"span\");
            while (link.firstChild) {
              container.appendChild(link.firstChild);
            }
            link.parentNode.replaceChild(container, link);
          }
        } else {
          link.setAttribute(\"href\", toAbsoluteURI(href));
        }
      }
    });
    var medias = this._getAllNodesWithTag(articleContent, [
      \"img\",
      \"picture\",
      \"figure\",
      \"video\",
      \"audio\",
      \"source\",
    ]);
    this._forEachNode(medias, function (media) {
      var src = media.getAttribute(\"src\");
      var poster = media.getAttribute(\"poster\");
      var srcset = media.getAttribute(\"srcset\");
      if (src) {
        media.setAttribute(\"src\", toAbsoluteURI(src));
      }
      if (poster) {
        media.setAttribute(\"poster\", toAbsoluteURI(poster));
      }
      if (srcset) {
        var newSrcset = srcset.replace(
          this.REGEXPS.srcsetUrl,
          function (_, p1, p2, p3) {
            return toAbsoluteURI(p1) + (p2 || \"\") + p3;
          }
        );
        media.setAttribute(\"srcset\", newSrcset);
      }
    });
  },
  _simplifyNestedElements(articleContent) {
    var node = articleContent;
    while (node) {
      if (
        node.parentNode &&
        [\"DIV\", \"SECTION\"].includes(node.tagName) &&
        !(node.id && node.id.startsWith(\"readability\"))
      ) {
        if (this._isElementWithoutContent(node)) {
          node = this._removeAndGetNext(node);
          continue;
        } else if (
          this._hasSingleTagInsideElement(node, \"DIV\") ||
          this._hasSingleTagInsideElement(node, \"SECTION\")
        ) {
          var child = node.children[0];
          for (var i = 0; i < node.attributes.length; i++) {
            child.setAttributeNode(node.attributes[i].cloneNode());
          }
          node.parentNode.replaceChild(child, node);
          node = child;
          continue;
        }
      }
      node = this._getNextNode(node);
    }
  },
  _getArticleTitle() {
    var doc = this._doc;
    var curTitle = \"\";
    var origTitle = \"\";
    try {
      curTitle = origTitle = doc.title.trim();
      if (typeof curTitle !== \"string\") {
        curTitle = origTitle = this._getInnerText(
          doc.getElementsByTagName(\"title\")[0]
        );
      }
    } catch (e) {
    }
    var titleHadHierarchicalSeparators = false;
    function wordCount(str) {
      return str.split(/\\s+/).length;
    }
    if (/ [\\|\\-\\\\\\/>\\u00bb] /.test(curTitle)) {
      titleHadHierarchicalSeparators = / [\\\\\\/>\\u00bb] /.test(curTitle);
      let allSeparators = Array.from(origTitle.matchAll(/ [\\|\\-\\\\\\/>\\u00bb] /gi));
      curTitle = origTitle.substring(0, allSeparators.pop().index);
      if (wordCount(curTitle) < 3) {
        curTitle = origTitle.replace(/^[^\\|\\-\\\\\\/>\\u00bb]*[\\|\\-\\\\\\/>\\u00bb]/gi, \"\");
      }
    } else if (curTitle.includes(\": \")) {
      var headings = this._getAllNodesWithTag(doc, [\"h1\", \"h2\"]);
      var trimmedTitle = curTitle.trim();
      var match = this._someNode(headings, function (heading) {
        return heading.textContent.trim() === trimmedTitle;
      });
      if (!match) {
        curTitle = origTitle.substring(origTitle.lastIndexOf(\":\") + 1);
        if (wordCount(curTitle) < 3) {
          curTitle = origTitle.substring(origTitle.indexOf(\":\") + 1);
        } else if (wordCount(origTitle.substr(0, origTitle.indexOf(\":\"))) > 5) {
          curTitle = origTitle;
        }
      }
    } else if (curTitle.length > 150 || curTitle.length < 15) {
      var hOnes = doc.getElementsByTagName(\"h1\");
      if (hOnes.length === 1) {
        curTitle = this._getInnerText(hOnes[0]);
      }
    }
    curTitle = curTitle.trim().replace(this.REGEXPS.normalize, \" \");
    var curTitleWordCount = wordCount(curTitle);
    if (
      curTitleWordCount <= 4 &&
      (!titleHadHierarchicalSeparators ||
        curTitleWordCount !=
          wordCount(origTitle.replace(/[\\|\\-\\\\\\/>\\u00bb]+/g, \"\")) - 1)
    ) {
      curTitle = origTitle;
    }
    return curTitle;
  },
  _prepDocument() {
    var doc = this._doc;
    this._removeNodes(this._getAllNodesWithTag(doc, [\"style\"]));
    if (doc.body) {
      this._replaceBrs(doc.body);
    }
    this._replaceNodeTags(this._getAllNodesWithTag(doc, [\"font\"]), \"SPAN\");
  },
  _nextNode(node) {
    var next = node;
    while (
      next &&
      next.nodeType != this.ELEMENT_NODE &&
      this.REGEXPS.whitespace.test(next.textContent)
    ) {
      next = next.nextSibling;
    }
    return next;
  },
  _replaceBrs(elem) {
    this._forEachNode(this._getAllNodesWithTag(elem, [\"br\"]), function (br) {
      var next = br.nextSibling;
      var replaced = false;
      while ((next = this._nextNode(next)) && next.tagName == \"BR\") {
        replaced = true;
        var brSibling = next.nextSibling;
        next.remove();
        next = brSibling;
      }
      if (replaced) {
        var p = this._doc.createElement(\"p\");
        br.parentNode.replaceChild(p, br);
        next = p.nextSibling;
        while (next) {
          if (next.tagName == \"BR\") {
            var nextElem = this._nextNode(next.nextSibling);
            if (nextElem && nextElem.tagName == \"BR\") {
              break;
            }
          }
          if (!this._isPhrasingContent(next)) {
            break;
          }
          var sibling = next.nextSibling;
          p.appendChild(next);
          next = sibling;
        }
        while (p.lastChild && this._isWhitespace(p.lastChild)) {
          p.lastChild.remove();
        }
        if (p.parentNode.tagName === \"P\") {
          this._setNodeTag(p.parentNode, \"DIV\");
        }
      }
    });
  },
  _setNodeTag(node, tag) {
    this.log(\"_setNodeTag\", node, tag);
    if (this._docJSDOMParser) {
      node.localName = tag.toLowerCase();
      node.tagName = tag.toUpperCase();
      return node;
    }
    var replacement = node.ownerDocument.createElement(tag);
    while (node.firstChild) {
      replacement.appendChild(node.firstChild);
    }
    node.parentNode.replaceChild(replacement, node);
    if (node.readability) {
      replacement.readability = node.readability;
    }
    for (var i = 0; i < node.attributes.length; i++) {
      replacement.setAttributeNode(node.attributes[i].cloneNode());
    }
    return replacement;
  },
  _prepArticle(articleContent) {
    this._cleanStyles(articleContent);
    this._markDataTables(articleContent);
    this._fixLazyImages(articleContent);
    this._cleanConditionally(articleContent, \"form\");
    this._cleanConditionally(articleContent, \"fieldset\");
    this._clean(articleContent, \"object\");
    this._clean(articleContent, \"embed\");
    this._clean(articleContent, \"footer\");
    this._clean(articleContent, \"link\");
    this._clean(articleContent, \"aside\");
    var shareElementThreshold = this.DEFAULT_CHAR_THRESHOLD;
    this._forEachNode(articleContent.children, function (topCandidate) {
      this._cleanMatchedNodes(topCandidate, function (node, matchString) {
        return (
          this.REGEXPS.shareElements.test(matchString) &&
          node.textContent.length < shareElementThreshold
        );
      });
    });
    this._clean(articleContent, \"iframe\");
    this._clean(articleContent, \"input\");
    this._clean(articleContent, \"textarea\");
    this._clean(articleContent, \"select\");
    this._clean(articleContent, \"button\");
    this._cleanHeaders(articleContent);
    this._cleanConditionally(articleContent, \"table\");
    this._cleanConditionally(articleContent, \"ul\");
    this._cleanConditionally(articleContent, \"div\");
    this._replaceNodeTags(
      this._getAllNodesWithTag(articleContent, [\"h1\"]),
      \"h2\"
    );
    this._removeNodes(
      this._getAllNodesWithTag(articleContent, [\"p\"]),
      function (paragraph) {
        var contentElementCount = this._getAllNodesWithTag(paragraph, [
          \"img\",
          \"embed\",
          \"object\",
          \"iframe\",
        ]).length;
        return (
          contentElementCount === 0 && !this._getInnerText(paragraph, false)
        );
      }
    );
    this._forEachNode(
      this._getAllNodesWithTag(articleContent, [\"br\"]),
      function (br) {
        var next = this._nextNode(br.nextSibling);
        if (next && next.tagName == \"P\") {
          br.remove();
        }
      }
    );
    this._forEachNode(
      this._getAllNodesWithTag(articleContent, [\"table\"]),
      function (table) {
        var tbody = this._hasSingleTagInsideElement(table, \"TBODY\")
          ? table.firstElementChild
          : table;
        if (this._hasSingleTagInsideElement(tbody, \"TR\")) {
          var row = tbody.firstElementChild;
          if (this._hasSingleTagInsideElement(row, \"TD\")) {
            var cell = row.firstElementChild;
            cell = this._setNodeTag(
              cell,
              this._everyNode(cell.childNodes, this._isPhrasingContent)
                ? \"P\"
                : \"DIV\"
            );
            table.parentNode.replaceChild(cell, table);
          }
        }
      }
    );
  },
  _initializeNode(node) {
    node.readability = { contentScore: 0 };
    switch (node.tagName) {
      case \"DIV\":
        node.readability.contentScore += 5;
        break;
      case \"PRE\":
      case \"TD\":
      case \"BLOCKQUOTE\":
        node.readability.contentScore += 3;
        break;
      case \"ADDRESS\":
      case \"OL\":
      case \"UL\":
      case \"DL\":
      case \"DD\":
      case \"DT\":
      case \"LI\":
      case \"FORM\":
        node.readability.contentScore -= 3;
        break;
      case \"H1\":
      case \"H2\":
      case \"H3\":
      case \"H4\":
      case \"H5\":
      case \"H6\":
      case \"TH\":
        node.readability.contentScore -= 5;
        break;
    }
    node.readability.contentScore += this._getClassWeight(node);
  },
  _removeAndGetNext(node) {
    var nextNode = this._getNextNode(node, true);
    node.remove();
    return nextNode;
  },
  _getNextNode(node, ignoreSelfAndKids) {
    if (!ignoreSelfAndKids && node.firstElementChild) {
      return node.firstElementChild;
    }
    if (node.nextElementSibling) {
      return node.nextElementSibling;
    }
    do {
      node = node.parentNode;
    } while (node && !node.nextElementSibling);
    return node && node.nextElementSibling;
  },
  _textSimilarity(textA, textB) {
    var tokensA = textA
      .toLowerCase()
      .split(this.REGEXPS.tokenize)
      .filter(Boolean);
    var tokensB = textB
      .toLowerCase()
      .split(this.REGEXPS.tokenize)
      .filter(Boolean);
    if (!tokensA.length || !tokensB.length) {
      return 0;
    }
    var uniqTokensB = tokensB.filter(token => !tokensA.includes(token));
    var distanceB = uniqTokensB.join(\" \").length / tokensB.join(\" \").length;
    return 1 - distanceB;
  },
  _isValidByline(node, matchString) {
    var rel = node.getAttribute(\"rel\");
    var itemprop = node.getAttribute(\"itemprop\");
    var bylineLength = node.textContent.trim().length;
    return (
      (rel === \"author\" ||
        (itemprop && itemprop.includes(\"author\")) ||
        this.REGEXPS.byline.test(matchString)) &&
      !!bylineLength &&
      bylineLength < 100
    );
  },
  _getNodeAncestors(node, maxDepth) {
    maxDepth = maxDepth || 0;
    var i = 0,
      ancestors = [];
    while (node.parentNode) {
      ancestors.push(node.parentNode);
      if (maxDepth && ++i === maxDepth) {
        break;
      }
      node = node.parentNode;
    }
    return ancestors;
  },
  _grabArticle(page) {
    this.log(\"**** grabArticle ****\");
    var doc = this._doc;
    var isPaging = page !== null;
    page = page ? page : this._doc.body;
    if (!page) {
      this.log(\"No body found in document. Abort.\");
      return null;
    }
    var pageCache = page.cloneNode(true);
    while (true) {
      this.log(\"Starting grabArticle loop\");
      var stripUnlikelyCandidates = this._flagIsActive(
        this.FLAG_STRIP_UNLIKELYS
      );
      var elementsToScore = [];
      var node = this._doc.documentElement;
      let shouldRemoveTitleHeader = true;
      while (node) {
        if (node.tagName === \"HTML\") {
          this._articleLang = node.getAttribute(\"lang\");
        }
        var matchString = node.className + \" \" + node.id;
        if (!this._isProbablyVisible(node)) {
          this.log(\"Removing hidden node - \" + matchString);
          node = this._removeAndGetNext(node);
          continue;
        }
        if (
          node.getAttribute(\"aria-modal\") == \"true\" &&
          node.getAttribute(\"role\") == \"dialog\"
        ) {
          node = this._removeAndGetNext(node);
          continue;
        }
        if (
          !this._articleByline &&
          !this._metadata.byline &&
          this._isValidByline(node, matchString)
        ) {
          var endOfSearchMarkerNode = this._getNextNode(node, true);
          var next = this._getNextNode(node);
          var itemPropNameNode = null;
          while (next && next != endOfSearchMarkerNode) {
            var itemprop = next.getAttribute(\"itemprop\");
            if (itemprop && itemprop.includes(\"name\")) {
              itemPropNameNode = next;
              break;
            } else {
              next = this._getNextNode(next);
            }
          }
          this._articleByline = (itemPropNameNode ?? node).textContent.trim();
          node = this._removeAndGetNext(node);
          continue;
        }
        if (shouldRemoveTitleHeader && this._headerDuplicatesTitle(node)) {
          this.log(
            \"Removing header: \",
            node.textContent.trim(),
            this._articleTitle.trim()
          );
          shouldRemoveTitleHeader = false;
          node = this._removeAndGetNext(node);
          continue;
        }
        if (stripUnlikelyCandidates) {
          if (
            this.REGEXPS.unlikelyCandidates.test(matchString) &&
            !this.REGEXPS.okMaybeItsACandidate.test(matchString) &&
            !this._hasAncestorTag(node, \"table\") &&
            !this._hasAncestorTag(node, \"code\") &&
            node.tagName !== \"BODY\" &&
            node.tagName !== \"A\"
          ) {
            this.log(\"Removing unlikely candidate - \" + matchString);
            node = this._removeAndGetNext(node);
            continue;
          }
          if (this.UNLIKELY_ROLES.includes(node.getAttribute(\"role\"))) {
            this.log(
              \"Removing content with role \" +
                node.getAttribute(\"role\") +
                \" - \" +
                matchString
            );
            node = this._removeAndGetNext(node);
            continue;
          }
        }
        if (
          (node.tagName === \"DIV\" ||
"
property mainContent2 : "            node.tagName === \"SECTION\" ||
            node.tagName === \"HEADER\" ||
            node.tagName === \"H1\" ||
            node.tagName === \"H2\" ||
            node.tagName === \"H3\" ||
            node.tagName === \"H4\" ||
            node.tagName === \"H5\" ||
            node.tagName === \"H6\") &&
          this._isElementWithoutContent(node)
        ) {
          node = this._removeAndGetNext(node);
          continue;
        }
        if (this.DEFAULT_TAGS_TO_SCORE.includes(node.tagName)) {
          elementsToScore.push(node);
        }
        if (node.tagName === \"DIV\") {
          var p = null;
          var childNode = node.firstChild;
          while (childNode) {
            var nextSibling = childNode.nextSibling;
            if (this._isPhrasingContent(childNode)) {
              if (p !== null) {
                p.appendChild(childNode);
              } else if (!this._isWhitespace(childNode)) {
                p = doc.createElement(\"p\");
                node.replaceChild(p, childNode);
                p.appendChild(childNode);
              }
            } else if (p !== null) {
              while (p.lastChild && this._isWhitespace(p.lastChild)) {
                p.lastChild.remove();
              }
              p = null;
            }
            childNode = nextSibling;
          }
          if (
            this._hasSingleTagInsideElement(node, \"P\") &&
            this._getLinkDensity(node) < 0.25
          ) {
            var newNode = node.children[0];
            node.parentNode.replaceChild(newNode, node);
            node = newNode;
            elementsToScore.push(node);
          } else if (!this._hasChildBlockElement(node)) {
            node = this._setNodeTag(node, \"P\");
            elementsToScore.push(node);
          }
        }
        node = this._getNextNode(node);
      }
      var candidates = [];
      this._forEachNode(elementsToScore, function (elementToScore) {
        if (
          !elementToScore.parentNode ||
          typeof elementToScore.parentNode.tagName === \"undefined\"
        ) {
          return;
        }
        var innerText = this._getInnerText(elementToScore);
        if (innerText.length < 25) {
          return;
        }
        var ancestors = this._getNodeAncestors(elementToScore, 5);
        if (ancestors.length === 0) {
          return;
        }
        var contentScore = 0;
        contentScore += 1;
        contentScore += innerText.split(this.REGEXPS.commas).length;
        contentScore += Math.min(Math.floor(innerText.length / 100), 3);
        this._forEachNode(ancestors, function (ancestor, level) {
          if (
            !ancestor.tagName ||
            !ancestor.parentNode ||
            typeof ancestor.parentNode.tagName === \"undefined\"
          ) {
            return;
          }
          if (typeof ancestor.readability === \"undefined\") {
            this._initializeNode(ancestor);
            candidates.push(ancestor);
          }
          if (level === 0) {
            var scoreDivider = 1;
          } else if (level === 1) {
            scoreDivider = 2;
          } else {
            scoreDivider = level * 3;
          }
          ancestor.readability.contentScore += contentScore / scoreDivider;
        });
      });
      var topCandidates = [];
      for (var c = 0, cl = candidates.length; c < cl; c += 1) {
        var candidate = candidates[c];
        var candidateScore =
          candidate.readability.contentScore *
          (1 - this._getLinkDensity(candidate));
        candidate.readability.contentScore = candidateScore;
        this.log(\"Candidate:\", candidate, \"with score \" + candidateScore);
        for (var t = 0; t < this._nbTopCandidates; t++) {
          var aTopCandidate = topCandidates[t];
          if (
            !aTopCandidate ||
            candidateScore > aTopCandidate.readability.contentScore
          ) {
            topCandidates.splice(t, 0, candidate);
            if (topCandidates.length > this._nbTopCandidates) {
              topCandidates.pop();
            }
            break;
          }
        }
      }
      var topCandidate = topCandidates[0] || null;
      var neededToCreateTopCandidate = false;
      var parentOfTopCandidate;
      if (topCandidate === null || topCandidate.tagName === \"BODY\") {
        topCandidate = doc.createElement(\"DIV\");
        neededToCreateTopCandidate = true;
        while (page.firstChild) {
          this.log(\"Moving child out:\", page.firstChild);
          topCandidate.appendChild(page.firstChild);
        }
        page.appendChild(topCandidate);
        this._initializeNode(topCandidate);
      } else if (topCandidate) {
        var alternativeCandidateAncestors = [];
        for (var i = 1; i < topCandidates.length; i++) {
          if (
            topCandidates[i].readability.contentScore /
              topCandidate.readability.contentScore >=
            0.75
          ) {
            alternativeCandidateAncestors.push(
              this._getNodeAncestors(topCandidates[i])
            );
          }
        }
        var MINIMUM_TOPCANDIDATES = 3;
        if (alternativeCandidateAncestors.length >= MINIMUM_TOPCANDIDATES) {
          parentOfTopCandidate = topCandidate.parentNode;
          while (parentOfTopCandidate.tagName !== \"BODY\") {
            var listsContainingThisAncestor = 0;
            for (
              var ancestorIndex = 0;
              ancestorIndex < alternativeCandidateAncestors.length &&
              listsContainingThisAncestor < MINIMUM_TOPCANDIDATES;
              ancestorIndex++
            ) {
              listsContainingThisAncestor += Number(
                alternativeCandidateAncestors[ancestorIndex].includes(
                  parentOfTopCandidate
                )
              );
            }
            if (listsContainingThisAncestor >= MINIMUM_TOPCANDIDATES) {
              topCandidate = parentOfTopCandidate;
              break;
            }
            parentOfTopCandidate = parentOfTopCandidate.parentNode;
          }
        }
        if (!topCandidate.readability) {
          this._initializeNode(topCandidate);
        }
        parentOfTopCandidate = topCandidate.parentNode;
        var lastScore = topCandidate.readability.contentScore;
        var scoreThreshold = lastScore / 3;
        while (parentOfTopCandidate.tagName !== \"BODY\") {
          if (!parentOfTopCandidate.readability) {
            parentOfTopCandidate = parentOfTopCandidate.parentNode;
            continue;
          }
          var parentScore = parentOfTopCandidate.readability.contentScore;
          if (parentScore < scoreThreshold) {
            break;
          }
          if (parentScore > lastScore) {
            topCandidate = parentOfTopCandidate;
            break;
          }
          lastScore = parentOfTopCandidate.readability.contentScore;
          parentOfTopCandidate = parentOfTopCandidate.parentNode;
        }
        parentOfTopCandidate = topCandidate.parentNode;
        while (
          parentOfTopCandidate.tagName != \"BODY\" &&
          parentOfTopCandidate.children.length == 1
        ) {
          topCandidate = parentOfTopCandidate;
          parentOfTopCandidate = topCandidate.parentNode;
        }
        if (!topCandidate.readability) {
          this._initializeNode(topCandidate);
        }
      }
      var articleContent = doc.createElement(\"DIV\");
      if (isPaging) {
        articleContent.id = \"readability-content\";
      }
      var siblingScoreThreshold = Math.max(
        10,
        topCandidate.readability.contentScore * 0.2
      );
      parentOfTopCandidate = topCandidate.parentNode;
      var siblings = parentOfTopCandidate.children;
      for (var s = 0, sl = siblings.length; s < sl; s++) {
        var sibling = siblings[s];
        var append = false;
        this.log(
          \"Looking at sibling node:\",
          sibling,
          sibling.readability
            ? \"with score \" + sibling.readability.contentScore
            : \"\"
        );
        this.log(
          \"Sibling has score\",
          sibling.readability ? sibling.readability.contentScore : \"Unknown\"
        );
        if (sibling === topCandidate) {
          append = true;
        } else {
          var contentBonus = 0;
          if (
            sibling.className === topCandidate.className &&
            topCandidate.className !== \"\"
          ) {
            contentBonus += topCandidate.readability.contentScore * 0.2;
          }
          if (
            sibling.readability &&
            sibling.readability.contentScore + contentBonus >=
              siblingScoreThreshold
          ) {
            append = true;
          } else if (sibling.nodeName === \"P\") {
            var linkDensity = this._getLinkDensity(sibling);
            var nodeContent = this._getInnerText(sibling);
            var nodeLength = nodeContent.length;
            if (nodeLength > 80 && linkDensity < 0.25) {
              append = true;
            } else if (
              nodeLength < 80 &&
              nodeLength > 0 &&
              linkDensity === 0 &&
              nodeContent.search(/\\.( |$)/) !== -1
            ) {
              append = true;
            }
          }
        }
        if (append) {
          this.log(\"Appending node:\", sibling);
          if (!this.ALTER_TO_DIV_EXCEPTIONS.includes(sibling.nodeName)) {
            this.log(\"Altering sibling:\", sibling, \"to div.\");
            sibling = this._setNodeTag(sibling, \"DIV\");
          }
          articleContent.appendChild(sibling);
          siblings = parentOfTopCandidate.children;
          s -= 1;
          sl -= 1;
        }
      }
      if (this._debug) {
        this.log(\"Article content pre-prep: \" + articleContent.innerHTML);
      }
      this._prepArticle(articleContent);
      if (this._debug) {
        this.log(\"Article content post-prep: \" + articleContent.innerHTML);
      }
      if (neededToCreateTopCandidate) {
        topCandidate.id = \"readability-page-1\";
        topCandidate.className = \"page\";
      } else {
        var div = doc.createElement(\"DIV\");
        div.id = \"readability-page-1\";
        div.className = \"page\";
        while (articleContent.firstChild) {
          div.appendChild(articleContent.firstChild);
        }
        articleContent.appendChild(div);
      }
      if (this._debug) {
        this.log(\"Article content after paging: \" + articleContent.innerHTML);
      }
      var parseSuccessful = true;
      var textLength = this._getInnerText(articleContent, true).length;
      if (textLength < this._charThreshold) {
        parseSuccessful = false;
        page.replaceChildren(...pageCache.cloneNode(true).childNodes);
        this._attempts.push({
          articleContent,
          textLength,
        });
        if (this._flagIsActive(this.FLAG_STRIP_UNLIKELYS)) {
          this._removeFlag(this.FLAG_STRIP_UNLIKELYS);
        } else if (this._flagIsActive(this.FLAG_WEIGHT_CLASSES)) {
          this._removeFlag(this.FLAG_WEIGHT_CLASSES);
        } else if (this._flagIsActive(this.FLAG_CLEAN_CONDITIONALLY)) {
          this._removeFlag(this.FLAG_CLEAN_CONDITIONALLY);
        } else {
          this._attempts.sort(function (a, b) {
            return b.textLength - a.textLength;
          });
          if (!this._attempts[0].textLength) {
            return null;
          }
          articleContent = this._attempts[0].articleContent;
          parseSuccessful = true;
        }
      }
      if (parseSuccessful) {
        var ancestors = [parentOfTopCandidate, topCandidate].concat(
          this._getNodeAncestors(parentOfTopCandidate)
        );
        this._someNode(ancestors, function (ancestor) {
          if (!ancestor.tagName) {
            return false;
          }
          var articleDir = ancestor.getAttribute(\"dir\");
          if (articleDir) {
            this._articleDir = articleDir;
            return true;
          }
          return false;
        });
        return articleContent;
      }
    }
  },
  _unescapeHtmlEntities(str) {
    if (!str) {
      return str;
    }
    var htmlEscapeMap = this.HTML_ESCAPE_MAP;
    return str
      .replace(/&(quot|amp|apos|lt|gt);/g, function (_, tag) {
        return htmlEscapeMap[tag];
      })
      .replace(/&#(?:x([0-9a-f]+)|([0-9]+));/gi, function (_, hex, numStr) {
        var num = parseInt(hex || numStr, hex ? 16 : 10);
        if (num == 0 || num > 0x10ffff || (num >= 0xd800 && num <= 0xdfff)) {
          num = 0xfffd;
        }
        return String.fromCodePoint(num);
      });
  },
  _getJSONLD(doc) {
    var scripts = this._getAllNodesWithTag(doc, [\"script\"]);
    var metadata;
    this._forEachNode(scripts, function (jsonLdElement) {
      if (
        !metadata &&
        jsonLdElement.getAttribute(\"type\") === \"application/ld+json\"
      ) {
        try {
          var content = jsonLdElement.textContent.replace(
            /^\\s*<!\\[CDATA\\[|\\]\\]>\\s*$/g,
            \"\"
          );
          var parsed = JSON.parse(content);
          if (Array.isArray(parsed)) {
            parsed = parsed.find(it => {
              return (
                it[\"@type\"] &&
                it[\"@type\"].match(this.REGEXPS.jsonLdArticleTypes)
              );
            });
            if (!parsed) {
              return;
            }
          }
          var schemaDotOrgRegex = /^https?\\:\\/\\/schema\\.org\\/?$/;
          var matches =
            (typeof parsed[\"@context\"] === \"string\" &&
              parsed[\"@context\"].match(schemaDotOrgRegex)) ||
            (typeof parsed[\"@context\"] === \"object\" &&
              typeof parsed[\"@context\"][\"@vocab\"] == \"string\" &&
              parsed[\"@context\"][\"@vocab\"].match(schemaDotOrgRegex));
          if (!matches) {
            return;
          }
          if (!parsed[\"@type\"] && Array.isArray(parsed[\"@graph\"])) {
            parsed = parsed[\"@graph\"].find(it => {
              return (it[\"@type\"] || \"\").match(this.REGEXPS.jsonLdArticleTypes);
            });
          }
          if (
            !parsed ||
            !parsed[\"@type\"] ||
            !parsed[\"@type\"].match(this.REGEXPS.jsonLdArticleTypes)
          ) {
            return;
          }
          metadata = {};
          if (
            typeof parsed.name === \"string\" &&
            typeof parsed.headline === \"string\" &&
            parsed.name !== parsed.headline
          ) {
            var title = this._getArticleTitle();
            var nameMatches = this._textSimilarity(parsed.name, title) > 0.75;
            var headlineMatches =
              this._textSimilarity(parsed.headline, title) > 0.75;
            if (headlineMatches && !nameMatches) {
              metadata.title = parsed.headline;
            } else {
              metadata.title = parsed.name;
            }
          } else if (typeof parsed.name === \"string\") {
            metadata.title = parsed.name.trim();
          } else if (typeof parsed.headline === \"string\") {
            metadata.title = parsed.headline.trim();
          }
          if (parsed.author) {
            if (typeof parsed.author.name === \"string\") {
              metadata.byline = parsed.author.name.trim();
            } else if (
              Array.isArray(parsed.author) &&
              parsed.author[0] &&
              typeof parsed.author[0].name === \"string\"
            ) {
              metadata.byline = parsed.author
                .filter(function (author) {
                  return author && typeof author.name === \"string\";
                })
                .map(function (author) {
                  return author.name.trim();
                })
                .join(\", \");
            }
          }
          if (typeof parsed.description === \"string\") {
            metadata.excerpt = parsed.description.trim();
          }
          if (parsed.publisher && typeof parsed.publisher.name === \"string\") {
            metadata.siteName = parsed.publisher.name.trim();
          }
          if (typeof parsed.datePublished === \"string\") {
            metadata.datePublished = parsed.datePublished.trim();
          }
        } catch (err) {
          this.log(err.message);
        }
      }
    });
    return metadata ? metadata : {};
  },
  _getArticleMetadata(jsonld) {
    var metadata = {};
    var values = {};
    var metaElements = this._doc.getElementsByTagName(\"meta\");
    var propertyPattern =
      /\\s*(article|dc|dcterm|og|twitter)\\s*:\\s*(author|creator|description|published_time|title|site_name)\\s*/gi;
    var namePattern =
      /^\\s*(?:(dc|dcterm|og|twitter|parsely|weibo:(article|webpage))\\s*[-\\.:]\\s*)?(author|creator|pub-date|description|title|site_name)\\s*$/i;
    this._forEachNode(metaElements, function (element) {
      var elementName = element.getAttribute(\"name\");
      var elementProperty = element.getAttribute(\"property\");
      var content = element.getAttribute(\"content\");
      if (!content) {
        return;
      }
      var matches = null;
      var name = null;
      if (elementProperty) {
        matches = elementProperty.match(propertyPattern);
        if (matches) {
          name = matches[0].toLowerCase().replace(/\\s/g, \"\");
          values[name] = content.trim();
        }
      }
      if (!matches && elementName && namePattern.test(elementName)) {
        name = elementName;
        if (content) {
          name = name.toLowerCase().replace(/\\s/g, \"\").replace(/\\./g, \":\");
          values[name] = content.trim();
        }
      }
    });
    metadata.title =
      jsonld.title ||
      values[\"dc:title\"] ||
      values[\"dcterm:title\"] ||
      values[\"og:title\"] ||
      values[\"weibo:article:title\"] ||
      values[\"weibo:webpage:title\"] ||
      values.title ||
      values[\"twitter:title\"] ||
      values[\"parsely-title\"];
    if (!metadata.title) {
      metadata.title = this._getArticleTitle();
    }
    const articleAuthor =
      typeof values[\"article:author\"] === \"string\" &&
      !this._isUrl(values[\"article:author\"])
        ? values[\"article:author\"]
        : undefined;
    metadata.byline =
      jsonld.byline ||
      values[\"dc:creator\"] ||
      values[\"dcterm:creator\"] ||
      values.author ||
      values[\"parsely-author\"] ||
      articleAuthor;
    metadata.excerpt =
      jsonld.excerpt ||
      values[\"dc:description\"] ||
      values[\"dcterm:description\"] ||
      values[\"og:description\"] ||
      values[\"weibo:article:description\"] ||
      values[\"weibo:webpage:description\"] ||
      values.description ||
      values[\"twitter:description\"];
    metadata.siteName = jsonld.siteName || values[\"og:site_name\"];
    metadata.publishedTime =
      jsonld.datePublished ||
      values[\"article:published_time\"] ||
      values[\"parsely-pub-date\"] ||
      null;
    metadata.title = this._unescapeHtmlEntities(metadata.title);
    metadata.byline = this._unescapeHtmlEntities(metadata.byline);
    metadata.excerpt = this._unescapeHtmlEntities(metadata.excerpt);
    metadata.siteName = this._unescapeHtmlEntities(metadata.siteName);
    metadata.publishedTime = this._unescapeHtmlEntities(metadata.publishedTime);
    return metadata;
  },
  _isSingleImage(node) {
    while (node) {
      if (node.tagName === \"IMG\") {
        return true;
      }
      if (node.children.length !== 1 || node.textContent.trim() !== \"\") {
        return false;
      }
      node = node.children[0];
    }
    return false;
  },
  _unwrapNoscriptImages(doc) {
    var imgs = Array.from(doc.getElementsByTagName(\"img\"));
    this._forEachNode(imgs, function (img) {
      for (var i = 0; i < img.attributes.length; i++) {
        var attr = img.attributes[i];
        switch (attr.name) {
          case \"src\":
          case \"srcset\":
          case \"data-src\":
          case \"data-srcset\":
            return;
        }
        if (/\\.(jpg|jpeg|png|webp)/i.test(attr.value)) {
          return;
        }
      }
      img.remove();
    });
    var noscripts = Array.from(doc.getElementsByTagName(\"noscript\"));
    this._forEachNode(noscripts, function (noscript) {
      if (!this._isSingleImage(noscript)) {
        return;
      }
      var tmp = doc.createElement(\"div\");
      tmp.textContent = noscript.textContent;
      var prevElement = noscript.previousElementSibling;
      if (prevElement && this._isSingleImage(prevElement)) {
        var prevImg = prevElement;
        if (prevImg.tagName !== \"IMG\") {
          prevImg = prevElement.getElementsByTagName(\"img\")[0];
        }
        var newImg = tmp.getElementsByTagName(\"img\")[0];
        for (var i = 0; i < prevImg.attributes.length; i++) {
          var attr = prevImg.attributes[i];
          if (attr.value === \"\") {
            continue;
          }
          if (
            attr.name === \"src\" ||
            attr.name === \"srcset\" ||
            /\\.(jpg|jpeg|png|webp)/i.test(attr.value)
          ) {
            if (newImg.getAttribute(attr.name) === attr.value) {
              continue;
            }
            var attrName = attr.name;
            if (newImg.hasAttribute(attrName)) {
              attrName = \"data-old-\" + attrName;
            }
            newImg.setAttribute(attrName, attr.value);
          }
        }
        noscript.parentNode.replaceChild(tmp.firstElementChild, prevElement);
      }
    });
  },
  _removeScripts(doc) {
    this._removeNodes(this._getAllNodesWithTag(doc, [\"script\", \"noscript\"]));
  },
  _hasSingleTagInsideElement(element, tag) {
    if (element.children.length != 1 || element.children[0].tagName !== tag) {
      return false;
    }
    return !this._someNode(element.childNodes, function (node) {
      return (
        node.nodeType === this.TEXT_NODE &&
        this.REGEXPS.hasContent.test(node.textContent)
      );
    });
  },
  _isElementWithoutContent(node) {
    return (
      node.nodeType === this.ELEMENT_NODE &&
      !node.textContent.trim().length &&
      (!node.children.length ||
        node.children.length ==
          node.getElementsByTagName(\"br\").length +
            node.getElementsByTagName(\"hr\").length)
    );
  },
  _hasChildBlockElement(element) {
    return this._someNode(element.childNodes, function (node) {
      return (
        this.DIV_TO_P_ELEMS.has(node.tagName) ||
        this._hasChildBlockElement(node)
      );
    });
  },
  _isPhrasingContent(node) {
    return (
      node.nodeType === this.TEXT_NODE ||
      this.PHRASING_ELEMS.includes(node.tagName) ||
      ((node.tagName === \"A\" ||
        node.tagName === \"DEL\" ||
        node.tagName === \"INS\") &&
        this._everyNode(node.childNodes, this._isPhrasingContent))
    );
  },
  _isWhitespace(node) {
    return (
      (node.nodeType === this.TEXT_NODE &&
        node.textContent.trim().length === 0) ||
      (node.nodeType === this.ELEMENT_NODE && node.tagName === \"BR\")
    );
  },
  _getInnerText(e, normalizeSpaces) {
    normalizeSpaces =
      typeof normalizeSpaces === \"undefined\" ? true : normalizeSpaces;
    var textContent = e.textContent.trim();
    if (normalizeSpaces) {
      return textContent.replace(this.REGEXPS.normalize, \" \");
    }
    return textContent;
  },
  _getCharCount(e, s) {
    s = s || \",\";
    return this._getInnerText(e).split(s).length - 1;
  },
  _cleanStyles(e) {
    if (!e || e.tagName.toLowerCase() === \"svg\") {
      return;
    }
    for (var i = 0; i < this.PRESENTATIONAL_ATTRIBUTES.length; i++) {
      e.removeAttribute(this.PRESENTATIONAL_ATTRIBUTES[i]);
    }
    if (this.DEPRECATED_SIZE_ATTRIBUTE_ELEMS.includes(e.tagName)) {
      e.removeAttribute(\"width\");
      e.removeAttribute(\"height\");
    }
    var cur = e.firstElementChild;
    while (cur !== null) {
      this._cleanStyles(cur);
      cur = cur.nextElementSibling;
    }
  },
  _getLinkDensity(element) {
    var textLength = this._getInnerText(element).length;
    if (textLength === 0) {
      return 0;
    }
    var linkLength = 0;
    this._forEachNode(element.getElementsByTagName(\"a\"), function (linkNode) {
"
property mainContent3 : "      var href = linkNode.getAttribute(\"href\");
      var coefficient = href && this.REGEXPS.hashUrl.test(href) ? 0.3 : 1;
      linkLength += this._getInnerText(linkNode).length * coefficient;
    });
    return linkLength / textLength;
  },
  _getClassWeight(e) {
    if (!this._flagIsActive(this.FLAG_WEIGHT_CLASSES)) {
      return 0;
    }
    var weight = 0;
    if (typeof e.className === \"string\" && e.className !== \"\") {
      if (this.REGEXPS.negative.test(e.className)) {
        weight -= 25;
      }
      if (this.REGEXPS.positive.test(e.className)) {
        weight += 25;
      }
    }
    if (typeof e.id === \"string\" && e.id !== \"\") {
      if (this.REGEXPS.negative.test(e.id)) {
        weight -= 25;
      }
      if (this.REGEXPS.positive.test(e.id)) {
        weight += 25;
      }
    }
    return weight;
  },
  _clean(e, tag) {
    var isEmbed = [\"object\", \"embed\", \"iframe\"].includes(tag);
    this._removeNodes(this._getAllNodesWithTag(e, [tag]), function (element) {
      if (isEmbed) {
        for (var i = 0; i < element.attributes.length; i++) {
          if (this._allowedVideoRegex.test(element.attributes[i].value)) {
            return false;
          }
        }
        if (
          element.tagName === \"object\" &&
          this._allowedVideoRegex.test(element.innerHTML)
        ) {
          return false;
        }
      }
      return true;
    });
  },
  _hasAncestorTag(node, tagName, maxDepth, filterFn) {
    maxDepth = maxDepth || 3;
    tagName = tagName.toUpperCase();
    var depth = 0;
    while (node.parentNode) {
      if (maxDepth > 0 && depth > maxDepth) {
        return false;
      }
      if (
        node.parentNode.tagName === tagName &&
        (!filterFn || filterFn(node.parentNode))
      ) {
        return true;
      }
      node = node.parentNode;
      depth++;
    }
    return false;
  },
  _getRowAndColumnCount(table) {
    var rows = 0;
    var columns = 0;
    var trs = table.getElementsByTagName(\"tr\");
    for (var i = 0; i < trs.length; i++) {
      var rowspan = trs[i].getAttribute(\"rowspan\") || 0;
      if (rowspan) {
        rowspan = parseInt(rowspan, 10);
      }
      rows += rowspan || 1;
      var columnsInThisRow = 0;
      var cells = trs[i].getElementsByTagName(\"td\");
      for (var j = 0; j < cells.length; j++) {
        var colspan = cells[j].getAttribute(\"colspan\") || 0;
        if (colspan) {
          colspan = parseInt(colspan, 10);
        }
        columnsInThisRow += colspan || 1;
      }
      columns = Math.max(columns, columnsInThisRow);
    }
    return { rows, columns };
  },
  _markDataTables(root) {
    var tables = root.getElementsByTagName(\"table\");
    for (var i = 0; i < tables.length; i++) {
      var table = tables[i];
      var role = table.getAttribute(\"role\");
      if (role == \"presentation\") {
        table._readabilityDataTable = false;
        continue;
      }
      var datatable = table.getAttribute(\"datatable\");
      if (datatable == \"0\") {
        table._readabilityDataTable = false;
        continue;
      }
      var summary = table.getAttribute(\"summary\");
      if (summary) {
        table._readabilityDataTable = true;
        continue;
      }
      var caption = table.getElementsByTagName(\"caption\")[0];
      if (caption && caption.childNodes.length) {
        table._readabilityDataTable = true;
        continue;
      }
      var dataTableDescendants = [\"col\", \"colgroup\", \"tfoot\", \"thead\", \"th\"];
      var descendantExists = function (tag) {
        return !!table.getElementsByTagName(tag)[0];
      };
      if (dataTableDescendants.some(descendantExists)) {
        this.log(\"Data table because found data-y descendant\");
        table._readabilityDataTable = true;
        continue;
      }
      if (table.getElementsByTagName(\"table\")[0]) {
        table._readabilityDataTable = false;
        continue;
      }
      var sizeInfo = this._getRowAndColumnCount(table);
      if (sizeInfo.columns == 1 || sizeInfo.rows == 1) {
        table._readabilityDataTable = false;
        continue;
      }
      if (sizeInfo.rows >= 10 || sizeInfo.columns > 4) {
        table._readabilityDataTable = true;
        continue;
      }
      table._readabilityDataTable = sizeInfo.rows * sizeInfo.columns > 10;
    }
  },
  _fixLazyImages(root) {
    this._forEachNode(
      this._getAllNodesWithTag(root, [\"img\", \"picture\", \"figure\"]),
      function (elem) {
        if (elem.src && this.REGEXPS.b64DataUrl.test(elem.src)) {
          var parts = this.REGEXPS.b64DataUrl.exec(elem.src);
          if (parts[1] === \"image/svg+xml\") {
            return;
          }
          var srcCouldBeRemoved = false;
          for (var i = 0; i < elem.attributes.length; i++) {
            var attr = elem.attributes[i];
            if (attr.name === \"src\") {
              continue;
            }
            if (/\\.(jpg|jpeg|png|webp)/i.test(attr.value)) {
              srcCouldBeRemoved = true;
              break;
            }
          }
          if (srcCouldBeRemoved) {
            var b64starts = parts[0].length;
            var b64length = elem.src.length - b64starts;
            if (b64length < 133) {
              elem.removeAttribute(\"src\");
            }
          }
        }
        if (
          (elem.src || (elem.srcset && elem.srcset != \"null\")) &&
          !elem.className.toLowerCase().includes(\"lazy\")
        ) {
          return;
        }
        for (var j = 0; j < elem.attributes.length; j++) {
          attr = elem.attributes[j];
          if (
            attr.name === \"src\" ||
            attr.name === \"srcset\" ||
            attr.name === \"alt\"
          ) {
            continue;
          }
          var copyTo = null;
          if (/\\.(jpg|jpeg|png|webp)\\s+\\d/.test(attr.value)) {
            copyTo = \"srcset\";
          } else if (/^\\s*\\S+\\.(jpg|jpeg|png|webp)\\S*\\s*$/.test(attr.value)) {
            copyTo = \"src\";
          }
          if (copyTo) {
            if (elem.tagName === \"IMG\" || elem.tagName === \"PICTURE\") {
              elem.setAttribute(copyTo, attr.value);
            } else if (
              elem.tagName === \"FIGURE\" &&
              !this._getAllNodesWithTag(elem, [\"img\", \"picture\"]).length
            ) {
              var img = this._doc.createElement(\"img\");
              img.setAttribute(copyTo, attr.value);
              elem.appendChild(img);
            }
          }
        }
      }
    );
  },
  _getTextDensity(e, tags) {
    var textLength = this._getInnerText(e, true).length;
    if (textLength === 0) {
      return 0;
    }
    var childrenLength = 0;
    var children = this._getAllNodesWithTag(e, tags);
    this._forEachNode(
      children,
      child => (childrenLength += this._getInnerText(child, true).length)
    );
    return childrenLength / textLength;
  },
  _cleanConditionally(e, tag) {
    if (!this._flagIsActive(this.FLAG_CLEAN_CONDITIONALLY)) {
      return;
    }
    this._removeNodes(this._getAllNodesWithTag(e, [tag]), function (node) {
      var isDataTable = function (t) {
        return t._readabilityDataTable;
      };
      var isList = tag === \"ul\" || tag === \"ol\";
      if (!isList) {
        var listLength = 0;
        var listNodes = this._getAllNodesWithTag(node, [\"ul\", \"ol\"]);
        this._forEachNode(
          listNodes,
          list => (listLength += this._getInnerText(list).length)
        );
        isList = listLength / this._getInnerText(node).length > 0.9;
      }
      if (tag === \"table\" && isDataTable(node)) {
        return false;
      }
      if (this._hasAncestorTag(node, \"table\", -1, isDataTable)) {
        return false;
      }
      if (this._hasAncestorTag(node, \"code\")) {
        return false;
      }
      if (
        [...node.getElementsByTagName(\"table\")].some(
          tbl => tbl._readabilityDataTable
        )
      ) {
        return false;
      }
      var weight = this._getClassWeight(node);
      this.log(\"Cleaning Conditionally\", node);
      var contentScore = 0;
      if (weight + contentScore < 0) {
        return true;
      }
      if (this._getCharCount(node, \",\") < 10) {
        var p = node.getElementsByTagName(\"p\").length;
        var img = node.getElementsByTagName(\"img\").length;
        var li = node.getElementsByTagName(\"li\").length - 100;
        var input = node.getElementsByTagName(\"input\").length;
        var headingDensity = this._getTextDensity(node, [
          \"h1\",
          \"h2\",
          \"h3\",
          \"h4\",
          \"h5\",
          \"h6\",
        ]);
        var embedCount = 0;
        var embeds = this._getAllNodesWithTag(node, [
          \"object\",
          \"embed\",
          \"iframe\",
        ]);
        for (var i = 0; i < embeds.length; i++) {
          for (var j = 0; j < embeds[i].attributes.length; j++) {
            if (this._allowedVideoRegex.test(embeds[i].attributes[j].value)) {
              return false;
            }
          }
          if (
            embeds[i].tagName === \"object\" &&
            this._allowedVideoRegex.test(embeds[i].innerHTML)
          ) {
            return false;
          }
          embedCount++;
        }
        var innerText = this._getInnerText(node);
        if (
          this.REGEXPS.adWords.test(innerText) ||
          this.REGEXPS.loadingWords.test(innerText)
        ) {
          return true;
        }
        var contentLength = innerText.length;
        var linkDensity = this._getLinkDensity(node);
        var textishTags = [\"SPAN\", \"LI\", \"TD\"].concat(
          Array.from(this.DIV_TO_P_ELEMS)
        );
        var textDensity = this._getTextDensity(node, textishTags);
        var isFigureChild = this._hasAncestorTag(node, \"figure\");
        const shouldRemoveNode = () => {
          const errs = [];
          if (!isFigureChild && img > 1 && p / img < 0.5) {
            errs.push(`Bad p to img ratio (img=${img}, p=${p})`);
          }
          if (!isList && li > p) {
            errs.push(`Too many li's outside of a list. (li=${li} > p=${p})`);
          }
          if (input > Math.floor(p / 3)) {
            errs.push(`Too many inputs per p. (input=${input}, p=${p})`);
          }
          if (
            !isList &&
            !isFigureChild &&
            headingDensity < 0.9 &&
            contentLength < 25 &&
            (img === 0 || img > 2) &&
            linkDensity > 0
          ) {
            errs.push(
              `Suspiciously short. (headingDensity=${headingDensity}, img=${img}, linkDensity=${linkDensity})`
            );
          }
          if (
            !isList &&
            weight < 25 &&
            linkDensity > 0.2 + this._linkDensityModifier
          ) {
            errs.push(
              `Low weight and a little linky. (linkDensity=${linkDensity})`
            );
          }
          if (weight >= 25 && linkDensity > 0.5 + this._linkDensityModifier) {
            errs.push(
              `High weight and mostly links. (linkDensity=${linkDensity})`
            );
          }
          if ((embedCount === 1 && contentLength < 75) || embedCount > 1) {
            errs.push(
              `Suspicious embed. (embedCount=${embedCount}, contentLength=${contentLength})`
            );
          }
          if (img === 0 && textDensity === 0) {
            errs.push(
              `No useful content. (img=${img}, textDensity=${textDensity})`
            );
          }
          if (errs.length) {
            this.log(\"Checks failed\", errs);
            return true;
          }
          return false;
        };
        var haveToRemove = shouldRemoveNode();
        if (isList && haveToRemove) {
          for (var x = 0; x < node.children.length; x++) {
            let child = node.children[x];
            if (child.children.length > 1) {
              return haveToRemove;
            }
          }
          let li_count = node.getElementsByTagName(\"li\").length;
          if (img == li_count) {
            return false;
          }
        }
        return haveToRemove;
      }
      return false;
    });
  },
  _cleanMatchedNodes(e, filter) {
    var endOfSearchMarkerNode = this._getNextNode(e, true);
    var next = this._getNextNode(e);
    while (next && next != endOfSearchMarkerNode) {
      if (filter.call(this, next, next.className + \" \" + next.id)) {
        next = this._removeAndGetNext(next);
      } else {
        next = this._getNextNode(next);
      }
    }
  },
  _cleanHeaders(e) {
    let headingNodes = this._getAllNodesWithTag(e, [\"h1\", \"h2\"]);
    this._removeNodes(headingNodes, function (node) {
      let shouldRemove = this._getClassWeight(node) < 0;
      if (shouldRemove) {
        this.log(\"Removing header with low class weight:\", node);
      }
      return shouldRemove;
    });
  },
  _headerDuplicatesTitle(node) {
    if (node.tagName != \"H1\" && node.tagName != \"H2\") {
      return false;
    }
    var heading = this._getInnerText(node, false);
    this.log(\"Evaluating similarity of header:\", heading, this._articleTitle);
    return this._textSimilarity(this._articleTitle, heading) > 0.75;
  },
  _flagIsActive(flag) {
    return (this._flags & flag) > 0;
  },
  _removeFlag(flag) {
    this._flags = this._flags & ~flag;
  },
  _isProbablyVisible(node) {
    return (
      (!node.style || node.style.display != \"none\") &&
      (!node.style || node.style.visibility != \"hidden\") &&
      !node.hasAttribute(\"hidden\") &&
      (!node.hasAttribute(\"aria-hidden\") ||
        node.getAttribute(\"aria-hidden\") != \"true\" ||
        (node.className &&
          node.className.includes &&
          node.className.includes(\"fallback-image\")))
    );
  },
  parse() {
    if (this._maxElemsToParse > 0) {
      var numTags = this._doc.getElementsByTagName(\"*\").length;
      if (numTags > this._maxElemsToParse) {
        throw new Error(
          \"Aborting parsing document; \" + numTags + \" elements found\"
        );
      }
    }
    this._unwrapNoscriptImages(this._doc);
    var jsonLd = this._disableJSONLD ? {} : this._getJSONLD(this._doc);
    this._removeScripts(this._doc);
    this._prepDocument();
    var metadata = this._getArticleMetadata(jsonLd);
    this._metadata = metadata;
    this._articleTitle = metadata.title;
    var articleContent = this._grabArticle();
    if (!articleContent) {
      return null;
    }
    this.log(\"Grabbed: \" + articleContent.innerHTML);
    this._postProcessContent(articleContent);
    if (!metadata.excerpt) {
      var paragraphs = articleContent.getElementsByTagName(\"p\");
      if (paragraphs.length) {
        metadata.excerpt = paragraphs[0].textContent.trim();
      }
    }
    var textContent = articleContent.textContent;
    return {
      title: this._articleTitle,
      byline: metadata.byline || this._articleByline,
      dir: this._articleDir,
      lang: this._articleLang,
      content: this._serializer(articleContent),
      textContent,
      length: textContent.length,
      excerpt: metadata.excerpt,
      siteName: metadata.siteName || this._articleSiteName,
      publishedTime: metadata.publishedTime,
    };
  },
};
if (typeof module === \"object\") {
  module.exports = Readability;
}
\"use strict\";
const sight = (() => {
  const getter = (prototype, name) => {
    const { get } = /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(prototype, name));
    return (self) => get?.call(self);
  };
  const rootOf = getter(Document.prototype, \"documentElement\");
  const scrollerOf = getter(Document.prototype, \"scrollingElement\");
  const scrollLeftOf = getter(Element.prototype, \"scrollLeft\");
  const scrollTopOf = getter(Element.prototype, \"scrollTop\");
  const elementBefore = getter(Element.prototype, \"previousElementSibling\");
  const parentElementOf = getter(Node.prototype, \"parentElement\");
  const { matches, querySelector: query } = Element.prototype;
  const { contains } = Node.prototype;
  const rectOf = (/** @type {Element} */ element) =>
    Reflect.apply(Element.prototype.getBoundingClientRect, element, []);
  const MIN_LETTER_PX = 3;
  const FAR_PX = 5_000;
  const MIN_OPACITY = 0.05;
  const MIN_DIFFERENCE = 12;
  const MAX_ELEMENTS = 50_000;
  const MAX_PAINTED = 2_000;
  const CONTROL = \"[aria-expanded]\";
  const PICTURES = new Set([\"img\", \"video\", \"canvas\", \"svg\", \"iframe\", \"object\", \"embed\"]);
  const CLIP = /^rect\\(([-\\d.]+)px, ([-\\d.]+)px, ([-\\d.]+)px, ([-\\d.]+)px\\)$/;
  const NOTHING_LEFT =
    /^(?:inset\\((?:[5-9]\\d|\\d{3,})(?:\\.\\d+)?%\\)|(?:circle|ellipse)\\(0(?:px|%)?[ )].*|polygon\\(([^,()]+)(?:, \\1)*\\))$/;
  const COLOR = /^rgba?\\((\\d+), (\\d+), (\\d+)(?:, ([\\d.]+))?\\)$/;
  const knownColors = new Map();
  const range = new Range();
  function colorOf(text) {
    let color = knownColors.get(text);
    if (color === undefined) {
      const found = COLOR.exec(text);
      color = found && [Number(found[1]), Number(found[2]), Number(found[3]), Number(found[4] ?? 1)];
      knownColors.set(text, color);
    }
    return color;
  }
  function over(color, behind) {
    if (!color || color[3] === 1) return color;
    const [red = 0, green = 0, blue = 0, alpha = 1] = color;
    if (!behind) return alpha === 0 ? behind : null;
    const mixed = [red, green, blue].map((channel, i) => channel * alpha + (behind[i] ?? 0) * (1 - alpha));
    return [...mixed, 1];
  }
  function areAlike(color, other) {
    if (!color || !other) return false;
    return [0, 1, 2].every((i) => Math.abs((color[i] ?? 0) - (other[i] ?? 0)) < MIN_DIFFERENCE);
  }
  function outermost(page, view, body) {
    const root = rootOf(page);
    const scroller = scrollerOf(page);
    const scrolled = [...new Set([scroller, body])].filter((element) => element !== null);
    const rootStyle = root && view.getComputedStyle(root);
    const canvas = {
      view,
      x: scrolled.reduce((x, element) => x + scrollLeftOf(element), 0),
      y: scrolled.reduce((y, element) => y + scrollTopOf(element), 0),
      isCut: false,
      isFixed: false,
      isRightToLeft: rootStyle?.direction === \"rtl\",
      opacity: 1,
      color: rootStyle?.colorScheme.includes(\"dark\") ? null : [255, 255, 255, 1],
      painted: paintedIn(view),
    };
    const styles = [rootStyle, view.getComputedStyle(body)].filter((style) => style !== null);
    return styles.reduce((layer, style) => ({ ...layer, ...surface(layer, style) }), canvas);
  }
  function surface({ opacity, color }, style) {
    const isPicture = style.backgroundImage !== \"none\";
    return {
      opacity: opacity * Number(style.opacity),
      color: isPicture ? null : over(colorOf(style.backgroundColor), color),
    };
  }
  function within(layer, element, style) {
    const isFixed = style.position === \"fixed\";
    const base = isFixed ? { ...layer, x: 0, y: 0, isCut: false, isFixed } : layer;
    const own = surface(layer, style);
    if (style.overflowX === \"visible\" && style.overflowY === \"visible\") return { ...base, ...own };
    return { ...base, ...own, x: base.x + scrollLeftOf(element), y: base.y + scrollTopOf(element), isCut: true };
  }
  function isShut({ opacity }, element, style) {
    return opacity < MIN_OPACITY || isClippedAway(style) || isEmptyBox(element, style);
  }
  function isClippedAway({ clip, clipPath, position }) {
    if (clipPath !== \"none\" && NOTHING_LEFT.test(clipPath)) return true;
    const found = clip !== \"auto\" && (position === \"absolute\" || position === \"fixed\") && CLIP.exec(clip);
    if (!found) return false;
    const [top = 0, right = 0, bottom = 0, left = 0] = found.slice(1).map(Number);
    return right - left <= 1 || bottom - top <= 1;
  }
  function isEmptyBox(element, { overflowX, overflowY, display }) {
    const isHiding = /hidden|clip/.test(overflowX) || /hidden|clip/.test(overflowY);
    if (!isHiding || display === \"inline\" || display === \"contents\") return false;
    const { width, height } = rectOf(element);
    if (width > 1 && height > 1) return false;
    return (width <= 1 && height <= 1) || !hasControl(element);
  }
  function hasControl(element) {
    const before = elementBefore(element);
    if (!before) return false;
    return Reflect.apply(matches, before, [CONTROL]) || Reflect.apply(query, before, [CONTROL]) !== null;
  }
  function isFrameHidden(layer, frame) {
    const rect = rectOf(frame);
    return rect.width <= 1 || rect.height <= 1 || isOutside(rect, layer);
  }
  function isSeen(layer, style, text) {
    if (!layer.view.innerWidth) return true;
    range.selectNodeContents(text);
    const rect = range.getBoundingClientRect();
    if (rect.height < MIN_LETTER_PX || rect.width === 0 || isOutside(rect, layer)) return false;
    return isInk(layer, style, text, rect);
  }
  function isOutside({ left, right, top, bottom }, { view, x, y, isCut, isFixed, isRightToLeft }) {
    if (isFixed && (left >= view.innerWidth || top >= view.innerHeight)) return true;
    const edge = isCut ? -FAR_PX : 0;
    return bottom + y <= edge || (right + x <= edge && !isRightToLeft);
  }
  function isInk(layer, style, text, rect) {
    const behind = layer.color;
    const fill = colorOf(style.webkitTextFillColor);
    if (!fill || (fill[3] !== 0 && (!behind || !areAlike(over(fill, behind), behind)))) return true;
    if (style.textShadow !== \"none\" || parseFloat(style.webkitTextStrokeWidth) > 0) return true;
    if (fill[3] === 0) return isCutOut(layer.view, text);
    return isOnOther(fill, layer, text, rect);
  }
  function isCutOut(view, text) {
    let element = parentElementOf(text);
    while (element && !view.getComputedStyle(element).backgroundClip.includes(\"text\")) {
      element = parentElementOf(element);
    }
    return element !== null;
  }
  function isOnOther(fill, { painted }, text, rect) {
    const [x, y] = [rect.left + rect.width / 2, rect.top + rect.height / 2];
    const boxes = painted();
    return (
      boxes.length > MAX_PAINTED ||
      boxes.some(({ element, isAround, rect: { left, right, top, bottom }, color }) => {
        const isThere = left <= x && x <= right && top <= y && y <= bottom && !areAlike(fill, color);
        return isThere && (isAround || !Reflect.apply(contains, element, [text]));
      })
    );
  }
  function paintedIn(view) {
    let painted;
    return () => (painted ??= paintings(view));
  }
  function paintings(view) {
    const elements = [...Reflect.apply(Document.prototype.querySelectorAll, view.document, [\"body *\"])];
    return elements.slice(0, MAX_ELEMENTS).flatMap((element) =>
      [\"\", \"::before\", \"::after\"].flatMap((pseudo) => {
        const style = view.getComputedStyle(element, pseudo);
        const isPicture = style.backgroundImage !== \"none\" || (!pseudo && PICTURES.has(element.localName));
        const color = isPicture ? null : colorOf(style.backgroundColor);
        if ((pseudo && style.content === \"none\") || (!isPicture && color?.[3] === 0)) return [];
        return [{ element, isAround: pseudo !== \"\", rect: rectOf(element), color }];
      }),
    );
  }
  return { outermost, within, isShut, isFrameHidden, isSeen, getter };
})();
\"use strict\";
const visibleCopy = (() => {
  const { getter, outermost, within, isShut, isFrameHidden, isSeen } = sight;
  const childNodesOf = getter(Node.prototype, \"childNodes\");
  const nodeTypeOf = getter(Node.prototype, \"nodeType\");
  const firstChildOf = getter(Node.prototype, \"firstChild\");
  const tagOf = getter(Element.prototype, \"localName\");
  const openRootOf = getter(Element.prototype, \"shadowRoot\");
  const bodyOf = getter(Document.prototype, \"body\");
  const windowOf = getter(Document.prototype, \"defaultView\");
  const framedDocumentOf = getter(HTMLIFrameElement.prototype, \"contentDocument\");
  const inFirefox = /** @type {\"shadowRoot\"} */ (\"openOrClosedShadowRoot\");
  const anyRootOf =
    globalThis.chrome?.dom?.openOrClosedShadowRoot ??
    (Object.hasOwn(Element.prototype, inFirefox) ? getter(Element.prototype, inFirefox) : null);
  const MAX_NODES = 300_000;
  const TEXTLESS = new Set(
    (
"
property mainContent4 : "      \"script style template head meta link title base object embed canvas audio video map area datalist param source track \" +
      \"input select textarea option progress meter svg math\"
    ).split(\" \"),
  );
  const BLOCKS = new Set(
    (
      \"address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer \" +
      \"form frame h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol p pre search section summary table tbody td \" +
      \"tfoot th thead tr ul\"
    ).split(\" \"),
  );
  const BLOCK_DISPLAY = /^(?:block|flex|grid|list-item|table|flow-root)/;
  class TooLarge extends Error {}
  function isElement(node) {
    return nodeTypeOf(node) === Node.ELEMENT_NODE;
  }
  class Copy {
    constructor(page) {
      this.inert = document.implementation.createHTMLDocument(\"\");
      this.nodes = 0;
      this.#page(page, this.inert.body);
    }
    #page(page, to) {
      const body = bodyOf(page);
      const view = windowOf(page);
      if (body && view) this.#children(body, to, outermost(page, view, body), view.getComputedStyle(body));
    }
    #children(from, to, layer, style) {
      const isShown = isDrawn(style);
      const isClosed = tagOf(from) === \"details\" && !from.hasAttribute(\"open\");
      for (const node of shownChildren(from)) {
        this.nodes += 1;
        if (this.nodes > MAX_NODES) throw new TooLarge();
        if (nodeTypeOf(node) === Node.TEXT_NODE) {
          if (isShown && isInSight(/** @type {Text} */ (node), layer, style)) to.append(this.inert.importNode(node));
        } else if (isElement(node) && (!isClosed || tagOf(node) === \"summary\")) {
          this.#element(node, to, layer);
        }
      }
    }
    #element(element, to, around) {
      const tag = tagOf(element);
      if (TEXTLESS.has(tag)) return;
      if (tag === \"noscript\" && !element.checkVisibility()) return;
      const style = around.view.getComputedStyle(element);
      if (isUnseen(style)) return;
      const layer = within(around, element, style);
      if (isShut(layer, element, style)) return;
      if (tag === \"iframe\" || tag === \"frame\") {
        if (isDrawn(style) && !isFrameHidden(layer, element)) this.#frame(element, to);
        return;
      }
      const copy = this.#shell(element, tag, style.display);
      to.append(copy);
      this.#children(element, copy, layer, style);
    }
    #frame(frame, to) {
      const page = tagOf(frame) === \"iframe\" ? framedDocumentOf(/** @type {HTMLIFrameElement} */ (frame)) : null;
      if (!page || windowOf(page)?.origin !== windowOf(frame.ownerDocument)?.origin) return;
      const copy = this.inert.createElement(\"div\");
      to.append(copy);
      this.#page(page, copy);
    }
    #shell(element, tag, display) {
      let copy = this.inert.importNode(element);
      const isDrawnAsBlock = BLOCK_DISPLAY.test(display);
      if (isDrawnAsBlock && (tag === \"span\" || tag === \"slot\" || tag.includes(\"-\"))) {
        copy = this.inert.createElement(\"div\");
        for (const name of [\"class\", \"id\", \"role\", \"itemprop\"]) {
          copy.setAttribute(name, element.getAttribute(name) ?? \"\");
        }
      } else if (isDrawnAsBlock && !BLOCKS.has(tag)) {
        copy.setAttribute(\"data-block\", \"\");
      }
      for (const name of [\"style\", \"hidden\", \"name\"]) copy.removeAttribute(name);
      if ([\"button\", \"fieldset\", \"img\", \"output\"].includes(tag)) copy.removeAttribute(\"id\");
      return copy;
    }
  }
  function shownChildren(element) {
    const tag = tagOf(element);
    if (tag === \"slot\") {
      const assigned = /** @type {HTMLSlotElement} */ (element).assignedNodes({ flatten: true });
      if (assigned.length) return assigned;
    }
    const mayHide = tag.includes(\"-\") || !firstChildOf(element);
    const root = mayHide && anyRootOf ? anyRootOf(/** @type {HTMLElement} */ (element)) : openRootOf(element);
    return childNodesOf(root ?? element);
  }
  function isDrawn({ visibility }) {
    return visibility === \"visible\";
  }
  function isUnseen({ display, contentVisibility }) {
    return display === \"none\" || contentVisibility === \"hidden\";
  }
  function isInSight(text, layer, style) {
    return !text.data.trim() || isSeen(layer, style, text);
  }
  function isBlock(element) {
    return BLOCKS.has(element.localName) || element.hasAttribute(\"data-block\");
  }
  function copyOf(page) {
    return new Copy(page).inert;
  }
  function seenOf(parsed) {
    for (const element of parsed.querySelectorAll([...TEXTLESS].join())) element.remove();
    if (parsed.getElementsByTagName(\"*\").length > MAX_NODES) throw new TooLarge();
    return parsed;
  }
  return { copyOf, seenOf, isBlock };
})();
\"use strict\";
const textBlocks = (() => {
  const { isBlock } = visibleCopy;
  const NAMES = {
    boilerplate: wordSet(
      \"cookie cookies consent gdpr onetrust newsletter subscribe subscription share sharing shares social breadcrumb \" +
        \"breadcrumbs skip advert advertisement ads ad sponsor sponsored promo promotion promos related recommend recommended \" +
        \"recommendations recommendation navbar nav navigation menu megamenu submenu footer masthead sidebar widget popup \" +
        \"modal overlay banner toolbar pagination pager paginator tags tagcloud signup login signin\",
    ),
    controls: wordSet(
      \"upsell upsells toc facets facet filters filter refinements sidenav drawer offcanvas flyout minicart wishlist tooltip \" +
        \"toast similar trending rating ratings review reviews shipping delivery cart currency language languages sort \" +
        \"sorting controls control actions action button buttons btn toggle tab tabs\",
    ),
    about: wordSet(
      \"author avatar user username profile userinfo meta date time timestamp posted byline info stats count counts votes \" +
        \"vote score karma badge badges reputation rank online signature sig edited\",
    ),
  };
  const MAX_NAMED = 3;
  const LONG_LINE = 80;
  const TAGS = [\"article\", \"blockquote\", \"footer\", \"form\", \"header\", \"label\", \"li\", \"p\", \"pre\"];
  const NAMED_CONTENT = /articlebody|description|text|name/i;
  const SENTENCE_END = /[.!?:;\\u2026\\u3002\\uff01\\uff1f\\u201d\")]$/;
  const knownWords = new Map();
  function wordSet(words) {
    return new Set(words.split(\" \"));
  }
  function nameWords(element) {
    const names = `${element.getAttribute(\"class\") ?? \"\"} ${element.id}`.slice(0, 400);
    let words = knownWords.get(names);
    if (!words) {
      const parted = names.replace(/([a-z\\d])([A-Z])/g, \"$1 $2\").toLowerCase();
      words = parted.split(/[^a-z\\d]+/).filter(Boolean);
      knownWords.set(names, words);
    }
    return words;
  }
  function collapse(text) {
    return text.replace(/\\s+/g, \" \").trim();
  }
  class Walk {
    constructor(body) {
      this.blocks = [];
      this.sizes = new Map();
      this.#within(body, body, Walk.#outside, false);
      this.#endBlock();
    }
    static #outside = {
      tags: new Set(),
      named: { boilerplate: 0, controls: 0, about: 0 },
      isMain: false,
      isNamedContent: false,
      heading: 0,
    };
    #nodes = [];
    #holder = null;
    #around = Walk.#outside;
    #linked = 0;
    #within(parent, holder, around, isLink) {
      const size = { chars: 0, linked: 0 };
      for (const node of parent.childNodes) {
        let inner = { chars: 0, linked: 0 };
        if (node instanceof Text) inner = this.#text(node, holder, around, isLink);
        else if (node instanceof Element) inner = this.#element(node, holder, around, isLink);
        size.chars += inner.chars;
        size.linked += inner.linked;
      }
      this.sizes.set(parent, size);
      return size;
    }
    #text(node, holder, around, isLink) {
      const { length } = collapse(node.data);
      if (!length) {
        if (this.#nodes.length) this.#nodes.push(node);
        return { chars: 0, linked: 0 };
      }
      if (!this.#nodes.length) [this.#holder, this.#around] = [holder, around];
      this.#nodes.push(node);
      const linked = isLink ? length : 0;
      this.#linked += linked;
      return { chars: length, linked };
    }
    #element(element, holder, around, isLink) {
      const endsLine = isBlock(element) || element.localName === \"br\";
      if (endsLine) this.#endBlock();
      const inner = isBlock(element) ? element : holder;
      const size = this.#within(element, inner, surroundingsIn(element, around), isLink || element.localName === \"a\");
      if (endsLine) this.#endBlock();
      return size;
    }
    #endBlock() {
      const [nodes, holder] = [this.#nodes, this.#holder];
      const text = collapse(nodes.map(({ data }) => data).join(\"\"));
      if (holder && text) {
        const linked = Math.min(1, this.#linked / text.length);
        const words = text.split(\" \").length;
        const isReadable = false;
        this.blocks.push({
          nodes,
          holder,
          around: this.#around,
          text,
          words,
          linked,
          kind: kindOf(holder),
          isReadable,
        });
      }
      [this.#nodes, this.#holder, this.#linked] = [[], null, 0];
    }
  }
  function surroundingsIn(element, around) {
    const tag = element.localName;
    const words = nameWords(element);
    const named = { ...around.named };
    for (const name of /** @type {(keyof typeof NAMES)[]} */ (Object.keys(NAMES))) {
      if (words.some((word) => NAMES[name].has(word))) named[name] = Math.min(MAX_NAMED, named[name] + 1);
    }
    return {
      tags: TAGS.includes(tag) ? new Set(around.tags).add(tag) : around.tags,
      named,
      isMain: around.isMain || tag === \"main\" || tag === \"article\" || element.getAttribute(\"role\") === \"main\",
      isNamedContent: around.isNamedContent || NAMED_CONTENT.test(element.getAttribute(\"itemprop\") ?? \"\"),
      heading: /^h[1-6]$/.test(tag) ? Number(tag[1]) : around.heading,
    };
  }
  function kindOf(holder) {
    const parts = [];
    for (
      let element = /** @type {Element | null} */ (holder), i = 0;
      element && i < 3;
      element = element.parentElement
    ) {
      const words = nameWords(element).filter((word) => !/\\d/.test(word));
      parts.push(`${element.localName}.${words.slice(0, 3).join(\".\")}`);
      i += 1;
    }
    return parts.join(\"<\");
  }
  function blocksOf(body, readable) {
    const { blocks: all, sizes } = new Walk(body);
    const blocks = firstOfEach(all);
    const chosen = new Set(readable.split(\"\\n\").map(plain));
    for (const block of blocks) block.isReadable = chosen.has(plain(block.text));
    const whole = wholeOf(blocks);
    return { blocks, features: featuresOf(blocks, sizes, whole), readableLongShare: whole.readableLong };
  }
  function firstOfEach(blocks) {
    const seen = new Set();
    return blocks.filter(({ text, nodes }) => {
      const key = text.toLowerCase();
      const isFirst = !seen.has(key);
      seen.add(key);
      if (!isFirst) for (const node of nodes) node.remove();
      return isFirst;
    });
  }
  function plain(text) {
    return text
      .toLowerCase()
      .replace(/[^\\p{L}\\p{N}]+/gu, \" \")
      .trim();
  }
  function featuresOf(blocks, sizes, whole) {
    const title = blocks.findIndex(({ around }) => around.heading === 1);
    const [firstReadable, lastReadable] = [blocks.findIndex(isReadableText), blocks.findLastIndex(isReadableText)];
    let before = 0;
    return blocks.map((block, i) => {
      const [previous, next] = [blocks[i - 1], blocks[i + 1]];
      const kind = whole.kinds.get(block.kind) ?? { blocks: 1, words: block.words, linked: block.linked };
      const position = before / whole.chars;
      before += block.text.length;
      return {
        ...ownFeatures(block),
        ...containerFeatures(block, sizes, whole.chars),
        position,
        beforeTitle: Number(i < title),
        previousWords: Math.log1p(previous?.words ?? 0),
        nextWords: Math.log1p(next?.words ?? 0),
        previousReadable: Number(previous?.isReadable ?? false),
        nextReadable: Number(next?.isReadable ?? false),
        betweenReadable: Number(i >= firstReadable && i <= lastReadable),
        kindBlocks: Math.log1p(kind.blocks),
        kindWords: Math.log1p(kind.words / kind.blocks),
        kindLinked: kind.linked / kind.blocks,
        pageChars: Math.log(whole.chars),
        readable: Number(block.isReadable),
        readableShare: whole.readable,
        readableLongShare: whole.readableLong,
        readableOfMuch: Number(block.isReadable) * whole.readable,
        readableOfMuchLong: Number(block.isReadable) * whole.readableLong,
      };
    });
  }
  function isReadableText({ text, isReadable }) {
    return isReadable && text.length >= LONG_LINE;
  }
  function wholeOf(blocks) {
    const kinds = new Map();
    const chars = { all: 0, long: 0, readable: 0, readableLong: 0 };
    for (const { text, words, linked, kind, isReadable } of blocks) {
      const isLong = text.length >= LONG_LINE;
      chars.all += text.length;
      if (isLong) chars.long += text.length;
      if (isReadable) chars.readable += text.length;
      if (isReadable && isLong) chars.readableLong += text.length;
      const known = kinds.get(kind) ?? { blocks: 0, words: 0, linked: 0 };
      kinds.set(kind, { blocks: known.blocks + 1, words: known.words + words, linked: known.linked + linked });
    }
    return {
      kinds,
      chars: chars.all || 1,
      readable: chars.readable / (chars.all || 1),
      readableLong: chars.readableLong / (chars.long || 1),
    };
  }
  function ownFeatures({ text, words, linked, around }) {
    const { tags, named, isMain, isNamedContent, heading } = around;
    return {
      words: Math.log1p(words),
      linked,
      endsSentence: Number(SENTENCE_END.test(text)),
      heading1: Number(heading === 1),
      heading2: Number(heading === 2 || heading === 3),
      heading4: Number(heading > 3),
      ...Object.fromEntries(TAGS.map((tag) => [`in_${tag}`, Number(tags.has(tag))])),
      isMain: Number(isMain),
      isNamedContent: Number(isNamedContent),
      ...named,
    };
  }
  function containerFeatures({ holder }, sizes, pageChars) {
    const first = holder.parentElement ?? holder;
    const second = first.parentElement ?? first;
    const third = second.parentElement ?? second;
    const [inner = { chars: 0, linked: 0 }, outer = inner] = [sizes.get(first), sizes.get(second)];
    return {
      containerLinked: inner.linked / (inner.chars || 1),
      outerLinked: outer.linked / (outer.chars || 1),
      outermostShare: Math.log(((sizes.get(third)?.chars ?? pageChars) || 1) / pageChars),
    };
  }
  return { LONG_LINE, blocksOf, collapse };
})();
\"use strict\";
const blockModel = (() => {
  const WEIGHTS = Object.entries({
    words: -0.285,
    linked: -0.452,
    endsSentence: 0.601,
    heading1: 0.531,
    heading2: 1.35,
    heading4: 0.455,
    in_article: 0.341,
    in_blockquote: 1.89,
    in_footer: -5.96,
    in_form: -1.01,
    in_header: -1.97,
    in_label: -2.87,
    in_li: 0.396,
    in_p: 0.416,
    in_pre: 0.762,
    isMain: 0.202,
    isNamedContent: 0.731,
    boilerplate: -0.331,
    controls: -0.369,
    about: -0.277,
    containerLinked: 0.446,
    outerLinked: -0.528,
    outermostShare: 0.146,
    position: -1.82,
    beforeTitle: -2.45,
    previousWords: 0.0963,
    nextWords: 0.129,
    previousReadable: 0.0856,
    nextReadable: 0.165,
    betweenReadable: 0.547,
    kindBlocks: 0.472,
    kindWords: 0.572,
    kindLinked: 0.0803,
    pageChars: -0.467,
    readable: -0.472,
    readableShare: -1.16,
    readableLongShare: 0.123,
    readableOfMuch: 0.925,
    readableOfMuchLong: 1.23,
  });
  const BIAS = 2.89;
  const PRICE = 15e-6;
  const CERTAIN = 0.92;
  const MUCH_CODE = 0.03;
  function likelihoodOf(features) {
    let score = BIAS;
    for (const [name, weight] of WEIGHTS) score += weight * (features[name] ?? 0);
    return 1 / (1 + Math.exp(-score));
  }
  function thresholdOf(blocks, isFree) {
    const expected = blocks.reduce((sum, { chars, likelihood }) => sum + chars * likelihood, 0);
    const best = { f1: 0, chars: 0 };
    let [kept, right] = [0, 0];
    for (const { chars, likelihood } of [...blocks].sort((a, b) => b.likelihood - a.likelihood)) {
      kept += chars;
      right += chars * likelihood;
      const f1 = (2 * right) / (kept + expected);
      if (f1 > best.f1) Object.assign(best, { f1, chars: kept + expected });
    }
    return Math.min(CERTAIN, best.f1 / 2 + (isFree ? 0 : PRICE * best.chars));
  }
  function areContent(blocks, features) {
    const weighed = blocks.map(({ text }, i) => ({ chars: text.length, likelihood: likelihoodOf(features[i] ?? {}) }));
    const all = weighed.reduce((sum, { chars }) => sum + chars, 0);
    const code = weighed.reduce((sum, { chars }, i) => sum + chars * (features[i]?.in_pre ?? 0), 0);
    const threshold = thresholdOf(weighed, code > MUCH_CODE * all);
    return weighed.map(({ likelihood }) => likelihood >= threshold);
  }
  return { areContent };
})();
\"use strict\";
const markdown = (() => {
  const { isBlock } = visibleCopy;
  const APART = new Set(\"article blockquote dl figure h1 h2 h3 h4 h5 h6 main ol p pre section table ul\".split(\" \"));
  const LAYOUT = \"table, h1, h2, h3, h4, h5, h6, ul, ol, dl, pre, p + p, form\";
  const INVISIBLE = /[\\u00ad\\u200b\\u2060\\ufeff\\u{e0000}-\\u{e007f}]/gu;
  class Writer {
    constructor(options) {
      this.options = options;
      this.written = new Set();
      this.text = \"\";
      this.indent = \"\";
      this.items = new Map();
      this.marker = \"\";
      this.gap = 0;
      this.line = \"\";
    }
    children(parent) {
      for (const node of parent.childNodes) {
        if (node instanceof Text) this.line += node.data.replace(INVISIBLE, \"\").replace(/\\s+/g, \" \");
        else if (node instanceof Element) this.element(node);
      }
    }
    element(element) {
      const tag = element.localName;
      if (tag === \"br\") this.endLine(1);
      else if (!isBlock(element)) this.inline(element, tag);
      else {
        const isNestedList = (tag === \"ul\" || tag === \"ol\") && element.parentElement?.localName === \"li\";
        const gap = APART.has(tag) && !isNestedList ? 2 : 1;
        this.endLine(gap);
        this.block(element, tag);
        this.endLine(gap);
      }
    }
    inline(element, tag) {
      const href = tag === \"a\" && this.options.links ? element.getAttribute(\"href\") : null;
      const before = this.line.length;
      this.children(element);
      const words = this.line.slice(before).trim();
      if (!words || this.line.length < before) return;
      if (tag === \"code\" || tag === \"kbd\" || tag === \"samp\") this.wrap(before, \"`\", \"`\");
      else if (href && /^https?:/.test(addressOf(element))) this.wrap(before, \"[\", `](${addressOf(element)})`);
    }
    wrap(start, before, after) {
      const words = this.line.slice(start);
      const [, left = \"\", middle = \"\", right = \"\"] = /^(\\s*)(.*?)(\\s*)$/.exec(words) ?? [];
      this.line = `${this.line.slice(0, start)}${left}${before}${middle}${after}${right}`;
    }
    block(element, tag) {
      if (tag === \"pre\") this.code(element);
      else if (tag === \"table\" && isData(element)) this.table(element);
      else if (tag === \"li\") this.within(element, `${this.indent}${this.bullet(element)}`, \"  \");
      else if (tag === \"blockquote\") this.within(element, `${this.indent}> `, \"> \");
      else if (/^h[1-6]$/.test(tag)) this.within(element, `${this.indent}${\"#\".repeat(Number(tag[1]))} `, \"\");
      else this.children(element);
    }
    within(element, marker, indent) {
      const outer = this.indent;
      this.marker = marker;
      this.indent += indent;
      this.children(element);
      this.endLine(0);
      this.marker = \"\";
      this.indent = outer;
    }
    bullet({ parentElement: list }) {
      if (list?.localName !== \"ol\") return \"- \";
      const before = this.items.get(list) ?? 0;
      this.items.set(list, before + 1);
      return `${(Number(list.getAttribute(\"start\")) || 1) + before}. `;
    }
    endLine(gap) {
      const line = this.line.replace(/\\s+/g, \" \").trim();
      this.line = \"\";
      const key = line.toLowerCase();
      if (line && !this.written.has(key)) {
        this.written.add(key);
        this.write(line);
      }
      this.gap = Math.max(this.gap, gap);
    }
    write(line) {
      if (this.text) this.text += \"\\n\".repeat(Math.max(1, this.gap));
      this.text += (this.marker || this.indent) + line;
      this.marker = \"\";
      this.gap = 0;
    }
    code(element) {
      const code = preformatted(element)
        .replace(INVISIBLE, \"\")
        .replace(/^\\n+|\\s+$/g, \"\");
      if (!code.trim()) return;
      const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([ticks]) => ticks.length));
      const fence = \"`\".repeat(longest + 1);
      for (const line of [fence, ...code.split(\"\\n\"), fence]) this.write(line);
    }
    table(table) {
      const rows = rowsOf(table).map((row) => [...row.children].map((cell) => cellText(cell, this.options)));
      const filled = rows.filter((cells) => cells.some(Boolean));
      const columns = Math.max(...filled.map((cells) => cells.length));
      filled.forEach((cells, i) => {
        this.write(`| ${cells.join(\" | \")} |`);
        if (i === 0) this.write(`|${\" --- |\".repeat(columns)}`);
      });
    }
  }
  function addressOf(element) {
    return element.getAttribute(\"href\") ?? \"\";
  }
  function preformatted(element) {
    let text = \"\";
    for (const node of element.childNodes) {
      if (node instanceof Text) text += node.data;
      else if (node instanceof Element) {
        const isLine = node.localName === \"br\" || isBlock(node);
        if (isLine && text && !text.endsWith(\"\\n\")) text += \"\\n\";
        text += preformatted(node);
        if (node.localName === \"br\") text += \"\\n\";
      }
    }
    return text.replace(/\\r\\n?/g, \"\\n\");
  }
  function rowsOf(table) {
    return [...table.querySelectorAll(\"tr\")];
  }
  function isData(table) {
    const rows = rowsOf(table);
    return rows.length > 1 && rows.some((row) => row.children.length > 1) && !table.querySelector(LAYOUT);
  }
  function cellText(cell, options) {
    return render(cell, options).replace(/\\s+/g, \" \").replaceAll(\"|\", \"\\\\|\");
  }
  function render(root, options) {
    const writer = new Writer(options);
    writer.children(root);
    writer.endLine(0);
    return writer.text;
  }
  return { render };
})();
\"use strict\";
const mainContent = (() => {
  const { copyOf, seenOf } = visibleCopy;
  const { blocksOf, collapse } = textBlocks;
  const { areContent } = blockModel;
  const { render } = markdown;
  const MIN_ARTICLE = 250;
  const MIN_ARTICLE_LENGTH = 0.75;
  const MIN_LONG_LINES = 0.85;
  const NEARLY_ALL = 0.9;
  const FEW_CHARS = 250;
  const AROUND_CONTENT =
    \"nav, aside, footer, dialog, button, [role=navigation], [role=banner], [role=contentinfo], [role=complementary], \" +
    \"[role=search], [role=dialog], [role=alertdialog], [role=menu], [role=menubar], [role=tablist], [role=toolbar], \" +
    \"[role=status], [role=alert], [aria-hidden=true], [aria-modal=true], header\";
  const IN_CONTENT = \"article, main, [role=main], blockquote\";
  const ARTICLE = /^(?:article|news|blog|post|story|\\w*article|\\w*blogposting)$/i;
  const NO_ARTICLE =
    /^(?:.*product.*|productgroup|itemlist|collectionpage|discussionforumposting|qapage|question|answer)$/i;
  const DECLARED_TYPE = /\"@type\"\\s*:\\s*\\[?\\s*\"([A-Za-z]+)\"/g;
  function removeSurroundings(body) {
    const half = (body.textContent ?? \"\").length / 2;
    for (const element of body.querySelectorAll(AROUND_CONTENT)) {
      if (isAround(element) && (element.textContent ?? \"\").length < half) element.remove();
    }
  }
  function isAround(element) {
    const tag = element.localName;
    if (tag === \"footer\") return !element.closest(IN_CONTENT) || Boolean(element.querySelector(\"a\"));
    if (tag !== \"header\" || element.hasAttribute(\"role\")) return true;
"
property mainContent5 : "    return !element.closest(IN_CONTENT) && !element.querySelector(\"h1\");
  }
  function readableOf(copy, kind) {
    const copied = /** @type {Document} */ (copy.cloneNode(true));
    const serializer = (/** @type {Element} */ element) => element;
    const options = { serializer, disableJSONLD: true, charThreshold: kind === \"article\" ? 500 : 0 };
    return new Readability(copied, options).parse()?.content ?? null;
  }
  function all(page, selector) {
    return [...Reflect.apply(Document.prototype.querySelectorAll, page, [selector])];
  }
  function declaredKind(page) {
    const data = all(page, 'script[type=\"application/ld+json\"]').map((script) => script.textContent ?? \"\");
    const types = [
      ...data.flatMap((text) => [...text.matchAll(DECLARED_TYPE)].map(([, type = \"\"]) => type)),
      ...all(page, \"[itemtype]\").map((element) => element.getAttribute(\"itemtype\")?.split(\"/\").pop() ?? \"\"),
      ...all(page, 'meta[property=\"og:type\"]').map((meta) => meta.getAttribute(\"content\") ?? \"\"),
    ];
    if (types.some((type) => NO_ARTICLE.test(type))) return \"other\";
    return types.some((type) => ARTICLE.test(type)) || all(page, \"[itemprop=articleBody]\").length ? \"article\" : \"\";
  }
  function withoutScripts(page) {
    const texts = all(page, \"noscript\").map((part) => part.textContent ?? \"\");
    const [longest] = texts.sort((a, b) => b.length - a.length);
    const parse = Reflect.get(Document, \"parseHTML\");
    return longest && parse ? seenOf(Reflect.apply(parse, Document, [longest])) : null;
  }
  function readableCopy(page) {
    const copy = copyOf(page);
    if (textLength(copy) >= FEW_CHARS) return { copy, path: \"blocks\" };
    const spare = withoutScripts(page);
    return spare && textLength(spare) > FEW_CHARS ? { copy: spare, path: \"noscript\" } : { copy, path: \"blocks\" };
  }
  function textLength({ body }) {
    return collapse(body.textContent ?? \"\").length;
  }
  function prepare(page) {
    const { copy, path } = readableCopy(page);
    removeSurroundings(copy.body);
    const kind = declaredKind(page);
    const readable = readableOf(copy, kind);
    return { copy, path, kind, readable, readableText: readable ? render(readable, {}) : \"\" };
  }
  function examine(page) {
    const { copy, readableText } = prepare(page);
    return blocksOf(copy.body, readableText);
  }
  function read(page, options) {
    const { copy, path, kind, readable, readableText } = prepare(page);
    const text = readable && options.links ? render(readable, options) : readableText;
    const isSpare = path === \"noscript\";
    const article = { path: isSpare ? path : /** @type {Path} */ (\"article\"), text };
    const mayBeArticle = kind !== \"other\" && text.length >= MIN_ARTICLE;
    if (mayBeArticle && isSpare && readableText.length >= NEARLY_ALL * textLength(copy)) return article;
    const { blocks, features, readableLongShare } = blocksOf(copy.body, readableText);
    const isContent = areContent(blocks, features);
    const isAny = isContent.includes(true);
    blocks.forEach(({ nodes }, i) => {
      if (isAny && !isContent[i]) for (const node of nodes) node.remove();
    });
    const kept = render(copy.body, options);
    const isArticle = mayBeArticle && (kind === \"article\" || readableLongShare >= MIN_LONG_LINES);
    if (isArticle && text.length >= (isAny ? MIN_ARTICLE_LENGTH * kept.length : 0)) return article;
    return { path: isAny ? path : \"whole\", text: kept };
  }
  return { examine, read };
})();
globalThis.chromeTabMainContent = mainContent;
}
"
-- end of the page function

-- JavaScript that makes of the page function's result what Apple events can carry: a list of four texts.
-- The last one is ASCII, because it becomes a line of the log.
-- Of a PDF whose text is still to be taken it is one text, "pdf".
property asListOfTexts : "(page) => page === 'pdf' ? page : [page.code, page.message, page.text, JSON.stringify({ url: page.url, title: page.title, content: page.content, notes: page.notes }).replace(/[^ -~]/g, (unit) => '\\\\u' + unit.charCodeAt(0).toString(16).padStart(4, '0'))]"

on run argv
	if count of argv is 1 and item 1 of argv is "--list-tabs" then
		set pageSteps to ""
	else if count of argv is 1 and item 1 of argv is "--no-filter" then
		set pageSteps to deduplicateLines("")
	else if count of argv is not 2 then
		error "Give --no-filter, or START END, or START --to-end, or --from-start END." number INVALID_ARGUMENT
	else if item 2 of argv is "--to-end" then
		set pageSteps to filterToEnd(deduplicateLines(""), item 1 of argv)
	else if item 1 of argv is "--from-start" then
		set pageSteps to filterFromStart(deduplicateLines(""), item 2 of argv)
	else
		set pageSteps to filterContentBetweenKeywords(deduplicateLines(""), item 1 of argv, item 2 of argv)
	end if
	-- "tell" would start the browser.
	if not (application "Google Chrome" is running) then
		error "The browser is not running. Open the page in it, then ask again." number NOT_RUNNING
	end if
	if pageSteps is "" then
		return listTabs()
	end if
	set pageText to getChromeTextContent(trimWhitespace(pageSteps))
	if (system attribute "CHROME_TAB_CLIPBOARD") is "1" then
		set the clipboard to pageText
	end if
	return pageText
end run

-- Five lists in the same order: the windows' ids, their active tabs' ids, and for each window a list of its tabs'
-- ids, of their addresses and of their titles. Tabs of Safari have no ids: their addresses stand for them.
on listTabs()
	with timeout of 20 seconds
		tell application "Google Chrome"
			set windowIds to id of windows
			set activeIds to id of active tab of windows
			-- Safari: set activeIds to URL of current tab of windows
			set tabIds to id of tabs of windows
			-- Safari: set tabIds to URL of tabs of windows
			set tabAddresses to URL of tabs of windows
			set tabTitles to title of tabs of windows
			-- Safari: set tabTitles to name of tabs of windows
		end tell
	end timeout
	return {windowIds, activeIds, tabIds, tabAddresses, tabTitles}
end listTabs

-- The text that the steps leave of a tab: the one that CHROME_TAB_ID names, else the active one of the front window.
on getChromeTextContent(pageSteps)
	set asTexts to asListOfTexts
	-- Arc: set asTexts to "(page) => page === 'pdf' ? page : JSON.stringify((" & asListOfTexts & ")(page))"
	set contentScripts to ""
	set wantedContent to "all"
	if (system attribute "CHROME_TAB_CONTENT") is "main" then
		set contentScripts to mainContent1 & mainContent2 & mainContent3 & mainContent4 & mainContent5
		set wantedContent to "main"
	else if (system attribute "CHROME_TAB_CONTENT") is "selection" then
		set wantedContent to "selection"
	end if
	set pageProgram to contentScripts & "(" & asTexts & ")((" & pageFunction & ")({ content: '" & wantedContent & "', steps: [" & pageSteps & "], pdf: "
	set wantedTab to system attribute "CHROME_TAB_ID"
	set windowIndex to 1
	if wantedTab is not "" then
		set windowIndex to (system attribute "CHROME_TAB_WINDOW") as integer
		set tabIndex to (system attribute "CHROME_TAB_INDEX") as integer
	end if
	with timeout of 20 seconds
		tell application "Google Chrome"
			-- By ids from here on: the windows change their order when the person goes to another one.
			set windowId to id of window windowIndex
			if wantedTab is "" then
				set tabId to id of active tab of window id windowId
				-- Safari: set tabId to index of current tab of window id windowId
			else
				set tabId to id of tab tabIndex of window id windowId
				-- Safari: set tabId to tabIndex
				if (tabId as text) is not wantedTab then
				-- Safari: if (URL of tab tabId of window id windowId) is not wantedTab then
					error "The tabs have changed meanwhile. List them again, then ask again." number TAB_NOT_FOUND
				end if
			end if
			set windowMode to mode of window id windowId
			-- Arc, Safari: set windowMode to ""
		end tell
	end timeout
	set pageReply to valueInTab(pageProgram & "'wanted' }))", windowId, tabId)
	if pageReply is in {"pdf", "\"pdf\""} then
		takePdf(windowId, tabId)
		set pageReply to valueInTab(pageProgram & "'taken' }))", windowId, tabId)
	end if
	if class of pageReply is text then
		-- Arc hands everything back as JSON: whoever called makes texts of it.
		log ("chrome_tab_page " & windowMode & " {}")
		return pageReply
	else if class of pageReply is not list then
		error "The tab gave no answer. Reload the page, then ask again." number UNREADABLE_PAGE
	end if
	set pageCode to item 1 of pageReply
	set pageMessage to item 2 of pageReply
	if pageCode is "EMPTY_PAGE" then
		error pageMessage number EMPTY_PAGE
	else if pageCode is "KEYWORD_NOT_FOUND" then
		error pageMessage number KEYWORD_NOT_FOUND
	else if pageCode is "UNREADABLE_PAGE" then
		error pageMessage number UNREADABLE_PAGE
	end if
	log ("chrome_tab_page " & windowMode & " " & item 4 of pageReply)
	return item 3 of pageReply
end getChromeTextContent

-- What a program gives in that tab.
on valueInTab(pageProgram, windowId, tabId)
	with timeout of 20 seconds
		tell application "Google Chrome"
			set pageReply to execute tab id tabId of window id windowId javascript pageProgram
			-- Safari: set pageReply to do JavaScript pageProgram in tab tabId of window id windowId
		end tell
	end timeout
	return pageReply
end valueInTab

-- Lets the extension's scripts take the text of a tab's PDF, and waits until they have it or 18 seconds are over.
-- An event waits for no promise, so how far they are is asked again and again: once they have it, or the tab gives
-- no answer, nothing is. Arc gives each text as JSON, in quotation marks.
on takePdf(windowId, tabId)
	set pdfScripts to do shell script "cat \"$CHROME_TAB_EXTENSION/vendor/pdfjs.js\" && cat \"$CHROME_TAB_EXTENSION/page/pdf/pdf-text.js\" || :" without altering line endings
	if pdfScripts is "" then
		error "This tab shows a PDF. AppleScript reads it by scripts of the folder extension, which must lie beside the server's file (by hand, CHROME_TAB_EXTENSION names it). Get the whole repository, or use the Chrome extension, then ask again." number UNREADABLE_PAGE
	end if
	set pdfState to valueInTab("if (!Object.hasOwn(globalThis, 'chromeTabPdf')) {" & pdfScripts & "} chromeTabPdf.take({ url: location.href, waitMs: 18000 }), chromeTabPdf.state()", windowId, tabId)
	repeat 180 times
		if pdfState is in {"maps", "\"maps\""} then
			set characterMaps to do shell script "cd \"$CHROME_TAB_EXTENSION/vendor/cmaps\" && wc -c *.bcmap && echo && cat *.bcmap | base64 || :" without altering line endings
			set pdfState to valueInTab("chromeTabPdf.giveMaps(`" & characterMaps & "`), chromeTabPdf.state()", windowId, tabId)
		else if pdfState is in {"reading", "\"reading\""} then
			delay 0.1
			set pdfState to valueInTab("chromeTabPdf.state()", windowId, tabId)
		end if
	end repeat
end takePdf

on deduplicateLines(pageSteps)
	return pageSteps & "['deduplicateLines'], "
end deduplicateLines

on filterContentBetweenKeywords(pageSteps, startKeyword, endKeyword)
	return pageSteps & "['filterContentBetweenKeywords', " & javaScriptText(startKeyword) & ", " & javaScriptText(endKeyword) & "], "
end filterContentBetweenKeywords

on filterFromStart(pageSteps, endKeyword)
	return pageSteps & "['filterFromStart', " & javaScriptText(endKeyword) & "], "
end filterFromStart

on filterToEnd(pageSteps, startKeyword)
	return pageSteps & "['filterToEnd', " & javaScriptText(startKeyword) & "], "
end filterToEnd

on trimWhitespace(pageSteps)
	return pageSteps & "['trimWhitespace'], "
end trimWhitespace

-- A keyword enters the program only as the numbers of its characters, so nothing in it can end the text.
on javaScriptText(keyword)
	if (length of keyword) is 0 or keyword starts with "--" then
		error "A keyword must not be empty or look like an option." number INVALID_ARGUMENT
	end if
	set savedDelimiters to AppleScript's text item delimiters
	set AppleScript's text item delimiters to ", "
	set codePoints to (id of keyword) as text
	set AppleScript's text item delimiters to savedDelimiters
	return "String.fromCodePoint(" & codePoints & ")"
end javaScriptText
