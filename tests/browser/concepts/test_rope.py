"""RoPE page: the curriculum's presets, and what rotates or stays when positions move."""

import math
import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from plotting import plot_in, series_in
from settling import until

READY = "() => document.querySelector('#concept').getAttribute('aria-busy') === 'false'"
UNIT = 88
STARS = """() => [...document.querySelectorAll(".rope-star")].map((star) =>
  [Number(star.getAttribute("cx")), -Number(star.getAttribute("cy"))])"""
CELLS = """() => [...document.querySelectorAll(".matrix-mark")].map((matrix) =>
  [...matrix.querySelectorAll(".mark-cell text")].map((cell) => Number(cell.textContent.replace("−", "-"))))"""


def visit(page: Page, address: str) -> None:
    page.goto(address)
    until(page, READY)


def step(page: Page, name: str) -> str:
    page.locator(".step", has_text=re.compile(rf"^\d+{re.escape(name)}$")).click()
    until(page, READY)
    return page.locator(".step-line").inner_text()


@pytest.mark.gate("0-place0")
@pytest.mark.parametrize(("position", "place"), [(0, (1, 0)), (1, (0.8776, 0.4794)), (2, (0.5403, 0.8415))])
def test_one_pair_turns(page: Page, position: int, place: tuple[float, float]) -> None:
    visit(page, f"/rope?position={position}")
    tip = page.locator(".rope-tip")
    found = [float(tip.get_attribute("cx") or "nan") / UNIT, -float(tip.get_attribute("cy") or "nan") / UNIT]
    np.testing.assert_allclose(found, place, atol=5e-5)
    assert re.findall(r"−?\d+\.\d{4}", step(page, "Rotated")) == [f"{one:.4f}" for one in place]


def distances(stars: list[list[float]]) -> np.ndarray:
    points = np.array(stars)
    return np.linalg.norm(points[:, None] - points[None], axis=-1)


def test_the_sky_turns_and_the_constellation_keeps_its_shape(page: Page) -> None:
    visit(page, "/rope?view=sky&theta=0.15")
    before = page.evaluate(STARS)
    scores = page.evaluate(CELLS)
    page.get_by_label("Shift all positions by").fill("8")
    until(page, READY)
    after = page.evaluate(STARS)
    turn = np.array([[math.cos(1.2), -math.sin(1.2)], [math.sin(1.2), math.cos(1.2)]])  # 8 · 0.15
    np.testing.assert_allclose(after, np.array(before) @ turn.T, atol=1e-6)
    np.testing.assert_allclose(distances(after), distances(before), atol=1e-6)
    assert page.evaluate(CELLS) == scores

    page.get_by_label("Shift it by").fill("6")
    until(page, READY)
    moved = np.abs(np.array(page.evaluate(STARS)) - np.array(after)).max(axis=1)
    assert [index for index, change in enumerate(moved) if change > 1e-6] == [1]
    changed = np.array(page.evaluate(CELLS)[0]).reshape(7, 7) != np.array(scores[0]).reshape(7, 7)
    assert not np.delete(np.delete(changed, 1, 0), 1, 1).any()
    assert changed[1].any()


def test_clocks_tell_the_speed_of_every_pair(page: Page) -> None:
    visit(page, "/rope?view=clocks&position=12&pair=32")
    expect(page.locator(".rope-clock")).to_have_count(64)
    assert step(page, "Speed").endswith("0.0100")
    assert "628.32" in step(page, "Full turn")  # 2π / 0.01
    page.locator(".rope-clock").nth(16).click()
    expect(page.locator(".rope-clock.is-chosen text")).to_have_text("16")
    until(page, READY)
    assert step(page, "Speed").endswith("0.1000")


def test_scores_stay_when_both_move_and_change_when_one_does(page: Page) -> None:
    visit(page, "/rope?view=scores&slide=3")
    still, both, alone = page.evaluate(CELLS)
    assert both == still
    assert alone != still
    expect(page.locator(".matrix-mark")).to_have_count(3)


