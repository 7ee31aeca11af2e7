"""An agent asks the user to attach a tab: what the user sees, and the effect of each answer."""

import asyncio
import re
from functools import partial

import pytest
from playwright.async_api import Page, expect

from tests.extension.conftest import Popup, Site, changed_waits
from tests.extension.test_attaching import error_of, until
from tests.extension.test_popup import show_page
from tests.support import polling
from tests.support.fake_bridge import FakeBridge, Message
from tests.support.ui_texts import isolated, ui_text

REASON = "I am to fill in the form <b>now</b>"
AGENT = {"id": "3fa2", "client": "claude-code"}
# In the popup: `enable` does what the next timer of half a second would do.
HELD_TIMER = """() => {
  const { setTimeout } = window;
  window.setTimeout = (act, ms, ...rest) => {
    if (ms !== 500) return setTimeout(act, ms, ...rest);
    Object.assign(window, { setTimeout, enable: act });
  };
}"""


@pytest.fixture
async def one(paired: Popup, site: Site) -> tuple[Page, int]:
    """A tab that is not attached, and its id."""
    page = await show_page(paired, site.url("/one"))
    return page, await paired.tab_id(site.url("/one"))


async def attach(popup: Popup) -> None:
    """Attach the tab in front, as the user does."""
    await popup.press("attachButton")
    await expect(popup.element("attachButton")).to_have_attribute("data-action", "detach")


async def ask(bridge: FakeBridge, tab_id: int) -> asyncio.Task[Message]:
    """Let an agent ask; the reply arrives with the answer."""
    bridge.session = AGENT
    return asyncio.create_task(bridge.ask("browser_attach_tab", tab_id=tab_id, reason=REASON))


def ask_to_click(bridge: FakeBridge, tab_id: int, hosts: list[list[object]]) -> asyncio.Task[Message]:
    """Let an agent click on a site where the user may want to be asked first."""
    return asyncio.create_task(bridge.ask("click", tab_id=tab_id, selector="body", ask_hosts=hosts))


async def shown(popup: Popup, count: int = 1) -> None:
    await expect(popup.element("requests").locator("li")).to_have_count(count)


async def answer(popup: Popup, name: str) -> None:
    await popup.element("requests").get_by_role("button", name=name).click()


async def notices(popup: Popup, count: int) -> None:
    await until(popup, f"Object.keys(await chrome.notifications.getAll()).length === {count}")


async def test_user_sees_which_client_asks_for_which_tab_and_why_and_yes_attaches_it(
    paired: Popup, bridge: FakeBridge, one: tuple[Page, int]
) -> None:
    _, tab_id = one
    asked = await ask(bridge, tab_id)
    await shown(paired)

    text = await paired.element("requests").inner_text()
    for part in (
        ui_text("attachQuestion", "Claude Code"),
        "One",
        "127.0.0.1",
        f'"{isolated(REASON)}"',
        "until you detach",
        ui_text("requestEnds", 60),
    ):
        assert part in text
    assert AGENT["id"] not in text
    await expect(paired.element("requests").get_by_role("button", name="Allow")).to_have_class("primary")
    assert await paired.page.locator("#requests b").count() == 0
    await until(paired, "(await chrome.action.getBadgeText({})) === '?'")
    await notices(paired, 1)
    assert not asked.done()

    await answer(paired, "Allow")
    result = (await asked)["result"]
    assert (result["tab_id"], result["title"]) == (tab_id, "One")
    assert [tab["tab_id"] for tab in (await bridge.ask("list_tabs"))["result"]] == [tab_id]
    await shown(paired, 0)
    await notices(paired, 0)
    await until(paired, "(await chrome.action.getBadgeText({})) !== '?'")
    # An attached tab needs no prompt.
    assert (await (await ask(bridge, tab_id)))["result"]["tab_id"] == tab_id


async def test_sleeping_tab_is_woken_by_yes_and_not_by_no(paired: Popup, bridge: FakeBridge, site: Site) -> None:
    sleeping = []
    for path in ("/one", "/two"):
        await show_page(paired, site.url(path))
        await paired.page.bring_to_front()
        discarded = await paired.chrome(f"await chrome.tabs.discard({await paired.tab_id(site.url(path))})")
        sleeping.append(discarded["id"])

    for tab_id, name in zip(sleeping, ("Deny", "Allow"), strict=True):
        asked = await ask(bridge, tab_id)
        await answer(paired, name)
        assert (await asked)["success"] is (name == "Allow")
        # Until then, the next answer would be for this prompt.
        await shown(paired, 0)
    refused, read = [await bridge.ask("read_tab", tab_id=tab_id) for tab_id in sleeping]

    assert (refused["error"]["code"], read["result"]["title"]) == ("UNREADABLE_PAGE", "Two")
    tabs = await paired.chrome("await chrome.tabs.query({ discarded: true })")
    assert [tab["id"] for tab in tabs] == sleeping[:1]


