"""What stands in more than one file and must agree."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
SCRIPT_HEAD = re.compile(r"^# /// script\n((?:#.*\n)+?)# ///$", re.MULTILINE)


def requirements() -> list[str]:
    """Every requirement of the scripts' heads and of the checks."""
    found = [
        line
        for line in (ROOT / "tests" / "requirements.txt").read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    ]
    for script in [*ROOT.glob("*.py"), *ROOT.glob("demo/*.py")]:
        head = SCRIPT_HEAD.search(script.read_text(encoding="utf-8"))
        if head:
            found += tomllib.loads(re.sub(r"^# ?", "", head[1], flags=re.MULTILINE))["dependencies"]
    return found


def test_package_has_the_same_bounds_wherever_it_is_required() -> None:
    bounds: dict[str, set[str]] = {}
    for requirement in requirements():
        name, bound = re.split(r"(?=[<>=~!])", requirement, maxsplit=1)
        bounds.setdefault(name, set()).add(bound)

    assert {"fastmcp", "playwright", "xllamacpp"} <= bounds.keys()
    assert {name: different for name, different in bounds.items() if len(different) > 1} == {}
