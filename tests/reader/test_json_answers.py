"""Answers as JSON: the schema is checked first, then the answer, with one repair in between."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from mcp_types import TextContent

import chrome_tab_mcp_server as server
from tests.support.fake_models import FakeOpenAIServer, Reply, Request, answer, as_json
from tests.support.fake_osascript import FakeOsascript, installed
from tests.support.polling import until
from tests.support.tool_client import error_of, receipt_of, serving, text_of

PRICE = {"type": "object", "properties": {"price": {"type": "number"}}, "required": ["price"]}


@pytest.fixture(autouse=True)
def osascript(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeOsascript:
    monkeypatch.setattr(server, "RETRY_DELAY_S", 0.0)
    fake = installed(tmp_path / "fake", monkeypatch)
    fake.shows("A ticket costs 17.")
    return fake


@pytest.fixture
async def fake() -> AsyncGenerator[FakeOpenAIServer]:
    async with FakeOpenAIServer(answer('{"price": 17}')) as started:
        yield started


@pytest.fixture
def checked_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check in this process: starting another one takes longer than the rest of most tests."""

    async def call(_what: str, function: Callable[..., Any], *arguments: Any) -> Any:
        return function(*arguments)

    monkeypatch.setattr(server, "run_bounded", call)


def nested(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(depth):
        schema = {"properties": {"x": schema}}
    return schema


BAD_SCHEMAS: list[tuple[dict[str, Any], str]] = [
    ({"type": "numbr"}, " at $.type."),
    ({"type": "object", "required": "price"}, " at $.required."),
    ({"pattern": "("}, " at $.pattern."),
    ({"$ref": "#"}, "refers to itself without end"),
    ({"$ref": "#/$defs/absent"}, "refers to '/$defs/absent', which it does not contain"),
    ({"properties": {"a": {"items": {"$ref": "https://example.test/s.json"}}}}, "'https://example.test/s.json'"),
    ({"const": "\ud800"}, "JSON does not allow"),
]


async def test_bad_schema_is_rejected_before_the_page_is_read_and_the_model_asked(
    fake: FakeOpenAIServer, osascript: FakeOsascript
) -> None:
    async with serving(fake) as asker:
        for schema, words in BAD_SCHEMAS:
            code, sentence = error_of(
                await asker.client.call_tool("process_chrome_tab", {"output_schema": schema}, raise_on_error=False)
            )
            assert code == "INVALID_ARGUMENT", schema
            assert "output_schema is not a JSON Schema (2020-12): " in sentence
            assert words in sentence

    assert fake.requests == []
    assert osascript.calls() == []


@pytest.mark.parametrize(
    ("schema", "words"), [({"const": float("inf")}, "JSON does not allow"), (nested(2000), "nested too deeply")]
)
async def test_schema_that_json_cannot_represent_is_rejected_too(schema: dict[str, Any], words: str) -> None:
    with pytest.raises(server.ChromeTabError, match=words):
        await server.check_schema(schema)


@pytest.mark.usefixtures("checked_here")
@pytest.mark.parametrize(
    "schema",
    [
        {"$defs": {"p": {"type": "number"}}, "properties": {"price": {"$ref": "#/$defs/p"}}},
        {
            "$id": "https://example.test/s.json",
            "$defs": {"p": {"$id": "p.json", "type": "number"}},
            "properties": {"price": {"$ref": "p.json"}},
        },
        {"$defs": {"p": {"$anchor": "p"}}, "properties": {"price": {"$ref": "#p"}}},
        {"properties": {"child": {"$ref": "#"}}},
        {"properties": {"$ref": {"type": "string"}}},
        {},
    ],
)
async def test_schema_with_internal_references_works_without_fetching_anything(
    schema: dict[str, Any], fake: FakeOpenAIServer
) -> None:
    async with serving(fake) as asker:
        result = await asker.ask(output_schema=schema)

    assert json.loads(text_of(result)) == {"price": 17}


async def test_the_notes_about_null_are_blocks_too(osascript: FakeOsascript) -> None:
    about = {"url": "https://page.test/", "title": "A page", "notes": [{"code": "feed"}]}
    osascript.shows("It costs 17.", about=json.dumps(about))
    async with FakeOpenAIServer(answer("null")) as fake, serving(fake) as asker:
        content = (await asker.ask(output_schema={"type": "null"})).content

    texts = [block.text for block in content if isinstance(block, TextContent)]
    assert texts == ["null", f"[{server.PAGE_NOTES['feed']}]"]


async def test_schema_is_sent_and_the_checked_answer_is_also_structured_content(fake: FakeOpenAIServer) -> None:
    async with serving(fake) as asker:
        result = await asker.ask(output_schema=PRICE)
        # So several clients send an object where the parameter may also be text.
        assert (await asker.ask(output_schema=json.dumps(PRICE))).structured_content == {"price": 17}
        assert error_of(await asker.ask(output_schema='{"type": "price"}'))[0] == "INVALID_ARGUMENT"

    assert text_of(result) == '{"price": 17}'
    assert result.structured_content == {"price": 17}
    assert fake.chats[0].body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "answer", "schema": PRICE, "strict": True},
    }


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (400, "This response_format type is unavailable"),
        (400, "JSON schema conversion failed"),
        (500, "invalid JSON schema in format"),
    ],
)
async def test_a_server_that_rejects_a_schema_is_asked_without_it_and_the_next_schema_is_sent(
    status: int, reason: str
) -> None:
    def picky(request: Request) -> Reply:
        schema = request.body.get("response_format", {}).get("json_schema", {}).get("schema", PRICE)
        if schema != PRICE:
            return as_json({"error": {"message": reason}}, status)
        return answer('{"price": 17}' if "JSON Schema:" in request.instruction else "It costs 17 crowns.")

    async with FakeOpenAIServer(script=picky) as fake, serving(fake) as asker:
        refused = await asker.ask(output_schema=PRICE | {"title": "Price"})
        await asker.ask(output_schema=PRICE)

    assert refused.structured_content == {"price": 17}
    assert ["response_format" in request.body for request in fake.chats] == [True, False, True, False, True, True]


