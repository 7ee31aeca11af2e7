"""Measure the check of answers, their evidence and quick reading on XQuAD: no model, no browser.

Run it with the folder of XQuAD's files: `python -m bench.checked /tmp/xquad`; see bench/README.md.
"""

import itertools
import json
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import chrome_tab_mcp_server as server

LANGUAGES = ("ar", "de", "el", "en", "es", "hi", "ro", "ru", "th", "tr", "vi", "zh")
QUESTION_MARKS = "?\u061f\uff1f"


class Claim(NamedTuple):
    """A question with its answer, and the position of the answer on the page."""

    question: str
    answer: str
    place: int


def stated(claim: Claim, answer: str) -> str:
    """Return a claim as a sentence of an answer: the words of the question, then the answer."""
    return f"{claim.question.rstrip(QUESTION_MARKS)} {answer}"


def load(path: Path) -> list[list[tuple[str, list[Any]]]]:
    """Return the paragraphs of each article with their questions."""
    articles = json.loads(path.read_text("utf-8"))["data"]
    return [[(part["context"], part["qas"]) for part in article["paragraphs"]] for article in articles]


def page_of(articles: list[list[tuple[str, list[Any]]]]) -> tuple[str, list[Claim]]:
    """Return articles as one page, and the claims about it."""
    text, claims = "", list[Claim]()
    for context, questions in (part for article in articles for part in article):
        for question in questions:
            answer = question["answers"][0]
            claims.append(Claim(question["question"], answer["text"], len(text) + answer["answer_start"]))
        text += context + "\n\n"
    return text, claims


def index_for(text: str, claims: list[Claim], chunk_chars: int) -> server.PageIndex:
    """Return the index of a page that has found the chunks with each word of the claims."""
    index = server.PageIndex([text], chunk_chars)
    index.look_for(server.stems(server.fold("\n".join(stated(claim, claim.answer) for claim in claims))))
    return index


def changed(text: str, rng: random.Random) -> str:
    """Return a text with one digit changed."""
    places = [i for i, c in enumerate(text) if c.isdecimal()]
    at = rng.choice(places)
    digit = rng.choice([d for d in "123456789" if d != str(int(text[at]))])
    return text[:at] + digit + text[at + 1 :]


def results(claim: Claim, answer: str, index: server.PageIndex) -> Iterator[str]:
    """Yield the check's result for the figures in a claim's answer."""
    text = stated(claim, answer)
    for finding in server.check_figures(text, index, ""):
        if finding.start >= len(text) - len(answer):
            yield finding.result


def measure_check(claims: list[Claim], index: server.PageIndex) -> dict[str, float]:
    rng = random.Random(1)  # noqa: S311 -- the same changes in each run
    true = [result for claim in claims for result in results(claim, claim.answer, index)]
    wrong = [
        all(result == "on_page" for result in found)
        for claim in claims
        if any(c.isdecimal() for c in claim.answer)
        if (found := list(results(claim, changed(claim.answer, rng), index)))
    ]
    return {
        "figures": len(true),
        "not in the passage": sum(result != "on_page" for result in true) / len(true),
        "not on the page": sum(result == "not_on_page" for result in true) / len(true),
        "changes seen": 1 - sum(wrong) / len(wrong),
    }


def passages_for(claim: Claim, index: server.PageIndex) -> Iterator[server.RankedPassage]:
    return server.rank_passages(stated(claim, claim.answer), index, server.stems(server.fold(claim.question)))


def measure_evidence(claims: list[Claim], index: server.PageIndex, foreign: list[Claim]) -> dict[str, float]:
    firsts = thirds = sentences = 0
    supports = list[float]()
    spans = server.sentence_spans(index.texts[0])
    for claim in claims:
        ranked = list(itertools.islice(passages_for(claim, index), 3))
        hits = [each.start <= claim.place < each.end for each in ranked]
        firsts, thirds = firsts + (hits[:1] == [True]), thirds + any(hits)
        start, end = next(span for span in spans if span[0] <= claim.place < span[1])
        sentences += any(each.start < end and start < each.end for each in ranked)
        supports.append(ranked[0].support if ranked else 0.0)
    strangers = [next((each.support for each in passages_for(claim, index)), 0.0) for claim in foreign]
    return {
        "evidence first": firsts / len(claims),
        "evidence in three": thirds / len(claims),
        "sentence in three": sentences / len(claims),
        "foreign refused": sum(support < server.MIN_SUPPORT for support in strangers) / len(strangers),
        "true refused": sum(support < server.MIN_SUPPORT for support in supports) / len(supports),
    }


def measure_quick(text: str, claims: list[Claim]) -> dict[str, float]:
    """Report how often quick reading reads the answer, and how much of the page it reads."""
    index = index_for(text, claims, server.QUICK_CHUNK_CHARS)
    kept = read = 0
    for claim in claims:
        chunks = server.clear_matches(set(server.stems(server.fold(claim.question))), index)
        kept += not chunks or any(chunk.start <= claim.place < chunk.end for chunk in chunks)
        read += sum(chunk.end - chunk.start for chunk in chunks) if chunks else len(text)
    return {"answers kept": kept / len(claims), "reading saved": 1 - read / len(claims) / len(text)}


def processor_ms(function: Callable[[], object]) -> float:
    """Return the lowest CPU time of three runs."""
    times = list[float]()
    for _ in range(3):
        began = time.thread_time()
        function()
        times.append((time.thread_time() - began) * 1000)
    return min(times)


def measure_time(text: str, claims: list[Claim]) -> dict[str, float]:
    """Report the cost of the check, the evidence and quick reading for 100,000 characters and ten sentences of answer."""
    page = server.Page("https://example.com/", "", (text + text)[:100_000], "extension")
    sentences = (f"{stated(claim, claim.answer)}." for claim in claims[:: max(1, len(claims) // 10)])
    answer = server.Answer(" ".join(itertools.islice(sentences, 10)), "", "", None, {})
    query = server.Query(claims[0].question, own_text=claims[0].question)

    def check(question: server.Query) -> None:
        server.checked_answer(answer, page, question, server.index_for_check(page))

    return {
        "index ms": processor_ms(lambda: server.index_for_check(page)),
        "check ms": processor_ms(lambda: check(query)),
        "with evidence ms": processor_ms(lambda: check(query._replace(evidence=True))),
        "quick ms": processor_ms(lambda: server.quick_page(page, query)),
    }


def main() -> None:
    folder = Path(sys.argv[1])
    rows = list[dict[str, float]]()
    for language in sys.argv[2:] or LANGUAGES:
        articles = load(folder / f"xquad.{language}.json")
        text, claims = page_of(articles)
        half, own = page_of(articles[::2])
        _, foreign = page_of(articles[1::2])
        row: dict[str, float] = {"characters": len(text)}
        row |= measure_check(claims, index_for(text, claims, server.CHECKED_CHUNK_CHARS))
        row |= measure_evidence(own, index_for(half, claims, server.CHECKED_CHUNK_CHARS), foreign)
        row |= measure_quick(text, claims) | measure_time(text, claims)
        rows.append(row)
        print(language, {name: round(value, 3) for name, value in row.items()}, flush=True)
    print("mean", {name: round(statistics.mean(row[name] for row in rows), 4) for name in rows[0]})


if __name__ == "__main__":
    main()
