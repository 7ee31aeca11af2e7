"""How the extension keeps its connection, and closes it when the user wants that."""

import http.server
import json
import socket

from playwright.async_api import expect
from websockets.asyncio.server import ServerConnection

from demo.web import serving
from tests.extension.conftest import Popup, Site, changed_waits, changed_worker, comes_true, full_storage, stop_worker
from tests.support.fake_bridge import FakeBridge, Message, challenge, honest_handshake, make_nonce
from tests.support.ui_texts import ui_text

ALARMS = "await chrome.alarms.getAll()"
# In the service worker: the package for the store has no key, so its id is not the one that servers accept.
PACKED = """(isPacked) => {
  const { key, ...packed } = (globalThis.ownManifest ??= chrome.runtime.getManifest());
  chrome.runtime.getManifest = () => (isPacked ? packed : globalThis.ownManifest);
}"""


async def test_without_a_client_it_waits_and_connects_when_one_starts(paired: Popup, bridge: FakeBridge) -> None:
    await bridge.stop()
    await paired.shows("Paired. Connects when your client starts")
    await expect(paired.element("status")).to_have_attribute("data-tone", "neutral")

    await bridge.start()

    await bridge.connected()
    await paired.shows("Connected")


async def test_retry_comes_within_2_to_3_s_however_long_there_was_no_server(paired: Popup, bridge: FakeBridge) -> None:
    worker = paired.page.context.service_workers[-1]
    # The worker's waits are recorded and shortened, and its sockets only counted: after several failures Chrome delays
    # each real one by seconds.
    await worker.evaluate(
        """() => {
          const { setTimeout, WebSocket } = globalThis;
          Object.assign(globalThis, {
            delays: [],
            sockets: 0,
            setTimeout(work, delay) {
              if (delay < 2_000 || delay > 3_000) return setTimeout(work, delay);
              delays.push(delay);
              return setTimeout(work);
            },
            WebSocket: class extends WebSocket {
              constructor(address) {
                super(address);
                sockets += 1;
              }
            },
            restore: () => Object.assign(globalThis, { setTimeout, WebSocket }),
          });
        }"""
    )
    try:
        await bridge.stop()
        enough = "async () => { while (delays.length < 50) await new Promise((again) => setTimeout(again, 50)); }"
        await worker.evaluate(enough)
        assert await worker.evaluate("sockets") == 0

        await bridge.start()

        await bridge.connected()
        assert await worker.evaluate("sockets") == 1
        delays = await worker.evaluate("delays")
        assert len({round(delay) for delay in delays}) > 10
    finally:
        await worker.evaluate("restore()")


async def test_a_failed_storage_call_is_shown_and_the_next_attempt_works(paired: Popup, bridge: FakeBridge) -> None:
    worker = paired.page.context.service_workers[-1]
    problem = paired.element("problem")
    # The user's choice is stored in one; the reason why a connection ended in the other, and nothing waits for that.
    for area, action in (("local", "disconnect"), ("session", "reconnect")):
        async with full_storage(worker, area):
            await paired.press(action)
            await expect(problem).to_contain_text("disk full")
        await paired.shows("Connected")

        await paired.press("disconnect")
        await paired.shows("Disconnected. Press Reconnect")
        await expect(problem).to_have_text("")
    assert len(bridge.hellos) == 2


async def test_disconnect_lasts_until_reconnect_even_if_the_worker_dies(paired: Popup, bridge: FakeBridge) -> None:
    assert [alarm["name"] for alarm in await paired.chrome(ALARMS)] == ["wake"]

    await paired.press("disconnect")
    await paired.shows("Disconnected. Press Reconnect")
    await expect(paired.element("sentence")).to_contain_text(f"on port {bridge.port}")
    await expect(paired.element("status")).to_have_attribute("data-tone", "neutral")
    assert await bridge.next_close_code() == 1000
    assert await paired.chrome(ALARMS) == []
    # What is stored there, like the key, also survives a restart of the browser.
    assert (await paired.chrome("await chrome.storage.local.get('wanted')"))["wanted"] is False

    await stop_worker(paired)
    await paired.open()
    await paired.shows("Disconnected. Press Reconnect")
    assert len(bridge.hellos) == 1

    await paired.press("reconnect")
    await bridge.connected()
    await paired.shows("Connected")