def doubled(depth: int) -> dict[str, Any]:
    """Return a schema whose every level refers twice to the next one: 2 ** depth checks."""
    levels = {f"l{level}": {"allOf": [{"$ref": f"#/$defs/l{level + 1}"}] * 2} for level in range(depth)}
    return {"$defs": levels | {f"l{depth}": {}}}


PATTERN = "^(a+)+$"


async def test_answer_whose_check_would_never_finish_is_rejected_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Takes 2 ** 60 steps.
    endless = {"patternProperties": {PATTERN: {}}, "unevaluatedProperties": False}
    hard, easy = json.dumps({"a" * 60 + "!": 1}), '{"price": "aaa"}'
    async with FakeOpenAIServer(answer(easy), answer(hard)) as fake, serving(fake) as asker:
        control = await asker.ask(output_schema={"additionalProperties": {"pattern": PATTERN}})
        monkeypatch.setattr(server, "BOUNDED_TIMEOUT_S", 1)
        code, sentence = error_of(await asker.ask(output_schema=endless))

    assert control.structured_content == {"price": "aaa"}
    assert code == "INVALID_ARGUMENT"
    assert "output_schema took more than 1 s" in sentence


async def test_schema_whose_check_would_never_finish_is_rejected_before_the_model_is_asked(
    fake: FakeOpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "BOUNDED_TIMEOUT_S", 1)
    async with serving(fake) as asker:
        code, sentence = error_of(await asker.ask(output_schema=doubled(60) | {"$ref": "#/$defs/l0"}))

    assert code == "INVALID_ARGUMENT"
    assert "output_schema took more than 1 s" in sentence
    assert fake.requests == []


async def test_other_calls_are_answered_during_a_check_and_cancelling_ends_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(server, "BOUNDED_TIMEOUT_S", 3600)
    before = set(psutil.Process().children())

    async def checker() -> bool:
        return bool(fake.chats) and set(psutil.Process().children()) != before

    async def no_checker() -> bool:
        return set(psutil.Process().children()) == before

    async with FakeOpenAIServer(answer(json.dumps("a" * 60 + "!"))) as fake, serving(fake) as asker:
        checking = asyncio.create_task(asker.ask(output_schema={"pattern": PATTERN}))
        await until(checker)
        assert not (await asker.client.call_tool("read_chrome_tab", {})).is_error
        assert not checking.done()
        checking.cancel()
        await until(no_checker)


@pytest.mark.usefixtures("checked_here")
@pytest.mark.parametrize(
    "reply",
    [
        '```json\n{"price": 17}\n```',
        '```\n{"price": 17}```',
        'Here it is:\n\n```JSON\n{"price": 17}\n```\n\nAnything else?',
        '<think>{}</think>{"price": 17}',
        'It is {"price": 17}. Anything else?',
    ],
)
async def test_fence_words_and_reasoning_around_the_json_are_removed(reply: str, fake: FakeOpenAIServer) -> None:
    fake.script = lambda _request: answer(reply)
    async with serving(fake) as asker:
        assert (await asker.ask(output_schema=PRICE)).structured_content == {"price": 17}

    assert len(fake.chats) == 1


