"""The side panel: what the user asks, and what they see of the answer."""

import asyncio
import contextlib
import socket
from typing import Any

import pytest
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Locator, Page, expect

import chrome_tab_mcp_server as server
from tests.extension.conftest import EXTENSION_URL, DrivenTab, SharedTab, comes_true, without_retries
from tests.support.ui_texts import isolated, ui_text

MARKDOWN = """# Apples

They cost **1 euro** & `a < b`, see [the shop](https://shop.test/a) or [this](javascript:alert(1)).

| kind | price |
| --- | --- |
| red | 1 |

- [x] sweet
- sour

![a picture](https://evil.test/pixel.png) <img src="https://evil.test/x.png" onerror="document.title='HACKED'">

<script>document.title = "HACKED"</script>
"""


# As the server reports it. Tokens are shown from two on.
STEP = {"code": "reading_chunk", "values": {"model": "small", "chunk": "2", "chunks": 3}, "tokens": 1, "seconds": 4}
RECEIPT = {"model": "small", "seconds": 1.24, "characters_read": 19, "page_characters": 19, "chunks": 1}


LINES_OF_CELLS = """(cells) => cells.map((cell) => {
  const content = new Range();
  content.selectNodeContents(cell);
  return content.getClientRects().length;
})"""


class Panel:
    def __init__(self, tab: DrivenTab, page: Page) -> None:
        self.tab, self.page = tab, page
        self.dropped: list[str] = []

    def at(self, selector: str, **about: Any) -> Locator:
        return self.page.locator(selector, **about)

    async def question(self, part: str) -> Any:
        """Return the next message that the server gets about a question, dropping other parts."""
        while True:
            message = await self.tab.bridge.next_message("prompt")
            if part in message:
                return message[part]
            self.dropped += message.keys()

    async def name_models(self, shown: list[str], **models: Any) -> None:
        """Answer which models there are, until the page shows them: pages that are gone may have asked, too."""

        async def answer() -> None:
            while True:
                await self.send_event({"id": await self.question("models")}, "models", **models)

        answering = asyncio.create_task(answer())
        try:
            await expect(self.at("#model option")).to_have_text(shown)
        finally:
            answering.cancel()

    async def ask(self, text: str) -> dict[str, Any]:
        await self.at("#question").fill(text)
        # Until the panel has shown the end of the last answer, it takes no question.
        await expect(self.at("#ask")).to_be_visible()
        await self.page.keyboard.press("Enter")
        return await self.question("prompt")

    async def clear(self) -> str:
        """End the conversation and return its id."""
        await self.at("#clear-conversation").click()
        return await self.question("clear")

    async def is_in_front_of(self, title: str) -> bool:
        """Return whether it is in front, and about the tab with this title."""
        state = "[document.visibilityState, document.querySelector('#tab-title').textContent]"
        return not self.page.is_closed() and await self.page.evaluate(state) == ["visible", title]

    async def reset(self) -> None:
        self.dropped = []
        await self.at("#question").fill("")
        if await self.at("#clear-conversation").is_visible():
            await self.clear()

    async def send_event(self, asked: dict[str, Any], state: str, **about: Any) -> None:
        await self.tab.bridge.send({"type": "event", "event": "answer", "id": asked["id"], "state": state, **about})


async def opened(tab: DrivenTab) -> Panel:
    page = await tab.page.context.new_page()
    await page.goto(f"{EXTENSION_URL}/ui/side-panel/side-panel.html")
    shown = Panel(tab, page)
    await shown.name_models(["small", "large"], models=["small", "large"], model="small")
    return shown


@pytest.fixture(scope="module")
def panels() -> list[Panel]:
    """The panel that the last test has left, unless it has closed it."""
    return []


@pytest.fixture
async def panel(shared_tab: SharedTab, panels: list[Panel]) -> Panel:
    """The panel without a conversation. Opening one costs more than most tests; they close what they have changed."""
    if not (panels and await panels[0].is_in_front_of("One")):
        one = await (await shared_tab("/one")).again()
        if not panels or panels[0].page.is_closed():
            panels[:] = [await opened(one)]
        await panels[0].page.bring_to_front()
    await panels[0].reset()
    await expect(panels[0].at("#ask")).to_be_enabled()
    return panels[0]


@pytest.fixture
def one(panel: Panel) -> DrivenTab:
    """The tab that the panel is about."""
    return panel.tab