async def test_no_attaches_nothing_and_prevents_repeated_prompts(
    paired: Popup, bridge: FakeBridge, site: Site, one: tuple[Page, int]
) -> None:
    page, tab_id = one
    before = await page.content()
    await paired.page.evaluate(HELD_TIMER)
    asked = await ask(bridge, tab_id)
    # A click that was meant for what the prompt has moved away allows nothing.
    allow = paired.element("requests").get_by_role("button", name="Allow")
    await allow.dispatch_event("click")
    await expect(allow).to_be_disabled()
    await paired.page.evaluate("enable()")
    await expect(allow).to_be_enabled()
    await answer(paired, "Deny")

    code, message = error_of(await asked)
    assert (code, "denied" in message) == ("ATTACH_DENIED", True)
    code, message = error_of(await (await ask(bridge, tab_id)))
    assert (code, "has just denied" in message) == ("ATTACH_DENIED", True)
    await shown(paired, 0)
    assert (await bridge.ask("list_tabs"))["result"] == []
    # Nothing is left in the page, neither an element nor a global.
    assert await page.content() == before
    assert await page.evaluate("Object.keys(globalThis).filter((name) => /chromeTab/i.test(name))") == []
    # Prompts about another tab are still allowed.
    await show_page(paired, site.url("/two"))
    other = await ask(bridge, await paired.tab_id(site.url("/two")))
    await answer(paired, "Allow")
    assert (await other)["success"]


async def test_prompt_closes_in_time_with_its_client_with_its_tab_and_with_the_connection(
    paired: Popup, bridge: FakeBridge, site: Site, one: tuple[Page, int]
) -> None:
    async def prompted(tab_id: int) -> asyncio.Task[Message]:
        asked = await ask(bridge, tab_id)
        await shown(paired)
        return asked

    async def closes() -> None:
        await shown(paired, 0)
        await notices(paired, 0)

    page, tab_id = one
    async with changed_waits(paired.page.context, {60_000: 500}):
        code, message = error_of(await (await ask(bridge, tab_id)))
    assert (code, "within 60 s" in message) == ("COMMAND_TIMEOUT", True)
    await closes()

    cancelled = await prompted(tab_id)
    await bridge.send({"type": "cancel", "id": str(bridge.last_id)})
    await closes()
    cancelled.cancel()

    asked = await prompted(tab_id)
    await page.close()
    await closes()
    assert error_of(await asked)[0] == "TAB_DISCONNECTED"

    await show_page(paired, site.url("/two"))
    lost = await prompted(await paired.tab_id(site.url("/two")))
    await paired.press("disconnect")
    await closes()
    lost.cancel()


# In the service worker: stores what the next notification contains.
NOTED = """() => {
  const { notifications } = chrome;
  const { create } = notifications;
  notifications.create = (id, options) => {
    globalThis.noted = options;
    notifications.create = create;
    return create.call(notifications, id, options);
  };
}"""


async def test_attaching_by_hand_answers_the_prompt_and_notifications_work_like_the_popup(
    paired: Popup, bridge: FakeBridge, site: Site, one: tuple[Page, int]
) -> None:
    asked = await ask(bridge, one[1])
    await shown(paired)
    # There is one prompt per tab.
    assert error_of(await (await ask(bridge, one[1])))[0] == "RATE_LIMITED"
    await paired.press("attachButton")
    assert (await asked)["success"]
    await notices(paired, 0)

    await show_page(paired, site.url("/two"))
    (worker,) = paired.page.context.service_workers
    await worker.evaluate(NOTED)
    asked = await ask(bridge, await paired.tab_id(site.url("/two")))
    await shown(paired)
    await notices(paired, 1)
    lines = (await worker.evaluate("noted.message")).split("\n")
    assert lines[:2] == [isolated("Two"), site.url("").removeprefix("http://")]
    assert len(lines) == 4
    press = "(button) => chrome.notifications.getAll((all) => chrome.notifications.onButtonClicked.dispatch(Object.keys(all)[0], button))"
    await worker.evaluate(press, 0)
    assert (await asked)["success"]


async def test_yes_for_one_site_does_not_apply_to_the_next(
    paired: Popup, bridge: FakeBridge, site: Site, one: tuple[Page, int]
) -> None:
    page, tab_id = one
    asked = await ask(bridge, tab_id)
    await shown(paired)
    await page.goto(site.url("/two").replace("127.0.0.1", "localhost"))
    await answer(paired, "Allow")

    code, message = error_of(await asked)
    assert (code, "another site" in message) == ("ATTACH_DENIED", True)
    assert (await bridge.ask("list_tabs"))["result"] == []


async def test_an_agents_reason_and_the_title_are_each_shown_as_one_short_line(
    paired: Popup, bridge: FakeBridge, one: tuple[Page, int]
) -> None:
    page, tab_id = one
    await page.evaluate("document.title = '\\u202ed\\n' + 'e'.repeat(300)")
    await until(paired, f"(await chrome.tabs.get({tab_id})).title.endsWith('e')")
    for reason in ("", "\u202e\n\t", 7):
        assert error_of(await bridge.ask("browser_attach_tab", tab_id=tab_id, reason=reason))[0] == "INVALID_ARGUMENT"
    bridge.session = {"id": "x" * 50, "client": "Chrome\u202e\nTab Reader" + "x" * 100}
    reason = "a\n\u202eb" + "c" * 5_000
    asked = asyncio.create_task(bridge.ask("browser_attach_tab", tab_id=tab_id, reason=reason))
    await shown(paired)

    text = await paired.element("requests").inner_text()
    assert f'"{isolated("a b" + "c" * 194 + "...")}"' in text
    assert re.search(r"\bd e{75}\.\.\.", text)
    assert re.search(r"Let Chrome Tab Readerx+\.\.\. control this tab\?", text)
    assert "\u202e" not in text
    await answer(paired, "Deny")
    await asked


