"""The history: what is recorded of an analysis and what never is, and what the terminal shows of it."""

import asyncio
import json
import re
import stat
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import platformdirs
import pytest
from fastmcp import Client
from mcp import MCPError

import chrome_tab_mcp_server as server
from chrome_tab import app
from chrome_tab import history as chrome_tab_history
from chrome_tab.bridge import pairing
from chrome_tab.history import History
from tests.conftest import Run
from tests.support.fake_extension import FakeExtension, connected, free_port, wait_for_port
from tests.support.fake_models import FakeOpenAIServer, answer
from tests.support.fake_osascript import FakeOsascript
from tests.support.tool_client import receipt_of, text_of

PAGES: dict[int | None, dict[str, Any]] = {
    1: {"url": "https://open.test/", "title": "Open", "text": "One.", "incognito": False},
    2: {"url": "https://secret.test/", "title": "Secret", "text": "Two.", "incognito": True},
    # An older extension did not report it.
    3: {"url": "https://old.test/", "title": "Old", "text": "Three."},
    4: {"url": "https://denied.test/", "title": "Denied", "text": "Four.", "incognito": False},
}


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> History:
    """The history in a data directory of this test."""

    def data_folder(_name: str) -> str:
        return str(tmp_path / "data")

    monkeypatch.setattr(platformdirs, "user_data_dir", data_folder)
    return History()


async def answer_reads(extension: FakeExtension) -> None:
    while True:
        command = await extension.receive()
        if command["type"] == "command":
            await extension.reply(command, PAGES[command["tab_id"]] | {"tab_id": command["tab_id"]})


@asynccontextmanager
async def serving(**flags: Any) -> AsyncGenerator[Client[Any]]:
    """A client whose server records a history, unless the flags turn it off."""
    port = free_port()
    sites = {"denied.test": {"deny": True}}
    async with FakeOpenAIServer(answer("An answer.", prompt_tokens=40)) as fake:
        model = {"ollama_url": fake.url, "model": "fake-model", "context_length": 8192, "source": "extension"}
        settings = server.load_settings(
            model | {"port": port, "history": True, "sites": sites} | flags, need_model=True
        )
        async with Client(app.create_server(settings)) as client:
            listing = asyncio.create_task(client.list_tools())
            await wait_for_port(port)
            async with connected(port, pairing.pairing_key()) as extension:
                await listing
                answering = asyncio.create_task(answer_reads(extension))
                try:
                    yield client
                finally:
                    answering.cancel()


async def test_questions_and_answers_are_recorded_where_only_the_user_can_read_them(kept: History) -> None:
    async with serving() as client:
        first = await client.call_tool("process_chrome_tab", {"tab_id": 1, "system_prompt": "How many?"})
        again = await client.call_tool("process_chrome_tab", {"tab_id": 1, "system_prompt": "How many?"})

    (analysis,) = kept.newest()
    assert (analysis.url, analysis.title) == ("https://open.test/", "Open")
    assert (analysis.question, analysis.answer) == ("How many?", "An answer.")
    assert json.loads(analysis.receipt)["characters_read"] == 4
    assert receipt_of(first)["history"] == f"analysis://{analysis.id}"
    assert "history" not in receipt_of(again)
    assert stat.S_IMODE(kept.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.path.parent.stat().st_mode) == 0o700
    # Restored from a backup, for example.
    kept.path.chmod(0o644)
    assert kept.newest() == [analysis]
    assert stat.S_IMODE(kept.path.stat().st_mode) == 0o600


async def test_incognito_tabs_and_tabs_of_unknown_mode_are_never_recorded_alone_or_together(kept: History) -> None:
    async with serving() as client:
        for tab_id in (2, 3):
            asked = await client.call_tool("process_chrome_tab", {"tab_id": tab_id})
            assert text_of(asked) == "An answer."
        # They are not in memory either, where others are.
        for tab_id, is_cached in ((1, True), (2, False)):
            for _ in range(2):
                asked = await client.call_tool("process_chrome_tab", {"tab_id": tab_id})
            assert ("cached" in receipt_of(asked)) is is_cached
        refused = await client.call_tool("process_chrome_tab", {"tab_id": 4}, raise_on_error=False)
        assert refused.is_error
        await client.call_tool("process_chrome_tabs", {"tab_ids": [1, 2]})
        assert [analysis.title for analysis in kept.newest()] == ["Open"]
        PAGES[5] = PAGES[1] | {"url": "https://other.test/", "title": "Other"}
        await client.call_tool("process_chrome_tabs", {"tab_ids": [1, 5]})

    assert [analysis.title for analysis in kept.newest()] == ["2 tabs", "Other", "Open"]


async def test_without_the_setting_nothing_is_recorded(kept: History) -> None:
    async with serving(history=False) as client:
        await client.call_tool("process_chrome_tab", {"tab_id": 1})

    assert not has_been_made(kept.path.parent)


def has_been_made(path: Path) -> bool:
    return path.exists()


async def test_a_history_that_cannot_be_written_does_not_lose_the_answer(
    kept: History, caplog: pytest.LogCaptureFixture
) -> None:
    kept.path.mkdir(parents=True)
    async with serving() as client:
        result = await client.call_tool("process_chrome_tab", {"tab_id": 1})

    assert text_of(result) == "An answer."
    (record,) = [each for each in caplog.records if str(kept.path) in each.getMessage()]
    assert record.levelname == "ERROR"
    assert "An answer" not in caplog.text