async def test_an_answer_grows_as_it_is_written_and_is_rendered_as_elements(panel: Panel) -> None:
    await expect(panel.at("#tab-title")).to_have_text("One")
    await expect(panel.at("#introduction")).to_be_visible()
    await expect(panel.at("#clear-conversation")).to_be_hidden()
    asked = await panel.ask("What do apples cost?")
    assert (asked["text"], asked["tab_ids"], asked["model"]) == (
        "What do apples cost?",
        [panel.tab.tab_id],
        "small",
    )
    await panel.send_event(asked, "reading", percent=40, step=STEP)
    await expect(panel.at(".step")).to_have_text(f"{ui_text('stepReadingChunk', isolated('small'), 2, 3)} · 4\u00a0s")
    assert await panel.at(".step progress").evaluate("(bar) => bar.value") == 40
    await expect(panel.at("#ask")).to_be_hidden()
    step = {"code": "reading_page", "values": {"model": "small"}, "tokens": 2, "seconds": 5}
    await panel.send_event(asked, "reading", percent=50, step=step)
    await panel.send_event(asked, "writing", text="# App")
    await expect(panel.at(".answer h3")).to_have_text("App")
    writing = f"{ui_text('stepWriting', isolated('small'))} · {ui_text('stepTokens', 2)}"
    await expect(panel.at(".step")).to_have_text(writing)
    await panel.send_event(asked, "done", text=MARKDOWN, receipt=RECEIPT, notes=[])

    answer = panel.at(".answer")
    await expect(answer.locator("h3")).to_have_text("Apples")
    await expect(answer.locator("strong")).to_have_text("1 euro")
    await expect(answer.locator("code")).to_have_text("a < b")
    await expect(answer.locator("td")).to_have_text(["red", "1"])
    await expect(answer.locator("li")).to_have_text(["☑ sweet", "sour"])
    receipt = panel.at(".end details")
    await expect(receipt.locator("summary")).to_have_text(f"Whole page · {isolated('small')} · 1.2\u00a0s")
    await expect(receipt.locator("p")).to_be_hidden()
    await receipt.locator("summary").click()
    await expect(receipt.locator("p")).to_have_text(ui_text("receiptDetails", 19, 19, 1))
    await expect(panel.at(".notes")).to_have_count(0)
    await panel.at("#question").focus()
    await expect(panel.at(".step")).to_have_count(0)
    await expect(panel.at("#question")).to_be_focused()
    # A panel that Chrome has just opened has a focused field, but the keyboard is still the page's.
    for has_keyboard, outline in [("false", "none"), ("true", "solid")]:
        await panel.page.evaluate(f"document.hasFocus = () => {has_keyboard}; dispatchEvent(new Event('blur'))")
        await expect(panel.at("#composer")).to_have_css("outline-style", outline)


async def test_a_number_in_the_answer_leads_to_its_passage_on_the_page(panel: Panel) -> None:
    await panel.tab.show("<div style='height:3000px'></div><p>Apples cost 1 euro.</p>", path="/one", title="One")
    await expect(panel.at("#ask")).to_be_enabled()
    asked = await panel.ask("What do apples cost?")
    text = "Apples cost **1 euro**. Pears cost 9 euros."
    evidence: list[dict[str, Any]] = [
        {"start": 0, "end": 24, "passage": "Apples cost 1 euro.", "offset": 0, "tab_id": panel.tab.tab_id},
        {"start": 24, "end": 43, "passage": None},
    ]
    counts = {"on_page": 1, "elsewhere": 0, "in_prompt": 0, "not_on_page": 1}
    checked = {"counts": counts, "figures": [{"result": "not_on_page", "start": 35, "end": 42}]}
    await panel.send_event(asked, "done", text=text, receipt=RECEIPT, notes=[], checked=checked, evidence=evidence)

    await expect(panel.at(".answer")).to_have_text("Apples cost 1 euro.1 Pears cost 9 euros.")
    select = (
        "() => { const of = getSelection(); of.selectAllChildren(document.querySelector('.answer')); return of + '' }"
    )
    assert await panel.page.evaluate(select) == "Apples cost 1 euro. Pears cost 9 euros."
    await expect(panel.at(".notes li")).to_have_text(
        [ui_text("checkOnPage", 1, 2), ui_text("checkMissing", isolated("9 euros"))]
    )
    await expect(panel.at(".notes .hint")).to_have_count(0)
    highlighted = "[...CSS.highlights.get('chrome-tab-reader') ?? []].map(String).join('')"
    await panel.at(".reference").click()
    await comes_true(panel.tab.page, f"({highlighted}) === 'Apples cost 1 euro.' && scrollY > 1000")
    await panel.page.keyboard.press("Escape")
    await comes_true(panel.tab.page, f"({highlighted}) === ''")
    await panel.at(".reference").click()
    await comes_true(panel.tab.page, f"({highlighted}) !== ''")
    await panel.send_event(await panel.ask("And pears?"), "done", text="They cost more.")
    await comes_true(panel.tab.page, f"({highlighted}) === ''")

    await panel.tab.page.evaluate("document.body.replaceChildren()")
    await panel.at(".reference").click()
    await expect(panel.at(".reference")).to_be_disabled()


