"""The chosen head's distribution: the API's counts, another stage, image files and the saved page."""

import re
from pathlib import Path

import numpy as np
import pytest
from driving import visit
from playwright.sync_api import Browser, Page, expect
from plotting import plot_in, point_at, series_in


def expect_counts(page: Page, stage: str) -> None:
    plot = plot_in(page, "#distribution")
    analysis = page.request.post(
        "/api/analyses",
        data={"model": "sentence-transformers/all-MiniLM-L6-v2", "text": page.locator("#text").input_value()},
    ).json()
    path = f"/api/analyses/{analysis['id']}/distribution?layer=5&head=11&stage={stage}"
    served = page.request.get(path).json()
    [drawn] = series_in(plot).values()
    edges = np.array(served["edges"])
    np.testing.assert_allclose(drawn["x"], (edges[1:] + edges[:-1]) / 2)
    np.testing.assert_allclose(np.square(drawn["y"]), served["counts"], atol=1e-9)


@pytest.mark.gate
def test_it_has_the_counts_of_the_api_at_every_stage(page: Page) -> None:
    visit(page)
    expect_counts(page, "weights")
    page.locator("input[name=stage][value=raw_scores]").check()
    expect(page.locator("#distribution .plot")).to_have_attribute("aria-label", re.compile("raw scores"))
    expect_counts(page, "raw_scores")


def test_a_bar_says_its_count_and_its_range(page: Page) -> None:
    visit(page)
    plot = plot_in(page, "#distribution")
    plot.locator(".plot-frame").focus()
    page.keyboard.press("Home")
    first = re.compile(r"weights 0\.\d+: weights \d+ \(0\.\d+ … 0\.\d+\)")
    expect(plot.locator(".plot-frame")).to_have_attribute("aria-valuetext", first)
    page.mouse.move(*point_at(page, plot, 0.5))
    expect(plot.locator(".hoverlayer .legendtext")).to_have_text(re.compile(r"weights\s+\d+ \(0\.\d+ … 0\.\d+\)"))


def test_a_saved_page_draws_it_without_a_network(page: Page, browser: Browser, tmp_path: Path) -> None:
    visit(page)
    expected = series_in(plot_in(page, "#distribution"))
    page.get_by_text("Export", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name=re.compile("^HTML")).click()
    path = tmp_path / "saved.html"
    download.value.save_as(path)
    context = browser.new_context(offline=True)
    complaints: list[str] = []
    context.on("console", lambda message: complaints.append(message.text))
    saved = context.new_page()
    saved.goto(path.as_uri())
    [drawn], [wanted] = (list(one.values()) for one in (series_in(plot_in(saved, "#distribution")), expected))
    assert drawn["y"] == wanted["y"]
    context.close()
    assert complaints == []
