/**
 * @import {CommandContext, CrossOriginFrame, PageReading, TabText} from "../shared/types.d.ts"
 * @import {ReadPageRequest} from "../page/read-page.js"
 * @import {FileGroup} from "../browser/page-files.js"
 */

import { CommandError, invalid } from "../shared/errors.js";
import { readPage } from "../page/read-page.js";
import { hostOf } from "../shared/denied-hosts.js";
import { countFrames, framedPages } from "../browser/frame-text.js";
import { askPage, runInPage, tabAsAsked, unreadable } from "../browser/inject.js";
import { pageFiles } from "../browser/page-files.js";
import { tabById } from "../browser/tabs.js";
import { endsWithin } from "../browser/async.js";

/** A new one at each start of the worker, because pages outlive an update of the extension. */
const VERSION = crypto.randomUUID();

/** How long cross-origin frames may take, which are read in parallel. */
const FRAMES_WAIT_MS = 3_000;

/** Shorter than a command's limit. */
const PDF_WAIT_MS = 20_000;
/** pdf.js files for Chinese, Japanese and Korean text. */
const CHARACTER_MAP = /^[\w-]+\.bcmap$/;
/** A size that a message into a page can always carry. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;

/**
 * @typedef {PageReading | Missing | null} Answer of a page; null if it lacks the function
 * @typedef {"absent" | "pdf" | "frames" | CrossOriginFrame[]} Missing what must come before a page is read: the functions
 *   for its main content, the text of its PDF, or that of its frames, which it may list
 * @typedef {ReadPageRequest & {frames: number}} PageRequest `frames`: how many frames the page has, if it is to look first
 *   for those to read
 */

/**
 * @param {CommandContext} context `params`: `start` and `end`, each a keyword or null; `content`: "main", "all" or
 *   "selection"; `links`: whether the main content includes link URLs
 * @returns {Promise<TabText>}
 * @throws {CommandError} TAB_NOT_FOUND, UNREADABLE_PAGE, INVALID_ARGUMENT and the page function's codes
 */
export async function readTab(context) {
  const { tabId, params } = context;
  const keywords = { start: keywordOf(params, "start"), end: keywordOf(params, "end") };
  const content = contentOf(params);
  const links = params["links"] === true;
  const frames = await countFrames(context);
  /** @type {PageRequest} */
  const request = { ...keywords, content, links, more: "", pdf: "wanted", keep: VERSION, frames };
  const { reading, ofFrames } = await readWith(context, request);
  const { code, message, ...read } = reading;
  if (code) throw new CommandError(code, message);
  const repeated = (read.repeated ?? 0) + ofFrames;
  const { incognito } = tabAsAsked(context);
  return { tab_id: tabId, ...read, incognito, ...(repeated > 0 && { repeated }) };
}

/**
 * @param {CommandContext} context
 * @param {PageRequest} request
 * @returns {Promise<{reading: PageReading, ofFrames: number}>} `ofFrames`: the number of repeated lines removed in
 *   cross-origin frames
 */
async function readWith(context, request) {
  const wanted = { ...request };
  let ofFrames = 0;
  let answer = await ask(context, wanted);
  while (isMissing(answer)) {
    if (answer === "absent") await injectFiles(context, "mainContent");
    else if (answer === "pdf") {
      await takePdf(context);
      wanted.pdf = "taken";
    } else {
      const framed = await framedText(context, request.content ?? "all", answer === "frames" ? null : answer);
      Object.assign(wanted, { more: framed.text, frames: 0 });
      ofFrames = framed.repeated;
    }
    answer = await ask(context, wanted);
  }
  if (!answer) throw unreadable("The page could not be read. Reload it and try again.");
  return { reading: answer, ofFrames };
}

/**
 * @param {Answer} answer
 * @returns {answer is Missing}
 */
function isMissing(answer) {
  return typeof answer === "string" || Array.isArray(answer);
}

/**
 * @param {CommandContext} context
 * @param {PageRequest} request
 * @returns {Promise<Answer>}
 */
async function ask(context, request) {
  const run = (/** @type {typeof readKept | typeof readPage} */ func) =>
    /** @type {Promise<Answer>} */ (askPage(context, () => ({ func, args: /** @type {[unknown]} */ ([request]) })));
  return (await run(readKept)) ?? (request.frames > 0 ? "frames" : run(readPage));
}

/**
 * Runs in the page: reads it with the function that an earlier reading left there, which is compiled already.
 *
 * @param {PageRequest} request looks for frames by the functions that an earlier command left there
 * @returns {Answer}
 */
function readKept(request) {
  const kept = Object.hasOwn(globalThis, "chromeTabReadPage") ? globalThis.chromeTabReadPage : null;
  if (kept?.version !== request.keep) return null;
  const { frames: count } = request;
  if (count > 0 && !Object.hasOwn(globalThis, "chromeTabReader")) return null;
  const frames = count > 0 ? chromeTabReader.readableFrames({ way: "", count }) : [];
  return frames.length > 0 ? frames : /** @type {Answer} */ (kept?.read(request));
}

