/**
 * What the user's rules for sites say about a command: where it may not run at all, where its tool may not, and where the
 * user wants to be asked first. The server sends its own rules (`[sites]`) with each command; those of the options are
 * added. They are checked in the command's turn and before each step of it: a page can lead its tab elsewhere meanwhile.
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
  /** @readonly whether the command asks before it acts on some sites */
  asks;
  /** @readonly */
  #command;
  /** @readonly */
  #services;

  /**
   * @param {Command} command `params`: `denied_hosts`; `ask_hosts`, see acting-consent.js; `tool_hosts`, tool rules, and
   *   `tool`, the name that is in use
   * @param {Services} services
   */
  constructor(command, services) {
    const { denied_hosts, ask_hosts, tool_hosts, tool } = command.params;
    // What the user does in our own pages is bound by nothing.
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
        `${nameOf(url)}. Choose another tab, or ask the user to leave the page or to change the rule.`,
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
   * Checks the page that is in a tab now, just before something is done there.
   *
   * @param {number} tabId
   * @throws {CommandError} HOST_BLOCKED, ATTACH_DENIED, TAB_NOT_FOUND
   */
  async check(tabId) {
    if (!this.isEmpty) await this.checkTab(await tabById(tabId));
  }

  /**
   * @param {TabWithId} tab as it is now
   * @throws {CommandError} HOST_BLOCKED, ATTACH_DENIED
   */
  async checkTab(tab) {
    if (this.isEmpty) return;
    const owned = await withOwner(tab);
    this.refuseAddress(urlOf(owned));
    if (this.asks) await requireActing(owned, this.#command, this.#services);
  }
}
