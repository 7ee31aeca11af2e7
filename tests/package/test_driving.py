"""Driving an attached tab as a client sees it: what is sent, what is returned, what is withheld."""

import asyncio
import base64
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from fastmcp import Client
from fastmcp.client.messages import MessageHandler
from mcp import MCPError
from mcp_types import BlobResourceContents, ImageContent, ResourceListChangedNotification, TextContent

import chrome_tab_mcp_server as server
from chrome_tab import app
from chrome_tab.bridge import pairing, protocol
from chrome_tab.bridge.command_table import extension_commands
from chrome_tab.extension import commands, screenshots
from tests.conftest import WriteToml
from tests.support.fake_extension import Call, FakeExtension, connected, free_port, within
from tests.support.tool_client import error_of, text_of

PNG = base64.b64encode(
    base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
).decode()
SHOT = {"data": PNG, "mime_type": "image/png", "width": 1, "height": 1, "notes": []}
PAGE = {"url": "https://shop.example/cart", "title": "Cart"}
ACTED = {"element": {"selector": "#buy", "tag": "button", "text": "Buy now"}, "matches": 1, **PAGE}
DENYING = '[sites."*.denied.example"]\ndeny = true\n'

Parts = tuple[Client[Any], FakeExtension]


class ResourceNews(MessageHandler):
    """Records that the list of resources has changed."""

    def __init__(self) -> None:
        self.heard = 0

    async def on_resource_list_changed(self, message: ResourceListChangedNotification) -> None:
        assert message
        self.heard += 1


@asynccontextmanager
async def driving(**settings: Any) -> AsyncGenerator[Parts]:
    """A client of the server, and the extension that it is connected to."""
    port = free_port()
    flags = {"source": "extension", "port": port, **settings}
    async with Client(
        app.create_server(server.load_settings(flags, need_model=False)), message_handler=ResourceNews()
    ) as client:
        assert "bridge     ok" in str(await client.call_tool("chrome_tab_status", {}))
        async with connected(port, pairing.pairing_key()) as extension:
            yield client, extension


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "EXTENSION_WAIT_S", 0.1)


@pytest.fixture
async def parts() -> AsyncGenerator[Parts]:
    async with driving() as pair:
        yield pair


@pytest.fixture
async def denying(write_toml: WriteToml) -> AsyncGenerator[Parts]:
    """The same, with a rule that denies denied.example."""
    write_toml(DENYING)
    async with driving() as pair:
        yield pair


async def answered(parts: Parts, tool: str, result: Any, **arguments: Any) -> Any:
    """Call a tool whose single command returns this result."""
    call = Call(parts, tool, **arguments)
    await call.answer(tool, result)
    return await call.ended()


# --- What is sent, and what is returned ---


