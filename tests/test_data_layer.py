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
        *((f"a {prefix}_abcdefghijkl b", "a [token] b") for prefix in ("sk", "pk", "rk", "ghp", "gho", "ghs", "glpat")),
        *((f"a {prefix}-abcdefghijkl b", "a [token] b") for prefix in ("xoxa", "xoxb", "xoxp", "sk", "glpat")),
        *((f"a {prefix}ABCDEFGHIJKL b", "a [token] b") for prefix in ("AKIA", "ASIA", "AIza")),
        ("bearer abcdefgh.12345678", "[token]"),
        ("0301 234567", "[phone]"),
        ("030-123 4567", "[phone]"),
        ("030.123.4567", "[phone]"),
        ("\uff0b442079460958", "[phone]"),
        ("378282246310005", "[card]"),
        ("4222222222222", "[card]"),
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
        "sk_short",
        "AKIASHORT",
        "abcdefghijklmnopabcdefghijklmnopabcdef",
        "00000000000000000000000000000000",
        "0000000000000000",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert masked(text) == text


SECRET_NAMES = [
    "pass",
    "password",
    "userPasswd",
    "passphrase",
    "passcode",
    "pwd",
    "user_pwd",
    "secret",
    "client_secret",
    "token",
    "user_token",
    "csrfToken",
    "apiKey",
    "api-key",
    "api_key",
    "auth",
    "authorization",
    "authentication",
    "credential",
    "credentials",
    "sessionId",
    "session_id",
    "session-id",
    "sid",
    "cookie",
    "cookies",
    "csrf",
    "xsrf",
    "ssn",
    "iban",
    "cvv",
    "cvc",
    "cvc2",
    "cvv2",
    "cardNumber",
    "card_number",
    "card-no",
]
CONTACT_NAMES = ["email", "e-mail", "email_address", "phone", "phoneNumber", "mobile", "tel", "msisdn"]
NAMES = [*((name, "secret") for name in SECRET_NAMES), *((name, "contact") for name in CONTACT_NAMES)]


@pytest.mark.parametrize(("name", "kind"), NAMES)
def test_a_value_under_a_private_name_is_masked_whatever_it_is(name: str, kind: str) -> None:
    assert masked({name: "x"}) == {name: f"[{kind}]"}
    assert masked({name.upper(): 7}) == {name.upper(): f"[{kind}]"}
    assert masked({name: {"deep": ["x"]}}) == {name: {"deep": [f"[{kind}]"]}}
    assert masked({name: None, "event": "login"}) == {name: None, "event": "login"}


@pytest.mark.parametrize(
    "name",
    [
        *("passenger", "tokyo", "keyword", "author", "authority", "telegraph", "hotel", "discard", "side", "insider"),
        *("passage", "compassion", "cardNote", "assn", "ibanez", "cvcs", "api", "session"),
    ],
)
def test_a_value_under_an_ordinary_name_stays(name: str) -> None:
    assert masked({name: "x"}) == {name: "x"}


def test_keys_and_numbers_are_masked_too() -> None:
    assert masked({"a@b.example": 4111111111111111}) == {"[email]": "[card]"}
    assert masked([1, 2.5, True, None, 1234567890123]) == [1, 2.5, True, None, 1234567890123]


