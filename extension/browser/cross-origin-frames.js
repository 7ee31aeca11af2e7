/**
 * Cross-origin frames. A page knows its frames as elements, the extension API as ids. What both share is the path from
 * the main frame, made of each frame's index in its parent: both of our worlds can determine it without a message that
 * a page could see.
 *
 * @import {CommandContext, FrameTraits} from "../shared/types.d.ts"
 * @import {FramePage} from "./navigation-watch.js"
 */

import { CommandError } from "../shared/errors.js";
import { plainLine } from "../shared/text.js";
import { hostOf, isDenied } from "../shared/denied-hosts.js";
import { runInPage } from "./inject.js";
import { frameWithOwner } from "./page-owners.js";
import { endsWithin } from "./async.js";

/** A frame that is busy or still loading must not delay the others. */
const ANSWER_MS = 1_000;
const MAX_HOST_LENGTH = 200;

/** @typedef {chrome.webNavigation.GetAllFrameResultDetails} FrameDetails */
/** @typedef {FrameTraits & {url: string}} PageTraits */

/**
 * Returns the page in a cross-origin frame, with its owner's URL if hosts are denied.
 *
 * @param {CommandContext} context
 * @param {number} holderId the frame whose page found the element, possibly in a frame of its own site
 * @param {FrameTraits} element
 * @returns {Promise<FrameDetails[]>} one; none while no page in the frame answers; several if they look the same
 */
export async function pagesIn(context, holderId, element) {
  return pagesAmong(context, candidates(await framesOf(context), holderId, element), element);
}

/**
 * Returns the frames of denied hosts in a tab, and the frames inside them.
 *
 * @param {Pick<CommandContext, "tabId" | "deniedHosts">} context
 * @returns {Promise<FrameDetails[]>}
 */
export async function deniedFrames({ tabId, deniedHosts }) {
  if (!deniedHosts.length) return [];
  const frames = await framesOf({ tabId, deniedHosts });
  const denied = new Set(frames.filter(({ frameId, url }) => frameId !== 0 && isDenied(url, deniedHosts)));
  return frames.filter((frame) => wayTo(frame, frames).some((id) => [...denied].some(({ frameId }) => frameId === id)));
}

/**
 * @param {CommandContext} context
 * @param {number} depth 1 for frames of the main frame
 * @returns {Promise<boolean>} whether there are frames of denied hosts deeper than that
 */
export async function hasDeniedBelow(context, depth) {
  const frames = await framesOf(context);
  return (await deniedFrames(context)).some((frame) => wayTo(frame, frames).length > depth);
}

/**
 * @param {CommandContext} context
 * @param {number} holderId the frame whose page found the element
 * @param {FrameTraits} element
 * @returns {Promise<boolean>} whether the frame belongs to a denied host, or may: if elements look the same, or no page
 *   answers
 */
export async function mayBeDenied(context, holderId, element) {
  const near = candidates(await deniedFrames(context), holderId, element, await framesOf(context));
  if (!near.length) return false;
  const ids = new Set(near.map(({ frameId }) => frameId));
  const others = candidates(await framesOf(context), holderId, element).filter(({ frameId }) => !ids.has(frameId));
  // An index belongs to one frame.
  if (element.path.every((number) => number >= 0) && (await pagesAmong(context, others, element)).length) return false;
  const all = await Promise.all(near.map((page) => traitsOf(context, page)));
  return all.some((traits) => !traits || isSameWay(element.path, traits.path));
}

/**
 * @param {CommandContext} context
 * @param {number} holderId the frame whose page found the element
 * @param {FrameTraits} element
 * @param {{url: string}} [page] in the frame, if known
 * @throws {CommandError} HOST_BLOCKED
 */
export async function refuseDeniedFrame(context, holderId, element, page) {
  const isOut = page ? isDenied(page.url, context.deniedHosts) : await mayBeDenied(context, holderId, element);
  if (!isOut) return;
  const host = page && plainLine(hostOf(page.url), MAX_HOST_LENGTH);
  throw new CommandError(
    "HOST_BLOCKED",
    `The frame shows ${host || "a host"}, which the extension's options or [sites] deny. Nothing was done in it. Act ` +
      "on the page around it.",
  );
}

