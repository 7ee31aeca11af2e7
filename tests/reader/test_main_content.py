"""`content="main"`: what remains of a page, in real Chromium; the same scripts as the extension sends and as the Mac
does.
"""

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import FilePayload, Page

from scripts.embed_page_function import EXTENSION, main_content_script
from tests.support.applescript_evaluator import FakeChrome, Surroundings, osascript
from tests.support.browser import IsolatedWorld, launch_chromium, show
from tests.support.hidden_text import HIDDEN, VISIBLE
from tests.support.page_text import PAGE_FUNCTION, SCRIPT_TEXT

pytestmark = pytest.mark.e2e

PAGES = Path(__file__).parent.parent / "pages"
SCRIPTS = main_content_script()
SENTENCE = (
    "The river rose by two metres in one night, and the people of the lower town moved what they could upstairs. "
)
STORY = "".join(f"<p>{SENTENCE}This is paragraph {number}.</p>" for number in range(8))
MENU = "<nav><a href=/a>Home</a> <a href=/b>Sport</a></nav>"
FOOTER = "<footer><a href=/c>Imprint of the paper</a></footer>"
OG_ARTICLE = '<meta property="og:type" content="article">'
PRODUCT = '<meta property="og:type" content="product">'


def article(more: str = "", head: str = OG_ARTICLE) -> str:
    return (
        f"<!doctype html><meta charset=utf-8><title>The flood</title>{head}"
        f"{MENU}<main><article><h1>The flood of the year</h1>{STORY}{more}</article></main>{FOOTER}"
    )


@pytest.fixture(scope="module")
def tab() -> Generator[Page]:
    with launch_chromium() as browser:
        yield browser.new_page()


def read(page: Page, **request: object) -> dict[str, Any]:
    """Read the page's main content as the extension does once its scripts are loaded."""
    world = IsolatedWorld(page)
    world.evaluate(SCRIPTS)
    return world.evaluate(f"({PAGE_FUNCTION})({json.dumps({'content': 'main', **request})})")


def test_article_is_read_without_menu_and_footer_and_the_report_counts_them(tab: Page) -> None:
    show(tab, article())

    page = read(tab)
    whole = read(tab, content="all")

    assert "paragraph 7" in page["text"]
    assert "Sport" not in page["text"]
    assert "Imprint" not in page["text"]
    assert "Sport" in whole["text"]
    assert page["content"]["path"] == "article"
    assert page["content"]["left_out"] == len(whole["text"]) - len(page["text"])
    assert page["content"]["note"] == ""
    assert "content" not in whole


def test_short_article_among_headlines_needs_more_than_og_type(tab: Page) -> None:
    headlines = "".join(
        f"<section><h3><a href=/{year}>The harbour in {year}</a></h3><p><a href=/{year}>Ships of many countries called "
        f"at the harbour in the year {year}, as the paper of that day reports.</a></p></section>"
        for year in range(1900, 1908)
    )
    schema = '<script type="application/ld+json">{"@type": "NewsArticle"}</script>'

    def content_of(head: str) -> tuple[str, bool]:
        story = "".join(f"<p>{SENTENCE}This is paragraph {number}.</p>" for number in range(4))
        show(tab, f"<title>The flood</title>{head}{MENU}<div><article>{story}</article></div><div>{headlines}</div>")
        page = read(tab)
        assert "paragraph 3" in page["text"]
        return page["content"]["path"], "harbour" in page["text"]

    assert content_of(OG_ARTICLE + schema) == ("article", False)
    assert content_of(OG_ARTICLE) == ("blocks", True)
    assert content_of('<meta property="og:type" content="website">' + schema) == ("blocks", True)


def test_field_labels_are_left_out_of_an_article_but_kept_in_a_form_that_is_read(tab: Page) -> None:
    letter = "<form><p><label>Write to the paper</label></p></form>"
    show(tab, f"<title>The flood</title>{OG_ARTICLE}{MENU}<main><article>{STORY}{letter}</article></main>{FOOTER}")

    page = read(tab)

    assert page["content"]["path"] == "article"
    assert "paragraph 7" in page["text"]
    assert "Write to the paper" not in page["text"]

    fields = "".join(f"<div><label>Field {letter}</label><p>{SENTENCE}</p></div>" for letter in "ABCDEF")
    head = f"<title>New event</title>{PRODUCT}"
    tickets = "<fieldset><div><b>Ticket name</b></div><div><input value=Standing></div></fieldset>"
    show(tab, f"{head}{MENU}<main><h1>New event</h1><form>{fields}{tickets}</form></main>{FOOTER}")
    page = read(tab)
    assert page["content"]["path"] == "blocks"
    assert [letter for letter in "ABCDEF" if f"Field {letter}" not in page["text"]] == []
    assert "Ticket name\nStanding" in page["text"]

    load = "<label for=u>Users</label><input id=u value=12><ul><li><label><input type=checkbox checked>Ramp up</label></ul>"
    show(tab, f"{MENU}<h1>Load test</h1><p>Status READY</p><form>{load}</form>{FOOTER}")
    assert read(tab)["text"] == "# Load test\n\nStatus READY\n\nUsers 12\n\n- Ramp up (checked)"


MARKUP = (
    "<h2>Levels</h2><ul><li>upper town<ul><li>church</li></ul></li><li>lower town</li></ul>"
    "<ol start=3><li>measure</li><li>record</li><li value=9>publish</li></ol>"
    "<ol start=0 type=a reversed><li value=28>boats</li><li style='list-style: upper-roman'>sand<li style='list-style: none'>bags"
    "<li style='display: block'>ropes</ol><ol start=0><li value=0>water</li></ol>"
    "<table><caption>Levels of May</caption><tr><th rowspan=2>Day</th><th>Level</th><th>Pier</th></tr><tr><td>2 | 3 m</td><td>B</td><td>low</td></tr></table>"
    "<p><label><input type=radio checked> Flow</label> is 1<sup>1</sup>\u2044<sub>2</sub> m<sup>3</sup> by the hour<b style='margin-left: 9px'>13</b>, <s>12</s> or 15<sub>8</sub>, which is"
    " <math><mfrac><mi>V</mi><mi>t</mi></mfrac></math>. <ruby>\u5ddd<rt>kawa</rt></ruby></p>"
    "<h4><pre><i style='padding: 9px'>1</i><code>if rise:</code>\n    warn()\n}\n}</pre></h4><p>Call <code>warn()</code> in time, see <a href=https://b.test/>the book</a>.</p>"
    "<blockquote>We saw it coming.</blockquote><p><sup>2</sup> That spring.</p><div style='display: flex'><s>12</s>&nbsp;<b>15</b></div>"
    f"<ul style='list-style: none'><li><ul><li style='display: block'><h3>The end</h3><p>{SENTENCE}</p></li></ul></li></ul>"
)
MARKDOWN = f"""## Levels

- upper town
  - church
- lower town

3. measure
4. record
9. publish

ab. boats
XXVII. sand
- bags
- ropes

0. water

Levels of May
| Day | Level | Pier |  |
| --- | --- | --- | --- |
|  | 2 \\| 3 m | B | low |

Flow (checked) is 1 1\u20442 m^3 by the hour 13, 12 (crossed out) or 15_8, which is V/t. \u5ddd(kawa)

```
1 if rise:
    warn()
}}
}}
```

Call `warn()` in time, see the book.

> We saw it coming.

2 That spring.

12 (crossed out)
15

### The end

{SENTENCE.strip()}"""


