"""The model servers that `--setup` finds on this machine, and the choice of a model."""

from __future__ import annotations

import asyncio
import math
import re
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.table import Table
from rich.text import Text

import chrome_tab_mcp_server as server
from chrome_tab.setup.terminal import SetupError, Terminal

__all__ = ["find_model"]

LOOK_TIMEOUT_S = 10.0
MAX_LISTED_MODELS = 15
APPLICATIONS = (Path("/Applications"), Path.home() / "Applications")


class Usual(NamedTuple):
    """A program that serves models: its usual port, a path that identifies it, how to install it and get a model."""

    name: str
    port: int
    path: str
    knows: Callable[[Any], bool]
    advice: str
    get_model: str = ""


def has_version(reply: Any) -> bool:
    """Return whether a reply is `{"version": "..."}`."""
    return isinstance(reply, dict) and isinstance(reply.get("version"), str)


def has_kinds(reply: Any) -> bool:
    """Return whether a reply lists models with their types."""
    return any("type" in model for model in server.items(reply, "data"))


def has_slots(reply: Any) -> bool:
    """Return whether a reply contains generation settings."""
    return bool(server.fields(reply, "default_generation_settings"))


def is_alive(reply: Any) -> bool:
    """Return whether a reply is a sentence containing "alive"."""
    return isinstance(reply, str) and "alive" in reply


INSTALL = "install it from ollama.com, then run `ollama pull qwen3`."
START = "install it from lmstudio.ai, load a model, and start the server in its Developer tab."
PULL = "Run `ollama pull qwen3`."
USUAL = (
    Usual("Ollama", 11434, "/api/version", has_version, INSTALL, PULL),
    Usual("LM Studio", 1234, "/api/v0/models", has_kinds, START, "Load a model in LM Studio."),
    Usual("llama.cpp", 8080, "/props", has_slots, "run `llama-server -hf ggml-org/gemma-3-4b-it-GGUF`."),
    Usual("vLLM", 8000, "/version", has_version, "run `vllm serve Qwen/Qwen3-8B`, which needs a large GPU."),
    Usual(
        "LiteLLM", 4000, "/health/liveliness", is_alive, "run `litellm --config FILE`, as a proxy for several servers."
    ),
)
# Names of models that are specialized for something other than reading pages.
NARROW = re.compile(r"code|math|guard|base|vision|ocr|\bvl\b", re.IGNORECASE)
# Large enough not to mix up facts, small enough for most machines.
GOOD_BILLIONS = 8
NARROW_COSTS = 1.5


class Model(NamedTuple):
    """A model that a server lists; `billions` of parameters where known."""

    name: str
    url: str
    server: str
    billions: float | None
    elsewhere: bool

    def leaves(self) -> bool:
        """Return whether page text leaves this computer, because the model or its server runs elsewhere."""
        return self.elsewhere or bool(server.other_computer(self.url))

    def fitness(self) -> tuple[bool, float]:
        """Return a sort key that puts the better proposal first."""
        distance = abs(math.log2(self.billions / GOOD_BILLIONS)) if self.billions else 1.0
        return self.elsewhere, distance + NARROW_COSTS * bool(NARROW.search(self.name))


class Found(NamedTuple):
    """A server that responds at an address: its name, its usable models, and why it cannot be used, if so."""

    url: str
    name: str
    models: list[Model]
    problem: str = ""


async def look_everywhere(addresses: Mapping[str, str | None]) -> list[Found]:
    """Probe all addresses concurrently, each with its key; return those that respond."""
    looks = await asyncio.gather(*(look(url, key) for url, key in addresses.items()))
    return [found for found in looks if found]


async def look(url: str, key: str | None) -> Found | None:
    """Return what responds at an address; None if nothing does."""
    there = server.ModelServer(url, api_key=key, timeout_s=LOOK_TIMEOUT_S)
    problem, listed = "", None
    try:
        try:
            listed = await there.fetch_json("GET", "/v1/models", timeout_s=LOOK_TIMEOUT_S, failing=True)
        except server.RetryableError:
            raise
        except server.ChromeTabError as error:
            wants_key = f"It needs a key: run --setup with --ollama-url {url} --api-key KEY."
            problem = wants_key if "--api-key" in error.message else error.message
        answers = await asyncio.gather(*(is_usual(there, usual) for usual in USUAL))
        models = await there.described(listed) if listed else []
    except server.RetryableError as error:
        away = error.code == "MODEL_UNREACHABLE"
        return None if away else Found(url, "A program", [], error.message)
    finally:
        await there.close()
    known = next((usual for usual, answer in zip(USUAL, answers, strict=True) if answer), None)
    lists = isinstance(listed, dict) and (listed.get("object") == "list" or isinstance(listed.get("data"), list))
    if not lists and not (known and problem):
        return Found(url, "A program", [], "It is not a model server.")
    name = known.name if known else "A model server"
    return Found(url, name, models_of(url, name, models), problem)


async def is_usual(there: server.ModelServer, usual: Usual) -> bool:
    """Return whether a server is this program."""
    return usual.knows(await there.fetch_json("GET", usual.path, timeout_s=LOOK_TIMEOUT_S))


def models_of(url: str, name: str, listed: Sequence[server.ListedModel]) -> list[Model]:
    """Return the models of a server, the best proposal first."""
    models = [
        Model(one.name, url, name, billions(one.size) or billions(one.name), bool(one.cloud_host)) for one in listed
    ]
    return sorted(models, key=Model.fitness)


