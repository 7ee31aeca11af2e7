"""Keys: which events they cause, where they go, what they do there, and which names are not keys."""

from typing import Any

import pytest

from tests.extension.conftest import DrivenTab, shared_tab_at

PAGE = """<input id=name aria-label=Name value=old><input id=secret type=password value=x><textarea id=area>one\ntwo</textarea>
<input id=box type=checkbox><select id=list><option>small<option>large</select><p id=plain>Text</p>
<button id=button>Go</button><label id=label>City <input id=city></label><form id=form><input id=query></form>
<div id=editor contenteditable>before</div><div id=drawn contenteditable></div><p id=kept contenteditable>old</p><button id=off disabled>Off</button><button id=gone hidden>Gone</button>
<p id=cell tabindex=0>7</p><iframe id=frame srcdoc="<input id=inner>"></iframe><div id=host></div><script>
  document.querySelector("#host").attachShadow({ mode: "open" }).innerHTML = "<input id=shadowed>";
  window.events = [];
  for (const type of ["keydown", "keypress", "beforeinput", "input", "keyup"]) {
    document.addEventListener(type, (event) => {
      const { key, code, keyCode, location, ctrlKey, shiftKey, altKey, metaKey, isTrusted, data } = event;
      const held = [ctrlKey && "Control", shiftKey && "Shift", altKey && "Alt", metaKey && "Meta"].filter(Boolean);
      events.push(type.endsWith("input") ? [type, data] : [type, key, code, keyCode, location, held.join("+"), isTrusted]);
    });
  }
  // It draws a new line after the next frame, and loses what is typed before.
  document.querySelector("#drawn").onbeforeinput = (event) => {
    if (window.isDrawing) event.preventDefault();
    if (event.inputType !== "insertParagraph") return;
    window.isDrawing = true;
    requestAnimationFrame(() => requestAnimationFrame(() => (window.isDrawing = false)));
  };
  // Its own selection follows the browser's with an event, and is what a text replaces.
  let isWhole = false;
  document.addEventListener("selectionchange", () => (isWhole = !getSelection().isCollapsed));
  const kept = document.querySelector("#kept");
  kept.onbeforeinput = (event) => {
    event.preventDefault();
    kept.textContent = isWhole ? event.data : kept.textContent + event.data;
  };
  // Its first key opens a field, which takes the focus two frames later.
  document.querySelector("#cell").onkeydown = ({ key, target }) => {
    target.insertAdjacentHTML("afterend", "<input id=opened>");
    const field = document.querySelector("#opened");
    requestAnimationFrame(() => requestAnimationFrame(() => (field.focus(), (field.value = key))));
  };
  document.querySelector("#form").onsubmit = (event) => (event.preventDefault(), (window.submitted = true));
  document.querySelector("#button").onclick = () => (window.pressed = true);
</script>"""


blank = shared_tab_at("/blank")


@pytest.fixture
async def page(blank: DrivenTab) -> DrivenTab:
    await blank.write(PAGE)
    await blank.page.wait_for_function("document.querySelector('#frame').contentDocument.querySelector('#inner')")
    return blank


async def events(page: DrivenTab) -> list[Any]:
    return await page.page.evaluate("events.splice(0)")


async def test_a_key_causes_the_events_of_a_user_and_the_reply_reports_the_fields_value(page: DrivenTab) -> None:
    result = await page.do("press", keys="a", selector="#name")

    assert await events(page) == [
        ["keydown", "a", "KeyA", 65, 0, "", True],
        ["keypress", "a", "KeyA", 97, 0, "", True],
        ["beforeinput", "a"],
        ["input", "a"],
        ["keyup", "a", "KeyA", 65, 0, "", True],
    ]
    assert result == {
        "element": {"selector": "#name", "tag": "input", "text": "Name"},
        "matches": 1,
        "url": page.page.url,
        "title": "Shown",
        "value": "olda",
    }


async def test_a_chord_holds_its_modifiers_down_and_types_nothing(page: DrivenTab) -> None:
    await page.do("press", keys="ctrl+A", selector="#name")
    assert await events(page) == [
        ["keydown", "Control", "ControlLeft", 17, 1, "Control", True],
        ["keydown", "a", "KeyA", 65, 0, "Control", True],
        ["keyup", "a", "KeyA", 65, 0, "Control", True],
        ["keyup", "Control", "ControlLeft", 17, 1, "", True],
    ]
    assert (await page.do("press", keys="Delete"))["value"] == ""

    await events(page)
    await page.do("press", keys="Control + Shift +k Alt++ shift+1", selector="#plain-no, #button")
    keys = [event[1:2] + event[5:6] for event in await events(page) if event[0] == "keydown"]
    assert keys == [
        ["Control", "Control"],
        ["Shift", "Control+Shift"],
        ["K", "Control+Shift"],
        ["Alt", "Alt"],
        ["+", "Shift+Alt"],
        ["Shift", "Shift"],
        ["!", "Shift"],
    ]


async def test_modifier_alone_is_held_from_its_own_press_until_its_release(page: DrivenTab) -> None:
    await page.do("press", keys="Shift Control+Meta", selector="#button")

    assert [[event[1], event[5]] for event in await events(page)] == [
        ["Shift", "Shift"],
        ["Shift", ""],
        ["Control", "Control"],
        ["Meta", "Control+Meta"],
        ["Meta", "Control"],
        ["Control", ""],
    ]


