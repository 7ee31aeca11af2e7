"""The effect of `[sites]`, `tools` and `[extract]` in the configuration file on a call."""

import json
from typing import Any

import pytest
from fastmcp import Client

import chrome_tab_mcp_server as server
from chrome_tab import app
from tests.conftest import WriteToml
from tests.package.test_denied_hosts import DENIED, FINE, browsing
from tests.support.fake_models import FakeOpenAIServer, answer
from tests.support.fake_osascript import FakeOsascript
from tests.support.tool_client import error_of, serving, text_of

SHOP = """
[sites."*.example.com"]
system_prompt = "What does it cost?"
start = "Shop"
content = "main"
model = "small"
schema = "price"

[sites."www.example.com"]
content = "all"
model = "large"

[extract.price]
schema = { type = "object", required = ["price"], properties = { price = { type = "number" } } }
prompt = "The price."
"""
PRICE = '{"price": 5}'


@pytest.fixture
def shop(osascript: FakeOsascript, write_toml: WriteToml) -> FakeOsascript:
    write_toml(SHOP)
    at(osascript, "https://a.example.com/")
    return osascript


def at(osascript: FakeOsascript, url: str) -> None:
    osascript.shows("Shop. It costs 5.", about=json.dumps({"url": url, "title": "A page"}))


async def sent_for(*calls: dict[str, Any], reply: str = PRICE) -> list[tuple[str, str, Any]]:
    """Return the model, the instruction and the schema that each call ends up with."""
    async with FakeOpenAIServer(answer(reply)) as fake, serving(fake) as asker:
        for arguments in calls:
            text_of(await asker.ask(**arguments))
        forms = [chat.body.get("response_format") for chat in fake.chats]
        return [
            (chat.body["model"], chat.instruction, form and form["json_schema"]["schema"])
            for chat, form in zip(fake.chats, forms, strict=True)
        ]


async def test_a_sites_table_fills_in_what_the_call_omits_and_the_most_specific_one_wins_per_key(
    shop: FakeOsascript,
) -> None:
    ((model, prompt, schema),) = await sent_for({})

    assert (model, schema["required"]) == ("small", ["price"])
    assert "What does it cost?" in prompt
    assert (shop.calls()[-1].arguments, shop.calls()[-1].content) == (["Shop", "--to-end"], "main")

    at(shop, "https://www.example.com/")
    ((model, prompt, _),) = await sent_for({})
    assert (model, "What does it cost?" in prompt, shop.calls()[-1].content) == ("large", True, "all")

    at(shop, "https://example.org/")
    ((model, prompt, schema),) = await sent_for({}, reply="Fine.")
    assert (model, schema, shop.calls()[-1].arguments) == ("fake-model", None, ["--no-filter"])
    assert "What does it cost?" not in prompt


async def test_the_call_overrides_the_sites_table(shop: FakeOsascript) -> None:
    own = {"type": "object"}
    said = {"system_prompt": "Who sells it?", "model": "own", "output_schema": own, "start": "It", "content": "all"}

    ((model, prompt, schema),) = await sent_for(said, reply="{}")

    assert (model, schema) == ("own", own)
    assert "Who sells it?" in prompt
    assert "What does it cost?" not in prompt
    assert (shop.calls()[-1].arguments, shop.calls()[-1].content) == (["It", "--to-end"], "all")


# --- Extractions ---


async def test_each_built_in_extraction_can_be_requested_by_name(osascript: FakeOsascript) -> None:
    extractions = server.load_settings({}, need_model=False).extractions
    names = ["article", "product", "recipe", "event", "contact", "profile"]
    at(osascript, "https://example.org/")

    *sent, (_, own_prompt, own_schema) = await sent_for(
        *({"output_schema": name} for name in names),
        {"output_schema": "product", "system_prompt": "Only prices."},
        reply="{}",
    )

    for name, (_, prompt, schema) in zip(names, sent, strict=True):
        assert name in server.SCHEMA
        assert server.schema_problem(extractions[name]["schema"]) is None
        assert schema == extractions[name]["schema"], name
        assert extractions[name]["prompt"].strip() in prompt
    assert ("Only prices." in own_prompt, extractions["product"]["prompt"].strip() in own_prompt) == (True, False)
    assert own_schema == extractions["product"]["schema"]


