"""What driving a tab needs beside the extension's commands: screenshots that stay, and files that may be uploaded.

The server imports this module when it is first used.
"""

from __future__ import annotations

import base64
import contextlib
import itertools
import re
import unicodedata
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import mcp_types
from fastmcp.resources.types import BinaryResource
from fastmcp.server.providers import LocalProvider
from fastmcp.tools.base import ToolResult
from pydantic import AnyUrl

from chrome_tab_mcp_server import (
    MAX_SHOWN_CHARS,
    ChromeTabError,
    compact_json,
    one_line,
    shortened,
    unreadable_reply,
)

__all__ = ["Screenshots", "allowed_file"]

MAX_SCREENSHOTS = 20
MAX_SCREENSHOT_BYTES = 64 * 1024 * 1024


class Screenshots:
    """The newest screenshots, kept as resources `screenshot://NAME`."""

    def __init__(self, provider: LocalProvider) -> None:
        self._provider = provider
        self._sizes: OrderedDict[str, int] = OrderedDict()
        self._numbers = itertools.count(1)

    def keep(self, reply: Mapping[str, Any], name: str | None) -> tuple[ToolResult, bool]:
        """Keep the picture of a reply, unless its tab is incognito; return the tool's result, and whether the list of resources has changed."""
        data, mime_type = reply.get("data"), reply.get("mime_type")
        try:
            picture = base64.b64decode(data, validate=True) if isinstance(data, str) else b""
        except ValueError:
            picture = b""
        if not picture or mime_type not in {"image/png", "image/webp", "image/jpeg"}:
            raise unreadable_reply("screenshot")
        name = uri_part(name or "") or f"screenshot-{next(self._numbers)}"
        said: dict[str, Any] = {"name": name}
        before = set(self._sizes)
        if not reply.get("incognito"):
            said["uri"] = uri = f"screenshot://{name}"
            self._provider.add_resource(BinaryResource(uri=AnyUrl(uri), name=name, mime_type=mime_type, data=picture))
            self._sizes[uri] = len(picture)
            self._sizes.move_to_end(uri)
        while len(self._sizes) > MAX_SCREENSHOTS or sum(self._sizes.values()) > MAX_SCREENSHOT_BYTES:
            self._provider.remove_resource(self._sizes.popitem(last=False)[0])
        said |= {key: reply[key] for key in ("width", "height", "notes", "dialogs") if reply.get(key)}
        text = compact_json(shortened(said, MAX_SHOWN_CHARS))
        content = [mcp_types.ImageContent(data=str(data), mime_type=mime_type), mcp_types.TextContent(text=text)]
        return ToolResult(content), before != set(self._sizes)


def uri_part(name: str) -> str:
    """Return a name as a part of an address: small letters, digits, hyphens, dots."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9._]+", "-", plain)[:60].strip("-._")


def allowed_file(path: str, folders: Sequence[str]) -> str:
    """Return the absolute path of a file below the folders, links resolved; of another not even whether it exists."""
    roots = [Path(folder).expanduser().resolve() for folder in folders]
    for root in roots:
        with contextlib.suppress(OSError, RuntimeError, ValueError):
            file = (root / Path(path).expanduser()).resolve(strict=True)
            if file.is_file() and any(map(file.is_relative_to, roots)):
                return str(file)
    raise ChromeTabError(
        "FILE_NOT_ALLOWED",
        f"Files may be taken from {', '.join(map(str, roots)) or 'no folder'}, and {one_line(path)!r} is none of them. "
        "Ask the person to copy it there, or to start the server with --upload-folder and its folder.",
    )
