"""What the list of a page's elements contains, and how it is worded: page functions alone, without the extension."""

import json
from collections.abc import Generator
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.extension.conftest import WRITTEN_PAGES
from tests.extension.test_page_elements import Elements
from tests.support.browser import launch_chromium

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def tab() -> Generator[Page]:
    with launch_chromium() as browser:
        yield browser.new_page(viewport={"width": 1000, "height": 700})


@pytest.fixture
def elements(tab: Page) -> Elements:
    return Elements(tab)


def listed(elements: Elements, **request: Any) -> dict[str, Any]:
    whole = {"find": "", "within": "", "offset": 0, "framed": {}, **request}
    return elements.evaluate(f"chromeTabReader.list({json.dumps(whole)})")


def lines_of(elements: Elements, **request: Any) -> list[str]:
    """Return the lines without the last one, which is about the list."""
    return listed(elements, **request)["text"].splitlines()[:-1]


GRID = "display:block;position:absolute;"
LISTS = {
    # --- What is drawn is listed, whatever surrounds it
    "body that does not scroll": (
        "<body style='overflow:hidden'><div style='position:absolute;inset:0'><button>a</button></div>",
        ['button "a"  button'],
    ),
    "holder without a box": (
        "<div style='display:contents;overflow:hidden'><button>a</button></div>",
        ['button "a"  button'],
    ),
    "cut off by an ancestor without height": (
        "<div style='height:0;overflow:hidden'><button>cut</button><i style='position:fixed;top:90px'><button>b</button></i>"
        "</div>",
        ['button "b"  i > button'],
    ),
    "cut off by a positioned ancestor": (
        "<div style='height:0;overflow:hidden;position:relative'><b style='position:absolute'><button>cut</button></b></div>"
        "<button>b</button>",
        ['button "b"  body > button'],
    ),
    # --- What can be acted on
    "control in something clickable": (
        "<div style='cursor:pointer'>Invoice 17 <span role=button tabindex=0>x</span></div>",
        ['clickable "Invoice 17"  div', 'button "x"  span'],
    ),
    "clickable that is nothing but its control": (
        "<div style='cursor:pointer'> <a href=#a>Open</a></div>",
        ['link "Open"  [href="#a"]'],
    ),
    "focusable region": (
        "<div role=region tabindex=0 aria-label=Results>12 hits</div><section tabindex=0>read</section>"
        "<div tabindex=0>stop</div>",
        ['text "12 hits"', 'text "read"', 'clickable "stop"  div:nth-of-type(2)'],
    ),
    "days of a calendar": (
        "<table role=grid><tr><td tabindex=0>1<td tabindex=-1>2</table><p>3",
        ['gridcell "1"  td:nth-of-type(1)', 'gridcell "2"  td:nth-of-type(2)', 'text "3"'],
    ),
    # --- Names
    "icon that is hidden from names": (
        "<button title=Save><span aria-hidden=true>disk</span></button>",
        ['button "Save"  [title=Save]'],
    ),
    "texts that stand apart": (
        "<button><span>Inbox</span><span style='display:inline-block'>3</span></button>",
        ['button "Inbox 3"  button'],
    ),
    "text that a style adds": (
        "<style>#b::after{content:' now' url('data:,x')}</style><button id=b>Buy</button>",
        ['button "Buy now"  #b'],
    ),
    "hidden parts of what names it": (
        "<button id=b aria-labelledby=l></button><p id=l>Shown<i hidden>not</i></p>"
        "<button id=c aria-labelledby=h></button><p id=h hidden>Hidden</p>",
        ['button "Shown"  #b', 'text "Shown"  #l', 'button "Hidden"  #c'],
    ),
    "words that a picture repeats": (
        "<div tabindex=0><img alt='Python 3' width=9 height=9><p>Python 3</div>",
        ['clickable "Python 3"  div'],
    ),
    "field in the label of another": (
        "<label><input type=checkbox id=c> Flash <input id=n value=3> times</label>",
        ['checkbox "Flash 3 times" off  #c', 'textbox next to "Flash" = "3"  #n'],
    ),
    "named field in the label of another": (
        "<label><input type=checkbox id=c> Flash <input id=n aria-label=count value=3> times</label>",
        ['checkbox "Flash 3 times" off  #c', 'textbox "count" = "3"  #n'],
    ),
    "link whose picture is named elsewhere": (
        "<a href=#x id=a>To <img width=9 height=9 aria-labelledby=l></a><p id=l>the map",
        ['link "To the map"  #a', 'text "the map"'],
    ),
    "branch of a tree": (
        "<ul role=tree><li role=treeitem aria-expanded=true tabindex=0 id=t>Fruit<ul role=group>"
        "<li role=treeitem tabindex=-1 id=a>Apple</ul></ul>",
        ['treeitem "Fruit" expanded  #t', 'treeitem "Apple"  #a'],
    ),
    "icons without words": (
        "<button id=a><i class='fa fa-trash'></i></button><button id=b><svg width=9 height=9><use href='#icon-save'/></svg>"
        "</button><button id=c data-tooltip=Print></button>",
        ['button icon "trash"  #a', 'button icon "save"  #b', 'button tooltip "Print"  #c'],
    ),
    "copy that is measured only": (
        "<div aria-hidden=true style='position:absolute;width:1px;height:1px;overflow:hidden'><button>Copy</button></div>"
        "<button>Booking</button>",
        ['button "Booking"  body > button'],
    ),
    "picture with a name": (
        "<svg aria-label=Logo width=60 height=60><circle cx=30 cy=30 r=20 /></svg><button>Go</button>",
        ['button "Go"  button'],
    ),
    "sheet with something on it": (
        "<div style='cursor:crosshair;width:300px;height:300px' id=sheet><div role=button tabindex=0>Node</div></div>",
        ["draggable 300x300  #sheet", 'button "Node"  #sheet > div'],
    ),
    "field that a link stands next to": (
        "<table><tr><td><a href=#s>Subtitle</a><td><input id=s><tr><td><a href=#n>More</a> <button>Go</button><td><input id=n></table>",
        [
            'link "Subtitle"  [href="#s"]',
            'textbox next to "Subtitle"  #s',
            'link "More"  [href="#n"]',
            'button "Go"  button',
            "textbox  #n",
        ],
    ),
    "field that a text stands next to": (
        "<table><tr><td>Subtitle<td><input id=s></table><button>Go</button> <input id=n>",
        ['row "Subtitle"', 'textbox next to "Subtitle"  #s', 'button "Go"  button', "textbox  #n"],
    ),
    # --- Order
    "rows and cells that are placed freely": (
        "<div role=grid><div role=row aria-rowindex=3><div role=gridcell aria-colindex=2>3 min</div>"
        "<div role=gridcell aria-colindex=1><a href=#c>c</a></div></div>"
        "<div role=row aria-rowindex=2><div role=gridcell><a href=#b>b</a></div><div role=gridcell>2 min</div></div></div>",
        ['row "b | 2 min"', 'link "b"  [href="#b"]', 'row "c | 3 min"', 'link "c"  [href="#c"]'],
    ),
    "rows by their places": (
        f"<div role=grid><div role=row style='{GRID}top:60px'>below</div><div role=row style='{GRID}top:20px'>above</div></div>",
        ['row "above"', 'row "below"'],
    ),
    # --- Drawings
    "nodes and ports of a drawing": (
        "<svg width=300 height=100><g style='cursor:move'><rect width=80 height=30 /><text y=20>inject</text>"
        "<g style='cursor:crosshair'><rect width=10 height=10 x=80 /></g></g><circle cx=200 cy=50 r=20 /></svg>",
        [
            'draggable "inject"  svg > g',
            "draggable black 10x10 at 80,0  g > g",
            "circle black 40x40 at 180,30  circle",
        ],
    ),
    "node of a drawing with many shapes": (
        f"<svg width=400 height=100>{'<rect width=4 height=4 />' * 70}<g style='cursor:move'><rect width=80 height=30 />"
        "<text y=20>inject</text></g></svg>",
        ['draggable "inject"  g'],
    ),
    "part of a drawing without size": (
        "<svg width=300 height=100><g style='cursor:move'></g><g style='cursor:move'><rect width=80 height=30 /></g></svg>",
        ["draggable black 80x30 at 0,0  g:nth-of-type(2)"],
    ),
    "long class name of a box": (
        "<p>read</p><div class=a-very-long-class-name-of-a-box style='width:90px;height:90px;background:red'></div>",
        ['text "read"', "box .a-very-long-class-name-of-a-box red 90x90  .a-very-long-class-name-of-a-box"],
    ),
    "shapes that can be acted on": (
        "<svg width=200 height=60><circle onclick='1' cx=30 cy=30 r=10 fill=red /><rect onclick='1' x=60 y=20 width=30"
        " height=10 fill=blue /></svg>",
        ["clickable circle red 20x20 at 20,20  circle", "clickable rect blue 30x10 at 60,20  rect"],
    ),
    "table in a canvas": (
        "<canvas><table role=grid><tr><th>id<th>state<tr><td>EV0<td>free</table></canvas>",
        ["canvas  canvas", 'row "id | state"', 'row "EV0 | free"'],
    ),
    # --- Noise
    "texts for screen readers, glyphs and what cannot be seen": (
        "<span style='position:absolute;width:1px;height:1px;overflow:hidden'>spoken</span><p>&#xf0d7;</p>"
        "<div style='width:90px;height:90px;background:red;opacity:0'></div><p>read</p>",
        ['text "read"'],
    ),
    # --- Overlays
    "page that is a fixed layer": (
        "<div style='position:fixed;inset:0'><button>app</button></div>"
        "<div style='position:absolute;top:40px;left:300px;z-index:9'><button>menu</button></div>",
        ['button "app"  button text=app', 'button "menu"  button text=menu'],
    ),
    "list above a dialog": (
        "<button>behind</button><div role=dialog aria-modal=true aria-label=Edit "
        "style='position:fixed;inset:100px;background:#fff'><button>Save</button></div>"
        "<div role=listbox style='position:fixed;top:140px;left:300px;background:#eee'><div role=option>one</div></div>",
        [
            'A dialog "Edit" lies over the page: only what is in it or above it is listed.',
            'dialog "Edit"',
            'button "Save"  [aria-label=Edit] > button',
            'option "one"  [role=option] text=one',
        ],
    ),
    "open menu": (
        "<button aria-controls=m>File</button><div id=m role=menu style='position:absolute;top:90px;z-index:9'>"
        "<div role=menuitem tabindex=-1>Open</div></div>",
        ['Open above the page: menu "File"  #m', 'menuitem "Open"  #m > div', 'button "File"  button'],
    ),
}


