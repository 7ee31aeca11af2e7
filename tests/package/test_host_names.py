"""Names of hosts: the server and the extension normalize and compare them alike, as browsers do."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import chrome_tab_mcp_server as server
from tests.conftest import WriteToml

CASES = json.loads(Path(__file__).parents[1].joinpath("data", "host_names.json").read_text(encoding="utf-8"))
PROGRAM = Path(__file__).parents[1] / "support" / "host_names.mjs"


def extension_answers(calls: Sequence[Sequence[Any]]) -> list[Any]:
    """Call functions of the extension's shared/denied-hosts.js in Node.js: each a name and its arguments."""
    lines = "".join(json.dumps(call) + "\n" for call in calls)
    answer = subprocess.run(
        ["node", PROGRAM], input=lines, stdout=subprocess.PIPE, check=True, encoding="utf-8", timeout=60
    )
    return [json.loads(line) for line in answer.stdout.splitlines()]


@pytest.mark.e2e
def test_extension_normalizes_names_as_browsers_report_them() -> None:
    names = list(CASES["names"])

    assert dict(zip(names, extension_answers([["asciiHost", name] for name in names]), strict=True)) == CASES["names"]


@pytest.mark.e2e
def test_extension_finds_the_hosts_that_a_pattern_denies() -> None:
    denied = extension_answers([["isDenied", url, [pattern]] for url, pattern, _ in CASES["denied"]])

    assert denied == [is_denied for *_, is_denied in CASES["denied"]]
    assert extension_answers([["isDenied", url, []] for url, *_ in CASES["denied"]]) == [False] * len(denied)


@pytest.mark.parametrize(("name", "host"), CASES["names"].items())
def test_server_normalizes_names_as_browsers_report_them(name: str, host: str) -> None:
    if host:
        assert server.site_host(name) == host
    else:
        with pytest.raises(ValueError, match="must be a host"):
            server.site_host(name)


@pytest.mark.parametrize(("url", "pattern", "is_denied"), CASES["denied"])
def test_server_finds_the_hosts_that_a_rule_denies(
    url: str, pattern: str, *, is_denied: bool, write_toml: WriteToml
) -> None:
    write_toml(f"[sites.{json.dumps(pattern)}]\ndeny = true\n")

    assert server.load_settings({}, need_model=False).site(url).deny is is_denied
