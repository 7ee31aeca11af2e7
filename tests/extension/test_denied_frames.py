"""Frames of denied hosts on pages of allowed ones: not listed, not acted in, not in screenshots.

Each time next to a frame of an allowed host, where the same commands work.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from playwright.async_api import Frame

from tests.extension.conftest import DrivenTab, Driver, processes_of, shared_tab_at
from tests.extension.test_in_sight import prefer
from tests.support.fake_bridge import Message
from tests.support.polling import until

blank = shared_tab_at("/blank")
pytestmark = pytest.mark.usefixtures("patience")

HOSTS = ["bank.*"]
# Another site, and another host of the same site, whose frame shares the process of the page around it.
FAR, NEAR, FINE = "bank.localhost", "bank.shop.localhost", "fine.localhost"
FRAMED = """<!doctype html><title>Framed</title><body style="margin:0;background:{color}">
<button id=pay style="display:block;width:90px;height:30px;background:{color};border:0;color:black">Pay {name}</button>
<input id=card placeholder="Card of {name}"><p style="height:900px"></p><script>
  window.events = [];
  for (const type of ["pointerdown", "mousemove", "mouseup", "click", "wheel", "keydown", "keyup", "input", "dragover", "drop"])
    addEventListener(type, () => events.push(type), true);
