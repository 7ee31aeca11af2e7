"""The page function in real Chromium: as the extension sends it, and through the script for a Mac."""

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page
from playwright.sync_api import Error as PlaywrightError

from tests.support.applescript_evaluator import FakeChrome, Surroundings, osascript
from tests.support.browser import PAGE_URL, IsolatedWorld, launch_chromium, show
from tests.support.page_text import (
    NUMBERS,
    PAGE_FUNCTION,
    SCRIPT_TEXT,
    Case,
    failure,
    golden_cases,
    logged,
    pretend_text,
    read_as_extension,
)

pytestmark = pytest.mark.e2e
PAGES = Path(__file__).parent.parent / "pages"


@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    with launch_chromium() as launched:
        yield launched


@pytest.fixture(scope="module")
def tab(browser: Browser) -> Page:
    """One tab for all tests; each loads its own page into it."""
    return browser.new_page()


@pytest.fixture(scope="module")
def rewritten(browser: Browser) -> Page:
    """Another tab, whose page each golden case rewrites: loading it would take five times as long."""
    page = browser.new_page()
    show(page, "")
    return page


def read(page: Page, start: str | None = None, end: str | None = None) -> dict[str, Any]:
    return read_as_extension(IsolatedWorld(page), start, end)


@pytest.mark.parametrize("case", golden_cases(), ids=lambda case: case.name)
def test_extension_and_script_match_the_golden_result(rewritten: Page, case: Case) -> None:
    rewritten.set_content(case.html)
    world = IsolatedWorld(rewritten)

    page = read_as_extension(world, case.start, case.end)
    script = osascript(SCRIPT_TEXT, case.arguments(), Surroundings(FakeChrome(world)))

    assert (page["code"], page["message"], page["text"]) == (case.code, case.message, case.text)
    assert (script.status, script.stdout) == ((1, "") if case.code else (0, f"{case.text}\n"))
    assert script.stderr == logged(page) if not case.code else failure(case.message, NUMBERS[case.code])


def test_result_contains_address_and_title_of_the_page(tab: Page) -> None:
    show(tab, "<title>Caf\u00e9 &amp; more</title><p>text</p>")

    page = read(tab)

    assert page == {"code": "", "message": "", "text": "text", "url": PAGE_URL, "title": "Caf\u00e9 & more"}


def read_both_ways(page: Page) -> tuple[dict[str, Any], int, str, dict[str, Any] | str]:
    """Return the extension's result, and the script's status, text, and report or the end of its message."""
    world = IsolatedWorld(page)
    script = osascript(SCRIPT_TEXT, ["--no-filter"], Surroundings(FakeChrome(world)))
    report = script.stderr.removeprefix("chrome_tab_page normal ")
    is_read = script.status == 0
    return read_as_extension(world, None, None), script.status, script.stdout, json.loads(report) if is_read else report


def test_page_that_lists_entries_next_to_a_canvas_is_read_with_a_note(tab: Page) -> None:
    show(tab, (PAGES / "half-canvas.html").read_text(encoding="utf-8"))

    page, status, text, report = read_both_ways(tab)

    assert page["text"].split() == ["File", "View", "harbour.csv", "ferries.csv"]
    assert page["notes"] == [{"code": "canvas"}]
    assert (status, text) == (0, f"{page['text']}\n")
    assert isinstance(report, dict)
    assert report["notes"] == page["notes"]


