/** @import {Box, DrivenContext, Remarks, Screenshot} from "../shared/types.d.ts" */

import { CommandError, failed } from "../shared/errors.js";
import { withoutDenied } from "../browser/denied-frames.js";
import { ElementTarget } from "../browser/element-target.js";
import { tabById } from "../browser/tabs.js";
import { endsWithin, pause } from "../browser/async.js";
import { optionalSelectorOf } from "./element-params.js";
import { integerIn } from "./params.js";

/** Base64 characters. Clients reject images of more than 5 MB. */
const MAX_DATA_LENGTH = 2_000_000;
const MAX_SIDE = 4_000;
const QUALITY = 80;
const MAX_ATTEMPTS = 4;
const MAX_REPEATS = 3;
const MAX_TAKES = 3;
const MAX_TRIES = 5;
const POLL_MS = 50;
/** A page that is drawn, and not very large, is captured within this time. */
const DRAW_MS = 3_000;

/**
 * Captures the viewport, a whole element, or the page in a window of the given size. One image pixel is one CSS pixel,
 * unless the image had to be scaled down.
 *
 * @param {DrivenContext} context `params`: `selector`, `width`, `height`, each may be null; `format`: what replaces a
 *   PNG that is too large, "jpeg" or else WebP, which not every client can read
 * @returns {Promise<Screenshot & Remarks>}
 * @throws {CommandError} INVALID_ARGUMENT, INVALID_SELECTOR, ELEMENT_NOT_FOUND, EXECUTION_ERROR
 */
export async function screenshot(context) {
  const { params, session } = context;
  const width = sideOf(params, "width");
  const height = sideOf(params, "height");
  if (width === null && height === null) return steadyCapture(context, null);
  const { cssLayoutViewport: now } = await session.send("Page.getLayoutMetrics");
  const size = { width: width ?? now.clientWidth, height: height ?? now.clientHeight };
  session.sendAtEnd("Emulation.clearDeviceMetricsOverride");
  await session.send("Emulation.setDeviceMetricsOverride", { ...size, deviceScaleFactor: 1, mobile: false });
  // Scroll bars take their space from the given size.
  session.sendAtEnd("Emulation.setScrollbarsHidden", { hidden: false });
  await session.send("Emulation.setScrollbarsHidden", { hidden: true });
  return steadyCapture(context, size);
}

/**
 * @param {Record<string, unknown>} params
 * @param {"width" | "height"} name
 */
function sideOf(params, name) {
  return (params[name] ?? null) === null ? null : integerIn(params, name, MAX_SIDE, MAX_SIDE);
}

/**
 * Captures a window whose size stayed the same meanwhile: a new tab gets its size late, and the browser's debugger bar
 * slides in.
 *
 * @param {DrivenContext} context
 * @param {{width: number, height: number} | null} size of the window, if it was given
 * @returns {Promise<Screenshot & Remarks>}
 */
async function steadyCapture(context, size) {
  const { session, params } = context;
  const selector = optionalSelectorOf(context);
  const target = new ElementTarget(context);
  const measure = () => session.send("Page.getLayoutMetrics");
  for (let takes = 1; ; takes += 1) {
    const selected = selector ? /** @type {Box} */ ((await target.find({ action: "show", selector })).box) : null;
    if (selected) await target.refuseDenied();
    let isResized = false;
    // Capturing beyond the viewport resizes it temporarily.
    void session.next("Page.frameResized").then(() => (isResized = true));
    const [before, { incognito }] = await Promise.all([measure(), tabById(context.tabId)]);
    const format = params["format"] === "jpeg" ? "jpeg" : "webp";
    const image = await withoutDenied(context, () =>
      capture(context, target, { selected, size, metrics: before, format, incognito }),
    );
    if (size || !isResized || takes === MAX_TAKES) return image;
    const after = await measure();
    if (isSameSize(before.cssLayoutViewport, after.cssLayoutViewport)) return image;
  }
}

/**
 * @param {{clientWidth: number, clientHeight: number}} a
 * @param {{clientWidth: number, clientHeight: number}} b
 */
function isSameSize(a, b) {
  return a.clientWidth === b.clientWidth && a.clientHeight === b.clientHeight;
}

/**
 * @param {DrivenContext} context
 * @param {ElementTarget} target
 * @param {object} what
 * @param {Box | null} what.selected
 * @param {{width: number, height: number} | null} what.size
 * @param {any} what.metrics of Page.getLayoutMetrics
 * @param {"webp" | "jpeg"} what.format for an image that is too large as a PNG
 * @param {boolean} what.incognito
 * @returns {Promise<Screenshot & Remarks>}
 */
async function capture(context, target, { selected, size, metrics, format, incognito }) {
  const viewport = { ...viewportOf(metrics), ...size };
  const box = selected ?? viewport;
  const fitting = Math.min(1, MAX_SIDE / box.width, MAX_SIDE / box.height);
  const { scale: pinch, zoom } = metrics.cssVisualViewport;
  const ratio = ratioOf(metrics);
  const image = await encoded(context, target, box, {
    largest: fitting,
    format,
    ratio,
    zoom,
    isWindow: !selected && !size && ratio === 1 && pinch === 1 && fitting === 1,
    captureBeyondViewport: selected !== null && !isWithin(selected, viewport),
  });
  const { data, mimeType, scale, shown } = image;
  const note = `Scaled down to limit its size: one pixel stands for ${round(1 / scale)} CSS pixels.`;
  return {
    data,
    mime_type: mimeType,
    width: Math.round(shown.width * scale),
    height: Math.round(shown.height * scale),
    incognito,
    ...(scale < 1 && { notes: [note] }),
  };
}

