"""Reading ahead: the model server gets a page before there is a question about it, so that the answer begins sooner."""

from __future__ import annotations

import contextlib

from chrome_tab_mcp_server import (
    ChromeTabError,
    ChunkPlanner,
    ModelRequests,
    Page,
    PageAnalyzer,
    Progress,
    Query,
    well_formed,
)

__all__ = ["read_ahead"]

PROMPT = "Answer with one word."


async def read_ahead(analyzer: PageAnalyzer, page: Page, model: str | None, *, confirmed: bool) -> None:
    """Send the model server the common prefix of all prompts about the page, for an answer of one token.

    Nothing is sent to a model that runs elsewhere unless the user has confirmed it.
    """
    name = well_formed(model or analyzer.settings.model or "")
    if await analyzer.server.model_host(name) and not confirmed:
        return
    query = Query(PROMPT)
    planner = ChunkPlanner(analyzer, page, query, name)
    with contextlib.suppress(ChromeTabError):  # the question itself will report the failure
        await analyzer.window(name)
        framed = analyzer.frame(await first_text(planner))
        await ModelRequests(analyzer, query, name, Progress(None)).count(framed, PROMPT)


async def first_text(planner: ChunkPlanner) -> str:
    """Return the text that the first request of a reading sends: the whole page, or its first chunk."""
    text = planner.page.text
    if planner.fits_whole():
        return text
    _, plan = await planner.stored()
    return planner.opening("1", 0) + text[: (plan or planner.split())[0]]