SAID = {"on_dialog": "accept", "dialog_text": "Ada"}
ASKING: dict[str, dict[str, Any]] = {
    "navigate": {"url": "https://a.example/", "timeout": 30_000},
    "click": {"selector": "#a", "count": 1, "button": "left", "at": [0, 0]},
    "press": {"keys": "Enter", "selector": "#a"},
    "select": {"selector": "#a", "value": "b"},
}
ACTS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("navigate", {"url": "https://a.example/"}, {"url": "https://a.example/", "timeout": 30_000}),
    ("navigate", {"url": " HTTP://a.example ", "timeout": 5}, {"url": "HTTP://a.example", "timeout": 5}),
    ("back", {}, {}),
    ("forward", {}, {}),
    ("click", {"selector": "#a"}, {"selector": "#a", "count": 1, "button": "left"}),
    *((name, about | SAID, about | SAID) for name, about in ASKING.items()),
    (
        "click",
        {"selector": "#a", "count": 2, "button": "right", "at": [1, 2.5]},
        {"selector": "#a", "count": 2, "button": "right", "at": [1, 2.5]},
    ),
    ("press", {"keys": "Control+A Delete"}, {"keys": "Control+A Delete"}),
    # Models send "" for what they leave out.
    ("press", {"keys": "Enter", "selector": "", "on_dialog": ""}, {"keys": "Enter"}),
    (
        "click",
        {"selector": "#a", "count": "", "at": "", "on_dialog": "accept", "dialog_text": ""},
        {"selector": "#a", "count": 1, "button": "left", "on_dialog": "accept", "dialog_text": ""},
    ),
    ("press", {"keys": "Enter", "selector": "#a"}, {"keys": "Enter", "selector": "#a"}),
    (
        "drag",
        {"source": "#a", "target": "#b"},
        {"source": "#a", "target": "#b"},
    ),
    (
        "drag",
        {"source": "#a", "source_at": [1, 2], "target_at": [-50, 2]},
        {"source": "#a", "source_at": [1, 2], "target_at": [-50, 2]},
    ),
    ("scroll", {"selector": "#a"}, {"selector": "#a"}),
    ("scroll", {"to": "bottom"}, {"to": "bottom"}),
    ("scroll", {"to": -500}, {"to": -500}),
    (
        "fill_form",
        {"fields": [{"selector": "#a", "value": 5}, {"selector": "#b", "value": True}]},
        {"fields": [{"selector": "#a", "value": 5}, {"selector": "#b", "value": True}]},
    ),
    (
        "fill_form",
        {"fields": [{"selector": "#a", "value": ["b", "c"]}]},
        {"fields": [{"selector": "#a", "value": ["b", "c"]}]},
    ),
    # Clients send lists and objects as text; the value of a field may be such a text itself.
    (
        "fill_form",
        {"fields": '[{"selector": "#a", "value": "[1]"}]'},
        {"fields": [{"selector": "#a", "value": "[1]"}]},
    ),
    (
        "fill_form",
        {"fields": ['{"selector": "#a", "value": ["b"]}']},
        {"fields": [{"selector": "#a", "value": ["b"]}]},
    ),
    ("fill", {"selector": "#a", "value": '["b"]'}, {"selector": "#a", "value": '["b"]'}),
    ("select", {"selector": "#a", "value": '["b", "c"]'}, {"selector": "#a", "value": ["b", "c"]}),
    ("select", {"selector": "#a", "value": "[b"}, {"selector": "#a", "value": "[b"}),
    ("click", {"selector": "#a", "at": "[1, 2]"}, {"selector": "#a", "count": 1, "button": "left", "at": [1, 2]}),
    ("wait_for", {"text": "Done"}, {"text": "Done", "timeout": 10_000}),
    (
        "wait_for",
        {"gone": "Wait", "selector": "#a", "timeout": 5},
        {"gone": "Wait", "selector": "#a", "timeout": 5},
    ),
    ("hover", {"selector": "text=Menu"}, {"selector": "text=Menu"}),
    ("hover", {"selector": "#map", "at": [4, 5.5]}, {"selector": "#map", "at": [4, 5.5]}),
    ("fill", {"selector": "#a", "value": ""}, {"selector": "#a", "value": ""}),
    ("fill", {"selector": "#a", "value": 7}, {"selector": "#a", "value": "7"}),
    ("select", {"selector": "#a", "value": "b"}, {"selector": "#a", "value": "b"}),
    ("select", {"selector": "#a", "value": [1, "c"]}, {"selector": "#a", "value": ["1", "c"]}),
    ("select", {"selector": "#a", "value": ["b", "c"]}, {"selector": "#a", "value": ["b", "c"]}),
]


@pytest.mark.parametrize("tab", [{}, {"tab_id": 5}, {"tabId": 5}])
async def test_an_action_is_one_command_and_its_reply_is_compact_json(parts: Parts, tab: dict[str, int]) -> None:
    for tool, arguments, params in ACTS:
        call = Call(parts, tool, **arguments, **tab)
        sent = await call.answer(tool, ACTED)
        result = await call.ended()

        assert sent["params"] == params
        assert sent.get("tab_id") == (5 if tab else None)
        assert json.loads(text_of(result)) == result.structured_content == ACTED
        assert len(text_of(result)) < 300


async def test_a_huge_title_is_cut_and_marked_as_cut(parts: Parts) -> None:
    result = await answered(parts, "click", {**ACTED, "title": "x" * 100_000}, selector="#a")

    assert result.structured_content["title"] == "x" * 500 + "... [99,500 more characters]"


async def test_half_a_surrogate_pair_from_a_page_breaks_nothing(parts: Parts) -> None:
    result = await answered(parts, "click", {**ACTED, "title": "a\ud83d"}, selector="#a")

    assert result.structured_content["title"] == json.loads(text_of(result))["title"] == "a\ufffd"


async def test_evaluate_returns_the_value_as_json(parts: Parts) -> None:
    values: list[Any] = [None, 5, "text", [1, {"a": None}], {"url": "https://a.example/"}]
    for value in values:
        call = Call(parts, "evaluate", code="1 + 1")
        sent = await call.answer("evaluate", {"value": value, **PAGE})
        result = await call.ended()

        assert sent["params"] == {"code": "1 + 1"}
        assert json.loads(text_of(result)) == value
        assert result.structured_content == {"result": value}
        assert len(result.content) == 1


