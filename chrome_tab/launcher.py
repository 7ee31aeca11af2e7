"""The commands that start the program, from a clone or as an installed package."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

import chrome_tab_mcp_server as server

__all__ = ["commands", "for_one_run", "origin", "typed", "uvx_arguments"]


def for_one_run(path: Path) -> bool:
    """Return whether a path is in an environment that uvx created for one run, and that uv may delete."""
    return re.search(r"[\\/]archive-v\d+[\\/]", str(path)) is not None


def origin() -> str:
    """Return the package's source for uv: its name, or the file, folder or commit that it came from (PEP 610)."""
    came = json.loads(metadata.distribution(server.APP_NAME).read_text("direct_url.json") or "{}")
    address = came.get("url", server.APP_NAME)
    commit = came.get("vcs_info")
    return f"{commit['vcs']}+{address}@{commit['commit_id']}" if commit else address


def uvx_arguments() -> list[str]:
    """Return the uvx arguments that start exactly this package."""
    source = origin()
    return [server.APP_NAME] if source == server.APP_NAME else ["--from", source, server.APP_NAME]


def typed() -> str:
    """Return the command that starts the installed package, as one line."""
    return shlex.join(package_words())


def package_words() -> list[str]:
    """Return the command that starts the installed package, as words."""
    return ["uvx", *uvx_arguments()] if for_one_run(Path(server.__file__)) else [server.APP_NAME]


def commands(settings: server.Settings) -> dict[str, str]:
    """Return command lines that work in any folder: `setup`, `doctor`, and with a model `serve` and `claude`."""
    script = str(Path(server.__file__).resolve())
    runner = ["uv", "run"] if shutil.which("uv") or os.environ.get("UV") else [sys.executable]
    program = package_words() if server.IS_INSTALLED else [*runner, script]
    flags = unsaved_flags(settings)
    lines = {"setup": [*program, "--setup", *flags], "doctor": [*program, "--doctor", *flags]}
    if not server.missing_settings(settings):
        add = ["claude", "mcp", "add", "--scope", "user", server.APP_NAME, "--"]
        lines |= {"serve": [*program, "--serve", *flags], "claude": [*add, *program, *flags]}
    return {name: quoted(words) for name, words in lines.items()}


def unsaved_flags(settings: server.Settings) -> list[str]:
    """Return flags for the model, its server and the port, unless the configuration file already sets them."""
    path, _ = server.config_file(str(settings.config) if settings.config else None)
    try:
        saved = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        saved = {}
    flags = ["--config", str(path.resolve())] if settings.config else []
    for name in ("ollama_url", "model", "port"):
        value = getattr(settings, name)
        if value not in {None, saved.get(name, server.Settings.model_fields[name].default)}:
            flags += [f"--{name.replace('_', '-')}", str(value)]
    return flags


def quoted(words: Sequence[str]) -> str:
    """Return words as a command line for the system's shell."""
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)
