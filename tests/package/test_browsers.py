"""Several browser profiles on one server: names, tab ids, which one a call means, and what goes wrong with one of them."""

import asyncio
import json
import re
import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client
from websockets.exceptions import ConnectionClosed

import chrome_tab_mcp_server as server
from chrome_tab import app
from chrome_tab.bridge import pairing, protocol
from chrome_tab.bridge.bridge import Bridge
from tests.support.fake_extension import FakeExtension, Message, connected, connecting, free_port, wait_for_port, within
from tests.support.fake_models import FakeOpenAIServer
from tests.support.polling import until
from tests.support.tool_client import error_of, receipt_of, text_of


def about(name: str, *, kind: str = "Chrome", wish: str = "", run: str = "first-run", **more: Any) -> Message:
    """What the extension of a profile says of its browser; `name` is what its random id is made of."""
    return {"id": f"profile-{name}", "run": f"{run}-{name}", "kind": kind, "name": wish, **more}


def tab(number: int, title: str = "", **more: Any) -> Message:
    return {
        "id": number,
        "url": f"https://{title or number}.test/",
        "title": title,
        "active": True,
        "windowId": 1,
        **more,
    }


class Profile:
    """A connected browser that answers: its tabs by their ids, each with the text `TITLE of NAME`."""

    def __init__(self, extension: FakeExtension, name: str, tabs: list[Message]) -> None:
        self.extension, self.name, self.tabs = extension, name, tabs
        self.commands: list[Message] = []
        self.events: list[Message] = []
        # While it is cleared nothing is answered.
        self.answers = asyncio.Event()
        self.answers.set()

    async def serve(self) -> None:
        try:
            while True:
                message = await self.extension.receive()
                if message["type"] != "command":
                    self.events.append(message)
                    continue
                self.commands.append(message)
                asyncio.get_running_loop().create_task(self._answer(message))
        except ConnectionClosed:
            return

    async def _answer(self, message: Message) -> None:
        await self.answers.wait()
        match message["command"]:
            case "browser_get_tabs":
                result: Any = self.tabs
            case "list_tabs":
                result = [{"tab_id": each["id"], "url": each["url"], "title": each["title"]} for each in self.tabs]
            case "browser_create_tab":
                result = {"tab_id": 70, "url": message["params"]["url"], "title": "new"}
            case "click":
                result = {"url": "https://click.test/", "title": self.name, "notes": ["It opened tab 3 at x."]}
            case _:
                number = message.get("tab_id")
                found = [each for each in self.tabs if number in {None, each["id"]}]
                if not found:
                    error = {"code": "TAB_NOT_FOUND", "message": f"There is no tab {number}. List them."}
                    await self.extension.refuse(message, error)
                    return
                one = found[0]
                result = {
                    "tab_id": one["id"],
                    "url": one["url"],
                    "title": one["title"],
                    "text": f"{one['title']} of {self.name}",
                    "incognito": False,
                }
        await self.extension.reply(message, result)

    async def look(self, **at: Any) -> None:
        """Say that the user looks at it, and wait until the server has taken it."""
        await self.extension.send({"type": "event", "event": "looked_at", "at": time.time() * 1000, **at})
        await self.settle()

    async def settle(self) -> None:
        """Wait until the server has taken everything that was sent before."""
        await self.extension.send({"type": "ping"})
        await until(lambda: self._take("pong"))

    async def _take(self, kind: str) -> bool:
        found = [event for event in self.events if event["type"] == kind]
        for event in found:
            self.events.remove(event)
        return bool(found)


