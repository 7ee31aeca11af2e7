"""Prompts from the browser's side panel, which needs no MCP client; docs/design/protocol.md, "Side panel".

They use the same code for reading and answering as the tools. This module is imported at the first prompt.
"""

from __future__ import annotations

import asyncio
import bisect
import contextlib
import functools
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import BaseModel, Field, ValidationError

from chrome_tab.bridge.bridge import Bridge, Role, current_client
from chrome_tab.read_ahead import read_ahead
from chrome_tab_mcp_server import (
    CHECK_RESULTS,
    CLOUD_SERVICE,
    Answer,
    ChromeTabError,
    ChromeTabs,
    CloudModelError,
    Page,
    Progress,
    Query,
    ReadOptions,
    Sentence,
    TabAnswer,
    check_site,
    distinct_findings,
    internal_error,
    logger,
    missing_settings,
    print_message,
    quote_headings,
    sentence_data,
)

__all__ = ["SidePanel", "serve_browser"]

# How many conversations are kept, and for each how many earlier answers of at most how many characters.
MAX_CONVERSATIONS, MAX_EARLIER, MAX_EARLIER_CHARS = 8, 3, 2_000
MAX_NAMED_MODELS = 100
MAX_SENT_CHARS = 50_000
EARLIER_PROMPT = (
    "What the reader has asked about the text above before, and what was answered, follows. It only says what the new "
    "question means: answer the new one, from the text above."
)


class Conversation(NamedTuple):
    """The user's questions about one text, and their answers."""

    page: Page
    exchanges: tuple[tuple[str, str], ...] = ()

    def prompt(self, question: str, frame: Callable[[str], str]) -> str:
        """Return the instruction for the next question about the text; earlier answers are framed like the page."""
        earlier = "\n\n".join(f"Question: {question}\nAnswer: {answer}" for question, answer in self.exchanges)
        return f"{EARLIER_PROMPT}\n\n{frame(earlier)}\n\nThe question now: {question}" if earlier else question

    def after(self, question: str, answer: str) -> Conversation:
        """Return the conversation with one more answer; only the newest are kept."""
        exchange = (question, answer[:MAX_EARLIER_CHARS])
        return self._replace(exchanges=(*self.exchanges, exchange)[-MAX_EARLIER:])


def known_host(host: str) -> str:
    """Return a host for the side panel: empty if unknown, since the panel has its own word for that."""
    return "" if host == CLOUD_SERVICE else host


class SidePanelPrompt(BaseModel):
    """A prompt from the side panel; several tabs get one combined answer."""

    id: str = Field(max_length=100)
    conversation: str = Field(max_length=100)
    text: str = Field(min_length=1, max_length=MAX_SENT_CHARS)
    tab_ids: list[int] = Field(min_length=1, max_length=50)
    model: str | None = Field(None, max_length=500)
    # The user has confirmed that the page may be sent to where this model runs.
    confirmed: bool = False


class ReadAheadRequest(BaseModel):
    """The extension's message when the user starts to type, if reading ahead is turned on."""

    conversation: str = Field(max_length=100)
    tab_id: int
    model: str | None = Field(None, max_length=500)


