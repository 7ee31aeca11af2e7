"""Fields and lists: what they accept, how the page is notified, and what they reject."""

import asyncio
from typing import Any

import pytest

from tests.extension.conftest import DrivenTab, rewritten_tab_at, shared_tab_at
from tests.support.polling import until

fields = rewritten_tab_at("/fields.html")
same_fields = shared_tab_at("/fields.html")
controlled = rewritten_tab_at("/controlled-fields.html")
lists = rewritten_tab_at("/lists.html")
same_lists = shared_tab_at("/lists.html")


async def value_of(tab: DrivenTab, selector: str) -> Any:
    return await tab.page.locator(selector).evaluate(
        "element => element.value ?? element.innerText.replace(/\\n$/, '')"
    )


# --- fill


KEPT = [
    ("#text", "J\u00f6rg \U0001f600 <b>"),
    ("#text", ""),
    ("#search", "shoes"),
    ("#number", "12"),
    ("#date", "2026-12-31"),
    ("#time", "23:59"),
    ("#datetime", "2026-12-31T23:59"),
    ("#month", "2026-12"),
    ("#week", "2026-W52"),
    ("#color", "#ff8800"),
    ("#range", "20"),
    ("#date", ""),
    ("#area", "two\nlines\n"),
    ("#editor", "two\nlines"),
    ("#editor", ""),
    ("#shadowed", "in the shadow"),
    ("#shadowed-editor", "in the shadow"),
    ("#readonly-until-focused", "x"),
]


async def test_field_of_each_kind_contains_the_value(same_fields: DrivenTab, subtests: pytest.Subtests) -> None:
    for selector, value in KEPT:
        with subtests.test(f"{selector} {value}"):
            result = await same_fields.do("fill", selector=selector, value=value)

            assert result["value"] == value
            assert await value_of(same_fields, selector) == value
            assert result["element"]["selector"] == selector
            assert "notes" not in result


async def test_typed_text_causes_trusted_events_and_one_change_without_leaving_the_field(fields: DrivenTab) -> None:
    result = await fields.do("fill", selector="#text", value="hello")

    assert await fields.page.evaluate("events") == [
        "focus text true",
        "beforeinput text true",
        "input text true",
        "keydown text true",
        "beforeinput text true",
        "input text true",
        "change text true",
        "focus text true",
    ]
    assert await fields.page.evaluate("document.activeElement.id") == "text"
    assert result == {
        "element": {"selector": "#text", "tag": "input", "text": "Name"},
        "matches": 1,
        "url": fields.site.url("/fields.html"),
        "title": "Fields of every kind",
        "value": "hello",
    }


async def test_field_that_already_has_the_value_reports_no_change(fields: DrivenTab) -> None:
    await fields.do("fill", selector="#text", value="before")

    events = await fields.page.evaluate("events")
    assert "input text true" in events
    assert "change text false" not in events


# As in a search for airports: the list opens when a key is released, for the text that the field has then.
AUTOCOMPLETE = """<input id=from><ul id=list></ul><textarea id=chat></textarea><script>
  const [from, chat] = document.querySelectorAll("#from, #chat");
  from.onkeyup = () => (document.querySelector("#list").innerHTML = `<li>${from.value} Airport`);
  window.keys = [];
  chat.onkeydown = ({ key }) => (keys.push(key), key !== "Enter");
</script>"""


async def test_last_character_is_typed_by_key_for_lists_that_open_on_key_release(blank: DrivenTab) -> None:
    await blank.write(AUTOCOMPLETE)

    for value in ("Berlin", "é", "Ny 5%"):
        assert (await blank.do("fill", selector="#from", value=value))["value"] == value
        await blank.page.locator(f"li:text-is('{value} Airport')").wait_for()
    for value in ("two\nlines\n", "smile \U0001f600", "ab"):
        assert (await blank.do("fill", selector="#chat", value=value))["value"] == value
    assert await blank.page.evaluate("keys") == ["b"]


async def test_editor_is_emptied_by_a_key_that_its_page_sees(fields: DrivenTab) -> None:
    await fields.do("fill", selector="#editor", value="")

    events = await fields.page.evaluate("events")
    assert events[:3] == ["focus editor true", "keydown editor true", "beforeinput editor true"]


