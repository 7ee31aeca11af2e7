"""The requests of an attached tab's pages: listed, decoded, and redacted like a data layer."""

import asyncio
import json
import re
from typing import Any

import pytest

from tests.extension.conftest import DrivenTab, changed_worker
from tests.support.polling import until

# Values that must never be sent, wherever a page puts them.
PRIVATE = re.compile(r"ada|larsen|hunter2|555\.777|4111|s3cr3t", re.IGNORECASE)


async def listed(tab: DrivenTab, count: int, **params: object) -> list[dict[str, Any]]:
    """Return the requests once there are this many and all have ended."""
    async with asyncio.timeout(60):
        while True:
            # The browser requests a site's icon whenever it likes.
            reported = (await tab.do("network_requests", **params))["entries"]
            entries = [entry for entry in reported if not entry["url"].endswith("/favicon.ico")]
            if len(entries) >= count and all(entry["time"] is not None for entry in entries):
                return entries


@pytest.fixture
async def tab(blank: DrivenTab) -> DrivenTab:
    """A tab whose page has reloaded."""
    await blank.show("<p>page</p>")
    return blank


async def ask(tab: DrivenTab, *urls: str) -> None:
    """Let the page send each request, one after another, whatever the result."""
    script = "async (urls) => { for (const url of urls) await fetch(url).then((a) => a.text()).catch(() => 0); }"
    await tab.page.evaluate(script, list(urls))


async def test_requests_before_a_page_was_left_and_returned_to_do_not_count_as_running(tab: DrivenTab) -> None:
    (worker,) = tab.page.context.service_workers
    frame = (await (await tab.page.context.new_cdp_session(tab.page)).send("Page.getFrameTree"))["frameTree"]["frame"]

    async def reported(event: str, **params: object) -> bool:
        """Let the browser report this; return whether the page counts as loading afterwards."""
        dispatch = "([source, event, params]) => chrome.debugger.onEvent.dispatch(source, event, params)"
        await worker.evaluate(dispatch, [{"tabId": tab.tab_id}, event, params])
        return "1 request" in (await tab.do("page_elements"))["text"]

    left = {"url": tab.site.url("/left"), "method": "GET", "headers": {}}

    assert await reported("Network.requestWillBeSent", requestId="left", type="Fetch", request=left)
    assert not await reported("Page.frameNavigated", frame=frame, type="BackForwardCacheRestore")


async def test_requests_of_a_tab_are_reported_newest_first_with_their_results_across_pages(tab: DrivenTab) -> None:
    site = tab.site
    site.statuses["/gone.json"] = 404
    await ask(tab, "/one?n=1", "/gone.json", "http://127.0.0.1:1/closed")
    await tab.do("navigate", url=site.url("/two"))

    second, closed, gone, one, first = (await listed(tab, 5))[:5]

    assert (first["url"], first["type"], second["url"]) == (site.url("/shown"), "document", site.url("/two"))
    assert {key: one[key] for key in ("method", "status", "type", "url", "page")} == {
        "method": "GET",
        "status": 200,
        "type": "fetch",
        "url": site.url("/one?n=1"),
        "page": site.url("/shown"),
    }
    assert one["size"] > 40
    assert "error" not in one
    assert (gone["status"], gone["url"]) == (404, site.url("/gone.json"))
    assert (closed["status"], closed["error"][:8]) == (None, "net::ERR")
    ids = [int(entry["id"]) for entry in (first, one, gone, closed, second)]
    assert ids == sorted(set(ids))
    assert not {key for entry in (one, gone) for key in entry if "header" in key.lower()}


