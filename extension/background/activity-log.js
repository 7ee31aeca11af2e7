/**
 * The activity log: what clients did on the user's behalf. It contains no values, no page text, and nothing from
 * incognito tabs. Entries are saved in batches, so that thousands of commands a minute do not cause as many writes.
 *
 * @import {ActivityEntry} from "../shared/types.d.ts"
 * @import {ChosenPreferences} from "./preferences.js"
 */

import { addActivity, onActivityChanged } from "../shared/storage.js";
import { siteOf } from "../shared/text.js";
import { urlOf } from "../browser/tabs.js";

const WRITE_MS = 500;

export class Activity {
  /** @type {ActivityEntry[]} newest first */
  #unwritten = [];
  /** @readonly */
  #preferences;

  /** @readonly */
  #onFailure;

  /**
   * @param {ChosenPreferences} preferences
   * @param {(command: string, code: string) => void} onFailure a client's command failed
   */
  constructor(preferences, onFailure) {
    this.#preferences = preferences;
    this.#onFailure = onFailure;
    // What the user has cleared includes what is not written yet.
    onActivityChanged((activity) => {
      if (!activity) this.#unwritten = [];
    });
  }

  /**
   * @param {Omit<ActivityEntry, "tab_id" | "site">} entry
   * @param {chrome.tabs.Tab | null} tab
   */
  add(entry, tab) {
    if (entry.code && entry.session) this.#onFailure(entry.command, entry.code);
    if (!this.#preferences.now.log || tab?.incognito) return;
    const length = this.#unwritten.unshift({
      ...entry,
      tab_id: tab?.id ?? null,
      site: tab ? siteOf(urlOf(tab)) : "",
    });
    if (length === 1) setTimeout(() => void addActivity(this.#unwritten.splice(0)), WRITE_MS);
  }
}