async def test_selector_of_a_label_fills_its_field_and_that_of_an_element_inside_an_editor_the_editor(
    fields: DrivenTab,
) -> None:
    for selector in ("text=the label of the first field", "#label label"):
        result = await fields.do("fill", selector=selector, value=f"by {selector}")

        assert result["element"]["selector"] == "#text"
        assert await value_of(fields, "#text") == f"by {selector}"

    await fields.do("fill", selector="#bold", value="new")
    assert await value_of(fields, "#editor") == "new"


async def test_how_the_field_changes_or_rejects_a_value_is_reported(
    fields: DrivenTab, subtests: pytest.Subtests
) -> None:
    for selector, value, held, says in [
        ("#number", "500", "500", "100"),
        ("#email", "no-address", "no-address", "It says"),
    ]:
        with subtests.test(selector):
            result = await fields.do("fill", selector=selector, value=value)

            assert result["value"] == held
            assert says in " ".join(result["notes"])
    with subtests.test("a password is not returned"):
        result = await fields.do("fill", selector="#password", value="secret")

        assert await value_of(fields, "#password") == "secret"
        assert result["value"] == "(hidden)"
        assert "secret" not in str(result)


REJECTED = [
    ("#number", "twelve", "a number such as 12.5"),
    ("#date", "31.12.2026", "a date such as 2026-12-31"),
    ("#time", "9 pm", "a time such as 23:59"),
    ("#datetime", "2026-12-31", "2026-12-31T23:59"),
    ("#month", "December", "a month such as 2026-12"),
    ("#week", "52", "a week such as 2026-W52"),
    ("#color", "red", "a color such as #ff8800"),
    ("#range", "99", "a number from 10 to 50"),
    ("#range", "much", "a number from 10 to 50"),
    ("#checkbox", "x", "Use click"),
    ("#submit", "x", "Use click"),
    ("#cell", "x", "count=2"),
    ("#radios", "x", "Use click"),
    ("#file", "x", "Use upload"),
    ("#paragraph", "x", "is not an editable field"),
    ("#locked", "x", "is read-only"),
    ("#wrapper", "x", "Did you mean #wrapped"),
    ("#several", "x", "Did you mean #first, #second, #third or one of 1 more in it"),
    ("#unseen", "x", "Did you mean #drawn"),
]


async def test_invalid_value_or_element_is_rejected_and_stays_unchanged(
    fields: DrivenTab, subtests: pytest.Subtests
) -> None:
    for selector, value, says in REJECTED:
        with subtests.test(f"{selector} {value}"):
            before = await value_of(fields, selector)

            code, message = await fields.refused("fill", selector=selector, value=value)

            assert code == "EXECUTION_ERROR"
            assert says in message
            assert await value_of(fields, selector) == before
    assert not [event for event in await fields.page.evaluate("events") if event.startswith(("input", "change"))]
    for value in (None, 5, ["a"]):
        assert (await fields.refused("fill", selector="#text", value=value))[0] == "INVALID_ARGUMENT"


async def test_disabled_field_is_rejected_until_it_is_enabled(fields: DrivenTab) -> None:
    code, message = await fields.refused_soon("fill", selector="#disabled", value="x")
    assert (code, "is still disabled" in message) == ("EXECUTION_ERROR", True)

    await fields.page.evaluate("setTimeout(() => { document.querySelector('fieldset').disabled = false; }, 300)")
    assert (await fields.do("fill", selector="#disabled", value="x"))["value"] == "x"


async def test_text_that_only_the_next_field_holds_is_not_kept(blank: DrivenTab) -> None:
    await blank.write("<input id=here onchange='this.value = ``'><input value=new>")

    assert (await blank.refused("fill", selector="#here", value="new"))[0] == "VALUE_NOT_KEPT"


