/**
 * The only file that touches chrome.storage. A worker can be killed at any moment; whatever it needs afterwards is
 * here. Each failed call throws a StorageError, which the worker and the pages show.
 *
 * @import {ActivityEntry, Attachment, CloseReason, PanelMemory, Preferences, Settings} from "./types.d.ts"
 */

import { StorageError } from "./errors.js";

const MOST_ACTIVITY = 500;
/** @type {Preferences} */
export const DEFAULT_PREFERENCES = {
  group: true,
  outline: true,
  log: true,
  readAhead: false,
  commandsPerSecond: 50,
  deniedHosts: [],
  browserName: "",
};
/** @type {Settings} */
export const DEFAULT_SETTINGS = { pairing: null, wanted: true, autoReconnect: true, commands: {} };

// A content script may read local storage, which contains the key, unless access is restricted. Firefox has no such
// restriction.
const locked = attempt(async () => chrome.storage.local.setAccessLevel?.({ accessLevel: "TRUSTED_CONTEXTS" }));
const local = guarded(chrome.storage.local);
const session = guarded(chrome.storage.session);

/** @param {chrome.storage.StorageArea} area */
function guarded(area) {
  return {
    get: (/** @type {Record<string, unknown>} */ defaults) =>
      attempt(async () => /** @type {Record<string, any>} */ (await area.get(defaults))),
    set: (/** @type {object} */ items) => attempt(() => area.set(items)),
    remove: (/** @type {string | string[]} */ keys) => attempt(() => area.remove(keys)),
  };
}

/**
 * @template T
 * @param {() => Promise<T>} call
 * @throws {StorageError}
 */
async function attempt(call) {
  try {
    return await call();
  } catch (error) {
    throw new StorageError(error instanceof Error ? error.message : String(error));
  }
}

/** @returns {Promise<Settings>} */
export async function loadSettings() {
  await locked;
  return /** @type {Settings} */ (await local.get({ ...DEFAULT_SETTINGS }));
}

/** @param {Settings} settings */
export async function saveSettings(settings) {
  await locked;
  await local.set(settings);
}

/** Deletes the pairing with its key, and every choice made for it. */
export async function deleteSettings() {
  await local.remove(Object.keys(DEFAULT_SETTINGS));
}

/** @returns {Promise<PanelMemory>} */
export async function loadPanelMemory() {
  await locked;
  return /** @type {PanelMemory} */ (await local.get({ history: [], saved: [] }));
}

/** @param {Partial<PanelMemory>} change */
export async function savePanelMemory(change) {
  await locked;
  await local.set(change);
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
  const { preferences } = await local.get({ preferences: {} });
  return { ...DEFAULT_PREFERENCES, .../** @type {Partial<Preferences>} */ (preferences) };
}

/** @param {Partial<Preferences>} change */
export async function savePreferences(change) {
  // Two pages, or two fields of one, may save at the same time.
  await navigator.locks.request("preferences", async () => {
    await local.set({ preferences: { ...(await loadPreferences()), ...change } });
  });
}

/** @param {(preferences: Preferences) => void} listener */
export function onPreferencesChanged(listener) {
  onChanged("preferences", (preferences) => listener({ ...DEFAULT_PREFERENCES, ...preferences }));
}

/** @returns {Promise<ActivityEntry[]>} newest first */
export async function loadActivity() {
  await locked;
  const { activity } = await local.get({ activity: [] });
  return /** @type {ActivityEntry[]} */ (activity);
}

/** @param {ActivityEntry[]} entries newest first */
export async function addActivity(entries) {
  // What the user clears, or an earlier call adds, between reading and writing would be undone.
  await navigator.locks.request("activity", async () => {
    await local.set({ activity: [...entries, ...(await loadActivity())].slice(0, MOST_ACTIVITY) });
  });
}

export async function clearActivity() {
  await navigator.locks.request("activity", () => local.remove("activity"));
}

/** @param {(activity: ActivityEntry[] | undefined) => void} listener gets undefined if it was cleared */
export function onActivityChanged(listener) {
  onChanged("activity", listener);
}

/**
 * @param {string} key
 * @param {(value: any) => void} listener gets undefined if it was removed
 */
function onChanged(key, listener) {
  chrome.storage.local.onChanged.addListener((changes) => {
    if (changes[key]) listener(changes[key].newValue);
  });
}

/**
 * The id belongs to the profile, the run to the browser process: a copied folder has the same id with a different run.
 *
 * @returns {Promise<{id: string, run: string, lookedAt: number, isCopy: boolean}>}
 */
export async function loadProfile() {
  await locked;
  const [{ profile }, { run, lookedAt, isCopy }] = await Promise.all([
    local.get({ profile: "" }),
    session.get({ run: "", lookedAt: 0, isCopy: false }),
  ]);
  const found = { id: profile || crypto.randomUUID(), run: run || crypto.randomUUID(), lookedAt, isCopy };
  await Promise.all([local.set({ profile: found.id }), session.set({ run: found.run })]);
  return found;
}

/** @param {string} profile the new id of a copied profile; also marks it as a copy for this run of the browser */
export async function saveCopiedProfileId(profile) {
  await Promise.all([local.set({ profile }), session.set({ isCopy: true })]);
}

/** @param {number} lookedAt */
export async function saveLook(lookedAt) {
  await session.set({ lookedAt });
}

/** @returns {Promise<CloseReason | null>} why the last attempt to connect failed */
export async function loadFailure() {
  const { failure } = await session.get({ failure: null });
  return /** @type {CloseReason | null} */ (failure);
}

/** @param {CloseReason | null} failure */
export async function saveFailure(failure) {
  await session.set({ failure });
}

/**
 * Attachments by tab id. They live in session storage because tab ids mean nothing after the browser restarts.
 *
 * @returns {Promise<Map<number, Attachment>>}
 */
export async function loadAttachments() {
  const { attachments } = await session.get({ attachments: [] });
  return new Map(/** @type {[number, Attachment][]} */ (attachments));
}

/** @param {Map<number, Attachment>} attachments */
export async function saveAttachments(attachments) {
  await session.set({ attachments: [...attachments] });
}
