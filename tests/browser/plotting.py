"""Read and drive charts drawn by Plotly."""

from typing import Any

from playwright.sync_api import Locator, Page, expect

SERIES = """(plot) => plot.querySelector(".plot-drawing").data.map(({ name, x, y, visible }) =>
  ({ name, x: Array.from(x), y: Array.from(y), visible }))"""
RANGE = "(plot) => plot.querySelector('.plot-drawing')._fullLayout.xaxis.range"
MIDDLE = """(plot) => { const { left, top } = plot.querySelector(".plot-frame").getBoundingClientRect();
  const { xaxis, yaxis } = plot.querySelector(".plot-drawing")._fullLayout;
  return [left + xaxis._offset, top + yaxis._offset, xaxis._length, yaxis._length]; }"""


def plot_in(page: Page, place: str = "#picture") -> Locator:
    """The first chart in a place, drawn."""
    plot = page.locator(f"{place} .plot").first
    plot.scroll_into_view_if_needed()
    expect(plot.locator(".main-svg").first).to_be_attached()
    expect(plot).to_have_attribute("aria-busy", "false")
    return plot


def series_in(plot: Locator) -> dict[str, dict[str, Any]]:
    """What is drawn, by name: `x`, `y`, `visible`."""
    return {one.pop("name"): one for one in plot.evaluate(SERIES)}


def range_of(plot: Locator) -> list[float]:
    """The stretch of the x axis that is shown."""
    return [float(one) for one in plot.evaluate(RANGE)]


def point_at(page: Page, plot: Locator, x: float, y: float = 0.5) -> tuple[float, float]:
    """The place on screen of a share of the chart's width and height; y from above."""
    plot.scroll_into_view_if_needed()
    left, top, width, height = plot.evaluate(MIDDLE)
    return left + x * width, top + y * height