async def test_reconnect_keeps_a_connection_that_a_retry_has_opened_meanwhile(
    paired: Popup, bridge: FakeBridge
) -> None:
    await paired.chrome("await chrome.storage.local.set({ wanted: false })")

    # The button of a popup that has not heard of the retry yet.
    await paired.element("reconnect").evaluate("(button) => button.click()")
    await comes_true(paired.page, "chrome.storage.local.get('wanted').then(({ wanted }) => wanted)")

    assert (await bridge.ask("list_tabs"))["success"]
    assert len(bridge.hellos) == 1
    await paired.shows("Connected")


async def test_without_automatic_reconnecting_a_lost_server_stays_disconnected(
    paired: Popup, bridge: FakeBridge
) -> None:
    await paired.show_connection()
    await paired.element("auto-reconnect").click()
    await comes_true(paired.page, "chrome.storage.local.get().then(({ autoReconnect }) => autoReconnect === false)")
    await bridge.stop()
    await paired.shows("Disconnected. No server is running on port .* press Reconnect")
    assert await paired.chrome(ALARMS) == []

    await bridge.start()
    await stop_worker(paired)
    await paired.open()
    await paired.shows("Disconnected")
    assert len(bridge.hellos) == 1

    await paired.show_connection()
    await paired.element("auto-reconnect").click()
    await bridge.connected()
    await paired.shows("Connected")


async def test_killed_worker_returns_at_the_next_event_with_its_connection_and_tabs(
    paired: Popup, bridge: FakeBridge, site: Site
) -> None:
    page = await paired.page.context.new_page()
    await page.goto(site.url("/one"))
    await paired.press("attachButton")
    attached = await bridge.next_message("tab_attached")
    await paired.element("allow-evaluate").click()
    # The click itself checks the box; the worker stores it later.
    stored = "chrome.storage.session.get('attachments').then(({ attachments }) => attachments[0][1].evaluateOn !== '')"
    await comes_true(paired.page, stored)
    await paired.page.goto("about:blank")

    await stop_worker(paired)
    await page.goto(site.url("/two"))

    await bridge.connected()
    again = await bridge.next_message("tab_attached")
    assert (again["tab_id"], again["connected_at"]) == (attached["tab_id"], attached["connected_at"])
    await paired.open()
    await page.bring_to_front()
    await expect(paired.element("attachButton")).to_have_text("Detach")
    await expect(paired.element("allow-evaluate")).to_be_checked()


async def test_alarm_wakes_a_killed_worker_within_half_a_minute(paired: Popup) -> None:
    (alarm,) = await paired.chrome(ALARMS)

    assert alarm["periodInMinutes"] == 0.5


async def test_frames_that_are_not_commands_are_dropped_and_the_next_command_is_answered(
    paired: Popup, bridge: FakeBridge
) -> None:
    to_tabs = {"type": "command", "command": "browser_get_tabs"}
    for frame in (
        b"binary",
        "not json",
        "null",
        "[1]",
        {"type": "surprise"},
        to_tabs,
        {**to_tabs, "id": 7},
        {**to_tabs, "id": "x", "tab_id": "12"},
        {**to_tabs, "id": "x", "params": [1]},
        {**to_tabs, "id": "x", "params": {"fill": "x" * 2**20}},
        {"type": "welcome", "sessions": 9},
        challenge("nonce", "proof"),
    ):
        await bridge.send(frame)

    # A reply to any of them would have come before this one, and would end the fake bridge's connection.
    assert (await bridge.ask("browser_get_tabs"))["success"]
    await paired.shows("Connected · 1 session")


async def test_client_names_are_shown_and_invalid_ones_are_not(paired: Popup, bridge: FakeBridge) -> None:
    event = {"type": "event", "event": "sessions"}
    for sessions, clients, shown in (
        (1, ["claude-code"], "Claude Code"),
        (3, ["claude-code", "cursor", "claude-code"], "Claude Code (2) and cursor"),
        (4, ["claude-code", "cursor"], "Claude Code, cursor, and 2 more"),
        (2, ["<b>x</b>", 7, "", None], "<b>x</b> and 1 more"),
        (2, {"a": "b"}, "2 sessions"),
    ):
        await bridge.send({**event, "sessions": sessions, "clients": clients})
        await expect(paired.element("status")).to_have_text(f"Connected · {shown}")


