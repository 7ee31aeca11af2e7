"""The main job of Chrome Tab Reader in the terminal: --analyze. The server imports it for this flag alone."""

from __future__ import annotations

import contextlib
import sys

import chrome_tab_mcp_server as server


class Printed:
    """Prints an answer on stdout while it is written; what then turns out not to be the answer is told to be none."""

    _text = ""

    def show(self, text: str, *, is_whole: bool = False) -> None:
        """Print what has come to the text; another text is printed only when it is the whole answer."""
        if is_whole and not text.startswith(self._text):
            print("\n\n[What stands above is not the answer: it had to be begun anew. The answer:]\n")
            self._text = ""
        if text.startswith(self._text):
            print(server.printable(text[len(self._text) :]), end="", flush=True)
            self._text = text

    def close(self) -> None:
        """End the line, also that of an answer that broke off."""
        print(end="\n" if self._text else "", flush=True)


async def analyze(
    settings: server.Settings, prompt: str, start: str | None, end: str | None, tab_id: int | None
) -> int:
    """Do the main job in the terminal: progress on stderr, the answer alone on stdout."""
    with contextlib.closing(Printed()) as printed:
        with server.terminal_progress(printed.show) as progress:
            async with server.ChromeTabs(settings) as tabs:
                await tabs.start()
                answer = await tabs.process(server.asked(settings, prompt), server.Wanted(start, end), tab_id, progress)
        printed.show(answer.told(read=False), is_whole=True)
    receipt = answer.receipt
    print(f"{server.one_line(receipt['title'])} ({server.one_line(receipt['url'])}) {answer.read}", file=sys.stderr)
    return 0
