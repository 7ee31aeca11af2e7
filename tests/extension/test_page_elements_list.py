"""The list of what a user can do on a page: its contents, its wording, and selectors that work."""

import json
import re
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from playwright.async_api import CDPSession

from bench.bridge import page_of
from tests.extension.conftest import PAGES, WRITTEN_PAGES, DrivenTab, shared_tab_at, tab_at
from tests.support.polling import until

elements = shared_tab_at("/elements.html")
empty = shared_tab_at("/blank")
driven = tab_at("/blank")

MAX_TEXT = 4_000
WHOLE = """\
# Order a lamp
text "All prices with VAT."
alert "Only two are left"
group "Delivery"
textbox "Name" = "Ada 'Countess' Lovelace" required  [name=customer]
password "Password" filled  [name=secret]
select "Size" {S|M*|L}  #size
checkbox "Docker" off  #docker
radio "Card" on  [name=pay][value=card]
radio "Cash" off  [name=pay][value=cash]
slider "Volume" = 4 (0 to 10)  [aria-label=Volume]
textbox "Coupon" invalid  [placeholder=Coupon]
textbox "Note" = "As it is" readonly  [title=Note]
file "Choose a picture" empty  #hidden-file
button "Order" disabled  button text=Order
button "Details" collapsed  button text=Details
button "Send"  [value=Send]
textbox "Letter" = "Dear Sir"  [aria-label=Letter]
clickable "A card without a role"  #card
clickable "Large child of an inline wrapper"  #wrapper
tab "First tab" selected  [role=tab]
row "Duration: | 3 h"
row "Duration: | 4 h"
scrollable "Results"  #results
text "One"
text "Two"
button "In the shadow"  x-card >>> button
button "In the frame"  #framed
-- out of sight --
link "Help"  [href="/help"]
21 elements, all listed."""


def lines_of(result: dict[str, Any]) -> list[str]:
    """Return the lines of a list without the last one, which is about the list."""
    return result["text"].splitlines()[:-1]


def selectors_of(lines: list[str]) -> list[str]:
    """Return the selectors of lines: they follow two spaces."""
    return [found[1] for line in lines if (found := re.search(r"  (\S.*)$", line))]


async def all_lines(tab: DrivenTab, **params: object) -> list[str]:
    """Return the whole list, page by page."""
    lines: list[str] = []
    offset: int | None = 0
    while offset is not None:
        result = await tab.do("page_elements", **params, offset=offset)
        assert len(result["text"]) <= MAX_TEXT
        lines += lines_of(result)
        assert result["next_offset"] is None or result["next_offset"] > offset
        offset = result["next_offset"]
    return lines


def text_of(name: str) -> str:
    return PAGES[f"/{name}"].decode()


# In the service worker: counts the calls to the browser that a command makes. Its check for a crashed tab, which asks
# for the tab every 500 ms, is off meanwhile: on a busy machine a command takes longer.
COUNTED = """() => {
  globalThis.setInterval.real ??= setInterval;
  globalThis.setInterval = Object.assign(() => 0, { real: setInterval.real });
  const asked = (globalThis.asked = { tabs: 0, pages: 0 });
  const count = (api, name, key) => {
    const real = (api[name].real ??= api[name]);
    api[name] = Object.assign((...given) => (asked[key]++, real.apply(api, given)), { real });
  };
  count(chrome.tabs, "get", "tabs");
  count(chrome.scripting, "executeScript", "pages");
}"""
UNCOUNTED = """() => {
  globalThis.setInterval = setInterval.real;
  chrome.tabs.get = chrome.tabs.get.real;
  chrome.scripting.executeScript = chrome.scripting.executeScript.real;
}"""


@asynccontextmanager
async def counted(tab: DrivenTab) -> AsyncGenerator[dict[str, int]]:
    """Count the calls to the browser for a tab, and for something in a page."""
    (worker,) = tab.page.context.service_workers
    await worker.evaluate(COUNTED)
    count: dict[str, int] = {}
    yield count
    count |= await worker.evaluate("asked")
    await worker.evaluate(UNCOUNTED)


# --- What is listed, and how ---


