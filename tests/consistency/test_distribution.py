"""Each way of installing, built from the repository's files and tried without a network, in an empty home directory."""

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Mapping
from importlib.metadata import Distribution
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from packaging.requirements import Requirement

import chrome_tab_mcp_server as server
from demo.browser import browser_with_extension, extension_id, pair
from demo.web import demonstration_page
from hatch_build import script_head
from scripts import dist
from tests.support.fake_extension import free_port, wait_for_port
from tests.support.fake_models import FakeOpenAIServer
from tests.support.stdio_server import started

# The distributed files are built once for all tests.
pytestmark = [pytest.mark.e2e, pytest.mark.xdist_group("distribution")]

ROOT = Path(__file__).parents[2]
SERVER = ROOT / "chrome_tab_mcp_server.py"
INSTALL_S = 60


class Made(NamedTuple):
    """What `make dist` has built, with the wheel installed and the bundle unpacked."""

    files: dict[str, Path]
    environment: Path
    bundle: Path

    @property
    def program(self) -> Path:
        return self.environment / "bin" / "chrome-tab-reader"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("dist")
    files = {path.suffix: path for path in dist.make_all(folder)}
    environment = folder / "environment"
    for command in (
        ["uv", "venv", "--quiet", "--offline", "--python", sys.executable, str(environment)],
        ["uv", "pip", "install", "--quiet", "--offline", "--no-deps", "--python", str(environment), str(files[".whl"])],
    ):
        subprocess.run(command, check=True, timeout=INSTALL_S)
    # The package's requirements are already there, in the environment of the tests.
    (packages,) = (environment / "lib").glob("python*/site-packages")
    (packages / "requirements.pth").write_text(str(Path(pytest.__file__).parent.parent), encoding="utf-8")
    with zipfile.ZipFile(files[".mcpb"]) as bundle:
        bundle.extractall(folder / "bundle")
    return Made(files, environment, folder / "bundle")


def started_by(config: Mapping[str, Any], root: Path, answers: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """Return the command and environment that a client derives from a configuration with files and user settings."""

    def filled(text: str) -> str:
        text = re.sub(r"\$\{(__dirname|CLAUDE_PLUGIN_ROOT)\}", lambda _: str(root), text)
        return re.sub(r"\$\{user_config\.(\w+)\}", lambda name: answers[name[1]], text)

    command = [config["command"], *map(filled, config["args"])]
    # What uv would download is already there.
    assert command[:3] == ["uv", "run", "--script"]
    return [sys.executable, *command[3:]], {name: filled(value) for name, value in config["env"].items()}


WAYS = ("wheel", "bundle", "plugin")


def start_of(way: str, made: Made, answers: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    if way == "wheel":
        return [str(made.program), "--ollama-url", answers["ollama_url"], "--model", answers["model"]], {}
    if way == "bundle":
        manifest = json.loads((made.bundle / "manifest.json").read_text(encoding="utf-8"))
        return started_by(manifest["server"]["mcp_config"], made.bundle, answers)
    (config,) = json.loads((ROOT / ".claude-plugin/plugin.json").read_text(encoding="utf-8"))["mcpServers"].values()
    return started_by(config, ROOT, answers)


def bare_environment(home: Path) -> dict[str, str]:
    return {"HOME": str(home), "PATH": os.environ["PATH"], "XDG_CONFIG_HOME": str(home / ".config")}


def run(*command: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        command, capture_output=True, check=False, encoding="utf-8", env=environment, timeout=INSTALL_S
    )
    assert "Traceback" not in done.stderr
    return done


# --- Contents ---


def test_wheel_and_sdist_take_their_requirements_and_version_from_the_servers_metadata(made: Made) -> None:
    (info,) = made.environment.glob("lib/python*/site-packages/chrome_tab_reader-*.dist-info")
    package = Distribution.at(info)
    head = script_head(SERVER)

    assert package.version == server.__version__
    assert {str(Requirement(need)) for need in package.requires or ()} == {
        str(Requirement(need)) for need in head["dependencies"]
    }
    assert package.metadata["Requires-Python"] == head["requires-python"]
    with tarfile.open(made.files[".gz"]) as sdist:
        reported = sdist.extractfile(f"chrome_tab_reader-{server.__version__}/PKG-INFO")
        assert reported
        assert reported.read().decode() == info.joinpath("METADATA").read_text(encoding="utf-8")


def test_wheel_built_from_the_sdist_contains_the_same_files(made: Made, tmp_path: Path) -> None:
    # Python before 3.11.4 has no filter for tarfile, and later ones warn without it.
    subprocess.run(["tar", "-xzf", made.files[".gz"], "-C", tmp_path], check=True, timeout=INSTALL_S)
    source = tmp_path / made.files[".gz"].name.removesuffix(".tar.gz")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(command, cwd=source, check=True, timeout=INSTALL_S, stdout=subprocess.DEVNULL)

    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.read_bytes() == made.files[".whl"].read_bytes()


def test_wheel_and_bundle_contain_every_file_that_the_program_needs(made: Made) -> None:
    (packages,) = made.environment.glob("lib/python*/site-packages")
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "chrome_tab").rglob("*.py")}
    pdf = {"vendor/pdfjs.js", "page/pdf/pdf-text.js", "vendor/cmaps/UniGB-UCS2-H.bcmap"}
    files = {"chrome_tab.scpt", "test-app/index.html", *(f"extension/{name}" for name in pdf | {"manifest.json"})}
    needed = {SERVER.name, "chrome_tab/extractions.toml", *modules, *(f"chrome_tab/files/{name}" for name in files)}

    for root in (packages, made.bundle):
        assert {name for name in needed if not (root / name).exists()} == set()
    for name in files:
        assert (packages / "chrome_tab/files" / name).read_bytes() == (ROOT / name).read_bytes()
    installed = {path.name for path in packages.iterdir() if "chrome" in path.name and ".dist-info" not in path.name}
    assert installed == {SERVER.name, "chrome_tab"}


