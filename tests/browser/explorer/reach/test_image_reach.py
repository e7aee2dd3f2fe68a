"""Reach in an image: the pixels of one patch are replaced, and which patches' states change is seen."""

import pytest
from playwright.sync_api import Page, expect

ROWS = "#panel-reach .numbers tbody tr"
NUMBERS = """(rows) => rows.map((row) => [...row.children].map((cell) => Number(cell.textContent)))"""


@pytest.fixture(scope="module")
def server_url(models_server_url: str) -> str:
    return models_server_url


def test_each_patch_of_an_image_is_replaced(page: Page) -> None:
    page.goto("/?view=reach&model=tiny-vit&picture=shapes&layer=1&query=2&key=4")
    page.wait_for_selector("#panel-reach .reach[aria-busy=false]")
    panel = page.locator("#panel-reach")
    expect(panel.get_by_label("The text runs")).to_be_hidden()
    rows = page.locator(ROWS).evaluate_all(NUMBERS)
    assert rows == [[layer, 5 * 5, 5 * 5, 5 * 4, 0, 0] for layer in range(2)], "of 2 × 2 patches and [CLS]"
    expect(page.locator(".reach-pair")).to_contain_text("is reached by “row 1, column 1” from layer 0 on.")
    expect(page.locator(".reach-legend")).to_contain_text("not known: not replaced")
    page.locator(".reach-map.is-codes .matrix-frame").press("Home")
    expect(page.locator(".reach-pair")).to_contain_text("“[CLS]₀” stands for no patch")
