"""Pairing in the terminal: `--pair` prints the connection string for the extension's popup.

With `--http` it prints the bearer key for MCP over HTTP instead.
"""

from __future__ import annotations

import asyncio
import json
import sys

import chrome_tab_mcp_server as server
from chrome_tab.bridge import pairing, protocol
from chrome_tab.bridge.follower import connected_to_leader
from chrome_tab.bridge.handshake import HandshakeError
from chrome_tab.extension.source import PAIRING_WAIT_S, ExtensionSource


async def pair(settings: server.Settings, *, over_http: bool) -> int:
    """Print the credentials for the extension or for HTTP clients; return the exit status."""
    return await (pair_http(settings) if over_http else pair_extension(settings))


async def pair_extension(settings: server.Settings) -> int:
    """Print the connection string, then wait for the extension if stdout is a terminal; return the exit status."""
    print(pairing.connection_string(settings.port, pairing.pairing_key()), flush=True)
    (server.config_dir() / "paired").touch()
    server.print_message(
        "\nPaste this line into the popup of the Chrome Tab Reader extension and press Connect.\n"
        "It is a password for your browser: do not share it."
    )
    if not sys.stdout.isatty():
        return 0
    minutes = f"{PAIRING_WAIT_S / 60:g} minutes"
    server.print_message(f"Waiting for the extension, at most {minutes}. Ctrl+C ends this; the line stays valid.")
    async with ExtensionSource(settings) as source:
        await source.bridge.reach(PAIRING_WAIT_S)
        server.print_message(f"The extension is connected, version {source.bridge.browsers[0]['version']}.")
    return 0


async def pair_http(settings: server.Settings) -> int:
    """Print the bearer key, and a link to the test app if a running server serves it; return the exit status."""
    key, address = pairing.bearer_key(pairing.pairing_key()), f"http://{server.HOST}:{settings.port}"
    print(key, flush=True)
    server.print_message(
        f"\nMCP clients send this key as the header `Authorization: Bearer {key}` to {address}/mcp, or to {address}/sse "
        "with --transport sse. It is a password for your browser: do not share it."
    )
    link = await new_link(settings.port)
    no_link = (
        "No server with --transport http uses this port. Start one, then run this again for a link to its test app."
    )
    server.print_message(f"Test app: {link} (works once, for two minutes)" if link else no_link)
    return 0


async def new_link(port: int) -> str | None:
    """Return a link to the test app, or None if no server serves it; only a server that proved the key is asked."""
    try:
        async with (
            asyncio.timeout(server.CONNECT_TIMEOUT_S),
            connected_to_leader(port, pairing.pairing_key(), "") as leader,
        ):
            await leader.send(json.dumps({"type": "link"}))
            async for frame in leader:
                message = protocol.parse_frame(frame)
                if message.get("type") == "link":
                    return message.get("link")
    except (server.ChromeTabError, HandshakeError, TimeoutError):
        pass
    return None
