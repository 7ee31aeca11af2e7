/**
 * A tab's requests as the browser's debugger reports them: URLs are raw, to be redacted by the code that shows them. No
 * headers are stored.
 *
 * @import {LoggedRequest} from "../../shared/types.d.ts"
 * @import {NetworkRequest, NetworkResponse} from "./cdp.d.ts"
 * @import {FramePages} from "./frame-pages.js"
 */

import { TokenBucket } from "../../shared/token-bucket.js";
import { isHit } from "../analytics-hits.js";
import { ActionRequests } from "./action-requests.js";

const MAX_REQUESTS = 1_000;
const MAX_URL_LENGTH = 2_000;
const MAX_SENT_LENGTH = 16_384;
/** Maximum number of events at once; each request causes several. */
const MAX_AT_ONCE = 20_000;
const MAX_PER_SECOND = 5_000;
const IS_WEB = /^https?:/;
/** Schemes of data that the page already has. */
const LOCAL = /^(?:data|blob):/;

/**
 * The browser keeps the newest response bodies within these limits, in bytes; request bodies are kept up to the last
 * one.
 */
export const NETWORK_BOUNDS = {
  maxTotalBufferSize: 10_000_000,
  maxResourceBufferSize: 2_000_000,
  maxPostDataSize: MAX_SENT_LENGTH,
};

export class NetworkLog {
  /** Called when the page sends more requests than can be followed: no more are recorded until `resume`. */
  onFlood = () => {};
  /** @type {LoggedRequest[]} oldest first */
  #requests = [];
  /** @type {Map<string, LoggedRequest>} running requests, by the browser's id */
  #open = new Map();
  #total = 0;
  /** Number of the request for the page in the tab, as far as known. */
  #first = 0;
  #isResting = false;
  /** @readonly requests started by the current command */
  ofAction = new ActionRequests();
  /** @readonly */
  #bucket = new TokenBucket(MAX_AT_ONCE, MAX_PER_SECOND);

  /** Number of requests since the tab was attached; about the newest 1,000 are kept. */
  get total() {
    return this.#total;
  }

  /** @returns {LoggedRequest[]} newest first */
  newest() {
    return this.#requests.slice(-MAX_REQUESTS).reverse();
  }

