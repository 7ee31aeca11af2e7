"""Install programs from PyPI and npm into the user's cache, each in its own environment."""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

INSTALL_S = 900


def cache_folder() -> Path:
    """Return the directory of the environments: the one that `scripts/setup` uses, too."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "chrome-tab-reader" / "apps"


def install(name: str, *, pypi: Sequence[str] = (), npm: Sequence[str] = ()) -> Path:
    """Install packages unless the environment has them; return its directory.

    Python programs are in `bin`, Node.js programs in `node_modules/.bin`.

    Raises RuntimeError with the installer's last lines if it fails.
    """
    folder = cache_folder() / name
    ready = folder / ".ready"
    wanted = hashlib.sha256("\n".join([*pypi, "", *npm]).encode()).hexdigest()
    if ready.exists() and ready.read_text(encoding="ascii") == wanted:
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    if pypi:
        _run("uv", "venv", "--quiet", "--python", ">=3.11", str(folder))
        _run("uv", "pip", "install", "--quiet", "--python", str(folder), *pypi)
    else:
        folder.mkdir()
    if npm:
        quiet = ("--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error")
        _run("npm", "install", *quiet, "--prefix", str(folder), *npm)
    ready.write_text(wanted, encoding="ascii")
    return folder


def _run(*command: str) -> None:
    done = subprocess.run(
        command, check=False, capture_output=True, encoding="utf-8", stdin=subprocess.DEVNULL, timeout=INSTALL_S
    )
    if done.returncode != 0:
        last = "\n".join(done.stderr.splitlines()[-10:])
        raise RuntimeError(f"{command[0]} could not install {command[-1]}:\n{last}")
