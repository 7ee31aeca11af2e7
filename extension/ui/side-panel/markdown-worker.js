/**
 * Parses Markdown in a separate thread that can be terminated: the parser's time and depth are not bounded.
 *
 * @import {Token} from "../../vendor/marked.js"
 */

import { lexer } from "../../vendor/marked.js";

/** Anything nested deeper stays as it was written. */
const MAX_DEPTH = 24;
/** More pieces would keep the panel busy for seconds. */
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
    // Text that every level repeats would be sent once per level.
    const isLeaf = !tokens && !items && !rows;
    return {
      ...token,
      raw: isLeaf ? raw : "",
      ...(tokens && { tokens: bounded(tokens, depth + 1) }),
      ...(items && { items: bounded(items, depth + 1) }),
      // A cell has a property of the same name, which marks header cells.
      ...(rows && header && { header: bounded(header, depth + 1), rows: rows.map((row) => bounded(row, depth + 1)) }),
    };
  };
  return bounded(lexer(markdown), 0);
}

addEventListener("message", ({ data }) => {
  try {
    postMessage(parse(data));
  } catch {
    // Too deep or too large: the panel shows the text unformatted.
    postMessage(null);
  }
});
postMessage("ready");
