"""The list of what can be done on a page: what is on it, in which words, and with selectors that work."""

import re

from tests.extension.conftest import DrivenTab, shared_tab_at

elements = shared_tab_at("/elements.html")

WHOLE = """\
# Order a lamp
text "All prices with VAT."
alert "Only two are left"
group "Delivery"
textbox "Name" = "Ada 'Countess' Lovelace" required  [name=customer]
password "Password" filled  [name=secret]
select "Size" {S|M*|L}  #size
checkbox "Docker" off  #docker
radio "Card" on  [name=pay][value=card]
radio "Cash" off  [name=pay][value=cash]
slider "Volume" = 4 (0 to 10)  [aria-label=Volume]
textbox "Coupon" invalid  input:nth-of-type(2)
textbox "Note" = "As it is" readonly  textarea
file "Choose a picture" empty  #hidden-file
button "Order" disabled  fieldset > button:nth-of-type(1)
button "Details" collapsed  fieldset > button:nth-of-type(2)
button "Send"  input:nth-of-type(4)
textbox "Letter" = "Dear Sir"  [aria-label=Letter]
clickable "A card without a role"  #card
clickable "Large child of an inline wrapper"  #wrapper
tab "First tab" selected  div:nth-of-type(4)
row "Duration: | 3 h"
row "Duration: | 4 h"
scrollable "Results"  #results
text "One"
text "Two"
circle red 20x20 at 10,10  circle
rect blue 20x20 at 60,10  rect
button "In the shadow"  x-card >>> button
button "In the frame"  #framed
-- out of sight --
link "Help"  [href="/help"]
All 21 elements."""


def selectors_of(text: str) -> list[str]:
    """The selectors of a list's lines."""
    return re.findall(r"  (\S.*)$", text, re.MULTILINE)


async def test_whole_of_a_short_page_is_listed_in_page_order_with_names_states_and_selectors(
    elements: DrivenTab,
) -> None:
    await elements.page.set_viewport_size({"width": 1000, "height": 1200})

    result = await elements.do("page_elements")

    assert result["text"] == WHOLE
    assert (result["total"], result["shown"], result["next_offset"]) == (21, 21, None)
    assert (result["title"], result["url"]) == ("Every kind of element", elements.site.url("/elements.html"))


async def test_every_selector_of_the_list_means_one_element_that_can_be_acted_on(elements: DrivenTab) -> None:
    listed = (await elements.do("page_elements"))["text"]

    selectors = selectors_of(listed)
    assert len(selectors) == 23
    for selector in selectors:
        hovered = await elements.do("hover", selector=selector)
        assert (hovered["matches"], hovered["element"]["selector"]) == (1, selector)
