"""ALiBi page: the curriculum's slopes, the bias, and attention compared with RoPE."""

import math
import re
from typing import Any

import numpy as np
import pytest
from driving import expect_server_agrees, shown_body, solve, visit_concept
from playwright.sync_api import Locator, Page, expect
from plotting import plot_in, series_in


def visit(page: Page, address: str = "/alibi") -> None:
    visit_concept(page, address)


def answer_of(page: Page) -> Any:
    body = shown_body(page)
    return page.request.post("/api/alibi", data=body).json()


def cells(matrix: Locator) -> list[float]:
    return [float(cell.replace("−", "-")) for cell in matrix.locator(".mark-cell text").all_text_contents()]


def step(page: Page, name: str) -> str:
    page.locator(".step", has_text=re.compile(rf"^\d+{re.escape(name)}$")).click()
    expect(page.locator(".step[aria-current=step]")).to_contain_text(name)
    return page.locator(".step-line").inner_text().replace("−", "-")


EIGHT = [2.0**-head for head in range(1, 9)]
SLOPES = {
    8: EIGHT,
    16: [2 ** (-head / 2) for head in range(1, 17)],
    12: [*EIGHT, 0.70711, 0.35355, 0.17678, 0.08839],
}


@pytest.mark.gate("8")
@pytest.mark.parametrize("heads", SLOPES)
def test_slopes(page: Page, heads: int) -> None:
    visit(page, f"/alibi?heads={heads}&head={heads - 1}")
    table = np.reshape(cells(page.locator("#slopes .matrix-mark")), (heads, 2))
    np.testing.assert_allclose(table[:, 0], SLOPES[heads], atol=5.1e-6)
    np.testing.assert_allclose(table[:, 1], math.log(2) / np.array(SLOPES[heads]), rtol=1e-4)
    assert step(page, "Slope").endswith(f"{SLOPES[heads][-1]:.5f}")


def test_the_bias_grows_with_the_distance(page: Page) -> None:
    visit(page)
    distance = np.subtract.outer(np.arange(8), np.arange(8))
    mark = page.locator("#picture .matrix-mark")
    texts = np.reshape(mark.locator(".mark-cell text").all_text_contents(), (8, 8))
    past = distance >= 0
    assert set(texts[~past]) == {"−∞"}, "the forbidden future has no bonus and no colour"
    np.testing.assert_array_equal([float(one.replace("−", "-")) for one in texts[past]], -0.5 * distance[past])
    assert step(page, "Bias").endswith("-2.0000")
    assert step(page, "Factor").endswith("0.1353")
    mark.focus()
    page.keyboard.press("ArrowLeft")
    expect(mark).to_have_attribute("aria-valuetext", "7, 2: −2.50")
    page.get_by_label("Symmetric, as in encoders").check()
    expect(mark.locator(".mark-cell text").nth(7)).to_have_text("−3.50")
    np.testing.assert_array_equal(np.reshape(cells(mark), (8, 8)), -0.5 * np.abs(distance))


def test_the_same_attention_under_three_ways(page: Page) -> None:
    visit(page, "/alibi?view=compare")
    compared = answer_of(page)["compared"]
    scores = np.array(compared["none"]["scaled_scores"])
    row = scores[7] - 0.5 * np.arange(7, -1, -1)
    expected = [compared["none"]["weights"], compared["rope"]["weights"], compared["alibi"][0]["weights"]]
    np.testing.assert_allclose(expected[2][7], np.exp(row) / np.exp(row).sum(), atol=1e-12)
    marks = page.locator("#picture .matrix-mark")
    expect(marks).to_have_count(3)
    for mark, weights in zip(marks.all(), expected, strict=True):
        np.testing.assert_allclose(cells(mark), np.ravel(weights), atol=0.0051)
    shown = [float(one) for one in re.findall(r"\d\.\d{4}", step(page, "Weight"))]
    np.testing.assert_allclose(shown, [weights[7][3] for weights in expected], atol=5.1e-5)
    assert f"{row[3]:.4f}" in step(page, "Bias added")


def test_with_equal_vectors_positions_alone_decide(page: Page) -> None:
    visit(page, "/alibi?view=compare&vectors=alike&head=1")
    none, _, alibi = (np.reshape(cells(mark), (8, 8)) for mark in page.locator("#picture .matrix-mark").all())
    np.testing.assert_allclose(none[7], 0.125, atol=0.0051)
    decay = np.exp(-0.25 * np.arange(7, -1, -1))
    np.testing.assert_allclose(alibi[7], decay / decay.sum(), atol=0.0051)


def test_how_far_each_head_looks(page: Page) -> None:
    visit(page, "/alibi?view=reach&distance=4")
    assert len(series_in(plot_in(page))) == 8
    assert step(page, "Factor").endswith("0.1353")  # e^−2
    assert step(page, "Half-weight distance").endswith("1.39")
    page.locator("#slopes .mark-cell").last.click()
    expect(page.locator("#head")).to_have_value("7")
    expect(page.locator(".step-line")).to_contain_text("177.45")


def test_exercises_are_checked_by_the_server(page: Page) -> None:
    visit(page)
    solve(page, "alibi-bias", "-1")
    expect_server_agrees(page, 4)
