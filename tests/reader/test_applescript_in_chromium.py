"""`chrome_tab.scpt` with a page: the JavaScript that it composes runs in real Chromium."""

from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playwright.sync_api import Page

from scripts.embed_page_function import EXTENSION
from tests.support.applescript_evaluator import FakeChrome, Finished, Surroundings, osascript
from tests.support.browser import IsolatedWorld, launch_chromium, show
from tests.support.page_text import (
    NUMBERS,
    PAGE_FUNCTION,
    SCRIPT_TEXT,
    arguments,
    expected,
    failure,
    pretend_text,
    read_as_extension,
    well_formed,
)
from tests.support.pdf import MappedLine, mapped_pdf, pdf

pytestmark = pytest.mark.e2e


@dataclass
class Tabs:
    """Two tabs: one to load pages into, and one whose text a test sets with `pretend_text`."""

    page: Page
    world: IsolatedWorld


@pytest.fixture(scope="module")
def tabs() -> Generator[Tabs]:
    with launch_chromium() as browser:
        blank = browser.new_page()
        show(blank, "<title>Title</title><p>text</p>")
        yield Tabs(browser.new_page(), IsolatedWorld(blank))


def run(world: IsolatedWorld, *command_line: str) -> Finished:
    return osascript(SCRIPT_TEXT, list(command_line), Surroundings(FakeChrome(world)))


# --- What the script leaves behind ---


def test_clipboard_is_set_only_when_asked(tabs: Tabs) -> None:
    pretend_text(tabs.world, "one\ntwo")
    clipboards: list[str | None] = []

    for environment in ({}, {"CHROME_TAB_CLIPBOARD": "0"}, {"CHROME_TAB_CLIPBOARD": "1"}):
        around = Surroundings(FakeChrome(tabs.world), environment)
        assert osascript(SCRIPT_TEXT, ["one", "--to-end"], around).stdout == "two\n"
        clipboards.append(around.clipboard)

    assert clipboards == [None, None, "two"]


def test_clipboard_is_unchanged_when_reading_fails(tabs: Tabs) -> None:
    pretend_text(tabs.world, "one")
    around = Surroundings(FakeChrome(tabs.world), {"CHROME_TAB_CLIPBOARD": "1"})

    assert osascript(SCRIPT_TEXT, ["two", "--to-end"], around).status == 1
    assert around.clipboard is None


def test_text_item_delimiters_are_restored(tabs: Tabs) -> None:
    pretend_text(tabs.world, "start\none")
    around = Surroundings(FakeChrome(tabs.world), delimiters="borrowed")

    assert osascript(SCRIPT_TEXT, ["start", "--to-end"], around).stdout == "one\n"
    assert around.delimiters == "borrowed"


def test_address_and_title_are_one_ascii_line_of_the_log(tabs: Tabs) -> None:
    title = r"Caf\u00e9 \nchrome_tab_page {} \u2028 \ud83d\ude00"
    show(tabs.page, f"<p>text</p><script>document.title = '{title}'</script>")

    finished = run(IsolatedWorld(tabs.page), "--no-filter")

    assert finished.stdout == "text\n"
    assert finished.stderr == (
        r'chrome_tab_page normal {"url":"http://page.test/","title":"Caf\u00e9 chrome_tab_page {} \u2028 \ud83d\ude00"}'
        "\n"
    )


def test_page_of_the_browser_itself_is_unreadable(tabs: Tabs) -> None:
    tabs.page.goto("about:blank")

    finished = run(IsolatedWorld(tabs.page), "--no-filter")

    assert (finished.status, finished.stdout) == (1, "")
    assert finished.stderr.endswith("(9003)\n")


def test_page_that_throws_during_reading_is_unreadable(tabs: Tabs) -> None:
    show(tabs.page, "<p>text</p>")
    world = IsolatedWorld(tabs.page)
    world.evaluate("void Object.defineProperty(HTMLElement.prototype, 'innerText', { get() { throw 1; } })")

    finished = run(world, "--no-filter")

    assert finished == Finished(1, "", failure("The tab did not respond. Reload the page, then ask again.", 9003))


# --- PDFs ---

NO_SCRIPTS = {"content-security-policy": "default-src 'none'; sandbox"}


def run_on_pdf(page: Page, *command_line: str, script: str = SCRIPT_TEXT, **environment: str) -> Finished:
    around = Surroundings(FakeChrome(IsolatedWorld(page)), {"CHROME_TAB_EXTENSION": str(EXTENSION)} | environment)
    return osascript(script, list(command_line), around)


