/** Whether the extension can access a page. */

const LOOK_MS = 3_000;

/**
 * @param {number} tabId
 * @returns {Promise<boolean | undefined>} undefined if the page does not answer in time; nothing in the page is read
 */
export async function isOpenToUs(tabId) {
  const look = chrome.scripting.executeScript({ target: { tabId }, func: () => {}, injectImmediately: true });
  const time = new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  const open = look.then(Boolean).catch(() => false);
  return Promise.race([open, time.then(() => undefined)]);
}
