"""Context page: numbers match the API, by mouse and keyboard, in every view."""

import re
from typing import Any

import numpy as np
import pytest
from driving import shown_body
from playwright.sync_api import Page, expect
from settling import until

DRAWN = """() => document.querySelector("#concept").getAttribute("aria-busy") === "false" """
WEIGHTS = """() => [...document.querySelectorAll(".sentence")].map((one) =>
  [...one.querySelectorAll(".token-bar")].map((bar) => parseFloat(bar.style.blockSize) / 28))"""


def visit(page: Page, address: str = "/context") -> Any:
    """Open the page; answers what the API says to the call that it shows."""
    page.goto(address)
    until(page, DRAWN)
    body = shown_body(page)
    return page.request.post("/api/context", data=body).json()


def cells(page: Page, row: int) -> list[str]:
    return page.locator(".step-table tbody tr").nth(row).locator("td").all_inner_texts()


@pytest.mark.gate
def test_the_numbers_are_those_of_the_api(page: Page) -> None:
    answer = visit(page)
    page.locator(".step").last.click()
    expect(page.locator(".step-table tfoot")).to_contain_text("0.7832")
    for state in (0, 3, 7):
        one, other, dot, cosine, baseline, above = (float(text.replace("−", "-")) for text in cells(page, state))
        expected = answer["cosines"][state][0][1]
        assert cosine == pytest.approx(expected, abs=6e-5)
        assert dot == pytest.approx(expected * one * other, rel=1e-3)
        assert baseline == pytest.approx(answer["baseline"][state], abs=6e-5)
        assert above == pytest.approx(cosine - baseline, abs=2e-4)
    expect(page.locator(".step-table tfoot")).to_contain_text("lowest: after layer 5")
    expect(page.locator(".step-table tfoot")).to_contain_text("0.7832")
    drawn = page.evaluate(WEIGHTS)
    for weights, word in zip(drawn, answer["words"], strict=True):
        np.testing.assert_allclose(weights, np.mean(word["reads"][5], axis=0), atol=0.002)
    expect(page.locator("#formula")).to_contain_text("0.7832")


def test_a_head_a_pair_and_a_layer_are_chosen(page: Page) -> None:
    answer = visit(page, "/context?layer=0&head=10&second=2")
    weights = page.evaluate(WEIGHTS)
    np.testing.assert_allclose(weights[0], answer["words"][0]["reads"][0][10], atol=0.002)
    tokens = [token["text"] for token in answer["words"][0]["tokens"]]
    assert weights[0][tokens.index("river")] == pytest.approx(0.63, abs=0.01)
    expect(page.locator("#notice")).to_contain_text("head 10 of layer 0")
    page.get_by_role("button", name="Compare sentence D").click()
    expect(page).to_have_url(re.compile("second=3"))
    expect(page.get_by_role("button", name="Compare sentence D")).to_be_focused()
    page.locator("#cosines svg").focus()
    page.keyboard.press("ArrowDown")
    expect(page).to_have_url(re.compile("first=1&second=3"))
    expect(page.locator("#formula")).to_contain_text("0.916")
    page.locator("#layer").fill("3")
    expect(page.locator("[data-out=layer]")).to_have_text("3")
    expect(page.locator("#to-explorer")).to_have_attribute("href", re.compile("layer=3&head=10&query="))
    page.locator("#to-explorer").click()
    expect(page.locator("#composer, .composer").first).to_be_visible()


def test_sentences_of_ones_own_and_a_word_that_is_not_there(page: Page, problems: Any) -> None:
    visit(page)
    problems.expect("422")
    page.locator("#texts").fill("A spring of water.\nIn spring it rains.\nThe spring of a watch.")
    page.get_by_role("textbox", name="Word").fill("spring")
    expect(page.locator(".sentence")).to_have_count(3)
    expect(page.locator(".context-token.is-word .token-text")).to_have_text(["spring"] * 3)
    page.get_by_role("textbox", name="Word").fill("summer")
    expect(page.locator("#problem")).to_contain_text("The word does not occur in the text.")
    word = page.get_by_role("textbox", name="Word")
    expect(word).to_have_attribute("aria-invalid", "true")
    word.press("Tab")
    expect(word).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#texts")).not_to_have_attribute("aria-invalid", "true")
    page.get_by_role("textbox", name="Word").fill("")
    expect(page.locator("#problem")).to_contain_text("The word is empty: give a word that occurs in the text.")
    page.get_by_role("textbox", name="Word").fill("spring")
    expect(page.locator("#problem")).to_be_hidden()
    expect(word).not_to_have_attribute("aria-invalid", "true")


def test_the_exercises_are_right(page: Page) -> None:
    visit(page)
    exercise = page.locator("[data-exercise=context-lowest]")
    exercise.get_by_label("layer").fill("5")
    exercise.get_by_label("cosine").fill("0.78")
    exercise.get_by_role("button", name="Check").click()
    expect(exercise.locator(".exercise-verdict")).to_have_text("Right.")
    exercise.locator("summary").click()
    expect(exercise.locator(".exercise-served")).to_contain_text("5, 0.783")
