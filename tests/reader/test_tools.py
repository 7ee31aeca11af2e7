"""The tools as a client sees them: what is listed, what is rejected and how, which source reads, what status reports."""

import asyncio
import logging
import os
import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Never

import pytest
from fastmcp import Client
from mcp_types import TextContent

import chrome_tab_mcp_server as server
from chrome_tab import app
from chrome_tab.bridge import pairing, protocol
from chrome_tab.extension import both_sources
from tests.support.fake_extension import FakeExtension, connected, connecting, free_port, raw_request, within
from tests.support.fake_models import FakeOpenAIServer, answer, as_text, refused_port
from tests.support.fake_osascript import FakeOsascript
from tests.support.platforms import pretend
from tests.support.polling import until
from tests.support.tool_client import error_of, receipt_of, serving, text_of

PAGE = {"tab_id": 1, "text": "from the extension", "url": "https://page.test/", "title": "A page"}
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "EXTENSION_WAIT_S", 0.1)


@asynccontextmanager
async def client_of(**flags: Any) -> AsyncGenerator[Client[Any]]:
    async with Client(app.create_server(server.load_settings(flags, need_model=False))) as client:
        yield client


def has_been_made(folder: Path) -> bool:
    return folder.exists()


async def call(client: Client[Any], name: str, **arguments: Any) -> Any:
    return await client.call_tool(name, arguments, raise_on_error=False)


async def status_lines(client: Client[Any]) -> dict[str, str]:
    """Return the status by layer."""
    lines = text_of(await client.call_tool("chrome_tab_status", {})).splitlines()
    return {line[:11].strip(): line[11:] for line in lines}


# --- What is listed ---

READERS = ["process_chrome_tab", "read_chrome_tab", "look_at_chrome_tab", "chrome_tab_status"]


async def test_every_tool_describes_its_purpose_and_that_it_changes_nothing() -> None:
    async with client_of(source="applescript") as client:
        tools = {tool.name: tool for tool in await client.list_tools()}

    assert set(READERS) <= tools.keys()
    for name in READERS:
        assert tools[name].description
        annotations = tools[name].annotations
        assert annotations
        assert annotations.read_only_hint is True
        assert annotations.destructive_hint is False
        assert annotations.open_world_hint is True


PART, CHECK = {"content", "selection"}, {"evidence", "quick"}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("process_chrome_tab", {"system_prompt", "start", "end", "tab_id", "model", "output_schema"} | PART | CHECK),
        ("read_chrome_tab", {"start", "end", "tab_id", "offset", "max_chars"} | PART),
        ("chrome_tab_status", set[str]()),
    ],
)
async def test_the_arguments_match_the_contract_and_none_is_required(name: str, arguments: set[str]) -> None:
    async with client_of(source="applescript") as client:
        tool = next(tool for tool in await client.list_tools() if tool.name == name)

    assert tool.input_schema["properties"].keys() == arguments
    assert not tool.input_schema.get("required")


def test_creating_a_server_has_no_side_effects(config_home: Path) -> None:
    port = free_port()

    app.create_server(server.load_settings({"port": port, "source": "extension"}, need_model=False))

    assert not config_home.exists()


# --- What is rejected ---

BAD_CALLS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("read_chrome_tab", {"offset": "three"}, ["offset must be an integer"]),
    ("read_chrome_tab", {"offset": -1}, ["offset must be at least 0"]),
    ("read_chrome_tab", {"max_chars": 0}, ["max_chars must be at least 1"]),
    ("read_chrome_tab", {"max_chars": 100_001}, ["max_chars must be at most 100,000"]),
    ("read_chrome_tab", {"start": ["a"]}, ["start must be text"]),
    ("read_chrome_tab", {"content": "body"}, ["content must be 'all' or 'main', or left out (got \"body\")"]),
    ("read_chrome_tab", {"tab_id": "active"}, ["tab_id must be an integer"]),
    ("read_chrome_tab", {"tabId": "active"}, ["tab_id must be an integer"]),
    ("read_chrome_tab", {"tabId": 1, "tab_id": 2, "begin": "a"}, ["unknown argument 'begin'"]),
    ("read_chrome_tab", {"offset": "x", "begin": "a"}, ["offset", "unknown argument 'begin'"]),
    ("process_chrome_tab", {"output_schema": "object"}, ["No extraction is named 'object'"]),
    ("process_chrome_tab", {"system_prompt": 5}, ["system_prompt must be text"]),
    ("process_chrome_tab", {"prompt": "p"}, ["unknown argument 'prompt' (it accepts system_prompt, start, "]),
    ("chrome_tab_status", {"verbose": True}, ["unknown argument 'verbose' (it accepts no arguments)"]),
    ("process_chrome_tabs", {}, ["the argument 'tab_ids' is missing"]),
    ("process_chrome_tabs", {"tab_ids": []}, ["tab_ids must have 1 or more"]),
    ("no_such_tool", {}, ["no tool 'no_such_tool'"]),
    ("no\nsuch\x1btool" + "x" * 1_000, {}, ["no tool 'no such tool"]),
]


