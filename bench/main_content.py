"""What reading keeps and leaves out, whole pages and `content="main"`, on saved pages from outside this repository.

    python -m bench.main_content FOLDER --texts texts.json      and then FOLDER/score.py texts.json
    python -m bench.main_content FOLDER --blocks blocks.json    what bench/learn_main_content.py learns from

FOLDER contains `pages/ID.html.gz` and `truth.jsonl` with `id`, `url` and `main_content`. The pages' scripts and the
network are blocked.
"""

import argparse
import asyncio
import gzip
import json
import re
import statistics
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Page, Route, async_playwright

from bench.lines import Line, print_lines
from scripts.embed_page_function import SOURCE, main_content_script, page_function
from tests.support.browser import chromium_arguments, chromium_path

LOAD_MS = 30_000
ROUNDS = 3
# Each limit is on a ratio: time to innerText's, seconds for the largest page, characters to the whole text's.
MAX_TIMES_INNER_TEXT, MAX_LARGEST_S, MAX_CHARACTERS = 60, 2, 0.78
MAX_LINES_LOST, MAX_ROWS_BROKEN, MAX_ROWS_NOT_IN_MAIN, MIN_F1 = 0.005, 0.03, 0.05, 0.815

MEASURE = """() => {
  %(scripts)s
  const readPage = %(function)s;
  const ofBest = (work) => {
    const times = Array.from({ length: %(rounds)d }, () => {
      // A style that has changed makes both do the layout that they stand on.
      document.documentElement.style.setProperty("zoom", String(1 + Math.random() / 1000));
      const begun = performance.now();
      work();
      return performance.now() - begun;
    });
    return Math.min(...times);
  };
  const shown = document.body?.innerText ?? "";
  const main = readPage({ start: null, end: null, content: "main" });
  const all = readPage({ start: null, end: null });
  const times = { innerText: ofBest(() => document.body?.innerText), main: ofBest(() => readPage({ content: "main" })) };
  const blocks = %(blocks)s ? chromeTabMainContent.examine(document) : [];
  const isShown = (row) => row.cells.length > 1 && row.checkVisibility();
  // Tables with headers, one of every three rows of long ones.
  const tables = [...document.querySelectorAll("table:has(th):not(:has(table))")];
  const shownRows = tables.flatMap(({ rows }) => [...rows].filter(isShown).filter((_, i) => i < 50 || i %% 3 === 0));
  const rows = shownRows.map((row) => [...row.cells].map((cell) => cell.innerText));
  return { text: main.text, path: main.content?.path, whole: all.text, shown, rows, times, blocks };
}"""


async def read_saved(page: Page, url: str, html: bytes, program: str) -> dict[str, Any]:
    """Show a saved page under its address, and run the program in it."""

    async def answer(route: Route) -> None:
        request = route.request
        if request.is_navigation_request() and request.frame == page.main_frame:
            headers = {"content-type": "text/html; charset=utf-8", "content-security-policy": "script-src 'none'"}
            await route.fulfill(body=html, headers=headers)
        else:
            await route.abort()

    await page.route("**/*", answer)
    await page.goto(url or "http://page.test/", wait_until="domcontentloaded", timeout=LOAD_MS)
    result = await page.evaluate(program)
    await page.unroute_all()
    return result


async def read_all(browser: Browser, folder: Path, program: str) -> dict[str, dict[str, Any]]:
    """Read every page of the sample, one after another: in parallel they would slow each other down."""
    page = await browser.new_page()
    lines = (folder / "truth.jsonl").read_text(encoding="utf-8").strip().split("\n")
    found: dict[str, dict[str, Any]] = {}
    for truth in map(json.loads, lines):
        html = gzip.decompress((folder / "pages" / f"{truth['id']}.html.gz").read_bytes())
        found[truth["id"]] = await read_saved(page, truth["url"], html, program)
    return found


async def results(folder: Path, *, blocks: bool = False) -> dict[str, dict[str, Any]]:
    """Return by the page's id `{text, path, whole, shown, rows, times, blocks}`; times in milliseconds."""
    parts = {"scripts": main_content_script(), "function": page_function(SOURCE.read_text(encoding="utf-8"))}
    program = MEASURE % {**parts, "rounds": ROUNDS, "blocks": json.dumps(blocks)}
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium_path(), args=chromium_arguments())
        try:
            return await read_all(browser, folder, program)
        finally:
            await browser.close()


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


def f1(text: str, truth: str) -> float:
    """Compare two texts as bags of words."""
    found, wanted = Counter(words(text)), Counter(words(truth))
    both = (found & wanted).total()
    return 2 * both / (found.total() + wanted.total()) if found or wanted else 1.0


