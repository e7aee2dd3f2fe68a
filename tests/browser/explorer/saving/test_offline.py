"""The exported HTML file, opened offline: numbers match the API, and everything works."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from driving import COLOURS_SEEN, MODEL, SENTENCE, cell, head, true_weights
from planes import MARKS, SERIES, drag, plane_in
from playwright.sync_api import Browser, Page, expect
from plotting import plot_in, point_at
from settling import until

from attention_observatory import Observatory

ZOOMED = """(wanted) => {
  const points = document.querySelectorAll(".plane .scatterlayer .trace")[0].querySelectorAll(".point");
  const across = Array.from(points, (point) => point.getBoundingClientRect().x);
  const span = Math.max(...across) - Math.min(...across);
  return wanted > 0 ? span > wanted : span < -wanted; }"""
"""Whether the keys take more than so many pixels, or less than the negative of so many."""


@pytest.fixture
def problems_in_file() -> list[str]:
    return []


@pytest.fixture
def open_file(browser: Browser, page: Page, tmp_path: Path, problems_in_file: list[str]) -> Callable[..., Page]:
    """Exports an analysis and opens the file in a browser without a network. Any complaint fails the test."""
    contexts = []

    def open_one(
        text: str = SENTENCE, *, width: int = 1440, scheme: Any = "light", more: Any = None, **query: Any
    ) -> Page:
        analysis = page.request.post("/api/analyses", data={"model": MODEL, "text": text, **(more or {})}).json()
        exported = page.request.get(f"/api/analyses/{analysis['id']}/export", params={"format": "html", **query})
        assert exported.ok, exported.text()
        path = tmp_path / "file.html"
        path.write_bytes(exported.body())
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True)
        contexts.append(context)
        context.on("console", lambda message: problems_in_file.append(message.text))
        context.on("weberror", lambda error: problems_in_file.append(str(error.error)))
        context.on(
            "request", lambda request: problems_in_file.append(request.url) if is_elsewhere(request.url) else None
        )
        opened = context.new_page()
        opened.goto(path.as_uri())
        expect(opened.locator(".matrix-frame")).to_be_visible()
        return opened

    yield open_one
    for context in contexts:
        context.close()
    assert problems_in_file == []


def is_elsewhere(address: str) -> bool:
    """Whether it is neither the file nor an object that its own page made, such as the picture for a PNG."""
    return "file.html" not in address and not address.startswith("blob:null/")


def written(value: float) -> str:
    return f"{value:.4f}"


@pytest.mark.gate
def test_pointing_at_a_cell_shows_the_api_s_number(page: Page, open_file: Callable[..., Page]) -> None:
    saved = open_file(layer=5, head=11, query=8, key=2)
    weights = true_weights(page, SENTENCE, 5, 11)
    expect(saved.locator("#head-title")).to_have_text("Layer 5, head 11")
    for query, key in ((8, 2), (0, 12), (10, 0)):
        saved.mouse.move(*cell(saved, query, key, 13))
        expect(saved.locator(".matrix-tip")).to_be_visible()
        expect(saved.locator(".matrix-tip .cell-value")).to_have_text(written(weights[query, key]))
    expect(saved.locator(".matrix-tip .cell-pair")).to_have_text("tired → [CLS]")
    expect(saved.locator("#reads .reads-title")).to_have_text("it attends to")
    first = saved.locator("#reads .reads-item").first
    expect(first).to_contain_text("cat")
    expect(first).to_contain_text(f"{weights[8].max():.2f}")


def test_every_head_can_be_opened_and_every_stage_of_the_chosen_one(page: Page, open_file: Callable[..., Page]) -> None:
    saved = open_file(layer=5, head=11, query=1)
    scores = true_weights(page, SENTENCE, 5, 11, "raw_scores")
    saved.get_by_role("radio", name="raw", exact=True).check(force=True)
    saved.mouse.move(*cell(saved, 3, 4, 13))
    expect(saved.locator(".matrix-tip .cell-value")).to_have_text(written(scores[3, 4]).replace("-", "−"))
    norms = true_weights(page, SENTENCE, 5, 11, "norm_weighted")
    saved.get_by_role("radio", name="‖α f(x)‖").check(force=True)
    saved.mouse.move(*cell(saved, 8, 2, 13))
    expect(saved.locator(".matrix-tip .cell-value")).to_have_text(written(norms[8, 2]))
    expect(saved.locator("#reads .reads-title")).to_have_text("the₁ receives from (lengths ‖α f(x)‖)")
    head(saved, 0, 2).click()
    expect(saved.locator("#head-title")).to_have_text("Layer 0, head 2")
    expect(saved.locator("#stages input:disabled")).to_have_count(5)
    expect(saved.get_by_title("This stage is not available for this head.")).to_have_count(5)
    expect(saved.get_by_role("radio", name="weights")).to_be_checked()
    other = true_weights(page, SENTENCE, 0, 2)
    saved.mouse.move(*cell(saved, 7, 6, 13))
    expect(saved.locator(".matrix-tip .cell-value")).to_have_text(written(other[7, 6]))
    assert saved.locator(".grid-canvas").evaluate(COLOURS_SEEN) > 100
    expect(saved.locator("#contents")).to_have_text(
        "This file holds the weights of every head as numbers. "
        "The other stages (raw, scaled, masked, α ‖v‖, ‖α f(x)‖) it holds of Layer 5, head 11 alone."
    )


def test_zoom_by_button_wheel_keyboard_and_drag(page: Page, open_file: Callable[..., Page]) -> None:
    saved = open_file(layer=5, head=11, query=8, key=2)
    weights = true_weights(page, SENTENCE, 5, 11)

    number = saved.locator(".matrix-tip .cell-value")
    saved.mouse.move(*cell(saved, 0, 0, 1))
    expect(number).to_have_text(written(weights[6, 6]))
    saved.get_by_role("button", name="Zoom in", exact=True).click()
    saved.mouse.move(*cell(saved, 0, 0, 1))
    expect(number).not_to_have_text(written(weights[6, 6]))
    saved.get_by_role("button", name="All", exact=True).click()
    saved.mouse.move(*cell(saved, 0, 0, 1))
    expect(number).to_have_text(written(weights[6, 6]))
    saved.locator(".matrix-frame").focus()
    saved.mouse.move(*cell(saved, 8, 2, 13))
    saved.mouse.wheel(0, -2000)
    expect(saved.locator(".matrix-frame")).to_have_class(re.compile("can-pan"))
    expect(saved.locator(".matrix-tip")).to_be_visible()  # at rest again
    saved.keyboard.press("Escape")
    expect(saved.locator(".matrix-frame")).not_to_have_class(re.compile("can-pan"))
    saved.keyboard.press("+")
    expect(saved.locator(".matrix-frame")).to_have_class(re.compile("can-pan"))
    saved.keyboard.press("Escape")
    left, top = cell(saved, 4, 4, 13)
    saved.mouse.move(left, top)
    saved.mouse.down()
    saved.mouse.move(*cell(saved, 7, 7, 13), steps=4)
    saved.mouse.up()
    expect(saved.locator(".matrix-frame")).to_have_class(re.compile("can-pan"))
    saved.mouse.move(*cell(saved, 0, 0, 4))
    expect(saved.locator(".matrix-tip .cell-value")).to_have_text(written(weights[4, 4]))


def test_a_long_text_holds_one_head_in_full_and_says_so(page: Page, open_file: Callable[..., Page]) -> None:
    text = " ".join(f"Line {number} of a long text." for number in range(40))
    saved = open_file(text, layer=1, head=8)
    weights = true_weights(page, text, 1, 8)
    tokens = len(weights)
    assert tokens > 200
    expect(saved.locator("#contents")).to_contain_text("This file holds the numbers of Layer 1, head 8 (")
    expect(saved.locator("#matrix-problem")).to_be_empty()
    saved.mouse.move(*cell(saved, 50, 49, tokens))
    expect(saved.locator(".matrix-tip .cell-value")).to_have_text(written(weights[50, 49]))
    head(saved, 1, 9).click()
    side = -(-tokens // 64)
    expect(saved.locator("#matrix-problem")).to_contain_text(
        f"This file has no exact weights for Layer 1, head 9. Each cell is the maximum over {side} × {side} tokens. "
        "Weights are rounded to 1/255."
    )
    saved.mouse.move(*cell(saved, 50, 49, tokens))
    coarse = true_weights(page, text, 1, 9)
    row, column = 50 // side * side, 49 // side * side
    largest = np.round(coarse[row : row + side, column : column + side].max() * 255) / 255
    expect(saved.locator(".matrix-tip .cell-value")).to_have_text(written(largest))
    expect(saved.locator(".matrix-tip .cell-stage")).to_have_text("weights, largest in the cell")


def test_what_was_changed_in_the_model_is_said(open_file: Callable[..., Page]) -> None:
    changes: list[dict[str, Any]] = [
        {"kind": "head_off", "layer": 5, "heads": [11]},
        {"kind": "temperature", "layer": "all", "heads": "all", "temperature": 2},
        {"kind": "cut_edges", "layer": 0, "heads": [3], "edges": [[8, 2]]},
        {"kind": "replace_row", "layer": 1, "heads": "all", "query": 1, "weights": [0.0, 0.0, 1.0] + [0.0] * 10},
        {"kind": "pattern", "layer": 2, "heads": [0, 1], "pattern": "previous_token"},
    ]
    saved = open_file(more={"interventions": changes})
    expect(saved.locator("#changed")).to_have_text(
        "Changed inside the model: Layer 5, head 11: off; All heads of all layers: temperature 2; "
        "Layer 0, head 3: cut “it” → “cat”; Layer 1, all heads: “the₁” attends only to “cat”; "
        "Layer 2, head 0: attends to the previous token; Layer 2, head 1: attends to the previous token."
    )


@pytest.mark.parametrize(
    ("width", "scheme", "lang"),
    [(1440, "light", "en"), (1440, "dark", "ja"), (390, "dark", "en"), (390, "light", "ja")],
)
def test_a_file_is_accessible_and_fits(
    open_file: Callable[..., Page], axe: Callable[[Page], None], width: int, scheme: str, lang: str
) -> None:
    saved = open_file(width=width, scheme=scheme, lang=lang, layer=5, head=11)
    axe(saved)
    assert saved.evaluate("() => document.documentElement.scrollWidth") <= width
    assert saved.evaluate("() => document.documentElement.lang") == lang


def test_its_theme_can_be_switched(open_file: Callable[..., Page]) -> None:
    saved = open_file()
    ground = "() => getComputedStyle(document.documentElement).backgroundColor"
    paper = saved.evaluate(ground)
    saved.locator("#theme").select_option("night")
    until(saved, f"(paper) => ({ground})() !== paper", arg=paper)
    saved.locator("#theme").select_option("")
    until(saved, f"(paper) => ({ground})() === paper", arg=paper)


def test_it_could_load_nothing_and_run_nothing_else(
    open_file: Callable[..., Page], problems_in_file: list[str]
) -> None:
    saved = open_file()
    saved.evaluate(
        "() => void document.body.append(Object.assign(document.createElement('script'), { text: 'window.ran = 1' }))"
    )
    with saved.expect_console_message(lambda message: "img-src" in message.text):
        saved.evaluate(
            "() => void document.body.append(Object.assign(new Image(), { src: 'https://example.org/x.png' }))"
        )
    assert saved.evaluate("() => window.ran") is None
    complaints = [problems_in_file.pop() for _ in list(problems_in_file)]
    assert any("script" in one for one in complaints)
    assert any("img-src" in one for one in complaints)


def test_a_file_is_small(page: Page) -> None:
    analysis = page.request.post("/api/analyses", data={"model": MODEL, "text": SENTENCE}).json()
    for lang in ("en", "ja"):
        file = page.request.get(f"/api/analyses/{analysis['id']}/export?format=html&layer=5&head=11&lang={lang}").body()
        assert len(file) < 500_000, lang


def test_charts_name_values_zoom_and_are_saved(page: Page, open_file: Callable[..., Page]) -> None:
    saved = open_file(layer=5, head=11)
    plot = plot_in(saved, "#distribution")
    bars = plot.locator(".plain-plot g rect")
    saved.mouse.move(*point_at(saved, plot, 0.5))
    expect(plot.locator(".hoverlayer")).to_have_text(re.compile(r"weights 0\.\d+weights\s+\d+ \(0\.\d+ … 0\.\d+\)"))
    before = bars.first.get_attribute("width")
    plot.get_by_role("button", name="Zoom in").click()
    expect(bars.first).not_to_have_attribute("width", before or "")
    with saved.expect_download() as download:
        plot.get_by_role("button", name="Save as SVG").click()
    assert download.value.path().read_text().count("<rect") > 10


def marks(page: Page, role: str) -> list[list[float]]:
    found: list[list[float]] = page.evaluate(MARKS, SERIES.index(role))
    return found


def test_points_of_the_plane_are_named_chosen_zoomed_and_selected(open_file: Callable[..., Page]) -> None:
    saved = open_file(layer=5, head=11, query=8, key=2)
    saved.get_by_role("tab", name="Vectors").click()
    plot = plane_in(saved)
    expect(plot.locator(".annotation-text").first).to_have_text(re.compile(r"^axis 2: \d+ %$"))
    readout = saved.locator(".plane-readout")
    saved.mouse.move(*marks(saved, "query")[9])
    expect(plot.locator(".hoverlayer")).to_contain_text("query was₉")
    expect(readout).to_contain_text("query was9 attends most to:")
    expect(plot.locator(".shape.is-pointed")).to_have_count(5 + 1)
    saved.mouse.click(*marks(saved, "query")[9])
    expect(saved.locator("#tokens .token[aria-selected=true]")).to_contain_text("was")
    saved.mouse.move(5, 5)
    expect(plot.locator(".hoverlayer")).to_have_count(0)
    expect(readout).to_contain_text("Hover over a point")

    def span() -> float:
        across = [x for x, _ in marks(saved, "key")]
        return max(across) - min(across)

    whole = span()
    (left, top), (right, bottom) = point_at(saved, plot, 0.3, 0.3), point_at(saved, plot, 0.7, 0.7)
    drag(saved, np.array([left, top]), np.array([right, bottom]))
    until(saved, ZOOMED, arg=2 * whole)
    saved.mouse.dblclick(left + 3, top + 3)
    until(saved, ZOOMED, arg=-1.1 * whole)

    plot.get_by_role("button", name="Select with a box").click()
    drag(saved, np.array(point_at(saved, plot, 0.01, 0.01)), np.array(point_at(saved, plot, 0.99, 0.99)))
    expect(saved.locator(".plane-selected button")).to_have_count(26)
    plot.get_by_role("button", name="key", exact=True).click()
    expect(plot.locator(".scatterlayer .trace")).to_have_count(2)
    with saved.expect_download() as download:
        plot.get_by_role("button", name="Save as PNG").click()
    assert download.value.path().read_bytes().startswith(b"\x89PNG")


def test_a_notebook_shows_the_file_in_a_frame_of_its_own(browser: Browser, page: Page, server_url: str) -> None:
    analysis = Observatory(server_url).analyse(SENTENCE, MODEL)
    weights = true_weights(page, SENTENCE, 5, 11)
    context = browser.new_context(viewport={"width": 1440, "height": 1100}, offline=True)
    complaints: list[str] = []
    context.on("console", lambda message: complaints.append(message.text))
    notebook = context.new_page()
    notebook.set_content(analysis.saved(layer=5, head=11)._repr_html_())
    inside = notebook.frame_locator("iframe")
    expect(inside.locator("#head-title")).to_have_text("Layer 5, head 11")
    box = inside.locator(".matrix-hatch").bounding_box()
    assert box
    notebook.mouse.move(box["x"] + 2.5 * box["width"] / 13, box["y"] + 8.5 * box["height"] / 13)
    expect(inside.locator(".matrix-tip .cell-value")).to_have_text(written(weights[8, 2]))
    context.close()
    assert complaints == []
