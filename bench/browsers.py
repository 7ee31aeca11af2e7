"""Several browsers on one server: two Chromium profiles and a Firefox, read by four sessions at once.

Reads tabs of all browsers and counts answers from the wrong tab, views tabs of changing browsers, kills and restarts
each browser under load, and compares start, read and click with those of one browser. `python -m bench.browsers` exits
with 1 if anything was mixed up or is slower.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "packaging"))

from tests.support.several_browsers import SESSIONS, TABS, several_browsers

# How much slower a call may be with several browsers connected: the difference between two identical runs here.
MAX_RATIO = 1.15
LOOK_S = 1.0  # by then the event of a view must have been processed


async def soak(reads: int, looks: int, rounds: int) -> bool:
    """Run everything once; print the figures and return whether nothing was mixed up and nothing is slower."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        async with several_browsers(Path(name, "several")) as scene:
            browsers = len(scene.profiles)
            ratios: list[float] = []
            for what, (together_s, alone_s) in (await scene.compare(rounds)).items():
                ratios.append(together_s / alone_s)
                print(
                    f"{what}: {together_s * 1000:.1f} ms with {browsers} browsers, {alone_s * 1000:.1f} ms with one, "
                    f"ratio {ratios[-1]:.2f}, limit {MAX_RATIO}"
                )
            begun, before = time.monotonic(), scene.reads
            await scene.read_many(reads)
            print(
                f"{scene.reads - before} reads from {SESSIONS} sessions over {TABS * browsers} tabs in "
                f"{time.monotonic() - begun:.0f} s: {scene.mixed_up} mixed up"
            )
            await scene.look_around(looks)
            late = sum(each > LOOK_S for each in scene.look_s)
            print(
                f"{looks} looks at changing browsers: {late} times another tab was read after {LOOK_S:g} s; the right one "
                f"came {max(scene.look_s) * 1000:.0f} ms after the look at the latest"
            )
            begun, before = time.monotonic(), scene.reads
            await scene.restart(*scene.profiles)
            print(
                f"each browser killed and restarted under load: {scene.reads - before} reads in "
                f"{time.monotonic() - begun:.0f} s, {scene.refused} refused with a sentence, {scene.mixed_up} mixed up; "
                f"slowest read of another browser meanwhile {scene.slowest_s:.2f} s"
            )
            return not scene.mixed_up and not late and max(ratios) <= MAX_RATIO


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reads", type=int, default=1_000)
    parser.add_argument("--looks", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=8, help="of starts, reads and clicks with and without the others")
    given = parser.parse_args()
    sys.exit(0 if asyncio.run(soak(given.reads, given.looks, given.rounds)) else 1)
