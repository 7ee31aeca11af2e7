"""An action's reply lists what appeared and disappeared, so that no second look is needed."""

import json

import pytest

from tests.extension.conftest import DrivenTab, shared_tab_at

tab = shared_tab_at("/blank")

TOAST = """const toast = Object.assign(document.createElement('div'), { textContent: 'Added to cart' });
document.body.append(toast); setTimeout(() => toast.remove(), 5000)"""
THINKING = "for (const end = performance.now() + 14; performance.now() &lt; end;)"
WRITTEN = "box.innerHTML = '<h1>Cart</h1><p>Same</p><p>' + (n += 1) + ' items</p>'"

# A page, and what the reply reports after a click on #go.
CLICKS = {
    "an alert": "<button id=go onclick=\"said.textContent = 'Wrong password'\">Go</button><p role=alert id=said></p>"
    '|alert "Wrong password"',
    "a toast that comes late and goes soon": f'<button id=go onclick="setTimeout(() => {{ {TOAST} }}, 45)">Go</button>'
    '|now "Added to cart"',
    "a toast of a page that thinks first": f'<button id=go onclick="{THINKING}; setTimeout(() => {{ {TOAST} }}, 45)">Go'
    '</button>|now "Added to cart"',
    "a toast of a page that keeps its events": f'<button id=go onclick="event.stopPropagation(); {THINKING}; setTimeout(() => '
    f'{{ {TOAST} }}, 45)">Go</button>|now "Added to cart"',
    "a status": "<button id=go onclick=\"said.textContent = 'Saved'\">Go</button><p role=status id=said></p>"
    '|status "Saved"',
    "a dialog that opens": "<button id=go onclick=box.showModal()>Go</button>"
    '<dialog id=box><h2>Delete 3 files?</h2><p>For good</dialog>|dialog "Delete 3 files?" opened',
    "a dialog that closes": "<div role=dialog aria-label=Cookies id=box>We use them <button id=go onclick=box.remove()>"
    'OK</button></div>|dialog "Cookies" closed',
    "what a class shows": "<style>p { display: none } .open p { display: block }</style>"
    '<button id=go onclick="document.body.className = \'open\'">Go</button><p>More of it</p>|now "More of it"',
    "what the mouse shows": "<style>p { display: none } #go:hover + p { display: block }</style>"
    '<button id=go>Go</button><p>Hint</p>|now "Hint"',
    "a list that fills": "<button id=go onclick=\"box.innerHTML = '<p role=option>a'.repeat(2)\">Go</button>"
    '<div role=listbox aria-label=suggestions id=box></div>|list "suggestions" with 2 options: "a" p:nth-of-type(1), "a" p:nth-of-type(2)',
    "an error at a field": "<form><input id=mail required aria-label=Email><button id=go>Go</button></form>"
    '|error at input#mail "Email": "Please fill out this field."',
    "a field that is enabled": '<button id=go onclick="box.disabled = false">Go</button><button id=box disabled>Pay</button>'
    '|button#box "Pay" enabled',
    "a part that is rewritten": f'<button id=go onclick="{WRITTEN}">Go</button><div id=box></div><script>let n = 0; '
    f'{WRITTEN}</script>|now "2 items"; gone "1 items"',
    "a part that goes": '<button id=go onclick=box.remove()>Go</button><p id=box>Old news</p>|gone "Old news"',
    "very many": '<button id=go onclick="for (let i = 0; i < 40; i += 1) box.append(Object.assign('
    'document.createElement(\'p\'), { textContent: i + \'.\' }))">Go</button><div id=box></div>|now "0.", "1.", "2." and 37 more',
    "a shadow root": "<button id=go onclick=\"box.shadowRoot.querySelector('p').textContent = 'Inside'\">Go</button>"
    '<div id=box><template shadowrootmode=open><p></p></template></div>|now "Inside"',
    "what is reported first": "<button id=go onclick=\"a.textContent = 'x'.repeat(150); b.textContent = 'No'; c.hidden = false\">"
    "Go</button><p id=a></p><p role=alert id=b></p><div role=dialog aria-label=Why id=c hidden>z</div>"
    f'|alert "No"; dialog "Why" opened; now "{"x" * 150}"',
    "another field that is filled": "<button id=go onclick=\"box.value = 'Booking 7'\">Go</button>"
    '<textarea id=box aria-label=Confirmation disabled></textarea>|textarea#box "Confirmation" holds "Booking 7"',
    "a secret that is filled": "<button id=go onclick=\"box.value = 'abc'\">Go</button><input id=box type=password>|",
    "what stands next to it, first": "<p id=a></p><p id=b></p><p id=c></p><div><button id=go onclick=\"a.textContent = 'A';"
    " b.textContent = 'B'; c.textContent = 'C'; d.textContent = 'D'\">Go</button><p id=d></p></div>"
    '|now "D", "A", "B" and 1 more',
    "a word with a marked letter": "<button id=go onclick=\"box.innerHTML = '<div><u>O</u>pen</div><div>Cut</div>'\">Go</button>"
    '<div id=box></div>|now "Open", "Cut"',
    "a part that fades in": "<style>@keyframes in { from, 50% { opacity: 0 } } #box.in { animation: in 0.3s }</style>"
    "<button id=go onclick=\"box.className = 'in'; box.innerHTML = '<p>Ready'\">Go</button><div id=box></div>|now \"Ready\"",
    "a menu that closes": "<div id=box><div role=menu><p role=menuitem>Open<p role=menuitem>Cut</div></div>"
    "<button id=go onclick=box.remove()>Go</button>|menu closed",
    "signs and icons": "<button id=go onclick=\"box.innerHTML = '<i aria-hidden=true>arrow_back</i><p>·</p>'\">Go</button>"
    "<div id=box></div>|",
    # Changes that are not worth reporting.
    "nothing": "<button id=go>Go</button>|",
    "what is invisible": "<button id=go onclick=\"a.textContent = 'x'; document.head.append(document.createElement('style'))\">"
    "Go</button><p id=a hidden></p>|",
    "what is invisible of it": '<button id=go onclick="a.firstChild.remove()">Go</button><p id=a hidden><b>x</b></p>|',
    "the same again": '<button id=go onclick="a.innerHTML = a.innerHTML">Go</button><div id=a><p>One<p>Two</div>|',
}


