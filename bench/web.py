"""Web servers for measurements, on loopback."""

import http.server
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

Reply = tuple[int, str, bytes]


@contextmanager
def listening(answer: Callable[[http.server.BaseHTTPRequestHandler], Reply]) -> Generator[str]:
    """Serve for the time of the block; `answer` gives status, content type and body. Gives the address, without a slash."""

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

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as web:
        threading.Thread(target=web.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{web.server_port}"
        finally:
            web.shutdown()
