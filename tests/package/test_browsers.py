"""Several browser profiles on one server: their names and their tab ids."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from chrome_tab.bridge import pairing, protocol
from chrome_tab.bridge.bridge import Bridge
from tests.support.fake_browsers import Profile, World, about, tab, world
from tests.support.fake_extension import Message, connected, connecting, free_port, raw_request, within
from tests.support.polling import until
from tests.support.tool_client import error_of, text_of


@pytest.fixture
async def one() -> AsyncGenerator[World]:
    async with world() as running:
        yield running


# --- Names ---


async def test_all_profiles_are_connected_at_once_under_different_names(one: World) -> None:
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


async def test_names_stay_when_browsers_and_servers_restart_in_another_order() -> None:
    port = free_port()
    async with world(port) as first:
        assert (await first.browser("a")).extension.welcome["name"] == "Chrome"
        assert (await first.browser("b")).extension.welcome["name"] == "Chrome 2"
    async with world(port) as second:
        assert (await second.browser("b", run="next-run")).extension.welcome["name"] == "Chrome 2"
        assert (await second.browser("c")).extension.welcome["name"] == "Chrome 3"
        assert (await second.browser("a")).extension.welcome["name"] == "Chrome"
    async with world(port) as third:
        assert (await third.browser("a", wish="Work")).extension.welcome["name"] == "Work"
        # Although "Chrome" is free now.
        assert (await third.browser("b")).extension.welcome["name"] == "Chrome 2"


async def test_servers_on_two_ports_preserve_the_names_of_each_others_browsers() -> None:
    async with world() as one, world() as other:
        assert (await one.browser("a")).extension.welcome["name"] == "Chrome"
        assert (await other.browser("b")).extension.welcome["name"] == "Chrome 2"
        assert (await one.browser("c")).extension.welcome["name"] == "Chrome 3"
    async with world() as later:
        for name, number in (("c", " 3"), ("b", " 2"), ("a", "")):
            assert (await later.browser(name)).extension.welcome["name"] == f"Chrome{number}"


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[[1]]", b'[["x","y","z","w"],7]', b"\xff"],
    ids=["empty", "cut", "numbers", "types", "bytes"],
)
async def test_a_damaged_list_of_names_is_replaced(content: bytes, config_home: Path) -> None:
    pairing.pairing_key()
    (config_home / "browsers.json").write_bytes(content)
    async with world() as fresh:
        assert (await fresh.browser("a")).extension.welcome["name"] == "Chrome"
    assert json.loads((config_home / "browsers.json").read_bytes())[0][1] == "Chrome"


async def test_a_chosen_name_goes_to_the_profile_that_was_connected_with_it_last(config_home: Path) -> None:
    async with world() as before:
        await before.browser("a", wish="Work")
    async with world() as later:
        # After a reinstallation the extension has another id.
        assert (await later.browser("b", wish="work")).extension.welcome["name"] == "work"

    assert [name for _, name, *_ in json.loads((config_home / "browsers.json").read_bytes())] == ["work"]


async def test_the_names_of_the_profiles_that_were_connected_last_are_kept(config_home: Path) -> None:
    pairing.pairing_key()
    known = [[f"profile-{number}", f"Known {number}", "Chrome", False] for number in range(protocol.MAX_KNOWN_BROWSERS)]
    (config_home / "browsers.json").write_text(json.dumps(known))
    async with world() as one:
        await one.browser("a")

    names = [name for _, name, *_ in json.loads((config_home / "browsers.json").read_bytes())]
    assert names == [*(name for _, name, *_ in known[1:]), "Chrome"]


async def test_a_renamed_profile_keeps_its_tabs_and_every_browser_is_notified(one: World) -> None:
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
async def test_a_malformed_identity_is_treated_as_an_older_extension(browser: Any, one: World) -> None:
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
        await until(lambda: connects_only(one, "Chrome"))
    by_title = {(each["title"], each["browser"]): each["id"] for each in listed}

    assert by_title["new", "Chrome"] == 5
    assert by_title["old", "Browser"] == 6
    assert len({each["id"] for each in listed}) == 3


async def connects_only(one: World, name: str) -> bool:
    return {each["browser"] for each in await one.tabs() if "browser" in each} <= {name}


async def test_older_extensions_that_reconnect_in_another_order_are_not_confused(
    one: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "RECONNECT_WAIT_S", 0.1)

    def older(name: str) -> AbstractAsyncContextManager[Profile]:
        return one.connected(name, tab(5, f"title {name}"), is_older=True)

    async with older("a"), older("b"):
        before = {each["id"] for each in await one.tabs()}
    await until(lambda: is_alone(one))
    async with older("b"), older("a"):
        after = {each["id"] for each in await one.tabs()}
        for number in before:
            assert error_of(await one.call("read_chrome_tab", tab_id=number))[0] == "TAB_DISCONNECTED"
    assert len(before) == len(after) == 2
    assert not before & after


async def is_alone(one: World) -> bool:
    health = f"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{one.port}\r\nConnection: close\r\n\r\n"
    return '"extensionConnected":false' in (await raw_request(one.port, health))[1]


async def test_a_ninth_profile_is_rejected_and_connects_when_one_disconnects(one: World) -> None:
    others = [await one.browser(f"p{number}", tab(1, f"title{number}")) for number in range(7)]
    async with one.connected("eighth", tab(1, "eighth")):
        listed = await one.tabs()
        assert len({each["browser"] for each in listed}) == len({each["id"] for each in listed}) == 8
        for each in listed:
            assert (await one.read(tab_id=each["id"])).startswith(f"{each['title']} of ")
        async with connecting(one.port, pairing.pairing_key(), about("ninth")) as ninth:
            await ninth.prove(await ninth.challenged())
            assert await ninth.close_code() == 4429
        # One that reconnects takes no additional slot.
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


async def test_a_copied_profile_gets_a_new_id_and_is_notified_that_it_is_a_copy(one: World) -> None:
    original = await one.browser("a", tab(1, "mail"), wish="Work")
    copy = await one.browser("a", tab(1, "copy"), wish="Work", run="other-run")

    assert "profile" not in original.extension.welcome
    assert re.fullmatch(r"[\w-]{20,}", copy.extension.welcome["profile"])
    assert copy.extension.welcome["name"] == "Work 2"
    assert await one.read(tab_id=1) == "mail of a"
    assert sorted(each["title"] for each in await one.tabs()) == ["copy", "mail"]


async def test_a_browser_that_does_not_respond_is_replaced_by_its_next_run(
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


async def test_tab_ids_are_the_browsers_own_unless_two_collide_and_reads_are_never_mixed_up(one: World) -> None:
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


async def test_ids_in_sentences_and_notes_are_the_ones_that_clients_know(one: World) -> None:
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


async def test_an_id_of_a_disconnected_browser_never_becomes_another_ones_tab(
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

    # The same profile, but another tab: its browser was restarted.
    await one.browser("a", tab(1, "other"), wish="Work", run="next-run")
    code, sentence = error_of(await one.call("read_chrome_tab", tab_id=1))
    assert code == "TAB_NOT_FOUND"
    assert "Work or its extension was restarted" in sentence


async def test_an_id_that_no_list_has_shown_is_searched_in_all_browsers(one: World) -> None:
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
