"""The texts of the extension's user interface, by their keys, so that tests do not repeat prose."""

import json
import re
from functools import cache
from pathlib import Path

LOCALES = Path(__file__).parent.parent.parent / "extension" / "_locales"


@cache
def messages(locale: str = "en") -> dict[str, str]:
    stored = json.loads((LOCALES / locale / "messages.json").read_text(encoding="utf-8"))
    return {key: entry["message"] for key, entry in stored.items()}


def ui_text(key: str, *values: object) -> str:
    """Fill the placeholders $1, $2 ... of an English text as `phrase` does in the extension."""
    return re.sub(r"\$(\d)", lambda place: str(values[int(place[1]) - 1]), messages()[key])


def isolated(text: str) -> str:
    """Return untrusted text as it appears in a sentence of the extension."""
    return f"\u2068{text}\u2069"