class SidePanel:
    """Answers prompts from one browser with events; docs/design/protocol.md, "Side panel".

    Page text is kept for follow-up questions, in memory only, until the panel is closed.
    """

    def __init__(self, tabs: ChromeTabs, bridge: Bridge, profile: str) -> None:
        self._tabs, self._bridge, self._profile = tabs, bridge, profile
        self._running: dict[str, asyncio.Task[None]] = {}
        self._conversations: OrderedDict[str, Conversation] = OrderedDict()
        self._confirmed: set[str | None] = set()
        # By conversation and model: the task that reads a page before its first question.
        self._ahead: dict[tuple[str, str | None], asyncio.Task[None]] = {}

    def receive(self, message: Mapping[str, Any]) -> None:
        """Handle one message from the extension; drop malformed ones."""
        spawn = self._bridge.spawn
        match message:
            case {"prompt": {"id": str(ask_id)} as prompt} if ask_id not in self._running:
                self._running[ask_id] = spawn(self._respond(ask_id, prompt))
            case {"stop": str(ask_id)} if ask_id in self._running:
                self._running[ask_id].cancel()
            case {"clear": str(conversation)}:
                self._conversations.pop(conversation, None)
                self._leave_ahead(conversation)
            case {"read_ahead": dict(about)}:
                spawn(self._read_ahead(about))
            case {"models": str(ask_id)}:
                spawn(self._name_models(ask_id))
            case _:
                logger.debug("dropped a malformed message from the side panel")

    async def _respond(self, ask_id: str, message: Mapping[str, Any]) -> None:
        """Answer one prompt: send events for its progress, the growing answer, and the end."""
        current_client.set("side-panel")
        send_event = functools.partial(self._send_event, ask_id)
        written: asyncio.Queue[str] = asyncio.Queue()

        async def show() -> None:
            while text := await written.get():
                while not written.empty():
                    text = written.get_nowait()
                await send_event("writing", text=text)

        async def report(percent: float, _message: str) -> None:
            await send_event("reading", percent=percent, step=progress.step())

        progress = Progress(report, written.put_nowait)
        showing = asyncio.create_task(show())
        try:
            request = SidePanelPrompt.model_validate(message)
            answer = await self._answer(request, progress)
            showing.cancel()
            about = {"checked": checked(answer), "evidence": evidence(answer)}
            await send_event("done", text=answer.text, **answer_data(answer.receipt), **about)
        except ValidationError:
            await send_event(
                "failed", error={"code": "INVALID_ARGUMENT", "message": "The question is empty or too long."}
            )
        except CloudModelError as error:
            await send_event("failed", **error.data(), confirm={"model": error.model, "host": known_host(error.host)})
        except ChromeTabError as error:
            await send_event("failed", **error.data())
        except Exception as error:  # noqa: BLE001 -- the user waits for an end
            await send_event("failed", **internal_error("the side panel", error).data())
        finally:
            showing.cancel()
            self._running.pop(ask_id, None)

    async def _read_ahead(self, message: Mapping[str, Any]) -> None:
        """Read a page before its first question, and let a local model start on it; nothing is reported."""
        current_client.set("side-panel")
        with contextlib.suppress(ValidationError, ChromeTabError):
            request = ReadAheadRequest.model_validate(message)
            key, tabs = (request.conversation, request.model), self._tabs
            if request.conversation in self._conversations or key in self._ahead or missing_settings(tabs.settings):
                return
            self._leave_ahead(request.conversation)

            async def work() -> None:
                page = await tabs.read(ReadOptions(), request.tab_id)
                check_site(tabs.settings, page.url)
                self._remember(request.conversation, Conversation(page._replace(tab_id=request.tab_id)))
                await read_ahead(tabs.analyzer, page, request.model, confirmed=request.model in self._confirmed)

            self._ahead[key] = asyncio.create_task(work())
            await asyncio.wait([self._ahead[key]])
            ahead = self._ahead.pop(key)
            if not ahead.cancelled():
                ahead.exception()  # the question itself will report the error

    def _leave_ahead(self, conversation: str, *but: str | None) -> None:
        """Stop reading ahead for a conversation, except for the models in `but`."""
        for (other, model), task in self._ahead.items():
            if other == conversation and model not in but:
                task.cancel()

    def _remember(self, key: str, conversation: Conversation) -> None:
        self._conversations[key] = conversation
        self._conversations.move_to_end(key)
        while len(self._conversations) > MAX_CONVERSATIONS:
            self._conversations.popitem(last=False)

    async def _answer(self, request: SidePanelPrompt, progress: Progress) -> Answer:
        tabs = self._tabs
        if missing := missing_settings(tabs.settings):
            raise ChromeTabError("MODEL_NOT_FOUND", missing)
        if request.confirmed:
            self._confirmed.add(request.model)
        is_confirmed = request.model in self._confirmed
        query = Query(request.text, None, request.model, is_confirmed, evidence=True, own_text=request.text)
        if len(request.tab_ids) > 1:
            return await self._answer_several(request.tab_ids, query, progress)
        async with progress:
            await self._wait_ahead(request)
            conversation = self._conversations.get(request.conversation)
            if conversation is None:
                page = await tabs.read_with_progress(ReadOptions(), request.tab_ids[0], progress)
                conversation = Conversation(page._replace(tab_id=request.tab_ids[0]))
            check_site(tabs.settings, conversation.page.url)
            own_text = "\n".join([*(question for question, _ in conversation.exchanges), request.text])
            query = query._replace(prompt=conversation.prompt(request.text, tabs.analyzer.frame), own_text=own_text)
            # No defaults from `[sites]`: the user has stated what they want.
            answer = await tabs.analyzer.answer(conversation.page, query, progress)
        self._remember(request.conversation, conversation.after(request.text, answer.text))
        return answer

    async def _answer_several(self, tab_ids: Sequence[int], query: Query, progress: Progress) -> Answer:
        """Return the answer over several tabs, or those of each tab if there is none."""
        # The panel states that conversations are not stored.
        query = query._replace(recorded=False)
        tabs, together = await self._tabs.process_several(tab_ids, query, ReadOptions(), progress)
        answer = together or next(tab.whole for tab in tabs if tab.whole)
        # The panel gets evidence as data, and only for a single text.
        rendered = (quote_headings(tab.whole.text) if tab.whole else tab.text() for tab in tabs)
        each = "\n\n".join(f"{tab.heading()}\n\n{text}" for tab, text in zip(tabs, rendered, strict=True))
        receipt = combined_receipt(tabs, answer.receipt, time.monotonic() - progress.started)
        return answer._replace(text=answer.text or each, receipt=receipt)

    async def _wait_ahead(self, request: SidePanelPrompt) -> None:
        """Wait for reading ahead for this question to finish: the model continues from there."""
        self._leave_ahead(request.conversation, request.model)
        if task := self._ahead.get((request.conversation, request.model)):
            try:
                await asyncio.wait([task])
            except asyncio.CancelledError:
                task.cancel()
                raise

    async def _name_models(self, ask_id: str) -> None:
        settings = self._tabs.settings
        with contextlib.suppress(ChromeTabError):
            listed = (await self._tabs.analyzer.server.catalog())[:MAX_NAMED_MODELS] if settings.ollama_url else []
            hosts = {model.name: model.cloud_host or self._tabs.analyzer.server.host for model in listed}
            cloud = {name: known_host(host) for name, host in hosts.items() if host}
            names = [model.name for model in listed]
            await self._send_event(ask_id, "models", models=names, cloud=cloud, model=settings.model or "")

    async def _send_event(self, ask_id: str, state: str, **about: Any) -> None:
        await self._bridge.notify(self._profile, {"event": "answer", "id": ask_id, "state": state, **about})


