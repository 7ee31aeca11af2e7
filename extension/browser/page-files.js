/**
 * The lists of files to inject into pages, from `page/files.json`, in dependency order.
 *
 * It is fetched, because Chromium does not find an imported JSON module when it restarts the worker.
 */

/** @typedef {"interaction" | "elementList" | "mainContent" | "pdf"} FileGroup */

/** @type {Promise<Record<FileGroup, string[]>> | undefined} */
let lists;

/**
 * @param {FileGroup[]} groups
 * @returns {Promise<string[]>} paths relative to the extension's folder
 */
export async function pageFiles(...groups) {
  const known = await (lists ??= load());
  return groups.flatMap((group) => known[group]);
}

async function load() {
  const response = await fetch(new URL("../page/files.json", import.meta.url));
  return /** @type {Promise<Record<FileGroup, string[]>>} */ (response.json());
}
