/**
 * Frames of denied hosts on pages of allowed ones: they get no input, and screenshots do not show them.
 *
 * @import {CommandContext, DrivenContext, FrameTraits, Point} from "../shared/types.d.ts"
 * @import {FramePage} from "./navigation-watch.js"
 */

import { CommandError } from "../shared/errors.js";
import {
  deniedFrames,
  hasDeniedBelow,
  mayBeDenied,
  pagesIn,
  refuseDeniedFrame,
  traitsOf,
} from "./cross-origin-frames.js";
import { unreadable } from "./inject.js";
import { answerOf, ask } from "./page-elements.js";

const MAX_DEPTH = 10;
/**
 * A page cannot set `:target` on such an element, or override an important user rule. The focus stays where it is,
 * unlike with `visibility`. Chrome draws a frame of another process despite its `opacity` if `-webkit-box-reflect` is
 * set around it. Snapshots of a view transition may have been taken before.
 */
const HIDING = {
  css: `:is(iframe, frame, object, embed, fencedframe):target {
      opacity: 0 !important;
      clip-path: inset(100%) !important;
      transition: none !important;
    }
    ::view-transition { display: none !important; }`,
  origin: /** @type {const} */ ("USER"),
};
const MAX_TRIES = 3;

/**
 * Checks where an input will go before it is sent.
 *
 * @param {CommandContext} context
 * @param {Point} [point] of the mouse, in the viewport; without it, checks the keyboard focus
 * @throws {CommandError} HOST_BLOCKED
 */
export async function refuseInput(context, point) {
  const denied = await deniedFrames(context);
  if (!denied.length) return;
  if (!point) {
    await refuseAt(context);
    // The browser moves the focus into a frame of another process by messages: answers that each process gives now come
    // after those.
    await Promise.all(denied.map((page) => traitsOf(context, page)));
  }
  await refuseAt(context, point);
}

/**
 * @param {CommandContext} context
 * @param {Point} [point]
 * @throws {CommandError} HOST_BLOCKED
 */
async function refuseAt(context, point) {
  /** @type {FramePage | undefined} */
  let page;
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    const spot = point;
    const answer = /** @type {{frame?: FrameTraits, point?: Point} | null} */ (
      await answerOf(context, page, () => ask("frameWithInput", spot ? { point: spot } : {}))
    );
    if (answer && !answer.frame) return;
    const holderId = page?.frameId ?? 0;
    if (answer?.frame) await refuseDeniedFrame(context, holderId, answer.frame);
    [page] = answer?.frame ? await pagesIn(context, holderId, answer.frame) : [];
    if (!page) break;
    point = answer?.point;
  }
  throw new CommandError(
    "HOST_BLOCKED",
    "The page contains a frame of a denied host, and the input might go there. Nothing was done. Try again, or act " +
      "elsewhere on the page.",
  );
}

/**
 * Captures an image without the content of frames of denied hosts.
 *
 * @template T
 * @param {DrivenContext} context
 * @param {() => Promise<T>} take
 * @returns {Promise<T>}
 * @throws {CommandError} HOST_BLOCKED if such frames come and go meanwhile
 */
export async function withoutDenied(context, take) {
  const pages = async () => (await deniedFrames(context)).map(({ documentId }) => documentId).join();
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const before = await pages();
    if (before) await hide(context);
    const image = await take();
    if ((await pages()) !== before) continue;
    if (before) context.session.addNote("Frames of denied hosts are left out of the screenshot.");
    return image;
  }
  throw new CommandError(
    "HOST_BLOCKED",
    "Frames of a denied host keep appearing on the page, so no screenshot can be taken without them. Try again when " +
      "the page no longer changes.",
  );
}

/**
 * Hides them until the command ends. The page itself does it, in the process that draws the image: a rule inside a
 * frame of another process would take effect at that process's own time.
 *
 * @param {DrivenContext} context
 */
async function hide(context) {
  const { session, tabId } = context;
  const rules = (await ownFrames(tabId)).map((id) => ({ target: { tabId, frameIds: [id] }, ...HIDING }));
  session.atEnd(() => Promise.allSettled(rules.map((rule) => chrome.scripting.removeCSS(rule))));
  // A frame that is gone or inaccessible to extensions shows no element of the page's own.
  await Promise.allSettled(rules.map((rule) => chrome.scripting.insertCSS(rule)));
  for (const domain of ["DOM", "CSS"]) session.sendAtEnd(`${domain}.disable`);
  await session.send("DOM.enable");
  await session.send("DOM.getDocument", { depth: 0 });
  await session.send("CSS.enable");
  for (const index of await showingDenied(context)) {
    const { result } = await session.evaluateInOwnWorld(`chromeTabReader.holder(${index})`);
    const { nodeId } = await session.send("DOM.requestNode", { objectId: result.objectId });
    await session.send("CSS.forcePseudoState", { nodeId, forcedPseudoClasses: ["target"] });
  }
}

/**
 * @param {number} tabId
 * @returns {Promise<number[]>} the main frame and the frames whose elements its scripts can reach
 */
async function ownFrames(tabId) {
  const frames = (await chrome.webNavigation.getAllFrames({ tabId })) ?? [];
  const originOf = (/** @type {string | undefined} */ url) => URL.parse(url ?? "")?.origin;
  const own = originOf(frames.find(({ frameId }) => frameId === 0)?.url);
  return frames.filter(({ url }) => url.startsWith("about:") || originOf(url) === own).map(({ frameId }) => frameId);
}

/**
 * @param {CommandContext} context
 * @param {FramePage} [page] in a cross-origin frame; without it the tab's own
 * @returns {Promise<number[]>} the page's frames that show something of a denied host, possibly in a nested frame
 */
async function showingDenied(context, page) {
  const script = ask("findHolders", {});
  const all = /** @type {(FrameTraits & {isVisible: boolean})[] | null} */ (
    await answerOf(context, page, () => script)
  );
  // If the page has left, what it shows is unknown.
  if (!all && page) return [0];
  if (!all) throw unreadable("The page hides its frames from the extension. Read it with read_chrome_tab instead.");
  const holderId = page?.frameId ?? 0;
  const shown = await Promise.all(
    all.map(async (frame) => {
      if (page && !frame.isVisible) return false;
      if (await mayBeDenied(context, holderId, frame)) return true;
      if (!(await hasDeniedBelow(context, frame.path.length))) return false;
      const inner = await pagesIn(context, holderId, frame);
      if (!inner.length) return true;
      const within = inner.map(async (each) => (await showingDenied(context, each)).length > 0);
      return (await Promise.all(within)).some(Boolean);
    }),
  );
  return [...all.keys()].filter((index) => shown[index]);
}