async def test_a_number_stays_on_the_line_of_its_sentence(panel: Panel) -> None:
    asked = await panel.ask("What do apples cost?")
    passage = {"passage": "Apples cost 1 euro.", "offset": 0, "tab_id": panel.tab.tab_id}
    text = "Apples cost 1 euro."
    evidence = [{"start": 0, "end": len(text), **passage}]
    checked = {"counts": {"on_page": 1, "elsewhere": 0, "in_prompt": 0, "not_on_page": 0}, "figures": []}
    await panel.send_event(asked, "done", text=text, receipt=RECEIPT, notes=[], checked=checked, evidence=evidence)
    await expect(panel.at(".reference")).to_be_visible()
    # There is nothing to double-check, so it is not a warning.
    await expect(panel.at(".notes .hint")).to_have_text([ui_text("checkOnPage", 1, 1)])

    # With each width of the line, until every word has its own.
    apart = """() => {
        const answer = document.querySelector(".answer");
        const word = document.createRange();
        word.selectNodeContents(answer.querySelector(".numbered").firstChild);
        const widths = [];
        for (let width = 160; width >= 40; width--) {
            answer.style.width = `${width}px`;
            const number = answer.querySelector(".reference").getBoundingClientRect();
            if (number.top > word.getBoundingClientRect().bottom) widths.push(width);
        }
        return widths;
    }"""
    assert await panel.page.evaluate(apart) == []


async def test_only_the_first_figures_of_many_are_named(panel: Panel) -> None:
    asked = await panel.ask("What do apples cost?")
    text = "Apples cost " + " ".join("abcdefghijkl") + "."
    figures = [{"result": "not_on_page", "start": at, "end": at + 1} for at in range(12, 36, 2)]
    checked = {"counts": {"on_page": 0, "elsewhere": 0, "in_prompt": 0, "not_on_page": 12}, "figures": figures}
    await panel.send_event(asked, "done", text=text, receipt=RECEIPT, notes=[], checked=checked, evidence=[])

    named = ", ".join(map(isolated, "abcdefghij")) + ", and …"
    await expect(panel.at(".notes li")).to_have_text([ui_text("checkOnPage", 0, 12), ui_text("checkMissing", named)])


async def test_a_number_brings_the_tab_of_its_passage_to_the_front(panel: Panel) -> None:
    await panel.tab.show("<p>Apples cost 1 euro.</p>", path="/one", title="One")
    await expect(panel.at("#ask")).to_be_enabled()
    asked = await panel.ask("What do apples cost?")
    passage = {"passage": "Apples cost 1 euro.", "offset": 0, "tab_id": panel.tab.tab_id}
    evidence = [{"start": 0, "end": 19, **passage}]
    await panel.send_event(asked, "done", text="Apples cost 1 euro.", receipt=RECEIPT, notes=[], evidence=evidence)
    other = await panel.page.context.new_page()
    await other.goto(panel.tab.site.url("/blank"))
    await expect(panel.at("#tab-title")).not_to_have_text("One")
    is_active = "async (id) => (await chrome.tabs.get(id)).active"
    assert not await panel.page.evaluate(is_active, panel.tab.tab_id)

    await panel.at(".reference").evaluate("(button) => button.click()")  # without bringing the panel's tab to the front
    await expect(panel.at("#tab-title")).to_have_text("One")
    assert await panel.page.evaluate(is_active, panel.tab.tab_id)
    await comes_true(panel.tab.page, "CSS.highlights.has('chrome-tab-reader')")
    await other.close()

    await panel.clear()
    await comes_true(panel.tab.page, "!CSS.highlights.has('chrome-tab-reader')")


