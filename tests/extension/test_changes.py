"""An action's reply lists what appeared and disappeared, so that no second look is needed."""

import json

import pytest

from tests.extension.conftest import DrivenTab, shared_tab_at
from tests.support.pages import cases

tab = shared_tab_at("/blank")

PUBLISHED = 'status "Page News published."'
FAILED = f'alert "Nothing was saved."; {PUBLISHED}'
# By the cases of `tests/pages/cases/changes.html`: what the reply reports after a click on #go.
CHANGES = {
    "an alert": 'alert "Wrong password"',
    "a toast that comes late and goes soon": 'now "Added to cart"',
    "a toast of a page that thinks first": 'now "Added to cart"',
    "a toast of a page that keeps its events": 'now "Added to cart"',
    "a status": 'status "Saved"',
    "an alert that a status repeats": 'alert "Saved"',
    "a dialog that opens": 'dialog "Delete 3 files?" opened: "For good"',
    "a dialog that closes": 'dialog "Cookies" closed',
    "what a class shows": 'now "More of it"',
    "what the mouse shows": 'now "Hint"',
    "a list that fills": 'list "suggestions" with 2 options: "a" p:nth-of-type(1), "a" p:nth-of-type(2)',
    "an error at a field": 'error at input#mail "Email": "Please fill out this field."',
    "a field that is enabled": 'button#box "Pay" enabled',
    "buttons that ARIA enables and disables": 'button#a "Save" enabled',
    "buttons without a text that are enabled": 'button "Undo" enabled; button .next enabled',
    "lines that get another style": "",
    "many buttons that are enabled with what is shown": 'button#a "Reply" and 3 more enabled; now "Dear Ada"',
    "a part that is rewritten": 'now "2 items"; gone "1 items"',
    "a part that goes": 'gone "Old news"',
    "very many": 'now "0.", "1.", "2." and 37 more',
    "a shadow root": 'now "Inside"',
    "a text right in a shadow root": 'now "Inside"',
    "a dialog of a new web component that fades in after a while": 'dialog "New area" opened',
    "what is reported first": 'alert "No"; dialog "Why" opened; now "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"',
    "another field that is filled": 'textarea#box "Confirmation" holds "Booking 7"',
    "a secret that is filled": "",
    "what stands next to it, first": 'now "D", "A", "B" and 1 more',
    "a word with a marked letter": 'now "Open", "Cut"',
    "a part that fades in": 'now "Ready"',
    "a menu that closes": "menu closed",
    "signs and icons": "",
    "a status without a text": 'now "Sorted"',
    "nothing": "",
    "what is invisible": "",
    "what is invisible of it": "",
    "the same again": "",
    "a part that is drawn again with what it hides": "",
    "a menu": 'menu with 19 items: "Entry 0" #m0, "Entry 1" #m1, "Entry 2" #m2, "Entry 3" #m3, "Entry 4" #m4',
    "styles and scripts": "",
    "a text for screen readers only": "",
    "a line between nodes": "SVG path drawn: #wire",
    "a label": 'button "Pin" is now "Unpin"',
    "a label in a drawing": 'now "counter"; gone "node"',
    "a dialog that fades": 'dialog "Tour" closed',
    "a menu of buttons": 'menu with 2 items: "Cut" #cut, "Copy" #copy',
    "a menu that another one replaces": 'menu with 1 item: "Two" #item',
    "a list of a web component": 'list with 2 options: "Red" #a, "Blue" #b',
    "a list of a web component that closes": "list closed",
    "a live list": 'list with 1 option: "Red" #a',
    "a state of what was clicked": 'button#go "More" expanded',
    "what fades in by a class": 'now "May 2026"',
    "what fades out": 'gone "Cut Copy"',
    "what fades out in a frame of the same site": 'gone "Cut Copy"',
    "a copy of a value for a form": "",
    "a field for a cell": "field #cell opened",
    "a field for another cell than before": 'field #cell opened; now "Bo"',
    "a search field that is drawn again, with the focus": "",
    "a text that becomes a field": "field #go opened",
    "a field that was locked": "field #go opened",
    "a field that remains one": "",
    "a part of an editor that is not edited": 'now "Voted"; gone "Vote"',
    "a list for a cell": "field #cell opened",
    "a change in a long text without spaces": f'now "...{"-oak" * 11}-2-end"; gone "...{"-oak" * 11}-1-end"',
    "a change near the end of a long text": 'now "...2 of 9"; gone "...1 of 9"',
    "a long text": f'now "{" ".join(["word"] * 35)}..."',
    "rows that are drawn again": "",
    "a row that moves": 'moved "Ada"',
    "a row that moves with the comment after it": 'moved "Ada"',
    "a dialog whose title is in a slot": 'dialog "Discard?" opened',
    "a dialog without a name": "dialog opened",
    "rows that a canvas draws": 'now "1 row"',
    "a dialog without a title": 'dialog "Inbox" opened',
    "a state of something without words": "#go expanded",
    "an error without words": 'input#mail "Email" is invalid',
    "an icon that is drawn again": "",
    "an icon that is written again": "",
    "a tab of a web component": 'x-tab#go "Photos" selected',
    "an alert with icons": 'alert "Saved by Ada"',
    "a menu whose items are icons": 'menu with 2 items: "Previous month" #back, "Save" #save',
    "parts of what appears that a class hides": 'now "Change it? Yes"',
    "an alert with its words in a slot": 'alert "Saved by Ada"',
    "a hidden message that is moved to its place": 'now "Saved by Ada"',
    "a status for screen readers in what appears": 'now "Two rows"',
    "a row of a live table": 'now "Elm"; gone "Oak 9"',
    "a copy for measuring": "",
    "a menu that opens after a while": 'menu with 1 item: "Cut" #cut',
    "a state that only a class shows": 'button#go "S" looks selected',
    "a page that follows its address after a while": 'now "All runs"; gone "Home"',
    "a table that is sorted": 'moved "Ash", "Oak"',
    "rows that are appended again in another order": 'moved "Ash", "Elm", "Oak"',
    "rows that are appended again in the same order": "",
    "what lies over the page, first": 'now "Settings", "Count a", "Count b" and 1 more',
    "a message in an empty layer, first": 'now "Post published.", "A text that says what comes next, part a", "A text that says what comes next, part b" and 1 more; 1 more',
    "a label of what is new": 'now "Paint"',
    "a field with a border": 'now "Users"',
    "a new web component": 'now "Inside"',
    "a status that a tooltip repeats": 'status "Not yet"',
    "a tick in a list that stands there": 'div#go "Oak ✓" selected',
    "signs next to a state": 'button#go "Bold" pressed',
    "a menu in another one": 'menu with 1 item: "Copy" #copy',
    "an upright bar of menus": 'menu with 1 item: "Cut" #cut',
    "chosen options around a field": 'list with 1 option: "Red" #a',
    "a message that two attributes name": 'error at input#mail "Email": "Missing"',
    "a text for screen readers that goes": "",
    "a text that is written again": "",
    "a drawing of a line": "SVG path drawn: #wire",
    "a column that is sorted": 'div#col "Name" sorted descending',
    "a dialog that is transparent before it goes": 'dialog "Tour" closed',
    "what lies in an empty box at the top of the page": 'now "Mail sent"',
    "rows of a column that is sorted": 'div#col "Name" sorted descending; now "Ash"; gone "Elm"',
    "details that close": 'details "More" collapsed',
    "all boxes that are checked": 'input#a "Ash (on)" on',
    "a new web component in another one": 'now "Palette Paint"',
    "a menu that begins to fade in after a while": 'now "Cut"',
    "a dialog that shows its next step": 'now "Two"; gone "One"',
    "a new dialog that fades in after a while": 'dialog "Two" opened; dialog "One" closed',
    "a layer with scroll bars that closes": 'gone "Commands"',
    "a class in a hidden copy of a header": "",
    "a class of a box without height": "",
    "a dialog whose content fades in a web component": 'dialog "Tour" closed',
    "a dialog in a new part of the page": 'dialog "Colors" opened; now "Open a file"',
    "boxes of a tree": 'input in li#go "3 Trees" on',
    "a dialog that opens once its backdrop has faded in": 'dialog "New guest" opened',
    "a field that is disabled": 'button#box "Pay" disabled',
    "buttons that change their states": 'button#bold "Bold" pressed; button#left "Left" not pressed',
    "a list in a box that moves": 'list "Names" with 1 option: "Ada" #ada',
    "a dialog that a script fades step by step": 'dialog "Tour" closed',
    "what a panel that appears does not show": 'now "More of it"',
    "fields that appear without a text": 'now select "c" [name=c], input "w" [name=w], button "Go" [aria-label=Go] and 1 more',
    "fields that are drawn again": "",
    "the next step of a tour, whose backdrop stays": 'dialog "Two" opened; dialog "One" closed',
    "a slide that comes into view, and others that do not": 'now "Rome"; gone "Oslo"',
    "a menu that comes from outside of the page": 'now "Copy Cut", "Ash"',
    "a slide in a live region": 'now "Rome"; gone "Oslo"',
    "drawers that slide into the window and out of it": 'now "Calls"; gone "Chat"',
    "a form that opens with values": 'now "New trip To By train"; input#far "To" holds "Rome"',
    "a form that closes, with a style of its own in it": 'gone "New trip Go"',
    "a frame that shows another page": f'{PUBLISHED}; now "A text that says nothing about the action."',
    "a frame that shows its page again, with one more message": FAILED,
    "a frame without an area": "",
    "an error at a web component": 'error at input#field "Email": "Please fill out this field."',
    "a page of a list": 'button#go "2" current',
    "a part that the search in the page would open": 'now "Only by mail"',
    "boxes with the name of their row": 'input "Select Ash" on',
    "a dialog that its button names": 'dialog "Calendar" opened',
    "a list of pictures": 'list "Colors" with 2 options: "Red" #red, "Blue" #blue',
    "a map that waits for a double-click": 'now "Harbour"',
    "what a state hides": 'gone "All of it"',
    "what becomes transparent": 'gone "All of it"',
    "what a style sheet hides": 'gone "All of it"',
    "a panel that opens": 'now "All of it"',
    "a panel that closes": 'gone "All of it"',
    "a panel whose height shrinks": 'gone "All of it"',
    "a panel whose width shrinks": 'gone "All of it"',
    "a panel that closes, with what it belongs to": 'button#go "More" collapsed',
    "a text in a panel that is shut": "",
    "a part that is drawn out of a box without a height": 'now "All of it"',
    "a part that is scaled away": 'gone "All of it"',
    "what a checked box hides": 'gone "All of it"',
    "what goes with the focus": 'gone "All of it"',
    "a part with a frame that goes": 'gone "Cookies?"',
    "the text of a text area": 'textarea#box holds "All of it"',
    "a button for screen readers that is drawn again": 'now "Saved"',
    "a dialog that is taken apart once it is gone": 'dialog "Edit" closed',
    "an error at an editor": 'error at div #code: "Value must be valid JSON"',
    "a choice that is also a title": 'now "Ada"; gone "Cyd"',
    "a table that is sorted, with an arrow in its head": 'moved "Ash", "Elm", "Oak"',
    "a change near the end of a long status": 'status "...2 of 9"; gone "...1 of 9"',
    "a long text that grows": 'now "...and the rest"; gone "...word"',
    "a box without a name": "input .mute on",
    "a panel whose content is drawn once it has its size": 'now "All of it"',
    "a layer that is hidden with its dialog, once that has faded out": 'gone "Sure? Yes"',
    "a class of a dialog in a layer that is open": "",
}


