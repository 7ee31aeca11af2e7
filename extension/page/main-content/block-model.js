"use strict";

// What a block's features and its neighbors say for it or against it: two logistic regressions, trained by
// bench/learn_main_content.py.

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
  /**
   * Weights of a block's own score and of the likelihoods around it: of the previous block, of those near it, of its
   * kind, of its container and of the page.
   */
  const CONTEXT = { own: 0.387, previous: 0.319, near: 0.899, kind: 1.84, container: 1.1, page: -1.22 };
  const CONTEXT_BIAS = -1.43;
  const MAX_SCORE = 6.9;
  /** Blocks before and after a block that are near it, and the characters of each that count. */
  const NEAR = 6;
  const MAX_NEAR_CHARS = 400;
  const CONTAINER_LEVELS = 4;
  /** By how much the threshold rises per character of the page; blocks as likely as `CERTAIN` are always kept. */
  const PRICE = 10e-6;
  const CERTAIN = 0.85;
  /** From this share of text on, the page is about code, and any line may be asked about. */
  const MUCH_CODE = 0.03;

  /** @typedef {{text: string, kind: string, holder: Element}} Block */

  /**
   * @param {Record<string, number>} features
   * @returns {number} its logarithmic odds to be content
   */
  function scoreOf(features) {
    let score = BIAS;
    for (const [name, weight] of WEIGHTS) score += weight * (features[name] ?? 0);
    return Math.max(-MAX_SCORE, Math.min(MAX_SCORE, score));
  }

  /** @param {number} score */
  function likelihoodOf(score) {
    return 1 / (1 + Math.exp(-score));
  }

  /** @param {Block} block */
  function containerOf({ holder }) {
    let container = holder;
    for (let i = 0; i < CONTAINER_LEVELS; i++) {
      if (container.localName !== "body") container = container.parentElement ?? container;
    }
    return container;
  }

  /**
   * @template Key
   * @param {Key[]} keys of each block
   * @param {number[]} weights
   * @param {number[]} likelihoods
   * @returns {number[]} the mean likelihood of the blocks with the same key
   */
  function meansBy(keys, weights, likelihoods) {
    /** @type {Map<Key, {weight: number, sum: number}>} */
    const groups = new Map();
    keys.forEach((key, i) => {
      const { weight, sum } = groups.get(key) ?? { weight: 0, sum: 0 };
      const own = weights[i] ?? 0;
      groups.set(key, { weight: weight + own, sum: sum + own * (likelihoods[i] ?? 0) });
    });
    return keys.map((key) => {
      const { weight, sum } = groups.get(key) ?? { weight: 0, sum: 0 };
      return sum / (weight || 1);
    });
  }

  /**
   * @param {number[]} weights
   * @param {number[]} likelihoods
   * @returns {number[]} the mean likelihood near each block
   */
  function meansNear(weights, likelihoods) {
    return likelihoods.map((_, i) => {
      const [start, end] = [Math.max(0, i - NEAR), i + NEAR + 1];
      const near = weights.slice(start, end);
      const sum = near.reduce((before, weight, k) => before + weight * (likelihoods[start + k] ?? 0), 0);
      return sum / (near.reduce((before, weight) => before + weight, 0) || 1);
    });
  }

  /**
   * @param {Block[]} blocks of a page
   * @param {Record<string, number>[]} features of each block
   * @returns {number[]} how likely each block is content, judged together with the blocks around it
   */
  function likelihoodsOf(blocks, features) {
    const scores = features.map(scoreOf);
    const alone = scores.map(likelihoodOf);
    const chars = blocks.map(({ text }) => text.length);
    const capped = chars.map((count) => Math.min(count, MAX_NEAR_CHARS));
    const near = meansNear(capped, alone);
    const ofKind = meansBy(
      blocks.map(({ kind }) => kind),
      chars,
      alone,
    );
    const ofContainer = meansBy(blocks.map(containerOf), chars, alone);
    const [ofPage = 0] = meansBy(
      blocks.map(() => ""),
      chars,
      alone,
    );
    return scores.map((own, i) => {
      const around = { previous: alone[i - 1], near: near[i], kind: ofKind[i], container: ofContainer[i] };
      let score = CONTEXT_BIAS + CONTEXT.own * own + CONTEXT.page * ofPage;
      for (const [name, value] of Object.entries(around)) {
        score += CONTEXT[/** @type {keyof typeof around} */ (name)] * (value ?? 0);
      }
      return likelihoodOf(score);
    });
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
   * @param {Block[]} blocks of a page
   * @param {Record<string, number>[]} features of each block
   * @returns {{likelihoods: number[], isContent: boolean[]}} of each block
   */
  function weigh(blocks, features) {
    const likelihoods = likelihoodsOf(blocks, features);
    const weighed = blocks.map(({ text }, i) => ({ chars: text.length, likelihood: likelihoods[i] ?? 0 }));
    const all = weighed.reduce((sum, { chars }) => sum + chars, 0);
    const code = weighed.reduce((sum, { chars }, i) => sum + chars * (features[i]?.in_pre ?? 0), 0);
    const threshold = thresholdOf(weighed, code > MUCH_CODE * all);
    return { likelihoods, isContent: likelihoods.map((likelihood) => likelihood >= threshold) };
  }

  return { weigh, containerOf };
})();
