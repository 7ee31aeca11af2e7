"use strict";

// The colors that a page draws: in any color space, through filters and blending.

const colors = (() => {
  /** @typedef {number[] | null} Color red, green, blue (0 to 255) and alpha (0 to 1); null if unknown or an image */

  /**
   * @typedef {object} Look how ancestors change the colors inside them
   * @property {number} opacity
   * @property {[string, number][]} filters names and amounts
   * @property {{mode: string, behind: Color} | null} blend
   */

  /** Two colors are the same to the eye if red, green and blue (0 to 255) each differ by less than this. */
  const MIN_DIFFERENCE = 12;
  const RGB = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/;
  const ALPHA = / \/ ([\d.e-]+|none)\)$/;
  const ANY = /(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\([^()]*\)/g;
  const FUNCTION = /([a-z-]+)\(([\d.e-]+)(%|px)?\)/g;
  /** A color that the canvas must read back correctly: browsers that protect against fingerprinting add noise. */
  const KNOWN = [64, 160, 240];

  /** @type {Record<string, (color: number, behind: number) => number>} of one channel, from 0 to 1 */
  const BLENDS = {
    multiply: (color, behind) => color * behind,
    screen: (color, behind) => color + behind - color * behind,
    darken: Math.min,
    lighten: Math.max,
    difference: (color, behind) => Math.abs(color - behind),
    exclusion: (color, behind) => color + behind - 2 * color * behind,
    "plus-lighter": (color, behind) => Math.min(1, color + behind),
    "color-dodge": (color, behind) => (behind === 0 ? 0 : color === 1 ? 1 : Math.min(1, behind / (1 - color))),
    "color-burn": (color, behind) => (behind === 1 ? 1 : color === 0 ? 0 : 1 - Math.min(1, (1 - behind) / color)),
  };
  /** @type {Record<string, (channel: number, amount: number) => number>} of one channel, from 0 to 255 */
  const FILTERS = {
    brightness: (channel, amount) => channel * amount,
    contrast: (channel, amount) => (channel - 127.5) * amount + 127.5,
    invert: (channel, amount) => channel * (1 - amount) + (255 - channel) * amount,
  };

  const pen = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  /** @type {Map<string, Color>} */
  const knownColors = new Map();
  /** @type {boolean | undefined} */
  let isPenTrue;

  /**
   * @param {string} text a computed color
   * @returns {Color}
   */
  function colorOf(text) {
    let color = knownColors.get(text);
    if (color === undefined) {
      const found = RGB.exec(text);
      color = found ? [Number(found[1]), Number(found[2]), Number(found[3]), Number(found[4] ?? 1)] : convert(text);
      knownColors.set(text, color);
    }
    return color;
  }

  /**
   * @param {string} text a color in another color space
   * @returns {Color}
   */
  function convert(text) {
    isPenTrue ??= areAlike(pixelOf("rgb(64 160 240)"), KNOWN);
    if (!isPenTrue || !CSS.supports("color", text)) return null;
    const alpha = ALPHA.exec(text)?.[1] ?? "1";
    const color = pixelOf(text.replace(ALPHA, ")"));
    return color && [...color, Number(alpha) || 0];
  }

  /** @param {string} text */
  function pixelOf(text) {
    if (!pen) return null;
    pen.fillStyle = text;
    pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
  }

  /**
   * @param {Color} color
   * @param {Color} behind
   * @returns {Color} the color as seen
   */
  function over(color, behind) {
    if (!color || color[3] === 1) return color;
    const [red = 0, green = 0, blue = 0, alpha = 1] = color;
    if (!behind) return alpha === 0 ? behind : null;
    const mixed = [red, green, blue].map((channel, i) => channel * alpha + (behind[i] ?? 0) * (1 - alpha));
    return [...mixed, 1];
  }

  /**
   * @param {Color} color
   * @param {Color} other
   * @param {number} [share] of the difference to apply
   */
  function areAlike(color, other, share = 1) {
    if (!color || !other) return false;
    return [0, 1, 2].every((i) => share * Math.abs((color[i] ?? 0) - (other[i] ?? 0)) < MIN_DIFFERENCE);
  }

  /**
   * @param {Look} look
   * @param {Color} color
   * @returns {Color} the color after the filters and the blending around it
   */
  function drawn({ filters, blend }, color) {
    if (!color || (!filters.length && !blend)) return color;
    const [, , , alpha = 1] = color;
    let channels = color.slice(0, 3);
    for (const [name, amount] of filters) {
      channels = channels.map((channel) => Math.max(0, Math.min(255, FILTERS[name]?.(channel, amount) ?? channel)));
    }
    if (!blend) return [...channels, alpha];
    const { mode, behind } = blend;
    const mix = BLENDS[mode];
    if (!mix || !behind) return null;
    return [...channels.map((channel, i) => 255 * mix(channel / 255, (behind[i] ?? 0) / 255)), alpha];
  }

  /**
   * @param {string} filter a computed style
   * @returns {[string, number][]} its functions with a number, lengths in pixels
   */
  function functionsOf(filter) {
    if (filter === "none") return [];
    return [...filter.matchAll(FUNCTION)].map(([, name = "", amount, unit]) => [
      name,
      Number(amount) / (unit === "%" ? 100 : 1),
    ]);
  }

  /**
   * @param {string} images a computed list of images
   * @returns {Color[] | null} of gradients; null if the list contains anything else
   */
  function gradientColors(images) {
    if (/(?:url|image-set|element|cross-fade|paint|image)\(/.test(images)) return null;
    return (images.match(ANY) ?? []).map(colorOf);
  }

  /**
   * @param {string} color of a background
   * @param {string} images
   * @param {Color} behind
   * @param {Look} look
   * @returns {Color} null for an image
   */
  function backgroundOver(color, images, behind, look) {
    const ground = over(drawn(look, colorOf(color)), behind);
    if (images === "none") return ground;
    const shades = gradientColors(images)?.map((shade) => over(drawn(look, shade), ground));
    const [first = null] = shades ?? [];
    return shades?.every((shade) => areAlike(shade, first)) ? first : null;
  }

  return { colorOf, over, areAlike, drawn, functionsOf, gradientColors, backgroundOver };
})();
