"""Web servers for measurements, on loopback."""

import http.server
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from demo.web import WebServer, serving

Reply = tuple[int, str, bytes]


@contextmanager
def listening(answer: Callable[[http.server.BaseHTTPRequestHandler], Reply]) -> Generator[str]:
    """Serve for the duration of the block; `answer` returns status, content type and body. Yields the address."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, content_type, body = answer(self)
            self.send_response(status)
            self.send_header("content-type", content_type)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the inherited name
            pass

    with serving(WebServer(Handler)) as address:
        yield address
