"""Widgets that accept no text of their own are operated as a user would, and their value is what the page has kept."""

from typing import Any

import pytest

from tests.extension.conftest import DrivenTab, reloaded_tab_at, shared_tab_at

# Each test has its own fields of these pages, or leads them to its values whatever they hold.
widgets = shared_tab_at("/widgets.html")
reacting = shared_tab_at("/acting/late-reactions.html")
offering = shared_tab_at("/acting/list-that-offers-to-add.html")
libraries = shared_tab_at("/acting/library-fields.html")
editors = shared_tab_at("/acting/editors.html")
components = shared_tab_at("/acting/component-fields.html")
drawn = shared_tab_at("/acting/drawn-choices.html")
fresh_widgets = reloaded_tab_at("/widgets.html")
trees = shared_tab_at("/acting/tree-list.html")
around_native = shared_tab_at("/acting/list-around-a-native-one.html")


def segment(name: str, least: int, most: int) -> str:
    return f"<b id={name} aria-label={name} role=spinbutton tabindex=0 aria-valuemin={least} aria-valuemax={most} aria-valuenow={least}>o</b>"


SEGMENTS = f"""<title>Segments</title>
<p>{segment("hours", 1, 12)}{segment("minutes", 0, 59)}{segment("half", 0, 1)}</p>
<p>{segment("months", 1, 12)}{segment("years", 2020, 9999)}</p>
<label for=zone>Zone</label> <button id=zone>Rome</button>
<script>
  onkeydown = ({{ key, target }}) => {{
    if (key === "Home") target.parentElement.firstChild.focus();
    const step = {{ ArrowUp: 1, ArrowDown: -1 }}[key] ?? 0;
    const now = Number(target.ariaValueNow) + step;
    if (now >= target.ariaValueMin && now <= target.ariaValueMax) target.ariaValueNow = String(now);
    half.ariaValueText = ["AM", "PM"][half.ariaValueNow];
  }};
</script>"""
NOW = "all => all.map(one => one.ariaValueNow)"


async def state(tab: DrivenTab) -> dict[str, Any]:
    return await tab.page.evaluate("state")


CHOSEN = [
    ("room", "Double"),
    ("city", "City 250"),
    ("any", "known"),
    ("any", "of my own"),
    ("chosen", "green"),
    ("portal", "Large"),
    ("remote", "Elm"),
    ("drawn", "Row 2"),
    ("long", "Row 50"),
    ("tags", "blue"),
]


async def test_option_is_chosen_so_that_the_page_keeps_it(widgets: DrivenTab, subtests: pytest.Subtests) -> None:
    for name, value in CHOSEN:
        with subtests.test(f"{name} {value}"):
            result = await widgets.do("fill", selector=f"#{name}", value=value)

            assert result["value"].lower() == value.lower()
            kept = (await state(widgets))[name]
            assert (kept == [value]) if name == "tags" else (kept.lower() == value.lower())


async def test_list_that_draws_only_what_is_in_sight_is_searched_although_frames_are_rare(widgets: DrivenTab) -> None:
    # In the background a tab gets about one frame a second, and reports a scroll with it.
    await widgets.popup.page.bring_to_front()

    assert (await widgets.do("fill", selector="#drawn", value="Row 50"))["value"] == "Row 50"


async def test_several_options_become_exactly_the_fields_value(widgets: DrivenTab) -> None:
    await widgets.do("select", selector="#tags", value=["red", "green"])
    assert (await state(widgets))["tags"] == ["red", "green"]

    result = await widgets.do("select", selector="#tags", value=["green", "blue"])
    assert sorted((await state(widgets))["tags"]) == ["blue", "green"]
    assert sorted(option["label"] for option in result["selected"]) == ["blue", "green"]

    result = await widgets.do("select", selector="#standing", value=["two", "three"])
    assert [option["label"] for option in result["selected"]] == ["two", "three"]
    assert await widgets.page.locator("#standing [aria-selected=true]").all_text_contents() == ["two", "three"]


NOT_KEPT = [
    ("room", "Castle", "VALUE_NOT_KEPT", '"Single" now. Its options are "Single", "Double", "Suite"'),
    ("strict", "Castle", "VALUE_NOT_KEPT", 'is empty now. Its options are "left", "right"'),
    ("chosen", "Blue", "EXECUTION_ERROR", 'Its options are "Red", "Green", "Sold out"'),
    ("chosen", "old", "EXECUTION_ERROR", 'Its options are "Sold out", "Red", "Green"'),
    ("chosen", "Sold out", "EXECUTION_ERROR", "disabled"),
    ("chosen", "", "VALUE_NOT_KEPT", '"Red" now. Its options are "Red", "Green", "Sold out"'),
    ("remote", "Fir", "EXECUTION_ERROR", '"Nothing found"'),
    ("stuck", "7", "VALUE_NOT_KEPT", '"4" now'),
    ("slider", "22", "VALUE_NOT_KEPT", " now"),
    ("slider", "200", "EXECUTION_ERROR", "from 0 to 100"),
    ("slider", "high", "EXECUTION_ERROR", "from 0 to 100"),
    ("day", "tomorrow", "EXECUTION_ERROR", "2026-12-31"),
    ("reverts", "new", "VALUE_NOT_KEPT", '"old" now. Check with page_elements'),
]


async def test_value_that_the_page_does_not_keep_is_an_error_that_names_the_existing_ones(
    fresh_widgets: DrivenTab, subtests: pytest.Subtests
) -> None:
    for name, value, code, says in NOT_KEPT:
        with subtests.test(f"{name} {value}"):
            before = await state(fresh_widgets)

            got, message = await fresh_widgets.refused("fill", selector=f"#{name}", value=value)

            assert got == code, message
            assert says in message
            after = await state(fresh_widgets)
            assert {**after, "committed": 0} == {**before, "committed": 0}


async def test_choice_that_is_already_empty_can_be_emptied(widgets: DrivenTab) -> None:
    await widgets.page.evaluate("void (byId('chosen-value').textContent = '')")

    assert (await widgets.do("fill", selector="#chosen", value=""))["value"] == ""
    assert (await widgets.do("select", selector="#chosen", value=""))["selected"] == []


async def test_choice_that_the_page_marks_as_invalid_has_a_note(widgets: DrivenTab) -> None:
    await widgets.page.evaluate("void (byId('any').onblur = ({ target }) => (target.ariaInvalid = 'true'))")

    assert "invalid" in (await widgets.do("fill", selector="#any", value="wrong"))["notes"][0]


async def test_slider_is_moved_so_that_the_page_commits_its_value(widgets: DrivenTab) -> None:
    assert (await widgets.do("fill", selector="#slider", value="65"))["value"] == "65"
    assert (await state(widgets))["committed"] == 65

    fields = [{"selector": "#low", "value": "25"}, {"selector": "#high", "value": "600"}]
    written = (await widgets.do("fill_form", fields=fields))["fields"]
    assert [field["value"] for field in written] == ["25", "600"]
    assert await widgets.page.locator("#pair").text_content() == "25 to 600"


async def test_slider_thumb_spin_button_and_date_segments_reach_the_value(
    widgets: DrivenTab, subtests: pytest.Subtests
) -> None:
    for name, value in [("thumb", "70"), ("spin", "6"), ("fine", "3003"), ("day", "2026-12-31")]:
        with subtests.test(name):
            assert (await widgets.do("fill", selector=f"#{name}", value=value))["value"] == value

            now = await widgets.page.eval_on_selector_all(
                f"#{name}, #{name} [role=spinbutton]", "all => all.flatMap(one => one.ariaValueNow ?? [])"
            )
            assert now == (["12", "31", "2026"] if name == "day" else [value])