async def test_field_that_passes_the_focus_on_is_not_mistaken_for_the_one_that_gets_it(blank: DrivenTab) -> None:
    await blank.write("<input id=drawn onfocus='real.focus()'><input id=real>")

    code, message = await blank.refused("fill", selector="#drawn", value="x")

    assert (code, await value_of(blank, "#real")) == ("EXECUTION_ERROR", "")
    assert "passes the focus on to input#real" in message
    assert (await blank.do("fill", selector="#real", value="x"))["value"] == "x"


async def test_date_is_changed_before_its_field_is_left(blank: DrivenTab) -> None:
    await blank.write("""<input type=date id=day><script>
    seen = [];
    for (const name of ["input", "change", "blur"]) day.addEventListener(name, () => seen.push(name));
    </script>""")

    await blank.do("fill", selector="#day", value="2026-02-03")

    assert await blank.page.evaluate("seen") == ["input", "change", "blur"]
    await blank.do("fill", selector="#day", value="2026-02-03")
    assert (await blank.page.evaluate("seen")).count("change") == 1


async def test_field_outside_of_a_dialog_that_takes_the_focus_back_is_refused_with_the_dialog(blank: DrivenTab) -> None:
    await blank.write("""<input id=search>
      <div id=box tabindex=-1><div role=dialog aria-label=Edit><button id=save>Save</button></div></div>""")

    for holder, said in (("#save", "button#save"), ("#box", "div#box")):
        await blank.page.evaluate("one => void (search.onfocus = () => document.querySelector(one)?.focus())", holder)
        code, message = await blank.refused("fill", selector="#search", value="x")
        assert (code, f'the dialog "Edit" keeps it in {said}' in message) == ("EXECUTION_ERROR", True), message

    # A dialog that is not open keeps nothing.
    await blank.page.evaluate("box.firstElementChild.hidden = true; search.onfocus = () => box.focus()")
    code, message = await blank.refused("fill", selector="#search", value="Ada")
    assert (code, "dialog" in message) == ("EXECUTION_ERROR", False), message

    await blank.page.evaluate("box.remove()")
    assert (await blank.do("fill", selector="#search", value="x"))["value"] == "x"


async def test_line_break_at_the_end_presses_enter_and_submits_the_form(fields: DrivenTab) -> None:
    fields.site.pages["/sent?"] = b"<title>Sent</title>"
    assert (await fields.do("fill", selector="#text", value="stays"))["title"] == "Fields of every kind"

    result = await fields.do("fill", selector="#text", value="goes\n")

    assert (result["value"], result["title"]) == ("goes", "Sent")


# The page reads it at Enter only, and knows numbers up to 100.
READOUT = """<div id=readout contenteditable style="white-space: nowrap">30</div><script>
readout.onkeydown = (event) => {
  if (event.key !== "Enter") return;
  event.preventDefault();
  readout.textContent = document.title = Math.min(100, readout.textContent);
};</script>"""


async def test_line_break_at_the_end_presses_enter_in_an_editable_line(blank: DrivenTab) -> None:
    await blank.write(READOUT)

    for text, held in [("56\n", "56"), ("400\n", "100")]:
        result = await blank.do("fill", selector="#readout", value=text)
        assert (result["value"], await blank.page.title()) == (held, held)


async def test_framework_is_notified_of_its_fields_new_value(controlled: DrivenTab, subtests: pytest.Subtests) -> None:
    for selector, value in [("controlled", "hello"), ("controlled-date", "2026-01-01"), ("controlled-range", "7")]:
        with subtests.test(selector):
            await controlled.page.evaluate(
                """([id, value]) => {
                  const field = document.getElementById(id);
                  field.value = value;
                  field.dispatchEvent(new Event("input", { bubbles: true }));
                  field.value = "";
                }""",
                [selector, value],
            )
            assert await controlled.page.evaluate(f"state['{selector}']") != value

            result = await controlled.do("fill", selector=f"#{selector}", value=value)

            assert result["value"] == value
            assert await controlled.page.evaluate(f"state['{selector}']") == value


MASKED = [
    ("#phone", "5551234567", "(555) 123-4567"),
    ("#abroad", "5551234567", "+1 (555) 123-4567"),
    ("#card", "4111111111111111", "4111 1111 1111 1111"),
    ("#keys-only", "A 1-\u00e9", "A 1-\u00e9"),
    ("#later", "abc", "ABC"),
    ("#silent", "abc", "abc"),
]


