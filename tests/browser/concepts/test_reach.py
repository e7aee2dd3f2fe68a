"""Reach page: draw a cell into a mask, go through the layers, and read what is said."""

import pytest
from driving import expect_address
from playwright.sync_api import Page, expect
from settling import until

READY = "() => document.querySelector('#concept').getAttribute('aria-busy') === 'false'"


def visit(page: Page, address: str) -> None:
    page.goto(address)
    until(page, READY)


@pytest.mark.gate
def test_a_drawn_hole_lets_the_future_in_layer_by_layer(page: Page) -> None:
    visit(page, "/reach?kind=causal&tokens=6&layers=3&layer=0")
    mask = page.locator(".reach-squares").first
    cells = mask.locator(".reach-cell")
    expect(page.locator(".reach-cell.is-leak")).to_have_count(0)
    cells.nth(1 * 6 + 4).click()
    expect_address(page, drawn="1_4")
    expect(page.locator(".reach-cell.is-leak")).to_have_count(1)
    expect(page.locator(".reach-pair")).to_have_text(
        "Position 1 is reached by position 4: 4 → 1 in layer 0. It was not intended."
    )
    page.locator("#film input").fill("2")
    expect(page.locator(".reach-cell.is-leak")).to_have_count(6)
    expect(page.locator(".film-says")).to_contain_text("6 of them through the hole")
    mask.focus()
    page.keyboard.press("Enter")
    expect_address(page, drawn=None)
    expect(page.locator(".reach-cell.is-leak")).to_have_count(0)


def test_a_convolution_reaches_what_no_mask_allows(page: Page) -> None:
    visit(page, "/reach")
    page.get_by_role("link", name="Not through attention").click()
    expect(page.locator(".reach-cell.is-beside")).to_have_count(18)
    expect(page.locator(".film-says")).to_contain_text("The mask is right, the model is not.")
    expect(page.locator(".reach-pair")).to_contain_text("No mask allows it.")
