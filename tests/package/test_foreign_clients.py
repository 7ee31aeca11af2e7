"""Third-party clients: the TypeScript SDK, on which the MCP Inspector is built, and the public conformance suite."""

import asyncio
import json
import os
import re
import sys
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from chrome_tab.bridge import pairing
from tests.support.fake_extension import connected, free_port
from tests.support.http_server import HttpServer, http_server
from tests.support.stdio_server import SERVER

pytestmark = pytest.mark.e2e

MODULES = Path(__file__).parents[2] / "node_modules"
CONFORMANCE = MODULES / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
TYPESCRIPT = Path(__file__).parents[1] / "support" / "typescript_client.mjs"
RUN_S = 90
READER = ["chrome_tab_status", "process_chrome_tab", "read_chrome_tab"]

# The suite's other scenarios call tools, resources and prompts with fixed names that only its own example server has
# (test_image_content, test://static-text ...), or features that we do not offer: sampling, elicitation, completion,
# subscriptions to resources other than tab://active, resumable streams. dns-rebinding-protection expects a status 4xx
# where a page gets no response from us (test_http.py).
APPLYING = {
    "server-initialize",
    "ping",
    "logging-set-level",
    "tools-list",
    "tools-call-error",
    "resources-list",
    "prompts-list",
    "server-sse-multiple-streams",
}


async def run_node(*arguments: str | Path) -> str:
    """Run a program with the Node.js of the checks; return its stdout."""
    process = await asyncio.create_subprocess_exec(
        "node", *map(str, arguments), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, env=os.environ
    )
    try:
        out, err = await asyncio.wait_for(process.communicate(), RUN_S)
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()
    assert out.strip(), err.decode()[-2_000:]
    return out.decode()


@pytest.fixture(params=["stdio", "http", "sse"])
async def way(request: pytest.FixtureRequest) -> AsyncGenerator[HttpServer | list[str]]:
    """Return a server to which an extension is connected, or the command with which a client starts one."""
    if request.param == "stdio":
        model = ["--ollama-url", "http://127.0.0.1:9", "--model", "none", "--source", "extension"]
        yield [sys.executable, str(SERVER), *model, "--port", str(free_port())]
    else:
        async with http_server(request.param) as served, connected(served.port, pairing.pairing_key()):
            yield served


async def test_typescript_sdk_lists_and_calls(way: HttpServer | list[str]) -> None:
    target = [way.transport, way.url, way.bearer] if isinstance(way, HttpServer) else ["stdio", *way]

    said = json.loads(await run_node(TYPESCRIPT, *target))

    assert set(READER) <= set(said["tools"])
    # Its single list has the extension's tools, too, if one is connected.
    assert ("browser_get_tabs" in said["tools"]) is isinstance(way, HttpServer)
    assert said["refusal"].endswith("[INVALID_ARGUMENT]")


async def test_conformance_suite_passes_where_it_applies() -> None:
    async with http_server(open=True) as served:
        report = await run_node(CONFORMANCE, "server", "--url", served.url)

    outcomes = {name: mark for mark, name in re.findall(r"^([✓✗]) ([\w-]+):", report, re.MULTILINE)}
    assert {name: outcomes.get(name) for name in APPLYING} == dict.fromkeys(APPLYING, "✓")
