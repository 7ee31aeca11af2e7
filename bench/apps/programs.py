"""The programs: what to install, how each starts on loopback, and its start page."""

import contextlib
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.apps.installing import install

SITES = Path(__file__).parent / "sites"
START_S = 180
END_S = 10
PAUSE_S = 0.2
# Each of these programs can be kept from contacting other servers.
QUIET = {"GRADIO_ANALYTICS_ENABLED": "False", "MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "1"}


@dataclass(frozen=True)
class Site:
    """A running program: its address with a trailing slash, and the directory that it writes to."""

    address: str
    folder: Path
    environment: Path


@dataclass(frozen=True)
class Start:
    """How a program starts: its command, additions to the environment, and the path that answers once it is up."""

    command: Sequence[str | Path]
    variables: Mapping[str, str]
    path: str = ""


@dataclass(frozen=True)
class Program:
    """A program: its packages with version bounds, and how it starts from its environment, in a directory, on a port."""

    name: str
    start: Callable[[Path, Path, int], Start]
    pypi: Sequence[str] = ()
    npm: Sequence[str] = ()

    @contextmanager
    def running(self, folder: Path) -> Generator[Site]:
        """Install the program if needed, and run it for the duration of the block with its data in *folder*.

        Raises RuntimeError with its last lines if it does not answer within `START_S` seconds.
        """
        environment = install(self.name, pypi=self.pypi, npm=self.npm)
        folder.mkdir(parents=True)
        port = free_port()
        start = self.start(environment, folder, port)
        log = folder.with_suffix(".log")
        address = f"http://127.0.0.1:{port}/"
        with log.open("wb") as output:
            process = subprocess.Popen(
                start.command,
                cwd=folder,
                env={**os.environ, **QUIET, **start.variables},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                wait_until_up(address + start.path, process, log)
                yield Site(address, folder, environment)
            finally:
                end(process)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_up(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Poll until the program answers without a server error."""
    for _ in range(int(START_S / PAUSE_S)):
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(address, timeout=START_S):
                return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(PAUSE_S)
    last = "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-15:])
    raise RuntimeError(f"{process.args!r} did not start:\n{last}")


def end(process: subprocess.Popen[bytes]) -> None:
    """End the program and what it has started, such as the program behind a wrapper."""
    for how in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, how)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(END_S)


def run(*command: str | Path, folder: Path, variables: Mapping[str, str] | None = None) -> str:
    """Run a command to its end and return its output.

    Raises RuntimeError with the output if it fails.
    """
    done = subprocess.run(
        command,
        check=False,
        cwd=folder,
        env={**os.environ, **QUIET, **(variables or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=START_S,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def start_jupyterlab(environment: Path, folder: Path, port: int) -> Start:
    shutil.copy(SITES / "data.csv", folder)
    token = secrets.token_hex(16)
    (folder.parent / "jupyterlab.token").write_text(token, encoding="ascii")
    own = {name: str(folder.parent / name.lower()) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR")}
    command = ["lab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}", f"--notebook-dir={folder}"]
    return Start([environment / "bin" / "jupyter", *command], {**own, "JUPYTER_TOKEN": token}, f"lab?token={token}")


def start_node_red(environment: Path, folder: Path, port: int) -> Start:
    settings = {"uiHost": "127.0.0.1", "uiPort": port, "flowFile": "flows.json", "credentialSecret": False}
    quiet = {"telemetry": {"enabled": False}, "editorTheme": {"tours": False}}
    (folder / "settings.js").write_text(f"module.exports = {json.dumps({**settings, **quiet})}", encoding="utf-8")
    return Start(["node", environment / "node_modules" / ".bin" / "node-red", "--userDir", folder], {})


def start_tiddlywiki(environment: Path, folder: Path, port: int) -> Start:
    program = environment / "node_modules" / ".bin" / "tiddlywiki"
    run("node", program, folder, "--init", "server", folder=folder)
    return Start(["node", program, folder, "--listen", "host=127.0.0.1", f"port={port}"], {})


def start_wagtail(environment: Path, folder: Path, port: int) -> Start:
    run(environment / "bin" / "wagtail", "start", "portal", folder, folder=folder)
    python, owner = environment / "bin" / "python", {"DJANGO_SUPERUSER_PASSWORD": "pw-admin-1"}
    run(python, "manage.py", "migrate", folder=folder)
    user = ("--noinput", "--username=admin", "--email=admin@example.com")
    run(python, "manage.py", "createsuperuser", *user, folder=folder, variables=owner)
    return Start([python, "manage.py", "runserver", "--noreload", f"127.0.0.1:{port}"], {}, "admin/login/")


def start_gradio(environment: Path, folder: Path, port: int) -> Start:
    return Start([environment / "bin" / "python", SITES / "hotel.py", str(port), folder / "hotel.json"], {})


def start_streamlit(environment: Path, folder: Path, port: int) -> Start:
    options = ["--server.headless=true", "--server.address=127.0.0.1", f"--server.port={port}"]
    quiet = ["--browser.gatherUsageStats=false", "--server.fileWatcherType=none"]
    command = ["run", *options, *quiet, SITES / "vehicles.py", folder / "trips.json"]
    return Start([environment / "bin" / "streamlit", *command], {})


def start_mlflow(environment: Path, folder: Path, port: int) -> Start:
    store = f"sqlite:///{folder / 'mlflow.db'}"
    run(environment / "bin" / "python", SITES / "experiment.py", store, folder=folder)
    command = ["server", "--host=127.0.0.1", f"--port={port}", f"--backend-store-uri={store}", "--workers=1"]
    path = {"PATH": f"{environment / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    return Start([environment / "bin" / "mlflow", *command], path, "health")


PROGRAMS = {
    program.name: program
    for program in (
        Program("jupyterlab", start_jupyterlab, pypi=("jupyterlab>=4.6,<5", "ipykernel>=7,<8")),
        Program("node-red", start_node_red, npm=("node-red@^5.0.7",)),
        Program("tiddlywiki", start_tiddlywiki, npm=("tiddlywiki@^5.4.1",)),
        Program("wagtail", start_wagtail, pypi=("wagtail>=8,<9",)),
        Program("gradio", start_gradio, pypi=("gradio>=6.31,<7",)),
        Program("streamlit", start_streamlit, pypi=("streamlit>=1.67,<2",)),
        Program("mlflow", start_mlflow, pypi=("mlflow>=3.10,<4",)),
    )
}
