/**
 * Frames of other sites. A page knows its frames as elements, the extension's API as numbers: what they share is the way
 * from the main frame, each frame's number among those of its parent, which both worlds of ours can ask for without a
 * message that a page could see.
 *
 * @import {CommandContext, ForeignFrame} from "../shared/types.d.ts"
 * @import {FramePage} from "./page-exits.js"
 */

import { runInPage } from "./page-access.js";
import { frameWithOwner } from "./page-owners.js";
import { endsWithin } from "./waiting.js";

/** A frame that is busy or still loading does not keep the others waiting. */
const ANSWER_MS = 1_000;

/** @typedef {chrome.webNavigation.GetAllFrameResultDetails} FrameDetails */
/** @typedef {{path: number[], width: number, height: number, url: string}} FrameTraits */

/**
 * The page in a frame of another site, with the address of its owner where hosts are denied.
 *
 * @param {CommandContext} context
 * @param {number} holderId the frame whose page has found the element, perhaps in a frame of its own site
 * @param {ForeignFrame} element
 * @returns {Promise<FrameDetails[]>} one; none while the frame has no page that answers; several that look the same
 */
export async function pagesIn(context, holderId, element) {
  const pages = await pagesAt(context, holderId, element);
  if (!context.deniedHosts.length) return pages;
  return Promise.all(pages.map((page) => frameWithOwner(context.tabId, page)));
}

/**
 * @param {CommandContext} context
 * @param {number} holderId
 * @param {ForeignFrame} element
 * @returns {Promise<FrameDetails[]>}
 */
async function pagesAt(context, holderId, element) {
  const frames = (await chrome.webNavigation.getAllFrames({ tabId: context.tabId })) ?? [];
  const near = frames.filter((frame) => {
    const way = wayTo(frame, frames);
    return way.length === element.path.length && (holderId === 0 || way.includes(holderId));
  });
  const asked = near.map(async (page) => {
    const traits = await traitsOf(context, page);
    if (traits?.path.join() !== element.path.join()) throw new Error("another frame");
    return { page, traits };
  });
  if (element.path.includes(-1)) return mostLike(element, (await Promise.allSettled(asked)).flatMap(valueOf));
  // Numbers tell at once, whoever else is still asked.
  return Promise.any(asked)
    .then(({ page }) => [page])
    .catch(() => []);
}

/**
 * Frames in shadow roots have no numbers: they are told apart by their size, and by the address that they were given.
 * A frame that was just resized has not heard of it, and a page may have led its frame elsewhere.
 *
 * @param {ForeignFrame} element
 * @param {{page: FrameDetails, traits: FrameTraits}[]} all
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
 * @returns {number[]} ids of the frames around it, with its own, without the main frame's
 */
function wayTo({ frameId, parentFrameId }, frames) {
  if (frameId === 0) return [];
  const parent = frames.find((frame) => frame.frameId === parentFrameId);
  return [...(parent ? wayTo(parent, frames) : []), frameId];
}

/**
 * @param {CommandContext} context
 * @param {FramePage} page
 * @returns {Promise<FrameTraits | null>} null when it does not answer
 */
async function traitsOf(context, page) {
  const answer = runInPage({ ...context, page }, { func: tellTraits, args: [null] }).catch(() => null);
  return (await endsWithin(ANSWER_MS, answer)) ? /** @type {Promise<FrameTraits | null>} */ (answer) : null;
}

/** Runs in the page. */
function tellTraits() {
  const path = [];
  for (let view = /** @type {Window} */ (window); view !== view.parent; view = view.parent) {
    const { parent } = view;
    path.unshift(Array.from({ length: parent.length }, (_, index) => parent[index]).indexOf(view));
  }
  return { path, width: innerWidth, height: innerHeight, url: location.href };
}
