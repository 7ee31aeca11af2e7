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
    await agent.act("click", await agent.wait("data.csv"), button="right")
    await agent.click("Open With")
    await agent.click("Editor", "menuitem")
    await agent.read("Zagreb,.*")
    rows = ROW.findall(agent.latest)
    largest = max(rows, key=lambda row: int(row[1]))[0]
    # If a file was opened before the launcher, there is none yet.
    if re.search(r"^\s*Launcher\s*$", agent.latest, re.MULTILINE):
        await agent.act("click", agent.read_text("Launcher"))
    else:
        await agent.click("New Launcher", "button")
    await agent.act("click", agent.read_text("Python 3 (ipykernel)"))
    await agent.wait("| Idle")
    # The new notebook's cell has the focus, ready to write.
    await agent.press('"sum(range(101))" Shift+Enter')
    output = (await agent.read(r"\b(5\d{3})\b"))[1]
    await agent.act("click", agent.read_text("File"))
    await agent.click("Rename Notebook…", "menuitem")
    await agent.fill("New Name", f"{name}.ipynb\n", "textbox")
    await agent.press("Control+S")
    return f"{largest}, {output}"


async def is_calculated(site: Site, name: str, report: str) -> None:
    holds(report, "Kiruna, 5050")
    holds("".join(cells_of(site, name)[0]["source"]), "sum(range(101))")


async def write(agent: Agent, _site: Site, name: str) -> str:
    await agent.act("click", await agent.wait(f"{name}.ipynb"), count=2)
    await agent.wait("| Idle")
    await agent.look()
    await agent.click("Click to add a cell.", "button")
    await agent.act("select", await agent.pick("Cell type", "select"), value="Markdown")
    # The new cell has the focus; Enter begins to edit it.
    await agent.press(f'Enter "# Report {name}" Shift+Enter')
    await agent.click("Run", "menuitem")
    await agent.click("Run All Cells", "menuitem")
    await agent.press("Control+S")
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