@pytest.mark.parametrize("case", CLICKS)
async def test_click_reports_what_it_has_changed(tab: DrivenTab, case: str) -> None:
    body, _, said = CLICKS[case].rpartition("|")
    await tab.show(body)

    result = await tab.do("click", selector="#go")

    assert result.get("changed", "") == said
    assert len(json.dumps(result)) < 400


PUBLISHED = 'status "Page News published."'


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("/saved.html", PUBLISHED),
        ("/saved.html#failed", f'alert "Nothing was saved."; {PUBLISHED}'),
        # Static texts of another page are no news.
        ("/blank", ""),
    ],
)
async def test_action_that_leads_to_another_page_reports_what_that_page_announces(
    tab: DrivenTab, target: str, said: str
) -> None:
    for body, action in [
        (f"<a id=go href='{target}'>Go</a>", {"command": "click", "selector": "#go"}),
        (f"<input id=q onchange=\"location = '{target}'\">", {"command": "fill", "selector": "#q", "value": "a\n"}),
        (
            f"<button id=go onclick=\"location = '{target}'\">Go</button>",
            {"command": "press", "keys": "Enter", "selector": "#go"},
        ),
    ]:
        await tab.show(body)
        command = action.pop("command")

        assert (await tab.do(command, **action)).get("changed", "") == said, command


async def test_reply_reports_that_changes_were_left_out(tab: DrivenTab) -> None:
    fields = "".join(f"<input id=f{n} required aria-label='Field {n}'>" for n in range(20))
    await tab.show(f"<form>{fields}<button id=go>Go</button></form>")

    changed = (await tab.do("click", selector="#go"))["changed"]

    assert changed.startswith('error at input#f0 "Field 0": ')
    assert changed.endswith(" more")
    assert len(changed) <= 210


@pytest.mark.parametrize("is_entered", [False, True])
async def test_filled_field_reports_the_pages_message_about_it(tab: DrivenTab, *, is_entered: bool) -> None:
    event = "onchange" if is_entered else "oninput"
    await tab.show(
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
    await tab.show(
        "<div id=editor contenteditable>old</div><p id=count></p>"
        "<script>editor.oninput = () => { count.textContent = editor.textContent.length + ' characters' }</script>"
    )

    assert (await tab.do("fill", selector="#editor", value="brand new"))["changed"] == 'now "9 characters"'
    assert (await tab.do("press", selector="#editor", keys="s"))["changed"] == (
        'now "10 characters"; gone "9 characters"'
    )


async def test_hover_and_select_report_changes_too(tab: DrivenTab) -> None:
    await tab.show(
        "<style>#tip { display: none } #menu:hover + #tip { display: block }</style><p id=menu>Menu</p><p id=tip>Tip</p>"
        "<select id=list onchange=\"said.textContent = 'Sold out'\"><option>S<option>M</select><p id=said></p>"
    )

    assert (await tab.do("hover", selector="#menu"))["changed"] == 'now "Tip"'
    assert 'now "Sold out"' in (await tab.do("select", selector="#list", value="M"))["changed"]


async def test_next_page_is_not_reported_as_a_change(tab: DrivenTab) -> None:
    await tab.show("<a id=go href=/two>Two</a>")

    result = await tab.do("click", selector="#go")

    assert (result["title"], "changed" in result) == ("Two", False)


async def test_page_that_never_settles_is_not_waited_for(tab: DrivenTab) -> None:
    await tab.show(
        "<button id=go onclick=\"said.textContent = 'Done'\">Go</button><p id=clock></p><p role=status id=said></p>"
        "<script>let n = 0; setInterval(() => { clock.textContent = n += 1 }, 1)</script>"
    )

    assert (await tab.do("click", selector="#go"))["changed"].startswith('status "Done"; now "')
