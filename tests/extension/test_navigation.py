"""Where an attached tab navigates, and the error if it cannot get there."""

import asyncio

import pytest

from tests.extension.conftest import DrivenTab, held_limits, shared_tab_at, tab_at, use_as_user
from tests.extension.test_attaching import tab_has
from tests.support.fake_extension import free_port
from tests.support.polling import until

same = shared_tab_at("/blank")
# The browser asks the user about an unknown scheme, and keeps all input from the tab until it is answered.
own = tab_at("/blank")

STAY = "<body onbeforeunload='event.preventDefault()'>stay"
# The router of Vue notes the scroll position like this.
NOTING = """<title>Noting</title><script>onbeforeunload = () => history.replaceState({y: scrollY}, "")</script>"""


@pytest.fixture
async def tab(same: DrivenTab) -> DrivenTab:
    same.site.pages |= {"/missing": b"<title>Not here</title>", "/empty-answer": b""}
    same.site.statuses |= {"/missing": 404, "/empty-answer": 204}
    return same


async def test_page_is_reported_once_it_has_loaded(tab: DrivenTab) -> None:
    assert await tab.do("navigate", url=tab.site.url("/one")) == {
        "url": tab.site.url("/one"),
        "title": "One",
        "status": 200,
    }


async def test_back_and_forward_reach_pages_without_user_interaction(tab: DrivenTab) -> None:
    for path in ("/one", "/two"):
        await tab.do("navigate", url=tab.site.url(path))

    assert (await tab.do("back"))["title"] == "One"
    assert (await tab.do("forward"))["title"] == "Two"
    # Playwright would take this for an interruption of the next test's navigation.
    await tab.page.wait_for_url(tab.site.url("/two"))


async def test_end_of_the_history_is_reported(tab: DrivenTab) -> None:
    code, message = await tab.refused("forward")
    assert code == "NAVIGATION_FAILED"
    assert "no page after" in message

    await tab.do("navigate", url=tab.site.url("/one"))
    await tab.do("back")
    assert (await tab.do("forward"))["title"] == "One"


async def test_fragment_of_the_page_is_reached_without_loading(tab: DrivenTab) -> None:
    await tab.do("navigate", url=tab.site.url("/one"))
    await tab.page.evaluate("window.kept = true")

    assert (await tab.do("navigate", url=tab.site.url("/one#place")))["url"] == tab.site.url("/one#place")
    assert await tab.page.evaluate("window.kept")
    assert (await tab.do("back"))["url"] == tab.site.url("/one")


async def test_page_that_changes_its_history_while_it_is_left_is_not_taken_for_the_next(tab: DrivenTab) -> None:
    tab.site.pages |= {"/noting": NOTING.encode()}
    await tab.do("navigate", url=tab.site.url("/one"))

    assert (await tab.do("navigate", url=tab.site.url("/noting")))["title"] == "Noting"
    assert (await tab.do("navigate", url=tab.site.url("/two")))["title"] == "Two"
    assert (await tab.do("back"))["title"] == "Noting"
    assert (await tab.do("back"))["title"] == "One"


async def test_unreachable_address_is_an_error_and_the_next_one_works(
    tab: DrivenTab, subtests: pytest.Subtests
) -> None:
    for url, says in (
        (f"http://127.0.0.1:{free_port()}/", "ERR_CONNECTION_REFUSED"),
        (tab.site.url("/missing"), "HTTP status 404"),
        (tab.site.url("/empty-answer"), "ERR_ABORTED"),
    ):
        with subtests.test(says):
            code, message = await tab.refused("navigate", url=url)

            assert (code, says in message) == ("NAVIGATION_FAILED", True), message
            assert (await tab.do("navigate", url=tab.site.url("/two")))["title"] == "Two"


async def test_image_without_bytes_is_reported_as_loaded_and_silent(tab: DrivenTab) -> None:
    tab.site.pages["/none.png"] = b""
    address = tab.site.url("/none.png")

    reported = await tab.do("navigate", url=address)

    assert (reported["url"], reported["status"], len(reported["notes"])) == (address, None, 1)
    assert (await tab.do("navigate", url=tab.site.url("/two")))["title"] == "Two"


async def test_file_that_a_click_downloads_is_named(tab: DrivenTab) -> None:
    await tab.page.set_content('<a download="report.txt" href="data:,1">Save</a>')

    async def names_it() -> bool:
        result = await tab.do("click", selector="text=Save")
        return any('"report.txt"' in note for note in result.get("notes", []))

    # The browser may report it after the click.
    await until(names_it)


