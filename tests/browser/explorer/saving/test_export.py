"""The export menu: valid image files, numbers that match the API, errors shown in place."""

import base64
import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from xml.etree import ElementTree

import numpy as np
import pytest
from driving import SENTENCE, expect_address, true_weights, visit
from playwright.sync_api import Page, Route, expect

SVG = "{http://www.w3.org/2000/svg}"
TOKENS = ["[CLS]", "the", "cat", "sat", "on", "the", "mat", "because", "it", "was", "tired", ".", "[SEP]"]
READY = {
    "matrix": ".matrix-frame",
    "lines": ".lines-token",
    "vectors": ".vectors-steps",
    "token": ".token-scroller[aria-busy=false]",
    "rollout": ".rollout[aria-busy=false]",
    "output": ".attribution-map .cell-value",
    "flow": ".flow-stage[aria-busy=false] .flow-list li",
    "patching": ".patching-results:not([hidden])[aria-busy=false] .mark-cell",
    "heads": ".heads-table tbody tr",
    "compare": ".compare-maps .matrix-frame[aria-busy=false]",
    "prompts": ".prompts-grid .mark-cell",
    "reach": ".reach[aria-busy=false] .numbers",
}
CORRUPT = "The mat sat on the cat because it was tired."
ASKED = {
    "patching": {"model": "observatory-gpt2-mini", "corrupt": CORRUPT},
    "compare": {"other_head": "2.7"},
    "prompts": {"prompts": "The cat sat.\nThe dog ran."},
}
"""What a view needs besides the text; prompts are other texts."""
WORDS = {
    "matrix": ["Layer 5, head 11 · weights", "query ↓", "attends to", "key →", "because", "0.7118"],
    "lines": ["Layer 5, head 11 · Lines", "query: attends to", "key: is attended to by", "because", "Layer 3, head 1"],
    "vectors": ["Layer 5, head 11 · Vectors", "query", "key", "query × key", "27.1948"],
    "token": ["Token", "layer ↓", "head →", "attends to, in each head:", "11"],
    "rollout": ["Rollout", "after layer ↓", "input token →", "Strongest after layer 5", "because", "0.0253", "0.1715"],
    "output": ["Output", "layer ↓ head →", "Strongest heads", "Layer 5, head 11 · weight × gradient", "because"],
    "flow": ["Flow", "Layer 5", "embedding", "because", "head", "residual stream", "0.89"],
    "patching": ["Patching", "Effect of patching each head: head output", "layer ↓ head →", "Strongest heads", "clean"],
    "heads": ["Heads", "Entropy", "L5 H11", "1.23"],
    "compare": ["Layer 5, head 11 · Compare", "This head", "The other head", "Layer 2, head 7", "0.7118", "0.0119"],
    "prompts": ["Layer 5, head 11 · Prompts", "Layer 5, head 11: mean over the prompts", "Every head", "query ↓"],
    "reach": ["Reach", "May see", "Looks", "Reaches", "query ↓", "key →", "because", "allowed, not reached"],
}
OF_ONE_HEAD = {"matrix", "lines", "vectors", "compare", "prompts"}
CONTROLS = """(view) => [...document.querySelectorAll(
    `#panel-${view} :is(.button, label, textarea, summary, .readout-hint)`)]
  .map((one) => one.value?.trim() || one.textContent.trim()).filter(Boolean)"""
COLOURS = """async (address) => { const image = new Image(); image.src = address; await image.decode();
  const canvas = document.createElement("canvas"); canvas.width = image.width; canvas.height = image.height;
  const target = canvas.getContext("2d", { willReadFrequently: true }); target.drawImage(image, 0, 0);
  const { data } = target.getImageData(0, 0, image.width, image.height);
  return [image.width, image.height, new Set(new Uint32Array(data.buffer)).size]; }"""


def open_menu(page: Page) -> None:
    page.locator("#export > summary").click()
    expect(page.get_by_role("group", name="Numbers of this head")).to_be_visible()


