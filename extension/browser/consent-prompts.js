/**
 * Consent prompts: what agents ask the user for. Each is shown (popup, badge, notification) until the user answers it,
 * it times out, its tab closes, or its command ends.
 *
 * @import {ConsentPrompt, Session, TabWithId} from "../shared/types.d.ts"
 */

import { ANSWER_TIMEOUT_MS } from "../shared/consent-text.js";
import { CommandError } from "../shared/errors.js";
import { plainLine, siteOf } from "../shared/text.js";
import { urlOf } from "./tabs.js";

/** More than a user can review. */
const MAX_OPEN = 5;
/** Cool-down after a denial, so that agents cannot wear the user down. */
const COOL_DOWN_MS = 5 * 60_000;
const MAX_TITLE_LENGTH = 80;
const UNKNOWN_CLIENT = "A client without a name";

/**
 * @param {ConsentPrompt["kind"]} kind
 * @param {TabWithId} tab
 * @param {Session | null} caller
 * @param {string} reason
 * @returns {Omit<ConsentPrompt, "id">} what the user sees of it
 */
export function consentPrompt(kind, tab, caller, reason) {
  const title = plainLine(tab.title ?? "", MAX_TITLE_LENGTH);
  const who = { client: caller?.client || UNKNOWN_CLIENT, session: caller?.id ?? "" };
  return { kind, tabId: tab.id, title, site: siteOf(urlOf(tab)), reason, ...who };
}

export class ConsentPrompts {
  /** @type {Map<string, {request: ConsentPrompt, settle: (isAllowed: boolean | CommandError) => void}>} */
  #open = new Map();
  /** @type {Map<string, number>} when a denied prompt may be shown again, on the clock of `performance.now` */
  #coolingDown = new Map();
  /** @readonly */
  #onChange;

  /** @param {(open: ConsentPrompt[]) => void} onChange */
  constructor(onChange) {
    this.#onChange = onChange;
  }

  /** @returns {ConsentPrompt[]} oldest first */
  list() {
    return [...this.#open.values()].map(({ request }) => request);
  }

  /**
   * @param {Omit<ConsentPrompt, "id">} wanted
   * @param {AbortSignal} signal
   * @returns {Promise<void>} once the user has allowed it
   * @throws {CommandError} ATTACH_DENIED, COMMAND_TIMEOUT, RATE_LIMITED, TAB_DISCONNECTED, and the reason of the signal
   */
  async ask(wanted, signal) {
    signal.throwIfAborted();
    const { tabId, kind, site } = wanted;
    const subject = JSON.stringify([kind, tabId, site]);
    this.#refuseTooMuch(tabId, subject);
    const request = { ...wanted, id: crypto.randomUUID() };
    const { promise, resolve } = Promise.withResolvers();
    const leave = () => resolve(signal.reason);
    const timer = setTimeout(() => resolve(unanswered(tabId)), ANSWER_TIMEOUT_MS);
    signal.addEventListener("abort", leave);
    this.#open.set(request.id, { request, settle: resolve });
    this.#changed();
    try {
      const answer = await promise;
      if (answer === true) return;
      if (answer !== false) throw answer;
      this.#coolingDown.set(subject, performance.now() + COOL_DOWN_MS);
      throw denied(tabId, "The user denied");
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", leave);
      this.#open.delete(request.id);
      this.#changed();
    }
  }

  /**
   * @param {string} id of a prompt, which may have ended meanwhile
   * @param {boolean} isAllowed
   */
  answer(id, isAllowed) {
    this.#open.get(id)?.settle(isAllowed);
  }

  /** @param {number} tabId of a tab that the user attached without a prompt */
  attached(tabId) {
    for (const { request, settle } of this.#open.values()) {
      if (request.tabId === tabId && request.kind === "attach") settle(true);
    }
  }

  /** @param {number} tabId of a tab that was closed or detached */
  gone(tabId) {
    const error = new CommandError(
      "TAB_DISCONNECTED",
      "The tab was closed or detached before the user answered. List the tabs with browser_get_tabs.",
    );
    for (const { request, settle } of this.#open.values()) if (request.tabId === tabId) settle(error);
  }

  /**
   * @param {number} tabId
   * @param {string} subject
   */
  #refuseTooMuch(tabId, subject) {
    const now = performance.now();
    for (const [known, until] of this.#coolingDown) if (until <= now) this.#coolingDown.delete(known);
    if (this.#coolingDown.has(subject)) throw denied(tabId, "The user has just denied");
    const open = this.list();
    if (open.length < MAX_OPEN && !open.some((request) => request.tabId === tabId)) return;
    const what = open.length < MAX_OPEN ? `for tab ${tabId}` : `for each of ${open.length} tabs`;
    throw new CommandError(
      "RATE_LIMITED",
      `The user has not yet answered a request ${what}. Wait for the answer, then ask again.`,
    );
  }

  #changed() {
    this.#onChange(this.list());
  }
}

/**
 * @param {number} tabId
 * @param {string} decision
 */
function denied(tabId, decision) {
  const advice = "Continue without it, or explain in the conversation why you need it.";
  return new CommandError("ATTACH_DENIED", `${decision} your request for tab ${tabId}. ${advice}`);
}

/** @param {number} tabId */
function unanswered(tabId) {
  return new CommandError(
    "COMMAND_TIMEOUT",
    `The user did not answer your request for tab ${tabId} within ${ANSWER_TIMEOUT_MS / 1_000} s. Ask the user to ` +
      "open the popup of the extension, then try again.",
  );
}
