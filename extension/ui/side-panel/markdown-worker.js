/**
 * Parses Markdown in a thread of its own, which can be ended: the parser's time and depth have no bound.
 *
 * @import {Token} from "../../vendor/marked.js"
 */

import { lexer } from "../../vendor/marked.js";

/** What is deeper stays as it was written. */
const MAX_DEPTH = 24;
/** Of more pieces the panel would be busy for seconds. */
const MAX_TOKENS = 20_000;

class TooLarge extends Error {}

/**
 * @param {string} markdown
 * @returns {Token[]} with what the view needs
 * @throws {TooLarge} for more than 20,000 pieces
 */
function parse(markdown) {
  let count = 0;
  /** @type {(tokens: Token[], depth: number) => Token[]} */
  const bounded = (tokens, depth) => {
    count += tokens.length;
    if (count > MAX_TOKENS) throw new TooLarge();
    return tokens.map((token) => within(token, depth));
  };
  /** @type {(token: Token, depth: number) => Token} */
  const within = ({ raw, tokens, items, header, rows, ...token }, depth) => {
    if (depth === MAX_DEPTH) return { type: "text", raw, text: raw };
    // A text that stands at every level would be sent once for each.
    const isLeaf = !tokens && !items && !rows;
    return {
      ...token,
      raw: isLeaf ? raw : "",
      ...(tokens && { tokens: bounded(tokens, depth + 1) }),
      ...(items && { items: bounded(items, depth + 1) }),
      // A cell says by a property of the same name whether it is one of the header.
      ...(rows && header && { header: bounded(header, depth + 1), rows: rows.map((row) => bounded(row, depth + 1)) }),
    };
  };
  return bounded(lexer(markdown), 0);
}

addEventListener("message", ({ data }) => {
  try {
    postMessage(parse(data));
  } catch {
    // Too deep or too large: the panel shows the text as it is.
    postMessage(null);
  }
});
postMessage("ready");
