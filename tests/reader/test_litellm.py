"""A real LiteLLM proxy in front of two fake model servers: the way to use more than one machine."""

import asyncio
import json
import os
import re
import subprocess
import time
import urllib.request
from collections.abc import AsyncGenerator, Generator
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import pytest

from tests.support.fake_extension import free_port
from tests.support.fake_models import FakeOpenAIServer, answer, joined
from tests.support.fake_osascript import FakeOsascript
from tests.support.tool_client import error_of, receipt_of, serving

READY_S = 200
POLL_S = 0.3
KEY = "sk-key-of-the-proxy"
REQUIREMENTS = str(Path(__file__).parents[1] / "proxy_requirements.txt")
# `scripts/setup` has downloaded it: no test waits for the network.
PROXY = ["uv", "run", "--quiet", "--offline", "--no-project", "--with-requirements", REQUIREMENTS, "litellm"]
# It must not look up prices or report usage.
QUIET = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_TELEMETRY": "False", "NO_DOCS": "True"}

pytestmark = [pytest.mark.proxy, pytest.mark.timeout(300)]


@dataclass(frozen=True)
class Proxy:
    url: str
    log: Path
    models: list[FakeOpenAIServer]


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as response:
            return response.status == 200
    except OSError:
        return False


@pytest.fixture(scope="module")
async def proxy(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Proxy]:
    folder = tmp_path_factory.mktemp("litellm")
    port = free_port()
    async with AsyncExitStack() as stack:
        models = [await stack.enter_async_context(FakeOpenAIServer(answer("A ferry."))) for _ in range(2)]
        config = {
            "model_list": [
                {
                    "model_name": "fast",
                    "litellm_params": {"model": "openai/fake-model", "api_base": f"{one.url}/v1", "api_key": "none"},
                }
                for one in models
            ],
            "general_settings": {"master_key": KEY},
        }
        (folder / "config.yaml").write_text(json.dumps(config), encoding="utf-8")
        log = folder / "log"
        arguments = ["--config", str(folder / "config.yaml"), "--host", "127.0.0.1", "--port", str(port)]
        output = stack.enter_context(log.open("wb"))
        url = f"http://127.0.0.1:{port}"
        process = stack.enter_context(running([*PROXY, *arguments], output, folder))
        await asyncio.to_thread(ready, url, process, log)
        yield Proxy(url, log, models)


@contextmanager
def running(command: list[str], output: BinaryIO, folder: Path) -> Generator[subprocess.Popen[bytes]]:
    with subprocess.Popen(command, stdout=output, stderr=output, env=os.environ | QUIET, cwd=folder) as process:
        try:
            yield process
        finally:
            process.terminate()


def ready(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + READY_S
    while not answers(f"{url}/health/liveliness"):
        assert process.poll() is None, log.read_text(encoding="utf-8", errors="replace")[-2000:]
        assert time.monotonic() < deadline, "the proxy did not become ready"
        with suppress(subprocess.TimeoutExpired):
            process.wait(POLL_S)


async def test_two_servers_behind_the_proxy_share_the_chunks_of_a_page(proxy: Proxy, osascript: FakeOsascript) -> None:
    numbers = range(100, 290)
    osascript.shows("\n\n".join(f"Ferry number {i} leaves the harbour and costs {i % 7} euros." for i in numbers))
    async with serving(proxy.url, model="fast", api_key=KEY, context_length=800, parallel=2) as asker:
        receipt = receipt_of(await asker.ask(system_prompt="Name one ferry. One short sentence."))

    # The proxy draws lots: that one server gets every chunk happens once in a million runs.
    assert receipt["chunks"] > 20
    assert receipt["characters_read"] == receipt["page_characters"]
    assert all(model.chats for model in proxy.models)
    seen = joined(request.prompt for model in proxy.models for request in model.chats)
    assert set(re.findall(r"Ferry number (\d+)", seen)) == set(map(str, numbers))


async def test_the_proxys_list_of_models_is_shown_for_an_unknown_model(proxy: Proxy, osascript: FakeOsascript) -> None:
    osascript.shows("A short page about ferries.")
    async with serving(proxy.url, model="slow", api_key=KEY, context_length=1024) as asker:
        code, message = error_of(await asker.ask())

    assert code == "MODEL_NOT_FOUND"
    assert "fast" in message
    assert KEY not in message