async def test_what_is_missing_from_an_answer_is_reported_in_the_users_language(panel: Panel) -> None:
    error = {"code": "MODEL_TIMEOUT", "message": "..."}
    notes = [
        {"code": "unread", "values": {"start": 999, "end": 2000, "total": 3000, "error": error}},
        {"code": "links_broken", "values": {"count": 2}},
        {"code": "", "text": "a note of <b>an older extension</b>"},
        {"code": "of a later version", "values": {}},
    ]
    receipt = RECEIPT | {"characters_read": 2999, "page_characters": 3000}
    await panel.send_event(await panel.ask("What is it?"), "done", text="It is.", receipt=receipt, notes=notes)

    await expect(panel.at(".notes li")).to_have_text(
        [
            ui_text("noteUnread", "1,000", "2,000", "3,000", ui_text("errorModelTimeout")),
            ui_text("noteLinks", 2),
            "a note of <b>an older extension</b>",
        ]
    )
    await expect(panel.at(".end summary")).to_have_text(f"99% of the page · {isolated('small')} · 1.2\u00a0s")


async def test_each_note_is_shown_in_the_users_language(panel: Panel) -> None:
    codes = *server.PAGE_NOTES, *server.EARLY_ENDS
    notes = [{"code": code, "values": {"count": 1, "total": 2}} for code in codes]
    await panel.send_event(await panel.ask("What is it?"), "done", text="It is.", receipt=RECEIPT, notes=notes)

    said = panel.at(".notes li")
    await expect(said).to_have_count(len(notes))
    await expect(said.filter(has_not_text=" ")).to_have_count(0)
    await expect(said.first).to_have_text(ui_text("noteLoading"))
    await expect(said.nth(len(server.PAGE_NOTES) - 1)).to_have_text(ui_text("notePdfScanned", 1, 2))
    await expect(said.last).to_have_text(ui_text("noteRepeated"))


async def test_a_page_that_cannot_be_read_is_reported_before_the_question(panel: Panel) -> None:
    await expect(panel.at("#ready button").first).to_be_visible()
    await panel.tab.page.goto("chrome://version/")
    await expect(panel.at("#obstacle")).to_contain_text("chrome: pages")
    await expect(panel.at("#ask")).to_be_disabled()
    await expect(panel.at("#ready")).to_be_hidden()

    await panel.tab.page.goto(panel.tab.site.url("/one"))
    await expect(panel.at("#obstacle")).to_be_hidden()
    await expect(panel.at("#ask")).to_be_enabled()


async def test_neither_a_long_title_nor_code_nor_a_table_widens_the_panel_or_breaks_a_word(panel: Panel) -> None:
    await panel.page.set_viewport_size({"width": 360, "height": 600})
    table = f"| Crossing | Price | {'long ' * 90} |\n| - | - | - |\n| Night | €1,299.00 | {'x' * 90} |"
    await panel.send_event(await panel.ask("How?"), "done", text=f"```\n{'word ' * 90}\n```\n{table}")
    await expect(panel.at(".answer pre")).to_be_visible()
    assert await panel.at(".answer td").evaluate_all(LINES_OF_CELLS) == [1, 1, 1]
    assert await panel.at("#scroller").evaluate("({ scrollWidth }) => scrollWidth") == 360
    await panel.tab.page.evaluate("document.title = 'A very long title '.repeat(20)")

    await expect(panel.at("#tab-title")).to_contain_text("A very long title")
    assert await panel.page.evaluate("document.documentElement.scrollWidth") == 360
    await panel.page.close()


async def test_a_models_answer_becomes_no_markup_loads_nothing_and_links_only_to_the_web(panel: Panel) -> None:
    requested: list[str] = []
    panel.page.on("request", lambda request: requested.append(request.url))
    await panel.send_event(await panel.ask("What is it?"), "done", text=MARKDOWN)

    answer = panel.at(".answer")
    await expect(answer.locator("img, script, [onerror]")).to_have_count(0)
    await expect(answer).to_contain_text("<img src=")
    await expect(answer).to_contain_text("<script>")
    (link,) = await answer.locator("a").all()
    assert await link.get_attribute("href") == await link.get_attribute("title") == "https://shop.test/a"
    assert await link.get_attribute("rel") == "noopener noreferrer"
    await expect(answer).to_contain_text("or this.")
    assert await panel.page.title() != "HACKED"
    assert [url for url in requested if "evil" in url] == []


async def test_enter_that_continues_the_line_or_accepts_what_is_composed_asks_nothing(panel: Panel) -> None:
    question = panel.at("#question")
    await question.fill("Apples")

    await panel.page.keyboard.press("Shift+Enter")
    await question.dispatch_event("keydown", {"key": "Enter", "isComposing": True})

    await expect(question).to_have_value("Apples\n")
    await expect(panel.at(".asked")).to_have_count(0)
    await panel.send_event(await panel.ask("Apples?"), "done", text="Red.")
    await expect(panel.at(".asked")).to_have_text(["Apples?"])


