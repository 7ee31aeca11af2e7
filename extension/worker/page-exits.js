/**
 * Which pages have left their tabs. A page that the browser keeps in memory for the way back stops in mid-sentence: what
 * was asked there is never answered, and does not fail either.
 */

/** @type {Map<number, Set<(documentId: string) => void>>} whoever waits for the tab's page, by tab */
const waiting = new Map();

/** @param {{tabId: number, frameId: number, documentId?: string}} details of chrome.webNavigation.onCommitted */
export function handleCommitted({ tabId, frameId, documentId = "" }) {
  if (frameId === 0) for (const tell of waiting.get(tabId) ?? []) tell(documentId);
}

/**
 * @param {number} tabId
 * @returns what is known about the page that is in the tab now: `left` resolves to null once it is in it no longer
 */
export function leaving(tabId) {
  const asked = documentIn(tabId);
  const { promise: left, resolve } = /** @type {PromiseWithResolvers<null>} */ (Promise.withResolvers());
  const hasLeft = async () => {
    const [before, now] = await Promise.all([asked, documentIn(tabId)]);
    return before !== now;
  };
  const tell = async (/** @type {string} */ documentId) => {
    // The news of its own arrival may come late.
    if (documentId === (await asked)) return;
    // What the page said last may still be on its way.
    if (await hasLeft()) resolve(null);
  };
  const ofTab = waiting.get(tabId) ?? new Set();
  waiting.set(tabId, ofTab.add(tell));
  const forget = () => {
    ofTab.delete(tell);
    if (!ofTab.size && waiting.get(tabId) === ofTab) waiting.delete(tabId);
  };
  return { left, hasLeft, forget };
}

/**
 * @param {number} tabId
 * @returns {Promise<string | undefined>} undefined when the tab has no page
 */
async function documentIn(tabId) {
  const frame = await chrome.webNavigation.getFrame({ tabId, frameId: 0 }).catch(() => null);
  return frame?.documentId;
}
