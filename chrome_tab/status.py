"""How each layer stands, from the browser to the model's window: `chrome_tab_status` and `--doctor`.

The server imports this module when it is first used.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import chrome_tab_mcp_server as server
from chrome_tab.bridge.bridge import Bridge, Role

__all__ = ["Layer", "applescript_layers", "status"]


class Layer(NamedTuple):
    """How one layer stands: its name, whether it works (None: not known), and what it is or how to mend it."""

    name: str
    ok: bool | None
    text: str

    def __str__(self) -> str:
        """Return the line that is printed of it."""
        return f"{self.name:<11}{ {True: 'ok', False: 'FIX', None: '?'}[self.ok]:<4}{self.text}"


async def status(tabs: server.ChromeTabs) -> list[Layer]:
    """Return how each layer stands, from the browser to the model's window."""
    settings = tabs.settings
    layers: list[Layer] = []
    mac = sys.platform == "darwin"
    if settings.source == "applescript" or (settings.source == "auto" and mac):
        layers += await applescript_layers(tabs)
    if settings.source != "applescript":
        layers += await extension_layers(tabs.bridge, optional=mac and settings.source == "auto")
    layers += await model_layers(tabs)
    if settings.denied_hosts:
        layers.append(Layer("sites", ok=True, text=f"no tool touches {', '.join(settings.denied_hosts)}"))
    if settings.sites:
        layers.append(await site_layer(tabs, layers))
    return layers


async def applescript_layers(tabs: server.ChromeTabs) -> list[Layer]:
    """Return how reading by AppleScript stands."""
    browser, notes = await tabs.applescript.choose()
    problem = None if tabs.applescript.available() else server.NO_OSASCRIPT
    if not problem and sys.platform == "darwin":
        problem = await compile_problem(browser)
    if problem:
        return [Layer("browser", ok=False, text=problem)]
    chosen = ", chosen by --browser auto" if tabs.settings.browser == "auto" else ""
    answers = Layer("browser", ok=True, text="; ".join((f"{browser} answers{chosen}", *notes)))
    try:
        page = await tabs.applescript.read(server.Wanted())
    except server.ChromeTabError as error:
        if error.code == "NO_BROWSER":
            unknown = Layer("permission", ok=None, text="not known while the browser is away")
            return [Layer("browser", ok=False, text=error.message), unknown]
        if error.code in {"EMPTY_PAGE", "UNREADABLE_PAGE"}:
            return [answers, Layer("permission", ok=True, text=f"AppleScript reaches the active tab. {error.message}")]
        return [answers, Layer("permission", ok=False, text=error.message)]
    text = f"AppleScript reads the active tab ({len(page.text):,} characters)"
    return [answers, Layer("permission", ok=True, text=text)]


async def compile_problem(browser: str) -> str | None:
    """Compile the script by macOS's own compiler; return what is wrong with it, None when it compiles or cannot be checked."""
    with server.script_for(browser) as script, tempfile.TemporaryDirectory(prefix="chrome_tab_") as folder:
        command = ["osacompile", "-o", str(Path(folder) / "compiled.scpt"), str(script)]
        try:
            async with (
                server.killed_unless_done(command, os.environ) as process,
                asyncio.timeout(server.OSASCRIPT_TIMEOUT_S),
            ):
                _, err = await process.communicate()
        except (OSError, TimeoutError):
            return None
    if process.returncode == 0:
        return None
    said = server.one_line(err.decode("utf-8", "replace"), 300)
    return f"chrome_tab.scpt does not compile for {browser}: {said}. Is {browser} installed?"


async def extension_layers(bridge: Bridge, *, optional: bool) -> list[Layer]:
    """Return how the port and the extension stand; `optional` where AppleScript does the reading."""
    try:
        await bridge.reach(0 if optional else None)
        text = f"connected, version {bridge.extension['version']}"
    except server.ChromeTabError as error:
        text = "not connected, and not needed to read by AppleScript" if optional else error.message
    if bridge.problem:
        return [Layer("bridge", ok=False, text=bridge.problem.message)]
    owner = bridge.role is Role.OWNER
    way = f"listening on {server.HOST}:{bridge.port}" if owner else f"through the session that holds port {bridge.port}"
    return [Layer("bridge", ok=True, text=way), Layer("extension", bridge.connected or optional, text)]


async def model_layers(tabs: server.ChromeTabs) -> list[Layer]:
    """Return how the model server, the model and its window stand; the model is asked for one word."""
    model_server, model = tabs.analyst.server, tabs.settings.model or ""
    if missing := server.missing_settings(tabs.settings):
        return [Layer("model", ok=False, text=missing)]
    try:
        names = await model_server.models()
        if names and not {model, f"{model}:latest"} & set(names):
            text = f"{model_server.url} has no model {model!r}; it has: {', '.join(names[:20])}"
            return [Layer("model", ok=False, text=text)]
        window = await tabs.analyst.window(model)
        await server.tell(f"asking {model} for one word")
        began = time.monotonic()
        prompt = [{"role": "system", "content": "Answer with one word."}, {"role": "user", "content": "Ready?"}]
        answer = await model_server.complete(model, prompt, watcher=server.Progress(None), stream=False)
    except server.ChromeTabError as error:
        return [Layer("model", ok=False, text=error.message)]
    said = f"{server.one_line(answer.text, 40)!r} after {time.monotonic() - began:.1f} s when asked for one word"
    return [
        Layer("model", ok=True, text=f"{model} at {model_server.url} said {said}"),
        Layer("window", ok=True, text=f"{window.tokens:,} tokens ({window.origin})"),
    ]


async def site_layer(tabs: server.ChromeTabs, layers: Sequence[Layer]) -> Layer:
    """Return what `[sites]` says about the active tab, if one of the layers can read it."""
    if not any(layer.ok for layer in layers if layer.name in {"permission", "extension"}):
        return Layer("this site", ok=None, text="not known while no tab can be read")
    try:
        return Layer("this site", ok=True, text=await tabs.site_told())
    except server.ChromeTabError as error:
        return Layer("this site", ok=None, text=f"not known: {error.message}")
