"""`chrome_tab.scpt` without a page: its contents, what it rejects, how the browser's errors come through."""

import re

import pytest

from scripts.embed_page_function import MAIN_CONTENT, SCRIPT, SOURCE, embedded, main
from tests.support.applescript_evaluator import FakeChrome, Finished, ScriptError, Surroundings, osascript
from tests.support.page_text import SCRIPT_TEXT, failure


def run(chrome: FakeChrome, *command_line: str) -> Finished:
    return osascript(SCRIPT_TEXT, list(command_line), Surroundings(chrome))


# --- The file ---


def test_script_is_ascii_with_lf_line_ends_and_declares_that_it_is_source_text() -> None:
    content = SCRIPT.read_bytes()

    assert content.isascii()
    assert b"\r" not in content
    assert content.endswith(b"\n")
    assert content.startswith(b"-- chrome_tab.scpt: AppleScript source text")


def test_script_contains_the_page_function_of_the_extension() -> None:
    assert embedded(SCRIPT_TEXT, SOURCE.read_text(encoding="ascii")) == SCRIPT_TEXT
    assert main(["--check"]) == 0


def test_script_starts_with_its_handlers_and_stays_small() -> None:
    lines = SCRIPT_TEXT.splitlines()

    assert lines.index("on run argv") < 40
    assert len(lines) <= 1_200


def test_changed_page_function_is_detected_as_not_embedded() -> None:
    changed = SOURCE.read_text(encoding="ascii").replace("30 * 1024", "31 * 1024")

    assert embedded(SCRIPT_TEXT, changed) != SCRIPT_TEXT


def test_script_has_the_documented_handlers_with_their_parameters() -> None:
    handlers = re.findall(r"^on (\w+)(.*)$", SCRIPT_TEXT, re.MULTILINE)

    assert handlers == [
        ("run", " argv"),
        ("listTabs", "()"),
        ("getChromeTextContent", "(pageSteps)"),
        ("mainContentScripts", "()"),
        ("valueInTab", "(pageProgram, windowId, tabId)"),
        ("takePdf", "(windowId, tabId)"),
        ("deduplicateLines", "(pageSteps)"),
        ("filterContentBetweenKeywords", "(pageSteps, startKeyword, endKeyword)"),
        ("filterFromStart", "(pageSteps, endKeyword)"),
        ("filterToEnd", "(pageSteps, startKeyword)"),
        ("trimWhitespace", "(pageSteps)"),
        ("javaScriptText", "(keyword)"),
    ]


def test_script_runs_three_constant_commands_and_javascript_in_one_place() -> None:
    script = re.sub(r"--.*", "", SCRIPT_TEXT)

    commands = re.findall(r'do shell script ("(?:[^"\\]|\\.)*") without altering line endings\n', script)
    assert len(commands) == script.count("do shell script") == 3
    assert f"cat {' '.join(MAIN_CONTENT)} ||" in commands[0]
    assert "run script" not in script
    assert script.count("execute ") == 1
    assert script.count("tell application") == 3


def test_replacing_its_name_is_all_that_another_browser_needs() -> None:
    script = SCRIPT_TEXT.replace('"Google Chrome"', '"Brave Browser"')

    finished = osascript(script, ["--no-filter"], Surroundings(FakeChrome(name="Brave Browser", windows=0)))

    assert "(-1719)" in finished.stderr
    assert "Google Chrome" not in script


# --- Command line ---


@pytest.mark.parametrize(
    "command_line",
    [
        (),
        ("start",),
        ("--to-end",),
        ("--from-start",),
        ("a", "b", "c"),
        ("--no-filter", "--no-filter", "a"),
        ("", "end"),
        ("start", ""),
        ("", "--to-end"),
        ("--from-start", ""),
        ("--no-filter", "end"),
        ("--to-end", "end"),
        ("start", "--from-start"),
        ("--from-start", "--to-end"),
        ("--to-end", "--to-end"),
    ],
)
def test_invalid_arguments_are_rejected_before_the_browser_is_asked(command_line: tuple[str, ...]) -> None:
    chrome = FakeChrome()

    finished = run(chrome, *command_line)

    assert (finished.status, finished.stdout) == (1, "")
    assert finished.stderr.endswith("(9004)\n")
    assert chrome.programs == []


# --- Failures of the browser ---


def test_browser_that_is_not_running_is_not_started() -> None:
    chrome = FakeChrome(running=False)

    finished = run(chrome, "--no-filter")

    assert finished == Finished(
        1, "", failure("The browser is not running. Open the page in it, then ask again.", -600)
    )
    assert not chrome.launched


def test_missing_window_keeps_the_browsers_error_number() -> None:
    finished = run(FakeChrome(windows=0), "--no-filter")

    assert (finished.status, finished.stdout) == (1, "")
    assert finished.stderr.endswith("(-1719)\n")


@pytest.mark.parametrize("number", [12, -1743, -1728, -1712, -609, -600])
def test_browser_error_keeps_its_text_and_number(number: int) -> None:
    finished = run(FakeChrome(error=ScriptError("L\u2019\u00e9v\u00e9nement a \u00e9chou\u00e9.", number)), "a", "b")

    assert finished == Finished(1, "", failure("L\u2019\u00e9v\u00e9nement a \u00e9chou\u00e9.", number))


def test_tab_that_returns_no_value_is_unreadable() -> None:
    finished = run(FakeChrome(world=None), "--no-filter")

    assert finished == Finished(1, "", failure("The tab did not respond. Reload the page, then ask again.", 9003))
