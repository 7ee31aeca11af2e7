"""What pages write to their console, newest first."""

import pytest
from playwright.async_api import expect

from tests.extension.conftest import DrivenTab


async def messages(tab: DrivenTab, **params: object) -> list[str]:
    return [f"{entry['level']}: {entry['message']}" for entry in (await tab.do("console_logs", **params))["entries"]]


async def test_levels_and_values_are_told_newest_first(driven: DrivenTab) -> None:
    await driven.show("""<script>
        console.debug("d"); console.info("i"); console.warn("w"); console.error("e");
        console.log("%s has %d", "it", 3, { a: [1], b: "x" }, [1, "two"], null, undefined, 5n);
        console.assert(false, "wrong");
        console.log(new Map([["k", 1]]));
    </script>""")

    assert await messages(driven) == [
        'log: Map(1) {"k" => 1}',
        "error: Assertion failed: wrong",
        'log: it has 3 {a: Array(1), b: "x"} [1, "two"] null undefined 5n',
        "error: e",
        "warn: w",
        "info: i",
        "debug: d",
    ]


async def test_uncaught_errors_and_failed_files_are_told_with_their_place(driven: DrivenTab) -> None:
    driven.site.statuses["/gone.png"] = 404
    await driven.show("<img src=/gone.png><script>setTimeout(() => { throw new TypeError('boom') })</script>")
    await driven.page.evaluate("new Promise((done) => setTimeout(done, 0))")

    told = "\n".join(await messages(driven))

    assert "error: Uncaught TypeError: boom" in told
    assert "/shown:1:" in told
    assert "404" in told
    assert "/gone.png" in told


async def test_messages_outlive_the_page(driven: DrivenTab) -> None:
    await driven.show("<script>console.log('first page')</script>")
    await driven.show("<script>console.log('second page')</script>", "/second")

    assert await messages(driven) == ["log: second page", "log: first page"]
    told = (await driven.do("console_logs"))["entries"]
    assert [entry["url"] for entry in told] == [driven.site.url("/second"), driven.site.url("/shown")]


async def test_messages_from_before_the_tab_was_attached_are_there_with_their_values(driven: DrivenTab) -> None:
    popup, site = driven.popup, driven.site
    site.pages["/before"] = b"<title>Before</title><script>console.log('early', { a: 1 })</script>"
    page = await popup.page.context.new_page()
    await page.goto(site.url("/before"))
    await popup.page.bring_to_front()
    await expect(popup.element("attachButton")).to_have_text("Attach to this Tab")
    await popup.press("attachButton")
    attached = await driven.bridge.next_message("tab_attached")
    while attached["url"] != page.url:
        attached = await driven.bridge.next_message("tab_attached")

    reply = await driven.bridge.ask("console_logs", tab_id=attached["tab_id"])

    (early,) = reply["result"]["entries"]
    assert (early["message"], early["url"]) == ("early {a: 1}", page.url)


async def test_only_so_many_are_told_as_were_asked_for(driven: DrivenTab) -> None:
    await driven.show("<script>for (let i = 0; i < 150; i++) console.log(`line ${i}`)</script>")

    logs = await driven.do("console_logs")
    assert len(logs["entries"]) == 100
    assert logs["total"] == 150
    assert await messages(driven, max=2) == ["log: line 149", "log: line 148"]


async def test_a_page_that_writes_without_end_fills_no_more_than_its_room(driven: DrivenTab) -> None:
    await driven.show("<script>for (let i = 0; i < 12_000; i++) console.log(`${i} ${'x'.repeat(3000)}`)</script>")

    logs = await driven.do("console_logs", max=1000)

    assert logs["total"] == 12_000
    assert logs["entries"][0]["message"].startswith("11999 x")
    assert {len(entry["message"]) for entry in logs["entries"]} == {2003}


@pytest.mark.parametrize("most", [0, 1001, 1.5, "5"])
async def test_senseless_number_is_refused(blank: DrivenTab, most: object) -> None:
    code, message = await blank.refused("console_logs", max=most)

    assert code == "INVALID_ARGUMENT"
    assert "1000" in message
    assert await blank.do("console_logs", max=1000)
