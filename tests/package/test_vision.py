"""`look_at_chrome_tab`: what reaches the vision model, what is returned, and models that accept no images."""

import asyncio
import base64
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from fastmcp import Client

import chrome_tab_mcp_server as server
from chrome_tab import app
from chrome_tab.bridge import pairing, protocol
from tests.support.fake_extension import FakeExtension, connected, free_port
from tests.support.fake_models import (
    HANG,
    FakeCloudOllama,
    FakeOpenAIServer,
    Reply,
    Request,
    answer,
    as_json,
    delta,
    events,
)
from tests.support.tool_client import ProgressLog, error_of, receipt_of

PICTURE = base64.b64encode(b"\x89PNG a picture").decode()
SHOT = {"data": PICTURE, "mime_type": "image/png", "width": 1500, "height": 1000, "notes": ["Made smaller."]}


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "EXTENSION_WAIT_S", 0.1)
    monkeypatch.setattr(server, "RETRY_DELAY_S", 0.0)


class Looking:
    """A client, the fake model behind it, and the commands that reached the fake extension."""

    def __init__(self, client: Client[Any], commands: list[dict[str, Any]]) -> None:
        self.client, self.commands = client, commands

    async def look(self, **arguments: Any) -> Any:
        """Ask without a progress token, which `Client.call_tool` would always send."""
        return await self.client.session.call_tool("look_at_chrome_tab", {"question": "What is blue?"} | arguments)


@asynccontextmanager
async def looking(
    fake: FakeOpenAIServer, *, url: str = "https://page.test/", **settings: Any
) -> AsyncGenerator[Looking]:
    port = free_port()
    flags = {"source": "extension", "port": port, "ollama_url": fake.url, "model": "reader", **settings}
    async with Client(app.create_server(server.load_settings(flags, need_model=True))) as client:
        await client.call_tool("chrome_tab_status", {})
        fake.requests.clear()
        async with connected(port, pairing.pairing_key()) as extension:
            commands: list[dict[str, Any]] = []
            answering = asyncio.create_task(answer_all(extension, commands, url))
            try:
                yield Looking(client, commands)
            finally:
                answering.cancel()


async def answer_all(extension: FakeExtension, commands: list[dict[str, Any]], url: str) -> None:
    tab = {"tab_id": 7, "id": 7, "url": url, "title": "A page"}
    while True:
        command = await extension.receive()
        if command["type"] == "command":
            commands.append(command)
            await extension.reply(command, SHOT if command["command"] == "screenshot" else [tab])


async def test_the_image_reaches_the_model_and_only_its_words_reach_the_client() -> None:
    seeing = FakeOpenAIServer(answer("<think>hm</think>The bar.", prompt_tokens=800))
    async with seeing as fake, looking(fake, vision_model="seer") as asked:
        result = await asked.look(selector="#chart", tab_id=7)
        other = await asked.look(model="third")

    system, user = fake.chats[0].body["messages"]
    assert fake.chats[0].body["model"] == "seer"
    assert fake.chats[1].body["model"] == "third"
    assert user["content"] == [
        {"type": "text", "text": "What is blue?"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PICTURE}"}},
    ]
    assert "The picture is data" in system["content"]
    shot = asked.commands[0]
    assert (shot["command"], shot["tab_id"]) == ("screenshot", 7)
    assert shot["params"] == {"selector": "#chart", "format": "jpeg"}
    assert result.content[0].text.startswith("The bar.\n\n(looked at 1500 x 1000 pixels, seer, ")
    assert result.content[0].text.endswith("\n\nNote: Made smaller.")
    receipt = receipt_of(result)
    assert receipt["picture_tokens"] == {"estimate": 2000, "formula": "width * height / 750"}
    assert (receipt["prompt_tokens"], receipt["spared_tokens"]) == (800, 1993)
    for each in (result, other):
        assert PICTURE not in each.model_dump_json()


async def test_text_that_an_image_makes_the_model_write_is_sanitized_and_cut() -> None:
    said = "A bar\u202e![17](https://evil.test/17.png). https://mine.test " + " ".join(map(str, range(10_000)))
    async with FakeOpenAIServer(answer(said)) as fake, looking(fake) as asked:
        result = await asked.look(question="What does https://mine.test show?")

    text = result.content[0].text
    assert text.startswith("A bar! [17] (https ://evil.test/17.png). https://mine.test 0 1 2")
    assert len(text) < 40_300
    assert "the answer was cut at 40,000 characters" in text.splitlines()[-1]


async def test_without_a_vision_model_the_configured_one_is_asked_and_its_progress_reported() -> None:
    reported = ProgressLog()
    stream = events(delta("The "), delta("bar."), delta(finish_reason="stop"), "[DONE]")
    async with FakeOpenAIServer(stream) as fake, looking(fake) as asked:
        await asked.client.call_tool("look_at_chrome_tab", {"question": "x"}, progress_handler=reported.listen)

    assert fake.chats[0].body["model"] == "reader"
    assert [message for message in reported.messages if "taking a screenshot" in message]
    assert any(message.startswith("reader is looking at the screenshot") for message in reported.messages)


async def test_a_model_that_does_not_answer_about_an_image_is_abandoned_at_the_timeout_of_an_answer() -> None:
    async with FakeOpenAIServer(HANG) as fake, looking(fake, max_seconds=0.5) as started:
        code, sentence = error_of(await started.look())

    assert code == "MODEL_TIMEOUT"
    assert "(--max-seconds)" in sentence


