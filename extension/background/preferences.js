/** The choices of the options page, available without waiting. @import {Preferences} from "../shared/types.d.ts" */

import { DEFAULT_PREFERENCES, loadPreferences, onPreferencesChanged } from "../shared/storage.js";

export class ChosenPreferences {
  /** @type {Preferences} */
  now = DEFAULT_PREFERENCES;
  /** @readonly @type {Promise<void>} */
  loaded;

  /** @param {() => void} onChange */
  constructor(onChange) {
    this.loaded = loadPreferences().then((preferences) => void (this.now = preferences));
    onPreferencesChanged((preferences) => {
      this.now = preferences;
      onChange();
    });
  }
}
