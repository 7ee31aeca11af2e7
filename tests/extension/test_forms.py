"""Several fields in one call: all of them, or none."""

from html import unescape
from typing import Any

import pytest

from tests.extension.conftest import DrivenTab, reloaded_tab_at, rewritten_tab_at, shared_tab_at

PAGE = """<form><input id=name value=before aria-label=Name><input id=secret type=password><input id=date type=date><input id=number type=number>
<textarea id=area></textarea><select id=size><option>S<option>M<option disabled>L</select>
<select id=tags multiple><option>a<option>b<option>c</select><input id=news type=checkbox checked><input id=terms type=checkbox>
<input type=radio name=pay id=card checked><input type=radio name=pay id=cash><input id=locked readonly><input id=off disabled>
<label for=styled id=look style="display: inline-block; width: 20px; height: 20px; background: gray"></label>
<input id=styled type=checkbox style="display: none">
<div id=switch role=switch aria-checked=false tabindex=0 onclick="this.ariaChecked = 'true'">Dark</div><input id=file type=file></form>
<div id=editor contenteditable>old</div><div id=part role=switch aria-checked=false></div><script>
  part.attachShadow({ mode: "open" }).innerHTML = "<span>Customs clearance</span> <i tabindex=0>o</i>";
  part.shadowRoot.lastChild.onclick = () => (part.ariaChecked = "true");
  window.events = [];
  for (const type of ["input", "change", "click", "focusin"]) {
    addEventListener(type, ({ target }) => events.push(`${type} ${target.id}`), true);
  }
</script>"""
blank = shared_tab_at("/blank")
pickers = rewritten_tab_at("/acting/date-pickers.html")
calendars = rewritten_tab_at("/acting/calendars.html")
components = reloaded_tab_at("/acting/components.html")


@pytest.fixture
async def page(blank: DrivenTab) -> DrivenTab:
    await blank.write(PAGE)
    return blank


async def test_check_boxes_ignore_the_attribute_that_makes_a_field_read_only(page: DrivenTab) -> None:
    await page.page.eval_on_selector_all("#terms, #cash", "all => all.forEach(one => (one.readOnly = true))")
    fields = [{"selector": selector, "value": True} for selector in ("#terms", "#cash")]

    result = await page.do("fill_form", fields=fields)

    assert [field["checked"] for field in result["fields"]] == [True, True]
    assert await page.page.locator(":is(#terms, #cash):checked").count() == 2
    assert "readonly" not in (await page.do("page_elements", within="#terms"))["text"]
    locked = [{"selector": "#locked", "value": "x"}]
    assert (await page.refused("fill_form", fields=locked))[0] == "EXECUTION_ERROR"


async def test_state_of_a_filled_box_is_not_a_change_of_another_one(page: DrivenTab) -> None:
    fields = [{"selector": "#terms", "value": True}, {"selector": "#news", "value": False}]

    assert "changed" not in await page.do("fill_form", fields=fields)


async def test_fields_of_every_kind_are_written_in_one_call_and_reported(page: DrivenTab) -> None:
    values: dict[str, Any] = {
        "#name": "Ada",
        "#secret": "word",
        "#date": "2026-12-31",
        "#number": "12",
        "#area": "two\nlines",
        "#size": "M",
        "#tags": ["a", "c"],
        "#news": False,
        "#terms": True,
        "#cash": True,
        "#card": False,
        "#styled": True,
        "#switch": True,
        "#part": True,
        "#editor": "new",
    }
    fields = [{"selector": selector, "value": value} for selector, value in values.items() if selector != "#card"]
    result = await page.do("fill_form", fields=fields)

    reported = {field.pop("selector"): field for field in result["fields"]}
    assert reported["#name"] == {"value": "Ada"}
    assert reported["#secret"] == {"value": "(hidden)"}
    assert reported["#size"] == {"selected": [{"value": "M", "label": "M"}]}
    assert [option["value"] for option in reported["#tags"]["selected"]] == ["a", "c"]
    assert (reported["#news"], reported["#cash"]) == ({"checked": False}, {"checked": True})
    held = await page.page.evaluate(
        "Object.fromEntries([...document.querySelectorAll('[id]')].map((e) => [`#${e.id}`, e.type === 'checkbox' || e.type === "
        "'radio' ? e.checked : e.ariaChecked !== null ? e.ariaChecked === 'true' : e.multiple && e.options ? [...e.selectedOptions]"
        ".map(({ value }) => value) : e.isContentEditable ? e.innerText : e.value]))"
    )
    assert {selector: held[selector] for selector in values} == values
    assert (result["title"], "notes" in result) == ("Shown", False)


PIN = {"selector": "#pin"}
# By the field: what its page marks as invalid when it is left, the field itself first.
MARKING = """<input id=pin aria-describedby=why><p id=why>Must have 4 digits</p><input id=pw><input id=again><input id=code
aria-invalid=true><input id=mark><script>
  const mark = (field, isBad) => (field.ariaInvalid = String(isBad));
  pin.onblur = () => mark(pin, pin.value.length !== 4);
  pw.onblur = again.onblur = () => { for (const one of [pw, again]) mark(one, pw.value !== again.value) };
  document.querySelector("#mark").onblur = () => mark(again, true);
</script>"""


async def test_what_the_page_objects_to_a_value_is_noted(blank: DrivenTab) -> None:
    await blank.write(MARKING)

    for action, value in (
        ("fill", {"selector": "#pin", "value": "12"}),
        ("fill_form", {"fields": [PIN | {"value": 5}]}),
    ):
        assert "Must have 4 digits" in (await blank.do(action, **value))["notes"][0]
    assert "notes" not in await blank.do("fill", **PIN, value="1234")
    assert (await blank.do("fill", selector="#code", value="x"))["notes"]
    assert "notes" not in await blank.do("fill", selector="#mark", value="x")


