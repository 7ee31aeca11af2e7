"""How the extension gets the key, and that no other program gets anything."""

import json
import re

from playwright.async_api import expect
from websockets.asyncio.server import ServerConnection

from tests.extension.conftest import EXTENSION_URL, Popup, Site, changed_worker, stop_worker
from tests.support.fake_bridge import (
    FakeBridge,
    Message,
    challenge,
    connection_string,
    encode,
    honest_handshake,
    make_nonce,
    running_bridge,
)
from tests.support.ui_texts import ui_text

KEY = encode(bytes(range(32)))
# The origin ws://localhost:3456, where another program may listen.
SOURCE_EXAMPLE = "vf://eyJ2IjoxLCJzIjoid3M6Ly9sb2NhbGhvc3Q6MzQ1NiIsImsiOiJkZXYtMTIzLXRlc3QifQ"


def string_for(server: object, *, version: object = 1, key: object = KEY) -> str:
    return connection_string({"v": version, "s": server, "k": key})


async def parse(popup: Popup, string: str) -> Message:
    """Return the pairing in the string, or the code and message of its rejection."""
    return await popup.page.evaluate(
        """async (string) => {
          const { parseConnectionString } = await import("/background/pairing.js");
          try { return parseConnectionString(string); } catch ({ code, message }) { return { code, message }; }
        }""",
        string,
    )


async def test_pasted_string_connects_and_the_popup_shows_it(popup: Popup, bridge: FakeBridge) -> None:
    await popup.paste(bridge.connection_string)
    await bridge.connected()

    await expect(popup.element("status")).to_have_text("Connected · 1 session")
    assert bridge.origins == [EXTENSION_URL]


async def test_enter_in_the_field_connects_and_a_broken_line_is_joined(popup: Popup, bridge: FakeBridge) -> None:
    string = bridge.connection_string
    await popup.element("connection-string").fill(f"  {string[:30]} {string[30:]} ")
    await popup.element("connection-string").press("Enter")

    await bridge.connected()
    await popup.shows("Connected")


async def test_wrong_string_is_rejected_with_a_sentence_and_a_right_one_connects(
    popup: Popup, bridge: FakeBridge
) -> None:
    await popup.paste("http://127.0.0.1:61822")
    await expect(popup.element("pairing-problem")).to_contain_text("must start with vf://")
    await popup.shows("Setup")
    await expect(popup.page.get_by_role("textbox")).to_have_accessible_description(re.compile("must start with vf://"))
    await expect(popup.element("connection-string")).to_have_attribute("aria-invalid", "true")
    await expect(popup.element("connection-string")).to_have_value("http://127.0.0.1:61822")

    await popup.paste(bridge.connection_string)
    await popup.shows("Connected")
    await expect(popup.element("pairing-problem")).to_have_text("")


async def test_each_kind_of_wrong_string_has_its_own_sentence(popup: Popup) -> None:
    sentences = {
        "": "pairEmpty",
        "vf://%%%": "pairDamaged",
        "vf://bm90IGpzb24": "pairDamaged",
        connection_string(None): "pairDamaged",
        string_for("ws://127.0.0.1:61822", version=2): "pairVersion",
        string_for("ws://127.0.0.1:61822", key=""): "pairNoKey",
        string_for("ws://127.0.0.1:61822", key=7): "pairNoKey",
        string_for(7): "pairNoServer",
        string_for("ws://192.168.1.5:61822"): "pairElsewhere",
        string_for("ws://127.0.0.1.evil.example:61822"): "pairElsewhere",
        string_for("ws://127.0.0.1@evil.example:61822"): "pairElsewhere",
        string_for("ws://[::1]:61822"): "pairElsewhere",
        SOURCE_EXAMPLE: "pairElsewhere",
        string_for("wss://127.0.0.1:61822"): "pairElsewhere",
        string_for("http://127.0.0.1:61822"): "pairElsewhere",
        string_for("ws://user@127.0.0.1:61822"): "pairMore",
        string_for("ws://127.0.0.1:61822/path"): "pairMore",
    }

    for string, key in sentences.items():
        refused = await parse(popup, string)
        sentence = ui_text(key, "ws://127.0.0.1:PORT")
        assert (refused["code"], refused["message"]) == ("INVALID_ARGUMENT", sentence), string