async def test_short_page_is_listed_completely_in_page_order_with_names_states_and_selectors(
    elements: DrivenTab,
) -> None:
    await elements.page.set_viewport_size({"width": 1000, "height": 1200})

    result = await elements.do("page_elements")

    assert result["text"] == WHOLE
    assert (result["total"], result["shown"], result["next_offset"]) == (21, 21, None)
    assert (result["title"], result["url"]) == ("Every kind of element", elements.site.url("/elements.html"))
    # At its end a continued list leaves nothing out: neither what came before, nor "0 texts".
    end = (await elements.do("page_elements", offset=len(lines_of(result)) - 3))["text"].splitlines()
    assert (end[-3:-1], re.findall(r"\d+", end[-1])) == (WHOLE.splitlines()[-3:-1], ["2", "21"])


async def test_every_selector_of_the_list_matches_one_interactive_element(elements: DrivenTab) -> None:
    selectors = selectors_of(lines_of(await elements.do("page_elements")))

    assert len(selectors) == 21
    for selector in selectors:
        # Only the mouse finds a hidden one, at its label.
        found = await elements.do("hover" if "hidden" in selector else "wait_for", selector=selector)
        assert (found["matches"], found["element"]["selector"]) == (1, selector)


async def test_password_is_never_shown_only_its_presence_is_reported(elements: DrivenTab) -> None:
    for params in ({}, {"find": "password"}, {"within": "form"}):
        text = (await elements.do("page_elements", **params))["text"]
        assert 'password "Password" filled' in text
        assert "sesame" not in text
        await elements.page.evaluate("document.querySelector('[name=secret]').type = 'text'")


SECRETS = """<label>Dotted <input id=a value=sesame style="-webkit-text-security: disc"></label>
<label>Code <input id=b value=sesame autocomplete="section-login one-time-code"></label>
<label>Card <input id=c value=sesame autocomplete=cc-number></label><label>CVC <input id=cvc value=sesame></label>
<label>Send <input id=e name=otp value=sesame> again</label><label>Town <input id=f value=Lisbon></label>
<button onclick="cvc.value = 'sesame!'; f.value = 'Porto'">Fill</button>"""


async def test_codes_cards_and_dotted_texts_are_secrets_like_passwords(elements: DrivenTab) -> None:
    await elements.show(SECRETS)

    for params in ({}, {"find": "sesame"}, {"find": "Code"}, {"within": "#a"}):
        assert "sesame" not in (await elements.do("page_elements", **params))["text"].replace('matches "sesame"', "")
    lines = lines_of(await elements.do("page_elements"))
    clicked = await elements.do("click", selector="button")

    assert [line.split("  ")[0] for line in lines[:6]] == [
        'password "Dotted" filled',
        'textbox "Code" filled',
        'textbox "Card" filled',
        'textbox "CVC" filled',
        'textbox "Send again" filled',
        'textbox "Town" = "Lisbon"',
    ]
    assert clicked["changed"] == 'input#f "Town" holds "Porto"'


# --- Where lists of elements go wrong: one page for each ---

# By the files `tests/pages/list-*.html`; compared when their selectors are checked, below.
KNOWN_FAILURES = {
    "clickable-without-role": [
        'clickable "Open the drawer"  #open',
        'clickable "Listens by an attribute"  #listening',
        'text "Only text"',
    ],
    "inherited-pointer": ['clickable "One card"  #card', 'text "Next to it"'],
    "inline-wrapper": ['link "Large child"  #wrapper'],
    "menu-in-clickable": ['clickable "Mute Report"  #more', 'text "Mute"', 'text "Report"'],
    "behind-modal": [
        'A dialog "Cookies" lies over the page: only what is in it is listed.',
        'dialog "Cookies"',
        'text "We use cookies."',
        'button "Accept" focused  #accept',
    ],
    "windows": [
        'button "On the desk"  #desk',
        'dialog "Mail"',
        'textbox "To"  [name=to]',
        'button "Send"  [aria-label=Mail] > button',
        'dialog "Notes"',
        'textbox "Note"  [aria-label=Note]',
        'button "Save"  [aria-label=Notes] > button',
    ],
    "passing-toast": ['button "Save"  #save'],
    "label-for-hidden": [
        'checkbox "I agree" off  #terms',
        'file "Choose a picture" empty  #picture',
        'switch "Wifi" off  #wifi',
    ],
    "closed-root": ['button "Five stars"  button'],
    "foreign-frame": [
        "The contents of the frame #pay are not listed, because the frame did not respond.",
        "# Checkout",
        'frame "Payment" of pay.example  #pay',
        'button "Inside"  #inside',
    ],
}


