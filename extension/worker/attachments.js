/**
 * The tabs that the person has attached: what is only allowed there is decided by asking here. Each change is told to
 * the server as an event.
 *
 * @import {Attachment, TabEvent, TabWithId} from "../shared/types.d.ts"
 */

import { CommandError } from "../shared/errors.js";
import { loadAttachments, saveAttachments } from "../shared/storage.js";
import { addressOf, obstacleOf, tabById } from "./tabs.js";

const HOW_TO_ATTACH =
  'Press "Attach to this Tab" in the popup of the extension, or open a tab with browser_create_tab.';
const TITLE_LENGTH = 60;
const NAMED_TABS = 10;

export class Attachments {
  /** @type {Map<number, Attachment>} */
  #attachments = new Map();
  /** @readonly */
  #loaded;
  /** @readonly */
  #send;

  /** @param {(event: TabEvent) => void} send */
  constructor(send) {
    this.#send = send;
    this.#loaded = loadAttachments().then((attachments) => void (this.#attachments = attachments));
  }

  /** @param {number} tabId */
  async get(tabId) {
    await this.#loaded;
    return this.#attachments.get(tabId);
  }

  async tabIds() {
    await this.#loaded;
    return [...this.#attachments.keys()];
  }

  /** The tabs that are attached and open, in the order in which they were attached. */
  async tabs() {
    await this.#loaded;
    const withTime = async (/** @type {[number, Attachment]} */ [tabId, { connectedAt }]) => ({
      ...(await tabById(tabId)),
      connectedAt,
    });
    const tabs = await Promise.all([...this.#attachments].map((each) => withTime(each).catch(() => null)));
    return tabs.filter((tab) => tab !== null);
  }

  /**
   * @param {number} tabId
   * @throws {CommandError} TAB_NOT_FOUND, UNREADABLE_PAGE
   */
  async attach(tabId) {
    await this.#loaded;
    const tab = await tabById(tabId);
    const obstacle = obstacleOf(tab);
    if (obstacle) throw new CommandError("UNREADABLE_PAGE", obstacle);
    if (this.#attachments.has(tabId)) return;
    this.#attachments.set(tabId, { connectedAt: new Date().toISOString(), allowEvaluate: false });
    await saveAttachments(this.#attachments);
    await this.#announce(tabId);
  }

  /**
   * Forgets the switch for `evaluate` too.
   *
   * @param {number} tabId
   */
  async detach(tabId) {
    await this.#loaded;
    if (!this.#attachments.delete(tabId)) return;
    await saveAttachments(this.#attachments);
    this.#send({ type: "event", event: "tab_detached", tab_id: tabId });
  }

  /**
   * Chrome gives a tab another id when it puts the tab to sleep.
   *
   * @param {number} newTabId
   * @param {number} oldTabId
   */
  async replace(newTabId, oldTabId) {
    const attachment = await this.get(oldTabId);
    if (!attachment) return;
    await this.detach(oldTabId);
    this.#attachments.set(newTabId, attachment);
    await saveAttachments(this.#attachments);
    await this.#announce(newTabId);
  }

  async detachAll() {
    for (const tabId of await this.tabIds()) await this.detach(tabId);
  }

  /**
   * @param {number} tabId
   * @param {boolean} allowEvaluate
   */
  async setAllowEvaluate(tabId, allowEvaluate) {
    const attachment = await this.get(tabId);
    if (!attachment) return;
    attachment.allowEvaluate = allowEvaluate;
    await saveAttachments(this.#attachments);
  }

  /** Tells a server that has just connected what is attached. */
  async announceAll() {
    for (const tabId of await this.tabIds()) await this.#announce(tabId);
  }

  /** @param {chrome.tabs.Tab} tab whose address or title has changed */
  async update(tab) {
    if (tab.id === undefined || !(await this.get(tab.id))) return;
    this.#send({ type: "event", event: "tab_updated", tab_id: tab.id, ...addressOf(tab) });
  }

  /** @param {number} tabId */
  async #announce(tabId) {
    const attachment = this.#attachments.get(tabId);
    // A tab that closed while the worker was dead told nobody.
    const tab = await tabById(tabId).catch(() => null);
    if (!tab || !attachment) return this.detach(tabId);
    const { connectedAt } = attachment;
    this.#send({ type: "event", event: "tab_attached", tab_id: tabId, ...addressOf(tab), connected_at: connectedAt });
  }
}

/**
 * The tab that a command may work on: what needs an attached tab chooses it here.
 *
 * @param {number | null} tabId null for the one attached tab
 * @param {Attachments} attachments
 * @throws {CommandError} TAB_NOT_ATTACHED, TAB_NOT_FOUND, AMBIGUOUS_TAB
 */
export async function chooseAttachedTab(tabId, attachments) {
  if (tabId === null) return onlyAttachedTab(await attachments.tabs());
  const tab = await tabById(tabId);
  if (await attachments.get(tabId)) return tab;
  throw new CommandError("TAB_NOT_ATTACHED", `Tab ${tabId} is not attached. ${HOW_TO_ATTACH}`);
}

/** @param {TabWithId[]} tabs */
function onlyAttachedTab([first, ...others]) {
  if (!first) throw new CommandError("TAB_NOT_ATTACHED", `No tab is attached. ${HOW_TO_ATTACH}`);
  if (!others.length) return first;
  const named = [first, ...others].slice(0, NAMED_TABS).map(({ id, title }) => `${id} ${quote(title ?? "")}`);
  throw new CommandError(
    "AMBIGUOUS_TAB",
    `${others.length + 1} tabs are attached: ${named.join(", ")}. Name one of them as tab_id; list_tabs lists them all.`,
  );
}

/** @param {string} title of a page, which may want to look like a part of the sentence */
function quote(title) {
  return JSON.stringify(title.slice(0, TITLE_LENGTH).toWellFormed());
}