def save(page: Page, group: str, name: str, folder: Path) -> Path:
    with page.expect_download() as download:
        page.get_by_role("group", name=group).get_by_role("button", name=name).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    expect(page.locator("#export [role=status]")).to_have_text(f"{name}: saved.")
    return path


def words_in(picture: ElementTree.Element) -> list[str]:
    return [element.text or "" for element in picture.iter(f"{SVG}text")]


@pytest.mark.gate("matrix")
@pytest.mark.parametrize("view", READY)
def test_a_view_becomes_a_picture(page: Page, tmp_path: Path, view: str) -> None:
    asked = ASKED.get(view, {})
    page.goto(f"/?{urlencode({'view': view, 'heads': '3.1'} | asked)}")
    page.wait_for_selector(READY[view])
    expect(page.locator("#bench")).to_have_attribute("aria-busy", "false")
    if view == "matrix":
        page.wait_for_selector(".matrix-column .cell-value")
    open_menu(page)
    drawn = save(page, "This view", "SVG", tmp_path)
    kind = "weights" if view == "matrix" else view
    model = "observatory-gpt2-mini" if view == "patching" else "all-MiniLM-L6-v2"
    head = "-layer5-head11" if view in OF_ONE_HEAD else ""
    assert drawn.name == f"{model}{head}-{kind}.svg"
    found = ElementTree.parse(drawn).getroot()  # noqa: S314 - our own file
    said = words_in(found)
    assert [word for word in WORDS[view] if word not in said] == []
    caption = said[1]
    assert ("The cat sat. and 1 more prompts" if view == "prompts" else SENTENCE) in caption
    if view in ASKED:
        controls = page.evaluate(CONTROLS, view)
        assert controls
        assert not set(controls) & set(said)
    if view == "patching":
        assert caption.endswith(f"corrupt: {CORRUPT}")
        assert CORRUPT in controls
    assert not any("class" in shape.keys() for shape in found.iter())  # noqa: SIM118 - no dictionary
    data = save(page, "This view", "PNG", tmp_path).read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    address = f"data:image/png;base64,{base64.b64encode(data).decode()}"
    width, height, colours = page.evaluate(COLOURS, address)
    assert (width, height) == (2 * int(found.get("width", 0)), 2 * int(found.get("height", 0)))
    assert colours > 20


def test_a_picture_waits_for_what_is_still_loading(page: Page, tmp_path: Path) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/query_key_plane?**", hold)
    with page.expect_request("**/query_key_plane?**"):
        page.goto("/?view=vectors")
    page.wait_for_selector(READY["vectors"])
    open_menu(page)
    with page.expect_download() as download:
        page.get_by_role("group", name="This view").get_by_role("button", name="SVG").click()
        expect(page.locator("#export [role=status]")).to_have_text("SVG: preparing …")
        held[0].continue_()
    download.value.save_as(tmp_path / "plane.svg")
    words = words_in(ElementTree.parse(tmp_path / "plane.svg").getroot())  # noqa: S314 - our own file
    assert {"All queries and keys of this head", "the zero vector, the origin of dot products"} <= set(words)


def test_a_matrix_in_svg_has_a_shape_for_each_cell_and_text_for_each_token(page: Page, tmp_path: Path) -> None:
    visit(page)
    open_menu(page)
    found = ElementTree.parse(save(page, "This view", "SVG", tmp_path)).getroot()  # noqa: S314
    cells = [shape for shape in found.iter(f"{SVG}rect") if shape.get("shape-rendering") == "crispEdges"]
    assert len(cells) == 13 * 13
    weights = true_weights(page, SENTENCE, 5, 11)
    # The scale goes from light to dark on paper: the darker a cell, the larger its weight.
    light = [sum(int(part) for part in (shape.get("fill") or "")[4:-1].split(",")) for shape in cells]
    assert np.corrcoef(light, -np.sqrt(weights.ravel()))[0, 1] > 0.9
    assert np.argmin(light) == np.argmax(weights)
    rows = [text.text for text in found.iter(f"{SVG}text") if text.get("text-anchor") == "end"]
    # As on the page, equal tokens have their position.
    assert rows == [f"the{'₁' if index == 1 else '₅'}" if one == "the" else one for index, one in enumerate(TOKENS)]
    grid = ElementTree.parse(save(page, "All heads", "SVG", tmp_path)).getroot()  # noqa: S314
    assert {"layer ↓", "head →", "0", "11"} <= set(words_in(grid))
    assert len(list(grid.iter(f"{SVG}image"))) == 1


