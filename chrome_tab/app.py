"""The full program: the reader of `chrome_tab_mcp_server.py` and everything that this package adds to it."""

from __future__ import annotations

import gc

gc.disable()  # as the server file does when started directly: imports create no garbage

import asyncio
import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import chrome_tab_mcp_server as server
from chrome_tab import resources
from chrome_tab.extension import commands
from chrome_tab.extension.both_sources import BothSources
from chrome_tab.extension.source import ExtensionSource
from chrome_tab.extension.tools import ExtensionToolProvider, ToolVisibilityMiddleware
from chrome_tab.tasks import TasksExtension

if TYPE_CHECKING:
    import contextlib

    from fastmcp import FastMCP
    from fastmcp.server.middleware import Middleware

    from chrome_tab.side_panel import SidePanel

__all__ = ["create_server", "main", "open_tabs"]


# --- The reader and its server ---


class RecordingTabs(server.ChromeTabs):
    """A reader that records its answers in the history."""

    async def answer(self, page: server.Page, query: server.Query, progress: server.Progress) -> server.Answer:
        """Return the model's answer; record it if it is new and the page is known not to be incognito."""
        answer = await super().answer(page, query, progress)
        if not query.recorded or page.incognito is not False or "cached" in answer.receipt:
            return answer
        from chrome_tab import history

        prompt = self.complete(page, query).prompt
        kept = await asyncio.to_thread(history.keep, prompt, answer.render(read=False), answer.receipt)
        return answer._replace(receipt={**answer.receipt, **kept})


def with_extension(source: ExtensionSource) -> server.ChromeTabs:
    """Return a reader that also uses this source, answers the side panel, and records a history if that is set."""
    reader = RecordingTabs if source.settings.history else server.ChromeTabs
    tabs = reader(source.settings, BothSources(source))

    @functools.cache
    def side_panel(profile: str) -> SidePanel:
        from chrome_tab.side_panel import SidePanel

        return SidePanel(tabs, source.bridge, profile)

    source.bridge.on_prompt = lambda message, profile: side_panel(profile).receive(message)
    return tabs


def open_tabs(settings: server.Settings) -> server.ChromeTabs:
    """Return the reader with everything that the settings allow, for use in the terminal."""
    source = ExtensionSource(settings)
    source.bridge.client = "terminal"
    return with_extension(source)


def create_server(settings: server.Settings) -> FastMCP:
    """Return the MCP server for these settings. It does nothing before the first request."""
    return server_for(ExtensionSource(settings))


def server_for(source: ExtensionSource) -> FastMCP:
    """Return the MCP server with the extension's tools, prompts and resources."""
    settings, tabs = source.settings, with_extension(source)
    middleware: list[Middleware] = [ToolVisibilityMiddleware(source)]
    if settings.transport == "http":
        from chrome_tab.http import CancelOnDisconnect

        middleware.append(CancelOnDisconnect())
    published = commands.published_names(settings)
    tasks = TasksExtension(settings)
    mcp = server.build_server(tabs, [ExtensionToolProvider(tabs, source)], middleware, published, [tasks])
    mcp.add_extension(tasks)
    resources.add_to(mcp, tabs, source.bridge)
    return mcp


# --- Command line ---


def serve(call: server.Invocation) -> server.Work:
    """Serve MCP over the configured transport."""
    settings = call.settings(need_model=True)
    if call.flags.get("open") and settings.transport == "stdio":
        raise ValueError("--open works only with --transport http or sse.")
    work = server.serve_stdio(create_server(settings)) if settings.transport == "stdio" else serve_http(settings)
    return server.until_signal(work)


async def serve_http(settings: server.Settings) -> int:
    """Serve any number of clients over HTTP or SSE."""
    from chrome_tab import http

    source = ExtensionSource(settings)
    return await http.serve_http(server_for(source), source.bridge, settings)


async def serve_browser(settings: server.Settings) -> int:
    """Answer prompts from the browser's side panel."""
    from chrome_tab import side_panel

    source = ExtensionSource(settings)
    return await side_panel.serve_browser(with_extension(source), source.bridge)


def serve_without_client(call: server.Invocation) -> server.Work:
    """Serve only the browser's side panel."""
    settings = call.settings(need_model=True)
    if "transport" in call.flags and settings.transport != "stdio":
        raise ValueError("--serve serves only the side panel. --transport serves MCP clients too: leave out --serve.")
    return server.until_signal(serve_browser(settings))


def pair(call: server.Invocation) -> server.Work:
    """Print the credentials for the extension or for HTTP clients."""
    from chrome_tab.cli.pair import pair

    return pair(call.settings(), over_http=bool(call.options["http"]))


def print_extension_path(_: server.Invocation) -> server.Work:
    """Print the folder to load the extension from."""
    print(server.EXTENSION)
    return 0


def set_up(call: server.Invocation) -> server.Work:
    """Set up, or undo it."""
    from chrome_tab.setup import steps

    return steps.run(call.value, call.flags, call.options)


def show_history(call: server.Invocation) -> server.Work:
    """Run the command given after --history."""
    from chrome_tab import history

    return history.run(call.value)


def show_progress(show: server.ShowAnswer) -> contextlib.AbstractContextManager[server.Progress]:
    """Return a progress that draws a bar in a terminal."""
    from chrome_tab.cli.progress import terminal_progress

    return terminal_progress(show)


def package_command() -> str:
    """Return the command that starts the installed package."""
    from chrome_tab import launcher

    return launcher.typed()


FLAG = {"action": "store_true"}
ACTIONS: dict[str, server.Action] = {
    "setup": server.Action(
        set_up,
        {
            "nargs": "?",
            "const": "add",
            "choices": ["add", "remove"],
            "metavar": "add|remove",
            "help": "find a model, pair the extension, register with your clients; remove undoes this",
        },
        {
            "yes": FLAG | {"help": "accept every proposal without asking"},
            "clients": {"metavar": "NAMES", "help": "register only these (comma-separated, or none)"},
            "at_login": FLAG | {"help": "start --serve at each login"},
        },
    ),
    **server.ACTIONS,
    "pair": server.Action(
        pair,
        FLAG | {"help": "print the connection string; in a terminal, wait for the extension"},
        {"http": FLAG | {"help": "print the bearer key for MCP over HTTP"}},
    ),
    "serve": server.Action(
        serve_without_client,
        FLAG | {"help": "answer the browser's side panel, without an MCP client"},
    ),
    "extension_path": server.Action(
        print_extension_path, FLAG | {"help": "print the extension folder to load in Chrome"}
    ),
    "history": server.Action(show_history, {"nargs": "*", "metavar": "list|show ID|search TEXT|clear"}),
}
PROGRAM = server.Program(ACTIONS, serve, open_tabs, show_progress)
server.package_command = package_command


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    gc.freeze()
    gc.enable()
    return server.main(argv, PROGRAM)
