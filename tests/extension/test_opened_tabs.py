"""Tabs and windows that a driven page opens, and tabs that are opened in the background."""

import re

import pytest

from tests.extension.conftest import DrivenTab, shared_tab_at

OPENING = """<a id=link href=/two target=_blank>Link</a>
<a id=unrelated href=/two target=_blank rel=noopener>Unrelated</a>
<form action=/two target=_blank><button id=form>Form</button></form>
<button id=script onclick="window.open('/two')">Script</button>
<button id=popup onclick="window.open('/two', '', 'width=300,height=300')">Popup</button>
<button id=led onclick="const led = window.open(); setTimeout(() => (led.location = '/two'), 200)">Led on</button>
<button id=awaited onclick="const awaited = window.open(); fetch('/one').then((one) => one.text()).then(() => (awaited.location = '/two'))">Late</button>
<button id=empty onclick="window.open().document.write('x')">Empty</button>
<button id=quiet>Quiet</button>"""

tab = shared_tab_at("/blank")


@pytest.fixture
async def opening(tab: DrivenTab) -> DrivenTab:
    await tab.keep(OPENING)
    tab.site.pages["/two?"] = tab.site.pages["/two"]
    return tab


async def attached(tab: DrivenTab) -> list[int]:
    return [each["tab_id"] for each in (await tab.bridge.ask("list_tabs"))["result"]]


def opened_in(note: str) -> int:
    found = re.match(r"It opened tab (\d+) ", note)
    assert found, note
    return int(found[1])


async def closed(tab: DrivenTab, tab_id: int) -> None:
    assert (await tab.bridge.ask("browser_close_tab", tab_id=tab_id))["success"]


# Behind another tab, one of each kind: a tab, a window, and one whose address comes later.
@pytest.mark.parametrize(
    ("selector", "is_behind"),
    [
        *((selector, False) for selector in ("#unrelated", "#form", "#script", "#awaited")),
        *((selector, True) for selector in ("#link", "#popup", "#led")),
    ],
)
async def test_tab_or_window_that_a_page_opens_is_attached_and_reported(
    opening: DrivenTab, selector: str, *, is_behind: bool
) -> None:
    if is_behind:
        await opening.popup.page.bring_to_front()
    opening.site.delays_s["/one"] = 2.5 if selector == "#awaited" else 0

    result = await opening.do("click", selector=selector)

    (note,) = result["notes"]
    tab_id = opened_in(note)
    assert note.replace("?", "") == f'It opened tab {tab_id} at "{opening.site.url("/two")}", which is attached now.'
    assert tab_id in await attached(opening)
    read = await opening.bridge.ask("hover", tab_id=tab_id, selector="body")
    assert read["success"], read["error"]
    assert read["result"]["title"] == "Two"
    code = await opening.bridge.ask("evaluate", tab_id=tab_id, code="1")
    assert code["error"]["code"] == "EVALUATE_NOT_ALLOWED"
    # The user still sees another tab.
    if is_behind:
        assert await opening.popup.chrome("(await chrome.tabs.getCurrent()).active")
    await closed(opening, tab_id)


async def test_tab_without_a_page_is_reported_and_not_attached(opening: DrivenTab) -> None:
    result = await opening.do("click", selector="#empty")

    (note,) = result["notes"]
    tab_id = opened_in(note)
    assert note.endswith(f"call browser_attach_tab with tab_id {tab_id}.")
    assert tab_id not in await attached(opening)
    await closed(opening, tab_id)


async def test_tab_on_a_denied_host_is_not_attached_and_its_address_not_reported(opening: DrivenTab) -> None:
    other_site = opening.site.url("/two").replace("127.0.0.1", "localhost")
    await opening.show(OPENING.replace("<a id=link href=/two", f"<a id=link href={other_site}"))
    denied = await opening.do("click", selector="#link", denied_hosts=["localhost"])
    fine = await opening.do("click", selector="#link", denied_hosts=["*.bank.example"])

    (note,) = denied["notes"]
    tab_id = opened_in(note)
    assert note == f"It opened tab {tab_id} on a denied host: it is not attached."
    assert tab_id not in await attached(opening)
    other = opened_in(fine["notes"][0])
    assert other in await attached(opening)
    await closed(opening, tab_id)
    await closed(opening, other)


async def test_action_that_opens_nothing_reports_nothing(opening: DrivenTab) -> None:
    before = await attached(opening)

    result = await opening.do("click", selector="#quiet")
    # Another page opens a tab that no command has caused.
    other = await opening.popup.chrome(f"(await chrome.tabs.create({{ url: '{opening.site.url('/two')}' }})).id")
    hovered = await opening.do("hover", selector="#quiet")

    assert "notes" not in result
    assert "notes" not in hovered
    assert await attached(opening) == before
    await closed(opening, other)


async def test_page_that_opens_very_many_tabs_gets_ten_attached(opening: DrivenTab) -> None:
    await opening.allow_evaluate()
    before = await attached(opening)

    result = await opening.do("evaluate", code="for (let i = 0; i < 12; i += 1) window.open('/two?' + i); 0")

    new = [tab_id for tab_id in await attached(opening) if tab_id not in before]
    assert len(new) == 10
    assert result["notes"][-1] == "It opened 2 more tabs, which are not attached. browser_get_tabs lists them."
    for each in (await opening.bridge.ask("browser_get_tabs"))["result"]:
        if "/two?" in each["url"]:
            await closed(opening, each["id"])


# --- Tabs for the server


async def test_tab_is_opened_in_the_background_when_requested(opening: DrivenTab) -> None:
    """The control: other tests open theirs in front."""
    url = opening.site.url("/one")
    error = (await opening.bridge.ask("browser_create_tab", url=url, background="yes"))["error"]
    assert (error["code"], "background" in error["message"]) == ("INVALID_ARGUMENT", True)

    created = await opening.bridge.ask("browser_create_tab", url=url, background=True)
    tab_id = created["result"]["tab_id"]

    is_active = await opening.popup.chrome(f"(await chrome.tabs.get({tab_id})).active")
    assert (created["result"]["title"], is_active) == ("One", False)
    assert tab_id in await attached(opening)
    await closed(opening, tab_id)