@pytest.mark.parametrize(("name", "arguments", "reported"), BAD_CALLS)
async def test_a_wrong_call_is_a_sentence_about_its_arguments_and_nothing_runs(
    name: str, arguments: dict[str, Any], reported: list[str], osascript: FakeOsascript
) -> None:
    async with client_of(source="applescript") as client:
        code, message = error_of(await call(client, name, **arguments))
        assert osascript.calls() == []
        assert text_of(await call(client, "read_chrome_tab", offset=None, selection=None)) == "the page"

    assert code == "INVALID_ARGUMENT"
    for words in reported:
        assert words in message
    assert message.isprintable()
    assert len(message) < 600


async def test_a_wrong_value_is_shown_abbreviated(osascript: FakeOsascript) -> None:
    async with client_of(source="applescript") as client:
        _, message = error_of(await call(client, "read_chrome_tab", offset="\x1b" + "x" * 10_000))

    assert osascript.calls() == []
    assert len(message) < 300


async def test_tab_id_is_accepted_in_the_other_spelling() -> None:
    port = free_port()
    async with client_of(source="extension", port=port) as client, paired(client, port) as extension:
        for arguments in ({"tab_id": 7}, {"tabId": 7}, {"tab_id": 7, "tabId": 8}):
            reading = client.call_tool("read_chrome_tab", arguments)
            command, _ = await within(both(extension.receive(), extension, reading))
            assert command["tab_id"] == 7


async def both(receiving: Any, extension: FakeExtension, reading: Any) -> Any:
    """Answer one command with the page while the call runs; return the command and the call's result."""
    task = asyncio.create_task(reading)
    command = await receiving
    await extension.reply(command, PAGE)
    return command, await task


@asynccontextmanager
async def paired(client: Client[Any], port: int) -> AsyncGenerator[FakeExtension]:
    """A fake extension that is connected to this client's server."""
    await client.call_tool("chrome_tab_status", {})
    async with connected(port, pairing.pairing_key()) as extension:
        yield extension


async def test_a_bug_is_reported_without_page_content_from_its_message(
    osascript: FakeOsascript, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object, **__: object) -> Never:
        raise RuntimeError("text of the page")

    async with client_of(source="applescript") as client:
        with monkeypatch.context() as context:
            context.setattr(server.AppleScriptSource, "read", fail)
            result = await call(client, "read_chrome_tab")
        assert text_of(await call(client, "read_chrome_tab")) == "the page"

    code, message = error_of(result)
    assert code == "EXECUTION_ERROR"
    assert "read_chrome_tab (RuntimeError)" in message
    assert "text of the page" not in str(result)
    ours = [record.getMessage() for record in caplog.records if record.name == "chrome_tab"]
    assert any(line.startswith("read_chrome_tab failed: RuntimeError at test_tools.py:") for line in ours)
    assert not any("text of the page" in line for line in ours)
    assert len(osascript.calls()) == 1


# --- The text in pages ---


@pytest.mark.parametrize("size", [2, 7, 20_000])
async def test_the_pages_joined_are_the_text(size: int, osascript: FakeOsascript) -> None:
    text = f"\u00e9 {FAMILY} \u4e2d\n\n  indented  end"
    osascript.shows(text)
    pages: list[str] = []
    offset: int | None = 0
    async with client_of(source="applescript") as client:
        while offset is not None:
            result = await call(client, "read_chrome_tab", offset=offset, max_chars=size)
            pages.append(text_of(result))
            offset = receipt_of(result)["next_offset"]

    assert "".join(pages) == text
    # Characters that are joined into one stay together.
    assert all(size - len(FAMILY) < len(page) <= max(size, len(FAMILY)) for page in pages[:-1])


