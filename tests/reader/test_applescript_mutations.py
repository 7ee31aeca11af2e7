"""Proof that the checks of `chrome_tab.scpt` can fail: each broken script is detected.

A mutant is detected when the evaluator rejects it, or when it behaves differently from the script in one of the
readings.
"""

import functools
import json
import re
from collections.abc import Generator, Iterable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from scripts.embed_page_function import BEGIN, EXTENSION, main_content_script
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
from tests.support.page_text import PAGE_FUNCTION, SCRIPT_TEXT, Case, golden_cases, pretend_text

pytestmark = pytest.mark.e2e

WRITTEN, LITERAL = SCRIPT_TEXT.split(BEGIN)
HEAD, ON_RUN, HANDLERS = WRITTEN.partition("on run argv")
TAIL = ON_RUN + HANDLERS

WHOLE_PAGE = "{ start: null, end: null }"
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


# --- The page function ---


def rewritten(page: Page, bodies: Iterable[str]) -> Iterator[IsolatedWorld]:
    """One page that is rewritten for each body: loading it would take five times as long."""
    show(page, "")
    for number, body in enumerate(bodies):
        page.set_content(body)
        # A function that lacks one of its variables may leave a global behind.
        yield IsolatedWorld(page, f"body {number}")


def golden_situations(page: Page, cases: list[Case]) -> Iterator[tuple[IsolatedWorld, str]]:
    for case, world in zip(cases, rewritten(page, [case.html for case in cases]), strict=True):
        yield world, f"{{ start: {as_javascript(case.start)}, end: {as_javascript(case.end)} }}"


STRUCTURED_PAGES = [
    "<table><tr><th>A<th>B<tr><td><input value=x><td>t<tr><td>q<input value=y>r<td>z<tr><td>v<td>w<input value=u></table>end",
    "<p>One<input value=first> two<input value=mid></p><input value=a><input value=b><p>x</p><input value=last>",
    "<input value=lead><p>text</p><p>line<input value=own></p><p>next</p>",
    "<h2>Prices</h2><table><tr><th>A<th>B<tr><td><h3>Head</h3>\U0001f600<td><p>b</p><p>c</p></table><h2>\U0001f600 After</h2>End",
    "<p style='display:none'>Alpha</p><p>Alpha beta</p><p hidden>Gamma</p><h2>Alpha gamma</h2><p>delta\u00a0 epsilon</p>",
    "<style>.u{text-transform:uppercase}.b::before{content:'pre '}</style><p class=u>alpha</p><p class=b>beta</p><h2>Heading</h2>",
    "<canvas>in canvas</canvas><video>in video</video><object>in object</object><noscript>no</noscript><h2>in canvas</h2><p>x",
    "<table role=presentation><tr><td>Menu<td>Text</table><table><tr><td><table><tr><th>i<th>j<tr><td>k<td>l</table><td>o</table>",
    "<dl><dt>Key<dd>Value<dt>Key<dd>Value</dl><div role=table><div role=row>loose <span role=cell>a</span><span role=cell>b</span></div>"
    "<div role=row><span role=cell>c</span><input value=m><span role=cell>d</span></div></div>",
    "<style>.g{display:grid;grid-template-columns:1fr 1fr 1fr}</style><div class=g>"
    + "".join(f"<div>c{i}</div>" for i in range(9))
    + "</div><div class=g>"
    + "".join(f"<div>{'long words ' * 60}{i}</div>" for i in range(6))
    + "</div>",
    "<style>.r{display:table-row}.c{display:contents}.f{display:flex}</style>"
    + "".join(f"<div class=r><div>a{i}</div><div>b{i}</div></div>" for i in range(4))
    + "".join(f"<div class=f><div class=c><span>d{i}</span></div><span>e{i}</span></div>" for i in range(4)),
    "<table><tr><td>\t<b>a</b><td>b<tr><td>c<td><input value=p><tr><td><td>d</table><table><tr><th>x<th>y<tr><td>1<td>2</table>",
    "<nav><div style='display:flex'><a href=x>A</a><a href=y>B</a></div></nav>" * 2
    + "<pre>code\ncode\n  code</pre><p>a</p>" * 3,
    "<ul>"
    + "".join(f"<li class='card x'><b>Name {i}</b><i>In stock</i></li>" for i in range(5))
    + "</ul>"
    + "<p>In stock</p>" * 2,
    "<h1>One</h1><nav>Menu</nav><p>\U0001f600\U0001f600 text</p><footer>Menu</footer><h2>Two</h2><nav>Menu</nav><h3>Three</h3>",
    "<table><tr><th>H<th>I"
    + "<tr><td><a href=x>More</a><td><a href=y>Less</a>" * 2
    + "<tr><td><td></table><p>after</p>",
    "<p>x</p><input value=pending><table><tr><td><input value=cell><td>t<tr><td><input value=''><td>u</table>",
    "<nav>" + "<p>a</p><p>b</p><p>c</p>" * 2 + "<input value=a></nav><input value=a><p>a</p><p>b</p><p>c</p>",
    "<p>one  two</p><p style='white-space:pre'>three   four</p><p>five\u00a0\u00a0 six</p><h2>seven</h2>",
    "<p style='visibility:hidden'>gone <b style='visibility:visible'>here</b></p><h2>here</h2><p>gone</p>",
    "<style>p::first-letter{text-transform:uppercase}</style><p>word</p><p hidden>other words</p><h2>word</h2><p>other</p>",
    "<p>a</p><textarea>typed\ntwo lines</textarea><p>b</p><input type=password value=secret><input hidden value=h><input value=''>",
]


