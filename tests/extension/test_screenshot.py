"""Screenshots of a page: of the viewport, of a whole element, and in a given size."""

import asyncio
import base64
import struct

import pytest

from tests.extension.conftest import DrivenTab, changed_waits, changed_worker, shared_tab_at
from tests.support.fake_bridge import Message

driven = shared_tab_at("/one")

RED = "<body style='margin:0;background:red'>"
PNG = b"\x89PNG\r\n\x1a\n"


def image_of(shot: Message) -> bytes:
    return base64.b64decode(shot["data"], validate=True)


def png_size(shot: Message) -> tuple[int, int]:
    image = image_of(shot)
    assert image.startswith(PNG)
    assert shot["mime_type"] == "image/png"
    width, height = struct.unpack(">II", image[16:24])
    return width, height


async def color_at(tab: DrivenTab, shot: Message, x: int, y: int) -> list[int]:
    """Return the color that a browser sees at this pixel of the image."""
    return await tab.popup.page.evaluate(
        """async ([type, data, x, y]) => {
            const image = await createImageBitmap(await (await fetch(`data:${type};base64,${data}`)).blob());
            const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
            canvas.drawImage(image, 0, 0);
            return [...canvas.getImageData(x, y, 1, 1).data].slice(0, 3);
        }""",
        [shot["mime_type"], shot["data"], x, y],
    )


async def test_viewport_is_captured_as_it_is(driven: DrivenTab) -> None:
    await driven.write(RED)
    size = "[innerWidth, innerHeight]"
    # The browser's bar about the debugger slides in at any time: then the window has another size afterwards.
    seen, after, shot = [], None, {}
    while seen != after:
        seen = await driven.page.evaluate(size)
        shot = await driven.do("screenshot")
        after = await driven.page.evaluate(size)

    assert png_size(shot) == tuple(seen) == (shot["width"], shot["height"])
    assert await color_at(driven, shot, 5, 5) == [255, 0, 0]


async def test_scroll_bars_are_captured_too(driven: DrivenTab) -> None:
    await driven.write("<body style='margin:0;background:red'><div style='width:5000px;height:5000px'>")
    whole, inner = await driven.page.evaluate(
        "[[innerWidth, innerHeight], [document.documentElement.clientWidth, document.documentElement.clientHeight]]"
    )

    shot = await driven.do("screenshot")

    assert png_size(shot) == tuple(whole) == (shot["width"], shot["height"])
    assert await color_at(driven, shot, inner[0] - 1, inner[1] - 1) == [255, 0, 0]
    assert await color_at(driven, shot, whole[0] - 1, whole[1] - 1) != [255, 0, 0]


async def test_zoomed_page_is_captured_whole_in_css_pixels(driven: DrivenTab) -> None:
    await driven.write(
        "<body style='margin:0;background:red'>"
        "<div id=corner style='position:fixed;right:0;bottom:0;width:50px;height:40px;background:blue'>"
    )
    width = await driven.page.evaluate("innerWidth")
    await driven.popup.chrome(f"await chrome.tabs.setZoom({driven.tab_id}, 2)")
    try:
        await driven.page.wait_for_function(f"innerWidth < {width}")
        size = await driven.page.evaluate("[innerWidth, innerHeight]")
        shot = await driven.do("screenshot")
        corner = await driven.do("screenshot", selector="#corner")
    finally:
        await driven.popup.chrome(f"await chrome.tabs.setZoom({driven.tab_id}, 1)")

    assert png_size(shot) == tuple(size)
    assert await color_at(driven, shot, size[0] - 50, size[1] - 40) == [0, 0, 255]
    assert await color_at(driven, shot, size[0] - 51, size[1] - 41) == [255, 0, 0]
    assert png_size(corner) == (50, 40)
    assert await color_at(driven, corner, 0, 0) == await color_at(driven, corner, 49, 39) == [0, 0, 255]


# In the service worker: the window is resized when the first screenshot is requested; counts the screenshots, without
# those that fail, as some do in a busy browser.
RESIZING = """isOn => {
  const { debugger: cdp } = chrome;
  const real = (cdp.sendCommand.real ??= cdp.sendCommand);
  globalThis.pictures = 0;
  let isResized = false;
  const send = async (target, method, params) => {
    if (method !== "Page.captureScreenshot") return real.call(cdp, target, method, params);
    if (!isResized) {
      isResized = true;
      const tab = await chrome.tabs.get(target.tabId);
      const { height } = await chrome.windows.get(tab.windowId);
      await chrome.windows.update(tab.windowId, { height: height - 100 });
    }
    const picture = await real.call(cdp, target, method, params);
    pictures += 1;
    return picture;
  };
  cdp.sendCommand = isOn ? Object.assign(send, { real }) : real;
}"""