async def test_a_page_states_how_much_is_left_and_where_to_continue(osascript: FakeOsascript) -> None:
    osascript.shows("x" * 50_000)
    async with client_of(source="applescript") as client:
        first = await call(client, "read_chrome_tab")
        last = await call(client, "read_chrome_tab", offset=40_000)

    assert len(text_of(first)) == 20_000
    assert [block.text for block in first.content[1:] if isinstance(block, TextContent)] == [
        "[30,000 of 50,000 characters are left; continue with offset=20000]"
    ]
    assert receipt_of(first)["next_offset"] == 20_000
    assert len(text_of(last)) == 10_000
    assert len(last.content) == 1
    assert receipt_of(last)["next_offset"] is None


@pytest.mark.parametrize("offset", [8, 9, 10**12])
async def test_an_offset_past_the_end_is_rejected_with_the_length(offset: int, osascript: FakeOsascript) -> None:
    async with client_of(source="applescript") as client:
        code, message = error_of(await call(client, "read_chrome_tab", offset=offset))
        assert text_of(await call(client, "read_chrome_tab", offset=7)) == "e"

    assert code == "INVALID_ARGUMENT"
    assert "8 characters" in message
    assert len(osascript.calls()) == 2


# --- Which source reads ---


@pytest.fixture
def on_a_mac(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, "darwin", server, both_sources)


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, "linux", server, both_sources)


async def read_by(*, extension: bool, **flags: Any) -> str:
    """Read the tab; return the source that the receipt names, or the code and sentence of the error."""
    port = free_port()
    async with client_of(port=port, **flags) as client:
        if not extension:
            return outcome(await call(client, "read_chrome_tab"))
        async with paired(client, port) as connection:
            reading = asyncio.create_task(call(client, "read_chrome_tab"))
            command = asyncio.create_task(connection.receive())
            await asyncio.wait({reading, command}, return_when=asyncio.FIRST_COMPLETED)
            if command.done():
                await connection.reply(command.result(), PAGE)
            result = await within(reading)
            command.cancel()
            return outcome(result)


def outcome(result: Any) -> str:
    return error_of(result)[0] if result.is_error else receipt_of(result)["source"]


@pytest.mark.usefixtures("on_a_mac")
@pytest.mark.parametrize("extension", [False, True])
@pytest.mark.usefixtures("osacompile")
async def test_on_a_mac_applescript_reads_whether_or_not_the_extension_is_connected(
    extension: object, osascript: FakeOsascript
) -> None:
    assert await read_by(extension=bool(extension)) == "applescript"
    assert osascript.calls()


