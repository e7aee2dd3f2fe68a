"""Helpers that read the query–key plane."""

from typing import Any

import numpy as np
from driving import SETTLED
from playwright.sync_api import Locator, Page
from plotting import plot_in
from settling import until

NDArray = np.ndarray[Any, Any]
PLACES = """(series) => { const drawing = document.querySelector(".plane .plot-drawing");
  const { left, top } = drawing.getBoundingClientRect();
  const { xaxis, yaxis } = drawing._fullLayout;
  const { x, y } = drawing.data[series];
  return Array.from(x, (across, index) =>
    [left + xaxis._offset + xaxis.d2p(across), top + yaxis._offset + yaxis.d2p(y[index])]); }"""
POINTS = """(series) => { const { x, y } = document.querySelector(".plane .plot-drawing").data[series];
  return Array.from(x, (across, index) => [across, y[index]]); }"""
MARKS = """(series) => [...document.querySelectorAll(".plane .scatterlayer .trace")[series].querySelectorAll(".point")]
  .map((point) => { const { x, y, width, height } = point.getBoundingClientRect();
    return [x + width / 2, y + height / 2]; })"""
LINES = """(name) => document.querySelector(".plane .plot-drawing")._fullLayout.shapes
  .filter((shape) => shape.type === "line" && name.includes(shape.name))
  .map(({ x0, y0, x1, y1, line }) => [x0, y0, x1, y1, line.width])"""
SERIES = ("key", "query")
PLOT = ".plane .plot"


def show(page: Page, address: str = "/?view=vectors") -> None:
    page.goto(address)
    page.wait_for_selector("#panel-vectors .vectors-steps")
    plane_in(page)
    until(page, SETTLED)  # nothing moves any more


def plane_in(page: Page) -> Locator:
    """The plane, drawn."""
    return plot_in(page, ".plane")


def places(page: Page, role: str) -> NDArray:
    """Where the points of this role stand in the window."""
    return np.array(page.evaluate(PLACES, SERIES.index(role)))


def data_of(page: Page, role: str) -> NDArray:
    """The points of this role in units of the axes."""
    return np.array(page.evaluate(POINTS, SERIES.index(role)))


def lines(page: Page, *kinds: str) -> NDArray:
    """The lines drawn: both ends in units of the axes, and how wide."""
    return np.array(page.evaluate(LINES, kinds or ["link", "chosen"]))


def drag(page: Page, corner: NDArray, other: NDArray) -> None:
    page.mouse.move(*corner)
    page.mouse.down()
    page.mouse.move(*other, steps=5)
    page.mouse.up()
