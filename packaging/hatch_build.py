"""Package metadata taken from the server's inline metadata, the only place that lists its requirements."""

import os
import re
import tomllib
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

ROOT = Path(__file__).parents[1]
SCRIPT_HEAD = re.compile(r"^# /// script\n((?:#.*\n)+?)# ///$", re.MULTILINE)


def script_head(script: Path) -> dict[str, Any]:
    """Return a script's inline metadata (PEP 723), or nothing if it has none."""
    head = SCRIPT_HEAD.search(script.read_text(encoding="utf-8"))
    return tomllib.loads(re.sub(r"^# ?", "", head[1], flags=re.MULTILINE)) if head else {}


def registry_name() -> str:
    """Return the server's name in the MCP registry: it begins with the repository's owner, which GitHub verifies."""
    owner, _, name = os.environ.get("GITHUB_REPOSITORY", "OWNER/chrome-tab-reader").partition("/")
    return f"io.github.{owner}/{name}"


def with_whole_addresses(text: str, version: str) -> str:
    """Return a document whose links to files lead into the repository, because a package's page has no files.

    Only a release knows the repository (`GITHUB_REPOSITORY`); elsewhere the text stays as it is.
    """
    repository = os.environ.get("GITHUB_REPOSITORY")
    if not repository:
        return text
    files, pictures = (f"https://github.com/{repository}/{kind}/v{version}/" for kind in ("blob", "raw"))
    text = re.sub(r"(?<=\]\()(?!#|\w+:)", files, text)
    return re.sub(r'(?<=src=")(?!\w+:)|(?<=srcset=")(?!\w+:)', pictures, text)


class CustomMetadataHook(MetadataHookInterface):
    """Fills in the fields that `pyproject.toml` declares as dynamic."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the server's requirements, and the README with the line by which the MCP registry recognizes its package."""
        head = script_head(ROOT / "chrome_tab_mcp_server.py")
        metadata["dependencies"] = head["dependencies"]
        metadata["requires-python"] = head["requires-python"]
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        readme = with_whole_addresses(readme, metadata["version"])
        text = f"{readme}\n<!-- mcp-name: {registry_name()} -->\n"
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
