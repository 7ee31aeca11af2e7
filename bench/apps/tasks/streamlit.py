"""Tasks in the list of vehicles."""

import json

from bench.apps.agent import Agent
from bench.apps.programs import Site
from bench.apps.tasks.task import Task, holds, start


async def count_and_save(agent: Agent, _site: Site, _name: str) -> str:
    await agent.wait("Kilometres")
    await agent.look()
    fields = [
        (await agent.pick("State", "combobox"), ["service"]),
        (await agent.pick("Kilometres — end", "slider"), "40000"),
    ]
    await agent.fill_form(fields)
    count = (await agent.read(r"(\d+) vehicles match"))[1]
    await agent.click("Totals", "summary")
    total = (await agent.read(r"Kilometres in all\s+([\d,]+)"))[1]
    await agent.click("New trip", "link")
    await agent.wait("Save trip")
    await agent.look()
    fields = [
        (await agent.pick("Vehicle", "combobox"), "EV007"),
        (await agent.pick("year, Day", "spinbutton"), "2026-12-24"),
        (await agent.pick("hour, Departure", "spinbutton"), "09:30"),
        (await agent.pick("Purpose", "textbox"), "Delivery"),
        (await agent.pick("Passengers", "number"), "3"),
    ]
    await agent.fill_form(fields)
    await agent.click("Save trip", "button")
    await agent.wait("The code is")
    code = (await agent.read(r"The code is (TR-\d+)"))[1]
    return f"{count}, {total}, {code}"


async def is_saved(site: Site, _name: str, report: str) -> None:
    trips = json.loads((site.folder / "trips.json").read_text(encoding="utf-8"))
    wanted = {"vehicle": "EV007", "day": "2026-12-24", "departure": "09:30", "purpose": "Delivery", "passengers": 3}
    holds(trips, [wanted])
    holds(report, "6, 120,822, TR-1037")


TASKS = [Task("B4", "streamlit", start, count_and_save, is_saved)]
