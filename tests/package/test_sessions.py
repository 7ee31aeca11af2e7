"""Several sessions share one extension: the first server leads on the port, the others follow it."""

import asyncio
import contextlib
import json
import os
import signal
import sys
import threading
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import mcp_types
import psutil
import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed, InvalidMessage

import chrome_tab_mcp_server as server
from chrome_tab import app
from chrome_tab.bridge import pairing, pending, protocol
from chrome_tab.bridge import port as port_module
from chrome_tab.bridge.bridge import Bridge, Role
from chrome_tab.bridge.port import PortError
from tests.support.fake_extension import (
    FakeExtension,
    connected,
    connecting,
    encode,
    free_port,
    make_nonce,
    make_proof,
    wait_for_port,
    within,
)
from tests.support.fake_models import FakeProxy
from tests.support.stdio_server import started
from tests.support.tool_client import text_of

PAGE = {"tab_id": 1, "url": "https://page.test/", "title": "page", "text": "the page"}
# The parameters that read_chrome_tab sends to the extension, without arguments.
ASKED = '{"start": null, "end": null, "content": "all"}'
SCRIPT = Path(server.__file__)
FLAGS = ["--ollama-url", "http://127.0.0.1:9", "--model", "m", "--source", "extension"]


@pytest.fixture
def port() -> int:
    return free_port()


@asynccontextmanager
async def bridge(port: int) -> AsyncGenerator[Bridge]:
    running = Bridge(port)
    await within(running.start())
    try:
        yield running
    finally:
        await within(running.stop())


async def answer_reads(extension: FakeExtension) -> None:
    """Answer every command with a page that contains its parameters, until the connection ends."""
    try:
        while True:
            message = await extension.receive()
            if message["type"] == "command":
                await extension.reply(message, {**PAGE, "text": json.dumps(message["params"])})
    except ConnectionClosed:
        return


@asynccontextmanager
async def answering(port: int) -> AsyncGenerator[FakeExtension]:
    async with connected(port, pairing.pairing_key()) as extension:
        task = asyncio.create_task(answer_reads(extension))
        try:
            yield extension
        finally:
            task.cancel()


def problem_of(follower: Bridge) -> str | None:
    """Return the key of PORT_PROBLEMS that this bridge reports."""
    return follower.problem.problem if isinstance(follower.problem, PortError) else None


async def has(condition: Any) -> None:
    """Wait until the condition is true; there is no signal for it."""
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110 -- nothing signals it
            await asyncio.sleep(0.01)


async def test_followers_reach_the_extension_through_the_leader(port: int) -> None:
    async with bridge(port) as leader, bridge(port) as first, bridge(port) as second:
        assert [leader.role, first.role, second.role] == [Role.LEADER, Role.FOLLOWER, Role.FOLLOWER]
        async with answering(port):
            await has(lambda: first.connected and second.connected)
            for one in (leader, first, second):
                assert (await one.command("read_tab", None, {"start": "a"}))["text"] == '{"start": "a"}'
        await has(lambda: not first.connected and not second.connected)


async def test_every_command_names_the_session_that_sends_it(port: int) -> None:
    async with bridge(port) as leader, bridge(port) as follower, connected(port, pairing.pairing_key()) as extension:
        await has(lambda: follower.connected)
        leader.client, follower.client = "claude-code", "cursor"
        ids: set[str] = set()
        for one in (leader, follower, leader):
            asking = asyncio.create_task(one.command("list_tabs", None, {}))
            while (message := await extension.receive())["type"] != "command":
                pass
            await extension.reply(message, [])
            await within(asking)
            assert message["session"]["client"] == one.client
            ids.add(message["session"]["id"])
    assert len(ids) == 2