class World:
    """A server with its client, and browsers that connect to it."""

    def __init__(self, client: Client[Any], port: int, stack: AsyncExitStack) -> None:
        self.client, self.port, self._stack = client, port, stack

    async def browser(self, name: str, *tabs: Message, **said: Any) -> Profile:
        """Connect a browser until the end of the test."""
        return await self._stack.enter_async_context(self.connected(name, *tabs, **said))

    @asynccontextmanager
    async def connected(self, name: str, *tabs: Message, **said: Any) -> AsyncGenerator[Profile]:
        async with connected(self.port, pairing.pairing_key(), about(name, **said)) as extension:
            profile = Profile(extension, name, list(tabs))
            serving = asyncio.create_task(profile.serve())
            try:
                yield profile
            finally:
                serving.cancel()

    async def call(self, tool: str, **arguments: Any) -> Any:
        return await within(self.client.call_tool(tool, arguments, raise_on_error=False))

    async def read(self, **arguments: Any) -> str:
        return text_of(await self.call("read_chrome_tab", **arguments))

    async def tabs(self) -> list[Message]:
        return json.loads(text_of(await self.call("browser_get_tabs")))

    async def status(self) -> str:
        lines = text_of(await self.call("chrome_tab_status")).splitlines()
        return next(line for line in lines if line.startswith("extension"))


@asynccontextmanager
async def world(port: int | None = None, **settings: Any) -> AsyncGenerator[World]:
    port = port or free_port()
    flags = {"source": "extension", "port": port} | settings
    async with AsyncExitStack() as stack:
        client = Client(app.create_server(server.load_settings(flags, need_model=False)))
        await stack.enter_async_context(client)
        await client.list_tools()
        await wait_for_port(port)
        yield World(client, port, stack)


@pytest.fixture
async def one() -> AsyncGenerator[World]:
    async with world() as running:
        yield running


# --- Names ---


async def test_all_profiles_are_connected_at_once_each_under_a_name_of_its_own(one: World) -> None:
    names = [
        (await one.browser("a")).extension.welcome["name"],
        (await one.browser("b")).extension.welcome["name"],
        (await one.browser("c", kind="Firefox")).extension.welcome["name"],
        (await one.browser("d", wish="Work")).extension.welcome["name"],
        (await one.browser("e", wish="work")).extension.welcome["name"],
    ]

    assert names == ["Chrome", "Chrome 2", "Firefox", "Work", "work 2"]
    status = await one.status()
    assert "5 browsers connected" in status
    assert all(name in status for name in names)


async def test_names_stay_when_browsers_and_servers_start_again_in_another_order() -> None:
    port = free_port()
    async with world(port) as first:
        assert (await first.browser("a")).extension.welcome["name"] == "Chrome"
        assert (await first.browser("b")).extension.welcome["name"] == "Chrome 2"
    async with world(port) as second:
        assert (await second.browser("b", run="next-run")).extension.welcome["name"] == "Chrome 2"
        assert (await second.browser("c")).extension.welcome["name"] == "Chrome 3"
        assert (await second.browser("a")).extension.welcome["name"] == "Chrome"


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[[1]]", b'[["x","y","z","w"],7]', b"\xff"],
    ids=["empty", "cut", "numbers", "types", "bytes"],
)
async def test_a_damaged_list_of_names_is_started_again(content: bytes, config_home: Path) -> None:
    pairing.pairing_key()
    (config_home / "browsers.json").write_bytes(content)
    async with world() as fresh:
        assert (await fresh.browser("a")).extension.welcome["name"] == "Chrome"
    assert json.loads((config_home / "browsers.json").read_bytes())[0][1] == "Chrome"


async def test_a_profile_that_is_renamed_keeps_its_tabs_and_every_browser_learns_of_it(one: World) -> None:
    work = await one.browser("a", tab(1, "mail"))
    other = await one.browser("b", tab(2, "news"))
    await work.extension.send({"type": "event", "event": "renamed", "name": "Work\n\u202e"})
    await work.settle()

    assert {each["browser"] for each in await one.tabs()} == {"Work", "Chrome 2"}
    assert work.events[-1] | {"name": "Work", "browsers": 2} == work.events[-1]
    assert await one.read(tab_id=1) == "mail of a"
    await other.extension.send({"type": "event", "event": "renamed", "name": "Work"})
    await other.settle()
    assert {each["browser"] for each in await one.tabs()} == {"Work", "Work 2"}


BAD_BROWSERS: list[Any] = [
    "text",
    [],
    {"id": 5, "run": "first-run"},
    {"id": "short", "run": "first-run"},
    {"id": "x" * 65, "run": "first-run"},
    {"id": "with space here", "run": "first-run"},
    {"kind": ["x"], "name": {"a": 1}, "looked_at": "soon"},
]


