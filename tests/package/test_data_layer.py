"""The data layer: what JSONPath selects, and what the tools return."""

import json
import logging
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client
from mcp_types import TextContent

import chrome_tab_mcp_server as server
from chrome_tab import app
from chrome_tab.bridge import pairing, protocol
from tests.support.fake_extension import Call, FakeExtension, connected, free_port

HOW_TO_SEE = "(redact=false shows them where the user allows it)"
VALUES = [{"event": "gtm.js"}, {"event": "purchase", "value": 9.5, "email": "[contact]"}]
REPLY = {"name": "dataLayer", "values": VALUES, "total": 2, "since": 0, "redacted": {"contact": 1}, "notes": []}


@pytest.fixture
async def parts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> AsyncGenerator[tuple[Client[Any], FakeExtension]]:
    monkeypatch.setattr(server, "config_dir", lambda: tmp_path)
    monkeypatch.setattr(protocol, "EXTENSION_WAIT_S", 0.1)
    (tmp_path / "config.toml").write_text('[sites."*.denied.example"]\ndeny = true\n', encoding="utf-8")
    port = free_port()
    settings = server.load_settings({"source": "extension", "port": port}, need_model=False)
    async with Client(app.create_server(settings)) as client:
        assert "bridge     ok" in str(await client.call_tool("chrome_tab_status", {}))
        async with connected(port, pairing.pairing_key()) as extension:
            yield client, extension


def tab(number: int, url: str) -> dict[str, Any]:
    return {"id": number, "url": url, "title": "t", "active": True, "windowId": 1}


ATTACHED = [{"tab_id": 5, "url": "https://shop.example/", "title": "t", "connected_at": "2026-01-01T00:00:00Z"}]


async def test_entries_are_returned_redacted_with_a_count(parts: tuple[Client[Any], FakeExtension]) -> None:
    call = Call(parts, "getDataLayer")
    await call.answer("list_tabs", ATTACHED)
    asked = await call.answer("getDataLayer", REPLY)
    result = await call.ended()

    assert asked["params"] == {"name": "dataLayer", "redact": True, "denied_hosts": ["*.denied.example"]}
    assert result.structured_content["result"] == VALUES
    assert result.structured_content["notes"] == [f"redacted: 1 contact {HOW_TO_SEE}"]
    assert result.meta["receipt"]["redacted"] == {"contact": 1}
    assert json.loads(result.content[0].text) == result.structured_content