async def test_title_that_is_edited_only_once_it_is_pressed_is_pressed(blank: DrivenTab) -> None:
    await blank.write("<input value=Old onclick='pressed = true' oninput='if (!globalThis.pressed) value = `Old`'>")

    assert (await blank.do("fill", selector="input", value="New"))["value"] == "New"


async def test_masked_field_keeps_what_it_accepts_and_the_reply_reports_it(
    controlled: DrivenTab, subtests: pytest.Subtests
) -> None:
    for selector, value, held in MASKED:
        with subtests.test(selector):
            result = await controlled.do("fill", selector=selector, value=value)

            assert result["value"] == held
            assert await value_of(controlled, selector) == held
            assert ("notes" in result) == (held != value)
    # It would also accept 20/26/0305.
    assert (await controlled.do("fill", selector="#birth", value="2026-03-05"))["value"] == "05/03/2026"


async def test_field_whose_page_navigates_by_itself_is_filled_and_the_next_page_reported(controlled: DrivenTab) -> None:
    result = await controlled.do("fill", selector="#code", value="1234")

    assert result["title"] == "One"
    # Whether the field can still be read is a race.
    if "value" in result:
        assert result["value"] == "1234"
    else:
        assert result["notes"] == ["The page navigated away before the field could be read."]


# By the field: the value, and what the page makes of it.
PUNCTUATED = {"kept": ("?!", "?!"), "changed": ("(555) 123", "555123"), "lost": ("...", "-")}


async def test_loss_of_punctuation_is_reported_too(blank: DrivenTab, subtests: pytest.Subtests) -> None:
    await blank.write(
        "".join(
            f"""<input id={name} oninput="this.value && this.value !== '{held}' && (this.value = '{held}')">"""
            for name, (_, held) in PUNCTUATED.items()
        )
    )

    for name, (value, held) in PUNCTUATED.items():
        with subtests.test(name):
            reply = await blank.ask("fill", selector=f"#{name}", value=value)

            assert await value_of(blank, f"#{name}") == held
            if name == "lost":
                assert reply["error"]["code"] == "VALUE_NOT_KEPT"
            else:
                assert reply["result"]["value"] == held
                assert ("notes" in reply["result"]) == (held != value)


async def test_value_that_the_page_changes_or_drops_is_an_error_with_the_actual_value(
    controlled: DrivenTab, subtests: pytest.Subtests
) -> None:
    lost = [("#digits", "-5", "5"), ("#digits", "12.5", "125"), ("#digits", "a1b2", "12"), ("#refuses", "x", "")]
    for selector, value, held in [*lost, ("#limited", "123456", "12345")]:
        with subtests.test(selector):
            code, message = await controlled.refused("fill", selector=selector, value=value)

            assert code == "VALUE_NOT_KEPT"
            assert (f'"{held}" now' if held else "is empty now") in message
            assert await value_of(controlled, selector) == held
            assert (await controlled.do("fill", selector=selector, value=held or ""))["value"] == held


async def test_editor_that_loses_a_space_gets_its_text_by_keys_and_one_that_is_empty_has_not_kept_it(
    fields: DrivenTab,
) -> None:
    await fields.page.evaluate("""void (editor.oninput = ({ data }) => {
      if (data?.length > 1) editor.textContent = editor.textContent.trimEnd();
      getSelection().selectAllChildren(editor);
      getSelection().collapseToEnd();
    })""")

    assert (await fields.do("fill", selector="#editor", value="line 2"))["value"] == "line 2"
    assert await fields.page.inner_text("#editor") == "line 2"

    await fields.page.evaluate("void (editor.oninput = () => (editor.textContent = ''))")
    code, message = await fields.refused("fill", selector="#editor", value="new")
    assert (code, "is empty now" in message) == ("VALUE_NOT_KEPT", True)


async def test_editor_that_shows_a_part_of_the_text_is_not_said_to_show_it_in_its_own_format(fields: DrivenTab) -> None:
    notes = []
    for change in ("replace(/\\s/, '')", "slice(0, 3)"):
        await fields.page.evaluate(f"void (editor.onblur = () => (editor.textContent = editor.textContent.{change}))")
        notes += (await fields.do("fill", selector="#editor", value="new est"))["notes"]

    assert len(set(notes)) == 2


