"""Softmax page: the curriculum's four scores, overflow and its fix, temperature, exercises."""

import re
from typing import Any

import numpy as np
import pytest
from driving import shown_body
from playwright.sync_api import Page, expect
from settling import until

DRAWN = """() => document.querySelector("#concept").getAttribute("aria-busy") === "false" """
CELLS = """(mark) => [...document.querySelectorAll(`[data-mark=${mark}] .mark-cell title`)].map((one) =>
  one.textContent.split(": ").pop())"""


def visit(page: Page, address: str = "/softmax") -> None:
    page.goto(address)
    until(page, DRAWN)


def choose(page: Page, name: str) -> None:
    page.locator("#presets").get_by_role("link", name=name, exact=True).click()
    expect(page.locator(".preset[aria-current=true]")).to_have_text(name)
    until(page, DRAWN)


def rows(page: Page, mark: str, count: int) -> list[list[str]]:
    texts = page.evaluate(CELLS, mark)
    size = len(texts) // count
    return [texts[row * size : (row + 1) * size] for row in range(count)]


def asked(page: Page) -> dict[str, Any]:
    return shown_body(page)


@pytest.mark.gate
def test_the_course_s_four_scores(page: Page) -> None:
    visit(page)
    stable = rows(page, "stable", 4)
    assert stable[1] == ["−2.4000", "0.0000", "−2.7000", "−1.3000"]
    assert stable[3] == rows(page, "unstable", 3)[2] == ["0.0634", "0.6991", "0.0470", "0.1905"]
    assert page.locator("[data-mark=bars] .mark-value").all_text_contents() == stable[3]
    name = page.locator(".mark-vertical-name").evaluate(
        "(one) => one.getBBox().y / one.ownerSVGElement.viewBox.baseVal.height"
    )
    assert name < 0.5, "at the end where curves do not cross it"
    choose(page, "Shifted by 100")
    assert rows(page, "stable", 4)[3] == ["0.0634", "0.6991", "0.0470", "0.1905"]
    expect(page.locator("#facts dd").last).to_have_text(re.compile(r"^(0\.0000|[\d.]+\s×\s10⁻¹\S)$"))


@pytest.mark.parametrize(
    ("name", "limit", "broken"),
    [
        ("Overflow in float32", "88.7228", ["NaN", "0.0000", "0.0000"]),
        ("Overflow in float16", "11.0899", ["NaN", "0.0000", "0.0000", "0.0000"]),
        ("All vanish", "11.0899", ["NaN", "NaN", "NaN"]),
    ],
)
def test_without_the_maximum_numbers_break(page: Page, name: str, limit: str, broken: list[str]) -> None:
    visit(page)
    choose(page, name)
    assert rows(page, "unstable", 3)[2] == broken
    expect(page.locator("#facts dd").nth(1)).to_have_text(limit)
    scores = np.array(asked(page)["scores"])
    right = np.exp(scores - scores.max())
    shown = [float(text) for text in rows(page, "stable", 4)[3]]
    np.testing.assert_allclose(shown, right / right.sum(), rtol=0, atol=6e-4)
    expect(page.locator("#verdict")).to_contain_text("is not a number")


def test_scores_that_cannot_be_weights_are_shown(page: Page) -> None:
    visit(page)
    why_not = page.locator(".softmax-why-not")
    expect(why_not).to_have_text("They add up to 11.60, those of another query to something else.")
    choose(page, "Negative scores")
    expect(why_not).to_have_text("2 of 3 are negative, and they add up to 0.00.")
    zero = page.locator("[data-mark=scores] .mark-axis")
    line = float(zero.get_attribute("y1") or "")
    tops = [
        float(bar.get_attribute("y") or "") for bar in page.locator("[data-mark=scores] .mark-group .mark-bar").all()
    ]
    assert [top < line for top in tops] == [True, False, False]
    assert rows(page, "stable", 4)[3] == ["0.9756", "0.0066", "0.0179"]


def test_a_weight_may_be_rounded_to_0(page: Page) -> None:
    visit(page)
    choose(page, "Rounded to 0")
    answer = page.request.post("/api/softmax", data=asked(page)).json()
    assert answer["stable"]["weights"] == [1, 0]
    assert 0 < float(np.exp(-200.0)) < 1.4e-45
    expect(page.locator(".concept-more")).not_to_contain_text("ever exactly 0")


def test_temperature_goes_from_a_choice_to_none(page: Page) -> None:
    visit(page)
    choose(page, "Cold")
    assert rows(page, "stable", 4)[3] == ["0.0000", "1.0000", "0.0000", "0.0000"]
    page.locator("#temperature").fill("2")
    until(page, DRAWN)
    assert asked(page)["temperature"] == 100
    shown = [float(text) for text in rows(page, "stable", 4)[3]]
    np.testing.assert_allclose(shown, np.full(4, 0.25), rtol=0, atol=0.01)
    expect(page.locator("#facts dd").first).to_have_text("1.3862 of at most 1.3863")


def test_scores_are_typed_and_curves_read_off(page: Page) -> None:
    visit(page)
    scores = page.get_by_label("Scores, 1 to 16 of them")
    scores.fill("1, 0")
    until(page, "() => document.querySelectorAll('[data-mark=bars] .mark-value').length === 2")
    assert rows(page, "stable", 4)[3] == ["0.7311", "0.2689"]
    scores.fill("1, none")
    expect(scores).to_have_attribute("aria-invalid", "true")
    scores.press("Tab")
    expect(scores).to_have_value("1, 0")
    curves = page.get_by_role("slider", name="Weights over the temperature")
    curves.focus()
    page.keyboard.press("ArrowRight")
    expect(curves).to_have_attribute("aria-valuetext", "temperature 0.0100: x₀ 1, x₁ 3.7\u00a0×\u00a010⁻⁴⁴")
    for _ in range(20):
        page.keyboard.press("Shift+ArrowRight")
    expect(curves).to_have_attribute("aria-valuetext", "temperature 100: x₀ 0.5025, x₁ 0.4975")


def test_the_server_agrees_with_every_exercise(page: Page) -> None:
    visit(page)
    for exercise in page.locator(".exercise").all():
        exercise.locator("summary").click()
        answer = (exercise.get_by_text(re.compile("^Answer: ")).text_content() or "").removeprefix("Answer: ")
        if exercise.get_by_role("button", name="Show it on the page").count():
            expect(exercise.locator(".exercise-served")).to_have_text(f"The server computes: {answer}")
