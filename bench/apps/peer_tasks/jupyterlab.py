"""The tasks in JupyterLab with playwright-mcp."""

import re

from bench.apps.peer_agent import PeerAgent
from bench.apps.programs import Site

ROW = re.compile(r"\b(\w+),\w+,(\d+),\d+\b")


async def calculate(agent: PeerAgent, _site: Site, name: str) -> str:
    await agent.wait("data.csv")
    await agent.look()
    await agent.click("data.csv", "button", button="right")
    await agent.click("Open With")
    await agent.click("Editor")
    await agent.wait("Zagreb")
    await agent.look()
    largest = max(ROW.findall(agent.latest), key=lambda row: int(row[1]))[0]
    await agent.click("New Launcher", "button")
    await agent.click("Python 3 (ipykernel)", "button", find="Python 3 (ipykernel)")
    await agent.wait("| Idle")
    cell = await agent.pick("[ ]:", "textbox", find="[ ]:")
    await agent.say("browser_type", target=cell.ref, text="sum(range(101))")
    await agent.press("Shift+Enter")
    output = (await agent.read(r"\b(5\d{3})\b"))[1]
    await agent.click("File", "menuitem")
    await agent.click("Rename Notebook…")
    await agent.type("New Name", f"{name}.ipynb", "textbox", submit=True)
    await agent.press("Control+s")
    return f"{largest}, {output}"


async def write(agent: PeerAgent, _site: Site, name: str) -> str:
    await agent.wait("data.csv")
    await agent.look()
    await agent.click(f"{name}.ipynb", doubleClick=True)
    await agent.wait("| Idle")
    await agent.look()
    await agent.click("Click to add a cell.", "button")
    kind = await agent.pick("Cell type", "combobox")
    await agent.say("browser_select_option", target=kind.ref, values=["Markdown"])
    cell = [node for node in await agent.look() if node.role == "textbox"][-1]
    await agent.say("browser_type", target=cell.ref, text=f"# Report {name}")
    await agent.press("Shift+Enter")
    await agent.click("Run", "menuitem")
    await agent.click("Run All Cells", find="Run All Cells")
    await agent.press("Control+s")
    return (await agent.read(r"Python 3 \(ipykernel\) \| (Idle)"))[1]
