/**
 * The only file that touches chrome.storage. A worker can be killed at any moment; what it must find again is here.
 *
 * @import {ActivityEntry, Attachment, CloseReason, PanelMemory, Preferences, Settings} from "./types.d.ts"
 */

const MOST_ACTIVITY = 500;
/** @type {Preferences} */
export const DEFAULT_PREFERENCES = {
  group: true,
  outline: true,
  log: true,
  commandsPerSecond: 50,
  deniedHosts: [],
};
/** @type {Settings} */
export const DEFAULT_SETTINGS = { pairing: null, wanted: true, autoReconnect: true };

// A script in a page's isolated world may read local storage unless it is told not to, and the key is there.
// Firefox knows no such lock.
const locked = chrome.storage.local.setAccessLevel?.({ accessLevel: "TRUSTED_CONTEXTS" });

/** @returns {Promise<Settings>} */
export async function loadSettings() {
  await locked;
  return /** @type {Settings} */ (await chrome.storage.local.get({ ...DEFAULT_SETTINGS }));
}

/** @param {Settings} settings */
export async function saveSettings(settings) {
  await locked;
  await chrome.storage.local.set(settings);
}

/** Deletes the pairing with its key, and every choice that was made for it. */
export async function deleteSettings() {
  await chrome.storage.local.remove(Object.keys(DEFAULT_SETTINGS));
}

/** @returns {Promise<PanelMemory>} */
export async function loadPanelMemory() {
  await locked;
  return /** @type {PanelMemory} */ (await chrome.storage.local.get({ history: [], saved: [] }));
}

/** @param {Partial<PanelMemory>} change */
export async function savePanelMemory(change) {
  await locked;
  await chrome.storage.local.set(change);
}

/** @param {() => void} listener called when any panel has saved something */
export function onPanelMemoryChanged(listener) {
  chrome.storage.local.onChanged.addListener((changes) => {
    if (changes.history || changes.saved) listener();
  });
}

/** @returns {Promise<Preferences>} */
export async function loadPreferences() {
  await locked;
  const { preferences } = await chrome.storage.local.get({ preferences: {} });
  return { ...DEFAULT_PREFERENCES, .../** @type {Partial<Preferences>} */ (preferences) };
}

/** @param {Partial<Preferences>} change */
export async function savePreferences(change) {
  const preferences = { ...(await loadPreferences()), ...change };
  await chrome.storage.local.set({ preferences });
}

/** @param {(preferences: Preferences) => void} listener */
export function onPreferencesChanged(listener) {
  onChanged("preferences", (preferences) => listener({ ...DEFAULT_PREFERENCES, ...preferences }));
}

/** @returns {Promise<ActivityEntry[]>} newest first */
export async function loadActivity() {
  await locked;
  const { activity } = await chrome.storage.local.get({ activity: [] });
  return /** @type {ActivityEntry[]} */ (activity);
}

/** @param {ActivityEntry[]} entries newest first */
export async function addActivity(entries) {
  await chrome.storage.local.set({ activity: [...entries, ...(await loadActivity())].slice(0, MOST_ACTIVITY) });
}

export async function clearActivity() {
  await chrome.storage.local.remove("activity");
}

/** @param {() => void} listener */
export function onActivityChanged(listener) {
  onChanged("activity", listener);
}

/**
 * @param {string} key
 * @param {(value: any) => void} listener gets undefined when it was removed
 */
function onChanged(key, listener) {
  chrome.storage.local.onChanged.addListener((changes) => {
    if (changes[key]) listener(changes[key].newValue);
  });
}

/** @returns {Promise<CloseReason | null>} why the last attempt to connect failed */
export async function loadFailure() {
  const { failure } = await chrome.storage.session.get({ failure: null });
  return /** @type {CloseReason | null} */ (failure);
}

/** @param {CloseReason | null} failure */
export async function saveFailure(failure) {
  await chrome.storage.session.set({ failure });
}

/**
 * Attachments by tab id. They live in session storage because tab ids mean nothing after the browser restarts.
 *
 * @returns {Promise<Map<number, Attachment>>}
 */
export async function loadAttachments() {
  const { attachments } = await chrome.storage.session.get({ attachments: [] });
  return new Map(/** @type {[number, Attachment][]} */ (attachments));
}

/** @param {Map<number, Attachment>} attachments */
export async function saveAttachments(attachments) {
  await chrome.storage.session.set({ attachments: [...attachments] });
}
