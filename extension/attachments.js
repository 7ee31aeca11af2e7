/**
 * The tabs that the person has attached: what is only allowed there is decided by asking here. Each change is told to
 * the server as an event.
 *
 * @import {Attachment, TabEvent} from "./types.d.ts"
 */

import { CommandError } from "./errors.js";
import { loadAttachments, saveAttachments } from "./storage.js";
import { obstacleOf, tabById, urlOf } from "./tabs.js";

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
    this.#send({ type: "event", event: "tab_updated", tab_id: tab.id, url: urlOf(tab), title: tab.title ?? "" });
  }

  /** @param {number} tabId */
  async #announce(tabId) {
    const attachment = this.#attachments.get(tabId);
    // A tab that closed while the worker was dead told nobody.
    const tab = await tabById(tabId).catch(() => null);
    if (!tab || !attachment) return this.detach(tabId);
    const { connectedAt } = attachment;
    const { title = "" } = tab;
    this.#send({
      type: "event",
      event: "tab_attached",
      tab_id: tabId,
      url: urlOf(tab),
      title,
      connected_at: connectedAt,
    });
  }
}