async def test_editor_that_shows_another_text_has_not_kept_it(blank: DrivenTab) -> None:
    await blank.write("""<div id=name contenteditable></div><script>
    const editor = document.querySelector("#name");
    const write = (text) => { if (editor.textContent !== text) editor.textContent = text; };
    // The caret goes back to the start with each character that is written again.
    inCapitals = () => write(editor.textContent.toUpperCase());
    asAnother = () => write("Bo");
    </script>""")

    await blank.page.evaluate("void (document.querySelector('#name').oninput = inCapitals)")
    assert (await blank.do("fill", selector="#name", value="Ada Lovelace"))["value"] == "ADA LOVELACE"
    await blank.page.evaluate("void (document.querySelector('#name').oninput = asAnother)")
    assert (await blank.refused("fill", selector="#name", value="Cleo"))[0] == "VALUE_NOT_KEPT"
    assert (await blank.do("fill", selector="#name", value="Bo"))["value"] == "Bo"


async def test_options_that_appear_late_are_waited_for(lists: DrivenTab) -> None:
    await lists.page.evaluate(
        "setTimeout(() => document.querySelector('#many').add(new Option('Late', 'late')), 300)",
    )

    assert (await lists.do("select", selector="#many", value="Late"))["selected"] == [
        {"value": "late", "label": "Late"}
    ]


async def test_waiting_command_does_nothing_after_its_tab_is_detached(fields: DrivenTab) -> None:
    filling = asyncio.create_task(fields.ask("fill", selector="#readonly", value="x"))
    # It checks whether the field is writable once it has the focus.
    await fields.page.wait_for_function("document.activeElement.id === 'readonly'")
    await fields.user_does("detach")
    assert (await filling)["error"]["code"] == "TAB_DISCONNECTED"
    await fields.user_does("attach")
    await until(lambda: fields.succeeds("fill", selector="#text", value="now"))

    await fields.page.evaluate("document.querySelector('#readonly').readOnly = false")

    # By now it has checked many times.
    await fields.refused("hover", selector="#nothing")
    assert await fields.page.evaluate("document.activeElement.id") == "text"
    assert (await fields.do("fill", selector="#readonly", value="x"))["value"] == "x"


# --- select


CHOSEN = [
    ("r", "r", "Red"),
    ("Red", "Red", "Value that is a label"),
    ("Green", "g", "Green"),
    (" gREEN ", "g", "Green"),
    ("Twice", "dup", "Twice"),
]


async def test_option_is_chosen_by_value_then_by_label(lists: DrivenTab, subtests: pytest.Subtests) -> None:
    for wanted, value, label in CHOSEN:
        with subtests.test(wanted):
            await lists.page.evaluate("document.querySelector('#colour').value = 'choose'")
            result = await lists.do("select", selector="#colour", value=wanted)

            assert result["selected"] == [{"value": value, "label": label}]
            assert result["element"] == {"selector": "#colour", "tag": "select", "text": "Colour"}
            assert await value_of(lists, "#colour") == value
            assert await lists.page.evaluate("events.splice(0)") == [
                f"input colour {value} true true",
                f"change colour {value} true false",
            ]


async def test_list_of_options_is_selected_as_a_whole(same_lists: DrivenTab) -> None:
    chosen = "list => [...list.selectedOptions].map(({ value }) => value)"
    wanted: list[tuple[object, list[str]]] = [(["m", "Large"], ["m", "l"]), (["s"], ["s"]), ("m", ["m"]), ([], [])]
    for value, values in wanted:
        result = await same_lists.do("select", selector="#sizes", value=value)

        assert [option["value"] for option in result["selected"]] == values
        assert await same_lists.page.locator("#sizes").evaluate(chosen) == values


