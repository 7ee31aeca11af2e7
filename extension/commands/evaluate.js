/** @import {DrivenContext, Evaluated, JsonLimits, Remarks} from "../shared/types.d.ts" */
/** @import {Evaluation, ExceptionDetails, RemoteObject} from "../browser/debugger/cdp.d.ts" */

import { CommandError, failed, invalid } from "../shared/errors.js";
import { writeJson } from "../page/write-json.js";
import { addressOf, tabById } from "../browser/tabs.js";
import { endsWithin } from "../browser/async.js";
import { cutNotes, parseWritten } from "./page-values.js";
import { integerIn } from "./params.js";

/** @type {JsonLimits} */
const LIMITS = { depth: 20, entries: 5_000, keys: 1_000, text: 100_000, total: 1_000_000, milliseconds: 10_000 };
const MAX_CODE_LENGTH = 100_000;
const MAX_MESSAGE_LENGTH = 1_000;
/** Shorter than a command's limit, so that the timeout can be reported. */
const MAX_TIMEOUT_MS = 25_000;
/**
 * Some time after the timeout the browser terminates code that is still running: by then the timeout has been reported.
 */
const GRACE_MS = 200;
/** Makes `return` possible outside a function; on the first line, so that line numbers stay the same. */
const FUNCTION_START = "await (async () => {";

/**
 * Runs JavaScript as the page's own, as a console does: top-level `await`, a lone object literal, `return`. A promise
 * is awaited.
 *
 * @param {DrivenContext} context `params`: `code`; `timeout` in milliseconds, at most 25,000
 * @returns {Promise<Evaluated & Remarks>}
 * @throws {CommandError} INVALID_ARGUMENT, EXECUTION_ERROR, COMMAND_TIMEOUT
 */
export async function evaluate({ tabId, params, session }) {
  const code = codeOf(params);
  const timeout = integerIn(params, "timeout", MAX_TIMEOUT_MS, MAX_TIMEOUT_MS, " milliseconds");
  const work = valueOf(session, code, timeout);
  if (!(await endsWithin(timeout, work))) {
    throw new CommandError(
      "COMMAND_TIMEOUT",
      `The code did not end within ${timeout / 1000} s and was stopped; pending work may still finish. Check the ` +
        "page, then run less at once.",
    );
  }
  return { ...(await work), ...addressOf(await tabById(tabId)) };
}

/**
 * @param {DrivenContext["session"]} session
 * @param {string} code
 * @param {number} timeout
 */
async function valueOf(session, code, timeout) {
  const { result, offset, exceptionDetails } = await run(session, code, timeout);
  if (exceptionDetails) throw thrown(exceptionDetails, offset);
  const written = await jsonOf(session, result);
  await session.settled();
  return written;
}

/** @param {Record<string, unknown>} params */
function codeOf({ code }) {
  if (typeof code === "string" && code.trim() && code.length <= MAX_CODE_LENGTH) return code;
  throw invalid(`code must be JavaScript, at most ${MAX_CODE_LENGTH} characters.`);
}

/**
 * @param {DrivenContext["session"]} session
 * @param {string} code
 * @param {number} timeout
 * @returns {Promise<Evaluation & {offset: number}>} `offset`: characters before the code on its first line
 */
async function run(session, code, timeout) {
  const attempt = async (/** @type {string} */ start, /** @type {string} */ end) => ({
    ...(await session.send("Runtime.evaluate", {
      expression: start + code + end,
      replMode: true,
      awaitPromise: true,
      userGesture: true,
      timeout: timeout + GRACE_MS,
    })),
    offset: start.length,
  });
  // Otherwise something that looks like an object would be parsed as a block.
  if (/^\s*\{[^]*\}\s*$/.test(code)) {
    const asObject = await attempt("(", "\n)");
    if (!isUnparsed(asObject)) return asObject;
  }
  const asScript = await attempt("", "");
  return isUnparsed(asScript, /illegal return/i) ? attempt(FUNCTION_START, "\n})()") : asScript;
}

/**
 * Code that has begun to run must not run again, whatever it threw. An exception thrown by a script in REPL mode has
 * its stack, or lacks the script's id; only a parser error names the script and has no stack.
 *
 * @param {Evaluation} evaluation
 * @param {RegExp} [message]
 */
function isUnparsed({ exceptionDetails }, message = /^/) {
  const { scriptId, stackTrace, exception } = exceptionDetails ?? {};
  return scriptId !== undefined && stackTrace === undefined && message.test(exception?.description ?? "");
}

/**
 * @param {DrivenContext["session"]} session
 * @param {RemoteObject} object
 * @returns {Promise<{value: unknown, notes?: string[]}>}
 */
async function jsonOf(session, { objectId, type, value, unserializableValue = "" }) {
  // A primitive has no handle; its value is already here.
  if (objectId === undefined) {
    if (typeof value === "string") return textOf(value);
    const special = type === "bigint" ? `[BigInt ${unserializableValue.slice(0, -1)}]` : `[${unserializableValue}]`;
    return { value: unserializableValue ? special : (value ?? null) };
  }
  const { result, exceptionDetails } = await session.send("Runtime.callFunctionOn", {
    objectId,
    functionDeclaration: `async function (request, promised) {
      const value = await promised;
      return (${writeJson})({ ...request, value });
    }`,
    arguments: [{ value: { name: "", since: 0, limits: LIMITS } }, { objectId }],
    awaitPromise: true,
    returnByValue: true,
  });
  if (exceptionDetails) throw thrown(exceptionDetails, 0);
  const written = parseWritten(result.value, LIMITS);
  if (written?.found) return withNotes(written.values[0], cutNotes(written.cuts, LIMITS));
  throw failed("The result cannot be converted to JSON. Return plain strings and numbers.");
}

/** @param {string} text */
function textOf(text) {
  const left = text.length - LIMITS.text;
  if (left <= 0) return { value: text.toWellFormed() };
  const value = `${text.slice(0, LIMITS.text).toWellFormed()}... [${left} more characters]`;
  return withNotes(value, [`1 text was cut to ${LIMITS.text} characters.`]);
}

/**
 * @param {unknown} value
 * @param {string[]} notes
 */
function withNotes(value, notes) {
  return { value, ...(notes.length && { notes }) };
}

/**
 * @param {ExceptionDetails} details
 * @param {number} offset characters before the code on its first line
 */
function thrown({ text, exception, lineNumber, columnNumber }, offset) {
  const what = String(exception?.description ?? exception?.value ?? text);
  // The position in the given code, even if a function of the page threw; a syntax error has no stack.
  const place = /<anonymous>:(\d+):(\d+)/.exec(what);
  const line = place ? Number(place[1]) : lineNumber + 1;
  const column = (place ? Number(place[2]) : columnNumber + 1) - (line === 1 ? offset : 0);
  // The lines after the first are the stack, which names files of the page.
  const message = (what.split(/\n\s+at /)[0] ?? "").slice(0, MAX_MESSAGE_LENGTH).toWellFormed();
  return failed(`The code threw ${message} (line ${line}, column ${column}). Correct it and try again.`);
}
