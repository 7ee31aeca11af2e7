"""Record the README's animation in a real run: a page in a tab, a question in Claude Code, the local model's answer.

Claude Code, the server and the demo's tiny model are real; only Anthropic's API is scripted. The words and the pauses
between them are those of the run; pauses longer than `MAX_PAUSE_MS` are shortened.
"""

import asyncio
import base64
import io
import json
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image
from playwright.async_api import BrowserContext, Page, ViewportSize

from demo.server import SERVER
from demo.web import serving
from scripts.scripted_api import TOOL, ScriptedApi

STAGE = Path(__file__).resolve().with_name("stage.html")
OVERHEARD = Path(__file__).resolve().with_name("overheard.py")
CLAUDE = ["npm", "exec", "--yes", "--package=@anthropic-ai/claude-code@2", "--", "claude"]
SIZE: ViewportSize = {"width": 880, "height": 420}
TAB: ViewportSize = {"width": 640, "height": 560}
# Such a small model is right about a few lines at most, and not every time: the page's delimiter differs each time.
QUESTION = "When and where is the vote? Answer in one sentence."
NIGHTS = 120
ANSWER_S = 900
TYPED_MS = 60
MAX_PAUSE_MS = 700
READING_FRAMES = 24
END_MS = 6_000
# Text on a plain background: more colors make no visible difference.
COLORS = 64
# The demo's article, with a log too long to read in full.
MAKE_LONG = """(nights) => {
    const weathers = ["calm", "fog", "wind from the west", "rain", "snow", "clear"];
    const rows = Array.from({ length: nights }, (_, night) => {
        const day = new Date(Date.UTC(2025, 2, 14 + night));
        const date = day.toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
        const cells = [date, 60 + ((night * 37) % 181), 8 + ((night * 17) % 45), `06:${10 + ((night * 7) % 50)}`,
                       weathers[(night * 5) % 6]];
        return `<tr><th scope="row">${cells[0]}</th>${cells.slice(1).map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
    });
    const heads = ["Night", "Passengers", "Cars", "Arrived", "Weather"].map((head) => `<th scope="col">${head}</th>`);
    const next = [...document.querySelectorAll("h2")].find((heading) => heading.textContent.startsWith("Ice"));
    next.insertAdjacentHTML("beforebegin",
        `<h2>Log of the crossings</h2><table><thead><tr>${heads.join("")}</tr></thead><tbody>${rows.join("")}</tbody></table>`);
}"""


class Run(NamedTuple):
    """The messages between Claude Code and the server: `pauses_ms` before each progress message, and the result."""

    progress: list[str]
    pauses_ms: list[int]
    answer: str
    receipt: dict[str, Any]


class Moment(NamedTuple):
    """The content of the stage, and for how long it is shown; `read` is the share of the page that has been read."""

    question: str
    call: str
    model: str
    answer: str
    end: str
    read: float
    shown_ms: int


