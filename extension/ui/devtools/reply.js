/**
 * One reply, as the panel shows it.
 *
 * @import {MessageKey} from "../../shared/messages.js"
 * @import {ErrorCode, Response, Screenshot} from "../../shared/types.d.ts"
 */

import { phrase } from "../../shared/messages.js";
import { copyText, grouped, make, makeButton, setText } from "../dom.js";

const SHOWN_LENGTH = 20_000;

/** The worker's messages are written for an agent; these errors have instructions for the panel's user. */
/** @type {Partial<Record<ErrorCode, MessageKey>>} */
const FOR_THE_USER = {
  TAB_NOT_ATTACHED: "replyNotAttached",
  EVALUATE_NOT_ALLOWED: "replyNoEvaluate",
  PRIVATE_NOT_ALLOWED: "replyNoPrivate",
  TAB_DISCONNECTED: "replyTabGone",
};

/**
 * @param {{code: ErrorCode, message: string}} error
 * @returns {string} what happened, and what to do next in the panel
 */
export function sentenceFor({ code, message }) {
  const ours = FOR_THE_USER[code];
  return ours ? phrase(ours) : message;
}

/**
 * @param {Response} response
 * @param {HTMLButtonElement[]} buttons additional actions for the reply
 * @returns {HTMLElement[]}
 */
export function replyElements({ error, result }, buttons) {
  if (error) {
    return [
      make("p", { className: "error", dir: "auto" }, sentenceFor(error)),
      make("div", { className: "buttons" }, ...buttons),
    ];
  }
  const text = JSON.stringify(withoutPicture(result), null, 2);
  const json = make("pre", { tabIndex: 0, ariaLabel: phrase("reply"), role: "region" }, text.slice(0, SHOWN_LENGTH));
  const all = JSON.stringify(result, null, 2);
  const copy = makeButton(phrase("copyAll"), () => copyText(all));
  const [picture, ...ofPicture] = isPicture(result) ? pictureElements(result) : [];
  const isCut = text.length > SHOWN_LENGTH;
  const note = phrase("replyCut", grouped(SHOWN_LENGTH), grouped(text.length));
  return [
    ...(picture ? [picture] : []),
    json,
    ...(isCut ? [make("p", { className: "hint" }, note)] : []),
    make("div", { className: "buttons" }, ...(picture ? ofPicture : [copy]), ...buttons),
  ];
}

/**
 * @param {unknown} result
 * @returns {unknown} the same; of an image only its metadata
 */
export function withoutPicture(result) {
  if (!isPicture(result)) return result;
  return { ...result, data: phrase("base64", grouped(result.data.length)) };
}

/**
 * @param {unknown} result
 * @returns {result is Screenshot}
 */
function isPicture(result) {
  return typeof result === "object" && result !== null && "mime_type" in result && "data" in result;
}

/**
 * @param {Screenshot} screenshot
 * @returns {HTMLElement[]} the image, then its actions
 */
function pictureElements({ data, mime_type, width, height }) {
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  const blob = new Blob([bytes], { type: mime_type });
  // Chrome does not open data: URLs in a tab; this URL belongs to the extension and ends with the panel.
  const url = URL.createObjectURL(blob);
  const image = make("img", { src: url, alt: phrase("screenshotOf", width, height) });
  const open = make("button", { type: "button", className: "picture", title: phrase("pictureOpen") }, image);
  open.addEventListener("click", () => void chrome.tabs.create({ url }));
  const name = `screenshot-${new Date().toISOString().slice(0, 19).replaceAll(":", "-")}.${mime_type.split("/")[1]}`;
  const save = makeButton(
    phrase("save"),
    () => make("a", { href: url, download: name }).click(),
    phrase("pictureSave"),
  );
  const copy = makeButton(phrase("copy"), () => void copyPicture(image, outcome), phrase("pictureCopy"));
  const outcome = make("span", { className: "hint", role: "status" });
  return [open, save, copy, outcome];
}

/**
 * @param {HTMLImageElement} image
 * @param {HTMLElement} outcome element that shows the outcome
 */
async function copyPicture(image, outcome) {
  try {
    const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
    canvas.getContext("2d")?.drawImage(image, 0, 0);
    // The clipboard accepts no other image type.
    const png = canvas.convertToBlob({ type: "image/png" });
    await navigator.clipboard.write([new ClipboardItem({ "image/png": png })]);
    setText(outcome, phrase("copied"));
  } catch {
    setText(outcome, phrase("pictureNoCopy"));
  }
}