def test_pdf_is_read_by_the_same_rules_under_any_policy_once_the_extensions_folder_is_known(tabs: Tabs) -> None:
    file = pdf([["Ferry times", "", "First at nine", "Footer"], ["Last at noon", "Footer"], ["Prices"]])
    show(tabs.page, file, content_type="application/pdf", headers=NO_SCRIPTS)

    unnamed = run_on_pdf(tabs.page, "--no-filter", CHROME_TAB_EXTENSION="")
    whole = run_on_pdf(tabs.page, "--no-filter")
    part = run_on_pdf(tabs.page, "[page 2]", "prices")
    main = run_on_pdf(tabs.page, "--no-filter", CHROME_TAB_CONTENT="main")
    selected = run_on_pdf(tabs.page, "--no-filter", CHROME_TAB_CONTENT="selection")
    nowhere = run_on_pdf(tabs.page, "volcano", "--to-end")

    text = "[Page 1]\nFerry times\n\nFirst at nine\nFooter\n\n[Page 2]\nLast at noon\n\n[Page 3]\nPrices\n"
    assert (
        whole
        == main
        == Finished(0, text, 'chrome_tab_page normal {"url":"http://page.test/","title":"","repeated":1}\n')
    )
    assert part.stdout == "Last at noon\n\n[Page 3]\n"
    assert "needs the folder extension" in unnamed.stderr
    assert "only the browser's own viewer knows what is selected" in selected.stderr
    assert nowhere.stderr.endswith("(9002)\n")


def test_pdf_without_its_fonts_is_read_with_the_extensions_character_maps_from_a_folder_of_any_name(
    tabs: Tabs, tmp_path: Path
) -> None:
    folder = tmp_path / "caf\u00e9 \"$(touch ran)' `touch ran`"
    folder.symlink_to(EXTENSION)
    line = MappedLine("\u6e21\u8f6e\u4e5d\u70b9\u51fa\u53d1", "UniGB-UCS2-H", "utf-16-be", "GB1")
    show(tabs.page, mapped_pdf([line]), content_type="application/pdf")

    finished = run_on_pdf(tabs.page, "--no-filter", CHROME_TAB_EXTENSION=str(folder))

    assert finished.stdout == f"[Page 1]\n{line.text}\n"


def test_pdf_that_takes_too_long_is_resumed_by_the_next_request(tabs: Tabs) -> None:
    show(tabs.page, pdf([["Ferry times"], ["Last at noon"]]), content_type="application/pdf")

    begun = run_on_pdf(tabs.page, "--no-filter", script=SCRIPT_TEXT.replace("waitMs: 18000", "waitMs: 0"))
    whole = run_on_pdf(tabs.page, "--no-filter")

    assert begun.stdout == "[Page 1]\nFerry times\n"
    assert '"notes":[{"code":"pdf_unfinished","count":1,"total":2}]' in begun.stderr
    assert whole.stdout == "[Page 1]\nFerry times\n\n[Page 2]\nLast at noon\n"
    assert "notes" not in whole.stderr


def test_pdf_that_does_not_load_in_time_is_read_once_when_requested_again(tabs: Tabs) -> None:
    pages = [[f"line {line} of page {page}" for line in range(50)] for page in range(60)]
    show(tabs.page, pdf(pages), content_type="application/pdf")

    hasty = run_on_pdf(tabs.page, "--no-filter", script=SCRIPT_TEXT.replace("repeat 180 times", "repeat 0 times"))
    whole = run_on_pdf(tabs.page, "--no-filter")

    assert "did not load in time" in hasty.stderr
    assert whole.stdout.count("[Page ") == len(pages)
    assert whole.stdout.endswith("\nline 49 of page 59\n")


def test_pdf_that_cannot_be_read_reports_why(tabs: Tabs, tmp_path: Path) -> None:
    said: list[str] = []
    for file in (pdf([[], []]), b"%PDF-1.4\nnothing else"):  # one is opened, one is not
        show(tabs.page, file, content_type="application/pdf")
        said.append(run_on_pdf(tabs.page, "--no-filter").stderr)
    (tmp_path / "file.pdf").write_bytes(pdf([["From the disk"]]))
    tabs.page.unroute_all()
    tabs.page.goto((tmp_path / "file.pdf").as_uri())
    said.append(run_on_pdf(tabs.page, "--no-filter").stderr)

    reasons = [
        "2 pages without text",
        "damaged",
        "a local file, which only the Chrome extension",
    ]
    for sentence, reason in zip(said, reasons, strict=True):
        assert reason in sentence
        assert sentence.endswith("(9003)\n")


# --- Nothing in a page or a keyword becomes code ---

BREAKOUTS = [
    "x', end: (globalThis.ran = true, null), z: '",
    "x'); globalThis.ran = true; ('",
    'x"); globalThis.ran = true; ("',
    "x`); globalThis.ran = true; (`",
    "${globalThis.ran = true}",
    "x\\'); globalThis.ran = true; ('",
    "x\\",
    'x\\"',
    "x\n'); globalThis.ran = true; //",
    "x\u2028globalThis.ran = true\u2029",
    "*/ globalThis.ran = true /*",
    "</script><script>globalThis.ran = true</script>",
    '" & (do shell script "touch ran") & "',
    "$(touch ran)",
    "EOFDATA\ntouch ran\n",
    "]]>--><!--",
    "\U0001f600'\u05d0",
]