async def test_the_users_own_extraction_replaces_ours_and_an_unknown_name_is_rejected(
    osascript: FakeOsascript, write_toml: WriteToml
) -> None:
    write_toml('[extract.product]\nschema = { type = "object" }\nprompt = "Mine."')

    ((_, prompt, schema),) = await sent_for({"output_schema": "product"}, reply="{}")
    assert (prompt, schema) == ("Mine.", {"type": "object"})
    before = len(osascript.calls())
    async with FakeOpenAIServer() as fake, serving(fake) as asker:
        code, sentence = error_of(await asker.ask(output_schema="produkt"))
    assert (code, "product" in sentence, len(osascript.calls())) == ("INVALID_ARGUMENT", True, before)


# --- Tools ---


async def test_only_the_tools_that_the_file_allows_are_listed(write_toml: WriteToml) -> None:
    write_toml('tools = ["chrome_tab_status", "back"]')
    async with browsing() as (client, _):
        assert {tool.name for tool in await client.list_tools()} == {"chrome_tab_status", "back"}
        result = await client.call_tool("forward", {"tab_id": FINE}, raise_on_error=False)
        assert error_of(result)[0] == "INVALID_ARGUMENT"
        assert not (await client.call_tool("back", {"tab_id": FINE})).is_error
    write_toml('tools = ["chrome_tab_status", "back"]\ntool_names = "kapture"')
    async with browsing() as (client, _):
        assert {tool.name for tool in await client.list_tools()} == {"chrome_tab_status", "kapturemcp_go_back"}


@pytest.mark.parametrize("names", ["default", "kapture"])
async def test_on_a_sites_pages_only_its_tools_work(names: str, write_toml: WriteToml) -> None:
    write_toml(f'tool_names = "{names}"\n[sites."*.bank.example"]\ntools = ["read_chrome_tab", "back"]')
    back, forward = ("back", "forward") if names == "default" else ("kapturemcp_go_back", "kapturemcp_go_forward")
    async with browsing() as (client, browser):
        for tool in ("read_chrome_tab", back):
            assert not (await client.call_tool(tool, {"tab_id": DENIED})).is_error
        browser.touched.clear()

        for tool in (forward, "process_chrome_tab", "browser_close_tab"):
            code, sentence = error_of(await client.call_tool(tool, {"tab_id": DENIED}, raise_on_error=False))
            assert (code, "read_chrome_tab" in sentence) == ("HOST_BLOCKED", True)

        assert {command for command, _ in browser.touched} <= {"read_tab"}
        assert not (await client.call_tool(forward, {"tab_id": FINE})).is_error


# --- Consent ---


async def test_the_extension_is_notified_which_commands_act_and_where_the_user_wants_to_be_asked(
    write_toml: WriteToml,
) -> None:
    write_toml('[sites."www.bank.example"]\nask = false\n[sites."*.bank.example"]\nask = true\n[sites."a.example"]')
    async with browsing() as (client, browser):
        for tool in ("click", "wait_for", "read_chrome_tab"):
            await client.call_tool(tool, {"tab_id": FINE} | ({"selector": "#a"} if tool == "click" else {}))
        reported = [hosts for hosts in browser.reported if hosts]

    assert reported == [[["*.bank.example", True], ["www.bank.example", False]]]


# --- Status ---


async def test_the_status_shows_the_rules_for_the_active_tab(shop: FakeOsascript) -> None:
    settings = server.load_settings({"source": "applescript"}, need_model=False)
    async with Client(app.create_server(settings)) as client:
        shown = text_of(await client.call_tool("chrome_tab_status", {}))
        (line,) = [line for line in shown.splitlines() if line.startswith("this site")]
        for part in (
            "a.example.com: ",
            'content = "main"',
            'model = "small"',
            'schema = "price"',
            'start = "Shop"',
        ):
            assert part in line
        shop.fails("gone", -600)
        shown = text_of(await client.call_tool("chrome_tab_status", {}))
        assert "this site  ?   unknown: no tab can be read" in shown
        shop.fails("This page shows no text.", 9001)
        shown = text_of(await client.call_tool("chrome_tab_status", {}))
        assert "permission ok  AppleScript reaches the active tab. This page shows no text." in shown
        assert "this site  ?   unknown: This page shows no text." in shown


async def test_the_status_of_a_denied_tab_is_its_rule(write_toml: WriteToml, osascript: FakeOsascript) -> None:
    at(osascript, "https://a.example.com/")
    write_toml('[sites."a.example.com"]\ndeny = true')
    settings = server.load_settings({"source": "applescript"}, need_model=False)
    async with Client(app.create_server(settings)) as client:
        shown = text_of(await client.call_tool("chrome_tab_status", {}))

    assert "this site  ok  " in shown
