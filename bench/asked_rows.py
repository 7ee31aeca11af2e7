"""Whether the table row that answers a question reaches the model complete, with and without `content="main"`.

    python -m bench.asked_rows FOLDER

FOLDER is a checkout of WikiTableQuestions (github.com/ppasupat/WikiTableQuestions, commit 7d455a5, CC BY-SA 4.0, not
part of this repository): saved Wikipedia pages with questions about their tables. Used are the first 150 pages of its
unseen tables, in the order of their names' hashes, that have a question whose answer is in exactly one row.
"""

import asyncio
import csv
import hashlib
import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from playwright.async_api import async_playwright

from bench.main_content import MAX_ROWS_BROKEN, MAX_ROWS_NOT_IN_MAIN, read_saved, rows_broken, words
from scripts.embed_page_function import SOURCE, main_content_script, page_function
from tests.support.browser import chromium_arguments, chromium_path

PAGES = 150
QUESTIONS = "data/pristine-unseen-tables.tsv"

READ = """() => {
  %(scripts)s
  const readPage = %(function)s;
  const { text } = readPage({ start: null, end: null, content: "main" });
  const whole = readPage({ start: null, end: null }).text;
  const table = document.querySelectorAll("table.wikitable")[%(index)d];
  const rows = [...(table?.rows ?? [])].filter((row) => row.checkVisibility());
  return { text, whole, rows: rows.map((row) => [...row.cells].map((cell) => cell.innerText)) };
}"""


def questions_of(folder: Path, name: str = QUESTIONS) -> dict[str, list[str]]:
    """Return the single-value answers by the path of their table, `csv/N-csv/M.csv`, in a fixed order."""
    answers: dict[str, list[str]] = defaultdict(list)
    with (folder / name).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if "|" not in row["targetValue"]:
                answers[row["context"]].append(row["targetValue"])
    return dict(sorted(answers.items(), key=lambda item: hashlib.sha256(item[0].encode()).digest()))


def asked_rows(rows: list[list[str]], answers: list[str]) -> list[list[str]]:
    """Return for each answer the only row that has it as a complete cell."""
    found = [[row for row in rows if any(words(cell) == words(answer) for cell in row)] for answer in answers]
    return [each[0] for each in found if len(each) == 1]


async def read_pages(folder: Path, name: str = QUESTIONS) -> dict[str, dict[str, Any]]:
    """Return by the table's path `{text, whole, rows}`, with the rows that the questions are about."""
    parts = {"scripts": main_content_script(), "function": page_function(SOURCE.read_text(encoding="utf-8"))}
    found: dict[str, dict[str, Any]] = {}
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium_path(), args=chromium_arguments())
        page = await browser.new_page()
        for path, answers in questions_of(folder, name).items():
            html = folder / path.replace("csv/", "page/", 1).replace("-csv/", "-page/").replace(".csv", ".html")
            about = json.loads(html.with_suffix(".json").read_text(encoding="utf-8"))
            program = READ % {**parts, "index": about["tableIndex"]}
            result = await read_saved(page, about["url"], html.read_bytes(), program)
            if rows := asked_rows(result["rows"], answers):
                found[path] = {**result, "rows": rows}
            if len(found) == PAGES:
                break
        await browser.close()
    return found


async def main() -> int:
    found = await read_pages(Path(sys.argv[1]))
    asked = sum(len(page["rows"]) for page in found.values())
    met = True
    for kind, what, limit in (("whole", "all", MAX_ROWS_BROKEN), ("text", "main", MAX_ROWS_NOT_IN_MAIN)):
        broken = sum(rows_broken(page[kind], page["rows"]) for page in found.values())
        print(f"{what}: {asked - broken} of {asked} asked rows whole, on {len(found)} pages; at least {1 - limit:.0%}")
        met = met and broken <= limit * asked
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
