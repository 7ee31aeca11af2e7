/** Small helpers. Page content is inserted into the document only as text. */

/**
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} kind
 * @returns {T}
 */
export function byId(id, kind) {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new TypeError(`No ${kind.name} has the id ${id}.`);
  return element;
}

/**
 * A live region is announced when its text is set, even to the same text.
 *
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Partial<HTMLElementTagNameMap[Tag]>} properties
 * @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/**
 * @param {string} label
 * @param {() => void} onClick
 * @param {string} [spokenLabel] if the label alone is not clear
 */
export function makeButton(label, onClick, spokenLabel) {
  const button = make("button", { type: "button", onclick: onClick }, label);
  if (spokenLabel) button.ariaLabel = spokenLabel;
  return button;
}

/**
 * Refills a list. A focused button keeps the focus: on the same button of the same item, otherwise on the one that
 * replaced it, otherwise on `fallback`.
 *
 * @param {HTMLElement} list
 * @param {{key: string, element: HTMLElement}[]} items
 * @param {HTMLElement} fallback
 */
export function refill(list, items, fallback) {
  const focused = list.contains(document.activeElement) ? document.activeElement : null;
  const oldItem = focused?.closest("[data-key]");
  const oldKey = oldItem instanceof HTMLElement ? oldItem.dataset.key : undefined;
  const oldIndex = oldItem ? [...list.children].indexOf(oldItem) : -1;
  const control = oldItem && focused ? [...oldItem.querySelectorAll("button, summary")].indexOf(focused) : -1;
  for (const { key, element } of items) element.dataset.key = key;
  list.replaceChildren(...items.map(({ element }) => element));
  if (!focused) return;
  const item = items.find(({ key }) => key === oldKey) ?? items[Math.min(oldIndex, items.length - 1)];
  const next = item?.element.querySelectorAll("button, summary")[control];
  (next instanceof HTMLElement ? next : fallback).focus();
}

/**
 * Changes as little as possible: remaining elements keep their focus, and the list its scroll position.
 *
 * @param {Element} parent
 * @param {Element[]} children in the order of the existing ones
 */
export function syncChildren(parent, children) {
  const staying = new Set(children);
  for (const child of [...parent.children]) if (!staying.has(child)) child.remove();
  let next = parent.firstElementChild;
  for (const child of children) {
    if (child === next) next = next.nextElementSibling;
    else parent.insertBefore(child, next);
  }
}

/**
 * Fills a list of terms, unless it is unchanged.
 *
 * @param {HTMLDListElement} list
 * @param {[string, string][]} facts
 */
export function syncFacts(list, facts) {
  const shown = JSON.stringify(facts);
  if (list.dataset.shown === shown) return;
  list.dataset.shown = shown;
  list.replaceChildren(...facts.flatMap(([term, value]) => [make("dt", {}, term), make("dd", {}, value)]));
}

/**
 * @param {string} text
 * @returns {boolean} whether the text was copied
 */
export function copyText(text) {
  const write = (/** @type {ClipboardEvent} */ event) => {
    event.preventDefault();
    event.clipboardData?.setData("text/plain", text);
  };
  // In some versions, DevTools panels can use the clipboard only this way.
  document.addEventListener("copy", write);
  const isCopied = document.execCommand("copy");
  // If the browser refused, there was no event, and the user's next copy is not ours.
  document.removeEventListener("copy", write);
  return isCopied;
}

/**
 * @param {number} milliseconds
 * @returns {string} in a readable form: 34 ms, 1.2 s
 */
export function duration(milliseconds) {
  return milliseconds < 1_000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1_000).toFixed(1)} s`;
}

/**
 * @param {number} count
 * @returns {string} formatted for the page's language
 */
export function grouped(count) {
  return count.toLocaleString(document.documentElement.lang);
}
