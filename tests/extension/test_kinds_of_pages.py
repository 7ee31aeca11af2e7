"""What `read_tab` makes of tabs without an ordinary page: PDFs, data, images, drawings, selected text."""

import base64
from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page

from tests.extension.conftest import Driver, Site, changed_waits
from tests.support.fake_bridge import Message
from tests.support.pdf import MappedLine, drawn_pdf, mapped_pdf, pdf
from tests.support.polling import until

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
LINE = "The river rose by two metres in one night, and the people of the lower town moved upstairs."
PICTURE = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
CANVAS = "<canvas width=1200 height=900></canvas>"
EDITOR = f"<div role=menubar>File Edit View</div>{CANVAS}<div contenteditable></div>"


def root(body: str, mode: str = "open", host: str = "x-app") -> str:
    """An element whose text is in its shadow root."""
    return f"<{host}><template shadowrootmode={mode}>{body}</template></{host}>"


# Shows the document at this path and reads it with these params.
Read = Callable[..., Awaitable[Message]]


@pytest.fixture
async def tab(driver: Driver) -> Page:
    """One tab in front for the tests of this file, which load their documents into it."""
    context = driver[1].page.context
    page = next((page for page in context.pages if page.url.startswith("http") or page.url.startswith("file")), None)
    page = page or await context.new_page()
    await page.bring_to_front()
    return page


@pytest.fixture
def read(driver: Driver, site: Site, tab: Page) -> Read:
    async def read(path: str, body: bytes | str, **params: Any) -> Message:
        site.pages[path] = body.encode() if isinstance(body, str) else body
        await tab.goto(site.url(path))
        return await driver[0].ask("read_tab", **params)

    return read


@pytest.fixture
def again(driver: Driver) -> Read:
    """Read the same document with other params."""

    async def again(**params: Any) -> Message:
        return await driver[0].ask("read_tab", **params)

    return again


def refused(reply: Message, code: str = "UNREADABLE_PAGE") -> str:
    """Return the message of a refusal."""
    assert not reply["success"], reply["result"]
    assert reply["error"]["code"] == code
    return reply["error"]["message"]


# --- PDFs ---


async def test_local_pdf_is_read_by_the_same_rules_with_page_numbers_and_not_highlighted(
    again: Read, driver: Driver, tab: Page, tmp_path: Path
) -> None:
    pages = [["Ferry times", "", "First at nine", "Footer"], ["Last at noon", "Footer"], ["Prices"], []]
    (tmp_path / "file.pdf").write_bytes(pdf(pages))
    await tab.goto((tmp_path / "file.pdf").as_uri())

    whole = (await again())["result"]
    part = (await again(start="[page 2]", end="prices"))["result"]
    main = (await again(content="main"))["result"]
    nowhere = await again(start="volcano")
    highlighted, cleared = [
        await driver[0].ask("highlight_in_tab", tab_id=whole["tab_id"], text=text) for text in ("Ferry times", "")
    ]

    assert whole["text"] == (
        "[Page 1]\nFerry times\n\nFirst at nine\nFooter\n\n[Page 2]\nLast at noon\n\n[Page 3]\nPrices\n\n[Page 4]"
    )
    assert part["text"] == "Last at noon\n\n[Page 3]"
    assert main["text"] == whole["text"]
    assert whole["notes"] == [{"code": "pdf_scanned", "count": 1, "total": 4}]
    assert "volcano" in refused(nowhere, "KEYWORD_NOT_FOUND")
    refused(highlighted)
    assert cleared["result"]["matches"] == 0


async def test_pdf_without_its_fonts_is_read_with_the_extensions_character_maps(read: Read, site: Site) -> None:
    site.extra_headers["/mapped.pdf"] = ("Content-Security-Policy", "default-src 'none'; sandbox")
    lines = [
        MappedLine("\u6e21\u8f6e\u4e5d\u70b9\u51fa\u53d1", "UniGB-UCS2-H", "utf-16-be", "GB1"),
        MappedLine("\u6e21\u8239\u306f\u4e5d\u6642\u306b\u51fa\u307e\u3059", "90ms-RKSJ-H", "cp932", "Japan1"),
        MappedLine("\ubc30\ub294 \uc544\ud649 \uc2dc\uc5d0 \ub5a0\ub09c\ub2e4", "KSCms-UHC-H", "cp949", "Korea1"),
        MappedLine("\u6e21\u8f2a\u4e5d\u9ede\u51fa\u767c", "ETen-B5-H", "big5", "CNS1"),
    ]

    reply = await read("/mapped.pdf", mapped_pdf(lines))

    assert reply["result"]["text"].split("\n") == ["[Page 1]", *(line.text for line in lines)]
    assert "notes" not in reply["result"]
    # Requested as the user who opened it: from the browser's cache.
    assert site.asked.count("/mapped.pdf") == 1