@pytest.mark.parametrize("name", LISTS)
def test_page_is_listed_as_a_user_sees_it(elements: Elements, name: str) -> None:
    body, lines = LISTS[name]
    elements.show(body)

    assert lines_of(elements) == lines


def test_page_without_interactive_elements_does_not_claim_to_list_any(elements: Elements) -> None:
    elements.show("<p>read</p>")
    texts = listed(elements)
    elements.show("<p>read</p><button>a</button>")

    assert (texts["total"], texts["text"].splitlines()[-1]) == (0, "Nothing here can be acted on.")
    assert listed(elements)["text"].splitlines()[-1] == "1 element, all listed."


def test_shapes_and_boxes_on_a_page_with_enough_other_elements_are_listed_only_on_search(elements: Elements) -> None:
    box = "<div id=box style='width:90px;height:90px;background:red'></div>"
    elements.show(box + "".join(f"<button id=b{number}>{number}</button>" for number in range(30)))

    assert not any(line.startswith("box") for line in lines_of(elements))
    assert lines_of(elements, find="box") == ["box red 90x90  #box"]


def test_value_is_searched_completely_and_shown_completely_when_listed_alone(elements: Elements) -> None:
    value = "first line\n" + "words " * 300 + "needle"
    elements.show(f"<textarea id=t>{value}</textarea><input type=password value=needle><button>a</button>")

    (found,) = lines_of(elements, find="needle")
    (whole,) = lines_of(elements, within="#t")

    assert found.endswith('..."  #t')
    assert whole == 'textbox = "{}"  #t'.format(" ".join(value.split(" ")).replace("\n", "\\n"))


