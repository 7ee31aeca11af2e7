"""A program in a pseudo-terminal, as a user sees and uses it."""

import asyncio
import os
import re
import struct
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress

import psutil

from tests.support.polling import until

WAIT_S = 60
COLUMNS = 80
ESCAPES = re.compile(r"\x1b\[[\d;?]*[A-Za-z]")


class Terminal:
    """The program's output, as text with single spaces, and the input to it."""

    def __init__(self, process: asyncio.subprocess.Process, here: int) -> None:
        self.process = process
        self._here = here
        self._raw = b""
        self._more = asyncio.Event()
        asyncio.get_running_loop().add_reader(here, self._read)

    @property
    def shown(self) -> str:
        """Return all output, without line breaks from wrapping."""
        return " ".join(ESCAPES.sub("", self._raw.decode(errors="replace")).split())

    @property
    def width(self) -> int:
        """Return the length of the longest line."""
        return max(map(len, ESCAPES.sub("", self._raw.decode(errors="replace")).splitlines()))

    async def sees(self, words: str) -> None:
        """Wait until this text is shown."""
        with suppress(TimeoutError):
            async with asyncio.timeout(WAIT_S):
                while words not in self.shown and self._here >= 0:
                    self._more.clear()
                    await self._more.wait()
        assert words in self.shown, f"{words!r} did not come: {self.shown}"

    async def answers(self, **typed: str) -> None:
        """Type each answer when the question that ends with its key is shown."""
        for words, line in typed.items():
            await self.sees(words.replace("_", " ") + "?")
            os.write(self._here, f"{line}\n".encode())

    async def listens(self) -> None:
        """Wait until the program waits after its question: Python loses a signal that arrives just before it reads."""
        program = psutil.Process(self.process.pid)

        async def sleeps() -> bool:
            return program.status() == psutil.STATUS_SLEEPING

        await until(sleeps)

    async def status(self) -> int:
        """Wait for the end; return the exit status."""
        status = await asyncio.wait_for(self.process.wait(), WAIT_S)
        async with asyncio.timeout(WAIT_S):
            while self._here >= 0:
                self._more.clear()
                await self._more.wait()
        return status

    def close(self) -> None:
        """Close the terminal."""
        if self._here >= 0:
            asyncio.get_running_loop().remove_reader(self._here)
            os.close(self._here)
            self._here = -1

    def _read(self) -> None:
        try:
            read = os.read(self._here, 65_536)
        except OSError:
            # Linux reports this when the last program has left the terminal.
            read = b""
        self._raw += read
        if not read:
            self.close()
        self._more.set()


@asynccontextmanager
async def in_terminal(
    command: Sequence[str], environment: Mapping[str, str], columns: int = COLUMNS
) -> AsyncGenerator[Terminal]:
    """Run a program in its own terminal; it never outlives the block."""
    import fcntl
    import termios

    here, there = os.openpty()
    fcntl.ioctl(here, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    process = await asyncio.create_subprocess_exec(
        *command, stdin=there, stdout=there, stderr=there, env=dict(environment) | {"TERM": "xterm-256color"}
    )
    os.close(there)
    terminal = Terminal(process, here)
    try:
        yield terminal
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        terminal.close()