def structured_pages(page: Page) -> Iterator[tuple[IsolatedWorld, str]]:
    """Nested tables, fields, headings and furniture: everything that the walk through the page handles."""
    for world in rewritten(page, STRUCTURED_PAGES):
        yield world, WHOLE_PAGE


def situations(page: Page) -> Iterator[tuple[IsolatedWorld, str]]:
    """Pages that each reach other lines of the page function, with the request; the most productive first, slow ones
    last.
    """
    first, *others = golden_cases()
    yield from golden_situations(page, [first])
    yield from other_documents(page)
    yield from pages_without_text(page)
    yield from inner_texts(page)
    yield from selections(page)
    page.goto("about:blank")
    page.evaluate("document.body.textContent = 'text'")
    yield IsolatedWorld(page), WHOLE_PAGE
    yield from golden_situations(page, others)
    yield from structured_pages(page)
    yield from main_content_situations(page)
    show(page, "<p>text</p>")
    world = IsolatedWorld(page)
    pretend_text(world, "half \ud83d character\nhalf \ud83d character")
    yield world, WHOLE_PAGE
    yield world, "{ steps: [['trimWhitespace']] }"
    for getter, request in (("'\\u20ac'.repeat(10.5e6)", "{ steps: [] }"), ("null.text", WHOLE_PAGE)):
        world.evaluate(f"void Object.defineProperty(HTMLElement.prototype, 'innerText', {{ get: () => {getter} }})")
        yield world, request


def other_documents(page: Page) -> Iterator[tuple[IsolatedWorld, str]]:
    svg = "<svg xmlns='http://www.w3.org/2000/svg'>{}</svg>"
    documents = [
        ("image/svg+xml", svg.format("")),
        ("image/svg+xml", svg.format("<title>a\n b</title><text> </text><g aria-label='c'/>")),
        ("application/xml", "<r><i>1</i><i>1</i></r>"),
        ("application/xml", "<r><i>1</r>"),
        ("application/xml", f"<r><x xmlns='http://www.w3.org/1999/xhtml'/>{svg.format('')}</r>"),
        ("text/xml", "<?xml-stylesheet href='a.css'?><r>\n<i/></r>"),
        ("application/json", "[\n1,\n1,\n2]"),
        ("text/plain", "a\na"),
        ("image/png", "x"),
        ("audio/wav", "x"),
        ("application/pdf", "%PDF-1.1"),
    ]
    for content_type, body in documents:
        show(page, body, content_type=content_type)
        yield IsolatedWorld(page), WHOLE_PAGE
    world = IsolatedWorld(page)
    yield world, "{ pdf: 'wanted' }"
    yield world, "{ pdf: 'wanted', content: 'selection' }"
    for read in ("undefined", "{ text: 'a\\na', notes: ['n'], isFinal: true }", "{ problem: 'p', isFinal: true }"):
        world.evaluate(f"void (globalThis.chromeTabPdf = {{ read: {read} }})")
        yield world, "{ pdf: 'wanted' }"


