"""Pages of denied hosts: in the queue, in frames, in lists, in empty windows."""

import asyncio
import json
from typing import Any

import pytest

from tests.extension.conftest import DrivenTab, SharedTab, until

DENIED = "127.0.0.1"
OTHER = "bank.example"


def deny(*hosts: str) -> dict[str, Any]:
    """Return the parameters of commands that deny these hosts."""
    return {"denied_hosts": list(hosts)}


@pytest.fixture
async def tab(shared_tab: SharedTab) -> DrivenTab:
    """The tab of all tests, on localhost, which is not denied."""
    tab = await (await shared_tab("/blank")).again()
    tab.site.asked.clear()
    await go(tab, "localhost", "/start", "<p>start")
    return tab


def url(tab: DrivenTab, host: str, path: str) -> str:
    return tab.site.url(path).replace("127.0.0.1", host)


async def go(tab: DrivenTab, host: str, path: str, body: str = "") -> None:
    if body:
        tab.site.pages[path] = f"<title>Page</title>{body}".encode()
    await tab.do("navigate", url=url(tab, host, path))
    await tab.page.wait_for_url(url(tab, host, path))


def code_of(reply: dict[str, Any]) -> str:
    return "" if reply["success"] else reply["error"]["code"]


# --- In the queue

BANK = (
    "<title>Bank</title><button id=b onclick=\"fetch('/pressed')\">Pay</button><input id=i oninput=\"fetch('/typed')\">"
)


async def at_once(tab: DrivenTab, **params: object) -> list[str]:
    """Send a click on a link to the bank and two commands after it; return the codes of the replies."""
    tab.site.pages["/bank"] = BANK.encode()
    await go(tab, "localhost", "/link", f"<a id=link href={url(tab, DENIED, '/bank')}>Bank</a>")
    replies = await asyncio.gather(
        tab.ask("click", selector="#link", **params),
        tab.ask("click", selector="#b", **params),
        tab.ask("fill", selector="#i", value="x", **params),
    )
    return [code_of(reply) for reply in replies]


async def test_commands_queued_behind_a_click_that_leads_to_a_denied_host_do_not_run_there(tab: DrivenTab) -> None:
    assert await at_once(tab, **deny(DENIED)) == ["HOST_BLOCKED"] * 3
    assert not {"/pressed", "/typed"} & set(tab.site.asked)
    assert await at_once(tab, **deny(OTHER)) == ["", "", ""]
    await until(lambda: asyncio.sleep(0, {"/pressed", "/typed"} <= set(tab.site.asked)))


async def test_a_sites_tools_and_consent_are_checked_when_the_commands_turn_comes(tab: DrivenTab) -> None:
    tools = {"tool": "click", "tool_hosts": [["*", ["click"]], [DENIED, ["read_chrome_tab"]]]}
    assert await at_once(tab, **tools) == ["HOST_BLOCKED"] * 3
    assert (await at_once(tab, ask_hosts=[[DENIED, True]]))[1:] == ["ATTACH_DENIED"] * 2
    assert not {"/pressed", "/typed"} & set(tab.site.asked)

    allowing = {"tool": "click", "tool_hosts": [["*", []], [DENIED, ["click"]], ["localhost", ["click"]]]}
    assert await at_once(tab, **allowing, ask_hosts=[["*", True], [DENIED, False], ["localhost", False]]) == [""] * 3


async def test_tool_rule_lists_the_allowed_tools_of_the_site(tab: DrivenTab) -> None:
    code, message = await tab.refused("read_tab", tool="process_chrome_tab", tool_hosts=[["localhost", ["back"]]])
    assert (code, "allows only back on localhost" in message) == ("HOST_BLOCKED", True)