def test_table_or_list_with_more_rows_than_it_shows_is_read_with_a_note(tab: Page) -> None:
    def grid(total: int, style: str = "") -> str:
        row = "<div role=row aria-rowindex={0}><span role=gridcell>Pier {0}</span></div>"
        # A grid with fixed columns shows each of its rows twice.
        rows = "".join(row.format(i) for i in (1, 2, 3)) * 2
        return f"<div role=grid aria-rowcount={total} style='{style}'>{rows}</div>"

    def items(total: int) -> str:
        return f"<ul>{''.join(f'<li aria-setsize={total} aria-posinset={i}>Boat {i}' for i in range(1, 5))}</ul>"

    def notes_of(body: str) -> list[dict[str, Any]]:
        show(tab, f"<p>Harbour</p>{body}")
        return read_as_extension(IsolatedWorld(tab), None, None).get("notes", [])

    def components(around: str) -> str:
        item = f"<template shadowrootmode=open>{around}<li aria-setsize=9><slot></slot></li></template>"
        return f"<wa-list>{''.join(f'<wa-item>{item}Boat {i}</wa-item>' for i in range(1, 5))}</wa-list>"

    missing = {"code": "rows_missing", "count": 3, "total": 1000}
    named_as_a_method = "<form role=search><input name=matches></form>"
    assert notes_of(grid(3) + grid(-1) + items(4) + items(-1) + grid(9, "display: none") + named_as_a_method) == []
    # Their lists are outside of the components, each of which is an item.
    assert notes_of(components("") + components("<div>")) == []
    assert notes_of(items(4) + grid(1000) + items(9)) == [missing | {"count": 4, "total": 9}]
    assert notes_of(f"<wa-grid><template shadowrootmode=open>{grid(1000)}</template></wa-grid>") == [missing]
    assert notes_of(grid(1000)) == [missing]


def test_page_that_draws_its_document_next_to_menus_alone_is_rejected(tab: Page) -> None:
    show(tab, (PAGES / "drawn-editor.html").read_text(encoding="utf-8"))

    page, status, text, message = read_both_ways(tab)

    assert (page["code"], page["text"]) == ("UNREADABLE_PAGE", "")
    assert (status, text) == (1, "")
    assert message == failure(page["message"], NUMBERS["UNREADABLE_PAGE"])


def test_lines_keep_their_ends_where_case_folding_makes_one_longer(tab: Page) -> None:
    show(tab, "<p>text</p>")
    world = IsolatedWorld(tab)
    text = "Ma\u00dfstab \u0130\none\ntwo\nMASSSTAB i\u0307\nONE\nTwo\n\n\nlast"
    pretend_text(world, text)

    page = read_as_extension(world, None, None)

    assert page["text"] == "Ma\u00dfstab \u0130\none\ntwo\n\nlast"


def test_no_character_gets_shorter_by_case_folding(tab: Page) -> None:
    # deduplicateLines depends on this when it compares lengths.
    shorter, longer = tab.evaluate(
        """() => {
          const all = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code));
          const change = (character) => character.toUpperCase().toLowerCase().length - character.length;
          return [all.filter((character) => change(character) < 0), all.filter((character) => change(character) > 0)];
        }"""
    )

    assert shorter == []
    assert {"\u00df", "\u0130", "\ufb03"} <= set(longer)


def test_half_characters_and_nul_become_replacement_characters(tab: Page) -> None:
    show(tab, "<p>text</p>")
    tab.evaluate("document.title = 'a\\ud83d'")
    world = IsolatedWorld(tab)
    pretend_text(world, "a\ud83db\0c\U0001f600")

    page = read_as_extension(world, None, None)

    assert page["text"] == "a\ufffdb\ufffdc\U0001f600"
    assert page["title"] == "a\ufffd"


