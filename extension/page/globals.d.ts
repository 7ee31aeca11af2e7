import type { readPage } from "./read-page.js";

declare global {
  /** What a reading leaves for the next one in the extension's world of a page. */
  var chromeTabReadPage: { version: string; read: typeof readPage } | undefined;
}
