"""Giving files to a page: to fields, even hidden ones, and to buttons that open a file chooser; without browser
windows.
"""

import os
from collections.abc import Generator
from pathlib import Path

import pytest

from chrome_tab.extension.uploads import Uploads
from tests.extension.conftest import DrivenTab, rewritten_tab_at

page = rewritten_tab_at("/acting/uploading.html")


@pytest.fixture
def paths(tmp_path: Path) -> list[str]:
    for name in ("first", "second"):
        (tmp_path / f"{name}.txt").write_text(name)
    return [str(tmp_path / "first.txt"), str(tmp_path / "second.txt")]


BEHIND = [
    ("#one", "one"),
    ("#label", "labelled"),
    ("#labelled", "labelled"),
    ("#drop", "inner"),
    ("#button", "concealed"),
    ("#several", "made"),
    ("#covered", "over"),
    ("#inFrame", "framed"),
    ("#host >>> input", "shadowed"),
]


async def test_file_reaches_the_field_behind_the_named_element(
    page: DrivenTab, paths: list[str], subtests: pytest.Subtests
) -> None:
    for selector, field in BEHIND:
        with subtests.test(selector):
            # Two of them name the same field.
            await page.page.evaluate("labelled.value = ''")
            result = await page.do("upload", selector=selector, paths=paths[:1])

            await page.page.wait_for_function("events.length")
            assert await page.page.evaluate("events.splice(0)") == [["change", field, True, "first"]]
            assert result["files"] == ["first.txt"]
            assert "notes" not in result


async def test_several_files_are_accepted_where_the_field_allows_it(
    page: DrivenTab, paths: list[str], subtests: pytest.Subtests
) -> None:
    for selector, field in [("#many", "many"), ("#several", "made")]:
        with subtests.test(selector):
            assert (await page.do("upload", selector=selector, paths=paths))["files"] == ["first.txt", "second.txt"]

            await page.page.wait_for_function("events.length")
            assert await page.page.evaluate("events.splice(0)") == [["change", field, True, "first,second"]]


async def test_files_that_the_page_does_not_keep_are_an_error_that_names_what_the_field_holds(
    page: DrivenTab, paths: list[str], subtests: pytest.Subtests
) -> None:
    for selector, held in [
        ("#emptied", ""),
        ("#refusing", ""),
        ("#renamed", '"other.txt"'),
        ("#renaming", '"other.txt"'),
    ]:
        with subtests.test(selector):
            code, message = await page.refused("upload", selector=selector, paths=paths[:1])

            assert (code, '"first.txt"' in message, held in message) == ("VALUE_NOT_KEPT", True, True), message


async def test_files_that_the_page_takes_over_and_shows_are_kept(
    page: DrivenTab, paths: list[str], subtests: pytest.Subtests
) -> None:
    for selector in ["#taken", "#taking"]:
        with subtests.test(selector):
            result = await page.do("upload", selector=selector, paths=paths[:1])

            assert (result["files"], len(result["notes"])) == ([], 1)
            assert "stored" in result["changed"]


async def test_field_in_a_frame_gets_its_file(page: DrivenTab, paths: list[str]) -> None:
    await page.do("upload", selector="#frame >>> #framed", paths=paths[:1])

    assert (
        await page.page.frame_locator("#frame").locator("#framed").evaluate("({ files }) => files[0].name")
        == "first.txt"
    )


@pytest.fixture
def uploads(paths: list[str], tmp_path: Path) -> Generator[Uploads]:
    """The server's own copies; the first of the files is an old one."""
    os.utime(paths[0], (1_000_000_000, 1_000_000_000))
    uploads = Uploads([str(tmp_path)])
    yield uploads
    uploads.close()


async def test_page_can_read_the_copy_of_a_file_until_the_session_ends(page: DrivenTab, uploads: Uploads) -> None:
    read = "one.files[0].text().catch(({ name }) => name)"
    await page.do("upload", selector="#one", paths=uploads.copy(["first.txt"]))

    assert await page.page.evaluate(read) == "first"
    assert await page.page.evaluate("[one.files[0].name, one.files[0].lastModified]") == ["first.txt", 10**12]
    uploads.close()
    assert await page.page.evaluate(read) == "NotFoundError"


INVALID = [
    ("#one", 2, "EXECUTION_ERROR", "accepts only one file, not 2"),
    ("#button", 2, "EXECUTION_ERROR", "accepts only one file, not 2"),
    ("#off", 1, "EXECUTION_ERROR", "is still disabled"),
    ("#idle", 1, "EXECUTION_ERROR", "no file dialog opened"),
    ("#folder", 1, "EXECUTION_ERROR", "accepts only a folder"),
    ("#on", 1, "ELEMENT_NOT_FOUND", "#one"),
    ("#one", 0, "INVALID_ARGUMENT", "1 to 50"),
]


async def test_invalid_files_reach_no_page(page: DrivenTab, paths: list[str], subtests: pytest.Subtests) -> None:
    for selector, count, code, says in INVALID:
        with subtests.test(f"{selector} {count}"):
            found, message = await page.refused_soon("upload", paths=paths[:count], selector=selector)

            assert (found, says in message) == (code, True), message
            assert await page.page.evaluate("events") == []


async def test_click_that_opens_a_file_chooser_shows_no_window_and_names_the_tool_to_use(
    page: DrivenTab, subtests: pytest.Subtests
) -> None:
    for selector in ["#button", "#several"]:
        with subtests.test(selector):
            result = await page.do("click", selector=selector)

            assert result["notes"] == [
                "The page asked for files and got none. Use upload with the same selector and the files' paths."
            ]
            assert "notes" not in await page.do("click", selector="#idle")

    code, message = await page.refused_soon("click", selector="#covered")
    assert (code, "#over" in message, "Use upload" in message) == ("EXECUTION_ERROR", True, True), message


async def test_without_access_to_files_the_user_learns_how_to_grant_it(page: DrivenTab, paths: list[str]) -> None:
    (worker,) = page.page.context.service_workers
    await worker.evaluate(
        "globalThis.real = chrome.extension.isAllowedFileSchemeAccess; chrome.extension.isAllowedFileSchemeAccess = async () => false"
    )
    try:
        code, message = await page.refused("upload", selector="#one", paths=paths[:1])
    finally:
        await worker.evaluate("chrome.extension.isAllowedFileSchemeAccess = real")

    assert (code, "Allow access to file URLs" in message) == ("FILE_NOT_ALLOWED", True)
    await page.do("upload", selector="#one", paths=paths[:1])
