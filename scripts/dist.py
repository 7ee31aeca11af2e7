"""Build everything that is distributed, from the repository's files and without a network: `make dist`.

    python -m scripts.dist FOLDER

builds in that directory the wheel and the sdist, the MCP bundle, the extension for the Chrome Web Store and for
Firefox, and `server.json` for the MCP registry. Name and version are the server's.

    python -m scripts.dist --firefox FOLDER

builds only the extension for Firefox, as `make firefox` does.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import chrome_tab_mcp_server as server
from hatch_build import registry_name, script_head

ROOT = Path(__file__).resolve().parent.parent
EXTENSION = ROOT / "extension"
PLUGIN = ROOT / ".claude-plugin" / "plugin.json"
STORE_NAME = "Tab Reader for Chrome"
FIREFOX_NAME = "Tab Reader for Firefox"
FIREFOX_ID = "chrome-tab-reader@extension"
# Firefox requires a declaration of the data that leaves the extension: pages go to the server on this computer.
GECKO = {
    "id": FIREFOX_ID,
    "strict_min_version": "153.0",
    "data_collection_permissions": {"required": ["websiteContent", "browsingActivity"]},
}
# Keys that only Chromium browsers know.
CHROMIUM_KEYS = ("key", "minimum_chrome_version", "side_panel", "devtools_page")
CHROMIUM_PERMISSIONS = {"debugger", "favicon", "sidePanel"}
SERVER_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
OLDEST_TIME = (1980, 1, 1, 0, 0, 0)  # the same files give the same archive


def pack(archive: Path, files: dict[str, bytes]) -> Path:
    """Write a zip file with these files; return it."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, content in sorted(files.items()):
            zipped.writestr(zipfile.ZipInfo(name, OLDEST_TIME), content, zipfile.ZIP_DEFLATED)
    return archive


