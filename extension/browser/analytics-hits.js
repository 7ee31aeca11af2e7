/**
 * What pages send to analytics, taken apart into names and values: Google Analytics and others whose addresses end in
 * `collect`, Meta, Matomo, Bing.
 *
 * @import {Redactor} from "./redaction.js"
 */

const HIT =
  /^https?:\/\/(?:[^/?#]+(?:\/[^?#]*)?\/(?:collect|matomo\.php|piwik\.php)|(?:www\.)?facebook\.com\/tr|bat\.bing\.com\/action\/0)\/?(?:[?#]|$)/;
/** What their names mean here only: ids of the browser and of the user, their address, data for matching. */
const PRIVATE_IN_HITS = /^(?:cid|uid|uip|geoid|em|_id|vid|mid|muid|ud\[\w*\])$/;
const MAX_EVENTS = 20;
const MAX_PARAMS = 100;
const MAX_VALUE_LENGTH = 300;
const MAX_JSON_LENGTH = 2_000;

/** @param {string} url */
export function isHit(url) {
  return HIT.test(url);
}

/**
 * @param {string} url of a hit
 * @param {string} sent in its body: parameters of one event on each line
 * @param {Redactor} redactor
 * @returns {{params: Record<string, unknown>, events?: Record<string, unknown>[]}} what one event says stands in
 *   `params`; of several each in `events`, and in `params` what they share
 */
export function decodeHit(url, sent, redactor) {
  const [, query = ""] = /\?([^#]*)/.exec(url) ?? [];
  const params = paramsOf(query, redactor);
  const lines = sent.split("\n").filter((line) => line.trim());
  const events = lines.slice(0, MAX_EVENTS).map((line) => paramsOf(line.trim(), redactor));
  return events.length > 1 ? { params, events } : { params: { ...params, ...events[0] } };
}

/**
 * @param {string} text
 * @param {Redactor} redactor
 */
function paramsOf(text, redactor) {
  if (/^[[{]/.test(text)) return { json: redactor.source(text).slice(0, MAX_JSON_LENGTH) };
  const pairs = [...new URLSearchParams(text)].slice(0, MAX_PARAMS);
  return Object.fromEntries(
    pairs.map(([name, value]) => {
      const shown = redactor.value(value, PRIVATE_IN_HITS.test(name) ? "user_id" : name);
      return [redactor.value(name), shown.slice(0, MAX_VALUE_LENGTH)];
    }),
  );
}
