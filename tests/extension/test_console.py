"""Messages that pages write to their console, newest first."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from tests.extension.conftest import DrivenTab, Driver, held_limits
from tests.support.polling import until


async def messages(tab: DrivenTab, **params: object) -> list[str]:
    return [f"{entry['level']}: {entry['message']}" for entry in (await tab.do("console_logs", **params))["entries"]]


async def newest_is(tab: DrivenTab, message: str) -> bool:
    return await messages(tab, max=1) == [message]


async def test_messages_are_reported_newest_first_across_pages_and_as_many_as_requested(driven: DrivenTab) -> None:
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

    # They survive a navigation, and as many are reported as requested.
    await driven.show("<script>for (let i = 0; i < 150; i++) console.log(`line ${i}`)</script>", "/second")
    logs = await driven.do("console_logs")
    assert (len(logs["entries"]), logs["total"]) == (100, 157)
    assert await messages(driven, max=2) == ["log: line 149", "log: line 148"]
    newest, *_, oldest = (await driven.do("console_logs", max=157))["entries"]
    assert (newest["url"], oldest["url"]) == (driven.site.url("/second"), driven.site.url("/shown"))


async def test_uncaught_errors_and_failed_files_are_reported_with_their_location(driven: DrivenTab) -> None:
    driven.site.statuses["/gone.png"] = 404
    await driven.show("<img src=/gone.png><script>setTimeout(() => { throw new TypeError('boom') })</script>")
    await driven.page.evaluate("new Promise((done) => setTimeout(done, 0))")

    reported = "\n".join(await messages(driven))

    assert "error: Uncaught TypeError: boom" in reported
    assert "/shown:1:" in reported
    assert "404" in reported
    assert "/gone.png" in reported


async def test_addresses_are_redacted_as_in_the_list_of_requests(driven: DrivenTab) -> None:
    path = "/reset/7f3k9q2m5x8w1z4b?email=ada@larsen.example"
    driven.site.statuses[path] = 404
    await driven.show(f"<script>fetch('{path}'); console.log('went to', location.origin + '{path}')</script>")

    async def failed() -> list[str]:
        return [message for message in await messages(driven) if message.startswith("error")]

    (failure,) = await until(failed)
    (request,) = (await driven.do("network_requests", filter="fetch"))["entries"]

    assert request["url"].endswith("/reset/[secret]?email=[contact]")
    assert request["url"] in failure
    assert f"log: went to {request['url']}" in (await messages(driven))[-1]


@asynccontextmanager
async def attached_later(blank: DrivenTab, script: str) -> AsyncGenerator[DrivenTab]:
    """A tab whose page has run the script before the user attaches it."""
    popup, site = blank.popup, blank.site
    site.pages["/before"] = f"<title>Before</title><script>{script}</script>".encode()
    page = await popup.page.context.new_page()
    await page.goto(site.url("/before"))
    tab = DrivenTab(blank.bridge, popup, site, page, await popup.tab_id(page.url))
    await tab.user_does("attach")
    await tab.received("tab_attached")
    yield tab
    await page.close()


async def test_messages_from_before_attaching_have_their_values_and_are_in_order_across_all_frames(
    blank: DrivenTab,
) -> None:
    blank.site.statuses["/gone"] = 404
    ask = "const ask = new XMLHttpRequest(); ask.open('GET', '/gone', false); ask.send();"
    async with attached_later(blank, f"console.log('one', {{ a: 1 }}); {ask} console.log('two')") as tab:
        entries = (await tab.do("console_logs"))["entries"]

        assert [entry["message"].split(" (")[0] for entry in entries] == [
            "two",
            "Failed to load resource: the server responded with a status of 404",
            "one {a: 1}",
        ]
        assert [entry["level"] for entry in entries] == ["log", "error", "log"]
        assert entries[-1]["url"] == tab.page.url


async def test_lost_messages_from_before_attaching_are_reported_and_the_others_have_their_values(
    blank: DrivenTab,
) -> None:
    async with attached_later(blank, "for (let i = 0; i < 1500; i++) console.log(i, { a: i })") as tab:
        reported = await messages(tab, max=1000)
        kept = await tab.do("console_logs", max=1)

        assert reported == [f"log: {index} {{a: {index}}}" for index in range(1499, 499, -1)]
        assert kept["total"] == 1001
        oldest = (await tab.do("console_logs", max=1000))["entries"][-1]
        assert oldest["message"].startswith("500 ")


async def test_a_page_that_writes_endlessly_fills_only_its_share(driven: DrivenTab) -> None:
    write = "for (let i = 0; i < 400; i++) console.log(`${i} ${'x'.repeat(3000)}`)"
    await driven.show(f"<script>{write}</script>")

    logs = await driven.do("console_logs", max=1000)

    assert logs["total"] == 400
    assert logs["entries"][0]["message"].startswith("399 x")
    assert {len(entry["message"]) for entry in logs["entries"]} == {2003}


async def own_notes(tab: DrivenTab) -> list[str]:
    """Return the extension's own entries among all the messages that it keeps for the tab, as the panel gets them."""
    return await tab.popup.chrome(f"""await new Promise((resolve) => {{
        const port = chrome.runtime.connect();
        port.onMessage.addListener(({{ type, isWhole, entries }}) => {{
            if (type !== "console" || !isWhole) return;
            resolve(entries.map(({{ message }}) => message).filter((each) => each.startsWith("[Chrome Tab Reader]")));
            port.disconnect();
        }});
        port.postMessage({{ action: "watch", tabId: {tab.tab_id} }});
    }})""")


