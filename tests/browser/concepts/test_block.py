"""Block page: drawn values and equations match the API, for our own decoder and a real model."""

import re
from typing import Any

import numpy as np
import pytest
from driving import shown_body
from playwright.sync_api import Page, expect
from settling import until

DRAWN = """() => document.querySelector("#concept").getAttribute("aria-busy") === "false" """
LENGTHS = """() => [...document.querySelectorAll(".block-length")].map((one) => one.textContent)"""

COVERED = """() => [...document.querySelectorAll(".block-row")].flatMap((row) => {
  const [name, cell] = [".block-name", ".block-cell"].map((one) => row.querySelector(one).getBoundingClientRect());
  return name.right > cell.left && name.bottom > cell.top ? [row.querySelector(".block-name").textContent] : []; })"""
"""Names of stations that run into their cells."""


def visit(page: Page, address: str = "/block") -> Any:
    """Open the page; answers what the API says to the call that it shows."""
    page.goto(address)
    until(page, DRAWN)
    return answer_of(page)


def answer_of(page: Page) -> Any:
    body = shown_body(page)
    return page.request.post("/api/block", data=body).json()


def numbers(texts: list[str]) -> list[float]:
    return [float(text.replace("−", "-")) for text in texts]


STATES = ["", "?form=gpt2&layer=0", "?model=sentence-transformers%2Fall-MiniLM-L6-v2&layer=3&token=2"]


@pytest.mark.gate("")
@pytest.mark.parametrize("state", STATES)
def test_the_numbers_are_those_of_the_api(page: Page, state: str) -> None:
    answer = visit(page, f"/block{state or '?'}&step=99")
    norms = [station["norm"] for station in answer["stations"]]
    np.testing.assert_allclose(numbers(page.evaluate(LENGTHS)), norms, atol=0.006)
    of_width = [one for one in answer["stations"] if one["name"] not in {"head_outputs", "feed_forward_hidden"}]
    for row in (0, 7):
        shown = numbers(page.locator(".step-table tbody tr").nth(row).locator("td").all_inner_texts())
        np.testing.assert_allclose(shown, [station["vector"][row] for station in of_width], atol=6e-5)
    lengths = numbers(page.locator(".step-table tfoot td").all_inner_texts())
    np.testing.assert_allclose(lengths, [station["norm"] for station in of_width], atol=6e-3)
    assert page.evaluate(COVERED) == []
    count = len(answer["checks"])
    expect(page.locator("#checks-verdict")).to_contain_text(f"{count} of {count} equations hold")
    expect(page.locator("#order")).to_have_text("post-norm" if "model" in state else "pre-norm")


def test_the_steps_say_the_sums(page: Page) -> None:
    answer = visit(page, "/block?number=3")
    at = {station["name"]: station["vector"][3] for station in answer["stations"]}
    page.locator(".step").nth(4).click()
    until(page, DRAWN)
    line = page.locator(".step-line").inner_text().replace("−", "-").replace("\n", "")
    assert f"{at['inputs']:.4f}" in line
    assert line.endswith(f"{at['after_attention']:.4f}")
    expect(page.locator(".block-row.is-chosen .block-name")).to_have_text("after attention")
    page.locator(".block-row").nth(3).locator(".block-cell").nth(6).click()
    expect(page.locator(".step[aria-current=step]")).to_have_text(re.compile("^4 ?WO"))
    expect(page).to_have_url(re.compile("number=6"))
    page.keyboard.press("ArrowRight")
    expect(page.locator(".step[aria-current=step]")).to_have_text("5Add")


def test_our_own_block_can_be_as_wide_as_in_practice(page: Page) -> None:
    visit(page)
    expect(page.locator(".block-row.is-later")).to_have_count(0)
    page.locator(".step").first.click()
    expect(page.locator(".block-row.is-later")).to_have_count(8)
    page.locator(".step").last.click()
    page.get_by_role("link", name="512 wide").click()
    expect(page.locator(".block-head").first).to_have_text("numbers 0 to 15 of 512")
    page.get_by_label("Query heads").select_option("2")
    expect(page.locator("#call")).to_contain_text('"num_kv_heads":2')
    page.locator("[data-bind=form]").select_option("gpt2")
    expect(page.get_by_label("Key/value heads")).to_be_hidden()
    expect(page.locator(".block-row.is-later")).to_have_count(0)


def test_a_huge_number_in_a_real_model(page: Page) -> None:
    visit(page)
    page.get_by_role("link", name="One huge component").click()
    page.locator(".step").last.click()
    expect(page.locator(".step-table")).to_contain_text("194.1")
    expect(page.locator("#notice")).to_contain_text("194 into component 99")
    expect(page.locator("#to-explorer")).to_have_attribute("href", re.compile("all-MiniLM.*layer=0&query=0"))
    exercise = page.locator("[data-exercise=block-huge]")
    exercise.locator("summary").click()
    expect(exercise.locator(".exercise-served")).to_contain_text("194.1")


def test_another_model_and_another_text(page: Page, problems: Any) -> None:
    visit(page, "/block?layer=1&token=5")
    page.locator("#model").select_option("sentence-transformers/all-MiniLM-L6-v2")
    expect(page.locator("#order")).to_have_text("post-norm")
    expect(page.locator("#token option:checked")).to_have_text("1 the")
    page.locator("#text").fill("Hi")
    expect(page.locator("#token option")).to_have_text(["0 [CLS]", "1 hi", "2 [SEP]"])
    page.locator("#model").select_option("")
    expect(page.locator("#order")).to_have_text("pre-norm")
    problems.expect("422")
    page.locator("#text").fill(" ")
    expect(page.locator("#problem")).to_contain_text("The text is empty.")
    expect(page.locator("#text")).to_have_attribute("aria-invalid", "true")
    page.locator("#text").fill("One two three")
    expect(page.locator("#problem")).to_be_hidden()
    expect(page.locator("#token option")).to_have_text(["0 One", "1 two", "2 three"])
