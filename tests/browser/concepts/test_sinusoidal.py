"""Sinusoidal page: the formula's numbers in the table, the similarities and the shift."""

import math
import re
from typing import Any

import numpy as np
import pytest
from driving import expect_server_agrees, shown_body, solve, type_within_a_frame, visit_concept
from playwright.sync_api import Page, expect


def visit(page: Page, address: str = "/sinusoidal") -> None:
    visit_concept(page, address)


def answer_of(page: Page) -> Any:
    body = shown_body(page)
    return page.request.post("/api/sinusoidal", data=body).json()


def step(page: Page, name: str) -> str:
    page.locator(".step", has_text=re.compile(rf"^\d+{re.escape(name)}$")).click()
    expect(page.locator(".step[aria-current=step]")).to_contain_text(name)
    return page.locator(".step-line").inner_text().replace("−", "-")


@pytest.mark.gate("interleaved-8")
@pytest.mark.parametrize(("layout", "column"), [("interleaved", 8), ("half_split", 4)])
def test_the_map_holds_the_formula(page: Page, layout: str, column: int) -> None:
    visit(page, f"/sinusoidal?layout={layout}")
    sine = math.sin(20 * 10_000 ** (-8 / 64))
    expect(page.locator(".map-mark")).to_have_attribute(
        "aria-valuetext", f"position 20, dimension {column}: {sine:.4f}".replace("-", "−")
    )
    assert step(page, "Its sine").endswith(f"{sine:.4f}")
    assert step(page, "Speed").endswith("0.3162")


def test_the_first_position_of_four_numbers(page: Page) -> None:
    visit(page, "/sinusoidal?dim=4&length=8&position=1&pair=0")
    np.testing.assert_allclose(answer_of(page)["encoding"][1], [0.8415, 0.5403, 0.01, 0.99995], atol=5e-5)
    assert step(page, "Its sine").endswith("0.8415")
    assert step(page, "Its cosine").endswith("0.5403")


def test_keyboard_and_pointer_choose_a_cell(page: Page) -> None:
    visit(page)
    mark = page.locator(".map-mark")
    mark.focus()
    page.keyboard.press("ArrowDown")
    expect(mark).to_have_attribute("aria-valuetext", re.compile("^position 21, dimension 8:"))
    page.keyboard.press("ArrowLeft")
    expect(mark).to_have_attribute("aria-valuetext", re.compile("^position 21, dimension 6:"))
    type_within_a_frame(mark, "ArrowDown", "ArrowRight", "ArrowRight")
    expect(mark).to_have_attribute("aria-valuetext", re.compile("^position 22, dimension 8:"))
    mark.scroll_into_view_if_needed()
    box = mark.bounding_box()
    assert box
    scale = box["width"] / 518
    page.mouse.click(box["x"] + (34 + 7.5 * 31) * scale, box["y"] + (34 + 7.5 * 3.5) * scale)
    expect(mark).to_have_attribute("aria-valuetext", re.compile("^position 3, dimension 30:"))
    expect(page.locator("#position")).to_have_value("3")


def test_similarity_depends_on_the_distance_alone(page: Page) -> None:
    visit(page, "/sinusoidal?view=similarity&position=20&other=20")
    assert step(page, "Dot product").endswith("32.0000")
    speeds = 10_000 ** (-np.arange(0, 64, 2) / 64)
    for position in (26, 40):
        visit(page, f"/sinusoidal?view=similarity&position={position}&other={position - 6}")
        dot = np.cos(6 * speeds).sum()
        assert step(page, "Dot product").endswith(f"{dot:.4f}")
        assert step(page, "Cosine similarity").endswith(f"{dot / 32:.4f}")


def test_the_numbers_of_the_story(page: Page) -> None:
    visit(page)
    turns = 2 * math.pi * 10_000 ** (np.array([0, 62]) / 64)
    assert f"{turns[0]:.2f} positions, the last in {turns[1]:,.0f}." in page.locator(".why").inner_text()
    speeds = 10_000 ** (-np.arange(0, 64, 2) / 64)
    said = page.locator(".misconception .is-right").inner_text()
    for distance in (30, 32):
        assert f"{np.cos(distance * speeds).mean():.4f}" in said
    page.locator(".misconception .is-right a").click()
    expect(page.locator(".step-line")).to_contain_text("0.6111")


def test_a_step_is_the_same_rotation_from_everywhere(page: Page) -> None:
    for position in (5, 90):
        visit(page, f"/sinusoidal?view=step&position={position}&pair=0&by=3")
        matrix, vectors = (
            [float(cell.replace("−", "-")) for cell in mark.locator(".mark-cell text").all_text_contents()]
            for mark in page.locator(".matrix-mark").all()
        )
        np.testing.assert_allclose(matrix[:2] + matrix[8:10], [-0.99, 0.141, -0.141, -0.99], atol=6e-4)
        assert vectors[8:16] == vectors[16:]
        assert f"{math.sin(position + 3):.4f}" in step(page, "Applied")
        step(page, "Difference")
        assert answer_of(page)["step"]["largest_difference"] < 1e-13


def test_a_learned_table_beside_the_sines(page: Page) -> None:
    visit(page, "/sinusoidal?view=learned&other=21")
    expect(page.locator(".map-mark")).to_have_count(2)
    table = answer_of(page)["table"]
    assert step(page, "Learned").endswith(f"{table['cosine_similarity'][20][21]:.4f}")
    assert table["cosine_similarity"][20][21] > max(table["cosine_similarity"][20][35], 0.8)
    assert step(page, "Table").endswith("196,608")  # 512 · 384
    speeds = 10_000 ** (-np.arange(0, 64, 2) / 64)
    assert step(page, "Sinusoidal").endswith(f"{np.cos(speeds).mean():.4f}")
    expect(page.locator("#curve .lines-mark .mark-line")).to_have_count(2)
    expect(page.locator("#to-explorer")).to_have_attribute("href", re.compile("model=.*MiniLM"))


def test_exercises_are_checked_by_the_server(page: Page) -> None:
    visit(page)
    solve(page, "sinusoidal-distance", "-0.99")
    expect_server_agrees(page, 3)