@pytest.mark.parametrize("browser", BAD_BROWSERS, ids=range(len(BAD_BROWSERS)))
async def test_a_malformed_identity_counts_as_an_older_extension(browser: Any, one: World) -> None:
    async with connected(one.port, pairing.pairing_key(), browser) as extension:
        assert extension.welcome["name"] == "Browser"
        assert "profile" not in extension.welcome


async def test_an_older_extension_works_next_to_a_newer_one_and_keeps_its_tab_ids(one: World) -> None:
    await one.browser("a", tab(5, "new"))
    listed: list[Message] = []
    for _ in range(2):
        async with connected(one.port, pairing.pairing_key()) as older:
            reading = asyncio.create_task(one.call("browser_get_tabs"))
            await older.reply(await older.receive(), [tab(5, "old"), tab(6, "old")])
            listed = json.loads(text_of(await within(reading)))
    by_title = {(each["title"], each["browser"]): each["id"] for each in listed}

    assert by_title["new", "Chrome"] == 5
    assert by_title["old", "Browser"] == 6
    assert len({each["id"] for each in listed}) == 3


async def test_a_ninth_profile_is_refused_and_comes_in_when_one_leaves(one: World) -> None:
    others = [await one.browser(f"p{number}") for number in range(7)]
    async with one.connected("eighth"):
        async with connecting(one.port, pairing.pairing_key(), about("ninth")) as ninth:
            await ninth.prove(await ninth.challenged())
            assert await ninth.close_code() == 4429
        # One that reconnects takes no more room.
        async with one.connected("eighth") as again:
            await again.settle()
        assert len(others) == 7

    async def comes_in() -> bool:
        async with connecting(one.port, pairing.pairing_key(), about("ninth")) as ninth:
            await ninth.prove(await ninth.challenged())
            try:
                return (await ninth.receive())["type"] == "welcome"
            except ConnectionClosed:
                return False

    await until(comes_in)


async def test_a_copied_profile_gets_a_new_id_and_learns_that_it_is_a_copy(one: World) -> None:
    original = await one.browser("a", tab(1, "mail"), wish="Work")
    copy = await one.browser("a", tab(1, "copy"), wish="Work", run="other-run")

    assert "profile" not in original.extension.welcome
    assert re.fullmatch(r"[\w-]{20,}", copy.extension.welcome["profile"])
    assert copy.extension.welcome["name"] == "Work 2"
    assert await one.read(tab_id=1) == "mail of a"
    assert sorted(each["title"] for each in await one.tabs()) == ["copy", "mail"]


async def test_a_browser_that_does_not_answer_gives_way_to_its_next_run(
    one: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "ALIVE_TIMEOUT_S", 0.2)
    hung = await one.browser("a")
    hung.answers.clear()

    restarted = await one.browser("a", tab(1, "mail"), run="next-run")

    assert "profile" not in restarted.extension.welcome
    assert await one.read() == "mail of a"


async def test_a_reconnect_replaces_only_its_own_connection(one: World) -> None:
    await one.browser("a", tab(1, "old"))
    other = await one.browser("b", tab(2, "news"))
    again = await one.browser("a", tab(1, "mail"))

    assert await one.read(tab_id=1) == "mail of a"
    assert await one.read(tab_id=2) == "news of b"
    assert [again.extension.welcome["name"], again.extension.welcome["browsers"]] == ["Chrome", 2]
    assert [each["command"] for each in other.commands].count("read_tab") == 1


# --- Tab ids ---


async def test_tab_ids_are_the_browsers_own_unless_two_collide_and_no_read_is_mixed_up(one: World) -> None:
    first = await one.browser("a", tab(1, "one"), tab(2, "two"))
    second = await one.browser("b", tab(2, "deux"), tab(3, "trois"), kind="Firefox")
    listed = await one.tabs()

    by_title = {each["title"]: each["id"] for each in listed}
    assert (by_title["one"], by_title["trois"]) == (1, 3)
    assert min(by_title["two"], by_title["deux"]) == 2
    assert len(set(by_title.values())) == 4
    for each in listed:
        expected = "a" if each["browser"] == "Chrome" else "b"
        assert await one.read(tab_id=each["id"]) == f"{each['title']} of {expected}"
    assert {each["id"] for each in await one.tabs()} == set(by_title.values())
    assert [each.get("tab_id") for each in (*first.commands, *second.commands)].count(2) == 2