FILTER = """<div><input id=filter oninput="for (const row of rows.children) row.className =
row.textContent.includes(this.value) ? '' : 'off'"></div><ul id=rows><li>Ash<li>Elm</ul><style>.off { display: none }</style>"""


async def test_list_that_a_field_filters_is_reported_wherever_it_is(tab: DrivenTab) -> None:
    await tab.write(FILTER)

    filled = [(await tab.do("fill", selector="#filter", value=value)).get("changed") for value in ("As", "El", "")]

    assert filled == ['gone "Elm"', 'now "Elm"; gone "Ash"', 'now "Ash"']


async def test_what_was_hidden_before_is_not_gone_in_a_large_page(tab: DrivenTab) -> None:
    changing = "menu.style.cursor = box.style.cursor = 'default'; news.hidden = true"
    await tab.write(
        f"""{"<p>a" * 1_100}<div id=menu style="display: none">Sort</div><div hidden><b id=box>Filter</b></div>
        <p id=news>News</p><div><input id=field oninput="{changing}"></div>"""
    )

    assert (await tab.do("fill", selector="#field", value="x"))["changed"] == 'gone "News"'


STATES = """<style>#tip { display: none } #row:hover #tip { display: block } #part:not(:target) { display: none }</style>
<div id=row>Row<p id=tip>Copy</p></div><p id=other>Other</p><a id=to href="#part">To</a> <a id=away href="#">Away</a>
<p id=part>Part</p><button id=open popovertarget=menu>Open</button>
<div id=menu popover><button id=more popovertarget=inner>More</button></div><div id=inner popover>Inner</div>"""


