/**
 * The only file that touches chrome.storage. A worker can be killed at any moment; what it must find again is here.
 *
 * @import {Attachment, CloseReason, PanelMemory, Settings} from "./types.d.ts"
 */

/** @type {Settings} */
const DEFAULT_SETTINGS = { pairing: null, wanted: true, autoReconnect: true };

// A script in a page's isolated world may read local storage unless it is told not to, and the key is there.
const locked = chrome.storage.local.setAccessLevel({ accessLevel: "TRUSTED_CONTEXTS" });

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
