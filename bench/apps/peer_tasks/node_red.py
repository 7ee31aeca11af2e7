"""The tasks in Node-RED with playwright-mcp.

The tree of names has neither the nodes of the drawing nor their ports: the agent finds out by JavaScript where they are,
and uses the mouse tools, which go by coordinates.
"""

import json

from bench.apps.peer_agent import PeerAgent
from bench.apps.programs import Site

MIDDLES = """() => {
  const found = [...document.querySelectorAll("%s")].reverse();
  for (const element of found) element.scrollIntoView({ block: "nearest" });
  return Object.fromEntries(found.map((element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return [element.dataset.paletteType ?? element.getAttribute("class"), [x + width / 2, y + height / 2]];
  }));
}"""


async def middles(agent: PeerAgent, selector: str) -> dict[str, list[float]]:
    """Return the middles of what matches, by node type or class; of several the first."""
    said = await agent.say("browser_evaluate", function=MIDDLES % selector)
    return json.loads(said.partition("### Result\n")[2].partition("\n### ")[0])


async def drag(agent: PeerAgent, source: list[float], target: list[float]) -> None:
    (start_x, start_y), (end_x, end_y) = source, target
    await agent.say("browser_mouse_drag_xy", startX=start_x, startY=start_y, endX=end_x, endY=end_y)


async def say_hello(agent: PeerAgent, _site: Site, name: str) -> str:
    await agent.wait("common")
    await agent.look()
    types = await middles(agent, "[data-palette-type=inject], [data-palette-type=debug]")
    await drag(agent, types["inject"], [500, 250])
    await drag(agent, types["debug"], [750, 250])
    ports = await middles(agent, ".red-ui-flow-port-output, .red-ui-flow-port-input, .red-ui-flow-node-button")
    await drag(agent, ports["red-ui-flow-port-output"], ports["red-ui-flow-port-input"])
    await agent.say("browser_mouse_click_xy", x=500, y=250, clickCount=2)
    # The type of the payload is a button with an icon, next to its name.
    buttons = [node for node in await agent.look() if node.role == "button"]
    place_of_name = next(place for place, node in enumerate(buttons) if node.name.startswith("msg."))
    await agent.say("browser_click", target=buttons[place_of_name + 1].ref)
    await agent.click("string", "link", find="string")
    fields = [node for node in await agent.look() if node.role == "textbox"]
    # The value of the payload is next to its name.
    place_of_name = next(place for place, node in enumerate(fields) if node.text == "payload")
    await agent.say("browser_type", target=fields[place_of_name + 1].ref, text=f"hello {name}")
    await agent.click("Done", "button")
    await agent.click("Deploy", "link")
    await agent.wait("Successfully deployed")
    # The debug node has a button, too; before the first deployment that of the inject node is disabled.
    x, y = next(middle for name, middle in ports.items() if name.endswith("disabled"))
    await agent.say("browser_mouse_click_xy", x=x, y=y)
    return (await agent.read(rf'"(hello {name})'))[1]


async def find_version(agent: PeerAgent, _site: Site, name: str) -> str:
    await agent.wait("common")
    await agent.look()
    await agent.click("Main menu", "link")
    version = (await agent.read(r"\bv(\d+\.\d+\.\d+)\b"))[1]
    types = await middles(agent, "[data-palette-type=comment]")
    await drag(agent, types["comment"], [500, 400])
    await agent.say("browser_mouse_click_xy", x=500, y=400, clickCount=2)
    await agent.type("Name", f"made by {name}", "textbox")
    await agent.click("Done", "button")
    await agent.click("Deploy", "link")
    await agent.wait("Successfully deployed")
    return version