# --- Pages that are still being drawn


@pytest.mark.parametrize(
    "sign", ["<main aria-busy=true>some</main>", "<div class=card-skeleton style='width:90px;height:9px'></div>"]
)
def test_page_that_is_still_drawing_is_reported(elements: Elements, sign: str) -> None:
    elements.show(f"<button>a</button>{sign}")
    loading = lines_of(elements)
    elements.show("<button>a</button><main aria-busy=false>some</main><div class=card-skeleton>done</div>")

    assert loading[0].startswith("The page is still loading (")
    assert 'button "a"  button' in loading
    assert lines_of(elements)[0] == 'button "a"  button'


# --- Repetition


def test_toolbar_is_listed_completely_and_repetitions_are_counted_with_an_exact_pattern(elements: Elements) -> None:
    tools = "".join(f"<button class=tool-{name} title={name}>*</button>" for name in "abcdefghijklmn")
    rows = "".join(
        f"<li><a href='#{n}'>Item {n}</a> <button>Add to cart</button> <a class=by href='#by{n}'>{'abc'[n % 3] * 30}</a>"
        for n in range(150)
    )
    elements.show(f"<div role=toolbar>{tools}</div><ul>{rows}</ul>")

    lines = lines_of(elements)
    patterns = [line.split('"')[1] for line in lines if " more " in line]

    assert sum("title=" in line for line in lines) == 14
    assert sum('button "Add to cart"' in line for line in lines) == 3
    assert len("\n".join(lines)) > 2_000
    assert len(patterns) == 3
    for pattern in patterns:
        assert elements.page.evaluate("(pattern) => document.querySelectorAll(pattern).length", pattern) == 150