# Four boxes for one code, and a field that empties the password when it is written.
SECRETS = """<p>%s</p><p><input id=secret type=password></p><p><input id=clearing></p><script>
  const boxes = [...document.querySelectorAll("p:first-child input")];
  for (const [index, box] of boxes.entries()) box.oninput = () => box.value && boxes[index + 1]?.focus();
  clearing.oninput = () => (secret.value = clearing.value === "clear" ? "" : secret.value);
</script>"""
MASKS = ["type=password", "style='-webkit-text-security: disc'"]


async def test_code_in_masked_boxes_is_kept_and_not_returned(blank: DrivenTab, subtests: pytest.Subtests) -> None:
    for mask in MASKS:
        with subtests.test(mask):
            await blank.write(SECRETS % (f"<input {mask} maxlength=1 size=1>" * 4))

            result = await blank.do("fill", selector="p:first-child input", value="4071")

            boxes = blank.page.locator("p:first-child input")
            assert await boxes.evaluate_all("all => all.map(({ value }) => value).join('')") == "4071"
            assert result["value"] == "(hidden)"
            assert "notes" not in result
            assert not any(f'"{digit}' in str(result) for digit in "4071")


async def test_password_that_a_later_field_empties_is_reported_as_lost(blank: DrivenTab) -> None:
    await blank.write(SECRETS % "")
    fields = [{"selector": "#secret", "value": "hunter2"}, {"selector": "#clearing", "value": "keep"}]
    assert (await blank.do("fill_form", fields=fields))["fields"][0]["value"] == "(hidden)"

    fields[1]["value"] = "clear"
    code, message = await blank.refused("fill_form", fields=fields)

    assert code == "VALUE_NOT_KEPT"
    assert "#secret. It is empty now" in message
    assert "hunter2" not in message


BEHIND = """<style>#back { position: fixed; inset: 0 }</style><input id=name><select id=size><option>S<option>M</select>
<p style="margin-top: 3000px"><input id=far></p>"""
BACK = "<div id=back>"
OFFER = """<div role=dialog aria-label=Offer id=offer style="position: fixed; top: 300px"><input id=mail>
<button>Close</button></div>"""
MODAL = "<dialog aria-label=Offer id=offer><button>Close</button></dialog><script>offer.showModal()</script>"


async def test_dialog_over_a_field_is_noted_and_one_that_blocks_the_page_refused(blank: DrivenTab) -> None:
    places = ["#name", "#size", "#far"]
    fields = [{"selector": selector, "value": "M"} for selector in places]

    await blank.write(BEHIND)
    assert "notes" not in await blank.do("fill_form", fields=fields)
    for over in (f"{BACK}{OFFER}</div>", f"{BACK}</div>{OFFER}"):
        await blank.write(BEHIND + over)
        (note,) = (await blank.do("fill_form", fields=fields))["notes"]
        assert (note.startswith(f"{', '.join(places)}: "), "(#offer)" in note) == (True, True)
    assert "notes" not in await blank.do("fill", selector="#mail", value="x")
    await blank.write(BEHIND + MODAL)
    for command, selector in (("fill", "#name"), ("select", "#size")):
        code, message = await blank.refused_soon(command, selector=selector, value="M")
        assert (code, "(#offer)" in message) == ("EXECUTION_ERROR", True)
    assert await blank.page.input_value("#size") == "S"


async def test_what_a_later_field_of_a_form_settles_is_not_noted(blank: DrivenTab) -> None:
    await blank.write(MARKING)

    fields = [{"selector": selector, "value": 1234} for selector in ("#pw", "#again", "#pin")]
    result = await blank.do("fill_form", fields=fields)
    assert [field["value"] for field in result["fields"]] == ["1234"] * 3
    assert "notes" not in result
    result = await blank.do("fill_form", fields=[{"selector": "#pw", "value": "5"}, PIN | {"value": "1234"}])
    assert [note.partition(":")[0] for note in result["notes"]] == ["#pw"]


async def test_box_that_does_not_stay_checked_is_not_kept(blank: DrivenTab) -> None:
    await blank.write("<input type=checkbox id=a><input type=checkbox id=b>")
    fields = [{"selector": selector, "value": True} for selector in ("#a", "#b")]

    for event in (
        "a.onclick = () => setTimeout(() => (a.checked = false))",
        "b.onclick = () => void (a.checked = false)",
    ):
        await blank.page.evaluate(f"() => {{ a.checked = b.checked = false; {event} }}")
        code, message = await blank.refused("fill_form", fields=fields)

        assert (code, " #a. " in message, "#b: true" in message) == ("VALUE_NOT_KEPT", True, True)
        await blank.page.evaluate("a.onclick = b.onclick = null")
    assert (await blank.do("fill_form", fields=fields))["fields"][0] == {"selector": "#a", "checked": True}