async def test_a_filter_is_a_type_or_a_part_of_the_address_as_shown(tab: DrivenTab) -> None:
    await ask(tab, "/one?Letter=a&email=ada@larsen.example", "/two?letter=b")
    await listed(tab, 2, filter="letter=")

    async def found(**params: object) -> list[str]:
        entries = (await tab.do("network_requests", **params))["entries"]
        return [entry["url"].removeprefix(tab.site.url("")) for entry in entries]

    assert await found(filter="LETTER=", max=2) == ["/two?letter=b", "/one?Letter=a&email=[contact]"]
    assert await found(filter="letter=", max=1) == ["/two?letter=b"]
    assert (await found(filter="document"))[0] == "/shown"
    assert (await found(filter="fetch", max=2)) == ["/two?letter=b", "/one?Letter=a&email=[contact]"]
    # Guessing it letter by letter finds nothing.
    assert await found(filter="email=ada") == []


async def test_analytics_hits_are_decoded_and_redacted(tab: DrivenTab) -> None:
    await tab.page.evaluate(
        """async () => {
          const shared = "/g/collect?v=2&tid=G-ABC&cid=555.777&uid=ada&dl=" +
            encodeURIComponent("https://shop.example/?utm_source=x&email=ada@larsen.example");
          await fetch(`${shared}&en=purchase&epn.value=30&ep.user_email=ada&pr1=idSKU_1~nmTee`, { method: "POST" });
          const body = "en=view_item&ep.item=Tee\\r\\nen=login&ep.user_id=ada\\n";
          navigator.sendBeacon(shared, body);
          await fetch("/j/collect?t=event", { method: "POST", body: "ec=cart&cid=555.777" });
          await fetch("https://www.facebook.com/tr/?id=1&ev=Purchase&ud[em]=ada&cd[value]=30").catch(() => 0);
          await fetch("/tr/?id=1").catch(() => 0);
        }"""
    )

    plain, meta, old, batch, one = (await listed(tab, 5))[:5]

    assert one["url"] == tab.site.url("/g/collect")
    assert one["params"] == {
        "v": "2",
        "tid": "G-ABC",
        "cid": "[id]",
        "uid": "[id]",
        "dl": "https://shop.example/?utm_source=x&email=[contact]",
        "en": "purchase",
        "epn.value": "30",
        "ep.user_email": "[contact]",
        "pr1": "idSKU_1~nmTee",
    }
    assert batch["type"] == "ping"
    assert batch["params"]["tid"] == "G-ABC"
    assert batch["events"] == [{"en": "view_item", "ep.item": "Tee"}, {"en": "login", "ep.user_id": "[id]"}]
    assert old["params"] == {"t": "event", "ec": "cart", "cid": "[id]"}
    assert meta["params"] == {"id": "1", "ev": "Purchase", "ud[em]": "[id]", "cd[value]": "30"}
    assert (plain["url"], "params" in plain) == (tab.site.url("/tr/?id=1"), False)
    assert [entry["id"] for entry in (await tab.do("network_requests", filter="purchase"))["entries"]][:2] == [
        meta["id"],
        one["id"],
    ]


async def test_a_body_is_read_as_redacted_text_and_limited_in_size(tab: DrivenTab) -> None:
    site = tab.site
    site.pages |= {
        "/account": json.dumps({"user": {"name": "Ada"}, "items": [{"name": "Tee"}], "big": 2**60 + 1}).encode(),
        "/big": b'{"n":12345678901234567890}',
        "/page": b'<script>var me = {"password": "hunter2", "tee": "blue"}</script> ada@larsen.example',
        "/long": b"word " * 10_000,
    }
    await ask(tab, "/account", "/big", "/page", "/long", "/file.pdf")
    ids = [entry["id"] for entry in (await listed(tab, 5, filter="fetch"))[:5]][::-1]

    async def body(index: int) -> dict[str, Any]:
        (entry,) = (await tab.do("network_requests", body_of=ids[index]))["entries"]
        return entry

    account, big, page, long, pdf = [await body(index) for index in range(5)]

    assert json.loads(account["body"])["user"] == {"name": "[name]"}
    assert json.loads(account["body"])["items"] == [{"name": "Tee"}]
    assert (account["url"], account["status"]) == (site.url("/account"), 200)
    assert big["body"] == '{"n":12345678901234567890}'
    assert page["body"] == '<script>var me = {"password": "[secret]", "tee": "blue"}</script> [email]'
    assert (len(long["body"]), long["notes"]) == (30_000, ["The first 30000 of 50000 characters are shown."])
    assert (pdf["body"], pdf["notes"]) == (None, ["The body is not text: application/pdf."])