async def test_screenshot_is_retaken_if_the_window_is_resized_meanwhile(driven: DrivenTab) -> None:
    await driven.write(RED)
    (worker,) = driven.page.context.service_workers
    # Until then, the test's own browser connection emulates a size that resizing the window does not change.
    await driven.do("screenshot", width=300, height=300)
    steady = await driven.do("screenshot")

    async with changed_worker(driven.page.context, RESIZING, True, False):
        shot = await driven.do("screenshot")
        pictures = await worker.evaluate("pictures")
        await driven.do("screenshot")
        later = await worker.evaluate("pictures") - pictures

    assert (pictures, later) == (2, 1)
    assert png_size(shot)[1] == await driven.page.evaluate("innerHeight") < png_size(steady)[1]


async def test_tab_in_the_background_is_captured_too(driven: DrivenTab) -> None:
    await driven.write(RED)
    await driven.bridge.ask("browser_create_tab", url=driven.site.url("/two"))

    assert await color_at(driven, await driven.do("screenshot"), 5, 5) == [255, 0, 0]


async def test_element_is_captured_completely_even_beyond_the_viewport(driven: DrivenTab) -> None:
    await driven.write(
        "<body style='margin:0'><div style='height:5000px'></div>"
        "<div id=tall style='width:100px;height:3000px;background:linear-gradient(lime 50%, blue 50%)'></div>"
    )

    shot = await driven.do("screenshot", selector="#tall")

    assert png_size(shot) == (100, 3000)
    seen = [await color_at(driven, shot, 50, y) for y in (5, 1495, 1505, 2995)]
    assert seen == [[0, 255, 0], [0, 255, 0], [0, 0, 255], [0, 0, 255]]


@pytest.mark.parametrize(
    ("size", "expected"), [({"width": 400, "height": 300}, (400, 300)), ({"width": 1500, "height": 40}, (1500, 40))]
)
async def test_screenshot_of_a_given_size_shows_the_page_in_a_window_of_that_size(
    driven: DrivenTab, size: dict[str, int], expected: tuple[int, int]
) -> None:
    await driven.write(
        "<style>body { margin: 0; background: blue; height: 3000px } @media (width = 400px) { body { background: lime } }</style>"
    )

    shot = await driven.do("screenshot", **size)

    assert png_size(shot) == expected
    assert await color_at(driven, shot, 5, 5) == ([0, 255, 0] if size["width"] == 400 else [0, 0, 255])
    assert await driven.page.evaluate("[innerWidth, innerHeight]") != list(expected)


# In the service worker: images that are not scaled down have 2 MB more. A page of noise, whose image is as large in every
# format, takes a busy machine longer than a command may take.
HEAVY = """isOn => {
  const { debugger: cdp } = chrome;
  const real = (cdp.sendCommand.real ??= cdp.sendCommand);
  const send = async (target, method, params) => {
    const reply = await real.call(cdp, target, method, params);
    const isHeavy = method === "Page.captureScreenshot" && !(params.clip?.scale < 1);
    return isHeavy ? { ...reply, data: reply.data + "A".repeat(2_000_000) } : reply;
  };
  cdp.sendCommand = isOn ? Object.assign(send, { real }) : real;
}"""


async def test_image_that_is_too_large_is_scaled_down_with_a_note(driven: DrivenTab) -> None:
    await driven.write("<body style='margin:0'><div id=box style='width:800px;height:600px;background:red'></div>")

    async with changed_worker(driven.page.context, HEAVY, True, False):
        shot = await driven.do("screenshot", selector="#box")

    assert shot["mime_type"] == "image/webp"
    assert image_of(shot)[8:12] == b"WEBP"
    assert len(shot["data"]) <= 2_000_000
    assert shot["width"] < 800
    assert len(shot["notes"]) == 1
    assert "notes" not in await driven.do("screenshot", selector="#box")


async def test_long_element_is_scaled_down_to_a_side_that_clients_accept(driven: DrivenTab) -> None:
    await driven.write("<body style='margin:0'><div id=long style='width:50px;height:9000px;background:red'></div>")

    shot = await driven.do("screenshot", selector="#long")

    assert png_size(shot)[1] == 4000
    assert any("2.25 CSS pixels" in note for note in shot["notes"])


async def test_invalid_size_is_rejected(blank: DrivenTab, subtests: pytest.Subtests) -> None:
    for size in [{"width": 0}, {"height": 4001}, {"width": "400"}, {"height": 1.5}]:
        with subtests.test(str(size)):
            code, message = await blank.refused("screenshot", **size)

            assert code == "INVALID_ARGUMENT"
            assert "4000" in message
    assert png_size(await blank.do("screenshot", width=4, height=4000)) == (4, 4000)


