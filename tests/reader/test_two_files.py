"""The server's file and the script alone in a folder: a complete reader for a Mac, which offers only what it can do."""

import asyncio
import os
import shutil
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

import chrome_tab_mcp_server as server
from tests.support.evaluated_osascript import FakeMac
from tests.support.fake_models import FakeOpenAIServer, answer
from tests.support.stdio_server import ROOT, WAIT_S, StdioServer, started

pytestmark = [pytest.mark.e2e, pytest.mark.posix]

PAGE = {"id": "11", "url": "https://shop.test/", "title": "A shop", "text": "Apples cost 1 euro."}
OTHER = {"id": "12", "url": "https://news.test/", "title": "News", "text": "Pears cost 2 euros."}


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The server's file next to the script, and nothing else; Chrome runs with two tabs."""
    mac = FakeMac(tmp_path / "mac", monkeypatch)
    mac.runs({"Google Chrome": {"windows": [{"id": "1", "tabs": [PAGE, OTHER]}]}})
    folder = tmp_path / "two files"
    folder.mkdir()
    for name in ("chrome_tab_mcp_server.py", "chrome_tab.scpt"):
        shutil.copy(ROOT / name, folder)
    return folder / "chrome_tab_mcp_server.py"


@asynccontextmanager
async def serving(program: Path, *flags: str) -> AsyncGenerator[tuple[StdioServer, list[dict[str, Any]]]]:
    """Return the started server, and the tools that it lists."""
    async with started(*flags, program=[str(program)], OLLAMA_MODEL="fake-model") as session:
        await session.initialize()
        listed, _ = await session.request("tools/list")
        yield session, listed["tools"]


async def run(program: Path, *arguments: str, **environment: str) -> tuple[int, str, str]:
    """Run the command line; return the exit status, stdout and stderr."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(program), *arguments),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=os.environ | environment,
    )
    async with asyncio.timeout(WAIT_S):
        out, err = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()


ARGUMENTS: dict[str, dict[str, Any]] = {
    "process_chrome_tab": {"system_prompt": "What do apples cost?"},
    "read_chrome_tab": {"tab_id": 11},
    "chrome_tab_status": {},
    "process_chrome_tabs": {"tab_ids": [11, 12]},
    "browser_get_tabs": {},
}


async def test_every_listed_tool_works(program: Path) -> None:
    async with (
        FakeOpenAIServer(answer("One euro.")) as model,
        serving(program, "--ollama-url", model.url) as (
            session,
            tools,
        ),
    ):
        results = {tool["name"]: await session.call(tool["name"], **ARGUMENTS[tool["name"]]) for tool in tools}

    assert results.keys() == ARGUMENTS.keys()
    assert not [result for result in results.values() if result.get("isError")]
    shown = {name: "\n".join(block["text"] for block in result["content"]) for name, result in results.items()}
    assert "One euro." in shown["process_chrome_tab"]
    assert PAGE["text"] in shown["read_chrome_tab"]
    assert "FIX" not in shown["chrome_tab_status"]
    assert "All together" in shown["process_chrome_tabs"]
    listed = results["browser_get_tabs"]["structuredContent"]["result"]
    assert [(tab["id"], tab["url"]) for tab in listed] == [(11, PAGE["url"]), (12, OTHER["url"])]


async def test_tools_are_the_same_as_in_the_whole_program_but_name_no_extraction(program: Path) -> None:
    async with (
        serving(program, "--ollama-url", "http://127.0.0.1:9") as (_, alone),
        serving(ROOT / program.name, "--ollama-url", "http://127.0.0.1:9", "--source", "applescript") as (_, whole),
    ):
        expected = {tool["name"]: tool for tool in whole}

    for tool in alone:
        ours, theirs = (
            each["inputSchema"]["properties"].pop("output_schema", None) for each in (tool, expected[tool["name"]])
        )
        assert tool == expected[tool["name"]]
        assert ours is None or ("article" in theirs["description"] and "article" not in ours["description"])


async def test_main_content_without_the_extension_is_the_whole_page_with_a_note(program: Path) -> None:
    async with serving(program, "--ollama-url", "http://127.0.0.1:9") as (session, _):
        result = await session.call("read_chrome_tab", content="main")

    page, note = (block["text"] for block in result["content"])
    assert page == PAGE["text"]
    assert "folder extension" in note


async def test_the_terminal_commands_answer_diagnose_and_print_the_version(program: Path) -> None:
    async with FakeOpenAIServer(answer("One euro.")) as model:
        settings = {"OLLAMA_BASE_URL": model.url, "OLLAMA_MODEL": "fake-model"}
        answered, diagnosed, version = (
            await run(program, "--analyze", "What do apples cost?", **settings),
            await run(program, "--doctor", **settings),
            await run(program, "--version"),
        )

    assert answered[:2] == (0, "One euro.\n")
    assert (diagnosed[0], [line.split()[:2] for line in diagnosed[1].splitlines()]) == (
        0,
        [["browser", "ok"], ["permission", "ok"], ["model", "ok"], ["window", "ok"]],
    )
    assert version == (0, f"{server.APP_NAME} {server.__version__}\n", "")


NEED_THE_PACKAGE = [
    ["--pair"],
    ["--pair", "--http"],
    ["--setup"],
    ["--setup", "remove"],
    ["--serve"],
    ["--extension-path"],
    ["--history"],
    ["--history", "list"],
    ["--transport", "http"],
    ["--transport=sse"],
    ["--source", "extension"],
    ["--tool-names", "kapture"],
]


@pytest.mark.parametrize("flags", NEED_THE_PACKAGE, ids=" ".join)
async def test_features_that_need_the_package_say_so_in_one_sentence(flags: Sequence[str], program: Path) -> None:
    status, out, err = await run(program, *flags)

    assert (status, out) == (2, "")
    (sentence,) = err.splitlines()
    assert sentence.startswith(flags[0].partition("=")[0])
    assert sentence.count(".") == 1


async def test_an_environment_setting_that_needs_the_package_says_so_too(program: Path) -> None:
    status, out, err = await run(program, CHROME_TAB_TRANSPORT="http")

    assert (status, out) == (2, "")
    assert err.startswith("--transport http needs")


async def test_help_lists_no_flag_that_needs_the_package(program: Path) -> None:
    whole, alone = await run(ROOT / program.name, "--help"), await run(program, "--help")

    flags = [flags[0].partition("=")[0] for flags in NEED_THE_PACKAGE]
    assert all(flag in whole[1] for flag in flags)
    assert not [flag for flag in flags if flag in alone[1]]
    assert "--doctor" in alone[1]


def test_the_file_imports_none_of_our_modules_before_it_is_started() -> None:
    source = (ROOT / "chrome_tab_mcp_server.py").read_text(encoding="utf-8")

    body, guard = source.split('if __name__ == "__main__":\n    sys.modules')
    assert "chrome_tab.app" in guard
    assert not [line for line in body.splitlines() if line.strip().startswith(("import chrome_tab", "from chrome_tab"))]
    assert "import_module" not in body