async def test_state_of_the_browser_that_hides_something_is_noticed(tab: DrivenTab) -> None:
    await tab.write(STATES)
    for selector in ("#to", "#open", "#more"):
        await tab.do("click", selector=selector)

    # The inner one first, whose end moves no focus.
    closed = [(await tab.do("press", keys="Escape")).get("changed") for _ in range(2)]
    assert closed == ['gone "Inner"', 'gone "More"']
    assert (await tab.do("click", selector="#away"))["changed"] == 'gone "Part"'
    assert (await tab.do("hover", selector="#row"))["changed"] == 'now "Copy"'
    assert (await tab.do("hover", selector="#other"))["changed"] == 'gone "Copy"'


FORM = """<form id=form><input id=mail type=email aria-label=Email required>
<input id=name name=elements aria-label=Name required><div hidden><input id=unseen aria-label=Plan required></div>
<button id=go>Send</button><button id=later formnovalidate>Later</button></form>"""
# The form is empty afterwards, and therefore invalid again.
SEND = """form => void (form.onsubmit = (event) => {
  event.preventDefault();
  form.insertAdjacentText("afterend", "Sent");
  form.reset();
  form.checkValidity();
})"""


@pytest.mark.parametrize("place", ["page", "shadow root", "frame"])
async def test_form_that_the_browser_does_not_send_is_reported_each_time(tab: DrivenTab, place: str) -> None:
    await tab.write(
        {"page": FORM, "shadow root": "<div id=host></div>", "frame": f"<iframe srcdoc='{FORM}'></iframe>"}[place]
    )
    if place == "shadow root":
        await tab.page.evaluate("form => host.attachShadow({ mode: 'open' }).setHTMLUnsafe(form)", FORM)
    form = (tab.page.frame_locator("iframe") if place == "frame" else tab.page).locator("#form")
    await form.evaluate(SEND)
    empty = "Please fill out this field."
    unsent = f'error at input#name "Name": "{empty}"; error at hidden input#unseen "Plan": "{empty}"'

    for _ in range(2):
        changed = (await tab.do("click", selector="#go"))["changed"]
        assert changed == f'error at input#mail "Email": "{empty}"; {unsent}'
    await tab.do("fill", selector="#mail", value="a@example.com")
    assert (await tab.do("press", selector="#mail", keys="Enter"))["changed"] == unsent

    await tab.do("fill", selector="#name", value="Ada")
    await form.locator("#unseen").evaluate("field => void (field.value = 'Basic')")
    for sending in ("#go", "#later"):
        changed = (await tab.do("click", selector=sending))["changed"]
        assert ("Sent" in changed, "error" in changed) == (True, False)


