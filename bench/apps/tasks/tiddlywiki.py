"""Tasks in TiddlyWiki."""

from bench.apps.agent import Agent
from bench.apps.programs import Site
from bench.apps.tasks.task import Task, holds, start


async def write_recipe(agent: Agent, _site: Site, name: str) -> str:
    await agent.look()
    await agent.click("new tiddler", "button")
    fields = [line for line in await agent.look(find="textbox") if line.role == "textbox"]
    title = next(line for line in fields if "New Tiddler" in line.state)
    text = next(line for line in fields if line.name.startswith("Type the text"))
    tag = next(line for line in fields if line.name == "tag name")
    await agent.fill_form([(title, f"Recipe {name}"), (text, "Two eggs"), (tag, "food\n")])
    await agent.click("Confirm changes", "button")
    await agent.fill("", "eggs", "searchbox")
    return (await agent.read(r"(\d+) matches", find="matches"))[1]


async def is_saved(site: Site, name: str, report: str) -> None:
    holds(report, "1")
    saved = fields_of(site, f"Recipe {name}.tid")
    holds((saved["title"], saved["tags"], saved["text"]), (f"Recipe {name}", "food", "Two eggs"))


async def change_looks(agent: Agent, _site: Site, name: str) -> str:
    await agent.click("control panel", "button")
    await agent.fill("Subtitle", f"notes of {name}", "textbox")
    await agent.act("click", agent.read_text("Appearance"))
    await agent.click("Palette", "tab")
    palette = (await agent.read(r"\w+ \(Dark\)", find="(Dark)"))[0]
    await agent.act("click", agent.read_text(palette))
    return palette


async def is_changed(site: Site, name: str, report: str) -> None:
    holds(fields_of(site, "$__SiteSubtitle.tid")["text"], f"notes of {name}")
    palette = fields_of(site, "$__palette.tid")["text"]
    holds("".join(letter for letter in report if letter.isalpha()), palette.removeprefix("$:/palettes/"))
    holds("Dark" in palette, True)


def fields_of(site: Site, file: str) -> dict[str, str]:
    head, _, text = (site.folder / "tiddlers" / file).read_text(encoding="utf-8").partition("\n\n")
    return dict(line.split(": ", 1) for line in head.splitlines()) | {"text": text.strip()}


TASKS = [
    Task("A5", "tiddlywiki", start, write_recipe, is_saved),
    Task("A6", "tiddlywiki", start, change_looks, is_changed),
]