UNAVAILABLE: list[tuple[str, object, str]] = [
    ("#many", "none", '"o9" ("Option 9") and 15 more.'),
    ("#colour", ["r", "g"], "accepts only one option"),
    ("#colour", [], "accepts only one option"),
    ("#custom", "Red", 'has no option "Red"'),
    ("#field", "Red", "Use fill or click"),
    ("#gift", "yes", "is a checkbox. Use click"),
    ("#size", "s", "is a group of radio buttons. Use click"),
]


async def test_unavailable_option_is_rejected_and_one_that_is_selected_causes_no_event(
    lists: DrivenTab, subtests: pytest.Subtests
) -> None:
    for selector, wanted, says in UNAVAILABLE:
        with subtests.test(f"{selector} {wanted}"):
            code, message = await lists.refused_soon("select", selector=selector, value=wanted)

            assert code == "EXECUTION_ERROR"
            assert says in message
    for value in (None, 5, ["a", 5]):
        assert (await lists.refused("select", selector="#colour", value=value))[0] == "INVALID_ARGUMENT"
    assert await lists.page.evaluate("events") == []
    await lists.do("select", selector="#colour", value="choose")
    assert await lists.page.evaluate("events") == [], "the option was selected before"
    await lists.do("select", selector="text=Colour", value="r")
    assert len(await lists.page.evaluate("events")) == 2


async def test_disabled_list_is_rejected_until_it_is_enabled(lists: DrivenTab) -> None:
    code, message = await lists.refused_soon("select", selector="#off", value="one")
    assert (code, "is still disabled" in message) == ("EXECUTION_ERROR", True)

    await lists.page.evaluate("document.querySelector('#off').disabled = false")
    assert (await lists.do("select", selector="#off", value="one"))["selected"] == [{"value": "one", "label": "one"}]


@pytest.mark.parametrize(("first", "times"), [("<option value=''>Add a filter", 1), ("<option>none", 2)])
async def test_list_that_returns_to_its_prompt_may_be_one_of_commands_and_is_not_tried_again(
    blank: DrivenTab, first: str, times: int
) -> None:
    await blank.write(f"""<title>Filters</title><select id=add>{first}<option value=start>Start date</select><input id=name>
      <ul id=filters></ul><script>
      add.onchange = () => {{
        filters.append("Start date between");
        add.selectedIndex = 0;
      }};
    </script>""")
    fields = [{"selector": "#add", "value": "Start date"}, {"selector": "#name", "value": "Mine"}]

    code, message = await blank.refused("fill_form", fields=fields)

    assert (code, await blank.page.text_content("#filters")) == ("VALUE_NOT_KEPT", times * "Start date between")
    assert ('now "Start date between"' in message) == (times == 1)


async def test_list_that_navigates_is_followed_before_the_reply(lists: DrivenTab) -> None:
    result = await lists.do("select", selector="#goes", value="there")

    assert (result["title"], len(result["notes"])) == ("One", 1)


async def test_decimal_point_that_a_field_takes_only_from_a_key_is_not_lost(blank: DrivenTab) -> None:
    await blank.write("""<title>Amount</title><input id=amount>
    <fieldset><input id=least value=2> <input id=most></fieldset><script>
      amount.oninput = ({ data, target }) => {
        if (data?.length > 1) target.value = target.value.replace(".", "");
      };
    </script>""")

    assert (await blank.do("fill", selector="#amount", value="1234.5"))["value"] == "1234.5"
    # Only the end of a period is written as its start is.
    assert (await blank.do("fill", selector="#most", value="77.5"))["value"] == "77.5"


POPOVER = """<title>Post</title><input id=title><div id=popover popover tabindex=-1>
  <input id=day><input id=hour></div><script>
  const hide = () => popover.contains(document.activeElement) || popover.hidePopover();
  popover.showPopover();
  popover.addEventListener("focusout", () => setTimeout(hide));
</script>"""


async def test_popover_that_closes_without_the_focus_stays_open_for_its_other_fields(blank: DrivenTab) -> None:
    await blank.write(POPOVER)
    fields = [{"selector": "#day", "value": "5"}, {"selector": "#hour", "value": "14"}]

    result = await blank.do("fill_form", fields=fields)

    assert [field["value"] for field in result["fields"]] == ["5", "14"]
    assert await blank.page.locator("#popover:popover-open").count() == 1
    assert await blank.page.evaluate("document.activeElement.id") == "hour"
    # It closes once the focus is elsewhere.
    await blank.do("fill", selector="#title", value="x")
    assert await blank.page.locator("#popover:popover-open").count() == 0