def test_headings_lists_tables_and_code_are_written_as_markdown(tab: Page) -> None:
    show(tab, article(MARKUP))

    page = read(tab)
    with_links = read(tab, links=True)

    assert page["text"].endswith(MARKDOWN)
    assert "see [the book](https://b.test/)." in with_links["text"]


def test_heading_that_is_a_button_and_the_header_of_a_section_are_content(tab: Page) -> None:
    questions = "".join(
        f"<section><header><h2><button>How high was flood {i}?</button></h2><p>Asked in {1900 + i}</p></header>"
        f"<p>{SENTENCE}</p><button><h3>More on flood {i}</h3></button><button>Share answer {i}</button></section>"
        for i in range(6)
    )
    show(tab, f"<title>Floods</title>{PRODUCT}<header>Old Town Gazette</header>{MENU}<main>{questions}</main>{FOOTER}")

    text = read(tab)["text"]

    assert "How high was flood 4?" in text
    assert "Asked in 1904" in text
    assert "More on flood 4" in text
    assert "Share answer 4" not in text
    assert "Old Town Gazette" not in text


def test_page_that_still_fades_in_is_read_as_a_whole(tab: Page) -> None:
    show(tab, article(head=f"{PRODUCT}<style>main {{ opacity: 0 }}</style>"))

    faded = read(tab)
    tab.evaluate("document.querySelector('style').remove()")
    drawn = read(tab)

    assert (faded["content"]["path"], drawn["content"]["path"]) == ("whole", "blocks")
    assert "paragraph 7" in faded["text"]
    assert "paragraph 7" in drawn["text"]


def test_data_table_is_kept_or_left_out_as_a_whole(tab: Page) -> None:
    row = "<tr><td><div>Stop {0}</div><div>pier</div></td><td>No</td><td><ul><li>No</li></ul></td></tr>"
    table = f"<table><tr><th>Stop</th><th>Lift</th><th>Café</th></tr>{''.join(map(row.format, range(6)))}</table>"
    grid = f"<div role=grid>{''.join(f'<div role=row><p role=gridcell>Quay {i}</p><p role=gridcell>No</p></div>' for i in range(3))}</div>"
    links = "".join(
        f"<tr><td><a href=/{i}>Other paper {i}</a></td><td><a href=/{i}>Subscribe</a></td></tr>" for i in range(6)
    )
    show(
        tab,
        f"<title>Ferry</title>{MENU}<main><h1>The ferry</h1><p>{SENTENCE}</p>{table}{grid}</main><div class=ads><table>{links}</table></div>{FOOTER}",
    )

    text = read(tab)["text"]

    rows = [f"| Stop {i} pier | No | - No |" for i in range(6)] + [f"| Quay {i} | No |" for i in range(3)]
    assert [line for line in rows if line not in text.split("\n")] == []
    assert text.count("Other paper") in {0, 6}


def test_header_and_totals_in_tables_of_their_own_belong_to_the_rows_between_them(tab: Page) -> None:
    unseen = "<tr style='height: 0'>{}</tr>".format(
        "<td style='padding: 0'><div style='height: 0; overflow: hidden'>x</div>" * 2
    )
    head = "<div><table><thead><tr><th>Pier</th><th>Boats</th>{}</tr></thead></table></div>"
    rows = f"<div><table><thead>{unseen}</thead><tbody><tr><td>North</td><td>4</td></tr><tr><td>South</td><td>5</td></tr></tbody></table></div>"
    foot = "<div><table><tfoot><tr><td>All</td><td>9</td></tr></tfoot></table></div>"
    note = "<p>Counted twice.</p>"
    above, over, other = (head.format(cell) for cell in ("<th></th>", "", "<th>Open</th>"))
    show(tab, article(f"{above}{rows}{foot}{note}{rows}{over}{note}{other}{rows}{note}{foot}"))

    joined, covered, apart, _ = read(tab)["text"].split("Counted twice.")

    assert "| Pier | Boats |\n| --- | --- |\n| North | 4 |\n| South | 5 |" in covered
    assert joined.endswith("| Pier | Boats |\n| --- | --- |\n| North | 4 |\n| South | 5 |\n| All | 9 |\n\n")
    assert "| North | 4 |\n| --- | --- |" in apart


def test_line_breaks_of_a_style_stay_and_headings_in_rows_have_no_marks(tab: Page) -> None:
    letter = "<p style='white-space: pre-wrap'>Dear all,\n  we met at nine.\n\nYours, Ada</p>"
    letter += "<p style='white-space: pre-line'>A list:\n  one</p><p>for all:<br>&nbsp; print(1)</p>"
    plain = "<table><tr><td>Video<td>HD<br>4K<br>8K<tr><td>Ports<td>2</table>"
    show(tab, article(f"{letter}<table><tr><th><h4>Name</h4><th>Age<tr><td>Ben<td>4<tr><td>Cleo<td>5</table>{plain}"))

    text = read(tab)["text"]

    assert "| Ports | 2 |" in text

    lines = "Dear all,\n  we met at nine.\n\nYours, Ada\n\nA list:\none\n\nfor all:\n  print(1)\n\n| Name | Age |"
    assert lines in text


