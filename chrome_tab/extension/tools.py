"""The tools that are commands of the extension."""

from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Sequence,
)
from typing import TYPE_CHECKING, Annotated, Any

import mcp_types
from fastmcp import Context
from fastmcp.exceptions import ValidationError
from fastmcp.server.dependencies import get_context
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from fastmcp.server.providers import LocalProvider
from fastmcp.tools.base import Tool, ToolResult
from mcp.server.session import ServerSession
from pydantic import Field
from pydantic import ValidationError as PydanticValidationError
from pydantic.json_schema import SkipJsonSchema

import chrome_tab_mcp_server as server
from chrome_tab.bridge import pairing, protocol
from chrome_tab.bridge.command_table import extension_commands
from chrome_tab.extension import commands, results
from chrome_tab.extension.both_sources import script_lists
from chrome_tab.extension.source import ExtensionSource

if TYPE_CHECKING:
    from fastmcp.utilities.versions import VersionSpec

    from chrome_tab.extension.screenshots import Screenshots
    from chrome_tab.extension.uploads import Uploads

START_DELAY_S = 0.3
SESSIONLESS_PROTOCOL = "2026-07-28"
MAX_SESSIONS = 1_000
NOTIFY_TIMEOUT_S = 5.0
READER_TOOLS = (*server.READER_TOOLS, "look_at_chrome_tab")


class SubscribedSessions(OrderedDict[int, tuple[ServerSession, object]]):
    """The sessions that are notified of a change; one that has ended is removed at the next notification."""

    def remember(self, session: ServerSession, shown: object = None) -> None:
        """Store a client's session, and what it was shown.

        Each request has its own object; those of one client share `client_params`.
        """
        self[id(session.client_params)] = session, shown
        while len(self) > MAX_SESSIONS:
            self.popitem(last=False)

    async def notify(self, notification: mcp_types.ServerNotification, now: object = ...) -> None:
        """Send a notification to all sessions but those that were shown the same; none of them delays the others."""
        changed = [key for key, (_, shown) in self.items() if shown != now]
        await asyncio.gather(*(self._notify(key, notification) for key in changed))

    async def _notify(self, key: int, notification: mcp_types.ServerNotification) -> None:
        try:
            async with asyncio.timeout(NOTIFY_TIMEOUT_S):
                await self[key][0].send_notification(notification)
        except Exception as error:  # noqa: BLE001 -- a stream that has ended may raise anything
            server.logger.debug("a session is gone: %s", type(error).__name__)
            self.pop(key, None)


class ToolVisibilityMiddleware(Middleware):
    """Lists the extension's tools only while it is connected, and notifies clients of changes.

    Clients of the sessionless protocol cannot be notified, so they always see these tools. Many others list only once:
    until the first connection, these tools are listed if the extension was connected recently, and calls wait for it.
    """

    def __init__(self, source: ExtensionSource) -> None:
        self._source, self._bridge = source, source.bridge
        # Whether the extension may still connect for the first time.
        self._may_come = source.settings.source != "applescript"
        self._starting: asyncio.Task[None] | None = None
        self._sessions = SubscribedSessions()
        self._tools: Sequence[Tool] = ()
        self._bridge.on_change = self._changed

    async def on_request(self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]) -> Any:
        """Open the port soon after the first request."""
        if self._starting is None:
            self._starting = asyncio.create_task(self._start_soon())
        request = context.fastmcp_context and context.fastmcp_context.request_context
        if request and request.session.client_params:
            self._bridge.client = server.one_line(
                request.session.client_params.client_info.name, protocol.MAX_CLIENT_NAME
            )
        return await call_next(context)

    async def _start_soon(self) -> None:
        # Other tasks write the first response, which must not wait for the imports that the port needs.
        await asyncio.sleep(START_DELAY_S)
        await self._source.start()

    async def on_list_tools(
        self, context: MiddlewareContext[Any], call_next: CallNext[Any, Sequence[Tool]]
    ) -> Sequence[Tool]:
        """Leave out tools that cannot be used now."""
        self._tools = await call_next(context)
        request = context.fastmcp_context and context.fastmcp_context.request_context
        if request is None or request.protocol_version >= SESSIONLESS_PROTOCOL:
            return self._tools
        usable = self._usable()
        self._sessions.remember(request.session, [tool.name for tool in usable])
        return usable

    def _usable(self) -> Sequence[Tool]:
        """Return the tools that can be used now."""
        if self._bridge.connected:
            return [tool for tool in self._tools if getattr(tool, "command", "") not in self._bridge.missing]
        if self._may_come and pairing.connected_lately(self._bridge.port):
            return self._tools
        usable = READER_TOOLS + server.SCRIPT_TOOLS if script_lists(self._source) else READER_TOOLS
        return [tool for tool in self._tools if tool.name in usable]

    def _changed(self) -> None:
        """Notify the sessions whose list has changed: a client that awaits its new list in the handler would hang."""
        self._may_come = False
        usable = [tool.name for tool in self._usable()]
        self._bridge.spawn(self._sessions.notify(mcp_types.ToolListChangedNotification(), usable))


