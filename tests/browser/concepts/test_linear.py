"""Linear layer page: its presets, and the API's numbers in its charts."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from driving import (
    DRAWN,
    expect_address,
    expect_server_agrees,
    saved_concept,
    shown_body,
    type_within_a_frame,
    visit_concept,
)
from playwright.sync_api import Browser, Page, expect
from plotting import plot_in, series_in
from settling import until

CELLS = """() => [...document.querySelectorAll("#picture svg.matrix-mark")].map((picture) =>
  [...picture.querySelectorAll(".mark-cell title")].map((one) => one.textContent.split(": ").pop()))"""
SLOW_MS = 180_000
"""For what builds every architecture of the library."""


def visit(page: Page, address: str = "/linear") -> None:
    visit_concept(page, address)


def asked(page: Page) -> Any:
    body = shown_body(page)
    return page.request.post("/api/linear", data=body).json()


def cells(page: Page) -> list[np.ndarray]:
    return [np.array([float(text.replace("−", "-")) for text in one]) for one in page.evaluate(CELLS)]


def numbers(text: str) -> list[float]:
    return [float(one) for one in re.findall(r"-?\d+(?:\.\d+)?", text.replace("−", "-").replace(",", ""))]


def line(page: Page, step: int) -> list[float]:
    page.locator("#steps .step").nth(step).click()
    until(page, DRAWN)
    return numbers(page.locator(".step-line").inner_text())


def table(page: Page) -> list[list[float]]:
    rows = page.locator(".step-table tbody tr").all()
    return [[float(one.replace("−", "-")) for one in row.locator("th, td").all_text_contents()] for row in rows]


@pytest.mark.gate("1")
@pytest.mark.parametrize("rank", [1, 2, 3, 4])
def test_an_input_of_any_number_of_axes_keeps_its_leading_ones(page: Page, rank: int) -> None:
    visit(page, f"/linear?numbers=random&rank={rank}&ins=5&outs=2&seed=3")
    answer = asked(page)
    assert len(answer["input_shape"]) == rank
    assert answer["output_shape"] == [*answer["input_shape"][:-1], 2]
    x, w, b = (np.array(answer[name]) for name in ("inputs", "weight", "bias"))
    y = x @ w.T + b
    np.testing.assert_allclose(answer["outputs"], y, rtol=0, atol=1e-12)
    for shown, expected in zip(cells(page), (x, w, b, y, y), strict=True):
        np.testing.assert_allclose(shown, expected.ravel(), rtol=0, atol=5.1e-3)
    assert line(page, 4) == [*answer["input_shape"], *answer["output_shape"]]
    assert line(page, 5) == [5, 2, 2, 12]


def test_one_output_is_worked_out_by_hand(page: Page) -> None:
    visit(page, "/linear?numbers=random&rank=2&seed=7")
    answer = asked(page)
    picture = page.get_by_role("slider", name="y worked out")
    type_within_a_frame(picture, "ArrowDown", "ArrowRight")
    expect(picture).to_have_attribute("aria-valuetext", re.compile("^1, 1: "))
    until(page, DRAWN)
    products = np.array(answer["inputs"][1]) * answer["weight"][1]
    assert line(page, 0) == pytest.approx(products, abs=6e-5)
    assert line(page, 1) == pytest.approx([products.sum()], abs=6e-5)
    assert line(page, 2)[-1] == pytest.approx(answer["outputs"][1][1], abs=6e-5)
    assert line(page, 5) == [4, 3, 3, 15]
    for row, (_, total, bias, by_hand, torchs) in enumerate(table(page)):
        assert by_hand == torchs == pytest.approx(answer["outputs"][1][row], abs=6e-5)
        assert total + bias == pytest.approx(by_hand, abs=2e-4)
    page.get_by_role("checkbox", name="With bias").uncheck()
    until(page, DRAWN)
    expect(page.locator(".linear-figure", has_text="Bias b")).to_be_hidden()
    assert line(page, 5) == [4, 3, 0, 12]


def test_x_and_w_are_edited_and_their_sizes_agree(page: Page) -> None:
    visit(page)
    assert line(page, 2)[-1] == 0.5
    page.locator("#x").get_by_label("x₀, number 2").fill("10")
    expect_address(page, x="1_2_10_-1")
    until(page, DRAWN)
    assert line(page, 2)[-1] == 20.5
    page.locator("#x").get_by_role("button", name="Add row").click()
    page.locator("#x").get_by_role("button", name="Remove column").click()
    page.locator("#b").get_by_role("button", name="Add column").click()
    expect_address(page, x="1_2_10__0_0_0", w="1_0_2__0_1_-1__2_-1_0__0_0_0", b="0.5_0_-1_0")
    until(page, DRAWN)
    answer = asked(page)
    np.testing.assert_array_equal(answer["outputs"], [[21.5, -8, -1, 0], [0.5, 0, -1, 0]])
    page.get_by_role("checkbox", name="With bias").uncheck()
    until(page, DRAWN)
    expect(page.locator("#b")).to_be_hidden()
    np.testing.assert_array_equal(asked(page)["outputs"], [[21, -8, 0, 0], [0, 0, 0, 0]])


def test_how_weights_begin(page: Page) -> None:
    visit(page, "/linear?view=start&rows=256")
    found = np.array(table(page))
    np.testing.assert_array_equal(found[:, 0], [8, 64, 512])
    np.testing.assert_allclose(found[:, 1], [0.3536, 0.1250, 0.0442], rtol=0, atol=1e-9)
    np.testing.assert_allclose(found[:, 4], [0.2041, 0.0722, 0.0255], rtol=0, atol=1e-9)
    np.testing.assert_allclose(found[:, 5], found[:, 4], rtol=0.05)
    assert (np.abs(found[:, 2:4]) <= found[:, 1:2] + 1e-9).all()
    page.locator("#steps .step", has_text="Biases").click()
    expect(page.locator(".step-says")).to_contain_text("256 biases lie between −0.04")
    plot = plot_in(page)
    assert len(series_in(plot)) == 3
    expect(plot.locator(".annotation-text")).to_have_text(["density", "1/√8", "1/√64", "1/√512"])


def test_a_bias_is_counted_and_taken_apart(page: Page) -> None:
    visit(page, "/linear?view=bias")
    assert line(page, 0) == [2, 8, 8, 8, 144, 2, 8, 8, 128]
    expect(page.locator(".step-says")).to_contain_text("11.1 %")
    assert line(page, 1) == [96, 3, 4096, 1179648]
    content, query, key, constant, whole = line(page, 2)
    assert content + query + key + constant == pytest.approx(whole, abs=3e-4)
    with_bias, without, by_query, by_key, for_all = cells(page)
    sides = by_query[:, None] + by_key[None, :] + for_all
    np.testing.assert_allclose(with_bias.reshape(4, 4), without.reshape(4, 4) + sides, rtol=0, atol=3e-3)
    line(page, 3)
    without_key, without_both = page.locator(".step-line math > mrow > :is(mn, mrow)").all_text_contents()
    assert without_key == "0" or re.search("10−1[5-9]", without_key)
    assert float(without_both) > 0.001
    page.get_by_role("spinbutton", name="layers").fill("12")
    until(page, DRAWN)
    assert line(page, 1) == [12, 3, 4096, 147456]


def test_known_models_say_which_have_a_bias(page: Page) -> None:
    page.goto("/linear")
    until(page, DRAWN)
    page.get_by_role("link", name="Known models").click()
    row = page.locator(".linear-models tbody tr")
    expect(row).not_to_have_count(0, timeout=SLOW_MS)
    until(page, DRAWN)
    models = page.request.get("/api/linear/models", timeout=SLOW_MS).json()["models"]
    expect(row).to_have_count(len(models))
    said = {one.locator("th").inner_text(): one.locator("td").all_inner_texts()[:4] for one in row.all()}
    for model in models:
        expected = ["✓" if model[role] else "–" for role in ("query", "key", "value", "output")]
        assert said[model["architecture"]] == expected
    assert said["gpt2"] == ["✓"] * 4
    assert said["llama"] == ["–"] * 4
    assert said["whisper"] == ["✓", "–", "✓", "✓"]


def test_the_server_agrees_with_every_exercise(page: Page) -> None:
    visit(page)
    expect_server_agrees(page, 6)


def test_the_saved_file_holds_every_figure(page: Page, browser: Browser, tmp_path: Path) -> None:
    visit(page)
    with saved_concept(page, browser, tmp_path / "linear.html", SLOW_MS) as saved:
        expect(saved.locator(".linear-models tbody tr")).to_have_count(27)
