"""The vectors behind one cell: they add up to the matrix's value."""

import re

import pytest
from driving import SENTENCE, expect_address, read_number, true_weights
from playwright.sync_api import Page, expect

NUMBER = re.compile(r"[−-]?\d+\.\d+(?:\s×\s10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?")


def steps(page: Page) -> list[float]:
    page.wait_for_selector(".vectors-steps")
    return [read_number(text) for text in page.locator(".vectors-steps dd").all_text_contents()]


@pytest.mark.gate
def test_products_add_up_to_the_score_and_the_score_becomes_the_weight(page: Page) -> None:
    page.goto("/?view=vectors")
    raw, scale, scaled, weight = steps(page)
    for stage, shown in (("raw_scores", raw), ("scaled_scores", scaled), ("weights", weight)):
        assert shown == pytest.approx(float(true_weights(page, SENTENCE, 5, 11, stage)[8, 2]), abs=1e-4), stage
    assert raw * scale == pytest.approx(scaled, rel=1e-3)
    page.locator("#panel-vectors").get_by_text("Show as a table", exact=True).click()
    rows = page.locator("#panel-vectors .numbers tbody tr")
    expect(rows).to_have_count(32)
    cells = [[read_number(text) for text in row.locator("td").all_text_contents()] for row in rows.all()]
    assert sum(product for _, _, product in cells) == pytest.approx(raw, abs=0.01)
    for query, key, product in cells:
        assert query * key == pytest.approx(product, abs=1e-3)
    expect(page.locator(".vectors-title")).to_contain_text("positions 8 and 2, distance −6")


def test_elements_are_sorted_and_read_by_keyboard(page: Page) -> None:
    page.goto("/?view=vectors")
    raw = steps(page)[0]
    page.get_by_label("Largest products first").check()
    expect_address(page, elements="size")
    page.get_by_role("group", name="Elements; use the arrow keys to move").focus()
    readout = page.locator(".vectors-readout")
    sizes = []
    for key in ("Home", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
        sizes.append(abs(read_number(NUMBER.findall(readout.text_content() or "")[2])))
    assert sizes == sorted(sizes, reverse=True)
    page.keyboard.press("End")
    assert read_number(NUMBER.findall(readout.text_content() or "")[3]) == pytest.approx(raw, abs=0.01)


def test_query_and_key_change_places_and_a_missing_key_is_the_strongest(page: Page) -> None:
    page.goto("/?view=vectors")
    steps(page)
    page.get_by_role("button", name="Swap query and key").click()
    expect(page.locator(".vectors-title")).to_contain_text("positions 2 and 8, distance 6")
    expect_address(page, query="2", key="8")
    page.locator(".token").nth(8).click()
    expect(page.locator("#panel-vectors")).to_contain_text("the one with the largest weight")
    expect(page.locator(".vectors-title")).to_contain_text("positions 8 and 2")