async def test_ids_in_sentences_and_notes_are_those_that_clients_know(one: World) -> None:
    await one.browser("a", tab(3, "three"))
    other = await one.browser("b", tab(3, "trois"), kind="Firefox")
    by_title = {each["title"]: each["id"] for each in await one.tabs()}
    substitute = next(number for number in by_title.values() if number != 3)
    (theirs,) = [title for title, number in by_title.items() if number == substitute]

    clicked = await one.call("click", selector="a", tab_id=substitute)
    assert clicked.structured_content["notes"] == [f"It opened tab {substitute} at x."]
    assert clicked.structured_content["browser"] in {"Chrome", "Firefox"}
    if theirs == "trois":
        other.tabs.clear()
        code, sentence = error_of(await one.call("read_chrome_tab", tab_id=substitute))
        assert (code, sentence) == ("TAB_NOT_FOUND", f"There is no tab {substitute}. List them.")


async def test_an_id_of_a_browser_that_has_left_is_never_another_ones_tab(
    one: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "RECONNECT_WAIT_S", 0.1)
    async with one.connected("a", tab(1, "mail"), wish="Work"):
        assert await one.read(tab_id=1) == "mail of a"
    await one.browser("b", tab(1, "news"), kind="Firefox")
    code, sentence = error_of(await one.call("read_chrome_tab", tab_id=1))
    assert code == "TAB_DISCONNECTED"
    assert "Tab 1 is in Work" in sentence
    (news,) = await one.tabs()
    assert news["id"] != 1
    assert await one.read(tab_id=news["id"]) == "news of b"

    # The same profile, but another tab: its browser was started again.
    await one.browser("a", tab(1, "other"), wish="Work", run="next-run")
    code, sentence = error_of(await one.call("read_chrome_tab", tab_id=1))
    assert code == "TAB_NOT_FOUND"
    assert "Work was restarted" in sentence


async def test_an_id_that_no_list_has_named_is_looked_for_in_all_browsers(one: World) -> None:
    await one.browser("a", tab(1, "one"))
    await one.browser("b", tab(2, "two"))

    assert await one.read(tab_id=1) == "one of a"
    assert await one.read(tab_id=2) == "two of b"
    assert error_of(await one.call("read_chrome_tab", tab_id=99))[0] == "TAB_NOT_FOUND"


async def test_the_next_leader_knows_the_ids_that_clients_have_seen() -> None:
    port = free_port()
    key = pairing.pairing_key()

    async def commands(bridge: Bridge) -> set[tuple[int, str]]:
        listed = await within(bridge.command("browser_get_tabs", None, {}))
        return {(each["id"], each["title"]) for each in listed}

    async with AsyncExitStack() as stack:
        leader, follower = Bridge(port), Bridge(port)
        await within(leader.start())
        await within(follower.start())
        connections = AsyncExitStack()
        for name in ("a", "b"):
            extension = await connections.enter_async_context(connected(port, key, about(name)))
            stack.push_async_callback(stop, asyncio.create_task(Profile(extension, name, [tab(7, name)]).serve()))
        await until(lambda: has_browsers(follower, 2))
        seen = await commands(follower)
        await within(leader.stop())
        await connections.aclose()
        await until(lambda: leads(follower))
        # In the other order: asked first, b would now keep the id that a had.
        for name in ("b", "a"):
            extension = await stack.enter_async_context(connected(port, key, about(name)))
            stack.push_async_callback(stop, asyncio.create_task(Profile(extension, name, [tab(7, name)]).serve()))
        assert await commands(follower) == seen
        await within(follower.stop())


async def stop(task: asyncio.Task[None]) -> None:
    task.cancel()


async def has_browsers(bridge: Bridge, count: int) -> bool:
    return len(bridge.browsers) == count