async def test_field_that_enter_clears_has_taken_its_value(blank: DrivenTab) -> None:
    await blank.write(
        """<input id=tag onkeydown="if (event.key === 'Enter') { tags.textContent += tag.value; tag.value = '' }">
        <p id=tags></p><input id=other>"""
    )

    result = await blank.do("fill_form", fields=[{"selector": "#tag", "value": "food\n"}])

    assert (result["fields"], result.get("notes")) == ([{"selector": "#tag", "value": "food"}], None)
    assert await blank.page.inner_text("#tags") == "food"
    assert len((await blank.do("fill", selector="#other", value="food\n"))["notes"]) == 1
    await blank.page.evaluate("() => { other.onkeydown = ({ key }) => void (key === 'Enter' && (other.value = '')) }")
    result = await blank.do("fill", selector="#other", value="food\n")
    assert (result["value"], len(result["notes"])) == ("", 1)
    await blank.page.evaluate("() => { tag.onblur = () => void (tag.value = '') }")
    code, message = await blank.refused("fill", selector="#tag", value="food")
    assert (code, "with a line break at its end" in message) == ("VALUE_NOT_KEPT", True)
    await blank.page.evaluate("tag.type = 'number'")
    code, message = await blank.refused("fill", selector="#tag", value="5")
    assert (code, "with a line break at its end" in message) == ("VALUE_NOT_KEPT", False)
    await blank.page.evaluate("tag.type = 'text'")
    await blank.page.evaluate("() => { tag.onblur = null }")
    # Without Enter, a field that is cleared or changed by the next one has lost its value; a notation is none.
    fields = [{"selector": "#tag", "value": "food"}, {"selector": "#other", "value": "x"}]
    for other in ("", "feed"):
        await blank.page.evaluate(f"() => {{ other.onfocus = () => void (tag.value = '{other}') }}")
        code, message = await blank.refused("fill_form", fields=fields)
        assert (code, " in #tag. " in message) == ("VALUE_NOT_KEPT", True)
    await blank.page.evaluate("() => { other.onfocus = () => void (tag.value = 'FOOD') }")
    assert (await blank.do("fill_form", fields=fields))["fields"][0]["value"] == "FOOD"


async def test_choice_that_is_gone_with_its_page_is_not_kept(blank: DrivenTab) -> None:
    await blank.show(
        "<select id=size autocomplete=off onchange='location.reload()'><option>S<option>M</select><input id=name>"
    )

    fields = [{"selector": "#size", "value": "M"}, {"selector": "#name", "value": "Ada"}]
    code, message = await blank.refused("fill_form", fields=fields)
    assert (code, " in #size. " in message) == ("VALUE_NOT_KEPT", True)


async def test_error_after_a_field_that_leads_to_another_page_says_so(blank: DrivenTab) -> None:
    fields = [{"selector": "#name", "value": "Ada"}, {"selector": "#mail", "value": "a@b.de"}]
    # The page may leave before the field is read.
    for action, is_elsewhere, named in (("location = '/two'", True, "#name"), ("mail.remove()", False, "(#name).")):
        await blank.show(f'<input id=name onblur="{action}"><input id=mail>')

        code, message = await blank.refused("fill_form", fields=fields)

        assert (code, named in message) == ("ELEMENT_NOT_FOUND", True)
        assert ("The tab has another address" in message) == is_elsewhere

    await blank.show("<input id=name onfocus='mail.focus()'><input id=mail>")
    code, message = await blank.refused("fill_form", fields=fields)
    assert (code, "Written" in message) == ("EXECUTION_ERROR", False)


async def test_checked_box_is_left_alone(page: DrivenTab) -> None:
    fields = [
        {"selector": "#news", "value": True},
        {"selector": "#terms", "value": False},
        {"selector": "#card", "value": True},
    ]

    assert [field["checked"] for field in (await page.do("fill_form", fields=fields))["fields"]] == [True, False, True]
    assert await page.page.evaluate("events") == []


INVALID: list[object] = [
    None,
    [],
    "x",
    [{}],
    [None],
    [{"selector": "#name"}],
    [{"selector": "", "value": "x"}],
    [{"selector": "#name", "value": None}],
    [{"selector": "#tags", "value": [5]}],
    [{"selector": "#name", "value": "x"}] * 51,
]
WRONG: list[tuple[str, object, str]] = [
    ("#namee", "x", "#name"),
    ("#size", "XL", 'has no option "XL"'),
    ("#size", "L", "it is disabled"),
    ("#size", ["S", "M"], "accepts only one option, not 2"),
    ("#size", True, "is a list of options"),
    ("#locked", "x", "is still read-only"),
    ("#date", "31.12.2026", "a date such as 2026-12-31"),
    ("#number", "many", "a number such as 12.5"),
    ("#terms", "yes", "Pass true or false"),
    ("#card", False, "set another radio button"),
    ("#name", True, "accepts only a string"),
    ("#file", "x", "Use upload"),
]


async def test_nothing_is_written_if_a_field_cannot_be_and_each_such_field_is_named(page: DrivenTab) -> None:
    for invalid in INVALID:
        code, message = await page.refused("fill_form", fields=invalid)
        assert (code, "1 to 50 fields" in message) == ("INVALID_ARGUMENT", True)
    good = {"selector": "#name", "value": "Ada"}
    fields = [good, *({"selector": selector, "value": value} for selector, value, _ in WRONG[:8])]
    code, message = await page.refused_soon("fill_form", fields=fields)
    assert code == "ELEMENT_NOT_FOUND"
    assert message.startswith("Nothing was written: 8 of 9 fields cannot be filled.")
    assert [says for *_, says in WRONG[:8] if says not in message] == [], message

    fields = [good, *({"selector": selector, "value": value} for selector, value, _ in WRONG[8:])]
    code, message = await page.refused_soon("fill_form", fields=fields)
    assert code == "EXECUTION_ERROR"
    assert [says for *_, says in WRONG[8:] if says not in message] == [], message

    assert [event for event in await page.page.evaluate("events") if "locked" not in event] == []
    assert await page.page.evaluate("document.querySelector('#name').value") == "before"
    assert (await page.do("fill_form", fields=[good]))["fields"] == [{"selector": "#name", "value": "Ada"}]


async def test_field_that_disappears_during_writing_is_reported_with_the_progress(page: DrivenTab) -> None:
    await page.page.evaluate("document.querySelector('#name').addEventListener('change', () => area.remove())")

    fields = [{"selector": "#name", "value": "Ada"}, {"selector": "#area", "value": "x"}]
    code, message = await page.refused("fill_form", fields=fields)

    assert (code, "1 of 2 fields (#name)" in message) == ("ELEMENT_NOT_FOUND", True), message


