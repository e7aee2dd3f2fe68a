"""Parity page: numbers match the API, every head can be selected, in every view."""

import re
from typing import Any

import numpy as np
import pytest
from driving import shown_body
from playwright.sync_api import Page, expect
from settling import until

DRAWN = """() => document.querySelector("#concept").getAttribute("aria-busy") === "false" """


@pytest.fixture(scope="module")
def server_url(models_server_url: str) -> str:
    return models_server_url


def visit(page: Page, address: str = "/parity") -> Any:
    """Open the page; answers what the API says to the call that it shows."""
    page.goto(address)
    until(page, DRAWN)
    body = shown_body(page)
    return page.request.post("/api/parity", data=body).json()


def drawn(page: Page, side: str) -> np.ndarray:
    """The numbers in the cells of a matrix."""
    texts = page.locator(f"{side} .mark-cell text").all_text_contents()
    return np.array([float(text.replace("−", "-")) for text in texts])


def test_the_numbers_are_those_of_the_api(page: Page) -> None:
    answer = visit(page)
    count = len(answer["tokens"])
    for index, name in enumerate(("ours", "theirs")):
        cells = drawn(page, f"#sides .parity-side:nth-child({index + 1})").reshape(count, count)
        np.testing.assert_allclose(cells, answer[name], atol=0.00501)
    expected = (np.array(answer["ours"]) - np.array(answer["theirs"])) * 1e7
    np.testing.assert_allclose(drawn(page, "#difference"), expected.ravel(), atol=0.0501)
    heads = np.array(answer["parts"][0]["weights"])
    np.testing.assert_allclose(drawn(page, "#heads"), heads.ravel() * 1e7, atol=0.0501)
    verdict = page.locator("#verdict")
    expect(verdict).to_contain_text("✓ Weights differ by")
    expect(verdict).to_contain_text("within 1.0 × 10⁻⁵")
    page.locator(".step").first.click()
    expect(page.locator(".step-line")).to_contain_text(f"{answer['ours'][8][2]:.9f}")
    expect(page.locator(".step-says")).to_contain_text("the weight from “it” to “cat” in layer 5, head 11")


def test_a_head_and_a_cell_are_picked_with_the_keyboard(page: Page) -> None:
    visit(page)
    page.locator("#heads svg").focus()
    page.keyboard.press("ArrowUp")
    until(page, DRAWN)
    expect(page).to_have_url(re.compile("layer=4"))
    expect(page.get_by_label("Layer", exact=True)).to_have_value("4")
    page.locator(".parity-side svg").first.focus()
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("key=3"))
    expect(page.locator("#to-explorer")).to_have_attribute("href", re.compile("layer=4&head=11&query=8&key=3"))


def test_a_decoder_is_also_run_through_our_own(page: Page) -> None:
    visit(page)
    page.locator("#model").select_option("tiny-gpt2")
    expect(page.locator(".step").last).to_contain_text("Our decoder")
    page.locator(".step").last.click()
    expect(page.locator(".step-says")).to_contain_text("in our own decoder")
    page.locator("#model").select_option("tiny-t5")
    expect(page.locator("#part-field")).to_be_visible()
    page.locator("#part").select_option("cross")
    expect(page.locator("#part")).to_have_value("cross")
    until(page, DRAWN)
    expect(page.locator("#verdict")).to_contain_text("✓")


def test_what_is_refused_is_said_where_it_stands(page: Page, problems: Any) -> None:
    visit(page)
    problems.expect("422")
    page.get_by_label("Layer", exact=True).fill("6")
    expect(page.locator("#problem")).to_contain_text("layer must be from 0 to 5, not 6")
    expect(page.get_by_label("Layer", exact=True)).to_have_attribute("aria-invalid", "true")
    page.get_by_label("Layer", exact=True).fill("2")
    expect(page.locator("#problem")).to_be_hidden()