async def test_segments_of_a_clock_with_two_halves_take_the_time_of_the_day(widgets: DrivenTab) -> None:
    for value, held in [("09:45", "9:45"), ("15:05", "15:5"), ("00:30", "0:30"), ("12:10", "12:10")]:
        assert (await widgets.do("fill", selector="#clock", value=value))["value"] == value
        assert (await state(widgets))["clock"] == held


async def test_option_that_a_list_offers_to_add_is_added(offering: DrivenTab, subtests: pytest.Subtests) -> None:
    for selector, held in [("#key", "#held"), ("#search", "#found")]:
        with subtests.test(selector):
            assert (await offering.do("fill", selector=selector, value="owner"))["value"] == "owner"
            assert await offering.page.locator(held).inner_text() == "owner"


async def test_search_in_an_open_list_of_commands_runs_none(offering: DrivenTab) -> None:
    result = await offering.do("fill", selector="#command", value="del")

    assert (result["value"], result["title"]) == ("del", "Lists that offer to add the typed text")
    assert await offering.page.evaluate("document.activeElement.id") == "command"


async def test_option_of_an_open_list_is_selected_by_the_start_of_its_text(offering: DrivenTab) -> None:
    await offering.do("select", selector="#entity", value="Guest mode")

    assert await offering.page.eval_on_selector("#entity", "one => [one.value, one.ariaExpanded]") == [
        "Guest mode",
        "false",
    ]


async def test_list_that_goes_with_the_choice_says_what_it_has_done(blank: DrivenTab) -> None:
    await blank.write(
        """<p id=areas></p><div id=add role=combobox tabindex=0 aria-haspopup=listbox onclick="list.hidden = false">Add</div>
        <ul id=list role=listbox hidden><li role=option>Hall<li role=option onclick="areas.textContent = 'Kitchen';
        add.remove(); list.remove()">Kitchen</ul>"""
    )

    code, message = await blank.refused("select", selector="#add", value="Kitchen")

    assert (code, 'now "Kitchen"' in message) == ("EXECUTION_ERROR", True)


async def test_text_that_a_list_drops_a_moment_later_is_reported_as_not_kept(offering: DrivenTab) -> None:
    assert (await offering.refused("fill", selector="#forgets", value="owner"))[0] == "VALUE_NOT_KEPT"


async def test_form_reports_texts_that_were_dropped_or_replaced_when_the_next_field_was_written(
    reacting: DrivenTab,
) -> None:
    fields = [{"selector": f"#{name}", "value": "5"} for name in ("tag", "phone", "last")]

    code, message = await reacting.refused("fill_form", fields=fields)

    assert (code, "#tag. It is empty now" in message, '#phone. It holds "555"' in message) == (
        "VALUE_NOT_KEPT",
        True,
        True,
    )


async def test_time_of_a_clock_with_two_halves_and_a_month_are_set_in_their_segments(
    blank: DrivenTab, subtests: pytest.Subtests
) -> None:
    await blank.write(SEGMENTS)

    for selector, value, held in (
        ("#hours", "14:05", ["2", "5", "1"]),
        ("#hours", "00:30", ["12", "30", "0"]),
        ("#hours", "12:00", ["12", "0", "1"]),
        ("#months", "2026-03", ["3", "2026"]),
    ):
        with subtests.test(value):
            assert (await blank.do("fill", selector=selector, value=value))["value"] == value
            assert await blank.page.eval_on_selector_all(f"{selector}, {selector} ~ b", NOW) == held
    filled = await blank.do("fill", selector="#half", value="AM")
    assert (filled["value"], filled["element"]["text"]) == ("AM", "half")
    assert (await blank.do("click", selector="#zone"))["element"]["text"] == "Zone"
    assert await blank.page.eval_on_selector_all("#hours, #hours ~ b", NOW) == ["12", "0", "0"]


def date(label: str, *, locked: str = "") -> str:
    limits = {"month": 12, "day": 31, "year": 9999}
    segments = [
        f"<b role=spinbutton tabindex=0 contenteditable data-type={name} aria-labelledby={label} aria-valuemin=1 "
        f"aria-valuemax={most} aria-valuetext=Empty {locked}>{name}</b>"
        for name, most in limits.items()
    ]
    return "/".join(segments)


PERIODS = f"""<title>Periods</title>
<p><span id=trip>Trip</span> <span role=group id=dates aria-labelledby=trip>{date("trip")} - {date("trip")}</span></p>
<p><span id=due>Due</span> <span role=group id=day aria-labelledby=due>{date("due")}</span></p>
<p><span id=born>Born</span> <span role=group id=birthday aria-labelledby=born>{date("born", locked="data-locked")}</span></p>
<script>
  onkeydown = (event) => {{
    const {{ key, target }} = event;
    if (target.role !== "spinbutton" || key === "Tab") return;
    event.preventDefault();
    let text = target.ariaValueNow ?? "";
    if (/^[0-9]$/.test(key)) text = Number(text + key) > Number(target.ariaValueMax) ? key : text + key;
    if (key === "Backspace" && !("locked" in target.dataset)) text = text.slice(0, -1);
    Object.assign(target, {{ ariaValueNow: text || null, ariaValueText: text || "Empty" }});
    target.textContent = text || target.dataset.type;
  }};
</script>"""


async def test_period_is_set_in_the_segments_of_its_two_dates(blank: DrivenTab) -> None:
    await blank.write(PERIODS)

    for value in ("2027-03-14 - 2027-04-20", "2028-11-30/2028-12-09"):
        assert (await blank.do("fill", selector="#dates", value=value))["value"] == value
        held = await blank.page.eval_on_selector_all("#dates b", NOW)
        dates = [f"{year}-{month.zfill(2)}-{day.zfill(2)}" for month, day, year in (held[:3], held[3:])]
        assert dates == [value[:10], value[-10:]]
    for value in ("2027-03-14", "2027-03-14 - soon"):
        assert (await blank.refused("fill", selector="#dates", value=value))[0] == "EXECUTION_ERROR"
    assert (await blank.refused("fill", selector="#day", value="2027-03-14/2027-04-20"))[0] == "EXECUTION_ERROR"


async def test_date_of_segments_is_emptied_unless_the_page_keeps_it(blank: DrivenTab) -> None:
    await blank.write(PERIODS)
    fields = ("dates", "2027-03-14 - 2027-04-20"), ("day", "2027-03-14"), ("birthday", "1997-03-14")
    for name, value in fields:
        await blank.do("fill", selector=f"#{name}", value=value)

    for name in ("dates", "day"):
        assert (await blank.do("fill", selector=f"#{name}", value=""))["value"] == ""
        assert set(await blank.page.eval_on_selector_all(f"#{name} b", NOW)) == {None}
    assert (await blank.refused("fill", selector="#birthday", value=""))[0] == "VALUE_NOT_KEPT"
    await blank.do("fill", selector="#day", value="2027-03-14")
    assert (await blank.do("fill", selector="#day [data-type=month]", value=""))["value"] == ""
    assert await blank.page.eval_on_selector_all("#day b", NOW) == [None, "14", "2027"]


LABELED = f"""{PERIODS}
<p><label id=volume>Volume</label> <span role=group aria-labelledby=volume><input type=range aria-labelledby=volume></span></p>
<p><span id=size>Size</span> <select aria-labelledby=size><option>Small<option>Large</select></p>
<p><span id=ends>Ends</span> <input aria-labelledby=ends> <input aria-labelledby=ends></p>"""


