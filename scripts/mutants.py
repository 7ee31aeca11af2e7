"""Change one line at a time and see whether a test notices.

    make mutants                 every change of tests/mutants.toml
    make mutants ONLY="proof"    those whose description holds the words

Each change is made in a copy of the tree, where only the tests run that should notice. They run there without a change
first: a test that fails anyway notices nothing, so its changes are not tried, and the others are all the same.
Exit status: 0 all noticed, 1 one was not or could not be tried, 2 the table is out of date.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "tests" / "mutants.toml"
TESTS_S = 900
# pytest's own: 0 all passed, 1 some failed.
PASSED, FAILED = 0, 1


@dataclass(frozen=True)
class Mutant:
    """One change: `before`, which stands once in `file`, becomes `after`; `tests` are pytest's arguments."""

    what: str
    file: str
    before: str
    after: str
    tests: list[str]

    def fault(self) -> str | None:
        """Say what is wrong with this line of the table."""
        times = (ROOT / self.file).read_text(encoding="utf-8").count(self.before)
        if times != 1:
            return f"{self.what}: {self.file} holds {self.before!r} {times} times, not once."
        missing = [name for name in self.tests if name.endswith(".py") and not (ROOT / name).exists()]
        return f"{self.what}: there is no {', '.join(missing)}." if missing else None


def copy_tree(folder: Path) -> Path:
    """Copy what is tracked or new; what set-up has installed is shared."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    for installed in (".venv", "node_modules"):
        (folder / installed).symlink_to(ROOT / installed)
    # Some tests ask git which files there are.
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    subprocess.run(["git", "add", "--all"], cwd=folder, check=True)
    return folder


def run_tests(folder: Path, tests: Iterable[str]) -> tuple[int, str]:
    """Run these tests in a copy until one fails; return pytest's exit status, the first complaint and the last lines."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    # Byte code is kept by time and size of the source, and a change may keep both.
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False, timeout=TESTS_S
        )
    except subprocess.TimeoutExpired:
        return FAILED, f"not done within {TESTS_S} s"
    lines = done.stdout.splitlines()
    return done.returncode, "\n".join([*[line for line in lines if line.startswith("E  ")][:1], *lines[-8:]])


def noticing(said: str) -> str:
    """Name the test that failed and its first complaint: what only a time limit notices may not be meant by the test."""
    failed = [line for line in said.splitlines() if line.startswith(("FAILED tests", "ERROR tests", "not done"))]
    complaint = next((line[1:] for line in said.splitlines() if line.startswith("E  ")), "")
    return f"{' '.join(failed)}: {complaint.strip()[:150]}"


def try_out(mutant: Mutant, folder: Path) -> tuple[int, str]:
    """Make the change in the copy, run its tests, take it back."""
    path = folder / mutant.file
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole.replace(mutant.before, mutant.after), encoding="utf-8")
    try:
        return run_tests(folder, mutant.tests)
    finally:
        path.write_text(whole, encoding="utf-8")


def try_all(mutants: list[Mutant], copies: list[Path]) -> list[str]:
    """Try each in whichever copy is free; return those that no test noticed or could."""
    free: SimpleQueue[Path] = SimpleQueue()
    for copy in copies:
        free.put(copy)

    # By the tests' names: what they said without a change.
    unchanged: dict[str, tuple[int, str]] = {}

    def one(mutant: Mutant) -> str | None:
        copy = free.get()
        tests = " ".join(mutant.tests)
        if tests not in unchanged:
            unchanged[tests] = run_tests(copy, mutant.tests)
        healthy, before = unchanged[tests]
        status, said = try_out(mutant, copy) if healthy == PASSED else (healthy, before)
        free.put(copy)
        if healthy != PASSED or status not in {PASSED, FAILED}:
            print(f"NOT TRIED   {mutant.what}: {tests} fails without a change or cannot be run:\n{said}", flush=True)
            return mutant.what
        if status == FAILED:
            print(f"noticed     {mutant.what}\n            {noticing(said)}", flush=True)
            return None
        print(f"NOT NOTICED {mutant.what}", flush=True)
        return mutant.what

    with ThreadPoolExecutor(len(copies)) as pool:
        return [what for what in pool.map(one, mutants) if what]


def main() -> int:
    parser = argparse.ArgumentParser(description="Change one line at a time: a test must notice.")
    parser.add_argument("only", nargs="*", help="words that the description holds")
    parser.add_argument("--check", action="store_true", help="only look whether every line to change is still there")
    parser.add_argument("--copies", type=int, default=os.cpu_count() or 1, help="how many are tried at once")
    options = parser.parse_args()
    table = [Mutant(**entry) for entry in tomllib.loads(TABLE.read_text(encoding="utf-8"))["mutants"]]
    if faults := [fault for mutant in table if (fault := mutant.fault())]:
        print(f"tests/{TABLE.name} is out of date.", *faults, sep="\n")
        return 2
    words = " ".join(options.only)
    chosen = [mutant for mutant in table if words in mutant.what]
    print(f"{len(chosen)} of {len(table)} changes")
    if options.check:
        return 0
    with tempfile.TemporaryDirectory(prefix="mutants-", ignore_cleanup_errors=True) as name:
        copies = [copy_tree(Path(name) / f"copy-{number}") for number in range(options.copies)]
        unnoticed = try_all(chosen, copies)
    print(f"{len(chosen) - len(unnoticed)} of {len(chosen)} were noticed.")
    return 1 if unnoticed else 0


if __name__ == "__main__":
    sys.exit(main())
