"""The browsers of a Mac, driven through the tools: the shipped script runs in the evaluator, with each browser's terms.

`osascript` and `lsappinfo` are fakes; so is the content of the pages.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client
from mcp_types import TextContent

import chrome_tab_mcp_server as server
from chrome_tab import app
from scripts.embed_page_function import SCRIPT
from tests.conftest import WriteToml
from tests.support.evaluated_osascript import FakeMac
from tests.support.fake_models import FakeOpenAIServer, answer
from tests.support.tool_client import Result, error_of, receipt_of, serving, text_of

UUID = "7D1F0E0A-0000-4000-8000-00000000000"


@pytest.fixture
def mac(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeMac:
    return FakeMac(tmp_path / "mac", monkeypatch)


def tab(name: str, number: str = "11", **more: str) -> dict[str, str]:
    return {"id": number, "url": f"https://{name}.test/", "title": f"Title of {name}", "text": f"text of {name}"} | more


def window(*tabs: dict[str, str], number: str = "1", **more: Any) -> dict[str, Any]:
    return {"id": number, "tabs": list(tabs)} | more


def browser(*windows: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"windows": list(windows)} | more


async def call(tool: str, settings: dict[str, Any] | None = None, **arguments: Any) -> Result:
    flags = {"source": "applescript"} | (settings or {})
    async with Client(app.create_server(server.load_settings(flags, need_model=False))) as client:
        return await client.call_tool(tool, arguments, raise_on_error=False)


# --- Which browser ---


async def test_each_supported_browser_is_read_by_the_same_script_in_its_own_terms(mac: FakeMac) -> None:
    mac.runs({name: browser(window(tab(f"b{number}"))) for number, name in enumerate(server.BROWSERS)})

    for number, name in enumerate(server.BROWSERS):
        result = await call("read_chrome_tab", {"browser": name})
        receipt = receipt_of(result)
        assert (name, text_of(result)) == (name, f"text of b{number}")
        assert (receipt["url"], receipt["title"]) == (f"https://b{number}.test/", f"Title of b{number}")


async def test_auto_reads_the_frontmost_supported_browser_or_else_chrome(mac: FakeMac) -> None:
    names = {"Safari": "safari", "Google Chrome": "chrome", "Google Chrome Canary": "canary"}
    mac.runs({name: browser(window(tab(host))) for name, host in names.items()})

    for visible, read in (
        (["Terminal", "Safari", "Google Chrome"], "Safari"),
        (["Google Chrome Canary", "Google Chrome"], "Google Chrome Canary"),
        (["Terminal", "Safari Technology Preview", "auto", "google chrome canary"], "Google Chrome"),
        ([], "Google Chrome"),
    ):
        mac.shows(*visible)
        assert (visible, text_of(await call("read_chrome_tab"))) == (visible, f"text of {names[read]}")
    mac.shows("Google Chrome Canary")
    lines = text_of(await call("chrome_tab_status")).splitlines()
    assert "browser    ok  Google Chrome Canary responds, chosen by --browser auto" in lines
    lines = text_of(await call("chrome_tab_status", {"browser": "Safari"})).splitlines()
    assert "browser    ok  Safari responds" in lines


async def test_a_missing_list_of_applications_does_not_block_reading(
    mac: FakeMac, monkeypatch: pytest.MonkeyPatch
) -> None:
    mac.runs({"Google Chrome": browser(window(tab("chrome")))})
    (mac.folder / "bin" / "lsappinfo").write_text("#!/bin/sh\nexec sleep 600\n", encoding="ascii")
    monkeypatch.setattr(server, "LSAPPINFO_TIMEOUT_S", 0.1)

    assert text_of(await call("read_chrome_tab")) == "text of chrome"


async def test_a_browser_that_runs_twice_is_read_with_a_note_and_one_that_runs_once_without(mac: FakeMac) -> None:
    mac.runs({"Google Chrome": browser(window(tab("chrome")))})
    reported = {}

    for visible in (["Google Chrome", "Google Chrome Canary"], ["Google Chrome", "Safari", "Google Chrome"]):
        mac.shows(*visible)
        result = await call("read_chrome_tab")
        reported[len(visible)] = [block.text for block in result.content if isinstance(block, TextContent)][1:]

    assert reported[2] == []
    assert [note.partition(",")[0] for note in reported[3]] == ["[Google Chrome is running 2 times"]


@pytest.mark.parametrize(
    ("name", "number", "menu"),
    [
        ("Google Chrome", 12, "View > Developer > Allow JavaScript from Apple Events"),
        ("Microsoft Edge", 12, "Tools > Developer > Allow JavaScript from Apple Events"),
        ("Safari", 8, "Settings choose Advanced > Show features for web developers, then Developer >"),
    ],
)
async def test_disabled_javascript_is_reported_with_the_menu_of_that_browser(
    name: str, number: int, menu: str, mac: FakeMac
) -> None:
    mac.runs({name: browser(window(tab("page")), error=number)})

    code, message = error_of(await call("read_chrome_tab", {"browser": name}))

    assert (code, message.startswith(f"{name} ")) == ("PERMISSION_DENIED", True)
    assert menu in message
    mac.runs({name: browser(window(tab("page")))})
    assert text_of(await call("read_chrome_tab", {"browser": name})) == "text of page"


@pytest.mark.parametrize("name", ["Google Chrome", "Safari", "Arc"])
async def test_a_browser_without_a_window_or_not_running_is_reported_by_name(name: str, mac: FakeMac) -> None:
    settings = {"browser": name}
    for tool in ("read_chrome_tab", "browser_get_tabs"):
        code, message = error_of(await call(tool, settings))
        assert (code, message.startswith(f"{name} is not running.")) == ("NO_BROWSER", True)

    mac.runs({name: browser()})

    code, message = error_of(await call("read_chrome_tab", settings))
    assert (code, message.startswith(f"{name} has no open window.")) == ("NO_BROWSER", True)
    assert json.loads(text_of(await call("browser_get_tabs", settings))) == []


@pytest.mark.parametrize("name", ["Google Chrome", "Safari", "Arc"])
async def test_a_pdf_is_read_by_the_extensions_scripts_if_they_are_next_to_the_server(
    name: str, mac: FakeMac, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mac.runs({name: browser(window(tab("page", kind="pdf")))})

    assert text_of(await call("read_chrome_tab", {"browser": name})) == "text of page"

    monkeypatch.setattr(server, "EXTENSION", tmp_path)
    code, message = error_of(await call("read_chrome_tab", {"browser": name}))
    assert (code, "PDF" in message) == ("UNREADABLE_PAGE", True)


@pytest.mark.parametrize("reply", ["EMPTY_PAGE", "KEYWORD_NOT_FOUND", "UNREADABLE_PAGE"])
async def test_what_the_page_function_rejects_is_rejected_in_every_dialect(reply: str, mac: FakeMac) -> None:
    refused = tab("page", code=reply, message="What happened. What to do.")
    for name in ("Google Chrome", "Safari", "Arc"):
        mac.runs({name: browser(window(refused))})
        assert error_of(await call("read_chrome_tab", {"browser": name})) == (reply, "What happened. What to do.")


@pytest.mark.parametrize(
    "reply",
    ["", "[]", '"[1]"', '["", "", "text"]', '["OTHER", "a", "", ""]', "{", pytest.param("[" * 99_999, id="deep")],
)
def test_an_invalid_reply_from_arc_is_an_unreadable_page(reply: str) -> None:
    with pytest.raises(server.ChromeTabError) as refused:
        server.from_arc(reply)

    assert refused.value.code == "UNREADABLE_PAGE"
    whole = ["", "", "text", '{"url": "u"}']
    for form in (json.dumps(whole), json.dumps(json.dumps(whole))):
        assert server.from_arc(form) == ("text", {"url": "u"})


def test_only_names_of_supported_browsers_are_inserted_into_the_script() -> None:
    original = SCRIPT.read_text(encoding="ascii")
    for name in server.BROWSERS:
        with server.script_for(name) as file:
            script = file.read_text(encoding="ascii")
        assert script.count(f'application "{name}"') == original.count('application "Google Chrome"') == 4
        reported = re.findall(r"^\t*set pageReply to (execute|do JavaScript) ", script, re.MULTILINE)
        assert reported == (["do JavaScript"] if name == "Safari" else ["execute"])
    with pytest.raises(ValueError, match="must be 'auto', 'Google Chrome'"):
        server.load_settings({"browser": 'Safari" to quit'}, need_model=False)


async def test_text_from_arc_is_not_copied_and_a_note_reports_it(mac: FakeMac) -> None:
    mac.runs({name: browser(window(tab("page"))) for name in ("Arc", "Safari")})

    for name, count in (("Arc", 2), ("Safari", 1)):
        for clipboard in (True, False):
            result = await call("read_chrome_tab", {"browser": name, "clipboard": clipboard})
            assert len(result.content) == (count if clipboard else 1)


# --- Several tabs ---

DIALECTS = {
    "Google Chrome": ("11", "12", "21"),
    "Arc": (f"{UUID}1", f"{UUID}2", f"{UUID}3"),
    "Safari": ("", "", ""),
}
HOSTILE_TITLE = 'a", "b\\ {} }, missing value\n"c'


def three_tabs(name: str) -> list[dict[str, Any]]:
    first, second, third = DIALECTS[name]
    tabs = (tab("a", first), tab("b", second, title=HOSTILE_TITLE), tab("c", third))
    return [window(*tabs[:2], number="1", active=2), window(tabs[2], number="2", mode="incognito")]


@pytest.mark.parametrize("name", DIALECTS)
async def test_tabs_are_listed_and_each_is_read_by_its_id_wherever_it_moves(name: str, mac: FakeMac) -> None:
    windows = three_tabs(name)
    mac.runs({name: browser(*windows)})
    settings = {"source": "applescript", "browser": name}
    async with Client(app.create_server(server.load_settings(settings, need_model=False))) as client:
        result = await client.call_tool("browser_get_tabs", {})
        listed = json.loads(text_of(result))
        mac.runs({name: browser(windows[1], window(*reversed(windows[0]["tabs"])))})
        texts = [text_of(await client.call_tool("read_chrome_tab", {"tab_id": one["id"]})) for one in listed]
        again = json.loads(text_of(await client.call_tool("browser_get_tabs", {})))
        mac.runs({name: browser(windows[0])})
        gone = await client.call_tool("read_chrome_tab", {"tab_id": listed[2]["id"]}, raise_on_error=False)
        mac.runs({name: browser(*windows)})
        mac.runs({name: browser(windows[1], windows[0])}, from_next_run_on=True)
        moved = await client.call_tool("read_chrome_tab", {"tab_id": listed[0]["id"]}, raise_on_error=False)
        there = await client.call_tool("read_chrome_tab", {"tab_id": listed[0]["id"]})

    assert [(one["url"], one["active"], one["windowId"]) for one in listed] == [
        ("https://a.test/", False, 1),
        ("https://b.test/", True, 1),
        ("https://c.test/", True, 2),
    ]
    assert [one["title"] for one in listed] == ["Title of a", server.one_line(HOSTILE_TITLE), "Title of c"]
    assert [one["id"] for one in listed] == [11, 12, 21] or name != "Google Chrome"
    assert {one["id"] for one in again} == {one["id"] for one in listed}
    assert texts == ["text of a", "text of b", "text of c"]
    assert (error_of(gone)[0], error_of(moved)[0], text_of(there)) == ("TAB_NOT_FOUND",) * 2 + ("text of a",)


@pytest.mark.parametrize("printed", ["", "{", "{{1}, {2}}", "{{1}, {1}, {{1}}, {{2, 3}}, {{4}}}", "[" * 99_999])
def test_inconsistent_lists_are_rejected(printed: str) -> None:
    with pytest.raises(server.ChromeTabError) as refused:
        server.open_tabs(printed, "Safari")

    assert refused.value.message == "The tabs of Safari changed while they were listed. List them again."
    assert server.open_tabs("{{1, 2}, {1, missing value}, {{1}, missing value}, {{2}, {}}, {{4}, {}}}", "S")


async def test_auto_reads_the_tabs_of_the_browser_that_was_listed(mac: FakeMac) -> None:
    mac.runs({"Safari": browser(window(tab("safari"))), "Google Chrome": browser(window(tab("chrome")))})
    mac.shows("Safari", "Google Chrome")
    async with Client(app.create_server(server.load_settings({"source": "applescript"}, need_model=False))) as client:
        (listed,) = json.loads(text_of(await client.call_tool("browser_get_tabs", {})))
        mac.shows("Google Chrome", "Safari")
        named = await client.call_tool("read_chrome_tab", {"tab_id": listed["id"]})
        active = await client.call_tool("read_chrome_tab", {})

    assert (text_of(named), text_of(active)) == ("text of safari", "text of chrome")


async def test_questions_about_several_tabs_work_without_the_extension_one_osascript_at_a_time(
    mac: FakeMac, write_toml: WriteToml
) -> None:
    mac.runs({"Google Chrome": browser(*three_tabs("Google Chrome"))})
    write_toml('[sites."b.test"]\ndeny = true')
    async with FakeOpenAIServer(*[answer("said", prompt_tokens=400)] * 3) as fake, serving(fake) as asker:
        listed = json.loads(text_of(await asker.client.call_tool("browser_get_tabs", {})))
        result = await asker.client.call_tool("process_chrome_tabs", {"tab_ids": [11, 12, 21]}, raise_on_error=False)
        seen = json.dumps([chat.body for chat in fake.chats])

    assert [one["id"] for one in listed] == [11, 21]
    assert [(failed["tab_id"], failed["error"]["code"]) for failed in receipt_of(result)["failed"]] == [
        (12, "HOST_BLOCKED")
    ]
    assert not mac.has_overlapped
    assert "text of a" in seen
    assert "text of b" not in seen