async def test_text_that_names_one_field_by_reference_stands_for_it(blank: DrivenTab) -> None:
    await blank.write(LABELED)

    assert (await blank.do("fill", selector="text=Volume", value="70"))["value"] == "70"
    assert (await blank.do("select", selector="text=Size", value="Large"))["selected"][0]["label"] == "Large"
    fields = [{"selector": "text=Due", "value": "2027-03-14"}, {"selector": "text=Size", "value": "Small"}]
    assert len((await blank.do("fill_form", fields=fields))["fields"]) == 2
    assert (await blank.refused("fill", selector="text=Ends", value="1"))[0] == "EXECUTION_ERROR"

    assert await blank.page.eval_on_selector_all("#day b", NOW) == ["3", "14", "2027"]
    assert await blank.page.eval_on_selector_all("[type=range], select", "all => all.map(one => one.value)") == [
        "70",
        "Small",
    ]


async def test_custom_element_around_one_field_stands_for_it(blank: DrivenTab) -> None:
    await blank.write(
        """<my-name id=name><input><input hidden></my-name> <my-size id=size><select><option>S<option>L</select></my-size>
        <my-range id=range><input><input></my-range>"""
    )

    assert (await blank.do("fill", selector="#name", value="Ada"))["value"] == "Ada"
    fields = [{"selector": "#name", "value": "Bo"}, {"selector": "#size", "value": "L"}]
    assert len((await blank.do("fill_form", fields=fields))["fields"]) == 2
    assert await blank.page.eval_on_selector_all("#name > input, select", "all => all.map(one => one.value)") == [
        "Bo",
        "",
        "L",
    ]
    assert (await blank.refused("fill", selector="#range", value="1"))[0] == "EXECUTION_ERROR"


async def test_one_segment_and_the_element_around_all_accept_the_whole_date(widgets: DrivenTab) -> None:
    reply = await widgets.do("fill", selector="#day [data-type=month]", value="2026-12-31")

    assert reply["value"] == "2026-12-31"
    assert await widgets.page.locator("#day").inner_text() == "12/31/2026"
    assert (await widgets.do("fill", selector="#dated", value="2026-11-30"))["value"] == "2026-11-30"
    assert await widgets.page.locator("#day").inner_text() == "11/30/2026"


async def test_list_that_the_page_restores_for_a_moment_has_kept_its_option(reacting: DrivenTab) -> None:
    reply = await reacting.do("select", selector="#list", value="Markdown")

    assert [option["label"] for option in reply["selected"]] == ["Markdown"]


async def test_text_that_the_page_drops_when_the_field_is_left_is_not_reported_as_kept(reacting: DrivenTab) -> None:
    code, message = await reacting.refused("fill", selector="#city", value="Atlantis")
    assert (code, "empty now" in message) == ("VALUE_NOT_KEPT", True)
    assert (await reacting.refused("fill", selector="#filter", value="Paris"))[0] == "VALUE_NOT_KEPT"
    last = [{"selector": "#last", "value": "x"}, {"selector": "#city", "value": "Atlantis"}]
    assert (await reacting.refused("fill_form", fields=last))[0] == "VALUE_NOT_KEPT"

    # Leaving it would close the suggestions, which come late for one of them.
    for city in ("Paris", "Lima"):
        reply = await reacting.do("fill", selector="#city", value=city)

        assert (reply["value"], "Suggestions are open" in reply["notes"][0]) == (city, True)
        assert city in reply["changed"]
    for name, value in (("#teas", "Jasmine"), ("#word", "Rome")):
        assert "notes" not in await reacting.do("fill", selector=name, value=value)


async def test_switch_that_slides_is_reported_where_it_comes_to_rest(reacting: DrivenTab) -> None:
    assert (await reacting.do("click", selector="#slow"))["checked"] is True
    assert (await reacting.do("press", selector="#slow", keys="Space"))["checked"] is False


async def test_form_reports_the_final_state_of_the_page(reacting: DrivenTab) -> None:
    fields = [{"selector": "#low", "value": "5"}, {"selector": "#high", "value": "7"}]

    assert (await reacting.do("fill_form", fields=fields))["changed"] == 'now "5 to 7"'


async def test_form_reports_each_field_if_one_is_not_kept(widgets: DrivenTab) -> None:
    fields = [
        {"selector": "#room", "value": "Suite"},
        {"selector": "#reverts", "value": "new"},
        {"selector": "#tags", "value": ["red", "blue"]},
    ]

    code, message = await widgets.refused("fill_form", fields=fields)

    assert code == "VALUE_NOT_KEPT"
    assert [part for part in ('"old" now', '#room: "Suite"', "#tags", "1 of 3") if part not in message] == []
    kept = await state(widgets)
    assert (kept["room"], kept["tags"]) == ("Suite", ["red", "blue"])
    assert (await widgets.do("fill_form", fields=fields[::2]))["fields"][0] == {"selector": "#room", "value": "Suite"}


HOLDING = [
    ("#search", "Double", "search", "Double"),
    ("#city", "Bonn", "city", "Bonn"),
    ("#through", "Large", "size", "Large"),
    ("#whole", "Double", "room", "Double"),
]


async def test_field_of_a_library_holds_the_option(libraries: DrivenTab, subtests: pytest.Subtests) -> None:
    for selector, value, key, kept in HOLDING:
        with subtests.test(selector):
            result = await libraries.do("fill", selector=selector, value=value)

            assert result["value"] in {value, f"{value} 1 selected"}
            assert (await state(libraries))[key] == kept


async def test_list_that_shows_a_number_holds_exactly_the_options_and_closes(libraries: DrivenTab) -> None:
    colors = "x-select >>> #colors"
    await libraries.do("select", selector=colors, value=["Red", "Blue"])
    result = await libraries.do("select", selector=colors, value=["Green", "Blue"])

    assert [option["label"] for option in result["selected"]] == ["Green", "Blue"]
    assert (await state(libraries))["colors"] == ["Green", "Blue"]
    assert await libraries.page.locator("#list").is_hidden()


async def test_list_that_does_not_say_that_it_takes_several_holds_exactly_these(libraries: DrivenTab) -> None:
    await libraries.do("select", selector="#city", value=["Bern", "Bonn"])
    assert (await state(libraries))["city"] == "Bern Bonn"

    result = await libraries.do("select", selector="#city", value=["Basel"])
    assert (result["selected"][0]["label"], (await state(libraries))["city"]) == ("Basel", "Basel")


async def test_list_is_closed_when_it_has_no_such_option(libraries: DrivenTab) -> None:
    code, message = await libraries.refused("fill", selector="x-select >>> #colors", value="Gold")

    assert (code, 'Its options are "Red", "Green", "Blue"' in message) == ("EXECUTION_ERROR", True)
    assert await libraries.page.locator("#list").is_hidden()


async def test_option_that_the_keys_have_come_to_is_not_taken_for_a_selected_one(libraries: DrivenTab) -> None:
    result = await libraries.do("select", selector="#marked", value=["Red", "Blue"])

    assert [option["label"] for option in result["selected"]] == ["Red", "Blue"]
    assert (await state(libraries))["tags"] == ["Red", "Blue"]


async def test_option_with_a_tick_is_the_option(libraries: DrivenTab) -> None:
    await libraries.do("select", selector="#extras", value=["Boat", "Parking"])
    result = await libraries.do("select", selector="#extras", value=["✓ Boat", "Sauna"])

    assert [option["label"] for option in result["selected"]] == ["Boat", "Sauna"]
    assert sorted((await state(libraries))["extras"]) == ["Boat", "Sauna"]


async def test_slider_with_two_parts_is_refused_with_their_selectors(libraries: DrivenTab) -> None:
    code, message = await libraries.refused("fill", selector="#pair", value="3|6")

    assert (code, "#low, #high" in message) == ("EXECUTION_ERROR", True)