async def test_follow_up_questions_belong_to_the_same_conversation_until_it_is_cleared(panel: Panel) -> None:
    first = await panel.ask("What is it?")
    await panel.send_event(first, "done", text="An apple.")
    second = await panel.ask("Which colour?")
    await panel.send_event(second, "done", text="Red.")
    assert second["conversation"] == first["conversation"]
    await expect(panel.at(".about")).to_have_count(0)

    assert await panel.clear() == first["conversation"]
    await expect(panel.at("#conversation li")).to_have_count(0)
    third = await panel.ask("What is it?")
    assert third["conversation"] != first["conversation"]
    await panel.send_event(third, "done", text="An apple.")


async def test_page_is_read_ahead_once_when_the_user_starts_typing_and_only_if_enabled(panel: Panel) -> None:
    await panel.at("#question").press_sequentially("Wh")
    not_read_ahead = await panel.ask("What is it?")
    await panel.send_event(not_read_ahead, "done", text="An apple.")
    assert await panel.clear() == not_read_ahead["conversation"]

    await panel.page.evaluate("chrome.storage.local.set({ preferences: { readAhead: true } })")
    await panel.tab.bridge.next_message("renamed")  # the worker has noticed the change
    await panel.at("#question").press_sequentially("What")
    ahead = await panel.question("read_ahead")
    asked = await panel.ask("What is it?")
    await panel.send_event(asked, "done", text="An apple.")
    await panel.at("#question").press_sequentially("And")
    again = await panel.ask("And then?")
    await panel.send_event(again, "done", text="A tree.")
    await panel.page.evaluate("chrome.storage.local.remove('preferences')")

    assert (ahead["tab_id"], ahead["model"]) == (asked["tab_ids"][0], "small")
    assert asked["conversation"] == again["conversation"] == ahead["conversation"]
    assert panel.dropped.count("read_ahead") == 0


async def test_stop_ends_the_answer_here_and_at_the_server(panel: Panel) -> None:
    asked = await panel.ask("What is it?")
    await panel.send_event(asked, "writing", text="An")
    await expect(panel.at(".answer")).to_have_text("An")
    # Typed too early, the next question stays in the field.
    await panel.at("#question").fill("And then?")
    await panel.page.keyboard.press("Enter")
    await expect(panel.at("#question")).to_have_value("And then?")
    await panel.at("#stop").click()

    assert await panel.question("stop") == asked["id"]
    await expect(panel.at("#conversation")).to_contain_text(ui_text("askStopped"))
    # Late parts are dropped; the next question works.
    await panel.send_event(asked, "done", text="An apple.")
    again = await panel.ask("What is it?")
    await panel.send_event(again, "done", text="A pear.")
    await expect(panel.at(".answer")).to_have_text(["An", "A pear."])


async def test_errors_are_shown_under_the_question(panel: Panel) -> None:
    error = {"code": "HOST_BLOCKED", "message": "[sites] denies <b>one.test</b>."}
    await panel.send_event(await panel.ask("What is it?"), "failed", error=error)
    await expect(panel.at(".problem")).to_have_text(ui_text("errorHostBlocked"))
    await panel.at(".problem + details summary").click()
    await expect(panel.at(".problem + details p")).to_have_text("[sites] denies <b>one.test</b>. [HOST_BLOCKED]")
    await expect(panel.at("#ask")).to_be_enabled()

    async with without_retries(panel.page.context):
        await panel.ask("What is it?")
        await panel.tab.bridge.stop()
        await expect(panel.at(".problem").last).to_contain_text(ui_text("askFailedLost"))
        await expect(panel.at("#ask")).to_be_disabled()
        await expect(panel.at("#status")).to_have_text(ui_text("askNoServer"))
        await expect(panel.at("#serve pre")).to_have_text(
            ["uv run chrome_tab_mcp_server.py --setup", "chrome-tab-reader --setup"]
        )
        await panel.tab.bridge.start()
        await panel.at("#reconnect").click()
        await panel.tab.bridge.connected()
        await expect(panel.at("#ask")).to_be_enabled()
        await expect(panel.at("#offline")).to_be_hidden()


