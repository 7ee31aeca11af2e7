"""MCP prompts and resources.

`tab://active` and `tab://ID` return a tab's text in pages, `analysis://ID` an analysis from the history. Clients that
have listed resources or subscribed to `tab://active` are notified when tabs are attached, detached or navigate.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import Any

import mcp_types
from fastmcp import FastMCP
from fastmcp.exceptions import ResourceError
from fastmcp.prompts import Prompt
from fastmcp.resources import Resource, ResourceContent, ResourceResult
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from fastmcp.server.providers import LocalProvider
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
)
from mcp.shared.exceptions import MCPError
from pydantic import AnyUrl

import chrome_tab_mcp_server as server
from chrome_tab.bridge.bridge import Bridge
from chrome_tab.extension import tools

ACTIVE = "tab://active"
PAGE_CHARS = 20_000
# An id or an offset, no larger than a browser's ids or a text's length can be.
NUMBER = re.compile(r"[0-9]{1,15}")
# Tabs change often and several at once; clients get one notification for all changes within this time.
SETTLING_S = 1.0
EXACTLY = "Give its answer as it is, with the note at its end if there is one, and do not read the text yourself."
# Claude Code splits the line after a prompt's name at spaces: the first word becomes the first argument, the second
# word the next, and the rest appears only in its own record of the command.
WHOLE_LINE = (
    "If the line that I typed has more words than that, take the whole line instead; a number in it is a tab's id only "
    "where I say so."
)
PROMPT_ARGUMENTS = {
    "question": "what to find out",
    "what": "what to get",
    "tab_id": "a tab's id; default: the active tab",
}


def add_to(mcp: FastMCP, tabs: server.ChromeTabs, bridge: Bridge) -> None:
    """Add prompts and resources to a server, and notify its clients when tabs change."""
    add_prompts(mcp)
    offers = TabResources(tabs, bridge)
    mcp.add_provider(offers)
    add_texts(mcp, tabs)
    mcp.add_middleware(TabNews(mcp, bridge))


# --- Prompts ---


def add_prompts(mcp: FastMCP) -> None:
    """Add the prompts `/summarize_tab`, `/ask_tab` and `/extract_tab`."""

    def summarize_tab(tab_id: str = "") -> str:
        argument = "As system_prompt, ask for a summary in a few sentences, with the page's main points and figures."
        return request(tab_id, argument)

    def ask_tab(question: str, tab_id: str = "") -> str:
        return request(tab_id, f"As system_prompt, pass my question in my own words: {question}\n\n{WHOLE_LINE}")

    def extract_tab(what: str, tab_id: str = "") -> str:
        argument = (
            f"As output_schema, pass a JSON Schema for what I want, with a list where there are several. I want: {what}"
        )
        return request(tab_id, f"{argument}\n\n{WHOLE_LINE}")

    # From docstrings FastMCP would import a parser for them at every start.
    for function, description in (
        (summarize_tab, "Summarize the page that is open in the browser."),
        (ask_tab, "Ask a question about the page that is open in the browser."),
        (extract_tab, "Get facts from the page that is open in the browser as JSON."),
    ):
        prompt = Prompt.from_function(function, description=description)
        # As annotations they would get a JSON schema appended, which clients show to the user.
        for argument in prompt.arguments or ():
            argument.description = PROMPT_ARGUMENTS[argument.name]
        mcp.add_prompt(prompt)


def request(tab_id: str, argument: str) -> str:
    """Return a prompt's message to the client's model; `argument` is a sentence about an argument of the tool."""
    which = f" with tab_id {tab_id}" if tab_id.isdecimal() else ""
    return f"Call process_chrome_tab{which}. {argument}\n\n{EXACTLY}"


# --- Resources ---


class TabResources(LocalProvider):
    """The open tabs as a list of resources. Resource templates provide their texts."""

    def __init__(self, tabs: server.ChromeTabs, bridge: Bridge) -> None:
        super().__init__()
        self._tabs, self._bridge = tabs, bridge

    async def _list_resources(self) -> Sequence[Resource]:
        active = Resource(uri=AnyUrl(ACTIVE), name="active-tab", title="The active tab", mime_type="text/plain")
        return [active, *map(tab_resource, await self._open())]

    async def _open(self) -> list[dict[str, Any]]:
        """Return the tabs that can be listed without waiting for the extension to connect."""
        if not self._bridge.connected:
            return []
        try:
            return [tab for tab in await self._tabs.tabs() if "id" in tab]
        except server.ChromeTabError:
            return []


def tab_resource(tab: Mapping[str, Any]) -> Resource:
    """Return the resource entry of an open tab."""
    number, title, url = tab.get("id"), str(tab.get("title", "")), server.one_line(str(tab.get("url", "")), 300)
    description = f"{tab['browser']}: {url}" if tab.get("browser") else url
    return Resource(
        uri=AnyUrl(f"tab://{number}"),
        name=f"tab-{number}",
        title=title or url,
        description=description,
        mime_type="text/plain",
    )


def add_texts(mcp: FastMCP, tabs: server.ChromeTabs) -> None:
    """Add the resource templates of tabs and analyses."""

    @mcp.resource(
        "tab://{tab}{?offset}",
        name="tab-text",
        title="Text of an open tab",
        description=f"{PAGE_CHARS:,} characters from offset on; tab is an id or active",
        mime_type="text/plain",
    )
    async def tab_text(tab: str, offset: str = "0") -> ResourceResult:
        if not (NUMBER.fullmatch(offset) and (tab == "active" or NUMBER.fullmatch(tab))):
            raise server.ChromeTabError(
                "INVALID_ARGUMENT",
                "The address must be tab://active or tab://ID, with ?offset=NUMBER to continue. The list of resources names the tabs.",
            )
        server.current_tool.set("read_chrome_tab")  # the tool that [sites] is checked for
        page = await tabs.read(server.ReadOptions(), None if tab == "active" else int(tab))
        shown = server.sent_result(server.paginate(page, int(offset), PAGE_CHARS))
        texts = [block.text for block in shown.content if isinstance(block, mcp_types.TextContent)]
        return ResourceResult([ResourceContent(text, mime_type="text/plain") for text in texts], shown.meta)

    if not tabs.settings.history:
        return

    @mcp.resource("analysis://{number}", name="analysis", title="A stored analysis", mime_type="application/json")
    async def analysis(number: str) -> ResourceResult:
        from chrome_tab import history

        kept = await asyncio.to_thread(history.analysis, number)
        server.check_site(tabs.settings, kept["url"])
        return ResourceResult([ResourceContent(kept, mime_type="application/json")])


# --- Notifications ---


class TabNews(Middleware):
    """Notifies clients of changed tabs, and turns failed reads into error messages."""

    def __init__(self, mcp: FastMCP, bridge: Bridge) -> None:
        self._bridge, self._bus = bridge, InMemorySubscriptionBus()
        # Clients of the protocols with sessions: those that listed resources, and those subscribed to the active tab.
        self._listing, self._subscribed = tools.SubscribedSessions(), tools.SubscribedSessions()
        self._settling: asyncio.Task[None] | None = None
        self._bridge.on_tabs_change = self._heard
        low_level = mcp._mcp_server  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] -- FastMCP has no subscriptions
        low_level.add_request_handler("resources/subscribe", mcp_types.SubscribeRequestParams, self._subscribe)
        low_level.add_request_handler("resources/unsubscribe", mcp_types.UnsubscribeRequestParams, self._unsubscribe)
        # Clients of the sessionless protocol open a stream instead.
        listen = ListenHandler(self._bus)
        low_level.add_request_handler("subscriptions/listen", mcp_types.SubscriptionsListenRequestParams, listen)

    async def on_list_resources(
        self, context: MiddlewareContext[Any], call_next: CallNext[Any, Sequence[Resource]]
    ) -> Sequence[Resource]:
        """Remember the session, to notify it when the list changes."""
        fastmcp = context.fastmcp_context
        if fastmcp and fastmcp.request_context:
            self._listing.remember(fastmcp.request_context.session)
        return await call_next(context)

    async def on_read_resource(
        self, context: MiddlewareContext[Any], call_next: CallNext[Any, ResourceResult]
    ) -> ResourceResult:
        """Read a resource; report a failure as a sentence with its code."""
        try:
            return await call_next(context)
        except server.ChromeTabError as error:
            raise ResourceError(f"{error.message} [{error.code}]") from None

    async def _subscribe(
        self, context: ServerRequestContext[Any, Any], params: mcp_types.SubscribeRequestParams
    ) -> mcp_types.EmptyResult:
        if str(params.uri) != ACTIVE:
            sentence = f"Only {ACTIVE} can be subscribed to. Read other tabs when the list of resources changes."
            raise MCPError(code=mcp_types.INVALID_PARAMS, message=sentence)
        self._subscribed.remember(context.session)
        return mcp_types.EmptyResult()

    async def _unsubscribe(
        self, context: ServerRequestContext[Any, Any], _params: mcp_types.UnsubscribeRequestParams
    ) -> mcp_types.EmptyResult:
        self._subscribed.pop(id(context.session.client_params), None)
        return mcp_types.EmptyResult()

    def _heard(self) -> None:
        """Schedule a notification of a change; changes within SETTLING_S share one."""
        if self._settling is None or self._settling.done():
            self._settling = self._bridge.spawn(self._notify())

    async def _notify(self) -> None:
        await asyncio.sleep(SETTLING_S)
        about = mcp_types.ResourceUpdatedNotificationParams(uri=ACTIVE)
        news: list[tuple[tools.SubscribedSessions, mcp_types.ServerNotification, ServerEvent]] = [
            (self._listing, mcp_types.ResourceListChangedNotification(), ResourcesListChanged()),
            (self._subscribed, mcp_types.ResourceUpdatedNotification(params=about), ResourceUpdated(uri=ACTIVE)),
        ]
        for sessions, notification, event in news:
            await self._bus.publish(event)
            self._bridge.spawn(sessions.notify(notification))