async def test_time_or_date_that_is_dropped_on_blur_is_reported_as_not_kept(
    libraries: DrivenTab, subtests: pytest.Subtests
) -> None:
    for value in ["10:30:00", "2026-05-04"]:
        with subtests.test(value):
            code, message = await libraries.refused("fill", selector="#time", value=value)

            assert (code, "It is empty now" in message) == ("VALUE_NOT_KEPT", True)


async def test_list_around_a_native_one_holds_what_that_one_holds(around_native: DrivenTab) -> None:
    for values in (["Rome", "Lima"], ["Lima"]):
        result = await around_native.do("select", selector="#cities", value=values)

        assert [option["label"] for option in result["selected"]] == values
        assert sorted(await around_native.page.evaluate("chosen()")) == sorted(values)
    assert (await around_native.do("fill", selector="#cities", value="Oslo"))["value"] == "Oslo"
    assert await around_native.page.evaluate("chosen()") == ["Oslo"]

    code, message = await around_native.refused("fill", selector="#cities", value="Nowhere")

    assert code == "VALUE_NOT_KEPT", message
    assert await around_native.page.evaluate("chosen()") == ["Oslo"]


async def test_code_is_typed_into_one_field_after_the_other(libraries: DrivenTab) -> None:
    assert (await libraries.do("fill", selector="#code > input", value="1234"))["value"] == "1234"

    assert await libraries.page.eval_on_selector_all("#code > input", "all => all.map(one => one.value)") == list(
        "1234"
    )
    await libraries.page.evaluate("for (const one of document.querySelectorAll('#code > input')) one.value = ''")
    written = await libraries.do("fill_form", fields=[{"selector": "#code > input", "value": "5678"}])
    assert written["fields"][0]["value"] == "5678"
    code, message = await libraries.refused("fill", selector="#code > input", value="90")
    assert (code, '"9678" now' in message) == ("VALUE_NOT_KEPT", True)


async def test_form_takes_the_words_for_true_and_false(libraries: DrivenTab) -> None:
    for word, is_checked in (("true", True), ("true", True), ("false", False)):
        written = await libraries.do("fill_form", fields=[{"selector": "#late", "value": word}])

        assert written["fields"][0]["checked"] is is_checked
        assert await libraries.page.locator("#late").is_checked() is is_checked


async def test_list_that_is_a_menu_holds_exactly_the_options(libraries: DrivenTab) -> None:
    await libraries.do("select", selector="#pets", value=["Cat", "Dog"])
    result = await libraries.do("select", selector="text=Pets", value=["Dog"])

    assert ([option["label"] for option in result["selected"]], (await state(libraries))["pets"]) == (["Dog"], ["Dog"])


async def test_list_is_closed_after_a_failure_because_it_may_keep_the_page_from_all_input(libraries: DrivenTab) -> None:
    code, message = await libraries.refused("select", selector="#pets", value="Emu")

    assert (code, 'an option "Emu"' in message) == ("EXECUTION_ERROR", True)
    assert await libraries.page.locator("#animals").is_hidden()


async def test_chips_may_be_options_of_a_list_of_their_own(libraries: DrivenTab) -> None:
    result = await libraries.do("select", selector="#person", value=["Ada", "Bob"])

    assert [option["label"] for option in result["selected"]] == ["Ada", "Bob"]
    assert (await state(libraries))["people"] == ["Ada", "Bob"]


async def test_search_takes_a_suggestion_as_a_choice_and_any_text_as_a_text(libraries: DrivenTab) -> None:
    result = await libraries.do("select", selector="#query", value="Apples")
    assert (result["selected"][0]["label"], await libraries.page.input_value("#query")) == ("Apples", "Apples")

    assert (await libraries.do("fill", selector="#query", value="plum"))["value"] == "plum"
    written = await libraries.do("fill_form", fields=[{"selector": "#query", "value": ["Apples"]}])
    assert written["fields"][0]["selected"] == [{"value": "Apples", "label": "Apples"}]

    # What is to be selected is an option.
    code, message = await libraries.refused("select", selector="#query", value="plum")
    assert (code, "Apples" in message) == ("EXECUTION_ERROR", True)


async def test_label_and_host_stand_for_their_field(libraries: DrivenTab) -> None:
    fields = [
        {"selector": "text=Volume", "value": "5"},
        {"selector": "text=Pro", "value": True},
        {"selector": "x-text", "value": "Ada"},
        {"selector": "#on", "value": True},
        {"selector": "text=Accept", "value": True},
    ]
    result = await libraries.do("fill_form", fields=fields)

    assert [one.get("value", one.get("checked")) for one in result["fields"]] == ["5", True, "Ada", True, True]
    assert await libraries.page.get_attribute("#volume", "aria-valuenow") == "5"
    assert await libraries.page.get_attribute("#pro", "aria-checked") == "true"
    assert await libraries.page.input_value("#inner") == "Ada"
    assert (await libraries.page.get_attribute("#on", "aria-checked"), await libraries.page.is_checked("#on")) == (
        "true",
        False,
    )


async def test_rating_has_the_star_that_was_set_and_not_those_below_it(libraries: DrivenTab) -> None:
    for star, marked in (("3", "true"), ("1", "false"), ("2", "true")):
        selector = f"#stars li:nth-child({star}) i"
        assert (await libraries.do("fill_form", fields=[{"selector": selector, "value": True}]))["fields"] == [
            {"selector": selector, "checked": True}
        ]
        assert await libraries.page.get_attribute("#stars li:nth-child(2) i", "aria-checked") == marked

    listed = (await libraries.do("page_elements", within="#stars"))["text"]
    assert [line.split()[2] for line in listed.splitlines() if line.startswith("radio")] == ["off", "on", "off"]


async def test_options_that_a_list_queries_when_it_opens_are_awaited(libraries: DrivenTab) -> None:
    libraries.site.delays_s["/depots"] = 2

    result = await libraries.do("fill", selector="#depot", value="South")

    assert (result["value"], await libraries.page.inner_text("#depot")) == ("South", "South")


@pytest.mark.parametrize("selector", ["#editor", "#lines", "#keys"])
async def test_editor_that_draws_its_text_holds_it_instead_of_what_it_held(libraries: DrivenTab, selector: str) -> None:
    for text in ("a(1)\n  b = 2", '{"a": 3}', ""):
        result = await libraries.do("fill", selector=selector, value=text)

        assert (result["value"], (await state(libraries))["code"]) == (text, text)


async def test_thumb_with_a_field_for_its_value_is_moved(blank: DrivenTab) -> None:
    await blank.write(
        "<style>span { display: block; width: 16px; height: 16px }"
        "input { position: absolute; width: 1px; height: 1px; overflow: hidden; clip: rect(0 0 0 0) }</style>"
        "<div style='width: 200px; height: 16px'><span id=t role=slider tabindex=0 aria-valuemin=0 aria-valuemax=99 "
        "aria-valuenow=30 onkeydown='input.value = ariaValueNow = Number(ariaValueNow) + Number(event.key === `ArrowUp`)'>"
        "<input id=input type=range value=30 tabindex=-1></span></div>"
    )

    reply = await blank.do("fill", selector="#t", value="35")

    # Users do not see the field.
    assert (reply["value"], "changed" in reply) == ("35", False)


