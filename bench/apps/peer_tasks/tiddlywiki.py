"""The tasks in TiddlyWiki with playwright-mcp."""

from bench.apps.peer_agent import PeerAgent
from bench.apps.programs import Site


async def write_recipe(agent: PeerAgent, _site: Site, name: str) -> str:
    await agent.look()
    await agent.click("new tiddler", "button")
    title = next(node for node in await agent.look() if node.text == "New Tiddler")
    fields = [
        (title, "textbox", f"Recipe {name}"),
        (await agent.pick("Type the text", "textbox"), "textbox", "Two eggs"),
        (await agent.pick("tag name", "textbox"), "textbox", "food"),
    ]
    await agent.fill_form(fields)
    await agent.press("Enter")
    await agent.click("Confirm changes", "button")
    await agent.type("", "eggs", "searchbox")
    return (await agent.read(r"(\d+) matches(?! for)"))[1]


async def change_looks(agent: PeerAgent, _site: Site, name: str) -> str:
    await agent.click("control panel", "button")
    await agent.type("Subtitle", f"notes of {name}", "textbox")
    await agent.click("Appearance", "tab")
    await agent.click("Palette", "tab")
    palette = await agent.pick("(Dark)", "link")
    await agent.say("browser_click", target=palette.ref)
    return palette.name.partition(" - ")[0]
