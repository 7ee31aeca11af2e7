"""Which of several browsers a call uses, with and without a tab's id."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from typing import Any

import pytest
from fastmcp import Client

import chrome_tab_mcp_server as server
from chrome_tab import app
from chrome_tab.bridge import pairing, protocol
from tests.support.fake_browsers import World, about, tab, world
from tests.support.fake_extension import connected, free_port, within
from tests.support.fake_models import FakeOpenAIServer, Reply, Request, answer
from tests.support.http_server import http_server
from tests.support.polling import until
from tests.support.tool_client import error_of, receipt_of, text_of


@pytest.fixture
async def one() -> AsyncGenerator[World]:
    async with world() as running:
        yield running


async def test_without_tab_id_the_last_viewed_browser_is_read_and_named(one: World) -> None:
    work = await one.browser("a", tab(1, "mail"), wish="Work")
    private = await one.browser("b", tab(2, "news"), wish="Private")
    for _ in range(10):
        for profile, title in ((work, "mail"), (private, "news")):
            await profile.look()
            result = await one.call("read_chrome_tab")
            assert result.content[0].text == f"{title} of {profile.name}"
            wished = "Work" if profile is work else "Private"
            assert result.content[1].text == f"[read in {wished}: {title} ({title}.test)]"
            assert receipt_of(result)["browser"] == wished


async def test_a_named_tab_and_a_cached_answer_name_the_browser_too() -> None:
    async with FakeOpenAIServer() as model, world(ollama_url=model.url, model="fake-model") as one:
        mail = await one.browser("a", tab(1, "mail"), wish="Work")
        await one.browser("b", tab(2, "news"))
        await mail.look()
        place = "read in Work: mail (mail.test)"
        assert [block.text for block in (await one.call("read_chrome_tab", tab_id=1)).content[1:]] == [f"[{place}]"]
        for arguments in ({"tab_id": 1}, {}):
            result = await one.call("process_chrome_tab", system_prompt="What?", **arguments)
            assert f"Note: {place}." in text_of(result)
            assert receipt_of(result)["browser"] == "Work"
        assert receipt_of(result)["cached"] is True


async def test_a_json_answer_names_the_browser_in_a_separate_block() -> None:
    async with FakeOpenAIServer(answer('{"a": 1}')) as model, world(ollama_url=model.url, model="fake-model") as one:
        await one.browser("a", tab(1, "mail"), wish="Work")
        result = await one.call("process_chrome_tab", output_schema={"type": "object"})
        assert [block.text for block in result.content] == ['{"a": 1}']
        await one.browser("b", tab(2, "news"))
        result = await one.call("process_chrome_tab", output_schema={"type": "object"}, tab_id=1)
        assert [block.text for block in result.content] == ['{"a": 1}', "[read in Work: mail (mail.test)]"]
        assert result.structured_content == {"a": 1}


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("click", {"selector": "a"}),
        ("screenshot", {}),
        ("evaluate", {"code": "7"}),
        ("console_logs", {}),
        ("network_requests", {}),
        ("getDataLayer", {}),
    ],
)
async def test_every_reply_from_a_tab_names_its_browser_if_there_are_several(
    tool: str, arguments: dict[str, Any], one: World
) -> None:
    await one.browser("a", tab(1, "mail"), wish="Work")
    alone = await one.call(tool, tab_id=1, **arguments)
    assert not alone.is_error
    await one.browser("b", tab(2, "news"))
    several = await one.call(tool, tab_id=1, **arguments)

    texts = ["".join(block.text for block in result.content if block.type == "text") for result in (alone, several)]
    assert ["Work" in text for text in texts] == [False, True]
    if several.structured_content:
        assert several.structured_content["browser"] == "Work"


async def test_an_answer_about_an_image_names_the_browser() -> None:
    async with FakeOpenAIServer() as model, world(ollama_url=model.url, model="fake-model") as one:
        await one.browser("a", tab(1, "mail"), wish="Work")
        await one.browser("b", tab(2, "news"))
        result = await one.call("look_at_chrome_tab", question="What?", tab_id=1)
        assert "Note: read in Work: mail (mail.test)." in text_of(result)
        assert receipt_of(result)["browser"] == "Work"


async def test_with_one_browser_no_reply_mentions_browsers(one: World) -> None:
    await one.browser("a", tab(1, "mail"))
    result = await one.call("read_chrome_tab")

    assert len(result.content) == 1
    assert "browser" not in receipt_of(result)
    assert "browser" not in (await one.tabs())[0]


@pytest.mark.parametrize(
    "jump_ms", [3_600_000, -3_600_000, -10_000_000_000_000, 0], ids=["ahead", "behind", "before 1970", "none"]
)
async def test_the_order_of_views_survives_a_clock_that_jumps(jump_ms: float, one: World) -> None:
    first = await one.browser("a", tab(1, "one"))
    second = await one.browser("b", tab(2, "two"))
    await first.look(at=time.time() * 1000 + jump_ms)
    await second.look(at=time.time() * 1000 + jump_ms)
    assert await one.read() == "two of b"
    await first.look(at=time.time() * 1000 + jump_ms)
    assert await one.read() == "one of a"


async def test_the_later_of_two_quick_views_counts_although_it_arrives_first(one: World) -> None:
    first = await one.browser("a", tab(1, "one"))
    second = await one.browser("b", tab(2, "two"))
    now = time.time() * 1000
    await second.look(at=now)
    await first.look(at=now - 50)
    assert await one.read() == "two of b"


@pytest.mark.parametrize("at", [None, "now", [], {}, True])
async def test_a_view_without_a_time_counts_when_it_arrives(at: Any, one: World) -> None:
    first = await one.browser("a", tab(1, "one"))
    second = await one.browser("b", tab(2, "two"))
    await second.look()
    await first.look(at=at)
    assert await one.read() == "one of a"


async def test_connecting_browsers_report_when_they_were_last_viewed(one: World) -> None:
    now = time.time() * 1000
    await one.browser("a", tab(1, "one"), looked_at=now - 1_000)
    await one.browser("b", tab(2, "two"), looked_at=now - 60_000)
    await one.browser("c", tab(3, "three"))
    await one.browser("d", tab(4, "four"), looked_at=now + 3_600_000)
    assert await one.read() == "one of a"


async def test_a_reconnecting_browser_is_waited_for_instead_of_reading_another(one: World) -> None:
    other = await one.browser("b", tab(2, "two"))
    async with one.connected("a", tab(1, "one")) as first:
        await first.look()
    await other.settle()
    reading = asyncio.create_task(one.read())
    await other.settle()
    await one.browser("a", tab(1, "one"))

    assert await within(reading) == "one of a"
    assert [each["command"] for each in other.commands] == []


async def test_after_a_browser_stays_away_the_next_one_is_used(one: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "RECONNECT_WAIT_S", 0.1)
    await one.browser("b", tab(2, "two"))
    async with one.connected("a", tab(1, "one")) as first:
        await first.look()
        assert await one.read() == "one of a"

    async def gives_way() -> bool:
        return await one.read() == "two of b"

    await until(gives_way)


async def test_a_starting_server_waits_for_the_browsers_that_were_there_before() -> None:
    port = free_port()
    now = time.time() * 1000
    async with AsyncExitStack() as browsers, world(port):
        # They disconnect after the server.
        for name in ("a", "b"):
            await browsers.enter_async_context(connected(port, pairing.pairing_key(), about(name)))
    async with world(port) as second:
        early = await second.browser("a", tab(1, "one"), looked_at=now - 60_000)
        reading = asyncio.create_task(second.read())
        await early.settle()
        await second.browser("b", tab(2, "two"), looked_at=now - 1_000)
        assert await within(reading) == "two of b"


async def test_tabs_are_created_in_the_named_or_else_the_last_viewed_browser(one: World) -> None:
    work = await one.browser("a", wish="Work")
    other = await one.browser("b")
    await other.look()

    created = await one.call("browser_create_tab", url="https://x.test/", browser="work")
    assert created.structured_content["browser"] == "Work"
    assert "browser" not in work.commands[-1]["params"]
    await one.call("browser_create_tab", url="https://y.test/")
    assert other.commands[-1]["params"]["url"] == "https://y.test/"
    code, sentence = error_of(await one.call("browser_create_tab", url="https://x.test/", browser="Home"))
    assert code == "INVALID_ARGUMENT"
    assert "Work" in sentence


async def test_a_command_without_tab_id_goes_to_the_browser_with_the_attached_tab(one: World) -> None:
    first = await one.browser("a", tab(1, "one"))
    second = await one.browser("b", tab(2, "two"))
    await first.extension.send({"type": "event", "event": "tab_attached", "tab_id": 1})
    await first.settle()
    await second.look()
    await one.call("click", selector="a")
    assert first.commands[-1]["command"] == "click"

    await second.extension.send({"type": "event", "event": "tab_attached", "tab_id": 2})
    await second.settle()
    code, sentence = error_of(await one.call("click", selector="a"))
    assert code == "AMBIGUOUS_TAB"
    assert "2 in Chrome 2; 1 in Chrome." in sentence
    listed = json.loads(text_of(await one.call("list_tabs")))
    assert [(each["tab_id"], each["browser"]) for each in listed] == [(2, "Chrome 2"), (1, "Chrome")]

    await first.extension.send({"type": "event", "event": "tab_detached", "tab_id": 1})
    await first.settle()
    await one.call("click", selector="a")
    assert second.commands[-1]["command"] == "click"


async def test_several_tabs_of_several_browsers_get_one_answer_each() -> None:
    async with FakeOpenAIServer() as model, world(ollama_url=model.url, model="fake-model") as one:
        await one.browser("a", tab(1, "mail"), wish="Work")
        await one.browser("b", tab(1, "news"), wish="Home")
        ids = [each["id"] for each in await one.tabs()]
        result = await one.call("process_chrome_tabs", tab_ids=ids)

        receipts = receipt_of(result)["tabs"][:2]
        assert {(each["browser"], each["title"]) for each in receipts} == {("Work", "mail"), ("Home", "news")}


async def test_clients_over_http_and_sessions_behind_them_reach_the_same_browsers() -> None:
    async with AsyncExitStack() as stack:
        served = await stack.enter_async_context(http_server())
        settings = server.load_settings({"port": served.port, "source": "extension"}, need_model=False)
        clients = [served.client(), Client(app.create_server(settings))]
        over_http, follower = [World(await stack.enter_async_context(client), served.port, stack) for client in clients]
        await over_http.browser("a", tab(1, "mail"), wish="Work")
        await over_http.browser("b", tab(1, "news"))
        lists = [
            {each["id"]: (each["browser"], each["title"]) for each in await one.tabs()} for one in (over_http, follower)
        ]
        assert lists[0] == lists[1]
        assert sorted(lists[0].values()) == [("Chrome", "news"), ("Work", "mail")]
        for one in (over_http, follower):
            for number, (_, title) in lists[0].items():
                assert await one.read(tab_id=number) == f"{title} of {'a' if title == 'mail' else 'b'}"


async def test_resources_follow_the_same_rules(one: World) -> None:
    await one.browser("a", tab(1, "mail"))
    second = await one.browser("b", tab(1, "news"))
    await second.look()
    ids = {each["title"]: each["id"] for each in await one.tabs()}
    listed = {str(each.uri): each.description for each in await one.client.list_resources()}
    assert listed[f"tab://{ids['mail']}"] == "Chrome: https://mail.test/"
    assert listed[f"tab://{ids['news']}"] == "Chrome 2: https://news.test/"
    for address, text in (("active", "news of b"), (ids["mail"], "mail of a"), (ids["news"], "news of b")):
        contents: Any = await one.client.read_resource(f"tab://{address}")
        assert contents[0].text == text


# --- A question from a side panel ---


async def test_a_question_is_answered_in_the_browser_that_asked_about_its_own_tab() -> None:
    def quote(request: Request) -> Reply:
        return answer(next(text for text in (mail, news) if text in request.prompt))

    mail, news = "The parcel weighs 12 kg and arrives on Monday.", "The bridge over the river is closed until May."

    async with (
        FakeOpenAIServer(script=quote) as model,
        world(ollama_url=model.url, model="fake-model") as one,
    ):
        first = await one.browser("a", tab(1, "mail", text=mail))
        second = await one.browser("b", tab(1, "news", text=news))
        ask = {"id": "q", "conversation": "t", "text": "What?", "tab_ids": [1], "model": None}
        for profile in (second, first):
            await profile.extension.send({"type": "prompt", "prompt": ask})

        async def answered() -> bool:
            ends = [[e for e in each.events if e.get("state") in {"done", "failed"}] for each in (first, second)]
            return all(ends)

        await until(answered)
        texts = [str(request.body) for request in model.requests]
        assert sum(mail in text for text in texts) == sum(news in text for text in texts) == 1
        for profile in (first, second):
            (end,) = [event for event in profile.events if event.get("state") == "done"]
            # The id by which the panel's own browser finds the passage.
            assert [each["tab_id"] for each in end["evidence"]] == [1]
            assert "read_in" not in [note["code"] for note in end["notes"]]
