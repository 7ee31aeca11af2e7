"""The pages under tests/pages/, opened in an attached tab."""

from pathlib import Path

from tests.extension.conftest import DrivenTab

PAGES = Path(__file__).parent.parent / "pages"


async def open_page(tab: DrivenTab, name: str) -> None:
    tab.site.pages[f"/{name}"] = (PAGES / name).read_bytes()
    await tab.do("navigate", url=tab.site.url(f"/{name}"))
