"""Write the page function of the extension into the AppleScript, so that both read a page by the same rules.

python scripts/embed_page_function.py            writes chrome_tab.scpt
python scripts/embed_page_function.py --check    exit status 1 when it is not up to date
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "extension" / "page" / "read-page.js"
SCRIPT = ROOT / "chrome_tab.scpt"
BEGIN = "-- begin of the page function, written by scripts/embed_page_function.py\n"
END = "-- end of the page function\n"
# A comment that starts its line, up to the end of the line on which it ends.
COMMENT = re.compile(r"^ *(?://.*|/\*(?:.|\n)*?\*/)\n", re.MULTILINE)


def page_function(module: str) -> str:
    """Return the exported function of *module* as an expression, without comments and blank lines."""
    code = re.sub(r"\n\n+", "\n", COMMENT.sub("", module)).strip()
    if not code.startswith("export function readPage(") or not code.isascii():
        message = f"{SOURCE.name} must export one function, readPage, in ASCII"
        raise ValueError(message)
    return code.removeprefix("export ")


def embedded(script: str, module: str) -> str:
    """Return *script* with the page function of *module* between the two marker lines, as a string literal."""
    before, rest = script.split(BEGIN)
    _, after = rest.split(END)
    literal = page_function(module).replace("\\", "\\\\").replace('"', '\\"')
    return f'{before}{BEGIN}property pageFunction : "{literal}"\n{END}{after}'


def main(arguments: list[str]) -> int:
    """Write the script, or only compare; return the exit status."""
    script = SCRIPT.read_text(encoding="ascii")
    expected = embedded(script, SOURCE.read_text(encoding="ascii"))
    if "--check" in arguments:
        return 0 if script == expected else 1
    SCRIPT.write_text(expected, encoding="ascii", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
