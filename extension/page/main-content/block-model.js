"use strict";

// What a block's features say for it or against it: logistic regression, trained by bench/learn_main_content.py.

const blockModel = (() => {
  /** @type {Record<string, number>} */
  const WEIGHTS = {
    words: -0.233,
    linked: -0.828,
    endsSentence: 0.507,
    heading1: 0.347,
    heading2: 1.361,
    heading4: 0.498,
    in_article: 0.467,
    in_blockquote: 1.88,
    in_footer: -5.89,
    in_form: -1.282,
    in_header: -2.062,
    in_li: 0.382,
    in_p: 0.45,
    isMain: 0.199,
    isNamedContent: 0.722,
    boilerplate: -0.37,
    controls: -0.403,
    about: -0.318,
    containerLinked: 0.651,
    outerLinked: -0.796,
    outermostShare: 0.136,
    position: -1.751,
    beforeTitle: -2.478,
    previousWords: 0.126,
    nextWords: 0.125,
    previousReadable: 0.26,
    nextReadable: 0.333,
    kindBlocks: 0.437,
    kindWords: 0.58,
    kindLinked: 0.31,
    pageChars: -0.436,
    readable: -0.397,
    readableShare: -0.992,
    readableLongShare: 0.218,
    readableOfMuch: 0.586,
    readableOfMuchLong: 1.341,
  };
  const BIAS = 3.121;

  /** @param {Record<string, number>} features */
  function isContent(features) {
    let score = BIAS;
    for (const [name, weight] of Object.entries(WEIGHTS)) score += weight * (features[name] ?? 0);
    return score > 0;
  }

  return { isContent };
})();