async def test_pdf_has_the_cells_powers_directions_and_values_that_its_viewer_draws(read: Read) -> None:
    drawn = rb"""BT /F 12 Tf 50 750 Td (Port) Tj 100 0 Td (2025) Tj 60 0 Td (2026) Tj ET
        BT /F 12 Tf 50 720 Td (Oslo) Tj 100 0 Td (1) Tj 60 0 Td (299) Tj ET
        BT /F 12 Tf 50 680 Td (In 10) Tj /F 8 Tf 5 Ts (6) Tj /F 12 Tf 0 Ts ( years) Tj ET
        BT /F 12 Tf 50 640 Td (25) Tj 30 0 Td (\201\202\203) Tj ET BT /F 12 Tf 50 625 Td (Fares) Tj 40 0 Td (\201\202\203) Tj ET"""
    checked = b"/V /Yes /AP <</N <</Yes 4 0 R>>>>"
    annotations = [
        b"/Subtype /FreeText /Contents (A note) /DA (/F 12 Tf)",
        b"/Subtype /Widget /FT /Tx /T (name) /TU (Full name) /V (Ann)",
        b"/Subtype /Widget /FT /Tx /T (pin) /V (4711) /Ff 8192",
        b"/Subtype /Widget /FT /Ch /T (port) /V (Oslo) /Opt [(Oslo) (Bergen)]",
        b"/Subtype /Widget /FT /Btn /T (member) " + checked,
        b"/Subtype /Widget /FT /Btn /T (news) " + checked.replace(b"/V /Yes", b"/V /Off"),
        b"/Subtype /Widget /FT /Btn /T (class) /Ff 32768 " + checked,
    ]

    reply = await read("/form.pdf", drawn_pdf(drawn, annotations))

    assert reply["result"]["text"].partition("[Page 51]\n")[2].split("\n") == [
        *(
            "Port\t2025\t2026",
            "Oslo\t1\t299",
            "",
            "In 10^6 years",
            "",
            "\u0633\u0639\u0631 25",
            "Fares \u0633\u0639\u0631",
        ),
        *("A note", "Full name: Ann", "port: Oslo", "member (checked)", "class: Yes (selected)"),
    ]


async def test_locked_pdf_is_rejected_with_advice(read: Read) -> None:
    """The other reasons come from the same place, and are tested with `chrome_tab.scpt`."""
    assert "password" in refused(await read("/locked.pdf", pdf([["secret"]], locked=True)))


# --- Data, drawings, images ---


@pytest.mark.parametrize(
    ("path", "body", "text"),
    [
        # A repeated line of data is data; the browser's own controls and remarks are not.
        ("/a.json", '[\n{\n"a": 1\n},\n{\n"a": 1\n}\n]', '[\n{\n"a": 1\n},\n{\n"a": 1\n}\n]'),
        ("/a.xml", "<r><i>1</i><i>1</i></r>", "<r>\n<i>1</i>\n<i>1</i>\n</r>"),
        ("/b.xml", "<r>\n <i a='1'/>\n</r>", '<r>\n <i a="1"/>\n</r>'),
        ("/a.txt", "one\ntwo\none\n", "one\ntwo\none"),
        (
            "/a.svg",
            "<svg xmlns='http://www.w3.org/2000/svg' aria-label='Chart'><title>Sales</title><text>Q1\n 7</text></svg>",
            "Chart\nSales\nQ1 7",
        ),
    ],
)
async def test_document_of_another_type_is_read_as_what_it_is(
    read: Read, again: Read, path: str, body: str, text: str
) -> None:
    assert (await read(path, body))["result"]["text"] == text
    assert (await again(content="main"))["result"]["text"] == text


