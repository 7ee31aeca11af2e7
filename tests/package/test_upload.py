"""Which files may leave the machine: those below a directory that the user has named, and no others."""

import asyncio
import json
import os
import stat
import tempfile
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client

import chrome_tab_mcp_server as server
from chrome_tab import app
from chrome_tab.bridge import pairing, protocol
from chrome_tab.extension import uploads as files
from tests.support.fake_extension import Call, FakeExtension, connected, free_port
from tests.support.stdio_server import IMPATIENT, started
from tests.support.tool_client import error_of


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    """Two directories that may be read, one that may not, and links across."""
    for name in ("open", "open/deep", "other", "closed", "open-as-well-named"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file.txt").write_text(name)
    (tmp_path / "open" / "out.txt").symlink_to(tmp_path / "closed" / "file.txt")
    (tmp_path / "open" / "out").symlink_to(tmp_path / "closed")
    (tmp_path / "open" / "across.txt").symlink_to(tmp_path / "other" / "file.txt")
    (tmp_path / "open" / "nowhere.txt").symlink_to(tmp_path / "lost.txt")
    (tmp_path / "closed" / "in.txt").symlink_to(tmp_path / "open" / "file.txt")
    (tmp_path / "link").symlink_to(tmp_path / "open")
    os.mkfifo(tmp_path / "open" / "pipe")
    return tmp_path


@pytest.fixture(autouse=True)
def copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary directory of the system, just for this test."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def held(folder: Path) -> list[Path]:
    return list(folder.iterdir())


@asynccontextmanager
async def uploading(*folders: Path) -> AsyncGenerator[tuple[Client[Any], FakeExtension]]:
    port = free_port()
    flags = {"source": "extension", "port": port, "upload_folder": [str(folder) for folder in folders]}
    async with Client(app.create_server(server.load_settings(flags, need_model=False))) as client:
        await client.call_tool("chrome_tab_status", {})
        async with connected(port, pairing.pairing_key()) as extension:
            yield client, extension


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "EXTENSION_WAIT_S", 0.1)


@pytest.mark.parametrize(
    ("path", "file"),
    [
        ("{}/open/file.txt", "open/file.txt"),
        ("{}/open/deep/../file.txt", "open/file.txt"),
        ("file.txt", "open/file.txt"),
        ("deep/file.txt", "open/deep/file.txt"),
        ("{}/open/across.txt", "other/file.txt"),
        ("{}/closed/in.txt", "open/file.txt"),
        ("{}/link/deep/file.txt", "open/deep/file.txt"),
    ],
)
async def test_file_below_a_named_folder_reaches_the_browser_as_a_copy(folders: Path, path: str, file: str) -> None:
    os.utime(folders / file, (1_000_000_000, 1_000_000_000))
    async with uploading(folders / "link", folders / "other") as parts:
        call = Call(parts, "upload", selector="#a", paths=[path.format(folders)])
        sent = await call.answer("upload", {"element": {}, "files": ["file.txt"]})
        result = await call.ended()
        (copy,) = map(Path, sent["params"]["paths"])

        assert sent["params"] == {"selector": "#a", "paths": [str(copy)]}
        assert (copy.name, copy.read_text()) == ("file.txt", (folders / file).read_text())
        assert copy.stat().st_mtime == 1_000_000_000
    assert json.loads(result.content[0].text)["files"] == ["file.txt"]


@pytest.mark.posix
async def test_copies_are_private_and_deleted_at_the_end_of_the_session(folders: Path, copies: Path) -> None:
    source = folders / "open" / "file.txt"
    async with uploading(folders / "open") as parts:
        call = Call(parts, "upload", selector="#a", paths=[str(source), "deep/file.txt"])
        sent = await call.answer("upload", {"element": {}, "files": ["file.txt", "file.txt"]})
        await call.ended()
        source.write_text("changed later")
        source.unlink()
        first, second = map(Path, sent["params"]["paths"])

        assert (first.read_text(), second.read_text()) == ("open", "open/deep")
        (folder,) = held(copies)
        assert folder in first.parents
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert held(copies) == []


