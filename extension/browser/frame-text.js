/**
 * The frames in the page of a tab.
 *
 * @import {CommandContext, CrossOriginFrame} from "../shared/types.d.ts"
 * @import {FramePage} from "./navigation-watch.js"
 */

import { isDenied } from "../shared/denied-hosts.js";
import { deniedFrames, pagesIn } from "./cross-origin-frames.js";
import { askPage } from "./inject.js";
import { answerOf, ask } from "./page-elements.js";

const MAX_PAGES = 20;
const MAX_DEPTH = 3;
/** @type {import("./inject.js").PageFunction} */
const IS_CLOSED = { func: hasClosedFrame, args: [null] };

/**
 * @typedef {FramePage & {url: string, way: string}} FramedPage `way`: the selector of its frame, starting at the main
 *   frame
 */

/**
 * @param {CommandContext} context
 * @returns {Promise<FramePage[]>} the pages in frames of the tab's own origin, then those of `framedPages`
 */
export async function searchablePages(context) {
  const frames = await framesOf(context);
  const denied = new Set((await deniedFrames(context)).map(({ frameId }) => frameId));
  const origin = originOf(frames.find(({ frameId }) => frameId === 0)?.url ?? "");
  const own = frames.filter(
    ({ frameId, url }) =>
      frameId !== 0 && !denied.has(frameId) && (url.startsWith("about:") || originOf(url) === origin),
  );
  const pages = [...own, ...(areForeign(frames) ? await framedPages(context) : [])];
  // A sandboxed frame has an origin of its own, whatever its URL.
  return [...new Map(pages.map(({ frameId, documentId }) => [frameId, { frameId, documentId }])).values()];
}

/**
 * @param {CommandContext} context
 * @returns {Promise<number>} how many frames the tab's page has; 0 if it can read all frames of the tab itself: looking
 *   for them takes longer
 */
export async function countFrames(context) {
  const frames = await framesOf(context);
  const { length } = frames.filter(({ parentFrameId }) => parentFrameId === 0);
  const isClosed = areForeign(frames) || (length > 0 && (await askPage(context, () => IS_CLOSED)));
  return isClosed ? length : 0;
}

/** Runs in the page. A sandboxed frame has an origin of its own, whatever its URL. */
function hasClosedFrame() {
  const isClosed = (/** @type {HTMLIFrameElement} */ { contentDocument: inner }) => !inner || hasAny(inner);
  const hasAny = (/** @type {Document} */ page) =>
    [.../** @type {NodeListOf<HTMLIFrameElement>} */ (page.querySelectorAll("iframe, frame"))].some(isClosed);
  return hasAny(document);
}

/** @param {chrome.webNavigation.GetAllFrameResultDetails[]} frames of a tab */
function areForeign(frames) {
  return new Set(frames.filter(({ url }) => !url.startsWith("about:")).map(({ url }) => originOf(url))).size > 1;
}

/** @param {CommandContext} context */
async function framesOf({ tabId }) {
  return (await chrome.webNavigation.getAllFrames({ tabId })) ?? [];
}

/**
 * The cross-origin frames that the user sees. Omits frames that are too small to read, and those of denied hosts.
 *
 * @param {CommandContext} context of a tab that has foreign frames
 * @param {CrossOriginFrame[] | null} [frames] of its own page, if they are known
 * @returns {Promise<FramedPage[]>} at most 20, each before those inside it
 */
export async function framedPages(context, frames) {
  return (await pagesWithin(context, undefined, 1, frames)).slice(0, MAX_PAGES);
}

/** @param {string} url */
function originOf(url) {
  return URL.canParse(url) ? new URL(url).origin : url;
}

/**
 * @param {CommandContext} context
 * @param {FramedPage | undefined} page in a frame; without it the tab's own
 * @param {number} depth
 * @param {CrossOriginFrame[] | null} [known] its frames
 * @returns {Promise<FramedPage[]>}
 */
async function pagesWithin(context, page, depth, known) {
  const script = ask("readableFrames", { way: page?.way ?? "" });
  const frames = known ?? /** @type {CrossOriginFrame[] | null} */ (await answerOf(context, page, () => script));
  const all = frames?.length && depth < MAX_DEPTH ? await framesOf(context) : [];
  const found = await Promise.all(
    (frames ?? []).slice(0, MAX_PAGES).map(async (frame) => {
      const [inner, ...others] = await pagesIn(context, page?.frameId ?? 0, frame);
      if (!inner || others.length || isDenied(inner.url, context.deniedHosts)) return [];
      const { frameId, documentId, url } = inner;
      const framed = { frameId, documentId, url, way: frame.selector };
      const hasInner = all.some(({ parentFrameId }) => parentFrameId === frameId);
      return [framed, ...(hasInner ? await pagesWithin(context, framed, depth + 1) : [])];
    }),
  );
  return found.flat();
}
