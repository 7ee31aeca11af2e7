"""Which files may leave the machine: those below a folder that the person has named, and no others."""

import json
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client

import chrome_tab_mcp_server as server
from tests.support.asking import error_of
from tests.support.fake_extension import Call, FakeExtension, connected, free_port


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    """Two folders that may be read, one that may not, and links across."""
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


@asynccontextmanager
async def uploading(*folders: Path) -> AsyncGenerator[tuple[Client[Any], FakeExtension]]:
    port = free_port()
    flags = {"source": "extension", "port": port, "upload_folder": [str(folder) for folder in folders]}
    async with Client(server.create_server(server.load_settings(flags, need_model=False))) as client:
        await client.call_tool("chrome_tab_status", {})
        async with connected(port, server.pairing_key()) as extension:
            yield client, extension


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "EXTENSION_WAIT_S", 0.1)


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
async def test_file_below_a_named_folder_is_sent_by_its_real_path(folders: Path, path: str, file: str) -> None:
    async with uploading(folders / "link", folders / "other") as parts:
        call = Call(parts, "upload", selector="#a", paths=[path.format(folders)])
        sent = await call.answer("upload", {"element": {}, "files": ["file.txt"]})
        result = await call.ended()

    assert sent["params"] == {"selector": "#a", "paths": [str((folders / file).resolve())]}
    assert json.loads(result.content[0].text)["files"] == ["file.txt"]


async def test_all_else_is_refused_in_the_same_words_whether_it_exists_or_not(folders: Path) -> None:
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
    told = set[str]()
    async with uploading(folders / "open") as (client, _):
        for name in refused:
            good = str(folders / "open" / "file.txt")
            arguments = {"selector": "#a", "paths": [good, str(folders / name)]}
            result = await client.call_tool("upload", arguments, raise_on_error=False)
            code, said = error_of(result)
            assert code == "FILE_NOT_ALLOWED", name
            told.add(said.replace(repr(server.one_line(str(folders / name))), "FILE"))

    (message,) = told
    assert f"Files may be taken from {folders / 'open'}, and FILE is none of them." in message


async def test_without_a_named_folder_no_file_is_taken(folders: Path) -> None:
    async with uploading() as (client, _):
        arguments = {"selector": "#a", "paths": [str(folders / "open" / "file.txt")]}
        result = await client.call_tool("upload", arguments, raise_on_error=False)

    code, said = error_of(result)
    assert code == "FILE_NOT_ALLOWED"
    assert "--upload-folder" in said
