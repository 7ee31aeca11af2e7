"""Click what the goal names."""

import asyncio
import itertools
import re

from bench.miniwob.agents import solves
from bench.miniwob.agents.words import FIELDS, lines_below_goal, ordinal, quoted, submit
from bench.miniwob.tab import Element, Tab, named


@solves("click-button", "click-link", "unicode-test", "click-dialog-2", "click-dialog")
async def click_what_is_quoted(tab: Tab, goal: str) -> None:
    name = quoted(goal)[0]
    await tab.click_named("Close" if name == "x" else name, "button", "link", "clickable")


@solves("click-test")
async def click_the_button(tab: Tab, goal: str) -> None:
    await tab.click((await tab.elements("button"))[0])


@solves("click-test-2", "click-test-transfer", "click-button-sequence", "button-delay")
async def click_buttons_in_turn(tab: Tab, goal: str) -> None:
    pause = re.search(r"wait (\d+) second", goal)
    for number, name in enumerate(re.findall(r"button (\w+)", goal)):
        if number and pause:
            await asyncio.sleep(int(pause[1]))
        await tab.click_named(name)


@solves("click-tab")
async def click_tab(tab: Tab, goal: str) -> None:
    await tab.click_named(re.findall(r"Tab #\d+", goal)[0])


@solves("click-widget")
async def click_widget(tab: Tab, goal: str) -> None:
    kind = quoted(goal)[0]
    role, tag = {"text": ("textbox", "input"), "textarea": ("textbox", "textarea")}.get(kind, (kind, ""))
    for element in await tab.elements(role):
        # The list calls both kinds of text fields a textbox.
        if not tag or f'"tag":"{tag}"' in await tab.say("hover", selector=element.selector):
            await tab.click(element)
            return


@solves("focus-text", "focus-text-2")
async def focus_field(tab: Tab, goal: str) -> None:
    fields = await tab.elements("textbox")
    await tab.click(fields[ordinal(goal) if len(fields) > 1 else 0])


@solves("click-checkboxes", "click-checkboxes-large", "click-checkboxes-transfer", "click-option")
async def check_boxes(tab: Tab, goal: str) -> None:
    names = re.findall(r"Select (.*) and click Submit", goal)[0]
    listed = await tab.look()
    for name in [] if names == "nothing" else names.split(", "):
        await tab.click(named(listed, name, "checkbox", "radio"))
    await submit(tab)


@solves("choose-list", "click-scroll-list")
async def choose_from_list(tab: Tab, goal: str) -> None:
    names = re.findall(r"Select (.*) from the", goal)[0]
    box = (await tab.elements("select", "listbox", "combobox"))[0]
    await tab.select(box, names.split(", ") if "scroll list" in goal else names)
    await submit(tab)


@solves("click-collapsible", "click-collapsible-nodelay")
async def expand_and_submit(tab: Tab, goal: str) -> None:
    listed = await tab.elements()
    await tab.click(next(element for element in listed if "Section" in element.name))
    await submit(tab)


def parts_of(listed: list[Element]) -> list[Element]:
    """Return the tabs and the section headers."""
    return [element for element in listed if element.selector and element.role == "tab"]


@solves(
    "click-collapsible-2",
    "click-collapsible-2-nodelay",
    "click-tab-2",
    "click-tab-2-easy",
    "click-tab-2-medium",
    "click-tab-2-hard",
)
async def find_link_in_parts(tab: Tab, goal: str) -> None:
    name = quoted(goal)[0]

    def link(listed: list[Element]) -> Element | None:
        found = [element for element in listed if element.selector and element.role != "tab" and element.name == name]
        return found[0] if found else None

    listed = await tab.look()
    found = link(listed)
    for part in parts_of(listed):
        if found:
            break
        await tab.click(part)
        found = link(await tab.still())
    if found is None:
        raise LookupError(name)
    await tab.click(found)


@solves("navigate-tree")
async def find_in_tree(tab: Tab, goal: str) -> None:
    name = quoted(goal)[0]
    opened: set[str] = set()
    while True:
        listed = await tab.elements()
        if found := [element for element in listed if element.name == name]:
            await tab.click(found[0])
            return
        # A folder's name is followed by the image that opens it.
        folders = {label.name: picture for label, picture in itertools.pairwise(listed) if picture.look}
        folder = next(label for label in folders if label not in opened)
        opened.add(folder)
        await tab.click(folders[folder])


@solves("click-menu")
async def choose_in_menu(tab: Tab, goal: str) -> None:
    path: list[str] = re.findall(r"Select (.*)", goal)[0].split(">")
    for parent, child in itertools.pairwise(path):
        await tab.hover(named(await tab.look(), parent))
        await tab.until(lambda listed, child=child: any(element.name == child for element in listed))
    await tab.click_named(path[-1])


@solves("search-engine")
async def search_and_click(tab: Tab, goal: str) -> None:
    await tab.fill((await tab.elements("textbox"))[0], quoted(goal)[0])
    await submit(tab, "Search")
    wanted = ordinal(goal)
    seen = 0
    while True:
        listed = await tab.elements("link")
        results = [link for link in listed if not re.fullmatch(r"[\d<>«»]+|First|Last|Next|Previous", link.name)]
        if wanted < seen + len(results):
            await tab.click(results[wanted - seen])
            return
        seen += len(results)
        await tab.click(named(listed, ">"))


@solves("phone-book")
async def find_contact(tab: Tab, goal: str) -> None:
    found = re.search(r"Find (\w+) in the contact book and click on their (.*)\.", goal)
    assert found
    shapes = {"phone number": r"[\d-]+", "email": r".*@.*", "address": r"\d+ .*"}
    while found[1] not in await lines_below_goal(tab, goal):
        await tab.click_named(">")
    links = await tab.elements("link", "clickable")
    await tab.click(next(link for link in links if re.fullmatch(shapes[found[2]], link.name)))


@solves("form-sequence-2")
async def mark_and_enter(tab: Tab, goal: str) -> None:
    radio, field = re.findall(r"(\d)(?:st|nd|rd)", goal)
    listed = await tab.elements()
    await tab.click([element for element in listed if element.role == "radio"][int(radio) - 1])
    await tab.fill([element for element in listed if element.role in FIELDS][int(field) - 1], quoted(goal)[0])
    await submit(tab)


@solves("form-sequence-3")
async def choose_and_press(tab: Tab, goal: str) -> None:
    choice = re.findall(r"Choose (.*) from the dropdown", goal)[0]
    boxes = await tab.elements("select", "listbox")
    if boxes:
        await tab.select(boxes[0], choice)
    else:
        await tab.click((await tab.elements())[0])
        await tab.click_named(choice)
    await tab.click_named(quoted(goal)[0], "button")