async def test_no_value_is_logged_even_at_the_finest_level(
    parts: tuple[Client[Any], FakeExtension], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    own = "ada@larsen.example"
    for reply in (REPLY | {"values": [{"mail": own}]}, {"values": own}):
        call = Call(parts, "getDataLayer", tabId=5, redact=False)
        await call.answer("browser_get_tabs", [tab(5, f"https://shop.example/?mail={own}")])
        await call.answer("getDataLayer", reply)
        await call.ended()
    await parts[1].send({"type": "odd", "text": own})
    await parts[1].ping()

    ours = [record.getMessage() for record in caplog.records if record.name == "chrome_tab"]
    assert "dropped a message of type odd" in ours
    assert not any("larsen" in message for message in ours)


async def test_the_extension_decides_about_redact_and_path_selects(parts: tuple[Client[Any], FakeExtension]) -> None:
    call = Call(parts, "getDataLayer", tabId=5, redact=False, path="$[?@.event=='purchase'].email", since=1)
    await call.answer("browser_get_tabs", [tab(5, "https://shop.example/")])
    shown = [{"event": "purchase", "email": "a@b.example"}]
    asked = await call.answer("getDataLayer", REPLY | {"values": shown, "redacted": {}})

    assert asked["tab_id"] == 5
    assert asked["params"] == {"name": "dataLayer", "since": 1, "redact": False, "denied_hosts": ["*.denied.example"]}
    assert (await call.ended()).structured_content == {"result": ["a@b.example"]}


async def test_only_shown_values_are_counted_and_no_more_than_the_extension_redacted(
    parts: tuple[Client[Any], FakeExtension],
) -> None:
    values = [{"a": "[email] and [email]"}, {"a": "[email]", "[phone]": "[card]"}]
    reply = REPLY | {"values": values, "redacted": {"email": 2, "phone": 1, "name": 3}}

    assert await asked(parts, reply) == (values, f"redacted: 2 email, 1 phone {HOW_TO_SEE}")
    assert await asked(parts, reply, path="$[1].a") == (["[email]"], f"redacted: 1 email {HOW_TO_SEE}")
    assert await asked(parts, reply | {"redacted": {}}) == (values, "")


def layer(count: int, since: int = 0, size: int = 200) -> dict[str, Any]:
    values = [{"event": f"event {since + index}", "text": "x" * size} for index in range(count)]
    return {"name": "dataLayer", "values": values, "total": since + count, "since": since, "redacted": {}, "notes": []}


async def asked(
    parts: tuple[Client[Any], FakeExtension], reply: dict[str, Any], **arguments: Any
) -> tuple[list[Any], str]:
    """Return what getDataLayer makes of this reply: the entries, and the notes as one text; both within the limit."""
    call = Call(parts, "getDataLayer", **arguments)
    await call.answer("list_tabs", ATTACHED)
    await call.answer("getDataLayer", reply)
    result = await call.ended()
    assert json.loads(result.content[0].text) == result.structured_content
    assert len(result.content[0].text) <= 40_000
    return result.structured_content["result"], " ".join(result.structured_content.get("notes", []))


async def test_newest_entries_that_fit_are_returned_with_how_to_get_the_rest(
    parts: tuple[Client[Any], FakeExtension],
) -> None:
    entries, notes = await asked(parts, layer(4_000))

    assert 100 < len(entries) < 200
    assert entries[-1]["event"] == "event 3999"
    first = 4_000 - len(entries)
    assert entries[0]["event"] == f"event {first}"
    assert f"entries 0 to {first - 1} of 4000 are left out: get them with since" in notes

    entries, notes = await asked(parts, layer(100))
    assert (len(entries), notes) == (100, "")


async def test_entries_continue_from_since_without_a_gap(parts: tuple[Client[Any], FakeExtension]) -> None:
    seen: list[str] = []
    while len(seen) < 400:
        entries, notes = await asked(parts, layer(400 - len(seen), len(seen)), since=len(seen))
        seen += [entry["event"] for entry in entries]
        assert (f"get them with since={len(seen)}" in notes) == (len(seen) < 400)

    assert seen == [f"event {index}" for index in range(400)]


async def test_matches_of_a_path_are_limited_too(parts: tuple[Client[Any], FakeExtension]) -> None:
    entries, notes = await asked(parts, layer(4_000), path="$[*].text")

    assert set(entries) == {"x" * 200}
    assert f"{len(entries)} of 4000 matches fit" in notes


async def test_single_entry_that_is_too_long_is_cut_as_text(parts: tuple[Client[Any], FakeExtension]) -> None:
    entries, notes = await asked(parts, layer(3, size=1_000_000))

    (entry,) = entries
    assert entry.startswith('{"event":"event 2"')
    assert "path" in entry
    assert "entries 0 to 1 of 3" in notes


async def test_notes_and_redaction_marks_do_not_push_the_answer_over_the_limit(
    parts: tuple[Client[Any], FakeExtension],
) -> None:
    values = [{"email": "[contact]"} for _ in range(5_000)]
    reply = REPLY | {"values": values, "total": 5_000, "redacted": {"contact": 5_000}, "notes": ["note " * 100] * 500}

    entries, notes = await asked(parts, reply)

    assert entries[-1] == {"email": "[contact]"}
    assert f"redacted: {len(entries)} contact" in notes


# Like a reply of an extension that leaves redaction to the server.
UNREDACTED = {key: value for key, value in REPLY.items() if key != "redacted"}


@pytest.mark.parametrize(
    "reply", [None, [], "text", {"values": {}}, REPLY | {"since": "0"}, REPLY | {"total": None}, UNREDACTED]
)
async def test_reply_that_is_not_a_data_layer_is_an_error(parts: tuple[Client[Any], FakeExtension], reply: Any) -> None:
    call = Call(parts, "getDataLayer")
    await call.answer("list_tabs", ATTACHED)
    await call.answer("getDataLayer", reply)

    assert (await call.ended()).structured_content["error"]["code"] == "EXECUTION_ERROR"


async def test_an_invalid_path_is_rejected_with_an_example(parts: tuple[Client[Any], FakeExtension]) -> None:
    call = Call(parts, "getDataLayer", path="$[")
    await call.answer("list_tabs", ATTACHED)
    await call.answer("getDataLayer", REPLY)
    error = (await call.ended()).structured_content["error"]

    assert error["code"] == "INVALID_ARGUMENT"
    assert "$[*].event" in error["message"]
    # The library's message draws the place of the error on lines of its own.
    assert "|" not in error["message"]


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
    await call.answer("browser_get_tabs", both[:1])
    assert (await call.ended()).structured_content == {"success": True}


async def test_a_denied_host_is_not_opened_and_a_tab_redirected_to_one_is_closed(
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
async def test_reading_commands_report_dialogs_that_blocked_them(
    parts: tuple[Client[Any], FakeExtension], dialogs: list[dict[str, str]]
) -> None:
    page = {"tab_id": 5, "text": "words", "url": "https://shop.example/", "title": "Shop", "dialogs": dialogs}
    layer = Call(parts, "getDataLayer")
    await layer.answer("list_tabs", ATTACHED)
    await layer.answer("getDataLayer", REPLY | {"dialogs": dialogs})
    said = [str((await layer.ended()).content)]
    read = Call(parts, "read_chrome_tab")
    # With rules a tab's address is checked before it is read.
    for _ in range(2):
        await read.answer("read_tab", page)
    said.append(str((await read.ended()).content))

    for content in said:
        assert ("confirm" in content and "sure?" in content and "was dismissed" in content) == bool(dialogs)


@pytest.mark.parametrize(
    "path", ["$[?search(@.a, '^(a+)+$')]", "$[?match(@.a, '(a+)+')]", "$..*..*..*..*..*..*..*..*..*"]
)
async def test_a_path_that_would_never_finish_is_rejected_with_a_sentence(
    parts: tuple[Client[Any], FakeExtension], path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep: Any = {}
    for _ in range(100):
        deep = {"b": deep}
    reply = REPLY | {"values": [{"a": "a" * 60 + "!"}, {"a": "aaa"}, deep], "redacted": {}}
    assert await asked(parts, reply, path="$[?search(@.a, '^a+$')].a") == (["aaa"], "")
    assert await asked(parts, reply, path="$[?match(@.a, 'a+')].a") == (["aaa"], "")

    monkeypatch.setattr(server, "BOUNDED_TIMEOUT_S", 1)
    call = Call(parts, "getDataLayer", path=path)
    await call.answer("list_tabs", ATTACHED)
    await call.answer("getDataLayer", reply)
    assert (await call.ended()).structured_content["error"]["code"] == "INVALID_ARGUMENT"