async def test_a_value_that_is_too_long_is_cut_and_the_cut_is_reported(parts: Parts) -> None:
    whole = await answered(parts, "evaluate", {"value": "x" * 39_998}, code="a")
    cut = await answered(parts, "evaluate", {"value": "x" * 39_999}, code="a")

    assert len(text_of(whole)) == 40_000
    assert len(whole.content) == 1
    assert len(text_of(cut)) == 40_000
    assert cut.content[1].text == "[cut: 1 of 40,001 characters are left out; ask for less]"
    assert cut.structured_content is None


async def test_dialogs_and_notes_are_returned_with_the_value(parts: Parts) -> None:
    dialogs = [{"type": "alert", "message": "hello", "answer": "accepted"}]
    result = await answered(parts, "evaluate", {"value": 1, "dialogs": dialogs, "notes": ["cut"]}, code="a")

    assert result.structured_content == {"result": 1, "notes": ["cut"], "dialogs": dialogs}
    assert json.loads(result.content[1].text) == {"notes": ["cut"], "dialogs": dialogs}


def entry(number: int, **more: Any) -> dict[str, Any]:
    return {"timestamp": "2026-01-01T00:00:00.000Z", "level": "log", "message": f"message {number}", **more}


async def test_console_messages_are_listed_newest_first(parts: Parts) -> None:
    call = Call(parts, "console_logs", max=2)
    sent = await call.answer("console_logs", {"entries": [entry(2), entry(1)], "total": 7})
    result = await call.ended()

    assert sent["params"] == {"max": 2}
    assert json.loads(text_of(result)) == [entry(2), entry(1)]
    assert result.structured_content == {"result": [entry(2), entry(1)]}


def request(number: int, **more: Any) -> dict[str, Any]:
    shop = "https://shop.example/"
    reported = {"id": str(number), "method": "GET", "status": 200, "type": "fetch", "size": 9, "time": 3, "page": shop}
    return {**reported, "url": f"{shop}{number}", **more}


def without_page(request: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in request.items() if key != "page"}


async def test_requests_are_listed_newest_first_and_a_requested_body_completely(parts: Parts) -> None:
    call = Call(parts, "network_requests", filter="fetch", max=2)
    sent = await call.answer("network_requests", {"entries": [request(2), request(1)], "total": 7})
    assert sent["params"] == {"filter": "fetch", "max": 2, "body_of": ""}
    assert (await call.ended()).structured_content == {"result": [without_page(request(2)), without_page(request(1))]}

    read = request(2, body="x" * 30_000)
    call = Call(parts, "network_requests", body_of="2")
    sent = await call.answer("network_requests", {"entries": [read], "total": 7})
    assert sent["params"] == {"filter": "", "max": 50, "body_of": "2"}
    assert (await call.ended()).structured_content == {"result": [without_page(read)]}

    many = await answered(
        parts, "network_requests", {"entries": [request(n) for n in range(500)], "total": 500}, max=500
    )
    assert len(text_of(many)) <= 40_000
    assert many.structured_content["result"][0] == without_page(request(0))
    assert "of 500 entries are left out: too long" in many.structured_content["notes"][0]


async def test_when_console_messages_do_not_fit_the_newest_stay_and_the_rest_are_counted(parts: Parts) -> None:
    entries = [{**entry(number), "message": f"{number} " + "x" * 1_990} for number in range(100)]
    result = await answered(parts, "console_logs", {"entries": entries, "total": 100}, max=100)

    shown = result.structured_content["result"]
    assert shown == entries[: len(shown)]
    assert 15 < len(shown) < 21
    assert len(text_of(result)) <= 40_000
    assert result.structured_content["notes"] == [
        f"the oldest {100 - len(shown)} of 100 entries are left out: too long"
    ]
    assert json.loads(result.content[1].text)["notes"] == result.structured_content["notes"]