</script>"""
# The denied frames of most pages, one of each host, by their names.
BANKS = {"bank": FAR, "branch": NEAR}
AROUND = """<body style="margin:0;background:lime"><button id=own>Own button</button><br>"""


@pytest.fixture(scope="module")
async def live_processes(driver: Driver) -> AsyncGenerator[None]:
    async with processes_of(driver, FAR, FINE, "shop.localhost"):
        yield


@pytest.fixture
async def page(live_processes: None, blank: DrivenTab) -> DrivenTab:  # noqa: ARG001 - it keeps processes
    """The tab, small: each pixel of a screenshot is looked at."""
    await blank.page.set_viewport_size({"width": 480, "height": 360})
    return blank


def address(page: DrivenTab, host: str, path: str) -> str:
    return page.site.url(path).replace("127.0.0.1", host)


def frame(page: DrivenTab, host: str, name: str, style: str = "") -> str:
    """The element of a frame: red (far) or magenta (near) if its host is denied, blue if it is allowed."""
    color = "blue" if host.startswith("fine.") else "magenta" if host == NEAR else "red"
    page.site.pages[f"/framed-{name}"] = FRAMED.format(name=name, color=color).encode()
    url = address(page, host, f"/framed-{name}")
    return (
        f"<iframe id={name} title='Frame {name}' src='{url}' style='width:120px;height:80px;border:0;{style}'></iframe>"
    )


def banks(page: DrivenTab, style: str = "") -> str:
    """The elements of the denied frames, far and near."""
    return "".join(frame(page, host, name, style) for name, host in BANKS.items())


async def show(page: DrivenTab, body: str, host: str = "shop.localhost") -> None:
    page.site.pages["/around"] = f"<!doctype html><title>Around</title>{AROUND}{body}".encode()
    await page.do("navigate", url=address(page, host, "/around"))


async def show_banks(page: DrivenTab) -> None:
    """Show turned frames, denied and allowed, behind a button each, unless the test before has left them there."""
    if await page.page.evaluate("globalThis.areBanksShown ?? false"):
        for name in (*BANKS, "fine"):
            await (await frame_of(page, name)).evaluate("card.value = ''; events.splice(0)")
        return
    style = "transform: rotate(20deg) scale(0.8); margin: 40px"
    before = "<button id=before-{0} style='position: absolute; right: 0; top: {1}px'>Before {0}</button>"
    page.site.extra_headers["/framed-failed"] = ("X-Frame-Options", "DENY")
    frames = [
        frame(page, FAR, "bank", style),
        before.format("branch", 0) + frame(page, NEAR, "branch", style),
        "<br>" + before.format("fine", 30) + frame(page, FINE, "fine", style),
        frame(page, FAR, "failed", "position: absolute; right: 0; top: 60px"),
        "<script>globalThis.areBanksShown = true</script>",
    ]
    await show_frames(page, "".join(frames), *BANKS, "fine")


async def show_frames(page: DrivenTab, body: str, *names: str) -> None:
    """Show a page and wait until these frames are loaded."""
    await show(page, body)
    for name in names:
        await frame_of(page, name)


async def frame_of(page: DrivenTab, name: str) -> Frame:
    async def look() -> Frame | None:
        return next((one for one in page.page.frames if one.url.endswith(f"/framed-{name}")), None)

    found = await until(look)
    await found.wait_for_load_state()
    return found


async def events_in(page: DrivenTab, name: str) -> list[str]:
    return await (await frame_of(page, name)).evaluate("events.splice(0)")


# In the extension's tab: which of the frames' colors a screenshot shows.
COLORS = """async ([type, data]) => {
  const image = await createImageBitmap(await (await fetch(`data:${type};base64,${data}`)).blob());
  const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
  canvas.drawImage(image, 0, 0);
  const pixels = new Uint32Array(canvas.getImageData(0, 0, image.width, image.height).data.buffer);
  // Areas have one color: looking at each pixel took longer than the screenshot.
  const different = new Set(pixels.filter((pixel, i) => pixel !== pixels[i - 1]));
  const found = new Set();
  for (const pixel of different) {
    const [red, green, blue] = [0, 8, 16].map((place) => (pixel >> place) & 255);
    if (red > 150 && green < 100 && blue < 100) found.add("red");
    if (red > 150 && green < 100 && blue > 150) found.add("magenta");
    if (blue > 150 && green < 100 && red < 100) found.add("blue");
    if (green > 150 && red < 100 && blue < 100) found.add("lime");
  }
  return [...found];
}"""


async def colors_in(page: DrivenTab, shot: Message) -> set[str]:
    return set(await page.popup.page.evaluate(COLORS, [shot["mime_type"], shot["data"]]))


class Denying:
    """The tab, whose commands carry the hosts that `[sites]` denies."""

    def __init__(self, page: DrivenTab) -> None:
        self.page = page
        self.params: dict[str, object] = {"denied_hosts": HOSTS}

    async def do(self, command: str, **params: object) -> Message:
        return await self.page.do(command, **params, **self.params)

    async def colors(self, **params: object) -> tuple[set[str], Message]:
        """The colors in all screenshots until the allowed frame is drawn, and the last screenshot."""
        seen: set[str] = set()

        async def look() -> Message | None:
            shot = await self.do("screenshot", **params)
            seen.update(await colors_in(self.page, shot))
            return shot if "blue" in seen else None

        last = await until(look)
        return seen, last

    async def blocked(self, command: str, **params: object) -> str:
        code, message = await self.page.refused(command, **params, **self.params)
        assert code == "HOST_BLOCKED", (command, params, message)
        return message

    @asynccontextmanager
    async def by_options(self) -> AsyncGenerator[None]:
        """Deny the hosts in the options instead; the extension makes one list of both."""
        await prefer(self.page.popup, deniedHosts=HOSTS)
        self.params = {}
        try:
            yield
        finally:
            await prefer(self.page.popup, deniedHosts=[])
            self.params = {"denied_hosts": HOSTS}


@pytest.fixture
def denying(page: DrivenTab) -> Denying:
    return Denying(page)


# --- Lists


async def test_list_leaves_out_frames_of_denied_hosts(denying: Denying) -> None:
    page = denying.page
    hidden = [*BANKS, "nested", "nested-near", "shadowed", "shadowed-near"]
    nested = frame(page, FAR, "nested") + frame(page, NEAR, "nested-near")
    shadowed = frame(page, FAR, "shadowed") + frame(page, NEAR, "shadowed-near")
    page.site.pages["/holding"] = f"<button>Around it</button>{nested}".encode()
    holding = f"<iframe id=holding width=300 height=200 src='{address(page, FINE, '/holding')}'></iframe>"
    await show_frames(
        page,
        f"{banks(page)}{frame(page, FINE, 'fine')}{holding}"
        "<iframe id=written srcdoc='<button>Written by the page</button>'></iframe>"
        "<iframe id=sandboxed sandbox=allow-scripts srcdoc='<button>Sandboxed by the page</button>'></iframe>"
        f"<div id=host></div><script>host.attachShadow({{mode: 'closed'}}).innerHTML = `{shadowed}`</script>",
        "fine",
        *hidden,
    )

    listed = (await denying.do("page_elements"))["text"]
    found = (await denying.do("page_elements", find="Pay"))["text"]

    for text in (listed, found):
        assert "Pay fine" in text
        assert not [name for name in hidden if name in text], text
    for own in ("Own button", "Around it", "Written by the page", "Sandboxed by the page"):
        assert own in listed
    for within in ("#bank", "#branch", "#holding >>> #nested", "#holding >>> #nested-near"):
        await denying.blocked("page_elements", within=f"{within} >>> body")
    assert "Pay fine" in (await denying.do("page_elements", within="#fine >>> body"))["text"]
    # The frames are there for clients that do not deny them, unless the user does.
    other = {"denied_hosts": ["other.example"]}
    whole = (await page.do("page_elements", **other))["text"]
    async with denying.by_options():
        denied = (await page.do("page_elements", **other))["text"]
        await denying.blocked("click", selector="#bank >>> #pay")
        await denying.blocked("click", selector="#bank", at=[40, 12])
        shown, _ = await denying.colors()
    for name in BANKS:
        assert (f"Pay {name}" in whole, f"Pay {name}" in denied) == (True, False)
    assert shown == {"lime", "blue"}


SELECTING: list[tuple[str, dict[str, object]]] = [
    ("click", {"selector": "#{} >>> #pay"}),
    ("hover", {"selector": "#{} >>> #pay"}),
    ("press", {"selector": "#{} >>> #card", "keys": "a"}),
    ("fill", {"selector": "#{} >>> #card", "value": "1"}),
    ("fill_form", {"fields": [{"selector": "#{} >>> #card", "value": "1"}]}),
    ("drag", {"source": "#{} >>> #pay", "target": "#own"}),
    ("drag", {"source": "#own", "target": "#{} >>> #pay"}),
    ("scroll", {"selector": "#{} >>> html", "to": "bottom"}),
    ("wait_for", {"selector": "#{} >>> #pay", "timeout": 5_000}),
    ("screenshot", {"selector": "#{} >>> #pay"}),
    ("screenshot", {"selector": "#{}"}),
    ("page_elements", {"within": "#{} >>> #pay"}),
]


def naming(params: Any, name: str) -> Any:
    if isinstance(params, str):
        return params.replace("{}", name)
    if isinstance(params, dict):
        return {key: naming(value, name) for key, value in params.items()}
    return [naming(value, name) for value in params] if isinstance(params, list) else params


async def test_selectors_do_not_lead_into_a_frame_of_a_denied_host(denying: Denying) -> None:
    page = denying.page
    await show_banks(page)

    for command, params in SELECTING:
        for name in BANKS:
            await denying.blocked(command, **naming(params, name))
        await denying.do(command, **naming(params, "fine"))

    read = await denying.do("read_tab", start=None, end=None)
    assert "Pay fine" in read["text"]
    for name in BANKS:
        assert await events_in(page, name) == []
        assert f"Pay {name}" not in read["text"]


async def test_frame_that_failed_to_load_a_denied_host_is_denied(denying: Denying) -> None:
    await show_banks(denying.page)

    await denying.blocked("click", selector="#failed >>> #pay")
    await denying.blocked("click", selector="#failed", at=[30, 10])
    await denying.do("click", selector="#fine", at=[30, 10])
    assert "failed" not in (await denying.do("page_elements"))["text"]


# --- Mouse and keyboard


async def test_mouse_does_nothing_in_a_frame_of_a_denied_host(denying: Denying) -> None:
    page = denying.page
    await show_banks(page)
    actions: list[tuple[str, dict[str, object]]] = [
        ("click", {"selector": "#{}", "at": [40, 12]}),
        ("click", {"selector": "#{}"}),
        ("click", {"selector": "#{}", "button": "right"}),
        ("hover", {"selector": "#{}", "at": [40, 12]}),
    ]
    for command, params in actions:
        for name in BANKS:
            await denying.blocked(command, **naming(params, name))
            assert await events_in(page, name) == []

        await denying.do(command, **naming(params, "fine"))
        assert await events_in(page, "fine")
    # The user's own next press reaches the page.
    await page.page.evaluate("own.onclick = () => (document.title = 'clicked')")
    await page.page.mouse.click(20, 10)
    assert await page.page.title() == "clicked"


async def test_keys_are_not_sent_to_a_frame_of_a_denied_host_that_has_the_focus(denying: Denying) -> None:
    page = denying.page
    await show_banks(page)
    fine = await frame_of(page, "fine")

    for name in BANKS:
        bank = await frame_of(page, name)
        await bank.evaluate("card.focus()")
        await denying.blocked("press", keys="a Enter")
        assert (await events_in(page, name), await bank.evaluate("card.value")) == ([], "")
        # A selector moves the focus to where keys are allowed.
        await denying.do("press", selector="#own", keys="a")
        assert await events_in(page, name) == []
    await fine.evaluate("card.focus()")
    await denying.do("press", keys="a")
    assert await fine.evaluate("card.value") == "a"


async def test_tab_key_may_lead_into_a_frame_of_a_denied_host_and_no_key_follows(denying: Denying) -> None:
    page = denying.page
    await show_banks(page)
    for name, button in (("bank", "#own"), ("branch", "#before-branch")):
        bank = await frame_of(page, name)
        led = await denying.do("press", selector=button, keys="Tab")
        assert "denied" in " ".join(led["notes"])
        await denying.blocked("press", keys="Enter")
        for keys in ("Tab Enter", "Tab Tab", 'Tab "abc"'):
            await denying.blocked("press", selector=button, keys=keys)
        assert (await events_in(page, name), await bank.evaluate("card.value")) == ([], "")

    fine = await frame_of(page, "fine")
    assert "notes" not in await denying.do("press", selector="#before-fine", keys="Tab")
    await until(lambda: fine.evaluate("document.hasFocus()"))
    assert "notes" not in await denying.do("press", keys="Tab a")
    assert await fine.evaluate("card.value") == "a"


async def test_drag_skips_a_frame_of_a_denied_host(denying: Denying) -> None:
    page = denying.page
    await show(
        page,
        frame(page, FAR, "bank", "display:block")
        + "<div id=below style='height:40px;width:300px'>Below</div><script>window.events = [];"
        "for (const type of ['mousedown', 'mouseup']) addEventListener(type, () => events.push(type))</script>",
    )
    await frame_of(page, "bank")

    for target in ({"target": "#bank"}, {"target_at": [20, 60]}):
        await denying.blocked("drag", source="#own", source_at=[20, 5], **target)
    await denying.blocked("drag", source="#bank", source_at=[40, 12], target="#own")
    assert await page.page.evaluate("events") == []
    await denying.do("drag", source="#own", source_at=[20, 5], target="#below", target_at=[20, 10])
    assert await page.page.evaluate("events") == ["mousedown", "mouseup"]
    assert await events_in(page, "bank") == []


async def test_page_scrolls_if_a_frame_of_a_denied_host_is_below_the_mouse(denying: Denying) -> None:
    page = denying.page
    cover = "position: fixed; inset: 0; width: 100%; height: 100%; opacity: 0.1"
    await show(page, f"{frame(page, FAR, 'bank', cover)}<p style='height: 9000px'></p>")

    result = await denying.do("scroll", to=500)

    assert result["scrolled"]["top"] == 500
    assert await events_in(page, "bank") == []


async def test_frame_of_a_denied_host_inside_an_allowed_one_takes_no_input(denying: Denying) -> None:
    page = denying.page
    page.site.pages["/holding"] = (
        f"<body style='margin:0'><button id=near style='width:90px;height:30px'>Near</button><br>"
        f"{frame(page, FAR, 'bank')}{frame(page, FINE, 'fine')}{frame(page, NEAR, 'branch')}"
    ).encode()
    url = address(page, FINE, "/holding")
    holding = f"<iframe id=holding width=400 height=200 src='{url}' style='border:5px solid'></iframe>"
    await show_frames(page, holding, *BANKS, "fine")

    for name, left in (("bank", 40), ("branch", 290)):
        await denying.blocked("click", selector="#holding", at=[left, 60])
        await denying.blocked("hover", selector=f"#holding >>> #{name}")
        await denying.blocked("click", selector=f"#holding >>> #{name}", at=[20, 10])
        await denying.blocked("screenshot", selector=f"#holding >>> #{name}")
        assert await events_in(page, name) == []
    await denying.do("click", selector="#holding", at=[170, 60])
    await denying.do("click", selector="#holding >>> #near")
    assert "click" in await events_in(page, "fine")

    for name in BANKS:
        await (await frame_of(page, name)).evaluate("card.focus()")
        await denying.blocked("press", keys="a")
        assert await events_in(page, name) == []
    await (await frame_of(page, "fine")).evaluate("card.focus()")
    await denying.do("press", keys="a")
    assert "keydown" in await events_in(page, "fine")


# --- Screenshots


# By the kind of a frame's surroundings: the group of frames on the page, and the style of its parts.
SURROUNDINGS = {
    "plain": ("plain", ""),
    "turned": ("plain", "#plain { transform: rotate(30deg) scale(1.3) skew(9deg); margin: 60px; width: 120px }"),
    "mirrored": ("plain", "#plain { -webkit-box-reflect: right; filter: drop-shadow(0 0 9px black) }"),
    "shown by force": ("plain", "iframe { opacity: 1 !important; transition: all 1s !important }"),
    "moving": (
        "plain",
        "@keyframes go { to { margin-left: 200px; opacity: 0.9 } } #plain { animation: go 0.4s linear infinite alternate }",
    ),
    "zoomed": ("plain", "#plain { zoom: 1.7 }"),
    "shadowed": ("shadowed", ""),
    "in a frame of the page": ("framed", ""),
}
GROUPS = """<div id=plain>{plain}</div><div id=shadowed></div>
<div id=framed><iframe id=same width=300 height=150></iframe></div><style id=kind></style><script>
  shadowed.attachShadow({{ mode: "closed" }}).innerHTML = `{shadowed}`;
  same.contentDocument.body.innerHTML = `{framed}`;
  const show = (group, style) => {{
    for (const each of [plain, shadowed, framed]) each.hidden = each.id !== group;
    kind.textContent = style;
  }};