def test_code_in_lines_charts_notes_and_what_opens_are_content(tab: Page) -> None:
    lines = ["def rise():", "    return 2"]
    editor = "".join(f"<div><span>{line}</span></div>" for line in lines)
    single = "".join(f"<div><pre>{line}</pre></div>" for line in lines)
    labels = "".join(
        f"<text x=9 y={20 * i + 20}>{text}</text>"
        for i, text in enumerate(["Level (m)", "May", "June<tspan x=9 dy=16>and</tspan>"])
    )
    unseen = "<text x=9 y=90 fill=white>forged</text><text x=9 y=120 fill=none>faked</text>"
    opened = "<button aria-expanded=false>How do I get home?</button><button aria-expanded=false aria-haspopup=menu>Sort</button>"
    sections = [
        f"<div style='font-family: monospace; white-space: pre'>{editor}</div><p>{SENTENCE}</p>{single}",
        f"<svg width=300 height=150>{labels}{unseen}<rect y=122 width=90 height=20 /><text x=9 y=138 fill=white>July</text></svg>",
        f"<aside><p>Keep off the bridge.</p></aside><p>{SENTENCE}</p>{opened}",
    ]
    show(tab, article("".join(f"{section}<p>{SENTENCE}</p>" for section in sections)))

    text = read(tab)["text"]

    assert text.count("```\ndef rise():\n    return 2\n```") == 2
    assert [word for word in ("Level (m)", "May", "June and", "July") if word not in text] == []
    assert [word for word in ("forged", "faked", "Sort") if word in text] == []
    assert "Keep off the bridge." in text
    assert "How do I get home?" in text


def test_end_of_a_shortened_line_path_that_names_an_entry_and_node_of_a_diagram_stay(tab: Page) -> None:
    style = "overflow: hidden; text-overflow: ellipsis; white-space: nowrap; flex: 0 0 9em"
    badge = "<div style='background: red; position: relative; flex: 0 0 30em'>3 rows</div>"
    words = "select <b>region</b> from <b>sales</b> order by <b>total</b> desc"
    entry = "<li><nav><a href=/f>Flows</a> / <a href=/r>{} report</a></nav><div>Completed at nine</div></li>"
    entries = f"<ul>{entry.format('Daily')}{entry.format('Weekly')}</ul>"
    node = "<svg width=200 height=60><g><foreignObject width=200 height=60><div>Orders</div></foreignObject></g>"
    node += "<g opacity=0><foreignObject width=200 height=60><div>Unseen</div></foreignObject></g></svg>"
    show(tab, article(f"<div style='display: flex'><div style='{style}'>{words}</div>{badge}</div>{entries}{node}"))

    text = read(tab)["text"]

    assert "select region from sales order by total desc" in text
    assert "- Flows / Daily report\n" in text
    assert ("Orders" in text, "Unseen" in text) == (True, False)


def test_rows_by_style_and_definition_lists_are_lines_with_separated_cells(tab: Page) -> None:
    show(tab, (PAGES / "rows-by-style.html").read_text(encoding="utf-8"))

    text = read(tab)["text"]
    _, plans, stops, ship, terms, news = text.split("\n## ")

    assert plans.split("\n")[2:6] == [
        "| Plan | Price | Trips |",
        "| Day | 9 € | 2 \\| 4 |",
        "| Month | 45 € |  |",
        "| Year | 400 € | any |",
    ]
    assert stops.split("\n")[2:5] == ["| Pier | 07:10 |", "| Mill | 07:25 |", "| Isle | 07:40 |"]
    assert ship.split("\n")[2:5] == ["| Length | 24 m |", "| Built | 1987 |", "| Length | 24 m |"]
    assert "|" not in terms
    assert "at its owner's own risk.\n" in terms
    assert "|" not in news


def test_invisible_cells_keep_the_others_below_their_headers(tab: Page) -> None:
    days = "".join(f"<button role=gridcell>{day}</button>" for day in (1, 2))
    blank = "<div role=gridcell style='width: 9px; opacity: 0'>30</div>"
    undrawn = "<div role=gridcell style='width: 0; opacity: 0'>29</div>"
    headers = "".join(f"<span role=columnheader>{name}</span>" for name in "MTW")
    rows = f"<div role=row>{headers}</div><div role=row style='display: flex'>{undrawn}{blank}{days}</div>"
    show(tab, f"<p>{SENTENCE}</p><div role=grid>{rows}<div role=row>{days}</div></div>")

    assert read(tab)["text"].split("\n")[2:] == ["| M | T | W |", "| --- | --- | --- |", "|  | 1 | 2 |", "| 1 | 2 |"]


def test_row_of_one_text_is_a_line_other_rows_are_whole_and_icon_words_are_left_out(tab: Page) -> None:
    icon = "<i style='font-family: \"Material Icons\"'>{0}</i>"
    row = "<div style='display: flex'><i></i><span>{0}</span><b></b></div>"
    rows = "".join(row.format(name) for name in ("Form", "Table", "Report"))
    cells = f"<div>public</div><div><a href=#c>Rise Fall</a></div><div><p>{SENTENCE}</p></div>"
    grid = f"<div style='display: grid; grid-template-columns: repeat(3, auto)'>{cells * 2}</div>"
    show(
        tab,
        article(f"<div>{rows}</div><p>{icon.format('edit_calendar')}Monday</p><p><i>flood</i> in May</p>{grid}"),
    )

    lines = read(tab)["text"].split("\n")

    assert [name for name in ("Form", "Table", "Report", "Monday", "flood in May") if name not in lines] == []
    assert lines[-1] == f"| public | Rise Fall | {SENTENCE.strip()} |"


def test_table_of_one_row_whose_headers_are_links_is_content(tab: Page) -> None:
    show(tab, (PAGES / "one-row-table.html").read_text(encoding="utf-8"))

    assert "|  | admin | a@b.example | - | - | True |" in read(tab)["text"].split("\n")


def test_long_rows_by_style_stay_lines_of_their_own(tab: Page) -> None:
    row = "<div style='display: flex'><b>Flood {0}</b><p>{1}</p></div>"
    rows = "".join(row.format(i, SENTENCE * i) for i in (1, 12, 3))
    show(tab, article(f"<div>{rows}</div>"))

    lines = read(tab)["text"].split("\n")

    assert f"| Flood 1 | {SENTENCE.strip()} |" in lines
    assert "Flood 12" in lines


