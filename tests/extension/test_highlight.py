"""`highlight_in_tab`: a passage is found as models quote it, highlighted in the page, and scrolled into view."""

import base64

import pytest

from tests.extension.conftest import DrivenTab, Driver, Site, shared_tab_at
from tests.extension.test_panel import picture_of
from tests.extension.test_popup import show_page
from tests.support.polling import until

FILLER = "<div style='height:3000px'>Filler</div>"
CASES = {
    "a paragraph": ("<p>The fee is <b>30</b> euros\n a month.</p>", "The fee is 30 euros a month."),
    "over several elements": ("<h2>Notice</h2><p>thirty days</p>", "Notice\n\nthirty days"),
    "cells of a row": ("<table><tr><td>Ferry<td>07:40<td>12.50</table>", "Ferry | 07:40 | 12.50"),
    "Markdown": ("<p>Ask <a href=/x>the <em>harbor</em> office</a> first.</p>", "Ask [the *harbor* office](/x) first."),
    "a numbered list": ("<ol><li>Boil the water<li>Warm the pot</ol>", "1. Boil the water\n2. Warm the pot"),
    "a choice": ("<p role=radio aria-checked=true>Green tea</p><p>Stir it", "Green tea (checked)\nStir it"),
    "a text that is crossed out": ("<p>Was <del>99 euros</del>, now 79</p>", "Was 99 euros (crossed out), now 79"),
    "capitals by style": ("<p style='text-transform:uppercase'>closing date</p>", "CLOSING DATE"),
    "an open shadow root": (
        "<div id=host></div><script>host.attachShadow({mode: 'open'}).innerHTML = '<p>In the <b>shadow</b> root</p>'</script>",
        "In the shadow root",
    ),
    "the end of a long list that scrolls": (
        "<pre style='height:200px;overflow:auto'>" + "line\n" * 2000 + "the very last line</pre>",
        "the very last line",
    ),
    "letters of several code points": (
        "<p>Le cafe\u0301 d\u2019Anna est ferme\u0301</p>",
        "Le caf\u00e9 d'Anna est ferm\u00e9",
    ),
    "letters that grow in small": ("<p>İstanbul İzmir, 4 hours</p>", "İzmir, 4 hours"),
    "not the copy that is hidden": ("<p hidden>Total: 9 euros</p><p>Total: 9 euros</p>", "Total: 9 euros"),
}
# The number of pixels of a PNG in the color of a highlight.
COUNT = """async (data) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
    const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
    canvas.drawImage(image, 0, 0);
    const { data: bytes } = canvas.getImageData(0, 0, image.width, image.height);
    let count = 0;
    for (let i = 0; i < bytes.length; i += 4) if (bytes[i] === 255 && bytes[i + 1] === 224 && bytes[i + 2] === 102) count++;
    return count;
}"""

blank = shared_tab_at("/blank")


async def highlighted(tab: DrivenTab) -> bool:
    """Return whether a user sees a highlight in the tab now."""
    shot = base64.b64encode(await until(lambda: picture_of(tab.page))).decode()
    return await tab.popup.page.evaluate(COUNT, shot) > 50


async def test_a_passage_is_highlighted_where_the_user_sees_it(blank: DrivenTab, subtests: pytest.Subtests) -> None:
    # Far apart: a highlight in view is the last one.
    await blank.write(FILLER + FILLER.join(body for body, _ in CASES.values()) + FILLER)
    before = await blank.page.content()
    assert not await highlighted(blank)
    for name, (_, text) in CASES.items():
        with subtests.test(name):
            await blank.page.evaluate("scrollTo(0, 0)")
            result = await blank.do("highlight_in_tab", text=text)

            assert (result["matches"], result["in_view"]) == (1, True)
            assert await highlighted(blank)
            assert await blank.page.content() == before

    assert (await blank.do("highlight_in_tab", text=""))["matches"] == 0
    assert not await highlighted(blank)


async def test_a_passage_in_a_frame_of_another_site_is_highlighted_there(blank: DrivenTab) -> None:
    blank.site.pages["/framed"] = (FILLER + "<p>Framed words</p>").encode()
    other = blank.site.url("/framed").replace("127.0.0.1", "localhost")
    await blank.write(f"{FILLER}<iframe src='{other}' width=600 height=300></iframe>{FILLER}")
    await blank.page.frame_locator("iframe").get_by_text("Framed words").wait_for(state="attached")
    result = await blank.do("highlight_in_tab", text="Framed words")

    assert (result["matches"], result["in_view"]) == (1, True)
    await until(lambda: highlighted(blank))  # a frame's process draws on its own