FLOOD = """<script>
  let rounds = 2;
  setTimeout(function flood() {
    for (let i = 0; i < 6_000; i++) console.log(`flood ${i}`);
    if (--rounds) setTimeout(flood);
  });
</script>"""

# In the service worker: more at once than pass, as if the debugger had reported them. A busy machine takes too long over a
# page's own for a flood.
BURST = """tabId => {
  const line = { type: "log", args: [{ type: "string", value: "burst" }], timestamp: Date.now() };
  for (let n = 0; n < 6_000; n++) chrome.debugger.onEvent.dispatch({ tabId }, "Runtime.consoleAPICalled", line);
}"""
REST_MS = 2_000


async def test_collecting_stops_during_a_flood_while_other_tabs_answer_and_fetches_the_newest_afterwards(
    blank: DrivenTab, driven: DrivenTab
) -> None:
    (worker,) = driven.page.context.service_workers
    async with asyncio.timeout(150):
        async with held_limits(driven.page.context, REST_MS):
            await worker.evaluate(BURST, driven.tab_id)
            await until(lambda: worker.evaluate("setTimeout.limits.length"))
            await driven.show(FLOOD)
            assert (await blank.do("getDataLayer", name="location.protocol"))["values"] == ["http:"]

            await driven.page.wait_for_function("rounds === 0")
            await driven.page.evaluate("console.log('after the flood')")
            assert not await newest_is(driven, "log: after the flood")
        await until(lambda: newest_is(driven, "log: after the flood"))

    assert (await driven.do("console_logs"))["total"] < 12_000
    flood, lost, *_ = await own_notes(driven)
    assert "logs too much at once" in flood
    assert "lost: the browser keeps 1000" in lost
    newest = await messages(driven, max=1000)
    assert newest[:1000] == ["log: after the flood", *(f"log: flood {i}" for i in range(5_999, 5_000, -1))]


# The worker's own part of it, which uses the times of messages: a page cannot choose them.
REPEATED = """await (async () => {
  const { ConsoleLog } = await import("/browser/debugger/console-log.js");
  const log = new ConsoleLog(() => {});
  let rests = 0;
  log.onFlood = () => { rests += 1; };
  const say = (first, end) => {
    for (let i = first; i < end; i++) log.addCall({ type: "log", args: [{ type: "number", value: i }], timestamp: 1e12 + i / 100 }, [""]);
  };
  say(0, 6_000);
  log.beginReplay();
  say(5_000, 6_000);
  log.endReplay();
  return [rests, (await log.newest())[0].message];
})()"""


async def test_messages_repeated_by_the_browser_after_a_short_flood_are_not_a_flood(driver: Driver) -> None:
    assert await driver[1].chrome(REPEATED) == [1, "5999"]


@pytest.mark.parametrize("most", [0, 1001, 1.5, "5"])
async def test_invalid_number_is_rejected(blank: DrivenTab, most: object) -> None:
    code, message = await blank.refused("console_logs", max=most)

    assert code == "INVALID_ARGUMENT"
    assert "1000" in message
    assert await blank.do("console_logs", max=1000)