@pytest.mark.parametrize(("distance", "strength"), [(0, 32.5), (10, 17.95), (50, 12.63), (100, 10.23), (250, 6.55)])
def test_decay_with_distance(page: Page, distance: int, strength: float) -> None:
    visit(page, f"/rope?view=decay&distance={distance}")
    assert f"{strength:.2f}" in step(page, "Strength")


def test_the_formula_of_decay_names_no_index_twice_and_its_last_sum(page: Page) -> None:
    visit(page, "/rope?view=decay&dim=8&step=1")
    formula = page.locator("#formula").inner_text()
    assert "cos" in formula
    assert "e" not in re.findall(r"\w+", formula), "no imaginary unit beside the index i"
    expect(page.locator(".step-says")).to_contain_text("partial sums S1 … S4 of")


@pytest.mark.parametrize(("distance", "strength"), [(41, 11.56), (51, 13.22)])
def test_the_numbers_of_the_misconception(page: Page, distance: int, strength: float) -> None:
    visit(page, "/rope")
    link = page.locator(f".misconception a[href*='distance={distance}']")
    link.click()
    until(page, READY)
    assert f"{strength:.2f}" in step(page, "Strength")
    assert f"{strength:.2f}" in page.locator(".misconception .is-right").inner_text()


def test_rotations_form_a_group(page: Page) -> None:
    visit(page, "/rope?view=group&query=5&key=2&theta=0.5")

    def rotation(position: float) -> np.ndarray:
        cos, sin = math.cos(0.5 * position), math.sin(0.5 * position)
        return np.array([[cos, -sin], [sin, cos]])

    found = [np.reshape(cells, (2, 2)) for cells in page.evaluate(CELLS)]
    for matrix, position in zip(found, (5, 2, 7, -3), strict=True):
        np.testing.assert_allclose(matrix, rotation(position), atol=5.1e-5)
    assert step(page, "In a row").endswith(f"{math.cos(3.5):.4f}".replace("-", "−"))
    assert step(page, "Only the distance").endswith(f"{math.cos(1.5):.4f}")


def test_mixing_the_pairings_shows_and_reordering_mends(page: Page) -> None:
    visit(page, "/rope?view=pairing")
    right, mixed, mended = page.evaluate(CELLS)
    assert mended == right
    assert mixed != right
    diagonal = [mixed[index * 9] for index in range(8)]
    assert len(set(diagonal)) > 1, "a relative score would be the same along a diagonal"
    assert len({right[index * 9] for index in range(8)}) == 1


def test_past_the_trained_length_every_scaling_has_its_curve(page: Page) -> None:
    visit(page, "/rope?view=scaling&distance=200")
    expect(page.locator("#picture .plot")).to_have_count(2)
    assert len(series_in(plot_in(page))) == 6
    step(page, "RoPE")
    unscaled = page.locator(".step-says").inner_text()
    step(page, "linear")
    assert re.findall(r"\d+", unscaled)[-1] != "0"
    assert page.locator(".step-says").inner_text().endswith("Pairs at unseen angles: 0.")
    said = page.locator("#notice").inner_text()
    assert said.startswith("At position 200, 47 of 64 pairs")
    for name, count in (("RoPE", 47), ("linear", 0), ("NTK", 35), ("YaRN", 0)):
        step(page, name)
        expect(page.locator(".step-says")).to_contain_text(f"Pairs at unseen angles: {count}.")


def test_exercises_are_checked_by_the_server(page: Page) -> None:
    visit(page, "/rope")
    exercise = page.locator("[data-exercise=rope-pair]")
    exercise.get_by_role("textbox").nth(0).fill("0.54")
    exercise.get_by_role("textbox").nth(1).fill("0.8415")
    exercise.get_by_role("button", name="Check").click()
    expect(exercise.locator(".exercise-verdict")).to_have_text("Right.")
    for one in page.locator("[data-exercise]").all():
        one.locator("summary").click()
        expect(one.locator(".exercise-served")).to_contain_text("The server computes:")
        said = one.locator("details").inner_text()
        answer, served = (re.search(rf"{name}: (.*)", said) for name in ("Answer", "The server computes"))
        assert answer is not None
        assert served is not None
        assert answer[1] == served[1]
