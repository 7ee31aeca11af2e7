/**
 * One reply, as the panel shows it.
 *
 * @import {Response, Screenshot} from "../../shared/types.d.ts"
 */

import { copyText, grouped, make, makeButton } from "../dom.js";

const SHOWN_LENGTH = 20_000;

/**
 * @param {Response} response
 * @param {HTMLButtonElement[]} buttons what can be done with it besides
 * @returns {HTMLElement[]}
 */
export function replyElements({ error, result }, buttons) {
  if (error) {
    const code = make("strong", { className: "code" }, error.code);
    return [
      make("p", { className: "error" }, code, " ", error.message),
      make("div", { className: "buttons" }, ...buttons),
    ];
  }
  const text = JSON.stringify(withoutPicture(result), null, 2);
  const json = make("pre", { tabIndex: 0, ariaLabel: "Reply", role: "region" }, text.slice(0, SHOWN_LENGTH));
  const all = JSON.stringify(result, null, 2);
  const copy = makeButton("Copy all", () => copyText(all));
  const isCut = text.length > SHOWN_LENGTH;
  const note = `The first ${grouped(SHOWN_LENGTH)} of ${grouped(text.length)} characters are shown.`;
  return [
    ...(isPicture(result) ? [picture(result)] : []),
    json,
    ...(isCut ? [make("p", { className: "hint" }, note)] : []),
    make("div", { className: "buttons" }, copy, ...buttons),
  ];
}

/**
 * @param {unknown} result
 * @returns {unknown} the same; of a picture only what is about it
 */
export function withoutPicture(result) {
  if (!isPicture(result)) return result;
  return { ...result, data: `(base64, ${grouped(result.data.length)} characters)` };
}

/**
 * @param {unknown} result
 * @returns {result is Screenshot}
 */
function isPicture(result) {
  return typeof result === "object" && result !== null && "mime_type" in result && "data" in result;
}

/** @param {Screenshot} screenshot */
function picture({ data, mime_type, width, height }) {
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  // Chrome opens no data: address in a tab; this one belongs to the extension and ends with the panel.
  const url = URL.createObjectURL(new Blob([bytes], { type: mime_type }));
  const image = make("img", { src: url, alt: `Screenshot, ${width} by ${height} pixels` });
  const button = make(
    "button",
    { type: "button", className: "picture", title: "Open the whole picture in a tab" },
    image,
  );
  button.addEventListener("click", () => void chrome.tabs.create({ url }));
  return button;
}
