/**
 * Lines in the service worker's console, which the troubleshooting guide refers to. They contain nothing from pages.
 */

/** @param {string} line */
export function log(line) {
  console.info(`[Chrome Tab Reader] ${line}`);
}
