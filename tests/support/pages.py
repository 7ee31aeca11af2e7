"""The pages of `tests/pages/`."""

import re
from pathlib import Path

PAGES = Path(__file__).parents[1] / "pages"


def cases(name: str) -> dict[str, str]:
    """Return the small pages of a file in `cases/`, by the names in the comments above them."""
    text = (PAGES / "cases" / f"{name}.html").read_text(encoding="utf-8")
    before, *parts = re.split(r"<!-- case: (.+) -->\n", text)
    assert not before, "Each part of the file belongs to a case."
    return dict(zip(parts[::2], parts[1::2], strict=True))
