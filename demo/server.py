"""The server as an MCP client starts it, with its own key, port and settings."""

import asyncio
import os
import socket
import subprocess
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from mcp import MCPError
from mcp_types import Implementation

SERVER = Path(__file__).resolve().parent.parent / "chrome_tab_mcp_server.py"
INSTALL_S = 300
START_S = 30
PAIR_S = 30


def install_server() -> None:
    """Download the server's requirements now, so that a slow network is not mistaken for a server that does not start.

    Raises RuntimeError if uv fails; its own message is then on standard error.
    """
    command = ["uv", "sync", "--quiet", "--script", str(SERVER)]
    done = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, timeout=INSTALL_S)
    if done.returncode != 0:
        raise RuntimeError("uv could not download the server's requirements; see its message above.")


def server_environment(folder: Path, settings: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a server that keeps its key in `folder`, has a free port and only these settings."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    rest = {name: value for name, value in os.environ.items() if not name.startswith("CHROME_TAB_")}
    return {**rest, "XDG_CONFIG_HOME": str(folder), "CHROME_TAB_PORT": str(port), **settings}


@asynccontextmanager
async def started_server(environment: dict[str, str], log: Path) -> AsyncGenerator[Client[StdioTransport]]:
    """Start the server over stdio for the duration of the block; its log goes to `log`.

    Raises RuntimeError with its last lines if it does not start within `START_S` seconds.
    """
    transport = StdioTransport("uv", ["run", "--quiet", str(SERVER)], environment, keep_alive=False, log_file=log)
    client = Client(transport, init_timeout=START_S, client_info=Implementation(name="demo", version="1"))
    async with AsyncExitStack() as stack:
        try:
            await stack.enter_async_context(client)
        except (MCPError, RuntimeError) as failure:
            raise RuntimeError(f"The server did not start. {failure}\n{last_lines(log)}") from failure
        yield client


def last_lines(log: Path) -> str:
    return "\n".join(log.read_text(encoding="utf-8").splitlines()[-20:])


async def connection_string(environment: dict[str, str]) -> str:
    """Ask the server for the string that a user pastes into the extension's popup."""
    done = await asyncio.to_thread(
        subprocess.run,
        ["uv", "run", "--quiet", str(SERVER), "--pair"],
        check=False,
        capture_output=True,
        encoding="utf-8",
        env=environment,
        stdin=subprocess.DEVNULL,
        timeout=PAIR_S,
    )
    for line in done.stdout.splitlines():
        if line.startswith("vf://"):
            return line
    raise RuntimeError(f"The server's --pair printed no connection string.\n{done.stderr}")