async def asked(environment: Mapping[str, str], folder: Path) -> Run:
    """Ask in Claude Code; return what its client and the server have exchanged.

    Raises RuntimeError with the output of Claude Code if it does not answer.
    """
    log = folder / "overheard.jsonl"
    command = [str(OVERHEARD), str(log), "uv", "run", "--quiet", str(SERVER)]
    settings = {"mcpServers": {"chrome-tab-reader": {"command": sys.executable, "args": command}}}
    config = folder / "mcp.json"
    config.write_text(json.dumps(settings), encoding="utf-8")
    arguments = ["-p", QUESTION, "--mcp-config", str(config), "--strict-mcp-config", "--allowed-tools", TOOL]
    with serving(ScriptedApi(QUESTION)) as address:
        ours = {
            "ANTHROPIC_BASE_URL": address.rstrip("/"),
            "ANTHROPIC_API_KEY": "sk-ant-none",
            "DISABLE_AUTOUPDATER": "1",
        }
        ours |= {"CLAUDE_CONFIG_DIR": str(folder / "claude"), "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
        ours |= {"CLAUDE_CODE_DISABLE_MCP_TASKS": "1"}
        process = await asyncio.create_subprocess_exec(
            *CLAUDE,
            *arguments,
            cwd=folder,
            env={**environment, **ours},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        async with asyncio.timeout(ANSWER_S):
            printed, _ = await process.communicate()
    run = run_of(log.read_text(encoding="utf-8") if log.exists() else "")
    if run is None or process.returncode:
        raise RuntimeError(f"Claude Code did not get an answer: {printed.decode()}")
    return run


def run_of(log: str) -> Run | None:
    """Return what a log of `overheard.py` contains about the call; None without its result."""
    progress, pauses, called, before = list[str](), list[int](), None, 0.0
    for line in log.splitlines():
        at, _, text = line.partition(" ")
        message = json.loads(text)
        if message.get("method") == "tools/call":
            called, before = message["id"], float(at)
        elif message.get("method") == "notifications/progress" and called is not None:
            progress.append(message["params"].get("message", ""))
            pauses.append(round((float(at) - before) * 1000))
            before = float(at)
        elif called is not None and message.get("id") == called and "result" in message:
            result = message["result"]
            text = result["content"][0]["text"]
            return None if result.get("isError") else Run(progress, pauses, text, result["_meta"]["receipt"])
    return None


def moments(run: Run) -> list[Moment]:
    """Return the frames in order: the question as it is typed, the page being read, the answer."""
    model = run.receipt["model"]
    call = f'chrome-tab-reader - process_chrome_tab (MCP)(system_prompt: "{QUESTION}")'
    typed = [Moment(QUESTION[:length], "", "", "", "", 0, TYPED_MS) for length in range(0, len(QUESTION) + 1, 2)]
    steps = list(zip(run.progress, run.pauses_ms, strict=True))
    # Each second brings a message: show as many as the eye can distinguish.
    shown = steps[:: max(1, len(steps) // READING_FRAMES)]
    reading = [
        Moment(QUESTION, call, step, "", "", index / max(1, len(shown) - 1), min(pause, MAX_PAUSE_MS) or TYPED_MS)
        for index, (step, pause) in enumerate(shown)
    ]
    answer, _, _ = run.answer.partition("\n\n(read ")
    read = f"{model} has read {run.receipt['characters_read']:,} of {run.receipt['page_characters']:,} characters"
    answered = Moment(QUESTION, call, read, answer, "", 1, 1_200)
    spared = f"{run.receipt['spared_tokens']:,} tokens less for Claude: it got the answer, not the page"
    return [*typed, *reading, answered, answered._replace(end=spared, shown_ms=END_MS)]


async def frame(stage: Page, moment: Moment) -> Image.Image:
    """Return a screenshot of the stage at that moment."""
    await stage.evaluate("(moment) => show(...moment)", list(moment)[:-1])
    return Image.open(io.BytesIO(await stage.screenshot())).convert("RGB")


def keep(frames: list[Image.Image], shown_ms: list[int], path: Path) -> None:
    """Write an animated PNG that loops forever; its frames share one palette."""
    palette = frames[-1].quantize(COLORS)
    first, *others = [each.quantize(palette=palette, dither=Image.Dither.NONE) for each in frames]
    first.save(path, save_all=True, append_images=others, duration=shown_ms, loop=0, optimize=True)


async def take_moving_picture(
    browser: BrowserContext, shown: Page, environment: Mapping[str, str], folder: Path
) -> None:
    """Ask about the displayed page, made long, and record the run, light and dark."""
    before = shown.viewport_size
    await shown.set_viewport_size(TAB)
    await shown.evaluate(MAKE_LONG, NIGHTS)
    await shown.bring_to_front()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        run = await asked(environment, Path(scratch))
    print(f"Claude Code was answered: {run.answer}")
    tab = base64.b64encode(await shown.screenshot(full_page=True)).decode()
    title = await shown.title()
    await shown.reload()
    if before:
        await shown.set_viewport_size(before)
    stage = await browser.new_page()
    await stage.set_viewport_size(SIZE)
    await stage.goto(STAGE.as_uri())
    await stage.evaluate("(about) => prepare(...about)", [title, f"data:image/png;base64,{tab}"])
    play = moments(run)
    for scheme in ("light", "dark"):
        await stage.emulate_media(color_scheme=scheme)
        frames = [await frame(stage, moment) for moment in play]
        keep(frames, [moment.shown_ms for moment in play], folder / f"answer-{scheme}.png")
    await stage.close()