async def test_box_with_only_white_space_is_listed_like_an_empty_one(empty: DrivenTab) -> None:
    style = "width: 50px; height: 50px; margin: 9px; border: 1px solid"
    boxes = "".join(
        f'<div id={name} style="{style}">{content}</div>'
        for name, content in (("bare", ""), ("blank", "\n <!-- here --> "), ("full", "<b hidden>word</b>"))
    )
    await empty.write(boxes)

    lines = lines_of(await empty.do("page_elements"))

    assert [line.split("  ")[-1] for line in lines if line.startswith("box")] == ["#bare", "#blank"]


async def test_control_of_a_label_is_clicked_by_the_selector_of_its_line(empty: DrivenTab) -> None:
    await empty.write_page(text_of("list-label-for-hidden.html"))

    for selector in ("#terms", "#wifi"):
        assert (await empty.do("click", selector=selector))["checked"] is True

    lines = lines_of(await empty.do("page_elements"))
    assert {'checkbox "I agree" on  #terms', 'switch "Wifi" on focused  #wifi'} <= set(lines)


async def test_toast_is_listed_as_a_message_as_long_as_it_is_there(empty: DrivenTab) -> None:
    await empty.write_page(text_of("list-passing-toast.html"))
    await empty.do("click", selector="#save")

    assert 'status "Saved as draft 7"' in lines_of(await empty.do("page_elements"))
    await empty.page.evaluate("document.querySelector('#toasts').textContent = ''")
    assert len(lines_of(await empty.do("page_elements"))) == 1


async def test_two_hundred_identical_links_are_counted_and_their_pattern_lists_them(empty: DrivenTab) -> None:
    await empty.page.set_viewport_size({"width": 1000, "height": 700})
    await empty.write_page(text_of("list-many-links.html"))

    result = await empty.do("page_elements")

    (more,) = [line for line in lines_of(result) if " more " in line]
    listed = [line for line in lines_of(result) if "Result number" in line]
    assert more == f'{200 - len(listed)} more links like "li > a"'
    assert result["total"] == 203
    assert len(set(selectors_of(await all_lines(empty, within="li > a")))) == 200


async def test_fixed_cover_hides_the_page_behind_it(empty: DrivenTab) -> None:
    await empty.write_page(text_of("list-behind-modal.html"))
    await empty.page.evaluate("document.querySelector('#modal').close()")
    without = await empty.do("page_elements")
    await empty.page.evaluate("document.querySelector('#cover').hidden = false")

    covered = await empty.do("page_elements")

    assert selectors_of(lines_of(without)) == ["#behind"]
    assert lines_of(covered)[0] == "A dialog lies over the page: only what is in it is listed."
    assert selectors_of(lines_of(covered)) == ["#on-cover"]


@pytest.mark.parametrize("contents", ["", '<img alt="A sunset" style="width: 100%; height: 100%">'])
async def test_page_below_an_empty_cover_is_listed_with_a_notice_about_it(empty: DrivenTab, contents: str) -> None:
    await empty.write_page(text_of("list-behind-modal.html"))
    await empty.page.evaluate("document.querySelector('#modal').close()")
    await empty.page.evaluate(
        "contents => { document.querySelector('#cover').innerHTML = contents; document.querySelector('#cover').hidden = false }",
        contents,
    )

    notice, *lines = lines_of(await empty.do("page_elements"))

    assert "#cover" in notice
    assert "#behind" in selectors_of(lines)


async def test_panel_that_hides_parts_of_the_page_comes_first_and_each_of_its_elements_is_listed(
    empty: DrivenTab,
) -> None:
    await empty.write_page(text_of("list-panel-above.html"))

    lines = lines_of(await empty.do("page_elements"))
    covered = lines_of(await empty.do("page_elements", within="#below"))
    inner = lines_of(await empty.do("page_elements", within="#panel"))
    # Such as a link for screen readers that skips the menus.
    await empty.page.evaluate("void (document.querySelector('#below').style.clipPath = 'inset(50%)')")
    alone = lines_of(await empty.do("page_elements"))

    notice = "Open above the page: popover  #panel"
    assert lines[:2] == [notice, 'button "Done"  #panel > button']
    # Also above the part that it covers.
    assert (notice in covered, notice in inner) == (True, False)
    assert [line.partition("  ")[0] for line in lines[2:14]] == [f'link "Choice {number}"' for number in range(12)]
    # It hides nothing: it may be a part of the page.
    assert not alone[0].startswith("Open above the page")


# --- Narrowing and paging ---


