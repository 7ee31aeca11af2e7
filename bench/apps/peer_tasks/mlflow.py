"""The task in MLflow with playwright-mcp."""

import json

from bench.apps.peer_agent import PeerAgent
from bench.apps.programs import Site
from bench.miniwob.tab import ToolError

VALUE = r'"%s"[\s\S]*?cell "([\d.]+)"'
# Sorting moves the rows, but the tree of names keeps their old order.
ROWS = """() => [...document.querySelectorAll("[role=row] a")]
  .sort((a, b) => a.closest("[role=row]").ariaRowIndex - b.closest("[role=row]").ariaRowIndex).map((a) => a.textContent)"""


async def tag_best_run(agent: PeerAgent, _site: Site, name: str) -> str:
    await agent.wait("Experiments")
    await agent.look()
    await agent.click("Experiments", "link")
    await agent.wait("churn")
    await agent.click("churn", "link", find="churn")
    try:
        await agent.click("Model training", "button")
    except ToolError:
        # A tour may be open above it, after a while.
        await agent.click("Got it", "button", find="Got it")
        await agent.click("Model training", "button")
    await agent.click("Runs", "link", find="Runs")
    await agent.wait("Sort: Created")
    await agent.click("Sort: Created", "button")
    await agent.click("auc", "menuitemcheckbox")
    await agent.wait("Sort: auc")
    best = json.loads(
        (await agent.say("browser_evaluate", function=ROWS)).partition("### Result\n")[2].partition("\n### ")[0]
    )[0]
    await agent.click(best, "link")
    await agent.wait("Add tags")
    await agent.look()
    values = [(await agent.read(VALUE % key))[1] for key in ("auc", "depth", "lr")]
    await agent.click("Add tags", "button")
    await agent.type("Key", "owner", "combobox", submit=True)
    await agent.type("Value", name, "textbox")
    await agent.click("Add tag", "button")
    await agent.click("Save tags", "button", find="Save tags")
    await agent.read("owner")
    return ", ".join([best, *values])
