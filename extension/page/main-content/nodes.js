"use strict";

// Named elements shadow properties of their form and of the document, so the page is read through the prototypes' own
// functions.

const nodes = (() => {
  /** @type {<T extends object, K extends keyof T>(prototype: T, name: K) => (self: T) => T[K]} */
  const getter = (prototype, name) => {
    const { get } = /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(prototype, name));
    return (self) => get?.call(self);
  };
  const rectOf = (/** @type {Element} */ element) =>
    Reflect.apply(Element.prototype.getBoundingClientRect, element, []);

  /** Invisible characters, some of which carry messages for models. */
  const INVISIBLE = /[\u00ad\u200b\u2060\ufeff\u{e0000}-\u{e007f}]/gu;
  const withoutInvisible = (/** @type {string} */ text) => text.replace(INVISIBLE, "");

  return { getter, rectOf, withoutInvisible };
})();
