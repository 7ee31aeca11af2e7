"""The data layer: what is masked, what JSONPath selects, and what the tools say."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client
from mcp_types import TextContent

import chrome_tab_mcp_server as server
from tests.support.fake_extension import Call, FakeExtension, connected, free_port


def masked(value: Any, name: str = "") -> Any:
    return server.Redactor().value(value, name)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mail jane.doe+x@mail.example.co.uk now", "mail [email] now"),
        ("call +44 20 7946 0958 today", "call [phone] today"),
        ("call (555) 123-4567 today", "call [phone] today"),
        ("030 1234567", "[phone]"),
        ("card 4111 1111 1111 1111", "card [card]"),
        ("4111-1111-1111-1111", "[card]"),
        ("Authorization: Bearer abcdefgh.12345678", "Authorization: [token]"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "[token]"),
        ("key sk-proj-abcdefghijklmnop", "key [token]"),
        ("AKIAIOSFODNN7EXAMPLE", "[token]"),
        ("0123456789abcdef0123456789abcdef", "[token]"),
    ],
)
def test_a_secret_in_a_text_is_masked(text: str, expected: str) -> None:
    assert masked(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "order 1234567890123456",  # no check digit
        "2026-11-21 10:30:00",
        "GA1.2.1043279482.1699999999",
        "1699999999",
        "10.000,00 EUR",
        "T-12345 purchase of 3 items",
        "me@home",
        "https://shop.example/p/12345?x=1",
        "192.168.100.200",
        "bearer of good news",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert masked(text) == text


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("password", "secret"),
        ("user_token", "secret"),
        ("apiKey", "secret"),
        ("cardNumber", "secret"),
        ("cvv", "secret"),
        ("email_address", "contact"),
        ("phoneNumber", "contact"),
    ],
)
def test_a_value_under_a_private_name_is_masked_whatever_it_is(name: str, kind: str) -> None:
    assert masked({name: "x"}) == {name: f"[{kind}]"}
    assert masked({name: 7}) == {name: f"[{kind}]"}
    assert masked({name: {"deep": ["x"]}}) == {name: {"deep": [f"[{kind}]"]}}
    assert masked({name: None, "event": "login"}) == {name: None, "event": "login"}


@pytest.mark.parametrize("name", ["passenger", "tokyo", "keyword", "author", "telegraph", "discard"])
def test_a_value_under_an_ordinary_name_stays(name: str) -> None:
    assert masked({name: "x"}) == {name: "x"}


def test_keys_and_numbers_are_masked_too() -> None:
    assert masked({"a@b.example": 4111111111111111}) == {"[email]": "[card]"}
    assert masked([1, 2.5, True, None, 1234567890123]) == [1, 2.5, True, None, 1234567890123]


def test_what_was_masked_is_counted_by_kind() -> None:
    redactor = server.Redactor()
    redactor.value(["a@b.example", "c@d.example", {"token": "x"}])

    assert redactor.masked == {"email": 2, "secret": 1}


# --- Through the tool

VALUES = [{"event": "gtm.js"}, {"event": "purchase", "value": 9.5, "email": "a@b.example"}]
REPLY = {"name": "dataLayer", "values": VALUES, "total": 2, "since": 0, "notes": []}


@pytest.fixture
async def parts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> AsyncGenerator[tuple[Client[Any], FakeExtension]]:
    monkeypatch.setattr(server, "config_dir", lambda: tmp_path)
    monkeypatch.setattr(server, "EXTENSION_WAIT_S", 0.5)
    (tmp_path / "config.toml").write_text('[sites."*.denied.example"]\ndeny = true\n', encoding="utf-8")
    port = free_port()
    settings = server.load_settings({"source": "extension", "port": port}, need_model=False)
    async with Client(server.create_server(settings)) as client:
        assert "bridge     ok" in str(await client.call_tool("chrome_tab_status", {}))
        async with connected(port, server.pairing_key()) as extension:
            yield client, extension


def tab(number: int, url: str) -> dict[str, Any]:
    return {"id": number, "url": url, "title": "t", "active": True, "windowId": 1}


ATTACHED = [{"tab_id": 5, "url": "https://shop.example/", "title": "t", "connected_at": "2026-01-01T00:00:00Z"}]


async def test_entries_come_back_masked_with_a_count(parts: tuple[Client[Any], FakeExtension]) -> None:
    call = Call(parts, "getDataLayer")
    await call.answer("list_tabs", ATTACHED)
    asked = await call.answer("getDataLayer", REPLY)
    result = await call.ended()

    assert asked["params"] == {"name": "dataLayer", "since": None}
    assert result.structured_content["result"][1]["email"] == "[contact]"
    assert result.structured_content["notes"] == ["masked: 1 contact (redact=false shows them)"]
    assert json.loads(result.content[0].text) == result.structured_content


async def test_redact_false_shows_them_and_path_selects(parts: tuple[Client[Any], FakeExtension]) -> None:
    call = Call(parts, "getDataLayer", tabId=5, redact=False, path="$[?@.event=='purchase'].email", since=1)
    await call.answer("browser_get_tabs", [tab(5, "https://shop.example/")])
    asked = await call.answer("getDataLayer", REPLY)

    assert asked["tab_id"] == 5
    assert asked["params"]["since"] == 1
    assert (await call.ended()).structured_content == {"result": ["a@b.example"]}


async def test_a_path_that_is_none_is_refused_with_an_example(parts: tuple[Client[Any], FakeExtension]) -> None:
    call = Call(parts, "getDataLayer", path="$[")
    await call.answer("list_tabs", ATTACHED)
    await call.answer("getDataLayer", REPLY)
    error = (await call.ended()).structured_content["error"]

    assert error["code"] == "INVALID_ARGUMENT"
    assert "$[*].event" in error["message"]


async def test_tabs_of_denied_hosts_are_neither_listed_nor_read_nor_closed(
    parts: tuple[Client[Any], FakeExtension],
) -> None:
    both = [tab(1, "https://a.denied.example/x"), tab(2, "https://fine.example/")]
    call = Call(parts, "browser_get_tabs")
    await call.answer("browser_get_tabs", both)
    assert (await call.ended()).structured_content == {"result": [both[1]]}

    for name in ("browser_close_tab", "getDataLayer"):
        call = Call(parts, name, tab_id=1)
        await call.answer("browser_get_tabs", both)
        assert (await call.ended()).structured_content["error"]["code"] == "HOST_BLOCKED"

    call = Call(parts, "browser_close_tab", tab_id=2)
    await call.answer("browser_get_tabs", both)
    await call.answer("browser_close_tab", {"success": True})
    assert (await call.ended()).structured_content == {"success": True}


async def test_a_denied_host_is_not_opened_and_a_redirect_to_one_is_closed_again(
    parts: tuple[Client[Any], FakeExtension],
) -> None:
    error = (await Call(parts, "browser_create_tab", url="https://denied.example/").ended()).structured_content["error"]
    assert error["code"] == "HOST_BLOCKED"

    call = Call(parts, "browser_create_tab", url="https://fine.example/")
    await call.answer("browser_create_tab", {"tab_id": 9, "url": "https://a.denied.example/", "title": "secret title"})
    closed = await call.answer("browser_close_tab", {"success": True})
    result = await call.ended()

    assert closed["tab_id"] == 9
    assert result.structured_content["error"]["code"] == "HOST_BLOCKED"
    assert "secret title" not in str([block.text for block in result.content if isinstance(block, TextContent)])

    call = Call(parts, "browser_create_tab", url="https://fine.example/")
    created = {"tab_id": 9, "url": "https://fine.example/", "title": "t"}
    await call.answer("browser_create_tab", created)
    assert (await call.ended()).structured_content == created


@pytest.mark.parametrize("dialogs", [[], [{"type": "confirm", "message": "sure?", "answer": "dismissed"}]])
async def test_what_only_reads_tells_of_dialogs_that_stood_in_its_way(
    parts: tuple[Client[Any], FakeExtension], dialogs: list[dict[str, str]]
) -> None:
    page = {"tab_id": 5, "text": "words", "url": "https://shop.example/", "title": "Shop", "dialogs": dialogs}
    layer = Call(parts, "getDataLayer")
    await layer.answer("list_tabs", ATTACHED)
    await layer.answer("getDataLayer", REPLY | {"dialogs": dialogs})
    said = [str((await layer.ended()).content)]
    read = Call(parts, "read_chrome_tab")
    # With rules a tab is looked at before it is read.
    for _ in range(2):
        await read.answer("read_tab", page)
    said.append(str((await read.ended()).content))

    for content in said:
        assert ("confirm" in content and "sure?" in content and "was dismissed" in content) == bool(dialogs)