async def test_requests_of_cross_site_frames_are_reported_from_the_first_one_on(tab: DrivenTab) -> None:
    """Also from nested frames."""
    site = tab.site
    own, other = site.url("/"), site.url("/").replace("127.0.0.1", "localhost")
    site.pages["/inner"] = b"<script>fetch('/data.json?of=inner')</script>"
    site.pages["/outer"] = (
        f"<script>fetch('/data.json?of=outer').then((a) => a.text())</script><iframe src={own}inner></iframe>".encode()
    )
    site.pages["/data.json?of=outer"] = b'{"token": "s3cr3t", "price": 30}'

    await tab.show(f"<iframe src={other}outer></iframe>")
    # The list also contains the requests of other tests.
    for each in ("outer", "inner"):
        await listed(tab, 1, filter=f"of={each}")
    entries = (await listed(tab, 5))[:5]
    asked = {entry["url"]: entry for entry in entries}

    assert {url: entry["type"] for url, entry in asked.items()} == {
        site.url("/shown"): "document",
        f"{other}outer": "document",
        f"{other}data.json?of=outer": "fetch",
        f"{own}inner": "document",
        f"{own}data.json?of=inner": "fetch",
    }
    answer = asked[f"{other}data.json?of=outer"]
    (reported,) = (await tab.do("network_requests", body_of=answer["id"]))["entries"]
    assert (reported["status"], reported["body"]) == (200, '{"token":"[secret]","price":30}')
    await tab.page.frames[1].evaluate("new WebSocket(location.origin.replace('http', 'ws') + '/socket?of=outer')")
    (socket,) = await listed(tab, 1, filter="websocket")
    assert socket["url"].endswith("/socket?of=outer")


async def test_a_missing_body_is_reported_with_a_sentence(tab: DrivenTab) -> None:
    await ask(tab, "http://127.0.0.1:1/closed", "/one")
    one, closed = (await listed(tab, 2))[:2]
    code, message = await tab.refused("network_requests", body_of=closed["id"])
    assert (code, "has no response yet, or has failed" in message) == ("EXECUTION_ERROR", True)

    assert (await tab.do("network_requests", body_of=one["id"]))["entries"][0]["body"]
    await tab.do("navigate", url=tab.site.url("/two").replace("127.0.0.1", "localhost"))
    code, message = await tab.refused("network_requests", body_of=one["id"])
    assert (code, "no longer has a body" in message) == ("EXECUTION_ERROR", True)

    code, message = await tab.refused("network_requests", body_of="999999")
    assert (code, "Use an id from it" in message) == ("INVALID_ARGUMENT", True)


@pytest.mark.parametrize(
    "params",
    [
        {"max": 0},
        {"max": 501},
        {"max": "5"},
        {"filter": 7},
        {"filter": "x" * 2_001},
        {"body_of": 7},
        {"body_of": "../1"},
    ],
)
async def test_invalid_arguments_are_rejected(blank: DrivenTab, params: dict[str, object]) -> None:
    assert (await blank.refused("network_requests", **params))[0] == "INVALID_ARGUMENT"


async def test_nothing_private_in_requests_leaves_the_browser(tab: DrivenTab) -> None:
    tab.site.pages["/redirected"] = b"x"
    await tab.page.evaluate(
        """async () => {
          document.cookie = "session=s3cr3t";
          const headers = { Authorization: "Bearer s3cr3t-s3cr3t", "X-Api-Key": "s3cr3t" };
          await fetch("/one?token=s3cr3t&first_name=Ada&card=4111111111111111#email=ada", { headers });
          await fetch("/u/ada%40larsen.example/x", { method: "POST", body: "password=hunter2" });
          await fetch("/collect?uid=ada", { method: "POST", body: JSON.stringify({ user: { name: "Ada" }, n: 1 }) });
        }"""
    )

    entries = await listed(tab, 3, max=3)

    assert not PRIVATE.search(json.dumps(entries))
    assert [entry["url"].removeprefix(tab.site.url("")) for entry in entries] == [
        "/collect",
        "/u/[email]/x",
        "/one?token=[secret]&first_name=[name]&card=[card]",
    ]


