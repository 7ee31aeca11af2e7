/**
 * What the user's rules for sites say about a command: where it, or its tool, may not run, and where the user wants to
 * be asked first. The server sends its own rules (`[sites]`) with each command; those of the options are added. They
 * are checked in the command's turn and before each of its steps: a page can navigate its tab meanwhile.
 *
 * @import {Command, Services, TabWithId} from "../shared/types.d.ts"
 */

import { CommandError } from "../shared/errors.js";
import { plainLine } from "../shared/text.js";
import { requireActing } from "./action-consent.js";
import { hostOf, isMatch, nameOf, refuseDenied } from "../shared/denied-hosts.js";
import { withOwner } from "./page-owners.js";
import { tabById, urlOf } from "./tabs.js";

const MAX_LIST_LENGTH = 500;

/** @typedef {[string, string[]]} ToolRule a host, and the only tools that may be used there */

export class SiteRules {
  /** @readonly @type {string[]} */
  deniedHosts;
  /** @readonly @type {ToolRule[]} the least specific first */
  #toolHosts;
  /** @readonly */
  #tool;
  /** @readonly whether the command needs a prompt on some sites */
  asks;
  /** @readonly */
  #command;
  /** @readonly */
  #services;

  /**
   * @param {Command} command `params`: `denied_hosts`; `ask_hosts`, see action-consent.js; `tool_hosts`, tool rules,
   *   and `tool`, the name in use
   * @param {Services} services
   */
  constructor(command, services) {
    const { denied_hosts, ask_hosts, tool_hosts, tool } = command.params;
    // The user's actions in our own pages are not restricted.
    const own = command.session ? services.preferences.now.deniedHosts : [];
    this.deniedHosts = [...(Array.isArray(denied_hosts) ? denied_hosts.map(String) : []), ...own];
    this.#toolHosts = /** @type {ToolRule[]} */ (tool_hosts ?? []);
    this.#tool = String(tool);
    this.asks = ask_hosts !== undefined;
    this.#command = command;
    this.#services = services;
  }

  get isEmpty() {
    return !this.asks && this.#isFree;
  }

  get #isFree() {
    return !this.deniedHosts.length && !this.#toolHosts.length;
  }

  /**
   * @param {string} url
   * @throws {CommandError} HOST_BLOCKED
   */
  refuseAddress(url) {
    refuseDenied(url, this.deniedHosts);
    const tools = this.#toolHosts.findLast(([host]) => isMatch(hostOf(url), host))?.[1];
    if (!tools || tools.includes(this.#tool)) return;
    throw new CommandError(
      "HOST_BLOCKED",
      `[sites] in the configuration file allows only ${plainLine(tools.join(", "), MAX_LIST_LENGTH) || "no tool"} on ` +
        `${nameOf(url)}. Choose another tab, or ask the user to leave the page or change the rule.`,
    );
  }

  /**
   * @param {chrome.tabs.Tab} tab
   * @throws {CommandError} HOST_BLOCKED
   */
  async refuseTab(tab) {
    if (!this.#isFree) this.refuseAddress(urlOf(await withOwner(tab)));
  }

  /**
   * Checks the tab's current page, just before something is done there.
   *
   * @param {number} tabId
   * @throws {CommandError} HOST_BLOCKED, ATTACH_DENIED, TAB_NOT_FOUND
   */
  async check(tabId) {
    if (!this.isEmpty) await this.checkTab(await tabById(tabId));
  }

  /**
   * @param {TabWithId} tab its current state
   * @throws {CommandError} HOST_BLOCKED, ATTACH_DENIED
   */
  async checkTab(tab) {
    if (this.isEmpty) return;
    const owned = await withOwner(tab);
    this.refuseAddress(urlOf(owned));
    if (this.asks) await requireActing(owned, this.#command, this.#services);
  }
}
