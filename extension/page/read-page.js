// Runs inside the page, from its own source text: it holds its helpers and uses nothing from outside, but for the main
// content what the scripts in main-content/ leave there before.
// scripts/embed_page_function.py copies it into chrome_tab.scpt, so comments stand on their own lines.

/**
 * @typedef {'deduplicateLines' | 'filterContentBetweenKeywords' | 'filterToEnd'
 *   | 'filterFromStart' | 'trimWhitespace'} StepName
 * @typedef {[StepName, ...string[]]} Step the name of a step, then its keywords
 * @typedef {({start: string | null, end: string | null, more?: string} | {steps: Step[]})
 *   & {content?: "main" | "all", links?: boolean}} ReadPageRequest
 *   `more` is text that follows the page's own: only the extension can read frames of other sites.
 *   `links`: whether the main content names the addresses of its links.
 * @typedef {{path: "article" | "blocks" | "noscript" | "whole", left_out: number, note: string}} MainContentReport
 *   Which way led to the main content, how many characters of the page are not in it, and what to tell about that.
 * @typedef {{code: string, message: string, text: string, url: string, title: string, content?: MainContentReport}}
 *   ReadPageResult
 *   `code` is empty when the page was read; otherwise `text` is empty and `message` is a sentence.
 */

/**
 * Read the text of this page, each line once, between the keywords. The rules are in DESIGN.md.
 *
 * @param {ReadPageRequest} request
 * @returns {ReadPageResult | "absent"} "absent" where the scripts for the main content are not there yet
 */
export function readPage(request) {
  const MAX_TEXT_BYTES = 30 * 1024 * 1024;
  const EXCERPT_LENGTH = 80;
  const CLOSEST_LINES = 3;
  const MAX_MAIN_CHARS = 2_000_000;

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
   * @template {'body' | 'contentType' | 'title'} Name
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

  /** What the page shows, with LF as its only line end. */
  function shownText() {
    const body = ofDocument("body");
    const isReadable =
      ["http:", "https:", "file:"].includes(location.protocol) &&
      ofDocument("contentType") !== "application/pdf" &&
      body !== null;
    if (!isReadable) {
      throw new PageError(
        "UNREADABLE_PAGE",
        "This tab does not show a web page whose text can be read (it is a PDF or a page of the" +
          " browser itself). Open the content as a web page, then ask again.",
      );
    }
    return withLineFeeds(body.innerText);
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
        `The ${role} keyword ${quote(keyword)} is not on the page. ` +
          (lines.length > 0 ? `The closest lines are: ${lines.join(", ")}. ` : "") +
          "Use words that stand on the page, or leave the keyword out.",
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
    const text = filled(
      shown,
      "The page shows no text. Wait until it has loaded, or choose another tab, then ask again.",
    );
    return after(text, stepsOf(request));
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

  // A page's element of that name is no property of the global object itself.
  if (request.content === "main" && !Object.hasOwn(globalThis, "chromeTabMainContent")) return "absent";
  const page = { url: location.href, title: wellFormed(ofDocument("title")) };
  try {
    const shown = shownText();
    const more = ("more" in request && request.more) || "";
    const read = request.content === "main" ? mainText(shown, more) : { text: wholeText(shown + more) };
    // Counting costs time, and a character of a JavaScript string is never more than three bytes.
    if (read.text.length > MAX_TEXT_BYTES / 3 && new TextEncoder().encode(read.text).length > MAX_TEXT_BYTES) {
      throw new PageError(
        "UNREADABLE_PAGE",
        "The text is longer than 30 MiB. Read a part of the page with start and end keywords.",
      );
    }
    return { code: "", message: "", ...read, ...page };
  } catch (error) {
    if (error instanceof PageError) {
      return { code: error.code, message: error.message, text: "", ...page };
    }
    throw error;
  }
}
