"""Lists for several options hold exactly what was requested, whichever way a page draws and marks its choices."""

import pytest

from tests.extension.conftest import DrivenTab, rewritten_tab_at, shared_tab_at

several = rewritten_tab_at("/acting/several-options.html")
same_several = shared_tab_at("/acting/several-options.html")
undeclared = shared_tab_at("/acting/undeclared-lists.html")

# By field: its state's name, then what is requested one after the other.
REQUESTED = [
    ("#color", "colors", [["Green", "Blue"], ["Red", "Blue"], []]),
    ("#size", "sizes", [["Small", "Large"], ["Large"]]),
    ("#tag", "tags", [["old", "new"]]),
    ("#note", "notes", [["old", "new"]]),
    ("#place", "places", [["France", "Japan"]]),
    ("#quiet", "quiet", [["One", "Three"], []]),
    ("#dish", "dishes", [["Soup", "Cake"], ["Fish"]]),
    ("#name", "names", [["old", "new"], []]),
    ("#pet", "pets", [["Tom", "Rex"]]),
    ("#town", "towns", [["Rome", "Lima"], []]),
    ("#extra", "extras", [["Boat", "Sauna"], ["Sauna"]]),
    ("#grade", "grades", [[], ["Mid", "High"], ["Low", "High"], []]),
]


async def test_field_holds_exactly_the_requested_options(several: DrivenTab, subtests: pytest.Subtests) -> None:
    for selector, name, requests in REQUESTED:
        for values in requests:
            with subtests.test(f"{name} {values}"):
                reply = await several.do("fill_form", fields=[{"selector": selector, "value": values}])

                assert sorted(option["label"] for option in reply["fields"][0]["selected"]) == sorted(values)
                state = await several.page.evaluate("state")
                assert (sorted(state[name]), state["submitted"]) == (sorted(values), 0)
    await several.page.locator("#extra-list").wait_for(state="hidden")
    reply = await several.do("select", selector="#extra", value=[])
    assert (reply["selected"], "option" in reply.get("changed", "")) == ([], False)


async def test_options_are_known_without_what_only_screen_readers_read(blank: DrivenTab) -> None:
    options = "".join(
        f"<li role=option aria-selected=false><b>{one}</b> <i>{one}: 1 of 3, not selected</i>"
        for one in ("A", "B", "C")
    )
    await blank.write(
        f"""<style>i {{ position: absolute; left: -9999px }}</style><button id=zones role=combobox aria-controls=list
        aria-expanded=false>Choose</button><ul id=list role=listbox aria-multiselectable=true hidden>{options}</ul>
        <script>
          zones.onclick = () => (zones.ariaExpanded = String(!(list.hidden = !list.hidden)));
          list.onclick = ({{ target }}) => {{
            const option = target.closest("li");
            option.ariaSelected = String(option.ariaSelected !== "true");
            const chosen = [...list.children].filter((one) => one.ariaSelected === "true");
            zones.textContent = chosen.map((one) => one.firstChild.textContent).join(", ") || "Choose";
          }};
        </script>"""
    )

    reply = await blank.do("select", selector="#zones", value=["A", "C"])

    assert [option["label"] for option in reply["selected"]] == ["A", "C"]
    _, message = await blank.refused("select", selector="#zones", value="D")
    assert 'Its options are "A", "B", "C".' in message


UNDECLARED = [
    ("#fruit", "fruit", ["Pear"]),
    ("#teas", "teas", [["Mint", "Assam"], ["Sencha", "Mint"]]),
    ("#herb", "herb", ["Sage"]),
    ("#town", "town", ["Italy / Bari"]),
    ("#towns", "towns", [["Italy / Rome", "Peru / Lima"], ["Italy / Rome"]]),
    ("#seat", "seat", ["Window"]),
    ("#hue", "hues", [["Red", "Blue"], ["Blue"]]),
    ("#slow", "slow", ["Low"]),
    ("#spice", "spice", ["Cumin"]),
    ("#juice", "juice", ["Grape", "Pear juice"]),
    ("#grain", "grain", ["Oats", "Barley"]),
]


