/**
 * One connection to the server, from probing the port to closing. It is used once; bridge.js decides when to make the
 * next one.
 *
 * @import {AnswerEvent, ClientMessage, CloseReason, Command, Pairing, ServerCommands, Session, SessionsEvent} from "../shared/types.d.ts"
 * @import {Profile} from "./profile.js"
 */

import { loaded, missing } from "../commands/index.js";
import { hasAcceptedId } from "../shared/capabilities.js";
import { CommandError } from "../shared/errors.js";
import { plainLine } from "../shared/text.js";
import { log } from "./log.js";
import { isNonce, isServerProof, makeNonce, makeProof } from "./pairing.js";
import { abortAll } from "../browser/async.js";

const LARGE_FRAME_UNITS = 64 * 1024;
const PROTOCOL = 2;
/** A service worker dies after 30 s without work; WebSocket traffic counts as work. */
const PING_INTERVAL_MS = 20_000;
/** Consecutive missed replies: on a busy machine one may be late. */
const MAX_UNANSWERED_PINGS = 2;
const HANDSHAKE_TIMEOUT_MS = 10_000;
/** Timeout for the first sign of a program on the port. */
const LOOKING_TIMEOUT_MS = 2_000;
/** In UTF-16 units, never more than the bytes that the limit counts. */
const MAX_FRAME_IN = 1024 * 1024;
const MAX_CLIENTS = 50;
const MAX_SESSION_LENGTH = 8;
const MAX_CLIENT_LENGTH = 40;
const MAX_VERSION_LENGTH = 40;
/**
 * Maximum length of a command for a terminal; a longer one is dropped, because part of a command would do something
 * else.
 */
const MAX_LINE_LENGTH = 2_000;

const CLOSE_NORMAL = 1000;
const CLOSE_OTHER_PROTOCOL = 4400;
const CLOSE_WRONG_KEY = 4401;
const CLOSE_NO_ANSWER = 4408;
const CLOSE_TOO_MANY_BROWSERS = 4429;

/** In the order of the handshake; CLOSED can follow any of them. */
const State = Object.freeze({
  /** Probing whether anything listens on the port. */
  LOOKING: "LOOKING",
  /** The socket is not open yet. */
  CONNECTING: "CONNECTING",
  /** hello was sent; waiting for the server's challenge. */
  CHALLENGING: "CHALLENGING",
  /** Verifying the server's proof. */
  VERIFYING: "VERIFYING",
  /** Our proof was sent; waiting for the server's welcome. */
  PROVING: "PROVING",
  OPEN: "OPEN",
  CLOSED: "CLOSED",
});

export class Connection {
  /** Number of sessions behind the server, from its welcome or a later event. */
  sessions = 0;
  /** @type {string[]} names of the sessions' clients */
  clients = [];
  serverVersion = "";
  /** @type {string[]} host patterns that the server denies */
  deniedHosts = [];
  /** @type {Partial<ServerCommands>} */
  commands = {};
  /** The name of this profile, and the number of profiles connected to the server. */
  name = "";
  browsers = 1;

  /** @readonly */
  #pairing;
  /** @readonly */
  #profile;
  /** @readonly */
  #handlers;
  /** @type {WebSocket | undefined} */
  #socket;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #handshakeTimer;
  /** @type {keyof typeof State} */
  #state = State.LOOKING;
  #nonce = makeNonce();
  #unansweredPings = 0;
  /** @type {Map<string, AbortController>} the running commands, by id */
  #commands = new Map();
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #pingTimer;

  /**
   * @param {Pairing} pairing
   * @param {Profile} profile
   * @param {object} handlers
   * @param {() => void} handlers.onOpen both sides have proved that they have the key
   * @param {(command: Command, signal: AbortSignal) => Promise<string>} handlers.onCommand returns JSON; the signal is
   *   aborted when the result is no longer needed: the server canceled the command, or this connection closed
   * @param {() => void} handlers.onSessions the sessions or their clients have changed
   * @param {(event: AnswerEvent) => void} handlers.onAnswer
   * @param {(reason: CloseReason) => void} handlers.onClose called once, unless `close()` closed the connection
   */
  constructor(pairing, profile, handlers) {
    this.#pairing = pairing;
    this.#profile = profile;
    this.#handlers = handlers;
    void this.#start();
  }

  get isOpen() {
    return this.#state === State.OPEN;
  }

  /** @param {string} frame JSON text; dropped unless the connection is open */
  sendFrame(frame) {
    if (!this.isOpen) return;
    // Chrome sends a large text more than twice as fast as a Blob, which makes a binary frame.
    this.#socket?.send(frame.length > LARGE_FRAME_UNITS ? new Blob([frame]) : frame);
  }

  /** Closes permanently, without calling `onClose`. May be called twice. */
  close() {
    this.#end(CLOSE_NORMAL);
  }

