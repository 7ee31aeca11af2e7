/**
 * Which pages have left their tabs. A page that moves to the back/forward cache stops immediately: requests to it are
 * never answered, and do not fail either.
 */

/** @typedef {{frameId: number, documentId: string}} FramePage the page in a frame of a tab */

/**
 * @type {Map<number, Set<(frameId: number, documentId: string) => void>>} listeners for changes of a tab's pages, by
 *   tab
 */
const waiting = new Map();

/**
 * @param {{tabId: number, frameId: number, documentId?: string}} details of a chrome.webNavigation event: another page
 *   is there, or may be
 */
export function handleCommitted({ tabId, frameId, documentId = "" }) {
  for (const onLeave of waiting.get(tabId) ?? []) onLeave(frameId, documentId);
}

/**
 * @param {number} tabId
 * @param {FramePage} [page] in one of its frames; without it the tab's current page
 * @returns about that page: `left` resolves to null once it has left
 */
export function leaving(tabId, page) {
  const frameId = page?.frameId ?? 0;
  const first = page ? Promise.resolve(page.documentId) : documentIn(tabId, frameId);
  const { promise: left, resolve } = /** @type {PromiseWithResolvers<null>} */ (Promise.withResolvers());
  const hasLeft = async () => {
    const [before, now] = await Promise.all([first, documentIn(tabId, frameId)]);
    return before !== now;
  };
  const onLeave = async (/** @type {number} */ committed, /** @type {string} */ documentId) => {
    // A frame leaves with the page around it.
    if (committed !== frameId && committed !== 0) return;
    // The event of its own arrival may come late.
    if (documentId === (await first)) return;
    // The page's last message may still be in transit.
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
 * @returns {Promise<string | undefined>} undefined if there is no page
 */
export async function documentIn(tabId, frameId) {
  const frame = await chrome.webNavigation.getFrame({ tabId, frameId }).catch(() => null);
  return frame?.documentId;
}
