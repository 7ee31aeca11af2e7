"""Long calls as MCP tasks: the extension `io.modelcontextprotocol/tasks` (SEP-2663).

A client that declares the extension with its call immediately gets a task, which it polls: the status message is the
progress, the result is available for 10 minutes after the end, and canceling closes the request to the model. Other
clients see no difference. Tasks are kept in this process's memory and end with it: `fastmcp-tasks`, which stores them
in a database server, does not suit a desktop tool.
"""

import asyncio
import secrets
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Literal

import mcp_types
from fastmcp.server.extensions import MethodBinding, ServerExtension
from fastmcp.server.middleware import Middleware
from fastmcp.tools.base import ToolResult
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.jsonrpc import MISSING_REQUIRED_CLIENT_CAPABILITY
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

import chrome_tab_mcp_server as server

TASK_TOOLS = frozenset({"process_chrome_tab", "process_chrome_tabs", "look_at_chrome_tab"})
RESULT_KEPT_S = 600
POLL_INTERVAL_MS = 2000
# At this number the oldest finished task is deleted; if none has finished, further calls do not become tasks.
MAX_TASKS = 100

# Whether the current call runs as a task: its request has already ended.
runs_as_task: ContextVar[bool] = ContextVar("runs_as_task", default=False)


class TaskState(BaseModel):
    """A task on the wire: `CreateTaskResult` if the result type is `task`, `GetTaskResult` if `complete`."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    result_type: Literal["task", "complete"]
    task_id: str
    status: Literal["working", "completed", "cancelled"]
    status_message: str
    created_at: str
    last_updated_at: str
    ttl_ms: int
    poll_interval_ms: int = POLL_INTERVAL_MS
    result: dict[str, Any] | None = None


class Acknowledgement(mcp_types.Result):
    """The empty result of `tasks/cancel` and `tasks/update`."""

    result_type: Literal["complete"] = Field(default="complete", serialization_alias="resultType")


class TaskParams(mcp_types.RequestParams):
    """The parameters of the extension's methods."""

    task_id: str = Field(alias="taskId")


class Task:
    """A tool call that outlives its request. `longest_s` is the call's time limit."""

    def __init__(self, call: asyncio.Task[ToolResult], longest_s: float) -> None:
        self.id = secrets.token_urlsafe(24)
        self.call = call
        self.message = "started"
        self._longest_s = longest_s
        self._created = self._updated = time.time()
        call.add_done_callback(self._end)

    async def report(self, _reached: float, message: str) -> None:
        """Store the call's progress for the next poll."""
        self.message, self._updated = server.well_formed(server.one_line(message, 300)), time.time()

    def _end(self, call: asyncio.Task[ToolResult]) -> None:
        self.message, self._updated = "cancelled" if call.cancelled() else "done", time.time()

    def kept_for_s(self) -> float:
        """Return how long after its creation the task can be polled, in seconds."""
        return RESULT_KEPT_S + (self._updated - self._created if self.call.done() else self._longest_s)

    def is_over(self) -> bool:
        """Return whether the task can be deleted."""
        return self.call.done() and time.time() > self._created + self.kept_for_s()

    def state(self, result_type: Literal["task", "complete"]) -> TaskState:
        """Return the task's state for the client, with the result once there is one."""
        created, updated = (datetime.fromtimestamp(then, UTC).isoformat() for then in (self._created, self._updated))
        state = TaskState(
            result_type=result_type,
            task_id=self.id,
            status="working",
            status_message=self.message,
            created_at=created,
            last_updated_at=updated,
            ttl_ms=int(1000 * self.kept_for_s()),
        )
        if not self.call.done():
            return state
        if self.call.cancelled():
            return state.model_copy(update={"status": "cancelled"})
        error = self.call.exception()
        result = server.internal_error("a task", error).result() if error else self.call.result()
        return state.model_copy(update={"status": "completed", "result": call_tool_result(result)})