@pytest.mark.parametrize("command", ["click", "fill", "upload"])
async def test_waiting_command_does_nothing_on_a_denied_page_that_loads_meanwhile(tab: DrivenTab, command: str) -> None:
    selector = {"click": "#b", "fill": "#i", "upload": "#f"}[command]
    more = {"fill": {"value": "x"}, "upload": {"paths": [__file__]}}.get(command, {})
    tab.site.pages["/bank"] = f"{BANK}<input id=f type=file onchange=\"fetch('/typed')\">".encode()
    # `navigate` also makes the page believe that it has the focus, and may take longer than the page takes to load.
    leaving = "const leave = () => document.hasFocus() ? (location = %s) : setTimeout(leave, 10);"

    async def run(**params: object) -> str:
        # The page leaves once the command has begun, which makes it believe that it has the focus.
        await tab.popup.page.bring_to_front()
        body = f"<button id=b disabled>x</button><input id=i disabled><input id=f type=file disabled><script>{leaving}</script>"
        tab.site.pages["/waits"] = (body % json.dumps(url(tab, DENIED, "/bank"))).encode()
        await tab.do("navigate", url=url(tab, "localhost", "/waits"))
        await tab.page.wait_for_url(url(tab, "localhost", "/waits"))
        await tab.page.evaluate("() => void leave()")
        return code_of(await tab.ask(command, selector=selector, **more, **params))

    assert await run(**deny(DENIED)) == "HOST_BLOCKED"
    assert not {"/pressed", "/typed"} & set(tab.site.asked)

    assert await run(**deny(OTHER)) == ""
    await until(lambda: asyncio.sleep(0, bool({"/pressed", "/typed"} & set(tab.site.asked))))


# --- Bodies


async def test_body_of_a_redirect_is_not_the_body_of_the_denied_host_it_led_to(tab: DrivenTab) -> None:
    site = tab.site
    site.statuses["/out"] = 302
    site.extra_headers["/out"] = ("Location", url(tab, DENIED, "/account"))
    site.extra_headers["/account"] = ("Access-Control-Allow-Origin", "*")
    site.pages |= {"/account": b"balance 17", "/fine": b"news"}
    await tab.page.evaluate("async () => { for (const url of ['/out', '/fine']) await (await fetch(url)).text() }")

    async def entries(**params: object) -> dict[str, dict[str, Any]]:
        reported = await tab.do("network_requests", filter="fetch", **params)
        return {entry["url"].rpartition("/")[2]: entry for entry in reported["entries"]}

    async def body(of: str, **params: object) -> Any:
        (entry,) = (await tab.do("network_requests", body_of=of, **params))["entries"]
        return entry["body"]

    ids = {name: entry["id"] for name, entry in (await entries()).items()}
    assert await body(ids["account"]) == "balance 17"
    assert await body(ids["out"]) is None

    denying = deny(DENIED)
    reported = await tab.do("network_requests", filter="fetch", **denying)
    # The tab also remembers the requests of other tests.
    assert {entry["id"] for entry in reported["entries"]} & set(ids.values()) == {ids["out"], ids["fine"]}
    assert "entries are left out" in reported["notes"][0]
    assert (await tab.do("network_requests", body_of=ids["out"], **denying))["entries"][0]["notes"]
    assert await body(ids["out"], **denying) is None
    assert (await tab.refused("network_requests", body_of=ids["account"], **denying))[0] == "HOST_BLOCKED"
    assert await body(ids["fine"], **denying) == "news"


# --- Assignment to frames

