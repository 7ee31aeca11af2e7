"use strict";

// What an element without words looks like: how a user tells such elements from each other.

const appearance = (() => {
  const { attributeOf, boxOf, isHtml, tagOf } = dom;
  const { shorten } = texts;

  /** @type {[name: string, red: number, green: number, blue: number][]} */
  const COLORS = [
    ["black", 0, 0, 0],
    ["white", 255, 255, 255],
    ["gray", 128, 128, 128],
    ["red", 255, 0, 0],
    ["green", 0, 128, 0],
    ["lime", 0, 255, 0],
    ["blue", 0, 0, 255],
    ["yellow", 255, 255, 0],
    ["orange", 255, 165, 0],
    ["purple", 128, 0, 128],
    ["magenta", 255, 0, 255],
    ["cyan", 0, 255, 255],
    ["aqua", 0, 200, 200],
    ["pink", 255, 192, 203],
    ["brown", 139, 69, 19],
    ["navy", 0, 0, 128],
    ["olive", 128, 128, 0],
  ];
  const EXACT = 12;

  /**
   * @param {Element} element
   * @returns {string} for example `red 20x20 at 34,50`, in CSS pixels; the place is that in the graphic
   */
  function lookOf(element) {
    const style = getComputedStyle(element);
    const { x, y, width, height } = boxOf(element);
    const graphic = isHtml(element) ? null : /** @type {SVGElement} */ (element).ownerSVGElement;
    const corner = graphic && boxOf(graphic);
    const size = `${Math.round(width)}x${Math.round(height)}`;
    const place = corner ? ` at ${Math.round(x - corner.x)},${Math.round(y - corner.y)}` : "";
    return [pictureOf(element, style) || classesOf(element), colorOf(element, style), `${size}${place}`]
      .filter(Boolean)
      .join(" ");
  }

  /**
   * @param {Element} element
   * @param {CSSStyleDeclaration} style
   */
  function pictureOf(element, style) {
    const source = isHtml(element) && tagOf(element) === "img" ? attributeOf(element, "src") : "";
    const [, address = source] = /url\("?([^")]+)/u.exec(`${style.content} ${style.backgroundImage}`) ?? [];
    const [, file = ""] = /([^/?#]{1,40})(?:[?#].*)?$/u.exec(address ?? "") ?? [];
    return address?.startsWith("data:") ? "" : shorten(file, 30);
  }

  /**
   * @param {Element} element
   * @returns {string} which often tell what an icon is for
   */
  function classesOf(element) {
    const names = (isHtml(element) ? attributeOf(element, "class") : "")?.match(/[\w-]{2,20}/gu) ?? [];
    return names
      .slice(0, 2)
      .map((name) => `.${name}`)
      .join("");
  }

  /**
   * @param {Element} element
   * @param {CSSStyleDeclaration} style
   */
  function colorOf(element, style) {
    const isDrawn = !isHtml(element);
    const said = isDrawn ? (style.fill === "none" ? style.stroke : style.fill) : style.backgroundColor;
    const [red = 0, green = 0, blue = 0, alpha = 1] = said.match(/[\d.]+/gu)?.map(Number) ?? [];
    if (!said.startsWith("rgb") || alpha === 0) return "";
    const distances = COLORS.map(([name, r, g, b]) => ({ name, far: Math.hypot(r - red, g - green, b - blue) }));
    const nearest = distances.reduce((a, b) => (b.far < a.far ? b : a));
    const hex = [red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("");
    return nearest.far < EXACT ? nearest.name : `${nearest.name} #${hex}`;
  }

  return { lookOf };
})();
