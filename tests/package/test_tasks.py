"""Long calls as MCP tasks, over stdio: for clients that declare the extension, and for those that do not."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.support.fake_models import HANG, FakeOpenAIServer, Reply, answer
from tests.support.fake_osascript import installed
from tests.support.polling import until
from tests.support.stdio_server import StdioServer, started

pytestmark = pytest.mark.e2e

EXTENSION = "io.modelcontextprotocol/tasks"
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
THREE = answer("Three euros.")
PLAIN = MODERN | {CAPABILITIES: {}}
DECLARED = MODERN | {CAPABILITIES: {"extensions": {EXTENSION: {}}}}


class Client:
    """A client that writes JSON lines, so that it can poll at will."""

    def __init__(self, stdio: StdioServer, model: FakeOpenAIServer) -> None:
        self.stdio = stdio
        self.model = model

    async def ask(self, about: dict[str, Any], **arguments: Any) -> dict[str, Any]:
        call = {"name": "process_chrome_tab", "arguments": arguments, "_meta": about}
        return (await self.stdio.request("tools/call", **call))[0]

    async def poll(self, task: dict[str, Any], method: str = "tasks/get") -> dict[str, Any]:
        return (await self.stdio.request(method, taskId=task["taskId"], _meta=DECLARED))[0]

    async def end_of(self, task: dict[str, Any]) -> dict[str, Any]:
        async def ended() -> dict[str, Any] | None:
            state = await self.poll(task)
            return None if state["status"] == "working" else state

        return await until(ended)


@asynccontextmanager
async def serving(*replies: Reply) -> AsyncGenerator[Client]:
    async with FakeOpenAIServer(*replies) as model:
        flags = ("--ollama-url", model.url, "--model", "fake-model", "--source", "applescript")
        async with started(*flags) as stdio:
            yield Client(stdio, model)


@pytest.fixture(scope="module")
async def client(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Client]:
    """One server for the tests that leave nothing behind in it: starting one takes longer than all of them."""
    with pytest.MonkeyPatch.context() as patch:
        installed(tmp_path_factory.mktemp("fake"), patch)
        async with serving(THREE) as client:
            yield client


async def test_a_task_is_created_at_once_and_ends_with_what_the_call_would_have_returned(client: Client) -> None:
    task = await client.ask(DECLARED)
    state = await client.end_of(task)
    direct = await client.ask(PLAIN)

    assert (task["resultType"], task["status"]) == ("task", "working")
    assert (state["resultType"], state["status"], state["taskId"]) == ("complete", "completed", task["taskId"])
    assert state["result"]["content"][0]["text"].startswith("Three euros.")
    assert state["result"]["_meta"]["receipt"]["model"] == "fake-model"
    # Ten minutes after the call, which may take 15.
    assert task["ttlMs"] == 1_500_000
    assert 600_000 <= state["ttlMs"] < 700_000
    assert direct["resultType"] == "complete"
    assert direct["content"][0]["text"].startswith("Three euros.")


async def test_a_failed_call_is_a_completed_task_with_the_same_error(client: Client) -> None:
    state = await client.end_of(await client.ask(DECLARED, start="not on the page", nonsense=1))

    assert state["status"] == "completed"
    assert state["result"]["isError"] is True
    assert state["result"]["structuredContent"]["error"]["code"] == "INVALID_ARGUMENT"


async def test_cancelling_stops_the_model_request_and_the_status_reports_the_progress(client: Client) -> None:
    client.model.script = lambda request: HANG if request.instruction == "Hang." else THREE
    task = await client.ask(DECLARED, system_prompt="Hang.")
    await asyncio.wait_for(client.model.hanging.wait(), 60)
    working = await client.poll(task)
    assert await client.poll(task, "tasks/cancel") == {"resultType": "complete", "_meta": working["_meta"]}
    await asyncio.wait_for(client.model.left.wait(), 60)
    state = await client.end_of(task)

    assert (working["status"], "is reading the page" in working["statusMessage"]) == ("working", True)
    assert "result" not in working
    assert (state["status"], "result" in state) == ("cancelled", False)


async def test_of_a_hundred_finished_tasks_a_further_call_deletes_only_the_oldest(client: Client) -> None:
    tasks = list[dict[str, Any]]()
    for _ in range(101):
        tasks.append(await client.ask(DECLARED, start=""))
        await client.end_of(tasks[-1])

    assert (await client.stdio.refused("tasks/get", taskId=tasks[0]["taskId"], _meta=DECLARED))["code"] == -32_602
    assert (await client.poll(tasks[1]))["status"] == "completed"


async def test_short_tools_get_no_task(client: Client) -> None:
    short = (await client.stdio.request("tools/call", name="read_chrome_tab", arguments={}, _meta=DECLARED))[0]

    assert short["content"][0]["text"] == "the page"


@pytest.mark.usefixtures("osascript")
async def test_sessions_of_older_protocols_get_no_task() -> None:
    async with serving() as client:
        await client.stdio.initialize()
        older = await client.ask({CAPABILITIES: DECLARED[CAPABILITIES]})

    assert older["content"][0]["text"].startswith("An answer.")


@pytest.mark.parametrize(
    ("about", "task_id", "code"),
    [(PLAIN, "known", -32_021), (DECLARED, "unknown", -32_602)],
    ids=["undeclared", "unknown"],
)
async def test_a_task_is_only_accessible_to_clients_that_declare_the_extension_and_know_its_id(
    about: dict[str, Any], task_id: str, code: int, client: Client
) -> None:
    task = await client.ask(DECLARED)
    name = task["taskId"] if task_id == "known" else "x" * 32
    error = await client.stdio.refused("tasks/get", taskId=name, _meta=about)
    assert (await client.end_of(task))["status"] == "completed"

    assert error["code"] == code