# A choice enables or shows the next field, or brings its options, a little later.
CASCADE = """<select id=country><option value=''>-<option>DE</select><select id=state disabled></select>
<select id=town><option>-</select><input id=street disabled><p hidden><input id=floor></p>
<p><select id=zone hidden><option>UTC</select><button role=combobox aria-label=Zone>UTC</button></p><script>
  const offer = (list, name) => setTimeout(() => { list.disabled = false; list.innerHTML = `<option>-<option>${name}` });
  country.onchange = () => offer(state, "BY");
  state.onchange = () => offer(town, "Fürth");
  town.onchange = () => void (street.disabled = false);
  street.onchange = () => setTimeout(() => { floor.parentElement.hidden = false });
</script>"""


async def test_fields_that_depend_on_earlier_ones_are_filled_in_the_same_call(blank: DrivenTab) -> None:
    await blank.write(CASCADE)
    fields = [
        {"selector": f"#{name}", "value": value}
        for name, value in (
            ("country", "DE"),
            ("state", "BY"),
            ("town", "Fürth"),
            ("street", "Am Markt"),
            ("floor", "3"),
        )
    ]

    # The last one stays hidden, because another field is drawn in its place.
    zone = {"selector": "#zone", "value": "UTC"}
    for refused in (fields[1:], fields[-1:], [fields[0], zone]):
        code, message = await blank.refused_soon("fill_form", fields=refused)
        assert (code, message.startswith("Nothing was written")) == ("EXECUTION_ERROR", True), message

    result = await blank.do("fill_form", fields=fields)
    assert [next(reversed(field.values())) for field in result["fields"]][-1] == "3"
    assert await blank.page.evaluate("[country, state, town, street, floor].map(({ value }) => value)") == [
        field["value"] for field in fields
    ]

    await blank.write(CASCADE)
    wrong = [*fields[:2], {"selector": "#town", "value": "Rome"}]
    code, message = await blank.refused_soon("fill_form", fields=wrong)
    assert (code, "2 of 3 fields (#country, #state)" in message, 'no option "Rome"' in message) == (
        "EXECUTION_ERROR",
        True,
        True,
    )


RESET = """<select id=state><option>-<option>BY</select>
<button id=town role=combobox aria-label=Town aria-haspopup=listbox aria-controls=towns aria-expanded=false>Choose</button>
<ul id=towns role=listbox aria-label=Towns hidden><li role=option>Rome<li role=option>Oslo</ul>
<div id=rooms role=slider tabindex=0 aria-valuemin=0 aria-valuemax=9 aria-valuenow=0 style="height: 20px"></div>
<input id=size type=range value=0><select id=country><option>-<option>DE</select><script>
  const open = (isOpen) => { towns.hidden = !isOpen; town.ariaExpanded = String(isOpen) };
  town.onclick = () => open(true);
  towns.onclick = ({ target }) => { town.textContent = target.textContent; open(false) };
  rooms.onkeydown = ({ key }) => { if (key === "ArrowRight") rooms.ariaValueNow = Number(rooms.ariaValueNow) + 1 };
  country.onchange = () => {
    [town.textContent, rooms.ariaValueNow, size.value, state.value] = ["Choose", "0", "0", "-"];
  };
</script>"""


async def test_choices_that_a_later_field_resets_are_not_kept(blank: DrivenTab) -> None:
    await blank.write(RESET)
    fields: list[dict[str, object]] = [
        {"selector": f"#{name}", "value": value}
        for name, value in (("state", "BY"), ("town", "Oslo"), ("rooms", "3"), ("size", "7"))
    ]
    country = {"selector": "#country", "value": "DE"}

    code, message = await blank.refused("fill_form", fields=[*fields, country])

    assert (code, "4 of 5" in message, message.count("page_elements")) == ("VALUE_NOT_KEPT", True, 1)
    places = (f"in {field['selector']}. It " for field in fields)
    assert [place for place in places if place not in message] == []
    assert len((await blank.do("fill_form", fields=[country, *fields]))["fields"]) == 5


# An editable element moves its text to the values before it, at Enter (Tagify) or once it is left, and drops one text. Two
# thumbs on one track change places where they meet (Radix). A button opens a search in a dialog (cmdk).
DRAWN = """<style>.track { width: 300px; height: 20px } .track i { position: absolute; width: 20px; height: 20px }</style>
<p><span id=values></span><span id=tag contenteditable role=textbox aria-multiline=false style="padding: 0 50px"></span></p>
<div class=track><i id=low role=slider tabindex=0></i><i id=high role=slider tabindex=0></i></div>
<div id=own role=slider tabindex=0 aria-valuenow=5 aria-valuemin=0 aria-valuemax=90 style="width: 300px; height: 20px"></div>
<button id=pet role=combobox aria-haspopup=dialog aria-expanded=false aria-controls=pets>None</button>
<div id=pets role=dialog hidden><input id=find role=combobox aria-expanded=true aria-controls=list>
<div id=list role=listbox><p role=option>Cat<p role=option>Dog</div></div><script>
  const move = () => {
    const text = tag.textContent.trim();
    if (text && text !== "gone") {
      const mark = text === "odd" ? "aria-invalid=true" : "";
      values.innerHTML += `<b contenteditable=false ${mark}>${text}<button class=remove>x</button></b>`;
    }
    tag.textContent = "";
  };
  tag.onblur = move;
  tag.onkeydown = (event) => { if (event.key === "Enter") { event.preventDefault(); move() } };
  let numbers = [10, 60];
  const thumbs = [low, high];
  const draw = () => thumbs.forEach((one, index) => {
    one.ariaValueNow = numbers[index];
    one.style.left = `${numbers[index] * 3}px`;
  });
  thumbs.forEach((one, index) => one.onkeydown = ({ key }) => {
    const next = numbers[index] + ({ ArrowUp: 1, ArrowDown: -1 }[key] ?? 0);
    numbers = numbers.with(index, next).sort((a, b) => a - b);
    draw();
    thumbs[numbers.indexOf(next)].focus();
  });
  draw();
  own.onkeydown = ({ key }) => { if (key === "ArrowUp") own.ariaValueNow = Number(own.ariaValueNow) + 1 };
  const open = (isOpen) => { pets.hidden = !isOpen; pet.ariaExpanded = String(isOpen) };
  pet.onclick = () => { open(true); find.focus() };
  list.onclick = ({ target }) => { pet.textContent = target.textContent; open(false) };
</script>"""