@pytest.mark.parametrize(
    ("path", "body", "words"),
    [
        ("/p.png", PNG, "shows a picture and no text"),
        ("/e.svg", "<svg xmlns='http://www.w3.org/2000/svg'><path d='M0 0'/></svg>", "shows a drawing and no text"),
        ("/images", f"<img src={PICTURE} width=300 height=200>", "page of pictures"),
        ("/canvas", CANVAS, "canvas"),
        ("/editor", EDITOR, "only its menus are text"),
        ("/video", "<noscript>Turn scripts on.</noscript><video width=300 height=200></video>", "video"),
        (
            "/spare",
            f"<noscript><p>{LINE * 3}</noscript><video width=300 height=200></video>",
            "browsers without scripts",
        ),
        ("/broken.xml", "<r><i>1</r>", 'XML: "error on line 1 at column 12'),
        ("/frame", "<embed src=/other.pdf type=application/pdf width=300 height=200>", "frame's address"),
        ("/styled", root(f"<style>p {{ color: red }}</style>{CANVAS}") + CANVAS, "canvas"),
    ],
)
async def test_page_without_text_reports_what_it_shows_and_what_to_do(
    read: Read, path: str, body: bytes | str, words: str
) -> None:
    assert words in refused(await read(path, body))


@pytest.mark.parametrize(
    "body",
    [
        root("<p>inside</p>"),
        root("inside", mode="closed"),
        root("<p>inside</p>", mode="closed", host="div"),
        root(root(root("<p>inside</p>"), mode="closed", host="div")),
        root("<div style='display: contents'><p>inside</p></div><style>p {}</style>"),
        "<iframe srcdoc='<p>inside</p>'></iframe>",
    ],
    ids=["open", "closed", "closed, of any element", "in others", "without a box", "in a frame"],
)
async def test_text_in_components_and_frames_is_read(read: Read, again: Read, body: str) -> None:
    part = f"<p>{LINE}</p><iframe hidden srcdoc=unseen></iframe>{body}<p>{LINE} End.</p>"

    assert (await read("/inner", body))["result"]["text"] == "inside"
    assert (await again(content="main"))["result"]["text"] == "inside"
    assert (await read("/part", part))["result"]["text"].split() == f"{LINE} inside {LINE} End.".split()


async def test_frames_of_a_frameset_are_read(read: Read, again: Read, site: Site) -> None:
    site.pages |= {"/menu": b"Menu", "/framed": b"<p>inside</p>"}

    whole = await read("/set", "<frameset cols='50%,50%'><frame src=/menu><frame src=/framed></frameset>")
    main = await again(content="main")

    assert [one["result"]["text"].split() for one in (whole, main)] == [["Menu", "inside"]] * 2


async def test_page_with_a_canvas_is_read_with_a_note(read: Read) -> None:
    reply = await read("/map", f"<p>{LINE}</p>{EDITOR}")
    files = "".join(f"<li>file-{number}.csv" for number in range(40))
    half = await read("/half", f"<ul>{files}</ul>{EDITOR}")
    plain = await read("/plain", f"<p>{LINE}</p>")

    assert LINE in reply["result"]["text"]
    assert "file-39.csv" in half["result"]["text"]
    for one in (reply, half):
        assert one["result"]["notes"] == [{"code": "canvas"}]
    assert "notes" not in plain["result"]


async def test_page_of_images_is_read_by_their_alternative_text(read: Read, again: Read) -> None:
    big = "width=300 height=200"
    page = (
        f"<img src={PICTURE} {big} alt='A ferry at noon'><div role=img aria-label='The harbour' style='height:99px'></div>"
        f"<svg {big}><title>Depth</title><desc>Two metres</desc></svg><img src={PICTURE} width=9 height=9 alt=pixel>"
    )

    for reply in (await read("/gallery", page), await again(content="main")):
        result = reply["result"]
        assert result["text"] == "[Picture: A ferry at noon]\n[Picture: The harbour]\n[Picture: Depth\nTwo metres]"
        assert result["notes"] == [{"code": "pictures_only"}]


# --- Selected text ---

FIELDS = (
    "<p id=p>Before. The ferry leaves at nine.</p><textarea>one two three</textarea><input type=password value=secret>"
)
SELECT_FIELD = (
    "for (const field of document.querySelectorAll('{}')) {{ field.focus(); field.setSelectionRange(4, 7); }}"
)
SELECT_TEXT = "root => getSelection().setBaseAndExtent(root.firstChild, 8, root.firstChild, 32)"


