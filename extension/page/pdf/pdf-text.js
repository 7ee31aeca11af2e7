"use strict";

// The text of the PDF in this tab, page by page. The page itself is the browser's viewer, whose content is
// inaccessible, so the file is read once more, from the browser's cache, with the user's access.

const pdfText = (() => {
  const MAX_BYTES = 64 * 1024 * 1024;
  const MAX_CHARS = 30 * 1024 * 1024;
  /** Lines further apart than this multiple of their height start a paragraph. */
  const PARAGRAPH_GAP = 1.7;
  /** The same for rows of a table. */
  const ROW_GAP = 4;
  /** A gap in a line that is wider than this multiple of its height separates two cells. */
  const CELL_GAP = 1.5;
  /** Characters with at most this share of the height of those before are an exponent or a base, if they are shifted. */
  const SMALL = 0.9;
  const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
  /** Arabic letters as they are drawn in words. */
  const DRAWN_LETTERS = /[\ufb50-\ufdff\ufe70-\ufefc]+/g;
  /** The types of annotations that draw a text: text boxes and form fields. Reading the links, too, takes much longer. */
  const DRAWN_TYPES = new Set([3, 20]);
  /** Pages whose annotations are read together, because reading those of all pages may take longer than the caller waits. */
  const PAGES_TOGETHER = 50;
  /** The flag of annotations that are only printed. */
  const NO_VIEW = 32;
  const LOST = "The PDF in this tab could not be loaded again for reading. Reload the tab, then ask again.";
  const LOCAL =
    "This PDF is a local file, which only the Chrome extension can load. Install it, turn on Allow access to file URLs in its details, then ask again.";

  /**
   * @typedef {object} PdfReading
   * @property {string} text each page after a line `[Page 3]`
   * @property {import("../../shared/types.d.ts").PageNote[]} notes what is missing from it
   * @property {string} problem why there is no text, as a sentence; empty if there is
   * @property {boolean} isFinal whether a retry would bring nothing more
   */

  class PdfError extends Error {}

  /** Provides pdf.js with character maps for fonts that are not in the file: from the worker, or the AppleScript. */
  class CharacterMaps {
    /** @param {{kind: string, filename: string}} asked */
    async fetch({ kind, filename }) {
      const find = globalThis.chrome?.runtime?.id ? fromWorker : handedOver;
      const map = kind === "cMapUrl" && (await find(filename));
      if (!map) throw new Error(`There is no ${filename}.`);
      return map;
    }
  }

  /** @type {string[]} texts of the pages read so far */
  const pages = [];
  /** @type {import("../../shared/types.d.ts").PdfDocument | null} */
  let pdf = null;
  /** @type {import("../../shared/types.d.ts").PdfAnnotation[]} those of the pages read together with the next page */
  let annotations = [];
  let chars = 0;
  /** When the caller stops waiting for the rest. */
  let until = 0;
  /** @type {Promise<void> | null} */
  let taking = null;
  let wantsMaps = false;
  /** @type {PromiseWithResolvers<Map<string, Uint8Array>>} */
  const maps = Promise.withResolvers();

  /**
   * Reads on until the end or the timeout, and stores the result so far in `chromeTabPdf.read`.
   *
   * @param {{url: string, waitMs: number}} request `url` of the file, which may contain it (data:)
   */
  function take({ url, waitMs }) {
    until = performance.now() + waitMs;
    taking ??= readOn(url).finally(() => {
      taking = null;
    });
    return taking;
  }

  /** @param {string} url */
  async function readOn(url) {
    chromeTabPdf.read = undefined;
    try {
      pdf ??= await opened(await bytesAt(url));
      // At least one page: without any it is unknown whether it is an image.
      const goesOn = () => pages.length === 0 || (performance.now() < until && chars < MAX_CHARS);
      while (pages.length < pdf.numPages && goesOn()) {
        if (pages.length % PAGES_TOGETHER === 0) annotations = await annotationsFrom(pdf, pages.length);
        const text = await textOfPage(pdf, annotations, pages.length + 1);
        pages.push(text);
        chars += text.length;
      }
      chromeTabPdf.read = reading(pages, pdf.numPages);
    } catch (error) {
      if (!(error instanceof PdfError)) throw error;
      chromeTabPdf.read = { text: "", notes: [], problem: error.message, isFinal: pdf !== null };
    }
  }

  /** Stops reading, because the result is no longer needed. */
  function stop() {
    until = 0;
  }

  /**
   * Returns the progress: the AppleScript, which cannot wait for a promise, polls it.
   *
   * @returns {"reading" | "maps" | "read"} "maps": it continues once it has the character maps
   */
  function state() {
    if (chromeTabPdf.read) return "read";
    return wantsMaps ? "maps" : "reading";
  }

  /** @param {string} filename */
  async function fromWorker(filename) {
    const url = await chrome.runtime.sendMessage({ characterMap: filename });
    return url && bytesAt(url);
  }

  /** @param {string} filename */
  async function handedOver(filename) {
    wantsMaps = true;
    const all = await maps.promise;
    wantsMaps = false;
    return all.get(filename);
  }

  /**
   * Receives all character maps.
   *
   * @param {string} files a line with size and name for each, an empty line, and all contents as one base64 text
   */
  function giveMaps(files) {
    const [list = "", base64 = ""] = files.split("\n\n");
    const bytes = Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
    const found = new Map();
    let start = 0;
    for (const [, size, name] of list.matchAll(/(\d+) (\S+\.bcmap)$/gm)) {
      found.set(name, bytes.slice(start, start + Number(size)));
      start += Number(size);
    }
    maps.resolve(found);
  }

  /**
   * @param {string} url
   * @returns {Promise<Uint8Array>}
   */
  async function bytesAt(url) {
    const response = await fetch(url, { cache: "force-cache", credentials: "include" }).catch(() => null);
    if (!response?.ok || !response.body) throw new PdfError(url.startsWith("file:") ? LOCAL : LOST);
    /** @type {Uint8Array<ArrayBuffer>[]} */
    const chunks = [];
    let size = 0;
    for (const reader = response.body.getReader(); ;) {
      const { done, value } = await reader.read().catch(() => {
        throw new PdfError(LOST);
      });
      if (done) break;
      size += value.length;
      if (size > MAX_BYTES) {
        await reader.cancel();
        throw new PdfError("The PDF in this tab is larger than 64 MiB. Split it, open one part, then ask again.");
      }
      chunks.push(value);
    }
    return new Uint8Array(await new Blob(chunks).arrayBuffer());
  }

  /** @param {Uint8Array} data */
  async function opened(data) {
    try {
      const options = { disableFontFace: true, useWasm: false, verbosity: 0, BinaryDataFactory: CharacterMaps };
      return await chromeTabPdfjs.getDocument({ data, ...options }).promise;
    } catch (error) {
      const isLocked = error instanceof Error && error.name === "PasswordException";
      throw new PdfError(
        isLocked
          ? "This PDF needs a password, which cannot be entered here. Print it to a PDF without a password, open that in a tab, then ask again."
          : "The file in this tab cannot be read as a PDF: it is damaged, or the site now sends another file. Reload the tab, then ask again.",
      );
    }
  }

  /**
   * @param {import("../../shared/types.d.ts").PdfDocument} document
   * @param {number} first index of the first of the pages
   */
  async function annotationsFrom(document, first) {
    const isOther = (/** @type {number} */ index) => index < first || index >= first + PAGES_TOGETHER;
    const others = new Set(Array.from({ length: document.numPages }, (_, index) => index).filter(isOther));
    return (await document.getAnnotationsByType(DRAWN_TYPES, others).catch(() => null)) ?? [];
  }

  /**
   * @param {import("../../shared/types.d.ts").PdfDocument} document
   * @param {import("../../shared/types.d.ts").PdfAnnotation[]} drawn annotations of this page and others
   * @param {number} number starting at 1
   * @returns {Promise<string>} empty for a page that cannot be read
   */
  async function textOfPage(document, drawn, number) {
    try {
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      page.cleanup();
      const values = drawn.filter(({ pageIndex }) => pageIndex === number - 1).map(fieldText);
      return [linesOf(items).trim(), ...values].filter(Boolean).join("\n");
    } catch {
      return "";
    }
  }

  /**
   * @param {import("../../shared/types.d.ts").PdfTextItem[]} items
   * @returns {string} lines, with tabs between cells, and `10^6` for a power
   */
  function linesOf(items) {
    /** @type {import("../../shared/types.d.ts").PdfTextItem[]} */
    let row = [];
    const rows = [row];
    for (const item of items) {
      row.push(item);
      if (item.hasEOL) rows.push((row = []));
    }
    let text = "";
    let last = lineOf([]);
    for (const next of rows.map(inLogicalOrder).map(lineOf)) {
      const isTable = last.words.includes("\t") && next.words.includes("\t");
      const gap = Math.abs(last.y - next.y) / Math.max(last.height, next.height);
      text += gap > (isTable ? ROW_GAP : PARAGRAPH_GAP) ? `\n${next.words}\n` : `${next.words}\n`;
      if (next.words.trim()) last = next;
    }
    return text;
  }

  /**
   * Returns the items of a line as they are read: pdf.js has them from left to right, and letters as drawn.
   *
   * @param {import("../../shared/types.d.ts").PdfTextItem[]} row
   */
  function inLogicalOrder(row) {
    const isRight = (/** @type {{str: string}} */ { str }) => RIGHT_TO_LEFT.test(str);
    const isLeft = (/** @type {{str: string}} */ { str }) => !RIGHT_TO_LEFT.test(str) && /[\p{L}\p{N}]/u.test(str);
    if (!row.some(isRight)) return row;
    const letters = row.flatMap(({ str }) => str.match(/\p{L}/gu) ?? []);
    const leftward = letters.filter((letter) => RIGHT_TO_LEFT.test(letter)).length;
    const read = row.map((item) => ({
      ...item,
      str: item.str.replaceAll(DRAWN_LETTERS, (drawn) => drawn.normalize("NFKC")),
    }));
    if (2 * leftward <= letters.length) return withReversedRuns(read, isRight, isLeft);
    read.sort((one, other) => (other.transform[4] ?? 0) - (one.transform[4] ?? 0));
    return withReversedRuns(read, isLeft, isRight);
  }

  /**
   * @template T
   * @param {T[]} list
   * @param {(each: T) => boolean} belongs whether something can begin or end a run
   * @param {(each: T) => boolean} ends whether something cannot be in a run
   */
  function withReversedRuns(list, belongs, ends) {
    /** @type {T[]} */
    const found = [];
    for (let start = 0; start < list.length;) {
      const rest = list.slice(start);
      const end = rest.findIndex(ends);
      const run = end < 0 ? rest : rest.slice(0, end);
      const length = belongs(/** @type {T} */ (list[start])) ? run.findLastIndex(belongs) + 1 : 1;
      found.push(...list.slice(start, start + length).reverse());
      start += length;
    }
    return found;
  }

  /**
   * @param {import("../../shared/types.d.ts").PdfTextItem[]} row
   * @returns {{words: string, y: number, height: number}} a line, its position and its height
   */
  function lineOf(row) {
    const line = { words: "", y: NaN, height: 0 };
    for (const { str, transform, width, height } of row) {
      const shift = (transform[5] ?? NaN) - line.y;
      const isShifted = height <= SMALL * line.height && Math.abs(shift) > height / 10;
      const isGap = line.words && !str.trim() && width > CELL_GAP * line.height;
      if (isShifted && /\d$/.test(line.words) && /^[-+\u2212]?\d|^[-+\u2212]$/.test(str)) {
        line.words += shift > 0 ? "^" : "_";
      } else if (str.trim()) {
        [line.y, line.height] = [transform[5] ?? NaN, height];
      }
      line.words += isGap ? "\t" : str;
    }
    return line;
  }

  /**
   * @param {import("../../shared/types.d.ts").PdfAnnotation} annotation
   * @returns {string} the name and value of a form field, or the words of a text box; empty if it draws neither
   */
  function fieldText({ hidden, annotationFlags, password, fieldValue, exportValue, buttonValue, ...about }) {
    if (hidden || password || annotationFlags & NO_VIEW) return "";
    if (about.subtype === "FreeText") return about.contentsObj?.str ?? "";
    const name = about.alternativeText || about.fieldName || "";
    const value = [fieldValue ?? ""].flat().join(", ");
    if (about.radioButton) return value && value === buttonValue ? `${name}: ${value} (selected)` : "";
    if (about.checkBox) return value && value === exportValue ? `${name} (checked)` : "";
    return value && /^(Tx|Ch)$/.test(about.fieldType ?? "") ? `${name}: ${value}` : "";
  }

  /**
   * @param {string[]} texts
   * @param {number} total
   * @returns {PdfReading}
   */
  function reading(texts, total) {
    const count = `${total} page${total === 1 ? "" : "s"}`;
    const empty = texts.filter((text) => !text).length;
    const isFinal = texts.length === total || chars >= MAX_CHARS;
    /** @type {import("../../shared/types.d.ts").PageNote[]} */
    const notes = [];
    if (texts.length < total) {
      notes.push({ code: isFinal ? "pdf_too_long" : "pdf_unfinished", count: texts.length, total });
    }
    if (empty > 0) notes.push({ code: "pdf_scanned", count: empty, total });
    if (empty === texts.length) {
      const problem =
        `This PDF has ${count} without text: images, as from a scanner. Run text recognition (OCR, for example with ` +
        "ocrmypdf), open its output in a tab, then ask again.";
      return { text: "", notes: [], problem, isFinal };
    }
    const text = texts.map((page, index) => `[Page ${index + 1}]\n${page}`).join("\n\n");
    return { text, notes, problem: "", isFinal };
  }

  return { take, stop, state, giveMaps };
})();

globalThis.chromeTabPdf = { ...pdfText };