def test_paragraph_with_soft_hyphens_stays_in_an_article(tab: Page) -> None:
    show(tab, article("<p>Donau&shy;dampf&shy;schiff&shy;fahrt &#xfeff;am Abend.</p>"))

    assert "Donaudampfschifffahrt am Abend." in read(tab)["text"]


def test_table_inside_an_article_is_kept_whole_even_if_readability_unwraps_or_drops_it(tab: Page) -> None:
    films = "".join(
        f"<tr><td>{i}.</td><td><a href=/f{i}>The film {i}</a></td><td><a href=/s{i}>Studio {i}</a></td></tr>"
        for i in range(6)
    )
    linked = f"<table><tr><th>Rank</th><th>Film</th><th>Studio</th></tr>{films}</table>"
    notes = "".join(
        f"<tr><td>Sep {i}</td><td>{SENTENCE}</td><td><ul><li>{SENTENCE}</li></ul></td></tr>" for i in range(20)
    )
    show(tab, article(f"<h2>Films</h2>{linked}<p>{SENTENCE}</p>"))
    inside = read(tab)["text"].split("\n")
    show(tab, f"{MENU}<table><tr><th>Date</th><th>Topic</th><th>Books</th></tr>{notes}</table>{FOOTER}")
    alone = read(tab)["text"].split("\n")

    assert [i for i in range(6) if f"| {i}. | The film {i} | Studio {i} |" not in inside] == []
    assert sum(line.startswith("| Sep ") for line in alone) == 20


def test_repeated_text_is_removed_and_counted_but_not_in_lists_and_code(tab: Page) -> None:
    again = f"<p>{SENTENCE}This is paragraph 3.</p>"
    show(tab, article(f"{again}<p>No</p><p>No</p><pre>a\na</pre><ul><li>{SENTENCE}</li><li>{SENTENCE}</li></ul>"))

    page = read(tab)

    assert page["text"].count("This is paragraph 3.") == 1
    assert page["repeated"] == 1
    assert "No\n\nNo" in page["text"]
    assert "a\na\n" in page["text"]
    assert page["text"].count(f"- {SENTENCE.strip()}") == 2


def test_modal_dialog_comes_first_and_messages_of_the_content_stay(tab: Page) -> None:
    rows = "".join(f"<tr><td>{i}<td>Pear {i}<td>{SENTENCE}" for i in range(4))
    content = (
        f"<div role=alert>1 row inserted.</div>{'<p role=status>Loading</p>' * 2}"
        f"<table><tr><th>Id<th>Name<th>Note{rows}</table><div><p role=status>4 rows found</p></div>"
    )
    elsewhere = (
        "<header><p role=alert>Mail is late</p></header><p role=status style='position: fixed; top: 0'>Copied</p>"
        "<form><label>Search</label><p role=alert>Write a word</p></form>"
    )
    question = (
        "<section role=dialog aria-modal=true><header><h2>Delete Pear 2?</h2></header><p role=alert>It is in use.</p>"
        "<button>Delete</button></section>"
    )
    consent = "<div class=cookie-wall style='position: absolute'><div role=dialog aria-modal=true>We bake.</div></div>"
    page = f"<!doctype html><title>Shop</title>{elsewhere}<main>{content}</main>{consent}"
    inside, above = f"<div>{question}</div>", f"<div style='position: fixed; inset: 0'>{question}</div>"

    def lines_of(body: str) -> list[str]:
        show(tab, body)
        return [line for line in read(tab)["text"].split("\n") if line and not line.startswith("|")]

    around = ["1 row inserted.", "4 rows found"]
    assert lines_of(page + inside) == around
    assert lines_of(page + above) == ["## Delete Pear 2?", "It is in use.", *around]
    plain = "<div role=dialog style='position: fixed; inset: 30%'><h2>Delete Pear 3?</h2></div>"
    backdrop = "<div style='position: fixed; inset: 0; background: #0008'></div>"
    assert lines_of(page + plain) == around
    assert lines_of(page + backdrop + plain) == ["## Delete Pear 3?", *around]
    assert lines_of(f"<div style='position: fixed; inset: 0; overflow: auto'>{page}{plain}</div>") == []
    undeclared = "<div style='position: fixed; inset: 0'><h2>Delete Pear 4?</h2><button>Delete</button></div>"
    assert lines_of(page + undeclared) == ["## Delete Pear 4?", *around]
    declared = "<dialog open aria-modal=true style='top: 0; height: 99%'><h2>Delete Pear 5?</h2></dialog>"
    assert lines_of(page + declared) == ["## Delete Pear 5?", *around]
    show(tab, f"{page}<dialog><form><h2>Rename Pear 3</h2></form></dialog><dialog open>Tip</dialog>")
    tab.evaluate("document.querySelector('dialog').showModal()")
    asked = read(tab)["text"]
    assert asked.startswith("## Rename Pear 3\n\n1 row inserted.\n")
    assert "Tip" not in asked


def test_names_of_code_in_a_list_and_linked_entries_among_others_are_kept(tab: Page) -> None:
    log = "".join(f"<pre>{SENTENCE}line {i}</pre>" for i in range(9))
    names = ["clone", "worker ready", "build"]
    steps = "".join(
        f"<li><div><a href=/{i}>#{i} {name}</a></div>{log if i != 1 else ''}" for i, name in enumerate(names)
    )
    changes = "".join(
        f"<div class=change><p>{SENTENCE if i != 5 else '<a href=/t>Main Page was changed by the wiki itself</a>'} at {i}:30</p></div>"
        for i in range(6)
    )

    show(tab, f"<title>Build</title><ul>{'<li><a href=/a>Home</a>' * 4}</ul><ul>{steps}</ul>")
    build = read(tab)["text"]
    show(tab, f"<title>Changes</title>{MENU}<main><h1>Recent changes</h1>{changes}</main>")
    page = read(tab)

    assert [name for i, name in enumerate(names) if f"#{i} {name}" not in build] == []
    assert page["content"]["path"] == "article"
    assert "Main Page was changed" in page["text"]