def call_tool_result(result: ToolResult) -> dict[str, Any]:
    """Return a tool's result in the form that `tools/call` returns."""
    answer = mcp_types.CallToolResult(
        content=result.content,
        structured_content=result.structured_content,
        is_error=result.is_error,
        _meta=result.meta,
    )
    return answer.model_dump(by_alias=True, mode="json", exclude_none=True)


class TasksExtension(ServerExtension, Middleware):
    """Runs the long tools as tasks if the client declares the extension. The outermost middleware."""

    identifier = "io.modelcontextprotocol/tasks"

    def __init__(self, settings: server.Settings) -> None:
        self._longest_s = settings.max_seconds
        self._tasks: dict[str, Task] = {}

    def methods(self) -> Sequence[MethodBinding]:
        """Return the extension's methods: `tasks/get`, `tasks/cancel`, `tasks/update`."""
        handlers = {"tasks/get": self._get, "tasks/cancel": self._cancel, "tasks/update": self._update}
        versions = frozenset(MODERN_PROTOCOL_VERSIONS)
        return [MethodBinding(method, TaskParams, handler, versions) for method, handler in handlers.items()]

    @asynccontextmanager
    async def lifespan(self) -> AsyncGenerator[None]:
        """Cancel the running tasks at shutdown, and wait for them."""
        try:
            yield
        finally:
            calls = [task.call for task in self._tasks.values()]
            for call in calls:
                call.cancel()
            if calls:
                await asyncio.wait(calls)

    async def on_call_tool(self, context: server.ToolCall, call_next: server.RunTool) -> Any:
        """Start a task instead of the call if the tool is a long one and the client supports tasks."""
        if context.message.name not in TASK_TOOLS or not self._is_declared(context) or not self._make_room():
            return await call_next(context)
        started = asyncio.get_running_loop().create_future()

        async def run() -> ToolResult:
            task: Task = await started
            runs_as_task.set(True)
            server.progress_listener.set(task.report)
            return await call_next(context)

        task = Task(asyncio.create_task(run()), self._longest_s)
        started.set_result(task)
        self._tasks[task.id] = task
        return task.state("task")

    def _is_declared(self, context: server.ToolCall) -> bool:
        request = context.fastmcp_context
        if not request or not request.request_context:
            return False
        is_modern = request.request_context.protocol_version in MODERN_PROTOCOL_VERSIONS
        return is_modern and request.client_extension_settings(self.identifier) is not None

    def _make_room(self) -> bool:
        self._tasks = {key: task for key, task in self._tasks.items() if not task.is_over()}
        if len(self._tasks) < MAX_TASKS:
            return True
        finished = [key for key, task in self._tasks.items() if task.call.done()]
        for oldest in finished[:1]:
            del self._tasks[oldest]
        return bool(finished)

    def _task(self, context: ServerRequestContext[Any, Any], params: TaskParams) -> Task:
        if self.client_settings(context) is None:
            raise MCPError(
                MISSING_REQUIRED_CLIENT_CAPABILITY,
                f"Declare the extension {self.identifier} with this request.",
                {"requiredCapabilities": {"extensions": {self.identifier: {}}}},
            )
        task = self._tasks.get(params.task_id)
        if task is None or task.is_over():
            sentence = (
                "There is no such task. Results are kept for 10 minutes while the server runs; call the tool again."
            )
            raise MCPError(mcp_types.INVALID_PARAMS, sentence)
        return task

    async def _get(self, context: ServerRequestContext[Any, Any], params: TaskParams) -> TaskState:
        return self._task(context, params).state("complete")

    async def _cancel(self, context: ServerRequestContext[Any, Any], params: TaskParams) -> Acknowledgement:
        self._task(context, params).call.cancel()
        return Acknowledgement()

    async def _update(self, context: ServerRequestContext[Any, Any], params: TaskParams) -> Acknowledgement:
        # None of our tools asks the client for input, so there is nothing to update.
        self._task(context, params)
        return Acknowledgement()
