/**
 * The shared key: how it arrives (the connection string) and how both sides prove that they have it. The key itself is
 * never sent.
 *
 * @import {Pairing} from "../shared/types.d.ts"
 */

import { invalid } from "../shared/errors.js";
import { phrase } from "../shared/messages.js";

const PREFIX = "vf://";
/** The server's address. Other names of this computer can resolve to another program, or be redirected. */
const HOST = "127.0.0.1";
/** 32 bytes in base64url without padding: keys, nonces and proofs. */
const BASE64URL_32_BYTES = /^[A-Za-z0-9_-]{43}$/;

/**
 * Reads a connection string: `vf://` + base64url of `{"v":1,"s":"ws://127.0.0.1:61822","k":"..."}`.
 *
 * @param {string} connectionString
 * @returns {Pairing}
 * @throws {CommandError} INVALID_ARGUMENT, with a sentence for the user who pasted it
 */
export function parseConnectionString(connectionString) {
  // A terminal may have wrapped the line.
  const compact = connectionString.replace(/\s+/g, "");
  if (!compact) throw invalid(phrase("pairEmpty"));
  if (!compact.startsWith(PREFIX)) throw invalid(phrase("pairPrefix", PREFIX));
  const { v: version, s: server, k: key } = decodeObject(compact.slice(PREFIX.length));
  if (version !== 1) throw invalid(phrase("pairVersion"));
  if (typeof key !== "string" || !key) throw invalid(phrase("pairNoKey"));
  const { origin, port } = parseServer(server);
  return { server: origin, port, key };
}

/** @returns {string} 32 random bytes, encoded */
export function makeNonce() {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(32)));
}

/** @param {unknown} value */
export function isNonce(value) {
  return typeof value === "string" && BASE64URL_32_BYTES.test(value);
}

/**
 * @param {Pairing} pairing
 * @param {string} clientNonce
 * @param {string} serverNonce
 * @returns {Promise<string>} the proof that this extension has the key
 */
export async function makeProof(pairing, clientNonce, serverNonce) {
  const statement = statementOf("extension", pairing, clientNonce, serverNonce);
  const signature = await crypto.subtle.sign("HMAC", await importKey(pairing.key), statement);
  return encodeBase64Url(new Uint8Array(signature));
}

/**
 * @param {Pairing} pairing
 * @param {string} clientNonce
 * @param {string} serverNonce
 * @param {unknown} proof
 * @returns {Promise<boolean>} whether the server has the key; compared in constant time
 */
export async function isServerProof(pairing, clientNonce, serverNonce, proof) {
  if (typeof proof !== "string" || !BASE64URL_32_BYTES.test(proof)) return false;
  const statement = statementOf("server", pairing, clientNonce, serverNonce);
  return crypto.subtle.verify("HMAC", await importKey(pairing.key), decodeBase64Url(proof), statement);
}

/**
 * The role prevents reflecting a proof back to its sender, the port prevents relaying one from another port.
 *
 * @param {"server" | "extension"} role
 * @param {Pairing} pairing
 * @param {string} clientNonce
 * @param {string} serverNonce
 */
function statementOf(role, { port }, clientNonce, serverNonce) {
  return new TextEncoder().encode(["chrome-tab-reader/1", role, port, clientNonce, serverNonce].join("|"));
}

/** @param {string} key */
function importKey(key) {
  // The server generates 32-byte keys; any other text is a key that a developer typed, and is used as it is.
  const bytes = BASE64URL_32_BYTES.test(key) ? decodeBase64Url(key) : new TextEncoder().encode(key);
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
}

/**
 * @param {string} encoded
 * @returns {Record<string, unknown>}
 */
function decodeObject(encoded) {
  try {
    const value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(decodeBase64Url(encoded)));
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Damaged base64, UTF-8 or JSON: the same to the user.
  }
  throw invalid(phrase("pairDamaged"));
}

/**
 * @param {unknown} server
 * @returns {{origin: string, port: number}}
 */
function parseServer(server) {
  const url = typeof server === "string" ? URL.parse(server) : null;
  if (!url) throw invalid(phrase("pairNoServer"));
  // Page text is sent there unencrypted, so it must not leave this computer.
  if (url.protocol !== "ws:" || url.hostname !== HOST) throw invalid(phrase("pairElsewhere", `ws://${HOST}:PORT`));
  const isBare = url.pathname === "/" && !url.search && !url.hash && !url.username && !url.password;
  if (!isBare) throw invalid(phrase("pairMore"));
  return { origin: url.origin, port: Number(url.port || 80) };
}

/** @param {Uint8Array} bytes */
function encodeBase64Url(bytes) {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
}

/**
 * @param {string} text
 * @returns {Uint8Array<ArrayBuffer>}
 */
function decodeBase64Url(text) {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