def python_package(folder: Path) -> tuple[Path, Path]:
    """Build the wheel and the sdist; return them."""
    command = [sys.executable, "-m", "hatchling", "build", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    name = f"{server.APP_NAME.replace('-', '_')}-{server.__version__}"
    return folder / f"{name}-py3-none-any.whl", folder / f"{name}.tar.gz"


def extension_package(folder: Path, manifest: dict[str, Any], suffix: str) -> Path:
    """Pack the extension with this manifest instead of its own."""
    files = {
        path.relative_to(EXTENSION).as_posix(): path.read_bytes()
        for path in EXTENSION.rglob("*")
        if path.is_file() and not path.name.endswith(".d.ts")
    }
    files["manifest.json"] = json.dumps(manifest, indent=2).encode()
    return pack(folder / f"{manifest['name'].lower().replace(' ', '-')}-{server.__version__}{suffix}", files)


def extension_manifest() -> dict[str, Any]:
    """Return the manifest in the repository, which is Chromium's."""
    return json.loads((EXTENSION / "manifest.json").read_text(encoding="utf-8"))


def store_package(folder: Path) -> Path:
    """Pack the extension for the store, which assigns the id itself and forbids names that begin with a trademark."""
    manifest = extension_manifest()
    del manifest["key"]
    return extension_package(folder, manifest | {"name": STORE_NAME}, ".zip")


def firefox_manifest() -> dict[str, Any]:
    """Return the manifest for Firefox: event pages, a sidebar, and no debugger."""
    manifest = extension_manifest()
    worker = manifest["background"]["service_worker"]
    panel = manifest["side_panel"]["default_path"]
    kept = {key: value for key, value in manifest.items() if key not in CHROMIUM_KEYS}
    return kept | {
        "name": FIREFOX_NAME,
        "browser_specific_settings": {"gecko": GECKO},
        "permissions": [name for name in manifest["permissions"] if name not in CHROMIUM_PERMISSIONS],
        "background": {"scripts": [worker], "type": "module"},
        "sidebar_action": {"default_panel": panel, "default_icon": manifest["icons"], "open_at_install": False},
        # Without its own policy Firefox would turn the server's addresses into wss: and https:.
        "content_security_policy": {"extension_pages": "script-src 'self'; object-src 'self';"},
    }


def firefox_package(folder: Path) -> Path:
    """Pack the extension for Firefox, in a form that about:debugging loads as it is."""
    return extension_package(folder, firefox_manifest(), ".xpi")


def bundle_manifest() -> dict[str, Any]:
    """Return the manifest of an MCP bundle; it asks the user for the same settings as the plugin."""
    plugin = json.loads(PLUGIN.read_text(encoding="utf-8"))
    (started,) = plugin["mcpServers"].values()
    return {
        "manifest_version": "0.4",
        "name": server.APP_NAME,
        "display_name": "Chrome Tab Reader",
        "version": server.__version__,
        "description": plugin["description"],
        "author": plugin["author"],
        "license": plugin["license"],
        "keywords": plugin["keywords"],
        "icon": "icon.png",
        "server": {
            "type": "uv",
            "entry_point": "chrome_tab_mcp_server.py",
            "mcp_config": {
                **started,
                "args": [part.replace("${CLAUDE_PLUGIN_ROOT}", "${__dirname}") for part in started["args"]],
            },
        },
        "tools_generated": True,
        "compatibility": {"platforms": ["darwin", "win32", "linux"]},
        "user_config": plugin["userConfig"],
    }


def bundle_project() -> str:
    """Return the `pyproject.toml` that the format requires: the server's requirements, for readers without PEP 723."""
    head = script_head(ROOT / "chrome_tab_mcp_server.py")
    fields = {"name": server.APP_NAME, "version": server.__version__, **head}
    return "\n".join(["[project]", *(f"{name} = {json.dumps(value)}" for name, value in fields.items()), ""])


def bundle(folder: Path, wheel: Path) -> Path:
    """Pack the MCP bundle with its own tool, which validates it; it has the same files as the wheel."""
    made = folder / f"{server.APP_NAME}-{server.__version__}.mcpb"
    with tempfile.TemporaryDirectory() as scratch, zipfile.ZipFile(wheel) as package:
        root = Path(scratch)
        package.extractall(root, [name for name in package.namelist() if ".dist-info/" not in name])
        (root / "manifest.json").write_text(json.dumps(bundle_manifest(), indent=2), encoding="utf-8")
        (root / "pyproject.toml").write_text(bundle_project(), encoding="utf-8")
        shutil.copyfile(EXTENSION / "icons" / "icon-128.png", root / "icon.png")
        command = ["node", str(ROOT / "node_modules/@anthropic-ai/mcpb/dist/cli/cli.js"), "pack", str(root), str(made)]
        done = subprocess.run(command, check=False, capture_output=True, encoding="utf-8")
    if done.returncode != 0:
        raise SystemExit(f"The MCP bundle is not valid.\n{done.stdout}{done.stderr}")
    return made


def registry_entry() -> dict[str, Any]:
    """Return `server.json` for the MCP registry: the package, and the two settings that it needs."""
    asked = json.loads(PLUGIN.read_text(encoding="utf-8"))["userConfig"]
    variables = [
        {
            "name": server.environment_name(name),
            "description": field["description"],
            "isRequired": True,
            **({"default": field["default"]} if "default" in field else {}),
        }
        for name, field in asked.items()
    ]
    return {
        "$schema": SERVER_SCHEMA,
        "name": registry_name(),
        "title": "Chrome Tab Reader",
        "description": "A local model answers about the browser tab that you have open.",
        "version": server.__version__,
        "packages": [
            {
                "registryType": "pypi",
                "identifier": server.APP_NAME,
                "version": server.__version__,
                "runtimeHint": "uvx",
                "transport": {"type": "stdio"},
                "environmentVariables": variables,
            }
        ],
    }


def make_all(folder: Path) -> list[Path]:
    """Build everything in `folder`; return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    wheel, sdist = python_package(folder)
    entry = folder / "server.json"
    entry.write_text(json.dumps(registry_entry(), indent=2) + "\n", encoding="utf-8")
    return [wheel, sdist, bundle(folder, wheel), store_package(folder), firefox_package(folder), entry]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m scripts.dist", description="Make everything that is handed out.")
    parser.add_argument("--firefox", action="store_true", help="the extension for Firefox alone")
    parser.add_argument("folder", type=Path)
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    for made in [firefox_package(asked.folder)] if asked.firefox else make_all(asked.folder):
        print(f"{made}  {made.stat().st_size / 1000:,.0f} kB")


if __name__ == "__main__":
    main()
