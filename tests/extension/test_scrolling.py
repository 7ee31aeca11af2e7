"""Scrolling: elements into view, boxes and the page to a position, and what is reported about it."""

from typing import Any

import pytest

from tests.extension.conftest import DrivenTab, changed_waits, shared_tab_at

PAGE = """<style>body { margin: 0 } #tall { height: 4000px } #box { height: 100px; width: 100px; overflow: auto }
#content { height: 900px; width: 700px }</style><div id=box><div id=content>Content</div></div>
<div id=tall>Tall</div><p id=last>Last</p><script>
  window.events = [];
  for (const type of ["wheel", "scroll"]) {
    addEventListener(type, ({ target, isTrusted }) => events.push(`${type} ${target.id ?? "page"} ${isTrusted}`), true);
  }
</script>"""
# The page itself does not scroll, and the list grows twice when its end comes into view.
LIST = """<style>html, body { margin: 0; height: 100%; overflow: hidden } #list { height: 100%; overflow: auto } p { height: 300px }</style>
<div id=list><p>1<p>2<p>3<p>4<p>5</p><i id=end>end</i></div><script>
  let rounds = 0;
  new IntersectionObserver(([{ isIntersecting }]) => {
    if (isIntersecting && rounds++ < 2) document.querySelector("#end").insertAdjacentHTML("beforebegin", "<p>more<p>more<p>more<p>more");
  }).observe(document.querySelector("#end"));
</script>"""

# Neither box scrolls for a user, and the first one is slightly too small for what it contains.
LOCKED = """<style>#app, #strip { height: 200px; overflow: hidden } #list { height: 200px; overflow: auto } p { height: 50px }</style>
<div id=app><div id=list><p>1<p>2<p>3<p>4<p>5<p>6<p id=last>7</div><div style="height: 6px"></div></div>
<div id=strip><p>1<p>2<p>3<p>4<p>5<p id=far>6</div>"""

blank = shared_tab_at("/blank")


@pytest.fixture
async def page(blank: DrivenTab) -> DrivenTab:
    await blank.show(PAGE)
    return blank


async def top(page: DrivenTab, scroller: str) -> float:
    return await page.page.evaluate(f"{scroller}.scrollTop")


async def test_element_is_scrolled_into_view(page: DrivenTab) -> None:
    result = await page.do("scroll", selector="#last")

    assert await page.page.evaluate("last.getBoundingClientRect().bottom <= innerHeight")
    assert result["element"]["selector"] == "#last"
    assert result["scrolled"]["top"] == await top(page, "document.documentElement") > 3000


async def test_scroll_bar_that_a_page_sets_on_its_body_is_that_of_the_page(page: DrivenTab) -> None:
    await page.page.add_style_tag(content="html, body { height: 100% } body { overflow-y: scroll }")

    shown = await page.do("scroll", selector="#last")

    assert ("notes" in shown, shown["scrolled"]["top"]) == (False, await top(page, "document.documentElement"))
    assert (await page.do("scroll", to="top"))["scrolled"]["top"] == 0 < shown["scrolled"]["top"]


async def test_box_that_users_cannot_scroll_is_scrolled_only_if_the_element_is_out_of_sight_otherwise(
    blank: DrivenTab,
) -> None:
    await blank.write(LOCKED)

    await blank.do("click", selector="#last")
    await blank.do("click", selector="#far")

    assert await top(blank, "list") > 0 == await top(blank, "app")
    assert await top(blank, "strip") > 0


async def test_element_that_the_page_scrolls_away_again_is_reported(page: DrivenTab) -> None:
    await page.page.evaluate("onscroll = () => scrollTo(0, 0)")

    result = await page.do("scroll", selector="#last")
    whole = await page.do("scroll", to="bottom")

    await page.page.evaluate("onscroll = null")
    assert result["scrolled"]["top"] == whole["scrolled"]["top"] == 0
    assert len(result["notes"]) == 1
    assert "notes" not in await page.do("scroll", selector="#last")


