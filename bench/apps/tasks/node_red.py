"""Tasks in Node-RED."""

import json
import urllib.request
from typing import Any

from bench.apps.agent import Agent, Element
from bench.apps.programs import Site
from bench.apps.tasks.task import Task, holds, start


async def place(agent: Agent, name: str, x: int, y: int) -> None:
    """Drag a node type from the palette to the workspace."""
    node = await agent.pick(name, "draggable")
    sheet = await agent.pick("", "draggable", find="8000x8000")
    agent.refuse_unlisted(sheet.selector)
    await agent.act("drag", None, source=node.selector, target=sheet.selector, target_at=[x, y])


async def join(agent: Agent, source: Element, target: Element) -> None:
    agent.refuse_unlisted(source.selector)
    agent.refuse_unlisted(target.selector)
    await agent.act("drag", None, source=source.selector, target=target.selector)


async def say_hello(agent: Agent, _site: Site, name: str) -> str:
    await place(agent, "inject", 200, 150)
    await place(agent, "debug", 450, 150)
    await join(agent, *[line for line in await agent.look(find="flow-port") if line.role == "draggable"])
    await agent.click("timestamp", "draggable", count=2)
    await agent.click("timestamp", "button")
    await agent.click("string", "link")
    fields = [line for line in await agent.look(find="textbox") if line.role == "textbox"]
    # The value of the payload is next to its name.
    place_of_name = next(place for place, line in enumerate(fields) if "payload" in line.state)
    await agent.act("fill", fields[place_of_name + 1], value=f"hello {name}")
    await agent.click("Done", "button")
    await agent.click("Deploy", "link")
    await agent.wait("Successfully deployed")
    await agent.act("click", await agent.pick("", "clickable", find="node-button"))
    return (await agent.read(rf'"(hello {name})"'))[1]


async def is_deployed(site: Site, name: str, report: str) -> None:
    holds(report, f"hello {name}")
    nodes = flow_of(site)
    (inject,) = [node for node in nodes if node["type"] == "inject"]
    (debug,) = [node for node in nodes if node["type"] == "debug"]
    holds(inject["wires"], [[debug["id"]]])
    payload = next(one for one in inject["props"] if one["p"] == "payload")
    holds((inject.get("payload", payload.get("v")), inject["payloadType"]), (f"hello {name}", "str"))


async def find_version(agent: Agent, _site: Site, name: str) -> str:
    await agent.click("Main menu", "link")
    version = (await agent.read(r"\bv?(\d+\.\d+\.\d+)\b"))[1]
    await agent.click("Main menu", "link")
    await place(agent, "comment", 200, 300)
    await agent.click("comment", "draggable", count=2, at=1)
    await agent.fill("Name", f"made by {name}", "textbox")
    await agent.click("Done", "button")
    await agent.click("Deploy", "link")
    await agent.wait("Successfully deployed")
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