def test_values_of_visible_fields_are_part_of_the_main_content(tab: Page) -> None:
    field = "<p>{} was measured at the gauge by <input {}> on that day, before the river had reached the bridge.</p>"
    fields = field.format("One", "value='Ada Lane'") + field.format("Two", "type=password value=secret")
    choice = "<p>Three was measured at <select><option>Rome<option selected>Oslo</select> on that day in the rain.</p>"
    listed = (
        "<p>Four was measured on these days, after the rain had stopped and the bridge was open: <select multiple>"
        "<optgroup label=Early><option>Monday<option selected>Tuesday<option hidden>Sunday<option style='color: white'>Friday</select></p>"
    )
    chosen = field.format("Five", "type=file multiple") + field.format("Six", "type=color value=#20a0f0")
    show(tab, article(fields + choice + listed + chosen))
    files: list[FilePayload] = [
        {"name": name, "mimeType": "text/plain", "buffer": b"2 m"} for name in ("may.txt", "june.txt")
    ]
    tab.locator("[type=file]").set_input_files(files)

    text = read(tab)["text"]
    whole = read(tab, content="all")["text"]

    assert "by Ada Lane on that day" in text
    assert "at Oslo on that day" in text
    assert "was open:\nEarly\nMonday\nTuesday (selected)" in text
    assert [word in text for word in ("Rome", "Sunday", "Friday")] == [False] * 3
    assert [part in text for part in ("by may.txt, june.txt on that day", "by #20a0f0 on that day")] == [True] * 2
    assert [part in whole for part in ("may.txt, june.txt", "#20a0f0")] == [True] * 2
    assert "Two was measured" in text
    assert "secret" not in text


# In an article the labels of fields are left out; the buttons are in a web component.
FILTERS = "".join(f"<div><label>Filter {letter}</label> <div>Choose...</div></div>" for letter in "ABCDEF")
BUTTONS = f"<x-app><template shadowrootmode=open>{'<button>Go</button>' * 9}</template></x-app>"


def test_application_keeps_all_but_its_menus(tab: Page) -> None:
    show(tab, (PAGES / "fleet.html").read_text(encoding="utf-8"))

    lines = [line for line in read(tab)["text"].split("\n") if line]
    chosen = "<label for=d>Day</label><button id=d>5 May</button><button aria-haspopup=listbox>Admins</button>"
    chosen += "<div role=listbox><button role=option>Ada</button></div>"
    shown = f"<label>Name <button>Help</button></label>{chosen}"
    show(tab, f"<main><h1>List Users</h1>{shown}{FILTERS}<p>1-1 of 1</p></main>{BUTTONS}")
    filters = read(tab)["text"]

    assert [letter for letter in "ABCDEF" if f"Filter {letter}" not in filters] == []
    assert [word in filters for word in ("5 May", "Admins", "Ada", "Help")] == [True, True, True, False]
    assert lines == [
        "Fleet of the harbour",
        "All (checked) Active 42",
        "Depot North with trailers (checked)",
        "Night (checked)",
        "3 vehicles, 848 km",
        "|  | Plate | Active | Charged |",
        "| --- | --- | --- | --- |",
        "|  | B-EV 1 | True | (checked) |",
        "| (checked) | B-EV 2 | False |  |",
    ]


def test_message_next_to_a_long_list_of_messages_is_content(tab: Page) -> None:
    rows = "".join(f"<tr><td>Member {i}<td>Minutes of meeting {i}" for i in range(40))
    message = "<h2>Garden plan</h2><p>Dear Ada,</p><p>15 March suits me.</p><p>Charles</p>"
    buttons = "".join(f"<a role=button tabindex=0>Button {i}</a>" for i in range(12))
    show(tab, f"<div>{buttons}</div><table>{rows}</table><div>{message}</div>")

    assert read(tab)["text"].endswith("## Garden plan\n\nDear Ada,\n\n15 March suits me.\n\nCharles")


def test_hidden_text_is_left_out_and_text_that_can_be_scrolled_into_view_is_kept(tab: Page) -> None:
    hidden = "".join(markup.format(f"Secret of {name}: {SENTENCE}") for name, markup in HIDDEN.items())
    visible = "".join(markup.format(f"Seen of {name}: {SENTENCE}") for name, markup in VISIBLE.items())
    tags = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")
    show(tab, article(f"{hidden}{visible}<p>Plain\u200b words{tags}. {SENTENCE}</p>"))
    tab.evaluate("document.querySelector('#levels').scrollTop = 8000; scrollTo(0, 500)")
    environment = {"CHROME_TAB_CONTENT": "main", "CHROME_TAB_EXTENSION": str(EXTENSION)}
    around = Surroundings(FakeChrome(IsolatedWorld(tab, "mac")), environment)

    text = read(tab)["text"]
    on_a_mac = osascript(SCRIPT_TEXT, ["--no-filter"], around).stdout

    assert [name for name in HIDDEN if f"Secret of {name}:" in text] == []
    assert [name for name in VISIBLE if f"Seen of {name}:" not in text] == []
    assert "Plain words. The river" in text
    assert on_a_mac == f"{text}\n"


def test_text_under_a_splash_screen_or_a_header_that_scrolls_away_is_kept(tab: Page) -> None:
    splash = "<div style='position:fixed;inset:0;background:#fff'>Loading</div>"
    header = "<div style='position:fixed;top:0;left:0;right:0;height:120px;background:#fff'>Paper</div>"
    secret = f"<p style='position:absolute;top:9px'>Secret: {SENTENCE}</p>"
    show(tab, f"<!doctype html><title>Flood</title>{OG_ARTICLE}<main><article>{STORY}</article></main>{splash}")
    below_all = read(tab)["text"]
    show(tab, f"<!doctype html><title>Flood</title>{OG_ARTICLE}<main><article>{secret}{STORY}</article></main>{header}")
    below_header = read(tab)["text"]
    tab.evaluate("document.querySelector('main').style.padding = '200px 0 3000px'")
    tab.evaluate("scrollTo(0, 250)")
    scrolled = read(tab)["text"]

    assert "paragraph 7" in below_all
    assert "Secret:" not in below_header
    assert [number for number in range(8) if f"paragraph {number}." not in scrolled] == []


@pytest.mark.parametrize("start", ["<html dir=rtl>", "<body dir=rtl>", "<body style='writing-mode: vertical-rl'>"])
def test_text_to_the_left_of_the_window_counts_as_visible_in_a_page_that_scrolls_to_the_left(
    start: str, tab: Page
) -> None:
    wide = f"<p style='position:absolute;left:-900px;width:500px'>Seen. {SENTENCE}</p>"
    show(tab, f"<!doctype html><title>Wide</title>{start}<main>{STORY}{wide}</main>")

    assert "Seen." in read(tab)["text"]