def test_fields_and_a_short_menu_are_never_collapsed(elements: Elements) -> None:
    menu = "".join(f"<li role=menuitem tabindex=-1>Choice {chr(97 + n)} of the menu</li>" for n in range(30))
    links = "".join(f"<p><a href='#{n}'>{'word ' * 9}{n}</a></p>" for n in range(300))
    fields = "".join(f"<p><input aria-label='Field {n}'></p>" for n in range(18))
    elements.show(f"<ul role=menu>{menu}</ul>{fields}{links}")

    lines = lines_of(elements)

    assert sum(line.startswith("menuitem") for line in lines) == 30
    assert sum(line.startswith("textbox") for line in lines) == 18
    assert lines[-1].endswith(' more links like "a"')


# --- Selectors

SELECTORS = {
    "id of a library": ("<button id=':r1:' title=Go>Go</button>", "[title=Go]"),
    "id with a number of a library": ("<p><button id=react-aria8843963194-x>Go</button></p>", "button"),
    "end of a generated id": (
        "<button id='radix-:r1:-trigger-usage'>Go</button>",
        '[id$="-trigger-usage"]',
    ),
    "class of a library": ("<p><button class=st-emotion-cache-1ab>Go</button></p><button>a</button>", "p > button"),
    "class that names what it is": ("<button class='css-1x save-button'>Go</button><button>a</button>", ".save-button"),
    "class of a state": ("<p><button class=selected>Go</button></p><button>a</button>", "p > button"),
    "own id": ("<button id=go title=Go>Go</button>", "#go"),
}


@pytest.mark.parametrize("name", SELECTORS)
def test_selector_is_short_and_survives_a_redraw(elements: Elements, name: str) -> None:
    body, selector = SELECTORS[name]
    elements.show(body)

    assert lines_of(elements)[0].split("  ")[1] == selector


def test_button_in_a_host_with_the_same_name_is_reached_through_the_host(elements: Elements) -> None:
    elements.show(
        "<x-b aria-label='New'></x-b><x-b aria-label='Old'></x-b><script>"
        "for (const host of document.querySelectorAll('x-b')) {"
        "  const label = host.getAttribute('aria-label');"
        "  host.attachShadow({ mode: 'open' }).innerHTML = `<button aria-label='${label}'>${label}</button>`;"
        "}</script>"
    )

    selectors = [line.split("  ")[1] for line in lines_of(elements)]

    assert selectors == ["[aria-label=New] >>> button", "[aria-label=Old] >>> button"]
    for selector in selectors:
        assert elements.evaluate(f"new search.Search({json.dumps(selector)}).find().length") == 1


def test_no_selector_counts_siblings_where_something_stable_leads_to_the_element(elements: Elements) -> None:
    elements.show((WRITTEN_PAGES / "stable-selectors.html").read_text(encoding="utf-8"))

    lines = lines_of(elements)

    selectors = [line.split("  ")[1] for line in lines if "  " in line]
    assert selectors == [
        *("li text=File", "li text=Edit", "[data-palette-type=inject]", "[data-palette-type=debug]"),
        *('[href="#title"]', 'tr:has([href="#title"]) input', '[href="#subtitle"]', 'tr:has([href="#subtitle"]) input'),
        *('[aria-rowindex="1"] > div', '[aria-rowindex="2"] > div'),
        # Generated ids and figures do not outlive anything.
        *("p > button:nth-of-type(1)", "p > button:nth-of-type(2)"),
        *("button text=Deploy all", "button text=Deploy"),
    ]
    for selector in selectors:
        assert elements.evaluate(f"new search.Search({json.dumps(selector)}).find().length") == 1


def test_icon_that_closes_a_tab_is_listed_and_is_not_in_the_name_of_the_tab(elements: Elements) -> None:
    elements.show((WRITTEN_PAGES / "closable-tabs.html").read_text(encoding="utf-8"))

    assert lines_of(elements) == [
        'tab "data.csv"  [role=tab] text=data.csv',
        'clickable "Close data.csv"  [title="Close data.csv"]',
        'tab "notes.md"  div:nth-of-type(2)',
        'clickable "✕"  .close',
        'tab "old.txt *"  div:nth-of-type(3)',
    ]