@pytest.mark.usefixtures("checked_here")
@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ('{"price": "17 crowns"}', " at $.price\n"),
        ("{}", " at $\n"),
        ("It costs 17.", "it is not JSON"),
        ("[" * 5000, "it is not JSON"),
        ('{"price": Infinity}', "it is not JSON"),
    ],
)
async def test_wrong_answer_is_repaired_after_the_model_sees_the_error(wrong: str, error: str) -> None:
    async with FakeOpenAIServer(answer(wrong), answer('{"price": 17}')) as fake, serving(fake) as asker:
        result = await asker.ask(output_schema=PRICE)

    assert result.structured_content == {"price": 17}
    assert json.dumps(PRICE) in fake.chats[1].instruction
    assert wrong[:100] in fake.chats[1].data
    assert error in fake.chats[1].data + "\n"
    assert len(fake.chats[1].prompt) < 4096
    assert receipt_of(result)["requests"] == 2


async def test_answer_that_stays_wrong_is_an_error_with_the_best_attempt() -> None:
    replies = answer('{"price": "much"}'), answer('{"price": "17 crowns"}')
    async with FakeOpenAIServer(*replies) as fake, serving(fake) as asker:
        code, sentence = error_of(await asker.ask(output_schema=PRICE))

    assert code == "MODEL_ERROR"
    assert '{"price": "17 crowns"}' in sentence
    assert " at $.price)" in sentence
    assert len(fake.chats) == 2


async def test_endless_recursion_in_a_schema_is_a_readable_error(fake: FakeOpenAIServer) -> None:
    endless = {"properties": {"price": {"$ref": "#/properties/price"}}}
    async with serving(fake) as asker:
        code, sentence = error_of(await asker.ask(output_schema=endless))

    assert code == "MODEL_ERROR"
    assert "nested too deeply" in sentence


# --- What of it reaches the client ---


@pytest.mark.usefixtures("checked_here")
async def test_strings_in_json_contain_nothing_invisible_and_no_address_that_is_not_on_the_page(
    fake: FakeOpenAIServer, osascript: FakeOsascript
) -> None:
    osascript.shows("A ticket costs 17. See https://ferry.test/fares.")
    links = ["https://ferry.test/fares", "![17](https://evil.test/17.png)", "https://evil.test/17"]
    said = {"no\u200bte\U000e0041": "1\u202e7\x1b", "[key](//evil.test)": "", "links": links, "price": 17}
    fake.script = lambda _request: answer(json.dumps(said))
    async with serving(fake) as asker:
        result = await asker.ask(output_schema={"type": "object"})

    broken = ["! [17] (https ://evil.test/17.png)", "https ://evil.test/17"]
    kept = {"note": "17", "[key] (/ /evil.test)": "", "links": [links[0], *broken], "price": 17}
    assert result.structured_content == kept
    assert len(receipt_of(result)["notes"]) == 2
    assert json.loads(text_of(result)) == kept


@pytest.mark.usefixtures("checked_here")
@pytest.mark.parametrize(("chars", "code"), [(40_000, None), (40_001, "MODEL_ERROR")])
async def test_json_that_is_too_long_is_rejected_because_it_cannot_be_cut(
    chars: int, code: str | None, fake: FakeOpenAIServer
) -> None:
    fake.script = lambda _request: answer(json.dumps({"a": "x" * (chars - len('{"a": ""}'))}))
    async with serving(fake) as asker:
        result = await asker.ask(output_schema={"type": "object"})

    assert (error_of(result)[0] if result.is_error else None) == code
    assert len(fake.chats) == 1


# --- Several chunks ---


def parts(*replies: str | Reply, combined: str = "") -> FakeOpenAIServer:
    """A server that gives its reply to chunk N, and `combined` to the request that combines."""

    def script(request: Request) -> Any:
        user = request.data
        reply = replies[int(user.split()[1]) - 1] if user.startswith("[Part ") else combined
        return answer(reply) if isinstance(reply, str) else reply

    return FakeOpenAIServer(script=script)


LIST = {"type": "object", "properties": {"names": {"type": "array"}, "city": {"type": ["string", "null"]}}}


