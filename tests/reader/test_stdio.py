"""What crosses stdin and stdout of the real process: nothing in it ends the session, and no call goes unanswered."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import InvalidMessage

import chrome_tab_mcp_server as server
from chrome_tab.bridge import pairing
from tests.support.fake_extension import FakeExtension, connected, free_port
from tests.support.fake_models import FakeOpenAIServer, Reply, answer, delta, events
from tests.support.stdio_server import WAIT_S, StdioServer, started
from tests.support.tool_client import READ

pytestmark = pytest.mark.e2e

HALVES = "\ud83d", "\ude00"
PAGE = {"tab_id": 1, "text": "the page", "url": "https://page.test/", "title": "A \ud800 page"}


class Session:
    """A started server, the extension and the model that it uses."""

    def __init__(self, stdio: StdioServer, extension: FakeExtension, model: FakeOpenAIServer) -> None:
        self.stdio = stdio
        self.extension = extension
        self.model = model

    async def call(self, tool: str, reply: Any, **arguments: Any) -> Any:
        """Call a tool whose only command gets this reply."""
        calling = asyncio.create_task(self.stdio.call(tool, **arguments))
        await self.extension.reply(await self.extension.receive(), reply)
        return await calling

    async def say(self, line: bytes) -> Any:
        """Send a line; return the next one."""
        assert self.stdio.process.stdin
        assert self.stdio.process.stdout
        self.stdio.process.stdin.write(line + b"\n")
        return json.loads(await asyncio.wait_for(self.stdio.process.stdout.readline(), WAIT_S))

    async def is_well(self) -> None:
        result = await self.call("read_chrome_tab", PAGE)
        assert result["content"][0]["text"] == "the page"


@pytest.fixture(scope="module")
async def session() -> AsyncGenerator[Session]:
    """One process for all tests: each leaves it working."""
    port = free_port()
    async with FakeOpenAIServer() as model:
        flags = ["--ollama-url", model.url, "--model", "fake-model", "--source", "extension", "--port", str(port)]
        async with started(*flags) as stdio:
            await stdio.initialize()
            async with AsyncExitStack() as stack:
                extension = None
                async with asyncio.timeout(WAIT_S):
                    while extension is None:
                        with suppress(OSError, InvalidMessage):
                            extension = await stack.enter_async_context(connected(port, pairing.pairing_key()))
                        await asyncio.sleep(0.05)
                yield Session(stdio, extension, model)


@pytest.mark.parametrize(
    ("reply", "arguments", "text"),
    [
        (answer("a\ud800b"), {}, "a\ufffdb"),
        (answer('{"a": "x\\ud83d"}'), {"output_schema": {"type": "object"}}, '{"a": "x\ufffd"}'),
        (answer('{"\\ud83d": 1}'), {"output_schema": {"type": "object", "maxProperties": 1}}, '{"\ufffd": 1}'),
    ],
    ids=["answer", "value of JSON", "key of JSON"],
)
async def test_lone_surrogate_from_the_model_reaches_the_client_as_a_replacement(
    reply: Reply, arguments: dict[str, Any], text: str, session: Session
) -> None:
    session.model.script = lambda _request: reply

    result = await session.call("process_chrome_tab", PAGE, **arguments)

    assert READ.sub("", result["content"][0]["text"]) == text
    assert result["_meta"]["receipt"]["title"] == "A \ufffd page"
    await session.is_well()


async def test_emoji_split_across_two_stream_events_arrives_whole(session: Session) -> None:
    stream = events(delta(f"Noon {HALVES[0]}"), delta(HALVES[1]), delta(HALVES[0]), delta(finish_reason="stop"))
    session.model.script = lambda _request: stream

    params = {"name": "process_chrome_tab", "arguments": {"system_prompt": "When?"}, "_meta": {"progressToken": 1}}
    asking = asyncio.create_task(session.stdio.request("tools/call", **params))
    await session.extension.reply(await session.extension.receive(), PAGE)
    result, _ = await asking

    assert READ.sub("", result["content"][0]["text"]) == "Noon \U0001f600\ufffd"


@pytest.mark.parametrize(
    ("tool", "reply", "shown"),
    [
        (
            "getDataLayer",
            {"values": [{"\ud800": "\udfff"}], "name": "\ud800", "total": 1, "since": 0, "redacted": {}, "notes": []},
            '"\ufffd":"\ufffd"',
        ),
        ("browser_get_tabs", [{"id": 1, "url": "https://a.test/", "title": "\ud800"}], '"title": "'),
        ("console_logs", {"entries": [{"message": "\ud800", "url": "https://a.test/"}]}, '"message":"\ufffd"'),
        ("evaluate", {"value": {"\ud800": 1}, "notes": ["\ud800"]}, '{"\ufffd":1}'),
        ("click", {"element": {"text": "\ud800"}, "title": "\ud800"}, '"text":"\ufffd"'),
    ],
)
async def test_lone_surrogate_from_a_page_reaches_the_client_as_a_replacement(
    tool: str, reply: Any, shown: str, session: Session
) -> None:
    needed = {"evaluate": {"code": "1"}, "click": {"selector": "a"}}

    result = await session.call(tool, reply, **needed.get(tool, {}))

    assert shown in result["content"][0]["text"]
    await session.is_well()


@pytest.mark.parametrize(
    ("line", "request_id"),
    [
        (b"nonsense", None),
        (b"", None),
        (b"\xff\xfe", None),
        (b"[]", None),
        (b"[" * 100_000, None),
        (b'{"jsonrpc":"2.0","id":77,"method":"ping","params":[1]}', 77),
        (b'{"jsonrpc":"2.0","id":"a","method":"ping","params":{"x":"\\ud800"}}', "a"),
        # The id of a reply is the server's own, and does not refer to a request.
        (b'{"jsonrpc":"2.0","id":78,"error":5}', None),
    ],
)
async def test_line_that_is_not_a_message_is_answered_with_an_error_and_the_next_one_is_processed(
    line: bytes, request_id: object, session: Session
) -> None:
    reply = await session.say(line)

    assert (reply["id"], reply["error"]["code"]) == (request_id, -32700)
    await session.is_well()


async def test_number_that_no_frame_can_carry_is_rejected_and_nothing_is_sent(session: Session) -> None:
    call = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"scroll","arguments":{"to":1e400}}}'
    reply = await session.say(call)

    assert reply["result"]["structuredContent"]["error"]["code"] == "INVALID_ARGUMENT"
    await session.is_well()


@pytest.mark.parametrize("request_id", ["1.5", "null", "{}", "[1]", "true"])
async def test_request_with_an_invalid_id_is_answered_with_an_error_and_the_next_one_is_processed(
    request_id: str, session: Session
) -> None:
    reply = await session.say(b'{"jsonrpc":"2.0","id":%s,"method":"ping"}' % request_id.encode())

    assert (reply["id"], reply["error"]["code"]) == (None, -32600)
    assert "'ping'" in reply["error"]["message"]
    # A notification has no id and gets no answer: the next line answers the request after it.
    assert session.stdio.process.stdin
    session.stdio.process.stdin.write(
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}\n'
    )
    assert (await session.say(b'{"jsonrpc":"2.0","id":"x","method":"ping"}'))["id"] == "x"


async def test_many_lines_of_garbage_at_once_do_not_end_the_server(session: Session) -> None:
    assert session.stdio.process.stdin
    garbage = b'garbage\n{"jsonrpc": "2.0"}\n\xff\xfe\n[]\n\n' + b"[" * 100_000 + b"\n"
    session.stdio.process.stdin.write(garbage)

    await session.is_well()


async def test_invalid_utf_8_inside_a_string_becomes_a_replacement(session: Session) -> None:
    reply = await session.say(b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"\xff"}}')

    assert reply["id"] == 5
    assert "There is no tool" in json.dumps(reply)
    await session.is_well()


async def test_client_that_gave_up_on_discovery_while_the_server_started_gets_the_older_handshake() -> None:
    async with started("--ollama-url", "http://127.0.0.1:9", "--model", "none", "--port", str(free_port())) as stdio:
        meta = {
            "protocolVersion": "2026-07-28",
            "clientInfo": {"name": "test", "version": "1"},
            "clientCapabilities": {},
        }
        named = {f"io.modelcontextprotocol/{name}": value for name, value in meta.items()}
        stdio.send({"id": 0, "method": "server/discover", "params": {"_meta": named}})
        stdio.send({"method": "notifications/cancelled", "params": {"requestId": 0}})
        initialized = await stdio.initialize()
        listed, _ = await stdio.request("tools/list")

    assert initialized["protocolVersion"] == "2025-06-18"
    assert "process_chrome_tab" in [tool["name"] for tool in listed["tools"]]


# Without stderr only the order in which most is written to closed pipes.
@pytest.mark.parametrize(
    ("left", "stderr"),
    [
        ("stdout, while a list is asked for", "open"),
        ("stdin, stdout", "open"),
        ("stdout, while a list is asked for", "closed"),
    ],
)
def test_client_that_closes_its_pipes_in_any_order_ends_the_server_without_a_traceback(
    left: str, stderr: str, tmp_path: Path
) -> None:
    log = tmp_path / "stderr"
    flags = ["--ollama-url", "http://127.0.0.1:9", "--model", "m", "--source", "extension", "--port", str(free_port())]
    with log.open("wb") as kept:
        reading, writing = os.pipe()
        process = subprocess.Popen(
            [sys.executable, server.__file__, *flags],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=kept if stderr == "open" else writing,
        )
        os.close(reading)
        os.close(writing)
    assert process.stdin
    assert process.stdout

    def send(method: str, **params: Any) -> None:
        assert process.stdin
        request = {"jsonrpc": "2.0", "id": method, "method": method, "params": params}
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.flush()

    client = {"name": "test", "version": "1"}
    send("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
    assert b'"initialize"' in process.stdout.readline()
    first = process.stdin if left.startswith("stdin") else process.stdout
    first.close()
    if "list" in left:
        send("tools/list")
    else:
        process.stdout.close()
    try:
        assert process.wait(WAIT_S) == 0
    finally:
        process.kill()
        process.stdin.close()
    assert "Traceback" not in log.read_text(encoding="utf-8")
