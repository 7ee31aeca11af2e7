// Classic scripts import nothing: what they share, they find here.

declare global {
  /** What the files of this folder leave for the page function, in a world next to the page's own. */
  var chromeTabMainContent: typeof mainContent;

  /** In vendor/readability.js. */
  class Readability {
    constructor(
      page: Document,
      options: { serializer: (element: Element) => Element; disableJSONLD: boolean; charThreshold: number },
    );
    parse(): { content: Element | null } | null;
  }
}

export {};
