"""Soak of several browsers on one server: two Chromium profiles and a Firefox, read by four sessions at once.

Reads tabs of all browsers and counts answers of the wrong tab, looks at tabs of changing browsers, and kills and restarts
each browser under load. `python -m bench.browsers` exits with 1 when anything was mixed up.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "packaging"))

from tests.support.several_browsers import SESSIONS, TABS, several_browsers


async def soak(reads: int, looks: int) -> bool:
    """Run everything once; print the figures and return whether nothing was mixed up."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        async with several_browsers(Path(name, "one"), 1, with_firefox=False) as scene:
            await scene.read_many(100)
            alone_ms = await scene.read_many(400)
        async with several_browsers(Path(name, "several")) as scene:
            await scene.read_many(100)
            together_ms = await scene.read_many(400, only=scene.profiles[0].name)
            browsers = len(scene.profiles)
            print(
                f"read a tab of one browser: {together_ms:.1f} ms with {browsers} connected, {alone_ms:.1f} ms with one"
            )
            begun, before = time.monotonic(), scene.reads
            await scene.read_many(reads)
            print(
                f"{scene.reads - before} reads from {SESSIONS} sessions over {TABS * browsers} tabs in "
                f"{time.monotonic() - begun:.0f} s: {scene.mixed_up} mixed up"
            )
            wrong = await scene.look_around(looks)
            print(f"{looks} looks at changing browsers: {wrong} times another tab was read")
            begun, before = time.monotonic(), scene.reads
            await scene.restart(*scene.profiles)
            print(
                f"each browser killed and restarted under load: {scene.reads - before} reads in "
                f"{time.monotonic() - begun:.0f} s, {scene.refused} refused with a sentence, {scene.mixed_up} mixed up"
            )
            return not scene.mixed_up and not wrong


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reads", type=int, default=1_000)
    parser.add_argument("--looks", type=int, default=50)
    given = parser.parse_args()
    sys.exit(0 if asyncio.run(soak(given.reads, given.looks)) else 1)