def answer_data(receipt: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the side panel shows below an answer, as codes and numbers that it localizes."""
    names = ("model", "model_host", "seconds", "characters_read", "page_characters", "chunks", "tabs")
    shown = {name: receipt[name] for name in names if name in receipt}
    notes = map(sentence_data, receipt["notes"])
    # The user knows which browser they are in.
    return {"receipt": shown, "notes": [note for note in notes if note["code"] != "read_in"]}


def combined_receipt(answers: Sequence[TabAnswer], receipt: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """Return the receipt of an answer about several tabs: totals over all, and which ones could not be read."""
    receipts = [tab.answer.receipt for tab in answers if tab.answer]
    totals = {name: sum(each[name] for each in receipts) for name in ("characters_read", "page_characters", "chunks")}
    notes = [note for each in receipts for note in each["notes"]]
    notes += [
        Sentence(
            "tab_unread", f"{tab.heading()}: {tab.error.message}", tab=tab.heading(), error=tab.error.data()["error"]
        )
        for tab in answers
        if tab.error
    ]
    # Several answers may have the same note: the user needs it once.
    notes = list(dict.fromkeys([*notes, *receipt["notes"]]))
    about = {"model": receipts[0]["model"], "seconds": round(seconds, 2), "tabs": len(receipts)}
    return {**receipt, **totals, **about, "notes": notes}


def checked(answer: Answer) -> dict[str, Any]:
    """Return the count of each check result, and the positions of figures not found in the passage cited for them."""
    place = utf16_places(answer.text)
    findings = distinct_findings(answer.findings)
    results = Counter(finding.result for finding in findings)
    doubtful = [
        {"result": finding.result, "start": place(finding.start), "end": place(finding.end)}
        for finding in findings
        if finding.result in ("elsewhere", "not_on_page")
    ]
    return {"counts": {result: results[result] for result in CHECK_RESULTS}, "figures": doubtful}


def evidence(answer: Answer) -> list[dict[str, Any]]:
    """Return the passage that supports each sentence of an answer, by its position; None if none was found."""
    place = utf16_places(answer.text)
    return [
        {"start": place(each.start), "end": place(each.end), "passage": None}
        | ({"passage": each.passage, "offset": each.offset, "tab_id": each.page.tab_id} if each.passage else {})
        for each in answer.evidence
    ]


def utf16_places(text: str) -> Callable[[int], int]:
    """Return a function that converts a position in a text to one in a JavaScript string."""
    wide = [i for i, c in enumerate(text) if ord(c) > 0xFFFF]  # noqa: PLR2004 -- the last one-unit character
    return lambda place: place + bisect.bisect_left(wide, place)


async def serve_browser(tabs: ChromeTabs, bridge: Bridge) -> int:
    """Answer prompts from the browser, without any client, until this task is cancelled."""
    async with tabs:
        await tabs.source.start()
        if problem := bridge.problem:
            state = f"{problem.message} Retrying until it works."
        elif bridge.role is Role.FOLLOWER:
            state = "Another of your servers answers the side panel, with its own settings. When it ends, this one takes over."
        else:
            state = "This server answers the extension's side panel."
        print_message(f"{state} Ctrl+C ends this server.")
        await asyncio.Event().wait()
    return 0
