/**
 * The lists of files that are injected into pages, from `page/files.json`, in the order in which they need each other.
 *
 * It is fetched: Chromium does not find an imported JSON module when it starts the worker again.
 */

/** @typedef {"interaction" | "elementList" | "mainContent" | "pdf"} FileGroup */

/** @type {Promise<Record<FileGroup, string[]>> | undefined} */
let lists;

/**
 * @param {FileGroup[]} groups
 * @returns {Promise<string[]>} paths from the extension's folder
 */
export async function pageFiles(...groups) {
  const known = await (lists ??= load());
  return groups.flatMap((group) => known[group]);
}

async function load() {
  const response = await fetch(new URL("../page/files.json", import.meta.url));
  return /** @type {Promise<Record<FileGroup, string[]>>} */ (response.json());
}
