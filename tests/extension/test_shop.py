"""A task from start to finish on a page like a real shop: the server over stdio, a real Chromium, only MCP tools."""

import asyncio
import base64
import functools
import http.server
import json
import re
import sys
from collections.abc import AsyncGenerator, Generator
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client
from mcp_types import BlobResourceContents, ImageContent, TextContent
from playwright.async_api import BrowserContext

from demo.browser import extension_id
from demo.web import WebServer, serving
from tests.support.polling import until
from tests.support.tool_client import error_of, text_of

SHOP = Path(__file__).parents[1] / "pages" / "shop"
WAIT_S = 30
MOST_CHARS = 400
MOST_LISTED = 4_000
ACTS = {"click", "hover", "fill", "select", "back", "forward", "navigate"}

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.xdist_group("driven"),
    pytest.mark.skipif(sys.platform == "darwin", reason="Google Chrome takes no unpacked extension from outside"),
]


class Agent:
    """A client that knows one tab by its id."""

    def __init__(self, client: Client[Any], tab_id: int) -> None:
        self.client = client
        self.tab_id = tab_id

    async def call(self, tool: str, **arguments: Any) -> Any:
        return await self.client.call_tool(tool, {"tab_id": self.tab_id, **arguments}, raise_on_error=False)

    async def do(self, tool: str, selector: str | None = None, **arguments: Any) -> Any:
        """Return the reply of a successful tool, parsed as JSON."""
        text = text_of(await self.call(tool, **({"selector": selector} if selector else {}), **arguments))
        assert tool not in ACTS or len(text) < MOST_CHARS, text
        return json.loads(text)

    async def refused(self, tool: str, **arguments: Any) -> tuple[str, str]:
        return error_of(await self.call(tool, **arguments))

    async def reads(self, words: str) -> str:
        """Read the page until it contains this text; a page needs time."""

        async def look() -> str:
            text = text_of(await self.call("read_chrome_tab"))
            return text if words in text else ""

        return await until(look)

    async def layer(self, path: str) -> Any:
        return (await self.do("getDataLayer", path=path))["result"]

    async def tracked(self, event: str) -> Any:
        """Return the newest event of this name, once there is one."""
        return (await until(lambda: self.layer(f"$[?@.event=='{event}']")))[-1]


