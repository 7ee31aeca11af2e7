"""Reading ahead: the model server gets a page before there is a question about it, so that the answer begins sooner."""

from __future__ import annotations

import contextlib

from chrome_tab_mcp_server import ChromeTabError, Page, PageAnalyzer, PageReading, Progress, Query, well_formed

__all__ = ["read_ahead"]

PROMPT = "Answer with one word."


async def read_ahead(analyzer: PageAnalyzer, page: Page, model: str | None, *, confirmed: bool) -> None:
    """Send the model server the common prefix of all prompts about the page.

    Nothing is sent to a model that runs elsewhere unless the user has confirmed it.
    """
    name = well_formed(model or analyzer.settings.model or "")
    if await analyzer.server.model_host(name) and not confirmed:
        return
    with contextlib.suppress(ChromeTabError):  # the question itself will report the failure
        await PageStart(analyzer, page, Query(PROMPT), name, Progress(None)).send()


class PageStart(PageReading):
    """The beginning of a reading: only its first request."""

    async def send(self) -> None:
        """Send the first chunk with an answer of one token, so that the server caches its computation."""
        text = self.page.text
        await self.analyzer.window(self.model)
        if not self.meter.fits(text, self._room(whole=True)):
            _, plan = await self._plan()
            end = (plan or self._split())[0]
            text = self._opening("1", 0) + text[:end]
        await self._count(self.analyzer.frame(text), self.query.prompt)