@pytest.mark.parametrize(
    ("params", "scroller", "moved"),
    [
        ({"to": "bottom"}, "document.documentElement", "scrollTop"),
        ({"to": 700}, "document.documentElement", "scrollTop"),
        ({"selector": "#box", "to": "bottom"}, "box", "scrollTop"),
        ({"selector": "#content", "to": 50}, "box", "scrollTop"),
        ({"selector": "#box", "to": "right"}, "box", "scrollLeft"),
    ],
)
async def test_box_around_the_element_or_the_page_is_scrolled_to_its_target_by_wheel(
    page: DrivenTab, params: dict[str, Any], scroller: str, moved: str
) -> None:
    # A busy machine may need longer than the command waits for the wheel.
    async with changed_waits(page.page.context, {300: 30_000}):
        result = await page.do("scroll", **params)

    now = await page.page.evaluate(f"[{scroller}.scrollTop, {scroller}.scrollLeft, {scroller}.scrollHeight]")
    said = result["scrolled"]
    assert now == [said["top"], said["left"], said["height"]]
    end = await page.page.evaluate(f"{scroller}.scrollHeight - {scroller}.clientHeight")
    right = await page.page.evaluate(f"{scroller}.scrollWidth - {scroller}.clientWidth")
    to = params["to"]
    assert await page.page.evaluate(f"{scroller}.{moved}") == {"bottom": end, "right": right}.get(to, to)
    assert ("notes" in result) == (to in ("bottom", "right"))
    assert any(event.startswith("wheel") and event.endswith("true") for event in await page.page.evaluate("events"))


async def test_back_to_the_top(page: DrivenTab) -> None:
    for params in ({"to": "top"}, {"to": -9_999}, {"selector": "#box", "to": "left"}):
        await page.page.evaluate("scrollTo(0, 300); box.scrollTo(300, 300)")
        result = await page.do("scroll", **params)
        assert result["scrolled"]["left" if params["to"] == "left" else "top"] == 0
        assert "notes" not in result


async def test_page_that_handles_the_wheel_itself_is_scrolled_too(page: DrivenTab) -> None:
    await page.page.evaluate("addEventListener('wheel', (event) => event.preventDefault(), { passive: false })")

    assert (await page.do("scroll", to=800))["scrolled"]["top"] == await top(page, "document.documentElement") == 800


async def test_list_that_loads_more_at_its_end_is_reported_with_its_height(blank: DrivenTab) -> None:
    await blank.show(LIST)

    first = await blank.do("scroll", to="bottom")
    assert first["element"]["selector"] == "#list"
    await blank.do("wait_for", selector="p:nth-of-type(9)")
    results = [await blank.do("scroll", to="bottom") for _ in range(4)]
    assert results[-1]["scrolled"]["height"] > first["scrolled"]["height"]
    assert "scroll again" in results[-1]["notes"][0]


async def test_tab_in_the_background_is_scrolled_too(page: DrivenTab) -> None:
    await page.popup.page.bring_to_front()

    assert (
        (await page.do("scroll", to="bottom"))["scrolled"]["top"] == await top(page, "document.documentElement") > 3000
    )


IMPOSSIBLE: list[tuple[dict[str, Any], str, str]] = [
    ({}, "INVALID_ARGUMENT", "selector, to, or both"),
    ({"to": "middle"}, "INVALID_ARGUMENT", "to must be top, bottom"),
    ({"to": 1e9}, "INVALID_ARGUMENT", "to must be top, bottom"),
    ({"selector": "#lastt", "to": "top"}, "ELEMENT_NOT_FOUND", "#last"),
]


async def test_impossible_scroll_target_is_rejected(page: DrivenTab) -> None:
    for params, code, says in IMPOSSIBLE:
        found, message = await page.refused("scroll", **params)

        assert (found, says in message) == (code, True), message