# Each way in which a frame can send a request to another host, and write to the console; `WHO` names the frame.
BUSY = """<script>
const third = "//localhost:" + location.port + "/third";
console.log("logged by WHO", { a: 1 });
setTimeout(() => { throw new Error("thrown by WHO") });
fetch(third + "?fetch-WHO", { method: "POST", mode: "no-cors", body: "WHO" });
navigator.sendBeacon(third + "?beacon-WHO", "WHO");
new WebSocket("ws:" + third + "?socket-WHO");
new Worker("/worker.js?worker-WHO");
new Image().src = third + "?image-WHO";
fetch(third + "?preflight-WHO", { method: "PUT" }).catch(() => 0);
document.write("<iframe srcdoc='<img src=" + third + "?srcdoc-WHO><script>console.log(`srcdoc of WHO`)<" + "/script>'></iframe>");
const empty = document.body.appendChild(document.createElement("iframe"));
empty.contentDocument.body.innerHTML = "<img src=" + third + "?empty-WHO>";
</script>"""
KINDS = {"fetch", "beacon", "socket", "worker", "image", "preflight", "srcdoc", "empty"}
PAGE, SAME_SITE, OTHER_SITE = "page.busy.localhost", "frame.busy.localhost", "127.0.0.1"


async def busy_page(tab: DrivenTab) -> None:
    """Show a page with a frame of its own site and one of another, which all send requests to a third host and write."""
    for name in ("near", "far"):
        tab.site.pages[f"/{name}"] = f"<body>{BUSY.replace('WHO', name)}".encode()
    frames = f"<iframe src={url(tab, SAME_SITE, '/near')}></iframe><iframe src={url(tab, OTHER_SITE, '/far')}></iframe>"
    await go(tab, PAGE, "/busy", f"<body>{BUSY.replace('WHO', 'top')}{frames}")

    async def complete() -> bool:
        return {f"{kind}-{who}" for kind in KINDS for who in ("top", "near", "far")} <= await requested(tab)

    await until(complete)


async def requested(tab: DrivenTab, **params: object) -> set[str]:
    """Return the queries of the requests; those of WebSockets once they have ended: the handshake names their frame."""
    entries = (await tab.do("network_requests", max=500, **params))["entries"]
    known = [entry for entry in entries if entry["type"] != "websocket" or entry["time"] is not None]
    return {entry["url"].partition("?")[2] for entry in known}


async def test_requests_and_messages_are_assigned_to_the_page_of_their_frame(tab: DrivenTab) -> None:
    await busy_page(tab)
    denying = deny(SAME_SITE, OTHER_SITE)
    await check_requests(tab, denying)
    await check_messages(tab, denying)


async def check_requests(tab: DrivenTab, denying: dict[str, Any]) -> None:
    every = (await tab.do("network_requests", max=500))["entries"]
    top = {f"{kind}-top" for kind in KINDS}
    hosts = {"top": PAGE, "near": SAME_SITE, "far": OTHER_SITE}
    for entry in every:
        who = entry["url"].rpartition("-")[2]
        if who in hosts:
            # Where a frame's address was not known yet the page is empty, and every denial leaves the entry out.
            assert entry["page"] == "" or entry["page"].startswith(url(tab, hosts[who], "")), entry

    assert {name for name in await requested(tab, **denying) if "-" in name} == top
    hidden = next(entry for entry in every if entry["url"].endswith("fetch-near"))
    assert (await tab.refused("network_requests", body_of=hidden["id"], **denying))[0] == "HOST_BLOCKED"
    assert await requested(tab, **deny(OTHER)) >= {"fetch-near", "fetch-far"}


async def check_messages(tab: DrivenTab, denying: dict[str, Any]) -> None:
    async def written(**params: object) -> str:
        return " ".join(entry["message"] for entry in (await tab.do("console_logs", **params))["entries"])

    async def complete() -> bool:
        messages = await written()
        return all(
            f"{what} {who}" in messages for what in ("logged by", "thrown by", "srcdoc of") for who in ("top", "near")
        )

    await until(complete)
    entries = (await tab.do("console_logs"))["entries"]
    assert [each["url"] for each in entries if "logged by near" in each["message"]] == [url(tab, SAME_SITE, "/near")]
    messages = await written(**denying)

    assert "near" not in messages
    assert "far" not in messages
    for what in ("logged by", "thrown by", "srcdoc of"):
        assert f"{what} top" in messages
    assert "left out" in (await tab.do("console_logs", **denying))["notes"][0]


