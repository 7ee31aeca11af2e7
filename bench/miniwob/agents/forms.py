"""Fill in fields and submit."""

import contextlib
import re

from bench.miniwob.agents import solves
from bench.miniwob.agents.words import FIELDS, labelled, lines_below_goal, ordinal, quoted, submit, take_suggestion
from bench.miniwob.tab import Tab, ToolError, named


async def answer(tab: Tab, value: str) -> None:
    """Write into the only field, or the last one, and submit."""
    await tab.fill((await tab.elements(*FIELDS))[-1], value)
    await submit(tab)


@solves("enter-text", "enter-text-dynamic")
async def enter_text(tab: Tab, goal: str) -> None:
    await answer(tab, quoted(goal)[0])


@solves("enter-text-2")
async def enter_in_case(tab: Tab, goal: str) -> None:
    text = quoted(goal)[0]
    await answer(tab, text.lower() if "lower" in goal else text.upper())


@solves("enter-password")
async def enter_twice(tab: Tab, goal: str) -> None:
    for field in await tab.elements(*FIELDS):
        await tab.fill(field, quoted(goal)[0])
    await submit(tab)


@solves("login-user", "login-user-popup")
async def log_in(tab: Tab, goal: str) -> None:
    for number, value in enumerate(quoted(goal)):
        field = (await tab.elements(*FIELDS))[number]
        for _ in range(2):
            with contextlib.suppress(ToolError):
                await tab.fill(field, value)
            if not [element for element in await tab.elements("button") if element.name == "Cancel"]:
                break
            await tab.click_named("Cancel")
    buttons = await tab.elements("button")
    await tab.click(next(button for button in buttons if button.name.casefold() in ("login", "ok", "submit")))


@solves("enter-date")
async def enter_date(tab: Tab, goal: str) -> None:
    month, day, year = re.findall(r"(\d+)/(\d+)/(\d+)", goal)[0]
    field = next(element for element in await tab.elements() if element.role not in ("button", "clickable"))
    await tab.fill(field, f"{year}-{month}-{day}")
    await submit(tab)


@solves("enter-time")
async def enter_time(tab: Tab, goal: str) -> None:
    hour, minute, half = re.findall(r"(\d+):(\d+) ([AP]M)", goal)[0]
    field = next(element for element in await tab.elements() if element.role not in ("button", "clickable"))
    await tab.fill(field, f"{int(hour) % 12 + 12 * (half == 'PM'):02}:{minute}")
    await submit(tab)


@solves("multi-layouts", "multi-orderings")
async def search_movies(tab: Tab, goal: str) -> None:
    found = re.search(r"Search for (.*) movies directed by (.*) from year (\d+)", goal)
    assert found
    values = {"genre": found[1], "director": found[2], "year": found[3], "date": found[3]}
    listed = await tab.look()
    for label, field in labelled(listed[1:], *FIELDS):
        await tab.fill(field, next(value for word, value in values.items() if word in label.casefold()))
    buttons = [element for element in listed if element.selector and element.role not in FIELDS]
    await tab.click(buttons[-1])


def rows_of(lines: list[str]) -> dict[str, str]:
    """Return a table of two columns."""
    return dict(line.strip().split("\t") for line in lines if line.strip().count("\t") == 1)


@solves("read-table", "read-table-2")
async def read_table(tab: Tab, goal: str) -> None:
    rows = rows_of(await lines_below_goal(tab, goal))
    asked = re.findall(r"value of (.*) into", goal)
    for label, field in labelled(await tab.look()):
        await tab.fill(field, rows[asked[0] if asked else label.rstrip(": ")])
    await submit(tab)


@solves("find-word")
async def find_word(tab: Tab, goal: str) -> None:
    words = (await lines_below_goal(tab, goal))[0].split()
    await answer(tab, words[ordinal(goal)].strip(".,"))


@solves("text-transform")
async def retype(tab: Tab, goal: str) -> None:
    await answer(tab, (await lines_below_goal(tab, goal))[0].replace(" ", ""))


