"""`--setup` and `--setup remove`: in a terminal with an empty home directory, and the functions behind them."""

import asyncio
import json
import os
import plistlib
import re
import shlex
import shutil
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from hypothesis import given
from hypothesis import strategies as st

import chrome_tab_mcp_server as server
from chrome_tab import app, launcher
from chrome_tab.bridge import pairing, protocol
from chrome_tab.extension.source import ExtensionSource
from chrome_tab.setup import autostart, changes, clients, json_edit, models, steps
from chrome_tab.setup import terminal as setup_terminal
from tests.conftest import Run
from tests.reader.test_cli import in_a_thread
from tests.support.fake_extension import connected, free_port, wait_for_port
from tests.support.fake_models import HANG, FakeOllama, FakeOpenAIServer, as_json, as_text, refused_port
from tests.support.fake_osascript import FakeOsascript
from tests.support.platforms import pretend
from tests.support.stdio_server import ROOT, SERVER
from tests.support.terminal import Terminal, in_terminal

Capture = pytest.CaptureFixture[str]

HAS_SYSTEMD = sys.platform == "linux"
UNIT = ".config/systemd/user/chrome-tab-reader.service"
on_terminals = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind")

# --setup, which looks for model servers on this test's own ports.
WITH_PORTS = f"""
import gc, json, os, sys
gc.disable()
sys.path.insert(0, {str(ROOT)!r})
import chrome_tab_mcp_server as server
from chrome_tab import app
from chrome_tab.bridge import protocol
from chrome_tab.setup import models, steps
steps.pyperclip.determine_clipboard = lambda: (lambda line: None, lambda: "")
protocol.EXTENSION_WAIT_S = 0.1
ports = json.loads(os.environ["FAKE_PORTS"])
models.USUAL = tuple(one._replace(port=ports[one.name]) for one in models.USUAL if one.name in ports)
sys.exit(app.main(sys.argv[1:]))
"""
# Stores its servers where Claude Code does, and prints its arguments.
FAKE_CLAUDE = f"""#!{sys.executable}
import json, sys
from pathlib import Path
path = Path.home() / ".claude.json"
known = json.loads(path.read_text()) if path.exists() else {{"theme": "dark"}}
servers = known.setdefault("mcpServers", {{}})
match sys.argv[1:]:
    case ["mcp", "add", "--scope", "user", name, "--", command, *arguments]:
        servers[name] = {{"type": "stdio", "command": command, "args": arguments, "env": {{}}}}
    case ["mcp", "remove", "--scope", "user", name]:
        del servers[name]
    case _:
        sys.exit("unknown command")
path.write_text(json.dumps(known))
"""
# Records its arguments, as systemctl or launchctl, and exits with the requested status.
FAKE_SERVICES = f"""#!{sys.executable}
import os, sys
from pathlib import Path
path = Path.home() / "asked"
asked = path.read_text().splitlines() if path.exists() else []
path.write_text("\\n".join([*asked, " ".join(sys.argv[1:])]) + "\\n")
if status := int(os.environ.get("FAKE_STATUS", 0)):
    print("No such process", file=sys.stderr)
    sys.exit(status)
"""
REFUSING = f"""#!{sys.executable}
import sys
sys.exit("Failed to connect to bus: No medium found")
"""
CURSOR = '{\n    "mcpServers": {"github": {"command": "npx", "env": {"TOKEN": "of-github"}}},\n    "rate": 1.50\n}\n'
VSCODE = '{\n  // my servers\n  "servers": {}\n}\n'
SETTINGS = '# mine\ncontent = "main" # less\n\n[sites."bank.test"]\ndeny = true\n'
NAMES = ["nomic-embed-text:latest", "smollm2:135m", "gpt-oss:120b-cloud", "qwen3:8b", "qwen2.5-coder:7b"]


def fake_ollama() -> FakeOllama:
    fake = FakeOllama(4096)
    fake.answer_text = "It is closed on Mondays, and an adult pays 9 EUR."
    fake.routes["/api/version"] = {"version": "0.33.2"}
    fake.routes["/api/tags"] = {"models": [{"name": name, "details": {"parameter_size": ""}} for name in NAMES]}
    fake.routes["/v1/models"] = {"object": "list", "data": [{"id": name} for name in NAMES]}
    return fake


