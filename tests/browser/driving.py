"""Driving the Explorer: what its browser tests do to it and read from it."""

import base64
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
from playwright.sync_api import Locator, Page, Route

SENTENCE = "The cat sat on the mat because it was tired."
MODEL = "sentence-transformers/all-MiniLM-L6-v2"
PLOTTED = """() => document.querySelector(".matrix-plot .heatmaplayer image") &&
  document.querySelector(".matrix-preview").hidden &&
  document.querySelector("#bench").getAttribute("aria-busy") === "false" """
TRACE = """() => { const [trace] = document.querySelector(".matrix-plot").data;
  return { z: trace.z.map((row) => Array.from(row, (value) => Number.isNaN(value) ? null : value)),
    zmin: trace.zmin, zmax: trace.zmax, x0: trace.x0, dx: trace.dx, y0: trace.y0, dy: trace.dy }; }"""
COLOURS_SEEN = """(canvas) => { const { width, height } = canvas;
  const pixels = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, width, height).data.buffer);
  return new Set(pixels).size; }"""


def visit(page: Page, address: str = "/") -> None:
    """Open the Explorer and wait until the exact matrix is drawn."""
    page.goto(address)
    page.wait_for_function(PLOTTED)


def head(page: Page, layer: int, number: int) -> Locator:
    return page.get_by_role("gridcell", name=re.compile(rf"^Layer {layer}, head {number}\b(?!\d)"))


def parameters(page: Page) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def true_weights(page: Page, text: str, layer: int, number: int, stage: str = "weights") -> np.ndarray[Any, Any]:
    """The API's own numbers, asked for beside the page."""
    analysis = page.request.post("/api/analyses", data={"model": MODEL, "text": text}).json()
    query = f"layer={layer}&head={number}&stage={stage}"
    answer = page.request.get(f"/api/analyses/{analysis['id']}/weights?{query}").json()["matrix"]
    shape = [int(size) for size in answer["shape"].split(",")]
    return np.frombuffer(base64.b64decode(answer["bdata"]), dtype="<f4").reshape(shape)


def drawn(page: Page) -> np.ndarray[Any, Any]:
    """What Plotly draws; −∞ is a gap."""
    return np.array([[-np.inf if value is None else value for value in row] for row in page.evaluate(TRACE)["z"]])


def cell(page: Page, query: int, key: int, tokens: int) -> tuple[float, float]:
    """The middle of a cell on screen."""
    page.locator(".matrix-hatch").scroll_into_view_if_needed()
    box = page.locator(".matrix-hatch").bounding_box()
    assert box
    return box["x"] + (key + 0.5) * box["width"] / tokens, box["y"] + (query + 0.5) * box["height"] / tokens


@contextmanager
def answers(page: Page, pattern: str, handler: Callable[[Route], None]) -> Iterator[None]:
    page.route(pattern, handler)
    yield
    page.unroute(pattern)
