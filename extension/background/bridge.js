/**
 * Keeps the connection to the server: when to open it, when to try again, when to leave it closed.
 *
 *   no pairing      -> no server to connect to
 *   connecting      -> a Connection that is not open yet
 *   connected       -> a Connection that is open
 *   waiting         -> a retry is scheduled, in 2 to 3 seconds
 *   left closed     -> the user pressed Disconnect, or has turned off automatic reconnection
 *
 * @import {AnswerEvent, CloseReason, Command, Pairing, PastFailure, Settings, Status} from "../shared/types.d.ts"
 * @import {Profile} from "./profile.js"
 */

import { Connection } from "./connection.js";
import { log } from "./log.js";
import {
  DEFAULT_SETTINGS,
  deleteSettings,
  loadFailure,
  loadSettings,
  saveFailure,
  saveSettings,
} from "../shared/storage.js";

/** Servers wait about this long for their first request; jitter keeps several browsers from connecting at once. */
const RETRY_MS = 2_000;
const RETRY_JITTER_MS = 1_000;
/** No server is listening, as before every client starts. All other failures need the user. */
const NEUTRAL_FAILURES = new Set([null, "unreachable", "closed"]);
/** The retry timer dies when a worker is killed; this alarm wakes a new one. Chrome allows no shorter period. */
const WAKE_ALARM = "wake";
const WAKE_PERIOD_MINUTES = 0.5;

export class Bridge {
  /** @type {Settings} */
  #settings = { pairing: null, wanted: false, autoReconnect: false, commands: {} };
  /** @type {CloseReason | null} why the last attempt failed */
  #failure = null;
  /** @type {PastFailure | null} this pairing's latest failure that needed the user, kept after the next success */
  #lastFailure = null;
  #connectedAt = "";
  #loggedState = "";
  /** @type {Connection | null} */
  #connection = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #retryTimer;
  /** @readonly */
  #profile;
  /** @readonly */
  #handlers;
  /** @type {Promise<void>} */
  #loaded;

  /**
   * @param {Profile} profile
   * @param {object} handlers
   * @param {() => void} handlers.onOpen
   * @param {(command: Command, signal: AbortSignal) => Promise<string>} handlers.onCommand as for a Connection
   * @param {(event: AnswerEvent) => void} handlers.onAnswer an event about one of the user's questions
   * @param {() => void} handlers.onLost a connection has ended
   * @param {() => void} handlers.onChange the result of `status()` may have changed
   */
  constructor(profile, handlers) {
    this.#profile = profile;
    this.#handlers = handlers;
    this.#loaded = this.#load();
  }

