/**
 * Shows the result of a call. All of it is displayed as text: parts are written by pages.
 *
 * @import {Content, ToolResult} from "./vendor/mcp-client.js"
 */

import { copyText, make, makeButton } from "../extension/ui/dom.js";

/** The browser lays out long lines of text slowly. */
const SHOWN_LENGTH = 200_000;

/**
 * @param {ToolResult} result
 * @returns {{code: string, message: string} | null} null on success
 */
export function errorOf({ isError, structuredContent, content }) {
  if (!isError) return null;
  const { error } = /** @type {{error?: {code?: unknown, message?: unknown}}} */ (structuredContent ?? {});
  return { code: String(error?.code ?? "ERROR"), message: String(error?.message ?? textOf(content)) };
}

/** @param {Content[]} content */
export function textOf(content) {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n");
}

/**
 * @param {ToolResult} result
 * @returns {HTMLElement[]}
 */
export function contentElements(result) {
  const error = errorOf(result);
  if (error) return [make("p", { className: "error" }, error.message)];
  return result.content.flatMap((block) => {
    if (block.type === "text") return [textBlock(block.text)];
    if (block.type === "image") return [picture(block.data, block.mimeType)];
    return [make("p", { className: "hint" }, `Content of type ${block.type} cannot be shown here.`)];
  });
}

/** @param {string} text */
function textBlock(text) {
  const shown =
    text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}\n[${text.length - SHOWN_LENGTH} more]` : text;
  return make(
    "div",
    { className: "block" },
    makeButton("Copy", () => copyText(text), "Copy text"),
    make("pre", {}, shown),
  );
}

/**
 * @param {string} data Base64
 * @param {string} mimeType
 */
function picture(data, mimeType) {
  const kind = ["image/png", "image/webp", "image/jpeg"].includes(mimeType) ? mimeType : "image/png";
  const url = `data:${kind};base64,${data}`;
  const name = `screenshot.${kind.slice("image/".length)}`;
  const save = make("a", { href: url, download: name, className: "save" }, "Save");
  return make("figure", {}, make("img", { src: url, alt: "The image that the tool returned" }), save);
}

/**
 * @param {HTMLDetailsElement} details
 * @param {unknown} value undefined shows nothing
 */
export function showJson(details, value) {
  details.hidden = value === undefined;
  const pre = details.querySelector("pre");
  if (pre) pre.textContent = value === undefined ? "" : JSON.stringify(value, null, 2).slice(0, SHOWN_LENGTH);
}