async def test_list_that_declares_little_holds_what_was_requested(
    undeclared: DrivenTab, subtests: pytest.Subtests
) -> None:
    for selector, name, requests in UNDECLARED:
        for value in requests:
            with subtests.test(f"{name} {value}"):
                reply = await undeclared.do("fill_form", fields=[{"selector": selector, "value": value}])

                (field,) = reply["fields"]
                held = (await undeclared.page.evaluate("state"))[name]
                if isinstance(value, str):
                    assert (field["value"], held) == (value, value)
                else:
                    cities = sorted(one.rsplit(" / ", maxsplit=1)[-1] for one in value)
                    assert (sorted(one["label"] for one in field["selected"]), sorted(held)) == (cities, cities)


async def test_list_that_declares_little_has_not_kept_what_it_does_not_offer(undeclared: DrivenTab) -> None:
    for selector in ("#fruit", "#herb", "#town", "#seat", "#grain"):
        code, _ = await undeclared.refused("fill", selector=selector, value="Nothing")
        assert code in {"EXECUTION_ERROR", "VALUE_NOT_KEPT"}


async def test_nothing_is_lost_if_a_value_is_not_accepted(several: DrivenTab, subtests: pytest.Subtests) -> None:
    for selector, value, name, held in [
        ("#name", "never", "names", ["old", "Rex"]),
        ("#town", "Nowhere", "towns", ["Lima"]),
        ("#pet", "Emu", "pets", ["old", "Rex"]),
    ]:
        with subtests.test(selector):
            await several.do("fill", selector="#town", value="Lima")

            code, _ = await several.refused("fill", selector=selector, value=value)

            assert code in {"VALUE_NOT_KEPT", "EXECUTION_ERROR"}
            assert (await several.page.evaluate("state"))[name] == held
            assert await several.page.input_value(selector) == ""


async def test_line_break_at_the_end_adds_a_value_to_the_others(same_several: DrivenTab) -> None:
    reply = await same_several.do("fill", selector="#name", value="new\n")

    assert reply["value"] == "old, Rex, new"
    assert (await same_several.page.evaluate("state"))["names"] == ["old", "Rex", "new"]


async def test_choice_that_outlives_its_text_is_cleared_by_the_fields_button(same_several: DrivenTab) -> None:
    assert (await same_several.do("fill", selector="#city", value=""))["value"] == ""
    assert (await same_several.page.evaluate("state"))["city"] == ""

    assert (await same_several.do("fill", selector="#city", value="Basel"))["value"] == "Basel"
    assert (await same_several.page.evaluate("state"))["city"] == "Basel"


async def test_options_that_cannot_be_removed_are_reported(same_several: DrivenTab) -> None:
    await same_several.page.evaluate("byId('quiet-list').onclick = null")

    code, message = await same_several.refused("fill_form", fields=[{"selector": "#quiet", "value": []}])

    assert (code, '"Two"' in message) == ("VALUE_NOT_KEPT", True)


async def test_path_is_followed_through_menus_and_a_text_that_only_opens_them_is_not_kept(
    same_several: DrivenTab,
) -> None:
    for path in ("Italy / Bari", "Peru > Lima", "Italy / Rome"):
        result = await same_several.do("fill", selector="#city-path", value=path)

        assert result["value"] == (await same_several.page.evaluate("state"))["path"] == path.replace(">", "/")

    for path in ("Italy / Lima", "Nowhere"):
        await same_several.refused("fill", selector="#city-path", value=path)
        assert (await same_several.page.evaluate("state"))["path"] == "Italy / Rome"


# In each box a field next to something that can be removed, which is not one of its values.
NEIGHBORS = """<style>.bare { border: 0 }</style>
<div><span>Rename <button class=close>x</button></span> <input id=title></div>
<div><span>x =</span> <input id=sum></div>
<div><input id=todo class=bare><ul><li>Milk <button class=delete>x</button></li></ul></div>
<div><div>Search <button class=close>x</button></div><input id=query class=bare></div>
<div><div style="width: 9em"><div>Mail <button class=delete>x</button></div><input id=mail class=bare></div></div>
<script>window.pressed = 0; document.onclick = ({ target }) => (pressed += target.matches("button"))</script>"""


async def test_what_can_be_removed_next_to_a_field_need_not_be_its_value(blank: DrivenTab) -> None:
    await blank.write(NEIGHBORS)

    for selector in ("#title", "#sum", "#todo", "#query", "#mail"):
        assert (await blank.do("fill", selector=selector, value="20"))["value"] == "20"
    assert await blank.page.evaluate("pressed") == 0


