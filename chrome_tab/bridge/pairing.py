"""The pairing key, the connection string, and the proofs of possessing the key."""

from __future__ import annotations

import base64
import contextlib
import hmac
import json
import os
import re
import secrets
import time
from pathlib import Path

import chrome_tab_mcp_server as server

CONNECTED_LATELY_S = 7 * 86_400.0
BASE64URL_32_BYTES = re.compile(r"[A-Za-z0-9_-]{43}")
KEY_BYTES = 32
# Version of the proofs and derived keys; separate from the protocol version, so that stored keys stay valid.
KEY_VERSION = 1


def to_base64url(data: bytes) -> str:
    """Return base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def pairing_key() -> str:
    """Return the key that the user's servers and extension share; create it at first use.

    Raises ChromeTabError if it cannot be stored, or if another user of this machine could read it.
    """
    path = server.config_dir() / "key"
    try:
        if not path.exists():
            make_key(path)
        return read_key(path)
    except OSError as error:
        raise server.ChromeTabError(
            "PERMISSION_DENIED",
            f"The pairing key {path} cannot be read or created ({error.strerror or error}). Fix the permissions on that file and its directory, or free some space.",
        ) from None


def make_key(path: Path) -> None:
    """Create a key, unless another server has just done so."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    key = to_base64url(secrets.token_bytes(KEY_BYTES)) + "\n"
    # Creating a hard link is atomic, and never replaces the key of another server.
    with server.private_draft(path, key.encode()) as draft, contextlib.suppress(FileExistsError):
        os.link(draft, path)


def read_key(path: Path) -> str:
    """Read the key from a file that only its owner can read."""
    with os.fdopen(server.open_regular(path), encoding="ascii", errors="replace") as file:
        mode = os.fstat(file.fileno()).st_mode
        key = file.read(200).strip()
    if os.name == "posix" and mode & 0o077:
        sentence = f"Other users can read the pairing key {path}. Run `chmod 600 {path}`, or delete it and pair again."
        raise server.ChromeTabError("PERMISSION_DENIED", sentence)
    if not BASE64URL_32_BYTES.fullmatch(key):
        sentence = f"The pairing key {path} is damaged. Delete it, and pair again with --setup."
        raise server.ChromeTabError("PERMISSION_DENIED", sentence)
    return key


def connection_string(port: int, key: str) -> str:
    """Build the line that the user pastes into the extension."""
    pairing = {"v": 1, "s": f"ws://{server.HOST}:{port}", "k": key}
    return "vf://" + to_base64url(json.dumps(pairing, separators=(",", ":")).encode())


def last_port() -> int | None:
    """Return the port of the last connection to an extension; None if there was none."""
    try:
        return int(server.read_regular(server.config_dir() / "last-port"))
    except (OSError, ValueError):
        return None


def remember_port(port: int) -> None:
    """Store the port of a connection to an extension; the file's modification time is the connection's time."""
    path = server.config_dir() / "last-port"
    with contextlib.suppress(OSError), server.private_draft(path, str(port).encode()) as draft:
        draft.replace(path)


def connected_lately(port: int) -> bool:
    """Return whether an extension was connected on a port within the last 7 days, with the current key."""
    folder = server.config_dir()
    try:
        then, paired = ((folder / name).stat().st_mtime for name in ("last-port", "key"))
    except OSError:
        return False
    return last_port() == port and then >= paired and time.time() - then < CONNECTED_LATELY_S


def make_nonce() -> str:
    """Make 32 random bytes, in base64url."""
    return to_base64url(secrets.token_bytes(32))


def sign(key: str, message: str) -> str:
    """Sign a message with the key."""
    raw_key = base64.urlsafe_b64decode(key + "=")
    return to_base64url(hmac.digest(raw_key, f"{server.APP_NAME}/{KEY_VERSION}|{message}".encode(), "sha256"))


def proof(key: str, role: str, port: int, client_nonce: str, server_nonce: str) -> str:
    """Compute the proof that `role` has the key; see docs/design/protocol.md, "Handshake"."""
    return sign(key, f"{role}|{port}|{client_nonce}|{server_nonce}")


def bearer_key(key: str, purpose: str = "http") -> str:
    """Derive the key that MCP clients send over HTTP; it does not reveal the pairing key itself."""
    return sign(key, purpose)
