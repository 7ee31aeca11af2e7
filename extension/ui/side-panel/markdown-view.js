/**
 * A model's Markdown as elements. Each is created by name and contains only text: nothing that a model writes becomes
 * markup, no image is loaded, and only web links become links.
 *
 * @import {Token} from "../../vendor/marked.js"
 */

import { make } from "../dom.js";

/** The page's own headings rank above an answer's. */
const HEADINGS = /** @type {const} */ (["h3", "h4", "h5", "h6"]);
/** Isolates text, so that it does not change the direction of other text. */
const OWN_DIRECTION = { dir: "auto" };
const INLINE = /** @type {const} */ ({ strong: "strong", em: "em", del: "del" });

/**
 * @param {Token[]} tokens of blocks
 * @returns {Node[]}
 */
export function elementsOf(tokens) {
  return tokens.filter(({ type }) => type !== "space" && type !== "def").map(block);
}

/**
 * @param {Token} token
 * @returns {Node}
 */
function block(token) {
  switch (token.type) {
    case "heading":
      return make(HEADINGS[Math.min(token.depth ?? 1, HEADINGS.length) - 1] ?? "h6", OWN_DIRECTION, ...inline(token));
    case "paragraph":
      return make("p", OWN_DIRECTION, ...inline(token));
    case "text":
    case "checkbox":
      return make("span", OWN_DIRECTION, ...inline(token));
    case "list":
      return list(token);
    case "blockquote":
      return make("blockquote", OWN_DIRECTION, ...elementsOf(token.tokens ?? []));
    case "code":
      return make("pre", OWN_DIRECTION, make("code", {}, token.text ?? ""));
    case "table":
      return table(token);
    case "hr":
      return make("hr");
    default:
      return make("p", OWN_DIRECTION, token.raw);
  }
}

/** @param {Token} token */
function list({ ordered, start, items = [] }) {
  const children = items.map((item) => make("li", OWN_DIRECTION, ...elementsOf(item.tokens ?? [])));
  return ordered ? make("ol", { start: Number(start) || 1 }, ...children) : make("ul", {}, ...children);
}

/** @param {Token} token */
function table({ header = [], rows = [] }) {
  const head = make("tr", {}, ...header.map((cell) => make("th", { scope: "col", ...OWN_DIRECTION }, ...inline(cell))));
  const body = rows.map((row) => make("tr", {}, ...row.map((cell) => make("td", OWN_DIRECTION, ...inline(cell)))));
  const whole = make("table", {}, make("thead", {}, head), make("tbody", {}, ...body));
  // A wide table scrolls by itself, also by keyboard.
  return make("div", { className: "wide", tabIndex: 0 }, whole);
}

/**
 * @param {Token} token
 * @returns {(Node | string)[]} its content
 */
function inline(token) {
  if (token.type === "checkbox") return [token.checked ? "☑ " : "☐ "];
  return (token.tokens ?? [{ type: "text", raw: token.raw, text: token.text ?? token.raw }]).map(piece);
}

/**
 * @param {Token} token
 * @returns {Node | string}
 */
function piece(token) {
  switch (token.type) {
    case "strong":
    case "em":
    case "del":
      return make(INLINE[token.type], {}, ...inline(token));
    case "codespan":
      return make("code", OWN_DIRECTION, token.text ?? "");
    case "br":
      return make("br");
    case "link":
      return link(token);
    case "image":
      return token.text ?? "";
    case "text":
    case "escape":
      return token.tokens ? make("span", {}, ...inline(token)) : (token.text ?? "");
    default:
      return token.raw;
  }
}

/** @param {Token} token */
function link(token) {
  const address = URL.parse(token.href ?? "");
  if (address?.protocol !== "https:" && address?.protocol !== "http:") {
    return make("span", OWN_DIRECTION, ...inline(token));
  }
  // Shows the destination: a model may have been tricked into a link whose text does not match it.
  const about = {
    href: address.href,
    target: "_blank",
    rel: "noopener noreferrer",
    title: address.href,
    ...OWN_DIRECTION,
  };
  return make("a", about, ...inline(token));
}
