"""The server as an MCP client starts it: its own process, one JSON message per line on stdin and stdout."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
SERVER = ROOT / "chrome_tab_mcp_server.py"
WAIT_S = 60
# The server, whose status does not wait for an extension that the test does not connect.
IMPATIENT = (
    "-c",
    f"""
import gc, sys
gc.disable()
sys.path.insert(0, {str(ROOT)!r})
from chrome_tab.bridge import protocol
import chrome_tab_mcp_server as server
from chrome_tab import app
protocol.EXTENSION_WAIT_S = 0.1
sys.exit(app.main(sys.argv[1:]))
""",
)


class StdioServer:
    """A started server. Requests are sent one at a time; the server's notifications are dropped."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self._last_id = 0

    async def request(self, method: str, **params: Any) -> tuple[Any, str]:
        """Return the result and the whole line that contained it."""
        message, line = await self._exchange(method, params)
        return message["result"], line

    async def refused(self, method: str, **params: Any) -> Any:
        """Return the error of a request that fails."""
        return (await self._exchange(method, params))[0]["error"]

    async def _exchange(self, method: str, params: Mapping[str, Any]) -> tuple[Any, str]:
        self._last_id += 1
        self.send({"id": self._last_id, "method": method, "params": params})
        while True:
            line = (await asyncio.wait_for(self._stdout.readline(), WAIT_S)).decode()
            message = json.loads(line)
            if message.get("id") == self._last_id:
                return message, line

    def send(self, message: Mapping[str, Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0"} | dict(message)).encode() + b"\n")

    async def initialize(self) -> Any:
        client = {"name": "test", "version": "1"}
        result, _ = await self.request("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
        self.send({"method": "notifications/initialized"})
        return result

    async def call(self, name: str, **arguments: Any) -> Any:
        return (await self.request("tools/call", name=name, arguments=arguments))[0]

    async def ended(self, *under_way: int) -> tuple[int, str]:
        """Wait for the end; return the exit status and stderr.

        On stdout only calls in progress may have ended, with errors.
        """
        assert self.process.stderr
        stderr = await asyncio.wait_for(self.process.stderr.read(), WAIT_S)
        left = await self._stdout.read()
        messages = [json.loads(line) for line in left.splitlines()]
        assert all("error" in message and message.get("id") in under_way for message in messages), left
        return await asyncio.wait_for(self.process.wait(), WAIT_S), stderr.decode()

    def close_stdin(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()

    @property
    def _stdout(self) -> asyncio.StreamReader:
        assert self.process.stdout
        return self.process.stdout


@asynccontextmanager
async def started(
    *arguments: str, interpreter: str = sys.executable, program: Sequence[str] = (str(SERVER),), **environment: str
) -> AsyncGenerator[StdioServer]:
    """Start the server; it never outlives the block."""
    process = await asyncio.create_subprocess_exec(
        interpreter,
        *program,
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=os.environ | environment,
        limit=2**26,
    )
    try:
        yield StdioServer(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()