/**
 * @param {CommandContext} context
 * @param {FileGroup} group
 */
async function injectFiles(context, group) {
  const files = await pageFiles(group);
  await askPage(context, () => ({ files }));
}

/**
 * Puts the text of a tab's PDF where the page function finds it, or as much as can be read in time.
 *
 * @param {CommandContext} context
 * @throws {CommandError} UNREADABLE_PAGE
 */
async function takePdf(context) {
  const isThere = await askPage(context, () => ({
    func: () => Object.hasOwn(globalThis, "chromeTabPdf"),
    args: [null],
  }));
  if (!isThere) await injectFiles(context, "pdf");
  const { url = "" } = await tabById(context.tabId);
  const request = { url: url.startsWith("file:") ? await dataUrlOf(url) : url, waitMs: PDF_WAIT_MS };
  const stopServing = serveCharacterMaps(context.tabId);
  const isTaken = await askPage(context, () => ({
    func: (/** @type {{url: string, waitMs: number}} */ pdf) => chromeTabPdf.take(pdf).then(() => true),
    args: [request],
    cancel: { func: () => chromeTabPdf.stop(), args: [null] },
  })).finally(stopServing);
  if (!isTaken) throw unreadable("The PDF in this tab could not be read. Reload the tab, then ask again.");
}

/**
 * Provides a tab's PDF reader with the character maps that it requests, because a page's world cannot load our files.
 *
 * @param {number} tabId
 * @returns {() => void} a function that stops this
 */
function serveCharacterMaps(tabId) {
  /** @type {(message: {characterMap: string}, sender: chrome.runtime.MessageSender, reply: (url: string) => void) => boolean} */
  const serve = ({ characterMap }, { tab }, reply) => {
    if (tab?.id !== tabId || !CHARACTER_MAP.test(characterMap)) return false;
    dataUrlOf(chrome.runtime.getURL(`vendor/cmaps/${characterMap}`)).then(reply, () => reply(""));
    return true;
  };
  chrome.runtime.onMessage.addListener(serve);
  return () => chrome.runtime.onMessage.removeListener(serve);
}

/**
 * A page that shows a local file cannot load files, but the extension can if the user allows it.
 *
 * @param {string} url of a local file, or of one of the extension's
 * @returns {Promise<string>} a URL of the file's contents
 * @throws {CommandError} UNREADABLE_PAGE
 */
async function dataUrlOf(url) {
  const file = await fetch(url)
    .then((response) => response.blob())
    .catch(() => null);
  if (!file || file.size > MAX_FILE_BYTES) {
    throw unreadable("This PDF cannot be loaded, or is a local file of more than 32 MiB. Split it, and open one part.");
  }
  const reader = new FileReader();
  const isRead = new Promise((resolve) => reader.addEventListener("loadend", resolve));
  reader.readAsDataURL(file);
  await isRead;
  return String(reader.result);
}

/**
 * @param {CommandContext} context
 * @param {string} content
 * @param {CrossOriginFrame[] | null} frames of the tab's own page, if they are known
 * @returns {Promise<{text: string, repeated: number}>} the visible or selected text in cross-origin frames, each after
 *   a line that names its host, and the number of lines removed there
 */
async function framedText(context, content, frames) {
  /** @type {string[]} */
  const texts = [];
  let repeated = 0;
  const work = framedPages(context, frames).then((pages) =>
    Promise.all(
      pages.map(async (page, index) => {
        const request = { content: content === "selection" ? content : "all" };
        const script = { func: readPage, args: /** @type {[unknown]} */ ([request]) };
        const reading = /** @type {PageReading | null} */ (
          await runInPage({ ...context, page }, script).catch(() => null)
        );
        if (!reading?.text) return;
        const host = hostOf(page.url);
        texts[index] = `\n\n[Frame${host && `: ${host}`}]\n${reading.text}`;
        repeated += reading.repeated ?? 0;
      }),
    ),
  );
  // A frame that navigates or is busy does not affect the others.
  await endsWithin(
    FRAMES_WAIT_MS,
    work.catch(() => {}),
  );
  context.signal.throwIfAborted();
  return { text: texts.join(""), repeated };
}

/** @param {Record<string, unknown>} params */
function contentOf(params) {
  const content = params["content"] ?? "all";
  if (content === "all" || content === "main" || content === "selection") return content;
  throw invalid('content must be "all", "main" or "selection".');
}

/**
 * @param {Record<string, unknown>} params
 * @param {string} name
 */
function keywordOf(params, name) {
  const keyword = params[name] ?? null;
  if (keyword === null || typeof keyword === "string") return keyword;
  throw invalid(`${name} must be a string or null.`);
}