HIDDEN = "\u202e\u2066\u200b\u00ad\u3164\U000e0041\U000e0102"
OBSCURED = f"pay{HIDDEN}pal"
LISTED = {"id": 1, "url": "https://a.example/", "title": OBSCURED}
# For each tool: its arguments, and a reply that quotes the page.
QUOTING: list[tuple[str, dict[str, Any], Any]] = [
    ("page_elements", {}, {"text": f'button "{OBSCURED}"  #a', "next_offset": None, **PAGE, "title": OBSCURED}),
    ("click", {"selector": "#a"}, {**ACTED, "changed": [f'appeared: "{OBSCURED}"']}),
    ("evaluate", {"code": "a"}, {"value": {OBSCURED: [OBSCURED]}, "notes": [OBSCURED]}),
    ("console_logs", {}, {"entries": [entry(1, message=OBSCURED)], "total": 1}),
    ("network_requests", {"body_of": "1"}, {"entries": [request(1, body=OBSCURED)], "total": 1}),
    ("getDataLayer", {}, {"values": [{"event": OBSCURED}], "since": 0, "total": 1, "redacted": {}, **PAGE}),
    ("list_tabs", {}, [{**LISTED, "tab_id": 1}]),
    ("browser_get_tabs", {}, [LISTED]),
    ("read_tab", {}, {**PAGE, "text": OBSCURED, "title": OBSCURED}),
]


async def test_text_that_a_page_hides_reaches_no_client(parts: Parts) -> None:
    client, extension = parts
    results: list[Any] = []
    for command, arguments, reply in QUOTING:
        call = Call(parts, "read_chrome_tab" if command == "read_tab" else command, **arguments)
        await call.answer(command, reply)
        results.append(await call.ended())
    call = Call(parts, "click", selector="#b")
    await extension.refuse(await extension.receive(), {"code": "ELEMENT_NOT_FOUND", "message": OBSCURED})
    results.append(await call.ended())
    reading = asyncio.create_task(client.read_resource("tab://active"))
    await extension.reply(await extension.receive(), {**PAGE, "text": OBSCURED})
    await within(reading)
    listing = asyncio.create_task(client.list_resources())
    await extension.reply(await extension.receive(), [LISTED])

    for shown in [*(str(result) for result in results), str(await reading), str(await listing)]:
        assert "paypal" in shown
        assert not [c for c in HIDDEN if c in shown or ascii(c)[1:-1] in shown]


async def test_characters_that_a_script_needs_reach_the_client(parts: Parts) -> None:
    needed = "\u0645\u06cc\u200c\u062e \U0001f468\u200d\U0001f469 \u2764\ufe0f line\u2028end"

    result = await answered(parts, "evaluate", {"value": needed}, code="a")

    assert json.loads(text_of(result)) == result.structured_content["result"] == needed


UNREADABLE: list[tuple[str, dict[str, Any], Any]] = [
    ("click", {"selector": "a"}, None),
    ("console_logs", {}, {"entries": "none"}),
    ("console_logs", {}, {"entries": ["text"]}),
    ("network_requests", {}, {"entries": ["text"]}),
    ("screenshot", {}, {"data": f"!{PNG}", "mime_type": "image/png"}),
    ("screenshot", {}, {"data": "", "mime_type": "image/png"}),
    ("screenshot", {}, {"data": PNG, "mime_type": "image/svg+xml"}),
]


async def test_an_invalid_reply_is_an_error(parts: Parts) -> None:
    for tool, arguments, reply in UNREADABLE:
        code, message = error_of(await answered(parts, tool, reply, **arguments))

        assert code == "EXECUTION_ERROR"
        assert tool in message


# --- Screenshots ---


async def test_a_screenshot_is_an_image_and_a_resource(parts: Parts) -> None:
    client, _ = parts
    call = Call(parts, "screenshot", name="Caf\u00e9 / Cart!", selector="#a", width=10)
    sent = await call.answer("screenshot", {**SHOT, "notes": ["scaled"]})
    image, about = (await call.ended()).content

    assert sent["params"] == {"selector": "#a", "width": 10}
    assert isinstance(image, ImageContent)
    assert (image.data, image.mime_type) == (PNG, "image/png")
    uri = "screenshot://cafe-cart"
    assert json.loads(about.text) == {"name": "cafe-cart", "uri": uri, "width": 1, "height": 1, "notes": ["scaled"]}
    assert await resources(parts) == {uri: "image/png"}
    (kept,) = await client.read_resource(uri)
    assert isinstance(kept, BlobResourceContents)
    assert (kept.blob, kept.mime_type) == (PNG, "image/png")


async def resources(parts: Parts) -> dict[str, str | None]:
    """Return the media types of the stored screenshots by URI; open tabs are listed too."""
    client, extension = parts
    listing = asyncio.create_task(client.list_resources())
    message = await extension.receive()
    assert message["command"] == "browser_get_tabs"
    await extension.reply(message, [])
    listed = {str(resource.uri): resource.mime_type for resource in await listing}
    return {uri: kind for uri, kind in listed.items() if uri.startswith("screenshot:")}


