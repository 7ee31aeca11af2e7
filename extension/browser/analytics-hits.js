/**
 * Parses what pages send to analytics services into names and values: Google Analytics and others whose URLs end in
 * `collect`, Meta, Matomo, Bing.
 *
 * @import {Redactor} from "./redaction.js"
 */

const HIT =
  /^https?:\/\/(?:[^/?#]+(?:\/[^?#]*)?\/(?:collect|matomo\.php|piwik\.php)|(?:www\.)?facebook\.com\/tr|bat\.bing\.com\/action\/0)\/?(?:[?#]|$)/;
/** Parameter names with a special meaning here: ids of the browser and of the user, their address, matching data. */
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
 * @param {string} url of an analytics request
 * @param {string} sent its body: one event's parameters per line
 * @param {Redactor} redactor
 * @returns {{params: Record<string, unknown>, events?: Record<string, unknown>[]}} `params`: the parameters of a single
 *   event, or those shared by several; `events`: each of several events' own parameters
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
