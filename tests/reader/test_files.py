"""The server's own files: anything but a regular file is rejected at once, and nothing is written through a link."""

import os
import stat
import tomllib
from pathlib import Path

import platformdirs
import pytest

import chrome_tab_mcp_server as server
from chrome_tab.bridge import pairing
from chrome_tab.history import History

pytestmark = pytest.mark.posix


@pytest.fixture
def folder() -> Path:
    server.config_dir().mkdir(parents=True)
    return server.config_dir()


@pytest.fixture(params=["pipe", "device", "folder"])
def odd(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Something on which a reader would block or never reach the end."""
    path = tmp_path / "odd"
    match request.param:
        case "pipe":
            os.mkfifo(path)
        case "device":
            path.symlink_to("/dev/zero")
        case _:
            path.mkdir()
    return path


def test_pairing_key_is_read_only_from_a_regular_file(odd: Path, folder: Path) -> None:
    key = pairing.pairing_key()
    assert pairing.pairing_key() == key
    (folder / "key").unlink()
    (folder / "key").symlink_to(odd)

    with pytest.raises(server.ChromeTabError) as failure:
        pairing.pairing_key()
    assert failure.value.code == "PERMISSION_DENIED"


def test_a_key_that_cannot_be_created_leaves_no_temporary_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "link", full)
        with pytest.raises(server.ChromeTabError):
            pairing.pairing_key()
    assert list(folder.iterdir()) == []
    pairing.pairing_key()
    assert [path.name for path in folder.iterdir()] == ["key"]
    assert stat.S_IMODE((folder / "key").stat().st_mode) == 0o600


def test_configuration_is_read_only_from_a_regular_file(odd: Path, folder: Path) -> None:
    path = folder / "config.toml"
    path.symlink_to(odd)
    with pytest.raises(ValueError, match=r"config\.toml cannot be read"):
        server.load_settings({}, need_model=False)

    odd = folder / "real.toml"
    odd.write_text("port = 7777\n")
    path.unlink()
    path.symlink_to(odd)
    assert server.load_settings({}, need_model=False).port == tomllib.loads(odd.read_text())["port"]


def test_the_remembered_port_replaces_whatever_is_there_and_follows_no_link(odd: Path, folder: Path) -> None:
    path, other = folder / "last-port", folder / "other"
    other.write_text("other")
    path.symlink_to(odd)
    assert pairing.last_port() is None
    pairing.remember_port(61822)
    assert pairing.last_port() == 61822

    path.unlink()
    path.symlink_to(other)
    pairing.remember_port(61823)
    assert (pairing.last_port(), other.read_text()) == (61823, "other")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert {one.name for one in folder.iterdir()} == {"last-port", "other"}


def test_the_history_is_stored_only_in_a_regular_file(
    odd: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    def data_folder(_name: str) -> str:
        return str(tmp_path / "data")

    monkeypatch.setattr(platformdirs, "user_data_dir", data_folder)
    history = History()
    history.path.parent.mkdir(parents=True)
    history.path.symlink_to(odd)
    before = odd.stat()

    with pytest.raises(OSError, match=r"regular|directory"):
        history.keep("q", "a", {})
    assert odd.stat().st_mode == before.st_mode
    history.path.unlink()
    assert history.keep("q", "a", {}) == 1
