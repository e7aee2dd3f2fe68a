"""Charts drawn by Plotly: loading, reading, zooming, series on and off, saving, themes, touch, failures."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from driving import answers, saved_concept, shown_body, unfold, visit_concept
from playwright.sync_api import Browser, Locator, Page, Route, expect
from plotting import plot_in, point_at, range_of, series_in
from settling import settle, until

CURVES = "/alibi?view=reach&heads=8"
COLOUR = "(plot) => plot.querySelector('.plot-drawing').data[0].line.color"
SERIES_COLOUR = """() => { const probe = document.body.appendChild(document.createElement("i"));
  probe.style.color = "var(--series-0)"; const { color } = getComputedStyle(probe); probe.remove(); return color; }"""


@pytest.mark.gate
def test_the_library_is_fetched_when_a_chart_comes_into_view(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    visit_concept(page, "/alibi?view=bias")
    assert [url for url in asked if "plotly" in url] == []
    page.locator("[data-bind=view]").select_option("reach")
    plot_in(page)
    assert len([url for url in asked if "plotly" in url]) == 1


def test_a_pointer_and_the_arrow_keys_read_the_same(page: Page) -> None:
    visit_concept(page, CURVES)
    plot = plot_in(page)
    frame = plot.locator(".plot-frame")
    page.mouse.move(*point_at(page, plot, 0.5))
    label = plot.locator(".hoverlayer .legendtext")
    expect(label).to_have_count(8)
    pointed = frame.get_attribute("aria-valuetext") or ""
    x = int(re.findall(r"\d+", pointed)[0])
    drawn = series_in(plot)
    assert f"head 7 {drawn['head 7']['y'][x]:.4f}" in pointed
    expect(label.last).to_contain_text(f"{drawn['head 7']['y'][x]:.4f}")
    page.mouse.move(0, 0)
    frame.focus()
    page.keyboard.press("Home")
    expect(frame).to_have_attribute("aria-valuenow", "0")
    expect(label).to_have_count(8)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(frame).to_have_attribute("aria-valuetext", re.compile(r"distance between query and key 2: head 0 0\.3679,"))
    page.keyboard.press("Escape")
    expect(label).to_have_count(0)


def test_series_are_switched_off_and_on(page: Page) -> None:
    visit_concept(page, CURVES)
    plot = plot_in(page)
    entry = plot.get_by_role("button", name="head 3", exact=True)
    expect(entry).to_have_attribute("aria-pressed", "true")
    entry.focus()
    page.keyboard.press("Enter")
    expect(entry).to_have_attribute("aria-pressed", "false")
    expect(plot.locator(".trace.scatter")).to_have_count(7)
    assert series_in(plot)["head 3"]["visible"] is False
    plot.locator(".plot-frame").focus()
    page.keyboard.press("Home")
    assert "head 3" not in (plot.locator(".plot-frame").get_attribute("aria-valuetext") or "")
    page.locator("#distance").fill("20")  # drawn again, and still off
    expect(plot.locator(".infolayer .annotation-text", has_text="20")).to_have_count(1)
    expect(plot.locator(".trace.scatter")).to_have_count(7)
    entry.click()
    expect(plot.locator(".trace.scatter")).to_have_count(8)


def test_one_zooms_by_dragging_by_buttons_and_by_keys(page: Page) -> None:
    visit_concept(page, CURVES)
    plot = plot_in(page)
    whole = range_of(plot)
    page.mouse.move(*point_at(page, plot, 0.25))
    page.mouse.down()
    page.mouse.move(*point_at(page, plot, 0.5, 0.52), steps=4)
    page.mouse.up()
    until(page, "(plot) => plot._fullLayout.xaxis.range[0] > 1", arg=plot.locator(".plot-drawing").element_handle())
    low, high = range_of(plot)
    span = whole[1] - whole[0]
    assert (low, high) == pytest.approx((whole[0] + span / 4, whole[0] + span / 2), abs=span / 50)
    plot.get_by_role("button", name="Show all").click()
    handle = plot.locator(".plot-drawing").element_handle()
    until(page, "([plot, low]) => plot._fullLayout.xaxis.range[0] === low", arg=[handle, whole[0]])
    plot.get_by_role("button", name="Zoom in").click()
    until(page, "([plot, low]) => plot._fullLayout.xaxis.range[0] > low", arg=[handle, whole[0]])
    closer = range_of(plot)
    assert closer[1] - closer[0] == pytest.approx(span / 2)
    plot.locator(".plot-frame").focus()
    page.keyboard.press("0")
    until(page, "([plot, low]) => plot._fullLayout.xaxis.range[0] === low", arg=[handle, whole[0]])


def test_what_is_drawn_is_what_the_api_and_the_table_say(page: Page) -> None:
    visit_concept(page, CURVES)
    plot = plot_in(page)
    drawn = series_in(plot)
    body = shown_body(page)
    bias = np.array(page.request.post("/api/alibi", data=body).json()["bias"])
    far = bias.shape[2] - 1
    for head, row in enumerate(bias[:, 0]):  # of the first query, which is as far as can be from the last key
        one = drawn[f"head {head}"]
        np.testing.assert_array_equal(one["x"], np.arange(far + 1))
        np.testing.assert_allclose(one["y"], np.exp(row[::-1]), rtol=1e-12)
    plot.locator("summary").click()
    rows = plot.locator(".plot-rows tbody tr")
    expect(rows).to_have_count(len(drawn["head 0"]["x"]))
    expect(rows.nth(4).locator("td").nth(7)).to_have_text(f"{drawn['head 7']['y'][4]:.4f}")
    expect(plot.locator(".plot-table .note")).to_contain_text("head 7: 1 (distance between query and key 0)")


def test_colours_follow_the_theme(page: Page) -> None:
    visit_concept(page, CURVES)
    plot = plot_in(page)
    light = plot.evaluate(COLOUR)
    assert light == page.evaluate(SERIES_COLOUR)
    page.locator("#theme").select_option("night")
    until(
        page,
        "([plot, light]) => plot.data[0].line.color !== light",
        arg=[plot.locator(".plot-drawing").element_handle(), light],
    )
    assert plot.evaluate(COLOUR) == page.evaluate(SERIES_COLOUR)


def test_a_chart_that_does_not_load_says_so_and_keeps_its_numbers(page: Page, problems: Any) -> None:
    problems.expect("503")

    def refuse(route: Route) -> None:
        route.fulfill(status=503)

    with answers(page, "**/plotly-cartesian.min.js", refuse):
        visit_concept(page, CURVES)
        plot = page.locator("#picture .plot")
        expect(plot.get_by_role("alert")).to_contain_text("The chart could not be loaded. Its numbers are below.")
        plot.locator("summary").click()
        expect(plot.locator(".plot-rows tbody tr").first.locator("td").first).to_have_text("1")
    plot.get_by_role("button", name="Try again").click()
    expect(plot.locator(".trace.scatter")).to_have_count(8)
    expect(plot.get_by_role("alert")).to_have_count(0)


def test_its_place_is_there_before_it_is(page: Page) -> None:
    waiting: list[Route] = []

    def hold(route: Route) -> None:
        waiting.append(route)

    with answers(page, "**/plotly-cartesian.min.js", hold):
        visit_concept(page, CURVES)
        plot = page.locator("#picture .plot")
        expect(plot).to_contain_text("Loading the chart …")
        before = plot.bounding_box()
        while not waiting:
            settle(page)
        waiting[0].continue_()
        expect(plot.locator(".trace.scatter")).to_have_count(8)
        assert plot.bounding_box() == before


def test_a_finger_on_a_chart_scrolls_the_page(browser: Browser, server_url: str) -> None:
    context = browser.new_context(
        base_url=server_url, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    page = context.new_page()
    visit_concept(page, CURVES)
    plot = plot_in(page)
    x, y = point_at(page, plot, 0.5, 0.9)
    before = page.evaluate("() => scrollY")
    touch = context.new_cdp_session(page)
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for moved in range(15, 165, 15):
        touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": x, "y": y - moved}]})
        settle(page)
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    until(page, "(before) => scrollY > before + 100", arg=before)
    page.touchscreen.tap(*point_at(page, plot, 0.5))
    expect(plot.locator(".plot-frame")).to_have_attribute("aria-valuetext", re.compile(r"key \d+: head 0"))
    expect(plot.locator(".hoverlayer .legendtext")).to_have_count(8)
    context.close()


def test_a_chart_is_saved_alone_and_with_its_page(page: Page, tmp_path: Path) -> None:
    visit_concept(page, CURVES)
    plot = plot_in(page)
    for format_, begin in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with page.expect_download() as download:
            plot.get_by_role("button", name=f"Save as {format_}").click()
        assert download.value.path().read_bytes().startswith(begin)
    unfold(page)
    with page.expect_download() as download:
        page.locator("#save-svg").click()
    picture = download.value.path().read_text()
    assert picture.count('class="') == 0
    assert len(re.findall(r"<text[^>]*>head \d</text>", picture)) == 8
    assert picture.count("<path") > 8
    assert "distance between query and key" in picture


def test_a_saved_page_has_the_chart_without_a_network(page: Page, browser: Browser, tmp_path: Path) -> None:
    visit_concept(page, CURVES)

    def numbers(plot: Locator) -> str:
        plot.get_by_text("Numbers as a table").click()
        return plot.locator(".plot-table table").inner_text()

    expected = numbers(plot_in(page))
    path = tmp_path / "page.html"
    with saved_concept(page, browser, path) as saved:
        saved.locator("#presets").get_by_text("How far each head attends").click()
        plot = plot_in(saved)
        curves = plot.locator(".plain-plot path[stroke]")
        expect(curves).to_have_count(8)
        assert numbers(plot) == expected
        frame = plot.locator(".plot-frame")
        box = plot.locator(".plain-plot svg").bounding_box()
        assert box
        saved.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        expect(frame).to_have_attribute("aria-valuetext", re.compile("head 0 .*head 7 "))
        expect(plot.locator(".hoverlayer text")).to_have_count(1 + 8)
        expect(plot.locator(".hoverlayer")).to_contain_text(re.compile(r"head 7\s+0"))
        before = curves.first.get_attribute("d")
        plot.get_by_role("button", name="Zoom in").click()
        until(
            saved, "(was) => document.querySelector('.plain-plot path[stroke]').getAttribute('d') !== was", arg=before
        )
        with saved.expect_download() as download:
            plot.get_by_role("button", name="Save as SVG").click()
        assert download.value.path().read_text().count("<path") >= 8
    assert path.stat().st_size < 500_000


def test_no_saved_page_carries_the_library(page: Page) -> None:
    text = page.request.get("/offline/alibi").text()
    assert len(text) < 300_000
    policy = re.search(r"style-src-attr|unsafe-inline", text)
    assert policy is None, "what Plotly needs is not allowed"


def test_charts_fit_everyone(each_look: Page, axe: Callable[[Page], None]) -> None:
    visit_concept(each_look, CURVES)
    plot = plot_in(each_look)
    plot.locator("summary").click()
    axe(each_look)