</script><div style='position:absolute;inset:0'></div>"""


async def test_screenshot_shows_nothing_of_a_frame_of_a_denied_host(denying: Denying) -> None:
    page = denying.page
    names = {group: [f"{group}-{name}" for name in BANKS] for group in ("plain", "shadowed", "framed")}
    groups = {group: frame(page, FAR, far) + frame(page, NEAR, near) for group, (far, near) in names.items()}
    await show_frames(
        page, GROUPS.format(**groups) + frame(page, FINE, "fine"), *(name for two in names.values() for name in two)
    )

    for kind, (group, style) in SURROUNDINGS.items():
        await page.page.evaluate("([group, style]) => show(group, style)", [group, style])
        shown, shot = await denying.colors()
        assert (kind, shown) == (kind, {"lime", "blue"})
        assert (kind, "left out" in " ".join(shot["notes"])) == (kind, True)

        # Afterwards the frame is as it was, for the user and for clients that do not deny it.
        async def shows_all() -> bool:
            shown = await page.do("screenshot")
            return "notes" not in shown and await colors_in(page, shown) == {"lime", "blue", "red", "magenta"}

        await until(shows_all)


async def test_frame_with_document_domain_still_belongs_to_its_denied_host(denying: Denying) -> None:
    page = denying.page
    # On its own site: the browser decides once per origin whether others may reach it.
    paths = ("/around", "/framed-bank", "/framed-fine")
    page.site.extra_headers |= dict.fromkeys(paths, ("Origin-Agent-Cluster", "?0"))
    framed = frame(page, "bank.reach.localhost", "bank") + frame(page, "fine.reach.localhost", "fine")
    relaxed = "<script>document.domain = 'reach.localhost'</script>"
    for path in paths[1:]:
        page.site.pages[path] += f"{relaxed}<p>Account {path}".encode()
    await show(page, framed + relaxed, "reach.localhost")
    for path in paths:
        del page.site.extra_headers[path]
    for name in ("bank", "fine"):
        await frame_of(page, name)
    assert await page.page.evaluate("bank.contentDocument !== null")

    for name in ("bank", "fine"):
        await (await frame_of(page, name)).evaluate("getSelection().selectAllChildren(document.body)")
    selected = await page.ask("read_tab", content="selection", **denying.params)
    assert "Account /framed-bank" not in str(selected)
    assert "Account /framed-fine" in str(selected)
    text = (await denying.do("page_elements"))["text"]
    assert ("Pay fine" in text, "Pay bank" in text) == (True, False)
    for selector in ("#{} >>> #pay", "#{}"):
        await denying.blocked("click", selector=naming(selector, "bank"))
        await denying.do("click", selector=naming(selector, "fine"))
    assert await events_in(page, "bank") == []
    assert (await denying.colors())[0] == {"lime", "blue"}


async def test_snapshots_of_a_view_transition_show_no_frame_of_a_denied_host(page: DrivenTab) -> None:
    slow = (
        "<style>::view-transition-old(*) { animation: none; opacity: 1 } ::view-transition-new(*) { animation: none; "
    )
    slow += "opacity: 0 } ::view-transition-group(*) { animation-duration: 60s }</style>"
    await show(page, frame(page, FAR, "bank") + slow)
    await frame_of(page, "bank")

    async def shows_red() -> bool:
        return "red" in await colors_in(page, await page.do("screenshot"))

    await until(shows_red)
    await page.page.evaluate("document.startViewTransition(() => (bank.style.height = '81px')).ready")
    # The frame itself is hidden, and its snapshot is still there.
    await page.page.evaluate("bank.style.display = 'none'")
    assert await shows_red()

    assert "red" not in await colors_in(page, await page.do("screenshot", denied_hosts=HOSTS))


async def test_screenshot_of_each_size_shows_nothing_of_a_frame_of_a_denied_host(denying: Denying) -> None:
    page = denying.page
    frames = frame(page, FAR, "bank") + frame(page, FINE, "fine")
    await show_frames(page, f"<div id=tall>{frames}<p style='height: 3000px'></p></div>", "bank", "fine")

    # The last one extends beyond the viewport.
    for params in ({"width": 700, "height": 500}, {"selector": "#tall"}):
        shown, shot = await denying.colors(**params)
        assert (params, shown) == (params, {"lime", "blue"})
    assert shot["height"] > 3000

    # In the background.
    await page.popup.page.bring_to_front()
    assert (await denying.colors())[0] == {"lime", "blue"}
    await page.page.bring_to_front()


async def test_screenshot_and_mouse_leave_out_every_kind_of_frame(denying: Denying) -> None:
    page = denying.page
    kinds = {"object": "data", "embed": "src"}
    framed = "".join(
        frame(page, FAR, f"bank-{tag}")
        .replace("<iframe", f"<{tag} type=text/html")
        .replace(" src=", f" {attribute}=")
        .replace("</iframe>", f"</{tag}>")
        for tag, attribute in kinds.items()
    )
    names = [f"bank-{tag}" for tag in kinds]
    await show_frames(page, f"{framed}<br>{frame(page, FINE, 'fine')}", *names, "fine")

    assert (await denying.colors())[0] == {"lime", "blue"}
    for name in names:
        await denying.blocked("click", selector=f"#{name}")
        assert (name, await events_in(page, name)) == (name, [])
    await denying.do("click", selector="#fine >>> #pay")


async def test_frameset_of_a_denied_host_is_left_out(denying: Denying) -> None:
    page = denying.page
    cells = "".join(frame(page, host, name) for host, name in ((FAR, "bank"), (FINE, "fine")))
    framed = cells.replace("<iframe", "<frame").replace("</iframe>", "")
    page.site.pages["/set"] = f"<title>Set</title><frameset cols='50%,50%'>{framed}</frameset>".encode()
    await page.do("navigate", url=address(page, "shop.localhost", "/set"))

    assert (await denying.colors())[0] == {"blue"}
    await denying.blocked("click", selector="#bank")
    await denying.do("click", selector="#fine")
    text = (await denying.do("page_elements"))["text"]
    assert ("Pay fine" in text, "Pay bank" in text) == (True, False)


async def test_screenshot_shows_an_allowed_frame_without_the_denied_one_inside(denying: Denying) -> None:
    page = denying.page
    page.site.pages["/holding"] = frame(page, FAR, "bank").encode()
    page.site.pages["/hiding"] = (
        f"<body style='background: blue'>{frame(page, FAR, 'unseen', 'display: none')}".encode()
    )
    await show(
        page,
        "".join(f"<iframe src='{address(page, FINE, path)}'></iframe>" for path in ("/holding", "/hiding")),
    )
    for name in ("bank", "unseen"):
        await frame_of(page, name)

    assert (await denying.colors())[0] == {"lime", "blue"}
