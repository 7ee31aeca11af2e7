"use strict";

// The text of the PDF that this tab shows, page by page. The page beside it is the browser's viewer: what it shows is
// not in reach, so the file is read once more, from the browser's cache, as the person who opened it.

const pdfText = (() => {
  const MAX_BYTES = 64 * 1024 * 1024;
  const MAX_CHARS = 30 * 1024 * 1024;
  /** Lines further apart than so many times their height begin a paragraph. */
  const PARAGRAPH_GAP = 1.7;

  /**
   * @typedef {object} PdfReading
   * @property {string} text each page after a line `[Page 3]`
   * @property {string[]} notes what is missing from it
   * @property {string} problem why there is no text, as a sentence; empty when there is
   * @property {boolean} isFinal whether another attempt would bring nothing more
   */

  class PdfError extends Error {}

  /** Where pdf.js gets what fonts that are not in the file stand on: the worker has it. */
  class CharacterMaps {
    /** @param {{kind: string, filename: string}} asked */
    async fetch({ kind, filename }) {
      const url = kind === "cMapUrl" && (await chrome.runtime.sendMessage({ characterMap: filename }));
      if (!url) throw new Error(`There is no ${filename}.`);
      return bytesAt(url);
    }
  }

  /** @type {string[]} texts of the pages that have been read */
  const pages = [];
  /** @type {import("../../shared/types.d.ts").PdfDocument | null} */
  let pdf = null;
  let chars = 0;
  let isStopped = false;

  /**
   * Reads on, until the end or until the time is up, and leaves what there is by then in `chromeTabPdf.read`.
   *
   * @param {{url: string, waitMs: number}} request `url` of the file, which may be one that holds it (data:)
   */
  async function take({ url, waitMs }) {
    const until = performance.now() + waitMs;
    isStopped = false;
    try {
      pdf ??= await opened(await bytesAt(url));
      while (pages.length < pdf.numPages && chars < MAX_CHARS && performance.now() < until && !isStopped) {
        const text = await textOfPage(pdf, pages.length + 1);
        pages.push(text);
        chars += text.length;
      }
      chromeTabPdf.read = reading(pages, pdf.numPages);
    } catch (error) {
      if (!(error instanceof PdfError)) throw error;
      chromeTabPdf.read = { text: "", notes: [], problem: error.message, isFinal: pdf !== null };
    }
  }

  /** Ends what is being read, because nobody waits for it any more. */
  function stop() {
    isStopped = true;
  }

  /**
   * @param {string} url
   * @returns {Promise<Uint8Array>}
   */
  async function bytesAt(url) {
    const response = await fetch(url, { cache: "force-cache", credentials: "include" }).catch(() => null);
    if (!response?.ok || !response.body) {
      throw new PdfError(
        "The PDF in this tab could not be loaded once more to be read. Reload the tab, then ask again.",
      );
    }
    /** @type {Uint8Array<ArrayBuffer>[]} */
    const chunks = [];
    let size = 0;
    for (const reader = response.body.getReader(); ;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.length;
      if (size > MAX_BYTES) {
        await reader.cancel();
        throw new PdfError(
          "The PDF in this tab is larger than 64 MiB. Open a part of it as a file of its own, then ask again.",
        );
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
          ? "This PDF is encrypted: it opens with a password only, which the extension does not have. Print it to a PDF without a password, open that in a tab, then ask again."
          : "The file in this tab is no PDF that can be read: it is damaged, or the site now answers with something else. Reload the tab, then ask again.",
      );
    }
  }

  /**
   * @param {import("../../shared/types.d.ts").PdfDocument} document
   * @param {number} number from 1 on
   * @returns {Promise<string>} empty for a page that cannot be read
   */
  async function textOfPage(document, number) {
    try {
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      page.cleanup();
      return linesOf(items).trim();
    } catch {
      return "";
    }
  }

  /** @param {import("../../shared/types.d.ts").PdfTextItem[]} items */
  function linesOf(items) {
    let text = "";
    let last = { y: NaN, height: 0 };
    for (const { str, hasEOL, transform, height } of items) {
      const y = transform[5] ?? NaN;
      const startsLine = text.endsWith("\n") && str.trim() !== "";
      if (startsLine && Math.abs(last.y - y) > PARAGRAPH_GAP * Math.max(last.height, height)) text += "\n";
      text += str;
      if (hasEOL) text += "\n";
      if (str.trim()) last = { y, height };
    }
    return text;
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
    const notes = [];
    if (texts.length < total) {
      const more = isFinal ? "its text is longer than 30 MiB" : "ask again to read on";
      notes.push(`only the first ${texts.length} of ${count} of the PDF were read: ${more}`);
    }
    if (empty > 0) notes.push(`${empty} of ${count} of the PDF hold no text, perhaps pictures of it (scanned)`);
    if (empty === texts.length) {
      const problem =
        `This PDF shows ${count} without text: pictures of it, as from a scanner. Let a program recognise the text (OCR,` +
        " for example ocrmypdf), open what it writes in a tab, then ask again.";
      return { text: "", notes: [], problem, isFinal };
    }
    const text = texts.map((page, index) => `[Page ${index + 1}]\n${page}`).join("\n\n");
    return { text, notes, problem: "", isFinal };
  }

  return { take, stop };
})();

globalThis.chromeTabPdf = { ...pdfText };
