"""The server's file and the script alone in a folder: a complete reader for a Mac, which offers only what it can do."""

import asyncio
import json
import shutil
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

import chrome_tab_mcp_server as server
from tests.conftest import Run
from tests.support.evaluated_osascript import FakeMac
from tests.support.fake_models import FakeOpenAIServer, answer
from tests.support.stdio_server import ROOT, WAIT_S, StdioServer, started
from tests.support.tool_client import serving as in_memory

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


ARGUMENTS: dict[str, dict[str, Any]] = {
    "process_chrome_tab": {"system_prompt": "What do apples cost?"},
    "read_chrome_tab": {"tab_id": 11},
    "chrome_tab_status": {},
    "process_chrome_tabs": {"tab_ids": [11, 12]},
    "browser_get_tabs": {},
}


async def test_every_listed_tool_works_and_is_described_as_in_the_whole_program(program: Path) -> None:
    async with (
        FakeOpenAIServer(answer("One euro.")) as model,
        serving(program, "--ollama-url", model.url) as (session, tools),
        in_memory(model) as asker,
    ):
        whole = await asker.client.list_tools()
        results = {tool["name"]: await session.call(tool["name"], **ARGUMENTS[tool["name"]]) for tool in tools}
        main_content = await session.call("read_chrome_tab", content="main")
        extraction = await session.call("process_chrome_tab", output_schema="article")

    assert results.keys() == ARGUMENTS.keys()
    assert not [result for result in results.values() if result.get("isError")]
    shown = {name: "\n".join(block["text"] for block in result["content"]) for name, result in results.items()}
    assert "One euro." in shown["process_chrome_tab"]
    assert PAGE["text"] in shown["read_chrome_tab"]
    assert "FIX" not in shown["chrome_tab_status"]
    assert "All together" in shown["process_chrome_tabs"]
    listed = results["browser_get_tabs"]["structuredContent"]["result"]
    assert [(tab["id"], tab["url"]) for tab in listed] == [(11, PAGE["url"]), (12, OTHER["url"])]

    page, note = (block["text"] for block in main_content["content"])
    assert page == PAGE["text"]
    assert "folder extension" in note
    assert "'article'. Use a JSON Schema." in extraction["structuredContent"]["error"]["message"]

    expected = {tool.name: tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in whole}
    for tool in tools:
        ours, theirs = (
            each["inputSchema"]["properties"].pop("output_schema", None) for each in (tool, expected[tool["name"]])
        )
        assert tool == expected[tool["name"]]
        # The file alone names no extraction.
        assert ours is None or ("article" in theirs["description"] and "article" not in ours["description"])


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
    ["--port", "61900"],
    ["--open"],
    ["--upload-folder=/tmp"],
    ["--vision-model", "gemma3"],
]


# Importing the file takes longer than all of the command lines.
SEVERAL = """
import contextlib, io, json, os, sys
import chrome_tab_mcp_server as server

def outcome(arguments, environment):
    os.environ |= environment
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = server.main(arguments)
        except SystemExit as left:
            status = left.code
    return status, out.getvalue(), err.getvalue()

print(json.dumps([outcome(*each) for each in json.loads(sys.argv[1])]))
"""


async def run_alone(program: Path, *runs: tuple[list[str], dict[str, str]]) -> Any:
    """Run these command lines, each with more of the environment; return the exit status, stdout and stderr of each."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", SEVERAL, json.dumps(runs)), cwd=program.parent, stdout=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(WAIT_S):
        return json.loads((await process.communicate())[0])


async def test_commands_of_the_terminal_work_and_what_needs_the_package_is_rejected_in_one_sentence(
    program: Path, run: Run
) -> None:
    need = [*((flags, {}) for flags in NEED_THE_PACKAGE), ([], {"CHROME_TAB_TRANSPORT": "http"})]
    async with FakeOpenAIServer(answer("One euro.")) as model:
        (_, listed, _), version, answered, diagnosed, *rejected = await run_alone(
            program,
            (["--help"], {}),
            (["--version"], {}),
            (["--analyze", "What do apples cost?"], {"OLLAMA_BASE_URL": model.url, "OLLAMA_MODEL": "fake-model"}),
            (["--doctor"], {}),
            *need,
        )

    assert answered[:2] == [0, "One euro.\n"]
    assert (diagnosed[0], [line.split()[:2] for line in diagnosed[1].splitlines()]) == (
        0,
        [["browser", "ok"], ["permission", "ok"], ["model", "ok"], ["window", "ok"]],
    )
    assert version == [0, f"{server.APP_NAME} {server.__version__}\n", ""]
    assert [(status, out) for status, out, _ in rejected] == [(2, "")] * len(rejected)
    *sentences, of_a_setting = [err for _, _, err in rejected]
    whole = run("--help")[1]
    for (flag, *_), sentence in zip(NEED_THE_PACKAGE, sentences, strict=True):
        name = flag.partition("=")[0]
        assert sentence.startswith(name)
        assert sentence.count(".") == sentence.count("\n") == 1
        assert name in whole
        assert name not in listed
    assert "--doctor" in listed
    assert of_a_setting.startswith("--transport http needs")


def test_the_file_imports_none_of_our_modules_before_it_is_started() -> None:
    source = (ROOT / "chrome_tab_mcp_server.py").read_text(encoding="utf-8")

    body, guard = source.split('if __name__ == "__main__":\n    sys.modules')
    assert "chrome_tab.app" in guard
    assert not [line for line in body.splitlines() if line.strip().startswith(("import chrome_tab", "from chrome_tab"))]
    assert "import_module" not in body
