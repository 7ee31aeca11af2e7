"""Real browser profiles on one server: nothing is read from the wrong one, even if one is killed, hangs or is a copy."""

import json
from collections.abc import AsyncGenerator

import pytest

from tests.support.several_browsers import ChromiumProfile, Scene, several_browsers

# The scene is expensive: in several groups, each would start its own.
pytestmark = pytest.mark.xdist_group("browsers")


@pytest.fixture(scope="module")
async def scene(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Scene]:
    """Two Chromium profiles for several tests: starting them takes longer than such a test."""
    async with several_browsers(tmp_path_factory.mktemp("browsers"), sessions=2, has_firefox=False) as scene:
        yield scene


def chromium(scene: Scene, number: int) -> ChromiumProfile:
    profile = scene.profiles[number]
    assert isinstance(profile, ChromiumProfile)
    return profile


async def names(scene: Scene) -> dict[str, str]:
    """Return the name of each profile, by the page that is open in it."""
    return {tab["title"].partition("-")[0]: tab["browser"] for tab in await scene.listed() if "-" in tab["title"]}


async def attached(scene: Scene) -> list[tuple[int, str]]:
    """Return the id and the browser of each attached tab."""
    listed = await scene.sessions[0].call("list_tabs")
    return [(tab["tab_id"], tab["browser"]) for tab in json.loads(listed["content"][0]["text"])]


async def test_a_suspended_profile_does_not_affect_the_others_and_is_named_in_the_list(scene: Scene) -> None:
    tabs = await scene.all_tabs()
    others = {number: title for number, title in tabs.items() if not title.startswith(scene.profiles[1].name)}
    with chromium(scene, 1).suspended():
        for _ in range(5):
            await scene.read(scene.sessions[0], others)
        listed = await scene.control.call("browser_get_tabs")
        assert {tab["id"] for tab in json.loads(listed["content"][0]["text"])} >= others.keys()
        assert listed["content"][1]["text"] == "[Chromium 2 did not respond: their tabs are not listed.]"
    assert await scene.all_tabs() == tabs
    assert scene.mixed_up == 0


async def test_stop_attachments_and_activity_are_per_profile(scene: Scene) -> None:
    session = scene.sessions[0]
    address = next(tab["url"] for tab in await scene.listed() if tab["title"] == "chromiuma-0").replace("-0", "-made")
    made_ids: list[int] = []
    for browser in ("Chromium", "Chromium 2"):
        made = await session.call("browser_create_tab", url=address, browser=browser)
        made_ids.append(made["structuredContent"]["tab_id"])
    await session.call("page_elements", tab_id=made_ids[1])

    await chromium(scene, 0).stop()
    await chromium(scene, 1).log_with("page_elements")
    assert "page_elements" not in await chromium(scene, 0).log_with("browser_create_tab")
    first, second = [await session.call("click", selector="p", tab_id=number) for number in made_ids]
    assert first["structuredContent"]["error"]["code"] == "TAB_NOT_ATTACHED"
    assert not second.get("isError")
    assert await attached(scene) == [(made_ids[1], "Chromium 2")]
    for number in made_ids:
        await session.call("browser_close_tab", tab_id=number)


async def test_reads_are_never_mixed_up_even_if_one_restarts_and_a_copy_of_its_profile_starts(scene: Scene) -> None:
    session = scene.sessions[0]
    original = chromium(scene, 0)
    names_before = await names(scene)
    address = next(tab["url"] for tab in await scene.listed() if tab["title"] == "chromiuma-0").replace("-0", "-made")
    await session.call("browser_create_tab", url=address, browser="Chromium")
    assert len(await attached(scene)) == 1
    before = scene.reads
    await scene.read_many(20)
    await scene.look_around(4)
    copies: list[ChromiumProfile] = []
    await scene.restart(original, while_down=lambda _: copies.append(original.copied("copy")))

    assert scene.mixed_up == 0
    assert scene.reads - before > 20
    # What the user allowed ended with the browser.
    assert await attached(scene) == []

    # The copy gets its own id and name, and reports it.
    (copy,) = copies
    try:
        await copy.start()
        scene.profiles.append(copy)
        tabs = await scene.all_tabs()
        connected = f"{len(scene.profiles)} browsers"
        assert await names(scene) == {**names_before, "copy": "Chromium 3"}
        assert await original.identity() == f"Connected as Chromium · {connected}"
        note = "This profile is a copy of another one, so it has a name of its own."
        assert await copy.identity() == f"Connected as Chromium 3 · {connected} · {note}"
        for _ in range(5):
            await scene.read(session, tabs)
    finally:
        await copy.close()
        scene.profiles = [each for each in scene.profiles if each is not copy]
    assert scene.mixed_up == 0


async def test_after_kill_9_of_the_leader_every_browser_reconnects_and_the_other_sessions_answer(scene: Scene) -> None:
    tabs = await scene.all_tabs()
    status = await scene.sessions[0].call("chrome_tab_status")
    assert "through the session that holds port" in status["content"][0]["text"]

    await scene.replace_leader()

    assert await scene.all_tabs() == tabs
    for session in (*scene.sessions, scene.control):
        await scene.read(session, tabs)
    assert scene.mixed_up == 0