/**
 * PNG is fast and exact; an image that is too large becomes WebP or JPEG, and is then scaled down.
 *
 * @param {DrivenContext} context
 * @param {ElementTarget} target
 * @param {Box} box
 * @param {object} how
 * @param {number} how.largest scale that is allowed
 * @param {"webp" | "jpeg"} how.format
 * @param {number} how.ratio device pixels per CSS pixel
 * @param {number} how.zoom of the tab
 * @param {boolean} how.isWindow whether the PNG may show what the window shows, with its scroll bars, which takes less
 *   time than a clip
 * @param {boolean} how.captureBeyondViewport
 */
async function encoded(context, target, box, how) {
  const { largest, format, ratio, zoom, isWindow, captureBeyondViewport } = how;
  const { x, y, width, height } = box;
  const clip = { x: x * zoom, y: y * zoom, width: width * zoom, height: height * zoom };
  let scale = largest;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const isPng = attempt === 0;
    const isUnclipped = isPng && isWindow;
    const mimeType = isPng ? /** @type {const} */ ("image/png") : /** @type {const} */ (`image/${format}`);
    const data = await shoot(context, target, {
      ...(isPng ? { format: "png", optimizeForSpeed: true } : { format, quality: QUALITY }),
      ...(!isUnclipped && { clip: { ...clip, scale: scale / ratio } }),
      captureBeyondViewport,
    });
    if (data.length <= MAX_DATA_LENGTH) return { data, mimeType, scale, shown: isUnclipped ? sizeOfPng(data) : box };
    if (attempt > 0) scale *= Math.sqrt(MAX_DATA_LENGTH / data.length) * 0.9;
  }
  throw failed("The screenshot is too large. Choose a smaller element or a smaller size.");
}

/** @param {string} data base64 */
function sizeOfPng(data) {
  const start = Uint8Array.from(atob(data.slice(0, 32)), (character) => character.charCodeAt(0));
  const view = new DataView(start.buffer);
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

/**
 * Beyond the viewport, and in cross-origin frames, which are drawn by other processes, a busy browser may not have
 * drawn everything yet, so images are captured until two are identical.
 *
 * @param {DrivenContext} context
 * @param {ElementTarget} target for the image of an element
 * @param {{captureBeyondViewport: boolean} & Record<string, unknown>} how parameters of Page.captureScreenshot
 * @returns {Promise<string>} base64
 */
async function shoot(context, target, how) {
  const take = () => drawn(context, () => captured(context, how));
  const isInFrame = target.isFramed;
  // Determined first: a tab in the background draws only while it is captured.
  const drawing = isInFrame && target.look("nextDrawing");
  let data = await take();
  await drawing;
  // An image that is too large is discarded anyway.
  const isTakenAgain = (how.captureBeyondViewport || isInFrame) && data.length <= MAX_DATA_LENGTH;
  for (let i = 0; isTakenAgain && i < MAX_REPEATS; i += 1) {
    const before = data;
    data = await take();
    if (data === before) break;
  }
  return data;
}

/**
 * A page that was just opened, or a busy browser, sometimes has nothing to copy, and Chrome gives up at once. The next
 * attempt succeeds.
 *
 * @param {DrivenContext} context
 * @param {Record<string, unknown>} how parameters of Page.captureScreenshot
 * @returns {Promise<string>} base64
 */
async function captured({ session }, how) {
  for (let tries = 1; ; tries += 1) {
    try {
      return (await session.send("Page.captureScreenshot", how)).data;
    } catch (error) {
      const isRefused = error instanceof CommandError && error.code === "EXECUTION_ERROR";
      if (!isRefused || tries === MAX_TRIES) throw error;
      await pause(POLL_MS);
    }
  }
}

/**
 * A minimized window draws nothing, and often no image comes until another one is requested.
 *
 * @param {DrivenContext} context
 * @param {() => Promise<string>} take
 * @returns {Promise<string>}
 * @throws {CommandError} EXECUTION_ERROR, and those of `take`
 */
async function drawn({ tabId }, take) {
  const first = take();
  if (await endsWithin(DRAW_MS, first)) return first;
  const either = Promise.race([first, take()]);
  if (await endsWithin(DRAW_MS, either)) return either;
  const { state } = await chrome.windows.get((await tabById(tabId)).windowId);
  if (state !== "minimized") return either;
  throw failed(
    "The window is minimized, and the browser does not draw it. Ask the user to restore it, then try again.",
  );
}

/**
 * @param {any} metrics of Page.getLayoutMetrics
 * @returns {number} device pixels per CSS pixel
 */
function ratioOf({ layoutViewport, cssLayoutViewport }) {
  // A scroll bar may take the whole side of a small window.
  const side = cssLayoutViewport.clientWidth > 0 ? "clientWidth" : "clientHeight";
  return cssLayoutViewport[side] > 0 ? layoutViewport[side] / cssLayoutViewport[side] : 1;
}

/**
 * @param {any} metrics of Page.getLayoutMetrics
 * @returns {Box} in the document's coordinates
 */
function viewportOf({ cssVisualViewport: { pageX, pageY, clientWidth, clientHeight } }) {
  return { x: pageX, y: pageY, width: clientWidth, height: clientHeight };
}

/**
 * @param {Box} inner
 * @param {Box} outer
 */
function isWithin(inner, outer) {
  return (
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width &&
    inner.y + inner.height <= outer.y + outer.height
  );
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 100) / 100;
}