def test_a_rejected_file_leaves_no_copy_of_those_before_it(folders: Path, copies: Path) -> None:
    good, bad = str(folders / "open" / "file.txt"), str(folders / "closed" / "file.txt")
    uploads = files.Uploads([str(folders / "open")])

    with pytest.raises(server.ChromeTabError):
        uploads.copy([good, bad])
    assert held(copies) == []
    assert len(uploads.copy([good])) == len(held(copies)) == 1


def test_the_oldest_copies_are_deleted_when_they_take_too_many_bytes(
    folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_UPLOAD_BYTES", 10)
    for name in ("a", "b", "c"):
        (folders / "open" / name).write_text(name * 5)
    (folders / "open" / "large").write_text("x" * 11)
    uploads = files.Uploads([str(folders / "open")])
    a, b, c = (Path(uploads.copy([name])[0]) for name in ("a", "b", "c"))

    assert (a.exists(), b.exists(), c.exists()) == (False, True, True)
    for too_much in (["large"], ["a", "b", "c"]):
        with pytest.raises(server.ChromeTabError) as failure:
            uploads.copy(too_much)
        assert failure.value.code == "FILE_NOT_ALLOWED"
    assert (b.exists(), c.exists()) == (True, True)


def test_a_copy_that_cannot_be_written_is_a_sentence_and_leaves_nothing(
    folders: Path, copies: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    uploads = files.Uploads([str(folders / "open")])
    with monkeypatch.context() as patch:
        patch.setattr(os, "utime", full)
        with pytest.raises(server.ChromeTabError) as failure:
            uploads.copy(["file.txt"])
    assert failure.value.code == "EXECUTION_ERROR"
    assert held(copies) == []
    assert uploads.copy(["file.txt"])


@pytest.mark.e2e
@pytest.mark.posix
async def test_copies_are_deleted_with_the_process_that_a_signal_stops(folders: Path, copies: Path) -> None:
    port = free_port()
    flags = ["--ollama-url", "http://127.0.0.1:9", "--model", "none", "--source", "extension", "--port", str(port)]
    flags += ["--upload-folder", str(folders / "open")]
    async with started(*flags, program=IMPATIENT, TMPDIR=str(copies)) as process:
        await process.initialize()
        await process.call("chrome_tab_status")
        async with connected(port, pairing.pairing_key()) as extension:
            call = asyncio.create_task(process.call("upload", selector="#a", paths=["file.txt"]))
            sent = await extension.receive()
            assert len(held(copies)) == 1
            await extension.reply(sent, {"element": {}, "files": ["file.txt"]})
            await call
            process.process.terminate()
            await process.ended()
    assert held(copies) == []


# --- Swapped during the check ---


def swap_folder(folders: Path) -> None:
    (folders / "open" / "deep").rename(folders / "open" / "away")
    (folders / "open" / "deep").symlink_to(folders / "closed")


def swap_file(folders: Path) -> None:
    (folders / "open" / "deep" / "file.txt").unlink()
    (folders / "open" / "deep" / "file.txt").symlink_to(folders / "closed" / "file.txt")


def swap_root(folders: Path) -> None:
    (folders / "closed" / "deep").mkdir()
    (folders / "closed" / "deep" / "file.txt").write_text("closed")
    (folders / "open").rename(folders / "away")
    (folders / "open").symlink_to(folders / "closed")


SWAPS = [swap_folder, swap_file, swap_root]


@pytest.mark.posix
@pytest.mark.parametrize("swap", SWAPS)
def test_a_file_that_is_swapped_between_check_and_opening_is_rejected(
    swap: Callable[[Path], None], folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opens = files.open_regular
    uploads = files.Uploads([str(folders / "open")])

    def swapped(path: Path, flags: int) -> int:
        swap(folders)
        return opens(path, flags)

    assert Path(uploads.copy(["deep/file.txt"])[0]).read_text() == "open/deep"
    monkeypatch.setattr(files, "open_regular", swapped)
    with pytest.raises(server.ChromeTabError) as failure:
        uploads.copy(["deep/file.txt"])
    assert failure.value.code == "FILE_NOT_ALLOWED"


@pytest.mark.posix
@pytest.mark.parametrize("swap", SWAPS)
def test_swapping_a_file_after_opening_does_not_change_the_copy(
    swap: Callable[[Path], None], folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checks = files.is_others_link
    uploads = files.Uploads([str(folders / "open")])

    def swapped(descriptor: int) -> bool:
        swap(folders)
        return checks(descriptor)

    monkeypatch.setattr(files, "is_others_link", swapped)
    assert Path(uploads.copy(["deep/file.txt"])[0]).read_text() == "open/deep"


@pytest.mark.posix
def test_a_folder_that_became_a_link_after_the_start_allows_nothing_more(folders: Path) -> None:
    uploads = files.Uploads([str(folders / "open")])
    assert uploads.copy(["deep/file.txt"])
    swap_root(folders)

    with pytest.raises(server.ChromeTabError):
        uploads.copy(["deep/file.txt"])


# --- Hard links ---


@pytest.mark.posix
@pytest.mark.parametrize(
    ("is_ours", "is_linked", "is_allowed"), [(False, True, False), (True, True, True), (False, False, True)]
)
def test_a_hard_link_to_a_file_of_another_user_is_rejected(
    *, is_ours: bool, is_linked: bool, is_allowed: bool, folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = folders / "open" / "hard.txt"
    if is_linked:
        file.hardlink_to(folders / "closed" / "file.txt")
    else:
        file.write_text("closed")
    if not is_ours:
        monkeypatch.setattr(os, "geteuid", lambda: file.stat().st_uid + 1)
    uploads = files.Uploads([str(folders / "open")])

    if is_allowed:
        assert Path(uploads.copy(["hard.txt"])[0]).read_text() == "closed"
        return
    with pytest.raises(server.ChromeTabError) as failure:
        uploads.copy(["hard.txt"])
    assert failure.value.code == "FILE_NOT_ALLOWED"


async def test_other_files_are_rejected_with_the_same_words_whether_they_exist_or_not(folders: Path) -> None:
    refused = [
        "closed/file.txt",
        "closed/lost.txt",
        "open/out.txt",
        "open/out/file.txt",
        "open/nowhere.txt",
        "open/pipe",
    ]
    refused += [
        "open/deep",
        "open/lost.txt",
        "open-as-well-named/file.txt",
        "open/../closed/file.txt",
        "nul\0",
        "open/" + "x" * 300,
    ]
    reported = set[str]()
    async with uploading(folders / "open") as (client, _):
        for name in refused:
            good = str(folders / "open" / "file.txt")
            arguments = {"selector": "#a", "paths": [good, str(folders / name)]}
            result = await client.call_tool("upload", arguments, raise_on_error=False)
            code, said = error_of(result)
            assert code == "FILE_NOT_ALLOWED", name
            reported.add(said.replace(repr(server.one_line(str(folders / name))), "FILE"))

    (message,) = reported
    assert f"{folders / 'open'};" in message
    assert "FILE" in message


async def test_without_a_named_folder_no_file_is_accepted(folders: Path) -> None:
    async with uploading() as (client, _):
        arguments = {"selector": "#a", "paths": [str(folders / "open" / "file.txt")]}
        result = await client.call_tool("upload", arguments, raise_on_error=False)

    code, said = error_of(result)
    assert code == "FILE_NOT_ALLOWED"
    assert "--upload-folder" in said
    assert str(folders) not in said