async def test_window_that_its_scroll_bars_fill_is_captured(driven: DrivenTab, subtests: pytest.Subtests) -> None:
    await driven.write("<body style='margin:0'><div style='width:9000px;height:9000px;background:red'></div>")
    for size in [{"width": 4, "height": 4000}, {"width": 4, "height": 4}]:
        with subtests.test(str(size)):
            assert png_size(await driven.do("screenshot", **size)) == (size["width"], size["height"])


async def test_hidden_control_is_captured_by_its_label(driven: DrivenTab) -> None:
    await driven.write(
        "<body style='margin:0'><input type=checkbox id=box hidden>"
        "<label for=box style='display:block;width:80px;height:30px;background:lime'></label>"
    )

    shot = await driven.do("screenshot", selector="#box")

    assert png_size(shot) == (80, 30)
    assert await color_at(driven, shot, 5, 5) == [0, 255, 0]


async def test_disabled_field_and_a_body_without_height_are_captured(driven: DrivenTab) -> None:
    await driven.open("/acting/disabled-field.html")

    field = await driven.do("screenshot", selector="#off")
    page = await driven.do("screenshot", selector="body")

    assert (field["width"], field["height"]) == (90, 30)
    assert page["height"] > 100


async def test_cancelled_screenshot_of_a_given_size_restores_the_tabs_size(driven: DrivenTab) -> None:
    await driven.write("<script>onresize = () => document.title = innerWidth</script>")
    before = await driven.page.evaluate("innerWidth")
    # The element is waited for while the window has the given size.
    shooting = asyncio.create_task(driven.ask("screenshot", width=321, selector="#none"))
    await driven.page.wait_for_function("innerWidth === 321")

    await driven.bridge.send({"type": "cancel", "id": str(driven.bridge.last_id)})

    assert "was canceled" in (await shooting)["error"]["message"]
    await driven.page.wait_for_function(f"innerWidth === {before}")


# In the service worker: this many screenshots fail with the error of a busy Chrome.
NOTHING_TO_COPY = """count => {
  const { debugger: cdp } = chrome;
  const real = (cdp.sendCommand.real ??= cdp.sendCommand);
  let left = count;
  const send = async (target, method, params) => {
    if (method !== "Page.captureScreenshot" || left === 0) return real.call(cdp, target, method, params);
    left -= 1;
    throw new Error('{"code":-32000,"message":"Unable to capture screenshot"}');
  };
  cdp.sendCommand = count ? Object.assign(send, { real }) : real;
}"""


async def test_screenshot_that_the_browser_cannot_take_yet_is_retried(driven: DrivenTab) -> None:
    await driven.write(RED)
    async with changed_worker(driven.page.context, NOTHING_TO_COPY, 2, 0):
        shot = await driven.do("screenshot")

    async with changed_worker(driven.page.context, NOTHING_TO_COPY, 1_000, 0):
        code, message = await driven.refused("screenshot")

    assert await color_at(driven, shot, 5, 5) == [255, 0, 0]
    assert code == "EXECUTION_ERROR"
    assert "Unable to capture screenshot" in message


async def test_missing_element_is_reported(driven: DrivenTab) -> None:
    await driven.write("<button id=add-to-cart>Buy</button>")

    code, message = await driven.refused("screenshot", selector="#add-cart")

    assert code == "ELEMENT_NOT_FOUND"
    assert "#add-to-cart" in message
    assert await driven.do("screenshot", selector="#add-to-cart")


# In the service worker: this many captures get no image; with several the window is minimized.
UNDRAWN = """count => {
  const { debugger: api, windows } = chrome;
  const send = (api.sendCommand.real ??= api.sendCommand);
  const get = (windows.get.real ??= windows.get);
  const undrawn = (...sent) =>
    sent[1] === "Page.captureScreenshot" && count-- > 0 ? new Promise(() => {}) : send.apply(api, sent);
  const minimized = async (id) => ({ ...(await get.call(windows, id)), state: "minimized" });
  api.sendCommand = count ? Object.assign(undrawn, { real: send }) : send;
  windows.get = count > 1 ? Object.assign(minimized, { real: get }) : get;
}"""


async def test_window_that_is_not_drawn_is_captured_again_and_is_an_error_if_it_is_minimized(driven: DrivenTab) -> None:
    context = driven.page.context
    async with changed_worker(context, UNDRAWN, 1, 0), changed_waits(context, {3_000: 100}):
        assert png_size(await driven.do("screenshot")) > (0, 0)

    async with changed_worker(context, UNDRAWN, 2, 0), changed_waits(context, {3_000: 100}):
        code, message = await driven.refused("screenshot")
    assert (code, "is minimized" in message) == ("EXECUTION_ERROR", True)
