/**
 * Which pages have left their tabs. A page that the browser keeps in memory for the way back stops in mid-sentence: what
 * was asked there is never answered, and does not fail either.
 */

/** @typedef {{frameId: number, documentId: string}} FramePage the page in a frame of a tab */

/** @type {Map<number, Set<(frameId: number, documentId: string) => void>>} the listeners for a tab's page, by tab */
const waiting = new Map();

/**
 * @param {{tabId: number, frameId: number, documentId?: string}} details of chrome.webNavigation's news: another page is
 *   there, or may be
 */
export function handleCommitted({ tabId, frameId, documentId = "" }) {
  for (const onLeave of waiting.get(tabId) ?? []) onLeave(frameId, documentId);
}

/**
 * @param {number} tabId
 * @param {FramePage} [page] in one of its frames; without it the page that is in the tab now
 * @returns what is known about that page: `left` resolves to null once it is there no longer
 */
export function leaving(tabId, page) {
  const frameId = page?.frameId ?? 0;
  const asked = page ? Promise.resolve(page.documentId) : documentIn(tabId, frameId);
  const { promise: left, resolve } = /** @type {PromiseWithResolvers<null>} */ (Promise.withResolvers());
  const hasLeft = async () => {
    const [before, now] = await Promise.all([asked, documentIn(tabId, frameId)]);
    return before !== now;
  };
  const onLeave = async (/** @type {number} */ committed, /** @type {string} */ documentId) => {
    // A frame goes with the page around it.
    if (committed !== frameId && committed !== 0) return;
    // The news of its own arrival may come late.
    if (documentId === (await asked)) return;
    // What the page said last may still be on its way.
    if (await hasLeft()) resolve(null);
  };
  const ofTab = waiting.get(tabId) ?? new Set();
  waiting.set(tabId, ofTab.add(onLeave));
  const forget = () => {
    ofTab.delete(onLeave);
    if (!ofTab.size && waiting.get(tabId) === ofTab) waiting.delete(tabId);
  };
  return { left, hasLeft, forget };
}

/**
 * @param {number} tabId
 * @param {number} frameId
 * @returns {Promise<string | undefined>} undefined when there is no page
 */
export async function documentIn(tabId, frameId) {
  const frame = await chrome.webNavigation.getFrame({ tabId, frameId }).catch(() => null);
  return frame?.documentId;
}