def test_numbers_are_those_of_the_api(page: Page, tmp_path: Path) -> None:
    page.goto("/?rows=2:8&stage=scaled_scores")
    expect(page.locator("#bench")).to_have_attribute("aria-busy", "false")
    scores = true_weights(page, SENTENCE, 5, 11, "scaled_scores")
    open_menu(page)
    expect(page.get_by_role("group", name="Numbers of this head")).to_contain_text("queries 2:8, keys all")
    table = save(page, "Numbers of this head", "CSV", tmp_path)
    assert table.name == "all-MiniLM-L6-v2-encoder-layer5-head11-scaled-scores-queries2-8.csv"
    head, *lines = csv.reader(io.StringIO(table.read_text(encoding="utf-8"), newline=""))
    assert head[1:] == [f"{index} {token}" for index, token in enumerate(TOKENS)]
    np.testing.assert_allclose(np.array([line[1:] for line in lines], np.float32), scores[2:8], rtol=1e-5, atol=1e-5)
    content = json.loads(save(page, "Numbers of this head", "JSON", tmp_path).read_text(encoding="utf-8"))
    np.testing.assert_allclose(np.array(content["window"]["matrix"]), scores[2:8], rtol=1e-5, atol=1e-5)
    with np.load(save(page, "Numbers of all heads", "NPZ", tmp_path)) as archive:
        assert archive["scaled_scores"].shape == (6, 12, 13, 13)
        np.testing.assert_allclose(archive["scaled_scores"][5, 11], scores, rtol=1e-5, atol=1e-5)
    saved = save(page, "A page that works offline", "HTML", tmp_path)
    assert saved.name == "all-MiniLM-L6-v2-layer5-head11-scaled-scores.html"
    assert '<html lang="en">' in saved.read_text(encoding="utf-8")


def test_uploaded_tensors_and_changed_models_are_exported_too(page: Page, tmp_path: Path) -> None:
    sent = page.request.post("/api/tensors", data=json.dumps({"weights": [[1, 0], [0.25, 0.75]], "tokens": ["a", "b"]}))
    page.goto(f"/?model={sent.json()['id']}")
    expect(page.locator("#bench")).to_have_attribute("aria-busy", "false")
    open_menu(page)
    table = save(page, "Numbers of this head", "CSV", tmp_path).read_text(encoding="utf-8")
    assert table.splitlines()[1:] == ['"0 a",1.0,', '"1 b",0.25,0.75'], "what the mask forbids is empty"
    page.goto("/?changes=uniform-5.11")
    expect(page.locator("#bench")).to_have_attribute("aria-busy", "false")
    open_menu(page)
    table = save(page, "Numbers of this head", "CSV", tmp_path).read_text(encoding="utf-8")
    numbers = np.array([line[1:] for line in list(csv.reader(io.StringIO(table, newline="")))[1:]], np.float32)
    np.testing.assert_allclose(numbers, np.full((13, 13), 1 / 13), rtol=1e-6)


def test_what_fails_is_said_in_the_menu_and_can_be_tried_again(page: Page, problems: Any, tmp_path: Path) -> None:
    problems.expect("request failed: .*export")
    problems.expect("console: Failed to load resource")
    visit(page)
    open_menu(page)
    page.route("**/export?*", lambda route: route.abort("connectionrefused"))
    page.get_by_role("group", name="Numbers of this head").get_by_role("button", name="CSV").click()
    expect(page.locator("#export [role=alert]")).to_contain_text("The server cannot be reached")
    page.unroute("**/export?*")
    save(page, "Numbers of this head", "CSV", tmp_path)
    expect(page.locator("#export [role=alert]")).to_be_hidden()