@pytest.mark.parametrize("text", ["+44 20 7946 0958 ", "030 1234567 ", "4111 1111 1111 1111 ", "a@b.example "])
def test_two_megabytes_that_look_private_are_masked_to_the_last(text: str) -> None:
    kind = masked(text).strip()
    much = masked([text * 500 for _ in range(2_000_000 // len(text) // 500)])
    plus = "+" if text.startswith("+") else ""

    assert kind in {"[phone]", "[card]", "[email]"}
    assert set("".join(much).split()) <= {kind, f"{plus}{kind}"}


def test_numbers_that_the_library_is_not_asked_about_are_masked_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    number = "call +44 20 7946 0958 or 1 2 3 4 5 6 7"
    assert masked(number) == "call [phone] or 1 2 3 4 5 6 7"

    monkeypatch.setattr(server, "MAX_PHONE_CHARS", len(number))

    assert masked([number, number]) == ["call [phone] or 1 2 3 4 5 6 7", "call +[phone] or [phone]"]


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


def layer(count: int, since: int = 0, size: int = 200) -> dict[str, Any]:
    values = [{"event": f"event {since + index}", "text": "x" * size} for index in range(count)]
    return {"name": "dataLayer", "values": values, "total": since + count, "since": since, "notes": []}


async def asked(
    parts: tuple[Client[Any], FakeExtension], reply: dict[str, Any], **arguments: Any
) -> tuple[list[Any], str]:
    """What getDataLayer makes of that reply: the entries, and the notes as one text; both within the limit."""
    call = Call(parts, "getDataLayer", **arguments)
    await call.answer("list_tabs", ATTACHED)
    await call.answer("getDataLayer", reply)
    result = await call.ended()
    assert json.loads(result.content[0].text) == result.structured_content
    assert len(result.content[0].text) <= 40_000
    return result.structured_content["result"], " ".join(result.structured_content.get("notes", []))


async def test_newest_entries_that_fit_come_back_with_how_to_get_the_rest(
    parts: tuple[Client[Any], FakeExtension],
) -> None:
    entries, notes = await asked(parts, layer(4_000))

    assert 100 < len(entries) < 200
    assert entries[-1]["event"] == "event 3999"
    first = 4_000 - len(entries)
    assert entries[0]["event"] == f"event {first}"
    assert f"entries 0 to {first - 1} of 4000 are left out: ask with since" in notes

    entries, notes = await asked(parts, layer(100))
    assert (len(entries), notes) == (100, "")


async def test_entries_are_read_on_from_since_without_a_gap(parts: tuple[Client[Any], FakeExtension]) -> None:
    seen: list[str] = []
    while len(seen) < 400:
        entries, notes = await asked(parts, layer(400 - len(seen), len(seen)), since=len(seen))
        seen += [entry["event"] for entry in entries]
        assert (f"ask with since={len(seen)}" in notes) == (len(seen) < 400)

    assert seen == [f"event {index}" for index in range(400)]


async def test_finds_of_a_path_are_bounded_too(parts: tuple[Client[Any], FakeExtension]) -> None:
    entries, notes = await asked(parts, layer(4_000), path="$[*].text")

    assert set(entries) == {"x" * 200}
    assert f"{len(entries)} of 4000 finds fit" in notes


async def test_entry_that_is_too_long_alone_is_cut_as_text(parts: tuple[Client[Any], FakeExtension]) -> None:
    entries, notes = await asked(parts, layer(3, size=1_000_000))

    (entry,) = entries
    assert entry.startswith('{"event":"event 2"')
    assert "path" in entry
    assert "entries 0 to 1 of 3" in notes


async def test_notes_and_masks_do_not_take_the_answer_over_the_limit(parts: tuple[Client[Any], FakeExtension]) -> None:
    values = [{"email": "a"} for _ in range(5_000)]
    reply = {"name": "x", "values": values, "total": 5_000, "since": 0, "notes": ["note " * 100] * 500}

    entries, notes = await asked(parts, reply)

    assert entries[-1] == {"email": "[contact]"}
    assert f"masked: {len(entries)} contact" in notes


@pytest.mark.parametrize("reply", [None, [], "text", {"values": {}}, REPLY | {"since": "0"}, REPLY | {"total": None}])
async def test_reply_that_is_no_data_layer_is_an_error(parts: tuple[Client[Any], FakeExtension], reply: Any) -> None:
    call = Call(parts, "getDataLayer")
    await call.answer("list_tabs", ATTACHED)
    await call.answer("getDataLayer", reply)

    assert (await call.ended()).structured_content["error"]["code"] == "EXECUTION_ERROR"


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