TAKEN = """<p><span id=words></span><input id=word></p><p><span id=tags></span><input id=tag></p><script>
word.onblur = () => (words.innerHTML = `<b>${word.value} <i class=delete>x</i></b>`, word.value = "");
tag.onblur = () => {
  tags.innerHTML = `<x-tag>${tag.value}</x-tag>`;
  tags.firstChild.attachShadow({ mode: "open" }).innerHTML = "<slot></slot> <x-button class=remove>x</x-button>";
  tag.value = "";
};</script>"""


async def test_page_may_move_a_text_from_a_field_with_a_border_to_the_values_before_it(blank: DrivenTab) -> None:
    await blank.write(TAKEN)

    for selector in ("#word", "#tag"):
        assert (await blank.do("fill", selector=selector, value="old"))["value"] == "old"
    reply = await blank.do("fill_form", fields=[{"selector": "#word", "value": "new"}])
    assert (reply["fields"][0]["value"], await blank.page.inner_text("#words")) == ("new", "new x")


# A field that contains its list, which opens at the choice, and draws only the rows in view.
DRAWN_IN_PART = """<div id=rows role=combobox tabindex=0 aria-haspopup=listbox aria-controls=list aria-expanded=false>
    <span id=text>Select</span><div id=list role=listbox hidden
    style="position: absolute; width: 150px; height: 100px; overflow: auto"><div id=all
    style="position: relative; height: 4000px"></div></div></div>
  <script>
    const chosen = new Set();
    const draw = () => {
      const first = Math.floor(list.scrollTop / 20);
      const row = (_, at) => `<div role=option aria-selected=${chosen.has(first + at)}
        style="position: absolute; height: 20px; top: ${(first + at) * 20}px">Row ${first + at}</div>`;
      all.innerHTML = Array.from({ length: Math.min(6, 200 - first) }, row).join("");
    };
    const show = (isOpen) => {
      list.hidden = !isOpen;
      rows.ariaExpanded = String(isOpen);
      if (isOpen) list.scrollTop = 20 * Math.max(0, ...chosen);
      draw();
    };
    rows.onclick = ({ target }) => {
      if (target === rows || target === text) return show(list.hidden);
      const row = Number(target.textContent.slice(4));
      chosen.delete(row) || chosen.add(row);
      text.textContent = [...chosen].sort((a, b) => a - b).map((one) => `Row ${one}`).join(", ") || "Select";
      draw();
    };
    rows.onkeydown = ({ key }) => key === "Escape" && show(false);
    list.onscroll = draw;
  </script>"""


async def test_field_that_contains_its_list_shows_its_choices_next_to_it(blank: DrivenTab) -> None:
    await blank.write(DRAWN_IN_PART)

    assert (await blank.do("fill", selector="#rows", value="Row 150"))["value"] == "Row 150"

    reply = await blank.do("select", selector="#rows", value=["Row 3", "Row 150"])
    assert [option["label"] for option in reply["selected"]] == ["Row 3", "Row 150"]
    assert await blank.page.locator("#text").inner_text() == "Row 3, Row 150"

    # The other one is not drawn, so it cannot be known from the list that it is still selected.
    code, message = await blank.refused("select", selector="#rows", value=["Row 4"])
    assert (code, "Row 150" in message) == ("VALUE_NOT_KEPT", True)


# A list with a search opens over the page, and closes with each choice. Enter adds what was not found.
ADDING_IN_SEARCH = """<select id=own multiple tabindex=-1 aria-hidden=true
    style="position: absolute; width: 1px; height: 1px; opacity: 0"><option>Apple<option>Banana</select>
  <div id=tags role=combobox tabindex=0 aria-haspopup=listbox aria-controls=list aria-expanded=false
    aria-label=Tags>Select</div>
  <div id=layer hidden style="position: absolute; width: 200px; background: white"><input id=search type=search>
    <div id=news role=status style="position: absolute; width: 1px; height: 1px; overflow: hidden; clip: rect(0 0 0 0)"></div>
    <div id=list role=listbox aria-multiselectable=true></div></div>
  <script>
    const draw = () => {
      const like = [...own.options].filter(({ label }) => label.startsWith(search.value));
      const rows = like.map(({ label, selected }) => `<div role=option aria-selected=${selected}>${label}</div>`);
      const offer = `<div>Press Enter to add ${search.value}</div>`;
      list.innerHTML = rows.join("") || offer;
      news.innerHTML = rows.length ? `${rows.length} results` : offer;
      tags.textContent = [...own.selectedOptions].map(({ label }) => label).join(", ") || "Select";
    };
    const show = (isOpen) => {
      layer.hidden = !isOpen;
      tags.ariaExpanded = String(isOpen);
      search.value = "";
      draw();
      if (isOpen) search.focus();
    };
    tags.onclick = () => show(layer.hidden);
    tags.onkeydown = search.onkeydown = ({ key }) => {
      if (key === "Escape") show(false);
      if (key !== "Enter" || !search.value || search.value === "Forbidden") return;
      own.add(new Option(search.value, search.value, false, true));
      show(false);
    };
    search.oninput = draw;
    list.onclick = ({ target }) => {
      const option = [...own.options].find(({ label }) => label === target.textContent);
      option.selected = !option.selected;
      show(false);
    };
  </script>"""


