"""Set-up in the terminal: `chrome_tab_mcp_server.py --setup`, and `--setup remove`, which takes it back.

One run that can be repeated: find a model, write config.toml, pair the extension, register the server with the
clients that are there, and get a first answer. Each change is shown before it is made, a file's earlier state is
kept beside it, and files are replaced whole or not at all. No shell is ever asked.

Chapters: 1 Terminal. 2 Changes. 3 Model servers. 4 Settings. 5 Browser. 6 JSON files. 7 Clients. 8 Start at login.
9 First answer. 10 Set-up and removal.
"""

from __future__ import annotations

import asyncio
import contextlib
import difflib
import json
import math
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from textwrap import TextWrapper
from typing import Any, NamedTuple

import platformdirs
import pyperclip
import tomlkit
from rich.console import Console
from rich.prompt import Confirm, Prompt
from rich.table import Table
from rich.text import Text

import chrome_tab_mcp_server as server
from chrome_tab import history as chrome_tab_history
from chrome_tab import launcher as package
from chrome_tab.bridge import pairing, protocol
from chrome_tab.cli.progress import terminal_progress
from chrome_tab.extension.source import PAIRING_WAIT_S, ExtensionSource
from chrome_tab.setup import autostart as login

__all__ = ["run"]

LOOK_TIMEOUT_S = 10.0
CLIENT_TIMEOUT_S = 60.0
MAX_LISTED_MODELS = 15
BACKUP = ".before-setup"


# --- 1. Terminal -------------------------------------------------------------------------------


class SetupError(Exception):
    """What could not be done, and what to do instead, as a sentence."""


class Terminal:
    """What is said and asked; with `yes` nothing is asked, and what is proposed is taken."""

    def __init__(self, *, yes: bool) -> None:
        self.yes = yes
        # Whether something is left for the person to mend.
        self.failed = False
        self._steps = 0
        self.console = Console(markup=False, highlight=False, emoji=False)

    def manner(self) -> str:
        """Say how changes are made."""
        shown = "Each change is shown"
        return (
            f"{shown}, and made without a question."
            if self.yes
            else f"{shown} before you are asked whether to make it."
        )

    def heading(self, text: str) -> None:
        """Begin the next step."""
        self._steps += 1
        self.console.print(f"\n{self._steps}. {text}", style="bold")

    def say(self, text: str, style: str = "", indent: int = 0) -> None:
        """Say a sentence; what others wrote is in it as text only, and no long path is broken in two."""
        wrap = TextWrapper(self.console.width, break_long_words=False, break_on_hyphens=False)
        wrap.initial_indent = wrap.subsequent_indent = " " * indent
        self.exact(wrap.fill(server.strip_controls(text)), style)

    def fail(self, sentence: str) -> None:
        """Say what could not be done; the run goes on, and ends with status 1."""
        self.failed = True
        self.say(sentence, "yellow")

    def exact(self, line: str, style: str = "") -> None:
        """Print a line that is to be copied: it is not broken at the window's edge."""
        self.console.print(server.strip_controls(line), style=style, soft_wrap=True)

    def confirm(self, question: str, *, proposed: bool = True) -> bool:
        """Ask for yes or no."""
        if self.yes:
            return proposed
        return Confirm.ask(Text(question), console=self.console, default=proposed, case_sensitive=False)

    def ask(self, question: str, proposed: str) -> str:
        """Ask for a text."""
        return proposed if self.yes else Prompt.ask(Text(question), console=self.console, default=proposed).strip()


# --- 2. Changes --------------------------------------------------------------------------------


class Change(NamedTuple):
    """Something to be changed: what for, the lines that say how, and what makes it."""

    title: str
    lines: Sequence[str]
    make: Callable[[], None]


def carry_out(terminal: Terminal, change: Change, question: str, *, proposed: bool = True) -> bool:
    """Show a change, ask, make it; say whether it has been made."""
    terminal.say(change.title)
    for line in change.lines:
        terminal.exact(f"  {line}", {"+": "green", "-": "red"}.get(line[:1], "cyan"))
    if not terminal.confirm(question, proposed=proposed):
        terminal.say("Nothing was changed here.")
        return False
    try:
        change.make()
    except SetupError as problem:
        terminal.fail(str(problem))
        return False
    except OSError as error:
        terminal.fail(f"That could not be written ({error.strerror or error}). Fix it, then run --setup again.")
        return False
    return True


def read_file(path: Path) -> str | None:
    """Return a file's text with its own line ends, None when there is no file; raise SetupError for any other."""
    try:
        return server.read_regular(path).decode()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        problem = getattr(error, "strerror", None) or error
        raise SetupError(f"{path} cannot be read ({problem}), so it stays as it is.") from None


def require_writable(path: Path) -> None:
    """Raise SetupError for a file that is write-protected or that another user owns.

    A file is replaced with the permissions of its folder, so its own are checked here. `os.access` allows root
    everything, so mode and owner are checked too: what root replaces, its owner could no longer write.
    """
    try:
        about = path.stat()
    except FileNotFoundError:
        return
    if os.name == "posix" and about.st_uid != os.geteuid():
        raise SetupError(f"{path} belongs to another user, so it stays as it is. Run --setup as that user.")
    if not about.st_mode & stat.S_IWUSR or not os.access(path, os.W_OK):
        raise SetupError(f"{path} is write-protected, so it stays as it is. Allow writing, then run --setup again.")


