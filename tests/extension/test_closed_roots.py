"""Closed shadow roots: out of reach for the page's own scripts, but not for a user."""

import pytest

from tests.extension.conftest import DrivenTab, shared_tab_at

page = shared_tab_at("/closed-roots.html")


@pytest.mark.parametrize(
    ("selector", "clicked"),
    [
        ("#buy", "card: Buy now"),
        ("text=Buy now", "card: Buy now"),
        ("my-card >>> button", "card: Buy now"),
        ("my-card >>> my-more >>> button", "more: More"),
        ("my-card >>> text=More", "more: More"),
        ("#plain >>> .twin", "plain: Shadow twin"),
        ("text=Shadow twin", "plain: Shadow twin"),
        ("text=Slotted", "card: Slotted"),
        ("my-card >>> iframe >>> #pay", "frame: Pay"),
    ],
)
async def test_element_in_a_closed_root_is_clicked_and_gets_a_selector_that_finds_it_again(
    page: DrivenTab, selector: str, clicked: str
) -> None:
    result = await page.do("click", selector=selector)

    assert await page.page.evaluate("clicked") == [clicked]
    again = await page.do("click", selector=result["element"]["selector"])
    assert (again["element"], again["matches"]) == (result["element"], 1)
    assert await page.page.evaluate("clicked") == [clicked, clicked]


async def test_field_in_a_closed_root_is_filled_and_an_option_of_its_list_selected(page: DrivenTab) -> None:
    assert (await page.do("fill", selector="#amount", value="12"))["value"] == "12"
    assert (await page.do("select", selector="#size", value="Large"))["selected"] == [{"value": "l", "label": "Large"}]
    assert await page.page.evaluate("values()") == ["12", "l"]


async def test_what_covers_an_element_in_a_closed_root_is_named_and_not_clicked(page: DrivenTab) -> None:
    code, message = await page.refused_soon("click", selector="#hidden-by-hover")

    assert (code, 'i#cover "Cover"' in message) == ("EXECUTION_ERROR", True)
    assert await page.page.evaluate("clicked") == []
    await page.do("click", selector="#buy")
    assert await page.page.evaluate("clicked") == ["card: Buy now"]


async def test_missing_element_gets_a_suggestion_from_a_closed_root(page: DrivenTab) -> None:
    assert "Did you mean #amount (input" in (await page.refused("click", selector="#amountt"))[1]
