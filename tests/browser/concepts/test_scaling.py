"""Scaling page: variances, saturation, scatter panels and growth with d_k."""

import re

import numpy as np
import pytest
from driving import shown_body
from playwright.sync_api import Page, expect
from plotting import plot_in, series_in
from settling import until

READY = "() => document.querySelector('#concept').getAttribute('aria-busy') === 'false'"


def visit(page: Page, address: str) -> None:
    page.goto(address)
    until(page, READY)


def table(page: Page) -> list[list[float]]:
    rows = page.locator(".step-table tbody tr").all()
    return [[float(cell) for cell in row.locator("th, td").all_text_contents()] for row in rows]


def test_the_variance_of_normal_products_is_d(page: Page) -> None:
    visit(page, "/scaling?samples=50000&step=99")
    for d, expected, measured, scaled, scaled_measured in table(page):
        assert (expected, scaled) == (d, 1)
        assert measured == pytest.approx(d, rel=0.05)
        assert scaled_measured == pytest.approx(1, rel=0.05)
    expect(page.locator("#picture .plot")).to_have_count(2)
    body = shown_body(page)
    served = page.request.post("/api/scaling", data=body).json()["distributions"]
    for drawn, one in zip(series_in(plot_in(page)).values(), served, strict=True):
        edges, counts = np.array(one["raw"]["edges"]), np.array(one["raw"]["counts"])
        assert (drawn["y"][0], drawn["y"][-1]) == (0, 0)
        np.testing.assert_allclose(drawn["x"][1:-1], (edges[1:] + edges[:-1]) / 2)
        np.testing.assert_allclose(drawn["y"][1:-1] * np.diff(edges) * counts.sum(), counts)


def test_through_linear_layers_it_is_smaller(page: Page) -> None:
    visit(page, "/scaling?source=linear&step=99")
    expected = [row[1] for row in table(page)]
    assert expected == pytest.approx([1.125, 7.335, 57.11], abs=5e-3)
    scaled = [row[3] for row in table(page)]
    assert scaled == pytest.approx([0.1406, 0.1146, 0.1115], abs=1e-4)


def test_saturation(page: Page) -> None:
    visit(page, "/scaling?view=saturation")
    lines = []
    for step in page.locator("#steps .step").all():
        step.click()
        until(page, READY)
        lines.append([float(one) for one in re.findall(r"\d\.\d{5}", page.locator(".step-line").inner_text())])
    assert lines[0] == pytest.approx([0.99285, 0.00669, 0.00033, 0.00012], abs=6e-6)
    assert lines[1] == pytest.approx([0.4489, 0.2403, 0.1651, 0.1457], abs=6e-5)
    page.get_by_role("spinbutton", name="Divided by").fill("0.5")
    expect(page.locator(".step-says")).to_contain_text("By 0.50:")


def formulas(page: Page) -> str:
    return page.locator("#formula").inner_text().replace("\n", "")


def test_the_formula_is_that_of_the_view(page: Page) -> None:
    visit(page, "/scaling?source=linear&step=1")
    assert "=1" not in formulas(page), "components of another variance than 1"
    product = page.locator(".step-line").inner_text().replace("\n", "")
    assert product.endswith("=0.33398·0.33398=0.1115"), "of the last size, 512"
    for view in ("saturation", "panels", "growth"):
        visit(page, f"/scaling?view={view}")
        assert "Var" not in formulas(page)
    expect(page.locator("#picture h3").last).to_contain_text("Norm of the derivatives")
    visit(page, "/scaling?view=saturation&step=1")
    assert re.search(r"𝑒10𝑒1=\s*8,?103", formulas(page))
    assert "=3.08" in formulas(page)
    assert np.exp(10 - 1) == pytest.approx(8103, abs=0.5)
    assert np.exp(1.25 - 0.125) == pytest.approx(3.08, abs=0.005)
    expect(page.locator(".step-says")).to_contain_text("Frobenius norm of")
    visit(page, "/scaling?view=saturation&scores=110_105_102_101&step=1")
    first = [float(one) for one in re.findall(r"\d\.\d{5}", page.locator(".step-line").inner_text())]
    assert first == pytest.approx([0.99285, 0.00669, 0.00033, 0.00012], abs=6e-6)


def test_the_film_widens_the_scores_and_narrows_the_weights(page: Page) -> None:
    visit(page, "/scaling?view=size&d=1&step=3")
    largest = []
    for moment, d in enumerate((1, 4, 16, 64, 256, 1024)):
        page.locator("#film input").fill(str(moment))
        expect(page.locator(".film-says")).to_contain_text(re.compile(f"dk = {d}:"))
        until(page, READY)
        said = page.locator(".film-says").inner_text()
        deviation, raw, scaled = map(float, re.findall(r"\d+\.\d+", said))
        assert deviation == pytest.approx(np.sqrt(d), rel=0.05)
        largest.append(raw)
        assert scaled < 0.5
    assert largest[-1] > 0.95 > largest[1]
    page.get_by_role("link", name="Standard normal").click()
    expect(page.locator(".film-says")).to_contain_text("expected 1.0000, measured")  # the steps, as elsewhere


def test_panels_and_growth(page: Page) -> None:
    visit(page, "/scaling?view=panels&keys=12")
    expect(page.locator("#picture .plot")).to_have_count(4)
    assert [len(one["x"]) for one in series_in(plot_in(page)).values()] == [12]
    page.get_by_role("link", name="As d grows").click()
    expect(page.locator("#picture .plot")).to_have_count(2)
    steps = page.locator("#steps .step")
    expect(steps).to_have_count(6)
    steps.nth(5).click()
    until(page, READY)
    raw, scaled = map(float, re.findall(r"\d\.\d+", page.locator(".step-says").inner_text()))
    assert raw < 0.3, "at d = 1024 one key takes nearly everything"
    assert scaled > 2, "of at most ln 20 = 3"