async def test_fields_that_pages_draw_themselves_hold_what_was_requested(blank: DrivenTab) -> None:
    await blank.write(DRAWN)
    numbers = "[low, high, own].map((one) => one.ariaValueNow)"

    assert (await blank.do("fill", selector="#tag", value="one\n"))["value"] == "one"
    assert (await blank.do("fill", selector="#tag", value="two"))["value"] == "two"
    for dropped in ("gone", "odd", "odd\n"):
        code, message = await blank.refused("fill", selector="#tag", value=dropped)
        assert (code, '"one, two" now' in message) == ("VALUE_NOT_KEPT", "odd" in dropped)
    assert (await blank.refused("fill", selector="#low", value="70"))[0] == "VALUE_NOT_KEPT"
    assert await blank.page.evaluate(numbers) == ["10", "60", "5"]

    fields = {"#tag": "three\n", "#low": "70", "#high": "80", "#own": "20", "#pet": "Dog"}
    result = await blank.do("fill_form", fields=[{"selector": name, "value": value} for name, value in fields.items()])

    assert {field["selector"]: field["value"] for field in result["fields"]} == {**fields, "#tag": "three"}
    assert await blank.page.evaluate(numbers) == ["70", "80", "20"]
    assert await blank.page.locator("b").all_inner_texts() == ["onex", "twox", "oddx", "oddx", "threex"]
    assert await blank.page.inner_text("#pet") == "Dog"


async def test_check_of_a_form_opens_no_calendar(pickers: DrivenTab) -> None:
    await pickers.page.set_content("<input id=day readonly onfocus='box.hidden = false'><p id=box hidden>March</p>")

    fields = [{"selector": "#day", "value": "2026-03-05"}, {"selector": "[", "value": "x"}]
    assert (await pickers.refused("fill_form", fields=fields))[0] == "INVALID_SELECTOR"

    assert await pickers.page.locator("#box").is_hidden()


async def test_picker_that_is_no_calendar_and_stays_open_is_named(pickers: DrivenTab) -> None:
    await pickers.page.set_content(
        "<input id=day readonly onclick='box.hidden = false'>"
        "<div id=box role=dialog aria-label=Wheels hidden><button>2026</button><button>2027</button></div>"
    )

    code, message = await pickers.refused("fill", selector="#day", value="2026-03-05")

    assert (code, 'dialog "Wheels" opened' in message) == ("EXECUTION_ERROR", True)


async def test_picker_that_stays_open_is_noted_because_the_page_may_not_have_accepted_the_date(
    pickers: DrivenTab,
) -> None:
    days = "".join(f"<li role=option>{day}</li>" for day in range(1, 13))
    await pickers.page.set_content(
        "<!doctype html><input id=day onfocus='box.hidden = false'><input id=shy onfocus='plain.focus()'>"
        "<input id=plain><div id=box role=dialog aria-label=Calendar hidden><button>5</button></div>"
        "<p><input id=start onfocus='days.hidden = false'><input id=end onblur='days.hidden = true'>"
        f"<ul id=days role=listbox style='position: absolute; top: 200px' hidden>{days}</ul>"
    )

    noted = await pickers.do("fill", selector="#day", value="2026-03-05")
    await pickers.page.evaluate("box.hidden = true")
    both = [{"selector": "#day", "value": "2026-03-05"}, {"selector": "#shy", "value": "x"}]
    code, message = await pickers.refused("fill_form", fields=both)
    assert (code, "A picker is open" in message) == ("EXECUTION_ERROR", True)
    await pickers.page.evaluate("box.hidden = true")
    plain = await pickers.do("fill", selector="#plain", value="2026-03-05")

    assert (["A picker is open" in note for note in noted["notes"]], "notes" in plain) == ([True], False)
    # It is for the field after it, too.
    period = [{"selector": "#start", "value": "2026-03-05"}, {"selector": "#end", "value": "2026-03-06"}]
    for fields in (period[:1], period):
        assert ("notes" in await pickers.do("fill_form", fields=fields)) == (len(fields) == 1)


async def test_date_is_left_as_users_leave_it_so_that_the_page_accepts_it_and_closes_its_picker(
    pickers: DrivenTab,
) -> None:
    for day in ("12/24/2026", "24. Dezember 2026", "2026-12-24"):
        fields = [
            {"selector": "#from", "value": day},
            {"selector": "#day", "value": day},
            {"selector": "#news", "value": True},
        ]
        result = await pickers.do("fill_form", fields=fields)

        assert [next(reversed(field.values())) for field in result["fields"]] == [day, day, True]
        assert await pickers.page.evaluate("[state.day, new Set(state.opened).has('to')]") == [day, False]
    # The next Tab is the user's own.
    await pickers.do("press", selector="#from", keys="Tab")
    assert await pickers.page.evaluate("document.activeElement.id") == "to"