async def test_answer_for_a_lost_connection_is_not_sent_to_the_next(
    paired: Popup, bridge: FakeBridge, site: Site
) -> None:
    page = await paired.page.context.new_page()
    await page.goto(site.url("/slow"), wait_until="commit")
    await bridge.send({"id": "lost", "type": "command", "command": "read_tab", "tab_id": None, "params": {}})
    await bridge.hang_up()

    await paired.retry()
    await bridge.connected()
    site.finish_slow.set()
    await page.wait_for_load_state("load")

    # Commands for one tab are answered in order, and an unexpected reply fails the fake bridge.
    assert (await bridge.ask("read_tab"))["result"]["title"] == "Slow"


async def test_server_with_another_protocol_version_is_closed_with_4400(popup: Popup, bridge: FakeBridge) -> None:
    async def newer_handshake(bridge: FakeBridge, peer: ServerConnection, hello: Message) -> None:
        nonce = make_nonce()
        proof = bridge.proof("server", hello["nonce"], nonce)
        await peer.send(json.dumps(challenge(nonce, proof, protocol=3)))

    bridge.handshake = newer_handshake
    await popup.paste(bridge.connection_string)

    assert await bridge.next_close_code() == 4400
    await popup.shows("Disconnected. .* another version of the protocol")


async def test_server_with_eight_browsers_is_reported_and_retried(popup: Popup, bridge: FakeBridge) -> None:
    async def full_handshake(bridge: FakeBridge, peer: ServerConnection, hello: Message) -> None:
        nonce = make_nonce()
        await peer.send(json.dumps(challenge(nonce, bridge.proof("server", hello["nonce"], nonce))))
        await peer.recv()
        await peer.close(4429)

    bridge.handshake = full_handshake
    await popup.paste(bridge.connection_string)

    await popup.shows("Disconnected. .* eight browsers")
    bridge.handshake = honest_handshake
    await popup.shows("Connected")
    await popup.show_connection()
    await expect(popup.page.locator("#connection-controls dl")).to_contain_text(ui_text("adviceTooMany", bridge.port))


async def test_package_for_the_store_is_not_mistaken_for_another_program(popup: Popup, bridge: FakeBridge) -> None:
    async with changed_worker(popup.page.context, PACKED, begun=True, ended=False):
        await popup.paste(bridge.connection_string)
        await popup.shows("Disconnected. The server does not accept this copy")
    await popup.retry()
    await popup.shows("Connected")


async def test_silent_server_is_closed_with_4408(popup: Popup, bridge: FakeBridge) -> None:
    async def silent_handshake(_bridge: FakeBridge, _peer: ServerConnection, _hello: Message) -> None:
        return

    bridge.handshake = silent_handshake
    async with changed_waits(popup.page.context, {10_000: 1_000}):
        await popup.paste(bridge.connection_string)

        assert await bridge.next_close_code() == 4408
        await popup.shows("Disconnected. The program on port .* does not respond")


async def test_server_that_answers_no_ping_is_closed_at_the_third_and_found_again(
    popup: Popup, bridge: FakeBridge
) -> None:
    bridge.answers_pings = False
    async with changed_waits(popup.page.context, {20_000: 500}):
        await popup.connect(bridge)
        assert await bridge.next_close_code() == 4408
        kinds = [bridge.received.get_nowait()["type"] for _ in range(bridge.received.qsize())]
        assert [kind for kind in kinds if kind != "event"] == ["proof", "ping", "ping"]

        bridge.answers_pings = True
        await bridge.connected()
        for _ in range(4):
            await bridge.next_message("ping")
        assert bridge.close_codes.empty()


async def test_web_server_on_the_port_is_recognized_and_its_end_is_detected(paired: Popup, bridge: FakeBridge) -> None:
    await bridge.stop()
    address = ("127.0.0.1", bridge.port)
    with serving(http.server.HTTPServer(address, http.server.BaseHTTPRequestHandler)):
        await paired.retry()
        await paired.shows(f"Disconnected. Another program uses port {bridge.port}")
        await expect(paired.element("status")).to_have_attribute("data-tone", "error")

    await paired.shows("Paired")
    await bridge.start()
    await paired.retry()
    await paired.shows("Connected")


async def test_silent_program_on_the_port_is_reported_as_silent(paired: Popup, bridge: FakeBridge) -> None:
    await bridge.stop()
    with socket.create_server(("127.0.0.1", bridge.port)):
        await paired.retry()
        await paired.shows(f"Disconnected. The program on port {bridge.port} does not respond")