async def test_without_a_server_the_panel_shows_the_command_that_the_last_server_reported(panel: Panel) -> None:
    serve = "uv run '/home/a b/chrome_tab_mcp_server.py' --serve --model <b>qwen3</b>"
    panel.tab.bridge.server_info = {"commands": {"serve": serve, "setup": 7, "doctor": "x" * 2_001}}
    async with without_retries(panel.page.context):
        try:
            await panel.tab.bridge.hang_up()
            await panel.tab.popup.retry()
            await panel.tab.bridge.connected()
            await expect(panel.at("#offline")).to_be_hidden()
            await panel.tab.bridge.stop()
            await expect(panel.at("#serve pre")).to_have_text([serve])
            await expect(panel.at("#serve .hint")).to_have_count(0)
            await panel.at("#serve button").click()
            await expect(panel.at("#serve button")).to_have_text(ui_text("copied"))
            kept = await panel.page.evaluate("async () => (await chrome.storage.local.get('commands')).commands")
            assert kept == {"serve": serve}
        finally:
            panel.tab.bridge.server_info = {}
            await panel.tab.bridge.start()
        await panel.tab.popup.retry()
        await panel.tab.bridge.connected()
    await panel.page.close()


async def test_a_page_that_settings_deny_is_reported_before_the_question(panel: Panel, one: DrivenTab) -> None:
    denied = ui_text("obstacleDenied")
    await expect(panel.at("#obstacle")).to_be_hidden()
    deny = "deniedHosts => chrome.storage.local.set({ preferences: { deniedHosts } })"
    await panel.page.evaluate(deny, ["127.*"])
    await one.page.bring_to_front()
    await expect(panel.at("#obstacle")).to_have_text(denied)
    await expect(panel.at("#ask")).to_be_disabled()
    await panel.page.evaluate(deny, [])
    await panel.page.bring_to_front()
    await expect(panel.at("#ask")).to_be_enabled()

    one.bridge.server_info = {"denied_hosts": ["127.0.0.1"]}
    try:
        await one.bridge.hang_up()
        await one.popup.retry()
        await one.bridge.connected()
        await expect(panel.at("#obstacle")).to_have_text(denied)
    finally:
        one.bridge.server_info = {}
    await one.bridge.hang_up()
    await one.popup.retry()
    await one.bridge.connected()
    await expect(panel.at("#obstacle")).to_be_hidden()


async def test_a_page_that_the_browser_closes_to_extensions_is_reported_before_the_question(
    panel: Panel, one: DrivenTab
) -> None:
    other = await one.page.context.new_page()
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        with contextlib.suppress(PlaywrightError):
            await other.goto(f"http://{address}/")
    await expect(panel.at("#obstacle")).to_contain_text(address)
    await expect(panel.at("#ask")).to_be_disabled()

    await other.goto(one.site.url("/two"))
    await expect(panel.at("#obstacle")).to_be_hidden()
    await expect(panel.at("#ask")).to_be_enabled()
    await other.close()


async def test_suggested_questions_are_asked_by_a_click_and_two_attached_tabs_can_be_compared(
    panel: Panel, one: DrivenTab
) -> None:
    await panel.at("#ready button", has_text=ui_text("askFacts")).click()
    asked = await panel.question("prompt")
    assert asked["text"] == ui_text("askFactsQuestion")
    await expect(panel.at(".asked")).to_have_text(ui_text("askFacts"))
    await panel.send_event(asked, "done", text="Facts.")
    await expect(panel.at("#ready")).to_be_hidden()
    await panel.clear()

    compare = panel.at("#ready button", has_text="Compare")
    await expect(compare).to_be_hidden()
    created = await one.bridge.ask("browser_create_tab", url=one.site.url("/two"), background=True)
    await compare.click()
    asked = await panel.question("prompt")
    assert set(asked["tab_ids"]) == {one.tab_id, created["result"]["tab_id"]}
    await panel.send_event(asked, "done", text="Both.")
    await one.bridge.ask("browser_close_tab", tab_id=created["result"]["tab_id"])
    await expect(compare).to_be_hidden()


async def test_closing_the_panel_stops_its_question_and_clears_the_conversation(panel: Panel) -> None:
    asked = await panel.ask("What is it?")
    await panel.page.close()

    # A request for the models that is still open is stopped as well.
    while await panel.question("stop") != asked["id"]:
        pass
    assert await panel.question("clear") == asked["conversation"]


async def test_two_panels_that_open_at_once_both_list_the_models(panel: Panel) -> None:
    other = await panel.page.context.new_page()
    for page in (panel.page, other):
        await page.goto(f"{EXTENSION_URL}/ui/side-panel/side-panel.html")
    for asked in [await panel.question("models") for _ in range(2)]:
        await panel.send_event({"id": asked}, "models", models=["small", "large"])

    for page in (panel.page, other):
        await expect(page.locator("#model option")).to_have_text(["small", "large"])
    await other.close()