async def test_search_of_a_list_adds_what_it_has_not_found(blank: DrivenTab) -> None:
    await blank.write(ADDING_IN_SEARCH)

    for values in (["Kiwi"], ["Apple", "Mango"], ["Banana"]):
        reply = await blank.do("select", selector="#tags", value=values)

        assert [option["label"] for option in reply["selected"]] == values
        held = await blank.page.eval_on_selector("#own", "own => [...own.selectedOptions].map(one => one.label)")
        assert held == values

    code, _ = await blank.refused("select", selector="#tags", value=["Forbidden"])
    assert code == "EXECUTION_ERROR"
    assert await blank.page.input_value("#own") == "Banana"
    assert not await blank.page.locator("#layer").is_visible()


# As in Fomantic: the box around the chips has the border, chosen options leave the list, and Enter takes a text only once
# the page has made an option of it.
BOXED = """<style>
  .dropdown { border: 1px solid; width: 300px; position: relative; min-height: 20px }
  .menu { position: absolute; top: 100%; background: silver; width: 100%; z-index: 1 }
  input { border: 0 }
  select { display: none }
</style>
<div id=box class=dropdown tabindex=0><select multiple><option>Red<option>Green<option>Blue</select><div class=menu hidden></div></div>
<div id=tags class=dropdown><input id=tag class=search></div>
<script>
  const native = box.querySelector("select");
  const menu = box.querySelector(".menu");
  const chip = (text, remove) => {
    const link = document.createElement("a");
    link.innerHTML = `${text}<i class="delete icon">-</i>`;
    link.lastChild.onclick = remove;
    return link;
  };
  const draw = () => {
    for (const link of box.querySelectorAll("a")) link.remove();
    const chosen = [...native.selectedOptions];
    menu.before(...chosen.map((option) => chip(option.label, () => ((option.selected = false), draw()))));
    const others = [...native.options].filter((option) => !option.selected);
    menu.innerHTML = others.map((option) => `<div>${option.label}</div>`).join("");
  };
  menu.onclick = ({ target }) => {
    [...native.options].find((option) => option.label === target.textContent).selected = true;
    draw();
  };
  box.onmousedown = () => (menu.hidden = false);
  box.onblur = () => setTimeout(() => (menu.hidden = true));
  draw();
  let made = "";
  tag.oninput = () => setTimeout(() => (made = tag.value), 50);
  tag.onkeydown = ({ key }) => {
    if (key !== "Enter") return;
    const text = tag.value;
    tag.value = "";
    if (text !== made) return;
    const link = chip(text, () => link.remove());
    tag.before(link);
  };
</script>"""


async def test_chips_in_a_box_with_a_border_are_removed(blank: DrivenTab) -> None:
    await blank.write(BOXED)

    for values in (["Red", "Blue"], ["Red", "Green"], []):
        reply = await blank.do("select", selector="#box", value=values)
        held = await blank.page.locator("select").evaluate("list => [...list.selectedOptions].map(({label}) => label)")

        assert ([option["label"] for option in reply["selected"]], held) == (values, values)


async def test_enter_waits_until_the_page_has_handled_the_text(blank: DrivenTab) -> None:
    await blank.write(BOXED)

    replies = [await blank.do("fill", selector="#tag", value=f"{text}\n") for text in ("one", "two")]

    assert [reply["value"] for reply in replies] == ["one", "one, two"]
    assert await blank.page.locator("#tags a").all_inner_texts() == ["one-", "two-"]
