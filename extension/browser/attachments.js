/**
 * The tabs that the user has attached, which consent.js checks. Each change is sent to the server as an event.
 *
 * @import {Attachment, TabEvent, TabWithId} from "../shared/types.d.ts"
 */

import { CommandError } from "../shared/errors.js";
import { loadAttachments, saveAttachments } from "../shared/storage.js";
import { addressOf, obstacleOf, originOf, tabById } from "./tabs.js";

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

  /** The open attached tabs, in the order in which they were attached. */
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
   * @param {AbortSignal} [signal] of the command that attaches it
   * @throws {CommandError} TAB_NOT_FOUND, UNREADABLE_PAGE, StorageError, and the reason of the signal
   */
  async attach(tabId, signal) {
    await this.#loaded;
    const tab = await tabById(tabId);
    const obstacle = obstacleOf(tab);
    if (obstacle) throw new CommandError("UNREADABLE_PAGE", obstacle);
    // No await between here and the map: a command that detaches all tabs finds it there.
    signal?.throwIfAborted();
    if (this.#attachments.has(tabId)) return;
    this.#attachments.set(tabId, { connectedAt: new Date().toISOString(), evaluateOn: "", privateOn: "" });
    await saveAttachments(this.#attachments).catch((error) => {
      this.#attachments.delete(tabId);
      throw error;
    });
    await this.#announce(tabId);
  }

  /**
   * Also discards the tab's switches.
   *
   * @param {number} tabId
   */
  async detach(tabId) {
    await this.#loaded;
    if (!this.#attachments.delete(tabId)) return;
    // Even if the browser cannot store it.
    this.#send({ type: "event", event: "tab_detached", tab_id: tabId });
    await saveAttachments(this.#attachments);
  }

  /**
   * Chrome changes a tab's id when it discards the tab.
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
    await Promise.all((await this.tabIds()).map((tabId) => this.detach(tabId)));
  }

  /**
   * @param {number} tabId
   * @param {"evaluateOn" | "privateOn"} name
   * @param {boolean} on for the tab's current origin
   */
  async setSwitch(tabId, name, on) {
    const origin = on ? originOf(await tabById(tabId)) : "";
    const attachment = await this.get(tabId);
    if (!attachment) return;
    attachment[name] = origin;
    await saveAttachments(this.#attachments);
  }

  /**
   * @param {TabWithId} tab
   * @returns {Promise<{evaluate: boolean, privateValues: boolean}>} which switches are on for the tab's current origin
   */
  async switchesOf(tab) {
    const { evaluateOn = "", privateOn = "" } = (await this.get(tab.id)) ?? {};
    const origin = originOf(tab);
    return { evaluate: origin !== "" && evaluateOn === origin, privateValues: origin !== "" && privateOn === origin };
  }

  /** Sends the attached tabs to a newly connected server. */
  async announceAll() {
    for (const tabId of await this.tabIds()) await this.#announce(tabId);
  }

  /** @param {chrome.tabs.Tab} tab whose URL or title has changed */
  async update(tab) {
    if (tab.id === undefined || !(await this.get(tab.id))) return;
    this.#send({ type: "event", event: "tab_updated", tab_id: tab.id, ...addressOf(tab) });
  }

  /** @param {number} tabId */
  async #announce(tabId) {
    const attachment = this.#attachments.get(tabId);
    // A tab that closed while the worker was dead sent no event.
    const tab = await tabById(tabId).catch(() => null);
    if (!attachment || this.#attachments.get(tabId) !== attachment) return;
    if (!tab) return this.detach(tabId);
    const { connectedAt } = attachment;
    this.#send({ type: "event", event: "tab_attached", tab_id: tabId, ...addressOf(tab), connected_at: connectedAt });
  }
}