class ExtensionToolProvider(LocalProvider):
    """The tools that need the extension, and their screenshots.

    The tools are created when they are first requested, so that `initialize` need not wait for them.
    """

    def __init__(self, tabs: server.ChromeTabs, source: ExtensionSource) -> None:
        super().__init__(on_duplicate="replace")
        self._tabs, self._source, self._complete = tabs, source, False
        self._screenshots: Screenshots | None = None
        self._uploads: Uploads | None = None
        if tabs.settings.upload_folder:
            self._made_uploads()

    @contextlib.asynccontextmanager
    async def lifespan(self) -> AsyncGenerator[None]:
        """Delete the copies of uploaded files at shutdown."""
        async with super().lifespan():
            try:
                yield
            finally:
                if self._uploads:
                    self._uploads.close()
                    server.cleanups.discard(self._uploads.close)

    def _made_uploads(self) -> Uploads:
        """Return the uploads, created with the server because they resolve links of the allowed folders only once."""
        from chrome_tab.extension.uploads import Uploads

        uploads = self._uploads = self._uploads or Uploads(self._tabs.settings.upload_folder)
        server.cleanups.add(uploads.close)
        return uploads

    async def _list_tools(self) -> Sequence[Tool]:
        self._add_tools()
        return await super()._list_tools()

    async def _get_tool(self, name: str, version: VersionSpec | None = None) -> Tool | None:
        self._add_tools()
        return await super()._get_tool(name, version)

    def _add_tools(self) -> None:
        if self._complete:
            return
        self._complete = True
        add_vision_tool(self, self._tabs, self._source)
        server.add_tab_tools(self, self._tabs)
        published = commands.published_names(self._tabs.settings)
        for command, about in extension_commands().items():
            if command in server.SCRIPT_TOOLS:
                continue
            renamed = {"tab_id": "tabId"} if command in published else {}
            properties = {
                renamed.get(name, name): commands.listed_schema(each) for name, each in about["parameters"].items()
            }
            required = {"required": about["required"]} if "required" in about else {}
            tool = CommandTool(
                name=published.get(command, command),
                title=about.get("title", command.replace("_", " ").title()),
                description=about["description"],
                annotations=commands.HINTS[about["hint"]],
                parameters={"type": "object", "properties": properties} | required,
                command=command,
                send=self._send,
            )
            self.add_tool(tool)

    async def _send(self, command: str, tab_id: int | None, given: dict[str, Any]) -> ToolResult:
        """Run a command and return the tool's result."""
        source = self._source
        match command:
            case "list_tabs":
                result = server.list_result(await source.attached_tabs())
            case "browser_create_tab":
                result = results.acted(await source.create_tab(given))
            case "getDataLayer":
                from chrome_tab.extension.data_layer import data_layer_result

                path = given.pop("path", None)
                result = await data_layer_result(await source.data_layer(tab_id, given), given.get("since"), path)
            case "screenshot":
                from chrome_tab.extension.screenshots import Screenshots

                name = given.pop("name", None)
                kept = self._screenshots = self._screenshots or Screenshots(self)
                result, list_changed = kept.keep(await source.drive(command, tab_id, given), name)
                if list_changed:
                    await get_context().send_notification(mcp_types.ResourceListChangedNotification())
            case "console_logs" | "network_requests":
                reported = await source.logs(command, tab_id, given)
                result = (
                    results.value_result(reported["entries"], reported)
                    if given.get("body_of")
                    else results.log_result(reported)
                )
            case _:
                result = await self._drive(command, tab_id, given)
        return result

    async def _drive(self, command: str, tab_id: int | None, given: dict[str, Any]) -> ToolResult:
        """Run a command with the client's arguments; addresses and paths are checked first."""
        if command == "navigate":
            given["url"] = self._source.allowed_address(given["url"])
        elif command == "upload":
            given["paths"] = await asyncio.to_thread(self._made_uploads().copy, given["paths"])
        result = await self._source.drive(command, tab_id, given)
        match command:
            case "evaluate":
                return results.value_result(result.get("value"), result)
            case "page_elements":
                return ToolResult(str(result.pop("text", "")), meta={"receipt": result})
            case _:
                return results.acted(result)


def add_vision_tool(provider: LocalProvider, tabs: server.ChromeTabs, source: ExtensionSource) -> None:
    """Add the tool that has a local model look at a screenshot of a tab."""

    @server.register_tool(
        provider,
        server.READ_ONLY,
        "Ask a local vision model how an attached tab looks; it gets a screenshot, you only its answer.",
    )
    async def look_at_chrome_tab(
        context: Context,
        *,
        question: Annotated[str, Field(min_length=1)],
        selector: Annotated[str | server.Omitted, server.optional()],
        tab_id: server.TabId,
        model: Annotated[str | server.Omitted, server.optional()],
    ) -> ToolResult:
        from chrome_tab.extension.vision import Look, look

        wanted = Look(question, selector, tab_id, model)
        answer = await look(tabs, source, wanted, server.client_progress(context))
        return ToolResult(answer.render(), meta={"receipt": answer.receipt})


class CommandTool(server.CompactTool):
    """A tool that is a command of the extension: `send` runs the command on a tab with the given arguments."""

    command: str
    send: SkipJsonSchema[Callable[[str, int | None, dict[str, Any]], Awaitable[ToolResult]]]

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        """Validate the arguments against commands.json, then run the command."""
        parameters = extension_commands()[self.command]["parameters"]
        defaults = {name: schema["default"] for name, schema in parameters.items() if "default" in schema}
        try:
            checked = commands.arguments_of(self.command).validate_python(defaults | arguments)
        except PydanticValidationError as error:
            raise ValidationError(str(error)) from error
        return await self.send(self.command, checked.pop("tab_id", None), checked)