def test_buttons_that_head_columns_or_show_a_choice_or_a_time_are_content(tab: Page) -> None:
    started = "<button><time>Just now</time></button>"
    rows = "".join(f"<tr><td>Server {i}<td>{8_000 + i}<td>{started}<td><button>Stop {i}</button>" for i in range(6))
    table = f"<table><thead><tr><th><button>Host</button><th><button>Port</button><th>Start<th></thead>{rows}</table>"
    choice = "<p>Region <button role=combobox aria-haspopup=listbox>Europe</button></p>"
    show(tab, f"<title>Servers</title>{MENU}<main><h1>Servers</h1><p>{SENTENCE}</p>{choice}{table}</main>{FOOTER}")

    text = read(tab)["text"]

    shown = ("| Host | Port |", "| 8004 | Just now |", "Region Europe", "Stop 4")
    assert [word in text for word in shown] == [True, True, True, False]


def test_row_made_by_a_style_is_kept_with_all_of_its_cells(tab: Page) -> None:
    names = [f"Level(URL of, Gauge[] at{number})" for number in range(3)]
    cells = "".join(f"<div><a href=/x>{name}</a></div><div>{SENTENCE}</div>" for name in names)
    show(tab, article(f"<h2>Constructors</h2><div style='display:grid;grid-template-columns:auto auto'>{cells}</div>"))

    lines = read(tab)["text"].split("\n")

    assert lines[-3:] == [f"| {name} | {SENTENCE.strip()} |" for name in names]


def test_rows_of_a_grid_are_kept_with_what_names_them(tab: Page) -> None:
    def grid(*rows: tuple[str, ...]) -> str:
        cells = "".join(f"<div>{cell}</div>" for row in rows for cell in row)
        return f"<div style='display: grid; grid-template-columns: repeat({len(rows[0])}, auto)'>{cells}</div>"

    packages = grid(("Package", "Description"), ("<a href=/t>town.boats</a>", SENTENCE))
    method = (
        "<code>List&lt;<a href=/b>Boat</a>&gt;</code>",
        "<a href=/h>HarbourManager</a>.<code><a href=/a>allBoats()</a></code>",
    )
    methods = grid(("Modifier and Type", "Method", "Description"), (*method, "Returns all known boats."))
    town = f"<section><h2>Uses in <a href=/t>town</a></h2><div>Methods that return boats</div>{methods}</section>"
    uses = f"<p>{SENTENCE * 4}</p><div>Packages that use boats</div>{packages}{town}"
    show(tab, f"{PRODUCT}{MENU}<main><h1>Uses of Interface<br>town.Boat</h1>{uses}</main>{FOOTER}")

    assert read(tab)["text"].split("\n")[-2:] == [
        "| Modifier and Type | Method | Description |",
        "| `List<Boat>` | HarbourManager.`allBoats()` | Returns all known boats. |",
    ]


def test_headings_above_kept_text_are_kept(tab: Page) -> None:
    heading = "<h2 class=meta><a href=/{0}>Rule {0}</a></h2><h3 class=meta>Scope {0}<b><a href=#{0}>#</a></b></h3>"
    names = [" ".join(f"{word}{i}" for word in SENTENCE.split()[:12]) for i in range(40)]
    rules = "".join(
        f"{heading.format(i)}<p>{name}</p>{f'<p>{SENTENCE * 2}{i}</p>' * 3}" for i, name in enumerate(names)
    )
    links = "".join(f"<li><a href=/c{i}>Entry {i}</a></li>" for i in range(30))
    menu = f"<div><h2>Categories</h2><ul>{links}</ul></div>"
    show(tab, f"{PRODUCT}<style>b {{ float: right }}</style>{menu}<div><h1>Handbook</h1>{rules}</div>{FOOTER}")

    headings = [line for line in read(tab)["text"].split("\n") if line.startswith("#")]

    assert headings == ["# Handbook", *(line for i in range(40) for line in (f"## Rule {i}", f"### Scope {i}"))]


def test_sentences_below_a_heading_with_no_other_kept_text_are_kept(tab: Page) -> None:
    about = "<div>public interface Boat</div><div>Class <code>Boat</code> describes what floats in the harbour.</div>"
    details = "".join(
        f"<section><h3>turn{i}</h3><div>Boat turn{i}(int rudder)</div><div>{SENTENCE}{i}</div>"
        f"<dl><dt>Parameters:<dd>rudder - in degrees, for boat {i}<dt>Returns:<dd>the boat</dl></section>"
        for i in range(20)
    )
    sections = f"<section>{about}</section><section><h2>Details</h2>{details}</section>"
    show(tab, f"{PRODUCT}{MENU}<main><div class=header><h1>Interface Boat</h1></div>{sections}</main>{FOOTER}")

    assert read(tab)["text"].startswith("# Interface Boat\n\nClass `Boat` describes what floats in the harbour.\n\n## ")


def test_products_of_a_long_list_keep_their_prices(tab: Page) -> None:
    words = SENTENCE.split()
    prices = [f"{number * 7 + 3},{number % 90 + 10} €" for number in range(150)]
    names = [
        f"<a href=/{number}>{' '.join(words[number % 9 :][: 1 + number % 5])} {number}</a>" for number in range(150)
    ]
    notes = [f"<p>{SENTENCE[: 20 + number * 13 % 80]}.</p>" if number % 5 else "" for number in range(150)]
    cards = "".join(
        f"<div class=card><h3>{name}</h3><div class=price>{price}</div>{note}<button>Add to cart</button></div>"
        for name, price, note in zip(names, prices, notes, strict=True)
    )
    show(tab, f"{MENU}<div>{cards}</div><aside><a href=/1>One of these</a></aside>{FOOTER}")

    text = read(tab)["text"]

    assert [price for price in prices if price not in text] == []
    assert "Add to cart" not in text


def test_summary_of_details_is_kept_if_a_part_of_them_is(tab: Page) -> None:
    gauge, source = "<a href=/g>Gauge</a>", "<a href=/s>source</a>"
    signature = f"{source}<h4>fn <a href=#m>level</a>(gauge: &amp;[{gauge}]) -&gt; <a href=/l>Level</a></h4>"
    method = f"<details open><summary>{signature}</summary><div><p>Reads it.</p></div></details>"
    methods = f"<details open><summary>{source}<h3>impl {gauge}</h3></summary><div>{method}</div></details>"
    fields = "".join(f"<span>level_{i}: f64</span><div>Experimental. {SENTENCE[:30]}</div>" for i in range(6))
    kinds = ("Copy", "Send", "Sync")
    others = "".join(f"<section>{source}<h3>impl <a href=/{one}>{one}</a> for {gauge}</h3></section>" for one in kinds)
    page = f"<p>{SENTENCE}</p><h2>Fields</h2>{fields}<h2>Methods</h2>{methods}<h2>Traits</h2>{others}"
    show(tab, f"{MENU}<main><h1>Struct {gauge}</h1>{page}</main>")

    assert "fn level(gauge: &[Gauge]) -> Level" in read(tab)["text"]