def test_bundle_declares_its_requirements_and_asks_for_both_settings(made: Made) -> None:
    manifest = json.loads((made.bundle / "manifest.json").read_text(encoding="utf-8"))
    project = tomllib.loads((made.bundle / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert (manifest["name"], manifest["version"]) == (server.APP_NAME, server.__version__)
    assert (made.bundle / manifest["server"]["entry_point"]).read_bytes() == SERVER.read_bytes()
    assert (made.bundle / manifest["icon"]).read_bytes().startswith(b"\x89PNG")
    assert {name for name, field in manifest["user_config"].items() if field["required"]} == {"ollama_url", "model"}
    assert project == {"name": server.APP_NAME, "version": server.__version__, **script_head(SERVER)}


def test_bundle_with_an_invalid_manifest_is_rejected(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = {**dist.bundle_manifest(), "user_config": {"model": {"type": "text", "title": "Model"}}}
    monkeypatch.setattr(dist, "bundle_manifest", lambda: wrong)

    with pytest.raises(SystemExit, match=r"The MCP bundle is not valid\.[^$]*user_config"):
        dist.bundle(tmp_path, made.files[".whl"])


def test_extension_for_the_store_has_no_key_and_a_name_that_does_not_begin_with_a_trademark(made: Made) -> None:
    ours = json.loads((ROOT / "extension/manifest.json").read_text(encoding="utf-8"))
    with zipfile.ZipFile(made.files[".zip"]) as store:
        manifest = json.loads(store.read("manifest.json"))
        packed = {name: store.read(name) for name in store.namelist() if name != "manifest.json"}

    assert manifest == {**{name: value for name, value in ours.items() if name != "key"}, "name": dist.STORE_NAME}
    assert not re.match(r"(google|chrome|chromium|claude|ollama|kapture|mcp)\b", manifest["name"], re.IGNORECASE)
    left_out = {
        path.relative_to(ROOT / "extension").as_posix() for path in (ROOT / "extension").rglob("*") if path.is_file()
    } - packed.keys()
    assert {Path(name).suffixes[-2:][0] for name in left_out - {"manifest.json"}} == {".d"}
    assert all(content == (ROOT / "extension" / name).read_bytes() for name, content in packed.items())


def test_extension_for_firefox_requests_only_what_firefox_knows_and_keeps_the_rest(made: Made) -> None:
    ours = json.loads((ROOT / "extension/manifest.json").read_text(encoding="utf-8"))
    with zipfile.ZipFile(made.files[".xpi"]) as package, zipfile.ZipFile(made.files[".zip"]) as store:
        manifest = json.loads(package.read("manifest.json"))
        assert package.namelist() == store.namelist()

    assert set(ours["permissions"]) - set(manifest["permissions"]) == {"debugger", "favicon", "sidePanel"}
    assert not {"key", "minimum_chrome_version", "side_panel", "devtools_page"} & manifest.keys()
    assert manifest["host_permissions"] == ours["host_permissions"]
    assert manifest["background"] == {"scripts": [ours["background"]["service_worker"]], "type": "module"}
    # Firefox's own policy would turn ws: into wss:.
    assert "upgrade-insecure-requests" not in manifest["content_security_policy"]["extension_pages"]


# --- Running it ---


async def test_each_installation_lists_its_tools_in_an_empty_home_and_answers_about_a_page_in_a_real_browser(
    made: Made,
) -> None:
    (extension,) = made.environment.glob("lib/python*/site-packages/chrome_tab/files/extension")
    # The path of Chromium's socket in its directory is limited to about 100 characters.
    with tempfile.TemporaryDirectory(prefix="home-") as home, demonstration_page() as page_url:
        port = free_port()
        environment = bare_environment(Path(home)) | {"CHROME_TAB_PORT": str(port)}
        line = (await asyncio.to_thread(run, made.program, "--pair", **environment)).stdout.strip()
        # The page is in a window of its own, as of a site that is installed as an app.
        launched = browser_with_extension(Path(home, "profile"), extension, arguments=[f"--app={page_url}"])
        async with FakeOpenAIServer() as model, launched as browser:
            (page,) = browser.pages
            own_page = await browser.new_page()
            await own_page.goto(f"chrome-extension://{extension_id()}/manifest.json")
            for way in WAYS:
                (program, *arguments), settings = start_of(way, made, {"ollama_url": model.url, "model": "fake-model"})
                async with started(interpreter=program, program=arguments, **environment, **settings) as session:
                    about = (await session.initialize())["serverInfo"]
                    assert (about["name"], about["version"]) == (server.APP_NAME, server.__version__)
                    listed, _ = await session.request("tools/list")
                    assert {"process_chrome_tab", "read_chrome_tab"} <= {tool["name"] for tool in listed["tools"]}
                    if way == WAYS[0]:
                        await pair(browser, line)
                        await page.bring_to_front()
                    else:
                        await wait_for_port(port)
                        # By itself the extension would wait 2 to 3 s.
                        await own_page.evaluate("chrome.runtime.connect().postMessage({ action: 'reconnect' })")
                    answer = await session.call("process_chrome_tab", system_prompt=f"What is new? {way}")
                assert answer["content"][0]["text"].startswith("An answer.")
    assert len(model.chats) == len(WAYS)
    for way, request in zip(WAYS, model.chats, strict=True):
        assert f"What is new? {way}" in request.prompt
        assert "Skarholm" in request.prompt


def held_by(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


async def test_the_installed_program_sets_itself_up_registers_itself_and_unregisters_itself(
    made: Made, tmp_path: Path
) -> None:
    home, uvx = tmp_path / "home", tmp_path / "uvx"
    cursor = home / ".cursor" / "mcp.json"
    cursor.parent.mkdir(parents=True)
    places = {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "PATH": str(tmp_path),
        # A user of this machine may be running the program on its default port.
        "CHROME_TAB_PORT": str(free_port()),
    }
    # What uvx builds from the same wheel for one run, and a fake uvx, whose presence is all that is checked.
    one_run = shutil.copytree(made.environment, tmp_path / "archive-v0" / "x1y2", symlinks=True)
    uvx.symlink_to(sys.executable)

    async def registered(*program: Path) -> tuple[str, dict[str, Any]]:
        async with FakeOpenAIServer() as fake:
            ready = await asyncio.to_thread(run, *program, "--setup", "--yes", "--ollama-url", fake.url, **places)
        return ready.stdout, json.loads(cursor.read_text())["mcpServers"][server.APP_NAME]

    _, entry = await registered(one_run / "bin" / "python", one_run / "bin" / made.program.name)
    assert entry == {"command": str(uvx), "args": ["--from", made.files[".whl"].as_uri(), server.APP_NAME]}
    cursor.unlink()
    said, entry = await registered(made.program)
    assert entry == {"command": str(made.program), "args": []}
    assert "Answer: An answer." in said
    (extension,) = made.environment.glob("lib/python*/site-packages/chrome_tab/files/extension")
    assert f"  {extension.resolve()}\n" in said
    gone = await asyncio.to_thread(run, made.program, "--setup", "remove", "--yes", **places)
    assert held_by(home) == {".config", ".cursor"}
    assert f"The program: {made.environment}" in " ".join(gone.stdout.split())