async def test_field_has_the_focus_again_although_the_page_gave_it_to_what_is_around(blank: DrivenTab) -> None:
    await blank.write("""<title>Post</title><main id=around tabindex=-1><h1 id=heading contenteditable>a</h1></main><script>
      heading.onblur = () => around.focus();
    </script>""")

    await blank.do("fill", selector="#heading", value="b")
    result = await blank.do("press", keys='End "c"')

    assert result["value"] == "bc"
    assert await value_of(blank, "#heading") == "bc"


# Each change makes the page draw everything again: with what was entered, or as it was.
REDRAWN = """<div id=w></div><script>
  const held = { f: "", s: "A", c: false };
  const draw = () => {
    w.innerHTML = "<input id=f><select id=s><option>A<option>B</select><label id=l>Gift <input type=checkbox id=c></label>";
    Object.assign(f, { value: held.f });
    Object.assign(s, { value: held.s });
    Object.assign(c, { checked: held.c });
    w.onchange = () => {
      if (KEEPS) Object.assign(held, { f: f.value, s: s.value, c: c.checked });
      draw();
    };
  };
  draw();
</script>"""


async def test_element_that_the_page_draws_again_is_read_where_it_is_then(blank: DrivenTab) -> None:
    await blank.write(REDRAWN.replace("KEEPS", "true"))
    filled = await blank.do("fill", selector="#f", value="new")
    assert (filled["value"], "notes" in filled) == ("new", False)
    assert (await blank.do("select", selector="#s", value="B"))["selected"] == [{"value": "B", "label": "B"}]
    assert (await blank.do("click", selector="#l"))["checked"] is True

    await blank.write(REDRAWN.replace("KEEPS", "false"))
    for command, selector, value in (("fill", "#f", "new"), ("select", "#s", "B")):
        assert (await blank.refused(command, selector=selector, value=value))[0] == "VALUE_NOT_KEPT"
    assert (await blank.do("click", selector="#l"))["checked"] is False


async def test_field_that_the_page_draws_again_for_the_focus_is_written_there(blank: DrivenTab) -> None:
    drawn = "<input id={} onfocus='this.replaceWith({}); f.focus()'>"
    for command, params in (("fill", {"value": "new"}), ("press", {"keys": '"new"'})):
        await blank.write(drawn.format("f", 'Object.assign(this.cloneNode(), { onfocus: null, className: "again" })'))
        assert (await blank.do(command, selector="#f", **params))["value"] == "new"
        assert await value_of(blank, ".again") == "new"

        await blank.write(drawn.format("g", 'Object.assign(document.createElement("textarea"), { id: "f" })'))
        code, message = await blank.refused(command, selector="#g", **params)
        assert code == "EXECUTION_ERROR"
        assert "left the page when it got the focus" in message


async def test_drawn_list_has_another_generated_id_once_it_is_drawn_again(blank: DrivenTab) -> None:
    await blank.write("""<div id=w></div><script>
      let [value, count] = ["Oak", 0];
      const draw = () => {
        count += 1;
        w.innerHTML = `<b role=combobox tabindex=0 aria-expanded=false id=_r_${count}_>${value}</b>`;
      };
      w.onclick = ({ target }) => {
        const { role, textContent } = target;
        if (role === "option") return draw((value = textContent === "Ash" ? value : textContent));
        target.ariaExpanded = true;
        w.insertAdjacentHTML("beforeend", "<ul role=listbox><li role=option>Elm<li role=option>Ash</ul>");
      };
      draw();
    </script>""")

    chosen = await blank.do("select", selector="[role=combobox]", value="Elm")
    assert chosen["selected"] == [{"value": "Elm", "label": "Elm"}]
    assert (await blank.refused("select", selector="[role=combobox]", value="Ash"))[0] == "VALUE_NOT_KEPT"