# In the service worker: the debugger reports 1,200 requests and their ends, as in CROWD.
MANY = """tabId => {
  const report = (method, params) => chrome.debugger.onEvent.dispatch({ tabId }, `Network.${method}`, params);
  for (let n = 0; n < 1_200; n++) {
    const request = { url: `http://127.0.0.1:1/${n}`, method: "GET" };
    report("requestWillBeSent", { requestId: `many ${n}`, type: "Fetch", timestamp: n, request });
    report("loadingFailed", { requestId: `many ${n}`, timestamp: n, errorText: "net::ERR_FAILED" });
  }
}"""


async def test_the_newest_thousand_are_stored_and_all_are_counted(tab: DrivenTab) -> None:
    # Otherwise the browser requests the site's icon whenever it likes, and it is counted.
    await tab.show("<link rel='icon' href='data:,'>")
    (worker,) = tab.page.context.service_workers
    before = (await tab.do("network_requests"))["total"]
    await worker.evaluate(MANY, tab.tab_id)

    reported = await tab.do("network_requests", max=500)

    assert reported["total"] == before + 1_200
    assert len(reported["entries"]) == 500
    oldest = int(reported["entries"][0]["id"]) - 1_150
    assert (await tab.refused("network_requests", body_of=str(oldest)))[0] == "INVALID_ARGUMENT"


# In the service worker: counts how often recording is turned off, which fails in frames, as if they were gone. Its clock
# stands, or a busy machine would see no flood.
PAUSES = """isOn => {
  const { debugger: cdp } = chrome;
  const real = (cdp.sendCommand.real ??= cdp.sendCommand);
  const now = (Date.now.real ??= Date.now);
  const begin = now();
  globalThis.pauses = { page: 0, frame: 0 };
  const send = async (target, method, params) => {
    if (method === "Network.disable") pauses[target.sessionId ? "frame" : "page"] += 1;
    if (method === "Network.disable" && target.sessionId) throw new Error("Session with given id not found.");
    return real.call(cdp, target, method, params);
  };
  cdp.sendCommand = isOn ? Object.assign(send, { real }) : real;
  Date.now = isOn ? Object.assign(() => begin, { real: now }) : now;
}"""


# In the service worker: as many events at once as are followed, as if the debugger had reported them. A page that causes
# as many keeps the browser and Playwright busy for seconds.
CROWD = """tabId => {
  for (let n = 0; n < 20_000; n++) {
    chrome.debugger.onEvent.dispatch({ tabId }, "Network.webSocketFrameSent", { requestId: "1" });
  }
}"""


async def test_a_flood_of_requests_is_not_recorded_and_recording_resumes_later(driven: DrivenTab) -> None:
    (worker,) = driven.page.context.service_workers
    framed = driven.site.url("/two").replace("127.0.0.1", "localhost")
    async with changed_worker(driven.page.context, PAUSES, True, False):
        await driven.page.evaluate(
            """async (framed) => {
              const frame = document.createElement("iframe");
              frame.src = framed;
              document.body.append(frame);
              await new Promise((go) => (frame.onload = go));
            }""",
            framed,
        )
        await worker.evaluate(CROWD, driven.tab_id)
        await ask(driven, "/one")
        await until(lambda: worker.evaluate("pauses.page && pauses.frame"))
        seen = (await driven.do("network_requests", max=1))["total"]
        await ask(driven, "/during")
        assert (await driven.do("network_requests", max=1))["total"] == seen

    async with asyncio.timeout(60):
        while not (await driven.do("network_requests", filter="/after"))["entries"]:
            await ask(driven, "/after")