async def test_string_decodes_to_server_port_and_key(popup: Popup) -> None:
    own = {"server": "ws://127.0.0.1:3456", "port": 3456, "key": "dev-123-test"}
    assert await parse(popup, string_for("ws://127.0.0.1:3456", key="dev-123-test")) == own
    assert await parse(popup, string_for("ws://127.0.0.1/")) == {"server": "ws://127.0.0.1", "port": 80, "key": KEY}


async def test_key_that_is_not_base64url_of_32_bytes_is_used_as_text(popup: Popup) -> None:
    async with running_bridge("dev-123-test") as bridge:
        await popup.paste(bridge.connection_string)

        await bridge.connected()
        await popup.shows("Connected")


async def test_pasted_key_is_never_readable_in_the_popup(popup: Popup, bridge: FakeBridge) -> None:
    field = popup.element("connection-string")
    await field.fill(bridge.connection_string)
    await expect(field).to_have_css("-webkit-text-security", "disc")

    await popup.press("connect")
    await bridge.connected()

    await expect(field).to_have_value("")
    html = await popup.page.content()
    assert bridge.key not in html
    assert bridge.connection_string not in html


async def test_server_without_the_key_gets_no_proof_and_4401(popup: Popup, bridge: FakeBridge) -> None:
    string = bridge.connection_string
    right_key, bridge.key = bridge.key, make_nonce()

    await popup.paste(string)

    assert await bridge.next_close_code() == 4401
    assert bridge.received.empty()
    await popup.shows(f"Disconnected. The server on port {bridge.port} has a different key")
    await expect(popup.element("connection-string")).to_be_visible()
    await expect(popup.element("connection-string")).to_have_value("")
    await expect(popup.element("reconnect")).to_be_visible()
    facts = popup.page.locator("#connection-controls dl")
    await expect(facts).to_contain_text(ui_text("factLast", ""))

    bridge.key = right_key
    await popup.paste(string)
    await bridge.connected()
    await popup.shows("Connected")
    # The problem of another pairing.
    await expect(facts).not_to_contain_text(ui_text("factLast", ""))


async def test_another_program_cannot_make_the_pairing_disappear(popup: Popup, bridge: FakeBridge) -> None:
    right_key, bridge.key = bridge.key, make_nonce()
    await popup.paste(string_for(f"ws://127.0.0.1:{bridge.port}", key=right_key))
    await popup.shows("Disconnected. The server")
    await stop_worker(popup)
    await popup.shows("Disconnected. The server")

    bridge.key = right_key

    await bridge.connected()
    await popup.shows("Connected")


async def test_proof_from_another_port_is_rejected(popup: Popup, bridge: FakeBridge) -> None:
    async def relayed_handshake(bridge: FakeBridge, peer: ServerConnection, hello: Message) -> None:
        nonce = make_nonce()
        proof = bridge.proof("server", hello["nonce"], nonce, port=bridge.port + 1)
        await peer.send(json.dumps(challenge(nonce, proof)))

    bridge.handshake = relayed_handshake
    await popup.paste(bridge.connection_string)

    assert await bridge.next_close_code() == 4401
    assert bridge.received.empty()


async def test_replayed_proof_of_the_extension_is_rejected(popup: Popup, bridge: FakeBridge) -> None:
    async def reflecting_handshake(bridge: FakeBridge, peer: ServerConnection, hello: Message) -> None:
        proof = bridge.proof("extension", hello["nonce"], hello["nonce"])
        await peer.send(json.dumps(challenge(hello["nonce"], proof)))

    bridge.handshake = reflecting_handshake
    await popup.paste(bridge.connection_string)

    assert await bridge.next_close_code() == 4401
    assert bridge.received.empty()


