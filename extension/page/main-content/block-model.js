"use strict";

// What a block's features say for it or against it: logistic regression, trained by bench/learn_main_content.py.

const blockModel = (() => {
  const WEIGHTS = Object.entries({
    words: -0.232,
    linked: -0.703,
    endsSentence: 0.614,
    heading1: 0.476,
    heading2: 1.29,
    heading4: 0.619,
    in_article: 0.272,
    in_blockquote: 1,
    in_footer: -5.52,
    in_form: -0.917,
    in_header: -1.38,
    in_label: -2.82,
    in_li: 0.415,
    in_p: 0.471,
    in_pre: -0.0932,
    isMain: 0.189,
    isNamedContent: 0.657,
    boilerplate: -0.312,
    controls: -0.349,
    about: -0.19,
    containerLinked: 0.445,
    outerLinked: -0.419,
    outermostShare: 0.105,
    position: -1.7,
    beforeTitle: -1.94,
    previousWords: 0.0944,
    nextWords: 0.176,
    previousReadable: 0.088,
    nextReadable: 0.0796,
    betweenReadable: 0.337,
    kindBlocks: 0.43,
    kindWords: 0.544,
    kindLinked: 0.389,
    pageChars: -0.457,
    readable: -0.315,
    readableShare: -1.03,
    readableLongShare: -0.184,
    readableOfMuch: 0.939,
    readableOfMuchLong: 1.21,
    repeated: 0.371,
    copies: -0.275,
  });
  const BIAS = 2.72;
  /** By how much the threshold rises per character of the page; blocks as likely as `CERTAIN` are always kept. */
  const PRICE = 10e-6;
  const CERTAIN = 0.85;
  /** From this share of text on, the page is about code, and any line may be asked about. */
  const MUCH_CODE = 0.03;

  /** @param {Record<string, number>} features */
  function likelihoodOf(features) {
    let score = BIAS;
    for (const [name, weight] of WEIGHTS) score += weight * (features[name] ?? 0);
    return 1 / (1 + Math.exp(-score));
  }

  /**
   * The expected F1 is highest when blocks likelier than half of that F1 are kept. The threshold rises with the length
   * of the page, because a model must read every character.
   *
   * @param {{chars: number, likelihood: number}[]} blocks
   * @param {boolean} isFree whether characters cost nothing
   * @returns {number} the minimum likelihood of blocks to keep
   */
  function thresholdOf(blocks, isFree) {
    const expected = blocks.reduce((sum, { chars, likelihood }) => sum + chars * likelihood, 0);
    const best = { f1: 0, chars: 0 };
    let [kept, right] = [0, 0];
    for (const { chars, likelihood } of [...blocks].sort((a, b) => b.likelihood - a.likelihood)) {
      kept += chars;
      right += chars * likelihood;
      const f1 = (2 * right) / (kept + expected);
      if (f1 > best.f1) Object.assign(best, { f1, chars: kept + expected });
    }
    return Math.min(CERTAIN, best.f1 / 2 + (isFree ? 0 : PRICE * best.chars));
  }

  /**
   * @param {{text: string}[]} blocks of a page
   * @param {Record<string, number>[]} features of each block
   * @returns {boolean[]} which blocks are content
   */
  function areContent(blocks, features) {
    const weighed = blocks.map(({ text }, i) => ({ chars: text.length, likelihood: likelihoodOf(features[i] ?? {}) }));
    const all = weighed.reduce((sum, { chars }) => sum + chars, 0);
    const code = weighed.reduce((sum, { chars }, i) => sum + chars * (features[i]?.in_pre ?? 0), 0);
    const threshold = thresholdOf(weighed, code > MUCH_CODE * all);
    return weighed.map(({ likelihood }) => likelihood >= threshold);
  }

  return { areContent };
})();
