/**
 * The numbers in an answer that lead to the passages behind its sentences.
 *
 * They are inserted into the Markdown as private-use characters, which pass through the parser as text, and become
 * buttons in the resulting elements.
 *
 * @import {AnswerEvidence} from "../../shared/types.d.ts"
 */

import { phrase } from "../../shared/messages.js";
import { make, makeButton } from "../dom.js";

/** @typedef {{passage: string, tabId: number | null}} Reference */

const OPEN = "\uf8f0";
const CLOSE = "\uf8f1";
/** They stay on one line with the number behind them. */
const LAST_LETTERS = /\S{0,12}$/;
const MARKERS = new RegExp(`${OPEN}(\\d+)${CLOSE}`);

/**
 * @param {string} text Markdown
 * @param {AnswerEvidence[]} evidence in the order of the text
 * @returns {{text: string, references: Reference[]}} the text with a marker after each sentence that has a passage
 */
export function numbered(text, evidence) {
  /** @type {Reference[]} */
  const references = [];
  let marked = "";
  let done = 0;
  for (const { end, passage, tab_id: tabId = null } of evidence) {
    if (passage === null || end < done || end > text.length) continue;
    references.push({ passage, tabId });
    // The white space after a sentence may be a line break.
    const place = done + text.slice(done, end).trimEnd().length;
    marked += `${text.slice(done, place)}${OPEN}${references.length}${CLOSE}`;
    done = place;
  }
  return { text: marked + text.slice(done), references };
}

/**
 * Replaces the markers in elements with buttons.
 *
 * @param {Node[]} elements
 * @param {Reference[]} references
 * @param {(reference: Reference, button: HTMLButtonElement) => void} onChoose
 */
export function linkNumbers(elements, references, onChoose) {
  for (const element of elements) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    /** @type {Text[]} */
    const texts = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node instanceof Text && node.data.includes(OPEN)) texts.push(node);
    }
    for (const text of texts) {
      const [first = "", ...rest] = text.data.split(MARKERS);
      /** @type {Node[]} */
      const nodes = [];
      let before = first;
      for (let i = 0; i < rest.length; i += 2) {
        const reference = references[Number(rest[i]) - 1];
        const word = reference ? (LAST_LETTERS.exec(before)?.[0] ?? "") : "";
        nodes.push(new Text(before.slice(0, before.length - word.length)));
        if (reference) {
          nodes.push(make("span", { className: "numbered" }, word, numberButton(String(rest[i]), reference, onChoose)));
        }
        before = rest[i + 1] ?? "";
      }
      text.replaceWith(...nodes, new Text(before));
    }
  }
}

/**
 * @param {string} number
 * @param {Reference} reference
 * @param {(reference: Reference, button: HTMLButtonElement) => void} onChoose
 */
function numberButton(number, reference, onChoose) {
  const button = makeButton(number, () => onChoose(reference, button));
  button.className = "reference";
  button.title = reference.passage;
  button.ariaLabel = phrase("referenceShow", number);
  return button;
}