PICKED = [
    ("typed", "2026-01-31", "1/31/2026"),
    ("picked", "2025-11-05", "11/5/2025"),
    ("marked", "2026-03-05", "3/5/2026"),
    ("timed", "2026-01-31 09:05", "1/31/2026 09:05"),
    ("halved", "2026-02-03 00:07", "2/3/2026 00:07"),
    ("halved", "2026-02-03T15:30:00", "2/3/2026 15:30"),
    ("noted", "2026-02-03 15:30", "2/3/2026 3:30 PM"),
    ("shown", "2026-02-03 15:30", "2/3/2026, 3:30 PM"),
    ("hinted", "2026-02-03", "2/3/2026"),
    ("blanks", "2026-02-03", "03.02.2026"),
    ("blanks", "2026-03-04", "04.03.2026"),
    ("late", "15:30", "3:30 pm"),
    ("whole", "2/3/2026 15:30", "2/3/2026 15:30"),
    ("monthly", "2027-03", "03/2027"),
    ("worded", "03/05/2026", "March 5, 2026"),
    ("ranged", "2026-02-05", "2/5/2026"),
    ("clock", "07:30", "07:30"),
    ("early", "07:30", "07:30"),
    ("foreign", "2025-11-05", "11/5/2025"),
    ("button", "2026-03-05", "3/5/2026"),
    ("start", "2026-02-03 15:30", "2/3/2026 15:30:00 -"),
    ("start", "2026-02-05", "2/5/2026 12:00:00 -"),
]


async def test_day_is_picked_in_the_calendar_of_a_field_that_does_not_understand_it(
    calendars: DrivenTab, subtests: pytest.Subtests
) -> None:
    for name, day, held in PICKED:
        with subtests.test(name):
            reply = await calendars.do("fill", selector=f"#{name}", value=day)

            assert (reply["value"], await calendars.page.evaluate(f"state.{name}")) == (held, held)
            assert await calendars.page.locator(".calendar").count() == 0
    fields = [{"selector": f"#{name}", "value": "2026-02-28"} for name, _, _ in PICKED[1:3]]
    assert [field["value"] for field in (await calendars.do("fill_form", fields=fields))["fields"]] == ["2/28/2026"] * 2

    assert (await calendars.refused("fill", selector="#fixed", value="2026-03-05"))[0] == "EXECUTION_ERROR"
    assert await calendars.page.locator("#wheels").is_hidden()
    await calendars.page.evaluate("addHours()")
    code, message = await calendars.refused("fill", selector="#fixed", value="07:30")
    assert (code, "no calendar" in message) == ("EXECUTION_ERROR", True)
    assert await calendars.page.locator("#hours").input_value() == "5"
    assert await calendars.page.evaluate("state.pressed") is None
    assert (await calendars.refused("fill", selector="#picked", value="2026-02-30"))[0] == "EXECUTION_ERROR"
    assert await calendars.page.locator(".calendar").count() == 0
    code, message = await calendars.refused("fill", selector="#worded", value="03/05/2026 10:30")
    assert (code, '"March 5, 2026"' in message) == ("VALUE_NOT_KEPT", True)
    # Two languages in which the number of a month is part of that of another.
    for language in ("ja", "vi"):
        await calendars.page.evaluate("language => void (document.documentElement.lang = language)", language)
        reply = await calendars.do("fill", selector="#foreign", value="2025-12-06")
        assert reply["value"] == await calendars.page.evaluate("state.foreign") == "12/6/2025"
    # Its calendar has no time.
    assert (await calendars.refused("fill", selector="#picked", value="2026-02-03 15:30"))[0] == "VALUE_NOT_KEPT"


async def test_day_is_not_picked_in_a_calendar_that_is_open_for_another_field(calendars: DrivenTab) -> None:
    arrival = {"selector": "#arrival", "value": "2026-01-05"}
    visit = {"selector": "#visit", "value": "2026-01-12"}
    assert (await calendars.do("fill", **arrival))["value"] == "1/5/2026"

    # What is behind the calendar has not opened it.
    await calendars.do("press", selector="#visit", keys="ArrowLeft")
    code, message = await calendars.refused("fill", **visit)

    assert (code, "This is behind" in message) == ("EXECUTION_ERROR", True)
    assert await calendars.page.evaluate("[state.arrival, state.visit]") == ["1/5/2026", None]
    # So is the field that it is open for, also if the client has opened it.
    again = await calendars.do("fill", selector="#arrival", value="2026-01-06")
    await calendars.do("press", selector="#arrival", keys="Escape")
    await calendars.do("click", selector="#visit")
    own = await calendars.do("fill", **visit)
    await calendars.do("press", selector="#visit", keys="Escape")
    assert [reply["value"] for reply in (again, own)] == ["1/6/2026", "1/12/2026"]
    assert not any("behind" in str(reply) for reply in (again, own))


async def test_start_of_a_period_is_kept_until_its_end_is_filled(calendars: DrivenTab) -> None:
    started = await calendars.do("fill", selector="#since", value="09:30")

    assert (started["value"], len(started["notes"])) == ("09:30:00", 1)
    await calendars.do("fill", selector="#until", value="10:30")
    assert await calendars.page.evaluate("state.period") == ["09:30:00", "10:30:00"]

    days = [{"selector": "#first", "value": "2026-03-05"}, {"selector": "#last", "value": "2026-03-09"}]
    assert (await calendars.do("fill_form", fields=days))["fields"] == days


async def test_day_is_not_picked_in_a_calendar_next_to_the_field_that_has_stayed_open_for_another(
    calendars: DrivenTab,
) -> None:
    style = await calendars.page.add_style_tag(content=".calendar.modal { inset: auto 0 0 auto }")
    assert (await calendars.do("fill", selector="#arrival", value="2026-01-05"))["value"] == "1/5/2026"

    reply = await calendars.do("fill", selector="#visit", value="2026-01-12")

    held = await calendars.page.evaluate("[state.arrival, state.visit]")
    for selector in ("#arrival", "#visit"):
        await calendars.do("press", selector=selector, keys="Escape")
    await style.evaluate("one => one.remove()")
    assert (reply["value"], held) == ("1/12/2026", ["1/5/2026", "1/12/2026"])