/**
 * @param {unknown} error
 * @returns {boolean} whether it is about a denied host
 */
export function isBlocked(error) {
  return error instanceof CommandError && error.code === "HOST_BLOCKED";
}

/**
 * @param {number[]} path of an element
 * @param {number[]} other of a page
 */
function isSameWay(path, other) {
  // -2 stands for any index.
  return path.every((number, index) => number === -2 || number === other[index]);
}

/**
 * @param {Pick<CommandContext, "tabId" | "deniedHosts">} context
 * @returns {Promise<FrameDetails[]>} if hosts are denied, with the URL of each frame's owner
 */
async function framesOf({ tabId, deniedHosts }) {
  const frames = (await chrome.webNavigation.getAllFrames({ tabId })) ?? [];
  return deniedHosts.length ? Promise.all(frames.map((frame) => frameWithOwner(tabId, frame))) : frames;
}

/**
 * @param {FrameDetails[]} frames
 * @param {number} holderId
 * @param {FrameTraits} element
 * @param {FrameDetails[]} [all] of the tab
 * @returns {FrameDetails[]} those at the element's depth
 */
function candidates(frames, holderId, { path }, all = frames) {
  return frames.filter((frame) => {
    const way = wayTo(frame, all);
    return way.length === path.length && (holderId === 0 || way.includes(holderId));
  });
}

/**
 * @param {CommandContext} context
 * @param {FrameDetails[]} pages
 * @param {FrameTraits} element
 * @returns {Promise<FrameDetails[]>}
 */
async function pagesAmong(context, pages, element) {
  const replies = pages.map(async (page) => {
    const traits = await traitsOf(context, page);
    if (traits?.path.join() !== element.path.join()) throw new Error("another frame");
    return { page, traits };
  });
  if (element.path.includes(-1)) return mostLike(element, (await Promise.allSettled(replies)).flatMap(valueOf));
  // Indexes decide at once, without the frames that have not replied.
  return Promise.any(replies)
    .then(({ page }) => [page])
    .catch(() => []);
}

/**
 * Frames in shadow roots have no index: they are distinguished by their size and by the URL that was set. A frame that
 * was just resized may not know its size yet, and a page may have navigated its frame.
 *
 * @param {FrameTraits} element
 * @param {{page: FrameDetails, traits: PageTraits}[]} all
 */
function mostLike({ width, height, src }, all) {
  const sized = all.filter(({ traits }) => isNear(traits.width, width) && isNear(traits.height, height));
  const sent = (sized.length ? sized : all).filter(({ traits }) => traits.url === src);
  const like = [sent, sized, all].find((some) => some.length) ?? [];
  return like.map(({ page }) => page);
}

/**
 * @template T
 * @param {PromiseSettledResult<T>} result
 */
function valueOf(result) {
  return result.status === "fulfilled" ? [result.value] : [];
}

/**
 * @param {number} a
 * @param {number} b
 */
function isNear(a, b) {
  return Math.abs(a - b) <= 1;
}

/**
 * @param {FrameDetails} frame
 * @param {FrameDetails[]} frames
 * @returns {number[]} ids of the frame and of those around it, without the main frame's
 */
function wayTo({ frameId, parentFrameId }, frames) {
  if (frameId === 0) return [];
  const parent = frames.find((frame) => frame.frameId === parentFrameId);
  return [...(parent ? wayTo(parent, frames) : []), frameId];
}

/**
 * @param {CommandContext} context
 * @param {FramePage} page
 * @returns {Promise<PageTraits | null>} null if it does not answer
 */
export async function traitsOf(context, page) {
  const answer = runInPage({ ...context, page }, { func: readTraits, args: [null] }).catch(() => null);
  return (await endsWithin(ANSWER_MS, answer)) ? /** @type {Promise<PageTraits | null>} */ (answer) : null;
}

/** Runs in the page. */
function readTraits() {
  const path = [];
  for (let view = /** @type {Window} */ (window); view !== view.parent; view = view.parent) {
    const { parent } = view;
    path.unshift(Array.from({ length: parent.length }, (_, index) => parent[index]).indexOf(view));
  }
  return { path, width: innerWidth, height: innerHeight, url: location.href };
}
