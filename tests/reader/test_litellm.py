"""A real LiteLLM proxy in front of two real model servers: the way to use more than one machine."""

import json
import os
import subprocess
import time
import urllib.request
from collections.abc import Generator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from demo.tiny_model import TinyModel, started
from tests.support.fake_extension import free_port
from tests.support.fake_osascript import FakeOsascript
from tests.support.tool_client import error_of, receipt_of, serving

READY_S = 200
KEY = "sk-key-of-the-proxy"
REQUIREMENTS = str(Path(__file__).parents[1] / "proxy_requirements.txt")
# `scripts/setup` has downloaded it: no test waits for the network.
PROXY = ["uv", "run", "--quiet", "--offline", "--no-project", "--with-requirements", REQUIREMENTS, "litellm"]
# It must not look up prices or report usage.
QUIET = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_TELEMETRY": "False", "NO_DOCS": "True"}

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]


@dataclass(frozen=True)
class Proxy:
    url: str
    log: Path


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as response:
            return response.status == 200
    except OSError:
        return False


@pytest.fixture(scope="module")
def proxy(tiny_model: TinyModel, tmp_path_factory: pytest.TempPathFactory) -> Generator[Proxy]:
    folder = tmp_path_factory.mktemp("litellm")
    port = free_port()
    with ExitStack() as stack:
        models = [tiny_model, stack.enter_context(started())]
        config = {
            "model_list": [
                {
                    "model_name": "fast",
                    "litellm_params": {"model": f"openai/{one.model}", "api_base": f"{one.url}/v1", "api_key": "none"},
                    "model_info": {"id": f"server-{number}"},
                }
                for number, one in enumerate(models)
            ],
            "router_settings": {"routing_strategy": "least-busy"},
            "general_settings": {"master_key": KEY},
        }
        (folder / "config.yaml").write_text(json.dumps(config), encoding="utf-8")
        log = folder / "log"
        arguments = [
            "--config",
            str(folder / "config.yaml"),
            "--host",
            "127.0.0.1",
            "--port",
            str(port),
            "--detailed_debug",
        ]
        output = stack.enter_context(log.open("wb"))
        process = stack.enter_context(
            subprocess.Popen([*PROXY, *arguments], stdout=output, stderr=output, env=os.environ | QUIET, cwd=folder)
        )
        stack.callback(process.terminate)
        url = f"http://127.0.0.1:{port}"
        ready(url, process, log)
        yield Proxy(url, log)


def ready(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + READY_S
    while not answers(f"{url}/health/liveliness"):
        assert process.poll() is None, log.read_text(encoding="utf-8", errors="replace")[-2000:]
        assert time.monotonic() < deadline, "the proxy did not become ready"
        process_waits_a_little(process)


def process_waits_a_little(process: subprocess.Popen[bytes]) -> None:
    """Wait for it, and detect at once if it ends."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(0.3)


async def test_two_servers_behind_the_proxy_share_the_chunks_of_a_page(proxy: Proxy, osascript: FakeOsascript) -> None:
    osascript.shows(
        "\n\n".join(f"Ferry number {i} leaves the harbour at {i} o'clock and costs {i} euros." for i in range(45))
    )
    async with serving(proxy.url, model="fast", api_key=KEY, context_length=800, parallel=2) as asker:
        result = await asker.ask(system_prompt="Name one ferry. One short sentence.")

    receipt = receipt_of(result)
    assert receipt["chunks"] > 2
    assert receipt["characters_read"] == receipt["page_characters"]
    log = proxy.log.read_text(encoding="utf-8", errors="replace")
    assert "server-0" in log
    assert "server-1" in log


async def test_the_proxys_list_of_models_is_shown_for_an_unknown_model(proxy: Proxy, osascript: FakeOsascript) -> None:
    osascript.shows("A short page about ferries.")
    async with serving(proxy.url, model="slow", api_key=KEY, context_length=1024) as asker:
        code, message = error_of(await asker.ask())

    assert code == "MODEL_NOT_FOUND"
    assert "It has: fast." in message
    assert KEY not in message