def billions(text: str) -> float | None:
    """Return the parameter count in a name or size, in billions: `8.2B`, `qwen3:4b`, `smollm2:135m`."""
    size = re.search(r"(?<![\d.])(\d{1,4}(?:\.\d{1,3})?)([bm])(?![a-z\d])", text, re.IGNORECASE)
    return float(size[1]) / (1000 if size[2] in "mM" else 1) or None if size else None


def size_in_words(model: Model) -> str:
    """Return a model's parameter count as names spell it, such as `8B` or `135M`."""
    if not model.billions:
        return ""
    return f"{model.billions:g}B" if model.billions >= 1 else f"{model.billions * 1000:g}M"


def print_found(terminal: Terminal, found: Sequence[Found]) -> None:
    """Print which servers respond, and how to get a model server if none is usable."""
    for one in found:
        count = f"{len(one.models) or 'no'} model{'s' * (len(one.models) != 1)}"
        terminal.say(f"{one.name} responds at {one.url}. {one.problem or f'It has {count}.'}")
    if any(one.models for one in found):
        return
    get_model = {usual.name: usual.get_model for usual in USUAL}
    without_model = next((get_model.get(one.name) for one in found if not one.problem), "")
    if step := without_model or how_to_start_ollama():
        terminal.fail(f"No usable model found. {step} Then run --setup again.", step)
        return
    terminal.fail(
        "No usable model found. Set up one of these:", "Install Ollama from ollama.com, and run `ollama pull qwen3`."
    )
    for usual in USUAL:
        terminal.say(f"{usual.name}: {usual.advice}", indent=2)
    terminal.say(
        "Then run --setup again. For a server on another machine, add its address: --ollama-url http://HOST:PORT."
    )


def how_to_start_ollama() -> str:
    """Return how to start an installed Ollama that is not running; empty if none is installed."""
    if sys.platform == "darwin" and any((folder / "Ollama.app").is_dir() for folder in APPLICATIONS):
        return "Start Ollama: open the Ollama app."
    return "Start Ollama: run `ollama serve` in another terminal." if shutil.which("ollama") else ""


def choose_model(terminal: Terminal, models: Sequence[Model], current: Model | None) -> Model:
    """Show the models and return the one that the user chooses by number or name."""
    shown = [*([current] if current else []), *(model for model in models if model != current)]
    table = Table(box=None, pad_edge=False)
    for column in ("", "model", "size", "server"):
        table.add_column(column, style="bold" if column == "model" else "", overflow="fold")
    for number, model in enumerate(shown[:MAX_LISTED_MODELS], 1):
        place = f"{model.server}, {model.url}" + " (leaves this computer)" * model.leaves()
        table.add_row(*(Text(cell) for cell in (str(number), model.name, size_in_words(model), place)))
    terminal.console.print(table)
    if len(shown) > MAX_LISTED_MODELS:
        terminal.say(f"and {len(shown) - MAX_LISTED_MODELS} more; enter a name to choose one of them.")
    by_answer = {model.name: model for model in reversed(shown)}
    by_answer |= {str(number): model for number, model in enumerate(shown, 1)}
    while (answer := terminal.ask("Which model do you want to use?", "1")) not in by_answer:
        terminal.say(f"Enter a number from 1 to {len(shown)}, or a name.", "yellow")
    return by_answer[answer]


def find_model(terminal: Terminal, settings: server.Settings, flags: Mapping[str, Any]) -> dict[str, Any]:
    """Return the model's settings to write: `ollama_url` and `model`; empty if there is no model."""
    # The key is only for the address that it is configured with, not for other programs on this machine.
    own = {settings.ollama_url: settings.api_key} if settings.ollama_url else {}
    usual = {f"http://localhost:{one.port}": None for one in USUAL}
    usual.pop((settings.ollama_url or "").replace(server.HOST, "localhost"), None)
    with terminal.console.status("Looking for model servers ..."):
        found = asyncio.run(look_everywhere(own if "ollama_url" in flags else usual | own))
    if settings.ollama_url and settings.ollama_url not in {one.url for one in found}:
        terminal.say(f"The configured model server {settings.ollama_url} does not respond.", "yellow")
    print_found(terminal, found)
    models = sorted((model for one in found for model in one.models), key=Model.fitness)
    names = server.listed_names(settings.model or "")
    current = [model for model in models if model.name in names and model.url == settings.ollama_url]
    wanted = current or [model for model in models if model.name in names]
    if "model" in flags:
        if models and not wanted:
            listed = ", ".join(model.name for model in models[:MAX_LISTED_MODELS])
            raise SetupError(
                f"No model server has a model {settings.model!r}. Choose one of these with --model: {listed}."
            )
        url = wanted[0].url if wanted else settings.ollama_url
        warn_if_elsewhere(terminal, settings.model or "", leaves=bool(wanted and wanted[0].leaves()))
        return {"ollama_url": url, "model": settings.model} if url else {}
    if not models:
        return {}
    chosen = choose_model(terminal, models, current[0] if current else None)
    if chosen.elsewhere and terminal.yes and chosen not in current:
        raise SetupError(
            "The only available models run elsewhere, so page text would leave this computer. To use one, set it with --model."
        )
    model = settings.model if chosen in current else chosen.name
    warn_if_elsewhere(terminal, chosen.name, leaves=chosen.leaves())
    return {"ollama_url": chosen.url, "model": model}


def warn_if_elsewhere(terminal: Terminal, model: str, *, leaves: bool) -> None:
    """Warn if page text leaves this computer with a model."""
    if leaves or server.is_cloud_name(model):
        terminal.say(f"{model} runs elsewhere: page text leaves this computer.", "yellow")