def test_the_menu_works_by_keyboard(page: Page) -> None:
    visit(page)
    summary = page.locator("#export > summary")
    summary.focus()
    page.keyboard.press("Enter")
    first = page.get_by_role("button", name="PNG: Layer 5, head 11 · weights as an image")
    expect(first).to_be_visible()
    page.keyboard.press("Tab")
    expect(first).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".export-panel")).to_be_hidden()
    expect(summary).to_be_focused()
    summary.click()
    page.locator("#head-title").click()
    expect(page.locator(".export-panel")).to_be_hidden()


@pytest.mark.parametrize(("width", "scheme", "locale"), [(1440, "dark", "en"), (390, "light", "ja")])
def test_the_open_menu_is_accessible_and_fits(
    open_page: Callable[..., Page], axe: Callable[[Page], None], width: int, scheme: str, locale: str
) -> None:
    page = open_page(width=width, colour_scheme=scheme, locale=locale)
    visit(page)
    page.locator("#export > summary").click()
    expect(page.locator(".export-group")).to_have_count(5)
    axe(page)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width


def test_a_frame_has_no_menu(page: Page) -> None:
    visit(page, "/embed/")
    expect(page.locator("#export")).to_have_count(0)


PRINTED = """if (window !== top) window.print = () => { top.printed = {
  name: document.title, sheet: document.adoptedStyleSheets[0].cssRules[0].cssText,
  words: [...document.querySelectorAll("text")].map((one) => one.textContent),
  width: document.querySelector("svg").getAttribute("width") };
  window.dispatchEvent(new Event("afterprint")); };"""


def test_title_width_and_ground_of_an_image_and_one_page_to_print(page: Page, tmp_path: Path) -> None:
    page.add_init_script(PRINTED)  # the dialog itself is the browser's
    page.goto("/?query=1")
    page.wait_for_selector(".matrix-frame")
    open_menu(page)
    page.get_by_label("Image title").fill("What “it” means")
    page.get_by_label("Background").select_option("transparent")
    page.get_by_label("PNG width").select_option("1280")
    drawn = ElementTree.parse(save(page, "This view", "SVG", tmp_path)).getroot()  # noqa: S314 - our own file
    said = words_in(drawn)
    assert said[0] == "What “it” means"
    assert not any("Click a cell" in word for word in said)  # an image has nothing to click
    size = drawn.get("width"), drawn.get("height")
    assert not [rect for rect in drawn.iter(f"{SVG}rect") if (rect.get("width"), rect.get("height")) == size]
    data = save(page, "This view", "PNG", tmp_path).read_bytes()
    address = f"data:image/png;base64,{base64.b64encode(data).decode()}"
    assert page.evaluate(COLOURS, address)[0] == 1280
    page.get_by_role("group", name="This view").get_by_role("button", name="PDF").click()
    expect(page.locator("#export [role=status]")).to_have_text("PDF: choose “Save as PDF” in the print dialog.")
    printed = page.evaluate("window.printed")
    assert printed["name"] == "What “it” means"
    assert f"size: {size[0]}px {int(size[1] or 0) + 1}px" in printed["sheet"]
    assert printed["words"] == said
    expect(page.locator(".print-frame")).to_have_count(0)


def test_a_white_image_of_a_dark_page_is_that_of_the_light_page(page: Page, tmp_path: Path) -> None:
    images = {}
    for theme in ("paper", "night"):
        visit(page, f"/?query=1&theme={theme}")
        open_menu(page)
        page.get_by_label("Background").select_option("white")
        images[theme] = [save(page, group, "SVG", tmp_path).read_text() for group in ("This view", "All heads")]
    assert images["night"] == images["paper"]
    assert 'fill="white"' in images["night"][0]
    expect_address(page, theme="night")
    assert page.evaluate("() => document.documentElement.dataset.theme") == "night"
    page.get_by_label("Background").select_option("page")
    assert save(page, "This view", "SVG", tmp_path).read_text() != images["paper"][0]
