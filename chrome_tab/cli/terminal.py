"""Chrome Tab Reader in the terminal: --analyze and --doctor, and the progress that is shown there.

The server imports this module for these flags alone.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Generator

from rich.console import Console
from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

import chrome_tab_mcp_server as server
from chrome_tab import status as chrome_tab_status

__all__ = ["analyze", "doctor", "terminal_progress"]


@contextlib.contextmanager
def terminal_progress(show: server.ShowAnswer = None) -> Generator[server.Progress]:
    """Give a progress that shows on stderr: a bar on a terminal, which ends with the answer's first word, elsewhere lines."""
    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    told = ["done"]
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=100)

        async def tell_step(reached: float, message: str) -> None:
            bar.update(task, completed=reached, description=message)
            step = message.partition(",")[0]
            if step not in told and not console.is_terminal:
                told.append(step)
                print(step, file=sys.stderr)

        def begin_to_show(answer: str) -> None:
            if show and answer:
                bar.live.stop()
                show(answer)

        yield server.Progress(tell_step, begin_to_show)


class Printed:
    """Prints an answer on stdout while it is written; what then turns out not to be the answer is told to be none."""

    _text = ""

    def show(self, text: str, *, is_whole: bool = False) -> None:
        """Print what has come to the text; another text is printed only when it is the whole answer."""
        if is_whole and not text.startswith(self._text):
            print("\n\n[What stands above is not the answer: it had to be begun anew. The answer:]\n")
            self._text = ""
        if text.startswith(self._text):
            print(server.strip_controls(text[len(self._text) :]), end="", flush=True)
            self._text = text

    def close(self) -> None:
        """End the line, also that of an answer that broke off."""
        print(end="\n" if self._text else "", flush=True)


async def analyze(
    settings: server.Settings, prompt: str, start: str | None, end: str | None, tab_id: int | None
) -> int:
    """Do the main job in the terminal: progress on stderr, the answer alone on stdout."""
    with contextlib.closing(Printed()) as printed:
        with terminal_progress(printed.show) as progress:
            async with server.ChromeTabs(settings) as tabs:
                await tabs.start()
                answer = await tabs.process(server.asked(settings, prompt), server.Wanted(start, end), tab_id, progress)
        printed.show(answer.told(read=False), is_whole=True)
    receipt = answer.receipt
    print(f"{server.one_line(receipt['title'])} ({server.one_line(receipt['url'])}) {answer.read}", file=sys.stderr)
    return 0


async def doctor(settings: server.Settings) -> int:
    """Print how each layer stands; return 1 when one needs mending."""
    with terminal_progress() as progress:
        async with server.ChromeTabs(settings) as tabs, progress:
            layers = await chrome_tab_status.status(tabs)
    for layer in layers:
        print(server.strip_controls(str(layer)))
    return int(any(layer.ok is False for layer in layers))
