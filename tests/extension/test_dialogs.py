"""Dialogs that a page opens while it is driven, and prompts of the browser for the user."""

import asyncio

import pytest

from tests.extension.conftest import DrivenTab, shared_tab_at
from tests.support.fake_extension import free_port

ASKING = b"""<!doctype html><title>Asking</title>
<button id=alert onclick="reported = String(alert('Hello'))">Alert</button>
<button id=confirm onclick="reported = confirm('Delete?')">Delete</button>
<button id=prompt onclick="reported = prompt('Name?', 'Ada')">Name</button>
<select id=list onchange="reported = confirm('Sure?')"><option>A<option>B</select>
<button id=quiet>Quiet</button>
<script>var reported = "";</script>"""

tab = shared_tab_at("/blank")


@pytest.fixture
async def asking(tab: DrivenTab) -> DrivenTab:
    """The page, loaded unless the test before has left it there."""
    tab.site.pages["/asking"] = ASKING
    if tab.page.url == tab.site.url("/asking"):
        await tab.page.evaluate("reported = ''; document.querySelector('#list').value = 'A'")
    else:
        await tab.open("/asking")
    return tab


@pytest.mark.parametrize(
    ("selector", "params", "answer", "reported"),
    [
        ("#confirm", {"on_dialog": "accept"}, "accepted", True),
        ("#confirm", {"on_dialog": "dismiss"}, "dismissed", False),
        ("#confirm", {"on_dialog": None, "dialog_text": "x"}, "dismissed", False),
        ("#prompt", {"on_dialog": "accept", "dialog_text": "Grace"}, "accepted", "Grace"),
        ("#prompt", {"on_dialog": "accept", "dialog_text": ""}, "accepted", ""),
        ("#prompt", {"on_dialog": "accept"}, "accepted", "Ada"),
        ("#prompt", {"dialog_text": "Grace"}, "dismissed", None),
        ("#alert", {"on_dialog": "dismiss"}, "accepted", "undefined"),
    ],
)
async def test_dialog_is_answered_as_the_command_specifies(
    asking: DrivenTab, selector: str, params: dict[str, str], answer: str, reported: object
) -> None:
    result = await asking.do("click", selector=selector, **params)

    assert [dialog["answer"] for dialog in result["dialogs"]] == [answer]
    assert await asking.page.evaluate("reported") == reported


async def test_confirmation_dialog_of_a_selection_is_accepted(asking: DrivenTab) -> None:
    result = await asking.do("select", selector="#list", value="B", on_dialog="accept")

    assert result["dialogs"] == [{"type": "confirm", "message": "Sure?", "answer": "accepted"}]
    assert await asking.page.evaluate("reported") is True


@pytest.mark.parametrize("params", [{"on_dialog": "yes"}, {"dialog_text": 7}, {"dialog_text": "x" * 2_001}])
async def test_invalid_answer_is_rejected_before_anything_is_done(asking: DrivenTab, params: dict[str, object]) -> None:
    code, message = await asking.refused("click", selector="#confirm", **params)

    assert (code, next(iter(params)) in message) == ("INVALID_ARGUMENT", True)
    assert await asking.page.evaluate("reported") == ""


async def test_page_with_a_leave_confirmation_is_left_or_kept_as_the_command_specifies(tab: DrivenTab) -> None:
    await tab.show("<a id=go href=/two>Go</a><script>onbeforeunload = (event) => event.preventDefault()</script>")
    # A page may ask only after user interaction.
    await tab.do("click", selector="body")
    here, there = tab.site.url("/shown"), tab.site.url("/two")
    said_no = [{"type": "beforeunload", "message": "", "answer": "dismissed"}]

    code, message = await tab.refused("navigate", url=there, on_dialog="dismiss")
    stayed = await tab.do("click", selector="#go", on_dialog="dismiss")

    assert (code, "beforeunload was dismissed" in message) == ("NAVIGATION_FAILED", True)
    assert "the tab stays there" in message
    assert (stayed["url"], stayed["dialogs"], stayed.get("notes")) == (here, said_no, None)
    assert (await tab.do("navigate", url=there, on_dialog="accept"))["title"] == "Two"


# --- Prompts of the browser


async def test_http_authentication_prompt_is_reported_at_once(tab: DrivenTab) -> None:
    site = tab.site
    site.pages["/private"] = b"Sign in"
    site.statuses["/private"] = 401
    site.extra_headers["/private"] = ("WWW-Authenticate", 'Basic realm="Private"')

    code, message = await tab.refused("navigate", url=site.url("/private"))
    await tab.show("<a id=private href=/private>Private</a>")
    clicked = await tab.do("click", selector="#private")

    assert (code, "asks for a user name and a password" in message) == ("NAVIGATION_FAILED", True)
    assert [message] == clicked["notes"]
    # Without the prompt it is an error page like any other.
    del site.extra_headers["/private"]
    assert "HTTP status 401" in (await tab.refused("navigate", url=site.url("/private")))[1]


async def test_dead_link_is_reported_after_the_click(tab: DrivenTab) -> None:
    await tab.show(f"<a id=nowhere href=http://127.0.0.1:{free_port()}/>Nowhere</a>")

    clicked = await tab.do("click", selector="#nowhere")

    assert ["net::ERR_CONNECTION_REFUSED" in note for note in clicked["notes"]] == [True]


PRINTING = (
    """tabId => chrome.debugger.onEvent.dispatch({ tabId }, "Runtime.bindingCalled", { name: "reportPrinting" })"""
)


async def test_print_call_is_reported_without_a_dialog_and_the_page_continues(tab: DrivenTab) -> None:
    await tab.show("<button id=print onclick='window.dispatchEvent(new Event(`beforeprint`)), print()'>Print</button>")
    (worker,) = tab.page.context.service_workers
    heard = await worker.evaluate_handle("""() => {
      const names = [];
      chrome.debugger.onEvent.addListener((_source, method, { name }) => method.endsWith("Called") && names.push(name));
      return names;
    }""")

    # A headless browser shows no dialog.
    assert (await tab.do("click", selector="#print"))["title"] == "Shown"
    assert "Print" in (await tab.do("read_tab"))["text"]

    assert await heard.json_value() == ["reportPrinting"]
    assert await tab.page.evaluate("typeof reportPrinting") == "undefined"


async def test_page_that_is_blocked_by_printing_is_reported(tab: DrivenTab) -> None:
    await tab.show(
        """<button id=still>Stand still</button><script>
          document.querySelector("#still").onclick = () => {
            const asks = new XMLHttpRequest();
            asks.open("GET", "/late", false);
            asks.send();
          };
        </script>"""
    )
    (worker,) = tab.page.context.service_workers
    clicking = asyncio.create_task(tab.refused("click", selector="#still"))
    async with asyncio.timeout(60):
        while not clicking.done():
            await worker.evaluate(PRINTING, tab.tab_id)
            await asyncio.wait({clicking}, timeout=0.2)
    read = await tab.refused("read_tab")
    tab.site.finish_slow.set()

    assert await clicking == read
    assert (read[0], "print dialog" in read[1]) == ("UNREADABLE_PAGE", True)
    await tab.page.evaluate("0")
    assert (await tab.do("click", selector="#still"))["title"] == "Shown"


async def test_dialogs_that_are_alike_are_counted_in_an_error(tab: DrivenTab) -> None:
    await tab.show("<input oninput=\"for (let i = 0; i < 20; i++) alert('No'); this.value = ''\">")

    code, message = await tab.refused("fill", selector="input", value="x")

    assert (code, message.count('"No"')) == ("VALUE_NOT_KEPT", 1)
    assert "browser_close_tab" in message