# --- Empty windows and frames

WRITTEN = [
    "w.document.write('<title>Secret</title><p>secret')",
    "w.document.body.innerHTML = 'secret'; w.document.title = 'Secret'",
]


async def test_empty_window_belongs_to_the_page_that_writes_it(tab: DrivenTab, subtests: pytest.Subtests) -> None:
    bridge, denying = tab.bridge, deny(DENIED)
    for host, path in ((DENIED, "/denied"), ("localhost", "/fine")):
        await go(tab, host, path, "<p>opener")
        for write in WRITTEN:
            with subtests.test(f"{host} {write}"):
                async with tab.page.context.expect_page() as opened:
                    await tab.page.evaluate(f"() => {{ const w = open('about:blank'); {write} }}")
                window = await opened.value
                tab_id = await until(lambda: tab.popup.chrome("(await chrome.tabs.query({ title: 'Secret' }))[0]?.id"))
                listed = (await bridge.ask("browser_get_tabs", **denying))["result"]
                codes = [
                    code_of(await bridge.ask(command, tab_id=tab_id, **denying, **more))
                    for command, more in (("read_tab", {}), ("browser_attach_tab", {"reason": "x"}))
                ]
                await window.close()

                is_denied = host == DENIED
                assert (tab_id in {each["id"] for each in listed}) is not is_denied
                assert codes == ["HOST_BLOCKED" if is_denied else "UNREADABLE_PAGE"] * 2


async def test_attached_window_that_a_denied_page_empties_and_writes_is_blocked(tab: DrivenTab) -> None:
    await go(tab, DENIED, "/opens", "<a id=open onclick=\"w = window.open('/two')\">open</a>")
    (note,) = (await tab.do("click", selector="#open"))["notes"]
    window = int(note.split()[3])
    await tab.page.evaluate("() => { w.location = 'about:blank' }")
    await until(lambda: tab.popup.chrome(f"(await chrome.tabs.get({window})).url === 'about:blank'"))
    await tab.page.evaluate("() => { w.document.body.innerHTML = '<button>secret</button>' }")

    async def codes(**params: object) -> list[str]:
        commands = ("screenshot", {}), ("console_logs", {}), ("network_requests", {})
        return [code_of(await tab.bridge.ask(name, tab_id=window, **more, **params)) for name, more in commands]

    assert await codes(**deny(DENIED)) == ["HOST_BLOCKED"] * 3
    assert await codes(**deny(OTHER)) == ["", "", ""]


async def test_empty_tab_without_an_owner_can_be_navigated(tab: DrivenTab) -> None:
    await tab.page.goto("about:blank")

    led = await tab.do("navigate", url=url(tab, "localhost", "/start"), **deny(DENIED))
    assert led["title"] == "Page"


async def test_empty_frame_of_a_denied_page_is_not_entered(tab: DrivenTab) -> None:
    """One denied frame empties itself, and another one writes into it."""
    tab.site.pages["/leaves"] = b"<script>location = 'about:blank'</script>"
    tab.site.pages["/writes"] = b"""<script>const timer = setInterval(() => {
      try {
        if (parent[0].document.URL !== "about:blank") return;
        parent[0].document.body.innerHTML = "<button>secret</button>";
        clearInterval(timer);
      } catch {}
    }, 20)</script>"""
    frames = "".join(f"<iframe id={name} src={url(tab, DENIED, f'/{name}')}></iframe>" for name in ("leaves", "writes"))
    await go(tab, "localhost", "/frames", f"{frames}<iframe id=own sandbox srcdoc='<button>own</button>'></iframe>")
    await until(lambda: tab.succeeds("click", selector="#leaves >>> button"))

    denying = deny(DENIED)

    assert (await tab.refused("click", selector="#leaves >>> button", **denying))[0] == "HOST_BLOCKED"
    await tab.do("click", selector="#own >>> button", **denying)