@pytest.mark.parametrize("payload", BREAKOUTS)
def test_keyword_that_tries_to_break_out_is_only_searched_for(tabs: Tabs, payload: str) -> None:
    pretend_text(tabs.world, f"before\n{payload}after")

    assert run(tabs.world, payload, "--to-end").stdout == "after\n"
    assert run(tabs.world, "--from-start", payload).stdout == "before\n"
    assert run(tabs.world, payload, "R").stdout == "afte\n"
    assert tabs.world.evaluate("globalThis.ran") is None


def test_keyword_in_a_carelessly_built_program_would_be_detected(tabs: Tabs) -> None:
    show(tabs.page, "<p>text</p>")
    world = IsolatedWorld(tabs.page)

    world.evaluate(f"({PAGE_FUNCTION})({{ start: '{BREAKOUTS[0]}', end: null }})")

    assert world.evaluate("globalThis.ran") is True


def test_a_megabyte_of_hostile_text_arrives_unchanged(tabs: Tabs) -> None:
    attack = "\n".join(BREAKOUTS)
    text = "\n".join(f"{number} {attack}" for number in range(1_000_000 // len(attack)))
    pretend_text(tabs.world, text)

    finished = run(tabs.world, "--no-filter")

    assert finished.stdout == f"{expected(text, None, None)[1]}\n"
    assert tabs.world.evaluate("globalThis.ran") is None


# --- Random text: the script, the extension and the model agree ---

AWKWARD = [
    *"aAbBiIkKsS .\n\n\n\t\r\0$()[]{}*+?|^\\/'\"`",
    *"\u00e9\u00c9\u00df\u1e9e\u0130\u0131\u017f\u212a\u03c3\u03c2\u03a3\u00b5\u03bc\u0345\u0149\ufb01\u01c5",  # case
    *"\u00a0\u0085\u200b\u2028\u2029\u3000\ufeff\u180e\x0b\x0c\x1c",  # whitespace, or almost
    *"\u0301\u0307\u05d0\u0627\u202e\u65e5\u672c\U0001f600\U0001f468\u200d\U00010400\U00010428",
    "\r\n",
    "ss",
    "\ud800",
    "\udc00",
]
TEXTS = st.lists(st.sampled_from(AWKWARD) | st.characters(min_codepoint=32, max_codepoint=0x52F), max_size=40).map(
    "".join
)


@st.composite
def readings(draw: st.DrawFn) -> tuple[str, str | None, str | None]:
    """Draw a text and two keywords, mostly from that text, in the same or another case."""
    text = draw(TEXTS)
    if draw(st.booleans()):
        text = f"{text}\n{text.swapcase()}\n{draw(TEXTS)}"
    keywords: list[str | None] = []
    for _ in range(2):
        source = well_formed(text).replace("\r\n", "\n").replace("\r", "\n")
        begin = draw(st.integers(0, max(0, len(source) - 1)))
        piece = source[begin : begin + draw(st.integers(1, 4))] or well_formed(draw(TEXTS))
        recased = draw(st.sampled_from([piece, piece.upper(), piece.lower(), piece.swapcase()]))
        # The command line accepts no keyword that begins like an option.
        is_taken = recased and not recased.startswith("--")
        keywords.append(recased if is_taken and draw(st.booleans()) else None)
    return text, keywords[0], keywords[1]


@given(readings())
@settings(max_examples=60, database=None)
def test_random_text_is_read_identically_by_script_extension_and_model(
    tabs: Tabs, reading: tuple[str, str | None, str | None]
) -> None:
    text, start, end = reading
    pretend_text(tabs.world, text)
    code, found = expected(text, start, end)

    page = read_as_extension(tabs.world, start, end)
    script = run(tabs.world, *arguments(start, end))

    assert (page["code"], page["text"]) == (code, found)
    if code:
        assert script == Finished(1, "", failure(page["message"], NUMBERS[code]))
    else:
        assert (script.status, script.stdout) == (0, f"{found}\n")


def test_keyword_reaches_the_page_only_as_numbers(tabs: Tabs) -> None:
    pretend_text(tabs.world, "text")
    chrome = FakeChrome(tabs.world)

    osascript(SCRIPT_TEXT, ["k'\U0001f600", "z"], Surroundings(chrome))

    (program,) = chrome.programs
    steps = program[program.rindex("({ content: ") :]
    assert steps == (
        "({ content: 'all', steps: [['deduplicateLines'], ['filterContentBetweenKeywords',"
        " String.fromCodePoint(107, 39, 128512), String.fromCodePoint(122)], ['trimWhitespace'], ], pdf: 'wanted' }))"
    )