@solves("simple-arithmetic")
async def calculate(tab: Tab, goal: str) -> None:
    text = "\n".join(await lines_below_goal(tab, goal))
    first, sign, second = re.findall(r"(-?\d+) *([-+x*/]) *(-?\d+) *=", text)[0]
    a, b = int(first), int(second)
    results = {"+": a + b, "-": a - b, "/": a // (b or 1)}
    await answer(tab, str(results.get(sign, a * b)))


@solves("simple-algebra")
async def solve_equation(tab: Tab, goal: str) -> None:
    text = "\n".join(await lines_below_goal(tab, goal))
    first, sign, second, result = re.findall(r"(x|-?\d+) *([-+]) *(x|-?\d+) *= *(-?\d+)", text)[0]
    factor = 1 if sign == "+" else -1
    if first == "x":
        await answer(tab, str(int(result) - factor * int(second)))
    else:
        await answer(tab, str((int(result) - int(first)) * factor))


@solves("copy-paste", "copy-paste-2")
async def copy_text(tab: Tab, goal: str) -> None:
    fields = await tab.elements(*FIELDS)
    sources = [field for field in fields if field.value]
    source = sources[ordinal(goal) if len(sources) > 1 else 0]
    await tab.press("Control+A Control+C", source)
    await tab.press("Control+V", next(field for field in fields if not field.value))
    await submit(tab)


@solves("scroll-text")
async def copy_last_word(tab: Tab, goal: str) -> None:
    source, field = await tab.elements(*FIELDS)
    await tab.press("Control+End Control+Shift+ArrowLeft Control+Shift+ArrowLeft Control+C", source)
    await tab.press("Control+V", field)
    await submit(tab)


@solves("guess-number")
async def guess_number(tab: Tab, goal: str) -> None:
    low, high = map(int, re.findall(r"(\d+)-(\d+)", goal)[0])
    field = (await tab.elements(*FIELDS))[0]
    while low <= high:
        guess = (low + high) // 2
        await tab.fill(field, str(guess))
        await submit(tab)
        text = await tab.text()
        if f"lower than {guess}" in text:
            high = guess - 1
        elif f"higher than {guess}" in text:
            low = guess + 1
        else:
            return


@solves("generate-number")
async def generate_number(tab: Tab, goal: str) -> None:
    bound = re.search(r"(less|greater) than (\d+)", goal)

    def fits(number: int) -> bool:
        if bound:
            return number < int(bound[2]) if bound[1] == "less" else number > int(bound[2])
        return number % 2 == ("odd" in goal)

    listed = await tab.look()
    while True:
        await tab.click(named(listed, "Generate"))
        numbers = [line for line in await lines_below_goal(tab, goal) if re.fullmatch(r"-?\d+", line)]
        if numbers and fits(int(numbers[0])):
            await tab.click(named(listed, "Submit"))
            return


@solves("odd-or-even")
async def mark_odd_or_even(tab: Tab, goal: str) -> None:
    listed = await tab.look()
    numbers = [int(element.name) for element in listed if re.fullmatch(r"-?\d+", element.name)]
    buttons = [element for element in listed if element.name in ("Odd", "Even")]
    for place, number in enumerate(numbers):
        await tab.click(buttons[2 * place + (number % 2 == 0)])
    await submit(tab)


@solves("use-autocomplete", "use-autocomplete-nodelay")
async def complete(tab: Tab, goal: str) -> None:
    start, *end = quoted(goal)
    field = (await tab.elements(*FIELDS))[0]
    await take_suggestion(tab, field, start, lambda name: name.startswith(start) and name.endswith(tuple(end) or ""))
    await submit(tab)


@solves("use-spinner")
async def spin(tab: Tab, goal: str) -> None:
    """Press the arrows: the field accepts no keys."""
    listed = await tab.elements("spinbutton", "button")
    missing = int(re.findall(r"Select (-?\d+)", goal)[0]) - int(listed[0].value or 0)
    up, down = (next(element for element in listed if end in element.state) for end in ("-n", "-s"))
    for _ in range(abs(missing)):
        await tab.click(up if missing > 0 else down)
    await submit(tab)


@solves("sign-agreement")
async def sign(tab: Tab, goal: str) -> None:
    names = quoted(goal)
    if len(names) > 1 or "Scroll" in goal:
        area, *_ = await tab.elements(*FIELDS)
        await tab.scroll(area, "bottom")
        await tab.fill((await tab.elements(*FIELDS))[-1], names[0])
    await tab.click_named(names[-1] if len(names) > 1 else "Cancel" if "cancel" in goal else "Agree", "button")


@solves("scroll-text-2")
async def scroll_text(tab: Tab, goal: str) -> None:
    await tab.scroll((await tab.elements(*FIELDS))[0], "top" if "to the top" in goal else "bottom")
    await submit(tab)