async def test_values_that_a_form_accepts_are_no_errors(tab: DrivenTab) -> None:
    await tab.write(FORM.replace("<form", "<form novalidate"))
    await tab.page.locator("#form").evaluate(SEND)

    changed = (await tab.do("click", selector="#go"))["changed"]

    assert ("Sent" in changed, "error" in changed) == (True, False)


async def test_click_reports_what_it_has_changed(tab: DrivenTab, subtests: pytest.Subtests) -> None:
    bodies = cases("changes")
    assert list(bodies) == list(CHANGES)
    for case, body in bodies.items():
        with subtests.test(case):
            if await tab.page.title() != "Changes":
                await tab.show("", title="Changes")
            await tab.page.mouse.move(700, 500)
            await tab.write(body, title="Changes")

            result = await tab.do("click", selector="#go")

            assert (result.get("changed", ""), "notes" in result) == (CHANGES[case], False)
            assert len(json.dumps(result)) < 400


async def test_double_click_reports_what_opens_only_when_no_further_click_can_follow(tab: DrivenTab) -> None:
    await tab.show("<p id=go ondblclick=\"setTimeout(() => (list.textContent = 'Oak'), 250)\">Trees</p><p id=list></p>")

    result = await tab.do("click", selector="#go", count=2)

    assert result["changed"] == 'now "Oak"'


