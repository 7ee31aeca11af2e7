"""Web servers on loopback."""

import http.server
import threading
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def serving(server: http.server.HTTPServer) -> Generator[str]:
    """Run a server for the time of the block; gives its address."""
    with server:
        # Looking for the end of the block twice a second, as it does by itself, would cost each user of it that time.
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()
