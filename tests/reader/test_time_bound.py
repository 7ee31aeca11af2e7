"""--max-seconds: an answer is complete in time, with what was read until then and a note about the rest."""

import re
from typing import Any

import pytest

import chrome_tab_mcp_server as server
from tests.package.test_side_panel import model, panel
from tests.reader.test_several_tabs import serving as serving_tabs
from tests.support.clock import Clock, installed
from tests.support.fake_models import HANG, FakeOllama, FakeOpenAIServer, Reply, Request, answer, as_text
from tests.support.fake_osascript import FakeOsascript
from tests.support.tool_client import error_of, receipt_of, serving, text_of

LONG = "".join(f"Line {number} of the page says that a ticket costs {number} crowns.\n" for number in range(400))
WHOLE_S = 900


@pytest.fixture
async def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    # No other limit ends a request that hangs.
    monkeypatch.setenv("CHROME_TAB_TIMEOUT_S", "86400")
    return installed(monkeypatch)


def is_combining(request: Request) -> bool:
    return server.COMBINE_PROMPT in request.instruction


async def test_what_was_read_in_time_is_answered_and_the_last_line_names_the_rest(
    osascript: FakeOsascript, clock: Clock
) -> None:
    osascript.shows(LONG)

    def script(request: Request) -> Reply:
        if is_combining(request):
            return answer("Combined.")
        if len(fake.chats) < 3:
            return answer(f"Answer {len(fake.chats)}.")
        clock.ahead_s = server.CHUNKS_TIME * WHOLE_S
        return HANG

    async with FakeOpenAIServer(script=script) as fake, serving(fake, context_length=1024) as asker:
        result = await asker.ask()
        await fake.left.wait()

    receipt = receipt_of(result)
    assert text_of(result).startswith("Combined.\n\nNote: chunks 3 to ")
    assert "within 900 s (--max-seconds)" in text_of(result).splitlines()[-1]
    assert 0 < receipt["characters_read"] < receipt["page_characters"]
    assert [is_combining(request) for request in fake.chats] == [False, False, False, True]
    assert (receipt["requests"], receipt["retries"]) == (4, 0)


async def test_a_note_gives_the_same_reason_only_once(osascript: FakeOsascript, clock: Clock) -> None:
    osascript.shows(LONG)

    def script(request: Request) -> Reply:
        if len(fake.chats) < 3:
            return answer(f"Answer {len(fake.chats)}.")
        clock.ahead_s = WHOLE_S if is_combining(request) else server.CHUNKS_TIME * WHOLE_S
        return HANG

    async with FakeOpenAIServer(script=script) as fake, serving(fake, context_length=1024) as asker:
        result = await asker.ask()

    assert [is_combining(request) for request in fake.chats] == [False, False, False, True]
    note = text_of(result).splitlines()[-1]
    assert "could not be combined, so they follow " in note
    assert note.count("(--max-seconds)") == 1


async def test_everything_is_read_if_there_is_time(osascript: FakeOsascript, clock: Clock) -> None:
    osascript.shows(LONG)

    def script(_request: Request) -> Reply:
        clock.ahead_s = server.CHUNKS_TIME * WHOLE_S / 2
        return answer("Noted.")

    async with FakeOpenAIServer(script=script) as fake, serving(fake, context_length=1024) as asker:
        result = await asker.ask()

    assert text_of(result) == "Noted."
    assert receipt_of(result)["characters_read"] == receipt_of(result)["page_characters"]


async def test_answers_that_are_not_combined_in_time_follow_one_another(osascript: FakeOsascript, clock: Clock) -> None:
    osascript.shows(LONG)

    def script(request: Request) -> Reply:
        if is_combining(request):
            clock.ahead_s = WHOLE_S
            return HANG
        return answer("A part's answer.")

    async with FakeOpenAIServer(script=script) as fake, serving(fake, context_length=1024) as asker:
        result = await asker.ask()

    assert "A part's answer.\n\nA part's answer." in text_of(result)
    assert "could not be combined (The answer was not finished within 900 s" in text_of(result).splitlines()[-1]


async def test_slices_read_from_a_prompt_that_the_server_cut_are_answered_too(
    osascript: FakeOsascript, clock: Clock
) -> None:
    osascript.shows(LONG)
    async with FakeOllama(2048, reported=40_000) as fake, serving(fake) as asker:
        of_model = fake.script

        async def script(request: Request) -> Reply:
            if len(fake.chats) == 8:
                clock.ahead_s = server.CHUNKS_TIME * WHOLE_S
                return HANG
            reply = of_model(request)
            assert isinstance(reply, Reply)
            return reply

        fake.script = script
        result = await asker.ask()

    receipt = receipt_of(result)
    assert text_of(result).startswith("Noted.")
    assert "(--max-seconds)" in text_of(result).splitlines()[-1]
    assert 0 < receipt["characters_read"] < receipt["page_characters"]


@pytest.mark.parametrize("routes", [{}, {"/api/ps": HANG}])
async def test_when_nothing_is_read_in_time_the_call_fails_with_a_sentence(
    routes: dict[str, Any], osascript: FakeOsascript
) -> None:
    osascript.shows("A ticket costs 17.")
    flags = {"max_seconds": 0.5, "fallback_model": ["other-model"]} | ({} if routes else {"context_length": 4096})
    async with FakeOpenAIServer(HANG, routes=routes) as fake, serving(fake, **flags) as asker:
        code, sentence = error_of(await asker.ask())

    assert code == "MODEL_TIMEOUT"
    assert sentence.count("within 0.5 s (--max-seconds)") == 1


async def test_the_tabs_answers_are_returned_if_no_time_is_left_for_the_combined_one(clock: Clock) -> None:
    def script(request: Request) -> Reply:
        if "Tab 1" in request.data:
            clock.ahead_s = WHOLE_S
            return HANG
        return answer(f"Read: {request.data[:6]}")

    async with FakeOpenAIServer(script=script) as fake, serving_tabs(fake) as client:
        result = await client.call_tool("process_chrome_tabs", {"tab_ids": [1, 2]})

    *texts, last = [getattr(block, "text", "") for block in result.content]
    together = last.removeprefix("## All together").strip()
    assert re.findall(r"Read: \w+", "".join(texts)) == ["Read: Apples", "Read: Pears"]
    assert re.fullmatch(r"Note: the answers could not be combined: .* \(--max-seconds\).*", together)


async def test_the_side_panel_is_answered_within_the_same_limit() -> None:
    async with FakeOpenAIServer(HANG) as fake, panel(**model(fake), max_seconds=0.5) as shown:
        await shown.ask("What do they cost?")
        end = await shown.end()

    assert end["state"] == "failed"
    assert end["error"]["code"] == "MODEL_TIMEOUT"
    assert "--max-seconds" in end["error"]["message"]


async def test_the_side_panel_shows_the_tabs_answers_if_only_the_combined_one_fails() -> None:
    def script(request: Request) -> Reply:
        return as_text("no", 400) if "Tab 1" in request.data else answer(f"Read: {request.data[:6]}")

    async with FakeOpenAIServer(script=script) as fake, panel(**model(fake)) as shown:
        await shown.ask("Which is cheaper?", 1, 2)
        end = await shown.end()

    assert end["state"] == "done"
    assert re.findall(r"Read: \w+", end["text"]) == ["Read: Apples", "Read: Pears"]
    assert "uncombined" in [note["code"] for note in end["notes"]], end["notes"]