  // --- Handshake

  async #start() {
    // After some unanswered WebSockets, Chrome delays each further one by up to 5 s, but it never delays a request.
    const [failure] = await Promise.all([look(this.#pairing), loaded]);
    if (this.#state === State.CLOSED) return;
    if (failure) return this.#fail(failure, CLOSE_NORMAL);
    this.#state = State.CONNECTING;
    this.#socket = new WebSocket(`${this.#pairing.server}/extension`);
    this.#socket.onopen = () => void this.#hello();
    this.#socket.onmessage = ({ data }) => this.#receive(data);
    this.#socket.onclose = ({ code }) => this.#fail(this.#reasonOf(code), CLOSE_NORMAL);
    this.#handshakeTimer = setTimeout(() => this.#fail("no_answer", CLOSE_NO_ANSWER), HANDSHAKE_TIMEOUT_MS);
  }

  async #hello() {
    const browser = await this.#profile.describe();
    // The socket may have closed meanwhile.
    if (this.#state !== State.CONNECTING) return;
    this.#state = State.CHALLENGING;
    const { version } = chrome.runtime.getManifest();
    const absent = missing();
    const lacks = absent.length ? { missing: absent } : {};
    this.#send({ type: "hello", protocol: PROTOCOL, version, nonce: this.#nonce, browser, ...lacks });
  }

  /** @param {Record<string, unknown>} challenge */
  async #answerChallenge({ protocol, version, nonce, proof }) {
    this.serverVersion = plainLine(String(version ?? ""), MAX_VERSION_LENGTH);
    if (protocol !== PROTOCOL) return this.#fail("other_protocol", CLOSE_OTHER_PROTOCOL);
    this.#state = State.VERIFYING;
    // Send nothing more to a server without the key: our own proof would help it impersonate us.
    if (typeof nonce !== "string" || !isNonce(nonce)) return this.#fail("wrong_key", CLOSE_WRONG_KEY);
    if (!(await isServerProof(this.#pairing, this.#nonce, nonce, proof))) {
      return this.#fail("wrong_key", CLOSE_WRONG_KEY);
    }
    const ownProof = await makeProof(this.#pairing, this.#nonce, nonce);
    // The socket may have closed, or the handshake timed out, during either await.
    if (this.#state !== State.VERIFYING) return;
    this.#state = State.PROVING;
    this.#send({ type: "proof", proof: ownProof });
  }

  /** @param {Record<string, unknown>} welcome */
  #welcome(welcome) {
    this.#state = State.OPEN;
    if (isName(welcome.profile)) this.#profile.adopt(welcome.profile);
    this.#setSessions(welcome);
    this.#setServerInfo(welcome);
    clearTimeout(this.#handshakeTimer);
    this.#pingTimer = setInterval(() => this.#ping(), PING_INTERVAL_MS);
    this.#handlers.onOpen();
  }

  // --- Open

  #ping() {
    // After sleep a socket can look open although its peer is gone.
    if (this.#unansweredPings === MAX_UNANSWERED_PINGS) return this.#fail("closed", CLOSE_NO_ANSWER);
    this.#unansweredPings += 1;
    this.#send({ type: "ping" });
    // In Firefox only a call like this counts as activity.
    void chrome.runtime.getPlatformInfo();
  }

  /** @param {Command} command */
  async #command(command) {
    const controller = new AbortController();
    this.#commands.set(command.id, controller);
    const frame = await this.#handlers.onCommand(command, controller.signal);
    this.#commands.delete(command.id);
    // Dropped if this connection has closed: the next server may have given the id to another command.
    this.sendFrame(frame);
  }

  /** @param {string} id */
  #cancel(id) {
    this.#commands.get(id)?.abort(nobodyWaits());
  }

  /** @param {{sessions?: unknown, clients?: unknown, name?: unknown, browsers?: unknown}} message */
  #setSessions({ sessions, clients, name, browsers }) {
    this.sessions = isCount(sessions) ? sessions : 1;
    this.clients = Array.isArray(clients) ? clients.filter(isName).slice(0, MAX_CLIENTS) : [];
    this.name = isName(name) ? plainLine(name, MAX_CLIENT_LENGTH) : "";
    this.browsers = isCount(browsers) ? browsers : 1;
  }

  /** @param {{denied_hosts?: unknown, commands?: unknown}} welcome an older server sends neither */
  #setServerInfo({ denied_hosts: deniedHosts, commands }) {
    this.deniedHosts = Array.isArray(deniedHosts) ? deniedHosts.filter(isName) : [];
    const lines = Object.entries(Object(commands)).filter(([, line]) => isName(line) && line.length <= MAX_LINE_LENGTH);
    this.commands = Object.fromEntries(lines.map(([name, line]) => [name, plainLine(String(line), MAX_LINE_LENGTH)]));
  }

  /** @param {SessionsEvent} event */
  #sessionsChanged(event) {
    this.#setSessions(event);
    this.#handlers.onSessions();
  }

  /** @param {unknown} data */
  #receive(data) {
    this.#unansweredPings = 0;
    const message = parseMessage(data);
    const expected = `${this.#state} ${message?.type}`;
    if (message && expected === "CHALLENGING challenge") void this.#answerChallenge(message);
    else if (message && expected === "PROVING welcome") this.#welcome(message);
    else if (message && expected === "OPEN command" && isCommand(message)) void this.#command(message);
    else if (message && expected === "OPEN cancel") this.#cancel(String(message.id));
    else if (message && expected === "OPEN event" && isSessionsEvent(message)) this.#sessionsChanged(message);
    else if (message && expected === "OPEN event" && isAnswerEvent(message)) this.#handlers.onAnswer(message);
    else if (expected !== "OPEN pong") log("dropped a message that is malformed or not expected now");
  }

