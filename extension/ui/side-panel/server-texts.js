/**
 * What the server reports about an answer, in the user's language: the server sends codes and numbers.
 *
 * @import {AnswerEvent, AnswerReceipt, CheckResult, ServerSentence} from "../../shared/types.d.ts"
 * @import {MessageKey} from "../../shared/messages.js"
 */

import { language, phrase } from "../../shared/messages.js";
import { isolated } from "../../shared/text.js";
import { grouped } from "../dom.js";

const MAX_NAMED_FIGURES = 10;

/** @typedef {Record<string, any>} Values */

/** @type {Record<string, [MessageKey, (values: Values) => (string | number)[]]>} */
const STEPS = {
  reading_tab: ["stepReadingTab", () => []],
  asking_window: ["stepWindow", ({ model }) => [isolated(model)]],
  reading_page: ["stepReadingPage", ({ model }) => [isolated(model)]],
  writing: ["stepWriting", ({ model }) => [isolated(model)]],
  reading_chunk: ["stepReadingChunk", ({ model, chunk, chunks }) => [isolated(model), chunk, chunks]],
  combining: ["stepCombining", ({ model, answers }) => [isolated(model), answers]],
  waiting_turn: ["stepTurn", ({ limit }) => [limit]],
  retrying: ["stepRetrying", () => []],
};

/** @type {Record<string, [MessageKey, (values: Values) => (string | number)[]]>} */
const NOTES = {
  unread: [
    "noteUnread",
    ({ start, end, total, error }) => [grouped(start + 1), grouped(end), grouped(total), errorSentence(error)],
  ],
  cut_off: ["noteCutOff", () => []],
  repeated: ["noteRepeated", () => []],
  filtered: ["noteFiltered", () => []],
  unfinished: ["noteUnfinished", () => []],
  uncombined: ["noteUncombined", () => []],
  answer_cut: ["noteAnswerCut", ({ limit }) => [grouped(limit)]],
  links_broken: ["noteLinks", ({ count }) => [grouped(count)]],
  pictures_linked: ["notePictures", ({ count }) => [grouped(count)]],
  invisible_removed: ["noteInvisible", ({ count }) => [grouped(count)]],
  lines_quoted: ["noteLines", ({ count }) => [grouped(count)]],
  tab_unread: ["noteTab", ({ tab, error }) => [isolated(tab), errorSentence(error)]],
  still_loading: ["noteLoading", () => []],
  pictures_only: ["notePicturesOnly", () => []],
  canvas: ["noteCanvas", () => []],
  feed: ["noteFeed", () => []],
  rows_missing: ["noteRowsMissing", ({ count, total }) => [grouped(count), grouped(total)]],
  pdf_too_long: ["notePdfTooLong", ({ count, total }) => [grouped(count), grouped(total)]],
  pdf_unfinished: ["notePdfUnfinished", ({ count, total }) => [grouped(count), grouped(total)]],
  pdf_scanned: ["notePdfScanned", ({ count, total }) => [grouped(count), grouped(total)]],
};

/** @type {Record<string, MessageKey>} */
const ERRORS = {
  HOST_BLOCKED: "errorHostBlocked",
  MODEL_UNREACHABLE: "errorModelUnreachable",
  MODEL_NOT_FOUND: "errorModelNotFound",
  MODEL_TIMEOUT: "errorModelTimeout",
  MODEL_ERROR: "errorModel",
  MODEL_EMPTY: "errorModelEmpty",
  UNREADABLE_PAGE: "errorUnreadable",
  EMPTY_PAGE: "errorEmptyPage",
  TAB_NOT_FOUND: "errorTabGone",
  TAB_DISCONNECTED: "errorTabGone",
  COMMAND_TIMEOUT: "errorTabBusy",
  RATE_LIMITED: "errorRateLimited",
  INVALID_ARGUMENT: "errorQuestion",
};

/**
 * @param {Partial<AnswerEvent>} event about an answer in progress
 * @param {boolean} isWriting whether part of the answer is shown
 * @returns {string} the current step, and what has happened in it
 */
export function progressLine({ step }, isWriting) {
  const known = step && STEPS[isWriting && step.code === "reading_page" ? "writing" : step.code];
  if (!known) return phrase("askWaiting");
  const [key, values] = known;
  const parts = [phrase(key, ...values(step.values ?? {}))];
  if (step.tokens > 1) parts.push(phrase("stepTokens", grouped(step.tokens)));
  else if (step.seconds) parts.push(seconds(step.seconds, 0));
  return parts.join(" · ");
}

/**
 * @param {ServerSentence} note
 * @returns {string} what is missing from an answer; English for a code that this version does not know
 */
export function noteSentence({ code, values = {}, text = "" }) {
  const known = NOTES[code];
  return known ? phrase(known[0], ...known[1](values)) : text;
}

/**
 * @param {{code: string}} error
 * @returns {string} what happened and what to do
 */
export function errorSentence({ code }) {
  return phrase(ERRORS[code] ?? "errorOther");
}

/**
 * @param {AnswerReceipt} receipt
 * @returns {boolean} whether the answer covers everything that was to be read
 */
export function isWhole({ characters_read: read, page_characters: all }) {
  return read >= all;
}

/**
 * @param {AnswerReceipt} receipt
 * @returns {string} for example "Whole page · qwen3:8b · 1.1 s"
 */
export function receiptLine(receipt) {
  const { tabs = 1, model, seconds: took } = receipt;
  const name = receipt.model_host ? phrase("askCloudModel", isolated(model)) : isolated(model);
  const scope = tabs > 1 ? phrase("receiptTabs", tabs) : phrase("receiptWhole");
  const share = receipt.characters_read / receipt.page_characters;
  // Missing parts are never rounded away.
  const percent = Math.min(0.99, Math.floor(share * 100) / 100).toLocaleString(language(), { style: "percent" });
  return [isWhole(receipt) ? scope : phrase("receiptShare", percent), name, seconds(took, 1)].join(" · ");
}

/**
 * @param {AnswerReceipt} receipt
 * @returns {string} the full text
 */
export function receiptDetails({ characters_read: read, page_characters: all, chunks }) {
  return phrase("receiptDetails", grouped(read), grouped(all), grouped(chunks));
}

/**
 * @param {Record<CheckResult, number>} counts of the figures in an answer
 * @param {string[]} missing figures that are not on the page
 * @param {string[]} elsewhere figures that are in another place on the page
 * @returns {string[]} one sentence each; empty if the answer has no figures
 */
export function checkSentences(counts, missing, elsewhere) {
  const all = counts.on_page + counts.elsewhere + counts.not_on_page;
  if (!all) return [];
  const list = (/** @type {string[]} */ figures) => {
    const named = figures.slice(0, MAX_NAMED_FIGURES).map((figure) => isolated(figure));
    return new Intl.ListFormat(language()).format(figures.length > named.length ? [...named, "…"] : named);
  };
  const found = counts.on_page + counts.elsewhere;
  const sentences = [phrase("checkOnPage", grouped(found), grouped(all))];
  if (missing.length) sentences.push(phrase("checkMissing", list(missing)));
  if (elsewhere.length) sentences.push(phrase("checkElsewhere", list(elsewhere)));
  return sentences;
}

/**
 * @param {number} count
 * @param {number} digits
 */
function seconds(count, digits) {
  const format = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return `${count.toLocaleString(language(), format)}\u00a0s`;
}
