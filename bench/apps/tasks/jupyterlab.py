"""Tasks in JupyterLab."""

import json
import re
from typing import Any

from bench.apps.agent import Agent
from bench.apps.programs import Site
from bench.apps.tasks.task import Task, holds

# The button in the bottom line.
IDLE = r"Python 3 \(ipykernel\) \| (Idle)"
ROW = re.compile(r"^(\w+),\w+,(\d+),\d+$", re.MULTILINE)


async def calculate(agent: Agent, _site: Site, name: str) -> str:
    await agent.click("data.csv", "button", button="right")
    menu = await agent.click("Open With")
    await agent.choose(menu, "Editor", "menuitem")
    await agent.read("Zagreb")
    rows = ROW.findall(await agent.say("read_chrome_tab"))
    largest = max(rows, key=lambda row: int(row[1]))[0]
    await agent.click("New Launcher", "button")
    await agent.click("Python 3 (ipykernel)", "button")
    await agent.wait("| Idle")
    cell = await agent.pick("[ ]:", "textbox")
    await agent.act("fill", cell, value="sum(range(101))")
    await agent.press("Shift+Enter", cell)
    output = (await agent.read(r"\b(5\d{3})\b"))[1]
    await agent.choose(await agent.click("File", "menuitem"), "Rename Notebook…", "menuitem")
    await agent.fill("New Name", f"{name}.ipynb", "textbox")
    await agent.click("Rename", "button")
    await agent.pick(f"{name}.ipynb", "tab")
    await agent.click("Save", "button")
    return f"{largest}, {output}"


async def is_calculated(site: Site, name: str, report: str) -> None:
    holds(report, "Kiruna, 5050")
    holds("".join(cells_of(site, name)[0]["source"]), "sum(range(101))")


async def write(agent: Agent, _site: Site, name: str) -> str:
    await agent.click(f"{name}.ipynb", "button", "text", count=2)
    await agent.pick("", "textbox", find="[")
    await agent.choose(await agent.click("Run", "menuitem"), "Run All Cells", "menuitem")
    await agent.click("Click to add a cell.", "button")
    await agent.act("select", await agent.pick("Cell type", "select"), value="Markdown")
    cell = await agent.pick("Markdown Cell Content", "clickable")
    field = await agent.within(cell, "textbox")
    await agent.act("fill", field, value=f"# Report {name}")
    await agent.press("Shift+Enter", field)
    await agent.choose(await agent.click("Run", "menuitem"), "Run All Cells", "menuitem")
    await agent.click("Save", "button")
    return (await agent.read(IDLE, find="Python 3"))[1]


async def is_written(site: Site, name: str, report: str) -> None:
    holds(report, "Idle")
    first, *others = cells_of(site, name)
    holds("".join(first["outputs"][0]["data"]["text/plain"]), "5050")
    notes = ["".join(cell["source"]) for cell in others if cell["cell_type"] == "markdown"]
    holds(notes, [f"# Report {name}"])


def cells_of(site: Site, name: str) -> list[dict[str, Any]]:
    return json.loads((site.folder / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]


def path(site: Site) -> str:
    token = (site.folder.parent / "jupyterlab.token").read_text(encoding="ascii")
    return f"lab?token={token}"


TASKS = [
    Task("A1", "jupyterlab", path, calculate, is_calculated),
    Task("A2", "jupyterlab", path, write, is_written),
]
