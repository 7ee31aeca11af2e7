/**
 * The connection to the server that served this page, through the official SDK: streamable HTTP, or SSE if that is what
 * the server offers. Its key stays in memory.
 *
 * @import {RequestOptions, Tool, ToolResult, TransportOptions} from "./vendor/mcp-client.js"
 */

import { Client, SSEClientTransport, StreamableHTTPClientTransport } from "./vendor/mcp-client.js";

const ABOUT = { name: "chrome-tab-reader-test-app", version: "1.0.0" };
const LOOK_EVERY_MS = 2_000;
/** The SDK's own limit of one minute is too short for a long page; the server ends every call by itself. */
const LONGEST_CALL_MS = 24 * 60 * 60 * 1_000;

/**
 * @typedef {"connecting" | "connected" | "lost" | "left" | "locked"} State
 *   lost: the server does not answer and is being polled; left: the user has disconnected; locked: the key is missing
 */

export class Connection {
  /** @type {State} */
  state = "connecting";
  /** @readonly */
  #onState;
  /** @readonly */
  #onTools;
  /** @type {Client | null} */
  #client = null;
  #key = "";

  /**
   * @param {() => void} onState `state` has changed
   * @param {(tools: Tool[]) => void} onTools
   */
  constructor(onState, onTools) {
    this.#onState = onState;
    this.#onTools = onTools;
    setInterval(() => void this.#look(), LOOK_EVERY_MS);
  }

  get serverName() {
    const server = this.#client?.getServerVersion();
    return server ? `${server.name} ${server.version}` : "";
  }

  /**
   * @param {string} entry the fragment of a one-time link, the bearer key, or empty for an open server
   * @returns {Promise<string>} why the server rejects this page; empty on success
   */
  async enter(entry) {
    const response = await fetch("/link", { method: "POST", body: JSON.stringify({ link: entry }) }).catch(() => null);
    const reply = await response?.json().catch(() => null);
    // Text that is not a link may be the bearer key itself.
    this.#key = typeof reply?.key === "string" ? reply.key : entry;
    if (response?.status === 401 && !entry) {
      this.#become("locked");
      return "";
    }
    const refusal = await this.connect();
    return refusal && typeof reply?.error?.message === "string" ? reply.error.message : refusal;
  }

  /** @returns {Promise<string>} why the server rejects this page; empty on success, or if there is no server */
  async connect() {
    this.#become("connecting");
    await this.#client?.close().catch(() => {});
    try {
      this.#client = await this.#open();
      await this.#listTools();
      this.#become("connected");
      return "";
    } catch (error) {
      this.#client = null;
      const isLocked = await this.#isLocked();
      this.#become(isLocked ? "locked" : "lost");
      return isLocked ? sentenceOf(error) : "";
    }
  }

  async disconnect() {
    const client = this.#client;
    this.#client = null;
    this.#become("left");
    await client?.close().catch(() => {});
  }

  /**
   * @param {string} name
   * @param {Record<string, unknown>} args
   * @param {RequestOptions} options
   * @returns {Promise<ToolResult>}
   */
  call(name, args, options) {
    if (!this.#client) throw new Error("The server is not connected.");
    return this.#client.callTool({ name, arguments: args }, { timeout: LONGEST_CALL_MS, ...options });
  }

  /** @returns {Promise<Client>} */
  async #open() {
    const http = new StreamableHTTPClientTransport(new URL("/mcp", location.origin), this.#options());
    const client = this.#newClient();
    try {
      await client.connect(http);
      return client;
    } catch (error) {
      if ((await statusOf("/mcp", this.#headers())) !== 404) throw error;
    }
    const overSse = this.#newClient();
    await overSse.connect(new SSEClientTransport(new URL("/sse", location.origin), this.#options()));
    return overSse;
  }

  #newClient() {
    const client = new Client(ABOUT);
    client.onerror = () => void this.#look();
    client.setNotificationHandler("notifications/tools/list_changed", () => void this.#listTools().catch(() => {}));
    return client;
  }

  /** @returns {TransportOptions} */
  #options() {
    return { requestInit: { headers: this.#headers() } };
  }

  /** @returns {Record<string, string>} */
  #headers() {
    return this.#key ? { authorization: `Bearer ${this.#key}` } : {};
  }

  async #listTools() {
    if (this.#client) this.#onTools((await this.#client.listTools()).tools);
  }

  /** Detects a lost server, and reconnects to it. */
  async #look() {
    if (this.state !== "connected" && this.state !== "lost") return;
    const isThere = await fetch("/health").then(
      (response) => response.ok,
      () => false,
    );
    if (this.state === "connected" && !isThere) this.#become("lost");
    else if (this.state === "lost" && isThere) await this.connect();
  }

  async #isLocked() {
    const headers = { ...this.#headers(), "content-type": "application/json" };
    for (const path of ["/mcp", "/sse"]) {
      if ((await statusOf(path, headers)) === 401) return true;
    }
    return false;
  }

  /** @param {State} state */
  #become(state) {
    this.state = state;
    this.#onState();
  }
}

/**
 * @param {string} path
 * @param {Record<string, string>} headers
 * @returns {Promise<number | undefined>} undefined if the server does not answer
 */
async function statusOf(path, headers) {
  const response = await fetch(path, { method: "HEAD", headers }).catch(() => null);
  return response?.status;
}

/** @param {unknown} error */
export function sentenceOf(error) {
  return error instanceof Error ? error.message : String(error);
}
