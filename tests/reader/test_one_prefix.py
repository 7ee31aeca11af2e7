"""One prefix per page: up to the end of the text every prompt is the same, so that the model server can cache it."""

import stat
from typing import Any

import pytest

import chrome_tab_mcp_server as server
from demo.tiny_model import TinyModel
from tests.support.fake_models import FakeOpenAIServer, Reply, answer, as_json, delta, events
from tests.support.fake_osascript import FakeOsascript
from tests.support.tool_client import ProgressLog, receipt_of, serving, text_of

PRICE = {"type": "object", "properties": {"price": {"type": "number"}}, "required": ["price"]}
ANSWERS = {"When?": "At noon.", "What does it cost?": '{"price": 17}'}


async def ask_twice(asker: Any) -> None:
    text_of(await asker.ask(system_prompt="When?"))
    text_of(await asker.ask(system_prompt="What does it cost?", output_schema=PRICE))


async def test_every_prompt_about_a_text_begins_with_the_same_bytes_in_all_sessions(osascript: FakeOsascript) -> None:
    osascript.shows("The ferry leaves at noon. A ticket costs 17.")
    async with FakeOpenAIServer(script=lambda request: answer(ANSWERS[request.instruction])) as fake:
        for _ in range(2):
            async with serving(fake) as asker:
                await ask_twice(asker)
        osascript.shows("The ferry leaves at one. A ticket costs 17.")
        async with serving(fake) as asker:
            text_of(await asker.ask(system_prompt="When?"))

    *same, other = fake.chats
    assert len(same) == 4
    assert {request.prefix for request in same} == {same[0].prefix}
    assert [request.instruction for request in same] == [*ANSWERS] * 2
    assert other.delimiter != same[0].delimiter


async def test_delimiters_differ_between_machines(osascript: FakeOsascript) -> None:
    osascript.shows("The ferry leaves at noon.")
    secret = server.config_dir() / "delimiter-secret"
    async with FakeOpenAIServer() as fake:
        async with serving(fake) as asker:
            text_of(await asker.ask())
        secret.unlink()
        async with serving(fake) as asker:
            text_of(await asker.ask())

    assert fake.chats[0].delimiter != fake.chats[1].delimiter


@pytest.mark.posix
def test_secret_of_delimiters_is_private_and_persistent() -> None:
    secret, path = server.delimiter_secret(), server.config_dir() / "delimiter-secret"

    assert server.delimiter_secret() == secret == path.read_bytes()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.posix
@pytest.mark.parametrize("damage", [b"", b"short", b"x" * 1000])
def test_damaged_secret_is_not_used(damage: bytes) -> None:
    path = server.config_dir() / "delimiter-secret"
    path.parent.mkdir(parents=True)
    path.write_bytes(damage)

    first, second = server.delimiter_secret(), server.delimiter_secret()
    assert len(first) == len(second) == 32
    assert first != second


# --- Cached tokens ---

USAGE = {"prompt_tokens": 400, "completion_tokens": 7}


@pytest.mark.parametrize(
    ("counts", "cached"),
    [
        ({"usage": USAGE | {"prompt_tokens_details": {"cached_tokens": 380}}}, 380),
        ({"usage": USAGE | {"prompt_tokens_details": {"cached_tokens": 0}}}, 0),
        ({"usage": USAGE, "timings": {"cache_n": 380, "prompt_n": 20}}, 380),
        # Some gateways write counts as text, or with a fraction.
        ({"usage": {"prompt_tokens": "400", "completion_tokens": "7"}}, None),
        ({"usage": USAGE | {"prompt_tokens_details": None}, "timings": {"cache_n": -1}}, None),
        ({"usage": {"prompt_tokens": 400.0, "prompt_tokens_details": {"cached_tokens": "many"}}}, None),
    ],
)
@pytest.mark.parametrize("is_stream", [False, True])
async def test_receipt_shows_the_cached_tokens_that_the_server_reports(
    counts: dict[str, Any], cached: int | None, *, is_stream: bool, osascript: FakeOsascript
) -> None:
    osascript.shows("The ferry leaves at noon.")
    whole = {"choices": [{"message": {"content": "At noon."}, "finish_reason": "stop"}]} | counts
    stream = events(delta("At noon."), delta(finish_reason="stop"), {"choices": []} | counts, "[DONE]")
    reply: Reply = stream if is_stream else as_json(whole)
    async with FakeOpenAIServer(reply) as fake, serving(fake) as asker:
        receipt = receipt_of(await (asker.ask_with_progress(ProgressLog()) if is_stream else asker.ask()))

    assert receipt["prompt_tokens"] == 400
    assert receipt.get("cached_tokens") == cached


async def test_real_server_recomputes_at_most_a_twentieth_after_we_restart(
    tiny_model: TinyModel, osascript: FakeOsascript
) -> None:
    osascript.shows("\n".join(f"Stop {i}: bus {i * 7} leaves at {i % 24}:10 from market square." for i in range(25)))
    receipts = []
    for prompt in ("Which stop is the first?", "When does bus 77 leave?"):
        async with serving(tiny_model.url, model=tiny_model.model) as asker:
            receipts.append(receipt_of(await asker.ask(system_prompt=prompt)))

    first, second = receipts
    assert (first["window_source"], first["retries"]) == ("llama.cpp /props", 0)
    assert first["prompt_tokens"] > 500
    assert second["prompt_tokens"] - second["cached_tokens"] <= 0.05 * first["prompt_tokens"]
