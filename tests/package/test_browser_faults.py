"""Failures of one of several browsers, and the rules for a whole profile."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

import chrome_tab_mcp_server as server
from chrome_tab.bridge import protocol
from tests.support.fake_browsers import Profile, World, tab, world
from tests.support.fake_extension import within
from tests.support.polling import until
from tests.support.tool_client import error_of, text_of


@pytest.fixture
async def one() -> AsyncGenerator[World]:
    async with world() as running:
        yield running


async def test_a_silent_browser_does_not_affect_another(one: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "LIST_TIMEOUT_S", 1.0)
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
    assert listed.content[1].text == "[Work did not respond: their tabs are not listed.]"
    assert listed.structured_content["notes"] == ["Work did not respond: their tabs are not listed."]
    assert [str(each.uri) for each in await one.client.list_resources()] == ["tab://active", "tab://2"]
    assert not hanging.done()
    silent.answers.set()
    assert text_of(await within(hanging)) == "one of a"


async def test_a_browser_that_dies_during_a_command_ends_only_its_own(
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


async def test_a_browser_that_has_just_disconnected_does_not_delay_a_named_tab_of_another(
    one: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "RECONNECT_WAIT_S", 600)
    await one.browser("b", tab(2, "two"))
    await one.browser("c", tab(3, "three"))
    async with one.connected("a", tab(1, "one")) as left:
        await left.look()
    await until(lambda: two_are_left(one))
    # No list has included it yet.
    assert await one.read(tab_id=2) == "two of b"


async def two_are_left(one: World) -> bool:
    return "2 browsers connected" in await one.status()


async def sent(profile: Profile, command: str) -> bool:
    return any(each["command"] == command for each in profile.commands)


@pytest.mark.parametrize("run", ["first-run", "next-run"])
async def test_a_read_interrupted_by_its_browsers_death_is_repeated_only_in_the_same_run_of_it(
    run: str, one: World
) -> None:
    other = await one.browser("b", tab(1, "news"))
    async with one.connected("a", tab(1, "mail")) as dying:
        mail = next(each["id"] for each in await one.tabs() if each["title"] == "mail")
        dying.answers.clear()
        reading = asyncio.create_task(one.call("read_chrome_tab", tab_id=mail))
        await until(lambda: sent(dying, "read_tab"))
    back = await one.browser("a", tab(1, "other"), run=run)
    result = await within(reading)
    if run == "first-run":
        assert text_of(result) == "other of a"
    else:
        assert error_of(result)[0] == "EXTENSION_NOT_CONNECTED"
        assert not await sent(back, "read_tab")
    assert not await sent(other, "read_tab")


async def test_a_flood_from_one_browser_does_not_delay_another(one: World) -> None:
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
            assert re.search(r'\[browsers\."(Work|Lab)"\]', sentence)
        # The page in view is refused, and no other browser is read instead.
        await work.look()
        assert error_of(await one.call("read_chrome_tab"))[0] == "HOST_BLOCKED"
        await home.look()
        assert await one.read() == "news of c"
        assert {each["command"] for each in work.commands} <= {"browser_get_tabs"}


async def test_a_rule_is_quoted_as_written_and_matches_every_profile_of_that_name_whatever_its_number(
    tmp_path: Path,
) -> None:
    config = tmp_path / "config.toml"
    config.write_text('[browsers."chrome"]\ndeny = true\n', encoding="utf-8")
    async with world(config=config) as one:
        await one.browser("a", tab(1, "mail"))
        await one.browser("b", tab(2, "news"))
        await one.browser("c", tab(3, "wiki"), wish="Chrome home")
        for number in (1, 2):
            assert '[browsers."chrome"]' in error_of(await one.call("read_chrome_tab", tab_id=number))[1]
        assert await one.read(tab_id=3) == "wiki of c"


async def test_an_attached_tab_of_a_denied_profile_is_never_the_default(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text(RULES, encoding="utf-8")
    async with world(config=config) as one:
        work = await one.browser("a", tab(1, "mail"), wish="Work")
        home = await one.browser("b", tab(2, "news"))
        for profile, number in ((work, 1), (home, 2)):
            await profile.extension.send({"type": "event", "event": "tab_attached", "tab_id": number})
            await profile.settle()
        assert not (await one.call("click", selector="a")).is_error
        assert home.commands[-1]["command"] == "click"
        await home.extension.send({"type": "event", "event": "tab_detached", "tab_id": 2})
        await home.settle()
        assert error_of(await one.call("click", selector="a"))[0] == "HOST_BLOCKED"
        assert not [each for each in work.commands if each["command"] == "click"]


@pytest.mark.parametrize("rule", ["deny = 7", 'tools = ["no_such_tool"]', "ask = true"])
def test_a_rule_without_effect_is_a_sentence(rule: str, tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text(f'[browsers."Work"]\n{rule}\n', encoding="utf-8")
    with pytest.raises(ValueError, match="browsers"):
        server.load_settings({"config": config}, need_model=False)
