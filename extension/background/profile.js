/**
 * What distinguishes this browser profile from the others that are connected to the server: an id, the run of the
 * browser, a name, and when the user last looked at it.
 *
 * @import {ProfileDescription} from "../shared/types.d.ts"
 * @import {ChosenPreferences} from "./preferences.js"
 */

import { lastFocusedWindow } from "../browser/tabs.js";
import { BROWSER_NAME } from "../shared/capabilities.js";
import { loadProfile, saveCopiedProfileId, saveLook } from "../shared/storage.js";

export class Profile {
  #id = "";
  #run = "";
  #lookedAt = 0;
  /** Whether another connected profile had the same id: one of the two folders is a copy. */
  isCopy = false;
  /** @readonly @type {Promise<void>} */
  loaded;
  /** @readonly */
  #preferences;

  /** @param {ChosenPreferences} preferences */
  constructor(preferences) {
    this.#preferences = preferences;
    this.loaded = Promise.all([loadProfile(), preferences.loaded]).then(([{ id, run, lookedAt, isCopy }]) => {
      this.#id = id;
      this.#run = run;
      this.isCopy = isCopy;
      this.#lookedAt = Math.max(this.#lookedAt, lookedAt);
    });
  }

  /** The name that the user chose; empty for the browser's own. */
  get name() {
    return this.#preferences.now.browserName;
  }

  /** @returns {Promise<ProfileDescription>} */
  async describe() {
    await this.loaded;
    const window = await lastFocusedWindow();
    // A worker that was just installed, or has slept, missed earlier activity.
    const active = window?.tabs?.find((tab) => tab.active);
    const latest = window?.focused ? Date.now() : Math.max(this.#lookedAt, active?.lastAccessed ?? 0);
    return { id: this.#id, run: this.#run, kind: BROWSER_NAME, name: this.name, looked_at: latest };
  }

  /** @returns {number} the current time in milliseconds: the user is looking at a page of this profile */
  look() {
    this.#lookedAt = Date.now();
    void saveLook(this.#lookedAt);
    return this.#lookedAt;
  }

  /** @param {string} id a new one, because another connected profile has the same id */
  adopt(id) {
    this.#id = id;
    this.isCopy = true;
    void saveCopiedProfileId(id);
  }
}
