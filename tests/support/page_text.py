"""The expected results of reading a page: the golden cases, and an independent model of the page function."""

import json
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.embed_page_function import SCRIPT, SOURCE, page_function
from tests.support.browser import IsolatedWorld

GOLDEN = Path(__file__).parent.parent / "golden" / "page_text.json"
SCRIPT_TEXT = SCRIPT.read_text(encoding="ascii")
PAGE_FUNCTION = page_function(SOURCE.read_text(encoding="ascii"))
# The script's error numbers for the page function's codes.
NUMBERS = {"EMPTY_PAGE": 9001, "KEYWORD_NOT_FOUND": 9002, "UNREADABLE_PAGE": 9003}
# What `trim()` removes in JavaScript; Python's `strip()` uses another set.
SPACES = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"


@dataclass(frozen=True)
class Case:
    """A page and keywords, and the expected result: a text, or a code and its message."""

    name: str
    html: str
    start: str | None
    end: str | None
    text: str = ""
    code: str = ""
    message: str = ""

    def arguments(self) -> list[str]:
        return arguments(self.start, self.end)


def golden_cases() -> list[Case]:
    return [Case(**case) for case in json.loads(GOLDEN.read_text(encoding="ascii"))]


def arguments(start: str | None, end: str | None) -> list[str]:
    """Return the command line of the script for these keywords."""
    if start is None:
        return ["--no-filter"] if end is None else ["--from-start", end]
    return [start, "--to-end" if end is None else end]


def read_as_extension(world: IsolatedWorld, start: str | None, end: str | None) -> dict[str, Any]:
    """Return the page function's result when it is sent into the page as source text."""
    request = json.dumps({"start": start, "end": end})
    return world.evaluate(f"({PAGE_FUNCTION})({request})")


def logged(page: dict[str, Any]) -> str:
    """Return what the script writes to stderr about a page that it has read."""
    report = {key: page[key] for key in ("url", "title", "repeated", "headings") if key in page}
    return f"chrome_tab_page normal {json.dumps(report, separators=(',', ':'))}\n"


def failure(message: str, number: int) -> str:
    """Return what `osascript` writes to stderr about an error."""
    return f"chrome_tab.scpt: execution error: {message} ({number})\n"


def pretend_text(world: IsolatedWorld, text: str) -> None:
    """Make `innerText` return *text* in this world: layout would change or drop some of the characters."""
    getter = f"{{ configurable: true, get: () => {json.dumps(text)} }}"
    world.evaluate(f"void Object.defineProperty(HTMLElement.prototype, 'innerText', {getter})")


# --- The model: code and text, derived from innerText ---


def expected(inner_text: str, start: str | None, end: str | None) -> tuple[str, str]:
    """Return the code and the text that reading a page with this innerText must give, if its elements have no text."""
    found = re.split(r"\r\n|\r|\n", well_formed(inner_text))
    repeated = repeated_lines(found)
    lines: list[str] = []
    for i, line in enumerate(found):
        if not line.strip(SPACES):
            lines += [""] if lines[-1:] != [""] else []
        elif i not in repeated:
            lines.append(line)
    text = "\n".join(lines)
    if not text.strip(SPACES):
        return "EMPTY_PAGE", ""
    begin, finish = 0, len(text)
    if start is not None:
        _, begin = find(text, start, 0)
        if begin < 0:
            return "KEYWORD_NOT_FOUND", ""
    if end is not None:
        finish, _ = find(text, end, begin)
        if finish < 0:
            return "KEYWORD_NOT_FOUND", ""
    found = text[begin:finish].strip(SPACES)
    return ("", found) if found else ("EMPTY_PAGE", "")


def repeated_lines(lines: list[str]) -> set[int]:
    """Return the lines that repeat earlier ones in runs of up to three: three different lines, or a hundred characters."""
    keys = [line.replace("\u1e9e", "\u00df").upper().lower() for line in lines]
    places = [i for i, line in enumerate(lines) if line.strip(SPACES)]
    first_end: dict[tuple[str, ...], int] = {}
    repeated: set[int] = set()
    for i in range(len(places)):
        for run in (places[i + 1 - length : i + 1] for length in (1, 2, 3) if length <= i + 1):
            characters = sum(len(lines[place].encode("utf-16-le")) // 2 for place in run)
            key = tuple(keys[place] for place in run)
            if (len(set(key)) == 3 or characters >= 100) and first_end.setdefault(key, run[-1]) < run[0]:
                repeated |= set(run)
    return repeated


def well_formed(text: str) -> str:
    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return re.sub("[\0\ud800-\udfff]", "\ufffd", joined)


def find(text: str, keyword: str, begin: int) -> tuple[int, int]:
    """Return where a keyword is, also with a few invisible characters within it; -1 twice if it is missing."""
    folded = "".join(map(simply_folded, text))
    invisible = "".join({c for c in folded if unicodedata.category(c) == "Cf"})
    between = f"[{invisible}]{{0,9}}" if invisible else ""
    wanted = [simply_folded(character) for character in keyword if unicodedata.category(character) != "Cf"]
    found = re.compile(between.join(map(re.escape, wanted))).search(folded, begin) if wanted else None
    return found.span() if found else (-1, -1)


def simply_folded(character: str) -> str:
    """Fold the case of one character to one character, which is how keywords are compared."""
    for folded in (character.casefold(), character.lower()):
        if len(folded) == 1:
            return folded
    return character