async def test_a_model_that_runs_elsewhere_is_marked_and_asked_only_after_the_user_confirms_it(panel: Panel) -> None:
    models = {"models": ["small", "far"], "cloud": {"far": "ollama.com"}, "model": "small"}
    await panel.page.reload()
    await panel.name_models(["small", ui_text("askCloudModel", "far")], **models)
    await panel.at("#model").select_option("far")

    asked = await panel.ask("What is it?")
    assert "confirmed" not in asked
    error = {"code": "PERMISSION_DENIED", "message": "far runs on ollama.com."}
    await panel.send_event(asked, "failed", error=error, confirm={"model": "far", "host": "ollama.com"})
    await expect(panel.at("#conversation [role=alert]")).to_contain_text("ollama.com")
    await panel.at("#conversation button", has_text=ui_text("askCloudSend")).click()
    again = await panel.question("prompt")

    assert (again["text"], again["model"], again["confirmed"]) == ("What is it?", "far", True)
    assert again["tab_ids"] == asked["tab_ids"]
    await panel.send_event(again, "done", text="An apple.")
    await expect(panel.at(".answer").last).to_have_text("An apple.")
    await expect(panel.at("#conversation button", has_text=ui_text("askCloudSend"))).to_have_count(0)
    await panel.page.close()


async def test_the_shortcut_for_stop_ends_the_answer_too(panel: Panel, one: DrivenTab) -> None:
    asked = await panel.ask("What is it?")
    (worker,) = panel.page.context.service_workers
    await worker.evaluate("chrome.commands.onCommand.dispatch('stop')")

    assert await panel.question("stop") == asked["id"]
    await expect(panel.at("#conversation")).to_contain_text(ui_text("askStopped"))
    await one.received("tab_detached")
    await one.user_does("attach")
    await one.received("tab_attached")


# What takes the parser minutes, overflows its stack, or yields more elements than a page can lay out; ends in WORD.
HOSTILE = {
    "deep quotes": "> " * 10_000,
    "open emphases": "*a_ " * 13_000,
    "open emphases without spaces": "*a_" * 13_000,
    "deep lists": "".join(f"{'  ' * depth}- a\n" for depth in range(400)),
    "lists in a line": "- " * 5_000,
    "quotes and lists": "> - " * 3_000,
    "brackets": "[" * 50_000,
    "pictures": "![a](" * 10_000,
    "links": "[a](b " * 10_000,
    "references": "[a][" * 10_000,
    "backticks": "".join("`" * length + " " for length in range(1, 500)),
    "fences": "~~~\n> " * 3_000,
    "angles": "<" * 50_000,
    "comments": "<!--" * 10_000,
    "tags": "<a b='" * 10_000,
    "emphases in each other": "**a *b " * 5_000 + "* **" * 5_000,
    "strikes": "~~a~" * 5_000,
    "headings": "# a\n" * 21_000,
    "wide table": "|a" * 3_000 + "|\n" + "|-" * 3_000 + "|\n" + "|\n" * 3_000,
    "entities": "&#" * 30_000,
    "backslashes": "\\" * 50_001,
    "blank lines": "a\n\n\n\n\t \n" * 2_000,
    "spaces": "a" + " " * 100_000,
    "addresses": "http://a" * 10_000,
    "definitions": "[a]: <" * 5_000,
    "definitions of names": "".join(f"[{number}]: /a\n" for number in range(5_000)),
    "directions": "\u202e" * 1_000,
}


# The parser's limit of 3 s is `parserLimit` (ms) from here on, and the clicks on the field are counted.
PARSER_LIMIT = """() => {
  const wait = setTimeout;
  globalThis.setTimeout = (work, ms, ...rest) => wait(work, ms === 3_000 ? parserLimit : ms, ...rest);
  globalThis.clicks = 0;
  document.querySelector("#question").addEventListener("click", () => clicks++);
}"""


# For these the parser needs minutes.
ENDLESS = ("open emphases without spaces", "deep lists", "wide table")
# One of them, and one that overflows its stack.
DRAWN = ("open emphases without spaces", "deep quotes")


