"""Two Chromium profiles and a Firefox on one server: nothing is read from the wrong one, also while one is killed."""

from pathlib import Path

from tests.support.several_browsers import several_browsers


async def test_no_read_of_several_browsers_is_mixed_up_also_when_one_is_killed_and_comes_back(tmp_path: Path) -> None:
    async with several_browsers(tmp_path, sessions=2) as scene:
        await scene.read_many(40)
        assert await scene.look_around(9) == 0
        await scene.restart(scene.profiles[0])

    assert scene.mixed_up == 0
    assert scene.reads > 40
