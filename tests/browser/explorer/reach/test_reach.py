"""Reach in the Explorer: three maps of the same squares, what is said of them, and a leak that a change makes."""

import re
from urllib.parse import urlencode

import pytest
from driving import expect_address
from playwright.sync_api import Page, expect

DECODER = "observatory-gpt2-mini"
COUNTS = "#panel-reach .numbers tbody tr"
NUMBERS = """(rows) => rows.map((row) => [...row.children].map((cell) => Number(cell.textContent)))"""


def open_reach(page: Page, **given: object) -> None:
    page.goto("/?" + urlencode({"view": "reach", "model": DECODER, "text": "The cat sat on the mat.", **given}))
    page.wait_for_selector("#panel-reach .reach[aria-busy=false]")


@pytest.mark.gate
def test_a_decoder_reaches_what_its_mask_allows(page: Page) -> None:
    open_reach(page, layer=2, query=3, key=1)
    said = page.locator(".reach-verdict")
    expect(said).to_have_text("Nothing reaches a position that the masks do not allow. Everything that may reach does.")
    count = page.locator(".token:not(.is-waiting)").count()
    pairs = count * (count + 1) // 2
    rows = page.locator(COUNTS).evaluate_all(NUMBERS)
    assert rows == [[layer, pairs, pairs, pairs, 0, 0, count - 1, count - 1] for layer in range(6)]
    pair = page.locator(".reach-pair")
    expect(pair).to_contain_text("“·on₃” is reached by “·cat₁” from layer 0 on. The masks allow it from layer 0 on.")
    page.locator(".reach-layer input").press("ArrowRight")
    expect_address(page, layer="3")
    expect(pair).to_contain_text("In layer 3 the largest weight")
    page.locator(".reach-map.is-codes .matrix-frame").press("ArrowDown")
    expect_address(page, query="4")


def test_a_cell_is_pointed_at_in_words(page: Page) -> None:
    open_reach(page)
    for name, words in (("may", "masked"), ("codes", "not reached")):
        hatch = page.locator(f".reach-map.is-{name} .matrix-hatch")
        hatch.scroll_into_view_if_needed()
        box = hatch.bounding_box()
        assert box
        page.mouse.move(box["x"] + box["width"] - 3, box["y"] + 3)
        expect(page.locator(f".reach-map.is-{name} .matrix-tip .cell-value")).to_have_text(words)


def test_a_head_that_passes_on_a_mean_lets_the_future_in(page: Page) -> None:
    open_reach(page, changes="mean-1.0")
    said = page.locator(".reach-verdict")
    expect(said).to_contain_text("from layer 1 on, not through attention, and must not be.")
    rows = page.locator(COUNTS).evaluate_all(NUMBERS)
    assert [row[4] > 0 for row in rows] == [False, True, True, True, True, True]


def test_the_page_of_the_course_is_one_click_away(page: Page) -> None:
    open_reach(page, lang="ja")
    page.locator("#panel-reach").get_by_role("link", name="マスクを描き").click()
    expect(page.locator("html")).to_have_attribute("lang", "ja")
    expect(page).to_have_url(re.compile(r"/reach\?lang=ja"))


def test_two_documents_padding_and_cached_steps(page: Page) -> None:
    open_reach(page, reach_case="packed")
    panel = page.locator("#panel-reach")
    how, begins = panel.get_by_label("The text runs"), panel.get_by_label("The second document begins at")
    said = page.locator(".reach-verdict")
    whole = "Nothing reaches a position that the masks do not allow. Everything that may reach does."
    expect(said).to_have_text(whole)
    count = page.locator(".token:not(.is-waiting)").count()
    begins.select_option("2")
    expect_address(page, reach_start="2")
    rest = count - 2
    expect(page.locator(COUNTS).first.locator("td").nth(1)).to_have_text(str(3 + rest * (rest + 1) // 2))
    how.select_option("padded")
    expect_address(page, reach_case="padded", reach_start=None)
    expect(panel.get_by_label("The text begins at")).to_have_value(str(min(4, count // 2)))
    expect(said).to_have_text(whole)
    how.select_option("cached")
    expect_address(page, reach_case="cached")
    expect(page.locator(COUNTS).first.locator("td").nth(1)).to_have_text(str(count * (count + 1) // 2))
    expect(said).to_have_text(whole)


def test_a_leak_is_offered_to_look_at(page: Page) -> None:
    open_reach(page, layer=2, head=1)
    page.locator("#panel-reach").get_by_role("link", name="Replace layer 2, head 1 by its mean").click()
    expect_address(page, changes="mean-2.1")
    expect(page.locator(".reach-verdict")).to_contain_text("from layer 2 on, not through attention, and must not be.")
    expect(page.locator("#panel-reach").get_by_label("The text runs")).to_be_hidden()


def test_a_longer_text_is_not_asked_about(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("/?" + urlencode({"view": "reach", "model": DECODER, "text": "cat " * 100}))
    expect(page.locator("#panel-reach")).to_contain_text("in texts of up to 96 tokens; this one has")
    assert not [each for each in asked if each.endswith("/reach")]


def test_a_measurement_is_stopped_and_goes_on(page: Page) -> None:
    page.route("**/reach?*", lambda route: None)  # never answered
    page.goto("/?" + urlencode({"view": "reach", "model": DECODER, "text": "The cat sat on the mat."}))
    panel = page.locator("#panel-reach")
    panel.get_by_role("button", name="Stop").click()
    expect(panel.get_by_role("status")).to_have_text("Cancelled.")
    page.unroute("**/reach?*")
    panel.get_by_role("button", name="Go on").click()
    expect(panel.locator(".reach-verdict")).to_contain_text("Everything that may reach does.")