async def test_answers_that_are_hard_to_parse_are_shown_and_the_next_one_is_rendered(panel: Panel) -> None:
    await panel.page.evaluate(PARSER_LIMIT)
    for number, (name, hostile) in enumerate([*((name, HOSTILE[name]) for name in DRAWN), ("none", "")], 1):
        await panel.page.evaluate("void (globalThis.parserLimit = 3_000)")
        asked = await panel.ask("What is it?")
        await panel.send_event(asked, "writing", text="**An apple**")
        await expect(panel.at(".answer strong"), f"before {name}").to_have_text("An apple")
        await panel.page.evaluate("void (globalThis.parserLimit = 200)")
        await panel.send_event(asked, "writing", text=hostile)
        # Nothing of it gets between the panel and a click.
        await panel.at("#question").click()
        assert await panel.page.evaluate("clicks") == number, name
        await panel.send_event(asked, "done", text=f"{hostile}\n\nWORD", receipt=RECEIPT)

        await expect(panel.at(".answer"), name).to_contain_text("WORD")
        await expect(panel.at(".end summary"), name).to_contain_text("Whole page")
        await panel.clear()
    await panel.page.evaluate("void (globalThis.parserLimit = 3_000)")


# Returns the names of texts whose end is lost, that become more elements than can be laid out, or after which nothing is
# parsed any more.
PARSE_ALL = """async ([texts, endless]) => {
  const { parse } = await import("/ui/side-panel/markdown-parser.js");
  const { elementsOf } = await import("/ui/side-panel/markdown-view.js");
  const drawn = (tokens) => {
    const host = document.createElement("div");
    host.append(...elementsOf(tokens ?? []));
    return host;
  };
  const wrong = [];
  for (const [name, text] of Object.entries(texts)) {
    globalThis.parserLimit = endless.includes(name) ? 100 : 3_000;
    const tokens = await parse(`${text}\n\nWORD`);
    globalThis.parserLimit = 3_000;
    const next = await parse("**An apple**");
    const host = drawn(tokens);
    const isWhole = !tokens || host.textContent.includes("WORD");
    const isSmall = host.querySelectorAll("*").length <= 20_000;
    const isNextParsed = drawn(next).innerHTML.includes("<strong>An apple</strong>");
    if (!isWhole || !isSmall || !isNextParsed) wrong.push(name);
  }
  return wrong;
}"""


async def test_no_text_is_lost_or_stops_the_parser(panel: Panel) -> None:
    await panel.page.evaluate(PARSER_LIMIT)
    async with asyncio.timeout(60):
        assert await panel.page.evaluate(PARSE_ALL, [HOSTILE, ENDLESS]) == []


async def test_deeply_nested_markdown_is_shown_as_source_text(panel: Panel) -> None:
    await panel.send_event(await panel.ask("What is it?"), "done", text=f"{'> ' * 100}**deep**\n\n> **shallow**")

    await expect(panel.at(".answer strong")).to_have_text("shallow")
    await expect(panel.at(".answer")).to_contain_text("> **deep**")


async def test_each_part_of_an_answer_has_its_own_text_direction(panel: Panel) -> None:
    text = "\u05e9\u05dc\u05d5\u05dd world\n\n- apple \u202egnp.exe\n- pear\n\n[\u202eknil](https://shop.test/a) after"
    await panel.send_event(await panel.ask("What is it?"), "done", text=text)
    direction = "(element) => [getComputedStyle(element).direction, getComputedStyle(element).unicodeBidi]"

    assert await panel.at(".answer p").first.evaluate(direction) == ["rtl", "isolate"]
    assert await panel.at(".answer li").last.evaluate(direction) == ["ltr", "isolate"]
    assert await panel.at(".answer a").evaluate(direction) == ["ltr", "isolate"]


async def test_a_title_is_shown_without_invisible_and_direction_changing_characters(panel: Panel) -> None:
    title = "\u202eExample\u202c Bank\u2066\u200b\u2060\ufeff\u00ad\u3164\U000e0041 \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \U0001f469\u200d\U0001f680"
    await panel.tab.page.evaluate("(title) => (document.title = title)", title)

    await expect(panel.at("#tab-title")).to_have_text(
        "Example Bank \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \U0001f469\u200d\U0001f680"
    )
    assert "\u202e" not in await panel.page.evaluate("document.querySelector('#tab-title').textContent")
    await panel.send_event(await panel.ask("What is it?"), "done", text="It is.")
    await panel.tab.page.goto(panel.tab.site.url("/two"))
    # Until the panel knows the second page, it would ask about the first one, and name none.
    await expect(panel.at("#tab-title")).to_have_text("Two")
    await panel.tab.page.evaluate("(title) => (document.title = title)", title)
    await expect(panel.at("#tab-title")).to_contain_text("Example Bank")
    asked = await panel.ask("What is it?")
    assert "\u202e" not in await panel.at(".about").inner_text()
    await panel.send_event(asked, "done", text="It is.")
