/** Lines in the service worker's console, which troubleshooting sends users to. They hold nothing of a page. */

/** @param {string} line */
export function log(line) {
  console.info(`[Chrome Tab Reader] ${line}`);
}
