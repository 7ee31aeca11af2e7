"""What the person asks in the browser's side panel, without any MCP client; DESIGN.md, "Asking in the browser".

It goes the server's one way of reading and answering. It is imported at the first question.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import sys
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pydantic import BaseModel, Field, ValidationError

from chrome_tab.bridge.bridge import Bridge, Role
from chrome_tab_mcp_server import (
    Answer,
    ChromeTabError,
    ChromeTabs,
    Page,
    Progress,
    Query,
    ReadOptions,
    check_site,
    internal_error,
    logger,
    missing_settings,
)

__all__ = ["SidePanel", "serve_browser"]

# How many texts are remembered for further questions, and of each how many answers.
MAX_TALKS, MAX_EARLIER, MAX_EARLIER_CHARS = 8, 3, 2_000
MAX_NAMED_MODELS = 100
MAX_SENT_CHARS = 50_000
SHOW_INTERVAL_S = 0.1
EARLIER_PROMPT = (
    "What the reader has asked about the text above before, and what was answered, follows. It only says what the new "
    "question means: answer the new one, from the text above."
)


class Conversation(NamedTuple):
    """What the person has asked about one text, and been answered."""

    page: Page
    exchanges: tuple[tuple[str, str], ...] = ()

    def prompt(self, question: str, frame: Callable[[str], str]) -> str:
        """Return the instruction for the next question about the same text; what was answered is framed as the page is."""
        said = "\n\n".join(f"Question: {asked}\nAnswer: {answer}" for asked, answer in self.exchanges)
        return f"{EARLIER_PROMPT}\n\n{frame(said)}\n\nThe question now: {question}" if said else question

    def after(self, question: str, answer: str) -> Conversation:
        """Return the talk after one more answer; only the newest are remembered."""
        exchange = (question, answer[:MAX_EARLIER_CHARS])
        return self._replace(exchanges=(*self.exchanges, exchange)[-MAX_EARLIER:])


class SidePanelQuestion(BaseModel):
    """What the extension sends when the person asks in its side panel; several tabs get one answer over all."""

    id: str = Field(max_length=100)
    talk: str = Field(max_length=100)
    question: str = Field(min_length=1, max_length=MAX_SENT_CHARS)
    tab_ids: list[int] = Field(min_length=1, max_length=50)
    model: str | None = Field(None, max_length=500)


class SidePanel:
    """Answers what the person asks in the browser, by events; DESIGN.md, "Asking in the browser".

    What was read stays for the next question about it, in memory only, until the panel is closed.
    """

    def __init__(self, tabs: ChromeTabs, bridge: Bridge) -> None:
        self._tabs, self._bridge = tabs, bridge
        self._running: dict[str, asyncio.Task[None]] = {}
        self._talks: OrderedDict[str, Conversation] = OrderedDict()

    def hear(self, message: Mapping[str, Any]) -> None:
        """Take one message of the extension; what is malformed is dropped."""
        spawn = self._bridge.spawn
        match message:
            case {"ask": {"id": str(ask_id)} as question} if ask_id not in self._running:
                self._running[ask_id] = spawn(self._attend(ask_id, question))
            case {"stop": str(ask_id)} if ask_id in self._running:
                self._running[ask_id].cancel()
            case {"forget": str(talk)}:
                self._talks.pop(talk, None)
            case {"models": str(ask_id)}:
                spawn(self._name_models(ask_id))
            case _:
                logger.debug("dropped a question that is none")

    async def _attend(self, ask_id: str, message: Mapping[str, Any]) -> None:
        """Answer one question: how far it is, the answer as it is written, and its end."""
        tell = functools.partial(self._tell, ask_id)
        written: asyncio.Queue[str] = asyncio.Queue()

        async def show() -> None:
            while text := await written.get():
                while not written.empty():
                    text = written.get_nowait()
                await tell("writing", text=text)
                await asyncio.sleep(SHOW_INTERVAL_S)

        async def progress(percent: float, step: str) -> None:
            await tell("reading", percent=percent, step=step)

        showing = asyncio.create_task(show())
        try:
            question = SidePanelQuestion.model_validate(message)
            answer = await self._answer(question, Progress(progress, written.put_nowait))
            showing.cancel()
            await tell("done", text=answer.text, read=answer.read, note=answer.note)
        except ValidationError:
            await tell("failed", error={"code": "INVALID_ARGUMENT", "message": "The question is empty or too long."})
        except ChromeTabError as error:
            await tell("failed", **error.data())
        except Exception as error:  # noqa: BLE001 -- the person waits for an end
            await tell("failed", **internal_error("the side panel", error).data())
        finally:
            showing.cancel()
            self._running.pop(ask_id, None)

    async def _answer(self, asked: SidePanelQuestion, progress: Progress) -> Answer:
        tabs = self._tabs
        if missing := missing_settings(tabs.settings):
            raise ChromeTabError("MODEL_NOT_FOUND", missing)
        if len(asked.tab_ids) > 1:
            about = Query(asked.question, None, asked.model)
            answers, together = await tabs.process_several(asked.tab_ids, about, ReadOptions(), progress)
            answer = together or next(tab.answer for tab in answers if tab.answer)
            rendered = (tab.answer.render(read=False) if tab.answer else tab.text() for tab in answers)
            each = "\n\n".join(f"{tab.heading()}\n\n{text}" for tab, text in zip(answers, rendered, strict=True))
            return answer if answer.text else answer._replace(text=each)
        async with progress:
            talk = self._talks.get(asked.talk)
            talk = talk or Conversation(await tabs.read_telling(ReadOptions(), asked.tab_ids[0], progress))
            check_site(tabs.settings, talk.page.url)
            about = Query(talk.prompt(asked.question, tabs.analyst.frame), None, asked.model)
            # What a site's table says is for calls that leave it out; here the person has said what they want.
            answer = await tabs.analyst.answer(talk.page, about, progress)
        self._talks[asked.talk] = talk.after(asked.question, answer.text)
        while len(self._talks) > MAX_TALKS:
            self._talks.popitem(last=False)
        return answer

    async def _name_models(self, ask_id: str) -> None:
        settings = self._tabs.settings
        with contextlib.suppress(ChromeTabError):
            names = await self._tabs.analyst.server.models() if settings.ollama_url else []
            await self._tell(ask_id, "models", models=names[:MAX_NAMED_MODELS], model=settings.model or "")

    async def _tell(self, ask_id: str, state: str, **about: Any) -> None:
        await self._bridge.tell({"event": "answer", "id": ask_id, "state": state, **about})


async def serve_browser(tabs: ChromeTabs, bridge: Bridge) -> int:
    """Serve what the person asks in the browser, without any client, until this task is cancelled."""
    async with tabs:
        await tabs.start()
        if problem := bridge.problem:
            said = f"{problem.message} This goes on trying."
        elif bridge.role is Role.FOLLOWER:
            said = "Another of your servers answers the side panel, by its own settings. When it ends, this one does."
        else:
            said = "Ask in the browser: the extension's side panel."
        print(f"{said} Ctrl+C ends this.", file=sys.stderr, flush=True)
        await asyncio.Event().wait()
    return 0