def test_text_over_30_mib_is_rejected_and_a_part_of_it_can_be_read(tab: Page) -> None:
    show(tab, "<p>text</p>")
    world = IsolatedWorld(tab)
    # One character of three bytes, 10 Mi times, is exactly the limit; the first line exceeds it.
    getter = "{ get: () => 'a\\n' + '\\u65e5'.repeat(10 * 1024 * 1024) }"
    world.evaluate(f"void Object.defineProperty(HTMLElement.prototype, 'innerText', {getter})")

    page = read_as_extension(world, None, None)
    length_of_part = world.evaluate(f"({PAGE_FUNCTION})({{ start: 'a', end: null }}).text.length")

    assert page["code"] == "UNREADABLE_PAGE"
    assert "30 MiB" in page["message"]
    assert page["text"] == ""
    assert length_of_part == 10 * 1024 * 1024


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("text/plain", "text"),
        ("application/xhtml+xml", "<html xmlns='http://www.w3.org/1999/xhtml'><body>text</body></html>"),
        ("image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg'><text>text</text></svg>"),
    ],
)
def test_document_of_any_type_is_read(tab: Page, content_type: str, body: str) -> None:
    show(tab, body, content_type=content_type)

    assert read(tab)["text"] == "text"


def test_xhtml_is_read_with_the_error_that_its_page_ends_with(tab: Page) -> None:
    def text_of(body: str) -> str:
        show(tab, f"<html xmlns='http://www.w3.org/1999/xhtml'>{body}</html>", content_type="application/xhtml+xml")
        return read(tab)["text"]

    unclosed = text_of("<body><p>One</p><b>two</p></body>")
    assert "mismatch: b" in unclosed
    assert unclosed.endswith("\n\nOne")
    assert "mismatch: meta" in text_of("<head><meta charset='utf-8'></head><body>One</body>")
    assert text_of("<body><p>One</p><parsererror>two</parsererror></body>") == "One\n\ntwo"


def test_signs_are_read_in_cells_without_words_and_after_the_text_of_a_box(tab: Page) -> None:
    show(tab, (PAGES / "fleet.html").read_text(encoding="utf-8"))

    lines = read(tab)["text"].split("\n")

    assert lines[-3:] == ["\tPlate\tActive\tCharged", "\tB-EV 1\tTrue\t(checked)", "(checked)\tB-EV 2\tFalse"]
    marked = [line for line in lines[:-3] if "(checked)" in line]
    assert marked == ["All (checked) Active Sold 42 Export", "Depot North with trailers (checked)", "Night (checked)"]


PORTS = "<select><option>Rome<option>Oslo<option>Lima<option>Kiel</select>"
# Each with the lines of its text; "|" separates cells.
MARKUP = {
    "<table><tr><th>A<th>B<tr><td><svg width=16 height=16><title>No</title></svg><td><i role=img aria-label=Yes></i>"
    "<tr><td><span title=Part></span><td><svg width=16 height=16></svg> 3"
    "<tr><td><i title=Flag class=blank></i><td>5<tr><td><i title=Star class='blank star'></i><td>6</table>"
    "<style>i, span { padding: 9px } .blank { padding: 0 } .star::before { content: '*'; position: absolute }</style>": (
        "A|B",
        "No|Yes",
        "Part|3",
        "|5",
        "Star|6",
    ),
    # Lines in a cell are no paragraphs, as in a table that is only used for layout.
    "<table><tr><td>Video<td>HD<br>4K<br>8K<tr><td>Ports<td>2</table><table><tr><td>Dear Ada,<br> <br>hello<td>1<tr><td>a<td>b": (
        "Video|HD 4K 8K",
        "Ports|2",
        "Dear Ada,",
        "",
        "hello|1",
        "a|b",
    ),
    "<table style='white-space:pre'><tr><td><td>if a:<tr><td><td>    b</table>": ("if a:", "|    b"),
    "<select><optgroup label=Europe><option>Norway<option>Spain</optgroup><optgroup label=''><option>Peru</select>": (
        "Europe",
        "Norway (selected)",
        "Spain",
        "Peru",
    ),
    f"<b>From</b>{PORTS}<b>To</b>{PORTS}": ("From", "Rome (selected)", "Oslo", "Lima", "Kiel", "To", "Rome (selected)"),
    "<button aria-pressed=true>42</button> <button aria-pressed=true><svg></svg></button> 4 likes": (
        "42 (checked)  4 likes",
    ),
    "<dl><div><dt>Net<dd>5</div><div><dt>Tax<dd>1</div><div><dt>All<dd>6</div></dl><style>div {display: flex}</style>": (
        "Net|5",
        "Tax|1",
        "All|6",
    ),
    "<svg><text y=20>Sales<tspan x=0 dy=1em>12 of H</tspan><tspan dy=4 font-size=10>2</tspan></text></svg>": (
        "Sales 12 of H2",
    ),
    "<p>Harbour</p><div>3 boats<template shadowrootmode=open><h2>Pier</h2><slot></slot></template></div>": (
        "Harbour",
        "",
        "Pier",
        "",
        "3 boats",
    ),
    "On Monday, Grace wrote:<b class=quote>Hello<i>!</i><b class=quote>older</b>Bye</b>:"
    "<style>.quote { display: inline-block; width: 100% }</style>": (
        "On Monday, Grace wrote:",
        "Hello!",
        "older",
        "Bye",
        ":",
    ),
    "<math><msubsup><mi>S</mi><mn>1</mn><mi>n</mi></msubsup><mi>i</mi><mo>,</mo><mmultiscripts><mi>C</mi><mprescripts/>"
    "<mn>6</mn><mn>14</mn></mmultiscripts><mo>,</mo><msup><mrow/><mn>14</mn></msup><mi>C</mi></math>": (
        "S_1^n i,C_6^14,^14 C",
    ),
}


