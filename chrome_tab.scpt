-- chrome_tab.scpt: AppleScript source text (not compiled), ASCII, LF. Returns the text of a tab.
--
--   osascript chrome_tab.scpt --no-filter        the whole page
--   osascript chrome_tab.scpt START END          after the first START, before the next END
--   osascript chrome_tab.scpt START --to-end     after the first START
--   osascript chrome_tab.scpt --from-start END   before the first END
--   osascript -ss chrome_tab.scpt --list-tabs    the open tabs, as listTabs returns them
--
-- stdout: the text. stderr: one line, chrome_tab_page normal {"url": ..., "title": ...}; the word before the JSON
-- is the mode of the window (normal or incognito), and is missing if the browser does not report it.
-- Every failure is an error with a number: one of those below, or one of the browser's.
-- With CHROME_TAB_CLIPBOARD=1 in the environment the text is also copied to the clipboard; with
-- CHROME_TAB_CONTENT=main it is the main content, and the line on stderr reports how that was found;
-- with CHROME_TAB_CONTENT=selection it is the selection. The tab is the active one, or, with CHROME_TAB_ID,
-- CHROME_TAB_WINDOW and CHROME_TAB_INDEX, the one with this id at this position. The main content and PDFs need
-- the scripts of the folder "extension", which CHROME_TAB_EXTENSION names; without it main reads the whole page.
--
-- For another Chromium browser replace "Google Chrome" with its name everywhere. For Safari and Arc, whose
-- dictionaries differ, also replace the line before each comment for them with the line in that comment.
--
-- The handlers only compose a JavaScript program: a list of steps for the page function. Chrome runs it in an
-- isolated world of the page, so page text and keywords never become AppleScript or shell code: the three
-- shell commands are constants, which print files of that folder.

property EMPTY_PAGE : 9001
property KEYWORD_NOT_FOUND : 9002
property UNREADABLE_PAGE : 9003
property INVALID_ARGUMENT : 9004
property TAB_NOT_FOUND : 9005
property NOT_RUNNING : -600

on run argv
	if count of argv is 1 and item 1 of argv is "--list-tabs" then
		set pageSteps to ""
	else if count of argv is 1 and item 1 of argv is "--no-filter" then
		set pageSteps to deduplicateLines("")
	else if count of argv is not 2 then
		error "Use --no-filter, or START END, or START --to-end, or --from-start END." number INVALID_ARGUMENT
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

-- Returns five lists in the same order: the windows' ids, their active tabs' ids, and for each window the lists of
-- its tabs' ids, URLs and titles. Safari's tabs have no ids: their URLs are used instead.
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

-- Returns a tab's text after the steps: of the tab in CHROME_TAB_ID, or else of the front window's active tab.
on getChromeTextContent(pageSteps)
	set asTexts to asListOfTexts
	-- Arc: set asTexts to "(page) => page === 'pdf' ? page : JSON.stringify((" & asListOfTexts & ")(page))"
	set contentScripts to ""
	set wantedContent to "all"
	if (system attribute "CHROME_TAB_CONTENT") is "main" then
		set contentScripts to mainContentScripts()
		if contentScripts is not "" then
			set wantedContent to "main"
		end if
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
			-- By id from here on: the order of the windows changes when the user switches to another one.
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
		-- Arc returns everything as JSON: the caller decodes it.
		log ("chrome_tab_page " & windowMode & " {}")
		return pageReply
	else if class of pageReply is not list then
		error "The tab did not respond. Reload the page, then ask again." number UNREADABLE_PAGE
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

-- Returns the extension's main content scripts, as a block that can run repeatedly; empty without its folder.
on mainContentScripts()
	set contentScripts to do shell script "cd \"$CHROME_TAB_EXTENSION\" && cat vendor/readability.js page/main-content/nodes.js page/main-content/colors.js page/main-content/outlines.js page/main-content/covers.js page/main-content/sight.js page/main-content/modal-dialogs.js page/main-content/visible-copy.js page/main-content/data-tables.js page/main-content/text-blocks.js page/main-content/block-model.js page/main-content/markdown.js page/main-content/main-content.js || :" without altering line endings
	if contentScripts is not "" then
		set contentScripts to "{" & contentScripts & "}"
	end if
	return contentScripts
end mainContentScripts

-- Returns the result of a program in that tab.
on valueInTab(pageProgram, windowId, tabId)
	with timeout of 20 seconds
		tell application "Google Chrome"
			set pageReply to execute tab id tabId of window id windowId javascript pageProgram
			-- Safari: set pageReply to do JavaScript pageProgram in tab tabId of window id windowId
		end tell
	end timeout
	return pageReply
end valueInTab

-- Lets the extension's scripts extract the text of a tab's PDF, and waits until they have it, for at most 18 seconds.
-- An Apple event cannot wait for a promise, so their state is polled until they have the text or the tab does not
-- answer. Arc returns each text as JSON, in quotation marks.
on takePdf(windowId, tabId)
	set pdfScripts to do shell script "cat \"$CHROME_TAB_EXTENSION/vendor/pdfjs.js\" && cat \"$CHROME_TAB_EXTENSION/page/pdf/pdf-text.js\" || :" without altering line endings
	if pdfScripts is "" then
		error "This tab shows a PDF. To read it, AppleScript needs the folder extension next to the server file (without the server, set CHROME_TAB_EXTENSION to that folder). Get the whole repository, or use the Chrome extension, then ask again." number UNREADABLE_PAGE
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

-- A keyword enters the program only as the code points of its characters, so it cannot end the string.
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

-- JavaScript that converts the page function's result for Apple events: a list of four texts.
-- The last one is ASCII, because it becomes a line of the log.
-- For a PDF whose text has yet to be extracted it is one text, "pdf".
property asListOfTexts : "(page) => page === 'pdf' ? page : [page.code, page.message, page.text, JSON.stringify({ url: page.url, title: page.title, content: page.content, notes: page.notes, repeated: page.repeated, headings: page.headings }).replace(/[^ -~]/g, (unit) => '\\\\u' + unit.charCodeAt(0).toString(16).padStart(4, '0'))]"

