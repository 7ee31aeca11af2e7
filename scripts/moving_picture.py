"""The picture that moves, from a real run: a question in the terminal, the tab, the answer as it comes.

The words and the pauses between them are those of the run; only what is longer than `MAX_PAUSE_MS` is shortened.
"""

import asyncio
import base64
import io
import itertools
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from PIL import Image
from playwright.async_api import BrowserContext, Page, ViewportSize

from demo.server import SERVER

STAGE = Path(__file__).resolve().with_name("stage.html")
SIZE: ViewportSize = {"width": 880, "height": 396}
TAB: ViewportSize = {"width": 640, "height": 524}
QUESTION = "When is the vote, and where?"
# So small a model is right about a few lines at most, and not every time: what marks the page for it is new each time.
PART = {"--start": "fishing cooperative", "--end": "If the council"}
ANSWER_S = 120
TYPED_MS = 60
MAX_PAUSE_MS = 900
END_MS = 5_000
# Text on plain ground: what more colours add is not seen.
COLOURS = 48


class Moment(NamedTuple):
    """What the terminal shows, and for how long."""

    question: str
    answer: str
    end: str
    shown_ms: int


class Piece(NamedTuple):
    """What the answer holds by then, and the pause before its last words, in ms."""

    text: str
    pause_ms: int


async def asked(environment: Mapping[str, str]) -> tuple[list[Piece], str]:
    """Ask in the terminal; return the answer as it grew, and the line that says what was read.

    Raises RuntimeError with what the program says when it fails.
    """
    command = ["uv", "run", "--quiet", str(SERVER), "--analyze", QUESTION, *itertools.chain(*PART.items())]
    process = await asyncio.create_subprocess_exec(
        *command, env=dict(environment), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    assert process.stdout
    assert process.stderr
    pieces: list[Piece] = []
    text, before = "", time.monotonic()
    async with asyncio.timeout(ANSWER_S):
        while read := await process.stdout.read(4096):
            text, now = text + read.decode(), time.monotonic()
            pieces.append(Piece(text, round((now - before) * 1000)))
            before = now
        said = (await process.stderr.read()).decode().strip()
    if await process.wait():
        raise RuntimeError(f"The question was not answered: {said}")
    return pieces, said.splitlines()[-1]


def moments(pieces: list[Piece], end: str) -> list[Moment]:
    """Return what is to be seen, one after another: the question as it is typed, the answer as it came."""
    command = " ".join(
        [f'uv run {SERVER.name} --analyze "{QUESTION}"', *(f'{flag} "{at}"' for flag, at in PART.items())]
    )
    typed = [Moment(command[:length], "", "", TYPED_MS) for length in range(0, len(command), 2)]
    waits = [min(piece.pause_ms, MAX_PAUSE_MS) for piece in pieces]
    before = ["", *(piece.text for piece in pieces)]
    came = [Moment(command, text, "", wait) for text, wait in zip(before, [*waits, MAX_PAUSE_MS], strict=True)]
    return [*typed, *came, Moment(command, pieces[-1].text, end, END_MS)]


async def frame(stage: Page, moment: Moment) -> Image.Image:
    """Return the stage as it looks at that moment."""
    await stage.evaluate(
        """([question, answer, end]) => {
            for (const [id, text] of Object.entries({ question, answer, end })) {
                document.getElementById(id).textContent = text;
            }
            document.getElementById("cursor").hidden = answer !== "";
        }""",
        [moment.question, moment.answer, moment.end],
    )
    return Image.open(io.BytesIO(await stage.screenshot())).convert("RGB")


def keep(frames: list[Image.Image], shown_ms: list[int], path: Path) -> None:
    """Write an animated PNG that begins again for ever; its frames share one palette."""
    palette = frames[-1].quantize(COLOURS)
    first, *others = [each.quantize(palette=palette, dither=Image.Dither.NONE) for each in frames]
    first.save(path, save_all=True, append_images=others, duration=shown_ms, loop=0, optimize=True)


async def take_moving_picture(
    browser: BrowserContext, shown: Page, environment: Mapping[str, str], folder: Path
) -> None:
    """Ask about the page that is shown, and keep what there was to be seen, light and dark."""
    before = shown.viewport_size
    await shown.set_viewport_size(TAB)
    await shown.bring_to_front()
    await shown.get_by_text(PART["--start"]).scroll_into_view_if_needed()
    await shown.mouse.wheel(0, 2_000)
    pieces, end = await asked(environment)
    tab = base64.b64encode(await shown.screenshot()).decode()
    await shown.evaluate("scrollTo(0, 0)")
    if before:
        await shown.set_viewport_size(before)
    stage = await browser.new_page()
    await stage.set_viewport_size(SIZE)
    await stage.goto(STAGE.as_uri())
    await stage.evaluate(
        """async ([title, picture]) => {
            document.getElementById("title").textContent = title;
            const image = document.getElementById("tab");
            image.src = picture;
            await image.decode();
        }""",
        [await shown.title(), f"data:image/png;base64,{tab}"],
    )
    play = moments(pieces, end)
    for scheme in ("light", "dark"):
        await stage.emulate_media(color_scheme=scheme)
        frames = [await frame(stage, moment) for moment in play]
        keep(frames, [moment.shown_ms for moment in play], folder / f"answer-{scheme}.png")
    await stage.close()
