"""What `--setup` prints and asks in the terminal."""

from __future__ import annotations

from textwrap import TextWrapper

from rich.console import Console
from rich.prompt import Confirm, Prompt
from rich.text import Text

import chrome_tab_mcp_server as server

__all__ = ["SetupError", "Terminal"]


class SetupError(Exception):
    """What could not be done, and what to do instead, as a sentence."""


class Terminal:
    """What is said and asked; with `yes` nothing is asked, and what is proposed is taken."""

    def __init__(self, *, yes: bool) -> None:
        self.yes = yes
        # Whether something is left for the user to fix, and what they do first about it.
        self.failed = False
        self.next_step = ""
        self._steps = 0
        self.console = Console(markup=False, highlight=False, emoji=False)

    def manner(self) -> str:
        """Say how changes are made."""
        shown = "Each change is shown"
        return f"{shown} and made without asking." if self.yes else f"{shown} before you decide."

    def heading(self, text: str) -> None:
        """Begin the next step."""
        self._steps += 1
        self.console.print(f"\n{self._steps}. {text}", style="bold")

    def say(self, text: str, style: str = "", indent: int = 0) -> None:
        """Say a sentence; what others wrote is in it as text only, and no long path is broken in two."""
        wrap = TextWrapper(self.console.width, break_long_words=False, break_on_hyphens=False)
        wrap.initial_indent = wrap.subsequent_indent = " " * indent
        self.exact(wrap.fill(server.strip_controls(text)), style)

    def fail(self, sentence: str, next_step: str = "") -> None:
        """Say what could not be done, and note what fixes it; the run goes on, and ends with status 1."""
        self.failed = True
        self.next_step = self.next_step or next_step
        self.say(sentence, "yellow")

    def exact(self, line: str, style: str = "") -> None:
        """Print a line that is to be copied: it is not broken at the window's edge."""
        self.console.print(server.strip_controls(line), style=style, soft_wrap=True)

    def confirm(self, question: str, *, proposed: bool = True) -> bool:
        """Ask for yes or no."""
        if self.yes:
            return proposed
        return Confirm.ask(Text(question), console=self.console, default=proposed, case_sensitive=False)

    def ask(self, question: str, proposed: str) -> str:
        """Ask for a text."""
        return proposed if self.yes else Prompt.ask(Text(question), console=self.console, default=proposed).strip()