MISREAD = """<input id=from placeholder=mm/dd/yyyy><input id=to placeholder=mm/dd/yyyy><script>
  const fields = [...document.querySelectorAll("input")];
  // It reads 2026-12-24 as a day in the second century, and moves the start before the end.
  const timeOf = ({ value }) => {
    const [month, day, year] = value.split(/\\D/).map(Number);
    const date = new Date(2000, month - 1, day);
    return date.setFullYear(year + date.getFullYear() - 2000);
  };
  const write = (field, time) => (field.value = new Date(time).toLocaleDateString("en-US"));
  onchange = ({ target }) => {
    const [start, end] = fields.map((field) => (field.value ? timeOf(field) : NaN));
    write(target, timeOf(target));
    if (end < start) write(fields.find((field) => field !== target), timeOf(target));
  };
</script>"""


async def test_end_of_a_period_is_typed_in_the_notation_that_its_start_has_kept(blank: DrivenTab) -> None:
    await blank.write(MISREAD)
    for first, last, held in [
        ("2026-12-01", "2026-12-24", ["12/1/2026", "12/24/2026"]),
        ("2027-02-03", "2027-02-05", ["2/3/2027", "2/5/2027"]),
    ]:
        days = [{"selector": "#from", "value": first}, {"selector": "#to", "value": last}]
        reply = await blank.do("fill_form", fields=days)

        assert [field["value"] for field in reply["fields"]] == held
        assert await blank.page.eval_on_selector_all("input", "all => all.map(({ value }) => value)") == held


async def test_month_in_a_notation_that_its_picker_drops_is_reported(pickers: DrivenTab) -> None:
    code, message = await pickers.refused("fill", selector="#month", value="2026/03")

    assert (code, '"01/2025" now' in message) == ("VALUE_NOT_KEPT", True)
    for month, held in [("03/2026", "03/2026"), ("2027-04", "04/2027")]:
        assert (await pickers.do("fill", selector="#month", value=month))["value"] == held
        assert await pickers.page.evaluate("state.month") == held


async def test_picker_that_only_enter_closes_accepts_the_date_without_submitting_the_form(pickers: DrivenTab) -> None:
    reply = await pickers.do("fill", selector="#entered", value="2026-03-05")

    assert await pickers.page.evaluate("[state.entered, state.submitted]") == ["2026-03-05", 0]
    # What the picker showed meanwhile was not there before.
    assert ("notes" in reply, "changed" in reply) == (False, False)
    # The next Enter is the user's own.
    await pickers.do("press", selector="#entered", keys="Enter")
    assert await pickers.page.evaluate("state.submitted") == 1
    # The picker has been open since the time was typed in another notation.
    await pickers.do("fill", selector="#clock", value="09:30")
    assert await pickers.page.evaluate("[state.clock, state.submitted]") == ["09:30:00", 1]


HELD = """<title>Trip</title><input id=other><input id=moment>
<div id=layer role=dialog aria-label=Calendar hidden style="position: absolute; top: 90px; background: silver">
  <button id=ok>OK</button></div><script>
  // It takes only a time with a half of the day, and opens a calendar otherwise, which keeps the focus.
  moment.onchange = () => {
    if (moment.value.endsWith("PM")) return;
    moment.value = "";
    layer.hidden = false;
    if (!layer.dataset.stays) ok.focus();
  };
  addEventListener("focusin", ({ target }) => {
    if (!layer.hidden && !layer.dataset.stays && !layer.contains(target)) ok.focus();
  });
  addEventListener("keydown", ({ key }) => {
    if (key === "Escape") layer.hidden = !layer.dataset.stays;
  });
</script>"""


async def test_calendar_that_keeps_the_focus_is_closed_for_its_field_and_named_for_others(blank: DrivenTab) -> None:
    await blank.write(HELD)

    reply = await blank.do("fill", selector="#moment", value="2026-12-24 14:30")
    assert (reply["value"], "notes" in reply) == ("2026-12-24 2:30 PM", False)

    await blank.page.evaluate("layer.hidden = false; ok.focus()")
    code, message = await blank.refused("fill", selector="#other", value="x")
    assert (code, "keeps it in button#ok" in message) == ("EXECUTION_ERROR", True), message
    await blank.do("press", keys="Escape")
    assert (await blank.do("fill", selector="#other", value="x"))["value"] == "x"


async def test_calendar_that_an_earlier_try_has_opened_has_a_note(blank: DrivenTab) -> None:
    await blank.write(HELD)
    await blank.page.evaluate("layer.dataset.stays = true")

    reply = await blank.do("fill", selector="#moment", value="2026-12-24 14:30")

    assert (reply["value"], ["picker" in note for note in reply["notes"]]) == ("2026-12-24 2:30 PM", [True])


async def test_month_or_address_that_a_field_writes_with_a_name_is_kept(blank: DrivenTab) -> None:
    names = {"2026-03": "March 2026", "2026-03-05": "5 Mar 2026", "bo@a.test": "Bo &lt;bo@a.test&gt;, "}
    names["2026-03-05 - 2026-03-09"] = "Mar 5, 2026 – Mar 9, 2026"  # noqa: RUF001 - as pages write it
    wrong = {"2026-03-05 - 2026-03-08": "Mar 5, 2026 - Mar 9, 2026", "2026-03-09 - 2026-03-05": "5/3/2026 - 9/3/2026"}
    await blank.write(
        f"<title>Named</title><input id=when onchange=\"this.value = {names | wrong}[this.value] ?? 'April 2026'\">"
    )

    for written, held in names.items():
        assert (await blank.do("fill", selector="#when", value=written))["value"] == unescape(held)
    for other in ("2026-05", "2026-04-06", "ann@a.test", *wrong):
        assert (await blank.refused("fill", selector="#when", value=other))[0] == "VALUE_NOT_KEPT"