async def test_a_screenshot_of_an_incognito_tab_is_shown_and_not_stored(parts: Parts) -> None:
    for incognito in (True, False):
        call = Call(parts, "screenshot", name="shot")
        await call.answer("screenshot", {**SHOT, "incognito": incognito})
        image, about = (await call.ended()).content

        assert isinstance(image, ImageContent)
        assert ("uri" in json.loads(about.text)) is not incognito
        assert [*await resources(parts)] == ([] if incognito else ["screenshot://shot"])


async def test_a_screenshot_without_a_name_gets_a_number(parts: Parts) -> None:
    for _ in range(2):
        await answered(parts, "screenshot", SHOT)
    await answered(parts, "screenshot", SHOT, name="///")

    assert [*await resources(parts)] == [f"screenshot://screenshot-{number}" for number in (1, 2, 3)]


async def test_a_screenshot_replaces_the_one_with_the_same_name(parts: Parts) -> None:
    client, _ = parts
    other = base64.b64encode(b"RIFF....WEBP").decode()
    await answered(parts, "screenshot", SHOT, name="a")
    await answered(parts, "screenshot", {**SHOT, "data": other, "mime_type": "image/webp"}, name="A")

    assert [*await resources(parts)] == ["screenshot://a"]
    (kept,) = await client.read_resource("screenshot://a")
    assert isinstance(kept, BlobResourceContents)
    assert (kept.blob, kept.mime_type) == (other, "image/webp")


async def test_the_newest_20_screenshots_are_stored(parts: Parts) -> None:
    client, _ = parts
    names = [f"shot-{number}" for number in range(20)]
    # The first is taken again, so that the second is now the oldest.
    for name in (*names, names[0], "one-more"):
        await answered(parts, "screenshot", SHOT, name=name)

    assert sorted(await resources(parts)) == sorted(
        f"screenshot://{name}" for name in (names[0], *names[2:], "one-more")
    )
    with pytest.raises(MCPError):
        await client.read_resource(f"screenshot://{names[1]}")