# The bar, which the thumb is in, ends where the value is. A click on the track, or a release there, sets the value.
BAR = """<style>div, b { height: 10px } div { background: silver } b { float: right; width: 10px; margin-right: -5px; background: navy }</style>
<div id=track style="width: 400px"><div id=bar style="width: 80px">
<b id=thumb role=slider aria-label=Share tabindex=0 aria-valuemin=0 aria-valuemax=100 aria-valuenow=20></b></div></div>
<script>track.onclick = ({ clientX }) => {
  thumb.ariaValueNow = String(Math.round((clientX - track.getBoundingClientRect().left) / 4));
  bar.style.width = `${thumb.ariaValueNow}%`;
}</script>"""


async def test_thumb_in_a_bar_that_grows_with_the_value_is_dragged_along_the_whole_track(blank: DrivenTab) -> None:
    await blank.write(BAR)

    assert [(await blank.do("fill", selector="#thumb", value=value))["value"] for value in ("65", "8")] == ["65", "8"]


SPINS = """<form><b id=year role=spinbutton tabindex=0 aria-label=Year aria-valuenow=2026>2026</b>
<div role=spinbutton aria-label=Price aria-valuenow=5><input value=5></div></form>"""


async def test_spin_button_takes_no_date_if_it_is_not_a_part_of_one(blank: DrivenTab) -> None:
    await blank.write(SPINS)

    for value in ("2026-03-05", "12:30", "soon"):
        assert (await blank.refused("fill", selector="#year", value=value))[0] == "EXECUTION_ERROR"


FORM_FIELD = "<input type=hidden name=color></div><div id=l role=listbox hidden><p role=option>Red</p><p role=option>Blue</p></div>"
AROUND_FORM_FIELD = [
    "<div id=box role=combobox aria-expanded=false aria-owns=l aria-haspopup=true><input id=f autocomplete=off>",
    "<div id=box aria-haspopup=listbox aria-owns=l><button id=f>Red</button>",
]
CHOOSING = """() => {
  box.onclick = () => void (l.hidden = false);
  l.onclick = ({ target }) => {
    f.value = f.textContent = target.textContent;
    l.hidden = true;
  };
}"""


@pytest.mark.parametrize("around", AROUND_FORM_FIELD, ids=["combobox", "button"])
async def test_field_for_the_form_does_not_keep_a_list_from_being_one(blank: DrivenTab, around: str) -> None:
    await blank.write(around + FORM_FIELD)
    await blank.page.evaluate(CHOOSING)

    assert (await blank.do("select", selector="#f", value="Blue"))["selected"] == [{"value": "Blue", "label": "Blue"}]


async def test_list_of_a_field_that_always_declares_it_closed_is_chosen_from(blank: DrivenTab) -> None:
    await blank.write(
        "<div id=f role=combobox tabindex=0 aria-expanded=false aria-controls=l onclick='l.hidden = !l.hidden'>Red</div>"
        "<div id=l role=listbox hidden onclick='f.textContent = event.target.textContent; l.hidden = true'>"
        "<p role=option>Red</p><p role=option>Blue</p></div>"
    )

    assert (await blank.do("select", selector="#f", value="Blue"))["selected"] == [{"value": "Blue", "label": "Blue"}]


async def test_editor_that_indents_lines_in_its_own_way_has_a_note(libraries: DrivenTab) -> None:
    result = await libraries.do("fill", selector="#editor", value="auto(\n  b)")

    assert (result["value"], len(result["notes"])) == ("auto(\n      b)", 1)


async def test_editor_that_indents_what_is_typed_does_not_indent_what_is_pasted(libraries: DrivenTab) -> None:
    text = "automatic(\n  b)"

    result = await libraries.do("fill", selector="#editor", value=text)

    assert (result["value"], (await state(libraries))["code"], "notes" in result) == (text, text, False)


@pytest.mark.parametrize("value", ["new", "locked()"])
async def test_editor_that_draws_another_text_has_not_kept_it(libraries: DrivenTab, value: str) -> None:
    await libraries.page.evaluate("state.code = 'locked'")

    code, message = await libraries.refused("fill", selector="#editor", value=value)

    assert (code, '"locked" now' in message) == ("VALUE_NOT_KEPT", True)


async def test_field_of_an_editor_that_completes_words_is_not_a_list(editors: DrivenTab) -> None:
    for text in ("a = 1\nb = 2", ""):
        result = await editors.do("fill", selector="#code", value=text)

        assert (result["element"]["selector"], result["value"]) == ("#code", text)
        assert ("changed" in result, (await state(editors))["code"]) == (False, text)


async def test_hidden_field_next_to_an_editor_takes_no_keys_for_it(editors: DrivenTab) -> None:
    listed = (await editors.do("page_elements", find="select 1"))["text"]
    assert 'textbox = "select 1"  #query' in listed.splitlines()

    for selector, text in [("#query", "select 2"), ("#around", "select 3")]:
        await editors.do("fill", selector=selector, value=text)
        assert (await state(editors))["query"] == text


async def test_element_around_one_editor_stands_for_it_and_a_placeholder_is_not_its_text(editors: DrivenTab) -> None:
    for text in ("Buy milk", ""):
        result = await editors.do("fill", selector="#notes", value=text)

        assert (result["element"]["selector"], result["value"]) == ("[aria-label=Notes]", text)
        assert (await state(editors))["notes"] == text
        value = f' = "{text}"' if text else ""
        listed = (await editors.do("page_elements", find="Notes"))["text"]
        assert listed.startswith(f'textbox "Notes"{value} focused  [aria-label=Notes]')

    assert (await editors.refused("fill", selector="#two", value="x"))[0] == "EXECUTION_ERROR"


async def test_editor_with_a_model_of_its_paragraphs_gets_them_by_keys(editors: DrivenTab) -> None:
    for text in ("Ada\nLin", "Max", ""):
        assert (await editors.do("fill", selector="#modeled", value=text))["value"] == text
        assert (await state(editors))["model"] == text.split("\n")


async def test_editor_gets_paragraphs_for_the_lines_that_it_would_join_and_no_enter_key(editors: DrivenTab) -> None:
    for text in ("Ada\n- Lin\n\nMax", "Max", ""):
        assert (await editors.do("fill", selector="#joining", value=text))["value"] == text
        after = await state(editors)
        assert (after["joining"], after["isSent"]) == (text.split("\n"), False)


async def test_editor_without_editing_commands_holds_the_text_instead_of_what_it_held(editors: DrivenTab) -> None:
    for text in ("Ada", "Max and Lin"):
        assert (await editors.do("fill", selector="#context", value=text))["value"] == text
        assert await editors.page.evaluate("context.editContext.text") == text


async def test_part_of_an_editor_is_not_filled_in_place_of_its_whole_text(editors: DrivenTab) -> None:
    await editors.do("fill", selector="#plain", value="One\nTwo")
    last = "#plain :is(p, div):last-child"

    assert (await editors.refused("fill", selector=last, value="New"))[0] == "EXECUTION_ERROR"
    fields = [{"selector": last, "value": "New"}]
    assert (await editors.refused("fill_form", fields=fields))[0] == "EXECUTION_ERROR"

    await editors.do("click", selector=last, count=3)
    assert (await editors.do("press", keys='"New"'))["value"] == "One\nNew"
    await editors.do("fill", selector="#plain", value="One")
    assert (await editors.do("fill", selector="#plain :is(p, div)", value="All"))["value"] == "All"


async def test_cell_in_an_editor_is_filled_alone(editors: DrivenTab) -> None:
    assert (await editors.do("fill", selector="#cell", value="new"))["value"] == "new"
    assert await editors.page.inner_text("#sheet") == "Head\n\nnew"


