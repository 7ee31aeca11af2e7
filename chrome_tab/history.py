"""The history of Chrome Tab Reader: questions, their pages, answers and receipts, in one SQLite file.

The server records nothing unless `--history` is set, and imports this module at first use. Only the user who runs the
server can read the file; when it contains more than MAX_BYTES of text, the oldest analyses are deleted.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import platformdirs

import chrome_tab_mcp_server as server

MAX_BYTES = 20_000_000
MAX_LISTED = 50
MAX_ID = 2**63 - 1
BUSY_TIMEOUT_S = 5.0
EMPTY = "The history is empty. To record answers, start the server with --history."
USAGE = "Use --history list, --history show ID, --history search TEXT, or --history clear."

TABLE = """
CREATE TABLE IF NOT EXISTS analyses (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    time TEXT NOT NULL, url TEXT NOT NULL, title TEXT NOT NULL, question TEXT NOT NULL, answer TEXT NOT NULL,
    receipt TEXT NOT NULL,
    bytes INTEGER GENERATED ALWAYS AS (
        length(CAST(url AS BLOB)) + length(CAST(title AS BLOB)) + length(CAST(question AS BLOB))
        + length(CAST(answer AS BLOB)) + length(CAST(receipt AS BLOB))
    ) VIRTUAL
)
"""
DROP_OLDEST = """
DELETE FROM analyses WHERE id IN (
    SELECT id FROM (SELECT id, sum(bytes) OVER (ORDER BY id DESC) AS so_far FROM analyses) WHERE so_far > ?
)
"""
FOUND = "instr(folded(question || char(10) || answer || char(10) || title || char(10) || url), folded(?))"


class Analysis(NamedTuple):
    """One question about one page; `receipt` is JSON, `time` is local time in ISO 8601."""

    id: int
    time: str
    url: str
    title: str
    question: str
    answer: str
    receipt: str


class History:
    """The analyses in one file in the user's data directory, created with the first entry."""

    def __init__(self) -> None:
        self.path = Path(platformdirs.user_data_dir(server.APP_NAME)) / "history.sqlite3"

    @contextlib.contextmanager
    def _opened(self) -> Generator[sqlite3.Connection]:
        """Open the file for one transaction, because several servers may share it; raise OSError if that fails."""
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Created before SQLite would do so: its mode is right from the start, and SQLite's journal gets the same.
        os.close(server.open_regular(self.path, os.O_RDWR | os.O_CREAT))
        self.path.chmod(0o600)
        try:
            with contextlib.closing(sqlite3.connect(self.path, timeout=BUSY_TIMEOUT_S)) as database, database:
                # Overwrite deleted data.
                database.execute("PRAGMA secure_delete = ON")
                # SQLite itself ignores the case of ASCII only.
                database.create_function("folded", 1, server.fold, deterministic=True)
                database.execute(TABLE)
                yield database
        except sqlite3.Error as error:
            raise OSError(f"The history in {self.path} cannot be used ({error}). Fix or remove the file.") from error

    def keep(self, question: str, answer: str, receipt: Mapping[str, Any]) -> int:
        """Record an analysis and return its id; the receipt's `url` and `title` name the page."""
        about = str(receipt.get("url", "")), str(receipt.get("title", ""))
        row = (time.strftime("%Y-%m-%dT%H:%M:%S%z"), *about, question, answer, json.dumps(receipt))
        with self._opened() as database:
            columns = ", ".join(Analysis._fields[1:])
            kept = database.execute(f"INSERT INTO analyses ({columns}) VALUES (?, ?, ?, ?, ?, ?)", row)  # noqa: S608 -- our own names
            database.execute(DROP_OLDEST, (MAX_BYTES,))
        return kept.lastrowid or 0

    def get(self, number: int) -> Analysis | None:
        """Return one analysis, or None if there is none with that id."""
        return next(iter(self._select("id = ?", number)), None)

    def newest(self) -> list[Analysis]:
        """Return the latest analyses, newest first."""
        return self._select("true")

    def search(self, text: str) -> list[Analysis]:
        """Return the latest analyses whose question, answer, title or address contains a text, ignoring case."""
        return self._select(FOUND, text)

    def _select(self, condition: str, *values: Any) -> list[Analysis]:
        if not self.path.exists():
            return []
        columns = ", ".join(Analysis._fields)
        query = f"SELECT {columns} FROM analyses WHERE {condition} ORDER BY id DESC LIMIT {MAX_LISTED}"  # noqa: S608 -- our own texts
        with self._opened() as database:
            return [Analysis(*row) for row in database.execute(query, values)]

    def clear(self) -> int:
        """Delete all analyses; return how many there were."""
        if not self.path.exists():
            return 0
        with self._opened() as database:
            return database.execute("DELETE FROM analyses").rowcount