class Home:
    """An empty home directory, and a machine on which certain ports are checked."""

    def __init__(self, folder: Path, ports: dict[str, int]) -> None:
        self.folder = folder
        self.settings = folder / ".config" / server.APP_NAME
        self.ports = ports
        self.port = free_port()

    def environment(self) -> dict[str, str]:
        places = {"HOME": str(self.folder), "XDG_CONFIG_HOME": str(self.folder / ".config")}
        places["XDG_DATA_HOME"] = str(self.folder / ".local" / "share")
        places["XDG_STATE_HOME"] = str(self.folder / ".local" / "state")
        kept = {name: os.environ[name] for name in os.environ if name not in {"CLAUDE_CONFIG_DIR", "UV"}}
        # None of the installed programs.
        return kept | places | {"PATH": str(self.folder / "bin"), "FAKE_PORTS": json.dumps(self.ports)}

    def enter(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Make this the home directory of the test itself."""
        for name, value in self.environment().items():
            monkeypatch.setenv(name, value)

    def setup(self, *arguments: str, columns: int = 200) -> Any:
        command = [sys.executable, "-c", WITH_PORTS, "--setup", *arguments]
        return in_terminal(command, self.environment(), columns)

    def write(self, place: str, text: str) -> Path:
        path = self.folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def fill(self) -> None:
        """Add clients, two of them with files that must not be touched, and settings."""
        self.write("bin/claude", FAKE_CLAUDE).chmod(0o755)
        self.write(".cursor/mcp.json", CURSOR)
        self.write(".config/Code/User/mcp.json", VSCODE)
        self.write(".config/Claude/claude_desktop_config.json", '{"mcpServers": {')
        self.write(f".config/{server.APP_NAME}/config.toml", SETTINGS)

    def files(self) -> dict[str, tuple[bytes, int]]:
        """Return the contents and modification time of each file."""
        paths = [path for path in self.folder.rglob("*") if path.is_file()]
        return {str(path.relative_to(self.folder)): (path.read_bytes(), path.stat().st_mtime_ns) for path in paths}

    def changed(self, before: dict[str, tuple[bytes, int]]) -> set[str]:
        """Return the files that were created, deleted or written since."""
        after = self.files()
        return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def ready(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[tuple[Home, Terminal]]:
    """A home directory in which --setup has run for a user who agreed to everything; and what the user saw."""
    async with AsyncExitStack() as stack:
        ollama = await stack.enter_async_context(fake_ollama())
        website = await stack.enter_async_context(FakeOpenAIServer(routes={"/v1/models": as_text("<html>")}))
        refused = await stack.enter_async_context(refused_port())
        addresses = {"Ollama": ollama.url, "vLLM": website.url, "LM Studio": refused}
        home = Home(tmp_path_factory.mktemp("home"), {name: port_of(url) for name, url in addresses.items()})
        home.fill()
        home.write("bin/systemctl", FAKE_SERVICES).chmod(0o755)
        terminal = await stack.enter_async_context(home.setup("--port", str(home.port)))
        await terminal.answers(want_to_use="99")
        await terminal.sees("Enter a number from 1 to 4")
        await terminal.answers(want_to_use="")
        await terminal.answers(Write_it="y", clipboard="n", extension_now="y")
        await wait_for_port(home.port)
        async with connected(home.port, (home.settings / "key").read_text().strip()):
            await terminal.sees("The extension is connected, version 1.0.0.")
            await terminal.answers(Claude_Code="", Cursor="y", **({"Set_that_up": ""} if HAS_SYSTEMD else {}))
            assert await terminal.status() == 1
        yield home, terminal


def said(capsys: Capture) -> str:
    """Return the printed text, without line breaks from wrapping."""
    return " ".join(capsys.readouterr().out.split())


def contrary(monkeypatch: pytest.MonkeyPatch) -> setup_terminal.Terminal:
    """A terminal with a user who gives the opposite of each proposed answer."""

    def confirm(_question: str, *, proposed: bool = True) -> bool:
        return not proposed

    terminal = setup_terminal.Terminal(yes=False)
    monkeypatch.setattr(terminal, "confirm", confirm)
    return terminal


def port_of(url: str) -> int:
    return int(url.rpartition(":")[2])


def copied(home: Home, folder: Path) -> Home:
    """The same home directory, for one test alone."""
    shutil.copytree(home.folder, folder, dirs_exist_ok=True)
    other = Home(folder, home.ports)
    other.port = home.port
    return other


# --- In a terminal ---


@pytest.mark.parametrize(
    "unbroken",
    [
        "`uv run server.py --setup`",
        "/Users/ada/Library/Application Support/chrome-tab-reader/key:",
        r"C:\Users\Ada Ray\AppData\Roaming\Claude\claude_desktop_config.json",
    ],
)
def test_commands_and_paths_are_not_broken_across_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], unbroken: str
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    setup_terminal.Terminal(yes=True).say(f"These lines will change in {unbroken} and nowhere else.")

    assert unbroken in capsys.readouterr().out


@pytest.mark.e2e
@on_terminals
async def test_with_nothing_installed_it_says_what_to_install_and_continues_as_far_as_it_can(tmp_path: Path) -> None:
    async with refused_port() as url:
        home = Home(tmp_path, {"Ollama": port_of(url), "LM Studio": port_of(url)})
        home.write(".cursor/old", "")
        async with home.setup("--port", str(home.port), columns=60) as terminal:
            await terminal.answers(Write_it="y", clipboard="n", extension_now="y")
            await terminal.sees("Ctrl+C continues without it")
            await wait_for_port(home.port)
            terminal.process.send_signal(signal.SIGINT)
            status = await terminal.status()

    assert status == 1
    for words in (
        "No usable model found. Set up one of these:",
        "Ollama: install it from ollama.com, then run `ollama pull qwen3`.",
        "LM Studio: install it from lmstudio.ai",
        f"+ port = {home.port}",
        "vf://",
        "Continuing without the extension.",
        "Cursor can be registered once there is a model.",
        "Model: not yet",
        "Clients: not yet",
        "Next: Install Ollama from ollama.com, and run `ollama pull qwen3`. Then run `uv run",
    ):
        assert words in terminal.shown
    assert "Traceback" not in terminal.shown
    assert "Register with" not in terminal.shown
    ours = {f".config/{server.APP_NAME}/{name}" for name in ("key", "config.toml")}
    assert home.files().keys() == {".cursor/old", *ours}


def set_up(home: Home, run: Run, monkeypatch: pytest.MonkeyPatch, *flags: str) -> tuple[int, str]:
    """Run --setup in this process without questions; return its exit status and what it printed, on one line."""
    home.enter(monkeypatch)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(protocol, "EXTENSION_WAIT_S", 0.1)
    usual = [one._replace(port=home.ports[one.name]) for one in models.USUAL if one.name in home.ports]
    monkeypatch.setattr(models, "USUAL", usual)
    status, out, _ = run("--setup", "--yes", *(flags or ("--clients", "none")))
    return status, " ".join(out.split())


def test_an_installed_ollama_that_is_not_running_is_to_be_started(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home(tmp_path, {"Ollama": free_port()})
    home.write("bin/ollama", "#!/bin/sh\n").chmod(0o755)
    status, shown = set_up(home, run, monkeypatch)

    step = "Start Ollama: run `ollama serve` in another terminal."
    assert status == 1
    assert f"No usable model found. {step}" in shown
    assert f"Next: {step}" in shown
    assert "ollama.com" not in shown


def test_an_ollama_without_a_usable_model_is_to_get_one(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with in_a_thread(fake_ollama()) as ollama:
        ollama.routes["/v1/models"] = {"object": "list", "data": [{"id": "nomic-embed-text:latest"}]}
        home = Home(tmp_path, {"Ollama": port_of(ollama.url)})
        home.write("bin/ollama", "#!/bin/sh\n").chmod(0o755)
        status, shown = set_up(home, run, monkeypatch)

    assert status == 1
    assert "No usable model found. Run `ollama pull qwen3`. Then run --setup again." in shown
    assert "Next: Run `ollama pull qwen3`." in shown
    assert "ollama serve" not in shown


@pytest.mark.e2e
@on_terminals
async def test_it_finds_the_model_writes_settings_and_registers_with_the_clients(ready: tuple[Home, Terminal]) -> None:
    home, terminal = ready
    command = [sys.executable, str(SERVER)]
    entry = {"command": command[0], "args": command[1:]}
    url = f"http://localhost:{home.ports['Ollama']}"

    assert f"Ollama responds at {url}. It has 4 models." in terminal.shown
    assert f"A program responds at http://localhost:{home.ports['vLLM']}. It is not a model server." in terminal.shown
    assert "LM Studio" not in terminal.shown
    assert "nomic" not in terminal.shown
    assert terminal.shown.count("(leaves this computer)") == 1
    assert "Question: On which day" in terminal.shown
    assert "Answer: It is closed on Mondays, and an adult pays 9 EUR." in terminal.shown
    assert f"Model: qwen3:8b at {url} Reading pages: yes Clients: Claude Code, Cursor" in terminal.shown
    assert "Next: Fix what is marked FIX above." in terminal.shown
    written = f'ollama_url = "{url}"\nmodel = "qwen3:8b"\nport = {home.port}\n'
    assert (home.settings / "config.toml").read_text() == SETTINGS.replace("\n\n", f"\n{written}\n")
    assert (home.settings / "config.toml.before-setup").read_text() == SETTINGS
    assert json.loads((home.folder / ".claude.json").read_text()) == {
        "theme": "dark",
        "mcpServers": {server.APP_NAME: {"type": "stdio", **entry, "env": {}}},
    }
    cursor = json.loads(CURSOR)
    cursor["mcpServers"][server.APP_NAME] = entry
    assert json.loads((home.folder / ".cursor/mcp.json").read_text()) == cursor
    assert '"rate": 1.50' in (home.folder / ".cursor/mcp.json").read_text()
    assert (home.folder / ".cursor/mcp.json.before-setup").read_text() == CURSOR
    assert "of-github" not in terminal.shown


@pytest.mark.e2e
@on_terminals
async def test_broken_client_files_stay_unchanged_and_it_prints_what_to_add(ready: tuple[Home, Terminal]) -> None:
    home, terminal = ready
    broken = {
        ".config/Code/User": ("mcp.json", VSCODE),
        ".config/Claude": ("claude_desktop_config.json", '{"mcpServers": {'),
    }

    for folder, (name, text) in broken.items():
        assert [path.name for path in (home.folder / folder).iterdir()] == [name]
        assert (home.folder / folder / name).read_text() == text
        assert f"{home.folder / folder / name} is not valid JSON, or contains comments" in terminal.shown
    entry = {"type": "stdio", "command": sys.executable, "args": [str(SERVER)]}
    assert json.dumps({"servers": {server.APP_NAME: entry}}) in terminal.shown


@pytest.mark.e2e
@on_terminals
async def test_a_second_run_adds_only_the_start_at_login(
    ready: tuple[Home, Terminal], tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = copied(ready[0], tmp_path)
    before = home.files()
    flags = ["--clients", "claude-code,cursor", *(["--at-login"] if HAS_SYSTEMD else [])]

    status, shown = await asyncio.to_thread(set_up, home, run, monkeypatch, *flags)

    assert status == 0
    assert f"Your settings are up to date: {home.settings / 'config.toml'}" in shown
    for title in ("Claude Code", "Cursor"):
        assert f"{title} already has the server" in shown
    assert "Reading pages: not yet" in shown
    assert "Next: Load the extension" in shown
    assert home.changed(before) == ({UNIT, "asked"} if HAS_SYSTEMD else set())
    if HAS_SYSTEMD:
        assert f'ExecStart="{sys.executable}" "{SERVER}" "--serve"' in (home.folder / UNIT).read_text()
        assert (home.folder / "asked").read_text().splitlines() == [
            "--user daemon-reload",
            "--user enable chrome-tab-reader.service",
            "--user restart chrome-tab-reader.service",
        ]


@pytest.mark.e2e
@on_terminals
async def test_remove_leaves_only_what_it_lists(ready: tuple[Home, Terminal], tmp_path: Path) -> None:
    home = copied(ready[0], tmp_path)
    history = home.write(f".local/share/{server.APP_NAME}/history.sqlite3", "")
    learned = home.write(f".local/state/{server.APP_NAME}/reading.json", "{}")
    if HAS_SYSTEMD:
        home.write(UNIT, "[Unit]\n")
    before = home.files()

    async with home.setup("remove") as terminal:
        at_login = {"it_at_login": "y"} if HAS_SYSTEMD else {}
        await terminal.answers(Claude_Code="y", Cursor="y", **at_login, Delete_them="y")
        status = await terminal.status()

    assert status == 0
    assert not home.settings.exists()
    assert not learned.parent.exists()
    assert (home.folder / ".cursor/mcp.json").read_text() == CURSOR
    assert json.loads((home.folder / ".claude.json").read_text()) == {"theme": "dark", "mcpServers": {}}
    ours = tuple(f"{folder}/{server.APP_NAME}/" for folder in (".config", ".local/state"))
    named = {name for name in before if name.startswith(ours)}
    of_login = {UNIT, "asked"} if HAS_SYSTEMD else set()
    assert home.changed(before) == named | of_login | {
        ".claude.json",
        ".cursor/mcp.json",
        ".cursor/mcp.json.before-setup",
    }
    for name in named | {".cursor/mcp.json", ".cursor/mcp.json.before-setup"}:
        assert str(home.folder / name) in terminal.shown
    assert "claude mcp remove --scope user chrome-tab-reader" in terminal.shown
    assert f"{history}: your questions and answers." in terminal.shown
    assert "remove it in chrome://extensions" in terminal.shown
    if HAS_SYSTEMD:
        assert not (home.folder / UNIT).exists()
        assert (home.folder / "asked").read_text() == "--user disable --now chrome-tab-reader.service\n"


@pytest.mark.e2e
@on_terminals
async def test_ctrl_c_at_a_question_leaves_everything_unchanged(ready: tuple[Home, Terminal], tmp_path: Path) -> None:
    home = copied(ready[0], tmp_path)
    before = home.files()

    async with home.setup("--timeout", "77") as terminal:
        await terminal.answers(want_to_use="2")
        await terminal.sees("Write it?")
        await terminal.listens()
        terminal.process.send_signal(signal.SIGINT)
        status = await terminal.status()

    assert status == 130
    assert '+ model = "qwen2.5-coder:7b"' in terminal.shown
    assert "Stopped. Completed steps are kept, and no file is half-written." in terminal.shown
    assert "Traceback" not in terminal.shown
    assert home.changed(before) == set()


def test_yes_in_a_pipe_asks_nothing_and_follows_the_flags(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home(tmp_path, {})
    home.fill()
    with in_a_thread(fake_ollama()) as ollama:
        flags = ["--ollama-url", ollama.url, "--model", "smollm2:135m", "--api-key", "sk-secret", "--clients", "cursor"]
        status, shown = set_up(home, run, monkeypatch, *flags, "--port", str(home.port))

    assert status == 0
    assert "Answer: It is closed on Mondays" in shown
    assert "sk-secret" not in shown
    settings = (home.settings / "config.toml").read_text()
    assert 'model = "smollm2:135m"' in settings
    assert 'api_key = "sk-secret"' in settings
    assert not (home.folder / ".claude.json").exists()
    assert server.APP_NAME in json.loads((home.folder / ".cursor/mcp.json").read_text())["mcpServers"]


# --- Start at login ---


@pytest.mark.e2e
@on_terminals
@pytest.mark.skipif(not HAS_SYSTEMD, reason="systemd is Linux's")
async def test_no_server_starts_at_login_unless_the_user_agrees(ready: tuple[Home, Terminal], tmp_path: Path) -> None:
    home = copied(ready[0], tmp_path)
    before = home.files()
    assert "ExecStart=" not in ready[1].shown
    assert before.keys().isdisjoint({UNIT, "asked"})

    async with home.setup("--clients", "none") as terminal:
        await terminal.answers(want_to_use="", clipboard="n", extension_now="n", Set_that_up="y", at_each_login="n")
        assert await terminal.status() == 0

    assert "+ ExecStart=" in terminal.shown
    assert "systemctl --user enable chrome-tab-reader.service" in terminal.shown
    assert home.changed(before) == set()


LOGIN_PLACES = {
    "linux": ("systemctl", UNIT),
    "darwin": ("launchctl", "Library/LaunchAgents/chrome-tab-reader.plist"),
}


def at_login_in(
    folder: Path, platform: str, program: str, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., setup_terminal.Terminal]:
    """Return what --setup does for the start at login on that system, with a fake service manager."""
    home = Home(folder, {})
    home.write(f"bin/{LOGIN_PLACES[platform][0]}", program).chmod(0o755)
    home.enter(monkeypatch)
    pretend(monkeypatch, platform, autostart, steps)

    def carry_out(*, start: bool, **settings: Any) -> setup_terminal.Terminal:
        terminal = setup_terminal.Terminal(yes=True)
        if start:
            autostart.start_at_login(terminal, server.load_settings(settings, need_model=False), wanted=True)
        else:
            autostart.no_start_at_login(terminal)
        return terminal

    return carry_out


@pytest.mark.skipif(sys.platform == "win32", reason="the programs are scripts")
@pytest.mark.parametrize("platform", LOGIN_PLACES)
def test_a_login_start_is_written_once_follows_the_settings_and_is_removed_completely(
    platform: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_login = at_login_in(tmp_path, platform, FAKE_SERVICES, monkeypatch)
    file = tmp_path / LOGIN_PLACES[platform][1]
    other = Home(tmp_path, {}).write("other.toml", "")
    before = Home(tmp_path, {}).files().keys()

    at_login(start=True, api_key="sk-secret")
    first, asked = file.read_text(), (tmp_path / "asked").read_text()
    at_login(start=True)
    assert (tmp_path / "asked").read_text() == asked
    at_login(start=True, config=str(other))
    changed = file.read_text()
    terminal = at_login(start=False)

    assert not terminal.failed
    assert "--serve" in first
    assert "sk-secret" not in first
    assert str(other) in changed
    assert Home(tmp_path, {}).files().keys() - before == {"asked"}
    begun, ended = ("restart", "disable") if platform == "linux" else ("bootstrap", "bootout")
    reported = [line.split() for line in (tmp_path / "asked").read_text().splitlines()]
    assert [word for words in reported for word in words if word in {begun, ended}] == [begun, ended, begun, ended]


@pytest.mark.skipif(sys.platform == "win32", reason="the programs are scripts")
@pytest.mark.parametrize("platform", LOGIN_PLACES)
def test_a_login_start_that_the_system_rejects_is_reported_and_leaves_no_file(
    platform: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    at_login = at_login_in(tmp_path, platform, REFUSING, monkeypatch)
    before = Home(tmp_path, {}).files()

    assert at_login(start=True).failed
    assert Home(tmp_path, {}).changed(before) == set()
    assert "failed: Failed to connect to bus: No medium found. Fix the cause, then run --setup again." in said(capsys)


def test_every_argument_of_the_command_is_the_same_at_login(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "my $HOME 10%h" / "uv"
    command = [str(program), "run", '/srv/"a" $HOME %h\\x & <b>.py', "--serve"]
    monkeypatch.setattr(os, "getuid", lambda: 501, raising=False)

    unit, agent = autostart.user_unit(command, "systemctl"), autostart.launch_agent(command, "launchctl")

    line = '/my $HOME 10%%h/uv" "run" "/srv/\\"a\\" $$HOME %%h\\\\x & <b>.py" "--serve"'
    assert f'ExecStart="{tmp_path}{line}' in unit.text.splitlines()
    if systemd := shutil.which("systemd-analyze"):
        file = tmp_path / "t.service"
        file.write_text(unit.text, encoding="utf-8")
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
        assert "is not executable" in said_of(systemd, file)
        program.parent.mkdir()
        program.symlink_to(sys.executable)
        assert said_of(systemd, file) == ""
    assert plistlib.loads(agent.text.encode())["ProgramArguments"] == command
    assert agent.begin == [["launchctl", "bootstrap", "gui/501", str(agent.path)]]


def said_of(systemd: str, unit: Path) -> str:
    """Return what systemd itself reports as wrong with a unit."""
    command = [systemd, "verify", "--user", str(unit)]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=60).stderr


@pytest.mark.skipif(sys.platform == "win32", reason="the programs are scripts")
@pytest.mark.parametrize(("status", "is_fine"), [(3, True), (5, False)])
def test_a_service_that_has_already_ended_is_removed_without_an_error(
    status: int, *, is_fine: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    at_login = at_login_in(tmp_path, "darwin", FAKE_SERVICES, monkeypatch)
    at_login(start=True)
    monkeypatch.setenv("FAKE_STATUS", str(status))

    terminal = at_login(start=False)

    assert terminal.failed is not is_fine
    assert ("launchctl failed: No such process" in said(capsys)) is not is_fine
    assert not (tmp_path / LOGIN_PLACES["darwin"][1]).exists()


def test_a_system_without_a_service_manager_gets_advice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for platform, words in (("linux", "Run the server with --serve yourself"), ("win32", "shell:startup")):
        pretend(monkeypatch, platform, autostart, steps)
        terminal = setup_terminal.Terminal(yes=True)
        autostart.start_at_login(terminal, server.load_settings({}, need_model=False), wanted=True)
        assert terminal.failed
        assert words in said(capsys)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--setup"], "--setup asks questions: run it in a terminal, or add --yes"),
        (["--setup", "remove"], "--setup asks questions"),
        (["--setup", "--yes", "--clients", "emacs"], "--clients does not know 'emacs'. Choose from claude-code,"),
        (["--setup", "--yes", "--port", "1"], "--port (CHROME_TAB_PORT) must be at least 1,024"),
    ],
)
def test_an_impossible_call_is_a_sentence_and_exit_2(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str], config_home: Path
) -> None:
    assert app.main(arguments) == 2
    assert sentence in capsys.readouterr().err
    assert not config_home.exists()


@pytest.mark.parametrize(("folder", "is_hidden"), [("clone/extension", False), (".local/tools/extension", True)])
def test_an_extension_in_a_hidden_folder_is_reached_by_pasting_its_path(
    folder: str, *, is_hidden: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture, config_home: Path
) -> None:
    monkeypatch.setattr(server, "EXTENSION", tmp_path / folder)
    pretend(monkeypatch, "linux", steps)
    settings = server.load_settings({"port": free_port()}, need_model=False)
    steps.pair_browser(setup_terminal.Terminal(yes=True), settings)

    assert config_home.exists()
    assert ("Ctrl+L" in said(capsys)) is is_hidden


# --- Model servers ---


async def test_model_servers_are_distinguished_from_other_programs() -> None:
    routes: list[dict[str, Any]] = [
        {"/api/version": {"version": "0.33.2"}, "/v1/models": {"object": "list", "data": None}},
        {
            "/api/v0/models": {"data": [{"id": "gemma-3-4b", "type": "llm"}]},
            "/v1/models": {"data": [{"id": "gemma-3-4b"}]},
        },
        {"/health/liveliness": "I'm alive!", "/v1/models": as_json({"error": {"message": "no key"}}, 401)},
        {"/v1/models": {"data": [{"id": "some-model-3b"}]}},
        {"/v1/models": as_text("<html>a page</html>"), "/version": {"version": "2"}},
        {"/v1/models": as_json({"error": "who are you"}, 401)},
        {"/v1/models": as_json({}, 503)},
    ]
    async with AsyncExitStack() as stack:
        urls = [(await stack.enter_async_context(FakeOpenAIServer(routes=one))).url for one in routes]
        unused = await stack.enter_async_context(refused_port())
        found = await models.look_everywhere(dict.fromkeys([*urls, unused]))

    assert [one.url for one in found] == urls
    assert [one.name for one in found] == ["Ollama", "LM Studio", "LiteLLM", "A model server", *["A program"] * 3]
    assert [[model.name for model in one.models] for one in found[:5]] == [
        [],
        ["gemma-3-4b"],
        [],
        ["some-model-3b"],
        [],
    ]
    assert found[2].problem == f"It needs a key: run --setup with --ollama-url {urls[2]} --api-key KEY."
    assert [one.problem for one in found[4:6]] == ["It is not a model server."] * 2
    assert "busy or still loading" in found[6].problem


async def test_a_silent_connection_does_not_delay_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "LOOK_TIMEOUT_S", 0.2)
    async with FakeOpenAIServer(routes={"/v1/models": HANG}) as silent:
        found = await models.look_everywhere({silent.url: None})

    assert [(one.name, one.models) for one in found] == [("A program", [])]


async def test_a_key_is_sent_only_to_its_own_address(monkeypatch: pytest.MonkeyPatch) -> None:
    async with FakeOpenAIServer() as own, FakeOpenAIServer() as other:
        monkeypatch.setattr(models, "USUAL", (models.USUAL[0]._replace(port=port_of(other.url)),))
        monkeypatch.setenv("OLLAMA_API_KEY", "sk-own")
        monkeypatch.setenv("OLLAMA_BASE_URL", own.url)
        settings = server.load_settings({}, need_model=False)
        await asyncio.to_thread(models.find_model, setup_terminal.Terminal(yes=True), settings, {})

    assert {request.headers.get("authorization") for request in own.requests} == {"Bearer sk-own"}
    assert {request.headers.get("authorization") for request in other.requests} == {None}


@pytest.mark.parametrize(
    ("names", "flags", "chosen"),
    [
        (["qwen3:8b", "phi4:14b"], {}, "qwen3:8b"),
        (["qwen3:8b", "phi4:14b"], {"model": "phi4:14b"}, "phi4:14b"),
        (["phi4:latest"], {"model": "phi4"}, "phi4"),
    ],
)
async def test_the_chosen_model_is_asked_where_it_was_found_although_another_address_is_configured(
    names: list[str], flags: dict[str, Any], chosen: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    routes = {"/v1/models": {"data": [{"id": name} for name in names]}}
    async with FakeOpenAIServer(routes=routes) as found, refused_port() as away:
        monkeypatch.setattr(models, "USUAL", (models.USUAL[0]._replace(port=port_of(found.url)),))
        monkeypatch.setenv("OLLAMA_BASE_URL", away)
        settings = server.load_settings(flags, need_model=False)
        values = await asyncio.to_thread(models.find_model, setup_terminal.Terminal(yes=True), settings, flags)

    assert values == {"ollama_url": f"http://localhost:{port_of(found.url)}", "model": chosen}
    assert f"The configured model server {away} does not respond." in said(capsys)


@pytest.mark.parametrize(
    ("names", "flags", "sentence"),
    [
        (
            ["qwen3:8b"],
            {"model": "phi4"},
            "No model server has a model 'phi4'. Choose one of these with --model: qwen3:8b.",
        ),
        (
            ["gpt-oss:120b-cloud"],
            {},
            "The only available models run elsewhere, so page text would leave this computer.",
        ),
    ],
)
async def test_no_model_is_configured_that_does_not_exist_here(
    names: list[str], flags: dict[str, Any], sentence: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    path = server.config_dir() / "config.toml"
    async with FakeOpenAIServer(routes={"/v1/models": {"data": [{"id": name} for name in names]}}) as found:
        monkeypatch.setattr(models, "USUAL", (models.USUAL[0]._replace(port=port_of(found.url)),))
        given = [word for name, value in flags.items() for word in (f"--{name}", value)]
        status = await asyncio.to_thread(app.main, ["--setup", "--yes", *given])

    assert status == 1
    assert sentence in said(capsys)
    assert not path.exists()


def test_a_long_list_of_models_is_cut_and_each_can_be_named(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    listed = [models.Model(f"model-{number}", "http://m", "Ollama", None, elsewhere=False) for number in range(30)]
    terminal = setup_terminal.Terminal(yes=False)

    def ask(_question: str, _proposed: str) -> str:
        return "model-29"

    monkeypatch.setattr(terminal, "ask", ask)

    assert models.choose_model(terminal, listed, None) is listed[29]
    assert f"and {30 - models.MAX_LISTED_MODELS} more; enter a name to choose one of them." in said(capsys)


@pytest.mark.parametrize(
    ("url", "name", "leaves"),
    [
        ("http://localhost:11434", "qwen3:8b", False),
        ("http://localhost:11434", "gpt-oss:120b-cloud", True),
        ("http://gpu-box:11434", "qwen3:8b", True),
    ],
)
async def test_a_model_that_sends_text_elsewhere_is_marked_in_the_list_and_warned_about_when_chosen(
    url: str, name: str, *, leaves: bool, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    (listed,) = server.listed_models({"data": [{"id": name}]}, {})
    found = models.Found(url, "Ollama", models.models_of(url, "Ollama", [listed]))

    async def look_everywhere(_addresses: object) -> list[models.Found]:
        return [found]

    def take_proposed(_question: str, proposed: str) -> str:
        return proposed

    monkeypatch.setattr(models, "look_everywhere", look_everywhere)
    terminal = setup_terminal.Terminal(yes=False)
    monkeypatch.setattr(terminal, "ask", take_proposed)
    values = await asyncio.to_thread(models.find_model, terminal, server.load_settings({}, need_model=False), {})
    chosen = said(capsys)
    flags = {"ollama_url": url, "model": name}
    await asyncio.to_thread(models.find_model, terminal, server.load_settings(flags, need_model=False), flags)

    assert values == flags
    assert ("(leaves this computer)" in chosen) is leaves
    warning = f"{name} runs elsewhere: page text leaves this computer."
    assert (warning in chosen) is leaves
    assert (warning in said(capsys)) is leaves


def listed(*names: str, **about: Any) -> list[str]:
    found = server.listed_models({"data": [{"id": name} for name in names]}, about)
    return [model.name for model in models.models_of("http://m", "Ollama", found)]


def test_models_of_useful_size_come_first_and_those_that_run_elsewhere_last() -> None:
    names = ["smollm2:135m", "gpt-oss:120b-cloud", "llama3.3:70b", "qwen3:8b", "qwen2.5-coder:7b", "gemma-3-12b-it"]

    assert listed(*names) == [names[3], names[5], names[4], names[2], names[0], names[1]]


def test_models_that_cannot_answer_are_never_proposed() -> None:
    names = ["nomic-embed-text", "bge-m3", "Qwen3-Reranker-4B", "whisper-1", "text-x", "text-y", "text-z"]
    about = {
        "text-x": {"details": {"family": "nomic-bert"}},
        "text-y": {"type": "embeddings"},
        "text-z": {"capabilities": ["embedding"]},
        "embedder-that-chats": {"capabilities": ["completion", "tools"]},
    }

    assert listed(*names, "llama3.2:3b", "embedder-that-chats", **about) == ["embedder-that-chats", "llama3.2:3b"]


@pytest.mark.parametrize(
    ("text", "size"),
    [("8.2B", 8.2), ("137M", 0.137), ("qwen3:30b-a3b", 30), ("Qwen/Qwen3-14B", 14), ("gpt-4.1", None), ("phi4", None)],
)
def test_a_models_size_is_derived_from_its_name(text: str, size: float | None) -> None:
    assert models.billions(text) == size


# --- Settings ---


def test_settings_keep_their_comments_and_tables() -> None:
    before = '# top\nmodel = "old" # why\n\n[sites."a.test"] # a rule\ndeny = true\n'

    after = steps.settings_text(before, {"ollama_url": "http://m", "model": "new"})

    assert after == '# top\nmodel = "new" # why\nollama_url = "http://m"\n\n[sites."a.test"] # a rule\ndeny = true\n'
    assert steps.settings_text(after, {"model": "new"}) == after


# --- Files ---


def test_a_file_is_replaced_through_its_link_with_its_mode_and_a_backup(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "mcp.json"
    real.parent.mkdir()
    real.write_text("old")
    real.chmod(0o640)
    link = tmp_path / "mcp.json"
    link.symlink_to(real)

    changes.replace_file(link, "new")

    assert link.is_symlink()
    assert (real.read_text(), stat.S_IMODE(real.stat().st_mode)) == ("new", 0o640)
    assert changes.backup_of(link) == real.with_name("mcp.json.before-setup")
    assert changes.backup_of(link).read_text() == "old"
    assert len(list(real.parent.iterdir())) == 2


def test_a_failed_write_leaves_the_file_unchanged_and_no_temporary_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "client" / "mcp.json"
    path.parent.mkdir()
    path.write_text("old")

    move = Path.replace

    def interrupted(draft: Path, target: Path) -> Path:
        if target == path:
            raise KeyboardInterrupt
        return move(draft, target)

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        changes.replace_file(path, "new")

    assert path.read_text() == "old"
    assert {one.name for one in path.parent.iterdir()} == {"mcp.json", "mcp.json.before-setup"}


@pytest.mark.posix
def test_temporary_files_are_private_until_they_are_complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, new = tmp_path / "mcp.json", tmp_path / "new.json"
    path.write_text("old")
    path.chmod(0o664)
    before, copy = list[int](), shutil.copystat

    def noted(source: Path, draft: Path, **_: Any) -> None:
        before.append(stat.S_IMODE(draft.stat().st_mode))
        copy(source, draft)

    monkeypatch.setattr(shutil, "copystat", noted)
    umask = os.umask(0)
    try:
        changes.replace_file(path, "new")
        changes.replace_file(new, "new")
    finally:
        os.umask(umask)

    after = [stat.S_IMODE(one.stat().st_mode) for one in (changes.backup_of(path), path, new)]
    assert before == [0o600, 0o600]
    assert after == [0o664, 0o664, 0o600]


@pytest.mark.posix
@pytest.mark.parametrize("protection", ["mode", "owner", None])
def test_a_protected_file_is_not_written_even_by_root(
    protection: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    client = clients.Client("cursor", "Cursor", tmp_path / "mcp.json", tmp_path)
    client.path.write_text("{}")
    client.path.chmod(0o444 if protection == "mode" else 0o644)
    if protection == "owner":
        monkeypatch.setattr(os, "geteuid", lambda: client.path.stat().st_uid + 1)
    terminal = setup_terminal.Terminal(yes=True)
    clients.register(terminal, [client], ["uv", "run", "server.py"])

    shown = said(capsys)
    assert terminal.failed is (protection is not None)
    assert (client.path.read_text() == "{}") is (protection is not None)
    assert ("Add this by hand" in shown) is (protection is not None)
    assert ("Registered" in shown) is (protection is None)
    assert str(client.path) in shown
    assert changes.backup_of(client.path).exists() is (protection is None)


@pytest.mark.posix
def test_a_protected_file_is_not_deleted(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_text("ours")
    path.chmod(0o444)

    with pytest.raises(setup_terminal.SetupError, match=r"mcp\.json is write-protected"):
        changes.file_change("", [], path, "ours", None)
    path.chmod(0o644)
    changes.file_change("", [], path, "ours", None).make()
    assert not path.exists()


def test_a_file_that_does_not_keep_what_was_written_is_not_reported_as_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, move = tmp_path / "mcp.json", Path.replace
    changes.replace_file(path, "ours")

    def overwritten(draft: Path, target: Path) -> Path:
        move(draft, target)
        target.write_text("theirs")
        return target

    monkeypatch.setattr(Path, "replace", overwritten)
    with pytest.raises(setup_terminal.SetupError, match=r"mcp\.json does not contain what was written"):
        changes.replace_file(path, "ours again")


def test_a_file_that_is_changed_meanwhile_keeps_the_change(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_text("mine")
    change = changes.file_change("", [], path, "mine", "ours")
    path.write_text("theirs")

    with pytest.raises(setup_terminal.SetupError, match="changed meanwhile"):
        change.make()
    assert path.read_text() == "theirs"


def test_a_file_that_cannot_be_written_is_a_sentence_and_the_run_continues(tmp_path: Path, capsys: Capture) -> None:
    terminal = setup_terminal.Terminal(yes=True)
    gone = tmp_path / "gone"
    gone.write_text("here")
    change = changes.file_change("This goes:", [], gone, "here", None)
    lost = changes.Change("This too:", [], (tmp_path / "never" / "there").unlink)

    assert changes.carry_out(terminal, change, "Delete it?")
    assert not terminal.failed
    assert not changes.carry_out(terminal, lost, "Delete it?")
    assert terminal.failed
    assert not gone.exists()
    assert "The change failed (No such file or directory). Fix the cause, then run --setup again." in said(capsys)


def test_a_file_that_is_not_text_stays_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_bytes(b"\xff\xfe")

    with pytest.raises(setup_terminal.SetupError, match=r"mcp\.json cannot be read .* so it stays as it is"):
        changes.read_file(path)


def pipe(path: Path) -> None:
    os.mkfifo(path)


def link_to_pipe(path: Path) -> None:
    os.mkfifo(path.with_name("pipe"))
    path.symlink_to("pipe")


def link_to_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def socket_file(path: Path) -> None:
    folder = os.open(path.parent, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as listening:
        # The full path can exceed the length limit of a socket address.
        listening.bind(f"/proc/self/fd/{folder}/{path.name}" if sys.platform == "linux" else str(path))
    os.close(folder)


def link_to_file(path: Path) -> None:
    path.with_name("real.json").write_text("{}")
    path.symlink_to("real.json")


def state_of(path: Path) -> tuple[int, int, int]:
    """Return what a replaced or changed file would not keep; following a link updates the time of its last access."""
    state = path.lstat()
    return state.st_mode, state.st_ino, state.st_mtime_ns


NO_FILES = [pipe, link_to_pipe, link_to_device, socket_file, Path.mkdir]


@pytest.mark.posix
@pytest.mark.parametrize("make", [*NO_FILES, link_to_file])
def test_anything_but_a_regular_file_is_rejected_without_waiting_for_it(
    make: Callable[[Path], None], tmp_path: Path, capsys: Capture
) -> None:
    client = clients.Client("cursor", "Cursor", tmp_path / "mcp.json", tmp_path)
    make(client.path)
    before = state_of(client.path)
    terminal = setup_terminal.Terminal(yes=True)
    clients.register(terminal, [client], ["uv", "run", "server.py"])

    shown = said(capsys)
    assert terminal.failed is (make is not link_to_file)
    assert (f"{client.path} cannot be read" in shown) is (make is not link_to_file)
    assert state_of(client.path) == before
    assert server.APP_NAME in (shown if terminal.failed else client.path.read_text())


@pytest.mark.posix
@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_a_login_start_replaces_neither_a_pipe_nor_a_protected_file(
    platform: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    at_login = at_login_in(tmp_path, platform, FAKE_SERVICES, monkeypatch)
    file = Home(tmp_path, {}).write(LOGIN_PLACES[platform][1], "")
    file.unlink()
    os.mkfifo(file)
    assert at_login(start=True).failed
    assert file.is_fifo()
    file.unlink()
    file.write_text("theirs")
    file.chmod(0o444)
    assert at_login(start=True).failed
    assert file.read_text() == "theirs"
    assert not (tmp_path / "asked").exists()
    assert said(capsys).count(str(file)) >= 2
    file.chmod(0o644)
    assert not at_login(start=True).failed
    assert "--serve" in file.read_text()


ENTRY = {"command": "uv", "args": ["run", "server.py"]}
FILES = {
    "nothing": "{}\n",
    "no servers": '{\n  "theme": "dark"\n}\n',
    "tabs": '{\n\t"mcpServers": {\n\t\t"a": {"x": [1, "}"]}\n\t},\n\t"n": 1e400\n}',
    "one line": '{"n": 1.50, "mcpServers": {"a": {}}, "last": null}',
    "Windows": '{\r\n    "mcpServers": {\r\n        "a": {}\r\n    }\r\n}\r\n',
}


@pytest.mark.parametrize("text", FILES.values(), ids=FILES.keys())
def test_adding_and_removing_an_entry_changes_no_other_character_of_a_clients_file(text: str) -> None:
    with_entry = json_edit.edited(text, "mcpServers", ENTRY)
    moved = json_edit.edited(with_entry, "mcpServers", {"command": "elsewhere"})

    assert json.loads(with_entry)["mcpServers"][server.APP_NAME] == ENTRY
    assert ("\r\n" in text) == ("\r\n" in with_entry)
    assert with_entry.replace("\r\n", "").count("\r") == 0
    assert json.loads(moved)["mcpServers"][server.APP_NAME] == {"command": "elsewhere"}
    assert json.loads(json_edit.edited(moved, "mcpServers", None)) == json.loads(text)
    assert "".join(json_edit.edited(with_entry, "mcpServers", None).split()) == "".join(text.split())


VALUES = st.recursive(
    st.none() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
SERVERS = st.dictionaries(st.sampled_from(["a", server.APP_NAME, '"}']), st.dictionaries(st.text(), VALUES, max_size=2))


OTHER_KEYS = st.text().filter(lambda key: key != "mcpServers")


@given(st.dictionaries(OTHER_KEYS, VALUES, max_size=3), st.none() | SERVERS, st.sampled_from([None, 1, "\t"]))
def test_only_our_entry_changes_in_a_clients_file_with_any_content(
    rest: dict[str, Any], servers: dict[str, Any] | None, indent: int | str | None
) -> None:
    held = rest | ({} if servers is None else {"mcpServers": servers})
    wanted = held | {"mcpServers": (servers or {}) | {server.APP_NAME: ENTRY}}

    assert json.loads(json_edit.edited(json.dumps(held, indent=indent), "mcpServers", ENTRY)) == wanted


def test_an_entry_before_others_is_removed_and_without_an_entry_nothing_changes() -> None:
    servers = {server.APP_NAME: ENTRY, "a": {}, "b": {}}
    text = json.dumps({"mcpServers": servers})

    assert json_edit.edited(text, "mcpServers", None) == '{"mcpServers": {"a": {}, "b": {}}}'
    assert json_edit.edited(text, "servers", None) == text


@pytest.mark.parametrize("text", ['{"mcpServers": {}, "mcpServers": {"a": {}}}', "[]", '{"a": 1,}', "// x\n{}"])
def test_a_file_that_is_not_plain_json_is_not_edited(text: str) -> None:
    with pytest.raises((ValueError, TypeError, AttributeError)):
        json_edit.edited(text, "mcpServers", ENTRY)


@pytest.mark.parametrize("text", ["[]", '{"mcpServers": []}', '{"mcpServers": {', "\ufeff{}", "[" * 100_000])
def test_an_unusual_client_file_is_a_sentence(text: str, tmp_path: Path) -> None:
    client = clients.Client("cursor", "Cursor", tmp_path / "mcp.json", tmp_path)
    client.path.write_text(text, encoding="utf-8")

    with pytest.raises(setup_terminal.SetupError, match="is not valid JSON, or contains comments"):
        clients.client_change(client, ["uv", "run", "server.py"])


# --- Clients ---


def test_an_entry_added_by_hand_to_a_file_with_comments_is_found_where_the_client_accepts_them(tmp_path: Path) -> None:
    file, command = tmp_path / "mcp.json", ["uv", "run", "server.py"]
    file.write_text(
        '\ufeff// ours: "//" /*\n{"servers": {"a": {"url": "http://a/*b*/,}"}, // "x\n '
        f'/* , */ "{server.APP_NAME}": {json.dumps(ENTRY)},\n}}}}',
        encoding="utf-8",
    )
    before, vscode = file.read_bytes(), clients.Client("vscode", "VS Code", file, tmp_path, "servers", None, True)

    assert clients.client_change(vscode, command) is None
    for other, wanted in ((vscode, ["elsewhere"]), (vscode, None), (vscode._replace(has_comments=False), command)):
        with pytest.raises(setup_terminal.SetupError, match="contains comments"):
            clients.client_change(other, wanted)
    assert file.read_bytes() == before


def test_an_entry_with_its_own_flags_stays_and_one_for_another_location_is_moved(tmp_path: Path) -> None:
    client = clients.Client("cursor", "Cursor", tmp_path / "mcp.json", tmp_path)
    command = ["/new/uv", "run", "/new/server.py"]

    def change_of(*arguments: str) -> changes.Change | None:
        entry = {"command": "uv", "args": list(arguments), "env": {"A": "1"}}
        client.path.write_text(json.dumps({"mcpServers": {server.APP_NAME: entry}}))
        return clients.client_change(client, command)

    assert change_of("run", "/new/server.py", "--parallel", "4") is None
    moved = change_of("run", "/old/server.py")
    assert moved
    moved.make()
    assert json.loads(client.path.read_text())["mcpServers"][server.APP_NAME] == {
        "command": "/new/uv",
        "args": ["run", "/new/server.py"],
        "env": {"A": "1"},
    }


INSTALLED = ".local/share/uv/tools/chrome-tab-reader"
FOR_ONE_RUN = ".cache/uv/archive-v0/x1y2"
WHEEL = "file:///home/me/chrome_tab_reader-1.0.0-py3-none-any.whl"


def install(place: Path, monkeypatch: pytest.MonkeyPatch, came: dict[str, Any] | None = None) -> Path:
    """Make the server the package that is installed in an environment, from an index or as `came` specifies (PEP 610)."""
    packages = place / "lib" / "python3.12" / "site-packages"
    about = packages / "chrome_tab_reader-1.0.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.4\nName: chrome-tab-reader\nVersion: 1.0.0\n")
    if came:
        (about / "direct_url.json").write_text(json.dumps(came))
    monkeypatch.syspath_prepend(packages)
    file = packages / SERVER.name
    monkeypatch.setattr(server, "__file__", str(file))
    monkeypatch.setattr(server, "EXTENSION", packages / "chrome_tab" / "files" / "extension")
    monkeypatch.setattr(server, "IS_INSTALLED", True)
    return file


@pytest.mark.parametrize(
    ("came", "source"),
    [
        (None, None),
        ({"url": WHEEL, "archive_info": {}}, WHEEL),
        ({"url": "file:///home/me/clone", "dir_info": {}}, "file:///home/me/clone"),
        (
            {"url": "https://git.example/it", "vcs_info": {"vcs": "git", "commit_id": "5e1f"}},
            "git+https://git.example/it@5e1f",
        ),
    ],
)
def test_clients_start_the_package_with_uvx_from_its_source_and_so_do_the_instructions(
    came: dict[str, Any] | None, source: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", "/bin/{}".format)
    install(tmp_path / FOR_ONE_RUN, monkeypatch, came)
    settings = server.load_settings({}, need_model=False)
    arguments = [*(["--from", source] if source else []), server.APP_NAME]

    assert clients.start_command(settings) == ["/bin/uvx", *arguments]
    assert f"`uvx {' '.join(arguments)} --setup`" in server.missing_settings(settings)


def test_clients_start_an_installed_program_directly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", "/bin/{}".format)
    install(tmp_path / INSTALLED, monkeypatch, {"url": WHEEL, "archive_info": {}})
    settings = server.load_settings({}, need_model=False)

    assert clients.start_command(settings) == [f"/bin/{server.APP_NAME}"]
    assert f"`{server.APP_NAME} --setup`" in server.missing_settings(settings)


@pytest.mark.parametrize(("programs", "command"), [({"uv": "/bin/uv"}, ["/bin/uv", "run"]), ({}, [sys.executable])])
def test_clients_start_a_clone_with_uv_if_there_is_one(
    programs: dict[str, str], command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", programs.get)
    monkeypatch.delenv("UV", raising=False)
    settings = server.load_settings({}, need_model=False)

    assert clients.start_command(settings) == [*command, str(SERVER)]
    assert "`uv run chrome_tab_mcp_server.py --setup`" in server.missing_settings(settings)


def test_a_browser_gets_commands_that_work_in_any_folder_with_the_settings_that_no_file_contains(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", "/bin/{}".format)
    program = f"uv run {shlex.quote(str(SERVER))}"
    assert launcher.commands(server.load_settings({}, need_model=False)) == {
        "setup": f"{program} --setup",
        "doctor": f"{program} --doctor",
    }

    flags = {"ollama_url": "http://localhost:1234", "model": "a model", "port": 7000, "api_key": "secret"}
    settings = server.load_settings(flags, need_model=True)
    given = "--ollama-url http://localhost:1234 --model 'a model' --port 7000"
    add = f"claude mcp add --scope user {server.APP_NAME} --"
    assert launcher.commands(settings) == {
        "setup": f"{program} --setup {given}",
        "doctor": f"{program} --doctor {given}",
        "serve": f"{program} --serve {given}",
        "claude": f"{add} {program} {given}",
    }

    file = server.config_dir() / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text('ollama_url = "http://localhost:1234"\nmodel = "a model"\nport = 7000\n')
    assert launcher.commands(settings)["claude"] == f"{add} {program}"

    own = tmp_path / "own.toml"
    own.write_text("port = 7000\n", encoding="utf-8-sig")
    monkeypatch.chdir(tmp_path)
    named = server.load_settings({"config": "own.toml"}, need_model=False)
    assert launcher.commands(named)["doctor"] == f"{program} --doctor --config {own}"

    install(tmp_path / INSTALLED, monkeypatch, {"url": WHEEL, "archive_info": {}})
    assert launcher.commands(settings)["serve"] == f"{server.APP_NAME} --serve"


async def test_the_welcome_lists_the_denied_hosts_and_the_commands() -> None:
    port = free_port()
    flags = {"port": port, "sites": {"bank.example": {"deny": True}, "open.example": {"content": "main"}}}
    settings = server.load_settings(flags, need_model=False)
    async with ExtensionSource(settings) as source:
        await source.start()
        async with connected(port, pairing.pairing_key()) as extension:
            assert extension.welcome["denied_hosts"] == ["bank.example"]
            assert extension.welcome["commands"] == launcher.commands(settings)


@pytest.mark.parametrize(("place", "is_said"), [(INSTALLED, False), (FOR_ONE_RUN, True)])
def test_an_extension_folder_that_uv_may_delete_is_reported_as_such(
    place: str, *, is_said: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install(tmp_path / place, monkeypatch, {"url": WHEEL, "archive_info": {}})

    can_read = steps.pair_browser(setup_terminal.Terminal(yes=True), settings_for_the_extension())

    assert not can_read
    shown = said(capsys)
    assert str(server.EXTENSION) in shown
    assert ("uv may delete it" in shown) is is_said
    assert (f"run `uv tool install {WHEEL}`, then `chrome-tab-reader --setup`" in shown) is is_said


@pytest.mark.parametrize(
    ("failures", "can_read", "has_client", "opening"),
    [
        ([], True, True, "Open a page"),
        ([], True, False, "Run `uv run chrome_tab_mcp_server.py --serve`"),
        ([], False, True, "Load the extension"),
        ([""], True, True, "Fix what is marked"),
        (["", "Start Ollama.", "Later."], False, False, "Start Ollama. Then run"),
    ],
)
def test_the_next_step_is_the_first_problem_found_and_opening_a_page_only_at_the_end(
    failures: list[str], *, can_read: bool, has_client: bool, opening: str
) -> None:
    terminal = setup_terminal.Terminal(yes=True)
    for step in failures:
        terminal.fail("Something failed.", step)

    assert steps.next_step(terminal, can_read=can_read, has_client=has_client).startswith(opening)


def settings_for_the_extension() -> server.Settings:
    return server.load_settings({"source": "extension", "port": free_port()}, need_model=False)


def test_pages_can_be_read_once_the_extension_is_connected(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = settings_for_the_extension()
    monkeypatch.setattr(pairing, "last_port", lambda: settings.port)
    monkeypatch.setattr(steps, "connected_version", "1.0.0".format)

    assert steps.pair_browser(setup_terminal.Terminal(yes=True), settings)
    assert "The extension is connected, version 1.0.0." in capsys.readouterr().out


async def test_a_port_that_another_program_holds_is_reported_before_the_user_pairs(capsys: Capture) -> None:
    async with FakeOpenAIServer() as other:
        settings = settings_for_the_extension().model_copy(update={"port": port_of(other.url)})
        terminal = setup_terminal.Terminal(yes=True)
        assert not await asyncio.to_thread(steps.pair_browser, terminal, settings)

    assert terminal.failed
    assert "vf://" not in capsys.readouterr().out


def pair_with_clipboard(monkeypatch: pytest.MonkeyPatch, copy: Any) -> list[str]:
    """Pair as a user who agrees to copy, with this fake clipboard; return the questions."""
    questions: list[str] = []

    def confirm(question: str, *, proposed: bool = True) -> bool:
        assert proposed
        questions.append(question)
        return "clipboard" in question

    terminal = setup_terminal.Terminal(yes=False)
    monkeypatch.setattr(terminal, "confirm", confirm)
    monkeypatch.setattr(steps.pyperclip, "determine_clipboard", lambda: (copy, None))
    assert not steps.pair_browser(terminal, settings_for_the_extension())
    return questions


def test_the_connection_string_is_copied_if_the_user_agrees(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    copied_lines: list[str] = []
    pair_with_clipboard(monkeypatch, copied_lines.append)

    [line] = copied_lines
    shown = said(capsys)
    assert line.startswith("vf://")
    assert line in shown
    assert "Copied." in shown


def test_copying_that_fails_is_reported(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    def copy(_line: str) -> None:
        raise steps.pyperclip.PyperclipException

    pair_with_clipboard(monkeypatch, copy)

    assert "Copied." not in said(capsys)


def test_copying_is_not_offered_where_there_is_no_clipboard(monkeypatch: pytest.MonkeyPatch) -> None:
    [only_question] = pair_with_clipboard(monkeypatch, None)

    assert "clipboard" not in only_question
    assert len(pair_with_clipboard(monkeypatch, len)) == 2


def test_on_a_mac_pages_can_be_read_without_the_extension(
    monkeypatch: pytest.MonkeyPatch, osascript: FakeOsascript, capsys: Capture
) -> None:
    pretend(monkeypatch, "darwin", steps)
    osascript.shows("Twelve words")

    assert steps.pair_browser(setup_terminal.Terminal(yes=True), server.load_settings({}, need_model=False))
    assert "AppleScript reads the active tab (12 characters)" in said(capsys)
    assert not steps.pair_browser(setup_terminal.Terminal(yes=True), settings_for_the_extension())


def test_on_a_mac_the_ollama_app_is_opened_if_it_is_not_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(monkeypatch, "darwin", models)
    monkeypatch.setattr(models, "APPLICATIONS", (tmp_path,))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert models.how_to_start_ollama() == ""

    (tmp_path / "Ollama.app").mkdir()
    assert models.how_to_start_ollama() == "Start Ollama: open the Ollama app."


async def test_a_failed_test_answer_is_a_sentence_with_its_code(capsys: Capture) -> None:
    async with FakeOpenAIServer(as_json({"error": {"message": "no such key"}}, 401)) as refusing:
        settings = server.load_settings({"ollama_url": refusing.url, "model": "m"}, need_model=False)
        terminal = setup_terminal.Terminal(yes=True)
        await asyncio.to_thread(steps.first_answer, terminal, settings)

    assert terminal.failed
    assert re.search(r"\[[A-Z_]+\]$", said(capsys))


def test_missing_clients_are_listed_and_having_none_is_fine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    Home(tmp_path, {}).enter(monkeypatch)
    terminal = setup_terminal.Terminal(yes=True)

    assert clients.chosen_clients(terminal, None) == clients.chosen_clients(terminal, "none") == []
    assert not terminal.failed
    assert clients.chosen_clients(terminal, "cursor") == []
    assert terminal.failed
    shown = said(capsys)
    assert "Claude Code, Claude Desktop, Cursor and VS Code were not found." in shown
    assert "cursor was not found on this machine. Start it once, then run --setup again." in shown

    clients.register(terminal, [], ["/a folder/chrome-tab-reader", "--model", "qwen3"])
    assert "'/a folder/chrome-tab-reader' --model qwen3" in said(capsys)


@pytest.mark.parametrize(("receipt", "is_said"), [("uv-receipt.toml", True), ("pyvenv.cfg", False)])
def test_a_tool_installed_by_uv_is_removed_by_uv(
    receipt: str, *, is_said: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / receipt).touch()
    monkeypatch.setattr(sys, "prefix", str(tmp_path))

    program = steps.what_stays([], tmp_path / "none", [])[-1]

    assert program.startswith(f"The program: {SERVER.parent}")
    assert ("`uv tool uninstall chrome-tab-reader` deletes it" in program) is is_said


def test_manual_steps_are_listed_and_unwanted_ones_are_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    broken, fine = tmp_path / "claude.json", tmp_path / "mcp.json"
    broken.write_text("{")
    fine.write_text("{}")
    here = [
        clients.Client("claude-code", "Claude Code", broken, tmp_path, program="/bin/claude"),
        clients.Client("cursor", "Cursor", fine, tmp_path),
    ]
    terminal = contrary(monkeypatch)
    clients.register(terminal, here, ["uv", "run", "/my files/server.py"])

    shown = said(capsys)
    assert "Add this by hand: claude mcp add --scope user chrome-tab-reader -- uv run '/my files/server.py'" in shown
    assert "Nothing was changed." in shown
    assert (broken.read_text(), fine.read_text()) == ("{", "{}")
    pairing.pairing_key()
    steps.remove(terminal, "none")
    shown = said(capsys)
    assert "key: you kept it." in shown
    assert "contains other files" not in shown


def test_a_removal_without_anything_to_remove_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    home = Home(tmp_path, {})
    home.write(".cursor/mcp.json", CURSOR)
    home.enter(monkeypatch)
    terminal = setup_terminal.Terminal(yes=True)
    steps.remove(terminal, None)
    steps.remove(terminal, "vscode")

    shown = said(capsys)
    assert "Cursor does not have the server." in shown
    assert "vscode was not found on this machine." in shown
    assert f"There are no files in {server.config_dir()}." in shown
    assert not terminal.failed


def test_a_client_that_fails_is_reported_with_its_own_message(tmp_path: Path) -> None:
    refusing = tmp_path / "claude"
    refusing.write_text("#!/bin/sh\necho hello\necho 'managed by your organisation' >&2\nexit 3\n")
    refusing.chmod(0o755)
    client = clients.Client("claude-code", "Claude Code", tmp_path / ".claude.json", tmp_path, program=str(refusing))
    change = clients.client_change(client, ["uv", "run", "/my files/server.py"])

    assert change
    assert change.lines == ["claude mcp add --scope user chrome-tab-reader -- uv run '/my files/server.py'"]
    with pytest.raises(setup_terminal.SetupError, match="Claude Code failed: managed by your organisation"):
        change.make()


SILENT = f"#!{sys.executable}\nprint('Added.')\n"
CARELESS = f"#!{sys.executable}\nfrom pathlib import Path\n(Path.home() / '.claude.json').write_text('{{')\n"


@pytest.mark.posix
@pytest.mark.parametrize(("program", "is_there"), [(SILENT, False), (CARELESS, False), (FAKE_CLAUDE, True)])
def test_a_client_is_reported_as_registered_only_if_its_own_file_shows_it(
    program: str, *, is_there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    home = Home(tmp_path, {})
    home.enter(monkeypatch)
    home.write("bin/claude", program).chmod(0o755)
    (client,) = clients.clients_here()
    terminal = setup_terminal.Terminal(yes=True)
    clients.register(terminal, [client], ["uv", "run", "server.py"])

    shown = said(capsys)
    assert terminal.failed is not is_there
    assert ("Registered." in shown) is is_there
    assert ("could not be verified" in shown and str(client.path) in shown) is not is_there


@pytest.mark.posix
@pytest.mark.parametrize(("program", "is_gone"), [(SILENT, False), (FAKE_CLAUDE, True)])
def test_a_client_is_reported_as_unregistered_only_if_its_own_file_shows_it(
    program: str, *, is_gone: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home(tmp_path, {})
    home.enter(monkeypatch)
    home.write("bin/claude", program).chmod(0o755)
    (client,) = clients.clients_here()
    client.path.write_text(json.dumps({"mcpServers": {server.APP_NAME: ENTRY}}))
    change = clients.client_change(client, None)

    assert change
    assert changes.carry_out(setup_terminal.Terminal(yes=True), change, "Take it out?") is is_gone