async def test_text_read_by_applescript_is_recorded_only_for_a_window_known_to_be_normal(
    kept: History, osascript: FakeOsascript
) -> None:
    kept_of = []
    async with FakeOpenAIServer() as fake:
        flags = {"ollama_url": fake.url, "model": "fake-model", "source": "applescript", "history": True}
        async with Client(app.create_server(server.load_settings(flags, need_model=True))) as client:
            for mode in ("", "incognito ", "other ", "normal "):
                osascript.shows(f"the page {mode}", mode=mode)
                assert text_of(await client.call_tool("process_chrome_tab", {})) == "An answer."
                kept_of.append(len(kept.newest()))

    assert kept_of == [0, 0, 0, 1]


def test_the_oldest_entries_are_deleted_when_there_are_too_many(kept: History, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chrome_tab_history, "MAX_BYTES", 3_000)
    for number in range(10):
        kept.keep(f"Question {number}", "\u00e9" * 400, {"url": "u", "title": "t"})

    assert [analysis.question for analysis in kept.newest()] == ["Question 9", "Question 8", "Question 7"]
    assert "\u00e9".encode() * 400 * 2 not in kept.path.read_bytes().replace(b"Question", b"")


async def test_a_history_that_is_not_a_database_is_a_sentence_and_a_missing_one_is_empty(
    kept: History, run: Run
) -> None:
    assert run("--history", "clear") == (0, f"{chrome_tab_history.EMPTY}\n", "")
    kept.path.parent.mkdir(parents=True)
    kept.path.write_text("no database")

    for words in (["list"], ["show", "1"], ["clear"]):
        status, out, err = run("--history", *words)
        assert (status, out) == (1, "")
        assert re.fullmatch(r"The history in .+ cannot be used \(.+\)\. Fix or remove the file\.\n", err)
    async with serving() as client:
        with pytest.raises(MCPError, match="Fix or remove the file"):
            await client.read_resource("analysis://1")


def test_the_terminal_shows_the_evidence_for_json_line_by_line(kept: History, run: Run) -> None:
    supported = {"path": "$.price", "passage": "K2\t€3", "offset": 1234, "link": "https://x.test/#:~:text=K2"}
    evidence = [supported, {"path": "$.stock", "passage": None}]
    kept.keep("Prices", '{"price": 3}', {"url": "https://x.test/", "title": "A shop", "evidence": evidence})

    lines = run("--history", "show", "1")[1].splitlines()

    assert '$.price: "K2 €3" (character 1,234, https://x.test/#:~:text=K2)' in lines
    assert "$.stock: no support found" in lines
    assert not any("'passage'" in line for line in lines)


def test_the_terminal_lists_shows_searches_and_clears(kept: History, run: Run) -> None:
    asked = {
        "A shop in ÖSTERREICH": "Question 1",
        "100% wool\x1b[31m": "Question 2\nin lines",
        "100 wools": server.DEFAULT_SYSTEM_PROMPT,
    }
    for title, question in asked.items():
        kept.keep(question, "It costs 3 EUR.", {"url": "https://x.test/", "title": title})

    status, listed, _ = run("--history", "list")
    assert status == 0
    assert [line.split()[0] for line in listed.splitlines()] == ["3", "2", "1"]
    assert "Question 2 in lines  (100% wool [31m)" in listed
    assert server.DEFAULT_SYSTEM_PROMPT[:40] not in listed
    assert "\x1b" not in listed
    assert "Question 2\nin lines" in run("--history", "show", "2")[1]
    assert "It costs 3 EUR." in run("--history", "show", "2")[1]
    assert [line.split()[0] for line in run("--history", "search", "100%", "WOOL")[1].splitlines()] == ["2"]
    assert [line.split()[0] for line in run("--history", "search", "österreich")[1].splitlines()] == ["1"]
    assert run("--history", "search", "nowhere")[1] == "No entry contains this text.\n"

    assert run("--history", "clear")[1] == "Deleted 3 entries.\n"
    assert b"EUR" not in kept.path.read_bytes()
    assert run("--history", "list")[1] == f"{chrome_tab_history.EMPTY}\n"


@pytest.mark.parametrize(
    ("words", "reported"),
    [
        (["find"], "Use --history list,"),
        (["search"], "Use --history list,"),
        (["show", "1"], "The history has no entry with this id."),
        (["show", "9" * 40], "The history has no entry with this id."),
        (["show", "x"], "The history has no entry with this id."),
    ],
)
def test_unknown_arguments_are_a_sentence(words: list[str], reported: str, run: Run) -> None:
    status, out, err = run("--history", *words)

    assert (status, out) == (2, "")
    assert err.startswith(reported)


def test_the_flag_alone_enables_the_setting_and_its_opposite_disables_it(monkeypatch: pytest.MonkeyPatch) -> None:
    parser = server.argument_parser(app.PROGRAM)

    def wanted(*arguments: str) -> bool:
        return server.load_settings(vars(parser.parse_args(arguments)), need_model=False).history

    assert not wanted()
    assert wanted("--history")
    assert wanted("--history", "--model", "m")
    monkeypatch.setenv("CHROME_TAB_HISTORY", "1")
    assert wanted()
    assert not wanted("--no-history")
