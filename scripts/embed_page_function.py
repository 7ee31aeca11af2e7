"""Write the extension's page function into the AppleScript, so that both read a page by the same rules.

python scripts/embed_page_function.py            writes chrome_tab.scpt
python scripts/embed_page_function.py --check    exit status 1 when it is not up to date
"""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
EXTENSION = ROOT / "extension"
SOURCE = EXTENSION / "page" / "read-page.js"
MAIN_CONTENT: list[str] = json.loads((EXTENSION / "page" / "files.json").read_text(encoding="utf-8"))["mainContent"]
SCRIPT = ROOT / "chrome_tab.scpt"
BEGIN = "-- begin of the page function, written by scripts/embed_page_function.py\n"
END = "-- end of the page function\n"
# A comment at the start of a line, up to the end of the line on which it ends.
COMMENT = re.compile(r"^ *(?://.*|/\*(?:.|\n)*?\*/)\n", re.MULTILINE)
# Between a name or a key and its value, which is on a line of its own if it is long.
BEFORE_VALUE = re.compile(r"(?<= =|\w:|\":)\n +")


def without_comments(code: str) -> str:
    """Return JavaScript without comments, blank lines, line breaks before values, and characters beyond ASCII."""
    plain = BEFORE_VALUE.sub(" ", re.sub(r"\n\n+", "\n", COMMENT.sub("", code)).strip())
    return re.sub(r"[^\0-\x7f]", lambda found: f"\\u{ord(found[0]):04x}", plain)


def page_function(module: str) -> str:
    """Return the exported function of *module* as an expression."""
    code = without_comments(module)
    if not code.startswith("export function readPage("):
        message = f"{SOURCE.name} must export one function, readPage"
        raise ValueError(message)
    return code.removeprefix("export ")


def main_content_script() -> str:
    """Return the scripts that find the main content, as the AppleScript sends them: one block, which may run again."""
    files = [(EXTENSION / path).read_text(encoding="utf-8") for path in MAIN_CONTENT]
    return "{" + "".join(files) + "}"


def literal(text: str) -> str:
    """Return *text* as AppleScript writes it."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def embedded(script: str, module: str) -> str:
    """Return *script* with the page function of *module* between the marker lines, at its end."""
    before, _ = script.split(BEGIN)
    return f"{before}{BEGIN}property pageFunction : {literal(page_function(module))}\n{END}"


def main(arguments: list[str]) -> int:
    """Write the script, or only compare it; return the exit status."""
    script = SCRIPT.read_text(encoding="ascii")
    expected = embedded(script, SOURCE.read_text(encoding="ascii"))
    if "--check" in arguments:
        return 0 if script == expected else 1
    SCRIPT.write_text(expected, encoding="ascii", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