def lines_lost(page: Mapping[str, Any], truth: str) -> tuple[int, int]:
    """Count each line of the reviewed content that the whole text lacks, and the lines that the page shows."""
    shown, kept = (f" {' '.join(words(text))} " for text in (page["shown"], page["whole"]))
    lost = total = 0
    for line, wanted in Counter(" ".join(words(line)) for line in truth.split("\n")).items():
        there = min(wanted, shown.count(f" {line} ")) if line else 0
        total += there
        lost += max(0, there - kept.count(f" {line} ")) if there else 0
    return lost, total


def rows_broken(text: str, rows: list[list[str]]) -> int:
    """Count the rows whose cells are not on one line of a text, in order; descriptions of images may come between."""
    lines = [f" {' '.join(words(line))} " for line in text.split("\n")]
    wanted = [[f" {' '.join(words(cell))} " for cell in row if words(cell)] for row in rows]
    return sum(not any(has_cells(line, row) for line in lines) for row in wanted)


def has_cells(line: str, cells: list[str]) -> bool:
    place = 0
    for cell in cells:
        place = line.find(cell, place)
        if place < 0:
            return False
        place += len(cell) - 1  # the next cell may begin with the space that ends this one
    return True


def rows_of_content(rows: list[list[str]], truth: str) -> list[list[str]]:
    """Return the rows whose cells are all in the reviewed content: a cookie table in a banner is not."""
    content = f" {' '.join(words(truth))} "
    return [row for row in rows if all(f" {' '.join(words(cell))} " in content for cell in row if words(cell))]


def lines_of(found: Mapping[str, Mapping[str, Any]], truths: Mapping[str, str]) -> list[Line]:
    """Compare: the typical page, the largest one, what is sent to the model in total, and what is not lost."""
    ratios = [page["times"]["main"] / max(page["times"]["innerText"], 0.1) for page in found.values()]
    largest = max(found.values(), key=lambda page: len(page["shown"]))
    whole = sum(len(page["whole"]) for page in found.values())
    main = sum(len(page["text"]) for page in found.values())
    lost, lines = (
        sum(counts) for counts in zip(*(lines_lost(page, truths[key]) for key, page in found.items()), strict=True)
    )
    whole_rows = [(page["whole"], page["rows"]) for page in found.values()]
    main_rows = [(page["text"], rows_of_content(page["rows"], truths[key])) for key, page in found.items()]
    (broken, rows), (broken_in_main, rows_in_main) = (
        (sum(rows_broken(text, rows) for text, rows in pairs), sum(len(rows) for _, rows in pairs))
        for pairs in (whole_rows, main_rows)
    )
    mean_f1 = statistics.mean(f1(page["text"], truths[key]) for key, page in found.items())
    return [
        ("content lines lost in the whole text", lost, "lines of content", lines, "lines", MAX_LINES_LOST),
        ("rows not on one line in the whole text", broken, "rows", rows, "rows", MAX_ROWS_BROKEN),
        (
            "rows of content not on one line in the main content",
            *(broken_in_main, "rows of content", rows_in_main, "rows", MAX_ROWS_NOT_IN_MAIN),
        ),
        ("F1 wanted of the main content", MIN_F1, "its F1", mean_f1, "of words", 1),
        ("main content, median page", statistics.median(ratios), "innerText", 1, "times", MAX_TIMES_INNER_TEXT),
        ("main content, largest page", largest["times"]["main"] / 1000, "a second", 1, "s", MAX_LARGEST_S),
        ("characters of the main content", main, "of the whole text", whole, "characters", MAX_CHARACTERS),
    ]


async def main() -> int:
    parser = argparse.ArgumentParser(description="Read saved pages by content=main.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--texts", type=Path, help="write {id: text} for the sample's score.py")
    parser.add_argument("--blocks", type=Path, help="write {id: [{text, kind, container, features}]} to learn from")
    given = parser.parse_args()
    found = await results(given.folder, blocks=given.blocks is not None)
    if given.texts:
        given.texts.write_text(json.dumps({key: page["text"] for key, page in found.items()}), encoding="utf-8")
    if given.blocks:
        given.blocks.write_text(json.dumps({key: page["blocks"] for key, page in found.items()}), encoding="utf-8")
    saved = (given.folder / "truth.jsonl").read_text(encoding="utf-8").strip().split("\n")
    lines = lines_of(found, {truth["id"]: truth["main_content"] for truth in map(json.loads, saved)})
    return 0 if print_lines(lines) else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