async def test_terminal_gets_keys_and_keeps_the_focus_and_what_it_shows(editors: DrivenTab) -> None:
    typed = await editors.do("fill", selector="[aria-label=Terminal]", value="ls -a")
    await editors.do("press", keys="Enter")
    entered = await editors.do("fill", selector="#terminal", value="cd x\npwd\n")
    code, _ = await editors.refused("fill", selector="#terminal", value="#")

    shown = "Hello\n$ ls -a"
    assert (typed["value"], entered["value"].rstrip()) == (shown, f"{shown}\ndone\n$ cd x\ndone\n$ pwd\ndone\n$")
    assert ((await state(editors))["runs"], code) == (["ls -a", "cd x", "pwd"], "VALUE_NOT_KEPT")


async def test_what_a_page_draws_where_it_cannot_be_read_is_typed_once_and_noted(editors: DrivenTab) -> None:
    for selector in ("#drawn", "#keys"):
        assert len((await editors.do("fill", selector=selector, value="ls"))["notes"]) == 1

    assert (await state(editors))["typed"] == "lsls"


@pytest.mark.parametrize("selector", ["#story", "#plain", "#divided"])
async def test_paragraph_of_an_editor_is_a_line_of_its_value(editors: DrivenTab, selector: str) -> None:
    # Only its style keeps spaces.
    indent = "  " if selector == "#divided" else ""
    for text in (f"One\n{indent}Two\n\n\nFive.", "One", ""):
        result = await editors.do("fill", selector=selector, value=text)
        assert (result["value"], "notes" in result) == (text, False)


async def test_editor_knows_what_is_selected_before_it_is_typed_over(editors: DrivenTab) -> None:
    filled = await editors.do("fill", selector="#late", value="new")
    pressed = await editors.do("press", selector="#late", keys='"s"')

    assert (filled["value"], pressed["value"]) == ("new", "news")


async def test_editor_that_keeps_its_old_text_is_an_error(editors: DrivenTab) -> None:
    assert (await editors.refused("fill", selector="#adding", value="new"))[0] == "VALUE_NOT_KEPT"


DRAWN = [
    ("x-size", "Large", "size", "Large"),
    ("x-class", "Business", "class", "Business"),
    ("x-class >>> #class", "Economy", "class", "Economy"),
    ("#state", "Texas", "state", "Texas"),
    ("#keys", "Vanilla", "flavor", "Vanilla"),
    ("#city", "", "city", ""),
]


async def test_field_that_a_component_draws_holds_the_option(components: DrivenTab, subtests: pytest.Subtests) -> None:
    for selector, value, key, kept in DRAWN:
        with subtests.test(selector):
            result = await components.do("fill", selector=selector, value=value)

            assert (result["value"], (await state(components))[key]) == (value, kept)


async def test_text_that_the_page_drops_only_when_the_tab_key_leaves_the_field_is_not_kept(
    components: DrivenTab,
) -> None:
    assert (await components.refused("fill", selector="#strict", value="Nowhere"))[0] == "VALUE_NOT_KEPT"
    assert (await components.do("fill", selector="#strict", value="Texas"))["value"] == "Texas"


async def test_field_that_cannot_be_cleared_has_not_kept_nothing(components: DrivenTab) -> None:
    await components.page.evaluate("city.dataset.isLocked = true; byId('city-value').textContent = 'Bern'")

    for command, value in (("fill", ""), ("select", [])):
        code, message = await components.refused(command, selector="#city", value=value)

        assert (code, '"Bern" now' in message) == ("VALUE_NOT_KEPT", True)


@pytest.mark.parametrize(
    ("selector", "key", "first", "second"),
    [("#color", "colors", ["Red", "Blue"], ["Green"]), ("#many", "letters", ["Alpha", "Beta"], ["Beta"])],
)
async def test_component_holds_exactly_the_options(
    components: DrivenTab, selector: str, key: str, first: list[str], second: list[str]
) -> None:
    for values in (first, second):
        result = await components.do("select", selector=selector, value=values)

        assert [option["label"] for option in result["selected"]] == values
        assert (await state(components))[key] == values


async def test_code_is_typed_character_by_character_although_its_fields_have_no_length(components: DrivenTab) -> None:
    assert (await components.do("fill", selector="#code > input", value="1234"))["value"] == "1234"

    assert await components.page.eval_on_selector_all(".digit", "all => all.map(one => one.value)") == list("1234")


async def test_option_in_a_shut_branch_of_a_tree_is_chosen_with_nothing_else(trees: DrivenTab) -> None:
    for labels, held in ((["Meeting", "Letters"], "Letters, Meeting"), (["Events"], "Meeting")):
        await trees.do("select", selector="#field", value=labels)

        assert sorted((await trees.page.inner_text("#field")).split(", ")) == held.split(", ")
        assert await trees.page.locator("#tree").is_hidden()

    await trees.do("select", selector="#field", value="Events / Meeting")
    assert await trees.page.inner_text("#field") == "Meeting"

    for value in (["Taxes"], "Documents / Taxes"):
        code, message = await trees.refused("select", selector="#field", value=value)
        assert (code, '"Letters"' in message) == ("EXECUTION_ERROR", True)
        assert await trees.page.inner_text("#field") == "Meeting"
    code, message = await trees.refused("select", selector="#field", value=["Taxes"])
    assert (code, '"Letters"' in message, '"Meeting" now' in message) == ("EXECUTION_ERROR", True, False)
    _, message = await trees.refused("select", selector="#field", value=["Documents / Bills", "Documents / Taxes"])
    assert f'"{await trees.page.inner_text("#field")}" now' in message
    assert await trees.page.locator("#tree").is_hidden()


async def test_option_in_a_shut_branch_is_found_although_a_search_for_it_shows_nothing(trees: DrivenTab) -> None:
    assert (await trees.do("fill", selector="#search", value="Oslo"))["value"] == "Oslo"

    assert await trees.page.evaluate("[search.dataset.chosen, byId('found').hidden]") == ["Oslo", True]


async def test_arrow_and_tick_are_not_part_of_the_choice(drawn: DrivenTab) -> None:
    for values in (["Serif"], ["Arial"]):
        result = await drawn.do("fill", selector="#font", value=values[0])
        # Its list fades only later.
        assert (result["value"], "option" in result["changed"]) == (values[0], False)
    for values in (["Rust", "Go"], ["Java"]):
        result = await drawn.do("select", selector="#skills", value=values)
        assert [option["label"] for option in result["selected"]] == values
        assert await drawn.page.inner_text("#skills") == f"{', '.join(values)}▼"


async def test_field_that_is_off_the_page_until_its_box_is_pressed_gets_the_option(drawn: DrivenTab) -> None:
    result = await drawn.do("select", selector="#pet", value="Dog")
    listed = await drawn.do("page_elements", find="Pet")

    assert [option["label"] for option in result["selected"]] == ["Dog"]
    assert await drawn.page.locator("#pet-box").inner_text() == "Dog"
    # It is in sight.
    assert listed["text"].startswith('combobox "Pet"')


async def test_link_in_the_place_of_a_native_list_holds_the_option(drawn: DrivenTab) -> None:
    result = await drawn.do("select", selector="#s_team > a", value="Blues")

    assert [option["label"] for option in result["selected"]] == ["Blues"]
    assert await drawn.page.locator("#team").input_value() == "Blues"
    assert (await drawn.refused("select", selector="#s_team > a", value="Greens"))[0] == "EXECUTION_ERROR"
    assert await drawn.page.locator("#teams").is_hidden()


async def test_segment_that_shows_no_number_is_filled_although_it_has_one(drawn: DrivenTab) -> None:
    await drawn.do("fill", selector="#born", value="2026-03")

    assert await drawn.page.locator("#born b").all_inner_texts() == ["3", "2026"]