# A field that calls itself a list, and opens a calendar. It takes other texts than 4/5/2027 for errors once it is left.
COMBOBOX_WITH_A_CALENDAR = """<input id=day aria-label=Day role=combobox aria-haspopup=true aria-autocomplete=list aria-expanded=false>
<div id=popup role=dialog hidden style="position: absolute"><b>April 2027</b><table role=grid><tbody id=days></table></div><script>
  for (let week = 0; week < 5; week += 1) {
    days.insertRow().role = "row";
    for (let date = 7 * week + 1; date < Math.min(7 * week + 8, 31); date += 1) {
      days.rows[week].insertCell().innerHTML = `<span>${date}</span>`;
    }
  }
  const show = (isOpen) => {
    popup.hidden = !isOpen;
    day.ariaExpanded = String(isOpen);
    isOpen ? day.setAttribute("aria-controls", "popup") : day.removeAttribute("aria-controls");
  };
  day.onkeydown = ({ altKey, key }) => key === "ArrowDown" && altKey && show(true);
  day.onblur = () => (day.ariaInvalid = String(!/^4.\\d+.2027$/.test(day.value)));
  popup.onmousedown = (event) => event.preventDefault();
  days.onclick = ({ target }) => {
    day.value = `4/${target.textContent}/2027`;
    show(false);
  };
</script>"""


async def test_day_is_picked_in_the_calendar_of_a_field_that_declares_a_list(blank: DrivenTab) -> None:
    await blank.write(COMBOBOX_WITH_A_CALENDAR)

    assert (await blank.do("fill", selector="#day", value="2027-04-05"))["value"] == "4/5/2027"
    # The calendar may also be open already.
    await blank.do("press", selector="#day", keys="Alt+ArrowDown")
    filled = await blank.do("fill_form", fields=[{"selector": "#day", "value": "2027-04-08"}])
    assert filled["fields"] == [{"selector": "#day", "value": "4/8/2027"}]


async def test_grid_of_numbers_is_a_list_of_options(blank: DrivenTab) -> None:
    await blank.write("""<input id=seat readonly aria-label=Seat role=combobox aria-expanded=false aria-controls=popup>
    <table id=popup role=grid hidden><tbody id=seats></table><script>
      for (let seat = 1; seat <= 40; seat += 1) {
        const row = seat % 8 === 1 ? seats.insertRow() : seats.rows[seats.rows.length - 1];
        Object.assign(row.insertCell(), { textContent: seat, ariaSelected: "false" });
      }
      seat.onclick = () => (popup.hidden = seat.ariaExpanded === "true", seat.ariaExpanded = "true");
      seats.onclick = ({ target }) => {
        seat.value = target.textContent;
        seat.ariaExpanded = "false";
        popup.hidden = true;
      };
    </script>""")

    chosen = await blank.do("select", selector="#seat", value="35")

    assert chosen["selected"] == [{"value": "35", "label": "35"}]


async def test_date_is_typed_in_the_notation_of_a_field_that_declares_a_list_and_has_none(blank: DrivenTab) -> None:
    without = COMBOBOX_WITH_A_CALENDAR.replace("altKey &&", "false &&").replace("^4.", "^04.")
    await blank.write(without.replace("role=combobox", "role=combobox placeholder=mm/dd/yyyy"))

    assert (await blank.do("fill", selector="#day", value="2027-04-15"))["value"] == "04/15/2027"


async def test_web_component_is_checked_although_only_the_browser_knows_its_state(components: DrivenTab) -> None:
    for size, news in (("#small", True), ("#large", False)):
        fields: list[dict[str, Any]] = [
            {"selector": size, "value": True},
            {"selector": "#news", "value": news},
        ]
        result = await components.do("fill_form", fields=fields)

        assert result["fields"] == [{"selector": size, "checked": True}, {"selector": "#news", "checked": news}]
        held = await components.page.evaluate("[...new FormData(form)].map(([, value]) => `#${value}`)")
        assert held == [size] + ["#news"] * news

    stuck = [{"selector": "#stuck", "value": True}]
    assert (await components.refused("fill_form", fields=stuck))[0] == "VALUE_NOT_KEPT"
    wrong: list[tuple[str, object]] = [("#plain", True), ("#large", False), ("#news", "yes")]
    for selector, value in wrong:
        fields = [{"selector": selector, "value": value}]
        assert (await components.refused("fill_form", fields=fields))[0] == "EXECUTION_ERROR"


async def test_web_component_with_one_field_for_users_stands_for_it(components: DrivenTab) -> None:
    fields = [{"selector": "#part", "value": "Ada"}, {"selector": "#fruit", "value": "Banana"}]

    result = await components.do("fill_form", fields=fields)

    assert [field["value"] for field in result["fields"]] == ["Ada", "Banana"]
    assert await components.page.input_value("#part #shown") == "Ada"
    assert await components.page.inner_text("#fruit [role=combobox]") == "Banana"


# Numbers in German, and one without decimals: both drop all other signs.
GERMAN = """<input id=price><input id=count><script>
  window.state = {};
  const read = (field, text, digits) => {
    state[field.id] = Number(text);
    field.value = state[field.id].toLocaleString("de", { maximumFractionDigits: digits });
  };
  price.onchange = () => read(price, price.value.replace(/[^\\d,]/g, "").replace(",", "."), 2);
  count.onchange = () => read(count, count.value.replace(/\\D/g, ""), 0);
</script>"""


async def test_number_is_written_with_a_decimal_comma_if_the_page_takes_the_point_for_another_sign(
    blank: DrivenTab,
) -> None:
    await blank.write(GERMAN)

    for price in ("1234.5", "1234,5"):
        assert (await blank.do("fill", selector="#price", value=price))["value"] == "1.234,5"
        assert await blank.page.evaluate("state.price") == 1234.5
    for count in ("1.5", "1,5"):
        code, message = await blank.refused("fill", selector="#count", value=count)
        assert (code, f'"{count}"' in message, '"15" now' in message) == ("VALUE_NOT_KEPT", True, True)
    assert (await blank.do("fill", selector="#count", value="1500"))["value"] == "1.500"