  async #load() {
    [this.#settings, this.#failure] = await Promise.all([loadSettings(), loadFailure()]);
    if (this.#mayRetry && !this.#connection) this.#open();
    this.#changed();
  }

  /** @returns {Promise<Status>} */
  async status() {
    await this.#loaded;
    const { pairing, autoReconnect, commands } = this.#settings;
    return {
      state: this.#state,
      paired: pairing !== null,
      port: pairing?.port ?? null,
      sessions: this.#connection?.sessions ?? 0,
      clients: this.#connection?.clients ?? [],
      failure: this.#failure,
      autoReconnect,
      serverVersion: this.#connection?.isOpen ? this.#connection.serverVersion : "",
      connectedAt: this.#connection?.isOpen ? this.#connectedAt : "",
      lastFailure: this.#lastFailure,
      name: this.#connection?.isOpen ? this.#connection.name : "",
      browsers: this.#connection?.browsers ?? 0,
      isCopy: this.#profile.isCopy,
      commands,
    };
  }

  /** @returns {string[]} host patterns that the connected server denies */
  get deniedHosts() {
    return this.#connection?.deniedHosts ?? [];
  }

  /**
   * @param {string} frame JSON text; dropped when there is no connection
   * @returns {boolean} whether there is a connection
   */
  sendFrame(frame) {
    this.#connection?.sendFrame(frame);
    return this.#connection?.isOpen ?? false;
  }

  // --- Actions of the user

  /** @param {Pairing} pairing */
  async pair(pairing) {
    await this.#save({ pairing, wanted: true });
    this.#lastFailure = null;
    this.#reopen();
  }

  async reconnect() {
    await this.#save({ wanted: true });
    // An automatic retry may have succeeded since the button was drawn.
    if (!this.#connection?.isOpen) this.#reopen();
  }

  async disconnect() {
    await this.#save({ wanted: false });
    this.#leave();
    this.#changed();
  }

  async unpair() {
    await this.#loaded;
    // Before the first await: the user may pair again meanwhile.
    this.#settings = DEFAULT_SETTINGS;
    this.#lastFailure = null;
    this.#leave();
    await deleteSettings();
    this.#changed();
  }

  /** @param {boolean} autoReconnect */
  async setAutoReconnect(autoReconnect) {
    await this.#save({ autoReconnect });
    if (!autoReconnect) clearTimeout(this.#retryTimer);
    else if (this.#mayRetry && !this.#connection) this.#open();
    this.#changed();
  }

  // --- Connecting

  #reopen() {
    this.#leave();
    this.#open();
    this.#changed();
  }

  #open() {
    if (!this.#settings.pairing) return;
    clearTimeout(this.#retryTimer);
    this.#connection = new Connection(this.#settings.pairing, this.#profile, {
      onOpen: () => this.#opened(),
      onCommand: this.#handlers.onCommand,
      onSessions: () => this.#changed(),
      onAnswer: this.#handlers.onAnswer,
      onClose: (reason) => this.#closed(reason),
    });
  }

  #opened() {
    this.#connectedAt = new Date().toISOString();
    this.#setFailure(null);
    void this.#save({ commands: this.#connection?.commands ?? {} });
    this.#handlers.onOpen();
    this.#changed();
  }

  /** @param {CloseReason} reason */
  #closed(reason) {
    const before = this.#state;
    const isNews = reason !== this.#failure;
    this.#connection = null;
    this.#handlers.onLost();
    if (isNews) log(`connection closed: ${reason}`);
    if (!NEUTRAL_FAILURES.has(reason)) this.#lastFailure = { reason, at: new Date().toISOString() };
    this.#setFailure(reason);
    if (this.#mayRetry) this.#planRetry();
    // Repeated failed attempts do not update the popup and the badge.
    if (isNews || before !== this.#state) this.#changed();
  }

  #planRetry() {
    this.#retryTimer = setTimeout(() => this.#open(), RETRY_MS + Math.random() * RETRY_JITTER_MS);
    // Without a call like this a worker, and its timer, dies after 30 s. A fetch does not count.
    void chrome.runtime.getPlatformInfo();
  }

  #leave() {
    clearTimeout(this.#retryTimer);
    this.#connection?.close();
    this.#connection = null;
    this.#handlers.onLost();
    this.#setFailure(null);
  }

  // --- State

  get #mayRetry() {
    const { pairing, wanted, autoReconnect } = this.#settings;
    return pairing !== null && wanted && autoReconnect;
  }

  get #state() {
    if (!this.#settings.pairing) return "setup";
    if (this.#connection?.isOpen) return "connected";
    return this.#mayRetry && NEUTRAL_FAILURES.has(this.#failure) ? "paired" : "disconnected";
  }

  /** @param {Partial<Settings>} change */
  async #save(change) {
    await this.#loaded;
    this.#settings = { ...this.#settings, ...change };
    await saveSettings(this.#settings);
  }

  #logState() {
    if (this.#state === this.#loggedState) return;
    this.#loggedState = this.#state;
    log(`state: ${this.#state}, port ${this.#settings.pairing?.port ?? "none"}`);
  }

  /** @param {CloseReason | null} failure */
  #setFailure(failure) {
    this.#failure = failure;
    void saveFailure(failure);
  }

  #changed() {
    this.#logState();
    if (this.#mayRetry) void chrome.alarms.create(WAKE_ALARM, { periodInMinutes: WAKE_PERIOD_MINUTES });
    else void chrome.alarms.clear(WAKE_ALARM);
    this.#handlers.onChange();
  }
}