async def leads(bridge: Bridge) -> bool:
    return bridge.role.value == "leader"


# --- Which browser is meant ---


async def test_without_tab_id_the_browser_looked_at_last_is_read_and_named(one: World) -> None:
    work = await one.browser("a", tab(1, "mail"), wish="Work")
    private = await one.browser("b", tab(2, "news"), wish="Private")
    for _ in range(10):
        for profile, title in ((work, "mail"), (private, "news")):
            await profile.look()
            result = await one.call("read_chrome_tab")
            assert result.content[0].text == f"{title} of {profile.name}"
            wished = "Work" if profile is work else "Private"
            assert result.content[1].text == f"[read in {wished}: {title} ({title}.test)]"
            assert receipt_of(result)["browser"] == wished


async def test_with_one_browser_nothing_is_said_about_browsers(one: World) -> None:
    await one.browser("a", tab(1, "mail"))
    result = await one.call("read_chrome_tab")

    assert len(result.content) == 1
    assert "browser" not in receipt_of(result)
    assert "browser" not in (await one.tabs())[0]


@pytest.mark.parametrize(
    "jump_ms", [3_600_000, -3_600_000, -10_000_000_000_000, 0], ids=["ahead", "behind", "before 1970", "none"]
)
async def test_the_order_of_looks_survives_a_clock_that_jumps(jump_ms: float, one: World) -> None:
    first = await one.browser("a", tab(1, "one"))
    second = await one.browser("b", tab(2, "two"))
    await first.look(at=time.time() * 1000 + jump_ms)
    await second.look(at=time.time() * 1000 + jump_ms)
    assert await one.read() == "two of b"
    await first.look(at=time.time() * 1000 + jump_ms)
    assert await one.read() == "one of a"


async def test_of_two_looks_in_quick_succession_the_later_one_counts_though_it_arrives_first(one: World) -> None:
    first = await one.browser("a", tab(1, "one"))
    second = await one.browser("b", tab(2, "two"))
    now = time.time() * 1000
    await second.look(at=now)
    await first.look(at=now - 50)
    assert await one.read() == "two of b"


@pytest.mark.parametrize("at", [None, "now", [], {}, True])
async def test_a_look_without_a_time_counts_when_it_arrives(at: Any, one: World) -> None:
    first = await one.browser("a", tab(1, "one"))
    second = await one.browser("b", tab(2, "two"))
    await second.look()
    await first.look(at=at)
    assert await one.read() == "one of a"


async def test_browsers_that_connect_say_when_they_were_looked_at(one: World) -> None:
    now = time.time() * 1000
    await one.browser("a", tab(1, "one"), looked_at=now - 1_000)
    await one.browser("b", tab(2, "two"), looked_at=now - 60_000)
    await one.browser("c", tab(3, "three"))
    await one.browser("d", tab(4, "four"), looked_at=now + 3_600_000)
    assert await one.read() == "one of a"


async def test_a_browser_that_is_just_reconnecting_is_waited_for_instead_of_reading_another(one: World) -> None:
    other = await one.browser("b", tab(2, "two"))
    async with one.connected("a", tab(1, "one")) as first:
        await first.look()
    await other.settle()
    reading = asyncio.create_task(one.read())
    await other.settle()
    await one.browser("a", tab(1, "one"))

    assert await within(reading) == "one of a"
    assert [each["command"] for each in other.commands] == []


async def test_a_browser_that_stays_away_gives_way_to_the_next(one: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "RECONNECT_WAIT_S", 0.1)
    await one.browser("b", tab(2, "two"))
    async with one.connected("a", tab(1, "one")) as first:
        await first.look()
        assert await one.read() == "one of a"

    async def gives_way() -> bool:
        return await one.read() == "two of b"

    await until(gives_way)


async def test_a_server_that_starts_waits_for_the_browsers_that_were_there_before() -> None:
    port = free_port()
    now = time.time() * 1000
    async with AsyncExitStack() as browsers, world(port):
        # They leave after the server.
        for name in ("a", "b"):
            await browsers.enter_async_context(connected(port, pairing.pairing_key(), about(name)))
    async with world(port) as second:
        early = await second.browser("a", tab(1, "one"), looked_at=now - 60_000)
        reading = asyncio.create_task(second.read())
        await early.settle()
        await second.browser("b", tab(2, "two"), looked_at=now - 1_000)
        assert await within(reading) == "two of b"