async def test_the_connection_to_the_leader_uses_no_proxy(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    async with FakeProxy() as proxy:
        for name in ("http_proxy", "https_proxy", "all_proxy", "ws_proxy"):
            monkeypatch.setenv(name, proxy.url)
            monkeypatch.setenv(name.upper(), proxy.url)
        for name in ("no_proxy", "NO_PROXY"):
            monkeypatch.delenv(name, raising=False)
        async with bridge(port), bridge(port) as follower, answering(port):
            await has(lambda: follower.connected)
            assert (await follower.command("read_tab", None, {"start": "a"}))["text"] == '{"start": "a"}'

    assert proxy.requests == []


async def test_the_extension_is_notified_of_the_number_of_sessions(port: int) -> None:
    event = {"type": "event", "event": "sessions", "clients": [], "name": "Browser", "browsers": 1}
    async with bridge(port), connected(port, pairing.pairing_key()) as extension:
        async with bridge(port):
            assert await extension.receive() == {**event, "sessions": 2}
        assert await extension.receive() == {**event, "sessions": 1}


async def test_the_extension_gets_the_client_of_each_session_as_a_printable_name(port: int) -> None:
    async with bridge(port) as leader, connecting(port, pairing.pairing_key()) as extension:
        leader.client = "claude-code"
        await extension.prove(await extension.challenged())
        welcome = await extension.receive()
        assert (welcome["sessions"], welcome["clients"]) == (1, ["claude-code"])

        follower = Bridge(port)
        follower.client = "cursor\n\u202e" + 100 * "x"
        await within(follower.start())
        try:
            event = await extension.receive()
            assert event["clients"] == ["claude-code", "cursor " + 30 * "x" + "..."]
        finally:
            await within(follower.stop())
        assert (await extension.receive())["clients"] == ["claude-code"]


async def test_an_error_of_the_extension_reaches_the_follower_unchanged(port: int) -> None:
    async with bridge(port), bridge(port) as follower, connected(port, pairing.pairing_key()) as extension:
        await has(lambda: follower.connected)
        asking = asyncio.create_task(follower.command("read_tab", 7, {}))
        command = await extension.receive()
        assert command["tab_id"] == 7
        await extension.refuse(command, {"message": "There is no tab 7.", "code": "TAB_NOT_FOUND"})

        with pytest.raises(server.ChromeTabError, match=r"There is no tab 7\.") as caught:
            await within(asking)
        assert caught.value.code == "TAB_NOT_FOUND"


async def test_when_the_leader_exits_a_follower_takes_over_and_the_others_follow(port: int) -> None:
    async with AsyncExitStack() as stack:
        leader = await stack.enter_async_context(bridge(port))
        followers = [await stack.enter_async_context(bridge(port)) for _ in range(3)]
        await leader.stop()
        await has(lambda: sorted(follower.role.value for follower in followers) == ["follower", "follower", "leader"])
        async with answering(port):
            for follower in followers:
                await has(lambda follower=follower: follower.connected)
                assert (await follower.command("read_tab", None, {}))["tab_id"] == 1


async def test_a_running_read_is_repeated_after_the_leader_has_exited_and_an_action_is_not(port: int) -> None:
    async with bridge(port) as leader, bridge(port) as follower:
        async with connected(port, pairing.pairing_key()) as extension:
            await has(lambda: follower.connected)
            reading = asyncio.create_task(follower.command("read_tab", None, {}))
            acting = asyncio.create_task(follower.command("click", 1, {"selector": "a"}))
            assert {(await extension.receive())["command"] for _ in range(2)} == {"read_tab", "click"}
            await leader.stop()
        with pytest.raises(pending.ConnectionLostError, match="broke during click"):
            await within(acting)
        async with connected(port, pairing.pairing_key()) as extension:
            again = await extension.receive()
            assert again["command"] == "read_tab"
            await extension.reply(again, PAGE)
            assert await within(reading) == PAGE


async def test_a_follower_that_disconnects_does_not_affect_the_others(port: int) -> None:
    async with bridge(port) as leader, bridge(port) as stays, connected(port, pairing.pairing_key()) as extension:
        async with bridge(port) as leaves:
            await has(lambda: leaves.connected and stays.connected)
            kept = asyncio.create_task(stays.command("read_tab", None, {}))
            lost = asyncio.create_task(leaves.command("click", 1, {"selector": "a"}))
            commands: list[dict[str, Any]] = []
            while len(commands) < 2:
                message = await extension.receive()
                if message["type"] == "command":
                    commands.append(message)
        with pytest.raises(pending.ConnectionLostError):
            await within(lost)
        for command in commands:
            await extension.reply(command, PAGE)
        assert await within(kept) == PAGE
        assert leader.connected


async def next_of(extension: FakeExtension, kind: str) -> dict[str, Any]:
    """Return the next message of this type; events may come at any time."""
    while (message := await extension.receive())["type"] != kind:
        assert message["type"] == "event"
    return message


async def test_an_abandoned_call_of_a_follower_is_cancelled_under_the_leaders_id(port: int) -> None:
    async with bridge(port) as leader, bridge(port) as follower, connected(port, pairing.pairing_key()) as extension:
        await has(lambda: follower.connected)
        # The two use different ids.
        for _ in range(2):
            own = asyncio.create_task(leader.command("read_tab", None, {}))
            await extension.reply(await next_of(extension, "command"), PAGE)
            await within(own)
        asking = asyncio.create_task(follower.command("click", 1, {}))
        command = await next_of(extension, "command")
        asking.cancel()
        assert await next_of(extension, "cancel") == {"type": "cancel", "id": command["id"]}
        again = asyncio.create_task(follower.command("click", 1, {}))
        await extension.reply(await next_of(extension, "command"), "clicked")
        assert await within(again) == "clicked"


async def test_the_calls_of_a_follower_that_disconnects_are_cancelled(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Otherwise they would end by themselves while the test waits.
    monkeypatch.setattr(protocol, "COMMAND_TIMEOUT_S", 600.0)
    async with bridge(port), connected(port, pairing.pairing_key()) as extension:
        async with bridge(port) as follower:
            await has(lambda: follower.connected)
            asking = asyncio.create_task(follower.command("click", 1, {}))
            command = await next_of(extension, "command")
        assert await next_of(extension, "cancel") == {"type": "cancel", "id": command["id"]}
        await asyncio.gather(asking, return_exceptions=True)


async def test_five_hundred_commands_of_ten_sessions_are_each_answered_once(port: int) -> None:
    async with AsyncExitStack() as stack:
        leader = await stack.enter_async_context(bridge(port))
        followers = [leader, *[await stack.enter_async_context(bridge(port)) for _ in range(9)]]
        extension = await stack.enter_async_context(connected(port, pairing.pairing_key()))
        received: list[str] = []

        async def answer() -> None:
            while True:
                message = await extension.receive()
                if message["type"] == "command":
                    received.append(message["params"]["mark"])
                    await extension.reply(message, message["params"]["mark"])

        answering_task = asyncio.create_task(answer())
        for follower in followers:
            await has(lambda follower=follower: follower.connected)
        marks = [[f"{number}-{i}" for i in range(50)] for number in range(10)]

        async def ask(follower: Bridge, own: list[str]) -> list[Any]:
            return [await follower.command("click", 1, {"mark": mark}) for mark in own]

        assert await asyncio.gather(*map(ask, followers, marks)) == marks
        assert sorted(received) == sorted(mark for own in marks for mark in own)
        answering_task.cancel()


ACTING = [
    *("navigate", "back", "forward", "click", "hover", "fill", "select", "evaluate"),
    *("browser_create_tab", "browser_close_tab"),
]


async def test_no_action_is_repeated_after_a_lost_connection(port: int) -> None:
    async with bridge(port) as leader:
        async with connected(port, pairing.pairing_key()) as extension:
            calls = [asyncio.create_task(leader.command(command, 1, {})) for command in ACTING]
            reading = asyncio.create_task(leader.command("list_tabs", None, {}))
            assert {(await extension.receive())["command"] for _ in range(len(ACTING) + 1)} == {*ACTING, "list_tabs"}
        for ended in await within(asyncio.gather(*calls, return_exceptions=True)):
            assert isinstance(ended, pending.ConnectionLostError)
        async with connected(port, pairing.pairing_key()) as extension:
            again = await extension.receive()
            assert again["command"] == "list_tabs"
            await extension.reply(again, [])
            assert await within(reading) == []
            await extension.ping()


async def test_only_this_machine_can_reach_the_port(port: int) -> None:
    async with bridge(port):
        listening = [
            found.laddr.ip
            for found in psutil.Process().net_connections("tcp")
            if found.status == psutil.CONN_LISTEN and found.laddr.port == port
        ]
        assert listening == ["127.0.0.1"]


# --- Who may be a follower


async def introduce(
    port: int, key: str, role: str = "session", **headers: str
) -> tuple[ClientConnection, dict[str, Any]]:
    socket = await connect(f"ws://127.0.0.1:{port}/session", proxy=None, additional_headers=headers)
    nonce = make_nonce()
    await socket.send(json.dumps({"type": "hello", "protocol": 2, "version": "1.0.0", "nonce": nonce}))
    challenge = json.loads(await within(socket.recv()))
    proof = make_proof(key, role, port, nonce, challenge["nonce"])
    await socket.send(json.dumps({"type": "proof", "proof": proof}))
    return socket, json.loads(await within(socket.recv()))


async def test_a_follower_with_the_key_is_accepted_and_one_without_is_not(port: int) -> None:
    async with bridge(port) as leader:
        socket, welcome = await introduce(port, pairing.pairing_key())
        assert welcome == {"type": "welcome", "sessions": 2}
        await socket.close()
        await has(lambda: leader.sessions == 1)

        with pytest.raises(ConnectionClosed) as closed:
            await introduce(port, encode(b"x" * 32))
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4401


async def test_the_extensions_proof_is_not_accepted_from_sessions(port: int) -> None:
    async with bridge(port):
        with pytest.raises(ConnectionClosed) as closed:
            await introduce(port, pairing.pairing_key(), role="extension")
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4401


@pytest.mark.parametrize("origin", [f"chrome-extension://{protocol.EXTENSION_IDS[0]}", "http://127.0.0.1", "null"])
async def test_a_browser_cannot_be_a_session(port: int, origin: str) -> None:
    async with bridge(port):
        with pytest.raises(InvalidMessage):
            await introduce(port, pairing.pairing_key(), Origin=origin)


async def test_a_fake_leader_learns_nothing_and_is_rejected(port: int) -> None:
    heard: list[dict[str, Any]] = []

    async def fake_leader(socket: Any) -> None:
        heard.append(json.loads(await socket.recv()))
        challenge = {
            "type": "challenge",
            "protocol": 2,
            "version": "1.0.0",
            "nonce": make_nonce(),
            "proof": encode(b"y" * 32),
        }
        await socket.send(json.dumps(challenge))
        with contextlib.suppress(ConnectionClosed):
            async for message in socket:
                heard.append(json.loads(message))  # noqa: PERF401 -- a comprehension loses all when the follower closes

    async with serve(fake_leader, "127.0.0.1", port):
        follower = Bridge(port)
        await within(follower.start())
        assert problem_of(follower) == "other program"
        assert follower.problem
        assert f"{psutil.Process().name()} (process {os.getpid()})" in follower.problem.message
        await follower.stop()
    assert [message["type"] for message in heard] == ["hello"]
    assert pairing.pairing_key() not in json.dumps(heard)


async def test_slow_lookup_of_another_programs_name_does_not_delay_the_handshake(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_left = threading.Event()

    async def foreign(client: ServerConnection) -> None:
        await client.recv()
        await client.send('{"type": "registered"}')
        await client.wait_closed()
        is_left.set()

    def search(_port: int) -> str | None:
        return "slow" if is_left.wait(60) else None

    monkeypatch.setattr(port_module, "program_on_port", search)
    async with serve(foreign, "127.0.0.1", port), bridge(port) as follower:
        assert problem_of(follower) == "other program"


async def test_leader_of_another_version_is_reported_as_such(port: int) -> None:
    async def newer_leader(leader: ServerConnection) -> None:
        await leader.recv()
        await leader.close(protocol.WRONG_PROTOCOL)

    async with serve(newer_leader, "127.0.0.1", port), bridge(port) as follower:
        assert problem_of(follower) == "other version"


async def test_sessions_have_the_names_of_their_clients(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "EXTENSION_WAIT_S", 0.1)
    settings = server.load_settings({"source": "extension", "port": port}, need_model=False)
    async with AsyncExitStack() as stack:
        for name in ("claude-code", "cursor"):
            client = Client(
                app.create_server(settings),
                client_info=mcp_types.Implementation(name=name, version="1"),
                mode="legacy",
            )
            session = await stack.enter_async_context(client)
            await session.call_tool("chrome_tab_status", {})
        extension = await stack.enter_async_context(connecting(port, pairing.pairing_key()))
        await extension.prove(await extension.challenged())
        welcome = await extension.receive()
        assert (welcome["sessions"], welcome["clients"]) == (2, ["claude-code", "cursor"])


# --- As processes


@asynccontextmanager
async def process(port: int) -> AsyncGenerator[tuple[Client[Any], int]]:
    arguments = [str(SCRIPT), *FLAGS, "--port", str(port)]
    transport = StdioTransport(sys.executable, arguments, env=dict(os.environ), keep_alive=False)
    async with Client(transport) as client:
        await wait_for_port(port)
        yield client, newest_child(port)


@pytest.fixture(scope="module")
async def leading_process() -> AsyncGenerator[tuple[int, int, str]]:
    """The port of a leader that is a process, its id, and where its settings are."""
    port = free_port()
    async with process(port) as (_, pid):
        yield port, pid, os.environ["XDG_CONFIG_HOME"]


@pytest.fixture
def leading(leading_process: tuple[int, int, str], monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """The port and the id of a process that leads, for tests that suspend it for a while; they use its key."""
    port, pid, settings = leading_process
    monkeypatch.setenv("XDG_CONFIG_HOME", settings)
    return port, pid


def newest_child(port: int) -> int:
    """Return the newest of our processes that serves this port."""
    ours = list[tuple[float, int]]()
    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            if str(port) in child.cmdline():
                ours.append((child.create_time(), child.pid))
    return max(ours)[1]


@pytest.mark.posix
@pytest.mark.e2e
async def test_a_suspended_leader_is_named_and_not_mistaken_for_the_extension_or_another_program(
    leading: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "FOLLOWER_HANDSHAKE_TIMEOUT_S", 1.0)
    monkeypatch.setattr(protocol, "PORT_RETRY_S", 0.1)
    monkeypatch.setattr(protocol, "LEADER_PING_S", 0.1)
    port, pid = leading
    follower = Bridge(port)
    await within(follower.start())
    async with connected(port, pairing.pairing_key()) as extension:
        await has(lambda: follower.connected)
        clicking = asyncio.create_task(follower.command("click", 1, {"selector": "#a"}))
        await next_of(extension, "command")
        os.kill(pid, signal.SIGSTOP)
        try:
            monkeypatch.setattr(protocol, "LEADER_PONG_S", 1.0)
            with pytest.raises(PortError) as failed:
                await within(clicking)
            assert failed.value.problem == "suspended"
            await has(lambda: problem_of(follower) == "no answer")
            assert follower.problem
            for problem in (failed.value, follower.problem):
                assert f"(process {pid})" in problem.message
        finally:
            os.kill(pid, signal.SIGCONT)
    await has(lambda: follower.role is Role.FOLLOWER)
    assert follower.problem is None
    await follower.stop()


async def test_session_connects_while_unauthenticated_connections_are_at_the_limit(port: int) -> None:
    async with bridge(port), AsyncExitStack() as stack:
        address = f"ws://127.0.0.1:{port}/session"
        held = [await stack.enter_async_context(connect(address, proxy=None)) for _ in range(protocol.MAX_UNPROVED)]
        async with bridge(port) as follower:
            assert follower.role is Role.FOLLOWER
        with pytest.raises(ConnectionClosed):
            await within(held[0].recv())


@pytest.mark.parametrize("is_in_handshake", [False, True])
@pytest.mark.parametrize(
    ("endings", "role", "problem"),
    [(3, Role.LEADER, None), (protocol.ENDING_RETRIES + 2, Role.NONE, "connection ended")],
)
async def test_leader_that_ends_its_connections_is_given_time_to_release_the_port(
    port: int, endings: int, role: Role, problem: str | None, *, is_in_handshake: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "ENDING_RETRY_S", 0.01)
    ended: list[asyncio.BaseTransport] = []
    # A look at all processes of the machine takes a second, so it waits until the last retry has failed.
    searched: list[int] = []
    monkeypatch.setattr(port_module, "program_on_port", searched.append)

    def end(transport: asyncio.WriteTransport) -> None:
        transport.abort()
        ended.append(transport)
        if len(ended) == endings:
            listener.close()

    async def before_the_response(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        end(writer.transport)

    async def during_the_handshake(leader: ServerConnection) -> None:
        await leader.recv()
        end(leader.transport)

    if is_in_handshake:
        listener = await serve(during_the_handshake, "127.0.0.1", port)
    else:
        listener = await asyncio.start_server(before_the_response, "127.0.0.1", port)
    async with bridge(port) as session:
        assert (session.role, problem_of(session)) == (role, problem)
    assert searched == ([port] if problem else [])
    listener.close()


@pytest.mark.posix
@pytest.mark.e2e
async def test_a_suspended_session_neither_keeps_its_leader_from_exiting_nor_blocks_the_next_one_and_reconnects(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with AsyncExitStack() as stack:
        leader = await stack.enter_async_context(started(*FLAGS, "--port", str(port)))
        await leader.initialize()
        await leader.request("tools/list")
        await wait_for_port(port)
        follower, pid = await stack.enter_async_context(process(port))
        stack.callback(os.kill, pid, signal.SIGCONT)
        async with connected(port, pairing.pairing_key()) as extension:
            calls, commands = await reads_of(follower, extension)
            os.kill(pid, signal.SIGSTOP)
            await reply_much(extension, commands)
            leader.close_stdin()
            assert leader.process.stderr
            assert "Traceback" not in (await within(leader.process.stderr.read())).decode()
            assert await within(leader.process.wait()) == 0
        async with bridge(port) as heir:
            assert heir.role is Role.LEADER
            os.kill(pid, signal.SIGCONT)
            await ended(calls)
            await has(lambda: heir.sessions == 2)

            async with connected(port, pairing.pairing_key()) as extension:
                calls, commands = await reads_of(follower, extension)
                os.kill(pid, signal.SIGSTOP)
                monkeypatch.setattr(protocol, "FOLLOWER_TIMEOUT_S", 1.0)
                await reply_much(extension, commands)
                own = asyncio.create_task(heir.command("read_tab", None, {}))
                await extension.reply(await next_of(extension, "command"), PAGE)
                assert await within(own) == PAGE
            async with answering(port):
                assert (await within(heir.command("read_tab", None, {})))["tab_id"] == 1
                await has(lambda: heir.sessions == 1)

                monkeypatch.setattr(protocol, "FOLLOWER_TIMEOUT_S", 60.0)
                os.kill(pid, signal.SIGCONT)
                await has(lambda: heir.sessions == 2)
                await ended(calls)
                assert text_of(await follower.call_tool("read_chrome_tab", {})) == ASKED


async def reads_of(
    follower: Client[Any], extension: FakeExtension
) -> tuple[list[asyncio.Task[Any]], list[dict[str, Any]]]:
    """Read eight pages; return the calls and the commands that the extension has received for them."""
    calls = [asyncio.create_task(follower.call_tool("read_chrome_tab", {})) for _ in range(8)]
    return calls, [await next_of(extension, "command") for _ in calls]


async def reply_much(extension: FakeExtension, commands: list[dict[str, Any]]) -> None:
    for command in commands:
        await extension.reply(command, PAGE | {"text": "x" * 2_000_000})


@pytest.mark.posix
@pytest.mark.e2e
async def test_follower_exits_although_its_suspended_leader_does_not_read(
    leading: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    # WebSockets have a limit of 10 s of their own.
    monkeypatch.setattr(protocol, "CLOSING_TIMEOUT_S", 0.1)
    port, pid = leading
    follower = Bridge(port)
    await within(follower.start())
    async with connected(port, pairing.pairing_key()):
        await has(lambda: follower.connected)
        os.kill(pid, signal.SIGSTOP)
        try:
            large = {"value": "x" * 1_000_000}
            calls = [asyncio.create_task(follower.command("fill", 1, large)) for _ in range(12)]
            await has(lambda: is_full(follower))
            await asyncio.wait_for(follower.stop(), 8)
            assert all(isinstance(one, server.ChromeTabError) for one in await ended(calls))
        finally:
            os.kill(pid, signal.SIGCONT)


def is_full(follower: Bridge) -> bool:
    """Return whether the leader has unread data."""
    leader = getattr(vars(follower)["_route"], "_leader", None)
    return bool(leader and leader.transport.get_write_buffer_size() > 100_000)


async def ended(calls: list[asyncio.Task[Any]]) -> list[Any]:
    return await within(asyncio.gather(*calls, return_exceptions=True))


@pytest.mark.posix
@pytest.mark.e2e
async def test_after_kill_9_of_the_leader_the_next_session_answers(port: int) -> None:
    async with AsyncExitStack() as stack:
        leader = await stack.enter_async_context(started(*FLAGS, "--port", str(port)))
        await leader.initialize()
        await leader.request("tools/list")
        await wait_for_port(port)
        follower = await stack.enter_async_context(bridge(port))
        async with answering(port):
            await has(lambda: follower.connected)
            assert (follower.role, (await follower.command("read_tab", None, {}))["tab_id"]) == (Role.FOLLOWER, 1)
            leader.process.kill()
            await within(leader.process.wait())
        # Like the real extension: it retries until it is connected.
        async with asyncio.timeout(60):
            while not await comes_in(stack, port):  # noqa: ASYNC110 -- nothing signals it
                await asyncio.sleep(0.05)
        assert (follower.role, (await follower.command("read_tab", None, {}))["tab_id"]) == (Role.LEADER, 1)


async def comes_in(stack: AsyncExitStack, port: int) -> bool:
    try:
        await stack.enter_async_context(answering(port))
    except (OSError, InvalidMessage):
        return False
    return True
