"""Contrast themes: colours that are the information stay, and what is chosen is seen."""

import pytest
from driving import COLOURS_SEEN, visit, visit_concept
from playwright.sync_api import Page
from settling import until

STYLE = """(element, property) => getComputedStyle(element)[property]"""
RING_IN_TWO_COLOURS = """() => {
    const ring = [...document.querySelector(".matrix-mark[role=slider]").querySelectorAll(".mark-keyboard rect")];
    const strokes = ring.map((one) => getComputedStyle(one).stroke);
    return ring.length === 2 && strokes.every((one) => one !== "") && strokes[0] !== strokes[1];
}"""

RING_AT_THE_CELL = """() => {
    const matrix = document.querySelector(".matrix-mark[role=slider]");
    const cell = matrix.querySelectorAll(".mark-cell rect")[Number(matrix.getAttribute("aria-valuenow"))];
    const [place, ring] = [cell, [...matrix.querySelectorAll(".mark-keyboard rect")].at(-1)]
      .map((one) => one?.getBoundingClientRect());
    return place && ring && Math.abs(place.x - ring.x) < 3 && Math.abs(place.y - ring.y) < 3;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_forced_colours_keep_heat_maps_and_show_what_is_chosen(page: Page, scheme: str) -> None:
    page.emulate_media(forced_colors="active", color_scheme=scheme)
    visit(page)
    assert page.locator(".matrix-cells").evaluate(COLOURS_SEEN) > 50
    assert page.locator(".matrix-cell-mark").evaluate(STYLE, "outlineStyle") == "solid"
    visit_concept(page, "/kernel")
    cells = page.locator(".matrix-mark").first.locator(".mark-cell rect")
    fills = cells.evaluate_all("(all) => new Set(all.map((one) => getComputedStyle(one).fill)).size")
    assert fills > 10
    pressed, other = (
        page.locator(".segmented input" + state + " + span").first.evaluate(STYLE, "backgroundColor")
        for state in (":checked", ":not(:checked)")
    )
    assert pressed != other
    chosen, preset = (
        page.locator(".preset" + state).first.evaluate(STYLE, "backgroundColor")
        for state in ("[aria-current]", ":not([aria-current])")
    )
    assert chosen != preset
    page.emulate_media(forced_colors="none")


def test_the_keyboard_s_cell_is_framed_in_two_colours(page: Page) -> None:
    visit_concept(page, "/kernel")
    matrix = page.locator(".matrix-mark[role=slider]").first
    ring = matrix.locator(".mark-keyboard")
    assert ring.evaluate(STYLE, "display") == "none"
    matrix.focus()
    page.keyboard.press("ArrowRight")
    assert ring.evaluate(STYLE, "display") == "inline"
    # The figure may be drawn again meanwhile; a rectangle that has left the page has no style.
    until(page, RING_IN_TWO_COLOURS)
    until(page, RING_AT_THE_CELL)
