"""Web servers on loopback."""

import functools
import http.server
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

DEMO_PAGE = Path(__file__).resolve().parent / "page"


@contextmanager
def serving(server: http.server.HTTPServer) -> Generator[str]:
    """Run a server for the duration of the block; yield its address."""
    with server:
        # By default it checks for the end of the block twice a second, which would cost each user that time.
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


class WebServer(http.server.ThreadingHTTPServer):
    """Serves on a free port of loopback."""

    def __init__(self, handler: Callable[..., http.server.BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing about a browser that has left before all of a page was written."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves files."""

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the inherited name
        """Log nothing."""


@contextmanager
def demonstration_page() -> Generator[str]:
    """Serve demo/page during the block and yield its address."""
    handler = functools.partial(QuietHandler, directory=DEMO_PAGE)
    with serving(WebServer(handler)) as address:
        yield address
