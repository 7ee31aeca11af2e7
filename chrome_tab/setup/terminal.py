"""What `--setup` prints and asks in the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.prompt import Confirm, Prompt
from rich.text import Text

import chrome_tab_mcp_server as server

__all__ = ["SetupError", "Terminal"]


class SetupError(Exception):
    """A step failed; the message says what to do instead."""


class Terminal:
    """Prints messages and asks questions; with `yes` it accepts every default without asking."""

    def __init__(self, *, yes: bool) -> None:
        self.yes = yes
        # Whether something is left for the user to fix, and the first step to fix it.
        self.failed = False
        self.next_step = ""
        self._steps = 0
        self.console = Console(markup=False, highlight=False, emoji=False)

    def manner(self) -> str:
        """Return a sentence about how changes are made."""
        shown = "Each change is shown"
        return f"{shown} and made without asking." if self.yes else f"{shown} before you decide."

    def heading(self, text: str) -> None:
        """Print the heading of the next step."""
        self._steps += 1
        self.console.print(f"\n{self._steps}. {text}", style="bold")

    def say(self, text: str, style: str = "", indent: int = 0) -> None:
        """Print a sentence without control characters; words, commands and paths are not broken across lines."""
        lines = server.wrapped(server.strip_controls(" " * indent + text), self.console.width, hanging=indent)
        self.exact(lines, style)

    def fail(self, sentence: str, next_step: str = "") -> None:
        """Print what failed, and store the step that fixes it; setup continues, and ends with status 1."""
        self.failed = True
        self.next_step = self.next_step or next_step
        self.say(f"FIX {sentence}", "yellow")

    def exact(self, line: str, style: str) -> None:
        """Print a line for copying: it is not wrapped."""
        self.console.print(server.strip_controls(line), style=style, soft_wrap=True)

    def confirm(self, question: str, *, proposed: bool = True) -> bool:
        """Ask a yes-or-no question."""
        if self.yes:
            return proposed
        return Confirm.ask(Text(question), console=self.console, default=proposed, case_sensitive=False)

    def ask(self, question: str, proposed: str) -> str:
        """Ask for a text."""
        return proposed if self.yes else Prompt.ask(Text(question), console=self.console, default=proposed).strip()
