"""Tasks in the hotel's forms."""

import json
from typing import Any

from bench.apps.agent import Agent
from bench.apps.programs import Site
from bench.apps.tasks.task import Task, holds, start


async def book(agent: Agent, _site: Site, _name: str) -> str:
    await agent.wait("Arrival")
    await agent.look()
    fields = [
        (await agent.pick("Guest", "textbox"), "Ada"),
        (await agent.pick("Room", "combobox"), "Double"),
        (await agent.pick("Nights", "number"), "5"),
        (await agent.pick("Breakfast", "checkbox"), True),
        (await agent.pick("Extras", "combobox"), ["Boat trip", "Sauna"]),
        (await agent.pick("YYYY-MM-DD", "textbox"), "2026-12-24"),
    ]
    await agent.fill_form(fields)
    await agent.click("Book", "button")
    confirmation = (await agent.read(r'"(Booking \d+ [^"]*)"', find="Confirmation"))[1]
    await agent.click("Contact", "tab")
    await agent.look()
    fields = [
        (await agent.pick("Complaint", "radio"), True),
        (await agent.pick("Message", "textbox"), "The tap drips."),
    ]
    await agent.fill_form(fields)
    await agent.click("Send", "button")
    ticket = (await agent.read(r'"(Ticket T-\d+ [^"]*)"', find="Ticket"))[1]
    return f"{confirmation} | {ticket}"


async def is_booked(site: Site, _name: str, report: str) -> None:
    entries: list[dict[str, Any]] = json.loads((site.folder / "hotel.json").read_text(encoding="utf-8"))
    holds(len(entries), 2)
    booking, message = entries
    extras = sorted(booking.pop("extras"))
    holds(extras, ["Boat trip", "Sauna"])
    wanted = {"kind": "booking", "guest": "Ada", "room": "Double", "nights": 5, "breakfast": True}
    holds(booking, {**wanted, "arrival": "2026-12-24"})
    holds(message, {"kind": "message", "subject": "Complaint", "message": "The tap drips."})
    holds(report, "Booking 701 for Ada: Double, 5 nights from 2026-12-24, 710 EUR | Ticket T-42 (Complaint)")


TASKS = [Task("B3", "gradio", start, book, is_booked)]
