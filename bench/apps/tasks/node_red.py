"""Tasks in Node-RED."""

import json
import re
import urllib.request
from typing import Any

from bench.apps.agent import Agent, Element
from bench.apps.programs import Site
from bench.apps.tasks.task import Task, holds, start


async def workspace(agent: Agent) -> Element:
    """Wait for the editor, list what can be dragged, and return the sheet: by its size, as it has no name."""
    await agent.wait("Deploy")
    await agent.pick("inject", "draggable", find="draggable")
    return next(line for line in agent.known if "8000x8000" in line.state)


async def place(agent: Agent, name: str, sheet: Element, x: int, y: int) -> Element:
    """Drag a node type from the palette to the workspace, and return what the reply says was drawn."""
    node = await agent.pick(name, "draggable")
    agent.refuse_unlisted(sheet.selector)
    reply = await agent.act("drag", None, source=node.selector, target=sheet.selector, target_at=[x, y])
    drawn = re.search(r"SVG g drawn: ([^;]+)", reply["changed"])
    return Element("", name, "", drawn[1] if drawn else "")


async def join(agent: Agent, source: Element, target: Element) -> None:
    agent.refuse_unlisted(source.selector)
    agent.refuse_unlisted(target.selector)
    await agent.act("drag", None, source=source.selector, target=target.selector)


async def say_hello(agent: Agent, _site: Site, name: str) -> str:
    sheet = await workspace(agent)
    await place(agent, "inject", sheet, 200, 150)
    await place(agent, "debug", sheet, 450, 150)
    await join(agent, *[line for line in await agent.look(find="flow-port") if line.role == "draggable"])
    await agent.act("click", agent.read_text("timestamp"), count=2)
    await agent.click("timestamp", "button")
    await agent.act("click", agent.read_text("string"))
    fields = [line for line in await agent.look(find="textbox") if line.role == "textbox"]
    # The value of the payload is next to its name.
    place_of_name = next(place for place, line in enumerate(fields) if "payload" in line.state)
    await agent.act("fill", fields[place_of_name + 1], value=f"hello {name}")
    await agent.act("click", agent.read_text("Done"))
    await agent.click("Deploy", "link")
    await agent.read("Successfully deployed")
    await agent.act("click", await agent.pick("", "clickable", find="node-button"))
    return (await agent.read(rf'"(hello {name})"', find="hello"))[1]


async def is_deployed(site: Site, name: str, report: str) -> None:
    holds(report, f"hello {name}")
    nodes = flow_of(site)
    (inject,) = [node for node in nodes if node["type"] == "inject"]
    (debug,) = [node for node in nodes if node["type"] == "debug"]
    holds(inject["wires"], [[debug["id"]]])
    payload = next(one for one in inject["props"] if one["p"] == "payload")
    holds((inject.get("payload", payload.get("v")), inject["payloadType"]), (f"hello {name}", "str"))


async def find_version(agent: Agent, _site: Site, name: str) -> str:
    sheet = await workspace(agent)
    await agent.click("Main menu", "link")
    version = (await agent.read(r"\bv(\d+\.\d+\.\d+)\b", find="Node-RED"))[1]
    comment = await place(agent, "comment", sheet, 200, 300)
    await agent.act("click", comment, count=2)
    await agent.fill("Name", f"made by {name}", "textbox")
    await agent.act("click", agent.read_text("Done"))
    await agent.click("Deploy", "link")
    await agent.read("Successfully deployed")
    return version


async def has_comment(site: Site, name: str, report: str) -> None:
    package = site.environment / "node_modules" / "node-red" / "package.json"
    holds(report, json.loads(package.read_text(encoding="utf-8"))["version"])
    comments = [node["name"] for node in flow_of(site) if node["type"] == "comment"]
    holds(comments, [f"made by {name}"])


def flow_of(site: Site) -> list[dict[str, Any]]:
    with urllib.request.urlopen(f"{site.address}flows") as answer:
        return json.load(answer)


TASKS = [
    Task("A3", "node-red", start, say_hello, is_deployed),
    Task("A4", "node-red", start, find_version, has_comment),
]
