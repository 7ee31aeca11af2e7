"""Tasks in Wagtail's administration."""

import sqlite3
from typing import Any

from bench.apps.agent import Agent
from bench.apps.programs import Site
from bench.apps.tasks.task import Task, holds

TRIES = 3
LEAVE_S = 15


async def sign_in(agent: Agent) -> None:
    lines = await agent.look()
    password = next((line for line in lines if line.role == "password"), None)
    if password:
        await agent.fill_form([(await agent.pick("Username", "textbox"), "admin"), (password, "pw-admin-1\n")])


async def publish_news(agent: Agent, _site: Site, name: str) -> str:
    await sign_in(agent)
    await agent.click("created in portal", "link")
    await agent.click("Add child page", "link")
    await agent.look()
    await agent.fill("Title*", f"News {name}", "textbox")
    await agent.click("Promote", "tab")
    slug = (await agent.read(r'textbox "Slug\*" = "([^"]+)"', find="Slug"))[1]
    # The form saves drafts by itself: when that comes between, it refuses, and stays.
    for _ in range(TRIES):
        await agent.click("More actions", "button")
        published = await agent.act("click", agent.read_text("Publish"))
        if "published" in published.get("changed", "") or await agent.is_gone("Promote", LEAVE_S):
            break
    status = (await agent.read(rf'row "News {name}.*status: (\w+)', find=name))[1]
    await agent.click(f"More options for 'News {name}'", "button")
    await agent.act("click", agent.read_text("Unpublish"))
    await agent.click("Yes, unpublish", "button")
    return f"{slug}, {status}"


async def is_unpublished(site: Site, name: str, report: str) -> None:
    slug = f"news-{name.lower()}"
    holds(report, f"{slug}, live")
    query = "select slug, live, first_published_at is not null from wagtailcore_page where title = ?"
    holds(rows_of(site, query, f"News {name}"), [(slug, 0, 1)])


def editor(name: str) -> dict[str, str]:
    """Return the texts of a new editor by the names of their fields."""
    return {
        "Username": f"editor{name}",
        "Email": f"editor{name}@example.com",
        "First name": "Ed",
        "Last name": "Itor",
        "Password*": "Winter-2026-xyz",
        "Password confirmation": "Winter-2026-xyz",
    }


async def add_editor(agent: Agent, _site: Site, name: str) -> str:
    await sign_in(agent)
    await agent.click("Settings", "button")
    await agent.act("click", agent.read_text("Users"))
    await agent.click("Add a user", "link")
    await agent.look()
    texts = editor(name).items()
    await agent.fill_form([(await agent.pick(label, "textbox", "password"), text) for label, text in texts])
    await agent.click("Roles", "tab")
    await agent.click("Editors", "checkbox")
    await agent.click("Create", "button")
    return (await agent.read(r"(\d+) users", find="users"))[0]


async def is_added(site: Site, name: str, report: str) -> None:
    holds("2 users" in report, True)
    query = (
        "select u.email, u.first_name, u.last_name, g.name from auth_user u join auth_user_groups m on m.user_id = u.id"
        " join auth_group g on g.id = m.group_id where u.username = ?"
    )
    holds(rows_of(site, query, f"editor{name}"), [(f"editor{name}@example.com", "Ed", "Itor", "Editors")])


def rows_of(site: Site, query: str, name: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(site.folder / "db.sqlite3")
    try:
        return connection.execute(query, [name]).fetchall()
    finally:
        connection.close()


def path(_site: Site) -> str:
    return "admin/"


TASKS = [
    Task("B1", "wagtail", path, publish_news, is_unpublished),
    Task("B2", "wagtail", path, add_editor, is_added),
]
