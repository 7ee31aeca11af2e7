"""The progress bar of --analyze, --doctor and --setup."""

from __future__ import annotations

import contextlib
from collections.abc import Generator

from rich.console import Console
from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

import chrome_tab_mcp_server as server

__all__ = ["terminal_progress"]


@contextlib.contextmanager
def terminal_progress(show: server.ShowAnswer = None) -> Generator[server.Progress]:
    """Yield a progress on stderr: in a terminal a bar that ends with the answer's first word, otherwise lines."""
    console = Console(stderr=True)
    if not console.is_terminal:
        with server.progress_lines(show) as progress:
            yield progress
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=100)

        async def show_step(reached: float, message: str) -> None:
            bar.update(task, completed=reached, description=message)

        def begin_to_show(answer: str) -> None:
            if show and answer:
                bar.live.stop()
                show(answer)

        yield server.Progress(show_step, begin_to_show)
