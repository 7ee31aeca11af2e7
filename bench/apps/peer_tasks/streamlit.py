"""The task in the list of vehicles with playwright-mcp."""

from bench.apps.peer_agent import PeerAgent
from bench.apps.programs import Site
from bench.miniwob.tab import ToolError


async def count_and_save(agent: PeerAgent, _site: Site, _name: str) -> str:
    await agent.wait("Kilometres")
    await agent.look()
    await agent.click("Remove free", "button")
    await agent.click("Remove on the road", "button")
    # A written value is shown, but only a key makes the page use it.
    await agent.fill_form([(await agent.pick("Kilometres — end", "slider"), "slider", "41000")])
    await agent.press("ArrowLeft")
    await agent.click("Totals", "paragraph")
    total = (await agent.read(r"Kilometres in all[\s\S]*?: ['\"]?([\d,]{5,})", find="Kilometres in all"))[1]
    count = (await agent.read(r"(\d+) vehicles match"))[1]
    await agent.click("New trip", "paragraph", "link")
    await agent.wait("Save trip")
    await agent.look()
    await agent.type("Vehicle", "EV007", "combobox", submit=True)
    # The focus moves on from part to part.
    await agent.type("month, Day", "1224", "spinbutton", slowly=True)
    await agent.type("hour, Departure", "0930", "spinbutton", slowly=True)
    fields = [
        (await agent.pick("Purpose", "textbox"), "textbox", "Delivery"),
        (await agent.pick("Passengers", "spinbutton"), "textbox", "3"),
    ]
    await agent.fill_form(fields)
    # Otherwise the number is applied when the button takes the focus, and the click is lost.
    await agent.press("Enter")
    await agent.click("Save trip", "button")
    try:
        await agent.wait("The code is")
    except ToolError:
        # The page was drawn again while the mouse was down.
        await agent.click("Save trip", "button")
        await agent.wait("The code is")
    code = (await agent.read(r"The code is (TR-\d+)"))[1]
    return f"{count}, {total}, {code}"