def pages_without_text(page: Page) -> Iterator[tuple[IsolatedWorld, str]]:
    canvas, big = "<canvas width=1200 height=900></canvas>", "style='display: block; width: 99px; height: 99px'"
    bodies = [
        canvas,
        f"Menu{canvas}<div contenteditable></div>",
        f"Menu{canvas}",
        f"<nav>{'Menu ' * 9}</nav>{canvas}<div contenteditable></div>{'<p>a file of the list' * 20}",
        f"<nav>{'Menu ' * 9}<li>b</nav><nav hidden>{'Menu ' * 99}</nav>{canvas}<i contenteditable></i><li><li hidden>c",
        f"Menu{canvas}<i contenteditable></i><li>a file of the list",
        f"<div role=feed>a</div>{canvas.replace('<canvas', '<canvas hidden')}<i contenteditable></i>",
        f"<video {big}></video>",
        f"<iframe src=about:blank {big}></iframe>",
        "<iframe srcdoc='<p>a</p>'></iframe>",
        "<x-a><template shadowrootmode=open><p>a</p></template></x-a>",
        f"<div role=img {big}></div>",
        f"<div role=img aria-label=' a ' {big}></div><img alt=b {big}><svg {big}><desc>c</desc></svg><img title=d {big}>",
        f"<noscript><b>{'a' * 300}</b></noscript>",
        f"<svg {big} aria-label=e></svg><svg style='width: 9px; height: 99px'><title>f</title></svg><img {big}>",
    ]
    for world in rewritten(page, [f"<!doctype html>{body}" for body in bodies]):
        yield world, WHOLE_PAGE
    world = IsolatedWorld(page)
    world.evaluate("void Object.defineProperty(Document.prototype, 'readyState', { get: () => 'loading' })")
    yield world, WHOLE_PAGE
    world.evaluate("void Object.defineProperty(Document.prototype, 'body', { get: () => null })")
    yield world, WHOLE_PAGE


def inner_texts(page: Page) -> Iterator[tuple[IsolatedWorld, str]]:
    """Texts of shadow roots and frames, whose length is reported separately from the page's own."""
    deeper = "<x-b><template shadowrootmode=open><i>deeper</i></template></x-b>"
    root = f"<template shadowrootmode=open>root<p>drawn</p><p hidden>hidden</p>{deeper}</template>"
    show(page, f"<!doctype html><p>text</p><x-a>{root}</x-a><iframe srcdoc='<p>framed</p>'></iframe>")
    page.frame_locator("iframe").get_by_text("framed").wait_for()
    yield IsolatedWorld(page), WHOLE_PAGE
    show(page, "<p>text</p><x-a></x-a>")
    world = IsolatedWorld(page)
    closed = "const root = document.querySelector('x-a').attachShadow({ mode: 'closed' }); root.append('closed');"
    root_of = "(element) => element.localName === 'x-a' ? root : null"
    world.evaluate(f"{{ {closed} globalThis.chrome = {{ dom: {{ openOrClosedShadowRoot: {root_of} }} }}; void 0; }}")
    yield world, WHOLE_PAGE


def selections(page: Page) -> Iterator[tuple[IsolatedWorld, str]]:
    show(
        page,
        "<p role=feed>one two</p><textarea>three</textarea><input type=password value=four><iframe srcdoc=five></iframe>",
    )
    page.frame_locator("iframe").get_by_text("five").wait_for()
    world, selected = IsolatedWorld(page), "{ content: 'selection' }"
    yield world, selected
    yield world, "{ content: 'selection', start: 'nowhere' }"
    for change in (
        "getSelection().selectAllChildren(document.querySelector('p'))",
        "document.querySelector('textarea').select()",
        "document.querySelector('input').select()",
        "document.activeElement.blur(), frames[0].getSelection().selectAllChildren(frames[0].document.body)",
    ):
        page.evaluate(change)
        yield world, selected
    shadow = "<x-a><template shadowrootmode=open><textarea>six</textarea><input type=checkbox></template></x-a>"
    show(page, shadow)
    world = IsolatedWorld(page)
    # As in browsers whose selection excludes that of fields.
    world.evaluate("void Object.defineProperty(Document.prototype, 'getSelection', { value: () => null })")
    for part in ("textarea", "input"):
        page.evaluate("document.querySelector('x-a').shadowRoot.querySelector('textarea').setSelectionRange(0, 2)")
        page.evaluate(f"document.querySelector('x-a').shadowRoot.querySelector('{part}').focus()")
        yield world, selected


def main_content_situations(page: Page) -> Iterator[tuple[IsolatedWorld, str]]:
    menu, story = "<nav><a href=/a>Menu</a></nav>", "<p>The river rose by two metres in one night, and more.</p>"
    show(page, menu + story)
    yield IsolatedWorld(page), "{ content: 'main' }"
    world = IsolatedWorld(page)
    world.evaluate(main_content_script())
    more = f"more: '{'m' * 200}'"
    for asked in ("start: 'river'", "start: 'MENU'", "start: 'nowhere'", "links: true", more, f"start: 'm', {more}"):
        yield world, f"{{ content: 'main', {asked} }}"
    world.evaluate("void (chromeTabMainContent = { read: () => ({ path: 'blocks', text: 'a\\r\\nb' }) })")
    yield world, "{ content: 'main' }"
    world.evaluate("void (chromeTabMainContent = { read: (_, { links }) => ({ path: 'noscript', text: `${links}` }) })")
    yield world, "{ content: 'main' }"
    pretend_text(world, "m" * 2_000_001)
    yield world, "{ content: 'main' }"
    pretend_text(world, "short")
    for thrown in ("throw 1", "return null"):
        world.evaluate(f"void (chromeTabMainContent = {{ read() {{ {thrown}; }} }})")
        yield world, "{ content: 'main' }"