@pytest.mark.parametrize(
    ("find", "found"),
    [
        ("docker", ["#docker"]),
        ("LOVELACE", ["[name=customer]"]),
        ("button det", ["button text=Details"]),
        ("note textbox", ["[title=Note]"]),
        ("duration:", ["tr:nth-of-type(1)", "tr:nth-of-type(2)"]),
        ("nothing like it", []),
    ],
)
async def test_find_searches_roles_names_values_and_texts(elements: DrivenTab, find: str, found: list[str]) -> None:
    result = await elements.do("page_elements", find=find)

    assert selectors_of(lines_of(result)) == found
    assert ("Nothing here matches" in result["text"]) is (not found)


async def test_within_lists_a_part_of_the_page_and_accepts_any_selector(elements: DrivenTab) -> None:
    inside = await elements.do("page_elements", within="table")
    rows = [line.split("  ")[0] for line in lines_of(inside) if line != "-- out of sight --"]
    assert rows == ['row "Duration: | 3 h"', 'row "Duration: | 4 h"']
    assert selectors_of(lines_of(await elements.do("page_elements", within="text=Docker"))) == ["#docker"]

    assert (await elements.refused("page_elements", within="table["))[0] == "INVALID_SELECTOR"
    code, message = await elements.refused("page_elements", within="#dockerr")
    assert code == "ELEMENT_NOT_FOUND"
    assert "#docker " in message.partition("Did you mean")[2]


@pytest.mark.parametrize("params", [{"offset": -1}, {"offset": 1.5}, {"find": 5}, {"within": "a" * 2_001}])
async def test_parameters_of_a_wrong_type_are_rejected(elements: DrivenTab, params: dict[str, object]) -> None:
    assert (await elements.refused("page_elements", **params))[0] == "INVALID_ARGUMENT"


async def test_pages_of_a_long_list_contain_each_element_once(empty: DrivenTab) -> None:
    """Each field has its own shape, so none is merely counted."""
    tags = ["b", "i", "u", "s", "em", "q"]
    paths = [(one, two, three) for one in tags for two in tags for three in tags]
    fields = [
        f"<{one}><{two}><{three}><input aria-label='Field {number}'></{three}></{two}></{one}>"
        for number, (one, two, three) in enumerate(paths)
    ]
    await empty.write("<h1>Fields</h1>" + "".join(fields))

    overview = await all_lines(empty)
    found = await all_lines(empty, find="field")

    # The heading is a line, but not an element.
    part = await empty.do("page_elements")
    elements, lines_of_all, end = len(paths), len(paths) + 1, part["next_offset"]
    counts = [int(count) for count in re.findall(r"\d+", part["text"].splitlines()[-1])]
    assert counts == [part["shown"], elements, 1, end, lines_of_all, end]
    for lines in (overview, found):
        numbers = [int(named[1]) for line in lines if (named := re.match(r'textbox "Field (\d+)"', line))]
        assert sorted(numbers) == list(range(len(paths)))
    assert (await empty.refused("page_elements", offset=10_000))[0] == "INVALID_ARGUMENT"


# --- Completeness, on all pages ---


@asynccontextmanager
async def extension_world(tab: DrivenTab) -> AsyncGenerator[tuple[CDPSession, int]]:
    """Return the world of the extension's page functions in the tab's main frame."""
    session = await tab.page.context.new_cdp_session(tab.page)
    contexts: list[dict[str, Any]] = []

    def keep(event: dict[str, Any]) -> None:
        contexts.append(event["context"])

    session.on("Runtime.executionContextCreated", keep)
    await session.send("Runtime.enable")
    tree = await session.send("Page.getFrameTree")
    main = tree["frameTree"]["frame"]["id"]
    (own,) = [
        context["id"]
        for context in contexts
        if context["origin"].startswith("chrome-extension") and context["auxData"]["frameId"] == main
    ]
    yield session, own
    await session.detach()


ACTED_ON = {
    *("button", "link", "textbox", "searchbox", "combobox", "checkbox", "radio", "switch", "slider", "spinbutton"),
    *("tab", "menuitem", "menuitemcheckbox", "menuitemradio", "treeitem", "ColorWell", "Date", "InputTime"),
    *("DisclosureTriangle", "ListBox"),
}
# In the extension's world, which sees closed roots: marks the elements that a selector or a pattern of the list matches.
MARK = """([listed, labeled]) => {
  const all = search.allRoots().flatMap((root) => [...root.querySelectorAll("*")]);
  const textOf = (element) => element.textContent.trim().replace(/\\s+/g, " ");
  // A form may have a field with the name `matches`.
  const isMatch = (element, css) => Element.prototype.matches.call(element, css);
  for (const element of all) {
    const isLabeled = labeled.some(([css, label]) => isMatch(element, css) && textOf(element) === label);
    element.toggleAttribute("data-is-listed", isLabeled || isMatch(element, listed));
  }
}"""


