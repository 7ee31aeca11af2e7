"use strict";

// The appearance of elements without words, by which a user distinguishes them.

const appearance = (() => {
  const { attributeNamesOf, attributeOf, boxOf, childrenOf, isHtml, queryIn, tagOf } = dom;
  const { iconWordOf, quote, shorten, symbolOf } = texts;
  const { isGenerated } = generatedNames;
  const { isDescriptive } = selectorGenerator;

  /** @type {[name: string, red: number, green: number, blue: number][]} */
  const COLORS = [
    ["black", 0, 0, 0],
    ["white", 255, 255, 255],
    ["gray", 128, 128, 128],
    ["red", 255, 0, 0],
    ["green", 0, 128, 0],
    ["lime", 0, 255, 0],
    ["blue", 0, 0, 255],
    ["blue", 65, 105, 225],
    ["yellow", 255, 255, 0],
    ["orange", 255, 165, 0],
    ["purple", 128, 0, 128],
    ["magenta", 255, 0, 255],
    ["cyan", 0, 255, 255],
    ["aqua", 0, 200, 200],
    ["teal", 0, 128, 128],
    ["pink", 255, 192, 203],
    ["brown", 139, 69, 19],
    ["navy", 0, 0, 128],
    ["olive", 128, 128, 0],
  ];
  const EXACT = 12;
  /** Share of the strongest part by which a gray's parts may differ. */
  const GRAY = 0.15;
  const CLASS_LENGTH = 40;
  /** A hash that a library of styles makes a class of. */
  const HASH = /^(?=[a-z\d]{6,8}$)[a-z]{1,3}\d+[a-z]/u;
  /** Attributes from which a page draws a tooltip. */
  const TOOLTIP = /^(?:data-(?:[a-z]+-)*|mat)(?:hint|tip|tippy|title|tooltip)(?:-(?:content|text|title))?$/u;
  /** Values of them that are no text: whether there is a tooltip, and its id. */
  const WORDLESS = /^(?:true|false|(?=\S*\d)[\w-]{16,})$/u;
  /** Prefixes of icon classes: the word after them names the icon. */
  const ICON_CLASS =
    /^(?:[\w-]*[-_])?(?:icons?|fa|fas|far|fab|glyphicon|mdi|bi|codicon|octicon|lucide|ti|pi|ph|la|feather)[-_]([a-z][a-z0-9-]*)$/iu;
  /** Of an icon or its button, also with a modifier: `icon-button--flex`. */
  const ICON_STYLE =
    /^(?:\d*x|lg|sm|xs|fw|spin|solid|regular|inverse|light|small|large|button|icon|only|inner|left|right|container)(?:--.+)?$/iu;
  /** Icons that only show that something opens. */
  const ARROW = /(?:^|[-_])(?:down|drop_down|expand_more)$/iu;
  const ICONS = "i, span, svg, use, img, [role='img']";
  const MOST_ICONS = 4;

  /**
   * @param {Element} element without a name
   * @returns {string} from its tooltip or its icon, for example `icon "trash"`; empty if there is neither
   */
  function hintOf(element) {
    const icons = partsOf(element).map(iconOf).filter(Boolean);
    const icon = icons.find((one) => !ARROW.test(one)) ?? icons[0];
    return tooltipOf(element) || (icon ? `icon ${quote(icon, 30)}` : "");
  }

  /**
   * @param {Element} element
   * @returns {string} for example `tooltip "Zoom in"`; empty if it has none
   */
  function tooltipOf(element) {
    const namesOf = (/** @type {Element} */ part) => attributeNamesOf(part).filter((name) => TOOLTIP.test(name));
    const texts = partsOf(element).flatMap((part) => namesOf(part).map((name) => attributeOf(part, name) ?? ""));
    const tooltip = texts.find((text) => text.trim() && !WORDLESS.test(text));
    return tooltip ? `tooltip ${quote(tooltip.replaceAll('"', "'"))}` : "";
  }

  /** @param {Element} element */
  function partsOf(element) {
    return [element, ...queryIn(element, ICONS).slice(0, MOST_ICONS)];
  }

  /** @param {Element} part */
  function iconOf(part) {
    const named =
      attributeOf(part, "data-icon") ?? /#(?:icon-)?([a-z][\w-]*)$/iu.exec(attributeOf(part, "href") ?? "")?.[1];
    if (named && (attributeOf(part, "data-icon") || tagOf(part) === "use")) return named;
    const [, tested] = /^([A-Z]\w+)Icon$/u.exec(attributeOf(part, "data-testid") ?? "") ?? [];
    if (tested) return tested;
    const drawn = symbolOf(part) || (attributeOf(part, "aria-hidden") === "true" ? iconWordOf(part) : "");
    if (drawn) return drawn;
    const words = classNamesOf(part).map((name) => ICON_CLASS.exec(name)?.[1]);
    return words.find((word) => word && !ICON_STYLE.test(word)) ?? "";
  }

  /**
   * @param {Element} element
   * @returns {string} for example `red 20x20 at 34,50`, in CSS pixels, relative to the graphic
   */
  function lookOf(element) {
    const style = getComputedStyle(element);
    const { x, y, width, height } = boxOf(element);
    const graphic = isHtml(element) ? null : /** @type {SVGElement} */ (element).ownerSVGElement;
    const corner = graphic && boxOf(graphic);
    const size = `${Math.round(width)}x${Math.round(height)}`;
    const place = corner ? ` at ${Math.round(x - corner.x)},${Math.round(y - corner.y)}` : "";
    const color = colorOf(element, style) || swatchColorOf(element);
    return [imageOf(element, style) || classesOf(element), color, `${size}${place}`].filter(Boolean).join(" ");
  }

  /**
   * @param {Element} element
   * @returns {string} the color of the only thing drawn in it, as in a palette
   */
  function swatchColorOf(element) {
    if (!isHtml(element)) return "";
    const drawn = ["::before", "::after"].map((place) => getComputedStyle(element, place));
    const color = drawn.map((style) => (style.content === "none" ? "" : colorOf(element, style))).find(Boolean);
    const [inner, ...others] = childrenOf(element);
    if (color || !inner || others.length) return color ?? "";
    return colorOf(inner, getComputedStyle(inner)) || swatchColorOf(inner);
  }

  /**
   * @param {Element} element
   * @param {CSSStyleDeclaration} style
   */
  function imageOf(element, style) {
    const source = isHtml(element) && tagOf(element) === "img" ? attributeOf(element, "src") : "";
    const [, address = source] = /url\("?([^")]+)/u.exec(`${style.content} ${style.backgroundImage}`) ?? [];
    const [, file = ""] = /([^/?#]{1,40})(?:[?#].*)?$/u.exec(address ?? "") ?? [];
    return address?.startsWith("data:") ? "" : shorten(file, 30);
  }

  /**
   * @param {Element} element
   * @returns {string} classes, or the name of a part of a web component, which often name the icon
   */
  function classesOf(element) {
    const isName = (/** @type {string} */ name) => name.length <= CLASS_LENGTH && !HASH.test(name);
    const names = classNamesOf(element).filter((name) => isName(name) && !isGenerated("class", name));
    const descriptive = names.filter(isDescriptive);
    const shown = (descriptive.length ? descriptive : names).slice(0, 2).map((name) => `.${name}`);
    if (shown.length) return shown.join("");
    const parts = (attributeOf(element, "part") ?? "").split(/\s+/u).filter((name) => /^[\w-]+$/u.test(name));
    // The last name usually says more than the kind of part.
    return parts.length ? `[part${parts.length > 1 ? "~" : ""}=${parts.at(-1)}]` : "";
  }

  /** @param {Element} element */
  function classNamesOf(element) {
    return (attributeOf(element, "class") ?? "").split(/\s+/u).filter((name) => /^[\w-]{2,}$/u.test(name));
  }

  /**
   * @param {Element} element
   * @param {CSSStyleDeclaration} style
   */
  function colorOf(element, style) {
    const isDrawn = !isHtml(element);
    const color = isDrawn ? (style.fill === "none" ? style.stroke : style.fill) : style.backgroundColor;
    const [red = 0, green = 0, blue = 0, alpha = 1] = color.match(/[\d.]+/gu)?.map(Number) ?? [];
    if (!color.startsWith("rgb") || alpha === 0) return "";
    const strongest = Math.max(red, green, blue);
    const isGray = strongest - Math.min(red, green, blue) < Math.max(EXACT, GRAY * strongest);
    const names = COLORS.filter(([name, r, g, b]) => (isGray ? r === g && g === b : name !== "gray"));
    const distances = names.map(([name, r, g, b]) => ({ name, far: Math.hypot(r - red, g - green, b - blue) }));
    const nearest = distances.reduce((a, b) => (b.far < a.far ? b : a));
    const hex = [red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("");
    return nearest.far < EXACT ? nearest.name : `${nearest.name} #${hex}`;
  }

  return { hintOf, lookOf, tooltipOf };
})();
