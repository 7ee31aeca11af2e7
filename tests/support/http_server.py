"""The server with --transport http or sse, in the test's own process, on its own port."""

import asyncio
import contextlib
import dataclasses
from collections.abc import AsyncGenerator
from http import HTTPStatus
from typing import Any

import httpx
from fastmcp import Client
from fastmcp.client.transports import SSETransport, StreamableHttpTransport

import chrome_tab_mcp_server as server
from chrome_tab import app
from chrome_tab.bridge import pairing
from tests.support.fake_extension import free_port, within


@dataclasses.dataclass(frozen=True)
class HttpServer:
    """A started server; `serving` ends when it is cancelled."""

    transport: str
    port: int
    bearer: str
    serving: asyncio.Task[int]

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return self.base + {"http": "/mcp", "sse": "/sse"}[self.transport]

    @property
    def authorization(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.bearer}"}

    def client(self) -> Client[Any]:
        kind = StreamableHttpTransport if self.transport == "http" else SSETransport
        return Client(kind(self.url, headers=self.authorization))

    async def stop(self) -> None:
        self.serving.cancel()
        await asyncio.wait({self.serving}, timeout=20)
        assert self.serving.done()


@contextlib.asynccontextmanager
async def http_server(transport: str = "http", **settings: Any) -> AsyncGenerator[HttpServer]:
    """Serve until the block ends, without a model unless `ollama_url` names one."""
    flags = {"ollama_url": "http://127.0.0.1:9", "model": "fake-model", "source": "extension", "port": free_port()}
    given = server.load_settings(flags | {"transport": transport} | settings, need_model=True)
    serving = asyncio.create_task(app.serve_http(given))
    started = HttpServer(transport, given.port, pairing.bearer_key(pairing.pairing_key()), serving)
    try:
        await within(answers(started))
        yield started
    finally:
        await started.stop()


async def answers(started: HttpServer) -> None:
    """Wait until the port is served; report why if the server cannot start."""
    async with httpx.AsyncClient(base_url=started.base, trust_env=False) as client:
        while True:
            if started.serving.done():
                started.serving.result()
            with contextlib.suppress(httpx.TransportError):
                if (await client.get("/health")).status_code == HTTPStatus.OK:
                    return
            await asyncio.sleep(0)