CLICK = ("<a id=go href='{}'>Go</a>", "click", {"selector": "#go"})
FILL = ("<input id=q onchange=\"location = '{}'\">", "fill", {"selector": "#q", "value": "a\n"})
PRESS = ("<button id=go onclick=\"location = '{}'\">Go</button>", "press", {"selector": "#go", "keys": "Enter"})
# The page, the command, the address to which it leads, and what is reported.
LEADING = [
    (CLICK, "/saved.html#failed", FAILED),
    (CLICK, "/saved.html#later", 'alert "Nothing was saved."'),
    (FILL, "/saved.html#failed", FAILED),
    (PRESS, "/saved.html#failed", FAILED),
    # Static texts of another page are no news.
    (CLICK, "/two", ""),
]


async def test_action_that_leads_to_another_page_reports_what_that_page_announces(
    tab: DrivenTab, subtests: pytest.Subtests
) -> None:
    for (body, command, params), target, said in LEADING:
        with subtests.test(f"{command} {target}"):
            await tab.show(body.format(target))

            assert (await tab.do(command, **params)).get("changed", "") == said


async def test_message_about_an_action_is_reported_among_the_hints_of_the_page_that_follows(tab: DrivenTab) -> None:
    hints = "".join(f"<p class=notice>Hint {number}</p>" for number in range(4))
    await tab.show(f"{hints}<p class='alert alert-success'>Saved</p>", path="/hints")
    await tab.show("<a id=go href=/hints>Go</a>")

    assert (await tab.do("click", selector="#go"))["changed"] == 'message "Saved"'


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", 'page loaded again; message "Vehicle B-EV 7 was changed."'),
        ("wrong", 'page loaded again; input#km "Range" is invalid'),
    ],
)
async def test_form_that_leads_to_its_own_page_is_reported_with_what_the_page_says(
    tab: DrivenTab, name: str, said: str
) -> None:
    await tab.open("/answered.html")
    await tab.page.evaluate("name => void (window.name = name)", name)

    assert (await tab.do("click", selector="#go"))["changed"] == said


async def test_form_that_is_sent_by_enter_reports_what_the_page_after_it_says(tab: DrivenTab) -> None:
    await tab.open("/answered.html")
    await tab.page.evaluate("void (window.name = '')")

    fields = [{"selector": "#name", "value": "Ada"}, {"selector": "#q", "value": "a\n"}]
    result = await tab.do("fill_form", fields=fields)

    # The page has cleared both.
    assert result["fields"] == [{"selector": "#name", "value": "Ada"}, {"selector": "#q", "value": "a"}]
    assert result["changed"] == 'page loaded again; message "Vehicle B-EV 7 was changed."'


async def test_reply_reports_that_changes_were_left_out(tab: DrivenTab) -> None:
    fields = "".join(f"<input id=f{n} required aria-label='Field {n}'>" for n in range(20))
    await tab.write(f"<form>{fields}<button id=go>Go</button></form>")

    changed = (await tab.do("click", selector="#go"))["changed"]

    assert changed.startswith('error at input#f0 "Field 0": ')
    assert changed.endswith(" more")
    assert len(changed) <= 210


