-- chrome_tab.scpt: AppleScript source text (not compiled), ASCII, LF. Gives the text of the active tab.
--
--   osascript chrome_tab.scpt --no-filter        the whole page
--   osascript chrome_tab.scpt START END          after the first START, before the next END
--   osascript chrome_tab.scpt START --to-end     after the first START
--   osascript chrome_tab.scpt --from-start END   before the first END
--
-- stdout: the text. stderr: one line, chrome_tab_page {"url": ..., "title": ...}.
-- Every failure is an error with a number: one of those below, or the browser's own.
-- With CHROME_TAB_CLIPBOARD=1 in the environment the text is also put on the clipboard.
--
-- The handlers only compose a JavaScript program: a list of steps for the page function. Chrome runs
-- it in a world of its own beside the page, so page text and keywords never become AppleScript or shell.

property EMPTY_PAGE : 9001
property KEYWORD_NOT_FOUND : 9002
property UNREADABLE_PAGE : 9003
property INVALID_ARGUMENT : 9004
property NOT_RUNNING : -600

-- begin of the page function, written by scripts/embed_page_function.py
property pageFunction : "function readPage(request) {
  const MAX_TEXT_BYTES = 30 * 1024 * 1024;
  const EXCERPT_LENGTH = 80;
  const CLOSEST_LINES = 3;
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
  function pageText(more) {
    const body = ofDocument(\"body\");
    const isReadable =
      [\"http:\", \"https:\", \"file:\"].includes(location.protocol) &&
      ofDocument(\"contentType\") !== \"application/pdf\" &&
      body !== null;
    if (!isReadable) {
      throw new PageError(
        \"UNREADABLE_PAGE\",
        \"This tab does not show a web page whose text can be read (it is a PDF or a page of the\" +
          \" browser itself). Open the content as a web page, then ask again.\",
      );
    }
    return filled(
      wellFormed((body.innerText + more).replace(/\\r\\n?/g, \"\\n\")),
      \"The page shows no text. Wait until it has loaded, or choose another tab, then ask again.\",
    );
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
        `The ${role} keyword ${quote(keyword)} is not on the page. ` +
          (lines.length > 0 ? `The closest lines are: ${lines.join(\", \")}. ` : \"\") +
          \"Use words that stand on the page, or leave the keyword out.\",
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
          `The end keyword ${quote(end)} is on the page, but not after the start keyword` +
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
  const page = { url: location.href, title: wellFormed(ofDocument(\"title\")) };
  try {
    let text = pageText((\"more\" in request && request.more) || \"\");
    for (const [name, ...keywords] of stepsOf(request)) {
      text = steps[name](text, ...keywords);
    }
    if (text.length > MAX_TEXT_BYTES / 3 && new TextEncoder().encode(text).length > MAX_TEXT_BYTES) {
      throw new PageError(
        \"UNREADABLE_PAGE\",
        \"The text is longer than 30 MiB. Read a part of the page with start and end keywords.\",
      );
    }
    return { code: \"\", message: \"\", text, ...page };
  } catch (error) {
    if (error instanceof PageError) {
      return { code: error.code, message: error.message, text: \"\", ...page };
    }
    throw error;
  }
}"
-- end of the page function

-- JavaScript that makes of the page function's result what Apple events can carry: a list of four texts.
-- The last one is ASCII, because it becomes a line of the log.
property asListOfTexts : "(page) => [page.code, page.message, page.text, JSON.stringify({ url: page.url, title: page.title }).replace(/[^ -~]/g, (unit) => '\\\\u' + unit.charCodeAt(0).toString(16).padStart(4, '0'))]"

on run argv
	if (count of argv) is 1 and item 1 of argv is "--no-filter" then
		set pageSteps to deduplicateLines("")
	else if (count of argv) is not 2 then
		error "Give --no-filter, or START END, or START --to-end, or --from-start END." number INVALID_ARGUMENT
	else if item 2 of argv is "--to-end" then
		set pageSteps to filterToEnd(deduplicateLines(""), item 1 of argv)
	else if item 1 of argv is "--from-start" then
		set pageSteps to filterFromStart(deduplicateLines(""), item 2 of argv)
	else
		set pageSteps to filterContentBetweenKeywords(deduplicateLines(""), item 1 of argv, item 2 of argv)
	end if
	set pageText to getChromeTextContent(trimWhitespace(pageSteps))
	if (system attribute "CHROME_TAB_CLIPBOARD") is "1" then
		set the clipboard to pageText
	end if
	return pageText
end run

-- The text that the steps leave of the active tab of the front window.
on getChromeTextContent(pageSteps)
	-- "tell" would start the browser.
	if not (application "Google Chrome" is running) then
		error "The browser is not running. Open the page in it, then ask again." number NOT_RUNNING
	end if
	set pageProgram to "(" & asListOfTexts & ")((" & pageFunction & ")({ steps: [" & pageSteps & "] }))"
	with timeout of 20 seconds
		tell application "Google Chrome"
			set pageReply to execute active tab of front window javascript pageProgram
		end tell
	end timeout
	if class of pageReply is not list then
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
	log ("chrome_tab_page " & item 4 of pageReply)
	return item 3 of pageReply
end getChromeTextContent

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
