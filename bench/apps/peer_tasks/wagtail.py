"""The tasks in Wagtail's administration with playwright-mcp."""

from bench.apps.peer_agent import PeerAgent
from bench.apps.programs import Site
from bench.apps.tasks.wagtail import editor


async def sign_in(agent: PeerAgent) -> None:
    await agent.look()
    if "Sign in to Wagtail" in agent.latest:
        await agent.fill_form([(await agent.pick("Username", "textbox"), "textbox", "admin")])
        await agent.type("Password", "pw-admin-1", "textbox", submit=True)


async def publish_news(agent: PeerAgent, _site: Site, name: str) -> str:
    await sign_in(agent)
    await agent.click("Page created in portal", "link")
    await agent.click("Add child page", "link")
    await agent.type("Title*", f"News {name}", "textbox")
    await agent.click("Promote", "tab")
    slug = (await agent.read(r'textbox "Slug\*".*: (\S+)'))[1]
    await agent.click("More actions", "button")
    await agent.click("Publish", "button")
    status = (await agent.read(r"Current page status: (\w+)", find="Current page status"))[1]
    await agent.click(f"More options for 'News {name}'", "button")
    await agent.click("Unpublish", "link")
    await agent.click("Yes, unpublish", "button")
    return f"{slug}, {status}"


async def add_editor(agent: PeerAgent, _site: Site, name: str) -> str:
    await sign_in(agent)
    await agent.click("Settings", "button")
    await agent.click("Users", "link")
    await agent.click("Add a user", "link")
    await agent.look()
    texts = editor(name).items()
    await agent.fill_form([(await agent.pick(label, "textbox"), "textbox", text) for label, text in texts])
    await agent.click("Roles", "tab")
    await agent.click("Editors", "checkbox")
    await agent.click("Create", "button")
    return (await agent.read(r"(\d+) users"))[0]