async def test_link_that_another_program_opens_is_reported_and_not_waited_for(tab: DrivenTab) -> None:
    await tab.show("<a href=mailto:ann@example.com>Write</a>")

    (note,) = (await tab.do("click", selector="a"))["notes"]

    assert "mailto: in another program" in note


async def test_long_name_of_a_scheme_is_cut(own: DrivenTab) -> None:
    await own.show(f"<a href={'long' * 100}:ann>Write</a>")

    (note,) = (await own.do("click", selector="a"))["notes"]

    assert len(note) < 200


async def test_pdf_that_a_click_leads_to_is_not_taken_for_a_page_that_still_loads(tab: DrivenTab) -> None:
    await tab.show("<a href=/file.pdf>Report</a>")

    result = await tab.do("click", selector="a")
    listed = (await tab.do("page_elements"))["text"].splitlines()
    await tab.do("navigate", url=tab.site.url("/one"))

    assert (result["url"], "notes" in result) == (tab.site.url("/file.pdf"), False)
    assert "read_chrome_tab" in listed[0]
    assert listed[1:] == ["No interactive elements here."]


async def test_link_to_no_page_is_not_taken_for_one_that_loads_the_page_again(tab: DrivenTab) -> None:
    tab.site.extra_headers["/report"] = ("Content-Disposition", "attachment")
    links = [f"<a href={path} onclick=\"this.textContent += 'd'\">{path}</a>" for path in ("/report", "/empty-answer")]
    await tab.show(" ".join(links))

    changes = [(await tab.do("click", selector=f"a:nth-of-type({number})"))["changed"] for number in (1, 2)]

    assert changes == ['now "/reportd"; gone "/report"', 'now "/empty-answerd"; gone "/empty-answer"']


@pytest.mark.parametrize("url", ["file:///etc/passwd", "javascript:alert(1)", "chrome://settings", "one", "", None])
async def test_other_schemes_are_rejected(blank: DrivenTab, url: str | None) -> None:
    before = blank.page.url

    code, message = await blank.refused("navigate", url=url)

    assert code == "INVALID_ARGUMENT"
    assert "http" in message
    assert blank.page.url == before


async def test_invalid_timeout_is_rejected(tab: DrivenTab, subtests: pytest.Subtests) -> None:
    for milliseconds in (0, -1, 30_001, 1.5, "1000"):
        with subtests.test(str(milliseconds)):
            code, message = await tab.refused("navigate", url=tab.site.url("/one"), timeout=milliseconds)

            assert (code, "timeout" in message) == ("INVALID_ARGUMENT", True), message
    assert await tab.do("navigate", url=tab.site.url("/one"), timeout=30_000)


async def test_page_that_does_not_finish_times_out_and_does_not_affect_the_next(tab: DrivenTab) -> None:
    async with held_limits(tab.page.context, 300):
        refused = asyncio.create_task(tab.refused("navigate", url=tab.site.url("/slow"), timeout=300))
        await tab_has(tab.popup, tab.tab_id, "title", "Slow")
    code, message = await refused

    assert code == "COMMAND_TIMEOUT"
    assert "300 ms" in message
    assert "has loaded" in message
    # It does not continue to load.
    await tab_has(tab.popup, tab.tab_id, "status", "complete")
    assert (await tab.do("navigate", url=tab.site.url("/two")))["title"] == "Two"


async def test_page_that_comes_too_late_is_not_shown_at_all(tab: DrivenTab) -> None:
    await tab.do("navigate", url=tab.site.url("/one"))

    code, message = await tab.refused("navigate", url=tab.site.url("/late"), timeout=300)
    assert (code, "has loaded" in message) == ("COMMAND_TIMEOUT", False)
    await tab_has(tab.popup, tab.tab_id, "status", "complete")
    tab.site.finish_slow.set()

    assert (await tab.do("read_tab"))["title"] == "One"


async def test_link_whose_server_never_answers_is_waited_for_once(driven: DrivenTab) -> None:
    await driven.show("<a href='/late'>Late</a>")

    clicked = await driven.do("click", selector="a")

    assert clicked["notes"] == ["The next page was still loading after 5 s."]
    assert clicked["title"] == "Shown"


async def test_page_with_a_leave_confirmation_is_left_and_the_dialog_reported(tab: DrivenTab) -> None:
    await tab.show(STAY)
    # A page may ask only after user interaction.
    await use_as_user(tab.page)

    left = await tab.do("navigate", url=tab.site.url("/two"))

    assert left["title"] == "Two"
    assert left["dialogs"] == [{"type": "beforeunload", "message": "", "answer": "accepted"}]
