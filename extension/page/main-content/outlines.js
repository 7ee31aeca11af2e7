"use strict";

// What clips and masks leave of an element.

const outlines = (() => {
  const { gradientColors } = colors;

  /** Number of points tested per row and column of a box. */
  const GRID = 16;
  const MIN_ALPHA = 0.1;
  /** Visible share of a box below which a mask hides everything. */
  const MIN_MASK = 0.02;
  const CLIP = /^rect\(([-\d.]+)px, ([-\d.]+)px, ([-\d.]+)px, ([-\d.]+)px\)$/;
  const SHAPE = /^(inset|circle|ellipse|polygon|path)\((.*)\)/;
  const LENGTH = /([-+]?)\s*([\d.]+(?:e-?\d+)?)(px|%)/g;
  const ARGUMENT = /(?:calc|min|max|clamp)\([^()]*(?:\([^()]*\)[^()]*)*\)|[^\s,]+/g;
  const MASK = /url\("[^"]*"\)|url\([^)]*\)|[a-z-]+\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|none/g;
  const DRAWN = /<(?:rect|path|circle|ellipse|polygon|polyline|line|text|image|use|foreignObject)\b/i;
  const pen = new OffscreenCanvas(1, 1).getContext("2d");

  /**
   * @param {string} text one length, or a sum of several
   * @param {number} whole the value of 100 %
   */
  function lengthOf(text, whole) {
    const parts = [...text.matchAll(LENGTH)].map(
      ([, sign, number, unit]) => (sign === "-" ? -1 : 1) * Number(number) * (unit === "%" ? whole / 100 : 1),
    );
    return parts.length ? parts.reduce((sum, part) => sum + part) : NaN;
  }

  /**
   * @param {string} clipPath a computed style
   * @param {DOMRect} box
   * @returns {Path2D | null} null if the shape cannot be computed here
   */
  function pathOf(clipPath, { width, height }) {
    const [, name = "", inner = ""] = SHAPE.exec(clipPath) ?? [];
    if (!name) return null;
    if (name === "path") return new Path2D(/"([^"]*)"/.exec(inner)?.[1] ?? "");
    const path = new Path2D();
    const [size = "", place = "50% 50%"] = inner.split(/ at | round /);
    const parts = size.match(ARGUMENT) ?? [];
    if (name === "polygon") {
      const numbers = parts.filter((part) => /\d/.test(part));
      for (let i = 0; i + 1 < numbers.length; i += 2) {
        path.lineTo(lengthOf(numbers[i] ?? "", width), lengthOf(numbers[i + 1] ?? "", height));
      }
      return path;
    }
    const [first = "0px", second = first, third = first, fourth = second] = parts;
    if (name === "inset") {
      const [top, left] = [lengthOf(first, height), lengthOf(fourth, width)];
      const across = width - left - lengthOf(second, width);
      path.rect(left, top, Math.max(0, across), Math.max(0, height - top - lengthOf(third, height)));
      return path;
    }
    const [x = "50%", y = "50%"] = place.match(ARGUMENT) ?? [];
    const diagonal = Math.hypot(width, height) / Math.SQRT2;
    const [across, down] = name === "circle" ? [diagonal, diagonal] : [width, height];
    const radii = [lengthOf(first, across), lengthOf(second, down)];
    if (radii.some(Number.isNaN)) return null;
    path.ellipse(lengthOf(x, width), lengthOf(y, height), radii[0] ?? 0, radii[1] ?? 0, 0, 0, 2 * Math.PI);
    return path;
  }

  /**
   * @param {CSSStyleDeclaration} style
   * @param {string} position
   * @param {() => DOMRect} boxOf
   * @param {Document} page
   * @returns {boolean} whether the clip leaves nothing
   */
  function isClippedAway(style, position, boxOf, page) {
    const { clipPath } = style;
    if (clipPath !== "none" && isNothingLeft(clipPath, boxOf(), page)) return true;
    const found = (position === "absolute" || position === "fixed") && CLIP.exec(style.clip);
    if (!found) return false;
    const [top = 0, right = 0, bottom = 0, left = 0] = found.slice(1).map(Number);
    return right - left <= 1 || bottom - top <= 1;
  }

  /**
   * @param {string} clipPath
   * @param {DOMRect} box
   * @param {Document} page
   */
  function isNothingLeft(clipPath, box, page) {
    const named = namedIn(clipPath, page);
    if (named !== undefined) return named?.localName === "clipPath" && !named.childElementCount;
    const path = pathOf(clipPath, box);
    if (!path || !pen) return false;
    for (let row = 0; row < GRID; row += 1) {
      for (let column = 0; column < GRID; column += 1) {
        const [x, y] = [((column + 0.5) / GRID) * box.width, ((row + 0.5) / GRID) * box.height];
        if (pen.isPointInPath(path, x, y)) return false;
      }
    }
    return true;
  }

  /**
   * @param {string} text
   * @param {Document} page
   * @returns {Element | null | undefined} the target of an address inside the page; undefined for other texts
   */
  function namedIn(text, page) {
    const [, id] = /^url\("?[^"#]*#([^")]*)"?\)/.exec(text) ?? [];
    if (id === undefined || text.includes("data:")) return undefined;
    return Reflect.apply(Document.prototype.getElementById, page, [decoded(id)]);
  }

  /** @param {string} text */
  function decoded(text) {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  }

  /**
   * @param {CSSStyleDeclaration} style
   * @param {() => DOMRect} boxOf
   * @param {Document} page
   * @returns {boolean} whether the mask hides everything
   */
  function isMaskedAway(style, boxOf, page) {
    if (style.maskImage === "none") return false;
    const masks = style.maskImage.match(MASK) ?? [];
    const [sizes, repeats] = [style.maskSize.split(", "), style.maskRepeat.split(", ")];
    return masks.every((mask, i) => {
      if (repeats[i % repeats.length] === "no-repeat" && isSpeck(sizes[i % sizes.length] ?? "", boxOf())) return true;
      return isClear(mask, style.maskMode.includes("luminance"), page);
    });
  }

  /**
   * @param {string} size a computed style
   * @param {DOMRect} box
   */
  function isSpeck(size, { width, height }) {
    const [across = "", down = across] = size.match(ARGUMENT) ?? [];
    const area = lengthOf(across, width) * lengthOf(down, height);
    return area < MIN_MASK * width * height;
  }

  /**
   * @param {string} mask one image
   * @param {boolean} isByLuminance
   * @param {Document} page
   */
  function isClear(mask, isByLuminance, page) {
    const named = namedIn(mask, page);
    if (named !== undefined) return !named?.childElementCount;
    if (mask.startsWith("url(")) return /^url\("?data:image\/svg/.test(mask) && !DRAWN.test(sourceOf(mask));
    const shades = gradientColors(mask) ?? [null];
    return shades.every((color) => {
      const [red = 255, green = 255, blue = 255, alpha = 1] = color ?? [];
      const light = (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
      return alpha * (isByLuminance ? light : 1) < MIN_ALPHA;
    });
  }

  /** @param {string} address a drawing as a `data:` URL */
  function sourceOf(address) {
    const [head = "", data = ""] = address.split(/,(.*)/s);
    try {
      return head.endsWith(";base64") ? atob(data.replace(/["\\)]+$/, "")) : decodeURIComponent(data);
    } catch {
      // A mask that cannot be read here may show something.
      return "<path";
    }
  }

  return { isClippedAway, isMaskedAway };
})();