@pytest.fixture(scope="module")
def shop() -> Generator[str]:
    class Files(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None: ...  # noqa: A002 -- the base class names it so

    files = functools.partial(Files, directory=str(SHOP))
    with serving(WebServer(files)) as address:
        yield address


async def opened(client: Client[Any], url: str) -> Agent:
    """Open an attached tab, and wait until the shop has rendered its first page."""
    created = json.loads(text_of(await client.call_tool("browser_create_tab", {"url": url})))
    assert created["url"] == url
    agent = Agent(client, created["tab_id"])
    await agent.reads("Add to cart")
    return agent


@pytest.fixture
async def agent(parts: tuple[Client[Any], BrowserContext], shop: str) -> AsyncGenerator[Agent]:
    agent = await opened(parts[0], shop)
    yield agent
    await agent.do("browser_close_tab")


async def test_a_task_in_a_shop_is_done_from_the_search_to_the_purchase_event(agent: Agent, shop: str) -> None:
    await find_and_filter(agent, shop)
    await fill_the_cart(agent, shop)
    await fill_the_form(agent)
    await place_the_order(agent, shop)


async def find_and_filter(agent: Agent, shop: str) -> None:
    code, sentence = await agent.refused("evaluate", code="document.title")
    assert code == "EVALUATE_NOT_ALLOWED"
    assert "The user can allow it" in sentence

    searched = await agent.do("fill", "[type=search]", value="Jasmine")
    assert searched["element"]["selector"] == '[aria-label="Search teas"]'
    assert searched["value"] == "Jasmine"
    await agent.reads("Teas found: 1")
    code, sentence = await agent.refused("click", selector="text=Add to cart")
    assert code == "EXECUTION_ERROR"
    assert sentence.startswith("After 5 s, ")
    assert 'covered by dialog aside "Cookies"' in sentence
    closed = await agent.do("click", "text=Only what is needed")
    assert (closed["element"]["tag"], closed["url"]) == ("button", f"{shop}?q=Jasmine")
    assert "privacy" not in await agent.reads("Jasmine Pearls")

    await agent.do("hover", "text=Teas")
    assert (await agent.do("click", "text=Herbal infusions"))["url"] == f"{shop}?kind=herbal"
    await agent.reads("Our herbal teas")
    assert (await agent.do("click", "[name=organic]"))["checked"] is True
    text = await agent.reads("Teas found: 2")
    assert ("Peppermint" in text, "Rooibos" in text) == (True, False)

    assert (await agent.do("back"))["url"] == f"{shop}?q=Jasmine"
    await agent.reads("Jasmine Pearls")
    assert (await agent.do("forward"))["url"] == f"{shop}?kind=herbal&organic=organic"
    await agent.reads("Peppermint")


async def fill_the_cart(agent: Agent, shop: str) -> None:
    code, sentence = await agent.refused("click", selector="text=Add to basket")
    assert (code, '(button "Add to cart")' in sentence) == ("ELEMENT_NOT_FOUND", True)
    more = await agent.do("click", "[data-id=mint] quantity-stepper >>> [aria-label='One more']")
    assert (more["matches"], more["element"]["text"]) == (1, "+")
    added = await agent.do("click", "[data-id=mint] .add")
    assert (added["matches"], added["element"]["text"]) == (1, "Add to cart")
    tracked = await agent.tracked("add_to_cart")
    assert tracked["ecommerce"]["items"] == [{"item_id": "mint", "item_name": "Peppermint", "quantity": 2}]

    # The last teas are rendered when the user scrolls down to them.
    await agent.do("click", "header a[href='?']")
    assert "Peppermint" not in await agent.reads("More teas below")
    await agent.do("hover", "text=More teas below ...")
    await agent.reads("Rooibos Sunset")
    await agent.do("click", "[data-id=rooibos] .add")
    await agent.reads("Cart (3)")

    assert (await agent.do("click", ".basket"))["url"] == f"{shop}?page=checkout"
    await agent.reads("2 x Peppermint")
    removed = await agent.do("click", "[data-id=rooibos] .remove")
    assert removed["dialogs"] == [
        {"type": "confirm", "message": "Remove this tea from your cart?", "answer": "dismissed"}
    ]
    assert "1 x Rooibos Sunset" in await agent.reads("Checkout")


async def fill_the_form(agent: Agent) -> None:
    await agent.do("click", "text=Place order")
    assert "Please choose a country." in await agent.reads("Please tell us your name.")

    texts = {"Name": "Ada Larsen", "E-mail": "ada@larsen.example", "Address": "Havnegade 5\n2nd floor"}
    for label, value in texts.items():
        assert (await agent.do("fill", f"text={label}", value=value))["value"] == value
    code, sentence = await agent.refused("fill", selector="[name=postcode]", value="DK-1058")
    assert (code, 'holds "1058" now' in sentence) == ("VALUE_NOT_KEPT", True)
    chosen = await agent.do("select", "[name=country]", value="Denmark")
    assert chosen["selected"] == [{"value": "DK", "label": "Denmark"}]
    past = await agent.do("fill", "[name=day]", value="2020-01-01")
    assert "It says: " in past["notes"][0]
    coming = await agent.do("fill", "[name=day]", value="2031-05-14")
    assert (coming["value"], "notes" in coming) == ("2031-05-14", False)
    assert (await agent.do("click", "text=By courier"))["checked"] is True
    assert (await agent.do("click", "[name=terms]"))["checked"] is True
    assert "To pay €30.80" in await agent.reads("To pay")


async def place_the_order(agent: Agent, shop: str) -> None:
    refused = "4000 0000 0000 0002"
    assert (await agent.do("fill", "iframe >>> input", value=refused))["value"] == refused
    await agent.do("click", "text=Place order")
    # The bank's refusal appears after the click has been answered.
    async with asyncio.timeout(WAIT_S):
        while not (dialogs := (await agent.do("hover", "h1")).get("dialogs")):
            continue
    assert dialogs == [{"type": "alert", "message": "Your bank has refused this card.", "answer": "accepted"}]
    assert await agent.layer("$[?@.event=='purchase']") == []

    await agent.do("fill", "[name=card-number]", value="4242 4242 4242 4242")
    await agent.do("click", "text=Place order")
    text = await agent.reads("Thank you, Ada Larsen")
    assert "ada@larsen.example" in text
    confirmed = re.search(r"Your order (SK-\w{8}) over €30.80", text)
    assert confirmed
    answer = await agent.do("getDataLayer", path="$[?@.event=='purchase']")
    assert [event["ecommerce"] for event in answer["result"]] == [
        {
            "currency": "EUR",
            "value": 30.8,
            "items": [
                {"item_id": "rooibos", "item_name": "Rooibos Sunset", "quantity": 1},
                {"item_id": "mint", "item_name": "Peppermint", "quantity": 2},
            ],
            "transaction_id": confirmed[1],
            "customer": {"email": "[contact]"},
        }
    ]
    assert answer["notes"] == ["redacted: 1 contact (redact=false shows them where the user allows it)"]
    assert (await agent.refused("getDataLayer", redact=False))[0] == "PRIVATE_NOT_ALLOWED"
    newest, *_ = await agent.do("console_logs")
    assert (newest["level"], newest["message"]) == ("debug", f"Order {confirmed[1]} sent")
    assert (await agent.do("navigate", url=f"{shop}?kind=green"))["status"] == 200


# The actions of this purchase by an agent that knows the selectors and need not look, without detours and refusals.
ACTS_OF_WHO_KNOWS = 21


class Stranger:
    """An agent that has never seen the page: selectors come from the lines that name what it wants."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.calls = 0
        self.lines: list[str] = []

    async def does(self, tool: str, **arguments: Any) -> Any:
        self.calls += 1
        return json.loads(text_of(await self.agent.call(tool, **arguments)))

    async def looks(self) -> None:
        self.calls += 1
        text = text_of(await self.agent.call("page_elements"))
        assert len(text) <= MOST_LISTED
        self.lines = text.splitlines()

    def selector(self, line: str) -> str:
        (found,) = [each for each in self.lines if each.startswith(line)]
        return found.rpartition("  ")[2]

    async def click(self, line: str, **arguments: Any) -> None:
        await self.does("click", selector=self.selector(line), **arguments)

    async def search(self, tea: str, news: str) -> None:
        await self.does("fill", selector=self.selector("searchbox"), value=tea)
        await self.does("wait_for", text=news)
        await self.looks()
        assert any(tea in line for line in self.lines if not line.startswith("searchbox"))

    async def add(self, cart: str) -> None:
        await self.click('button "Add to cart"')
        await self.does("wait_for", text=cart)


async def test_the_same_purchase_works_from_the_list_of_elements_alone_in_no_more_calls(agent: Agent) -> None:
    stranger = Stranger(agent)
    await stranger.looks()
    await stranger.click('button "Only what is needed"')
    await stranger.search("Peppermint", "Teas found: 1")
    await stranger.click('button "One more"')
    await stranger.add("Cart (2)")
    await stranger.search("Rooibos Sunset", "Rooibos Sunset")
    await stranger.add("Cart (3)")
    await stranger.click('link "Cart')
    await stranger.does("wait_for", text="Place order")
    await stranger.looks()
    values: dict[str, Any] = {
        'textbox "Name"': "Ada Larsen",
        'textbox "E-mail"': "ada@larsen.example",
        'textbox "Address"': "Havnegade 5",
        'textbox "Postcode"': "1058",
        'select "Country"': "Denmark",
        'date "': "2031-05-14",
        'radio "By courier': True,
        'checkbox "': True,
        'textbox "Card number"': "4242 4242 4242 4242",
    }
    fields = [{"selector": stranger.selector(line), "value": value} for line, value in values.items()]
    await stranger.does("fill_form", fields=fields)
    await stranger.click('button "Place order')
    await stranger.does("wait_for", text="Thank you, Ada Larsen")

    (purchase,) = (await stranger.does("getDataLayer", path="$[?@.event=='purchase'].ecommerce"))["result"]
    assert [(item["item_id"], item["quantity"]) for item in purchase["items"]] == [("rooibos", 1), ("mint", 2)]
    assert purchase["value"] == 30.8
    assert stranger.calls <= ACTS_OF_WHO_KNOWS


async def test_a_screenshot_is_returned_at_once_and_kept_as_a_resource(agent: Agent) -> None:
    image, about = (await agent.call("screenshot", name="Shelf", selector="header")).content

    assert isinstance(image, ImageContent)
    assert isinstance(about, TextContent)
    reported = json.loads(about.text)
    data = base64.b64decode(image.data)
    assert (image.mime_type, data[:8]) == ("image/png", b"\x89PNG\r\n\x1a\n")
    assert (reported["width"], reported["height"]) == tuple(int.from_bytes(data[at : at + 4]) for at in (16, 20))
    assert reported["height"] < reported["width"]
    (kept,) = await agent.client.read_resource(reported["uri"])
    assert isinstance(kept, BlobResourceContents)
    assert (reported["uri"], kept.blob, kept.mime_type) == ("screenshot://shelf", image.data, "image/png")


async def test_a_tab_is_driven_only_after_the_user_has_attached_it(
    parts: tuple[Client[Any], BrowserContext], shop: str
) -> None:
    client, browser = parts
    url = f"{shop}?kind=black"
    popup = await browser.new_page()
    page = await browser.new_page()
    await page.goto(url)
    tabs = json.loads(text_of(await client.call_tool("browser_get_tabs", {})))
    agent = Agent(client, next(tab["id"] for tab in tabs if tab["url"] == url))
    await agent.reads("Assam Harbour")

    code, sentence = await agent.refused("click", selector="text=Only what is needed")
    assert code == "TAB_NOT_ATTACHED"
    assert "Attach to this Tab" in sentence
    assert "privacy" in await agent.reads("Assam Harbour")

    await page.bring_to_front()
    await popup.goto(f"chrome-extension://{extension_id()}/ui/popup/popup.html")
    await popup.bring_to_front()
    await popup.get_by_role("button", name="Attach to this Tab").click()
    await popup.get_by_role("button", name="Detach", exact=True).wait_for()
    await agent.do("click", "text=Only what is needed")
    assert "privacy" not in await agent.reads("Assam Harbour")
    await agent.do("browser_close_tab")
    await popup.close()


async def test_two_tabs_driven_at_once_do_not_disturb_each_other(
    parts: tuple[Client[Any], BrowserContext], shop: str
) -> None:
    first, second = await asyncio.gather(opened(parts[0], shop), opened(parts[0], shop))
    assert first.tab_id != second.tab_id

    async def buy(agent: Agent, tea: str, times: int) -> list[str]:
        await agent.do("click", "text=Accept all")
        for _ in range(times):
            assert (await agent.do("click", f"[data-id={tea}] .add"))["matches"] == 1
        await agent.reads(f"Cart ({times})")
        await agent.do("click", ".basket")
        await agent.do("fill", "[name=name]", value=tea)
        assert f"{times} x" in await agent.reads("Remove")
        return await agent.layer("$[?@.event=='add_to_cart'].ecommerce.items[*].item_id")

    bought = await asyncio.gather(buy(first, "sencha", 2), buy(second, "earl", 1))

    assert bought == [["sencha"] * 2, ["earl"]]
    for agent, tea in ((first, "sencha"), (second, "earl")):
        filled = await agent.do("fill", "[name=name]", value=f"{tea}!")
        assert (filled["url"], filled["value"]) == (f"{shop}?page=checkout", f"{tea}!")
        await agent.do("browser_close_tab")