async def test_the_newest_screenshots_are_stored_up_to_a_number_of_bytes(
    parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(screenshots, "MAX_SCREENSHOT_BYTES", 2 * len(base64.b64decode(PNG)) + 1)
    for name in ("a", "b", "c"):
        await answered(parts, "screenshot", SHOT, name=name)

    assert [*await resources(parts)] == ["screenshot://b", "screenshot://c"]


async def test_the_client_is_notified_when_the_list_of_screenshots_changes() -> None:
    port = free_port()
    news = ResourceNews()
    settings = server.load_settings({"source": "extension", "port": port}, need_model=False)
    async with Client(app.create_server(settings), message_handler=news, mode="legacy") as client:
        await client.call_tool("chrome_tab_status", {})
        async with connected(port, pairing.pairing_key()) as extension:
            heard: list[int] = []
            for name in ("a", "a", "b"):
                await answered((client, extension), "screenshot", SHOT, name=name)
                await client.ping()
                heard.append(news.heard)

    assert heard == [1, 1, 2]


# --- What is rejected ---

BAD_CALLS: list[tuple[str, dict[str, Any], str]] = [
    ("navigate", {}, "the argument 'url' is missing"),
    ("navigate", {"url": "https://a.example/", "timeout": 0}, "timeout must be at least 1"),
    ("navigate", {"url": "https://a.example/", "timeout": 30_001}, "timeout must be at most 30,000"),
    ("back", {"steps": 2}, "unknown argument 'steps'"),
    ("click", {}, "the argument 'selector' is missing"),
    ("click", {"selector": ""}, "selector must not be empty"),
    ("click", {"selector": "x" * 2_001}, "selector must have at most 2,000 characters"),
    ("hover", {"selector": 5}, "selector must be text"),
    ("fill", {"selector": "#a"}, "the argument 'value' is missing"),
    ("fill", {"selector": "#a", "value": "x" * 50_001}, "value must have at most 50,000 characters"),
    ("select", {"selector": "#a", "value": [True]}, "must be text"),
    ("fill_form", {"fields": [{"selector": "#a"}]}, "the argument 'fields.0.value' is missing"),
    (
        "fill_form",
        {"fields": [{"selector": "#a", "value": "b"}, {"selector": 5, "value": "b"}]},
        "fields.1.selector must",
    ),
    ("fill_form", {"fields": '{"selector": "#a", "value": "b"}'}, "fields must be a list"),
    ("fill_form", {"fields": [{"selector": "#a", "value": {}}]}, "fields.0.value must be text, or a number, or"),
    ("scroll", {"to": "middle"}, "to must be 'top', 'bottom', 'left' or 'right', or a number (got \"middle\")."),
    ("evaluate", {"code": ""}, "code must not be empty"),
    ("console_logs", {"max": 0}, "max must be at least 1"),
    ("console_logs", {"max": 1_001}, "max must be at most 1,000"),
    ("network_requests", {"max": 501}, "max must be at most 500"),
    ("screenshot", {"width": 0}, "width must be at least 1"),
    ("screenshot", {"height": 5_000}, "height must be at most 4,000"),
    ("click", {"selector": "#a", "tab_id": "x"}, "tab_id must be an integer"),
    ("click", {"selector": "#a", "tab_id": True}, "tab_id must be a number"),
    ("scroll", {"to": True}, "to must be 'top', 'bottom', 'left' or 'right', or a number (got true)."),
    ("read_chrome_tab", {"offset": True}, "offset must be a number"),
    ("process_chrome_tabs", {"tab_ids": [True]}, "must be a number"),
]


async def test_a_wrong_argument_is_a_sentence_and_nothing_is_sent(parts: Parts) -> None:
    for tool, arguments, reported in BAD_CALLS:
        code, message = error_of(await Call(parts, tool, **arguments).ended())

        assert code == "INVALID_ARGUMENT"
        assert reported in message
        assert "None" not in message

    assert text_of(await answered(parts, "hover", ACTED, selector="#a"))


NO_ADDRESSES = [
    "",
    "shop.example",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "chrome://settings",
    "data:text/html,x",
    "http:/denied.example/",
    "http://denied.example\\@shop.example/",
    "http://%64enied.example/",
    "http://den ied.example/",
    "http://2130706433/",
    "http://0x7f.1/",
]
ADDRESSES = [
    "http://127.0.0.1:8000/a?b=\\#c d",
    "http://[::1]:8000/",
    "https://user:word@shop.example/",
    "https://b\u00fccher.example/",
    "https://10.example/",
]


@pytest.mark.parametrize("tool", ["navigate", "browser_create_tab"])
async def test_only_a_plain_web_address_can_be_opened(parts: Parts, tool: str) -> None:
    for url in NO_ADDRESSES:
        assert error_of(await Call(parts, tool, url=url).ended())[0] == "INVALID_ARGUMENT"

    for url in ADDRESSES:
        call = Call(parts, tool, url=url)
        assert (await call.answer(tool, PAGE))["params"]["url"] == url
        assert (await call.ended()).structured_content == PAGE


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("click", {"selector": "#nope"}, "ELEMENT_NOT_FOUND"),
    ("click", {"selector": "###"}, "INVALID_SELECTOR"),
    ("evaluate", {"code": "x"}, "EVALUATE_NOT_ALLOWED"),
    ("navigate", {"url": "https://a.example/"}, "NAVIGATION_FAILED"),
    ("back", {}, "TAB_NOT_ATTACHED"),
]


async def test_the_extensions_error_is_passed_through(parts: Parts) -> None:
    sentence = "What happened, and what to do: tab_id, list_tabs."
    for tool, arguments, code in REFUSED:
        call = Call(parts, tool, **arguments)
        await call.refuse(tool, code, sentence)

        assert error_of(await call.ended()) == (code, sentence)


@pytest.mark.parametrize(("tool", "repeated"), [("click", False), ("screenshot", True), ("console_logs", True)])
async def test_after_a_lost_connection_reads_are_repeated_and_actions_never(tool: str, repeated: object) -> None:
    port = free_port()
    settings = server.load_settings({"source": "extension", "port": port}, need_model=False)
    async with Client(app.create_server(settings)) as client:
        await client.call_tool("chrome_tab_status", {})
        async with connected(port, pairing.pairing_key()) as extension:
            call = Call((client, extension), tool, **({"selector": "#a"} if tool == "click" else {}))
            assert (await extension.receive())["command"] == tool
        async with connected(port, pairing.pairing_key()) as extension:
            if repeated:
                call.extension = extension
                await call.answer(tool, SHOT if tool == "screenshot" else {"entries": [], "total": 0})
                assert text_of_last(await call.ended())
            else:
                code, message = error_of(await call.ended())
                assert code == "EXTENSION_NOT_CONNECTED"
                assert "click" in message
                await extension.ping()


def text_of_last(result: Any) -> str:
    assert not result.is_error, result.content
    assert isinstance(result.content[-1], TextContent)
    return result.content[-1].text