def unlisted(node: dict[str, Any], *, is_listed: bool = False) -> Iterator[int]:
    """Return the browser's ids of the nodes that are neither marked nor in a marked element.

    The browser's own parts of a date field stand for the field.
    """
    is_listed = is_listed or "data-is-listed" in node.get("attributes", [])
    if not is_listed:
        yield node["backendNodeId"]
    for part in ("children", "shadowRoots", "pseudoElements"):
        for child in node.get(part, []):
            yield from unlisted(child, is_listed=is_listed)


async def left_out(session: CDPSession, world: int, selectors: list[str]) -> tuple[int, list[str]]:
    """Return the number of interactive nodes in the browser's accessibility tree, and those that no selector matches."""
    nodes = (await session.send("Accessibility.getFullAXTree"))["nodes"]
    acted_on = [node for node in nodes if not node["ignored"] and node["role"]["value"] in ACTED_ON]
    last_parts = [selector.rpartition(">>>")[2].strip() for selector in selectors]
    listed = ", ".join(part for part in last_parts if " text=" not in part)
    labeled = [part.split(" text=") for part in last_parts if " text=" in part]
    marking = f"({MARK})({json.dumps([f':is({listed})', labeled])})"
    marked = await session.send("Runtime.evaluate", {"expression": marking, "contextId": world})
    assert "exceptionDetails" not in marked, marked
    document = await session.send("DOM.getDocument", {"depth": -1, "pierce": True})
    missing = set(unlisted(document["root"]))
    return len(acted_on), [
        f"{node['role']['value']} {node.get('name', {}).get('value')}"
        for node in acted_on
        if node["backendDOMNodeId"] in missing
    ]


# Two pages have their own tests, above and in `test_frames`; these have the same kinds of elements as others.
ALIKE = {
    *("answered.html", "clicking.html", "closable-tabs.html", "controlled-fields.html", "data-layer.html"),
    *("drawn-editor.html", "framed.html", "half-canvas.html", "injections.html", "lists.html", "one-row-table.html"),
    *("readiness.html", "rows-by-style.html", "saved.html", "selectors.html"),
}
WRITTEN = sorted({path.name for path in WRITTEN_PAGES.glob("*.html")} - {"elements.html", "frames.html"} - ALIKE)
# Each list has several pages; larger ones take longer and show nothing new.
GENERATED = {"60 kB shop": ("shop", 60_000), "60 kB list": ("list", 60_000)}


@pytest.mark.parametrize("name", [*WRITTEN, *GENERATED])
async def test_every_selector_is_unique_and_what_the_browser_calls_interactive_is_listed_or_counted(
    empty: DrivenTab, name: str
) -> None:
    await empty.page.set_viewport_size({"width": 1000, "height": 700})
    await empty.write_page(page_of(*GENERATED[name]) if name in GENERATED else text_of(name))

    lines = await all_lines(empty)

    assert lines == KNOWN_FAILURES.get(name.removeprefix("list-").removesuffix(".html"), lines)
    selectors = selectors_of(lines)
    patterns = [found[1] for line in lines if (found := re.search(r' more .* like "(.+)"$', line))]
    async with extension_world(empty) as (session, world):
        several = f"{json.dumps(selectors)}.filter((selector) => new search.Search(selector).find().length !== 1)"
        asked = {"expression": several, "contextId": world, "returnByValue": True}
        assert (await session.send("Runtime.evaluate", asked))["result"]["value"] == []
        count, missing = await left_out(session, world, selectors + patterns)
    assert len(missing) <= 0.02 * count, missing


def test_every_page_on_which_lists_go_wrong_is_compared() -> None:
    assert {f"list-{name}.html" for name in KNOWN_FAILURES} <= set(WRITTEN)


