/** Whether the browser lets the extension into a page. */

const LOOK_MS = 3_000;

/**
 * @param {number} tabId
 * @returns {Promise<boolean | undefined>} undefined where the page does not answer in time; nothing of it is read
 */
export async function isOpenToUs(tabId) {
  const look = chrome.scripting.executeScript({ target: { tabId }, func: () => {}, injectImmediately: true });
  const time = new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  const open = look.then(Boolean).catch(() => false);
  return Promise.race([open, time.then(() => undefined)]);
}
