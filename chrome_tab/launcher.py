"""The program as an installed package: where uv takes it from, and how a user starts it. Nothing else loads this."""

from __future__ import annotations

import json
import re
import shlex
from importlib import metadata
from pathlib import Path

import chrome_tab_mcp_server as server

__all__ = ["for_one_run", "origin", "typed", "uvx_arguments"]


def for_one_run(path: Path) -> bool:
    """Say whether a path is in the environment that uvx has made for one run, and that uv may delete."""
    return re.search(r"[\\/]archive-v\d+[\\/]", str(path)) is not None


def origin() -> str:
    """Return what uv takes the package from: its name, or the file, folder or commit that it came from (PEP 610)."""
    came = json.loads(metadata.distribution(server.APP_NAME).read_text("direct_url.json") or "{}")
    address = came.get("url", server.APP_NAME)
    commit = came.get("vcs_info")
    return f"{commit['vcs']}+{address}@{commit['commit_id']}" if commit else address


def uvx_arguments() -> list[str]:
    """Return uvx's arguments that start this very package."""
    source = origin()
    return [server.APP_NAME] if source == server.APP_NAME else ["--from", source, server.APP_NAME]


def typed() -> str:
    """Return the command by which a user starts the program."""
    return shlex.join(["uvx", *uvx_arguments()]) if for_one_run(Path(server.__file__)) else server.APP_NAME