# The mutants are built and compared in the page: sending each one would take longer than running it.
PARSED = """(text, changes) => changes.filter(([number, line]) => {
  try {
    return new Function(`(${text.split("\\n").with(number, line).join("\\n")})`);
  } catch {
    return false;
  }
}).map(([number]) => number)"""

UNNOTICED = """(text, request, lines, blocks) => {
  // A mutant that loops for ever ends after this many rounds.
  const all = text.replaceAll(/^(\\s*(?:for|while) \\(.*\\{)$/gm, "$1 if (--rounds < 0) throw 1;").split("\\n");
  const resultOf = (code) => {
    globalThis.rounds = 200_000;
    try {
      return JSON.stringify([(0, eval)(`(${code.join("\\n")})(${request})`)]);
    } catch {
      return "it threw";
    }
  };
  globalThis.entered = new Set([null]);
  const opening = new Set(blocks);
  const expected = resultOf(all.map((line, i) => (opening.has(i) ? `${line} entered.add(${i});` : line)));
  const isEffective = (line) => entered.has(blocks[line]) && resultOf(all.toSpliced(line, 1)) !== expected;
  return lines.filter((line) => !isEffective(line));
}"""


def in_page(world: IsolatedWorld, function: str, *arguments: object) -> Any:
    return world.evaluate(f"({function})({', '.join(map(json.dumps, arguments))})")


def blocks_of(lines: list[str], world: IsolatedWorld) -> list[int | None]:
    """Return for each line of the page function the line that opens the innermost block of statements around it.

    A line whose block is not entered has no effect.
    """
    opening = [(number, f"{line} f(0);") for number, line in enumerate(lines) if line.endswith("{")]
    blocks: list[int | None] = [None] * len(lines)
    # Objects, classes and `switch` cannot be parsed with a statement after their brace.
    for start in in_page(world, PARSED, PAGE_FUNCTION, opening):
        indentation = lines[start][: -len(lines[start].lstrip())]
        end = next(number for number in range(start + 1, len(lines)) if lines[number].startswith(f"{indentation}}}"))
        blocks[start + 1 : end] = [start] * (end - start - 1)
    return blocks


# These state a default value, save time, or serve pages that are not among the cases.
UNNOTICED_LINES = {
    "let last = null;",
    "if (isTitle) [last, isFirst] = [null, true];",
    "if (isFirst) pieces.push(piece);",
    "this.isLost = false;",
    "this.level = 0;",
    "this.row = null;",
    "this.group = null;",
    "return false;",
    "if (ahead < 0) return;",
    "end = start + words.length;",
    "if (this.source.startsWith(words, start)) return start + words.length;",
    "end = this.#skipSpace(end);",
    "if (!value) return;",
    "this.row.hasField = true;",
    "if (start < 0) return;",
    "this.pieces.length = pieces;",
    "this.#addPiece(start, this.length, KEPT);",
    "if (isLine && !hasField) return written;",
    "if (found.has(element)) return;",
    "if (!first || !second || /^(?:table|tbody|thead|tr|dl)$/.test(tagOf.call(group))) continue;",
    'const [name] = attributeOf(element, "class").trim().split(/\\s+/, 1);',
    "return `${tagOf.call(element)} ${inside}`;",
    'display === "contents" ||',
    "work.headings = inside.map(([place, level]) => [place - start, level]);",
    "last = [];",
    "return asked.steps;",
    "if (request.keep) globalThis.chromeTabReadPage = { version: request.keep, read: readPage };",
    "let work = { pieces: /** @type {Piece[]} */ ([]), headings: /** @type {Heading[]} */ ([]), repeated: 0 };",
}


def test_every_missing_line_of_the_page_function_is_detected(pages: tuple[Page, Page]) -> None:
    lines = PAGE_FUNCTION.split("\n")
    survivors = [number for number, line in enumerate(lines) if line.strip()]
    assert len(survivors) > 150
    show(pages[0], "")
    world = IsolatedWorld(pages[0])
    survivors = in_page(world, PARSED, PAGE_FUNCTION, [(number, "") for number in survivors])
    blocks = blocks_of(lines, world)

    for world, request in situations(pages[0]):
        survivors = in_page(world, UNNOTICED, PAGE_FUNCTION, request, survivors, blocks)

    assert {lines[number].strip() for number in survivors} == UNNOTICED_LINES


def as_javascript(keyword: str | None) -> str:
    return "null" if keyword is None else f"String.fromCodePoint({', '.join(str(ord(point)) for point in keyword)})"
