"""Proof that the checks of `chrome_tab.scpt` can fail: each broken script is detected.

A mutant is detected when the evaluator rejects it, or when it behaves differently from the script in one of the
readings.
"""

import functools
import json
import re
from collections.abc import Generator, Iterator
from itertools import combinations
from pathlib import Path

import pytest
from playwright.sync_api import Page

from scripts.embed_page_function import BEGIN, EXTENSION
from tests.support import applescript_evaluator
from tests.support.applescript_evaluator import (
    FakeChrome,
    FakeTab,
    FakeWindow,
    Finished,
    ScriptError,
    ScriptSyntaxError,
    Surroundings,
    World,
    osascript,
)
from tests.support.browser import IsolatedWorld, launch_chromium, show
from tests.support.page_text import SCRIPT_TEXT, pretend_text

pytestmark = pytest.mark.e2e

WRITTEN, LITERAL = SCRIPT_TEXT.split(BEGIN)
HEAD, ON_RUN, HANDLERS = WRITTEN.partition("on run argv")
TAIL = ON_RUN + HANDLERS

REMOVED = [r" then\b", r" number \w+", r"\bnot ", '"', r"[()]", r" & \w+(\(\w+\))?", r" as \w+", r"'\w+', "]


@pytest.fixture(scope="module")
def pages() -> Generator[tuple[Page, Page]]:
    with launch_chromium() as browser:
        yield browser.new_page(), browser.new_page()


# --- Mutants: what was broken, and the broken text ---


def without_each_line(text: str) -> Iterator[tuple[str, str]]:
    lines = text.splitlines(keepends=True)
    for index, line in enumerate(lines):
        if line.strip() and not line.startswith("--"):
            yield f"without line {index + 1}: {line.strip()}", "".join(lines[:index] + lines[index + 1 :])


def without_each(pattern: str, text: str) -> Iterator[tuple[str, str]]:
    for match in re.finditer(pattern, text):
        line = text.count("\n", 0, match.start()) + 1
        yield (
            f"without {match.group()!r} at {match.start()} in line {line}",
            text[: match.start()] + text[match.end() :],
        )


def with_swapped_handlers(text: str) -> Iterator[tuple[str, str]]:
    names = [name for name in re.findall(r"^on (\w+)", text, re.MULTILINE) if name != "run"]
    for one, other in combinations(names, 2):
        swap = {one: other, other: one}

        def swapped(match: re.Match[str], swap: dict[str, str] = swap) -> str:
            return match[1] + swap.get(match[2], match[2])

        yield f"{one} and {other} swapped", re.sub(r"^(on |end )(\w+)", swapped, text, flags=re.MULTILINE)


def with_other_numbers(text: str) -> Iterator[tuple[str, str]]:
    for match in re.finditer(r"\d+(?=\n)", text):
        yield f"{match.group()} one higher", f"{text[: match.start()]}{int(match[0]) + 1}{text[match.end() :]}"


def script_mutants() -> Iterator[tuple[str, str]]:
    for what, head in (*without_each_line(HEAD), *with_other_numbers(HEAD)):
        yield f"head, {what}", f"{head}{TAIL}{BEGIN}{LITERAL}"
    code = re.sub(r"^[\t ]*--.*\n", "", TAIL, flags=re.MULTILINE)
    changes = [without_each_line(code), with_swapped_handlers(code)]
    changes += [without_each(pattern, code) for pattern in REMOVED]
    for what, tail in (mutant for change in changes for mutant in change):
        yield what, f"{HEAD}{tail}{BEGIN}{LITERAL}"


# --- What a script does ---


class AskedOnce:
    """A page that runs each program once: most mutants send the page the same programs as the script."""

    def __init__(self, world: IsolatedWorld) -> None:
        self.evaluate = functools.cache(world.evaluate)


class AsJson:
    """A fake page whose browser returns a text instead of a list."""

    def evaluate(self, program: str) -> str:
        return f"[{len(program)}]"


class PdfOnTheWay:
    """A fake tab with a PDF: it gives these replies one after the other, then repeats the last one."""

    def __init__(self, *replies: object) -> None:
        self._replies = list(replies)
        self.asked: list[str] = []

    def evaluate(self, program: str) -> object:
        # Of the page function's own text, only that it is there.
        self.asked.append(program[-300:])
        return self._replies.pop(0) if self._replies[1:] else self._replies[0]


def pdf_readings(script: str, extension: str) -> Iterator[object]:
    page = ["", "", "text", "{}"]
    # A text as Chrome returns it, and as Arc does.
    for quote in (str, json.dumps):
        on_the_way = [quote(state) for state in ("pdf", "reading", "reading", "maps", "reading", "read")]
        for replies in ([*on_the_way, page], [*on_the_way[:2], None, page], on_the_way[:2]):
            for folder in (extension, ""):
                tab, delays = PdfOnTheWay(*replies), list[float]()
                around = Surroundings(FakeChrome(tab), {"CHROME_TAB_EXTENSION": folder}, delay=delays.append)
                yield osascript(script, ["--no-filter"], around), tab.asked, delays