@pytest.mark.usefixtures("on_a_mac", "osacompile")
@pytest.mark.parametrize(
    ("visible", "source"),
    [
        (["Terminal", "Firefox", "Google_Chrome"], "extension"),
        (["Google_Chrome", "Firefox"], "applescript"),
        (["Terminal"], "applescript"),
    ],
)
async def test_on_a_mac_the_frontmost_browser_is_read_even_if_applescript_cannot_read_it(
    visible: list[str], source: str, osascript: FakeOsascript, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert osascript

    async def shown() -> list[str]:
        return [name.replace("_", " ") for name in visible]

    monkeypatch.setattr(server, "visible_applications", shown)
    assert await read_by(extension=True) == source
    # Without the extension there is no other source.
    assert await read_by(extension=False) == "applescript"


@pytest.mark.usefixtures("on_a_mac", "osacompile")
@pytest.mark.parametrize(("number", "code"), [(-600, "NO_BROWSER"), (12, "PERMISSION_DENIED")])
async def test_on_a_mac_the_extension_reads_when_applescript_cannot(
    number: int, code: str, osascript: FakeOsascript
) -> None:
    osascript.fails("no", number)

    assert await read_by(extension=True) == "extension"
    assert await read_by(extension=False) == code


@pytest.mark.usefixtures("on_a_mac", "osacompile")
@pytest.mark.parametrize(
    ("number", "code"), [(9001, "EMPTY_PAGE"), (9002, "KEYWORD_NOT_FOUND"), (77, "EXECUTION_ERROR")]
)
async def test_on_a_mac_what_applescript_reports_about_the_page_is_final(
    number: int, code: str, osascript: FakeOsascript
) -> None:
    osascript.fails("no", number)

    assert await read_by(extension=True) == code


@pytest.mark.usefixtures("elsewhere")
async def test_elsewhere_the_extension_reads_even_if_there_is_an_osascript(osascript: FakeOsascript) -> None:
    assert await read_by(extension=True) == "extension"
    assert osascript.calls() == []


@pytest.mark.usefixtures("elsewhere")
async def test_elsewhere_an_osascript_on_the_path_reads_while_the_extension_is_disconnected(
    osascript: FakeOsascript,
) -> None:
    assert await read_by(extension=False) == "applescript"
    assert osascript.calls()


@pytest.mark.usefixtures("elsewhere")
async def test_elsewhere_without_any_source_the_error_asks_for_the_extension(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    assert await read_by(extension=False) == "EXTENSION_NOT_CONNECTED"


@pytest.mark.usefixtures("on_a_mac")
async def test_a_source_named_by_the_call_is_the_only_one_used(osascript: FakeOsascript) -> None:
    assert await read_by(extension=True, source="extension") == "extension"
    assert osascript.calls() == []
    assert await read_by(extension=False, source="extension") == "EXTENSION_NOT_CONNECTED"
    assert osascript.calls() == []


async def test_applescript_alone_opens_no_port(osascript: FakeOsascript, config_home: Path) -> None:
    port = free_port()
    async with client_of(source="applescript", port=port) as client:
        assert text_of(await call(client, "read_chrome_tab")) == "the page"
        with pytest.raises(ConnectionRefusedError):
            await raw_request(port, "GET /health HTTP/1.1\r\n\r\n")

    assert osascript.calls()
    assert not has_been_made(config_home)


@pytest.mark.usefixtures("on_a_mac", "osacompile")
async def test_on_a_mac_a_tab_id_refers_to_the_extension_while_it_is_connected(osascript: FakeOsascript) -> None:
    osascript.plays("""if [ "$1" = -ss ]; then echo '{{}, {}, {}, {}, {}}'; exit 0; fi""")
    port = free_port()
    async with client_of(port=port) as client:
        assert error_of(await call(client, "read_chrome_tab", tab_id=3))[0] == "TAB_NOT_FOUND"
        async with paired(client, port) as extension:
            before = len(osascript.calls())
            _, result = await within(both(extension.receive(), extension, call(client, "read_chrome_tab", tab_id=3)))

    assert receipt_of(result)["source"] == "extension"
    assert len(osascript.calls()) == before


# --- Status ---


async def test_status_shows_every_layer_that_works(osascript: FakeOsascript) -> None:
    routes = {"/props": {"default_generation_settings": {"n_ctx": 8192}}}
    async with FakeOpenAIServer(answer("Ready."), routes=routes) as fake, serving(fake) as asker:
        lines = await status_lines(asker.client)
        lines["model"] = re.sub(r"\d+\.\d s", "0.0 s", lines["model"])

    assert lines == {
        "browser": "ok  Google Chrome responds, chosen by --browser auto",
        "permission": "ok  AppleScript reads the active tab (8 characters)",
        "model": f"ok  fake-model at {fake.url} answered 'Ready.' in 0.0 s",
        "window": "ok  8,192 tokens (llama.cpp /props)",
    }
    assert len(fake.chats) == 1
    assert [call.arguments for call in osascript.calls()] == [["--no-filter"]]


@pytest.mark.parametrize(
    ("number", "browser", "permission"),
    [
        (-600, "FIX Google Chrome is not running.", "?   unknown until the browser shows a page"),
        (
            12,
            "ok  Google Chrome responds, chosen by --browser auto",
            "FIX Google Chrome does not let AppleScript read pages.",
        ),
        (
            -1743,
            "ok  Google Chrome responds, chosen by --browser auto",
            "FIX macOS does not allow this program to control Google Chrome.",
        ),
    ],
)
async def test_status_distinguishes_the_browser_from_its_permission(
    number: int, browser: str, permission: str, osascript: FakeOsascript
) -> None:
    osascript.fails("localised", number)
    async with client_of(source="applescript") as client:
        lines = await status_lines(client)

    assert lines["browser"].startswith(browser)
    assert lines["permission"].startswith(permission)


async def test_status_reports_a_missing_osascript(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    async with client_of(source="applescript") as client:
        lines = await status_lines(client)

    assert lines["browser"].startswith("FIX osascript is not on PATH")


async def test_status_follows_the_extension_as_it_connects() -> None:
    port = free_port()
    async with client_of(source="extension", port=port) as client:
        before = await status_lines(client)
        async with connecting(port, pairing.pairing_key()) as extension:
            await extension.send(extension.hello(version="1.4.2"))
            await extension.prove(await extension.receive())
            assert (await extension.receive())["type"] == "welcome"
            after = await status_lines(client)

    assert before["bridge"] == after["bridge"] == f"ok  listening on 127.0.0.1:{port}"
    assert before["extension"].startswith(f"FIX The Chrome extension is not connected to port {port}, ")
    assert after["extension"] == "ok  connected, version 1.4.2"


async def test_status_reports_the_missing_model_settings(osascript: FakeOsascript) -> None:
    assert osascript
    async with client_of(source="applescript") as client:
        lines = await status_lines(client)

    assert lines["model"].startswith("FIX OLLAMA_BASE_URL must be provided")
    assert "OLLAMA_MODEL must be provided" in lines["model"]
    assert "window" not in lines


async def test_status_reports_a_model_server_that_is_down(osascript: FakeOsascript) -> None:
    assert osascript
    async with refused_port() as url, serving(url) as asker:
        lines = await status_lines(asker.client)

    assert lines["model"].startswith(f"FIX The model server at {url} cannot be reached")


async def test_status_reports_which_other_models_the_server_has(osascript: FakeOsascript) -> None:
    assert osascript
    routes = {"/v1/models": {"data": [{"id": "one"}, {"id": "two"}]}}
    async with FakeOpenAIServer(routes=routes) as fake, serving(fake) as asker:
        lines = await status_lines(asker.client)

    assert lines["model"] == (
        f"FIX The model server at {fake.url} has no model 'fake-model'. It has: one, two. "
        "Choose one of them with --model or the model argument, or pull the one you want."
    )


@pytest.mark.parametrize(
    ("reply", "reported"),
    [
        (as_text("<html>"), ("HTML", "--ollama-url")),
        (as_text("no", 401), ("HTTP 401: no", "--api-key")),
        (as_text("<html>", 404), ("HTTP 404", "--ollama-url")),
        (as_text("<html>", 405), ("HTTP 405", "--ollama-url")),
        (as_text("<html>", 501), ("HTTP 501", "--ollama-url")),
    ],
)
async def test_a_plain_web_server_is_distinguished_from_a_model_server_by_status_and_by_answers(
    reply: Any, reported: Sequence[str], osascript: FakeOsascript
) -> None:
    assert osascript
    async with FakeOpenAIServer(reply, routes={"/v1/models": reply}) as fake, serving(fake) as asker:
        lines = await status_lines(asker.client)
        code, message = error_of(await asker.ask())

    assert lines["model"].startswith("FIX ")
    for words in reported:
        assert words in lines["model"]
        assert words in message
    assert code == "MODEL_ERROR"


async def test_status_lists_the_hosts_that_the_tools_cannot_use(osascript: FakeOsascript) -> None:
    assert osascript
    sites = {"http://*.bank.example:80": {"deny": True}, "a.example": {}}
    async with client_of(source="applescript", sites=sites) as client:
        assert (await status_lines(client))["sites"] == "ok  no tool may access *.bank.example"
    async with client_of(source="applescript") as client:
        assert "sites" not in await status_lines(client)


async def test_status_reports_where_the_extension_was_connected_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "EXTENSION_WAIT_S", 0.1)
    before, port = free_port(), free_port()

    async def noted() -> bool:
        return pairing.last_port() == before

    async with client_of(source="extension", port=before) as client, paired(client, before):
        await until(noted)  # after the handshake's last message
    async with client_of(source="extension", port=port) as client:
        elsewhere = (await status_lines(client))["extension"]
        code, message = error_of(await call(client, "read_chrome_tab"))
    async with client_of(source="extension", port=before) as client:
        here = (await status_lines(client))["extension"]

    assert elsewhere.endswith(f" It was on port {before} before: use --port {before}, or pair again.")
    assert (code, f"FIX {message}") == ("EXTENSION_NOT_CONNECTED", elsewhere)
    assert "before" not in here


@pytest.mark.posix
async def test_a_key_that_others_can_read_has_the_same_code_everywhere(config_home: Path) -> None:
    pairing.pairing_key()
    (config_home / "key").chmod(0o644)
    async with client_of(source="extension", port=free_port()) as client:
        code, message = error_of(await call(client, "read_chrome_tab"))
        lines = await status_lines(client)

    assert code == "PERMISSION_DENIED"
    assert str(config_home / "key") in message
    assert lines["bridge"] == f"FIX {message}"


# --- The compile check on a Mac ---


class FakeOsacompile:
    """A fake `osacompile` on PATH: it saves the sources, and fails with `refusal` if that is set."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._sources, self._refusal = folder / "sources", folder / "refusal"
        self.refuse("")
        program = folder / "bin" / "osacompile"
        program.parent.mkdir()
        program.write_text(
            f"#!/bin/sh\ncat \"$3\" >'{self._sources}'\ncat '{self._refusal}' >&2\n[ ! -s '{self._refusal}' ]\n",
            encoding="ascii",
        )
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")

    def refuse(self, sentence: str) -> None:
        self._refusal.write_text(sentence, encoding="utf-8")

    @property
    def source(self) -> str:
        return self._sources.read_text(encoding="ascii")


@pytest.fixture
def osacompile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeOsacompile:
    folder = tmp_path / "osacompile"
    folder.mkdir()
    return FakeOsacompile(folder, monkeypatch)


@pytest.mark.parametrize("browser", ["Google Chrome", "Vivaldi"])
async def test_the_script_is_compiled_for_the_selected_browser(browser: str, osacompile: FakeOsacompile) -> None:
    assert await server.compile_problem(browser) is None

    assert f'tell application "{browser}"' in osacompile.source
    assert ("Google Chrome" in osacompile.source) == (browser == "Google Chrome")


async def test_a_mac_without_a_compiler_still_reads(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    assert await server.compile_problem("Google Chrome") is None


@pytest.mark.usefixtures("on_a_mac")
async def test_status_on_a_mac_reports_what_does_not_compile(
    osacompile: FakeOsacompile, osascript: FakeOsascript
) -> None:
    async with client_of(port=free_port()) as client:
        assert (await status_lines(client))["browser"] == "ok  Google Chrome responds, chosen by --browser auto"
        osacompile.refuse("Expected end of line.\n\x1b[31m")
        lines = await status_lines(client)

    assert lines["browser"].startswith("FIX ")
    assert "Expected end of line. [31m" in lines["browser"]
    assert "permission" not in lines
    assert len(osascript.calls()) == 1


@pytest.mark.usefixtures("on_a_mac", "osacompile")
async def test_status_on_a_mac_does_not_require_the_extension(
    osascript: FakeOsascript, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert osascript
    # Nor does it wait for it.
    monkeypatch.setattr(protocol, "EXTENSION_WAIT_S", 600.0)
    async with client_of(port=free_port()) as client:
        lines = await within(status_lines(client))

    assert lines["extension"] == "ok  not connected, and not needed to read by AppleScript"


# --- An answer ---


async def test_an_answer_includes_its_receipt(osascript: FakeOsascript) -> None:
    osascript.shows("prices: 3 EUR", about='{"url": "https://shop.test/", "title": "Shop"}')
    async with FakeOpenAIServer(answer("3 EUR", prompt_tokens=400)) as fake, serving(fake) as asker:
        result = await asker.ask(system_prompt="What does it cost?", start=None)

    assert text_of(result) == "3 EUR"
    receipt = receipt_of(result)
    assert (receipt["url"], receipt["title"], receipt["source"]) == ("https://shop.test/", "Shop", "applescript")
    assert receipt["characters_read"] == receipt["page_characters"] == 13
    assert fake.chats[0].instruction == "What does it cost?"


async def test_we_never_log_page_prompt_or_key(osascript: FakeOsascript, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    osascript.shows("text of the page")
    async with FakeOpenAIServer(answer("text of the answer")) as fake, serving(fake, api_key="the-key") as asker:
        assert text_of(await asker.ask(system_prompt="text of the prompt")) == "text of the answer"

    ours = "\n".join(record.getMessage() for record in caplog.records if record.name == "chrome_tab")
    for secret in ("text of the page", "text of the prompt", "text of the answer", "the-key"):
        assert secret not in ours
    assert fake.chats[0].headers["authorization"] == "Bearer the-key"
