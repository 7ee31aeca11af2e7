/**
 * Keeps the connection to the server: when to open it, when to try again, when to leave it closed.
 *
 *   no pairing      -> nothing to connect to
 *   connecting      -> a Connection that is not open yet
 *   connected       -> a Connection that is open
 *   waiting         -> a retry is planned, after 2, 4, 8, 16, 30, 30 ... seconds
 *   left closed     -> the person pressed Disconnect, or does not want it to reconnect by itself
 *
 * @import {CloseReason, Command, Pairing, RetryState, Settings, Status} from "../shared/types.d.ts"
 */

import { Connection } from "./connection.js";
import { deleteSettings, loadRetryState, loadSettings, saveRetryState, saveSettings } from "../shared/storage.js";

const FIRST_RETRY_MS = 2_000;
const SLOWEST_RETRY_MS = 30_000;
/** The retry timer dies with the worker; this alarm wakes a new one. Chrome allows no shorter period. */
const WAKE_ALARM = "wake";
const WAKE_PERIOD_MINUTES = 0.5;

export class Bridge {
  /** @type {Settings} */
  #settings = { pairing: null, wanted: false, autoReconnect: false };
  /** @type {RetryState} */
  #retryState = { failure: null, attempts: 0 };
  /** @type {Connection | null} */
  #connection = null;
  /** @type {number | null} */
  #retryAt = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #retryTimer;
  /** @readonly */
  #handlers;
  /** @type {Promise<void>} */
  #loaded;

  /**
   * @param {object} handlers
   * @param {() => void} handlers.onOpen
   * @param {(command: Command, reply: (frame: string) => void) => void} handlers.onCommand
   * @param {() => void} handlers.onChange the result of `status()` may have changed
   */
  constructor(handlers) {
    this.#handlers = handlers;
    this.#loaded = this.#load();
  }

  async #load() {
    [this.#settings, this.#retryState] = await Promise.all([loadSettings(), loadRetryState()]);
    if (this.#mayRetry && !this.#connection) this.#open();
    this.#changed();
  }

  /** @returns {Promise<Status>} */
  async status() {
    await this.#loaded;
    const { pairing, autoReconnect } = this.#settings;
    return {
      state: this.#state,
      paired: pairing !== null,
      port: pairing?.port ?? null,
      sessions: this.#connection?.sessions ?? 0,
      failure: this.#retryState.failure,
      connecting: this.#connection !== null,
      retryAt: this.#retryAt,
      autoReconnect,
    };
  }

  /** @param {string} frame JSON text; dropped when there is no connection */
  sendFrame(frame) {
    this.#connection?.sendFrame(frame);
  }

  // --- What the person asks for

  /** @param {Pairing} pairing */
  async pair(pairing) {
    await this.#save({ pairing, wanted: true });
    this.#reopen();
  }

  async reconnect() {
    await this.#save({ wanted: true });
    this.#reopen();
  }

  async disconnect() {
    await this.#save({ wanted: false });
    this.#leave();
    this.#changed();
  }

  async forget() {
    await this.#loaded;
    this.#leave();
    await deleteSettings();
    this.#settings = await loadSettings();
    this.#changed();
  }

  /** @param {boolean} autoReconnect */
  async setAutoReconnect(autoReconnect) {
    await this.#save({ autoReconnect });
    if (!autoReconnect) this.#cancelRetry();
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
    this.#cancelRetry();
    this.#connection = new Connection(this.#settings.pairing, {
      onOpen: () => this.#opened(),
      onCommand: this.#handlers.onCommand,
      onSessions: () => this.#changed(),
      onClose: (reason) => this.#closed(reason),
    });
  }

  #opened() {
    this.#setRetryState({ failure: null, attempts: 0 });
    this.#handlers.onOpen();
    this.#changed();
  }

  /** @param {CloseReason} reason */
  #closed(reason) {
    this.#connection = null;
    const attempts = this.#retryState.attempts + 1;
    this.#setRetryState({ failure: reason, attempts });
    if (this.#mayRetry) this.#planRetry(retryDelay(reason, attempts));
    this.#changed();
  }

  /** @param {number} delayMs */
  #planRetry(delayMs) {
    this.#retryAt = Date.now() + delayMs;
    this.#retryTimer = setTimeout(() => {
      this.#open();
      this.#changed();
    }, delayMs);
  }

  #cancelRetry() {
    clearTimeout(this.#retryTimer);
    this.#retryAt = null;
  }

  #leave() {
    this.#cancelRetry();
    this.#connection?.close();
    this.#connection = null;
    this.#setRetryState({ failure: null, attempts: 0 });
  }

  // --- State

  get #mayRetry() {
    const { pairing, wanted, autoReconnect } = this.#settings;
    return pairing !== null && wanted && autoReconnect;
  }

  get #state() {
    if (this.#connection?.isOpen) return "connected";
    // The pairing is kept: a foreign program on the port must not be able to make it vanish.
    return this.#settings.pairing && this.#retryState.failure !== "wrong_key" ? "disconnected" : "setup";
  }

  /** @param {Partial<Settings>} change */
  async #save(change) {
    await this.#loaded;
    this.#settings = { ...this.#settings, ...change };
    await saveSettings(this.#settings);
  }

  /** @param {RetryState} retryState */
  #setRetryState(retryState) {
    this.#retryState = retryState;
    void saveRetryState(retryState);
  }

  #changed() {
    if (this.#mayRetry) void chrome.alarms.create(WAKE_ALARM, { periodInMinutes: WAKE_PERIOD_MINUTES });
    else void chrome.alarms.clear(WAKE_ALARM);
    this.#handlers.onChange();
  }
}

/**
 * @param {CloseReason} reason
 * @param {number} attempts failed attempts in a row, at least 1
 * @returns {number} milliseconds until the next attempt
 */
export function retryDelay(reason, attempts) {
  // What is wrong with the other program does not mend by itself in seconds.
  if (reason === "wrong_key" || reason === "other_protocol") return SLOWEST_RETRY_MS;
  return Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), SLOWEST_RETRY_MS);
}