def test_value_after_a_label_and_list_below_a_heading_are_kept_with_them(tab: Page) -> None:
    values = {
        "Status": "New",
        "Priority": "High",
        "Assignee": "Ada",
        "Start date": "11/29/2026",
        "Due date": "12/10/2026 (Due in 11 days)",
    }
    issue = "".join(f"<div><div>{label}:</div><div>{value}</div></div>" for label, value in values.items())
    links = "".join(f"<a href=/{i}>Linked entry {i}</a>\n" for i in range(30))
    about = "<h2>Feature 1</h2><h3>Dig the beds</h3><p>Added by <a href=/u>Ada Admin</a> 2 hours ago.</p>"
    tools = "<p>For the beds, which are on the lower pier, you will need:</p><dl><dt>spade<dd>to dig<dt>can<dd>to water</dl>"
    plan = "<h3>Plan</h3><ul><li>dig</li><li>water</li></ul>"
    show(tab, f"<title>Feature 1</title><div>{links}</div><div>{about}<div>{issue}</div>{tools}{plan}</div>")

    text = read(tab)["text"]

    assert "you will need:\n\n| spade | to dig |\n| can | to water |\n" in text
    assert [line for label, value in values.items() for line in (f"{label}:", value) if line not in text] == []
    assert text.endswith("### Plan\n\n- dig\n- water")


def test_text_for_screen_readers_is_what_a_cell_with_an_icon_says(tab: Page) -> None:
    def aloud(text: str) -> str:
        return f"<b style='position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)'>{text}</b>"

    cells = {
        "Yes": f"<svg width=16 height=16></svg>{aloud('Yes')}",
        "3": f"3{aloud('boats')}",
        "": aloud(SENTENCE),
        " ": f"<svg width=16 height=16></svg><b style='display:none'>{aloud('No')}</b>",
    }
    rows = "".join(f"<tr><td>Pier {number}<td>{cell}" for number, cell in enumerate(cells.values()))
    show(tab, article(f"<table><tr><th>Pier<th>Open{rows}</table>"))

    lines = read(tab)["text"].split("\n")

    assert lines[-4:] == [f"| Pier {number} | {said.strip()} |" for number, said in enumerate(cells)]


def test_signs_that_a_style_draws_in_cells_of_a_diff_are_read(tab: Page) -> None:
    lines = [
        ("\u2212", "It rose slowly.", ""),
        ("+", "It rose by two metres.", ""),
        ("\uf067", "Glyph", ""),
        ("+", "", "x"),
    ]
    rows = "".join(f"<tr><td data-sign='{sign}'><td>{text}<td data-sign='{more}'>1" for sign, text, more in lines)
    show(tab, article(f"<style>td::before {{ content: attr(data-sign) }}</style><table>{rows}</table>"))

    assert [line for line in read(tab)["text"].split("\n") if line.endswith("| 1 |")] == [
        *("| \u2212 | It rose slowly. | 1 |", "| + | It rose by two metres. | 1 |"),
        *("|  | Glyph | 1 |", "| + |  | 1 |"),
    ]


def test_open_shadow_roots_and_same_site_frames_are_read(tab: Page) -> None:
    shadow = f"<template shadowrootmode=open><p>In the shadow. {SENTENCE}</p><slot></slot></template>"
    framed = f"<p>In the frame. {SENTENCE}</p>"
    host = f"<story-part>{shadow}<p>In the slot. {SENTENCE}</p></story-part>"
    show(tab, f'<body><h1>Parts</h1>{host}<iframe srcdoc="{framed}"></iframe></body>')
    tab.frame_locator("iframe").get_by_text("In the frame").wait_for()

    text = read(tab)["text"]

    assert [part in text for part in ("In the shadow", "In the slot", "In the frame")] == [True] * 3


def test_page_that_forbids_elements_created_from_text_is_read(tab: Page) -> None:
    policy = {"content-security-policy": "require-trusted-types-for 'script'; trusted-types 'none'; script-src 'none'"}
    # Short, so that Readability retries with what it had removed.
    show(
        tab,
        f"{OG_ARTICLE}{MENU}<div class=sidebar><p>{SENTENCE}</p></div><noscript><img src=a></noscript>",
        headers=policy,
    )

    page = read(tab)

    assert "The river rose" in page["text"]
    with pytest.raises(PlaywrightError, match="TrustedHTML"):  # the control: the policy is in force
        tab.evaluate("document.body.innerHTML = 'x'")


def test_keyword_outside_of_the_main_content_returns_the_whole_page_and_a_note(tab: Page) -> None:
    show(tab, article())

    inside, outside, nowhere = read(tab, start="paragraph 5"), read(tab, start="sport"), read(tab, start="volcano")

    assert inside["content"] | {"left_out": 0} == {"path": "article", "left_out": 0, "note": ""}
    assert "paragraph 6" in inside["text"]
    assert "paragraph 4" not in inside["text"]
    assert outside["content"]["path"] == "whole"
    assert "outside of the main content" in outside["content"]["note"]
    assert "Imprint" in outside["text"]
    assert (nowhere["code"], nowhere["text"]) == ("KEYWORD_NOT_FOUND", "")


@pytest.mark.parametrize(
    "body", ["<nav><a href=/a>Home</a></nav>", "<p>ok</p>", "<svg><text>drawn</text></svg>x", "<footer>end</footer>"]
)
def test_page_with_little_text_is_never_read_as_empty(tab: Page, body: str) -> None:
    show(tab, body)

    page = read(tab)

    assert page["code"] == ""
    assert page["text"]