  /** @returns {LoggedRequest[]} those of the page in the tab that have not ended */
  running() {
    return [...this.#open.values()].filter(({ id }) => Number(id) >= this.#first);
  }

  /** HTTP status of the page in the tab; null if unknown. */
  get pageStatus() {
    return this.find(String(this.#first))?.status ?? null;
  }

  /** @param {string} id */
  find(id) {
    return this.#requests.find((request) => request.id === id);
  }

  /**
   * @param {string | undefined} requestId the browser's id
   * @returns {string[] | undefined} undefined if the request is not kept
   */
  pagesOf(requestId) {
    return this.#requests.findLast((request) => request.requestId === requestId)?.pages;
  }

  /**
   * @param {string} loaderId of the page that is now in the tab; the request for it has the same id
   * @param {boolean} isBack whether it was there before: the end of a request is not reported while it is away
   */
  showsPage(loaderId, isBack) {
    const request = this.#requests.findLast(({ requestId }) => requestId === loaderId);
    this.#first = isBack ? this.#total + 1 : Number(request?.id ?? 0);
  }

  resume() {
    this.#isResting = false;
  }

  /**
   * @param {string} method of an event in the Network domain
   * @param {any} params
   * @param {FramePages} frames of the tab
   * @param {string} [frame] the debugger session of the cross-origin frame that reports it
   */
  handleEvent(method, params, frames, frame) {
    if (this.#isResting) return;
    if (this.#bucket.take(Date.now()) === null) {
      this.#isResting = true;
      return this.onFlood();
    }
    switch (method) {
      case "Network.requestWillBeSent":
        if (params.redirectResponse) this.#redirected(params);
        return this.#begin(params, this.#askersOf(params, frames));
      case "Network.webSocketCreated": {
        // The next event shows which frame.
        const request = { url: params.url, method: "GET" };
        return this.#begin({ ...params, type: "WebSocket", request }, frames.pagesIn(frame));
      }
      case "Network.webSocketWillSendHandshakeRequest":
        return this.#timed(params);
      case "Network.responseReceived":
      case "Network.webSocketHandshakeResponseReceived":
        return this.#answered(params.requestId, { ...params.response, frame });
      case "Network.loadingFinished":
        return this.#end(params, { size: params.encodedDataLength });
      case "Network.loadingFailed":
        return this.#end(params, { error: errorOf(params) });
      // A page that uses a WebSocket is answered by the following frames.
      case "Network.webSocketFrameSent":
        return this.ofAction.add(`${params.requestId} frame`, "websocket frame");
      case "Network.webSocketFrameReceived":
        return this.ofAction.endSoon(`${params.requestId} frame`);
      case "Network.webSocketClosed":
        return this.#end(params, {});
    }
  }

  /**
   * @param {object} event
   * @param {string} [event.type]
   * @param {string} [event.frameId]
   * @param {string} [event.documentURL]
   * @param {{type: string, requestId?: string}} [event.initiator]
   * @param {NetworkRequest} event.request
   * @param {FramePages} frames
   * @returns {string[]} pages that may have sent it, the likeliest first; an empty URL if none is known
   */
  #askersOf({ type, frameId = "", documentURL = "", initiator, request }, frames) {
    const inFrame = frames.pageOf(frameId);
    const document = IS_WEB.test(documentURL) ? [documentURL] : [];
    if (type === "Document") return !inFrame || frameId === frames.mainId ? [documentURL] : [documentURL, inFrame];
    if (inFrame) return [inFrame, ...document];
    // A preflight has its own URL there; it names the request that follows, which may be reported later.
    if (initiator?.type === "preflight") return this.pagesOf(initiator.requestId) ?? [originOf(request)];
    return document.length ? document : [""];
  }

  /**
   * @param {{requestId: string, loaderId?: string, timestamp?: number, type?: string, request: NetworkRequest}} event
   * @param {string[]} pages
   */
  #begin({ requestId, loaderId, timestamp, type = "Other", request }, pages) {
    // Both the page around a cross-origin frame and the one in it report the load.
    if (LOCAL.test(request.url) || this.#open.has(requestId)) return;
    const { url, method, postData = "" } = request;
    this.#total += 1;
    /** @type {LoggedRequest} */
    const logged = {
      id: String(this.#total),
      requestId,
      pages,
      method,
      type: type.toLowerCase(),
      url: url.slice(0, MAX_URL_LENGTH).toWellFormed(),
      sent: isHit(url) ? postData.slice(0, MAX_SENT_LENGTH).toWellFormed() : "",
      startedAt: timestamp ?? null,
      begunAt: Date.now(),
      status: null,
      mimeType: "",
      size: null,
      time: null,
      error: "",
    };
    this.#requests.push(logged);
    if (this.#requests.length > MAX_REQUESTS * 1.1) this.#dropOldest();
    // The end of a worker's script is reported to the worker alone.
    if (type === "Script" && loaderId === "") return;
    this.#open.set(requestId, logged);
    this.ofAction.add(requestId, logged.type, url);
  }

  /**
   * @param {{requestId: string, timestamp: number, request: NetworkRequest}} event of a WebSocket, whose creation has
   *   no timestamp
   */
  #timed({ requestId, timestamp, request }) {
    const logged = this.#open.get(requestId);
    if (!logged) return;
    logged.startedAt = timestamp;
    const origin = originOf(request);
    if (!origin) return;
    const pages = logged.pages.filter((page) => URL.canParse(page) && new URL(page).origin === origin);
    logged.pages = pages.length ? pages : [origin];
  }

  #dropOldest() {
    for (const old of this.#requests.splice(0, this.#requests.length - MAX_REQUESTS)) {
      if (this.#open.get(old.requestId) === old) this.#open.delete(old.requestId);
    }
  }

  /** @param {{requestId: string, timestamp: number, redirectResponse: NetworkResponse}} event */
  #redirected(event) {
    this.#answered(event.requestId, event.redirectResponse);
    const logged = this.#open.get(event.requestId);
    if (logged) logged.isRedirect = true;
    this.#end(event, { size: event.redirectResponse.encodedDataLength });
  }

  /**
   * @param {string} requestId
   * @param {NetworkResponse & {frame?: string}} response
   */
  #answered(requestId, { status, mimeType = "", frame }) {
    const logged = this.#open.get(requestId);
    if (logged) Object.assign(logged, { status, mimeType, frame });
  }

  /**
   * @param {{requestId: string, timestamp: number}} event
   * @param {Partial<LoggedRequest>} outcome
   */
  #end({ requestId, timestamp }, outcome) {
    const logged = this.#open.get(requestId);
    if (!logged) return;
    this.#open.delete(requestId);
    this.ofAction.end(requestId);
    // What a page has prefetched ended before the page that uses it requests it.
    const time = logged.startedAt === null ? null : Math.max(0, Math.round((timestamp - logged.startedAt) * 1_000));
    Object.assign(logged, { time, ...outcome });
  }
}

/**
 * @param {NetworkRequest} request
 * @returns {string} origin of the requesting page, as the browser sends it; empty if it has none
 */
function originOf({ headers = {} }) {
  const origin = headers["Origin"] ?? "";
  return IS_WEB.test(origin) ? origin : "";
}

/** @param {{errorText: string, blockedReason?: string, canceled?: boolean}} event */
function errorOf({ errorText, blockedReason, canceled }) {
  return blockedReason ? `blocked: ${blockedReason}` : canceled ? "canceled" : errorText;
}