  // --- Both phases

  /** @param {ClientMessage} message */
  #send(message) {
    this.#socket?.send(JSON.stringify(message));
  }

  /**
   * @param {number} code the close code that the server sent, or 1006
   * @returns {CloseReason}
   */
  #reasonOf(code) {
    if (code === CLOSE_WRONG_KEY) return "wrong_key";
    if (code === CLOSE_OTHER_PROTOCOL) return "other_protocol";
    if (code === CLOSE_TOO_MANY_BROWSERS) return "too_many";
    if (this.#state === State.CONNECTING) return "foreign";
    return this.#state === State.OPEN ? "closed" : "no_answer";
  }

  /**
   * @param {CloseReason} reason
   * @param {number} code
   */
  #fail(reason, code) {
    if (this.#state === State.CLOSED) return;
    this.#end(code);
    this.#handlers.onClose(reason);
  }

  /** @param {number} code */
  #end(code) {
    this.#state = State.CLOSED;
    clearTimeout(this.#handshakeTimer);
    clearInterval(this.#pingTimer);
    this.#socket?.close(code);
    void abortAll(this.#commands.values(), nobodyWaits());
  }
}

function nobodyWaits() {
  return new CommandError(
    "COMMAND_TIMEOUT",
    "The command was canceled. What it had begun may still happen: check the page before you try again.",
  );
}

/**
 * @param {Pairing} pairing
 * @returns {Promise<CloseReason | null>} null if a program on the port answers, whatever the answer
 */
async function look({ server }) {
  if (!hasAcceptedId()) return "wrong_copy";
  try {
    const signal = AbortSignal.timeout(LOOKING_TIMEOUT_MS);
    const address = `${server.replace(/^ws:/, "http:")}/health`;
    await fetch(address, { cache: "no-store", credentials: "omit", redirect: "manual", signal });
    return null;
  } catch (error) {
    return error instanceof DOMException && error.name === "TimeoutError" ? "no_answer" : "unreachable";
  }
}

/**
 * @param {unknown} data
 * @returns {Record<string, unknown> | null} null unless it is a text frame within the limit that contains a JSON object
 */
function parseMessage(data) {
  if (typeof data !== "string" || data.length > MAX_FRAME_IN) return null;
  try {
    const message = JSON.parse(data);
    return typeof message === "object" ? message : null;
  } catch {
    return null;
  }
}

/**
 * @param {unknown} value
 * @returns {value is number}
 */
function isCount(value) {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

/**
 * @param {unknown} value
 * @returns {value is string}
 */
function isName(value) {
  return typeof value === "string" && value !== "";
}

/**
 * @param {Record<string, unknown>} message
 * @returns {message is Record<string, unknown> & SessionsEvent}
 */
function isSessionsEvent(message) {
  return message.event === "sessions" && isCount(message.sessions);
}

/**
 * @param {Record<string, unknown>} message
 * @returns {message is AnswerEvent & Record<string, unknown>}
 */
function isAnswerEvent(message) {
  return message.event === "answer" && typeof message.id === "string" && typeof message.state === "string";
}

/**
 * @param {any} session as sent by the server, or undefined
 * @returns {Session}
 */
function sessionOf(session) {
  const { id = "", client = "" } = Object(session);
  return { id: plainLine(String(id), MAX_SESSION_LENGTH), client: plainLine(String(client), MAX_CLIENT_LENGTH) };
}

/**
 * @param {Record<string, unknown>} message
 * @returns {message is Record<string, unknown> & Command}
 */
function isCommand(message) {
  message.tab_id ??= null;
  message.params ??= {};
  message.session = sessionOf(message.session);
  return (
    typeof message.id === "string" &&
    typeof message.command === "string" &&
    (message.tab_id === null || Number.isInteger(message.tab_id)) &&
    typeof message.params === "object" &&
    !Array.isArray(message.params)
  );
}
