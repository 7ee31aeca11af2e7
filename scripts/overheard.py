"""Start an MCP server, and log each line between it and its client with a time: `overheard.py LOG COMMAND...`."""

import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO


def main() -> int:
    """Pass lines on until the server ends; return its exit status."""
    path, *command = sys.argv[1:]
    with (
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server,
        Path(path).open("ab") as log,
    ):
        assert server.stdin
        assert server.stdout
        lock = threading.Lock()

        def pass_on(source: IO[bytes], target: IO[bytes]) -> None:
            for line in source:
                with lock:
                    log.write(f"{time.monotonic():.3f} ".encode() + line)
                    log.flush()
                target.write(line)
                target.flush()
            target.close()

        sending = threading.Thread(target=pass_on, args=(sys.stdin.buffer, server.stdin), daemon=True)
        sending.start()
        pass_on(server.stdout, sys.stdout.buffer)
    return server.returncode


if __name__ == "__main__":
    sys.exit(main())