@pytest.mark.parametrize("address", ["src='/framed'", "srcdoc='<div style=height:3000px></div><p>Framed words</p>'"])
async def test_a_passage_in_a_frame_of_the_same_site_is_highlighted_until_escape(
    blank: DrivenTab, address: str
) -> None:
    blank.site.pages["/framed"] = (FILLER + "<p>Framed words</p>").encode()
    await blank.write(f"{FILLER}<iframe {address} width=600 height=300></iframe>{FILLER}")
    await blank.page.frame_locator("iframe").get_by_text("Framed words").wait_for(state="attached")
    result = await blank.do("highlight_in_tab", text="Framed words")
    assert (result["matches"], result["in_view"]) == (1, True)
    await until(lambda: highlighted(blank))

    await blank.page.keyboard.press("Escape")  # the focus is in the page around the frame
    assert not await highlighted(blank)


async def test_text_in_a_form_whose_fields_are_named_like_properties_is_shown(blank: DrivenTab) -> None:
    names = ("nodeType", "parentElement", "scrollIntoView", "getBoundingClientRect")
    fields = "".join(f"<input name={name}>" for name in names)
    await blank.write(f"{FILLER}<form>Paid by card {fields}</form>{FILLER}")
    result = await blank.do("highlight_in_tab", text="Paid by card")

    assert (result["matches"], result["in_view"]) == (1, True)


async def test_text_that_a_click_has_changed_in_a_frame_of_the_same_site_is_found(blank: DrivenTab) -> None:
    await blank.write(
        """<iframe srcdoc="<p id=state>New</p><button onclick='state.textContent = `Paid`'>Pay</button>"></iframe>"""
    )
    await blank.do("click", selector="text=Pay")

    assert (await blank.do("highlight_in_tab", text="Paid"))["matches"] == 1


async def test_text_in_a_hidden_frame_is_not_shown(blank: DrivenTab) -> None:
    await blank.write("<iframe srcdoc='<p>Framed words</p>' style='visibility:hidden'></iframe>")
    await blank.page.frame_locator("iframe").get_by_text("Framed words").wait_for(state="attached")

    assert (await blank.refused("highlight_in_tab", text="Framed words"))[0] == "KEYWORD_NOT_FOUND"


async def test_the_next_highlight_removes_the_one_in_a_frame(blank: DrivenTab) -> None:
    blank.site.pages["/own"], blank.site.pages["/other"] = b"<p>Own words</p>", b"<p>Other site's words</p>"
    other = blank.site.url("/other").replace("127.0.0.1", "localhost")
    await blank.write(f"<p>Other words</p><iframe src='/own'></iframe><iframe src='{other}'></iframe>")
    for frame, words in zip(blank.page.frames[1:], ("Own words", "Other site's words"), strict=True):
        await frame.get_by_text(words).wait_for(state="attached")
        await blank.do("highlight_in_tab", text=words)
        await blank.do("highlight_in_tab", text="Other words")
        assert [await each.evaluate("[...CSS.highlights].length") for each in blank.page.frames] == [1, 0, 0]


async def test_escape_or_the_next_highlight_removes_the_last_one(blank: DrivenTab) -> None:
    await blank.write("<p>First words</p><p>Other words</p>")
    await blank.do("highlight_in_tab", text="First words")
    await blank.do("highlight_in_tab", text="Other words")
    names = "[...CSS.highlights.get('chrome-tab-reader') ?? []].map(String)"
    assert await blank.page.evaluate(names) == ["Other words"]

    await blank.page.keyboard.press("Escape")
    assert await blank.page.evaluate(names) == []


async def test_all_occurrences_are_counted_and_invisible_text_is_an_error(blank: DrivenTab) -> None:
    await blank.write("<p>Twice. Twice.</p><p hidden>Never shown</p><textarea>Typed</textarea>")

    assert (await blank.do("highlight_in_tab", text="Twice."))["matches"] == 2
    for text in ("Never shown", "Nowhere", "Typed"):
        assert (await blank.refused("highlight_in_tab", text=text))[0] == "KEYWORD_NOT_FOUND"
    assert (await blank.refused("highlight_in_tab", text="x" * 2001))[0] == "INVALID_ARGUMENT"


async def test_no_attached_tab_is_needed(driver: Driver, site: Site) -> None:
    bridge, popup = driver
    site.pages["/plain"] = b"<p>Words to show</p>"
    page = await show_page(popup, site.url("/plain"))
    reply = await bridge.ask("highlight_in_tab", tab_id=await popup.tab_id(site.url("/plain")), text="Words to show")
    await page.close()

    assert reply["result"]["matches"] == 1