@pytest.mark.parametrize("is_entered", [False, True])
async def test_filled_field_reports_the_pages_message_about_it(tab: DrivenTab, *, is_entered: bool) -> None:
    event = "onchange" if is_entered else "oninput"
    await tab.write(
        f"<form onsubmit='return false'><input id=mail aria-label=Email aria-describedby=why {event}='check()'>"
        """<p id=why hidden>Enter an address</p></form><script>function check() {
          why.hidden = mail.value.includes("@");
          mail.ariaInvalid = String(!why.hidden);
        }</script>"""
    )
    end = "\n" if is_entered else ""

    wrong = await tab.do("fill", selector="#mail", value=f"ada{end}")
    right = await tab.do("fill", selector="#mail", value=f"ada@example.test{end}")

    assert wrong["changed"] == 'error at input#mail "Email": "Enter an address"'
    assert "error" not in right.get("changed", "")


async def test_typed_text_is_not_reported_but_the_pages_reaction_is(tab: DrivenTab) -> None:
    await tab.write(
        "<div id=editor contenteditable>old</div><p id=count></p><p id=description style='display: none'>Old text</p>"
        "<details><summary>Sum</summary><div><p id=sum>0</p></div></details><div id=lines contenteditable><p>old</p></div>"
        """<script>
          editor.oninput = () => {
            document.querySelector("#description")?.remove();
            count.textContent = editor.textContent.length + " characters";
            // In a shut part of the page, which no reply reports.
            sum.className = sum.firstChild.data = "All " + editor.textContent.length;
          };
          lines.onbeforeinput = (event) => {
            event.preventDefault();
            const [line] = lines.children;
            line.firstChild.remove();
            line.remove();
            lines.innerHTML = `<p>${event.data}</p>`;
          };
        </script>"""
    )

    assert (await tab.do("fill", selector="#editor", value="brand new"))["changed"] == 'now "9 characters"'
    assert (await tab.do("press", selector="#editor", keys="s"))["changed"] == (
        'now "10 characters"; gone "9 characters"'
    )
    assert "changed" not in await tab.do("press", selector="#lines", keys="s")


# What a field does while it is filled: in a hidden part, with a list of suggestions, with a class.
UNREPORTED = [
    "<p><input id=q></p><div style='visibility: hidden; opacity: 0'><p id=box style='visibility: visible'>Oak</p></div>"
    "<script>q.oninput = () => (box.textContent = 'Elm')</script>",
    "<p><input id=q></p><div id=box style='display: none'></div><script>q.oninput = () => {"
    "  box.innerHTML = '<i>Finland</i>'; box.style.display = 'block';"
    "}; q.onblur = () => (box.style.display = 'none')</script>",
    "<p><input id=q class='day active'><input class=day></p>"
    "<script>q.onblur = () => q.classList.remove('active')</script>",
]


async def test_filled_field_reports_nothing_that_was_not_seen(tab: DrivenTab, subtests: pytest.Subtests) -> None:
    for body in UNREPORTED:
        with subtests.test(body):
            await tab.write(body)

            assert "changed" not in await tab.do("fill", selector="#q", value="Finland")


async def test_hover_and_select_report_changes_too(tab: DrivenTab) -> None:
    # A mouse that an earlier test has left over one of these would open its tip before.
    await tab.write("<p id=away>Away</p>")
    await tab.do("hover", selector="#away")
    await tab.write(
        "<style>#tip { display: none } #menu:hover ~ #tip { display: block }</style><p>Away</p><p id=menu>Menu</p>"
        "<p onmouseenter=\"setTimeout(() => (late.textContent = 'Late tip'), 200)\" id=slow>More</p><p id=late></p>"
        "<select id=list onchange=\"said.textContent = 'Sold out'\"><option>S<option>M</select><p id=said></p><p id=tip>Tip</p>"
    )

    assert (await tab.do("hover", selector="#menu"))["changed"] == 'now "Tip"'
    assert 'now "Late tip"' in (await tab.do("hover", selector="#slow"))["changed"]
    assert 'now "Sold out"' in (await tab.do("select", selector="#list", value="M"))["changed"]


async def test_page_that_never_settles_is_not_waited_for(tab: DrivenTab) -> None:
    await tab.show(
        "<button id=go onclick=\"said.textContent = 'Done'\">Go</button><p id=clock></p><p role=status id=said></p>"
        "<script>let n = 0; setInterval(() => { clock.textContent = n += 1 }, 1)</script>"
    )

    assert (await tab.do("click", selector="#go"))["changed"].startswith('status "Done"; now "')