async def test_time_is_kept_however_the_page_writes_it(drawn: DrivenTab) -> None:
    assert (await drawn.do("fill", selector="#alarm", value="10:30"))["value"] == "10:30 AM"
    # It makes "22:30 AM" of the text.
    assert (await drawn.do("fill", selector="#alarm", value="22:30"))["value"] == "10:30 PM"
    # None of its options.
    assert (await drawn.do("fill", selector="#nap", value="09:15"))["value"] == "9:15 AM"


async def test_number_that_the_page_limits_a_moment_later_is_not_kept(drawn: DrivenTab) -> None:
    assert (await drawn.refused("fill", selector="#amount", value="77"))[0] == "VALUE_NOT_KEPT"
    assert (await drawn.do("fill", selector="#amount", value="50"))["value"] == "50"


async def test_check_box_that_is_clipped_away_is_pressed_on_its_label(drawn: DrivenTab) -> None:
    assert (await drawn.do("click", selector="#wifi"))["checked"]


async def test_check_box_without_a_label_is_pressed_at_its_mark(drawn: DrivenTab) -> None:
    listed = (await drawn.do("page_elements", within="p:has(#row)"))["text"]

    assert [line for line in listed.splitlines() if "#" in line or " > " in line] == ["checkbox off gray 18x18  #row"]
    assert (await drawn.do("click", selector="#row"))["checked"]
    fields = [{"selector": "#row", "value": False}]
    assert not (await drawn.do("fill_form", fields=fields))["fields"][0]["checked"]


async def test_box_that_is_drawn_after_a_hidden_one_stands_for_it(drawn: DrivenTab) -> None:
    listed = (await drawn.do("page_elements", within="#extras"))["text"]
    assert [line for line in listed.splitlines() if "  " in line] == [
        'checkbox "Wine" off  [name=wine]',
        'radio "●" off title "Meal"  [name=meal]',
        'link "Menu"  [href="#menu"]',
    ]

    assert (await drawn.do("click", selector="text=Wine"))["checked"]
    fields = [{"selector": "[name=wine]", "value": False}, {"selector": "#extras > i", "value": True}]
    reply = await drawn.do("fill_form", fields=fields)

    assert [field["checked"] for field in reply["fields"]] == [False, True]
    assert await drawn.page.locator("#extras :checked").get_attribute("name") == "meal"


async def test_search_in_the_place_of_a_native_list_chooses_the_option(drawn: DrivenTab) -> None:
    result = await drawn.do("fill", selector="text=Port", value="Brest")

    assert result["value"] == await drawn.page.locator("#port").input_value() == "Brest"
    assert (await drawn.refused("fill", selector="text=Port", value="Berlin"))[0] == "VALUE_NOT_KEPT"


async def test_label_without_a_connection_stands_for_the_only_field_next_to_it(drawn: DrivenTab) -> None:
    assert (await drawn.do("fill", selector="text=Cargo", value="Tea"))["value"] == "Tea"
    assert await drawn.page.locator("#cargo").input_value() == "Tea"


async def test_custom_element_around_a_switch_and_its_label_stands_for_it(drawn: DrivenTab) -> None:
    fields = [{"selector": "#quiet", "value": True}]

    assert (await drawn.do("fill_form", fields=fields))["fields"] == [{"selector": "#quiet", "checked": True}]
    assert not (await drawn.do("click", selector="#quiet"))["checked"]


async def test_option_that_moves_under_the_pressed_mouse_is_pressed_again(drawn: DrivenTab) -> None:
    await drawn.do("select", selector="#cities", value=["Bern", "Bonn"])

    assert await drawn.page.locator("#cities [aria-selected=true]").all_inner_texts() == ["Bern", "Bonn"]


async def test_option_of_an_editor_that_goes_with_it_is_read_in_the_cell(drawn: DrivenTab) -> None:
    result = await drawn.do("select", selector="#inline", value="Large")

    assert [option["label"] for option in result["selected"]] == ["Large"]
    await drawn.do("click", selector="#cell", count=2)
    code, message = await drawn.refused("select", selector="#inline", value="Sold out")
    assert (code, '"Large" now' in message) == ("VALUE_NOT_KEPT", True)


async def test_path_leads_through_menus_that_open_when_the_mouse_comes(drawn: DrivenTab) -> None:
    assert (await drawn.do("fill", selector="#place", value="Italy / Rome"))["value"] == "Rome"


LISTBOX_FIELD = """<title>Language</title><label for=none>Language:</label>
<table id=language role=listbox aria-haspopup=true aria-expanded=false tabindex=0 style="position: absolute; z-index: 1">
  <tr role=presentation><td><span id=shown role=option aria-selected=true>German</span></table>
<table id=menu role=listbox hidden style="position: absolute; z-index: 2; top: 80px">
  <tr role=option aria-selected=true><td>German<tr role=option><td>French</table><script>
  const show = (isOpen) => {
    menu.hidden = !isOpen && !menu.dataset.fades;
    language.ariaExpanded = String(isOpen);
  };
  language.onclick = () => show(language.ariaExpanded === "false");
  onkeydown = ({ key }) => void (key === "Escape" && show(false));
  menu.onclick = ({ target }) => {
    shown.textContent = target.textContent.trim();
    show(false);
  };
</script>"""


async def test_listbox_that_opens_another_is_a_field(blank: DrivenTab) -> None:
    await blank.write(LISTBOX_FIELD)

    text = (await blank.do("page_elements"))["text"]
    assert "Open above the page" not in text
    assert 'listbox next to "Language:" collapsed  #language' in text

    result = await blank.do("select", selector="#language", value="French")

    assert [option["label"] for option in result["selected"]] == ["French"]
    assert await blank.page.inner_text("#shown") == "French"
    await blank.page.evaluate("menu.dataset.fades = true")
    assert (await blank.refused("select", selector="#language", value="Dutch"))[0] == "EXECUTION_ERROR"
    await blank.do("select", selector="#language", value="German")
    assert await blank.page.inner_text("#shown") == "German"
    # A list that is open is named.
    await blank.do("click", selector="#language")
    assert "Open above the page: listbox" in (await blank.do("page_elements"))["text"]


HIDDEN = "position: absolute; width: 1px; height: 1px; overflow: hidden; opacity: 0; pointer-events: none"
BESIDE_NATIVE = f"""<title>Town</title><div class=dropdown style="padding: 20px">
<div style="{HIDDEN}"><input id=town readonly aria-haspopup=listbox></div>
<div style="{HIDDEN}"><select id=native tabindex=-1><option><option>Bern<option>Bonn</select></div>
<span id=shown></span><svg aria-label=Clear class=clear width=9 height=9 style="display: none"><path d="M0 0h9v9H0z"/></svg>
<div id=opener role=button aria-haspopup=listbox aria-label=Choose style="height: 9px"></div></div>
<ul id=towns role=listbox hidden style="position: absolute; z-index: 1"><li role=option>Bern<li role=option>Bonn</ul><script>
  const choose = (town) => {{
    native.value = shown.textContent = town;
    document.querySelector(".clear").style.display = town ? "" : "none";
  }};
  const box = document.querySelector(".dropdown");
  box.onclick = ({{ target }}) => (target.closest(".clear") ? choose("") : (towns.hidden = false));
  towns.onclick = ({{ target }}) => {{
    choose(target.textContent);
    towns.hidden = true;
  }};
  onkeydown = ({{ key }}) => void (key === "Escape" && (towns.hidden = true));
</script>"""