@pytest.mark.parametrize("markup", MARKUP)
def test_what_a_page_shows_without_text_is_read(tab: Page, markup: str) -> None:
    show(tab, markup)

    assert read(tab)["text"].replace("\t", "|").split("\n") == [*MARKUP[markup]]


def test_page_of_the_browser_itself_is_unreadable(tab: Page) -> None:
    tab.goto("about:blank")
    tab.evaluate("document.body.textContent = 'text'")

    page = read(tab)

    assert page["code"] == "UNREADABLE_PAGE"
    assert page["url"] == "about:blank"


def test_local_file_is_read(tab: Page, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<p>text</p>", encoding="utf-8")
    tab.unroute_all()
    tab.goto((tmp_path / "page.html").as_uri())

    page = read(tab)

    assert (page["message"], page["text"]) == ("", "text")


def test_page_that_replaces_the_builtins_has_no_effect(tab: Page) -> None:
    evil = (
        "<script>Reflect.get = String.prototype.trim = String.prototype.replace = RegExp.prototype.exec ="
        " Array.prototype.join = Set.prototype.has = JSON.stringify = () => { throw new Error('replaced'); }</script>"
    )
    show(tab, f"{evil}<p>start</p><p>text</p>")

    page = read(tab, "START")

    assert page["text"] == "text"
    with pytest.raises(PlaywrightError, match="replaced"):  # the control: the page's own world is corrupted
        tab.evaluate(f"({PAGE_FUNCTION})({{ start: 'START', end: null }})")


def test_page_that_requires_trusted_types_is_read(tab: Page) -> None:
    policy = {"content-security-policy": "require-trusted-types-for 'script'; trusted-types 'none'; script-src 'none'"}
    show(tab, "<p>start</p><p>text</p>", headers=policy)

    page = read(tab, "START")

    assert page["text"] == "text"
    with pytest.raises(PlaywrightError, match="TrustedHTML"):  # the control: the policy is in force
        tab.evaluate("document.body.innerHTML = 'x'")


def test_reading_does_not_change_the_page(tab: Page) -> None:
    show(tab, "<title>t</title><p id=a>one</p><p>One</p>")
    names = "Object.getOwnPropertyNames(globalThis).sort().join()"
    world = IsolatedWorld(tab)
    before = (tab.content(), world.evaluate(names))

    for _ in range(2):
        assert read_as_extension(world, None, None)["text"] == "one\n\nOne"

    assert before == (tab.content(), world.evaluate(names))
