"""The task in the hotel's forms with playwright-mcp."""

from bench.apps.peer_agent import PeerAgent
from bench.apps.programs import Site


async def book(agent: PeerAgent, _site: Site, _name: str) -> str:
    await agent.wait("Arrival")
    await agent.look()
    fields = [
        (await agent.pick("Guest", "textbox"), "textbox", "Ada"),
        (await agent.pick("Nights", "spinbutton"), "textbox", "5"),
        (await agent.pick("Breakfast", "checkbox"), "checkbox", "true"),
        (await agent.pick("YYYY-MM-DD", "textbox"), "textbox", "2026-12-24"),
    ]
    await agent.fill_form(fields)
    # Typed text filters the options; Enter chooses.
    await agent.type("Room", "Double", "combobox", submit=True)
    await agent.type("Extras", "Boat trip", "combobox", submit=True)
    await agent.type("Extras", "Sauna", "combobox", submit=True)
    await agent.click("Book", "button")
    confirmation = (await agent.read(r"(Booking \d+ for .* EUR)"))[1]
    await agent.click("Contact", "tab")
    await agent.look()
    fields = [
        (await agent.pick("Complaint", "radio"), "radio", "true"),
        (await agent.pick("Message", "textbox"), "textbox", "The tap drips."),
    ]
    await agent.fill_form(fields)
    await agent.click("Send", "button")
    ticket = (await agent.read(r"(Ticket T-\d+ \(\w+\))"))[1]
    return f"{confirmation} | {ticket}"
