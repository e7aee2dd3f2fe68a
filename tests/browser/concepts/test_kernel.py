"""Kernel page: what depends on W, dragged points, exercises."""

import re
from typing import Any

import numpy as np
import pytest
from driving import shown_body
from playwright.sync_api import Page, expect
from settling import until

DRAWN = """() => document.querySelector("#concept").getAttribute("aria-busy") === "false" """
WEIGHTS = """() => [...document.querySelectorAll(".kernel-matrix svg")].map((picture) => {
  const texts = [...picture.querySelectorAll(".mark-cell title")].map((one) => one.textContent.split(": ").pop());
  const size = Math.sqrt(texts.length);
  return Array.from({ length: size }, (_, row) => texts.slice(row * size, (row + 1) * size)); })"""


def visit(page: Page, address: str = "/kernel") -> None:
    page.goto(address)
    until(page, DRAWN)


def choose(page: Page, name: str) -> None:
    page.locator("#presets").get_by_role("link", name=name, exact=True).click()
    expect(page.locator(".preset[aria-current=true]")).to_have_text(name)
    until(page, DRAWN)


def weights(page: Page) -> list[np.ndarray]:
    """Of the Gaussian kernel, the polynomial kernel, attention."""
    return [
        np.array([[float(text.replace("−", "-")) for text in row] for row in one]) for one in page.evaluate(WEIGHTS)
    ]


def asked(page: Page) -> dict[str, Any]:
    return shown_body(page)


@pytest.mark.gate
def test_kernels_do_not_depend_on_w_and_attention_does(page: Page) -> None:
    visit(page)
    before = weights(page)
    answer = page.request.post("/api/kernel", data=asked(page)).json()
    for shown, reading in zip(before, ("rbf", "polynomial", "attention"), strict=True):
        np.testing.assert_allclose(shown, answer[reading]["weights"], rtol=0, atol=6e-3)
    choose(page, "W rotated by 120°")
    after = weights(page)
    np.testing.assert_array_equal(after[0], before[0])
    np.testing.assert_array_equal(after[1], before[1])
    assert np.abs(after[2] - before[2]).max() > 0.3
    assert page.locator("#weight mtd").all_text_contents() == ["−0.50", "−0.87", "0.87", "−0.50"]


def test_the_story_s_numbers_are_the_page_s(page: Page) -> None:
    visit(page, "/kernel?turn=120")
    answer = page.request.post("/api/kernel", data=asked(page)).json()
    row = answer["attention"]["weights"][0]
    np.testing.assert_allclose([row[0], row[2]], [0.05, 0.47], rtol=0, atol=5e-3)
    for one in range(6):
        assert np.argmax(answer["rbf"]["weights"][one]) == one
    visit(page, "/kernel?turn=180")
    assert np.argmax(weights(page)[2][0]) == 3
    visit(page)
    assert np.argmax(weights(page)[2][0]) == 0


def test_matrices_recede_until_their_step(page: Page) -> None:
    visit(page)
    expect(page.locator("#matrices .is-later")).to_have_count(0)
    page.locator(".step").first.click()
    expect(page.locator("#matrices .is-later")).to_have_count(3)
    page.locator('#steps .step[data-name="Attention"]').click()
    expect(page.locator("#matrices .is-later")).to_have_count(0)


def test_on_a_circle_the_gaussian_kernel_is_attention(page: Page) -> None:
    visit(page)
    choose(page, "Where RBF is attention")
    rbf, _, attention = weights(page)
    np.testing.assert_allclose(rbf, attention, rtol=0, atol=1e-9)
    choose(page, "Narrow kernel")
    assert np.diag(weights(page)[0]).min() > 0.99
    choose(page, "Wide kernel")
    np.testing.assert_allclose(weights(page)[0], np.full((6, 6), 1 / 6), rtol=0, atol=0.02)
    choose(page, "Negative weights")
    assert weights(page)[1].min() < 0
    np.testing.assert_allclose(weights(page)[1].sum(1), np.ones(6), rtol=0, atol=0.04)


def test_points_are_moved_by_mouse_and_keyboard(page: Page) -> None:
    visit(page)
    point = page.get_by_role("slider", name="Point 2")
    box = point.locator(".kernel-dot").bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 60, box["y"] + 40, steps=5)
    page.mouse.up()
    until(page, DRAWN)
    x, y = asked(page)["points"][2]
    assert x > -0.6
    assert y < 0.6
    expect(point).to_have_class(re.compile("is-query"))
    point.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowUp")
    moved = f"[{round(x + 0.1, 2):g},{round(y + 0.02, 2):g}]"
    expect(page.locator("#call")).to_contain_text(moved)
    page.get_by_role("button", name="Add point").click()
    expect(page.locator(".kernel-point")).to_have_count(7)


def test_the_server_agrees_with_every_exercise(page: Page) -> None:
    visit(page)
    for exercise in page.locator(".exercise").all():
        exercise.locator("summary").click()
        answer = (exercise.get_by_text(re.compile("^Answer: ")).text_content() or "").removeprefix("Answer: ")
        if exercise.get_by_role("button", name="Show it on the page").count():
            expect(exercise.locator(".exercise-served")).to_have_text(f"The server computes: {answer}")