-- begin of the page function, written by scripts/embed_page_function.py
property pageFunction : "function readPage(request) {
  const MAX_TEXT_BYTES = 30 * 1024 * 1024;
  const [EXCERPT_LENGTH, CLOSEST_LINES] = [80, 3];
  const MAX_MAIN_CHARS = 2_000_000;
  const LONG_LINE = 80;
  const MIN_SPARE = 250;
  const [MIN_IMAGE, MIN_FIELD] = [50, 8];
  const IMAGES = \"img, svg, picture, [role=img], [role=graphics-document], input[type=image]\";
  const SHOWN_INSTEAD = {
    canvas: \"This page draws its content on a canvas, so there is no text to read. Use its own export, or its view for printing or for screen readers, or show a screenshot to a model that accepts images.\",
    \"embed, object, iframe\": \"The content of this page is in a frame that cannot be read from here. Open the frame's address in its own tab, then ask again.\",
    \"video, audio\": \"This tab plays video or audio and shows no text. Open its transcript as a page, then ask again.\",
  };
  const DRAWN_EDITOR = \"This page draws its document on a canvas, so only its menus are text. Use its own export or its view for printing or for screen readers (in Google Docs: File > Download), open that in a tab, and ask again.\";
  const ONLY_SPARE = 'This page shows no text yet, and only contains text for browsers without scripts. Wait until it has loaded, or read that text with content=\"main\" (in the call or in config.toml).';
  const NO_TEXT = \"The page shows no text. Wait until it has loaded, or choose another tab, then ask again.\";
  const LATE_PDF = \"The PDF in this tab did not load in time. Wait until it is shown, then ask again. If that does not help, open it in Chrome.\";
  const PDF_SELECTION = \"This tab shows a PDF, and only the browser's own viewer knows what is selected in it. Ask about the whole PDF, or about a part between start and end keywords.\";
  const NOTHING_SELECTED = \"Nothing is selected in this tab. Select the text with the mouse, then ask again, or ask about the whole page.\";
  const TOO_LONG = \"The text is longer than 30 MiB. Read a part of the page with start and end keywords.\";
  const MENUS = \"[role=menubar], [role=menu], [role=toolbar], nav, header\";
  const MIN_OUTSIDE_MENUS = 200;
  const ENTRIES = \"li, tr, [role=row], [role=listitem]\";
  const [MIN_RUN_LINES, MIN_RUN_CHARS] = [3, 100];
  const MAX_LOOSE_ROW = 1_000;
  const MAX_SKIP = 1_000;
  const MAX_HEADINGS = 2_000;
  const BLANK = 0;
  const [FURNITURE, LINK, KEPT, SECTION, INHERITED] = [1, 2, 4, 8, 15];
  const [UNREAD, FIELD, OPTION, HEADING, AROUND, RAISED, CROSSED] = [16, 32, 64, 128, 256, 512, 1024];
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
  const [CHOSEN, CHECKED, CROSSED_OUT] = [\"(selected)\", \"(checked)\", \"(crossed out)\"];
  const SWITCHED_ON = [\"input:checked\", \"[aria-checked=true]:not(form)\", \"[aria-pressed=true]:not(form)\"];
  const NAMED = \"img, svg, :is(i, span):is([aria-label], [title])\";
  const MAX_SIGN = 30;
  const TEXT_FIELDS = new Set(\"text search tel url email number date time month week datetime-local color\".split(\" \"));
  const SECRET_FIELD = /pass(?:word|wd|code|phrase)|passwd|one-time-code|\\b(?:pwd|pin|otp|cvc|cvv|csc)\\b|\\bcc-|card-?number|(?:\\b|_)(?:token|secret)(?:\\b|_)|api[-_ ]?key/i;
  const CELLS = \"[role=cell], [role=gridcell], [role=columnheader], [role=rowheader]\";
  const LAYOUT = \"table, h1, h2, h3, h4, h5, h6, pre, form, ul, ol, dl, blockquote, hr, p + p, br + br\";
  const SIGNS = new Map(
    Object.entries({
      ...{ mfrac: [\"\", \"/\"], msqrt: [\"\\u221a\"], mroot: [\"\\u221a\", \" of degree \"], msub: [\"\", \"_\"], munder: [\"\", \"_\"] },
      ...{ stack: [\"\", \"; \"], msup: [\"\", \"^\"], mover: [\"\", \"^\"], msubsup: [\"\", \"_\", \"^\"], munderover: [\"\", \"_\", \"^\"] },
      mmultiscripts: [\"\", \"_\", \"^\", \"_\", \"^\", \"_\", \"^\"],
    }),
  );
  const DRAWN_TEX = [\"mjx-math[data-latex]\", \"[data-mml-node=math][data-latex]\"];
  const POWER = /^[\\p{L}\\p{N})](?:[-+\\u2212\\u2013]?\\p{N}|[-+\\u2212\\u2013]\\p{L})/u;
  const [FRACTION, BASE] = [/^.\\p{N}+\\u2044/u, /^\\p{N}{2}/u];
  const [MIN_SPACE, MAX_SPAN] = [0.2, 100];
  const EDITORS = \"[contenteditable], [role=textbox], [role=menubar], [role=application]\";
  class PageError extends Error {
    constructor(code, message) {
      super(message);
      this.code = code;
    }
  }
  function ofDocument(name, page = document) {
    return Reflect.get(Document.prototype, name, page);
  }
  function gettersOf(prototype, ...names) {
    return /** @type {any} */ (names.map((name) => Object.getOwnPropertyDescriptor(prototype, name)?.get));
  }
  function quote(text) {
    const start = text.trim().slice(0, 2 * EXCERPT_LENGTH + 2);
    const safe = start.replace(/(?!\\t)[\\p{Cc}\\p{Zl}\\p{Zp}\\p{Bidi_Control}]/gu, \" \");
    const characters = [...safe];
    if (characters.length <= EXCERPT_LENGTH) return `\"${safe}\"`;
    return `\"${characters.slice(0, EXCERPT_LENGTH - 3).join(\"\")}...\"`;
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
  function all(selectors, inside = pages) {
    return inside.flatMap((part) => {
      const { prototype } = typeOf.call(part) === Node.DOCUMENT_NODE ? Document : DocumentFragment;
      return [selectors].flat().flatMap((one) => [...Reflect.apply(prototype.querySelectorAll, part, [one])]);
    });
  }
  function shownText() {
    if (window.parent === window && ![\"http:\", \"https:\", \"file:\"].includes(location.protocol)) {
      throw unreadable(\"This tab shows a page of the browser itself, which cannot be read. Switch to a web page.\");
    }
    if (request.content === \"selection\") return textOf(selectedText(), KEPT);
    if (type === \"application/pdf\") return alignedPdf(withLineFeeds(pdfText()));
    if (isWebPage || isPlain) return aligned(withLineFeeds(pageText()), shownIn, 0);
    return textOf(withLineFeeds(dataText()), type === \"image/svg+xml\" ? 0 : KEPT);
  }
  function textOf(text, traits) {
    return { text, pieces: [{ start: 0, end: text.length, traits }], headings: [] };
  }
  function alignedPdf(text) {
    let start = 0;
    const pieces = text.split(/^(?=\\[Page \\d+\\]$)/m).flatMap((page) => {
      const lines = [...page.matchAll(/^.*\\S.*$/gm)].slice(1);
      const ends = new Set([lines[0], lines.at(-1)].map((line) => line ?? { 0: \"\", index: 0 }));
      const found = [...ends].map(({ 0: line, index }) => ({ start: start + index, end: start + index + line.length }));
      start += page.length;
      return found.map((piece) => ({ ...piece, traits: FURNITURE }));
    });
    return { text, pieces, headings: [] };
  }
  function findMeanings(parts) {
    for (const one of all([\"[role]\", \"[aria-rowcount]\", \"[aria-setsize]\"], parts)) {
      roles.set(one, attributeOf(one, \"role\"));
    }
    if (!isWebPage) return;
    const thirds = all(\"* > :nth-child(3)\", parts);
    findRows(parts, thirds);
    for (const math of all([...DRAWN_TEX, \"math\"], parts)) formulas.set(formulaAround(math), math);
    const labels = Map.groupBy(all(\"label\", parts), (label) => Reflect.get(label, \"control\"));
    for (const one of all(SWITCHED_ON, parts)) if (one.checkVisibility()) noteChecked(one, labels.get(one));
    findCards(thirds);
  }
  function aligned(text, part, traits) {
    if (known.size === 0) findMeanings(pages);
    else if (part instanceof DocumentFragment && !known.has(part)) findMeanings([part]);
    known.add(part);
    const quick = new Alignment(text, part, traits, false);
    const { parts, pieces, headings } = quick.isLost ? new Alignment(text, part, traits, true) : quick;
    return { text: parts.join(\"\"), pieces, headings };
  }
  class Alignment {
    constructor(source, part, traits, isStrict) {
      this.source = source;
      this.isStrict = isStrict;
      this.isLost = false;
      this.cursor = this.copied = 0;
      this.parts = [];
      this.length = 0;
      this.pieces = [];
      this.headings = [];
      this.traits = traits;
      this.open = [];
      this.level = 0;
      this.marked = 0;
      this.last = null;
      this.formula = null;
      this.values = [];
      this.row = null;
      this.group = null;
      this.#walk(part);
    }
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
    #enter(element) {
      const [tag, first] = [tagOf.call(element), firstChildOf.call(element)];
      const own = TRAITS.get(tag) ?? 0;
      if (own & UNREAD) {
        const framed = framedIn(element);
        const body = framed && ofDocument(\"body\", framed);
        if (body) this.#inner(body, body.innerText);
        else if (framed) this.#value(textOf(textOfDrawing(ofDocument(\"documentElement\", framed)), 0));
        return null;
      }
      if (own & FIELD || (tag === \"select\" && !Reflect.get(element, \"innerText\"))) {
        if (!this.formula) this.#field(element, tag);
        return null;
      }
      if (rows.size > 0) this.#enterRow(element);
      if (this.row?.cell && isSign(element, tag) && this.#field(element, tag)) return null;
      if (tag === \"optgroup\" && isDrawn(element, false)) this.#value(textOf(attributeOf(element, \"label\"), KEPT));
      const isFar = this.isStrict && getComputedStyle(element).contentVisibility === \"auto\" && !Reflect.get(element, \"innerText\");
      const root = isFar ? element : tag.includes(\"-\") || !first ? shadowRootOf(element) : openRootOf.call(element);
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
    #markAfter(element, own) {
      if (own & OPTION && isChosen(element)) return ` ${CHOSEN}`;
      if (checked.size > 0 && checked.has(element)) return ` ${CHECKED}`;
      if (own & CROSSED) return ` ${CROSSED_OUT}`;
      if (!(own & RAISED) || drawnSize(element).height === 0) return \"\";
      const [tag, near] = [tagOf.call(element), this.cursor ? this.source.slice(this.cursor - 1, this.cursor + 9) : \"\"];
      const power = POWER.test(near) && (FRACTION.test(near) ? \" \" : \"^\");
      const sign = tag === \"rt\" ? \"(\" : tag === \"sub\" ? BASE.test(near) && \"_\" : power;
      if (sign) this.#note(sign);
      return sign === \"(\" ? \")\" : \"\";
    }
    #traitsOf(element, own) {
      const role = roles.size > 0 ? roles.get(element) : undefined;
      const isAround = own & AROUND && !(this.traits & SECTION);
      const traits = ((own | (role ? (TRAITS.get(role) ?? 0) : 0)) & INHERITED) | (isAround ? FURNITURE : 0);
      const isCard = cards.size > 0 && cards.has(element) && !((this.traits | traits) & FURNITURE);
      return isCard ? traits | KEPT : traits;
    }
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
    #noteGapBefore(node) {
      const [last, parent, other] = [this.last, node.parentElement, this.last?.parentElement];
      const joint = this.source.slice(this.cursor - 1, this.cursor + 1);
      if (!last || !parent || this.formula || /\\s/.test(joint)) return;
      if (rectOf(node).top >= rectOf(last).bottom && boxAround(parent) !== boxAround(other)) return this.#note(\"\\n\");
      const isInWord = /^[\\p{L}\\p{N}\\p{Sc}]{2}$/u.test(joint) && ![other, parent].some((one) => one?.localName === \"code\");
      const isNumbered = /^\\s*\\d+$/.test(last.data) && getComputedStyle(parent).whiteSpace.startsWith(\"pre\");
      if ((isInWord || isNumbered) && areApart(rectOf(last), rectOf(node), parent)) this.#note(\" \");
    }
    #leaveFormula({ element, start }) {
      this.formula = null;
      const math = formulas.get(element);
      if (!math || (start < 0 && drawnSize(element).height === 0)) return;
      this.#copyTo(start < 0 ? Math.min(this.cursor + 1, this.#skipSpace(this.cursor)) : start);
      if (start < 0) this.#openCell(this.copied);
      const text = formulaOf(math);
      this.#addPiece(this.length, this.length + text.length, this.traits);
      this.#write(text);
      this.cursor = this.copied = Math.max(this.cursor, this.copied);
    }
    #addPiece(start, end, traits) {
      const before = this.pieces.length > (this.row?.pieces ?? 0) ? this.pieces.at(-1) : undefined;
      if (before?.traits === traits) before.end = end;
      else this.pieces.push({ start, end, traits });
    }
    #match(words, start) {
      if (this.source.startsWith(words, start)) return start + words.length;
      const line = words.replace(/\\s+/g, \" \");
      if (this.source.startsWith(line, start)) return start + line.length;
      let end = start;
      for (const word of line.split(\" \")) {
        end = this.#skipSpace(end);
        const found = this.source.slice(end, end + word.length);
        const letter = String.fromCodePoint(this.source.codePointAt(end) ?? 0);
        const isOther = found !== word && fold(found) !== fold(word);
        if (isOther && letter.normalize(\"NFKC\") !== word) return -1;
        end += isOther ? letter.length : word.length;
      }
      return end;
    }
    #skipSpace(place) {
      for (let code; (code = this.source.charCodeAt(place)); place += 1) {
        const isSpace = code <= 0x20 || code === 0xa0 || (code > 0x1600 && this.source.charAt(place).trim() === \"\");
        if (!isSpace) break;
      }
      return place;
    }
    #placeOf(place) {
      return this.length + place - this.copied;
    }
    #copyTo(place) {
      this.#write(this.source.slice(this.copied, place));
      this.copied = place;
    }
    #note(words) {
      this.#copyTo(this.cursor);
      this.#write(words);
    }
    #write(text) {
      if (text) this.parts.push(text);
      this.length += text.length;
    }
    #field(element, tag) {
      const value = isSign(element, tag) && !this.row?.cell ? \"\" : fieldValue(element, tag);
      this.#value(textOf(value, KEPT));
      return value !== \"\";
    }
    #inner(part, text) {
      this.#value(aligned(withLineFeeds(text), part, this.traits));
    }
    #value(value) {
      if (!value.text.trim()) return;
      if (!this.row?.cell) {
        this.values.push(value);
        if (this.row) this.row.isMixed = true;
        return;
      }
      this.#writeValues(this.#skipSpace(this.cursor));
      this.#copyTo(this.cursor);
      if (this.row.start < 0 && this.length > 0) this.#write(\"\\n\");
      this.#openCell(this.cursor);
      this.row.hasField = true;
      this.#write(` ${value.text}`);
    }
    #writeValues(next) {
      if (this.values.length === 0) return;
      const gap = this.source.slice(this.cursor, next);
      const values = this.values.splice(0);
      const hasLines = [gap, ...values.map(({ text }) => text)].some((text) => text.includes(\"\\n\"));
      const isInline = this.cursor > 0 && next < this.source.length && !hasLines;
      this.#copyTo(this.cursor);
      for (const { text, pieces, headings } of values) {
        if (this.length > 0) this.#write(isInline ? \" \" : \"\\n\");
        for (const { start, end, traits } of pieces) this.#addPiece(this.length + start, this.length + end, traits);
        this.headings.push(...headings.map(([place, level]) => /** @type {Heading} */ ([this.length + place, level])));
        this.#write(text);
      }
      if (this.cursor === 0 || (hasLines && !gap.includes(\"\\n\"))) this.#write(\"\\n\");
      else if (!gap) this.#write(\" \");
      else this.copied = this.cursor += isInline ? gap.length - 1 : (/^ */.exec(gap)?.[0].length ?? 0);
    }
    #enterRow(element) {
      const row = rows.get(element);
      if (!row) return;
      if (this.row?.row === row && !this.row.cell) Object.assign(this.row, { cell: element, first: -1 });
      if (this.row || (row.isNarrow && this.traits & FURNITURE)) return;
      const none = { start: -1, part: -1, cells: [], cell: null, first: -1, hasField: false, isMixed: false };
      this.row = { row, element, pieces: this.pieces.length, headings: this.headings.length, ...none };
    }
    #openCell(start) {
      const open = this.row;
      if (!open) return;
      if (open.start < 0) {
        let lead = start;
        while (lead > this.copied && /[\\t ]/.test(this.source[lead - 1] ?? \"\")) lead -= 1;
        const gap = this.source.slice(this.copied, lead);
        const isNext = this.group === open.row.group && !gap.trim() && gap.indexOf(\"\\n\") < gap.lastIndexOf(\"\\n\");
        if (isNext) [this.copied] = [lead, this.#write(\"\\n\")];
        this.#copyTo(lead);
        Object.assign(open, { start: this.length, part: this.parts.length });
      }
      if (!open.cell) open.isMixed = true;
      else if (open.first < 0) open.first = this.#placeOf(start);
    }
    #leaveRow(open) {
      const { row, start, part, pieces } = open;
      this.row = null;
      this.group = row.group;
      if (start < 0) return;
      this.#copyTo(this.cursor);
      const written = this.parts.slice(part).join(\"\");
      const line = lineOfRow(open, written);
      if (line === null) return;
      if (line !== written) {
        this.parts.length = part;
        this.length = start;
        this.#write(line);
        this.headings.length = open.headings;
        while (this.source[this.cursor] === \"\\t\") this.cursor += 1;
        this.copied = this.cursor;
      }
      this.pieces.length = pieces;
      this.#addPiece(start, this.length, KEPT);
    }
  }
  function lineOfRow({ row, start, cells, hasField, isMixed }, written) {
    const isTall = cells.some(([from, to]) => written.slice(from - start, to - start).includes(\"\\n\"));
    if (isMixed || (row.isNarrow && isTall) || written.length > row.maxLength) return null;
    const isLine = !written.includes(\"\\n\") && written.split(\"\\t\").length === cells.length;
    if (isLine && !hasField && !row.gaps.some(Boolean)) return written;
    const texts = cells.flatMap(([from, to], i) => {
      const text = written.slice(from - start, to - start).replace(/\\s+/g, \" \");
      return [...Array(row.gaps[i] ?? 0).fill(\"\"), text.trim()];
    });
    const lines = [];
    for (let i = 0; i < texts.length; i += row.columns) lines.push(texts.slice(i, i + row.columns).join(\"\\t\"));
    return lines.join(\"\\n\");
  }
  function isDrawn(node, isThorough) {
    const parent = parentOf.call(node);
    if (!parent) return rectOf(/** @type {Text} */ (node)).height > 0;
    for (let element = parent.closest(\"select\") ?? parent; element; element = parentOf.call(element)) {
      if (Element.prototype.checkVisibility.call(element, { visibilityProperty: true })) return true;
      if (!isThorough || getComputedStyle(element).display !== \"contents\") return false;
    }
    return false;
  }
  function typedIn(field, tag) {
    const { type, value, files } = /** @type {HTMLInputElement} */ (field);
    if (files) return Array.from(files, ({ name }) => name).join(\", \");
    return tag !== \"input\" || TEXT_FIELDS.has(type) ? withLineFeeds(value).trim() : \"\";
  }
  function isSign(element, tag) {
    if (tag === \"input\") return /** @type {HTMLInputElement} */ (element).type === \"checkbox\";
    return roles.get(element) === \"img\" || (/^(?:i|img|span|svg)$/.test(tag) && element.matches(NAMED));
  }
  function saidBy(sign, tag) {
    const cell = parentOf.call(sign)?.closest(`td, ${CELLS}`);
    const title = cell?.querySelector(\"title\")?.textContent ?? \"\";
    if (!cell || (cell.textContent ?? \"\").trim() !== title.trim()) return \"\";
    if (tag === \"input\") return /** @type {HTMLInputElement} */ (sign).checked ? CHECKED : \"\";
    if (!drawnSize(sign).width && getComputedStyle(sign, \"::before\").content === \"none\") return \"\";
    const names = [\"aria-label\", \"alt\", \"title\"].map((name) => attributeOf(sign, name));
    const said = [...names, title].map((name) => name.trim()).find(Boolean) ?? \"\";
    return said.length > MAX_SIGN ? \"\" : said;
  }
  function chosenIn(list) {
    const chosen = [...list.querySelectorAll(\"option:checked\")];
    return chosen.map((option) => (option.textContent ?? \"\").replace(/\\s+/g, \" \").trim()).join(\", \");
  }
  function isChosen(option) {
    return (option.closest(\"select\")?.length ?? 0) > 1 && /** @type {HTMLOptionElement} */ (option).selected;
  }
  function fieldValue(field, tag) {
    const value = isSign(field, tag) ? saidBy(field, tag) : tag === \"select\" ? chosenIn(field) : typedIn(field, tag);
    if (!value) return \"\";
    const names = [\"autocomplete\", \"name\", \"id\"].map((name) => attributeOf(field, name)).join(\" \");
    const { width, height } = drawnSize(isSign(field, tag) ? (parentOf.call(field) ?? field) : field);
    const isDotted = ![\"\", \"none\"].includes(getComputedStyle(field).getPropertyValue(\"-webkit-text-security\"));
    return SECRET_FIELD.test(names) || Math.min(width, height) < MIN_FIELD || isDotted ? \"\" : value;
  }
  function attributeOf(element, name) {
    return Reflect.apply(Element.prototype.getAttribute, element, [name]) ?? \"\";
  }
  function childrenOf(element) {
    return [...partsOf.call(element)];
  }
  function findRows(parts, thirds) {
    const add = (element, cells, given) => {
      if (rows.has(element)) return;
      const row = { columns: Infinity, maxLength: Infinity, isNarrow: false, gaps: [], ...given };
      for (const cell of [element, ...cells]) rows.set(cell, row);
    };
    for (const table of all(\"[role]\", parts).filter((one) => /^(?:table|(?:tree)?grid)$/.test(roles.get(one) ?? \"\"))) {
      for (const row of table.querySelectorAll(\"[role=row]\")) add(row, row.querySelectorAll(CELLS), { group: table });
    }
    for (const table of all(\"table\", parts)) {
      const isLoose = !table.querySelector(\"th, caption\");
      const rowsOfTable = isDataTable(table, isLoose) ? table.querySelectorAll(\"tr\") : [];
      const maxLength = isLoose ? MAX_LOOSE_ROW : Infinity;
      const cells = [...rowsOfTable].map(childrenOf);
      const gaps = gapsIn(cells);
      rowsOfTable.forEach((row, i) => add(row, cells[i] ?? [], { group: table, maxLength, gaps: gaps[i] ?? [] }));
    }
    for (const list of all(\"dl\", parts)) {
      const entries = childrenOf(list);
      const isPaired = entries.length > 2 && entries.every((one, i) => tagOf.call(one) === (i % 2 === 0 ? \"dt\" : \"dd\"));
      if (isPaired) add(list, entries, { group: list, columns: 2, isNarrow: true });
    }
    addShapes(parts, thirds, add);
  }
  function gapsIn(cells) {
    let covered = [];
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
  function isDataTable(table, isLoose) {
    const wide = [...table.querySelectorAll(\"tr\")].filter((row) => countOf.call(row) > 1);
    if (wide.length < 2 || /^(?:none|presentation)$/.test(attributeOf(table, \"role\"))) return false;
    const layout = [...table.querySelectorAll(isLoose ? LAYOUT : \"table\")];
    return layout.every((one) => tagOf.call(one) === \"br\" && /\\S/.test(one.previousSibling?.nodeValue ?? \"\"));
  }
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
      if (!style.display.endsWith(\"grid\")) continue;
      const cells = childrenOf(group);
      const columns = style.gridTemplateColumns.split(\" \").length;
      if (columns > 1 && cells.length % columns === 0) add(group, cells, { group, columns, isNarrow: true });
    }
  }
  function findCards(thirds) {
    for (const third of thirds) {
      const isAnswer = /^d[dt]$/.test(tagOf.call(third)) && !third.querySelector(\"a\");
      if (!isAnswer && !third.querySelector(\":nth-child(2)\")) continue;
      for (const alike of Map.groupBy(childrenOf(parentOf.call(third)), shapeOf).values()) {
        if (alike.length > 2) for (const card of alike) cards.add(card);
      }
    }
  }
  function shapeOf(element) {
    const [name] = /\\S+/.exec(attributeOf(element, \"class\")) ?? [];
    return `${tagOf.call(element)} ${name ?? childrenOf(element).map((child) => tagOf.call(child))}`;
  }
  function noteChecked(control, labels = []) {
    const names = [control, ...labels];
    const isNamed = attributeOf(control, \"aria-pressed\") || names.some((name) => name.textContent?.trim());
    for (const name of isNamed ? names : names.slice(-1).map((last) => last.nextSibling)) checked.add(name);
  }
  function rectOf(text) {
    range.selectNodeContents(text);
    return range.getBoundingClientRect();
  }
  function boxAround(box) {
    while (box && getComputedStyle(box).display !== \"inline-block\") box = box.parentElement;
    return box;
  }
  function areApart(left, right, parent) {
    const isBelow = parent instanceof SVGElement && right.top + right.height / 2 > left.bottom;
    return isBelow || Math.max(right.left - left.right, left.left - right.right) > MIN_SPACE * right.height;
  }
  function formulaAround(math) {
    const [inner, around] = [math.parentElement, math.parentElement?.parentElement];
    const others = [...Reflect.get(Node.prototype, \"childNodes\", around ?? math)].filter((node) => node !== inner);
    const isDrawing = (/** @type {any} */ one) =>
      typeOf.call(one) === Node.ELEMENT_NODE && attributeOf(one, \"aria-hidden\") === \"true\";
    return math.closest(\"mjx-container\") ?? (around && others.length > 0 && others.every(isDrawing) ? around : math);
  }
  function formulaOf(part) {
    if (part.matches(String(DRAWN_TEX))) return attributeOf(part, \"data-latex\").replace(/\\s+/g, \" \").trim();
    const [tag, parts] = [tagOf.call(part), childrenOf(part).filter((one) => tagOf.call(one) !== \"mprescripts\")];
    const text = String(Reflect.get(Node.prototype, \"textContent\", part)).replace(/[\\s\\u2061-\\u2064]+/g, \" \");
    if (parts.length === 0) return tag === \"mtext\" ? text : text.trim();
    const texts = (tag === \"semantics\" ? parts.slice(0, 1) : parts).map(formulaOf);
    const signs = SIGNS.get(/^0(?!\\.?\\d)/.test(attributeOf(part, \"linethickness\")) ? \"stack\" : tag);
    if (!signs) return texts.join(tag === \"mtr\" ? \", \" : tag === \"mtable\" ? \"; \" : \"\").trim();
    const terms = (tag === \"msqrt\" ? [texts.join(\"\")] : texts).map((one) => one.trim());
    const signed = terms.map((one, i) => one && signs[i] + (/^(?:.|[\\d.,]+)$/u.test(one) ? one : `(${one})`)).join(\"\");
    const isMixed = /^\\p{N}/u.test(signed) && /[\\p{L}\\p{N}]\\s*$/u.test(lastElementOf.call(part)?.textContent ?? \"\");
    const isFollowed = /^(?:\\n\\s*)?[\\p{L}\\p{N}]/u.test(nextElementOf.call(part)?.textContent ?? \"\");
    return `${isMixed ? \" \" : \"\"}${signed}${isFollowed ? \" \" : \"\"}`;
  }
  function isSideBySide(row) {
    const { display, flexDirection, gridTemplateColumns } = getComputedStyle(row);
    const isFlex = display.endsWith(\"flex\") && flexDirection.startsWith(\"row\");
    const isGrid = display.endsWith(\"grid\") && gridTemplateColumns.includes(\" \");
    return isFlex || isGrid || display === \"contents\" || display === \"table-row\";
  }
  function pageText() {
    if (!shownIn) throw unreadable(\"This page has no body, so it shows no text. Choose another tab, then ask again.\");
    const text = shownIn.innerText;
    if (isWebPage && isDrawnEditor(text)) throw unreadable(DRAWN_EDITOR);
    return text;
  }
  function isDrawnEditor(text) {
    if (windowShare(\"canvas\") < 0.5 || all(EDITORS).length === 0) return false;
    if (text.split(\"\\n\").some((line) => line.length >= LONG_LINE)) return false;
    const menus = all(`:is(${MENUS}):not(:is(${MENUS}) *)`).filter((menu) => drawnSize(menu).height > 0);
    const lengths = menus.map((menu) => (\"innerText\" in menu ? String(menu.innerText).length : 0));
    if (text.length - lengths.reduce((sum, length) => sum + length, 0) >= MIN_OUTSIDE_MENUS) return false;
    const entries = all(`:is(${ENTRIES}):not(:is(${MENUS}) *)`);
    return !entries.some((entry) => drawnSize(entry).height > 0 && entry.textContent?.trim());
  }
  function pdfText() {
    if (pdf && !pdf.problem) return pdf.text;
    throw unreadable(pdf?.problem || LATE_PDF);
  }
  function dataText() {
    const root = ofDocument(\"documentElement\");
    if (type === \"image/svg+xml\") return textOfDrawing(root) || refuseImage(\"drawing\");
    if (/[/+]xml$/.test(type)) {
      const [broken] = all(\"parsererror > div\");
      if (broken) {
        throw unreadable(
          `The browser cannot parse this file as XML: ${quote(broken.textContent ?? \"\")}. Correct the file, or open a copy with the extension .txt in a tab, then ask again.`,
        );
      }
      const [source] = all(\"#webkit-xml-viewer-source-xml\");
      const nodes = source ? [...source.childNodes] : [root];
      const xml = nodes.map((node) => new XMLSerializer().serializeToString(node)).join(\"\\n\");
      return xml.trim().includes(\"\\n\") ? xml : xml.replaceAll(\"><\", \">\\n<\");
    }
    if (type.startsWith(\"image/\")) return refuseImage(\"picture\");
    return pageText();
  }
  function textOfDrawing(root) {
    const parts = [...root.querySelectorAll(\"title, desc, text, [aria-label]\")];
    const isText = (/** @type {Element} */ part) => /^(?:title|desc|text)$/.test(part.localName);
    const texts = [root, ...parts].map((part) => (isText(part) ? part.textContent : part.getAttribute(\"aria-label\")));
    const lines = texts.map((text) => (text ?? \"\").replace(/\\s+/g, \" \").trim());
    return lines.filter(Boolean).join(\"\\n\");
  }
  function refuseImage(what) {
    throw unreadable(
      `This tab shows a ${what} and no text, and nothing describes it in words. Show a screenshot to a model that accepts images, or open a page that describes the content in words.`,
    );
  }
  function drawnSize(element) {
    const isVisible = element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    return isVisible ? element.getBoundingClientRect() : { width: 0, height: 0 };
  }
  function drawn(selector) {
    return all(selector).filter((one) => Math.min(drawnSize(one).width, drawnSize(one).height) >= MIN_IMAGE);
  }
  function windowShare(selector) {
    const areas = all(selector).map(drawnSize);
    return areas.reduce((sum, { width, height }) => sum + width * height, 0) / (innerWidth * innerHeight);
  }
  function textOfImages() {
    const texts = drawn(IMAGES).map((image) => {
      const label = image.getAttribute(\"aria-label\") || image.getAttribute(\"alt\") || image.getAttribute(\"title\");
      return label || (image.localName === \"svg\" ? textOfDrawing(image) : \"\");
    });
    return texts.flatMap((text) => (text.trim() ? `[Picture: ${text.trim()}]` : [])).join(\"\\n\");
  }
  function refuseEmpty() {
    if (request.content === \"selection\") throw new PageError(\"EMPTY_PAGE\", NOTHING_SELECTED);
    const texts = all(\"noscript\").map((part) => (part.textContent ?? \"\").replace(/<[^>]*>/g, \"\").trim());
    if (request.content !== \"main\" && texts.some(({ length }) => length >= MIN_SPARE)) throw unreadable(ONLY_SPARE);
    const instead = Object.entries(SHOWN_INSTEAD).find(([selector]) => drawn(selector).length > 0);
    if (instead) throw unreadable(instead[1]);
    if (drawn(IMAGES).length > 0) refuseImage(\"page of pictures\");
    throw new PageError(\"EMPTY_PAGE\", NO_TEXT);
  }
  function shadowRootOf(element) {
    const open = openRootOf.call(element);
    if (open || !(\"innerText\" in element)) return open;
    const inFirefox = Reflect.get(Element.prototype, \"openOrClosedShadowRoot\", element) ?? null;
    return globalThis.chrome?.dom?.openOrClosedShadowRoot?.(/** @type {HTMLElement} */ (element)) ?? inFirefox;
  }
  function drawnTextOf(part) {
    const hasLines = part instanceof Element && getComputedStyle(part).whiteSpace.startsWith(\"pre\");
    const texts = [...part.childNodes].map((/** @type {any} */ node) => {
      if (typeOf.call(node) === Node.TEXT_NODE && !isDrawn(node, false)) return \"\";
      if (typeOf.call(node) === Node.TEXT_NODE) return hasLines ? node.data : node.data.replace(/\\s+/g, \" \");
      if (/^(?:br|input|textarea)$/.test(node.localName)) return node.localName === \"br\" ? \"\\n\" : \"\";
      if (typeOf.call(node) !== Node.ELEMENT_NODE) return \"\";
      const { display, contentVisibility } = getComputedStyle(node);
      if (display === \"contents\") return drawnTextOf(node);
      const hasBox = Reflect.apply(Element.prototype.checkVisibility, node, []);
      const own = hasBox && \"innerText\" in node ? Reflect.get(HTMLElement.prototype, \"innerText\", node) : \"\";
      const text = hasBox && !own && contentVisibility !== \"auto\" ? drawnTextOf(node) : own;
      return !text || display.startsWith(\"inline\") ? text : `\\n${text}\\n`;
    });
    return texts.join(\"\");
  }
  function framedIn(frame) {
    const { width, height } = drawnSize(frame);
    const framed = /** @type {HTMLIFrameElement} */ (frame).contentDocument;
    const isOwn = framed?.defaultView?.origin === frame.ownerDocument.defaultView?.origin;
    return isOwn && width >= MIN_FIELD && height >= MIN_FIELD ? framed : null;
  }
  function withFrames(page) {
    const inner = all([\"iframe\", \"frame\", \"object\"], [page]).flatMap((frame) => framedIn(frame) ?? []);
    return [page, ...inner.flatMap(withFrames)];
  }
  function selectedText() {
    if (type === \"application/pdf\") throw unreadable(PDF_SELECTION);
    const texts = pages
      .map((page) => selectedField(page) ?? String(Reflect.apply(Document.prototype.getSelection, page, []) ?? \"\"))
      .filter((text) => /[^\\s\\u2022]/.test(text));
    return withLineFeeds(texts.join(\"\\n\\n\"));
  }
  function selectedField(page) {
    let active = Reflect.get(Document.prototype, \"activeElement\", page);
    for (let root; active && (root = shadowRootOf(active));) active = root.activeElement;
    if (!active?.matches(\"input, textarea\")) return null;
    const { type, value, selectionStart: start, selectionEnd } = /** @type {HTMLInputElement} */ (active);
    if (type === \"password\") return \"\";
    return start === null ? null : value.slice(start, selectionEnd ?? start);
  }
  function notesAbout(shown, images) {
    const notes = [...(pdf?.notes ?? [])];
    if (ofDocument(\"readyState\") !== \"complete\") notes.push({ code: \"still_loading\" });
    if (!isWebPage || request.content === \"selection\") return notes;
    if (images) notes.push({ code: \"pictures_only\" });
    if (windowShare(\"canvas\") >= 0.5 && shown.trim()) notes.push({ code: \"canvas\" });
    if ([...roles.values()].includes(\"feed\")) notes.push({ code: \"feed\" });
    return [...notes, ...notesOnRows().slice(0, 1)];
  }
  function notesOnRows() {
    const { matches } = Element.prototype;
    const found = (/** @type {string} */ selector) => [...roles.keys()].filter((one) => matches.call(one, selector));
    const items = found(\":is(ul, ol, [role^=list]) :is(li, [role=listitem], [role=option])[aria-setsize]\");
    const rowsOf = Map.groupBy(items, (item) => /** @type {Element} */ (parentOf.call(item)));
    for (const table of found(\"[aria-rowcount]\")) rowsOf.set(table, [...table.querySelectorAll(\"tr, [role=row]\")]);
    return [...rowsOf].flatMap(([list, rows]) => {
      const shown = rows.filter((row) => row.checkVisibility());
      const { size: count } = new Set(shown.map((row) => attributeOf(row, \"aria-rowindex\") || row));
      const total = Number(attributeOf(list, \"aria-rowcount\") || attributeOf(rows[0] ?? list, \"aria-setsize\"));
      return count > 0 && total > count ? [{ code: \"rows_missing\", count, total }] : [];
    });
  }
  function withLineFeeds(text) {
    return wellFormed(text.replace(/\\r\\n?/g, \"\\n\"));
  }
  function find(text, keyword, from) {
    const characters = [...keyword.replace(/\\p{Cf}/gu, \"\")].map((one) => one.replace(/[\\\\^$.*+?()[\\]{}|/]/, \"\\\\$&\"));
    const gap = characters.length > 1_000 ? \"\" : \"\\\\p{Cf}{0,9}\"; // the pattern would be too large
    const match = new RegExp(characters.join(gap) || \"(?!)\", \"iu\").exec(text.slice(from));
    return match && { start: from + match.index, end: from + match.index + match[0].length };
  }
  function locate(text, role, keyword) {
    const place = find(text, keyword, 0);
    if (place !== null) return place;
    const lines = closestLines(text, keyword).join(\", \");
    const closest = lines && ` The closest lines are: ${lines}.`;
    const advice = `Use words that are ${where}, or leave the keyword out.`;
    const message = `The ${role} keyword ${quote(keyword)} is not ${where}.${closest} ${advice}`;
    throw new PageError(\"KEYWORD_NOT_FOUND\", message);
  }
  function closestLines(text, keyword) {
    const characters = [...fold(keyword)].slice(0, EXCERPT_LENGTH);
    const pairs = [...new Set(characters.slice(1).map((character, i) => characters[i] + character))];
    const folded = fold(text).split(\"\\n\");
    const sharedBy = (/** @type {number} */ i) => pairs.filter((pair) => folded[i]?.includes(pair)).length;
    const lines = text.split(\"\\n\").map((line, i) => ({ line, shared: sharedBy(i) }));
    const best = lines.filter(({ shared }) => shared > 0).sort((a, b) => b.shared - a.shared);
    return best.slice(0, CLOSEST_LINES).map(({ line }) => quote(line));
  }
  const steps = {
    deduplicateLines(text) {
      const lines = linesOf(text);
      const isRepeated = repeatedLines(lines);
      const kept = [];
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
        kept.push(isBlank ? \"\" : text.slice(start, end - 1));
        length += isBlank ? 1 : end - start;
      });
      work = { ...work, headings, repeated: isRepeated.reduce((sum, one) => sum + one, 0) };
      return kept.join(\"\\n\");
    },
    filterContentBetweenKeywords(text, start, end) {
      const from = locate(text, \"start\", start).end;
      locate(text, \"end\", end);
      const to = find(text, end, from);
      const misplaced = `The end keyword ${quote(end)} is ${where}, but not after the start keyword ${quote(start)}.`;
      const advice = \"Swap the two, or use an end keyword from further down.\";
      if (to === null) throw new PageError(\"KEYWORD_NOT_FOUND\", `${misplaced} ${advice}`);
      const message = `There is no text between the start keyword ${quote(start)} and the end keyword ${quote(end)}.`;
      return cut(text, from, to.start, `${message} Use keywords that are further apart.`);
    },
    filterToEnd(text, start) {
      const message = `There is no text after the start keyword ${quote(start)}. Use one from further up.`;
      return cut(text, locate(text, \"start\", start).end, text.length, message);
    },
    filterFromStart(text, end) {
      const message = `There is no text before the end keyword ${quote(end)}. Use one from further down.`;
      return cut(text, 0, locate(text, \"end\", end).start, message);
    },
    trimWhitespace(text) {
      const start = text.length - text.trimStart().length;
      return cut(text, start, Math.max(start, text.trimEnd().length), \"\");
    },
  };
  function cut(text, start, end, message) {
    const part = text.slice(start, end);
    if (message && part.trim() === \"\") throw new PageError(\"EMPTY_PAGE\", message);
    const inside = work.headings.filter(([place]) => place >= start && place < end);
    work.headings = inside.map(([place, level]) => [place - start, level]);
    return part;
  }
  function linesOf(text) {
    const keys = fold(text).split(\"\\n\");
    const ids = new Map();
    let end = 0;
    return text.split(\"\\n\").map(({ length }, i) => {
      const key = keys[i] ?? \"\";
      const id = ids.get(key) ?? (key.trim() === \"\" ? BLANK : ids.size + 1);
      ids.set(key, id);
      const start = end;
      end += length + 1;
      return { start, end, id };
    });
  }
  function repeatedLines(lines) {
    const isRepeated = new Uint8Array(lines.length);
    const counts = new Uint32Array(lines.length + 1);
    for (const { id } of lines) counts[id] = (counts[id] ?? 0) + 1;
    const runs = new Map();
    const seen = new Uint8Array(counts.length);
    const piecesOf = pieceFinder();
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
  function markRuns(last, lines, runs, isRepeated) {
    let [key, chars] = [\"\", 0];
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
  function traitsOf(line, piecesOf) {
    const traits = piecesOf(line).map((piece) => piece.traits);
    if (traits.some((each) => each & KEPT)) return KEPT;
    return traits.length > 0 && traits.every((each) => each & (FURNITURE | LINK)) ? FURNITURE : 0;
  }
  function stepsOf(asked) {
    if (\"steps\" in asked) return asked.steps;
    const { start = null, end = null } = asked;
    const keywords = [start, end].filter((keyword) => keyword !== null);
    const one = start === null ? \"filterFromStart\" : \"filterToEnd\";
    const filter = [keywords.length > 1 ? \"filterContentBetweenKeywords\" : one, ...keywords];
    return [[\"deduplicateLines\"], ...(keywords.length > 0 ? [filter] : []), [\"trimWhitespace\"]];
  }
  function after(source, taken) {
    work = { pieces: source.pieces, headings: source.headings, repeated: 0 };
    return taken.reduce((text, [name, ...keywords]) => steps[name](text, ...keywords), source.text);
  }
  function wholeText(shown) {
    if (shown.text.trim() === \"\") refuseEmpty();
    const isData = !isWebPage && !isPlain && type !== \"application/pdf\" && type !== \"image/svg+xml\";
    return after(shown, isData ? stepsOf(request).slice(1) : stepsOf(request));
  }
  function mainText(shown, more) {
    const found = mainContent(shown.text);
    const pieces = found.kept.map(([start, end]) => ({ start, end, traits: KEPT }));
    const main = { text: wellFormed(found.text), pieces, headings: [] };
    const [whole = 0, own = 0] = [shown, main].map((each) => after(each, [[\"deduplicateLines\"]]).length);
    if (main.text.length > more.length) {
      try {
        const text = after(main, stepsOf(request));
        const note = found.path === \"noscript\" ? \"the page's text for browsers without scripts was read\" : \"\";
        return { text, content: { path: found.path, left_out: Math.max(0, whole - own), note } };
      } catch (error) {
        if (!shown.text.trim()) throw error;
      }
    }
    const note = main.text.length > more.length ? \"a keyword is outside of the main content, so the whole page was read\" : \"\";
    return { text: wholeText(shown), content: { path: \"whole\", left_out: 0, note } };
  }
  function mainContent(shown) {
    const nothing = { path: /** @type {const} */ (\"whole\"), text: \"\", kept: [] };
    if (shown.length > MAX_MAIN_CHARS) return nothing;
    const meanings = { fieldValue, isSign, rows, checked, formulas, formulaOf, areApart };
    const options = { links: request.links ?? false, shown: shown.length, meanings, gapsIn, power: POWER, base: BASE };
    try {
      return chromeTabMainContent.read(document, options);
    } catch {
      return nothing;
    }
  }
  function withMore({ text, pieces, headings }, more) {
    const piece = { start: text.length, end: text.length + more.length, traits: KEPT };
    return { text: text + more, pieces: [...pieces, piece], headings };
  }
  function inCodePoints(headings, text) {
    let [pairs, counted] = [0, 0];
    return headings.slice(0, MAX_HEADINGS).map(([place, level]) => {
      pairs += text.slice(counted, place).match(/[\\ud800-\\udbff]/g)?.length ?? 0;
      counted = place;
      return [place - pairs, level];
    });
  }
  const [tagOf, partsOf, countOf] = gettersOf(Element.prototype, \"localName\", \"children\", \"childElementCount\");
  const [nextElementOf, lastElementOf] = gettersOf(Element.prototype, \"nextElementSibling\", \"previousElementSibling\");
  const [typeOf, parentOf] = gettersOf(Node.prototype, \"nodeType\", \"parentElement\");
  const [firstChildOf, nextOf] = gettersOf(Node.prototype, \"firstChild\", \"nextSibling\");
  const [openRootOf] = gettersOf(Element.prototype, \"shadowRoot\");
  const range = new Range();
  const pages = withFrames(document);
  let work = { pieces: /** @type {Piece[]} */ ([]), headings: /** @type {Heading[]} */ ([]), repeated: 0 };
  const rows = new Map();
  const formulas = new Map();
  const checked = new Set();
  const roles = new Map();
  const known = new Set();
  const cards = new Set();
  const type = ofDocument(\"contentType\");
  const isBroken = type === \"application/xhtml+xml\" && all(\"html > parsererror\").length > 0;
  const shownIn = /** @type {HTMLElement} */ (ofDocument(isBroken ? \"documentElement\" : \"body\"));
  const isWebPage = type === \"text/html\" || type === \"application/xhtml+xml\";
  const isPlain = type === \"text/plain\";
  const where = request.content === \"selection\" ? \"in what is selected\" : \"on the page\";
  const pdf = Object.hasOwn(globalThis, \"chromeTabPdf\") ? chromeTabPdf.read : undefined;
  if (request.keep) globalThis.chromeTabReadPage = { version: request.keep, read: readPage };
  const isTaken = request.pdf !== \"wanted\" || request.content === \"selection\" || pdf?.isFinal;
  if (type === \"application/pdf\" && !isTaken) return \"pdf\";
  const isMain = request.content === \"main\" && isWebPage;
  if (isMain && !Object.hasOwn(globalThis, \"chromeTabMainContent\")) return \"absent\";
  const page = { url: location.href, title: wellFormed(ofDocument(\"title\")) };
  try {
    const more = (\"more\" in request && request.more) || \"\";
    const own = shownText();
    const isBlank = !(own.text + more).trim();
    const images = isWebPage && request.content !== \"selection\" && isBlank ? textOfImages() : \"\";
    const shown = isBlank ? textOf(images, 0) : own;
    const whole = more ? withMore(shown, more) : shown;
    const read = isMain ? mainText(whole, more) : { text: wholeText(whole) };
    const notes = notesAbout(shown.text, images);
    const mayBeTooLong = read.text.length > MAX_TEXT_BYTES / 3;
    if (mayBeTooLong && new TextEncoder().encode(read.text).length > MAX_TEXT_BYTES) throw unreadable(TOO_LONG);
    const headings = inCodePoints(work.headings, read.text);
    const about = { ...(notes.length > 0 && { notes }), ...(work.repeated > 0 && { repeated: work.repeated }) };
    return { code: \"\", message: \"\", ...read, ...page, ...about, ...(headings.length > 0 && { headings }) };
  } catch (error) {
    if (!(error instanceof PageError)) throw error;
    return { code: error.code, message: error.message, text: \"\", ...page };
  }
}"
-- end of the page function