def behaviour(script: str, world: World, unreadable: World, extension: str) -> Iterator[object]:
    """Return everything observable of a script in readings that reach each of its lines."""

    def reading(chrome: FakeChrome, *command_line: str, **environment: str) -> tuple[Finished, object]:
        around = Surroundings(chrome, environment)
        finished = osascript(script, list(command_line), around)
        return finished, (
            around.clipboard,
            around.delimiters,
            chrome.launched,
            [len(program) for program in chrome.programs],
        )

    yield reading(FakeChrome(running=False), "--no-filter")
    yield reading(FakeChrome(windows=0), "--no-filter")
    yield reading(FakeChrome(error=ScriptError("no", -1712)), "--no-filter")
    yield reading(FakeChrome(world=None), "--no-filter")
    for command_line in (
        [],
        ["start"],
        ["start", ""],
        ["start", "--from-start"],
        ["--no-filter", "start"],
        ["", "end"],
    ):
        yield reading(FakeChrome(world), *command_line)
    for command_line in (
        ["--no-filter"],
        ["start", "end"],
        ["start", "--to-end"],
        ["--from-start", "end"],
        ["nowhere", "end"],
        ["end", "--to-end"],
    ):
        yield reading(FakeChrome(world), *command_line)
    yield reading(FakeChrome(world), "--no-filter", CHROME_TAB_CLIPBOARD="1")
    for folder in (str(EXTENSION), "/nowhere"):
        content = {"CHROME_TAB_CONTENT": "main", "CHROME_TAB_EXTENSION": folder}
        yield reading(FakeChrome(world), "te", "--to-end", **content)
    yield reading(FakeChrome(world), "selected", "--to-end", CHROME_TAB_CONTENT="selection")
    yield reading(FakeChrome(unreadable), "--no-filter")
    first = FakeTab("11", "http://a/", "a", world)
    opened = [
        FakeWindow("1", [first]),
        FakeWindow("2", [first, FakeTab(22, "http://b/", "b", world)], 2, "incognito"),
    ]
    yield reading(FakeChrome(opened=opened[::-1]), "te", "--to-end")
    yield osascript(script, ["--list-tabs"], Surroundings(FakeChrome(opened=opened)), as_source=True)
    for wanted, index in (("22", "2"), ("22", "1"), ("11", "1")):
        place = {"CHROME_TAB_ID": wanted, "CHROME_TAB_WINDOW": "2", "CHROME_TAB_INDEX": index}
        yield reading(FakeChrome(opened=opened), "--no-filter", **place)
    yield reading(FakeChrome(AsJson()), "--no-filter")
    yield from pdf_readings(script, extension)


def is_noticed(script: str, expected: list[object], worlds: tuple[World, World, str]) -> bool:
    try:
        return any(seen != wanted for seen, wanted in zip(behaviour(script, *worlds), expected, strict=True))
    except ScriptSyntaxError:
        return True


@pytest.fixture
def each_command_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most mutants run the same shell commands as the script; none of them changes anything."""
    printed: dict[tuple[str, frozenset[tuple[str, str]]], str] = {}

    def printed_by(command: str, environment: dict[str, str]) -> str:
        key = command, frozenset(environment.items())
        if key not in printed:
            printed[key] = run(command, environment)
        return printed[key]

    run = applescript_evaluator.printed_by
    monkeypatch.setattr(applescript_evaluator, "printed_by", printed_by)


@pytest.mark.usefixtures("each_command_once")
def test_every_broken_script_is_detected(pages: tuple[Page, Page], tmp_path: Path) -> None:
    show(pages[0], "<title>Title \u00e9</title><p>text</p><textarea autofocus>selected part</textarea>")
    pages[0].evaluate("document.querySelector('textarea').select()")
    pages[1].goto("about:blank")
    world = IsolatedWorld(pages[0])
    pretend_text(world, "  zero\nstart\n one\n ONE\ntwo\nend")
    for name in ("vendor/pdfjs.js", "page/pdf/pdf-text.js", "vendor/cmaps/a.bcmap"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"/* {name} */", encoding="ascii")
    worlds = AskedOnce(world), AskedOnce(IsolatedWorld(pages[1])), str(tmp_path)
    expected = list(behaviour(SCRIPT_TEXT, *worlds))
    mutants = dict(script_mutants())

    survivors = [what for what, script in mutants.items() if not is_noticed(script, expected, worlds)]

    assert len(mutants) > 200
    assert not is_noticed(SCRIPT_TEXT, expected, worlds)
    assert survivors == []