async def test_tabs_are_created_in_the_browser_that_is_named_or_else_looked_at_last(one: World) -> None:
    work = await one.browser("a", wish="Work")
    other = await one.browser("b")
    await other.look()

    created = await one.call("browser_create_tab", url="https://x.test/", browser="work")
    assert created.structured_content["browser"] == "Work"
    assert "browser" not in work.commands[-1]["params"]
    await one.call("browser_create_tab", url="https://y.test/")
    assert other.commands[-1]["params"]["url"] == "https://y.test/"
    code, sentence = error_of(await one.call("browser_create_tab", url="https://x.test/", browser="Home"))
    assert code == "INVALID_ARGUMENT"
    assert "Work" in sentence


async def test_a_command_without_tab_id_goes_to_the_browser_with_the_attached_tab(one: World) -> None:
    first = await one.browser("a", tab(1, "one"))
    second = await one.browser("b", tab(2, "two"))
    await first.extension.send({"type": "event", "event": "tab_attached", "tab_id": 1})
    await first.settle()
    await second.look()
    await one.call("click", selector="a")
    assert first.commands[-1]["command"] == "click"

    await second.extension.send({"type": "event", "event": "tab_attached", "tab_id": 2})
    await second.settle()
    code, sentence = error_of(await one.call("click", selector="a"))
    assert code == "AMBIGUOUS_TAB"
    assert "2 in Chrome 2; 1 in Chrome." in sentence
    listed = json.loads(text_of(await one.call("list_tabs")))
    assert [(each["tab_id"], each["browser"]) for each in listed] == [(2, "Chrome 2"), (1, "Chrome")]

    await first.extension.send({"type": "event", "event": "tab_detached", "tab_id": 1})
    await first.settle()
    await one.call("click", selector="a")
    assert second.commands[-1]["command"] == "click"


async def test_several_tabs_of_several_browsers_get_one_answer_each() -> None:
    async with FakeOpenAIServer() as model, world(ollama_url=model.url, model="fake-model") as one:
        await one.browser("a", tab(1, "mail"), wish="Work")
        await one.browser("b", tab(1, "news"), wish="Home")
        ids = [each["id"] for each in await one.tabs()]
        result = await one.call("process_chrome_tabs", tab_ids=ids)

        receipts = receipt_of(result)["tabs"][:2]
        assert {(each["browser"], each["title"]) for each in receipts} == {("Work", "mail"), ("Home", "news")}


async def test_resources_follow_the_same_rules(one: World) -> None:
    await one.browser("a", tab(1, "mail"))
    second = await one.browser("b", tab(1, "news"))
    await second.look()
    ids = {each["title"]: each["id"] for each in await one.tabs()}
    listed = {str(each.uri) for each in await one.client.list_resources()}
    assert {f"tab://{number}" for number in ids.values()} < listed
    for address, text in (("active", "news of b"), (ids["mail"], "mail of a"), (ids["news"], "news of b")):
        contents: Any = await one.client.read_resource(f"tab://{address}")
        assert contents[0].text == text


# --- A question in a side panel ---


async def test_a_question_is_answered_in_the_browser_that_asked_about_its_own_tab() -> None:
    async with FakeOpenAIServer() as model, world(ollama_url=model.url, model="fake-model") as one:
        first = await one.browser("a", tab(1, "mail"))
        second = await one.browser("b", tab(1, "news"))
        ask = {"id": "q", "conversation": "t", "text": "What?", "tab_ids": [1], "model": None}
        for profile in (second, first):
            await profile.extension.send({"type": "prompt", "prompt": ask})

        async def answered() -> bool:
            ends = [[e for e in each.events if e.get("state") in {"done", "failed"}] for each in (first, second)]
            return all(ends)

        await until(answered)
        texts = [str(request.body) for request in model.requests]
        assert sum("mail of a" in text for text in texts) == sum("news of b" in text for text in texts) == 1


