"""What the extension reports about its browser profile, and how the user sees and changes its name."""

import json

import pytest
from playwright.async_api import expect
from websockets.asyncio.server import ServerConnection

from tests.extension.conftest import EXTENSION_URL, Popup, stop_worker
from tests.support.fake_bridge import FakeBridge, Message, challenge, honest_handshake, make_nonce

ONE_OF_TWO = {"type": "event", "event": "sessions", "sessions": 1, "clients": [], "name": "Chromium", "browsers": 2}


async def test_a_profile_keeps_its_id_and_its_run_when_the_worker_is_killed(popup: Popup, bridge: FakeBridge) -> None:
    # The previous test has cleared the storage under the running worker.
    await stop_worker(popup)
    await popup.pair(bridge)
    await stop_worker(popup)
    await bridge.connected()

    first, second = (hello["browser"] for hello in bridge.hellos)
    assert first | {"looked_at": second["looked_at"]} == second
    assert (first["kind"], first["name"]) == ("Chromium", "")
    assert first["id"] != first["run"]
    assert second["looked_at"] >= first["looked_at"] > 0


async def test_a_copied_profile_adopts_the_id_that_the_server_assigns_and_reports_it(
    popup: Popup, bridge: FakeBridge
) -> None:
    async def copy_handshake(bridge: FakeBridge, peer: ServerConnection, hello: Message) -> None:
        bridge.handshake = honest_handshake
        nonce = make_nonce()
        await peer.send(json.dumps(challenge(nonce, bridge.proof("server", hello["nonce"], nonce))))
        await peer.recv()
        welcome = {"type": "welcome", "sessions": 1, "profile": "another-id", "name": "Chromium 2", "browsers": 2}
        await peer.send(json.dumps(welcome))
        bridge.accept(peer)

    bridge.handshake = copy_handshake
    await popup.pair(bridge)
    line = "Connected as Chromium 2 · 2 browsers · This profile is a copy of another one, so it has a name of its own."
    await expect(popup.element("identity-line")).to_have_text(line)
    await bridge.hang_up()
    await popup.retry()
    await bridge.connected()
    assert bridge.hellos[1]["browser"]["id"] == "another-id"
    # It is still a copy when the worker is killed.
    await stop_worker(popup)
    await bridge.connected()
    await bridge.send(ONE_OF_TWO | {"name": "Chromium 2"})
    await expect(popup.element("identity-line")).to_have_text(line)
    # The next test has a profile that is not a copy.
    await popup.chrome("chrome.storage.session.remove('isCopy')")
    await stop_worker(popup)
    await bridge.connected()


async def test_one_of_several_profiles_shows_which_it_is_and_is_renamed_with_one_click(
    popup: Popup, bridge: FakeBridge
) -> None:
    await popup.pair(bridge)
    assert "identity" not in await popup.visible_ids()
    await bridge.send(ONE_OF_TWO)
    await expect(popup.element("identity-line")).to_have_text("Connected as Chromium · 2 browsers")

    await popup.press("rename")
    await expect(popup.element("browser-name")).to_be_focused()
    await popup.page.keyboard.type(" Work ")
    await popup.page.keyboard.press("Enter")
    assert (await bridge.next_message("renamed"))["name"] == "Work"
    await bridge.send(ONE_OF_TWO | {"name": "Work"})
    await expect(popup.element("identity-line")).to_have_text("Connected as Work · 2 browsers")

    await popup.press("rename")
    await popup.page.keyboard.type("Home")
    await popup.page.keyboard.press("Escape")
    await bridge.send(ONE_OF_TWO | {"name": "Work", "browsers": 1})
    await expect(popup.element("identity")).to_be_hidden()
    assert (await popup.chrome("(await chrome.storage.local.get('preferences')).preferences.browserName")) == "Work"


@pytest.mark.parametrize(
    ("page", "element"), [("side-panel/side-panel.html", "#identity"), ("devtools/panel.html?tab=1", "#sentence")]
)
async def test_side_panel_and_devtools_panel_show_which_of_several_profiles_this_is(
    page: str, element: str, popup: Popup, bridge: FakeBridge
) -> None:
    await popup.pair(bridge)
    panel = await popup.page.context.new_page()
    await panel.goto(f"{EXTENSION_URL}/ui/{page}")
    await bridge.send(ONE_OF_TWO | {"name": "Work"})
    await expect(panel.locator(element)).to_contain_text("Connected as Work · 2 browsers")
    await bridge.send(ONE_OF_TWO | {"browsers": 1})
    await expect(panel.locator(element)).not_to_contain_text("Connected as")
    await panel.close()


async def test_a_tab_that_the_user_activates_is_reported_and_one_in_the_background_is_not(
    popup: Popup, bridge: FakeBridge
) -> None:
    await popup.pair(bridge)
    created = await popup.chrome("chrome.tabs.create({ active: false })")
    await popup.chrome(f"chrome.tabs.update({created['id']}, {{ active: true }})")
    looked = await bridge.next_message("looked_at")
    await popup.chrome(f"chrome.tabs.remove({created['id']})")
    assert looked["at"] > 0
