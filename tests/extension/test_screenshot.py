"""Pictures of a page: of what is seen, of an element as a whole, and in a given size."""

import asyncio
import base64
import struct

import pytest

from tests.extension.conftest import DrivenTab, changed_worker
from tests.support.fake_bridge import Message

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
    """What a browser sees at that pixel of the picture."""
    return await tab.popup.page.evaluate(
        """async ([type, data, x, y]) => {
            const image = await createImageBitmap(await (await fetch(`data:${type};base64,${data}`)).blob());
            const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
            canvas.drawImage(image, 0, 0);
            return [...canvas.getImageData(x, y, 1, 1).data].slice(0, 3);
        }""",
        [shot["mime_type"], shot["data"], x, y],
    )


async def test_viewport_is_pictured_as_it_is(driven: DrivenTab) -> None:
    await driven.show(RED)
    size = "[innerWidth, innerHeight]"
    # The browser's bar about the debugger slides in when it will: then the window has another size afterwards.
    seen, after, shot = [], None, {}
    while seen != after:
        seen = await driven.page.evaluate(size)
        shot = await driven.do("screenshot")
        after = await driven.page.evaluate(size)

    assert png_size(shot) == tuple(seen) == (shot["width"], shot["height"])
    assert await color_at(driven, shot, 5, 5) == [255, 0, 0]


async def test_tab_in_the_background_is_pictured_too(driven: DrivenTab) -> None:
    await driven.show(RED)
    await driven.bridge.ask("browser_create_tab", url=driven.site.url("/two"))

    assert await color_at(driven, await driven.do("screenshot"), 5, 5) == [255, 0, 0]


async def test_element_is_pictured_as_a_whole_also_beyond_the_viewport(driven: DrivenTab) -> None:
    await driven.show(
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
async def test_given_size_is_the_page_in_a_window_of_that_size(
    driven: DrivenTab, size: dict[str, int], expected: tuple[int, int]
) -> None:
    await driven.show(
        "<style>body { margin: 0; background: blue; height: 3000px } @media (width = 400px) { body { background: lime } }</style>"
    )

    shot = await driven.do("screenshot", **size)

    assert png_size(shot) == expected
    assert await color_at(driven, shot, 5, 5) == ([0, 255, 0] if size["width"] == 400 else [0, 0, 255])
    assert await driven.page.evaluate("[innerWidth, innerHeight]") != list(expected)


async def test_picture_that_is_too_large_is_made_smaller_with_a_note(driven: DrivenTab) -> None:
    # Noise is what no picture format makes small.
    await driven.show("""<body style='margin:0'><canvas id=noise width=1600 height=1600></canvas><script>
        const context = noise.getContext("2d");
        const pixels = context.createImageData(1600, 1600);
        for (let i = 0; i < pixels.data.length; i += 1) pixels.data[i] = Math.random() * 256;
        context.putImageData(pixels, 0, 0);
    </script>""")

    shot = await driven.do("screenshot", selector="#noise")

    assert shot["mime_type"] == "image/webp"
    assert image_of(shot)[8:12] == b"WEBP"
    assert len(shot["data"]) <= 2_000_000
    assert shot["width"] < 1600
    assert any("smaller" in note for note in shot["notes"])
    assert "notes" not in await driven.do("screenshot", width=100, height=100)


async def test_long_element_is_made_smaller_to_a_side_that_clients_take(driven: DrivenTab) -> None:
    await driven.show("<body style='margin:0'><div id=long style='width:50px;height:9000px;background:red'></div>")

    shot = await driven.do("screenshot", selector="#long")

    assert png_size(shot)[1] == 4000
    assert any("2.25 CSS pixels" in note for note in shot["notes"])


@pytest.mark.parametrize("size", [{"width": 0}, {"height": 4001}, {"width": "400"}, {"height": 1.5}])
async def test_senseless_size_is_refused(blank: DrivenTab, size: dict[str, object]) -> None:
    code, message = await blank.refused("screenshot", **size)

    assert code == "INVALID_ARGUMENT"
    assert "4000" in message
    assert png_size(await blank.do("screenshot", width=4, height=4000)) == (4, 4000)


async def test_hidden_control_is_pictured_by_its_label(driven: DrivenTab) -> None:
    await driven.show(
        "<body style='margin:0'><input type=checkbox id=box hidden>"
        "<label for=box style='display:block;width:80px;height:30px;background:lime'></label>"
    )

    shot = await driven.do("screenshot", selector="#box")

    assert png_size(shot) == (80, 30)
    assert await color_at(driven, shot, 5, 5) == [0, 255, 0]


async def test_disabled_field_and_a_body_without_height_are_pictured(driven: DrivenTab) -> None:
    await driven.show(
        "<body style='margin: 0'><div style='position: absolute; inset: 0'><fieldset disabled><input id=off "
        "style='width: 90px; height: 30px; box-sizing: border-box'></fieldset></div>"
    )

    field = await driven.do("screenshot", selector="#off")
    page = await driven.do("screenshot", selector="body")

    assert (field["width"], field["height"]) == (90, 30)
    assert page["height"] > 100


async def test_sized_picture_that_no_one_waits_for_leaves_the_tab_its_size(driven: DrivenTab) -> None:
    await driven.show("<script>onresize = () => document.title = innerWidth</script>")
    before = await driven.page.evaluate("innerWidth")
    # The element is waited for while the window has the given size.
    shooting = asyncio.create_task(driven.ask("screenshot", width=321, selector="#none"))
    await driven.page.wait_for_function("innerWidth === 321")

    await driven.bridge.send({"type": "cancel", "id": str(driven.bridge.last_id)})

    assert "was canceled" in (await shooting)["error"]["message"]
    await driven.page.wait_for_function(f"innerWidth === {before}")


# In the service worker: so many pictures come to nothing, with what a busy Chrome says then.
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


async def test_picture_that_the_browser_has_not_got_yet_is_taken_again(driven: DrivenTab) -> None:
    await driven.show(RED)
    async with changed_worker(driven.page.context, NOTHING_TO_COPY, 2, 0):
        shot = await driven.do("screenshot")

    async with changed_worker(driven.page.context, NOTHING_TO_COPY, 1_000, 0):
        code, message = await driven.refused("screenshot")

    assert await color_at(driven, shot, 5, 5) == [255, 0, 0]
    assert code == "EXECUTION_ERROR"
    assert "Unable to capture screenshot" in message


async def test_element_that_is_not_there_is_said_not_to_be(driven: DrivenTab) -> None:
    await driven.show("<button id=add-to-cart>Buy</button>")

    code, message = await driven.refused("screenshot", selector="#add-cart")

    assert code == "ELEMENT_NOT_FOUND"
    assert "#add-to-cart" in message
    assert await driven.do("screenshot", selector="#add-to-cart")
