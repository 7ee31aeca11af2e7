/** Markdown as tokens, within a bounded time. @import {Token} from "../../vendor/marked.js" */

const START_MS = 10_000;
const PARSE_MS = 3_000;

/** @type {Promise<Worker> | null} */
let starting = null;
/** @type {Promise<unknown>} serializes the texts */
let last = Promise.resolve();

/**
 * @param {string} markdown
 * @returns {Promise<Token[] | null>} null if it cannot be parsed in time, or is nested too deeply
 */
export function parse(markdown) {
  const tokens = last.then(() => parseNext(markdown));
  last = tokens;
  return tokens;
}

/** @param {string} markdown */
async function parseNext(markdown) {
  starting ??= start();
  const worker = await starting.catch(() => null);
  if (!worker) return stop(null);
  const answer = answerOf(worker, PARSE_MS);
  worker.postMessage(markdown);
  return answer.catch(() => stop(worker));
}

/** @returns {Promise<Worker>} */
async function start() {
  const worker = new Worker(new URL("markdown-worker.js", import.meta.url), { type: "module" });
  await answerOf(worker, START_MS).catch((error) => {
    worker.terminate();
    throw error;
  });
  return worker;
}

/**
 * @param {Worker | null} worker
 * @returns {null}
 */
function stop(worker) {
  worker?.terminate();
  starting = null;
  return null;
}

/**
 * @param {Worker} worker
 * @param {number} milliseconds
 * @returns {Promise<any>} its next message
 */
function answerOf(worker, milliseconds) {
  const { promise, resolve, reject } = Promise.withResolvers();
  const listening = new AbortController();
  const { signal } = listening;
  worker.addEventListener("message", ({ data }) => resolve(data), { signal });
  const fail = (/** @type {Event} */ { type }) => reject(new Error(type));
  worker.addEventListener("error", fail, { signal });
  worker.addEventListener("messageerror", fail, { signal });
  const timer = setTimeout(() => reject(new Error("timeout")), milliseconds);
  return promise.finally(() => {
    clearTimeout(timer);
    listening.abort();
  });
}
