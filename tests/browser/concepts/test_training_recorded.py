"""Training page before a run: a recorded one stands there, dimmed and named so, until one's own takes its place."""

import json
import re

import pytest
from playwright.sync_api import Page, expect
from plotting import plot_in, series_in
from training_page import LONG_ENOUGH, TINY, begin, ended, number, visit

from benchmarks.layout_shift import GOOD, WATCH

NO_STEP = json.dumps({"answer": {"config": {}}, "standing": {}, "updates": [], "mapped": [], "size": 0, "cells": ""})


def test_a_recorded_run_stands_until_ones_own_takes_its_place(page: Page) -> None:
    page.add_init_script(WATCH)
    visit(page, "")
    recorded = page.locator("[data-recorded]")
    expect(recorded).to_have_count(2)  # the charts and the maps
    expect(page.locator("#standing")).to_have_text(re.compile("^A recorded run: .*Press Run"))
    expect(page.locator("#maps-note")).to_have_text("Of the recorded run, at step 300.")
    assert next(iter(series_in(plot_in(page, "[data-chart=loss]")))) == "recorded run"
    assert number(page, "#shown-step") == 300
    expect(page.locator(".train-tile")).to_have_count(8)
    for button in ("#keep", "#open-explorer", "#pause", "#step", "#stop"):
        expect(page.locator(button)).to_be_disabled()
    expect(page.locator("#download")).to_have_attribute("aria-disabled", "true")
    expect(page.locator("#verdict")).to_be_hidden()
    page.get_by_label("Scrub").focus()
    page.keyboard.press("Home")
    expect(page.locator("#shown-step")).to_have_text("0")

    page.locator("#presets a", has_text="Reversing").click()
    expect(page.locator("select[data-bind=task]")).to_have_value("reverse")
    page.locator("#presets a", has_text="Induction").click()
    top = page.locator("#formula").evaluate("(one) => one.getBoundingClientRect().top + scrollY")
    page.locator("#steps").scroll_into_view_if_needed()
    begin(page, guess=3)
    expect(recorded).to_have_count(0, timeout=LONG_ENOUGH)
    expect(page.locator("#maps-note")).to_have_text(re.compile("^Of this run, at step"))
    assert page.locator("#formula").evaluate("(one) => one.getBoundingClientRect().top + scrollY") == pytest.approx(
        top, abs=1
    )
    assert sum(shift["value"] for shift in page.evaluate("() => window.shifts")) < GOOD
    page.get_by_role("button", name="Stop").click()


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1366, 768)])
def test_curves_and_maps_stand_on_one_screen(page: Page, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    visit(page, "")
    loss, tile = (page.locator(at).first for at in ("[data-chart=loss] .plot-drawing", ".train-tile"))
    expect(tile).to_be_visible()
    for shown in (loss, tile, page.locator("#begin")):
        box = shown.bounding_box()
        assert box
        assert box["y"] + box["height"] < height
    left, middle, right = (page.locator(f".train-{one}").bounding_box() for one in ("course", "heads", "setup"))
    assert left
    assert middle
    assert right
    assert left["x"] < middle["x"] < right["x"]


@pytest.mark.parametrize("broken", ["missing", "cut off", "without a step"])
def test_a_page_whose_recorded_run_is_broken_stands_as_before_a_run(page: Page, broken: str) -> None:
    said = {"cut off": '{"answer": {"config": {"num_layers": 2', "without a step": NO_STEP}.get(broken, "")
    page.route(
        "**/recorded_run.json",
        lambda route: route.fulfill(status=200 if said else 204, content_type="application/json", body=said),
    )
    visit(page, TINY)
    expect(page.locator("#standing")).to_have_text("Not run yet")
    expect(page.locator("#maps-note")).to_have_text("The maps appear as soon as a network has been made.")
    expect(page.locator("[data-recorded]")).to_have_count(0)
    begin(page)
    ended(page)
    expect(page.locator("#maps-note")).to_have_text("Of this run, at step 40.")