@pytest.mark.usefixtures("checked_here")
async def test_partial_answers_are_merged_by_the_schema_without_asking_the_model(osascript: FakeOsascript) -> None:
    osascript.shows("\n\n".join(f"Chapter {i}. " + f"{'WORD' * 12} " * 17 for i in range(1, 4)))
    replies = (
        '{"names": ["Ann", "Bo"], "city": null}',
        '```json\n{"names": ["Bo", "Cy"], "city": "Oslo"}\n```',
        '{"names": [], "city": "Oslo"}',
    )
    async with parts(*replies) as fake, serving(fake, context_length=1600) as asker:
        result = await asker.ask(system_prompt="Who?", output_schema=LIST)

    assert result.structured_content == {"names": ["Ann", "Bo", "Cy"], "city": "Oslo"}
    assert len(fake.chats) == 3


@pytest.mark.usefixtures("checked_here")
@pytest.mark.parametrize("second", ["", answer('{"city": "Oslo"}', finish_reason="content_filter")])
async def test_json_about_a_part_of_the_page_comes_with_a_note_that_no_client_leaves_out(
    second: str | Reply, osascript: FakeOsascript
) -> None:
    osascript.shows("\n\n".join(f"Chapter {i}. " + f"{'WORD' * 12} " * 17 for i in range(1, 4)))
    replies = '{"city": "Oslo"}', second, '{"city": "Oslo"}'
    async with parts(*replies) as fake, serving(fake, context_length=1600) as asker:
        result = await asker.ask(system_prompt="Where?", output_schema=LIST)

    assert json.loads(text_of(result)) == {"city": "Oslo"}
    assert [getattr(block, "text", "") for block in result.content[1:]] == [
        f"[{note}]" for note in receipt_of(result)["notes"]
    ]
    assert result.structured_content is None


@pytest.mark.usefixtures("checked_here")
async def test_partial_answers_that_contradict_each_other_are_reconciled_by_the_model(osascript: FakeOsascript) -> None:
    osascript.shows("\n\n".join(f"Chapter {i}. " + f"{'WORD' * 12} " * 17 for i in range(1, 4)))
    replies = '{"city": "Oslo", "names": ["Ann"]}', '{"city": "Bergen", "names": ["Bo"]}', '{"city": "Oslo"}'
    async with (
        parts(*replies, combined='{"city": "Oslo and Bergen", "names": ["Bo"]}') as fake,
        serving(fake, context_length=1600) as asker,
    ):
        result = await asker.ask(system_prompt="Where?", output_schema=LIST)

    # Of a list the model may drop items; what it reconciles are the other values.
    assert result.structured_content == {"city": "Oslo and Bergen", "names": ["Ann", "Bo"]}
    assert len(fake.chats) == 4
    assert all(reply in fake.chats[3].prompt for reply in replies)


@pytest.mark.usefixtures("checked_here")
async def test_partial_answers_that_cannot_be_reconciled_are_an_error(osascript: FakeOsascript) -> None:
    osascript.shows("\n\n".join(f"Chapter {i}. " + f"{'WORD' * 12} " * 17 for i in range(1, 4)))
    replies = '{"city": "Oslo"}', '{"city": "Bergen"}', '{"city": "Oslo"}'
    async with parts(*replies, combined="") as fake, serving(fake, context_length=1600) as asker:
        code, sentence = error_of(await asker.ask(system_prompt="Where?", output_schema=LIST))

    assert code == "MODEL_EMPTY"
    assert "returned no answer" in sentence
    assert len(fake.chats) == 4


@pytest.mark.parametrize(
    ("answers", "merged"),
    [
        (["[1, 2, 2]", "[2, 3]"], [1, 2, 2, 3]),
        (['[{"a": 1, "b": 2}]', '[{"b": 2, "a": 1}]'], [{"a": 1, "b": 2}]),
        (['{"a": {"x": [1]}}', '{"a": {"y": 2, "x": [3]}}'], {"a": {"x": [1, 3], "y": 2}}),
        (["null", "5"], 5),
        (["5", "null"], 5),
        (["1", "2"], None),
        (["[1]", '{"a": 1}'], None),
        (["no JSON", "1"], None),
        (["[" * 100_000, "1"], None),
    ],
)
def test_json_answers_are_merged_unless_they_contradict_each_other(answers: list[str], merged: Any) -> None:
    found = server.merge_json(answers)

    assert (found.value if found and found.is_clear else None) == merged
