/**
 * What not every browser gives to an extension: asked here, and nowhere else. Chromium browsers have all of it; Firefox
 * has no debugger, and with it nothing that drives a page or hears its console.
 */

/** Only Firefox gives its name. */
const IS_FIREFOX = "getBrowserInfo" in chrome.runtime;

export const HAS_DEBUGGER = "debugger" in chrome;
/** Browsers by what they call themselves to pages; most Chromium browsers add "Chromium" and a brand that means nothing. */
const BRANDS = new Map([
  ["Google Chrome", "Chrome"],
  ["Microsoft Edge", "Edge"],
]);
const COMMON_BRAND = /^Chromium$|not.*brand/i;
/** The browser's own name, as the user knows it. */
export const BROWSER_NAME = IS_FIREFOX ? "Firefox" : chromiumName(/** @type {any} */ (navigator));

/** @param {{userAgentData?: {brands: {brand: string}[]}}} navigator */
function chromiumName({ userAgentData }) {
  const brand = userAgentData?.brands.map((each) => each.brand).find((each) => !COMMON_BRAND.test(each));
  return brand ? (BRANDS.get(brand) ?? brand) : "Chromium";
}

/** Whether notifications hold buttons, and stay until they are answered. */
export const NOTICES_ASK = !IS_FIREFOX;
/** Whether the browser gives extensions the icons that it keeps of pages. */
export const KEEPS_ICONS = !IS_FIREFOX;
/** Where the user looks after extensions. */
export const EXTENSIONS_PAGE = IS_FIREFOX ? "about:addons" : "chrome://extensions";
/** What to say of a page that the browser keeps from extensions, whatever the user allows. */
export const CLOSED_PAGE = IS_FIREFOX
  ? "The browser lets no extension into this page: one that failed to load, a PDF, or a site of the browser's maker. " +
    "Reload it, or switch to another page."
  : "The browser does not let the extension read this page. Look at its site access in chrome://extensions.";
/** Sites that the browser keeps from extensions. */
export const SHOPS = IS_FIREFOX
  ? ["addons.mozilla.org/"]
  : ["chromewebstore.google.com/", "chrome.google.com/webstore", "microsoftedge.microsoft.com/addons"];
/** The permission to read pages, which the user may take back: the browser's own names for it. */
export const ALL_SITES = { origins: ["<all_urls>"] };

/**
 * Opens our panel next to the page. Browsers allow it for a click only, and only at once.
 *
 * @type {((windowId: number) => Promise<void>) | null} null where there is none
 */
export const openSidePanel = sidePanelOf(/** @type {any} */ (chrome));

/** @param {{sidePanel?: typeof chrome.sidePanel, sidebarAction?: {open: () => Promise<void>}}} browser */
function sidePanelOf({ sidePanel, sidebarAction }) {
  if (sidePanel) return (/** @type {number} */ windowId) => sidePanel.open({ windowId });
  return sidebarAction ? () => sidebarAction.open() : null;
}

/** Opens the browser's page where shortcuts are chosen. */
export async function openShortcuts() {
  const { openShortcutSettings } = /** @type {{openShortcutSettings?: () => Promise<void>}} */ (chrome.commands);
  if (openShortcutSettings) await openShortcutSettings();
  else await chrome.tabs.create({ url: `${EXTENSIONS_PAGE}/shortcuts` });
}