def keep(question: str, answer: str, receipt: Mapping[str, Any]) -> dict[str, str]:
    """Record an analysis; return its link for the receipt. If the history cannot be written, return an empty dict."""
    history = History()
    try:
        number = history.keep(question, answer, receipt)
    except (OSError, ValueError) as error:
        # In the terminal only errors are shown.
        server.logger.error("%s could not be written (%s)", history.path, server.describe_place(error))
        return {}
    return {"history": f"analysis://{number}"}


def analysis(number: str) -> dict[str, Any]:
    """Return an analysis as JSON; raise ChromeTabError if there is none with that id."""
    try:
        found = History().get(min(int(number), MAX_ID)) if number.isdecimal() else None
    except OSError as error:
        raise server.ChromeTabError("EXECUTION_ERROR", str(error)) from None
    if not found:
        raise server.ChromeTabError(
            "INVALID_ARGUMENT", "The history has no entry with this id. --history list shows the ids."
        )
    return found._asdict() | {"receipt": json.loads(found.receipt)}


def run(words: Sequence[str], *_: object) -> int:
    """Run `--history WORDS` in the terminal; return the exit status (2: wrong usage, 1: failure)."""
    try:
        for line in run_command(History(), words):
            print(server.strip_controls(line))
    except ValueError as error:
        server.print_message(error)
        return 2
    except OSError as error:
        server.print_message(error)
        return 1
    return 0


def run_command(history: History, words: Sequence[str]) -> Iterator[str]:
    """Run a command and yield its output, line by line; raise ValueError if it is not a valid command."""
    match words:
        case ["list"]:
            yield from listed(history.newest(), EMPTY)
        case ["search", *texts] if texts:
            yield from listed(history.search(" ".join(texts)), "No entry contains this text.")
        case ["show", number] if number.isdecimal() and (found := history.get(min(int(number), MAX_ID))):
            yield from shown(found)
        case ["show", _]:
            raise ValueError("The history has no entry with this id. --history list shows the ids.")
        case ["clear"]:
            deleted = history.clear()
            yield f"Deleted {deleted} {'entry' if deleted == 1 else 'entries'}." if deleted else EMPTY
        case _:
            raise ValueError(USAGE)


def listed(analyses: Sequence[Analysis], nothing: str) -> Iterator[str]:
    """Yield a line for each analysis, or `nothing` if there are none."""
    for each in analyses:
        question = "(general analysis)" if each.question == server.DEFAULT_SYSTEM_PROMPT else each.question
        page = server.one_line(each.title or each.url, 60)
        yield f"{each.id:>5}  {each.time[:16].replace('T', ' ')}  {server.one_line(question, 80)}  ({page})"
    if not analyses:
        yield nothing


def shown(analysis: Analysis) -> Iterator[str]:
    """Yield the lines of an analysis, with its receipt."""
    yield f"{analysis.title} ({analysis.url}), {analysis.time}"
    yield f"\n> {analysis.question}\n\n{analysis.answer}\n"
    receipt = json.loads(analysis.receipt)
    if checked := server.check_line(receipt.pop("checked", {})):
        yield f"{checked}\n"
    for each in receipt.pop("evidence", ()):
        passage = server.passage_note(each["passage"] or "", each.get("offset", 0), each.get("link"))
        yield f"{each['path']}: {passage}"
    yield ", ".join(f"{name}: {value}" for name, value in receipt.items() if name not in {"url", "title"} and value)
