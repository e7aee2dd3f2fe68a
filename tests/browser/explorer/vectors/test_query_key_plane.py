"""The query-key plane: points match the API, selection and hover work as in any view."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from driving import MODEL, SENTENCE, answers, expect_address, head, true_weights
from planes import LINES, MARKS, PLOT, SERIES, NDArray, data_of, lines, places, plane_in, show
from playwright.sync_api import Browser, Page, Route, expect
from settling import until


def vectors_of(page: Page, layer: int, head: int, count: int) -> tuple[NDArray, NDArray, float]:
    """Every query and key of a head by the route of single pairs, and the scale of its scores."""
    analysis = page.request.post("/api/analyses", data={"model": MODEL, "text": SENTENCE}).json()["id"]
    pairs = [
        page.request.get(f"/api/analyses/{analysis}/vectors?layer={layer}&head={head}&query={index}&key={index}").json()
        for index in range(count)
    ]
    queries, keys = (np.array([pair[f"{role}_token"][role] for pair in pairs]) for role in ("query", "key"))
    return queries, keys, pairs[0]["scale"]


@pytest.mark.gate
def test_points_stand_where_a_principal_component_analysis_puts_them(page: Page) -> None:
    show(page)
    queries, keys, scale = vectors_of(page, 5, 11, 13)
    queries, keys = scale * (queries - queries.mean(axis=0)), keys - keys.mean(axis=0)
    factor = np.sqrt(np.linalg.norm(keys) / np.linalg.norm(queries))
    together = np.concatenate([factor * queries, keys / factor])
    _, sizes, axes = np.linalg.svd(together, full_matrices=False)
    drawn = np.concatenate([page.evaluate(MARKS, SERIES.index(role)) for role in ("query", "key")])
    assert drawn.shape == (26, 2)
    drawn = (drawn - drawn.mean(axis=0)) * [1, -1]  # upward
    wanted = together @ axes[:2].T
    wanted *= np.sign((wanted * drawn).sum(axis=0))
    pixels = np.linalg.norm(drawn) / np.linalg.norm(wanted)
    np.testing.assert_allclose(drawn, pixels * wanted, atol=0.1)  # one scale for both axes
    shares = 100 * sizes**2 / (sizes**2).sum()
    expect(page.locator(".plane .xtitle")).to_have_text(f"axis 1: {shares[0]:.0f} %")
    expect(page.locator(".plane .annotation-text").first).to_have_text(f"axis 2: {shares[1]:.0f} %")
    expect(page.locator(".plane")).to_contain_text(f"they hold {shares[0] + shares[1]:.0f} % of the variance")
    expect(page.locator(".plane")).to_contain_text(f"queries are multiplied by {factor:.2f} and keys divided by it")


def test_lines_lead_to_the_keys_that_are_read_most(page: Page) -> None:
    show(page)
    weights = true_weights(page, SENTENCE, 5, 11)
    best = np.argsort(-weights[8])[:5]
    drawn = lines(page)
    np.testing.assert_allclose(drawn[:, :2], np.tile(data_of(page, "query")[8], (5, 1)))
    np.testing.assert_allclose(drawn[:, 2:4], data_of(page, "key")[best])
    np.testing.assert_allclose(drawn[:, 4], 0.75 + 6 * weights[8][best], atol=1e-4)
    assert len(lines(page, "chosen")) == 1
    page.locator(".plane summary").click()
    rows = page.locator(".plane tbody tr")
    expect(rows).to_have_count(26)
    expect(rows.nth(8).locator("th, td")).to_have_text(
        ["query", "it₈", re.compile(r"^[−\d.]+$"), re.compile(r"^[−\d.]+$"), "cat₂", f"{weights[8, 2]:.4f}"]
    )
    expect(rows.nth(13 + 2).locator("td").first).to_have_text("cat₂")


def test_a_click_chooses_and_pointing_is_shared(page: Page) -> None:
    show(page, "/?view=vectors&layer=2&head=9&hide=1")
    weights = true_weights(page, SENTENCE, 2, 9)
    queries = places(page, "query")  # from token 1: [CLS] is hidden
    assert len(queries) == 11
    best = np.argsort(-weights[9, 1:12])[:2] + 1
    readout = page.locator(".plane-readout")
    page.mouse.move(*places(page, "query")[9 - 1])
    expect(readout).to_contain_text(f"query was9 attends most to: was{best[0]} {weights[9, best[0]]:.4f}")
    expect(page.locator("#tokens .token").nth(9)).to_have_class(re.compile(r"\bis-pointed\b"))
    expect(page.locator(".plane .hoverlayer")).to_contain_text("query was₉")
    until(page, f"() => ({LINES})(['pointed']).length === 5")
    page.mouse.click(*places(page, "query")[9 - 1])
    expect(page.locator(".vectors-title")).to_contain_text(f"positions 9 and {best[0]}")
    expect_address(page, query="9")
    expect_address(page, key=None)
    plane_in(page)
    page.mouse.move(*places(page, "key")[2 - 1])
    expect(readout).to_contain_text("key cat2 is attended to most by:")  # a click takes the point hovered last
    page.mouse.click(*places(page, "key")[2 - 1])
    expect(page.locator(".vectors-title")).to_contain_text("positions 9 and 2")
    expect_address(page, query="9", key="2")
    expect(readout).to_contain_text("key cat2 is attended to most by:")
    page.mouse.move(5, 5)
    expect(readout).to_contain_text("Hover over a point")
    page.locator("#tokens .token").nth(3).hover()
    expect(readout).to_contain_text("query sat3 attends most to:")
    page.go_back()
    expect(page.locator(".vectors-title")).to_contain_text(f"positions 9 and {best[0]}")


def test_the_keyboard_goes_through_all_points(page: Page) -> None:
    show(page)
    frame, readout = page.locator(f"{PLOT}-frame"), page.locator(".plane-readout")
    frame.focus()
    expect(readout).to_contain_text("query it8 attends most to: cat2")
    for key, said in (
        ("ArrowRight", "query was9"),
        ("ArrowDown", "key was9 is attended to most by:"),
        ("ArrowLeft", "key it8"),
        ("Home", "key [CLS]0"),
        ("ArrowLeft", "key [CLS]0"),
        ("ArrowUp", "query [CLS]0"),
        ("End", "query [SEP]12"),
    ):
        page.keyboard.press(key)
        expect(readout).to_contain_text(said)
    page.keyboard.press("Enter")
    expect(page.locator(".vectors-title")).to_contain_text("positions 12 and 2")
    expect(frame).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowLeft")
    expect(readout).to_contain_text("key .11")
    page.keyboard.press(" ")
    expect(page.locator(".vectors-title")).to_contain_text("positions 12 and 11")
    expect_address(page, query="12", key="11")


def test_another_head_is_another_plane_and_another_width_the_same_points(page: Page) -> None:
    show(page)
    before = places(page, "key")
    page.set_viewport_size({"width": 700, "height": 900})
    until(page, "() => document.querySelector('.plane .main-svg').clientWidth < 700")
    narrow = places(page, "key")
    shape, other = (each - each.mean(axis=0) for each in (before, narrow))
    np.testing.assert_allclose(other / np.linalg.norm(other), shape / np.linalg.norm(shape), atol=1e-4)
    with page.expect_response(re.compile(r"/query_key_plane\?.*layer=3&head=1\b")):
        page.evaluate("() => document.querySelectorAll('.grid-cell')[3 * 12 + 1].click()")
    expect(page.locator("#head-title")).to_have_text("Layer 3, head 1")
    plane_in(page)
    assert np.abs(places(page, "key") - narrow).max() > 1


def test_a_long_text_is_asked_for_once_and_still_answers(page: Page) -> None:
    text = "The quick brown fox jumps over the lazy dog while seven painters argue. " * 30
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/query_key_plane?" in request.url else None)
    show(page, f"/?view=vectors&query=7#text={text}")
    count = len(places(page, "query"))
    assert 400 < count <= 512
    frame, readout = page.locator(f"{PLOT}-frame"), page.locator(".plane-readout")
    frame.focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(page.locator(".vectors-title")).to_contain_text(f"positions {count - 2} and")
    expect(readout).to_contain_text("attends most to:")
    assert len(asked) == 1


def test_a_picture_of_the_view_holds_the_points(page: Page) -> None:
    show(page)
    page.locator("#export > summary").click()
    with page.expect_download() as download:
        page.locator("#export").get_by_role("button", name="SVG").first.click()
    drawing = download.value.path().read_text(encoding="utf-8")
    for said in ("All queries and keys of this head", "axis 1: 31 %", "cat", "[CLS]"):
        assert said in drawing
    assert drawing.count("A5,5") == 2 * 13, "a circle of two arcs for every query"
    assert drawing.count('stroke-dasharray="5px') == 0


def test_a_saved_file_holds_the_plane_of_its_head(page: Page, browser: Browser, tmp_path: Path) -> None:
    show(page)
    points = np.array(page.evaluate(MARKS, SERIES.index("query")))
    analysis = page.request.post("/api/analyses", data={"model": MODEL, "text": SENTENCE}).json()["id"]
    wanted = {"format": "html", "layer": 5, "head": 11, "query": 8, "key": 2, "numbering": 1}
    file = tmp_path / "saved.html"
    file.write_bytes(page.request.get(f"/api/analyses/{analysis}/export", params=wanted).body())
    context = browser.new_context(viewport={"width": 1440, "height": 900}, offline=True)
    complaints: list[str] = []
    context.on("console", lambda message: complaints.append(message.text))
    context.on("weberror", lambda error: complaints.append(str(error.error)))
    saved = context.new_page()
    saved.goto(file.as_uri())
    expect(saved.locator(".matrix-frame")).to_be_visible()
    saved.locator("#tab-matrix").focus()
    for _ in range(2):
        saved.keyboard.press("ArrowRight")  # so that the focus is seen, as whoever uses the keyboard sees it
    expect(saved.get_by_role("tab", name="Vectors")).to_be_focused()
    plane_in(saved)
    expect(saved.locator("#panel-vectors .failure").first).to_contain_text("not in this file; the live page has them")
    shape, other = (
        each - each.mean(axis=0) for each in (points, np.array(saved.evaluate(MARKS, SERIES.index("query"))))
    )
    np.testing.assert_allclose(other / np.linalg.norm(other), shape / np.linalg.norm(shape), atol=1e-3)
    saved.locator(f"{PLOT}-frame").focus()
    readout = saved.locator(".plane-readout")
    expect(readout).to_contain_text("query it9 attends most to: cat3")
    saved.keyboard.press("ArrowRight")
    expect(readout).to_contain_text("query was10")
    saved.keyboard.press("Enter")
    expect(saved.locator("#tokens .token[aria-selected=true]")).to_contain_text("was")
    saved.locator("#tokens .token").nth(3).hover()
    expect(readout).to_contain_text("query sat4")
    elsewhere = "This file holds the plane of queries and keys only for Layer 6, head 12."
    expect(saved.locator("#panel-vectors")).not_to_contain_text(elsewhere)
    head(saved, 1, 3).click()
    expect(saved.locator("#panel-vectors")).to_contain_text(elsewhere)
    expect(saved.locator(".plane")).to_have_count(0)
    context.close()
    assert complaints == []


def test_points_stay_within_their_frame_on_a_phone(phone: Page) -> None:
    show(phone)
    frame = phone.locator(f"{PLOT}-frame").bounding_box()
    assert frame
    for role in ("query", "key"):
        across = places(phone, role)[:, 0]
        assert frame["x"] < across.min()
        assert across.max() < frame["x"] + frame["width"]


def test_one_side_can_be_left_out(page: Page) -> None:
    show(page)
    plot = page.locator(PLOT)
    plot.get_by_role("button", name="key", exact=True).click()
    expect(plot.locator(".scatterlayer .trace")).to_have_count(2)  # queries, and the chosen one
    assert len(lines(page)) == 0
    plot.locator(".plot-frame").focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".plane-readout")).to_contain_text("query it8")
    plot.get_by_role("button", name="key", exact=True).click()
    expect(plot.locator(".scatterlayer .trace")).to_have_count(4)


def test_without_the_library_the_points_are_a_table(page: Page, problems: Any) -> None:
    problems.expect("503")

    def refuse(route: Route) -> None:
        route.fulfill(status=503)

    with answers(page, "**/plotly-cartesian.min.js", refuse):
        page.goto("/?view=vectors")
        plot = page.locator(PLOT)
        plot.scroll_into_view_if_needed()
        expect(plot.get_by_role("alert")).to_contain_text("The chart could not be loaded. Its numbers are below.")
        plot.locator("summary").click()
        expect(plot.locator("tbody tr")).to_have_count(26)
        plot.locator(".plot-frame").focus()
        page.keyboard.press("ArrowRight")
        expect(page.locator(".plane-readout")).to_contain_text("query was9 attends most to:")
    plot.get_by_role("button", name="Try again").click()
    expect(plot.locator(".scatterlayer .trace")).to_have_count(4)
    expect(plot.get_by_role("alert")).to_have_count(0)


def test_weights_alone_have_no_vectors_and_nothing_is_asked_for(page: Page) -> None:
    """A refused request would be an error in the console, which fails the test."""
    page.goto("/")
    weights = np.full((1, 2, 3, 3), 1 / 3).tolist()
    uploaded = page.request.post("/api/tensors", data={"weights": weights, "tokens": ["a", "b", "c"]})
    assert uploaded.ok, uploaded.text()
    page.goto(f"/?view=vectors&model={uploaded.json()['id']}&layer=0&head=1")
    expect(page.locator("#panel-vectors")).to_have_text(
        "Weights were uploaded without queries and keys: there are no vectors to show."
    )
    file = page.request.get(f"/api/analyses/{uploaded.json()['id']}/export?format=html&layer=0&head=1")
    assert "/query_key_plane?part" not in file.text()