def differing(before: str, after: str) -> list[str]:
    """Return the lines that go and come, marked by `-` and `+`."""
    return [line for line in difflib.ndiff(before.splitlines(), after.splitlines()) if line[0] in "+-"]


def file_change(title: str, lines: Sequence[str], path: Path, before: str | None, after: str | None) -> Change:
    """Return the change of a file, unless somebody else changes it meanwhile; None as `after` deletes it.

    Raises SetupError when the file may not be written.
    """
    require_writable(path)

    def make() -> None:
        if read_file(path) != before:
            raise SetupError(f"{path} has been changed meanwhile, so it stays as it is. Run --setup again.")
        if after is None:
            path.unlink()
        else:
            replace_file(path, after)

    return Change(title, lines, make)


def replace_file(path: Path, text: str) -> None:
    """Write a file whole or not at all, through a link if it is one, and read it back; keep its earlier state next to it."""
    require_writable(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    target = path.resolve()
    if target.exists():
        with server.private_draft(target, server.read_regular(target)) as draft:
            shutil.copystat(target, draft)
            draft.replace(backup_of(target))
    with server.private_draft(target, text.encode()) as draft:
        if target.exists():
            shutil.copystat(target, draft)
            os.utime(draft)
        draft.replace(target)
    if read_file(path) != text:
        raise SetupError(f"{path} does not hold what was written to it. Check the file, then run --setup again.")


def backup_of(path: Path) -> Path:
    """Return where a file's state before the last change is kept."""
    target = path.resolve()
    return target.with_name(target.name + BACKUP)


# --- 3. Model servers --------------------------------------------------------------------------


class Usual(NamedTuple):
    """A program that serves models: its usual port, the path that only it answers, and how to get it."""

    name: str
    port: int
    path: str
    knows: Callable[[Any], bool]
    advice: str


def tells_version(reply: Any) -> bool:
    """Say whether a reply is `{"version": "..."}`."""
    return isinstance(reply, dict) and isinstance(reply.get("version"), str)


def tells_kinds(reply: Any) -> bool:
    """Say whether a reply lists models with their kinds."""
    return any("type" in model for model in server.items(reply, "data"))


def tells_slots(reply: Any) -> bool:
    """Say whether a reply tells how answers are made."""
    return bool(server.fields(reply, "default_generation_settings"))


def is_alive(reply: Any) -> bool:
    """Say whether a reply is a sentence that somebody is alive."""
    return isinstance(reply, str) and "alive" in reply


INSTALL = "install it from ollama.com, then run `ollama pull qwen3`."
START = "install it from lmstudio.ai, load a model, and start the server in its Developer tab."
USUAL = (
    Usual("Ollama", 11434, "/api/version", tells_version, INSTALL),
    Usual("LM Studio", 1234, "/api/v0/models", tells_kinds, START),
    Usual("llama.cpp", 8080, "/props", tells_slots, "run `llama-server -hf ggml-org/gemma-3-4b-it-GGUF`."),
    Usual("vLLM", 8000, "/version", tells_version, "run `vllm serve Qwen/Qwen3-8B`, with a large graphics card."),
    Usual("LiteLLM", 4000, "/health/liveliness", is_alive, "run `litellm --config FILE`, in front of several servers."),
)
# Names of models that answer no questions, and of those that are made for something narrower than reading pages.
NO_ANSWERS = re.compile(r"embed|rerank|minilm|whisper|diffusion|\btts\b|\b(bge|gte|e5|clip|flux)\b", re.IGNORECASE)
NARROW = re.compile(r"code|math|guard|base|vision|ocr|\bvl\b", re.IGNORECASE)
ELSEWHERE = re.compile(r"[:-]cloud$", re.IGNORECASE)
# Large enough to keep facts apart, small enough for most machines.
GOOD_BILLIONS = 8
NARROW_COSTS = 1.5


class Model(NamedTuple):
    """A model that a server lists; `billions` of parameters where they are told."""

    name: str
    url: str
    server: str
    billions: float | None
    elsewhere: bool

    def fitness(self) -> tuple[bool, float]:
        """Return what sorts the better proposal first."""
        distance = abs(math.log2(self.billions / GOOD_BILLIONS)) if self.billions else 1.0
        return self.elsewhere, distance + NARROW_COSTS * bool(NARROW.search(self.name))


class Found(NamedTuple):
    """What answers at an address: its name, its models that can answer, and why it cannot be used."""

    url: str
    name: str
    models: list[Model]
    problem: str = ""


async def look_everywhere(addresses: Mapping[str, str | None]) -> list[Found]:
    """Look at all addresses at once, each with its key; return what answers."""
    looks = await asyncio.gather(*(look(url, key) for url, key in addresses.items()))
    return [found for found in looks if found]


async def look(url: str, key: str | None) -> Found | None:
    """Say what answers at an address; None when nothing does."""
    there = server.ModelServer(url, api_key=key, timeout_s=LOOK_TIMEOUT_S)
    problem, listed = "", None
    try:
        try:
            listed = await there.ask("GET", "/v1/models", timeout_s=LOOK_TIMEOUT_S, failing=True)
        except server.ChromeTabError as error:
            wants_key = f"It wants a key: run --setup with --ollama-url {url} --api-key KEY."
            problem = wants_key if "--api-key" in error.message else error.message
        answers = await asyncio.gather(*(knows(there, usual) for usual in USUAL))
    except server.RetryableError as error:
        away = error.error.code == "MODEL_UNREACHABLE"
        return None if away else Found(url, "Something", [], error.error.message)
    finally:
        await there.close()
    name, about = next(filter(None, answers), ("A model server", None))
    lists = isinstance(listed, dict) and (listed.get("object") == "list" or isinstance(listed.get("data"), list))
    if not lists and not (about and problem):
        return Found(url, "Something", [], "It is not a model server.")
    return Found(url, name, models_of(url, name, listed, about), problem)


async def knows(there: server.ModelServer, usual: Usual) -> tuple[str, Any] | None:
    """Return the program's name, and what it tells about its models, when it is this one."""
    reply = await there.ask("GET", usual.path, timeout_s=LOOK_TIMEOUT_S)
    if not usual.knows(reply):
        return None
    return usual.name, await there.ask(
        "GET", "/api/tags", timeout_s=LOOK_TIMEOUT_S
    ) if usual.name == "Ollama" else reply


def models_of(url: str, name: str, listed: Any, about: Any) -> list[Model]:
    """Return the listed models that can answer questions, the best proposal first."""
    told = {one.get("name", one.get("id")): one for one in server.items(about, "models") + server.items(about, "data")}
    models: list[Model] = []
    for entry in server.items(listed, "data"):
        model, more = str(entry.get("id")), told.get(entry.get("id"), {})
        details = server.fields(more, "details")
        kind = f"{more.get('type')} {details.get('family')}"
        if NO_ANSWERS.search(model) or re.search(r"embed|bert", kind):
            continue
        elsewhere = bool(ELSEWHERE.search(model) or more.get("remote_host"))
        size = billions(str(details.get("parameter_size") or "")) or billions(model)
        models.append(Model(server.one_line(model), url, name, size, elsewhere))
    return sorted(models, key=Model.fitness)


def billions(text: str) -> float | None:
    """Return the parameters that a name or a size tells, in billions: `8.2B`, `qwen3:4b`, `smollm2:135m`."""
    size = re.search(r"(?<![\d.])(\d{1,4}(?:\.\d{1,3})?)([bm])(?![a-z\d])", text, re.IGNORECASE)
    return float(size[1]) / (1000 if size[2] in "mM" else 1) or None if size else None


def size_in_words(model: Model) -> str:
    """Return a model's parameters as its name would have them."""
    if not model.billions:
        return ""
    return f"{model.billions:g}B" if model.billions >= 1 else f"{model.billions * 1000:g}M"


def tell_found(terminal: Terminal, found: Sequence[Found]) -> None:
    """Say what answers, and how to get a model server where none does."""
    for one in found:
        count = f"{len(one.models)} model{'s' * (len(one.models) != 1)}"
        terminal.say(f"{one.name} answers at {one.url}. {one.problem or f'It has {count} that can answer.'}")
    if any(one.models for one in found):
        return
    terminal.fail("No model is there that could answer. One of these brings it:")
    for usual in USUAL:
        terminal.say(f"{usual.name}: {usual.advice}", indent=2)
    terminal.say("Then run --setup again. For a server elsewhere add its address: --ollama-url http://HOST:PORT.")


def choose_model(terminal: Terminal, models: Sequence[Model], current: Model | None) -> Model:
    """Show the models and return the chosen one; a number, or a name as in the list."""
    shown = [*([current] if current else []), *(model for model in models if model != current)]
    table = Table(box=None, pad_edge=False)
    for column in ("", "model", "size", "server"):
        table.add_column(column, style="bold" if column == "model" else "", overflow="fold")
    for number, model in enumerate(shown[:MAX_LISTED_MODELS], 1):
        place = f"{model.server}, {model.url}" + " (runs elsewhere: page text leaves this machine)" * model.elsewhere
        table.add_row(*(Text(cell) for cell in (str(number), model.name, size_in_words(model), place)))
    terminal.console.print(table)
    if len(shown) > MAX_LISTED_MODELS:
        terminal.say(f"and {len(shown) - MAX_LISTED_MODELS} more, which you can name.")
    by_answer = {model.name: model for model in reversed(shown)}
    by_answer |= {str(number): model for number, model in enumerate(shown, 1)}
    while (answer := terminal.ask("Which model is to answer?", "1")) not in by_answer:
        terminal.say(f"Choose a number from 1 to {len(shown)}, or a name.", "yellow")
    return by_answer[answer]


# --- 4. Settings -------------------------------------------------------------------------------


def find_model(terminal: Terminal, settings: server.Settings, flags: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is to be written about the model: `ollama_url` and `model`; nothing when none is there."""
    # A key is for the address that it is configured with, not for whatever listens here.
    own = {settings.ollama_url: settings.api_key} if settings.ollama_url else {}
    usual = {f"http://localhost:{one.port}": None for one in USUAL}
    usual.pop((settings.ollama_url or "").replace(server.HOST, "localhost"), None)
    with terminal.console.status("Looking for model servers ..."):
        found = asyncio.run(look_everywhere(own if "ollama_url" in flags else usual | own))
    if settings.ollama_url and settings.ollama_url not in {one.url for one in found}:
        terminal.say(f"Nothing answers at {settings.ollama_url}, which is configured.", "yellow")
    tell_found(terminal, found)
    models = sorted((model for one in found for model in one.models), key=Model.fitness)
    names = {settings.model, f"{settings.model}:latest"}
    current = [model for model in models if model.name in names and model.url == settings.ollama_url]
    wanted = current or [model for model in models if model.name in names]
    if "model" in flags:
        if models and not wanted:
            listed = ", ".join(model.name for model in models[:MAX_LISTED_MODELS])
            raise SetupError(f"No server here has a model {settings.model!r}. There are: {listed}.")
        url = wanted[0].url if wanted else settings.ollama_url
        return {"ollama_url": url, "model": settings.model} if url else {}
    if not models:
        return {}
    chosen = choose_model(terminal, models, current[0] if current else None)
    if chosen.elsewhere and terminal.yes and chosen not in current:
        raise SetupError(
            "The only models here run elsewhere, and page text would leave this machine. Name one: --model."
        )
    model = settings.model if chosen in current else chosen.name
    return {"ollama_url": chosen.url, "model": model}


def settings_text(before: str, values: Mapping[str, Any]) -> str:
    """Return config.toml with the values; its comments and all else stay."""
    document = tomlkit.parse(before)
    for name, value in values.items():
        if name not in document or document[name] != value:
            document[name] = value
    text = tomlkit.dumps(document)
    if tomllib.loads(text) != tomllib.loads(before) | dict(values):
        raise SetupError("Your config.toml cannot be changed without losing something. Add the lines by hand.")
    return text


def write_settings(terminal: Terminal, path: Path, values: Mapping[str, Any]) -> None:
    """Bring the values into the configuration file."""
    before = read_file(path)
    after = settings_text(before or "", values)
    if after == (before or ""):
        terminal.say(f"Your settings are as chosen: {path}")
        return
    lines = [re.sub(r"(api_key\s*=).*", r"\1 ...", line) for line in differing(before or "", after)]
    change = file_change(f"This goes into {path}:", lines, path, before, after)
    if carry_out(terminal, change, "Write it?"):
        terminal.say("Written." + (f" As it was before: {backup_of(path)}" if before is not None else ""))


def given_values(settings: server.Settings, flags: Mapping[str, Any]) -> dict[str, Any]:
    """Return the other settings that the command line gave: they are to hold from now on."""
    return {name: getattr(settings, name) for name in flags if name not in {"config", "ollama_url", "model"}}


# --- 5. Browser --------------------------------------------------------------------------------


def pair_browser(terminal: Terminal, settings: server.Settings) -> bool:
    """Show the connection string, wait for the extension if the person likes to; say whether pages can be read."""
    by_script = sys.platform == "darwin" and settings.source != "extension"
    if by_script:
        terminal.say("On a Mac pages are read without an extension:")
        for layer in asyncio.run(read_by_script(settings)):
            terminal.say(str(layer))
        terminal.say("With the extension an agent can also drive a page. You can pair it at any time.")
    line = pairing.connection_string(settings.port, pairing.pairing_key())
    version = None
    if pairing.last_port() == settings.port:
        version = connected_version(terminal, settings, protocol.EXTENSION_WAIT_S)
    if version:
        terminal.say(f"The extension is connected, version {version}.", "green")
        terminal.say("To pair it again, paste this line:")
    else:
        terminal.say(
            "In Chrome open chrome://extensions, turn on Developer mode, press Load unpacked and choose this folder:"
        )
        extension = server.EXTENSION.resolve()
        terminal.exact(f"  {extension}", "cyan")
        if package.for_one_run(extension):
            lasting = shlex.join(["uv", "tool", "install", package.origin()])
            terminal.say(
                "uv may delete this folder, because uvx made it for one run, and the extension would go with it. To keep "
                f"it, run `{lasting}`, then `{server.APP_NAME} --setup`.",
                "yellow",
            )
        terminal.say("A page opens. Paste this line there, or into the extension's popup, and press Connect:")
    terminal.exact(line, "cyan")
    terminal.say(f"It is a password for your browser, kept in {server.config_dir() / 'key'}: do not share it.")
    if terminal.confirm("Copy the line to the clipboard?", proposed=False):
        copy(terminal, line)
    is_there = version is not None or wait_for_extension(terminal, settings, proposed=not by_script)
    return is_there or by_script


async def read_by_script(settings: server.Settings) -> list[server.Layer]:
    """Try AppleScript; macOS asks the person for its permission meanwhile."""
    async with server.ChromeTabs(settings) as tabs:
        return await server.applescript_layers(tabs)


def copy(terminal: Terminal, line: str) -> None:
    """Put a line on the clipboard."""
    try:
        pyperclip.copy(line)
    except pyperclip.PyperclipException:
        terminal.say("No program here reaches the clipboard. Select the line and copy it.", "yellow")
    else:
        terminal.say("Copied.")


def connected_version(terminal: Terminal, settings: server.Settings, wait_s: float) -> str | None:
    """Wait for the extension and return its version; None when it does not come."""

    async def wait() -> str | None:
        async with ExtensionSource(settings) as source:
            with contextlib.suppress(server.ChromeTabError):
                await source.bridge.reach(wait_s)
            return source.bridge.extension["version"] if source.connected else None

    with terminal.console.status("Waiting for the extension ..."):
        return asyncio.run(wait())


def wait_for_extension(terminal: Terminal, settings: server.Settings, *, proposed: bool) -> bool:
    """Wait until the extension is there, if the person likes to; say whether it is. Ctrl+C ends the waiting only."""
    if terminal.yes:
        terminal.say("This run does not wait for the extension: --doctor says whether it is there.")
        return False
    version = None
    if terminal.confirm("Wait for the extension now?", proposed=proposed):
        terminal.say(f"This takes at most {PAIRING_WAIT_S / 60:g} minutes. Ctrl+C goes on without it.")
        with contextlib.suppress(KeyboardInterrupt):
            version = connected_version(terminal, settings, PAIRING_WAIT_S)
    if version:
        terminal.say(f"The extension is connected, version {version}.", "green")
    else:
        terminal.say("Going on without the extension. The line stays valid.")
    return version is not None


# --- 6. JSON files -----------------------------------------------------------------------------


class Member(NamedTuple):
    """A member of a JSON object: its key, and where key, value and member begin and end in the text."""

    key: str
    begin: int
    value: int
    end: int


BLANKS = re.compile(r"[ \t\r\n]*")


def skip(text: str, at: int) -> int:
    """Return where the blanks end that begin at a place."""
    return at + len(BLANKS.match(text, at)[0])  # pyright: ignore[reportOptionalSubscript] -- it matches everywhere


def members_of(text: str, brace: int) -> list[Member]:
    """Return the members of the object that begins at `brace`, in text that has been parsed."""
    decoder, members = json.JSONDecoder(), list[Member]()
    at = skip(text, brace + 1)
    while text[at] != "}":
        begin = skip(text, at + 1) if text[at] == "," else at
        key, colon = decoder.raw_decode(text, begin)
        value = skip(text, skip(text, colon) + 1)
        _, end = decoder.raw_decode(text, value)
        members.append(Member(key, begin, value, end))
        at = skip(text, end)
    return members


def member(text: str, brace: int, key: str) -> Member | None:
    """Return an object's member of that name."""
    return next((one for one in members_of(text, brace) if one.key == key), None)


def with_member(text: str, brace: int, key: str, value: Any, depth: int) -> str:
    """Return the text with a member set in the object at `brace`; every other character stays."""
    step = re.search(r"\n([ \t]+)\"", text)
    indent = step[1] if step else "  "
    end = "\r\n" if "\r\n" in text else "\n"
    written = json.dumps(value, indent=indent, ensure_ascii=False).replace("\n", end + indent * depth)
    if old := member(text, brace, key):
        return text[: old.value] + written + text[old.end :]
    line = f"{end}{indent * depth}{json.dumps(key)}: {written}"
    if members := members_of(text, brace):
        return text[: members[-1].end] + "," + line + text[members[-1].end :]
    return text[: brace + 1] + line + end + indent * (depth - 1) + text[skip(text, brace + 1) :]


def without_member(text: str, brace: int, key: str) -> str:
    """Return the text without a member of the object at `brace`; every other character stays."""
    members = members_of(text, brace)
    place = next(number for number, one in enumerate(members) if one.key == key)
    if len(members) == 1:
        return text[: brace + 1] + text[skip(text, members[0].end) :]
    if place == 0:
        return text[: members[0].begin] + text[members[1].begin :]
    return text[: members[place - 1].end] + text[members[place].end :]


def edited(text: str, section: str, entry: Mapping[str, Any] | None) -> str:
    """Return a client's file with our entry set in its section, or taken out, and an emptied section with it."""
    wanted = json.loads(text)
    root = skip(text, 0)
    there = member(text, root, section)
    if entry is not None:
        wanted.setdefault(section, {})[server.APP_NAME] = entry
        if there:
            text = with_member(text, there.value, server.APP_NAME, entry, 2)
        else:
            text = with_member(text, root, section, {server.APP_NAME: entry}, 1)
    elif there:
        del wanted[section][server.APP_NAME]
        text = without_member(text, there.value, server.APP_NAME)
        if not wanted[section]:
            del wanted[section]
            text = without_member(text, root, section)
    if json.loads(text) != wanted:
        # Such as a file that holds a key twice.
        raise ValueError("it cannot be changed without changing something else")
    return text


# --- 7. Clients --------------------------------------------------------------------------------


class Client(NamedTuple):
    """An MCP client: its name here and its own, the file with its servers and where in it they stand.

    `program` is the client's own command, which then makes the change; `place` is there when the client is.
    """

    name: str
    title: str
    path: Path
    place: Path
    section: str = "mcpServers"
    program: str | None = None


def clients_here() -> list[Client]:
    """Return the clients that are here."""
    home, settings = Path.home(), platformdirs.user_config_path(roaming=True)
    desktop, code, cursor = settings / "Claude", settings / "Code" / "User", home / ".cursor"
    claude = shutil.which("claude") or shutil.which(str(home / ".claude" / "local" / "claude"))
    known = [
        Client("claude-desktop", "Claude Desktop", desktop / "claude_desktop_config.json", desktop),
        Client("cursor", "Cursor", cursor / "mcp.json", cursor),
        Client("vscode", "VS Code", code / "mcp.json", code, "servers"),
    ]
    here = [client for client in known if client.place.is_dir()]
    if claude:
        file = Path(os.environ.get("CLAUDE_CONFIG_DIR") or home) / ".claude.json"
        here.insert(0, Client("claude-code", "Claude Code", file, file.parent, program=claude))
    return here


CLIENT_NAMES = ("claude-code", "claude-desktop", "cursor", "vscode")


def start_command(settings: server.Settings) -> list[str]:
    """Return the command with which a client starts the server: absolute, because clients have a PATH of their own."""
    script = Path(server.__file__).resolve()
    uv, uvx = shutil.which("uv") or os.environ.get("UV"), shutil.which("uvx")
    if not server.IS_PACKAGE:
        command = [uv, "run", str(script)] if uv else [sys.executable, str(script)]
    elif uvx and package.for_one_run(script):
        command = [uvx, *package.uvx_arguments()]
    else:
        command = [shutil.which(server.APP_NAME) or str(Path(sys.executable).with_name(server.APP_NAME))]
    return command + (["--config", str(settings.config.expanduser().resolve())] if settings.config else [])


def entry_of(client: Client) -> dict[str, Any] | None:
    """Return what a client has under our name, None when it has nothing; raise SetupError when its file is not plain JSON."""
    text = read_file(client.path)
    try:
        servers = server.fields(json.loads(text), client.section) if text else {}
        if text and not isinstance(json.loads(text).get(client.section, {}), dict):
            raise ValueError(f"{client.section} is no object")  # noqa: TRY301 -- the same sentence for all that is odd
    except (ValueError, AttributeError, RecursionError) as error:
        problem = server.one_line(str(error), 100)
        raise SetupError(f"{client.path} is broken, or holds comments ({problem}), so it stays as it is.") from None
    entry = servers.get(server.APP_NAME)
    return entry if isinstance(entry, dict) else {} if entry is not None else None


def is_registered(entry: Mapping[str, Any] | None, command: Sequence[str] | None) -> bool:
    """Say whether a client's entry is as it should be: it starts the server, or without a command there is none."""
    return entry is None if command is None else entry is not None and starts(entry, command)


def starts(entry: Mapping[str, Any], command: Sequence[str]) -> bool:
    """Say whether an entry starts this server, maybe with flags of its own."""
    arguments = [str(one) for one in entry.get("args") or []]
    same = Path(str(entry.get("command"))).stem == Path(command[0]).stem
    return same and arguments[: len(command) - 1] == list(command[1:])


def wanted_entry(client: Client, command: Sequence[str], entry: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return what a client's file is to hold; other keys of an entry that is there stay."""
    kind = {"type": "stdio"} if client.section == "servers" else {}
    return kind | dict(entry or {}) | {"command": command[0], "args": list(command[1:])}


def client_change(client: Client, command: Sequence[str] | None) -> Change | None:
    """Return the change that registers the server with a client, or without a command takes it out; None when it is so."""
    if command is None and server.APP_NAME not in (read_file(client.path) or ""):
        return None
    entry = entry_of(client)
    if is_registered(entry, command):
        return None
    if client.program:
        return command_change(client, client.program, command, there=entry is not None)
    before = read_file(client.path)
    wanted = wanted_entry(client, command, entry) if command else None
    try:
        after = edited(before or "{}\n", client.section, wanted)
    except ValueError as error:
        raise SetupError(f"{client.path} stays as it is: {error}.") from None
    lines = differing(shown_entry(entry), shown_entry(wanted))
    if wanted is None and not json.loads(after):
        title = f"{client.title}: {client.path} is deleted, because it holds nothing else:"
        return file_change(title, lines, client.path, before, None)
    title = f"{client.title}: this {'goes into' if wanted else 'is taken out of'} {client.path}:"
    return file_change(title, lines, client.path, before, after)


def shown_entry(entry: Mapping[str, Any] | None) -> str:
    """Return our entry as it stands in a file; nothing else of the file is shown, which may hold other servers' keys."""
    return "" if entry is None else f'"{server.APP_NAME}": {json.dumps(entry, indent=2, ensure_ascii=False)}'


def command_change(client: Client, program: str, command: Sequence[str] | None, *, there: bool) -> Change:
    """Return the change that a client's own command makes; an entry that is there is taken out first."""
    calls: list[list[str]] = []
    if there:
        calls.append([program, "mcp", "remove", "--scope", "user", server.APP_NAME])
    if command:
        calls.append([program, "mcp", "add", "--scope", "user", server.APP_NAME, "--", *command])

    def make() -> None:
        for call in calls:
            run_program(client.title, call)
        require_registered(client, command)

    shown = [" ".join(["claude", *call[1:]]) for call in calls]
    return Change(f"{client.title}: this is run:", shown, make)


def require_registered(client: Client, command: Sequence[str] | None) -> None:
    """Raise SetupError unless a client's own file shows what its program has reported.

    The program's list is not used: it starts every server that it names.
    """
    try:
        problem = "" if is_registered(entry_of(client), command) else f"{client.path} does not show it."
    except SetupError as error:
        problem = str(error)
    if problem:
        raise SetupError(f"{client.title} reported success, which could not be verified: {problem} Check it there.")


def run_program(title: str, call: Sequence[str], fine: Collection[int] = (0,)) -> None:
    """Run a command of another program's own; raise SetupError with its last line when it fails."""
    try:
        done = subprocess.run(  # noqa: S603 -- an argument vector of ours, no shell
            call, stdin=subprocess.DEVNULL, capture_output=True, timeout=CLIENT_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SetupError(f"{title} could not be asked ({server.one_line(str(error), 120)}).") from None
    if done.returncode not in fine:
        said = (done.stderr or done.stdout).decode(errors="replace").strip().rpartition("\n")[2]
        raise SetupError(f"{title} refused: {server.one_line(said) or f'status {done.returncode}'}.")


def to_paste(client: Client, command: Sequence[str]) -> str:
    """Return what a person adds by hand."""
    if client.program:
        return " ".join(["claude mcp add --scope user", server.APP_NAME, "--", *command])
    return json.dumps({client.section: {server.APP_NAME: wanted_entry(client, command, None)}}, ensure_ascii=False)


def register(terminal: Terminal, here: Sequence[Client], command: Sequence[str]) -> None:
    """Register the server with each client, if the person likes to."""
    for client in here:
        try:
            change = client_change(client, command)
        except SetupError as problem:
            terminal.fail(f"{client.title}: {problem} Add this by hand:")
            terminal.exact(f"  {to_paste(client, command)}", "cyan")
            continue
        if change is None:
            terminal.say(f"{client.title} has the server already ({client.path}).")
        elif carry_out(terminal, change, f"Register with {client.title}?"):
            terminal.say(f"Registered. Restart {client.title} to see it.", "green")


def chosen_clients(terminal: Terminal, names: str | None) -> list[Client]:
    """Return the clients that are here and wanted; say which are missing."""
    here = clients_here()
    if names is None:
        if not here:
            terminal.say(
                "None of Claude Code, Claude Desktop, Cursor and VS Code is here. README says what others want."
            )
        return here
    if names.strip() in {"", "none"}:
        terminal.say("None was wanted.")
    wanted = [name.strip() for name in names.split(",") if name.strip() not in {"", "none"}]
    for name in wanted:
        if name not in {client.name for client in here}:
            terminal.fail(f"{name} was not found on this machine. Start it once, then run --setup again.")
    return [client for client in here if client.name in wanted]


# --- 8. Start at login -------------------------------------------------------------------------


def start_at_login(terminal: Terminal, settings: server.Settings, *, wanted: bool) -> None:
    """Offer a server for the side panel that needs no client; with `wanted` it is proposed."""
    agent = login.agent_for([*start_command(settings), "--serve"])
    if agent is None:
        (terminal.fail if wanted else terminal.say)(login.why_none())
        return
    try:
        before = read_file(agent.path)
    except SetupError as problem:
        terminal.fail(str(problem))
        return
    if before == agent.text:
        terminal.say(f"The server starts at login already ({agent.path}).")
        return
    if terminal.yes and not wanted and before is None:
        terminal.say("Nothing starts at login: --at-login adds a server for the browser's side panel.")
        return
    title = f"A server for the browser's side panel can run from login on, also without a client. {agent.path}:"
    lines = [*differing(before or "", agent.text), *shown_calls(agent.begin)]

    def make() -> None:
        require_writable(agent.path)
        if before is not None:
            end(agent)
        replace_file(agent.path, agent.text)
        try:
            for call in agent.begin:
                run_program(Path(call[0]).name, call)
        except SetupError:
            delete(agent)
            raise

    question = "Start it at login, and now?"
    if carry_out(terminal, Change(title, lines, make), question, proposed=wanted or before is not None):
        terminal.say(f"It runs, and starts with each login. What it says: {agent.log}", "green")


def no_start_at_login(terminal: Terminal) -> None:
    """Take the start at login back."""
    agent = login.agent_for([])
    if agent is None or not agent.path.is_file():
        terminal.say("The server does not start at login.")
        return

    def make() -> None:
        try:
            end(agent)
        finally:
            delete(agent)

    lines = [*shown_calls(agent.end), *(f"- {path}" for path in files_of(agent))]
    if carry_out(terminal, Change("It is ended and deleted:", lines, make), "Start it at login no more?"):
        terminal.say("Ended and deleted.", "green")


def shown_calls(calls: Sequence[Sequence[str]]) -> list[str]:
    """Return commands as a person would type them."""
    return [" ".join([Path(call[0]).name, *call[1:]]) for call in calls]


def end(agent: login.Agent) -> None:
    """End the server that was started at login; it may have ended before."""
    for call in agent.end:
        run_program(Path(call[0]).name, call, agent.ended)


def files_of(agent: login.Agent) -> list[Path]:
    """Return what is there of the start at login."""
    return [path for path in (agent.path, backup_of(agent.path), *agent.leftovers) if path.is_file()]


def delete(agent: login.Agent) -> None:
    """Delete what is there of the start at login."""
    for path in files_of(agent):
        path.unlink(missing_ok=True)


# --- 9. First answer ---------------------------------------------------------------------------

PAGE = server.Page(
    "https://clocks.example/visit",
    "Visit the Clock Museum",
    "Visit the Clock Museum\n\n"
    "Open Tuesday to Sunday, 10:00 to 17:00. Closed on Mondays.\n"
    "Adults pay 9 EUR, children under 12 nothing, a family of four 20 EUR.\n"
    "The tower clock strikes at noon; be there ten minutes earlier.",
    "extension",
)
QUESTION = "On which day is the museum closed, and what does an adult pay? Answer in one sentence."


def first_answer(terminal: Terminal, settings: server.Settings) -> None:
    """Ask the model about a page of our own."""
    terminal.say("A page that this program brings along:")
    for line in PAGE.text.splitlines():
        terminal.say(line, "dim", indent=2)
    terminal.say(f"Question: {QUESTION}")

    async def ask() -> server.Answer:
        with terminal_progress() as progress:
            async with server.ChromeTabs(settings) as tabs, progress:
                return await tabs.analyst.answer(PAGE, server.build_query(settings, QUESTION), progress)

    try:
        answer = asyncio.run(ask())
    except server.ChromeTabError as error:
        terminal.fail(f"{error.message} [{error.code}]")
    else:
        terminal.say(f"Answer: {answer.text}", "green")
        terminal.say(answer.read, "dim")


# --- 10. Set-up and removal --------------------------------------------------------------------


def set_up(terminal: Terminal, flags: Mapping[str, Any], names: str | None, *, at_login: bool) -> None:
    """Go through all steps; each leaves out what is done already."""
    settings = server.load_settings(flags, need_model=False)
    path, _ = server.config_file(flags.get("config"))
    terminal.say(f"Chrome Tab Reader: from nothing to a first answer. {terminal.manner()}")
    terminal.heading("A model on this machine")
    values = find_model(terminal, settings, flags) | given_values(settings, flags)
    if values:
        terminal.heading("Settings")
        write_settings(terminal, path, values)
        settings = server.load_settings({name: flags[name] for name in flags if name == "config"}, need_model=False)
    terminal.heading("The browser")
    can_read = pair_browser(terminal, settings)
    terminal.heading("Your MCP clients")
    here = chosen_clients(terminal, names)
    if server.missing_settings(settings):
        if here:
            terminal.say(f"Here are: {', '.join(client.title for client in here)}.")
        terminal.fail("A client is registered once the settings name a model: run --setup again then.")
        return
    register(terminal, here, start_command(settings))
    terminal.heading("Without a client")
    start_at_login(terminal, settings, wanted=at_login)
    terminal.heading("A first answer")
    first_answer(terminal, settings)
    terminal.say("")
    terminal.say(conclusion(failed=terminal.failed, can_read=can_read), "bold")


def conclusion(*, failed: bool, can_read: bool) -> str:
    """Return the run's last sentence: what is left for the person."""
    if failed:
        return "Almost ready: fix what is marked above, then run --setup again."
    if not can_read:
        return "Ready but for the extension: connect it as said above, then ask your client about a page."
    return "Ready. Open a page, and ask your client what this tab says."


def remove(terminal: Terminal, names: str | None) -> None:
    """Take back what set_up has done, step by step; say what stays."""
    terminal.say(f"This takes Chrome Tab Reader out again. {terminal.manner()}")
    terminal.heading("Your MCP clients")
    here = chosen_clients(terminal, names)
    for client in here:
        try:
            change = client_change(client, None)
        except SetupError as problem:
            terminal.fail(f"{client.title}: {problem} If it names {server.APP_NAME}, take that out by hand.")
            continue
        if change is None:
            terminal.say(f"{client.title} does not have the server.")
        elif carry_out(terminal, change, f"Take it out of {client.title}?"):
            terminal.say("Taken out.", "green")
    terminal.heading("Start at login")
    no_start_at_login(terminal)
    folder = server.config_dir()
    terminal.heading("Settings and pairing key")
    ours = ("config.toml", f"config.toml{BACKUP}", "key", "last-port", "paired", "delimiter-secret")
    files = [path for path in (*(folder / name for name in ours), server.memory_file()) if path.is_file()]

    def delete() -> None:
        for path in files:
            path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            folder.rmdir()

    if not files:
        terminal.say(f"There are none in {folder}.")
    elif carry_out(
        terminal, Change("These files are deleted:", [f"- {path}" for path in files], delete), "Delete them?"
    ):
        terminal.say("Deleted.", "green")
    terminal.heading("What stays")
    for line in what_stays(here, folder):
        terminal.say(line, indent=2)


def what_stays(here: Sequence[Client], folder: Path) -> list[str]:
    """Return a line for each thing of ours that is still there."""
    backups = [backup_of(client.path) for client in here if backup_of(client.path).exists()]
    left = [folder] if folder.is_dir() else []
    history = [path for path in [chrome_tab_history.History().path] if path.exists()]
    is_tool = Path(sys.prefix, "uv-receipt.toml").is_file()
    by_uv = f". `uv tool uninstall {server.APP_NAME}` deletes it." if is_tool else ""
    return [
        "The extension: remove it in chrome://extensions.",
        *(f"{path}: what the file was before the last change. Delete it when you like." for path in backups),
        *(f"{path}: your questions and answers. Delete it when you like." for path in history),
        *(f"{path}: not empty, and yours." for path in left),
        "What uv keeps of the libraries: `uv cache clean` deletes it.",
        f"The program: {server.FILES if server.IS_PACKAGE else server.HERE}{by_uv}",
    ]


def complaint(terminal: Terminal, clients: str | None) -> str | None:
    """Return what is wrong with the call."""
    unknown = set(filter(None, map(str.strip, (clients or "").split(",")))) - {*CLIENT_NAMES, "none"}
    if unknown:
        return f"--clients does not know {min(unknown)!r}. It takes {', '.join(CLIENT_NAMES)}, or none."
    if not terminal.yes and not (sys.stdin.isatty() and sys.stdout.isatty()):
        return "--setup asks questions: run it in a terminal, or add --yes to take what it proposes."
    return None


def run(what: str, flags: Mapping[str, Any], further: Mapping[str, Any]) -> int:
    """Set up, or with `what` "remove" take it back; return the exit status (2: the call was wrong, 1: something is left).

    `further` holds the flags that only this program has: `yes`, `at_login`, and `clients` with their names or None.
    """
    terminal, clients = Terminal(yes=bool(further["yes"])), further["clients"]
    if wrong := complaint(terminal, clients):
        print(wrong, file=sys.stderr)
        return 2
    try:
        if what == "remove":
            remove(terminal, clients)
        else:
            set_up(terminal, flags, clients, at_login=bool(further["at_login"]))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    except SetupError as problem:
        terminal.fail(str(problem))
    except server.ChromeTabError as error:
        terminal.fail(f"{error.message} [{error.code}]")
    except (KeyboardInterrupt, EOFError):
        terminal.say("")
        terminal.say("Stopped. What was done before stays, and no file is half-written. Run it again to go on.")
        return 130
    return 1 if terminal.failed else 0
