"""Where AppleScript and several extensions both reach tabs: which of them is read, and the effect of rules for
profiles.

`osascript` is a fake.
"""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client

import chrome_tab_mcp_server as server
from chrome_tab import app
from chrome_tab.bridge import protocol
from chrome_tab.extension import both_sources
from tests.support.evaluated_osascript import FakeMac
from tests.support.fake_browsers import World, tab, world
from tests.support.fake_models import FakeOpenAIServer
from tests.support.fake_osascript import FakeOsascript
from tests.support.platforms import pretend
from tests.support.tool_client import error_of, receipt_of, text_of

NOT_ALLOWED = 12

pytestmark = pytest.mark.usefixtures("on_a_mac")


@pytest.fixture
def on_a_mac(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, "darwin", server, both_sources)


@pytest.fixture
def front(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the applications that macOS shows, from front to back."""
    names: list[str] = ["Google Chrome"]

    async def shown() -> list[str]:
        return names

    monkeypatch.setattr(server, "visible_applications", shown)
    return names


@pytest.fixture
async def mac(osascript: FakeOsascript, front: list[str]) -> AsyncGenerator[World]:
    assert osascript
    assert front
    async with world(source="auto") as running:
        yield running


def notes_of(result: Any) -> list[str]:
    return [block.text for block in result.content[1:]]


async def test_the_page_in_view_is_read_and_named_whichever_source_reaches_it(mac: World, front: list[str]) -> None:
    await mac.browser("a", tab(1, "mail"))
    firefox = await mac.browser("b", tab(2, "news"), kind="Firefox")
    await firefox.look()
    result = await mac.call("read_chrome_tab")
    assert text_of(result) == "the page"
    assert notes_of(result) == ["[read in Google Chrome: A page (page.test)]"]
    assert receipt_of(result)["browser"] == "Google Chrome"

    front[:] = ["Terminal", "Firefox", "Google Chrome"]
    result = await mac.call("read_chrome_tab")
    assert text_of(result) == "news of b"
    assert notes_of(result) == ["[read in Firefox: news (news.test)]"]
    # A named tab is the extension's.
    assert await mac.read(tab_id=1) == "mail of a"


async def test_with_one_browser_connected_no_note_names_the_browser(mac: World) -> None:
    await mac.browser("a", tab(1, "mail"))
    assert notes_of(await mac.call("read_chrome_tab")) == []


@pytest.mark.parametrize(
    ("application", "kind", "number", "notes"),
    [
        ("Google Chrome", "Chrome", NOT_ALLOWED, []),
        ("Brave Browser", "Brave", NOT_ALLOWED, []),
        (
            "Safari",
            "Chrome",
            NOT_ALLOWED,
            ["[Safari is in front and could not be read: this page is of another browser, mail (mail.test)]"],
        ),
        (
            "Firefox",
            "Chrome",
            NOT_ALLOWED,
            ["[Firefox is in front and could not be read: this page is of another browser, mail (mail.test)]"],
        ),
        ("Firefox", "Firefox", NOT_ALLOWED, []),
        # It is not even running: the user does not look at it.
        ("Google Chrome", "Edge", -600, []),
    ],
)
async def test_when_the_extension_reads_instead_of_applescript_the_other_browser_is_named(
    mac: World,
    osascript: FakeOsascript,
    front: list[str],
    *,
    application: str,
    kind: str,
    number: int,
    notes: list[str],
) -> None:
    front[:] = [application]
    osascript.fails("no", number)
    await mac.browser("a", tab(1, "mail"), kind=kind)
    result = await mac.call("read_chrome_tab")
    assert text_of(result) == "mail of a"
    assert notes_of(result) == notes


async def test_the_ids_of_both_lists_match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chrome = FakeMac(tmp_path / "mac", monkeypatch)
    windows = [
        {"id": "1", "tabs": [{"id": str(number), "url": f"https://{number}.test/", "title": "", "text": ""}]}
        for number in (1_585_616_965, 1_585_616_970)
    ]
    chrome.runs({"Google Chrome": {"windows": windows}})
    async with world(source="auto") as one:
        by_script = {each["id"]: each["url"] for each in await one.tabs()}
        await one.browser("a", tab(1_585_616_965))
        await one.browser("b", tab(1_585_616_970))
        assert {each["id"]: each["url"] for each in await one.tabs()} == by_script
        assert len(by_script) == 2


RULES = """
[browsers."Work"]
deny = true
"""


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    config = tmp_path / "config.toml"
    config.write_text(RULES, encoding="utf-8")
    return config


async def test_with_rules_for_profiles_the_extension_reads_because_applescript_cannot_see_the_profile(
    osascript: FakeOsascript, rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "EXTENSION_WAIT_S", 0.1)
    async with world(source="auto", config=rules) as one:
        assert error_of(await one.call("read_chrome_tab"))[0] == "EXTENSION_NOT_CONNECTED"
        work = await one.browser("a", tab(1, "mail"), wish="Work")
        other = await one.browser("b", tab(2, "news"))
        await work.look()
        assert error_of(await one.call("read_chrome_tab"))[0] == "HOST_BLOCKED"
        await other.look()
        assert await one.read() == "news of b"
        status = text_of(await one.call("chrome_tab_status"))
        assert "profiles   ok  no tool may access Work" in status
    assert osascript.calls() == []


async def test_with_rules_for_profiles_applescript_alone_reads_nothing(osascript: FakeOsascript, rules: Path) -> None:
    async with FakeOpenAIServer() as model:
        flags = {"source": "applescript", "ollama_url": model.url, "model": "fake-model", "config": rules}
        async with Client(app.create_server(server.load_settings(flags, need_model=True))) as client:
            for tool in ("read_chrome_tab", "process_chrome_tab", "browser_get_tabs"):
                code, sentence = error_of(await client.call_tool(tool, {}, raise_on_error=False))
                assert code == "HOST_BLOCKED"
                assert "[browsers]" in sentence
            assert "browser    FIX [browsers]" in text_of(await client.call_tool("chrome_tab_status", {}))
    assert osascript.calls() == []


async def test_without_rules_applescript_reads(osascript: FakeOsascript, front: list[str]) -> None:
    assert front
    async with world(source="auto") as one:
        assert await one.read() == "the page"
    assert osascript.calls()