async def test_next_item_of_a_list_is_not_taken_for_one_that_is_gone(blank: DrivenTab) -> None:
    await blank.write("""<ul id=w></ul><script>
      const items = ["one", "two"];
      const draw = () => { w.innerHTML = items.map((each) => `<li><input type=checkbox aria-label=Done>${each}`).join("") };
      w.onchange = () => { items.shift(); draw() };
      draw();
    </script>""")

    assert (await blank.do("click", selector="li:first-child input"))["checked"] is True


async def test_text_of_thousands_of_lines_is_entered_whole_and_in_time(blank: DrivenTab) -> None:
    """Typed, it would take longer than a command may."""
    text = "  a line\n" * 4_000
    await blank.write(
        "<textarea id=text></textarea><script>const seen = []; for (const type of ['input', 'change'])"
        " text.addEventListener(type, () => seen.push(type)); globalThis.seen = seen</script>"
    )
    await blank.do("fill", selector="#text", value=text)

    assert await value_of(blank, "#text") == text
    assert await blank.page.evaluate("seen") == ["input", "change"]


async def test_choice_and_number_that_a_server_rejects_are_not_kept(blank: DrivenTab) -> None:
    blank.site.delays_s["/rejected"] = 0.2
    await blank.write("""<ul id=list role=listbox tabindex=0><li role=option aria-selected=true>A<li role=option>B</ul>
    <div id=slider role=slider tabindex=0 aria-valuemin=0 aria-valuemax=9 aria-valuenow=5 style='height: 20px'></div><script>
      const choose = (chosen) => { for (const one of list.children) one.ariaSelected = one === chosen };
      const rejected = () => fetch("/rejected");
      list.onclick = ({ target }) => { choose(target); rejected().then(() => choose(list.children[0])) };
      slider.onkeydown = ({ key }) => {
        slider.ariaValueNow = key === "ArrowUp" ? "6" : "5";
        rejected().then(() => (slider.ariaValueNow = "5"));
      };
    </script>""")

    for command, selector, value, held in (("select", "#list", "B", '"A"'), ("fill", "#slider", "6", '"5"')):
        code, message = await blank.refused(command, selector=selector, value=value)
        assert (code, held in message) == ("VALUE_NOT_KEPT", True), message


# Takes the country code from a number, and shows it next to the field. The key opens the list of countries.
DIALED = """<label>Phone <span><b id=code>+1</b> <input id=phone type=tel></span></label><script>
phone.onkeydown = ({ key }) => void (key === "+" && (code.title = "Countries"));
phone.oninput = () => {
  const [, dialed, rest] = /^\\+(1|49)(.*)$/.exec(phone.value) ?? [];
  if (dialed) [code.textContent, phone.value] = [`+${dialed}`, rest.trim()];
};</script>"""


async def test_country_code_that_is_shown_next_to_the_field_is_a_part_of_its_number(blank: DrivenTab) -> None:
    await blank.write(DIALED)

    for number, held in [("+49 30 123456", "30 123456"), ("+1 (201) 555-0123", "(201) 555-0123")]:
        assert (await blank.do("fill", selector="#phone", value=number))["value"] == number
        assert await blank.page.input_value("#phone") == held
    fields = [{"selector": "#phone", "value": "+49 30 123456"}]
    assert (await blank.do("fill_form", fields=fields))["fields"][0]["value"] == "+49 30 123456"

    assert await blank.page.evaluate("code.title") == ""

    await blank.page.evaluate("void (code.hidden = true)")
    code, _ = await blank.refused("fill", selector="#phone", value="+1 201 555 0123")
    assert code == "VALUE_NOT_KEPT"

    # The code of another number.
    await blank.write("<p>Home <b>+49</b> <input> Work <input id=phone oninput='value = value.slice(3)'></p>")
    code, _ = await blank.refused("fill", selector="#phone", value="+49 30 123456")
    assert code == "VALUE_NOT_KEPT"

    # Another number, of the same length.
    await blank.write(DIALED.replace("rest.trim()", "rest.trim().slice(0, -1) + 7"))
    code, _ = await blank.refused("fill", selector="#phone", value="+49 30 123456")
    assert code == "VALUE_NOT_KEPT"