async def test_distant_elements_of_a_large_page_are_counted_like_near_ones(empty: DrivenTab) -> None:
    """Far outside of the viewport only interactive elements are examined."""
    far = (
        "<h2>Far heading</h2><p>Far text</p><div style='cursor: pointer'>Far clickable</div>"
        "<label for=far-box>Far box</label><input type=checkbox id=far-box style='display: none'>"
        "<button hidden>Hidden</button><a href=#none></a><a href=#drag>Far <b style='cursor: grab'>link</b></a>"
        "<div style='cursor: pointer'><img alt='' src='data:,' width=20 height=20><a href=#card>Far card</a></div>"
        "<p><input type=checkbox aria-label='Far switch' style='opacity: 0'><i style='cursor: pointer; position: absolute;"
        " left: 0; width: 30px; height: 20px'></i></p>"
        "<p><select tabindex=-1 style='position: absolute; width: 1px; height: 1px; clip-path: inset(50%)'><option>Far"
        "</select></p><table><tr><th aria-sort=none><button>Far column</button></th></tr></table>"
    )
    links = "".join(f"<li><a href='#{number}'>Link {number}</a>" for number in range(200))
    await empty.write(f"<p>Near text</p><div style='height: 9000px'></div><div>{far}</div><ul>{links}</ul>")

    below = await empty.do("page_elements")
    await empty.page.evaluate("scrollTo(0, 9000)")
    above = await empty.do("page_elements")

    for result in (below, above):
        lines = lines_of(result)
        assert {'clickable "Far clickable"', 'checkbox "Far box" off'} <= {line.split("  ")[0] for line in lines}
        assert "# Far heading" in lines
        assert result["total"] == 206
    assert 'text "Near text"' in lines_of(below)
    assert 'text "Far text"' not in below["text"]
    assert 'text "Far text"' in lines_of(above)
    assert "texts out of sight are left out" in below["text"]


# --- Pages rendered by scripts ---


async def test_first_content_of_a_page_is_waited_for_after_a_navigation(empty: DrivenTab) -> None:
    await empty.open("/acting/late-content.html#toolbar")
    assert [line.split()[0] for line in lines_of(await empty.do("page_elements"))] == ["button", "button"]
    # Control: a page that stays empty is reported as empty, within the time of a command.
    await empty.open("/blank")
    still = await empty.do("page_elements")
    assert (still["total"], [line.startswith("The page is still loading (") for line in lines_of(still)]) == (0, [True])
    assert lines_of(await empty.do("page_elements", find="Save")) == []

    await empty.open("/acting/late-content.html")
    assert [line.split()[0] for line in lines_of(await empty.do("page_elements"))] == ["button"]


async def test_requests_that_a_page_sends_again_and_again_are_not_its_loading(empty: DrivenTab) -> None:
    site = empty.site
    await empty.open("/acting/late-content.html")
    site.finish_slow.set()
    for _ in range(3):
        await empty.page.evaluate("fetch('/late').then((answer) => answer.text())")
    site.finish_slow.clear()

    async def listed_with(path: str, count: int, send: str = "path => void fetch(path)") -> str:
        await empty.page.evaluate(send, path)

        async def is_known() -> bool:
            requests = (await empty.do("network_requests"))["entries"]
            return [request["url"] for request in requests].count(site.url(path)) == count

        await until(is_known)
        return (await empty.do("page_elements"))["text"]

    assert "loading" not in await listed_with("/late", 4)
    # The browser does not report the end of a worker's script.
    assert "loading" not in await listed_with("/worker.js", 1, "path => void new Worker(path)")
    assert "loading (1 request)" in await listed_with("/slow", 1)
    # What the page before has requested does not count.
    await empty.page.evaluate("() => void fetch('/slow', { keepalive: true })")
    await empty.open("/elements.html")
    assert "loading" not in (await empty.do("page_elements"))["text"]
    site.finish_slow.set()


# --- Cost ---


async def test_listing_makes_no_more_browser_calls_than_needed(driven: DrivenTab) -> None:
    await driven.show("<button>Buy</button>")

    async with counted(driven) as first:
        await driven.do("page_elements")
    async with counted(driven) as again:
        result = await driven.do("page_elements")

    assert 'button "Buy"  button' in lines_of(result)
    # The tab and the page; the first time both again for the files, and again once they are loaded.
    assert first == {"tabs": 3, "pages": 3}
    assert again == {"tabs": 1, "pages": 1}


async def test_table_of_thousands_of_fields_and_labels_is_listed_and_read_in_time(empty: DrivenTab) -> None:
    fields = "<td><input type=checkbox checked><td><label><input type=radio checked>Yes</label><td><input>"
    rows = "".join(f"<tr><td>Item {number}{fields}<td><button>Edit</button>" for number in range(2_000))
    await empty.write(f"<table>{rows}</table>")

    # A search in the labels or rows of the whole page for each field would take longer than a command may.
    assert len(lines_of(await empty.do("page_elements", find="Item 1999"))) > 1
    for content in ("all", "main"):
        assert "Item 1999" in (await empty.do("read_tab", content=content))["text"]