async def test_tabs_that_cannot_or_must_not_be_attached_cause_no_prompt(
    paired: Popup, bridge: FakeBridge, one: tuple[Page, int]
) -> None:
    page, tab_id = one
    denied = await bridge.ask("browser_attach_tab", tab_id=tab_id, reason="x", denied_hosts=["127.*"])
    assert error_of(denied)[0] == "HOST_BLOCKED"
    await page.goto("chrome://version/")
    assert error_of(await bridge.ask("browser_attach_tab", tab_id=tab_id, reason="x"))[0] == "UNREADABLE_PAGE"
    assert error_of(await bridge.ask("browser_attach_tab", tab_id=999_999_999, reason="x"))[0] == "TAB_NOT_FOUND"
    await shown(paired, 0)


async def test_user_who_wants_to_be_asked_decides_about_the_first_action_on_the_site(
    paired: Popup, bridge: FakeBridge, site: Site, one: tuple[Page, int]
) -> None:
    page, tab_id = one
    await attach(paired)
    bridge.session = AGENT
    click = partial(ask_to_click, bridge, tab_id, [["*", False], ["127.0.0.1", True]])

    asked = click()
    await shown(paired)
    text = await paired.element("requests").inner_text()
    for part in ("Claude Code", "127.0.0.1", "One", ui_text("actExplanation", "click")):
        assert part in text
    await notices(paired, 1)
    # Reading alone does not wait.
    assert (await bridge.ask("read_tab", tab_id=tab_id, start=None, end=None))["success"]
    assert not asked.done()
    await answer(paired, "Allow")
    assert (await asked)["success"]
    # The answer is valid for this session in this tab only.
    assert (await click())["success"]
    await shown(paired, 0)
    bridge.session = AGENT | {"id": "b0b0"}
    other = click()
    await shown(paired)
    await answer(paired, "Deny")
    assert error_of(await other)[0] == "ATTACH_DENIED"
    bridge.session = AGENT
    # Another site in this tab is another question; here no prompt is needed.
    await page.goto(site.url("/two").replace("127.0.0.1", "localhost"))
    assert (await click())["success"]
    await shown(paired, 0)
    # Closing the tab revokes what was allowed there.
    await page.goto(site.url("/one"))
    detach = await paired.element("attachButton").inner_text()
    await paired.press("attachButton")
    await expect(paired.element("attachButton")).not_to_have_text(detach)
    await paired.press("attachButton")
    await expect(paired.element("attachButton")).to_have_text(detach)
    assert error_of(await click())[0] == "ATTACH_DENIED"


# In the service worker: the next data for the session is stored once `store` is called.
STORED_LATER = """() => {
  const { session } = chrome.storage;
  const { set } = session;
  session.set = async (items) => {
    session.set = set;
    await new Promise((go) => (globalThis.store = go));
    return set.call(session, items);
  };
}"""


async def test_tab_that_is_attached_by_hand_does_not_answer_whether_a_client_may_act(
    paired: Popup, bridge: FakeBridge, one: tuple[Page, int]
) -> None:
    _, tab_id = one
    (worker,) = paired.page.context.service_workers
    await worker.evaluate(STORED_LATER)
    await paired.element("attachButton").click()
    await polling.until(lambda: worker.evaluate("'store' in globalThis"))
    bridge.session = AGENT

    asked = ask_to_click(bridge, tab_id, [["*", True]])
    await shown(paired)
    await worker.evaluate("store(), delete globalThis.store")
    await bridge.next_message("tab_attached")

    await answer(paired, "Deny")
    assert error_of(await asked)[0] == "ATTACH_DENIED"


async def test_consent_to_act_on_one_site_does_not_apply_to_the_next_and_its_prompt_ends_with_the_tab(
    paired: Popup, bridge: FakeBridge, site: Site, one: tuple[Page, int]
) -> None:
    page, tab_id = one
    await attach(paired)
    bridge.session = AGENT
    click = partial(ask_to_click, bridge, tab_id, [["*", True]])

    asked = click()
    await shown(paired)
    await page.goto(site.url("/two").replace("127.0.0.1", "localhost"))
    await answer(paired, "Allow")

    code, message = error_of(await asked)
    assert (code, "another site" in message) == ("ATTACH_DENIED", True)
    await page.goto(site.url("/one"))
    assert (await click())["success"]

    # A prompt closes when its tab is detached.
    bridge.session = AGENT | {"id": "b0b0"}
    asked = click()
    await shown(paired)
    await paired.press("attachButton")

    assert error_of(await asked)[0] == "TAB_DISCONNECTED"
    await shown(paired, 0)
