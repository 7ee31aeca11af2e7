/**
 * Differences between browsers, checked only here. Chromium browsers support everything; Firefox has no debugger, so
 * nothing can drive a page or read its console.
 */

/** Only Firefox reports its name. */
const IS_FIREFOX = "getBrowserInfo" in chrome.runtime;

export const HAS_DEBUGGER = "debugger" in chrome;
/** Browsers by the brand that they report to pages; most Chromium browsers add "Chromium" and a meaningless brand. */
const BRANDS = new Map([
  ["Google Chrome", "Chrome"],
  ["Microsoft Edge", "Edge"],
]);
const COMMON_BRAND = /^Chromium$|not.*brand/i;
/** The browser's name, as the user knows it. */
export const BROWSER_NAME = IS_FIREFOX ? "Firefox" : chromiumName(/** @type {any} */ (navigator));

/** @param {{userAgentData?: {brands: {brand: string}[]}}} navigator */
function chromiumName({ userAgentData }) {
  const brand = userAgentData?.brands.map((each) => each.brand).find((each) => !COMMON_BRAND.test(each));
  return brand ? (BRANDS.get(brand) ?? brand) : "Chromium";
}

/** Whether notifications have buttons, and stay until they are answered. */
export const NOTICES_ASK = !IS_FIREFOX;
/** Whether extensions can use the favicons that the browser stores. */
export const KEEPS_ICONS = !IS_FIREFOX;
/** Where the user manages extensions. */
export const EXTENSIONS_PAGE = IS_FIREFOX ? "about:addons" : "chrome://extensions";
/** The message for a page that the browser never opens to extensions, whatever the user allows. */
export const CLOSED_PAGE = IS_FIREFOX
  ? "Extensions cannot read this page: it failed to load, is a PDF, or belongs to the browser's maker. Reload it, or " +
    "switch to another page."
  : "The browser does not let the extension read this page. Check its site access in chrome://extensions.";
/** Sites that the browser never opens to extensions. */
export const SHOPS = IS_FIREFOX
  ? ["addons.mozilla.org/"]
  : ["chromewebstore.google.com/", "chrome.google.com/webstore", "microsoftedge.microsoft.com/addons"];
/** The permission to read pages, which the user may revoke: the browser's own names for it. */
export const ALL_SITES = { origins: ["<all_urls>"] };

/**
 * Opens our panel next to the page. Browsers allow that only in response to a click, and only at once.
 *
 * @type {((windowId: number) => Promise<void>) | null} null if the browser has none
 */
export const openSidePanel = sidePanelOf(/** @type {any} */ (chrome));

/** @param {{sidePanel?: typeof chrome.sidePanel, sidebarAction?: {open: () => Promise<void>}}} browser */
function sidePanelOf({ sidePanel, sidebarAction }) {
  if (sidePanel) return (/** @type {number} */ windowId) => sidePanel.open({ windowId });
  return sidebarAction ? () => sidebarAction.open() : null;
}

/**
 * Whether servers accept the id of this extension: Firefox makes one for each profile; Chromium derives it from the
 * manifest's key, which the package for the store does not contain until the store adds it.
 */
export function hasAcceptedId() {
  return IS_FIREFOX || "key" in chrome.runtime.getManifest();
}

/** Opens the browser's page for choosing shortcuts. */
export async function openShortcuts() {
  const { openShortcutSettings } = /** @type {{openShortcutSettings?: () => Promise<void>}} */ (chrome.commands);
  if (openShortcutSettings) await openShortcutSettings();
  else await chrome.tabs.create({ url: `${EXTENSIONS_PAGE}/shortcuts` });
}