# --- Denied hosts ---

FINE = {"tab_id": 5, "url": "https://shop.example/", "title": "t", "connected_at": "2026-01-01T00:00:00Z"}
DENIED = {**FINE, "url": "https://bank.denied.example/account"}
EVERY_COMMAND: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("navigate", {"url": "https://shop.example/"}, {**PAGE, "status": 200}),
    ("back", {}, {**PAGE, "status": 200}),
    ("forward", {}, {**PAGE, "status": 200}),
    ("click", {"selector": "#a"}, ACTED),
    ("hover", {"selector": "#a"}, ACTED),
    ("fill", {"selector": "#a", "value": "x"}, ACTED),
    ("select", {"selector": "#a", "value": "x"}, ACTED),
    ("screenshot", {"name": "a"}, SHOT),
    ("evaluate", {"code": "document.title"}, {"value": "secret", **PAGE}),
    ("console_logs", {}, {"entries": [entry(1, url="https://shop.example/")], "total": 1}),
]


async def test_a_tab_of_a_denied_host_is_not_touched(denying: Parts) -> None:
    tabs = [{"id": 6, "url": FINE["url"]}, {"id": 5, "url": DENIED["url"]}]
    for tool, arguments, reply in EVERY_COMMAND:
        call = Call(denying, tool, **arguments)
        await call.answer("list_tabs", [{**FINE, "tab_id": 6}, DENIED])
        code, message = error_of(await call.ended())
        assert code == "HOST_BLOCKED"
        assert "bank.denied.example" in message

        call = Call(denying, tool, **arguments, tab_id=5)
        await call.answer("browser_get_tabs", tabs)
        assert error_of(await call.ended())[0] == "HOST_BLOCKED"

        call = Call(denying, tool, **arguments, tab_id=6)
        for command in ("browser_get_tabs", tool, "browser_get_tabs"):
            await call.answer(command, reply if command == tool else tabs)
        assert not (await call.ended()).is_error


async def test_nothing_is_shown_of_a_denied_host_to_which_a_command_has_led(denying: Parts) -> None:
    for tool, arguments, reply in EVERY_COMMAND:
        call = Call(denying, tool, **arguments)
        await call.answer("list_tabs", [FINE])
        await call.answer(tool, reply | {"title": "secret"})
        await call.answer("list_tabs", [DENIED])
        result = await call.ended()

        code, message = error_of(result)
        assert code == "HOST_BLOCKED"
        assert tool in message
        assert "bank.denied.example" in message
        assert "secret" not in str(result)
        assert PNG not in str(result)

    assert await resources(denying) == {}


async def test_an_error_that_may_quote_a_denied_page_is_withheld_too(denying: Parts) -> None:
    for tabs, expected in ((DENIED, "HOST_BLOCKED"), (FINE, "ELEMENT_NOT_FOUND")):
        call = Call(denying, "click", selector="#a")
        await call.answer("list_tabs", [FINE])
        await call.refuse("click", "ELEMENT_NOT_FOUND", "Suggestions: secret.")
        await call.answer("list_tabs", [tabs])
        result = await call.ended()

        assert error_of(result)[0] == expected
        assert ("secret" in str(result)) == (expected == "ELEMENT_NOT_FOUND")


async def test_a_denied_address_is_not_opened(denying: Parts) -> None:
    for url in (
        "https://denied.example/",
        "https://DENIED.example./",
        "https://a.b.denied.example:8443/x",
        "https://user@denied.example/",
        "https://\uff44enied.example/",
        "https://denied\u00ad.example/",
    ):
        assert error_of(await Call(denying, "navigate", url=url).ended())[0] == "HOST_BLOCKED"

    call = Call(denying, "navigate", url="https://notdenied.example/")
    for command in ("list_tabs", "navigate", "list_tabs"):
        await call.answer(command, PAGE if command == "navigate" else [FINE])
    assert (await call.ended()).structured_content == PAGE


async def test_a_rule_in_another_alphabet_denies_the_name_that_browsers_report(write_toml: WriteToml) -> None:
    rule = '[sites."b\u00fccher.example"]\ndeny = true\n'
    write_toml(rule)
    settings = server.load_settings({}, need_model=False)

    assert settings.site("https://xn--bcher-kva.example/").deny
    assert settings.site("https://B\u00dcCHER.example/").deny
    assert not settings.site("https://bucher.example/").deny


