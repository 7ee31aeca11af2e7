/** @import {ErrorCode} from "./types.d.ts" */

/** The same codes as `ERROR_CODES` in the server. A test keeps the two lists equal. */
export const ERROR_CODES = /** @type {const} */ ([
  "NO_BROWSER",
  "PERMISSION_DENIED",
  "UNREADABLE_PAGE",
  "KEYWORD_NOT_FOUND",
  "EMPTY_PAGE",
  "INVALID_ARGUMENT",
  "EXTENSION_NOT_CONNECTED",
  "TAB_NOT_FOUND",
  "TAB_NOT_ATTACHED",
  "TAB_DISCONNECTED",
  "AMBIGUOUS_TAB",
  "RATE_LIMITED",
  "COMMAND_TIMEOUT",
  "INVALID_SELECTOR",
  "ELEMENT_NOT_FOUND",
  "EXECUTION_ERROR",
  "VALUE_NOT_KEPT",
  "EVALUATE_NOT_ALLOWED",
  "PRIVATE_NOT_ALLOWED",
  "ATTACH_DENIED",
  "NAVIGATION_FAILED",
  "DATALAYER_NOT_FOUND",
  "HOST_BLOCKED",
  "FILE_NOT_ALLOWED",
  "MODEL_UNREACHABLE",
  "MODEL_NOT_FOUND",
  "MODEL_TIMEOUT",
  "MODEL_ERROR",
  "MODEL_EMPTY",
]);

/** A failure that the user or the server can act on: a code, and a sentence with what happened and what to do. */
export class CommandError extends Error {
  /**
   * @param {ErrorCode} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message);
    this.name = "CommandError";
    this.code = code;
  }
}

/** A call of chrome.storage failed: the disk is full, or the browser profile is damaged. */
export class StorageError extends CommandError {
  /** @param {string} reason the browser's own message */
  constructor(reason) {
    const advice = "Free disk space or restart the browser, then try again.";
    super("EXECUTION_ERROR", `The browser could not read or store the extension's data (${reason}). ${advice}`);
    this.reason = reason;
  }
}

/**
 * @param {string} message
 * @returns {CommandError} an error about invalid input
 */
export function invalid(message) {
  return new CommandError("INVALID_ARGUMENT", message);
}

/**
 * @param {string} message
 * @returns {CommandError} an error about a command that had no effect
 */
export function failed(message) {
  return new CommandError("EXECUTION_ERROR", message);
}