async def test_welcome_without_a_proof_enables_nothing(popup: Popup, bridge: FakeBridge) -> None:
    probe = {"id": "early", "type": "command", "command": "browser_get_tabs", "params": {}}

    async def hasty_handshake(bridge: FakeBridge, peer: ServerConnection, hello: Message) -> None:
        await peer.send(json.dumps({"type": "welcome", "sessions": 1}))
        await peer.send(json.dumps(probe))
        await honest_handshake(bridge, peer, hello)

    bridge.handshake = hasty_handshake
    await popup.paste(bridge.connection_string)
    await bridge.connected()

    # A reply to the early command would have come before this one, and would fail the fake bridge.
    assert (await bridge.ask("browser_get_tabs"))["success"]
    assert (await bridge.next_message("proof"))["type"] == "proof"


async def test_server_that_rejects_our_proof_is_reported_to_have_another_key(popup: Popup, bridge: FakeBridge) -> None:
    async def refusing_handshake(bridge: FakeBridge, peer: ServerConnection, hello: Message) -> None:
        nonce = make_nonce()
        await peer.send(json.dumps(challenge(nonce, bridge.proof("server", hello["nonce"], nonce))))
        await peer.recv()
        await peer.close(4401)

    bridge.handshake = refusing_handshake
    await popup.paste(bridge.connection_string)

    await popup.shows("Disconnected. The server on port .* has a different key")


async def test_each_handshake_has_a_fresh_nonce(paired: Popup, bridge: FakeBridge) -> None:
    await paired.press("disconnect")
    await paired.press("reconnect")
    await bridge.connected()

    first, second = (hello["nonce"] for hello in bridge.hellos)
    assert first != second


async def test_unpairing_deletes_the_key_and_ends_the_connection(paired: Popup, bridge: FakeBridge) -> None:
    assert bridge.key in json.dumps(await paired.chrome("await chrome.storage.local.get()"))

    await paired.unpair()
    await paired.shows("Setup")

    assert await bridge.next_close_code() == 1000
    # A panel's history, the agents' activity and the preferences belong to the user and stay.
    left = await paired.chrome("Object.keys(await chrome.storage.local.get())")
    assert set(left) <= {"activity", "history", "preferences", "saved"}
    assert await paired.chrome("await chrome.alarms.getAll()") == []


# In the service worker: delays what it reads from its storage until a connection is wanted again.
READ_LATE = """late => {
  const { local } = chrome.storage;
  const real = (local.get.real ??= local.get);
  const stored = new Promise((go) => local.onChanged.addListener(({ wanted }) => wanted?.newValue && go()));
  const get = async (keys) => {
    const found = await real.call(local, keys);
    await stored;
    return found;
  };
  local.get = late ? Object.assign(get, { real }) : real;
}"""


async def test_pairing_right_after_unpairing_persists(popup: Popup, bridge: FakeBridge) -> None:
    async with changed_worker(popup.page.context, READ_LATE, True, False):
        await popup.chrome(f"""(() => {{
            const port = chrome.runtime.connect();
            port.postMessage({{ action: "unpair" }});
            port.postMessage({{ action: "connect", connectionString: "{bridge.connection_string}" }});
        }})()""")
        await bridge.connected()

    await popup.open()
    await popup.shows("Connected")


async def test_content_script_of_the_extension_cannot_read_the_key(
    paired: Popup, bridge: FakeBridge, site: Site
) -> None:
    page = await paired.page.context.new_page()
    await page.goto(site.url("/one"))
    tab_id = await paired.tab_id(site.url("/one"))
    inject = f"""await chrome.scripting.executeScript({{
        target: {{ tabId: {tab_id} }},
        func: () => chrome.storage.local.get().then(JSON.stringify, () => "refused"),
    }})"""

    assert (await paired.chrome(inject))[0]["result"] == "refused"
    assert bridge.key in json.dumps(await paired.chrome("await chrome.storage.local.get()"))
