"""The connection to the model server: requests, failures, the window. Fake servers, the real client in memory."""

import asyncio
import dataclasses
import json
import logging
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

import chrome_tab_mcp_server as server
from tests.support import clock as clocks
from tests.support.clock import Clock
from tests.support.fake_models import (
    CLOUD_MODELS,
    HANG,
    FakeCloudOllama,
    FakeOllama,
    FakeOpenAIServer,
    FakeProxy,
    Reply,
    Request,
    answer,
    as_json,
    as_text,
    delta,
    events,
    refused_port,
    too_long,
)
from tests.support.fake_osascript import FakeOsascript, installed
from tests.support.tool_client import WAIT_S, ProgressLog, error_of, receipt_of, serving, text_of

SECRET = "sk-very-secret-key"
FINE = answer("An answer.", prompt_tokens=40)
TIMEOUT_S = 300


@pytest.fixture(autouse=True)
def no_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make retries immediate."""
    monkeypatch.setattr(server, "RETRY_DELAY_S", 0.0)


@pytest.fixture(autouse=True)
def osascript(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeOsascript:
    fake = installed(tmp_path / "fake", monkeypatch)
    fake.shows("The ferry leaves at noon.")
    return fake


@pytest.fixture
async def fake() -> AsyncGenerator[FakeOpenAIServer]:
    async with FakeOpenAIServer() as started:
        yield started


# --- What is sent ---


async def test_request_has_exactly_the_documented_body(fake: FakeOpenAIServer) -> None:
    async with serving(fake) as asker:
        assert text_of(await asker.ask(system_prompt="When?")) == "An answer."

    assert (fake.chats[0].data, fake.chats[0].instruction) == ("The ferry leaves at noon.", "When?")
    assert [request.body for request in fake.chats] == [
        {
            "model": "fake-model",
            "messages": [
                {"role": "system", "content": server.SYSTEM_PROMPT},
                {"role": "user", "content": fake.chats[0].user},
            ],
            "temperature": 0,
            "stream": False,
            "enable_thinking": True,
        }
    ]


async def test_without_an_instruction_the_default_one_is_sent(fake: FakeOpenAIServer) -> None:
    async with serving(fake) as asker:
        await asker.ask()

    assert fake.chats[0].instruction == server.DEFAULT_SYSTEM_PROMPT


@pytest.mark.parametrize("sent_as", ["text/event-stream", "application/json"])
async def test_only_a_client_that_wants_progress_causes_a_streamed_request(sent_as: str) -> None:
    reply = events(delta("An "), delta("answer."), delta(finish_reason="stop"), "[DONE]")
    async with FakeOpenAIServer(dataclasses.replace(reply, content_type=sent_as)) as fake, serving(fake) as asker:
        assert text_of(await asker.ask_with_progress(ProgressLog())) == "An answer."

    assert fake.chats[0].body["stream"] is True
    assert fake.chats[0].body["stream_options"] == {"include_usage": True}


QUOTING_KEY = [
    as_json({"error": f"wrong key {SECRET}"}, 401),
    as_json({"error": {"message": f"wrong key {SECRET}"}}, 400),
    as_json({"error": {"message": f"wrong key {SECRET}"}}),
    as_json({"error": f"wrong key {SECRET}"}, 500),
    as_text(f"wrong key {SECRET}", 403),
    # A message is cut after 300 characters, here not in the middle of the key.
    as_text(f"wrong key {'x' * 280} {SECRET}", 400),
    Reply(307, headers=(("location", f"http://a.test/wrong key {SECRET}"),)),
    as_json({"error": f"this model's context length, wrong key {SECRET}"}, 400),
    events(delta("No"), {"error": {"message": f"wrong key {SECRET}"}}),
    as_json({"error": "model not found"}, 404),
]


@pytest.mark.parametrize("reply", QUOTING_KEY, ids=range(len(QUOTING_KEY)))
async def test_key_is_sent_as_a_bearer_token_and_never_shown(reply: Reply, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    models = {"/v1/models": {"data": [{"id": f"wrong key {SECRET}"}]}}
    reported = ProgressLog()
    async with FakeOpenAIServer(reply, routes=models) as fake, serving(fake, api_key=SECRET) as asker:
        code, sentence = error_of(await asker.ask_with_progress(reported))

    assert {request.headers.get("authorization") for request in fake.requests} == {f"Bearer {SECRET}"}
    assert code in {"MODEL_ERROR", "MODEL_NOT_FOUND"}
    assert "wrong key" in sentence
    logged = [record.getMessage() for record in caplog.records if record.name == "chrome_tab"]
    for part in (SECRET, SECRET[:8], SECRET[-8:]):
        assert part not in "".join([sentence, *logged, *reported.messages])


async def test_proxies_of_the_environment_are_ignored(fake: FakeOpenAIServer, monkeypatch: pytest.MonkeyPatch) -> None:
    async with FakeProxy() as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        async with serving(fake) as asker:
            text_of(await asker.ask())

    assert proxy.requests == []
    assert len(fake.chats) == 1


@pytest.mark.parametrize("ending", ["", "/", "/v1", "/v1/", "//v1"])
async def test_address_is_accepted_in_all_common_forms(ending: str, fake: FakeOpenAIServer) -> None:
    async with serving(fake.url + ending) as asker:
        text_of(await asker.ask())

    assert len(fake.chats) == 1


@pytest.mark.parametrize("field", ["enable_thinking", "stream_options"])
async def test_optional_field_that_the_server_rejects_by_name_is_left_out_from_then_on(field: str) -> None:
    def strict(request: Request) -> Reply:
        if field in request.body:
            return as_json({"error": {"message": f"Unrecognized request argument: {field}"}}, 400)
        return FINE

    async with FakeOpenAIServer(script=strict) as fake, serving(fake) as asker:
        text_of(await asker.ask_with_progress(ProgressLog(), system_prompt="One?"))
        text_of(await asker.ask_with_progress(ProgressLog(), system_prompt="Two?"))

    assert [field in request.body for request in fake.chats] == [True, False, False]


async def test_model_names_are_shown_as_one_printable_line() -> None:
    models = {"/v1/models": {"data": [{"id": "one\x1b[2J\n\u202etwo"}]}}
    fake = FakeOpenAIServer(as_json(NESTED, 404), routes=models)
    async with fake, serving(fake) as asker:
        assert "It has: one [2J two." in error_of(await asker.ask())[1]


# --- What counts as the answer ---


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (answer("<think>hm</think>Noon."), "Noon."),
        (Reply(chunks=["\ufeff".encode(), *answer("Noon.").chunks]), "Noon."),
        (answer(None, message={"content": [{"type": "text", "text": "No"}, {"text": "on."}, {"text": None}]}), "Noon."),
        (answer(None, message={"content": "Noon.", "reasoning": "hm", "reasoning_content": "hm"}), "Noon."),
        (dataclasses.replace(answer("Noon."), content_type="text/event-stream"), "Noon."),
        (events(answer("Noon.").chunks[0].decode(), "[DONE]"), "Noon."),
        (events(delta("Noon."), answer("Noon.").chunks[0].decode()), "Noon."),
    ],
)
async def test_answer_is_the_content_without_reasoning(reply: Reply, expected: str) -> None:
    async with FakeOpenAIServer(reply) as fake, serving(fake) as asker:
        assert text_of(await asker.ask()) == expected


@pytest.mark.parametrize(
    ("reason", "note"),
    [
        ("length", "cut_off"),
        ("MAX_TOKENS", "cut_off"),
        ("content_filter", "filtered"),
        ("content_filter: SAFETY", "filtered"),
        ("tool_calls", "unfinished"),
        ("STOP", ""),
        ("eos", ""),
    ],
)
async def test_answer_that_ended_early_says_so_in_its_last_line_and_is_not_cached(reason: str, note: str) -> None:
    async with FakeOpenAIServer(answer("Noon, and", finish_reason=reason)) as fake, serving(fake) as asker:
        lines = text_of(await asker.ask()).splitlines()
        again = receipt_of(await asker.ask())

    assert (lines[0], lines[-1]) == ("Noon, and", f"Note: {server.EARLY_ENDS[note]}." if note else "Noon, and")
    assert ("cached" in again) is not bool(note)


LOOP = "It leaves at noon. "


@pytest.mark.parametrize("ending", ["", "It leaves"])
async def test_what_a_model_repeats_until_its_output_limit_is_in_the_answer_once(ending: str) -> None:
    looping = answer(f"About the ferry: {LOOP * 900}{ending}", finish_reason="length")
    async with FakeOpenAIServer(looping) as fake, serving(fake) as asker:
        result = await asker.ask()

    assert text_of(result).splitlines()[0] == f"About the ferry: {LOOP.strip()}"
    assert receipt_of(result)["notes"] == [server.EARLY_ENDS["repeated"]]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("\n".join(f"| {i} | noon |" for i in range(400)), "length"),
        ("```\n" + "    return noon\n" * 9, "length"),
        (LOOP * 900, "stop"),
    ],
    ids=["rows", "code", "complete"],
)
async def test_only_one_block_many_times_at_the_output_limit_counts_as_repeated(text: str, reason: str) -> None:
    async with FakeOpenAIServer(answer(text, finish_reason=reason)) as fake, serving(fake) as asker:
        result = await asker.ask()

    assert text_of(result).startswith(text.strip())
    assert server.EARLY_ENDS["repeated"] not in receipt_of(result)["notes"]


@pytest.mark.parametrize("field", ["content", "reasoning"])
async def test_stream_that_repeats_itself_without_end_is_closed(field: str) -> None:
    stream = events(delta("Noon.\n\n"), *[delta(**{field: LOOP})] * 900, hangs=True)
    async with FakeOpenAIServer(stream) as fake, serving(fake) as asker:
        result = await asker.ask_with_progress(ProgressLog())

    assert text_of(result).splitlines()[0] == "Noon."
    assert receipt_of(result)["notes"] == [server.EARLY_ENDS["repeated" if field == "content" else "cut_off"]]


async def test_stream_that_goes_on_with_another_turn_is_closed_and_the_answer_is_complete() -> None:
    stream = events(delta("Noon.<|im_"), delta("end|>\n<|im_st"), delta("art|>"), delta("user\nAnd?"), hangs=True)
    async with FakeOpenAIServer(stream) as fake, serving(fake) as asker:
        result = await asker.ask_with_progress(ProgressLog())

    assert text_of(result) == "Noon."
    assert receipt_of(result)["notes"] == []


# --- Failures: each is a sentence and a code, and the next call is answered ---

NESTED = {"error": {"message": 'model "x" not found, try pulling it first', "type": "api_error", "code": None}}
CHUNK = b"x" * 2**20
FAILURES = [
    pytest.param(as_json({"error": {"message": "no luck"}}, 400), "MODEL_ERROR", "HTTP 400: no luck", id="object"),
    pytest.param(as_json({"error": "no luck"}, 400), "MODEL_ERROR", "HTTP 400: no luck", id="string"),
    pytest.param(as_json({"detail": "no luck"}, 400), "MODEL_ERROR", "no luck", id="detail"),
    pytest.param(as_text("no luck", 400, "text/plain"), "MODEL_ERROR", "HTTP 400: no luck", id="plain text"),
    pytest.param(as_text("<html>no luck</html>", 400), "MODEL_ERROR", "HTTP 400.", id="HTML status"),
    pytest.param(as_json({"error": "bad key"}, 401), "MODEL_ERROR", "--api-key", id="401"),
    pytest.param(
        as_json({"error": "no access"}, 403), "MODEL_ERROR", "HTTP 403: no access). Check --api-key", id="403"
    ),
    pytest.param(as_text("<html>a page</html>"), "MODEL_ERROR", "an HTML page instead of JSON", id="HTML"),
    pytest.param(as_text("so so"), "MODEL_ERROR", "not JSON", id="no JSON"),
    pytest.param(as_text(""), "MODEL_ERROR", "returned nothing", id="nothing"),
    pytest.param(as_text('{"choices": [{"mess'), "MODEL_ERROR", "not JSON", id="truncated JSON"),
    pytest.param(as_text("[" * 200_000), "MODEL_ERROR", "not JSON", id="deep JSON"),
    pytest.param(as_json(too_long(5000, 600), 400), "MODEL_ERROR", "try increasing it. Shorten", id="no room"),
    pytest.param(as_json({"choices": []}), "MODEL_ERROR", "no choices", id="no choices"),
    pytest.param(as_json({"choices": ["text"]}), "MODEL_ERROR", "no choices", id="choices of strings"),
    pytest.param(as_json(["choices"]), "MODEL_ERROR", "no choices", id="a list"),
    pytest.param(
        as_json({"error": {"message": "no luck"}}), "MODEL_ERROR", "It reported: no luck", id="error in a 200"
    ),
    pytest.param(answer(""), "MODEL_EMPTY", "its reply was empty", id="empty"),
    pytest.param(answer(None), "MODEL_EMPTY", "its reply was empty", id="null"),
    pytest.param(answer("<think>\n\n</think>\n\n"), "MODEL_EMPTY", "its reply was empty", id="no reasoning either"),
    pytest.param(answer(None, message="text"), "MODEL_EMPTY", "its reply was empty", id="message is a string"),
    pytest.param(answer("", finish_reason="content_filter"), "MODEL_EMPTY", "a filter withheld it", id="filtered"),
    pytest.param(
        answer(None, message={"content": None, "refusal": "I cannot."}),
        "MODEL_EMPTY",
        "it refused: I cannot.",
        id="refusal",
    ),
    pytest.param(
        events(delta(refusal="I can"), delta(refusal="not."), delta(finish_reason="stop"), "[DONE]"),
        "MODEL_EMPTY",
        "it refused: I cannot.",
        id="streamed refusal",
    ),
    pytest.param(
        answer("<think>hm</think>", finish_reason="tool_calls"), "MODEL_EMPTY", "tried to call a tool", id="tool call"
    ),
    pytest.param(answer("<think>hm</think>"), "MODEL_EMPTY", "it returned only reasoning", id="only reasoning"),
    pytest.param(
        answer(None, message={"content": "", "reasoning": "hm"}),
        "MODEL_EMPTY",
        "it returned only reasoning",
        id="reasoning",
    ),
    pytest.param(answer("<think>hm", finish_reason="length"), "MODEL_EMPTY", "whole output budget", id="budget spent"),
    pytest.param(
        answer(f"<think>{'Hm, wait. ' * 200}", finish_reason="length"),
        "MODEL_EMPTY",
        "repeated itself in its reasoning",
        id="reasoning repeats",
    ),
    pytest.param(as_json(NESTED, 404), "MODEL_NOT_FOUND", "It has: one, two", id="404 nested"),
    pytest.param(
        as_json({"error": "model 'x' not found"}, 404), "MODEL_NOT_FOUND", "It has: one, two", id="404 string"
    ),
    pytest.param(
        as_json({"error": {"message": "Invalid model name passed in model=fake-model", "code": "400"}}, 400),
        "MODEL_NOT_FOUND",
        "It has: one, two",
        id="400 of LiteLLM",
    ),
    pytest.param(
        Reply(307, headers=(("location", "http://elsewhere.test/v1"),)),
        "MODEL_ERROR",
        "http://elsewhere.test/v1",
        id="redirect",
    ),
    pytest.param(Reply(chunks=[CHUNK] * 20), "MODEL_ERROR", "larger than 16 MiB", id="20 MiB"),
    pytest.param(Reply(chunks=[CHUNK], endless=True), "MODEL_ERROR", "larger than 16 MiB", id="endless body"),
    pytest.param(
        Reply(
            chunks=[b'data: {"choices": [], "x": "' + CHUNK + b'"}\n\n'], content_type="text/event-stream", endless=True
        ),
        "MODEL_ERROR",
        "larger than 16 MiB",
        id="endless stream",
    ),
    pytest.param(
        Reply(chunks=[CHUNK], content_type="text/event-stream", endless=True),
        "MODEL_ERROR",
        "larger than 16 MiB",
        id="endless line",
    ),
    pytest.param(events(delta("No"), breaks_off=True), "MODEL_ERROR", "is incomplete", id="stream breaks off"),
    pytest.param(events(delta("No")), "MODEL_ERROR", "is incomplete", id="stream ends early"),
    pytest.param(
        Reply(chunks=[*events(delta("No")).chunks, b'data: {"cho'], content_type="text/event-stream"),
        "MODEL_ERROR",
        "is incomplete",
        id="stream ends in a line",
    ),
    pytest.param(events(delta("No"), "{oops"), "MODEL_ERROR", "a line that is not JSON", id="bad line"),
    *(
        pytest.param(
            Reply(chunks=[*events(delta("No")).chunks, line, b"data: [DONE]\n\n"], content_type="text/event-stream"),
            "MODEL_ERROR",
            "while answering: no luck",
            id=f"late error {line[:10].decode()}",
        )
        for line in (
            b'data: {"error": {"message": "no luck"}}\n\n',
            b'data: {"object": "error", "message": "no luck"}\n\n',
            b'error: {"message": "no luck"}\n\n',
            b'{"error": "no luck"}\n',
        )
    ),
    pytest.param(
        events(delta("No"), delta(finish_reason="abort"), "[DONE]"), "MODEL_ERROR", "is incomplete", id="aborted stream"
    ),
    pytest.param(answer("No", finish_reason="error"), "MODEL_ERROR", "is incomplete", id="aborted"),
    pytest.param(
        as_json({"object": "error", "message": "no luck"}), "MODEL_ERROR", "It reported: no luck", id="error object"
    ),
    pytest.param(
        events([], "7", {"choices": 1}, {"choices": [{"delta": "x"}]}, "[DONE]"),
        "MODEL_EMPTY",
        "empty",
        id="odd events",
    ),
]


@pytest.mark.parametrize(("reply", "code", "words"), FAILURES)
async def test_failure_is_a_sentence_with_a_code_and_the_next_call_is_answered(
    reply: Reply, code: str, words: str
) -> None:
    models = {"/v1/models": {"data": [{"id": "one"}, {"id": "two"}]}}
    failing = True
    fake = FakeOpenAIServer(script=lambda _request: reply if failing else FINE, routes=models)
    async with fake, serving(fake) as asker:
        found, sentence = error_of(await asker.ask())
        failing = False
        assert text_of(await asker.ask()) == "An answer."

    assert found == code
    assert words in sentence
    assert len(sentence) < 1000
    assert sentence.endswith((".", "?"))


NO_LIST = as_text("404 page not found", 404, "text/plain")


@pytest.mark.parametrize(
    ("listed", "said", "code", "words"),
    [
        (NO_LIST, "model 'x' not found", "MODEL_NOT_FOUND", "has no model 'fake-model' (model 'x' not found). Pull it"),
        (NO_LIST, "no such page", "MODEL_ERROR", "it is not an OpenAI-compatible model server. Correct --ollama-url."),
        (as_json({"data": [{"id": "fake-model"}]}), "no such page", "MODEL_ERROR", "HTTP 404: no such page. Check"),
    ],
    ids=["no such model", "no model server", "the model is there"],
)
async def test_404_distinguishes_a_missing_model_from_a_missing_server(
    listed: Reply, said: str, code: str, words: str
) -> None:
    fake = FakeOpenAIServer(as_json({"error": said}, 404), routes={"/v1/models": listed})
    async with fake, serving(fake) as asker:
        found, sentence = error_of(await asker.ask())

    assert found == code
    assert words in sentence


async def test_unreachable_server_is_named_with_the_way_to_start_it() -> None:
    async with refused_port() as url, serving(url) as asker:
        code, sentence = error_of(await asker.ask())

    assert code == "MODEL_UNREACHABLE"
    assert url in sentence
    assert "ollama serve" in sentence


@pytest.fixture
async def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return clocks.installed(monkeypatch)


async def test_slow_server_is_not_asked_again(clock: Clock) -> None:
    def slow(_request: Request) -> Reply:
        clock.ahead_s = TIMEOUT_S
        return HANG

    async with FakeOpenAIServer(script=slow) as fake, serving(fake, timeout=TIMEOUT_S) as asker:
        code, sentence = error_of(await asker.ask())
        await asyncio.wait_for(fake.left.wait(), WAIT_S)

    assert code == "MODEL_TIMEOUT"
    assert "--timeout" in sentence
    assert len(fake.chats) == 1


@pytest.mark.parametrize(
    ("retry_after", "own_delay_s"),
    [("0", 1000.0), (" 0 ", 1000.0), ("Wed, 21 Oct 2026 07:28:00 GMT", 0.0), ("-1", 0.0)],
)
async def test_busy_server_is_retried_after_the_wait_that_it_names_in_seconds(
    retry_after: str, own_delay_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "RETRY_DELAY_S", own_delay_s)
    busy = as_json({"error": "slow down"}, 429, retry_after=retry_after)
    async with FakeOpenAIServer(busy, busy, FINE) as fake, serving(fake) as asker:
        receipt = receipt_of(await asker.ask())

    assert len(fake.chats) == 3
    assert receipt["retries"] == 2


async def test_clients_asked_to_retry_at_the_same_time_spread_out(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    sleep = asyncio.sleep

    async def sleep_unless_long(seconds: float, *result: object) -> None:
        if seconds >= 10:
            waits.append(seconds)
        else:
            await sleep(seconds, *result)

    monkeypatch.setattr(asyncio, "sleep", sleep_unless_long)
    busy = as_json({"error": "slow down"}, 429, retry_after="10")
    async with FakeOpenAIServer(busy, busy, busy, FINE) as fake, serving(fake) as asker:
        receipt_of(await asker.ask())

    assert len(set(waits)) == 3
    assert all(10 <= wait <= 12.5 for wait in waits)


async def test_wait_requested_by_a_server_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MAX_RETRY_AFTER_S", 0.0)
    busy = as_json({"error": "slow down"}, 429, retry_after="100000")
    async with FakeOpenAIServer(busy, FINE) as fake, serving(fake, timeout=90) as asker:
        assert receipt_of(await asker.ask())["retries"] == 1


async def test_no_wait_exceeds_the_timeout() -> None:
    busy = as_json({"error": "slow down"}, 429, retry_after="100000")
    async with FakeOpenAIServer(busy) as fake, serving(fake, timeout=6) as asker:
        code, sentence = error_of(await asker.ask())

    assert (code, len(fake.chats)) == ("MODEL_ERROR", 1)
    assert "HTTP 429: slow down. Try again in 100000 s" in sentence


async def test_all_attempts_share_one_timeout(clock: Clock) -> None:
    """The first attempt fails and the other one trickles: each byte arrives in time, the end never does."""

    ending = list[asyncio.Task[None]]()

    async def end_when_it_hangs() -> None:
        await fake.hanging.wait()
        clock.ahead_s = TIMEOUT_S

    async def dripping(request: Request) -> Reply:
        if len(fake.chats) == 1:
            clock.ahead_s = TIMEOUT_S / 2
            return as_json({"error": "not yet"}, 500)
        assert request.body["stream"] is True
        ending.append(asyncio.create_task(end_when_it_hangs()))
        return Reply(chunks=[b": wait\n\n"] * 3, content_type="text/event-stream", hangs=True)

    fake = FakeOpenAIServer(script=dripping)
    async with fake, serving(fake, timeout=TIMEOUT_S) as asker:
        code, _ = error_of(await asker.ask_with_progress(ProgressLog()))
        await asyncio.wait_for(fake.left.wait(), WAIT_S)

    assert (code, len(fake.chats)) == ("MODEL_TIMEOUT", 2)


async def test_broken_connection_is_reopened() -> None:
    half = Reply(chunks=[b'{"choices": ['], breaks_off=True)
    async with FakeOpenAIServer(half, half, FINE) as fake, serving(fake) as asker:
        assert receipt_of(await asker.ask())["retries"] == 2


async def test_refused_connection_is_retried() -> None:
    tried: list[str] = []

    class FakeWatcher(ProgressLog):
        def wrote(self, pieces: server.Pieces) -> None: ...

        def retrying(self, reason: str) -> None:
            tried.append(reason)

    async with refused_port() as url:
        asked = server.ModelServer(url, api_key=None, timeout_s=5)
        with pytest.raises(server.ChromeTabError) as failed:
            await asked.complete("m", [], watcher=FakeWatcher(), stream=False)
        await asked.close()

    assert failed.value.code == "MODEL_UNREACHABLE"
    assert len(tried) == 3


async def test_loading_server_is_waited_for_also_for_the_window_request() -> None:
    loading = [as_json({"error": {"message": "Loading model", "code": 503}}, 503)] * 2

    class FakeLoadingServer(FakeOpenAIServer):
        async def reply_to(self, request: Request) -> Reply:
            return loading.pop() if loading else await super().reply_to(request)

    props = {"/props": {"default_generation_settings": {"n_ctx": 1536}}}
    async with FakeLoadingServer(routes=props) as fake, serving(fake) as asker:
        receipt = receipt_of(await asker.ask())

    assert loading == []
    assert receipt["window"] == 1536


async def test_server_that_always_fails_is_asked_a_bounded_number_of_times() -> None:
    async with FakeOpenAIServer(as_json({"error": "no luck"}, 500)) as fake, serving(fake) as asker:
        code, sentence = error_of(await asker.ask())

    assert code == "MODEL_ERROR"
    assert "HTTP 500: no luck." in sentence
    assert len(fake.chats) == server.MODEL_ATTEMPTS


async def test_missing_model_is_reported_by_status_too(fake: FakeOpenAIServer) -> None:
    async with serving(fake, model="absent") as asker:
        result = await asker.client.call_tool("chrome_tab_status", {})

    assert "no model 'absent'" in str(result.content)
    assert "fake-model" in str(result.content)


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (as_json({"error": "out of memory"}, 500), "HTTP 500: out of memory"),
        (as_json({"error": "slow down"}, 429), "HTTP 429: slow down"),
        (as_json({"error": "who are you"}, 401), "--api-key"),
        (as_json({"error": "who are you"}, 403), "--api-key"),
        (HANG, "did not respond to /v1/models within 0.2 s"),
        # They do not list their models, and answer all the same.
        (as_text("<html>", 404), "ok  fake-model at "),
        (as_json({"data": []}), "ok  fake-model at "),
    ],
)
async def test_status_distinguishes_a_failing_server_from_one_without_models(
    reply: Reply, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if reply is HANG:
        monkeypatch.setattr(server, "FETCH_TIMEOUT_S", 0.2)
    async with FakeOpenAIServer(routes={"/v1/models": reply}) as fake, serving(fake) as asker:
        result = await asker.client.call_tool("chrome_tab_status", {})

    assert words in str(result.content)


# --- Answer cache ---


async def test_same_question_about_the_same_text_is_answered_from_the_cache(
    fake: FakeOpenAIServer, osascript: FakeOsascript
) -> None:
    schema = {"type": "string"}
    fake.script = lambda _request: answer('"yes"')
    async with serving(fake) as asker:
        first = await asker.ask()
        again = await asker.ask()
        assert len(fake.chats) == 1
        for number, other in enumerate(({"system_prompt": "?"}, {"model": "other"}, {"output_schema": schema}), 2):
            text_of(await asker.ask(**other))
            assert len(fake.chats) == number
        osascript.shows("The ferry leaves at one.")
        text_of(await asker.ask())
        assert len(fake.chats) == 5
        for number, (url, title) in enumerate((("https://page.test/2", "A page"), ("https://page.test/2", "B")), 6):
            osascript.shows("The ferry leaves at one.", about=json.dumps({"url": url, "title": title}))
            text_of(await asker.ask())
            assert len(fake.chats) == number

    assert text_of(first) == text_of(again)
    assert receipt_of(again)["cached"] is True
    assert "cached" not in receipt_of(first)
    assert [", answered before" in str(each.content) for each in (first, again)] == [False, True]


async def test_a_cached_answer_has_the_notes_of_the_newest_reading(
    fake: FakeOpenAIServer, osascript: FakeOsascript
) -> None:
    about = {"url": "https://page.test/", "title": "A page"}
    osascript.shows("The ferry.", about=json.dumps(about | {"notes": [{"code": "still_loading"}], "repeated": 3}))
    async with serving(fake) as asker:
        first = await asker.ask()
        osascript.shows(
            "The ferry.", about=json.dumps(about | {"notes": [{"code": "feed"}], "content": {"path": "whole"}})
        )
        again = receipt_of(result := await asker.ask(content="main"))

    assert receipt_of(first)["notes"] == [server.PAGE_NOTES["still_loading"]]
    assert (again["cached"], again["notes"], again["content"]) == (True, [server.PAGE_NOTES["feed"]], {"path": "whole"})
    assert "repeated_lines_removed" not in again
    assert str(result.content).count("Note: ") == 1


async def test_failure_is_not_cached() -> None:
    async with FakeOpenAIServer(answer(""), FINE) as fake, serving(fake) as asker:
        error_of(await asker.ask())
        assert text_of(await asker.ask()) == "An answer."


async def test_answer_cache_is_bounded(fake: FakeOpenAIServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MAX_CACHED_ANSWERS", 2)
    async with serving(fake) as asker:
        for prompt in ("1", "2", "3", "3", "2", "1"):
            text_of(await asker.ask(system_prompt=prompt))

    assert len(fake.chats) == 4


# --- Which model ---


async def test_fallback_models_are_tried_in_order_and_the_receipt_names_the_one_that_answered() -> None:
    def script(request: Request) -> Reply:
        return FINE if request.body["model"] == "third" else as_json(NESTED, 404)

    async with FakeOpenAIServer(script=script) as fake, serving(fake, fallback_model=["second", "third"]) as asker:
        receipt = receipt_of(await asker.ask())

    assert [request.body["model"] for request in fake.chats] == ["fake-model", "second", "third"]
    assert receipt["model"] == "third"


@pytest.mark.parametrize("is_stream", [False, True])
@pytest.mark.parametrize(("named", "shown"), [("loaded", "loaded"), ("", "mine"), (5, "mine"), ("a\nb", "a b")])
async def test_the_receipt_names_the_model_that_the_server_says_has_answered(
    named: object, shown: str, *, is_stream: bool, fake: FakeOpenAIServer
) -> None:
    # llama.cpp answers with the model that it has loaded, whatever the request names.
    whole = {"model": named, "choices": [{"message": {"content": "At noon."}, "finish_reason": "stop"}]}
    stream = events(delta("At noon.") | {"model": named}, delta(finish_reason="stop"), "[DONE]")
    fake.script = lambda _request: stream if is_stream else as_json(whole)
    async with serving(fake) as asker:
        asked = asker.ask_with_progress(ProgressLog(), model="mine") if is_stream else asker.ask(model="mine")
        receipt = receipt_of(await asked)

    assert receipt["model"] == shown


async def test_model_named_by_the_call_has_no_fallback(fake: FakeOpenAIServer) -> None:
    fake.script = lambda _request: as_json(NESTED, 404)
    async with serving(fake, fallback_model=["second"]) as asker:
        code, sentence = error_of(await asker.ask(model="mine"))

    assert code == "MODEL_NOT_FOUND"
    assert "'mine'" in sentence
    assert [request.body["model"] for request in fake.chats] == ["mine"]


async def test_when_all_models_fail_each_failure_is_reported(fake: FakeOpenAIServer) -> None:
    fake.script = lambda request: as_json({"error": f"{request.body['model']} is ill"}, 400)
    async with serving(fake, fallback_model=["second"]) as asker:
        _, sentence = error_of(await asker.ask())

    assert "fake-model is ill" in sentence
    assert "Fallback second" in sentence
    assert "second is ill" in sentence


# --- The window ---

TRAINED = {"model_info": {"fake.context_length": 131_072}}


def props(n_ctx: Any) -> dict[str, Any]:
    return {"default_generation_settings": {"n_ctx": n_ctx}}


@pytest.mark.parametrize(
    ("routes", "window", "origin"),
    [
        ({"/props": props(3072)}, 3072, "llama.cpp"),
        (
            {
                "/api/v0/models": {
                    "data": [
                        {"id": "x", "loaded_context_length": 9},
                        {"id": "fake-model", "loaded_context_length": 6000, "max_context_length": 131_072},
                    ]
                }
            },
            6000,
            "loaded_context_length",
        ),
        ({"/v1/models": {"data": [{"id": "fake-model", "max_model_len": 5000}]}}, 5000, "max_model_len"),
        ({"/v1/models": {"data": [{"id": "fake-model", "meta": {"n_ctx_train": 131_072}}]}}, 4096, "assumed"),
        ({}, 4096, "assumed"),
        ({"/api/ps": {"models": []}, "/api/show": TRAINED}, 4096, "assumed"),
        (
            {"/api/ps": {"models": []}, "/api/show": TRAINED | {"parameters": "stop x\nnum_ctx   7000\n"}},
            7000,
            "num_ctx",
        ),
        (
            {"/api/ps": {"models": [{"name": "fake-model", "context_length": 2500}]}, "/props": props(9)},
            2500,
            "/api/ps",
        ),
        ({"/api/ps": {"models": [{"name": "other", "context_length": 2500}]}}, 4096, "assumed"),
        # Nonsense does no harm.
        ({"/api/ps": as_text("<html>"), "/props": as_text("{"), "/v1/models": as_json(7)}, 4096, "assumed"),
        ({"/api/ps": {"models": [7, {"name": "fake-model", "context_length": -5}]}}, 4096, "assumed"),
        ({"/props": props("many")}, 4096, "assumed"),
        # No model has such a small window.
        ({"/props": props(511)}, 4096, "assumed"),
        ({"/props": props(512)}, 512, "llama.cpp"),
        ({"/api/ps": {"models": [{"name": "fake-model", "context_length": 9}]}}, 4096, "assumed"),
        ({"/api/ps": {"models": []}, "/api/show": {"parameters": "num_ctx 9"}}, 4096, "assumed"),
        ({"/v1/models": {"data": [{"id": "fake-model", "max_model_len": 9}]}}, 4096, "assumed"),
        ({"/props": props(True)}, 4096, "assumed"),
        ({"/props": Reply(chunks=[CHUNK] * 20)}, 4096, "assumed"),
        ({"/props": as_text("[" * 200_000)}, 4096, "assumed"),
        ({"/v1/models": {"data": 7}, "/api/v0/models": {"data": {"id": 1}}}, 4096, "assumed"),
        ({"/props": Reply(chunks=[b"{"], breaks_off=True)}, 4096, "assumed"),
    ],
)
async def test_window_is_the_models_actual_one(routes: dict[str, Any], window: int, origin: str) -> None:
    async with FakeOpenAIServer(routes=routes) as fake, serving(fake) as asker:
        receipt = receipt_of(await asker.ask())

    assert receipt["window"] == window
    assert origin in receipt["window_source"]


async def test_configured_context_length_overrides_the_servers() -> None:
    async with FakeOllama(2048) as fake, serving(fake, context_length=1500) as asker:
        receipt = receipt_of(await asker.ask(system_prompt="?"))

    assert (receipt["window"], receipt["window_source"]) == (1500, "--context-length")
    assert {request.path for request in fake.requests} == {"/api/show", "/v1/chat/completions"}


async def test_ollama_model_is_loaded_first_and_its_window_requested_once() -> None:
    async with FakeOllama(3000) as fake, serving(fake) as asker:
        first = receipt_of(await asker.ask(system_prompt="One?"))
        receipt_of(await asker.ask(system_prompt="Two?"))

    assert (first["window"], first["window_source"]) == (3000, "Ollama /api/ps")
    assert [request.path for request in fake.requests][:4] == ["/api/show", "/api/ps", "/api/generate", "/api/ps"]
    assert fake.asked("/api/ps") == 2
    assert len(fake.chats) == 2


async def test_status_reports_the_window_and_where_it_came_from() -> None:
    async with FakeOllama(3000) as fake, serving(fake) as asker:
        result = await asker.client.call_tool("chrome_tab_status", {})

    assert "3,000 tokens (Ollama /api/ps)" in str(result.content)


async def test_window_request_that_hangs_is_abandoned_without_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "FETCH_TIMEOUT_S", 0.05)
    routes: dict[str, Any] = dict.fromkeys(("/api/ps", "/props", "/api/v0/models", "/v1/models"), HANG)
    async with FakeOpenAIServer(routes=routes) as fake, serving(fake) as asker:
        assert receipt_of(await asker.ask())["window"] == server.DEFAULT_WINDOW


@pytest.mark.parametrize(
    ("error", "window"),
    [
        (too_long(5000, 1536), 1536),
        ({"error": "This model's maximum context length is 1600 tokens. However, you requested 5000 tokens."}, 1600),
        ({"error": {"message": "Trying to keep the first 5000 tokens, but context length of only 1700 tokens"}}, 1700),
        ({"error": {"message": "input length exceeds context limit", "n_ctx": 1800}}, 1800),
    ],
)
@pytest.mark.parametrize("status", [200, 400, 500])
async def test_refusal_that_names_a_size_corrects_the_window(
    error: dict[str, Any], window: int, status: int, osascript: FakeOsascript
) -> None:
    osascript.shows("The ferry leaves at noon.\n" * 50)
    refusal = as_json(error, status)
    async with FakeOpenAIServer(refusal, FINE) as fake, serving(fake) as asker:
        receipt = receipt_of(await asker.ask(system_prompt="When?"))

    assert (receipt["window"], receipt["window_source"]) == (window, "shown by the server")
    assert receipt["retries"] == 0
    assert json.dumps(receipt["notes"]) == "[]"


async def test_server_that_takes_too_long_is_asked_again_with_the_same_prompt() -> None:
    late = as_json({"error": "The upstream server took too long to respond"}, 504)
    async with FakeOpenAIServer(late, FINE) as fake, serving(fake) as asker:
        receipt = receipt_of(await asker.ask())

    assert receipt["retries"] == 1
    assert fake.chats[0].body == fake.chats[1].body


@pytest.mark.parametrize(
    "named",
    [
        {"n_ctx": 1},
        {"n_ctx": 511},
        {"n_ctx": 0},
        {"message": "prompt too long; exceeded max context length by 900 tokens"},
    ],
)
async def test_refusal_that_names_no_possible_size_leaves_the_window_unchanged(
    named: dict[str, Any], osascript: FakeOsascript
) -> None:
    osascript.shows("The ferry leaves at noon.\n" * 50)
    refusal = as_json({"error": {"type": "exceed_context_size_error", "message": "too long"} | named}, 400)
    async with FakeOpenAIServer(refusal, FINE) as fake, serving(fake) as asker:
        receipt = receipt_of(await asker.ask(system_prompt="When?"))

    assert receipt["window"] == server.DEFAULT_WINDOW


# --- Models that run elsewhere ---


async def test_an_agent_cannot_choose_a_model_that_runs_elsewhere_unless_the_user_allows_it() -> None:
    async with FakeCloudOllama() as fake:
        async with serving(fake) as asker:
            refused = [error_of(await asker.ask(model=name)) for name in CLOUD_MODELS]
            local = receipt_of(await asker.ask(model="fake-model"))
        assert {chat.body["model"] for chat in fake.chats} == {"fake-model"}
        async with serving(fake, allow_cloud=True) as asker:
            allowed = await asker.ask(model="big")

    assert [code for code, _ in refused] == ["PERMISSION_DENIED"] * 2
    assert all("--allow-cloud" in sentence for _, sentence in refused)
    assert "model_host" not in local
    assert receipt_of(allowed)["model_host"] == "ollama.com"
    assert "big on ollama.com: leaves this computer" in str(allowed.content)


async def test_a_fallback_that_runs_elsewhere_is_skipped_unless_the_user_allows_it() -> None:
    async with FakeCloudOllama() as fake:
        async with serving(fake, model="gone", fallback_model=["big"]) as asker:
            code, sentence = error_of(await asker.ask())
        assert fake.chats[-1].body["model"] == "gone"
        async with serving(fake, model="gone", fallback_model=["big"], allow_cloud=True) as asker:
            receipt = receipt_of(await asker.ask())

    assert code == "MODEL_NOT_FOUND"
    assert "Fallback big: big runs on ollama.com" in sentence
    assert (receipt["model"], receipt["model_host"]) == ("big", "ollama.com")


@pytest.mark.parametrize("own", [{"model": "big"}, {"sites": {"page.test": {"model": "big"}}}])
async def test_a_model_that_runs_elsewhere_is_named_and_allowed_if_the_user_chose_it(
    own: dict[str, Any],
) -> None:
    async with FakeCloudOllama() as fake, serving(fake, **own) as asker:
        receipt = receipt_of(await asker.ask())

    assert (receipt["model"], receipt["model_host"]) == ("big", "ollama.com")


async def test_status_names_where_the_users_model_runs() -> None:
    async with FakeCloudOllama() as fake, serving(fake, model="big") as asker:
        elsewhere = await asker.client.call_tool("chrome_tab_status", {})
    async with FakeCloudOllama() as fake, serving(fake) as asker:
        here = await asker.client.call_tool("chrome_tab_status", {})

    assert "it runs on ollama.com: page text leaves this computer" in str(elsewhere.content)
    assert "leaves this computer" not in str(here.content)


async def test_a_server_on_another_computer_is_named_and_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    async with FakeCloudOllama() as fake:
        monkeypatch.setattr(server, "other_computer", server.host_of)
        async with serving(fake) as asker:
            receipt = receipt_of(await asker.ask(model="fake-model"))
            status = await asker.client.call_tool("chrome_tab_status", {})

    assert receipt["model_host"] == "127.0.0.1"
    assert "it runs on 127.0.0.1: page text leaves this computer" in str(status.content)


@pytest.mark.parametrize(
    ("host", "is_this"),
    [
        *((host, True) for host in ("localhost", "127.0.0.1", "127.1.2.3", "[::1]", "0.0.0.0", "model.localhost")),
        *((host, False) for host in ("192.168.1.20", "gpu-box", "ollama.com", "localhost.evil.test")),
    ],
)
def test_hosts_of_this_computer_are_recognized(host: str, *, is_this: bool) -> None:
    assert server.other_computer(f"http://{host}:11434") == ("" if is_this else host)


async def test_models_that_cannot_answer_are_not_offered_and_remote_ones_are_marked() -> None:
    async with FakeCloudOllama() as fake, serving(fake) as asker:
        code, sentence = error_of(await asker.ask(model="gone"))

    assert code == "MODEL_NOT_FOUND"
    offered = "fake-model, gpt-oss:120b-cloud (leaves this computer), big (leaves this computer)."
    assert f"It has: {offered}" in sentence