def test_page_of_which_hardly_anything_would_be_kept_is_read_whole(tab: Page) -> None:
    lenses = "".join(
        f"<div><a href=/l{i}>Lens {i} of the maker</a><div>$5{i}</div><ul><li>{SENTENCE[:52]}</li><li>Sealed {i}</li>"
        f"<li>{SENTENCE[:60]}</li></ul><a href=/b>Buy</a></div>"
        for i in range(200)
    )

    show(tab, f"{PRODUCT}{MENU}<div><h1>Lenses</h1>{lenses}</div>{FOOTER}")

    page = read(tab)
    assert page["content"]["path"] == "whole"
    assert "Sealed 199" in page["text"]


def test_page_without_text_is_empty_with_and_without_main_content(tab: Page) -> None:
    show(tab, "<div></div>")

    assert [read(tab, content=content)["code"] for content in ("main", "all")] == ["EMPTY_PAGE"] * 2


def test_noscript_text_is_read_only_if_the_page_shows_no_other(tab: Page) -> None:
    shut = "<details><summary>More</summary><p>This is invisible.</p></details><svg><text>drawn</text></svg>"
    names = "".join(
        f"<button name={name}></button><img name={name}>" for name in ("remove", "body", "querySelectorAll")
    )
    spare = f"<noscript><h1>Thread</h1>{STORY}{shut}<form hidden>{names}</form></noscript>"
    show(tab, f"<div id=app></div>{spare}")
    empty = read(tab)
    options = "".join(f"<option>Level {i}" for i in range(9))
    controls = "".join(f"<div><label>Setting {i}</label><select>{options}</select></div>" for i in range(9))
    show(tab, f"<div id=app><label><input type=checkbox checked><div>Night</div></label>{controls}</div>{spare}")
    application = read(tab)
    show(tab, article(spare.replace("flood", "spare")))
    full = read(tab)

    assert empty["content"]["path"] == "noscript"
    assert "browsers without scripts" in empty["content"]["note"]
    assert "paragraph 3" in empty["text"]
    assert "is invisible" not in empty["text"]
    assert "drawn" not in empty["text"]
    assert application["content"]["path"] == "whole"
    assert application["text"].startswith("Night (checked)\nSetting 0\n")
    assert "Thread" not in full["text"]


def test_fields_of_web_components_make_an_application(tab: Page) -> None:
    words = ["Pump", "Lamp", "Boats", "Level", "Mode", "Note", "Start", "Ring", "Depth"]
    fields = "".join(f"<div><label>{word}</label> <input value={word[0]}{i}></div>" for i, word in enumerate(words))
    form = f"<x-form><template shadowrootmode=open>{fields}</template></x-form>"
    show(tab, f"<h2>Helpers</h2><p>Everything on the quay that can be set from here, from north to south.</p>{form}")

    page = read(tab)

    assert page["content"]["path"] == "whole"
    assert page["text"].endswith(
        "\nPump P0\nLamp L1\nBoats B2\nLevel L3\nMode M4\nNote N5\nStart S6\nRing R7\nDepth D8"
    )


def test_page_with_too_many_elements_is_read_whole(tab: Page) -> None:
    show(
        tab,
        f"{article()}<script>for (let i = 0; i < 300001; i++) document.querySelector('main').append('')</script>",
    )

    page = read(tab)

    assert page["content"]["path"] == "whole"
    assert "paragraph 7" in page["text"]


def test_named_elements_do_not_mislead_the_reading(tab: Page) -> None:
    names = [
        "childNodes",
        "attributes",
        "localName",
        "parentElement",
        "firstChild",
        "remove",
        "className",
        "querySelectorAll",
    ]
    fields = "".join(f"<button name={name} id={name}></button><img name={name}>" for name in [*names, "body", "title"])
    show(tab, f"{OG_ARTICLE}{MENU}<form><h1>Form</h1>{fields}{STORY}</form>")

    page = read(tab)

    assert "paragraph 7" in page["text"]
    assert "Sport" not in page["text"]


def test_long_page_keeps_only_clearly_relevant_text_and_the_rest_of_its_lists_unless_it_contains_code(
    tab: Page,
) -> None:
    notes = "<ul><li>Boats and ropes</li><li>Sand for the dam</li></ul>"
    code = "<pre>" + "level = measure(river)\n" * 50 + "</pre>"
    plan = f"<ul><li>{SENTENCE * 2}</li><li>What the town needs: {notes}</li></ul>"

    def text_of(paragraphs: int, more: str) -> str:
        story = "".join(f"<p>{SENTENCE}This is paragraph {number}.</p>" for number in range(paragraphs))
        show(tab, f"{PRODUCT}{MENU}<main><h1>The flood of the year</h1>{story}{more}</main>{FOOTER}")
        return read(tab)["text"]

    texts = [text_of(8, notes), text_of(45, notes), text_of(45, code + notes), text_of(45, plan)]

    assert ["Boats" in text for text in texts] == [True, False, True, True]
    assert ["paragraph 7" in text for text in texts] == [True] * 4


def test_relevant_text_of_a_very_long_page_is_kept(tab: Page) -> None:
    story = "".join(f"<p>{SENTENCE}This is paragraph {number}.</p>" for number in range(900))
    show(tab, f"{PRODUCT}{MENU}<main><h1>The flood of the year</h1>{story}</main>{FOOTER}")

    page = read(tab)

    assert page["content"]["path"] == "blocks"
    assert page["text"].count("The river rose") == 900


def test_reading_changes_neither_the_page_nor_what_the_page_can_observe(tab: Page) -> None:
    show(tab, article(f"<p id=a class=b>{SENTENCE}</p>"))
    names = "Object.getOwnPropertyNames(globalThis).sort().join()"
    before = (tab.content(), tab.evaluate(names))

    first, second = (read(tab) for _ in range(2))

    assert first == second
    assert before == (tab.content(), tab.evaluate(names))


def test_script_for_a_mac_reads_the_same_as_the_extension(tab: Page) -> None:
    show(tab, article(MARKUP))
    page = read(tab, start="paragraph 2")
    environment = {"CHROME_TAB_CONTENT": "main", "CHROME_TAB_EXTENSION": str(EXTENSION)}
    around = Surroundings(FakeChrome(IsolatedWorld(tab)), environment)

    runs = [osascript(SCRIPT_TEXT, ["paragraph 2", "--to-end"], around) for _ in range(2)]

    assert [(run.status, run.stdout) for run in runs] == [(0, f"{page['text']}\n")] * 2
    logged = json.loads(runs[0].stderr.removeprefix("chrome_tab_page normal "))
    assert logged["content"] == page["content"]
