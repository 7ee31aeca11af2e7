"use strict";

// What a block's features say for it or against it: logistic regression, trained by bench/learn_main_content.py.

const blockModel = (() => {
  const WEIGHTS = Object.entries({
    words: -0.285,
    linked: -0.452,
    endsSentence: 0.601,
    heading1: 0.531,
    heading2: 1.35,
    heading4: 0.455,
    in_article: 0.341,
    in_blockquote: 1.89,
    in_footer: -5.96,
    in_form: -1.01,
    in_header: -1.97,
    in_label: -2.87,
    in_li: 0.396,
    in_p: 0.416,
    in_pre: 0.762,
    isMain: 0.202,
    isNamedContent: 0.731,
    boilerplate: -0.331,
    controls: -0.369,
    about: -0.277,
    containerLinked: 0.446,
    outerLinked: -0.528,
    outermostShare: 0.146,
    position: -1.82,
    beforeTitle: -2.45,
    previousWords: 0.0963,
    nextWords: 0.129,
    previousReadable: 0.0856,
    nextReadable: 0.165,
    betweenReadable: 0.547,
    kindBlocks: 0.472,
    kindWords: 0.572,
    kindLinked: 0.0803,
    pageChars: -0.467,
    readable: -0.472,
    readableShare: -1.16,
    readableLongShare: 0.123,
    readableOfMuch: 0.925,
    readableOfMuchLong: 1.23,
  });
  const BIAS = 2.89;
  /** How much likelier a block has to be for each character of its page; what is as likely as `CERTAIN` is always kept. */
  const PRICE = 15e-6;
  const CERTAIN = 0.92;
  /** From that share of the text on a page is read for its code, and each line may be asked about. */
  const MUCH_CODE = 0.03;

  /** @param {Record<string, number>} features */
  function likelihoodOf(features) {
    let score = BIAS;
    for (const [name, weight] of WEIGHTS) score += weight * (features[name] ?? 0);
    return 1 / (1 + Math.exp(-score));
  }

  /**
   * The highest F1 that can be expected comes from keeping what is likelier than half of it. More is asked the longer
   * the page is, because a model reads each character.
   *
   * @param {{chars: number, likelihood: number}[]} blocks
   * @param {boolean} isFree whether characters cost nothing
   * @returns {number} the likelihood from which on a block is kept
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
   * @param {Record<string, number>[]} features of each
   * @returns {boolean[]} which are content
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