# --- One that fails, and rules ---


async def test_a_silent_browser_delays_and_loses_nothing_of_another(
    one: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "LIST_TIMEOUT_S", 0.3)
    silent = await one.browser("a", tab(1, "one"), wish="Work")
    other = await one.browser("b", tab(2, "two"))
    await one.tabs()
    await other.look()
    silent.answers.clear()
    hanging = asyncio.create_task(one.call("read_chrome_tab", tab_id=1))

    for _ in range(20):
        assert await one.read() == "two of b"
    listed = await one.call("browser_get_tabs")
    assert [each["id"] for each in json.loads(listed.content[0].text)] == [2]
    assert listed.content[1].text == "[Work did not answer: the tabs there are left out.]"
    assert not hanging.done()
    silent.answers.set()
    assert text_of(await within(hanging)) == "one of a"


async def test_a_browser_that_dies_under_a_command_ends_only_its_own(
    one: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "RECONNECT_WAIT_S", 0.1)
    other = await one.browser("b", tab(2, "two"))
    async with one.connected("a", tab(1, "one"), wish="Work") as dying:
        await one.browser("c")
        await one.tabs()
        other.answers.clear()
        dying.answers.clear()
        calls = [asyncio.create_task(one.call("click", selector="a", tab_id=1))]
        await until(lambda: sent(dying, "click"))
        calls.append(asyncio.create_task(one.call("read_chrome_tab", tab_id=2)))
        await until(lambda: sent(other, "read_tab"))
    code, sentence = error_of(await within(calls[0]))
    assert code == "EXTENSION_NOT_CONNECTED"
    assert "the extension in Work broke during click" in sentence
    other.answers.set()
    assert text_of(await within(calls[1])) == "two of b"


async def sent(profile: Profile, command: str) -> bool:
    return any(each["command"] == command for each in profile.commands)


async def test_a_flood_of_one_browser_delays_no_other(one: World) -> None:
    flooding = await one.browser("a", tab(1, "one"))
    await one.browser("b", tab(2, "two"))

    async def flood() -> None:
        while True:
            await flooding.extension.send({"type": "event", "event": "looked_at", "at": 0})
            await asyncio.sleep(0)

    running = asyncio.create_task(flood())
    for _ in range(50):
        assert await one.read(tab_id=2) == "two of b"
    running.cancel()


RULES = """
[browsers."Work"]
deny = true
[browsers."Lab"]
tools = ["read_chrome_tab"]
"""


async def test_rules_for_a_whole_profile_are_checked_for_every_tool(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text(RULES, encoding="utf-8")
    async with world(config=config) as one:
        work = await one.browser("a", tab(1, "mail"), wish="Work")
        await one.browser("b", tab(2, "test"), wish="Lab")
        home = await one.browser("c", tab(3, "news"))
        assert {each["title"] for each in await one.tabs()} == {"test", "news"}
        assert await one.read(tab_id=2) == "test of b"
        assert await one.read(tab_id=3) == "news of c"
        for tool, arguments in (
            ("read_chrome_tab", {"tab_id": 1}),
            ("click", {"tab_id": 1, "selector": "a"}),
            ("click", {"tab_id": 2, "selector": "a"}),
            ("browser_create_tab", {"url": "https://x.test/", "browser": "Work"}),
        ):
            code, sentence = error_of(await one.call(tool, **arguments))
            assert code == "HOST_BLOCKED"
            assert "[browsers." in sentence
        # What the user looks at is refused, and no other browser is read in its place.
        await work.look()
        assert error_of(await one.call("read_chrome_tab"))[0] == "HOST_BLOCKED"
        await home.look()
        assert await one.read() == "news of c"
        assert {each["command"] for each in work.commands} <= {"browser_get_tabs"}


@pytest.mark.parametrize("rule", ["deny = 7", 'tools = ["no_such_tool"]', "ask = true"])
def test_a_rule_that_means_nothing_is_a_sentence(rule: str, tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text(f'[browsers."Work"]\n{rule}\n', encoding="utf-8")
    with pytest.raises(ValueError, match="browsers"):
        server.load_settings({"config": config}, need_model=False)