async def test_field_next_to_a_hidden_native_list_is_operated_by_each_of_its_parts(blank: DrivenTab) -> None:
    await blank.write(BESIDE_NATIVE)

    for selector, town in (("#town", "Bern"), ("#opener", "Bonn"), (".dropdown", "Bern")):
        result = await blank.do("select", selector=selector, value=town)

        assert [option["label"] for option in result["selected"]] == [town]
        assert (await blank.page.inner_text("#shown"), "select" in result["changed"]) == (town, False)
    for _ in ("chosen", "already empty"):
        assert (await blank.do("fill", selector="#town", value=""))["value"] == ""
        assert await blank.page.inner_text("#shown") == ""


LATE_SEARCH = """<title>Pet</title>
<button id=pet role=combobox aria-haspopup=listbox aria-expanded=false aria-controls=panel>None</button>
<div id=panel hidden><input id=search><ul id=list role=listbox><li role=option>Cat</ul></div>
<div id=tags role=combobox tabindex=0 aria-haspopup=listbox><span class=chip>2 pets <button aria-label=Remove>x</button></span></div>
<script>
  const open = (isOpen) => {
    panel.hidden = !isOpen;
    pet.ariaExpanded = String(isOpen);
  };
  pet.onclick = () => {
    open(true);
    setTimeout(() => search.focus(), 60);
  };
  search.oninput = () => (list.innerHTML = `<li role=option>${search.value === "Dog" ? "Dog" : "Cat"}`);
  list.onclick = ({ target }) => {
    pet.textContent = target.textContent;
    open(false);
  };
  tags.onclick = ({ target }) => {
    if (target.ariaLabel && tags.innerText.includes("2")) {
      tags.innerHTML = ["Cat", "Dog"].map((tag) => `<span class=chip>${tag} <button aria-label=Remove>x</button></span>`).join("");
    }
  };
</script>"""


async def test_search_field_that_gets_the_focus_late_is_used_and_values_that_stay_are_not_cleared(
    blank: DrivenTab,
) -> None:
    await blank.write(LATE_SEARCH)

    assert (await blank.do("fill", selector="#pet", value="Dog"))["value"] == "Dog"

    code, message = await blank.refused("select", selector="#tags", value=[])
    assert (code, '"Cat, Dog" now' in message) == ("VALUE_NOT_KEPT", True), message


COPIED = """<title>Trip</title><style>[role=tree], #found { position: absolute; background: silver }</style>
<div id=region role=combobox tabindex=0 aria-label=Region aria-haspopup=tree aria-expanded=false aria-controls=places>
  <input readonly aria-hidden=true tabindex=-1 value=none><span id=path>None</span><button aria-label=Clear>x</button></div>
<div id=places role=tree hidden>
  <div><i class=toggle>+</i> <b role=treeitem aria-expanded=false>Italy</b></div>
  <div id=cities hidden><div><b role=treeitem>Rome</b></div></div>
</div>
<div id=boat role=combobox tabindex=0 aria-label=Boat aria-haspopup=listbox aria-expanded=false>None</div>
<div id=found hidden><input id=query><p id=hits>No results</div><script>
  const show = (field, list, isOpen) => {
    list.hidden = !isOpen;
    field.ariaExpanded = String(isOpen);
  };
  region.onclick = () => show(region, places, true);
  places.onclick = ({ target }) => {
    if (target.className) cities.hidden = false;
    else {
      const names = target.textContent === "Rome" ? ["Italy", "Rome"] : [target.textContent];
      path.innerHTML = names.map((name) => `<u>${name}</u>`).join("<i> / </i>");
      region.firstElementChild.value = names.length;
      show(region, places, false);
    }
  };
  boat.onclick = () => show(boat, found, true);
  boat.onkeydown = ({ key }) => key.length === 1 && query.focus();
  query.oninput = () => setTimeout(() => {
    hits.outerHTML = `<ul role=listbox id=hits><li role=option>${query.value}</ul>`;
  }, 700);
  found.onclick = ({ target }) => {
    if (target.role !== "option") return;
    boat.textContent = target.textContent;
    show(boat, found, false);
  };
</script>"""


async def test_box_with_a_copy_of_its_value_is_listed_and_holds_what_it_shows(blank: DrivenTab) -> None:
    await blank.write(COPIED)

    text = (await blank.do("page_elements"))["text"]
    assert [name for name in ('combobox "Region" = "None"', 'combobox "Boat" = "None"') if name not in text] == []

    # Only the button next to a branch opens it.
    await blank.do("fill", selector="#region", value="Italy / Rome")
    assert await blank.page.inner_text("#path") == "Italy / Rome"
    # The keys that the box gets lead to a search, which answers late.
    assert (await blank.do("fill", selector="#boat", value="Ketch"))["value"] == "Ketch"


JOINED = """<title>Tour</title><div role=spinbutton tabindex=0 aria-label=Nights aria-valuenow=3>
<input id=nights value=3><button>+</button></div>
<p><input id=cities role=combobox aria-label=Cities aria-haspopup=listbox aria-expanded=false> <span id=names></span></p>
<ul id=options role=listbox hidden><li role=option>Rome<li role=option>Turin<li role=option>Milan</ul>
<table><tr><td><input class=cell value=5><td><input class=cell value=5 data-drops></table>
<p>Payee: <span><input id=payee class=cell role=combobox aria-expanded=false></span></p><script>
  for (const field of document.querySelectorAll(".cell")) {
    const shown = () => field.id === "payee" ? field.value : "drops" in field.dataset ? "5" : `${field.value}.00`;
    field.onblur = () => field.replaceWith(shown());
  }
  const show = (isOpen) => {
    options.hidden = !isOpen;
    cities.ariaExpanded = String(isOpen);
  };
  cities.onclick = () => show(true);
  cities.onkeydown = ({ key }) => key === "Escape" && show(false);
  options.onclick = ({ target }) => {
    names.textContent += (names.textContent && ", ") + target.textContent.trim();
    cities.value = "";
    target.remove();
  };
</script>"""


async def test_values_in_one_text_and_a_text_field_in_a_spin_button_are_kept(blank: DrivenTab) -> None:
    await blank.write(JOINED)

    result = await blank.do("select", selector="#cities", value=["Turin", "Rome"])
    assert [option["label"] for option in result["selected"]] == ["Turin", "Rome"]
    assert await blank.page.inner_text("#names") == "Turin, Rome"

    assert (await blank.do("fill", selector="#nights", value="7"))["value"] == "7"


async def test_cell_shows_what_has_become_of_the_text_in_its_editor(blank: DrivenTab) -> None:
    await blank.write(JOINED)

    assert "notes" not in await blank.do("fill", selector=".cell:not([data-drops])", value="7")
    assert (await blank.do("fill", selector="#payee", value="Ada"))["value"] == "Ada"
    code, message = await blank.refused("fill", selector=".cell[data-drops]", value="7")
    assert (code, 'holds "5" now' in message) == ("VALUE_NOT_KEPT", True)


LABELLED = """<label>Note <div id=note contenteditable></div></label><p><input id=after></p>
<label><span id=tick role=checkbox tabindex=0 aria-checked=false onclick="ariaChecked = 'true'">Agree</span></label>
<p><input id=last></p>"""


async def test_what_is_in_a_label_without_a_connection_is_filled_itself(blank: DrivenTab) -> None:
    await blank.write(LABELLED)

    fields = [{"selector": "#note", "value": "Ada"}, {"selector": "#tick", "value": True}]
    reply = await blank.do("fill_form", fields=fields)

    assert reply["fields"] == [{"selector": "#note", "value": "Ada"}, {"selector": "#tick", "checked": True}]
    assert await blank.page.evaluate("[note.textContent, after.value + last.value]") == ["Ada", ""]