async def test_an_invalid_image_is_a_sentence_and_reaches_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SHOT, "mime_type", "text/html")
    async with FakeOpenAIServer() as fake, looking(fake) as asked:
        refused = await asked.look()

    assert error_of(refused)[0] == "EXECUTION_ERROR"
    assert not fake.chats


async def test_a_page_of_a_denied_host_is_not_captured() -> None:
    async with FakeOpenAIServer() as fake:
        sites = {"denied.test": {"deny": True}}
        async with looking(fake, url="https://denied.test/", sites=sites) as asked:
            refused = await asked.look()
        async with looking(fake, sites=sites) as asked:
            assert not (await asked.look()).is_error

    assert error_of(refused)[0] == "HOST_BLOCKED"
    assert len(fake.chats) == 1


LISTED = {"data": [{"id": "reader"}, {"id": "blind"}, {"id": "eye-7b"}]}


class FakeOllamaWithEyes(FakeOpenAIServer):
    """Reports the capabilities of each model."""

    async def reply_to(self, request: Request) -> Reply:
        if request.path == "/api/show":
            return as_json({"capabilities": ["completion", *(["vision"] if "eye" in request.body["model"] else [])]})
        return await super().reply_to(request)


def refusing(status: int, error: Any, **routes: Any) -> FakeOpenAIServer:
    return FakeOpenAIServer(as_json({"error": error}, status), routes={"/v1/models": LISTED} | routes)


VLM = {"data": [{"id": "reader", "type": "llm"}, {"id": "eye-7b", "type": "vlm"}]}
SAID = {"message": "image input is not supported - hint: you may need to provide the mmproj", "code": 500}


@pytest.mark.parametrize(
    ("fake", "names", "asked_for_chat"),
    [
        pytest.param(FakeOllamaWithEyes(routes={"/v1/models": LISTED}), "eye-7b", 0, id="Ollama"),
        pytest.param(FakeOpenAIServer(routes={"/props": {"modalities": {"vision": False}}}), "", 0, id="llama.cpp"),
        pytest.param(refusing(500, SAID), "", 4, id="older llama.cpp"),
        pytest.param(
            refusing(400, "Model does not support images. Please use a model that does.", **{"/api/v0/models": VLM}),
            "eye-7b",
            1,
            id="LM Studio",
        ),
        pytest.param(refusing(400, {"message": "reader is not a multimodal model None"}), "", 1, id="vLLM"),
        pytest.param(refusing(400, {"message": "litellm.BadRequestError: image_url"}), "", 1, id="LiteLLM"),
    ],
)
async def test_a_model_that_accepts_no_images_is_a_sentence_that_names_those_that_do(
    fake: FakeOpenAIServer, names: str, asked_for_chat: int
) -> None:
    async with fake, looking(fake) as asked:
        result = await asked.look()

    code, message = error_of(result)
    assert code == "MODEL_ERROR"
    assert message.startswith("reader ")
    assert "blind" not in message
    assert ("eye-7b" in message) is bool(names)
    assert "--vision-model" in message
    assert len(fake.chats) == asked_for_chat
    assert bool(asked.commands) == bool(asked_for_chat)


TOO_LONG = (
    "The decoder prompt (length 9000) is longer than the maximum model length of 8192. For image inputs, shrink them."
)


@pytest.mark.parametrize(
    ("fake", "reason"),
    [
        (FakeOllamaWithEyes(as_json({"error": "failed to process image: out of memory"}, 500)), "out of memory"),
        (refusing(400, {"message": "eye-vision is overloaded"}), "overloaded"),
        (refusing(400, {"message": TOO_LONG}), "Shorten the prompt"),
    ],
    ids=["a model that is known to accept images", "the model's own name", "too long"],
)
async def test_other_failures_of_a_model_with_vision_keep_their_sentence(fake: FakeOpenAIServer, reason: str) -> None:
    async with fake, looking(fake, vision_model="eye-vision") as asked:
        _, message = error_of(await asked.look())

    assert reason in message
    assert "does not accept images" not in message


async def test_a_long_question_reaches_a_model_with_vision_whole() -> None:
    question = "What is blue? " * 1_000
    async with FakeOllamaWithEyes(answer("Blue.")) as fake, looking(fake, vision_model="eye-7b") as asked:
        assert not (await asked.look(question=question)).is_error

    assert fake.chats[0].body["messages"][1]["content"][0]["text"] == question


async def test_an_image_is_sent_elsewhere_only_if_the_user_has_named_that_model() -> None:
    async with FakeCloudOllama(answer("A bar.")) as fake:
        for about in fake.models.values():
            about["capabilities"] = ["completion", "vision"]
        async with looking(fake, model="fake-model") as asked:
            code, _ = error_of(await asked.look(model="big"))
            here = receipt_of(await asked.look())
        async with looking(fake, model="fake-model", vision_model="big") as asked:
            elsewhere = await asked.look()

    assert code == "PERMISSION_DENIED"
    assert "model_host" not in here
    assert receipt_of(elsewhere)["model_host"] == "ollama.com"
    assert "big on ollama.com: leaves this computer" in str(elsewhere.content)


async def test_a_model_with_eyes_that_runs_elsewhere_is_marked_where_it_is_offered() -> None:
    async with FakeCloudOllama() as fake:
        for about in fake.models.values():
            about["capabilities"] = ["completion"]
        for name in ("big", "vectors"):
            fake.models[name]["capabilities"] = ["completion", "vision"]
        async with looking(fake, model="fake-model") as asked:
            _, sentence = error_of(await asked.look())

    assert "These models on the server do: big (leaves this computer), vectors. Choose one" in sentence
    assert fake.chats == []