async def test_console_messages_of_denied_pages_are_left_out(denying: Parts) -> None:
    entries = [
        entry(3, url="https://shop.example/"),
        entry(2, url="https://bank.denied.example/"),
        entry(1),  # Its page is unknown.
    ]
    call = Call(denying, "console_logs")
    await call.answer("list_tabs", [FINE])
    await call.answer("console_logs", {"entries": entries, "total": 3})
    await call.answer("list_tabs", [FINE])

    assert (await call.ended()).structured_content == {
        "result": [entry(3)],
        "notes": ["2 entries are left out: [sites] denies their pages"],
    }


async def test_requests_of_denied_pages_and_to_denied_hosts_are_left_out(denying: Parts) -> None:
    denied = "https://bank.denied.example/"
    call = Call(denying, "network_requests")
    await call.answer("list_tabs", [FINE])
    entries = [request(3), request(2, page=denied), request(1, url=denied)]
    await call.answer("network_requests", {"entries": entries, "total": 3})
    await call.answer("list_tabs", [FINE])

    assert (await call.ended()).structured_content == {
        "result": [without_page(request(3))],
        "notes": ["2 entries are left out: [sites] denies their pages"],
    }


# --- The alternative names ---


async def test_kapture_names_replace_ours_and_spell_tab_id_their_way() -> None:
    async with driving(tool_names="kapture") as (client, _):
        tools = {tool.name: tool for tool in await client.list_tools()}

    published = commands.published_names(server.load_settings({"tool_names": "kapture"}, need_model=False))
    assert published.keys() & tools.keys() == set()
    for name in set(published.values()) - {"kapturemcp_list_tabs"}:
        assert "tabId" in tools[name].input_schema["properties"]
        assert "tab_id" not in tools[name].input_schema["properties"]
    assert "tab_id" in tools["getDataLayer"].input_schema["properties"]


@pytest.mark.parametrize("tab", [{"tabId": 5}, {"tab_id": 5}])
async def test_a_kapture_name_runs_the_same_command(tab: dict[str, int]) -> None:
    async with driving(tool_names="kapture") as parts:
        call = Call(parts, "kapturemcp_go_back", **tab)
        assert (await call.answer("back", {**PAGE, "status": 200}))["tab_id"] == 5
        assert (await call.ended()).structured_content == {**PAGE, "status": 200}

        call = Call(parts, "kapturemcp_logs", max=3, **tab)
        assert (await call.answer("console_logs", {"entries": [entry(1)]}))["params"] == {"max": 3}
        assert (await call.ended()).structured_content == {"result": [entry(1)]}

        call = Call(parts, "kapturemcp_list_tabs")
        await call.answer("list_tabs", [FINE])
        assert (await call.ended()).structured_content == {"result": [FINE]}


async def test_with_kapture_names_errors_use_the_names_that_the_client_knows() -> None:
    async with driving(tool_names="kapture") as parts:
        call = Call(parts, "kapturemcp_click", selector="#a")
        await call.refuse("click", "AMBIGUOUS_TAB", "Name one as tab_id; list_tabs lists them. Or click it.")
        _, message = error_of(await call.ended())
        assert message == "Name one as tabId; kapturemcp_list_tabs lists them. Or click it."

        code, message = error_of(await Call(parts, "kapturemcp_click", selector="#a", tabId="x").ended())
        assert code == "INVALID_ARGUMENT"
        assert message.startswith("kapturemcp_click: tabId ")

        code, message = error_of(await Call(parts, "click", selector="#a").ended())
        assert code == "INVALID_ARGUMENT"
        assert "'click'" in message


# --- How the tools are listed ---


async def test_read_only_tools_are_marked_as_such_and_others_are_not() -> None:
    async with driving() as (client, _):
        hints = {tool.name: tool.annotations for tool in await client.list_tools() if tool.annotations}

    driven = {name for name in extension_commands() if not name.startswith("browser_")} - {"getDataLayer"}
    reading = {name for name in driven if hints[name].read_only_hint}
    destroying = {name for name in driven if hints[name].destructive_hint}
    assert reading == {
        "screenshot",
        "console_logs",
        "list_tabs",
        "wait_for",
        "network_requests",
        "page_elements",
        "highlight_in_tab",
    }
    assert destroying == driven - reading - {"hover", "scroll"}


@pytest.mark.parametrize("names", ["default", "kapture"])
async def test_the_list_of_all_tools_stays_short(names: str) -> None:
    async with driving(tool_names=names) as (client, _):
        tools = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in await client.list_tools()]

    assert len(tools) == 30
    assert len(json.dumps({"tools": tools}, separators=(",", ":"))) < 16_500
