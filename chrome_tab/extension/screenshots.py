"""The newest screenshots, kept as resources."""

from __future__ import annotations

import base64
import itertools
import re
import unicodedata
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import mcp_types
from fastmcp.resources.types import BinaryResource
from fastmcp.server.providers import LocalProvider
from fastmcp.tools.base import ToolResult
from pydantic import AnyUrl

from chrome_tab.bridge.protocol import unreadable_reply
from chrome_tab.extension.results import REMARKS, shortened
from chrome_tab_mcp_server import MAX_SHOWN_CHARS, compact_json

__all__ = ["Screenshots"]

MAX_SCREENSHOTS = 20
MAX_SCREENSHOT_BYTES = 64 * 1024 * 1024


class Screenshots:
    """The newest screenshots, kept as resources `screenshot://NAME`."""

    def __init__(self, provider: LocalProvider) -> None:
        self._provider = provider
        self._sizes: OrderedDict[str, int] = OrderedDict()
        self._numbers = itertools.count(1)

    def keep(self, reply: Mapping[str, Any], name: str | None) -> tuple[ToolResult, bool]:
        """Store a reply's picture unless its tab is incognito; return the result, and whether resources changed."""
        data, mime_type = reply.get("data"), reply.get("mime_type")
        try:
            picture = base64.b64decode(data, validate=True) if isinstance(data, str) else b""
        except ValueError:
            picture = b""
        if not picture or mime_type not in {"image/png", "image/webp", "image/jpeg"}:
            raise unreadable_reply("screenshot")
        name = uri_part(name or "") or f"screenshot-{next(self._numbers)}"
        about: dict[str, Any] = {"name": name}
        before = set(self._sizes)
        if not reply.get("incognito"):
            about["uri"] = uri = f"screenshot://{name}"
            self._provider.add_resource(BinaryResource(uri=AnyUrl(uri), name=name, mime_type=mime_type, data=picture))
            self._sizes[uri] = len(picture)
            self._sizes.move_to_end(uri)
        while len(self._sizes) > MAX_SCREENSHOTS or sum(self._sizes.values()) > MAX_SCREENSHOT_BYTES:
            self._provider.remove_resource(self._sizes.popitem(last=False)[0])
        about |= {key: reply[key] for key in ("width", "height", *REMARKS) if reply.get(key)}
        text = compact_json(shortened(about, MAX_SHOWN_CHARS))
        content = [mcp_types.ImageContent(data=str(data), mime_type=mime_type), mcp_types.TextContent(text=text)]
        return ToolResult(content), before != set(self._sizes)


def uri_part(name: str) -> str:
    """Return a name as part of a URI: lower-case letters, digits, hyphens, dots, underscores."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9._]+", "-", plain)[:60].strip("-._")
