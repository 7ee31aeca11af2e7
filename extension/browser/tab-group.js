/**
 * Attached tabs are grouped in the browser's tab strip, one group per window. A tab that the user has pinned or put
 * into another group stays where it is.
 */

const TITLE = "Chrome Tab Reader";
const COLOR = "blue";

/** @type {Promise<unknown>} serializes changes: two tabs at once would open two groups */
let turn = Promise.resolve();

/**
 * @param {number[]} tabIds
 * @returns {Promise<void>} never rejects
 */
export function group(tabIds) {
  return inTurn(tabIds, async ({ id, windowId, groupId, pinned }) => {
    if (pinned || groupId !== chrome.tabGroups.TAB_GROUP_ID_NONE) return;
    const [ours] = await chrome.tabGroups.query({ title: TITLE, windowId });
    if (ours) return void (await chrome.tabs.group({ tabIds: id, groupId: ours.id }));
    const made = await chrome.tabs.group({ tabIds: id, createProperties: { windowId } });
    await chrome.tabGroups.update(made, { title: TITLE, color: COLOR });
  });
}

/**
 * @param {number[]} tabIds
 * @returns {Promise<void>} never rejects
 */
export function ungroup(tabIds) {
  return inTurn(tabIds, async ({ id, groupId }) => {
    if (groupId === chrome.tabGroups.TAB_GROUP_ID_NONE) return;
    if ((await chrome.tabGroups.get(groupId)).title === TITLE) await chrome.tabs.ungroup(id);
  });
}

/**
 * Ungroups what a former session has left: Chrome restores the groups of tabs that are no longer attached.
 *
 * @param {number[]} attached
 */
export async function ungroupOthers(attached) {
  const groups = await chrome.tabGroups.query({ title: TITLE });
  const tabs = (await Promise.all(groups.map(({ id }) => chrome.tabs.query({ groupId: id })))).flat();
  await ungroup(tabs.flatMap(({ id }) => (id === undefined || attached.includes(id) ? [] : [id])));
}

/**
 * @param {number[]} tabIds
 * @param {(tab: chrome.tabs.Tab & {id: number}) => Promise<void>} work
 */
async function inTurn(tabIds, work) {
  const mine = turn.then(async () => {
    for (const tabId of tabIds) {
      // It may have closed, be dragged right now, or be in a window without a tab strip.
      await chrome.tabs
        .get(tabId)
        .then((tab) => work({ ...tab, id: tabId }))
        .catch(() => {});
    }
  });
  turn = mine;
  await mine;
}