async def test_text_in_quotes_is_typed_key_by_key_and_names_outside_are_keys(page: DrivenTab) -> None:
    result = await page.do(
        "press", keys="""ControlOrMeta+a "It's 5%, " 'say "é"' Home Delete F2 Enter""", selector="#city"
    )

    assert result["value"] == """t's 5%, say "é\""""
    typed = [event for event in await events(page) if event[0] == "keydown"]
    assert [event[1] for event in typed][-4:] == ["Home", "Delete", "F2", "Enter"]
    assert ["keydown", "I", "KeyI", 73, 0, "Shift", True] in typed
    assert ["keydown", "%", "Digit5", 53, 0, "Shift", True] in typed
    assert ["keydown", '"', "Quote", 222, 0, "Shift", True] in typed
    assert ["keydown", "é", "", 0, 0, "", True] in typed


EFFECTS = [
    ("#button", "Enter", "window.pressed", {}),
    ("#button", "Space", "window.pressed", {}),
    ("#query", '"x" Enter', "window.submitted", {"value": "x"}),
    ("#area", "Enter", "document.querySelector('#area').value.endsWith('two\\n')", {"value": "one\ntwo\n"}),
    ("#box", "Space", "document.querySelector('#box').checked", {"checked": True}),
    ("#list", "ArrowDown", "true", {"selected": [{"value": "large", "label": "large"}]}),
    ("#editor", "End ! Backspace ?", "true", {"value": "before?"}),
    ("#drawn", '"a" Enter "bc"', "true", {"value": "a\nbc"}),
    ("#kept", "ControlOrMeta+A", "true", {"value": "old"}),
    ("#kept", 'End "x"', "true", {"value": "oldx"}),
    ("#kept", 'ControlOrMeta+A ArrowRight "y"', "true", {"value": "oldxy"}),
    ("#kept", 'ControlOrMeta+A "z"', "true", {"value": "z"}),
    ("#cell", '"abc"', "document.querySelector('#opened').value === 'abc'", {}),
    ("#label", "z", "document.querySelector('#city').value === 'z'", {"value": "z"}),
    ("#secret", "y", "document.querySelector('#secret').value === 'xy'", {"value": "(hidden)"}),
    ("#shadowed", "s", "true", {"value": "s"}),
    ("#frame >>> #inner", "f", "true", {"value": "f"}),
]


async def test_keys_have_the_same_effect_in_each_element_as_a_users_keys(
    page: DrivenTab, subtests: pytest.Subtests
) -> None:
    for selector, keys, effect, reported in EFFECTS:
        with subtests.test(f"{selector} {keys}"):
            await page.page.evaluate("pressed = submitted = undefined")
            result = await page.do("press", keys=keys, selector=selector)

            assert await page.page.evaluate(effect)
            assert {name: result[name] for name in ("value", "checked", "selected") if name in result} == reported


async def test_without_a_selector_keys_go_to_the_focus_and_the_reply_reports_where_it_moved(
    page: DrivenTab,
) -> None:
    nothing = await page.do("press", keys="Escape")
    assert nothing["element"]["tag"] == "body"
    assert "focused" not in nothing

    await page.do("press", keys="End", selector="#name")
    moved = await page.do("press", keys='"!" Tab')
    assert moved["value"] == "old!"
    assert moved["focused"]["selector"] == "#secret"
    assert (await page.do("press", keys="Shift+Tab"))["focused"]["selector"] == "#name"
    await page.do("press", keys="f", selector="#frame >>> #inner")
    assert (await page.do("press", keys="g"))["value"] == "fg"
    # The page removes the field, as an editor does with a paragraph that becomes something else.
    await page.page.evaluate("void (city.onchange = () => city.remove())")
    gone = await page.do("press", keys='"x" Enter', selector="#city")
    assert (gone["element"]["selector"], "value" in gone) == ("#city", False)
    # A field that has the focus keeps its caret.
    await page.do("press", keys="Home", selector="#name")
    assert (await page.do("press", keys="x", selector="#name"))["value"] == "xold!"


WRONG: list[tuple[object, str]] = [
    ("a Escpae", '"Escpae", which is not a key. Similar names: End, Escape, Enter'),
    ("Hello", "in quotes"),
    ("a Control+Foo", '"Foo"'),
    ("a Strg+A", '"Strg", which is not one of Alt, Control, Meta, Shift'),
    ("", "keys contains no key"),
    ("  ", "keys contains no key"),
    ("a" * 2_001, "at most 2000"),
    (5, "at most 2000"),
]


async def test_unknown_key_and_element_that_accepts_none_are_rejected_before_anything_is_pressed(
    page: DrivenTab,
) -> None:
    for keys, says in WRONG:
        code, message = await page.refused("press", keys=keys, selector="#name")
        assert (code, says in message) == ("INVALID_ARGUMENT", True), message
    for selector, says in {
        "#plain": "passes the focus on",
        "#off": "is still disabled",
        "#gone": "is still not visible",
    }.items():
        code, message = await page.refused_soon("press", keys="a", selector=selector)
        assert (code, says in message) == ("EXECUTION_ERROR", True), message
    assert (await page.refused("press", keys="a", selector="#secrets"))[1].count("#secret (") == 1
    assert await events(page) == []


async def test_page_that_a_key_opens_is_waited_for(blank: DrivenTab) -> None:
    await blank.write("<a id=go href=/one>Go</a>")

    result = await blank.do("press", keys="Enter", selector="#go")

    assert (result["title"], "value" in result) == ("One", False)


async def test_shortcut_that_only_the_browser_would_obey_has_a_note(page: DrivenTab) -> None:
    await page.page.evaluate(
        "() => void (document.onkeydown = ({ key }) => key === 's' && document.body.prepend('Saved'))"
    )

    for keys in ("F5", "Control+W", "Control+Shift+t", "Alt+Left", "Control++"):
        assert len((await page.do("press", keys=keys))["notes"]) == 1, keys
    for keys in ("Control+S", "Control+A", "F2", '"w"'):
        assert "notes" not in await page.do("press", keys=keys, selector="#name"), keys
    assert await page.page.evaluate("events.length") > 0
