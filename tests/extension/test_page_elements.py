"""The files that find elements and act on them, alone in a page: without the extension, and with short waits."""

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.support.browser import IsolatedWorld, launch_chromium, show

pytestmark = pytest.mark.e2e

EXTENSION = Path(__file__).parents[2] / "extension"
FOLDER = EXTENSION / "page" / "interaction"
LIMITS = {"find": 100, "ready": 150}


def files() -> list[str]:
    """Return the files in the order in which the worker injects them."""
    groups = json.loads((EXTENSION / "page" / "files.json").read_text(encoding="utf-8"))
    return [*groups["interaction"], *groups["elementList"]]


class Elements:
    """A page with the files injected."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._world: IsolatedWorld | None = None

    def show(self, body: str) -> None:
        show(self.page, f"<!doctype html><meta charset=utf-8>{body}")
        self._world = IsolatedWorld(self.page)
        self.evaluate("\n".join((EXTENSION / path).read_text(encoding="utf-8") for path in files()))

    def write(self, body: str) -> None:
        """Show another body without a navigation, with the files of the first one: for calls that keep no state."""
        if self._world:
            # Constants of the body before are still there.
            body = body.replace("<script>", "<script>{").replace("</script>", "}</script>")
            self.page.set_content(f"<!doctype html><meta charset=utf-8>{body}")
        else:
            self.show(body)

    def evaluate(self, program: str) -> Any:
        assert self._world
        return self._world.evaluate(program)

    def act(self, action: str, selector: str, limits: dict[str, int] = LIMITS, **more: object) -> dict[str, Any]:
        request = {"id": "1", "action": action, "selector": selector, "limits": limits, "isInFront": True, **more}
        return self.evaluate(f"chromeTabReader.act({json.dumps(request)}).catch(chromeTabReader.failure)")

    def chosen(self, selector: str, action: str = "click", **more: Any) -> str:
        """Return the selector of the element that is chosen."""
        answer = self.act(action, selector, **more)
        assert answer["code"] == "", answer
        return answer["element"]["selector"]

    def refusal(self, selector: str, action: str = "click", **more: Any) -> tuple[str, str]:
        answer = self.act(action, selector, **more)
        return answer["code"], answer.get("message", "")


@pytest.fixture(scope="module")
def tab() -> Generator[Page]:
    with launch_chromium() as browser:
        yield browser.new_page()


@pytest.fixture(scope="module")
def elements(tab: Page) -> Elements:
    """One page, in which most tests write a body of their own; those that keep state in the files load it."""
    return Elements(tab)


def test_every_file_of_the_folder_is_injected_into_the_page() -> None:
    assert sorted(files()) == sorted(path.relative_to(EXTENSION).as_posix() for path in FOLDER.glob("*.js"))


# --- text=


def test_text_over_several_lines_matches_the_link_and_not_its_container(elements: Elements) -> None:
    elements.write("<nav><a href=#1 id=in>Sign<br>in</a><a href=#2 id=help>Help</a></nav>")

    assert elements.chosen("text=Sign in") == "#in"
    assert elements.chosen("text=Help") == "#help"


def test_text_of_blocks_in_capitals_or_with_soft_hyphens_is_found_where_it_is_drawn(elements: Elements) -> None:
    elements.write(
        "<section><p id=blocks><b style='display:block'>a</b><b style='display:block'>b</b></p></section>"
        "<section><p id=capitals style='text-transform: uppercase'>\u00df</p></section>"
        "<section><p id=hyphens>Lebens&shy;mittel</p></section>"
    )

    assert elements.chosen("text=a b") == "#blocks"
    assert elements.chosen("text=SS") == "#capitals"
    assert elements.chosen("text=Lebensmittel") == "#hyphens"


# As a model or a keyboard writes it, and as the page does.
WRITTEN = [
    ("Don't save", "Don\u2019t save"),
    ('Print "A-1"...', "Print \u201cA\u20131\u201d\u2026"),
    ("Caf\u00e9 menu", "Cafe\u0301 menu"),
    ("full size", "\uff26\uff55\uff4c\uff4c\u3000\uff33\uff49\uff5a\uff45"),
    ("Strasse", "Stra\u00dfe"),
]


def test_text_is_found_however_its_characters_are_written(elements: Elements, subtests: pytest.Subtests) -> None:
    for typed, drawn in WRITTEN:
        with subtests.test(typed):
            elements.write(
                f"<a href=#>Cafe</a><button id=it>{drawn}</button><select id=list><option>-<option>{drawn}</select>"
            )

            assert elements.chosen(f"text={typed}") == "#it"
            assert elements.chosen(f"button text={typed}") == "#it"
            assert elements.act("select", "#list", values=[typed])["selected"][0]["value"] == drawn
            assert elements.refusal("text=Cafe\u0300")[0] == "ELEMENT_NOT_FOUND"


def test_visible_child_of_a_hidden_parent_is_found_by_its_text(elements: Elements) -> None:
    elements.write("<div style='visibility: hidden'>Go away<button id=go style='visibility: visible'>Go</button></div>")

    assert elements.chosen("text=Go") == "#go"
    assert elements.refusal("text=away")[0] == "ELEMENT_NOT_FOUND"


def test_complete_text_that_appears_late_is_preferred_to_a_partial_match(elements: Elements) -> None:
    elements.write(
        "<button id=part>Save as a draft</button>"
        "<script>setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<button id=all>Save</button>'), 200)"
        "</script>"
    )

    assert elements.chosen("text=Save", limits={"find": 5_000, "ready": 5_000}) == "#all"
    assert elements.chosen("text=as a draft") == "#part"


def test_row_is_found_by_the_whole_text_of_a_cell_without_waiting_for_another(elements: Elements) -> None:
    elements.write(
        "<table><tr><td>Ada Lovelace<td><button id=other>Edit</button>"
        "<tr id=row><td>Ada<td>36<td><button id=edit>Edit</button></table>"
    )
    begun = elements.evaluate("performance.now()")

    for selector, wanted in (("tr text=Ada >>> button", "#edit"), ("tr text=Ada", "#row")):
        assert elements.chosen(selector, limits={"find": 10_000, "ready": 10_000}) == wanted

    assert elements.evaluate("performance.now()") - begun < 10_000
    assert elements.chosen("tr text=Love >>> button") == "#other"


# --- Which element receives the mouse


def test_button_is_used_for_its_content_without_pointer_events(elements: Elements) -> None:
    elements.write(
        "<style>i, b { pointer-events: none }</style>"
        "<button id=buy>Buy <i id=icon>now</i></button><p>Nothing <b id=bare>here</b></p>"
    )

    assert elements.chosen("#icon") == "#buy"
    assert elements.chosen("text=now", action="hover") == "#buy"
    assert "lets the mouse through" in elements.refusal("#bare")[1]


def test_disabled_button_is_hovered_but_not_clicked(elements: Elements) -> None:
    elements.write("<button id=off disabled title='Choose a size first'>Buy</button>")

    assert elements.chosen("#off", action="hover") == "#off"
    assert "is still disabled" in elements.refusal("#off")[1]


def test_control_behind_its_label_is_located_at_the_label(elements: Elements) -> None:
    elements.write(
        "<label id=drawn style='position:absolute; left:50px'><input id=box type=checkbox hidden>Yes</label>"
    )

    box = elements.act("show", "#box")["box"]

    assert box["x"] == 50
    assert box["width"] > 10


# --- Position


STYLES = [
    "transform: rotate(30deg)",
    "transform: rotate(90deg) scale(0.5)",
    "rotate: 200deg; scale: 0.8 0.6",
    "transform: skewX(20deg); border: 9px solid; padding: 11px",
    "zoom: 1.5",
]


def test_element_in_a_rotated_frame_is_hit_where_it_is_drawn(elements: Elements, subtests: pytest.Subtests) -> None:
    for style in STYLES:
        with subtests.test(style):
            elements.write(
                f"<div style='margin: 150px; transform: rotate(10deg)'><iframe style='{style}'"
                " srcdoc=\"<body style='margin: 0'><button id=inner style='margin: 90px 0 0 180px'>In</button>\"></iframe></div>"
            )

            point = elements.act("click", "#inner")["point"]

            frame = elements.page.frames[-1]
            frame.evaluate("addEventListener('click', (event) => (window.hit = event.target.id))")
            elements.page.mouse.click(point["x"], point["y"])
            assert frame.evaluate("window.hit") == "inner"


def test_element_without_a_box_is_scrolled_to_its_visible_content(
    elements: Elements, subtests: pytest.Subtests
) -> None:
    for body in ["<b>shown</b>", "shown"]:
        with subtests.test(body):
            elements.write(
                f"<p style='height: 3000px'></p><div><div id=boxless style='display: contents'>{body}</div></div>"
            )

            point = elements.act("click", "#boxless")["point"]

            assert elements.page.evaluate("scrollY") > 1000
            hit = f"document.elementFromPoint({point['x']}, {point['y']}).textContent"
            assert elements.page.evaluate(hit) == "shown"


# --- Waiting


def test_options_and_writable_fields_are_waited_for(elements: Elements) -> None:
    elements.write("<select id=list></select><input id=field readonly>")
    elements.page.evaluate(
        "setTimeout(() => { list.add(new Option('Red', 'r')); field.readOnly = false; }, 200)",
    )
    patient = {"find": 5_000, "ready": 5_000}

    assert elements.act("select", "#list", patient, values=["Red"])["selected"] == [{"value": "r", "label": "Red"}]
    assert elements.act("fill", "#field", patient, value="x")["filling"]["isTyped"]


MISSING = [
    ("Violet", 'has no option "Violet". Its options are "r" ("Red"), "b" ("Blue"), "o1" ("1"),'),
    ("none", '"o8" ("8") and 1 more.'),
    ("OF", 'Its options are "off" ("off"), "r" ("Red"),'),
    ("b", "it is disabled"),
    ("off", "it is disabled"),
]


def test_missing_option_is_rejected_with_the_existing_ones(elements: Elements, subtests: pytest.Subtests) -> None:
    more = "".join(f"<option value=o{number}>{number}" for number in range(1, 9))
    elements.write(
        f"<select id=list><option value=r>Red<option value=b disabled>Blue{more}"
        "<optgroup label=x disabled><option>off</optgroup></select>"
    )
    for wanted, says in MISSING:
        with subtests.test(wanted):
            code, message = elements.refusal("#list", action="select", values=[wanted])

            assert (code, says in message) == ("EXECUTION_ERROR", True)
            assert elements.page.evaluate("list.value") == "r"


def test_field_that_stays_read_only_is_rejected(elements: Elements) -> None:
    elements.write("<input id=field readonly value=fixed><input id=until readonly onfocus='this.readOnly = false'>")

    message = elements.refusal("#field", action="fill", value="x", limits={"find": 100, "ready": 9_000})[1]
    assert message.startswith("After 0.1 s, input#field is still read-only")
    assert elements.chosen("#until", action="fill", value="x") == "#until"


@pytest.mark.parametrize("action", ["select", "fill"])
def test_request_that_is_cancelled_during_its_wait_does_nothing(elements: Elements, action: str) -> None:
    elements.show("<select id=list></select><input id=field disabled>")
    more = {"selector": "#list", "values": ["r"]} if action == "select" else {"selector": "#field", "value": "x"}
    request = {"id": "7", "action": action, "limits": {"find": 5_000, "ready": 5_000}, "isInFront": True, **more}
    elements.evaluate(
        f"globalThis.waits = chromeTabReader.act({json.dumps(request)}).catch(({{ name }}) => name); undefined"
    )

    elements.evaluate('chromeTabReader.cancel({ id: "7" })')
    elements.page.evaluate(
        "list.add(new Option('Blue', 'b')); list.add(new Option('Red', 'r')); field.disabled = false"
    )

    assert elements.evaluate("waits") == "AbortError"
    assert elements.page.evaluate("[list.value, document.activeElement.id]") == ["b", ""]
    # Control: cancelling another one does not affect it.
    elements.evaluate('chromeTabReader.cancel({ id: "8" })')
    assert elements.evaluate(f"chromeTabReader.act({json.dumps(request)}).then(({{ code }}) => code)") == ""


# --- Extent of the search


def test_page_of_too_many_shadow_roots_is_reported_as_searched_in_part(elements: Elements) -> None:
    elements.write(
        """<script>
          window.add = (count) => {
            for (let i = 0; i < count; i += 1) {
              const root = document.body.appendChild(document.createElement("div")).attachShadow({ mode: "open" });
              root.append(Object.assign(document.createElement("button"), { id: `b${i}`, textContent: i }));
            }
          };
        </script><body><script>add(4_999)</script>"""
    )
    assert "notes" not in elements.act("click", "#b4998")

    elements.page.evaluate("add(1)")

    note = "The page has more than 5000 shadow roots and frames; only the first 5000 were searched."
    assert elements.act("click", "#b0")["notes"] == [note]
    assert elements.refusal("#none")[1].endswith(note)


# --- Functions without a request


def test_unique_selectors_and_suggestions_are_found_without_a_request(elements: Elements) -> None:
    elements.write("<ul><li><a href=#>one</a><li><a href=# id=second>two</a></ul>")

    selectors = "[...document.links].map((link) => selectorGenerator.selectorOf(link, search.allRoots()))"
    assert elements.evaluate(selectors) == ["a text=one", "#second"]
    assert elements.evaluate("texts.nameOf(document.links[1])") == 'a#second "two"'
    missing = "suggestions.notFound('#secnd', { roots: search.allRoots(), isWhole: true }).message"
    assert "Did you mean #second" in elements.evaluate(missing)


# --- Presses that miss


def press_astray(elements: Elements, program: str = "") -> None:
    elements.show(
        "<button id=pay>Pay</button><button id=other>Other</button>"
        "<script>window.hits = []; addEventListener('click', ({ target }) => hits.push(target.id))</script>"
    )
    elements.act("click", "#pay", count=1)
    elements.evaluate(program)
    elements.page.click("#other")
    assert elements.page.evaluate("hits") == []


def test_next_press_reaches_the_page_even_if_the_browser_delays_timers(elements: Elements) -> None:
    press_astray(elements, "globalThis.setTimeout = () => 0")

    elements.page.click("#other")

    assert elements.page.evaluate("hits") == ["other"]


def test_key_press_after_a_mouse_press_reaches_the_page(elements: Elements) -> None:
    press_astray(elements)
    # Timers run in order.
    elements.evaluate("new Promise(setTimeout)")

    elements.page.press("#other", "Enter")

    assert elements.page.evaluate("hits") == ["other"]


# --- Frames of other sites


def test_press_that_does_not_reach_a_cross_site_frame_is_blocked_and_reported(
    elements: Elements,
) -> None:
    elements.show(
        "<iframe id=way sandbox srcdoc='<button>Pay</button>' style='border: 20px solid'></iframe>"
        "<div id=menu style='position: fixed; inset: 0; display: none'>Menu</div>"
    )
    elements.page.evaluate("addEventListener('click', ({ target }) => (window.hit = target.id))")

    found = elements.act("click", "#way >>> button", count=1)
    request = {"id": "1", "index": 0, "isInFront": True, "presses": 1, "point": {"x": 5, "y": 5}}
    placed = elements.evaluate(f"chromeTabReader.place({json.dumps(request)})")
    elements.page.evaluate("document.querySelector('#menu').style.display = 'block'")
    # Until the menu is drawn, the browser sends mouse events to the process of the frame below it.
    for x in range(40, 240):
        elements.page.mouse.move(x, 40)
        if elements.page.evaluate("document.querySelector('#menu').matches(':hover')"):
            break
    covered = elements.evaluate(f"chromeTabReader.place({json.dumps(request)})")
    elements.evaluate(
        f"void (globalThis.pressReport = chromeTabReader.watchPress({json.dumps({'id': '1', **placed})}))"
    )
    elements.page.mouse.click(placed["point"]["x"], placed["point"]["y"])
    outcome = elements.evaluate("pressReport")

    assert (found["rest"], [frame["selector"] for frame in found["frames"]]) == (">>> button", ["#way"])
    assert placed == {"trouble": "", "point": {"x": 33, "y": 33}}
    assert 'iframe#way is still covered by div#menu "Menu"' in covered["trouble"]
    seen = {"isSeen": True, "isLost": False, "cover": 'div#menu "Menu"'}
    assert outcome == {**seen, "isPressed": False, "release": ""}
    assert elements.page.evaluate("window.hit") is None
    # The watch ends with its press.
    elements.page.mouse.click(5, 5)
    elements.page.wait_for_function("window.hit === 'menu'")


def test_press_seen_on_a_cross_site_frame_element_has_not_reached_the_frame(elements: Elements) -> None:
    elements.show("<iframe id=way sandbox srcdoc='<button>Pay</button>' style='border: 20px solid'></iframe>")

    elements.act("click", "#way >>> button", count=1)
    request = {"id": "1", "index": 0, "isInFront": True, "presses": 1, "point": {"x": 5, "y": 5}}
    elements.evaluate(f"chromeTabReader.place({json.dumps(request)})")
    elements.evaluate(
        "void (globalThis.pressReport = chromeTabReader.watchPress({ id: '1', point: { x: 12, y: 12 } }))"
    )
    elements.page.mouse.click(12, 12)

    assert elements.evaluate("pressReport")["cover"] == "iframe#way"
