"use strict";

// What a block's features say for it or against it: logistic regression, trained by bench/learn_main_content.py.

const blockModel = (() => {
  const WEIGHTS = Object.entries({
    words: -0.287,
    linked: -0.866,
    endsSentence: 0.574,
    heading1: 0.487,
    heading2: 1.36,
    heading4: 0.572,
    in_article: 0.242,
    in_blockquote: 1.54,
    in_footer: -6.05,
    in_form: -0.886,
    in_header: -2.06,
    in_label: -2.86,
    in_li: 0.4,
    in_p: 0.432,
    in_pre: -0.0894,
    isMain: 0.198,
    isNamedContent: 0.717,
    boilerplate: -0.324,
    controls: -0.372,
    about: -0.225,
    containerLinked: 0.589,
    outerLinked: -0.617,
    outermostShare: 0.126,
    position: -1.75,
    beforeTitle: -2.05,
    previousWords: 0.107,
    nextWords: 0.174,
    previousReadable: -0.0503,
    nextReadable: 0.101,
    betweenReadable: 0.43,
    kindBlocks: 0.45,
    kindWords: 0.585,
    kindLinked: 0.437,
    pageChars: -0.502,
    readable: -0.391,
    readableShare: -1.41,
    readableLongShare: 0.122,
    readableOfMuch: 1.39,
    readableOfMuchLong: 0.933,
    repeated: 0.494,
    copies: -0.562,
  });
  const BIAS = 3.24;
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