async def test_only_the_users_selection_is_read(read: Read, driver: Driver, tab: Page) -> None:
    frame = "<p>In a frame of this site.</p>"
    nothing = await read("/fields", f'{FIELDS}<iframe srcdoc="{frame}"></iframe>', content="selection")

    async def selection(end: str | None = None) -> str:
        return (await driver[0].ask("read_tab", content="selection", end=end))["result"]["text"]

    await tab.locator("#p").evaluate(SELECT_TEXT)
    text = await selection()
    before_nine = await selection(end="NINE")
    elsewhere = await driver[0].ask("read_tab", content="selection", start="before")
    await tab.evaluate(SELECT_FIELD.format("textarea"))
    field = await selection()
    await tab.evaluate("getSelection().removeAllRanges()")
    await tab.evaluate(SELECT_FIELD.format("input"))
    password = await driver[0].ask("read_tab", content="selection")
    await tab.evaluate("document.activeElement.blur()")
    await (
        tab.frame_locator("iframe")
        .locator("p")
        .evaluate("root => root.ownerDocument.defaultView.getSelection().selectAllChildren(root)")
    )
    framed = await selection()

    assert "Nothing is selected" in refused(nothing, "EMPTY_PAGE")
    assert (text, before_nine) == ("The ferry leaves at nine", "The ferry leaves at")
    assert 'The start keyword "before" is not in what is selected.' in refused(elsewhere, "KEYWORD_NOT_FOUND")
    assert field == "two"
    assert not password["success"]
    assert framed == "In a frame of this site."


# --- Incomplete pages ---


# In the service worker: the checks of a tab, and which of them the browser answers with "loading" whatever is true.
LOOKS = """loading => {
  const { tabs } = chrome;
  const real = (tabs.get.real ??= tabs.get);
  const looks = (globalThis.looks = []);
  const get = async (id) => {
    const tab = await real.call(tabs, id);
    looks.push(looks.length < loading ? "loading" : tab.status);
    return { ...tab, status: looks.at(-1) };
  };
  tabs.get = Object.assign(get, { real });
}"""


@pytest.fixture
async def looks(driver: Driver) -> AsyncGenerator[Callable[[int], Awaitable[list[str]]]]:
    """Begin to record the checks of tabs, this many of which return "loading"; return what was recorded before."""
    (worker,) = driver[1].page.context.service_workers

    async def begin(loading: int) -> list[str]:
        noted = await worker.evaluate("globalThis.looks ?? []")
        await worker.evaluate(LOOKS, loading)
        return noted

    async with changed_waits(driver[1].page.context, {25: 1}):
        yield begin
        await worker.evaluate("void (chrome.tabs.get = chrome.tabs.get.real)")


async def test_loading_page_is_read_with_a_note(
    driver: Driver, site: Site, tab: Page, looks: Callable[[int], Awaitable[list[str]]]
) -> None:
    await tab.goto(site.url("/slow"), wait_until="commit")
    await tab.get_by_text("first part").wait_for()

    await looks(0)
    # In several steps, which wait only once.
    await driver[0].ask("read_tab", content="main")
    waited = (await looks(0)).count("loading")
    loading = (await driver[0].ask("read_tab"))["result"]
    site.finish_slow.set()
    await until(lambda: tab.evaluate("document.readyState === 'complete'"))
    loaded = (await driver[0].ask("read_tab"))["result"]

    assert (loading["text"], loaded["text"]) == ("first part", "first part\n\nlast part")
    assert loading["notes"] == [{"code": "still_loading"}]
    assert "notes" not in loaded
    assert 200 <= waited < 220


async def test_page_whose_load_event_the_browser_does_not_report_is_not_waited_for_longer(
    read: Read, driver: Driver, site: Site, looks: Callable[[int], Awaitable[list[str]]]
) -> None:
    await read("/read-before", "Ferry times")
    tab_id = await driver[1].tab_id(site.url("/read-before"))

    # As with a PDF: its viewer loads after the tab has, and there is no event when it is done.
    await looks(9)
    reply = await driver[0].ask("read_tab", tab_id=tab_id)

    assert reply["result"]["text"] == "Ferry times"
    # The maximum if none helped.
    assert 9 <= (await looks(0)).count("loading") < 200


async def test_feed_is_read_with_a_note_that_there_is_more(read: Read) -> None:
    result = (await read("/feed", f"<div role=feed><article>{LINE}</article></div>"))["result"]

    assert result["text"] == LINE
    assert result["notes"] == [{"code": "feed"}]
