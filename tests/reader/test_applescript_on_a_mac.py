"""What only a Mac can confirm: AppleScript itself accepts `chrome_tab.scpt`, and its handlers return what the evaluator
predicts.

Google Chrome must be installed: compiling needs its dictionary.
"""

import base64
import importlib
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import chrome_tab_mcp_server as server
from scripts.embed_page_function import EXTENSION, SCRIPT
from tests.support.applescript_evaluator import FakeChrome, Surroundings, osascript
from tests.support.page_text import SCRIPT_TEXT

pytestmark = [
    pytest.mark.macos,
    pytest.mark.skipif(sys.platform != "darwin", reason="AppleScript exists only on macOS"),
]


@pytest.fixture(scope="module")
def script() -> Any:
    """The script, compiled by py-applescript; `call(handler, ...)` runs one handler."""
    return importlib.import_module("applescript").AppleScript(SCRIPT_TEXT)


def run(*command: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | variables
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=environment)


def is_chrome_running() -> bool:
    return run("osascript", "-e", 'application "Google Chrome" is running').stdout == "true\n"


def test_only_the_unbroken_script_compiles(tmp_path: Path) -> None:
    broken = tmp_path / "broken.scpt"
    broken.write_text(SCRIPT_TEXT.replace(" then\n", "\n"), encoding="ascii")

    assert run("osacompile", "-o", tmp_path / "compiled.scpt", SCRIPT).returncode == 0
    assert run("osacompile", "-o", tmp_path / "compiled.scpt", broken).returncode != 0


def test_script_compiles_with_safaris_terms_and_not_with_chromes(tmp_path: Path) -> None:
    only_named = tmp_path / "named.scpt"
    only_named.write_text(SCRIPT_TEXT.replace('"Google Chrome"', '"Safari"'), encoding="ascii")

    with server.script_for("Safari") as script:
        assert run("osacompile", "-o", tmp_path / "compiled.scpt", script).returncode == 0
    assert run("osacompile", "-o", tmp_path / "compiled.scpt", only_named).returncode != 0


@pytest.mark.parametrize(
    ("handler", "keywords", "step"),
    [
        ("deduplicateLines", (), "['deduplicateLines'], "),
        ("trimWhitespace", (), "['trimWhitespace'], "),
        ("filterToEnd", ("ab",), "['filterToEnd', String.fromCodePoint(97, 98)], "),
        ("filterFromStart", ("z",), "['filterFromStart', String.fromCodePoint(122)], "),
        (
            "filterContentBetweenKeywords",
            ("\u00e9'\"\\", "\U0001f600\u05d0\n"),
            "['filterContentBetweenKeywords', String.fromCodePoint(233, 39, 34, 92),"
            " String.fromCodePoint(128512, 1488, 10)], ",
        ),
    ],
)
def test_handler_adds_its_step(script: Any, handler: str, keywords: tuple[str, ...], step: str) -> None:
    assert script.call(handler, "before, ", *keywords) == f"before, {step}"


@pytest.mark.parametrize("keyword", ["", "--", "--to-end"])
def test_handler_rejects_an_empty_keyword_and_an_option(script: Any, keyword: str) -> None:
    error_class = importlib.import_module("applescript").ScriptError

    with pytest.raises(error_class) as refused:
        script.call("filterToEnd", "", keyword)

    assert refused.value.number == 9004


@pytest.mark.parametrize("command_line", [[], ["a"], ["a", "b", "c"], ["", "--to-end"], ["--from-start", "--to-end"]])
def test_invalid_arguments_end_as_the_evaluator_predicts(command_line: list[str]) -> None:
    expected = osascript(SCRIPT_TEXT, command_line, Surroundings(FakeChrome()))

    real = run("osascript", SCRIPT, *command_line)

    assert (real.returncode, real.stdout) == (expected.status, expected.stdout)
    # osascript puts the file and the position of the error before the same words.
    assert re.sub(r"^.*execution error", "chrome_tab.scpt: execution error", real.stderr) == expected.stderr


def test_shell_returns_the_extensions_files_unchanged_from_a_folder_of_any_name(tmp_path: Path) -> None:
    folder = tmp_path / "caf\u00e9 \"$(touch ran)'"
    folder.symlink_to(EXTENSION)
    scripts, maps = re.findall(r"do shell script .* without altering line endings", SCRIPT_TEXT)

    printed = run("osascript", "-e", scripts, CHROME_TAB_EXTENSION=str(folder)).stdout
    listed = run("osascript", "-e", maps, CHROME_TAB_EXTENSION=str(folder)).stdout

    files = [(EXTENSION / path).read_text(encoding="ascii") for path in ("vendor/pdfjs.js", "page/pdf/pdf-text.js")]
    assert printed == "".join(files) + "\n"
    sizes = re.findall(r"(\d+) (\S+\.bcmap)$", listed, re.MULTILINE)
    content = base64.b64decode(listed.partition("\n\n")[2])
    assert len(content) == sum(int(size) for size, _ in sizes) > 1_000_000


def test_chrome_that_is_not_running_is_not_started() -> None:
    if is_chrome_running():
        pytest.skip("Google Chrome is running: quit it to test this")

    finished = run("osascript", SCRIPT, "--no-filter")

    assert (finished.returncode, finished.stdout) == (1, "")
    assert finished.stderr.endswith("(-600)\n")
    assert not is_chrome_running()
